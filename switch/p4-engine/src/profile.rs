// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Action profiles and action selectors: actions that table entries share by the id of a member,
//! or of a group of members from which a hash chooses.

use std::collections::BTreeMap;

use crate::error::ControlError;
use crate::program::{ActionInfo, ActionProfileInfo};
use crate::table::{ActionCall, TableState};

/// A member of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GroupMember {
    /// The member's id.
    pub member: u32,
    /// Its weight: how many of the group's shares it gets; at least 1.
    pub weight: u32,
}

/// The most shares (sum of weights) of one group.
pub(crate) const MAX_SHARES: u64 = 1 << 16;

#[derive(Clone, Debug)]
pub(crate) struct Member {
    pub call: ActionCall,
    pub pc: u32,
    pub data: Box<[u64]>,
}

#[derive(Clone, Debug, Default)]
struct Group {
    members: Vec<GroupMember>,
    /// One member id for each share.
    shares: Vec<u32>,
}

/// The state of one action profile.
#[derive(Clone, Debug, Default)]
pub(crate) struct Profile {
    members: BTreeMap<u32, Member>,
    groups: BTreeMap<u32, Group>,
}

impl Profile {
    fn no_member(info: &ActionProfileInfo, id: u32) -> ControlError {
        ControlError::NotFound(format!("action profile `{}` has no member {id}", info.name))
    }

    fn no_group(info: &ActionProfileInfo, id: u32) -> ControlError {
        ControlError::NotFound(format!("action profile `{}` has no group {id}", info.name))
    }

    pub fn member(&self, id: u32) -> Option<&Member> {
        self.members.get(&id)
    }

    /// The member of a group that a hash chooses; `None` if there is no group or it is empty.
    pub fn choose(&self, group: u32, hash: impl FnOnce() -> u64) -> Option<&Member> {
        let g = self.groups.get(&group)?;
        let share = match g.shares.len() as u64 {
            0 => return None,
            1 => 0,
            n => hash() % n,
        };
        self.members.get(&g.shares[share as usize])
    }

    pub fn members(&self) -> impl Iterator<Item = (u32, &ActionCall)> {
        self.members.iter().map(|(id, m)| (*id, &m.call))
    }

    pub fn groups(&self) -> impl Iterator<Item = (u32, &[GroupMember])> {
        self.groups.iter().map(|(id, g)| (*id, &g.members[..]))
    }

    pub fn group(&self, info: &ActionProfileInfo, id: u32) -> Result<&[GroupMember], ControlError> {
        let found = self.groups.get(&id).map(|g| &g.members[..]);
        found.ok_or_else(|| Self::no_group(info, id))
    }

    fn check(
        info: &ActionProfileInfo,
        actions: &[ActionInfo],
        call: ActionCall,
    ) -> Result<Member, ControlError> {
        let what = || format!("action profile `{}`", info.name);
        let data = TableState::check_action(what, &info.actions, actions, &call)?;
        let pc = actions[call.action].pc;
        Ok(Member { call, pc, data })
    }

    pub fn member_insert(
        &mut self,
        info: &ActionProfileInfo,
        actions: &[ActionInfo],
        id: u32,
        call: ActionCall,
    ) -> Result<(), ControlError> {
        let member = Self::check(info, actions, call)?;
        if self.members.contains_key(&id) {
            return Err(ControlError::AlreadyExists);
        }
        if self.members.len() >= info.size {
            return Err(ControlError::TableFull { size: info.size });
        }
        self.members.insert(id, member);
        Ok(())
    }

    pub fn member_modify(
        &mut self,
        info: &ActionProfileInfo,
        actions: &[ActionInfo],
        id: u32,
        call: ActionCall,
    ) -> Result<(), ControlError> {
        let member = Self::check(info, actions, call)?;
        let old = self.members.get_mut(&id);
        *old.ok_or_else(|| Self::no_member(info, id))? = member;
        Ok(())
    }

    pub fn member_delete(&mut self, info: &ActionProfileInfo, id: u32) -> Result<(), ControlError> {
        let user = self
            .groups
            .iter()
            .find(|(_, g)| g.members.iter().any(|m| m.member == id));
        if let Some((g, _)) = user {
            return Err(ControlError::InUse(format!(
                "member {id} of action profile `{}` is in group {g}",
                info.name
            )));
        }
        let gone = self.members.remove(&id);
        gone.map(|_| ()).ok_or_else(|| Self::no_member(info, id))
    }

    fn group_of(
        &self,
        info: &ActionProfileInfo,
        members: Vec<GroupMember>,
    ) -> Result<Group, ControlError> {
        if !info.with_selector {
            return Err(ControlError::invalid(format!(
                "action profile `{}` has no selector, so it has no groups",
                info.name
            )));
        }
        let total: u64 = members.iter().map(|m| u64::from(m.weight)).sum();
        if total > MAX_SHARES {
            return Err(ControlError::invalid(format!(
                "the weights of a group sum up to {total}, above {MAX_SHARES}"
            )));
        }
        let mut shares = Vec::new();
        for (i, m) in members.iter().enumerate() {
            if !self.members.contains_key(&m.member) {
                return Err(Self::no_member(info, m.member));
            }
            if m.weight == 0 {
                return Err(ControlError::invalid(format!(
                    "member {} has weight 0",
                    m.member
                )));
            }
            if members[..i].iter().any(|o| o.member == m.member) {
                return Err(ControlError::invalid(format!(
                    "member {} is named twice",
                    m.member
                )));
            }
            shares.resize(shares.len() + m.weight as usize, m.member);
        }
        // As in simple_switch, the order of shares is that of member ids.
        shares.sort_unstable();
        Ok(Group { members, shares })
    }

    pub fn group_insert(
        &mut self,
        info: &ActionProfileInfo,
        id: u32,
        members: Vec<GroupMember>,
    ) -> Result<(), ControlError> {
        let group = self.group_of(info, members)?;
        if self.groups.contains_key(&id) {
            return Err(ControlError::AlreadyExists);
        }
        if self.groups.len() >= info.size {
            return Err(ControlError::TableFull { size: info.size });
        }
        self.groups.insert(id, group);
        Ok(())
    }

    pub fn group_modify(
        &mut self,
        info: &ActionProfileInfo,
        id: u32,
        members: Vec<GroupMember>,
    ) -> Result<(), ControlError> {
        let group = self.group_of(info, members)?;
        let old = self.groups.get_mut(&id);
        *old.ok_or_else(|| Self::no_group(info, id))? = group;
        Ok(())
    }

    pub fn group_delete(&mut self, info: &ActionProfileInfo, id: u32) -> Result<(), ControlError> {
        let gone = self.groups.remove(&id);
        gone.map(|_| ()).ok_or_else(|| Self::no_group(info, id))
    }

    /// Whether the target of an entry exists.
    pub fn has(&self, info: &ActionProfileInfo, group: bool, id: u32) -> Result<(), ControlError> {
        match group {
            true if !self.groups.contains_key(&id) => Err(Self::no_group(info, id)),
            false if !self.members.contains_key(&id) => Err(Self::no_member(info, id)),
            _ => Ok(()),
        }
    }
}
