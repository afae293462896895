// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Statements and what is declared among them.

use super::Printer;
use super::expr::{POSTFIX, starts_with_brace};
use crate::ast::*;

impl Printer {
    pub(super) fn block(&mut self, b: &Block) {
        self.annotations(&b.annotations);
        self.text("{\n");
        self.indent += 1;
        for s in &b.stmts {
            self.start_line();
            self.stmt(s);
            self.text("\n");
        }
        self.indent -= 1;
        self.start_line();
        self.text("}");
    }

    /// A statement from the current position, without line end.
    pub(super) fn stmt(&mut self, s: &Stmt) {
        match &s.kind {
            StmtKind::Empty => self.text(";"),
            StmtKind::Assign { .. } | StmtKind::Call(_) => {
                self.simple_stmt(s);
                self.text(";");
            }
            StmtKind::Var(d) => {
                self.var(d);
                self.text(";");
            }
            StmtKind::Const(d) => self.constant(d),
            StmtKind::Instantiation(d) => self.instantiation(d),
            StmtKind::If {
                condition,
                then,
                otherwise,
            } => {
                self.text("if (");
                self.expr(condition, 0);
                self.text(") ");
                self.stmt(then);
                if let Some(s) = otherwise {
                    self.text(" else ");
                    self.stmt(s);
                }
            }
            StmtKind::Block(b) => self.block(b),
            StmtKind::Switch { subject, cases } => self.switch(subject, cases),
            StmtKind::For {
                annotations,
                init,
                condition,
                update,
                body,
            } => {
                self.annotations(annotations);
                self.text("for (");
                self.commas(init, Self::simple_stmt);
                self.text("; ");
                self.expr(condition, 0);
                self.text("; ");
                self.commas(update, Self::simple_stmt);
                self.text(") ");
                self.stmt(body);
            }
            StmtKind::ForIn {
                annotations,
                var_annotations,
                ty,
                name,
                collection,
                body,
            } => {
                self.annotations(annotations);
                self.text("for (");
                self.annotations(var_annotations);
                self.ty(ty);
                self.fmt(format_args!(" {name} in "));
                match collection {
                    ForCollection::Expr(e) => self.expr(e, 0),
                    ForCollection::Range(a, b) => {
                        self.expr(a, 0);
                        self.text(" .. ");
                        self.expr(b, 0);
                    }
                }
                self.text(") ");
                self.stmt(body);
            }
            StmtKind::Break => self.text("break;"),
            StmtKind::Continue => self.text("continue;"),
            StmtKind::Exit => self.text("exit;"),
            StmtKind::Return(None) => self.text("return;"),
            StmtKind::Return(Some(e)) => {
                self.text("return ");
                self.expr(e, 0);
                self.text(";");
            }
        }
    }

    fn switch(&mut self, subject: &Expr, cases: &[SwitchCase]) {
        self.text("switch (");
        self.expr(subject, 0);
        self.text(") {\n");
        self.indent += 1;
        for c in cases {
            self.start_line();
            match &c.label {
                SwitchLabel::Default(_) => self.text("default"),
                // A label must not start with a brace.
                SwitchLabel::Expr(e) if starts_with_brace(e) => {
                    self.text("(");
                    self.expr(e, 0);
                    self.text(")");
                }
                SwitchLabel::Expr(e) => self.expr(e, 0),
            }
            self.text(":");
            if let Some(b) = &c.body {
                self.text(" ");
                self.block(b);
            }
            self.text("\n");
        }
        self.indent -= 1;
        self.start_line();
        self.text("}");
    }

    /// What may stand in the head of a `for`.
    fn simple_stmt(&mut self, s: &Stmt) {
        match &s.kind {
            StmtKind::Assign { lhs, op, rhs } => {
                self.expr(lhs, POSTFIX);
                self.fmt(format_args!(" {}= ", op.map_or("", BinaryOp::as_str)));
                self.expr(rhs, 0);
            }
            StmtKind::Call(e) => self.expr(e, POSTFIX),
            StmtKind::Var(d) => self.var(d),
            _ => self.stmt(s),
        }
    }

    pub(super) fn var(&mut self, d: &VarDecl) {
        self.annotations(&d.annotations);
        self.ty(&d.ty);
        self.fmt(format_args!(" {}", d.name));
        if let Some(e) = &d.init {
            self.text(" = ");
            self.expr(e, 0);
        }
    }

    pub(super) fn constant(&mut self, d: &ConstDecl) {
        self.annotations(&d.annotations);
        self.text("const ");
        self.ty(&d.ty);
        self.fmt(format_args!(" {} = ", d.name));
        self.expr(&d.value, 0);
        self.text(";");
    }

    pub(super) fn instantiation(&mut self, d: &Instantiation) {
        self.annotations(&d.annotations);
        self.ty(&d.ty);
        self.args(&d.args);
        self.fmt(format_args!(" {}", d.name));
        if let Some(list) = &d.initializer {
            self.text(" = {\n");
            self.indent += 1;
            for d in list {
                self.decl(d);
            }
            self.indent -= 1;
            self.start_line();
            self.text("}");
        }
        self.text(";");
    }
}
