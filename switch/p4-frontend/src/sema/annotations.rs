// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Names and values in annotations (section 20): those of structured annotations are looked up and known at compile time.

use super::Checker;
use super::types::Type;
use crate::ast::{Annotation, AnnotationBody, Decl, Expr};

fn of_declaration(d: &Decl) -> &[Annotation] {
    match d {
        Decl::Const(d) => &d.annotations,
        Decl::Var(d) => &d.annotations,
        Decl::Instantiation(d) => &d.annotations,
        Decl::Extern(d) => &d.annotations,
        Decl::ExternFunction(d) => &d.annotations,
        Decl::Function(d) => &d.proto.annotations,
        Decl::Action(d) => &d.annotations,
        Decl::Table(d) => &d.annotations,
        Decl::ValueSet(d) => &d.annotations,
        Decl::ParserType(d) | Decl::ControlType(d) | Decl::Package(d) => &d.annotations,
        Decl::Parser(d) => &d.ty.annotations,
        Decl::Control(d) => &d.ty.annotations,
        Decl::Header(d) | Decl::HeaderUnion(d) | Decl::Struct(d) => &d.annotations,
        Decl::Enum(d) => &d.annotations,
        Decl::Error(d) | Decl::MatchKind(d) => &d.annotations,
        Decl::Typedef(d) => &d.annotations,
    }
}

impl Checker<'_> {
    /// The annotations of a declaration.
    pub(super) fn annotated(&mut self, d: &Decl) {
        self.annotations(of_declaration(d));
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
