// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Makes the code of an action shorter: what has been computed is not computed again, and what is
//! only stored under a condition is passed by if the condition does not hold.
//!
//! Compilers turn an `if` within an action into assignments of `condition ? new : old`, each with
//! the whole condition in it; these two passes turn that back into a branch. Within an action each
//! temporary is written once (but for what `Builder::fast` does for registers), and no temporary
//! is read after the action.

use std::collections::HashMap;

use crate::instructions::{Ins, W};

const ALL: u64 = u64::MAX;

/// Optimises straight code that ends with `End`, and begins at address `base`.
pub(super) fn optimise(code: Vec<Ins>, base: u32, is_temp: impl Fn(W) -> bool) -> Vec<Ins> {
    let jumps = |i: &Ins| {
        matches!(
            i,
            Ins::Jump { .. } | Ins::JumpIfZero { .. } | Ins::Back { .. }
        )
    };
    if code.iter().any(jumps) {
        return code;
    }
    let code = share(code, &is_temp);
    branch(code, base, &is_temp)
}

/// The one word that an instruction writes, if it is known to write no other.
fn written(ins: Ins) -> Option<W> {
    match ins {
        Ins::Slow { .. } | Ins::Copy { .. } => None,
        _ => ins
            .written()
            .filter(|(_, bits)| *bits <= 64)
            .map(|(d, _)| d),
    }
}

/// Whether an instruction writes no word at all.
fn silent(ins: Ins) -> bool {
    matches!(
        ins,
        Ins::End | Ins::RegWrite { .. } | Ins::Count { .. } | Ins::Assert { .. } | Ins::Exit
    )
}

/// Common subexpressions.
fn share(code: Vec<Ins>, is_temp: &impl Fn(W) -> bool) -> Vec<Ins> {
    let mut out = Vec::with_capacity(code.len());
    // Words that hold the result of an instruction (without its destination).
    let mut known: HashMap<Ins, W> = HashMap::new();
    let mut instead: HashMap<W, W> = HashMap::new();
    // Temporaries that are written more than once stay as they are.
    let mut writes: HashMap<W, u32> = HashMap::new();
    for d in code.iter().filter_map(|i| written(*i)) {
        *writes.entry(d).or_default() += 1;
    }
    for mut ins in code {
        for w in ins.operands_mut().into_iter().flatten() {
            if let Some(other) = instead.get(w) {
                *w = *other;
            }
        }
        let mut key = ins;
        if let Some(d) = key.pure() {
            let d = std::mem::take(d);
            if is_temp(d) && writes.get(&d) == Some(&1) {
                // Only temporaries stand in: a field may change before the last use.
                if let Some(&w) = known.get(&key) {
                    instead.insert(d, w);
                    continue;
                }
                known.insert(key, d);
                out.push(ins);
                continue;
            }
        }
        match written(ins) {
            Some(d) => known.retain(|k, v| *v != d && k.operands().all(|w| w != d)),
            None if silent(ins) => {}
            None => known.clear(),
        }
        out.push(ins);
    }
    out
}

/// A store of `a` to `d` under condition `c`.
fn conditional(ins: Ins, is_temp: &impl Fn(W) -> bool) -> Option<(W, W, W)> {
    match ins {
        Ins::Select { d, c, a, b } if b == d && c != d && !is_temp(d) => Some((d, c, a)),
        _ => None,
    }
}

/// Branches around runs of stores under the same condition.
fn branch(code: Vec<Ins>, base: u32, is_temp: &impl Fn(W) -> bool) -> Vec<Ins> {
    let mut last_use: HashMap<W, usize> = HashMap::new();
    for (i, ins) in code.iter().enumerate() {
        ins.operands().for_each(|w| {
            last_use.insert(w, i);
        });
    }
    let temp_result = |ins: Ins| {
        let mut ins = ins;
        ins.pure().map(|d| *d).filter(|d| is_temp(*d))
    };
    let mut out: Vec<Ins> = Vec::with_capacity(code.len());
    // Where instructions that were not moved yet begin.
    let mut done = 0;
    let mut i = 0;
    while i < code.len() {
        let Some((_, c, _)) = conditional(code[i], is_temp) else {
            i += 1;
            continue;
        };
        let mut end = i;
        for (j, &ins) in code.iter().enumerate().skip(i + 1) {
            match conditional(ins, is_temp) {
                Some((d, c2, _)) if c2 == c && d != c => end = j,
                Some(_) => break,
                None if temp_result(ins).is_some_and(|t| t != c) => {}
                None => break,
            }
        }
        // Temporaries of the run must not be used after it.
        let escapes = |from: usize, end: usize| {
            (from..=end).find(|&j| {
                temp_result(code[j]).is_some_and(|t| last_use.get(&t).is_some_and(|&l| l > end))
            })
        };
        while let Some(j) = (end > i).then(|| escapes(i, end)).flatten() {
            let before = (i..j).rev();
            end = before
                .into_iter()
                .find(|&k| conditional(code[k], is_temp).is_some())
                .unwrap_or(i);
        }
        // What only the run needs may stand before it.
        let mut start = i;
        while start > done
            && temp_result(code[start - 1])
                .is_some_and(|t| t != c && last_use.get(&t).is_none_or(|&l| l <= end))
        {
            start -= 1;
        }
        if end - start >= 2 {
            out.extend_from_slice(&code[done..start]);
            let length = end - start + 1;
            let pc = base + (out.len() + 1 + length) as u32;
            out.push(Ins::JumpIfZero { a: c, pc });
            for &ins in &code[start..=end] {
                out.push(match conditional(ins, is_temp) {
                    Some((d, _, a)) => Ins::mov(d, a, ALL),
                    None => ins,
                });
            }
            done = end + 1;
        }
        i = end + 1;
    }
    out.extend_from_slice(&code[done..]);
    out
}
