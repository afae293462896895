// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Lookup structures, one for each kind of table.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use super::key::{StoredKey, prefix_limb};
use super::ordered::Ordered;
use crate::program::{MatchKind, TableInfo};

/// What a table's entries are found by. The words of a key are ordered so that the fields that
/// match exactly come first.
pub(super) trait Index {
    /// The handle of the entry that wins. `key` is scratch space.
    fn find(&self, key: &mut [u64]) -> Option<u32>;
    /// Adds an entry whose key is not there yet.
    fn insert(&mut self, key: &StoredKey, handle: u32);
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
                    words: info.key_words,
                    by_length: Vec::new(),
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

    pub fn insert(&mut self, key: &StoredKey, handle: u32) {
        match self {
            Self::None => {}
            Self::Exact(x) => x.insert(key, handle),
            Self::Lpm(x) => x.insert(key, handle),
            Self::Ordered(x) => x.insert(key, handle),
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

    fn is_empty(&self) -> bool {
        match self {
            Self::One(m) => m.is_empty(),
            Self::Many(m) => m.is_empty(),
        }
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

    fn insert(&mut self, key: &StoredKey, handle: u32) {
        self.map.insert(&key.a, handle);
    }

    fn remove(&mut self, key: &StoredKey, _: u32) {
        self.map.remove(&key.a);
    }
}

/// One LPM field: a hash table for each prefix length in use, the longest first.
#[derive(Clone, Debug)]
pub(crate) struct Lpm {
    /// First word and width of the LPM field.
    first: usize,
    width: u32,
    /// Words of the whole key.
    words: u32,
    by_length: Vec<Prefixes>,
}

/// The entries of one prefix length.
#[derive(Clone, Debug)]
struct Prefixes {
    len: u32,
    /// The mask of the LPM field's words.
    mask: Box<[u64]>,
    map: KeyMap,
}

impl Index for Lpm {
    fn find(&self, key: &mut [u64]) -> Option<u32> {
        for p in &self.by_length {
            key[self.first..]
                .iter_mut()
                .zip(&p.mask)
                .for_each(|(k, m)| *k &= m);
            let found = p.map.get(key);
            if found.is_some() {
                return found;
            }
        }
        None
    }

    fn insert(&mut self, key: &StoredKey, handle: u32) {
        let len = key.prefix_len;
        let i = self.by_length.partition_point(|p| p.len > len);
        if self.by_length.get(i).is_none_or(|p| p.len != len) {
            let limbs = crate::value::limbs(self.width);
            let mask = (0..limbs)
                .map(|i| prefix_limb(self.width, len, i))
                .collect();
            self.by_length.insert(
                i,
                Prefixes {
                    len,
                    mask,
                    map: KeyMap::new(self.words),
                },
            );
        }
        self.by_length[i].map.insert(&key.a, handle);
    }

    fn remove(&mut self, key: &StoredKey, _: u32) {
        if let Some(p) = self.by_length.iter_mut().find(|p| p.len == key.prefix_len) {
            p.map.remove(&key.a);
        }
        self.by_length.retain(|p| !p.map.is_empty());
    }
}
