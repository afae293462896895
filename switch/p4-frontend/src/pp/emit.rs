// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! `-E`: the preprocessed program as text, with line markers (`# 12 "file"`) that lead back to the original.

use std::fmt::Write as _;
use std::sync::Arc;

use super::TokenStream;
use crate::lex::{Punct, Token, TokenKind, escape};
use crate::source::{SourceMap, Span};

/// Longest gap that is filled with empty lines instead of a line marker.
const MAX_GAP: u32 = 8;

struct Writer<'a> {
    sources: &'a SourceMap,
    out: String,
    file: Option<Arc<str>>,
    line: u32,
    at_line_start: bool,
}

impl Writer<'_> {
    /// Goes to the beginning of the line on which `span` starts, if that is not the current one.
    fn go_to(&mut self, span: Span) {
        let Some(location) = self.sources.location(span) else {
            return;
        };
        let same_file = self.file.as_ref() == Some(&location.file);
        if same_file && self.line == location.line {
            return;
        }
        if !self.at_line_start {
            self.out.push('\n');
            self.line += 1;
            self.at_line_start = true;
        }
        let gap = location.line.checked_sub(self.line);
        match gap {
            Some(gap) if same_file && gap <= MAX_GAP => {
                for _ in 0..gap {
                    self.out.push('\n');
                }
            }
            _ => {
                let _ = writeln!(self.out, "# {} {}", location.line, escape(&location.file));
            }
        }
        self.file = Some(location.file);
        self.line = location.line;
    }
}

/// Whether a token written right after `before` might become one with what stands there.
fn would_merge(before: &str, token: &str) -> bool {
    let single = |c: char| matches!(c, '(' | ')' | '[' | ']' | ';' | ',');
    match (before.chars().next_back(), token.chars().next()) {
        (Some(a), Some(b)) if single(a) || single(b) => false,
        (Some(a), Some(b)) => {
            (a.is_alphanumeric() || a == '_') == (b.is_alphanumeric() || b == '_')
        }
        _ => false,
    }
}

/// Whether `token` stands right after `before` in the text, or is the second half of a `>>` that a macro made.
fn touches(before: &Token, token: &Token) -> bool {
    before.span.hi == token.span.lo || before.joint && (token.is(Punct::Gt) || token.is(Punct::Ge))
}

/// The text of a token stream. Preprocessing it again gives the same tokens, but for a `#` that a macro made, which
/// no program has.
pub fn render_preprocessed(sources: &SourceMap, stream: &TokenStream) -> String {
    let mut w = Writer {
        sources,
        out: String::new(),
        file: None,
        line: 0,
        at_line_start: true,
    };
    let mut pragmas = stream.pragmas.iter().peekable();
    let mut before: Option<&Token> = None;
    for (i, t) in stream.tokens.iter().enumerate() {
        while let Some((_, text, span)) = pragmas.next_if(|(at, _, _)| *at <= i) {
            w.go_to(*span);
            if !w.at_line_start {
                w.out.push('\n');
            }
            let _ = writeln!(w.out, "{text}");
            w.line += 1;
            w.at_line_start = true;
        }
        if t.kind == TokenKind::Eof {
            break;
        }
        if t.line_start {
            w.go_to(t.span);
            // Two lines of one macro call may land on one line.
            if !w.at_line_start && sources.macro_origin(t.span).is_none() {
                w.out.push('\n');
                w.line += 1;
                w.at_line_start = true;
            }
        }
        if w.at_line_start {
            let column = sources.location(t.span).map_or(1, |l| l.column);
            for _ in 1..column.min(80) {
                w.out.push(' ');
            }
        } else if t.space_before
            || t.line_start
            || (!before.is_some_and(|b| touches(b, t)) && would_merge(&w.out, &t.text))
        {
            w.out.push(' ');
        }
        w.out.push_str(&t.text);
        // A string may go on over several lines.
        w.line += t.text.matches('\n').count() as u32;
        w.at_line_start = false;
        before = Some(t);
    }
    if !w.at_line_start {
        w.out.push('\n');
    }
    w.out
}
