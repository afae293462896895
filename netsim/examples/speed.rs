// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Measures simulation speed: `cargo run --release -p netsim --example speed -- [FLOWS] [SECONDS] [MBPS]`.
//!
//! All flows share one source host, two switches with the test program and one receiving host.

#[path = "../tests/common/mod.rs"]
mod common;

use std::time::Instant;

use common::{MILLISECOND, SECOND, TRUNK, interface, link, set_threshold, switch};
use mecn_tcp::Config;
use netsim::{FlowSpec, LinkEnd, Network, NetworkError, RunOptions, WatchSpec};

fn main() -> Result<(), NetworkError> {
    let arguments: Vec<u64> = std::env::args()
        .skip(1)
        .filter_map(|text| text.parse().ok())
        .collect();
    let argument = |place: usize, default| arguments.get(place).copied().unwrap_or(default);
    let (flows, seconds, mbps) = (argument(0, 100), argument(1, 10), argument(2, 100));

    let mut network = Network::new(1);
    let mut first = switch(&[(1, 1), (2, TRUNK)]);
    set_threshold(&mut first, TRUNK, 100);
    let r1 = network.add_switch("R1", first)?;
    let r2 = network.add_switch("R2", switch(&[(2, 1), (1, TRUNK)]))?;
    let s = network.add_host("S", interface(1, 2))?;
    let d = network.add_host("D", interface(2, 1))?;
    let rate = mbps * 1_000_000;
    let trunk = LinkEnd::switch(r1, TRUNK).with_limit(Some(1000));
    network.link(link(
        trunk,
        LinkEnd::switch(r2, TRUNK),
        rate,
        10 * MILLISECOND,
    ))?;
    network.link(link(
        LinkEnd::host(s),
        LinkEnd::switch(r1, 1),
        10 * rate,
        MILLISECOND,
    ))?;
    network.link(link(
        LinkEnd::host(d),
        LinkEnd::switch(r2, 1),
        10 * rate,
        MILLISECOND,
    ))?;
    for _ in 0..flows {
        network.add_flow(FlowSpec {
            start_jitter_ns: SECOND,
            tcp: Config::classic_ecn(),
            ..FlowSpec::new(s, d)
        })?;
    }
    network.watch_port(WatchSpec {
        trace: false,
        ..WatchSpec::new(r1, TRUNK)
    })?;

    let begin = Instant::now();
    let result = network.run(RunOptions {
        until_ns: seconds * SECOND,
        warmup_ns: 0,
        seed: None,
    })?;
    let took = begin.elapsed().as_secs_f64();
    let hops: u64 = result
        .switches
        .iter()
        .map(|switch| switch.counts.sent)
        .sum();
    println!(
        "{flows} flows, {seconds} s at {mbps} Mbps: {took:.2} s, {:.2} M events/s, {:.2} M packets through switches/s",
        result.events as f64 / took / 1e6,
        hops as f64 / took / 1e6,
    );
    let port = &result.ports[0];
    println!(
        "utilisation {:.3}, mean depth {:.1}, drops {}, marks {}",
        port.busy_ns as f64 / port.window_ns as f64,
        port.depth.mean,
        port.counts.tail_drops,
        port.counts.marked_ce
    );
    Ok(())
}
