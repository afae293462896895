// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Calls of methods: of packets, headers, stacks, tables, parsers, controls and extern objects.

use std::rc::Rc;

use num_bigint::BigInt;

use super::hir::{Builtin, Call, Callee, Expr, ExprKind, Instance, InstanceTarget, Param, VarKind};
use super::infer::Bindings;
use super::types::{ApplyType, ExternType, Ty, Type};
use super::{Checker, Entity, FunctionEntity, Place, TypeEntity};
use crate::ast::{self, Direction, TypeKind, TypeRef};
use crate::source::Span;

impl Checker<'_> {
    pub(super) fn call_method(
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
        let template = match &t.kind {
            TypeKind::Specialized { base, args: types } => match self.find(base).cloned() {
                Some(Entity::Type(TypeEntity::Template(template))) => {
                    let types: Vec<Ty> = types.iter().map(|t| self.resolve(t)).collect();
                    Some(self.instance_of(&template, &types, t.span))
                }
                _ => None,
            },
            _ => None,
        };
        let ty = match &template {
            Some(TypeEntity::Control(c)) => Rc::new(Type::Control(c.ty.clone())),
            Some(TypeEntity::Parser(p)) => Rc::new(Type::Parser(p.ty.clone())),
            _ => self.resolve(t),
        };
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
            _ => template.map(Entity::Type),
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
            methods: Default::default(),
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
        self.check_packet_call(&ext.name, &proto.name, &m.args, &type_args, span);
        let directions = proto.params.iter().map(|p| p.direction).collect();
        let call = Call {
            callee: Callee::Method(Box::new(b), proto),
            type_args,
            args: m.args,
            directions,
        };
        Expr::new(ExprKind::Call(Box::new(call)), result, span)
    }
}
