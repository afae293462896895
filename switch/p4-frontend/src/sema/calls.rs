// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Calls of functions, methods, actions, tables, controls and parsers, and constructor calls (sections 6.7, 8.20).

use std::rc::Rc;

use num_bigint::BigInt;

use super::hir::{
    Builtin, Call, Callee, Expr, ExprKind, Instance, InstanceTarget, Param, Prototype, VarKind,
};
use super::infer::Bindings;
use super::types::{ApplyType, ExternType, Ty, Type, TypeVar};
use super::{Checker, Entity, FunctionEntity, Place, TypeEntity};
use crate::ast::{self, Annotation, Direction, Name, TypeKind, TypeRef};
use crate::diag::Warning;
use crate::source::Span;

/// Arguments matched with parameters.
pub(super) struct Matched {
    pub(super) args: Vec<Option<Expr>>,
    pub(super) bindings: Bindings,
}

/// Why arguments do not fit parameters, before types are looked at.
enum Misfit {
    TooMany(usize),
    Missing(Vec<Name>),
    Unknown(ast::Ident),
    Twice(ast::Ident),
    Mixed(Span),
}

/// Finds the argument of each parameter, by name or by position.
fn pair<'a>(
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

    fn check_args_only(&mut self, args: &[ast::Argument]) {
        for a in args {
            if let Some(v) = &a.value {
                self.expr(v);
            }
        }
    }

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

    fn select_overload(
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

    fn explicit_types(
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

    fn finish_prototype(
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
        let types = vars
            .iter()
            .map(|v| {
                m.bindings
                    .get(*v)
                    .cloned()
                    .unwrap_or_else(|| Rc::new(Type::Poison))
            })
            .collect();
        let result = m.bindings.apply(&proto.result);
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

    fn call_method(
        &mut self,
        base: &ast::Expr,
        member: &ast::Ident,
        targs: &[TypeRef],
        args: &[ast::Argument],
        span: Span,
    ) -> Expr {
        let type_base = match &base.kind {
            ast::ExprKind::Type(t) => Some(t.clone()),
            ast::ExprKind::Name(path) => match self.find(path) {
                Some(Entity::Type(_)) => Some(TypeRef {
                    kind: TypeKind::Name(path.clone()),
                    span: path.span,
                }),
                Some(Entity::Unfinished(_)) => {
                    let t = TypeRef {
                        kind: TypeKind::Name(path.clone()),
                        span: path.span,
                    };
                    self.resolve(&t);
                    return Expr::poison(span);
                }
                Some(Entity::Table(t)) => {
                    let t = t.clone();
                    return self.call_table(t, member, args, span);
                }
                _ => None,
            },
            _ => None,
        };
        if let Some(t) = type_base {
            return self.call_on_type(&t, member, args, span);
        }
        let b = self.expr(base);
        if b.is_poison() {
            self.check_args_only(args);
            return Expr::poison(span);
        }
        let ty = b.ty.clone();
        if let Some(builtin) = self.builtin_for(&ty, member.as_str()) {
            return self.call_builtin(builtin, b, member, args, span);
        }
        if let Some(e) = self.size_method(&ty, member, args, span) {
            return e;
        }
        match &*ty {
            Type::Extern(et) => self.call_extern_method(b, &et.clone(), member, targs, args, span),
            Type::Parser(at) | Type::Control(at) if member.as_str() == "apply" => {
                let at = at.clone();
                self.call_apply(b, &at, args, span)
            }
            _ => {
                self.check_args_only(args);
                self.error(
                    member.span,
                    format!("{member}: no such method on a value of type '{ty}'"),
                );
                Expr::poison(span)
            }
        }
    }

    fn size_method(
        &mut self,
        ty: &Ty,
        member: &ast::Ident,
        args: &[ast::Argument],
        span: Span,
    ) -> Option<Expr> {
        let (bytes, greatest) = match member.as_str() {
            "minSizeInBits" => (false, false),
            "minSizeInBytes" => (true, false),
            "maxSizeInBits" => (false, true),
            "maxSizeInBytes" => (true, true),
            _ => return None,
        };
        let (lo, hi) = Self::size_bounds(ty)?;
        if !args.is_empty() {
            self.error(
                span,
                format!("{member}: Passing {} arguments when 0 expected", args.len()),
            );
        }
        let bits = if greatest { hi } else { lo };
        let value = if bytes { bits.div_ceil(8) } else { bits };
        Some(Expr::new(
            ExprKind::Int(BigInt::from(value)),
            Rc::new(Type::Int),
            span,
        ))
    }

    fn call_on_type(
        &mut self,
        t: &TypeRef,
        member: &ast::Ident,
        args: &[ast::Argument],
        span: Span,
    ) -> Expr {
        let ty = self.resolve(t);
        if ty.is_poison() {
            self.check_args_only(args);
            return Expr::poison(span);
        }
        if let Some(e) = self.size_method(&ty, member, args, span) {
            return e;
        }
        if member.as_str() != "apply" {
            self.check_args_only(args);
            self.error(
                member.span,
                format!("{member}: no such method on type '{ty}'"),
            );
            return Expr::poison(span);
        }
        let entity = match &t.kind {
            TypeKind::Name(path) => self.find(path).cloned(),
            _ => None,
        };
        let (target, at, name) = match entity {
            Some(Entity::Type(TypeEntity::Control(c))) => (
                InstanceTarget::Control(c.clone()),
                c.ty.clone(),
                c.name.clone(),
            ),
            Some(Entity::Type(TypeEntity::Parser(p))) => (
                InstanceTarget::Parser(p.clone()),
                p.ty.clone(),
                p.name.clone(),
            ),
            _ => {
                self.error(
                    span,
                    format!("{ty}: only parsers and controls can be applied"),
                );
                return Expr::poison(span);
            }
        };
        let params = match &target {
            InstanceTarget::Control(c) => c.constructor_params.clone(),
            InstanceTarget::Parser(p) => p.constructor_params.clone(),
            _ => Vec::new(),
        };
        if params.iter().any(|p| p.default.is_none()) {
            self.error(
                span,
                format!("{name}: has constructor parameters and must be instantiated"),
            );
            return Expr::poison(span);
        }
        // The control plane knows it by the type's name; what is applied again needs another.
        let again = self
            .anonymous
            .iter()
            .filter(|i| i.name.strip_suffix("_inst") == Some(&*name))
            .count();
        let given = match again {
            0 => name.to_string(),
            n => format!("{name}_inst_{}", n - 1),
        };
        let inst = Rc::new(Instance {
            id: self.fresh_var(),
            name: format!("{name}_inst").into(),
            ty: ty.clone(),
            target,
            args: params.iter().map(|p| p.default.clone()).collect(),
            annotations: vec![ast::Annotation {
                name: ast::Ident::new("name", span),
                body: ast::AnnotationBody::Unstructured(vec![ast::AnnotationToken {
                    text: crate::lex::escape(&given).into(),
                    kind: ast::AnnotationTokenKind::String,
                    span,
                }]),
                span,
            }],
            span,
        });
        self.anonymous.push(inst.clone());
        let b = Expr::new(ExprKind::Instance(inst), ty, span);
        self.call_apply(b, &at, args, span)
    }

    fn call_apply(
        &mut self,
        b: Expr,
        at: &Rc<ApplyType>,
        args: &[ast::Argument],
        span: Span,
    ) -> Expr {
        let (params, parser, declared) = match &b.kind {
            ExprKind::Instance(i) => match &i.target {
                InstanceTarget::Control(c) => (c.params.clone(), false, c.name_span),
                InstanceTarget::Parser(p) => (p.params.clone(), true, p.span),
                _ => return Expr::poison(span),
            },
            ExprKind::Var(v) => {
                // A constructor parameter: the names of its parameters are those of its type.
                let params = at
                    .params
                    .iter()
                    .enumerate()
                    .map(|(i, (d, t))| Param {
                        var: Rc::new(super::hir::Var {
                            id: self.fresh_var(),
                            name: format!("{}", i + 1).into(),
                            ty: t.clone(),
                            kind: VarKind::Param(*d),
                            annotations: Vec::new(),
                            span: Span::NONE,
                        }),
                        direction: *d,
                        default: None,
                        optional: false,
                    })
                    .collect();
                (params, matches!(*v.ty, Type::Parser(_)), v.span)
            }
            _ => {
                self.error(span, "apply: expected an instance");
                return Expr::poison(span);
            }
        };
        if parser && self.place != Place::Parser {
            self.error(span, "Parsers may only be invoked in parsers");
            return Expr::poison(span);
        }
        if !parser && self.place != Place::Control {
            self.error(
                span,
                "Controls may only be invoked in the apply block of a control",
            );
            return Expr::poison(span);
        }
        let name = match &b.kind {
            ExprKind::Instance(i) => i.name.clone(),
            ExprKind::Var(v) => v.name.clone(),
            _ => at.name.clone(),
        };
        let label = format!("{name}.apply");
        let Some(m) = self.match_args(
            &label,
            &params,
            args,
            Bindings::default(),
            &[],
            span,
            declared,
        ) else {
            return Expr::poison(span);
        };
        let callee = if parser {
            Callee::Parser(Box::new(b))
        } else {
            Callee::Control(Box::new(b))
        };
        let directions = params.iter().map(|p| p.direction).collect();
        let call = Call {
            callee,
            type_args: Vec::new(),
            args: m.args,
            directions,
        };
        Expr::new(ExprKind::Call(Box::new(call)), Rc::new(Type::Void), span)
    }

    fn call_table(
        &mut self,
        t: Rc<super::hir::Table>,
        member: &ast::Ident,
        args: &[ast::Argument],
        span: Span,
    ) -> Expr {
        if member.as_str() != "apply" {
            self.error(
                member.span,
                format!("{member}: tables have only the method apply"),
            );
            return Expr::poison(span);
        }
        if !args.is_empty() {
            self.check_args_only(args);
            self.error(
                span,
                format!(
                    "{}.apply: Passing {} arguments when 0 expected",
                    t.name,
                    args.len()
                ),
            );
        }
        if self.place != Place::Control {
            self.error(
                span,
                format!(
                    "{}: tables may only be applied in the apply block of a control",
                    t.name
                ),
            );
            return Expr::poison(span);
        }
        let call = Call {
            callee: Callee::Table(t),
            type_args: Vec::new(),
            args: Vec::new(),
            directions: Vec::new(),
        };
        Expr::new(
            ExprKind::Call(Box::new(call)),
            Rc::new(Type::ApplyResult),
            span,
        )
    }

    fn call_builtin(
        &mut self,
        which: Builtin,
        b: Expr,
        member: &ast::Ident,
        args: &[ast::Argument],
        span: Span,
    ) -> Expr {
        let wanted = usize::from(matches!(which, Builtin::PushFront | Builtin::PopFront));
        if args.len() != wanted {
            self.check_args_only(args);
            self.error(
                span,
                format!(
                    "{member}: Passing {} arguments when {wanted} expected",
                    args.len()
                ),
            );
            return Expr::poison(span);
        }
        if which != Builtin::IsValid && !self.require_lvalue(&b) {
            return Expr::poison(span);
        }
        let mut values = Vec::new();
        for a in args {
            let Some(v) = &a.value else {
                self.error(a.span, format!("{member}: argument cannot be omitted"));
                return Expr::poison(span);
            };
            match self.constant_size(v, "count") {
                Some(n) => values.push(Some(Expr::new(
                    ExprKind::Int(BigInt::from(n)),
                    Type::bits(32),
                    a.span,
                ))),
                None => return Expr::poison(span),
            }
        }
        let ty = if which == Builtin::IsValid {
            Rc::new(Type::Bool)
        } else {
            Rc::new(Type::Void)
        };
        let directions = vec![Direction::In; values.len()];
        let call = Call {
            callee: Callee::Builtin(which, Box::new(b)),
            type_args: Vec::new(),
            args: values,
            directions,
        };
        Expr::new(ExprKind::Call(Box::new(call)), ty, span)
    }

    fn call_extern_method(
        &mut self,
        b: Expr,
        et: &Rc<ExternType>,
        member: &ast::Ident,
        targs: &[TypeRef],
        args: &[ast::Argument],
        span: Span,
    ) -> Expr {
        let Some(ext) = self.externs.get(&et.def).cloned() else {
            return Expr::poison(span);
        };
        let list: Vec<FunctionEntity> = ext
            .methods
            .iter()
            .filter(|m| m.name == member.name)
            .map(|m| FunctionEntity::Extern(m.clone()))
            .collect();
        if list.is_empty() {
            self.check_args_only(args);
            self.error(
                member.span,
                format!("{member}: extern {} has no such method", ext.name),
            );
            return Expr::poison(span);
        }
        let Some(f) = self.select_overload(member.as_str(), &list, args, span) else {
            return Expr::poison(span);
        };
        let proto = f.proto().clone();
        let outer = Bindings::pairs(
            ext.type_params
                .iter()
                .map(|(v, _)| *v)
                .zip(et.args.iter().cloned()),
        );
        let Some((m, type_args, result)) = self.finish_prototype(&proto, outer, targs, args, span)
        else {
            return Expr::poison(span);
        };
        let directions = proto.params.iter().map(|p| p.direction).collect();
        let call = Call {
            callee: Callee::Method(Box::new(b), proto),
            type_args,
            args: m.args,
            directions,
        };
        Expr::new(ExprKind::Call(Box::new(call)), result, span)
    }

    /// `T(args)` as an expression: an instance without a name.
    pub(super) fn construct(&mut self, ty: &TypeRef, args: &[ast::Argument], span: Span) -> Expr {
        match self.instance(ty, args, "".into(), &[], span) {
            Some(i) => {
                let ty = i.ty.clone();
                Expr::new(ExprKind::Construct(i), ty, span)
            }
            None => Expr::poison(span),
        }
    }

    /// An instance of a type with constructor arguments.
    pub(super) fn instance(
        &mut self,
        ty: &TypeRef,
        args: &[ast::Argument],
        name: Name,
        annotations: &[Annotation],
        span: Span,
    ) -> Option<Rc<Instance>> {
        let (path, targs): (&ast::Path, &[TypeRef]) = match &ty.kind {
            TypeKind::Name(p) => (p, &[]),
            TypeKind::Specialized { base, args } => (base, args),
            _ => {
                self.check_args_only(args);
                self.error(
                    ty.span,
                    "only externs, parsers, controls and packages can be instantiated",
                );
                return None;
            }
        };
        let entity = match self.lookup(path) {
            Entity::Type(t) => t,
            Entity::Poison => {
                self.check_args_only(args);
                return None;
            }
            Entity::Unfinished(what) => {
                self.error(
                    ty.span,
                    format!("{path}: a {what} cannot instantiate itself; recursion is not allowed"),
                );
                return None;
            }
            _ => {
                self.check_args_only(args);
                self.error(ty.span, format!("{path}: not a type"));
                return None;
            }
        };
        let (target, params, vars, declared) = match entity {
            TypeEntity::Extern(e) => {
                let list: Vec<FunctionEntity> = e
                    .constructors
                    .iter()
                    .map(|c| FunctionEntity::Extern(c.clone()))
                    .collect();
                if list.is_empty() {
                    self.check_args_only(args);
                    self.error(span, format!("{}: extern has no constructor", e.name));
                    return None;
                }
                let f = self.select_overload(&e.name, &list, args, span)?;
                let proto = f.proto().clone();
                let vars = e.type_params.clone();
                (
                    InstanceTarget::Extern(e, proto.clone()),
                    proto.params.clone(),
                    vars,
                    proto.span,
                )
            }
            TypeEntity::Control(c) => {
                let p = c.constructor_params.clone();
                let s = c.name_span;
                (InstanceTarget::Control(c), p, Vec::new(), s)
            }
            TypeEntity::Parser(c) => {
                let p = c.constructor_params.clone();
                let s = c.span;
                (InstanceTarget::Parser(c), p, Vec::new(), s)
            }
            TypeEntity::Package(p) => {
                let params = p.params.clone();
                let vars = p.type_params.clone();
                (InstanceTarget::Package(p), params, vars, Span::NONE)
            }
            TypeEntity::Plain(_) | TypeEntity::Generic(..) | TypeEntity::Applicable(..) => {
                self.check_args_only(args);
                self.error(ty.span, format!("{path}: cannot be instantiated"));
                return None;
            }
        };
        let raw: Vec<TypeVar> = vars.iter().map(|(v, _)| *v).collect();
        let bindings = self.explicit_types(path.as_str(), &raw, targs, ty.span)?;
        let m = self.match_args(
            path.as_str(),
            &params,
            args,
            bindings,
            &vars,
            span,
            declared,
        )?;
        for a in m.args.iter().flatten() {
            if !a.is_poison() && !a.is_compile_time() {
                self.error(
                    a.span,
                    "Constructor arguments must be compile-time constants",
                );
                return None;
            }
        }
        let type_args: Vec<Ty> = vars
            .iter()
            .map(|(v, _)| {
                m.bindings
                    .get(*v)
                    .cloned()
                    .unwrap_or_else(|| Rc::new(Type::Poison))
            })
            .collect();
        let ity = Rc::new(match &target {
            InstanceTarget::Extern(e, _) => Type::Extern(Rc::new(ExternType {
                def: e.def,
                name: e.name.clone(),
                args: type_args,
            })),
            InstanceTarget::Control(c) => Type::Control(c.ty.clone()),
            InstanceTarget::Parser(p) => Type::Parser(p.ty.clone()),
            InstanceTarget::Package(p) => Type::Package(Rc::new(ApplyType {
                def: p.def,
                name: p.name.clone(),
                args: type_args,
                params: Vec::new(),
                required: 0,
            })),
        });
        Some(Rc::new(Instance {
            id: self.fresh_var(),
            name,
            ty: ity,
            target,
            args: m.args,
            annotations: annotations.to_vec(),
            span,
        }))
    }
}
