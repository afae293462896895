// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Deparsers of TNA: statements, which run first, and headers in order. What they ask for (mirrored and resubmitted packets)
//! is left in the metadata between program and switch, with a header of its own.

use std::rc::Rc;

use num_bigint::BigInt;

use super::super::flow::with_jumps;
use super::super::values::Val;
use super::super::{Block, Lowerer, Node};
use super::{BIT, is_header};
use crate::ast::BinaryOp;
use crate::backend::ir::{Ex, HeaderId, HeaderRef, Scalar, St, WORD};
use crate::sema::hir::{Call, Callee, Expr, ExprKind, Stmt, StmtKind};
use crate::source::Span;

impl Lowerer<'_> {
    /// Both deparsers, each with the headers and metadata that it works on.
    pub(super) fn deparsers(
        &mut self,
        ingress: (&Rc<Node>, &[Val; 2]),
        egress: (&Rc<Node>, &[Val; 2]),
    ) {
        self.block = Block::Deparser;
        let first = self.deparser(ingress.0, ingress.1);
        if let Some(b) = &mut self.tna {
            b.in_egress = true;
        }
        let second = self.deparser(egress.0, egress.1);
        let emits = self.tna.as_mut().map(|b| std::mem::take(&mut b.emits));
        self.program.deparser = emits.unwrap_or_default();
        let Some(block) = self.standard_field("instance_type") else {
            return;
        };
        let in_egress = Ex::binary(
            BinaryOp::Ne,
            Ex::place(block, WORD),
            Ex::int(0, WORD),
            Scalar::Bool,
        );
        let span = self.program.deparser_span;
        match with_jumps(&[St::If(in_egress, second, first, span)]) {
            Ok(ops) => self.program.deparser_ops = ops,
            Err((span, message)) => self.error(span, message),
        }
    }

    fn deparser(&mut self, node: &Rc<Node>, way: &[Val; 2]) -> Vec<St> {
        let Some(c) = Self::control_of(node) else {
            return Vec::new();
        };
        self.block_name.clone_from(&node.path);
        self.program.deparser_span = c.name_span;
        self.no_emit_under_condition(&c.body.stmts);
        let args = self.arguments(node, way);
        self.pipeline(node, &args).body
    }

    /// Headers are left out by their validity, not by conditions.
    fn no_emit_under_condition(&mut self, stmts: &[Stmt]) {
        for s in stmts {
            match &s.kind {
                StmtKind::Block(b) => self.no_emit_under_condition(&b.stmts),
                StmtKind::If(_, a, b) => {
                    let mut found = None;
                    let branches = [Some(a), b.as_ref()];
                    for branch in branches.into_iter().flatten() {
                        let look = &mut |e: &Expr| {
                            if let ExprKind::Call(c) = &e.kind
                                && let Callee::Method(o, p) = &c.callee
                                && &*p.name == "emit"
                                && matches!(&*o.ty, crate::sema::types::Type::Extern(t) if &*t.name == "packet_out")
                            {
                                found.get_or_insert(e.span);
                            }
                        };
                        super::super::visit_stmts(std::slice::from_ref(branch), look);
                    }
                    if let Some(span) = found {
                        self.unsupported(span, "emit under a condition");
                    }
                }
                _ => {}
            }
        }
    }

    /// `packet.emit(headers)`
    pub(in super::super) fn tna_emit(&mut self, c: &Call, out: &mut Vec<St>) -> Val {
        let mut emits = Vec::new();
        for a in c.args.iter().flatten() {
            let v = self.value(a, out);
            self.emit(&v, a.span, &mut emits);
        }
        if let Some(b) = &mut self.tna {
            b.emits.extend(emits);
        }
        Val::Nowhere
    }

    /// `mirror.emit(session, header)`: not if the packet's `mirror_type` is another.
    pub(super) fn mirror(&mut self, of: Option<&BigInt>, c: &Call, span: Span, out: &mut Vec<St>) {
        let mut body = Vec::new();
        if let Some(Some(session)) = c.args.first() {
            let session = self.ex(session, &mut body);
            let session = Ex::cast(session, super::bits(10));
            self.set_standard("mirror_session", session, span, &mut body);
        }
        let header = c.args.get(1).and_then(Option::as_ref);
        let made = header.and_then(|h| self.extra_header("mirror", h, &mut body));
        self.set_standard("mirror", Ex::int(1, BIT), span, &mut body);
        let ingress = self.in_ingress();
        if let Some(t) = &mut self.program.tna {
            t.mirrors.extend(made);
            t.keeps_arrival |= ingress;
        }
        self.if_type("mirror_type", of, body, span, out);
    }

    /// `resubmit.emit(header)`
    pub(super) fn resubmit(
        &mut self,
        of: Option<&BigInt>,
        c: &Call,
        span: Span,
        out: &mut Vec<St>,
    ) {
        let mut body = Vec::new();
        let header = c.args.first().and_then(Option::as_ref);
        let made = header.and_then(|h| self.extra_header("resubmit", h, &mut body));
        self.set_standard("resubmit", Ex::int(1, BIT), span, &mut body);
        if let Some(t) = &mut self.program.tna {
            t.resubmits.extend(made);
            t.keeps_arrival = true;
        }
        self.if_type("resubmit_type", of, body, span, out);
    }

    /// Statements that run if the packet is of the type that an object was made for.
    pub(super) fn if_type(
        &mut self,
        field: &str,
        of: Option<&BigInt>,
        body: Vec<St>,
        span: Span,
        out: &mut Vec<St>,
    ) {
        let way = if self.in_ingress() {
            "ingress"
        } else {
            "egress"
        };
        let name = format!("{way}_intrinsic_metadata_for_deparser.{field}");
        let of = of.and_then(|wanted| {
            let i = self.program.scalars.iter().position(|s| s.name == name)?;
            let ty = self.program.scalars.get(i)?.ty;
            let is = Ex::place(crate::backend::ir::Place::Scalar(i), ty);
            let wanted = Ex::int(wanted.clone(), ty);
            Some(Ex::binary(BinaryOp::Eq, is, wanted, Scalar::Bool))
        });
        match of {
            Some(condition) => out.push(St::If(condition, body, Vec::new(), span)),
            None => out.extend(body),
        }
    }

    /// Whether the ingress deparser is being lowered, rather than that of egress.
    fn in_ingress(&self) -> bool {
        self.tna.as_ref().is_some_and(|b| !b.in_egress)
    }

    /// A valid header that comes before a packet, with the value of an argument.
    fn extra_header(&mut self, name: &str, e: &Expr, out: &mut Vec<St>) -> Option<HeaderId> {
        if !is_header(&e.ty) {
            self.error(e.span, format!("{name}: expected a header, not '{}'", e.ty));
            return None;
        }
        let place = self.storage(&format!("${name}"), &e.ty, e.span);
        let value = match self.value(e, out) {
            Val::Struct(fields) => Val::HeaderValue(fields),
            v => v,
        };
        self.assign(&place, value, e.span, out);
        let Val::Header(HeaderRef::Instance(id), _) = &place else {
            return None;
        };
        self.set_valid(&HeaderRef::Instance(*id), e.span, out);
        Some(*id)
    }

    /// `digest.pack(data)`
    pub(super) fn pack(
        &mut self,
        name: &str,
        of: Option<&BigInt>,
        data: &Expr,
        span: Span,
        out: &mut Vec<St>,
    ) {
        let mut body = Vec::new();
        let v = self.value(data, &mut body);
        let mut fields = Vec::new();
        self.flatten(&v, data.span, &mut fields);
        let fields = fields
            .into_iter()
            .map(|f| self.field_of(f, "digest", data.span, &mut body))
            .collect();
        self.program
            .learn_lists
            .push(crate::backend::ir::FieldList {
                name: name.to_string(),
                fields,
                span: data.span,
            });
        let list = self.program.learn_lists.len() - 1;
        let op = crate::backend::ir::Op::Digest(Ex::int(0, WORD), list);
        body.push(St::Op(op, span));
        self.if_type("digest_type", of, body, span, out);
    }
}
