// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! P4-16 front end: source text to BMv2 JSON and P4Info.
//!
//! The way of a program through the crate:
//!
//! ```text
//! files -> pp (with lex) -> tokens -> parse -> ast::Program -> sema -> backend
//! ```
//!
//! Every phase reports to [`diag::Diagnostics`] and keeps positions in a [`source::SourceMap`]. No input makes it
//! panic, and all of it is bounded: include depth, macro expansion, nesting, number of errors.
//!
//! ```
//! use p4_frontend::{parse_text, pp::Options};
//!
//! let parsed = parse_text("demo.p4", "#include <core.p4>\nstruct S { bit<8> x }", &Options::default());
//! assert!(parsed.diagnostics.has_errors());
//! let text = parsed.diagnostics.render(&parsed.sources);
//! assert!(text.starts_with("demo.p4:2:21: error: syntax error, unexpected \"}\", expecting \";\""));
//! ```

// A dependency that nothing uses is an error of `make lint`.
#![cfg_attr(not(test), warn(unused_crate_dependencies))]
#![forbid(unsafe_code)]

pub mod ast;
pub mod backend;
pub mod budget;
pub mod cli;
pub mod diag;
pub mod lex;
pub mod parse;
pub mod pp;
pub mod sema;
pub mod source;

use std::path::Path;

/// A parsed program with what is needed to go on: the texts it came from and what was reported.
#[derive(Clone, Debug, Default)]
pub struct Parsed {
    /// All texts.
    pub sources: source::SourceMap,
    /// The syntax tree; incomplete if there were errors.
    pub program: ast::Program,
    /// Errors and warnings.
    pub diagnostics: diag::Diagnostics,
}

/// Preprocesses and parses the file at `path`.
pub fn parse_file(path: &Path, options: &pp::Options) -> Parsed {
    let mut parsed = Parsed::default();
    let stream = pp::preprocess(&mut parsed.sources, path, options, &mut parsed.diagnostics);
    parsed.program = parse_program(&stream, &mut parsed.diagnostics);
    parsed
}

/// Preprocesses and parses a text that goes by `name`.
pub fn parse_text(name: &str, text: &str, options: &pp::Options) -> Parsed {
    let mut parsed = Parsed::default();
    let stream = pp::preprocess_text(
        &mut parsed.sources,
        name,
        text,
        options,
        &mut parsed.diagnostics,
    );
    parsed.program = parse_program(&stream, &mut parsed.diagnostics);
    parsed
}

/// Parses a preprocessed program. Without input (after an unreadable file, say) the program is empty.
pub fn parse_program(
    stream: &pp::TokenStream,
    diagnostics: &mut diag::Diagnostics,
) -> ast::Program {
    parse::parse_tokens(&stream.tokens, diagnostics)
}
