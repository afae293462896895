// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Directives: lines that start with `#`.

use std::rc::Rc;
use std::sync::Arc;

use super::expand::{from_line, span_of};
use super::files::Header;
use super::{Conditional, Macro, Preprocessor};
use crate::diag::{Diagnostic, Warning};
use crate::lex::{Punct, Token, TokenKind, unescape};
use crate::source::Span;

impl Preprocessor<'_> {
    /// Carries out the directive `# line`.
    pub(super) fn directive(&mut self, hash: &Token, mut line: Vec<Token>) {
        if line.is_empty() {
            return;
        }
        let rest = line.split_off(1);
        let Some(name) = line.pop() else { return };
        match &*name.text {
            "if" | "ifdef" | "ifndef" => self.open_conditional(hash, &name, &rest),
            "elif" | "elifdef" | "elifndef" => self.elif(&name, &rest),
            "else" => self.else_group(&name, &rest),
            "endif" => self.endif(&name, &rest),
            _ if !self.active() => {}
            "include" => self.include(&name, &rest),
            "define" => self.define(&name, &rest),
            "undef" => self.undef(&name, &rest),
            "error" => {
                let text = self.line_text(&rest);
                self.diagnostics.error(
                    span_of(&rest, name.span),
                    format!("#error {text}").trim_end(),
                );
            }
            "warning" => {
                let text = self.line_text(&rest);
                self.diagnostics.warning(
                    Warning::Preprocessor,
                    span_of(&rest, name.span),
                    format!("#warning {text}").trim_end(),
                );
            }
            "line" => self.line(&name, &rest),
            "pragma" => self.pragma(hash, &name, &rest),
            _ if name.kind == TokenKind::Integer => {
                let mut marker = vec![name.clone()];
                marker.extend(rest);
                self.line(&name, &marker);
            }
            other => self.diagnostics.error(
                name.span,
                format!("invalid preprocessing directive #{other}"),
            ),
        }
    }

    /// The source text of the rest of a line.
    fn line_text(&self, rest: &[Token]) -> String {
        self.sources.text(span_of(rest, Span::NONE)).to_string()
    }

    fn no_more(&mut self, directive: &Token, rest: &[Token]) {
        if let Some(t) = rest.first() {
            self.diagnostics.warning(
                Warning::Preprocessor,
                t.span,
                format!("extra tokens at end of #{} directive", directive.text),
            );
        }
    }

    /// The macro name that a directive must name.
    fn macro_name(&mut self, directive: &Token, rest: &[Token]) -> Option<Token> {
        match rest.first() {
            Some(t) if t.kind == TokenKind::Word => Some(t.clone()),
            Some(t) => {
                self.diagnostics
                    .error(t.span, "macro names must be identifiers");
                None
            }
            None => {
                self.diagnostics.error(
                    directive.span,
                    format!("no macro name given in #{} directive", directive.text),
                );
                None
            }
        }
    }

    fn is_defined(&self, name: &str) -> bool {
        self.macros.contains_key(name) || is_reserved(name)
    }

    fn test(&mut self, directive: &Token, rest: &[Token]) -> bool {
        match &*directive.text {
            "if" | "elif" => self.condition(directive, rest),
            kind => {
                let Some(name) = self.macro_name(directive, rest) else {
                    return false;
                };
                self.no_more(directive, rest.get(1..).unwrap_or(&[]));
                self.is_defined(&name.text) == (kind == "ifdef" || kind == "elifdef")
            }
        }
    }

    fn condition(&mut self, directive: &Token, rest: &[Token]) -> bool {
        if rest.is_empty() {
            self.diagnostics.error(
                directive.span,
                format!("#{} with no expression", directive.text),
            );
            return false;
        }
        // `defined` is answered before macros are expanded.
        let mut tokens = Vec::new();
        let mut i = 0;
        while let Some(t) = rest.get(i) {
            i += 1;
            if &*t.text != "defined" || t.kind != TokenKind::Word {
                tokens.push(t.clone());
                continue;
            }
            let open = rest.get(i).is_some_and(|t| t.is(Punct::LParen));
            let name = rest
                .get(i + usize::from(open))
                .filter(|t| t.kind == TokenKind::Word);
            let closed = !open || rest.get(i + 2).is_some_and(|t| t.is(Punct::RParen));
            let (Some(name), true) = (name, closed) else {
                self.diagnostics
                    .error(t.span, "operator \"defined\" requires an identifier");
                return false;
            };
            let value = if self.is_defined(&name.text) {
                "1"
            } else {
                "0"
            };
            tokens.push(Token {
                kind: TokenKind::Integer,
                text: value.into(),
                ..t.clone()
            });
            i += if open { 3 } else { 1 };
        }
        self.site = span_of(rest, directive.span);
        let expanded: Vec<Token> = self
            .expand_list(from_line(&tokens))
            .into_iter()
            .map(|t| t.token)
            .collect();
        if self.fatal {
            return false;
        }
        match super::cond::evaluate(&expanded) {
            Ok(v) => v != 0,
            Err(e) => {
                // A token from a macro's body is blamed where the macro is used.
                let line = span_of(rest, directive.span);
                let at = e
                    .span
                    .filter(|s| s.lo >= line.lo && s.hi <= line.hi)
                    .unwrap_or(line);
                self.diagnostics
                    .error(at, format!("#{}: {}", directive.text, e.message));
                false
            }
        }
    }

    fn open_conditional(&mut self, hash: &Token, directive: &Token, rest: &[Token]) {
        if self.conditionals.len() > 10_000 {
            return self.stop(hash.span, "conditionals nested too deeply");
        }
        let parent_active = self.active();
        let active = parent_active && self.test(directive, rest);
        self.conditionals.push(Conditional {
            span: hash.span.to(directive.span),
            parent_active,
            active,
            taken: active,
            else_span: None,
        });
    }

    fn elif(&mut self, directive: &Token, rest: &[Token]) {
        let Some(last) = self.conditionals.last() else {
            return self
                .diagnostics
                .error(directive.span, format!("#{} without #if", directive.text));
        };
        if let Some(at) = last.else_span {
            let error =
                Diagnostic::error(directive.span, format!("#{} after #else", directive.text));
            return self.diagnostics.push(error.note_at(at, "#else is here"));
        }
        let wanted = last.parent_active && !last.taken;
        if let Some(last) = self.conditionals.last_mut() {
            last.active = false;
        }
        let active = wanted && self.test(directive, rest);
        if let Some(last) = self.conditionals.last_mut() {
            last.active = active;
            last.taken |= active;
        }
    }

    fn else_group(&mut self, directive: &Token, rest: &[Token]) {
        let Some(last) = self.conditionals.last_mut() else {
            return self.diagnostics.error(directive.span, "#else without #if");
        };
        if let Some(at) = last.else_span {
            let error = Diagnostic::error(directive.span, "#else after #else");
            return self
                .diagnostics
                .push(error.note_at(at, "the first #else is here"));
        }
        last.else_span = Some(directive.span);
        last.active = last.parent_active && !last.taken;
        last.taken = true;
        if self.active() {
            self.no_more(directive, rest);
        }
    }

    fn endif(&mut self, directive: &Token, rest: &[Token]) {
        if self.conditionals.pop().is_none() {
            return self.diagnostics.error(directive.span, "#endif without #if");
        }
        if self.active() {
            self.no_more(directive, rest);
        }
    }

    fn header(&mut self, directive: &Token, rest: &[Token]) -> Option<Header> {
        match rest.first() {
            Some(t) if t.kind == TokenKind::String => {
                self.no_more(directive, rest.get(1..).unwrap_or(&[]));
                // No escapes in file names.
                Some(Header::Quoted(t.text.trim_matches('"').to_string()))
            }
            Some(t) if t.is(Punct::Lt) => {
                let close = rest.iter().position(|t| t.is(Punct::Gt));
                let Some(close) = close else {
                    self.diagnostics
                        .error(t.span, "missing terminating > in #include");
                    return None;
                };
                self.no_more(directive, rest.get(close + 1..).unwrap_or(&[]));
                let inner = rest.get(1..close).unwrap_or(&[]);
                let from_source = !inner.is_empty() && {
                    let text = self.sources.text(span_of(inner, Span::NONE));
                    !text.is_empty()
                };
                let name = if from_source {
                    self.sources.text(span_of(inner, Span::NONE)).to_string()
                } else {
                    String::new()
                };
                Some(Header::Angled(name))
            }
            _ => None,
        }
    }

    fn include(&mut self, directive: &Token, rest: &[Token]) {
        let header = match rest.first() {
            None => None,
            Some(t) if t.kind == TokenKind::Word => {
                self.site = span_of(rest, directive.span);
                let tokens = self.expand_list(from_line(rest));
                let line: Vec<Token> = tokens.into_iter().map(|t| t.token).collect();
                match line.first() {
                    // `<` from a macro: the name is spelled by the tokens.
                    Some(t) if t.is(Punct::Lt) => {
                        let end = line
                            .iter()
                            .position(|t| t.is(Punct::Gt))
                            .unwrap_or(line.len());
                        let name: String = line[1..end].iter().map(|t| &*t.text).collect();
                        Some(Header::Angled(name))
                    }
                    _ => self.header(directive, &line),
                }
            }
            Some(_) => self.header(directive, rest),
        };
        if self.fatal {
            return;
        }
        let span = span_of(rest, directive.span);
        let header = match header {
            Some(h) if !h.name().is_empty() => h,
            _ => {
                return self
                    .diagnostics
                    .error(span, "#include expects \"FILENAME\" or <FILENAME>");
            }
        };
        if self.include_depth >= self.options.max_include_depth {
            let limit = self.options.max_include_depth;
            return self.stop(span, format!("#include nested more than {limit} deep"));
        }
        match self.find_header(&header, directive) {
            Ok(Some(file)) => {
                if self.once.contains(&file) {
                    return;
                }
                self.include_depth += 1;
                self.file(file);
                self.include_depth -= 1;
            }
            Ok(None) => self.diagnostics.error(
                span,
                format!("{}: no such file or directory", header.name()),
            ),
            Err(reason) => self.diagnostics.error(span, reason),
        }
    }

    fn define(&mut self, directive: &Token, rest: &[Token]) {
        let Some(name) = self.macro_name(directive, rest) else {
            return;
        };
        if is_reserved(&name.text) || &*name.text == "defined" {
            return self.diagnostics.error(
                name.span,
                format!("\"{}\" cannot be used as a macro name", name.text),
            );
        }
        let mut body = rest.get(1..).unwrap_or(&[]);
        let mut params = None;
        let mut variadic = false;
        if let Some(open) = body.first()
            && open.is(Punct::LParen)
            && !open.space_before
        {
            let close = body.iter().position(|t| t.is(Punct::RParen));
            let Some(close) = close else {
                return self
                    .diagnostics
                    .error(open.span, "expected ')' in macro parameter list");
            };
            let Some(list) = self.macro_params(&body[1..close]) else {
                return;
            };
            variadic = list.1;
            params = Some(list.0);
            body = body.get(close + 1..).unwrap_or(&[]);
        }
        for end in [body.first(), body.last()].into_iter().flatten() {
            if end.is(Punct::Paste) {
                return self.diagnostics.error(
                    end.span,
                    "'##' cannot appear at either end of a macro expansion",
                );
            }
        }
        if let Some(list) = &params {
            for (i, t) in body.iter().enumerate() {
                let param = body.get(i + 1).is_some_and(|n| list.contains(&n.text));
                if t.is(Punct::Hash) && !param {
                    return self
                        .diagnostics
                        .error(t.span, "'#' is not followed by a macro parameter");
                }
            }
        }
        let mut body = body.to_vec();
        if let Some(first) = body.first_mut() {
            first.space_before = false;
        }
        let new = Macro {
            name: name.text.clone(),
            params,
            variadic,
            body,
            span: name.span,
        };
        if let Some(old) = self.macros.get(&name.text)
            && !same_definition(old, &new)
        {
            let warning = Diagnostic::warning(
                Warning::Preprocessor,
                name.span,
                format!("\"{}\" redefined", name.text),
            );
            self.diagnostics
                .push(warning.note_at(old.span, "this is the location of the previous definition"));
        }
        self.macros.insert(name.text.clone(), Rc::new(new));
    }

    fn macro_params(&mut self, list: &[Token]) -> Option<(Vec<Arc<str>>, bool)> {
        let mut params: Vec<Arc<str>> = Vec::new();
        let mut variadic = false;
        if list.is_empty() {
            return Some((params, false));
        }
        for (i, part) in list.split(|t| t.is(Punct::Comma)).enumerate() {
            let at = part.first().or_else(|| list.get(i)).or(list.first());
            let span = at.map_or(Span::NONE, |t| t.span);
            if variadic {
                self.diagnostics
                    .error(span, "'...' must be the last macro parameter");
                return None;
            }
            let name: Arc<str> = match part {
                [t] if t.kind == TokenKind::Word => t.text.clone(),
                [t] if t.is(Punct::Dots) => {
                    variadic = true;
                    "__VA_ARGS__".into()
                }
                [t, dots] if t.kind == TokenKind::Word && dots.is(Punct::Dots) => {
                    variadic = true;
                    t.text.clone()
                }
                _ => {
                    self.diagnostics
                        .error(span, "expected parameter name in macro parameter list");
                    return None;
                }
            };
            if params.contains(&name) {
                self.diagnostics
                    .error(span, format!("duplicate macro parameter \"{name}\""));
                return None;
            }
            params.push(name);
        }
        Some((params, variadic))
    }

    fn undef(&mut self, directive: &Token, rest: &[Token]) {
        let Some(name) = self.macro_name(directive, rest) else {
            return;
        };
        self.no_more(directive, rest.get(1..).unwrap_or(&[]));
        self.macros.remove(&name.text);
    }

    /// `#line 12 "file"` and `# 12 "file" flags`.
    fn line(&mut self, directive: &Token, rest: &[Token]) {
        self.site = span_of(rest, directive.span);
        let line: Vec<Token> = self
            .expand_list(from_line(rest))
            .into_iter()
            .map(|t| t.token)
            .collect();
        let number = line
            .first()
            .filter(|t| t.kind == TokenKind::Integer)
            .and_then(|t| t.text.parse::<u32>().ok());
        let name = match line.get(1) {
            None => Some(None),
            Some(t) if t.kind == TokenKind::String => {
                Some(Some(Arc::<str>::from(unescape(&t.text))))
            }
            Some(_) => None,
        };
        let (Some(number), Some(name)) = (number, name) else {
            let span = span_of(rest, directive.span);
            return self.diagnostics.error(
                span,
                "#line expects a line number and, optionally, a file name in quotes",
            );
        };
        // What follows the directive's line has the number given.
        let file = self.cursor.file;
        let here = self.sources.file(file);
        let offset = self
            .sources
            .start(span_of(rest, directive.span))
            .map_or(0, |p| p.offset);
        let next = here.line_start(here.line_index(offset) + 1);
        if let Some(next) = next {
            self.sources.override_line(file, next, number, name);
        }
    }

    fn pragma(&mut self, hash: &Token, directive: &Token, rest: &[Token]) {
        if let [t] = rest
            && &*t.text == "once"
        {
            self.once.insert(self.cursor.file);
            return;
        }
        let text = format!("#pragma {}", self.line_text(rest));
        self.out
            .pragmas
            .push((self.out.tokens.len(), text, hash.span.to(directive.span)));
    }
}

/// Names of the macros that are always defined.
fn is_reserved(name: &str) -> bool {
    matches!(name, "__LINE__" | "__FILE__" | "__COUNTER__")
}

/// Whether two definitions agree but for the amount of white space.
fn same_definition(a: &Macro, b: &Macro) -> bool {
    a.params == b.params
        && a.variadic == b.variadic
        && a.body.len() == b.body.len()
        && a.body
            .iter()
            .zip(&b.body)
            .all(|(x, y)| x.kind == y.kind && x.text == y.text && x.space_before == y.space_before)
}
