// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Local variables that keep the number that they are declared with: what may divide must be known at compile time, and
//! such a variable is.

use std::collections::{HashMap, HashSet};

use num_bigint::BigInt;

use super::hir::{Block, Expr, ExprKind, Local, Stmt, StmtKind, Var, VarId, visit_expr};
use super::warn::Checked;
use crate::ast::Direction;

#[derive(Default)]
struct Found {
    values: HashMap<VarId, BigInt>,
    written: HashSet<VarId>,
}

/// The variables with their values.
pub(super) fn constants(list: &[Checked]) -> HashMap<VarId, BigInt> {
    let mut found = Found::default();
    for c in list {
        match c {
            Checked::Control(c) => {
                found.locals(&c.locals);
                found.block(&c.body);
            }
            Checked::Parser(p) => {
                found.locals(&p.locals);
                p.states.iter().for_each(|s| found.stmts(&s.stmts));
            }
            Checked::Function(f) => found.block(&f.body),
            Checked::Action(a) => found.block(&a.body),
        }
    }
    let written = found.written;
    found.values.retain(|v, _| !written.contains(v));
    found.values
}

impl Found {
    fn locals(&mut self, list: &[Local]) {
        for l in list {
            match l {
                Local::Var(v, Some(init), _) => self.declared(v, init),
                Local::Action(a) => self.block(&a.body),
                _ => {}
            }
        }
    }

    fn declared(&mut self, v: &Var, init: &Expr) {
        self.expr(init);
        if let Some(n) = init.as_int() {
            self.values.insert(v.id, n.clone());
        }
    }

    fn block(&mut self, b: &Block) {
        self.stmts(&b.stmts);
    }

    fn stmts(&mut self, list: &[Stmt]) {
        list.iter().for_each(|s| self.stmt(s));
    }

    fn stmt(&mut self, s: &Stmt) {
        match &s.kind {
            StmtKind::Assign(a, b) => {
                self.write(a);
                self.expr(a);
                self.expr(b);
            }
            StmtKind::Call(e) | StmtKind::Return(Some(e)) => self.expr(e),
            StmtKind::Var(v, Some(init)) => self.declared(v, init),
            StmtKind::If(c, a, b) => {
                self.expr(c);
                self.stmt(a);
                b.iter().for_each(|b| self.stmt(b));
            }
            StmtKind::Block(b) => self.block(b),
            StmtKind::SwitchAction(_, cases) => cases.iter().for_each(|c| self.block(&c.body)),
            StmtKind::SwitchValue(e, cases) => {
                self.expr(e);
                cases.iter().for_each(|c| self.block(&c.body));
            }
            StmtKind::For {
                init, update, body, ..
            } => {
                self.stmts(init);
                self.stmts(update);
                self.stmt(body);
            }
            StmtKind::ForIn { body, .. } => self.stmt(body),
            _ => {}
        }
    }

    /// Calls write what they are given to go out.
    fn expr(&mut self, e: &Expr) {
        visit_expr(e, &mut |e| {
            let ExprKind::Call(c) = &e.kind else { return };
            for (a, d) in c.args.iter().zip(&c.directions) {
                if let (Some(a), Direction::Out | Direction::InOut) = (a, d) {
                    self.write(a);
                }
            }
        });
    }

    fn write(&mut self, target: &Expr) {
        match &target.kind {
            ExprKind::Var(v) => {
                self.written.insert(v.id);
            }
            ExprKind::Slice(b, ..)
            | ExprKind::Field(b, ..)
            | ExprKind::Component(b, _)
            | ExprKind::Element(b, _) => self.write(b),
            _ => {}
        }
    }
}
