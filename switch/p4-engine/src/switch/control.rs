// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! The control-plane API: tables, counters, registers, by index into the program's lists.
//!
//! `Program::table`, `Program::counter` and `Program::register` find the index of a name.

use super::Switch;
use crate::error::ControlError;
use crate::memory::CounterValue;
use crate::program::TableInfo;
use crate::table::{ActionCall, MatchField, TableEntry, TableState};
use crate::value::{Value, limb_mask, limbs};

impl Switch {
    fn table(&self, table: usize) -> Result<(&TableInfo, &TableState), ControlError> {
        match (self.program.tables.get(table), self.state.tables.get(table)) {
            (Some(info), Some(state)) => Ok((info, state)),
            _ => Err(ControlError::NotFound(format!(
                "no table with index {table}"
            ))),
        }
    }

    /// A table whose entries may be changed.
    fn writable(&self, table: usize) -> Result<(), ControlError> {
        if self.table(table)?.1.is_locked() {
            Err(ControlError::ConstTable)
        } else {
            Ok(())
        }
    }

    /// Lets entries of a table be changed that the program begins with. The JSON does not tell
    /// `entries` from `const entries`, so such tables are constant until this is called.
    ///
    /// # Errors
    /// `NotFound` if there is no such table.
    pub fn table_unlock(&mut self, table: usize) -> Result<(), ControlError> {
        self.table(table)?;
        self.state.tables[table].unlock();
        Ok(())
    }

    /// Adds an entry.
    ///
    /// # Errors
    /// `AlreadyExists`, `TableFull`, `ConstTable`, or `InvalidArgument` if the entry does not fit
    /// the table.
    pub fn table_insert(&mut self, table: usize, entry: TableEntry) -> Result<(), ControlError> {
        self.writable(table)?;
        self.check_target(table, &entry.action)?;
        let p = &self.program;
        let info = &p.tables[table];
        if info.direct_registers.is_empty() {
            return self.state.tables[table].insert(info, &p.actions, entry);
        }
        let (key, priority) = (entry.key.clone(), entry.priority);
        self.state.tables[table].insert(info, &p.actions, entry)?;
        self.reset_direct_registers(table, &key, priority)
    }

    /// Replaces the action of the entry with this key and priority; its counter goes on.
    ///
    /// # Errors
    /// `NotFound`, `ConstTable`, or `InvalidArgument` if the entry does not fit the table.
    pub fn table_modify(&mut self, table: usize, entry: &TableEntry) -> Result<(), ControlError> {
        self.writable(table)?;
        self.check_target(table, &entry.action)?;
        let p = &self.program;
        self.state.tables[table].modify(&p.tables[table], &p.actions, entry)
    }

    /// Removes the entry with this key and priority.
    ///
    /// # Errors
    /// `NotFound`, `ConstTable`, or `InvalidArgument` if the key does not fit the table.
    pub fn table_delete(
        &mut self,
        table: usize,
        key: &[MatchField],
        priority: i32,
    ) -> Result<(), ControlError> {
        self.writable(table)?;
        self.state.tables[table].delete(&self.program.tables[table], key, priority)
    }

    /// Removes all entries. The default action stays.
    ///
    /// # Errors
    /// `ConstTable`, or `NotFound` if there is no such table.
    pub fn table_clear(&mut self, table: usize) -> Result<(), ControlError> {
        self.writable(table)?;
        self.state.tables[table].clear(&self.program.tables[table]);
        Ok(())
    }

    /// All entries with their direct counters (0 if the table has none), constant ones included.
    ///
    /// # Errors
    /// `NotFound` if there is no such table.
    pub fn table_entries(
        &self,
        table: usize,
    ) -> Result<impl Iterator<Item = (&TableEntry, CounterValue)>, ControlError> {
        Ok(self.table(table)?.1.entries())
    }

    /// The entry with this key and priority.
    ///
    /// # Errors
    /// `NotFound`, or `InvalidArgument` if the key does not fit the table.
    pub fn table_entry(
        &self,
        table: usize,
        key: &[MatchField],
        priority: i32,
    ) -> Result<(&TableEntry, CounterValue), ControlError> {
        let (info, state) = self.table(table)?;
        state.get(info, key, priority)
    }

    /// The number of entries of a table.
    ///
    /// # Errors
    /// `NotFound` if there is no such table.
    pub fn table_len(&self, table: usize) -> Result<usize, ControlError> {
        Ok(self.table(table)?.1.len())
    }

    /// Sets the direct counter of an entry.
    ///
    /// # Errors
    /// `NotFound`, or `InvalidArgument` if the key does not fit or the table has no counters.
    pub fn table_counter_write(
        &mut self,
        table: usize,
        key: &[MatchField],
        priority: i32,
        value: CounterValue,
    ) -> Result<(), ControlError> {
        let info = self.table(table)?.0;
        if !info.with_counters {
            return Err(ControlError::invalid(format!(
                "table `{}` has no direct counter",
                info.name
            )));
        }
        self.state.tables[table].set_counter(&self.program.tables[table], key, priority, value)
    }

    /// The default action of a table, if it has one.
    ///
    /// # Errors
    /// `NotFound` if there is no such table.
    pub fn default_action(&self, table: usize) -> Result<Option<&ActionCall>, ControlError> {
        Ok(self.table(table)?.1.default_action())
    }

    /// Replaces the default action of a table. A constant default action may be given other
    /// parameters, unless these are constant too.
    ///
    /// # Errors
    /// `ConstDefaultAction`, `NotFound`, or `InvalidArgument` if the action does not fit.
    pub fn set_default_action(
        &mut self,
        table: usize,
        call: ActionCall,
    ) -> Result<(), ControlError> {
        let (info, state) = self.table(table)?;
        let same = state
            .default_action()
            .is_some_and(|old| old.action == call.action);
        if info.const_default_entry || info.const_default_action && !same {
            return Err(ControlError::ConstDefaultAction);
        }
        let p = &self.program;
        self.state.tables[table].set_default(&p.tables[table], &p.actions, call)
    }

    /// Restores the default action that the program declares.
    ///
    /// # Errors
    /// `NotFound` if there is no such table.
    pub fn reset_default_action(&mut self, table: usize) -> Result<(), ControlError> {
        self.table(table)?;
        let p = &self.program;
        self.state.tables[table].reset_default(&p.tables[table], &p.actions)
    }

    fn counter_size(&self, counter: usize) -> Result<usize, ControlError> {
        let info = self.program.counters.get(counter);
        let info =
            info.ok_or_else(|| ControlError::NotFound(format!("no counter with index {counter}")))?;
        match info.table {
            None => Ok(info.size),
            Some(t) => Err(ControlError::invalid(format!(
                "`{}` is the direct counter of table `{}`",
                info.name, self.program.tables[t].name
            ))),
        }
    }

    /// A cell of an indirect counter.
    ///
    /// # Errors
    /// `NotFound`, `OutOfRange`, or `InvalidArgument` for a direct counter.
    pub fn counter_read(&self, counter: usize, index: usize) -> Result<CounterValue, ControlError> {
        let size = self.counter_size(counter)?;
        let cell = self.state.machine.counters[counter].get(index);
        cell.copied()
            .ok_or(ControlError::OutOfRange { index, size })
    }

    /// Sets a cell of an indirect counter.
    ///
    /// # Errors
    /// `NotFound`, `OutOfRange`, or `InvalidArgument` for a direct counter.
    pub fn counter_write(
        &mut self,
        counter: usize,
        index: usize,
        value: CounterValue,
    ) -> Result<(), ControlError> {
        let size = self.counter_size(counter)?;
        let cell = self.state.machine.counters[counter].get_mut(index);
        *cell.ok_or(ControlError::OutOfRange { index, size })? = value;
        Ok(())
    }

    fn register_cell(
        &self,
        register: usize,
        index: usize,
    ) -> Result<(u32, std::ops::Range<usize>), ControlError> {
        let info = self.program.registers.get(register);
        let info = info
            .ok_or_else(|| ControlError::NotFound(format!("no register with index {register}")))?;
        if index >= info.size {
            return Err(ControlError::OutOfRange {
                index,
                size: info.size,
            });
        }
        let stride = limbs(info.width) as usize;
        Ok((info.width, index * stride..(index + 1) * stride))
    }

    /// A cell of a register array.
    ///
    /// # Errors
    /// `NotFound` or `OutOfRange`.
    pub fn register_read(&self, register: usize, index: usize) -> Result<Value, ControlError> {
        let (_, cell) = self.register_cell(register, index)?;
        Ok(Value::from_limbs(
            &self.state.machine.registers[register][cell],
        ))
    }

    /// The low 64 bits of a cell of a register array: cheap, for sampling.
    ///
    /// # Errors
    /// `NotFound` or `OutOfRange`.
    pub fn register_read_u64(&self, register: usize, index: usize) -> Result<u64, ControlError> {
        let (_, cell) = self.register_cell(register, index)?;
        Ok(self.state.machine.registers[register][cell.start])
    }

    /// Sets a cell of a register array.
    ///
    /// # Errors
    /// `NotFound`, `OutOfRange`, or `InvalidArgument` if the value is too wide.
    pub fn register_write(
        &mut self,
        register: usize,
        index: usize,
        value: &Value,
    ) -> Result<(), ControlError> {
        let (width, cell) = self.register_cell(register, index)?;
        if !value.fits(width) {
            return Err(ControlError::invalid(format!(
                "{value} does not fit into {width} bits"
            )));
        }
        for (i, word) in self.state.machine.registers[register][cell]
            .iter_mut()
            .enumerate()
        {
            *word = value.limb(i) & limb_mask(width, i as u32);
        }
        Ok(())
    }
}
