// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Follows control through bodies as p4c's `FindUninitialized` does (`frontends/p4/simplifyDefUse.cpp`), and warns about
//! values that may not be there yet, and about fields of headers that may not be valid.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use super::Checked;
use super::parsers::targets;
use super::places::{Place, State, Valid};
use crate::ast::{Annotation, Direction};
use crate::diag::{Diagnostics, Warning};
use crate::sema::hir::{
    Block, Collection, Control, Expr, ExprKind, Local, Param, Parser, Stmt, StmtKind, Target,
    Transition, Var, VarId, has_effects,
};
use crate::sema::scope::silenced;
use crate::sema::types::{StructKind, Type};
use crate::source::{SourceMap, Span};

/// Most statements that are looked at; calls are followed each time, so that there may be very many.
const MAX_STATEMENTS: u32 = 1 << 18;

/// One walk through a declaration.
pub struct Flow<'a> {
    /// Whether sub-controls and functions are put in where they are called.
    pub(super) inline: bool,
    sources: &'a SourceMap,
    diags: &'a mut Diagnostics,
    /// Whether warnings are given yet: in parsers, only when all ways into each state are known.
    report: bool,
    /// What nothing refers to: it is taken away before, as with p4c.
    unused: &'a HashSet<Span>,
    /// Where parameters of sub-controls were given what they stand for.
    pub(super) given: HashMap<VarId, Span>,
    /// What was said of a place; one warning of a kind is enough.
    told: HashSet<(Warning, u32)>,
    /// Annotations of what is being walked through.
    pub(super) annotations: Vec<Vec<Annotation>>,
    /// Where the body being walked through is left by `return`.
    pub(super) returns: Vec<State>,
    /// Where the control is left by `exit`.
    exits: Vec<State>,
    left: u32,
}

impl<'a> Flow<'a> {
    pub fn new(
        inline: bool,
        unused: &'a HashSet<Span>,
        sources: &'a SourceMap,
        diags: &'a mut Diagnostics,
    ) -> Flow<'a> {
        Flow {
            inline,
            unused,
            given: HashMap::new(),
            sources,
            diags,
            report: true,
            told: HashSet::new(),
            annotations: Vec::new(),
            returns: Vec::new(),
            exits: Vec::new(),
            left: MAX_STATEMENTS,
        }
    }

    /// Warns about a declaration. Actions are looked at where they are called.
    pub fn declaration(&mut self, c: &Checked) {
        match c {
            Checked::Control(c) if !self.unused.contains(&c.name_span) => self.control(c),
            Checked::Parser(p) if !self.unused.contains(&p.span) => self.parser(p),
            Checked::Function(f) if !self.unused.contains(&f.proto.span) => {
                self.annotations.push(f.proto.annotations.clone());
                let mut st = State::default();
                declare_params(&f.proto.params, &mut st);
                self.body(&f.body, &mut st);
                self.out_params(&f.proto.params, &f.proto.name, &st);
            }
            _ => {}
        }
    }

    pub(super) fn warn(&mut self, kind: Warning, span: Span, message: impl FnOnce(&str) -> String) {
        let quiet = self.annotations.iter().any(|a| silenced(a, kind));
        if self.report && !quiet && self.told.insert((kind, span.lo)) {
            let text = self.sources.text(span);
            let text: Vec<&str> = text.split_whitespace().collect();
            self.diags.warning(kind, span, message(&text.join(" ")));
        }
    }

    fn control(&mut self, c: &Control) {
        self.annotations.push(c.annotations.clone());
        let mut st = State::default();
        declare_params(&c.params, &mut st);
        self.locals(&c.locals, &mut st);
        self.body(&c.body, &mut st);
        for e in std::mem::take(&mut self.exits) {
            st.join_values(&e);
        }
        self.out_params(&c.params, &c.name, &st);
    }

    /// Declarations before a body.
    pub(super) fn locals(&mut self, locals: &[Local], st: &mut State) {
        for l in locals {
            if let Local::Var(v, init, _) = l {
                self.variable(v, init.as_ref(), st);
            }
        }
    }

    fn variable(&mut self, v: &Rc<Var>, init: Option<&Expr>, st: &mut State) {
        st.declare(v.id, &v.ty, false);
        let dropped = |e: &&Expr| self.unused.contains(&v.span) && !has_effects(e);
        if let Some(e) = init.filter(|e| !dropped(e)) {
            let target = Expr::new(ExprKind::Var(v.clone()), v.ty.clone(), v.span);
            self.assign(&target, e, st);
        }
    }

    /// A body with all ways out of it by `return`.
    pub(super) fn body(&mut self, b: &Block, st: &mut State) {
        let returns = std::mem::take(&mut self.returns);
        self.stmts(&b.stmts, st);
        for r in std::mem::replace(&mut self.returns, returns) {
            st.join_values(&r);
        }
        st.dead = false;
    }

    /// At the end of a body `out` parameters have to have values.
    pub(super) fn out_params(&mut self, params: &[Param], name: &str, end: &State) {
        if self.inline {
            return;
        }
        for p in params.iter().filter(|p| p.direction == Direction::Out) {
            let place = Place::of(p.var.id, &p.var.ty);
            if place.is_some_and(|place| end.is_unset_outside_headers(&place)) {
                self.warn(Warning::UninitializedOutParam, p.var.span, |_| {
                    let what = &p.var.name;
                    format!("out parameter '{what}' may be uninitialized when '{name}' terminates")
                });
            }
        }
    }

    fn parser(&mut self, p: &Parser) {
        self.annotations.push(p.annotations.clone());
        let mut st = State::default();
        declare_params(&p.params, &mut st);
        self.locals(&p.locals, &mut st);
        let Some(start) = p.states.iter().position(|s| &*s.name == "start") else {
            return;
        };
        let mut before: HashMap<usize, State> = HashMap::from([(start, st)]);
        let mut work = vec![start];
        self.report = false;
        while let Some(i) = work.pop() {
            let (Some(s), Some(st)) = (p.states.get(i), before.get(&i)) else {
                continue;
            };
            let after = self.parser_state(s, st.clone());
            for t in targets(s) {
                let Target::State(n) = t else { continue };
                let joined = before.get(&n).map(|old| {
                    let mut joined = old.clone();
                    joined.join(&after);
                    joined
                });
                let new = joined.unwrap_or_else(|| after.clone());
                if before.get(&n) != Some(&new) {
                    before.insert(n, new);
                    work.push(n);
                }
            }
        }
        self.report = true;
        let mut end: Option<State> = None;
        for (i, s) in p.states.iter().enumerate() {
            let Some(st) = before.remove(&i) else {
                continue;
            };
            let after = self.parser_state(s, st);
            if targets(s).iter().any(|t| !matches!(t, Target::State(_))) {
                match &mut end {
                    Some(end) => end.join_values(&after),
                    None => end = Some(after),
                }
            }
        }
        if let Some(end) = end {
            self.out_params(&p.params, &p.name, &end);
        }
    }

    fn parser_state(&mut self, s: &crate::sema::hir::State, mut st: State) -> State {
        self.stmts(&s.stmts, &mut st);
        if let Transition::Select { subjects, .. } = &s.transition {
            subjects.iter().for_each(|e| self.expr(e, &mut st));
        }
        st
    }

    fn stmts(&mut self, list: &[Stmt], st: &mut State) {
        for s in list {
            if st.dead || self.left == 0 {
                return;
            }
            self.left -= 1;
            self.stmt(s, st);
        }
    }

    fn stmt(&mut self, s: &Stmt, st: &mut State) {
        match &s.kind {
            StmtKind::Var(v, init) => self.variable(v, init.as_ref(), st),
            StmtKind::Assign(l, r) => self.assign(l, r, st),
            StmtKind::Call(e) => self.expr(e, st),
            StmtKind::If(c, a, b) => self.branch(c, a, b.as_deref(), st),
            StmtKind::Block(b) => self.stmts(&b.stmts, st),
            StmtKind::SwitchAction(t, cases) => {
                let before = st.clone();
                self.table(t, st);
                let all = cases.iter().map(|c| c.labels.len()).sum::<usize>() == t.actions.len();
                let closed = all || cases.iter().any(|c| c.default);
                let bodies: Vec<&Block> = cases.iter().map(|c| &c.body).collect();
                self.cases(&bodies, closed, &before, st);
            }
            StmtKind::SwitchValue(e, cases) => {
                let before = st.clone();
                self.expr(e, st);
                let closed = cases.iter().any(|c| c.default);
                let bodies: Vec<&Block> = cases.iter().map(|c| &c.body).collect();
                let values = st.clone();
                self.cases(&bodies, closed, &before, st);
                // p4c does not count on `default` here.
                st.join_values(&values);
            }
            StmtKind::For {
                init,
                condition,
                update,
                body,
            } => {
                self.stmts(init, st);
                self.expr(condition, st);
                let before = st.clone();
                self.stmts(std::slice::from_ref(body), st);
                self.stmts(update, st);
                st.join_values(&before);
            }
            StmtKind::ForIn {
                var,
                collection,
                body,
            } => {
                match collection {
                    Collection::Range(a, b) => {
                        self.expr(a, st);
                        self.expr(b, st);
                    }
                    Collection::Elements(e) => self.expr(e, st),
                }
                let before = st.clone();
                st.declare(var.id, &var.ty, true);
                self.stmts(std::slice::from_ref(body), st);
                st.join_values(&before);
            }
            StmtKind::Return(e) => {
                if let Some(e) = e {
                    self.expr(e, st);
                }
                self.returns.push(st.clone());
                st.dead = true;
            }
            StmtKind::Exit => {
                self.exits.push(st.clone());
                st.dead = true;
            }
            StmtKind::Break | StmtKind::Continue => st.dead = true,
            StmtKind::Instance(_) => {}
        }
    }

    fn branch(&mut self, c: &Expr, a: &Stmt, b: Option<&Stmt>, st: &mut State) {
        if let ExprKind::Bool(known) = c.kind {
            let taken = if known { Some(a) } else { b };
            return self.stmts(taken.map_or(&[], std::slice::from_ref), st);
        }
        let before = st.clone();
        self.expr(c, st);
        let mut other = st.clone();
        self.stmts(std::slice::from_ref(a), st);
        if let Some(b) = b {
            self.stmts(std::slice::from_ref(b), &mut other);
        }
        st.join(&other);
        // With what is called put in, p4c has moved what follows into the branches.
        let asked = if self.inline { &other } else { &before };
        st.forget_questions(asked);
    }

    /// The cases of a `switch`; `closed`: one of them always runs.
    fn cases(&mut self, bodies: &[&Block], closed: bool, before: &State, st: &mut State) {
        let mut end: Option<State> = (!closed).then(|| st.clone());
        for b in bodies {
            let mut one = st.clone();
            self.stmts(&b.stmts, &mut one);
            match &mut end {
                Some(end) => end.join(&one),
                None => end = Some(one),
            }
        }
        if let Some(end) = end {
            *st = end;
        }
        st.forget_questions(before);
    }

    fn assign(&mut self, l: &Expr, r: &Expr, st: &mut State) {
        self.path(l, st);
        self.expr(r, st);
        let Some(place) = Place::named(l) else {
            return;
        };
        st.write(&place);
        if l.ty.as_header().is_some() {
            let v = self.value_validity(r, st);
            self.set_header(l, v, st);
        } else {
            self.copy_headers(&place, r, st);
        }
    }

    fn value_validity(&self, r: &Expr, st: &State) -> Valid {
        match &r.kind {
            ExprKind::Invalid => Valid::No,
            ExprKind::Cast(r) => self.value_validity(r, st),
            _ => Place::named(r).map_or(Valid::Yes, |p| st.validity(&p)),
        }
    }

    /// Sets a header that an expression names. The other members of its union are not valid then.
    pub(super) fn set_header(&mut self, e: &Expr, to: Valid, st: &mut State) {
        let Some(place) = Place::named(e).filter(|p| !p.moving || to == Valid::Yes) else {
            return;
        };
        if let ExprKind::Field(u, ..) = &e.kind
            && matches!(&*u.ty, Type::Struct(s) if s.kind == StructKind::Union)
            && !place.moving
            && let Some(union) = Place::named(u)
        {
            st.set_all(&union, Valid::No);
            st.set(&union, to);
        }
        st.set(&place, to);
    }

    /// What a value makes of the headers in a place.
    pub(super) fn copy_headers(&mut self, to: &Place, value: &Expr, st: &mut State) {
        match &value.kind {
            ExprKind::Invalid => st.set_all(to, Valid::No),
            ExprKind::Cast(e) if Type::same(&e.ty, &to.ty) => self.copy_headers(to, e, st),
            ExprKind::Struct(items) | ExprKind::List(items) if to.ty.as_header().is_none() => {
                for (place, e) in to.parts().iter().zip(items) {
                    self.copy_headers(place, e, st);
                }
            }
            _ => match Place::named(value).filter(|p| Type::same(&p.ty, &to.ty)) {
                Some(from) => st.copy_headers(to, &from),
                None => st.set_all(to, Valid::Yes),
            },
        }
    }

    /// The way to a place: indices are read, and fields of headers need valid ones. The place itself is not read.
    pub(super) fn path(&mut self, e: &Expr, st: &mut State) {
        match &e.kind {
            ExprKind::Var(_) => {}
            ExprKind::Field(b, ..) => {
                self.path(b, st);
                if b.ty.as_header().is_some() {
                    self.field_of_header(b, st);
                }
            }
            ExprKind::Component(b, _)
            | ExprKind::StackNext(b)
            | ExprKind::StackLast(b)
            | ExprKind::StackLastIndex(b) => self.path(b, st),
            ExprKind::Element(b, i) => {
                self.path(b, st);
                self.expr(i, st);
            }
            ExprKind::Slice(b, ..) => self.expr(b, st),
            _ => self.expr(e, st),
        }
    }

    fn field_of_header(&mut self, header: &Expr, st: &State) {
        let Some(place) = Place::named(header) else {
            return;
        };
        let how = match st.validity(&place) {
            Valid::Yes => return,
            Valid::Maybe => "a potentially invalid",
            Valid::No => "an invalid",
        };
        self.warn(Warning::InvalidHeader, self.place_of(header), |text| {
            format!("accessing a field of {how} header {text}")
        });
    }

    /// An expression whose value is used.
    pub(super) fn expr(&mut self, e: &Expr, st: &mut State) {
        match &e.kind {
            ExprKind::Var(_)
            | ExprKind::Field(..)
            | ExprKind::Component(..)
            | ExprKind::Element(..)
            | ExprKind::StackLast(_)
            | ExprKind::StackLastIndex(_) => {
                self.path(e, st);
                self.read(e, st);
            }
            ExprKind::StackNext(b) => {
                self.path(b, st);
                self.warn(Warning::Uninitialized, e.span, |text| {
                    format!("{text}: reading uninitialized value")
                });
            }
            ExprKind::Slice(a, ..) | ExprKind::Unary(_, a) | ExprKind::Cast(a) => self.expr(a, st),
            ExprKind::Binary(_, a, b) => {
                self.expr(a, st);
                self.expr(b, st);
            }
            ExprKind::Mux(c, a, b) => {
                self.expr(c, st);
                self.expr(a, st);
                self.expr(b, st);
            }
            ExprKind::List(l) | ExprKind::Struct(l) => l.iter().for_each(|e| self.expr(e, st)),
            ExprKind::NamedList(l) => l.iter().for_each(|(_, e)| self.expr(e, st)),
            ExprKind::Call(c) => self.call(c, st),
            ExprKind::Hit(t) | ExprKind::Miss(t) | ExprKind::ActionRun(t) => self.table(t, st),
            _ => {}
        }
    }

    /// Where an expression stands: of a parameter that was put in, where it was given.
    fn place_of(&self, e: &Expr) -> Span {
        let given = match &e.kind {
            ExprKind::Var(v) => self.given.get(&v.id),
            _ => None,
        };
        given.copied().unwrap_or(e.span)
    }

    pub(super) fn read(&mut self, e: &Expr, st: &State) {
        let whole_stack = matches!(e.kind, ExprKind::StackLast(_) | ExprKind::StackLastIndex(_));
        let Some(place) = Place::named(e).filter(|p| !whole_stack && st.is_unset(p)) else {
            return;
        };
        let compound = matches!(
            &*place.ty,
            Type::Struct(_) | Type::Tuple(_) | Type::Stack(..)
        );
        let how = if compound {
            "not be completely initialized"
        } else {
            "be uninitialized"
        };
        self.warn(Warning::UninitializedUse, self.place_of(e), |text| {
            format!("{text} may {how}")
        });
    }
}

/// The parameters of what is not called from anywhere: `out` has no value, the others have all.
fn declare_params(params: &[Param], st: &mut State) {
    for p in params {
        st.declare(p.var.id, &p.var.ty, p.direction != Direction::Out);
    }
}
