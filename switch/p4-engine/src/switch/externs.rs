// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! The control-plane API beyond tables: action profiles, meters, multicast groups, clone sessions,
//! digests, parser value sets, idle timeouts. Objects are named by index into the program's lists.

use super::{Digest, Switch};
use crate::error::ControlError;
use crate::meter::{MeterCell, MeterConfig};
use crate::profile::GroupMember;
use crate::program::{ActionProfileInfo, KeyTest, ValueSetInfo};
use crate::replicate::{CloneSession, Replica, Replication, SESSION_MASK};
use crate::table::{ActionCall, EntryAction, MatchField, TableEntry};
use crate::value::{limb_mask, limbs};

fn missing(what: &str, index: usize) -> ControlError {
    ControlError::NotFound(format!("no {what} with index {index}"))
}

impl Switch {
    fn profile(&self, profile: usize) -> Result<&ActionProfileInfo, ControlError> {
        let info = self.program.profiles.get(profile);
        info.ok_or_else(|| missing("action profile", profile))
    }

    /// Whether the member or group that an entry names exists.
    pub(super) fn check_target(
        &self,
        table: usize,
        action: &EntryAction,
    ) -> Result<(), ControlError> {
        let profile = self.program.tables.get(table).and_then(|t| t.profile);
        match (profile, action) {
            (Some(p), EntryAction::Member(id)) => {
                self.state.profiles[p].has(&self.program.profiles[p], false, *id)
            }
            (Some(p), EntryAction::Group(id)) => {
                self.state.profiles[p].has(&self.program.profiles[p], true, *id)
            }
            // The table refuses what does not fit it.
            _ => Ok(()),
        }
    }

    fn unused(&self, info: &ActionProfileInfo, action: &EntryAction) -> Result<(), ControlError> {
        let user = info
            .tables
            .iter()
            .find(|t| self.state.tables[**t].uses(action));
        match user {
            Some(t) => Err(ControlError::InUse(format!(
                "an entry of table `{}` refers to it",
                self.program.tables[*t].name
            ))),
            None => Ok(()),
        }
    }

    /// Adds a member to an action profile.
    ///
    /// # Errors
    /// `NotFound`, `AlreadyExists`, `TableFull`, or `InvalidArgument` if the action does not fit.
    pub fn member_insert(
        &mut self,
        profile: usize,
        member: u32,
        call: ActionCall,
    ) -> Result<(), ControlError> {
        self.profile(profile)?;
        let p = &self.program;
        self.state.profiles[profile].member_insert(&p.profiles[profile], &p.actions, member, call)
    }

    /// Replaces the action of a member.
    ///
    /// # Errors
    /// `NotFound`, or `InvalidArgument` if the action does not fit.
    pub fn member_modify(
        &mut self,
        profile: usize,
        member: u32,
        call: ActionCall,
    ) -> Result<(), ControlError> {
        self.profile(profile)?;
        let p = &self.program;
        self.state.profiles[profile].member_modify(&p.profiles[profile], &p.actions, member, call)
    }

    /// Removes a member that no entry and no group refers to.
    ///
    /// # Errors
    /// `NotFound` or `InUse`.
    pub fn member_delete(&mut self, profile: usize, member: u32) -> Result<(), ControlError> {
        self.unused(self.profile(profile)?, &EntryAction::Member(member))?;
        self.state.profiles[profile].member_delete(&self.program.profiles[profile], member)
    }

    /// The members of an action profile in order of their ids.
    ///
    /// # Errors
    /// `NotFound` if there is no such action profile.
    pub fn members(
        &self,
        profile: usize,
    ) -> Result<impl Iterator<Item = (u32, &ActionCall)>, ControlError> {
        self.profile(profile)?;
        Ok(self.state.profiles[profile].members())
    }

    /// Adds a group to an action selector. Its members must exist.
    ///
    /// # Errors
    /// `NotFound`, `AlreadyExists`, `TableFull`, or `InvalidArgument` if the members do not make a
    /// group.
    pub fn group_insert(
        &mut self,
        profile: usize,
        group: u32,
        members: Vec<GroupMember>,
    ) -> Result<(), ControlError> {
        self.profile(profile)?;
        self.state.profiles[profile].group_insert(&self.program.profiles[profile], group, members)
    }

    /// Replaces the members of a group.
    ///
    /// # Errors
    /// `NotFound`, or `InvalidArgument` if the members do not make a group.
    pub fn group_modify(
        &mut self,
        profile: usize,
        group: u32,
        members: Vec<GroupMember>,
    ) -> Result<(), ControlError> {
        self.profile(profile)?;
        self.state.profiles[profile].group_modify(&self.program.profiles[profile], group, members)
    }

    /// Removes a group that no entry refers to.
    ///
    /// # Errors
    /// `NotFound` or `InUse`.
    pub fn group_delete(&mut self, profile: usize, group: u32) -> Result<(), ControlError> {
        self.unused(self.profile(profile)?, &EntryAction::Group(group))?;
        self.state.profiles[profile].group_delete(&self.program.profiles[profile], group)
    }

    /// The groups of an action selector in order of their ids.
    ///
    /// # Errors
    /// `NotFound` if there is no such action profile.
    pub fn groups(
        &self,
        profile: usize,
    ) -> Result<impl Iterator<Item = (u32, &[GroupMember])>, ControlError> {
        self.profile(profile)?;
        Ok(self.state.profiles[profile].groups())
    }

    /// The members of one group.
    ///
    /// # Errors
    /// `NotFound`.
    pub fn group(&self, profile: usize, group: u32) -> Result<&[GroupMember], ControlError> {
        let info = self.profile(profile)?;
        self.state.profiles[profile].group(info, group)
    }

    fn meter_size(&self, meter: usize) -> Result<usize, ControlError> {
        let info = self.program.meters.get(meter);
        let info = info.ok_or_else(|| missing("meter", meter))?;
        match info.table {
            None => Ok(info.size),
            Some(t) => Err(ControlError::invalid(format!(
                "`{}` is the direct meter of table `{}`",
                info.name, self.program.tables[t].name
            ))),
        }
    }

    /// Configures a cell of an indirect meter and fills its buckets; `None`: everything is green.
    ///
    /// # Errors
    /// `NotFound`, `OutOfRange`, or `InvalidArgument` for a direct meter.
    pub fn meter_write(
        &mut self,
        meter: usize,
        index: usize,
        config: Option<MeterConfig>,
    ) -> Result<(), ControlError> {
        let size = self.meter_size(meter)?;
        let cell: Option<&mut MeterCell> = self.state.machine.meters[meter].get_mut(index);
        cell.ok_or(ControlError::OutOfRange { index, size })?
            .configure(config);
        Ok(())
    }

    /// The configuration of a cell of an indirect meter.
    ///
    /// # Errors
    /// `NotFound`, `OutOfRange`, or `InvalidArgument` for a direct meter.
    pub fn meter_read(
        &self,
        meter: usize,
        index: usize,
    ) -> Result<Option<MeterConfig>, ControlError> {
        let size = self.meter_size(meter)?;
        let cell = self.state.machine.meters[meter].get(index);
        Ok(cell
            .ok_or(ControlError::OutOfRange { index, size })?
            .config())
    }

    fn needs(&self, table: usize, what: &str) -> Result<(), ControlError> {
        let info = self.program.tables.get(table);
        let info = info.ok_or_else(|| missing("table", table))?;
        let has = match what {
            "direct meter" => info.direct_meter.is_some(),
            _ => info.idle_timeout,
        };
        if has {
            return Ok(());
        }
        Err(ControlError::invalid(format!(
            "table `{}` has no {what}",
            info.name
        )))
    }

    /// Configures the direct meter of an entry and fills its buckets.
    ///
    /// # Errors
    /// `NotFound`, or `InvalidArgument` if the key does not fit or the table has no meters.
    pub fn table_meter_write(
        &mut self,
        table: usize,
        key: &[MatchField],
        priority: i32,
        config: Option<MeterConfig>,
    ) -> Result<(), ControlError> {
        self.needs(table, "direct meter")?;
        self.state.tables[table].set_meter(&self.program.tables[table], key, priority, config)
    }

    /// The configuration of the direct meter of an entry.
    ///
    /// # Errors
    /// `NotFound`, or `InvalidArgument` if the key does not fit or the table has no meters.
    pub fn table_meter_read(
        &self,
        table: usize,
        key: &[MatchField],
        priority: i32,
    ) -> Result<Option<MeterConfig>, ControlError> {
        self.needs(table, "direct meter")?;
        self.state.tables[table].get_meter(&self.program.tables[table], key, priority)
    }

    /// Sets how long an entry may go without a hit, from `now_ns` on; 0: for ever.
    ///
    /// # Errors
    /// `NotFound`, or `InvalidArgument` if the key does not fit or the table has no idle timeout.
    pub fn set_idle_timeout(
        &mut self,
        table: usize,
        key: &[MatchField],
        priority: i32,
        timeout_ns: u64,
        now_ns: u64,
    ) -> Result<(), ControlError> {
        self.needs(table, "idle timeout")?;
        let info = &self.program.tables[table];
        self.state.tables[table].set_timeout(info, key, priority, timeout_ns, now_ns)
    }

    /// The idle timeout of an entry (0: none) and the time of its last hit (or when the timeout
    /// was set or last reported), in nanoseconds.
    ///
    /// # Errors
    /// `NotFound`, or `InvalidArgument` if the key does not fit or the table has no idle timeout.
    pub fn idle_timeout(
        &self,
        table: usize,
        key: &[MatchField],
        priority: i32,
    ) -> Result<(u64, u64), ControlError> {
        self.needs(table, "idle timeout")?;
        self.state.tables[table].get_timeout(&self.program.tables[table], key, priority)
    }

    /// The entries that went without a hit for longer than their idle timeout, with the index of
    /// their table. They stay in the table, and are reported again after another such time. Call
    /// this now and then: it looks at all entries of the tables with idle timeouts.
    pub fn take_idle_entries(&mut self, now_ns: u64) -> Vec<(usize, TableEntry)> {
        let mut out = Vec::new();
        for (i, info) in self.program.tables.iter().enumerate() {
            if info.idle_timeout {
                out.extend(self.state.tables[i].expire(now_ns).map(|e| (i, e.clone())));
            }
        }
        out
    }

    /// Sets the members of a multicast group, creating it if need be. Group 0 means "no multicast"
    /// and cannot be set.
    ///
    /// # Errors
    /// `InvalidArgument` for group 0, a repeated or too many replicas.
    pub fn multicast_group_set(
        &mut self,
        group: u32,
        replicas: Vec<Replica>,
    ) -> Result<(), ControlError> {
        if group == 0 {
            return Err(ControlError::invalid("multicast group 0 means no group"));
        }
        Replication::check(&replicas)?;
        self.replication.groups.insert(group, replicas);
        Ok(())
    }

    /// Removes a multicast group.
    ///
    /// # Errors
    /// `NotFound`.
    pub fn multicast_group_delete(&mut self, group: u32) -> Result<(), ControlError> {
        let gone = self.replication.groups.remove(&group);
        gone.map(|_| ())
            .ok_or_else(|| missing("multicast group", group as usize))
    }

    /// The replicas of a multicast group, if there is such a group.
    pub fn multicast_group(&self, group: u32) -> Option<&[Replica]> {
        self.replication.groups.get(&group).map(Vec::as_slice)
    }

    /// All multicast groups in order of their ids.
    pub fn multicast_groups(&self) -> impl Iterator<Item = (u32, &[Replica])> {
        self.replication.groups.iter().map(|(id, r)| (*id, &r[..]))
    }

    /// Sets a clone session, creating it if need be. Ids are 1 to 32767, as `simple_switch` keeps
    /// 15 bits of them; session 0 can be set, too.
    ///
    /// # Errors
    /// `InvalidArgument` for an id that is too large, a repeated or too many replicas.
    pub fn clone_session_set(
        &mut self,
        id: u32,
        session: CloneSession,
    ) -> Result<(), ControlError> {
        if u64::from(id) > SESSION_MASK {
            return Err(ControlError::invalid(format!(
                "clone session {id} is above {SESSION_MASK}"
            )));
        }
        Replication::check(&session.replicas)?;
        self.replication.sessions.insert(id, session);
        Ok(())
    }

    /// Removes a clone session.
    ///
    /// # Errors
    /// `NotFound`.
    pub fn clone_session_delete(&mut self, id: u32) -> Result<(), ControlError> {
        let gone = self.replication.sessions.remove(&id);
        gone.map(|_| ())
            .ok_or_else(|| missing("clone session", id as usize))
    }

    /// A clone session, if there is one of that id.
    pub fn clone_session(&self, id: u32) -> Option<&CloneSession> {
        self.replication.sessions.get(&id)
    }

    /// All clone sessions in order of their ids.
    pub fn clone_sessions(&self) -> impl Iterator<Item = (u32, &CloneSession)> {
        self.replication.sessions.iter().map(|(id, s)| (*id, s))
    }

    /// Whether [`Switch::take_digests`] has something to give.
    pub fn has_digests(&self) -> bool {
        !self.digests.is_empty()
    }

    /// The digests since the last call, the oldest first: at most `SwitchConfig::digest_capacity`.
    pub fn take_digests(&mut self) -> Vec<Digest> {
        self.digests.drain(..).collect()
    }

    /// How many digests were lost because too many waited.
    pub fn lost_digests(&self) -> u64 {
        self.lost_digests
    }

    fn value_set(&self, set: usize) -> Result<&ValueSetInfo, ControlError> {
        let info = self.program.value_sets.get(set);
        info.ok_or_else(|| missing("parser value set", set))
    }

    /// Replaces the members of a parser value set. A member has one match for each field of
    /// `ValueSetInfo::widths`.
    ///
    /// # Errors
    /// `NotFound`, `TableFull`, or `InvalidArgument` if a member does not fit.
    pub fn value_set_write(
        &mut self,
        set: usize,
        members: Vec<Vec<MatchField>>,
    ) -> Result<(), ControlError> {
        let info = self.value_set(set)?;
        if members.len() > info.size {
            return Err(ControlError::TableFull { size: info.size });
        }
        let tests = members.iter().map(|m| key_tests(info, m));
        let tests = tests.collect::<Result<Vec<_>, _>>()?;
        self.state.machine.value_sets[set] = tests;
        self.value_sets[set] = members;
        Ok(())
    }

    /// The members of a parser value set.
    ///
    /// # Errors
    /// `NotFound`.
    pub fn value_set_read(&self, set: usize) -> Result<&[Vec<MatchField>], ControlError> {
        self.value_set(set)?;
        Ok(&self.value_sets[set])
    }
}

fn key_tests(info: &ValueSetInfo, member: &[MatchField]) -> Result<Box<[KeyTest]>, ControlError> {
    let fail = |what: String| {
        Err(ControlError::invalid(format!(
            "value set `{}`: {what}",
            info.name
        )))
    };
    if member.len() != info.widths.len() {
        let (n, m) = (info.widths.len(), member.len());
        return fail(format!("a member has {n} fields, not {m}"));
    }
    let mut out = Vec::new();
    for (m, &width) in member.iter().zip(&info.widths) {
        let values = match m {
            MatchField::Exact(v) | MatchField::Optional(v) => vec![v],
            MatchField::Lpm { value, .. } => vec![value],
            MatchField::Ternary { value, mask } => vec![value, mask],
            MatchField::Range { low, high } => vec![low, high],
            MatchField::Any => vec![],
        };
        if let Some(v) = values.iter().find(|v| !v.fits(width)) {
            return fail(format!("{v} does not fit into {width} bits"));
        }
        for i in 0..limbs(width) {
            let (at, all) = (i as usize, limb_mask(width, i));
            out.push(match m {
                MatchField::Exact(v) | MatchField::Optional(v) => KeyTest::Masked(v.limb(at), all),
                MatchField::Lpm { value, prefix_len } => {
                    let Some(rest) = width.checked_sub(*prefix_len) else {
                        return fail(format!("prefix length {prefix_len} exceeds {width} bits"));
                    };
                    let mask = all & !limb_mask(rest, i);
                    KeyTest::Masked(value.limb(at) & mask, mask)
                }
                MatchField::Ternary { value, mask } => {
                    KeyTest::Masked(value.limb(at) & mask.limb(at), mask.limb(at))
                }
                MatchField::Range { low, high } if width <= 64 => {
                    KeyTest::Between(low.limb(0), high.limb(0))
                }
                MatchField::Range { .. } => {
                    return fail("a range over more than 64 bits".to_owned());
                }
                MatchField::Any => KeyTest::Masked(0, 0),
            });
        }
    }
    Ok(out.into())
}
