// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Drives the switch engine: in real time on network interfaces, in virtual time on capture files.
//!
//! The engine ([`p4_engine::Switch`]) has no clock and no I/O; this crate is the thin layer around it.
//!
//! ```text
//! packet socket -> offloads undone -> engine: ingress, queue, egress -> delay line -> packet socket
//!  (recvmmsg)       (offload)          (driver; clock: runtime)          (driver)       (sendmmsg)
//!
//! capture file  ------------------->  the same, clock: the records' times (files)  -> capture file
//! ```
//!
//! A frame that comes in may first be held as by a link of its own ([`PortSettings`]). It leaves when its last bit has been sent at the port's rate, and is then held for the port's
//! propagation delay: a port is a queue followed by a link. With a rate and a delay the port replaces
//! a bottleneck of `tc`'s htb and netem.
//!
//! One thread owns the sockets and runs packets; control-plane calls of other threads take turns with
//! it on a [`SharedSwitch`], between batches of at most 32 frames.

// A dependency that nothing uses is an error of `make lint`.
#![cfg_attr(not(test), warn(unused_crate_dependencies))]
#![deny(unsafe_code)]

mod arrival;
mod capture;
mod counters;
mod driver;
mod error;
mod files;
mod offload;
pub mod pcap;
mod runtime;
mod shared;
mod socket;
mod sys;

pub use counters::{Lateness, PortCounters, PortTotals};
pub use driver::TraceRecord;
pub use error::IoError;
pub use files::{FilePort, FileTotals, run_files};
pub use runtime::{Event, Interface, PortSettings, Runtime, RuntimeConfig};
pub use shared::{SharedSwitch, Turn};
