// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Characters to tokens.

use std::collections::HashSet;
use std::sync::Arc;

use super::{Punct, Token, TokenKind};
use crate::source::{FileId, SourceMap, Span};

/// The tokens of one text.
#[derive(Clone, Debug)]
pub struct Scanned {
    /// The tokens; the last one is [`TokenKind::Eof`].
    pub tokens: Vec<Token>,
    /// The opening of a comment that never ends.
    pub unterminated_comment: Option<Span>,
}

/// Splits a file into tokens. Words are not told from keywords yet.
pub fn scan(sources: &SourceMap, file: FileId) -> Scanned {
    let text = sources.file(file).text.clone();
    let base = sources.span(file, 0, 0).lo;
    Scanner {
        text: &text,
        pos: 0,
        base,
        tokens: Vec::new(),
        words: HashSet::new(),
        space_before: false,
        line_start: true,
        directive: false,
        comment: None,
    }
    .run()
}

struct Scanner<'a> {
    text: &'a str,
    pos: usize,
    base: u32,
    tokens: Vec<Token>,
    words: HashSet<Arc<str>>,
    space_before: bool,
    line_start: bool,
    /// The line is a preprocessor directive.
    directive: bool,
    comment: Option<Span>,
}

/// Length of a line continuation (backslash, line end) at the start of `s`.
fn continuation(s: &str) -> Option<usize> {
    if s.starts_with("\\\n") {
        Some(2)
    } else if s.starts_with("\\\r\n") {
        Some(3)
    } else {
        None
    }
}

fn is_space(c: char) -> bool {
    c.is_ascii_whitespace() || c == '\u{b}'
}

fn is_word_start(c: char) -> bool {
    c == '_' || c.is_ascii_alphabetic()
}

fn is_word(c: char) -> bool {
    c == '_' || c.is_ascii_alphanumeric()
}

impl<'a> Scanner<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.pos..]
    }

    fn span(&self, lo: usize, hi: usize) -> Span {
        Span::new(self.base + lo as u32, self.base + hi as u32)
    }

    fn run(mut self) -> Scanned {
        if self.rest().starts_with('\u{feff}') {
            self.pos += '\u{feff}'.len_utf8();
        }
        loop {
            self.skip_space();
            let start = self.pos;
            let Some(c) = self.rest().chars().next() else {
                break;
            };
            if is_word_start(c) {
                let text = self.take_word();
                self.push(TokenKind::Word, &text, start);
            } else if c.is_ascii_digit() {
                let text = self.take_word();
                self.push(TokenKind::Integer, &text, start);
            } else if c == '"' {
                let (kind, text) = self.take_string();
                self.push(kind, &text, start);
            } else if let Some(p) = Punct::longest_prefix(self.rest()) {
                self.pos += p.as_str().len();
                self.push(TokenKind::Punct(p), p.as_str(), start);
            } else {
                self.pos += c.len_utf8();
                let mut buf = [0; 4];
                self.push(TokenKind::Stray, c.encode_utf8(&mut buf), start);
            }
        }
        let end = self.pos;
        self.push(TokenKind::Eof, "", end);
        Scanned {
            tokens: self.tokens,
            unterminated_comment: self.comment,
        }
    }

    fn push(&mut self, kind: TokenKind, text: &str, start: usize) {
        let text = match self.words.get(text) {
            Some(t) => t.clone(),
            None => {
                let t: Arc<str> = text.into();
                self.words.insert(t.clone());
                t
            }
        };
        let span = self.span(start, self.pos);
        if self.line_start {
            self.directive = kind == TokenKind::Punct(Punct::Hash);
        }
        if !self.space_before
            && !self.line_start
            && let Some(last) = self.tokens.last_mut()
        {
            last.joint = last.span.hi == span.lo;
        }
        self.tokens.push(Token {
            kind,
            text,
            span,
            space_before: self.space_before,
            line_start: self.line_start,
            joint: false,
        });
        self.space_before = false;
        self.line_start = false;
    }

    /// White space, comments and line continuations.
    fn skip_space(&mut self) {
        loop {
            let rest = self.rest();
            let Some(c) = rest.chars().next() else { return };
            if c == '\n' {
                self.line_start = true;
                self.pos += 1;
            } else if is_space(c) {
                self.pos += 1;
            } else if let Some(n) = continuation(rest) {
                self.pos += n;
            } else if rest.starts_with("//") {
                self.line_comment();
            } else if let Some(comment) = rest.strip_prefix("/*") {
                match comment.find("*/") {
                    Some(i) => self.pos += i + 4,
                    None => {
                        self.comment = Some(self.span(self.pos, self.pos + 2));
                        self.pos = self.text.len();
                    }
                }
            } else {
                return;
            }
            self.space_before = true;
        }
    }

    /// To the end of the line, which a backslash before it moves to the next.
    fn line_comment(&mut self) {
        loop {
            let rest = self.rest();
            let Some(i) = rest.find('\n') else {
                self.pos = self.text.len();
                return;
            };
            let continued = rest[..i].trim_end_matches('\r').ends_with('\\');
            self.pos += i;
            if !continued {
                return;
            }
            self.pos += 1;
        }
    }

    fn take_word(&mut self) -> String {
        let mut out = String::new();
        loop {
            let rest = self.rest();
            let n = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
            out.push_str(&rest[..n]);
            self.pos += n;
            let rest = self.rest();
            match continuation(rest) {
                Some(k) if rest[k..].starts_with(is_word) => self.pos += k,
                _ => return out,
            }
        }
    }

    /// A string may go on over several lines, as with p4c, but not over a preprocessor directive, and not out of one.
    fn take_string(&mut self) -> (TokenKind, String) {
        let in_directive = self.directive && !self.line_start;
        let start = self.pos;
        match self.quoted(!in_directive) {
            (TokenKind::UnterminatedString, _) => {
                self.pos = start;
                self.quoted(false)
            }
            closed => closed,
        }
    }

    fn quoted(&mut self, lines: bool) -> (TokenKind, String) {
        let mut out = String::from("\"");
        self.pos += 1;
        // Nothing but white space since the line began.
        let mut line_start = false;
        loop {
            let rest = self.rest();
            if let Some(k) = continuation(rest) {
                self.pos += k;
                continue;
            }
            let mut chars = rest.chars();
            match chars.next() {
                Some('#') if line_start => return (TokenKind::UnterminatedString, out),
                Some('\n') if lines => {
                    out.push('\n');
                    self.pos += 1;
                    line_start = true;
                }
                None | Some('\n') => return (TokenKind::UnterminatedString, out),
                Some('"') => {
                    self.pos += 1;
                    out.push('"');
                    return (TokenKind::String, out);
                }
                Some('\\') => {
                    line_start = false;
                    out.push('\\');
                    self.pos += 1;
                    if let Some(c @ ('"' | '\\')) = chars.next() {
                        out.push(c);
                        self.pos += 1;
                    }
                }
                Some(c) => {
                    out.push(c);
                    self.pos += c.len_utf8();
                    line_start &= is_space(c);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(s: &str) -> Vec<String> {
        let mut sources = SourceMap::new();
        let file = sources.add_file("t", s, None).expect("small");
        let scanned = scan(&sources, file);
        scanned.tokens.iter().map(|t| t.text.to_string()).collect()
    }

    #[test]
    fn splits() {
        assert_eq!(
            texts("a<bit<8>>=3..0x4f;"),
            [
                "a", "<", "bit", "<", "8", ">", ">=", "3", "..", "0x4f", ";", ""
            ]
        );
        assert_eq!(texts("x/*c*/y//z\\\nstill\nw"), ["x", "y", "w", ""]);
        assert_eq!(texts("ab\\\ncd e\\\n f"), ["abcd", "e", "f", ""]);
        assert_eq!(texts("\"a\\\"b\" \"c\\\nd\""), ["\"a\\\"b\"", "\"cd\"", ""]);
        assert_eq!(texts("\"a\n b\" c"), ["\"a\n b\"", "c", ""]);
        assert_eq!(texts("\"a\n#if\n\""), ["\"a", "#", "if", "\"", ""]);
        assert_eq!(texts("\"a\n\\\n#\n\""), ["\"a", "#", "\"", ""]);
        assert_eq!(
            texts("/**/ #define A \\\n\"a\nb\""),
            ["#", "define", "A", "\"a", "b", "\"", ""]
        );
        assert_eq!(
            texts("#error \"a\nb\""),
            ["#", "error", "\"a", "b", "\"", ""]
        );
    }

    #[test]
    fn flags_and_errors() {
        let mut sources = SourceMap::new();
        let file = sources
            .add_file("t", "a >> b > > c\n\"open\n/*", None)
            .expect("small");
        let s = scan(&sources, file);
        assert!(s.tokens[1].joint && !s.tokens[2].joint && !s.tokens[4].joint);
        assert!(s.tokens[7].line_start);
        assert_eq!(s.tokens[7].kind, TokenKind::UnterminatedString);
        assert!(s.unterminated_comment.is_some());
    }
}
