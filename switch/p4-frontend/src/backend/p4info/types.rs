// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Types as the control plane is told of them (`p4types.proto`), as p4c's `typeSpecConverter.cpp` does it: what is named
//! is listed once in `type_info`, together with all that it is made of.

use std::collections::BTreeMap;

use num_bigint::{BigInt, Sign};

use super::annotations::{Translation, add_plain, add_structured, translation};
use super::blocks::{external_name, join};
use super::text::Message;
use crate::ast::{Annotation, Name};
use crate::diag::Diagnostics;
use crate::sema::types::{EnumType, NewType, StructKind, StructType, Ty, Type};
use crate::source::Span;

/// The types that the control plane sees.
#[derive(Default)]
pub struct TypeInfo {
    /// Whether there is a list at all, be it empty: p4c makes one when it comes upon anything that could need it.
    pub present: bool,
    structs: BTreeMap<String, Message>,
    headers: BTreeMap<String, Message>,
    unions: BTreeMap<String, Message>,
    enums: BTreeMap<String, Message>,
    errors: Option<Message>,
    serializable: BTreeMap<String, Message>,
    new_types: BTreeMap<String, Message>,
}

/// A field of a header whose structs are taken apart (`flattenHeader.cpp`).
pub struct FlatField {
    /// The control plane's name.
    pub name: String,
    /// Type.
    pub ty: Ty,
    /// Annotations, its own before those of the structs that it is in.
    pub annotations: Vec<Annotation>,
}

/// The fields of a header, those of structs inside by their full names. Where there are such, `@name` has no say.
pub fn flat_fields(s: &StructType) -> Vec<FlatField> {
    let nested = s.fields.iter().any(|f| f.ty.as_struct().is_some());
    if !nested {
        return s
            .fields
            .iter()
            .map(|f| FlatField {
                name: join("", &external_name(&f.name, &f.annotations)),
                ty: f.ty.clone(),
                annotations: f.annotations.clone(),
            })
            .collect();
    }
    let mut out = Vec::new();
    flatten(s, "", &[], &mut out);
    out
}

fn flatten(s: &StructType, prefix: &str, outer: &[Annotation], out: &mut Vec<FlatField>) {
    for f in &s.fields {
        let name = join(prefix, &f.name);
        let mut annotations = f.annotations.clone();
        for a in outer {
            if annotations.iter().all(|b| b.name.name != a.name.name) {
                annotations.push(a.clone());
            }
        }
        match f.ty.as_struct() {
            Some(inner) => flatten(inner, &name, &annotations, out),
            None => out.push(FlatField {
                name,
                ty: f.ty.clone(),
                annotations,
            }),
        }
    }
}

/// A value as bytes, big endian, as many as its width takes (`stringReprConstant` of `bytestrings.cpp`).
pub fn value_bytes(v: &BigInt, width: u32) -> Vec<u8> {
    let size = usize::try_from(width.div_ceil(8)).unwrap_or(0);
    let (_, bytes) = crate::sema::types::wrap(v, width.max(1), false).to_bytes_be();
    let mut out = vec![0; size.saturating_sub(bytes.len())];
    out.extend(bytes);
    out
}

/// Width of a field of this type; 0 where the control plane uses a string.
pub fn bitwidth(ty: &Ty) -> u32 {
    match &**ty {
        Type::Error => 0,
        Type::Enum(e) if e.underlying.is_none() => 0,
        Type::New(n) => match translation(&n.annotations) {
            Some((_, Translation::Bits(w))) => w,
            Some((_, Translation::String)) => 0,
            None => ty.width().unwrap_or(0),
        },
        _ => ty.width().unwrap_or(0),
    }
}

fn named(name: &str) -> Message {
    let mut m = Message::default();
    m.string("name", name);
    m
}

/// The reference to a type made by `type`.
pub fn new_type_name(ty: &Ty) -> Option<Message> {
    match &**ty {
        Type::New(n) => Some(named(&n.name)),
        _ => None,
    }
}

fn one(word: &str, m: Message) -> Message {
    let mut out = Message::default();
    out.message(word, m);
    out
}

fn bits(ty: &Type) -> Option<Message> {
    let mut m = Message::default();
    Some(match ty {
        Type::Bits { width, signed } => {
            m.number("bitwidth", u64::from(*width));
            one(if *signed { "int" } else { "bit" }, m)
        }
        Type::Varbit(width) => {
            m.number("max_bitwidth", u64::from(*width));
            one("varbit", m)
        }
        _ => return None,
    })
}

impl TypeInfo {
    /// What to say of a type (`P4DataTypeSpec`); lists it, too, if it has a name.
    pub fn spec(
        &mut self,
        ty: &Ty,
        errors: &[Name],
        span: Span,
        diags: &mut Diagnostics,
    ) -> Message {
        self.present = true;
        match &**ty {
            Type::Bits { .. } | Type::Varbit(_) => match bits(ty) {
                Some(m) => one("bitstring", m),
                None => Message::default(),
            },
            Type::Bool => one("bool", Message::default()),
            Type::Error => {
                if self.errors.is_none() {
                    let mut m = Message::default();
                    for e in errors {
                        m.string("members", e);
                    }
                    self.errors = Some(m);
                }
                one("error", Message::default())
            }
            Type::Tuple(list) | Type::ListExpr(list) => {
                let mut m = Message::default();
                for t in list {
                    m.message("members", self.spec(t, errors, span, diags));
                }
                one("tuple", m)
            }
            Type::Enum(e) => match &e.underlying {
                None => {
                    self.plain_enum(e);
                    one("enum", named(&e.name))
                }
                Some(u) => {
                    self.serializable_enum(e, u.width().unwrap_or(0), span, diags);
                    one("serializable_enum", named(&e.name))
                }
            },
            Type::New(n) => {
                self.new_type(n, errors, span, diags);
                one("new_type", named(&n.name))
            }
            Type::Struct(s) => {
                let name = join("", &external_name(&s.name, &s.annotations));
                let word = match s.kind {
                    StructKind::Struct => "struct",
                    StructKind::Header => "header",
                    StructKind::Union => "header_union",
                };
                self.structure(s, &name, errors, span, diags);
                one(word, named(&name))
            }
            Type::Stack(element, size) => {
                let word = match element.as_struct().map(|s| s.kind) {
                    Some(StructKind::Union) => "header_union",
                    _ => "header",
                };
                let mut m = self.spec(element, errors, span, diags);
                m.number("size", u64::from(*size));
                one(&format!("{word}_stack"), m)
            }
            _ => {
                diags.error(
                    span,
                    format!("the control plane cannot be told of type '{ty}'"),
                );
                Message::default()
            }
        }
    }

    fn structure(
        &mut self,
        s: &StructType,
        name: &str,
        errors: &[Name],
        span: Span,
        diags: &mut Diagnostics,
    ) {
        let known = match s.kind {
            StructKind::Struct => &self.structs,
            StructKind::Header => &self.headers,
            StructKind::Union => &self.unions,
        };
        if known.contains_key(name) {
            return;
        }
        let mut out = Message::default();
        match s.kind {
            StructKind::Struct | StructKind::Union => {
                let word = if s.kind == StructKind::Struct {
                    "type_spec"
                } else {
                    "header"
                };
                for f in &s.fields {
                    let mut m = named(&join("", &external_name(&f.name, &f.annotations)));
                    let spec = self.spec(&f.ty, errors, span, diags);
                    m.message(
                        word,
                        match s.kind {
                            StructKind::Union => spec.inner().unwrap_or_default(),
                            _ => spec,
                        },
                    );
                    out.message("members", m);
                }
            }
            StructKind::Header => {
                for f in flat_fields(s) {
                    let mut m = named(&f.name);
                    if let Some(b) = bits(&f.ty.representation()) {
                        m.message("type_spec", b);
                    } else {
                        diags.error(
                            span,
                            format!(
                                "{name}.{}: the control plane knows headers of bit strings only",
                                f.name
                            ),
                        );
                    }
                    out.message("members", m);
                }
            }
        }
        let list = match s.kind {
            StructKind::Struct => &mut self.structs,
            StructKind::Header => &mut self.headers,
            StructKind::Union => &mut self.unions,
        };
        list.insert(name.to_string(), out);
    }

    fn plain_enum(&mut self, e: &EnumType) {
        self.enums.entry(e.name.to_string()).or_insert_with(|| {
            let mut m = Message::default();
            for (name, _) in &e.members {
                m.message("members", named(name));
            }
            m
        });
    }

    fn serializable_enum(&mut self, e: &EnumType, width: u32, span: Span, diags: &mut Diagnostics) {
        if self.serializable.contains_key(&*e.name) {
            return;
        }
        let mut out = Message::default();
        let mut underlying = Message::default();
        underlying.number("bitwidth", u64::from(width));
        out.message("underlying_type", underlying);
        for (name, value) in &e.members {
            let mut m = named(name);
            if value.sign() == Sign::Minus {
                diags.error(
                    span,
                    format!(
                        "{}.{name}: negative values are not supported in P4Info",
                        e.name
                    ),
                );
            } else {
                m.bytes("value", &value_bytes(value, width));
            }
            out.message("members", m);
        }
        self.serializable.insert(e.name.to_string(), out);
    }

    fn new_type(&mut self, n: &NewType, errors: &[Name], span: Span, diags: &mut Diagnostics) {
        let name = n.name.to_string();
        if self.new_types.contains_key(&name) {
            return;
        }
        let mut base = n.base.clone();
        while let Type::New(inner) = &*base.clone() {
            base = inner.base.clone();
        }
        let original = self.spec(&base, errors, span, diags);
        let mut out = Message::default();
        match translation(&n.annotations) {
            Some((uri, to)) => {
                if !matches!(*base, Type::Bits { .. }) {
                    diags.error(
                        span,
                        format!(
                            "{name}: the type under one with @p4runtime_translation must be bit<W>; it cannot be '{base}'"
                        ),
                    );
                }
                let mut t = Message::default();
                t.string("uri", &uri);
                match to {
                    Translation::Bits(w) => t.number("sdn_bitwidth", u64::from(w)),
                    Translation::String => t.message("sdn_string", Message::default()),
                }
                out.message("translated_type", t);
            }
            None => out.message("original_type", original),
        }
        add_plain(&mut out, &n.annotations, &["p4runtime_translation"]);
        add_structured(&mut out, &n.annotations, diags);
        self.new_types.insert(name, out);
    }

    /// `type_info`
    pub fn message(&self) -> Option<Message> {
        if !self.present {
            return None;
        }
        let mut m = Message::default();
        let add = |m: &mut Message, word: &str, types: &BTreeMap<String, Message>| {
            for (name, spec) in types {
                let mut entry = Message::default();
                entry.string("key", name);
                entry.message("value", spec.clone());
                m.message(word, entry);
            }
        };
        add(&mut m, "structs", &self.structs);
        add(&mut m, "headers", &self.headers);
        add(&mut m, "header_unions", &self.unions);
        add(&mut m, "enums", &self.enums);
        if let Some(e) = &self.errors {
            m.message("error", e.clone());
        }
        add(&mut m, "serializable_enums", &self.serializable);
        add(&mut m, "new_types", &self.new_types);
        Some(m)
    }
}
