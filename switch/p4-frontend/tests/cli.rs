// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! The command: options, exit status, files.

mod common;

use std::fs;
use std::path::PathBuf;

use p4_frontend::cli::run;

/// A directory of its own for a test, removed at its end.
struct Dir(PathBuf);

impl Dir {
    fn new(name: &str) -> Dir {
        let path = std::env::temp_dir().join(format!("p4-frontend-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).expect("a temporary directory");
        Dir(path)
    }

    fn file(&self, name: &str) -> String {
        self.0.join(name).to_string_lossy().into_owned()
    }

    fn names(&self) -> Vec<String> {
        let mut list: Vec<String> = fs::read_dir(&self.0)
            .expect("readable")
            .flatten()
            .map(|e| e.file_name().to_string_lossy().into_owned())
            .collect();
        list.sort();
        list
    }
}

impl Drop for Dir {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Exit status, standard output, standard error.
fn call(args: &[&str]) -> (i32, String, String) {
    let args: Vec<String> = std::iter::once("mecn-p4c")
        .chain(args.iter().copied())
        .map(String::from)
        .collect();
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let status = run(&args, &mut out, &mut err);
    (
        status,
        String::from_utf8_lossy(&out).into_owned(),
        String::from_utf8_lossy(&err).into_owned(),
    )
}

#[test]
fn files_are_written_where_p4c_writes_them() {
    let d = Dir::new("files");
    let source = d.file("demo.p4_16.p4");
    fs::write(&source, common::program("", "", "hdr.h.a = VALUE;")).expect("written");
    let info = d.file("demo.p4info.txtpb");
    let (status, out, err) = call(&[
        "--target",
        "bmv2",
        "--arch=v1model",
        "--std",
        "p4-16",
        "-DVALUE=3",
        "-o",
        &d.file(""),
        "--p4runtime-files",
        &info,
        &source,
    ]);
    assert_eq!((status, out.as_str(), err.as_str()), (0, "", ""));
    assert_eq!(
        d.names(),
        ["demo.p4_16.json", "demo.p4_16.p4", "demo.p4info.txtpb"]
    );
    let json: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(d.file("demo.p4_16.json")).expect("read"))
            .expect("JSON");
    assert_eq!(json["program"].as_str(), Some(source.as_str()));
}

#[test]
fn after_an_error_nothing_is_written() {
    let d = Dir::new("error");
    let source = d.file("bad.p4");
    fs::write(&source, common::program("", "", "hdr.h.a = VALUE;")).expect("written");
    fs::write(d.file("bad.json"), "old").expect("written");
    let (status, out, err) = call(&["-o", &d.file("bad.json"), &source]);
    assert_eq!((status, out.as_str()), (1, ""));
    assert!(
        err.contains("bad.p4:14:11: error: VALUE: declaration not found"),
        "{err}"
    );
    assert_eq!(d.names(), ["bad.json", "bad.p4"]);
    assert_eq!(fs::read_to_string(d.file("bad.json")).expect("read"), "old");
}

#[test]
fn what_is_not_there_is_one_line() {
    let d = Dir::new("missing");
    let source = d.file("x.p4");
    fs::write(&source, "").expect("written");
    let one_line = |args: &[&str], wanted: &str| {
        let (status, out, err) = call(args);
        assert_eq!((status, out.as_str()), (1, ""), "{args:?}");
        assert_eq!(err.lines().count(), 1, "{err}");
        assert!(
            err.starts_with("mecn-p4c: error: ") && err.contains(wanted),
            "{err}"
        );
    };
    one_line(&[], "no input file");
    one_line(&[&d.file("none.p4")], "none.p4: no such file");
    one_line(&[&d.file("")], "is a directory");
    one_line(&["-I", &d.file("none"), &source], "no such directory");
    one_line(
        &["-o", &d.file("none/out.json"), &source],
        "no such directory",
    );
    one_line(
        &["--target", "tofino", &source],
        "target tofino is not supported; only bmv2, p4test",
    );
    one_line(&["--frobnicate", &source], "unknown option --frobnicate");
    one_line(&[&source, "-o"], "option -o needs a value");
    one_line(&[&source, &source], "more than one input file");
    one_line(
        &["--p4runtime-files", &d.file("x.json"), &source],
        "P4Info is written as text only",
    );
    one_line(
        &["--target", "p4test", "-o", &d.file("x.json"), &source],
        "p4test makes no code",
    );
    one_line(&["--maxErrorCount", "x", &source], "x is not a number");
}

/// As with p4c, whose `main.cpp` writes P4Info between front end and middle end.
#[test]
fn what_only_the_back_end_refuses_has_p4info() {
    let d = Dir::new("back-end");
    let source = d.file("x.p4");
    let info = d.file("x.p4info.txtpb");
    let text = common::program(
        "struct pair_t { bit<8> a; bit<8> b; }",
        "register<pair_t>(4) r; table t { actions = { NoAction; } }",
        "t.apply();",
    );
    fs::write(&source, text).expect("written");
    let (status, _, err) = call(&["-o", &d.file("x.json"), "--p4runtime-files", &info, &source]);
    assert_eq!(status, 1);
    assert!(
        err.contains("Only registers with bit or int types"),
        "{err}"
    );
    assert_eq!(d.names(), ["x.p4", "x.p4info.txtpb"]);
    let made = fs::read_to_string(&info).expect("read");
    assert!(made.contains("name: \"I.t\""), "{made}");
    fs::remove_file(&info).expect("removed");
    let (status, _, err) = call(&[
        "--target",
        "p4test",
        "--p4runtime-file",
        &info,
        "--Wdisable",
        &source,
    ]);
    assert_eq!((status, err.as_str()), (0, ""));
    assert_eq!(fs::read_to_string(&info).expect("read"), made);
}

#[test]
fn warnings_can_be_errors_or_nothing() {
    let d = Dir::new("warnings");
    let source = d.file("x.p4");
    let json = d.file("x.json");
    fs::write(&source, common::program("", "", "hdr.h.a = 300;")).expect("written");
    let (status, _, err) = call(&["--Werror", "-o", &json, &source]);
    assert_eq!(status, 1);
    assert!(
        err.contains("[--Werror=overflow] error: 300: value does not fit in 8 bits"),
        "{err}"
    );
    assert_eq!(d.names(), ["x.p4"]);
    let (status, _, err) = call(&["--Wdisable", "-o", &json, &source]);
    assert_eq!((status, err.as_str()), (0, ""));
}

/// p4c's `ParserOptions` and `ErrorReporter::getDiagnosticAction`.
#[test]
fn warnings_have_names() {
    let d = Dir::new("named-warnings");
    let source = d.file("x.p4");
    let text = common::program("", "bit<8> nothing;", "hdr.h.a = 300; hdr.h.b = -1;");
    fs::write(&source, text).expect("written");
    let json = d.file("x.json");
    let told = |options: &[&str]| {
        let args = [options, &["-o", &json, &source]].concat();
        let (status, _, err) = call(&args);
        let names = err.lines().filter_map(|l| l.split_once(" [--"));
        let names: Vec<String> = names
            .filter_map(|(_, l)| Some(l.split_once(']')?.0.to_string()))
            .collect();
        (status, names)
    };
    let is = |options: &[&str], status: i32, names: &[&str]| {
        let names = names.iter().map(|n| (*n).to_string()).collect();
        assert_eq!(told(options), (status, names), "{options:?}");
    };
    let all = ["Wwarn=overflow", "Wwarn=mismatch", "Wwarn=unused"];
    is(&[], 0, &all);
    is(&["--Wdisable=overflow"], 0, &all[1..]);
    is(&["--Wdisable=unused", "--Wdisable=overflow"], 0, &all[1..2]);
    is(&["--Wdisable", "--Wwarn=mismatch"], 0, &all[1..2]);
    is(&["--Wwarn=mismatch", "--Wdisable"], 0, &all[1..2]);
    is(&["--Wdisable=mismatch", "--Wwarn=mismatch"], 0, &all);
    is(
        &["--Winfo=overflow", "--Wdisable=unused"],
        0,
        &["Winfo=overflow", all[1]],
    );
    is(&["--Wdisable", "--Werror=unused"], 1, &["Werror=unused"]);
    is(
        &[
            "--Werror",
            "--Wdisable=unused",
            "--Wwarn=overflow",
            "--Wwarn=mismatch",
        ],
        0,
        &all[..2],
    );
    // Without a name these two are about remarks, of which there are none.
    is(&["--Wwarn", "--Winfo"], 0, &all);
    // Names of p4c's for what is not warned of here.
    is(
        &["--Wdisable=invalid-header", "--Werror=type-error"],
        0,
        &all,
    );
}

#[test]
fn names_that_mean_nothing_are_told() {
    let d = Dir::new("no-such-warning");
    let source = d.file("x.p4");
    fs::write(&source, common::program("", "", "hdr.h.a = 1;")).expect("written");
    let json = d.file("x.json");
    let (status, _, err) = call(&["--Wdisable=unsued", "-o", &json, &source]);
    let told = "mecn-p4c: warning: --Wdisable=unsued: there is no diagnostic of that name\n";
    assert_eq!((status, err.as_str()), (0, told));
    for (option, told) in [
        (
            "--Wwarn=type-error",
            "--Wwarn: error type-error cannot be demoted",
        ),
        (
            "--Wdisable=unused,overflow",
            "one diagnostic for each option",
        ),
    ] {
        let (status, _, err) = call(&[option, "-o", &json, &source]);
        assert_eq!(status, 1, "{option}");
        assert!(err.contains(told), "{err}");
    }
}

#[test]
fn preprocessing_and_printing() {
    let d = Dir::new("pp");
    let source = d.file("x.p4");
    fs::write(&source, "#define W 8\nconst bit<W> X = 1;\n").expect("written");
    let (status, out, _) = call(&["-E", &source]);
    assert_eq!(status, 0);
    assert!(out.contains("const bit<8> X = 1;"), "{out}");
    fs::write(&source, common::program("", "", "hdr.h.a = 1 + 2;")).expect("written");
    let (status, _, err) = call(&["--pp", &d.file("y.p4"), "-o", &d.file("x.json"), &source]);
    assert_eq!(status, 0, "{err}");
    assert!(
        fs::read_to_string(d.file("y.p4"))
            .expect("read")
            .contains("hdr.h.a = 1 + 2;")
    );
}

#[test]
fn help_and_version() {
    let (status, out, err) = call(&["--help"]);
    assert_eq!((status, err.as_str()), (0, ""));
    assert!(out.contains("--p4runtime-files"));
    let (status, out, _) = call(&["--version"]);
    assert_eq!(status, 0);
    assert!(out.starts_with("mecn-p4c "));
}

#[test]
fn warnings_do_not_fail() {
    let c = common::compile_text(&common::program("", "", "hdr.h.a = 300;")).expect("no errors");
    assert_eq!(c.warnings.len(), 1);
    assert!(
        c.warnings[0].contains(
            "test.p4:14:11: [--Wwarn=overflow] warning: 300: value does not fit in 8 bits"
        ),
        "{:?}",
        c.warnings
    );
}

#[cfg(unix)]
#[test]
fn what_never_ends_is_not_included() {
    let mut options = p4_frontend::cli::Options::new("test.p4");
    options.text = Some("#include \"/dev/zero\"\n".to_string());
    let text = p4_frontend::cli::compile(&options).expect_err("an error");
    assert!(text.contains("/dev/zero: is not a regular file"), "{text}");
    let (status, _, err) = call(&["/dev/zero"]);
    assert_eq!(status, 1);
    assert!(
        err.contains("/dev/zero: has more than 67108864 bytes"),
        "{err}"
    );
}
