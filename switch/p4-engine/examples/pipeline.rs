// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Packets per second through the MECN program or a plain router, without anything else.
//!
//! ```text
//! cargo run --release -p p4-engine --example pipeline -- [mecn | l3-10 | l3-1000 | l3-100000] [packets] [compiled | interpreted]
//! ```
//!
//! Under valgrind, the difference of the instruction counts of two runs is that of their packets.

#[path = "../benches/support/mod.rs"]
mod support;

use std::time::Instant;

use p4_engine::Execution;

fn main() {
    let mut args = std::env::args().skip(1);
    let what = args.next().unwrap_or_else(|| "mecn".to_owned());
    let n: u64 = args
        .next()
        .and_then(|a| a.parse().ok())
        .unwrap_or(2_000_000);
    let (how, execution) = match args.next().as_deref() {
        Some("interpreted") => ("interpreted", Execution::Interpreted),
        _ => ("compiled", Execution::Compiled),
    };
    let mut load = match what.strip_prefix("l3-").map(str::parse) {
        Some(Ok(routes)) => support::l3(routes, execution),
        _ => match std::fs::read(support::mecn_json()) {
            Ok(json) => support::mecn(&json, execution),
            Err(e) => {
                eprintln!("{}: {e}", support::mecn_json().display());
                std::process::exit(1);
            }
        },
    };
    let began = Instant::now();
    (0..n).for_each(|_| load.step());
    let seconds = began.elapsed().as_secs_f64();
    if n > 0 {
        load.check();
    }
    println!(
        "{what}, {how}: {:.2} million packets/s, {:.0} ns each; {} marked of {n}",
        n as f64 / seconds / 1e6,
        seconds * 1e9 / n as f64,
        load.marked
    );
}
