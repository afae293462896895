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
mod convert;
mod decls;
mod exprs;
mod instances;
mod members;
mod methods;
mod operators;
mod parsers;
mod rules;
mod stmts;
mod tables;
mod type_refs;
mod warn;

pub use tables::{annotation_int, parse_int};

use std::collections::HashMap;
use std::rc::Rc;

use hir::{Action, Expr, Instance, Prototype, Table, ValueSet, Var, VarId};
use types::{DefId, StructType, Ty, Type, TypeVar};

use crate::ast::{self, Ident, Name, Path};
use crate::diag::{Diagnostic, Diagnostics};
use crate::source::Span;

/// Widest `bit`, `int` and `varbit`, as in p4c.
pub const MAX_WIDTH: u32 = 2048;

/// Deepest nesting of expressions, statements and types.
const MAX_DEPTH: u32 = 1000;

/// Most instances of generic parsers and controls.
const MAX_TEMPLATES: u32 = 1000;

/// Checks a program. The result is meaningful only if `diags` has no errors afterwards.
pub fn check(program: &ast::Program, diags: &mut Diagnostics) -> hir::Program {
    let mut checker = Checker {
        diags,
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
    };
    for d in &program.decls {
        checker.top_level(d);
        if checker.diags.limit_reached() {
            break;
        }
    }
    if !checker.diags.has_errors() {
        warn::warn(&checker.checked, checker.diags);
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

#[derive(Default)]
struct Scope {
    names: HashMap<Name, (Entity, Span)>,
}

struct Checker<'a> {
    diags: &'a mut Diagnostics,
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

    fn push_scope(&mut self) {
        self.scopes.push(Scope::default());
    }

    fn pop_scope(&mut self) {
        self.scopes.pop();
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

    fn declare(&mut self, name: &Ident, entity: Entity) {
        let Some(scope) = self.scopes.last_mut() else {
            return;
        };
        match scope.names.get_mut(&name.name) {
            None => {
                scope.names.insert(name.name.clone(), (entity, name.span));
            }
            Some((Entity::Functions(list), _)) if matches!(entity, Entity::Functions(_)) => {
                let Entity::Functions(more) = entity else {
                    return;
                };
                let clash = more.iter().find_map(|f| {
                    let names = |p: &Prototype| {
                        p.params
                            .iter()
                            .map(|p| p.var.name.clone())
                            .collect::<Vec<_>>()
                    };
                    list.iter()
                        .find(|g| names(g.proto()) == names(f.proto()))
                        .map(|g| g.proto().span)
                });
                match clash {
                    Some(previous) => self.duplicate(name, previous),
                    None => list.extend(more),
                }
            }
            Some((Entity::Unfinished(_), _)) => {
                scope.names.insert(name.name.clone(), (entity, name.span));
            }
            Some((_, previous)) => {
                let previous = *previous;
                self.duplicate(name, previous);
            }
        }
    }

    fn duplicate(&mut self, name: &Ident, previous: Span) {
        self.diags.push(
            Diagnostic::error(name.span, format!("{name}: Duplicates declaration"))
                .note_at(previous, format!("previous declaration of {name}")),
        );
    }

    fn find(&self, path: &Path) -> Option<&Entity> {
        let scopes = if path.absolute {
            &self.scopes[..1]
        } else {
            &self.scopes[..]
        };
        scopes
            .iter()
            .rev()
            .find_map(|s| s.names.get(path.as_str()))
            .map(|(e, _)| e)
    }

    fn lookup(&mut self, path: &Path) -> Entity {
        match self.find(path) {
            Some(e) => e.clone(),
            None => {
                let hint = self.similar(path.as_str());
                let mut d = Diagnostic::error(path.span, format!("{path}: declaration not found"));
                if let Some(name) = hint {
                    d = d.note(format!("did you mean {name}?"));
                }
                self.diags.push(d);
                Entity::Poison
            }
        }
    }

    /// A declared name that differs in little from the one that was not found.
    fn similar(&self, name: &str) -> Option<Name> {
        let mut best: Option<(usize, &Name)> = None;
        for scope in &self.scopes {
            for candidate in scope.names.keys() {
                let d = edit_distance(name, candidate);
                let better = match best {
                    None => true,
                    Some((b, n)) => d < b || (d == b && candidate < n),
                };
                if better && d <= 1 + name.chars().count() / 5 {
                    best = Some((d, candidate));
                }
            }
        }
        best.map(|(_, n)| n.clone())
    }
}

/// Levenshtein distance, cut off for long names.
fn edit_distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    if a.len() > 64 || b.len() > 64 || a.len().abs_diff(b.len()) > 8 {
        return usize::MAX;
    }
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, ca) in a.iter().enumerate() {
        let mut corner = row[0];
        row[0] = i + 1;
        for (j, cb) in b.iter().enumerate() {
            let cost = corner + usize::from(ca != cb);
            corner = row[j + 1];
            row[j + 1] = cost.min(row[j] + 1).min(corner + 1);
        }
    }
    row[b.len()]
}
