// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Calls (section 8.20): which function is meant, and calls of functions and actions. Methods and instances are beside.

use std::rc::Rc;

use super::arguments::{Matched, pair};
use super::hir::{Call, Callee, Expr, ExprKind, Prototype};
use super::infer::Bindings;
use super::types::{Ty, Type, TypeVar};
use super::{Checker, Entity, FunctionEntity, Place};
use crate::ast::{self, TypeKind, TypeRef};
use crate::diag::Warning;
use crate::source::Span;

impl Checker<'_> {
    pub(super) fn call(
        &mut self,
        callee: &ast::Expr,
        targs: &[TypeRef],
        args: &[ast::Argument],
        span: Span,
    ) -> Expr {
        match &callee.kind {
            ast::ExprKind::Name(path) => match self.lookup(path) {
                Entity::Functions(list) => {
                    self.call_function(path.as_str(), &list, targs, args, span)
                }
                Entity::Action(a) => self.call_action(a, args, span),
                Entity::Poison => {
                    self.check_args_only(args);
                    Expr::poison(span)
                }
                Entity::Table(t) => {
                    self.error(
                        callee.span,
                        format!("{}: tables are called by {0}.apply()", t.name),
                    );
                    Expr::poison(span)
                }
                Entity::Type(_) => {
                    let ty = if targs.is_empty() {
                        TypeRef {
                            kind: TypeKind::Name(path.clone()),
                            span: path.span,
                        }
                    } else {
                        TypeRef {
                            kind: TypeKind::Specialized {
                                base: path.clone(),
                                args: targs.to_vec(),
                            },
                            span: path.span,
                        }
                    };
                    self.construct(&ty, args, span)
                }
                _ => {
                    self.check_args_only(args);
                    self.error(
                        callee.span,
                        format!("{path}: not a function, action or method"),
                    );
                    Expr::poison(span)
                }
            },
            ast::ExprKind::Member { base, member } => {
                self.call_method(base, member, targs, args, span)
            }
            _ => {
                self.check_args_only(args);
                self.error(callee.span, "not a function, action or method");
                Expr::poison(span)
            }
        }
    }

    pub(super) fn select_overload(
        &mut self,
        name: &str,
        list: &[FunctionEntity],
        args: &[ast::Argument],
        span: Span,
    ) -> Option<FunctionEntity> {
        if let [only] = list {
            return Some(only.clone());
        }
        let fitting: Vec<&FunctionEntity> = list
            .iter()
            .filter(|f| pair(&f.proto().params, args).is_ok())
            .collect();
        match fitting.as_slice() {
            [one] => Some((*one).clone()),
            [] => {
                self.check_args_only(args);
                let mut d = crate::diag::Diagnostic::error(
                    span,
                    format!("{name}: no overload takes {} arguments", args.len()),
                );
                for f in list {
                    d = d.note_at(f.proto().span, "candidate");
                }
                self.diags.push(d);
                None
            }
            many => {
                // The one without parameters left to their defaults, if there is just one.
                let exact: Vec<&&FunctionEntity> = many
                    .iter()
                    .filter(|f| f.proto().params.len() == args.len())
                    .collect();
                if let [one] = exact.as_slice() {
                    return Some((**one).clone());
                }
                self.check_args_only(args);
                self.error(span, format!("{name}: ambiguous call"));
                None
            }
        }
    }

    pub(super) fn explicit_types(
        &mut self,
        name: &str,
        vars: &[TypeVar],
        targs: &[TypeRef],
        span: Span,
    ) -> Option<Bindings> {
        let mut bindings = Bindings::for_vars(vars.iter().copied());
        if targs.is_empty() {
            return Some(bindings);
        }
        if targs.len() != vars.len() {
            self.error(
                span,
                format!(
                    "{name}: {} type parameters expected, but {} type arguments given",
                    vars.len(),
                    targs.len()
                ),
            );
            return None;
        }
        for (v, t) in vars.iter().zip(targs) {
            let t = self.resolve(t);
            if !matches!(*t, Type::DontCare) {
                bindings.set(*v, t);
            }
        }
        Some(bindings)
    }

    pub(super) fn finish_prototype(
        &mut self,
        proto: &Rc<Prototype>,
        outer: Bindings,
        targs: &[TypeRef],
        args: &[ast::Argument],
        span: Span,
    ) -> Option<(Matched, Vec<Ty>, Ty)> {
        if let Some(a) = ast::find_annotation(&proto.annotations, "deprecated") {
            let text = a.string().map(|s| format!(": {s}")).unwrap_or_default();
            self.diags.warning(
                Warning::Deprecated,
                span,
                format!("{}: deprecated{text}", proto.name),
            );
        }
        let vars: Vec<TypeVar> = proto.type_params.iter().map(|(v, _)| *v).collect();
        let mut bindings = self.explicit_types(&proto.name, &vars, targs, span)?;
        bindings.merge(outer);
        let m = self.match_args(
            &proto.name,
            &proto.params,
            args,
            bindings,
            &proto.type_params,
            span,
            proto.span,
        )?;
        self.check_widths(&proto.params, &m);
        let types: Vec<Ty> = vars
            .iter()
            .map(|v| {
                m.bindings
                    .get(*v)
                    .cloned()
                    .unwrap_or_else(|| Rc::new(Type::Poison))
            })
            .collect();
        let result = m.bindings.apply(&proto.result);
        let result = self.of_bounded_size(result, span);
        Some((m, types, result))
    }

    fn call_function(
        &mut self,
        name: &str,
        list: &[FunctionEntity],
        targs: &[TypeRef],
        args: &[ast::Argument],
        span: Span,
    ) -> Expr {
        let Some(f) = self.select_overload(name, list, args, span) else {
            return Expr::poison(span);
        };
        let proto = f.proto().clone();
        let Some((m, type_args, result)) =
            self.finish_prototype(&proto, Bindings::default(), targs, args, span)
        else {
            return Expr::poison(span);
        };
        if matches!(f, FunctionEntity::Extern(_))
            && &*proto.name == "static_assert"
            && let Some(known) = self.static_assert(&m.args, &result, span)
        {
            return known;
        }
        if matches!(f, FunctionEntity::Extern(_)) {
            self.check_verify(&proto.name, span);
        }
        let callee = match f {
            FunctionEntity::Extern(p) => Callee::ExternFunction(p),
            FunctionEntity::Defined(f) => Callee::Function(f),
        };
        let directions = proto.params.iter().map(|p| p.direction).collect();
        let call = Call {
            callee,
            type_args,
            args: m.args,
            directions,
        };
        Expr::new(ExprKind::Call(Box::new(call)), result, span)
    }

    /// `static_assert(condition, message)` where the condition is known here; that of a constructor parameter is not.
    fn static_assert(&mut self, args: &[Option<Expr>], ty: &Ty, span: Span) -> Option<Expr> {
        let ExprKind::Bool(holds) = args.first()?.as_ref()?.kind else {
            return None;
        };
        if !holds {
            let text = match args.get(1).and_then(Option::as_ref).map(|t| &t.kind) {
                Some(ExprKind::Str(s)) => format!(": {s}"),
                _ => String::new(),
            };
            self.error(span, format!("static_assert failed{text}"));
        }
        Some(Expr::new(ExprKind::Bool(true), ty.clone(), span))
    }

    fn call_action(
        &mut self,
        a: Rc<super::hir::Action>,
        args: &[ast::Argument],
        span: Span,
    ) -> Expr {
        if self.place == Place::Parser || self.place == Place::Function {
            self.error(span, format!("{}: actions cannot be called here", a.name));
        }
        let Some(m) = self.match_args(
            &a.name,
            &a.params,
            args,
            Bindings::default(),
            &[],
            span,
            a.span,
        ) else {
            return Expr::poison(span);
        };
        let directions = a.params.iter().map(|p| p.direction).collect();
        let call = Call {
            callee: Callee::Action(a),
            type_args: Vec::new(),
            args: m.args,
            directions,
        };
        Expr::new(ExprKind::Call(Box::new(call)), Rc::new(Type::Void), span)
    }
}
