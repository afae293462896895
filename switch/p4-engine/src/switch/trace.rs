// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! What tables did to packets, for a log. Costs one comparison for each table when it is off.

use crate::program::Program;
use crate::table::{ActionCall, TableEntry};
use crate::value::{Value, limbs};

use super::Switch;

/// Records that are kept until [`Switch::take_trace`]; more are lost.
const CAPACITY: usize = 4096;

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

impl Switch {
    /// Begins or ends recording which tables packets hit.
    pub fn set_trace(&mut self, on: bool) {
        if on != self.trace.is_some() {
            self.trace = on.then(Vec::new);
        }
    }

    /// The tables that were applied since the last call, the first one first.
    pub fn take_trace(&mut self) -> Vec<TableTrace> {
        self.trace.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// Records that table `t` is about to be applied.
    #[cold]
    pub(super) fn record(&mut self, p: &Program, t: usize) {
        let Some(trace) = self.trace.as_mut().filter(|trace| trace.len() < CAPACITY) else {
            return;
        };
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
        trace.push(TableTrace {
            table: t,
            key,
            entry: self.tables[t].matching(&mut words).cloned(),
            default: self.tables[t].default_action().cloned(),
        });
    }
}
