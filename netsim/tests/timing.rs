// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Timing to the nanosecond against computation by hand.

mod common;

use common::*;
use mecn_tcp::Config;
use netsim::FlowSpec;

/// Handshake and one data segment over one link of 1 Mbps (8 us for each byte) and 1 ms.
#[test]
fn first_data_packet_arrives_when_it_must() {
    let (mut network, a, b) = pair(1_000_000, MILLISECOND);
    network
        .add_flow(FlowSpec {
            start_ns: 5_000,
            source: bulk(Some(960)),
            ..FlowSpec::new(a, b)
        })
        .unwrap();
    let result = run(&network, SECOND, 0);
    let flow = &result.flows[0];
    assert!(flow.established);
    assert_eq!(flow.receiver.bytes_delivered, 960);
    // The segment with the data is the handshake's ACK as well: 1000 bytes in 8 ms, and 1 ms.
    assert_eq!(flow.delay.count(), 1);
    assert_eq!(flow.delay.mean_ns(), Some(9_000_000.0));
    // SYN and SYN-ACK of 48 bytes, with MSS and window scale options, before it; the ACK of 40 bytes after it.
    let handshake = 2 * (384_000 + MILLISECOND);
    let ack = 320_000 + MILLISECOND;
    assert_eq!(flow.finished_ns, Some(5_000 + handshake + 9_000_000 + ack));
    assert_conserved(&result);
}

/// Through two switches: 10 Mbps 2 ms, 1.5 Mbps 40 ms, 10 Mbps 4 ms; each switch sends a frame on when it has it whole.
#[test]
fn switches_store_and_forward() {
    let mut net = Dumbbell::new(1, 40 * MILLISECOND, None, None);
    net.watch();
    net.network
        .add_flow(FlowSpec {
            source: bulk(Some(20_000 * 960)),
            tcp: Config::default().with_window_segments(1),
            ..FlowSpec::new(net.sources[0], net.sinks[0])
        })
        .unwrap();
    // One segment each round trip; delays do not vary but for the first, which waits for the handshake's ACK.
    let result = run(&net.network, 10 * SECOND, SECOND);
    let flow = &result.flows[0];
    let data = 800_000 + 2_000_000 + 5_333_333 + 40_000_000 + 800_000 + 4_000_000;
    assert_eq!(flow.delay.min_ns(), Some(data));
    assert_eq!(flow.delay.max_ns(), Some(data));
    assert_eq!(flow.delay.jitter_ns(), Some(0.0));
    let ack = 32_000 + 4_000_000 + 213_333 + 40_000_000 + 32_000 + 2_000_000;
    let round_trip = data + ack;
    let packets = 9 * SECOND / round_trip;
    let acked = flow.acked_packets() as u64;
    assert!(
        acked == packets || acked == packets + 1,
        "{acked} {packets}"
    );
    let port = &result.ports[0];
    assert_eq!((port.depth.max, port.depth.fraction_empty), (0, 1.0));
    assert!(port.counts.sent_packets == packets || port.counts.sent_packets == packets + 1);
    assert_eq!(port.counts.sent_bytes, port.counts.sent_packets * 1000);
    let busy = port.busy_ns as f64 / (port.counts.sent_packets as f64 * 16e6 / 3.0);
    assert!((busy - 1.0).abs() < 0.01, "{busy}");
    assert_conserved(&result);
}

/// Without congestion a flow gets min(window / round trip, rate).
#[test]
fn throughput_without_congestion() {
    for window in [1, 2, 5, 10, 17] {
        let mut net = Dumbbell::new(1, 40 * MILLISECOND, None, None);
        net.network
            .add_flow(FlowSpec {
                tcp: Config::default().with_window_segments(window),
                ..FlowSpec::new(net.sources[0], net.sinks[0])
            })
            .unwrap();
        let result = run(&net.network, 60 * SECOND, 20 * SECOND);
        let packets_per_second = result.flows[0].acked_packets() / 40.0;
        let round_trip = 0.052_933_333 + 0.046_277_333;
        let expected = (f64::from(window) / round_trip).min(187.5);
        assert!(
            (packets_per_second / expected - 1.0).abs() < 0.005,
            "{packets_per_second} {expected}"
        );
        assert_eq!(result.flows[0].sender.segments_retransmitted, 0);
    }
}
