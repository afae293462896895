// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Programs that must be accepted: what the language and v1model allow, be it unusual. Each is compiled to code and P4Info,
//! the latter also by itself.

#[path = "../common/mod.rs"]
mod common;

mod controls;
mod expressions;
mod externs;
mod headers;
mod parsers;
mod tables;
mod text;

use common::{compile_text, p4info};

/// What a program differs in from the plain one.
#[derive(Clone, Copy)]
struct Parts {
    before: &'static str,
    includes: &'static str,
    types: &'static str,
    headers: &'static str,
    hdr: &'static str,
    meta: &'static str,
    top: &'static str,
    parser_locals: &'static str,
    states: &'static str,
    verify: &'static str,
    locals: &'static str,
    body: &'static str,
    egress_locals: &'static str,
    egress: &'static str,
    compute: &'static str,
    deparser: &'static str,
    main: &'static str,
    /// BMv2 cannot run it: there is P4Info, but no code.
    p4info_only: bool,
}

const PLAIN: Parts = Parts {
    before: "",
    includes: "#include <core.p4>\n#include <v1model.p4>\n",
    types: "",
    headers: "header h_t { bit<8> a; bit<8> b; bit<16> c; int<8> s; bit<32> d; }\n",
    hdr: "struct headers { h_t h; h_t g; }\n",
    meta: "struct metadata { bit<8> x; bool y; bit<32> z; }\n",
    top: "",
    parser_locals: "",
    states: "state start { pkt.extract(hdr.h); transition accept; }",
    verify: "",
    locals: "",
    body: "",
    egress_locals: "",
    egress: "",
    compute: "",
    deparser: "pkt.emit(hdr.h);",
    main: "V1Switch(P(), V(), I(), E(), C(), D()) main;",
    p4info_only: false,
};

impl Parts {
    fn text(&self) -> String {
        let Parts {
            before,
            includes,
            types,
            headers,
            hdr,
            meta,
            top,
            parser_locals,
            states,
            verify,
            locals,
            body,
            egress_locals,
            egress,
            compute,
            deparser,
            main,
            p4info_only: _,
        } = self;
        format!(
            "{before}{includes}{types}{headers}{hdr}{meta}{top}
parser P(packet_in pkt, out headers hdr, inout metadata meta, inout standard_metadata_t sm) {{
    {parser_locals}
    {states}
}}
control V(inout headers hdr, inout metadata meta) {{ apply {{ {verify} }} }}
control I(inout headers hdr, inout metadata meta, inout standard_metadata_t sm) {{
    {locals}
    apply {{ {body} }}
}}
control E(inout headers hdr, inout metadata meta, inout standard_metadata_t sm) {{
    {egress_locals}
    apply {{ {egress} }}
}}
control C(inout headers hdr, inout metadata meta) {{ apply {{ {compute} }} }}
control D(packet_out pkt, in headers hdr) {{ apply {{ {deparser} }} }}
{main}
"
        )
    }
}

#[test]
fn programs_are_accepted() {
    let mut refused = Vec::new();
    for (name, parts) in TOPICS.into_iter().flatten() {
        match compile_text(&parts.text()) {
            Ok(c) if parts.p4info_only => {
                refused.push(format!("{name}: has code\n{}", c.bmv2_json))
            }
            Ok(c) if c.p4info_text.is_empty() => refused.push(format!("{name}: {:?}", c.warnings)),
            Ok(_) => {}
            Err(e) if parts.p4info_only => {
                assert!(!e.is_empty(), "{name}");
                assert!(p4info(&parts.text()).starts_with("# proto-file"), "{name}");
            }
            Err(e) => refused.push(format!("{name}:\n{e}")),
        }
    }
    assert!(refused.is_empty(), "{}", refused.join("\n"));
}

/// One program each; the names say what it is about.
type Programs = [(&'static str, Parts)];

const TOPICS: [&Programs; 7] = [
    controls::PROGRAMS,
    expressions::PROGRAMS,
    externs::PROGRAMS,
    headers::PROGRAMS,
    parsers::PROGRAMS,
    tables::PROGRAMS,
    text::PROGRAMS,
];
