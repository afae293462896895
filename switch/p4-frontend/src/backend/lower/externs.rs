// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! The functions of v1model and core.p4. Objects, packets and field lists are beside.

use std::rc::Rc;

use super::values::{Obj, Val, scalar_type};
use super::{Block, Lowerer};
use crate::ast::Name;
use crate::backend::ir::{Calculation, Ex, ExKind, FieldList, Op, St};
use crate::sema::hir::{self, Call, Expr, ExprKind, Prototype};
use crate::sema::types::Type;
use crate::source::Span;

impl Lowerer<'_> {
    /// The name of an enum's member that an argument is.
    pub(super) fn member_name(&mut self, e: &Expr) -> Option<Name> {
        if let ExprKind::EnumMember(en, i) = &e.kind {
            return en.members.get(*i).map(|(n, _)| n.clone());
        }
        let Type::Enum(en) = &*e.ty.clone() else {
            self.error(e.span, "must be a constant on this target");
            return None;
        };
        let v = self.constant_int(e, "argument")?;
        let i = usize::try_from(v).ok()?;
        en.members.get(i).map(|(n, _)| n.clone())
    }

    pub(super) fn arg<'e>(&mut self, c: &'e Call, n: usize, e: &Expr) -> Option<&'e Expr> {
        let a = c.args.get(n).and_then(Option::as_ref);
        if a.is_none() {
            self.error(e.span, "argument missing");
        }
        a
    }

    pub(super) fn pipeline_only(&mut self, what: &str, span: Span) -> bool {
        let ok = matches!(self.block, Block::Ingress | Block::Egress);
        if !ok {
            self.error(span, format!("{what}: cannot be used here on this target"));
        }
        ok
    }

    pub(super) fn call_method(
        &mut self,
        o: &Obj,
        proto: &Rc<Prototype>,
        c: &Call,
        e: &Expr,
        out: &mut Vec<St>,
    ) -> Val {
        match o {
            Obj::PacketIn => self.packet_method(proto, c, e, out),
            Obj::PacketOut if self.tna.is_some() => self.tna_emit(c, out),
            Obj::Tna(o) => self.tna_method(&o.clone(), proto, c, e, out),
            Obj::PacketOut => {
                self.error(
                    e.span,
                    format!(
                        "{}: only supported in the apply block of the deparser",
                        proto.name
                    ),
                );
                Val::Bad
            }
            Obj::Extern(id) => self.object_method(*id, proto, c, e, out),
            _ => Val::Bad,
        }
    }

    pub(super) fn call_extern(
        &mut self,
        proto: &Rc<Prototype>,
        c: &Call,
        e: &Expr,
        out: &mut Vec<St>,
    ) -> Val {
        let span = e.span;
        match &*proto.name {
            "verify" => {
                if self.block != Block::Parser {
                    self.error(span, "verify: may only be invoked in parsers");
                    return Val::Bad;
                }
                let (Some(a), Some(b)) = (self.arg(c, 0, e), self.arg(c, 1, e)) else {
                    return Val::Bad;
                };
                let cond = self.ex(a, out);
                let code = self.ex(b, out);
                out.push(St::Op(Op::Verify(cond, code), span));
            }
            "mark_to_drop" => {
                if !self.pipeline_only("mark_to_drop", span) {
                    return Val::Bad;
                }
                let target = match c.args.first().and_then(Option::as_ref) {
                    Some(a) => self.lvalue(a, out),
                    None => self.standard_metadata.clone(),
                };
                self.mark_to_drop(&target, span, out);
            }
            "random" => {
                if !self.pipeline_only("random", span) {
                    return Val::Bad;
                }
                let (Some(dst), Some(lo), Some(hi)) =
                    (self.arg(c, 0, e), self.arg(c, 1, e), self.arg(c, 2, e))
                else {
                    return Val::Bad;
                };
                let ty = scalar_type(&dst.ty).unwrap_or(crate::backend::ir::WORD);
                let dst = self.lvalue(dst, out);
                let lo = self.ex(lo, out);
                let hi = self.ex(hi, out);
                let mut after = Vec::new();
                if let Some(p) = self.result_place(&dst, ty, span, &mut after) {
                    out.push(St::Op(Op::Random(p, lo, hi), span));
                }
                out.extend(after);
            }
            "hash" => {
                if !self.pipeline_only("hash", span) {
                    return Val::Bad;
                }
                self.hash(c, e, out);
            }
            "truncate" => {
                if !self.pipeline_only("truncate", span) {
                    return Val::Bad;
                }
                let Some(a) = self.arg(c, 0, e) else {
                    return Val::Bad;
                };
                let n = self.ex(a, out);
                out.push(St::Op(Op::Truncate(n), span));
            }
            "assert" | "assume" => {
                let Some(a) = self.arg(c, 0, e) else {
                    return Val::Bad;
                };
                let cond = self.ex(a, out);
                out.push(St::Op(Op::Assert(cond, &*proto.name == "assume"), span));
            }
            "static_assert" => {
                let Some(a) = self.arg(c, 0, e) else {
                    return Val::Bad;
                };
                let cond = self.ex(a, out);
                let text = match c.args.get(1).and_then(Option::as_ref).map(|t| &t.kind) {
                    Some(ExprKind::Str(s)) => format!(": {s}"),
                    _ => String::new(),
                };
                match cond.kind {
                    ExKind::Bool(true) => {}
                    ExKind::Bool(false) => self.error(span, format!("static_assert failed{text}")),
                    _ => self.error(
                        a.span,
                        "static_assert: must evaluate to a compile-time constant",
                    ),
                }
                return Val::Ex(Ex::bool(true));
            }
            "log_msg" => {
                let Some(text) = self.arg(c, 0, e) else {
                    return Val::Bad;
                };
                let ExprKind::Str(text) = text.kind.clone() else {
                    self.error(text.span, "log_msg: expected a string");
                    return Val::Bad;
                };
                let values = match c.args.get(1).and_then(Option::as_ref) {
                    Some(data) => {
                        let v = self.value(data, out);
                        let mut list = Vec::new();
                        self.flatten(&v, data.span, &mut list);
                        Some(list)
                    }
                    None => None,
                };
                out.push(St::Op(Op::Log(text, values), span));
            }
            "clone" | "clone3" | "clone_preserving_field_list" => {
                if !self.pipeline_only(&proto.name, span) {
                    return Val::Bad;
                }
                let (Some(kind), Some(session)) = (self.arg(c, 0, e), self.arg(c, 1, e)) else {
                    return Val::Bad;
                };
                let Some(kind) = self.member_name(kind) else {
                    return Val::Bad;
                };
                let egress = &*kind == "E2E";
                if egress != (self.block == Block::Egress) {
                    let place = if egress { "egress" } else { "ingress" };
                    self.error(
                        span,
                        format!("'{}({kind}, ...)' not invoked in {place}", proto.name),
                    );
                    return Val::Bad;
                }
                let session = self.ex(session, out);
                let indexed = proto.name.ends_with("_field_list");
                if let Some(list) =
                    self.preserved(c.args.get(2).and_then(Option::as_ref), indexed, span, out)
                {
                    out.push(St::Op(
                        Op::Clone {
                            egress,
                            session,
                            list,
                        },
                        span,
                    ));
                }
            }
            "resubmit"
            | "resubmit_preserving_field_list"
            | "recirculate"
            | "recirculate_preserving_field_list" => {
                let again = proto.name.starts_with("resubmit");
                let wanted = if again { Block::Ingress } else { Block::Egress };
                if self.block != wanted {
                    let (what, place) = if again {
                        ("resubmit", "ingress")
                    } else {
                        ("recirculate", "egress")
                    };
                    self.error(span, format!("'{what}' can only be invoked in {place}"));
                    return Val::Bad;
                }
                let indexed = proto.name.ends_with("_field_list");
                if let Some(list) =
                    self.preserved(c.args.first().and_then(Option::as_ref), indexed, span, out)
                {
                    out.push(St::Op(
                        if again {
                            Op::Resubmit(list)
                        } else {
                            Op::Recirculate(list)
                        },
                        span,
                    ));
                }
            }
            "digest" => {
                if !self.pipeline_only("digest", span) {
                    return Val::Bad;
                }
                let (Some(receiver), Some(data)) = (self.arg(c, 0, e), self.arg(c, 1, e)) else {
                    return Val::Bad;
                };
                let receiver = self.ex(receiver, out);
                let v = self.value(data, out);
                let mut fields = Vec::new();
                self.flatten(&v, data.span, &mut fields);
                let mut simple = Vec::new();
                for f in fields {
                    simple.push(self.field_of(f, "digest", data.span, out));
                }
                let ty = c
                    .type_args
                    .first()
                    .cloned()
                    .unwrap_or_else(|| data.ty.clone());
                let name = self.digest_name(&ty);
                self.program.learn_lists.push(FieldList {
                    name,
                    fields: simple,
                    span: data.span,
                });
                out.push(St::Op(
                    Op::Digest(receiver, self.program.learn_lists.len() - 1),
                    span,
                ));
            }
            "verify_checksum"
            | "verify_checksum_with_payload"
            | "update_checksum"
            | "update_checksum_with_payload" => {
                self.error(
                    span,
                    format!(
                        "{}: only allowed as a statement of the checksum controls",
                        proto.name
                    ),
                );
                return Val::Bad;
            }
            _ => return self.tna_function(proto, c, e, out),
        }
        Val::Nowhere
    }

    /// A place that holds the value, so that it can be part of a field list.
    pub(super) fn field_of(&mut self, e: Ex, name: &str, span: Span, out: &mut Vec<St>) -> Ex {
        if matches!(e.kind, ExKind::Place(_)) {
            return e;
        }
        match self.snapshot_as(e, name, span, out) {
            Val::Ex(x) => x,
            _ => Ex::bool(false),
        }
    }

    /// The primitive writes to the standard metadata of the packet. Where a copy of them is meant, such as an `inout`
    /// parameter, what it wrote is put there, and what it overwrote is put back.
    fn mark_to_drop(&mut self, target: &Val, span: Span, out: &mut Vec<St>) {
        let (Val::Struct(copy), Val::Struct(real)) = (target, self.standard_metadata.clone())
        else {
            return;
        };
        let names = self.hir.standard_metadata.clone();
        let names = names.iter().flat_map(|s| s.fields.iter().map(|f| &*f.name));
        let written: Vec<(Val, Val)> = copy
            .iter()
            .cloned()
            .zip(real)
            .zip(names)
            .filter(|(_, name)| matches!(*name, "egress_spec" | "mcast_grp"))
            .map(|(places, _)| places)
            .filter(|(copy, real)| !same_place(copy, real))
            .collect();
        let kept: Vec<Val> = written
            .iter()
            .map(|(_, real)| self.snapshot(real.clone(), span, out))
            .collect();
        out.push(St::Op(Op::MarkToDrop, span));
        for ((copy, real), kept) in written.into_iter().zip(kept) {
            self.assign(&copy, real.clone(), span, out);
            self.assign(&real, kept, span, out);
        }
    }

    fn snapshot_as(&mut self, e: Ex, name: &str, span: Span, out: &mut Vec<St>) -> Val {
        let t = self.local_temp(name, e.ty);
        if let ExKind::Place(p) = &t.kind {
            out.push(St::Op(Op::Assign(p.clone(), e), span));
        }
        Val::Ex(t)
    }

    fn hash(&mut self, c: &Call, e: &Expr, out: &mut Vec<St>) {
        let args: Vec<&Expr> = c.args.iter().flatten().collect();
        let [dst, algorithm, base, data, max] = args.as_slice() else {
            return;
        };
        let Some(algorithm) = self.member_name(algorithm) else {
            return;
        };
        let ty = scalar_type(&dst.ty).unwrap_or(crate::backend::ir::WORD);
        let dst = self.lvalue(dst, out);
        let base = self.ex(base, out);
        let v = self.value(data, out);
        let max = self.ex(max, out);
        let mut fields = Vec::new();
        self.flatten(&v, data.span, &mut fields);
        let input = fields
            .into_iter()
            .map(|f| self.simple(f, "hash.input", data.span, out))
            .collect();
        let calculation = self.calculation(algorithm, input, false, e.span, false);
        let mut after = Vec::new();
        if let Some(p) = self.result_place(&dst, ty, e.span, &mut after) {
            out.push(St::Op(
                Op::Hash {
                    dst: p,
                    calculation,
                    base,
                    max,
                },
                e.span,
            ));
        }
        out.extend(after);
    }

    pub(super) fn calculation(
        &mut self,
        algorithm: Name,
        input: Vec<Ex>,
        payload: bool,
        span: Span,
        of_checksum: bool,
    ) -> usize {
        self.program.calculations.push(Calculation {
            algorithm,
            input,
            payload,
            span,
            of_checksum,
        });
        self.program.calculations.len() - 1
    }

    /// The call that a statement is, if it is one of an extern function.
    pub(super) fn extern_call(s: &hir::Stmt) -> Option<(&Prototype, &Call, &Expr)> {
        let hir::StmtKind::Call(e) = &s.kind else {
            return None;
        };
        let ExprKind::Call(c) = &e.kind else {
            return None;
        };
        match &c.callee {
            hir::Callee::ExternFunction(p) => Some((p, c, e)),
            _ => None,
        }
    }
}

fn same_place(a: &Val, b: &Val) -> bool {
    matches!((a, b), (Val::Ex(a), Val::Ex(b)) if a == b)
}
