// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Meaning: name resolution, types, constants. [`check`] turns a syntax tree into a [`hir::Program`] and reports as
//! many errors as it can find.
//!
//! One pass in the order of the text: P4 declares before use, except for the states of a parser. What is wrong gets the
//! type [`types::Type::Poison`], which fits everywhere, so that one mistake is reported once.

pub mod fold;
pub mod hir;
pub mod infer;
pub mod types;

mod annotations;
mod arguments;
mod calls;
mod constants;
mod controls;
mod convert;
mod decls;
mod entries;
mod exprs;
mod externs;
mod instances;
mod keysets;
mod members;
mod methods;
mod operators;
mod parsers;
mod rules;
mod scope;
mod stmts;
mod tables;
mod type_decls;
mod type_refs;
mod warn;

pub use tables::{annotation_int, parse_int};

use std::collections::HashMap;
use std::rc::Rc;

use hir::{Action, Expr, Instance, Prototype, Table, ValueSet, Var, VarId};
use types::{DefId, StructType, Ty, Type, TypeVar};

use scope::Scope;

use crate::ast::{self, Name};
use crate::diag::{Diagnostics, Warning};
use crate::source::{SourceMap, Span};

/// Widest `bit`, `int` and `varbit`, as in p4c.
pub const MAX_WIDTH: u32 = 2048;

/// Deepest nesting of expressions, statements and types.
const MAX_DEPTH: u32 = 1000;

/// Most instances of generic parsers and controls.
const MAX_TEMPLATES: u32 = 1000;

/// Checks a program. The result is meaningful only if `diags` has no errors afterwards.
pub fn check(program: &ast::Program, sources: &SourceMap, diags: &mut Diagnostics) -> hir::Program {
    let mut checker = Checker {
        diags,
        sources,
        scopes: vec![Scope::default()],
        next: 0,
        depth: 0,
        errors: Vec::new(),
        match_kinds: Vec::new(),
        enums: Vec::new(),
        externs: HashMap::new(),
        instances: Vec::new(),
        main: None,
        headers: Vec::new(),
        standard_metadata: None,
        place: Place::Top,
        returns: None,
        checked: Vec::new(),
        loops: 0,
        statements: 0,
        templates: MAX_TEMPLATES,
        anonymous: Vec::new(),
        unused: Vec::new(),
        quiet: 0,
    };
    for d in &program.decls {
        checker.top_level(d);
        if checker.diags.limit_reached() {
            break;
        }
    }
    checker.pop_scope();
    if !checker.diags.has_errors() {
        checker.unused.sort();
        let unused = checker.unused.iter().map(|(span, _)| *span).collect();
        for (span, message) in std::mem::take(&mut checker.unused) {
            checker.diags.warning(Warning::Unused, span, message);
        }
        warn::warn(&checker.checked, &unused, sources, checker.diags);
    }
    hir::Program {
        errors: checker.errors,
        enums: checker.enums,
        instances: checker.instances,
        main: checker.main,
        headers: checker.headers,
        constants: constants::constants(&checker.checked),
        standard_metadata: checker.standard_metadata,
    }
}

/// Where the statements being checked stand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Place {
    Top,
    Parser,
    Control,
    Action,
    Function,
}

/// What a name stands for.
#[derive(Clone)]
enum Entity {
    Type(TypeEntity),
    Const(Expr),
    Var(Rc<Var>),
    Instance(Rc<Instance>),
    ValueSet(Rc<ValueSet>),
    Action(Rc<Action>),
    Table(Rc<Table>),
    Functions(Vec<FunctionEntity>),
    /// The parser or control whose body is being checked.
    Unfinished(&'static str),
    /// Declared, but wrong.
    Poison,
}

#[derive(Clone)]
enum TypeEntity {
    Plain(Ty),
    Generic(Rc<StructType>, Vec<(TypeVar, Name)>),
    Extern(Rc<hir::Extern>),
    Applicable(Ty, Vec<(TypeVar, Name)>),
    Parser(Rc<hir::Parser>),
    Control(Rc<hir::Control>),
    /// A parser or control with type parameters: checked again for each instance.
    Template(Rc<Template>),
    Package(Rc<hir::Package>),
}

/// A generic parser or control as it was written.
enum Template {
    Parser(ast::ParserDecl),
    Control(ast::ControlDecl),
}

impl Template {
    fn declared(&self) -> &ast::ApplicableType {
        match self {
            Template::Parser(p) => &p.ty,
            Template::Control(c) => &c.ty,
        }
    }
}

#[derive(Clone)]
enum FunctionEntity {
    Extern(Rc<Prototype>),
    Defined(Rc<hir::Function>),
}

impl FunctionEntity {
    fn proto(&self) -> &Rc<Prototype> {
        match self {
            FunctionEntity::Extern(p) => p,
            FunctionEntity::Defined(f) => &f.proto,
        }
    }
}

struct Checker<'a> {
    diags: &'a mut Diagnostics,
    sources: &'a SourceMap,
    scopes: Vec<Scope>,
    next: u32,
    depth: u32,
    errors: Vec<Name>,
    match_kinds: Vec<Name>,
    enums: Vec<Rc<types::EnumType>>,
    externs: HashMap<DefId, Rc<hir::Extern>>,
    instances: Vec<Rc<Instance>>,
    main: Option<Rc<Instance>>,
    headers: Vec<Rc<StructType>>,
    standard_metadata: Option<Rc<StructType>>,
    place: Place,
    /// Result type of the function being checked.
    returns: Option<Ty>,
    /// What has a body, to be warned about when all is checked.
    checked: Vec<warn::Checked>,
    /// Loops around the statement being checked.
    loops: u32,
    /// Lists of statements around what is being checked.
    statements: u32,
    /// Instances of generic parsers and controls that may still be made.
    templates: u32,
    /// Instances made by calls on types (`C.apply()`), of the control being checked.
    anonymous: Vec<Rc<Instance>>,
    /// What nothing refers to, as warnings say it.
    unused: Vec<(Span, String)>,
    /// Places around what is being checked in which nothing is warned about as unused.
    quiet: u32,
}

impl Checker<'_> {
    fn fresh(&mut self) -> u32 {
        self.next += 1;
        self.next
    }

    fn fresh_def(&mut self) -> DefId {
        DefId(self.fresh())
    }

    fn fresh_var(&mut self) -> VarId {
        VarId(self.fresh())
    }

    fn error(&mut self, span: Span, message: impl Into<String>) {
        self.diags.error(span, message);
    }

    fn unsupported(&mut self, span: Span, what: &str) {
        self.diags
            .error(span, format!("{what} is not supported yet"));
    }

    fn poison(&self) -> Ty {
        Rc::new(Type::Poison)
    }

    /// Runs `f` one level deeper; gives up with an error when nested too deeply.
    fn nested<T>(&mut self, span: Span, otherwise: T, f: impl FnOnce(&mut Self) -> T) -> T {
        if self.depth >= MAX_DEPTH {
            self.error(span, "nested too deeply");
            return otherwise;
        }
        self.depth += 1;
        let result = f(self);
        self.depth -= 1;
        result
    }
}
