// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! The control plane beyond tables, counters and registers: action profiles, meters, replication, digests, value
//! sets, idle timeouts.

use std::sync::Arc;

use p4_engine::{CloneSession as EngineSession, GroupMember, Replica};
use pyo3::prelude::*;

use crate::entry::{ActionCall, MatchField, TableEntry, key_to_engine};
use crate::error::{self, InvalidArgumentError, NotFoundError};
use crate::switch::Switch;
use crate::value::Int;

/// Rates per second and burst sizes of a meter, in packets or bytes.
#[pyclass(frozen, eq, get_all, from_py_object, module = "mecn_native")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MeterConfig {
    cir: u64,
    cburst: u64,
    pir: u64,
    pburst: u64,
}

#[pymethods]
impl MeterConfig {
    #[new]
    fn new(cir: u64, cburst: u64, pir: u64, pburst: u64) -> Self {
        Self {
            cir,
            cburst,
            pir,
            pburst,
        }
    }
}

impl From<MeterConfig> for p4_engine::MeterConfig {
    fn from(config: MeterConfig) -> Self {
        Self {
            cir: config.cir,
            cburst: config.cburst,
            pir: config.pir,
            pburst: config.pburst,
        }
    }
}

impl From<p4_engine::MeterConfig> for MeterConfig {
    fn from(config: p4_engine::MeterConfig) -> Self {
        Self {
            cir: config.cir,
            cburst: config.cburst,
            pir: config.pir,
            pburst: config.pburst,
        }
    }
}

/// A clone session.
#[pyclass(frozen, eq, get_all, from_py_object, module = "mecn_native")]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CloneSession {
    /// (port, egress_rid) of each copy.
    replicas: Vec<(u16, u16)>,
    /// A copy goes to this port.
    port: Option<u16>,
    /// Copies go to the members of this multicast group.
    group: Option<u32>,
    /// Copies are cut to this many bytes.
    truncate: Option<u32>,
}

#[pymethods]
impl CloneSession {
    #[new]
    #[pyo3(signature = (replicas=Vec::new(), *, port=None, group=None, truncate=None),
           text_signature = "(replicas=(), *, port=None, group=None, truncate=None)")]
    fn new(
        replicas: Vec<(u16, u16)>,
        port: Option<u16>,
        group: Option<u32>,
        truncate: Option<u32>,
    ) -> Self {
        Self {
            replicas,
            port,
            group,
            truncate,
        }
    }
}

fn to_replicas(replicas: Vec<(u16, u16)>) -> Vec<Replica> {
    replicas
        .into_iter()
        .map(|(port, rid)| Replica { port, rid })
        .collect()
}

fn from_replicas(replicas: &[Replica]) -> Vec<(u16, u16)> {
    replicas.iter().map(|r| (r.port, r.rid)).collect()
}

/// A meter array, or the direct meter of a table.
#[pyclass(frozen, get_all, module = "mecn_native")]
#[derive(Clone, Debug)]
pub struct MeterInfo {
    name: String,
    /// Number of cells; 0 for a direct meter.
    size: usize,
    /// The table of a direct meter.
    table: Option<String>,
    /// Whether it counts bytes, rather than packets.
    bytes: bool,
}

/// An action profile or action selector.
#[pyclass(frozen, get_all, module = "mecn_native")]
#[derive(Clone, Debug)]
pub struct ActionProfileInfo {
    name: String,
    /// Largest number of members.
    size: usize,
    /// Whether it has groups.
    with_selector: bool,
}

/// A digest.
#[pyclass(frozen, get_all, module = "mecn_native")]
#[derive(Clone, Debug)]
pub struct DigestInfo {
    name: String,
    /// Widths of the fields in bits.
    widths: Vec<u32>,
}

/// A parser value set.
#[pyclass(frozen, get_all, module = "mecn_native")]
#[derive(Clone, Debug)]
pub struct ValueSetInfo {
    name: String,
    /// Largest number of members.
    size: usize,
    /// Widths of the key fields in bits.
    widths: Vec<u32>,
}

fn missing(kind: &str, name: &str) -> PyErr {
    NotFoundError::new_err(format!("there is no {kind} `{name}`"))
}

impl Switch {
    fn profile(&self, name: &str) -> PyResult<usize> {
        self.program()
            .action_profile(name)
            .ok_or_else(|| missing("action profile", name))
    }

    fn meter(&self, name: &str) -> PyResult<usize> {
        self.program()
            .meter(name)
            .ok_or_else(|| missing("meter", name))
    }

    fn value_set(&self, name: &str) -> PyResult<usize> {
        self.program()
            .value_set(name)
            .ok_or_else(|| missing("value set", name))
    }

    fn member_call(
        &self,
        profile: usize,
        name: &str,
        action: &ActionCall,
    ) -> PyResult<p4_engine::ActionCall> {
        let index = self.program().profile_action(profile, action.name());
        index.map(|index| action.with_index(index)).ok_or_else(|| {
            InvalidArgumentError::new_err(format!(
                "action profile `{name}` has no action `{}`",
                action.name()
            ))
        })
    }
}

#[pymethods]
impl Switch {
    // ---- What the program consists of --------------------------------------------------------

    fn meters(&self) -> Vec<MeterInfo> {
        let program = self.program();
        let meters = program.meters().iter();
        meters
            .map(|meter| MeterInfo {
                name: meter.name.clone(),
                size: meter.size,
                table: meter
                    .table
                    .and_then(|i| program.tables().get(i))
                    .map(|table| table.name.clone()),
                bytes: meter.bytes,
            })
            .collect()
    }

    fn action_profiles(&self) -> Vec<ActionProfileInfo> {
        let profiles = self.program().action_profiles().iter();
        profiles
            .map(|profile| ActionProfileInfo {
                name: profile.name.clone(),
                size: profile.size,
                with_selector: profile.with_selector,
            })
            .collect()
    }

    fn digests(&self) -> Vec<DigestInfo> {
        let digests = self.program().digests().iter();
        digests
            .map(|digest| DigestInfo {
                name: digest.name.clone(),
                widths: digest.fields.iter().map(|field| field.width).collect(),
            })
            .collect()
    }

    fn value_sets(&self) -> Vec<ValueSetInfo> {
        let sets = self.program().value_sets().iter();
        sets.map(|set| ValueSetInfo {
            name: set.name.clone(),
            size: set.size,
            widths: set.widths.clone(),
        })
        .collect()
    }

    // ---- Action profiles ---------------------------------------------------------------------

    fn insert_member(
        &self,
        py: Python<'_>,
        profile: &str,
        member: u32,
        action: &ActionCall,
    ) -> PyResult<()> {
        let index = self.profile(profile)?;
        let call = self.member_call(index, profile, action)?;
        self.with(py, |engine| {
            engine
                .member_insert(index, member, call)
                .map_err(error::control)
        })
    }

    fn modify_member(
        &self,
        py: Python<'_>,
        profile: &str,
        member: u32,
        action: &ActionCall,
    ) -> PyResult<()> {
        let index = self.profile(profile)?;
        let call = self.member_call(index, profile, action)?;
        self.with(py, |engine| {
            engine
                .member_modify(index, member, call)
                .map_err(error::control)
        })
    }

    fn delete_member(&self, py: Python<'_>, profile: &str, member: u32) -> PyResult<()> {
        let index = self.profile(profile)?;
        self.with(py, |engine| {
            engine.member_delete(index, member).map_err(error::control)
        })
    }

    fn members(&self, py: Python<'_>, profile: &str) -> PyResult<Vec<(u32, ActionCall)>> {
        let index = self.profile(profile)?;
        self.with(py, |engine| {
            let members = engine.members(index).map_err(error::control)?;
            Ok(members
                .map(|(id, call)| (id, ActionCall::from_engine(self.program(), call)))
                .collect())
        })
    }

    fn insert_group(
        &self,
        py: Python<'_>,
        profile: &str,
        group: u32,
        members: Vec<(u32, u32)>,
    ) -> PyResult<()> {
        let index = self.profile(profile)?;
        self.with(py, |engine| {
            engine
                .group_insert(index, group, to_members(members))
                .map_err(error::control)
        })
    }

    fn modify_group(
        &self,
        py: Python<'_>,
        profile: &str,
        group: u32,
        members: Vec<(u32, u32)>,
    ) -> PyResult<()> {
        let index = self.profile(profile)?;
        self.with(py, |engine| {
            engine
                .group_modify(index, group, to_members(members))
                .map_err(error::control)
        })
    }

    fn delete_group(&self, py: Python<'_>, profile: &str, group: u32) -> PyResult<()> {
        let index = self.profile(profile)?;
        self.with(py, |engine| {
            engine.group_delete(index, group).map_err(error::control)
        })
    }

    #[expect(clippy::type_complexity, reason = "a plain list in Python")]
    fn groups(&self, py: Python<'_>, profile: &str) -> PyResult<Vec<(u32, Vec<(u32, u32)>)>> {
        let index = self.profile(profile)?;
        self.with(py, |engine| {
            let groups = engine.groups(index).map_err(error::control)?;
            Ok(groups
                .map(|(id, members)| (id, members.iter().map(|m| (m.member, m.weight)).collect()))
                .collect())
        })
    }

    // ---- Meters ------------------------------------------------------------------------------

    fn meter_read(
        &self,
        py: Python<'_>,
        meter: &str,
        index: usize,
    ) -> PyResult<Option<MeterConfig>> {
        let meter = self.meter(meter)?;
        self.with(py, |engine| {
            let config = engine.meter_read(meter, index).map_err(error::control)?;
            Ok(config.map(Into::into))
        })
    }

    fn meter_write(
        &self,
        py: Python<'_>,
        meter: &str,
        index: usize,
        config: Option<MeterConfig>,
    ) -> PyResult<()> {
        let meter = self.meter(meter)?;
        self.with(py, |engine| {
            engine
                .meter_write(meter, index, config.map(Into::into))
                .map_err(error::control)
        })
    }

    fn direct_meter(
        &self,
        py: Python<'_>,
        table: &str,
        r#match: Vec<MatchField>,
        priority: i32,
    ) -> PyResult<Option<MeterConfig>> {
        let table = self.table(table)?;
        let key = key_to_engine(r#match);
        self.with(py, |engine| {
            let config = engine
                .table_meter_read(table, &key, priority)
                .map_err(error::control)?;
            Ok(config.map(Into::into))
        })
    }

    // ---- Idle timeouts -----------------------------------------------------------------------

    fn idle_timeout(
        &self,
        py: Python<'_>,
        table: &str,
        r#match: Vec<MatchField>,
        priority: i32,
    ) -> PyResult<(u64, u64)> {
        let table = self.table(table)?;
        let key = key_to_engine(r#match);
        self.with(py, |engine| {
            engine
                .idle_timeout(table, &key, priority)
                .map_err(error::control)
        })
    }

    fn take_idle_entries(
        &self,
        py: Python<'_>,
        now_ns: u64,
    ) -> PyResult<Vec<(String, TableEntry)>> {
        let program = self.program();
        self.with(py, |engine| {
            let idle = engine.take_idle_entries(now_ns).into_iter();
            Ok(idle
                .filter_map(|(table, entry)| {
                    let info = program.tables().get(table)?;
                    let zero = p4_engine::CounterValue::default();
                    let entry = TableEntry::from_engine(program, &entry, zero, info.const_entries);
                    Some((info.name.clone(), entry))
                })
                .collect())
        })
    }

    // ---- Replication -------------------------------------------------------------------------

    fn set_multicast_group(
        &self,
        py: Python<'_>,
        group: u32,
        replicas: Vec<(u16, u16)>,
    ) -> PyResult<()> {
        self.with(py, |engine| {
            engine
                .multicast_group_set(group, to_replicas(replicas))
                .map_err(error::control)
        })
    }

    fn delete_multicast_group(&self, py: Python<'_>, group: u32) -> PyResult<()> {
        self.with(py, |engine| {
            engine.multicast_group_delete(group).map_err(error::control)
        })
    }

    #[expect(clippy::type_complexity, reason = "a plain list in Python")]
    fn multicast_groups(&self, py: Python<'_>) -> PyResult<Vec<(u32, Vec<(u16, u16)>)>> {
        self.with(py, |engine| {
            let groups = engine.multicast_groups();
            Ok(groups.map(|(id, r)| (id, from_replicas(r))).collect())
        })
    }

    fn set_clone_session(&self, py: Python<'_>, id: u32, session: CloneSession) -> PyResult<()> {
        let session = EngineSession {
            port: session.port,
            group: session.group,
            replicas: to_replicas(session.replicas),
            truncate: session.truncate,
        };
        self.with(py, |engine| {
            engine
                .clone_session_set(id, session)
                .map_err(error::control)
        })
    }

    fn delete_clone_session(&self, py: Python<'_>, id: u32) -> PyResult<()> {
        self.with(py, |engine| {
            engine.clone_session_delete(id).map_err(error::control)
        })
    }

    fn clone_sessions(&self, py: Python<'_>) -> PyResult<Vec<(u32, CloneSession)>> {
        self.with(py, |engine| {
            let sessions = engine.clone_sessions();
            Ok(sessions
                .map(|(id, session)| {
                    let session = CloneSession {
                        replicas: from_replicas(&session.replicas),
                        port: session.port,
                        group: session.group,
                        truncate: session.truncate,
                    };
                    (id, session)
                })
                .collect())
        })
    }

    // ---- Digests and value sets --------------------------------------------------------------

    fn take_digests(&self, py: Python<'_>) -> PyResult<Vec<NamedDigest>> {
        self.with(py, |engine| Ok(take_digests(engine)))
    }

    fn value_set_read(&self, py: Python<'_>, value_set: &str) -> PyResult<Vec<Vec<MatchField>>> {
        let index = self.value_set(value_set)?;
        self.with(py, |engine| {
            let members = engine.value_set_read(index).map_err(error::control)?;
            Ok(members
                .iter()
                .map(|member| member.iter().cloned().map(Into::into).collect())
                .collect())
        })
    }

    fn value_set_write(
        &self,
        py: Python<'_>,
        value_set: &str,
        members: Vec<Vec<MatchField>>,
    ) -> PyResult<()> {
        let index = self.value_set(value_set)?;
        let members = members.into_iter().map(key_to_engine).collect();
        self.with(py, |engine| {
            engine
                .value_set_write(index, members)
                .map_err(error::control)
        })
    }
}

/// Name and values of the fields of a digest.
pub type NamedDigest = (String, Vec<Int>);

/// The digests that wait, the oldest first.
pub fn take_digests(engine: &mut p4_engine::Switch) -> Vec<NamedDigest> {
    let program = Arc::clone(engine.program());
    let digests = engine.take_digests().into_iter();
    digests
        .filter_map(|digest| {
            let info = program.digests().get(digest.digest)?;
            Some((
                info.name.clone(),
                digest.values.into_iter().map(Int).collect(),
            ))
        })
        .collect()
}

fn to_members(members: Vec<(u32, u32)>) -> Vec<GroupMember> {
    members
        .into_iter()
        .map(|(member, weight)| GroupMember { member, weight })
        .collect()
}
