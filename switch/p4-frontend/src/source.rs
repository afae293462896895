// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Source map: one address space of byte positions over every file that takes part in a
//! compilation, and over the tokens that macro expansion made.
//!
//! A [`Span`] is a pair of such positions. Positions of expanded tokens are *virtual*: they stand
//! for a place in a macro body (the spelling) and for the place where the macro was used (the
//! expansion). Diagnostics name the latter, and mention the former in a note.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

/// A half-open range `lo..hi` of positions in a [`SourceMap`].
///
/// `{:-?}` formats it as `_`, which the derived `Debug` of AST nodes passes on: two trees are
/// equal but for positions when their `{:-?}` renderings are.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, PartialOrd, Ord)]
pub struct Span {
    /// First byte.
    pub lo: u32,
    /// One past the last byte.
    pub hi: u32,
}

impl Span {
    /// The span of nothing: used for what no source text stands for.
    pub const NONE: Span = Span { lo: 0, hi: 0 };

    /// A span from `lo` up to but not including `hi`.
    pub fn new(lo: u32, hi: u32) -> Span {
        Span { lo, hi }
    }

    /// From the start of `self` to the end of `end`.
    pub fn to(self, end: Span) -> Span {
        if self == Span::NONE {
            end
        } else if end == Span::NONE {
            self
        } else {
            Span {
                lo: self.lo,
                hi: end.hi,
            }
        }
    }

    /// Whether no source text stands behind this span.
    pub fn is_none(self) -> bool {
        self == Span::NONE
    }
}

impl fmt::Debug for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if f.sign_minus() {
            f.write_str("_")
        } else {
            write!(f, "{}..{}", self.lo, self.hi)
        }
    }
}

/// Index of a file in a [`SourceMap`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct FileId(pub u32);

/// `#line` or a line marker: what follows `offset` counts from `line` in `name`.
#[derive(Clone, Debug)]
struct LineOverride {
    /// Offset in the file of the first byte after the directive's line.
    offset: u32,
    /// The number the line at `offset` is to have.
    line: u32,
    name: Option<Arc<str>>,
}

/// One source text.
#[derive(Clone, Debug)]
pub struct SourceFile {
    /// The name diagnostics print: as given on the command line or as found by `#include`.
    pub name: Arc<str>,
    /// The whole text.
    pub text: Arc<str>,
    /// Where it was included first; `None` for the main file and for generated text.
    pub included_from: Option<Span>,
    base: u32,
    line_starts: Vec<u32>,
    overrides: Vec<LineOverride>,
}

/// A token that macro expansion put into the program.
#[derive(Clone, Debug)]
struct Expansion {
    base: u32,
    len: u32,
    /// Where its characters come from.
    spelling: u32,
    /// The outermost macro use.
    site: Span,
    macro_name: Arc<str>,
}

/// A position as people read it. Lines and columns count from 1; columns count characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Location {
    /// File name, after `#line`.
    pub file: Arc<str>,
    /// Line number, after `#line`.
    pub line: u32,
    /// Column in characters.
    pub column: u32,
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}

/// A position inside one file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FilePos {
    /// The file.
    pub file: FileId,
    /// Byte offset in it.
    pub offset: u32,
}

/// All texts of one compilation.
#[derive(Clone, Debug)]
pub struct SourceMap {
    files: Vec<SourceFile>,
    by_name: HashMap<Arc<str>, FileId>,
    expansions: Vec<Expansion>,
    next: u32,
}

impl Default for SourceMap {
    fn default() -> Self {
        SourceMap {
            files: Vec::new(),
            by_name: HashMap::new(),
            expansions: Vec::new(),
            next: 1,
        }
    }
}

/// The address space of a [`SourceMap`] (4 GiB) is used up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooLarge;

impl fmt::Display for TooLarge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("program too large: more than 4 GiB of source text")
    }
}

impl std::error::Error for TooLarge {}

impl SourceMap {
    /// An empty map.
    pub fn new() -> SourceMap {
        SourceMap::default()
    }

    fn reserve(&mut self, len: usize) -> Result<u32, TooLarge> {
        let len = u32::try_from(len).map_err(|_| TooLarge)?;
        let base = self.next;
        // One spare position, so that the end of a text is not the start of the next.
        self.next = base
            .checked_add(len)
            .and_then(|n| n.checked_add(1))
            .ok_or(TooLarge)?;
        Ok(base)
    }

    /// Adds a text under a name.
    pub fn add_file(
        &mut self,
        name: &str,
        text: impl Into<Arc<str>>,
        included_from: Option<Span>,
    ) -> Result<FileId, TooLarge> {
        let text: Arc<str> = text.into();
        let base = self.reserve(text.len())?;
        let mut line_starts = vec![0];
        line_starts.extend(
            text.bytes()
                .enumerate()
                .filter(|(_, b)| *b == b'\n')
                .map(|(i, _)| i as u32 + 1),
        );
        let id = FileId(self.files.len() as u32);
        let name: Arc<str> = name.into();
        self.by_name.entry(name.clone()).or_insert(id);
        self.files.push(SourceFile {
            name,
            text,
            included_from,
            base,
            line_starts,
            overrides: Vec::new(),
        });
        Ok(id)
    }

    /// A file that was added under this name before.
    pub fn find(&self, name: &str) -> Option<FileId> {
        self.by_name.get(name).copied()
    }

    /// The file with this id.
    pub fn file(&self, id: FileId) -> &SourceFile {
        &self.files[id.0 as usize]
    }

    /// All files in the order they were added.
    pub fn files(&self) -> &[SourceFile] {
        &self.files
    }

    /// The span of `lo..hi` (byte offsets) in a file.
    pub fn span(&self, file: FileId, lo: u32, hi: u32) -> Span {
        let base = self.file(file).base;
        Span {
            lo: base + lo,
            hi: base + hi,
        }
    }

    /// Records that from byte `offset` of `file` on, lines count from `line` and, if given, under `name`.
    pub fn override_line(&mut self, file: FileId, offset: u32, line: u32, name: Option<Arc<str>>) {
        let list = &mut self.files[file.0 as usize].overrides;
        if list.last().is_none_or(|last| last.offset < offset) {
            list.push(LineOverride { offset, line, name });
        }
    }

    /// A virtual span of `spelling`'s length for a token that the macro `macro_name`, used at `site`, produced.
    pub fn add_expansion(
        &mut self,
        spelling: Span,
        site: Span,
        macro_name: &Arc<str>,
    ) -> Result<Span, TooLarge> {
        let len = spelling.hi.saturating_sub(spelling.lo);
        let base = self.reserve(len as usize)?;
        self.expansions.push(Expansion {
            base,
            len,
            spelling: spelling.lo,
            site,
            macro_name: macro_name.clone(),
        });
        Ok(Span {
            lo: base,
            hi: base + len,
        })
    }

    fn expansion_at(&self, pos: u32) -> Option<&Expansion> {
        let i = self.expansions.partition_point(|e| e.base <= pos);
        let e = self.expansions.get(i.checked_sub(1)?)?;
        (pos <= e.base + e.len).then_some(e)
    }

    fn file_at(&self, pos: u32) -> Option<FilePos> {
        let i = self.files.partition_point(|f| f.base <= pos);
        let f = self.files.get(i.checked_sub(1)?)?;
        let offset = pos - f.base;
        (offset as usize <= f.text.len()).then_some(FilePos {
            file: FileId(i as u32 - 1),
            offset,
        })
    }

    /// The same span with macro expansions replaced by the places where the macros were used.
    pub fn expansion_site(&self, span: Span) -> Span {
        let lo = self.expansion_at(span.lo).map_or(span.lo, |e| e.site.lo);
        let last = if span.hi > span.lo {
            span.hi - 1
        } else {
            span.hi
        };
        let hi = self.expansion_at(last).map_or(span.hi, |e| e.site.hi);
        Span { lo, hi }
    }

    /// If the span starts in an expanded token: the macro's name and where the token is spelled in its body.
    pub fn macro_origin(&self, span: Span) -> Option<(Arc<str>, Span)> {
        let e = self.expansion_at(span.lo)?;
        let lo = e.spelling + (span.lo - e.base);
        let hi = (e.spelling + e.len)
            .min(lo + span.hi.saturating_sub(span.lo))
            .max(lo);
        Some((e.macro_name.clone(), Span { lo, hi }))
    }

    /// File and offset where a span starts, expansions resolved.
    pub fn start(&self, span: Span) -> Option<FilePos> {
        if span.is_none() {
            return None;
        }
        self.file_at(self.expansion_site(span).lo)
    }

    /// Whether a span lies in a file that is built into the compiler.
    pub fn is_built_in(&self, span: Span) -> bool {
        let file = self.start(span).map(|at| self.file(at.file));
        file.is_some_and(|f| std::path::Path::new(&*f.name).starts_with(crate::pp::BUILT_IN_DIR))
    }

    /// File, line and column where a span starts, expansions and `#line` resolved.
    pub fn location(&self, span: Span) -> Option<Location> {
        let pos = self.start(span)?;
        let f = self.file(pos.file);
        let index = f.line_index(pos.offset);
        let line_start = f.line_starts[index] as usize;
        let column = f
            .text
            .get(line_start..pos.offset as usize)
            .map_or(0, |s| s.chars().count());
        let (file, line) = f.presumed(index);
        Some(Location {
            file,
            line,
            column: column as u32 + 1,
        })
    }

    /// The characters a span covers in one text; macro tokens give their spelling.
    pub fn text(&self, span: Span) -> &str {
        let (mut lo, mut hi) = (span.lo, span.hi);
        if let Some(e) = self.expansion_at(lo) {
            let d = lo - e.base;
            lo = e.spelling + d;
            hi = lo + (span.hi.saturating_sub(span.lo)).min(e.len - d);
        }
        let Some(start) = self.file_at(lo) else {
            return "";
        };
        let len = hi.saturating_sub(lo) as usize;
        let f = self.file(start.file);
        f.text
            .get(start.offset as usize..start.offset as usize + len)
            .unwrap_or("")
    }
}

impl SourceFile {
    /// Index (from 0) of the line that holds a byte offset.
    pub fn line_index(&self, offset: u32) -> usize {
        self.line_starts
            .partition_point(|s| *s <= offset)
            .saturating_sub(1)
    }

    /// Byte offset of the first character of a line, by index from 0.
    pub fn line_start(&self, index: usize) -> Option<u32> {
        self.line_starts.get(index).copied()
    }

    /// The text of a line (index from 0), without its end.
    pub fn line_text(&self, index: usize) -> &str {
        let Some(&lo) = self.line_starts.get(index) else {
            return "";
        };
        let hi = self
            .line_starts
            .get(index + 1)
            .map_or(self.text.len(), |h| *h as usize);
        self.text
            .get(lo as usize..hi)
            .unwrap_or("")
            .trim_end_matches(['\n', '\r'])
    }

    /// Name and number of a line (index from 0) after `#line`.
    pub fn presumed(&self, index: usize) -> (Arc<str>, u32) {
        let start = self.line_starts.get(index).copied().unwrap_or(0);
        let n = self.overrides.partition_point(|o| o.offset <= start);
        match n.checked_sub(1).and_then(|i| self.overrides.get(i)) {
            None => (self.name.clone(), index as u32 + 1),
            Some(o) => {
                let from = self.line_index(o.offset);
                let name = self.overrides[..n]
                    .iter()
                    .rev()
                    .find_map(|o| o.name.clone());
                let line = o.line.saturating_add((index - from) as u32);
                (name.unwrap_or_else(|| self.name.clone()), line)
            }
        }
    }
}
