// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Random times. Powers and logarithms come from `libm`, not from the platform's library: that would round differently on
//! different machines.

use rand_core::{Rng, SeedableRng};
use rand_pcg::Pcg32;

/// A generator and what is drawn from it.
#[derive(Clone, Debug)]
pub(crate) struct Random(Pcg32);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(Pcg32::seed_from_u64(seed))
    }

    /// Uniform in (0, 1), a multiple of 2^-53 and a half.
    pub(crate) fn unit(&mut self) -> f64 {
        ((self.0.next_u64() >> 11) as f64 + 0.5) / (1_u64 << 53) as f64
    }

    /// Uniform in `[from, to]`, nanoseconds.
    pub(crate) fn uniform(&mut self, from: u64, to: u64) -> u64 {
        let range = u128::from(to.saturating_sub(from)) + 1;
        let offset = (u128::from(self.0.next_u64()) * range) >> 64;
        from.saturating_add(offset as u64)
    }

    /// Pareto with the given mean and shape above 1: P(X > x) = (scale/x)^shape, scale = mean (shape - 1)/shape.
    pub(crate) fn pareto(&mut self, mean: f64, shape: f64) -> f64 {
        mean * (shape - 1.0) / shape * libm::pow(self.unit(), -1.0 / shape)
    }
}

/// Nanoseconds, to the nearest; what is too large is the largest.
pub(crate) fn nanoseconds(value: f64) -> u64 {
    value.round() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Quantiles of the Pareto distribution in closed form, within binomial bounds: with 10^5 draws a false alarm at five
    /// standard deviations has a probability below 10^-5.
    #[test]
    fn pareto_has_its_quantiles() {
        let (mean, shape) = (3.0, 1.5);
        let mut random = Random::new(1);
        let draws: Vec<f64> = (0..100_000).map(|_| random.pareto(mean, shape)).collect();
        let scale = mean * (shape - 1.0) / shape;
        assert!(draws.iter().all(|x| *x >= scale));
        for above in [0.5, 0.1, 0.01_f64] {
            let quantile = scale * above.powf(-1.0 / shape);
            let count = draws.iter().filter(|x| **x > quantile).count() as f64;
            let sigma = (above * (1.0 - above) * 1e5).sqrt();
            assert!(
                (count - above * 1e5).abs() < 5.0 * sigma,
                "{above}: {count}"
            );
        }
    }

    #[test]
    fn uniform_includes_its_ends() {
        let mut random = Random::new(2);
        let mut seen = [false; 4];
        for _ in 0..1000 {
            seen[(random.uniform(10, 13) - 10) as usize] = true;
        }
        assert_eq!(seen, [true; 4]);
        assert_eq!(random.uniform(5, 5), 5);
        assert!(random.uniform(0, u64::MAX) > 0);
    }

    /// First draws for a seed: they must not change, or results do.
    #[test]
    fn draws_are_fixed() {
        let mut random = Random::new(42);
        let draws: Vec<u64> = (0..3).map(|_| random.uniform(0, 999_999)).collect();
        assert_eq!(draws, [779_928, 983_641, 646_604]);
        assert_eq!(random.pareto(3.0, 1.5).to_bits(), 4_611_937_411_520_709_891);
        assert_ne!(Random::new(43).uniform(0, 999_999), draws[0]);
    }
}
