// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Links: transmitters that take the time a frame needs, wires that delay it.

use std::collections::VecDeque;

/// Rate and length accounting of one direction of a link.
#[derive(Clone, Debug)]
pub(crate) struct Transmitter {
    rate_bps: u64,
    overhead_bytes: i32,
    free_at: u64,
    /// What the end of the last transmission lies after `free_at`, in 1/`rate_bps` nanoseconds.
    remainder: u64,
}

impl Transmitter {
    /// `rate_bps` must not be 0.
    pub(crate) fn new(rate_bps: u64, overhead_bytes: i32) -> Self {
        Self {
            rate_bps,
            overhead_bytes,
            free_at: 0,
            remainder: 0,
        }
    }

    /// Whether a frame that came now would have to wait.
    pub(crate) fn busy(&self, now: u64) -> bool {
        self.free_at > now
    }

    /// Transmits a frame of `len` bytes as soon as all earlier ones are out; returns the nanoseconds in which it starts and
    /// ends. Fractions of a nanosecond are carried over within a busy period, so a long one has no drift.
    pub(crate) fn transmit(&mut self, now: u64, len: u32) -> (u64, u64) {
        if now > self.free_at {
            self.free_at = now;
            self.remainder = 0;
        }
        let start = self.free_at;
        let bits = (i64::from(len) + i64::from(self.overhead_bytes)).max(0) as u64 * 8;
        let units = u128::from(bits) * 1_000_000_000 + u128::from(self.remainder);
        let (whole, remainder) = match u64::try_from(units) {
            Ok(units) => (units / self.rate_bps, units % self.rate_bps),
            // A division of 128 bits is several times slower; only a frame of 2 GB needs it.
            Err(_) => {
                let rate = u128::from(self.rate_bps);
                let whole = u64::try_from(units / rate).unwrap_or(u64::MAX);
                (whole, (units % rate) as u64)
            }
        };
        self.free_at = start.saturating_add(whole);
        self.remainder = remainder;
        (start, self.free_at)
    }
}

/// Where a wire ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    Switch { index: u32, port: u16 },
    Host(u32),
}

/// Propagation in one direction. Frames arrive in the order in which they were sent.
#[derive(Debug)]
pub(crate) struct Wire<T> {
    pub(crate) delay: u64,
    pub(crate) to: End,
    in_flight: VecDeque<InFlight<T>>,
}

#[derive(Debug)]
struct InFlight<T> {
    arrival: u64,
    sequence: u64,
    frame: T,
}

impl<T> Wire<T> {
    pub(crate) fn new(delay: u64, to: End) -> Self {
        Self {
            delay,
            to,
            in_flight: VecDeque::new(),
        }
    }

    /// Sends a frame whose last bit leaves at `end`. Returns the time to announce its arrival for, if it is the only one
    /// on the wire; that of a later one is announced when the one before it has arrived.
    pub(crate) fn send(&mut self, end: u64, sequence: u64, frame: T) -> Option<u64> {
        let arrival = end.saturating_add(self.delay);
        let first = self.in_flight.is_empty();
        self.in_flight.push_back(InFlight {
            arrival,
            sequence,
            frame,
        });
        first.then_some(arrival)
    }

    /// Takes off the oldest frame.
    pub(crate) fn receive(&mut self) -> Option<T> {
        self.in_flight.pop_front().map(|entry| entry.frame)
    }

    /// Arrival time and sequence number of the oldest frame.
    pub(crate) fn next(&self) -> Option<(u64, u64)> {
        self.in_flight
            .front()
            .map(|entry| (entry.arrival, entry.sequence))
    }

    /// Frames on the wire, or waiting for it in a host.
    pub(crate) fn len(&self) -> usize {
        self.in_flight.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transmission_takes_bits_over_rate() {
        let mut tx = Transmitter::new(1_500_000, -14);
        // 1000 bytes of IP at 1.5 Mbps: 5 333 333 1/3 ns.
        assert_eq!(tx.transmit(0, 1014), (0, 5_333_333));
        assert_eq!(tx.transmit(0, 1014), (5_333_333, 10_666_666));
        assert_eq!(tx.transmit(0, 1014), (10_666_666, 16_000_000));
    }

    #[test]
    fn huge_frames_take_the_long_division() {
        // 2^32 - 1 bytes at 10^15 bps: 34 359 738.36 us.
        let mut tx = Transmitter::new(1_000_000_000_000_000, 0);
        assert_eq!(tx.transmit(0, u32::MAX), (0, 34_359));
        assert_eq!(tx.transmit(0, u32::MAX), (34_359, 68_719));
    }

    #[test]
    fn idle_time_forgets_the_fraction() {
        let mut tx = Transmitter::new(1_500_000, -14);
        tx.transmit(0, 1014);
        assert_eq!(tx.transmit(6_000_000, 1014), (6_000_000, 11_333_333));
    }

    #[test]
    fn overhead_below_the_length_takes_no_time() {
        let mut tx = Transmitter::new(1, -14);
        assert_eq!(tx.transmit(7, 10), (7, 7));
    }

    #[test]
    fn a_wire_announces_one_arrival_at_a_time() {
        let mut wire = Wire::new(100, End::Host(0));
        assert_eq!(wire.send(5, 0, 'a'), Some(105));
        assert_eq!(wire.send(9, 1, 'b'), None);
        assert_eq!(wire.receive(), Some('a'));
        assert_eq!(wire.next(), Some((109, 1)));
    }
}
