// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Instances of parsers, controls, packages and extern objects (section 11.3).

use std::rc::Rc;

use super::hir::{Expr, ExprKind, Instance, InstanceTarget};
use super::infer::Bindings;
use super::types::{ApplyType, ExternType, Ty, Type, TypeVar};
use super::{Checker, Entity, FunctionEntity, TypeEntity};
use crate::ast::{self, Annotation, Name, TypeKind, TypeRef};
use crate::source::Span;

impl Checker<'_> {
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
        let (path, mut targs): (&ast::Path, &[TypeRef]) = match &ty.kind {
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
        // A typedef of an extern has its type arguments already.
        let mut known = Vec::new();
        let entity = match entity {
            TypeEntity::Plain(t) => match &*t {
                Type::Extern(et) => match self.externs.get(&et.def).cloned() {
                    Some(e) => {
                        known.clone_from(&et.args);
                        TypeEntity::Extern(e)
                    }
                    None => TypeEntity::Plain(t),
                },
                _ => TypeEntity::Plain(t),
            },
            TypeEntity::Template(t) => {
                let wanted = t.declared().type_params.len();
                if targs.len() != wanted {
                    self.check_args_only(args);
                    self.error(
                        ty.span,
                        format!(
                            "{path}: {wanted} type arguments expected, {} given",
                            targs.len()
                        ),
                    );
                    return None;
                }
                let types: Vec<Ty> = std::mem::take(&mut targs)
                    .iter()
                    .map(|t| self.resolve(t))
                    .collect();
                self.instance_of(&t, &types, ty.span)
            }
            other => other,
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
            TypeEntity::Plain(t) if t.is_poison() => return None,
            TypeEntity::Plain(_)
            | TypeEntity::Generic(..)
            | TypeEntity::Applicable(..)
            | TypeEntity::Template(_) => {
                self.check_args_only(args);
                self.error(ty.span, format!("{path}: cannot be instantiated"));
                return None;
            }
        };
        let raw: Vec<TypeVar> = vars.iter().map(|(v, _)| *v).collect();
        let mut bindings = self.explicit_types(path.as_str(), &raw, targs, ty.span)?;
        bindings.merge(Bindings::pairs(raw.iter().copied().zip(known)));
        let m = self.match_args(
            path.as_str(),
            &params,
            args,
            bindings,
            &vars,
            span,
            declared,
        )?;
        if matches!(target, InstanceTarget::Extern(..)) {
            self.check_widths(&params, &m);
        }
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
            methods: Default::default(),
            name,
            ty: ity,
            target,
            args: m.args,
            annotations: annotations.to_vec(),
            span,
        }))
    }
}
