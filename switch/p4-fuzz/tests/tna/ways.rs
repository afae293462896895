// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! The ways of packets: tables and ports, bridged headers, mirrors, resubmission, recirculation, multicast.

use p4_engine::{CloneSession, DropReason, MatchField, ReceiveOutcome, Replica, Value};

use crate::lab::{Parts, data_of, exact, frame};

const DATA: [u32; 4] = [0x0a00_0001, 7, 8, 9];

#[test]
fn tables_of_every_kind_forward() {
    let table = |name: &str, key: &str, kind: &str| {
        format!(
            "table {name} {{ key = {{ {key}: {kind}; }} actions = {{ forward; drop; NoAction; }} const default_action = NoAction; size = 16; }}"
        )
    };
    let ingress = [
        "action forward(PortId_t port) { ig_tm_md.ucast_egress_port = port; }",
        "action drop() { ig_dprsr_md.drop_ctl = 1; }",
        &table("by_exact", "hdr.data.d", "exact"),
        &table("by_prefix", "hdr.data.a", "lpm"),
        &table("by_mask", "hdr.data.b", "ternary"),
        &table("by_range", "hdr.data.c", "range"),
    ]
    .join("\n");
    Parts {
        ingress: &ingress,
        ingress_apply: "if (!by_exact.apply().hit) { if (!by_prefix.apply().hit) { if (!by_mask.apply().hit) { by_range.apply(); } } }",
        ..Parts::default()
    }
    .run(|mut lab| {
        let forward = "Ingress.forward";
        let prefix = |value: u64, prefix_len| MatchField::Lpm {
            value: value.into(),
            prefix_len,
        };
        lab.entry("Ingress.by_exact", &[exact(100)], 0, forward, &[10]);
        lab.entry("Ingress.by_exact", &[exact(101)], 0, "Ingress.drop", &[]);
        lab.entry("Ingress.by_prefix", &[prefix(0x0a00_0000, 8)], 0, forward, &[11]);
        lab.entry("Ingress.by_prefix", &[prefix(0x0a01_0000, 16)], 0, forward, &[12]);
        let mask = |value: u64, mask: u64| MatchField::Ternary {
            value: value.into(),
            mask: mask.into(),
        };
        lab.entry("Ingress.by_mask", &[mask(0xf0, 0xf0)], 1, forward, &[13]);
        lab.entry("Ingress.by_mask", &[mask(0xff, 0xff)], 2, forward, &[14]);
        let range = MatchField::Range {
            low: Value::from(20u64),
            high: Value::from(30u64),
        };
        lab.entry("Ingress.by_range", &[range], 1, forward, &[15]);
        for (data, port) in [
            ([0, 0, 0, 100], Some(10)),
            ([0, 0, 0, 101], None),
            ([0x0a02_0000, 0, 0, 0], Some(11)),
            ([0x0a01_0203, 0, 0, 0], Some(12)),
            ([0, 0x1f5, 0, 0], Some(13)),
            ([0, 0x1ff, 0, 0], Some(14)),
            ([0, 0, 30, 0], Some(15)),
            ([0, 0, 31, 0], Some(1)),
        ] {
            let packet = frame(data, 20);
            let out = lab.send(3, &packet);
            let expected: Vec<_> = port.map(|p| (p, packet)).into_iter().collect();
            assert_eq!(out, expected, "{data:x?}");
        }
    });
}

/// Headers that ingress adds come before the packet in egress, and are gone on the wire if egress does not emit them.
#[test]
fn bridged_headers_go_from_ingress_to_egress() {
    Parts {
        ingress_apply: "hdr.note.setValid(); hdr.note = { 5, 6, hdr.data.b };",
        egress_start: "transition select(pkt.lookahead<bit<8>>()) { 5: note; default: data; }",
        egress_apply: "if (hdr.note.isValid()) { hdr.data.a = hdr.note.more + 1; hdr.data.c = (bit<16>)hdr.note.value; hdr.note.setInvalid(); }",
        ..Parts::default()
    }
    .run(|mut lab| {
        let (port, out) = lab.one(4, &frame(DATA, 30));
        assert_eq!((port, data_of(&out)), (1, [8, 7, 6, 9]));
        assert_eq!(out.len(), 26 + 30);
        assert_eq!(out[26..], frame(DATA, 30)[26..]);
    });
}

/// Metadata do not go from ingress to egress.
#[test]
fn egress_begins_with_nothing_but_bytes() {
    Parts {
        ingress_apply: "md.x = 77; hdr.data.b = 3;",
        egress_apply: "hdr.data.a = md.x;",
        ..Parts::default()
    }
    .run(|mut lab| assert_eq!(lab.data(0, &frame(DATA, 0)), [0, 3, 8, 9]));
}

#[test]
fn a_packet_without_a_port_is_dropped() {
    Parts {
        ingress_apply: "invalidate(ig_tm_md.ucast_egress_port);",
        ..Parts::default()
    }
    .run(|mut lab| {
        let outcome = lab.receive(0, &frame(DATA, 0));
        assert_eq!(outcome, ReceiveOutcome::Dropped(DropReason::Ingress));
        assert!(lab.leaving().is_empty());
    });
}

/// `exit` ends the control; the deparser runs all the same.
#[test]
fn a_deparser_runs_after_exit() {
    Parts {
        ingress_apply: "hdr.data.a = 1; exit; hdr.data.a = 2;",
        ingress_deparser: "Checksum() c; apply { hdr.data.d = c.update({ hdr.data.a }); pkt.emit(hdr); }",
        ..Parts::default()
    }
    .run(|mut lab| assert_eq!(lab.data(0, &frame(DATA, 0)), [1, 7, 8, !1u32 & 0xffff]));
}

const INGRESS_MIRROR: Parts = Parts {
    types: "",
    ingress_parser: "",
    after_data: "",
    ingress: "",
    ingress_apply: "ig_dprsr_md.mirror_type = 2; md.session = 9; md.z = 0x77; hdr.data.a = 1; ig_dprsr_md.drop_ctl = hdr.data.c[2:0];",
    ingress_deparser: "Mirror() mirror; apply { if (ig_dprsr_md.mirror_type == 2) { mirror.emit<note_h>(md.session, { 5, md.z, 32w3 }); } pkt.emit(hdr); }",
    egress_start: "transition select(pkt.lookahead<bit<8>>()) { 5: note; default: data; }",
    egress: "",
    egress_apply: "if (hdr.note.isValid()) { hdr.note.more = (bit<32>)eg_intr_md.egress_rid; }",
    egress_deparser: "",
};

/// The mirrored copy is the packet as it arrived, with the header before it.
#[test]
fn ingress_mirrors_what_arrived() {
    INGRESS_MIRROR.run(|mut lab| {
        let session = CloneSession {
            port: Some(8),
            ..CloneSession::default()
        };
        lab.switch.clone_session_set(9, session).unwrap();
        let packet = frame([10, 11, 0, 13], 5);
        let mut out = lab.send(0, &packet);
        out.sort();
        let mut mirrored = vec![5, 0x77, 0, 0, 0, 0];
        mirrored.extend(&packet);
        assert_eq!(out, [(1, frame([1, 11, 0, 13], 5)), (8, mirrored.clone())]);
        // Bit 0 of drop_ctl drops the packet, bit 2 the copy.
        mirrored[6 + 14 + 9] = 1;
        assert_eq!(lab.send(0, &frame([10, 11, 1, 13], 5)), [(8, mirrored)]);
        assert_eq!(
            lab.send(0, &frame([10, 11, 4, 13], 5)),
            [(1, frame([1, 11, 4, 13], 5))]
        );
        assert_eq!(lab.send(0, &frame([10, 11, 5, 13], 5)), []);
    });
}

#[test]
fn a_mirror_session_has_copies_and_a_length() {
    INGRESS_MIRROR.run(|mut lab| {
        let replicas = [(8, 3), (9, 4)].map(|(port, rid)| Replica { port, rid });
        let session = CloneSession {
            replicas: replicas.to_vec(),
            truncate: Some(40),
            ..CloneSession::default()
        };
        lab.switch.clone_session_set(9, session).unwrap();
        let out = lab.send(0, &frame([10, 11, 1, 13], 100));
        let seen: Vec<_> = out.iter().map(|(p, b)| (*p, b.len(), b[5])).collect();
        assert_eq!(seen, [(8, 40, 3), (9, 40, 4)]);
        // Without a session there is no copy.
        lab.switch.clone_session_delete(9).unwrap();
        assert_eq!(lab.send(0, &frame([10, 11, 1, 13], 100)), []);
    });
}

/// An egress mirror is the packet as the deparser left it; the copy goes to its port's egress by itself.
#[test]
fn egress_mirrors_what_leaves() {
    Parts {
        egress_start: "transition select(pkt.lookahead<bit<8>>()) { 5: note; default: data; }",
        egress_apply: "if (!hdr.note.isValid()) { hdr.data.a = 1; eg_dprsr_md.mirror_type = 3; md.session = 2; eg_dprsr_md.drop_ctl = hdr.data.c[2:0]; } else { hdr.data.b = 2; }",
        egress_deparser: "Mirror(3) mirror; apply { mirror.emit<note_h>(md.session, { 5, 1, 2 }); pkt.emit(hdr); }",
        ..Parts::default()
    }
    .run(|mut lab| {
        let session = CloneSession {
            port: Some(6),
            ..CloneSession::default()
        };
        lab.switch.clone_session_set(2, session).unwrap();
        let mut copy = vec![5, 1, 0, 0, 0, 2];
        copy.extend(frame([1, 2, 0, 13], 9));
        let out = lab.send(0, &frame([10, 11, 0, 13], 9));
        assert_eq!(out, [(1, frame([1, 11, 0, 13], 9)), (6, copy.clone())]);
        copy[6 + 14 + 9] = 1;
        assert_eq!(lab.send(0, &frame([10, 11, 1, 13], 9)), [(6, copy)]);
        assert_eq!(lab.send(0, &frame([10, 11, 4, 13], 9)).len(), 1);
    });
}

#[test]
fn a_resubmitted_packet_comes_back_as_it_arrived() {
    Parts {
        types: "header again_h { bit<32> x; bit<16> y; bit<16> pad; }",
        ingress_parser: "state start { pkt.extract(ig_intr_md); transition select(ig_intr_md.resubmit_flag) { 1: again; default: fresh; } }
            state fresh { pkt.advance(PORT_METADATA_SIZE); transition data; }
            state again { again_h a; pkt.extract(a); md.x = a.x; md.y = a.y; md.flag = true; transition data; }",
        ingress_apply: "if (!md.flag) { ig_dprsr_md.resubmit_type = 1; md.x = 0x1234567; hdr.data.a = 1; } else { hdr.data.b = md.x; hdr.data.c = md.y; }",
        ingress_deparser: "Resubmit() resubmit; apply { if (ig_dprsr_md.resubmit_type == 1) { resubmit.emit<again_h>({ md.x, 16w99, 0 }); } pkt.emit(hdr); }",
        ..Parts::default()
    }
    .run(|mut lab| {
        assert_eq!(lab.data(0, &frame(DATA, 3)), [0x0a00_0001, 0x0123_4567, 99, 9]);
    });
}

/// Port 68 of a pipe leads back to its ingress.
#[test]
fn recirculation_ports_lead_back() {
    Parts {
        ingress_apply: "if (ig_intr_md.ingress_port == 196) { hdr.data.a = hdr.data.a + 100; } else { ig_tm_md.ucast_egress_port = 196; }",
        egress_apply: "hdr.data.b = hdr.data.b + 1;",
        ..Parts::default()
    }
    .run(|mut lab| {
        assert_eq!(lab.data(0, &frame([1, 0, 0, 0], 0)), [101, 2, 0, 0]);
        assert_eq!(lab.switch.port_stats(196).recirculated, 1);
    });
}

/// A packet that goes round for ever is dropped in the end.
#[test]
fn going_round_ends() {
    Parts {
        ingress_apply: "ig_tm_md.ucast_egress_port = 68;",
        ..Parts::default()
    }
    .run(|mut lab| {
        assert_eq!(lab.send(0, &frame(DATA, 0)), []);
        assert_eq!(lab.switch.ingress_drops(), 1);
    });
}

#[test]
fn both_multicast_groups_and_unicast_get_copies() {
    Parts {
        ingress_apply: "ig_tm_md.mcast_grp_a = hdr.data.c; ig_tm_md.mcast_grp_b = hdr.data.d; ig_tm_md.rid = 77; if (hdr.data.a == 0) { invalidate(ig_tm_md.ucast_egress_port); }",
        egress_apply: "hdr.data.a = (bit<32>)eg_intr_md.egress_rid; hdr.data.b = (bit<32>)eg_intr_md.egress_rid_first;",
        ..Parts::default()
    }
    .run(|mut lab| {
        let group = |list: &[(u16, u16)]| -> Vec<Replica> {
            list.iter().map(|&(port, rid)| Replica { port, rid }).collect()
        };
        lab.switch.multicast_group_set(1, group(&[(5, 50), (6, 60)])).unwrap();
        lab.switch.multicast_group_set(2, group(&[(7, 70)])).unwrap();
        let mut seen = |data| -> Vec<_> {
            let mut out: Vec<_> = lab
                .send(0, &frame(data, 0))
                .into_iter()
                .map(|(port, b)| (port, data_of(&b)[0], data_of(&b)[1]))
                .collect();
            out.sort_unstable();
            out
        };
        assert_eq!(seen([1, 0, 1, 2]), [(1, 77, 1), (5, 50, 1), (6, 60, 0), (7, 70, 1)]);
        assert_eq!(seen([0, 0, 1, 0]), [(5, 50, 1), (6, 60, 0)]);
        assert_eq!(seen([0, 0, 3, 0]), []);
    });
}

/// A packet that does not go through egress leaves as ingress made it.
#[test]
fn egress_can_be_bypassed() {
    Parts {
        ingress_apply: "ig_tm_md.bypass_egress = 1; hdr.data.a = 3;",
        egress_apply: "hdr.data.b = 4;",
        ..Parts::default()
    }
    .run(|mut lab| assert_eq!(lab.data(0, &frame(DATA, 0)), [3, 7, 8, 9]));
}

/// A parser's error drops the packet in ingress, unless the program looks at it.
#[test]
fn parser_errors_drop() {
    let short = &frame(DATA, 0)[..20];
    Parts::default().run(|mut lab| assert_eq!(lab.send(0, short), []));
    Parts {
        ingress_apply: "hdr.eth.type = ig_prsr_md.parser_err;",
        egress_start: "pkt.extract(hdr.eth); transition accept;",
        ..Parts::default()
    }
    .run(|mut lab| {
        let (_, out) = lab.one(0, short);
        // PARSER_ERROR_PARTIAL_HDR; what the parser did not reach follows.
        assert_eq!(out[12..14], [0, 2]);
        assert_eq!(out[14..], short[14..]);
    });
}

#[test]
fn a_select_without_a_case_is_an_error() {
    Parts {
        after_data: "transition select(hdr.data.c) { 1: accept; 2: reject; }",
        ..Parts::default()
    }
    .run(|mut lab| {
        assert_eq!(lab.send(0, &frame([0, 0, 1, 0], 0)).len(), 1);
        assert_eq!(lab.send(0, &frame([0, 0, 2, 0], 0)), []);
        assert_eq!(lab.send(0, &frame([0, 0, 3, 0], 0)), []);
    });
}
