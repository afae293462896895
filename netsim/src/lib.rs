// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Deterministic virtual-time network of hosts, embedded switches and links.
