// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! P4Info (P4Runtime specification, `p4/config/v1/p4info.proto`) as protobuf text, as p4c makes it.
//!
//! It is made of the checked program, not of what is lowered for a target: as with p4c, a program that only the back end
//! refuses has a P4Info. The rules are those of p4c's `control-plane/`; each module names the files that it follows.

pub(super) mod annotations;
pub(super) mod blocks;
pub(super) mod eval;
pub(super) mod ids;
pub(super) mod objects;
pub(super) mod tables;
mod text;
pub(super) mod types;
mod walk;

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::rc::Rc;

use annotations::{
    add_documentation, add_plain, add_structured, id_annotation, int_value, is_hidden, key_values,
    string_value,
};
use blocks::{Block, TableUse, external_name, join};
use eval::Env;
use ids::{Kind, Symbols};
use num_bigint::BigInt;
use objects::object_kind;
use objects::table_object;
use tables::is_silent;
use text::Message;
use types::TypeInfo;

use crate::ast::{Annotation, find_annotation};
use crate::diag::{Diagnostic, Diagnostics, Warning};
use crate::sema::hir::{Action, ExprKind, Instance, Program};
use crate::sema::types::StructType;
use crate::source::Span;

/// P4Info of a checked program; meaningful only without errors in `diags`.
pub fn emit(program: &Program, diags: &mut Diagnostics) -> String {
    let blocks = blocks::blocks(program, diags);
    let mut e = Emitter {
        program,
        diags,
        symbols: Symbols::default(),
        types: TypeInfo::default(),
        unnamed_digests: Vec::new(),
    };
    e.collect(&blocks);
    e.message(&blocks).to_text()
}

/// Two actions that are used may not have one name for the control plane.
pub fn check_action_names(program: &Program, diags: &mut Diagnostics) {
    // What else there is to say of the blocks is said with P4Info.
    let blocks = blocks::blocks(program, &mut Diagnostics::new());
    let mut seen: BTreeMap<&str, &Action> = BTreeMap::new();
    for a in blocks.iter().flat_map(|b| &b.actions) {
        let first = *seen.entry(&a.name).or_insert(&a.action);
        if first.def != a.action.def {
            let message = format!(
                "{}: conflicting control plane name: {}",
                a.action.name, a.name
            );
            diags.push(Diagnostic::error(a.action.span, message).note_at(first.span, "the other"));
        }
    }
}

struct Emitter<'a> {
    program: &'a Program,
    diags: &'a mut Diagnostics,
    symbols: Symbols,
    types: TypeInfo,
    /// Where digests without a name are, in order.
    unnamed_digests: Vec<Span>,
}

/// Parts of the message, each in order.
#[derive(Default)]
struct Parts {
    tables: Vec<Message>,
    actions: Vec<Message>,
    profiles: Vec<Message>,
    counters: Vec<Message>,
    direct_counters: Vec<Message>,
    meters: Vec<Message>,
    direct_meters: Vec<Message>,
    sets: Vec<Message>,
    registers: Vec<Message>,
    digests: Vec<Message>,
}

impl Emitter<'_> {
    fn add(&mut self, kind: Kind, name: &str, annotations: &[Annotation], span: Span) {
        let id = id_annotation(annotations, span, self.diags);
        self.add_id(kind, name, id, span);
    }

    fn add_id(&mut self, kind: Kind, name: &str, id: Option<BigInt>, span: Span) {
        if let Err(message) = self.symbols.add(kind, name, id) {
            self.diags.error(span, message);
        }
    }

    /// All names, so that ids and aliases can be told (`generateSymbols`).
    fn collect(&mut self, blocks: &[Block]) {
        for b in blocks {
            for a in &b.actions {
                self.add(Kind::Action, &a.name, &a.action.annotations, a.action.span);
            }
            for d in &b.digests {
                let name = self.digest_name(d);
                self.add_id(Kind::Digest, &name, None, d.span);
            }
            for o in &b.objects {
                if let Some(kind) = object_kind(&o.instance) {
                    self.add(kind, &o.name, &o.instance.annotations, o.instance.span);
                }
            }
            for t in &b.tables {
                self.add(
                    Kind::Table,
                    &t.name,
                    &t.table.annotations,
                    t.table.name_span,
                );
                self.collect_properties(t);
            }
            for s in &b.sets {
                self.add(Kind::ValueSet, &s.name, &s.set.annotations, s.set.span);
            }
        }
        for (h, name) in self.controller_headers() {
            self.add(Kind::ControllerHeader, &name, &h.annotations, h.span);
        }
        self.symbols.assign();
    }

    /// Objects that a table's properties make.
    fn collect_properties(&mut self, t: &TableUse) {
        for property in ["implementation", "counters", "meters"] {
            let Some(p) = t.table.properties.iter().find(|p| &*p.name == property) else {
                continue;
            };
            let ExprKind::Construct(i) = &p.value.kind else {
                continue;
            };
            match table_object(t, property) {
                Some((name, _)) => {
                    if let Some(kind) = object_kind(i) {
                        self.add_id(kind, &name, None, p.span);
                    }
                }
                None => self.diags.error(
                    p.span,
                    format!(
                        "Table '{}' has an anonymous table property '{property}' with no name annotation, which is not supported by P4Runtime",
                        t.name
                    ),
                ),
            }
        }
    }

    /// Headers that `@controller_header` names, with the names of their types.
    fn controller_headers(&self) -> Vec<(Rc<StructType>, String)> {
        self.program
            .headers
            .iter()
            .filter(|h| find_annotation(&h.annotations, "controller_header").is_some())
            .map(|h| (h.clone(), join("", &external_name(&h.name, &h.annotations))))
            .collect()
    }

    fn preamble(
        &mut self,
        kind: Kind,
        name: &str,
        annotations: &[Annotation],
        skip: &[&str],
    ) -> Message {
        let alias = self.symbols.alias(name);
        let id = self.symbols.id(kind, name);
        self.preamble_as(id, name, &alias, annotations, skip)
    }

    fn preamble_as(
        &mut self,
        id: u32,
        name: &str,
        alias: &str,
        annotations: &[Annotation],
        skip: &[&str],
    ) -> Message {
        let mut m = Message::default();
        m.number("id", u64::from(id));
        m.string("name", name);
        m.string("alias", alias);
        add_plain(&mut m, annotations, skip);
        add_documentation(&mut m, annotations);
        add_structured(&mut m, annotations, self.diags);
        m
    }

    fn message(&mut self, blocks: &[Block]) -> Message {
        let mut parts = Parts::default();
        // The tables that use each action profile, by name.
        let mut profiles: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        // Where each object is declared.
        let mut declared: BTreeMap<String, (Rc<Instance>, Env)> = BTreeMap::new();
        for b in blocks {
            for o in &b.objects {
                declared.insert(o.name.clone(), (o.instance.clone(), o.env.clone()));
            }
            for t in &b.tables {
                if let Some((name, _)) = table_object(t, "implementation") {
                    profiles.entry(name).or_default().insert(t.name.clone());
                }
            }
        }
        let tables_of = |name: &str| -> Vec<String> {
            profiles
                .get(name)
                .map(|t| t.iter().cloned().collect())
                .unwrap_or_default()
        };
        let mut actions_done: HashSet<u32> = HashSet::new();
        let mut digests_done: HashSet<u32> = HashSet::new();
        for b in blocks {
            self.types.present |= b.calls_externs || !b.objects.is_empty();
            for a in b
                .actions
                .iter()
                .filter(|a| !is_hidden(&a.action.annotations))
            {
                if actions_done.insert(self.symbols.id(Kind::Action, &a.name)) {
                    let m = self.action(a);
                    parts.actions.push(m);
                }
            }
            for d in &b.digests {
                let name = self.digest_name(d);
                if digests_done.insert(self.symbols.id(Kind::Digest, &name)) {
                    let m = self.digest(&name, d);
                    parts.digests.push(m);
                }
            }
            for o in &b.objects {
                let Some(kind) = object_kind(&o.instance) else {
                    continue;
                };
                let (name, i, env) = (&o.name, &o.instance, &o.env);
                match kind {
                    Kind::Counter => parts.counters.push(self.indexed(kind, name, i, env)),
                    Kind::Meter => parts.meters.push(self.indexed(kind, name, i, env)),
                    Kind::Register => parts.registers.push(self.register(name, i, env)),
                    Kind::ActionProfile => {
                        let m = self.action_profile(name, i, &i.annotations, env, &tables_of(name));
                        parts.profiles.push(m);
                    }
                    // They come with their tables.
                    _ => {}
                }
            }
            for t in b.tables.iter().filter(|t| !is_silent(t)) {
                let m = self.table(t);
                parts.tables.push(m);
                if let Some((name, Some(i))) = table_object(t, "implementation") {
                    let annotations = t
                        .table
                        .properties
                        .iter()
                        .find(|p| &*p.name == "implementation")
                        .map(|p| p.annotations.clone())
                        .unwrap_or_default();
                    let m = self.action_profile(
                        &name,
                        &i,
                        &annotations,
                        &t.node.env,
                        &tables_of(&name),
                    );
                    parts.profiles.push(m);
                }
                for (property, kind) in [
                    ("counters", Kind::DirectCounter),
                    ("meters", Kind::DirectMeter),
                ] {
                    let Some((name, made)) = table_object(t, property) else {
                        continue;
                    };
                    let Some(i) = made.or_else(|| declared.get(&name).map(|(i, _)| i.clone()))
                    else {
                        continue;
                    };
                    let m = self.direct(kind, &name, &i, t);
                    match kind {
                        Kind::DirectCounter => parts.direct_counters.push(m),
                        _ => parts.direct_meters.push(m),
                    }
                }
            }
            for s in &b.sets {
                let m = self.value_set(s);
                parts.sets.push(m);
            }
        }
        let mut headers = Vec::new();
        for (h, name) in self.controller_headers() {
            if !is_hidden(&h.annotations) {
                headers.push(self.controller_header(&h, &name));
            }
        }
        self.duplicates(blocks);
        let mut m = Message::default();
        if let Some(main) = &self.program.main {
            let main = main.clone();
            let info = self.pkg_info(&main);
            m.message("pkg_info", info);
        }
        for (word, list) in [
            ("tables", parts.tables),
            ("actions", parts.actions),
            ("action_profiles", parts.profiles),
            ("counters", parts.counters),
            ("direct_counters", parts.direct_counters),
            ("meters", parts.meters),
            ("direct_meters", parts.direct_meters),
            ("controller_packet_metadata", headers),
            ("value_sets", parts.sets),
            ("registers", parts.registers),
            ("digests", parts.digests),
        ] {
            for part in list {
                m.message(word, part);
            }
        }
        if let Some(info) = self.types.message() {
            m.message("type_info", info);
        }
        m
    }

    /// Two tables, value sets or extern objects of one kind may not have one name (`checkForDuplicates`).
    fn duplicates(&mut self, blocks: &[Block]) {
        let mut seen: BTreeSet<(&str, String)> = BTreeSet::new();
        let mut found: Vec<(Span, &str, String)> = Vec::new();
        let mut note = |word: &'static str, name: &str, span: Span| {
            if !seen.insert((word, name.to_string())) {
                found.push((span, word, name.to_string()));
            }
        };
        for b in blocks {
            for t in b.tables.iter().filter(|t| !is_silent(t)) {
                note("table", &t.name, t.table.name_span);
            }
            for s in &b.sets {
                note("value set", &s.name, s.set.span);
            }
            for o in &b.objects {
                let word = match object_kind(&o.instance) {
                    Some(Kind::Counter) => "counter",
                    Some(Kind::Meter) => "meter",
                    Some(Kind::Register) => "register",
                    Some(Kind::ActionProfile) => "action profile",
                    _ => continue,
                };
                note(word, &o.name, o.instance.span);
            }
        }
        for (span, word, name) in found {
            self.diags.error(
                span,
                format!("Name '{name}' is used for multiple {word} objects in the P4Info message"),
            );
        }
    }

    fn pkg_info(&mut self, main: &Instance) -> Message {
        let mut given: BTreeMap<String, String> = BTreeMap::new();
        let mut platform: BTreeMap<String, u64> = BTreeMap::new();
        for a in main
            .annotations
            .iter()
            .filter(|a| a.name.as_str() == "pkginfo")
        {
            for (key, value) in key_values(a, self.diags) {
                if !["name", "version", "organization", "contact", "url", "arch"]
                    .contains(&key.as_str())
                {
                    self.diags.warning(
                        Warning::Unknown,
                        a.span,
                        format!("Unknown key name '{key}' in @pkginfo annotation"),
                    );
                    continue;
                }
                if key == "arch" {
                    self.diags.warning(Warning::Invalid,
                        a.span,
                        "The 'arch' field in PkgInfo should be set by the compiler, not by the user",
                    );
                }
                match string_value(&value) {
                    Some(v) => {
                        given.insert(key, v);
                    }
                    None => self.diags.error(
                        value.span,
                        format!("Value for '{key}' key in @pkginfo annotation is not a string"),
                    ),
                }
            }
        }
        const PLATFORM: [&str; 3] = [
            "multicast_group_table_size",
            "multicast_group_table_total_replicas",
            "multicast_group_table_max_replicas_per_entry",
        ];
        let properties = |a: &&Annotation| a.name.as_str() == "platform_property";
        for a in main.annotations.iter().filter(properties) {
            for (key, value) in key_values(a, self.diags) {
                match int_value(&value).and_then(|v| u64::try_from(v).ok()) {
                    Some(v) if PLATFORM.contains(&key.as_str()) => {
                        platform.insert(key, v);
                    }
                    Some(_) => self.diags.warning(Warning::Unknown,
                        a.span,
                        format!("Unknown key name '{key}' in @platform_property annotation"),
                    ),
                    None => self.diags.error(
                        value.span,
                        format!("Value for '{key}' key in @platform_property annotation is not an integer"),
                    ),
                }
            }
        }
        let mut m = Message::default();
        let take = |m: &mut Message, key: &str| {
            m.filled(key, given.get(key).map_or("", String::as_str));
        };
        take(&mut m, "name");
        take(&mut m, "version");
        add_documentation(&mut m, &main.annotations);
        add_plain(&mut m, &main.annotations, &["pkginfo", "platform_property"]);
        m.filled("arch", given.get("arch").map_or("v1model", String::as_str));
        take(&mut m, "organization");
        take(&mut m, "contact");
        take(&mut m, "url");
        add_structured(&mut m, &main.annotations, self.diags);
        if !platform.is_empty() {
            let mut p = Message::default();
            for key in PLATFORM {
                p.number(key, platform.get(key).copied().unwrap_or(0));
            }
            m.message("platform_properties", p);
        }
        m
    }
}
