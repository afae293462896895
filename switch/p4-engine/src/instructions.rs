// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! The instruction set, and the expression trees beside it.
//!
//! Instructions are three-address code over the word array of `program`: operands are indices of
//! words, results are cut by a mask. Expressions that 64-bit words cannot compute exactly are kept
//! as trees.

use crate::budget::WORDS;
use crate::num::Num;
use crate::program::FieldRef;

/// Index of a word.
pub(crate) type W = u32;

/// The place of a word in the array.
#[inline(always)]
pub(crate) fn at(w: W) -> usize {
    w as usize & (WORDS - 1)
}

/// What [`Ins::Calc`] computes of two words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Op {
    /// `a`
    Mov,
    Add,
    Sub,
    Mul,
    /// 0 if `b` is 0.
    Div,
    /// 0 if `b` is 0.
    Mod,
    And,
    Or,
    Xor,
    /// `!a`
    Not,
    /// 0 from 64 bits on.
    Shl,
    /// 0 from 64 bits on.
    Shr,
    Eq,
    Ne,
    Lt,
    Le,
    /// `min(a, mask)`: here and below the mask is the greatest result.
    Min,
    /// `min(a + b, mask)`
    SatAdd,
    /// `min(max(a - b, 0), mask)`
    SatSub,
}

impl Op {
    /// The result.
    #[inline(always)]
    pub fn apply(self, a: u64, b: u64, mask: u64) -> u64 {
        match self {
            Self::Mov => a & mask,
            Self::Add => a.wrapping_add(b) & mask,
            Self::Sub => a.wrapping_sub(b) & mask,
            Self::Mul => a.wrapping_mul(b) & mask,
            Self::Div => a.checked_div(b).unwrap_or(0) & mask,
            Self::Mod => a.checked_rem(b).unwrap_or(0) & mask,
            Self::And => a & b & mask,
            Self::Or => (a | b) & mask,
            Self::Xor => (a ^ b) & mask,
            Self::Not => !a & mask,
            Self::Shl => (if b < 64 { a << b } else { 0 }) & mask,
            Self::Shr => (if b < 64 { a >> b } else { 0 }) & mask,
            Self::Eq => u64::from(a == b) & mask,
            Self::Ne => u64::from(a != b) & mask,
            Self::Lt => u64::from(a < b) & mask,
            Self::Le => u64::from(a <= b) & mask,
            Self::Min => a.min(mask),
            Self::SatAdd => a.saturating_add(b).min(mask),
            Self::SatSub => a.saturating_sub(b).min(mask),
        }
    }

    /// Whether the mask cuts bits off, rather than being the greatest result.
    pub fn cuts(self) -> bool {
        !matches!(self, Self::Min | Self::SatAdd | Self::SatSub)
    }

    /// Whether the result is 0 or 1.
    pub fn compares(self) -> bool {
        matches!(self, Self::Eq | Self::Ne | Self::Lt | Self::Le)
    }
}

/// An instruction. `d` is the destination, the other single letters are operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Ins {
    /// The end of a block of code.
    End,
    /// Computes a word of words. Operations of one operand have it twice.
    Calc {
        op: Op,
        d: W,
        a: W,
        b: W,
        mask: u64,
    },
    /// `d = if c != 0 { a } else { b }`
    Select {
        d: W,
        c: W,
        a: W,
        b: W,
    },
    /// Copies `n` words.
    Copy {
        d: W,
        a: W,
        n: u32,
    },
    /// Evaluates tree `expr` and stores it as a field of `width` bits.
    Slow {
        d: W,
        expr: u32,
        width: u32,
    },
    /// Leaves `d` alone if the index is out of bounds.
    RegRead {
        d: W,
        reg: u32,
        index: W,
        width: u32,
    },
    RegWrite {
        reg: u32,
        index: W,
        a: W,
    },
    Count {
        counter: u32,
        index: W,
    },
    /// Uniform over [lo, hi].
    Random {
        d: W,
        lo: W,
        hi: W,
        mask: u64,
    },
    /// `d = base + hash % size`
    Hash {
        calc: u32,
        d: W,
        base: W,
        size: W,
    },
    AddHeader {
        header: u32,
    },
    RemoveHeader {
        header: u32,
    },
    AssignHeader {
        d: u32,
        a: u32,
    },
    /// Stores the port that drops.
    DropPort {
        d: W,
        mask: u64,
    },
    Exit,
    Assert {
        a: W,
    },
    Log {
        format: u32,
    },
    Truncate {
        a: W,
    },
    HeaderOp {
        op: u32,
    },
    IndexedStore {
        store: u32,
    },
    /// Stores the colour; leaves `d` alone if the index is out of bounds.
    Meter {
        meter: u32,
        index: W,
        d: W,
        mask: u64,
    },
    /// Gives a sample to a cell of a filter.
    Filter {
        filter: u32,
        index: W,
        a: W,
        d: W,
        mask: u64,
    },
    /// Sends a digest at the end of the pipeline.
    Digest {
        digest: u32,
    },
    /// Clones the packet at the end of the pipeline, with a list of preserved fields.
    Clone {
        session: W,
        list: u32,
    },
    Resubmit {
        list: u32,
    },
    Recirculate {
        list: u32,
    },
    Jump {
        pc: u32,
    },
    JumpIfZero {
        a: W,
        pc: u32,
    },
    /// Jumps back, a limited number of times in a block of code.
    Back {
        pc: u32,
    },
}

impl Ins {
    /// `d = a & mask`
    pub fn mov(d: W, a: W, mask: u64) -> Self {
        Self::unary(Op::Mov, d, a, mask)
    }

    /// An operation of one operand.
    pub fn unary(op: Op, d: W, a: W, mask: u64) -> Self {
        let b = a;
        Self::Calc { op, d, a, b, mask }
    }

    /// The destination of an instruction that only computes a word from words.
    pub fn pure(&mut self) -> Option<&mut W> {
        match self {
            Self::Calc { d, .. } | Self::Select { d, .. } => Some(d),
            _ => None,
        }
    }

    /// The first word that an instruction writes, and how many bits from there. What it writes
    /// beyond that (headers, for example) is not said.
    pub fn written(mut self) -> Option<(W, u32)> {
        match self {
            Self::Slow { d, width, .. } | Self::RegRead { d, width, .. } => Some((d, width)),
            Self::Copy { d, n, .. } => Some((d, n * 64)),
            Self::Random { d, .. }
            | Self::Meter { d, .. }
            | Self::Filter { d, .. }
            | Self::Hash { d, .. }
            | Self::DropPort { d, .. } => Some((d, 64)),
            _ => self.pure().map(|d| (*d, 64)),
        }
    }

    /// The single words that an instruction reads as operands. (What it reads beyond these, such
    /// as headers, are no temporaries.)
    pub fn operands_mut(&mut self) -> [Option<&mut W>; 3] {
        match self {
            Self::Calc { a, b, .. } => [Some(a), Some(b), None],
            Self::Select { c, a, b, .. } => [Some(c), Some(a), Some(b)],
            Self::Assert { a } | Self::Truncate { a } | Self::JumpIfZero { a, .. } => {
                [Some(a), None, None]
            }
            Self::RegRead { index, .. } | Self::Count { index, .. } | Self::Meter { index, .. } => {
                [Some(index), None, None]
            }
            Self::RegWrite { index, a, .. } | Self::Filter { index, a, .. } => {
                [Some(index), Some(a), None]
            }
            Self::Random { lo, hi, .. } => [Some(lo), Some(hi), None],
            Self::Hash { base, size, .. } => [Some(base), Some(size), None],
            Self::Clone { session, .. } => [Some(session), None, None],
            _ => [None, None, None],
        }
    }

    /// The same, to read.
    pub fn operands(mut self) -> impl Iterator<Item = W> {
        self.operands_mut()
            .map(|w| w.map(|w| *w))
            .into_iter()
            .flatten()
    }
}

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
    /// Calls `f` with the expression and all those within it.
    pub fn visit(&self, f: &mut dyn FnMut(&Self)) {
        f(self);
        match self {
            Self::Const(_)
            | Self::Bool(_)
            | Self::Field(_)
            | Self::Flag(_)
            | Self::HeadersEqual(..) => {}
            Self::Un(_, a)
            | Self::Register(_, a)
            | Self::IndexedValid(_, a)
            | Self::Indexed { index: a, .. } => a.visit(f),
            Self::Bin(_, a, b) => [a, b].into_iter().for_each(|e| e.visit(f)),
            Self::Cond(c, a, b) => [c, a, b].into_iter().for_each(|e| e.visit(f)),
        }
    }

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
