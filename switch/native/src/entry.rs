// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Table entries and what a program consists of, as Python sees them: by name, values as `int`.

use p4_engine::{CounterValue, EntryAction, MatchKind, Program, Switch as Engine};
use pyo3::prelude::*;

use crate::error;
use crate::value::Int;

/// How one key field of an entry matches.
#[pyclass(frozen, eq, hash, from_py_object, module = "mecn_native")]
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum MatchField {
    /// Equal to the value.
    Exact { value: Int },
    /// The first `prefix_len` bits are equal.
    Lpm { value: Int, prefix_len: u32 },
    /// Equal where the mask is 1.
    Ternary { value: Int, mask: Int },
    /// Within the closed interval.
    Range { low: Int, high: Int },
    /// Equal to the value (match kind `optional`).
    Optional { value: Int },
    /// Anything.
    Any {},
}

impl From<MatchField> for p4_engine::MatchField {
    fn from(field: MatchField) -> Self {
        match field {
            MatchField::Exact { value } => Self::Exact(value.0),
            MatchField::Lpm { value, prefix_len } => Self::Lpm {
                value: value.0,
                prefix_len,
            },
            MatchField::Ternary { value, mask } => Self::Ternary {
                value: value.0,
                mask: mask.0,
            },
            MatchField::Range { low, high } => Self::Range {
                low: low.0,
                high: high.0,
            },
            MatchField::Optional { value } => Self::Optional(value.0),
            MatchField::Any {} => Self::Any,
        }
    }
}

impl From<p4_engine::MatchField> for MatchField {
    fn from(field: p4_engine::MatchField) -> Self {
        use p4_engine::MatchField as Engine;
        match field {
            Engine::Exact(value) => Self::Exact { value: Int(value) },
            Engine::Lpm { value, prefix_len } => Self::Lpm {
                value: Int(value),
                prefix_len,
            },
            Engine::Ternary { value, mask } => Self::Ternary {
                value: Int(value),
                mask: Int(mask),
            },
            Engine::Range { low, high } => Self::Range {
                low: Int(low),
                high: Int(high),
            },
            Engine::Optional(value) => Self::Optional { value: Int(value) },
            Engine::Any => Self::Any {},
        }
    }
}

/// The match key of an entry, in the order of the table's keys.
pub fn key_to_engine(key: Vec<MatchField>) -> Vec<p4_engine::MatchField> {
    key.into_iter().map(Into::into).collect()
}

/// An action with its arguments.
#[pyclass(frozen, eq, hash, get_all, from_py_object, module = "mecn_native")]
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct ActionCall {
    /// Fully qualified name.
    name: String,
    /// One value for each parameter.
    args: Vec<Int>,
}

#[pymethods]
impl ActionCall {
    #[new]
    #[pyo3(signature = (name, args=Vec::new()), text_signature = "(name, args=())")]
    fn new(name: String, args: Vec<Int>) -> Self {
        Self { name, args }
    }

    fn __repr__(&self) -> String {
        let args: Vec<String> = self.args.iter().map(|arg| arg.0.to_string()).collect();
        format!("{}({})", self.name, args.join(", "))
    }
}

impl ActionCall {
    /// By index, for `table`; an action that the table does not have is `None`.
    pub fn to_engine(&self, program: &Program, table: usize) -> Option<p4_engine::ActionCall> {
        Some(self.with_index(program.table_action(table, &self.name)?))
    }

    /// As the action of this index.
    pub fn with_index(&self, action: usize) -> p4_engine::ActionCall {
        p4_engine::ActionCall {
            action,
            params: self.args.iter().map(|arg| arg.0.clone()).collect(),
        }
    }

    /// By name.
    pub fn from_engine(program: &Program, call: &p4_engine::ActionCall) -> Self {
        let name = program
            .actions()
            .get(call.action)
            .map_or_else(String::new, |action| action.name.clone());
        Self {
            name,
            args: call.params.iter().cloned().map(Int).collect(),
        }
    }

    /// The action's name.
    pub fn name(&self) -> &str {
        &self.name
    }
}

/// The action of a member of the table's action profile.
#[pyclass(frozen, eq, hash, get_all, from_py_object, module = "mecn_native")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MemberRef {
    id: u32,
}

#[pymethods]
impl MemberRef {
    #[new]
    fn new(id: u32) -> Self {
        Self { id }
    }
}

/// The action of a member of this group of the table's action selector.
#[pyclass(frozen, eq, hash, get_all, from_py_object, module = "mecn_native")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct GroupRef {
    id: u32,
}

#[pymethods]
impl GroupRef {
    #[new]
    fn new(id: u32) -> Self {
        Self { id }
    }
}

/// What a hit runs.
#[derive(Clone, Debug, FromPyObject, IntoPyObject)]
pub enum Target {
    /// An action.
    Call(ActionCall),
    /// A member of an action profile.
    Member(MemberRef),
    /// A group of an action selector.
    Group(GroupRef),
}

impl Target {
    /// By index, for `table`; an action that the table does not have is the error, by name.
    pub fn to_engine(&self, program: &Program, table: usize) -> Result<EntryAction, &str> {
        match self {
            Self::Call(call) => call
                .to_engine(program, table)
                .map(EntryAction::Call)
                .ok_or(&call.name),
            Self::Member(member) => Ok(EntryAction::Member(member.id)),
            Self::Group(group) => Ok(EntryAction::Group(group.id)),
        }
    }
}

/// An entry of a table, with its direct counter (0 if the table has none).
#[pyclass(frozen, eq, get_all, module = "mecn_native")]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableEntry {
    /// One for each key field, in the order of `TableInfo.keys`.
    r#match: Vec<MatchField>,
    /// The larger wins; 0 in tables without priorities.
    priority: i32,
    /// What a hit runs; without a name if it is a member or a group of an action profile.
    action: ActionCall,
    /// The member of the table's action profile that a hit runs.
    member: Option<u32>,
    /// The group of the table's action selector that a hit runs a member of.
    group: Option<u32>,
    /// Whether the entry is constant in the program.
    is_const: bool,
    /// Packets that hit the entry.
    packets: u64,
    /// Bytes of these packets.
    bytes: u64,
}

impl TableEntry {
    /// By name.
    pub fn from_engine(
        program: &Program,
        entry: &p4_engine::TableEntry,
        counter: CounterValue,
        is_const: bool,
    ) -> Self {
        Self {
            r#match: entry.key.iter().cloned().map(Into::into).collect(),
            priority: entry.priority,
            action: (entry.action.call())
                .map(|call| ActionCall::from_engine(program, call))
                .unwrap_or_default(),
            member: match entry.action {
                EntryAction::Member(id) => Some(id),
                _ => None,
            },
            group: match entry.action {
                EntryAction::Group(id) => Some(id),
                _ => None,
            },
            is_const,
            packets: counter.packets,
            bytes: counter.bytes,
        }
    }
}

/// A key field of a table.
#[pyclass(frozen, get_all, module = "mecn_native")]
#[derive(Clone, Debug)]
pub struct KeyInfo {
    name: String,
    width: u32,
    /// exact, lpm, ternary, range or optional.
    r#match: &'static str,
}

/// A parameter of an action.
#[pyclass(frozen, get_all, module = "mecn_native")]
#[derive(Clone, Debug)]
pub struct ParamInfo {
    name: String,
    width: u32,
}

/// An action.
#[pyclass(frozen, get_all, module = "mecn_native")]
#[derive(Clone, Debug)]
pub struct ActionInfo {
    name: String,
    params: Vec<ParamInfo>,
}

/// A table.
#[pyclass(frozen, get_all, module = "mecn_native")]
#[derive(Clone, Debug)]
pub struct TableInfo {
    name: String,
    keys: Vec<KeyInfo>,
    /// The actions that the table may use, each as the table has it.
    actions: Vec<ActionInfo>,
    /// Largest number of entries.
    size: usize,
    has_direct_counter: bool,
    /// Whether the entries are constant.
    const_entries: bool,
    /// Whether the default action cannot be replaced.
    const_default_action: bool,
    /// The action profile that entries take members or groups of.
    action_profile: Option<String>,
    /// Whether entries may have an idle timeout.
    idle_timeout: bool,
    /// Whether each entry has a direct meter.
    has_direct_meter: bool,
}

/// A counter array, or the direct counter of a table.
#[pyclass(frozen, get_all, module = "mecn_native")]
#[derive(Clone, Debug)]
pub struct CounterInfo {
    name: String,
    /// Number of cells; 0 for a direct counter.
    size: usize,
    /// The table of a direct counter.
    table: Option<String>,
}

/// A register array.
#[pyclass(frozen, get_all, module = "mecn_native")]
#[derive(Clone, Debug)]
pub struct RegisterInfo {
    name: String,
    /// Number of cells.
    size: usize,
    /// Width of a cell in bits.
    width: u32,
}

fn kind_name(kind: MatchKind) -> &'static str {
    match kind {
        MatchKind::Exact => "exact",
        MatchKind::Lpm => "lpm",
        MatchKind::Ternary => "ternary",
        MatchKind::Range => "range",
        MatchKind::Optional => "optional",
    }
}

/// All tables of a program.
pub fn tables(program: &Program) -> Vec<TableInfo> {
    program
        .tables()
        .iter()
        .map(|table| TableInfo {
            name: table.name.clone(),
            keys: table
                .keys
                .iter()
                .map(|key| KeyInfo {
                    name: key.name.clone(),
                    width: key.width,
                    r#match: kind_name(key.kind),
                })
                .collect(),
            actions: table
                .actions
                .iter()
                .filter_map(|&i| program.actions().get(i))
                .map(action_info)
                .collect(),
            size: table.size,
            has_direct_counter: table.with_counters,
            const_entries: table.const_entries,
            const_default_action: table.const_default_action || table.const_default_entry,
            action_profile: table
                .profile
                .and_then(|i| program.action_profiles().get(i))
                .map(|profile| profile.name.clone()),
            idle_timeout: table.idle_timeout,
            has_direct_meter: table.direct_meter.is_some(),
        })
        .collect()
}

fn action_info(action: &p4_engine::ActionInfo) -> ActionInfo {
    let params = action.params.iter();
    ActionInfo {
        name: action.name.clone(),
        params: params
            .map(|param| ParamInfo {
                name: param.name.clone(),
                width: param.width,
            })
            .collect(),
    }
}

/// All actions of a program. Compilers give each table, and each direct call, its own copy of an action; copies
/// have one name, and those of direct calls have no parameters.
pub fn actions(program: &Program) -> Vec<ActionInfo> {
    program.actions().iter().map(action_info).collect()
}

/// All counters of a program.
pub fn counters(program: &Program) -> Vec<CounterInfo> {
    program
        .counters()
        .iter()
        .map(|counter| CounterInfo {
            name: counter.name.clone(),
            size: counter.size,
            table: counter
                .table
                .and_then(|i| program.tables().get(i))
                .map(|table| table.name.clone()),
        })
        .collect()
}

/// All registers of a program.
pub fn registers(program: &Program) -> Vec<RegisterInfo> {
    program
        .registers()
        .iter()
        .map(|register| RegisterInfo {
            name: register.name.clone(),
            size: register.size,
            width: register.width,
        })
        .collect()
}

/// All entries of a table.
pub fn entries(engine: &Engine, table: usize) -> PyResult<Vec<TableEntry>> {
    let program = engine.program();
    let is_const = is_const(program, table);
    let entries = engine.table_entries(table).map_err(error::control)?;
    Ok(entries
        .map(|(entry, counter)| TableEntry::from_engine(program, entry, counter, is_const))
        .collect())
}

/// Whether a table's entries are part of the program.
pub fn is_const(program: &Program, table: usize) -> bool {
    let info = program.tables().get(table);
    info.is_some_and(|info| info.const_entries)
}
