// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Round-trip time and retransmission timeout (RFC 6298; [`TimerRules::WholeTicks`]).

use crate::config::{RtoConfig, TimerRules};

/// Largest factor of the back-off in whole ticks.
const MAX_BACK_OFF: u64 = 64;
/// Factor of the back-off beyond which the estimate is given up, in whole ticks.
const FORGOTTEN_BEYOND: u64 = 8;

/// The estimator. All times in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RttEstimator {
    config: RtoConfig,
    /// SRTT and RTTVAR; `None` before the first measurement. In whole ticks SRTT is in eighths of a tick and RTTVAR in quarters.
    estimate: Option<(u64, u64)>,
    /// RTO without back-off.
    base: u64,
    /// Factor of the back-off, in whole ticks.
    factor: u64,
    /// RTO with back-off.
    rto: u64,
    /// What the clock of whole ticks is ahead by.
    phase: u64,
}

impl RttEstimator {
    /// Before any measurement RTO is the configured initial value (rule 2.1).
    #[must_use]
    pub const fn new(config: RtoConfig) -> Self {
        Self {
            config,
            estimate: None,
            base: config.initial,
            factor: 1,
            rto: config.initial,
            phase: 0,
        }
    }

    /// With a clock whose ticks are at other instants than those of other clocks: `seed` out of 2^32 of a tick earlier.
    #[must_use]
    pub const fn with_phase(self, seed: u32) -> Self {
        let phase = (self.config.granularity as u128 * seed as u128) >> 32;
        Self {
            phase: phase as u64,
            ..self
        }
    }

    /// Takes the measurement of a segment that was sent once, at `sent`, and is acknowledged at `now`.
    pub fn measure(&mut self, sent: u64, now: u64) {
        match self.config.rules {
            TimerRules::Rfc6298 => self.sample(now.saturating_sub(sent)),
            TimerRules::WholeTicks => {
                let tick = |time: u64| time.saturating_add(self.phase) / self.config.granularity;
                self.sample_ticks((tick(now) - tick(sent)).max(1));
            }
        }
    }

    /// A measurement of `ticks` whole ticks, in the fixed-point arithmetic of Jacobson's code.
    fn sample_ticks(&mut self, ticks: u64) {
        let (srtt, rttvar) = match self.estimate {
            None => (8 * ticks, 2 * ticks),
            Some((srtt, rttvar)) => {
                let deviation = ticks.abs_diff(srtt / 8);
                (
                    (srtt + ticks - srtt / 8).max(1),
                    (rttvar + deviation - rttvar / 4).max(1),
                )
            }
        };
        self.estimate = Some((srtt, rttvar));
        self.base = (rttvar + srtt / 8).saturating_mul(self.config.granularity);
        self.factor = 1;
        self.rto = self.backed_off();
    }

    /// The RTO in whole ticks.
    fn backed_off(&self) -> u64 {
        let least = self.config.min.max(2 * self.config.granularity);
        self.base
            .saturating_mul(self.factor)
            .max(least)
            .min(self.config.max)
    }

    /// Takes the measurement `rtt` of a segment that was sent once (Karn's algorithm, section 3), which
    /// also ends any back-off.
    pub fn sample(&mut self, rtt: u64) {
        let g = self.config.granularity;
        let ticks = (rtt.saturating_add(g / 2) / g).max(1);
        let r = ticks.saturating_mul(g);
        let (srtt, rttvar) = match self.estimate {
            // (2.2) SRTT <- R, RTTVAR <- R/2
            None => (r, r / 2),
            // (2.3) RTTVAR <- 3/4 RTTVAR + 1/4 |SRTT - R|, then SRTT <- 7/8 SRTT + 1/8 R
            Some((srtt, rttvar)) => {
                let deviation = u128::from(srtt.abs_diff(r));
                let rttvar = (3 * u128::from(rttvar) + deviation) / 4;
                let srtt = (7 * u128::from(srtt) + u128::from(r)) / 8;
                (srtt as u64, rttvar as u64)
            }
        };
        self.estimate = Some((srtt, rttvar));
        // RTO <- SRTT + max(G, 4 RTTVAR), in whole ticks, then (2.4) and (2.5)
        let raw = srtt.saturating_add(g.max(rttvar.saturating_mul(4)));
        let whole = raw.div_ceil(g).saturating_mul(g);
        self.base = whole.clamp(self.config.min, self.config.max);
        self.rto = self.base;
    }

    /// Doubles the RTO after a timeout (5.5).
    pub fn back_off(&mut self) {
        if self.config.rules == TimerRules::WholeTicks {
            self.factor = (2 * self.factor).min(MAX_BACK_OFF);
            if self.factor > FORGOTTEN_BEYOND {
                self.estimate = None;
            }
            self.rto = self.backed_off();
            return;
        }
        self.rto = self.rto.saturating_mul(2).min(self.config.max);
    }

    /// (5.7): when the SYN timer has run out, the RTO for data is at least 3 s, whatever the back-off was.
    pub fn after_lost_syn(&mut self) {
        if self.estimate.is_none() && self.config.rules == TimerRules::Rfc6298 {
            self.base = self.base.max(3_000_000_000).min(self.config.max);
            self.rto = self.base;
        }
    }

    /// The timeout to arm the timer with.
    #[must_use]
    pub const fn rto(&self) -> u64 {
        self.rto
    }

    /// Smoothed round-trip time.
    #[must_use]
    pub fn srtt(&self) -> Option<u64> {
        let unit = self.unit(8);
        self.estimate.map(|(srtt, _)| srtt.saturating_mul(unit))
    }

    /// Round-trip time variation.
    #[must_use]
    pub fn rttvar(&self) -> Option<u64> {
        let unit = self.unit(4);
        self.estimate.map(|(_, rttvar)| rttvar.saturating_mul(unit))
    }

    /// Nanoseconds of what an estimate counts, `parts` of which make a tick.
    const fn unit(&self, parts: u64) -> u64 {
        match self.config.rules {
            TimerRules::Rfc6298 => 1,
            TimerRules::WholeTicks => self.config.granularity / parts,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{MILLISECOND as MS, SECOND as S};

    fn estimator(min: u64, granularity: u64) -> RttEstimator {
        RttEstimator::new(RtoConfig {
            initial: S,
            min,
            max: 60 * S,
            granularity,
            rules: TimerRules::Rfc6298,
        })
    }

    /// ns-2's clock of 100 ms, with its initial RTO of 6 s.
    fn ticking() -> RttEstimator {
        RttEstimator::new(RtoConfig {
            initial: 6 * S,
            min: MS,
            max: 3600 * S,
            granularity: 100 * MS,
            rules: TimerRules::WholeTicks,
        })
    }

    /// Worked by hand from `TcpAgent::rtt_update` of ns-2: t_srtt_ in eighths, t_rttvar_ in quarters.
    #[test]
    fn whole_ticks_never_forget_the_last_bits() {
        let mut e = ticking();
        assert_eq!(e.rto(), 6 * S);
        e.measure(0, 350 * MS); // 3 ticks: 24/8, 6/4: 3 + 6
        assert_eq!(
            (e.srtt(), e.rttvar(), e.rto()),
            (Some(300 * MS), Some(150 * MS), 900 * MS)
        );
        e.measure(S, S + 20 * MS); // 1 tick at least: srtt 24-2 = 22, rttvar 6 + (2-1) = 7: 22/8 = 2, + 7
        assert_eq!(e.rto(), 900 * MS);
        for _ in 0..100 {
            e.measure(S, S + 20 * MS);
        }
        // srtt stays at 15 (15/8 is 1, as measured), rttvar at 3 (3/4 is 0): 1 + 3, where RFC 6298 comes down to 2
        assert_eq!(
            (e.srtt(), e.rttvar(), e.rto()),
            (Some(187_500_000), Some(75 * MS), 400 * MS)
        );
    }

    #[test]
    fn whole_ticks_are_counted_by_a_clock_with_a_phase() {
        let mut e = ticking();
        e.measure(90 * MS, 110 * MS);
        assert_eq!(e.srtt(), Some(100 * MS));
        e = ticking();
        e.measure(90 * MS, 210 * MS);
        assert_eq!(e.srtt(), Some(200 * MS));
        e = ticking().with_phase(1 << 31); // half a tick: 140 to 260
        e.measure(90 * MS, 210 * MS);
        assert_eq!(e.srtt(), Some(100 * MS));
    }

    #[test]
    fn whole_ticks_back_off_to_64_and_begin_anew_from_16_on() {
        let mut e = ticking();
        e.measure(0, 100 * MS); // 1 + 2 ticks
        assert_eq!(e.rto(), 300 * MS);
        for factor in [2, 4, 8] {
            e.back_off();
            assert_eq!((e.rto(), e.srtt()), (factor * 300 * MS, Some(100 * MS)));
        }
        for factor in [16, 32, 64, 64] {
            e.back_off();
            assert_eq!((e.rto(), e.srtt()), (factor * 300 * MS, None));
        }
        e.after_lost_syn();
        assert_eq!(e.rto(), 64 * 300 * MS);
        e.measure(0, 500 * MS); // as the first: 5 + 10 ticks
        assert_eq!(e.rto(), 1500 * MS);
    }

    #[test]
    fn rfc6298_2_1_initial_rto_is_one_second() {
        let e = RttEstimator::new(RtoConfig::default());
        assert_eq!((e.rto(), e.srtt(), e.rttvar()), (S, None, None));
    }

    #[test]
    fn rfc6298_2_2_first_measurement() {
        let mut e = estimator(MS, MS);
        e.sample(100 * MS);
        // RTO = 100 + max(1, 4*50) = 300
        assert_eq!(
            (e.srtt(), e.rttvar(), e.rto()),
            (Some(100 * MS), Some(50 * MS), 300 * MS)
        );
    }

    #[test]
    fn rfc6298_2_3_later_measurements() {
        let mut e = estimator(MS, 1);
        e.sample(100 * MS);
        e.sample(180 * MS);
        // RTTVAR = 3/4*50 + 1/4*80 = 57.5; SRTT = 7/8*100 + 1/8*180 = 110; RTO = 110 + 230 = 340
        assert_eq!(
            (e.srtt(), e.rttvar(), e.rto()),
            (Some(110 * MS), Some(57_500_000), 340 * MS)
        );
        e.sample(110 * MS);
        // RTTVAR = 3/4*57.5 + 0 = 43.125; SRTT = 110; RTO = 110 + 172.5
        assert_eq!(
            (e.srtt(), e.rttvar(), e.rto()),
            (Some(110 * MS), Some(43_125_000), 282_500_000)
        );
    }

    #[test]
    fn rfc6298_2_3_granularity_bounds_the_variance_term() {
        let mut e = estimator(MS, 100 * MS);
        for _ in 0..100 {
            e.sample(200 * MS);
        }
        // RTTVAR has decayed to nothing: RTO = 200 + max(100, ~0)
        assert_eq!(e.rto(), 300 * MS);
    }

    #[test]
    fn coarse_clock_measures_whole_ticks() {
        let mut e = estimator(MS, 100 * MS);
        e.sample(20 * MS);
        assert_eq!(e.srtt(), Some(100 * MS));
        let mut e = estimator(MS, 100 * MS);
        e.sample(149 * MS);
        assert_eq!(e.srtt(), Some(100 * MS));
        let mut e = estimator(MS, 100 * MS);
        e.sample(150 * MS);
        assert_eq!(e.srtt(), Some(200 * MS));
    }

    #[test]
    fn rfc6298_2_4_minimum_is_one_second_by_default() {
        let mut e = RttEstimator::new(RtoConfig::default());
        e.sample(100 * MS);
        assert_eq!(e.rto(), S);
        e.sample(700 * MS);
        // RTTVAR = 37.5 + 150 = 187.5; SRTT = 87.5 + 87.5 = 175; 175 + 750 = 925 < 1000
        assert_eq!(e.rto(), S);
        e.sample(700 * MS);
        // RTTVAR = 140.625 + 131.25 = 271.875; SRTT = 240.625; RTO = 1328.125 -> 1329 whole ticks
        assert_eq!(e.rto(), 1329 * MS);
    }

    #[test]
    fn rfc6298_2_5_and_5_5_back_off_doubles_up_to_the_maximum() {
        let mut e = RttEstimator::new(RtoConfig::default());
        let mut seen = Vec::new();
        for _ in 0..7 {
            e.back_off();
            seen.push(e.rto() / S);
        }
        assert_eq!(seen, [2, 4, 8, 16, 32, 60, 60]);
        e.sample(100 * MS); // section 5: a new measurement collapses it
        assert_eq!(e.rto(), S);
    }

    #[test]
    fn rfc6298_5_7_lost_syn() {
        let mut e = RttEstimator::new(RtoConfig::default());
        e.back_off();
        e.after_lost_syn();
        assert_eq!(e.rto(), 3 * S);
    }

    #[test]
    fn extreme_measurements_do_not_overflow() {
        let mut e = RttEstimator::new(RtoConfig::default());
        e.sample(u64::MAX);
        e.sample(0);
        e.sample(u64::MAX);
        assert_eq!(e.rto(), 60 * S);
    }
}
