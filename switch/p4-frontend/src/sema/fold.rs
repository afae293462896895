// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Arithmetic on constants (sections 8.5 to 8.8), shared by the checker and by the code that puts constructor
//! arguments in.

use num_bigint::{BigInt, Sign};
use num_traits::{One, Signed, ToPrimitive, Zero};

use super::types::{range_of, wrap};
use crate::ast::{BinaryOp, UnaryOp};

/// Greatest amount that a constant may be shifted by, as in p4c.
pub const MAX_SHIFT: u32 = 2048;

/// Why a constant has no value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FoldError {
    /// `/` or `%` by zero.
    DivisionByZero,
    /// `/` or `%` of a negative number.
    NegativeDivision,
    /// Shift by a negative amount.
    NegativeShift,
    /// Shift by more than [`MAX_SHIFT`].
    ShiftTooLarge,
}

impl FoldError {
    /// What to tell the user.
    pub fn message(self) -> &'static str {
        match self {
            FoldError::DivisionByZero => "division by zero",
            FoldError::NegativeDivision => "division is not defined for negative numbers",
            FoldError::NegativeShift => "negative shift amount",
            FoldError::ShiftTooLarge => "shift amount limited to 2048 on constants",
        }
    }
}

/// The number type of an operation: `None` is `int`, otherwise width and signedness.
pub type Shape = Option<(u32, bool)>;

fn fit(value: BigInt, shape: Shape) -> BigInt {
    match shape {
        None => value,
        Some((width, signed)) => wrap(&value, width, signed),
    }
}

fn clamp(value: BigInt, shape: Shape) -> BigInt {
    match shape {
        None => value,
        Some((width, signed)) => {
            let (lo, hi) = range_of(width, signed);
            value.clamp(lo, hi)
        }
    }
}

/// Arithmetic whose result has the type of its left operand. `None` for operators that have another sort of result.
pub fn arithmetic(
    op: BinaryOp,
    a: &BigInt,
    b: &BigInt,
    shape: Shape,
) -> Option<Result<BigInt, FoldError>> {
    let value = match op {
        BinaryOp::Add => fit(a + b, shape),
        BinaryOp::Sub => fit(a - b, shape),
        BinaryOp::Mul => fit(a * b, shape),
        BinaryOp::AddSat => clamp(a + b, shape),
        BinaryOp::SubSat => clamp(a - b, shape),
        BinaryOp::BitAnd => fit(a & b, shape),
        BinaryOp::BitOr => fit(a | b, shape),
        BinaryOp::BitXor => fit(a ^ b, shape),
        BinaryOp::Div | BinaryOp::Mod => {
            if b.is_zero() {
                return Some(Err(FoldError::DivisionByZero));
            }
            if a.is_negative() || b.is_negative() {
                return Some(Err(FoldError::NegativeDivision));
            }
            fit(if op == BinaryOp::Div { a / b } else { a % b }, shape)
        }
        BinaryOp::Shl | BinaryOp::Shr => {
            if b.is_negative() {
                return Some(Err(FoldError::NegativeShift));
            }
            let amount = b.to_u32().filter(|n| *n <= MAX_SHIFT);
            match (op, amount, shape) {
                (BinaryOp::Shl, Some(n), _) => fit(a << n, shape),
                (BinaryOp::Shl, None, Some(_)) => BigInt::zero(),
                (BinaryOp::Shl, None, None) => {
                    if a.is_zero() {
                        BigInt::zero()
                    } else {
                        return Some(Err(FoldError::ShiftTooLarge));
                    }
                }
                (_, Some(n), _) => a >> n,
                (_, None, _) => {
                    if a.is_negative() {
                        -BigInt::one()
                    } else {
                        BigInt::zero()
                    }
                }
            }
        }
        _ => return None,
    };
    Some(Ok(value))
}

/// Comparison of numbers; `None` for other operators.
pub fn compare(op: BinaryOp, a: &BigInt, b: &BigInt) -> Option<bool> {
    Some(match op {
        BinaryOp::Eq => a == b,
        BinaryOp::Ne => a != b,
        BinaryOp::Lt => a < b,
        BinaryOp::Le => a <= b,
        BinaryOp::Gt => a > b,
        BinaryOp::Ge => a >= b,
        _ => return None,
    })
}

/// `-`, `+` and `~` on a number.
pub fn unary(op: UnaryOp, a: &BigInt, shape: Shape) -> Option<BigInt> {
    Some(match op {
        UnaryOp::Minus => fit(-a, shape),
        UnaryOp::Plus => a.clone(),
        UnaryOp::Complement => fit(-a - 1, shape),
        UnaryOp::Not => return None,
    })
}

/// `a ++ b` of widths `wa` and `wb`; the result's sign is that of `a`.
pub fn concat(a: &BigInt, wa: u32, b: &BigInt, wb: u32, signed: bool) -> BigInt {
    let joined = (wrap(a, wa, false) << wb) | wrap(b, wb, false);
    wrap(&joined, wa + wb, signed)
}

/// Bits `hi..=lo`.
pub fn slice(value: &BigInt, hi: u32, lo: u32) -> BigInt {
    wrap(&(value >> lo), hi - lo + 1, false)
}

/// Bits needed to write the number down without a sign.
pub fn bit_length(value: &BigInt) -> u64 {
    match value.sign() {
        Sign::Minus => (-value - 1u32).bits() + 1,
        _ => value.bits(),
    }
}
