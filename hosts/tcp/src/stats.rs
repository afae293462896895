// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Counters and events of an endpoint.

use crate::endpoint::State;
use crate::response::Level;

/// Reductions of the congestion window by cause.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Reductions {
    /// By an incipient mark.
    pub incipient: u64,
    /// By a moderate mark (CE).
    pub moderate: u64,
    /// By duplicate ACKs.
    pub fast_retransmit: u64,
    /// By a retransmission timeout.
    pub timeout: u64,
}

/// Counters since the endpoint was made. Segments are TCP segments; bytes are payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Stats {
    /// Segments sent, of every kind.
    pub segments_sent: u64,
    /// Segments with payload sent, retransmissions included.
    pub data_segments_sent: u64,
    /// Segments with payload sent again.
    pub segments_retransmitted: u64,
    /// Payload sent, retransmissions included.
    pub bytes_sent: u64,
    /// Payload sent again.
    pub bytes_retransmitted: u64,
    /// Payload acknowledged by the peer, each byte once.
    pub bytes_acked: u64,
    /// Well-formed segments of this connection received.
    pub segments_received: u64,
    /// Payload received in order, each byte once.
    pub bytes_delivered: u64,
    /// Segments received with nothing new in their payload.
    pub duplicate_segments: u64,
    /// Segments received beyond a gap.
    pub out_of_order_segments: u64,
    /// Data segments dropped for want of room for another out-of-order range.
    pub ranges_exhausted: u64,
    /// Segments dropped because they were outside the window or acknowledged what was never sent.
    pub unacceptable_segments: u64,
    /// Packets dropped because headers, lengths or checksums were wrong.
    pub malformed_packets: u64,
    /// Packets dropped because they belong to another connection.
    pub foreign_packets: u64,
    /// Data segments received with ECT(1).
    pub received_ect1: u64,
    /// Data segments received with CE.
    pub received_ce: u64,
    /// ACKs received that reported incipient congestion.
    pub echoed_incipient: u64,
    /// ACKs received that reported moderate congestion (in classic ECN, ECE).
    pub echoed_moderate: u64,
    /// Duplicate ACKs received.
    pub dup_acks: u64,
    /// Expiries of the retransmission timer, of SYNs too.
    pub timeouts: u64,
    /// Fast retransmits.
    pub fast_retransmits: u64,
    /// Reductions of the window.
    pub reductions: Reductions,
    /// Partial ACKs in the recovery of NewReno or SACK.
    pub partial_acks: u64,
    /// Times that the window fell back to the initial window after idleness.
    pub idle_restarts: u64,
    /// Challenge ACKs sent (RFC 5961).
    pub challenge_acks: u64,
    /// Times that sending was held back with a window of one segment (RFC 3168, section 6.1.2).
    pub holds: u64,
    /// Events overwritten because they were not polled in time.
    pub events_lost: u64,
}

/// Why the congestion window or the threshold changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WindowCause {
    /// Set at the start of the connection.
    Initial,
    /// Grown in slow start.
    SlowStart,
    /// Grown in congestion avoidance.
    CongestionAvoidance,
    /// Cut by an ECN mark of this level.
    Ecn(Level),
    /// Third duplicate ACK: cut, and inflated by three segments. Not a cut (`reduced` false) if the
    /// congestion of this window of data had been answered before.
    FastRetransmit {
        /// Whether ssthresh was lowered.
        reduced: bool,
    },
    /// Inflated by a further duplicate ACK.
    Inflation,
    /// Deflated at the end of fast recovery.
    Deflation,
    /// Retransmission timeout.
    Timeout,
    /// Deflated by a partial ACK in NewReno's recovery.
    PartialAck,
    /// Back to the initial window after a time without sending.
    Idle,
}

/// What happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventKind {
    /// The connection's state changed. Reported always.
    State(State),
    /// The window changed. Reported with `Config::trace`.
    Window {
        /// Why.
        cause: WindowCause,
        /// Congestion window after it, in bytes.
        cwnd: u32,
        /// Slow start threshold after it, in bytes.
        ssthresh: u32,
        /// Bytes sent and not acknowledged.
        flight: u32,
        /// Smoothed round-trip time in nanoseconds, 0 before the first measurement.
        srtt: u64,
    },
    /// A round-trip time was measured. Reported with `Config::trace`.
    Rtt {
        /// The measurement in nanoseconds, before rounding to clock ticks.
        sample: u64,
        /// Smoothed, in nanoseconds.
        srtt: u64,
        /// Retransmission timeout in nanoseconds.
        rto: u64,
    },
}

/// An event with its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// Nanoseconds, as given to the call in which it happened.
    pub at: u64,
    /// What happened.
    pub kind: EventKind,
}

const CAPACITY: usize = 8;

/// The latest events: a ring that overwrites the oldest. One call produces fewer than it holds.
#[derive(Clone, Debug)]
pub(crate) struct EventRing {
    slots: [Option<Event>; CAPACITY],
    head: usize,
    len: usize,
}

impl EventRing {
    pub(crate) const fn new() -> Self {
        Self {
            slots: [None; CAPACITY],
            head: 0,
            len: 0,
        }
    }

    /// Returns whether an event was overwritten.
    pub(crate) fn push(&mut self, event: Event) -> bool {
        let overwritten = self.len == CAPACITY;
        if overwritten {
            self.head = (self.head + 1) % CAPACITY;
            self.len -= 1;
        }
        self.slots[(self.head + self.len) % CAPACITY] = Some(event);
        self.len += 1;
        overwritten
    }

    pub(crate) fn pop(&mut self) -> Option<Event> {
        let event = self.slots[self.head].take()?;
        self.head = (self.head + 1) % CAPACITY;
        self.len -= 1;
        Some(event)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ring_keeps_the_latest_in_order() {
        let mut ring = EventRing::new();
        for at in 0..11 {
            let lost = ring.push(Event {
                at,
                kind: EventKind::State(State::Listen),
            });
            assert_eq!(lost, at >= 8);
        }
        let times: Vec<_> = std::iter::from_fn(|| ring.pop()).map(|e| e.at).collect();
        assert_eq!(times, [3, 4, 5, 6, 7, 8, 9, 10]);
        assert!(ring.pop().is_none());
    }
}
