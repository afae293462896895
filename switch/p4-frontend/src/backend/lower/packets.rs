// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Methods of `packet_in` and `packet_out`: extract, lookahead, advance, length, emit.

use std::rc::Rc;

use super::Lowerer;
use super::values::{Val, scalar_type};
use crate::ast::BinaryOp;
use crate::backend::ir::{Ex, ExKind, Op, Scalar, St};
use crate::sema::hir::{Call, Expr, ExprKind, Prototype};
use crate::sema::types::{StructKind, Ty, Type};
use crate::source::Span;

impl Lowerer<'_> {
    pub(super) fn packet_method(
        &mut self,
        proto: &Rc<Prototype>,
        c: &Call,
        e: &Expr,
        out: &mut Vec<St>,
    ) -> Val {
        match (&*proto.name, c.args.len()) {
            ("extract", n @ (1 | 2)) => {
                let Some(a) = self.arg(c, 0, e) else {
                    return Val::Bad;
                };
                if matches!(a.kind, ExprKind::DontCare) {
                    let width = c.type_args.first().and_then(|t| t.width()).unwrap_or(0);
                    out.push(St::Op(
                        Op::Advance(Ex::int(width, crate::backend::ir::WORD)),
                        e.span,
                    ));
                    return Val::Nowhere;
                }
                let target = self.lvalue(a, out);
                let bits = match c.args.get(1).and_then(Option::as_ref) {
                    Some(b) if n == 2 => Some(self.ex(b, out)),
                    _ => None,
                };
                match &target {
                    Val::Choice(l, index) => {
                        let next = self.extracts_next(a, out);
                        self.choose(l, index, e.span, out, &mut |s, v, out| {
                            s.extract(v, bits.as_ref(), a, e.span, out)
                        });
                        if let Some(next) = next {
                            let more = Ex::binary(
                                BinaryOp::Add,
                                next.clone(),
                                Ex::int(1, next.ty),
                                next.ty,
                            );
                            self.assign(&Val::Ex(next), Val::Ex(more), e.span, out);
                        }
                    }
                    v => self.extract(v, bits.as_ref(), a, e.span, out),
                }
                Val::Nowhere
            }
            ("lookahead", 0) => {
                let Some(t) = c.type_args.first().cloned() else {
                    return Val::Bad;
                };
                let mut offset = 0;
                self.lookahead(&t, &mut offset, e.span, out)
            }
            ("advance", 1) => {
                let Some(a) = self.arg(c, 0, e) else {
                    return Val::Bad;
                };
                let bits = self.ex(a, out);
                out.push(St::Op(Op::Advance(bits), e.span));
                Val::Nowhere
            }
            (other, _) => {
                self.error(
                    e.span,
                    format!("packet_in.{other} is not supported on this target"),
                );
                Val::Bad
            }
        }
    }

    fn extract(&mut self, v: &Val, bits: Option<&Ex>, a: &Expr, span: Span, out: &mut Vec<St>) {
        let (h, s) = match v {
            Val::Header(h, s) => (h, s),
            Val::Bad => return,
            _ => {
                self.error(
                    a.span,
                    format!(
                        "extract only accepts arguments with header types, not '{}'",
                        a.ty
                    ),
                );
                return;
            }
        };
        match bits {
            Some(bits) => out.push(St::Op(Op::ExtractVar(h.clone(), bits.clone()), span)),
            None => {
                if s.fields
                    .iter()
                    .any(|f| matches!(*f.ty.representation(), Type::Varbit(_)))
                {
                    self.error(
                        span,
                        format!(
                            "{}: extract of a header with varbit fields needs a second argument",
                            s.name
                        ),
                    );
                }
                out.push(St::Op(Op::Extract(h.clone()), span));
            }
        }
        self.invalidate_siblings(h, span, out);
    }

    /// Where the index of a stack of unions is kept, if `stack.next.header` is extracted; checks it first.
    fn extracts_next(&mut self, a: &Expr, out: &mut Vec<St>) -> Option<Ex> {
        let mut inner = a;
        while let ExprKind::Field(b, ..) = &inner.kind {
            inner = b;
        }
        let ExprKind::StackNext(stack) = &inner.kind else {
            return None;
        };
        let Val::Unions(l, next) = self.value(stack, out) else {
            return None;
        };
        let room = Ex::binary(
            BinaryOp::Lt,
            next.clone(),
            Ex::int(l.len(), next.ty),
            Scalar::Bool,
        );
        let code = self
            .program
            .errors
            .iter()
            .position(|e| &**e == "StackOutOfBounds")
            .unwrap_or(0);
        out.push(St::Op(
            Op::Verify(room, Ex::int(code, crate::backend::ir::WORD)),
            a.span,
        ));
        Some(next)
    }

    pub(super) fn lookahead(
        &mut self,
        t: &Ty,
        offset: &mut u32,
        span: Span,
        out: &mut Vec<St>,
    ) -> Val {
        if let Some(s) = t.as_struct() {
            let mut fields = Vec::new();
            for f in &s.fields {
                fields.push(self.lookahead(&f.ty, offset, span, out));
            }
            return if s.kind == StructKind::Header {
                Val::HeaderValue(fields)
            } else {
                Val::Struct(fields)
            };
        }
        if let Type::Tuple(parts) = &**t {
            let mut fields = Vec::new();
            for part in parts {
                fields.push(self.lookahead(part, offset, span, out));
            }
            return Val::Struct(fields);
        }
        match scalar_type(t) {
            Some(s @ (Scalar::Bits { .. } | Scalar::Bool)) => {
                let width = s.width();
                let raw = Scalar::Bits {
                    width,
                    signed: false,
                };
                let x = Ex {
                    kind: ExKind::Lookahead(*offset, width),
                    ty: raw,
                };
                *offset += width;
                // BMv2 looks ahead only to set a variable.
                match self.snapshot(Val::Ex(x), span, out) {
                    Val::Ex(x) => Val::Ex(Ex::cast(x, s)),
                    v => v,
                }
            }
            _ => {
                self.unsupported(span, &format!("lookahead of type '{t}'"));
                Val::Bad
            }
        }
    }
}
