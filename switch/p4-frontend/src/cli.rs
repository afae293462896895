// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! The compiler as a function ([`compile`]) and as a command with p4c's options ([`run`]).

mod arguments;
mod files;

use std::fmt::Write as _;
use std::io::Write;
use std::path::{Path, PathBuf};

pub use arguments::Arch;
use arguments::{Arguments, Goal, USAGE, parse_arguments};
use files::{file_stem, reason, write_all};

use crate::ast::print;
use crate::backend::{bfrt, bmv2, lower, p4info};
use crate::diag::{Diagnostic, Diagnostics, Severity};
use crate::pp::{self, MacroOption};
use crate::sema;
use crate::source::SourceMap;

/// Stack of the thread that compiles: programs may nest deeply.
const STACK: usize = 256 << 20;

/// What to compile, and how.
#[derive(Clone, Debug)]
pub struct Options {
    /// The program.
    pub path: PathBuf,
    /// Where `#include` looks, in order, before the built-in files.
    pub include_dirs: Vec<PathBuf>,
    /// Macros defined and undefined.
    pub macros: Vec<MacroOption>,
    /// The program's text, if it is not to be read from `path`.
    pub text: Option<String>,
    /// What it is written for.
    pub arch: Arch,
}

impl Options {
    /// To compile a file.
    pub fn new(path: impl Into<PathBuf>) -> Options {
        Options {
            path: path.into(),
            include_dirs: Vec::new(),
            macros: Vec::new(),
            text: None,
            arch: Arch::default(),
        }
    }
}

/// What a program compiles to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compiled {
    /// BMv2 JSON.
    pub bmv2_json: String,
    /// P4Info as protobuf text; empty for a program for Tofino.
    pub p4info_text: String,
    /// Warnings as text, one each.
    pub warnings: Vec<String>,
}

/// Compiles a program. On errors returns what to show to the user: errors and warnings with places.
///
/// What stands in the way of P4Info alone is a warning, and the P4Info empty: without a control plane the program runs.
pub fn compile(options: &Options) -> Result<Compiled, String> {
    let mut sources = SourceMap::new();
    let mut diags = Diagnostics::new();
    let result = on_large_stack(|| {
        let stream = read(
            options,
            Some(options.arch.target()),
            &mut sources,
            &mut diags,
        );
        let program = crate::parse_program(&stream, &mut diags);
        let checked = front_end(&program, &sources, &mut diags)?;
        let (p4info, problems) = match options.arch {
            Arch::V1model => control_plane(&checked),
            Arch::Tna | Arch::T2na => (None, Vec::new()),
        };
        for mut d in problems {
            d.severity = Severity::Warning;
            diags.push(d);
        }
        let json = back_end(&checked, &options.path, &sources, &mut diags)?;
        Some((json, p4info.unwrap_or_default()))
    });
    match result {
        Some(Some((bmv2_json, p4info_text))) => Ok(Compiled {
            bmv2_json,
            p4info_text,
            warnings: rendered_warnings(&diags, &sources),
        }),
        Some(None) => Err(diags.render(&sources)),
        None => Err("error: cannot start a thread to compile in\n".to_string()),
    }
}

/// Runs the compiler where deep nesting does no harm; `None` if there is no such place.
fn on_large_stack<T: Send>(f: impl FnOnce() -> T + Send) -> Option<T> {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new()
            .stack_size(STACK)
            .spawn_scoped(scope, f)
            .ok()?;
        match thread.join() {
            Ok(v) => Some(v),
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })
}

/// The tokens of a program for a target, which p4c's back ends name by a macro.
fn read(
    options: &Options,
    target: Option<&str>,
    sources: &mut SourceMap,
    diags: &mut Diagnostics,
) -> pp::TokenStream {
    let macros = target
        .map(|t| MacroOption::Define(t.to_string()))
        .into_iter()
        .chain(options.macros.iter().cloned())
        .collect();
    let pp_options = pp::Options {
        include_dirs: options.include_dirs.clone(),
        macros,
        ..pp::Options::default()
    };
    match &options.text {
        Some(text) => pp::preprocess_text(
            sources,
            &options.path.to_string_lossy(),
            text,
            &pp_options,
            diags,
        ),
        None => pp::preprocess(sources, &options.path, &pp_options, diags),
    }
}

/// The checked program; `None` after errors.
fn front_end(
    program: &crate::ast::Program,
    sources: &SourceMap,
    diags: &mut Diagnostics,
) -> Option<sema::hir::Program> {
    // After a syntax error names may be missing: what could be said of the rest would mislead.
    if diags.has_errors() {
        return None;
    }
    let checked = sema::check(program, sources, diags);
    if !diags.has_errors() {
        p4info::check_action_names(&checked, diags);
    }
    (!diags.has_errors()).then_some(checked)
}

/// P4Info of a checked program, if there can be one, and what there is to say of it.
fn control_plane(checked: &sema::hir::Program) -> (Option<String>, Vec<Diagnostic>) {
    let mut own = Diagnostics::new();
    let text = p4info::emit(checked, &mut own);
    ((!own.has_errors()).then_some(text), own.list().to_vec())
}

/// BMv2 JSON of a checked program; `None` after errors.
fn back_end(
    checked: &sema::hir::Program,
    path: &Path,
    sources: &SourceMap,
    diags: &mut Diagnostics,
) -> Option<String> {
    let mut flat = lower::lower(checked, diags)?;
    let json = bmv2::emit(&mut flat, &path.to_string_lossy(), sources, diags)?;
    (!diags.has_errors()).then_some(json)
}

fn rendered_warnings(diags: &Diagnostics, sources: &SourceMap) -> Vec<String> {
    let mut out = Vec::new();
    for d in diags
        .list()
        .iter()
        .filter(|d| d.severity == Severity::Warning)
    {
        let mut one = Diagnostics::new();
        one.push(d.clone());
        out.push(one.render(sources));
    }
    out
}

/// The command. `args` begin with the program's name, as in C. Returns the exit status: 0, or 1 after errors. Each file is
/// written as a whole or not at all, as soon as its content is known: P4Info before code is generated, as with p4c.
pub fn run(args: &[String], stdout: &mut dyn Write, stderr: &mut dyn Write) -> i32 {
    match run_inner(args, stdout, stderr) {
        Ok(()) => 0,
        Err(message) => {
            // Nothing can be done about a standard error that is closed.
            let _ = stderr.write_all(message.as_bytes());
            1
        }
    }
}

/// A message of the command itself.
fn line(e: impl std::fmt::Display) -> String {
    format!("mecn-p4c: error: {e}\n")
}

fn print(out: &mut dyn Write, text: &str) -> Result<(), String> {
    out.write_all(text.as_bytes())
        .map_err(|e| line(format!("cannot write to standard output: {e}")))
}

fn run_inner(
    args: &[String],
    stdout: &mut dyn Write,
    stderr: &mut dyn Write,
) -> Result<(), String> {
    let a = parse_arguments(args.get(1..).unwrap_or(&[])).map_err(line)?;
    if a.help {
        return print(stdout, USAGE);
    }
    if a.version {
        return print(
            stdout,
            concat!("mecn-p4c ", env!("CARGO_PKG_VERSION"), "\n"),
        );
    }
    let Some(input) = &a.input else {
        return Err(line("no input file; --help lists the options"));
    };
    let path = PathBuf::from(input);
    match std::fs::metadata(&path) {
        Err(e) => return Err(line(format!("{input}: {}", reason(&e)))),
        Ok(m) if m.is_dir() => return Err(line(format!("{input}: is a directory"))),
        Ok(_) => {}
    }
    for d in &a.include_dirs {
        if !d.is_dir() {
            return Err(line(format!("-I {}: no such directory", d.display())));
        }
    }
    let destinations = Destinations::of(&a, &path)?;
    let options = Options {
        path,
        include_dirs: a.include_dirs.clone(),
        macros: a.macros.clone(),
        text: None,
        arch: a.arch,
    };
    let mut sources = SourceMap::new();
    let mut diags = a
        .max_errors
        .map_or_else(Diagnostics::new, Diagnostics::with_max_errors);
    diags.set_policy(a.policy.clone());
    let result =
        on_large_stack(|| compile_to_files(&a, &options, &destinations, &mut sources, &mut diags));
    let Some(result) = result else {
        return Err(line("cannot start a thread to compile in"));
    };
    let mut messages = String::new();
    for remark in &a.remarks {
        let _ = writeln!(messages, "mecn-p4c: warning: {remark}");
    }
    messages.push_str(&diags.render(&sources));
    let preprocessed = match result {
        Ok(Some(text)) => text,
        Ok(None) => {
            if !diags.has_errors() {
                let _ = writeln!(messages, "error: compilation failed");
            }
            return Err(messages);
        }
        Err(e) => {
            messages.push_str(&line(e));
            return Err(messages);
        }
    };
    // Warnings do not fail.
    let _ = stderr.write_all(messages.as_bytes());
    print(stdout, &preprocessed)
}

/// The generation of Tofino that an architecture is of.
fn generation(arch: Arch) -> Option<bfrt::Generation> {
    match arch {
        Arch::V1model => None,
        Arch::Tna => Some(bfrt::Generation::One),
        Arch::T2na => Some(bfrt::Generation::Two),
    }
}

/// Where things go, known before the work is done.
struct Destinations {
    json: PathBuf,
    p4info: Vec<PathBuf>,
    bf_rt: Vec<PathBuf>,
    program: Vec<PathBuf>,
}

impl Destinations {
    fn of(a: &Arguments, path: &Path) -> Result<Destinations, String> {
        let no_code = a.output.is_some();
        if a.arch != Arch::V1model && !a.p4runtime_files.is_empty() {
            return Err(line(
                "--arch tna and t2na: P4Info of programs for Tofino is not supported yet",
            ));
        }
        if a.bf_rt_schema.is_some() && generation(a.arch).is_none() {
            return Err(line("--bf-rt-schema is for --arch tna and t2na"));
        }
        if a.goal == Goal::ControlPlane && no_code {
            return Err(line("--target p4test makes no code: -o has no use"));
        }
        let json = match &a.output {
            Some(o) if Path::new(o).is_dir() => {
                let mut name = file_stem(path).into_os_string();
                name.push(".json");
                Path::new(o).join(name)
            }
            Some(o) => PathBuf::from(o),
            None => path
                .with_extension("json")
                .file_name()
                .map(PathBuf::from)
                .unwrap_or_else(|| "out.json".into()),
        };
        let out = Destinations {
            json,
            p4info: a.p4runtime_files.iter().map(PathBuf::from).collect(),
            bf_rt: a.bf_rt_schema.iter().map(PathBuf::from).collect(),
            program: a.pretty.iter().map(PathBuf::from).collect(),
        };
        if !a.preprocess {
            let json = (a.goal == Goal::Code).then_some(&out.json);
            for f in json
                .into_iter()
                .chain(&out.p4info)
                .chain(&out.bf_rt)
                .chain(&out.program)
            {
                let parent = f
                    .parent()
                    .filter(|p| !p.as_os_str().is_empty())
                    .unwrap_or(Path::new("."));
                if !parent.is_dir() {
                    return Err(line(format!("{}: no such directory", parent.display())));
                }
                if f.is_dir() {
                    return Err(line(format!("{}: is a directory", f.display())));
                }
            }
        }
        Ok(out)
    }
}

/// Goes as far as is asked for and writes the files on the way. What is to be printed; `None` after errors in the program,
/// an error if a file cannot be written.
fn compile_to_files(
    a: &Arguments,
    options: &Options,
    to: &Destinations,
    sources: &mut SourceMap,
    diags: &mut Diagnostics,
) -> Result<Option<String>, String> {
    let write = |files: &[PathBuf], text: &str| {
        let list: Vec<(PathBuf, &str)> = files.iter().map(|f| (f.clone(), text)).collect();
        write_all(&list)
    };
    // p4c's front end alone defines none; its driver for Tofino always does.
    let named = a.goal == Goal::Code || a.arch != Arch::V1model;
    let target = named.then(|| a.arch.target());
    let stream = read(options, target, sources, diags);
    if a.preprocess {
        let text = (!diags.has_errors()).then(|| pp::render_preprocessed(sources, &stream));
        return Ok(text);
    }
    let program = crate::parse_program(&stream, diags);
    if diags.has_errors() {
        return Ok(None);
    }
    if !to.program.is_empty() {
        write(&to.program, &print::program(&program))?;
    }
    let Some(checked) = front_end(&program, sources, diags) else {
        return Ok(None);
    };
    let done = Ok(Some(String::new()));
    if let Some(generation) = generation(a.arch).filter(|_| !to.bf_rt.is_empty()) {
        let text = bfrt::emit(&checked, generation, diags);
        if diags.has_errors() {
            return Ok(None);
        }
        write(&to.bf_rt, &text)?;
    }
    if !to.p4info.is_empty() {
        let (text, problems) = control_plane(&checked);
        for d in problems {
            diags.push(d);
        }
        let Some(text) = text.filter(|_| !diags.has_errors()) else {
            return Ok(None);
        };
        write(&to.p4info, &text)?;
    }
    if a.goal == Goal::ControlPlane {
        return done;
    }
    let json = back_end(&checked, &options.path, sources, diags);
    let Some(json) = json else {
        return Ok(None);
    };
    write(std::slice::from_ref(&to.json), &json)?;
    done
}
