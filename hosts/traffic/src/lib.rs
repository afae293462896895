// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Traffic sources without I/O and without a clock: what an application gives to its transport, and when.
//!
//! Time in nanoseconds comes in as an argument, what to send comes out. A [`StreamSource`] feeds a byte stream (TCP): bulk
//! transfer, web sessions, telnet. A [`DatagramSource`] makes packets of its own (UDP): constant bit rate with fixed or
//! random spacing, Pareto on/off. A source is as random as its seed; the same seed gives the same times on every machine.
//!
//! ```
//! use mecn_traffic::{StreamAction, StreamSource, StreamSpec};
//!
//! let mut web = StreamSource::new(StreamSpec::web(30_000), 7);
//! assert_eq!(web.poll(0), Some(StreamAction::Write(30_000)));
//! assert_eq!(web.next_time(), None); // waits for the transfer's end
//! web.on_acked(30_000, 400_000_000);
//! let next = web.next_time().unwrap_or(0);
//! assert!((1_400_000_000..=3_400_000_000).contains(&next)); // the user thinks for 1 to 3 s
//! ```

// A dependency that nothing uses is an error of `make lint`.
#![cfg_attr(not(test), warn(unused_crate_dependencies))]
#![forbid(unsafe_code)]

mod datagram;
mod error;
mod random;
mod stream;
mod telnet;

pub use datagram::{DatagramPattern, DatagramSource, DatagramSpec, Spacing};
pub use error::TrafficError;
pub use stream::{StreamAction, StreamSource, StreamSpec, WebStats};

/// One second in nanoseconds.
pub const SECOND: u64 = 1_000_000_000;
