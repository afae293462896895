// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Programs for Tofino from source to packets: the front end's JSON in the engine. What is expected is from the public
//! documentation of TNA (its header files and "Tofino Native Architecture", Intel 631348) and, for checksums and CRCs, from
//! their own definitions.

mod externs;
mod lab;
mod mecn;
mod metadata;
mod refused;
mod ways;
