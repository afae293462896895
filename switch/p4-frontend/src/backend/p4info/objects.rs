// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Extern objects, digests and headers of the controller, as p4c's `p4RuntimeArchStandard.h`, `p4RuntimeArchStandard.cpp`
//! (v1model) and `addControllerHeader` of `p4RuntimeSerializer.cpp` add them.

use std::rc::Rc;

use super::Emitter;
use super::annotations::{add_plain, add_structured, field_ids, is_hidden, raw_string};
use super::blocks::{DigestUse, TableUse, external_name, join};
use super::eval::{Argument, Env, Value, eval};
use super::ids::Kind;
use super::text::Message;
use super::types::{bitwidth, flat_fields, new_type_name};
use crate::ast::{Annotation, find_annotation};
use crate::diag::Warning;
use crate::sema::annotation_int;
use crate::sema::hir::{ExprKind, Instance, InstanceTarget};
use crate::sema::types::{StructType, Type};
use crate::source::Span;

/// Annotations of action profiles that have fields of their own.
const PROFILE: [&str; 3] = [
    "max_group_size",
    "selector_size_semantics",
    "max_member_weight",
];

/// The kind of an extern object that the control plane knows.
pub fn object_kind(i: &Instance) -> Option<Kind> {
    let InstanceTarget::Extern(e, _) = &i.target else {
        return None;
    };
    Some(match &*e.name {
        "counter" => Kind::Counter,
        "direct_counter" => Kind::DirectCounter,
        "meter" => Kind::Meter,
        "direct_meter" => Kind::DirectMeter,
        "register" => Kind::Register,
        "action_profile" | "action_selector" => Kind::ActionProfile,
        _ => return None,
    })
}

/// The object that a property of a table names, or makes: its name, and the annotations and arguments of the latter.
pub fn table_object(t: &TableUse, property: &str) -> Option<(String, Option<Rc<Instance>>)> {
    let p = t.table.properties.iter().find(|p| &*p.name == property)?;
    match &p.value.kind {
        // The name is as the property's annotation has it: no control's name comes before it.
        ExprKind::Construct(i) => {
            let given = find_annotation(&p.annotations, "name").and_then(Annotation::string)?;
            Some((join("", &given), Some(i.clone())))
        }
        ExprKind::Instance(i) => {
            let path = if t.node.declares(i.id) {
                t.node.path.as_str()
            } else {
                ""
            };
            Some((join(path, &external_name(&i.name, &i.annotations)), None))
        }
        ExprKind::Var(v) => match t.node.env.get(&v.id) {
            Some(Argument::Object(name)) => Some((name.clone(), None)),
            _ => None,
        },
        _ => None,
    }
}

impl Emitter<'_> {
    fn int_argument(&mut self, i: &Instance, env: &Env, index: usize, what: &str) -> u64 {
        let value = i
            .args
            .get(index)
            .and_then(Option::as_ref)
            .and_then(|e| eval(e, env));
        match value {
            Some(Value::Int(v)) => u64::try_from(v).unwrap_or(0),
            _ => {
                self.diags
                    .error(i.span, format!("{what} has a non-constant size"));
                0
            }
        }
    }

    fn unit(&mut self, i: &Instance, env: &Env, index: usize, what: &str) -> Message {
        let value = i
            .args
            .get(index)
            .and_then(Option::as_ref)
            .and_then(|e| eval(e, env));
        let mut spec = Message::default();
        match value {
            Some(Value::Member(m)) => match &*m {
                "bytes" => spec.word("unit", "BYTES"),
                "packets" => spec.word("unit", "PACKETS"),
                _ => spec.word("unit", "BOTH"),
            },
            _ => self.diags.error(
                i.span,
                format!("{what} has a unit type which is not an enum constant"),
            ),
        }
        spec
    }

    /// A counter or meter that is an array.
    pub(super) fn indexed(&mut self, kind: Kind, name: &str, i: &Instance, env: &Env) -> Message {
        let mut m = Message::default();
        let preamble = self.preamble(kind, name, &i.annotations, &[]);
        m.message("preamble", preamble);
        m.message("spec", self.unit(i, env, 1, name));
        m.number("size", self.int_argument(i, env, 0, name));
        m
    }

    /// The counter or meter of a table's entries.
    pub(super) fn direct(&mut self, kind: Kind, name: &str, i: &Instance, t: &TableUse) -> Message {
        let mut m = Message::default();
        let preamble = self.preamble(kind, name, &i.annotations, &[]);
        m.message("preamble", preamble);
        m.message("spec", self.unit(i, &t.node.env, 0, name));
        m.number(
            "direct_table_id",
            u64::from(self.symbols.id(Kind::Table, &t.name)),
        );
        m
    }

    pub(super) fn register(&mut self, name: &str, i: &Instance, env: &Env) -> Message {
        let mut m = Message::default();
        let preamble = self.preamble(Kind::Register, name, &i.annotations, &[]);
        m.message("preamble", preamble);
        let element = match &*i.ty {
            Type::Extern(e) => e.args.first().cloned(),
            _ => None,
        };
        match element {
            Some(t) => {
                let spec = self
                    .types
                    .spec(&t, &self.program.errors, i.span, self.diags);
                m.message("type_spec", spec);
            }
            None => self
                .diags
                .error(i.span, format!("{name}: register of an unknown type")),
        }
        m.number("size", self.int_argument(i, env, 0, name));
        m
    }

    /// An action profile or selector. Its annotations may be those of the property that makes it.
    pub(super) fn action_profile(
        &mut self,
        name: &str,
        i: &Instance,
        annotations: &[Annotation],
        env: &Env,
        tables: &[String],
    ) -> Message {
        let mut m = Message::default();
        let preamble = self.preamble(Kind::ActionProfile, name, annotations, &PROFILE);
        m.message("preamble", preamble);
        for t in tables {
            m.number("table_ids", u64::from(self.symbols.id(Kind::Table, t)));
        }
        let InstanceTarget::Extern(e, _) = &i.target else {
            return m;
        };
        let selector = &*e.name == "action_selector";
        if selector {
            m.word("with_selector", "true");
        }
        m.number(
            "size",
            self.int_argument(i, env, usize::from(selector), name),
        );
        if selector {
            self.selector_size(&mut m, annotations, i.span);
        } else {
            for a in annotations
                .iter()
                .filter(|a| PROFILE.contains(&a.name.as_str()))
            {
                self.diags.warning(Warning::Ignore,
                    a.span,
                    format!(
                        "Ignoring annotation @{} on action profile '{name}', which does not have a selector",
                        a.name
                    ),
                );
            }
        }
        m
    }

    fn selector_size(&mut self, m: &mut Message, annotations: &[Annotation], span: Span) {
        let number = |word: &str| {
            find_annotation(annotations, word)
                .and_then(annotation_int)
                .and_then(|v| u64::try_from(v).ok())
        };
        if let Some(n) = number("max_group_size") {
            m.number("max_group_size", n);
        }
        let weight = number("max_member_weight");
        let Some(semantics) =
            find_annotation(annotations, "selector_size_semantics").and_then(raw_string)
        else {
            return;
        };
        match semantics.to_ascii_lowercase().as_str() {
            "sum_of_weights" => m.message("sum_of_weights", Message::default()),
            "sum_of_members" => {
                let mut members = Message::default();
                if let Some(w) = weight {
                    members.number("max_member_weight", w);
                }
                m.message("sum_of_members", members);
            }
            other => self.diags.error(
                span,
                format!(
                    "@selector_size_semantics(\"{other}\"): expected \"sum_of_weights\" or \"sum_of_members\""
                ),
            ),
        }
    }

    /// The name of a digest is that of its type; those without one are counted.
    pub(super) fn digest_name(&mut self, d: &DigestUse) -> String {
        match &*d.ty {
            Type::Struct(s) => join("", &external_name(&s.name, &s.annotations)),
            Type::Enum(e) => e.name.to_string(),
            Type::New(n) => n.name.to_string(),
            _ => {
                let i = match self.unnamed_digests.iter().position(|s| *s == d.span) {
                    Some(i) => i,
                    None => {
                        let n = self.unnamed_digests.len();
                        self.unnamed_digests.push(d.span);
                        self.diags.warning(Warning::Mismatch, d.span, format!("Cannot find a good name for digest method call, using auto-generated name 'digest_{n}'"));
                        n
                    }
                };
                format!("digest_{i}")
            }
        }
    }

    pub(super) fn digest(&mut self, name: &str, d: &DigestUse) -> Message {
        let mut m = Message::default();
        // The annotations are the type's, not the digest's.
        let preamble = self.preamble(Kind::Digest, name, &[], &[]);
        m.message("preamble", preamble);
        let spec = self
            .types
            .spec(&d.ty, &self.program.errors, d.span, self.diags);
        m.message("type_spec", spec);
        m
    }

    /// A header of packets to or from the controller; structs inside are flat. It goes by the annotation's name.
    pub(super) fn controller_header(&mut self, h: &StructType, symbol: &str) -> Message {
        let name = find_annotation(&h.annotations, "controller_header")
            .and_then(raw_string)
            .unwrap_or_default();
        let mut m = Message::default();
        let id = self.symbols.id(Kind::ControllerHeader, symbol);
        let preamble = self.preamble_as(id, &name, &name, &h.annotations, &[]);
        m.message("preamble", preamble);
        let fields = flat_fields(h);
        let annotations: Vec<&[Annotation]> =
            fields.iter().map(|f| f.annotations.as_slice()).collect();
        let ids = field_ids(&annotations, h.span, self.diags);
        for (f, id) in fields.iter().zip(ids) {
            if is_hidden(&f.annotations) {
                continue;
            }
            let mut field = Message::default();
            field.number("id", id);
            field.string("name", &f.name);
            add_plain(&mut field, &f.annotations, &[]);
            if !matches!(*f.ty, Type::Bits { .. } | Type::New(_) | Type::Enum(_)) {
                self.diags.error(
                    h.span,
                    format!(
                        "{name}.{}: a field of a controller header must be bit<>, int<>, type, or serializable enum",
                        f.name
                    ),
                );
            }
            field.number("bitwidth", u64::from(bitwidth(&f.ty)));
            self.types
                .spec(&f.ty, &self.program.errors, h.span, self.diags);
            if let Some(t) = new_type_name(&f.ty) {
                field.message("type_name", t);
            }
            add_structured(&mut field, &f.annotations, self.diags);
            m.message("metadata", field);
        }
        m
    }
}
