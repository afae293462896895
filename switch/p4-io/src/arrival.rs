// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! The link towards a port: frames reach the switch as late as a wire of its rate and delay would make them.
//!
//! The far end of a virtual interface sends at once and without delay. Here its frames are sent one after
//! the other at the link's rate, from a queue in front of it, and then take the propagation delay. The queue
//! holds as many frames as the settings say, and all frames of a link are at most [`MAX_WAITING`].

use std::collections::VecDeque;
use std::sync::atomic::{AtomicI64, AtomicU32, AtomicU64, Ordering::Relaxed};

/// Frames that wait in a link at most; what comes then is lost and counted.
const MAX_WAITING: usize = 16_384;

/// What other threads may set.
#[derive(Debug, Default)]
pub(crate) struct ArrivalSettings {
    /// Bits per second; 0: unlimited.
    pub rate_bps: AtomicU64,
    /// Propagation delay in nanoseconds.
    pub delay_ns: AtomicU64,
    /// Added to a frame's length for the rate.
    pub overhead_bytes: AtomicI64,
    /// Frames that the queue holds, the one that is being sent not counted; 0: no such limit.
    pub limit_packets: AtomicU32,
}

/// A frame on its way.
#[derive(Debug)]
struct Waiting {
    /// When its last bit has been sent.
    sent_ns: u64,
    /// When it reaches the switch.
    due_ns: u64,
    bytes: Vec<u8>,
}

/// Frames on their way to a port.
#[derive(Debug, Default)]
pub(crate) struct Arrivals {
    waiting: VecDeque<Waiting>,
    /// The first so many have left the queue: they are being sent no longer.
    sent: usize,
    /// When the last bit of the last frame was sent: whole nanoseconds, and a remainder in units of
    /// 1 ns / rate.
    busy_ns: u64,
    busy_rem: u64,
}

impl Arrivals {
    /// Whether a frame would reach the switch at once.
    pub fn is_plain(&self, settings: &ArrivalSettings) -> bool {
        self.waiting.is_empty()
            && settings.rate_bps.load(Relaxed) == 0
            && settings.delay_ns.load(Relaxed) == 0
    }

    /// A frame enters the link at `now_ns`. Gives it back if the queue is full.
    pub fn push(
        &mut self,
        settings: &ArrivalSettings,
        frame: Vec<u8>,
        now_ns: u64,
    ) -> Result<(), Vec<u8>> {
        let in_time = |of: &Waiting| of.sent_ns <= now_ns;
        while self.waiting.get(self.sent).is_some_and(in_time) {
            self.sent += 1;
        }
        let limit = settings.limit_packets.load(Relaxed) as usize;
        let queued = self.waiting.len() - self.sent;
        if self.waiting.len() >= MAX_WAITING || (limit != 0 && queued > limit) {
            return Err(frame);
        }
        if self.busy_ns <= now_ns {
            self.busy_ns = now_ns;
            self.busy_rem = 0;
        }
        let rate = settings.rate_bps.load(Relaxed);
        if rate != 0 {
            let length = frame.len() as i64 + settings.overhead_bytes.load(Relaxed);
            let bits = 8 * u128::from(length.max(0).unsigned_abs());
            // A remainder of another rate is less than a nanosecond.
            let time = bits * 1_000_000_000 + u128::from(self.busy_rem.min(rate - 1));
            let whole = u64::try_from(time / u128::from(rate)).unwrap_or(u64::MAX);
            self.busy_ns = self.busy_ns.saturating_add(whole);
            self.busy_rem = (time % u128::from(rate)) as u64;
        }
        let due = self.busy_ns.saturating_add(settings.delay_ns.load(Relaxed));
        // A link does not reorder, also when its delay is shortened.
        let last = self.waiting.back().map_or(0, |of| of.due_ns);
        self.waiting.push_back(Waiting {
            sent_ns: self.busy_ns,
            due_ns: due.max(last),
            bytes: frame,
        });
        Ok(())
    }

    /// When the next frame reaches the switch.
    pub fn next_due(&self) -> Option<u64> {
        self.waiting.front().map(|of| of.due_ns)
    }

    /// The next frame, and when it reaches the switch.
    pub fn pop(&mut self) -> Option<(u64, Vec<u8>)> {
        let first = self.waiting.pop_front()?;
        self.sent = self.sent.saturating_sub(1);
        Some((first.due_ns, first.bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(rate_bps: u64, delay_ns: u64, overhead_bytes: i64) -> ArrivalSettings {
        ArrivalSettings {
            rate_bps: rate_bps.into(),
            delay_ns: delay_ns.into(),
            overhead_bytes: overhead_bytes.into(),
            limit_packets: 0.into(),
        }
    }

    fn dues(settings: &ArrivalSettings, frames: &[(u64, usize)]) -> Vec<u64> {
        let mut link = Arrivals::default();
        for &(at, length) in frames {
            link.push(settings, vec![0; length], at).unwrap();
        }
        std::iter::from_fn(|| link.pop().map(|(due, _)| due)).collect()
    }

    #[test]
    fn frames_are_sent_one_after_the_other_and_then_take_the_delay() {
        // 1000 bytes of IP take 0.8 ms at 10 Mbit/s; the third comes when the link is idle again.
        let link = settings(10_000_000, 2_000_000, -14);
        let found = dues(&link, &[(0, 1014), (100, 1014), (5_000_000, 1014)]);
        assert_eq!(found, [2_800_000, 3_600_000, 7_800_000]);
    }

    #[test]
    fn fractions_of_nanoseconds_add_up() {
        // 8 bits at 3 bit/ns: 8/3 ns each.
        let link = settings(3_000_000_000, 0, 0);
        assert_eq!(dues(&link, &[(0, 1); 6]), [2, 5, 8, 10, 13, 16]);
    }

    #[test]
    fn a_shorter_delay_does_not_let_frames_overtake() {
        let mut link = Arrivals::default();
        link.push(&settings(0, 1000, 0), vec![1], 0).unwrap();
        link.push(&settings(0, 10, 0), vec![2], 5).unwrap();
        assert_eq!(link.pop(), Some((1000, vec![1])));
        assert_eq!(link.pop(), Some((1000, vec![2])));
        assert!(link.is_plain(&settings(0, 0, 0)));
        assert!(!link.is_plain(&settings(0, 1, 0)));
    }

    #[test]
    fn a_full_queue_drops_what_comes_and_not_what_is_under_way() {
        // 1 ms for each frame, and then 100 ms under way: those are in no queue.
        let link = settings(8_000_000, 100_000_000, 0);
        link.limit_packets.store(2, Relaxed);
        let mut arrivals = Arrivals::default();
        let mut push = |at_ms: u64| {
            let pushed = arrivals.push(&link, vec![0; 1000], at_ms * 1_000_000);
            pushed.is_ok()
        };
        assert_eq!([0; 5].map(&mut push), [true, true, true, false, false]);
        assert_eq!([1; 2].map(&mut push), [true, false]);
        assert_eq!([50; 4].map(&mut push), [true, true, true, false]);
        let due = std::iter::from_fn(|| arrivals.pop().map(|(due, _)| due / 1_000_000));
        assert_eq!(due.collect::<Vec<_>>(), [101, 102, 103, 104, 151, 152, 153]);
    }

    #[test]
    fn the_queue_is_bounded() {
        let link = settings(1, 0, 0);
        let mut arrivals = Arrivals::default();
        for _ in 0..MAX_WAITING {
            arrivals.push(&link, Vec::new(), 0).unwrap();
        }
        assert_eq!(arrivals.push(&link, vec![7], 0), Err(vec![7]));
    }
}
