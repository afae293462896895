// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Expression trees, and their evaluation over exact integers.

use super::Machine;
use crate::num::Num;
use crate::program::{FieldRef, Program};
use crate::value::limbs;

/// A unary operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum UnOp {
    /// Bitwise complement.
    Not,
    /// Boolean negation.
    LNot,
    /// Not 0 (`d2b`).
    ToBool,
    /// 0 or 1 (`b2d`).
    ToData,
}

/// A binary operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BinOp {
    Add,
    Sub,
    Mul,
    Div,
    Mod,
    Shl,
    Shr,
    And,
    Or,
    Xor,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    LAnd,
    LOr,
    TwoCompMod,
    UsatCast,
    SatCast,
}

impl BinOp {
    /// Whether the result is boolean.
    pub fn is_bool(self) -> bool {
        use BinOp::*;
        matches!(self, Eq | Ne | Lt | Le | Gt | Ge | LAnd | LOr)
    }
}

/// An expression. Booleans are 0 and 1.
#[derive(Clone, Debug)]
pub(crate) enum Expr {
    Const(Num),
    Bool(bool),
    /// A field, the validity of a header, or an action parameter.
    Field(FieldRef),
    /// The same as `Field`, of boolean type (`valid`).
    Flag(FieldRef),
    Un(UnOp, Box<Expr>),
    Bin(BinOp, Box<Expr>, Box<Expr>),
    /// `.0 ? .1 : .2`
    Cond(Box<Expr>, Box<Expr>, Box<Expr>),
    /// A register cell; 0 out of bounds.
    Register(u32, Box<Expr>),
    /// Both headers are valid and equal.
    HeadersEqual(u32, u32),
    /// A field of the header that an index chooses from an array; 0 out of bounds.
    Indexed {
        array: u32,
        field: u32,
        width: u32,
        signed: bool,
        index: Box<Expr>,
    },
    /// The validity of the header that an index chooses; false out of bounds.
    IndexedValid(u32, Box<Expr>),
}

impl Expr {
    /// Whether the value is boolean.
    pub fn is_bool(&self) -> bool {
        match self {
            Self::Bool(_) | Self::Flag(_) | Self::HeadersEqual(..) | Self::IndexedValid(..) => true,
            Self::Const(_) | Self::Field(_) | Self::Register(..) | Self::Indexed { .. } => false,
            Self::Un(op, _) => matches!(op, UnOp::LNot | UnOp::ToBool),
            Self::Bin(op, ..) => op.is_bool(),
            Self::Cond(_, a, _) => a.is_bool(),
        }
    }
}

impl Machine {
    /// The exact value of an expression.
    pub(crate) fn eval(&self, p: &Program, e: &Expr) -> Num {
        match e {
            Expr::Const(v) => v.clone(),
            Expr::Bool(v) => Num::from(*v),
            Expr::Field(f) | Expr::Flag(f) => {
                let at = f.word as usize;
                Num::from_limbs(&self.w[at..at + limbs(f.width) as usize], f.width, f.signed)
            }
            Expr::Un(op, a) => {
                let a = self.eval(p, a);
                match op {
                    UnOp::Not => a.not(),
                    UnOp::LNot => Num::from(a.is_zero()),
                    UnOp::ToBool => Num::from(!a.is_zero()),
                    UnOp::ToData => a,
                }
            }
            Expr::Bin(op, a, b) => binary(*op, &self.eval(p, a), &self.eval(p, b)),
            Expr::Cond(c, a, b) => {
                if self.eval(p, c).is_zero() {
                    self.eval(p, b)
                } else {
                    self.eval(p, a)
                }
            }
            Expr::Register(reg, index) => {
                let info = &p.registers[*reg as usize];
                let stride = limbs(info.width) as usize;
                match self.eval(p, index).as_u64() {
                    Some(i) if i < info.size as u64 => {
                        let cell = &self.registers[*reg as usize][i as usize * stride..][..stride];
                        Num::from_limbs(cell, info.width, false)
                    }
                    _ => Num::Small(0),
                }
            }
            Expr::Indexed {
                array,
                field,
                index,
                ..
            } => match self.choose(p, *array, index) {
                Some(h) => {
                    let f = p.headers[h as usize].fields[*field as usize];
                    self.eval(p, &Expr::Field(f))
                }
                None => Num::Small(0),
            },
            Expr::IndexedValid(array, index) => {
                let h = self.choose(p, *array, index);
                let valid = |h: u32| self.w[p.headers[h as usize].valid as usize] == 1;
                Num::from(h.is_some_and(valid))
            }
            Expr::HeadersEqual(a, b) => {
                let (a, b) = (&p.headers[*a as usize], &p.headers[*b as usize]);
                let words = |h: &crate::program::Header| {
                    &self.w[h.first as usize..(h.first + h.words) as usize]
                };
                let valid = self.w[a.valid as usize] == 1 && self.w[b.valid as usize] == 1;
                Num::from(valid && words(a) == words(b))
            }
        }
    }
}

/// Applies a binary operator to exact values.
pub(crate) fn binary(op: BinOp, a: &Num, b: &Num) -> Num {
    let width = || b.as_u64().unwrap_or(u64::MAX);
    match op {
        BinOp::Add => a.add(b),
        BinOp::Sub => a.sub(b),
        BinOp::Mul => a.mul(b),
        BinOp::Div => a.div(b),
        BinOp::Mod => a.rem(b),
        BinOp::Shl => a.shl(b),
        BinOp::Shr => a.shr(b),
        BinOp::And => a.and(b),
        BinOp::Or => a.or(b),
        BinOp::Xor => a.xor(b),
        BinOp::Eq => Num::from(a.cmp(b).is_eq()),
        BinOp::Ne => Num::from(a.cmp(b).is_ne()),
        BinOp::Lt => Num::from(a.cmp(b).is_lt()),
        BinOp::Le => Num::from(a.cmp(b).is_le()),
        BinOp::Gt => Num::from(a.cmp(b).is_gt()),
        BinOp::Ge => Num::from(a.cmp(b).is_ge()),
        BinOp::LAnd => Num::from(!a.is_zero() && !b.is_zero()),
        BinOp::LOr => Num::from(!a.is_zero() || !b.is_zero()),
        BinOp::TwoCompMod => a.two_comp_mod(width()),
        BinOp::UsatCast => a.usat_cast(width()),
        BinOp::SatCast => a.sat_cast(width()),
    }
}
