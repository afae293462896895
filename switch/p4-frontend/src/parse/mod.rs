// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Parser: tokens to syntax tree, by recursive descent; operators by precedence climbing.
//!
//! P4's grammar needs to know which names are types: `T(x)` constructs, `f(x)` calls; `(T) -x` casts, `(f) -x`
//! subtracts. As in the reference grammar, the parser keeps the declared names by scope (`scope`) for this and
//! nothing else: where only a type can stand, any name is taken and left to name resolution.
//!
//! After an error the parser skips to where the next declaration, statement, field or table property is likely to
//! start, so that several errors are found in one run.

mod annotation;
mod decl;
mod expr;
mod scope;
mod stmt;
mod table;
mod types;

pub use annotation::parse_annotation_expressions;

use crate::ast::{Annotation, Ident, Program};
use crate::diag::{Diagnostic, Diagnostics};
use crate::lex::{Keyword, Punct, Token, TokenKind};
use crate::source::Span;
use scope::Scopes;

/// Limit on the depth of an expression's tree: nesting, and the length of operator chains, which lean to the left.
pub const MAX_TREE_DEPTH: u32 = 256;

/// Limit on nesting of blocks, parentheses and types, and on chains of `else if`. With both limits, what walks the tree
/// recursively gets by with the stack that a thread has by default (2 MiB).
pub const MAX_NESTING: u32 = 120;

/// An error that unwinds to the next place of recovery.
#[derive(Clone, Debug)]
struct SyntaxError(Box<Diagnostic>);

type Parsed<T> = Result<T, SyntaxError>;

/// Parses a preprocessed program. Errors go to `diagnostics`; what could be parsed is returned.
pub fn parse_tokens(tokens: &[Token], diagnostics: &mut Diagnostics) -> Program {
    Parser::new(tokens).program(diagnostics)
}

struct Parser<'a> {
    tokens: &'a [Token],
    pos: usize,
    scopes: Scopes,
    nesting: u32,
    /// Number of `else if`s around the current statement: they make the tree deeper without nesting.
    chain: u32,
    /// Depth of the deepest expression since this was last reset.
    deepest: u32,
    /// Errors after which parsing went on, in order.
    errors: Vec<Diagnostic>,
    eof: Token,
}

impl<'a> Parser<'a> {
    fn new(tokens: &'a [Token]) -> Parser<'a> {
        let eof = match tokens.last() {
            Some(t) if t.kind == TokenKind::Eof => t.clone(),
            last => Token {
                kind: TokenKind::Eof,
                text: "".into(),
                span: last.map_or(Span::NONE, |t| Span::new(t.span.hi, t.span.hi)),
                space_before: true,
                line_start: true,
                joint: false,
            },
        };
        Parser {
            tokens,
            pos: 0,
            scopes: Scopes::new(),
            nesting: 0,
            chain: 0,
            deepest: 0,
            errors: Vec::new(),
            eof,
        }
    }

    fn program(&mut self, diagnostics: &mut Diagnostics) -> Program {
        let mut program = Program::default();
        loop {
            while self.eat(Punct::Semicolon) {}
            if self.at_end() || diagnostics.limit_reached() {
                break;
            }
            let start = self.pos;
            match self.declaration() {
                Ok(d) => program.decls.push(d),
                Err(e) => {
                    self.errors.push(*e.0);
                    self.scopes.truncate(1);
                    self.nesting = 0;
                    self.chain = 0;
                    self.skip_declaration(start);
                }
            }
            for e in self.errors.drain(..) {
                diagnostics.push(e);
            }
        }
        program
    }

    // Tokens.

    fn token_at(&self, pos: usize) -> &Token {
        self.tokens.get(pos).unwrap_or(&self.eof)
    }

    fn token(&self) -> &Token {
        self.token_at(self.pos)
    }

    fn peek(&self, n: usize) -> &Token {
        self.token_at(self.pos + n)
    }

    fn at_end(&self) -> bool {
        self.token().kind == TokenKind::Eof
    }

    fn advance(&mut self) -> Token {
        let t = self.token().clone();
        if t.kind != TokenKind::Eof {
            self.pos += 1;
        }
        t
    }

    fn at(&self, p: Punct) -> bool {
        self.token().is(p)
    }

    fn at_keyword(&self, k: Keyword) -> bool {
        self.token().kind == TokenKind::Keyword(k)
    }

    fn eat(&mut self, p: Punct) -> bool {
        let yes = self.at(p);
        if yes {
            self.pos += 1;
        }
        yes
    }

    fn eat_keyword(&mut self, k: Keyword) -> bool {
        let yes = self.at_keyword(k);
        if yes {
            self.pos += 1;
        }
        yes
    }

    /// Where the current token starts.
    fn here(&self) -> Span {
        self.token().span
    }

    /// The token before the current one.
    fn last_span(&self) -> Span {
        match self.pos.checked_sub(1) {
            Some(p) => self.token_at(p).span,
            None => self.here(),
        }
    }

    /// From `start` to the token before the current one.
    fn since(&self, start: Span) -> Span {
        start.to(self.last_span())
    }

    // Errors.

    /// `syntax error, unexpected X, expecting Y`, at the current token.
    fn unexpected<T>(&self, expecting: &str) -> Parsed<T> {
        let t = self.token();
        let mut message = format!("syntax error, unexpected {}", describe(t));
        if !expecting.is_empty() {
            message.push_str(", expecting ");
            message.push_str(expecting);
        }
        let mut d = Diagnostic::error(t.span, message);
        let missing_end = expecting == "\";\"" || expecting == "\",\"" || expecting == "\")\"";
        if missing_end && self.pos > 0 && (t.line_start || t.kind == TokenKind::Eof) {
            d = d.note_at(
                self.last_span(),
                format!("{expecting} may be missing after this"),
            );
        }
        Err(SyntaxError(Box::new(d)))
    }

    fn fail<T>(&self, span: Span, message: impl Into<String>) -> Parsed<T> {
        Err(SyntaxError(Box::new(Diagnostic::error(span, message))))
    }

    fn expect(&mut self, p: Punct) -> Parsed<Span> {
        if self.at(p) {
            return Ok(self.advance().span);
        }
        self.unexpected(&format!("\"{}\"", p.as_str()))
    }

    fn expect_keyword(&mut self, k: Keyword) -> Parsed<Span> {
        if self.at_keyword(k) {
            return Ok(self.advance().span);
        }
        self.unexpected(&format!("\"{k}\""))
    }

    /// Fails where one level more than `depth` is too many.
    fn limit(&self, depth: u32) -> Parsed<()> {
        if depth + self.chain >= MAX_NESTING {
            return self.fail(self.here(), "program nested too deeply");
        }
        Ok(())
    }

    /// Runs `f` one level deeper.
    fn nested<T>(&mut self, f: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        self.limit(self.nesting)?;
        self.nesting += 1;
        let result = f(self);
        self.nesting -= 1;
        result
    }

    /// Runs `f`; if it fails or returns `None`, goes back to where it started.
    fn attempt<T>(&mut self, f: impl FnOnce(&mut Self) -> Parsed<Option<T>>) -> Option<T> {
        let (pos, nesting) = (self.pos, self.nesting);
        match f(self) {
            Ok(Some(v)) => Some(v),
            Ok(None) | Err(_) => {
                self.pos = pos;
                self.nesting = nesting;
                None
            }
        }
    }

    // Names.

    fn is_word(&self, n: usize) -> bool {
        self.peek(n).kind == TokenKind::Word
    }

    /// Whether the token may be a `name`: any identifier, and the words that are keywords in places only.
    fn is_name(&self, n: usize) -> bool {
        match self.peek(n).kind {
            TokenKind::Word => true,
            TokenKind::Keyword(k) => k.is_contextual() || k == Keyword::List,
            _ => false,
        }
    }

    /// `name`
    fn name(&mut self) -> Parsed<Ident> {
        if self.is_name(0) {
            let t = self.advance();
            return Ok(Ident {
                name: t.text,
                span: t.span,
            });
        }
        self.unexpected("identifier")
    }

    /// Whether the token is an identifier declared as a type.
    fn is_type_name(&self, n: usize) -> bool {
        self.is_word(n) && self.scopes.is_type(&self.peek(n).text)
    }

    // Lists.

    /// Elements between commas up to `close`, which is taken too. `trailing`: whether a comma may come last.
    fn comma_list<T>(
        &mut self,
        close: Punct,
        trailing: bool,
        mut element: impl FnMut(&mut Self) -> Parsed<T>,
    ) -> Parsed<Vec<T>> {
        let mut list = Vec::new();
        if self.eat(close) {
            return Ok(list);
        }
        loop {
            list.push(element(self)?);
            if self.eat(close) {
                return Ok(list);
            }
            if !self.at(Punct::Comma) {
                return self.unexpected(&format!("\",\" or \"{}\"", close.as_str()));
            }
            self.advance();
            if trailing && self.eat(close) {
                return Ok(list);
            }
        }
    }

    // Recovery.

    /// Records an error and goes on.
    fn recover(&mut self, e: SyntaxError) {
        self.errors.push(*e.0);
    }

    /// Skips one balanced group if an opening bracket stands here, else one token.
    fn skip_one(&mut self) {
        let mut depth = 0usize;
        loop {
            let t = self.advance();
            match t.kind {
                TokenKind::Eof => return,
                TokenKind::Punct(Punct::LBrace | Punct::LParen | Punct::LBracket) => depth += 1,
                TokenKind::Punct(Punct::RBrace | Punct::RParen | Punct::RBracket) => {
                    depth = depth.saturating_sub(1)
                }
                _ => {}
            }
            if depth == 0 {
                return;
            }
        }
    }

    /// Number of braces opened and not closed from `start` to the current token.
    fn open_braces(&self, start: usize) -> usize {
        let mut depth = 0usize;
        for p in start..self.pos {
            match self.token_at(p).kind {
                TokenKind::Punct(Punct::LBrace) => depth += 1,
                TokenKind::Punct(Punct::RBrace) => depth = depth.saturating_sub(1),
                _ => {}
            }
        }
        depth
    }

    /// After an error inside braces: past the next `;` or group in braces, or in front of the closing brace. Always
    /// gets past `start` unless a closing brace or the end is there.
    fn skip_in_braces(&mut self, start: usize) {
        let mut depth = self.open_braces(start);
        while !self.at_end() {
            if self.at(Punct::RBrace) {
                // The closing brace of something that the element opened is part of it.
                if depth == 0 {
                    return;
                }
                depth -= 1;
                self.advance();
                if depth == 0 {
                    self.eat(Punct::Semicolon);
                    return;
                }
                continue;
            }
            if self.eat(Punct::Semicolon) {
                return;
            }
            let brace = self.at(Punct::LBrace);
            // An element that starts a line with a keyword of its own is likely to be sound.
            if self.pos > start && self.token().line_start && self.starts_element() {
                return;
            }
            if brace {
                self.skip_one();
                self.eat(Punct::Semicolon);
                return;
            }
            self.advance();
        }
    }

    /// Whether the token is a keyword that starts a declaration, statement or state.
    fn starts_element(&self) -> bool {
        use Keyword::*;
        match self.token().kind {
            TokenKind::Keyword(k) => matches!(
                k,
                Action
                    | Apply
                    | Const
                    | Control
                    | Enum
                    | Exit
                    | Extern
                    | For
                    | Header
                    | HeaderUnion
                    | If
                    | Package
                    | Parser
                    | Return
                    | State
                    | Struct
                    | Switch
                    | Table
                    | Transition
                    | Typedef
            ),
            TokenKind::Punct(Punct::At) => true,
            _ => false,
        }
    }

    /// After an error in a top-level declaration. Closing braces on the way belong to what is being skipped.
    fn skip_declaration(&mut self, start: usize) {
        // How deep the error lies within the declaration.
        let mut depth = self.open_braces(start);
        if self.pos == start {
            self.advance();
            if self.token_at(start).is(Punct::LBrace) {
                depth += 1;
            }
        }
        while !self.at_end() {
            if depth == 0 && self.token().line_start && self.starts_top_level() {
                return;
            }
            match self.advance().kind {
                TokenKind::Punct(Punct::LBrace) => depth += 1,
                TokenKind::Punct(Punct::RBrace) => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        return;
                    }
                }
                TokenKind::Punct(Punct::Semicolon) if depth == 0 => return,
                _ => {}
            }
        }
    }

    fn starts_top_level(&self) -> bool {
        use Keyword::*;
        match self.token().kind {
            TokenKind::Keyword(k) => matches!(
                k,
                Action
                    | Const
                    | Control
                    | Enum
                    | Extern
                    | Header
                    | HeaderUnion
                    | MatchKind
                    | Package
                    | Parser
                    | Struct
                    | Typedef
            ),
            TokenKind::Punct(Punct::At) => true,
            _ => false,
        }
    }

    /// Elements in braces until `}`, which is taken; errors in one do not end the list.
    fn braced_elements(
        &mut self,
        expecting: &str,
        mut element: impl FnMut(&mut Self) -> Parsed<()>,
    ) -> Parsed<Span> {
        loop {
            if self.at(Punct::RBrace) {
                return Ok(self.advance().span);
            }
            if self.at_end() {
                return self.unexpected(expecting);
            }
            let start = self.pos;
            let (scopes, nesting, chain) = (self.scopes.depth(), self.nesting, self.chain);
            if let Err(e) = element(self) {
                if self.at_end() {
                    return Err(e);
                }
                self.recover(e);
                self.scopes.truncate(scopes);
                self.nesting = nesting;
                self.chain = chain;
                self.skip_in_braces(start);
                if self.pos == start && !self.at(Punct::RBrace) {
                    self.advance();
                }
            }
        }
    }

    // Annotations are needed everywhere.

    fn annotations(&mut self) -> Parsed<Vec<Annotation>> {
        let mut list = Vec::new();
        while self.at(Punct::At) {
            list.push(self.annotation()?);
        }
        self.check_annotations(&list)?;
        Ok(list)
    }
}

/// A token in the words of an error message.
fn describe(t: &Token) -> String {
    match t.kind {
        TokenKind::Word => format!("identifier \"{}\"", t.text),
        TokenKind::Keyword(k) => format!("keyword \"{k}\""),
        TokenKind::Integer => format!("integer \"{}\"", t.text),
        TokenKind::String | TokenKind::UnterminatedString => "string literal".to_string(),
        TokenKind::Punct(p) => format!("\"{}\"", p.as_str()),
        TokenKind::Stray => format!("character '{}'", t.text.escape_debug()),
        TokenKind::Eof => "end of file".to_string(),
    }
}

#[cfg(test)]
mod tests;
