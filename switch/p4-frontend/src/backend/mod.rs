// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! From a checked program to what BMv2 and P4Runtime read.

pub mod bfrt;
pub mod bmv2;
pub mod ir;
pub mod lower;
pub mod p4info;
