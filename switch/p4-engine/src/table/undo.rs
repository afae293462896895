// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! A log of what the control plane changes in a table, to take it back: at the cost of the changes,
//! whatever the size of the table.

use super::{EntryAction, Idle, Run, Slot, TableState};
use crate::memory::CounterValue;
use crate::meter::MeterCell;
use crate::table::ActionCall;

/// What an entry has beside its key and action.
#[derive(Clone, Debug)]
pub(super) struct Cells {
    pub run: Run,
    pub counter: CounterValue,
    pub meter: MeterCell,
    pub idle: Idle,
}

/// A change, with what was there before.
#[derive(Clone, Debug)]
pub(super) enum Change {
    /// With the cells of the deleted entry that had this handle before, if there was one.
    Inserted(u32, Option<Cells>),
    Modified(u32, Run, EntryAction),
    Deleted(u32, Slot),
    Counter(u32, CounterValue),
    Meter(u32, MeterCell),
    Idle(u32, Idle),
    Default(Option<(ActionCall, Run)>),
    Cleared(Box<TableState>),
}

/// Where changes that belong together begin.
#[derive(Debug)]
pub(crate) struct Mark {
    at: usize,
    outermost: bool,
}

impl TableState {
    /// Keeps a log of changes from here on.
    pub fn begin(&mut self) -> Mark {
        let outermost = self.log.is_none();
        let at = self.log.get_or_insert_default().len();
        Mark { at, outermost }
    }

    /// Lets the changes since a mark stand.
    pub fn commit(&mut self, mark: &Mark) {
        if mark.outermost {
            self.log = None;
        }
    }

    /// Takes the changes since a mark back, the last first.
    pub fn rollback(&mut self, mark: &Mark) {
        let mut log = self.log.take().unwrap_or_default();
        while log.len() > mark.at
            && let Some(change) = log.pop()
        {
            self.undo(change);
        }
        if !mark.outermost {
            self.log = Some(log);
        }
    }

    /// Notes a change if there is a log.
    pub(super) fn note(&mut self, change: impl FnOnce(&Self) -> Change) {
        if let Some(mut log) = self.log.take() {
            log.push(change(self));
            self.log = Some(log);
        }
    }

    pub(super) fn cells(&self, handle: u32) -> Cells {
        let i = handle as usize;
        Cells {
            run: self.runs[i].clone(),
            counter: self.counters[i],
            meter: self.meters[i],
            idle: self.idle[i],
        }
    }

    fn undo(&mut self, change: Change) {
        match change {
            Change::Inserted(handle, before) => {
                let i = handle as usize;
                if let Some(slot) = self.slots[i].take() {
                    self.lookup.remove(&slot.key, handle);
                    self.by_key.remove(&slot.key);
                }
                match before {
                    Some(cells) => {
                        self.runs[i] = cells.run;
                        self.counters[i] = cells.counter;
                        self.meters[i] = cells.meter;
                        self.idle[i] = cells.idle;
                        self.free.push(handle);
                    }
                    // It was the last one, since later changes have been taken back.
                    None => {
                        self.slots.truncate(i);
                        self.runs.truncate(i);
                        self.counters.truncate(i);
                        self.meters.truncate(i);
                        self.idle.truncate(i);
                    }
                }
            }
            Change::Modified(handle, run, action) => {
                self.runs[handle as usize] = run;
                if let Some(slot) = &mut self.slots[handle as usize] {
                    slot.entry.action = action;
                }
            }
            Change::Deleted(handle, slot) => {
                self.free.pop(); // it is this handle
                self.lookup.insert(&slot.key, handle, slot.age);
                self.by_key.insert(slot.key.clone(), handle);
                self.slots[handle as usize] = Some(slot);
            }
            Change::Counter(handle, value) => self.counters[handle as usize] = value,
            Change::Meter(handle, cell) => self.meters[handle as usize] = cell,
            Change::Idle(handle, idle) => self.idle[handle as usize] = idle,
            Change::Default(default) => self.default = default,
            Change::Cleared(before) => {
                let default = self.default.take();
                *self = Self {
                    default,
                    initial_default: self.initial_default.take(),
                    locked: self.locked,
                    ..*before
                };
            }
        }
    }
}
