// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Statements (section 12).

use std::rc::Rc;

use super::decls::assignment_message;
use super::hir::{ActionCase, Block, Callee, Expr, ExprKind, Stmt, StmtKind, Table, ValueCase};
use super::types::Type;
use super::{Checker, Entity, Place};
use crate::ast::{self, SwitchLabel, find_annotation};
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
        for s in list {
            self.nested(s.span, (), |c| c.stmt(s, &mut out));
        }
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
        let kind = match &s.kind {
            ast::StmtKind::Empty => return,
            ast::StmtKind::Assign { lhs, op, rhs } => {
                let l = self.expr(lhs);
                let r = self.expr(rhs);
                let assignable = self.require_lvalue(&l);
                let r = match op {
                    None => r,
                    Some(op) => self.binary(*op, l.clone(), r, span),
                };
                if l.is_poison() || r.is_poison() || !assignable {
                    return;
                }
                let ty = l.ty.clone();
                let r = self.convert(r, &ty, assignment_message);
                StmtKind::Assign(l, r)
            }
            ast::StmtKind::Call(e) => {
                let call = self.expr(e);
                if call.is_poison() {
                    return;
                }
                match &call.kind {
                    ExprKind::Call(_) => StmtKind::Call(call),
                    // A call that was evaluated: h.minSizeInBits() and the like.
                    _ => return,
                }
            }
            ast::StmtKind::If {
                condition,
                then,
                otherwise,
            } => {
                let c = self.expr(condition);
                if !c.is_poison() && !matches!(*c.ty, Type::Bool) {
                    self.error(
                        c.span,
                        format!("Condition of if must be of type bool, not '{}'", c.ty),
                    );
                }
                let a = self.single(then);
                let b = otherwise.as_ref().map(|o| Box::new(self.single(o)));
                StmtKind::If(c, Box::new(a), b)
            }
            ast::StmtKind::Block(b) => StmtKind::Block(self.block(b)),
            ast::StmtKind::Switch { subject, cases } => match self.switch(subject, cases, span) {
                Some(k) => k,
                None => return,
            },
            ast::StmtKind::For { .. } | ast::StmtKind::ForIn { .. } => {
                self.unsupported(span, "a for loop");
                return;
            }
            ast::StmtKind::Break | ast::StmtKind::Continue => {
                self.error(span, "break and continue are only allowed in loops");
                return;
            }
            ast::StmtKind::Return(value) => {
                if self.place == Place::Parser {
                    self.error(span, "return is not allowed in parsers");
                    return;
                }
                let ty = self.returns.clone().unwrap_or_else(|| Rc::new(Type::Void));
                match value {
                    None => {
                        if !matches!(*ty, Type::Void | Type::Poison) {
                            self.error(span, format!("return: Expected a value of type '{ty}'"));
                        }
                        StmtKind::Return(None)
                    }
                    Some(e) => {
                        let v = self.expr(e);
                        if matches!(*ty, Type::Void) {
                            self.error(
                                span,
                                "return: Cannot return a value from a function that returns void",
                            );
                            return;
                        }
                        let v = self.convert(v, &ty, |f, t| {
                            format!("return: Return type is '{t}', the value has type '{f}'")
                        });
                        StmtKind::Return(Some(v))
                    }
                }
            }
            ast::StmtKind::Exit => {
                if matches!(self.place, Place::Parser | Place::Function) {
                    self.error(span, "exit is not allowed in parsers and functions");
                    return;
                }
                StmtKind::Exit
            }
            ast::StmtKind::Var(v) => match self.variable(v) {
                Some((var, init)) => StmtKind::Var(var, init),
                None => return,
            },
            ast::StmtKind::Const(c) => {
                self.constant(c);
                return;
            }
            ast::StmtKind::Instantiation(i) => match self.instantiation(i) {
                Some(inst) => StmtKind::Instance(inst),
                None => return,
            },
        };
        out.push(Stmt { kind, span });
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
            ExprKind::ActionRun(table) => Some(self.switch_action(&table, cases)),
            _ => self.switch_value(e, cases),
        }
    }

    fn switch_action(&mut self, table: &Rc<Table>, cases: &[ast::SwitchCase]) -> StmtKind {
        let mut out: Vec<ActionCase> = Vec::new();
        let mut labels = Vec::new();
        let mut default = false;
        let mut seen: Vec<usize> = Vec::new();
        let mut seen_default = false;
        for c in cases {
            match &c.label {
                SwitchLabel::Default(s) => {
                    if seen_default {
                        self.error(*s, "multiple default labels");
                    }
                    seen_default = true;
                    default = true;
                }
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

    fn switch_value(&mut self, e: Expr, cases: &[ast::SwitchCase]) -> Option<StmtKind> {
        if !matches!(
            *e.ty,
            Type::Bits { .. } | Type::Enum(_) | Type::Error | Type::Bool | Type::New(_) | Type::Int
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
        let mut out: Vec<ValueCase> = Vec::new();
        let mut labels: Vec<Expr> = Vec::new();
        let mut default = false;
        for c in cases {
            match &c.label {
                SwitchLabel::Default(_) => default = true,
                SwitchLabel::Expr(label) => {
                    let l = self.expr(label);
                    let l = self.convert(l, &e.ty, |f, t| {
                        format!(
                            "Switch label type '{f}' does not match switch expression type '{t}'"
                        )
                    });
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

    /// Whether evaluating an expression changes anything: it calls.
    pub(super) fn has_effects(e: &Expr) -> bool {
        match &e.kind {
            ExprKind::Call(c) => {
                !matches!(c.callee, Callee::Builtin(super::hir::Builtin::IsValid, _))
            }
            ExprKind::Hit(_) | ExprKind::Miss(_) | ExprKind::ActionRun(_) => true,
            ExprKind::Field(a, ..)
            | ExprKind::Component(a, _)
            | ExprKind::Slice(a, ..)
            | ExprKind::Unary(_, a)
            | ExprKind::Cast(a)
            | ExprKind::StackNext(a)
            | ExprKind::StackLast(a)
            | ExprKind::StackLastIndex(a) => Self::has_effects(a),
            ExprKind::Element(a, b) | ExprKind::Binary(_, a, b) => {
                Self::has_effects(a) || Self::has_effects(b)
            }
            ExprKind::Mux(a, b, c) => {
                Self::has_effects(a) || Self::has_effects(b) || Self::has_effects(c)
            }
            ExprKind::List(l) | ExprKind::Struct(l) => l.iter().any(Self::has_effects),
            ExprKind::NamedList(l) => l.iter().any(|(_, e)| Self::has_effects(e)),
            _ => false,
        }
    }
}
