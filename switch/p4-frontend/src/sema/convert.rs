// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Conversions between types, implicit (section 8.11.2) and written (section 8.11.1).

use std::rc::Rc;

use num_bigint::BigInt;
use num_traits::{Signed, Zero};

use super::Checker;
use super::hir::{Expr, ExprKind};
use super::types::{StructKind, Ty, Type, range_of, wrap};
use crate::diag::Warning;
use crate::source::Span;

impl Checker<'_> {
    /// Converts an expression implicitly. On failure reports `message` of the two types.
    pub(super) fn convert(
        &mut self,
        e: Expr,
        to: &Ty,
        message: impl Fn(&Type, &Type) -> String,
    ) -> Expr {
        let span = e.span;
        let from = e.ty.clone();
        match self.try_convert(e, to) {
            Some(e) => e,
            None => {
                self.error(span, message(&from, to));
                Expr::poison(span)
            }
        }
    }

    /// Converts an expression implicitly; `None` if the types do not allow it.
    pub(super) fn try_convert(&mut self, e: Expr, to: &Ty) -> Option<Expr> {
        if e.is_poison() || to.is_poison() {
            return Some(e);
        }
        let span = e.span;
        let from = e.ty.clone();
        match (&*from, &**to) {
            (Type::Dots, Type::Dots) => Some(e),
            (Type::Dots, _) => Self::default_value(to, span),
            (Type::ListExpr(_), Type::ListExpr(_)) | (Type::StructExpr(_), Type::StructExpr(_)) => {
                Type::same(&from, to).then_some(e)
            }
            (_, Type::DontCare) => Some(e),
            _ if Type::same(&from, to) => Some(e),
            (Type::Int, Type::Bits { .. }) => Some(self.size_int(e, to)),
            (Type::Enum(en), _) if en.underlying.is_some() => {
                let inner = self.underlying_value(e);
                self.try_convert(inner, to)
            }
            (Type::ListExpr(_), _) => self.convert_list(e, to, span),
            (Type::StructExpr(_), Type::Struct(s)) => {
                let ExprKind::NamedList(given) = e.kind else {
                    return None;
                };
                if s.kind == StructKind::Union {
                    return None;
                }
                let mut values: Vec<Option<Expr>> = s.fields.iter().map(|_| None).collect();
                let mut given = given;
                let dots = given.last().is_some_and(|(_, e)| {
                    matches!(e.kind, ExprKind::Dots) && matches!(*e.ty, Type::Dots)
                });
                let dots = dots && given.last().is_some_and(|(n, _)| &**n == "...");
                if dots {
                    given.pop();
                }
                for (name, value) in given {
                    let Some((i, field)) = s.field(&name) else {
                        self.error(value.span, format!("{name}: no such field in {to}"));
                        continue;
                    };
                    if values[i].is_some() {
                        self.error(value.span, format!("{name}: field initialized twice"));
                        continue;
                    }
                    let ty = field.ty.clone();
                    values[i] = Some(self.convert(value, &ty, |f, t| {
                        format!("field '{name}': cannot convert type '{f}' to type '{t}'")
                    }));
                }
                if dots {
                    for (v, f) in values.iter_mut().zip(&s.fields) {
                        if v.is_none() {
                            *v = Some(Self::default_value(&f.ty, span)?);
                        }
                    }
                }
                let missing: Vec<String> = s
                    .fields
                    .iter()
                    .zip(&values)
                    .filter(|(_, v)| v.is_none())
                    .map(|(f, _)| format!("'{}'", f.name))
                    .collect();
                if !missing.is_empty() {
                    self.error(
                        span,
                        format!("no value for field {} of {to}", missing.join(", ")),
                    );
                    return Some(Expr::poison(span));
                }
                Some(Expr::new(
                    ExprKind::Struct(values.into_iter().flatten().collect()),
                    to.clone(),
                    span,
                ))
            }
            (Type::Invalid, Type::Struct(s)) if s.kind != StructKind::Struct => {
                Some(Expr::new(ExprKind::Invalid, to.clone(), span))
            }
            _ => None,
        }
    }

    fn convert_list(&mut self, e: Expr, to: &Ty, span: Span) -> Option<Expr> {
        let ExprKind::List(items) = e.kind else {
            return None;
        };
        let mut items = items;
        let dots = items.last().is_some_and(|e| matches!(*e.ty, Type::Dots));
        if dots {
            items.pop();
        }
        let types: Vec<Ty> = match &**to {
            Type::Stack(t, n) if dots => (0..*n).map(|_| t.clone()).collect(),
            Type::Tuple(l) => l.clone(),
            Type::Struct(s) if s.kind != StructKind::Union => {
                s.fields.iter().map(|f| f.ty.clone()).collect()
            }
            Type::List(t) => items.iter().map(|_| t.clone()).collect(),
            Type::Stack(t, n) if items.len() == *n as usize => {
                items.iter().map(|_| t.clone()).collect()
            }
            _ => return None,
        };
        if dots && items.len() <= types.len() {
            for t in types.iter().skip(items.len()) {
                items.push(Self::default_value(t, span)?);
            }
        }
        if types.len() != items.len() {
            return None;
        }
        let mut values = Vec::new();
        for (item, ty) in items.into_iter().zip(&types) {
            values.push(self.convert(item, ty, |f, t| {
                format!("cannot convert type '{f}' to type '{t}'")
            }));
        }
        let kind = match &**to {
            Type::Struct(_) => ExprKind::Struct(values),
            _ => ExprKind::List(values),
        };
        Some(Expr::new(kind, to.clone(), span))
    }

    /// What `...` stands for (section 7.3): zero, false, the first or zero member, an invalid header.
    fn default_value(ty: &Ty, span: Span) -> Option<Expr> {
        let all = |list: &mut dyn Iterator<Item = &Ty>| -> Option<Vec<Expr>> {
            list.map(|t| Self::default_value(t, span)).collect()
        };
        let kind = match &**ty {
            Type::Bits { .. } | Type::Int => ExprKind::Int(BigInt::zero()),
            Type::Bool => ExprKind::Bool(false),
            Type::String => ExprKind::Str("".into()),
            Type::Error => ExprKind::ErrorCode("NoError".into()),
            Type::New(n) => {
                return Some(Expr {
                    ty: ty.clone(),
                    ..Self::default_value(&n.base, span)?
                });
            }
            Type::Enum(en) => {
                let first = match &en.underlying {
                    None => Some(0),
                    Some(_) => en.members.iter().position(|(_, v)| v.is_zero()),
                };
                match (first, &en.underlying) {
                    (Some(i), _) if i < en.members.len() => ExprKind::EnumMember(en.clone(), i),
                    (_, Some(base)) => ExprKind::Cast(Box::new(Expr::new(
                        ExprKind::Int(BigInt::zero()),
                        base.clone(),
                        span,
                    ))),
                    _ => return None,
                }
            }
            Type::Struct(s) if s.kind == StructKind::Struct => {
                ExprKind::Struct(all(&mut s.fields.iter().map(|f| &f.ty))?)
            }
            Type::Struct(_) => ExprKind::Invalid,
            Type::Tuple(l) => ExprKind::List(all(&mut l.iter())?),
            Type::Stack(t, n) => ExprKind::List(all(&mut std::iter::repeat_n(t, *n as usize))?),
            Type::Poison => return Some(Expr::poison(span)),
            _ => return None,
        };
        Some(Expr::new(kind, ty.clone(), span))
    }

    /// A plain number becomes one of `bit<W>` or `int<W>`; warns of digits that get lost.
    pub(super) fn size_int(&mut self, e: Expr, to: &Ty) -> Expr {
        let Type::Bits { width, signed } = **to else {
            return e;
        };
        let Some(value) = e.as_int() else {
            let span = e.span;
            return Expr::new(ExprKind::Cast(Box::new(e)), to.clone(), span);
        };
        let value = self.fit(value, width, signed, e.span);
        Expr::new(ExprKind::Int(value), to.clone(), e.span)
    }

    /// Reduces a constant to a width, with p4c's warnings.
    pub(super) fn fit(&mut self, value: &BigInt, width: u32, signed: bool, span: Span) -> BigInt {
        let (lo, hi) = range_of(width, signed);
        if *value < lo || *value > hi {
            if value.is_negative() && !signed {
                self.diags.warning(
                    Warning::Mismatch,
                    span,
                    format!("{value}: negative value with unsigned type bit<{width}>"),
                );
            } else {
                let word = if signed { "signed value" } else { "value" };
                self.diags.warning(
                    Warning::Overflow,
                    span,
                    format!("{value}: {word} does not fit in {width} bits"),
                );
            }
        }
        wrap(value, width, signed)
    }

    /// A value of a serializable enum as its number.
    pub(super) fn underlying_value(&mut self, e: Expr) -> Expr {
        let Type::Enum(en) = &*e.ty else { return e };
        let Some(base) = en.underlying.clone() else {
            return e;
        };
        let span = e.span;
        match &e.kind {
            ExprKind::EnumMember(en, i) => {
                let value = en
                    .members
                    .get(*i)
                    .map_or_else(BigInt::zero, |(_, v)| v.clone());
                Expr::new(ExprKind::Int(value), base, span)
            }
            _ => Expr::new(ExprKind::Cast(Box::new(e)), base, span),
        }
    }

    /// `(T) e`
    pub(super) fn cast(&mut self, e: Expr, to: &Ty, span: Span) -> Expr {
        if e.is_poison() || to.is_poison() {
            return Expr::poison(span);
        }
        let from = e.ty.clone();
        let rewrap = |e: Expr| Expr::new(ExprKind::Cast(Box::new(e)), to.clone(), span);
        if Type::same(&from, to) && !matches!(*from, Type::ListExpr(_) | Type::StructExpr(_)) {
            return Expr { span, ..e };
        }
        match (&*from, &**to) {
            (Type::Int, Type::Bits { width, signed }) => match e.as_int() {
                Some(v) => {
                    let v = wrap(v, *width, *signed);
                    Expr::new(ExprKind::Int(v), to.clone(), span)
                }
                None => rewrap(e),
            },
            (Type::Int, Type::Bool) => match e.as_int() {
                Some(v) if v.is_zero() || *v == BigInt::from(1) => {
                    Expr::new(ExprKind::Bool(!v.is_zero()), to.clone(), span)
                }
                _ => self.bad_cast(&from, to, span),
            },
            (Type::Bits { width: a, .. }, Type::Bits { width: b, signed }) => {
                // Width and sign may not change at once (section 8.11.1).
                let sign_changes = !matches!(*from, Type::Bits { signed: s, .. } if s == *signed);
                if sign_changes && a != b {
                    return self.bad_cast(&from, to, span);
                }
                match e.as_int() {
                    Some(v) => Expr::new(ExprKind::Int(wrap(v, *b, *signed)), to.clone(), span),
                    None => rewrap(e),
                }
            }
            (
                Type::Bits {
                    width: 1,
                    signed: false,
                },
                Type::Bool,
            ) => match e.as_int() {
                Some(v) => Expr::new(ExprKind::Bool(!v.is_zero()), to.clone(), span),
                None => rewrap(e),
            },
            (
                Type::Bool,
                Type::Bits {
                    width: 1,
                    signed: false,
                },
            ) => match e.kind {
                ExprKind::Bool(b) => {
                    Expr::new(ExprKind::Int(BigInt::from(u8::from(b))), to.clone(), span)
                }
                _ => rewrap(e),
            },
            (Type::Bits { .. }, Type::Int) => match e.as_int() {
                Some(v) => Expr::new(ExprKind::Int(v.clone()), to.clone(), span),
                None => self.bad_cast(&from, to, span),
            },
            (Type::New(n), _) => {
                let base = n.base.clone();
                let inner = match e.kind {
                    ExprKind::Int(_) | ExprKind::Bool(_) => Expr::new(e.kind, base, span),
                    _ => Expr::new(ExprKind::Cast(Box::new(e)), base, span),
                };
                self.cast(inner, to, span)
            }
            (_, Type::New(n)) => {
                let base = n.base.clone();
                let inner = self.cast(e, &base, span);
                match inner.kind {
                    ExprKind::Poison => inner,
                    kind @ (ExprKind::Int(_) | ExprKind::Bool(_)) => {
                        Expr::new(kind, to.clone(), span)
                    }
                    _ => rewrap(inner),
                }
            }
            (Type::Enum(en), _) if en.underlying.is_some() => {
                let inner = self.underlying_value(e);
                self.cast(inner, to, span)
            }
            (_, Type::Enum(en)) if en.underlying.is_some() => {
                let Some(base) = en.underlying.clone() else {
                    return Expr::poison(span);
                };
                let en = en.clone();
                let inner = self.cast(e, &base, span);
                if let Some(v) = inner.as_int()
                    && let Some(i) = en.members.iter().position(|(_, m)| m == v)
                {
                    return Expr::new(ExprKind::EnumMember(en, i), to.clone(), span);
                }
                if inner.is_poison() {
                    inner
                } else {
                    rewrap(inner)
                }
            }
            (Type::ListExpr(_) | Type::StructExpr(_) | Type::Invalid, _) => {
                match self.try_convert(e, to) {
                    Some(e) => Expr { span, ..e },
                    None => self.bad_cast(&from, to, span),
                }
            }
            _ => self.bad_cast(&from, to, span),
        }
    }

    fn bad_cast(&mut self, from: &Type, to: &Type, span: Span) -> Expr {
        self.error(span, format!("cast: Illegal cast from '{from}' to '{to}'"));
        Expr::poison(span)
    }

    /// The type that two operands are brought to, or `None`. Plain numbers yield to sized ones.
    pub(super) fn unite(&mut self, a: Expr, b: Expr) -> Option<(Expr, Expr)> {
        if a.is_poison() || b.is_poison() {
            return Some((a, b));
        }
        if Type::same(&a.ty, &b.ty) && !matches!(*a.ty, Type::ListExpr(_) | Type::StructExpr(_)) {
            return Some((a, b));
        }
        let numeric = |e: &Expr| match &*e.ty {
            Type::Enum(en) => en.underlying.is_some(),
            _ => false,
        };
        let (a, b) = (
            if numeric(&a) {
                self.underlying_value(a)
            } else {
                a
            },
            if numeric(&b) {
                self.underlying_value(b)
            } else {
                b
            },
        );
        if Type::same(&a.ty, &b.ty) && !matches!(*a.ty, Type::ListExpr(_) | Type::StructExpr(_)) {
            return Some((a, b));
        }
        let (ta, tb) = (a.ty.clone(), b.ty.clone());
        let weak = |t: &Type| {
            matches!(
                t,
                Type::Int | Type::ListExpr(_) | Type::StructExpr(_) | Type::Invalid | Type::Dots
            )
        };
        if weak(&ta) && weak(&tb) {
            if let (ExprKind::List(x), ExprKind::List(y)) = (&a.kind, &b.kind)
                && x.len() == y.len()
            {
                let (ExprKind::List(x), ExprKind::List(y)) = (a.kind, b.kind) else {
                    return None;
                };
                let mut left = Vec::new();
                let mut right = Vec::new();
                for (p, q) in x.into_iter().zip(y) {
                    let (p, q) = self.unite(p, q)?;
                    left.push(p);
                    right.push(q);
                }
                let t: Ty = Rc::new(Type::Tuple(left.iter().map(|e| e.ty.clone()).collect()));
                return Some((
                    Expr::new(ExprKind::List(left), t.clone(), a.span),
                    Expr::new(ExprKind::List(right), t, b.span),
                ));
            }
            return None;
        }
        if weak(&ta) {
            let a = self.try_convert(a, &tb)?;
            return Some((a, b));
        }
        if weak(&tb) {
            let b = self.try_convert(b, &ta)?;
            return Some((a, b));
        }
        None
    }
}
