// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Tables of the program and their direct resources.

use super::fields::{
    ACTION_MEMBER_ID, ENTRY_HIT_STATE, ENTRY_TTL, MATCH_PRIORITY, SELECTOR_GROUP_ID, bytes, data,
    key, named, parameters, singleton,
};
use super::{Emitter, Objects, extern_name, makes_profile, words};
use crate::ast::find_annotation;
use crate::backend::bmv2::{Json, object};
use crate::backend::p4info::annotations::{field_ids, plain};
use crate::backend::p4info::blocks::{TableUse, action_name, join};
use crate::backend::p4info::eval::{Value, eval};
use crate::backend::p4info::ids::Kind;
use crate::backend::p4info::objects::table_object;
use crate::backend::p4info::types::bitwidth;
use crate::sema::hir::{ActionRef, Key};

/// Size of a table that does not say, or says 0.
const DEFAULT_SIZE: u64 = 512;

/// How a field matches, in BF Runtime's words; `None` for what only hashes.
fn match_type(kind: &str) -> Option<&'static str> {
    Some(match kind {
        "exact" | "dleft_hash" => "Exact",
        "lpm" => "LPM",
        "ternary" => "Ternary",
        "range" => "Range",
        "optional" => "Optional",
        "atcam_partition_index" => "ATCAM",
        _ => return None,
    })
}

/// A header stack's index is written with `$`: `hdr.vlan$0.vid`. A slice stays as it is.
fn key_name(name: &str) -> String {
    let mut out = String::new();
    let mut rest = name;
    while let Some((before, after)) = rest.split_once('[') {
        out.push_str(before);
        match after.split_once(']') {
            Some((index, tail)) if index.bytes().all(|b| b.is_ascii_digit()) => {
                out.push('$');
                out.push_str(index);
                rest = tail;
            }
            _ => {
                out.push('[');
                rest = after;
            }
        }
    }
    out.push_str(rest);
    out
}

fn is_slice(name: &str) -> bool {
    name.rsplit_once('[')
        .and_then(|(_, s)| s.strip_suffix(']'))
        .is_some_and(|s| s.contains(':'))
}

impl Emitter<'_> {
    pub(super) fn table(&mut self, pipe: &str, t: &TableUse, objects: &Objects) {
        let name = join(pipe, &t.name);
        let table = &t.table;
        let keys = self.keys(t);
        let (kind, depends_on) = self.implementation(pipe, t, objects);
        let mut rest = vec![
            (
                "has_const_default_action",
                Json::from(table.default_action.as_ref().is_some_and(|d| d.is_const)),
            ),
            ("key", keys.into()),
        ];
        let mut fields = Vec::new();
        let mut last = 0;
        match kind {
            "MatchAction_Direct" => {
                let specs = self.actions(t, &mut last);
                rest.push(("action_specs", specs));
            }
            "MatchAction_Indirect" => fields.push(singleton(true, ACTION_MEMBER_ID.data(None))),
            _ => fields.push(object([
                ("mandatory", true.into()),
                ("read_only", false.into()),
                (
                    "oneof",
                    vec![ACTION_MEMBER_ID.data(None), SELECTOR_GROUP_ID.data(None)].into(),
                ),
            ])),
        }
        let (mut operations, mut attributes) = (Vec::new(), Vec::new());
        self.direct(
            t,
            objects,
            last + 1,
            &mut fields,
            &mut operations,
            &mut attributes,
        );
        attributes.push("EntryScope");
        if find_annotation(&table.annotations, "dynamic_table_key_masks").is_some() {
            attributes.push("DynamicKeyMask");
        }
        if table.entries.as_ref().is_some_and(|e| e.is_const) {
            attributes.push("ConstTable");
        }
        if is_true(t, "idle_timeout") {
            operations.push("UpdateHitState");
            attributes.push("IdleTimeout");
            let states = ENTRY_HIT_STATE.choice(&["ENTRY_IDLE", "ENTRY_ACTIVE"]);
            fields.push(singleton(false, states));
            let poll_only = plain(&table.annotations, &[])
                .iter()
                .any(|a| a == "@idletime_precision(1)");
            if !poll_only {
                fields.push(singleton(false, ENTRY_TTL.data(Some(0u32.into()))));
            }
        }
        rest.push(("data", fields.into()));
        rest.push(("supported_operations", words(&operations)));
        rest.push(("attributes", words(&attributes)));
        let size = match table.size.as_ref().map(|e| eval(e, &t.node.env)) {
            Some(Some(Value::Int(v))) => u64::try_from(v).unwrap_or(0),
            _ => 0,
        };
        let size = if size == 0 { DEFAULT_SIZE } else { size };
        let id = self.symbols.id(Kind::Table, &name);
        self.describe(&name, id, kind, size, &table.annotations, &depends_on, rest);
    }

    fn keys(&mut self, t: &TableUse) -> Vec<Json> {
        let keys: Vec<&Key> = t.table.keys.iter().collect();
        let annotations: Vec<_> = keys.iter().map(|k| k.annotations.as_slice()).collect();
        let ids = field_ids(&annotations, t.table.name_span, self.diags);
        let (mut out, mut priority) = (Vec::new(), false);
        for (k, id) in keys.into_iter().zip(ids) {
            let Some(kind) = match_type(&k.match_kind) else {
                continue;
            };
            priority |= ["Ternary", "Range", "Optional"].contains(&kind);
            let mut field = key(
                u32::try_from(id).unwrap_or(0),
                &key_name(&k.name),
                false,
                kind,
                bytes(bitwidth(&k.expr.ty)),
                &plain(&k.annotations, &[]),
            );
            if is_slice(&k.name)
                && let Json::Object(parts) = &mut field
                && let Some((_, Json::Array(list))) =
                    parts.iter_mut().find(|(k, _)| k == "annotations")
            {
                list.push(object([
                    ("name", "isFieldSlice".into()),
                    ("value", "true".into()),
                ]));
            }
            out.push(field);
        }
        if priority {
            out.push(MATCH_PRIORITY.key(false));
        }
        out
    }

    /// The kind of table, by where its entries have their actions from, and the ids of that.
    fn implementation(
        &mut self,
        pipe: &str,
        t: &TableUse,
        objects: &Objects,
    ) -> (&'static str, Vec<u32>) {
        let Some((name, _)) = table_object(t, "implementation") else {
            return ("MatchAction_Direct", Vec::new());
        };
        let Some(o) = objects.by_name.get(name.as_str()) else {
            self.diags.error(
                t.table.name_span,
                format!(
                    "table {}: BF Runtime wants an implementation with a name",
                    t.name
                ),
            );
            return ("MatchAction_Direct", Vec::new());
        };
        let full = join(pipe, &name);
        if extern_name(&o.instance) == "ActionProfile" {
            let id = self.symbols.id(Kind::TofinoProfile, &full);
            return ("MatchAction_Indirect", vec![id]);
        }
        let (profile, selector) = self.selector_ids(pipe, o);
        let mut ids = vec![selector];
        if makes_profile(&o.instance) || profile != 0 {
            ids.push(profile);
        }
        ("MatchAction_Indirect_Selector", ids)
    }

    /// The actions of a table. `last` becomes the greatest number of a parameter.
    pub(super) fn actions(&mut self, t: &TableUse, last: &mut u32) -> Json {
        let mut specs = Vec::new();
        for r in &t.table.actions {
            let name = action_name(&r.action, &t.node, &t.block);
            let fields = parameters(&r.action.params, r.span, self.diags);
            *last = fields.iter().map(|(id, _)| *id).fold(*last, u32::max);
            specs.push(object([
                ("id", self.symbols.id(Kind::Action, &name).into()),
                ("name", name.into()),
                ("action_scope", scope(r).into()),
                ("annotations", named(&plain(&r.annotations, &[]))),
                (
                    "data",
                    fields
                        .into_iter()
                        .map(|(_, f)| f)
                        .collect::<Vec<_>>()
                        .into(),
                ),
            ]));
        }
        specs.into()
    }

    /// Fields of counters, meters, registers and filters that entries have of their own.
    fn direct(
        &mut self,
        t: &TableUse,
        objects: &Objects,
        first: u32,
        fields: &mut Vec<Json>,
        operations: &mut Vec<&str>,
        attributes: &mut Vec<&str>,
    ) {
        for property in ["counters", "meters", "registers", "filters"] {
            let Some((name, _)) = table_object(t, property) else {
                continue;
            };
            let Some(o) = objects.by_name.get(name.as_str()) else {
                continue;
            };
            match extern_name(&o.instance) {
                "DirectCounter" => {
                    fields.extend(self.counter_fields(o, 0));
                    operations.push("SyncCounters");
                }
                "DirectMeter" => {
                    fields.extend(self.meter_fields(o, 0));
                    attributes.push("MeterByteCountAdjust");
                }
                "DirectRegister" => {
                    fields.extend(self.register_fields(o, first));
                    operations.push("SyncRegisters");
                }
                "DirectLpf" => fields.extend(super::externs::lpf_fields()),
                "DirectWred" => fields.extend(super::externs::wred_fields()),
                _ => {}
            }
        }
    }
}

/// Whether a table has a property that is `true`.
fn is_true(t: &TableUse, property: &str) -> bool {
    t.table
        .properties
        .iter()
        .find(|p| &*p.name == property)
        .is_some_and(|p| eval(&p.value, &t.node.env) == Some(Value::Bool(true)))
}

fn scope(r: &ActionRef) -> &'static str {
    if find_annotation(&r.annotations, "tableonly").is_some() {
        "TableOnly"
    } else if find_annotation(&r.annotations, "defaultonly").is_some() {
        "DefaultOnly"
    } else {
        "TableAndDefault"
    }
}

/// A field of data that entries must have.
pub(super) fn mandatory(id: u32, name: &str, ty: Json) -> Json {
    singleton(true, data(id, name, false, ty))
}
