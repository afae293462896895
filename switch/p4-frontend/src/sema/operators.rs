// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Operators (sections 8.5 to 8.7): their operands, their types, and their values where these are constant.

use std::rc::Rc;

use num_bigint::BigInt;
use num_traits::Signed;

use super::fold;
use super::hir::{Expr, ExprKind};
use super::types::{Ty, Type};
use super::{Checker, MAX_WIDTH};
use crate::ast::{BinaryOp, Name, UnaryOp};
use crate::budget::STRING_BYTES;
use crate::diag::Warning;
use crate::source::Span;

impl Checker<'_> {
    pub(super) fn unary(&mut self, op: UnaryOp, a: Expr, span: Span) -> Expr {
        if a.is_poison() {
            return Expr::poison(span);
        }
        if op == UnaryOp::Not {
            if !matches!(*a.ty, Type::Bool) {
                self.error(span, format!("Cannot apply ! to value of type '{}'", a.ty));
                return Expr::poison(span);
            }
            return match a.kind {
                ExprKind::Bool(b) => Expr::new(ExprKind::Bool(!b), self.bool_type(), span),
                _ => Expr::new(ExprKind::Unary(op, Box::new(a)), self.bool_type(), span),
            };
        }
        let a = self.underlying_value(a);
        let shape = match &*a.ty {
            Type::Int if op != UnaryOp::Complement => None,
            Type::Bits { width, signed } => Some((*width, *signed)),
            t => {
                self.error(
                    span,
                    format!("Cannot apply {} to value of type '{t}'", op.as_str()),
                );
                return Expr::poison(span);
            }
        };
        let ty = a.ty.clone();
        if let Some(v) = a.as_int().and_then(|v| fold::unary(op, v, shape)) {
            return Expr::new(ExprKind::Int(v), ty, span);
        }
        if op == UnaryOp::Plus {
            return Expr { span, ..a };
        }
        Expr::new(ExprKind::Unary(op, Box::new(a)), ty, span)
    }

    fn operands(&mut self, op: BinaryOp, a: &Type, b: &Type, span: Span) -> Expr {
        self.error(
            span,
            format!(
                "{}: Cannot operate on values with different types '{a}' and '{b}'",
                op.as_str()
            ),
        );
        Expr::poison(span)
    }

    pub(super) fn binary(&mut self, op: BinaryOp, a: Expr, b: Expr, span: Span) -> Expr {
        if a.is_poison() || b.is_poison() {
            return Expr::poison(span);
        }
        match op {
            BinaryOp::And | BinaryOp::Or => {
                for e in [&a, &b] {
                    if !matches!(*e.ty, Type::Bool) {
                        self.error(
                            e.span,
                            format!("{}: not defined on type '{}'", op.as_str(), e.ty),
                        );
                        return Expr::poison(span);
                    }
                }
                match (&a.kind, op) {
                    (ExprKind::Bool(true), BinaryOp::And)
                    | (ExprKind::Bool(false), BinaryOp::Or) => Expr { span, ..b },
                    (ExprKind::Bool(v), _) => Expr::new(ExprKind::Bool(*v), self.bool_type(), span),
                    _ => Expr::new(
                        ExprKind::Binary(op, Box::new(a), Box::new(b)),
                        self.bool_type(),
                        span,
                    ),
                }
            }
            BinaryOp::Eq | BinaryOp::Ne => self.equality(op, a, b, span),
            BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge => {
                let (ta, tb) = (a.ty.clone(), b.ty.clone());
                let Some((a, b)) = self.unite(a, b) else {
                    return self.operands(op, &ta, &tb, span);
                };
                let (a, b) = (self.underlying_value(a), self.underlying_value(b));
                if !matches!(*a.ty, Type::Int | Type::Bits { .. }) {
                    self.error(
                        span,
                        format!("{}: not defined on values of type '{}'", op.as_str(), a.ty),
                    );
                    return Expr::poison(span);
                }
                if let (Some(x), Some(y)) = (a.as_int(), b.as_int())
                    && let Some(v) = fold::compare(op, x, y)
                {
                    return Expr::new(ExprKind::Bool(v), self.bool_type(), span);
                }
                Expr::new(
                    ExprKind::Binary(op, Box::new(a), Box::new(b)),
                    self.bool_type(),
                    span,
                )
            }
            BinaryOp::Concat => self.concat(a, b, span),
            BinaryOp::Shl | BinaryOp::Shr => self.shift(op, a, b, span),
            _ => self.arithmetic(op, a, b, span),
        }
    }

    fn equality(&mut self, op: BinaryOp, a: Expr, b: Expr, span: Span) -> Expr {
        let (ta, tb) = (a.ty.clone(), b.ty.clone());
        let Some((a, b)) = self.unite(a, b) else {
            self.error(
                span,
                format!(
                    "{}: Cannot compare values of type '{ta}' and '{tb}'",
                    op.as_str()
                ),
            );
            return Expr::poison(span);
        };
        let comparable = !matches!(
            *a.ty,
            Type::Void
                | Type::MatchKind
                | Type::DontCare
                | Type::List(_)
                | Type::ListExpr(_)
                | Type::StructExpr(_)
                | Type::Extern(_)
                | Type::Parser(_)
                | Type::Control(_)
                | Type::Package(_)
                | Type::Table
                | Type::ApplyResult
                | Type::ActionRun
                | Type::Set(_)
                | Type::Var(..)
        );
        if !comparable {
            self.error(
                span,
                format!("{}: not defined on values of type '{}'", op.as_str(), a.ty),
            );
            return Expr::poison(span);
        }
        let known = match (&a.kind, &b.kind) {
            (ExprKind::Int(x), ExprKind::Int(y)) => Some(x == y),
            (ExprKind::Bool(x), ExprKind::Bool(y)) => Some(x == y),
            (ExprKind::EnumMember(_, x), ExprKind::EnumMember(_, y)) => Some(x == y),
            (ExprKind::ErrorCode(x), ExprKind::ErrorCode(y)) => Some(x == y),
            (ExprKind::Str(x), ExprKind::Str(y)) => Some(x == y),
            _ => None,
        };
        match known {
            Some(same) => Expr::new(
                ExprKind::Bool(same == (op == BinaryOp::Eq)),
                self.bool_type(),
                span,
            ),
            None => Expr::new(
                ExprKind::Binary(op, Box::new(a), Box::new(b)),
                self.bool_type(),
                span,
            ),
        }
    }

    fn concat(&mut self, a: Expr, b: Expr, span: Span) -> Expr {
        if let (ExprKind::Str(x), ExprKind::Str(y)) = (&a.kind, &b.kind) {
            if x.len() + y.len() > STRING_BYTES {
                let what = format!("++: a string of more than {STRING_BYTES} bytes");
                self.error(span, what);
                return Expr::poison(span);
            }
            let joined: Name = format!("{x}{y}").into();
            return Expr::new(ExprKind::Str(joined), Rc::new(Type::String), span);
        }
        let (a, b) = (self.underlying_value(a), self.underlying_value(b));
        match (&*a.ty, &*b.ty) {
            (Type::Bits { width: wa, signed }, Type::Bits { width: wb, .. }) => {
                let (wa, wb, signed) = (*wa, *wb, *signed);
                if wa + wb > MAX_WIDTH {
                    self.error(
                        span,
                        format!(
                            "{}: Compiler only supports widths up to {MAX_WIDTH}",
                            wa + wb
                        ),
                    );
                    return Expr::poison(span);
                }
                let ty = Rc::new(Type::Bits {
                    width: wa + wb,
                    signed,
                });
                if let (Some(x), Some(y)) = (a.as_int(), b.as_int()) {
                    return Expr::new(ExprKind::Int(fold::concat(x, wa, y, wb, signed)), ty, span);
                }
                Expr::new(
                    ExprKind::Binary(BinaryOp::Concat, Box::new(a), Box::new(b)),
                    ty,
                    span,
                )
            }
            (Type::Int, _) | (_, Type::Int) => {
                self.error(span, "Please specify widths of both operands of ++");
                Expr::poison(span)
            }
            (ta, tb) => {
                self.error(
                    span,
                    format!("++: Concatenation not defined on '{ta}' and '{tb}'"),
                );
                Expr::poison(span)
            }
        }
    }

    fn shift(&mut self, op: BinaryOp, a: Expr, b: Expr, span: Span) -> Expr {
        let (a, b) = (self.underlying_value(a), self.underlying_value(b));
        let shape = match &*a.ty {
            Type::Int => {
                if a.as_int().is_some() && b.as_int().is_none() && !b.is_compile_time() {
                    self.error(
                        a.span,
                        format!(
                            "{}: Width of left operand of shift needs to be specified",
                            op.as_str()
                        ),
                    );
                    return Expr::poison(span);
                }
                None
            }
            Type::Bits { width, signed } => Some((*width, *signed)),
            t => {
                self.error(
                    span,
                    format!(
                        "{} left operand of shift must be a numeric type, not '{t}'",
                        op.as_str()
                    ),
                );
                return Expr::poison(span);
            }
        };
        match &*b.ty {
            Type::Int | Type::Bits { signed: false, .. } => {}
            // Of a constant it is known that it is not negative.
            Type::Bits { .. } if b.as_int().is_some() => {}
            t => {
                self.error(
                    b.span,
                    format!(
                        "{}: Shift amount must be an unsigned number, not '{t}'",
                        op.as_str()
                    ),
                );
                return Expr::poison(span);
            }
        }
        if let Some(n) = b.as_int() {
            if n.is_negative() {
                self.error(
                    b.span,
                    format!("{}: Negative shift amount {n}", op.as_str()),
                );
                return Expr::poison(span);
            }
            if let Some((width, _)) = shape
                && *n >= BigInt::from(width)
            {
                self.diags.warning(
                    Warning::Overflow,
                    span,
                    format!("{}: shifting value with {width} bits by {n}", op.as_str()),
                );
            }
        }
        let ty = a.ty.clone();
        if let (Some(x), Some(n)) = (a.as_int(), b.as_int()) {
            return self.folded(fold::arithmetic(op, x, n, shape), ty, span);
        }
        Expr::new(ExprKind::Binary(op, Box::new(a), Box::new(b)), ty, span)
    }

    fn folded(
        &mut self,
        value: Option<Result<BigInt, fold::FoldError>>,
        ty: Ty,
        span: Span,
    ) -> Expr {
        match value {
            Some(Ok(v)) => Expr::new(ExprKind::Int(v), ty, span),
            Some(Err(e)) => {
                self.error(span, e.message());
                Expr::poison(span)
            }
            None => Expr::poison(span),
        }
    }

    fn arithmetic(&mut self, op: BinaryOp, a: Expr, b: Expr, span: Span) -> Expr {
        let (a, b) = (self.underlying_value(a), self.underlying_value(b));
        let (ta, tb) = (a.ty.clone(), b.ty.clone());
        for t in [&ta, &tb] {
            if !matches!(**t, Type::Int | Type::Bits { .. }) {
                self.error(
                    span,
                    format!("{}: cannot be applied to values of type '{t}'", op.as_str()),
                );
                return Expr::poison(span);
            }
        }
        let division = matches!(op, BinaryOp::Div | BinaryOp::Mod);
        if division
            && b.as_int()
                .is_some_and(|n| n.sign() == num_bigint::Sign::Minus)
        {
            let message = format!("{}: not defined on negative numbers", op.as_str());
            self.error(span, message);
            return Expr::poison(span);
        }
        let Some((a, b)) = self.unite(a, b) else {
            return self.operands(op, &ta, &tb, span);
        };
        let shape = match &*a.ty {
            Type::Bits { width, signed } => Some((*width, *signed)),
            _ => None,
        };
        if shape.is_none() && matches!(op, BinaryOp::AddSat | BinaryOp::SubSat) {
            self.error(
                span,
                format!("{}: please specify widths of operands", op.as_str()),
            );
            return Expr::poison(span);
        }
        let numbers = a.as_int().is_some() && b.as_int().is_some();
        if division && matches!(shape, Some((_, true))) && !numbers {
            self.error(
                span,
                format!(
                    "{}: not defined on signed values of type '{}'",
                    op.as_str(),
                    a.ty
                ),
            );
            return Expr::poison(span);
        }
        if division && b.as_int().is_some_and(num_traits::Zero::is_zero) {
            self.error(span, format!("{}: Division by zero", op.as_str()));
            return Expr::poison(span);
        }
        let ty = a.ty.clone();
        if let (Some(x), Some(y)) = (a.as_int(), b.as_int()) {
            let bits = fold::bit_length(x).saturating_add(fold::bit_length(y));
            if bits > 1 << 16 {
                self.error(span, "constant expression too large");
                return Expr::poison(span);
            }
            return self.folded(fold::arithmetic(op, x, y, shape), ty, span);
        }
        Expr::new(ExprKind::Binary(op, Box::new(a), Box::new(b)), ty, span)
    }

    pub(super) fn mux(&mut self, c: Expr, a: Expr, b: Expr, span: Span) -> Expr {
        if c.is_poison() || a.is_poison() || b.is_poison() {
            return Expr::poison(span);
        }
        if !matches!(*c.ty, Type::Bool) {
            self.error(
                c.span,
                format!("Selector of ?: must be bool, not '{}'", c.ty),
            );
            return Expr::poison(span);
        }
        if let ExprKind::Bool(v) = c.kind {
            // Both sides still have to agree.
            let (ta, tb) = (a.ty.clone(), b.ty.clone());
            return match self.unite(a, b) {
                Some((a, b)) => Expr {
                    span,
                    ..if v { a } else { b }
                },
                None => self.mux_types(&ta, &tb, span),
            };
        }
        let (ta, tb) = (a.ty.clone(), b.ty.clone());
        if matches!((&*ta, &*tb), (Type::Int, Type::Int)) && !c.is_compile_time() {
            self.error(
                span,
                "Width must be specified for at least one of the branches of ?:",
            );
            return Expr::poison(span);
        }
        match self.unite(a, b) {
            Some((a, b)) => {
                let ty = a.ty.clone();
                Expr::new(
                    ExprKind::Mux(Box::new(c), Box::new(a), Box::new(b)),
                    ty,
                    span,
                )
            }
            None => self.mux_types(&ta, &tb, span),
        }
    }

    fn mux_types(&mut self, a: &Type, b: &Type, span: Span) -> Expr {
        self.error(
            span,
            format!("Cannot unify the branches of ?: types '{a}' and '{b}'"),
        );
        Expr::poison(span)
    }
}
