// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Macro expansion. A stack of contexts (macro bodies being read) lies over the file; a macro is disabled while its
//! body is on the stack, and a name met while it is disabled is painted and never expanded again.

use std::rc::Rc;
use std::sync::Arc;

use super::{Macro, PpToken, Preprocessor};
use crate::lex::{Punct, Token, TokenKind, escape};
use crate::source::{FileId, SourceMap, Span};

/// How deep macro calls may nest inside macro arguments.
const MAX_ARGUMENT_DEPTH: usize = 100;

/// Longest token that `#` and `##` may make, in bytes.
const MAX_TOKEN_LENGTH: usize = 1 << 16;

/// Tokens to be read before what lies below.
pub(super) struct Context {
    tokens: Vec<PpToken>,
    pos: usize,
    /// The macro to be enabled again at the end.
    disables: Option<Arc<str>>,
    /// Reading stops at its end: an argument, or a directive's line.
    barrier: bool,
}

/// What stands next.
enum Next {
    Token(PpToken),
    /// End of an argument, line or file, or a directive.
    End,
}

impl Preprocessor<'_> {
    fn enable(&mut self, name: Option<Arc<str>>) {
        if let Some(name) = name
            && let Some(n) = self.disabled.get_mut(&name)
        {
            *n = n.saturating_sub(1);
        }
    }

    /// The next token before expansion.
    fn next_raw(&mut self) -> Next {
        while let Some(top) = self.contexts.last_mut() {
            if let Some(t) = top.tokens.get(top.pos) {
                let t = t.clone();
                top.pos += 1;
                return Next::Token(t);
            }
            if top.barrier {
                return Next::End;
            }
            let done = self.contexts.pop();
            self.enable(done.and_then(|c| c.disables));
        }
        match self.cursor.tokens.get(self.cursor.pos) {
            Some(t) if t.kind != TokenKind::Eof && !(t.line_start && t.is(Punct::Hash)) => {
                let t = PpToken::from_source(t);
                self.cursor.pos += 1;
                Next::Token(t)
            }
            _ => Next::End,
        }
    }

    /// Whether the next token is `(`. Leaves contexts that are used up, as reading on would.
    fn next_is_paren(&mut self) -> bool {
        while let Some(top) = self.contexts.last() {
            if let Some(t) = top.tokens.get(top.pos) {
                return t.token.is(Punct::LParen);
            }
            if top.barrier {
                return false;
            }
            let done = self.contexts.pop();
            self.enable(done.and_then(|c| c.disables));
        }
        self.cursor
            .tokens
            .get(self.cursor.pos)
            .is_some_and(|t| t.is(Punct::LParen))
    }

    /// The next token after expansion; `None` at the end of the innermost barrier or of the file's text.
    pub(super) fn next_expanded(&mut self) -> Option<PpToken> {
        loop {
            if self.fatal {
                return None;
            }
            let Next::Token(mut t) = self.next_raw() else {
                return None;
            };
            if t.token.kind != TokenKind::Word || t.painted {
                return Some(t);
            }
            if self.contexts.is_empty() {
                self.site = t.token.span;
            }
            if let Some(built_in) = self.built_in_macro(&t) {
                return Some(built_in);
            }
            let Some(m) = self.macros.get(&t.token.text).cloned() else {
                return Some(t);
            };
            if self.disabled.get(&m.name).is_some_and(|n| *n > 0) {
                t.painted = true;
                return Some(t);
            }
            let body = if m.params.is_none() {
                self.substitute(&m, &t, &[])
            } else {
                if !self.next_is_paren() {
                    return Some(t);
                }
                let Some(args) = self.arguments(&m, &t) else {
                    continue;
                };
                self.substitute(&m, &t, &args)
            };
            if !self.spend(body.len() + 1, t.token.span) {
                return None;
            }
            *self.disabled.entry(m.name.clone()).or_insert(0) += 1;
            self.contexts.push(Context {
                tokens: body,
                pos: 0,
                disables: Some(m.name.clone()),
                barrier: false,
            });
        }
    }

    /// Expands a list of tokens on its own.
    pub(super) fn expand_list(&mut self, tokens: Vec<PpToken>) -> Vec<PpToken> {
        if self.argument_depth >= MAX_ARGUMENT_DEPTH {
            let span = tokens.first().map_or(self.site, |t| t.token.span);
            self.stop(span, "macro arguments nested too deeply");
            return Vec::new();
        }
        self.argument_depth += 1;
        let depth = self.contexts.len();
        self.contexts.push(Context {
            tokens,
            pos: 0,
            disables: None,
            barrier: true,
        });
        let mut out = Vec::new();
        while let Some(t) = self.next_expanded() {
            if !self.spend(1, t.token.span) {
                break;
            }
            out.push(t);
        }
        // After a limit was reached more than the barrier may be left.
        while self.contexts.len() > depth {
            let done = self.contexts.pop();
            self.enable(done.and_then(|c| c.disables));
        }
        self.argument_depth -= 1;
        out
    }

    fn built_in_macro(&mut self, t: &PpToken) -> Option<PpToken> {
        let (kind, text) = match &*t.token.text {
            "__LINE__" => {
                let line = self.sources.location(self.site).map_or(0, |l| l.line);
                (TokenKind::Integer, line.to_string())
            }
            "__FILE__" => {
                let file = self
                    .sources
                    .location(self.site)
                    .map_or_else(String::new, |l| l.file.to_string());
                (TokenKind::String, escape(&file))
            }
            "__COUNTER__" => {
                self.counter += 1;
                (TokenKind::Integer, (self.counter - 1).to_string())
            }
            _ => return None,
        };
        let mut out = t.clone();
        out.token.kind = kind;
        out.token.text = text.into();
        Some(out)
    }

    /// Reads `(a, b, ...)`. `None` after an error.
    fn arguments(&mut self, m: &Macro, name: &PpToken) -> Option<Vec<Vec<PpToken>>> {
        let params = m.params.as_ref().map_or(0, Vec::len);
        let mut args: Vec<Vec<PpToken>> = vec![Vec::new()];
        let mut depth = 0usize;
        let at_top = self.contexts.is_empty();
        // The opening parenthesis is known to be there.
        let _ = self.next_raw();
        loop {
            let Next::Token(t) = self.next_raw() else {
                let message = format!("unterminated argument list of macro '{}'", m.name);
                self.diagnostics.error(name.token.span, message);
                return None;
            };
            if !self.spend(1, t.token.span) {
                return None;
            }
            match t.token.kind {
                TokenKind::Punct(Punct::LParen) => depth += 1,
                TokenKind::Punct(Punct::RParen) if depth == 0 => {
                    if at_top && self.contexts.is_empty() {
                        self.site = name.token.span.to(t.token.span);
                    }
                    break;
                }
                TokenKind::Punct(Punct::RParen) => depth -= 1,
                TokenKind::Punct(Punct::Comma)
                    if depth == 0 && !(m.variadic && args.len() >= params) =>
                {
                    args.push(Vec::new());
                    continue;
                }
                _ => {}
            }
            if let Some(last) = args.last_mut() {
                last.push(t);
            }
        }
        if params == 0 && args.len() == 1 && args[0].is_empty() {
            args.clear();
        }
        if m.variadic && args.len() + 1 == params {
            args.push(Vec::new());
        }
        if args.len() != params {
            let plural = if params == 1 { "" } else { "s" };
            let message = format!(
                "macro '{}' takes {params} argument{plural}, but {} given",
                m.name,
                args.len()
            );
            let error = crate::diag::Diagnostic::error(name.token.span, message);
            self.diagnostics
                .push(error.note_at(m.span, format!("'{}' is defined here", m.name)));
            return None;
        }
        Some(args)
    }

    /// The body with arguments in place of parameters, `#` and `##` done.
    fn substitute(&mut self, m: &Macro, name: &PpToken, args: &[Vec<PpToken>]) -> Vec<PpToken> {
        let params: &[Arc<str>] = m.params.as_deref().unwrap_or(&[]);
        let param_of = |t: &Token| match t.kind {
            TokenKind::Word => params.iter().position(|p| **p == *t.text),
            _ => None,
        };
        let mut expanded: Vec<Option<Rc<Vec<PpToken>>>> = vec![None; args.len()];
        let mut out: Vec<PpToken> = Vec::new();
        let body = &m.body;
        let from_body = |t: &Token| PpToken {
            token: t.clone(),
            origin: Some(m.name.clone()),
            painted: false,
        };
        let mut i = 0;
        // `##` came just before.
        let mut paste = false;
        while let Some(t) = body.get(i) {
            if t.is(Punct::Paste) && i > 0 && i + 1 < body.len() {
                paste = true;
                i += 1;
                continue;
            }
            let pastes_next =
                body.get(i + 1).is_some_and(|n| n.is(Punct::Paste)) && i + 2 < body.len();
            let stringized = if t.is(Punct::Hash) && m.params.is_some() {
                body.get(i + 1).and_then(&param_of)
            } else {
                None
            };
            let piece = if let Some(p) = stringized {
                i += 1;
                let text = stringize(args.get(p).map_or(&[][..], Vec::as_slice));
                self.check_length(&text, name);
                let mut token = from_body(t);
                token.token.kind = TokenKind::String;
                token.token.text = text.into();
                vec![token]
            } else if let Some(p) = param_of(t) {
                let arg = args.get(p).map_or(&[][..], Vec::as_slice);
                let rest_args = m.variadic && p + 1 == params.len();
                // GNU's comma: `, ## __VA_ARGS__` loses the comma when there are no arguments.
                let after_comma =
                    paste && rest_args && out.last().is_some_and(|l| l.token.is(Punct::Comma));
                if after_comma && arg.is_empty() {
                    out.pop();
                    out.push(placemarker(from_body(t)));
                }
                paste = paste && !after_comma;
                let mut piece = if (paste || pastes_next) && arg.is_empty() {
                    vec![placemarker(from_body(t))]
                } else if paste || pastes_next {
                    arg.to_vec()
                } else if let Some(done) = expanded.get(p).and_then(Clone::clone) {
                    done.to_vec()
                } else {
                    let done = Rc::new(self.expand_list(arg.to_vec()));
                    if let Some(slot) = expanded.get_mut(p) {
                        *slot = Some(done.clone());
                    }
                    done.to_vec()
                };
                if let Some(first) = piece.first_mut() {
                    first.token.space_before = t.space_before;
                }
                if let Some(last) = piece.last_mut() {
                    last.token.joint = t.joint;
                }
                piece
            } else {
                vec![from_body(t)]
            };
            if !self.spend(piece.len(), name.token.span) {
                return Vec::new();
            }
            let mut piece = piece.into_iter();
            if std::mem::take(&mut paste)
                && let Some(right) = piece.next()
            {
                self.paste(&mut out, right, m, name);
            }
            out.extend(piece);
            i += 1;
        }
        out.retain(|t| !is_placemarker(t));
        if let Some(first) = out.first_mut() {
            first.token.space_before = name.token.space_before;
            first.token.line_start = name.token.line_start;
        }
        for t in out.iter_mut().skip(1) {
            t.token.line_start = false;
        }
        // `>` at the end of a body and `>` after the macro are two tokens, not `>>`.
        if let Some(last) = out.last_mut() {
            last.token.joint = false;
        }
        out
    }

    fn check_length(&mut self, text: &str, name: &PpToken) {
        if text.len() > MAX_TOKEN_LENGTH {
            self.stop(
                name.token.span,
                format!("macro '{}' makes a token that is too long", name.token.text),
            );
        }
    }

    fn paste(&mut self, out: &mut Vec<PpToken>, right: PpToken, m: &Macro, name: &PpToken) {
        let Some(mut left) = out.pop() else {
            out.push(right);
            return;
        };
        if is_placemarker(&left) {
            out.push(right);
            return;
        }
        if is_placemarker(&right) {
            out.push(left);
            return;
        }
        let text = format!("{}{}", left.token.text, right.token.text);
        self.check_length(&text, name);
        let kind = single_token(&text);
        let Some(kind) = kind else {
            // p4c has its preprocessor read P4 as assembly, where this leaves both tokens as they are; but `>>`, one
            // token there, is two here.
            left.token.joint = text.starts_with(">>");
            out.push(left);
            out.push(right);
            return;
        };
        let span = if left.token.span.hi <= right.token.span.lo {
            left.token.span
        } else {
            right.token.span
        };
        out.push(PpToken {
            token: Token {
                kind,
                text: text.into(),
                span,
                space_before: left.token.space_before,
                line_start: left.token.line_start,
                joint: right.token.joint,
            },
            origin: Some(m.name.clone()),
            painted: false,
        });
    }
}

/// Stands for an empty argument beside `##`.
fn placemarker(mut t: PpToken) -> PpToken {
    t.token.kind = TokenKind::Stray;
    t.token.text = "".into();
    t
}

fn is_placemarker(t: &PpToken) -> bool {
    t.token.kind == TokenKind::Stray && t.token.text.is_empty()
}

/// The kind of the one token that `text` is, if it is one.
fn single_token(text: &str) -> Option<TokenKind> {
    let mut scratch = SourceMap::new();
    let file: FileId = scratch.add_file("", text, None).ok()?;
    let scanned = crate::lex::scan(&scratch, file);
    match scanned.tokens.as_slice() {
        [one, end]
            if end.kind == TokenKind::Eof
                && scanned.unterminated_comment.is_none()
                && !end.space_before =>
        {
            let ok = !matches!(one.kind, TokenKind::UnterminatedString | TokenKind::Stray);
            (ok && *one.text == *text).then_some(one.kind)
        }
        _ => None,
    }
}

/// `#x`: the argument's text as a string literal.
fn stringize(arg: &[PpToken]) -> String {
    let mut text = String::new();
    for (i, t) in arg.iter().enumerate() {
        if i > 0 && (t.token.space_before || t.token.line_start) {
            text.push(' ');
        }
        text.push_str(&t.token.text);
    }
    // Quotes and backslashes are escaped, so that the value is the argument as written.
    escape(&text)
}

/// Tokens of a directive's line, for expansion on their own.
pub(super) fn from_line(line: &[Token]) -> Vec<PpToken> {
    line.iter().map(PpToken::from_source).collect()
}

/// A span over a list of tokens.
pub(super) fn span_of(line: &[Token], fallback: Span) -> Span {
    match (line.first(), line.last()) {
        (Some(a), Some(b)) => a.span.to(b.span),
        _ => fallback,
    }
}
