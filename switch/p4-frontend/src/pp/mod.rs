// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! The preprocessor (section 6.2 of the language specification asks for a subset of C's; this is nearly all of it).
//!
//! Directives: `#include`, `#define` (object-like, function-like, variadic; `#` and `##`), `#undef`, `#if`, `#ifdef`,
//! `#ifndef`, `#elif`, `#elifdef`, `#elifndef`, `#else`, `#endif`, `#error`, `#warning`, `#line`, line markers
//! (`# 12 "file"`), `#pragma` (`once` is obeyed, others ignored). Macros `__FILE__`, `__LINE__`, `__COUNTER__`.
//!
//! The result is a list of tokens whose spans lead back to the original text.

mod cond;
mod directive;
mod emit;
mod expand;
mod files;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;

pub use emit::render_preprocessed;
pub use files::BUILT_IN_DIR;

use crate::diag::{Diagnostic, Diagnostics};
use crate::lex::{Keyword, Punct, Token, TokenKind, scan};
use crate::source::{FileId, SourceMap, Span};

/// `-D` or `-U`, in the order given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MacroOption {
    /// `-D name` (value `1`), `-D name=value`; `name` may have parameters: `f(x)=x+1`.
    Define(String),
    /// `-U name`
    Undefine(String),
}

impl MacroOption {
    fn as_directive(&self) -> String {
        match self {
            MacroOption::Undefine(name) => format!("#undef {name}\n"),
            MacroOption::Define(text) => match text.split_once('=') {
                Some((name, value)) => format!("#define {name} {value}\n"),
                None => format!("#define {text} 1\n"),
            },
        }
    }
}

/// What the preprocessor is told from outside.
#[derive(Clone, Debug)]
pub struct Options {
    /// `-I`, searched in order, after the including file's directory for `"..."`, before the built-in files.
    pub include_dirs: Vec<PathBuf>,
    /// `-D` and `-U`.
    pub macros: Vec<MacroOption>,
    /// Files that need not exist on disk; looked up by their full path before the file system is.
    pub files: BTreeMap<PathBuf, String>,
    /// Whether the file system may be read at all.
    pub use_file_system: bool,
    /// How deep `#include` may nest.
    pub max_include_depth: usize,
    /// How many tokens may be read and made in all: ends endless inclusion and exploding macros.
    pub max_tokens: usize,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            include_dirs: Vec::new(),
            macros: Vec::new(),
            files: BTreeMap::new(),
            use_file_system: true,
            max_include_depth: 200,
            max_tokens: crate::budget::TOKENS,
        }
    }
}

/// A preprocessed program.
#[derive(Clone, Debug, Default)]
pub struct TokenStream {
    /// Tokens with keywords told apart; the last is [`TokenKind::Eof`].
    pub tokens: Vec<Token>,
    /// `#pragma` lines for `-E`: the index of the token before which each stands, and its text.
    pub pragmas: Vec<(usize, String, Span)>,
}

/// Preprocesses the file at `path`. Errors go to `diagnostics`; what could be read is returned all the same.
pub fn preprocess(
    sources: &mut SourceMap,
    path: &std::path::Path,
    options: &Options,
    diagnostics: &mut Diagnostics,
) -> TokenStream {
    let mut pp = Preprocessor::new(sources, options, diagnostics);
    pp.command_line();
    match pp.load(path, false) {
        Ok(Some(text)) => pp.main_text(&path.to_string_lossy(), text),
        Ok(None) => pp
            .diagnostics
            .error_without_place(format!("{}: no such file", path.display())),
        Err(reason) => pp
            .diagnostics
            .error_without_place(format!("{}: {reason}", path.display())),
    }
    pp.finish()
}

/// Preprocesses a text that goes by the given name (and whose `#include "..."` are found beside that name).
pub fn preprocess_text(
    sources: &mut SourceMap,
    name: &str,
    text: &str,
    options: &Options,
    diagnostics: &mut Diagnostics,
) -> TokenStream {
    let mut pp = Preprocessor::new(sources, options, diagnostics);
    pp.command_line();
    pp.main_text(name, text.into());
    pp.finish()
}

/// A token inside the preprocessor.
#[derive(Clone, Debug)]
struct PpToken {
    token: Token,
    /// The macro whose body it comes from.
    origin: Option<Arc<str>>,
    /// A macro's name met inside its own expansion: never expanded again.
    painted: bool,
}

impl PpToken {
    fn from_source(token: &Token) -> PpToken {
        PpToken {
            token: token.clone(),
            origin: None,
            painted: false,
        }
    }
}

/// A macro's definition.
#[derive(Clone, Debug, PartialEq)]
struct Macro {
    name: Arc<str>,
    /// Parameter names; `None` for object-like macros.
    params: Option<Vec<Arc<str>>>,
    /// Whether the last parameter takes all remaining arguments.
    variadic: bool,
    body: Vec<Token>,
    span: Span,
}

/// Where the text of the file being read goes on.
#[derive(Clone, Debug)]
struct Cursor {
    tokens: Rc<Vec<Token>>,
    pos: usize,
    file: FileId,
}

/// A group between `#if` and `#endif`.
#[derive(Clone, Debug)]
struct Conditional {
    span: Span,
    parent_active: bool,
    active: bool,
    taken: bool,
    else_span: Option<Span>,
}

/// State of one run.
struct Preprocessor<'a> {
    sources: &'a mut SourceMap,
    options: &'a Options,
    diagnostics: &'a mut Diagnostics,
    macros: HashMap<Arc<str>, Rc<Macro>>,
    scanned: HashMap<FileId, Rc<Vec<Token>>>,
    once: HashSet<FileId>,
    conditionals: Vec<Conditional>,
    cursor: Cursor,
    contexts: Vec<expand::Context>,
    disabled: HashMap<Arc<str>, u32>,
    site: Span,
    counter: u64,
    include_depth: usize,
    argument_depth: usize,
    tokens_left: usize,
    /// No use going on: a limit was reached.
    fatal: bool,
    out: TokenStream,
}

impl<'a> Preprocessor<'a> {
    fn new(
        sources: &'a mut SourceMap,
        options: &'a Options,
        diagnostics: &'a mut Diagnostics,
    ) -> Self {
        Preprocessor {
            sources,
            options,
            diagnostics,
            macros: HashMap::new(),
            scanned: HashMap::new(),
            once: HashSet::new(),
            conditionals: Vec::new(),
            cursor: Cursor {
                tokens: Rc::new(Vec::new()),
                pos: 0,
                file: FileId(0),
            },
            contexts: Vec::new(),
            disabled: HashMap::new(),
            site: Span::NONE,
            counter: 0,
            include_depth: 0,
            argument_depth: 0,
            tokens_left: options.max_tokens,
            fatal: false,
            out: TokenStream::default(),
        }
    }

    fn command_line(&mut self) {
        if self.options.macros.is_empty() {
            return;
        }
        let text: String = self
            .options
            .macros
            .iter()
            .map(MacroOption::as_directive)
            .collect();
        self.main_text("<command line>", text.into());
    }

    fn main_text(&mut self, name: &str, text: Arc<str>) {
        match self.sources.add_file(name, text, None) {
            Ok(file) => self.file(file),
            Err(e) => self.diagnostics.error_without_place(format!("{name}: {e}")),
        }
    }

    fn finish(mut self) -> TokenStream {
        let span = self.cursor.tokens.last().map_or(Span::NONE, |t| t.span);
        self.out.tokens.push(Token {
            kind: TokenKind::Eof,
            text: "".into(),
            span,
            space_before: true,
            line_start: true,
            joint: false,
        });
        self.out
    }

    /// Reports a limit and ends the run.
    fn stop(&mut self, span: Span, message: impl Into<String>) {
        if !self.fatal {
            self.diagnostics.error(span, message);
            self.fatal = true;
        }
    }

    /// Takes `n` tokens off the budget; false when it is used up.
    fn spend(&mut self, n: usize, span: Span) -> bool {
        match self.tokens_left.checked_sub(n) {
            Some(left) => {
                self.tokens_left = left;
                !self.fatal
            }
            None => {
                let limit = self.options.max_tokens;
                self.stop(
                    span,
                    format!("program too large: more than {limit} tokens after preprocessing"),
                );
                false
            }
        }
    }

    /// Reads one file from its first to its last token.
    fn file(&mut self, file: FileId) {
        let tokens = match self.scanned.get(&file) {
            Some(t) => t.clone(),
            None => {
                let scanned = scan(self.sources, file);
                if let Some(span) = scanned.unterminated_comment {
                    self.diagnostics.error(span, "unterminated comment");
                }
                let tokens = Rc::new(scanned.tokens);
                self.scanned.insert(file, tokens.clone());
                tokens
            }
        };
        let end = tokens.last().map_or(Span::NONE, |t| t.span);
        if !self.spend(tokens.len(), Span::new(end.lo, end.lo)) {
            return;
        }
        let outer = std::mem::replace(
            &mut self.cursor,
            Cursor {
                tokens,
                pos: 0,
                file,
            },
        );
        let depth = self.conditionals.len();
        self.file_body();
        for c in self
            .conditionals
            .split_off(depth.min(self.conditionals.len()))
        {
            if !self.fatal {
                self.diagnostics.push(Diagnostic::error(
                    c.span,
                    "unterminated conditional: no #endif",
                ));
            }
        }
        // The main file's cursor stays, so that the end of the program has a place.
        if self.include_depth > 0 {
            self.cursor = outer;
        }
    }

    fn active(&self) -> bool {
        self.conditionals.last().is_none_or(|c| c.active)
    }

    fn file_body(&mut self) {
        while !self.fatal && !self.diagnostics.limit_reached() {
            if !self.contexts.is_empty() {
                if let Some(t) = self.next_expanded() {
                    self.output(t);
                }
                continue;
            }
            let Some(token) = self.cursor.tokens.get(self.cursor.pos).cloned() else {
                return;
            };
            if token.kind == TokenKind::Eof {
                return;
            }
            if token.line_start && token.is(Punct::Hash) {
                let line = self.directive_line();
                self.directive(&token, line);
            } else if !self.active() {
                self.cursor.pos += 1;
            } else if let Some(t) = self.next_expanded() {
                self.output(t);
            }
        }
    }

    /// The tokens after `#` up to the end of the line; the cursor moves past them.
    fn directive_line(&mut self) -> Vec<Token> {
        let start = self.cursor.pos + 1;
        let rest = self.cursor.tokens.get(start..).unwrap_or(&[]);
        let n = rest
            .iter()
            .take_while(|t| !t.line_start && t.kind != TokenKind::Eof)
            .count();
        let line = rest[..n].to_vec();
        self.cursor.pos = start + n;
        line
    }

    fn output(&mut self, t: PpToken) {
        let mut token = t.token;
        if let Some(name) = &t.origin {
            match self.sources.add_expansion(token.span, self.site, name) {
                Ok(span) => token.span = span,
                Err(e) => self.stop(self.site, e.to_string()),
            }
        }
        match token.kind {
            TokenKind::Word => {
                if let Some(k) = Keyword::from_text(&token.text) {
                    token.kind = TokenKind::Keyword(k);
                }
            }
            TokenKind::UnterminatedString => {
                self.diagnostics
                    .error(token.span, "unterminated string literal");
                // One error is enough: what follows may go on as if the quote were there.
                token.kind = TokenKind::String;
                token.text = format!("{}\"", token.text).into();
            }
            _ => {}
        }
        self.out.tokens.push(token);
    }
}

#[cfg(test)]
mod tests;
