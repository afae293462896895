// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Lookups that were made before.
//!
//! The packets of a flow ask for the same keys, and a table often sees the same key packet after
//! packet; a lookup in a trie or among ranges costs many times what a comparison does. So results
//! are kept in an array by a hash of the key, where a key takes the place of another one. Any
//! change of the entries forgets all of them.

use super::key::StoredKey;
use super::lookup::{Lookup, pack, packing};
use crate::program::TableInfo;

/// Results that a table with many entries keeps, 16 bytes each.
const MAX_SLOTS: usize = 4096;

/// 2^64 over the golden ratio: neighbouring keys get places far from each other.
const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;

#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    key: u64,
    /// The generation in which it was made; 0: never.
    made: u32,
    /// The handle of the entry, and 1 more; 0: none matches.
    found: u32,
}

/// A lookup structure with a memory.
#[derive(Clone, Debug)]
pub(super) struct Memo {
    lookup: Lookup,
    /// By how much each word of a key is shifted to make one word of all of them.
    shifts: Box<[u32]>,
    /// As many as a power of two; none if a key takes more than a word, or before the first entry.
    slots: Vec<Slot>,
    generation: u32,
    entries: usize,
}

impl Memo {
    pub fn new(info: &TableInfo) -> Self {
        Self {
            lookup: Lookup::new(info),
            shifts: packing(info.keys.iter()).unwrap_or_default(),
            slots: Vec::new(),
            generation: 1,
            entries: 0,
        }
    }

    /// The handle of the entry that a packet's key hits. The key is used as scratch space.
    #[inline]
    pub fn find(&mut self, key: &mut [u64]) -> Option<u32> {
        let packed = pack(&self.shifts, key);
        // An array of one slot would ask for a shift by 64.
        let bits = self.slots.len().trailing_zeros() & 63;
        let place = packed.wrapping_mul(FACTOR).rotate_left(bits) as usize;
        let Some(slot) = self.slots.get_mut(place & ((1 << bits) - 1)) else {
            return self.lookup.find(key);
        };
        if slot.key != packed || slot.made != self.generation {
            let found = self.lookup.find(key).map_or(0, |handle| handle + 1);
            *slot = Slot {
                key: packed,
                made: self.generation,
                found,
            };
        }
        slot.found.checked_sub(1)
    }

    /// The same, without remembering it.
    pub fn search(&self, key: &mut [u64]) -> Option<u32> {
        self.lookup.find(key)
    }

    pub fn insert(&mut self, key: &StoredKey, handle: u32, age: u64) {
        self.lookup.insert(key, handle, age);
        self.entries += 1;
        let wanted = (4 * self.entries).next_power_of_two().min(MAX_SLOTS);
        if !self.shifts.is_empty() && wanted > self.slots.len() {
            self.slots.resize(wanted, Slot::default());
        }
        self.forget();
    }

    pub fn remove(&mut self, key: &StoredKey, handle: u32) {
        self.lookup.remove(key, handle);
        self.entries -= 1;
        self.forget();
    }

    fn forget(&mut self) {
        self.generation = self.generation.wrapping_add(1);
        if self.generation == 0 {
            self.slots.fill(Slot::default());
            self.generation = 1;
        }
    }
}
