// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! The data plane of this repository.

use std::collections::BTreeMap;
use std::path::Path;

use p4_frontend::cli::{Compiled, Options, compile, run};
use serde_json::Value;

fn mecn() -> Compiled {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../p4src/mecn_v1model.p4");
    compile(&Options::new(path)).unwrap_or_else(|e| panic!("{e}"))
}

/// Names and ids of the messages of a kind in P4Info text.
fn ids(info: &str, kind: &str) -> BTreeMap<String, u32> {
    let mut out = BTreeMap::new();
    let mut inside = false;
    let mut id = 0;
    for line in info.lines() {
        if line == format!("{kind} {{") {
            inside = true;
        } else if line == "  }" {
            // The preamble comes first.
            inside = false;
        } else if let (true, Some(v)) = (inside, line.strip_prefix("    id: ")) {
            id = v.parse().unwrap_or(0);
        } else if let (true, Some(v)) = (inside, line.strip_prefix("    name: ")) {
            out.entry(v.trim_matches('"').to_string()).or_insert(id);
        }
    }
    out
}

/// The hash that ids are made of, written once more.
fn id(prefix: u32, name: &str) -> u32 {
    let mut h = 0u32;
    for b in name.bytes() {
        h = h.wrapping_add(u32::from(b));
        h = h.wrapping_add(h << 10);
        h ^= h >> 6;
    }
    h = h.wrapping_add(h << 3);
    h ^= h >> 11;
    h = h.wrapping_add(h << 15);
    prefix << 24 | h & 0xff_ffff
}

const TABLES: [&str; 9] = [
    "MecnEgress.marking.curve.aqm_curve",
    "MecnEgress.marking.verdict.aqm_verdict",
    "MecnIngress.admission.aqm_admission",
    "MecnIngress.admission.curve.aqm_curve",
    "MecnIngress.flow_class.aqm_class_curve",
    "MecnIngress.flow_class.aqm_rtt_class",
    "MecnIngress.forwarding.ipv4_lpm",
    "MecnIngress.forwarding.ipv6_lpm",
    "MecnIngress.policy.aqm_port",
];

#[test]
fn it_compiles_without_warnings() {
    assert_eq!(mecn().warnings, Vec::<String>::new());
}

/// The top for Tofino, for both generations. Types are all that is checked here.
#[test]
fn it_is_well_typed_for_tofino() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../p4src/mecn_tna.p4");
    for arch in ["tna", "t2na"] {
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let args = ["mecn-p4c", "--arch", arch, path].map(str::to_string);
        let status = run(&args, &mut out, &mut err);
        let said = String::from_utf8_lossy(&err);
        assert_eq!((status, said.as_ref()), (0, ""), "{arch}");
    }
}

/// Which table, under which name, with which keys: the control plane need not know the target.
#[test]
fn tofino_has_tables_of_the_same_names_and_keys() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../p4src");
    let keys = |file: &str| {
        let text = std::fs::read_to_string(here.join(file)).expect("a source file");
        let mut found = BTreeMap::new();
        for table in text.split("    table ").skip(1) {
            let name = table.split_whitespace().next().unwrap_or("").to_string();
            let named = table.split("actions =").next().unwrap_or("");
            let keys: Vec<String> = named
                .lines()
                .filter(|l| l.contains("@name"))
                .map(|l| l.split(": ").nth(1).unwrap_or("").to_string())
                .collect();
            found.insert(name, keys);
        }
        found
    };
    for (file, table) in [
        ("aqm_admission.p4", "aqm_admission"),
        ("aqm_curve.p4", "aqm_curve"),
    ] {
        let (one, other) = (
            keys(&format!("v1model/{file}")),
            keys(&format!("tna/{file}")),
        );
        assert!(one[table].len() >= 2, "{one:?}");
        assert_eq!(one[table], other[table], "{file}");
    }
}

#[test]
fn tables_have_their_names_and_ids() {
    let c = mecn();
    let tables = ids(&c.p4info_text, "tables");
    assert_eq!(
        tables.keys().map(String::as_str).collect::<Vec<_>>(),
        TABLES
    );
    for (name, found) in &tables {
        assert_eq!(*found, id(0x02, name), "{name}");
    }
    for (name, found) in ids(&c.p4info_text, "actions") {
        assert_eq!(found, id(0x01, &name), "{name}");
    }
    let json: Value = serde_json::from_str(&c.bmv2_json).expect("valid JSON");
    let mut keyed: Vec<String> = json["pipelines"]
        .as_array()
        .expect("array")
        .iter()
        .flat_map(|p| p["tables"].as_array().expect("array"))
        .filter(|t| t["key"] != serde_json::json!([]))
        .filter_map(|t| t["name"].as_str().map(str::to_string))
        .collect();
    keyed.sort();
    assert_eq!(keyed, TABLES);
}

#[test]
fn objects_have_their_names() {
    let c = mecn();
    let names = |kind: &str| ids(&c.p4info_text, kind).into_keys().collect::<Vec<_>>();
    let there = |kind: &str, wanted: &[&str]| {
        let names = names(kind);
        for w in wanted {
            assert!(names.iter().any(|n| n == w), "{w} is not in {names:?}");
        }
    };
    there(
        "counters",
        &[
            "MecnEgress.marking.marking_stats",
            "MecnIngress.admission.early_drop_stats",
        ],
    );
    there(
        "registers",
        &[
            "MecnEgress.marking.average.avg_qdepth",
            "MecnIngress.admission.arrival_average.avg_qdepth",
            "arrival_qdepth",
        ],
    );
    there(
        "actions",
        &[
            "MecnEgress.marking.curve.ramp",
            "MecnIngress.admission.curve.ramp",
            "MecnIngress.policy.set_profile",
        ],
    );
    // A table that is there twice goes by more than its own name.
    assert!(c.p4info_text.contains("alias: \"marking.curve.aqm_curve\""));
    assert!(c.p4info_text.contains("alias: \"aqm_port\""));
}

#[test]
fn every_reference_in_the_json_leads_somewhere() {
    let json: Value = serde_json::from_str(&mecn().bmv2_json).expect("valid JSON");
    let list = |v: &Value| v.as_array().cloned().unwrap_or_default();
    let names = |v: &Value| {
        list(v)
            .iter()
            .filter_map(|e| e["name"].as_str().map(str::to_string))
            .collect::<Vec<_>>()
    };
    for p in list(&json["pipelines"]) {
        let nodes: Vec<String> = names(&p["tables"])
            .into_iter()
            .chain(names(&p["conditionals"]))
            .collect();
        let known = |v: &Value| v.is_null() || nodes.iter().any(|n| v == n);
        assert!(known(&p["init_table"]));
        for t in list(&p["tables"]) {
            assert!(known(&t["base_default_next"]), "{t}");
            for (_, n) in t["next_tables"].as_object().expect("object") {
                assert!(known(n), "{t}");
            }
            for (id, name) in list(&t["action_ids"]).iter().zip(list(&t["actions"])) {
                let action = &json["actions"][id.as_u64().expect("id") as usize];
                assert_eq!((&action["id"], &action["name"]), (id, &name));
            }
        }
        for c in list(&p["conditionals"]) {
            assert!(known(&c["true_next"]) && known(&c["false_next"]), "{c}");
        }
    }
    // Every field that anything names exists.
    let mut fields: Vec<(String, String)> = Vec::new();
    for h in list(&json["headers"]) {
        let types = list(&json["header_types"]);
        let t = types
            .iter()
            .find(|t| t["name"] == h["header_type"])
            .expect("header type");
        let name = h["name"].as_str().expect("name").to_string();
        fields.push((name.clone(), "$valid$".to_string()));
        for f in list(&t["fields"]) {
            fields.push((name.clone(), f[0].as_str().expect("name").to_string()));
        }
    }
    fn walk(v: &Value, f: &mut dyn FnMut(&Value)) {
        match v {
            Value::Object(o) => {
                if o.get("type").is_some_and(|t| t == "field") {
                    f(&o["value"]);
                }
                o.values().for_each(|v| walk(v, f));
            }
            Value::Array(a) => a.iter().for_each(|v| walk(v, f)),
            _ => {}
        }
    }
    let mut seen = 0;
    walk(&json, &mut |v| {
        seen += 1;
        let name = (
            v[0].as_str().unwrap_or("").to_string(),
            v[1].as_str().unwrap_or("").to_string(),
        );
        assert!(fields.contains(&name), "{name:?}");
    });
    assert!(seen > 100);
}
