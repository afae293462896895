// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Several changes as one: all of them or none.

use super::Switch;
use crate::table::TableState;

impl Switch {
    /// Runs `work`, which may change the entries, direct resources and default actions of `tables`.
    /// If it fails, these tables are as they were before. No packet passes in between, since `work`
    /// has the switch for itself.
    ///
    /// Indices beyond the program's tables are ignored. The cost is a copy of the tables.
    ///
    /// # Errors
    /// Those of `work`.
    pub fn all_or_none<E>(
        &mut self,
        tables: &[usize],
        work: impl FnOnce(&mut Self) -> Result<(), E>,
    ) -> Result<(), E> {
        let saved: Vec<(usize, TableState)> = tables
            .iter()
            .filter_map(|&i| Some((i, self.tables.get(i)?.clone())))
            .collect();
        work(self).inspect_err(|_| {
            for (i, state) in saved {
                self.tables[i] = state;
            }
        })
    }
}
