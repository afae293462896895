// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! The objects and functions of v1model and core.p4.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::values::{Obj, Val, scalar_type};
use super::{Block, Lowerer, control_plane_name};
use crate::ast::{BinaryOp, Name};
use crate::backend::ir::{
    Calculation, Ex, ExKind, FieldList, Object, ObjectKind, Op, Scalar, Selector, St,
    ValueSet as FlatSet,
};
use crate::diag::Warning;
use crate::sema::hir::{self, Call, Expr, ExprKind, Extern, Instance, Prototype, ValueSet};
use crate::sema::types::{StructKind, StructType, Ty, Type};
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

    pub(super) fn extern_object(&mut self, i: &Rc<Instance>, e: &Rc<Extern>, name: String) -> Obj {
        let kind = match &*e.name {
            "register" => {
                let Type::Extern(et) = &*i.ty else {
                    return Obj::Bad;
                };
                let element = et.args.first().cloned();
                let Some(Scalar::Bits { width, signed }) =
                    element.as_ref().and_then(|t| match &*t.representation() {
                        Type::Bits { .. } => scalar_type(t),
                        _ => None,
                    })
                else {
                    self.error(
                        i.span,
                        format!(
                            "{name}: Only registers with bit or int types are currently supported"
                        ),
                    );
                    return Obj::Bad;
                };
                let Some(size) = self.size_arg(i, 0) else {
                    return Obj::Bad;
                };
                if size == 0 {
                    self.error(
                        i.span,
                        format!("{name}: direct registers are not supported in bmv2"),
                    );
                    return Obj::Bad;
                }
                ObjectKind::Register {
                    width,
                    signed,
                    size,
                }
            }
            "counter" => {
                let (Some(size), Some(unit)) = (self.size_arg(i, 0), self.unit_arg(i, 1)) else {
                    return Obj::Bad;
                };
                ObjectKind::Counter { size, unit }
            }
            "direct_counter" => {
                let Some(unit) = self.unit_arg(i, 0) else {
                    return Obj::Bad;
                };
                ObjectKind::DirectCounter { unit, table: None }
            }
            "meter" => {
                let (Some(size), Some(unit)) = (self.size_arg(i, 0), self.unit_arg(i, 1)) else {
                    return Obj::Bad;
                };
                ObjectKind::Meter { size, unit }
            }
            "direct_meter" => {
                let Some(unit) = self.unit_arg(i, 0) else {
                    return Obj::Bad;
                };
                ObjectKind::DirectMeter {
                    unit,
                    table: None,
                    result: None,
                }
            }
            "action_profile" => {
                let Some(size) = self.size_arg(i, 0) else {
                    return Obj::Bad;
                };
                ObjectKind::ActionProfile {
                    size,
                    selector: None,
                    tables: Vec::new(),
                    inline: false,
                }
            }
            "action_selector" => {
                let (Some(algorithm), Some(size)) = (self.unit_arg(i, 0), self.size_arg(i, 1))
                else {
                    return Obj::Bad;
                };
                let selector = Some(Selector {
                    algorithm,
                    input: Vec::new(),
                });
                ObjectKind::ActionProfile {
                    size,
                    selector,
                    tables: Vec::new(),
                    inline: false,
                }
            }
            other => {
                self.unsupported(i.span, &format!("extern {other}"));
                return Obj::Bad;
            }
        };
        let id = self.program.objects.len();
        self.program.objects.push(Object {
            name,
            kind,
            annotations: i.annotations.clone(),
            span: i.span,
        });
        Obj::Extern(id)
    }

    fn size_arg(&mut self, i: &Rc<Instance>, n: usize) -> Option<u64> {
        let e = i.args.get(n)?.clone()?;
        self.constant_u64(&e, "size")
    }

    fn unit_arg(&mut self, i: &Rc<Instance>, n: usize) -> Option<Name> {
        let e = i.args.get(n)?.clone()?;
        self.member_name(&e)
    }

    pub(super) fn declare_value_set(&mut self, v: &Rc<ValueSet>) {
        self.value_set_object(v);
    }

    pub(super) fn value_set_object(&mut self, v: &Rc<ValueSet>) -> Obj {
        if let Some(o) = self.node.objects.borrow().get(&v.id) {
            return o.clone();
        }
        let name = control_plane_name(&self.node.path, &v.name, &v.annotations);
        let parts: Vec<Ty> = match &*v.element {
            Type::Struct(s) => s.fields.iter().map(|f| f.ty.clone()).collect(),
            Type::Tuple(l) => l.clone(),
            _ => vec![v.element.clone()],
        };
        let mut widths = Vec::new();
        for t in parts {
            match scalar_type(&t) {
                Some(s) => widths.push(s.width()),
                None => self.unsupported(v.span, "a value set of this type"),
            }
        }
        let size = self.constant_u64(&v.size, "size").unwrap_or(0);
        let id = self.program.sets.len();
        self.program.sets.push(FlatSet {
            name,
            widths,
            size,
            annotations: v.annotations.clone(),
        });
        self.node.objects.borrow_mut().insert(v.id, Obj::Set(id));
        Obj::Set(id)
    }

    fn arg<'e>(&mut self, c: &'e Call, n: usize, e: &Expr) -> Option<&'e Expr> {
        let a = c.args.get(n).and_then(Option::as_ref);
        if a.is_none() {
            self.error(e.span, "argument missing");
        }
        a
    }

    fn pipeline_only(&mut self, what: &str, span: Span) -> bool {
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

    fn packet_method(
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

    fn lookahead(&mut self, t: &Ty, offset: &mut u32, span: Span, out: &mut Vec<St>) -> Val {
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

    fn object_method(
        &mut self,
        id: usize,
        proto: &Rc<Prototype>,
        c: &Call,
        e: &Expr,
        out: &mut Vec<St>,
    ) -> Val {
        let Some(kind) = self.program.objects.get(id).map(|o| o.kind.clone()) else {
            return Val::Bad;
        };
        if !self.pipeline_only(&proto.name, e.span) {
            return Val::Bad;
        }
        let mut after = Vec::new();
        match (&kind, &*proto.name) {
            (ObjectKind::Register { width, signed, .. }, "read") => {
                let (Some(dst), Some(index)) = (self.arg(c, 0, e), self.arg(c, 1, e)) else {
                    return Val::Bad;
                };
                let dst = self.lvalue(dst, out);
                let index = self.ex(index, out);
                let ty = Scalar::Bits {
                    width: *width,
                    signed: *signed,
                };
                if let Some(p) = self.result_place(&dst, ty, e.span, &mut after) {
                    out.push(St::Op(Op::RegisterRead(p, id, index), e.span));
                }
            }
            (ObjectKind::Register { .. }, "write") => {
                let (Some(index), Some(value)) = (self.arg(c, 0, e), self.arg(c, 1, e)) else {
                    return Val::Bad;
                };
                let index = self.ex(index, out);
                let value = self.ex(value, out);
                out.push(St::Op(Op::RegisterWrite(id, index, value), e.span));
            }
            (ObjectKind::Counter { .. }, "count") => {
                let Some(index) = self.arg(c, 0, e) else {
                    return Val::Bad;
                };
                let index = self.ex(index, out);
                out.push(St::Op(Op::Count(id, index), e.span));
            }
            // Direct counters count by themselves.
            (ObjectKind::DirectCounter { .. }, "count") => {}
            (ObjectKind::Meter { .. }, "execute_meter") => {
                let (Some(index), Some(dst)) = (self.arg(c, 0, e), self.arg(c, 1, e)) else {
                    return Val::Bad;
                };
                let index = self.ex(index, out);
                let ty = scalar_type(&dst.ty).unwrap_or(crate::backend::ir::WORD);
                let dst = self.lvalue(dst, out);
                if let Some(p) = self.result_place(&dst, ty, e.span, &mut after) {
                    out.push(St::Op(Op::ExecuteMeter(id, index, p), e.span));
                }
            }
            (ObjectKind::DirectMeter { .. }, "read") => {
                let Some(dst) = self.arg(c, 0, e) else {
                    return Val::Bad;
                };
                let dst = self.lvalue(dst, out);
                let Val::Ex(Ex {
                    kind: ExKind::Place(p),
                    ..
                }) = dst
                else {
                    self.error(
                        e.span,
                        "read: the result of a direct meter must be a whole variable or field",
                    );
                    return Val::Bad;
                };
                if let Some(ObjectKind::DirectMeter { result, .. }) =
                    self.program.objects.get_mut(id).map(|o| &mut o.kind)
                {
                    if result.as_ref().is_some_and(|old| *old != p) {
                        self.error(e.span, "read: all reads of a direct meter must have the same destination on this target");
                        return Val::Bad;
                    }
                    *result = Some(p);
                }
            }
            (_, other) => {
                self.unsupported(e.span, &format!("method {other}"));
                return Val::Bad;
            }
        }
        out.extend(after);
        Val::Nowhere
    }

    /// All scalars of a value, in order: what a hash, checksum or digest is computed over.
    pub(super) fn flatten(&mut self, v: &Val, span: Span, list: &mut Vec<Ex>) {
        match v {
            Val::Ex(e) => {
                if matches!(e.ty, Scalar::Int) {
                    self.error(
                        span,
                        "Please specify the width of constants in lists of fields",
                    );
                }
                list.push(e.clone());
            }
            Val::Struct(l) | Val::HeaderValue(l) => {
                for v in l {
                    self.flatten(v, span, list);
                }
            }
            Val::Header(_, s) => {
                for i in 0..s.fields.len() {
                    let f = self.field(v, i);
                    self.flatten(&f, span, list);
                }
            }
            Val::Bad => {}
            _ => self.unsupported(span, "this in a list of fields"),
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
                out.push(St::Op(Op::MarkToDrop, span));
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
                let name = self.digest_name(&ty, span);
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
            other => {
                self.unsupported(span, &format!("extern function {other}"));
                return Val::Bad;
            }
        }
        Val::Nowhere
    }

    /// A place that holds the value, so that it can be part of a field list.
    fn field_of(&mut self, e: Ex, name: &str, span: Span, out: &mut Vec<St>) -> Ex {
        if matches!(e.kind, ExKind::Place(_)) {
            return e;
        }
        match self.snapshot_as(e, name, span, out) {
            Val::Ex(x) => x,
            _ => Ex::bool(false),
        }
    }

    fn snapshot_as(&mut self, e: Ex, name: &str, span: Span, out: &mut Vec<St>) -> Val {
        let t = self.local_temp(name, e.ty);
        if let ExKind::Place(p) = &t.kind {
            out.push(St::Op(Op::Assign(p.clone(), e), span));
        }
        Val::Ex(t)
    }

    /// The name by which the control plane knows a digest of a type.
    fn digest_name(&mut self, ty: &Ty, span: Span) -> String {
        if let Type::Struct(s) = &**ty {
            return control_plane_name("", &s.name, &s.annotations);
        }
        let name = format!("digest_{}", self.unnamed_digests);
        self.unnamed_digests += 1;
        self.diags.warning(
            Warning::Mismatch,
            span,
            format!(
                "Cannot find a good name for digest method call, using auto-generated name '{name}'"
            ),
        );
        name
    }

    /// The field list that an argument means: if `indexed` the one made with `@field_list`, otherwise the data itself;
    /// an empty list without an argument.
    fn preserved(
        &mut self,
        arg: Option<&Expr>,
        indexed: bool,
        span: Span,
        out: &mut Vec<St>,
    ) -> Option<usize> {
        let (name, fields) = match arg {
            None => ("fl".to_string(), Vec::new()),
            Some(a) => match indexed {
                true => {
                    let index = self.constant_u64(a, "field list")?;
                    let name = format!("field_list{index}");
                    if let Some(i) = self.program.field_lists.iter().position(|l| l.name == name) {
                        return Some(i);
                    }
                    self.diags.warning(
                        Warning::Invalid,
                        span,
                        format!("no user metadata fields tagged with @field_list({index})"),
                    );
                    (name, Vec::new())
                }
                false => {
                    let v = self.value(a, out);
                    let mut list = Vec::new();
                    self.flatten(&v, a.span, &mut list);
                    let mut fields = Vec::new();
                    for f in list {
                        fields.push(self.field_of(f, "fl", a.span, out));
                    }
                    ("fl".to_string(), fields)
                }
            },
        };
        let name = self.list_name(&name);
        self.program
            .field_lists
            .push(FieldList { name, fields, span });
        Some(self.program.field_lists.len() - 1)
    }

    fn list_name(&self, name: &str) -> String {
        let taken = |n: &str| self.program.field_lists.iter().any(|l| l.name == n);
        if !taken(name) {
            return name.to_string();
        }
        (0..)
            .map(|i| format!("{name}_{i}"))
            .find(|n| !taken(n))
            .unwrap_or_default()
    }

    /// The lists that `@field_list` makes of the fields of the user metadata.
    pub(super) fn metadata_field_lists(&mut self, meta: &Val, s: &StructType) {
        let mut found: BTreeMap<u32, Vec<Ex>> = BTreeMap::new();
        self.collect_lists(meta, s, &[], &mut found);
        for (index, fields) in found {
            let name = format!("field_list{index}");
            self.program.field_lists.push(FieldList {
                name,
                fields,
                span: s.span,
            });
        }
    }

    fn collect_lists(
        &mut self,
        v: &Val,
        s: &StructType,
        outer: &[u32],
        found: &mut BTreeMap<u32, Vec<Ex>>,
    ) {
        for (i, f) in s.fields.iter().enumerate() {
            let mut lists = outer.to_vec();
            lists.extend(f.field_lists.iter().filter(|l| !outer.contains(l)));
            let part = self.field(v, i);
            if let (Val::Struct(_), Some(inner)) = (&part, f.ty.as_struct()) {
                self.collect_lists(&part, inner, &lists, found);
                continue;
            }
            let mut fields = Vec::new();
            if !lists.is_empty() {
                self.flatten(&part, s.span, &mut fields);
            }
            for l in lists {
                found.entry(l).or_default().extend(fields.iter().cloned());
            }
        }
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
