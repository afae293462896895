// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Keysets of entries and of the cases of `select` (section 13.6).

use super::Checker;
use super::hir::{Expr, ExprKind, Keyset};
use super::types::{Ty, Type};
use crate::ast::{self, KeysetKind};
use crate::source::Span;

impl Checker<'_> {
    /// One keyset for each of several values.
    pub(super) fn keyset_tuple(
        &mut self,
        k: &ast::Keyset,
        types: &[Ty],
        sets: bool,
    ) -> Option<Vec<Keyset>> {
        match &k.kind {
            KeysetKind::Tuple(list) => {
                if list.len() != types.len() {
                    self.error(
                        k.span,
                        format!(
                            "keyset has {} components, but there are {} values to match",
                            list.len(),
                            types.len()
                        ),
                    );
                    return None;
                }
                let mut out = Vec::new();
                for (k, t) in list.iter().zip(types) {
                    out.push(self.keyset(k, t, false)?);
                }
                Some(out)
            }
            KeysetKind::Default | KeysetKind::DontCare => Some(vec![Keyset::Any; types.len()]),
            KeysetKind::Expr(e) if types.len() != 1 => {
                let v = self.expr(e);
                if v.is_poison() {
                    return None;
                }
                match v.kind {
                    ExprKind::ValueSet(s) if sets => Some(vec![Keyset::Set(s)]),
                    ExprKind::List(items) if items.len() == types.len() => {
                        let mut out = Vec::new();
                        for (i, t) in items.into_iter().zip(types) {
                            let i = self.key_value(i, t)?;
                            out.push(Keyset::Value(i));
                        }
                        Some(out)
                    }
                    _ => {
                        self.error(
                            k.span,
                            format!(
                                "keyset has 1 component, but there are {} values to match",
                                types.len()
                            ),
                        );
                        None
                    }
                }
            }
            _ if types.len() != 1 => {
                self.error(
                    k.span,
                    format!(
                        "keyset has 1 component, but there are {} values to match",
                        types.len()
                    ),
                );
                None
            }
            _ => Some(vec![self.keyset(k, &types[0], sets)?]),
        }
    }

    fn key_value(&mut self, e: Expr, ty: &Ty) -> Option<Expr> {
        let span = e.span;
        let e = self.convert(e, ty, |f, t| {
            format!("Cannot match a value of type '{t}' with a value of type '{f}'")
        });
        if e.is_poison() {
            return None;
        }
        let e = self.underlying_value(e);
        if !e.is_compile_time() {
            self.error(span, "must evaluate to a compile-time constant");
            return None;
        }
        Some(e)
    }

    fn keyset(&mut self, k: &ast::Keyset, ty: &Ty, sets: bool) -> Option<Keyset> {
        match &k.kind {
            KeysetKind::Default | KeysetKind::DontCare => Some(Keyset::Any),
            KeysetKind::Tuple(list) => match list.as_slice() {
                [only] => self.keyset(only, ty, sets),
                _ => {
                    self.error(k.span, "keysets cannot be nested");
                    None
                }
            },
            KeysetKind::Expr(e) => {
                let v = self.expr(e);
                if v.is_poison() {
                    return None;
                }
                let v = match v.kind {
                    ExprKind::List(mut one) if one.len() == 1 => one.remove(0),
                    kind => Expr { kind, ..v },
                };
                if let ExprKind::ValueSet(s) = &v.kind {
                    let fits = Type::same(&s.element, ty)
                        || matches!(&*s.element, Type::Struct(_) | Type::Tuple(_));
                    if !sets || !fits {
                        self.error(
                            k.span,
                            format!(
                                "value set {} cannot be matched with a value of type '{ty}'",
                                s.name
                            ),
                        );
                        return None;
                    }
                    return Some(Keyset::Set(s.clone()));
                }
                Some(Keyset::Value(self.key_value(v, ty)?))
            }
            KeysetKind::Mask(a, b) => {
                let a = self.expr(a);
                let b = self.expr(b);
                let base = self.mask_type(ty, k.span)?;
                Some(Keyset::Mask(
                    self.key_value(a, &base)?,
                    self.key_value(b, &base)?,
                ))
            }
            KeysetKind::Range(a, b) => {
                let a = self.expr(a);
                let b = self.expr(b);
                let base = self.mask_type(ty, k.span)?;
                let (a, b) = (self.key_value(a, &base)?, self.key_value(b, &base)?);
                if let (Some(x), Some(y)) = (a.as_int(), b.as_int())
                    && x > y
                {
                    self.error(k.span, format!("{x}..{y}: invalid range"));
                    return None;
                }
                Some(Keyset::Range(a, b))
            }
        }
    }

    fn mask_type(&mut self, ty: &Ty, span: Span) -> Option<Ty> {
        let base = ty.representation();
        if base.is_bits() {
            // Serializable enums are matched as numbers; a `type` stays what it is.
            return Some(if matches!(**ty, Type::Enum(_)) {
                base
            } else {
                ty.clone()
            });
        }
        self.error(
            span,
            format!("&&& and .. are not defined on values of type '{ty}'"),
        );
        None
    }
}
