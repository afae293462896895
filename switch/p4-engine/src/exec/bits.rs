// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Bit fields in byte strings, most significant bit first.

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

/// Writes the low `width` (1 to 64) bits of `value` `offset` bits into `data`, where these bits
/// are 0. Bits beyond the end of `data` are lost.
#[inline]
pub(crate) fn write(data: &mut [u8], offset: usize, width: u32, value: u64) {
    let (byte, shift) = (offset / 8, (offset % 8) as u32);
    if shift + width <= 64
        && let Some(window) = data.get_mut(byte..byte + 8)
        && let Ok(old) = <[u8; 8]>::try_from(&*window)
    {
        let bits = value << (64 - width) >> shift;
        window.copy_from_slice(&(u64::from_be_bytes(old) | bits).to_be_bytes());
        return;
    }
    let bits = (u128::from(value) << (128 - width) >> shift).to_be_bytes();
    for (d, b) in data.get_mut(byte..).unwrap_or(&mut []).iter_mut().zip(bits) {
        *d |= b;
    }
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

/// Writes a field of any width from limbs, least significant first.
pub(crate) fn write_limbs(data: &mut [u8], offset: usize, width: u32, limbs: &[u64]) {
    let mut left = width;
    for &limb in limbs {
        let n = left.min(64);
        left -= n;
        if n > 0 {
            write(
                data,
                offset + left as usize,
                n,
                limb & crate::value::mask(n),
            );
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
            let mut data = vec![0u8; (before + width as usize).div_ceil(8) + slack];
            let n = crate::value::limbs(width) as usize;
            write_limbs(&mut data, before, width, &limbs[..n]);
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
