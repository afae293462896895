// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Statements.

use super::{Parsed, Parser, SyntaxError};
use crate::ast::*;
use crate::diag::Diagnostic;
use crate::lex::{Keyword, Punct, TokenKind};
use crate::source::Span;

/// Where statements stand: parser states allow fewer of them.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// Controls, actions, functions.
    Control,
    /// Parser states.
    Parser,
}

impl Parser<'_> {
    /// `blockStatement`, annotations read before.
    pub(super) fn block(&mut self, annotations: Vec<Annotation>, place: Place) -> Parsed<Block> {
        self.nested(|p| {
            let open = p.expect(Punct::LBrace)?;
            p.scopes.push();
            let mut stmts = Vec::new();
            let end_span = p.braced_elements("\"}\"", |p| {
                stmts.push(p.statement_or_declaration(place)?);
                Ok(())
            });
            p.scopes.pop();
            let end_span = end_span?;
            let start = annotations.first().map_or(open, |a| a.span);
            Ok(Block {
                annotations,
                stmts,
                span: start.to(end_span),
                end_span,
            })
        })
    }

    /// `statementOrDeclaration`, `parserStatement`
    pub(super) fn statement_or_declaration(&mut self, place: Place) -> Parsed<Stmt> {
        let start = self.here();
        let annotations = self.annotations()?;
        let annotated = !annotations.is_empty();
        if self.at_keyword(Keyword::Const) {
            let d = self.constant(annotations, start)?;
            return Ok(Stmt {
                span: d.span,
                kind: StmtKind::Const(d),
            });
        }
        if self.starts_declaration() {
            return self.local_declaration(annotations, start, place);
        }
        if annotated && !self.at(Punct::LBrace) && !self.at_keyword(Keyword::For) {
            return self.unexpected("a declaration or a block after annotations");
        }
        self.statement_after(annotations, start, place)
    }

    /// Whether a variable declaration or instantiation starts here. A name that is no declared type is taken for one if
    /// another name follows: name resolution will say that there is no such type.
    fn starts_declaration(&self) -> bool {
        if self.starts_type(0) {
            // `T.apply(...)` and `T<A>.apply(...)` are statements; see there.
            return !self.at_keyword(Keyword::Error) || !self.peek(1).is(Punct::Dot);
        }
        self.is_word(0) && self.is_name(1)
    }

    fn local_declaration(
        &mut self,
        annotations: Vec<Annotation>,
        start: Span,
        place: Place,
    ) -> Parsed<Stmt> {
        let ty = self.type_ref()?;
        if self.at(Punct::Dot) && annotations.is_empty() {
            return self.direct_application(ty, start);
        }
        if self.at(Punct::LParen) {
            if place == Place::Parser {
                return self.unexpected("identifier");
            }
            let d = self.instantiation(annotations, ty, start)?;
            return Ok(Stmt {
                span: d.span,
                kind: StmtKind::Instantiation(d),
            });
        }
        let mut d = self.variable(annotations, ty, start)?;
        self.expect(Punct::Semicolon)?;
        d.span = self.since(start);
        Ok(Stmt {
            span: d.span,
            kind: StmtKind::Var(d),
        })
    }

    /// `T.apply(args);`
    fn direct_application(&mut self, ty: TypeRef, start: Span) -> Parsed<Stmt> {
        self.expect(Punct::Dot)?;
        let member = if self.at_keyword(Keyword::Apply) {
            self.name()?
        } else {
            return self.unexpected("\"apply\"");
        };
        let base_span = ty.span;
        let span = self.since(start);
        let base = Box::new(Expr {
            kind: ExprKind::Type(ty),
            span: base_span,
        });
        let callee = Box::new(Expr {
            kind: ExprKind::Member { base, member },
            span,
        });
        let args = self.arguments()?;
        let span = self.since(start);
        let call = Expr {
            kind: ExprKind::Call {
                callee,
                type_args: Vec::new(),
                args,
            },
            span,
        };
        self.expect(Punct::Semicolon)?;
        Ok(Stmt {
            kind: StmtKind::Call(call),
            span: self.since(start),
        })
    }

    /// `T x` or `T x = e`, the type read before, without semicolon.
    pub(super) fn variable(
        &mut self,
        annotations: Vec<Annotation>,
        ty: TypeRef,
        start: Span,
    ) -> Parsed<VarDecl> {
        let name = self.name()?;
        let init = if self.eat(Punct::Assign) {
            Some(self.expression()?)
        } else {
            None
        };
        self.scopes.declare_object(&name);
        if !matches!(
            self.token().kind,
            TokenKind::Punct(Punct::Semicolon | Punct::Comma)
        ) {
            let expecting = if init.is_some() {
                "\";\""
            } else {
                "\"=\" or \";\""
            };
            return self.unexpected(expecting);
        }
        Ok(VarDecl {
            annotations,
            ty,
            name,
            init,
            span: self.since(start),
        })
    }

    /// `statement`
    fn statement(&mut self, place: Place) -> Parsed<Stmt> {
        let start = self.here();
        let annotations = self.annotations()?;
        self.nested(|p| {
            if p.starts_declaration() && annotations.is_empty() {
                // Direct application is the only statement that starts with a type.
                let ty = p.type_ref()?;
                if p.at(Punct::Dot) {
                    return p.direct_application(ty, start);
                }
                return p.unexpected("\".\": a declaration must stand in a block");
            }
            p.statement_after(annotations, start, place)
        })
    }

    fn statement_after(
        &mut self,
        annotations: Vec<Annotation>,
        start: Span,
        place: Place,
    ) -> Parsed<Stmt> {
        use Keyword::*;
        let keyword = match self.token().kind {
            TokenKind::Keyword(k) => Some(k),
            _ => None,
        };
        let in_control = place == Place::Control;
        let kind = match keyword {
            _ if self.at(Punct::LBrace) => StmtKind::Block(self.block(annotations, place)?),
            _ if self.at(Punct::Semicolon) => {
                self.advance();
                StmtKind::Empty
            }
            Some(If) => self.if_statement(place)?,
            Some(For) if in_control => self.for_statement(annotations, place)?,
            Some(Switch) if in_control => self.switch_statement()?,
            Some(Return) if in_control => {
                self.advance();
                let value = if self.at(Punct::Semicolon) {
                    None
                } else {
                    Some(self.expression()?)
                };
                self.expect(Punct::Semicolon)?;
                StmtKind::Return(value)
            }
            Some(Exit) if in_control => self.simple(StmtKind::Exit)?,
            Some(Break) if in_control => self.simple(StmtKind::Break)?,
            Some(Continue) if in_control => self.simple(StmtKind::Continue)?,
            _ => {
                let kind = self.assignment_or_call()?;
                self.expect(Punct::Semicolon)?;
                kind
            }
        };
        Ok(Stmt {
            kind,
            span: self.since(start),
        })
    }

    fn simple(&mut self, kind: StmtKind) -> Parsed<StmtKind> {
        self.advance();
        self.expect(Punct::Semicolon)?;
        Ok(kind)
    }

    fn assign_op(&self) -> Option<(Option<BinaryOp>, usize)> {
        let t = self.token();
        let TokenKind::Punct(p) = t.kind else {
            return None;
        };
        let op = match p {
            Punct::Assign => return Some((None, 1)),
            Punct::Gt if t.joint && self.peek(1).is(Punct::Ge) => {
                return Some((Some(BinaryOp::Shr), 2));
            }
            Punct::AddAssign => BinaryOp::Add,
            Punct::SubAssign => BinaryOp::Sub,
            Punct::MulAssign => BinaryOp::Mul,
            Punct::DivAssign => BinaryOp::Div,
            Punct::ModAssign => BinaryOp::Mod,
            Punct::AndAssign => BinaryOp::BitAnd,
            Punct::OrAssign => BinaryOp::BitOr,
            Punct::XorAssign => BinaryOp::BitXor,
            Punct::ShlAssign => BinaryOp::Shl,
            Punct::AddSatAssign => BinaryOp::AddSat,
            Punct::SubSatAssign => BinaryOp::SubSat,
            _ => return None,
        };
        Some((Some(op), 1))
    }

    /// `assignmentOrMethodCallStatementWithoutSemicolon`
    fn assignment_or_call(&mut self) -> Parsed<StmtKind> {
        let starts = self.is_name(0)
            || self.at(Punct::LParen)
            || self.at(Punct::Dot)
            || self.at_keyword(Keyword::This);
        if !starts {
            return self.unexpected("a statement");
        }
        let lhs = self.postfix_expression()?;
        if let Some((op, n)) = self.assign_op() {
            if !is_lvalue(&lhs) {
                return self.fail(lhs.span, "this expression cannot be assigned to");
            }
            for _ in 0..n {
                self.advance();
            }
            let rhs = self.expression()?;
            return Ok(StmtKind::Assign { lhs, op, rhs });
        }
        if let ExprKind::Call { callee, .. } = &lhs.kind {
            if self.is_name(0) {
                return self.instance_of_unknown(&lhs);
            }
            if !is_lvalue(callee) {
                return self.fail(lhs.span, "this expression cannot be called as a statement");
            }
            return Ok(StmtKind::Call(lhs));
        }
        self.unexpected("an assignment or a call")
    }

    /// `f(x) name`: an instantiation, if only `f` were a type.
    fn instance_of_unknown<T>(&mut self, call: &Expr) -> Parsed<T> {
        let error = self.unexpected::<T>("\";\"");
        match (error, &call.kind) {
            (Err(SyntaxError(d)), ExprKind::Call { callee, .. }) => match &callee.kind {
                ExprKind::Name(path) => {
                    let note = format!("'{path}' is not declared as a type");
                    let d: Diagnostic = d.note_at(path.span, note);
                    Err(SyntaxError(Box::new(d)))
                }
                _ => Err(SyntaxError(d)),
            },
            (error, _) => error,
        }
    }

    /// `if`, with its chain of `else if`s.
    fn if_statement(&mut self, place: Place) -> Parsed<StmtKind> {
        let chain = self.chain;
        let mut arms: Vec<(Span, Expr, Stmt)> = Vec::new();
        let mut last: Option<Stmt> = None;
        loop {
            let start = self.expect_keyword(Keyword::If)?;
            self.expect(Punct::LParen)?;
            let condition = self.expression()?;
            self.expect(Punct::RParen)?;
            let then = self.statement(place)?;
            arms.push((start, condition, then));
            if !self.eat_keyword(Keyword::Else) {
                break;
            }
            if !self.at_keyword(Keyword::If) {
                last = Some(self.statement(place)?);
                break;
            }
            // The tree gets one level deeper with each arm.
            self.chain += 1;
        }
        self.chain = chain;
        while let Some((start, condition, then)) = arms.pop() {
            let span = start.to(last.as_ref().map_or(then.span, |s| s.span));
            let kind = StmtKind::If {
                condition,
                then: Box::new(then),
                otherwise: last.map(Box::new),
            };
            if arms.is_empty() {
                return Ok(kind);
            }
            last = Some(Stmt { kind, span });
        }
        self.unexpected("\"if\"")
    }

    fn switch_statement(&mut self) -> Parsed<StmtKind> {
        self.expect_keyword(Keyword::Switch)?;
        self.expect(Punct::LParen)?;
        let subject = self.expression()?;
        self.expect(Punct::RParen)?;
        self.expect(Punct::LBrace)?;
        let mut cases = Vec::new();
        self.braced_elements("\"}\"", |p| {
            let start = p.here();
            let label = if p.eat_keyword(Keyword::Default) {
                SwitchLabel::Default(start)
            } else {
                SwitchLabel::Expr(p.non_brace_expression()?)
            };
            p.expect(Punct::Colon)?;
            let body = if p.at(Punct::LBrace) || p.at(Punct::At) {
                let annotations = p.annotations()?;
                Some(p.block(annotations, Place::Control)?)
            } else {
                None
            };
            cases.push(SwitchCase {
                label,
                body,
                span: p.since(start),
            });
            Ok(())
        })?;
        Ok(StmtKind::Switch { subject, cases })
    }

    fn for_statement(&mut self, annotations: Vec<Annotation>, place: Place) -> Parsed<StmtKind> {
        self.expect_keyword(Keyword::For)?;
        self.expect(Punct::LParen)?;
        let depth = self.scopes.depth();
        self.scopes.push();
        let result = self.for_rest(annotations, place);
        self.scopes.truncate(depth);
        result
    }

    fn for_rest(&mut self, annotations: Vec<Annotation>, place: Place) -> Parsed<StmtKind> {
        let mut init = Vec::new();
        let mut first = true;
        while !self.at(Punct::Semicolon) {
            let start = self.here();
            let var_annotations = self.annotations()?;
            if self.starts_declaration() {
                let ty = self.type_ref()?;
                if first && self.is_name(0) && self.peek(1).kind == TokenKind::Keyword(Keyword::In)
                {
                    let name = self.name()?;
                    return self.for_in(annotations, var_annotations, ty, name, place);
                }
                let d = self.variable(var_annotations, ty, start)?;
                init.push(Stmt {
                    span: d.span,
                    kind: StmtKind::Var(d),
                });
            } else if first
                && self.is_name(0)
                && self.peek(1).kind == TokenKind::Keyword(Keyword::In)
            {
                // The grammar of 1.2.5 has no loop over a variable from outside (forStatement, section 12.8).
                return self.unexpected(
                    "a type: a loop over a range or a collection declares its variable",
                );
            } else if !var_annotations.is_empty() {
                return self.unexpected("a declaration after annotations");
            } else {
                let kind = self.assignment_or_call()?;
                init.push(Stmt {
                    kind,
                    span: self.since(start),
                });
            }
            first = false;
            if !self.eat(Punct::Comma) {
                break;
            }
        }
        self.expect(Punct::Semicolon)?;
        let condition = self.expression()?;
        self.expect(Punct::Semicolon)?;
        let update = self.comma_list(Punct::RParen, false, |p| {
            let start = p.here();
            let kind = p.assignment_or_call()?;
            Ok(Stmt {
                kind,
                span: p.since(start),
            })
        })?;
        let body = Box::new(self.statement(place)?);
        Ok(StmtKind::For {
            annotations,
            init,
            condition,
            update,
            body,
        })
    }

    fn for_in(
        &mut self,
        annotations: Vec<Annotation>,
        var_annotations: Vec<Annotation>,
        ty: TypeRef,
        name: Ident,
        place: Place,
    ) -> Parsed<StmtKind> {
        self.expect_keyword(Keyword::In)?;
        let first = self.expression()?;
        let collection = if self.eat(Punct::Range) {
            ForCollection::Range(first, self.expression()?)
        } else {
            ForCollection::Expr(first)
        };
        self.scopes.declare_object(&name);
        self.expect(Punct::RParen)?;
        let body = Box::new(self.statement(place)?);
        Ok(StmtKind::ForIn {
            annotations,
            var_annotations,
            ty,
            name,
            collection,
            body,
        })
    }
}

fn is_lvalue(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Name(_) | ExprKind::This => true,
        ExprKind::Member { base, .. }
        | ExprKind::Index { base, .. }
        | ExprKind::Slice { base, .. }
        | ExprKind::PlusSlice { base, .. } => is_lvalue(base),
        _ => false,
    }
}
