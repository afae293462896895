// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Arguments and parameters: which argument goes to which parameter, and whether it may (section 6.8).

use std::rc::Rc;

use super::Checker;
use super::hir::{Expr, ExprKind, Param};
use super::infer::Bindings;
use super::types::{Type, TypeVar};
use crate::ast::{self, Direction, Name};
use crate::source::Span;

/// Arguments matched with parameters.
pub(super) struct Matched {
    pub(super) args: Vec<Option<Expr>>,
    pub(super) bindings: Bindings,
}

/// Why arguments do not fit parameters, before types are looked at.
pub(super) enum Misfit {
    TooMany(usize),
    Missing(Vec<Name>),
    Unknown(ast::Ident),
    Twice(ast::Ident),
    Mixed(Span),
}

/// Finds the argument of each parameter, by name or by position.
pub(super) fn pair<'a>(
    params: &[Param],
    args: &'a [ast::Argument],
) -> Result<Vec<Option<&'a ast::Argument>>, Misfit> {
    let mut result: Vec<Option<&ast::Argument>> = vec![None; params.len()];
    let named = args.iter().filter(|a| a.name.is_some()).count();
    if named != 0 && named != args.len() {
        let span = args
            .iter()
            .find(|a| a.name.is_none())
            .map_or(Span::NONE, |a| a.span);
        return Err(Misfit::Mixed(span));
    }
    if args.len() > params.len() {
        return Err(Misfit::TooMany(args.len()));
    }
    for (i, a) in args.iter().enumerate() {
        match &a.name {
            None => result[i] = Some(a),
            Some(name) => {
                let Some(k) = params.iter().position(|p| p.var.name == name.name) else {
                    return Err(Misfit::Unknown(name.clone()));
                };
                if result[k].is_some() {
                    return Err(Misfit::Twice(name.clone()));
                }
                result[k] = Some(a);
            }
        }
    }
    let missing: Vec<Name> = params
        .iter()
        .zip(&result)
        .filter(|(p, a)| a.is_none() && p.default.is_none() && !p.optional)
        .map(|(p, _)| p.var.name.clone())
        .collect();
    if missing.is_empty() {
        Ok(result)
    } else {
        Err(Misfit::Missing(missing))
    }
}

impl Checker<'_> {
    fn misfit(
        &mut self,
        name: &str,
        params: &[Param],
        args: usize,
        misfit: Misfit,
        span: Span,
        declared: Span,
    ) {
        let d = match misfit {
            Misfit::TooMany(n) => crate::diag::Diagnostic::error(
                span,
                format!(
                    "{name}: Passing {n} arguments when {} expected",
                    params.len()
                ),
            ),
            Misfit::Missing(list) => {
                let list: Vec<String> = list.iter().map(|n| format!("'{n}'")).collect();
                crate::diag::Diagnostic::error(
                    span,
                    format!(
                        "{name}: Passing {args} arguments when {} expected; no argument for {}",
                        params.len(),
                        list.join(", ")
                    ),
                )
            }
            Misfit::Unknown(id) => {
                crate::diag::Diagnostic::error(id.span, format!("{name}: No parameter named {id}"))
            }
            Misfit::Twice(id) => {
                crate::diag::Diagnostic::error(id.span, format!("{id}: same argument name"))
            }
            Misfit::Mixed(s) => crate::diag::Diagnostic::error(
                s,
                "either all or none of the arguments of a call must be named",
            ),
        };
        let d = if declared.is_none() {
            d
        } else {
            d.note_at(declared, format!("{name} is declared here"))
        };
        self.diags.push(d);
    }

    /// Checks arguments against parameters: number, names, directions, types; infers type arguments.
    #[allow(clippy::too_many_arguments)]
    pub(super) fn match_args(
        &mut self,
        name: &str,
        params: &[Param],
        args: &[ast::Argument],
        mut bindings: Bindings,
        type_params: &[(TypeVar, Name)],
        span: Span,
        declared: Span,
    ) -> Option<Matched> {
        let paired = match pair(params, args) {
            Ok(p) => p,
            Err(m) => {
                for a in args {
                    if let Some(v) = &a.value {
                        self.expr(v);
                    }
                }
                self.misfit(name, params, args.len(), m, span, declared);
                return None;
            }
        };
        let mut ok = true;
        let mut values: Vec<Option<Expr>> = Vec::new();
        for (p, a) in params.iter().zip(&paired) {
            let Some(a) = a else {
                values.push(p.default.clone());
                continue;
            };
            let value = match &a.value {
                Some(v) => self.expr(v),
                None => {
                    if p.direction != Direction::Out && !matches!(*p.var.ty, Type::DontCare) {
                        self.error(
                            a.span,
                            format!("{}: argument cannot be omitted", p.var.name),
                        );
                        ok = false;
                    }
                    Expr::new(ExprKind::DontCare, Rc::new(Type::DontCare), a.span)
                }
            };
            values.push(Some(value));
        }
        // Types with a width first: plain numbers take whatever width the others ask for.
        for weak in [false, true] {
            for (p, v) in params.iter().zip(&values) {
                let Some(v) = v else { continue };
                if matches!(*v.ty, Type::Int) != weak || v.is_poison() {
                    continue;
                }
                if !bindings.unify(&p.var.ty, &v.ty) {
                    let expected = bindings.apply(&p.var.ty);
                    self.error(
                        v.span,
                        format!(
                            "{}: argument has type '{}', parameter {} expects type '{expected}'",
                            name, v.ty, p.var.name
                        ),
                    );
                    ok = false;
                }
            }
        }
        for (v, n) in type_params {
            // What only optional parameters that are left out would tell does not matter.
            let marked = Bindings::pairs([(*v, Rc::new(Type::Void))]);
            let mut mentioning = params
                .iter()
                .zip(&values)
                .filter(|(p, _)| !Type::same(&p.var.ty, &marked.apply(&p.var.ty)))
                .peekable();
            if bindings.get(*v).is_none()
                && mentioning.peek().is_some()
                && mentioning.all(|(p, a)| a.is_none() && p.optional)
            {
                bindings.set(*v, Rc::new(Type::DontCare));
            }
            if bindings.get(*v).is_none() {
                let mentioned = params.iter().any(|p| p.var.ty.mentions_var());
                if ok && !mentioned {
                    self.error(span, format!("{name}: could not infer a type for parameter {n}; write {name}<...>(...)"));
                    ok = false;
                } else if ok && !values.iter().flatten().any(Expr::is_poison) {
                    self.error(
                        span,
                        format!("{name}: Cannot infer a value for type parameter {n}"),
                    );
                    ok = false;
                }
            }
        }
        if !ok {
            return None;
        }
        let mut out = Vec::new();
        for (p, v) in params.iter().zip(values) {
            let Some(v) = v else {
                out.push(None);
                continue;
            };
            let ty = bindings.apply(&p.var.ty);
            if matches!(v.kind, ExprKind::DontCare) {
                out.push(Some(Expr { ty, ..v }));
                continue;
            }
            if matches!(p.direction, Direction::Out | Direction::InOut) {
                if !self.require_lvalue(&v) {
                    out.push(Some(Expr::poison(v.span)));
                    continue;
                }
                if !Type::same(&v.ty, &ty) {
                    self.error(
                        v.span,
                        format!(
                            "{name}: argument has type '{}', parameter {} expects type '{ty}'",
                            v.ty, p.var.name
                        ),
                    );
                    out.push(Some(Expr::poison(v.span)));
                    continue;
                }
                out.push(Some(v));
                continue;
            }
            let applicable = matches!(*ty, Type::Parser(_) | Type::Control(_));
            let pname = p.var.name.clone();
            if applicable || ty.mentions_var() {
                if !bindings.unify(&ty, &v.ty) || !Self::same_sort(&ty, &v.ty) {
                    self.error(
                        v.span,
                        format!(
                            "{name}: argument has type '{}', parameter {pname} expects type '{ty}'",
                            v.ty
                        ),
                    );
                    out.push(Some(Expr::poison(v.span)));
                    continue;
                }
                out.push(Some(v));
                continue;
            }
            out.push(Some(self.convert(v, &ty, |f, t| {
                format!("{name}: argument has type '{f}', parameter {pname} expects type '{t}'")
            })));
        }
        Some(Matched {
            args: out,
            bindings,
        })
    }

    fn same_sort(a: &Type, b: &Type) -> bool {
        match a {
            Type::Parser(_) => matches!(b, Type::Parser(_) | Type::Poison),
            Type::Control(_) => matches!(b, Type::Control(_) | Type::Poison),
            _ => true,
        }
    }

    pub(super) fn check_args_only(&mut self, args: &[ast::Argument]) {
        for a in args {
            if let Some(v) = &a.value {
                self.expr(v);
            }
        }
    }
}
