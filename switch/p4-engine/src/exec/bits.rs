// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Bit fields in byte strings, most significant bit first.

use crate::value::mask;

/// Reads `width` (1 to 64) bits that begin `offset` bits into `data`; missing bits read as 0.
#[inline]
pub(crate) fn read(data: &[u8], offset: usize, width: u32) -> u64 {
    let (byte, shift) = (offset / 8, (offset % 8) as u32);
    if shift + width <= 64
        && let Some(window) = data.get(byte..byte + 8)
        && let Ok(window) = <[u8; 8]>::try_from(window)
    {
        return u64::from_be_bytes(window) << shift >> (64 - width);
    }
    let mut window = [0u8; 16];
    let tail = data.get(byte..).unwrap_or(&[]);
    let n = tail.len().min(9);
    window[..n].copy_from_slice(&tail[..n]);
    (u128::from_be_bytes(window) << shift >> (128 - width)) as u64
}

/// Reads a field of any width into limbs, least significant first.
pub(crate) fn read_limbs(data: &[u8], offset: usize, width: u32, out: &mut [u64]) {
    let mut left = width;
    for limb in out {
        let n = left.min(64);
        left -= n;
        *limb = if n == 0 {
            0
        } else {
            read(data, offset + left as usize, n)
        };
    }
}

/// Appends bit fields to a byte string, eight bytes at a time.
pub(crate) struct Writer<'a> {
    out: &'a mut Vec<u8>,
    /// The last `pending` (below 64) bits, in the low bits.
    acc: u64,
    pending: u32,
}

impl<'a> Writer<'a> {
    pub fn new(out: &'a mut Vec<u8>) -> Self {
        Self {
            out,
            acc: 0,
            pending: 0,
        }
    }

    /// Appends the low `width` (1 to 64) bits of `value`, whose other bits are 0.
    #[inline]
    pub fn push(&mut self, width: u32, value: u64) {
        let free = 64 - self.pending;
        if width < free {
            self.acc = self.acc << width | value;
            self.pending += width;
        } else {
            let rest = width - free;
            let full = if free == 64 { 0 } else { self.acc << free } | value >> rest;
            self.out.extend_from_slice(&full.to_be_bytes());
            self.acc = value & mask(rest);
            self.pending = rest;
        }
    }

    /// Appends a field whose width, perhaps 0, may be less than its limbs have.
    pub fn push_limbs_of(&mut self, width: u32, limbs: &[u64]) {
        for (i, &limb) in limbs.iter().enumerate().rev() {
            let n = width.saturating_sub(64 * i as u32).min(64);
            if n > 0 {
                self.push(n, limb & mask(n));
            }
        }
    }

    /// Appends a field of any width from limbs, least significant first.
    #[inline]
    pub fn push_limbs(&mut self, width: u32, limbs: &[u64]) {
        if let [limb] = limbs {
            return self.push(width, *limb);
        }
        for (i, &limb) in limbs.iter().enumerate().rev() {
            let n = width.saturating_sub(64 * i as u32).min(64);
            if n > 0 {
                self.push(n, limb & mask(n));
            }
        }
    }

    /// Pads with 0 bits to a whole number of bytes, and writes what is pending.
    #[inline]
    pub fn finish(self) {
        if self.pending > 0 {
            let bytes = (self.acc << (64 - self.pending)).to_be_bytes();
            self.out
                .extend_from_slice(&bytes[..self.pending.div_ceil(8) as usize]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn fields_of_an_ipv4_header() {
        let h = [0x45, 0x03, 0x05, 0xdc, 0x00, 0x01, 0x40, 0x00, 0x40, 0x06];
        assert_eq!(read(&h, 0, 4), 4);
        assert_eq!(read(&h, 4, 4), 5);
        assert_eq!(read(&h, 8, 6), 0);
        assert_eq!(read(&h, 14, 2), 3);
        assert_eq!(read(&h, 16, 16), 1500);
        assert_eq!(read(&h, 48, 3), 2);
        assert_eq!(read(&h, 72, 8), 6);
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(before in 0usize..70, width in 1u32..200, limbs in any::<[u64; 4]>(), slack in 0usize..9) {
            let n = crate::value::limbs(width) as usize;
            let mut data = Vec::new();
            let mut w = Writer::new(&mut data);
            (0..before).for_each(|_| w.push(1, 0));
            let masked: Vec<u64> =
                (0..n).map(|i| limbs[i] & crate::value::limb_mask(width, i as u32)).collect();
            w.push_limbs(width, &masked);
            (0..slack).for_each(|_| w.push(3, 0));
            w.finish();
            prop_assert_eq!(data.len(), (before + width as usize + 3 * slack).div_ceil(8));
            let mut back = vec![0; n];
            read_limbs(&data, before, width, &mut back);
            for i in 0..n {
                prop_assert_eq!(back[i], limbs[i] & crate::value::limb_mask(width, i as u32));
            }
            let ones: u32 = data.iter().map(|b| b.count_ones()).sum();
            prop_assert_eq!(ones, back.iter().map(|l| l.count_ones()).sum::<u32>(), "bits outside of the field");
        }
    }
}
