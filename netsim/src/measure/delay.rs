// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Delays of packets: exact mean, percentiles from a histogram with a bound on its relative error.

/// Buckets of each power of two, as a power of two: 256, so a percentile is at most 1/256 too high.
const SUB_BITS: u32 = 8;
const SUB_BUCKETS: usize = 1 << SUB_BITS;

/// Slab and place in it for a value: values below 256 have a bucket each; above, the eight bits after the highest decide.
fn bucket(value: u64) -> (usize, usize) {
    if value < SUB_BUCKETS as u64 {
        return (0, value as usize);
    }
    let shift = value.ilog2() - SUB_BITS;
    (
        1 + shift as usize,
        (value >> shift) as usize & (SUB_BUCKETS - 1),
    )
}

/// Greatest value of a bucket.
fn bucket_end(slab: usize, place: usize) -> u64 {
    if slab == 0 {
        return place as u64;
    }
    let shift = slab - 1;
    let first = ((SUB_BUCKETS + place) as u64) << shift;
    first + ((1_u64 << shift) - 1)
}

/// Counts of the buckets of one power of two, modulo 2^16.
type Slab = Box<[u16; SUB_BUCKETS]>;

/// Collects delays. Memory is taken for a power of two when the first value falls into it, 512 bytes, and for a bucket that fills
/// up, 16 bytes: delays from 1 ms to 16 s take at most 8 kB, however many there are.
#[derive(Clone, Debug)]
pub struct DelayRecorder {
    /// By power of two; as long as the greatest value needs.
    slabs: Vec<Option<Slab>>,
    /// Buckets (slab and place) that were counted beyond 2^16 - 1, and how often: few, since it takes so many packets.
    carries: Vec<(u16, u16, u32)>,
    count: u64,
    sum: u128,
    sum_of_square: u128,
    min: u64,
    max: u64,
    previous: Option<u64>,
    differences: u64,
    sum_of_difference: u128,
}

impl Default for DelayRecorder {
    fn default() -> Self {
        Self {
            slabs: Vec::new(),
            carries: Vec::new(),
            count: 0,
            sum: 0,
            sum_of_square: 0,
            min: u64::MAX,
            max: 0,
            previous: None,
            differences: 0,
            sum_of_difference: 0,
        }
    }
}

impl DelayRecorder {
    /// A packet arrived after `delay` nanoseconds.
    pub fn record(&mut self, delay: u64) {
        let (slab, place) = bucket(delay);
        self.count_in(slab, place);
        self.count += 1;
        self.sum += u128::from(delay);
        self.sum_of_square = self
            .sum_of_square
            .saturating_add(u128::from(delay) * u128::from(delay));
        self.min = self.min.min(delay);
        self.max = self.max.max(delay);
        if let Some(previous) = self.previous {
            self.differences += 1;
            self.sum_of_difference += u128::from(previous.abs_diff(delay));
        }
        self.previous = Some(delay);
    }

    #[inline]
    fn count_in(&mut self, slab: usize, place: usize) {
        if let Some(Some(counts)) = self.slabs.get_mut(slab) {
            let count = &mut counts[place];
            *count = count.wrapping_add(1);
            if *count == 0 {
                self.carry(slab as u16, place as u16);
            }
            return;
        }
        if self.slabs.len() <= slab {
            self.slabs.reserve_exact(slab + 1 - self.slabs.len());
            self.slabs.resize(slab + 1, None);
        }
        let mut counts = Box::new([0; SUB_BUCKETS]);
        counts[place] = 1;
        self.slabs[slab] = Some(counts);
    }

    #[cold]
    fn carry(&mut self, slab: u16, place: u16) {
        let found = self
            .carries
            .iter_mut()
            .find(|(s, p, _)| (*s, *p) == (slab, place));
        match found {
            Some((.., carries)) => *carries = carries.saturating_add(1),
            None => self.carries.push((slab, place, 1)),
        }
    }

    /// Adds the counts of a slab to others.
    fn add_to(&self, slab: usize, counts: &mut [u64; SUB_BUCKETS]) {
        if let Some(Some(own)) = self.slabs.get(slab) {
            for (sum, count) in counts.iter_mut().zip(own.iter()) {
                *sum += u64::from(*count);
            }
        }
        for &(_, place, n) in self.carries.iter().filter(|c| usize::from(c.0) == slab) {
            counts[usize::from(place)] += u64::from(n) << 16;
        }
    }

    /// Forgets all values but the last, with which the next one's difference is taken.
    pub fn restart(&mut self) {
        let previous = self.previous;
        *self = Self {
            previous,
            ..Self::default()
        };
    }

    /// What was collected.
    pub fn stats(&self) -> DelayStats {
        DelayStats::merged(std::iter::once(self))
    }
}

/// Delays of one or more recorders.
#[derive(Clone, Debug, PartialEq)]
pub struct DelayStats {
    /// Non-empty buckets: greatest value in nanoseconds, number of packets.
    histogram: Vec<(u64, u64)>,
    count: u64,
    sum: u128,
    sum_of_square: u128,
    min: u64,
    max: u64,
    differences: u64,
    sum_of_difference: u128,
}

impl Default for DelayStats {
    fn default() -> Self {
        DelayStats {
            histogram: Vec::new(),
            count: 0,
            sum: 0,
            sum_of_square: 0,
            min: u64::MAX,
            max: 0,
            differences: 0,
            sum_of_difference: 0,
        }
    }
}

impl DelayStats {
    /// Statistics of all recorders together. Differences are those of consecutive packets of one recorder.
    pub fn merged<'a>(recorders: impl Iterator<Item = &'a DelayRecorder>) -> Self {
        let recorders: Vec<_> = recorders.collect();
        let mut stats = Self::default();
        let mut slabs = 0;
        for recorder in &recorders {
            stats.add_moments(recorder);
            slabs = slabs.max(recorder.slabs.len());
        }
        for slab in 0..slabs {
            let mut counts = [0; SUB_BUCKETS];
            recorders.iter().for_each(|r| r.add_to(slab, &mut counts));
            let filled = counts.iter().enumerate().filter(|(_, count)| **count > 0);
            let buckets = filled.map(|(place, count)| (bucket_end(slab, place), *count));
            stats.histogram.extend(buckets);
        }
        stats
    }

    fn add_moments(&mut self, recorder: &DelayRecorder) {
        self.count += recorder.count;
        self.sum += recorder.sum;
        self.sum_of_square = self.sum_of_square.saturating_add(recorder.sum_of_square);
        self.min = self.min.min(recorder.min);
        self.max = self.max.max(recorder.max);
        self.differences += recorder.differences;
        self.sum_of_difference += recorder.sum_of_difference;
    }

    /// Number of packets.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Mean in nanoseconds, not touched by the histogram's resolution.
    pub fn mean_ns(&self) -> Option<f64> {
        (self.count > 0).then(|| self.sum as f64 / self.count as f64)
    }

    /// Standard deviation in nanoseconds.
    pub fn std_ns(&self) -> Option<f64> {
        let mean = self.mean_ns()?;
        let count = u128::from(self.count);
        let variance = match (
            count.checked_mul(self.sum_of_square),
            self.sum.checked_mul(self.sum),
        ) {
            (Some(a), Some(b)) => a.saturating_sub(b) as f64 / (count as f64 * count as f64),
            _ => (self.sum_of_square as f64 / count as f64 - mean * mean).max(0.0),
        };
        Some(variance.sqrt())
    }

    /// Least delay, nanoseconds.
    pub fn min_ns(&self) -> Option<u64> {
        (self.count > 0).then_some(self.min)
    }

    /// Greatest delay, nanoseconds.
    pub fn max_ns(&self) -> Option<u64> {
        (self.count > 0).then_some(self.max)
    }

    /// Mean absolute difference of the delays of consecutive packets, nanoseconds (D of RFC 3550, section 6.4.1).
    pub fn jitter_ns(&self) -> Option<f64> {
        (self.differences > 0).then(|| self.sum_of_difference as f64 / self.differences as f64)
    }

    /// Smallest delay that at least `percent` per cent of the packets do not exceed, nanoseconds; at most 1/256 too high, never
    /// above the maximum. `None` without packets or for a `percent` outside `0..=100`.
    pub fn percentile_ns(&self, percent: f64) -> Option<u64> {
        if self.count == 0 || !(0.0..=100.0).contains(&percent) {
            return None;
        }
        let rank = (percent / 100.0 * self.count as f64).ceil().max(1.0) as u64;
        let mut seen = 0;
        for &(end, count) in &self.histogram {
            seen += count;
            if seen >= rank {
                return Some(end.min(self.max));
            }
        }
        Some(self.max)
    }

    /// Non-empty buckets in rising order: greatest value in nanoseconds, number of packets.
    pub fn histogram(&self) -> &[(u64, u64)] {
        &self.histogram
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn moments_by_hand() {
        let mut recorder = DelayRecorder::default();
        for delay in [10, 30, 20] {
            recorder.record(delay);
        }
        let stats = recorder.stats();
        assert_eq!(stats.count(), 3);
        assert_eq!(stats.mean_ns(), Some(20.0));
        assert!((stats.std_ns().unwrap() - f64::sqrt(200.0 / 3.0)).abs() < 1e-12);
        assert_eq!(stats.jitter_ns(), Some(15.0));
        assert_eq!(stats.percentile_ns(50.0), Some(20));
        assert_eq!(stats.percentile_ns(66.0), Some(20));
        assert_eq!(stats.percentile_ns(67.0), Some(30));
        assert_eq!((stats.min_ns(), stats.max_ns()), (Some(10), Some(30)));
    }

    #[test]
    fn nothing_recorded() {
        let stats = DelayRecorder::default().stats();
        assert_eq!(stats.mean_ns(), None);
        assert_eq!(stats.percentile_ns(95.0), None);
        assert_eq!(stats.jitter_ns(), None);
    }

    #[test]
    fn restart_keeps_the_last_value_for_the_difference() {
        let mut recorder = DelayRecorder::default();
        recorder.record(1000);
        recorder.restart();
        recorder.record(1100);
        assert_eq!(recorder.stats().count(), 1);
        assert_eq!(recorder.stats().jitter_ns(), Some(100.0));
    }

    /// A count goes on where 16 bits end, and memory does not grow with the number of packets.
    #[test]
    fn many_packets_are_counted() {
        let mut recorder = DelayRecorder::default();
        let n = 3 * (1 << 16) + 5;
        for _ in 0..n {
            recorder.record(1_000_000);
        }
        recorder.record(2_000_000);
        let end = bucket_end(bucket(1_000_000).0, bucket(1_000_000).1);
        assert_eq!(recorder.stats().histogram()[0], (end, n));
        assert_eq!(recorder.stats().count(), n + 1);
        assert_eq!(recorder.carries.len(), 1);
        assert_eq!(recorder.slabs.iter().flatten().count(), 2);
    }

    proptest! {
        #[test]
        fn percentile_is_close_above(
            mut values in prop::collection::vec(any::<u64>().prop_flat_map(|v| (0..64_u32).prop_map(move |s| v >> s)), 1..200),
            percent in 0.0..=100.0_f64,
        ) {
            let mut recorder = DelayRecorder::default();
            values.iter().for_each(|v| recorder.record(*v));
            let got = recorder.stats().percentile_ns(percent).unwrap();
            values.sort_unstable();
            let rank = ((percent / 100.0 * values.len() as f64).ceil() as usize).max(1);
            let exact = values[rank - 1];
            prop_assert!(got >= exact);
            prop_assert!(got - exact <= exact / 256);
        }

        #[test]
        fn merging_is_recording_together(a in prop::collection::vec(any::<u64>(), 0..50), b in prop::collection::vec(any::<u64>(), 0..50)) {
            let (mut left, mut right) = (DelayRecorder::default(), DelayRecorder::default());
            a.iter().for_each(|v| left.record(*v));
            b.iter().for_each(|v| right.record(*v));
            let mut both = DelayRecorder::default();
            a.iter().chain(&b).for_each(|v| both.record(*v));
            let merged = DelayStats::merged([&left, &right].into_iter());
            let both = both.stats();
            prop_assert_eq!(merged.histogram(), both.histogram());
            prop_assert_eq!(merged.count(), both.count());
            prop_assert_eq!(merged.mean_ns(), both.mean_ns());
        }
    }
}
