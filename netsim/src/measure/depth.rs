// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Queue depth over time.

/// Points `(time, depth, average, sent)` of a queue's history, one vector for each.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DepthTrace {
    /// Nanoseconds, strictly increasing.
    pub time_ns: Vec<u64>,
    /// Depth in packets from this time on.
    pub depth: Vec<u32>,
    /// Average depth as the data plane holds it, packets; empty if none is watched.
    pub average: Vec<f64>,
    /// Bytes sent since the beginning of the run, as the port's rate counts them: a packet from the start of its transmission on.
    pub sent_bytes: Vec<u64>,
}

impl DepthTrace {
    /// Adds a point. A state that lasted no time leaves no trace: a second point at the same time replaces the first.
    pub fn push(&mut self, now: u64, depth: u32, average: Option<f64>, sent_bytes: u64) {
        if self.time_ns.last() == Some(&now) {
            self.time_ns.pop();
            self.depth.pop();
            self.average.pop();
            self.sent_bytes.pop();
        }
        self.time_ns.push(now);
        self.depth.push(depth);
        self.sent_bytes.push(sent_bytes);
        if let Some(average) = average {
            self.average.push(average);
        }
    }
}

/// Statistics of a queue's depth over a span of time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DepthStats {
    /// Time-weighted mean, packets.
    pub mean: f64,
    /// Time-weighted standard deviation, packets.
    pub std: f64,
    /// Least depth that lasted any time, packets.
    pub min: u32,
    /// Greatest depth that lasted any time, packets.
    pub max: u32,
    /// Share of the time with depth 0.
    pub fraction_empty: f64,
}

/// Integrates a depth over time, in exact integers.
#[derive(Clone, Debug, Default)]
pub struct DepthRecorder {
    depth: u32,
    since: u64,
    span: u64,
    empty: u64,
    integral: u128,
    integral_of_square: u128,
    extremes: Option<(u32, u32)>,
}

impl DepthRecorder {
    /// The depth is `depth` from `now` on.
    pub fn set(&mut self, now: u64, depth: u32) {
        self.advance(now);
        self.depth = depth;
    }

    /// The present depth.
    pub fn depth(&self) -> u32 {
        self.depth
    }

    /// Forgets the past: the span that is measured begins now.
    pub fn restart(&mut self, now: u64) {
        *self = Self {
            depth: self.depth,
            since: now,
            ..Self::default()
        };
    }

    /// Statistics up to `now`; of no time at all, those of the present depth.
    pub fn stats(&mut self, now: u64) -> DepthStats {
        self.advance(now);
        if self.span == 0 {
            return DepthStats {
                mean: f64::from(self.depth),
                std: 0.0,
                min: self.depth,
                max: self.depth,
                fraction_empty: if self.depth == 0 { 1.0 } else { 0.0 },
            };
        }
        let span = u128::from(self.span);
        // variance = (span * sum(q^2 dt) - sum(q dt)^2) / span^2, without cancellation as long as it fits.
        let variance = match (
            span.checked_mul(self.integral_of_square),
            self.integral.checked_mul(self.integral),
        ) {
            (Some(a), Some(b)) => a.saturating_sub(b) as f64 / (span as f64 * span as f64),
            _ => {
                let mean = self.integral as f64 / span as f64;
                (self.integral_of_square as f64 / span as f64 - mean * mean).max(0.0)
            }
        };
        let (min, max) = self.extremes.unwrap_or((self.depth, self.depth));
        DepthStats {
            mean: self.integral as f64 / span as f64,
            std: variance.sqrt(),
            min,
            max,
            fraction_empty: self.empty as f64 / span as f64,
        }
    }

    fn advance(&mut self, now: u64) {
        let elapsed = now.saturating_sub(self.since);
        if elapsed == 0 {
            return;
        }
        self.since = now;
        self.span += elapsed;
        if self.depth == 0 {
            self.empty += elapsed;
        }
        let weighted = u128::from(self.depth) * u128::from(elapsed);
        self.integral += weighted;
        self.integral_of_square += weighted * u128::from(self.depth);
        let (min, max) = self.extremes.unwrap_or((self.depth, self.depth));
        self.extremes = Some((min.min(self.depth), max.max(self.depth)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integrates_by_hand() {
        let mut recorder = DepthRecorder::default();
        recorder.set(10, 2); // 0 for 10 ns
        recorder.set(40, 5); // 2 for 30 ns
        recorder.set(40, 4); // 5 for no time
        let stats = recorder.stats(100); // 4 for 60 ns
        assert_eq!(stats.mean, 3.0);
        let mean_of_square = (4.0 * 30.0 + 16.0 * 60.0) / 100.0;
        assert!((stats.std - f64::sqrt(mean_of_square - 9.0)).abs() < 1e-12);
        assert_eq!((stats.min, stats.max), (0, 4));
        assert_eq!(stats.fraction_empty, 0.1);
    }

    #[test]
    fn restart_keeps_the_depth_only() {
        let mut recorder = DepthRecorder::default();
        recorder.set(0, 9);
        recorder.set(10, 3);
        recorder.restart(20);
        let stats = recorder.stats(30);
        assert_eq!((stats.mean, stats.std), (3.0, 0.0));
        assert_eq!((stats.min, stats.max), (3, 3));
        assert_eq!(stats.fraction_empty, 0.0);
    }

    #[test]
    fn no_time_at_all() {
        let mut recorder = DepthRecorder::default();
        recorder.set(0, 7);
        assert_eq!(recorder.stats(0).mean, 7.0);
    }

    #[test]
    fn trace_keeps_the_last_state_of_an_instant() {
        let mut trace = DepthTrace::default();
        trace.push(1, 1, Some(0.5), 10);
        trace.push(1, 0, Some(0.25), 20);
        trace.push(2, 1, Some(0.5), 20);
        assert_eq!(trace.time_ns, [1, 2]);
        assert_eq!(trace.depth, [0, 1]);
        assert_eq!(trace.average, [0.25, 0.5]);
        assert_eq!(trace.sent_bytes, [20, 20]);
    }
}
