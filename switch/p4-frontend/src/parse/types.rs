// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Types.

use super::{Parsed, Parser};
use crate::ast::{Expr, Ident, Path, TypeKind, TypeRef};
use crate::lex::{Keyword, Punct, TokenKind};
use crate::source::Span;

impl Parser<'_> {
    /// Whether a type that is more than a name starts here: a keyword, or a declared type's name, dotted or not.
    pub(super) fn starts_type(&self, n: usize) -> bool {
        use Keyword::*;
        match self.peek(n).kind {
            TokenKind::Keyword(k) => {
                matches!(
                    k,
                    Bit | Bool | Error | Int | MatchKind | String | Tuple | Varbit
                ) || (k == List && self.peek(n + 1).is(Punct::Lt))
            }
            TokenKind::Word => self.is_type_name(n),
            TokenKind::Punct(Punct::Dot) => {
                self.is_word(n + 1) && self.scopes.is_global_type(&self.peek(n + 1).text)
            }
            _ => false,
        }
    }

    /// `typeRef`
    pub(super) fn type_ref(&mut self) -> Parsed<TypeRef> {
        self.nested(Self::type_ref_inner)
    }

    fn type_ref_inner(&mut self) -> Parsed<TypeRef> {
        use Keyword::*;
        let start = self.here();
        let kind = match self.token().kind {
            TokenKind::Keyword(Bool) => self.simple_type(TypeKind::Bool),
            TokenKind::Keyword(Error) => self.simple_type(TypeKind::Error),
            TokenKind::Keyword(MatchKind) => self.simple_type(TypeKind::MatchKind),
            TokenKind::Keyword(String) => self.simple_type(TypeKind::String),
            TokenKind::Keyword(Bit) => {
                self.advance();
                TypeKind::Bit(self.optional_width()?)
            }
            TokenKind::Keyword(Int) => {
                self.advance();
                TypeKind::Int(self.optional_width()?)
            }
            TokenKind::Keyword(Varbit) => {
                self.advance();
                match self.optional_width()? {
                    Some(w) => TypeKind::Varbit(w),
                    None => return self.unexpected("\"<\""),
                }
            }
            TokenKind::Keyword(Tuple) => {
                self.advance();
                if !self.at(Punct::Lt) {
                    return self.unexpected("\"<\"");
                }
                TypeKind::Tuple(self.type_args()?)
            }
            TokenKind::Keyword(List) if self.peek(1).is(Punct::Lt) => {
                self.advance();
                self.advance();
                let element = self.type_arg()?;
                self.close_angle()?;
                TypeKind::List(Box::new(element))
            }
            TokenKind::Word | TokenKind::Punct(Punct::Dot) => return self.named_type(true),
            // `type`, `key` and the like can be type parameters.
            TokenKind::Keyword(k) if k.is_contextual() => return self.named_type(true),
            _ => return self.unexpected("a type"),
        };
        let ty = TypeRef {
            kind,
            span: self.since(start),
        };
        self.array_of(ty, start)
    }

    /// `T[n]`, where brackets follow a type.
    fn array_of(&mut self, ty: TypeRef, start: Span) -> Parsed<TypeRef> {
        let mut ty = ty;
        let mut depth = self.nesting;
        while self.eat(Punct::LBracket) {
            self.limit(depth)?;
            depth += 1;
            let size = self.expression()?;
            self.expect(Punct::RBracket)?;
            let kind = TypeKind::Stack {
                element: Box::new(ty),
                size: Box::new(size),
            };
            ty = TypeRef {
                kind,
                span: self.since(start),
            };
        }
        Ok(ty)
    }

    fn simple_type(&mut self, kind: TypeKind) -> TypeKind {
        self.advance();
        kind
    }

    /// A type name, specialized or not; with `stacks`, also a header stack.
    pub(super) fn named_type(&mut self, stacks: bool) -> Parsed<TypeRef> {
        let start = self.here();
        let base = self.path()?;
        let kind = if self.at(Punct::Lt) {
            let args = self.type_args()?;
            TypeKind::Specialized { base, args }
        } else {
            TypeKind::Name(base)
        };
        let ty = TypeRef {
            kind,
            span: self.since(start),
        };
        if stacks {
            self.array_of(ty, start)
        } else {
            Ok(ty)
        }
    }

    /// A name with or without a leading dot.
    pub(super) fn path(&mut self) -> Parsed<Path> {
        let start = self.here();
        let absolute = self.eat(Punct::Dot);
        let name = self.name()?;
        Ok(Path {
            absolute,
            span: start.to(name.span),
            name,
        })
    }

    /// `<8>` or `<(expression)>`
    fn optional_width(&mut self) -> Parsed<Option<Box<Expr>>> {
        if !self.eat(Punct::Lt) {
            return Ok(None);
        }
        let width = if self.token().kind == TokenKind::Integer {
            self.integer()?
        } else if self.eat(Punct::LParen) {
            let e = self.expression()?;
            self.expect(Punct::RParen)?;
            e
        } else if self.is_word(0) && self.peek(1).is(Punct::Gt) {
            let t = self.token();
            let message = format!(
                "width must be an integer literal or an expression in parentheses: ({})",
                t.text
            );
            return self.fail(t.span, message);
        } else {
            return self.unexpected("integer or \"(\"");
        };
        self.close_angle()?;
        Ok(Some(Box::new(width)))
    }

    /// The `>` that ends type arguments. `>>` is two tokens here, and so is `>=`, whose `=` must not be lost.
    pub(super) fn close_angle(&mut self) -> Parsed<Span> {
        if self.at(Punct::Ge) {
            let t = self.token();
            return self.fail(
                t.span,
                "syntax error, unexpected \">=\": write a space between \">\" and \"=\"",
            );
        }
        if !self.at(Punct::Gt) {
            return self.unexpected("\">\"");
        }
        Ok(self.advance().span)
    }

    /// `<A, B>`; `<>` is allowed.
    pub(super) fn type_args(&mut self) -> Parsed<Vec<TypeRef>> {
        self.expect(Punct::Lt)?;
        let mut args = Vec::new();
        if self.at(Punct::Gt) {
            self.advance();
            return Ok(args);
        }
        loop {
            args.push(self.type_arg()?);
            if self.eat(Punct::Comma) {
                continue;
            }
            if !self.at(Punct::Gt) && !self.at(Punct::Ge) {
                return self.unexpected("\",\" or \">\"");
            }
            self.close_angle()?;
            return Ok(args);
        }
    }

    /// `typeArg`: a type, `void` or `_`.
    fn type_arg(&mut self) -> Parsed<TypeRef> {
        let span = self.here();
        if self.eat_keyword(Keyword::DontCare) {
            return Ok(TypeRef {
                kind: TypeKind::DontCare,
                span,
            });
        }
        if self.eat_keyword(Keyword::Void) {
            return Ok(TypeRef {
                kind: TypeKind::Void,
                span,
            });
        }
        self.type_ref()
    }

    /// `typeOrVoid`
    pub(super) fn type_or_void(&mut self) -> Parsed<TypeRef> {
        let span = self.here();
        if self.eat_keyword(Keyword::Void) {
            return Ok(TypeRef {
                kind: TypeKind::Void,
                span,
            });
        }
        self.type_ref()
    }

    /// `<T, U>` after a declared name; the names become types of the current scope.
    pub(super) fn opt_type_params(&mut self) -> Parsed<Vec<Ident>> {
        let mut params = Vec::new();
        if !self.eat(Punct::Lt) {
            return Ok(params);
        }
        loop {
            let name = self.name()?;
            self.scopes.declare_type(&name);
            params.push(name);
            if !self.eat(Punct::Comma) {
                self.close_angle()?;
                return Ok(params);
            }
        }
    }
}
