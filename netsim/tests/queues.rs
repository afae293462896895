// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Queues under TCP: drop-tail, a threshold marker, conservation, determinism.

mod common;

use common::*;
use mecn_tcp::Config;
use netsim::{CwndCause, FlowSpec, LinkEnd, Network, RunOptions, WatchSpec};

fn flows(net: &mut Dumbbell, tcp: Config) {
    for (src, dst) in net.sources.iter().zip(&net.sinks) {
        net.network
            .add_flow(FlowSpec {
                start_jitter_ns: SECOND,
                tcp,
                trace_cwnd: true,
                ..FlowSpec::new(*src, *dst)
            })
            .unwrap();
    }
}

/// A buffer of a bandwidth-delay product keeps the link busy through Reno's halving.
#[test]
fn drop_tail_with_a_large_buffer_fills_the_link() {
    let mut net = Dumbbell::new(2, 40 * MILLISECOND, Some(40), None);
    net.watch();
    flows(&mut net, Config::default());
    let result = run(&net.network, 100 * SECOND, 20 * SECOND);
    let port = &result.ports[0];
    assert!(port.counts.tail_drops > 0);
    assert_eq!(port.depth.max, 40);
    let utilisation = port.busy_ns as f64 / port.window_ns as f64;
    assert!(utilisation > 0.999, "{utilisation}");
    // Every packet sent in the window was acknowledged, but for what is under way at its ends and the retransmissions.
    let acked: f64 = result.flows.iter().map(|flow| flow.acked_packets()).sum();
    let again: u64 = result
        .flows
        .iter()
        .map(|flow| flow.sender.segments_retransmitted)
        .sum();
    let sent = port.counts.sent_packets as f64;
    assert!(
        (sent - acked).abs() <= again as f64 + 80.0,
        "{sent} {acked} {again}"
    );
    // First transmissions that arrived: retransmissions are not among them, whether they arrived or not.
    let first: u64 = result.flows.iter().map(|flow| flow.first_arrivals).sum();
    let arrived = result.delay.count();
    assert!(
        first < arrived && arrived - first <= again,
        "{first} {arrived} {again}"
    );
    assert!(
        first as f64 >= acked - again as f64 - 80.0,
        "{first} {acked} {again}"
    );
    assert_conserved(&result);
}

/// The depth's statistics agree with its trace, and the register that the program writes with the depth.
#[test]
fn statistics_agree_with_the_trace() {
    let mut net = Dumbbell::new(2, 40 * MILLISECOND, Some(20), None);
    net.watch();
    flows(&mut net, Config::default());
    let (start, end) = (10 * SECOND, 30 * SECOND);
    let result = run(&net.network, end, start);
    let port = &result.ports[0];
    let trace = &port.trace;
    assert!(trace.time_ns.windows(2).all(|pair| pair[0] < pair[1]));
    assert_eq!(trace.time_ns.first(), Some(&0));
    assert_eq!(trace.time_ns.last(), Some(&end));
    let (mut sum, mut square, mut empty) = (0.0, 0.0, 0.0);
    let (mut min, mut max) = (u32::MAX, 0);
    for (pair, depth) in trace.time_ns.windows(2).zip(&trace.depth) {
        let time = pair[1].max(start) - pair[0].max(start);
        if time == 0 {
            continue;
        }
        let (time, q) = (time as f64, f64::from(*depth));
        sum += time * q;
        square += time * q * q;
        empty += if *depth == 0 { time } else { 0.0 };
        (min, max) = (min.min(*depth), max.max(*depth));
    }
    let span = (end - start) as f64;
    let mean = sum / span;
    assert!((port.depth.mean - mean).abs() < 1e-9);
    assert!((port.depth.std - (square / span - mean * mean).sqrt()).abs() < 1e-6);
    assert!((port.depth.fraction_empty - empty / span).abs() < 1e-12);
    assert_eq!((port.depth.min, port.depth.max), (min, max));
    let before = trace.time_ns.partition_point(|time| *time < start);
    let sent = trace.sent_bytes.last().unwrap() - trace.sent_bytes[before - 1];
    assert_eq!(sent, port.counts.sent_bytes);
    assert!(trace.sent_bytes.is_sorted());
    // The register holds the depth behind the latest departure, so it differs by what has come since.
    for (depth, register) in trace.depth.iter().zip(&trace.average) {
        assert!(*register <= f64::from(*depth));
    }
    assert!(trace.average.iter().any(|register| *register > 10.0));
}

#[test]
fn a_sampled_trace_has_its_interval() {
    let mut net = Dumbbell::new(1, 40 * MILLISECOND, Some(20), None);
    net.watch();
    let mut spec = WatchSpec::new(net.r2, TRUNK);
    spec.sample_interval_ns = Some(250 * MILLISECOND);
    net.network.watch_port(spec).unwrap();
    flows(&mut net, Config::default());
    let result = run(&net.network, 2 * SECOND, 0);
    let times: Vec<_> = (0..=8).map(|i| i * 250 * MILLISECOND).collect();
    assert_eq!(result.ports[1].trace.time_ns, times);
    assert!(result.ports[1].trace.average.is_empty());
}

/// Liu and Jain, section 4.3: a mark-front threshold T makes the queue swing between (T - rd + 1)/2 and T + 1 in congestion
/// avoidance. RTT 59 ms at 1.5 Mbps with 1000-byte packets: rd = 11.
#[test]
fn a_threshold_marker_gives_the_sawtooth() {
    const THRESHOLD: u32 = 30;
    const RD: u32 = 11;
    // 2 + x + 4 ms each way, transmission times of data and ACK on top: 59 ms in all.
    let mut net = Dumbbell::new(1, 19_888_000, None, Some(THRESHOLD));
    net.watch();
    flows(&mut net, Config::classic_ecn().with_window_segments(200));
    let result = run(&net.network, 100 * SECOND, 30 * SECOND);
    let flow = &result.flows[0];
    assert!(flow.ecn_negotiated);
    assert_eq!(flow.sender.segments_retransmitted, 0);
    assert!(flow.sender.reductions.moderate > 5);
    let port = &result.ports[0];
    assert_eq!(port.counts.ecn[0b11], port.counts.marked_ce);
    assert!(port.counts.marked_ce >= flow.sender.reductions.moderate);
    let (peak, trough) = (THRESHOLD + 1, (THRESHOLD + 1 - RD) / 2);
    assert!(
        port.depth.max.abs_diff(peak) <= 2,
        "peak {}",
        port.depth.max
    );
    assert!(
        port.depth.min.abs_diff(trough) <= 2,
        "trough {}",
        port.depth.min
    );
    assert_eq!(port.counts.tail_drops, 0);
    let causes = &flow.cwnd_trace.cause;
    let cuts = causes
        .iter()
        .filter(|cause| **cause == CwndCause::Moderate)
        .count() as u64;
    assert!(
        cuts >= flow.sender.reductions.moderate,
        "whole run against window"
    );
    assert_conserved(&result);
}

fn busy_network() -> Network {
    let mut net = Dumbbell::new(4, 10 * MILLISECOND, Some(15), Some(8));
    net.watch();
    flows(&mut net, Config::classic_ecn());
    net.network
}

#[test]
fn the_same_seed_gives_the_same_result() {
    let network = busy_network();
    let options = RunOptions {
        until_ns: 20 * SECOND,
        warmup_ns: SECOND,
        seed: Some(3),
    };
    let first = network.run(options).unwrap();
    assert_eq!(first, network.run(options).unwrap());
    assert_eq!(first, busy_network().run(options).unwrap());
    let other = network
        .run(RunOptions {
            seed: Some(4),
            ..options
        })
        .unwrap();
    assert_ne!(first.flows[0].start_ns, other.flows[0].start_ns);
    assert_conserved(&first);
    assert!(first.conservation.dropped > 0);
}

/// What is counted in two windows that follow each other is what is counted in both together.
#[test]
fn windows_add_up() {
    let network = busy_network();
    let whole = run(&network, 20 * SECOND, 0);
    let early = run(&network, 12 * SECOND, 0);
    let late = run(&network, 20 * SECOND, 12 * SECOND);
    let sent = |result: &netsim::RunResult| result.ports[0].counts.sent_packets;
    // Events at the very end of the first run are at the begin of the second's window too.
    let twice = sent(&early) + sent(&late) - sent(&whole);
    assert!(twice <= 1);
    let busy = early.ports[0].busy_ns + late.ports[0].busy_ns;
    assert_eq!(busy, whole.ports[0].busy_ns);
    let acked = |result: &netsim::RunResult| -> u64 {
        result
            .flows
            .iter()
            .map(|flow| flow.sender.bytes_acked)
            .sum()
    };
    assert!(acked(&early) + acked(&late) - acked(&whole) <= 4 * 960);
}

#[test]
fn frames_for_nobody_are_counted() {
    // The route to host 2 is missing at R1, and R1 counts what it cannot route.
    let mut network = Network::new(1);
    let mut spec = Dumbbell::new(1, MILLISECOND, None, None);
    let a = network.add_host("A", interface(1, 2)).unwrap();
    let b = network.add_host("B", interface(2, 1)).unwrap();
    let r = network.add_switch("R", switch(&[(1, 1)])).unwrap();
    for (host, port) in [(a, 1), (b, 2)] {
        network
            .link(link(
                LinkEnd::host(host),
                LinkEnd::switch(r, port),
                1_000_000,
                MILLISECOND,
            ))
            .unwrap();
    }
    network.add_flow(FlowSpec::new(a, b)).unwrap();
    network
        .watch_port(WatchSpec {
            early_drop_counter: Some("Ingress.drops".to_owned()),
            ..WatchSpec::new(r, 2)
        })
        .unwrap();
    let result = run(&network, 10 * SECOND, 0);
    assert!(!result.flows[0].established);
    let lost = result.switches[0].counts.ingress_drops;
    assert!(lost >= 2);
    assert_eq!(result.ports[0].counts.early_drops, lost);
    assert_conserved(&result);
    // A frame that the switch floods to the wrong host is refused there.
    spec.network = Network::new(1);
    let a = spec.network.add_host("A", interface(1, 9)).unwrap();
    let b = spec.network.add_host("B", interface(2, 1)).unwrap();
    spec.network
        .link(link(LinkEnd::host(a), LinkEnd::host(b), 1_000_000, 0))
        .unwrap();
    spec.network.add_flow(FlowSpec::new(a, b)).unwrap();
    let result = run(&spec.network, SECOND, 0);
    assert!(result.hosts[1].counts.misdelivered >= 1);
    assert_eq!(
        result.hosts[1].counts.misdelivered,
        result.hosts[1].counts.received
    );
    assert_conserved(&result);
}

/// The order of links and watched ports, and nodes that take no part, make no difference.
#[test]
fn construction_order_of_unrelated_things_does_not_matter() {
    let build = |reversed: bool| {
        let mut network = Network::new(5);
        if reversed {
            network.add_sink("Z").unwrap();
        }
        let a = network.add_host("A", interface(1, 2)).unwrap();
        let b = network.add_host("B", interface(2, 1)).unwrap();
        let mut hub = switch(&[(1, 1), (2, 2)]);
        set_threshold(&mut hub, 2, 5);
        let hub = network.add_switch("R", hub).unwrap();
        let mut links = [
            link(LinkEnd::host(a), LinkEnd::switch(hub, 1), 10_000_000, 1_000),
            link(LinkEnd::host(b), LinkEnd::switch(hub, 2), 1_500_000, 1_000),
        ];
        let mut ports = [1, 2];
        if reversed {
            links.reverse();
            ports.reverse();
        }
        for spec in links {
            network.link(spec).unwrap();
        }
        for port in ports {
            network.watch_port(WatchSpec::new(hub, port)).unwrap();
        }
        for _ in 0..3 {
            network
                .add_flow(FlowSpec {
                    start_jitter_ns: SECOND,
                    tcp: Config::classic_ecn(),
                    ..FlowSpec::new(a, b)
                })
                .unwrap();
        }
        network
    };
    let (mut first, mut second) = (
        run(&build(false), 10 * SECOND, 0),
        run(&build(true), 10 * SECOND, 0),
    );
    second.ports.reverse();
    assert_eq!(first.flows, second.flows);
    assert_eq!(first.ports, second.ports);
    assert!(first.ports.remove(1).counts.marked_ce > 0);
}
