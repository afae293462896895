// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Longest prefix match by a multibit trie.
//!
//! A node decides on eight bits of the key. Bit vectors of 256 bits say for which of their values there
//! is a child and for which an entry, and the number of bits below a value is its place in a dense
//! array (the bitmaps of Eatherton, Varghese and Dittia, "Tree bitmap: hardware/software IP lookups
//! with incremental updates", CCR 2004, with the bit vectors of Asai and Ohara, "Poptrie", SIGCOMM
//! 2015). Within a node shorter prefixes are expanded to the values that they cover; from node to node
//! they are not, so an entry comes and goes at the cost of one node. Bytes in which nothing is decided
//! are skipped: a node holds up to seven that lead to it.

/// Bytes that a node can skip.
const SKIPPED: usize = 7;
/// Prefixes of so many bits cover few values, which are looked at one by one.
const FEW_VALUES: u8 = 4;

/// A key of whole bytes, the most significant first: the words of a field, the least significant first,
/// with zeros in front.
#[derive(Clone, Copy)]
struct Bytes<'a> {
    words: &'a [u64],
    len: usize,
}

impl Bytes<'_> {
    #[inline]
    fn get(self, at: usize) -> u8 {
        let i = self.len.wrapping_sub(at + 1);
        let word = self.words.get(i / 8).copied().unwrap_or(0);
        (word >> (8 * (i % 8))) as u8
    }
}

/// A set of bytes, and how many members are below each.
#[derive(Clone, Debug, Default)]
struct ByteSet {
    bits: [u64; 4],
    /// The members in the words before.
    before: [u8; 4],
}

impl ByteSet {
    #[inline]
    fn contains(&self, byte: u8) -> bool {
        self.bits[usize::from(byte >> 6)] >> (byte & 63) & 1 == 1
    }

    /// The members below a byte.
    #[inline]
    fn rank(&self, byte: u8) -> usize {
        let word = usize::from(byte >> 6);
        let below = self.bits[word] & ((1 << (byte & 63)) - 1);
        usize::from(self.before[word]) + below.count_ones() as usize
    }

    #[inline]
    fn find(&self, byte: u8) -> Option<usize> {
        self.contains(byte).then(|| self.rank(byte))
    }

    fn toggle(&mut self, byte: u8) {
        self.bits[usize::from(byte >> 6)] ^= 1 << (byte & 63);
        self.count();
    }

    fn count(&mut self) {
        let mut before = 0u8;
        for (word, bits) in self.bits.iter().enumerate() {
            self.before[word] = before;
            // At most 192 are before the last word.
            before = before.wrapping_add(bits.count_ones() as u8);
        }
    }

    /// The only member, if there is no other.
    fn only(&self) -> Option<u8> {
        let count: u32 = self.bits.iter().map(|b| b.count_ones()).sum();
        let word = self.bits.iter().position(|b| *b != 0)?;
        (count == 1).then(|| (word as u32 * 64 + self.bits[word].trailing_zeros()) as u8)
    }
}

/// The bits of a byte after the first `len`.
fn rest(len: u8) -> u8 {
    0xff_u8.checked_shr(len.into()).unwrap_or(0)
}

/// A prefix that ends in a node: its last bits, 0 to 8 of them.
#[derive(Clone, Copy, Debug)]
struct Prefix {
    len: u8,
    value: u8,
    handle: u32,
}

#[derive(Clone, Debug, Default)]
struct Node {
    with_child: ByteSet,
    covered: ByteSet,
    skip_len: u8,
    /// The bytes between the parent's and this node's.
    skip: [u8; SKIPPED],
    children: Vec<Node>,
    /// For each covered value the handle of the longest prefix.
    leaves: Vec<u32>,
    /// The shortest first.
    prefixes: Vec<Prefix>,
}

impl Node {
    /// An empty node that skips the bytes from `from` on, as many as possible up to `to`.
    fn new(key: Bytes, from: usize, to: usize) -> Self {
        let mut node = Self::default();
        for (at, slot) in (from..to).zip(&mut node.skip) {
            *slot = key.get(at);
            node.skip_len += 1;
        }
        node
    }

    #[inline]
    fn skipped(&self) -> &[u8] {
        self.skip.get(..self.skip_len.into()).unwrap_or_default()
    }

    fn is_empty(&self) -> bool {
        self.prefixes.is_empty() && self.children.is_empty()
    }

    fn add_child(&mut self, byte: u8, child: Node) -> usize {
        let at = self.with_child.rank(byte);
        self.with_child.toggle(byte);
        self.children.insert(at, child);
        at
    }

    /// Puts a node in front of this one that skips only the first `len` bytes.
    fn split(&mut self, len: usize) {
        let mut lower = std::mem::take(self);
        let skipped = lower.skip;
        self.skip[..len].copy_from_slice(&skipped[..len]);
        self.skip_len = len as u8;
        lower.skip_len -= len as u8 + 1;
        lower.skip = [0; SKIPPED];
        let rest = usize::from(lower.skip_len);
        lower.skip[..rest].copy_from_slice(&skipped[len + 1..][..rest]);
        self.add_child(skipped[len], lower);
    }

    /// Leaves this node out if it only leads to another one, and the bytes can be skipped.
    fn merge(&mut self) {
        let len = usize::from(self.skip_len);
        if let Some(byte) = self.with_child.only()
            && self.prefixes.is_empty()
            && let [child] = &mut self.children[..]
            && len + 1 + child.skipped().len() <= SKIPPED
        {
            let mut node = std::mem::take(child);
            let rest = usize::from(node.skip_len);
            let mut skip = self.skip;
            skip[len] = byte;
            skip[len + 1..][..rest].copy_from_slice(&node.skip[..rest]);
            node.skip = skip;
            node.skip_len = (len + 1 + rest) as u8;
            *self = node;
        }
    }

    fn add_prefix(&mut self, prefix: Prefix) {
        let at = self.prefixes.partition_point(|p| p.len <= prefix.len);
        self.prefixes.insert(at, prefix);
        self.update(prefix.len, prefix.value);
    }

    /// Finds anew which prefix the values have that begin with these bits.
    fn update(&mut self, len: u8, value: u8) {
        if len < FEW_VALUES {
            return self.expand();
        }
        for byte in value..=value | rest(len) {
            let covers = |p: &&Prefix| (byte ^ p.value) & !rest(p.len) == 0;
            let best = self.prefixes.iter().rev().find(covers);
            let at = self.covered.rank(byte);
            match (best.map(|p| p.handle), self.covered.contains(byte)) {
                (Some(handle), true) => self.leaves[at] = handle,
                (Some(handle), false) => {
                    self.leaves.insert(at, handle);
                    self.covered.toggle(byte);
                }
                (None, true) => {
                    self.leaves.remove(at);
                    self.covered.toggle(byte);
                }
                (None, false) => {}
            }
        }
    }

    /// Finds anew which prefix each value has. At most nine prefixes, one of each length, cover a value.
    fn expand(&mut self) {
        let mut handles = [None; 256];
        for p in &self.prefixes {
            let from = usize::from(p.value);
            let count = 256usize >> p.len;
            handles
                .iter_mut()
                .skip(from)
                .take(count)
                .for_each(|h| *h = Some(p.handle));
        }
        self.covered = ByteSet::default();
        for (byte, handle) in (0u8..=255).zip(&handles) {
            if handle.is_some() {
                self.covered.bits[usize::from(byte >> 6)] |= 1 << (byte & 63);
            }
        }
        self.covered.count();
        self.leaves = handles.into_iter().flatten().collect();
    }

    /// Removes what `place` says, below and within this node, whose own byte comes after `at`.
    fn remove(&mut self, key: Bytes, at: usize, place: &Place) {
        let at = at + self.skipped().len();
        if at >= place.node {
            self.prefixes
                .retain(|p| (p.len, p.value) != (place.len, place.value));
            self.update(place.len, place.value);
            return;
        }
        let byte = key.get(at);
        let Some(i) = self.with_child.find(byte) else {
            return;
        };
        let child = &mut self.children[i];
        child.remove(key, at + 1, place);
        if !child.is_empty() {
            child.merge();
            return;
        }
        self.children.remove(i);
        self.with_child.toggle(byte);
        if self.children.len() <= self.children.capacity() / 4 {
            self.children.shrink_to(self.children.len() * 2);
        }
    }
}

/// Where a prefix is kept.
struct Place {
    /// The number of the byte that its node decides on.
    node: usize,
    /// Its bits within that byte.
    len: u8,
    value: u8,
}

/// Entries by the prefixes of one field.
#[derive(Clone, Debug)]
pub(super) struct Trie {
    root: Node,
    width: u32,
}

impl Trie {
    /// For a field of `width` bits.
    pub fn new(width: u32) -> Self {
        Self {
            root: Node::default(),
            width,
        }
    }

    pub fn is_empty(&self) -> bool {
        self.root.is_empty()
    }

    #[inline]
    fn bytes<'a>(&self, words: &'a [u64]) -> Bytes<'a> {
        let len = (self.width as usize).div_ceil(8).max(1);
        Bytes { words, len }
    }

    fn place(&self, key: Bytes, prefix_len: u32) -> Place {
        // With the zeros that fill the first byte.
        let len = prefix_len as usize + (8 * key.len).saturating_sub(self.width as usize);
        let node = len.saturating_sub(1) / 8;
        Place {
            node,
            len: (len - 8 * node) as u8,
            value: key.get(node),
        }
    }

    /// The handle of the longest prefix that the words of a packet's field begin with.
    #[inline]
    pub fn find(&self, words: &[u64]) -> Option<u32> {
        let key = self.bytes(words);
        if let [word] = *words {
            let top = 8 * (key.len as u32).wrapping_sub(1);
            return self.walk(|at| (word >> (top.wrapping_sub(8 * at as u32) & 63)) as u8);
        }
        self.walk(|at| key.get(at))
    }

    /// Goes down the trie by the bytes of a key.
    #[inline]
    fn walk(&self, key: impl Fn(usize) -> u8) -> Option<u32> {
        let mut best: Option<(&Node, u8)> = None;
        let (mut node, mut at) = (&self.root, 0);
        'down: loop {
            for &byte in node.skipped() {
                if key(at) != byte {
                    break 'down;
                }
                at += 1;
            }
            let byte = key(at);
            if node.covered.contains(byte) {
                best = Some((node, byte));
            }
            match node.with_child.find(byte) {
                Some(i) => (node, at) = (&node.children[i], at + 1),
                None => break,
            }
        }
        let (node, byte) = best?;
        node.leaves.get(node.covered.rank(byte)).copied()
    }

    /// Adds a prefix that is not there yet; the bits after it are 0.
    pub fn insert(&mut self, words: &[u64], prefix_len: u32, handle: u32) {
        let key = self.bytes(words);
        let Place {
            node: end,
            len,
            value,
        } = self.place(key, prefix_len);
        let (mut node, mut at) = (&mut self.root, 0);
        if node.is_empty() {
            *node = Node::new(key, 0, end);
        }
        loop {
            let skipped = node.skipped();
            let differs = |i: &usize| at + i >= end || skipped[*i] != key.get(at + i);
            if let Some(i) = (0..skipped.len()).find(differs) {
                node.split(i);
            }
            at += node.skipped().len();
            if at >= end {
                node.add_prefix(Prefix { len, value, handle });
                return;
            }
            let byte = key.get(at);
            at += 1;
            let i = match node.with_child.find(byte) {
                Some(i) => i,
                None => node.add_child(byte, Node::new(key, at, end)),
            };
            node = &mut node.children[i];
        }
    }

    /// Removes a prefix.
    pub fn remove(&mut self, words: &[u64], prefix_len: u32) {
        let key = self.bytes(words);
        let place = self.place(key, prefix_len);
        self.root.remove(key, 0, &place);
        match self.root.is_empty() {
            true => self.root = Node::default(),
            false => self.root.merge(),
        }
    }

    /// The bytes that the nodes take.
    #[cfg(test)]
    fn size(&self) -> usize {
        fn below(node: &Node) -> usize {
            let own = node.children.capacity() * size_of::<Node>()
                + node.prefixes.capacity() * size_of::<Prefix>()
                + node.leaves.capacity() * size_of::<u32>();
            own + node.children.iter().map(below).sum::<usize>()
        }
        size_of::<Self>() + below(&self.root)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::{limb_mask, limbs};
    use proptest::prelude::*;
    use rand_core::{Rng, SeedableRng};
    use std::collections::BTreeMap;

    /// The first `len` of `width` bits.
    fn cut(words: &[u64], width: u32, len: u32) -> Vec<u64> {
        let limb = |(i, w): (u32, &u64)| w & limb_mask(width, i) & !limb_mask(width - len, i);
        (0..).zip(words).map(limb).collect()
    }

    /// Widths of one to three words, with and without a remainder.
    fn width() -> impl Strategy<Value = u32> {
        prop::sample::select(vec![
            1, 5, 8, 9, 16, 31, 32, 33, 48, 64, 65, 100, 128, 129, 160,
        ])
    }

    /// A value, which bytes of it to take from it instead of a common pattern, and a length.
    type Seed = ([u64; 3], [u64; 3], u32, bool);

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(512))]
        /// Against a list of all prefixes, after each change.
        #[test]
        fn finds_the_longest_prefix(
            width in width(),
            common in any::<[u64; 3]>(),
            changes in prop::collection::vec(
                (any::<[u64; 3]>(), any::<[u64; 3]>(), 0u32..=160, prop::bool::weighted(0.7)), 1..80),
            random in any::<[u64; 3]>(),
        ) {
            // Most bytes are alike, so that prefixes contain each other and paths are skipped.
            let words = limbs(width) as usize;
            let blend = |(value, choice, _, _): &Seed| -> Vec<u64> {
                (0..words).map(|i| {
                    let few = choice[i] & choice[i].rotate_left(7) & choice[i].rotate_left(29);
                    (common[i] ^ (value[i] & few)) & limb_mask(width, i as u32)
                }).collect()
            };
            let mut trie = Trie::new(width);
            let mut list: BTreeMap<(u32, Vec<u64>), u32> = BTreeMap::new();
            let mut packets: Vec<Vec<u64>> = changes.iter().map(blend).collect();
            packets.push(cut(&random[..words], width, width));
            for (handle, change) in (0u32..).zip(&changes) {
                let len = change.2 % (width + 1);
                let key = (len, cut(&blend(change), width, len));
                if change.3 {
                    if list.contains_key(&key) {
                        continue;
                    }
                    trie.insert(&key.1, len, handle);
                    list.insert(key, handle);
                } else {
                    // One of those that are there, if there is one.
                    let nth = change.0[0] as usize % list.len().max(1);
                    if let Some((key, _)) = list.iter().nth(nth).map(|(k, h)| (k.clone(), *h)) {
                        trie.remove(&key.1, key.0);
                        list.remove(&key);
                    }
                }
                for packet in &packets {
                    let expected = list.iter().rev().find(|((len, value), _)| cut(packet, width, *len) == *value);
                    prop_assert_eq!(trie.find(packet), expected.map(|(_, handle)| *handle));
                }
            }
            for (len, value) in list.into_keys() {
                trie.remove(&value, len);
            }
            prop_assert!(trie.is_empty());
            prop_assert_eq!(trie.size(), size_of::<Trie>());
        }
    }

    /// A route costs at most the nodes on its path and the values that it covers in the last.
    #[test]
    fn memory_is_bounded() {
        let mut random = rand_pcg::Pcg64::seed_from_u64(1);
        let mut trie = Trie::new(32);
        let mut known = std::collections::HashSet::new();
        while known.len() < 100_000 {
            let len = [16, 17, 20, 22, 23, 24, 24, 24, 24, 32][random.next_u64() as usize % 10];
            let value = cut(&[random.next_u64()], 32, len);
            if known.insert((value[0], len)) {
                trie.insert(&value, len, 1);
            }
        }
        let most = 4 * size_of::<Node>() * 2 + 4 * 128 + 4 * size_of::<Prefix>();
        assert!(trie.size() < 100_000 * most, "{} bytes", trie.size());
        println!("{} bytes for 100,000 random routes", trie.size());
        for (value, len) in known {
            trie.remove(&[value], len);
        }
        assert_eq!(trie.size(), size_of::<Trie>());
    }
}
