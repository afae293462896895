// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! What parser and tables did to packets, for a log. While it is off, the parser does nothing for it, and a table costs
//! one comparison.

use crate::exec::Watch;
use crate::program::Program;
use crate::table::{ActionCall, TableEntry};
use crate::value::{Value, limbs};

use super::Switch;

/// Records that are kept until [`Switch::take_trace`]; more are lost.
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
    /// A state was entered: an index into [`Program::parser_states`].
    State(usize),
    /// A header was extracted.
    Extracted {
        /// The header, or the element of a stack: an index into [`Program::headers`].
        header: usize,
        /// Its length in bytes.
        bytes: usize,
    },
    /// The condition of a `verify`; if it is false, an end with its error follows.
    Verified(bool),
    /// The state selects the next one by this key.
    Selecting(Vec<Value>),
    /// The parser has ended, with a code of [`Program::errors`]. BMv2's JSON does not tell `reject` from `accept`: both
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
    /// The table, as an index into [`Program::tables`].
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
pub(super) struct Records(Vec<Trace>);

impl Records {
    fn push(&mut self, record: impl FnOnce() -> Trace) {
        if self.0.len() < CAPACITY {
            self.0.push(record());
        }
    }
}

impl Watch for Records {
    fn step(&mut self, step: impl FnOnce() -> ParserStep) {
        self.push(|| Trace::Parser(step()));
    }
}

impl Switch {
    /// Begins or ends recording what the program does to packets.
    pub fn set_trace(&mut self, on: bool) {
        if on != self.trace.is_some() {
            self.trace = on.then(Records::default);
        }
    }

    /// What was done since the last call, in order.
    pub fn take_trace(&mut self) -> Vec<Trace> {
        let trace = self.trace.as_mut();
        trace.map(|t| std::mem::take(&mut t.0)).unwrap_or_default()
    }

    /// Records that table `t` is about to be applied.
    #[cold]
    pub(super) fn record(&mut self, p: &Program, t: usize) {
        let Some(trace) = self.trace.as_mut() else {
            return;
        };
        trace.push(|| {
            let info = &p.tables[t];
            let words = info.layout.iter();
            let mut words: Vec<u64> = words
                .map(|from| self.machine.w[from.word as usize] & from.mask)
                .collect();
            let fields = info.keys.iter().map(|k| {
                let first = k.first as usize;
                Value::from_limbs(&words[first..first + limbs(k.width) as usize])
            });
            let key = fields.collect();
            Trace::Table(TableTrace {
                table: t,
                key,
                entry: self.tables[t].matching(&mut words).cloned(),
                default: self.tables[t].default_action().cloned(),
            })
        });
    }
}
