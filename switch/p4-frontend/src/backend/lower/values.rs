// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Values taken apart: structs into fields, headers and stacks into references, and how they are stored and assigned.

use std::rc::Rc;

use super::build::{Loc, any_overlap, header_loc, reads};
use super::tna::Object;
use super::{Lowerer, Node};
use crate::ast::{Annotation, BinaryOp, find_annotation};
use crate::backend::ir::{
    Ex, ExKind, Header, HeaderRef, HeaderType, HeaderTypeId, Op, Place, Scalar, ScalarVar, SetId,
    St, Stack, StackId, WORD,
};
use crate::budget::VARIABLES;
use crate::sema::hir::{Expr, Var};
use crate::sema::types::{StructKind, StructType, Ty, Type};
use crate::source::Span;

/// An object that is no value.
#[derive(Clone)]
pub enum Obj {
    /// `packet_in`
    PacketIn,
    /// `packet_out`
    PacketOut,
    /// An extern object.
    Extern(usize),
    /// An extern object of TNA that the engine does not know as such.
    Tna(Rc<Object>),
    /// A parser or control.
    Node(Rc<Node>),
    /// A value set.
    Set(SetId),
    /// Reported already.
    Bad,
}

/// A value, or the place of one.
#[derive(Clone)]
pub enum Val {
    /// A scalar.
    Ex(Ex),
    /// A header.
    Header(HeaderRef, Rc<StructType>),
    /// A header stack.
    Stack(StackId, Rc<StructType>),
    /// A header union: its headers.
    Union(Vec<Val>, Rc<StructType>),
    /// A stack of header unions: its unions, and where the index of the next one is kept.
    Unions(Vec<Val>, Ex),
    /// One of several places, by an index that is not constant.
    Choice(Vec<Val>, Ex),
    /// A struct or tuple.
    Struct(Vec<Val>),
    /// A valid header with these fields.
    HeaderValue(Vec<Val>),
    /// An invalid header.
    Invalid,
    /// An object.
    Obj(Obj),
    /// Part of a number, to be assigned to.
    Slice(Box<Val>, u32, u32),
    /// `_` as an out argument.
    Nowhere,
    /// Reported already.
    Bad,
}

/// The type that BMv2 computes with.
pub fn scalar_type(ty: &Ty) -> Option<Scalar> {
    match &*ty.representation() {
        Type::Bits { width, signed } => Some(Scalar::Bits {
            width: *width,
            signed: *signed,
        }),
        Type::Bool => Some(Scalar::Bool),
        Type::Error | Type::Enum(_) => Some(WORD),
        Type::Varbit(w) => Some(Scalar::Varbit(*w)),
        Type::Int => Some(Scalar::Int),
        Type::String => Some(Scalar::Str),
        _ => None,
    }
}

/// Number of flat fields of a type inside a header.
fn flat_count(ty: &Ty) -> usize {
    match ty.as_struct() {
        Some(s) => s.fields.iter().map(|f| flat_count(&f.ty)).sum(),
        None => 1,
    }
}

impl Lowerer<'_> {
    fn flat_fields(
        &mut self,
        prefix: &str,
        s: &StructType,
        out: &mut Vec<(crate::ast::Name, Scalar)>,
    ) {
        for f in &s.fields {
            let name = if prefix.is_empty() {
                f.name.to_string()
            } else {
                format!("{prefix}.{}", f.name)
            };
            match (f.ty.as_struct(), scalar_type(&f.ty)) {
                (Some(inner), _) => self.flat_fields(&name, inner, out),
                (None, Some(t)) => out.push((name.into(), t)),
                (None, None) => self.error(
                    s.span,
                    format!(
                        "{}: field {name} has a type that BMv2 does not have",
                        s.name
                    ),
                ),
            }
        }
    }

    /// The header type of a header or metadata struct.
    pub(super) fn header_type(&mut self, s: &Rc<StructType>) -> HeaderTypeId {
        let mut key = match find_annotation(&s.annotations, "name").and_then(Annotation::string) {
            Some(n) if s.kind == StructKind::Header => n.trim_start_matches('.').to_string(),
            _ => s.name.to_string(),
        };
        for a in &s.args {
            key.push('_');
            key.push_str(&a.to_string().replace([' ', '<', '>'], "_"));
        }
        if let Some(id) = self.header_types.get(&key) {
            return *id;
        }
        let mut fields = Vec::new();
        self.flat_fields("", s, &mut fields);
        let varbits = fields
            .iter()
            .filter(|(_, t)| matches!(t, Scalar::Varbit(_)))
            .count();
        if varbits > 1 {
            self.error(
                s.span,
                format!(
                    "{}: headers with multiple varbit fields are not supported",
                    s.name
                ),
            );
        }
        let bits: u64 = fields.iter().map(|(_, t)| u64::from(t.width())).sum();
        if s.kind == StructKind::Header && !bits.is_multiple_of(8) {
            self.error(
                s.span,
                format!(
                    "{}: Found header with fields totaling {bits} bits. BMv2 target only supports headers with fields totaling a multiple of 8 bits.",
                    s.name
                ),
            );
        }
        let aliases = s
            .fields
            .iter()
            .enumerate()
            .filter_map(|(i, f)| Some((find_annotation(&f.annotations, "alias")?.string()?, i)))
            .collect();
        let id = self.program.header_types.len();
        self.program.header_types.push(HeaderType {
            name: key.clone().into(),
            fields,
            aliases,
        });
        self.header_types.insert(key, id);
        id
    }

    pub(super) fn add_header(
        &mut self,
        name: String,
        ty: HeaderTypeId,
        metadata: bool,
        stack: Option<StackId>,
    ) -> usize {
        let id = self.program.headers.len();
        self.program.headers.push(Header {
            name,
            ty,
            metadata,
            stack,
        });
        id
    }

    fn add_stack(&mut self, name: &str, s: &Rc<StructType>, n: u32, span: Span) -> Val {
        if s.kind == StructKind::Union {
            let unions = (0..n)
                .map(|i| self.add_union(&format!("{name}[{i}]"), s))
                .collect();
            let next = self.temp(&format!("{name}.nextIndex"), WORD);
            return Val::Unions(unions, next);
        }
        let _ = span;
        let ty = self.header_type(s);
        let id = self.program.stacks.len();
        let headers = (0..n)
            .map(|i| self.add_header(format!("{name}[{i}]"), ty, false, Some(id)))
            .collect();
        self.program.stacks.push(Stack {
            name: name.to_string(),
            ty,
            headers,
        });
        Val::Stack(id, s.clone())
    }

    /// The headers of a union; at most one of them is valid.
    fn add_union(&mut self, name: &str, s: &Rc<StructType>) -> Val {
        let mut members = Vec::new();
        let mut ids = Vec::new();
        for f in &s.fields {
            let Some(h) = f.ty.as_header() else { continue };
            let t = self.header_type(h);
            let member = self.unique(&format!("{name}.{}", f.name));
            let id = self.add_header(member, t, false, None);
            ids.push(id);
            members.push(Val::Header(HeaderRef::Instance(id), h.clone()));
        }
        for id in &ids {
            self.siblings
                .insert(*id, ids.iter().copied().filter(|o| o != id).collect());
        }
        Val::Union(members, s.clone())
    }

    /// A place for `varbit<w>`, which BMv2 has in headers only.
    fn add_varbit(&mut self, name: &str, w: u32) -> Val {
        let key = format!("$varbit{w}");
        let ty = match self.header_types.get(&key) {
            Some(t) => *t,
            None => {
                let id = self.program.header_types.len();
                let fields = vec![("field".into(), Scalar::Varbit(w))];
                self.program.header_types.push(HeaderType {
                    name: key.clone().into(),
                    fields,
                    aliases: Vec::new(),
                });
                self.header_types.insert(key, id);
                id
            }
        };
        let name = self.unique(name);
        let id = self.add_header(name, ty, false, None);
        Val::Ex(Ex::place(
            Place::Field(HeaderRef::Instance(id), 0),
            Scalar::Varbit(w),
        ))
    }

    /// `h.setValid()`; the other headers of a union become invalid.
    pub(super) fn set_valid(&mut self, h: &HeaderRef, span: Span, out: &mut Vec<St>) {
        out.push(St::Op(Op::SetValid(h.clone()), span));
        self.invalidate_siblings(h, span, out);
    }

    pub(super) fn invalidate_siblings(&self, h: &HeaderRef, span: Span, out: &mut Vec<St>) {
        if let HeaderRef::Instance(id) = h {
            for s in self.siblings.get(id).into_iter().flatten() {
                out.push(St::Op(Op::SetInvalid(HeaderRef::Instance(*s)), span));
            }
        }
    }

    /// `d = s` of headers.
    fn assign_header(&mut self, d: &HeaderRef, s: HeaderRef, span: Span, out: &mut Vec<St>) {
        out.push(St::Op(Op::AssignHeader(d.clone(), s.clone()), span));
        let mut rest = Vec::new();
        self.invalidate_siblings(d, span, &mut rest);
        if !rest.is_empty() {
            let valid = Ex {
                kind: ExKind::Valid(s),
                ty: Scalar::Bool,
            };
            out.push(St::If(valid, rest, Vec::new(), span));
        }
    }

    /// A condition for each element of a choice, and the element.
    pub(super) fn alternatives(elements: &[Val], index: &Ex) -> Vec<(Ex, Val)> {
        let mut list = Vec::new();
        for (i, v) in elements.iter().enumerate() {
            let k = Ex::int(i, index.ty);
            // A narrow index does not reach all elements.
            if k.as_int() == Some(num_bigint::BigInt::from(i)) {
                list.push((
                    Ex::binary(BinaryOp::Eq, index.clone(), k, Scalar::Bool),
                    v.clone(),
                ));
            }
        }
        list
    }

    /// Does something with the element that the index means; with none if it is out of bounds.
    pub(super) fn choose(
        &mut self,
        elements: &[Val],
        index: &Ex,
        span: Span,
        out: &mut Vec<St>,
        f: &mut dyn FnMut(&mut Self, &Val, &mut Vec<St>),
    ) {
        let mut rest: Vec<St> = Vec::new();
        for (test, v) in Self::alternatives(elements, index).into_iter().rev() {
            let mut body = Vec::new();
            f(self, &v, &mut body);
            rest = match test.kind {
                ExKind::Bool(true) => body,
                ExKind::Bool(false) => rest,
                _ => vec![St::If(test, body, rest, span)],
            };
        }
        out.extend(rest);
    }

    /// A value to be read: choices of scalars become expressions.
    pub(super) fn read(&mut self, v: Val) -> Val {
        let Val::Choice(elements, index) = v else {
            return v;
        };
        let elements: Vec<Val> = elements.into_iter().map(|e| self.read(e)).collect();
        match elements.last() {
            Some(Val::Ex(last)) => {
                // What an index out of bounds reads is not defined; here it is the last one.
                let mut all: Option<Ex> = None;
                for (test, v) in Self::alternatives(&elements, &index).into_iter().rev() {
                    if let Val::Ex(x) = v {
                        all = Some(match all {
                            None => x,
                            Some(rest) => Ex::mux(test, x, rest),
                        });
                    }
                }
                Val::Ex(all.unwrap_or_else(|| last.clone()))
            }
            Some(Val::Struct(l)) => {
                let n = l.len();
                let fields = (0..n)
                    .map(|i| {
                        let parts = elements.iter().map(|e| self.field(e, i)).collect();
                        self.read(Val::Choice(parts, index.clone()))
                    })
                    .collect();
                Val::Struct(fields)
            }
            _ => Val::Choice(elements, index),
        }
    }

    /// Whether a struct has headers, stacks and unions only, or structs of them.
    fn headers_only(&mut self, s: &Rc<StructType>) -> Option<()> {
        for f in &s.fields {
            match &*f.ty {
                Type::Struct(inner) if inner.kind == StructKind::Struct => {
                    self.headers_only(inner)?
                }
                Type::Struct(_) => {}
                Type::Stack(t, _) if t.is_stackable() => {}
                _ => {
                    self.error(
                        s.span,
                        format!("{}: the type should be a struct of headers, stacks, or unions; field {} is not", s.name, f.name),
                    );
                    return None;
                }
            }
        }
        Some(())
    }

    /// Checks the headers struct.
    pub(super) fn declare_headers(&mut self, ty: &Ty, span: Span) -> Option<()> {
        let Some(s) = Self::struct_of(ty).filter(|s| s.kind == StructKind::Struct) else {
            self.error(span, format!("{ty}: expected type to be a struct"));
            return None;
        };
        self.headers_only(&s)?;
        Some(())
    }

    pub(super) fn headers_value(&mut self, ty: &Ty) -> Option<Val> {
        let s = Self::struct_of(ty)?;
        Some(self.headers_struct("", &s))
    }

    fn headers_struct(&mut self, prefix: &str, s: &Rc<StructType>) -> Val {
        let mut fields = Vec::new();
        for f in &s.fields {
            let name = match find_annotation(&f.annotations, "name").and_then(Annotation::string) {
                Some(n) => n.trim_start_matches('.').to_string(),
                None => f.name.to_string(),
            };
            let name = if prefix.is_empty() {
                name
            } else {
                format!("{prefix}.{name}")
            };
            if let Type::Struct(inner) = &*f.ty
                && inner.kind == StructKind::Struct
            {
                fields.push(self.headers_struct(&name, inner));
                continue;
            }
            let name = self.unique(&name);
            let v = match &*f.ty {
                Type::Struct(h) if h.kind == StructKind::Header => {
                    let t = self.header_type(h);
                    let id = self.add_header(name, t, false, None);
                    Val::Header(HeaderRef::Instance(id), h.clone())
                }
                Type::Stack(t, n) => match t.as_struct() {
                    Some(h) => self.add_stack(&name, &h.clone(), *n, s.span),
                    None => Val::Bad,
                },
                Type::Struct(h) => self.add_union(&name, h),
                _ => Val::Bad,
            };
            fields.push(v);
        }
        Val::Struct(fields)
    }

    pub(super) fn metadata_value(&mut self, s: &Rc<StructType>) -> Val {
        let ty: Ty = Rc::new(Type::Struct(s.clone()));
        self.storage("userMetadata", &ty, s.span)
    }

    pub(super) fn standard_metadata_value(&mut self, s: &Rc<StructType>) -> Val {
        let t = self.header_type(s);
        if let Some(ht) = self.program.header_types.get_mut(t) {
            ht.name = "standard_metadata".into();
        }
        let id = self.add_header("standard_metadata".to_string(), t, true, None);
        self.program.standard_metadata = id;
        let fields = s
            .fields
            .iter()
            .enumerate()
            .map(|(i, f)| match scalar_type(&f.ty) {
                Some(t) => Val::Ex(Ex::place(Place::Field(HeaderRef::Instance(id), i), t)),
                None => Val::Bad,
            })
            .collect();
        Val::Struct(fields)
    }

    /// New places for a value of a type.
    pub(super) fn storage(&mut self, name: &str, ty: &Ty, span: Span) -> Val {
        if let Some(t) = scalar_type(ty) {
            if let Scalar::Varbit(w) = t {
                return self.add_varbit(name, w);
            }
            // `bit<0>` has one value, and BMv2 no field for it.
            return Val::Ex(match t {
                Scalar::Bits { width: 0, .. } => Ex::int(0, t),
                _ => self.temp(name, t),
            });
        }
        match &**ty {
            Type::Struct(s) => match s.kind {
                StructKind::Struct => {
                    let fields = s.fields.clone();
                    Val::Struct(
                        fields
                            .iter()
                            .map(|f| self.storage(&format!("{name}.{}", f.name), &f.ty, span))
                            .collect(),
                    )
                }
                StructKind::Header => {
                    let t = self.header_type(s);
                    let name = self.unique(name);
                    let id = self.add_header(name, t, false, None);
                    Val::Header(HeaderRef::Instance(id), s.clone())
                }
                StructKind::Union => self.add_union(name, s),
            },
            Type::Tuple(list) | Type::ListExpr(list) => Val::Struct(
                list.iter()
                    .enumerate()
                    .map(|(i, t)| self.storage(&format!("{name}.{i}"), t, span))
                    .collect(),
            ),
            Type::Stack(t, n) => match t.as_struct().filter(|_| t.is_stackable()) {
                Some(h) => {
                    let name = self.unique(name);
                    self.add_stack(&name, &h.clone(), *n, span)
                }
                None => Val::Struct(
                    (0..*n)
                        .map(|i| self.storage(&format!("{name}[{i}]"), t, span))
                        .collect(),
                ),
            },
            Type::Poison => Val::Bad,
            _ => {
                self.error(
                    span,
                    format!("a variable of type '{ty}' cannot be stored on this target"),
                );
                Val::Bad
            }
        }
    }

    /// A new variable.
    pub(super) fn temp(&mut self, name: &str, ty: Scalar) -> Ex {
        let name = self.unique(name);
        let id = self.program.scalars.len();
        self.program.scalars.push(ScalarVar { name, ty });
        Ex::place(Place::Scalar(id), ty)
    }

    /// A new variable, named after the instance it is made for.
    pub(super) fn local_temp(&mut self, name: &str, ty: Scalar) -> Ex {
        let full = self.local_name(name);
        self.temp(&full, ty)
    }

    pub(super) fn local_name(&self, name: &str) -> String {
        if self.node.path.is_empty() {
            name.to_string()
        } else {
            format!("{}.{name}", self.node.path)
        }
    }

    /// The home of a variable of the instance at hand.
    pub(super) fn home(&mut self, v: &Var) -> Val {
        if let Some(known) = self.node.storage.borrow().get(&v.id) {
            return known.clone();
        }
        let fields = v.ty.fields_up_to(VARIABLES);
        let taken = self.program.scalars.len() + self.program.headers.len();
        if taken + fields > VARIABLES {
            let what = format!("program too large: variables of more than {VARIABLES} fields");
            self.error(v.span, what);
            return Val::Bad;
        }
        let name = self.local_name(&v.name);
        let val = self.storage(&name, &v.ty, v.span);
        self.node.storage.borrow_mut().insert(v.id, val.clone());
        val
    }

    pub(super) fn declare_var(
        &mut self,
        v: &Rc<Var>,
        init: Option<&Expr>,
        span: Span,
        out: &mut Vec<St>,
    ) {
        let home = self.home(v);
        match init {
            Some(e) => {
                let value = self.value(e, out);
                self.assign(&home, value, span, out);
            }
            None => self.invalidate(&home, span, out),
        }
        self.env.insert(v.id, home);
    }

    /// Makes the headers of a fresh variable invalid.
    pub(super) fn invalidate(&mut self, v: &Val, span: Span, out: &mut Vec<St>) {
        match v {
            Val::Header(h, _) => out.push(St::Op(Op::SetInvalid(h.clone()), span)),
            Val::Stack(id, _) => {
                let headers = self
                    .program
                    .stacks
                    .get(*id)
                    .map(|s| s.headers.clone())
                    .unwrap_or_default();
                for h in headers {
                    out.push(St::Op(Op::SetInvalid(HeaderRef::Instance(h)), span));
                }
            }
            Val::Struct(l) | Val::Union(l, _) => {
                for v in l {
                    self.invalidate(v, span, out);
                }
            }
            Val::Unions(l, next) => {
                for v in l {
                    self.invalidate(v, span, out);
                }
                if let ExKind::Place(p) = &next.kind {
                    out.push(St::Op(Op::Assign(p.clone(), Ex::int(0, WORD)), span));
                }
            }
            Val::Choice(l, index) => {
                self.choose(l, index, span, out, &mut |s, v, out| {
                    s.invalidate(v, span, out)
                });
            }
            _ => {}
        }
    }

    /// A field of a struct or header.
    pub(super) fn field(&mut self, v: &Val, i: usize) -> Val {
        match v {
            Val::Struct(l) | Val::HeaderValue(l) | Val::Union(l, _) | Val::Unions(l, _) => {
                l.get(i).cloned().unwrap_or(Val::Bad)
            }
            Val::Choice(l, index) => {
                Val::Choice(l.iter().map(|e| self.field(e, i)).collect(), index.clone())
            }
            Val::Header(h, s) => {
                let offset: usize = s.fields.iter().take(i).map(|f| flat_count(&f.ty)).sum();
                match s.fields.get(i) {
                    Some(f) => header_field(h, &f.ty, offset),
                    None => Val::Bad,
                }
            }
            _ => Val::Bad,
        }
    }

    /// `dst = src`
    pub(super) fn assign(&mut self, dst: &Val, src: Val, span: Span, out: &mut Vec<St>) {
        // A part that is written first may be read by a later part: then all parts are read first.
        let src = if matches!(src, Val::Struct(_) | Val::HeaderValue(_)) {
            let (mut w, mut r) = (Vec::new(), Vec::new());
            locations(dst, &mut w);
            locations(&src, &mut r);
            if any_overlap(&self.program, &w, &r) {
                self.snapshot(src, span, out)
            } else {
                src
            }
        } else {
            src
        };
        self.assign_parts(dst, src, span, out);
    }

    fn assign_parts(&mut self, dst: &Val, src: Val, span: Span, out: &mut Vec<St>) {
        let src = self.read(src);
        match (dst, src) {
            (Val::Bad | Val::Nowhere, _) | (_, Val::Bad) => {}
            (Val::Choice(l, index), src) => {
                self.choose(l, index, span, out, &mut |s, v, out| {
                    s.assign_parts(v, src.clone(), span, out)
                });
            }
            (dst, Val::Choice(l, index)) => {
                self.choose(&l, &index, span, out, &mut |s, v, out| {
                    s.assign_parts(dst, v.clone(), span, out)
                });
            }
            (
                Val::Ex(Ex {
                    kind: ExKind::Place(p),
                    ..
                }),
                Val::Ex(e),
            ) => {
                if !matches!(&e.kind, ExKind::Place(q) if q == p) {
                    out.push(St::Op(Op::Assign(p.clone(), e), span));
                }
            }
            (Val::Ex(d), Val::Ex(_))
                if d.ty
                    == (Scalar::Bits {
                        width: 0,
                        signed: false,
                    }) => {}
            (Val::Slice(base, hi, lo), Val::Ex(e)) => {
                self.assign_slice(base, *hi, *lo, e, span, out)
            }
            (Val::Header(d, _), Val::Header(s, _)) => {
                if *d != s {
                    self.assign_header(d, s, span, out);
                }
            }
            (Val::Union(d, _), Val::Union(s, _)) => {
                for (d, s) in d.iter().zip(s) {
                    if let (Val::Header(d, _), Val::Header(s, _)) = (d, s)
                        && *d != s
                    {
                        out.push(St::Op(Op::AssignHeader(d.clone(), s), span));
                    }
                }
            }
            (Val::Unions(d, dn), Val::Unions(s, sn)) => {
                for (d, s) in d.iter().zip(s) {
                    self.assign_parts(d, s, span, out);
                }
                self.assign_parts(&Val::Ex(dn.clone()), Val::Ex(sn), span, out);
            }
            (Val::Union(..), Val::Invalid) => self.invalidate(dst, span, out),
            (Val::Stack(d, s), Val::Struct(values)) => {
                let headers = self
                    .program
                    .stacks
                    .get(*d)
                    .map(|s| s.headers.clone())
                    .unwrap_or_default();
                for (h, v) in headers.into_iter().zip(values) {
                    self.assign_parts(
                        &Val::Header(HeaderRef::Instance(h), s.clone()),
                        v,
                        span,
                        out,
                    );
                }
            }
            (Val::Unions(d, _), Val::Struct(values)) => {
                for (d, v) in d.iter().zip(values) {
                    self.assign_parts(d, v, span, out);
                }
            }
            (Val::Header(d, _), Val::Invalid) => out.push(St::Op(Op::SetInvalid(d.clone()), span)),
            (Val::Header(d, s), Val::HeaderValue(values)) => {
                self.set_valid(d, span, out);
                let dst = Val::Header(d.clone(), s.clone());
                for (i, v) in values.into_iter().enumerate() {
                    let f = self.field(&dst, i);
                    self.assign_parts(&f, v, span, out);
                }
            }
            (Val::Stack(d, _), Val::Stack(s, _)) => {
                if *d != s {
                    out.push(St::Op(Op::AssignStack(*d, s), span));
                }
            }
            (Val::Struct(d), Val::Struct(s)) => {
                for (d, s) in d.iter().zip(s) {
                    self.assign_parts(d, s, span, out);
                }
            }
            _ => self.unsupported(span, "this assignment"),
        }
    }

    fn assign_slice(&mut self, base: &Val, hi: u32, lo: u32, e: Ex, span: Span, out: &mut Vec<St>) {
        match base {
            Val::Slice(inner, _, base_lo) => {
                let (inner, base_lo) = (inner.clone(), *base_lo);
                self.assign_slice(&inner, hi + base_lo, lo + base_lo, e, span, out);
            }
            Val::Choice(l, index) => self.choose(l, index, span, out, &mut |s, v, out| {
                s.assign_slice(v, hi, lo, e.clone(), span, out)
            }),
            Val::Ex(
                b @ Ex {
                    kind: ExKind::Place(p),
                    ty: Scalar::Bits { width, .. },
                },
            ) => {
                let plain = Scalar::Bits {
                    width: *width,
                    signed: false,
                };
                let one = num_bigint::BigInt::from(1);
                let mask = ((one.clone() << (hi - lo + 1)) - &one) << lo;
                let keep = ((one.clone() << *width) - one) ^ mask;
                let old = Ex::cast(b.clone(), plain);
                let old = Ex::binary(BinaryOp::BitAnd, old, Ex::int(keep, plain), plain);
                let e = Ex::cast(
                    Ex::cast(
                        e,
                        Scalar::Bits {
                            width: hi - lo + 1,
                            signed: false,
                        },
                    ),
                    plain,
                );
                let new = Ex::binary(BinaryOp::Shl, e, Ex::int(lo, Scalar::Int), plain);
                let all = Ex::cast(Ex::binary(BinaryOp::BitOr, old, new, plain), b.ty);
                out.push(St::Op(Op::Assign(p.clone(), all), span));
            }
            Val::Bad | Val::Nowhere => {}
            _ => self.unsupported(span, "this assignment"),
        }
    }

    /// The value as it is now, in places of its own.
    pub(super) fn snapshot(&mut self, v: Val, span: Span, out: &mut Vec<St>) -> Val {
        match v {
            Val::Ex(e) if e.is_constant() || matches!(e.kind, ExKind::Param(_)) => Val::Ex(e),
            Val::Ex(e) if matches!(e.ty, Scalar::Varbit(_)) => {
                let Scalar::Varbit(w) = e.ty else {
                    return Val::Bad;
                };
                let name = self.local_name("tmp");
                let t = self.add_varbit(&name, w);
                self.assign_parts(&t, Val::Ex(e), span, out);
                t
            }
            Val::Ex(e) => {
                let t = self.local_temp("tmp", e.ty);
                if let ExKind::Place(p) = &t.kind {
                    out.push(St::Op(Op::Assign(p.clone(), e), span));
                }
                Val::Ex(t)
            }
            Val::Struct(l) => {
                Val::Struct(l.into_iter().map(|v| self.snapshot(v, span, out)).collect())
            }
            Val::HeaderValue(l) => {
                Val::HeaderValue(l.into_iter().map(|v| self.snapshot(v, span, out)).collect())
            }
            Val::Choice(l, index) => {
                let Some(first) = l.first() else {
                    return Val::Bad;
                };
                let t = match first {
                    Val::Ex(e) => Val::Ex(self.local_temp("tmp", e.ty)),
                    Val::Header(_, s) | Val::Union(_, s) => {
                        let ty: Ty = Rc::new(Type::Struct(s.clone()));
                        let name = self.local_name("tmp");
                        self.storage(&name, &ty, span)
                    }
                    _ => return Val::Choice(l, index),
                };
                self.assign_parts(&t, Val::Choice(l, index), span, out);
                t
            }
            Val::Union(l, s) => {
                let ty: Ty = Rc::new(Type::Struct(s.clone()));
                let name = self.local_name("tmp");
                let t = self.storage(&name, &ty, span);
                self.assign_parts(&t, Val::Union(l, s), span, out);
                t
            }
            Val::Header(h, s) => {
                let ty: Ty = Rc::new(Type::Struct(s));
                let name = self.local_name("tmp");
                let t = self.storage(&name, &ty, span);
                if let Val::Header(d, _) = &t {
                    out.push(St::Op(Op::AssignHeader(d.clone(), h), span));
                }
                t
            }
            Val::Stack(id, s) => {
                let n = self.program.stacks.get(id).map_or(0, |s| s.headers.len());
                let name = self.local_name("tmp");
                let name = self.unique(&name);
                let t = self.add_stack(&name, &s, u32::try_from(n).unwrap_or(0), span);
                if let Val::Stack(d, _) = &t {
                    out.push(St::Op(Op::AssignStack(*d, id), span));
                }
                t
            }
            other => other,
        }
    }
}

fn header_field(h: &HeaderRef, ty: &Ty, offset: usize) -> Val {
    if let Some(s) = ty.as_struct() {
        let mut at = offset;
        let mut fields = Vec::new();
        for f in &s.fields {
            fields.push(header_field(h, &f.ty, at));
            at += flat_count(&f.ty);
        }
        return Val::Struct(fields);
    }
    match scalar_type(ty) {
        Some(t) => Val::Ex(Ex::place(Place::Field(h.clone(), offset), t)),
        None => Val::Bad,
    }
}

/// Adds the state that a value is made of.
pub fn locations(v: &Val, out: &mut Vec<Loc>) {
    match v {
        Val::Ex(e) => reads(e, out),
        Val::Header(h, _) => {
            out.push(header_loc(h));
            if let HeaderRef::Element(_, i) = h {
                reads(i, out);
            }
        }
        Val::Stack(s, _) => out.push(Loc::Stack(*s)),
        Val::Struct(l) | Val::HeaderValue(l) | Val::Union(l, _) => {
            l.iter().for_each(|v| locations(v, out))
        }
        Val::Unions(l, e) | Val::Choice(l, e) => {
            l.iter().for_each(|v| locations(v, out));
            reads(e, out);
        }
        Val::Slice(b, ..) => locations(b, out),
        Val::Invalid | Val::Obj(_) | Val::Nowhere | Val::Bad => {}
    }
}
