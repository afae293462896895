// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Declarations of types: structs, headers, enums, names for types, and the types of parsers, controls and packages.

use std::collections::HashMap;
use std::rc::Rc;

use num_bigint::BigInt;

use super::hir;
use super::types::{
    ApplyType, EnumType, FieldType, NewType, StructKind, StructType, Ty, Type, TypeVar, range_of,
};
use super::{Checker, Entity, TypeEntity};
use crate::ast::{self, Ident, Name, TypedefTarget};
use crate::source::Span;

impl Checker<'_> {
    pub(super) fn type_params(&mut self, names: &[Ident]) -> Vec<(TypeVar, Name)> {
        let mut out = Vec::new();
        for n in names {
            let v = TypeVar(self.fresh());
            let t = Rc::new(Type::Var(v, n.name.clone()));
            self.declare(n, Entity::Type(TypeEntity::Plain(t)));
            self.watch(n, "", &[]);
            out.push((v, n.name.clone()));
        }
        out
    }

    /// Type parameters that stand for the types given; without these, for themselves.
    pub(super) fn bound_type_params(&mut self, names: &[Ident], args: &[Ty]) {
        if args.is_empty() {
            self.quietly(true, |c| c.type_params(names));
        }
        for (n, t) in names.iter().zip(args) {
            self.declare(n, Entity::Type(TypeEntity::Plain(t.clone())));
        }
    }

    pub(super) fn applicable_type(&mut self, a: &ast::ApplicableType, parser: bool) {
        let def = self.fresh_def();
        self.push_scope();
        let vars = self.type_params(&a.type_params);
        let params = self.params(&a.params, false);
        self.pop_scope();
        let at = Rc::new(ApplyType {
            def,
            name: a.name.name.clone(),
            args: vars
                .iter()
                .map(|(v, n)| Rc::new(Type::Var(*v, n.clone())))
                .collect(),
            params: params
                .iter()
                .map(|p| (p.direction, p.var.ty.clone()))
                .collect(),
            required: params
                .iter()
                .position(|p| p.optional)
                .unwrap_or(params.len()),
        });
        let t = Rc::new(if parser {
            Type::Parser(at)
        } else {
            Type::Control(at)
        });
        self.declare(&a.name, Entity::Type(TypeEntity::Applicable(t, vars)));
        self.watch(&a.name, "", &a.annotations);
    }

    pub(super) fn package(&mut self, a: &ast::ApplicableType) {
        let def = self.fresh_def();
        self.push_scope();
        let type_params = self.type_params(&a.type_params);
        let params = self.params(&a.params, true);
        self.pop_scope();
        let p = Rc::new(hir::Package {
            def,
            name: a.name.name.clone(),
            type_params,
            params,
        });
        self.declare(&a.name, Entity::Type(TypeEntity::Package(p)));
        self.watch(&a.name, "", &a.annotations);
    }

    pub(super) fn structure(&mut self, s: &ast::StructDecl, kind: StructKind) {
        let def = self.fresh_def();
        self.push_scope();
        let vars = self.type_params(&s.type_params);
        let mut fields: Vec<FieldType> = Vec::new();
        let mut seen: HashMap<Name, Span> = HashMap::new();
        for f in &s.fields {
            self.annotations(&f.annotations);
            let ty = self.resolve(&f.ty);
            if let Some(previous) = seen.insert(f.name.name.clone(), f.name.span) {
                self.duplicate(&f.name, previous);
                continue;
            }
            let ok = Self::field_type_fits(&ty, kind);
            if !ok {
                let word = match kind {
                    StructKind::Header => "headers",
                    StructKind::Union => "header unions",
                    StructKind::Struct => "structs",
                };
                self.error(
                    f.ty.span,
                    format!("Field {} cannot have type '{ty}' in {word}", f.name),
                );
            }
            let ty = if ok { ty } else { self.poison() };
            let field_lists = self.field_list_numbers(&f.annotations);
            fields.push(FieldType {
                name: f.name.name.clone(),
                ty,
                annotations: f.annotations.clone(),
                field_lists,
            });
        }
        self.pop_scope();
        let varbits = fields.iter().filter(|f| matches!(*f.ty, Type::Varbit(_)));
        if varbits.count() > 1 && kind == StructKind::Header {
            self.error(s.name.span, "multiple varbit fields in a header");
        }
        let st = Rc::new(StructType {
            def,
            kind,
            name: s.name.name.clone(),
            args: vars
                .iter()
                .map(|(v, n)| Rc::new(Type::Var(*v, n.clone())))
                .collect(),
            fields,
            annotations: s.annotations.clone(),
            span: s.name.span,
        });
        if kind == StructKind::Header && vars.is_empty() {
            self.headers.push(st.clone());
        }
        if &*st.name == "standard_metadata_t" && kind == StructKind::Struct {
            self.standard_metadata = Some(st.clone());
        }
        let entity = if vars.is_empty() {
            TypeEntity::Plain(Rc::new(Type::Struct(st)))
        } else {
            TypeEntity::Generic(st, vars)
        };
        self.declare(&s.name, Entity::Type(entity));
    }

    /// The numbers of `@field_list(1, NAME, Enum.member)`.
    fn field_list_numbers(&mut self, annotations: &[ast::Annotation]) -> Vec<u32> {
        let mut out = Vec::new();
        for a in annotations
            .iter()
            .filter(|a| a.name.as_str() == "field_list")
        {
            let exprs: Vec<ast::Expr> = match &a.body {
                ast::AnnotationBody::Expressions(list) => list.clone(),
                ast::AnnotationBody::Unstructured(tokens) | ast::AnnotationBody::Pragma(tokens) => {
                    tokens
                        .split(|t| &*t.text == ",")
                        .filter_map(|part| Self::annotation_expr(part, a.span))
                        .collect()
                }
                _ => Vec::new(),
            };
            if exprs.is_empty() {
                self.error(a.span, "@field_list: expected numbers");
            }
            for e in exprs {
                out.extend(self.constant_size(&e, "field list"));
            }
        }
        out
    }

    /// A number, name or member as written in an annotation.
    fn annotation_expr(tokens: &[ast::AnnotationToken], span: Span) -> Option<ast::Expr> {
        let expr = |kind: ast::ExprKind| ast::Expr { kind, span };
        let name = |text: &Name| {
            expr(ast::ExprKind::Name(ast::Path {
                absolute: false,
                name: Ident::new(text.clone(), span),
                span,
            }))
        };
        match tokens {
            [t] if t.kind == ast::AnnotationTokenKind::Integer => {
                let value = super::tables::parse_int(&t.text)?;
                Some(expr(ast::ExprKind::Int(ast::IntLit {
                    value,
                    width: None,
                    base: ast::IntBase::Decimal,
                })))
            }
            [t] if t.kind == ast::AnnotationTokenKind::Word => Some(name(&t.text)),
            [t, dot, m] if &*dot.text == "." => {
                let member = Ident::new(m.text.clone(), span);
                Some(expr(ast::ExprKind::Member {
                    base: Box::new(name(&t.text)),
                    member,
                }))
            }
            _ => None,
        }
    }

    pub(super) fn enumeration(&mut self, e: &ast::EnumDecl) {
        let def = self.fresh_def();
        let underlying = e.underlying.as_ref().map(|t| {
            let ty = self.resolve(t);
            if !ty.representation().is_bits() && !ty.is_poison() {
                self.error(
                    t.span,
                    format!("{ty}: Illegal type for enum; only bit<> and int<> are allowed"),
                );
                return self.poison();
            }
            ty
        });
        let mut members: Vec<(Name, BigInt)> = Vec::new();
        for (i, m) in e.members.iter().enumerate() {
            if members.iter().any(|(n, _)| *n == m.name.name) {
                self.error(
                    m.name.span,
                    format!("{}: Duplicates declaration in enum {}", m.name, e.name),
                );
                continue;
            }
            let value = match (&m.value, &underlying) {
                (Some(v), Some(ty)) => match self.constant_int(v, "enum value") {
                    Some(n) => {
                        if let Type::Bits { width, signed } = *ty.representation() {
                            let (lo, hi) = range_of(width, signed);
                            if n < lo || n > hi {
                                self.error(v.span, format!("{n}: value does not fit in '{ty}'"));
                            }
                        }
                        n
                    }
                    None => BigInt::from(0),
                },
                _ => BigInt::from(i),
            };
            members.push((m.name.name.clone(), value));
        }
        let en = Rc::new(EnumType {
            def,
            name: e.name.name.clone(),
            underlying,
            members,
            span: e.name.span,
        });
        self.enums.push(en.clone());
        self.declare(
            &e.name,
            Entity::Type(TypeEntity::Plain(Rc::new(Type::Enum(en)))),
        );
    }

    pub(super) fn typedef(&mut self, t: &ast::TypedefDecl) {
        // Another name for what can be instantiated.
        if let TypedefTarget::Type(r) = &t.target
            && let ast::TypeKind::Name(path) = &r.kind
            && !t.is_new_type
            && let Some(Entity::Type(
                e @ (TypeEntity::Extern(_) | TypeEntity::Parser(_) | TypeEntity::Control(_)),
            )) = self.find(path).cloned()
            && !matches!(&e, TypeEntity::Extern(x) if !x.type_params.is_empty())
        {
            self.declare(&t.name, Entity::Type(e));
            self.watch(&t.name, "", &t.annotations);
            return;
        }
        let ty: Ty = match &t.target {
            TypedefTarget::Type(r) => self.resolve(r),
            TypedefTarget::Decl(d) => {
                self.top_level(d);
                match d.name() {
                    Some(n) => {
                        let path = ast::Path {
                            absolute: false,
                            name: n.clone(),
                            span: n.span,
                        };
                        self.resolve_name(&path, &[], n.span, false)
                    }
                    None => self.poison(),
                }
            }
        };
        let ty = if t.is_new_type && !ty.is_poison() {
            let ok = matches!(
                *ty.representation(),
                Type::Bits { .. } | Type::Bool | Type::Error | Type::Int | Type::Varbit(_)
            );
            if !ok {
                self.error(
                    t.span,
                    format!(
                        "{}: `type' can only be applied to base types, not '{ty}'",
                        t.name
                    ),
                );
            }
            Rc::new(Type::New(Rc::new(NewType {
                def: self.fresh_def(),
                name: t.name.name.clone(),
                base: ty,
                annotations: t.annotations.clone(),
            })))
        } else {
            ty
        };
        self.declare(&t.name, Entity::Type(TypeEntity::Plain(ty)));
        self.watch(&t.name, "", &t.annotations);
    }
}
