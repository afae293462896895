// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Statements.

use std::rc::Rc;

use super::values::Val;
use super::{Lowerer, can_predicate};
use crate::ast::{BinaryOp, UnaryOp};
use crate::backend::ir::{After, Ex, ExKind, Op, Scalar, St};
use crate::sema::hir::{Block, Expr, ExprKind, Stmt, StmtKind, Table};

impl Lowerer<'_> {
    pub(super) fn block_stmts(&mut self, b: &Block, out: &mut Vec<St>) {
        if b.atomic && !self.in_action {
            let mut body = Vec::new();
            for s in &b.stmts {
                self.stmt(s, &mut body);
            }
            if can_predicate(&body) {
                out.push(St::Atomic(body));
            } else {
                out.extend(body);
            }
            return;
        }
        for s in &b.stmts {
            self.stmt(s, out);
        }
    }

    pub(super) fn stmt(&mut self, s: &Stmt, out: &mut Vec<St>) {
        let span = s.span;
        if !self.spend_statement(span) {
            return;
        }
        match &s.kind {
            StmtKind::Assign(l, r) => {
                let dst = self.lvalue(l, out);
                let src = self.value(r, out);
                self.assign(&dst, src, span, out);
            }
            StmtKind::Call(e) => {
                self.value(e, out);
            }
            StmtKind::If(c, a, b) => self.if_stmt(c, a, b.as_deref(), span, out),
            StmtKind::Block(b) => self.block_stmts(b, out),
            StmtKind::SwitchAction(t, cases) => {
                let mut arms = Vec::new();
                let mut default = Vec::new();
                for c in cases {
                    let mut body = Vec::new();
                    self.block_stmts(&c.body, &mut body);
                    if c.default {
                        default.clone_from(&body);
                    }
                    if !c.labels.is_empty() {
                        arms.push((c.labels.clone(), body));
                    }
                }
                let t: Rc<Table> = t.clone();
                self.apply_table(&t, After::Actions(arms, default), span, out);
            }
            StmtKind::SwitchValue(e, cases) => {
                let x = self.ex(e, out);
                let x = if x.is_simple() || cases.len() <= 1 {
                    x
                } else {
                    match self.snapshot(Val::Ex(x), span, out) {
                        Val::Ex(x) => x,
                        _ => return,
                    }
                };
                // From the last case to the first; `default` catches what no label does, wherever it stands.
                let mut rest: Vec<St> = Vec::new();
                for c in cases.iter().filter(|c| c.default) {
                    self.block_stmts(&c.body, &mut rest);
                }
                for c in cases.iter().rev() {
                    if c.labels.is_empty() {
                        continue;
                    }
                    let mut test = Ex::bool(false);
                    for l in &c.labels {
                        let l = self.ex(l, out);
                        let same = Ex::binary(BinaryOp::Eq, x.clone(), l, Scalar::Bool);
                        test = Ex::or(test, same);
                    }
                    let mut body = Vec::new();
                    self.block_stmts(&c.body, &mut body);
                    rest = vec![St::If(test, body, rest, span)];
                }
                out.extend(rest);
            }
            StmtKind::For {
                init,
                condition,
                update,
                body,
            } => self.for_stmt(init, condition, update, body, span, out),
            StmtKind::ForIn {
                var,
                collection,
                body,
            } => self.for_in(var, collection, body, span, out),
            StmtKind::Break => out.extend(self.loops.last().map(|(end, _)| St::Leave(*end))),
            StmtKind::Continue => out.extend(self.loops.last().map(|(_, next)| St::Leave(*next))),
            StmtKind::Return(value) => {
                if let (Some(v), Some(dst)) = (value, self.return_value.clone()) {
                    let v = self.value(v, out);
                    self.assign(&dst, v, span, out);
                }
                if let Some(l) = self.return_label {
                    out.push(St::Leave(l));
                }
            }
            StmtKind::Exit => {
                self.owed_copies(out);
                match self.table_exit.take().filter(|_| self.in_action) {
                    Some(mut exit) => {
                        let flag = exit
                            .flag
                            .take()
                            .unwrap_or_else(|| self.local_temp("exit", Scalar::Bool));
                        if let ExKind::Place(p) = &flag.kind {
                            out.push(St::Op(Op::Assign(p.clone(), Ex::bool(true)), span));
                        }
                        out.push(St::Leave(exit.end));
                        exit.flag = Some(flag);
                        self.table_exit = Some(exit);
                    }
                    None => out.push(St::Exit(span)),
                }
            }
            StmtKind::Var(v, init) => self.declare_var(v, init.as_ref(), span, out),
            StmtKind::Instance(i) => self.declare_instance(i),
        }
    }

    /// What calls under way copy out, innermost first.
    pub(super) fn owed_copies(&self, out: &mut Vec<St>) {
        for copies in self.pending.iter().rev() {
            out.extend(copies.iter().cloned());
        }
    }

    fn if_stmt(
        &mut self,
        c: &Expr,
        a: &Stmt,
        b: Option<&Stmt>,
        span: crate::source::Span,
        out: &mut Vec<St>,
    ) {
        // `if (t.apply().hit)` needs no variable.
        let mut negated = false;
        let mut inner = c;
        while let ExprKind::Unary(UnaryOp::Not, e) = &inner.kind {
            inner = e;
            negated = !negated;
        }
        if let ExprKind::Hit(t) | ExprKind::Miss(t) = &inner.kind {
            let hit = matches!(inner.kind, ExprKind::Hit(_)) != negated;
            let t = t.clone();
            let (mut x, mut y) = (Vec::new(), Vec::new());
            self.stmt(a, &mut x);
            if let Some(b) = b {
                self.stmt(b, &mut y);
            }
            let then = if hit {
                After::HitMiss(x, y)
            } else {
                After::HitMiss(y, x)
            };
            self.apply_table(&t, then, span, out);
            return;
        }
        let cond = self.ex(c, out);
        if let ExKind::Bool(v) = cond.kind {
            match (v, b) {
                (true, _) => self.stmt(a, out),
                (false, Some(b)) => self.stmt(b, out),
                (false, None) => {}
            }
            return;
        }
        let (mut x, mut y) = (Vec::new(), Vec::new());
        self.stmt(a, &mut x);
        if let Some(b) = b {
            self.stmt(b, &mut y);
        }
        if !x.is_empty() || !y.is_empty() {
            // Where the condition stands is what BMv2 is told.
            out.push(St::If(cond, x, y, c.span));
        }
    }

    /// A place for a result; where the program gives none, or only part of one, a variable.
    pub(super) fn result_place(
        &mut self,
        v: &Val,
        ty: Scalar,
        span: crate::source::Span,
        after: &mut Vec<St>,
    ) -> Option<crate::backend::ir::Place> {
        match v {
            Val::Ex(Ex {
                kind: ExKind::Place(p),
                ..
            }) => Some(p.clone()),
            Val::Bad => None,
            _ => {
                let t = self.local_temp("tmp", ty);
                let ExKind::Place(p) = t.kind.clone() else {
                    return None;
                };
                if matches!(v, Val::Slice(..) | Val::Choice(..)) {
                    self.assign(v, Val::Ex(t), span, after);
                }
                Some(p)
            }
        }
    }

    /// A simple expression: what is not simple goes through a variable.
    pub(super) fn simple(
        &mut self,
        e: Ex,
        name: &str,
        span: crate::source::Span,
        out: &mut Vec<St>,
    ) -> Ex {
        if e.is_simple() || matches!(e.kind, ExKind::Valid(_)) {
            return e;
        }
        let t = self.local_temp(name, e.ty);
        if let ExKind::Place(p) = &t.kind {
            out.push(St::Op(Op::Assign(p.clone(), e), span));
        }
        t
    }
}
