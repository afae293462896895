// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Statements (section 12), in parsers, controls, actions and functions.

use super::{Annotation, BinaryOp, ConstDecl, Expr, Ident, Instantiation, TypeRef, VarDecl};
use crate::source::Span;

/// A statement, or a declaration among statements.
#[derive(Clone, PartialEq, Debug)]
pub struct Stmt {
    /// Which.
    pub kind: StmtKind,
    /// Where, with the semicolon.
    pub span: Span,
}

/// The forms of `statementOrDeclaration` and `parserStatement`.
#[derive(Clone, PartialEq, Debug)]
pub enum StmtKind {
    /// `;`
    Empty,
    /// `lhs = rhs;` or, with an operator, `lhs += rhs;`. The left side is a name, member, index or slice, or a call
    /// (which the type checker refuses).
    Assign {
        /// Left side.
        lhs: Expr,
        /// Operator of a compound assignment.
        op: Option<BinaryOp>,
        /// Right side.
        rhs: Expr,
    },
    /// A call as a statement; the expression is an [`ExprKind::Call`](super::ExprKind::Call). Direct application
    /// `C.apply(...)` has a [`Member`](super::ExprKind::Member) of a [`Type`](super::ExprKind::Type) as its callee.
    Call(Expr),
    /// `if (c) s` and `if (c) s else s`
    If {
        /// Condition.
        condition: Expr,
        /// Statement if true.
        then: Box<Stmt>,
        /// Statement if false.
        otherwise: Option<Box<Stmt>>,
    },
    /// `{ ... }`
    Block(Block),
    /// `switch (e) { ... }`
    Switch {
        /// `t.apply().action_run`, or an expression of type bit, int, enum or error.
        subject: Expr,
        /// Cases in order.
        cases: Vec<SwitchCase>,
    },
    /// `for (init; condition; update) body`
    For {
        /// Annotations.
        annotations: Vec<Annotation>,
        /// Declarations, assignments and calls.
        init: Vec<Stmt>,
        /// Condition.
        condition: Expr,
        /// Assignments and calls.
        update: Vec<Stmt>,
        /// Body.
        body: Box<Stmt>,
    },
    /// `for (T x in collection) body`
    ForIn {
        /// Annotations of the statement.
        annotations: Vec<Annotation>,
        /// Annotations of the variable.
        var_annotations: Vec<Annotation>,
        /// Type of the variable.
        ty: TypeRef,
        /// The variable.
        name: Ident,
        /// What is gone through.
        collection: ForCollection,
        /// Body.
        body: Box<Stmt>,
    },
    /// `break;`
    Break,
    /// `continue;`
    Continue,
    /// `return;`, `return e;`
    Return(Option<Expr>),
    /// `exit;`
    Exit,
    /// Variable declaration.
    Var(VarDecl),
    /// Constant declaration.
    Const(ConstDecl),
    /// Instantiation among statements.
    Instantiation(Instantiation),
}

/// What a `for ... in` goes through.
#[derive(Clone, PartialEq, Debug)]
pub enum ForCollection {
    /// A list or header stack.
    Expr(Expr),
    /// `lo .. hi`
    Range(Expr, Expr),
}

/// Statements in braces.
#[derive(Clone, PartialEq, Debug)]
pub struct Block {
    /// Annotations, such as `@atomic`.
    pub annotations: Vec<Annotation>,
    /// Contents.
    pub stmts: Vec<Stmt>,
    /// With the braces.
    pub span: Span,
    /// The closing brace, for "missing return" and the like.
    pub end_span: Span,
}

/// A case of a `switch`.
#[derive(Clone, PartialEq, Debug)]
pub struct SwitchCase {
    /// Label.
    pub label: SwitchLabel,
    /// `None` falls through to the next case.
    pub body: Option<Block>,
    /// Where.
    pub span: Span,
}

/// Label of a `switch` case.
#[derive(Clone, PartialEq, Debug)]
pub enum SwitchLabel {
    /// `default`
    Default(Span),
    /// An action's name or a constant expression.
    Expr(Expr),
}
