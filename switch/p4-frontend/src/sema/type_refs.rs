// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Types as written, made into types.

use std::rc::Rc;

use num_bigint::BigInt;
use num_traits::ToPrimitive;

use super::infer::Bindings;
use super::types::{ExternType, Ty, Type, TypeVar};
use super::{Checker, Entity, MAX_WIDTH, TypeEntity};
use crate::ast::{self, Name, TypeKind, TypeRef};
use crate::budget::TYPE_FIELDS;
use crate::diag::Diagnostic;
use crate::source::Span;

impl Checker<'_> {
    fn tuple(&mut self, list: &[ast::TypeRef]) -> Type {
        let mut types = Vec::new();
        for t in list {
            let ty = self.resolve(t);
            let object = matches!(
                *ty,
                Type::Extern(_) | Type::Parser(_) | Type::Control(_) | Type::Package(_)
            );
            if object {
                self.error(t.span, format!("{ty}: not supported as a tuple field"));
            }
            types.push(if object { self.poison() } else { ty });
        }
        Type::Tuple(types)
    }

    pub(super) fn resolve(&mut self, ty: &TypeRef) -> Ty {
        let poison = self.poison();
        let made = self.nested(ty.span, poison, |c| c.resolve_inner(ty));
        self.of_bounded_size(made, ty.span)
    }

    /// The type, if it has not too many fields.
    pub(super) fn of_bounded_size(&mut self, ty: Ty, span: Span) -> Ty {
        if ty.fields_up_to(TYPE_FIELDS + 1) <= TYPE_FIELDS {
            return ty;
        }
        let what = format!("a type of more than {TYPE_FIELDS} fields, with those of its parts");
        self.error(span, what);
        self.poison()
    }

    fn resolve_inner(&mut self, ty: &TypeRef) -> Ty {
        Rc::new(match &ty.kind {
            TypeKind::Bool => Type::Bool,
            TypeKind::Error => Type::Error,
            TypeKind::MatchKind => Type::MatchKind,
            TypeKind::String => Type::String,
            TypeKind::Void => Type::Void,
            TypeKind::Bit(None) => Type::Bits {
                width: 1,
                signed: false,
            },
            TypeKind::Bit(Some(w)) => match self.width(w, 0) {
                Some(width) => Type::Bits {
                    width,
                    signed: false,
                },
                None => Type::Poison,
            },
            TypeKind::Int(None) => Type::Int,
            TypeKind::Int(Some(w)) => match self.width(w, 1) {
                Some(width) => Type::Bits {
                    width,
                    signed: true,
                },
                None => Type::Poison,
            },
            TypeKind::Varbit(w) => match self.width(w, 0) {
                Some(width) => Type::Varbit(width),
                None => Type::Poison,
            },
            TypeKind::Name(path) => return self.resolve_name(path, &[], ty.span, false),
            TypeKind::Specialized { base, args } => {
                return self.resolve_name(base, args, ty.span, true);
            }
            TypeKind::Stack { element, size } => {
                let t = self.resolve(element);
                self.array(t, element.span, size)
            }
            TypeKind::Tuple(list) => self.tuple(list),
            TypeKind::List(t) => Type::List(self.resolve(t)),
            TypeKind::DontCare => Type::DontCare,
        })
    }

    /// `T[n]`: a stack of headers or unions, or an array of other values.
    fn array(&mut self, t: Ty, span: Span, size: &ast::Expr) -> Type {
        let ok = matches!(
            &*t.representation(),
            Type::Struct(_)
                | Type::Bits { .. }
                | Type::Bool
                | Type::Error
                | Type::Enum(_)
                | Type::Tuple(_)
                | Type::Stack(..)
                | Type::Poison
                | Type::Var(..)
        );
        if !ok {
            self.error(span, format!("arrays cannot have elements of type '{t}'"));
            return Type::Poison;
        }
        match self.constant_size(size, "array size") {
            Some(0) => self.error(size.span, "Illegal array size: 0"),
            Some(n) => return Type::Stack(t, n),
            None => {}
        }
        Type::Poison
    }

    fn width(&mut self, e: &ast::Expr, least: u32) -> Option<u32> {
        let w = self.constant_size(e, "width")?;
        if w < least {
            self.error(e.span, format!("{w}: Illegal bit size"));
            return None;
        }
        if w > MAX_WIDTH {
            self.error(
                e.span,
                format!("{w}: Compiler only supports widths up to {MAX_WIDTH}"),
            );
            return None;
        }
        Some(w)
    }

    /// A number known at compile time, as sizes and widths need it.
    pub(super) fn constant_size(&mut self, e: &ast::Expr, what: &str) -> Option<u32> {
        let value = self.constant_int(e, what)?;
        match value.to_u32() {
            Some(n) => Some(n),
            None => {
                self.error(e.span, format!("{value}: not a valid {what}"));
                None
            }
        }
    }

    /// A number known at compile time.
    pub(super) fn constant_int(&mut self, e: &ast::Expr, what: &str) -> Option<BigInt> {
        let checked = self.expr(e);
        if checked.is_poison() {
            return None;
        }
        let checked = self.underlying_value(checked);
        match checked.as_int() {
            Some(v) => Some(v.clone()),
            None => {
                self.error(
                    e.span,
                    format!("{what}: expected a compile-time constant of type int"),
                );
                None
            }
        }
    }

    pub(super) fn resolve_name(
        &mut self,
        path: &ast::Path,
        args: &[TypeRef],
        span: Span,
        specialized: bool,
    ) -> Ty {
        let entity = self.lookup(path);
        let args: Vec<Ty> = args.iter().map(|a| self.resolve(a)).collect();
        let entity = match entity {
            Entity::Type(t) => t,
            Entity::Poison => return self.poison(),
            Entity::Unfinished(what) => {
                self.error(
                    span,
                    format!("{path}: a {what} cannot use itself; recursion is not allowed"),
                );
                return self.poison();
            }
            _ => {
                self.error(span, format!("{path}: not a type"));
                return self.poison();
            }
        };
        let params: Vec<(TypeVar, Name)> = match &entity {
            TypeEntity::Plain(_) | TypeEntity::Parser(_) | TypeEntity::Control(_) => Vec::new(),
            TypeEntity::Generic(_, p) | TypeEntity::Applicable(_, p) => p.clone(),
            TypeEntity::Extern(e) => e.type_params.clone(),
            TypeEntity::Template(t) => {
                let names = &t.declared().type_params;
                let var = |n: &ast::Ident| (TypeVar(0), n.name.clone());
                names.iter().map(var).collect()
            }
            TypeEntity::Package(p) => p.type_params.clone(),
        };
        if params.len() != args.len() {
            if specialized || !args.is_empty() {
                self.error(
                    span,
                    format!("{path}: Type has {} type parameter(s), but it is invoked with {} type argument(s)", params.len(), args.len()),
                );
            } else {
                let message = format!(
                    "{path}: Type is generic and needs {} type argument(s)",
                    params.len()
                );
                // p4c names the declaration of a struct first.
                let d = match &entity {
                    TypeEntity::Generic(s, _) => Diagnostic::error(s.span, message),
                    _ => Diagnostic::error(span, message),
                };
                self.diags.push(d.note_at(span, "used here"));
            }
            return self.poison();
        }
        let bindings = Bindings::pairs(params.iter().map(|(v, _)| *v).zip(args.iter().cloned()));
        match entity {
            TypeEntity::Plain(t) => t,
            TypeEntity::Generic(s, _) => {
                let itself = |t: &Ty| t.as_struct().is_some_and(|a| a.def == s.def);
                if args.iter().any(itself) {
                    self.error(
                        span,
                        format!("{path}: contains self '{path}' as type argument"),
                    );
                    return self.poison();
                }
                let made = bindings.apply_struct(&s);
                for f in &made.fields {
                    if !Self::field_type_fits(&f.ty, made.kind) {
                        self.error(
                            made.span,
                            format!("Field '{}' of '{path}' cannot have type '{}'", f.name, f.ty),
                        );
                        return self.poison();
                    }
                }
                Rc::new(Type::Struct(made))
            }
            TypeEntity::Extern(e) => Rc::new(Type::Extern(Rc::new(ExternType {
                def: e.def,
                name: e.name.clone(),
                args,
            }))),
            TypeEntity::Applicable(t, _) => bindings.apply(&t),
            TypeEntity::Template(t) => match self.instance_of(&t, &args, span) {
                TypeEntity::Parser(p) => Rc::new(Type::Parser(p.ty.clone())),
                TypeEntity::Control(c) => Rc::new(Type::Control(c.ty.clone())),
                _ => self.poison(),
            },
            TypeEntity::Parser(p) => Rc::new(Type::Parser(p.ty.clone())),
            TypeEntity::Control(c) => Rc::new(Type::Control(c.ty.clone())),
            TypeEntity::Package(p) => {
                let params = p
                    .params
                    .iter()
                    .map(|q| (q.direction, bindings.apply(&q.var.ty)))
                    .collect();
                Rc::new(Type::Package(Rc::new(super::types::ApplyType {
                    def: p.def,
                    name: p.name.clone(),
                    args,
                    params,
                    required: 0,
                })))
            }
        }
    }
}
