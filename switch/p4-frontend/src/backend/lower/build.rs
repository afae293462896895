// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Expressions built with their constants folded, and what they read.

use num_bigint::BigInt;
use num_traits::Zero;

use crate::ast::{BinaryOp, UnaryOp};
use crate::backend::ir::{
    Ex, ExKind, HeaderId, HeaderRef, Op, Place, Program, Scalar, ScalarId, St, StackId,
};
use crate::sema::fold;
use crate::sema::types::wrap;

impl Ex {
    /// A number.
    pub fn int(value: impl Into<BigInt>, ty: Scalar) -> Ex {
        let value = value.into();
        let value = match ty {
            Scalar::Bits { width, signed } => wrap(&value, width, signed),
            _ => value,
        };
        Ex {
            kind: ExKind::Int(value),
            ty,
        }
    }

    /// A truth value.
    pub fn bool(value: bool) -> Ex {
        Ex {
            kind: ExKind::Bool(value),
            ty: Scalar::Bool,
        }
    }

    /// What a place holds.
    pub fn place(place: Place, ty: Scalar) -> Ex {
        Ex {
            kind: ExKind::Place(place),
            ty,
        }
    }

    /// The number, if constant; truth values count as 0 and 1.
    pub fn as_int(&self) -> Option<BigInt> {
        match &self.kind {
            ExKind::Int(v) => Some(v.clone()),
            ExKind::Bool(b) => Some(BigInt::from(u8::from(*b))),
            _ => None,
        }
    }

    /// Whether it is a constant.
    pub fn is_constant(&self) -> bool {
        matches!(self.kind, ExKind::Int(_) | ExKind::Bool(_) | ExKind::Str(_))
    }

    /// Whether reading it costs nothing: a constant or a place.
    pub fn is_simple(&self) -> bool {
        self.is_constant() || matches!(self.kind, ExKind::Place(_) | ExKind::Param(_))
    }

    /// `!e`
    pub fn negated(self) -> Ex {
        match self.kind {
            ExKind::Bool(b) => Ex::bool(!b),
            ExKind::Unary(UnaryOp::Not, inner) => *inner,
            _ => Ex {
                kind: ExKind::Unary(UnaryOp::Not, Box::new(self)),
                ty: Scalar::Bool,
            },
        }
    }

    /// `a && b`
    pub fn and(a: Ex, b: Ex) -> Ex {
        match (&a.kind, &b.kind) {
            (ExKind::Bool(true), _) => b,
            (ExKind::Bool(false), _) => a,
            (_, ExKind::Bool(true)) => a,
            _ => Ex {
                kind: ExKind::Binary(BinaryOp::And, Box::new(a), Box::new(b)),
                ty: Scalar::Bool,
            },
        }
    }

    /// `a || b`
    pub fn or(a: Ex, b: Ex) -> Ex {
        match (&a.kind, &b.kind) {
            (ExKind::Bool(false), _) => b,
            (ExKind::Bool(true), _) => a,
            (_, ExKind::Bool(false)) => a,
            _ => Ex {
                kind: ExKind::Binary(BinaryOp::Or, Box::new(a), Box::new(b)),
                ty: Scalar::Bool,
            },
        }
    }

    /// Prefix operators.
    pub fn unary(op: UnaryOp, a: Ex) -> Ex {
        if op == UnaryOp::Not {
            return a.negated();
        }
        if op == UnaryOp::Plus {
            return a;
        }
        if let (ExKind::Int(v), Scalar::Bits { width, signed }) = (&a.kind, a.ty)
            && let Some(v) = fold::unary(op, v, Some((width, signed)))
        {
            return Ex::int(v, a.ty);
        }
        let ty = a.ty;
        Ex {
            kind: ExKind::Unary(op, Box::new(a)),
            ty,
        }
    }

    /// Infix operators; the operands have the types that the checker gave them.
    pub fn binary(op: BinaryOp, a: Ex, b: Ex, ty: Scalar) -> Ex {
        match op {
            BinaryOp::And => return Ex::and(a, b),
            BinaryOp::Or => return Ex::or(a, b),
            _ => {}
        }
        if let (Some(x), Some(y)) = (a.as_int(), b.as_int()) {
            if let Some(v) = fold::compare(op, &x, &y) {
                return Ex::bool(v);
            }
            if let (
                BinaryOp::Concat,
                Scalar::Bits { width: wa, signed },
                Scalar::Bits { width: wb, .. },
            ) = (op, a.ty, b.ty)
            {
                return Ex::int(fold::concat(&x, wa, &y, wb, signed), ty);
            }
            let shape = match ty {
                Scalar::Bits { width, signed } => Some((width, signed)),
                _ => None,
            };
            if let Some(Ok(v)) = fold::arithmetic(op, &x, &y, shape) {
                return Ex::int(v, ty);
            }
        }
        if a.ty == Scalar::Bool {
            // b == true, b != false, ...
            match (op, &a.kind, &b.kind) {
                (BinaryOp::Eq, _, ExKind::Bool(v)) => return if *v { a } else { a.negated() },
                (BinaryOp::Ne, _, ExKind::Bool(v)) => return if *v { a.negated() } else { a },
                _ => {}
            }
        }
        let zero = |e: &Ex| matches!(&e.kind, ExKind::Int(v) if v.is_zero());
        match op {
            BinaryOp::Add
            | BinaryOp::Sub
            | BinaryOp::BitOr
            | BinaryOp::BitXor
            | BinaryOp::Shl
            | BinaryOp::Shr
                if zero(&b) && a.ty == ty =>
            {
                return a;
            }
            _ => {}
        }
        Ex {
            kind: ExKind::Binary(op, Box::new(a), Box::new(b)),
            ty,
        }
    }

    /// `c ? a : b`
    pub fn mux(c: Ex, a: Ex, b: Ex) -> Ex {
        if let ExKind::Bool(v) = c.kind {
            return if v { a } else { b };
        }
        if a == b {
            return a;
        }
        let ty = a.ty;
        Ex {
            kind: ExKind::Mux(Box::new(c), Box::new(a), Box::new(b)),
            ty,
        }
    }

    /// `(ty) a`
    pub fn cast(a: Ex, ty: Scalar) -> Ex {
        if a.ty == ty {
            return a;
        }
        match (a.as_int(), ty) {
            (Some(v), Scalar::Bits { .. }) => return Ex::int(v, ty),
            (Some(v), Scalar::Bool) => return Ex::bool(!v.is_zero()),
            _ => {}
        }
        Ex {
            kind: ExKind::Cast(Box::new(a)),
            ty,
        }
    }

    /// `a[hi:lo]`
    pub fn slice(a: Ex, hi: u32, lo: u32) -> Ex {
        let ty = Scalar::Bits {
            width: hi - lo + 1,
            signed: false,
        };
        if let Some(v) = a.as_int() {
            return Ex::int(fold::slice(&v, hi, lo), ty);
        }
        if a.ty == ty {
            return a;
        }
        if let ExKind::Slice(inner, _, base) = a.kind {
            return Ex::slice(*inner, hi + base, lo + base);
        }
        Ex {
            kind: ExKind::Slice(Box::new(a), hi, lo),
            ty,
        }
    }

    /// Calls `f` for each operand.
    pub fn children(&self, f: &mut dyn FnMut(&Ex)) {
        match &self.kind {
            ExKind::Unary(_, a) | ExKind::Cast(a) | ExKind::Slice(a, ..) => f(a),
            ExKind::Binary(_, a, b) => {
                f(a);
                f(b);
            }
            ExKind::Mux(a, b, c) => {
                f(a);
                f(b);
                f(c);
            }
            ExKind::Place(Place::Field(HeaderRef::Element(_, i), _))
            | ExKind::Valid(HeaderRef::Element(_, i)) => f(i),
            _ => {}
        }
    }
}

/// A piece of state that statements read and write.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Loc {
    /// A variable.
    Scalar(ScalarId),
    /// A field.
    Field(HeaderId, usize),
    /// A header with its validity.
    Header(HeaderId),
    /// A stack with all its headers.
    Stack(StackId),
    /// The packet, or anything outside the program.
    World,
}

/// Whether writing one may change the other.
pub fn overlap(p: &Program, a: Loc, b: Loc) -> bool {
    let header = |l: Loc| match l {
        Loc::Field(h, _) | Loc::Header(h) => Some(h),
        _ => None,
    };
    match (a, b) {
        (Loc::World, Loc::World) => true,
        (Loc::Scalar(x), Loc::Scalar(y)) => x == y,
        (Loc::Field(h, f), Loc::Field(i, g)) => h == i && f == g,
        (Loc::Stack(s), Loc::Stack(t)) => s == t,
        (Loc::Stack(s), other) | (other, Loc::Stack(s)) => {
            header(other).is_some_and(|h| p.headers.get(h).is_some_and(|h| h.stack == Some(s)))
        }
        (x, y) => match (header(x), header(y)) {
            (Some(h), Some(i)) => h == i,
            _ => false,
        },
    }
}

/// Whether any of two sets overlap.
pub fn any_overlap(p: &Program, a: &[Loc], b: &[Loc]) -> bool {
    a.iter().any(|x| b.iter().any(|y| overlap(p, *x, *y)))
}

/// The location of a header.
pub fn header_loc(h: &HeaderRef) -> Loc {
    match h {
        HeaderRef::Instance(h) => Loc::Header(*h),
        HeaderRef::Next(s) | HeaderRef::Last(s) | HeaderRef::Element(s, _) => Loc::Stack(*s),
    }
}

/// The location of a place.
pub fn place_loc(p: &Place) -> Loc {
    match p {
        Place::Scalar(s) => Loc::Scalar(*s),
        Place::Field(HeaderRef::Instance(h), f) => Loc::Field(*h, *f),
        Place::Field(h, _) => header_loc(h),
    }
}

/// Adds what an expression reads.
pub fn reads(e: &Ex, out: &mut Vec<Loc>) {
    match &e.kind {
        ExKind::Place(p) => out.push(place_loc(p)),
        ExKind::Valid(h) => out.push(header_loc(h)),
        ExKind::LastIndex(s) => out.push(Loc::Stack(*s)),
        ExKind::Lookahead(..) => out.push(Loc::World),
        _ => {}
    }
    e.children(&mut |c| reads(c, out));
}

/// What an operation writes.
pub fn writes(op: &Op, standard_metadata: HeaderId, out: &mut Vec<Loc>) {
    match op {
        Op::Assign(p, _)
        | Op::RegisterRead(p, ..)
        | Op::ExecuteMeter(_, _, p)
        | Op::ReadDirectMeter(_, p)
        | Op::Random(p, ..)
        | Op::Filter { dst: p, .. }
        | Op::Hash { dst: p, .. } => out.push(place_loc(p)),
        Op::AssignHeader(h, _)
        | Op::SetValid(h)
        | Op::SetInvalid(h)
        | Op::Extract(h)
        | Op::ExtractVar(h, _) => {
            out.push(header_loc(h));
        }
        Op::AssignStack(s, _) | Op::Push(s, _) | Op::Pop(s, _) => out.push(Loc::Stack(*s)),
        Op::MarkToDrop | Op::Verify(..) => out.push(Loc::Header(standard_metadata)),
        Op::RegisterWrite(..)
        | Op::Count(..)
        | Op::Truncate(_)
        | Op::Log(..)
        | Op::Assert(..)
        | Op::Exit
        | Op::Jump(_)
        | Op::JumpIfZero(..)
        | Op::Advance(_)
        | Op::Clone { .. }
        | Op::Resubmit(_)
        | Op::Recirculate(_)
        | Op::Digest(..) => out.push(Loc::World),
    }
}

/// Calls `f` for each expression of an operation.
pub fn operands(op: &Op, f: &mut dyn FnMut(&Ex)) {
    match op {
        Op::Assign(_, e)
        | Op::ExtractVar(_, e)
        | Op::Advance(e)
        | Op::RegisterRead(_, _, e)
        | Op::Count(_, e)
        | Op::ExecuteMeter(_, e, _)
        | Op::Truncate(e)
        | Op::Assert(e, _)
        | Op::Clone { session: e, .. }
        | Op::JumpIfZero(e, _)
        | Op::Digest(e, _) => f(e),
        Op::Verify(a, b) | Op::RegisterWrite(_, a, b) | Op::Random(_, a, b) => {
            f(a);
            f(b);
        }
        Op::Hash {
            base: a, max: b, ..
        }
        | Op::Filter {
            index: a, value: b, ..
        } => {
            f(a);
            f(b);
        }
        Op::Log(_, Some(list)) => list.iter().for_each(f),
        _ => {}
    }
}

/// Adds what statements write.
pub fn all_writes(stmts: &[St], standard_metadata: HeaderId, out: &mut Vec<Loc>) {
    for s in stmts {
        match s {
            St::Op(op, _) => writes(op, standard_metadata, out),
            St::If(_, a, b, _) => {
                all_writes(a, standard_metadata, out);
                all_writes(b, standard_metadata, out);
            }
            St::Scope(_, b) | St::Loop(b) | St::Atomic(b) => all_writes(b, standard_metadata, out),
            St::Apply { .. } => out.push(Loc::World),
            St::Leave(_) | St::Exit(_) => {}
        }
    }
}
