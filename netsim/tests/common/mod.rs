// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Networks for tests, around a switch with a small program: routes by longest prefix, writes the depth that each packet leaves
//! behind into a register, and sets CE above a threshold.

#![allow(dead_code, reason = "each test file uses its part")]

use std::net::Ipv4Addr;
use std::sync::Arc;

use netsim::mecn_traffic::StreamSpec;
use netsim::{
    AverageRegister, Interface, Line, LinkEnd, LinkSpec, Network, NodeId, RunOptions, RunResult,
    Source, WatchSpec,
};
use p4_engine::{
    ActionCall, Execution, MatchField, Program, Switch, SwitchConfig, TableEntry, Value,
};

pub const SECOND: u64 = 1_000_000_000;
pub const MILLISECOND: u64 = 1_000_000;

/// Address of host `number`.
pub fn address(number: u8) -> Ipv4Addr {
    Ipv4Addr::new(10, 0, number, 1)
}

/// Interface of host `number`. The test program leaves MAC addresses alone, so a sender's gateway is its peer.
pub fn interface(number: u8, peer: u8) -> Interface {
    Interface {
        address: address(number),
        mac: [2, 0, 0, 0, 0, number],
        gateway_mac: [2, 0, 0, 0, 0, peer],
    }
}

/// A switch that sends what is for host `h` out of port `p`, for each `(h, p)` in `routes`.
pub fn switch(routes: &[(u8, u16)]) -> Switch {
    let program = Program::from_bmv2_json(include_bytes!("../data/marker.json")).unwrap();
    // Compiled from the first packet on, as long runs are for nearly all of their time.
    let config = SwitchConfig {
        execution: Execution::Compiled,
        ..SwitchConfig::default()
    };
    let mut switch = Switch::new(Arc::new(program), config);
    let table = switch.program().table("Ingress.ipv4_lpm").unwrap();
    let action = switch
        .program()
        .table_action(table, "Ingress.forward")
        .unwrap();
    for &(host, port) in routes {
        let prefix = MatchField::Lpm {
            value: Value::from_be_bytes(&[10, 0, host, 0]),
            prefix_len: 24,
        };
        let entry = TableEntry {
            key: vec![prefix],
            priority: 0,
            action: ActionCall {
                action,
                params: vec![Value::from(u64::from(port))],
            }
            .into(),
        };
        switch.table_insert(table, entry).unwrap();
    }
    switch
}

/// Makes a switch set CE on what leaves more than `packets` behind at `port`.
pub fn set_threshold(switch: &mut Switch, port: u16, packets: u32) {
    let table = switch.program().table("Egress.threshold").unwrap();
    let action = switch
        .program()
        .table_action(table, "Egress.set_threshold")
        .unwrap();
    let entry = TableEntry {
        key: vec![MatchField::Exact(Value::from(u64::from(port)))],
        priority: 0,
        action: ActionCall {
            action,
            params: vec![Value::from(u64::from(packets))],
        }
        .into(),
    };
    switch.table_insert(table, entry).unwrap();
}

pub fn link(a: LinkEnd, b: LinkEnd, rate_bps: u64, delay_ns: u64) -> LinkSpec {
    LinkSpec {
        ends: [a, b],
        forth: Line { rate_bps, delay_ns },
        back: Line { rate_bps, delay_ns },
        overhead_bytes: -14,
    }
}

/// A file, or data without end.
pub fn bulk(bytes: Option<u64>) -> Source {
    Source::Stream(StreamSpec::Bulk { bytes })
}

/// Two hosts and the link between them.
pub fn pair(rate_bps: u64, delay_ns: u64) -> (Network, NodeId, NodeId) {
    let mut network = Network::new(1);
    let a = network.add_host("A", interface(1, 2)).unwrap();
    let b = network.add_host("B", interface(2, 1)).unwrap();
    network
        .link(link(LinkEnd::host(a), LinkEnd::host(b), rate_bps, delay_ns))
        .unwrap();
    (network, a, b)
}

/// Paper 003's and 004's line: S - 10 Mbps 2 ms - R1 - 1.5 Mbps - R2 - 10 Mbps 4 ms - D, once for each of `n` sources.
pub struct Dumbbell {
    pub network: Network,
    pub sources: Vec<NodeId>,
    pub sinks: Vec<NodeId>,
    pub r1: NodeId,
    pub r2: NodeId,
}

/// Port of each router that leads to the other.
pub const TRUNK: u16 = 0;

impl Dumbbell {
    pub fn new(n: u8, trunk_delay_ns: u64, limit: Option<u32>, threshold: Option<u32>) -> Self {
        let (near, far) = (|i: u8| 2 * i + 1, |i: u8| 2 * i + 2);
        let mut left: Vec<_> = (0..n).map(|i| (near(i), u16::from(i) + 1)).collect();
        left.extend((0..n).map(|i| (far(i), TRUNK)));
        let mut right: Vec<_> = (0..n).map(|i| (far(i), u16::from(i) + 1)).collect();
        right.extend((0..n).map(|i| (near(i), TRUNK)));
        let mut first = switch(&left);
        if let Some(threshold) = threshold {
            set_threshold(&mut first, TRUNK, threshold);
        }
        let mut network = Network::new(7);
        let r1 = network.add_switch("R1", first).unwrap();
        let r2 = network.add_switch("R2", switch(&right)).unwrap();
        let trunk = LinkEnd::switch(r1, TRUNK).with_limit(limit);
        let other = LinkEnd::switch(r2, TRUNK).with_limit(limit);
        network
            .link(link(trunk, other, 1_500_000, trunk_delay_ns))
            .unwrap();
        let (mut sources, mut sinks) = (Vec::new(), Vec::new());
        for i in 0..n {
            let port = u16::from(i) + 1;
            let s = network
                .add_host(&format!("S{i}"), interface(near(i), far(i)))
                .unwrap();
            let d = network
                .add_host(&format!("D{i}"), interface(far(i), near(i)))
                .unwrap();
            let access = |host, router, delay| {
                link(
                    LinkEnd::host(host),
                    LinkEnd::switch(router, port),
                    10_000_000,
                    delay,
                )
            };
            network.link(access(s, r1, 2 * MILLISECOND)).unwrap();
            network.link(access(d, r2, 4 * MILLISECOND)).unwrap();
            sources.push(s);
            sinks.push(d);
        }
        Self {
            network,
            sources,
            sinks,
            r1,
            r2,
        }
    }

    /// Watches R1's queue to R2, with the depth register as average.
    pub fn watch(&mut self) {
        let watch = WatchSpec {
            average: Some(AverageRegister {
                name: "Egress.depth".to_owned(),
                index: TRUNK.into(),
                fraction_bits: 48,
            }),
            early_drop_counter: Some("Ingress.drops".to_owned()),
            ..WatchSpec::new(self.r1, TRUNK)
        };
        self.network.watch_port(watch).unwrap();
    }
}

pub fn run(network: &Network, until_ns: u64, warmup_ns: u64) -> RunResult {
    network
        .run(RunOptions {
            until_ns,
            warmup_ns,
            seed: None,
        })
        .unwrap()
}

/// Every frame is somewhere.
pub fn assert_conserved(result: &RunResult) {
    let c = result.conservation;
    assert_eq!(c.sent, c.received + c.dropped + c.in_flight, "{c:?}");
}
