// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Seeds of the parts of a network, drawn from the network's seed.

/// What a seed is for.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Stream {
    Switch = 1,
    FlowStart = 2,
    InitialSequence = 3,
    Source = 4,
}

/// A number that depends on the network's seed, the purpose and the part's index only, and so not on what else was added
/// to the network or in which order: the finalizer of SplitMix64 (Steele, Lea, Flood 2014), chained.
pub(crate) fn derive(seed: u64, stream: Stream, index: u64) -> u64 {
    mix(mix(mix(seed) ^ stream as u64) ^ index)
}

fn mix(value: u64) -> u64 {
    let mut z = value.wrapping_add(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// Uniform in `[0, range)`; 0 if `range` is 0.
pub(crate) fn below(random: u64, range: u64) -> u64 {
    ((u128::from(random) * u128::from(range)) >> 64) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// First outputs of the reference implementation of SplitMix64, seed 1234567.
    #[test]
    fn mixes_as_the_reference() {
        assert_eq!(mix(1_234_567), 6_457_827_717_110_365_317);
        assert_eq!(
            mix(1_234_567_u64.wrapping_add(0x9E37_79B9_7F4A_7C15)),
            3_203_168_211_198_807_973
        );
    }

    #[test]
    fn below_stays_in_range() {
        assert_eq!(below(u64::MAX, 10), 9);
        assert_eq!(below(0, 10), 0);
        assert_eq!(below(u64::MAX, 0), 0);
        assert_eq!(below(1 << 63, 10), 5);
    }

    #[test]
    fn streams_differ() {
        assert_ne!(
            derive(1, Stream::Switch, 0),
            derive(1, Stream::FlowStart, 0)
        );
        assert_ne!(derive(1, Stream::Switch, 0), derive(1, Stream::Switch, 1));
        assert_ne!(derive(1, Stream::Switch, 0), derive(2, Stream::Switch, 0));
    }
}
