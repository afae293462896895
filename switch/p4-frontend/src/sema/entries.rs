// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Entries of tables in the program (section 14.2.1.4), and their priorities.

use num_bigint::BigInt;
use num_traits::Signed;

use super::Checker;
use super::hir::{ActionRef, Entries, Entry, Key, Keyset};
use super::tables::annotation_int;
use super::types::Ty;
use crate::ast::{self, ExprKind as A, TablePropertyValue, find_annotation};
use crate::diag::Warning;

/// Whether a mask covers the most significant bits and no others.
fn is_prefix(mask: &BigInt, width: u32) -> bool {
    let all = (BigInt::from(1) << width) - 1;
    let rest = &all ^ mask;
    &rest & (&rest + 1u32) == BigInt::from(0)
}

impl Checker<'_> {
    pub(super) fn entries(
        &mut self,
        t: &ast::TableDecl,
        keys: &[Key],
        actions: &[ActionRef],
    ) -> Option<Entries> {
        let (is_const, list) = t.properties.iter().find_map(|p| match &p.value {
            TablePropertyValue::Entries(list) => Some((p.is_const, list)),
            _ => None,
        })?;
        if keys.is_empty() && !list.is_empty() {
            self.error(
                t.name.span,
                format!(
                    "Entries cannot be specified for table {} with no key",
                    t.name
                ),
            );
        }
        let types: Vec<Ty> = keys.iter().map(|k: &Key| k.expr.ty.clone()).collect();
        let mut out = Vec::new();
        for e in list {
            if let Some(entry) = self.entry(e, &types, actions, is_const) {
                self.check_entry(&entry, keys);
                out.push(entry);
            }
        }
        let ordered = |k: &Key| matches!(&*k.match_kind, "ternary" | "range" | "optional");
        if let Some(e) = out.iter().find(|e| e.priority.is_some())
            && !keys.iter().any(ordered)
        {
            self.error(
                e.span,
                "the match kinds of the keys need no priorities, but some are specified",
            );
        }
        self.complete_priorities(t, is_const, &mut out);
        Some(Entries {
            is_const,
            list: out,
        })
    }

    fn entry(
        &mut self,
        e: &ast::Entry,
        types: &[Ty],
        actions: &[ActionRef],
        const_list: bool,
    ) -> Option<Entry> {
        let keys = self.keyset_tuple(&e.keyset, types, false)?;
        let priority = match &e.priority {
            Some(p) => Some(self.constant_int(p, "priority")?),
            None => None,
        };
        // It came before the syntax, and counts the other way round: the least number wins.
        let annotated = match find_annotation(&e.annotations, "priority") {
            Some(a) => match annotation_int(a).and_then(|n| i32::try_from(n).ok()) {
                Some(n) => Some(n),
                None => {
                    self.error(a.span, "Invalid priority value; must be constant");
                    return None;
                }
            },
            None => None,
        };
        let action = self.find_action(&e.action.name)?;
        let Some(index) = actions.iter().position(|r| r.action.def == action.def) else {
            self.error(
                e.action.span,
                format!("{}: not present in action list", e.action.name),
            );
            return None;
        };
        if find_annotation(&actions[index].annotations, "defaultonly").is_some() {
            self.error(
                e.action.span,
                format!(
                    "{}: action marked @defaultonly used in an entry",
                    e.action.name
                ),
            );
        }
        let args = self.data_args(&actions[index], e.action.args.as_deref(), e.action.span)?;
        Some(Entry {
            is_const: e.is_const || const_list,
            priority,
            annotated,
            keys,
            action: index,
            args,
            span: e.span,
        })
    }

    /// Gives entries without a priority theirs (section 14.2.1.4), so that the greatest wins.
    fn complete_priorities(&mut self, t: &ast::TableDecl, is_const: bool, list: &mut [Entry]) {
        if is_const {
            if let Some(e) = list.iter().find(|e| e.priority.is_some()) {
                self.error(
                    e.span,
                    "priorities cannot be given for entries of a 'const entries' list",
                );
            }
            return;
        }
        if let Some(e) = list.first().filter(|e| e.priority.is_none())
            && list.iter().any(|e| e.priority.is_some())
        {
            self.error(e.span, "Entry must have a priority");
        }
        let property = |name: &str| {
            t.properties.iter().find_map(|p| match &p.value {
                TablePropertyValue::Expr(e) if p.name.as_str() == name => Some(e),
                _ => None,
            })
        };
        let largest_wins = !matches!(
            property("largest_priority_wins").map(|e| &e.kind),
            Some(A::Bool(false))
        );
        let delta = match property("priority_delta") {
            Some(e) => {
                let delta = self.constant_int(e, "priority_delta").unwrap_or_default();
                if delta.is_negative() {
                    self.error(e.span, format!("{delta}: must be a positive value"));
                }
                delta
            }
            None => BigInt::from(1),
        };
        let first = if largest_wins {
            &delta * (list.len().saturating_sub(1)) + 1
        } else {
            BigInt::from(1)
        };
        let mut next = first;
        for e in list.iter_mut() {
            let p = e.priority.clone().unwrap_or(next);
            next = if largest_wins {
                &p - &delta
            } else {
                &p + &delta
            };
            if p < 1.into() || p > u32::MAX.into() {
                self.error(e.span, "Overflow in priority computation");
                return;
            }
            e.priority = Some(if largest_wins { p } else { -p });
        }
        for pair in list.windows(2) {
            if let [a, b] = pair
                && let (Some(p), Some(q)) = (&a.priority, &b.priority)
                && p < q
            {
                let message = format!(
                    "Entry (priority {}) and Entry (priority {}) have priorities out of order",
                    p.magnitude(),
                    q.magnitude()
                );
                self.diags
                    .warning(Warning::EntriesOutOfPriorityOrder, a.span, message);
                return;
            }
        }
    }

    /// Whether each keyset is one that its key's match kind has.
    fn check_entry(&mut self, e: &Entry, keys: &[Key]) {
        for (set, key) in e.keys.iter().zip(keys) {
            let kind = &*key.match_kind;
            let ok = match (set, kind) {
                (Keyset::Value(_), _) => true,
                (Keyset::Set(_), _) => false,
                (Keyset::Any, _) => kind != "exact",
                (Keyset::Mask(..), "ternary") => true,
                (Keyset::Mask(_, m), "lpm") => match (m.as_int(), key.expr.ty.width()) {
                    (Some(m), Some(w)) => is_prefix(m, w),
                    _ => true,
                },
                (Keyset::Mask(..), _) => false,
                (Keyset::Range(..), _) => kind == "range",
            };
            if !ok {
                self.error(
                    e.span,
                    format!("invalid keyset for {kind} key {}", key.name),
                );
            }
        }
    }
}
