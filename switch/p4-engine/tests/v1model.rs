// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Header stacks, unions, variable-length fields, and what leaves a pipeline beside the packet.

mod common;
#[path = "common/v1model.rs"]
mod program;

use p4_engine::{
    ActionCall, CloneSession, ControlError, Departure, DropReason, EntryAction, GroupMember,
    MatchField, MeterConfig, Packet, PortConfig, Program, Rate, ReceiveOutcome, Replica, Switch,
    SwitchConfig, TableEntry, Value,
};
use program::*;
use serde_json::{Value as Json, json};

fn switch_with(v: &Json, config: SwitchConfig) -> Switch {
    let program = Program::from_bmv2_json(v.to_string().as_bytes()).unwrap();
    common::switch_of(program, config)
}

fn switch(v: &Json) -> Switch {
    switch_with(v, SwitchConfig::default())
}

fn send(s: &mut Switch, bytes: &[u8]) -> ReceiveOutcome {
    s.receive(7, Packet::new(bytes.to_vec(), 0), 1_000)
}

/// Everything that leaves, by port.
fn departures(s: &mut Switch) -> Vec<(u16, Vec<u8>)> {
    let sent = |d: Departure| d.packet.map(|p| (d.port, p.bytes));
    let all: Vec<_> = std::iter::from_fn(|| s.depart(u64::MAX)).collect();
    all.into_iter().filter_map(sent).collect()
}

fn run(s: &mut Switch, bytes: &[u8]) -> Vec<(u16, Vec<u8>)> {
    send(s, bytes);
    departures(s)
}

/// What leaves by port 1 of a program.
fn through(v: &Json, bytes: &[u8]) -> Vec<u8> {
    let mut out = run(&mut switch(v), bytes);
    assert_eq!(out.len(), 1);
    out.remove(0).1
}

#[test]
fn stacks_are_parsed_and_written() {
    let v = program(labels(), &[], &[]);
    for n in 1..=3 {
        let mut bytes = vec![9, 9, 2, 4, 6];
        bytes.truncate(2 + n);
        bytes[1 + n] |= 1;
        bytes.extend([0xee, 0xff]);
        assert_eq!(through(&v, &bytes), bytes);
    }
    let size = [
        assign(field("a", "x"), std_field("parser_error")),
        assign(
            field("a", "y"),
            op("last_stack_index", Json::Null, stack("s")),
        ),
    ];
    let v = program(labels(), &size, &[]);
    assert_eq!(through(&v, &[0, 0, 2, 5, 8]), [0, 1, 2, 5, 8]);
    // A fourth label finds no room; what it would have been is payload.
    assert_eq!(through(&v, &[0, 0, 2, 4, 6, 8, 9]), [3, 2, 2, 4, 6, 8, 9]);
}

#[test]
fn push_and_pop_move_elements() {
    let shift = |name: &str, n: u64| {
        let shifted = [call(name, &[stack("s"), hex(n)])];
        through(&program(labels(), &shifted, &[]), &[0, 0, 2, 4, 7, 0xee])
    };
    // Elements that come in are invalid.
    assert_eq!(shift("push", 1), [0, 0, 2, 4, 0xee]);
    assert_eq!(shift("push", 2), [0, 0, 2, 0xee]);
    assert_eq!(shift("push", 200), [0, 0, 0xee]);
    assert_eq!(shift("pop", 1), [0, 0, 4, 7, 0xee]);
    assert_eq!(shift("pop", 3), [0, 0, 0xee]);
    assert_eq!(shift("pop", 0), [0, 0, 2, 4, 7, 0xee]);
    let label = [
        call("push", &[stack("s"), hex(1)]),
        call("add_header", &[header("s[0]")]),
        assign(field("s[0]", "label"), hex(0x7f)),
    ];
    assert_eq!(
        through(&program(labels(), &label, &[]), &[0, 0, 2, 5, 0xee]),
        [0, 0, 0xfe, 2, 5, 0xee]
    );
}

#[test]
fn an_index_chooses_an_element() {
    let x = || field("a", "x");
    let read = [assign(field("a", "y"), label_of(x()))];
    let v = program(labels(), &read, &[]);
    assert_eq!(through(&v, &[0, 9, 2, 4, 7])[1], 1);
    assert_eq!(through(&v, &[2, 9, 2, 4, 7])[1], 3);
    assert_eq!(through(&v, &[3, 9, 2, 4, 7])[1], 0, "out of bounds");
    let write = [assign(label_of(x()), op("+", label_of(x()), hex(1)))];
    let v = program(labels(), &write, &[]);
    assert_eq!(through(&v, &[1, 9, 2, 4, 7]), [1, 9, 2, 6, 7]);
    assert_eq!(through(&v, &[200, 9, 2, 4, 7]), [200, 9, 2, 4, 7]);
    let remove = [call("remove_header", &[element(x())])];
    let v = program(labels(), &remove, &[]);
    assert_eq!(through(&v, &[1, 9, 2, 4, 7]), [1, 9, 2, 7]);
    let copy = [call("assign_header", &[element(x()), header("s[2]")])];
    let v = program(labels(), &copy, &[]);
    assert_eq!(through(&v, &[0, 9, 2, 4, 7]), [0, 9, 7, 4, 7]);
    let valid = [assign(
        field("a", "y"),
        op("b2d", Json::Null, op("valid", Json::Null, element(x()))),
    )];
    let v = program(labels(), &valid, &[]);
    assert_eq!(through(&v, &[0, 9, 3])[1], 1);
    assert_eq!(through(&v, &[1, 9, 3])[1], 0);
}

#[test]
fn a_union_has_one_valid_member() {
    let parser = json!([state(
        "start",
        &[
            extract("regular", json!("a")),
            extract("regular", json!("ua"))
        ],
        &[],
        &[to(None)]
    )]);
    let valid = || {
        let union = json!({"type": "header_union", "value": "u"});
        let valid = op("valid_union", Json::Null, union);
        assign(field("a", "y"), op("b2d", Json::Null, valid))
    };
    let v = program(parser.clone(), &[valid()], &[]);
    assert_eq!(through(&v, &[0, 9, 5, 6]), [0, 1, 5, 6]);
    let other = [
        call("add_header", &[header("ub")]),
        assign(field("ub", "v"), hex(0x33)),
        valid(),
    ];
    let v = program(parser.clone(), &other, &[]);
    assert_eq!(through(&v, &[0, 9, 5, 6]), [0, 1, 0x33, 6]);
    let none = [call("remove_header", &[header("ua")]), valid()];
    let v = program(parser, &none, &[]);
    assert_eq!(through(&v, &[0, 9, 5, 6]), [0, 0, 6]);
}

#[test]
fn variable_length_fields() {
    // o.n is looked ahead at: the number of bits of o.v.
    let length = json!([state(
        "start",
        &[
            extract("regular", json!("a")),
            call(
                "extract_VL",
                &[
                    json!({"type": "regular", "value": "o"}),
                    op("*", field("a", "x"), hex(4)),
                ],
            ),
        ],
        &[],
        &[to(None)],
    ),]);
    let error = [assign(field("a", "y"), std_field("parser_error"))];
    let v = program(length.clone(), &error, &[]);
    for n in 0..=4u8 {
        let bytes = [2 * n, 0, 1, 2, 3, 4, 5, 6];
        assert_eq!(through(&v, &bytes), bytes);
    }
    assert_eq!(through(&v, &[10, 0, 1, 2, 3, 4, 5, 6])[1], 4, "too long");
    assert_eq!(through(&v, &[1, 0, 1, 2, 3, 4, 5, 6])[1], 6, "no bytes");
    assert_eq!(through(&v, &[8, 0, 1, 2, 3])[1], 1, "too short");
    // The checksum of o.v, whatever its length.
    let mut v = program(length, &[], &[]);
    v["calculations"] =
        json!([{"name": "sum", "id": 0, "algo": "csum16", "input": [field("o", "v")]}]);
    v["header_types"][1]["fields"] = json!([["x", 8, false], ["y", 16, false]]);
    v["checksums"] = json!([{"name": "sum", "id": 0, "target": ["a", "y"], "type": "generic",
        "calculation": "sum", "verify": false, "update": true, "if_cond": null}]);
    v["actions"][2]["primitives"] = json!([]);
    assert_eq!(
        through(&v, &[4, 0, 0, 9, 0x12, 0x34]),
        [4, 0xed, 0xcb, 9, 0x12, 0x34]
    );
    assert_eq!(
        through(&v, &[2, 0, 0, 9, 0x12, 0x34]),
        [2, 0xed, 0xff, 9, 0x12, 0x34]
    );
}

#[test]
fn value_sets_are_written_by_the_control_plane() {
    let parser = json!([
        state(
            "start",
            &[extract("regular", json!("a"))],
            &[field("a", "x")],
            &[
                json!({"type": "parse_vset", "value": "vs", "mask": null, "next_state": "more"}),
                to(None)
            ],
        ),
        state("more", &[extract("regular", json!("ua"))], &[], &[to(None)]),
    ]);
    let drop_u = [call("remove_header", &[header("ua")])];
    let mut s = switch(&program(parser, &drop_u, &[]));
    let set = s.program().value_set("vs").unwrap();
    assert_eq!(run(&mut s, &[5, 0, 1])[0].1, [5, 0, 1]);
    let members = vec![
        vec![MatchField::Exact(Value::from(5u64))],
        vec![MatchField::Range {
            low: Value::from(8u64),
            high: Value::from(9u64),
        }],
    ];
    s.value_set_write(set, members.clone()).unwrap();
    assert_eq!(s.value_set_read(set).unwrap(), members);
    for (x, n) in [(5, 2), (6, 3), (8, 2), (9, 2), (10, 3)] {
        assert_eq!(run(&mut s, &[x, 0, 1])[0].1.len(), n, "{x}");
    }
    let wide = vec![vec![MatchField::Exact(Value::from(256u64))]];
    assert_eq!(
        s.value_set_write(set, wide).unwrap_err().to_string(),
        "value set `vs`: 0x100 does not fit into 8 bits"
    );
}

#[test]
fn a_key_without_match_is_an_error() {
    let parser = json!([state(
        "start",
        &[extract("regular", json!("a"))],
        &[field("a", "x")],
        &[on("0x05", None)],
    )]);
    let error = [assign(field("a", "y"), std_field("parser_error"))];
    let v = program(parser, &error, &[]);
    assert_eq!(through(&v, &[5, 9]), [5, 0]);
    assert_eq!(through(&v, &[6, 9]), [6, 2]);
}

fn replicas(list: &[(u16, u16)]) -> Vec<Replica> {
    let replica = |&(port, rid): &(u16, u16)| Replica { port, rid };
    list.iter().map(replica).collect()
}

/// Egress writes instance type and replica into the packet.
fn tell() -> Vec<Json> {
    vec![
        assign(field("a", "x"), std_field("instance_type")),
        assign(field("a", "y"), std_field("egress_rid")),
    ]
}

#[test]
fn multicast_sends_copies() {
    let group = [assign(std_field("mcast_grp"), field("a", "x"))];
    let mut s = switch(&program(just_a(), &group, &tell()));
    let list = replicas(&[(1, 10), (2, 20), (1, 11)]);
    s.multicast_group_set(5, list.clone()).unwrap();
    assert_eq!(s.multicast_group(5).unwrap(), list);
    let (queued, lost) = (3, 0);
    assert_eq!(
        send(&mut s, &[5, 0, 0xee]),
        ReceiveOutcome::Multicast { queued, lost }
    );
    let out = departures(&mut s);
    let expected = [(1, 10), (1, 11), (2, 20)];
    let expected = expected.map(|(port, rid)| (port, vec![5, rid, 0xee]));
    assert_eq!(out, expected, "instance type 5: replication");
    assert_eq!(
        send(&mut s, &[6, 0]),
        ReceiveOutcome::Dropped(DropReason::EmptyMulticastGroup)
    );
    assert!(s.multicast_group_set(0, Vec::new()).is_err());
    assert!(
        s.multicast_group_set(1, replicas(&[(1, 1), (1, 1)]))
            .is_err()
    );
    s.multicast_group_delete(5).unwrap();
    assert!(s.multicast_group_delete(5).is_err());
}

#[test]
fn clones_of_ingress_are_the_packet_as_it_came() {
    let ingress = [
        assign(field("m", "p"), hex(0x21)),
        assign(field("m", "q"), hex(0x43)),
        assign(field("a", "y"), hex(0x99)),
        call("clone_ingress_pkt_to_egress", &[hex(4), hex(1)]),
        // The last call counts.
        call("clone_ingress_pkt_to_egress", &[hex(3), hex(1)]),
    ];
    // x: what egress sees; the original has no room for more.
    let egress = [assign(
        field("a", "x"),
        op(
            "+",
            op("+", field("m", "p"), field("m", "q")),
            std_field("instance_type"),
        ),
    )];
    let mut s = switch(&program(just_a(), &ingress, &egress));
    assert_eq!(run(&mut s, &[1, 2, 3]).len(), 1, "no such session");
    let mut session = CloneSession {
        port: Some(9),
        ..CloneSession::default()
    };
    s.clone_session_set(3, session.clone()).unwrap();
    let out = run(&mut s, &[1, 2, 3]);
    // The clone keeps m.p, not m.q, and has instance type 1.
    assert_eq!(out, [(1, vec![0x64, 0x99, 3]), (9, vec![0x22, 2, 3])]);
    session.replicas = replicas(&[(4, 1), (5, 2)]);
    session.group = Some(1);
    session.truncate = Some(2);
    s.clone_session_set(3, session.clone()).unwrap();
    s.multicast_group_set(1, replicas(&[(6, 1)])).unwrap();
    let ports: Vec<_> = run(&mut s, &[1, 2, 3])
        .iter()
        .map(|(port, bytes)| (*port, bytes.len()))
        .collect();
    assert_eq!(ports, [(1, 3), (4, 2), (5, 2), (6, 2), (9, 2)]);
    assert_eq!(s.fork(1).clone_session(3), Some(&session));
    assert!(s.clone_session_set(0x8000, session).is_err());
}

#[test]
fn clones_of_egress_have_the_headers_that_egress_leaves() {
    // Only the original is cloned.
    let egress = [
        call(
            "_jump_if_zero",
            &[
                op(
                    "b2d",
                    Json::Null,
                    op("==", std_field("instance_type"), hex(0)),
                ),
                hex(3),
            ],
        ),
        assign(field("a", "y"), hex(0x55)),
        call("clone_egress_pkt_to_egress", &[hex(3), hex(1)]),
        assign(field("a", "x"), std_field("instance_type")),
    ];
    let ingress = [assign(field("m", "p"), hex(0x21))];
    let mut s = switch(&program(just_a(), &ingress, &egress));
    let session = CloneSession {
        port: Some(1),
        ..CloneSession::default()
    };
    s.clone_session_set(3, session).unwrap();
    let out = run(&mut s, &[1, 2, 3]);
    assert_eq!(out, [(1, vec![0, 0x55, 3]), (1, vec![2, 0x55, 3])]);
    let stats = s.port_stats(1);
    assert_eq!((stats.enqueued, stats.sent, stats.depth_packets), (2, 2, 0));
}

#[test]
fn resubmitted_packets_come_as_they_were() {
    // p counts the passes; the third one sends the packet off.
    let ingress = [
        assign(field("m", "p"), op("+", field("m", "p"), hex(1))),
        assign(field("a", "y"), op("+", field("a", "y"), field("m", "p"))),
        assign(field("a", "x"), std_field("instance_type")),
        call(
            "_jump_if_zero",
            &[
                op("b2d", Json::Null, op("<", field("m", "p"), hex(3))),
                hex(6),
            ],
        ),
        call("resubmit", &[hex(1)]),
    ];
    let v = program(just_a(), &ingress, &[]);
    assert_eq!(through(&v, &[1, 0x10, 3]), [6, 0x13, 3]);
    // For ever: the limit ends it.
    let mut s = switch(&program(just_a(), &[call("resubmit", &[hex(0)])], &[]));
    assert_eq!(
        send(&mut s, &[1, 2]),
        ReceiveOutcome::Dropped(DropReason::PassLimit)
    );
}

#[test]
fn recirculated_packets_come_as_egress_left_them() {
    let egress = [
        assign(field("a", "y"), op("+", field("a", "y"), hex(1))),
        assign(field("a", "x"), std_field("instance_type")),
        call(
            "_jump_if_zero",
            &[
                op("b2d", Json::Null, op("<", field("a", "y"), hex(4))),
                hex(4),
            ],
        ),
        call("recirculate", &[hex(1)]),
    ];
    let count = [assign(field("m", "p"), op("+", field("m", "p"), hex(1)))];
    let mut s = switch(&program(just_a(), &count, &egress));
    send(&mut s, &[9, 1, 3]);
    let d: Vec<_> = std::iter::from_fn(|| s.depart(u64::MAX)).collect();
    let back: Vec<_> = d.iter().map(|d| d.recirculated).collect();
    assert_eq!(back, [true, true, false]);
    // As in simple_switch, egress sees a normal packet.
    assert_eq!(d[2].packet.as_ref().unwrap().bytes, [0, 4, 3]);
    let stats = s.port_stats(1);
    assert_eq!((stats.sent, stats.recirculated), (1, 2));
    let mut s = switch(&program(just_a(), &[], &[call("recirculate", &[hex(0)])]));
    assert_eq!(run(&mut s, &[1, 2]), [], "for ever: the limit ends it");
    assert_eq!(s.ingress_drops(), 1);
}

#[test]
fn digests_wait_for_the_control_plane() {
    let ingress = [
        assign(field("m", "p"), hex(0x21)),
        call("generate_digest", &[hex(1), hex(1)]),
        assign(field("m", "p"), hex(0x22)),
    ];
    let config = SwitchConfig {
        digest_capacity: 2,
        ..SwitchConfig::default()
    };
    let mut s = switch_with(&program(just_a(), &ingress, &[]), config);
    assert_eq!(s.program().digests()[0].fields[1].name, "m.p");
    for x in 1..=3 {
        run(&mut s, &[x, 0]);
    }
    // The values are those at the end of ingress.
    let digests = s.take_digests();
    let values = |x: u64| vec![Value::from(x), Value::from(0x22u64)];
    let got: Vec<_> = digests.into_iter().map(|d| (d.digest, d.values)).collect();
    assert_eq!(got, [(0, values(1)), (0, values(2))]);
    assert_eq!(s.lost_digests(), 1);
    assert_eq!(s.take_digests(), []);
}

#[test]
fn meters_colour_packets() {
    let ingress = [call(
        "execute_meter",
        &[
            json!({"type": "meter_array", "value": "mt"}),
            field("a", "x"),
            field("a", "y"),
        ],
    )];
    let mut s = switch(&program(just_a(), &ingress, &[]));
    let meter = s.program().meter("mt").unwrap();
    let config = MeterConfig {
        cir: 1,
        cburst: 1,
        pir: 1,
        pburst: 2,
    };
    s.meter_write(meter, 1, Some(config)).unwrap();
    let colors: Vec<_> = (0..3).map(|_| run(&mut s, &[1, 9])[0].1[1]).collect();
    assert_eq!(colors, [0, 1, 2]);
    assert_eq!(run(&mut s, &[0, 9])[0].1[1], 0, "not configured");
    assert_eq!(run(&mut s, &[2, 9])[0].1[1], 9, "out of bounds");
    assert_eq!(s.meter_read(meter, 1).unwrap(), Some(config));
    let (index, size) = (2, 2);
    assert_eq!(
        s.meter_write(meter, 2, None),
        Err(ControlError::OutOfRange { index, size })
    );
    let direct = s.program().meter("dm").unwrap();
    assert!(s.meter_read(direct, 0).is_err() || s.program().meters()[direct].table.is_none());
    let mut fork = s.fork(1);
    assert_eq!(run(&mut fork, &[1, 9])[0].1[1], 0, "buckets are full again");
}

/// A table t2 with key a.x after the ingress action.
fn with_table(mut v: Json, change: impl FnOnce(&mut Json)) -> Json {
    let mut table = json!({
        "name": "t2", "id": 2, "match_type": "exact", "type": "simple", "max_size": 16,
        "with_counters": true, "support_timeout": true, "direct_meters": "dm",
        "key": [{"match_type": "exact", "name": "a.x", "target": ["a", "x"], "mask": null}],
        "action_ids": [2, 3], "actions": ["set", "no"], "base_default_next": null,
        "next_tables": {"set": null, "no": null},
    });
    change(&mut table);
    let tables = &mut v["pipelines"][0]["tables"];
    tables[0]["next_tables"] = json!({"ingress": "t2"});
    if let Some(tables) = tables.as_array_mut() {
        tables.push(table);
    }
    v
}

fn set(v: u64) -> ActionCall {
    ActionCall {
        action: 2,
        params: vec![Value::from(v)],
    }
}

fn entry(x: u64, action: EntryAction) -> TableEntry {
    TableEntry {
        key: vec![MatchField::Exact(Value::from(x))],
        priority: 0,
        action,
    }
}

#[test]
fn entries_have_meters_and_idle_timeouts() {
    let color = [assign(field("a", "y"), field("m", "color"))];
    let v = with_table(program(just_a(), &[], &color), |_| {});
    let mut s = switch(&v);
    let t = s.program().table("t2").unwrap();
    let e = entry(5, set(1).into());
    s.table_insert(t, e.clone()).unwrap();
    assert_eq!(run(&mut s, &[5, 9])[0].1[1], 0);
    let config = MeterConfig {
        cir: 1,
        cburst: 2,
        pir: 1,
        pburst: 5,
    };
    s.table_meter_write(t, &e.key, 0, Some(config)).unwrap();
    // Two bytes each.
    let colors: Vec<_> = (0..3).map(|_| run(&mut s, &[5, 9])[0].1[1]).collect();
    assert_eq!(colors, [0, 1, 2]);
    assert_eq!(s.table_meter_read(t, &e.key, 0).unwrap(), Some(config));
    assert!(s.table_meter_write(0, &[], 0, None).is_err());

    s.set_idle_timeout(t, &e.key, 0, 10_000, 0).unwrap();
    run(&mut s, &[5, 9]); // at 1000 ns
    assert_eq!(s.idle_timeout(t, &e.key, 0).unwrap(), (10_000, 1_000));
    assert_eq!(s.take_idle_entries(10_999), []);
    assert_eq!(s.take_idle_entries(11_000), [(t, e.clone())]);
    assert_eq!(s.take_idle_entries(11_000), []);
    assert_eq!(s.take_idle_entries(21_000), [(t, e.clone())]);
    s.set_idle_timeout(t, &e.key, 0, 0, 0).unwrap();
    assert_eq!(s.take_idle_entries(u64::MAX), []);
}

fn selector() -> Switch {
    let mut v = with_table(program(just_a(), &[], &[]), |t| {
        t["type"] = json!("indirect_ws");
        t["action_profile"] = json!("ap");
        t["direct_meters"] = Json::Null;
        t["default_entry"] = json!({"action_id": 3, "action_const": false, "action_data": [], "action_entry_const": false});
    });
    v["pipelines"][0]["action_profiles"] = json!([{"name": "ap", "id": 0, "max_size": 3,
        "selector": {"algo": "identity", "input": [field("a", "y")]}}]);
    switch(&v)
}

#[test]
fn entries_share_the_members_of_a_profile() {
    let mut s = selector();
    let (t, p) = (0, s.program().action_profile("ap").unwrap());
    let t2 = s.program().table("t2").unwrap();
    assert_ne!(t, t2);
    assert_eq!(s.program().action_profiles()[p].tables, [t2]);
    assert_eq!(s.program().profile_action(p, "set"), Some(2));
    s.member_insert(p, 1, set(0x11)).unwrap();
    s.member_insert(p, 2, set(0x22)).unwrap();
    assert_eq!(
        s.member_insert(p, 2, set(0)),
        Err(ControlError::AlreadyExists)
    );
    let missing = entry(5, EntryAction::Member(3));
    assert!(matches!(
        s.table_insert(t2, missing),
        Err(ControlError::NotFound(_))
    ));
    assert!(s.table_insert(t2, entry(5, set(1).into())).is_err());
    s.table_insert(t2, entry(5, EntryAction::Member(1)))
        .unwrap();
    assert_eq!(run(&mut s, &[5, 0])[0].1, [5, 0x11]);
    s.member_modify(p, 1, set(0x33)).unwrap();
    assert_eq!(run(&mut s, &[5, 0])[0].1, [5, 0x33]);
    assert_eq!(run(&mut s, &[6, 0])[0].1, [6, 0], "a miss");
    assert!(matches!(s.member_delete(p, 1), Err(ControlError::InUse(_))));

    let member = |member, weight| GroupMember { member, weight };
    s.group_insert(p, 7, vec![]).unwrap();
    s.table_modify(t2, &entry(5, EntryAction::Group(7)))
        .unwrap();
    assert_eq!(run(&mut s, &[5, 1])[0].1, [5, 1], "an empty group");
    s.group_modify(p, 7, vec![member(2, 1), member(1, 3)])
        .unwrap();
    // Shares in order of the member's ids: 1 1 1 2; the hash is y itself.
    let out: Vec<_> = (0..8).map(|y| run(&mut s, &[5, y])[0].1[1]).collect();
    assert_eq!(out, [0x33, 0x33, 0x33, 0x22, 0x33, 0x33, 0x33, 0x22]);
    let groups: Vec<_> = s.groups(p).unwrap().collect();
    assert_eq!(groups, [(7, &[member(2, 1), member(1, 3)][..])]);
    let mut fork = s.fork(1);
    assert_eq!(run(&mut fork, &[5, 3])[0].1, [5, 0x22]);
    assert!(matches!(s.group_delete(p, 7), Err(ControlError::InUse(_))));
    assert!(matches!(s.member_delete(p, 2), Err(ControlError::InUse(_))));
    for bad in [
        vec![member(1, 0)],
        vec![member(9, 1)],
        vec![member(1, 1), member(1, 1)],
        vec![member(1, u32::MAX)],
    ] {
        assert!(s.group_modify(p, 7, bad).is_err());
    }
    s.table_clear(t2).unwrap();
    s.group_delete(p, 7).unwrap();
    s.member_delete(p, 2).unwrap();
    assert_eq!(s.members(p).unwrap().count(), 1);
}

#[test]
fn the_highest_priority_goes_first() {
    let ingress = [assign(std_field("priority"), field("a", "x"))];
    let v = program(just_a(), &ingress, &[]);
    let config = SwitchConfig {
        priority_queues: 3,
        default_port: PortConfig {
            rate: Rate::PacketsPerSecond(1000),
            limit_packets: Some(2),
            ..PortConfig::default()
        },
        ..SwitchConfig::default()
    };
    let mut s = switch_with(&v, config);
    for bytes in [[0, 1], [0, 2], [1, 3], [2, 4], [1, 5]] {
        assert!(matches!(send(&mut s, &bytes), ReceiveOutcome::Enqueued(_)));
    }
    assert!(
        matches!(send(&mut s, &[1, 6]), ReceiveOutcome::TailDropped(r) if r.depth_packets == 2)
    );
    assert_eq!(
        send(&mut s, &[3, 7]),
        ReceiveOutcome::Dropped(DropReason::PriorityOutOfRange)
    );
    let order: Vec<_> = departures(&mut s).iter().map(|(_, b)| b[1]).collect();
    assert_eq!(order, [4, 3, 5, 1, 2]);
}

/// What ingress leaves in a packet's metadata is there in egress, whatever came or left in between: at once, after others,
/// with a drop in between, and beside copies.
#[test]
fn each_packet_keeps_its_own_metadata() {
    let ingress = [
        assign(field("m", "p"), field("a", "x")),
        assign(std_field("priority"), field("a", "y")),
    ];
    let egress = [assign(field("a", "y"), field("m", "p"))];
    let v = program(just_a(), &ingress, &egress);
    let config = SwitchConfig {
        priority_queues: 2,
        default_port: PortConfig {
            rate: Rate::PacketsPerSecond(1000),
            limit_packets: Some(2),
            ..PortConfig::default()
        },
        ..SwitchConfig::default()
    };
    // Packets that come (their x, and 0 or 1 for their queue), and departures (`None`).
    let come = |x, queue| Some([x, queue]);
    let steps = [
        come(1, 0),
        None,
        come(2, 0),
        come(3, 1),
        None,
        come(4, 0),
        come(5, 0), // no room
        None,
        come(6, 1),
        come(7, 1),
        None,
        None,
        None,
    ];
    let mut s = switch_with(&v, config);
    let mut sent = Vec::new();
    for step in steps {
        if let Some(bytes) = step {
            send(&mut s, &bytes);
        } else if let Some(packet) = s.depart(u64::MAX).and_then(|d| d.packet) {
            sent.push([packet.bytes[0], packet.bytes[1]]);
        }
    }
    assert_eq!(sent, [1, 3, 2, 6, 7, 4].map(|x| [x, x]));
}
