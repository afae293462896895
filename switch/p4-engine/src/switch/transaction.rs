// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Several changes as one: all of them or none.

use super::Switch;

impl Switch {
    /// Runs `work`, which may change the entries, direct resources and default actions of `tables`.
    /// If it fails, these tables are as they were before. No packet passes in between, since `work`
    /// has the switch for itself.
    ///
    /// Indices beyond the program's tables are ignored. The cost is that of the changes: each is noted
    /// with what was there before. What packets change that `work` itself sends is not taken back.
    ///
    /// # Errors
    /// Those of `work`.
    pub fn all_or_none<E>(
        &mut self,
        tables: &[usize],
        work: impl FnOnce(&mut Self) -> Result<(), E>,
    ) -> Result<(), E> {
        let begun: Vec<_> = tables
            .iter()
            .filter_map(|&i| Some((i, self.state.tables.get_mut(i)?.begin())))
            .collect();
        let done = work(self);
        for (i, mark) in begun.iter().rev() {
            if let Some(table) = self.state.tables.get_mut(*i) {
                match done {
                    Ok(()) => table.commit(mark),
                    Err(_) => table.rollback(mark),
                }
            }
        }
        done
    }
}
