// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Changes of tables that are made together.

use std::sync::Arc;

use p4_engine::{ControlError, CounterValue, Program, Switch as Engine};
use pyo3::prelude::*;

use crate::entry::{ActionCall, MatchField, Target, key_to_engine};
use crate::externs::MeterConfig;

/// One change of a table.
#[pyclass(frozen, from_py_object, module = "mecn_native")]
#[derive(Clone, Debug)]
pub enum TableUpdate {
    /// Adds an entry.
    Insert {
        table: String,
        r#match: Vec<MatchField>,
        priority: i32,
        action: Target,
    },
    /// Replaces the action of an entry; without one, only asks that there is such an entry.
    Modify {
        table: String,
        r#match: Vec<MatchField>,
        priority: i32,
        action: Option<Target>,
    },
    /// Removes an entry.
    Delete {
        table: String,
        r#match: Vec<MatchField>,
        priority: i32,
    },
    /// Replaces the default action; without one, restores that of the program.
    SetDefault {
        table: String,
        action: Option<ActionCall>,
    },
    /// Sets the direct counter of an entry.
    SetCounter {
        table: String,
        r#match: Vec<MatchField>,
        priority: i32,
        packets: u64,
        bytes: u64,
    },
    /// Configures the direct meter of an entry; without a configuration everything is green.
    SetMeter {
        table: String,
        r#match: Vec<MatchField>,
        priority: i32,
        config: Option<MeterConfig>,
    },
    /// Sets how long an entry may go without a hit, from `now_ns` on; 0: for ever.
    SetTimeout {
        table: String,
        r#match: Vec<MatchField>,
        priority: i32,
        timeout_ns: u64,
        now_ns: u64,
    },
}

impl TableUpdate {
    fn name(&self) -> &str {
        match self {
            Self::Insert { table, .. }
            | Self::Modify { table, .. }
            | Self::Delete { table, .. }
            | Self::SetDefault { table, .. }
            | Self::SetCounter { table, .. }
            | Self::SetMeter { table, .. }
            | Self::SetTimeout { table, .. } => table,
        }
    }

    /// The table's index in the program.
    pub fn table(&self, program: &Program) -> Result<usize, ControlError> {
        let name = self.name();
        program
            .table(name)
            .ok_or_else(|| ControlError::NotFound(format!("there is no table `{name}`")))
    }

    /// Makes the change.
    pub fn apply(&self, engine: &mut Engine, program: &Program) -> Result<(), ControlError> {
        let table = self.table(program)?;
        let unknown = |action: &str| {
            ControlError::InvalidArgument(format!(
                "table `{}` has no action `{action}`",
                self.name()
            ))
        };
        let target = |action: &Target| action.to_engine(program, table).map_err(unknown);
        match self {
            Self::Insert {
                r#match,
                priority,
                action,
                ..
            } => engine.table_insert(
                table,
                p4_engine::TableEntry {
                    key: key_to_engine(r#match.clone()),
                    priority: *priority,
                    action: target(action)?,
                },
            ),
            Self::Modify {
                r#match,
                priority,
                action: Some(action),
                ..
            } => engine.table_modify(
                table,
                &p4_engine::TableEntry {
                    key: key_to_engine(r#match.clone()),
                    priority: *priority,
                    action: target(action)?,
                },
            ),
            Self::Modify {
                r#match,
                priority,
                action: None,
                ..
            } => engine
                .table_entry(table, &key_to_engine(r#match.clone()), *priority)
                .map(|_| ()),
            Self::Delete {
                r#match, priority, ..
            } => engine.table_delete(table, &key_to_engine(r#match.clone()), *priority),
            Self::SetDefault {
                action: Some(action),
                ..
            } => {
                let call = action.to_engine(program, table);
                engine.set_default_action(table, call.ok_or_else(|| unknown(action.name()))?)
            }
            Self::SetDefault { action: None, .. } => engine.reset_default_action(table),
            Self::SetCounter {
                r#match,
                priority,
                packets,
                bytes,
                ..
            } => engine.table_counter_write(
                table,
                &key_to_engine(r#match.clone()),
                *priority,
                CounterValue {
                    packets: *packets,
                    bytes: *bytes,
                },
            ),
            Self::SetMeter {
                r#match,
                priority,
                config,
                ..
            } => engine.table_meter_write(
                table,
                &key_to_engine(r#match.clone()),
                *priority,
                config.map(Into::into),
            ),
            Self::SetTimeout {
                r#match,
                priority,
                timeout_ns,
                now_ns,
                ..
            } => engine.set_idle_timeout(
                table,
                &key_to_engine(r#match.clone()),
                *priority,
                *timeout_ns,
                *now_ns,
            ),
        }
    }
}

/// Makes all changes or none; the index of the one that was refused, and why.
pub fn all_or_none(
    engine: &mut Engine,
    updates: &[TableUpdate],
) -> Result<(), (usize, ControlError)> {
    let program = Arc::clone(engine.program());
    // One update changes nothing if it is refused, so nothing need be saved.
    let mut tables: Vec<usize> = updates
        .iter()
        .filter(|_| updates.len() > 1)
        .filter_map(|update| update.table(&program).ok())
        .collect();
    tables.sort_unstable();
    tables.dedup();
    engine.all_or_none(&tables, |engine| {
        updates.iter().enumerate().try_for_each(|(i, update)| {
            update
                .apply(engine, &program)
                .map_err(|refused| (i, refused))
        })
    })
}
