// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! States and cases of a parser that nothing leads to.

use std::collections::HashSet;

use crate::diag::{Diagnostics, Warning};
use crate::sema::hir::{Keyset, Parser, State, Target, Transition};

/// Warns about states and cases that are not reached.
pub fn reached(p: &Parser, diags: &mut Diagnostics) {
    for s in &p.states {
        repeated_cases(s, diags);
    }
    let mut reached = HashSet::new();
    let mut work: Vec<usize> = p
        .states
        .iter()
        .position(|s| &*s.name == "start")
        .into_iter()
        .collect();
    while let Some(i) = work.pop() {
        if reached.insert(i) {
            work.extend(p.states.get(i).into_iter().flat_map(next_states));
        }
    }
    for (i, s) in p.states.iter().enumerate() {
        if !reached.contains(&i) {
            diags.warning(
                Warning::ParserTransition,
                s.span,
                format!("state {} is unreachable", s.name),
            );
        }
    }
}

/// Where a state leads to.
pub fn targets(s: &State) -> Vec<Target> {
    match &s.transition {
        Transition::Direct(t, _) => vec![*t],
        Transition::Select { cases, .. } => cases.iter().map(|(_, t, _)| *t).collect(),
    }
}

fn next_states(s: &State) -> Vec<usize> {
    targets(s)
        .into_iter()
        .filter_map(|t| match t {
            Target::State(i) => Some(i),
            Target::Accept | Target::Reject => None,
        })
        .collect()
}

fn constant_keyset(k: &Keyset) -> Option<String> {
    match k {
        Keyset::Value(e) => e.as_int().map(ToString::to_string),
        Keyset::Mask(a, b) => Some(format!("{}&{}", a.as_int()?, b.as_int()?)),
        Keyset::Range(a, b) => Some(format!("{}..{}", a.as_int()?, b.as_int()?)),
        Keyset::Any => Some("_".to_string()),
        Keyset::Set(_) => None,
    }
}

fn repeated_cases(s: &State, diags: &mut Diagnostics) {
    let Transition::Select { cases, .. } = &s.transition else {
        return;
    };
    let mut seen: HashSet<Vec<String>> = HashSet::new();
    for (keys, _, span) in cases {
        let values: Option<Vec<String>> = keys.iter().map(constant_keyset).collect();
        if values.is_some_and(|v| !seen.insert(v)) {
            diags.warning(
                Warning::ParserTransition,
                *span,
                "unreachable select case: an earlier one has the same values",
            );
        }
    }
}
