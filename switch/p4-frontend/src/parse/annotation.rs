// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Annotations (section 20).

use super::{Parsed, Parser};
use crate::ast::{Annotation, AnnotationBody, AnnotationToken, AnnotationTokenKind, Expr};
use crate::diag::Diagnostic;
use crate::lex::{Keyword, Punct, Token, TokenKind};
use crate::source::Span;

impl Parser<'_> {
    pub(super) fn annotation(&mut self) -> Parsed<Annotation> {
        let start = self.expect(Punct::At)?;
        if self.token().kind == TokenKind::Word
            && &*self.token().text == "pragma"
            && !self.token().line_start
        {
            self.advance();
            return self.pragma(start);
        }
        let name = self.name()?;
        let body = if name.as_str() == "pkginfo" && !self.at(Punct::LBracket) {
            self.package_info(start)?
        } else if self.at(Punct::LParen) {
            self.advance();
            AnnotationBody::Unstructured(self.annotation_tokens()?)
        } else if self.eat(Punct::LBracket) {
            self.structured()?
        } else {
            AnnotationBody::None
        };
        let annotation = Annotation {
            name,
            body,
            span: self.since(start),
        };
        self.check_annotation(&annotation)?;
        Ok(annotation)
    }

    /// `@pkginfo(name = "x", ...)`: p4c reads what is in it, whatever the brackets.
    fn package_info(&mut self, start: Span) -> Parsed<AnnotationBody> {
        let message = "@pkginfo: expected a list of key = value";
        if !self.eat(Punct::LParen) {
            return self.fail(start, message);
        }
        let list = self.comma_list(Punct::RParen, true, Self::named_expr)?;
        if list.is_empty() {
            return self.fail(start, message);
        }
        Ok(AnnotationBody::KeyValues(list))
    }

    /// What the annotations that the language and p4c know may hold.
    fn check_annotation(&self, a: &Annotation) -> Parsed<()> {
        if let AnnotationBody::KeyValues(list) = &a.body {
            for (i, k) in list.iter().enumerate() {
                if list[..i].iter().any(|o| o.name.name == k.name.name) {
                    let message = format!("{}: Duplicates declaration", k.name);
                    return self.fail(k.name.span, message);
                }
            }
        }
        let tokens: &[AnnotationToken] = match &a.body {
            AnnotationBody::Unstructured(l) | AnnotationBody::Pragma(l) => l,
            _ => &[],
        };
        match a.name.as_str() {
            "atomic"
            | "defaultonly"
            | "disable_optimization"
            | "hidden"
            | "likely"
            | "noSideEffects"
            | "nounroll"
            | "optional"
            | "pure"
            | "tableonly"
            | "unlikely"
            | "unroll"
                if !tokens.is_empty() =>
            {
                let message = format!("@{} should not have any arguments", a.name);
                self.fail(a.span, message)
            }
            "deprecated" | "name" | "noWarn" if !a.is_one_string() => {
                let message = format!("@{} annotation's value must be a string", a.name);
                self.fail(a.span, message)
            }
            "length" | "match" if !matches!(a.body, AnnotationBody::Expressions(_)) => {
                match parse_annotation_expressions(tokens) {
                    Ok(list) if list.len() == 1 => Ok(()),
                    _ => self.fail(a.span, format!("@{}: expected one expression", a.name)),
                }
            }
            _ => Ok(()),
        }
    }

    /// A structured annotation is the only one of its name.
    pub(super) fn check_annotations(&self, list: &[Annotation]) -> Parsed<()> {
        let structured = |a: &Annotation| {
            matches!(
                a.body,
                AnnotationBody::Expressions(_) | AnnotationBody::KeyValues(_)
            )
        };
        for (i, a) in list.iter().enumerate() {
            let twice =
                |b: &&Annotation| b.name.name == a.name.name && (structured(a) || structured(b));
            if list[..i].iter().any(|b| twice(&b)) {
                let message = format!("@{}: duplicate name for structured annotation", a.name);
                return self.fail(a.span, message);
            }
        }
        Ok(())
    }

    /// `@pragma name ...` to the end of the line.
    fn pragma(&mut self, start: Span) -> Parsed<Annotation> {
        if self.token().line_start {
            return self.unexpected("identifier");
        }
        let name = self.name()?;
        let mut tokens = Vec::new();
        while !self.at_end() && !self.token().line_start {
            tokens.push(self.annotation_token());
        }
        Ok(Annotation {
            name,
            body: AnnotationBody::Pragma(tokens),
            span: self.since(start),
        })
    }

    /// Tokens up to the parenthesis that closes the one just read.
    fn annotation_tokens(&mut self) -> Parsed<Vec<AnnotationToken>> {
        let open = self.last_span();
        let mut tokens = Vec::new();
        let mut depth = 0usize;
        loop {
            match self.token().kind {
                TokenKind::Eof => return self.fail(open, "\"(\" of an annotation is never closed"),
                TokenKind::Punct(Punct::LParen) => depth += 1,
                TokenKind::Punct(Punct::RParen) if depth == 0 => {
                    self.advance();
                    return Ok(tokens);
                }
                TokenKind::Punct(Punct::RParen) => depth -= 1,
                _ => {}
            }
            tokens.push(self.annotation_token());
        }
    }

    fn annotation_token(&mut self) -> AnnotationToken {
        let t = self.advance();
        let kind = match t.kind {
            TokenKind::Word | TokenKind::Keyword(_) => AnnotationTokenKind::Word,
            TokenKind::Integer => AnnotationTokenKind::Integer,
            TokenKind::String | TokenKind::UnterminatedString => AnnotationTokenKind::String,
            TokenKind::Punct(_) | TokenKind::Stray | TokenKind::Eof => {
                AnnotationTokenKind::Punctuation
            }
        };
        // `>>` is two tokens to the parser, one here.
        if t.is(Punct::Gt) && t.joint && (self.at(Punct::Gt) || self.at(Punct::Ge)) {
            let next = self.advance();
            let text = format!("{}{}", t.text, next.text).into();
            return AnnotationToken {
                text,
                kind,
                span: t.span.to(next.span),
            };
        }
        AnnotationToken {
            text: t.text,
            kind,
            span: t.span,
        }
    }

    /// `expressionList` or `kvList` up to `]`.
    fn structured(&mut self) -> Parsed<AnnotationBody> {
        if self.is_name(0) && self.peek(1).is(Punct::Assign) {
            return Ok(AnnotationBody::KeyValues(self.comma_list(
                Punct::RBracket,
                true,
                Self::named_expr,
            )?));
        }
        Ok(AnnotationBody::Expressions(self.comma_list(
            Punct::RBracket,
            true,
            Self::expression,
        )?))
    }
}

/// Reads an annotation's tokens as expressions with commas between, as `@id(0x8000)` and the like ask for. Names in
/// them are taken for objects, not types.
pub fn parse_annotation_expressions(tokens: &[AnnotationToken]) -> Result<Vec<Expr>, Diagnostic> {
    let mut list: Vec<Token> = Vec::new();
    for t in tokens {
        let mut push = |kind, text: &str, span, joint| {
            let text = text.into();
            list.push(Token {
                kind,
                text,
                span,
                space_before: true,
                line_start: false,
                joint,
            });
        };
        match t.kind {
            AnnotationTokenKind::Word => {
                let kind = Keyword::from_text(&t.text).map_or(TokenKind::Word, TokenKind::Keyword);
                push(kind, &t.text, t.span, false);
            }
            AnnotationTokenKind::Integer => push(TokenKind::Integer, &t.text, t.span, false),
            AnnotationTokenKind::String => push(TokenKind::String, &t.text, t.span, false),
            AnnotationTokenKind::Punctuation => {
                let mut rest = &*t.text;
                while !rest.is_empty() {
                    match Punct::longest_prefix(rest) {
                        Some(p) => {
                            rest = &rest[p.as_str().len()..];
                            push(TokenKind::Punct(p), p.as_str(), t.span, !rest.is_empty());
                        }
                        None => {
                            push(TokenKind::Stray, rest, t.span, false);
                            rest = "";
                        }
                    }
                }
            }
        }
    }
    let end = list.last().map_or(Span::NONE, |t| t.span);
    list.push(Token {
        kind: TokenKind::Eof,
        text: "".into(),
        span: end,
        space_before: true,
        line_start: false,
        joint: false,
    });
    let mut parser = Parser::new(&list);
    let mut out = Vec::new();
    if parser.at_end() {
        return Ok(out);
    }
    loop {
        out.push(parser.expression().map_err(|e| *e.0)?);
        if parser.at_end() {
            return Ok(out);
        }
        parser.expect(Punct::Comma).map_err(|e| *e.0)?;
    }
}
