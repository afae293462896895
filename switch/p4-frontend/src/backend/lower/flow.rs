// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Actions have no control flow in BMv2: `if` becomes a choice of values, `return` what would not run anyway.

use std::collections::HashMap;

use super::build::{all_writes, any_overlap, reads};
use crate::backend::ir::{Ex, ExKind, Label, Op, Place, Program, Scalar, ScalarVar, St};
use crate::source::Span;

/// Most statements that taking `return` apart may make.
const MAX_STATEMENTS: usize = 100_000;

/// Where and why an action cannot be expressed.
pub type FlowError = (Span, String);

/// A variable with a name that no other has.
pub fn new_scalar(p: &mut Program, name: &str, ty: Scalar) -> Ex {
    let id = p.scalars.len();
    for s in p.scalars.iter().skip(p.scalar_names.1) {
        p.scalar_names.0.entry(s.name.clone()).or_default();
    }
    let unique = super::unique_name(&mut p.scalar_names.0, name);
    p.scalar_names.1 = id + 1;
    p.scalars.push(ScalarVar { name: unique, ty });
    Ex::place(Place::Scalar(id), ty)
}

/// Whether statements can be expressed as one action, so that nothing comes between them.
pub fn can_predicate(stmts: &[St]) -> bool {
    fn check(stmts: &[St], guarded: bool) -> bool {
        stmts.iter().all(|s| match s {
            St::Op(Op::Assign(..), _) => true,
            St::Op(..) => !guarded,
            St::If(_, a, b, _) => check(a, true) && check(b, true),
            St::Atomic(b) => check(b, guarded),
            St::Scope(l, b) => !leaves(b, *l) && check(b, guarded),
            St::Apply { .. } | St::Leave(_) | St::Exit(_) | St::Loop(_) => false,
        })
    }
    check(stmts, false)
}

fn leaves(stmts: &[St], label: Label) -> bool {
    stmts.iter().any(|s| match s {
        St::Leave(l) => *l == label,
        St::If(_, a, b, _) => leaves(a, label) || leaves(b, label),
        St::Scope(_, b) | St::Loop(b) | St::Atomic(b) => leaves(b, label),
        _ => false,
    })
}

/// Takes `Leave(label)` out: what follows goes into the branches that do not leave.
pub fn without_leaves(stmts: &[St], label: Label, budget: &mut usize) -> Option<Vec<St>> {
    let mut out = Vec::new();
    for (i, s) in stmts.iter().enumerate() {
        *budget = budget.checked_sub(1)?;
        if !leaves(std::slice::from_ref(s), label) {
            out.push(s.clone());
            continue;
        }
        if matches!(s, St::Loop(_)) {
            return None;
        }
        let rest = &stmts[i + 1..];
        let with_rest = |body: &[St]| {
            let mut v = body.to_vec();
            v.extend_from_slice(rest);
            v
        };
        match s {
            St::Leave(_) => {}
            St::If(c, a, b, span) => {
                let a = without_leaves(&with_rest(a), label, budget)?;
                let b = without_leaves(&with_rest(b), label, budget)?;
                out.push(St::If(c.clone(), a, b, *span));
            }
            St::Scope(inner, b) => {
                let b = without_leaves(b, *inner, budget)?;
                out.extend(without_leaves(&with_rest(&b), label, budget)?);
            }
            St::Atomic(b) => out.extend(without_leaves(&with_rest(b), label, budget)?),
            other => out.push(other.clone()),
        }
        return Some(out);
    }
    Some(out)
}

/// Straight-line operations with the same effect.
pub fn predicate(
    stmts: &[St],
    program: &mut Program,
    fresh: &mut dyn FnMut(&mut Program, Scalar) -> Ex,
) -> Result<Vec<(Op, Span)>, FlowError> {
    let mut out = Vec::new();
    Predicator {
        program,
        fresh,
        budget: MAX_STATEMENTS,
    }
    .run(stmts, None, &mut out)?;
    Ok(out)
}

/// The same with jumps: for actions in which more than assignments depends on a condition.
pub fn with_jumps(stmts: &[St]) -> Result<Vec<(Op, Span)>, FlowError> {
    let mut j = Jumper {
        ops: Vec::new(),
        labels: HashMap::new(),
        waiting: Vec::new(),
        end: Vec::new(),
    };
    j.run(stmts)?;
    let n = j.ops.len();
    for i in j.end {
        Jumper::aim(&mut j.ops, i, n);
    }
    Ok(j.ops)
}

struct Jumper {
    ops: Vec<(Op, Span)>,
    /// Jumps to the end of scopes around.
    labels: HashMap<Label, Vec<usize>>,
    waiting: Vec<Label>,
    /// Jumps to the end of the action.
    end: Vec<usize>,
}

impl Jumper {
    fn aim(ops: &mut [(Op, Span)], jump: usize, to: usize) {
        if let Some((Op::Jump(t) | Op::JumpIfZero(_, t), _)) = ops.get_mut(jump) {
            *t = to;
        }
    }

    fn push(&mut self, op: Op, span: Span) -> usize {
        self.ops.push((op, span));
        self.ops.len() - 1
    }

    /// Returns true if nothing after these statements runs.
    fn run(&mut self, stmts: &[St]) -> Result<bool, FlowError> {
        for s in stmts {
            match s {
                St::Op(op, span) => {
                    self.push(op.clone(), *span);
                }
                St::If(c, a, b, span) => {
                    let skip = self.push(Op::JumpIfZero(c.clone(), 0), *span);
                    let left = self.run(a)?;
                    let over = if left || b.is_empty() {
                        None
                    } else {
                        Some(self.push(Op::Jump(0), *span))
                    };
                    let n = self.ops.len();
                    Self::aim(&mut self.ops, skip, n);
                    let right = self.run(b)?;
                    let n = self.ops.len();
                    if let Some(over) = over {
                        Self::aim(&mut self.ops, over, n);
                    }
                    if left && right {
                        return Ok(true);
                    }
                }
                St::Scope(label, body) => {
                    self.waiting.push(*label);
                    let gone = self.run(body)?;
                    self.waiting.pop();
                    let jumps = self.labels.remove(label).unwrap_or_default();
                    let n = self.ops.len();
                    let reached = !jumps.is_empty();
                    for j in jumps {
                        Self::aim(&mut self.ops, j, n);
                    }
                    if gone && !reached {
                        return Ok(true);
                    }
                }
                St::Loop(body) => {
                    let first = self.ops.len();
                    if !self.run(body)? {
                        self.push(Op::Jump(first), Span::NONE);
                    }
                    return Ok(true);
                }
                St::Atomic(body) => {
                    if self.run(body)? {
                        return Ok(true);
                    }
                }
                St::Leave(label) => {
                    let j = self.push(Op::Jump(0), Span::NONE);
                    if self.waiting.contains(label) {
                        self.labels.entry(*label).or_default().push(j);
                    } else {
                        self.end.push(j);
                    }
                    return Ok(true);
                }
                St::Exit(span) => {
                    self.push(Op::Exit, *span);
                    let j = self.push(Op::Jump(0), *span);
                    self.end.push(j);
                    return Ok(true);
                }
                St::Apply { span, .. } => {
                    return Err((*span, "tables cannot be applied in actions".to_string()));
                }
            }
        }
        Ok(false)
    }
}

struct Predicator<'a> {
    program: &'a mut Program,
    fresh: &'a mut dyn FnMut(&mut Program, Scalar) -> Ex,
    budget: usize,
}

impl Predicator<'_> {
    /// Returns true if nothing after these statements runs.
    fn run(
        &mut self,
        stmts: &[St],
        guard: Option<&Ex>,
        out: &mut Vec<(Op, Span)>,
    ) -> Result<bool, FlowError> {
        for s in stmts {
            match s {
                St::Op(Op::Assign(p, e), span) => {
                    let e = match guard {
                        None => e.clone(),
                        Some(g) => Ex::mux(g.clone(), e.clone(), Ex::place(p.clone(), e.ty)),
                    };
                    out.push((Op::Assign(p.clone(), e), *span));
                }
                St::Op(op, span) => {
                    if guard.is_some() {
                        return Err((
                            *span,
                            "Conditional execution in actions is not supported on this target"
                                .to_string(),
                        ));
                    }
                    out.push((op.clone(), *span));
                }
                St::If(c, a, b, span) => self.choice(c, a, b, *span, guard, out)?,
                St::Scope(label, body) => {
                    let body = without_leaves(body, *label, &mut self.budget).ok_or_else(|| {
                        (
                            Span::NONE,
                            "action too complex: too many paths to a return".to_string(),
                        )
                    })?;
                    if self.run(&body, guard, out)? {
                        return Ok(true);
                    }
                }
                St::Atomic(body) => {
                    if self.run(body, guard, out)? {
                        return Ok(true);
                    }
                }
                St::Exit(span) => {
                    if guard.is_some() {
                        return Err((
                            *span,
                            "Conditional execution in actions is not supported on this target"
                                .to_string(),
                        ));
                    }
                    out.push((Op::Exit, *span));
                    return Ok(true);
                }
                St::Leave(_) => return Ok(true),
                St::Loop(_) => return Err((Span::NONE, "loops need jumps".to_string())),
                St::Apply { span, .. } => {
                    return Err((*span, "tables cannot be applied in actions".to_string()));
                }
            }
        }
        Ok(false)
    }

    fn choice(
        &mut self,
        c: &Ex,
        a: &[St],
        b: &[St],
        span: Span,
        guard: Option<&Ex>,
        out: &mut Vec<(Op, Span)>,
    ) -> Result<(), FlowError> {
        // Branches that only choose a value for one place are one assignment.
        let whole = [St::If(c.clone(), a.to_vec(), b.to_vec(), span)];
        if let Some((p, e, s)) = choice_of_value(&whole) {
            let e = match guard {
                None => e,
                Some(g) => {
                    let old = Ex::place(p.clone(), e.ty);
                    Ex::mux(g.clone(), e, old)
                }
            };
            out.push((Op::Assign(p, e), s));
            return Ok(());
        }
        // Read by every assignment, and not to change between them.
        let mut condition = c.clone();
        let mut changed = Vec::new();
        all_writes(a, self.program.standard_metadata, &mut changed);
        all_writes(b, self.program.standard_metadata, &mut changed);
        let mut read = Vec::new();
        reads(c, &mut read);
        if !c.is_simple() || any_overlap(self.program, &changed, &read) {
            let t = (self.fresh)(self.program, Scalar::Bool);
            if let ExKind::Place(p) = &t.kind {
                out.push((Op::Assign(p.clone(), condition), span));
            }
            condition = t;
        }
        let both = |g: Option<&Ex>, c: Ex| match g {
            None => c,
            Some(g) => Ex::and(g.clone(), c),
        };
        let then = both(guard, condition.clone());
        if self.run(a, Some(&then), out)? {
            return Err((
                span,
                "Conditional execution in actions is not supported on this target".to_string(),
            ));
        }
        let otherwise = both(guard, condition.negated());
        if self.run(b, Some(&otherwise), out)? {
            return Err((
                span,
                "Conditional execution in actions is not supported on this target".to_string(),
            ));
        }
        Ok(())
    }
}

/// Deepest nesting of choices that become one expression.
const MAX_CHOICES: usize = 8;

/// The place, value and span, if statements do no more than give one place a value.
fn choice_of_value(stmts: &[St]) -> Option<(Place, Ex, Span)> {
    fn go(stmts: &[St], depth: usize) -> Option<(Place, Ex, Span)> {
        match stmts {
            [St::Op(Op::Assign(p, e), s)] => Some((p.clone(), e.clone(), *s)),
            [St::If(c, a, b, span)] if depth < MAX_CHOICES => {
                let (p, x, _) = match go(a, depth + 1) {
                    Some(found) => found,
                    None if a.is_empty() => {
                        let (p, e, s) = go(b, depth + 1)?;
                        let old = Ex::place(p.clone(), e.ty);
                        return Some((p, Ex::mux(c.clone(), old, e), s));
                    }
                    None => return None,
                };
                let y = if b.is_empty() {
                    Ex::place(p.clone(), x.ty)
                } else {
                    let (q, y, _) = go(b, depth + 1)?;
                    if q != p {
                        return None;
                    }
                    y
                };
                Some((p, Ex::mux(c.clone(), x, y), *span))
            }
            _ => None,
        }
    }
    go(stmts, 0)
}
