// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! The P4 front end: a function that compiles, and the command `mecn-p4c`.

use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;

use p4_frontend::cli::{self, Arch};
use p4_frontend::pp::MacroOption;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::error::{P4Error, guarded};

/// What a P4 program compiles to.
#[pyclass(frozen, get_all, module = "mecn_native")]
pub struct CompiledProgram {
    bmv2_json: String,
    p4info: String,
    warnings: Vec<String>,
}

/// Compiles a program.
#[pyfunction]
#[pyo3(signature = (path, include_dirs=Vec::new(), defines=None, *, arch="v1model"),
       text_signature = "(path, include_dirs=(), defines=None, *, arch=\"v1model\")")]
pub fn compile_p4(
    py: Python<'_>,
    path: PathBuf,
    include_dirs: Vec<PathBuf>,
    defines: Option<BTreeMap<String, String>>,
    arch: &str,
) -> PyResult<CompiledProgram> {
    let arch = Arch::of(arch).ok_or_else(|| {
        let known = Arch::NAMES.join(", ");
        PyValueError::new_err(format!("arch is one of {known}, not `{arch}`"))
    })?;
    let macros = defines
        .unwrap_or_default()
        .into_iter()
        .map(|(name, value)| MacroOption::Define(format!("{name}={value}")))
        .collect();
    let options = cli::Options {
        include_dirs,
        macros,
        arch,
        ..cli::Options::new(path)
    };
    guarded(|| match py.detach(|| cli::compile(&options)) {
        Ok(compiled) => Ok(CompiledProgram {
            bmv2_json: compiled.bmv2_json,
            p4info: compiled.p4info_text,
            warnings: compiled.warnings,
        }),
        Err(diagnostics) => Err(P4Error::new_err(diagnostics.trim_end().to_owned())),
    })
}

/// The command `mecn-p4c`, with the arguments of the process (`sys.argv`).
#[pyfunction]
pub fn p4c_main(py: Python<'_>) -> PyResult<i32> {
    let argv: Vec<String> = py.import("sys")?.getattr("argv")?.extract()?;
    guarded(|| Ok(py.detach(|| cli::run(&argv, &mut io::stdout(), &mut io::stderr()))))
}
