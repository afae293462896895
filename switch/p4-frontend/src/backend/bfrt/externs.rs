// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Objects that are tables for BF Runtime: counters, meters, registers, filters, action profiles and selectors, value
//! sets, and what packets carry from the settings of their port. Digests are learn filters.

use std::rc::Rc;

use super::fields::{
    ACTION_MEMBER_ID, ADT_OFFSET, COUNTER_BYTES, COUNTER_INDEX, COUNTER_PACKETS, Fixed, GET_GROUP,
    GET_MEMBER, HASH_VALUE, LPF, LPF_INDEX, MAX_GROUP_SIZE, MEMBER_STATUS, METER_BYTES,
    METER_INDEX, METER_PACKETS, PORT, PORT_DEFAULT_FIELD, REGISTER_INDEX, SELECTOR_GROUP_ID, WRED,
    WRED_INDEX, bytes, data, key, named, parts, singleton,
};
use super::tables::mandatory;
use super::{Emitter, Objects, extern_name, makes_profile, number, words};
use crate::backend::bmv2::{Json, object};
use crate::backend::lower::visit_stmts;
use crate::backend::p4info::annotations::plain;
use crate::backend::p4info::blocks::{Block, ObjectUse, SetUse, join};
use crate::backend::p4info::eval::{Value, eval};
use crate::backend::p4info::ids::Kind;
use crate::sema::hir::{Callee, ExprKind, Instance, InstanceTarget, Parser};
use crate::sema::types::{Ty, Type};

/// Members that a group holds where the program does not say (p4c's `defaultMaxGroupSize`).
const DEFAULT_GROUP_SIZE: u64 = 120;
/// What p4c writes for the place of a group's first action, which only its driver uses.
const NO_OFFSET: u32 = 0xdead_beef;

/// The parser through which packets come in.
pub(super) fn ingress_parser(package: &Instance) -> Option<Rc<Parser>> {
    match &package.args.first()?.as_ref()?.kind {
        ExprKind::Construct(i) | ExprKind::Instance(i) => match &i.target {
            InstanceTarget::Parser(p) => Some(p.clone()),
            _ => None,
        },
        _ => None,
    }
}

/// The table of what packets carry from the settings of their port.
pub(super) fn port_metadata_name(pipe: &str, p: &Parser) -> String {
    format!("{pipe}.{}.$PORT_METADATA", p.name)
}

/// Data fields of a low-pass filter.
pub(super) fn lpf_fields() -> Vec<Json> {
    let mut out = vec![singleton(true, LPF[0].choice(&["RATE", "SAMPLE"]))];
    out.extend(LPF[1..].iter().map(|f| singleton(true, f.data(None))));
    out
}

/// Data fields of early detection.
pub(super) fn wred_fields() -> Vec<Json> {
    WRED.iter().map(|f| singleton(true, f.data(None))).collect()
}

/// A type argument of an object.
fn type_argument(i: &Instance) -> Option<Ty> {
    match &*i.ty {
        Type::Extern(e) => e.args.first().cloned(),
        _ => None,
    }
}

impl Emitter<'_> {
    pub(super) fn object(
        &mut self,
        pipe: &str,
        o: &ObjectUse,
        objects: &Objects,
        blocks: &[Block],
    ) {
        match extern_name(&o.instance) {
            "Counter" => {
                let fields = self.counter_fields(o, 1);
                self.indexed(
                    pipe,
                    o,
                    "Counter",
                    Kind::TofinoCounter,
                    &COUNTER_INDEX,
                    fields,
                );
            }
            "Meter" => {
                let fields = self.meter_fields(o, 1);
                self.indexed(pipe, o, "Meter", Kind::TofinoMeter, &METER_INDEX, fields);
            }
            "Register" => {
                let fields = self.register_fields(o, 1);
                self.indexed(
                    pipe,
                    o,
                    "Register",
                    Kind::TofinoRegister,
                    &REGISTER_INDEX,
                    fields,
                );
            }
            "Lpf" => self.indexed(pipe, o, "Lpf", Kind::Lpf, &LPF_INDEX, lpf_fields()),
            "Wred" => self.indexed(pipe, o, "Wred", Kind::Wred, &WRED_INDEX, wred_fields()),
            "ActionProfile" => {
                let size = self.size(o, 0);
                self.profile(pipe, o, size, objects, blocks);
            }
            "ActionSelector" => self.selector(pipe, o, objects, blocks),
            "Digest" => self.digest(pipe, o),
            _ => {}
        }
    }

    fn size(&mut self, o: &ObjectUse, index: usize) -> u64 {
        number(&o.instance, &o.env, index).unwrap_or_else(|| {
            let message = format!("{}: its size is no constant", o.name);
            self.diags.error(o.instance.span, message);
            0
        })
    }

    fn indexed(
        &mut self,
        pipe: &str,
        o: &ObjectUse,
        word: &str,
        kind: Kind,
        index: &Fixed,
        fields: Vec<Json>,
    ) {
        let name = join(pipe, &o.name);
        let (id, size) = (self.symbols.id(kind, &name), self.size(o, 0));
        let (operations, attributes): (&[&str], &[&str]) = match word {
            "Meter" => (&[], &["MeterByteCountAdjust"]),
            "Lpf" | "Wred" => (&[], &[]),
            _ => (&["Sync"], &[]),
        };
        let rest = vec![
            ("key", vec![index.key(true)].into()),
            ("data", fields.into()),
            ("supported_operations", words(operations)),
            ("attributes", words(attributes)),
        ];
        self.describe(&name, id, word, size, &o.instance.annotations, &[], rest);
    }

    fn member(&self, o: &ObjectUse, index: usize) -> Option<String> {
        let e = o.instance.args.get(index)?.as_ref()?;
        match eval(e, &o.env)? {
            Value::Member(m) => Some(m.to_string()),
            _ => None,
        }
    }

    /// `index`: of the constructor's argument that says what is counted.
    pub(super) fn counter_fields(&self, o: &ObjectUse, index: usize) -> Vec<Json> {
        let unit = self.member(o, index).unwrap_or_default();
        [("BYTES", COUNTER_BYTES), ("PACKETS", COUNTER_PACKETS)]
            .iter()
            .filter(|(word, _)| unit == *word || unit == "PACKETS_AND_BYTES")
            .map(|(_, field)| singleton(false, field.data(Some(0u32.into()))))
            .collect()
    }

    pub(super) fn meter_fields(&self, o: &ObjectUse, index: usize) -> Vec<Json> {
        let fields = match self.member(o, index).as_deref() {
            Some("BYTES") => METER_BYTES,
            _ => METER_PACKETS,
        };
        let field = |f: &Fixed| singleton(false, f.data(Some(u64::MAX.into())));
        fields.iter().map(field).collect()
    }

    /// `first`: the number of the first field.
    pub(super) fn register_fields(&mut self, o: &ObjectUse, first: u32) -> Vec<Json> {
        let Some(ty) = type_argument(&o.instance) else {
            return Vec::new();
        };
        parts(&ty, first, o.instance.span, self.diags)
            .into_iter()
            .map(|p| {
                let mut field = data(p.id, &join(&o.name, &p.name), false, p.ty);
                if let Json::Object(members) = &mut field
                    && let Some((_, value)) = members.iter_mut().find(|(k, _)| k == "annotations")
                {
                    *value = vec![object([
                        ("name", "$bfrt_field_class".into()),
                        ("value", "register_data".into()),
                    ])]
                    .into();
                }
                singleton(true, field)
            })
            .collect()
    }

    /// Ids of a selector's action profile and of the selector itself.
    pub(super) fn selector_ids(&self, pipe: &str, o: &ObjectUse) -> (u32, u32) {
        let name = join(pipe, &o.name);
        let (profile, selector) = if makes_profile(&o.instance) {
            (name.clone(), format!("{name}_sel"))
        } else {
            let used = match o.instance.args.first() {
                Some(Some(e)) => match &e.kind {
                    ExprKind::Instance(i) => i.name.to_string(),
                    _ => String::new(),
                },
                _ => String::new(),
            };
            let path = o.name.rsplit_once('.').map_or("", |(path, _)| path);
            (join(pipe, &join(path, &used)), name)
        };
        (
            self.symbols.id(Kind::TofinoProfile, &profile),
            self.symbols.id(Kind::TofinoSelector, &selector),
        )
    }

    fn selector(&mut self, pipe: &str, o: &ObjectUse, objects: &Objects, blocks: &[Block]) {
        let own = makes_profile(&o.instance);
        let (profile, id) = self.selector_ids(pipe, o);
        let mut name = join(pipe, &o.name);
        let (group, groups) = if own {
            let size = self.size(o, 0);
            self.profile(pipe, o, size, objects, blocks);
            name.push_str("_sel");
            (DEFAULT_GROUP_SIZE, size)
        } else {
            let last = o.instance.args.len() - 1;
            (self.size(o, last - 1), self.size(o, last))
        };
        let rest = vec![
            ("key", vec![SELECTOR_GROUP_ID.key(true)].into()),
            (
                "data",
                vec![
                    singleton(false, ACTION_MEMBER_ID.list()),
                    singleton(false, MEMBER_STATUS.list()),
                    singleton(false, MAX_GROUP_SIZE.data(Some(group.into()))),
                    singleton(false, ADT_OFFSET.data(Some(NO_OFFSET.into()))),
                ]
                .into(),
            ),
            ("supported_operations", words(&[])),
            ("attributes", words(&[])),
        ];
        let annotations = &o.instance.annotations;
        self.describe(&name, id, "Selector", groups, annotations, &[profile], rest);
        let get = (id & 0x00ff_ffff) | (0x9a << 24);
        let rest = vec![
            (
                "key",
                vec![GET_GROUP.key(true), HASH_VALUE.key(true)].into(),
            ),
            ("data", vec![singleton(false, GET_MEMBER.data(None))].into()),
            ("supported_operations", words(&[])),
            ("attributes", words(&[])),
        ];
        let name = format!("{name}_get_member");
        self.describe(&name, get, "SelectorGetMember", 1, annotations, &[id], rest);
    }

    fn profile(
        &mut self,
        pipe: &str,
        o: &ObjectUse,
        size: u64,
        objects: &Objects,
        blocks: &[Block],
    ) {
        // Its tables, or those of the selectors that are built on it, have the same actions.
        let short = o.name.rsplit('.').next().unwrap_or_default();
        let mut names = vec![o.name.as_str()];
        for (name, s) in &objects.by_name {
            if extern_name(&s.instance) == "ActionSelector"
                && matches!(s.instance.args.first(), Some(Some(e))
                    if matches!(&e.kind, ExprKind::Instance(i) if &*i.name == short))
            {
                names.push(name);
            }
        }
        let used = |t: &str| {
            names
                .iter()
                .any(|n| objects.users.get(*n).is_some_and(|u| u.contains(t)))
        };
        let Some(t) = blocks
            .iter()
            .flat_map(|b| &b.tables)
            .find(|t| used(&t.name))
        else {
            return;
        };
        let name = join(pipe, &o.name);
        let rest = vec![
            ("key", vec![ACTION_MEMBER_ID.key(true)].into()),
            ("action_specs", self.actions(t, &mut 0)),
            ("data", words(&[])),
            ("supported_operations", words(&[])),
            ("attributes", words(&[])),
        ];
        let id = self.symbols.id(Kind::TofinoProfile, &name);
        self.describe(
            &name,
            id,
            "Action",
            size,
            &o.instance.annotations,
            &[],
            rest,
        );
    }

    fn digest(&mut self, pipe: &str, o: &ObjectUse) {
        let name = join(pipe, &o.name);
        let Some(ty) = type_argument(&o.instance) else {
            return;
        };
        let fields: Vec<Json> = parts(&ty, 1, o.instance.span, self.diags)
            .into_iter()
            .map(|p| data(p.id, &p.name, false, p.ty))
            .collect();
        self.learn.push(object([
            ("id", self.symbols.id(Kind::TofinoDigest, &name).into()),
            ("name", name.into()),
            ("annotations", named(&plain(&o.instance.annotations, &[]))),
            ("fields", fields.into()),
        ]));
    }

    pub(super) fn value_set(&mut self, pipe: &str, s: &SetUse) {
        let name = join(pipe, &s.name);
        let keys: Vec<Json> = parts(&s.set.element, 1, s.set.span, self.diags)
            .into_iter()
            .map(|p| key(p.id, &p.name, false, "Ternary", p.ty, &[]))
            .collect();
        let size = match eval(&s.set.size, &s.env) {
            Some(Value::Int(v)) => u64::try_from(v).unwrap_or(0),
            _ => 0,
        };
        let rest = vec![
            ("key", keys.into()),
            ("data", words(&[])),
            ("supported_operations", words(&[])),
            ("attributes", words(&["EntryScope"])),
        ];
        let id = self.symbols.id(Kind::TofinoValueSet, &name);
        self.describe(
            &name,
            id,
            "ParserValueSet",
            size,
            &s.set.annotations,
            &[],
            rest,
        );
    }

    pub(super) fn port_metadata(&mut self, pipe: &str, p: &Parser) {
        let name = port_metadata_name(pipe, p);
        let mut unpacked: Option<Ty> = None;
        for s in &p.states {
            visit_stmts(&s.stmts, &mut |e| {
                if let ExprKind::Call(c) = &e.kind
                    && matches!(&c.callee, Callee::ExternFunction(f) if &*f.name == "port_metadata_unpack")
                {
                    unpacked = c.type_args.first().cloned();
                }
            });
        }
        let (ports, width) = self.generation.ports();
        let fields: Vec<Json> = match unpacked {
            Some(ty) => parts(&ty, 1, p.span, self.diags)
                .into_iter()
                .map(|f| mandatory(f.id, &f.name, f.ty))
                .collect(),
            None => vec![singleton(
                false,
                data(PORT_DEFAULT_FIELD, "$DEFAULT_FIELD", false, bytes(width)),
            )],
        };
        let metadata = p
            .params
            .iter()
            .find(|p| {
                p.var
                    .ty
                    .as_struct()
                    .is_some_and(|s| &*s.name == "ingress_intrinsic_metadata_t")
            })
            .map_or("ig_intr_md", |p| &*p.var.name);
        let port = key(
            PORT,
            &format!("{metadata}.ingress_port"),
            true,
            "Exact",
            bytes(9),
            &[],
        );
        let rest = vec![
            ("key", vec![port].into()),
            ("data", fields.into()),
            ("supported_operations", words(&[])),
            ("attributes", words(&[])),
        ];
        let id = self.symbols.id(Kind::PortMetadata, &name);
        self.describe(&name, id, "PortMetadata", u64::from(ports), &[], &[], rest);
    }
}
