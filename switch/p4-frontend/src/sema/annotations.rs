// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Names and values in annotations (section 20): those of structured annotations are looked up and known at compile time.

use super::Checker;
use super::types::Type;
use crate::ast::{Annotation, AnnotationBody, Decl, Expr, ExprKind};
use crate::parse::parse_annotation_expressions;

impl Checker<'_> {
    /// The annotations of a declaration.
    pub(super) fn annotated(&mut self, d: &Decl) {
        self.annotations(d.annotations());
    }

    pub(super) fn annotations(&mut self, list: &[Annotation]) {
        for a in list {
            match &a.body {
                AnnotationBody::Expressions(list) => {
                    list.iter().for_each(|e| self.annotation_value(e));
                }
                AnnotationBody::KeyValues(list) => {
                    list.iter().for_each(|e| self.annotation_value(&e.value));
                }
                AnnotationBody::Unstructured(tokens)
                    if matches!(a.name.as_str(), "length" | "match") =>
                {
                    // The parser has read them once.
                    let list = parse_annotation_expressions(tokens).unwrap_or_default();
                    for e in &list {
                        let kind = matches!(&e.kind, ExprKind::Name(path) if self.match_kinds.contains(&path.name.name));
                        if !kind {
                            self.expr(e);
                        }
                    }
                }
                AnnotationBody::None
                | AnnotationBody::Unstructured(_)
                | AnnotationBody::Pragma(_) => {}
            }
        }
    }

    fn annotation_value(&mut self, e: &Expr) {
        let v = self.expr(e);
        let fits = matches!(*v.ty, Type::Int | Type::Bool | Type::String) && v.is_constant();
        if !fits && !v.is_poison() {
            let message = "illegal type for structured annotation; must be int, string or bool";
            self.error(e.span, message);
        }
    }
}
