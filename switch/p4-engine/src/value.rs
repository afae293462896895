// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Unsigned values of any width, as the control plane sees them.

use std::fmt;

/// An unsigned integer of any width: a match value, an action parameter, a register cell.
///
/// Kept in the canonical form of the P4Runtime specification (8.4): no leading zeros.
#[derive(Clone, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Value {
    /// 64-bit limbs, least significant first, without leading (most significant) zeros.
    limbs: Vec<u64>,
}

impl Value {
    /// From limbs, least significant first.
    pub(crate) fn from_limbs(limbs: &[u64]) -> Self {
        let n = limbs.iter().rposition(|&l| l != 0).map_or(0, |i| i + 1);
        Self {
            limbs: limbs[..n].to_vec(),
        }
    }

    /// From bytes in network order, of any length; the empty string is 0.
    pub fn from_be_bytes(bytes: &[u8]) -> Self {
        let limbs: Vec<u64> = bytes
            .rchunks(8)
            .map(|c| c.iter().fold(0, |v, &b| v << 8 | u64::from(b)))
            .collect();
        Self::from_limbs(&limbs)
    }

    /// The shortest string of bytes in network order; one zero byte for 0 (P4Runtime 8.4).
    pub fn to_be_bytes(&self) -> Vec<u8> {
        let mut out: Vec<u8> = self
            .limbs
            .iter()
            .rev()
            .flat_map(|l| l.to_be_bytes())
            .collect();
        let zeros = out.iter().take_while(|&&b| b == 0).count();
        out.drain(..zeros);
        if out.is_empty() {
            out.push(0);
        }
        out
    }

    /// The number of bits of the value: 0 for 0, 8 for 255.
    pub fn bit_len(&self) -> u32 {
        match self.limbs.last() {
            Some(top) => (self.limbs.len() as u32) * 64 - top.leading_zeros(),
            None => 0,
        }
    }

    /// Whether the value fits into `width` bits.
    pub fn fits(&self, width: u32) -> bool {
        self.bit_len() <= width
    }

    /// The value, if it fits into 64 bits.
    pub fn as_u64(&self) -> Option<u64> {
        match self.limbs[..] {
            [] => Some(0),
            [l] => Some(l),
            _ => None,
        }
    }

    /// Limb `i`, counted from the least significant; 0 beyond the end.
    pub(crate) fn limb(&self, i: usize) -> u64 {
        self.limbs.get(i).copied().unwrap_or(0)
    }

    /// Bit `i`, counted from the least significant.
    pub(crate) fn bit(&self, i: u32) -> bool {
        self.limb(i as usize / 64) >> (i % 64) & 1 == 1
    }
}

impl From<u64> for Value {
    fn from(v: u64) -> Self {
        Self::from_limbs(&[v])
    }
}

impl From<u32> for Value {
    fn from(v: u32) -> Self {
        Self::from(u64::from(v))
    }
}

impl From<u128> for Value {
    fn from(v: u128) -> Self {
        Self::from_limbs(&[v as u64, (v >> 64) as u64])
    }
}

impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

impl fmt::Display for Value {
    /// As a hexadecimal literal.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some((top, rest)) = self.limbs.split_last() else {
            return f.write_str("0x0");
        };
        write!(f, "{top:#x}")?;
        rest.iter().rev().try_for_each(|l| write!(f, "{l:016x}"))
    }
}

/// The number of 64-bit limbs of a value of `width` bits; at least one.
pub(crate) fn limbs(width: u32) -> u32 {
    width.div_ceil(64).max(1)
}

/// A mask of the low `width` bits of a limb.
pub(crate) fn mask(width: u32) -> u64 {
    if width >= 64 {
        u64::MAX
    } else {
        (1 << width) - 1
    }
}

/// The mask of limb `i` of a value of `width` bits.
pub(crate) fn limb_mask(width: u32, i: u32) -> u64 {
    mask(width.saturating_sub(64 * i))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_canonical() {
        assert_eq!(Value::from_be_bytes(&[]), Value::from(0u64));
        assert_eq!(Value::from_be_bytes(&[0, 0, 1]).to_be_bytes(), [1]);
        assert_eq!(Value::from(0u64).to_be_bytes(), [0]);
        assert_eq!(
            Value::from(0x1_0000_0000_0000_0002u128).to_be_bytes(),
            [1, 0, 0, 0, 0, 0, 0, 0, 2]
        );
        assert_eq!(
            Value::from(0x1_0000_0000_0000_0002u128).to_string(),
            "0x10000000000000002"
        );
        assert_eq!(Value::from(255u64).bit_len(), 8);
        assert!(!Value::from(256u64).fits(8));
    }
}
