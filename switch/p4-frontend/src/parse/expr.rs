// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Expressions, keysets and arguments.

use super::{MAX_TREE_DEPTH, Parsed, Parser};
use crate::ast::*;
use crate::lex::{Keyword, Punct, TokenKind, parse_integer, unescape};
use crate::source::Span;

/// An expression and the depth of its tree.
struct Deep {
    e: Expr,
    depth: u32,
}

/// Precedence of the operators of `?:`, below all binary ones.
const TERNARY: u8 = 2;

impl Parser<'_> {
    /// `expression`
    pub(super) fn expression(&mut self) -> Parsed<Expr> {
        Ok(self.deep(TERNARY, true)?.e)
    }

    /// A name, `this` or an expression in parentheses with members, indices and calls: `lvalue` and calls.
    pub(super) fn postfix_expression(&mut self) -> Parsed<Expr> {
        Ok(self.nested(|p| p.postfix(false))?.e)
    }

    /// `nonBraceExpression`: does not start with `{`.
    pub(super) fn non_brace_expression(&mut self) -> Parsed<Expr> {
        Ok(self.deep(TERNARY, false)?.e)
    }

    /// An expression whose binary operators bind at least as tightly as `min`.
    fn deep(&mut self, min: u8, braces: bool) -> Parsed<Deep> {
        self.nested(|p| p.binary(min, braces))
    }

    /// Runs `f`, which parses something with expressions inside, and tells how deep these are.
    fn measured<T>(&mut self, f: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<(T, u32)> {
        let outer = std::mem::replace(&mut self.deepest, 1);
        let result = f(self);
        let depth = self.deepest;
        self.deepest = outer.max(depth);
        Ok((result?, depth))
    }

    fn check(&mut self, kind: ExprKind, span: Span, depth: u32) -> Parsed<Deep> {
        self.deepest = self.deepest.max(depth);
        if depth > MAX_TREE_DEPTH {
            return self.fail(
                span,
                format!("expression too complex: more than {MAX_TREE_DEPTH} levels of operators"),
            );
        }
        Ok(Deep {
            e: Expr { kind, span },
            depth,
        })
    }

    /// The binary operator here, and the number of its tokens.
    fn binary_op(&self) -> Option<(BinaryOp, usize)> {
        let t = self.token();
        let TokenKind::Punct(p) = t.kind else {
            return None;
        };
        let op = match p {
            Punct::Star => BinaryOp::Mul,
            Punct::Slash => BinaryOp::Div,
            Punct::Percent => BinaryOp::Mod,
            Punct::Plus => BinaryOp::Add,
            Punct::Minus => BinaryOp::Sub,
            Punct::AddSat => BinaryOp::AddSat,
            Punct::SubSat => BinaryOp::SubSat,
            Punct::Shl => BinaryOp::Shl,
            Punct::Gt if t.joint && self.peek(1).is(Punct::Gt) => return Some((BinaryOp::Shr, 2)),
            // `>>=` assigns.
            Punct::Gt if t.joint && self.peek(1).is(Punct::Ge) => return None,
            Punct::Gt => BinaryOp::Gt,
            Punct::Lt => BinaryOp::Lt,
            Punct::Le => BinaryOp::Le,
            Punct::Ge => BinaryOp::Ge,
            Punct::EqEq => BinaryOp::Eq,
            Punct::NotEq => BinaryOp::Ne,
            Punct::Amp => BinaryOp::BitAnd,
            Punct::Caret => BinaryOp::BitXor,
            Punct::Pipe => BinaryOp::BitOr,
            Punct::Concat => BinaryOp::Concat,
            Punct::AndAnd => BinaryOp::And,
            Punct::OrOr => BinaryOp::Or,
            _ => return None,
        };
        Some((op, 1))
    }

    fn binary(&mut self, min: u8, braces: bool) -> Parsed<Deep> {
        let mut left = self.prefix(braces)?;
        loop {
            if let Some((op, n)) = self.binary_op() {
                if op.precedence() < min {
                    return Ok(left);
                }
                let start = self.here();
                for _ in 0..n {
                    self.advance();
                }
                let op_span = self.since(start);
                let right = self.deep(op.precedence() + 1, true)?;
                let span = left.e.span.to(right.e.span);
                let depth = left.depth.max(right.depth) + 1;
                let kind = ExprKind::Binary {
                    op,
                    op_span,
                    left: Box::new(left.e),
                    right: Box::new(right.e),
                };
                left = self.check(kind, span, depth)?;
            } else if min <= TERNARY && self.at(Punct::Question) {
                // The reference grammar groups to the left: `a ? b : c ? d : e` is `(a ? b : c) ? d : e`.
                self.advance();
                let then = self.deep(TERNARY, true)?;
                self.expect(Punct::Colon)?;
                let otherwise = self.deep(TERNARY + 1, true)?;
                let span = left.e.span.to(otherwise.e.span);
                let depth = left.depth.max(then.depth).max(otherwise.depth) + 1;
                let kind = ExprKind::Ternary {
                    condition: Box::new(left.e),
                    then: Box::new(then.e),
                    otherwise: Box::new(otherwise.e),
                };
                left = self.check(kind, span, depth)?;
            } else {
                return Ok(left);
            }
        }
    }

    /// Prefix operators and casts.
    fn prefix(&mut self, braces: bool) -> Parsed<Deep> {
        let start = self.here();
        let op = match self.token().kind {
            TokenKind::Punct(Punct::Not) => UnaryOp::Not,
            TokenKind::Punct(Punct::Tilde) => UnaryOp::Complement,
            TokenKind::Punct(Punct::Minus) => UnaryOp::Minus,
            TokenKind::Punct(Punct::Plus) => UnaryOp::Plus,
            TokenKind::Punct(Punct::LParen) if self.starts_type(1) => {
                let ty = self.attempt(|p| {
                    p.advance();
                    let ty = p.measured(Self::type_ref)?;
                    Ok(p.eat(Punct::RParen).then_some(ty))
                });
                let Some((ty, in_type)) = ty else {
                    return self.postfix(braces);
                };
                let operand = self.nested(|p| p.prefix(true))?;
                let (span, depth) = (start.to(operand.e.span), operand.depth.max(in_type) + 1);
                return self.check(
                    ExprKind::Cast {
                        ty,
                        operand: Box::new(operand.e),
                    },
                    span,
                    depth,
                );
            }
            _ => return self.postfix(braces),
        };
        self.advance();
        let operand = self.nested(|p| p.prefix(true))?;
        let (span, depth) = (start.to(operand.e.span), operand.depth + 1);
        self.check(
            ExprKind::Unary {
                op,
                operand: Box::new(operand.e),
            },
            span,
            depth,
        )
    }

    /// Members, indices, slices, calls.
    fn postfix(&mut self, braces: bool) -> Parsed<Deep> {
        let mut base = self.primary(braces)?;
        loop {
            let start = base.e.span;
            match self.token().kind {
                TokenKind::Punct(Punct::Dot) => {
                    self.advance();
                    let member = self.name()?;
                    let span = start.to(member.span);
                    let depth = base.depth + 1;
                    base = self.check(
                        ExprKind::Member {
                            base: Box::new(base.e),
                            member,
                        },
                        span,
                        depth,
                    )?;
                }
                TokenKind::Punct(Punct::LBracket) => base = self.index_or_slice(base)?,
                TokenKind::Punct(Punct::LParen) => {
                    let args = self.measured(Self::arguments)?;
                    base = self.call(base, Vec::new(), args, 0)?;
                }
                TokenKind::Punct(Punct::Lt) if self.starts_type_argument() => {
                    let type_args = self.attempt(|p| {
                        let args = p.measured(Self::type_args)?;
                        Ok(p.at(Punct::LParen).then_some(args))
                    });
                    let Some((type_args, in_types)) = type_args else {
                        return Ok(base);
                    };
                    let args = self.measured(Self::arguments)?;
                    base = self.call(base, type_args, args, in_types)?;
                }
                _ => return Ok(base),
            }
        }
    }

    /// Whether the `<` here can open type arguments: a type, `void`, `_` or `>` follows (`realTypeArg`).
    fn starts_type_argument(&self) -> bool {
        let next = self.peek(1);
        self.starts_type(1)
            || matches!(
                next.kind,
                TokenKind::Keyword(Keyword::Void | Keyword::DontCare)
            )
            || (next.is(Punct::Gt) && self.peek(2).is(Punct::LParen))
    }

    fn call(
        &mut self,
        callee: Deep,
        type_args: Vec<TypeRef>,
        (args, in_args): (Vec<Argument>, u32),
        in_types: u32,
    ) -> Parsed<Deep> {
        let span = self.since(callee.e.span);
        let depth = callee.depth.max(in_args).max(in_types) + 1;
        self.check(
            ExprKind::Call {
                callee: Box::new(callee.e),
                type_args,
                args,
            },
            span,
            depth,
        )
    }

    fn index_or_slice(&mut self, base: Deep) -> Parsed<Deep> {
        self.expect(Punct::LBracket)?;
        let first = self.deep(TERNARY, true)?;
        let mut depth = base.depth.max(first.depth);
        let start = base.e.span;
        let base = Box::new(base.e);
        let first_expr = Box::new(first.e);
        let kind = if self.eat(Punct::Colon) {
            let lo = self.deep(TERNARY, true)?;
            depth = depth.max(lo.depth);
            ExprKind::Slice {
                base,
                hi: first_expr,
                lo: Box::new(lo.e),
            }
        } else if self.eat(Punct::PlusColon) {
            let width = self.deep(TERNARY, true)?;
            depth = depth.max(width.depth);
            ExprKind::PlusSlice {
                base,
                lo: first_expr,
                width: Box::new(width.e),
            }
        } else {
            ExprKind::Index {
                base,
                index: first_expr,
            }
        };
        if !self.at(Punct::RBracket) {
            return self.unexpected("\"]\"");
        }
        self.advance();
        self.check(kind, self.since(start), depth + 1)
    }

    /// An integer literal.
    pub(super) fn integer(&mut self) -> Parsed<Expr> {
        let t = self.advance();
        match parse_integer(&t.text) {
            Ok(lit) => Ok(Expr {
                kind: ExprKind::Int(lit),
                span: t.span,
            }),
            Err(e) => self.fail(t.span, e.to_string()),
        }
    }

    fn primary(&mut self, braces: bool) -> Parsed<Deep> {
        let t = self.token().clone();
        let leaf = |kind| Deep {
            e: Expr { kind, span: t.span },
            depth: 1,
        };
        match t.kind {
            TokenKind::Integer => Ok(Deep {
                e: self.integer()?,
                depth: 1,
            }),
            TokenKind::String => {
                self.advance();
                Ok(leaf(ExprKind::String(unescape(&t.text).into())))
            }
            TokenKind::Keyword(Keyword::True) => {
                self.advance();
                Ok(leaf(ExprKind::Bool(true)))
            }
            TokenKind::Keyword(Keyword::False) => {
                self.advance();
                Ok(leaf(ExprKind::Bool(false)))
            }
            TokenKind::Keyword(Keyword::This) => {
                self.advance();
                Ok(leaf(ExprKind::This))
            }
            TokenKind::Punct(Punct::Dots) => {
                self.advance();
                Ok(leaf(ExprKind::Dots))
            }
            TokenKind::Punct(Punct::InvalidHeader) if braces => {
                self.advance();
                Ok(leaf(ExprKind::Invalid))
            }
            TokenKind::Punct(Punct::LBrace) if braces => self.braces(),
            TokenKind::Punct(Punct::LParen) => {
                self.advance();
                let inner = self.deep(TERNARY, true)?;
                self.expect(Punct::RParen)?;
                Ok(inner)
            }
            TokenKind::Keyword(Keyword::Error) => {
                self.advance();
                if !self.at(Punct::Dot) {
                    return self.unexpected("\".\"");
                }
                Ok(leaf(ExprKind::Type(TypeRef {
                    kind: TypeKind::Error,
                    span: t.span,
                })))
            }
            TokenKind::Word | TokenKind::Punct(Punct::Dot) if self.starts_type(0) => {
                self.type_primary()
            }
            TokenKind::Word | TokenKind::Punct(Punct::Dot) => {
                let path = self.path()?;
                let span = path.span;
                Ok(Deep {
                    e: Expr {
                        kind: ExprKind::Name(path),
                        span,
                    },
                    depth: 1,
                })
            }
            TokenKind::Keyword(k) if k.is_contextual() => {
                let path = self.path()?;
                let span = path.span;
                Ok(Deep {
                    e: Expr {
                        kind: ExprKind::Name(path),
                        span,
                    },
                    depth: 1,
                })
            }
            _ => self.unexpected("an expression"),
        }
    }

    /// A type that starts an expression: `T.member` or `T(args)`.
    fn type_primary(&mut self) -> Parsed<Deep> {
        let (ty, in_type) = self.measured(|p| p.named_type(false))?;
        let start = ty.span;
        if self.at(Punct::LParen) {
            let (args, in_args) = self.measured(Self::arguments)?;
            let span = self.since(start);
            return self.check(
                ExprKind::Construct { ty, args },
                span,
                in_type.max(in_args) + 1,
            );
        }
        if self.at(Punct::Dot) {
            return self.check(ExprKind::Type(ty), start, in_type + 1);
        }
        self.unexpected("\".\" or \"(\" after a type's name")
    }

    /// `{...}`: a list or a structure.
    fn braces(&mut self) -> Parsed<Deep> {
        let start = self.expect(Punct::LBrace)?;
        let mut depth = 0;
        if self.is_name(0) && self.peek(1).is(Punct::Assign) {
            let mut fields = Vec::new();
            let mut dots = None;
            loop {
                if self.at(Punct::Dots) {
                    dots = Some(self.advance().span);
                    self.eat(Punct::Comma);
                    break;
                }
                let (field, d) = self.named_deep()?;
                depth = depth.max(d);
                fields.push(field);
                if !self.eat(Punct::Comma) || self.at(Punct::RBrace) {
                    break;
                }
            }
            if !self.at(Punct::RBrace) {
                return self.unexpected("\",\" or \"}\"");
            }
            self.advance();
            return self.check(
                ExprKind::Struct { fields, dots },
                self.since(start),
                depth + 1,
            );
        }
        let list = self.comma_list(Punct::RBrace, true, |p| {
            let d = p.deep(TERNARY, true)?;
            depth = depth.max(d.depth);
            Ok(d.e)
        })?;
        self.check(ExprKind::List(list), self.since(start), depth + 1)
    }

    fn named_deep(&mut self) -> Parsed<(NamedExpr, u32)> {
        let name = self.name()?;
        self.expect(Punct::Assign)?;
        let value = self.deep(TERNARY, true)?;
        let span = self.since(name.span);
        Ok((
            NamedExpr {
                name,
                value: value.e,
                span,
            },
            value.depth,
        ))
    }

    /// `kvPair`
    pub(super) fn named_expr(&mut self) -> Parsed<NamedExpr> {
        Ok(self.named_deep()?.0)
    }

    /// `(argumentList)`
    pub(super) fn arguments(&mut self) -> Parsed<Vec<Argument>> {
        self.expect(Punct::LParen)?;
        self.comma_list(Punct::RParen, false, Self::argument)
    }

    fn argument(&mut self) -> Parsed<Argument> {
        let start = self.here();
        let mut name = None;
        if self.is_name(0) && self.peek(1).is(Punct::Assign) {
            name = Some(self.name()?);
            self.expect(Punct::Assign)?;
        }
        let value = if self.eat_keyword(Keyword::DontCare) {
            None
        } else {
            Some(self.expression()?)
        };
        Ok(Argument {
            name,
            value,
            span: self.since(start),
        })
    }

    /// `keysetExpression`
    pub(super) fn keyset(&mut self) -> Parsed<Keyset> {
        let start = self.here();
        if self.at(Punct::LParen) {
            // `(a, b)` and `(a &&& b)` are keysets; `(a) + b` and `(T) a` are expressions.
            let first = self.attempt(|p| {
                p.advance();
                let first = p.simple_keyset()?;
                let reduced = !matches!(first.kind, KeysetKind::Expr(_));
                Ok((p.at(Punct::Comma) || (reduced && p.at(Punct::RParen))).then_some(first))
            });
            if let Some(first) = first {
                let mut list = vec![first];
                while self.eat(Punct::Comma) {
                    list.push(self.simple_keyset()?);
                }
                if !self.at(Punct::RParen) {
                    return self.unexpected("\",\" or \")\"");
                }
                self.advance();
                return Ok(Keyset {
                    kind: KeysetKind::Tuple(list),
                    span: self.since(start),
                });
            }
        }
        self.simple_keyset()
    }

    fn simple_keyset(&mut self) -> Parsed<Keyset> {
        let start = self.here();
        let kind = if self.eat_keyword(Keyword::Default) {
            KeysetKind::Default
        } else if self.eat_keyword(Keyword::DontCare) {
            KeysetKind::DontCare
        } else {
            let first = self.expression()?;
            if self.eat(Punct::Mask) {
                KeysetKind::Mask(first, self.expression()?)
            } else if self.eat(Punct::Range) {
                KeysetKind::Range(first, self.expression()?)
            } else {
                KeysetKind::Expr(first)
            }
        };
        Ok(Keyset {
            kind,
            span: self.since(start),
        })
    }
}
