// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Which names are types, by scope.

use std::collections::HashMap;

use crate::ast::{Ident, Name};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Meaning {
    Type,
    Object,
}

/// Nested scopes of declared names; the first is the top level.
#[derive(Debug)]
pub(super) struct Scopes {
    stack: Vec<HashMap<Name, Meaning>>,
}

impl Scopes {
    pub(super) fn new() -> Scopes {
        Scopes {
            stack: vec![HashMap::new()],
        }
    }

    pub(super) fn depth(&self) -> usize {
        self.stack.len()
    }

    pub(super) fn push(&mut self) {
        self.stack.push(HashMap::new());
    }

    pub(super) fn pop(&mut self) {
        if self.stack.len() > 1 {
            self.stack.pop();
        }
    }

    /// Leaves scopes until `depth` are left.
    pub(super) fn truncate(&mut self, depth: usize) {
        self.stack.truncate(depth.max(1));
    }

    fn declare(&mut self, name: &Ident, meaning: Meaning) {
        if let Some(top) = self.stack.last_mut() {
            top.insert(name.name.clone(), meaning);
        }
    }

    pub(super) fn declare_type(&mut self, name: &Ident) {
        self.declare(name, Meaning::Type);
    }

    pub(super) fn declare_object(&mut self, name: &Ident) {
        self.declare(name, Meaning::Object);
    }

    /// Whether the name, looked up from here, is a type.
    pub(super) fn is_type(&self, name: &str) -> bool {
        self.stack.iter().rev().find_map(|s| s.get(name)) == Some(&Meaning::Type)
    }

    /// Whether the name is a type at the top level (`.name`).
    pub(super) fn is_global_type(&self, name: &str) -> bool {
        self.stack.first().and_then(|s| s.get(name)) == Some(&Meaning::Type)
    }
}
