// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Time of a lookup and of a change, by number and kind of entries, beside a scan of the list of
//! entries in order of priority (what a table without any structure would do).
//!
//! Half of the packets are drawn to hit a random entry, half are random.

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use p4_engine::{MatchField, MatchKind, MatchTable, Value};
use rand_core::{Rng, SeedableRng};
use rand_pcg::Pcg64;
use std::hint::black_box;

struct Entry {
    key: Vec<MatchField>,
    /// Value and mask, or low and high end, of each word.
    tests: Vec<[u64; 2]>,
    priority: i32,
}

struct Case {
    name: &'static str,
    sizes: [usize; 3],
    fields: Vec<(MatchKind, u32)>,
    draw: fn(&mut Pcg64, u64) -> Vec<[u64; 2]>,
}

const SIZES: [usize; 3] = [10, 1_000, 10_000];
const ROUTES: [usize; 3] = [10, 1_000, 100_000];

/// Of 1,000 prefixes, how many have length 8, 9, and so on to 32: most have 24 bits, as in the table
/// of a BGP router, a few are host routes.
const LENGTHS: [u64; 25] = [
    1, 1, 1, 1, 1, 2, 2, 2, 14, 8, 14, 25, 45, 50, 120, 100, 590, 2, 2, 2, 2, 2, 3, 1, 9,
];

/// A random prefix: value and mask.
fn prefix(random: &mut Pcg64) -> [u64; 2] {
    let mut draw = random.next_u64() % LENGTHS.iter().sum::<u64>();
    let mut length = 8;
    for weight in LENGTHS {
        if draw < weight {
            break;
        }
        draw -= weight;
        length += 1;
    }
    let mask = u64::from(u32::MAX << (32 - length));
    [random.next_u64() & mask, mask]
}

fn cases() -> Vec<Case> {
    let addresses = vec![(MatchKind::Ternary, 32), (MatchKind::Ternary, 32)];
    vec![
        Case {
            name: "ternary, 4 masks",
            sizes: SIZES,
            fields: addresses.clone(),
            draw: |random, _| {
                let length = 8 * (1 + random.next_u64() % 4);
                let mask = u64::from(u32::MAX << (32 - length));
                masked(random, [mask, 0xffff_0000])
            },
        },
        Case {
            name: "ternary, any mask",
            sizes: SIZES,
            fields: addresses,
            draw: |random, _| {
                let masks = [random.next_u64() >> 32, random.next_u64() >> 32];
                masked(random, masks)
            },
        },
        Case {
            name: "range, disjoint",
            sizes: SIZES,
            fields: vec![(MatchKind::Range, 20)],
            draw: |random, total| {
                let size = (1 << 20) / total;
                let low = (random.next_u64() % total) * size;
                vec![[low, low + size - 1]]
            },
        },
        Case {
            name: "range, overlapping",
            sizes: SIZES,
            fields: vec![(MatchKind::Range, 20)],
            draw: |random, _| {
                let low = random.next_u64() & 0xf_ffff;
                let size = random.next_u64() & ((1 << (random.next_u64() % 16)) - 1);
                vec![[low, (low + size).min(0xf_ffff)]]
            },
        },
        Case {
            name: "exact profile, range of 20 bits",
            sizes: SIZES,
            fields: vec![(MatchKind::Exact, 16), (MatchKind::Range, 20)],
            // Curves of ten segments.
            draw: |random, total| {
                let profile = random.next_u64() % (total / 10).max(1);
                let low = (random.next_u64() % 10) * 100_000;
                vec![[profile, u64::MAX], [low, low + 99_999]]
            },
        },
        Case {
            name: "LPM, 32 bits",
            sizes: ROUTES,
            fields: vec![(MatchKind::Lpm, 32)],
            draw: |random, _| vec![prefix(random)],
        },
        Case {
            name: "LPM, exact 16 bits of 8 values, 32 bits",
            sizes: ROUTES,
            fields: vec![(MatchKind::Exact, 16), (MatchKind::Lpm, 32)],
            draw: |random, _| vec![[random.next_u64() % 8, u64::MAX], prefix(random)],
        },
    ]
}

fn masked(random: &mut Pcg64, masks: [u64; 2]) -> Vec<[u64; 2]> {
    masks.map(|mask| [random.next_u64() & mask, mask]).to_vec()
}

fn field(kind: MatchKind, [a, b]: [u64; 2]) -> MatchField {
    match kind {
        MatchKind::Range => MatchField::Range {
            low: a.into(),
            high: b.into(),
        },
        MatchKind::Exact => MatchField::Exact(a.into()),
        MatchKind::Lpm => MatchField::Lpm {
            value: a.into(),
            prefix_len: b.count_ones(),
        },
        _ => MatchField::Ternary {
            value: Value::from(a),
            mask: Value::from(b),
        },
    }
}

fn scan(list: &[Entry], fields: &[(MatchKind, u32)], key: &[u64]) -> Option<u32> {
    let hit = list.iter().position(|e| {
        let mut words = e.tests.iter().zip(key).zip(fields);
        words.all(|((&[a, b], &k), (kind, _))| match kind {
            MatchKind::Range => a <= k && k <= b,
            _ => k & b == a,
        })
    });
    hit.map(|i| i as u32)
}

fn lookups(c: &mut Criterion) {
    for case in cases() {
        let mut group = c.benchmark_group(case.name);
        for size in case.sizes {
            let kinds = || case.fields.iter().map(|(kind, _)| *kind);
            let lpm = kinds().any(|kind| kind == MatchKind::Lpm);
            let mut random = Pcg64::seed_from_u64(1);
            let mut table = MatchTable::new(&case.fields);
            let mut list: Vec<Entry> = Vec::new();
            while list.len() < size {
                let tests = (case.draw)(&mut random, size as u64);
                let key: Vec<_> = kinds().zip(&tests).map(|(k, t)| field(k, *t)).collect();
                let priority = match lpm {
                    true => 0,
                    false => 1 + (random.next_u64() % 100_000) as i32,
                };
                if table.insert(&key, priority, list.len() as u32).is_ok() {
                    list.push(Entry {
                        key,
                        tests,
                        priority,
                    });
                }
            }
            let last = list.pop();
            let packets: Vec<Vec<u64>> = (0..1024)
                .map(|i| {
                    let entry = &list[random.next_u64() as usize % list.len()];
                    let words = entry.tests.iter().zip(&case.fields);
                    let word = |(&[a, b], (kind, width)): (&[u64; 2], &(MatchKind, u32))| {
                        let any = random.next_u64() & (u64::MAX >> (64 - width));
                        match kind {
                            _ if i % 2 == 0 => any,
                            MatchKind::Range => a + any % (b - a + 1),
                            _ => a | any & !b,
                        }
                    };
                    words.map(word).collect()
                })
                .collect();
            let mut at = 0;
            group.bench_function(BenchmarkId::new("lookup", size), |b| {
                b.iter(|| {
                    at = (at + 1) % packets.len();
                    let mut key = [0; 2];
                    let key = &mut key[..case.fields.len()];
                    key.copy_from_slice(&packets[at]);
                    black_box(table.find(key))
                });
            });
            if let Some(entry) = last {
                group.bench_function(BenchmarkId::new("delete and insert", size), |b| {
                    b.iter(|| {
                        let handle = table.remove(&entry.key, entry.priority);
                        let handle = handle.unwrap_or(u32::MAX);
                        table.insert(&entry.key, entry.priority, handle)
                    });
                });
            }
            let length = |e: &Entry| e.tests.last().map_or(0, |[_, mask]| mask.count_ones());
            list.sort_by_key(|e| std::cmp::Reverse((e.priority, if lpm { length(e) } else { 0 })));
            group.bench_function(BenchmarkId::new("scan", size), |b| {
                b.iter(|| {
                    at = (at + 1) % packets.len();
                    black_box(scan(&list, &case.fields, &packets[at]))
                });
            });
        }
        group.finish();
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default().warm_up_time(std::time::Duration::from_millis(300))
        .measurement_time(std::time::Duration::from_secs(1));
    targets = lookups
}
criterion_main!(benches);
