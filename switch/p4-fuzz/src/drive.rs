// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Lets a switch do whatever bytes say: packets, entries, counters, registers, ports.

use p4_engine::{
    ActionCall, CounterValue, MatchField, Packet, PortConfig, Rate, Switch, TableEntry, Value,
};

use crate::bytes::Bytes;

/// Operations for one switch.
const MAX_STEPS: usize = 200;
/// Packets that may leave before it is looked at what comes next: a program may copy without end.
const MAX_DEPARTURES: usize = 200;
/// The longest queue of any port.
const LIMIT_PACKETS: u32 = 64;

pub fn drive(switch: &mut Switch, bytes: &mut Bytes<'_>) {
    let mut now_ns = 0u64;
    let mut steps = 0;
    while !bytes.is_empty() && steps < MAX_STEPS {
        steps += 1;
        match bytes.u8() % 16 {
            0..=5 => receive(switch, bytes, now_ns),
            6 => now_ns = now_ns.saturating_add(bytes.any()),
            7 => drain(switch, now_ns),
            8..=10 => entry(switch, bytes),
            11 => default_action(switch, bytes),
            12 => counter(switch, bytes),
            13 => register(switch, bytes),
            14 => port(switch, bytes),
            _ => {
                let forked = switch.fork(bytes.any());
                assert!(forked.next_departure().is_none(), "a fork has packets");
                *switch = forked;
            }
        }
    }
    drain(switch, u64::MAX);
    switch.take_log();
}

/// Bytes, often behind headers of Ethernet, IPv4 and TCP or UDP, so that parsers come further than the first state.
fn receive(switch: &mut Switch, bytes: &mut Bytes<'_>, now_ns: u64) {
    let mut frame = Vec::new();
    let shape = bytes.u8();
    if shape & 1 != 0 {
        frame.extend([2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 8, 0]);
        if shape & 2 != 0 {
            let protocol = if shape & 4 != 0 { 6 } else { 17 };
            let ecn = shape >> 3 & 3;
            frame.extend([0x45, ecn, 0, 40, 0, 1, 0, 0, 64, protocol, 0, 0]);
            frame.extend([10, 0, 0, 1, 10, 0, bytes.u8(), bytes.u8()]);
            if shape & 0x20 != 0 {
                let sum = checksum(&frame[14..34]);
                frame[24..26].copy_from_slice(&sum.to_be_bytes());
            }
        }
    }
    let length = usize::from(bytes.u8());
    frame.extend(bytes.take(length));
    let payload_len = match shape >> 6 {
        0 => 0,
        1 => 1000,
        2 => u32::from(bytes.u16()),
        _ => bytes.u32(),
    };
    let port = if shape & 0x10 != 0 { bytes.u16() } else { 1 };
    let _ = switch.receive(port, Packet::new(frame, payload_len), now_ns);
}

/// RFC 1071.
fn checksum(header: &[u8]) -> u16 {
    let mut sum: u32 = header
        .chunks(2)
        .map(|c| u32::from(c[0]) << 8 | u32::from(c.get(1).copied().unwrap_or(0)))
        .sum();
    while sum > 0xffff {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    !(sum as u16)
}

fn drain(switch: &mut Switch, now_ns: u64) {
    for _ in 0..MAX_DEPARTURES {
        let due = switch.next_departure();
        match switch.depart(now_ns) {
            Some(departure) => {
                assert!(
                    departure.start_ns <= departure.end_ns,
                    "sent before it was begun"
                );
                assert!(
                    due.is_some_and(|due| due <= now_ns),
                    "left before it was due"
                );
                if let Some(packet) = departure.packet {
                    switch.recycle(packet);
                }
            }
            None => {
                assert!(
                    due.is_none_or(|due| due > now_ns),
                    "due, but it does not leave"
                );
                return;
            }
        }
    }
}

fn value(bytes: &mut Bytes<'_>) -> Value {
    Value::from(bytes.any())
}

fn field(bytes: &mut Bytes<'_>) -> MatchField {
    match bytes.u8() % 6 {
        0 => MatchField::Exact(value(bytes)),
        1 => MatchField::Lpm {
            value: value(bytes),
            prefix_len: bytes.u8().into(),
        },
        2 => MatchField::Ternary {
            value: value(bytes),
            mask: value(bytes),
        },
        3 => MatchField::Range {
            low: value(bytes),
            high: value(bytes),
        },
        4 => MatchField::Optional(value(bytes)),
        _ => MatchField::Any,
    }
}

/// A field of the kind and width that the table has there, so that most entries are taken in.
fn fitting_field(kind: p4_engine::MatchKind, width: u32, bytes: &mut Bytes<'_>) -> MatchField {
    use p4_engine::MatchKind;
    let ones = if width >= 64 {
        u64::MAX
    } else {
        (1 << width) - 1
    };
    let v = bytes.any() & ones;
    match kind {
        MatchKind::Exact => MatchField::Exact(v.into()),
        MatchKind::Lpm => {
            let prefix_len = u32::from(bytes.u8()) % (width + 1);
            let host = width - prefix_len;
            let v = if host >= 64 { 0 } else { v >> host << host };
            match prefix_len {
                0 => MatchField::Any,
                _ => MatchField::Lpm {
                    value: v.into(),
                    prefix_len,
                },
            }
        }
        MatchKind::Ternary => {
            let mask = bytes.any() & ones;
            match mask {
                0 => MatchField::Any,
                _ => MatchField::Ternary {
                    value: (v & mask).into(),
                    mask: mask.into(),
                },
            }
        }
        MatchKind::Range => {
            let w = bytes.any() & ones;
            MatchField::Range {
                low: v.min(w).into(),
                high: v.max(w).into(),
            }
        }
        _ => MatchField::Optional(v.into()),
    }
}

fn call(switch: &Switch, table: usize, bytes: &mut Bytes<'_>) -> ActionCall {
    let program = switch.program();
    let sloppy = bytes.u8() == 0;
    let actions = program.tables().get(table).map_or(&[][..], |t| &t.actions);
    let action = match actions {
        [] => bytes.below(program.actions().len() + 1),
        _ if sloppy => bytes.below(program.actions().len() + 1),
        _ => actions[bytes.below(actions.len())],
    };
    let params = match program.actions().get(action) {
        Some(info) if !sloppy => info
            .params
            .iter()
            .map(|p| {
                let ones = if p.width >= 64 {
                    u64::MAX
                } else {
                    (1 << p.width) - 1
                };
                Value::from(bytes.any() & ones)
            })
            .collect(),
        _ => (0..bytes.below(4)).map(|_| value(bytes)).collect(),
    };
    ActionCall { action, params }
}

fn entry(switch: &mut Switch, bytes: &mut Bytes<'_>) {
    let table = bytes.below(switch.program().tables().len() + 1);
    let how = bytes.u8();
    let info = switch.program().tables().get(table).cloned();
    let key = match &info {
        Some(info) if how & 0x80 == 0 => info
            .keys
            .iter()
            .map(|k| fitting_field(k.kind, k.width, bytes))
            .collect(),
        _ => (0..bytes.below(5)).map(|_| field(bytes)).collect(),
    };
    let priority = match &info {
        Some(info) if how & 0x40 == 0 => {
            i32::from(info.has_priority()) * (1 + i32::from(bytes.u8()))
        }
        _ => bytes.u32() as i32,
    };
    let action = call(switch, table, bytes);
    let new = TableEntry {
        key,
        priority,
        action,
    };
    match how % 8 {
        0..=4 => {
            if switch.table_insert(table, new.clone()).is_ok() {
                assert!(
                    switch.table_entry(table, &new.key, new.priority).is_ok(),
                    "an entry is not there after it was inserted: {new:?}"
                );
            }
        }
        5 => drop(switch.table_modify(table, &new)),
        6 => {
            if switch.table_delete(table, &new.key, new.priority).is_ok() {
                assert!(
                    switch.table_entry(table, &new.key, new.priority).is_err(),
                    "an entry is there after it was deleted: {new:?}"
                );
            }
        }
        _ => drop(switch.table_clear(table)),
    }
    if let (Ok(entries), Ok(len)) = (
        switch.table_entries(table).map(Iterator::count),
        switch.table_len(table),
    ) {
        assert_eq!(entries, len, "table {table}");
    }
}

fn default_action(switch: &mut Switch, bytes: &mut Bytes<'_>) {
    let table = bytes.below(switch.program().tables().len() + 1);
    if bytes.u8().is_multiple_of(4) {
        drop(switch.reset_default_action(table));
    } else {
        let action = call(switch, table, bytes);
        if switch.set_default_action(table, action.clone()).is_ok() {
            assert_eq!(switch.default_action(table).ok().flatten(), Some(&action));
        }
    }
}

fn counter(switch: &mut Switch, bytes: &mut Bytes<'_>) {
    let counter = bytes.below(switch.program().counters().len() + 1);
    let index = bytes.any() as usize;
    let new = CounterValue {
        packets: bytes.any(),
        bytes: bytes.any(),
    };
    if switch.counter_write(counter, index, new).is_ok() {
        assert_eq!(switch.counter_read(counter, index).ok(), Some(new));
    }
}

fn register(switch: &mut Switch, bytes: &mut Bytes<'_>) {
    let register = bytes.below(switch.program().registers().len() + 1);
    let index = bytes.any() as usize;
    let new = value(bytes);
    if switch.register_write(register, index, &new).is_ok() {
        assert_eq!(switch.register_read(register, index).ok(), Some(new));
    }
}

fn port(switch: &mut Switch, bytes: &mut Bytes<'_>) {
    let port = bytes.u16() % 8;
    let rate = match bytes.u8() % 3 {
        0 => Rate::Unlimited,
        1 => Rate::BitsPerSecond(bytes.any()),
        _ => Rate::PacketsPerSecond(bytes.any()),
    };
    let config = PortConfig {
        rate,
        limit_packets: Some(u32::from(bytes.u8()) % (LIMIT_PACKETS + 1)),
        limit_bytes: Some(bytes.any()).filter(|limit| limit % 2 == 0),
        overhead_bytes: bytes.u32() as i32,
    };
    let _ = switch.configure_port(port, config);
}
