// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Loops are unrolled: BMv2 has none. The number of rounds must be known when the program is instantiated.

use num_bigint::BigInt;

use super::Lowerer;
use super::calls::{visit_expr, visit_stmts};
use super::values::Val;
use crate::ast::Direction;
use crate::backend::ir::{Ex, ExKind, St};
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
        let mut known: Vec<VarId> = Vec::new();
        // Those declared outside keep their place, which is brought up to date before each round.
        let mut outer: Vec<(VarId, Val)> = Vec::new();
        for s in init {
            match &s.kind {
                StmtKind::Var(v, Some(e)) if free(v.id) => match self.value(e, out) {
                    Val::Ex(x) if x.is_constant() => {
                        self.env.insert(v.id, Val::Ex(x));
                        known.push(v.id);
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
                            known.push(v.id);
                            outer.push((v.id, home));
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
                if let Some(now) = self.env.get(v).cloned() {
                    self.assign(home, now, span, &mut all);
                }
            }
            let test = self.ex(condition, &mut all);
            match test.kind {
                ExKind::Bool(false) => break,
                ExKind::Bool(true) => {}
                _ => {
                    self.unsupported(
                        condition.span,
                        "a for loop whose number of rounds is not a constant",
                    );
                    break;
                }
            }
            if !self.round(span) {
                break;
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
                        kind: ExprKind::Var(v),
                        ..
                    },
                    e,
                ) = &u.kind
                    && known.contains(&v.id)
                {
                    match self.value(e, &mut all) {
                        Val::Ex(x) if x.is_constant() => {
                            self.env.insert(v.id, Val::Ex(x));
                        }
                        _ => {
                            self.unsupported(u.span, "a for loop whose step is not a constant");
                            self.unroll_budget = 0;
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
        self.env.extend(outer);
        out.push(St::Scope(end, all));
    }

    pub(super) fn for_in(
        &mut self,
        var: &std::rc::Rc<Var>,
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
