// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Deterministic virtual-time network of hosts, embedded switches and links.
//!
//! A [`Network`] is a description; [`Network::run`] simulates it, and [`Network::start`] does so in steps with a control plane
//! between them. Time is integer nanoseconds. Events are in a total order: by time,
//! then by the order in which they were announced. Everything random derives from one seed, for each part by
//! its own purpose and index, so the same description and seed give the same [`RunResult`].
//!
//! What the result does not depend on: in which order links and watched ports are added. What
//! it does depend on: the order of switches (each draws its own random numbers) and that of flows (initial sequence numbers,
//! port numbers, start jitter, and who goes first at the same instant).
//!
//! Packets carry real Ethernet, IPv4, TCP and UDP header bytes through the switches' P4 programs; payload is a length. A frame
//! arrives whole: propagation delay after its last bit has left.
//!
//! ```text
//! source -> host TCP or UDP -> host queue -> wire -> switch: ingress -> port queue -> egress -> wire -> host
//! ```

// A dependency that nothing uses is an error of `make lint`.
#![cfg_attr(not(test), warn(unused_crate_dependencies))]
#![forbid(unsafe_code)]

mod error;
mod event;
mod flow;
mod frame;
mod host;
mod link;
pub mod measure;
mod network;
mod probe;
mod result;
mod seed;
mod session;
mod sim;

pub use error::NetworkError;
/// The hosts' TCP: [`FlowSpec::tcp`] is its configuration, [`FlowResult::sender`] its counters.
pub use mecn_tcp;
/// The hosts' applications: [`Source`] holds their descriptions.
pub use mecn_traffic;
pub use network::{
    AverageRegister, FlowId, FlowSpec, Interface, Line, LinkEnd, LinkSpec, MAX_PORT, MAX_TIME_NS,
    MacAddr, Network, NodeId, RunOptions, Source, WatchId, WatchSpec,
};
pub use result::{
    Conservation, CwndCause, CwndTrace, DatagramCounts, FlowResult, HostCounts, HostResult,
    PortCounts, PortResult, RunResult, SenderState, SwitchCounts, SwitchResult,
};
pub use session::Session;
