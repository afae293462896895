// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Parsers (section 13).

use std::collections::HashMap;
use std::rc::Rc;

use super::hir::{Expr, ExprKind, Local, Parser, State, Target, Transition, ValueSet};
use super::types::{ApplyType, StructKind, Ty, Type};
use super::{Checker, Entity, Place, Template, TypeEntity};
use crate::ast::{self, Ident, Name};
use crate::diag::Warning;

/// A keyset for values some of which are lists of several, as one for all of these.
fn flat(k: &ast::Keyset, groups: &[usize]) -> ast::Keyset {
    let ast::KeysetKind::Tuple(list) = &k.kind else {
        return k.clone();
    };
    if groups.iter().all(|n| *n == 1) || list.len() != groups.len() {
        return k.clone();
    }
    let mut out = Vec::new();
    for (k, n) in list.iter().zip(groups) {
        let keyset = |kind| ast::Keyset { kind, span: k.span };
        match &k.kind {
            ast::KeysetKind::Expr(ast::Expr {
                kind: ast::ExprKind::List(items),
                ..
            }) if *n > 1 => {
                out.extend(
                    items
                        .iter()
                        .map(|e| keyset(ast::KeysetKind::Expr(e.clone()))),
                );
            }
            ast::KeysetKind::Default | ast::KeysetKind::DontCare => {
                out.extend((0..*n).map(|_| k.clone()));
            }
            _ => out.push(k.clone()),
        }
    }
    ast::Keyset {
        kind: ast::KeysetKind::Tuple(out),
        span: k.span,
    }
}

impl Checker<'_> {
    pub(super) fn value_set(&mut self, v: &ast::ValueSetDecl) -> Rc<ValueSet> {
        let element = self.resolve(&v.element);
        if matches!(&*element, Type::Struct(s) if s.kind != StructKind::Struct) {
            self.error(
                v.element.span,
                format!("{element}: Illegal type for value_set element type"),
            );
        }
        let size = self.expr(&v.size);
        if !size.is_poison() && !size.is_compile_time() {
            self.error(
                v.size.span,
                "size of a value set must be a compile-time constant",
            );
        }
        Rc::new(ValueSet {
            id: self.fresh_var(),
            name: v.name.name.clone(),
            element,
            size,
            annotations: v.annotations.clone(),
            span: v.span,
        })
    }

    pub(super) fn parser(&mut self, p: &ast::ParserDecl) {
        self.declare(&p.ty.name, Entity::Unfinished("parser"));
        let parser = self.parser_body(p, &[]);
        let entity = if p.ty.type_params.is_empty() {
            let checked = super::warn::Checked::Parser(parser.clone());
            self.checked.push(checked);
            TypeEntity::Parser(parser)
        } else {
            TypeEntity::Template(Rc::new(Template::Parser(p.clone())))
        };
        self.declare(&p.ty.name, Entity::Type(entity));
        self.watch(&p.ty.name, "parser ", &p.ty.annotations);
    }

    pub(super) fn parser_body(&mut self, p: &ast::ParserDecl, args: &[Ty]) -> Rc<Parser> {
        let def = self.fresh_def();
        self.push_scope();
        self.bound_type_params(&p.ty.type_params, args);
        let params = self.params(&p.ty.params, false);
        let constructor_params = self.params(&p.constructor_params, true);
        self.declare_params(&params);
        self.declare_params(&constructor_params);
        self.push_scope();
        let place = std::mem::replace(&mut self.place, Place::Parser);
        let anonymous = std::mem::take(&mut self.anonymous);
        let mut locals = self.locals(&p.locals);
        let mut index: HashMap<Name, usize> = HashMap::new();
        for (i, s) in p.states.iter().enumerate() {
            self.hides(&s.name);
            if matches!(s.name.as_str(), "accept" | "reject") {
                self.error(
                    s.name.span,
                    format!(
                        "{}: parser state should not be implemented, it is built-in",
                        s.name
                    ),
                );
            }
            if let Some(previous) = index.get(&s.name.name).and_then(|i| p.states.get(*i)) {
                let previous = previous.name.span;
                self.duplicate(&s.name, previous);
            } else {
                index.insert(s.name.name.clone(), i);
            }
        }
        if !index.contains_key("start") {
            self.error(
                p.ty.name.span,
                format!("parser {} does not have a `start' state", p.ty.name),
            );
        }
        let mut states = Vec::new();
        for s in &p.states {
            self.annotations(&s.annotations);
            self.push_scope();
            let stmts = self.stmts(&s.stmts);
            let transition = self.transition(s, &index);
            self.pop_scope();
            states.push(State {
                name: s.name.name.clone(),
                annotations: s.annotations.clone(),
                stmts,
                transition,
                span: s.span,
            });
        }
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
            name: p.ty.name.name.clone(),
            args: Vec::new(),
            params: params
                .iter()
                .map(|p| (p.direction, p.var.ty.clone()))
                .collect(),
            required: params.len(),
        });
        Rc::new(Parser {
            ty,
            name: p.ty.name.name.clone(),
            annotations: p.ty.annotations.clone(),
            params,
            constructor_params,
            locals,
            states,
            span: p.ty.name.span,
        })
    }

    fn state_target(&mut self, name: &Ident, index: &HashMap<Name, usize>) -> Target {
        match name.as_str() {
            "accept" => Target::Accept,
            "reject" => Target::Reject,
            other => match index.get(other) {
                Some(i) => Target::State(*i),
                None => {
                    self.error(
                        name.span,
                        format!("{name}: declaration not found; no such state"),
                    );
                    Target::Reject
                }
            },
        }
    }

    fn transition(&mut self, s: &ast::ParserState, index: &HashMap<Name, usize>) -> Transition {
        match &s.transition {
            None => {
                self.diags.warning(
                    Warning::ParserTransition,
                    s.name.span,
                    format!("{}: implicit transition to `reject'", s.name),
                );
                Transition::Direct(Target::Reject, s.span)
            }
            Some(ast::Transition::Direct(name)) => {
                Transition::Direct(self.state_target(name, index), name.span)
            }
            Some(ast::Transition::Select {
                subjects,
                cases,
                span,
            }) => {
                let mut exprs = Vec::new();
                let mut ok = true;
                let (mut groups, mut values) = (Vec::new(), Vec::new());
                for e in subjects {
                    let v = self.expr(e);
                    match v.kind {
                        ExprKind::List(items) if subjects.len() > 1 && !items.is_empty() => {
                            groups.push(items.len());
                            values.extend(items);
                        }
                        kind => {
                            groups.push(1);
                            values.push(Expr { kind, ..v });
                        }
                    }
                }
                for v in values {
                    if v.is_poison() {
                        ok = false;
                        continue;
                    }
                    match &*v.ty.representation() {
                        Type::Bits { .. } | Type::Bool | Type::Error | Type::Enum(_) => {}
                        Type::Int => {
                            self.error(v.span, "Expression in select must have a width");
                            ok = false;
                        }
                        t => {
                            self.error(
                                v.span,
                                format!("Expression of type '{t}' cannot be used in select"),
                            );
                            ok = false;
                        }
                    }
                    exprs.push(v);
                }
                let types: Vec<_> = exprs.iter().map(|e| e.ty.clone()).collect();
                let mut out = Vec::new();
                let mut closed = false;
                for c in cases {
                    let target = self.state_target(&c.state, index);
                    if closed {
                        self.diags.warning(
                            Warning::ParserTransition,
                            c.span,
                            "unreachable select case",
                        );
                    }
                    if !ok {
                        continue;
                    }
                    if let Some(k) = self.keyset_tuple(&flat(&c.keyset, &groups), &types, true) {
                        closed |= k.iter().all(|k| matches!(k, super::hir::Keyset::Any));
                        out.push((k, target, c.span));
                    }
                }
                Transition::Select {
                    subjects: exprs,
                    cases: out,
                    span: *span,
                }
            }
        }
    }
}
