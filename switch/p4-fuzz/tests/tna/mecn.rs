// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! The project's own program for both generations: it forwards, drops before the queue, marks, and tells ingress of its queues.

use std::path::Path;
use std::sync::Arc;

use p4_engine::{
    CloneSession, Execution, MatchField, Packet, PortConfig, Program, Rate, Switch, SwitchConfig,
    Value,
};
use p4_frontend::cli::{Arch, Options, compile};

use crate::lab::{Lab, exact};

fn each(test: impl Fn(Lab, Arch)) {
    for arch in [Arch::Tna, Arch::T2na] {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../p4src/mecn_tna.p4");
        let mut options = Options::new(source);
        options.arch = arch;
        let compiled = compile(&options).unwrap_or_else(|e| panic!("{e}"));
        let program = Arc::new(Program::from_bmv2_json(compiled.bmv2_json.as_bytes()).unwrap());
        for execution in [Execution::Interpreted, Execution::Compiled] {
            let config = SwitchConfig {
                execution,
                ..SwitchConfig::default()
            };
            let switch = Switch::new(Arc::clone(&program), config);
            assert_eq!(switch.refusal(), None);
            let mut lab = Lab { switch, now: 0 };
            let prefix = MatchField::Lpm {
                value: Value::from(0x0a00_0000u64),
                prefix_len: 8,
            };
            let forward = [2, 0x0200_0000_00aa, 0x0200_0000_00bb];
            let table = "MecnIngress.forwarding.ipv4_lpm";
            lab.entry(
                table,
                &[prefix],
                0,
                "MecnIngress.forwarding.forward",
                &forward,
            );
            test(lab, arch);
        }
    }
}

fn checksum(data: &[u8]) -> u16 {
    let words = data
        .chunks(2)
        .map(|w| u32::from(w[0]) << 8 | u32::from(w[1]));
    let sum: u32 = words.sum();
    let sum = (sum & 0xffff) + (sum >> 16);
    !((sum & 0xffff) + (sum >> 16)) as u16
}

/// A frame with an IP packet of 986 bytes in all.
fn packet(ecn: u8) -> Vec<u8> {
    let mut b = vec![2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 8, 0, 0x45, ecn];
    b.extend(986u16.to_be_bytes());
    b.extend([0, 1, 0x40, 0, 64, 17, 0, 0, 192, 0, 2, 1, 10, 1, 2, 3]);
    let sum = checksum(&b[14..34]);
    b[24..26].copy_from_slice(&sum.to_be_bytes());
    b.resize(1000, 0);
    b
}

/// Scheme 1: what a signal does to ECT(0).
fn profile(lab: &mut Lab, step: [u64; 2], spacing: u64) {
    let dscp = MatchField::Any;
    // w = 1: the average is the depth itself.
    let set = [5, 1, 1, spacing, 0, 1 << 32, 0, 0, 0, 0, 0, 0];
    lab.entry(
        "MecnIngress.policy.aqm_port",
        &[exact(2), dscp],
        1,
        "MecnIngress.policy.set_profile",
        &set,
    );
    let all = MatchField::Range {
        low: Value::from(0u64),
        high: Value::from(0xf_ffffu64),
    };
    for control in ["MecnIngress.admission", "MecnEgress.marking"] {
        let table = format!("{control}.curve.aqm_curve");
        lab.entry(
            &table,
            &[exact(5), all.clone()],
            1,
            &format!("{control}.curve.step"),
            &step,
        );
    }
}

fn verdict(lab: &mut Lab, signal: u64, ecn: u64, action: &str) {
    let action = format!("MecnEgress.marking.verdict.{action}");
    let key = [exact(1), exact(signal), exact(ecn)];
    lab.entry(
        "MecnEgress.marking.verdict.aqm_verdict",
        &key,
        0,
        &action,
        &[],
    );
}

#[test]
fn packets_are_forwarded() {
    each(|mut lab, _| {
        let (port, out) = lab.one(3, &packet(2));
        assert_eq!(port, 2);
        assert_eq!(out[..12], [2, 0, 0, 0, 0, 0xbb, 2, 0, 0, 0, 0, 0xaa]);
        assert_eq!((out[15], out[22], out.len()), (2, 63, 1000));
        assert_eq!(checksum(&out[14..34]), 0);
        assert_eq!(out[34..], packet(2)[34..]);
        // A wrong checksum is not forwarded.
        let mut wrong = packet(2);
        wrong[24] ^= 1;
        assert!(lab.send(3, &wrong).is_empty());
    });
}

/// With a probability of nearly 1 packets are marked by their level, and those that are not capable are left alone.
#[test]
fn packets_are_marked() {
    each(|mut lab, _| {
        profile(&mut lab, [0xffff, 0], 0);
        verdict(&mut lab, 1, 2, "mark_incipient");
        verdict(&mut lab, 2, 2, "mark_ce");
        // A draw of 65535 or more of 65536 is all that escapes: of 20 packets none or, once in 3000 times, one.
        let mut ecn = |e| {
            let (_, out) = lab.one(3, &packet(e));
            assert_eq!(checksum(&out[14..34]), 0);
            out[15] & 3
        };
        let marks: Vec<u8> = (0..20).map(|_| ecn(2)).collect();
        assert!(marks.iter().filter(|m| **m == 1).count() >= 19, "{marks:?}");
        assert_eq!((ecn(0), ecn(3)), (0, 3));
        let stats = lab
            .switch
            .program()
            .counter("MecnEgress.marking.marking_stats")
            .unwrap();
        let incipient = lab.switch.counter_read(stats, 2 << 2 | 1).unwrap().packets;
        assert_eq!(
            incipient as usize,
            marks.iter().filter(|m| **m == 1).count()
        );
    });
}

/// With a probability of 1/4 and spacing `uniform`, gaps are uniform on 1 to 4.
#[test]
fn marks_are_spaced() {
    each(|mut lab, _| {
        profile(&mut lab, [0, 0x4000], 1);
        verdict(&mut lab, 2, 2, "mark_ce");
        let marks: Vec<usize> = (0..400)
            .filter(|_| lab.one(3, &packet(2)).1[15] & 3 == 3)
            .collect();
        assert!(marks.windows(2).all(|w| w[1] - w[0] <= 4), "{marks:?}");
        // Gaps of mean 2.5 and variance 1.25: 160 marks with sigma 5.7; six sigma.
        assert!((126..=194).contains(&marks.len()), "{}", marks.len());
    });
}

/// Egress mirrors what ingress has to know of its queues through the recirculation port, cut to 64 bytes.
#[test]
fn ingress_learns_the_depth_of_a_queue() {
    each(|mut lab, arch| {
        let back = if arch == Arch::Tna { 68 } else { 6 };
        let session = CloneSession {
            port: Some(back),
            truncate: Some(64),
            ..CloneSession::default()
        };
        lab.switch.clone_session_set(1, session).unwrap();
        let config = PortConfig {
            rate: Rate::BitsPerSecond(8_000_000),
            ..PortConfig::default()
        };
        lab.switch.configure_port(2, config).unwrap();
        lab.now = 1 << 20;
        for _ in 0..10 {
            lab.switch.receive(3, Packet::new(packet(2), 0), lab.now);
        }
        lab.switch.depart(lab.now);
        while lab.switch.next_departure() == Some(lab.now) {
            lab.switch.depart(lab.now);
        }
        // Nine packets of 1000 bytes and a bridged header of 11 bytes: 13 cells of 80 or 6 of 176 bytes each.
        let cells = if arch == Arch::Tna { 13 } else { 6 };
        assert_eq!(lab.register("arrival_qdepth.depth", 2), 9 * cells);
        assert_eq!(lab.register("arrival_qdepth.time", 2), 1 << 4);
        assert_eq!(
            lab.switch.port_stats(back).egress_drops + lab.switch.port_stats(back).recirculated,
            1
        );
    });
}
