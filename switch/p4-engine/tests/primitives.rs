// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Single primitives, matches and parser operations, in small programs.

mod common;

use p4_engine::{
    ActionCall, DropReason, MatchField, Packet, Program, ReceiveOutcome, Switch, SwitchConfig,
    TableEntry, Value,
};
use serde_json::{Value as Json, json};

fn field(h: &str, f: &str) -> Json {
    json!({"type": "field", "value": [h, f]})
}

fn hex(v: u64) -> Json {
    json!({"type": "hexstr", "value": format!("{v:#x}")})
}

fn header(h: &str) -> Json {
    json!({"type": "header", "value": h})
}

fn op(op: &str, left: Json, right: Json) -> Json {
    json!({"type": "expression", "value": {"op": op, "left": left, "right": right}})
}

fn call(op: &str, parameters: &[Json]) -> Json {
    json!({"op": op, "parameters": parameters})
}

/// Runs `ingress`, then `egress`, over a header `a` of fields x (8), y (16), z (64), w (128 bits)
/// at the beginning of each packet; `b` is of the same type and not extracted. Packets leave by
/// port 1.
fn program(ingress: &[Json], egress: &[Json]) -> Json {
    let mut ingress = ingress.to_vec();
    ingress.insert(
        0,
        call(
            "assign",
            &[field("standard_metadata", "egress_spec"), hex(1)],
        ),
    );
    let action = |id: u32, name: &str, primitives: &[Json]| json!({"name": name, "id": id, "runtime_data": [], "primitives": primitives});
    let pipeline = |id: u32, name: &str| {
        json!({"name": name, "id": id, "init_table": format!("t{id}"), "conditionals": [], "tables": [{
            "name": format!("t{id}"), "id": id, "key": [], "match_type": "exact", "type": "simple",
            "max_size": 16, "with_counters": false, "support_timeout": false, "direct_meters": null,
            "action_ids": [id], "actions": [name], "base_default_next": null, "next_tables": {name: null},
            "default_entry": {"action_id": id, "action_const": true, "action_data": [], "action_entry_const": true},
        }]})
    };
    json!({
        "header_types": [
            {"name": "standard_metadata", "id": 0, "fields": [
                ["ingress_port", 9, false], ["egress_spec", 9, false], ["egress_port", 9, false],
                ["instance_type", 32, false], ["packet_length", 32, false], ["parser_error", 32, false],
                ["mcast_grp", 16, false], ["_padding", 5, false]]},
            {"name": "h_t", "id": 1, "fields": [["x", 8, false], ["y", 16, false], ["z", 64, false], ["w", 128, false]]},
        ],
        "headers": [
            {"name": "standard_metadata", "id": 0, "header_type": "standard_metadata", "metadata": true},
            {"name": "a", "id": 1, "header_type": "h_t", "metadata": false},
            {"name": "b", "id": 2, "header_type": "h_t", "metadata": false},
        ],
        "errors": [["NoError", 0], ["PacketTooShort", 1], ["ParserTimeout", 5], ["Mine", 9]],
        "parsers": [{"name": "parser", "id": 0, "init_state": "start", "parse_states": [
            {"name": "start", "id": 0, "parser_ops": [
                {"op": "extract", "parameters": [{"type": "regular", "value": "a"}]}],
             "transition_key": [], "transitions": [
                {"type": "default", "value": null, "mask": null, "next_state": null}]}]}],
        "deparsers": [{"name": "deparser", "id": 0, "order": ["a", "b"]}],
        "register_arrays": [{"name": "r", "id": 0, "size": 4, "bitwidth": 16},
                            {"name": "wide", "id": 1, "size": 2, "bitwidth": 128}],
        "counter_arrays": [{"name": "c", "id": 0, "size": 2, "is_direct": false}],
        "calculations": [{"name": "crc", "id": 0, "algo": "crc32", "input": [field("a", "x"), field("a", "y")]}],
        "actions": [action(0, "ingress", &ingress), action(1, "egress", egress)],
        "pipelines": [pipeline(0, "ingress"), pipeline(1, "egress")],
        "field_aliases": [["intrinsic_metadata.mcast_grp", ["standard_metadata", "mcast_grp"]]],
    })
}

fn switch(v: &Json) -> Switch {
    let p = Program::from_bmv2_json(v.to_string().as_bytes()).unwrap();
    common::switch_of(
        p,
        SwitchConfig {
            log_capacity: 4,
            ..SwitchConfig::default()
        },
    )
}

/// x = 1, y = 0x0203, z = 4, w = 5, and a payload byte.
fn packet() -> Packet {
    let mut b = vec![1, 2, 3];
    b.extend(4u64.to_be_bytes());
    b.extend(5u128.to_be_bytes());
    b.push(0xee);
    Packet::new(b, 0)
}

fn run(s: &mut Switch) -> Packet {
    let o = s.receive(2, packet(), 0);
    assert!(matches!(o, ReceiveOutcome::Enqueued(_)), "{o:?}");
    s.depart(0).unwrap().packet.unwrap()
}

/// x, y, z and w after running these primitives in ingress.
fn after(primitives: &[Json]) -> (u8, u16, u64, u128) {
    let b = run(&mut switch(&program(primitives, &[]))).bytes;
    (
        b[0],
        u16::from_be_bytes([b[1], b[2]]),
        u64::from_be_bytes(b[3..11].try_into().unwrap()),
        u128::from_be_bytes(b[11..27].try_into().unwrap()),
    )
}

#[test]
fn wide_fields() {
    let w = || field("a", "w");
    assert_eq!(
        after(&[call("assign", &[w(), op("-", w(), hex(6))])]).3,
        u128::MAX
    );
    assert_eq!(
        after(&[call("assign", &[w(), op("<<", w(), hex(100))])]).3,
        5 << 100
    );
    assert_eq!(after(&[call("assign", &[w(), field("a", "z")])]).3, 4);
    assert_eq!(after(&[call("assign", &[field("a", "z"), w()])]).2, 5);
    let big = json!({"type": "hexstr", "value": "0x112233445566778899aabbccddeeff00"});
    assert_eq!(
        after(&[call("assign", &[w(), big])]).3,
        0x1122_3344_5566_7788_99aa_bbcc_ddee_ff00
    );
    let write = call(
        "register_write",
        &[
            json!({"type": "register_array", "value": "wide"}),
            hex(1),
            op("*", w(), w()),
        ],
    );
    let read = call(
        "register_read",
        &[
            w(),
            json!({"type": "register_array", "value": "wide"}),
            hex(1),
        ],
    );
    assert_eq!(after(&[write, call("assign", &[w(), hex(0)]), read]).3, 25);
}

#[test]
fn arrays_out_of_bounds_are_left_alone() {
    let r = || json!({"type": "register_array", "value": "r"});
    let read = |i| call("register_read", &[field("a", "y"), r(), hex(i)]);
    assert_eq!(after(&[read(0)]).1, 0);
    assert_eq!(
        after(&[read(4)]).1,
        0x0203,
        "the destination keeps its value"
    );
    assert_eq!(after(&[read(u64::from(u32::MAX))]).1, 0x0203);
    let write = |i| call("register_write", &[r(), hex(i), hex(0x1_0007)]);
    assert_eq!(
        after(&[write(4), write(3), read(3)]).1,
        7,
        "cut to the cell's width"
    );
    let count = |i| {
        call(
            "count",
            &[json!({"type": "counter_array", "value": "c"}), hex(i)],
        )
    };
    let mut s = switch(&program(&[count(1), count(2)], &[]));
    run(&mut s);
    let c = s.counter_read(0, 1).unwrap();
    assert_eq!((c.packets, c.bytes), (1, 28));
}

#[test]
fn headers_come_and_go() {
    let egress = [
        call(
            "assign",
            &[field("a", "y"), field("standard_metadata", "packet_length")],
        ),
        call(
            "assign",
            &[
                field("a", "x"),
                op("+", op("*", field("a", "x"), hex(2)), field("b", "$valid$")),
            ],
        ),
    ];
    // The length in egress counts headers that were added and removed in ingress.
    let out = run(&mut switch(&program(
        &[call("add_header", &[header("b")])],
        &egress,
    )));
    assert_eq!(
        (out.bytes[0], out.bytes[2], out.len()),
        (3, 28 + 27, 28 + 27)
    );
    assert_eq!(out.bytes[27..54], [0; 27], "a new header is zero");
    let copy = call("assign_header", &[header("b"), header("a")]);
    let out = run(&mut switch(&program(std::slice::from_ref(&copy), &[])));
    assert_eq!(out.bytes[..27], out.bytes[27..54]);
    let remove = call("remove_header", &[header("a")]);
    assert_eq!(
        run(&mut switch(&program(&[copy, remove.clone()], &[]))).bytes,
        packet().bytes
    );
    let out = run(&mut switch(&program(
        &[remove.clone(), remove.clone()],
        &[],
    )));
    assert_eq!(out.bytes, [0xee]);
    // A removed header keeps its values; one made valid again does not.
    let keep = call("assign", &[field("b", "y"), field("a", "y")]);
    let add = |h| call("add_header", &[header(h)]);
    let out = run(&mut switch(&program(
        &[remove.clone(), add("b"), keep],
        &[],
    )));
    assert_eq!(out.bytes[1..3], [2, 3]);
    assert_eq!(
        run(&mut switch(&program(&[remove, add("a")], &[]))).bytes[..27],
        [0; 27]
    );
}

#[test]
fn jumps() {
    let x = |v| call("assign", &[field("a", "x"), hex(v)]);
    let skip = |cond: Json| {
        [
            call("_jump_if_zero", &[cond, hex(3)]),
            x(10),
            call("_jump", &[hex(4)]),
            x(20),
        ]
    };
    assert_eq!(after(&[&[x(0)][..], &shifted(skip(hex(0)))].concat()).0, 20);
    assert_eq!(after(&[&[x(0)][..], &shifted(skip(hex(1)))].concat()).0, 10);
    // `program` puts one primitive first, the test another: targets move by two.
    fn shifted(calls: [Json; 4]) -> Vec<Json> {
        let mut calls = calls.to_vec();
        calls[0]["parameters"][1] = hex(5);
        calls[2]["parameters"][0] = hex(6);
        calls
    }
    let out = program(&[call("_jump", &[hex(3)])], &[]);
    let e = Program::from_bmv2_json(out.to_string().as_bytes()).unwrap_err();
    assert_eq!(
        e.to_string(),
        "action `ingress`, primitive 1 (`_jump`): cannot jump to primitive 3"
    );
}

#[test]
fn loops() {
    let x = |e| call("assign", &[field("a", "x"), e]);
    let next = x(op("+", field("a", "x"), hex(1)));
    // `program` puts one primitive first.
    let until_five = call(
        "_jump_if_zero",
        &[op("==", field("a", "x"), hex(5)), hex(2)],
    );
    assert_eq!(after(&[x(hex(0)), next.clone(), until_five]).0, 5);
    let leave = call(
        "_jump_if_zero",
        &[op("!=", field("a", "x"), hex(7)), hex(5)],
    );
    let again = call("_jump", &[hex(2)]);
    assert_eq!(after(&[x(hex(0)), leave, next, again]).0, 7);
}

#[test]
fn a_loop_without_end_drops_the_packet() {
    let mut s = switch(&program(&[call("_jump", &[hex(1)])], &[]));
    let o = s.receive(2, packet(), 0);
    assert!(
        matches!(o, ReceiveOutcome::Dropped(DropReason::AssertFailed)),
        "{o:?}"
    );
}

#[test]
fn exit_ends_the_pipeline_and_nothing_else() {
    let x = call("assign", &[field("a", "x"), hex(9)]);
    assert_eq!(after(&[call("exit", &[]), x.clone()]).0, 1);
    // Egress still runs; and a checksum condition that needs exact arithmetic after its `exit`.
    let mut v = program(&[call("exit", &[])], &[x, call("exit", &[])]);
    v["calculations"][0]["algo"] = json!("csum16");
    let condition = op("<", op("-", field("a", "x"), hex(100)), hex(0));
    v["checksums"] = json!([{"name": "k", "id": 0, "target": ["a", "z"], "type": "generic", "calculation": "crc",
                             "verify": false, "update": true, "if_cond": condition}]);
    let out = run(&mut switch(&v));
    assert_eq!(out.bytes[0], 9);
    assert_eq!(
        out.bytes[3..11],
        u64::from(common::checksum(&[9, 2, 3])).to_be_bytes()
    );
}

/// A pipeline that runs its action until `x` is `rounds`.
fn circle(rounds: u64) -> Json {
    let more = op("+", field("a", "x"), hex(1));
    let mut v = program(&[call("assign", &[field("a", "x"), more])], &[]);
    let ingress = &mut v["pipelines"][0];
    ingress["tables"][0]["base_default_next"] = json!("c");
    ingress["tables"][0]["next_tables"] = json!({"ingress": "c"});
    ingress["conditionals"] = json!([{"name": "c", "id": 0,
        "expression": op("==", field("a", "x"), hex(rounds)), "true_next": null, "false_next": "t0"}]);
    v
}

#[test]
fn pipelines_may_go_in_circles() {
    assert_eq!(run(&mut switch(&circle(200))).bytes[0], 200);
    // A field of 8 bits never has this value.
    assert_eq!(
        switch(&circle(300)).receive(0, packet(), 0),
        ReceiveOutcome::Dropped(DropReason::AssertFailed)
    );
}

#[test]
fn assertions_drop_the_packet() {
    let assert = |v| call("assert", &[op("==", field("a", "x"), hex(v))]);
    assert_eq!(after(&[assert(1)]).0, 1);
    let mut s = switch(&program(&[assert(2)], &[]));
    assert_eq!(
        s.receive(0, packet(), 0),
        ReceiveOutcome::Dropped(DropReason::AssertFailed)
    );
    let mut s = switch(&program(&[], &[assert(2)]));
    s.receive(0, packet(), 0);
    assert!(s.depart(0).unwrap().packet.is_none());
}

#[test]
fn drops_and_groups() {
    let drop = call("mark_to_drop", &[header("standard_metadata")]);
    let group = call("assign", &[field("standard_metadata", "mcast_grp"), hex(1)]);
    let outcome = |p: &[Json]| switch(&program(p, &[])).receive(0, packet(), 0);
    assert_eq!(
        outcome(std::slice::from_ref(&drop)),
        ReceiveOutcome::Dropped(DropReason::Ingress)
    );
    assert_eq!(
        outcome(std::slice::from_ref(&group)),
        ReceiveOutcome::Dropped(DropReason::EmptyMulticastGroup)
    );
    assert_eq!(
        outcome(&[group, drop]),
        ReceiveOutcome::Dropped(DropReason::Ingress)
    );
}

#[test]
fn hash_truncate_log() {
    let calculation = json!({"type": "calculation", "value": "crc"});
    let hash = |base, size| {
        call(
            "modify_field_with_hash_based_offset",
            &[field("a", "z"), hex(base), calculation.clone(), hex(size)],
        )
    };
    // CRC-32 of 01 02 03.
    assert_eq!(after(&[hash(0, 1 << 32)]).2, 0x55bc_801d);
    assert_eq!(after(&[hash(7, 10)]).2, 7 + 0x55bc_801d % 10);
    assert_eq!(after(&[hash(7, 0)]).2, 7);
    assert_eq!(
        run(&mut switch(&program(&[call("truncate", &[hex(5)])], &[]))).bytes,
        packet().bytes[..5]
    );
    let log = call(
        "log_msg",
        &[
            json!({"type": "string", "value": "x={} y={}."}),
            json!({"type": "parameters_vector", "value": [field("a", "x"), field("a", "y")]}),
        ],
    );
    // Too few and too many arguments are no error of the program.
    let fields = [field("a", "x"), field("a", "y"), field("a", "x")];
    let uneven = |n: usize| {
        call(
            "log_msg",
            &[
                json!({"type": "string", "value": "x={} y={}."}),
                json!({"type": "parameters_vector", "value": fields[..n]}),
            ],
        )
    };
    // p4c writes an object where there are no arguments.
    let bare = call(
        "log_msg",
        &[
            json!({"type": "string", "value": "here"}),
            json!({"type": "parameters_vector", "value": {}}),
        ],
    );
    let mut s = switch(&program(&[log, uneven(0), uneven(1), uneven(3)], &[]));
    run(&mut s);
    let wanted = ["x=1 y=515.", "x={} y={}.", "x=1 y={}.", "x=1 y=515."];
    assert_eq!(s.take_log(), wanted);
    let mut s = switch(&program(&[bare], &[]));
    run(&mut s);
    assert_eq!(s.take_log(), ["here"]);
}

#[test]
fn the_parser_reports_errors_and_ends() {
    let egress = [call(
        "assign",
        &[field("a", "x"), field("standard_metadata", "parser_error")],
    )];
    let with = |change: &dyn Fn(&mut Json)| {
        let mut v = program(&[], &egress);
        change(&mut v["parsers"][0]["parse_states"][0]);
        run(&mut switch(&v)).bytes
    };
    assert_eq!(with(&|_| ())[0], 0);
    let verify = json!({"op": "verify", "parameters": [op("==", field("a", "x"), hex(2)), hex(9)]});
    assert_eq!(
        with(&|s| s["parser_ops"].as_array_mut().unwrap().push(verify.clone()))[0],
        9
    );
    assert_eq!(
        with(&|s| s["transitions"][0]["next_state"] = json!("start"))[0],
        1,
        "too short for a second"
    );
    let idle = |s: &mut Json| {
        s["transitions"][0]["next_state"] = json!("start");
        s["parser_ops"][0] = json!({"op": "set", "parameters": [field("a", "x"), hex(1)]});
    };
    let mut v = program(&[call("add_header", &[header("a")])], &egress);
    idle(&mut v["parsers"][0]["parse_states"][0]);
    assert_eq!(run(&mut switch(&v)).bytes[0], 5, "ParserTimeout");
}

#[test]
fn lookahead_and_advance() {
    let mut v = program(&[], &[]);
    v["parsers"][0]["parse_states"] = json!([
        {"name": "start", "id": 0, "parser_ops": [], "transitions": [
            {"type": "hexstr", "value": "0x01", "mask": "0x0f", "next_state": "skip"},
            {"type": "default", "value": null, "mask": null, "next_state": null}],
         "transition_key": [{"type": "lookahead", "value": [4, 4]}]},
        {"name": "skip", "id": 1, "transition_key": [], "transitions": [
            {"type": "default", "value": null, "mask": null, "next_state": null}],
         "parser_ops": [
            {"op": "advance", "parameters": [hex(8)]},
            {"op": "primitive", "parameters": [call("add_header", &[header("a")])]},
            {"op": "set", "parameters": [field("a", "y"), {"type": "lookahead", "value": [4, 12]}]}]},
    ]);
    let out = run(&mut switch(&v)).bytes;
    assert_eq!(out[..3], [0, 2, 3]);
    assert_eq!(
        out[27..],
        packet().bytes[1..],
        "what was not extracted follows, less what was skipped"
    );
}

#[test]
fn optional_and_wide_keys() {
    let mut v = program(&[], &[]);
    v["actions"]
        .as_array_mut()
        .unwrap()
        .push(json!({"name": "set", "id": 2,
        "runtime_data": [{"name": "v", "bitwidth": 8}], "primitives": [
            call("assign", &[field("a", "x"), json!({"type": "runtime_data", "value": 0})])]}));
    let t = &mut v["pipelines"][1]["tables"][0];
    t["key"] = json!([
        {"match_type": "optional", "name": "y", "target": ["a", "y"], "mask": null},
        {"match_type": "exact", "name": "w", "target": ["a", "w"], "mask": null}]);
    t["match_type"] = json!("ternary");
    t["action_ids"] = json!([1, 2]);
    t["actions"] = json!(["egress", "set"]);
    t["next_tables"] = json!({"egress": null, "set": null});
    let mut s = switch(&v);
    assert_eq!(run(&mut s).bytes[0], 1);
    let mut add = |y: MatchField, w: u128, priority, x: u64| {
        let action = ActionCall {
            action: 2,
            params: vec![Value::from(x)],
        };
        s.table_insert(
            1,
            TableEntry {
                key: vec![y, MatchField::Exact(Value::from(w))],
                priority,
                action: action.into(),
            },
        )
        .unwrap();
        run(&mut s).bytes[0]
    };
    assert_eq!(add(MatchField::Any, 6, 1, 60), 1);
    assert_eq!(add(MatchField::Any, 5 | 1 << 100, 1, 61), 1);
    assert_eq!(add(MatchField::Any, 5, 1, 62), 62);
    assert_eq!(
        add(MatchField::Optional(Value::from(0x0203u64)), 5, 3, 63),
        63
    );
    assert_eq!(
        add(MatchField::Optional(Value::from(0x0204u64)), 5, 4, 64),
        63
    );
}
