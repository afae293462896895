// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! What the benchmarks measure: the MECN program with a profile at work, and a plain L3 router.

#![allow(dead_code)]

#[path = "../../tests/common/mod.rs"]
mod common;

use std::path::PathBuf;
use std::sync::Arc;

use common::{ROUTER, insert};
use p4_engine::{
    Execution, MatchField, Packet, PortConfig, Program, Rate, Switch, SwitchConfig, Value,
};

/// Where the compiled MECN program is: `MECN_JSON`, or what `make bench-switch` compiles.
pub fn mecn_json() -> PathBuf {
    match std::env::var_os("MECN_JSON") {
        Some(path) => path.into(),
        None => concat!(env!("CARGO_MANIFEST_DIR"), "/../../build/mecn_v1model.json").into(),
    }
}

/// The plain router.
pub fn l3_json() -> &'static [u8] {
    ROUTER
}

fn exact(v: u64) -> MatchField {
    MatchField::Exact(Value::from(v))
}

fn route(s: &mut Switch, table: &str, action: &str, params: &[u64], i: u32) {
    let key = vec![MatchField::Lpm {
        value: Value::from(destination(i) & !0xff),
        prefix_len: 24,
    }];
    insert(s, table, key, 0, action, params);
}

/// An address within route `i`.
fn destination(i: u32) -> u32 {
    0x0b00_0001 + (i << 8)
}

/// A TCP segment with ECT(0) and 958 bytes of payload that are not there.
fn tcp(dst: u32) -> Packet {
    let mut b = common::udp(dst, 80, 2, 0).bytes;
    b.truncate(34);
    let total = 40 + PAYLOAD as u16;
    b[16..18].copy_from_slice(&total.to_be_bytes());
    b[23] = 6;
    b[24..26].fill(0);
    let sum = common::checksum(&b[14..34]);
    b[24..26].copy_from_slice(&sum.to_be_bytes());
    // Ports, sequence number, acknowledgement, offset 5, ACK, window, checksum, urgent pointer.
    b.extend([0x30, 0x39, 0, 80, 0, 0, 0, 1, 0, 0, 0, 1]);
    b.extend([0x50, 0x10, 0x20, 0, 0, 0, 0, 0]);
    Packet::new(b, PAYLOAD)
}

const PAYLOAD: u32 = 958;
const OUT: u16 = 1;
/// One packet per millisecond leaves.
const SERVICE_NS: u64 = 1_000_000;

/// A switch and the packets that it gets.
pub struct Load {
    pub switch: Switch,
    templates: Vec<Packet>,
    now: u64,
    sent: usize,
    /// Packets that left with CE or ECT(1).
    pub marked: u64,
}

impl Load {
    fn new(mut switch: Switch, routes: u32, stand: u32) -> Self {
        let port = PortConfig {
            rate: Rate::PacketsPerSecond(1_000_000_000 / SERVICE_NS),
            ..PortConfig::default()
        };
        let fits = switch.configure_port(OUT, port).is_ok();
        assert!(fits, "the rate is not 0");
        let step = (routes / 256).max(1);
        let templates = (0..256).map(|i| tcp(destination(i * step % routes)));
        let mut load = Self {
            switch,
            templates: templates.collect(),
            now: 0,
            sent: 0,
            marked: 0,
        };
        // A queue that stands.
        (0..stand).for_each(|_| load.arrive());
        load
    }

    fn arrive(&mut self) {
        let template = &self.templates[self.sent % self.templates.len()];
        self.sent += 1;
        let mut bytes = self.switch.take_buffer();
        bytes.extend_from_slice(&template.bytes);
        let packet = Packet::new(bytes, template.payload_len);
        self.switch.receive(2, packet, self.now);
    }

    /// One packet comes, one goes.
    pub fn step(&mut self) {
        self.arrive();
        self.now += SERVICE_NS;
        while let Some(d) = self.switch.depart(self.now) {
            if let Some(p) = d.packet {
                self.marked += u64::from(p.bytes[15] & 1);
                self.switch.recycle(p);
            }
        }
    }

    /// The routes have done their work: nothing was dropped before the queue.
    pub fn check(&self) {
        let stats = self.switch.port_stats(OUT);
        assert_eq!(self.switch.ingress_drops(), 0, "packets without a route");
        assert!(stats.sent > 0 && stats.tail_drops == 0, "{stats:?}");
    }
}

fn switch(program: Program, execution: Execution) -> Switch {
    let config = SwitchConfig {
        execution,
        ..SwitchConfig::default()
    };
    let switch = Switch::new(Arc::new(program), config);
    if let Some(refusal) = switch.refusal() {
        panic!("the program cannot be compiled: {refusal}");
    }
    switch
}

/// The MECN program: 1,000 routes, thresholds 10, 20 and 40 packets, EWMA weight 0.002, mark-front,
/// a queue of 30 packets.
pub fn mecn(json: &[u8], execution: Execution) -> Load {
    let program = match Program::from_bmv2_json(json) {
        Ok(p) => p,
        Err(e) => panic!("the MECN program does not load: {e}"),
    };
    let mut s = switch(program, execution);
    for i in 0..1000 {
        let next_hop = [0x0200_0000_0001, 0x0200_0000_0101, OUT.into()];
        let table = "MecnIngress.forwarding.ipv4_lpm";
        let action = "MecnIngress.forwarding.forward";
        // The order of parameters is the program's.
        let by_name = parameters(&s, table, action, |name| match name {
            n if n.contains("port") => next_hop[2],
            n if n.contains("src") => next_hop[0],
            _ => next_hop[1],
        });
        route(&mut s, table, action, &by_name, i);
    }
    let (profile, scheme) = (7, 3);
    let (table, action) = (
        "MecnIngress.policy.aqm_port",
        "MecnIngress.policy.set_profile",
    );
    let params = parameters(&s, table, action, |name| match name {
        "profile_id" => profile,
        "scheme" => scheme,
        "mark_point" => 1,
        "ewma_weight" => (1 << 32) / 500,
        "service_time" => 1000,
        _ => 0,
    });
    let key = vec![exact(OUT.into()), MatchField::Any];
    insert(&mut s, table, key, 1, action, &params);
    // Probabilities 0 to 0.1 over [10, 40], 0 to 0.1 over [20, 40].
    let p = (1u64 << 32) / 10;
    for stage in ["MecnIngress.admission.curve", "MecnEgress.marking.curve"] {
        let (table, ramp) = (format!("{stage}.aqm_curve"), format!("{stage}.ramp"));
        let mut segment = |from: u64, to: u64, action: &str, params: &[u64]| {
            let range = MatchField::Range {
                low: Value::from(from << 8),
                high: Value::from((to << 8) - 1),
            };
            insert(
                &mut s,
                &table,
                vec![exact(profile), range],
                1,
                action,
                params,
            );
        };
        segment(10, 20, &ramp, &[10 << 16, 0, p / 30, 0, 0]);
        segment(20, 40, &ramp, &[20 << 16, p / 3, p / 30, 0, p / 20]);
        segment(40, 1 << 16, &format!("{stage}.severe"), &[]);
    }
    let marks = [(1, "mark_incipient"), (2, "mark_ce"), (3, "mark_ce")];
    for (signal, mark) in marks {
        for ecn in 1..4 {
            let key = vec![exact(scheme), exact(signal), exact(ecn)];
            let action = format!("MecnEgress.marking.verdict.{mark}");
            let table = "MecnEgress.marking.verdict.aqm_verdict";
            insert(&mut s, table, key, 0, &action, &[]);
        }
    }
    Load::new(s, 1000, 30)
}

/// The values of an action's parameters by their names.
fn parameters(s: &Switch, table: &str, action: &str, value: impl Fn(&str) -> u64) -> Vec<u64> {
    let p = s.program();
    let found = p.table(table).and_then(|t| p.table_action(t, action));
    let params = found.map(|a| &p.actions()[a].params);
    match params {
        Some(params) => params.iter().map(|i| value(&i.name)).collect(),
        None => panic!("the program has no action `{action}` in table `{table}`"),
    }
}

/// The router of the tests without a profile: parser, checksum, LPM, next hop, TTL.
pub fn l3(routes: u32, execution: Execution) -> Load {
    let program = match Program::from_bmv2_json(ROUTER) {
        Ok(p) => p,
        Err(e) => panic!("the router does not load: {e}"),
    };
    let mut s = switch(program, execution);
    for i in 0..routes {
        let params = [u64::from(OUT), 0x0200_0000_0001, 0x0200_0000_0101];
        route(&mut s, "Ingress.ipv4_lpm", "Ingress.forward", &params, i);
    }
    Load::new(s, routes, 0)
}
