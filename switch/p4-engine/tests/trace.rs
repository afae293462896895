// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Which tables a packet hit.

mod common;

use common::{router, udp};
use p4_engine::{MatchField, Value};

#[test]
fn a_trace_names_tables_keys_and_entries() {
    let mut switch = router();
    let frame = udp(0x0a02_0304, 9, 2, 100);
    switch.receive(0, frame.clone(), 0);
    assert!(switch.take_trace().is_empty(), "none was asked for");
    switch.set_trace(true);
    switch.receive(0, frame, 0);
    let trace = switch.take_trace();
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
    let miss = switch.take_trace().remove(0);
    assert_eq!((miss.table, miss.entry), (table, None));
}
