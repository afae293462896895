// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! The other tests of the engine once more, with programs compiled to machine code.

// Each file of tests brings what it shares with others along.
#![allow(clippy::duplicate_mod)]

#[path = "allocation.rs"]
mod allocation;
#[path = "primitives.rs"]
mod primitives;
#[path = "robustness.rs"]
mod robustness;
#[path = "router.rs"]
mod router;
#[path = "transaction.rs"]
mod transaction;
#[path = "v1model.rs"]
mod v1model;
