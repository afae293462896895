// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Syntax tree of a P4-16 program (language specification 1.2.5, appendix "P4 grammar").
//!
//! The tree says what was written, not what it means: names are not resolved, constants not folded.
//! Parentheses are not kept; [`print`](mod@print) puts back those that precedence asks for. Every node
//! carries the [`Span`] of its text.
//!
//! What the grammar decides with the help of declared type names is decided here too: `T(x)` is
//! [`ExprKind::Construct`] when `T` is a type at that point, and [`ExprKind::Call`] otherwise.

mod decl;
mod expr;
pub mod print;
mod stmt;

use std::fmt;
use std::sync::Arc;

pub use decl::*;
pub use expr::*;
pub use stmt::*;

use crate::source::Span;

/// A shared string: names and literals.
pub type Name = Arc<str>;

/// A name at a place.
#[derive(Clone, PartialEq, Eq, Debug, Hash)]
pub struct Ident {
    /// The name.
    pub name: Name,
    /// Where.
    pub span: Span,
}

impl Ident {
    /// An identifier with this name and place.
    pub fn new(name: impl Into<Name>, span: Span) -> Ident {
        Ident {
            name: name.into(),
            span,
        }
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.name
    }
}

impl fmt::Display for Ident {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

/// A name, or a name with a leading dot, which is looked up at the top level (section 6.9).
#[derive(Clone, PartialEq, Eq, Debug, Hash)]
pub struct Path {
    /// Whether a dot leads.
    pub absolute: bool,
    /// The name.
    pub name: Ident,
    /// Dot and name.
    pub span: Span,
}

impl Path {
    /// The name without the dot.
    pub fn as_str(&self) -> &str {
        self.name.as_str()
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.absolute {
            f.write_str(".")?;
        }
        f.write_str(self.as_str())
    }
}

/// A whole program.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Program {
    /// Declarations in order, those of included files among them.
    pub decls: Vec<Decl>,
}

/// `@name`, `@name(...)`, `@name[...]` or `@pragma name ...` (section 20).
#[derive(Clone, PartialEq, Debug)]
pub struct Annotation {
    /// The annotation's name, such as `name`, `hidden`, `atomic`.
    pub name: Ident,
    /// What follows it.
    pub body: AnnotationBody,
    /// From `@` to the end of the body.
    pub span: Span,
}

/// The body of an annotation.
#[derive(Clone, PartialEq, Debug)]
pub enum AnnotationBody {
    /// `@name`
    None,
    /// `@name(tokens)`: tokens whose parentheses are balanced, without the outer ones. Parsed on demand: see
    /// [`Annotation::string`] and [`parse_annotation_expressions`](crate::parse::parse_annotation_expressions).
    Unstructured(Vec<AnnotationToken>),
    /// `@pragma name tokens`: the rest of the line.
    Pragma(Vec<AnnotationToken>),
    /// `@name[a, b]`, also `@name[]`.
    Expressions(Vec<Expr>),
    /// `@name[k = v, ...]`
    KeyValues(Vec<NamedExpr>),
}

/// A token of an unstructured annotation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AnnotationToken {
    /// The token as written; string literals with their quotes.
    pub text: Name,
    /// What sort of token.
    pub kind: AnnotationTokenKind,
    /// Where.
    pub span: Span,
}

/// Sorts of tokens in annotations.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AnnotationTokenKind {
    /// Identifiers and keywords.
    Word,
    /// Integer literals.
    Integer,
    /// String literals.
    String,
    /// Operators and punctuation.
    Punctuation,
}

impl Annotation {
    /// The string if the body is one string literal: `@name("x")`, or several, which are concatenated.
    pub fn string(&self) -> Option<Name> {
        match &self.body {
            AnnotationBody::Unstructured(tokens) | AnnotationBody::Pragma(tokens) => {
                if tokens.is_empty() || tokens.iter().any(|t| t.kind != AnnotationTokenKind::String)
                {
                    return None;
                }
                let all: String = tokens
                    .iter()
                    .map(|t| crate::lex::unescape(&t.text))
                    .collect();
                Some(all.into())
            }
            AnnotationBody::Expressions(list) => match list.as_slice() {
                [
                    Expr {
                        kind: ExprKind::String(s),
                        ..
                    },
                ] => Some(s.clone()),
                _ => None,
            },
            AnnotationBody::None | AnnotationBody::KeyValues(_) => None,
        }
    }
}

impl Annotation {
    /// Whether its body is one string literal.
    pub fn is_one_string(&self) -> bool {
        match &self.body {
            AnnotationBody::Unstructured(l) | AnnotationBody::Pragma(l) => {
                matches!(l.as_slice(), [t] if t.kind == AnnotationTokenKind::String)
            }
            AnnotationBody::Expressions(l) => {
                matches!(l.as_slice(), [e] if matches!(e.kind, ExprKind::String(_)))
            }
            AnnotationBody::None | AnnotationBody::KeyValues(_) => false,
        }
    }
}

/// The first annotation with this name.
pub fn find_annotation<'a>(list: &'a [Annotation], name: &str) -> Option<&'a Annotation> {
    list.iter().find(|a| a.name.as_str() == name)
}

/// `k = e` in structure-valued expressions and structured annotations.
#[derive(Clone, PartialEq, Debug)]
pub struct NamedExpr {
    /// The field or key.
    pub name: Ident,
    /// Its value.
    pub value: Expr,
    /// Both.
    pub span: Span,
}

/// A type as written.
#[derive(Clone, PartialEq, Debug)]
pub struct TypeRef {
    /// Which.
    pub kind: TypeKind,
    /// Where.
    pub span: Span,
}

/// The forms of `typeRef` (section 7).
#[derive(Clone, PartialEq, Debug)]
pub enum TypeKind {
    /// `bool`
    Bool,
    /// `error`
    Error,
    /// `match_kind`
    MatchKind,
    /// `string`
    String,
    /// `void`: return types and type arguments only.
    Void,
    /// `bit` (`None`, one bit) or `bit<W>`.
    Bit(Option<Box<Expr>>),
    /// `int` (`None`, arbitrary precision) or `int<W>`.
    Int(Option<Box<Expr>>),
    /// `varbit<W>`
    Varbit(Box<Expr>),
    /// A type name or type variable.
    Name(Path),
    /// `Name<A, B>`
    Specialized {
        /// The generic type.
        base: Path,
        /// Type arguments.
        args: Vec<TypeRef>,
    },
    /// `T[n]`, a header stack.
    Stack {
        /// Element type.
        element: Box<TypeRef>,
        /// Number of elements.
        size: Box<Expr>,
    },
    /// `tuple<A, B>`
    Tuple(Vec<TypeRef>),
    /// `list<T>`
    List(Box<TypeRef>),
    /// `_` as a type argument.
    DontCare,
}

/// Direction of a parameter (section 6.8).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Direction {
    /// Directionless.
    None,
    /// `in`
    In,
    /// `out`
    Out,
    /// `inout`
    InOut,
}

impl Direction {
    /// The keyword; empty for directionless.
    pub fn as_str(self) -> &'static str {
        match self {
            Direction::None => "",
            Direction::In => "in",
            Direction::Out => "out",
            Direction::InOut => "inout",
        }
    }
}

/// A parameter of anything.
#[derive(Clone, PartialEq, Debug)]
pub struct Param {
    /// Annotations, `@optional` among them.
    pub annotations: Vec<Annotation>,
    /// Direction.
    pub direction: Direction,
    /// Type.
    pub ty: TypeRef,
    /// Name.
    pub name: Ident,
    /// Default value.
    pub default: Option<Expr>,
    /// Whole parameter.
    pub span: Span,
}
