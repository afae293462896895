// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Names: what they stand for, which hide others, and which nothing refers to.

use std::cell::Cell;
use std::collections::HashMap;

use super::hir::{Prototype, VarKind};
use super::{Checker, Entity};
use crate::ast::{Annotation, Ident, Name, Path};
use crate::diag::{Diagnostic, Warning};
use crate::source::Span;

/// A name that is declared.
pub(super) struct Declared {
    pub(super) entity: Entity,
    span: Span,
    /// Whether anything refers to it.
    used: Cell<bool>,
    /// What a warning calls it if nothing does; `None` where that is not worth one.
    watched: Option<&'static str>,
}

/// The names of a block.
#[derive(Default)]
pub(super) struct Scope {
    pub(super) names: HashMap<Name, Declared>,
}

/// Whether `@noWarn` silences a kind of warnings.
pub(super) fn silenced(annotations: &[Annotation], kind: Warning) -> bool {
    let named = |a: &Annotation| a.string().is_some_and(|s| *s == *kind.name());
    annotations
        .iter()
        .any(|a| a.name.as_str() == "noWarn" && named(a))
}

impl Checker<'_> {
    pub(super) fn push_scope(&mut self) {
        self.scopes.push(Scope::default());
    }

    pub(super) fn pop_scope(&mut self) {
        let Some(scope) = self.scopes.pop() else {
            return;
        };
        for (name, d) in scope.names {
            if let Some(what) = d.watched.filter(|_| !d.used.get()) {
                let message = format!("{what}'{name}' is unused");
                self.unused.push((d.span, message));
            }
        }
    }

    /// A name just declared is warned about if nothing refers to it. `what` is a word for it, with a space.
    pub(super) fn watch(&mut self, name: &Ident, what: &'static str, annotations: &[Annotation]) {
        let quiet = self.quiet > 0
            || self.built_in(name.span)
            || silenced(annotations, Warning::Unused)
            || name.as_str().starts_with("__");
        if let Some(scope) = self.scopes.last_mut().filter(|_| !quiet)
            && let Some(d) = scope.names.get_mut(&name.name)
        {
            d.watched = Some(what);
        }
    }

    /// Does something in which nothing is warned about as unused.
    pub(super) fn quietly<T>(&mut self, quiet: bool, f: impl FnOnce(&mut Self) -> T) -> T {
        self.quiet += u32::from(quiet);
        let result = f(self);
        self.quiet -= u32::from(quiet);
        result
    }

    fn built_in(&self, span: Span) -> bool {
        self.sources.is_built_in(span)
    }

    pub(super) fn declare(&mut self, name: &Ident, entity: Entity) {
        self.hides(name);
        let Some(scope) = self.scopes.last_mut() else {
            return;
        };
        let declared = |entity| Declared {
            entity,
            span: name.span,
            used: Cell::new(false),
            watched: None,
        };
        match scope.names.get_mut(&name.name) {
            None => {
                scope.names.insert(name.name.clone(), declared(entity));
            }
            Some(Declared {
                entity: Entity::Functions(list),
                ..
            }) if matches!(entity, Entity::Functions(_)) => {
                let Entity::Functions(more) = entity else {
                    return;
                };
                let names = |p: &Prototype| -> Vec<Name> {
                    p.params.iter().map(|p| p.var.name.clone()).collect()
                };
                let clash = more.iter().find_map(|f| {
                    list.iter()
                        .find(|g| names(g.proto()) == names(f.proto()))
                        .map(|g| g.proto().span)
                });
                match clash {
                    Some(previous) => self.duplicate(name, previous),
                    None => list.extend(more),
                }
            }
            Some(d) if matches!(d.entity, Entity::Unfinished(_)) => *d = declared(entity),
            Some(d) => {
                let previous = d.span;
                self.duplicate(name, previous);
            }
        }
    }

    pub(super) fn duplicate(&mut self, name: &Ident, previous: Span) {
        self.diags.push(
            Diagnostic::error(name.span, format!("{name}: Duplicates declaration"))
                .note_at(previous, format!("previous declaration of {name}")),
        );
    }

    /// Warns if a name hides one of an outer block.
    pub(super) fn hides(&mut self, name: &Ident) {
        let outer = self.scopes.len().saturating_sub(1);
        let hidden = self.scopes[..outer]
            .iter()
            .rev()
            .find_map(|s| s.names.get(&name.name))
            .map(|d| d.span);
        if let Some(previous) = hidden.filter(|_| !self.built_in(name.span)) {
            let message = format!("'{name}' shadows '{name}'");
            self.diags.push(
                Diagnostic::warning(Warning::Shadow, name.span, message)
                    .note_at(previous, "hidden declaration"),
            );
        }
    }

    /// A declaration among statements must not hide a parameter.
    pub(super) fn not_a_param(&mut self, name: &Ident) {
        if self.statements == 0 {
            return;
        }
        let hidden = self
            .scopes
            .iter()
            .rev()
            .find_map(|s| s.names.get(&name.name));
        if let Some(Declared {
            entity: Entity::Var(v),
            ..
        }) = hidden
            && v.kind != VarKind::Local
        {
            let previous = v.span;
            self.diags.push(
                Diagnostic::error(
                    name.span,
                    format!("declaration of '{name}' shadows a parameter '{name}'"),
                )
                .note_at(previous, "the parameter"),
            );
        }
    }

    /// What a name stands for, which counts as a use of it.
    pub(super) fn find(&self, path: &Path) -> Option<&Entity> {
        let scopes = if path.absolute {
            &self.scopes[..1]
        } else {
            &self.scopes[..]
        };
        let found = scopes
            .iter()
            .rev()
            .find_map(|s| s.names.get(path.as_str()))?;
        found.used.set(true);
        Some(&found.entity)
    }

    pub(super) fn lookup(&mut self, path: &Path) -> Entity {
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
