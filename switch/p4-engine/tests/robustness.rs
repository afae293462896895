// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! No input makes the engine panic: neither packets nor programs.

mod common;

use common::*;
use p4_engine::{Packet, Program, Switch, SwitchConfig};
use proptest::prelude::*;
use serde_json::Value;

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
        ])
        .prop_map(Value::from),
        Just(serde_json::json!([])),
        Just(serde_json::json!({})),
        Just(serde_json::json!(["ipv4", "ttl"])),
        Just(serde_json::json!([3, 77])),
    ]
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
        let mut v: Value = serde_json::from_slice(ROUTER).unwrap();
        for (place, replacement, other) in changes {
            let mut all = Vec::new();
            places(&v, &mut Vec::new(), &mut all);
            // Either a scalar, or another part of the same JSON.
            let new = match replacement {
                Some(r) => r,
                None => v.pointer(other.get(&all).as_str()).cloned().unwrap_or_default(),
            };
            if let Some(at) = v.pointer_mut(place.get(&all).as_str()) {
                *at = new;
            }
        }
        match Program::from_bmv2_json(v.to_string().as_bytes()) {
            Ok(p) => drive(&mut Switch::new(p.into(), SwitchConfig { log_capacity: 2, ..SwitchConfig::default() })),
            Err(e) => prop_assert_eq!(e.to_string().lines().count(), 1, "{}", e),
        }
    }

    #[test]
    fn any_text(text in "\\PC*") {
        prop_assert!(Program::from_bmv2_json(text.as_bytes()).is_err());
    }
}
