// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! What the hardware tells a program: times, lengths, depths in cells, ports and their metadata.

use p4_engine::{PortConfig, Rate};
use p4_frontend::cli::Arch;

use crate::lab::{Lab, Parts, data_of, each, frame};

const QUEUE: Parts = Parts {
    types: "",
    ingress_parser: "",
    after_data: "",
    ingress: "",
    ingress_apply: "ig_tm_md.qid = 3;",
    ingress_deparser: "",
    egress_start: "",
    egress: "",
    egress_apply: "hdr.data.a = (bit<32>)eg_intr_md.enq_qdepth; hdr.data.b = (bit<32>)eg_intr_md.deq_qdepth; hdr.data.c = (bit<16>)eg_intr_md.egress_qid ++ 0; hdr.data.d = eg_intr_md.deq_timedelta[15:0];",
    egress_deparser: "",
};

/// Depths that packets see which come at once, at 8 Mbit/s: a byte takes a microsecond.
fn depths(mut lab: Lab, length: usize) -> Vec<[u32; 2]> {
    let config = PortConfig {
        rate: Rate::BitsPerSecond(8_000_000),
        overhead_bytes: 20,
        ..PortConfig::default()
    };
    lab.switch.configure_port(1, config).unwrap();
    for _ in 0..4 {
        lab.receive(0, &frame([0; 4], length - 26));
    }
    let seen = lab.leaving().into_iter().filter_map(|d| d.packet);
    seen.map(|p| {
        let [enq, deq, ..] = data_of(&p.bytes);
        [enq, deq]
    })
    .collect()
}

/// The first packet is in service at once, and counts in no depth once it is.
#[test]
fn queue_depths_are_in_cells() {
    let apply = QUEUE.egress_apply.replace(
        "(bit<16>)eg_intr_md.egress_qid ++ 0",
        "(bit<16>)eg_intr_md.egress_qid",
    );
    let parts = Parts {
        egress_apply: &apply,
        ..QUEUE
    };
    // 200 bytes are 3 cells of 80, or 2 of 176.
    parts.run(|lab| {
        assert_eq!(depths(lab, 200), [[0, 9], [3, 6], [6, 3], [9, 0]]);
    });
    each(&parts.text("t2na"), Arch::T2na, |lab| {
        assert_eq!(depths(lab, 200), [[0, 6], [2, 4], [4, 2], [6, 0]]);
    });
    parts.run(|lab| assert_eq!(depths(lab, 80), [[0, 3], [1, 2], [2, 1], [3, 0]]));
}

#[test]
fn times_are_in_nanoseconds() {
    Parts {
        ingress_apply: "hdr.data.a = ig_prsr_md.global_tstamp[31:0]; hdr.data.c = ig_intr_md.ingress_mac_tstamp[47:32];",
        egress_apply: "hdr.data.b = (bit<32>)eg_intr_md.deq_timedelta; hdr.data.d = eg_prsr_md.global_tstamp[15:0];",
        ..Parts::default()
    }
    .run(|mut lab| {
        let config = PortConfig {
            rate: Rate::BitsPerSecond(8_000_000_000),
            ..PortConfig::default()
        };
        lab.switch.configure_port(1, config).unwrap();
        lab.now = 0x1_2345_6789;
        lab.receive(0, &frame([0; 4], 974));
        lab.receive(0, &frame([0; 4], 974));
        let out: Vec<_> = lab.leaving().iter().filter_map(|d| Some(data_of(&d.packet.as_ref()?.bytes))).collect();
        // A packet of 1000 bytes takes a microsecond.
        assert_eq!(out[0], [0x2345_6789, 0, 1, 0x6789]);
        assert_eq!(out[1], [0x2345_6789, 1000, 1, 0x6789 + 1000]);
    });
}

/// The length counts the frame check sequence and what ingress bridges, as on the hardware.
#[test]
fn lengths_count_the_frame_check_sequence() {
    Parts {
        ingress_apply: "hdr.note.setValid(); hdr.note.kind = 5;",
        egress_start: "transition note;",
        egress_apply: "hdr.data.d = eg_intr_md.pkt_length; hdr.note.setInvalid();",
        ..Parts::default()
    }
    .run(|mut lab| assert_eq!(lab.data(0, &frame([0; 4], 74))[3], 100 + 6 + 4));
}

#[test]
fn ports_have_metadata() {
    Parts {
        types: "header port_h { bit<16> vrf; bit<32> number; bit<16> rest; }",
        ingress_parser: "state start { pkt.extract(ig_intr_md); port_h p = port_metadata_unpack<port_h>(pkt); md.y = p.vrf; md.x = p.number; transition data; }",
        ingress_apply: "hdr.data.a = md.x; hdr.data.c = md.y; hdr.data.d = (bit<16>)ig_intr_md.ingress_port;",
        ..Parts::default()
    }
    .run(|mut lab| {
        lab.switch.port_metadata_write(300, &[0x12, 0x34, 0, 0, 0xab, 0xcd]).unwrap();
        assert_eq!(lab.data(300, &frame([9; 4], 0)), [0xabcd, 9, 0x1234, 300]);
        assert_eq!(lab.data(301, &frame([9; 4], 0)), [0, 9, 0, 301]);
        assert!(lab.switch.port_metadata_write(1, &[0; 9]).is_err());
        assert_eq!(lab.switch.port_metadata(300).map(<[u8]>::len), Some(6));
    });
}

/// Tofino 2 has 24 bytes before a packet.
#[test]
fn the_second_generation_has_more_port_metadata() {
    let parts = Parts {
        ingress_apply: "hdr.data.a = (bit<32>)ig_intr_md.ingress_port;",
        egress_apply: "hdr.data.b = (bit<32>)eg_intr_md.egress_port; hdr.data.c = eg_intr_md.pkt_length;",
        ..Parts::default()
    };
    each(&parts.text("t2na"), Arch::T2na, |mut lab| {
        assert_eq!(lab.data(5, &frame([9; 4], 0)), [5, 1, 30, 9]);
    });
}
