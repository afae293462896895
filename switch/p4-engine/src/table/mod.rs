// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Tables at run time: entries, default action, direct counters.

mod blocks;
mod classifier;
mod key;
mod lookup;
mod match_table;
mod memo;
mod ordered;
mod trie;
mod undo;

use std::collections::HashMap;

use crate::error::ControlError;
use crate::memory::CounterValue;
use crate::meter::{MeterCell, MeterColor, MeterConfig};
use crate::program::{ActionInfo, NONE, TableInfo};
use crate::value::{Value, limbs};

pub(crate) use key::StoredKey;
pub use match_table::MatchTable;
use memo::Memo;
use undo::Change;

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

/// What an entry does on a hit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EntryAction {
    /// Runs an action. For tables without an implementation.
    Call(ActionCall),
    /// Runs the action of this member of the table's action profile.
    Member(u32),
    /// Runs the action of a member of this group of the table's action selector; a hash chooses.
    /// Nothing is run if the group is empty.
    Group(u32),
}

impl EntryAction {
    /// The action, if the entry names it itself.
    pub fn call(&self) -> Option<&ActionCall> {
        match self {
            Self::Call(call) => Some(call),
            _ => None,
        }
    }
}

impl From<ActionCall> for EntryAction {
    fn from(call: ActionCall) -> Self {
        Self::Call(call)
    }
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
    pub action: EntryAction,
}

/// The `pc` of a [`Run`] that a member (`data` is 0 and its id) or a group (1 and its id) decides.
pub(crate) const INDIRECT: u32 = u32::MAX;

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
    /// How many entries were inserted before it.
    age: u64,
}

/// How long an entry may go without a hit.
#[derive(Clone, Copy, Debug, Default)]
struct Idle {
    /// 0: for ever.
    timeout_ns: u64,
    last_ns: u64,
}

/// The state of one table.
#[derive(Clone, Debug)]
pub(crate) struct TableState {
    lookup: Memo,
    by_key: HashMap<StoredKey, u32>,
    slots: Vec<Option<Slot>>,
    runs: Vec<Run>,
    counters: Vec<CounterValue>,
    /// Direct meters, if the table has them.
    meters: Vec<MeterCell>,
    idle: Vec<Idle>,
    free: Vec<u32>,
    default: Option<(ActionCall, Run)>,
    initial_default: Option<ActionCall>,
    miss: u32,
    /// Whether the control plane may not change the entries.
    locked: bool,
    /// How many entries have been inserted.
    inserted: u64,
    /// Changes that may be taken back.
    log: Option<Vec<Change>>,
}

impl TableState {
    pub fn new(info: &TableInfo) -> Self {
        Self {
            lookup: Memo::new(info),
            by_key: HashMap::new(),
            slots: Vec::new(),
            runs: Vec::new(),
            counters: Vec::new(),
            meters: Vec::new(),
            idle: Vec::new(),
            free: Vec::new(),
            default: None,
            initial_default: None,
            miss: info.next.miss.unwrap_or(info.next.base),
            locked: info.const_entries,
            inserted: 0,
            log: None,
        }
    }

    pub fn is_locked(&self) -> bool {
        self.locked
    }

    pub fn unlock(&mut self) {
        self.locked = false;
    }

    /// Looks a packet's key up. The key is used as scratch space. Counts a hit of an entry.
    /// Gives the entry's handle on a hit, what to run, and the next node.
    #[inline]
    pub fn apply(
        &mut self,
        key: &mut [u64],
        count: bool,
        length: u32,
    ) -> (Option<u32>, Option<&Run>, u32) {
        if let Some(handle) = self.lookup.find(key) {
            let i = handle as usize;
            if count {
                let c = &mut self.counters[i];
                c.packets = c.packets.wrapping_add(1);
                c.bytes = c.bytes.wrapping_add(length.into());
            }
            let run = &self.runs[i];
            return (Some(handle), Some(run), run.next);
        }
        match &self.default {
            Some((_, run)) => (None, Some(run), run.next),
            None => (None, None, self.miss),
        }
    }

    /// The entry that a packet's key hits. The key is used as scratch space.
    pub fn matching(&self, key: &mut [u64]) -> Option<&TableEntry> {
        let slot = self.slots.get(self.lookup.search(key)? as usize)?;
        slot.as_ref().map(|slot| &slot.entry)
    }

    pub fn run(&self, handle: u32) -> &Run {
        &self.runs[handle as usize]
    }

    /// Notes a hit at `now_ns` for the idle timeout.
    pub fn touch(&mut self, handle: u32, now_ns: u64) {
        self.idle[handle as usize].last_ns = now_ns;
    }

    /// Runs the direct meter of an entry.
    pub fn meter(&mut self, handle: u32, units: u64, now_ns: u64) -> MeterColor {
        self.meters[handle as usize].execute(units, now_ns)
    }

    /// Checks an action against those allowed in `what`; gives its parameters as words.
    pub fn check_action(
        what: impl Fn() -> String,
        allowed: &[usize],
        actions: &[ActionInfo],
        call: &ActionCall,
    ) -> Result<Box<[u64]>, ControlError> {
        if !allowed.contains(&call.action) {
            return Err(ControlError::invalid(match actions.get(call.action) {
                Some(a) => format!("`{}` is not an action of {}", a.name, what()),
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
        let what = || format!("table `{}`", info.name);
        let data = Self::check_action(what, &info.actions, actions, call)?;
        let next = forced
            .or_else(|| info.next.by_action.get(&call.action).copied())
            .unwrap_or(NONE);
        Ok(Run {
            pc: actions[call.action].pc,
            data,
            next,
        })
    }

    fn run_of_entry(
        info: &TableInfo,
        actions: &[ActionInfo],
        action: &EntryAction,
    ) -> Result<Run, ControlError> {
        let (group, id) = match (action, info.profile) {
            (EntryAction::Call(call), None) => {
                return Self::run_of(info, actions, call, info.next.hit);
            }
            (EntryAction::Member(id), Some(_)) => (0, *id),
            (EntryAction::Group(id), Some(_)) => (1, *id),
            (_, Some(_)) => {
                return Err(ControlError::invalid(format!(
                    "entries of table `{}` take a member or a group of its action profile",
                    info.name
                )));
            }
            (_, None) => {
                return Err(ControlError::invalid(format!(
                    "table `{}` has no action profile",
                    info.name
                )));
            }
        };
        Ok(Run {
            pc: INDIRECT,
            data: [group, id.into()].into(),
            next: NONE,
        })
    }

    pub fn insert(
        &mut self,
        info: &TableInfo,
        actions: &[ActionInfo],
        entry: TableEntry,
    ) -> Result<(), ControlError> {
        let key = StoredKey::new(info, &entry)?;
        let run = Self::run_of_entry(info, actions, &entry.action)?;
        if self.by_key.contains_key(&key) {
            return Err(ControlError::AlreadyExists);
        }
        if self.by_key.len() >= info.size {
            return Err(ControlError::TableFull { size: info.size });
        }
        let handle = match self.free.pop() {
            Some(h) => {
                self.note(|table| Change::Inserted(h, Some(table.cells(h))));
                self.runs[h as usize] = run;
                self.counters[h as usize] = CounterValue::default();
                self.meters[h as usize] = MeterCell::default();
                self.idle[h as usize] = Idle::default();
                h
            }
            None => {
                self.slots.push(None);
                self.runs.push(run);
                self.counters.push(CounterValue::default());
                self.meters.push(MeterCell::default());
                self.idle.push(Idle::default());
                let h = (self.slots.len() - 1) as u32;
                self.note(|_| Change::Inserted(h, None));
                h
            }
        };
        let age = self.inserted;
        self.inserted += 1;
        self.lookup.insert(&key, handle, age);
        self.by_key.insert(key.clone(), handle);
        self.slots[handle as usize] = Some(Slot { key, entry, age });
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

    /// The number of an entry, by which packets that hit it know it.
    pub fn handle(
        &self,
        info: &TableInfo,
        key: &[MatchField],
        priority: i32,
    ) -> Result<u32, ControlError> {
        self.find(info, key, priority)
    }

    pub fn modify(
        &mut self,
        info: &TableInfo,
        actions: &[ActionInfo],
        entry: &TableEntry,
    ) -> Result<(), ControlError> {
        let h = self.find(info, &entry.key, entry.priority)? as usize;
        let run = Self::run_of_entry(info, actions, &entry.action)?;
        let run = std::mem::replace(&mut self.runs[h], run);
        if let Some(slot) = &mut self.slots[h] {
            let action = std::mem::replace(&mut slot.entry.action, entry.action.clone());
            self.note(|_| Change::Modified(h as u32, run, action));
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
            self.note(|_| Change::Deleted(h, slot));
        }
        Ok(())
    }

    pub fn clear(&mut self, info: &TableInfo) {
        let new = Self {
            default: self.default.take(),
            initial_default: self.initial_default.take(),
            locked: self.locked,
            log: self.log.take(),
            ..Self::new(info)
        };
        let old = std::mem::replace(self, new);
        self.note(|_| Change::Cleared(Box::new(old)));
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
        let h = self.find(info, key, priority)?;
        self.note(|table| Change::Counter(h, table.counters[h as usize]));
        self.counters[h as usize] = value;
        Ok(())
    }

    pub fn set_meter(
        &mut self,
        info: &TableInfo,
        key: &[MatchField],
        priority: i32,
        config: Option<MeterConfig>,
    ) -> Result<(), ControlError> {
        let h = self.find(info, key, priority)?;
        self.note(|table| Change::Meter(h, table.meters[h as usize]));
        self.meters[h as usize].configure(config);
        Ok(())
    }

    pub fn get_meter(
        &self,
        info: &TableInfo,
        key: &[MatchField],
        priority: i32,
    ) -> Result<Option<MeterConfig>, ControlError> {
        let h = self.find(info, key, priority)? as usize;
        Ok(self.meters[h].config())
    }

    /// Sets the idle timeout of an entry, from `now_ns` on; 0: none.
    pub fn set_timeout(
        &mut self,
        info: &TableInfo,
        key: &[MatchField],
        priority: i32,
        timeout_ns: u64,
        now_ns: u64,
    ) -> Result<(), ControlError> {
        let h = self.find(info, key, priority)?;
        self.note(|table| Change::Idle(h, table.idle[h as usize]));
        self.idle[h as usize] = Idle {
            timeout_ns,
            last_ns: now_ns,
        };
        Ok(())
    }

    /// The idle timeout of an entry (0: none), and the time of its last hit.
    pub fn get_timeout(
        &self,
        info: &TableInfo,
        key: &[MatchField],
        priority: i32,
    ) -> Result<(u64, u64), ControlError> {
        let h = self.find(info, key, priority)? as usize;
        Ok((self.idle[h].timeout_ns, self.idle[h].last_ns))
    }

    /// The entries whose idle timeout has passed; their time begins anew.
    pub fn expire(&mut self, now_ns: u64) -> impl Iterator<Item = &TableEntry> {
        let late = self.slots.iter().zip(&mut self.idle);
        late.filter_map(move |(slot, idle)| {
            let slot = slot.as_ref()?;
            let gone = now_ns.saturating_sub(idle.last_ns);
            if idle.timeout_ns == 0 || gone < idle.timeout_ns {
                return None;
            }
            idle.last_ns = now_ns;
            Some(&slot.entry)
        })
    }

    /// Whether an entry refers to this member or group.
    pub fn uses(&self, action: &EntryAction) -> bool {
        let mut entries = self.slots.iter().flatten();
        entries.any(|s| s.entry.action == *action)
    }

    /// Sets counters to 0, fills the meters, and forgets the hits.
    pub fn reset_counters(&mut self) {
        self.counters.fill(CounterValue::default());
        self.meters.iter_mut().for_each(MeterCell::reset);
        self.idle.iter_mut().for_each(|i| i.last_ns = 0);
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
        let old = self.default.replace((call, run));
        self.note(|_| Change::Default(old));
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
                let old = self.default.take();
                self.note(|_| Change::Default(old));
                Ok(())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::{KeyInfo, MatchKind, Next};
    use proptest::prelude::*;

    fn info(kinds: &[MatchKind]) -> TableInfo {
        let kind = kinds.iter().copied().max_by_key(|k| match k {
            MatchKind::Exact => 0,
            MatchKind::Lpm => 1,
            MatchKind::Ternary | MatchKind::Optional => 2,
            MatchKind::Range => 3,
        });
        let mut t = TableInfo {
            name: "t".to_owned(),
            id: 0,
            kind: match kind {
                Some(MatchKind::Optional) | None => MatchKind::Ternary,
                Some(kind) => kind,
            },
            keys: Vec::new(),
            actions: vec![0],
            size: 1000,
            with_counters: true,
            const_entries: false,
            const_default_action: false,
            const_default_entry: false,
            profile: None,
            idle_timeout: false,
            direct_meter: None,
            direct_registers: Vec::new(),
            entry: None,
            key_words: kinds.len() as u32,
            layout: Vec::new(),
            next: Next::default(),
        };
        // The first word is that of the exact field, as the loader orders them.
        for (i, kind) in kinds.iter().enumerate() {
            let (name, kind) = (format!("k{i}"), *kind);
            t.keys.push(KeyInfo {
                name,
                width: 8,
                kind,
                word: 0,
                first: i as u32,
                static_mask: None,
            });
        }
        t
    }

    fn matches(m: &MatchField, k: u64) -> bool {
        let v = |v: &Value| v.limb(0);
        match m {
            MatchField::Exact(x) | MatchField::Optional(x) => k == v(x),
            MatchField::Lpm { value, prefix_len } => {
                k >> (8 - prefix_len) == v(value) >> (8 - prefix_len)
            }
            MatchField::Ternary { value, mask } => k & v(mask) == v(value),
            MatchField::Range { low, high } => (v(low)..=v(high)).contains(&k),
            MatchField::Any => true,
        }
    }

    fn field(kind: MatchKind) -> BoxedStrategy<MatchField> {
        // Few values, so that entries overlap.
        let v = || 0u64..6;
        match kind {
            MatchKind::Exact => (0u64..2).prop_map(|v| MatchField::Exact(v.into())).boxed(),
            MatchKind::Lpm => (any::<u8>(), 0u32..=8)
                .prop_map(|(v, prefix_len)| {
                    let value = u64::from(v) & (0xff00 >> prefix_len) & 0xff;
                    MatchField::Lpm {
                        value: value.into(),
                        prefix_len,
                    }
                })
                .boxed(),
            MatchKind::Ternary => (v(), v())
                .prop_map(|(v, mask)| MatchField::Ternary {
                    value: (v & mask).into(),
                    mask: mask.into(),
                })
                .boxed(),
            MatchKind::Range => (v(), v())
                .prop_map(|(a, b)| MatchField::Range {
                    low: a.min(b).into(),
                    high: a.max(b).into(),
                })
                .boxed(),
            MatchKind::Optional => prop_oneof![
                v().prop_map(|v| MatchField::Optional(v.into())),
                Just(MatchField::Any)
            ]
            .boxed(),
        }
    }

    /// Match fields, priority, and whether to insert (or delete).
    type Change = (Vec<MatchField>, i32, bool);

    /// A key, changes of the table, and the keys of packets.
    fn scenario() -> impl Strategy<Value = (Vec<MatchKind>, Vec<Change>, Vec<Vec<u64>>)> {
        use MatchKind::*;
        let kinds = prop::sample::select(vec![
            vec![Exact],
            vec![Exact, Lpm],
            vec![Lpm],
            vec![Exact, Ternary, Range],
            vec![Ternary, Optional],
            vec![Exact, Range],
            vec![Range, Lpm],
        ]);
        kinds.prop_flat_map(|kinds| {
            let key: Vec<_> = kinds.iter().map(|k| field(*k)).collect();
            let change = (key, 1i32..5, prop::bool::weighted(0.7));
            let small = prop_oneof![0u64..6, any::<u8>().prop_map(u64::from)];
            let packets = prop::collection::vec(prop::collection::vec(small, kinds.len()), 20);
            (Just(kinds), prop::collection::vec(change, 0..40), packets)
        })
    }

    proptest! {
        /// Against a plain list of entries, after inserting and deleting at random.
        #[test]
        fn lookups_match_a_plain_list((kinds, changes, packets) in scenario()) {
            let info = info(&kinds);
            let action = ActionInfo { name: "a".to_owned(), id: 0, params: Vec::new(), pc: 0 };
            let mut table = TableState::new(&info);
            let mut list: Vec<TableEntry> = Vec::new();
            for (key, priority, insert) in changes {
                // What is remembered of these is to be forgotten.
                for packet in &packets {
                    table.apply(&mut packet.clone(), false, 0);
                }
                let priority = if info.has_priority() { priority } else { 0 };
                let action_call = ActionCall { action: 0, params: Vec::new() };
                let entry = TableEntry { key, priority, action: action_call.into() };
                let known = list.iter().position(|e| e.key == entry.key && e.priority == priority);
                if insert {
                    let result = table.insert(&info, std::slice::from_ref(&action), entry.clone());
                    // Different matches may mean the same (0 under mask 0; prefix 0).
                    if known.is_some() {
                        prop_assert_eq!(result, Err(ControlError::AlreadyExists));
                    } else if result.is_ok() {
                        list.push(entry);
                    }
                } else if known.is_some() || table.delete(&info, &entry.key, priority).is_err() {
                    if let Some(i) = known {
                        prop_assert_eq!(table.delete(&info, &entry.key, priority), Ok(()));
                        list.remove(i);
                    }
                } else {
                    // The same match written otherwise.
                    let gone = |e: &TableEntry| table.get(&info, &e.key, e.priority).is_err();
                    list.retain(|e| !gone(e));
                }
            }
            prop_assert_eq!(table.len(), list.len());
            for packet in packets {
                let prefix = |e: &TableEntry| e.key.iter().find_map(|m| match m {
                    MatchField::Lpm { prefix_len, .. } => Some(*prefix_len),
                    _ => None,
                }).unwrap_or(0);
                let rank = |e: &TableEntry| if info.has_priority() { e.priority } else { prefix(e) as i32 };
                let hits = list.iter().filter(|e| e.key.iter().zip(&packet).all(|(m, k)| matches(m, *k)));
                // Of equal rank the oldest.
                let best = hits.rev().max_by_key(|e| rank(e)).cloned();
                table.reset_counters();
                table.apply(&mut packet.clone(), true, 10);
                let counted: Vec<_> = table.entries().filter(|(_, c)| c.packets > 0).collect();
                prop_assert_eq!(counted.len(), usize::from(best.is_some()));
                if let Some(best) = best {
                    prop_assert_eq!(counted[0].0, &best);
                    prop_assert_eq!(counted[0].1, CounterValue { packets: 1, bytes: 10 });
                }
            }
        }
    }
}
