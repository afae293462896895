// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! What the tests share.

#![allow(dead_code)]

use p4_frontend::cli::{Compiled, Options, compile};
use serde_json::Value;

/// Compiles a text that goes by `test.p4`.
pub fn compile_text(text: &str) -> Result<Compiled, String> {
    let mut options = Options::new("test.p4");
    options.text = Some(text.to_string());
    compile(&options)
}

/// Compiles a text that has no errors; returns its JSON and P4Info.
pub fn compiled(text: &str) -> (Value, String) {
    match compile_text(text) {
        Ok(c) => (
            serde_json::from_str(&c.bmv2_json).expect("valid JSON"),
            c.p4info_text,
        ),
        Err(e) => panic!("{e}\n{text}"),
    }
}

/// What `mecn-p4c --target p4test` says of a text, and the P4Info that it makes.
fn p4test(text: &str) -> (i32, String, String) {
    static COUNT: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);
    let n = COUNT.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    let base = std::env::temp_dir().join(format!("p4-frontend-p4test-{}-{n}", std::process::id()));
    let (source, made) = (base.with_extension("p4"), base.with_extension("txtpb"));
    std::fs::write(&source, text).expect("written");
    let args: Vec<String> = ["mecn-p4c", "--target", "p4test", "--p4runtime-files"]
        .into_iter()
        .map(String::from)
        .chain([&made, &source].map(|p| p.to_string_lossy().into_owned()))
        .collect();
    let mut err = Vec::new();
    let status = p4_frontend::cli::run(&args, &mut std::io::sink(), &mut err);
    let text = std::fs::read_to_string(&made).unwrap_or_default();
    let _ = std::fs::remove_file(&source);
    let _ = std::fs::remove_file(&made);
    (status, text, String::from_utf8_lossy(&err).into_owned())
}

/// P4Info of a program that the back end may refuse.
pub fn p4info(text: &str) -> String {
    let (status, made, err) = p4test(text);
    assert_eq!(status, 0, "{err}\n{text}");
    made
}

/// Why a program has no P4Info.
pub fn p4info_problem(text: &str) -> String {
    let (status, _, err) = p4test(text);
    assert_eq!(status, 1, "{text}");
    err
}

/// A program whose ingress control has these declarations and this body.
pub fn program(declarations: &str, locals: &str, body: &str) -> String {
    format!(
        "#include <core.p4>
#include <v1model.p4>
header h_t {{ bit<8> a; bit<8> b; bit<16> c; int<8> s; bit<24> d; }}
struct headers_t {{ h_t h; h_t g; }}
struct meta_t {{ bit<8> x; bool y; }}
{declarations}
parser P(packet_in p, out headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {{
    state start {{ p.extract(hdr.h); transition accept; }}
}}
control V(inout headers_t hdr, inout meta_t meta) {{ apply {{ }} }}
control I(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {{
{locals}
    apply {{
{body}
    }}
}}
control E(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {{ apply {{ }} }}
control C(inout headers_t hdr, inout meta_t meta) {{ apply {{ }} }}
control D(packet_out p, in headers_t hdr) {{ apply {{ p.emit(hdr); }} }}
V1Switch(P(), V(), I(), E(), C(), D()) main;
"
    )
}

/// The primitives of all actions that tables without keys run, as text: `op(param, ...)`.
pub fn primitives(j: &Value) -> Vec<String> {
    let mut out = Vec::new();
    for a in j["actions"].as_array().expect("actions") {
        for p in a["primitives"].as_array().expect("primitives") {
            let params: Vec<String> = p["parameters"]
                .as_array()
                .expect("parameters")
                .iter()
                .map(expression)
                .collect();
            out.push(format!(
                "{}({})",
                p["op"].as_str().unwrap_or("?"),
                params.join(", ")
            ));
        }
    }
    out
}

/// An expression of BMv2 JSON in readable form.
pub fn expression(e: &Value) -> String {
    let v = &e["value"];
    match e["type"].as_str() {
        Some("field" | "stack_field") => {
            format!(
                "{}.{}",
                v[0].as_str().unwrap_or("?"),
                v[1].as_str().unwrap_or("?")
            )
        }
        Some(
            "hexstr" | "header" | "header_stack" | "register_array" | "counter_array" | "string",
        ) => v.as_str().unwrap_or("?").to_string(),
        Some("bool") => v.to_string(),
        Some("runtime_data" | "local") => format!("${v}"),
        Some("expression") if v.get("type").is_some() => expression(v),
        Some("expression") => {
            let op = v["op"].as_str().unwrap_or("?");
            if op == "?" {
                return format!(
                    "({} ? {} : {})",
                    expression(&v["cond"]),
                    expression(&v["left"]),
                    expression(&v["right"])
                );
            }
            if v["left"].is_null() {
                return format!("{op}({})", expression(&v["right"]));
            }
            format!(
                "({} {op} {})",
                expression(&v["left"]),
                expression(&v["right"])
            )
        }
        _ => e.to_string(),
    }
}
