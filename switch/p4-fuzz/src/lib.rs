// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! What must hold for any packet, P4 program and BMv2 JSON.
//!
//! Each function takes arbitrary bytes, makes of them what it is named for, and lets the front end and
//! the engine work on it, both as interpreter and as compiler. It returns if all is well: a program may be refused, a packet dropped. A panic is a bug in
//! what was called, or says which promise was broken.
//!
//! Two callers share them: the tests of this crate, for seconds, with bytes from proptest; and the targets
//! in `fuzz/`, for as long as one likes, with bytes that libFuzzer steers by coverage.

// A dependency that nothing uses is an error of `make lint`.
#![cfg_attr(not(test), warn(unused_crate_dependencies))]
#![forbid(unsafe_code)]

mod bytes;
mod drive;
mod edit;

use std::sync::{Arc, OnceLock};

use p4_engine::{Execution, Program, Refusal, Switch, SwitchConfig};
use p4_frontend::cli::{Compiled, Options, compile};
use serde_json::Value;

use bytes::Bytes;

/// The programs that the targets start from.
pub const SEEDS: &[(&str, &str)] = &[
    (
        "bridge",
        include_str!("../../p4runtime/tests/stf/bridge.p4"),
    ),
    ("constructs", include_str!("../seeds/constructs.p4")),
    (
        "externs",
        include_str!("../../p4runtime/tests/programs/externs.p4"),
    ),
    ("stacks", include_str!("../seeds/stacks.p4")),
];

/// The data plane of the project, compiled.
///
/// # Panics
/// If it does not compile, or if the engine does not load it.
pub fn mecn() -> Arc<Program> {
    static PROGRAM: OnceLock<Arc<Program>> = OnceLock::new();
    Arc::clone(PROGRAM.get_or_init(|| {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../p4src/mecn_v1model.p4");
        let compiled = compile(&Options::new(path)).unwrap_or_else(|e| panic!("{e}"));
        load(&compiled.bmv2_json)
    }))
}

/// Packets and control-plane operations, in any order, on the project's data plane.
pub fn packets(data: &[u8]) {
    let mut bytes = Bytes::new(data);
    let config = SwitchConfig {
        seed: bytes.u8().into(),
        log_capacity: 4,
        ..SwitchConfig::default()
    };
    both_ways(mecn(), config, bytes);
}

/// P4 source, as it is. What compiles must load, and packets must pass through it.
pub fn source(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    program(&text);
}

/// P4 source: a seed with tokens left out, doubled, swapped, or put elsewhere.
pub fn edited_source(data: &[u8]) {
    let mut bytes = Bytes::new(data);
    let (_, seed) = SEEDS[bytes.below(SEEDS.len())];
    program(&edit::source(seed, &mut bytes));
}

/// BMv2 JSON, as it is.
pub fn json(data: &[u8]) {
    if let Ok(program) = load_any(data) {
        run(program, &[0x5a; 200]);
    }
}

/// BMv2 JSON: a compiled seed with values replaced by others or by parts of itself.
pub fn edited_json(data: &[u8]) {
    static SEED_VALUES: OnceLock<Vec<Value>> = OnceLock::new();
    let seeds = SEED_VALUES.get_or_init(|| {
        SEEDS
            .iter()
            .map(|(name, text)| {
                let compiled = compile_text(text).unwrap_or_else(|e| panic!("{name}: {e}"));
                serde_json::from_str(&compiled.bmv2_json).unwrap_or_else(|e| panic!("{name}: {e}"))
            })
            .collect()
    });
    let mut bytes = Bytes::new(data);
    let mut value = seeds[bytes.below(seeds.len())].clone();
    edit::json(&mut value, &mut bytes);
    if let Ok(program) = load_any(value.to_string().as_bytes()) {
        run(program, bytes.rest());
    }
}

/// Compiles a text that goes by `fuzz.p4`.
///
/// # Errors
/// What the front end shows to the user.
pub fn compile_text(text: &str) -> Result<Compiled, String> {
    let mut options = Options::new("fuzz.p4");
    options.text = Some(text.to_string());
    compile(&options)
}

fn program(text: &str) {
    match compile_text(text) {
        Ok(compiled) => {
            let again = compile_text(text);
            assert!(
                again.as_ref() == Ok(&compiled),
                "the same source gives other bytes the second time"
            );
            run(load(&compiled.bmv2_json), &[0xa5; 400]);
        }
        Err(text) => assert!(text.contains("error: "), "refused without an error: {text}"),
    }
}

/// Loads what the front end made, which the engine must not refuse.
fn load(json: &str) -> Arc<Program> {
    match Program::from_bmv2_json(json.as_bytes()) {
        Ok(program) => Arc::new(program),
        Err(e) => panic!("the engine refuses what the front end compiled: {e}"),
    }
}

fn load_any(json: &[u8]) -> Result<Arc<Program>, ()> {
    match Program::from_bmv2_json(json) {
        Ok(program) => Ok(Arc::new(program)),
        Err(e) => {
            let text = e.to_string();
            assert!(
                !text.is_empty() && !text.contains('\n'),
                "not one line: {text}"
            );
            Err(())
        }
    }
}

fn run(program: Arc<Program>, data: &[u8]) {
    let config = SwitchConfig {
        log_capacity: 4,
        ..SwitchConfig::default()
    };
    both_ways(program, config, Bytes::new(data));
}

/// Drives a switch that interprets the program and one that compiles it; they must not differ.
fn both_ways(program: Arc<Program>, config: SwitchConfig, bytes: Bytes<'_>) {
    let drive = |execution| {
        let config = SwitchConfig {
            execution,
            ..config
        };
        let mut switch = Switch::new(Arc::clone(&program), config);
        if let Some(refusal) = switch.refusal()
            && *refusal != Refusal::Loop
        {
            panic!("a program that loads is not compiled: {refusal}");
        }
        drive::drive(&mut switch, &mut bytes.clone())
    };
    let (interpreted, compiled) = (drive(Execution::Interpreted), drive(Execution::Compiled));
    if interpreted == compiled {
        return;
    }
    for (i, (a, b)) in interpreted.iter().zip(&compiled).enumerate() {
        assert_eq!(
            a, b,
            "compiled code differs from the interpreter in step {i}"
        );
    }
    panic!("compiled code differs from the interpreter in the number of steps");
}
