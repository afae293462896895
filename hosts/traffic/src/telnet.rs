// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Times between the packets of telnet users.
//!
//! The distribution is tcplib's (Danzig, Jamin: "tcplib: a library of TCP internetwork traffic characteristics", 1991), known
//! here by its quantiles: those of 365,269 times that `Application/Telnet` of ns-2 2.35 drew with `interval_ 0`
//! (`experiments/ns2/telnet.tcl` repeats that). Between two quantiles the logarithm is interpolated.

use crate::random::{Random, nanoseconds};

/// Cumulative probability and time in seconds.
const QUANTILES: [(f64, f64); 34] = [
    (0.0, 0.000_606),
    (0.001, 0.000_674),
    (0.01, 0.001_169),
    (0.02, 0.001_799),
    (0.05, 0.020_333),
    (0.1, 0.067_526),
    (0.15, 0.093_337),
    (0.2, 0.112_151),
    (0.25, 0.135_870),
    (0.3, 0.156_004),
    (0.35, 0.176_108),
    (0.4, 0.193_862),
    (0.45, 0.212_403),
    (0.5, 0.236_413),
    (0.55, 0.267_454),
    (0.6, 0.303_102),
    (0.65, 0.368_685),
    (0.7, 0.424_158),
    (0.75, 0.533_573),
    (0.8, 0.730_022),
    (0.85, 0.993_599),
    (0.9, 1.558_379),
    (0.95, 3.450_486),
    (0.96, 4.403_237),
    (0.97, 5.387_371),
    (0.98, 8.352_906),
    (0.985, 10.586_950),
    (0.99, 17.734_861),
    (0.995, 36.378_317),
    (0.998, 59.278_187),
    (0.999, 59.859_945),
    (0.999_5, 64.415_309),
    (0.999_7, 115.543_305),
    (1.0, 209.921_219),
];

/// Nanoseconds until the next packet.
pub(crate) fn interarrival(random: &mut Random) -> u64 {
    nanoseconds(quantile(random.unit()) * 1e9)
}

/// Seconds that a share `p` of the times do not exceed.
fn quantile(p: f64) -> f64 {
    let above = QUANTILES
        .partition_point(|q| q.0 <= p)
        .clamp(1, QUANTILES.len() - 1);
    let ((p0, t0), (p1, t1)) = (QUANTILES[above - 1], QUANTILES[above]);
    let share = ((p - p0) / (p1 - p0)).clamp(0.0, 1.0);
    t0 * libm::pow(t1 / t0, share)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_rise_and_are_met() {
        assert!(
            QUANTILES
                .windows(2)
                .all(|w| w[0].0 < w[1].0 && w[0].1 < w[1].1)
        );
        for (p, time) in QUANTILES {
            assert!((quantile(p) - time).abs() < 1e-12, "{p}");
        }
        let between = quantile(0.475);
        assert!((0.212..0.237).contains(&between));
    }

    /// ns-2's mean is 1.087 s.
    #[test]
    fn mean_is_that_of_the_sample() {
        let mut random = Random::new(5);
        let total: f64 = (0..400_000)
            .map(|_| interarrival(&mut random) as f64 / 1e9)
            .sum();
        let mean = total / 400_000.0;
        assert!((1.03..1.14).contains(&mean), "{mean}");
    }
}
