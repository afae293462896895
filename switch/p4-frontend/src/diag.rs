// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Diagnostics: errors and warnings are collected with their place in the source, then rendered as
//! `file:line:column: error: message`, the source line, and a line of carets below it. Warnings have the names that p4c
//! gives them, by which they can be silenced or made errors: `file:line:column: [--Wwarn=unused] warning: message`.

use std::collections::HashMap;
use std::fmt::Write as _;

use crate::source::{SourceMap, Span};

/// How bad it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Severity {
    /// The program is not valid; no output is written.
    Error,
    /// The program is valid, but likely not what was meant.
    Warning,
    /// A warning that was asked for as a mere remark.
    Info,
}

impl Severity {
    fn word(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Info => "info",
        }
    }

    /// The option that gives a kind of warnings this severity.
    fn option(self) -> &'static str {
        match self {
            Severity::Error => "--Werror",
            Severity::Warning => "--Wwarn",
            Severity::Info => "--Winfo",
        }
    }
}

/// What a warning is about, by the names of p4c's catalogue (`lib/error_catalog.cpp`).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Warning {
    /// A call of what is `@deprecated`.
    Deprecated,
    /// Entries whose order is not that of their priorities.
    EntriesOutOfPriorityOrder,
    /// An annotation without effect.
    Ignore,
    /// A table property without effect.
    IgnoreProperty,
    /// A construct that means nothing.
    Invalid,
    /// A field of a header that may not be valid.
    InvalidHeader,
    /// A negative value of an unsigned type; a name that had to be made up.
    Mismatch,
    /// Arguments of which one is written and another read.
    Ordering,
    /// A value that does not fit in its type.
    Overflow,
    /// States and cases that are not reached, and transitions that are not written.
    ParserTransition,
    /// What the preprocessor has to say. p4c leaves that to `cpp`, and has no name for it.
    Preprocessor,
    /// A name that hides one of an outer block.
    Shadow,
    /// An element of a stack that has no value yet.
    Uninitialized,
    /// An `out` parameter without a value.
    UninitializedOutParam,
    /// A variable without a value.
    UninitializedUse,
    /// A key of an annotation that is not known.
    Unknown,
    /// What the target does not do.
    Unsupported,
    /// What is declared, but not used.
    Unused,
}

/// Names of p4c's catalogue for warnings that are not given here.
const OTHER_WARNINGS: &[&str] = &[
    "duplicate-priorities",
    "failed",
    "inferred",
    "legacy",
    "missing",
    "multi-header-extract",
    "progress",
    "type-inference",
    "unknown_diagnostic",
];

/// Names of p4c's catalogue that are given to errors only.
const ERRORS: &[&str] = &[
    "I/O error",
    "Target model error",
    "duplicate",
    "expected",
    "expr",
    "insufficient",
    "not-found",
    "overlimit",
    "reserved",
    "target-error",
    "type-error",
    "unexpected",
];

impl Warning {
    /// All kinds.
    pub const ALL: [Warning; 18] = [
        Warning::Deprecated,
        Warning::EntriesOutOfPriorityOrder,
        Warning::Ignore,
        Warning::IgnoreProperty,
        Warning::Invalid,
        Warning::InvalidHeader,
        Warning::Mismatch,
        Warning::Ordering,
        Warning::Overflow,
        Warning::ParserTransition,
        Warning::Preprocessor,
        Warning::Shadow,
        Warning::Uninitialized,
        Warning::UninitializedOutParam,
        Warning::UninitializedUse,
        Warning::Unknown,
        Warning::Unsupported,
        Warning::Unused,
    ];

    /// The name that options use.
    pub fn name(self) -> &'static str {
        match self {
            Warning::Deprecated => "deprecated",
            Warning::EntriesOutOfPriorityOrder => "entries-out-of-priority-order",
            Warning::Ignore => "ignore",
            Warning::IgnoreProperty => "ignore-prop",
            Warning::Invalid => "invalid",
            Warning::InvalidHeader => "invalid-header",
            Warning::Mismatch => "mismatch",
            Warning::Ordering => "ordering",
            Warning::Overflow => "overflow",
            Warning::ParserTransition => "parser-transition",
            Warning::Preprocessor => "preprocessor",
            Warning::Shadow => "shadow",
            Warning::Uninitialized => "uninitialized",
            Warning::UninitializedOutParam => "uninitialized-out-param",
            Warning::UninitializedUse => "uninitialized-use",
            Warning::Unknown => "unknown",
            Warning::Unsupported => "unsupported",
            Warning::Unused => "unused",
        }
    }
}

/// What a name given to an option stands for.
pub enum Named {
    /// Warnings of this kind.
    Kind(Warning),
    /// Warnings that p4c gives, and this front end does not.
    NeverGiven,
    /// Errors, which stay errors.
    Error,
    /// Nothing that p4c knows.
    Nothing,
}

/// What p4c means by the name of a diagnostic.
pub fn named(name: &str) -> Named {
    if let Some(kind) = Warning::ALL.into_iter().find(|k| k.name() == name) {
        return Named::Kind(kind);
    }
    match name {
        n if OTHER_WARNINGS.contains(&n) => Named::NeverGiven,
        n if ERRORS.contains(&n) => Named::Error,
        _ => Named::Nothing,
    }
}

/// What becomes of warnings: nothing (`None`), or a diagnostic of a severity. A kind that was named counts before what was
/// said of all; of what was said twice, the last counts.
#[derive(Clone, Debug)]
pub struct Policy {
    all: Option<Severity>,
    kinds: HashMap<Warning, Option<Severity>>,
}

impl Default for Policy {
    fn default() -> Self {
        Policy {
            all: Some(Severity::Warning),
            kinds: HashMap::new(),
        }
    }
}

impl Policy {
    /// Sets what becomes of all warnings whose kind is not named.
    pub fn set_all(&mut self, to: Option<Severity>) {
        self.all = to;
    }

    /// Sets what becomes of warnings of a kind.
    pub fn set(&mut self, kind: Warning, to: Option<Severity>) {
        self.kinds.insert(kind, to);
    }

    /// What becomes of warnings of a kind.
    fn of(&self, kind: Warning) -> Option<Severity> {
        self.kinds.get(&kind).copied().unwrap_or(self.all)
    }
}

/// A remark that belongs to a diagnostic, such as where a name was declared before.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Note {
    /// The place it speaks of, if any.
    pub span: Option<Span>,
    /// What it says.
    pub message: String,
}

/// One error or warning.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    /// Error or warning.
    pub severity: Severity,
    /// What a warning is about, also if it was made an error; `None` for other errors.
    pub kind: Option<Warning>,
    /// The place; `None` where no source text is at fault (an unreadable file, say).
    pub span: Option<Span>,
    /// One line of plain words.
    pub message: String,
    /// Further places and remarks.
    pub notes: Vec<Note>,
}

impl Diagnostic {
    /// An error at a place.
    pub fn error(span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic {
            severity: Severity::Error,
            kind: None,
            span: Some(span),
            message: message.into(),
            notes: Vec::new(),
        }
    }

    /// A warning at a place.
    pub fn warning(kind: Warning, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic {
            severity: Severity::Warning,
            kind: Some(kind),
            span: Some(span),
            message: message.into(),
            notes: Vec::new(),
        }
    }

    /// Adds a note that points at source text.
    pub fn note_at(mut self, span: Span, message: impl Into<String>) -> Diagnostic {
        self.notes.push(Note {
            span: Some(span),
            message: message.into(),
        });
        self
    }

    /// Adds a note without a place.
    pub fn note(mut self, message: impl Into<String>) -> Diagnostic {
        self.notes.push(Note {
            span: None,
            message: message.into(),
        });
        self
    }
}

/// The sink that every phase reports to.
#[derive(Clone, Debug)]
pub struct Diagnostics {
    list: Vec<Diagnostic>,
    errors: usize,
    warnings: usize,
    max_errors: usize,
    limit_reached: bool,
    policy: Policy,
}

impl Default for Diagnostics {
    fn default() -> Self {
        Diagnostics::with_max_errors(20)
    }
}

impl Diagnostics {
    /// An empty sink that keeps at most 20 errors, as p4c does.
    pub fn new() -> Diagnostics {
        Diagnostics::default()
    }

    /// An empty sink that keeps at most `max_errors` errors (at least one).
    pub fn with_max_errors(max_errors: usize) -> Diagnostics {
        Diagnostics {
            list: Vec::new(),
            errors: 0,
            warnings: 0,
            max_errors: max_errors.max(1),
            limit_reached: false,
            policy: Policy::default(),
        }
    }

    /// Sets what becomes of warnings from now on.
    pub fn set_policy(&mut self, policy: Policy) {
        self.policy = policy;
    }

    /// Reports a diagnostic. An exact repetition is ignored; errors past the limit are counted only. Warnings are silenced
    /// or become errors as the policy says.
    pub fn push(&mut self, mut d: Diagnostic) {
        if let Some(kind) = d.kind {
            match self.policy.of(kind) {
                Some(severity) => d.severity = severity,
                None => return,
            }
        }
        if self
            .list
            .iter()
            .any(|o| o.span == d.span && o.message == d.message && o.severity == d.severity)
        {
            return;
        }
        match d.severity {
            Severity::Error => {
                self.errors += 1;
                if self.errors > self.max_errors {
                    self.limit_reached = true;
                    return;
                }
            }
            Severity::Warning | Severity::Info => {
                self.warnings += 1;
                if self.warnings > 1000 {
                    return;
                }
            }
        }
        self.list.push(d);
    }

    /// Reports an error.
    pub fn error(&mut self, span: Span, message: impl Into<String>) {
        self.push(Diagnostic::error(span, message));
    }

    /// Reports a warning.
    pub fn warning(&mut self, kind: Warning, span: Span, message: impl Into<String>) {
        self.push(Diagnostic::warning(kind, span, message));
    }

    /// Reports an error that no source text stands for, such as a file that cannot be read.
    pub fn error_without_place(&mut self, message: impl Into<String>) {
        self.push(Diagnostic {
            severity: Severity::Error,
            kind: None,
            span: None,
            message: message.into(),
            notes: Vec::new(),
        });
    }

    /// Whether any error was reported.
    pub fn has_errors(&self) -> bool {
        self.errors > 0
    }

    /// Whether so many errors were reported that going on is of no use.
    pub fn limit_reached(&self) -> bool {
        self.limit_reached
    }

    /// What was reported, in order.
    pub fn list(&self) -> &[Diagnostic] {
        &self.list
    }

    /// Everything as text for a terminal, each diagnostic ended by a line feed.
    pub fn render(&self, sources: &SourceMap) -> String {
        let mut out = String::new();
        for d in &self.list {
            render_one(&mut out, sources, d);
        }
        if self.limit_reached {
            let _ = writeln!(out, "error: too many errors ({}), stopped", self.errors);
        }
        out
    }
}

fn render_one(out: &mut String, sources: &SourceMap, d: &Diagnostic) {
    let word = d.severity.word();
    let named = d
        .kind
        .map(|k| format!("[{}={}] {word}", d.severity.option(), k.name()));
    let word = named.as_deref().unwrap_or(word);
    render_part(out, sources, d.span, word, &d.message);
    if let Some((name, spelling)) = d.span.and_then(|s| sources.macro_origin(s)) {
        render_part(
            out,
            sources,
            Some(spelling),
            "note",
            &format!("in expansion of macro '{name}'"),
        );
    }
    for n in &d.notes {
        render_part(out, sources, n.span, "note", &n.message);
    }
    let mut from = d
        .span
        .and_then(|s| sources.start(s))
        .and_then(|p| sources.file(p.file).included_from);
    let mut depth = 0;
    while let Some(span) = from {
        if let Some(loc) = sources.location(span) {
            let _ = writeln!(out, "  included from {}:{}", loc.file, loc.line);
        }
        depth += 1;
        if depth > 200 {
            break;
        }
        from = sources
            .start(span)
            .and_then(|p| sources.file(p.file).included_from);
    }
}

fn render_part(
    out: &mut String,
    sources: &SourceMap,
    span: Option<Span>,
    word: &str,
    message: &str,
) {
    let place = span.and_then(|s| {
        Some((
            sources.expansion_site(s),
            sources.location(s)?,
            sources.start(s)?,
        ))
    });
    let Some((site, location, start)) = place else {
        let _ = writeln!(out, "{word}: {message}");
        return;
    };
    let _ = writeln!(out, "{location}: {word}: {message}");
    let file = sources.file(start.file);
    let index = file.line_index(start.offset);
    let line = file.line_text(index);
    let line_start = file.line_start(index).unwrap_or(0);
    let from = (start.offset - line_start) as usize;
    // The carets stay on this line, whatever the span covers.
    let len = (site.hi.saturating_sub(site.lo)) as usize;
    let to = from.saturating_add(len).min(line.len());
    let (shown, from_column, to_column) = window(line, from, to);
    let _ = writeln!(out, "{shown}");
    let mut carets = String::new();
    for c in shown.chars().take(from_column) {
        carets.push(if c == '\t' { '\t' } else { ' ' });
    }
    carets.push('^');
    for _ in from_column + 1..to_column {
        carets.push('~');
    }
    let _ = writeln!(out, "{carets}");
}

/// Cuts very long lines to the part around the bytes `from..to`; returns the text to show and the columns (in
/// characters) in it.
fn window(line: &str, from: usize, to: usize) -> (String, usize, usize) {
    const WIDTH: usize = 240;
    let start = line.get(..from).map_or(0, |s| s.chars().count());
    let end = start + line.get(from..to).map_or(0, |s| s.chars().count());
    let clean = |c: char| {
        if c.is_control() && c != '\t' {
            '\u{fffd}'
        } else {
            c
        }
    };
    let skip = if start > WIDTH * 3 / 4 {
        start - WIDTH / 4
    } else {
        0
    };
    let shown: String = line.chars().skip(skip).take(WIDTH).map(clean).collect();
    let shown_len = shown.chars().count();
    (shown, start - skip, (end - skip).min(shown_len))
}
