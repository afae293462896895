// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Lookup structures, one for each kind of table.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use super::key::StoredKey;
use super::ordered::Ordered;
use super::trie::Trie;
use crate::program::{KeyInfo, MatchKind, TableInfo};

/// What a table's entries are found by. The words of a key are ordered so that the fields that
/// match exactly come first.
pub(super) trait Index {
    /// The handle of the entry that wins. `key` is scratch space.
    fn find(&self, key: &mut [u64]) -> Option<u32>;
    /// Adds an entry whose key is not there yet. Of entries of the same priority the one of the lower
    /// `age` wins; no two are alike.
    fn insert(&mut self, key: &StoredKey, handle: u32, age: u64);
    /// Removes an entry.
    fn remove(&mut self, key: &StoredKey, handle: u32);
}

/// The lookup structure of a table.
#[derive(Clone, Debug)]
pub(crate) enum Lookup {
    /// A table without key: nothing is ever found.
    None,
    Exact(Exact),
    Lpm(Lpm),
    Ordered(Ordered),
}

impl Lookup {
    pub fn new(info: &TableInfo) -> Self {
        match info.kind {
            _ if info.keys.is_empty() => Self::None,
            MatchKind::Exact => Self::Exact(Exact {
                map: KeyMap::new(info),
            }),
            MatchKind::Lpm => {
                let field = info.keys.iter().find(|k| k.kind == MatchKind::Lpm);
                let (first, width) = field.map_or((0, 0), |k| (k.first as usize, k.width));
                Self::Lpm(Lpm {
                    first,
                    width,
                    all: Trie::new(width),
                    by_exact: KeyMap::new(info),
                })
            }
            MatchKind::Ternary | MatchKind::Range | MatchKind::Optional => {
                Self::Ordered(Ordered::new(info))
            }
        }
    }

    #[inline]
    pub fn find(&self, key: &mut [u64]) -> Option<u32> {
        match self {
            Self::None => None,
            Self::Exact(x) => x.find(key),
            Self::Lpm(x) => x.find(key),
            Self::Ordered(x) => x.find(key),
        }
    }

    pub fn insert(&mut self, key: &StoredKey, handle: u32, age: u64) {
        match self {
            Self::None => {}
            Self::Exact(x) => x.insert(key, handle, age),
            Self::Lpm(x) => x.insert(key, handle, age),
            Self::Ordered(x) => x.insert(key, handle, age),
        }
    }

    pub fn remove(&mut self, key: &StoredKey, handle: u32) {
        match self {
            Self::None => {}
            Self::Exact(x) => x.remove(key, handle),
            Self::Lpm(x) => x.remove(key, handle),
            Self::Ordered(x) => x.remove(key, handle),
        }
    }
}

/// A fast hash of words (multiply and rotate). Keys come from the control plane, which may harm
/// only itself.
#[derive(Default)]
pub(crate) struct WordHasher(u64);

impl Hasher for WordHasher {
    fn finish(&self) -> u64 {
        self.0 ^ self.0 >> 32
    }

    fn write(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks::<8>();
        for w in words {
            self.write_u64(u64::from_le_bytes(*w));
        }
        for &b in rest {
            self.write_u64(b.into());
        }
    }

    fn write_u64(&mut self, w: u64) {
        self.0 = (self.0.rotate_left(26) ^ w).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }

    fn write_usize(&mut self, n: usize) {
        self.0 ^= n as u64;
    }
}

type Hash = BuildHasherDefault<WordHasher>;
pub(super) type WordMap<V> = HashMap<Box<[u64]>, V, Hash>;

/// A hash table by the words that match exactly. If they have at most 64 bits together, they are
/// packed into one word.
#[derive(Clone, Debug)]
pub(super) enum KeyMap<V> {
    Packed {
        /// By how much each word of the key is shifted.
        shifts: Box<[u32]>,
        map: HashMap<u64, V, Hash>,
    },
    Words(WordMap<V>),
}

/// By how much each word of a key is shifted to make one word of all these fields, in the order of
/// their words; `None` if they do not fit.
pub(super) fn packing<'a>(fields: impl Iterator<Item = &'a KeyInfo>) -> Option<Box<[u32]>> {
    let mut fields: Vec<&KeyInfo> = fields.filter(|k| k.width > 0).collect();
    fields.sort_by_key(|k| k.first);
    let mut end = 0;
    let mut shifts = Vec::new();
    for k in fields {
        shifts.push(end);
        end = k.width.checked_add(end).filter(|end| *end <= 64)?;
    }
    Some(shifts.into())
}

/// The words of a key as one.
#[inline]
pub(super) fn pack(shifts: &[u32], key: &[u64]) -> u64 {
    let words = key.iter().zip(shifts);
    words.fold(0, |packed, (w, shift)| packed | w << shift)
}

impl<V> KeyMap<V> {
    pub fn new(info: &TableInfo) -> Self {
        let exact = info.keys.iter().filter(|k| k.kind == MatchKind::Exact);
        match packing(exact) {
            Some(shifts) => Self::Packed {
                shifts,
                map: HashMap::default(),
            },
            None => Self::Words(WordMap::default()),
        }
    }

    #[inline]
    pub fn get(&self, key: &[u64]) -> Option<&V> {
        match self {
            Self::Packed { shifts, map } => map.get(&pack(shifts, key)),
            Self::Words(map) => map.get(key),
        }
    }

    pub fn get_mut(&mut self, key: &[u64]) -> Option<&mut V> {
        match self {
            Self::Packed { shifts, map } => map.get_mut(&pack(shifts, key)),
            Self::Words(map) => map.get_mut(key),
        }
    }

    pub fn get_or_insert_with(&mut self, key: &[u64], new: impl FnOnce() -> V) -> &mut V {
        match self {
            Self::Packed { shifts, map } => map.entry(pack(shifts, key)).or_insert_with(new),
            Self::Words(map) => map.entry(key.into()).or_insert_with(new),
        }
    }

    pub fn remove(&mut self, key: &[u64]) {
        match self {
            Self::Packed { shifts, map } => map.remove(&pack(shifts, key)),
            Self::Words(map) => map.remove(key),
        };
    }
}

/// All fields exact: a hash table.
#[derive(Clone, Debug)]
pub(crate) struct Exact {
    map: KeyMap<u32>,
}

impl Index for Exact {
    #[inline]
    fn find(&self, key: &mut [u64]) -> Option<u32> {
        self.map.get(key).copied()
    }

    fn insert(&mut self, key: &StoredKey, handle: u32, _: u64) {
        *self.map.get_or_insert_with(&key.a, || handle) = handle;
    }

    fn remove(&mut self, key: &StoredKey, _: u32) {
        self.map.remove(&key.a);
    }
}

/// One LPM field, and any number of exact ones: a trie for each value of these.
#[derive(Clone, Debug)]
pub(crate) struct Lpm {
    /// First word of the LPM field; those before it match exactly.
    first: usize,
    width: u32,
    /// The entries, if no word matches exactly.
    all: Trie,
    /// The entries by their exact words, if there are such.
    by_exact: KeyMap<Trie>,
}

impl Index for Lpm {
    #[inline]
    fn find(&self, key: &mut [u64]) -> Option<u32> {
        if self.first == 0 {
            return self.all.find(key);
        }
        let (exact, field) = key.split_at_checked(self.first)?;
        self.by_exact.get(exact)?.find(field)
    }

    fn insert(&mut self, key: &StoredKey, handle: u32, _: u64) {
        let (exact, field) = key.a.split_at(self.first);
        let trie = match self.first {
            0 => &mut self.all,
            _ => (self.by_exact).get_or_insert_with(exact, || Trie::new(self.width)),
        };
        trie.insert(field, key.prefix_len, handle);
    }

    fn remove(&mut self, key: &StoredKey, _: u32) {
        let (exact, field) = key.a.split_at(self.first);
        if self.first == 0 {
            self.all.remove(field, key.prefix_len);
        } else if let Some(trie) = self.by_exact.get_mut(exact) {
            trie.remove(field, key.prefix_len);
            if trie.is_empty() {
                self.by_exact.remove(exact);
            }
        }
    }
}
