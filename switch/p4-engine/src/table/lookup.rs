// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Lookup structures, one for each kind of table.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use super::key::StoredKey;
use super::ordered::Ordered;
use super::trie::Trie;
use crate::program::{MatchKind, TableInfo};

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
                map: KeyMap::new(info.key_words),
            }),
            MatchKind::Lpm => {
                let field = info.keys.iter().find(|k| k.kind == MatchKind::Lpm);
                let (first, width) = field.map_or((0, 0), |k| (k.first as usize, k.width));
                Self::Lpm(Lpm {
                    first,
                    width,
                    all: Trie::new(width),
                    by_exact: WordMap::default(),
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

/// A hash table over keys of one length; those of one word are kept without indirection.
#[derive(Clone, Debug)]
enum KeyMap {
    One(HashMap<u64, u32, Hash>),
    Many(WordMap<u32>),
}

impl KeyMap {
    fn new(words: u32) -> Self {
        if words == 1 {
            Self::One(HashMap::default())
        } else {
            Self::Many(WordMap::default())
        }
    }

    #[inline]
    fn get(&self, key: &[u64]) -> Option<u32> {
        match (self, key) {
            (Self::One(m), [k, ..]) => m.get(k).copied(),
            (Self::One(_), []) => None,
            (Self::Many(m), _) => m.get(key).copied(),
        }
    }

    fn insert(&mut self, key: &[u64], handle: u32) {
        match (self, key) {
            (Self::One(m), [k, ..]) => m.insert(*k, handle),
            (Self::One(_), []) => None,
            (Self::Many(m), _) => m.insert(key.into(), handle),
        };
    }

    fn remove(&mut self, key: &[u64]) {
        match (self, key) {
            (Self::One(m), [k, ..]) => m.remove(k),
            (Self::One(_), []) => None,
            (Self::Many(m), _) => m.remove(key),
        };
    }
}

/// All fields exact: a hash table.
#[derive(Clone, Debug)]
pub(crate) struct Exact {
    map: KeyMap,
}

impl Index for Exact {
    fn find(&self, key: &mut [u64]) -> Option<u32> {
        self.map.get(key)
    }

    fn insert(&mut self, key: &StoredKey, handle: u32, _: u64) {
        self.map.insert(&key.a, handle);
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
    by_exact: WordMap<Trie>,
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
            _ => {
                let trie = self.by_exact.entry(exact.into());
                trie.or_insert_with(|| Trie::new(self.width))
            }
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
