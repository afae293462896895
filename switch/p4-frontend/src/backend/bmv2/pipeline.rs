// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Pipelines: tables and conditionals. Operations outside tables become actions of tables without keys.

use num_bigint::BigInt;
use num_traits::{One, Zero};

use super::cfg::{Graph, Next, Node, Successors};
use super::json::{Json, object};
use super::primitives::Actions;
use super::{Emitter, hex_number};
use crate::backend::ir::{Entries, Entry, Ex, ExKind, HeaderRef, Match, ObjectKind, Table};
use crate::source::Span;

/// Size of a table that does not say.
pub const DEFAULT_SIZE: u64 = 1024;

/// The size that BMv2 is told.
pub fn table_size(t: &Table) -> u64 {
    match (&t.entries, t.size) {
        (Some(e), _) if e.is_const && !e.list.is_empty() => e.list.len() as u64,
        (_, Some(n)) if n > 0 => n,
        _ => DEFAULT_SIZE,
    }
}

/// The base of a file name, as part of an identifier.
fn stem(file: &str) -> String {
    let base = file.rsplit(['/', '\\']).next().unwrap_or(file);
    let base = base.split('.').next().unwrap_or(base);
    base.chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
        .collect()
}

impl Emitter<'_> {
    pub(super) fn pipeline(
        &mut self,
        name: &str,
        id: u32,
        g: &Graph,
        span: Span,
        file: &str,
        actions: &mut Actions,
    ) -> Json {
        let mut names = Vec::new();
        let mut action_names = Vec::new();
        for n in &g.nodes {
            let (node, action) = match n {
                Node::Table { table, .. } => (
                    self.program
                        .tables
                        .get(*table)
                        .map(|t| t.name.clone())
                        .unwrap_or_default(),
                    String::new(),
                ),
                Node::Cond { .. } => (self.unique("node"), String::new()),
                Node::Act { ops, .. } => {
                    let at = ops.iter().find_map(|(_, s)| self.sources.location(*s));
                    let base = match at {
                        Some(l) => format!("{}{}", stem(&l.file), l.line),
                        None => stem(file),
                    };
                    let table = self.unique(&format!("tbl_{base}"));
                    let action = table.strip_prefix("tbl_").unwrap_or(&base).to_string();
                    (table, action)
                }
            };
            names.push(node);
            action_names.push(action);
        }
        let name_of = |n: Next| match n.and_then(|n| names.get(n)) {
            Some(n) => Json::from(n.clone()),
            None => Json::Null,
        };
        let mut tables: Vec<Json> = Vec::new();
        let mut conditionals: Vec<Json> = Vec::new();
        for ((n, node_name), action_name) in g.nodes.iter().zip(&names).zip(&action_names) {
            match n {
                Node::Table { table, next, .. } => {
                    let program = self.program;
                    if let Some(t) = program.tables.get(*table) {
                        let id = self.next_table_id();
                        tables.push(self.table(t, id, next, &name_of));
                    }
                }
                Node::Cond {
                    condition,
                    then,
                    otherwise,
                    span,
                } => {
                    let id = self.conditional_ids;
                    self.conditional_ids += 1;
                    let mut j = object([("name", node_name.clone().into()), ("id", id.into())]);
                    self.add_source_info(&mut j, *span);
                    j.push("expression", self.expressions().boolean(condition));
                    j.push("true_next", name_of(*then));
                    j.push("false_next", name_of(*otherwise));
                    conditionals.push(j);
                }
                Node::Act { ops, next } => {
                    let action = self.add_action(actions, action_name, Vec::new(), ops);
                    let id = self.next_table_id();
                    let mut j = object([("name", node_name.clone().into()), ("id", id.into())]);
                    if let Some((_, s)) = ops.first() {
                        self.add_source_info(&mut j, *s);
                    }
                    j.push("key", Vec::new());
                    j.push("match_type", "exact");
                    j.push("type", "simple");
                    j.push("max_size", DEFAULT_SIZE);
                    j.push("with_counters", false);
                    j.push("support_timeout", false);
                    j.push("direct_meters", Json::Null);
                    j.push("action_ids", vec![action.into()]);
                    j.push("actions", vec![action_name.clone().into()]);
                    j.push("base_default_next", name_of(*next));
                    let mut next_tables = object([]);
                    next_tables.push(action_name, name_of(*next));
                    j.push("next_tables", next_tables);
                    j.push("default_entry", default_entry(action, true, Vec::new()));
                    tables.push(j);
                }
            }
        }
        let mut j = object([("name", name.into()), ("id", id.into())]);
        self.add_source_info(&mut j, span);
        j.push("init_table", name_of(g.entry));
        j.push("tables", tables);
        j.push("action_profiles", self.action_profiles(g));
        j.push("conditionals", conditionals);
        j
    }

    /// The action profiles and selectors that the tables of a pipeline use. Ids are unique over both pipelines.
    fn action_profiles(&self, g: &Graph) -> Vec<Json> {
        let mut ids = Vec::new();
        for n in &g.nodes {
            if let Node::Table { table, .. } = n {
                let used = self
                    .program
                    .tables
                    .get(*table)
                    .and_then(|t| t.implementation);
                ids.extend(used.filter(|o| !ids.contains(o)));
            }
        }
        ids.sort_unstable();
        let mut list = Vec::new();
        for o in ids {
            let Some(object_) = self.program.objects.get(o) else {
                continue;
            };
            let ObjectKind::ActionProfile { size, selector, .. } = &object_.kind else {
                continue;
            };
            let id = self
                .program
                .objects
                .iter()
                .take(o)
                .filter(|o| matches!(&o.kind, ObjectKind::ActionProfile { tables, .. } if !tables.is_empty()))
                .count();
            let mut j = object([("name", object_.name.clone().into()), ("id", id.into())]);
            self.add_source_info(&mut j, object_.span);
            j.push("max_size", *size);
            if let Some(s) = selector {
                let input: Vec<Json> = s
                    .input
                    .iter()
                    .map(|e| self.expressions().number(e))
                    .collect();
                j.push(
                    "selector",
                    object([("algo", (&*s.algorithm).into()), ("input", input.into())]),
                );
            }
            list.push(j);
        }
        list
    }

    /// Ids of tables are unique over both pipelines.
    fn next_table_id(&mut self) -> usize {
        self.table_ids += 1;
        self.table_ids - 1
    }

    fn table(
        &self,
        t: &Table,
        id: usize,
        next: &Successors,
        name_of: &dyn Fn(Next) -> Json,
    ) -> Json {
        let mut j = object([("name", t.name.clone().into()), ("id", id.into())]);
        self.add_source_info(&mut j, t.span);
        let mut match_type = "exact";
        let mut keys: Vec<Json> = Vec::new();
        for k in t.keys.iter().filter(|k| &*k.match_kind != "selector") {
            let kind = match &*k.match_kind {
                "optional" => "ternary",
                other => other,
            };
            match_type = match (kind, match_type) {
                ("range", _) | (_, "range") => "range",
                ("ternary", _) | (_, "ternary") => "ternary",
                ("lpm", _) | (_, "lpm") => "lpm",
                _ => "exact",
            };
            keys.push(object([
                ("match_type", kind.into()),
                ("name", (&*k.name).into()),
                ("target", self.key_target(&k.target)),
                ("mask", Json::Null),
            ]));
        }
        j.push("key", keys);
        j.push("match_type", match_type);
        let profile = t.implementation.and_then(|o| self.program.objects.get(o));
        match profile.map(|o| (&o.name, &o.kind)) {
            Some((name, ObjectKind::ActionProfile { selector, .. })) => {
                j.push(
                    "type",
                    if selector.is_some() {
                        "indirect_ws"
                    } else {
                        "indirect"
                    },
                );
                j.push("action_profile", name.clone());
            }
            _ => j.push("type", "simple"),
        }
        j.push("max_size", table_size(t));
        j.push("with_counters", t.counter.is_some());
        j.push("support_timeout", t.support_timeout);
        let meter = t.meter.and_then(|m| self.program.objects.get(m));
        j.push(
            "direct_meters",
            meter.map_or(Json::Null, |m| m.name.clone().into()),
        );
        if let Some((registers, index)) = &t.direct_registers {
            j.push("direct_registers", self.direct_registers(registers, index));
        }
        let action_name = |i: usize| {
            self.program
                .actions
                .get(i)
                .map(|a| a.name.clone())
                .unwrap_or_default()
        };
        j.push(
            "action_ids",
            t.actions
                .iter()
                .map(|a| Json::from(a.action))
                .collect::<Vec<_>>(),
        );
        j.push(
            "actions",
            t.actions
                .iter()
                .map(|a| Json::from(action_name(a.action)))
                .collect::<Vec<_>>(),
        );
        let mut next_tables = object([]);
        match next {
            Successors::One(n) => {
                j.push("base_default_next", name_of(*n));
                for a in &t.actions {
                    next_tables.push(&action_name(a.action), name_of(*n));
                }
            }
            Successors::HitMiss(hit, miss) => {
                j.push("base_default_next", Json::Null);
                next_tables.push("__HIT__", name_of(*hit));
                next_tables.push("__MISS__", name_of(*miss));
            }
            Successors::Actions(list) => {
                let default = t
                    .default
                    .as_ref()
                    .and_then(|d| list.get(d.index))
                    .copied()
                    .flatten();
                j.push("base_default_next", name_of(default));
                for (a, n) in t.actions.iter().zip(list) {
                    next_tables.push(&action_name(a.action), name_of(*n));
                }
            }
        }
        j.push("next_tables", next_tables);
        // BMv2 has no default action where an action profile is in use.
        if let Some(d) = t.default.as_ref().filter(|_| profile.is_none())
            && let Some(a) = t.actions.get(d.index)
        {
            let widths = self.param_widths(a.action);
            let args = d
                .args
                .iter()
                .zip(widths)
                .map(|(v, w)| hex_number(&bits(v, w), 0))
                .collect();
            j.push("default_entry", default_entry(a.action, d.is_const, args));
        }
        if let Some(e) = &t.entries {
            j.push("entries", self.entries(t, e));
            if !e.is_const {
                // BMv2 passes over what it does not know, and takes all entries in the program for constant.
                j.push("immutable_entries", false);
            }
        }
        j
    }

    fn param_widths(&self, action: usize) -> Vec<u32> {
        self.program
            .actions
            .get(action)
            .map(|a| a.params.iter().map(|p| p.width).collect())
            .unwrap_or_default()
    }

    fn key_target(&self, e: &Ex) -> Json {
        let x = self.expressions();
        match &e.kind {
            ExKind::Place(p) => x.target(p),
            ExKind::Valid(h @ HeaderRef::Instance(_)) => {
                Json::Array(vec![x.header_name(h).into(), "$valid$".into()])
            }
            _ => Json::Null,
        }
    }

    fn entries(&self, t: &Table, e: &Entries) -> Vec<Json> {
        // BMv2 takes the least number first; P4 the largest priority, and without priorities the first entry.
        // The numbers are the positions in that order; p4c's are the positions in the list, which is the same
        // unless priorities are given out of order.
        let mut order: Vec<(usize, &Entry)> = e.list.iter().enumerate().collect();
        order.sort_by(|(i, a), (k, b)| match (&a.priority, &b.priority) {
            (Some(x), Some(y)) => y.cmp(x).then(i.cmp(k)),
            _ => i.cmp(k),
        });
        let mut rank = vec![0usize; e.list.len()];
        for (r, (i, _)) in order.iter().enumerate() {
            if let Some(slot) = rank.get_mut(*i) {
                *slot = r + 1;
            }
        }
        let annotated = e.list.iter().any(|entry| entry.annotated.is_some());
        let given = if annotated {
            None
        } else {
            given_priorities(t, e)
        };
        let mut list = Vec::new();
        for (i, (entry, rank)) in e.list.iter().zip(rank).enumerate() {
            let mut j = object([]);
            self.add_source_info(&mut j, entry.span);
            let keys: Vec<Json> = t
                .keys
                .iter()
                .zip(&entry.keys)
                .filter(|(k, _)| &*k.match_kind != "selector")
                .map(|(k, m)| match_key(&k.match_kind, m, k.target.ty.width()))
                .collect();
            j.push("match_key", keys);
            let (action, args) = match t.actions.get(entry.action) {
                Some(a) => {
                    let widths = self.param_widths(a.action);
                    (
                        a.action,
                        entry
                            .args
                            .iter()
                            .zip(widths)
                            .map(|(v, w)| hex_number(&bits(v, w), 0))
                            .collect::<Vec<_>>(),
                    )
                }
                None => (0, Vec::new()),
            };
            j.push(
                "action_entry",
                object([("action_id", action.into()), ("action_data", args.into())]),
            );
            match (&entry.annotated, annotated) {
                (Some(n), _) => j.push("priority", Json::Int((*n).into())),
                (None, true) => j.push("priority", i + 1),
                (None, false) => j.push("priority", rank),
            }
            // An extension, which BMv2 ignores.
            if let Some(p) = given.as_ref().and_then(|list| list.get(i)) {
                j.push("p4runtime_priority", Json::Int((*p).into()));
            }
            list.push(j);
        }
        list
    }
}

/// The priorities that controllers see, if they are not N for the first of N entries, N-1, and so on: those
/// of the language (section 14.2.1.4). Only where the largest wins, as in P4Runtime.
fn given_priorities(t: &Table, e: &Entries) -> Option<Vec<i32>> {
    let ordered = ["ternary", "range", "optional"];
    if !t.keys.iter().any(|k| ordered.contains(&&*k.match_kind)) {
        return None;
    }
    let number = |entry: &Entry| {
        i32::try_from(entry.priority.as_ref()?)
            .ok()
            .filter(|p| *p > 0)
    };
    let list: Vec<i32> = e.list.iter().map(number).collect::<Option<_>>()?;
    let counted = (1..=list.len()).rev().zip(&list);
    let as_counted = counted.into_iter().all(|(n, p)| i32::try_from(n) == Ok(*p));
    (!as_counted).then_some(list)
}

/// A number by its bits.
fn bits(v: &BigInt, width: u32) -> BigInt {
    crate::sema::types::wrap(v, width, false)
}

fn default_entry(action: usize, is_const: bool, args: Vec<Json>) -> Json {
    object([
        ("action_id", action.into()),
        ("action_const", is_const.into()),
        ("action_data", args.into()),
        ("action_entry_const", is_const.into()),
    ])
}

fn match_key(kind: &str, m: &Match, width: u32) -> Json {
    let all = (BigInt::one() << width) - 1;
    let number = |v: &BigInt| hex_number(&bits(v, width), width);
    let zero = BigInt::zero();
    match kind {
        "lpm" => {
            let (v, length) = match m {
                Match::Value(v) | Match::Range(v, _) => (v.clone(), width),
                Match::Mask(v, k) => (
                    v & k,
                    u32::try_from(bits(k, width).count_ones_of()).unwrap_or(width),
                ),
                Match::Any => (zero, 0),
            };
            object([
                ("match_type", "lpm".into()),
                ("key", number(&v)),
                ("prefix_length", length.into()),
            ])
        }
        "range" => {
            let (lo, hi) = match m {
                Match::Value(v) | Match::Mask(v, _) => (v.clone(), v.clone()),
                Match::Range(a, b) => (a.clone(), b.clone()),
                Match::Any => (zero, all),
            };
            object([
                ("match_type", "range".into()),
                ("start", number(&lo)),
                ("end", number(&hi)),
            ])
        }
        "ternary" | "optional" => {
            let (v, k) = match m {
                Match::Value(v) | Match::Range(v, _) => (v.clone(), all),
                Match::Mask(v, k) => (v & k, k.clone()),
                Match::Any => (zero.clone(), zero),
            };
            object([
                ("match_type", "ternary".into()),
                ("key", number(&v)),
                ("mask", number(&k)),
            ])
        }
        _ => {
            let v = match m {
                Match::Value(v) | Match::Mask(v, _) | Match::Range(v, _) => v.clone(),
                Match::Any => zero,
            };
            object([("match_type", "exact".into()), ("key", number(&v))])
        }
    }
}

/// Number of bits that are set.
trait CountOnes {
    fn count_ones_of(&self) -> u64;
}

impl CountOnes for BigInt {
    fn count_ones_of(&self) -> u64 {
        self.magnitude().count_ones()
    }
}
