// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! P4Info of a small program, whole.

mod common;

use common::{compiled, program};

#[test]
fn p4info_is_what_the_protobuf_library_prints() {
    let declarations = "type bit<8> tag_t;\nenum bit<4> color_t { RED = 1, BLUE = 0xe }";
    let locals = "direct_counter(CounterType.packets) hits;
        register<bit<48>>(16) seen;
        @brief(\"sets b\") action set(@id(7) tag_t tag, bit<16> n) { hdr.h.b = (bit<8>)tag; hdr.h.c = n; }
        action direct() { hdr.h.a = 0; }
        @id(0x42) @format(\"x\", 3)
        table t {
            key = { hdr.h.a: exact; hdr.g.isValid(): ternary; hdr.h.d[7:4]: optional @name(\"nibble\"); }
            actions = { set; @tableonly direct; }
            default_action = set((tag_t)1, 0x100);
            counters = hits;
            support_timeout = true;
            size = 32;
        }";
    let (_, info) = compiled(&program(
        declarations,
        locals,
        "direct(); t.apply(); seen.write(0, 1);",
    ));
    // The first two lines are the licence.
    let wanted: Vec<&str> = include_str!("p4info/small.p4info.txtpb")
        .split_inclusive('\n')
        .skip(2)
        .collect();
    assert_eq!(info, wanted.concat());
}

#[test]
fn equal_ids_are_refused() {
    let locals = "action a() { }
        @id(1) table t { actions = { a; NoAction; } }
        @id(1) table u { actions = { a; NoAction; } }";
    let c = common::compile_text(&program("", locals, "t.apply(); u.apply();")).expect("code");
    assert_eq!(c.p4info_text, "");
    assert!(
        c.warnings[0].contains("@id 33554433 is assigned to multiple declarations"),
        "{:?}",
        c.warnings
    );
}
