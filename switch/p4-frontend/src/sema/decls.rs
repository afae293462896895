// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Declarations.

use std::collections::HashMap;
use std::rc::Rc;

use num_bigint::BigInt;

use super::hir::{self, Expr, Instance, InstanceTarget, Local, Param, Prototype, Var, VarKind};
use super::types::{
    ApplyType, EnumType, FieldType, NewType, StructKind, StructType, Ty, Type, TypeVar, range_of,
};
use super::{Checker, Entity, FunctionEntity, Place, TypeEntity};
use crate::ast::{self, Decl, Direction, Ident, MethodKind, Name, TypedefTarget, find_annotation};
use crate::diag::Diagnostic;
use crate::source::Span;

impl Checker<'_> {
    pub(super) fn top_level(&mut self, d: &Decl) {
        match d {
            Decl::Const(c) => self.constant(c),
            Decl::Instantiation(i) => {
                if let Some(inst) = self.instantiation(i) {
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
        let value = self.expr(&c.value);
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

    pub(super) fn instantiation(&mut self, i: &ast::Instantiation) -> Option<Rc<Instance>> {
        if i.initializer.is_some() {
            self.unsupported(i.span, "an instance with abstract methods");
        }
        let inst = self.instance(&i.ty, &i.args, i.name.name.clone(), &i.annotations, i.span);
        let entity = match &inst {
            Some(inst) => Entity::Instance(inst.clone()),
            None => Entity::Poison,
        };
        self.declare(&i.name, entity);
        inst
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
            let ty = self.resolve(&p.ty);
            if matches!(*ty, Type::Void) {
                self.error(
                    p.ty.span,
                    format!("{}: parameter cannot have type void", p.name),
                );
            }
            if constructor && p.direction != Direction::None {
                self.error(
                    p.span,
                    format!("{}: constructor parameters cannot have a direction", p.name),
                );
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
        for m in &e.methods {
            let mut proto = m.proto.clone();
            if m.kind == MethodKind::Constructor {
                proto.return_type = ast::TypeRef {
                    kind: ast::TypeKind::Void,
                    span: proto.span,
                };
                // Constructor parameters have no direction.
                let p = self.prototype(&proto);
                constructors.push(p);
            } else {
                let p = self.prototype(&proto);
                methods.push(p);
            }
        }
        self.pop_scope();
        let ext = Rc::new(hir::Extern {
            def,
            name: e.name.name.clone(),
            type_params,
            constructors,
            methods,
            span: e.name.span,
        });
        self.externs.insert(def, ext.clone());
        self.declare(&e.name, Entity::Type(TypeEntity::Extern(ext)));
    }

    fn function(&mut self, f: &ast::FunctionDecl) {
        let def = self.fresh_def();
        let proto = {
            self.push_scope();
            let type_params = self.type_params(&f.proto.type_params);
            let result = self.resolve(&f.proto.return_type);
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
        let func = Rc::new(hir::Function { def, proto, body });
        self.declare(
            &f.proto.name,
            Entity::Functions(vec![FunctionEntity::Defined(func)]),
        );
    }

    pub(super) fn action(&mut self, a: &ast::ActionDecl, global: bool) -> Option<Rc<hir::Action>> {
        let def = self.fresh_def();
        self.push_scope();
        let params = self.params(&a.params, false);
        let mut data = false;
        for p in &params {
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
            let ty = self.resolve(&f.ty);
            if let Some(previous) = seen.insert(f.name.name.clone(), f.name.span) {
                self.duplicate(&f.name, previous);
                continue;
            }
            let ok = match (&*ty.representation(), kind) {
                (Type::Poison | Type::Var(..), _) => true,
                (Type::Struct(inner), StructKind::Union) => inner.kind == StructKind::Header,
                (_, StructKind::Union) => false,
                (Type::Bits { .. } | Type::Bool | Type::Varbit(_), _) => true,
                (Type::Enum(e), StructKind::Header) => e.underlying.is_some(),
                (Type::Struct(inner), StructKind::Header) => inner.kind == StructKind::Struct,
                (_, StructKind::Header) => false,
                (Type::Void | Type::Int | Type::String | Type::MatchKind | Type::DontCare, _) => {
                    false
                }
                (Type::Extern(_) | Type::Parser(_) | Type::Control(_) | Type::Package(_), _) => {
                    false
                }
                _ => true,
            };
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
            fields.push(FieldType {
                name: f.name.name.clone(),
                ty,
                annotations: f.annotations.clone(),
            });
        }
        self.pop_scope();
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
        let def = self.fresh_def();
        if let Some(first) = c.ty.type_params.first() {
            self.error(
                first.span,
                format!("{}: controls with a body cannot be generic", c.ty.name),
            );
        }
        self.push_scope();
        self.type_params(&c.ty.type_params);
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
        });
        let control = Rc::new(hir::Control {
            ty,
            name: c.ty.name.name.clone(),
            name_span: c.ty.name.span,
            annotations: c.ty.annotations.clone(),
            params,
            constructor_params,
            locals,
            body,
            span: c.span,
        });
        self.declare(&c.ty.name, Entity::Type(TypeEntity::Control(control)));
    }

    /// The declarations before a control's or parser's body.
    pub(super) fn locals(&mut self, list: &[Decl]) -> Vec<Local> {
        let mut out = Vec::new();
        for d in list {
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

    /// A variable, declared after its initial value was checked.
    pub(super) fn variable(&mut self, v: &ast::VarDecl) -> Option<(Rc<Var>, Option<Expr>)> {
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
