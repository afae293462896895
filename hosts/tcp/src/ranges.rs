// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Sets of positions as sorted ranges: what a receiver holds beyond a gap, what a sender knows to have arrived.

/// What became of a range that was to be added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Insertion {
    /// Some of it is new.
    Added,
    /// It was all there.
    Contained,
    /// It would have needed one range more than the bound.
    NoRoom,
}

/// Sorted ranges `start..end` that neither touch nor overlap, at most a given number of them.
#[derive(Clone, Debug)]
pub(crate) struct RangeSet {
    ranges: Vec<(u64, u64)>,
    max_ranges: usize,
}

impl RangeSet {
    pub(crate) const fn new(max_ranges: usize) -> Self {
        Self {
            ranges: Vec::new(),
            max_ranges,
        }
    }

    pub(crate) fn as_slice(&self) -> &[(u64, u64)] {
        &self.ranges
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }

    /// Adds `start..end`, `end > start`.
    pub(crate) fn insert(&mut self, start: u64, end: u64) -> Insertion {
        // Ranges first..last touch or overlap start..end. Mostly that is the end of the list.
        let first = self.ranges.partition_point(|r| r.1 < start);
        let last = self.ranges.partition_point(|r| r.0 <= end);
        match self.ranges.get(first..last) {
            Some([only]) if only.0 <= start && end <= only.1 => Insertion::Contained,
            Some([from, .., to] | [from @ to]) => {
                let merged = (from.0.min(start), to.1.max(end));
                self.ranges[first] = merged;
                self.ranges.drain(first + 1..last);
                Insertion::Added
            }
            _ if self.ranges.len() >= self.max_ranges => Insertion::NoRoom,
            _ => {
                self.ranges.insert(first, (start, end));
                Insertion::Added
            }
        }
    }

    /// Takes out the ranges that begin at or before `position`, and returns the end of the last of them.
    pub(crate) fn take_reached(&mut self, position: u64) -> Option<u64> {
        let passed = self.ranges.iter().take_while(|r| r.0 <= position).count();
        let last = passed.checked_sub(1).and_then(|i| self.ranges.get(i));
        let end = last.map(|r| r.1);
        self.ranges.drain(..passed);
        end
    }

    /// Forgets everything below `position`.
    pub(crate) fn remove_below(&mut self, position: u64) {
        let gone = self.ranges.partition_point(|r| r.1 <= position);
        self.ranges.drain(..gone);
        if let Some(first) = self.ranges.first_mut() {
            first.0 = first.0.max(position);
        }
    }

    /// The range that holds `position`.
    pub(crate) fn containing(&self, position: u64) -> Option<(u64, u64)> {
        let at = self.ranges.partition_point(|r| r.1 <= position);
        self.ranges.get(at).copied().filter(|r| r.0 <= position)
    }

    /// Positions in the set below `position`.
    pub(crate) fn count_below(&self, position: u64) -> u64 {
        let below = self.ranges.iter().take_while(|r| r.0 < position);
        below.map(|r| r.1.min(position) - r.0).sum()
    }

    pub(crate) fn clear(&mut self) {
        self.ranges.clear();
    }
}
