// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Sans-I/O TCP with ECN (RFC 3168) and multi-level ECN.
//!
//! An [`Endpoint`] is one end of one connection. It neither sends nor sleeps: packets and the time (in
//! nanoseconds, from any origin, never going back) are arguments, and the packets to send come out.
//! Headers are real IPv4 and TCP bytes with checksums; payload is a length, standing for that many zero
//! bytes.
//!
//! ```
//! use mecn_tcp::{Config, Endpoint, FourTuple, MAX_HEADER_LEN};
//! use std::net::{Ipv4Addr, SocketAddrV4};
//!
//! let a = SocketAddrV4::new(Ipv4Addr::new(10, 0, 0, 1), 40_000);
//! let b = SocketAddrV4::new(Ipv4Addr::new(10, 0, 0, 2), 80);
//! let config = Config::multi_level_ecn();
//! let mut client = Endpoint::connect(config, FourTuple { local: a, remote: b }, 1_000, 0)?;
//! let mut server = Endpoint::listen(config, b, 2_000)?;
//! client.send(96_000);
//! client.close();
//! server.close();
//!
//! let mut buf = [0; MAX_HEADER_LEN];
//! for now in (0..1_000_000_000).step_by(1_000_000) {
//!     client.on_timer(now);
//!     server.on_timer(now);
//!     while let Some(packet) = client.poll_transmit(now, &mut buf) {
//!         server.on_segment(&buf[..packet.header_len], packet.payload_len, now)?;
//!     }
//!     while let Some(packet) = server.poll_transmit(now, &mut buf) {
//!         client.on_segment(&buf[..packet.header_len], packet.payload_len, now)?;
//!     }
//! }
//! assert_eq!(server.delivered(), 96_000);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! After every call of [`Endpoint::on_segment`], [`Endpoint::on_timer`] or an application call, poll
//! [`Endpoint::poll_transmit`] until it returns `None`, then ask [`Endpoint::next_timeout`].
//!
//! # Congestion response
//!
//! The window is counted in bytes. A cut takes `window / beta` off it, beta by level from
//! [`ResponseTable`], rounded down to whole bytes, and leaves at least one segment; ssthresh becomes the
//! new window, but at least two segments. One window of data is answered once: after a reduction, marks
//! reported and losses found among the data then outstanding cause no further cut (a timeout always
//! does), unless [`Config::top_up`] lets a moderate mark add to the cut for an incipient one. ACKs that report congestion never make the window grow.

// A dependency that nothing uses is an error of `make lint`.
#![cfg_attr(not(test), warn(unused_crate_dependencies))]
#![forbid(unsafe_code)]

mod config;
mod congestion;
mod ecn;
mod endpoint;
mod ranges;
mod reader;
mod reassembly;
mod receive;
mod recovery;
mod response;
mod rtt;
mod scoreboard;
mod stats;
mod timers;
mod transmit;
pub mod wire;

pub use config::{
    Config, ConfigError, CongestionAvoidance, EcnMode, InitialWindow, LossRecovery, MAX_WINDOW,
    MILLISECOND, RtoConfig, SECOND, TimerRules,
};
pub use endpoint::{Endpoint, FourTuple, State};
pub use receive::SegmentError;
pub use response::{Beta, BetaError, Level, ResponseTable};
pub use rtt::RttEstimator;
pub use stats::{Event, EventKind, Reductions, Stats, WindowCause};
pub use transmit::Transmit;
pub use wire::MAX_HEADER_LEN;
