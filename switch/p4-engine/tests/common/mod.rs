// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! What the tests share: the router program, and packets.

#![allow(dead_code)]

use std::sync::Arc;

use p4_engine::{
    ActionCall, Execution, MatchField, Packet, PortConfig, Program, Rate, Refusal, Switch,
    SwitchConfig, TableEntry, Value,
};

pub const ROUTER: &[u8] = include_bytes!("../fixtures/router.json");

/// How the tests execute programs: `tests/compiled.rs` has them all a second time.
pub fn execution() -> Execution {
    if env!("CARGO_CRATE_NAME") == "compiled" {
        Execution::Compiled
    } else {
        Execution::Interpreted
    }
}

/// A switch that executes its program as these tests are to do it.
pub fn switch_of(program: Program, config: SwitchConfig) -> Switch {
    let config = SwitchConfig {
        execution: execution(),
        ..config
    };
    let switch = Switch::new(Arc::new(program), config);
    assert!(matches!(switch.refusal(), None | Some(Refusal::Loop)));
    switch
}

pub fn router() -> Switch {
    let program = Program::from_bmv2_json(ROUTER).unwrap();
    let mut s = switch_of(
        program,
        SwitchConfig {
            seed: 7,
            ..SwitchConfig::default()
        },
    );
    route(&mut s, 0x0a00_0000, 8, 1);
    route(&mut s, 0x0a02_0000, 16, 2);
    s
}

pub fn route(s: &mut Switch, prefix: u32, prefix_len: u32, port: u64) {
    let key = vec![MatchField::Lpm {
        value: prefix.into(),
        prefix_len,
    }];
    insert(
        s,
        "Ingress.ipv4_lpm",
        key,
        0,
        "Ingress.forward",
        &[port, 0x0200_0000_0001, 0x0200_0000_0100 + port],
    );
}

pub fn call(s: &Switch, table: usize, action: &str, params: &[u64]) -> ActionCall {
    ActionCall {
        action: s.program().table_action(table, action).unwrap(),
        params: params.iter().map(|&v| Value::from(v)).collect(),
    }
}

pub fn insert(
    s: &mut Switch,
    table: &str,
    key: Vec<MatchField>,
    priority: i32,
    action: &str,
    params: &[u64],
) {
    let table = s.program().table(table).unwrap();
    let action = call(s, table, action, params);
    s.table_insert(
        table,
        TableEntry {
            key,
            priority,
            action: action.into(),
        },
    )
    .unwrap();
}

/// A profile for port 1: EWMA weight 1/4, mark-tail, one ramp of constant probability (Q32).
pub fn profile(s: &mut Switch, mark_front: u64, weight: u64, probability: u64) {
    let key = vec![MatchField::Exact(Value::from(1u64)), MatchField::Any];
    insert(
        s,
        "Egress.aqm_port",
        key,
        10,
        "Egress.set_profile",
        &[5, mark_front, weight],
    );
    let key = vec![
        MatchField::Exact(Value::from(5u64)),
        MatchField::Range {
            low: Value::from(0u64),
            high: Value::from(0xff_ffffu64),
        },
    ];
    insert(
        s,
        "Egress.aqm_curve",
        key,
        1,
        "Egress.ramp",
        &[0, probability, 0],
    );
}

/// A port of 8 Mbit/s: a byte takes a microsecond.
pub fn slow_port(s: &mut Switch, port: u16, limit: u32) {
    let config = PortConfig {
        rate: Rate::BitsPerSecond(8_000_000),
        limit_packets: Some(limit),
        ..PortConfig::default()
    };
    s.configure_port(port, config).unwrap();
}

/// The internet checksum, computed plainly.
pub fn checksum(data: &[u8]) -> u16 {
    let mut sum = 0u32;
    for w in data.chunks(2) {
        sum += u32::from(w[0]) << 8 | u32::from(*w.get(1).unwrap_or(&0));
        sum = (sum & 0xffff) + (sum >> 16);
    }
    !(sum as u16)
}

/// An Ethernet frame with UDP to `dst`:`dst_port`.
pub fn udp(dst: u32, dst_port: u16, ecn: u8, payload_len: u32) -> Packet {
    let mut b = Vec::new();
    b.extend([2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 8, 0]);
    let total = (28 + payload_len) as u16;
    b.extend([0x45, ecn]);
    b.extend(total.to_be_bytes());
    b.extend([0, 1, 0x40, 0, 64, 17, 0, 0, 10, 9, 9, 9]);
    b.extend(dst.to_be_bytes());
    let sum = checksum(&b[14..34]);
    b[24..26].copy_from_slice(&sum.to_be_bytes());
    b.extend([0x30, 0x39]);
    b.extend(dst_port.to_be_bytes());
    b.extend((total - 20).to_be_bytes());
    b.extend([0, 0]);
    Packet::new(b, payload_len)
}
