// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Packets per second through the whole engine: receive, queue, depart.
//!
//! The MECN program must have been compiled: see `support::mecn_json`; without it only the plain
//! router is measured, and a line says so.

mod support;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};

fn pipelines(c: &mut Criterion) {
    let mut group = c.benchmark_group("packets");
    group.throughput(Throughput::Elements(1));
    for routes in [10, 1_000, 100_000] {
        let mut load = support::l3(routes);
        group.bench_function(format!("L3, {routes} routes"), |b| b.iter(|| load.step()));
        load.check();
    }
    match std::fs::read(support::mecn_json()) {
        Ok(json) => {
            let mut load = support::mecn(&json);
            group.bench_function("MECN, 1000 routes", |b| b.iter(|| load.step()));
            load.check();
        }
        Err(e) => eprintln!(
            "not measured: MECN ({}: {e})",
            support::mecn_json().display()
        ),
    }
    group.finish();
}

criterion_group!(benches, pipelines);
criterion_main!(benches);
