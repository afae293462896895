// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Syntax tree to P4 text (`--pp`). Parsing the text gives the same tree but for positions.

mod decl;
mod expr;
mod stmt;

use std::fmt::{self, Write as _};

use super::*;

/// The program as P4 text, indented by four spaces.
pub fn program(p: &Program) -> String {
    let mut out = Printer {
        out: String::new(),
        indent: 0,
    };
    for (i, d) in p.decls.iter().enumerate() {
        if i > 0 && is_long(d) {
            out.out.push('\n');
        }
        out.decl(d);
    }
    out.out
}

/// One expression as P4 text.
pub fn expression(e: &Expr) -> String {
    let mut out = Printer {
        out: String::new(),
        indent: 0,
    };
    out.expr(e, 0);
    out.out
}

/// One type as P4 text.
pub fn type_ref(t: &TypeRef) -> String {
    let mut out = Printer {
        out: String::new(),
        indent: 0,
    };
    out.ty(t);
    out.out
}

fn is_long(d: &Decl) -> bool {
    !matches!(
        d,
        Decl::Const(_)
            | Decl::Typedef(_)
            | Decl::ExternFunction(_)
            | Decl::Instantiation(_)
            | Decl::Var(_)
    )
}

struct Printer {
    out: String,
    indent: usize,
}

impl Printer {
    fn text(&mut self, s: &str) {
        self.out.push_str(s);
    }

    fn fmt(&mut self, args: fmt::Arguments<'_>) {
        // Writing to a string cannot fail.
        let _ = self.out.write_fmt(args);
    }

    fn start_line(&mut self) {
        for _ in 0..self.indent {
            self.out.push_str("    ");
        }
    }

    fn line(&mut self, s: &str) {
        self.start_line();
        self.text(s);
        self.out.push('\n');
    }

    fn commas<T>(&mut self, list: &[T], mut each: impl FnMut(&mut Self, &T)) {
        for (i, x) in list.iter().enumerate() {
            if i > 0 {
                self.text(", ");
            }
            each(self, x);
        }
    }

    // Annotations.

    fn annotation(&mut self, a: &Annotation) {
        match &a.body {
            AnnotationBody::None => self.fmt(format_args!("@{}", a.name)),
            AnnotationBody::Unstructured(tokens) => {
                self.fmt(format_args!("@{}(", a.name));
                self.tokens(tokens);
                self.text(")");
            }
            AnnotationBody::Pragma(tokens) => {
                self.fmt(format_args!("@pragma {}", a.name));
                if !tokens.is_empty() {
                    self.text(" ");
                }
                self.tokens(tokens);
            }
            AnnotationBody::Expressions(list) => {
                self.fmt(format_args!("@{}[", a.name));
                self.commas(list, |p, e| p.expr(e, 0));
                self.text("]");
            }
            AnnotationBody::KeyValues(list) => {
                self.fmt(format_args!("@{}[", a.name));
                self.commas(list, Self::named_expr);
                self.text("]");
            }
        }
    }

    fn tokens(&mut self, tokens: &[AnnotationToken]) {
        for (i, t) in tokens.iter().enumerate() {
            if i > 0 {
                self.text(" ");
            }
            self.text(&t.text);
        }
    }

    /// Annotations in front of something on the same line.
    fn annotations(&mut self, list: &[Annotation]) {
        for a in list {
            self.annotation(a);
            if matches!(a.body, AnnotationBody::Pragma(_)) {
                self.text("\n");
                self.start_line();
            } else {
                self.text(" ");
            }
        }
    }

    /// Annotations behind something on the same line.
    fn annotations_after(&mut self, list: &[Annotation]) {
        let mut fresh_line = false;
        for a in list {
            if !fresh_line {
                self.text(" ");
            }
            self.annotation(a);
            fresh_line = matches!(a.body, AnnotationBody::Pragma(_));
            if fresh_line {
                self.text("\n");
                self.start_line();
            }
        }
    }
}
