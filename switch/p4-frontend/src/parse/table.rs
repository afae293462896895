// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Tables.

use super::{Parsed, Parser};
use crate::ast::*;
use crate::lex::{Keyword, Punct, TokenKind};
use crate::source::Span;

impl Parser<'_> {
    /// `tableDeclaration`, annotations read before.
    pub(super) fn table(&mut self, annotations: Vec<Annotation>, start: Span) -> Parsed<TableDecl> {
        self.expect_keyword(Keyword::Table)?;
        let name = self.name()?;
        self.scopes.declare_object(&name);
        self.expect(Punct::LBrace)?;
        if self.at(Punct::RBrace) {
            return self.unexpected("a table property");
        }
        let mut properties = Vec::new();
        self.braced_elements("\"}\"", |p| {
            properties.push(p.table_property()?);
            Ok(())
        })?;
        Ok(TableDecl {
            annotations,
            name,
            properties,
            span: self.since(start),
        })
    }

    fn table_property(&mut self) -> Parsed<TableProperty> {
        let start = self.here();
        let annotations = self.annotations()?;
        let is_const = self.eat_keyword(Keyword::Const);
        let keyword = match self.token().kind {
            TokenKind::Keyword(k) => Some(k),
            _ => None,
        };
        if is_const && matches!(keyword, Some(Keyword::Key | Keyword::Actions)) {
            return self.unexpected("\"entries\" or another table property after \"const\"");
        }
        let name = if self.is_name(0) && !self.at_keyword(Keyword::List) {
            self.name()?
        } else {
            return self.unexpected("a table property");
        };
        self.expect(Punct::Assign)?;
        let value = match keyword {
            Some(Keyword::Key) => TablePropertyValue::Key(self.property_list(Self::key_element)?),
            Some(Keyword::Actions) => TablePropertyValue::Actions(self.property_list(|p| {
                let start = p.here();
                let annotations = p.annotations()?;
                let action = p.action_ref(annotations, start)?;
                p.expect(Punct::Semicolon)?;
                Ok(action)
            })?),
            Some(Keyword::Entries) => TablePropertyValue::Entries(self.property_list(Self::entry)?),
            _ => {
                let e = self.expression()?;
                self.expect(Punct::Semicolon)?;
                TablePropertyValue::Expr(e)
            }
        };
        Ok(TableProperty {
            annotations,
            is_const,
            name,
            value,
            span: self.since(start),
        })
    }

    fn property_list<T>(
        &mut self,
        mut element: impl FnMut(&mut Self) -> Parsed<T>,
    ) -> Parsed<Vec<T>> {
        self.expect(Punct::LBrace)?;
        let mut list = Vec::new();
        self.braced_elements("\"}\"", |p| {
            list.push(element(p)?);
            Ok(())
        })?;
        Ok(list)
    }

    fn key_element(&mut self) -> Parsed<KeyElement> {
        let start = self.here();
        let expr = self.expression()?;
        self.expect(Punct::Colon)?;
        let match_kind = self.name()?;
        let annotations = self.annotations()?;
        self.expect(Punct::Semicolon)?;
        Ok(KeyElement {
            expr,
            match_kind,
            annotations,
            span: self.since(start),
        })
    }

    fn action_ref(&mut self, annotations: Vec<Annotation>, start: Span) -> Parsed<ActionRef> {
        let name = self.path()?;
        let args = if self.at(Punct::LParen) {
            Some(self.arguments()?)
        } else {
            None
        };
        Ok(ActionRef {
            annotations,
            name,
            args,
            span: self.since(start),
        })
    }

    fn entry(&mut self) -> Parsed<Entry> {
        let start = self.here();
        let is_const = self.eat_keyword(Keyword::Const);
        let mut priority = None;
        if self.at_keyword(Keyword::Priority) && self.peek(1).is(Punct::Assign) {
            self.advance();
            self.advance();
            priority = Some(if self.token().kind == TokenKind::Integer {
                self.integer()?
            } else if self.eat(Punct::LParen) {
                let e = self.expression()?;
                self.expect(Punct::RParen)?;
                e
            } else {
                return self.unexpected("integer or \"(\"");
            });
            self.expect(Punct::Colon)?;
        }
        let keyset = self.keyset()?;
        self.expect(Punct::Colon)?;
        let action_start = self.here();
        let action = self.action_ref(Vec::new(), action_start)?;
        let annotations = self.annotations()?;
        self.expect(Punct::Semicolon)?;
        Ok(Entry {
            is_const,
            priority,
            keyset,
            action,
            annotations,
            span: self.since(start),
        })
    }
}
