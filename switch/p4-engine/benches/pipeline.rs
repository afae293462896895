// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Packets per second through the whole engine (receive, queue, depart), and the time that compiling
//! a program takes.
//!
//! The MECN program must have been compiled: see `support::mecn_json`; without it only the plain
//! router is measured, and a line says so.

mod support;

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use p4_engine::{Execution, Program};

fn pipelines(c: &mut Criterion) {
    let mut group = c.benchmark_group("packets");
    group.throughput(Throughput::Elements(1));
    let compiled = Execution::Compiled;
    for routes in [10, 1_000, 100_000] {
        let mut load = support::l3(routes, compiled);
        group.bench_function(format!("L3, {routes} routes"), |b| b.iter(|| load.step()));
        load.check();
    }
    match std::fs::read(support::mecn_json()) {
        Ok(json) => {
            let mut load = support::mecn(&json, compiled);
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

/// From the loaded program to machine code.
fn compile_times(c: &mut Criterion) {
    let mut group = c.benchmark_group("compile");
    let mut measure = |name: &str, json: &[u8]| {
        let load = || match Program::from_bmv2_json(json) {
            Ok(program) => program,
            Err(e) => panic!("{name} does not load: {e}"),
        };
        match load().compile() {
            Ok(size) => println!("{name}: {size:?}"),
            Err(refusal) => panic!("{name}: {refusal}"),
        }
        group.bench_function(name, |b| {
            b.iter_batched(load, |program| program.compile(), BatchSize::LargeInput);
        });
    };
    measure("L3", support::l3_json());
    if let Ok(json) = std::fs::read(support::mecn_json()) {
        measure("MECN", &json);
    }
    group.finish();
}

criterion_group!(benches, pipelines, compile_times);
criterion_main!(benches);
