// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Loops are unrolled as long as their conditions are known when the program is instantiated. What is left of one when
//! they are not, or after too many rounds, becomes a cycle in the pipeline, or a jump back in an action.

use std::rc::Rc;

use num_bigint::BigInt;

use super::Lowerer;
use super::calls::visit_stmts;
use super::values::Val;
use crate::ast::Direction;
use crate::backend::ir::{Ex, ExKind, Label, St};
use crate::sema::hir::visit_expr;
use crate::sema::hir::{Call, Callee, Collection, Expr, ExprKind, Stmt, StmtKind, Var, VarId};
use crate::source::Span;

/// The variable that an assignable expression is part of.
fn root(e: &Expr) -> Option<VarId> {
    match &e.kind {
        ExprKind::Var(v) => Some(v.id),
        ExprKind::Field(a, ..)
        | ExprKind::Component(a, _)
        | ExprKind::Element(a, _)
        | ExprKind::Slice(a, ..)
        | ExprKind::StackNext(a)
        | ExprKind::StackLast(a) => root(a),
        _ => None,
    }
}

fn call_writes(c: &Call, v: VarId) -> bool {
    let target = match &c.callee {
        Callee::Builtin(_, e) => root(e) == Some(v),
        _ => false,
    };
    target
        || c.args.iter().zip(&c.directions).any(|(a, d)| {
            matches!(d, Direction::Out | Direction::InOut) && a.as_ref().and_then(root) == Some(v)
        })
}

fn expr_writes(e: &Expr, v: VarId) -> bool {
    let mut found = false;
    visit_expr(e, &mut |e| {
        if let ExprKind::Call(c) = &e.kind {
            found |= call_writes(c, v);
        }
    });
    found
}

/// Whether statements may write a variable.
pub fn writes_var(list: &[Stmt], v: VarId) -> bool {
    let mut found = false;
    visit_stmts(list, &mut |e| {
        if let ExprKind::Call(c) = &e.kind {
            found |= call_writes(c, v);
        }
    });
    found || assigns(list, v)
}

fn assigns(list: &[Stmt], v: VarId) -> bool {
    list.iter().any(|s| match &s.kind {
        StmtKind::Assign(l, _) => root(l) == Some(v),
        StmtKind::If(_, a, b) => {
            assigns(std::slice::from_ref(a), v)
                || b.as_ref()
                    .is_some_and(|b| assigns(std::slice::from_ref(b), v))
        }
        StmtKind::Block(b) => assigns(&b.stmts, v),
        StmtKind::SwitchAction(_, cases) => cases.iter().any(|c| assigns(&c.body.stmts, v)),
        StmtKind::SwitchValue(_, cases) => cases.iter().any(|c| assigns(&c.body.stmts, v)),
        StmtKind::For {
            init, update, body, ..
        } => assigns(init, v) || assigns(update, v) || assigns(std::slice::from_ref(body), v),
        StmtKind::ForIn { body, .. } => assigns(std::slice::from_ref(body), v),
        _ => false,
    })
}

impl Lowerer<'_> {
    fn round(&mut self, span: Span) -> bool {
        if self.unroll_budget == 0 {
            self.error(span, "loop with too many rounds, or without an end");
            return false;
        }
        self.unroll_budget -= 1;
        true
    }

    pub(super) fn for_stmt(
        &mut self,
        init: &[Stmt],
        condition: &Expr,
        update: &[Stmt],
        body: &Stmt,
        span: Span,
        out: &mut Vec<St>,
    ) {
        let body_list = std::slice::from_ref(body);
        let free = |v: VarId| !writes_var(body_list, v) && !expr_writes(condition, v);
        // Variables that only the loop's head writes have known values.
        let mut known: Vec<Rc<Var>> = Vec::new();
        // Those declared outside keep their place, which is brought up to date before each round.
        let mut outer: Vec<(Rc<Var>, Val)> = Vec::new();
        for s in init {
            match &s.kind {
                StmtKind::Var(v, Some(e)) if free(v.id) => match self.value(e, out) {
                    Val::Ex(x) if x.is_constant() => {
                        self.env.insert(v.id, Val::Ex(x));
                        known.push(v.clone());
                    }
                    _ => self.stmt(s, out),
                },
                StmtKind::Assign(
                    Expr {
                        kind: ExprKind::Var(v),
                        ..
                    },
                    e,
                ) if free(v.id) => {
                    let home = match self.env.get(&v.id) {
                        Some(known) => known.clone(),
                        None => self.home(v),
                    };
                    match self.value(e, out) {
                        Val::Ex(x)
                            if x.is_constant()
                                && matches!(&home, Val::Ex(h) if h.ty == x.ty && !h.is_constant()) =>
                        {
                            self.env.insert(v.id, Val::Ex(x));
                            known.push(v.clone());
                            outer.push((v.clone(), home));
                        }
                        _ => self.stmt(s, out),
                    }
                }
                _ => self.stmt(s, out),
            }
        }
        let end = self.label();
        let mut all = Vec::new();
        loop {
            for (v, home) in &outer {
                if let Some(now) = self.env.get(&v.id).cloned() {
                    self.assign(home, now, span, &mut all);
                }
            }
            let test = self.ex(condition, &mut all);
            match test.kind {
                ExKind::Bool(false) => break,
                ExKind::Bool(true) if self.unroll_budget > 0 => self.unroll_budget -= 1,
                _ => {
                    self.settle(&known, &outer, span, &mut all);
                    self.real_loop(condition, update, body, end, span, &mut all);
                    break;
                }
            }
            let next = self.label();
            let mut inner = Vec::new();
            self.loops.push((end, next));
            self.stmt(body, &mut inner);
            self.loops.pop();
            all.push(St::Scope(next, inner));
            for u in update {
                if let StmtKind::Assign(
                    Expr {
                        kind: ExprKind::Var(w),
                        ..
                    },
                    e,
                ) = &u.kind
                    && known.iter().any(|v| v.id == w.id)
                {
                    match self.value(e, &mut all) {
                        Val::Ex(x) if x.is_constant() => {
                            self.env.insert(w.id, Val::Ex(x));
                        }
                        v => {
                            // From here on it is a variable like others.
                            self.settle(&known, &outer, span, &mut all);
                            known.clear();
                            if let Some(home) = self.env.get(&w.id).cloned() {
                                self.assign(&home, v, u.span, &mut all);
                            }
                        }
                    }
                    continue;
                }
                self.stmt(u, &mut all);
            }
            if self.diags.has_errors() && self.unroll_budget == 0 {
                break;
            }
        }
        self.env
            .extend(outer.into_iter().map(|(v, home)| (v.id, home)));
        out.push(St::Scope(end, all));
    }

    /// Gives the variables whose values were known places again, with these values in them.
    fn settle(
        &mut self,
        known: &[Rc<Var>],
        outer: &[(Rc<Var>, Val)],
        span: Span,
        out: &mut Vec<St>,
    ) {
        for v in known {
            let home = match outer.iter().find(|(o, _)| o.id == v.id) {
                Some((_, home)) => home.clone(),
                None => self.home(v),
            };
            if let Some(now) = self.env.insert(v.id, home.clone()) {
                self.assign(&home, now, span, out);
            }
        }
    }

    /// The rounds of a loop that are counted only when a packet is there.
    fn real_loop(
        &mut self,
        condition: &Expr,
        update: &[Stmt],
        body: &Stmt,
        end: Label,
        span: Span,
        out: &mut Vec<St>,
    ) {
        let mut round = Vec::new();
        let test = self.ex(condition, &mut round);
        let next = self.label();
        let mut inner = Vec::new();
        self.loops.push((end, next));
        self.stmt(body, &mut inner);
        self.loops.pop();
        let mut again = vec![St::Scope(next, inner)];
        for u in update {
            self.stmt(u, &mut again);
        }
        let leave = vec![St::Leave(end)];
        round.push(St::If(test, again, leave, span));
        out.push(St::Loop(round));
    }

    pub(super) fn for_in(
        &mut self,
        var: &Rc<Var>,
        collection: &Collection,
        body: &Stmt,
        span: Span,
        out: &mut Vec<St>,
    ) {
        let values: Vec<Val> = match collection {
            Collection::Range(lo, hi) => {
                let (lo, hi) = (self.ex(lo, out), self.ex(hi, out));
                let ty = lo.ty;
                let (Some(mut i), Some(hi)) = (lo.as_int(), hi.as_int()) else {
                    self.unsupported(span, "a for loop whose range is not constant");
                    return;
                };
                let mut list = Vec::new();
                while i <= hi {
                    if list.len() > self.unroll_budget {
                        self.error(span, "loop with too many rounds, or without an end");
                        return;
                    }
                    list.push(Val::Ex(Ex::int(i.clone(), ty)));
                    i += BigInt::from(1);
                }
                list
            }
            Collection::Elements(e) => {
                let v = self.value(e, out);
                match self.elements(&v) {
                    Some(l) => l,
                    None => return,
                }
            }
        };
        let fixed = !writes_var(std::slice::from_ref(body), var.id);
        let end = self.label();
        let mut all = Vec::new();
        for v in values {
            if !self.round(span) {
                break;
            }
            let next = self.label();
            let mut inner = Vec::new();
            match &v {
                Val::Ex(x) if fixed && x.is_constant() => {
                    self.env.insert(var.id, v);
                }
                _ => {
                    let home = self.home(var);
                    self.assign(&home, v, span, &mut inner);
                    self.env.insert(var.id, home);
                }
            }
            self.loops.push((end, next));
            self.stmt(body, &mut inner);
            self.loops.pop();
            all.push(St::Scope(next, inner));
        }
        out.push(St::Scope(end, all));
    }
}
