// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Programs for Tofino are checked, and no code is made for them.

use std::sync::atomic::{AtomicUsize, Ordering};

use p4_frontend::cli::run;

/// Exit status and what was said of a text.
fn check(text: &str) -> (i32, String) {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    let n = NEXT.fetch_add(1, Ordering::Relaxed);
    let dir = std::env::temp_dir().join(format!("p4-frontend-tna-{}-{n}", std::process::id()));
    std::fs::create_dir_all(&dir).expect("a directory");
    let file = dir.join("t.p4");
    std::fs::write(&file, text).expect("written");
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let args = [
        "mecn-p4c".to_string(),
        "--arch".to_string(),
        "tna".to_string(),
        file.to_string_lossy().into_owned(),
    ];
    let status = run(&args, &mut out, &mut err);
    assert!(!dir.join("t.json").exists());
    std::fs::remove_dir_all(&dir).expect("removed");
    (status, String::from_utf8_lossy(&err).into_owned())
}

const PROGRAM: &str = include_str!("programs/tofino.p4");

#[test]
fn a_program_for_tofino_has_no_errors() {
    assert_eq!(check(PROGRAM), (0, String::new()));
}

#[test]
fn register_actions_are_checked() {
    let (status, text) = check(&PROGRAM.replace("v.lo = v.lo + 1;", "v.lo = v.lo + 8w1;"));
    assert_eq!(status, 1);
    assert!(
        text.contains("error: +: Cannot operate on values with different types"),
        "{text}"
    );
    let (_, text) = check(&PROGRAM.replace(
        "void apply(inout pair v, out bit<32> rv)",
        "void apply(inout pair v, out bit<16> rv)",
    ));
    assert!(
        text.contains("error: apply: signature differs from that of the abstract method"),
        "{text}"
    );
    let (_, text) = check(&PROGRAM.replace("void apply(inout pair", "void other(inout pair"));
    assert!(
        text.contains("error: other: the extern has no abstract method of this name"),
        "{text}"
    );
    assert!(
        text.contains("error: upd: abstract method apply is not implemented"),
        "{text}"
    );
}

#[test]
fn parameters_of_blocks_are_checked() {
    let (status, text) = check(&PROGRAM.replace(
        "out ingress_intrinsic_metadata_t ig)",
        "out egress_intrinsic_metadata_t ig)",
    ));
    assert_eq!(status, 1);
    assert!(text.contains("Pipeline: argument has type"), "{text}");
}
