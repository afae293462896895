// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! P4Info (P4Runtime specification, `p4/config/v1/p4info.proto`) as protobuf text, with the ids and aliases that p4c
//! gives.

mod ids;
mod text;

use std::collections::{BTreeMap, BTreeSet};

use num_bigint::BigInt;

use ids::{Kind, Symbols};
use text::Message;

use super::ir::{
    Action, ActionParam, ControllerHeader, Digest, Entries, Key, Object, ObjectKind, Program, Table,
};
use crate::ast::{
    Annotation, AnnotationBody, AnnotationToken, AnnotationTokenKind, Name, find_annotation,
};
use crate::diag::Diagnostics;
use crate::sema::annotation_int;
use crate::sema::types::{StructKind, StructType, Ty, Type};
use crate::source::Span;

/// Size of a table that does not say.
const DEFAULT_SIZE: u64 = 1024;

/// P4Info of a program.
pub fn emit(program: &Program, diags: &mut Diagnostics) -> String {
    let mut e = Emitter {
        program,
        diags,
        symbols: Symbols::default(),
        structs: BTreeMap::new(),
        headers: BTreeMap::new(),
        enums: BTreeMap::new(),
        new_types: BTreeMap::new(),
    };
    e.collect();
    e.message().to_text()
}

struct Emitter<'a> {
    program: &'a Program,
    diags: &'a mut Diagnostics,
    symbols: Symbols,
    /// Structs that the control plane sees.
    structs: BTreeMap<String, Message>,
    /// Headers that are part of what the control plane sees.
    headers: BTreeMap<String, Message>,
    /// Serializable enums that the control plane sees.
    enums: BTreeMap<String, Message>,
    /// Types declared by `type` that the control plane sees.
    new_types: BTreeMap<String, Message>,
}

fn is_hidden(annotations: &[Annotation]) -> bool {
    find_annotation(annotations, "hidden").is_some()
}

fn object_kind(o: &Object) -> Kind {
    match o.kind {
        ObjectKind::Register { .. } => Kind::Register,
        ObjectKind::Counter { .. } => Kind::Counter,
        ObjectKind::DirectCounter { .. } => Kind::DirectCounter,
        ObjectKind::Meter { .. } => Kind::Meter,
        ObjectKind::DirectMeter { .. } => Kind::DirectMeter,
        ObjectKind::ActionProfile { .. } => Kind::ActionProfile,
    }
}

impl Emitter<'_> {
    fn id_annotation(&mut self, annotations: &[Annotation], span: Span) -> Option<BigInt> {
        let a = find_annotation(annotations, "id")?;
        let id = annotation_int(a);
        if id.is_none() {
            self.diags.error(span, "@id should be an unsigned integer");
        }
        id
    }

    fn add(&mut self, kind: Kind, name: &str, annotations: &[Annotation], span: Span) {
        let id = self.id_annotation(annotations, span);
        if let Err(message) = self.symbols.add(kind, name, id) {
            self.diags.error(span, message);
        }
    }

    fn collect(&mut self) {
        let program = self.program;
        for a in program
            .actions
            .iter()
            .chain(&program.called)
            .filter(|a| !a.hidden)
        {
            self.add(Kind::Action, &a.name, &a.annotations, a.span);
        }
        for t in &program.tables {
            self.add(Kind::Table, &t.name, &t.annotations, t.span);
        }
        for o in program.objects.iter().filter(|o| attached(o)) {
            self.add(object_kind(o), &o.name, &o.annotations, o.span);
        }
        for s in &program.sets {
            self.add(Kind::ValueSet, &s.name, &s.annotations, Span::NONE);
        }
        for h in &program.controller_headers {
            self.add(
                Kind::ControllerHeader,
                &h.type_name,
                &h.ty.annotations,
                h.ty.span,
            );
        }
        for d in &program.digests {
            let annotations =
                d.ty.as_struct()
                    .map(|s| s.annotations.clone())
                    .unwrap_or_default();
            self.add(Kind::Digest, &d.name, &annotations, Span::NONE);
        }
        self.symbols.assign();
    }

    fn preamble(&self, kind: Kind, name: &str, annotations: &[Annotation]) -> Message {
        let mut m = Message::default();
        m.number("id", u64::from(self.symbols.id(kind, name)));
        m.string("name", name);
        m.string("alias", &self.symbols.alias(name));
        add_annotations(&mut m, annotations);
        if let Some(doc) = documentation(annotations) {
            m.message("doc", doc);
        }
        m
    }

    fn message(&mut self) -> Message {
        let program = self.program;
        let mut m = Message::default();
        let mut pkg = Message::default();
        self.pkg_info(&mut pkg);
        m.message("pkg_info", pkg);
        for t in program.tables.iter().filter(|t| !is_hidden(&t.annotations)) {
            let t = self.table(t);
            m.message("tables", t);
        }
        for a in Self::actions_in_order(program) {
            let a = self.action(a);
            m.message("actions", a);
        }
        type Filter = fn(&ObjectKind) -> bool;
        let groups: [(&str, Filter); 6] = [
            ("action_profiles", |k| {
                matches!(k, ObjectKind::ActionProfile { .. })
            }),
            ("counters", |k| matches!(k, ObjectKind::Counter { .. })),
            ("direct_counters", |k| {
                matches!(k, ObjectKind::DirectCounter { .. })
            }),
            ("meters", |k| matches!(k, ObjectKind::Meter { .. })),
            ("direct_meters", |k| {
                matches!(k, ObjectKind::DirectMeter { .. })
            }),
            // Registers come after value sets.
            ("registers", |k| matches!(k, ObjectKind::Register { .. })),
        ];
        for (word, filter) in groups {
            if word == "registers" {
                for h in program
                    .controller_headers
                    .iter()
                    .filter(|h| !is_hidden(&h.ty.annotations))
                {
                    let h = self.controller_header(h);
                    m.message("controller_packet_metadata", h);
                }
                for s in &program.sets {
                    let s = self.value_set(s);
                    m.message("value_sets", s);
                }
            }
            for o in program
                .objects
                .iter()
                .filter(|o| filter(&o.kind) && attached(o) && !is_hidden(&o.annotations))
            {
                m.message(word, self.object(o));
            }
        }
        for d in &program.digests {
            let d = self.digest(d);
            m.message("digests", d);
        }
        let types = [
            ("structs", &self.structs),
            ("headers", &self.headers),
            ("serializable_enums", &self.enums),
            ("new_types", &self.new_types),
        ];
        if types.iter().any(|(_, t)| !t.is_empty()) {
            let mut info = Message::default();
            for (word, types) in types {
                for (name, spec) in types {
                    let mut entry = Message::default();
                    entry.string("key", name);
                    entry.message("value", spec.clone());
                    info.message(word, entry);
                }
            }
            m.message("type_info", info);
        }
        m
    }

    fn pkg_info(&self, m: &mut Message) {
        // The fields of @pkginfo, by their numbers in the message.
        let mut given: BTreeMap<&str, Name> = BTreeMap::new();
        for a in &self.program.main_annotations {
            if let ("pkginfo", AnnotationBody::KeyValues(list)) = (a.name.as_str(), &a.body) {
                for kv in list {
                    if let crate::ast::ExprKind::String(s) = &kv.value.kind {
                        for key in ["name", "version", "organization", "contact", "url"] {
                            if kv.name.as_str() == key {
                                given.insert(key, s.clone());
                            }
                        }
                    }
                }
            }
        }
        let take = |m: &mut Message, key: &str| {
            if let Some(v) = given.get(key) {
                m.string(key, v);
            }
        };
        take(m, "name");
        take(m, "version");
        let own: Vec<Annotation> = self
            .program
            .main_annotations
            .iter()
            .filter(|a| a.name.as_str() != "pkginfo")
            .cloned()
            .collect();
        if let Some(doc) = documentation(&own) {
            m.message("doc", doc);
        }
        add_annotations(m, &own);
        m.string("arch", "v1model");
        take(m, "organization");
        take(m, "contact");
        take(m, "url");
    }

    /// Actions once each: those at the top level first, then by control, in the order of the source.
    fn actions_in_order(program: &Program) -> Vec<&Action> {
        let mut seen = BTreeSet::new();
        let mut prefixes: Vec<&str> = Vec::new();
        let mut list: Vec<(usize, Span, &Action)> = Vec::new();
        for a in program.actions.iter().chain(&program.called) {
            if a.hidden || is_hidden(&a.annotations) || !seen.insert(a.name.clone()) {
                continue;
            }
            let prefix = a.name.rsplit_once('.').map_or("", |(p, _)| p);
            let rank = match prefixes.iter().position(|p| *p == prefix) {
                Some(i) => i,
                None => {
                    prefixes.push(prefix);
                    prefixes.len() - 1
                }
            };
            list.push((if prefix.is_empty() { 0 } else { rank + 1 }, a.span, a));
        }
        list.sort_by_key(|(rank, span, _)| (*rank, *span));
        list.into_iter().map(|(_, _, a)| a).collect()
    }

    fn action(&mut self, a: &Action) -> Message {
        let mut m = Message::default();
        m.message(
            "preamble",
            self.preamble(Kind::Action, &a.name, &a.annotations),
        );
        let annotations: Vec<&[Annotation]> =
            a.params.iter().map(|p| p.annotations.as_slice()).collect();
        let ids = self.field_ids(&annotations, a.span);
        for (p, id) in a.params.iter().zip(ids) {
            m.message("params", self.param(p, id));
        }
        m
    }

    fn param(&mut self, p: &ActionParam, id: u64) -> Message {
        let mut m = Message::default();
        m.number("id", id);
        m.string("name", &p.name);
        add_annotations(&mut m, &p.annotations);
        m.number("bitwidth", u64::from(self.bitwidth(&p.ty, p.width)));
        if let Some(doc) = documentation(&p.annotations) {
            m.message("doc", doc);
        }
        if let Some(t) = self.type_name(&p.ty) {
            m.message("type_name", t);
        }
        m
    }

    /// Ids of fields: as given by `@id`, otherwise 1, 2, ...
    fn field_ids(&mut self, annotations: &[&[Annotation]], span: Span) -> Vec<u64> {
        let mut given: Vec<Option<u64>> = Vec::new();
        let mut used = BTreeSet::new();
        for a in annotations {
            let id = self
                .id_annotation(a, span)
                .and_then(|n| u64::try_from(n).ok());
            if let Some(id) = id {
                if id == 0 {
                    self.diags.error(span, "0 is not a valid @id value");
                } else if !used.insert(id) {
                    self.diags
                        .error(span, format!("@id {id} is used multiple times"));
                }
            }
            given.push(id);
        }
        let mut next = 1;
        given
            .into_iter()
            .map(|g| match g {
                Some(id) => {
                    next += 1;
                    id
                }
                None => {
                    while used.contains(&next) {
                        next += 1;
                    }
                    used.insert(next);
                    next
                }
            })
            .collect()
    }

    fn bitwidth(&self, ty: &Ty, width: u32) -> u32 {
        match &**ty {
            // Errors and enums without numbers go by name.
            Type::Error => 0,
            Type::Enum(e) if e.underlying.is_none() => 0,
            Type::New(n) => match translation(&n.annotations) {
                Some((_, Some(w))) => w,
                Some((_, None)) => 0,
                None => width,
            },
            _ => width,
        }
    }

    fn type_name(&mut self, ty: &Ty) -> Option<Message> {
        if let Type::Enum(e) = &**ty {
            self.add_enum(e);
        }
        if let Type::Enum(e) = &**ty
            && e.underlying.is_none()
        {
            let mut m = Message::default();
            m.string("name", &e.name);
            return Some(m);
        }
        let Type::New(n) = &**ty else { return None };
        let name = n.name.to_string();
        if !self.new_types.contains_key(&name) {
            let mut spec = Message::default();
            if let Some((uri, width)) = translation(&n.annotations) {
                let mut t = Message::default();
                t.string("uri", &uri);
                match width {
                    Some(w) => t.number("sdn_bitwidth", u64::from(w)),
                    None => t.message("sdn_string", Message::default()),
                }
                spec.message("translated_type", t);
            } else if let Type::Bits { width, signed } = *n.base.representation() {
                spec.message("original_type", bitstring(width, signed));
            }
            self.new_types.insert(name.clone(), spec);
        }
        let mut m = Message::default();
        m.string("name", &name);
        Some(m)
    }

    /// A header of packets to or from the controller; structs inside are flat.
    fn controller_header(&mut self, h: &ControllerHeader) -> Message {
        let mut m = Message::default();
        let mut p = Message::default();
        p.number(
            "id",
            u64::from(self.symbols.id(Kind::ControllerHeader, &h.type_name)),
        );
        p.string("name", &h.name);
        p.string("alias", &h.name);
        add_annotations(&mut p, &h.ty.annotations);
        if let Some(doc) = documentation(&h.ty.annotations) {
            p.message("doc", doc);
        }
        m.message("preamble", p);
        let mut fields = Vec::new();
        flat_fields("", &h.ty, &mut fields);
        let annotations: Vec<&[Annotation]> = fields.iter().map(|(_, _, a)| a.as_slice()).collect();
        let ids = self.field_ids(&annotations, h.ty.span);
        for ((name, ty, annotations), id) in fields.iter().zip(ids) {
            if is_hidden(annotations) {
                continue;
            }
            let mut f = Message::default();
            f.number("id", id);
            f.string("name", name);
            add_annotations(&mut f, annotations);
            f.number(
                "bitwidth",
                u64::from(self.bitwidth(ty, ty.width().unwrap_or(0))),
            );
            if let Some(t) = self.type_name(ty) {
                f.message("type_name", t);
            }
            m.message("metadata", f);
        }
        m
    }

    fn digest(&mut self, d: &Digest) -> Message {
        let annotations =
            d.ty.as_struct()
                .map(|s| s.annotations.clone())
                .unwrap_or_default();
        let mut m = Message::default();
        m.message(
            "preamble",
            self.preamble(Kind::Digest, &d.name, &annotations),
        );
        let spec = self.type_spec(&d.ty);
        m.message("type_spec", spec);
        m
    }

    /// `P4DataTypeSpec`
    fn type_spec(&mut self, ty: &Ty) -> Message {
        let mut spec = Message::default();
        let named = |name: &str| {
            let mut n = Message::default();
            n.string("name", name);
            n
        };
        match &**ty {
            Type::Bits { width, signed } => return bitstring(*width, *signed),
            Type::Varbit(w) => {
                let mut bits = Message::default();
                bits.number("max_bitwidth", u64::from(*w));
                let mut string = Message::default();
                string.message("varbit", bits);
                spec.message("bitstring", string);
            }
            Type::Bool => spec.message("bool", Message::default()),
            Type::Error => spec.message("error", Message::default()),
            Type::Tuple(list) | Type::ListExpr(list) => {
                let mut tuple = Message::default();
                for t in list {
                    let t = self.type_spec(t);
                    tuple.message("members", t);
                }
                spec.message("tuple", tuple);
            }
            Type::Enum(e) => {
                self.add_enum(e);
                let word = if e.underlying.is_some() {
                    "serializable_enum"
                } else {
                    "enum"
                };
                spec.message(word, named(&e.name));
            }
            Type::New(n) => {
                let _ = self.type_name(ty);
                spec.message("new_type", named(&n.name));
            }
            Type::Struct(s) => {
                self.add_struct(s);
                let word = match s.kind {
                    StructKind::Header => "header",
                    StructKind::Struct => "struct",
                    StructKind::Union => "header_union",
                };
                spec.message(word, named(&s.name));
            }
            Type::Stack(t, n) => {
                let mut stack = Message::default();
                if let Some(s) = t.as_struct() {
                    self.add_struct(s);
                    stack.message("header", named(&s.name));
                }
                stack.number("size", u64::from(*n));
                spec.message("header_stack", stack);
            }
            _ => {}
        }
        spec
    }

    fn add_struct(&mut self, s: &std::rc::Rc<StructType>) {
        let known = if s.kind == StructKind::Header {
            &self.headers
        } else {
            &self.structs
        };
        if known.contains_key(&*s.name) || s.kind == StructKind::Union {
            return;
        }
        let mut spec = Message::default();
        for f in &s.fields {
            let mut member = Message::default();
            member.string("name", &f.name);
            let of = self.type_spec(&f.ty);
            if s.kind == StructKind::Header {
                // Fields of headers are bit strings, without a word that says so.
                match bitstring_of(&f.ty) {
                    Some(b) => member.message("type_spec", b),
                    None => member.message("type_spec", of),
                }
            } else {
                member.message("type_spec", of);
            }
            spec.message("members", member);
        }
        let map = if s.kind == StructKind::Header {
            &mut self.headers
        } else {
            &mut self.structs
        };
        map.insert(s.name.to_string(), spec);
    }

    fn add_enum(&mut self, e: &crate::sema::types::EnumType) {
        let width = e.underlying.as_ref().and_then(|t| t.width());
        let (Some(width), false) = (width, self.enums.contains_key(&*e.name)) else {
            return;
        };
        let mut spec = Message::default();
        let mut underlying = Message::default();
        underlying.number("bitwidth", u64::from(width));
        spec.message("underlying_type", underlying);
        for (name, value) in &e.members {
            let mut m = Message::default();
            m.string("name", name);
            m.bytes("value", &value_bytes(value, width));
            spec.message("members", m);
        }
        self.enums.insert(e.name.to_string(), spec);
    }

    fn table(&mut self, t: &Table) -> Message {
        let mut m = Message::default();
        m.message(
            "preamble",
            self.preamble(Kind::Table, &t.name, &t.annotations),
        );
        let annotations: Vec<&[Annotation]> =
            t.keys.iter().map(|k| k.annotations.as_slice()).collect();
        let ids = self.field_ids(&annotations, t.span);
        for (k, id) in t.keys.iter().zip(ids) {
            if &*k.match_kind == "selector" {
                continue;
            }
            let key = self.key(k, id);
            m.message("match_fields", key);
        }
        let action_name = |i: usize| {
            self.program
                .actions
                .get(i)
                .map(|a| a.name.as_str())
                .unwrap_or_default()
        };
        for r in &t.actions {
            let mut a = Message::default();
            a.number(
                "id",
                u64::from(self.symbols.id(Kind::Action, action_name(r.action))),
            );
            add_annotations(&mut a, &r.annotations);
            let table_only = find_annotation(&r.annotations, "tableonly").is_some();
            let default_only = find_annotation(&r.annotations, "defaultonly").is_some();
            if table_only && default_only {
                self.diags.error(
                    t.span,
                    format!("table {}: an action is annotated with both '@tableonly' and '@defaultonly'", t.name),
                );
            } else if table_only {
                a.word("scope", "TABLE_ONLY");
            } else if default_only {
                a.word("scope", "DEFAULT_ONLY");
            }
            m.message("action_refs", a);
        }
        let default = t
            .default
            .as_ref()
            .and_then(|d| Some((d, t.actions.get(d.index)?.action)));
        if let Some((d, action)) = default {
            let id = u64::from(self.symbols.id(Kind::Action, action_name(action)));
            if d.is_const {
                m.number("const_default_action_id", id);
            }
        }
        if let Some((d, action)) = default.filter(|(d, _)| !d.is_const) {
            let mut call = Message::default();
            call.number(
                "action_id",
                u64::from(self.symbols.id(Kind::Action, action_name(action))),
            );
            let params = self
                .program
                .actions
                .get(action)
                .map(|a| a.params.as_slice())
                .unwrap_or(&[]);
            let annotations: Vec<Vec<Annotation>> =
                params.iter().map(|p| p.annotations.clone()).collect();
            let widths: Vec<u32> = params.iter().map(|p| p.width).collect();
            let refs: Vec<&[Annotation]> = annotations.iter().map(Vec::as_slice).collect();
            let ids = self.field_ids(&refs, t.span);
            for ((arg, id), width) in d.args.iter().zip(ids).zip(widths) {
                let mut a = Message::default();
                a.number("param_id", id);
                a.bytes("value", &value_bytes(arg, width));
                call.message("arguments", a);
            }
            m.message("initial_default_action", call);
        }
        if let Some(o) = t.implementation.and_then(|o| self.program.objects.get(o)) {
            m.number(
                "implementation_id",
                u64::from(self.symbols.id(Kind::ActionProfile, &o.name)),
            );
        }
        let direct = [t.counter, t.meter];
        for o in direct
            .iter()
            .flatten()
            .filter_map(|o| self.program.objects.get(*o))
        {
            m.number(
                "direct_resource_ids",
                u64::from(self.symbols.id(object_kind(o), &o.name)),
            );
        }
        m.number("size", t.size.filter(|n| *n > 0).unwrap_or(DEFAULT_SIZE));
        if t.support_timeout {
            m.word("idle_timeout_behavior", "NOTIFY_CONTROL");
        }
        if matches!(&t.entries, Some(Entries { is_const: true, .. })) {
            m.word("is_const_table", "true");
        }
        if matches!(&t.entries, Some(e) if !e.list.is_empty()) {
            m.word("has_initial_entries", "true");
        }
        m
    }

    fn key(&mut self, k: &Key, id: u64) -> Message {
        let mut m = Message::default();
        m.number("id", id);
        m.string("name", &k.name);
        add_annotations(&mut m, &k.annotations);
        m.number("bitwidth", u64::from(self.bitwidth(&k.ty, k.width)));
        match &*k.match_kind {
            kind @ ("exact" | "lpm" | "ternary" | "range" | "optional") => {
                m.word("match_type", &kind.to_uppercase())
            }
            other => m.string("other_match_type", other),
        }
        if let Some(doc) = documentation(&k.annotations) {
            m.message("doc", doc);
        }
        if let Some(t) = self.type_name(&k.ty) {
            m.message("type_name", t);
        }
        m
    }

    fn value_set(&mut self, s: &super::ir::ValueSet) -> Message {
        let mut m = Message::default();
        m.message(
            "preamble",
            self.preamble(Kind::ValueSet, &s.name, &s.annotations),
        );
        let annotations: Vec<&[Annotation]> = s.members.iter().map(|(_, a)| a.as_slice()).collect();
        let ids = self.field_ids(&annotations, Span::NONE);
        for ((w, (name, annotations)), id) in s.widths.iter().zip(&s.members).zip(ids) {
            let mut f = Message::default();
            f.number("id", id);
            if !name.is_empty() {
                f.string("name", name);
            }
            add_annotations(&mut f, annotations);
            f.number("bitwidth", u64::from(*w));
            let kind = find_annotation(annotations, "match").and_then(|a| match &a.body {
                AnnotationBody::Unstructured(t) => t.first().map(|t| t.text.to_uppercase()),
                _ => None,
            });
            f.word("match_type", kind.as_deref().unwrap_or("EXACT"));
            if let Some(doc) = documentation(annotations) {
                f.message("doc", doc);
            }
            m.message("match", f);
        }
        m.number("size", s.size);
        m
    }

    fn object(&self, o: &Object) -> Message {
        let mut m = Message::default();
        m.message(
            "preamble",
            self.preamble(object_kind(o), &o.name, &o.annotations),
        );
        let unit = |unit: &str| {
            let mut spec = Message::default();
            match unit {
                "bytes" => spec.word("unit", "BYTES"),
                "packets" => spec.word("unit", "PACKETS"),
                _ => spec.word("unit", "BOTH"),
            }
            spec
        };
        let table_id = |t: &Option<usize>| {
            let name = t
                .and_then(|t| self.program.tables.get(t))
                .map(|t| t.name.as_str())
                .unwrap_or_default();
            u64::from(self.symbols.id(Kind::Table, name))
        };
        match &o.kind {
            ObjectKind::Counter { size, unit: u } => {
                m.message("spec", unit(u));
                m.number("size", *size);
            }
            ObjectKind::DirectCounter { unit: u, table } => {
                m.message("spec", unit(u));
                m.number("direct_table_id", table_id(table));
            }
            ObjectKind::Meter { size, unit: u } => {
                m.message("spec", unit(u));
                m.number("size", *size);
            }
            ObjectKind::DirectMeter { unit: u, table, .. } => {
                m.message("spec", unit(u));
                m.number("direct_table_id", table_id(table));
            }
            ObjectKind::ActionProfile {
                size,
                selector,
                tables,
                ..
            } => {
                for t in tables {
                    m.number("table_ids", table_id(&Some(*t)));
                }
                if selector.is_some() {
                    m.word("with_selector", "true");
                }
                m.number("size", *size);
                if let Some(n) =
                    find_annotation(&o.annotations, "max_group_size").and_then(annotation_int)
                {
                    m.number("max_group_size", u64::try_from(n).unwrap_or(0));
                }
            }
            ObjectKind::Register {
                width,
                signed,
                size,
            } => {
                m.message("type_spec", bitstring(*width, *signed));
                m.number("size", *size);
            }
        }
        m
    }
}

/// The fields of a header, those of structs inside by their full names.
fn flat_fields(prefix: &str, s: &StructType, out: &mut Vec<(String, Ty, Vec<Annotation>)>) {
    for f in &s.fields {
        let given = find_annotation(&f.annotations, "name").and_then(Annotation::string);
        let name = given.unwrap_or_else(|| f.name.clone());
        let name = if prefix.is_empty() {
            name.to_string()
        } else {
            format!("{prefix}.{name}")
        };
        match f.ty.as_struct() {
            Some(inner) => flat_fields(&name, inner, out),
            None => out.push((name, f.ty.clone(), f.annotations.clone())),
        }
    }
}

/// The inner part of a bit string's type, as headers' members have it.
fn bitstring_of(ty: &Ty) -> Option<Message> {
    let Type::Bits { width, signed } = **ty else {
        return None;
    };
    let mut bits = Message::default();
    bits.number("bitwidth", u64::from(width));
    let mut string = Message::default();
    string.message(if signed { "int" } else { "bit" }, bits);
    Some(string)
}

/// Direct objects that no table uses are not there.
fn attached(o: &Object) -> bool {
    !matches!(
        o.kind,
        ObjectKind::DirectCounter { table: None, .. } | ObjectKind::DirectMeter { table: None, .. }
    )
}

fn bitstring(width: u32, signed: bool) -> Message {
    let mut bits = Message::default();
    bits.number("bitwidth", u64::from(width));
    let mut string = Message::default();
    string.message(if signed { "int" } else { "bit" }, bits);
    let mut spec = Message::default();
    spec.message("bitstring", string);
    spec
}

/// A value as P4Runtime's canonical bytes: big endian, without leading zeros, at least one.
fn value_bytes(v: &BigInt, width: u32) -> Vec<u8> {
    let (_, bytes) = crate::sema::types::wrap(v, width, false).to_bytes_be();
    if bytes.is_empty() { vec![0] } else { bytes }
}

/// `@p4runtime_translation("uri", width)`: `None` for the width is a string.
fn translation(annotations: &[Annotation]) -> Option<(String, Option<u32>)> {
    let a = find_annotation(annotations, "p4runtime_translation")?;
    let AnnotationBody::Unstructured(tokens) = &a.body else {
        return None;
    };
    let uri = tokens
        .iter()
        .find(|t| t.kind == AnnotationTokenKind::String)?;
    let uri = crate::lex::unescape(&uri.text);
    let width = tokens
        .iter()
        .find(|t| t.kind == AnnotationTokenKind::Integer)
        .and_then(|t| t.text.parse().ok());
    Some((uri.to_string(), width))
}

/// Annotations of which P4Info keeps another record, or that concern the compiler alone.
const NOT_COPIED: [&str; 6] = ["name", "id", "brief", "description", "optional", "match"];

fn add_annotations(m: &mut Message, annotations: &[Annotation]) {
    for a in annotations {
        if NOT_COPIED.contains(&a.name.as_str()) {
            continue;
        }
        match &a.body {
            AnnotationBody::None => m.string("annotations", &format!("@{}", a.name)),
            AnnotationBody::Unstructured(tokens) | AnnotationBody::Pragma(tokens) => {
                m.string(
                    "annotations",
                    &format!("@{}({})", a.name, tokens_text(tokens)),
                );
            }
            AnnotationBody::Expressions(_) | AnnotationBody::KeyValues(_) => {}
        }
    }
    for a in annotations {
        if let Some(s) = structured(a) {
            m.message("structured_annotations", s);
        }
    }
}

fn tokens_text(tokens: &[AnnotationToken]) -> String {
    let mut out = String::new();
    let mut before = false;
    for t in tokens {
        let word = t.kind != AnnotationTokenKind::Punctuation;
        if before && word {
            out.push(' ');
        }
        out.push_str(&t.text);
        if &*t.text == "," {
            out.push(' ');
        }
        before = word;
    }
    out.trim_end().to_string()
}

fn structured(a: &Annotation) -> Option<Message> {
    use crate::ast::ExprKind;
    let expression = |e: &crate::ast::Expr| {
        let mut m = Message::default();
        match &e.kind {
            ExprKind::String(s) => m.string("string_value", s),
            ExprKind::Int(i) => m.word("int64_value", &i.value.to_string()),
            ExprKind::Bool(b) => m.word("bool_value", if *b { "true" } else { "false" }),
            _ => return None,
        }
        Some(m)
    };
    let mut m = Message::default();
    m.string("name", a.name.as_str());
    match &a.body {
        AnnotationBody::Expressions(list) => {
            let mut all = Message::default();
            for e in list {
                all.message("expressions", expression(e)?);
            }
            m.message("expression_list", all);
        }
        AnnotationBody::KeyValues(list) => {
            let mut all = Message::default();
            for kv in list {
                let mut pair = Message::default();
                pair.string("key", kv.name.as_str());
                pair.message("value", expression(&kv.value)?);
                all.message("kv_pairs", pair);
            }
            m.message("kv_pair_list", all);
        }
        _ => return None,
    }
    Some(m)
}

/// `@brief` and `@description`.
fn documentation(annotations: &[Annotation]) -> Option<Message> {
    let brief = find_annotation(annotations, "brief").and_then(Annotation::string);
    let description = find_annotation(annotations, "description").and_then(Annotation::string);
    if brief.is_none() && description.is_none() {
        return None;
    }
    let mut m = Message::default();
    if let Some(b) = brief {
        m.string("brief", &b);
    }
    if let Some(d) = description {
        m.string("description", &d);
    }
    Some(m)
}
