// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Tables with ternary, range or optional fields: of the entries that match, the one of the highest
//! priority wins.
//!
//! A hash table over the fields that match exactly leads to the entries that share them. A few of
//! those are tried in order; many are kept in a [`Classifier`].

use super::classifier::Classifier;
use super::key::StoredKey;
use super::lookup::{Index, KeyMap};
use crate::program::{MatchKind, TableInfo};
use crate::value::{limb_mask, limbs};

/// So many entries with the same exact fields are tried one by one.
const FEW: usize = 12;

/// The order in which entries win: the larger priority, then the older entry (as in BMv2, where
/// the lowest handle wins; P4Runtime 9.1.1 leaves it open). No two entries have the same rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Rank {
    pub priority: i32,
    /// Counts down from the first entry on.
    youth: u64,
}

/// The words of a key that do not match exactly.
#[derive(Clone, Debug, Default)]
pub(super) struct Shape {
    /// For each word, whether it is matched by a range, else by a mask.
    pub ranges: Box<[bool]>,
    pub any_range: bool,
    /// The groups of four bits of the words that fields occupy: word and shift.
    pub nibbles: Box<[(u32, u32)]>,
}

impl Shape {
    fn new(info: &TableInfo, exact: usize) -> Self {
        let mut ranges = vec![false; (info.key_words as usize).saturating_sub(exact)];
        let mut nibbles = Vec::new();
        for k in &info.keys {
            for i in 0..limbs(k.width) {
                let Some(word) = (k.first as usize + i as usize).checked_sub(exact) else {
                    continue;
                };
                ranges[word] = k.kind == MatchKind::Range;
                let bits = 64 - limb_mask(k.width, i).leading_zeros();
                nibbles.extend((0..bits.div_ceil(4)).rev().map(|n| (word as u32, 4 * n)));
            }
        }
        Self {
            any_range: ranges.contains(&true),
            ranges: ranges.into(),
            nibbles: nibbles.into(),
        }
    }

    /// The number of words.
    pub fn words(&self) -> usize {
        self.ranges.len()
    }

    /// Whether a packet's key passes an entry's tests: for each word `a` and `b` of `StoredKey`.
    #[inline]
    pub fn matches(&self, tests: &[[u64; 2]], key: &[u64]) -> bool {
        if !self.any_range {
            return tests.iter().zip(key).all(|(&[a, b], &k)| k & b == a);
        }
        let mut words = tests.iter().zip(key).zip(&self.ranges);
        words.all(
            |((&[a, b], &k), &range)| {
                if range { a <= k && k <= b } else { k & b == a }
            },
        )
    }
}

/// Entries beside each other: their tests in one array, and what they are worth in others.
#[derive(Clone, Debug, Default)]
pub(super) struct Rules {
    tests: Vec<[u64; 2]>,
    ranks: Vec<Rank>,
    handles: Vec<u32>,
}

impl Rules {
    pub fn len(&self) -> usize {
        self.ranks.len()
    }

    #[inline]
    pub fn tests(&self, rule: usize, words: usize) -> &[[u64; 2]] {
        &self.tests[rule * words..][..words]
    }

    #[inline]
    pub fn rank(&self, rule: usize) -> Rank {
        self.ranks[rule]
    }

    #[inline]
    pub fn handle(&self, rule: usize) -> u32 {
        self.handles[rule]
    }

    pub fn push(&mut self, tests: &[[u64; 2]], rank: Rank, handle: u32) {
        self.insert(self.len(), tests, rank, handle);
    }

    /// Puts an entry in the place of another.
    pub fn set(&mut self, rule: usize, tests: &[[u64; 2]], rank: Rank, handle: u32) {
        self.tests[rule * tests.len()..][..tests.len()].copy_from_slice(tests);
        self.ranks[rule] = rank;
        self.handles[rule] = handle;
    }

    fn insert(&mut self, at: usize, tests: &[[u64; 2]], rank: Rank, handle: u32) {
        let place = at * tests.len();
        self.tests.splice(place..place, tests.iter().copied());
        self.ranks.insert(at, rank);
        self.handles.insert(at, handle);
    }

    fn remove(&mut self, at: usize, words: usize) {
        self.tests.drain(at * words..(at + 1) * words);
        self.ranks.remove(at);
        self.handles.remove(at);
    }
}

/// The entries that share their exact fields.
#[derive(Clone, Debug)]
enum Bucket {
    /// The best first.
    Few(Rules),
    Many(Box<Classifier>),
}

impl Default for Bucket {
    fn default() -> Self {
        Self::Few(Rules::default())
    }
}

impl Bucket {
    #[inline]
    fn find(&self, shape: &Shape, key: &[u64]) -> Option<u32> {
        match self {
            Self::Few(rules) => {
                let words = shape.words();
                let hit = |&i: &usize| shape.matches(rules.tests(i, words), key);
                (0..rules.len()).find(hit).map(|i| rules.handle(i))
            }
            Self::Many(classifier) => classifier.find(shape, key),
        }
    }

    fn insert(&mut self, shape: &Shape, tests: &[[u64; 2]], rank: Rank, handle: u32) {
        match self {
            Self::Few(rules) if rules.len() < FEW => {
                let at = rules.ranks.partition_point(|r| *r > rank);
                rules.insert(at, tests, rank, handle);
            }
            Self::Few(rules) => {
                let mut many = Box::<Classifier>::default();
                for i in 0..rules.len() {
                    let tests = rules.tests(i, shape.words());
                    many.insert(shape, tests, rules.rank(i), rules.handle(i));
                }
                many.insert(shape, tests, rank, handle);
                *self = Self::Many(many);
            }
            Self::Many(classifier) => classifier.insert(shape, tests, rank, handle),
        }
    }

    /// Removes an entry; says whether none is left. Many entries that have become few stay as they
    /// are until none is left, so that a table at the limit does not swing.
    fn remove(&mut self, shape: &Shape, handle: u32) -> bool {
        match self {
            Self::Few(rules) => {
                if let Some(at) = rules.handles.iter().position(|h| *h == handle) {
                    rules.remove(at, shape.words());
                }
                rules.len() == 0
            }
            Self::Many(classifier) => {
                classifier.remove(shape, handle);
                classifier.is_empty()
            }
        }
    }
}

/// The lookup structure of a table whose entries have priorities.
#[derive(Clone, Debug)]
pub(crate) struct Ordered {
    /// The number of words that match exactly; they come first.
    exact: usize,
    shape: Shape,
    /// The entries, if no word matches exactly.
    all: Bucket,
    /// The entries by their exact words, if there are such.
    buckets: KeyMap<Bucket>,
}

impl Ordered {
    pub fn new(info: &TableInfo) -> Self {
        let exact = info.keys.iter().filter(|k| k.kind == MatchKind::Exact);
        let exact = exact.map(|k| limbs(k.width) as usize).sum();
        Self {
            exact,
            shape: Shape::new(info, exact),
            all: Bucket::default(),
            buckets: KeyMap::new(info),
        }
    }
}

impl Index for Ordered {
    #[inline]
    fn find(&self, key: &mut [u64]) -> Option<u32> {
        if self.exact == 0 {
            return self.all.find(&self.shape, key);
        }
        let (exact, rest) = key.split_at(self.exact);
        self.buckets.get(exact)?.find(&self.shape, rest)
    }

    fn insert(&mut self, key: &StoredKey, handle: u32, age: u64) {
        let exact = &key.a[..self.exact];
        let bucket = match self.exact {
            0 => &mut self.all,
            _ => self.buckets.get_or_insert_with(exact, Bucket::default),
        };
        let words = key.a.iter().zip(&key.b).skip(self.exact);
        let tests: Vec<[u64; 2]> = words.map(|(a, b)| [*a, *b]).collect();
        let rank = Rank {
            priority: key.priority,
            youth: u64::MAX - age,
        };
        bucket.insert(&self.shape, &tests, rank, handle);
    }

    fn remove(&mut self, key: &StoredKey, handle: u32) {
        let exact = &key.a[..self.exact];
        if self.exact == 0 {
            if self.all.remove(&self.shape, handle) {
                self.all = Bucket::default();
            }
        } else if let Some(bucket) = self.buckets.get_mut(exact)
            && bucket.remove(&self.shape, handle)
        {
            self.buckets.remove(exact);
        }
    }
}
