// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! The response function: one table from congestion level to the part of the window given up.

use core::fmt;

/// Congestion as a sender learns of it, in rising order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Level {
    /// No congestion: the window grows.
    #[default]
    None,
    /// Incipient congestion: ECT(1) in multi-level ECN.
    Incipient,
    /// Moderate congestion: CE. The only mark that classic ECN knows.
    Moderate,
    /// A packet was lost.
    Loss,
}

/// A divisor of the window: in a cut the window loses `window / beta`.
///
/// A fraction, so that 2.5 is exact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Beta {
    numerator: u32,
    denominator: u32,
}

impl Beta {
    /// beta = `numerator / denominator`.
    ///
    /// # Errors
    /// beta must be at least 1 (a cut by the whole window), and the denominator not 0.
    pub const fn new(numerator: u32, denominator: u32) -> Result<Self, BetaError> {
        if denominator == 0 || numerator < denominator {
            return Err(BetaError {
                numerator,
                denominator,
            });
        }
        Ok(Self {
            numerator,
            denominator,
        })
    }

    /// The divisor as a number.
    #[must_use]
    pub fn value(self) -> f64 {
        f64::from(self.numerator) / f64::from(self.denominator)
    }

    /// `window / beta`, rounded down to whole bytes: a cut errs by less than one byte, upwards.
    #[must_use]
    pub const fn part_of(self, window: u32) -> u32 {
        (window as u64 * self.denominator as u64 / self.numerator as u64) as u32
    }

    /// `window - window / beta`.
    #[must_use]
    pub const fn cut(self, window: u32) -> u32 {
        window - self.part_of(window)
    }
}

/// A beta below 1, or with denominator 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BetaError {
    /// The numerator given.
    pub numerator: u32,
    /// The denominator given.
    pub denominator: u32,
}

impl fmt::Display for BetaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "beta must be at least 1: {}/{}",
            self.numerator, self.denominator
        )
    }
}

impl std::error::Error for BetaError {}

/// Response to congestion: level -> beta.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ResponseTable {
    /// For [`Level::Incipient`].
    pub incipient: Beta,
    /// For [`Level::Moderate`]: CE, and so classic ECN's ECE.
    pub moderate: Beta,
    /// For [`Level::Loss`] found by duplicate ACKs, and for the threshold after a timeout.
    pub loss: Beta,
}

impl ResponseTable {
    /// RFC 3168 and RFC 5681: a mark halves the window as a loss does.
    pub const CLASSIC: Self = Self {
        incipient: HALF,
        moderate: HALF,
        loss: HALF,
    };

    /// Multi-level ECN: beta1 = 5, beta2 = 2.5, beta3 = 2.
    pub const MULTI_LEVEL: Self = Self {
        incipient: Beta {
            numerator: 5,
            denominator: 1,
        },
        moderate: Beta {
            numerator: 5,
            denominator: 2,
        },
        loss: HALF,
    };

    /// The beta of a level; `None` for [`Level::None`].
    #[must_use]
    pub const fn beta(&self, level: Level) -> Option<Beta> {
        match level {
            Level::None => None,
            Level::Incipient => Some(self.incipient),
            Level::Moderate => Some(self.moderate),
            Level::Loss => Some(self.loss),
        }
    }
}

const HALF: Beta = Beta {
    numerator: 2,
    denominator: 1,
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn multi_level_cuts_of_100_segments_are_exact() {
        let t = ResponseTable::MULTI_LEVEL;
        assert_eq!(t.incipient.cut(100 * 960), 80 * 960);
        assert_eq!(t.moderate.cut(100 * 960), 60 * 960);
        assert_eq!(t.loss.cut(100 * 960), 50 * 960);
        assert_eq!(t.beta(Level::None), None);
    }

    #[test]
    fn rounding_leaves_less_than_one_byte_too_much() {
        assert_eq!(ResponseTable::MULTI_LEVEL.incipient.cut(4), 4);
        assert_eq!(ResponseTable::MULTI_LEVEL.incipient.cut(1001), 801); // 800.8
        assert_eq!(ResponseTable::MULTI_LEVEL.moderate.cut(1001), 601); // 600.6
        assert_eq!(
            ResponseTable::MULTI_LEVEL.moderate.cut(u32::MAX),
            2_576_980_377
        );
    }

    #[test]
    fn beta_below_one_is_refused() {
        assert!(Beta::new(1, 1).is_ok());
        assert_eq!(
            Beta::new(1, 2),
            Err(BetaError {
                numerator: 1,
                denominator: 2
            })
        );
        assert!(Beta::new(0, 0).is_err());
    }
}
