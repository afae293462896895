// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Python extension module joining the front end, the switch engine and the virtual network.
