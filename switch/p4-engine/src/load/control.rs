// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Pipelines: tables, conditions, and the control flow between them.

use std::collections::HashMap;

use super::expr::{Scope, hex, pair, string};
use super::{Builder, Result, json};
use crate::error::{ControlError, LoadError};
use crate::instructions::Ins;
use crate::program::{KeyInfo, KeyWord, MatchKind, NONE, Next, Node, TableInfo, Test};
use crate::table::{ActionCall, MatchField, TableEntry, TableState};
use crate::value::{Value, limb_mask, limbs};

/// All pipelines.
#[derive(Default)]
pub(super) struct Control {
    pub nodes: Vec<Node>,
    pub ingress: u32,
    pub egress: u32,
    pub cyclic: bool,
    pub tables: Vec<TableInfo>,
    pub initial: Vec<TableState>,
}

/// Nodes of one pipeline by name.
type Names<'a> = HashMap<&'a str, u32>;

fn node(names: &Names, name: &Option<String>, at: &str) -> Result<u32> {
    match name {
        None => Ok(NONE),
        Some(n) => {
            let found = names.get(n.as_str()).copied();
            found.ok_or_else(|| LoadError::unknown("control-flow node", n, at))
        }
    }
}

fn unsigned(s: &str, at: &str) -> Result<Value> {
    let v = hex(s, at)?;
    if v.is_negative() {
        return Err(LoadError::invalid(format!("`{s}` is negative"), at));
    }
    let n = v.bit_len().div_ceil(64) as u32;
    Ok(Value::from_limbs(
        &(0..n).map(|i| v.limb(i)).collect::<Vec<_>>(),
    ))
}

impl Builder {
    pub(super) fn control(&mut self, root: &json::Root) -> Result<Control> {
        let mut out = Control::default();
        let mut starts = HashMap::new();
        for p in &root.pipelines {
            let at = format!("pipeline `{}`", p.name);
            let mut names = Names::new();
            let all = (p.tables.iter().map(|t| &t.name))
                .chain(p.conditionals.iter().map(|c| &c.name))
                .chain(p.action_calls.iter().map(|c| &c.name));
            for (i, name) in all.enumerate() {
                if names.insert(name, (out.nodes.len() + i) as u32).is_some() {
                    return Err(LoadError::invalid(
                        format!("`{name}` is declared twice"),
                        &at,
                    ));
                }
            }
            for t in &p.tables {
                let info = self.table(t, &names)?;
                let state = self.initial(t, &info)?;
                // Statements outside of tables reach us as tables without a key whose default
                // entry is constant: only ever that action.
                let fixed = info.keys.is_empty() && info.const_default_entry;
                out.nodes.push(
                    match state.default_run().filter(|r| fixed && r.data.is_empty()) {
                        Some(run) => Node::Action {
                            pc: run.pc,
                            next: run.next,
                        },
                        None => Node::Table(out.tables.len() as u32),
                    },
                );
                out.initial.push(state);
                out.tables.push(info);
            }
            for c in &p.conditionals {
                let at = format!("condition `{}`", c.name);
                let e = self.boolean(
                    &c.expression,
                    &Scope {
                        params: &[],
                        at: &at,
                    },
                )?;
                let pc = self.block();
                let word = self.condition(&e);
                self.end();
                let (yes, no) = (
                    node(&names, &c.true_next, &at)?,
                    node(&names, &c.false_next, &at)?,
                );
                // Most conditions need no code of their own.
                let test = match self.code[pc as usize..] {
                    [Ins::End] => Some((Test::Set, word, word)),
                    [Ins::Calc { op, d, a, b, .. }, Ins::End] if d == word => {
                        Test::of(op).map(|test| (test, a, b))
                    }
                    _ => None,
                };
                out.nodes.push(match test {
                    Some((test, a, b)) => Node::Test {
                        test,
                        a,
                        b,
                        yes,
                        no,
                    },
                    None => Node::Condition { pc, word, yes, no },
                });
            }
            for c in &p.action_calls {
                let at = format!("action call `{}`", c.name);
                let action = self.action_id(c.action_id, &at)?;
                if !self.actions[action].params.is_empty() {
                    return Err(LoadError::invalid("the action has parameters", &at));
                }
                let pc = self.actions[action].pc;
                out.nodes.push(Node::Action {
                    pc,
                    next: node(&names, &c.next_node, &at)?,
                });
            }
            starts.insert(p.name.as_str(), node(&names, &p.init_table, &at)?);
        }
        let start = |name: &str| {
            starts
                .get(name)
                .copied()
                .ok_or_else(|| LoadError::NotBmv2(format!("there is no pipeline named `{name}`")))
        };
        out.ingress = start("ingress")?;
        out.egress = start("egress")?;
        out.cyclic = cyclic(&out);
        Ok(out)
    }

    fn action_id(&self, id: u32, at: &str) -> Result<usize> {
        let found = self.action_by_id.get(&id).copied();
        found.ok_or_else(|| LoadError::unknown("action id", id, at))
    }

    fn table(&self, t: &json::Table, names: &Names) -> Result<TableInfo> {
        let at = format!("table `{}`", t.name);
        let profile = self.table_profile(t, &at)?;
        let direct_meter = self.table_meter(t, &at)?;
        let mut actions = Vec::new();
        match &t.action_ids {
            Some(ids) => {
                for id in ids {
                    actions.push(self.action_id(*id, &at)?);
                }
            }
            None => {
                for name in &t.actions {
                    let found = self.actions.iter().position(|a| a.name == *name);
                    actions.push(found.ok_or_else(|| LoadError::unknown("action", name, &at))?);
                }
            }
        }
        let mut next = Next {
            base: node(names, &t.base_default_next, &at)?,
            ..Next::default()
        };
        for (key, to) in &t.next_tables {
            let to = node(names, to, &at)?;
            match key.as_str() {
                "__HIT__" => next.hit = Some(to),
                "__MISS__" => next.miss = Some(to),
                name => {
                    let found = actions.iter().find(|&&a| self.actions[a].name == name);
                    let a = found.ok_or_else(|| LoadError::unknown("action", name, &at))?;
                    next.by_action.insert(*a, to);
                }
            }
        }
        let keys = t
            .key
            .iter()
            .map(|k| self.key(k, &at))
            .collect::<Result<Vec<_>>>()?;
        let (direct_registers, entry) = self.direct_registers(t, &at)?;
        let mut info = TableInfo {
            name: t.name.clone(),
            id: t.id,
            kind: table_kind(&keys, &t.match_type, &at)?,
            keys,
            actions,
            size: t.max_size.unwrap_or(usize::MAX),
            with_counters: t.with_counters,
            const_entries: t.entries.is_some() && t.immutable_entries != Some(false),
            const_default_action: false,
            const_default_entry: false,
            profile,
            idle_timeout: t.support_timeout,
            direct_meter,
            direct_registers,
            entry,
            key_words: 0,
            layout: Vec::new(),
            next,
        };
        // Words of exact fields come first: see `table::lookup`.
        for exact in [true, false] {
            for k in info
                .keys
                .iter_mut()
                .filter(|k| (k.kind == MatchKind::Exact) == exact)
            {
                k.first = info.key_words;
                info.key_words += limbs(k.width);
                let mask = |i: u32| {
                    k.static_mask
                        .as_ref()
                        .map_or_else(|| limb_mask(k.width, i), |m| m[i as usize])
                };
                let words = (0..limbs(k.width)).map(|i| KeyWord {
                    word: k.word + i,
                    mask: mask(i),
                });
                info.layout.extend(words);
            }
        }
        if let Some(d) = &t.default_entry {
            info.const_default_action = d.action_const;
            info.const_default_entry = d.action_entry_const && d.action_data.is_some();
        }
        Ok(info)
    }

    fn key(&self, k: &json::Key, table: &str) -> Result<KeyInfo> {
        let at = format!(
            "{table}, key `{}`",
            k.name.as_deref().unwrap_or("without name")
        );
        let (field, default_name) = if k.match_type == "valid" {
            let h = string(&k.target, "the target", &at)?;
            (self.field(h, "$valid$", &at)?, format!("{h}.$valid$"))
        } else {
            let (h, f) = pair(&k.target, &at)?;
            (self.field(h, f, &at)?, format!("{h}.{f}"))
        };
        let kind = match k.match_type.as_str() {
            "exact" | "valid" => MatchKind::Exact,
            "lpm" => MatchKind::Lpm,
            "ternary" => MatchKind::Ternary,
            "range" => MatchKind::Range,
            "optional" => MatchKind::Optional,
            other => return Err(LoadError::unsupported(format!("match type `{other}`"), &at)),
        };
        if kind == MatchKind::Range && field.width > 64 {
            return Err(LoadError::unsupported(
                "a range over more than 64 bits",
                &at,
            ));
        }
        let static_mask = match &k.mask {
            None => None,
            Some(m) => {
                let m = hex(m, &at)?;
                let words = (0..limbs(field.width)).map(|i| m.limb(i) & limb_mask(field.width, i));
                Some(words.collect())
            }
        };
        Ok(KeyInfo {
            name: k.name.clone().unwrap_or(default_name),
            width: field.width,
            kind,
            word: field.word,
            first: 0,
            static_mask,
        })
    }

    /// The state that a table begins with: constant entries and default action.
    fn initial(&self, t: &json::Table, info: &TableInfo) -> Result<TableState> {
        let at = format!("table `{}`", t.name);
        let control = |e: ControlError| LoadError::invalid(e, &at);
        let mut state = TableState::new(info);
        let call = |id: u32, data: &[String]| {
            let action = self.action_id(id, &at)?;
            let params = data
                .iter()
                .map(|d| unsigned(d, &at))
                .collect::<Result<Vec<_>>>()?;
            Ok(ActionCall { action, params })
        };
        if let Some(d) = &t.default_entry {
            let action = self.action_id(d.action_id, &at)?;
            // Without data, BMv2 only fixes the action; the control plane supplies the rest.
            if d.action_data.is_some() || self.actions[action].params.is_empty() {
                let call = call(d.action_id, d.action_data.as_deref().unwrap_or(&[]))?;
                state
                    .set_default(info, &self.actions, call)
                    .map_err(control)?;
            }
        }
        state.keep_default();
        let entries = t.entries.as_deref().unwrap_or(&[]);
        // In the JSON the lowest number wins.
        let max = entries.iter().map(|e| e.priority).max().unwrap_or(0);
        for (i, e) in entries.iter().enumerate() {
            let at = format!("{at}, entry {i}");
            if e.match_key.len() != info.keys.len() {
                let (n, m) = (e.match_key.len(), info.keys.len());
                return Err(LoadError::invalid(
                    format!("has {n} key fields, not {m}"),
                    &at,
                ));
            }
            let key = (e.match_key.iter().zip(&info.keys))
                .map(|(m, k)| entry_key(m, k, &at))
                .collect::<Result<Vec<_>>>()?;
            let priority = if let Some(p) = e.p4runtime_priority.filter(|_| info.has_priority()) {
                p
            } else if info.has_priority() {
                i32::try_from(max.saturating_sub(e.priority).saturating_add(1))
                    .map_err(|_| LoadError::invalid("the priority is out of range", &at))?
            } else {
                0
            };
            let action = call(e.action_entry.action_id, &e.action_entry.action_data)?;
            state
                .insert(
                    info,
                    &self.actions,
                    TableEntry {
                        key,
                        priority,
                        action: action.into(),
                    },
                )
                .map_err(|e| LoadError::invalid(e, &at))?;
        }
        Ok(state)
    }
}

fn table_kind(keys: &[KeyInfo], declared: &str, at: &str) -> Result<MatchKind> {
    let has = |kind| keys.iter().any(|k| k.kind == kind);
    let kind = if has(MatchKind::Range) {
        MatchKind::Range
    } else if has(MatchKind::Ternary) || has(MatchKind::Optional) || declared == "ternary" {
        MatchKind::Ternary
    } else if has(MatchKind::Lpm) {
        MatchKind::Lpm
    } else {
        MatchKind::Exact
    };
    if kind == MatchKind::Lpm && keys.iter().filter(|k| k.kind == MatchKind::Lpm).count() > 1 {
        return Err(LoadError::invalid("more than one LPM key field", at));
    }
    let fits = match declared {
        "exact" => kind == MatchKind::Exact,
        "lpm" => kind == MatchKind::Lpm,
        "ternary" => kind == MatchKind::Ternary,
        "range" => kind == MatchKind::Range,
        other => return Err(LoadError::unsupported(format!("match type `{other}`"), at)),
    };
    if !fits {
        return Err(LoadError::invalid(
            format!("match type `{declared}` does not fit the key, which is {kind:?}"),
            at,
        ));
    }
    Ok(kind)
}

fn entry_key(m: &json::EntryKey, k: &KeyInfo, at: &str) -> Result<MatchField> {
    let at = format!("{at}, key `{}`", k.name);
    let missing = |what: &str| LoadError::invalid(format!("`{what}` is missing"), &at);
    let value = || match &m.key {
        Some(serde_json::Value::String(s)) => unsigned(s, &at),
        Some(serde_json::Value::Bool(b)) => Ok(Value::from(u64::from(*b))),
        _ => Err(missing("key")),
    };
    let text = |s: &Option<String>, what: &str| match s {
        Some(s) => unsigned(s, &at),
        None => Err(missing(what)),
    };
    // BMv2 takes values with bits outside of mask or prefix, and ignores these bits.
    let masked = |v: &Value, mask: &Value| {
        let words: Vec<u64> = (0..limbs(k.width) as usize)
            .map(|i| v.limb(i) & mask.limb(i))
            .collect();
        Value::from_limbs(&words)
    };
    let all_ones = || {
        Value::from_limbs(
            &(0..limbs(k.width))
                .map(|i| limb_mask(k.width, i))
                .collect::<Vec<_>>(),
        )
    };
    match (m.match_type.as_str(), k.kind) {
        ("exact" | "valid", MatchKind::Exact) => Ok(MatchField::Exact(value()?)),
        ("lpm", MatchKind::Lpm) => {
            let prefix_len = m.prefix_length.ok_or_else(|| missing("prefix_length"))?;
            let cleared = k.width.checked_sub(prefix_len).ok_or_else(|| {
                LoadError::invalid(format!("prefix length {prefix_len} is too large"), &at)
            })?;
            let words: Vec<u64> = (0..limbs(k.width))
                .map(|i| limb_mask(k.width, i) & !limb_mask(cleared, i))
                .collect();
            Ok(MatchField::Lpm {
                value: masked(&value()?, &Value::from_limbs(&words)),
                prefix_len,
            })
        }
        ("ternary", MatchKind::Ternary) => {
            let mask = text(&m.mask, "mask")?;
            Ok(MatchField::Ternary {
                value: masked(&value()?, &mask),
                mask,
            })
        }
        ("range", MatchKind::Range) => Ok(MatchField::Range {
            low: text(&m.start, "start")?,
            high: text(&m.end, "end")?,
        }),
        ("optional" | "ternary", MatchKind::Optional) => match &m.mask {
            Some(mask) if unsigned(mask, &at)? == Value::default() => Ok(MatchField::Any),
            Some(mask) if unsigned(mask, &at)? != all_ones() => Err(LoadError::invalid(
                format!("`{mask}` is no mask of an optional match"),
                &at,
            )),
            _ => Ok(MatchField::Optional(value()?)),
        },
        (other, kind) => Err(LoadError::invalid(
            format!("match type `{other}` for a key of kind {kind:?}"),
            &at,
        )),
    }
}

/// Whether control flow comes back to where it was, as loops do.
fn cyclic(c: &Control) -> bool {
    let next = |n: u32| -> Vec<u32> {
        match &c.nodes[n as usize] {
            Node::Condition { yes, no, .. } | Node::Test { yes, no, .. } => vec![*yes, *no],
            Node::Action { next, .. } => vec![*next],
            Node::Table(t) => {
                let n = &c.tables[*t as usize].next;
                n.by_action
                    .values()
                    .copied()
                    .chain(n.hit)
                    .chain(n.miss)
                    .chain([n.base])
                    .collect()
            }
        }
    };
    // 0: not seen, 1: on the path, 2: done
    let mut mark = vec![0u8; c.nodes.len()];
    for start in 0..c.nodes.len() as u32 {
        let mut path = vec![(start, None::<Vec<u32>>)];
        while let Some((n, rest)) = path.last_mut() {
            let n = *n;
            if rest.is_none() {
                if mark[n as usize] != 0 {
                    path.pop();
                    continue;
                }
                mark[n as usize] = 1;
            }
            match rest.get_or_insert_with(|| next(n)).pop() {
                Some(NONE) => {}
                Some(to) if mark[to as usize] == 1 => return true,
                Some(to) => path.push((to, None)),
                None => {
                    mark[n as usize] = 2;
                    path.pop();
                }
            }
        }
    }
    false
}
