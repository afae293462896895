// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! What parser and tables did to packets, for a log. While it is off, the parser does nothing for it, and a table costs
//! one comparison.

use crate::table::{ActionCall, TableEntry};
use crate::value::Value;

/// Records that are kept until [`Switch::take_trace`](crate::Switch::take_trace); more are lost.
const CAPACITY: usize = 4096;

/// What was done to a packet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trace {
    /// A step of the parser.
    Parser(ParserStep),
    /// A table was applied.
    Table(TableTrace),
}

/// A step of the parser.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ParserStep {
    /// A state was entered: an index into [`Program::parser_states`](crate::Ir::parser_states).
    State(usize),
    /// A header was extracted.
    Extracted {
        /// The header, or the element of a stack: an index into [`Program::headers`](crate::Ir::headers).
        header: usize,
        /// Its length in bytes.
        bytes: usize,
    },
    /// The condition of a `verify`; if it is false, an end with its error follows.
    Verified(bool),
    /// The state selects the next one by this key.
    Selecting(Vec<Value>),
    /// The parser has ended, with a code of [`Program::errors`](crate::Ir::errors). BMv2's JSON does not tell `reject` from `accept`: both
    /// end without an error.
    End {
        /// The code of the error.
        error: u64,
        /// The bytes that were parsed.
        bytes: usize,
    },
}

impl ParserStep {
    pub(crate) fn extracted(header: u32, bytes: usize) -> Self {
        let header = header as usize;
        Self::Extracted { header, bytes }
    }
}

/// A table that was applied to a packet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableTrace {
    /// The table, as an index into [`Program::tables`](crate::Ir::tables).
    pub table: usize,
    /// What was looked up: one value for each of the table's key fields.
    pub key: Vec<Value>,
    /// The entry that was hit; `None`: a miss.
    pub entry: Option<TableEntry>,
    /// What a miss runs, if anything.
    pub default: Option<ActionCall>,
}

/// What was recorded since it was last taken.
#[derive(Default)]
pub(crate) struct Records(Vec<Trace>);

impl Records {
    pub fn push(&mut self, record: impl FnOnce() -> Trace) {
        if self.0.len() < CAPACITY {
            self.0.push(record());
        }
    }

    /// All records, which are then gone.
    pub fn take(&mut self) -> Vec<Trace> {
        std::mem::take(&mut self.0)
    }
}

/// Is told each step of the parser. `()` asks for none, so that without a trace nothing is done for it.
pub(crate) trait Watch {
    fn step(&mut self, step: impl FnOnce() -> ParserStep);
}

impl Watch for () {
    #[inline(always)]
    fn step(&mut self, _: impl FnOnce() -> ParserStep) {}
}

impl Watch for Records {
    fn step(&mut self, step: impl FnOnce() -> ParserStep) {
        self.push(|| Trace::Parser(step()));
    }
}
