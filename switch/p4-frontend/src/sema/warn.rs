// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Warnings about programs without errors: what is declared and not used, and variables that are read before they have
//! a value on some path.

use std::collections::HashSet;
use std::rc::Rc;

use super::hir::{
    Action, Block, Callee, Collection, Control, Expr, ExprKind, Function, Local, Param, Parser,
    Stmt, StmtKind, Table, Transition, Var, VarId,
};
use super::types::{DefId, Ty, Type};
use crate::ast::{Annotation, Direction};
use crate::diag::{Diagnostics, Warning};

/// A declaration with a body.
pub enum Checked {
    /// A control.
    Control(Rc<Control>),
    /// A parser.
    Parser(Rc<Parser>),
    /// A function.
    Function(Rc<Function>),
    /// An action at the top level.
    Action(Rc<Action>),
}

/// Warns about declarations.
pub fn warn(list: &[Checked], diags: &mut Diagnostics) {
    for c in list {
        match c {
            Checked::Control(c) => control(c, diags),
            Checked::Parser(p) => parser(p, diags),
            Checked::Function(f) => body(&f.proto.params, &f.body, &f.proto.name, diags),
            Checked::Action(a) => body(&a.params, &a.body, &a.name, diags),
        }
    }
}

fn silenced(annotations: &[Annotation], what: &str) -> bool {
    annotations
        .iter()
        .any(|a| a.name.as_str() == "noWarn" && a.string().is_some_and(|s| &*s == what))
}

#[derive(Default)]
struct Uses {
    vars: HashSet<VarId>,
    actions: HashSet<DefId>,
    tables: HashSet<DefId>,
}

impl Uses {
    fn block(&mut self, b: &Block) {
        self.stmts(&b.stmts);
    }

    fn stmts(&mut self, list: &[Stmt]) {
        crate::backend::visit_stmts(list, &mut |e| self.one(e));
        self.tables_of(list);
    }

    /// Tables that only a `switch` names.
    fn tables_of(&mut self, list: &[Stmt]) {
        for s in list {
            match &s.kind {
                StmtKind::SwitchAction(t, cases) => {
                    self.tables.insert(t.def);
                    cases.iter().for_each(|c| self.tables_of(&c.body.stmts));
                }
                StmtKind::SwitchValue(_, cases) => {
                    cases.iter().for_each(|c| self.tables_of(&c.body.stmts))
                }
                StmtKind::If(_, a, b) => {
                    self.tables_of(std::slice::from_ref(a));
                    if let Some(b) = b {
                        self.tables_of(std::slice::from_ref(b));
                    }
                }
                StmtKind::Block(b) => self.tables_of(&b.stmts),
                StmtKind::For { body, .. } | StmtKind::ForIn { body, .. } => {
                    self.tables_of(std::slice::from_ref(body))
                }
                _ => {}
            }
        }
    }

    fn expr(&mut self, e: &Expr) {
        crate::backend::visit_expr(e, &mut |e| self.one(e));
    }

    fn one(&mut self, e: &Expr) {
        match &e.kind {
            ExprKind::Var(v) => {
                self.vars.insert(v.id);
            }
            ExprKind::Instance(i) | ExprKind::Construct(i) => {
                self.vars.insert(i.id);
                for a in i.args.iter().flatten() {
                    self.expr(a);
                }
            }
            ExprKind::Hit(t) | ExprKind::Miss(t) | ExprKind::ActionRun(t) => {
                self.tables.insert(t.def);
            }
            ExprKind::Call(c) => match &c.callee {
                Callee::Table(t) => {
                    self.tables.insert(t.def);
                }
                Callee::Action(a) => {
                    self.actions.insert(a.def);
                }
                _ => {}
            },
            _ => {}
        }
    }

    fn table(&mut self, t: &Table) {
        t.keys.iter().for_each(|k| self.expr(&k.expr));
        for a in &t.actions {
            self.actions.insert(a.action.def);
            a.args.iter().flatten().for_each(|e| self.expr(e));
        }
        t.properties.iter().for_each(|p| self.expr(&p.value));
    }

    fn locals(&mut self, locals: &[Local]) {
        for l in locals {
            match l {
                Local::Var(_, Some(e), _) => self.expr(e),
                Local::Action(a) => self.block(&a.body),
                Local::Table(t) => self.table(t),
                Local::Instance(i) => i.args.iter().flatten().for_each(|e| self.expr(e)),
                _ => {}
            }
        }
    }

    fn report(&self, locals: &[Local], diags: &mut Diagnostics) {
        for l in locals {
            match l {
                Local::Table(t)
                    if !self.tables.contains(&t.def) && !silenced(&t.annotations, "unused") =>
                {
                    diags.warning(
                        Warning::Unused,
                        t.name_span,
                        format!("Table {} is not used; removing", t.name),
                    );
                }
                Local::Action(a)
                    if !self.actions.contains(&a.def) && !silenced(&a.annotations, "unused") =>
                {
                    diags.warning(
                        Warning::Unused,
                        a.span,
                        format!("action '{}' is unused", a.name),
                    );
                }
                Local::Var(v, _, _)
                    if !self.vars.contains(&v.id) && !silenced(&v.annotations, "unused") =>
                {
                    diags.warning(Warning::Unused, v.span, format!("'{}' is unused", v.name));
                }
                _ => {}
            }
        }
    }
}

fn control(c: &Control, diags: &mut Diagnostics) {
    let mut uses = Uses::default();
    uses.block(&c.body);
    uses.locals(&c.locals);
    uses.report(&c.locals, diags);
    // Variables of the control may be written by any action and table: only those of blocks are followed.
    body(&c.params, &c.body, &c.name, diags);
    for l in &c.locals {
        if let Local::Action(a) = l {
            body(&a.params, &a.body, &a.name, diags);
        }
    }
}

fn parser(p: &Parser, diags: &mut Diagnostics) {
    let mut uses = Uses::default();
    for s in &p.states {
        uses.stmts(&s.stmts);
        if let Transition::Select {
            subjects, cases, ..
        } = &s.transition
        {
            subjects.iter().for_each(|e| uses.expr(e));
            let mut seen: Vec<Vec<String>> = Vec::new();
            for (keys, _, span) in cases {
                let values: Option<Vec<String>> = keys
                    .iter()
                    .map(|k| match k {
                        super::hir::Keyset::Value(e) => e.as_int().map(ToString::to_string),
                        super::hir::Keyset::Mask(a, b) => {
                            Some(format!("{}&{}", a.as_int()?, b.as_int()?))
                        }
                        super::hir::Keyset::Range(a, b) => {
                            Some(format!("{}..{}", a.as_int()?, b.as_int()?))
                        }
                        super::hir::Keyset::Any => Some("_".to_string()),
                        super::hir::Keyset::Set(_) => None,
                    })
                    .collect();
                if let Some(values) = values {
                    if seen.contains(&values) {
                        diags.warning(
                            Warning::ParserTransition,
                            *span,
                            "unreachable select case: an earlier one has the same values",
                        );
                    }
                    seen.push(values);
                }
            }
        }
    }
    uses.locals(&p.locals);
    uses.report(&p.locals, diags);
    let mut reached = HashSet::new();
    let mut work: Vec<usize> = p
        .states
        .iter()
        .position(|s| &*s.name == "start")
        .into_iter()
        .collect();
    while let Some(i) = work.pop() {
        if !reached.insert(i) {
            continue;
        }
        let mut go = |t: &super::hir::Target| {
            if let super::hir::Target::State(k) = t {
                work.push(*k);
            }
        };
        match p.states.get(i).map(|s| &s.transition) {
            Some(Transition::Direct(t, _)) => go(t),
            Some(Transition::Select { cases, .. }) => cases.iter().for_each(|(_, t, _)| go(t)),
            None => {}
        }
    }
    for (i, s) in p.states.iter().enumerate() {
        if !reached.contains(&i) {
            diags.warning(
                Warning::ParserTransition,
                s.span,
                format!("state {} is unreachable", s.name),
            );
        }
    }
}

/// Values of these types are followed as wholes; headers and structs may get theirs piece by piece.
fn followed(ty: &Ty) -> bool {
    matches!(
        &*ty.representation(),
        Type::Bits { .. } | Type::Bool | Type::Error | Type::Enum(_)
    )
}

fn body(params: &[Param], b: &Block, name: &str, diags: &mut Diagnostics) {
    let outs: Vec<Rc<Var>> = params
        .iter()
        .filter(|p| p.direction == Direction::Out && followed(&p.var.ty))
        .map(|p| p.var.clone())
        .collect();
    let watched = outs.iter().map(|v| v.id).collect();
    let mut flow = Flow {
        watched,
        told: HashSet::new(),
        outs,
        name,
        diags,
    };
    let mut state = HashSet::new();
    if flow.stmts(&b.stmts, &mut state) {
        flow.leave(&state);
    }
}

/// Which variables have a value for certain.
struct Flow<'a> {
    /// Variables that started without one.
    watched: HashSet<VarId>,
    told: HashSet<VarId>,
    /// Parameters that have to have a value at the end.
    outs: Vec<Rc<Var>>,
    /// What is left then.
    name: &'a str,
    diags: &'a mut Diagnostics,
}

type State = HashSet<VarId>;

fn meet(a: State, b: &State) -> State {
    a.into_iter().filter(|v| b.contains(v)).collect()
}

impl Flow<'_> {
    /// Returns whether control reaches the end.
    fn stmts(&mut self, list: &[Stmt], state: &mut State) -> bool {
        list.iter().all(|s| self.stmt(s, state))
    }

    fn branches(&mut self, bodies: &[&[Stmt]], fall_through: bool, state: &mut State) -> bool {
        let mut joined: Option<State> = fall_through.then(|| state.clone());
        for b in bodies {
            let mut s = state.clone();
            if self.stmts(b, &mut s) {
                joined = Some(match joined {
                    None => s,
                    Some(j) => meet(j, &s),
                });
            }
        }
        match joined {
            Some(s) => {
                *state = s;
                true
            }
            None => false,
        }
    }

    fn stmt(&mut self, s: &Stmt, state: &mut State) -> bool {
        match &s.kind {
            StmtKind::Var(v, init) => {
                match init {
                    Some(e) => {
                        self.expr(e, state);
                        state.insert(v.id);
                    }
                    None if followed(&v.ty) => {
                        state.remove(&v.id);
                        self.watched.insert(v.id);
                    }
                    None => {}
                }
                true
            }
            StmtKind::Assign(l, r) => {
                self.expr(r, state);
                self.target(l, state);
                true
            }
            StmtKind::Call(e) => {
                self.expr(e, state);
                true
            }
            StmtKind::If(c, a, b) => {
                self.expr(c, state);
                let mut bodies: Vec<&[Stmt]> = vec![std::slice::from_ref(a)];
                bodies.extend(b.as_ref().map(|b| std::slice::from_ref(&**b)));
                self.branches(&bodies, b.is_none(), state)
            }
            StmtKind::Block(b) => self.stmts(&b.stmts, state),
            StmtKind::SwitchAction(_, cases) => {
                let bodies: Vec<&[Stmt]> = cases.iter().map(|c| c.body.stmts.as_slice()).collect();
                self.branches(&bodies, !cases.iter().any(|c| c.default), state)
            }
            StmtKind::SwitchValue(e, cases) => {
                self.expr(e, state);
                let bodies: Vec<&[Stmt]> = cases.iter().map(|c| c.body.stmts.as_slice()).collect();
                self.branches(&bodies, !cases.iter().any(|c| c.default), state)
            }
            StmtKind::For {
                init,
                condition,
                update,
                body,
            } => {
                self.stmts(init, state);
                self.expr(condition, state);
                let mut inner = state.clone();
                self.stmts(std::slice::from_ref(body), &mut inner);
                self.stmts(update, &mut inner);
                true
            }
            StmtKind::ForIn {
                collection, body, ..
            } => {
                match collection {
                    Collection::Range(a, b) => {
                        self.expr(a, state);
                        self.expr(b, state);
                    }
                    Collection::Elements(e) => self.expr(e, state),
                }
                let mut inner = state.clone();
                self.stmts(std::slice::from_ref(body), &mut inner);
                true
            }
            StmtKind::Return(e) => {
                if let Some(e) = e {
                    self.expr(e, state);
                }
                self.leave(state);
                false
            }
            StmtKind::Exit | StmtKind::Break | StmtKind::Continue => false,
            StmtKind::Instance(_) => true,
        }
    }

    fn leave(&mut self, state: &State) {
        let missing = self.outs.iter().position(|v| !state.contains(&v.id));
        if let Some(v) = missing.map(|i| self.outs.remove(i)) {
            self.diags.warning(
                Warning::UninitializedOutParam,
                v.span,
                format!(
                    "out parameter '{}' may be uninitialized when '{}' terminates",
                    v.name, self.name
                ),
            );
            self.leave(state);
        }
    }

    fn target(&mut self, e: &Expr, state: &mut State) {
        match &e.kind {
            ExprKind::Var(v) => {
                state.insert(v.id);
            }
            ExprKind::Slice(b, ..) => self.target(b, state),
            ExprKind::Field(b, ..) | ExprKind::Component(b, _) => self.target(b, state),
            ExprKind::Element(b, i) => {
                self.expr(i, state);
                self.target(b, state);
            }
            _ => {}
        }
    }

    fn read(&mut self, v: &Var, e: &Expr, state: &State) {
        if self.watched.contains(&v.id) && !state.contains(&v.id) && self.told.insert(v.id) {
            self.diags.warning(
                Warning::UninitializedUse,
                e.span,
                format!("{} may be uninitialized", v.name),
            );
        }
    }

    fn expr(&mut self, e: &Expr, state: &mut State) {
        match &e.kind {
            ExprKind::Var(v) => self.read(v, e, state),
            ExprKind::Field(a, ..)
            | ExprKind::Component(a, _)
            | ExprKind::Slice(a, ..)
            | ExprKind::Unary(_, a)
            | ExprKind::Cast(a)
            | ExprKind::StackNext(a)
            | ExprKind::StackLast(a)
            | ExprKind::StackLastIndex(a) => self.expr(a, state),
            ExprKind::Element(a, b) => {
                self.expr(a, state);
                self.expr(b, state);
            }
            ExprKind::Binary(op, a, b) => {
                self.expr(a, state);
                if matches!(op, crate::ast::BinaryOp::And | crate::ast::BinaryOp::Or) {
                    self.expr(b, &mut state.clone());
                } else {
                    self.expr(b, state);
                }
            }
            ExprKind::Mux(c, a, b) => {
                self.expr(c, state);
                self.expr(a, &mut state.clone());
                self.expr(b, &mut state.clone());
            }
            ExprKind::List(l) | ExprKind::Struct(l) => l.iter().for_each(|e| self.expr(e, state)),
            ExprKind::NamedList(l) => l.iter().for_each(|(_, e)| self.expr(e, state)),
            ExprKind::Call(c) => {
                if let Callee::Method(e, _) | Callee::Builtin(_, e) = &c.callee {
                    self.expr(e, state);
                }
                for (a, d) in c.args.iter().zip(&c.directions) {
                    if let (Some(a), false) = (a, *d == Direction::Out) {
                        self.expr(a, state);
                    }
                }
                for (a, d) in c.args.iter().zip(&c.directions) {
                    if let (Some(a), Direction::Out | Direction::InOut) = (a, d) {
                        self.target(a, state);
                    }
                }
            }
            _ => {}
        }
    }
}
