// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! What is told of a packet's way through parser and tables.

mod common;
#[path = "common/v1model.rs"]
mod v1model;

use std::sync::Arc;

use common::{router, udp};
use p4_engine::{
    Execution, MatchField, Packet, ParserStep, Program, Switch, SwitchConfig, TableTrace, Trace,
    Value,
};
use v1model::{labels, program};

fn tables(switch: &mut Switch) -> Vec<TableTrace> {
    let tables = switch.take_trace().into_iter().filter_map(|t| match t {
        Trace::Table(table) => Some(table),
        Trace::Parser(_) => None,
    });
    tables.collect()
}

/// The steps of the parser as text, with names in place of numbers.
fn steps(switch: &mut Switch) -> Vec<String> {
    let trace = switch.take_trace();
    let program = switch.program();
    let text = |step: ParserStep| match step {
        ParserStep::State(s) => program.parser_states().nth(s).unwrap().to_owned(),
        ParserStep::Extracted { header, bytes } => {
            format!("+{} {bytes}", program.headers().nth(header).unwrap())
        }
        ParserStep::Verified(holds) => format!("verify {holds}"),
        ParserStep::Selecting(key) => {
            let key: Vec<String> = key
                .iter()
                .map(|k| format!("{:x?}", k.to_be_bytes()))
                .collect();
            key.join(" ")
        }
        ParserStep::End { error, bytes } => {
            format!("{} {bytes}", program.error_name(error).unwrap())
        }
    };
    let steps = trace.into_iter().filter_map(|t| match t {
        Trace::Parser(step) => Some(text(step)),
        Trace::Table(_) => None,
    });
    steps.collect()
}

#[test]
fn a_trace_names_tables_keys_and_entries() {
    let mut switch = router();
    let frame = udp(0x0a02_0304, 9, 2, 100);
    switch.receive(0, frame.clone(), 0);
    assert!(switch.take_trace().is_empty(), "none was asked for");
    switch.set_trace(true);
    switch.receive(0, frame, 0);
    let trace = tables(&mut switch);
    let table = switch.program().table("Ingress.ipv4_lpm").unwrap();
    let lookup = trace.iter().find(|record| record.table == table).unwrap();
    assert_eq!(lookup.key, [Value::from(0x0a02_0304_u64)]);
    let entry = lookup.entry.as_ref().unwrap();
    let expected = MatchField::Lpm {
        value: Value::from(0x0a02_0000_u64),
        prefix_len: 16,
    };
    assert_eq!(entry.key, [expected]);
    assert!(switch.take_trace().is_empty());
    switch.receive(0, udp(0x0b00_0001, 9, 2, 100), 0);
    let miss = tables(&mut switch).remove(0);
    assert_eq!((miss.table, miss.entry), (table, None));
}

#[test]
fn a_trace_names_states_headers_and_keys_of_the_parser() {
    let mut switch = router();
    switch.set_trace(true);
    switch.receive(0, udp(0x0a02_0304, 9, 2, 100), 0);
    let expected = [
        "start",
        "+ethernet 14",
        "[8, 0]",
        "parse_ipv4",
        "+ipv4 20",
        "verify true",
        "[0] [11]",
        "parse_udp",
        "+udp 8",
        "NoError 42",
    ];
    assert_eq!(steps(&mut switch), expected);
}

#[test]
fn a_trace_tells_why_the_parser_gave_up() {
    let mut switch = router();
    switch.set_trace(true);
    let mut options = udp(0x0a02_0304, 9, 2, 100);
    options.bytes[14] = 0x46;
    switch.receive(0, options, 0);
    let told = steps(&mut switch);
    assert_eq!(told[4..], ["+ipv4 20", "verify false", "HeaderTooShort 34"]);

    let mut short = udp(0x0a02_0304, 9, 0, 0);
    short.bytes.truncate(33);
    switch.receive(0, short, 0);
    let told = steps(&mut switch);
    assert_eq!(told[2..], ["[8, 0]", "parse_ipv4", "PacketTooShort 14"]);
}

#[test]
fn a_trace_names_the_elements_of_stacks_and_a_compiled_program_is_interpreted_for_it() {
    let json = program(labels(), &[], &[]).to_string();
    let config = SwitchConfig {
        execution: Execution::Compiled,
        ..SwitchConfig::default()
    };
    let program = Program::from_bmv2_json(json.as_bytes()).unwrap();
    let mut switch = Switch::new(Arc::new(program), config);
    let labels = Packet::new(vec![9, 9, 2, 4, 6, 8, 1], 0);
    switch.receive(7, labels.clone(), 0);
    assert!(switch.is_compiled() && steps(&mut switch).is_empty());
    switch.set_trace(true);
    assert!(!switch.is_compiled());
    switch.receive(7, labels, 0);
    let told = steps(&mut switch);
    let headers: Vec<&str> = told.iter().filter_map(|s| s.strip_prefix('+')).collect();
    assert_eq!(headers, ["a 2", "s[0] 1", "s[1] 1", "s[2] 1"]);
    assert_eq!(told[told.len() - 2..], ["label", "StackOutOfBounds 5"]);
    switch.set_trace(false);
    assert!(switch.is_compiled());
}
