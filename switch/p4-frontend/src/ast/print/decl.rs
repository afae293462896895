// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Declarations.

use super::Printer;
use crate::ast::*;

impl Printer {
    /// A declaration on lines of its own.
    pub(super) fn decl(&mut self, d: &Decl) {
        self.start_line();
        match d {
            Decl::Const(d) => self.constant(d),
            Decl::Var(d) => {
                self.var(d);
                self.text(";");
            }
            Decl::Instantiation(d) => self.instantiation(d),
            Decl::Extern(d) => self.extern_decl(d),
            Decl::ExternFunction(d) => {
                self.annotations(&d.annotations);
                self.text("extern ");
                self.proto(d);
                self.text(";");
            }
            Decl::Function(d) => {
                self.annotations(&d.proto.annotations);
                self.proto(&d.proto);
                self.text(" ");
                self.block(&d.body);
            }
            Decl::Action(d) => {
                self.annotations(&d.annotations);
                self.fmt(format_args!("action {}", d.name));
                self.params(&d.params);
                self.text(" ");
                self.block(&d.body);
            }
            Decl::Table(d) => self.table(d),
            Decl::ValueSet(d) => {
                self.annotations(&d.annotations);
                self.text("value_set<");
                self.ty(&d.element);
                self.text(">(");
                self.expr(&d.size, 0);
                self.fmt(format_args!(") {};", d.name));
            }
            Decl::ParserType(d) => {
                self.applicable("parser", d);
                self.text(";");
            }
            Decl::ControlType(d) => {
                self.applicable("control", d);
                self.text(";");
            }
            Decl::Package(d) => {
                self.applicable("package", d);
                self.text(";");
            }
            Decl::Parser(d) => self.parser(d),
            Decl::Control(d) => self.control(d),
            Decl::Header(d) => self.struct_decl("header", d),
            Decl::HeaderUnion(d) => self.struct_decl("header_union", d),
            Decl::Struct(d) => self.struct_decl("struct", d),
            Decl::Enum(d) => self.enum_decl(d),
            Decl::Error(d) => self.ident_list("error", d),
            Decl::MatchKind(d) => self.ident_list("match_kind", d),
            Decl::Typedef(d) => self.typedef(d),
        }
        self.text("\n");
    }

    fn params(&mut self, list: &[Param]) {
        self.text("(");
        self.commas(list, |p, x| {
            p.annotations(&x.annotations);
            if x.direction != Direction::None {
                p.fmt(format_args!("{} ", x.direction.as_str()));
            }
            p.ty(&x.ty);
            p.fmt(format_args!(" {}", x.name));
            if let Some(e) = &x.default {
                p.text(" = ");
                p.expr(e, 0);
            }
        });
        self.text(")");
    }

    fn proto(&mut self, d: &FunctionProto) {
        self.ty(&d.return_type);
        self.fmt(format_args!(" {}", d.name));
        self.type_params(&d.type_params);
        self.params(&d.params);
    }

    fn applicable(&mut self, word: &str, d: &ApplicableType) {
        self.annotations(&d.annotations);
        self.fmt(format_args!("{word} {}", d.name));
        self.type_params(&d.type_params);
        self.params(&d.params);
    }

    fn extern_decl(&mut self, d: &ExternDecl) {
        self.annotations(&d.annotations);
        self.fmt(format_args!("extern {}", d.name));
        self.type_params(&d.type_params);
        self.text(" {\n");
        self.indent += 1;
        for m in &d.methods {
            self.start_line();
            self.annotations(&m.proto.annotations);
            match m.kind {
                MethodKind::Constructor => {
                    self.fmt(format_args!("{}", m.proto.name));
                    self.params(&m.proto.params);
                }
                MethodKind::Method => self.proto(&m.proto),
                MethodKind::Abstract => {
                    self.text("abstract ");
                    self.proto(&m.proto);
                }
            }
            self.text(";\n");
        }
        self.indent -= 1;
        self.start_line();
        self.text("}");
    }

    fn parser(&mut self, d: &ParserDecl) {
        self.applicable("parser", &d.ty);
        if !d.constructor_params.is_empty() {
            self.params(&d.constructor_params);
        }
        self.text(" {\n");
        self.indent += 1;
        for l in &d.locals {
            self.decl(l);
        }
        for s in &d.states {
            self.start_line();
            self.annotations(&s.annotations);
            self.fmt(format_args!("state {} {{\n", s.name));
            self.indent += 1;
            for stmt in &s.stmts {
                self.start_line();
                self.stmt(stmt);
                self.text("\n");
            }
            self.transition(s.transition.as_ref());
            self.indent -= 1;
            self.line("}");
        }
        self.indent -= 1;
        self.start_line();
        self.text("}");
    }

    fn transition(&mut self, t: Option<&Transition>) {
        match t {
            None => {}
            Some(Transition::Direct(name)) => self.line(&format!("transition {name};")),
            Some(Transition::Select {
                subjects, cases, ..
            }) => {
                self.start_line();
                self.text("transition select(");
                self.commas(subjects, |p, e| p.expr(e, 0));
                self.text(") {\n");
                self.indent += 1;
                for c in cases {
                    self.start_line();
                    self.keyset(&c.keyset);
                    self.fmt(format_args!(": {};\n", c.state));
                }
                self.indent -= 1;
                self.line("}");
            }
        }
    }

    fn control(&mut self, d: &ControlDecl) {
        self.applicable("control", &d.ty);
        if !d.constructor_params.is_empty() {
            self.params(&d.constructor_params);
        }
        self.text(" {\n");
        self.indent += 1;
        for l in &d.locals {
            self.decl(l);
        }
        self.start_line();
        self.text("apply ");
        self.block(&d.body);
        self.text("\n");
        self.indent -= 1;
        self.start_line();
        self.text("}");
    }

    fn struct_decl(&mut self, word: &str, d: &StructDecl) {
        self.annotations(&d.annotations);
        self.fmt(format_args!("{word} {}", d.name));
        self.type_params(&d.type_params);
        self.text(" {\n");
        self.indent += 1;
        for f in &d.fields {
            self.start_line();
            self.annotations(&f.annotations);
            self.ty(&f.ty);
            self.fmt(format_args!(" {};\n", f.name));
        }
        self.indent -= 1;
        self.start_line();
        self.text("}");
    }

    fn enum_decl(&mut self, d: &EnumDecl) {
        self.annotations(&d.annotations);
        self.text("enum ");
        if let Some(t) = &d.underlying {
            self.ty(t);
            self.text(" ");
        }
        self.fmt(format_args!("{} {{\n", d.name));
        self.indent += 1;
        for (i, m) in d.members.iter().enumerate() {
            self.start_line();
            self.text(&m.name.name);
            if let Some(e) = &m.value {
                self.text(" = ");
                self.expr(e, 0);
            }
            self.text(if i + 1 < d.members.len() { ",\n" } else { "\n" });
        }
        self.indent -= 1;
        self.start_line();
        self.text("}");
    }

    fn ident_list(&mut self, word: &str, d: &IdentListDecl) {
        self.annotations(&d.annotations);
        self.fmt(format_args!("{word} {{\n"));
        self.indent += 1;
        for (i, m) in d.members.iter().enumerate() {
            self.line(&format!(
                "{m}{}",
                if i + 1 < d.members.len() { "," } else { "" }
            ));
        }
        self.indent -= 1;
        self.start_line();
        self.text("}");
    }

    fn typedef(&mut self, d: &TypedefDecl) {
        self.annotations(&d.annotations);
        self.text(if d.is_new_type { "type " } else { "typedef " });
        match &d.target {
            TypedefTarget::Type(t) => self.ty(t),
            TypedefTarget::Decl(inner) => match &**inner {
                Decl::Header(d) => self.struct_decl("header", d),
                Decl::HeaderUnion(d) => self.struct_decl("header_union", d),
                Decl::Struct(d) => self.struct_decl("struct", d),
                Decl::Enum(d) => self.enum_decl(d),
                // The parser makes no others.
                _ => {}
            },
        }
        self.fmt(format_args!(" {};", d.name));
    }

    fn table(&mut self, d: &TableDecl) {
        self.annotations(&d.annotations);
        self.fmt(format_args!("table {} {{\n", d.name));
        self.indent += 1;
        for p in &d.properties {
            self.start_line();
            self.annotations(&p.annotations);
            if p.is_const {
                self.text("const ");
            }
            self.fmt(format_args!("{} = ", p.name));
            match &p.value {
                TablePropertyValue::Expr(e) => {
                    self.expr(e, 0);
                    self.text(";\n");
                    continue;
                }
                TablePropertyValue::Key(list) => self.property_list(list, |p, k| {
                    p.expr(&k.expr, 0);
                    p.fmt(format_args!(": {}", k.match_kind));
                    p.annotations_after(&k.annotations);
                }),
                TablePropertyValue::Actions(list) => self.property_list(list, Self::action_ref),
                TablePropertyValue::Entries(list) => self.property_list(list, Self::entry),
            }
        }
        self.indent -= 1;
        self.start_line();
        self.text("}");
    }

    fn property_list<T>(&mut self, list: &[T], mut each: impl FnMut(&mut Self, &T)) {
        self.text("{\n");
        self.indent += 1;
        for x in list {
            self.start_line();
            each(self, x);
            self.text(";\n");
        }
        self.indent -= 1;
        self.line("}");
    }

    fn action_ref(&mut self, a: &ActionRef) {
        self.annotations(&a.annotations);
        self.fmt(format_args!("{}", a.name));
        if let Some(args) = &a.args {
            self.args(args);
        }
    }

    fn entry(&mut self, e: &Entry) {
        if e.is_const {
            self.text("const ");
        }
        if let Some(p) = &e.priority {
            self.text("priority = ");
            if matches!(p.kind, ExprKind::Int(_)) {
                self.expr(p, 0);
            } else {
                self.text("(");
                self.expr(p, 0);
                self.text(")");
            }
            self.text(" : ");
        }
        self.keyset(&e.keyset);
        self.text(" : ");
        self.action_ref(&e.action);
        self.annotations_after(&e.annotations);
    }
}
