// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Bodies of generic functions with their type arguments put in. Each call gets variables of its own, since their types
//! differ.

use std::collections::HashMap;
use std::rc::Rc;

use crate::sema::hir::{
    ActionCase, Block, Call, Callee, Collection, Expr, ExprKind, Function, Param, Prototype, Stmt,
    StmtKind, ValueCase, Var, VarId,
};
use crate::sema::infer::Bindings;
use crate::sema::types::Ty;

/// Puts types in.
pub struct Subst<'a> {
    bindings: &'a Bindings,
    vars: HashMap<VarId, Rc<Var>>,
    next: &'a mut u32,
}

/// A function with its type arguments put in. `next` counts the variables made; they start far from the checker's own.
pub fn instance(f: &Function, types: &[Ty], next: &mut u32) -> Function {
    let bindings = Bindings::pairs(
        f.proto
            .type_params
            .iter()
            .map(|(v, _)| *v)
            .zip(types.iter().cloned()),
    );
    let mut s = Subst {
        bindings: &bindings,
        vars: HashMap::new(),
        next,
    };
    let params = f.proto.params.iter().map(|p| s.param(p)).collect();
    let body = s.block(&f.body);
    let proto = Prototype {
        name: f.proto.name.clone(),
        type_params: Vec::new(),
        params,
        result: bindings.apply(&f.proto.result),
        annotations: f.proto.annotations.clone(),
        span: f.proto.span,
    };
    Function {
        def: f.def,
        proto: Rc::new(proto),
        body,
    }
}

impl Subst<'_> {
    fn var(&mut self, v: &Rc<Var>) -> Rc<Var> {
        if let Some(known) = self.vars.get(&v.id) {
            return known.clone();
        }
        *self.next = self.next.wrapping_sub(1);
        let new = Rc::new(Var {
            id: VarId(*self.next),
            name: v.name.clone(),
            ty: self.bindings.apply(&v.ty),
            kind: v.kind,
            annotations: v.annotations.clone(),
            span: v.span,
        });
        self.vars.insert(v.id, new.clone());
        new
    }

    fn param(&mut self, p: &Param) -> Param {
        Param {
            var: self.var(&p.var),
            direction: p.direction,
            default: p.default.as_ref().map(|e| self.expr(e)),
            optional: p.optional,
        }
    }

    fn block(&mut self, b: &Block) -> Block {
        Block {
            stmts: self.stmts(&b.stmts),
            atomic: b.atomic,
            span: b.span,
        }
    }

    fn stmts(&mut self, list: &[Stmt]) -> Vec<Stmt> {
        list.iter().map(|s| self.stmt(s)).collect()
    }

    fn stmt(&mut self, s: &Stmt) -> Stmt {
        let kind = match &s.kind {
            StmtKind::Assign(a, b) => StmtKind::Assign(self.expr(a), self.expr(b)),
            StmtKind::Call(e) => StmtKind::Call(self.expr(e)),
            StmtKind::If(c, a, b) => StmtKind::If(
                self.expr(c),
                Box::new(self.stmt(a)),
                b.as_ref().map(|b| Box::new(self.stmt(b))),
            ),
            StmtKind::Block(b) => StmtKind::Block(self.block(b)),
            StmtKind::SwitchAction(t, cases) => StmtKind::SwitchAction(
                t.clone(),
                cases
                    .iter()
                    .map(|c| ActionCase {
                        labels: c.labels.clone(),
                        default: c.default,
                        body: self.block(&c.body),
                    })
                    .collect(),
            ),
            StmtKind::SwitchValue(e, cases) => StmtKind::SwitchValue(
                self.expr(e),
                cases
                    .iter()
                    .map(|c| ValueCase {
                        labels: c.labels.iter().map(|l| self.expr(l)).collect(),
                        default: c.default,
                        body: self.block(&c.body),
                    })
                    .collect(),
            ),
            StmtKind::For {
                init,
                condition,
                update,
                body,
            } => StmtKind::For {
                init: self.stmts(init),
                condition: self.expr(condition),
                update: self.stmts(update),
                body: Box::new(self.stmt(body)),
            },
            StmtKind::ForIn {
                var,
                collection,
                body,
            } => StmtKind::ForIn {
                collection: match collection {
                    Collection::Range(a, b) => Collection::Range(self.expr(a), self.expr(b)),
                    Collection::Elements(e) => Collection::Elements(self.expr(e)),
                },
                var: self.var(var),
                body: Box::new(self.stmt(body)),
            },
            StmtKind::Return(e) => StmtKind::Return(e.as_ref().map(|e| self.expr(e))),
            StmtKind::Var(v, init) => {
                let init = init.as_ref().map(|e| self.expr(e));
                StmtKind::Var(self.var(v), init)
            }
            other @ (StmtKind::Exit
            | StmtKind::Break
            | StmtKind::Continue
            | StmtKind::Instance(_)) => other.clone(),
        };
        Stmt { kind, span: s.span }
    }

    fn boxed(&mut self, e: &Expr) -> Box<Expr> {
        Box::new(self.expr(e))
    }

    fn list(&mut self, l: &[Expr]) -> Vec<Expr> {
        l.iter().map(|e| self.expr(e)).collect()
    }

    fn expr(&mut self, e: &Expr) -> Expr {
        let kind = match &e.kind {
            ExprKind::Var(v) => ExprKind::Var(self.var(v)),
            ExprKind::Field(a, i, n) => ExprKind::Field(self.boxed(a), *i, n.clone()),
            ExprKind::Component(a, i) => ExprKind::Component(self.boxed(a), *i),
            ExprKind::Element(a, b) => ExprKind::Element(self.boxed(a), self.boxed(b)),
            ExprKind::StackNext(a) => ExprKind::StackNext(self.boxed(a)),
            ExprKind::StackLast(a) => ExprKind::StackLast(self.boxed(a)),
            ExprKind::StackLastIndex(a) => ExprKind::StackLastIndex(self.boxed(a)),
            ExprKind::Slice(a, hi, lo) => ExprKind::Slice(self.boxed(a), *hi, *lo),
            ExprKind::Unary(op, a) => ExprKind::Unary(*op, self.boxed(a)),
            ExprKind::Binary(op, a, b) => ExprKind::Binary(*op, self.boxed(a), self.boxed(b)),
            ExprKind::Mux(a, b, c) => ExprKind::Mux(self.boxed(a), self.boxed(b), self.boxed(c)),
            ExprKind::Cast(a) => ExprKind::Cast(self.boxed(a)),
            ExprKind::List(l) => ExprKind::List(self.list(l)),
            ExprKind::Struct(l) => ExprKind::Struct(self.list(l)),
            ExprKind::NamedList(l) => {
                ExprKind::NamedList(l.iter().map(|(n, e)| (n.clone(), self.expr(e))).collect())
            }
            ExprKind::Call(c) => ExprKind::Call(Box::new(self.call(c))),
            other => other.clone(),
        };
        Expr {
            kind,
            ty: self.bindings.apply(&e.ty),
            span: e.span,
        }
    }

    fn call(&mut self, c: &Call) -> Call {
        let callee = match &c.callee {
            Callee::Method(e, p) => Callee::Method(self.boxed(e), p.clone()),
            Callee::Control(e) => Callee::Control(self.boxed(e)),
            Callee::Parser(e) => Callee::Parser(self.boxed(e)),
            Callee::Builtin(b, e) => Callee::Builtin(*b, self.boxed(e)),
            other => other.clone(),
        };
        Call {
            callee,
            type_args: c.type_args.iter().map(|t| self.bindings.apply(t)).collect(),
            args: c
                .args
                .iter()
                .map(|a| a.as_ref().map(|e| self.expr(e)))
                .collect(),
            directions: c.directions.clone(),
        }
    }
}
