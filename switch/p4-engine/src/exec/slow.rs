// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! The evaluation of expression trees over exact integers.

use super::Machine;
use crate::instructions::{BinOp, Expr, UnOp};
use crate::num::Num;
use crate::program::{Header, Ir};
use crate::value::limbs;

impl Machine {
    /// The exact value of an expression.
    pub(crate) fn eval(&self, p: &Ir, e: &Expr) -> Num {
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
                let words = |h: &Header| &self.w[h.first as usize..(h.first + h.words) as usize];
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
