// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! What the bodies of parsers and controls use, as far as they are reached.

use std::collections::HashSet;
use std::rc::Rc;

use super::blocks::{Block, DigestUse, Node, NodeKind};
use super::eval::{Argument, Value, eval};
use crate::backend::lower::visit_stmts;
use crate::diag::Diagnostics;
use crate::sema::hir::visit_expr;
use crate::sema::hir::{
    Action, Block as Stmts, Call, Callee, Collection, Expr, ExprKind, Keyset, Local, Parser, Stmt,
    StmtKind, Target, Transition,
};
use crate::sema::types::DefId;
use crate::source::Span;

/// Whether what follows a statement is reached.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Leaves {
    No,
    Maybe,
    Yes,
}

impl Leaves {
    fn if_any(self) -> Leaves {
        if self == Leaves::No {
            Leaves::No
        } else {
            Leaves::Maybe
        }
    }
}

/// The walk through one block after the other.
pub(super) struct Walker<'a> {
    pub(super) diags: &'a mut Diagnostics,
    /// Instances so far.
    pub(super) nodes: usize,
    /// The block being walked.
    pub(super) out: Block,
    /// Top-level actions that the block calls directly, in order.
    pub(super) direct: Vec<Rc<Action>>,
    /// Functions that were looked into already.
    pub(super) functions: HashSet<DefId>,
}

impl Walker<'_> {
    /// Notes what the body of an instance uses.
    pub(super) fn walk(&mut self, node: &Rc<Node>) {
        if std::mem::replace(&mut node.used.borrow_mut().walked, true) {
            return;
        }
        match &node.kind {
            NodeKind::Control(c) => {
                for l in &c.locals {
                    if let Local::Var(_, Some(init), _) = l {
                        self.expr(node, init);
                    }
                }
                self.stmts(node, &c.body.stmts);
            }
            NodeKind::Parser(p) => self.parser(node, p),
        }
    }

    fn parser(&mut self, node: &Rc<Node>, p: &Parser) {
        for l in &p.locals {
            if let Local::Var(_, Some(init), _) = l {
                self.expr(node, init);
            }
        }
        let mut reached: HashSet<usize> = HashSet::new();
        let mut next: Vec<usize> = p
            .states
            .iter()
            .position(|s| &*s.name == "start")
            .into_iter()
            .collect();
        while let Some(i) = next.pop() {
            let Some(state) = p.states.get(i).filter(|_| reached.insert(i)) else {
                continue;
            };
            self.stmts(node, &state.stmts);
            let mut go = |t: &Target| {
                if let Target::State(i) = t {
                    next.push(*i);
                }
            };
            match &state.transition {
                Transition::Direct(t, _) => go(t),
                Transition::Select {
                    subjects, cases, ..
                } => {
                    for (_, t, _) in cases {
                        go(t);
                    }
                    subjects.iter().for_each(|e| self.expr(node, e));
                    for k in cases.iter().flat_map(|(keys, ..)| keys) {
                        match k {
                            Keyset::Set(s) => {
                                node.used.borrow_mut().sets.insert(s.id);
                            }
                            Keyset::Value(e) => self.expr(node, e),
                            Keyset::Mask(a, b) | Keyset::Range(a, b) => {
                                self.expr(node, a);
                                self.expr(node, b);
                            }
                            Keyset::Any => {}
                        }
                    }
                }
            }
        }
    }

    fn stmts(&mut self, node: &Rc<Node>, list: &[Stmt]) -> Leaves {
        let mut all = Leaves::No;
        for s in list {
            match self.stmt(node, s) {
                Leaves::Yes => return Leaves::Yes,
                Leaves::Maybe => all = Leaves::Maybe,
                Leaves::No => {}
            }
        }
        all
    }

    fn stmt(&mut self, node: &Rc<Node>, s: &Stmt) -> Leaves {
        match &s.kind {
            StmtKind::Assign(a, b) => {
                self.expr(node, a);
                self.expr(node, b);
            }
            StmtKind::Call(e) => self.expr(node, e),
            StmtKind::Var(_, init) => init.iter().for_each(|e| self.expr(node, e)),
            StmtKind::Return(e) => {
                e.iter().for_each(|e| self.expr(node, e));
                return Leaves::Yes;
            }
            StmtKind::Exit => return Leaves::Yes,
            StmtKind::Break | StmtKind::Continue | StmtKind::Instance(_) => {}
            StmtKind::Block(b) => return self.stmts(node, &b.stmts),
            StmtKind::If(c, then, other) => {
                if let Some(Value::Bool(b)) = eval(c, &node.env) {
                    let taken = if b { Some(then) } else { other.as_ref() };
                    return taken.map_or(Leaves::No, |t| self.stmt(node, t));
                }
                self.expr(node, c);
                let a = self.stmt(node, then);
                let b = other.as_ref().map_or(Leaves::No, |o| self.stmt(node, o));
                return if a == b { a } else { Leaves::Maybe };
            }
            StmtKind::SwitchAction(t, cases) => {
                node.used.borrow_mut().tables.insert(t.def);
                return self.cases(node, cases.iter().map(|c| &c.body));
            }
            StmtKind::SwitchValue(e, cases) => {
                if let Some(v) = eval(e, &node.env) {
                    let taken = cases
                        .iter()
                        .find(|c| {
                            c.labels
                                .iter()
                                .any(|l| eval(l, &node.env).as_ref() == Some(&v))
                        })
                        .or_else(|| cases.iter().find(|c| c.default));
                    return taken.map_or(Leaves::No, |c| self.stmts(node, &c.body.stmts));
                }
                self.expr(node, e);
                return self.cases(node, cases.iter().map(|c| &c.body));
            }
            StmtKind::For {
                init,
                condition,
                update,
                body,
            } => {
                let first = self.stmts(node, init);
                self.expr(node, condition);
                self.stmts(node, update);
                let r = self.stmt(node, body).if_any();
                return if first == Leaves::Yes { first } else { r };
            }
            StmtKind::ForIn {
                collection, body, ..
            } => {
                match collection {
                    Collection::Range(a, b) => {
                        self.expr(node, a);
                        self.expr(node, b);
                    }
                    Collection::Elements(e) => self.expr(node, e),
                }
                return self.stmt(node, body).if_any();
            }
        }
        Leaves::No
    }

    fn cases<'b>(&mut self, node: &Rc<Node>, bodies: impl Iterator<Item = &'b Stmts>) -> Leaves {
        let mut all = Leaves::No;
        for b in bodies {
            if self.stmts(node, &b.stmts) != Leaves::No {
                all = Leaves::Maybe;
            }
        }
        all
    }

    fn expr(&mut self, node: &Rc<Node>, e: &Expr) {
        visit_expr(e, &mut |e| match &e.kind {
            ExprKind::Hit(t) | ExprKind::Miss(t) | ExprKind::ActionRun(t) => {
                node.used.borrow_mut().tables.insert(t.def);
            }
            ExprKind::Call(c) => self.call(node, c, e.span),
            _ => {}
        });
    }

    fn call(&mut self, node: &Rc<Node>, c: &Call, span: Span) {
        match &c.callee {
            Callee::Table(t) => {
                node.used.borrow_mut().tables.insert(t.def);
            }
            Callee::Action(a) => {
                if a.global {
                    self.direct.push(a.clone());
                } else {
                    node.used.borrow_mut().actions.insert(a.def);
                }
            }
            Callee::Control(e) | Callee::Parser(e) => {
                let callee = match &e.kind {
                    ExprKind::Instance(i) => self.child(node, i, &i.name),
                    ExprKind::Var(v) => match node.env.get(&v.id) {
                        Some(Argument::Node(n)) => Some(n.clone()),
                        _ => None,
                    },
                    _ => None,
                };
                if let Some(n) = callee {
                    self.walk(&n);
                }
            }
            Callee::ExternFunction(_) | Callee::Function(_) => {
                // p4c looks for calls of extern functions in controls, not in parsers.
                if matches!(node.kind, NodeKind::Control(_)) {
                    self.function_call(c, span);
                }
            }
            Callee::Method(..) | Callee::Builtin(..) => {}
        }
    }

    fn function_call(&mut self, c: &Call, span: Span) {
        match &c.callee {
            Callee::ExternFunction(p) => {
                self.out.calls_externs = true;
                if &*p.name == "digest"
                    && let Some(ty) = c.type_args.first()
                {
                    self.out.digests.push(DigestUse {
                        ty: ty.clone(),
                        span,
                    });
                }
            }
            Callee::Function(f) if self.functions.insert(f.def) => self.functions_called(&f.body),
            Callee::Action(a) if self.functions.insert(a.def) => self.functions_called(&a.body),
            _ => {}
        }
    }

    /// Extern functions that the body of an action or function calls.
    pub(super) fn functions_called(&mut self, body: &Stmts) {
        let mut calls: Vec<(Call, Span)> = Vec::new();
        visit_stmts(&body.stmts, &mut |e| {
            if let ExprKind::Call(c) = &e.kind
                && matches!(
                    c.callee,
                    Callee::ExternFunction(_) | Callee::Function(_) | Callee::Action(_)
                )
            {
                calls.push(((**c).clone(), e.span));
            }
        });
        for (c, span) in calls {
            self.function_call(&c, span);
        }
    }
}
