// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Compiles expression trees to instructions over 64-bit words.
//!
//! BMv2 computes over unbounded integers. A word is exact when the value is known to be neither
//! negative nor above 64 bits; and where only the low bits of a value are used (below a mask, or
//! when stored into a field), arithmetic modulo 2^64 gives the same low bits, because +, -, *, <<,
//! &, |, ^ and ~ carry from low bits to high ones only. `Need` says which of the two a context
//! asks for. What fits neither is evaluated as a tree (`Ins::Slow`).

use crate::exec::{BinOp, Expr, Ins, UnOp, W};
use crate::num::Num;
use crate::program::FieldRef;
use crate::value::{limbs, mask};

use super::Builder;

/// What a context uses of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Need {
    /// All of it.
    Exact,
    /// The low bits, at most 64 of them; others may be anything.
    Low(u32),
}

/// An upper bound of a value that is known not to be negative and to fit into a word.
fn bound(b: &Builder, e: &Expr) -> Option<u64> {
    match e {
        Expr::Const(v) => v.as_u64(),
        Expr::Field(f) => (f.width <= 64 && !f.signed).then(|| mask(f.width)),
        Expr::Register(reg, _) => {
            let w = b.registers[*reg as usize].width;
            (w <= 64).then(|| mask(w))
        }
        Expr::Un(UnOp::Not, _) => None,
        Expr::Bin(op, x, y) => {
            let (x, y) = (|| bound(b, x), || bound(b, y));
            let ones = |v: u64| mask(64 - v.leading_zeros());
            match op {
                BinOp::Add => x()?.checked_add(y()?),
                BinOp::Mul => x()?.checked_mul(y()?),
                BinOp::Sub | BinOp::TwoCompMod | BinOp::SatCast => None,
                BinOp::Div => y().and(x()),
                BinOp::Mod => Some(x()?.min(y()?)),
                BinOp::Shl => {
                    let (v, n) = (x()?, y()?);
                    (n < u64::from(v.leading_zeros())).then(|| v << n)
                }
                BinOp::Shr => y().and(x()),
                BinOp::And => match (x(), y()) {
                    (Some(x), Some(y)) => Some(x.min(y)),
                    (x, y) => x.or(y),
                },
                BinOp::Or | BinOp::Xor => Some(ones(x()?) | ones(y()?)),
                BinOp::UsatCast => {
                    let w = constant(e_right(e)?)?.as_u64()?;
                    (w <= 64).then(|| mask(w as u32))
                }
                _ => Some(1),
            }
        }
        Expr::Cond(_, x, y) => Some(bound(b, x)?.max(bound(b, y)?)),
        _ => Some(1),
    }
}

fn e_right(e: &Expr) -> Option<&Expr> {
    if let Expr::Bin(_, _, r) = e {
        Some(r)
    } else {
        None
    }
}

fn constant(e: &Expr) -> Option<&Num> {
    if let Expr::Const(v) = e {
        Some(v)
    } else {
        None
    }
}

/// The mask of an instruction that cuts its result.
fn mask_of(ins: &mut Ins) -> Option<(&mut W, &mut u64)> {
    match ins {
        Ins::Mov { d, mask, .. }
        | Ins::Add { d, mask, .. }
        | Ins::Sub { d, mask, .. }
        | Ins::Mul { d, mask, .. }
        | Ins::Div { d, mask, .. }
        | Ins::Mod { d, mask, .. }
        | Ins::And { d, mask, .. }
        | Ins::Or { d, mask, .. }
        | Ins::Xor { d, mask, .. }
        | Ins::Not { d, mask, .. }
        | Ins::Shl { d, mask, .. }
        | Ins::Shr { d, mask, .. } => Some((d, mask)),
        _ => None,
    }
}

const ALL: u64 = u64::MAX;

impl Builder {
    fn emit(&mut self, ins: impl FnOnce(W) -> Ins) -> W {
        let d = self.temp();
        self.code.push(ins(d));
        d
    }

    /// The value of `e` in word `w`, cut by `m`: folded into the instruction that made it if that
    /// was the last one.
    fn cut(&mut self, w: W, m: u64) -> W {
        if m == ALL {
            return w;
        }
        if self.temps.contains(&w)
            && let Some((d, mask)) = self.code.last_mut().and_then(mask_of)
            && *d == w
        {
            *mask &= m;
            return w;
        }
        self.emit(|d| Ins::Mov { d, a: w, mask: m })
    }

    /// Compiles `e`; gives the word that holds what is needed, or `None` if only a tree can.
    fn fast(&mut self, e: &Expr, need: Need) -> Option<W> {
        // What an operand must supply to operations that carry upwards only.
        let same = match need {
            Need::Low(k) => Need::Low(k),
            Need::Exact => {
                // The result fits into a word, so that its low 64 bits are all of it.
                bound(self, e)?;
                Need::Low(64)
            }
        };
        match e {
            Expr::Const(v) => {
                let v = match need {
                    Need::Exact => v.as_u64()?,
                    Need::Low(k) => v.limb(0) & mask(k),
                };
                Some(self.constant(v))
            }
            Expr::Bool(v) => Some(self.constant(u64::from(*v))),
            Expr::Field(f) | Expr::Flag(f) => match need {
                Need::Exact => Some(f.word),
                Need::Low(k) => (!f.signed || k <= f.width).then_some(f.word),
            },
            Expr::Un(op, x) => match op {
                UnOp::Not => {
                    let a = self.operand(x, same)?;
                    Some(self.emit(|d| Ins::Not { d, a, mask: ALL }))
                }
                UnOp::LNot => {
                    let (a, b) = (self.operand(x, Need::Exact)?, self.constant(1));
                    Some(self.emit(|d| Ins::Xor { d, a, b, mask: ALL }))
                }
                UnOp::ToBool => {
                    let a = self.operand(x, Need::Exact)?;
                    if bound(self, x) == Some(1) {
                        return Some(a);
                    }
                    let b = self.constant(0);
                    Some(self.emit(|d| Ins::Ne { d, a, b }))
                }
                UnOp::ToData => self.operand(x, Need::Exact),
            },
            Expr::Bin(op, x, y) => self.fast_binary(*op, x, y, same),
            Expr::Cond(c, x, y) => {
                let c = self.operand(c, Need::Exact)?;
                let branch = if need == Need::Exact { need } else { same };
                let (a, b) = (self.operand(x, branch)?, self.operand(y, branch)?);
                Some(self.emit(|d| Ins::Select { d, c, a, b }))
            }
            Expr::Register(reg, index) => {
                let width = self.registers[*reg as usize].width.min(64);
                let index = self.operand(index, Need::Exact)?;
                let d = self.emit(|d| Ins::Mov { d, a: d, mask: 0 });
                self.code.push(Ins::RegRead {
                    d,
                    reg: *reg,
                    index,
                    width,
                });
                Some(d)
            }
            Expr::HeadersEqual(..) => None,
        }
    }

    fn fast_binary(&mut self, op: BinOp, x: &Expr, y: &Expr, same: Need) -> Option<W> {
        let exact = Need::Exact;
        macro_rules! both {
            ($need:expr, $ins:ident) => {{
                let (a, b) = (self.operand(x, $need)?, self.operand(y, $need)?);
                Some(self.emit(|d| Ins::$ins { d, a, b, mask: ALL }))
            }};
        }
        macro_rules! compare {
            ($x:expr, $y:expr, $ins:ident) => {{
                let (a, b) = (self.operand($x, exact)?, self.operand($y, exact)?);
                Some(self.emit(|d| Ins::$ins { d, a, b }))
            }};
        }
        match op {
            BinOp::Add => both!(same, Add),
            BinOp::Sub => both!(same, Sub),
            BinOp::Mul => both!(same, Mul),
            BinOp::Or => both!(same, Or),
            BinOp::Xor => both!(same, Xor),
            BinOp::Div => both!(exact, Div),
            BinOp::Mod => both!(exact, Mod),
            BinOp::And => {
                for (v, m) in [(x, y), (y, x)] {
                    if let Some(m) = constant(m).and_then(Num::as_u64) {
                        let bits = (64 - m.leading_zeros()).max(1);
                        let w = self.operand(v, Need::Low(bits))?;
                        return Some(self.cut(w, m));
                    }
                }
                both!(same, And)
            }
            BinOp::Shl => {
                let (a, b) = (self.operand(x, same)?, self.operand(y, exact)?);
                Some(self.emit(|d| Ins::Shl { d, a, b, mask: ALL }))
            }
            BinOp::Shr => {
                // The low k bits of x >> n are in the low k + n bits of x.
                let need = match (same, constant(y).and_then(Num::as_u64)) {
                    (Need::Low(k), Some(n))
                        if u64::from(k) + n <= 64 && bound(self, x).is_none() =>
                    {
                        Need::Low(k + n as u32)
                    }
                    _ => exact,
                };
                let (a, b) = (self.operand(x, need)?, self.operand(y, exact)?);
                Some(self.emit(|d| Ins::Shr { d, a, b, mask: ALL }))
            }
            BinOp::Eq => compare!(x, y, Eq),
            BinOp::Ne => compare!(x, y, Ne),
            BinOp::Lt => compare!(x, y, Lt),
            BinOp::Le => compare!(x, y, Le),
            BinOp::Gt => compare!(y, x, Lt),
            BinOp::Ge => compare!(y, x, Le),
            BinOp::LAnd => both!(exact, And),
            BinOp::LOr => both!(exact, Or),
            BinOp::TwoCompMod => {
                let width = constant(y)?.as_u64()?;
                match same {
                    // Only the low bits are used, and these the operation leaves alone.
                    Need::Low(k) if u64::from(k) <= width => self.operand(x, same),
                    _ => None,
                }
            }
            BinOp::UsatCast => {
                let max = mask(
                    u32::try_from(constant(y)?.as_u64()?)
                        .ok()
                        .filter(|&w| w <= 64)?,
                );
                match x {
                    Expr::Bin(BinOp::Add, a, b) => {
                        let (a, b) = (self.operand(a, exact)?, self.operand(b, exact)?);
                        Some(self.emit(|d| Ins::SatAdd { d, a, b, max }))
                    }
                    Expr::Bin(BinOp::Sub, a, b) => {
                        let (a, b) = (self.operand(a, exact)?, self.operand(b, exact)?);
                        Some(self.emit(|d| Ins::SatSub { d, a, b, max }))
                    }
                    _ => {
                        let a = self.operand(x, exact)?;
                        Some(self.emit(|d| Ins::Min { d, a, max }))
                    }
                }
            }
            BinOp::SatCast => None,
        }
    }

    /// Compiles `e`, as instructions or else as a tree; `None` if its value does not fit a word.
    fn operand(&mut self, e: &Expr, need: Need) -> Option<W> {
        let (code, temps) = (self.code.len(), self.next_temp);
        if let Some(w) = self.fast(e, need) {
            return Some(w);
        }
        self.code.truncate(code);
        self.next_temp = temps;
        let width = match need {
            Need::Low(k) => k,
            Need::Exact => {
                bound(self, e)?;
                64
            }
        };
        Some(self.tree(e, width))
    }

    fn tree(&mut self, e: &Expr, width: u32) -> W {
        self.exprs.push(e.clone());
        let expr = (self.exprs.len() - 1) as u32;
        let d = self.temp();
        self.code.push(Ins::Slow { d, expr, width });
        d
    }

    /// A word with the low `width` (1 to 64) bits of `e`, and zeros above.
    pub(super) fn word(&mut self, e: &Expr, width: u32) -> W {
        if bound(self, e).is_some_and(|b| b <= mask(width))
            && let Some(w) = self.operand(e, Need::Exact)
        {
            return w;
        }
        match self.operand(e, Need::Low(width)) {
            Some(w) => self.cut(w, mask(width)),
            None => self.tree(e, width),
        }
    }

    /// A word that is 0 or 1.
    pub(super) fn condition(&mut self, e: &Expr) -> W {
        match self.operand(e, Need::Exact) {
            Some(w) => w,
            None => self.tree(e, 1),
        }
    }

    /// Stores `e` into a field, cut to its width.
    pub(super) fn store(&mut self, f: FieldRef, e: &Expr) {
        if f.width > 64 {
            match e {
                Expr::Field(s) if s.width == f.width => {
                    self.code.push(Ins::Copy {
                        d: f.word,
                        a: s.word,
                        n: limbs(f.width),
                    });
                }
                Expr::Const(v) => {
                    for i in 0..limbs(f.width) {
                        let a = self.constant(v.limb(i));
                        let mask = crate::value::limb_mask(f.width, i);
                        self.code.push(Ins::Mov {
                            d: f.word + i,
                            a,
                            mask,
                        });
                    }
                }
                _ => {
                    self.exprs.push(e.clone());
                    let expr = (self.exprs.len() - 1) as u32;
                    self.code.push(Ins::Slow {
                        d: f.word,
                        expr,
                        width: f.width,
                    });
                }
            }
            return;
        }
        let w = self.word(e, f.width);
        // Let the instruction that made the value write the field itself.
        if self.temps.contains(&w)
            && let Some(last) = self.code.last_mut()
            && let Some(d) = destination(last)
            && *d == w
        {
            *d = f.word;
            return;
        }
        self.code.push(Ins::Mov {
            d: f.word,
            a: w,
            mask: mask(f.width),
        });
    }
}

/// The destination of an instruction that does nothing but compute one word.
fn destination(ins: &mut Ins) -> Option<&mut W> {
    match ins {
        Ins::Eq { d, .. }
        | Ins::Ne { d, .. }
        | Ins::Lt { d, .. }
        | Ins::Le { d, .. }
        | Ins::Select { d, .. }
        | Ins::Min { d, .. }
        | Ins::SatAdd { d, .. }
        | Ins::SatSub { d, .. }
        | Ins::Slow { d, .. } => Some(d),
        other => mask_of(other).map(|(d, _)| d),
    }
}
