// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Exact integers: 128 bits inline, larger ones on the heap.
//!
//! BMv2 evaluates expressions over unbounded integers. Most expressions are compiled to machine
//! words (see `load::expr`); this type evaluates the rest: signed values, saturating casts, and
//! fields wider than 64 bits.

use num_bigint::{BigInt, Sign};

/// Left shifts by this many bits or more give 0: no field is that wide, so what is left of the
/// result after it is cut to a field is 0 anyway, and the shift cannot use up the memory.
pub(crate) const MAX_SHIFT: u64 = 1 << 16;

/// An exact integer.
#[derive(Clone, Debug)]
pub(crate) enum Num {
    Small(i128),
    Big(BigInt),
}

use Num::{Big, Small};

impl Num {
    fn norm(b: BigInt) -> Self {
        match i128::try_from(&b) {
            Ok(v) => Small(v),
            Err(_) => Big(b),
        }
    }

    fn big(&self) -> BigInt {
        match self {
            Small(v) => BigInt::from(*v),
            Big(b) => b.clone(),
        }
    }

    fn op(
        &self,
        o: &Self,
        small: impl Fn(i128, i128) -> Option<i128>,
        big: impl Fn(BigInt, BigInt) -> BigInt,
    ) -> Self {
        if let (Small(a), Small(b)) = (self, o)
            && let Some(v) = small(*a, *b)
        {
            return Small(v);
        }
        Self::norm(big(self.big(), o.big()))
    }

    /// From limbs, least significant first, of `width` bits, in two's complement if `signed`.
    pub fn from_limbs(limbs: &[u64], width: u32, signed: bool) -> Self {
        let unsigned = if let [l] = limbs {
            Small(i128::from(*l))
        } else {
            let bytes: Vec<u8> = limbs.iter().flat_map(|l| l.to_le_bytes()).collect();
            Self::norm(BigInt::from_bytes_le(Sign::Plus, &bytes))
        };
        if signed {
            unsigned.two_comp_mod(width.into())
        } else {
            unsigned
        }
    }

    /// From the form of a BMv2 `hexstr`: an optional minus, an optional `0x`, hexadecimal digits.
    pub fn parse_hex(s: &str) -> Option<Self> {
        let (neg, digits) = match s.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, s),
        };
        let digits = digits.strip_prefix("0x").unwrap_or(digits);
        if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
            return None;
        }
        let v = BigInt::parse_bytes(digits.as_bytes(), 16)?;
        Some(Self::norm(if neg { -v } else { v }))
    }

    /// Limb `i` of the value in two's complement, counted from the least significant.
    pub fn limb(&self, i: u32) -> u64 {
        match self {
            Small(v) => (v >> (64 * i).min(127)) as u64,
            Big(b) => {
                let s: BigInt = b >> (64 * u64::from(i));
                let low = s & BigInt::from(u64::MAX);
                low.iter_u64_digits().next().unwrap_or(0)
            }
        }
    }

    /// The value, if it is neither negative nor above 64 bits.
    pub fn as_u64(&self) -> Option<u64> {
        match self {
            Small(v) => u64::try_from(*v).ok(),
            Big(_) => None,
        }
    }

    pub fn is_negative(&self) -> bool {
        match self {
            Small(v) => *v < 0,
            Big(b) => b.sign() == Sign::Minus,
        }
    }

    pub fn is_zero(&self) -> bool {
        matches!(self, Small(0))
    }

    /// The number of bits of a value that is not negative.
    pub fn bit_len(&self) -> u64 {
        match self {
            Small(v) => u64::from(128 - v.leading_zeros()),
            Big(b) => b.bits(),
        }
    }

    pub fn add(&self, o: &Self) -> Self {
        self.op(o, i128::checked_add, |a, b| a + b)
    }

    pub fn sub(&self, o: &Self) -> Self {
        self.op(o, i128::checked_sub, |a, b| a - b)
    }

    pub fn mul(&self, o: &Self) -> Self {
        self.op(o, i128::checked_mul, |a, b| a * b)
    }

    /// Division rounding to zero; 0 when dividing by 0.
    pub fn div(&self, o: &Self) -> Self {
        if o.is_zero() {
            Small(0)
        } else {
            self.op(o, i128::checked_div, |a, b| a / b)
        }
    }

    /// The remainder of [`Num::div`]; 0 when dividing by 0.
    pub fn rem(&self, o: &Self) -> Self {
        if o.is_zero() {
            Small(0)
        } else {
            self.op(o, i128::checked_rem, |a, b| a % b)
        }
    }

    pub fn and(&self, o: &Self) -> Self {
        self.op(o, |a, b| Some(a & b), |a, b| a & b)
    }

    pub fn or(&self, o: &Self) -> Self {
        self.op(o, |a, b| Some(a | b), |a, b| a | b)
    }

    pub fn xor(&self, o: &Self) -> Self {
        self.op(o, |a, b| Some(a ^ b), |a, b| a ^ b)
    }

    pub fn not(&self) -> Self {
        match self {
            Small(v) => Small(!v),
            Big(b) => Self::norm(!b),
        }
    }

    /// Left shift; see [`MAX_SHIFT`]. A negative amount counts as one that is too large.
    pub fn shl(&self, o: &Self) -> Self {
        match o.as_u64() {
            Some(n) if n < MAX_SHIFT => match self {
                Small(v) if n < 127 && (v.unsigned_abs().leading_zeros() as u64) > n + 1 => {
                    Small(v << n)
                }
                _ => Self::norm(self.big() << n),
            },
            _ => Small(0),
        }
    }

    /// Arithmetic right shift (rounds down). A negative amount counts as one that is too large.
    pub fn shr(&self, o: &Self) -> Self {
        let n = o.as_u64().unwrap_or(u64::MAX);
        match self {
            Small(v) => Small(v >> n.min(127)),
            Big(b) if n < MAX_SHIFT => Self::norm(b >> n),
            Big(_) => Small(if self.is_negative() { -1 } else { 0 }),
        }
    }

    fn pow2(n: u64) -> Self {
        Small(1).shl(&Small(n.into()))
    }

    /// The value modulo 2^`width`, read as a two's complement number of that width.
    pub fn two_comp_mod(&self, width: u64) -> Self {
        if width == 0 || width >= MAX_SHIFT {
            return Small(0);
        }
        let low = self.and(&Self::pow2(width).sub(&Small(1)));
        if low.cmp(&Self::pow2(width - 1)).is_ge() {
            low.sub(&Self::pow2(width))
        } else {
            low
        }
    }

    /// The value clamped to what `width` bits hold without sign.
    pub fn usat_cast(&self, width: u64) -> Self {
        self.clamp(Small(0), Self::pow2(width).sub(&Small(1)))
    }

    /// The value clamped to what a two's complement number of `width` bits holds.
    pub fn sat_cast(&self, width: u64) -> Self {
        let half = Self::pow2(width.max(1) - 1);
        self.clamp(Small(0).sub(&half), half.sub(&Small(1)))
    }

    fn clamp(&self, lo: Self, hi: Self) -> Self {
        if self.cmp(&lo).is_lt() {
            lo
        } else if self.cmp(&hi).is_gt() {
            hi
        } else {
            self.clone()
        }
    }

    pub fn cmp(&self, o: &Self) -> std::cmp::Ordering {
        match (self, o) {
            (Small(a), Small(b)) => a.cmp(b),
            _ => self.big().cmp(&o.big()),
        }
    }
}

impl From<bool> for Num {
    fn from(v: bool) -> Self {
        Small(v.into())
    }
}

impl std::fmt::Display for Num {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Small(v) => v.fmt(f),
            Big(b) => b.fmt(f),
        }
    }
}
