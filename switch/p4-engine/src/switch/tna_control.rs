// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! The control-plane API that only programs for Tofino need: filters, direct registers, port metadata.

use std::sync::Arc;

use super::Switch;
use crate::error::ControlError;
use crate::filter::{FilterCell, FilterConfig};
use crate::table::MatchField;
use crate::value::Value;

impl Switch {
    /// The cell that an entry has in the direct registers of its table; 0 is that of a miss.
    ///
    /// # Errors
    /// `NotFound`, or `InvalidArgument` if the key does not fit the table or the table has no direct register.
    pub fn entry_cell(
        &self,
        table: usize,
        key: &[MatchField],
        priority: i32,
    ) -> Result<usize, ControlError> {
        let info = self.program.tables.get(table);
        let missing = || ControlError::NotFound(format!("no table with index {table}"));
        let info = info.ok_or_else(missing)?;
        if info.direct_registers.is_empty() {
            return Err(ControlError::invalid(format!(
                "table `{}` has no direct register",
                info.name
            )));
        }
        Ok(self.state.tables[table].handle(info, key, priority)? as usize + 1)
    }

    /// A new entry begins with the register's first value.
    pub(super) fn reset_direct_registers(
        &mut self,
        table: usize,
        key: &[MatchField],
        priority: i32,
    ) -> Result<(), ControlError> {
        let cell = self.entry_cell(table, key, priority)?;
        let p = Arc::clone(&self.program);
        for &register in &p.tables[table].direct_registers {
            let first = Value::from_limbs(&p.registers[register].initial);
            self.register_write(register, cell, &first)?;
        }
        Ok(())
    }

    fn filter_cell(
        &mut self,
        filter: usize,
        index: usize,
    ) -> Result<&mut FilterCell, ControlError> {
        let cells = self.state.machine.filters.get_mut(filter);
        let cell = cells.and_then(|c| c.get_mut(index));
        cell.ok_or_else(|| ControlError::NotFound(format!("no cell {index} of filter {filter}")))
    }

    /// Configures a cell of `Lpf` or `Wred`, or takes its configuration away. Its average begins at 0.
    ///
    /// # Errors
    /// `NotFound`, or `InvalidArgument` if the configuration is that of another kind of filter or no sense.
    pub fn filter_write(
        &mut self,
        filter: usize,
        index: usize,
        config: Option<FilterConfig>,
    ) -> Result<(), ControlError> {
        let wred = self
            .program
            .filters
            .get(filter)
            .is_some_and(|f| f.verdicts.is_some());
        if let Some(c) = &config {
            c.check(wred)?;
        }
        self.filter_cell(filter, index)?.configure(config);
        Ok(())
    }

    /// The configuration of a cell of `Lpf` or `Wred`.
    ///
    /// # Errors
    /// `NotFound`.
    pub fn filter_read(
        &mut self,
        filter: usize,
        index: usize,
    ) -> Result<Option<FilterConfig>, ControlError> {
        Ok(self.filter_cell(filter, index)?.config)
    }

    /// Sets the metadata of a port that its packets' ingress parser reads, from the first bit on; the rest is 0.
    ///
    /// # Errors
    /// `InvalidArgument` if it is longer than the target's port metadata, or the program is not for Tofino.
    pub fn port_metadata_write(&mut self, port: u16, bytes: &[u8]) -> Result<(), ControlError> {
        let Some(t) = &self.program.tna else {
            return Err(ControlError::invalid(
                "the program has no port metadata".to_owned(),
            ));
        };
        let room = t.port_metadata_bytes();
        if bytes.len() > room {
            return Err(ControlError::invalid(format!(
                "{} bytes of port metadata, above {room}",
                bytes.len()
            )));
        }
        self.port_metadata.insert(port, bytes.to_vec());
        Ok(())
    }

    /// The metadata of a port, if it has been set.
    pub fn port_metadata(&self, port: u16) -> Option<&[u8]> {
        self.port_metadata.get(&port).map(Vec::as_slice)
    }
}
