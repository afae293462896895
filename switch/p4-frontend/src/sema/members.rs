// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Members, elements and slices of values (sections 8.11 to 8.18).

use std::rc::Rc;

use num_bigint::BigInt;
use num_traits::{Signed, ToPrimitive};

use super::fold;
use super::hir::{Builtin, Callee, Expr, ExprKind};
use super::types::{StructKind, Ty, Type};
use super::{Checker, Entity, MAX_WIDTH, TypeEntity};
use crate::ast::{self, TypeKind};
use crate::source::Span;

impl Checker<'_> {
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

    pub(super) fn member(&mut self, base: &ast::Expr, member: &ast::Ident, span: Span) -> Expr {
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
            Type::Stack(element, _)
                if !element.is_stackable()
                    && matches!(member.as_str(), "next" | "last" | "lastIndex") =>
            {
                self.error(
                    member.span,
                    format!("{member}: only stacks of headers have it, not {ty}"),
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

    pub(super) fn index(&mut self, base: &ast::Expr, index: &ast::Expr, span: Span) -> Expr {
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

    pub(super) fn slice(&mut self, b: Expr, hi: u32, lo: u32, span: Span) -> Expr {
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
            (Type::Stack(t, _), "push_front") if t.is_stackable() => Some(Builtin::PushFront),
            (Type::Stack(t, _), "pop_front") if t.is_stackable() => Some(Builtin::PopFront),
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
