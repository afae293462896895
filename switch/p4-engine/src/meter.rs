// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Meters: two rates, three colours (RFC 2698), colour-blind.
//!
//! Token counts are exact: they are kept in units of 10^-9 packet or byte, so that a rate of one
//! per second adds one unit per nanosecond.

/// Rates and burst sizes of a meter cell, in packets or bytes as the meter counts
/// ([`crate::MeterInfo::bytes`]).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MeterConfig {
    /// Committed information rate, per second.
    pub cir: u64,
    /// Committed burst size.
    pub cburst: u64,
    /// Peak information rate, per second.
    pub pir: u64,
    /// Peak burst size.
    pub pburst: u64,
}

/// The outcome of a meter, with the numbers that v1model gives the colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MeterColor {
    /// Within the committed rate.
    Green = 0,
    /// Above the committed rate, within the peak rate.
    Yellow = 1,
    /// Above the peak rate.
    Red = 2,
}

/// One meter. Without a configuration everything is green.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct MeterCell {
    config: Option<MeterConfig>,
    /// Tokens of the committed and of the peak bucket, in units of 10^-9.
    committed: u128,
    peak: u128,
    last_ns: u64,
}

const UNIT: u128 = 1_000_000_000;

impl MeterCell {
    /// Sets the configuration and fills both buckets, or takes the configuration away.
    pub fn configure(&mut self, config: Option<MeterConfig>) {
        self.config = config;
        let c = config.unwrap_or_default();
        self.committed = u128::from(c.cburst) * UNIT;
        self.peak = u128::from(c.pburst) * UNIT;
    }

    pub fn config(&self) -> Option<MeterConfig> {
        self.config
    }

    /// The same configuration with full buckets, at time 0.
    pub fn reset(&mut self) {
        self.configure(self.config);
        self.last_ns = 0;
    }

    /// RFC 2698, section 3: colours a packet of this many units.
    pub fn execute(&mut self, units: u64, now_ns: u64) -> MeterColor {
        let Some(c) = self.config else {
            return MeterColor::Green;
        };
        let gone = u128::from(now_ns.saturating_sub(self.last_ns));
        self.last_ns = self.last_ns.max(now_ns);
        let fill = |tokens: u128, rate: u64, burst: u64| {
            tokens
                .saturating_add(u128::from(rate) * gone)
                .min(u128::from(burst) * UNIT)
        };
        self.committed = fill(self.committed, c.cir, c.cburst);
        self.peak = fill(self.peak, c.pir, c.pburst);
        let need = u128::from(units) * UNIT;
        if self.peak < need {
            return MeterColor::Red;
        }
        self.peak -= need;
        if self.committed < need {
            return MeterColor::Yellow;
        }
        self.committed -= need;
        MeterColor::Green
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use MeterColor::{Green, Red, Yellow};

    #[test]
    fn unconfigured_meters_are_green() {
        let mut m = MeterCell::default();
        assert_eq!(m.execute(u64::MAX, 0), Green);
    }

    #[test]
    fn bursts_then_rates() {
        let mut m = MeterCell::default();
        m.configure(Some(MeterConfig {
            cir: 1,
            cburst: 2,
            pir: 2,
            pburst: 4,
        }));
        let at_once: Vec<_> = (0..6).map(|_| m.execute(1, 5)).collect();
        // Time 5 ns adds next to nothing to full buckets.
        assert_eq!(at_once, [Green, Green, Yellow, Yellow, Red, Red]);
        let half = 500_000_005;
        assert_eq!(m.execute(1, half), Yellow, "1/2 committed, 1 peak token");
        assert_eq!(m.execute(1, half), Red);
        assert_eq!(
            m.execute(1, 1_000_000_005),
            Green,
            "exactly one committed token"
        );
        assert_eq!(m.execute(1, 1_000_000_005), Red);
    }

    #[test]
    fn extreme_numbers_do_not_overflow() {
        let mut m = MeterCell::default();
        let max = u64::MAX;
        m.configure(Some(MeterConfig {
            cir: max,
            cburst: max,
            pir: max,
            pburst: max,
        }));
        assert_eq!(m.execute(max, max), Green);
        assert_eq!(m.execute(1, 0), Red, "time does not run back");
    }
}
