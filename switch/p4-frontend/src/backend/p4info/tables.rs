// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Actions, tables and value sets, as p4c's `P4RuntimeAnalyzer` (`p4RuntimeSerializer.cpp`) adds them.

use num_bigint::BigInt;

use super::annotations::{add_documentation, add_plain, add_structured, field_ids, is_hidden};
use super::blocks::{ActionUse, SetUse, TableUse, action_name, external_name, join};
use super::eval::{Value, eval};
use super::ids::Kind;
use super::text::Message;
use super::types::{bitwidth, new_type_name, value_bytes};
use super::{Emitter, table_object};
use crate::ast::{Annotation, AnnotationBody, Direction, find_annotation};
use crate::sema::hir::{DefaultAction, Key, Param};
use crate::sema::types::{StructKind, Type};

/// Size of a table that does not say, or says 0.
const DEFAULT_SIZE: u64 = 1024;

/// The parameters that the control plane sets.
fn data_params(params: &[Param]) -> Vec<&Param> {
    params
        .iter()
        .filter(|p| p.direction == Direction::None)
        .collect()
}

impl Emitter<'_> {
    pub(super) fn action(&mut self, a: &ActionUse) -> Message {
        let mut m = Message::default();
        let action = &a.action;
        let preamble = self.preamble(Kind::Action, &a.name, &action.annotations, &[]);
        m.message("preamble", preamble);
        // What is called directly has its arguments put in (removeActionParameters.cpp).
        let params = if a.in_table {
            data_params(&action.params)
        } else {
            Vec::new()
        };
        let annotations: Vec<&[Annotation]> = params
            .iter()
            .map(|p| p.var.annotations.as_slice())
            .collect();
        let ids = field_ids(&annotations, action.span, self.diags);
        for (p, id) in params.into_iter().zip(ids) {
            let p = self.param(p, id);
            m.message("params", p);
        }
        m
    }

    fn param(&mut self, p: &Param, id: u64) -> Message {
        let (ty, annotations) = (&p.var.ty, p.var.annotations.as_slice());
        let mut m = Message::default();
        m.number("id", id);
        m.string("name", &join("", &external_name(&p.var.name, annotations)));
        add_plain(&mut m, annotations, &[]);
        if !matches!(
            **ty,
            Type::Bits { .. } | Type::Bool | Type::New(_) | Type::Enum(_)
        ) {
            self.diags.error(
                p.var.span,
                format!(
                    "Action parameter {} has a type which is not bit<>, int<>, bool, type or serializable enum",
                    p.var.name
                ),
            );
            return m;
        }
        m.number("bitwidth", u64::from(bitwidth(ty)));
        self.types
            .spec(ty, &self.program.errors, p.var.span, self.diags);
        add_documentation(&mut m, annotations);
        match &**ty {
            Type::Enum(e) if e.underlying.is_none() => {
                let mut name = Message::default();
                name.string("name", &e.name);
                m.message("type_name", name);
            }
            _ => {
                if let Some(t) = new_type_name(ty) {
                    m.message("type_name", t);
                }
            }
        }
        add_structured(&mut m, annotations, self.diags);
        m
    }

    pub(super) fn table(&mut self, t: &TableUse) -> Message {
        let mut m = Message::default();
        let table = &t.table;
        let span = table.name_span;
        let preamble = self.preamble(Kind::Table, &t.name, &table.annotations, &[]);
        m.message("preamble", preamble);
        self.types.present = true;
        let annotations: Vec<&[Annotation]> = table
            .keys
            .iter()
            .map(|k| k.annotations.as_slice())
            .collect();
        let ids = field_ids(&annotations, span, self.diags);
        for (k, id) in table.keys.iter().zip(ids) {
            if &*k.match_kind != "selector" {
                let key = self.key(k, id);
                m.message("match_fields", key);
            }
        }
        for r in &table.actions {
            let name = action_name(&r.action, &t.node, &t.block);
            let mut a = Message::default();
            a.number("id", u64::from(self.symbols.id(Kind::Action, &name)));
            add_plain(&mut a, &r.annotations, &[]);
            let table_only = find_annotation(&r.annotations, "tableonly").is_some();
            let default_only = find_annotation(&r.annotations, "defaultonly").is_some();
            if table_only && default_only {
                self.diags.error(
                    r.span,
                    format!(
                        "Table '{}' has an action reference ('{name}') which is annotated with both '@tableonly' and '@defaultonly'",
                        t.name
                    ),
                );
            } else if table_only {
                a.word("scope", "TABLE_ONLY");
            } else if default_only {
                a.word("scope", "DEFAULT_ONLY");
            }
            add_structured(&mut a, &r.annotations, self.diags);
            m.message("action_refs", a);
        }
        if let Some(d) = &table.default_action {
            let call = self.default_action(t, d);
            if let Some((id, call)) = call {
                if d.is_const {
                    m.number("const_default_action_id", id);
                }
                m.message("initial_default_action", call);
            }
        }
        self.attachments(t, &mut m);
        let size = match table.size.as_ref().map(|e| eval(e, &t.node.env)) {
            Some(Some(Value::Int(v))) => u64::try_from(v).unwrap_or(0),
            Some(_) => {
                self.diags.error(
                    span,
                    format!(
                        "table {}: Expected a constant for table size property",
                        t.name
                    ),
                );
                0
            }
            None => 0,
        };
        m.number("size", if size == 0 { DEFAULT_SIZE } else { size });
        if self.supports_timeout(t) {
            m.word("idle_timeout_behavior", "NOTIFY_CONTROL");
        }
        if let Some(e) = &table.entries {
            if e.is_const {
                m.word("is_const_table", "true");
            }
            if !e.list.is_empty() {
                m.word("has_initial_entries", "true");
            }
        }
        m
    }

    /// Id and message of the default action with its arguments.
    fn default_action(&mut self, t: &TableUse, d: &DefaultAction) -> Option<(u64, Message)> {
        let action = &t.table.actions.get(d.index)?.action;
        let name = action_name(action, &t.node, &t.block);
        let id = u64::from(self.symbols.id(Kind::Action, &name));
        let mut call = Message::default();
        call.number("action_id", id);
        let params = data_params(&action.params);
        let annotations: Vec<&[Annotation]> = params
            .iter()
            .map(|p| p.var.annotations.as_slice())
            .collect();
        let ids = field_ids(&annotations, t.table.name_span, self.diags);
        for ((arg, id), p) in d.args.iter().zip(ids).zip(params) {
            let mut a = Message::default();
            a.number("param_id", id);
            let value = match eval(arg, &t.node.env) {
                Some(Value::Int(v)) => Some(v),
                Some(Value::Bool(b)) => Some(BigInt::from(u8::from(b))),
                _ => None,
            };
            let ty = &p.var.ty;
            let width = match bitwidth(ty) {
                0 => ty.width().unwrap_or(0),
                w => w,
            };
            match value {
                Some(v) => a.bytes("value", &value_bytes(&v, width)),
                None => self.diags.error(
                    arg.span,
                    format!("table {}: unsupported argument expression", t.name),
                ),
            }
            call.message("arguments", a);
        }
        Some((id, call))
    }

    /// `implementation_id` and `direct_resource_ids`.
    fn attachments(&mut self, t: &TableUse, m: &mut Message) {
        if let Some((name, _)) = table_object(t, "implementation") {
            let id = self.symbols.id(Kind::ActionProfile, &name);
            m.number("implementation_id", u64::from(id));
        }
        for (property, kind) in [
            ("counters", Kind::DirectCounter),
            ("meters", Kind::DirectMeter),
        ] {
            if let Some((name, _)) = table_object(t, property) {
                m.number(
                    "direct_resource_ids",
                    u64::from(self.symbols.id(kind, &name)),
                );
            }
        }
    }

    fn supports_timeout(&mut self, t: &TableUse) -> bool {
        let Some(p) = t
            .table
            .properties
            .iter()
            .find(|p| &*p.name == "support_timeout")
        else {
            return false;
        };
        match eval(&p.value, &t.node.env) {
            Some(Value::Bool(b)) => b,
            _ => {
                self.diags.error(
                    p.value.span,
                    format!(
                        "Unexpected non-boolean value for support_timeout property on table {}",
                        t.name
                    ),
                );
                false
            }
        }
    }

    fn key(&mut self, k: &Key, id: u64) -> Message {
        let mut m = Message::default();
        m.number("id", id);
        m.string("name", &k.name);
        add_plain(&mut m, &k.annotations, &[]);
        let ty = &k.expr.ty;
        if matches!(&**ty, Type::Enum(e) if e.underlying.is_none()) {
            self.diags.error(
                k.span,
                format!("{}: width not well-defined for values of type {ty}", k.name),
            );
        }
        m.number("bitwidth", u64::from(bitwidth(ty)));
        self.types
            .spec(ty, &self.program.errors, k.span, self.diags);
        let standard = match_type(&k.match_kind);
        if let Some(word) = standard {
            m.word("match_type", word);
        }
        add_documentation(&mut m, &k.annotations);
        if standard.is_none() {
            m.string("other_match_type", &k.match_kind);
        }
        if let Some(t) = new_type_name(ty) {
            m.message("type_name", t);
        }
        add_structured(&mut m, &k.annotations, self.diags);
        m
    }

    pub(super) fn value_set(&mut self, s: &SetUse) -> Message {
        let set = &s.set;
        let mut m = Message::default();
        let preamble = self.preamble(Kind::ValueSet, &s.name, &set.annotations, &[]);
        m.message("preamble", preamble);
        let exact = |id: u64, name: Option<&str>, width: u32| {
            let mut f = Message::default();
            f.number("id", id);
            if let Some(name) = name {
                f.string("name", name);
            }
            f.number("bitwidth", u64::from(width));
            f.word("match_type", "EXACT");
            f
        };
        match &*set.element {
            Type::Bits { width, .. } => m.message("match", exact(1, None, *width)),
            Type::Struct(st) if st.kind == StructKind::Struct => {
                let annotations: Vec<&[Annotation]> =
                    st.fields.iter().map(|f| f.annotations.as_slice()).collect();
                let ids = field_ids(&annotations, set.span, self.diags);
                for (f, id) in st.fields.iter().zip(ids) {
                    let Type::Bits { width, .. } = *f.ty else {
                        self.diags.error(
                            set.span,
                            format!(
                                "Unsupported type argument for Value Set; P4Runtime requires all fields of a struct to be of type bit<W>, but {} is not",
                                f.name
                            ),
                        );
                        continue;
                    };
                    let mut field = Message::default();
                    field.number("id", id);
                    field.string("name", &join("", &external_name(&f.name, &f.annotations)));
                    add_plain(&mut field, &f.annotations, &["match"]);
                    field.number("bitwidth", u64::from(width));
                    let kind = find_annotation(&f.annotations, "match").and_then(|a| match &a.body {
                        AnnotationBody::Unstructured(t) => t.first().map(|t| t.text.to_string()),
                        _ => None,
                    });
                    let kind = kind.as_deref().unwrap_or("exact");
                    let standard = match_type(kind);
                    if let Some(word) = standard {
                        field.word("match_type", word);
                    }
                    add_documentation(&mut field, &f.annotations);
                    if standard.is_none() {
                        field.string("other_match_type", kind);
                    }
                    add_structured(&mut field, &f.annotations, self.diags);
                    m.message("match", field);
                }
            }
            // One for each member, as p4c has it.
            Type::Enum(e) if e.underlying.is_some() => {
                let width = set.element.width().unwrap_or(0);
                for (i, (name, _)) in (1..).zip(&e.members) {
                    m.message("match", exact(i, Some(name), width));
                }
            }
            t => self.diags.error(
                set.span,
                format!(
                    "value set {}: P4Runtime requires bit<W>, a struct of bit<W> fields, or a serializable enum, not '{t}'",
                    s.name
                ),
            ),
        }
        match eval(&set.size, &s.env) {
            Some(Value::Int(v)) if i32::try_from(v.clone()).is_ok_and(|v| v >= 0) => {
                m.number("size", u64::try_from(v).unwrap_or(0));
            }
            _ => self.diags.error(
                set.size.span,
                format!(
                    "value set {}: the size should be a positive integer",
                    s.name
                ),
            ),
        }
        m
    }
}

/// The member of `MatchField.MatchType`, for the kinds that it knows.
fn match_type(kind: &str) -> Option<&'static str> {
    Some(match kind {
        "exact" => "EXACT",
        "lpm" => "LPM",
        "ternary" => "TERNARY",
        "range" => "RANGE",
        "optional" => "OPTIONAL",
        _ => return None,
    })
}

/// Whether P4Info is silent about a table.
pub(super) fn is_silent(t: &TableUse) -> bool {
    is_hidden(&t.table.annotations)
}
