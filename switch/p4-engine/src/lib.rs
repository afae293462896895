// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Executes BMv2 JSON: parser, tables, registers, traffic manager; no clock, no I/O.
