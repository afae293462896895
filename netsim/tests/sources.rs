// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Flows of every kind of source, two-way traffic, lines that differ by direction.

mod common;

use common::{
    Dumbbell, MILLISECOND, SECOND, assert_conserved, bulk, interface, link, pair, run, switch,
};
use netsim::mecn_tcp::{Config, LossRecovery};
use netsim::mecn_traffic::{DatagramSpec, Spacing, StreamSpec};
use netsim::{FlowSpec, Line, LinkEnd, LinkSpec, Network, Source};

fn stream(spec: StreamSpec) -> Source {
    Source::Stream(spec)
}

/// 210 bytes at 24 kbps are a packet each 70 ms, and nothing is lost on a free line.
#[test]
fn constant_rate() {
    let (mut network, a, b) = pair(1_000_000, 10 * MILLISECOND);
    let spec = DatagramSpec::constant(24_000, 210, Spacing::Fixed);
    network
        .add_flow(FlowSpec {
            source: Source::Datagrams(spec),
            start_ns: 10 * MILLISECOND,
            ..FlowSpec::new(a, b)
        })
        .unwrap();
    let result = run(&network, 7 * SECOND, 0);
    let flow = &result.flows[0];
    assert_eq!((flow.datagrams.sent, flow.datagrams.received), (100, 100));
    assert_eq!(flow.datagrams.received_bytes, 21_000);
    assert!(!flow.established);
    // 210 bytes at 1 Mbps, and 10 ms
    assert_eq!(flow.delay.min_ns(), Some(11_680_000));
    assert_eq!(flow.delay.max_ns(), Some(11_680_000));
    assert_conserved(&result);
}

/// UDP gives no way: a queue that is too small loses just what is too much.
#[test]
fn too_much_is_lost() {
    let (mut network, a, b) = {
        let mut network = Network::new(1);
        let a = network.add_host("A", interface(1, 2)).unwrap();
        let b = network.add_host("B", interface(2, 1)).unwrap();
        let r = network.add_switch("R", switch(&[(1, 1), (2, 2)])).unwrap();
        let fast = link(LinkEnd::host(a), LinkEnd::switch(r, 1), 10_000_000, 0);
        network.link(fast).unwrap();
        let end = LinkEnd::switch(r, 2).with_limit(Some(5));
        let slow = link(end, LinkEnd::host(b), 12_000, 0);
        network.link(slow).unwrap();
        (network, a, b)
    };
    let spec = DatagramSpec::constant(24_000, 210, Spacing::Random);
    network
        .add_flow(FlowSpec {
            source: Source::Datagrams(spec),
            ..FlowSpec::new(a, b)
        })
        .unwrap();
    let result = run(&network, 1400 * SECOND, 0);
    let counts = result.flows[0].datagrams;
    let share = counts.received as f64 / counts.sent as f64;
    assert!((share - 0.5).abs() < 0.01, "{share}");
    assert_eq!(
        result.switches[0].counts.tail_drops,
        result.conservation.dropped
    );
    assert_conserved(&result);
}

/// Bursts of 1 s and silences of 2 s in the mean: a third of 24 kbps, with heavy tails, hence many sources.
#[test]
fn pareto_on_off() {
    let (mut network, a, b) = pair(1_000_000_000, MILLISECOND);
    for _ in 0..300 {
        network
            .add_flow(FlowSpec {
                source: Source::Datagrams(DatagramSpec::pareto_on_off(24_000, 210)),
                ..FlowSpec::new(a, b)
            })
            .unwrap();
    }
    let result = run(&network, 1000 * SECOND, 0);
    let sent: u64 = result.flows.iter().map(|f| f.datagrams.sent).sum();
    let rate = sent as f64 * 210.0 * 8.0 / 1000.0 / 300.0;
    assert!((6_800.0..9_600.0).contains(&rate), "{rate}");
    let first = result.flows[0].datagrams.sent;
    assert!(result.flows.iter().any(|f| f.datagrams.sent != first));
    assert_conserved(&result);
}

/// A web session alone: transfers of 30 KB, 1 to 3 s between them, each begun in slow start.
#[test]
fn web_session() {
    let (mut network, a, b) = pair(10_000_000, 20 * MILLISECOND);
    network
        .add_flow(FlowSpec {
            source: stream(StreamSpec::web(30_000)),
            tcp: Config {
                mss: 460,
                ..Config::default()
            },
            ..FlowSpec::new(a, b)
        })
        .unwrap();
    let result = run(&network, 200 * SECOND, 50 * SECOND);
    let flow = &result.flows[0];
    // 150 s at 2 s and a transfer each
    assert!((55..=80).contains(&flow.web.pages), "{:?}", flow.web);
    // from 4 segments of 460 bytes: 5 round trips of 40 ms and a little
    let each = flow.web.active_ns as f64 / flow.web.pages as f64 / 1e6;
    assert!((190.0..300.0).contains(&each), "{each} ms");
    assert!(flow.sender.idle_restarts >= flow.web.pages - 1);
    assert_eq!(flow.sender.bytes_acked / 30_000, flow.web.pages);
    assert_conserved(&result);
}

/// Nothing is sent for the first time after the stop, and the connection ends.
#[test]
fn data_until_a_time() {
    let (mut network, a, b) = pair(10_000_000, 20 * MILLISECOND);
    network
        .add_flow(FlowSpec {
            source: stream(StreamSpec::Until { stop: 3 * SECOND }),
            ..FlowSpec::new(a, b)
        })
        .unwrap();
    let whole = &run(&network, 10 * SECOND, 0).flows[0];
    let late = &run(&network, 10 * SECOND, 3 * SECOND + SECOND / 2).flows[0];
    assert!(whole.sender.bytes_acked > 1_000_000);
    assert_eq!(whole.sender.bytes_acked, whole.receiver.bytes_delivered);
    assert_eq!(late.sender.segments_sent, 0, "the FIN has been answered");
}

/// A session of three transfers ends, and so does its connection.
#[test]
fn web_session_ends() {
    let (mut network, a, b) = pair(10_000_000, MILLISECOND);
    let spec = StreamSpec::Web {
        page_bytes: 1000,
        think: (SECOND, SECOND),
        pages: Some(3),
    };
    network
        .add_flow(FlowSpec {
            source: stream(spec),
            ..FlowSpec::new(a, b)
        })
        .unwrap();
    let result = run(&network, 10 * SECOND, 0);
    let flow = &result.flows[0];
    assert_eq!((flow.web.pages, flow.receiver.bytes_delivered), (3, 3000));
    assert!((2 * SECOND..3 * SECOND).contains(&flow.finished_ns.unwrap()));
}

/// Telnet: one write each 1.09 s in the mean, over a heavy tail.
#[test]
fn telnet() {
    let (mut network, a, b) = pair(10_000_000, MILLISECOND);
    for _ in 0..50 {
        network
            .add_flow(FlowSpec {
                source: stream(StreamSpec::Telnet { write_bytes: 100 }),
                ..FlowSpec::new(a, b)
            })
            .unwrap();
    }
    let result = run(&network, 1000 * SECOND, 0);
    let writes: u64 = result
        .flows
        .iter()
        .map(|f| f.sender.bytes_acked / 100)
        .sum();
    let mean = 50_000.0 / writes as f64;
    assert!((0.95..1.25).contains(&mean), "{mean}");
}

/// Data both ways through the same two routers, and over both kinds of loss recovery: each direction's ACKs share the other's
/// queue, and both lines are used.
#[test]
fn two_way_traffic() {
    for loss_recovery in [LossRecovery::NewReno, LossRecovery::Sack] {
        let mut net = Dumbbell::new(2, 20 * MILLISECOND, Some(20), None);
        for i in 0..2 {
            let ends = [net.sources[i], net.sinks[i]];
            let [src, dst] = if i == 0 { ends } else { [ends[1], ends[0]] };
            net.network
                .add_flow(FlowSpec {
                    start_jitter_ns: SECOND,
                    tcp: Config {
                        loss_recovery,
                        limited_transmit: true,
                        ..Config::default()
                    },
                    ..FlowSpec::new(src, dst)
                })
                .unwrap();
        }
        let result = run(&net.network, 100 * SECOND, 10 * SECOND);
        for flow in &result.flows {
            assert!(
                flow.goodput_bps() > 0.6 * 1_500_000.0,
                "{}",
                flow.goodput_bps()
            );
            assert!(flow.sender.fast_retransmits > 0);
        }
        assert_conserved(&result);
    }
}

/// A line of 8 Mbps and 1 ms forth, 1 Mbps and 5 ms back: a round trip of 1000 bytes and an ACK of 40.
#[test]
fn lines_may_differ_by_direction() {
    let mut network = Network::new(1);
    let a = network.add_host("A", interface(1, 2)).unwrap();
    let b = network.add_host("B", interface(2, 1)).unwrap();
    network
        .link(LinkSpec {
            back: Line {
                rate_bps: 1_000_000,
                delay_ns: 5 * MILLISECOND,
            },
            ..link(LinkEnd::host(a), LinkEnd::host(b), 8_000_000, MILLISECOND)
        })
        .unwrap();
    network
        .add_flow(FlowSpec {
            source: bulk(Some(960)),
            ..FlowSpec::new(a, b)
        })
        .unwrap();
    let result = run(&network, SECOND, 0);
    // SYN 48 bytes, SYN-ACK 48 bytes; data 1000 bytes, its ACK 40
    let there_and_back = |forth: u64, back: u64| forth * 1000 + back * 8000 + 6 * MILLISECOND;
    let expected = there_and_back(48, 48) + there_and_back(1000, 40);
    assert_eq!(result.flows[0].finished_ns, Some(expected));
}

/// What cannot work is said before it runs.
#[test]
fn impossible_scenarios_are_refused() {
    let (mut network, a, _) = pair(1_000_000, 0);
    let c = network.add_host("C", interface(3, 1)).unwrap();
    let d = network.add_host("D", interface(4, 1)).unwrap();
    let said = |result: Result<_, netsim::NetworkError>| {
        result.map(|_: netsim::FlowId| ()).unwrap_err().to_string()
    };
    let refused = |source| FlowSpec {
        source,
        ..FlowSpec::new(a, c)
    };
    let slow = DatagramSpec::constant(0, 210, Spacing::Fixed);
    assert_eq!(
        said(network.add_flow(refused(Source::Datagrams(slow)))),
        "rate_bps must be 1 to 10^15"
    );
    assert_eq!(
        said(network.add_flow(refused(stream(StreamSpec::web(0))))),
        "page_bytes must be 1 to 2^40 bytes"
    );
    network.add_flow(FlowSpec::new(a, c)).unwrap();
    let options = netsim::RunOptions {
        until_ns: SECOND,
        warmup_ns: 0,
        seed: None,
    };
    let error = network.run(options).unwrap_err().to_string();
    assert_eq!(error, "host C takes part in a flow but has no link");
    network
        .link(link(LinkEnd::host(c), LinkEnd::host(d), 1, 0))
        .unwrap();
    let error = network.run(options).unwrap_err().to_string();
    assert_eq!(error, "no path of links leads from A to C");
}

/// The same seed gives the same results, another seed others, with every kind of source at once.
#[test]
fn seeds() {
    let build = |seed| {
        let mut net = Dumbbell::new(4, 10 * MILLISECOND, Some(15), None);
        let sources = [
            stream(StreamSpec::web(30_000)),
            stream(StreamSpec::Telnet { write_bytes: 500 }),
            Source::Datagrams(DatagramSpec::constant(24_000, 210, Spacing::Random)),
            Source::Datagrams(DatagramSpec::pareto_on_off(24_000, 210)),
        ];
        for (i, source) in sources.into_iter().enumerate() {
            net.network
                .add_flow(FlowSpec {
                    source,
                    start_jitter_ns: SECOND,
                    tcp: Config {
                        processing_time: 3 * MILLISECOND,
                        ..Config::default()
                    },
                    ..FlowSpec::new(net.sources[i], net.sinks[i])
                })
                .unwrap();
        }
        net.network
            .run(netsim::RunOptions {
                until_ns: 60 * SECOND,
                warmup_ns: SECOND,
                seed: Some(seed),
            })
            .unwrap()
    };
    let (first, other) = (build(1), build(2));
    assert_eq!(first, build(1));
    assert_ne!(first.flows, other.flows);
    assert_conserved(&first);
}
