// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! What the switch does not do is refused by name and place.

use crate::lab::Parts;

#[test]
fn what_is_not_there_is_named() {
    let apply = |ingress_apply: &'static str, ingress: &'static str| Parts {
        ingress_apply,
        ingress,
        ..Parts::default()
    };
    for (parts, message) in [
        (
            apply("ig_tm_md.copy_to_cpu = 1;", ""),
            "ingress_intrinsic_metadata_for_tm.copy_to_cpu is not supported yet",
        ),
        (
            apply("ig_tm_md.level2_exclusion_id = 5;", ""),
            "ingress_intrinsic_metadata_for_tm.level2_exclusion_id is not supported yet",
        ),
        (
            apply(
                "md.z = m.execute(3, 2w1, 32w4);",
                "Meter<bit<8>>(8, MeterType_t.BYTES) m;",
            ),
            "execute: argument color is not supported yet",
        ),
        (
            apply(
                "c.count(3, 32w4);",
                "Counter<bit<32>, bit<8>>(8, CounterType_t.BYTES) c;",
            ),
            "count: argument adjust_byte_count is not supported yet",
        ),
        (
            apply(
                "md.x = r.execute_log();",
                "Register<bit<32>, bit<8>>(8) s; RegisterAction<bit<32>, bit<8>, bit<32>>(s) r = { void apply(inout bit<32> v) { } };",
            ),
            "method execute_log is not supported yet",
        ),
        (
            apply(
                "md.x = u.execute(md.x);",
                "MathUnit<bit<32>>(MathOp_t.SQR, 1) u;",
            ),
            "extern MathUnit is not supported yet",
        ),
        (
            Parts {
                ingress_deparser: "apply { if (md.flag) { pkt.emit(hdr.eth); } pkt.emit(hdr.data); }",
                ..Parts::default()
            },
            "emit under a condition is not supported yet",
        ),
    ] {
        let said = parts.refused();
        assert!(said.starts_with("test.p4:"), "{said}");
        assert!(said.contains(message), "{said}");
    }
}

#[test]
fn a_ghost_thread_is_refused() {
    let text = Parts::default().text("t2na").replace(
        "EgressDeparser()) pipe;",
        "EgressDeparser(), Ghost()) pipe;",
    );
    let text = text.replace(
        "Pipeline(",
        "control Ghost(in ghost_intrinsic_metadata_t g) { apply { } }\nPipeline(",
    );
    let said = crate::lab::json(&text, p4_frontend::cli::Arch::T2na).unwrap_err();
    assert!(
        said.contains("the ghost thread is not supported yet"),
        "{said}"
    );
}
