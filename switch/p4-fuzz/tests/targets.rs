// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! The fuzz targets for some seconds each, with random bytes.

use proptest::prelude::*;
use proptest::test_runner::RngSeed;

fn bytes(max: usize) -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(any::<u8>(), 0..max)
}

/// Text in which tokens of the language stand where they like.
fn text() -> impl Strategy<Value = String> {
    let word = prop_oneof![
        4 => prop::sample::select(vec![
            "header", "struct", "control", "parser", "table", "action", "apply", "key", "state", "start", "transition",
            "select", "bit", "int", "<", ">", "8", "0x1g", "1w", "(", ")", "{", "}", "[", "]", ";", ",", ".", ":", "=",
            "==", "&&&", "..", "a", "b", "#define a b", "\n#include \"a\"\n", "\n#if 1 / 0\n", "\n#endif\n", "/*", "*/",
            "//", "\"", "\\", "@name(\"", "'", "\u{e9}", "\0", "\r",
        ]).prop_map(String::from),
        1 => "\\PC{0,4}",
    ];
    prop::collection::vec(word, 0..60).prop_map(|words| words.join(" "))
}

/// As many cases as given, the same ones in every run; or as many others as `MECN_FUZZ_EXAMPLES` says.
fn cases(cases: u32) -> ProptestConfig {
    let wanted = std::env::var("MECN_FUZZ_EXAMPLES");
    ProptestConfig {
        rng_seed: if wanted.is_ok() {
            RngSeed::Random
        } else {
            RngSeed::Fixed(1)
        },
        cases: wanted.ok().and_then(|n| n.parse().ok()).unwrap_or(cases),
        failure_persistence: None,
        max_shrink_iters: 2000,
        ..ProptestConfig::default()
    }
}

#[test]
fn the_seeds_compile_and_load() {
    for (name, text) in p4_fuzz::SEEDS {
        if let Err(e) = p4_fuzz::compile_text(text) {
            panic!("{name}: {e}");
        }
        p4_fuzz::source(text.as_bytes());
    }
    assert!(!p4_fuzz::mecn().tables().is_empty());
}

#[test]
fn no_bytes_are_bytes_too() {
    p4_fuzz::edited_json(&[]);
    p4_fuzz::edited_source(&[]);
    p4_fuzz::json(&[]);
    p4_fuzz::packets(&[]);
    p4_fuzz::source(&[]);
}

proptest! {
    #![proptest_config(cases(4000))]
    #[test]
    fn packets(data in bytes(600)) {
        p4_fuzz::packets(&data);
    }
}

proptest! {
    #![proptest_config(cases(1000))]
    #[test]
    fn source(text in text()) {
        p4_fuzz::source(text.as_bytes());
    }

    #[test]
    fn source_from_bytes(data in bytes(200)) {
        p4_fuzz::source(&data);
    }

    #[test]
    fn edited_source(data in bytes(60)) {
        p4_fuzz::edited_source(&data);
    }

    #[test]
    fn json(data in bytes(200)) {
        p4_fuzz::json(&data);
    }

    #[test]
    fn edited_json(data in bytes(300)) {
        p4_fuzz::edited_json(&data);
    }
}
