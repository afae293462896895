// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Statements (section 12).

use std::rc::Rc;

use super::decls::assignment_message;
use super::hir::{
    ActionCase, Block, Collection, Expr, ExprKind, Stmt, StmtKind, Table, ValueCase, Var, VarKind,
    has_effects,
};
use super::types::{Ty, Type};
use super::{Checker, Entity, Place};
use crate::ast::{self, SwitchLabel, find_annotation};
use crate::diag::Diagnostic;
use crate::source::Span;

/// Whether control never reaches the end of a block.
pub(super) fn always_returns(block: &Block) -> bool {
    block.stmts.iter().any(stmt_returns)
}

fn stmt_returns(s: &Stmt) -> bool {
    match &s.kind {
        StmtKind::Return(_) | StmtKind::Exit => true,
        StmtKind::If(_, a, Some(b)) => stmt_returns(a) && stmt_returns(b),
        StmtKind::Block(b) => always_returns(b),
        StmtKind::SwitchValue(_, cases) => {
            cases.iter().any(|c| c.default) && cases.iter().all(|c| always_returns(&c.body))
        }
        StmtKind::SwitchAction(_, cases) => {
            cases.iter().any(|c| c.default) && cases.iter().all(|c| always_returns(&c.body))
        }
        _ => false,
    }
}

impl Checker<'_> {
    pub(super) fn block(&mut self, b: &ast::Block) -> Block {
        self.push_scope();
        let stmts = self.stmts(&b.stmts);
        self.pop_scope();
        Block {
            stmts,
            atomic: find_annotation(&b.annotations, "atomic").is_some(),
            span: b.span,
        }
    }

    pub(super) fn stmts(&mut self, list: &[ast::Stmt]) -> Vec<Stmt> {
        let mut out = Vec::new();
        self.statements += 1;
        for s in list {
            self.nested(s.span, (), |c| c.stmt(s, &mut out));
        }
        self.statements -= 1;
        out
    }

    /// A statement on its own, such as a branch of `if`.
    fn single(&mut self, s: &ast::Stmt) -> Stmt {
        let mut out = Vec::new();
        self.push_scope();
        self.nested(s.span, (), |c| c.stmt(s, &mut out));
        self.pop_scope();
        match (out.pop(), out.is_empty()) {
            (Some(only), true) => only,
            (last, _) => {
                out.extend(last);
                Stmt {
                    kind: StmtKind::Block(Block {
                        stmts: out,
                        atomic: false,
                        span: s.span,
                    }),
                    span: s.span,
                }
            }
        }
    }

    fn stmt(&mut self, s: &ast::Stmt, out: &mut Vec<Stmt>) {
        let span = s.span;
        if let Some(kind) = self.stmt_kind(s, out) {
            out.push(Stmt { kind, span });
        }
    }

    /// One statement; what has to run before it goes to `out`.
    fn stmt_kind(&mut self, s: &ast::Stmt, out: &mut Vec<Stmt>) -> Option<StmtKind> {
        let span = s.span;
        match &s.kind {
            ast::StmtKind::Empty => None,
            ast::StmtKind::Assign { lhs, op, rhs } => self.assign(lhs, *op, rhs, span, out),
            ast::StmtKind::Call(e) => {
                let call = self.expr(e);
                // Others are calls that were evaluated: h.minSizeInBits() and the like.
                let called = matches!(call.kind, ExprKind::Call(_)) && !call.is_poison();
                called.then_some(StmtKind::Call(call))
            }
            ast::StmtKind::If {
                condition,
                then,
                otherwise,
            } => {
                let c = self.condition(condition, "if");
                let a = self.single(then);
                let b = otherwise.as_ref().map(|o| Box::new(self.single(o)));
                Some(StmtKind::If(c, Box::new(a), b))
            }
            ast::StmtKind::Block(b) => Some(StmtKind::Block(self.block(b))),
            ast::StmtKind::Switch { subject, cases } => self.switch(subject, cases, span),
            ast::StmtKind::For { .. } | ast::StmtKind::ForIn { .. }
                if self.place == Place::Parser =>
            {
                self.error(span, "loops are not allowed in parsers");
                None
            }
            ast::StmtKind::For {
                init,
                condition,
                update,
                body,
                ..
            } => self.for_loop(init, condition, update, body),
            ast::StmtKind::ForIn {
                ty,
                name,
                collection,
                var_annotations,
                body,
                ..
            } => {
                let ty = self.resolve(ty);
                let collection = self.collection(collection, &ty);
                self.push_scope();
                let var = Rc::new(Var {
                    id: self.fresh_var(),
                    name: name.name.clone(),
                    ty,
                    kind: VarKind::Local,
                    annotations: var_annotations.clone(),
                    span: name.span,
                });
                self.declare(name, Entity::Var(var.clone()));
                self.watch(name, "", var_annotations);
                let body = Box::new(self.loop_body(body));
                self.pop_scope();
                Some(StmtKind::ForIn {
                    var,
                    collection: collection?,
                    body,
                })
            }
            ast::StmtKind::Break | ast::StmtKind::Continue if self.loops == 0 => {
                self.error(span, "break and continue are only allowed in loops");
                None
            }
            ast::StmtKind::Break => Some(StmtKind::Break),
            ast::StmtKind::Continue => Some(StmtKind::Continue),
            ast::StmtKind::Return(value) => self.return_statement(value.as_ref(), span),
            ast::StmtKind::Exit if matches!(self.place, Place::Parser | Place::Function) => {
                self.error(span, "exit is not allowed in parsers and functions");
                None
            }
            ast::StmtKind::Exit => Some(StmtKind::Exit),
            ast::StmtKind::Var(v) => {
                let (var, init) = self.variable(v)?;
                Some(StmtKind::Var(var, init))
            }
            ast::StmtKind::Const(c) => {
                self.not_a_param(&c.name);
                self.constant(c);
                None
            }
            ast::StmtKind::Instantiation(i) => {
                let place = match self.place {
                    Place::Function => "a function or method",
                    _ => "a control 'apply' block",
                };
                self.error(
                    span,
                    format!(
                        "{}: invalid declaration. Instantiations cannot be in {place}",
                        i.name
                    ),
                );
                self.instantiation(i);
                None
            }
        }
    }

    fn assign(
        &mut self,
        lhs: &ast::Expr,
        op: Option<ast::BinaryOp>,
        rhs: &ast::Expr,
        span: Span,
        out: &mut Vec<Stmt>,
    ) -> Option<StmtKind> {
        if let (ast::ExprKind::PlusSlice { base, lo, width }, None) = (&lhs.kind, op)
            && let Some(kind) = self.assign_moving_slice(base, lo, width, rhs, span, out)
        {
            return Some(kind);
        }
        let mut l = self.expr(lhs);
        if op.is_some() {
            l = self.indices_once(l, out);
        }
        let r = self.expr(rhs);
        let assignable = self.require_lvalue(&l);
        let r = match op {
            None => r,
            Some(op) => self.binary(op, l.clone(), r, span),
        };
        if l.is_poison() || r.is_poison() || !assignable {
            return None;
        }
        let ty = l.ty.clone();
        let r = self.convert(r, &ty, assignment_message);
        Some(StmtKind::Assign(l, r))
    }

    fn condition(&mut self, e: &ast::Expr, of: &str) -> Expr {
        let c = self.expr(e);
        if !c.is_poison() && !matches!(*c.ty, Type::Bool) {
            let message = format!("Condition of {of} must be of type bool, not '{}'", c.ty);
            self.error(c.span, message);
        }
        c
    }

    fn loop_body(&mut self, body: &ast::Stmt) -> Stmt {
        self.loops += 1;
        let body = self.single(body);
        self.loops -= 1;
        body
    }

    fn for_loop(
        &mut self,
        init: &[ast::Stmt],
        condition: &ast::Expr,
        update: &[ast::Stmt],
        body: &ast::Stmt,
    ) -> Option<StmtKind> {
        self.push_scope();
        let init = self.stmts(init);
        let condition = self.condition(condition, "for");
        let update = self.stmts(update);
        let body = Box::new(self.loop_body(body));
        self.pop_scope();
        (!condition.is_poison()).then_some(StmtKind::For {
            init,
            condition,
            update,
            body,
        })
    }

    /// What `for (ty x in ...)` goes through.
    fn collection(&mut self, c: &ast::ForCollection, ty: &Ty) -> Option<Collection> {
        match c {
            ast::ForCollection::Range(lo, hi) => {
                let (lo, hi) = (self.expr(lo), self.expr(hi));
                let message = |f: &Type, t: &Type| {
                    format!("range of type '{f}' for a variable of type '{t}'")
                };
                let lo = self.convert(lo, ty, message);
                let hi = self.convert(hi, ty, message);
                (!lo.is_poison() && !hi.is_poison()).then_some(Collection::Range(lo, hi))
            }
            ast::ForCollection::Expr(e) => {
                let e = self.expr(e);
                let e = match &*e.ty {
                    Type::ListExpr(l) => {
                        let t = Rc::new(Type::Tuple(l.iter().map(|_| ty.clone()).collect()));
                        self.convert(e, &t, |f, _| {
                            format!("cannot go through a value of type '{f}' here")
                        })
                    }
                    Type::List(t) | Type::Stack(t, _) if Type::same(t, ty) => e,
                    Type::Tuple(l) if l.iter().all(|t| Type::same(t, ty)) => e,
                    Type::Poison => e,
                    t => {
                        self.error(
                            e.span,
                            format!("'{t}': not a list, stack or range of '{ty}'"),
                        );
                        Expr::poison(e.span)
                    }
                };
                (!e.is_poison()).then_some(Collection::Elements(e))
            }
        }
    }

    fn return_statement(&mut self, value: Option<&ast::Expr>, span: Span) -> Option<StmtKind> {
        if self.place == Place::Parser {
            self.error(span, "return is not allowed in parsers");
            return None;
        }
        let ty = self.returns.clone().unwrap_or_else(|| Rc::new(Type::Void));
        let Some(e) = value else {
            if !matches!(*ty, Type::Void | Type::Poison) {
                self.error(span, format!("return: Expected a value of type '{ty}'"));
            }
            return Some(StmtKind::Return(None));
        };
        let v = self.expr(e);
        if matches!(*ty, Type::Void) {
            let message = "return: Cannot return a value from a function that returns void";
            self.error(span, message);
            return None;
        }
        let v = self.convert(v, &ty, |f, t| {
            format!("return: Return type is '{t}', the value has type '{f}'")
        });
        Some(StmtKind::Return(Some(v)))
    }

    /// `base[lo+:width] = rhs` where `lo` is not constant: the bits are masked out and put in. `None` where it is.
    fn assign_moving_slice(
        &mut self,
        base: &ast::Expr,
        lo: &ast::Expr,
        width: &ast::Expr,
        rhs: &ast::Expr,
        span: Span,
        out: &mut Vec<Stmt>,
    ) -> Option<StmtKind> {
        let position = self.expr(lo);
        if position.is_poison() || position.as_int().is_some() {
            return None;
        }
        let target = self.expr(base);
        let n = self.constant_size(width, "slice width")?;
        let Type::Bits { width: whole, .. } = *target.ty else {
            return None;
        };
        if n == 0 || n > whole || !self.require_lvalue(&target) {
            return None;
        }
        let target = self.indices_once(target, out);
        let position = self.evaluated_once(position, out);
        let r = self.expr(rhs);
        let r = self.convert(r, &Type::bits(n), assignment_message);
        let plain = Type::bits(whole);
        let ty = target.ty.clone();
        let cast = |c: &mut Self, e: Expr, t: &super::types::Ty| c.cast(e, t, span);
        let ones = (num_bigint::BigInt::from(1) << n) - 1;
        let mask = Expr::new(ExprKind::Int(ones), plain.clone(), span);
        let mask = self.binary(ast::BinaryOp::Shl, mask, position.clone(), span);
        let keep = Expr::new(
            ExprKind::Unary(ast::UnaryOp::Complement, Box::new(mask)),
            plain.clone(),
            span,
        );
        let old = cast(self, target.clone(), &plain);
        let old = self.binary(ast::BinaryOp::BitAnd, old, keep, span);
        let new = cast(self, r, &plain);
        let new = self.binary(ast::BinaryOp::Shl, new, position, span);
        let all = self.binary(ast::BinaryOp::BitOr, old, new, span);
        let all = cast(self, all, &ty);
        if all.is_poison() {
            None
        } else {
            Some(StmtKind::Assign(target, all))
        }
    }

    /// A place that is read and written: its indices are evaluated before.
    fn indices_once(&mut self, mut place: Expr, out: &mut Vec<Stmt>) -> Expr {
        place.kind = match place.kind {
            ExprKind::Field(b, i, name) => {
                ExprKind::Field(Box::new(self.indices_once(*b, out)), i, name)
            }
            ExprKind::Slice(b, hi, lo) => {
                ExprKind::Slice(Box::new(self.indices_once(*b, out)), hi, lo)
            }
            ExprKind::Component(b, i) => {
                ExprKind::Component(Box::new(self.indices_once(*b, out)), i)
            }
            ExprKind::Element(b, i) => {
                let b = self.indices_once(*b, out);
                ExprKind::Element(Box::new(b), Box::new(self.evaluated_once(*i, out)))
            }
            other => other,
        };
        place
    }

    /// A variable with the value of `e`, if evaluating `e` twice would do something twice.
    fn evaluated_once(&mut self, e: Expr, out: &mut Vec<Stmt>) -> Expr {
        if !has_effects(&e) {
            return e;
        }
        let (ty, span) = (e.ty.clone(), e.span);
        let var = Rc::new(Var {
            id: self.fresh_var(),
            name: "index".into(),
            ty: ty.clone(),
            kind: VarKind::Local,
            annotations: Vec::new(),
            span,
        });
        let kind = StmtKind::Var(var.clone(), Some(e));
        out.push(Stmt { kind, span });
        Expr::new(ExprKind::Var(var), ty, span)
    }

    fn switch(
        &mut self,
        subject: &ast::Expr,
        cases: &[ast::SwitchCase],
        span: Span,
    ) -> Option<StmtKind> {
        let e = self.expr(subject);
        if e.is_poison() {
            for c in cases {
                if let Some(b) = &c.body {
                    self.block(b);
                }
            }
            return None;
        }
        if self.place == Place::Parser {
            self.error(span, "switch is not allowed in parsers");
            return None;
        }
        match e.kind {
            ExprKind::Hit(_) | ExprKind::Miss(_) => {
                self.error(e.span, "'switch' type can't be bool");
                None
            }
            ExprKind::ActionRun(table) => Some(self.switch_action(&table, cases, span)),
            _ => self.switch_value(e, cases, span),
        }
    }

    /// `default` is the last label, and there is one at most (section 11.7).
    fn default_is_last(&mut self, cases: &[ast::SwitchCase], span: Span) {
        let first = cases
            .iter()
            .position(|c| matches!(c.label, SwitchLabel::Default(_)));
        let Some(after) = first.and_then(|i| cases.get(i + 1)) else {
            return;
        };
        match &after.label {
            SwitchLabel::Default(second) => self.diags.push(
                Diagnostic::error(span, "switch has multiple 'default' labels")
                    .note_at(*second, "the second one"),
            ),
            SwitchLabel::Expr(e) => self.error(
                e.span,
                "switch label follows 'default' label, which is not allowed",
            ),
        }
    }

    fn switch_action(
        &mut self,
        table: &Rc<Table>,
        cases: &[ast::SwitchCase],
        span: Span,
    ) -> StmtKind {
        let mut out: Vec<ActionCase> = Vec::new();
        let mut labels = Vec::new();
        let mut default = false;
        let mut seen: Vec<usize> = Vec::new();
        self.default_is_last(cases, span);
        for c in cases {
            match &c.label {
                SwitchLabel::Default(_) => default = true,
                SwitchLabel::Expr(label) => {
                    let ast::ExprKind::Name(path) = &label.kind else {
                        self.error(
                            label.span,
                            "switch label must be an action name or 'default'",
                        );
                        continue;
                    };
                    match self.lookup(path) {
                        Entity::Action(a) => {
                            match table.actions.iter().position(|r| r.action.def == a.def) {
                                Some(i) if seen.contains(&i) => {
                                    self.error(
                                        label.span,
                                        format!("{}: Duplicate switch label", a.name),
                                    );
                                }
                                Some(i) => {
                                    seen.push(i);
                                    labels.push(i);
                                }
                                None => {
                                    self.error(
                                    label.span,
                                    format!("{}: Switch label does not match any action of table {}", a.name, table.name),
                                );
                                }
                            }
                        }
                        Entity::Poison => {}
                        _ => self.error(
                            label.span,
                            format!("{path}: switch label must be an action name or 'default'"),
                        ),
                    }
                }
            }
            if let Some(b) = &c.body {
                let body = self.block(b);
                out.push(ActionCase {
                    labels: std::mem::take(&mut labels),
                    default: std::mem::take(&mut default),
                    body,
                });
            }
        }
        StmtKind::SwitchAction(table.clone(), out)
    }

    fn switch_value(&mut self, e: Expr, cases: &[ast::SwitchCase], span: Span) -> Option<StmtKind> {
        if !matches!(
            *e.ty,
            Type::Bits { .. } | Type::Enum(_) | Type::Error | Type::Bool | Type::New(_)
        ) {
            self.error(
                e.span,
                format!(
                    "Type of switch expression '{}' is not int, bit, bool, enum or error",
                    e.ty
                ),
            );
            return None;
        }
        self.default_is_last(cases, span);
        let mut out: Vec<ValueCase> = Vec::new();
        let mut seen: Vec<String> = Vec::new();
        let mut labels: Vec<Expr> = Vec::new();
        let mut default = false;
        for c in cases {
            match &c.label {
                SwitchLabel::Default(_) => default = true,
                SwitchLabel::Expr(label) => {
                    // What does not fit is told of the expression, as p4c does.
                    let l = Expr {
                        span: e.span,
                        ..self.expr(label)
                    };
                    let l = self.convert(l, &e.ty, |f, t| {
                        format!(
                            "Switch label type '{f}' does not match switch expression type '{t}'"
                        )
                    });
                    let text = crate::ast::print::expression(label);
                    if seen.contains(&text) {
                        self.error(label.span, format!("duplicate case label {text}"));
                    }
                    seen.push(text);
                    if !l.is_poison() && !l.is_compile_time() {
                        self.error(label.span, "switch label must be a compile-time constant");
                    }
                    if !l.is_poison() {
                        labels.push(l);
                    }
                }
            }
            if let Some(b) = &c.body {
                let body = self.block(b);
                out.push(ValueCase {
                    labels: std::mem::take(&mut labels),
                    default: std::mem::take(&mut default),
                    body,
                });
            }
        }
        Some(StmtKind::SwitchValue(e, out))
    }
}
