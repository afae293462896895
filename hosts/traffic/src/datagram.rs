// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Sources of packets that heed no congestion.

use crate::SECOND;
use crate::error::{TrafficError, check};
use crate::random::{Random, nanoseconds};

/// How the packets of a constant rate are spaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Spacing {
    /// Exactly the interval T = packet length / rate.
    #[default]
    Fixed,
    /// Uniform between T/2 and 3T/2.
    Random,
}

/// When packets are sent. Times in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum DatagramPattern {
    /// All the time.
    Constant {
        /// Distance between packets.
        spacing: Spacing,
    },
    /// In bursts at the full rate, with silence between; lengths of both are Pareto distributed.
    ParetoOnOff {
        /// Shape of both distributions, above 1.
        shape: f64,
        /// Mean length of a burst.
        mean_on: u64,
        /// Mean length of a silence.
        mean_off: u64,
    },
}

/// A source of packets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DatagramSpec {
    /// Rate while sending, bits per second of whole IP packets.
    pub rate_bps: u64,
    /// IP length of each packet, bytes.
    pub packet_bytes: u32,
    /// When packets are sent.
    pub pattern: DatagramPattern,
}

impl DatagramSpec {
    /// Constant rate.
    #[must_use]
    pub const fn constant(rate_bps: u64, packet_bytes: u32, spacing: Spacing) -> Self {
        Self {
            rate_bps,
            packet_bytes,
            pattern: DatagramPattern::Constant { spacing },
        }
    }

    /// Bursts of 1 s and silences of 2 s in the mean, shape 1.5.
    #[must_use]
    pub const fn pareto_on_off(rate_bps: u64, packet_bytes: u32) -> Self {
        Self {
            rate_bps,
            packet_bytes,
            pattern: DatagramPattern::ParetoOnOff {
                shape: 1.5,
                mean_on: SECOND,
                mean_off: 2 * SECOND,
            },
        }
    }

    /// Checks what a source relies on.
    ///
    /// # Errors
    /// Names the first value that is out of range.
    pub fn validate(&self) -> Result<(), TrafficError> {
        check(
            (1..=1_000_000_000_000_000).contains(&self.rate_bps),
            "rate_bps",
            "1 to 10^15",
        )?;
        check(
            (28..=65_535).contains(&self.packet_bytes),
            "packet_bytes",
            "28 to 65535: IPv4 and UDP headers are 28",
        )?;
        check(
            self.interval() >= 1.0,
            "rate_bps",
            "at most a packet per nanosecond",
        )?;
        if let DatagramPattern::ParetoOnOff {
            shape,
            mean_on,
            mean_off,
        } = self.pattern
        {
            check(
                shape > 1.0 && shape <= 100.0,
                "shape",
                "above 1 and at most 100",
            )?;
            let span = 1..=1_000_000 * SECOND;
            check(
                span.contains(&mean_on),
                "mean_on_s",
                "above 0 and at most 10^6",
            )?;
            check(
                span.contains(&mean_off),
                "mean_off_s",
                "above 0 and at most 10^6",
            )?;
        }
        Ok(())
    }

    /// T, nanoseconds.
    fn interval(&self) -> f64 {
        f64::from(self.packet_bytes) * 8e9 / self.rate_bps as f64
    }
}

/// A source of packets at work.
#[derive(Clone, Debug)]
pub struct DatagramSource {
    spec: DatagramSpec,
    random: Random,
    /// When the present burst began; of a constant rate, the source.
    began: u64,
    /// Packets sent in the present burst, and those it has; of a constant rate, without end.
    sent: u64,
    burst: Option<u64>,
    next: u64,
}

impl DatagramSource {
    /// A source whose first packet is due at `start`.
    #[must_use]
    pub fn new(spec: DatagramSpec, seed: u64, start: u64) -> Self {
        let mut this = Self {
            spec,
            random: Random::new(seed),
            began: start,
            sent: 0,
            burst: None,
            next: start,
        };
        if let DatagramPattern::ParetoOnOff { shape, mean_on, .. } = spec.pattern {
            this.burst = Some(this.burst_length(shape, mean_on));
        }
        this
    }

    /// When the next packet is due.
    #[must_use]
    pub const fn next_time(&self) -> u64 {
        self.next
    }

    /// IP length of the packet that is due by `now`, if one is.
    pub fn poll(&mut self, now: u64) -> Option<u32> {
        if now < self.next {
            return None;
        }
        self.sent += 1;
        let interval = self.spec.interval();
        // the n-th packet of a burst is n intervals after its begin: no rounding adds up
        let regular = self
            .began
            .saturating_add(nanoseconds(self.sent as f64 * interval));
        self.next = match self.spec.pattern {
            DatagramPattern::Constant {
                spacing: Spacing::Fixed,
            } => regular,
            DatagramPattern::Constant {
                spacing: Spacing::Random,
            } => {
                let (from, to) = (nanoseconds(interval / 2.0), nanoseconds(interval * 1.5));
                self.next.saturating_add(self.random.uniform(from, to))
            }
            DatagramPattern::ParetoOnOff {
                shape,
                mean_on,
                mean_off,
            } => {
                if self.burst.is_none_or(|burst| self.sent < burst) {
                    regular
                } else {
                    let silence = nanoseconds(self.random.pareto(mean_off as f64, shape));
                    self.began = regular.saturating_add(silence);
                    self.sent = 0;
                    self.burst = Some(self.burst_length(shape, mean_on));
                    self.began
                }
            }
        }
        .max(self.next.saturating_add(1));
        Some(self.spec.packet_bytes)
    }

    /// Packets of a burst: what fits into its length, to the nearest, at least one.
    fn burst_length(&mut self, shape: f64, mean_on: u64) -> u64 {
        let packets = self.random.pareto(mean_on as f64, shape) / self.spec.interval();
        nanoseconds(packets).max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn times(source: &mut DatagramSource, count: usize) -> Vec<u64> {
        let next = |source: &mut DatagramSource| {
            let at = source.next_time();
            assert_eq!(source.poll(at - 1), None);
            assert!(source.poll(at).is_some());
            at
        };
        (0..count).map(|_| next(source)).collect()
    }

    /// 210 bytes at 24 kbps: 70 ms.
    #[test]
    fn constant_rate_is_exact() {
        let spec = DatagramSpec::constant(24_000, 210, Spacing::Fixed);
        let mut source = DatagramSource::new(spec, 1, 1_000);
        let times = times(&mut source, 1001);
        assert_eq!(times[0], 1_000);
        assert_eq!(times[1], 70_001_000);
        assert_eq!(times[1000], 70_000_001_000);
        assert_eq!(source.poll(u64::MAX), Some(210));
    }

    /// A rate that is no whole number of nanoseconds does not drift.
    #[test]
    fn fractions_do_not_add_up() {
        let spec = DatagramSpec::constant(3_000_000, 100, Spacing::Fixed);
        let mut source = DatagramSource::new(spec, 1, 1);
        assert_eq!(times(&mut source, 30_001)[30_000], 8_000_000_001);
    }

    /// T/2 to 3T/2, mean T: five standard deviations of the mean of 10,000.
    #[test]
    fn random_spacing() {
        let spec = DatagramSpec::constant(24_000, 210, Spacing::Random);
        let times = times(&mut DatagramSource::new(spec, 3, 1), 10_001);
        let gaps: Vec<u64> = times.windows(2).map(|w| w[1] - w[0]).collect();
        assert!(gaps.iter().all(|g| (35_000_000..=105_000_000).contains(g)));
        assert!(gaps.iter().any(|g| *g < 40_000_000) && gaps.iter().any(|g| *g > 100_000_000));
        let mean = gaps.iter().sum::<u64>() as f64 / 1e4;
        assert!(
            (mean - 7e7).abs() < 5.0 * 7e7 / 12.0_f64.sqrt() / 100.0,
            "{mean}"
        );
    }

    /// Bursts and silences have their medians: of a Pareto distribution, scale * 2^(1/shape).
    #[test]
    fn pareto_on_off_alternates() {
        let spec = DatagramSpec::pareto_on_off(24_000, 210);
        let times = times(&mut DatagramSource::new(spec, 4, 1), 100_000);
        let gaps = times.windows(2).map(|w| w[1] - w[0]);
        // the least silence is 2/3 s, beside the interval that ends a burst
        let (within, between): (Vec<u64>, Vec<u64>) = gaps.partition(|g| *g < 500_000_000);
        assert!(within.iter().all(|g| (69_999_999..=70_000_001).contains(g)));
        let mut off: Vec<u64> = between.iter().map(|g| g - 70_000_000).collect();
        off.sort_unstable();
        let median = off[off.len() / 2] as f64 / 1e9;
        let expected = 2.0 / 3.0 * 2.0_f64.powf(1.0 / 1.5);
        assert!(
            (median / expected - 1.0).abs() < 0.05,
            "{median} {expected}"
        );
        // bursts: at least round(1/3 s / 70 ms) = 5 packets, in the median round(0.529 s / 70 ms) = 8
        let mut bursts = Vec::new();
        let mut packets = 1;
        for w in times.windows(2) {
            if w[1] - w[0] < 500_000_000 {
                packets += 1;
            } else {
                bursts.push(packets);
                packets = 1;
            }
        }
        bursts.sort_unstable();
        assert_eq!((bursts[0], bursts[bursts.len() / 2]), (5, 8));
    }

    #[test]
    fn values_are_checked() {
        let good = DatagramSpec::pareto_on_off(24_000, 210);
        assert!(good.validate().is_ok());
        let shape = |shape| DatagramSpec {
            pattern: DatagramPattern::ParetoOnOff {
                shape,
                mean_on: 1,
                mean_off: 1,
            },
            ..good
        };
        for (spec, name) in [
            (
                DatagramSpec {
                    rate_bps: 0,
                    ..good
                },
                "rate_bps",
            ),
            (
                DatagramSpec {
                    rate_bps: 10_000_000_000_000,
                    ..good
                },
                "rate_bps",
            ),
            (
                DatagramSpec {
                    packet_bytes: 27,
                    ..good
                },
                "packet_bytes",
            ),
            (shape(1.0), "shape"),
            (shape(f64::NAN), "shape"),
        ] {
            assert_eq!(spec.validate().unwrap_err().name, name);
        }
    }
}
