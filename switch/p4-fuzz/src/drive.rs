// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Lets a switch do whatever bytes say: packets, entries, counters, registers, ports.

use p4_engine::{
    ActionCall, CloneSession, CounterValue, EntryAction, GroupMember, MatchField, MeterConfig,
    Packet, PortConfig, Rate, Replica, Switch, TableEntry, Value,
};

use crate::bytes::Bytes;

/// Operations for one switch.
const MAX_STEPS: usize = 200;
/// Packets that may leave before it is looked at what comes next: a program may copy without end.
const MAX_DEPARTURES: usize = 200;
/// Cells of a counter or register that are looked at.
const CELLS: usize = 32;
/// The longest queue of any port.
const LIMIT_PACKETS: u32 = 64;

/// What a switch showed of itself, in order.
pub type Seen = Vec<String>;

pub fn drive(switch: &mut Switch, bytes: &mut Bytes<'_>) -> Seen {
    let mut seen = Seen::new();
    let mut now_ns = 0u64;
    let mut steps = 0;
    while !bytes.is_empty() && steps < MAX_STEPS {
        steps += 1;
        match bytes.u8() % 24 {
            0..=5 => receive(switch, bytes, now_ns, &mut seen),
            6 => now_ns = now_ns.saturating_add(bytes.any()),
            7 => drain(switch, now_ns, &mut seen),
            8..=10 => entry(switch, bytes),
            11 => default_action(switch, bytes),
            12 => counter(switch, bytes),
            13 => register(switch, bytes),
            14 => port(switch, bytes),
            15 | 16 => replication(switch, bytes),
            17 | 18 => meter(switch, bytes),
            19..=21 => profile(switch, bytes),
            22 => value_set(switch, bytes, now_ns, &mut seen),
            _ => {
                let forked = switch.fork(bytes.any());
                assert!(forked.next_departure().is_none(), "a fork has packets");
                *switch = forked;
            }
        }
    }
    drain(switch, u64::MAX, &mut seen);
    state(switch, &mut seen);
    seen
}

/// What packets have changed.
fn state(switch: &mut Switch, seen: &mut Seen) {
    let program = std::sync::Arc::clone(switch.program());
    seen.extend(switch.take_log());
    seen.push(format!("{:?}", switch.take_digests()));
    for (i, table) in program.tables().iter().enumerate() {
        if let Ok(entries) = switch.table_entries(i) {
            let counts = entries.map(|(_, count)| count).collect::<Vec<_>>();
            seen.push(format!("{}: {counts:?}", table.name));
        }
    }
    for (i, counter) in program.counters().iter().enumerate() {
        let cells = (0..counter.size.min(CELLS)).map(|c| switch.counter_read(i, c));
        seen.push(format!("{}: {:?}", counter.name, cells.collect::<Vec<_>>()));
    }
    for (i, register) in program.registers().iter().enumerate() {
        let cells = (0..register.size.min(CELLS)).map(|c| switch.register_read(i, c));
        seen.push(format!(
            "{}: {:?}",
            register.name,
            cells.collect::<Vec<_>>()
        ));
    }
    for port in 0..8 {
        seen.push(format!("{:?}", switch.port_stats(port)));
    }
    seen.push(format!("{} dropped in ingress", switch.ingress_drops()));
}

/// Bytes, often behind headers of Ethernet, IPv4 and TCP or UDP, so that parsers come further than the first state.
fn receive(switch: &mut Switch, bytes: &mut Bytes<'_>, now_ns: u64, seen: &mut Seen) {
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
    let outcome = switch.receive(port, Packet::new(frame, payload_len), now_ns);
    seen.push(format!("{outcome:?}"));
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

fn drain(switch: &mut Switch, now_ns: u64, seen: &mut Seen) {
    for _ in 0..MAX_DEPARTURES {
        let due = switch.next_departure();
        match switch.depart(now_ns) {
            Some(departure) => {
                seen.push(format!("{departure:?}"));
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
    let with_profile = info.is_some_and(|info| info.profile.is_some());
    let action = match (with_profile, bytes.u8() % 8) {
        (true, 1..=4) | (false, 1) => EntryAction::Member(bytes.below(8) as u32),
        (true, 5..=7) | (false, 2) => EntryAction::Group(bytes.below(8) as u32),
        _ => EntryAction::Call(call(switch, table, bytes)),
    };
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

fn replicas(bytes: &mut Bytes<'_>) -> Vec<Replica> {
    (0..bytes.below(5))
        .map(|_| Replica {
            port: bytes.u16() % 600,
            rid: bytes.u8().into(),
        })
        .collect()
}

fn replication(switch: &mut Switch, bytes: &mut Bytes<'_>) {
    let id = bytes.any() as u32 % 70_000;
    match bytes.u8() % 6 {
        0 => drop(switch.multicast_group_delete(id)),
        1 => drop(switch.clone_session_delete(id)),
        2 | 3 => {
            let new = replicas(bytes);
            if switch.multicast_group_set(id, new.clone()).is_ok() {
                assert_eq!(switch.multicast_group(id), Some(&new[..]));
            }
        }
        _ => {
            let new = CloneSession {
                port: Some(bytes.u16() % 600).filter(|port| port % 2 == 0),
                group: Some(bytes.any() as u32).filter(|group| group % 2 == 0),
                replicas: replicas(bytes),
                truncate: Some(bytes.any() as u32).filter(|length| length % 2 == 0),
            };
            if switch.clone_session_set(id, new.clone()).is_ok() {
                assert_eq!(switch.clone_session(id), Some(&new));
            }
        }
    }
}

fn meter(switch: &mut Switch, bytes: &mut Bytes<'_>) {
    let meter = bytes.below(switch.program().meters().len() + 1);
    let index = bytes.any() as usize;
    let new = Some(MeterConfig {
        cir: bytes.any(),
        cburst: bytes.any(),
        pir: bytes.any(),
        pburst: bytes.any(),
    })
    .filter(|_| bytes.u8() != 0);
    if switch.meter_write(meter, index, new).is_ok() {
        assert_eq!(switch.meter_read(meter, index).ok(), Some(new));
    }
    let table = bytes.below(switch.program().tables().len() + 1);
    let keys = switch.table_entries(table).map(|entries| {
        let keys = entries.map(|(entry, _)| (entry.key.clone(), entry.priority));
        keys.collect::<Vec<_>>()
    });
    if let Some((key, priority)) = keys.ok().and_then(|keys| keys.into_iter().next())
        && switch.table_meter_write(table, &key, priority, new).is_ok()
    {
        let read = switch.table_meter_read(table, &key, priority);
        assert_eq!(read.ok(), Some(new));
    }
}

fn profile(switch: &mut Switch, bytes: &mut Bytes<'_>) {
    let profile = bytes.below(switch.program().action_profiles().len() + 1);
    let id = bytes.below(8) as u32;
    let how = bytes.u8() % 8;
    if how < 4 {
        let tables = switch.program().tables();
        let table = tables.iter().position(|t| t.profile == Some(profile));
        let call = call(switch, table.unwrap_or(usize::MAX), bytes);
        match how {
            0 | 1 => drop(switch.member_insert(profile, id, call)),
            2 => drop(switch.member_modify(profile, id, call)),
            _ => drop(switch.member_delete(profile, id)),
        }
        return;
    }
    let members: Vec<GroupMember> = (0..bytes.below(5))
        .map(|_| GroupMember {
            member: bytes.below(8) as u32,
            weight: bytes.any() as u32,
        })
        .collect();
    match how {
        4 | 5 => drop(switch.group_insert(profile, id, members)),
        6 => drop(switch.group_modify(profile, id, members)),
        _ => drop(switch.group_delete(profile, id)),
    }
}

fn value_set(switch: &mut Switch, bytes: &mut Bytes<'_>, now_ns: u64, seen: &mut Seen) {
    let set = bytes.below(switch.program().value_sets().len() + 1);
    let members: Vec<Vec<MatchField>> = (0..bytes.below(4))
        .map(|_| (0..bytes.below(4)).map(|_| field(bytes)).collect())
        .collect();
    if switch.value_set_write(set, members.clone()).is_ok() {
        assert_eq!(switch.value_set_read(set).ok(), Some(&members[..]));
    }
    seen.push(format!("{:?}", switch.take_digests()));
    seen.push(format!("{:?}", switch.take_idle_entries(now_ns)));
}
