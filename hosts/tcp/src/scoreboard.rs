// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! The sender's scoreboard of selective acknowledgments (RFC 6675, sections 3 and 4), in positions.
//!
//! The RFC's HighACK is `una - 1` here, its HighData `max - 1`; `high_rxt` and `rescue_rxt` are one past the
//! octets that the RFC names.

use crate::ranges::{Insertion, RangeSet};

/// Discontiguous blocks, or segments' worth of octets, above a gap that make it a loss (RFC 6675, section 2).
pub(crate) const DUP_THRESH: u32 = 3;

/// What has arrived beyond the cumulative acknowledgment, and what has been sent again.
#[derive(Clone, Debug)]
pub(crate) struct Scoreboard {
    sacked: RangeSet,
    high_rxt: u64,
    rescue_rxt: u64,
}

/// What the next segment in loss recovery is to carry (NextSeg of RFC 6675, section 4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NextSeg {
    /// These positions again: rules 1 and 3.
    Retransmit { start: u64, end: u64 },
    /// Data never sent before: rule 2.
    New,
    /// The last positions outstanding, once: rule 4.
    Rescue { start: u64, end: u64 },
}

impl Scoreboard {
    pub(crate) const fn new(max_ranges: usize) -> Self {
        Self {
            sacked: RangeSet::new(max_ranges),
            high_rxt: 0,
            rescue_rxt: 0,
        }
    }

    /// A block was reported. Returns whether it says anything new.
    pub(crate) fn report(&mut self, start: u64, end: u64) -> bool {
        self.sacked.insert(start, end) == Insertion::Added
    }

    /// Everything below `una` is acknowledged.
    pub(crate) fn advance(&mut self, una: u64) {
        self.sacked.remove_below(una);
    }

    /// After a timeout what was reported no longer counts: a receiver may drop it (RFC 2018, section 8).
    pub(crate) fn clear(&mut self) {
        self.sacked.clear();
        self.high_rxt = 0;
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.sacked.is_empty()
    }

    /// The reported range that holds `position`.
    pub(crate) fn containing(&self, position: u64) -> Option<(u64, u64)> {
        self.sacked.containing(position)
    }

    /// Where the first reported range above `position` begins.
    pub(crate) fn next_start(&self, position: u64) -> Option<u64> {
        let ranges = self.sacked.as_slice();
        let at = ranges.partition_point(|r| r.0 <= position);
        ranges.get(at).map(|r| r.0)
    }

    /// Reported positions below `position`.
    pub(crate) fn sacked_below(&self, position: u64) -> u64 {
        self.sacked.count_below(position)
    }

    /// Loss recovery begins with the retransmission of what ends before `end` (section 5, step 4.3).
    pub(crate) fn enter_recovery(&mut self, end: u64) {
        self.high_rxt = end;
        self.rescue_rxt = end;
    }

    /// `end` is the end of what was sent again by rule 1 or 3, or after a timeout.
    pub(crate) fn retransmitted(&mut self, end: u64) {
        self.high_rxt = self.high_rxt.max(end);
    }

    /// The rescue retransmission was used.
    pub(crate) fn rescued(&mut self, recovery_point: u64) {
        self.rescue_rxt = recovery_point;
    }

    /// IsLost(position): three discontiguous blocks, or more than two segments' octets, lie above it.
    pub(crate) fn is_lost(&self, position: u64, smss: u32) -> bool {
        let ranges = self.sacked.as_slice();
        let above = &ranges[ranges.partition_point(|r| r.1 <= position)..];
        let octets: u64 = above.iter().map(|r| r.1 - r.0.max(position)).sum();
        above.len() >= DUP_THRESH as usize || octets > u64::from((DUP_THRESH - 1) * smss)
    }

    /// SetPipe(): octets that are thought to be in the network, of those in `una..max`.
    pub(crate) fn pipe(&self, una: u64, max: u64, smss: u32) -> u64 {
        let ranges = self.sacked.as_slice();
        // Gaps from the highest down: whatever lies above the last block is not lost.
        let mut gap_end = max;
        let (mut blocks, mut octets, mut pipe) = (0, 0, 0);
        let below = ranges.iter().rev().map(|r| (r.0, r.1));
        for (start, end) in below.chain([(una, una)]) {
            let lost = blocks >= DUP_THRESH || octets > u64::from((DUP_THRESH - 1) * smss);
            let gap = gap_end.saturating_sub(end);
            let again = self.high_rxt.min(gap_end).saturating_sub(end);
            pipe += if lost { again } else { gap + again };
            blocks += 1;
            octets += end - start;
            gap_end = start;
        }
        pipe
    }

    /// NextSeg(): `new_data` says whether rule 2 could be followed. A retransmission is at most `smss` long and
    /// ends where the next reported block begins.
    pub(crate) fn next_seg(
        &self,
        una: u64,
        max: u64,
        smss: u32,
        new_data: bool,
    ) -> Option<NextSeg> {
        let from = self.high_rxt.max(una);
        let start = self.containing(from).map_or(from, |r| r.1);
        // rules 1.a and 1.b: a gap, below the highest reported block
        let gap = self.next_start(start).map(|end| NextSeg::Retransmit {
            start,
            end: end.min(start + u64::from(smss)),
        });
        if gap.is_some() && self.is_lost(start, smss) {
            return gap;
        }
        if new_data {
            return Some(NextSeg::New);
        }
        if gap.is_some() {
            return gap;
        }
        if una > self.rescue_rxt && una < max {
            // the segment with the highest position that was not reported
            let (end, floor) = match self.containing(max - 1) {
                Some(last) => {
                    let before = self.sacked.as_slice().iter().rev().nth(1);
                    (last.0, before.map_or(una, |r| r.1))
                }
                None => {
                    let last = self.sacked.as_slice().last();
                    (max, last.map_or(una, |r| r.1))
                }
            };
            let start = end.saturating_sub(u64::from(smss)).max(floor);
            return (start < end).then_some(NextSeg::Rescue { start, end });
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const SMSS: u32 = 10;

    /// Section 4's definitions taken literally, octet by octet.
    struct Octets {
        una: u64,
        max: u64,
        high_rxt: u64,
        sacked: Vec<bool>,
    }

    impl Octets {
        fn is_lost(&self, seq: u64) -> bool {
            let above = &self.sacked[seq as usize..];
            let octets = above.iter().filter(|s| **s).count();
            let runs = (0..above.len())
                .filter(|&i| above[i] && (i == 0 || !above[i - 1]))
                .count();
            runs >= 3 || octets > 2 * SMSS as usize
        }

        fn pipe(&self) -> u64 {
            let unsacked = (self.una..self.max).filter(|s| !self.sacked[*s as usize]);
            unsacked
                .map(|s| u64::from(!self.is_lost(s)) + u64::from(s < self.high_rxt))
                .sum()
        }

        /// Rules 1 and 3: first octet to send.
        fn gap(&self) -> Option<u64> {
            let highest = self.sacked.iter().rposition(|s| *s)? as u64;
            (self.una.max(self.high_rxt)..highest).find(|s| !self.sacked[*s as usize])
        }
    }

    proptest! {
        #[test]
        fn agrees_with_the_definitions(
            una in 0u64..20,
            blocks in prop::collection::vec((0u64..100, 1u64..25), 0..6),
            high in 0u64..130,
            new_data: bool,
        ) {
            let max = 130;
            let mut board = Scoreboard::new(100);
            let mut octets = Octets { una, max, high_rxt: high, sacked: vec![false; max as usize] };
            for (start, len) in blocks {
                // above una, with a gap: what begins at una would have been acknowledged
                let (start, end) = (una + 1 + start, (una + 1 + start + len).min(max));
                if start >= end {
                    continue;
                }
                let news = octets.sacked[start as usize..end as usize].iter().any(|s| !s);
                octets.sacked[start as usize..end as usize].fill(true);
                prop_assert_eq!(board.report(start, end), news);
            }
            board.enter_recovery(high);
            prop_assert_eq!(board.pipe(una, max, SMSS), octets.pipe());
            for seq in una..max {
                if !octets.sacked[seq as usize] {
                    prop_assert_eq!(board.is_lost(seq, SMSS), octets.is_lost(seq));
                }
            }
            let expected = match octets.gap() {
                Some(start) if octets.is_lost(start) || !new_data => Some(start),
                _ => None,
            };
            match board.next_seg(una, max, SMSS, new_data) {
                Some(NextSeg::Retransmit { start, end }) => {
                    prop_assert_eq!(Some(start), expected);
                    prop_assert!(end - start <= SMSS.into() && start < end);
                    prop_assert!((start..end).all(|s| !octets.sacked[s as usize]));
                }
                Some(NextSeg::New) => prop_assert!(new_data && expected.is_none()),
                Some(NextSeg::Rescue { start, end }) => {
                    prop_assert!(!new_data && expected.is_none() && una > high);
                    let highest = (una..max).rev().find(|s| !octets.sacked[*s as usize]);
                    prop_assert_eq!(highest, Some(end - 1));
                    prop_assert!((start..end).all(|s| !octets.sacked[s as usize]));
                    prop_assert!(end - start <= SMSS.into());
                }
                None => prop_assert!(!new_data && expected.is_none()),
            }
            // what is acknowledged is forgotten
            board.advance(una + 40);
            octets.una = una + 40;
            octets.sacked[..(una as usize + 40).min(max as usize)].fill(false);
            prop_assert_eq!(board.pipe(una + 40, max, SMSS), octets.pipe());
        }
    }
}
