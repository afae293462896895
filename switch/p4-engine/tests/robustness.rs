// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! No input makes the engine panic: neither packets nor programs.

mod common;
#[path = "common/v1model.rs"]
mod v1model;

use common::*;
use p4_engine::{Packet, Program, Switch, SwitchConfig};
use proptest::prelude::*;
use serde_json::{Value, json};

/// All places in a JSON, as paths.
fn places(v: &Value, at: &mut Vec<String>, out: &mut Vec<String>) {
    out.push(format!("/{}", at.join("/")));
    let children: Vec<(String, &Value)> = match v {
        Value::Array(a) => a
            .iter()
            .enumerate()
            .map(|(i, v)| (i.to_string(), v))
            .collect(),
        Value::Object(o) => o.iter().map(|(k, v)| (k.clone(), v)).collect(),
        _ => return,
    };
    for (key, child) in children {
        at.push(key.replace('~', "~0").replace('/', "~1"));
        places(child, at, out);
        at.pop();
    }
}

fn scalar() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        prop_oneof![0u64..70, any::<u64>()].prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        prop::sample::select(vec![
            "",
            "*",
            "0x",
            "-0x1",
            "0xffffffffffffffffffffffffffffffffffffffff",
            "scalars",
            "ipv4",
            "probe",
            "standard_metadata",
            "tbl_up",
            "exact",
            "lpm",
            "ternary",
            "range",
            "optional",
            "field",
            "hexstr",
            "header",
            "expression",
            "bool",
            "lookahead",
            "*",
            "<<",
            ">>",
            "?",
            "two_comp_mod",
            "usat_cast",
            "sat_cast",
            "/",
            "%",
            "valid",
            "assign",
            "assign_header",
            "_jump",
            "_jump_if_zero",
            "truncate",
            "advance",
            "set",
            "log_msg",
            "register_read",
            "register_write",
            "remove_header",
            "$valid$",
            "s",
            "m",
            "push",
            "pop",
            "add_header",
            "assign_VL",
            "extract_VL",
            "stack",
            "stack_field",
            "parse_vset",
            "header_stack",
            "access_field",
            "dereference_header_stack",
            "last_stack_index",
            "recirculate",
            "resubmit",
            "clone_egress_pkt_to_egress",
        ])
        .prop_map(Value::from),
        Just(serde_json::json!([])),
        Just(serde_json::json!({})),
        Just(serde_json::json!(["ipv4", "ttl"])),
        Just(serde_json::json!([3, 77])),
    ]
}

/// A program of all that leaves a pipeline beside the packet.
fn busy_program() -> Value {
    use v1model::*;
    let x = || field("a", "x");
    let ingress = [
        call("push", &[stack("s"), x()]),
        assign(label_of(x()), label_of(field("a", "y"))),
        call("remove_header", &[element(x())]),
        call("add_header", &[header("ub")]),
        call(
            "execute_meter",
            &[
                json!({"type": "meter_array", "value": "mt"}),
                x(),
                field("m", "p"),
            ],
        ),
        call("generate_digest", &[hex(1), hex(1)]),
        call("clone_ingress_pkt_to_egress", &[hex(1), hex(1)]),
        assign(std_field("mcast_grp"), op("&", x(), hex(1))),
        call("_jump_if_zero", &[op("&", x(), hex(2)), hex(11)]),
        call("resubmit", &[hex(1)]),
    ];
    let egress = [
        call("clone_egress_pkt_to_egress", &[hex(1), hex(1)]),
        call("pop", &[stack("s"), hex(1)]),
        call("recirculate", &[hex(1)]),
    ];
    let states = json!([
        state(
            "start",
            &[extract("regular", json!("a"))],
            &[x()],
            &[
                json!({"type": "parse_vset", "value": "vs", "mask": null, "next_state": "label"}),
                to(Some("label"))
            ]
        ),
        state(
            "label",
            &[extract("stack", json!("s"))],
            &[json!({"type": "stack_field", "value": ["s", "bos"]})],
            &[on("0x00", Some("label")), to(Some("var"))]
        ),
        state(
            "var",
            &[call(
                "extract_VL",
                &[
                    json!({"type": "regular", "value": "o"}),
                    op("*", x(), hex(8))
                ]
            )],
            &[],
            &[to(None)]
        ),
    ]);
    program(states, &ingress, &egress)
}

/// A change at one place: by a scalar, or by another part of the same JSON.
type Change = (prop::sample::Index, Option<Value>, prop::sample::Index);

fn changed(mut v: Value, changes: Vec<Change>) -> Value {
    for (place, replacement, other) in changes {
        let mut all = Vec::new();
        places(&v, &mut Vec::new(), &mut all);
        let new = match replacement {
            Some(r) => r,
            None => v
                .pointer(other.get(&all).as_str())
                .cloned()
                .unwrap_or_default(),
        };
        if let Some(at) = v.pointer_mut(place.get(&all).as_str()) {
            *at = new;
        }
    }
    v
}

/// Runs packets through a switch with a group and a session, and few passes.
fn drive_busy(program: Program, packets: &[Vec<u8>]) {
    let config = SwitchConfig {
        log_capacity: 2,
        max_passes: 5,
        digest_capacity: 3,
        ..SwitchConfig::default()
    };
    let mut s = common::switch_of(program, config);
    let replica = |port| p4_engine::Replica { port, rid: 1 };
    let session = p4_engine::CloneSession {
        port: Some(2),
        group: Some(1),
        ..Default::default()
    };
    s.clone_session_set(1, session).unwrap();
    s.multicast_group_set(1, vec![replica(3), replica(4)])
        .unwrap();
    let config = p4_engine::MeterConfig {
        cir: 1,
        cburst: 1,
        pir: 1,
        pburst: 1,
    };
    for meter in 0..s.program().meters().len() {
        let _ = s.meter_write(meter, 0, Some(config));
    }
    for bytes in packets {
        s.receive(1, Packet::new(bytes.clone(), 3), 0);
        for _ in 0..200 {
            s.depart(u64::MAX);
        }
    }
}

fn drive(s: &mut Switch) {
    for (i, p) in [
        udp(0x0a00_0001, 7, 2, 100),
        udp(0x0a02_0001, 9, 1, 0),
        Packet::default(),
    ]
    .into_iter()
    .enumerate()
    {
        s.receive(1, p, i as u64 * 1000);
        while s.depart(u64::MAX).is_some() {}
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn any_packet(
        bytes in prop::collection::vec(any::<u8>(), 0..120),
        like_ipv4 in any::<bool>(),
        payload_len in prop_oneof![0u32..100, any::<u32>()],
        port in any::<u16>(),
    ) {
        let mut s = router();
        profile(&mut s, 0, 1 << 30, 1 << 31);
        let mut bytes = bytes;
        if like_ipv4 {
            let head = udp(0x0a00_0001, 7, 2, 0).bytes;
            let n = bytes.len().min(36);
            bytes[..n].copy_from_slice(&head[..n]);
        }
        s.receive(port, Packet::new(bytes, payload_len), 0);
        while s.depart(u64::MAX).is_some() {}
    }

    #[test]
    fn any_change_of_a_program(
        changes in prop::collection::vec((any::<prop::sample::Index>(), prop::option::of(scalar()), any::<prop::sample::Index>()), 1..4),
    ) {
        let v = changed(serde_json::from_slice(ROUTER).unwrap(), changes);
        match Program::from_bmv2_json(v.to_string().as_bytes()) {
            Ok(p) => drive(&mut common::switch_of(p, SwitchConfig { log_capacity: 2, ..SwitchConfig::default() })),
            Err(e) => prop_assert_eq!(e.to_string().lines().count(), 1, "{}", e),
        }
    }

    #[test]
    fn any_packet_through_a_busy_program(packets in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..20), 1..4)) {
        drive_busy(Program::from_bmv2_json(busy_program().to_string().as_bytes()).unwrap(), &packets);
    }

    #[test]
    fn any_change_of_a_busy_program(
        changes in prop::collection::vec((any::<prop::sample::Index>(), prop::option::of(scalar()), any::<prop::sample::Index>()), 1..4),
    ) {
        let v = changed(busy_program(), changes);
        match Program::from_bmv2_json(v.to_string().as_bytes()) {
            Ok(p) => drive_busy(p, &[vec![1, 0, 4, 6, 9, 1, 2, 3], vec![2, 1, 5, 0, 0, 0, 0, 0, 0], vec![0, 2, 5]]),
            Err(e) => prop_assert_eq!(e.to_string().lines().count(), 1, "{}", e),
        }
    }

    #[test]
    fn any_text(text in "\\PC*") {
        prop_assert!(Program::from_bmv2_json(text.as_bytes()).is_err());
    }
}

/// p4c writes the newlines of a string literal as they are, and simple_switch reads them.
#[test]
fn control_characters_in_strings_are_taken() {
    let mut probe = busy_program();
    probe["program"] = json!("first\nsecond\ttab");
    let text = probe.to_string().replace("\\n", "\n").replace("\\t", "\t");
    assert!(text.contains("first\nsecond\ttab"));
    Program::from_bmv2_json(text.as_bytes()).expect("loads");
    let ends_in_backslash = text.replace("\ttab", "\\\\\ntab");
    Program::from_bmv2_json(ends_in_backslash.as_bytes()).expect("loads");
    let half_an_escape = text.replace("\ttab", "\\\ntab");
    let error = Program::from_bmv2_json(half_an_escape.as_bytes()).expect_err("no escape");
    assert!(error.to_string().starts_with("not a BMv2 JSON"), "{error}");
}
