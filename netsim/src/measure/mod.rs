// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Measurements. Each takes what happened with its time in nanoseconds and knows nothing of the network.

mod delay;
mod depth;

pub use delay::{DelayRecorder, DelayStats};
pub use depth::{DepthRecorder, DepthStats, DepthTrace};
