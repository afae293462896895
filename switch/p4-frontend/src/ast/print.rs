// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Syntax tree to P4 text (`--pp`). Parsing the text gives the same tree but for positions.

use std::fmt::{self, Write as _};

use super::*;
use crate::lex::escape;

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

/// Binding strengths around those of [`BinaryOp::precedence`].
const TERNARY: u8 = 2;
const PREFIX: u8 = 20;
const POSTFIX: u8 = 21;

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

    // Types.

    fn ty(&mut self, t: &TypeRef) {
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

    fn type_params(&mut self, list: &[Ident]) {
        if !list.is_empty() {
            self.text("<");
            self.commas(list, |p, n| p.text(&n.name));
            self.text(">");
        }
    }

    // Expressions.

    /// Prints an expression that stands where operators of at least `min` binding strength may.
    fn expr(&mut self, e: &Expr, min: u8) {
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

    fn named_expr(&mut self, n: &NamedExpr) {
        self.fmt(format_args!("{} = ", n.name));
        self.expr(&n.value, 0);
    }

    fn args(&mut self, args: &[Argument]) {
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

    fn keyset(&mut self, k: &Keyset) {
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

    // Statements.

    fn block(&mut self, b: &Block) {
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
    fn stmt(&mut self, s: &Stmt) {
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

    fn var(&mut self, d: &VarDecl) {
        self.annotations(&d.annotations);
        self.ty(&d.ty);
        self.fmt(format_args!(" {}", d.name));
        if let Some(e) = &d.init {
            self.text(" = ");
            self.expr(e, 0);
        }
    }

    fn constant(&mut self, d: &ConstDecl) {
        self.annotations(&d.annotations);
        self.text("const ");
        self.ty(&d.ty);
        self.fmt(format_args!(" {} = ", d.name));
        self.expr(&d.value, 0);
        self.text(";");
    }

    fn instantiation(&mut self, d: &Instantiation) {
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

    // Declarations.

    /// A declaration on lines of its own.
    fn decl(&mut self, d: &Decl) {
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

/// How tightly the outermost operator of an expression binds.
fn strength(e: &Expr) -> u8 {
    match &e.kind {
        ExprKind::Ternary { .. } => TERNARY,
        ExprKind::Binary { op, .. } => op.precedence(),
        ExprKind::Unary { .. } | ExprKind::Cast { .. } => PREFIX,
        _ => POSTFIX,
    }
}

fn starts_with_brace(e: &Expr) -> bool {
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
