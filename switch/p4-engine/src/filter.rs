// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Low-pass filters (`Lpf`) and random early detection (`Wred`) of TNA: averages that forget by time.
//!
//! After a time t the old average counts exp(-t / T). T is one number for a sample above the average (gain) and another for one
//! below it (decay). A filter that is not configured gives what it is given; so does one whose T is 0.

use crate::error::ControlError;

/// What a filter makes of its samples.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FilterConfig {
    /// The average of the samples.
    Sample {
        /// Time constant for samples above the average, ns.
        gain_ns: f64,
        /// Time constant for samples below it, ns.
        decay_ns: f64,
        /// The result is divided by two to this power.
        scale_down: u32,
    },
    /// The sum of the samples, which decays: their rate times the time constant.
    Rate {
        /// Not used: a sum grows at once.
        gain_ns: f64,
        /// Time constant, ns.
        decay_ns: f64,
        /// The result is divided by two to this power.
        scale_down: u32,
    },
    /// Drops with a probability that rises with the average of the samples.
    Wred {
        /// Time constant of the average, ns.
        time_ns: f64,
        /// The average up to which nothing is dropped.
        min: f64,
        /// The average from which on everything is dropped.
        max: f64,
        /// The probability just below `max`.
        max_probability: f64,
    },
}

impl FilterConfig {
    /// Refuses numbers that are no times, thresholds or probabilities.
    pub(crate) fn check(&self, wred: bool) -> Result<(), ControlError> {
        let fine = |n: f64| n.is_finite() && n >= 0.0;
        let (numbers, kind, scale) = match *self {
            Self::Sample {
                gain_ns,
                decay_ns,
                scale_down,
            }
            | Self::Rate {
                gain_ns,
                decay_ns,
                scale_down,
            } => (fine(gain_ns) && fine(decay_ns), false, scale_down),
            Self::Wred {
                time_ns,
                min,
                max,
                max_probability,
            } => (
                fine(time_ns)
                    && fine(min)
                    && fine(max)
                    && min <= max
                    && (0.0..=1.0).contains(&max_probability),
                true,
                0,
            ),
        };
        if kind != wred {
            let what = if wred { "a Wred" } else { "an Lpf" };
            return Err(ControlError::invalid(format!(
                "{what} needs a configuration of its own kind"
            )));
        }
        if !numbers || scale > 63 {
            return Err(ControlError::invalid(
                "times and thresholds must be finite and not negative, min at most max, a probability at most 1, a scale at most 63".to_owned(),
            ));
        }
        Ok(())
    }
}

/// One filter.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct FilterCell {
    pub config: Option<FilterConfig>,
    average: f64,
    last_ns: u64,
}

impl FilterCell {
    /// Sets the configuration, or takes it away. The average begins at 0.
    pub fn configure(&mut self, config: Option<FilterConfig>) {
        *self = Self {
            config,
            ..Self::default()
        };
    }

    /// The result of a sample at a time; `draw` is uniform on [0, 1). Of a `Wred` it is 1 for a drop.
    pub fn execute(&mut self, sample: u64, now_ns: u64, draw: impl FnOnce() -> f64) -> u64 {
        let x = sample as f64;
        let passed = now_ns.saturating_sub(self.last_ns) as f64;
        self.last_ns = now_ns;
        // What is left of the old value.
        let kept = |time: f64| {
            if time > 0.0 {
                libm::exp(-passed / time)
            } else {
                0.0
            }
        };
        let mut towards = |gain: f64, decay: f64| {
            let time = if x > self.average { gain } else { decay };
            self.average = x + (self.average - x) * kept(time);
            self.average
        };
        match self.config {
            None => sample,
            Some(FilterConfig::Sample {
                gain_ns,
                decay_ns,
                scale_down,
            }) => (towards(gain_ns, decay_ns) as u64) >> scale_down,
            Some(FilterConfig::Rate {
                decay_ns,
                scale_down,
                ..
            }) => {
                self.average = self.average * kept(decay_ns) + x;
                (self.average as u64) >> scale_down
            }
            Some(FilterConfig::Wred {
                time_ns,
                min,
                max,
                max_probability,
            }) => {
                let average = towards(time_ns, time_ns);
                let p = if average >= max {
                    1.0
                } else if average <= min {
                    0.0
                } else {
                    max_probability * (average - min) / (max - min)
                };
                u64::from(draw() < p)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(config: FilterConfig) -> FilterCell {
        let mut c = FilterCell::default();
        c.configure(Some(config));
        c
    }

    #[test]
    fn an_average_forgets_by_time() {
        let mut c = cell(FilterConfig::Sample {
            gain_ns: 1000.0,
            decay_ns: 2000.0,
            scale_down: 0,
        });
        let no = || 0.0;
        // 1 - exp(-1) and 1 - exp(-2) of 1000; then down with the other constant.
        assert_eq!(c.execute(1000, 1000, no), 632);
        assert_eq!(c.execute(1000, 2000, no), 864);
        assert_eq!(c.execute(0, 4000, no), 318);
        // Without time nothing changes.
        assert_eq!(c.execute(5000, 4000, no), 318);
    }

    #[test]
    fn without_configuration_or_time_constant_a_sample_goes_through() {
        assert_eq!(FilterCell::default().execute(77, 5, || 0.0), 77);
        let mut c = cell(FilterConfig::Sample {
            gain_ns: 0.0,
            decay_ns: 0.0,
            scale_down: 1,
        });
        assert_eq!(c.execute(77, 0, || 0.0), 38);
    }

    #[test]
    fn a_rate_is_a_sum_that_decays() {
        let mut c = cell(FilterConfig::Rate {
            gain_ns: 0.0,
            decay_ns: 1000.0,
            scale_down: 0,
        });
        assert_eq!(c.execute(100, 0, || 0.0), 100);
        assert_eq!(c.execute(100, 0, || 0.0), 200);
        assert_eq!(c.execute(0, 1000, || 0.0), 73);
    }

    #[test]
    fn wred_is_a_ramp() {
        let mut c = cell(FilterConfig::Wred {
            time_ns: 0.0,
            min: 10.0,
            max: 20.0,
            max_probability: 0.5,
        });
        for (sample, draw, drops) in [(10, 0.0, 0), (15, 0.24, 1), (15, 0.26, 0), (20, 0.99, 1)] {
            assert_eq!(c.execute(sample, 0, || draw), drops, "{sample} {draw}");
        }
    }

    #[test]
    fn numbers_are_checked() {
        let wred = FilterConfig::Wred {
            time_ns: 1.0,
            min: 2.0,
            max: 1.0,
            max_probability: 0.5,
        };
        assert!(wred.check(true).is_err());
        let lpf = FilterConfig::Sample {
            gain_ns: f64::NAN,
            decay_ns: 1.0,
            scale_down: 0,
        };
        assert!(lpf.check(false).is_err());
        assert!(cell(wred).config.is_some_and(|c| c.check(false).is_err()));
    }
}
