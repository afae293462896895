// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! A router with queue management, as p4c would compile it, packet by packet.

mod common;

use common::*;
use p4_engine::{
    ControlError, CounterValue, DropReason, MatchField, Packet, PortConfig, Rate, ReceiveOutcome,
    Switch, SwitchConfig, TableEntry, Value,
};

/// The fields of the header that the program adds for UDP port 7.
#[derive(Debug, PartialEq)]
struct Probe {
    enq_qdepth: u64,
    deq_qdepth: u64,
    deq_timedelta: u64,
    enq_timestamp: u64,
    egress_timestamp: u64,
    packet_length: u64,
}

fn probe(p: &Packet) -> Probe {
    let bits = |from: usize, n: usize| {
        (from..from + n).fold(0, |v, i| {
            v << 1 | u64::from(p.bytes[42 + i / 8] >> (7 - i % 8) & 1)
        })
    };
    Probe {
        enq_qdepth: bits(0, 19),
        deq_qdepth: bits(19, 19),
        deq_timedelta: bits(40, 32),
        enq_timestamp: bits(72, 32),
        egress_timestamp: bits(104, 48),
        packet_length: bits(152, 32),
    }
}

fn enqueued(o: ReceiveOutcome) -> p4_engine::EnqueueRecord {
    match o {
        ReceiveOutcome::Enqueued(r) => r,
        other => panic!("{other:?}"),
    }
}

/// Runs one packet through and gives it back as sent.
fn through(s: &mut Switch, p: Packet) -> Packet {
    enqueued(s.receive(3, p, 0));
    s.depart(u64::MAX).unwrap().packet.unwrap()
}

#[test]
fn a_packet_is_routed_and_rewritten() {
    let mut s = router();
    let mut sent = udp(0x0a01_0203, 9, 2, 100);
    sent.bytes.extend([0xab, 0xcd]); // the first bytes of the payload
    let out = through(&mut s, sent.clone());
    assert_eq!(out.len(), sent.len());
    assert_eq!(out.bytes[..12], [2, 0, 0, 0, 1, 1, 2, 0, 0, 0, 0, 1]);
    assert_eq!(out.bytes[22], 63, "TTL");
    assert_eq!(checksum(&out.bytes[14..34]), 0, "IPv4 checksum");
    assert_eq!(out.bytes[34..], sent.bytes[34..]);
    let table = s.program().table("Ingress.ipv4_lpm").unwrap();
    let counts: Vec<_> = s.table_entries(table).unwrap().map(|(_, c)| c).collect();
    assert_eq!(
        counts[0],
        CounterValue {
            packets: 1,
            bytes: 144
        }
    );
    assert_eq!(counts[1], CounterValue::default());
}

#[test]
fn the_longest_prefix_wins() {
    let mut s = router();
    for (dst, port) in [(0x0a01_0001, 1), (0x0a02_0001, 2), (0x0a03_0001, 1)] {
        assert_eq!(enqueued(s.receive(3, udp(dst, 9, 0, 0), 0)).port, port);
    }
}

#[test]
fn what_cannot_be_forwarded_is_dropped() {
    let mut s = router();
    let dropped = ReceiveOutcome::Dropped(DropReason::Ingress);
    assert_eq!(
        s.receive(3, udp(0x0b00_0001, 9, 0, 0), 0),
        dropped,
        "no route"
    );
    let mut p = udp(0x0a00_0001, 9, 0, 0);
    p.bytes[24] ^= 1;
    assert_eq!(s.receive(3, p, 0), dropped, "wrong checksum");
    let mut p = udp(0x0a00_0001, 9, 0, 0);
    p.bytes.truncate(33);
    assert_eq!(s.receive(3, p, 0), dropped, "short IPv4 header");
    let mut p = udp(0x0a00_0001, 9, 0, 0);
    p.bytes[14] = 0x46;
    assert_eq!(s.receive(3, p, 0), dropped, "IPv4 options: verify fails");
    let mut p = udp(0x0a00_0001, 9, 0, 0);
    p.bytes[22] = 1;
    let sum = checksum(&[&p.bytes[14..24], &[0, 0], &p.bytes[26..34]].concat());
    p.bytes[24..26].copy_from_slice(&sum.to_be_bytes());
    assert_eq!(s.receive(3, p, 0), dropped, "TTL 1");
    assert_eq!(s.receive(3, Packet::new(vec![], 0), 0), dropped, "empty");
    assert_eq!(s.ingress_drops(), 6);
    assert_eq!(s.next_departure(), None);
}

#[test]
fn a_parser_may_read_virtual_payload() {
    let mut s = router();
    let mut p = udp(0x0a00_0001, 9, 0, 100);
    p.bytes.truncate(38); // half of the UDP header is virtual
    p.payload_len += 4;
    let length = p.len();
    let out = through(&mut s, p);
    assert_eq!(out.len(), length);
    assert_eq!(out.bytes[38..], [0; 4]);
}

#[test]
fn depths_and_times_are_those_of_simple_switch() {
    let mut s = router();
    slow_port(&mut s, 1, 64);
    // Frames of 1000 bytes: a millisecond each. Arrivals at 0, 100, 200, 300 us.
    for i in 0..4u64 {
        let r = enqueued(s.receive(3, udp(0x0a00_0001, 7, 0, 958), i * 100_000));
        // The first went into service at once.
        assert_eq!(u64::from(r.depth_packets), i.saturating_sub(1));
        assert_eq!(r.depth_bytes, 1000 * i.saturating_sub(1));
        if i == 0 {
            assert_eq!(s.next_departure(), Some(0));
            let d = s.depart(0).unwrap();
            // The probe's 23 bytes are sent too.
            assert_eq!(
                (d.start_ns, d.end_ns, d.enq_qdepth, d.deq_qdepth),
                (0, 1_023_000, 0, 0)
            );
            assert!(s.depart(0).is_none());
        }
    }
    assert_eq!(s.next_departure(), Some(1_023_000));
    assert!(s.depart(1_022_999).is_none());
    for (i, (enq_qdepth, deq_qdepth)) in [(0, 2), (1, 1), (2, 0)].into_iter().enumerate() {
        let d = s.depart(u64::MAX).unwrap();
        let (arrived, start) = ((i as u64 + 1) * 100, (i as u64 + 1) * 1023);
        assert_eq!((d.enq_ns, d.start_ns), (arrived * 1000, start * 1000));
        assert_eq!(d.deq_bytes, 1000 * deq_qdepth);
        assert_eq!(
            probe(&d.packet.unwrap()),
            Probe {
                enq_qdepth,
                deq_qdepth,
                deq_timedelta: start - arrived,
                enq_timestamp: arrived,
                egress_timestamp: start,
                packet_length: 1000,
            }
        );
    }
    assert_eq!(s.port_stats(1).sent_bytes, 4 * 1023);
}

#[test]
fn a_full_queue_drops_the_arrival() {
    let mut s = router();
    slow_port(&mut s, 1, 2);
    enqueued(s.receive(3, udp(0x0a00_0001, 9, 0, 958), 0));
    s.depart(0).unwrap();
    for _ in 0..2 {
        enqueued(s.receive(3, udp(0x0a00_0001, 9, 0, 958), 0));
    }
    let o = s.receive(3, udp(0x0a00_0001, 9, 0, 958), 0);
    assert!(
        matches!(o, ReceiveOutcome::TailDropped(r) if r.depth_packets == 2),
        "{o:?}"
    );
    let stats = s.port_stats(1);
    assert_eq!(
        (stats.enqueued, stats.tail_drops, stats.depth_packets),
        (3, 1, 2)
    );
}

#[test]
fn an_egress_drop_uses_its_slot() {
    let mut s = router();
    slow_port(&mut s, 1, 64);
    let key = vec![MatchField::Exact(Value::from(1u64)), MatchField::Any];
    insert(&mut s, "Egress.aqm_port", key, 1, "Egress.discard", &[]);
    enqueued(s.receive(3, udp(0x0a00_0001, 9, 0, 958), 0));
    enqueued(s.receive(3, udp(0x0a00_0001, 9, 0, 958), 0));
    let d = s.depart(0).unwrap();
    assert!(d.packet.is_none());
    assert_eq!((d.start_ns, d.end_ns), (0, 1_000_000));
    assert_eq!(s.next_departure(), Some(1_000_000));
    assert_eq!(s.port_stats(1).egress_drops, 1);
}

#[test]
fn the_average_follows_the_recurrence() {
    let mut s = router();
    slow_port(&mut s, 1, 64);
    let weight = 0x1_0000_0000u64 / 500;
    profile(&mut s, 1, weight, 0);
    let register = s.program().register("Egress.avg_qdepth").unwrap();
    let (mut avg, mut now, w) = (0f64, 0, 1.0 / 500.0);
    for i in 0..20_000u64 {
        // Arrivals at 110 % of the rate: the queue grows, overflows, stays.
        s.receive(3, udp(0x0a00_0001, 9, 2, 958), now);
        now += if i % 3000 < 2000 { 909_000 } else { 1_200_000 };
        while s.next_departure().is_some_and(|t| t <= now) {
            let d = s.depart(now).unwrap();
            avg += w * (f64::from(d.deq_qdepth) - avg);
            let register = s.register_read_u64(register, 1).unwrap() as f64 / 2f64.powi(48);
            assert!((register - avg).abs() < 0.01, "{register} for {avg}");
        }
    }
    assert!(avg > 1.0);
}

#[test]
fn marks_follow_curve_and_codepoint() {
    for (probability, ecn, marked) in [
        (1u64 << 32, 2, true),
        (1 << 32, 1, true),
        (1 << 32, 0, false),
        (0, 2, false),
    ] {
        let mut s = router();
        profile(&mut s, 0, 1 << 30, probability);
        for _ in 0..100 {
            let out = through(&mut s, udp(0x0a00_0001, 9, ecn, 0));
            assert_eq!(out.bytes[15] & 3, if marked { 3 } else { ecn });
            assert_eq!(checksum(&out.bytes[14..34]), 0);
        }
        let stats = s.program().counter("Egress.marking_stats").unwrap();
        let cell = 1 << 2 | if marked { 2 } else { 0 };
        assert_eq!(s.counter_read(stats, cell).unwrap().packets, 100);
    }
    let mut s = router();
    profile(&mut s, 0, 1 << 30, 1 << 30);
    let marks: u32 = (0..10_000)
        .map(|_| u32::from(through(&mut s, udp(0x0a00_0001, 9, 2, 0)).bytes[15] & 1))
        .sum();
    // Binomial(10000, 1/4): sigma 43.3, six sigma.
    assert!((2240..=2760).contains(&marks), "{marks}");
}

#[test]
fn a_seed_fixes_the_outcome_and_a_fork_starts_afresh() {
    let mut base = router();
    profile(&mut base, 0, 1 << 30, 1 << 31);
    slow_port(&mut base, 1, 64);
    through(&mut base, udp(0x0a00_0001, 9, 2, 0));
    enqueued(base.receive(3, udp(0x0a00_0001, 9, 2, 0), 0));
    let run = |seed| {
        let mut s = base.fork(seed);
        assert_eq!(s.port_config(1), base.port_config(1));
        assert_eq!(s.port_stats(1).enqueued, 0);
        assert_eq!(s.next_departure(), None);
        let table = s.program().table("Ingress.ipv4_lpm").unwrap();
        assert!(s.table_entries(table).unwrap().all(|(_, c)| c.packets == 0));
        (0..64)
            .map(|_| through(&mut s, udp(0x0a00_0001, 9, 2, 0)).bytes[15] & 3)
            .collect::<Vec<_>>()
    };
    assert_eq!(run(1), run(1));
    assert_ne!(run(1), run(2));
}

#[test]
fn priorities_are_those_of_p4runtime() {
    let mut s = router();
    // The larger number wins, whichever came first.
    let any = vec![MatchField::Exact(Value::from(1u64)), MatchField::Any];
    let dscp = vec![
        MatchField::Exact(Value::from(1u64)),
        MatchField::Ternary {
            value: Value::from(8u64),
            mask: Value::from(0x38u64),
        },
    ];
    insert(&mut s, "Egress.aqm_port", any, 5, "Egress.discard", &[]);
    insert(&mut s, "Egress.aqm_port", dscp, 6, "NoAction", &[]);
    let mut send = |tos: u8| {
        enqueued(s.receive(3, udp(0x0a00_0001, 9, tos, 0), 0));
        s.depart(u64::MAX).unwrap().packet.is_some()
    };
    assert!(!send(0));
    assert!(send(9 << 2));
    assert!(!send(17 << 2));
}

#[test]
fn the_control_plane_gets_precise_errors() {
    let mut s = router();
    let table = |s: &Switch, name| s.program().table(name).unwrap();
    let lpm = table(&s, "Ingress.ipv4_lpm");
    let entry = |s: &Switch, value: u64, prefix_len, priority, params: &[u64]| TableEntry {
        key: vec![MatchField::Lpm {
            value: Value::from(value),
            prefix_len,
        }],
        priority,
        action: call(s, lpm, "Ingress.forward", params).into(),
    };
    let params = [1, 2, 3];
    let mut check = |value, len, priority, params: &[u64], expected: &str| {
        let e = entry(&s, value, len, priority, params);
        assert_eq!(s.table_insert(lpm, e).unwrap_err().to_string(), expected);
    };
    check(
        0x0a00_0000,
        8,
        0,
        &params,
        "an entry with this match key exists",
    );
    check(
        0x0a00_0001,
        8,
        0,
        &params,
        "key field `dst_addr` of table `Ingress.ipv4_lpm`: 0xa000001 has bits beyond its prefix of 8",
    );
    check(
        0,
        33,
        0,
        &params,
        "key field `dst_addr` of table `Ingress.ipv4_lpm`: prefix length 33 exceeds 32 bits",
    );
    check(
        1 << 32,
        32,
        0,
        &params,
        "key field `dst_addr` of table `Ingress.ipv4_lpm`: 0x100000000 does not fit into 32 bits",
    );
    check(
        0,
        0,
        1,
        &params,
        "entries of table `Ingress.ipv4_lpm` have no priority",
    );
    check(
        0,
        0,
        0,
        &[1, 2],
        "action `Ingress.forward` takes 3 parameters, not 2",
    );
    check(
        0,
        0,
        0,
        &[512, 2, 3],
        "parameter `port` of action `Ingress.forward`: 0x200 does not fit into 9 bits",
    );

    let e = entry(&s, 0x0b00_0000, 8, 0, &params);
    assert!(matches!(
        s.table_modify(lpm, &e),
        Err(ControlError::NotFound(_))
    ));
    assert!(matches!(
        s.table_delete(lpm, &e.key, 0),
        Err(ControlError::NotFound(_))
    ));
    assert!(matches!(
        s.table_insert(999, e.clone()),
        Err(ControlError::NotFound(_))
    ));
    s.table_insert(lpm, e.clone()).unwrap();
    let modified = TableEntry {
        action: call(&s, lpm, "Ingress.unroutable", &[]).into(),
        ..e.clone()
    };
    s.table_modify(lpm, &modified).unwrap();
    assert_eq!(s.table_entry(lpm, &e.key, 0).unwrap().0, &modified);
    s.table_delete(lpm, &e.key, 0).unwrap();
    assert_eq!(s.table_len(lpm).unwrap(), 2);

    let verdict = table(&s, "Egress.aqm_verdict");
    assert_eq!(s.table_clear(verdict), Err(ControlError::ConstTable));
    let mut open = s.fork(1);
    assert_eq!(open.table_unlock(verdict), Ok(()));
    assert_eq!(open.table_clear(verdict), Ok(()));
    assert_eq!(open.fork(2).table_clear(verdict), Ok(()));
    assert_eq!(s.table_clear(verdict), Err(ControlError::ConstTable));
    assert!(s.table_unlock(usize::MAX).is_err());
    // The first constant entry has the highest priority.
    let priorities: Vec<i32> = s
        .table_entries(verdict)
        .unwrap()
        .map(|(e, _)| e.priority)
        .collect();
    assert_eq!(priorities, [4, 3, 2, 1]);
    let unroutable = call(&s, lpm, "Ingress.unroutable", &[]);
    assert_eq!(
        s.set_default_action(lpm, unroutable),
        Err(ControlError::ConstDefaultAction)
    );

    let port = table(&s, "Egress.aqm_port");
    let discard = call(&s, port, "Egress.discard", &[]);
    s.set_default_action(port, discard.clone()).unwrap();
    assert_eq!(s.default_action(port).unwrap(), Some(&discard));
    s.reset_default_action(port).unwrap();
    assert_ne!(s.default_action(port).unwrap(), Some(&discard));

    let stats = s.program().counter("Egress.marking_stats").unwrap();
    let direct = s.program().counter("Ingress.routes").unwrap();
    assert_eq!(
        s.counter_read(stats, 2048),
        Err(ControlError::OutOfRange {
            index: 2048,
            size: 2048
        })
    );
    assert!(matches!(
        s.counter_read(direct, 0),
        Err(ControlError::InvalidArgument(_))
    ));
    assert!(matches!(
        s.register_read(0, 512),
        Err(ControlError::OutOfRange { .. })
    ));
    s.register_write(0, 3, &Value::from(u64::MAX)).unwrap();
    assert_eq!(s.register_read(0, 3), Ok(Value::from(u64::MAX)));
    assert!(s.register_write(0, 3, &Value::from(1u128 << 64)).is_err());
}

#[test]
fn a_table_holds_no_more_than_its_size() {
    let json = String::from_utf8_lossy(ROUTER).replace("\"max_size\": 131072", "\"max_size\": 2");
    let program = p4_engine::Program::from_bmv2_json(json.as_bytes()).unwrap();
    let mut s = switch_of(program, SwitchConfig::default());
    route(&mut s, 0, 0, 1);
    route(&mut s, 0, 1, 1);
    let table = s.program().table("Ingress.ipv4_lpm").unwrap();
    let entry = TableEntry {
        key: vec![MatchField::Lpm {
            value: Value::default(),
            prefix_len: 2,
        }],
        priority: 0,
        action: call(&s, table, "Ingress.unroutable", &[]).into(),
    };
    assert_eq!(
        s.table_insert(table, entry),
        Err(ControlError::TableFull { size: 2 })
    );
}

#[test]
fn buffers_are_reused() {
    let mut s = router();
    let template = udp(0x0a00_0001, 9, 0, 958);
    let mut capacity = 0;
    for i in 0..100 {
        let mut bytes = s.take_buffer();
        if i > 2 {
            assert!(bytes.capacity() >= template.bytes.len(), "a used buffer");
            capacity = capacity.max(bytes.capacity());
        }
        bytes.extend_from_slice(&template.bytes);
        enqueued(s.receive(3, Packet::new(bytes, 958), 0));
        let out = s.depart(u64::MAX).unwrap().packet.unwrap();
        s.recycle(out);
    }
    assert!(capacity < 1000);
}

#[test]
fn packets_per_second_ignore_length() {
    let mut s = router();
    let config = PortConfig {
        rate: Rate::PacketsPerSecond(3),
        ..PortConfig::default()
    };
    s.configure_port(1, config).unwrap();
    for i in 0..4 {
        enqueued(s.receive(3, udp(0x0a00_0001, 9, 0, i * 100), 0));
    }
    let starts: Vec<u64> = (0..4)
        .map(|_| s.depart(u64::MAX).unwrap().start_ns)
        .collect();
    assert_eq!(starts, [0, 333_333_333, 666_666_666, 1_000_000_000]);
}
