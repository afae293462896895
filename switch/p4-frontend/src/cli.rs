// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! The compiler as a function ([`compile`]) and as a command with p4c's options ([`run`]).

use std::fmt::Write as _;
use std::io::Write;
use std::path::{Path, PathBuf};

use crate::ast::print;
use crate::backend::{bmv2, lower, p4info};
use crate::diag::{Diagnostics, Severity};
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
}

impl Options {
    /// To compile a file.
    pub fn new(path: impl Into<PathBuf>) -> Options {
        Options {
            path: path.into(),
            include_dirs: Vec::new(),
            macros: Vec::new(),
            text: None,
        }
    }
}

/// What a program compiles to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compiled {
    /// BMv2 JSON.
    pub bmv2_json: String,
    /// P4Info as protobuf text.
    pub p4info_text: String,
    /// Warnings as text, one each.
    pub warnings: Vec<String>,
}

/// Compiles a v1model program. On errors returns what to show to the user: errors and warnings with places.
pub fn compile(options: &Options) -> Result<Compiled, String> {
    let mut sources = SourceMap::new();
    let mut diags = Diagnostics::new();
    let result = on_large_stack(|| {
        let stream = read(options, &mut sources, &mut diags);
        let program = crate::parse_program(&stream, &mut diags);
        back_end(&program, &options.path, &sources, &mut diags)
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

fn read(options: &Options, sources: &mut SourceMap, diags: &mut Diagnostics) -> pp::TokenStream {
    let pp_options = pp::Options {
        include_dirs: options.include_dirs.clone(),
        macros: options.macros.clone(),
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

/// JSON and P4Info of a parsed program; `None` after errors.
fn back_end(
    program: &crate::ast::Program,
    path: &Path,
    sources: &SourceMap,
    diags: &mut Diagnostics,
) -> Option<(String, String)> {
    // After a syntax error names may be missing: what could be said of the rest would mislead.
    if diags.has_errors() {
        return None;
    }
    let checked = sema::check(program, diags);
    if diags.has_errors() {
        return None;
    }
    let mut flat = lower::lower(&checked, diags)?;
    let info = p4info::emit(&flat, diags);
    let json = bmv2::emit(&mut flat, &path.to_string_lossy(), sources, diags)?;
    if diags.has_errors() {
        None
    } else {
        Some((json, info))
    }
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

const USAGE: &str = "\
usage: mecn-p4c [options] file.p4

Compiles a P4-16 program for v1model to BMv2 JSON and P4Info.

  -I DIR, -IDIR            search DIR for included files
  -D NAME[=VALUE]          define a macro
  -U NAME                  undefine a macro
  -o PATH                  write the JSON to PATH; to PATH/NAME.json if PATH is a directory
  --p4runtime-files LIST   write P4Info to these files (comma-separated)
  --p4runtime-format text  format of P4Info: text is the only one
  --target bmv2, -b bmv2   target: bmv2 is the only one
  --arch v1model, -a ARCH  architecture: v1model; tna or t2na, for which types are checked and no code is made
  --std p4-16, -x p4-16    language: p4-16 is the only one
  -E                       preprocess only, to standard output
  --pp FILE                write the parsed program to FILE
  --version                print the version
  -h, --help               print this help
";

/// A parsed command line.
#[derive(Default)]
struct Arguments {
    input: Option<String>,
    include_dirs: Vec<PathBuf>,
    macros: Vec<MacroOption>,
    output: Option<String>,
    p4runtime_files: Vec<String>,
    preprocess: bool,
    pretty: Option<String>,
    check_only: bool,
    help: bool,
    version: bool,
}

fn parse_arguments(args: &[String]) -> Result<Arguments, String> {
    let mut out = Arguments::default();
    let mut rest = args.iter();
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
                Ok(())
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
                out.p4runtime_files.extend(
                    list.split(',')
                        .filter(|f| !f.is_empty())
                        .map(str::to_string),
                );
            }
            "--p4runtime-format" => only(&mut rest, "P4Info format", &["text"])?,
            "--target" | "-b" => only(&mut rest, "target", &["bmv2"])?,
            "--arch" | "-a" => {
                let v = value(&mut rest)?;
                match v.as_str() {
                    "v1model" => out.check_only = false,
                    "tna" | "t2na" => {
                        out.check_only = true;
                        // As p4c's driver does: programs for both generations tell them apart by it.
                        let generation = if v == "tna" { 1 } else { 2 };
                        let name = format!("__TARGET_TOFINO__={generation}");
                        out.macros.push(MacroOption::Define(name));
                    }
                    _ => {
                        return Err(format!(
                            "architecture {v} is not supported; only v1model, tna, t2na"
                        ));
                    }
                }
            }
            "--std" | "-x" => only(&mut rest, "language", &["p4-16", "p4_16", "16"])?,
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
    Ok(out)
}

/// The command. `args` begin with the program's name, as in C. Returns the exit status: 0, or 1 after errors. Output files
/// are written only if all went well, each as a whole.
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

fn run_inner(
    args: &[String],
    stdout: &mut dyn Write,
    stderr: &mut dyn Write,
) -> Result<(), String> {
    let line = |e: String| format!("mecn-p4c: error: {e}\n");
    let a = parse_arguments(args.get(1..).unwrap_or(&[])).map_err(line)?;
    let print = |out: &mut dyn Write, text: &str| {
        out.write_all(text.as_bytes())
            .map_err(|e| line(format!("cannot write to standard output: {e}")))
    };
    if a.help {
        return print(stdout, USAGE);
    }
    if a.version {
        return print(
            stdout,
            concat!("mecn-p4c ", env!("CARGO_PKG_VERSION"), "\n"),
        );
    }
    let Some(input) = a.input else {
        return Err(line("no input file; --help lists the options".to_string()));
    };
    let path = PathBuf::from(&input);
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
    // Where it will go, before the work is done.
    let mut files: Vec<(PathBuf, Output)> = Vec::new();
    if a.check_only && (a.output.is_some() || !a.p4runtime_files.is_empty()) {
        return Err(line(
            "--arch tna and t2na check types only: no code and no P4Info can be made for them"
                .to_string(),
        ));
    }
    if a.check_only {
        files.extend(a.pretty.iter().map(|f| (PathBuf::from(f), Output::Program)));
    } else if !a.preprocess {
        let json = match &a.output {
            Some(o) if Path::new(o).is_dir() => {
                Path::new(o).join(file_stem(&path)).with_extension("json")
            }
            Some(o) => PathBuf::from(o),
            None => path
                .with_extension("json")
                .file_name()
                .map(PathBuf::from)
                .unwrap_or_else(|| "out.json".into()),
        };
        files.push((json, Output::Json));
        files.extend(
            a.p4runtime_files
                .iter()
                .map(|f| (PathBuf::from(f), Output::P4Info)),
        );
        files.extend(a.pretty.iter().map(|f| (PathBuf::from(f), Output::Program)));
        for (f, _) in &files {
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
    let options = Options {
        path: path.clone(),
        include_dirs: a.include_dirs,
        macros: a.macros,
        text: None,
    };
    let mut sources = SourceMap::new();
    let mut diags = Diagnostics::new();
    let preprocess = a.preprocess;
    let (pretty, check_only) = (a.pretty.is_some(), a.check_only);
    let result = on_large_stack(|| {
        let stream = read(&options, &mut sources, &mut diags);
        if preprocess {
            return (!diags.has_errors()).then(|| Outputs {
                preprocessed: pp::render_preprocessed(&sources, &stream),
                ..Outputs::default()
            });
        }
        let program = crate::parse_program(&stream, &mut diags);
        let text = if pretty {
            print::program(&program)
        } else {
            String::new()
        };
        if check_only {
            if !diags.has_errors() {
                sema::check(&program, &mut diags);
            }
            return (!diags.has_errors()).then(|| Outputs {
                program: text,
                ..Outputs::default()
            });
        }
        let (json, p4info) = back_end(&program, &options.path, &sources, &mut diags)?;
        Some(Outputs {
            json,
            p4info,
            program: text,
            ..Outputs::default()
        })
    });
    let Some(result) = result else {
        return Err(line("cannot start a thread to compile in".to_string()));
    };
    let mut messages = diags.render(&sources);
    let Some(outputs) = result else {
        if !diags.has_errors() {
            let _ = writeln!(messages, "error: compilation failed");
        }
        return Err(messages);
    };
    // Warnings do not fail.
    let _ = stderr.write_all(messages.as_bytes());
    if preprocess {
        return print(stdout, &outputs.preprocessed);
    }
    let writes: Vec<(PathBuf, &str)> = files
        .iter()
        .map(|(f, o)| (f.clone(), outputs.of(*o)))
        .collect();
    write_all(&writes).map_err(line)
}

#[derive(Clone, Copy)]
enum Output {
    Json,
    P4Info,
    Program,
}

#[derive(Default)]
struct Outputs {
    preprocessed: String,
    json: String,
    p4info: String,
    program: String,
}

impl Outputs {
    fn of(&self, o: Output) -> &str {
        match o {
            Output::Json => &self.json,
            Output::P4Info => &self.p4info,
            Output::Program => &self.program,
        }
    }
}

fn file_stem(path: &Path) -> PathBuf {
    path.file_stem()
        .map(PathBuf::from)
        .unwrap_or_else(|| "out".into())
}

fn reason(e: &std::io::Error) -> String {
    match e.kind() {
        std::io::ErrorKind::NotFound => "no such file".to_string(),
        std::io::ErrorKind::PermissionDenied => "permission denied".to_string(),
        _ => e.to_string(),
    }
}

/// Writes files so that none is ever half there: to temporary files beside them, then renamed.
fn write_all(files: &[(PathBuf, &str)]) -> Result<(), String> {
    let mut staged: Vec<(PathBuf, &PathBuf)> = Vec::new();
    let failed = |staged: &[(PathBuf, &PathBuf)], message: String| {
        for (t, _) in staged {
            let _ = std::fs::remove_file(t);
        }
        Err(message)
    };
    for (i, (path, text)) in files.iter().enumerate() {
        // Devices such as /dev/stdout cannot be renamed over.
        if path.exists() && !path.is_file() {
            if let Err(e) = std::fs::write(path, text) {
                return failed(&staged, format!("{}: {}", path.display(), reason(&e)));
            }
            continue;
        }
        let name = path
            .file_name()
            .map(|n| n.to_string_lossy().into_owned())
            .unwrap_or_default();
        let temporary = path.with_file_name(format!(".{name}.{}.{i}.tmp", std::process::id()));
        staged.push((temporary.clone(), path));
        if let Err(e) = std::fs::write(&temporary, text) {
            return failed(&staged, format!("{}: {}", path.display(), reason(&e)));
        }
    }
    for (temporary, path) in &staged {
        if let Err(e) = std::fs::rename(temporary, path) {
            return failed(&staged, format!("{}: {}", path.display(), reason(&e)));
        }
    }
    Ok(())
}
