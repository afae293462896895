// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Programs for Tofino are checked. What they do is tested where there is a switch to run them.

use std::sync::atomic::{AtomicUsize, Ordering};

use p4_frontend::cli::run;

/// Exit status and what was said of a text for the first generation.
fn check(text: &str) -> (i32, String) {
    check_as("tna", text)
}

fn check_as(arch: &str, text: &str) -> (i32, String) {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    let n = NEXT.fetch_add(1, Ordering::Relaxed);
    let dir = std::env::temp_dir().join(format!("p4-frontend-tna-{}-{n}", std::process::id()));
    std::fs::create_dir_all(&dir).expect("a directory");
    let file = dir.join("t.p4");
    std::fs::write(&file, text).expect("written");
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let args = [
        "mecn-p4c".to_string(),
        "--Wdisable".to_string(),
        "--arch".to_string(),
        arch.to_string(),
        // Checks, and makes no code.
        "--target".to_string(),
        "p4test".to_string(),
        "--Wdisable".to_string(),
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

/// The second generation's architecture file has what the first one's has, and more.
#[test]
fn generations_differ() {
    let second = PROGRAM.replace("<tna.p4>", "<t2na.p4>");
    assert_eq!(check_as("t2na", &second), (0, String::new()));

    let ghost = second.replace(
        "Pipeline(IP(), IG(), ID(), EP(), EG(), ED()) pipe;",
        "control Gh(in ghost_intrinsic_metadata_t g) {
               Register<bit<32>, bit<11>>(2048) depth;
               RegisterAction<bit<32>, bit<11>, bit<32>>(depth) set = {
                 void apply(inout bit<32> v) { v = (bit<32>)g.qlength; }
               };
               apply { set.execute(g.qid); }
             }
             Pipeline(IP(), IG(), ID(), EP(), EG(), ED(), Gh()) pipe;",
    );
    assert_eq!(check_as("t2na", &ghost), (0, String::new()));
    assert_eq!(check(&ghost.replace("<t2na.p4>", "<tna.p4>")).0, 1);

    // A queue's number has five bits, or seven.
    let queue = "tm.mcast_grp_a = 1; tm.qid = 7w65;";
    let (status, text) = check(&PROGRAM.replace("tm.mcast_grp_a = 1;", queue));
    assert_eq!(status, 1);
    assert!(text.contains("bit<5>"), "{text}");
    let wide = second.replace("tm.mcast_grp_a = 1;", queue);
    assert_eq!(check_as("t2na", &wide), (0, String::new()));
}

/// As p4c's driver does it.
#[test]
fn the_generation_is_a_macro() {
    for (arch, generation) in [("tna", 1), ("t2na", 2)] {
        let text = format!(
            "#if __TARGET_TOFINO__ != {generation}\n#error \"another generation\"\n#endif\n{}",
            PROGRAM.replace("tna.p4", &format!("{arch}.p4")),
        );
        assert_eq!(check_as(arch, &text), (0, String::new()));
    }
}
