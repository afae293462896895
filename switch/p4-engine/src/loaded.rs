// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! A loaded program: its intermediate representation, how its tables begin, and its machine code.

use std::ops::Deref;
use std::sync::OnceLock;

use crate::error::LoadError;
use crate::jit::{CodeSize, Compiled, Refusal};
use crate::load;
use crate::program::Ir;
use crate::table::TableState;

/// A loaded P4 program. Share it with [`std::sync::Arc`].
#[derive(Debug)]
pub struct Program {
    pub(crate) ir: Ir,
    /// The tables' initial state: constant entries and default actions.
    pub(crate) initial: Vec<TableState>,
    /// The machine code, once it was wanted; or why there is none.
    code: OnceLock<Result<Compiled, Refusal>>,
}

impl Deref for Program {
    type Target = Ir;
    #[inline]
    fn deref(&self) -> &Ir {
        &self.ir
    }
}

impl Program {
    pub(crate) fn new(ir: Ir, initial: Vec<TableState>) -> Self {
        Self {
            ir,
            initial,
            code: OnceLock::new(),
        }
    }

    /// Loads the JSON that p4c writes and `simple_switch` loads (format version 2.x).
    ///
    /// # Errors
    /// [`LoadError`] if the text is no such JSON, contradicts itself, or uses a primitive, extern
    /// or operator that the engine does not execute: nothing is skipped silently.
    pub fn from_bmv2_json(json: &[u8]) -> Result<Self, LoadError> {
        let (ir, initial) = load::load(json)?;
        Ok(Self::new(ir, initial))
    }

    /// Compiles the program to machine code, unless that was done before. A switch does so by
    /// itself: see [`Execution`](crate::Execution).
    ///
    /// # Errors
    /// [`Refusal`] says why the program is interpreted instead.
    pub fn compile(&self) -> Result<CodeSize, Refusal> {
        match self.code.get_or_init(|| Compiled::new(&self.ir)) {
            Ok(compiled) => Ok(compiled.size),
            Err(refusal) => Err(refusal.clone()),
        }
    }

    /// The machine code, if the program has been compiled; an error if it cannot be.
    #[inline]
    pub(crate) fn compiled(&self) -> Option<Result<&Compiled, &Refusal>> {
        self.code.get().map(Result::as_ref)
    }
}
