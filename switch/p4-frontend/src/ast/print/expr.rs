// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Expressions and types.

use super::Printer;
use crate::ast::*;
use crate::lex::escape;

/// Binding strengths around those of [`BinaryOp::precedence`].
const TERNARY: u8 = 2;
const PREFIX: u8 = 20;
pub(super) const POSTFIX: u8 = 21;

impl Printer {
    // Types.

    pub(super) fn ty(&mut self, t: &TypeRef) {
        match &t.kind {
            TypeKind::Bool => self.text("bool"),
            TypeKind::Error => self.text("error"),
            TypeKind::MatchKind => self.text("match_kind"),
            TypeKind::String => self.text("string"),
            TypeKind::Void => self.text("void"),
            TypeKind::DontCare => self.text("_"),
            TypeKind::Bit(w) => self.sized("bit", w.as_deref()),
            TypeKind::Int(w) => self.sized("int", w.as_deref()),
            TypeKind::Varbit(w) => self.sized("varbit", Some(w)),
            TypeKind::Name(path) => self.fmt(format_args!("{path}")),
            TypeKind::Specialized { base, args } => {
                self.fmt(format_args!("{base}"));
                self.type_args(args);
            }
            TypeKind::Stack { element, size } => {
                self.ty(element);
                self.text("[");
                self.expr(size, 0);
                self.text("]");
            }
            TypeKind::Tuple(list) => {
                self.text("tuple");
                self.type_args(list);
            }
            TypeKind::List(element) => {
                self.text("list");
                self.type_args(std::slice::from_ref(element));
            }
        }
    }

    fn sized(&mut self, word: &str, width: Option<&Expr>) {
        self.text(word);
        match width {
            None => {}
            Some(e) if matches!(e.kind, ExprKind::Int(_)) => {
                self.text("<");
                self.expr(e, 0);
                self.text(">");
            }
            Some(e) => {
                self.text("<(");
                self.expr(e, 0);
                self.text(")>");
            }
        }
    }

    fn type_args(&mut self, list: &[TypeRef]) {
        self.text("<");
        self.commas(list, Self::ty);
        self.text(">");
    }

    pub(super) fn type_params(&mut self, list: &[Ident]) {
        if !list.is_empty() {
            self.text("<");
            self.commas(list, |p, n| p.text(&n.name));
            self.text(">");
        }
    }

    // Expressions.

    /// Prints an expression that stands where operators of at least `min` binding strength may.
    pub(super) fn expr(&mut self, e: &Expr, min: u8) {
        let own = strength(e);
        if own < min {
            self.text("(");
            self.expr_inner(e);
            self.text(")");
        } else {
            self.expr_inner(e);
        }
    }

    fn expr_inner(&mut self, e: &Expr) {
        match &e.kind {
            ExprKind::Int(lit) => self.integer(lit),
            ExprKind::Bool(b) => self.fmt(format_args!("{b}")),
            ExprKind::String(s) => self.text(&escape(s)),
            ExprKind::This => self.text("this"),
            ExprKind::Dots => self.text("..."),
            ExprKind::Invalid => self.text("{#}"),
            ExprKind::Name(path) => self.fmt(format_args!("{path}")),
            ExprKind::Type(t) => self.ty(t),
            ExprKind::Member { base, member } => {
                self.expr(base, POSTFIX);
                self.fmt(format_args!(".{member}"));
            }
            ExprKind::Index { base, index } => {
                self.expr(base, POSTFIX);
                self.text("[");
                self.expr(index, 0);
                self.text("]");
            }
            ExprKind::Slice { base, hi, lo } => {
                self.expr(base, POSTFIX);
                self.text("[");
                self.expr(hi, 0);
                self.text(":");
                self.expr(lo, 0);
                self.text("]");
            }
            ExprKind::PlusSlice { base, lo, width } => {
                self.expr(base, POSTFIX);
                self.text("[");
                self.expr(lo, 0);
                self.text("+:");
                self.expr(width, 0);
                self.text("]");
            }
            ExprKind::List(list) => {
                self.text("{ ");
                self.commas(list, |p, e| p.expr(e, 0));
                self.text(" }");
            }
            ExprKind::Struct { fields, dots } => {
                self.text("{ ");
                self.commas(fields, Self::named_expr);
                if dots.is_some() {
                    self.text(", ...");
                }
                self.text(" }");
            }
            ExprKind::Unary { op, operand } => {
                self.text(op.as_str());
                // `- -a` and `+ +a`, not `--a` and `++a`.
                if matches!(operand.kind, ExprKind::Unary { op: inner, .. } if inner == *op) {
                    self.text(" ");
                }
                self.expr(operand, PREFIX);
            }
            ExprKind::Binary {
                op, left, right, ..
            } => {
                self.expr(left, op.precedence());
                self.fmt(format_args!(" {} ", op.as_str()));
                self.expr(right, op.precedence() + 1);
            }
            ExprKind::Ternary {
                condition,
                then,
                otherwise,
            } => {
                self.expr(condition, TERNARY);
                self.text(" ? ");
                self.expr(then, 0);
                self.text(" : ");
                self.expr(otherwise, TERNARY + 1);
            }
            ExprKind::Cast { ty, operand } => {
                self.text("(");
                self.ty(ty);
                self.text(")");
                self.expr(operand, PREFIX);
            }
            ExprKind::Call {
                callee,
                type_args,
                args,
            } => {
                self.expr(callee, POSTFIX);
                if !type_args.is_empty() {
                    self.type_args(type_args);
                }
                self.args(args);
            }
            ExprKind::Construct { ty, args } => {
                self.ty(ty);
                self.args(args);
            }
        }
    }

    fn integer(&mut self, lit: &IntLit) {
        if let Some(w) = lit.width {
            self.fmt(format_args!(
                "{}{}",
                w.bits,
                if w.signed { 's' } else { 'w' }
            ));
        }
        match lit.base {
            IntBase::Binary => self.fmt(format_args!("0b{:b}", lit.value)),
            IntBase::Octal => self.fmt(format_args!("0o{:o}", lit.value)),
            IntBase::Decimal => self.fmt(format_args!("{}", lit.value)),
            IntBase::Hexadecimal => self.fmt(format_args!("0x{:x}", lit.value)),
        }
    }

    pub(super) fn named_expr(&mut self, n: &NamedExpr) {
        self.fmt(format_args!("{} = ", n.name));
        self.expr(&n.value, 0);
    }

    pub(super) fn args(&mut self, args: &[Argument]) {
        self.text("(");
        self.commas(args, |p, a| {
            if let Some(name) = &a.name {
                p.fmt(format_args!("{name} = "));
            }
            match &a.value {
                Some(e) => p.expr(e, 0),
                None => p.text("_"),
            }
        });
        self.text(")");
    }

    pub(super) fn keyset(&mut self, k: &Keyset) {
        match &k.kind {
            // A list of keysets in parentheses looks like an expression in parentheses only when it has one element.
            KeysetKind::Expr(e) => self.expr(e, 0),
            KeysetKind::Mask(a, b) => {
                self.expr(a, 0);
                self.text(" &&& ");
                self.expr(b, 0);
            }
            KeysetKind::Range(a, b) => {
                self.expr(a, 0);
                self.text(" .. ");
                self.expr(b, 0);
            }
            KeysetKind::Default => self.text("default"),
            KeysetKind::DontCare => self.text("_"),
            KeysetKind::Tuple(list) => {
                self.text("(");
                self.commas(list, Self::keyset);
                self.text(")");
            }
        }
    }
}

/// How tightly the outermost operator of an expression binds.
fn strength(e: &Expr) -> u8 {
    match &e.kind {
        ExprKind::Ternary { .. } => TERNARY,
        ExprKind::Binary { op, .. } => op.precedence(),
        ExprKind::Unary { .. } | ExprKind::Cast { .. } => PREFIX,
        _ => POSTFIX,
    }
}

pub(super) fn starts_with_brace(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::List(_) | ExprKind::Struct { .. } | ExprKind::Invalid => true,
        ExprKind::Member { base, .. }
        | ExprKind::Index { base, .. }
        | ExprKind::Slice { base, .. }
        | ExprKind::PlusSlice { base, .. }
        | ExprKind::Call { callee: base, .. } => starts_with_brace(base),
        ExprKind::Binary { left, op, .. } => {
            strength(left) >= op.precedence() && starts_with_brace(left)
        }
        ExprKind::Ternary { condition, .. } => starts_with_brace(condition),
        _ => false,
    }
}
