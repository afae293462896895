// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Programs with tokens left out, doubled, swapped or replaced: they compile or they do not, but nothing breaks, and
//! what compiles is JSON.

mod common;

use common::{compile_text, program};
use proptest::prelude::*;

fn seed_program() -> String {
    program(
        "enum bit<8> kind_t { A = 1, B = 2 }
         control Inner(inout bit<8> v, in bit<16> w)(bit<8> n) {
             register<bit<8>>(4) r;
             action put(bit<8> x) { v = x; if (w == 3) { v = v |+| 1; } }
             table t { key = { v: exact; w: lpm; } actions = { put; NoAction; } const entries = { (1, 2 &&& 0xfffe): put(3); } size = 8; }
             apply {
                 bit<8> old;
                 @atomic { r.read(old, (bit<32>)w); r.write((bit<32>)w, old + n); }
                 if (t.apply().hit && old[3:0] != 0) { return; }
                 v = old > 5 ? v : (n ++ 4w1 == 12w5 ? 8w1 : 8w2);
             }
         }
         bit<8> twice(in bit<8> x) { if (x > 100) { return 255; } return x << 1; }",
        "Inner(3) inner; counter(8, CounterType.bytes) c; direct_counter(CounterType.packets) d;
         action drop() { mark_to_drop(sm); exit; }
         table u { key = { hdr.h.a: ternary; sm.ingress_port: range; } actions = { drop; } counters = d; default_action = drop; }",
        "inner.apply(hdr.h.a, hdr.h.c);
         switch (u.apply().action_run) { drop: { c.count(1); } default: { hdr.g.setValid(); } }
         hdr.g = { 1, 2, 3, -4, 5 };
         hdr.h.d[15:8] = twice(hdr.h.b);
         if (hdr.h == hdr.g) { random(hdr.h.c, 0, 9); } else { hash(hdr.h.c, HashAlgorithm.crc16, 16w0, { hdr.h.a, hdr.h.b }, 32w8); }",
    )
}

/// Rough tokens: words, and every other character alone.
fn tokens(text: &str) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    let mut word = String::new();
    for c in text.chars() {
        if c.is_alphanumeric() || c == '_' {
            word.push(c);
        } else {
            if !word.is_empty() {
                out.push(std::mem::take(&mut word));
            }
            out.push(c.to_string());
        }
    }
    out.push(word);
    out
}

#[test]
fn the_seed_compiles() {
    if let Err(e) = compile_text(&seed_program()) {
        panic!("{e}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn mutated_programs_break_nothing(seed in 0usize..3, edits in prop::collection::vec((0usize..4, any::<prop::sample::Index>(), any::<prop::sample::Index>()), 1..4)) {
        let text = match seed {
            0 => seed_program(),
            1 => include_str!("programs/externs.p4").to_string(),
            _ => include_str!("programs/control.p4").to_string(),
        };
        let mut list = tokens(&text);
        // The includes stay.
        let first = list.iter().position(|t| t == "header").unwrap_or(0);
        for (kind, at, other) in edits {
            let i = first + at.index(list.len() - first);
            let k = first + other.index(list.len() - first);
            match kind {
                0 => { list.remove(i); }
                1 => { let t = list[i].clone(); list.insert(i, t); }
                2 => list.swap(i, k),
                _ => list[i] = list[k].clone(),
            }
        }
        let text: String = list.concat();
        match compile_text(&text) {
            Ok(c) => {
                let parsed: Result<serde_json::Value, _> = serde_json::from_str(&c.bmv2_json);
                prop_assert!(parsed.is_ok());
            }
            Err(e) => prop_assert!(e.contains("error: "), "{e}"),
        }
    }
}
