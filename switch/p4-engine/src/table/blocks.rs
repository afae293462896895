// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Entries as bit vectors, 64 side by side.
//!
//! For each group of four bits of the key and each of their 16 values, a word says which of 64
//! entries match there; the conjunction over a packet's key leaves those that match everywhere
//! (Lakshman and Stiliadis, "High-speed policy-based packet forwarding using efficient
//! multi-dimensional range matching", SIGCOMM 1998, with bits for ranges). Of a range the bits that
//! all its values share take part; what is left is checked.
//!
//! Blocks are in order of rank, and are split when full and joined when sparse, so that an entry
//! comes and goes at the cost of its block.

use super::ordered::{Rank, Rules, Shape};

const BITS: usize = 64;
/// Neighbours that together have no more entries are joined.
const JOINED: u32 = 24;
/// Groups of four bits between two looks at whether anything is left.
const STEP: usize = 4;

#[derive(Clone, Debug)]
struct Block {
    /// No entry here, and none in blocks after it, has a higher rank; all in blocks before it have.
    top: Rank,
    used: u64,
    rules: [u32; BITS],
    /// For each group of four bits, 16 words.
    rows: Box<[[u64; 16]]>,
}

impl Block {
    fn new(shape: &Shape, top: Rank) -> Self {
        Self {
            top,
            used: 0,
            rules: [0; BITS],
            rows: vec![[0; 16]; shape.nibbles.len()].into(),
        }
    }

    /// The entries that may match.
    #[inline]
    fn candidates(&self, shape: &Shape, key: &[u64]) -> u64 {
        let mut left = self.used;
        let (rows, nibbles) = (self.rows.chunks(STEP), shape.nibbles.chunks(STEP));
        for (rows, nibbles) in rows.zip(nibbles) {
            for (row, &(word, shift)) in rows.iter().zip(nibbles) {
                left &= row[(key[word as usize] >> shift & 0xf) as usize];
            }
            if left == 0 {
                break;
            }
        }
        left
    }

    #[inline]
    fn find(&self, rules: &Rules, shape: &Shape, key: &[u64]) -> Option<usize> {
        let mut best: Option<(Rank, usize)> = None;
        let mut left = self.candidates(shape, key);
        while left != 0 {
            let rule = self.rules[left.trailing_zeros() as usize] as usize;
            left &= left - 1;
            let rank = rules.rank(rule);
            if best.is_none_or(|(r, _)| rank > r)
                && (!shape.any_range || shape.matches(rules.tests(rule, shape.words()), key))
            {
                best = Some((rank, rule));
            }
        }
        best.map(|(_, rule)| rule)
    }

    fn add(&mut self, rules: &Rules, shape: &Shape, rule: u32) {
        let bit = (!self.used).trailing_zeros() as usize;
        if bit >= BITS {
            return; // not reached: full blocks are split before
        }
        self.used |= 1 << bit;
        self.rules[bit] = rule;
        let tests = rules.tests(rule as usize, shape.words());
        for (row, &(word, shift)) in self.rows.iter_mut().zip(&shape.nibbles) {
            let (value, mask) = common_bits(tests[word as usize], shape.ranges[word as usize]);
            let (value, mask) = (value >> shift & 0xf, mask >> shift & 0xf);
            for (nibble, vector) in (0u64..).zip(row) {
                let matches = u64::from(nibble & mask == value);
                *vector = *vector & !(1 << bit) | matches << bit;
            }
        }
    }

    fn remove(&mut self, rule: u32) {
        let bit = (0..BITS).find(|&i| self.used >> i & 1 == 1 && self.rules[i] == rule);
        if let Some(bit) = bit {
            self.used &= !(1 << bit);
        }
    }

    /// The entries, the best first.
    fn sorted(&self, rules: &Rules) -> Vec<u32> {
        let used = (0..BITS).filter(|&i| self.used >> i & 1 == 1);
        let mut all: Vec<u32> = used.map(|i| self.rules[i]).collect();
        all.sort_unstable_by_key(|&rule| std::cmp::Reverse(rules.rank(rule as usize)));
        all
    }
}

/// Entries in bit vectors.
#[derive(Clone, Debug, Default)]
pub(super) struct Blocks {
    /// The best first.
    blocks: Vec<Block>,
}

impl Blocks {
    /// The best entry that matches, if it is better than `than`.
    #[inline]
    pub fn find_better(
        &self,
        rules: &Rules,
        shape: &Shape,
        key: &[u64],
        than: Option<Rank>,
    ) -> Option<usize> {
        for block in &self.blocks {
            if than.is_some_and(|than| than > block.top) {
                return None;
            }
            if let Some(rule) = block.find(rules, shape, key) {
                return than
                    .is_none_or(|than| rules.rank(rule) > than)
                    .then_some(rule);
            }
        }
        None
    }

    pub fn insert(&mut self, rules: &Rules, shape: &Shape, rule: u32) {
        let rank = rules.rank(rule as usize);
        let at = self.position(rank);
        let Some(block) = self.blocks.get_mut(at) else {
            let mut block = Block::new(shape, rank);
            block.add(rules, shape, rule);
            self.blocks.push(block);
            return;
        };
        block.top = block.top.max(rank);
        if block.used != u64::MAX {
            block.add(rules, shape, rule);
            return;
        }
        let mut all = block.sorted(rules);
        let worse = all.split_off(BITS / 2);
        let mut lower = Block::new(shape, rules.rank(worse[0] as usize));
        for r in worse {
            block.remove(r);
            lower.add(rules, shape, r);
        }
        let half = if rank <= lower.top { &mut lower } else { block };
        half.add(rules, shape, rule);
        self.blocks.insert(at + 1, lower);
    }

    pub fn remove(&mut self, rules: &Rules, shape: &Shape, rule: u32) {
        let at = self.position(rules.rank(rule as usize));
        let Some(block) = self.blocks.get_mut(at) else {
            return;
        };
        block.remove(rule);
        let used = block.used.count_ones();
        if used == 0 {
            self.blocks.remove(at);
        } else if let Some([block, next]) = self.blocks.get_mut(at..at + 2)
            && used + next.used.count_ones() <= JOINED
        {
            for r in next.sorted(rules) {
                block.add(rules, shape, r);
            }
            self.blocks.remove(at + 1);
        }
    }

    /// The block where an entry of this rank is or belongs.
    fn position(&self, rank: Rank) -> usize {
        self.blocks
            .partition_point(|b| b.top >= rank)
            .saturating_sub(1)
    }
}

/// The bits that all values have in common which a word's test lets pass: their value and mask.
fn common_bits([a, b]: [u64; 2], range: bool) -> (u64, u64) {
    if !range {
        return (a, b);
    }
    let mask = !u64::MAX.checked_shr((a ^ b).leading_zeros()).unwrap_or(0);
    (a & mask, mask)
}
