// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Declarations.

use super::stmt::Place;
use super::{Parsed, Parser};
use crate::ast::*;
use crate::lex::{Keyword, Punct, TokenKind};
use crate::source::Span;

impl Parser<'_> {
    /// `declaration`
    pub(super) fn declaration(&mut self) -> Parsed<Decl> {
        use Keyword::*;
        let start = self.here();
        let annotations = self.annotations()?;
        let next_brace = self.peek(1).is(Punct::LBrace);
        let TokenKind::Keyword(k) = self.token().kind else {
            if self.is_word(0) || self.at(Punct::Dot) {
                return self.function_or_instantiation(annotations, start);
            }
            return self.unexpected("a declaration");
        };
        match k {
            Const => Ok(Decl::Const(self.constant(annotations, start)?)),
            Extern => self.extern_declaration(annotations, start),
            Action => Ok(Decl::Action(self.action(annotations, start)?)),
            Parser => self.parser_declaration(annotations, start),
            Control => self.control_declaration(annotations, start),
            Package => {
                self.advance();
                let ty = self.applicable_type(annotations, start);
                self.scopes.truncate(1);
                let ty = ty?;
                self.expect(Punct::Semicolon)?;
                Ok(Decl::Package(ty))
            }
            Header | HeaderUnion | Struct | Enum => self.derived_type(annotations, start),
            Error if next_brace => Ok(Decl::Error(self.ident_list(annotations, start, false)?)),
            MatchKind if next_brace => Ok(Decl::MatchKind(self.ident_list(
                annotations,
                start,
                true,
            )?)),
            Typedef => self.typedef(annotations, start),
            Type if !self.peek(1).is(Punct::LParen) => self.typedef(annotations, start),
            Bit | Bool | Error | Int | MatchKind | String | Varbit | Tuple | List | Void => {
                self.function_or_instantiation(annotations, start)
            }
            k if k.is_contextual() => self.function_or_instantiation(annotations, start),
            _ => self.unexpected("a declaration"),
        }
    }

    /// `const T x = e;`
    pub(super) fn constant(
        &mut self,
        annotations: Vec<Annotation>,
        start: Span,
    ) -> Parsed<ConstDecl> {
        self.expect_keyword(Keyword::Const)?;
        let ty = self.type_ref()?;
        let name = self.name()?;
        self.expect(Punct::Assign)?;
        let value = self.expression()?;
        self.scopes.declare_object(&name);
        self.expect(Punct::Semicolon)?;
        Ok(ConstDecl {
            annotations,
            ty,
            name,
            value,
            span: self.since(start),
        })
    }

    /// `T(args) x;`, `T(args) x = {...};`, the type read before.
    pub(super) fn instantiation(
        &mut self,
        annotations: Vec<Annotation>,
        ty: TypeRef,
        start: Span,
    ) -> Parsed<Instantiation> {
        let args = self.arguments()?;
        let name = self.name()?;
        self.scopes.declare_object(&name);
        let mut initializer = None;
        if self.eat(Punct::Assign) {
            self.expect(Punct::LBrace)?;
            let depth = self.scopes.depth();
            self.scopes.push();
            let mut list = Vec::new();
            let end = self.nested(|p| {
                p.braced_elements("\"}\"", |p| {
                    let start = p.here();
                    let annotations = p.annotations()?;
                    list.push(p.function_or_instantiation(annotations, start)?);
                    Ok(())
                })
            });
            self.scopes.truncate(depth);
            end?;
            initializer = Some(list);
        }
        self.expect(Punct::Semicolon)?;
        Ok(Instantiation {
            annotations,
            ty,
            args,
            name,
            initializer,
            span: self.since(start),
        })
    }

    fn function_or_instantiation(
        &mut self,
        annotations: Vec<Annotation>,
        start: Span,
    ) -> Parsed<Decl> {
        let ty = self.type_or_void()?;
        if self.at(Punct::LParen) && ty.kind != TypeKind::Void {
            return Ok(Decl::Instantiation(self.instantiation(
                annotations,
                ty,
                start,
            )?));
        }
        let depth = self.scopes.depth();
        let result = self.function(annotations, ty, start);
        self.scopes.truncate(depth);
        result.map(Decl::Function)
    }

    fn function(
        &mut self,
        annotations: Vec<Annotation>,
        ty: TypeRef,
        start: Span,
    ) -> Parsed<FunctionDecl> {
        let proto = self.function_proto(annotations, ty, start)?;
        let body = self.block(Vec::new(), Place::Control)?;
        Ok(FunctionDecl {
            proto,
            body,
            span: self.since(start),
        })
    }

    /// Name, type parameters and parameters of a function. Leaves a scope with these open.
    fn function_proto(
        &mut self,
        annotations: Vec<Annotation>,
        return_type: TypeRef,
        start: Span,
    ) -> Parsed<FunctionProto> {
        let name = self.name()?;
        self.scopes.declare_object(&name);
        self.scopes.push();
        let type_params = self.opt_type_params()?;
        let params = self.params()?;
        Ok(FunctionProto {
            annotations,
            return_type,
            name,
            type_params,
            params,
            span: self.since(start),
        })
    }

    /// `(parameterList)`; the names are declared in the current scope.
    fn params(&mut self) -> Parsed<Vec<Param>> {
        self.expect(Punct::LParen)?;
        self.comma_list(Punct::RParen, false, |p| {
            let start = p.here();
            let annotations = p.annotations()?;
            let direction = match p.token().kind {
                TokenKind::Keyword(Keyword::In) => Direction::In,
                TokenKind::Keyword(Keyword::Out) => Direction::Out,
                TokenKind::Keyword(Keyword::InOut) => Direction::InOut,
                _ => Direction::None,
            };
            if direction != Direction::None {
                p.advance();
            }
            let ty = p.type_ref()?;
            let name = p.name()?;
            let default = if p.eat(Punct::Assign) {
                Some(p.expression()?)
            } else {
                None
            };
            p.scopes.declare_object(&name);
            Ok(Param {
                annotations,
                direction,
                ty,
                name,
                default,
                span: p.since(start),
            })
        })
    }

    /// Name, type parameters and parameters after `parser`, `control` or `package`. Leaves a scope with these open.
    fn applicable_type(
        &mut self,
        annotations: Vec<Annotation>,
        start: Span,
    ) -> Parsed<ApplicableType> {
        let name = self.name()?;
        self.scopes.declare_type(&name);
        self.scopes.push();
        let type_params = self.opt_type_params()?;
        let params = self.params()?;
        Ok(ApplicableType {
            annotations,
            name,
            type_params,
            params,
            span: self.since(start),
        })
    }

    fn constructor_params(&mut self) -> Parsed<Vec<Param>> {
        if self.at(Punct::LParen) {
            return self.params();
        }
        if !self.at(Punct::LBrace) {
            return self.unexpected("\";\", \"(\" or \"{\"");
        }
        Ok(Vec::new())
    }

    fn extern_declaration(&mut self, annotations: Vec<Annotation>, start: Span) -> Parsed<Decl> {
        self.expect_keyword(Keyword::Extern)?;
        let depth = self.scopes.depth();
        let generic = self.is_name(0) && self.peek(1).is(Punct::Lt) && {
            // `extern X<T, U> {` rather than `extern X<T> f(...);`
            let mut n = 2;
            while self.is_name(n) && self.peek(n + 1).is(Punct::Comma) {
                n += 2;
            }
            self.is_name(n) && self.peek(n + 1).is(Punct::Gt) && self.peek(n + 2).is(Punct::LBrace)
        };
        let result = if generic || (self.is_name(0) && self.peek(1).is(Punct::LBrace)) {
            self.extern_type(annotations, start).map(Decl::Extern)
        } else {
            self.extern_function(annotations, start)
                .map(Decl::ExternFunction)
        };
        self.scopes.truncate(depth);
        result
    }

    fn extern_function(
        &mut self,
        annotations: Vec<Annotation>,
        start: Span,
    ) -> Parsed<FunctionProto> {
        let ty = self.type_or_void()?;
        let mut proto = self.function_proto(annotations, ty, start)?;
        self.expect(Punct::Semicolon)?;
        proto.span = self.since(start);
        Ok(proto)
    }

    fn extern_type(&mut self, annotations: Vec<Annotation>, start: Span) -> Parsed<ExternDecl> {
        let name = self.name()?;
        self.scopes.declare_type(&name);
        self.scopes.push();
        let type_params = self.opt_type_params()?;
        self.expect(Punct::LBrace)?;
        let mut methods = Vec::new();
        self.braced_elements("\"}\"", |p| {
            let depth = p.scopes.depth();
            let method = p.method(&name);
            p.scopes.truncate(depth);
            methods.push(method?);
            Ok(())
        })?;
        Ok(ExternDecl {
            annotations,
            name,
            type_params,
            methods,
            span: self.since(start),
        })
    }

    fn method(&mut self, extern_name: &Ident) -> Parsed<Method> {
        let start = self.here();
        let annotations = self.annotations()?;
        // The names of methods are members: they hide nothing outside.
        self.scopes.push();
        let (kind, mut proto) = if self.is_word(0) && self.peek(1).is(Punct::LParen) {
            let name = self.name()?;
            if name.name != extern_name.name {
                let message = format!(
                    "constructor of '{extern_name}' must have its name, or '{name}' lacks a type"
                );
                return self.fail(name.span, message);
            }
            let return_type = TypeRef {
                kind: TypeKind::Void,
                span: name.span,
            };
            let params = self.params()?;
            let span = self.since(start);
            let type_params = Vec::new();
            let proto = FunctionProto {
                annotations,
                return_type,
                name,
                type_params,
                params,
                span,
            };
            (MethodKind::Constructor, proto)
        } else {
            let is_abstract = self.eat_keyword(Keyword::Abstract);
            let ty = self.type_or_void()?;
            let proto = self.function_proto(annotations, ty, start)?;
            (
                if is_abstract {
                    MethodKind::Abstract
                } else {
                    MethodKind::Method
                },
                proto,
            )
        };
        self.expect(Punct::Semicolon)?;
        proto.span = self.since(start);
        Ok(Method { kind, proto })
    }

    /// `actionDeclaration`, annotations read before.
    fn action(&mut self, annotations: Vec<Annotation>, start: Span) -> Parsed<ActionDecl> {
        self.expect_keyword(Keyword::Action)?;
        let name = self.name()?;
        self.scopes.declare_object(&name);
        let depth = self.scopes.depth();
        self.scopes.push();
        let result = self
            .params()
            .and_then(|params| Ok((params, self.block(Vec::new(), Place::Control)?)));
        self.scopes.truncate(depth);
        let (params, body) = result?;
        Ok(ActionDecl {
            annotations,
            name,
            params,
            body,
            span: self.since(start),
        })
    }

    fn parser_declaration(&mut self, annotations: Vec<Annotation>, start: Span) -> Parsed<Decl> {
        self.expect_keyword(Keyword::Parser)?;
        let depth = self.scopes.depth();
        let result = self.parser_rest(annotations, start);
        self.scopes.truncate(depth);
        result
    }

    fn parser_rest(&mut self, annotations: Vec<Annotation>, start: Span) -> Parsed<Decl> {
        let ty = self.applicable_type(annotations, start)?;
        if self.eat(Punct::Semicolon) {
            return Ok(Decl::ParserType(ty));
        }
        let constructor_params = self.constructor_params()?;
        let open = self.expect(Punct::LBrace)?;
        let (mut locals, mut states) = (Vec::new(), Vec::new());
        let had_errors = !self.errors.is_empty();
        self.braced_elements("\"}\"", |p| {
            let start = p.here();
            let annotations = p.annotations()?;
            if p.at_keyword(Keyword::State) {
                states.push(p.parser_state(annotations, start)?);
            } else if !states.is_empty() {
                return p.unexpected("\"state\" or \"}\"");
            } else {
                locals.push(p.parser_local(annotations, start)?);
            }
            Ok(())
        })?;
        if states.is_empty() && (had_errors || self.errors.is_empty()) {
            return self.fail(
                open.to(self.last_span()),
                format!("parser '{}' has no states", ty.name),
            );
        }
        Ok(Decl::Parser(ParserDecl {
            ty,
            constructor_params,
            locals,
            states,
            span: self.since(start),
        }))
    }

    fn parser_local(&mut self, annotations: Vec<Annotation>, start: Span) -> Parsed<Decl> {
        if self.at_keyword(Keyword::ValueSet) {
            self.advance();
            self.expect(Punct::Lt)?;
            let element = self.type_ref()?;
            self.close_angle()?;
            self.expect(Punct::LParen)?;
            let size = self.expression()?;
            self.expect(Punct::RParen)?;
            let name = self.name()?;
            self.scopes.declare_object(&name);
            self.expect(Punct::Semicolon)?;
            let span = self.since(start);
            return Ok(Decl::ValueSet(ValueSetDecl {
                annotations,
                element,
                size,
                name,
                span,
            }));
        }
        self.local(annotations, start, "a declaration or \"state\"")
    }

    /// Constant, variable or instantiation.
    fn local(
        &mut self,
        annotations: Vec<Annotation>,
        start: Span,
        expecting: &str,
    ) -> Parsed<Decl> {
        if self.at_keyword(Keyword::Const) {
            return Ok(Decl::Const(self.constant(annotations, start)?));
        }
        if !self.starts_type(0) && !self.is_word(0) && !self.at(Punct::Dot) {
            return self.unexpected(expecting);
        }
        let ty = self.type_ref()?;
        if self.at(Punct::LParen) {
            return Ok(Decl::Instantiation(self.instantiation(
                annotations,
                ty,
                start,
            )?));
        }
        let mut d = self.variable(annotations, ty, start)?;
        self.expect(Punct::Semicolon)?;
        d.span = self.since(start);
        Ok(Decl::Var(d))
    }

    fn parser_state(&mut self, annotations: Vec<Annotation>, start: Span) -> Parsed<ParserState> {
        self.expect_keyword(Keyword::State)?;
        let name = self.name()?;
        self.expect(Punct::LBrace)?;
        let depth = self.scopes.depth();
        self.scopes.push();
        let mut stmts = Vec::new();
        let mut transition = None;
        let result = self.braced_elements("\"}\"", |p| {
            if transition.is_some() {
                return p.unexpected("\"}\" after the transition");
            }
            if p.at_keyword(Keyword::Transition) {
                transition = Some(p.transition()?);
            } else {
                stmts.push(p.statement_or_declaration(Place::Parser)?);
            }
            Ok(())
        });
        self.scopes.truncate(depth);
        result?;
        Ok(ParserState {
            annotations,
            name,
            stmts,
            transition,
            span: self.since(start),
        })
    }

    fn transition(&mut self) -> Parsed<Transition> {
        self.expect_keyword(Keyword::Transition)?;
        if !self.at_keyword(Keyword::Select) {
            if !self.is_name(0) {
                return self.unexpected("a state's name or \"select\"");
            }
            let name = self.name()?;
            self.expect(Punct::Semicolon)?;
            return Ok(Transition::Direct(name));
        }
        let start = self.advance().span;
        self.expect(Punct::LParen)?;
        let subjects = self.comma_list(Punct::RParen, false, Self::expression)?;
        self.expect(Punct::LBrace)?;
        let mut cases = Vec::new();
        self.braced_elements("\"}\"", |p| {
            let start = p.here();
            let keyset = p.keyset()?;
            p.expect(Punct::Colon)?;
            let state = p.name()?;
            p.expect(Punct::Semicolon)?;
            cases.push(SelectCase {
                keyset,
                state,
                span: p.since(start),
            });
            Ok(())
        })?;
        Ok(Transition::Select {
            subjects,
            cases,
            span: self.since(start),
        })
    }

    fn control_declaration(&mut self, annotations: Vec<Annotation>, start: Span) -> Parsed<Decl> {
        self.expect_keyword(Keyword::Control)?;
        let depth = self.scopes.depth();
        let result = self.control_rest(annotations, start);
        self.scopes.truncate(depth);
        result
    }

    fn control_rest(&mut self, annotations: Vec<Annotation>, start: Span) -> Parsed<Decl> {
        let ty = self.applicable_type(annotations, start)?;
        if self.eat(Punct::Semicolon) {
            return Ok(Decl::ControlType(ty));
        }
        let constructor_params = self.constructor_params()?;
        let open = self.expect(Punct::LBrace)?;
        let mut locals = Vec::new();
        let mut body: Option<Block> = None;
        let had_errors = !self.errors.is_empty();
        self.braced_elements("\"}\"", |p| {
            let start = p.here();
            if body.is_some() {
                return p.unexpected("\"}\" after \"apply\"");
            }
            let annotations = p.annotations()?;
            match p.token().kind {
                TokenKind::Keyword(Keyword::Apply) if annotations.is_empty() => {
                    p.advance();
                    let annotations = p.annotations()?;
                    body = Some(p.block(annotations, Place::Control)?);
                }
                TokenKind::Keyword(Keyword::Action) => {
                    locals.push(Decl::Action(p.action(annotations, start)?))
                }
                TokenKind::Keyword(Keyword::Table) => {
                    locals.push(Decl::Table(p.table(annotations, start)?))
                }
                _ => locals.push(p.local(annotations, start, "a declaration or \"apply\"")?),
            }
            Ok(())
        })?;
        let end = self.last_span();
        let body = match body {
            Some(b) => b,
            None if !had_errors && !self.errors.is_empty() => {
                // The error is reported; the block may have been skipped.
                Block {
                    annotations: Vec::new(),
                    stmts: Vec::new(),
                    span: end,
                    end_span: end,
                }
            }
            None => {
                return self.fail(
                    open.to(end),
                    format!("control '{}' has no apply block", ty.name),
                );
            }
        };
        Ok(Decl::Control(ControlDecl {
            ty,
            constructor_params,
            locals,
            body,
            span: self.since(start),
        }))
    }

    /// `derivedTypeDeclaration`, annotations read before.
    fn derived_type(&mut self, annotations: Vec<Annotation>, start: Span) -> Parsed<Decl> {
        match self.token().kind {
            TokenKind::Keyword(Keyword::Header) => {
                Ok(Decl::Header(self.struct_type(annotations, start)?))
            }
            TokenKind::Keyword(Keyword::HeaderUnion) => {
                Ok(Decl::HeaderUnion(self.struct_type(annotations, start)?))
            }
            TokenKind::Keyword(Keyword::Struct) => {
                Ok(Decl::Struct(self.struct_type(annotations, start)?))
            }
            TokenKind::Keyword(Keyword::Enum) => {
                Ok(Decl::Enum(self.enum_type(annotations, start)?))
            }
            _ => self.unexpected("a type"),
        }
    }

    fn struct_type(&mut self, annotations: Vec<Annotation>, start: Span) -> Parsed<StructDecl> {
        self.advance();
        let name = self.name()?;
        self.scopes.declare_type(&name);
        let depth = self.scopes.depth();
        self.scopes.push();
        let result = self.struct_rest();
        self.scopes.truncate(depth);
        let (type_params, fields) = result?;
        Ok(StructDecl {
            annotations,
            name,
            type_params,
            fields,
            span: self.since(start),
        })
    }

    fn struct_rest(&mut self) -> Parsed<(Vec<Ident>, Vec<Field>)> {
        let type_params = self.opt_type_params()?;
        self.expect(Punct::LBrace)?;
        let mut fields = Vec::new();
        self.braced_elements("\"}\"", |p| {
            let start = p.here();
            let annotations = p.annotations()?;
            let ty = p.type_ref()?;
            let name = p.name()?;
            p.expect(Punct::Semicolon)?;
            fields.push(Field {
                annotations,
                ty,
                name,
                span: p.since(start),
            });
            Ok(())
        })?;
        Ok((type_params, fields))
    }

    fn enum_type(&mut self, annotations: Vec<Annotation>, start: Span) -> Parsed<EnumDecl> {
        self.expect_keyword(Keyword::Enum)?;
        let plain = self.is_name(0) && self.peek(1).is(Punct::LBrace);
        let underlying = if plain { None } else { Some(self.type_ref()?) };
        let name = self.name()?;
        self.scopes.declare_type(&name);
        self.expect(Punct::LBrace)?;
        if self.at(Punct::RBrace) {
            return self.unexpected("identifier");
        }
        let members = self.comma_list(Punct::RBrace, true, |p| {
            let name = p.name()?;
            if plain {
                return Ok(EnumMember { name, value: None });
            }
            p.expect(Punct::Assign)?;
            Ok(EnumMember {
                name,
                value: Some(p.expression()?),
            })
        })?;
        Ok(EnumDecl {
            annotations,
            underlying,
            name,
            members,
            span: self.since(start),
        })
    }

    /// `error {...}`, `match_kind {...}`
    fn ident_list(
        &mut self,
        annotations: Vec<Annotation>,
        start: Span,
        trailing: bool,
    ) -> Parsed<IdentListDecl> {
        self.advance();
        self.expect(Punct::LBrace)?;
        if self.at(Punct::RBrace) {
            return self.unexpected("identifier");
        }
        let members = self.comma_list(Punct::RBrace, trailing, Self::name)?;
        Ok(IdentListDecl {
            annotations,
            members,
            span: self.since(start),
        })
    }

    fn typedef(&mut self, annotations: Vec<Annotation>, start: Span) -> Parsed<Decl> {
        let is_new_type = self.at_keyword(Keyword::Type);
        self.advance();
        let inner_start = self.here();
        let inner = self.annotations()?;
        use Keyword::*;
        let derived = matches!(
            self.token().kind,
            TokenKind::Keyword(Header | HeaderUnion | Struct | Enum)
        );
        let target = if derived && !is_new_type {
            TypedefTarget::Decl(Box::new(self.derived_type(inner, inner_start)?))
        } else if inner.is_empty() {
            TypedefTarget::Type(self.type_ref()?)
        } else {
            return self.unexpected("the declaration of a type");
        };
        let name = self.name()?;
        self.scopes.declare_type(&name);
        self.expect(Punct::Semicolon)?;
        Ok(Decl::Typedef(TypedefDecl {
            annotations,
            is_new_type,
            target,
            name,
            span: self.since(start),
        }))
    }
}
