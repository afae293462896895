// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Declarations.

use std::collections::HashMap;
use std::rc::Rc;

use num_bigint::BigInt;

use super::hir::{self, Expr, Instance, InstanceTarget, Local, Param, Prototype, Var, VarKind};
use super::infer::Bindings;
use super::types::{
    ApplyType, EnumType, FieldType, NewType, StructKind, StructType, Ty, Type, TypeVar, range_of,
};
use super::warn::Checked;
use super::{Checker, Entity, FunctionEntity, Place, Template, TypeEntity};
use crate::ast::{self, Decl, Direction, Ident, MethodKind, Name, TypedefTarget, find_annotation};
use crate::diag::Diagnostic;
use crate::source::Span;

impl Checker<'_> {
    pub(super) fn top_level(&mut self, d: &Decl) {
        self.not_main(d);
        self.annotated(d);
        match d {
            Decl::Const(c) => self.constant(c),
            Decl::Instantiation(i) => {
                if let Some(inst) = self.instantiation(i) {
                    let package = matches!(inst.target, InstanceTarget::Package(_));
                    if &*inst.name == "main" && !package {
                        self.error(i.span, format!("{}: expected package declaration", inst.ty));
                    }
                    match &inst.target {
                        InstanceTarget::Package(_) => {
                            if &*inst.name == "main" {
                                self.main = Some(inst);
                            }
                        }
                        InstanceTarget::Extern(..) => self.instances.push(inst),
                        InstanceTarget::Control(_) | InstanceTarget::Parser(_) => {
                            self.error(
                                i.span,
                                format!("{}: cannot instantiate at top-level", i.name),
                            );
                        }
                    }
                }
            }
            Decl::Extern(e) => self.extern_decl(e),
            Decl::ExternFunction(f) => {
                let proto = self.prototype(f);
                self.declare(
                    &f.name,
                    Entity::Functions(vec![FunctionEntity::Extern(proto)]),
                );
            }
            Decl::Function(f) => self.function(f),
            Decl::Action(a) => {
                if let Some(action) = self.action(a, true) {
                    self.checked.push(Checked::Action(action.clone()));
                    self.declare(&a.name, Entity::Action(action));
                }
            }
            Decl::Table(t) => self.error(t.span, "tables must be declared in controls"),
            Decl::ValueSet(v) => self.error(v.span, "value sets must be declared in parsers"),
            Decl::Var(v) => self.error(v.span, "variables cannot be declared at the top level"),
            Decl::ParserType(a) => self.applicable_type(a, true),
            Decl::ControlType(a) => self.applicable_type(a, false),
            Decl::Package(a) => self.package(a),
            Decl::Parser(p) => self.parser(p),
            Decl::Control(c) => self.control(c),
            Decl::Header(s) => self.structure(s, StructKind::Header),
            Decl::HeaderUnion(s) => self.structure(s, StructKind::Union),
            Decl::Struct(s) => self.structure(s, StructKind::Struct),
            Decl::Enum(e) => self.enumeration(e),
            Decl::Error(l) => {
                for m in &l.members {
                    if self.errors.contains(&m.name) {
                        self.error(m.span, format!("{m}: Duplicates declaration in error"));
                    } else {
                        self.errors.push(m.name.clone());
                    }
                }
            }
            Decl::MatchKind(l) => {
                for m in &l.members {
                    if self.match_kinds.contains(&m.name) {
                        self.error(m.span, format!("{m}: Duplicates declaration in match_kind"));
                    } else {
                        self.match_kinds.push(m.name.clone());
                    }
                }
            }
            Decl::Typedef(t) => self.typedef(t),
        }
    }

    pub(super) fn constant(&mut self, c: &ast::ConstDecl) {
        let ty = self.resolve(&c.ty);
        if matches!(*ty, Type::Extern(_)) {
            let message = format!("{}: Cannot declare constants of extern types", c.name);
            self.error(c.span, message);
            self.declare(&c.name, Entity::Poison);
            return;
        }
        let value = self.expr(&c.value);
        let value = self.number_of_new_type(value, &ty);
        let value = self.convert(value, &ty, |f, t| {
            format!(
                "{}: Cannot assign value of type '{f}' to constant of type '{t}'",
                c.name
            )
        });
        let entity = if value.is_poison() {
            Entity::Poison
        } else if value.is_constant() {
            Entity::Const(value)
        } else {
            if !value.is_compile_time() {
                self.error(
                    c.value.span,
                    "Cannot evaluate initializer to a compile-time constant",
                );
                self.declare(&c.name, Entity::Poison);
                return;
            }
            Entity::Const(value)
        };
        self.declare(&c.name, entity);
    }

    /// A plain number is a constant of a `type` on numbers; elsewhere it needs a cast, as with p4c.
    fn number_of_new_type(&mut self, value: Expr, ty: &Ty) -> Expr {
        let base = ty.representation();
        if !matches!((&*value.ty, &**ty), (Type::Int, Type::New(_))) || !base.is_bits() {
            return value;
        }
        let sized = self.size_int(value, &base);
        Expr {
            ty: ty.clone(),
            ..sized
        }
    }

    pub(super) fn instantiation(&mut self, i: &ast::Instantiation) -> Option<Rc<Instance>> {
        let inst = self.instance(&i.ty, &i.args, i.name.name.clone(), &i.annotations, i.span);
        if let Some(inst) = &inst {
            self.implementations(inst, i);
        }
        let entity = match &inst {
            Some(inst) => Entity::Instance(inst.clone()),
            None => Entity::Poison,
        };
        self.declare(&i.name, entity);
        inst
    }

    /// The methods that an instance implements: `X(...) x = { void apply(...) { ... } }`.
    fn implementations(&mut self, inst: &Rc<Instance>, i: &ast::Instantiation) {
        let empty = Vec::new();
        let given = i.initializer.as_ref().unwrap_or(&empty);
        let (abstracts, bindings) = match (&inst.target, &*inst.ty) {
            (InstanceTarget::Extern(e, _), Type::Extern(t)) => {
                let b = Bindings::pairs(
                    e.type_params
                        .iter()
                        .map(|(v, _)| *v)
                        .zip(t.args.iter().cloned()),
                );
                (e.abstracts.clone(), b)
            }
            _ => (Vec::new(), Bindings::default()),
        };
        let mut found: Vec<Name> = Vec::new();
        for d in given {
            match d {
                Decl::Function(f) => {
                    let name = &f.proto.name;
                    let Some(wanted) = abstracts.iter().find(|a| a.name == name.name) else {
                        self.error(
                            name.span,
                            format!("{name}: the extern has no abstract method of this name"),
                        );
                        continue;
                    };
                    found.push(name.name.clone());
                    let proto = self.function_body(f);
                    let least = wanted
                        .params
                        .iter()
                        .position(|p| p.optional)
                        .unwrap_or(wanted.params.len());
                    let fits = (least..=wanted.params.len()).contains(&proto.params.len())
                        && Type::same(&proto.result, &bindings.apply(&wanted.result))
                        && proto.params.iter().zip(&wanted.params).all(|(p, w)| {
                            p.direction == w.direction
                                && Type::same(&p.var.ty, &bindings.apply(&w.var.ty))
                        });
                    if !fits {
                        self.diags.push(
                            Diagnostic::error(
                                name.span,
                                format!(
                                    "{name}: signature differs from that of the abstract method"
                                ),
                            )
                            .note_at(wanted.span, "declared here"),
                        );
                    }
                }
                Decl::Instantiation(inner) => {
                    self.instantiation(inner);
                }
                other => self.error(other.span(), "declaration not allowed here"),
            }
        }
        for a in abstracts.iter().filter(|a| !found.contains(&a.name)) {
            self.error(
                i.span,
                format!("{}: abstract method {} is not implemented", i.name, a.name),
            );
        }
    }

    fn type_params(&mut self, names: &[Ident]) -> Vec<(TypeVar, Name)> {
        let mut out = Vec::new();
        for n in names {
            let v = TypeVar(self.fresh());
            let t = Rc::new(Type::Var(v, n.name.clone()));
            self.declare(n, Entity::Type(TypeEntity::Plain(t)));
            out.push((v, n.name.clone()));
        }
        out
    }

    pub(super) fn params(&mut self, list: &[ast::Param], constructor: bool) -> Vec<Param> {
        let mut out: Vec<Param> = Vec::new();
        for p in list {
            self.annotations(&p.annotations);
            let ty = self.resolve(&p.ty);
            self.check_param(p, &ty);
            if matches!(*ty, Type::Void) {
                self.error(
                    p.ty.span,
                    format!("{}: parameter cannot have type void", p.name),
                );
            }
            if constructor {
                self.no_directions(std::slice::from_ref(p));
            }
            if let Some(previous) = out.iter().find(|q| q.var.name == p.name.name) {
                let previous = previous.var.span;
                self.diags.push(
                    Diagnostic::error(p.name.span, format!("{}: Duplicates declaration", p.name))
                        .note_at(previous, format!("previous declaration of {}", p.name)),
                );
                continue;
            }
            let default = p.default.as_ref().map(|e| {
                let v = self.expr(e);
                let v = self.convert(v, &ty, |f, t| {
                    format!(
                        "{}: default value of type '{f}' for parameter of type '{t}'",
                        p.name
                    )
                });
                if !v.is_poison() && !v.is_compile_time() {
                    self.error(e.span, "default value must be a compile-time constant");
                }
                v
            });
            let kind = if constructor {
                VarKind::Constructor
            } else {
                VarKind::Param(p.direction)
            };
            let var = Rc::new(Var {
                id: self.fresh_var(),
                name: p.name.name.clone(),
                ty,
                kind,
                annotations: p.annotations.clone(),
                span: p.name.span,
            });
            let optional = find_annotation(&p.annotations, "optional").is_some();
            out.push(Param {
                var,
                direction: p.direction,
                default,
                optional,
            });
        }
        out
    }

    pub(super) fn declare_params(&mut self, params: &[Param]) {
        for p in params {
            let id = Ident::new(p.var.name.clone(), p.var.span);
            self.declare(&id, Entity::Var(p.var.clone()));
        }
    }

    fn prototype(&mut self, f: &ast::FunctionProto) -> Rc<Prototype> {
        self.push_scope();
        let type_params = self.type_params(&f.type_params);
        let result = self.resolve(&f.return_type);
        let params = self.params(&f.params, false);
        self.pop_scope();
        Rc::new(Prototype {
            name: f.name.name.clone(),
            type_params,
            params,
            result,
            annotations: f.annotations.clone(),
            span: f.name.span,
        })
    }

    fn extern_decl(&mut self, e: &ast::ExternDecl) {
        let def = self.fresh_def();
        self.push_scope();
        let type_params = self.type_params(&e.type_params);
        let mut constructors = Vec::new();
        let mut methods = Vec::new();
        let mut abstracts = Vec::new();
        for m in &e.methods {
            let mut proto = m.proto.clone();
            if m.kind == MethodKind::Constructor {
                proto.return_type = ast::TypeRef {
                    kind: ast::TypeKind::Void,
                    span: proto.span,
                };
                self.no_directions(&proto.params);
                let p = self.prototype(&proto);
                constructors.push(p);
            } else {
                let p = self.prototype(&proto);
                if m.kind == MethodKind::Abstract {
                    abstracts.push(p.clone());
                }
                methods.push(p);
            }
        }
        self.pop_scope();
        self.distinct(&constructors);
        self.distinct(&methods);
        let ext = Rc::new(hir::Extern {
            def,
            name: e.name.name.clone(),
            type_params,
            constructors,
            methods,
            abstracts,
            span: e.name.span,
        });
        self.externs.insert(def, ext.clone());
        self.declare(&e.name, Entity::Type(TypeEntity::Extern(ext)));
    }

    /// Methods of one name differ in the names of their parameters.
    fn distinct(&mut self, methods: &[Rc<Prototype>]) {
        for (i, m) in methods.iter().enumerate() {
            let same = |o: &&Rc<Prototype>| {
                o.name == m.name
                    && o.params.len() == m.params.len()
                    && o.params
                        .iter()
                        .zip(&m.params)
                        .all(|(a, b)| a.var.name == b.var.name)
            };
            if let Some(previous) = methods[..i].iter().find(same) {
                self.duplicate(&Ident::new(m.name.clone(), m.span), previous.span);
            }
        }
    }

    /// Checks a function; returns its signature.
    fn function_body(&mut self, f: &ast::FunctionDecl) -> Rc<Prototype> {
        self.function_parts(f).0
    }

    fn function(&mut self, f: &ast::FunctionDecl) {
        let def = self.fresh_def();
        let (proto, body) = self.function_parts(f);
        let func = Rc::new(hir::Function { def, proto, body });
        self.checked.push(Checked::Function(func.clone()));
        self.declare(
            &f.proto.name,
            Entity::Functions(vec![FunctionEntity::Defined(func)]),
        );
    }

    fn function_parts(&mut self, f: &ast::FunctionDecl) -> (Rc<Prototype>, hir::Block) {
        let proto = {
            self.push_scope();
            let type_params = self.type_params(&f.proto.type_params);
            let result = self.resolve(&f.proto.return_type);
            self.no_optional_params(&f.proto.params);
            let params = self.params(&f.proto.params, false);
            Rc::new(Prototype {
                name: f.proto.name.name.clone(),
                type_params,
                params,
                result: result.clone(),
                annotations: f.proto.annotations.clone(),
                span: f.proto.name.span,
            })
        };
        self.declare_params(&proto.params);
        let place = std::mem::replace(&mut self.place, Place::Function);
        let returns = self.returns.replace(proto.result.clone());
        let body = self.block(&f.body);
        self.place = place;
        self.returns = returns;
        self.pop_scope();
        if !matches!(*proto.result, Type::Void | Type::Poison)
            && !super::stmts::always_returns(&body)
        {
            self.error(
                f.proto.name.span,
                format!(
                    "{}: Function does not return a value on all paths",
                    f.proto.name
                ),
            );
        }
        (proto, body)
    }

    pub(super) fn action(&mut self, a: &ast::ActionDecl, global: bool) -> Option<Rc<hir::Action>> {
        let def = self.fresh_def();
        self.push_scope();
        let params = self.params(&a.params, false);
        let mut data = false;
        for p in &params {
            if matches!(*p.var.ty, Type::Int) {
                self.error(
                    p.var.span,
                    format!(
                        "{}: actions cannot have parameters with type int",
                        p.var.name
                    ),
                );
            }
            if p.direction == Direction::None {
                data = true;
            } else if data {
                self.error(
                    p.var.span,
                    format!(
                        "{}: direction-less action parameters have to be at the end",
                        p.var.name
                    ),
                );
            }
        }
        self.declare_params(&params);
        let place = std::mem::replace(&mut self.place, Place::Action);
        let returns = self.returns.replace(Rc::new(Type::Void));
        let body = self.block(&a.body);
        self.place = place;
        self.returns = returns;
        self.pop_scope();
        Some(Rc::new(hir::Action {
            def,
            name: a.name.name.clone(),
            annotations: a.annotations.clone(),
            params,
            body,
            global,
            span: a.name.span,
        }))
    }

    fn applicable_type(&mut self, a: &ast::ApplicableType, parser: bool) {
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
    }

    fn package(&mut self, a: &ast::ApplicableType) {
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
    }

    fn structure(&mut self, s: &ast::StructDecl, kind: StructKind) {
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

    fn enumeration(&mut self, e: &ast::EnumDecl) {
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

    fn typedef(&mut self, t: &ast::TypedefDecl) {
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
    }

    fn control(&mut self, c: &ast::ControlDecl) {
        self.declare(&c.ty.name, Entity::Unfinished("control"));
        let control = self.control_body(c, &[]);
        let entity = if c.ty.type_params.is_empty() {
            self.checked.push(Checked::Control(control.clone()));
            TypeEntity::Control(control)
        } else {
            TypeEntity::Template(Rc::new(Template::Control(c.clone())))
        };
        self.declare(&c.ty.name, Entity::Type(entity));
    }

    /// A generic parser or control with its type arguments.
    pub(super) fn instance_of(&mut self, t: &Rc<Template>, args: &[Ty], span: Span) -> TypeEntity {
        let poison = TypeEntity::Plain(self.poison());
        let Some(left) = self.templates.checked_sub(1) else {
            self.error(span, "too many instances of generic parsers and controls");
            return poison;
        };
        self.templates = left;
        let name = t.declared().name.clone();
        // The body sees what the top level declares, and not where the instance stands; nor can it use itself.
        let inner = self.scopes.split_off(1);
        let statements = std::mem::take(&mut self.statements);
        let unfinished = Entity::Unfinished("generic parser or control");
        let entry = self.scopes.first_mut().and_then(|top| {
            let entry = top.names.get_mut(&name.name)?;
            Some(std::mem::replace(&mut entry.0, unfinished))
        });
        let made = self.nested(span, poison, |c| match &**t {
            Template::Control(d) => {
                let control = c.control_body(d, args);
                c.checked.push(Checked::Control(control.clone()));
                TypeEntity::Control(control)
            }
            Template::Parser(d) => {
                let parser = c.parser_body(d, args);
                c.checked.push(Checked::Parser(parser.clone()));
                TypeEntity::Parser(parser)
            }
        });
        if let (Some(entity), Some(top)) = (entry, self.scopes.first_mut())
            && let Some(slot) = top.names.get_mut(&name.name)
        {
            slot.0 = entity;
        }
        self.scopes.extend(inner);
        self.statements = statements;
        made
    }

    /// Type parameters that stand for the types given; without these, for themselves.
    pub(super) fn bound_type_params(&mut self, names: &[Ident], args: &[Ty]) {
        if args.is_empty() {
            self.type_params(names);
        }
        for (n, t) in names.iter().zip(args) {
            self.declare(n, Entity::Type(TypeEntity::Plain(t.clone())));
        }
    }

    fn control_body(&mut self, c: &ast::ControlDecl, args: &[Ty]) -> Rc<hir::Control> {
        let def = self.fresh_def();
        self.push_scope();
        self.bound_type_params(&c.ty.type_params, args);
        let params = self.params(&c.ty.params, false);
        let constructor_params = self.params(&c.constructor_params, true);
        self.declare_params(&params);
        self.declare_params(&constructor_params);
        self.push_scope();
        let place = std::mem::replace(&mut self.place, Place::Control);
        let anonymous = std::mem::take(&mut self.anonymous);
        let returns = self.returns.replace(Rc::new(Type::Void));
        let mut locals = self.locals(&c.locals);
        let body = self.block(&c.body);
        self.returns = returns;
        locals.extend(
            std::mem::replace(&mut self.anonymous, anonymous)
                .into_iter()
                .map(Local::Instance),
        );
        self.place = place;
        self.pop_scope();
        self.pop_scope();
        let ty = Rc::new(ApplyType {
            def,
            name: c.ty.name.name.clone(),
            args: Vec::new(),
            params: params
                .iter()
                .map(|p| (p.direction, p.var.ty.clone()))
                .collect(),
            required: params.len(),
        });
        Rc::new(hir::Control {
            ty,
            name: c.ty.name.name.clone(),
            name_span: c.ty.name.span,
            annotations: c.ty.annotations.clone(),
            params,
            constructor_params,
            locals,
            body,
            span: c.span,
        })
    }

    /// The declarations before a control's or parser's body.
    pub(super) fn locals(&mut self, list: &[Decl]) -> Vec<Local> {
        let mut out = Vec::new();
        for d in list {
            self.annotated(d);
            match d {
                Decl::Const(c) => self.constant(c),
                Decl::Var(v) => {
                    if let Some((var, init)) = self.variable(v) {
                        out.push(Local::Var(var, init, v.span));
                    }
                }
                Decl::Instantiation(i) => {
                    if let Some(inst) = self.instantiation(i) {
                        if matches!(inst.target, InstanceTarget::Package(_)) {
                            self.error(
                                i.span,
                                format!("{}: packages cannot be instantiated here", i.name),
                            );
                        }
                        out.push(Local::Instance(inst));
                    }
                }
                Decl::Action(a) => match self.action(a, false) {
                    Some(action) => {
                        self.declare(&a.name, Entity::Action(action.clone()));
                        out.push(Local::Action(action));
                    }
                    None => self.declare(&a.name, Entity::Poison),
                },
                Decl::Table(t) => match self.table(t) {
                    Some(table) => {
                        self.declare(&t.name, Entity::Table(table.clone()));
                        out.push(Local::Table(table));
                    }
                    None => self.declare(&t.name, Entity::Poison),
                },
                Decl::ValueSet(v) => {
                    let set = self.value_set(v);
                    self.declare(&v.name, Entity::ValueSet(set.clone()));
                    out.push(Local::ValueSet(set));
                }
                other => self.error(other.span(), "declaration not allowed here"),
            }
        }
        out
    }

    /// A declaration among statements must not hide a parameter.
    pub(super) fn not_a_param(&mut self, name: &Ident) {
        if self.statements == 0 {
            return;
        }
        let path = ast::Path {
            absolute: false,
            name: name.clone(),
            span: name.span,
        };
        if let Some(Entity::Var(v)) = self.find(&path)
            && v.kind != VarKind::Local
        {
            let previous = v.span;
            self.diags.push(
                Diagnostic::error(
                    name.span,
                    format!("declaration of '{name}' shadows a parameter '{name}'"),
                )
                .note_at(previous, "the parameter"),
            );
        }
    }

    /// A variable, declared after its initial value was checked.
    pub(super) fn variable(&mut self, v: &ast::VarDecl) -> Option<(Rc<Var>, Option<Expr>)> {
        self.not_a_param(&v.name);
        let ty = self.resolve(&v.ty);
        let bad = matches!(
            *ty,
            Type::Void | Type::Int | Type::String | Type::MatchKind | Type::DontCare
        ) || matches!(
            *ty,
            Type::Extern(_) | Type::Parser(_) | Type::Control(_) | Type::Package(_)
        );
        if bad {
            self.error(
                v.ty.span,
                format!("{}: Cannot declare variables of type '{ty}'", v.name),
            );
        }
        let init = v.init.as_ref().map(|e| {
            let value = self.expr(e);
            self.convert(value, &ty, assignment_message)
        });
        let var = Rc::new(Var {
            id: self.fresh_var(),
            name: v.name.name.clone(),
            ty: if bad { self.poison() } else { ty },
            kind: VarKind::Local,
            annotations: v.annotations.clone(),
            span: v.name.span,
        });
        self.declare(&v.name, Entity::Var(var.clone()));
        Some((var, init))
    }
}

/// What p4c says of an assignment whose types differ.
pub(super) fn assignment_message(from: &Type, to: &Type) -> String {
    format!(
        "Source expression produces a result of type '{from}' which cannot be assigned to a left-value with type '{to}'"
    )
}
