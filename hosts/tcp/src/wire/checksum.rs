// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! The Internet checksum (RFC 1071).

/// A running ones' complement sum of 16-bit words.
#[derive(Clone, Copy, Debug, Default)]
pub struct Checksum(u64);

impl Checksum {
    /// Starts at zero.
    #[must_use]
    pub const fn new() -> Self {
        Self(0)
    }

    /// Adds one 16-bit word.
    #[must_use]
    pub const fn word(self, word: u16) -> Self {
        Self(self.0 + word as u64)
    }

    /// Adds bytes as big-endian words; an odd last byte is padded with zero on the right.
    #[must_use]
    pub fn bytes(mut self, bytes: &[u8]) -> Self {
        // 2^32 is 1 modulo 2^16 - 1: whole quarters of 32 bits may be added as they are (RFC 1071, section 2 (C))
        let mut quads = bytes.chunks_exact(4);
        for quad in &mut quads {
            self.0 += u64::from(u32::from_be_bytes([quad[0], quad[1], quad[2], quad[3]]));
        }
        let mut words = quads.remainder().chunks_exact(2);
        for pair in &mut words {
            self.0 += u64::from(u16::from_be_bytes([pair[0], pair[1]]));
        }
        if let [last] = words.remainder() {
            self.0 += u64::from(*last) << 8;
        }
        self
    }

    /// The pseudo-header of RFC 9293, section 3.1: addresses, protocol 6, TCP length.
    #[must_use]
    pub fn pseudo_header(self, src: [u8; 4], dst: [u8; 4], tcp_len: u32) -> Self {
        self.bytes(&src)
            .bytes(&dst)
            .word(6)
            .bytes(&tcp_len.to_be_bytes())
    }

    /// The folded sum, not complemented: 0xffff over data that holds its own correct checksum.
    #[must_use]
    pub const fn sum(self) -> u16 {
        let mut s = self.0;
        while s > 0xffff {
            s = (s & 0xffff) + (s >> 16);
        }
        s as u16
    }

    /// The value for a checksum field.
    #[must_use]
    pub const fn finish(self) -> u16 {
        !self.sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rfc1071_section_3_example() {
        let sum = Checksum::new().bytes(&[0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7]);
        assert_eq!(sum.sum(), 0xddf2);
        assert_eq!(sum.finish(), 0x220d);
    }

    /// However the bytes are cut at even places, and at every length, the sum is that of the 16-bit words.
    #[test]
    fn sum_is_that_of_words() {
        let bytes: Vec<u8> = (0..41_u8).map(|i| i.wrapping_mul(97) | 0x80).collect();
        for len in 0..bytes.len() {
            let words = bytes[..len].chunks(2);
            let mut sum: u32 = words
                .map(|w| u32::from(w[0]) << 8 | u32::from(*w.get(1).unwrap_or(&0)))
                .sum();
            while sum > 0xffff {
                sum = (sum & 0xffff) + (sum >> 16);
            }
            for cut in (0..=len).step_by(2) {
                let parts = Checksum::new().bytes(&bytes[..cut]).bytes(&bytes[cut..len]);
                assert_eq!(u32::from(parts.sum()), sum, "{len} {cut}");
            }
        }
    }

    #[test]
    fn odd_length_is_padded_with_zero() {
        assert_eq!(Checksum::new().bytes(&[0x12]).sum(), 0x1200);
    }
}
