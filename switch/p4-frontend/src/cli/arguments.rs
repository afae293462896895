// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! The command line.

use std::path::PathBuf;

use crate::diag::{Named, Policy, Severity, named};
use crate::pp::MacroOption;

/// What `--help` prints.
pub const USAGE: &str = "\
usage: mecn-p4c [options] file.p4

Compiles a P4-16 program for v1model or Tofino to BMv2 JSON and P4Info.

  -I DIR, -IDIR            search DIR for included files
  -D NAME[=VALUE]          define a macro
  -U NAME                  undefine a macro
  -o PATH                  write the JSON to PATH; to PATH/NAME.json if PATH is a directory
  --p4runtime-files LIST   write P4Info to these files (comma-separated), as text; it is written before code is
                           generated: a program that only the back end refuses has one
  --p4runtime-file FILE    the same for one file
  --p4runtime-format text  format of P4Info: text is the only one
  --target TARGET, -b, -t  bmv2; p4test checks a program and makes P4Info, but no code
  --arch v1model, -a ARCH  architecture: v1model; tna or t2na (Tofino 1 and 2), whose JSON only mecn-switch runs
  --bf-rt-schema FILE      with --arch tna or t2na: write what BF Runtime is told of the program (bf-rt.json)
  --std p4-16, -x p4-16    language: p4-16 is the only one
  --Wdisable[=DIAGNOSTIC]  print no warnings; or none of one kind, named as warnings show it: [--Wwarn=unused]
  --Winfo=DIAGNOSTIC       print warnings of one kind as remarks
  --Wwarn=DIAGNOSTIC       print warnings of one kind, also with --Wdisable or --Werror
  --Werror[=DIAGNOSTIC]    make errors of warnings, or of those of one kind
                           each can be given several times; what is said of one kind counts before what is said of all
  --maxErrorCount N        stop after N errors (20)
  -E                       preprocess only, to standard output
  --pp FILE                write the parsed program to FILE
  --version                print the version
  -h, --help               print this help
";

/// How far a program is compiled.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub enum Goal {
    /// To code.
    #[default]
    Code,
    /// To P4Info.
    ControlPlane,
}

/// The architecture that a program is written for.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Arch {
    /// `v1model.p4`
    #[default]
    V1model,
    /// `tna.p4`: Tofino 1.
    Tna,
    /// `t2na.p4`: Tofino 2.
    T2na,
}

impl Arch {
    /// The names of all, as `--arch` takes them.
    pub const NAMES: [&str; 3] = ["v1model", "tna", "t2na"];

    /// The architecture of a name.
    pub fn of(name: &str) -> Option<Arch> {
        match name {
            "v1model" => Some(Arch::V1model),
            "tna" => Some(Arch::Tna),
            "t2na" => Some(Arch::T2na),
            _ => None,
        }
    }

    /// The macro by which programs tell targets apart, as p4c's back ends define it (`simple_switch/main.cpp`, and
    /// p4c's driver for Tofino).
    pub fn target(self) -> &'static str {
        match self {
            Arch::V1model => "__TARGET_BMV2__",
            Arch::Tna => "__TARGET_TOFINO__=1",
            Arch::T2na => "__TARGET_TOFINO__=2",
        }
    }
}

/// A parsed command line.
#[derive(Default)]
pub struct Arguments {
    /// The program.
    pub input: Option<String>,
    /// `-I`
    pub include_dirs: Vec<PathBuf>,
    /// `-D`, `-U`
    pub macros: Vec<MacroOption>,
    /// `-o`
    pub output: Option<String>,
    /// `--p4runtime-files`
    pub p4runtime_files: Vec<String>,
    /// `-E`
    pub preprocess: bool,
    /// `--pp`
    pub pretty: Option<String>,
    /// How far to go.
    pub goal: Goal,
    /// `--arch`
    pub arch: Arch,
    /// `--bf-rt-schema`
    pub bf_rt_schema: Option<String>,
    /// `--Wdisable`, `--Winfo`, `--Wwarn`, `--Werror`
    pub policy: Policy,
    /// What is to be told of the command line.
    pub remarks: Vec<String>,
    /// `--maxErrorCount`
    pub max_errors: Option<usize>,
    /// `--help`
    pub help: bool,
    /// `--version`
    pub version: bool,
}

/// Suffixes of files that P4Info is not written to, because of the formats that p4c gives them.
const OTHER_FORMATS: [&str; 2] = [".json", ".bin"];

fn p4runtime_file(out: &mut Arguments, file: &str) -> Result<(), String> {
    if let Some(suffix) = OTHER_FORMATS.iter().find(|s| file.ends_with(**s)) {
        return Err(format!(
            "{file}: P4Info is written as text only; name it .txtpb, not {suffix}"
        ));
    }
    out.p4runtime_files.push(file.to_string());
    Ok(())
}

/// What `option` makes of the diagnostic `name`, or of all without a name, as p4c's `ParserOptions` does it.
fn diagnostic(
    out: &mut Arguments,
    option: &str,
    to: Option<Severity>,
    name: Option<&str>,
) -> Result<(), String> {
    let Some(name) = name else {
        match to {
            // Of all: for p4c these two say what becomes of remarks, and here are none to begin with.
            Some(Severity::Info | Severity::Warning) => {}
            _ => out.policy.set_all(to),
        }
        return Ok(());
    };
    match named(name) {
        Named::Kind(kind) => out.policy.set(kind, to),
        Named::NeverGiven => {}
        Named::Error if to == Some(Severity::Error) => {}
        Named::Error => return Err(format!("{option}: error {name} cannot be demoted")),
        Named::Nothing if name.contains(',') => {
            return Err(format!(
                "{option}={name}: one diagnostic for each option; give the option several times"
            ));
        }
        // Other compilers' names may stand in a Makefile.
        Named::Nothing => out.remarks.push(format!(
            "{option}={name}: there is no diagnostic of that name"
        )),
    }
    Ok(())
}

/// Reads a command line without the program's name.
pub fn parse_arguments(args: &[String]) -> Result<Arguments, String> {
    let mut out = Arguments::default();
    let mut rest = args.iter();
    let mut target_only = false;
    while let Some(arg) = rest.next() {
        let (name, joined) = match arg.split_once('=') {
            Some((n, v)) if n.starts_with("--") => (n, Some(v.to_string())),
            _ => (arg.as_str(), None),
        };
        let value = |rest: &mut std::slice::Iter<'_, String>| match &joined {
            Some(v) => Ok(v.clone()),
            None => rest
                .next()
                .cloned()
                .ok_or_else(|| format!("option {name} needs a value")),
        };
        let only = |rest: &mut std::slice::Iter<'_, String>, what: &str, known: &[&str]| {
            let v = value(rest)?;
            if known.contains(&v.as_str()) {
                Ok(v)
            } else {
                Err(format!(
                    "{what} {v} is not supported; only {}",
                    known.join(", ")
                ))
            }
        };
        match name {
            "--help" | "-h" => out.help = true,
            "--version" => out.version = true,
            "-E" => out.preprocess = true,
            "-I" => out.include_dirs.push(value(&mut rest)?.into()),
            "-D" => out.macros.push(MacroOption::Define(value(&mut rest)?)),
            "-U" => out.macros.push(MacroOption::Undefine(value(&mut rest)?)),
            "-o" => out.output = Some(value(&mut rest)?),
            "--pp" => out.pretty = Some(value(&mut rest)?),
            "--p4runtime-files" => {
                let list = value(&mut rest)?;
                for file in list.split(',').filter(|f| !f.is_empty()) {
                    p4runtime_file(&mut out, file)?;
                }
            }
            "--p4runtime-file" => {
                let file = value(&mut rest)?;
                p4runtime_file(&mut out, &file)?;
            }
            "--bf-rt-schema" => out.bf_rt_schema = Some(value(&mut rest)?),
            "--p4runtime-format" => {
                only(&mut rest, "P4Info format", &["text"])?;
            }
            "--target" | "-b" | "-t" => {
                target_only = only(&mut rest, "target", &["bmv2", "p4test"])? == "p4test";
            }
            "--arch" | "-a" => {
                let v = only(&mut rest, "architecture", &Arch::NAMES)?;
                out.arch = Arch::of(&v).unwrap_or_default();
            }
            "--std" | "-x" => {
                only(&mut rest, "language", &["p4-16", "p4_16", "16"])?;
            }
            "--Wdisable" => diagnostic(&mut out, name, None, joined.as_deref())?,
            "--Winfo" => diagnostic(&mut out, name, Some(Severity::Info), joined.as_deref())?,
            "--Wwarn" => diagnostic(&mut out, name, Some(Severity::Warning), joined.as_deref())?,
            "--Werror" => diagnostic(&mut out, name, Some(Severity::Error), joined.as_deref())?,
            "--maxErrorCount" => {
                let v = value(&mut rest)?;
                out.max_errors = Some(
                    v.parse()
                        .map_err(|_| format!("option {name}: {v} is not a number"))?,
                );
            }
            _ if arg.starts_with("-I") => out.include_dirs.push(arg[2..].into()),
            _ if arg.starts_with("-D") => {
                out.macros.push(MacroOption::Define(arg[2..].to_string()))
            }
            _ if arg.starts_with("-U") => {
                out.macros.push(MacroOption::Undefine(arg[2..].to_string()))
            }
            _ if arg.starts_with('-') && arg.len() > 1 => {
                return Err(format!("unknown option {arg}"));
            }
            _ => {
                if let Some(first) = &out.input {
                    return Err(format!("more than one input file: {first} and {arg}"));
                }
                out.input = Some(arg.clone());
            }
        }
    }
    if target_only && out.goal == Goal::Code {
        out.goal = Goal::ControlPlane;
    }
    Ok(out)
}
