// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Controls, what they and parsers declare, and generic ones.

use std::rc::Rc;

use super::hir::{self, InstanceTarget, Local};
use super::scope::silenced;
use super::types::{ApplyType, Ty, Type};
use super::warn::Checked;
use super::{Checker, Entity, Place, Template, TypeEntity};
use crate::ast::{self, Decl, Direction};
use crate::diag::Warning;
use crate::source::Span;

impl Checker<'_> {
    pub(super) fn control(&mut self, c: &ast::ControlDecl) {
        self.declare(&c.ty.name, Entity::Unfinished("control"));
        let control = self.control_body(c, &[]);
        let entity = if c.ty.type_params.is_empty() {
            self.checked.push(Checked::Control(control.clone()));
            TypeEntity::Control(control)
        } else {
            TypeEntity::Template(Rc::new(Template::Control(c.clone())))
        };
        self.declare(&c.ty.name, Entity::Type(entity));
        self.watch(&c.ty.name, "control ", &c.ty.annotations);
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
            Some(std::mem::replace(&mut entry.entity, unfinished))
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
            slot.entity = entity;
        }
        self.scopes.extend(inner);
        self.statements = statements;
        made
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
        list.iter()
            .filter_map(|d| {
                self.annotated(d);
                let quiet = silenced(d.annotations(), Warning::Unused);
                self.quietly(quiet, |c| c.local(d))
            })
            .collect()
    }

    fn local(&mut self, d: &Decl) -> Option<Local> {
        match d {
            Decl::Const(c) => {
                self.constant(c);
                None
            }
            Decl::Var(v) => {
                let (var, init) = self.variable(v)?;
                Some(Local::Var(var, init, v.span))
            }
            Decl::Instantiation(i) => {
                let inst = self.instantiation(i)?;
                if matches!(inst.target, InstanceTarget::Package(_)) {
                    let message = format!("{}: packages cannot be instantiated here", i.name);
                    self.error(i.span, message);
                }
                Some(Local::Instance(inst))
            }
            Decl::Action(a) => {
                let action = self.action(a, false);
                self.declare(&a.name, Entity::Action(action.clone()));
                self.watch(&a.name, "", &a.annotations);
                Some(Local::Action(action))
            }
            Decl::Table(t) => {
                let table = self.table(t);
                let entity = table.clone().map_or(Entity::Poison, Entity::Table);
                self.declare(&t.name, entity);
                self.watch(&t.name, "table ", &t.annotations);
                table.map(Local::Table)
            }
            Decl::ValueSet(v) => {
                let set = self.value_set(v);
                self.declare(&v.name, Entity::ValueSet(set.clone()));
                self.watch(&v.name, "", &v.annotations);
                Some(Local::ValueSet(set))
            }
            other => {
                self.error(other.span(), "declaration not allowed here");
                None
            }
        }
    }

    pub(super) fn action(&mut self, a: &ast::ActionDecl, global: bool) -> Rc<hir::Action> {
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
        for p in &a.params {
            self.watch(&p.name, "", &p.annotations);
        }
        let place = std::mem::replace(&mut self.place, Place::Action);
        let returns = self.returns.replace(Rc::new(Type::Void));
        let body = self.block(&a.body);
        self.place = place;
        self.returns = returns;
        self.pop_scope();
        Rc::new(hir::Action {
            def,
            name: a.name.name.clone(),
            annotations: a.annotations.clone(),
            params,
            body,
            global,
            span: a.name.span,
        })
    }
}
