// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Many entries with masks and ranges.
//!
//! Entries with the same mask can be found by hashing what the mask leaves of a key (tuple space
//! search: Srinivasan, Suri and Varghese, "Packet classification using tuple space search",
//! SIGCOMM 1999). It costs a hash for each mask, so it is done for masks that many entries have;
//! all other entries are in [`Blocks`]. Tuples and blocks are tried in order of the best priority
//! they hold, and left out once something better has been found.
//!
//! A range has a mask, too: a range of at most 2^n values touches at most two aligned pieces of 2^n
//! values, and is kept under both. More than half of such a piece (or of its neighbour) is in the
//! range, so what is found there is likely to match, and is checked.

use std::collections::{BTreeMap, HashMap};
use std::hash::{BuildHasherDefault, Hasher};

use super::blocks::Blocks;
use super::lookup::{WordHasher, WordMap};
use super::ordered::{Rank, Rules, Shape};

/// A tuple is made for a mask with so many entries: about what a hash costs in blocks.
const TUPLE_FROM: usize = 128;
/// A tuple with fewer entries is dissolved.
const TUPLE_UNTIL: usize = 32;
/// Only so many range fields of a key are hashed: each doubles the places of an entry.
const HASHED_RANGES: usize = 2;

const NONE: u32 = u32::MAX;

/// A hash that is its own hash.
#[derive(Clone, Default)]
pub(super) struct Itself(u64);

impl Hasher for Itself {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        // Not reached: all keys are of type u64.
        bytes
            .iter()
            .for_each(|b| self.0 = self.0 << 8 | u64::from(*b));
    }

    fn write_u64(&mut self, word: u64) {
        self.0 = word;
    }
}

/// One of the places where an entry is found, and the next worse entry there.
#[derive(Clone, Debug)]
struct Place {
    rule: u32,
    next: u32,
}

/// The entries of one mask.
#[derive(Clone, Debug)]
struct Tuple {
    mask: Box<[u64]>,
    /// By the hash of what the mask leaves of a key: the best entry's place.
    heads: HashMap<u64, u32, BuildHasherDefault<Itself>>,
    places: Vec<Place>,
    free: Vec<u32>,
}

impl Tuple {
    fn new(mask: &[u64]) -> Self {
        Self {
            mask: mask.into(),
            heads: HashMap::default(),
            places: Vec::new(),
            free: Vec::new(),
        }
    }

    #[inline]
    fn find(&self, rules: &Rules, shape: &Shape, key: &[u64]) -> Option<usize> {
        let words = key.iter().zip(&self.mask).map(|(k, m)| k & m);
        let mut at = *self.heads.get(&hash(words))?;
        while let Some(place) = self.places.get(at as usize) {
            let rule = place.rule as usize;
            if shape.matches(rules.tests(rule, shape.words()), key) {
                return Some(rule);
            }
            at = place.next;
        }
        None
    }

    fn insert(&mut self, rules: &Rules, hash: u64, rule: u32) {
        let rank = rules.rank(rule as usize);
        let head = self.heads.entry(hash).or_insert(NONE);
        let (mut before, mut at) = (NONE, *head);
        while let Some(place) = self.places.get(at as usize)
            && rules.rank(place.rule as usize) > rank
        {
            (before, at) = (at, place.next);
        }
        let place = Place { rule, next: at };
        let new = match self.free.pop() {
            Some(free) => {
                self.places[free as usize] = place;
                free
            }
            None => {
                self.places.push(place);
                (self.places.len() - 1) as u32
            }
        };
        match self.places.get_mut(before as usize) {
            Some(before) => before.next = new,
            None => *head = new,
        }
    }

    fn remove(&mut self, hash: u64, rule: u32) {
        let Some(head) = self.heads.get_mut(&hash) else {
            return;
        };
        let (mut before, mut at) = (NONE, *head);
        while let Some(place) = self.places.get(at as usize) {
            let next = place.next;
            if place.rule != rule {
                (before, at) = (at, next);
                continue;
            }
            match self.places.get_mut(before as usize) {
                Some(before) => before.next = next,
                None => *head = next,
            }
            self.free.push(at);
            break;
        }
        if *head == NONE {
            self.heads.remove(&hash);
        }
    }
}

/// The entries of one mask, wherever they are.
#[derive(Clone, Debug, Default)]
struct Group {
    /// How many entries have each priority.
    priorities: BTreeMap<i32, u32>,
    /// The rules, while they are in blocks.
    rules: Vec<u32>,
    len: usize,
    /// The tuple's number, if there is one.
    tuple: Option<u32>,
}

impl Group {
    fn best(&self) -> i32 {
        self.priorities.last_key_value().map_or(0, |(p, _)| *p)
    }
}

/// Entries that share their exact fields, found by all others.
#[derive(Clone, Debug, Default)]
pub(super) struct Classifier {
    rules: Rules,
    free: Vec<u32>,
    by_handle: HashMap<u32, u32>,
    groups: WordMap<Group>,
    tuples: Vec<Tuple>,
    unused: Vec<u32>,
    /// The best priority in each tuple, and its number; the best first.
    order: Vec<(i32, u32)>,
    blocks: Blocks,
}

impl Classifier {
    pub fn is_empty(&self) -> bool {
        self.by_handle.is_empty()
    }

    #[inline]
    pub fn find(&self, shape: &Shape, key: &[u64]) -> Option<u32> {
        let mut best: Option<(Rank, usize)> = None;
        for &(priority, tuple) in &self.order {
            if best.is_some_and(|(rank, _)| rank.priority > priority) {
                break;
            }
            if let Some(rule) = self.tuples[tuple as usize].find(&self.rules, shape, key) {
                best = best.max(Some((self.rules.rank(rule), rule)));
            }
        }
        let than = best.map(|(rank, _)| rank);
        if let Some(rule) = self.blocks.find_better(&self.rules, shape, key, than) {
            return Some(self.rules.handle(rule));
        }
        best.map(|(_, rule)| self.rules.handle(rule))
    }

    pub fn insert(&mut self, shape: &Shape, tests: &[[u64; 2]], rank: Rank, handle: u32) {
        let rule = match self.free.pop() {
            Some(free) => {
                self.rules.set(free as usize, tests, rank, handle);
                free
            }
            None => {
                self.rules.push(tests, rank, handle);
                (self.rules.len() - 1) as u32
            }
        };
        self.by_handle.insert(handle, rule);
        let mask = mask_of(shape, tests);
        let group = self.groups.entry(mask.clone()).or_default();
        *group.priorities.entry(rank.priority).or_default() += 1;
        group.len += 1;
        match group.tuple {
            Some(tuple) => {
                let best = group.best();
                for hash in hashes(shape, &mask, tests) {
                    self.tuples[tuple as usize].insert(&self.rules, hash, rule);
                }
                self.place(tuple, Some(best));
            }
            None => {
                group.rules.push(rule);
                self.blocks.insert(&self.rules, shape, rule);
                if group.len >= TUPLE_FROM {
                    self.make_tuple(shape, &mask);
                }
            }
        }
    }

    pub fn remove(&mut self, shape: &Shape, handle: u32) {
        let Some(rule) = self.by_handle.remove(&handle) else {
            return;
        };
        let rank = self.rules.rank(rule as usize);
        let tests = self.rules.tests(rule as usize, shape.words());
        let mask = mask_of(shape, tests);
        let Some(group) = self.groups.get_mut(&mask) else {
            return;
        };
        if let Some(count) = group.priorities.get_mut(&rank.priority) {
            *count -= 1;
            if *count == 0 {
                group.priorities.remove(&rank.priority);
            }
        }
        group.len -= 1;
        let (best, len) = (group.best(), group.len);
        match group.tuple {
            Some(tuple) => {
                for hash in hashes(shape, &mask, tests) {
                    self.tuples[tuple as usize].remove(hash, rule);
                }
                self.free.push(rule);
                if len < TUPLE_UNTIL {
                    self.dissolve_tuple(shape, &mask, tuple);
                } else {
                    self.place(tuple, Some(best));
                }
            }
            None => {
                group.rules.retain(|r| *r != rule);
                if group.len == 0 {
                    self.groups.remove(&mask);
                }
                self.blocks.remove(&self.rules, shape, rule);
                self.free.push(rule);
            }
        }
    }

    /// Moves the entries of a mask from blocks into a tuple.
    fn make_tuple(&mut self, shape: &Shape, mask: &[u64]) {
        let Some(group) = self.groups.get_mut(mask) else {
            return;
        };
        let (rules, best) = (std::mem::take(&mut group.rules), group.best());
        let mut tuple = Tuple::new(mask);
        for rule in rules {
            let tests = self.rules.tests(rule as usize, shape.words());
            for hash in hashes(shape, mask, tests) {
                tuple.insert(&self.rules, hash, rule);
            }
            self.blocks.remove(&self.rules, shape, rule);
        }
        let number = match self.unused.pop() {
            Some(unused) => {
                self.tuples[unused as usize] = tuple;
                unused
            }
            None => {
                self.tuples.push(tuple);
                (self.tuples.len() - 1) as u32
            }
        };
        group.tuple = Some(number);
        self.place(number, Some(best));
    }

    /// Moves the entries of a tuple into blocks.
    fn dissolve_tuple(&mut self, shape: &Shape, mask: &[u64], number: u32) {
        let tuple = std::mem::replace(&mut self.tuples[number as usize], Tuple::new(&[]));
        self.unused.push(number);
        self.place(number, None);
        let mut rules = Vec::new();
        for &head in tuple.heads.values() {
            let mut at = head;
            while let Some(place) = tuple.places.get(at as usize) {
                rules.push(place.rule);
                at = place.next;
            }
        }
        rules.sort_unstable();
        rules.dedup(); // ranges have several places
        for &rule in &rules {
            self.blocks.insert(&self.rules, shape, rule);
        }
        if let Some(group) = self.groups.get_mut(mask) {
            group.tuple = None;
            group.rules = rules;
        }
    }

    /// Puts a tuple where its best priority says, or takes it out of the order.
    fn place(&mut self, tuple: u32, best: Option<i32>) {
        let old = self.order.iter().position(|(_, t)| *t == tuple);
        if let (Some(old), Some(best)) = (old, best)
            && self.order[old].0 == best
        {
            return;
        }
        if let Some(old) = old {
            self.order.remove(old);
        }
        if let Some(best) = best {
            let at = self.order.partition_point(|(p, _)| *p >= best);
            self.order.insert(at, (best, tuple));
        }
    }
}

fn hash(words: impl Iterator<Item = u64>) -> u64 {
    let mut hasher = WordHasher::default();
    words.for_each(|w| hasher.write_u64(w));
    hasher.finish()
}

/// The bits by which an entry can be found; of a range those above its size.
fn mask_of(shape: &Shape, tests: &[[u64; 2]]) -> Box<[u64]> {
    let mut ranges = 0;
    let word = |(&[a, b], &range): (&[u64; 2], &bool)| {
        if !range {
            return b;
        }
        ranges += 1;
        if ranges > HASHED_RANGES {
            return 0;
        }
        // The least n with b - a < 2^n.
        let size = 64 - (b - a).leading_zeros();
        u64::MAX.checked_shl(size).unwrap_or(0)
    };
    tests.iter().zip(&shape.ranges).map(word).collect()
}

/// The hashes of all places where an entry is kept; each once.
fn hashes(shape: &Shape, mask: &[u64], tests: &[[u64; 2]]) -> impl Iterator<Item = u64> + use<> {
    let mut all = [None; 1 << HASHED_RANGES];
    for choice in 0..all.len() {
        let mut ranges = 0;
        let words = tests.iter().zip(mask).zip(&shape.ranges);
        let place = hash(words.map(|((&[a, b], &m), &range)| {
            let upper = range && choice >> ranges & 1 == 1;
            ranges += usize::from(range);
            if upper { b & m } else { a & m }
        }));
        if !all.contains(&Some(place)) {
            all[choice] = Some(place);
        }
    }
    all.into_iter().flatten()
}
