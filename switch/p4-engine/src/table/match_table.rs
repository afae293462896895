// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! A table's key on its own.

use std::collections::HashMap;

use super::lookup::Lookup;
use super::{MatchField, StoredKey};
use crate::error::ControlError;
use crate::program::{KeyInfo, MatchKind, Next, TableInfo};
use crate::value::limbs;

/// The match unit of a table without program, actions and packets: finds entries as the tables of a
/// pipeline do. For measurements and tests of lookups.
#[derive(Clone, Debug)]
pub struct MatchTable {
    info: TableInfo,
    lookup: Lookup,
    entries: HashMap<StoredKey, u32>,
    inserted: u64,
}

impl MatchTable {
    /// A table with a key of fields of these kinds and widths in bits.
    pub fn new(fields: &[(MatchKind, u32)]) -> Self {
        let mut info = TableInfo {
            name: "table".to_owned(),
            id: 0,
            kind: kind_of(fields),
            keys: Vec::new(),
            actions: Vec::new(),
            size: usize::MAX,
            with_counters: false,
            const_entries: false,
            const_default_action: false,
            const_default_entry: false,
            profile: None,
            idle_timeout: false,
            direct_meter: None,
            direct_registers: Vec::new(),
            entry: None,
            key_words: 0,
            layout: Vec::new(),
            next: Next::default(),
        };
        for (i, &(kind, width)) in fields.iter().enumerate() {
            info.keys.push(KeyInfo {
                name: format!("field {i}"),
                width,
                kind,
                word: 0,
                first: 0,
                static_mask: None,
            });
        }
        for exact in [true, false] {
            let fields = info.keys.iter_mut();
            for k in fields.filter(|k| (k.kind == MatchKind::Exact) == exact) {
                k.first = info.key_words;
                info.key_words += limbs(k.width);
            }
        }
        let lookup = Lookup::new(&info);
        Self {
            info,
            lookup,
            entries: HashMap::new(),
            inserted: 0,
        }
    }

    /// Adds an entry, known by `handle`. The priority is 0 if no field is ternary, range or optional.
    ///
    /// # Errors
    /// If the match is not one of this table, or is there already with this priority.
    pub fn insert(
        &mut self,
        key: &[MatchField],
        priority: i32,
        handle: u32,
    ) -> Result<(), ControlError> {
        let key = StoredKey::from_fields(&self.info, key, priority)?;
        if self.entries.contains_key(&key) {
            return Err(ControlError::AlreadyExists);
        }
        self.lookup.insert(&key, handle, self.inserted);
        self.inserted += 1;
        self.entries.insert(key, handle);
        Ok(())
    }

    /// Removes an entry; gives its handle.
    ///
    /// # Errors
    /// If there is no such entry.
    pub fn remove(&mut self, key: &[MatchField], priority: i32) -> Result<u32, ControlError> {
        let key = StoredKey::from_fields(&self.info, key, priority)?;
        let handle = self.entries.remove(&key);
        let handle = handle.ok_or_else(|| ControlError::NotFound("no such entry".to_owned()))?;
        self.lookup.remove(&key, handle);
        Ok(handle)
    }

    /// The handle of the entry that a packet hits. `key` has 64-bit words, the least significant of a
    /// field first, the exact fields before all others; it is used as scratch space.
    #[inline]
    pub fn find(&self, key: &mut [u64]) -> Option<u32> {
        self.lookup.find(key)
    }
}

/// The kind of a table as a whole: that of its most general field.
fn kind_of(fields: &[(MatchKind, u32)]) -> MatchKind {
    let has = |kind| fields.iter().any(|(k, _)| *k == kind);
    if has(MatchKind::Range) {
        MatchKind::Range
    } else if has(MatchKind::Ternary) || has(MatchKind::Optional) {
        MatchKind::Ternary
    } else if has(MatchKind::Lpm) {
        MatchKind::Lpm
    } else {
        MatchKind::Exact
    }
}
