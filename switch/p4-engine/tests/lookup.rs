// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Lookups in tables of hundreds of entries against a plain list of them.

use p4_engine::{ControlError, MatchField, MatchKind, MatchTable, Value};
use proptest::prelude::*;

/// A small generator (SplitMix64), so that a case is one number.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }

    fn bits(&mut self, width: u32) -> u128 {
        let all = u128::from(self.next()) << 64 | u128::from(self.next());
        all & ones(width)
    }
}

fn ones(width: u32) -> u128 {
    u128::MAX.checked_shr(128 - width).unwrap_or(0)
}

/// One field of an entry: as the engine takes it, and as bits under a mask or as a range.
#[derive(Clone, Debug, PartialEq)]
struct Field {
    kind: MatchKind,
    low: u128,
    high_or_mask: u128,
    prefix_len: u32,
}

impl Field {
    fn draw(kind: MatchKind, width: u32, values: u64, masks: u64, random: &mut Random) -> Self {
        let value = random.bits(width) % u128::from(values);
        // The value in high bits too, so that prefixes tell entries apart.
        let value = (value | value.reverse_bits() >> (128 - width)) & ones(width);
        let mut prefix_len = 0;
        let (low, high_or_mask) = match kind {
            MatchKind::Exact => (value, ones(width)),
            MatchKind::Optional if random.below(3) == 0 => (0, 0),
            MatchKind::Optional => (value, ones(width)),
            MatchKind::Lpm => {
                prefix_len = random.below(masks.min(u64::from(width) + 1)) as u32;
                let mask = ones(width) & !ones(width - prefix_len);
                (value & mask, mask)
            }
            MatchKind::Ternary => {
                let mut of_number = Random(random.below(masks));
                let mask = of_number.bits(width) | of_number.bits(width);
                (value & mask, mask)
            }
            MatchKind::Range => {
                let bits = 1 + random.below(masks.min(u64::from(width))) as u32;
                let size = random.bits(bits);
                (value, value.saturating_add(size).min(ones(width)))
            }
        };
        Self {
            kind,
            low,
            high_or_mask,
            prefix_len,
        }
    }

    fn matches(&self, key: u128) -> bool {
        match self.kind {
            MatchKind::Range => (self.low..=self.high_or_mask).contains(&key),
            _ => key & self.high_or_mask == self.low,
        }
    }

    fn wire(&self) -> MatchField {
        let value = |v: u128| Value::from_be_bytes(&v.to_be_bytes());
        match self.kind {
            MatchKind::Exact => MatchField::Exact(value(self.low)),
            MatchKind::Lpm => MatchField::Lpm {
                value: value(self.low),
                prefix_len: self.prefix_len,
            },
            MatchKind::Ternary => MatchField::Ternary {
                value: value(self.low),
                mask: value(self.high_or_mask),
            },
            MatchKind::Range => MatchField::Range {
                low: value(self.low),
                high: value(self.high_or_mask),
            },
            MatchKind::Optional if self.high_or_mask == 0 => MatchField::Any,
            MatchKind::Optional => MatchField::Optional(value(self.low)),
        }
    }
}

#[derive(Debug)]
struct Entry {
    key: Vec<Field>,
    priority: i32,
    handle: u32,
}

/// The words of a packet's key: exact fields first.
fn words(fields: &[(MatchKind, u32)], key: &[u128]) -> Vec<u64> {
    let mut words = Vec::new();
    for exact in [true, false] {
        for ((kind, width), value) in fields.iter().zip(key) {
            if (*kind == MatchKind::Exact) == exact {
                words.push(*value as u64);
                if *width > 64 {
                    words.push((value >> 64) as u64);
                }
            }
        }
    }
    words
}

struct Scenario {
    fields: Vec<(MatchKind, u32)>,
    table: MatchTable,
    list: Vec<Entry>,
    handles: u32,
    free: Vec<u32>,
}

impl Scenario {
    fn new(fields: &[(MatchKind, u32)]) -> Self {
        Self {
            fields: fields.to_vec(),
            table: MatchTable::new(fields),
            list: Vec::new(),
            handles: 0,
            free: Vec::new(),
        }
    }

    fn has_priority(&self) -> bool {
        use MatchKind::{Optional, Range, Ternary};
        let mut kinds = self.fields.iter().map(|(k, _)| *k);
        kinds.any(|k| matches!(k, Ternary | Range | Optional))
    }

    fn insert(&mut self, values: u64, masks: u64, priorities: u64, random: &mut Random) {
        let fields = self.fields.iter();
        let key: Vec<Field> = fields
            .map(|&(kind, width)| Field::draw(kind, width, values, masks, random))
            .collect();
        let priority = match self.has_priority() {
            true => 1 + random.below(priorities) as i32,
            false => 0,
        };
        // As the engine does: handles of deleted entries are used again.
        let handle = self.free.pop().unwrap_or(self.handles);
        let wire: Vec<MatchField> = key.iter().map(Field::wire).collect();
        let known = self
            .list
            .iter()
            .any(|e| e.key == key && e.priority == priority);
        match self.table.insert(&wire, priority, handle) {
            Ok(()) => {
                assert!(!known, "{key:?} was taken twice");
                self.handles = self.handles.max(handle + 1);
                self.list.push(Entry {
                    key,
                    priority,
                    handle,
                });
            }
            Err(e) => {
                assert!(known, "{e}");
                assert_eq!(e, ControlError::AlreadyExists);
                if handle < self.handles {
                    self.free.push(handle);
                }
            }
        }
    }

    fn delete(&mut self, random: &mut Random) {
        if self.list.is_empty() {
            return;
        }
        let entry = self
            .list
            .remove(random.below(self.list.len() as u64) as usize);
        let wire: Vec<MatchField> = entry.key.iter().map(Field::wire).collect();
        assert_eq!(self.table.remove(&wire, entry.priority), Ok(entry.handle));
        assert!(self.table.remove(&wire, entry.priority).is_err());
        self.free.push(entry.handle);
    }

    /// Of the largest priority, or longest prefix, the oldest.
    fn expected(&self, key: &[u128]) -> Option<u32> {
        let hits = self.list.iter().filter(|e| {
            let mut fields = e.key.iter().zip(key);
            fields.all(|(f, k)| f.matches(*k))
        });
        let rank = |e: &&Entry| match self.has_priority() {
            true => e.priority,
            false => e.key.iter().map(|f| f.prefix_len as i32).sum(),
        };
        hits.rev().max_by_key(rank).map(|e| e.handle)
    }

    /// Keys of entries, changed a little, and any keys.
    fn look_up(&self, random: &mut Random) {
        for i in 0..60 {
            let mut key: Vec<u128> = self.fields.iter().map(|(_, w)| random.bits(*w)).collect();
            if i % 4 != 0 && !self.list.is_empty() {
                let entry = &self.list[random.below(self.list.len() as u64) as usize];
                for ((k, f), (_, width)) in key.iter_mut().zip(&entry.key).zip(&self.fields) {
                    *k = match (f.kind, random.below(12)) {
                        (_, 0) => random.bits(*width),
                        (MatchKind::Range, 1..4) => f.low,
                        (MatchKind::Range, 4..7) => f.high_or_mask,
                        (MatchKind::Range, _) => f.low + (f.high_or_mask - f.low) / 2,
                        _ => f.low | *k & !f.high_or_mask,
                    };
                }
            }
            let found = self.table.find(&mut words(&self.fields, &key));
            assert_eq!(found, self.expected(&key), "key {key:x?}");
        }
    }
}

/// Grows a table, and empties it, with lookups on the way.
fn run(fields: &[(MatchKind, u32)], seed: u64) {
    let mut random = Random(seed);
    // Twelve values under few masks make many entries of a mask that match the same keys.
    let values = [3, 12, 12, 40, 1 << 20][random.below(5) as usize];
    let masks = [2, 7, 400][random.below(3) as usize];
    let priorities = [1, 5, 1_000][random.below(3) as usize];
    let entries = [20, 300, 900][random.below(3) as usize];
    let mut scenario = Scenario::new(fields);
    for deletes in [1, 5, 9] {
        for step in 0..entries {
            if random.below(10) < deletes {
                scenario.delete(&mut random);
            } else {
                scenario.insert(values, masks, priorities, &mut random);
            }
            if step % 150 == 0 {
                scenario.look_up(&mut random);
            }
        }
        scenario.look_up(&mut random);
    }
    while !scenario.list.is_empty() {
        scenario.delete(&mut random);
    }
    scenario.look_up(&mut random);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn ternary(seed: u64) {
        run(&[(MatchKind::Ternary, 32), (MatchKind::Ternary, 9)], seed);
    }

    #[test]
    fn wide_ternary(seed: u64) {
        run(&[(MatchKind::Ternary, 128), (MatchKind::Ternary, 6)], seed);
    }

    #[test]
    fn lpm_beside_ternary_and_exact(seed: u64) {
        run(&[(MatchKind::Lpm, 32), (MatchKind::Exact, 2), (MatchKind::Ternary, 16)], seed);
    }

    #[test]
    fn optional(seed: u64) {
        run(&[(MatchKind::Optional, 16), (MatchKind::Optional, 8), (MatchKind::Optional, 65)], seed);
    }

    #[test]
    fn range(seed: u64) {
        run(&[(MatchKind::Range, 20)], seed);
    }

    #[test]
    fn range_of_64_bits_after_exact(seed: u64) {
        run(&[(MatchKind::Range, 64), (MatchKind::Exact, 1)], seed);
    }

    #[test]
    fn several_ranges(seed: u64) {
        let range = (MatchKind::Range, 16);
        run(&[range, (MatchKind::Ternary, 8), range, range], seed);
    }

    #[test]
    fn lpm(seed: u64) {
        run(&[(MatchKind::Lpm, 128), (MatchKind::Exact, 2)], seed);
    }

    #[test]
    fn exact(seed: u64) {
        run(&[(MatchKind::Exact, 48), (MatchKind::Exact, 70)], seed);
    }
}
