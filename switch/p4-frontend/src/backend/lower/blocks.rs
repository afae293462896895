// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! The blocks of v1model that are no pipelines: checksums and deparser.

use std::rc::Rc;

use super::values::{Obj, Val};
use super::{Lowerer, Node};
use crate::backend::ir::{Checksum, Emit, Ex, ExKind, HeaderRef, St};
use crate::sema::hir::{Block, Call, Callee, Expr, ExprKind, Local, Stmt, StmtKind};
use crate::source::Span;

impl Lowerer<'_> {
    fn enter(&mut self, node: &Rc<Node>, args: &[Val]) -> Option<Rc<crate::sema::hir::Control>> {
        let c = Self::control_of(node)?;
        self.env = c
            .params
            .iter()
            .map(|p| p.var.id)
            .zip(args.iter().cloned())
            .collect();
        self.env
            .extend(node.args.iter().map(|(k, v)| (*k, v.clone())));
        self.node = node.clone();
        Some(c)
    }

    /// VerifyChecksum or ComputeChecksum: calls of `verify_checksum` or `update_checksum` only, as in p4c.
    pub(super) fn checksum_block(&mut self, node: &Rc<Node>, args: &[Val], verify: bool) {
        let Some(c) = self.enter(node, args) else {
            return;
        };
        self.checksums(&c.body.stmts, verify, &Ex::bool(true));
    }

    fn checksums(&mut self, list: &[Stmt], verify: bool, guard: &Ex) {
        for s in list {
            match &s.kind {
                StmtKind::Block(b) => self.checksums(&b.stmts, verify, guard),
                StmtKind::If(c, a, b) => {
                    // A condition around a checksum is part of the checksum's own.
                    let mut out = Vec::new();
                    let c = self.ex(c, &mut out);
                    if !out.is_empty() {
                        self.error(
                            s.span,
                            "not supported in the checksum controls on this target",
                        );
                        continue;
                    }
                    self.checksums(
                        std::slice::from_ref(&**a),
                        verify,
                        &Ex::and(guard.clone(), c.clone()),
                    );
                    if let Some(b) = b {
                        self.checksums(
                            std::slice::from_ref(&**b),
                            verify,
                            &Ex::and(guard.clone(), c.negated()),
                        );
                    }
                }
                StmtKind::Call(Expr {
                    kind: ExprKind::Call(c),
                    ..
                }) if matches!(c.callee, Callee::Control(_)) => {
                    self.sub_block(c, s.span, &mut |l, c| {
                        for local in &c.locals {
                            if let Local::Instance(i) = local {
                                l.declare_instance(i);
                            }
                        }
                        l.checksums(&c.body.stmts, verify, guard);
                    });
                }
                _ => self.checksum(s, verify, guard),
            }
        }
    }

    fn checksum(&mut self, s: &Stmt, verify: bool, guard: &Ex) {
        let word = if verify {
            "verify_checksum"
        } else {
            "update_checksum"
        };
        let call = Self::extern_call(s);
        let Some((proto, c, e)) =
            call.filter(|(p, ..)| p.name.strip_suffix("_with_payload").unwrap_or(&p.name) == word)
        else {
            self.error(
                s.span,
                format!("Only calls to {word} or {word}_with_payload allowed"),
            );
            return;
        };
        let args: Vec<_> = c.args.iter().flatten().collect();
        let [condition, data, target, algorithm] = args.as_slice() else {
            return;
        };
        let mut out: Vec<St> = Vec::new();
        let condition = self.ex(condition, &mut out);
        let condition = Ex::and(guard.clone(), condition);
        let value = self.value(data, &mut out);
        let mut input = Vec::new();
        self.flatten(&value, data.span, &mut input);
        let target = self.ex(target, &mut out);
        let Some(algorithm) = self.member_name(algorithm) else {
            return;
        };
        if !out.is_empty() || input.iter().any(|x| !x.is_simple()) {
            self.error(
                data.span,
                format!("Computations are not supported in {word}"),
            );
            return;
        }
        let ExKind::Place(target) = target.kind else {
            self.error(
                e.span,
                format!("{word}: the checksum must be a field or variable"),
            );
            return;
        };
        let payload = proto.name.ends_with("_with_payload");
        let calculation = self.calculation(algorithm, input, payload, e.span, true);
        self.program.checksums.push(Checksum {
            target,
            calculation,
            verify,
            condition,
            span: s.span,
        });
    }

    /// The deparser: a sequence of `emit`.
    pub(super) fn deparser_block(&mut self, node: &Rc<Node>, args: &[Val]) {
        let Some(c) = self.enter(node, args) else {
            return;
        };
        self.program.deparser_span = c.name_span;
        let mut emits = Vec::new();
        self.deparser_locals(&c);
        self.emits(&c.body, &mut emits);
        self.program.deparser = emits;
    }

    fn emits(&mut self, b: &Block, emits: &mut Vec<Emit>) {
        for s in &b.stmts {
            if !self.spend_statement(s.span) {
                return;
            }
            match &s.kind {
                StmtKind::Block(b) => self.emits(b, emits),
                StmtKind::Call(e) => {
                    let ExprKind::Call(c) = &e.kind else { continue };
                    match &c.callee {
                        Callee::Method(obj, proto) if &*proto.name == "emit" => {
                            let mut out = Vec::new();
                            if !matches!(self.value(obj, &mut out), Val::Obj(Obj::PacketOut)) {
                                continue;
                            }
                            for a in c.args.iter().flatten() {
                                let v = self.value(a, &mut out);
                                self.emit(&v, a.span, emits);
                            }
                        }
                        Callee::Control(_) => self.sub_block(c, s.span, &mut |l, c| {
                            l.deparser_locals(c);
                            l.emits(&c.body, emits);
                        }),
                        _ => self.error(s.span, "not supported in deparsers on this target"),
                    }
                }
                StmtKind::If(c, a, b) => {
                    // Conditions that are known are no conditions.
                    let mut out = Vec::new();
                    let c = self.ex(c, &mut out);
                    let branch = match c.kind {
                        ExKind::Bool(true) => Some((**a).clone()),
                        ExKind::Bool(false) => b.as_ref().map(|b| (**b).clone()),
                        _ => {
                            self.error(s.span, "not supported in deparsers on this target");
                            None
                        }
                    };
                    if let Some(s) = branch {
                        let span = s.span;
                        self.emits(
                            &Block {
                                stmts: vec![s],
                                atomic: false,
                                span,
                            },
                            emits,
                        );
                    }
                }
                StmtKind::Return(_) => return,
                _ => self.error(s.span, "not supported in deparsers on this target"),
            }
        }
    }

    /// A control that a block without state applies: its parameters stand for its arguments, since nothing is assigned.
    fn sub_block(
        &mut self,
        call: &Call,
        span: Span,
        body: &mut dyn FnMut(&mut Self, &crate::sema::hir::Control),
    ) {
        let Callee::Control(instance) = &call.callee else {
            return;
        };
        if !self.spend_call(span) {
            return;
        }
        let mut out = Vec::new();
        let Val::Obj(Obj::Node(node)) = self.value(instance, &mut out) else {
            return;
        };
        let values: Vec<Val> = call
            .args
            .iter()
            .map(|a| a.as_ref().map_or(Val::Bad, |a| self.value(a, &mut out)))
            .collect();
        if !out.is_empty() || self.depth >= super::MAX_INLINE {
            self.error(span, "this call is not supported here on this target");
            return;
        }
        self.depth += 1;
        let (env, caller) = (self.env.clone(), self.node.clone());
        if let Some(c) = self.enter(&node, &values) {
            body(self, &c);
        }
        self.env = env;
        self.node = caller;
        self.depth -= 1;
    }

    /// What a control in the deparser declares; nothing can be assigned to its variables.
    fn deparser_locals(&mut self, c: &crate::sema::hir::Control) {
        for l in &c.locals {
            match l {
                Local::Instance(i) => self.declare_instance(i),
                Local::Var(v, None, _) => {
                    let home = self.home(v);
                    self.env.insert(v.id, home);
                }
                Local::Var(_, Some(e), _) => {
                    self.error(e.span, "not supported in deparsers on this target");
                }
                Local::Action(_) | Local::Table(_) | Local::ValueSet(_) => {}
            }
        }
    }

    pub(super) fn emit(&mut self, v: &Val, span: Span, emits: &mut Vec<Emit>) {
        match v {
            Val::Header(HeaderRef::Instance(h), _) => emits.push(Emit::Header(*h)),
            Val::Stack(s, _) => emits.push(Emit::Stack(*s)),
            Val::Union(l, _) | Val::Unions(l, _) => {
                l.iter().for_each(|v| self.emit(v, span, emits))
            }
            Val::Struct(l) => {
                for v in l {
                    if matches!(v, Val::Ex(Ex { .. })) {
                        self.error(span, "emit: argument must be a header, stack, union, or struct of such types");
                        return;
                    }
                    self.emit(v, span, emits);
                }
            }
            Val::Bad => {}
            _ => self.error(
                span,
                "emit: argument must be a header, stack, union, or struct of such types",
            ),
        }
    }
}
