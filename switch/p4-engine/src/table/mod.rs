// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Tables at run time: entries, default action, direct counters.

mod key;
mod lookup;

use std::collections::HashMap;

use crate::error::ControlError;
use crate::exec::CounterValue;
use crate::program::{ActionInfo, NONE, TableInfo};
use crate::value::{Value, limbs};

pub(crate) use key::StoredKey;
use lookup::Lookup;

/// How one key field of an entry matches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MatchField {
    /// Equal to the value.
    Exact(Value),
    /// The first `prefix_len` bits are equal; all others of `value` must be 0.
    Lpm {
        /// The prefix.
        value: Value,
        /// Its length in bits.
        prefix_len: u32,
    },
    /// Equal where the mask is 1; `value` must be 0 elsewhere.
    Ternary {
        /// The value.
        value: Value,
        /// The mask.
        mask: Value,
    },
    /// Within the closed interval.
    Range {
        /// The lowest value that matches.
        low: Value,
        /// The highest value that matches.
        high: Value,
    },
    /// Equal to the value (match kind `optional`).
    Optional(Value),
    /// Anything: a field that a P4Runtime request leaves out. Not for exact fields.
    Any,
}

/// An action with its parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActionCall {
    /// Index into `Program::actions`.
    pub action: usize,
    /// One value per parameter.
    pub params: Vec<Value>,
}

/// A table entry as the control plane sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableEntry {
    /// One match per key field, in the order of `TableInfo::keys`.
    pub key: Vec<MatchField>,
    /// As in P4Runtime: positive, the larger wins, in tables with a ternary, range or optional
    /// field; 0 in all others.
    pub priority: i32,
    /// What to do on a hit.
    pub action: ActionCall,
}

/// What a hit or a miss runs.
#[derive(Clone, Debug)]
pub(crate) struct Run {
    pub pc: u32,
    /// The parameters, as words.
    pub data: Box<[u64]>,
    /// The node after it.
    pub next: u32,
}

#[derive(Clone, Debug)]
struct Slot {
    key: StoredKey,
    entry: TableEntry,
}

/// The state of one table.
#[derive(Clone, Debug)]
pub(crate) struct TableState {
    lookup: Lookup,
    by_key: HashMap<StoredKey, u32>,
    slots: Vec<Option<Slot>>,
    runs: Vec<Run>,
    counters: Vec<CounterValue>,
    free: Vec<u32>,
    default: Option<(ActionCall, Run)>,
    initial_default: Option<ActionCall>,
    miss: u32,
}

impl TableState {
    pub fn new(info: &TableInfo) -> Self {
        Self {
            lookup: Lookup::new(info),
            by_key: HashMap::new(),
            slots: Vec::new(),
            runs: Vec::new(),
            counters: Vec::new(),
            free: Vec::new(),
            default: None,
            initial_default: None,
            miss: info.next.miss.unwrap_or(info.next.base),
        }
    }

    /// Looks a packet's key up. The key is used as scratch space. Counts a hit of an entry.
    #[inline]
    pub fn apply(&mut self, key: &mut [u64], count: bool, length: u32) -> (Option<&Run>, u32) {
        if let Some(handle) = self.lookup.find(key) {
            let i = handle as usize;
            if count {
                let c = &mut self.counters[i];
                c.packets = c.packets.wrapping_add(1);
                c.bytes = c.bytes.wrapping_add(length.into());
            }
            let run = &self.runs[i];
            return (Some(run), run.next);
        }
        match &self.default {
            Some((_, run)) => (Some(run), run.next),
            None => (None, self.miss),
        }
    }

    fn check_action(
        info: &TableInfo,
        actions: &[ActionInfo],
        call: &ActionCall,
    ) -> Result<Box<[u64]>, ControlError> {
        if !info.actions.contains(&call.action) {
            return Err(ControlError::invalid(match actions.get(call.action) {
                Some(a) => format!("`{}` is not an action of table `{}`", a.name, info.name),
                None => format!("no action with index {}", call.action),
            }));
        }
        let a = &actions[call.action];
        if call.params.len() != a.params.len() {
            return Err(ControlError::invalid(format!(
                "action `{}` takes {} parameters, not {}",
                a.name,
                a.params.len(),
                call.params.len()
            )));
        }
        let mut data = Vec::new();
        for (info, v) in a.params.iter().zip(&call.params) {
            if !v.fits(info.width) {
                return Err(ControlError::invalid(format!(
                    "parameter `{}` of action `{}`: {v} does not fit into {} bits",
                    info.name, a.name, info.width
                )));
            }
            data.extend((0..limbs(info.width)).map(|i| v.limb(i as usize)));
        }
        Ok(data.into())
    }

    fn run_of(
        info: &TableInfo,
        actions: &[ActionInfo],
        call: &ActionCall,
        forced: Option<u32>,
    ) -> Result<Run, ControlError> {
        let data = Self::check_action(info, actions, call)?;
        let next = forced
            .or_else(|| info.next.by_action.get(&call.action).copied())
            .unwrap_or(NONE);
        Ok(Run {
            pc: actions[call.action].pc,
            data,
            next,
        })
    }

    pub fn insert(
        &mut self,
        info: &TableInfo,
        actions: &[ActionInfo],
        entry: TableEntry,
    ) -> Result<(), ControlError> {
        let key = StoredKey::new(info, &entry)?;
        let run = Self::run_of(info, actions, &entry.action, info.next.hit)?;
        if self.by_key.contains_key(&key) {
            return Err(ControlError::AlreadyExists);
        }
        if self.by_key.len() >= info.size {
            return Err(ControlError::TableFull { size: info.size });
        }
        let handle = match self.free.pop() {
            Some(h) => {
                self.runs[h as usize] = run;
                self.counters[h as usize] = CounterValue::default();
                h
            }
            None => {
                self.slots.push(None);
                self.runs.push(run);
                self.counters.push(CounterValue::default());
                (self.slots.len() - 1) as u32
            }
        };
        self.lookup.insert(&key, handle);
        self.by_key.insert(key.clone(), handle);
        self.slots[handle as usize] = Some(Slot { key, entry });
        Ok(())
    }

    fn find(
        &self,
        info: &TableInfo,
        key: &[MatchField],
        priority: i32,
    ) -> Result<u32, ControlError> {
        let key = StoredKey::from_fields(info, key, priority)?;
        self.by_key.get(&key).copied().ok_or_else(|| {
            ControlError::NotFound(format!("no such entry in table `{}`", info.name))
        })
    }

    pub fn modify(
        &mut self,
        info: &TableInfo,
        actions: &[ActionInfo],
        entry: &TableEntry,
    ) -> Result<(), ControlError> {
        let h = self.find(info, &entry.key, entry.priority)? as usize;
        self.runs[h] = Self::run_of(info, actions, &entry.action, info.next.hit)?;
        if let Some(slot) = &mut self.slots[h] {
            slot.entry.action = entry.action.clone();
        }
        Ok(())
    }

    pub fn delete(
        &mut self,
        info: &TableInfo,
        key: &[MatchField],
        priority: i32,
    ) -> Result<(), ControlError> {
        let h = self.find(info, key, priority)?;
        if let Some(slot) = self.slots[h as usize].take() {
            self.lookup.remove(&slot.key, h);
            self.by_key.remove(&slot.key);
            self.free.push(h);
        }
        Ok(())
    }

    pub fn clear(&mut self, info: &TableInfo) {
        let (default, initial) = (self.default.take(), self.initial_default.take());
        *self = Self {
            default,
            initial_default: initial,
            ..Self::new(info)
        };
    }

    pub fn len(&self) -> usize {
        self.by_key.len()
    }

    /// The entries with their direct counters, in order of their slots.
    pub fn entries(&self) -> impl Iterator<Item = (&TableEntry, CounterValue)> {
        self.slots
            .iter()
            .zip(&self.counters)
            .filter_map(|(s, c)| s.as_ref().map(|s| (&s.entry, *c)))
    }

    pub fn get(
        &self,
        info: &TableInfo,
        key: &[MatchField],
        priority: i32,
    ) -> Result<(&TableEntry, CounterValue), ControlError> {
        let h = self.find(info, key, priority)? as usize;
        match &self.slots[h] {
            Some(s) => Ok((&s.entry, self.counters[h])),
            None => Err(ControlError::NotFound(format!(
                "no such entry in table `{}`",
                info.name
            ))),
        }
    }

    pub fn set_counter(
        &mut self,
        info: &TableInfo,
        key: &[MatchField],
        priority: i32,
        value: CounterValue,
    ) -> Result<(), ControlError> {
        let h = self.find(info, key, priority)? as usize;
        self.counters[h] = value;
        Ok(())
    }

    pub fn reset_counters(&mut self) {
        self.counters.fill(CounterValue::default());
    }

    pub fn default_action(&self) -> Option<&ActionCall> {
        self.default.as_ref().map(|(call, _)| call)
    }

    pub fn default_run(&self) -> Option<&Run> {
        self.default.as_ref().map(|(_, run)| run)
    }

    pub fn set_default(
        &mut self,
        info: &TableInfo,
        actions: &[ActionInfo],
        call: ActionCall,
    ) -> Result<(), ControlError> {
        let run = Self::run_of(info, actions, &call, info.next.miss)?;
        self.default = Some((call, run));
        Ok(())
    }

    /// Makes the present default action the one that a reset restores.
    pub fn keep_default(&mut self) {
        self.initial_default = self.default.as_ref().map(|(call, _)| call.clone());
    }

    pub fn reset_default(
        &mut self,
        info: &TableInfo,
        actions: &[ActionInfo],
    ) -> Result<(), ControlError> {
        match self.initial_default.clone() {
            Some(call) => self.set_default(info, actions, call),
            None => {
                self.default = None;
                Ok(())
            }
        }
    }
}
