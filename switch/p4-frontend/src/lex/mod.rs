// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Lexical analysis (section 6.3 of the language specification).
//!
//! One scanner serves the preprocessor and the parser: P4's tokens, and `#` and `##`. Errors inside tokens (a string
//! without end, a stray character) are reported when a token is used, so that text in a group that `#if` leaves out
//! may be anything.

mod number;
mod scan;

use std::fmt;
use std::sync::Arc;

pub use number::{NumberError, parse_integer};
pub use scan::{Scanned, scan};

use crate::source::Span;

/// A token of a program.
#[derive(Clone, Debug, PartialEq)]
pub struct Token {
    /// What it is.
    pub kind: TokenKind,
    /// As written (line continuations removed); strings with their quotes.
    pub text: Arc<str>,
    /// Where; virtual if a macro made it.
    pub span: Span,
    /// Whether white space or a comment comes before it.
    pub space_before: bool,
    /// Whether it is the first on its line.
    pub line_start: bool,
    /// Whether the next token follows without anything between: tells `>>` from `> >`.
    pub joint: bool,
}

impl Token {
    /// Whether it is this punctuation.
    pub fn is(&self, p: Punct) -> bool {
        self.kind == TokenKind::Punct(p)
    }
}

/// Sorts of tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TokenKind {
    /// An identifier, or (before preprocessing) a keyword.
    Word,
    /// A reserved or contextual word of P4.
    Keyword(Keyword),
    /// Starts with a digit; see [`parse_integer`].
    Integer,
    /// A string literal.
    String,
    /// A string without closing quote.
    UnterminatedString,
    /// Operators and punctuation.
    Punct(Punct),
    /// A character that no token starts with.
    Stray,
    /// The end.
    Eof,
}

macro_rules! keywords {
    ($($variant:ident $text:literal,)*) => {
        /// The words of the grammar.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[allow(missing_docs)]
        pub enum Keyword { $($variant,)* }

        impl Keyword {
            /// The keyword with this spelling.
            pub fn from_text(text: &str) -> Option<Keyword> {
                match text { $($text => Some(Keyword::$variant),)* _ => None }
            }

            /// As written.
            pub fn as_str(self) -> &'static str {
                match self { $(Keyword::$variant => $text,)* }
            }
        }
    };
}

keywords! {
    Abstract "abstract",
    Action "action",
    Actions "actions",
    Apply "apply",
    Bit "bit",
    Bool "bool",
    Break "break",
    Const "const",
    Continue "continue",
    Control "control",
    Default "default",
    Else "else",
    Entries "entries",
    Enum "enum",
    Error "error",
    Exit "exit",
    Extern "extern",
    False "false",
    For "for",
    Header "header",
    HeaderUnion "header_union",
    If "if",
    In "in",
    InOut "inout",
    Int "int",
    Key "key",
    List "list",
    MatchKind "match_kind",
    Out "out",
    Package "package",
    Parser "parser",
    Priority "priority",
    Return "return",
    Select "select",
    State "state",
    String "string",
    Struct "struct",
    Switch "switch",
    Table "table",
    This "this",
    Transition "transition",
    True "true",
    Tuple "tuple",
    Type "type",
    Typedef "typedef",
    ValueSet "value_set",
    Varbit "varbit",
    Void "void",
    DontCare "_",
}

impl Keyword {
    /// Whether the word may name something that is not a type (`nonTypeName`).
    pub fn is_contextual(self) -> bool {
        use Keyword::*;
        matches!(
            self,
            Apply | Key | Actions | State | Entries | Type | Priority
        )
    }
}

impl fmt::Display for Keyword {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

macro_rules! puncts {
    ($($variant:ident $text:literal,)*) => {
        /// Operators and punctuation.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[allow(missing_docs)]
        pub enum Punct { $($variant,)* }

        impl Punct {
            /// As written.
            pub fn as_str(self) -> &'static str {
                match self { $(Punct::$variant => $text,)* }
            }

            /// The longest punctuation that `text` starts with.
            pub fn longest_prefix(text: &str) -> Option<Punct> {
                [$(($text, Punct::$variant),)*].into_iter().find(|(t, _)| text.starts_with(t)).map(|(_, p)| p)
            }
        }
    };
}

// Longer ones before their prefixes. `>>` and `>>=` are left to the parser, because of nested type arguments.
puncts! {
    AddSatAssign "|+|=",
    SubSatAssign "|-|=",
    Mask "&&&",
    Dots "...",
    AddSat "|+|",
    SubSat "|-|",
    ShlAssign "<<=",
    InvalidHeader "{#}",
    Range "..",
    Shl "<<",
    Le "<=",
    Ge ">=",
    EqEq "==",
    NotEq "!=",
    AndAnd "&&",
    OrOr "||",
    Concat "++",
    AddAssign "+=",
    SubAssign "-=",
    MulAssign "*=",
    DivAssign "/=",
    ModAssign "%=",
    AndAssign "&=",
    OrAssign "|=",
    XorAssign "^=",
    PlusColon "+:",
    Paste "##",
    Hash "#",
    Plus "+",
    Minus "-",
    Star "*",
    Slash "/",
    Percent "%",
    Pipe "|",
    Amp "&",
    Caret "^",
    Tilde "~",
    LBracket "[",
    RBracket "]",
    LBrace "{",
    RBrace "}",
    LParen "(",
    RParen ")",
    Lt "<",
    Gt ">",
    Not "!",
    Colon ":",
    Comma ",",
    Question "?",
    Dot ".",
    Assign "=",
    Semicolon ";",
    At "@",
}

/// The value of a string literal given with its quotes: `\"`, `\\` and `\n` stand for one character; other
/// backslashes stand for themselves.
pub fn unescape(quoted: &str) -> String {
    let inner = quoted.strip_prefix('"').unwrap_or(quoted);
    let inner = inner.strip_suffix('"').unwrap_or(inner);
    let mut out = String::with_capacity(inner.len());
    let mut chars = inner.chars().peekable();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        match chars.peek().copied() {
            Some('n') => {
                out.push('\n');
                chars.next();
            }
            Some(c @ ('"' | '\\')) => {
                out.push(c);
                chars.next();
            }
            _ => out.push('\\'),
        }
    }
    out
}

/// The reverse of [`unescape`], with quotes.
pub fn escape(value: &str) -> String {
    let mut out = String::with_capacity(value.len() + 2);
    out.push('"');
    for c in value.chars() {
        match c {
            '\n' => out.push_str("\\n"),
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn puncts_are_ordered_longest_first() {
        assert_eq!(Punct::longest_prefix("|+|=x"), Some(Punct::AddSatAssign));
        assert_eq!(Punct::longest_prefix("|+|x"), Some(Punct::AddSat));
        assert_eq!(Punct::longest_prefix("&&&x"), Some(Punct::Mask));
        assert_eq!(Punct::longest_prefix("..."), Some(Punct::Dots));
        assert_eq!(Punct::longest_prefix("..1"), Some(Punct::Range));
        assert_eq!(Punct::longest_prefix(">>="), Some(Punct::Gt));
        assert_eq!(Punct::longest_prefix("{#}"), Some(Punct::InvalidHeader));
        assert_eq!(Punct::longest_prefix("$"), None);
    }

    #[test]
    fn string_escapes() {
        assert_eq!(unescape(r#""a\"b\\n\n\q""#), "a\"b\\n\n\\q");
        for s in ["", "a\"b", "\\", "x\ny", "\\n"] {
            assert_eq!(unescape(&escape(s)), s);
        }
    }

    #[test]
    fn keywords_round_trip() {
        for k in ["_", "actions", "header_union", "value_set", "this"] {
            assert_eq!(Keyword::from_text(k).map(Keyword::as_str), Some(k));
        }
        assert_eq!(Keyword::from_text("pragma"), None);
    }
}
