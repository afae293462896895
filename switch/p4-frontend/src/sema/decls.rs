// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Declarations at the top level, of constants, variables and functions.

use std::rc::Rc;

use super::hir::{self, Expr, Instance, InstanceTarget, Param, Prototype, Var, VarKind};
use super::scope::silenced;
use super::types::{StructKind, Ty, Type};
use super::warn::Checked;
use super::{Checker, Entity, FunctionEntity, Place};
use crate::ast::{self, Decl, Ident, Name, find_annotation};
use crate::diag::{Diagnostic, Diagnostics, Warning};

impl Checker<'_> {
    pub(super) fn top_level(&mut self, d: &Decl) {
        self.not_main(d);
        self.annotated(d);
        let quiet = silenced(d.annotations(), Warning::Unused);
        self.quietly(quiet, |c| c.declaration(d));
    }

    fn declaration(&mut self, d: &Decl) {
        match d {
            Decl::Const(c) => self.constant(c),
            Decl::Instantiation(i) => self.global_instance(i),
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
                let action = self.action(a, true);
                self.checked.push(Checked::Action(action.clone()));
                self.declare(&a.name, Entity::Action(action));
                self.watch(&a.name, "", &a.annotations);
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
            Decl::Error(l) => Self::members(&mut self.errors, l, "error", self.diags),
            Decl::MatchKind(l) => {
                Self::members(&mut self.match_kinds, l, "match_kind", self.diags);
            }
            Decl::Typedef(t) => self.typedef(t),
        }
    }

    /// More members of `error` or `match_kind`.
    fn members(
        all: &mut Vec<Name>,
        more: &ast::IdentListDecl,
        what: &str,
        diags: &mut Diagnostics,
    ) {
        for m in &more.members {
            if all.contains(&m.name) {
                diags.error(m.span, format!("{m}: Duplicates declaration in {what}"));
            } else {
                all.push(m.name.clone());
            }
        }
    }

    fn global_instance(&mut self, i: &ast::Instantiation) {
        let Some(inst) = self.instantiation(i) else {
            return;
        };
        let main = &*inst.name == "main";
        match &inst.target {
            InstanceTarget::Package(_) if main => self.main = Some(inst),
            InstanceTarget::Package(_) => {}
            _ if main => self.error(i.span, format!("{}: expected package declaration", inst.ty)),
            InstanceTarget::Extern(..) => self.instances.push(inst),
            InstanceTarget::Control(_) | InstanceTarget::Parser(_) => {
                self.error(
                    i.span,
                    format!("{}: cannot instantiate at top-level", i.name),
                );
            }
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
        // What a call says stands for itself: `const bool checked = static_assert(...)`.
        if !matches!(c.value.kind, ast::ExprKind::Call { .. }) {
            self.watch(&c.name, "", &c.annotations);
        }
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
            self.quietly(true, |c| c.implementations(inst, i));
        }
        let entity = match &inst {
            Some(inst) => Entity::Instance(inst.clone()),
            None => Entity::Poison,
        };
        self.declare(&i.name, entity);
        if i.name.as_str() != "main" || self.scopes.len() > 1 {
            self.watch(&i.name, "", &i.annotations);
        }
        inst
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

    fn function(&mut self, f: &ast::FunctionDecl) {
        let def = self.fresh_def();
        let (proto, body) = self.function_parts(f);
        let func = Rc::new(hir::Function { def, proto, body });
        self.checked.push(Checked::Function(func.clone()));
        self.declare(
            &f.proto.name,
            Entity::Functions(vec![FunctionEntity::Defined(func)]),
        );
        self.watch(&f.proto.name, "", &f.proto.annotations);
    }

    /// A function's signature and body.
    pub(super) fn function_parts(&mut self, f: &ast::FunctionDecl) -> (Rc<Prototype>, hir::Block) {
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
        self.watch(&v.name, "", &v.annotations);
        Some((var, init))
    }
}

/// What p4c says of an assignment whose types differ.
pub(super) fn assignment_message(from: &Type, to: &Type) -> String {
    format!(
        "Source expression produces a result of type '{from}' which cannot be assigned to a left-value with type '{to}'"
    )
}
