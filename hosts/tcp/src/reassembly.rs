// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Out-of-order data at the receiver, as ranges of positions; no bytes are stored.

use crate::ranges::{Insertion, RangeSet};
use crate::wire::MAX_SACK_BLOCKS;

/// What became of a segment's data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Arrival {
    /// The next expected position moved; `filled_gap` if out-of-order data became deliverable or remains.
    Advanced {
        /// The segment filled all or part of a gap (RFC 5681, section 4.2: acknowledge at once).
        filled_gap: bool,
    },
    /// Kept, beyond a gap.
    OutOfOrder,
    /// Nothing new in it.
    Duplicate,
    /// It would have needed one range more than the bound.
    NoRoom,
}

/// The next expected position, and the ranges beyond it.
#[derive(Clone, Debug)]
pub(crate) struct Reassembly {
    next: u64,
    ranges: RangeSet,
    /// A position in each of the ranges that changed last, the latest first.
    recent: [u64; MAX_SACK_BLOCKS],
}

impl Reassembly {
    pub(crate) const fn new(next: u64, max_ranges: usize) -> Self {
        Self {
            next,
            ranges: RangeSet::new(max_ranges),
            recent: [0; MAX_SACK_BLOCKS],
        }
    }

    /// First position not received.
    pub(crate) const fn next(&self) -> u64 {
        self.next
    }

    /// Whether data beyond a gap is held.
    pub(crate) fn has_gap(&self) -> bool {
        !self.ranges.is_empty()
    }

    /// Takes positions `start..end`, `end > start`.
    pub(crate) fn insert(&mut self, start: u64, end: u64) -> Arrival {
        if end <= self.next {
            return Arrival::Duplicate;
        }
        if start <= self.next {
            let filled_gap = !self.ranges.is_empty();
            self.next = self
                .ranges
                .take_reached(end)
                .map_or(end, |reached| end.max(reached));
            return Arrival::Advanced { filled_gap };
        }
        match self.ranges.insert(start, end) {
            Insertion::NoRoom => Arrival::NoRoom,
            insertion => {
                self.recent.copy_within(..MAX_SACK_BLOCKS - 1, 1);
                self.recent[0] = start;
                if insertion == Insertion::Contained {
                    Arrival::Duplicate
                } else {
                    Arrival::OutOfOrder
                }
            }
        }
    }

    /// The ranges for a SACK option: first the one that the latest segment belongs to, then those reported
    /// most recently, each once (RFC 2018, section 4).
    pub(crate) fn sack_ranges(&self, mut report: impl FnMut(u64, u64)) {
        let mut reported = [(0, 0); MAX_SACK_BLOCKS];
        let mut count = 0;
        let newest = self.recent.iter();
        for range in newest.filter_map(|&position| self.ranges.containing(position)) {
            if !reported[..count].contains(&range) {
                reported[count] = range;
                count += 1;
                report(range.0, range.1);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn gap_is_filled() {
        let mut r = Reassembly::new(1, 8);
        assert_eq!(r.insert(1, 3), Arrival::Advanced { filled_gap: false });
        assert_eq!(r.insert(5, 7), Arrival::OutOfOrder);
        assert_eq!(r.insert(5, 7), Arrival::Duplicate);
        assert_eq!(r.insert(1, 3), Arrival::Duplicate);
        assert_eq!(r.insert(9, 11), Arrival::OutOfOrder);
        assert_eq!(r.insert(3, 5), Arrival::Advanced { filled_gap: true });
        assert_eq!(r.next(), 7);
        assert_eq!(r.insert(7, 8), Arrival::Advanced { filled_gap: true });
        assert_eq!(r.insert(8, 10), Arrival::Advanced { filled_gap: true });
        assert_eq!((r.next(), r.ranges.as_slice().len()), (11, 0));
    }

    #[test]
    fn number_of_ranges_is_bounded() {
        let mut r = Reassembly::new(0, 2);
        assert_eq!(r.insert(2, 3), Arrival::OutOfOrder);
        assert_eq!(r.insert(4, 5), Arrival::OutOfOrder);
        assert_eq!(r.insert(6, 7), Arrival::NoRoom);
        assert_eq!(r.insert(3, 4), Arrival::OutOfOrder);
        assert_eq!(r.ranges.as_slice(), [(2, 5)]);
    }

    /// RFC 2018, section 4: the block of the latest segment first, then the most recently reported ones.
    #[test]
    fn latest_block_comes_first() {
        let blocks = |r: &Reassembly| {
            let mut blocks = Vec::new();
            r.sack_ranges(|start, end| blocks.push((start, end)));
            blocks
        };
        let mut r = Reassembly::new(0, 8);
        assert_eq!(blocks(&r), []);
        for start in [10, 20, 30, 40, 50] {
            r.insert(start, start + 5);
        }
        assert_eq!(blocks(&r), [(50, 55), (40, 45), (30, 35), (20, 25)]);
        r.insert(22, 24); // a duplicate: its block is the latest
        assert_eq!(blocks(&r), [(20, 25), (50, 55), (40, 45), (30, 35)]);
        r.insert(35, 40); // joins two
        assert_eq!(blocks(&r), [(30, 45), (20, 25), (50, 55)]);
        r.insert(0, 30);
        assert_eq!(r.next(), 45);
        assert_eq!(blocks(&r), [(50, 55)]);
    }

    proptest! {
        #[test]
        fn agrees_with_a_bitmap(segments in prop::collection::vec((0u64..60, 1u64..12), 1..60)) {
            let mut r = Reassembly::new(0, 100);
            let mut bitmap = [false; 80];
            for (start, len) in segments {
                let fresh = (start..start + len).any(|i| !bitmap[i as usize]);
                let arrival = r.insert(start, start + len);
                bitmap[start as usize..(start + len) as usize].fill(true);
                prop_assert_eq!(arrival == Arrival::Duplicate, !fresh);
                let next = bitmap.iter().position(|b| !b).unwrap_or(80) as u64;
                prop_assert_eq!(r.next(), next);
                // sorted, apart, beyond the gap
                let mut before = next;
                for &(a, b) in r.ranges.as_slice() {
                    prop_assert!(before < a && a < b);
                    prop_assert!(bitmap[a as usize..b as usize].iter().all(|x| *x));
                    before = b;
                }
                let kept: u64 = r.ranges.as_slice().iter().map(|x| x.1 - x.0).sum();
                prop_assert_eq!(next + kept, bitmap.iter().filter(|b| **b).count() as u64);
            }
        }
    }
}
