// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Descriptions that cannot be, and any that can.

mod common;

use common::*;
use mecn_tcp::Config;
use netsim::{
    AverageRegister, FlowSpec, Line, LinkEnd, LinkSpec, Network, NodeId, RunOptions, WatchSpec,
};
use proptest::prelude::*;

fn said<T>(result: Result<T, netsim::NetworkError>) -> String {
    result
        .err()
        .map_or_else(String::new, |error| error.to_string())
}

#[test]
fn impossible_networks_are_refused_by_name() {
    let mut network = Network::new(1);
    let a = network.add_host("A", interface(1, 2)).unwrap();
    let b = network.add_host("B", interface(2, 1)).unwrap();
    let c = network.add_host("C", interface(3, 1)).unwrap();
    let r = network.add_switch("R", switch(&[])).unwrap();
    let sink = network.add_sink("Z").unwrap();
    let fast = |x, y| link(x, y, 1_000_000, 0);
    assert_eq!(
        said(network.add_sink("A")),
        "there is already a node named A"
    );
    assert_eq!(
        said(network.add_host("D", interface(1, 2))),
        "host D cannot have address 10.0.1.1: host A has it"
    );
    let mut same_mac = interface(9, 1);
    same_mac.mac = interface(1, 2).mac;
    assert_eq!(
        said(network.add_host("D", same_mac)),
        "host D cannot have the MAC address of host A"
    );
    assert_eq!(
        said(network.link(fast(LinkEnd::host(a), LinkEnd::host(NodeId(99))))),
        "node 99 does not belong to this network"
    );
    assert_eq!(
        said(network.link(fast(LinkEnd::host(a), LinkEnd::host(r)))),
        "node R is not a host or sink"
    );
    assert_eq!(
        said(network.link(fast(LinkEnd::host(a), LinkEnd::switch(b, 1)))),
        "node B is not a switch"
    );
    assert_eq!(
        said(network.link(fast(LinkEnd::host(a), LinkEnd::switch(r, 511)))),
        "switch R has no port 511: ports are 0 to 510"
    );
    assert_eq!(
        said(network.link(fast(LinkEnd::host(a), LinkEnd::host(a)))),
        "both ends are A"
    );
    assert_eq!(
        said(network.link(LinkSpec {
            back: Line {
                rate_bps: 0,
                delay_ns: 0
            },
            ..fast(LinkEnd::host(a), LinkEnd::host(b))
        })),
        "rate_bps must be 1 to 10^15"
    );
    network
        .link(fast(LinkEnd::host(a), LinkEnd::switch(r, 1)))
        .unwrap();
    assert_eq!(
        said(network.link(fast(LinkEnd::host(b), LinkEnd::switch(r, 1)))),
        "port 1 of switch R already has a link"
    );
    assert_eq!(
        said(network.link(fast(LinkEnd::host(a), LinkEnd::switch(r, 2)))),
        "node A already has a link"
    );
    assert_eq!(
        said(network.add_flow(FlowSpec::new(a, sink))),
        "node Z is not a host"
    );
    assert_eq!(
        said(network.add_flow(FlowSpec::new(a, a))),
        "both ends are A"
    );
    let tcp = Config {
        mss: 0,
        ..Config::default()
    };
    assert_eq!(
        said(network.add_flow(FlowSpec {
            tcp,
            ..FlowSpec::new(a, b)
        })),
        "mss must be 1 to 65455 bytes"
    );
    assert_eq!(
        said(network.watch_port(WatchSpec::new(r, 3))),
        "port 3 of switch R is watched but has no link"
    );
    let average = |name: &str, index| {
        let name = name.to_owned();
        let average = AverageRegister {
            name,
            index,
            fraction_bits: 48,
        };
        WatchSpec {
            average: Some(average),
            ..WatchSpec::new(r, 1)
        }
    };
    assert_eq!(
        said(network.watch_port(average("nothing", 0))),
        "switch R: its program has no register nothing"
    );
    assert!(said(network.watch_port(average("Egress.depth", 512))).contains("512"));
    network.watch_port(average("Egress.depth", 511)).unwrap();
    assert_eq!(
        said(network.watch_port(WatchSpec::new(r, 1))),
        "port 1 of switch R is already watched"
    );
    network.add_flow(FlowSpec::new(a, c)).unwrap();
    let options = RunOptions {
        until_ns: 1,
        warmup_ns: 0,
        seed: None,
    };
    assert_eq!(
        said(network.run(options)),
        "host C takes part in a flow but has no link"
    );
    assert_eq!(
        said(network.run(RunOptions {
            warmup_ns: 1,
            ..options
        })),
        "warmup_s must be less than until_s"
    );
}

#[test]
fn a_run_can_be_interrupted() {
    let mut net = Dumbbell::new(4, 0, None, None);
    for (src, dst) in net.sources.iter().zip(&net.sinks) {
        net.network.add_flow(FlowSpec::new(*src, *dst)).unwrap();
    }
    let options = RunOptions {
        until_ns: 10_000 * SECOND,
        warmup_ns: 0,
        seed: None,
    };
    assert_eq!(
        said(net.network.run_interruptible(options, || true)),
        "the run was interrupted"
    );
}

#[derive(Clone, Debug)]
struct Any {
    hosts: u8,
    rates: Vec<u64>,
    delays: Vec<u64>,
    limit: Option<u32>,
    host_limit: Option<u32>,
    threshold: Option<u32>,
    overhead: i32,
    /// Source, destination, bytes, window in segments, kind of ECN.
    flows: Vec<(u8, u8, Option<u64>, u32, u8)>,
    seed: u64,
}

fn any_network() -> impl Strategy<Value = Any> {
    (2..6_u8).prop_flat_map(|hosts| {
        (
            prop::collection::vec(50_000..20_000_000_u64, usize::from(hosts)),
            prop::collection::vec(0..30_000_000_u64, usize::from(hosts)),
            prop::option::of(0..30_u32),
            prop::option::of(0..10_u32),
            prop::option::of(0..10_u32),
            -1500..200_i32,
            prop::collection::vec(
                (
                    0..hosts,
                    0..hosts,
                    prop::option::of(1..100_000_u64),
                    1..100_u32,
                    0..3_u8,
                ),
                1..6,
            ),
            any::<u64>(),
        )
            .prop_map(
                move |(rates, delays, limit, host_limit, threshold, overhead, flows, seed)| Any {
                    hosts,
                    rates,
                    delays,
                    limit,
                    host_limit,
                    threshold,
                    overhead,
                    flows,
                    seed,
                },
            )
    })
}

/// A star, with a sink, in which a host's frames may be refused by the others: there are more flows than a
/// host has gateways for.
fn star(any: &Any) -> Network {
    let routes: Vec<_> = (0..any.hosts).map(|i| (i + 1, u16::from(i))).collect();
    let mut hub = switch(&routes);
    if let Some(threshold) = any.threshold {
        (0..any.hosts).for_each(|port| set_threshold(&mut hub, port.into(), threshold));
    }
    let mut network = Network::new(any.seed);
    let hub = network.add_switch("hub", hub).unwrap();
    let ids: Vec<_> = (0..any.hosts)
        .map(|i| {
            let first = any.flows.iter().find_map(|flow| match flow {
                (src, dst, ..) if *src == i => Some(*dst),
                (src, dst, ..) if *dst == i => Some(*src),
                _ => None,
            });
            network
                .add_host(&format!("H{i}"), interface(i + 1, first.unwrap_or(0) + 1))
                .unwrap()
        })
        .collect();
    for (i, id) in ids.iter().enumerate() {
        network
            .link(LinkSpec {
                overhead_bytes: any.overhead,
                ..link(
                    LinkEnd::host(*id).with_limit(any.host_limit),
                    LinkEnd::switch(hub, i as u16).with_limit(any.limit),
                    any.rates[i],
                    any.delays[i],
                )
            })
            .unwrap();
        network.watch_port(WatchSpec::new(hub, i as u16)).unwrap();
    }
    for &(src, dst, limit_bytes, window, ecn) in any.flows.iter().filter(|flow| flow.0 != flow.1) {
        let tcp = match ecn {
            0 => Config::default(),
            1 => Config::classic_ecn(),
            _ => Config::multi_level_ecn(),
        };
        network
            .add_flow(FlowSpec {
                source: bulk(limit_bytes),
                start_jitter_ns: 50 * MILLISECOND,
                tcp: tcp.with_window_segments(window),
                trace_cwnd: true,
                ..FlowSpec::new(ids[usize::from(src)], ids[usize::from(dst)])
            })
            .unwrap();
    }
    network
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn nothing_is_lost_or_made(any in any_network()) {
        let network = star(&any);
        let result = run(&network, 3 * SECOND, SECOND / 2);
        assert_conserved(&result);
        prop_assert_eq!(&result, &run(&network, 3 * SECOND, SECOND / 2));
        let whole = run(&network, 3 * SECOND, 0);
        for (flow, spec) in whole.flows.iter().zip(any.flows.iter().filter(|flow| flow.0 != flow.1)) {
            prop_assert!(flow.sender.bytes_acked <= flow.receiver.bytes_delivered);
            prop_assert!(spec.2.is_none_or(|limit| flow.receiver.bytes_delivered <= limit));
            prop_assert_eq!(flow.sender.malformed_packets, 0);
            prop_assert_eq!(flow.receiver.malformed_packets, 0);
        }
        for port in &whole.ports {
            prop_assert!(port.busy_ns <= port.window_ns);
            prop_assert!(any.limit.is_none_or(|limit| port.depth.max <= limit));
        }
        prop_assert!(whole.hosts.iter().all(|host| host.counts.damaged == 0));
    }
}
