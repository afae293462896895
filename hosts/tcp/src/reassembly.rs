// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Out-of-order data at the receiver, as ranges of positions; no bytes are stored.

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

/// The next expected position, and the ranges beyond it: sorted, apart from one another.
#[derive(Clone, Debug)]
pub(crate) struct Reassembly {
    next: u64,
    ranges: Vec<(u64, u64)>,
    max_ranges: usize,
}

impl Reassembly {
    pub(crate) const fn new(next: u64, max_ranges: usize) -> Self {
        Self {
            next,
            ranges: Vec::new(),
            max_ranges,
        }
    }

    /// First position not received.
    pub(crate) const fn next(&self) -> u64 {
        self.next
    }

    /// Takes positions `start..end`, `end > start`.
    pub(crate) fn insert(&mut self, start: u64, end: u64) -> Arrival {
        if end <= self.next {
            return Arrival::Duplicate;
        }
        if start <= self.next {
            let filled_gap = !self.ranges.is_empty();
            self.next = end;
            let passed = self.ranges.iter().take_while(|r| r.0 <= end).count();
            if let Some(last) = passed.checked_sub(1).and_then(|i| self.ranges.get(i)) {
                self.next = end.max(last.1);
            }
            self.ranges.drain(..passed);
            return Arrival::Advanced { filled_gap };
        }
        // Ranges first..last touch or overlap start..end. Mostly that is the end of the list.
        let first = self.ranges.partition_point(|r| r.1 < start);
        let last = self.ranges.partition_point(|r| r.0 <= end);
        match self.ranges.get(first..last) {
            Some([only]) if only.0 <= start && end <= only.1 => Arrival::Duplicate,
            Some([from, .., to] | [from @ to]) => {
                let merged = (from.0.min(start), to.1.max(end));
                self.ranges[first] = merged;
                self.ranges.drain(first + 1..last);
                Arrival::OutOfOrder
            }
            _ if self.ranges.len() >= self.max_ranges => Arrival::NoRoom,
            _ => {
                self.ranges.insert(first, (start, end));
                Arrival::OutOfOrder
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
        assert_eq!((r.next(), r.ranges.len()), (11, 0));
    }

    #[test]
    fn number_of_ranges_is_bounded() {
        let mut r = Reassembly::new(0, 2);
        assert_eq!(r.insert(2, 3), Arrival::OutOfOrder);
        assert_eq!(r.insert(4, 5), Arrival::OutOfOrder);
        assert_eq!(r.insert(6, 7), Arrival::NoRoom);
        assert_eq!(r.insert(3, 4), Arrival::OutOfOrder);
        assert_eq!(r.ranges, [(2, 5)]);
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
                for &(a, b) in &r.ranges {
                    prop_assert!(before < a && a < b);
                    prop_assert!(bitmap[a as usize..b as usize].iter().all(|x| *x));
                    before = b;
                }
                let kept: u64 = r.ranges.iter().map(|x| x.1 - x.0).sum();
                prop_assert_eq!(next + kept, bitmap.iter().filter(|b| **b).count() as u64);
            }
        }
    }
}
