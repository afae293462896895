// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Expressions (section 8).

use std::rc::Rc;

use num_bigint::BigInt;
use num_traits::{Signed, ToPrimitive};

use super::fold;
use super::hir::{Builtin, Callee, Expr, ExprKind, VarKind};
use super::types::{StructKind, Ty, Type};
use super::{Checker, Entity, MAX_WIDTH, TypeEntity};
use crate::ast::{self, BinaryOp, Direction, Name, TypeKind, UnaryOp};
use crate::diag::Warning;
use crate::source::Span;

impl Checker<'_> {
    /// Checks an expression.
    pub(super) fn expr(&mut self, e: &ast::Expr) -> Expr {
        self.nested(e.span, Expr::poison(e.span), |c| c.expr_inner(e))
    }

    fn bool_type(&self) -> Ty {
        Rc::new(Type::Bool)
    }

    fn expr_inner(&mut self, e: &ast::Expr) -> Expr {
        let span = e.span;
        match &e.kind {
            ast::ExprKind::Int(lit) => match lit.width {
                None => Expr::new(ExprKind::Int(lit.value.clone()), Rc::new(Type::Int), span),
                Some(w) => {
                    if w.bits > MAX_WIDTH {
                        self.error(
                            span,
                            format!(
                                "{}: Compiler only supports widths up to {MAX_WIDTH}",
                                w.bits
                            ),
                        );
                        return Expr::poison(span);
                    }
                    // Strings of no bits have the value 0 (section 7.1.6.2), signed numbers at least one bit (7.1.6.3).
                    if w.signed && w.bits == 0 {
                        self.error(span, format!("{}: Illegal bit size", w.bits));
                        return Expr::poison(span);
                    }
                    let value = self.fit(&lit.value, w.bits, w.signed, span);
                    Expr::new(
                        ExprKind::Int(value),
                        Rc::new(Type::Bits {
                            width: w.bits,
                            signed: w.signed,
                        }),
                        span,
                    )
                }
            },
            ast::ExprKind::Bool(b) => Expr::new(ExprKind::Bool(*b), self.bool_type(), span),
            ast::ExprKind::String(s) => {
                Expr::new(ExprKind::Str(s.clone()), Rc::new(Type::String), span)
            }
            ast::ExprKind::This => {
                self.unsupported(span, "'this'");
                Expr::poison(span)
            }
            ast::ExprKind::Dots => Expr::new(ExprKind::Dots, Rc::new(Type::Dots), span),
            ast::ExprKind::Invalid => Expr::new(ExprKind::Invalid, Rc::new(Type::Invalid), span),
            ast::ExprKind::Name(path) => self.name(path, span),
            ast::ExprKind::Type(t) => {
                self.error(t.span, "type used where an expression is expected");
                Expr::poison(span)
            }
            ast::ExprKind::Member { base, member } => self.member(base, member, span),
            ast::ExprKind::Index { base, index } => self.index(base, index, span),
            ast::ExprKind::Slice { base, hi, lo } => {
                let b = self.expr(base);
                let hi = self.constant_size(hi, "slice bound");
                let lo = self.constant_size(lo, "slice bound");
                match (hi, lo) {
                    (Some(hi), Some(lo)) => self.slice(b, hi, lo, span),
                    _ => Expr::poison(span),
                }
            }
            ast::ExprKind::PlusSlice { base, lo, width } => {
                let b = self.expr(base);
                let lo_expr = self.expr(lo);
                let width = self.constant_size(width, "slice width");
                let (Some(width), false) = (width, lo_expr.is_poison()) else {
                    return Expr::poison(span);
                };
                match lo_expr.as_int().map(ToPrimitive::to_u32) {
                    Some(Some(lo)) if width > 0 && lo.checked_add(width).is_some() => {
                        self.slice(b, lo + width - 1, lo, span)
                    }
                    Some(_) => {
                        self.error(span, "slice out of range");
                        Expr::poison(span)
                    }
                    None => match &*b.ty {
                        Type::Bits { width: whole, .. } if width > 0 && width <= *whole => {
                            let plain = Type::bits(*whole);
                            let b = self.cast(b, &plain, span);
                            let shifted = self.binary(BinaryOp::Shr, b, lo_expr, span);
                            self.slice(shifted, width - 1, 0, span)
                        }
                        Type::Poison => Expr::poison(span),
                        t => {
                            self.error(
                                span,
                                format!("slice of {width} bits out of range of type '{t}'"),
                            );
                            Expr::poison(span)
                        }
                    },
                }
            }
            ast::ExprKind::List(items) => {
                let items: Vec<Expr> = items.iter().map(|i| self.expr(i)).collect();
                let ty = Rc::new(Type::ListExpr(items.iter().map(|i| i.ty.clone()).collect()));
                Expr::new(ExprKind::List(items), ty, span)
            }
            ast::ExprKind::Struct { fields, dots } => {
                let mut items: Vec<(Name, Expr)> = fields
                    .iter()
                    .map(|f| (f.name.name.clone(), self.expr(&f.value)))
                    .collect();
                if let Some(d) = dots {
                    items.push((
                        "...".into(),
                        Expr::new(ExprKind::Dots, Rc::new(Type::Dots), *d),
                    ));
                }
                let ty = Rc::new(Type::StructExpr(
                    items
                        .iter()
                        .map(|(n, e)| (n.clone(), e.ty.clone()))
                        .collect(),
                ));
                Expr::new(ExprKind::NamedList(items), ty, span)
            }
            ast::ExprKind::Unary { op, operand } => {
                let a = self.expr(operand);
                self.unary(*op, a, span)
            }
            ast::ExprKind::Binary {
                op, left, right, ..
            } => {
                let l = self.expr(left);
                let r = self.expr(right);
                self.binary(*op, l, r, span)
            }
            ast::ExprKind::Ternary {
                condition,
                then,
                otherwise,
            } => {
                let c = self.expr(condition);
                let a = self.expr(then);
                let b = self.expr(otherwise);
                self.mux(c, a, b, span)
            }
            ast::ExprKind::Cast { ty, operand } => {
                let to = self.resolve(ty);
                let e = self.expr(operand);
                self.cast(e, &to, span)
            }
            ast::ExprKind::Call {
                callee,
                type_args,
                args,
            } => self.call(callee, type_args, args, span),
            ast::ExprKind::Construct { ty, args } => self.construct(ty, args, span),
        }
    }

    fn name(&mut self, path: &ast::Path, span: Span) -> Expr {
        match self.lookup(path) {
            Entity::Const(e) => Expr { span, ..e },
            Entity::Var(v) => {
                let ty = v.ty.clone();
                Expr::new(ExprKind::Var(v), ty, span)
            }
            Entity::Instance(i) => {
                let ty = i.ty.clone();
                Expr::new(ExprKind::Instance(i), ty, span)
            }
            Entity::ValueSet(v) => {
                let ty = Rc::new(Type::Set(v.element.clone()));
                Expr::new(ExprKind::ValueSet(v), ty, span)
            }
            Entity::Poison => Expr::poison(span),
            Entity::Table(t) => {
                self.error(
                    span,
                    format!(
                        "{}: table used as a value; did you mean {0}.apply()?",
                        t.name
                    ),
                );
                Expr::poison(span)
            }
            Entity::Action(a) => {
                self.error(span, format!("{}: action used as a value", a.name));
                Expr::poison(span)
            }
            Entity::Functions(_) => {
                self.error(span, format!("{path}: function used as a value"));
                Expr::poison(span)
            }
            Entity::Type(_) | Entity::Unfinished(_) => {
                self.error(
                    span,
                    format!("{path}: type used where an expression is expected"),
                );
                Expr::poison(span)
            }
        }
    }

    fn type_member(&mut self, ty: &ast::TypeRef, member: &ast::Ident, span: Span) -> Expr {
        if matches!(ty.kind, TypeKind::Error) {
            if self.errors.contains(&member.name) {
                return Expr::new(
                    ExprKind::ErrorCode(member.name.clone()),
                    Rc::new(Type::Error),
                    span,
                );
            }
            self.error(
                member.span,
                format!("{member}: declaration not found in error"),
            );
            return Expr::poison(span);
        }
        if let TypeKind::Name(path) = &ty.kind
            && let Some(Entity::Type(TypeEntity::Parser(_) | TypeEntity::Control(_))) =
                self.find(path)
        {
            self.error(
                span,
                format!("{path}.{member}: only apply can be invoked on a type"),
            );
            return Expr::poison(span);
        }
        let t = self.resolve(ty);
        match &*t {
            Type::Enum(en) => match en.members.iter().position(|(n, _)| *n == member.name) {
                Some(i) => Expr::new(ExprKind::EnumMember(en.clone(), i), t.clone(), span),
                None => {
                    self.error(
                        member.span,
                        format!("{member}: declaration not found in {t}"),
                    );
                    Expr::poison(span)
                }
            },
            Type::Poison => Expr::poison(span),
            _ => {
                self.error(span, format!("{t}: type has no member {member}"));
                Expr::poison(span)
            }
        }
    }

    fn member(&mut self, base: &ast::Expr, member: &ast::Ident, span: Span) -> Expr {
        if let ast::ExprKind::Type(t) = &base.kind {
            return self.type_member(t, member, span);
        }
        // The parser cannot always tell a type's name from another name.
        if let ast::ExprKind::Name(path) = &base.kind
            && let Some(Entity::Type(_)) = self.find(path)
        {
            let t = ast::TypeRef {
                kind: TypeKind::Name(path.clone()),
                span: path.span,
            };
            return self.type_member(&t, member, span);
        }
        let b = self.expr(base);
        if b.is_poison() {
            return Expr::poison(span);
        }
        let ty = b.ty.clone();
        match &*ty {
            Type::Struct(s) => {
                if let Some((i, f)) = s.field(&member.name) {
                    let fty = f.ty.clone();
                    if let ExprKind::Struct(items) = &b.kind
                        && let Some(item) = items.get(i).filter(|i| i.is_constant())
                    {
                        return Expr {
                            span,
                            ..item.clone()
                        };
                    }
                    return Expr::new(
                        ExprKind::Field(Box::new(b), i, member.name.clone()),
                        fty,
                        span,
                    );
                }
                self.error(
                    member.span,
                    format!("Field {member} is not a member of structure {ty}"),
                );
                Expr::poison(span)
            }
            Type::Stack(element, n) => match member.as_str() {
                "next" | "last" => {
                    if self.place != super::Place::Parser {
                        self.error(span, format!("{member}: may only be used in parsers"));
                        return Expr::poison(span);
                    }
                    let kind = if member.as_str() == "next" {
                        ExprKind::StackNext(Box::new(b))
                    } else {
                        ExprKind::StackLast(Box::new(b))
                    };
                    Expr::new(kind, element.clone(), span)
                }
                "lastIndex" => {
                    if self.place != super::Place::Parser {
                        self.error(span, format!("{member}: may only be used in parsers"));
                        return Expr::poison(span);
                    }
                    Expr::new(ExprKind::StackLastIndex(Box::new(b)), Type::bits(32), span)
                }
                "size" => Expr::new(ExprKind::Int(BigInt::from(*n)), Type::bits(32), span),
                _ => {
                    self.error(
                        member.span,
                        format!("{member}: no such member of header stack {ty}"),
                    );
                    Expr::poison(span)
                }
            },
            Type::ApplyResult => {
                let table = match b.kind {
                    ExprKind::Call(call) => match call.callee {
                        Callee::Table(t) => Some(t),
                        _ => None,
                    },
                    _ => None,
                };
                let Some(table) = table else {
                    return Expr::poison(span);
                };
                match member.as_str() {
                    "hit" => Expr::new(ExprKind::Hit(table), self.bool_type(), span),
                    "miss" => Expr::new(ExprKind::Miss(table), self.bool_type(), span),
                    "action_run" => {
                        Expr::new(ExprKind::ActionRun(table), Rc::new(Type::ActionRun), span)
                    }
                    _ => {
                        self.error(member.span, format!("{member}: the result of a table's apply has hit, miss and action_run"));
                        Expr::poison(span)
                    }
                }
            }
            _ => {
                self.error(
                    span,
                    format!("Cannot extract field {member} from a value of type '{ty}'"),
                );
                Expr::poison(span)
            }
        }
    }

    fn index(&mut self, base: &ast::Expr, index: &ast::Expr, span: Span) -> Expr {
        let b = self.expr(base);
        let i = self.expr(index);
        if b.is_poison() || i.is_poison() {
            return Expr::poison(span);
        }
        let i = self.underlying_value(i);
        match &*b.ty.clone() {
            Type::Stack(t, n) => {
                let i = match &*i.ty {
                    Type::Int => {
                        let Some(v) = i.as_int().and_then(ToPrimitive::to_u32).filter(|v| v < n)
                        else {
                            self.error(
                                i.span,
                                format!(
                                    "Array index out of bounds: a stack of {n} is indexed 0 to {}",
                                    n - 1
                                ),
                            );
                            return Expr::poison(span);
                        };
                        Expr::new(ExprKind::Int(BigInt::from(v)), Type::bits(32), i.span)
                    }
                    Type::Bits { .. } => {
                        if let Some(v) = i.as_int()
                            && (v.is_negative() || v.to_u32().is_none_or(|v| v >= *n))
                        {
                            self.error(
                                i.span,
                                format!(
                                    "Array index out of bounds: a stack of {n} is indexed 0 to {}",
                                    n - 1
                                ),
                            );
                            return Expr::poison(span);
                        }
                        i
                    }
                    _ => {
                        self.error(
                            i.span,
                            format!("Array index must be an integer, not '{}'", i.ty),
                        );
                        return Expr::poison(span);
                    }
                };
                Expr::new(ExprKind::Element(Box::new(b), Box::new(i)), t.clone(), span)
            }
            Type::Tuple(l) | Type::ListExpr(l) => {
                let Some(k) = i
                    .as_int()
                    .and_then(ToPrimitive::to_usize)
                    .filter(|k| *k < l.len())
                else {
                    self.error(
                        i.span,
                        format!(
                            "tuple index must be a constant from 0 to {}",
                            l.len().saturating_sub(1)
                        ),
                    );
                    return Expr::poison(span);
                };
                Expr::new(ExprKind::Component(Box::new(b), k), l[k].clone(), span)
            }
            t => {
                self.error(
                    span,
                    format!("Array indexing [] applied to non-array type '{t}'"),
                );
                Expr::poison(span)
            }
        }
    }

    fn slice(&mut self, b: Expr, hi: u32, lo: u32, span: Span) -> Expr {
        if b.is_poison() {
            return Expr::poison(span);
        }
        let b = self.underlying_value(b);
        let width = match &*b.ty {
            Type::Bits { width, .. } => *width,
            Type::Int if b.as_int().is_some() => MAX_WIDTH,
            t => {
                self.error(
                    span,
                    format!("Bit extraction only defined for bit<> and int<> types, not '{t}'"),
                );
                return Expr::poison(span);
            }
        };
        if hi < lo {
            self.error(span, format!("LSB index {lo} greater than MSB index {hi}"));
            return Expr::poison(span);
        }
        if hi >= width {
            self.error(span, format!("Bit index {hi} greater than width {width}"));
            return Expr::poison(span);
        }
        let ty = Type::bits(hi - lo + 1);
        match b.as_int() {
            Some(v) => Expr::new(ExprKind::Int(fold::slice(v, hi, lo)), ty, span),
            None => Expr::new(ExprKind::Slice(Box::new(b), hi, lo), ty, span),
        }
    }

    fn unary(&mut self, op: UnaryOp, a: Expr, span: Span) -> Expr {
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
        let Some((a, b)) = self.unite(a, b) else {
            return self.operands(op, &ta, &tb, span);
        };
        let shape = match &*a.ty {
            Type::Bits { width, signed } => Some((*width, *signed)),
            _ => None,
        };
        if shape.is_none()
            && matches!(
                op,
                BinaryOp::AddSat
                    | BinaryOp::SubSat
                    | BinaryOp::BitAnd
                    | BinaryOp::BitOr
                    | BinaryOp::BitXor
            )
        {
            self.error(
                span,
                format!("{}: please specify widths of operands", op.as_str()),
            );
            return Expr::poison(span);
        }
        if matches!(op, BinaryOp::Div | BinaryOp::Mod) && matches!(shape, Some((_, true))) {
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
        if matches!(op, BinaryOp::Div | BinaryOp::Mod)
            && b.as_int().is_some_and(num_traits::Zero::is_zero)
        {
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

    fn mux(&mut self, c: Expr, a: Expr, b: Expr, span: Span) -> Expr {
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

    /// Whether the expression can stand left of `=`; if not, says why.
    pub(super) fn require_lvalue(&mut self, e: &Expr) -> bool {
        let mut inner = e;
        loop {
            match &inner.kind {
                ExprKind::Poison => return true,
                ExprKind::Field(b, ..)
                | ExprKind::Component(b, _)
                | ExprKind::Element(b, _)
                | ExprKind::Slice(b, ..)
                | ExprKind::StackNext(b)
                | ExprKind::StackLast(b) => inner = b,
                ExprKind::Var(v) => {
                    let why = match v.kind {
                        VarKind::Local | VarKind::Param(Direction::Out | Direction::InOut) => {
                            return true;
                        }
                        VarKind::Param(Direction::In) => "it is an 'in' parameter",
                        VarKind::Param(Direction::None) => "it is a parameter without direction",
                        VarKind::Constructor => "it is a constructor parameter",
                    };
                    self.error(
                        e.span,
                        format!(
                            "Expression cannot be the target of an assignment: {why} ({})",
                            v.name
                        ),
                    );
                    return false;
                }
                _ => {
                    self.error(e.span, "Expression cannot be the target of an assignment");
                    return false;
                }
            }
        }
    }

    /// Methods of headers, unions and stacks.
    pub(super) fn builtin_for(&self, ty: &Type, name: &str) -> Option<Builtin> {
        match (ty, name) {
            (Type::Struct(s), "isValid") if s.kind != StructKind::Struct => Some(Builtin::IsValid),
            (Type::Struct(s), "setValid") if s.kind == StructKind::Header => {
                Some(Builtin::SetValid)
            }
            (Type::Struct(s), "setInvalid") if s.kind == StructKind::Header => {
                Some(Builtin::SetInvalid)
            }
            (Type::Stack(..), "push_front") => Some(Builtin::PushFront),
            (Type::Stack(..), "pop_front") => Some(Builtin::PopFront),
            _ => None,
        }
    }

    /// The bits of a type, for `minSizeInBits` and the like (section 8.26): least and greatest.
    pub(super) fn size_bounds(ty: &Ty) -> Option<(u64, u64)> {
        Some(match &*ty.representation() {
            Type::Varbit(w) => (0, u64::from(*w)),
            Type::Struct(s) => {
                let mut bounds = Vec::new();
                for f in &s.fields {
                    bounds.push(Self::size_bounds(&f.ty)?);
                }
                if s.kind == StructKind::Union {
                    (
                        bounds.iter().map(|b| b.0).min().unwrap_or(0),
                        bounds.iter().map(|b| b.1).max().unwrap_or(0),
                    )
                } else {
                    (
                        bounds.iter().map(|b| b.0).sum(),
                        bounds.iter().map(|b| b.1).sum(),
                    )
                }
            }
            Type::Stack(t, n) => {
                let (lo, hi) = Self::size_bounds(t)?;
                (lo * u64::from(*n), hi * u64::from(*n))
            }
            Type::Tuple(l) => {
                let mut sum = (0, 0);
                for t in l {
                    let (lo, hi) = Self::size_bounds(t)?;
                    sum = (sum.0 + lo, sum.1 + hi);
                }
                sum
            }
            Type::Bool => (1, 1),
            Type::Bits { width, .. } => (u64::from(*width), u64::from(*width)),
            _ => return None,
        })
    }
}
