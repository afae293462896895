// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Parsers: sub-parsers are put in as states of their caller, `if` becomes states, and chains of states are joined.

use std::collections::HashMap;
use std::rc::Rc;

use num_bigint::BigInt;
use num_traits::{One, Zero};

use super::calls::{count_in, count_uses, visit_stmts};
use super::values::{Obj, Val};
use super::{Lowerer, Node};
use crate::backend::ir::{Case, Ex, ExKind, Match, On, Op, Scalar, St, State};
use crate::sema::hir::{
    Block, Callee, Expr, ExprKind, Keyset, Local, Parser, Stmt, StmtKind, Target, Transition, VarId,
};
use crate::source::Span;

/// Most cases that one select may become.
const MAX_CASES: usize = 65_536;

/// Where a parser's ends lead.
#[derive(Clone, Copy)]
struct Ends {
    accept: Option<usize>,
    reject: Option<usize>,
}

impl Lowerer<'_> {
    /// Whether nothing has been done to headers in the parser so far: only then are headers known to be invalid.
    pub(super) fn parser_untouched(&self, pending: &[St]) -> bool {
        pending.is_empty()
            && !self.parser_restarts
            && self.program.states.iter().all(|s| s.ops.is_empty())
    }

    /// The first state of a parser, as the parser is written, must lead to an end; where no case of a `select` fits is one.
    fn check_ends(&mut self, p: &Parser) {
        let mut reached = vec![false; p.states.len()];
        let mut work: Vec<usize> = p
            .states
            .iter()
            .position(|s| &*s.name == "start")
            .into_iter()
            .collect();
        while let Some(i) = work.pop() {
            let (Some(seen), Some(s)) = (reached.get_mut(i), p.states.get(i)) else {
                continue;
            };
            if std::mem::replace(seen, true) {
                continue;
            }
            let open = matches!(&s.transition, Transition::Select { cases, .. }
                if !cases.iter().any(|(k, ..)| k.iter().all(|k| matches!(k, Keyset::Any))));
            if open || targets(&s.transition).any(|t| !matches!(t, Target::State(_))) {
                return;
            }
            work.extend(targets(&s.transition).filter_map(|t| match t {
                Target::State(i) => Some(i),
                _ => None,
            }));
        }
        let message = format!(
            "parser {}: Parser never reaches accept or reject state",
            p.name
        );
        self.error(p.span, message);
    }

    pub(super) fn parser_block(&mut self, node: &Rc<Node>, args: &[Val]) {
        let start = self.parser_entry(node, args);
        self.program.start = start.unwrap_or(0);
        self.join_states();
    }

    /// The states of a parser of the architecture; gives the first.
    pub(super) fn parser_entry(&mut self, node: &Rc<Node>, args: &[Val]) -> Option<usize> {
        let p = Self::parser_of(node)?;
        let env = p
            .params
            .iter()
            .map(|p| p.var.id)
            .zip(args.iter().cloned())
            .collect();
        let first = p.states.iter().position(|s| &*s.name == "start");
        self.parser_restarts = p.states.iter().any(|s| {
            targets(&s.transition).any(|t| matches!(t, Target::State(i) if Some(i) == first))
        });
        let ends = Ends {
            accept: None,
            reject: self.reject(),
        };
        self.parser_states(node, &p, env, "", ends, Vec::new())
    }

    /// Where `reject` leads: in v1model a packet goes on, in TNA it is an error like a missing case.
    fn reject(&mut self) -> Option<usize> {
        self.tna.is_some().then(|| self.no_match()).flatten()
    }

    pub(super) fn state(&mut self, name: &str) -> usize {
        self.program.states.push(State {
            name: super::unique_name(&mut self.state_names, name),
            ops: Vec::new(),
            keys: Vec::new(),
            cases: Vec::new(),
        });
        self.program.states.len() - 1
    }

    /// Adds the states of a parser; returns its first one. `before` runs first.
    fn parser_states(
        &mut self,
        node: &Rc<Node>,
        p: &Rc<Parser>,
        env: HashMap<VarId, Val>,
        prefix: &str,
        ends: Ends,
        before: Vec<St>,
    ) -> Option<usize> {
        self.check_ends(p);
        let outer_env = std::mem::replace(&mut self.env, env);
        let outer_node = std::mem::replace(&mut self.node, node.clone());
        self.env
            .extend(node.args.iter().map(|(k, v)| (*k, v.clone())));
        let ids: Vec<usize> = p
            .states
            .iter()
            .map(|s| self.state(&format!("{prefix}{}", s.name)))
            .collect();
        let start = p
            .states
            .iter()
            .position(|s| &*s.name == "start")
            .and_then(|i| ids.get(i))
            .copied();
        let mut init = before;
        self.locals(&p.locals, &mut init);
        let mut first = start;
        if let Some(s) = start {
            // What runs once must not run again when a transition leads back to the first state.
            let again = p.states.iter().any(|s| {
                targets(&s.transition)
                    .any(|t| matches!(t, Target::State(i) if ids.get(i) == start.as_ref()))
            });
            if again && !init.is_empty() {
                let entry = self.state(&format!("{prefix}init"));
                let end = self.parser_stmts(entry, &init);
                self.goto(end, Some(s));
                first = Some(entry);
                init = Vec::new();
            }
        }
        // The first state first, so that what is known to be untouched stays so.
        let order: Vec<usize> = (0..p.states.len())
            .filter(|i| ids.get(*i) == start.as_ref())
            .chain((0..p.states.len()).filter(|i| ids.get(*i) != start.as_ref()))
            .collect();
        for i in order {
            let (Some(s), Some(id)) = (p.states.get(i), ids.get(i)) else {
                continue;
            };
            let mut current = *id;
            if Some(*id) == start && !init.is_empty() {
                current = self.parser_stmts(current, &init);
            }
            for stmt in &s.stmts {
                current = self.parser_stmt(stmt, current);
            }
            self.transition(&s.transition, current, &ids, ends);
        }
        self.env = outer_env;
        self.node = outer_node;
        first
    }

    fn goto(&mut self, from: usize, next: Option<usize>) {
        if let Some(s) = self.program.states.get_mut(from) {
            s.cases.push(Case {
                on: On::Default,
                next,
            });
        }
    }

    /// Ends a state with a choice; returns the states for true, for false, and for what follows.
    fn fork(&mut self, current: usize, c: &Ex, span: Span) -> (usize, usize, usize) {
        let name = self
            .program
            .states
            .get(current)
            .map(|s| s.name.clone())
            .unwrap_or_default();
        let then = self.state(&format!("{name}_true"));
        let otherwise = self.state(&format!("{name}_false"));
        let join = self.state(&format!("{name}_join"));
        let t = self.temp("tmp", Scalar::Bool);
        if let (ExKind::Place(p), Some(state)) =
            (t.kind.clone(), self.program.states.get_mut(current))
        {
            state.ops.push((Op::Assign(p, c.clone()), span));
            state.keys = vec![t];
            state.cases = vec![
                Case {
                    on: On::Match(vec![Match::Value(BigInt::one())]),
                    next: Some(then),
                },
                Case {
                    on: On::Default,
                    next: Some(otherwise),
                },
            ];
        }
        (then, otherwise, join)
    }

    /// Lowered statements at the end of a state; returns the state that goes on.
    fn parser_stmts(&mut self, mut current: usize, stmts: &[St]) -> usize {
        for s in stmts {
            match s {
                St::Op(op, span) => {
                    if let Some(state) = self.program.states.get_mut(current) {
                        state.ops.push((op.clone(), *span));
                    }
                }
                St::If(c, a, b, span) => {
                    let (then, otherwise, join) = self.fork(current, c, *span);
                    let a_end = self.parser_stmts(then, a);
                    self.goto(a_end, Some(join));
                    let b_end = self.parser_stmts(otherwise, b);
                    self.goto(b_end, Some(join));
                    current = join;
                }
                St::Scope(label, body) => {
                    // Functions: leaving early is taken apart like in actions.
                    match super::flow::without_leaves(body, *label, &mut 100_000) {
                        Some(body) => current = self.parser_stmts(current, &body),
                        None => self.error(
                            Span::NONE,
                            "function too complex for a parser: too many paths to a return, or a loop whose number of rounds is not constant",
                        ),
                    }
                }
                St::Atomic(body) => current = self.parser_stmts(current, body),
                St::Leave(_) => {}
                St::Loop(_) => self.error(
                    Span::NONE,
                    "loops in functions that parsers call need a constant number of rounds",
                ),
                St::Apply { span, .. } | St::Exit(span) => {
                    self.error(*span, "not allowed in parsers")
                }
            }
        }
        current
    }

    fn parser_stmt(&mut self, s: &Stmt, current: usize) -> usize {
        match &s.kind {
            StmtKind::Call(Expr {
                kind: ExprKind::Call(c),
                ..
            }) => {
                let Callee::Parser(inst) = &c.callee else {
                    return self.plain_stmt(s, current);
                };
                let mut pre = Vec::new();
                let Val::Obj(Obj::Node(node)) = self.value(inst, &mut pre) else {
                    return current;
                };
                let Some(p) = Self::parser_of(&node) else {
                    return current;
                };
                if !self.spend_call(s.span) {
                    return current;
                }
                if self.depth >= super::MAX_INLINE {
                    self.error(s.span, "calls nested too deeply");
                    return current;
                }
                self.depth += 1;
                let uses = |v: VarId| {
                    let mut n = 0;
                    for st in &p.states {
                        n += count_uses(
                            &Block {
                                stmts: st.stmts.clone(),
                                atomic: false,
                                span: st.span,
                            },
                            v,
                        );
                        if let Transition::Select { subjects, .. } = &st.transition {
                            n += subjects.iter().map(|e| 2 * count_in(e, v)).sum::<usize>();
                        }
                    }
                    for l in &p.locals {
                        if let Local::Var(_, Some(e), _) = l {
                            n += count_in(e, v);
                        }
                    }
                    // States may run more than once.
                    n * 2
                };
                // Headers that go out are only known to be invalid where the first state begins.
                let begin = self
                    .program
                    .states
                    .iter()
                    .all(|s| s.ops.is_empty() && s.cases.is_empty());
                let mut bind = Vec::new();
                if !begin {
                    bind.push(St::Atomic(Vec::new()));
                }
                let bound = self.bind(
                    &p.params,
                    &c.args,
                    &node,
                    !node.shared,
                    &uses,
                    s.span,
                    &mut bind,
                );
                let bind: Vec<St> = bind
                    .into_iter()
                    .filter(|s| !matches!(s, St::Atomic(b) if b.is_empty()))
                    .collect();
                let current = self.parser_stmts(current, &pre);
                let current = self.parser_stmts(current, &bind);
                let name = self
                    .program
                    .states
                    .get(current)
                    .map(|s| s.name.clone())
                    .unwrap_or_default();
                let go_on = self.state(&name);
                let ends = Ends {
                    accept: Some(go_on),
                    reject: self.reject(),
                };
                let start = self.parser_states(
                    &node,
                    &p,
                    bound.env,
                    &format!("{}_", p.name),
                    ends,
                    Vec::new(),
                );
                self.goto(current, start);
                self.depth -= 1;
                self.parser_stmts(go_on, &bound.after)
            }
            StmtKind::Block(b) => {
                let mut current = current;
                for s in &b.stmts {
                    current = self.parser_stmt(s, current);
                }
                current
            }
            StmtKind::If(c, a, b) => {
                // Branches may apply parsers, which only states can.
                let mut calls_parser = false;
                let mut look = |e: &Expr| {
                    if let ExprKind::Call(c) = &e.kind {
                        calls_parser |= matches!(c.callee, Callee::Parser(_));
                    }
                };
                visit_stmts(std::slice::from_ref(a), &mut look);
                if let Some(b) = b {
                    visit_stmts(std::slice::from_ref(b), &mut look);
                }
                if !calls_parser {
                    return self.plain_stmt(s, current);
                }
                let mut pre = Vec::new();
                let test = self.ex(c, &mut pre);
                let current = self.parser_stmts(current, &pre);
                match test.kind {
                    ExKind::Bool(true) => return self.parser_stmt(a, current),
                    ExKind::Bool(false) => {
                        return b.as_ref().map_or(current, |b| self.parser_stmt(b, current));
                    }
                    _ => {}
                }
                let (then, otherwise, join) = self.fork(current, &test, c.span);
                let end = self.parser_stmt(a, then);
                self.goto(end, Some(join));
                let end = b
                    .as_ref()
                    .map_or(otherwise, |b| self.parser_stmt(b, otherwise));
                self.goto(end, Some(join));
                join
            }
            _ => self.plain_stmt(s, current),
        }
    }

    fn plain_stmt(&mut self, s: &Stmt, current: usize) -> usize {
        let mut out = Vec::new();
        self.stmt(s, &mut out);
        self.parser_stmts(current, &out)
    }

    fn target(&mut self, t: Target, ids: &[usize], ends: Ends) -> Option<usize> {
        match t {
            Target::State(i) => ids.get(i).copied(),
            Target::Accept => ends.accept,
            Target::Reject => ends.reject,
        }
    }

    /// A state that reports `error.NoMatch`: BMv2 knows no transition without a match.
    fn no_match(&mut self) -> Option<usize> {
        if let Some(i) = self.program.states.iter().position(|s| s.name == "noMatch") {
            return Some(i);
        }
        let code = self.program.errors.iter().position(|e| &**e == "NoMatch")?;
        let id = self.state("noMatch");
        if let Some(s) = self.program.states.get_mut(id) {
            let code = Ex::int(code, crate::backend::ir::WORD);
            s.ops.push((Op::Verify(Ex::bool(false), code), Span::NONE));
            s.cases.push(Case {
                on: On::Default,
                next: None,
            });
        }
        Some(id)
    }

    fn transition(&mut self, t: &Transition, state: usize, ids: &[usize], ends: Ends) {
        match t {
            Transition::Direct(t, _) => {
                let next = self.target(*t, ids, ends);
                self.goto(state, next);
            }
            Transition::Select {
                subjects,
                cases,
                span,
            } => {
                let mut pre = Vec::new();
                let mut keys = Vec::new();
                for e in subjects {
                    let x = self.ex(e, &mut pre);
                    let direct = matches!(x.kind, ExKind::Place(_) | ExKind::Lookahead(..));
                    keys.push(if direct {
                        x
                    } else {
                        let v = self.temp("select", x.ty);
                        if let ExKind::Place(p) = &v.kind {
                            pre.push(St::Op(Op::Assign(p.clone(), x), e.span));
                        }
                        v
                    });
                }
                let state = self.parser_stmts(state, &pre);
                let widths: Vec<u32> = keys.iter().map(|k| k.ty.width()).collect();
                let mut out: Vec<Case> = Vec::new();
                let mut complete = false;
                for (k, t, case_span) in cases {
                    let next = self.target(*t, ids, ends);
                    if let [Keyset::Set(v)] = k.as_slice() {
                        if let Obj::Set(id) = self.value_set_object(v) {
                            out.push(Case {
                                on: On::Set(id),
                                next,
                            });
                        }
                        continue;
                    }
                    if k.iter().any(|k| matches!(k, Keyset::Set(_))) {
                        self.error(
                            *case_span,
                            "a value set as one of several components is not supported on this target",
                        );
                        continue;
                    }
                    if k.iter().all(|k| matches!(k, Keyset::Any)) {
                        out.push(Case {
                            on: On::Default,
                            next,
                        });
                        complete = true;
                        break;
                    }
                    let sets: Vec<Vec<Match>> = k
                        .iter()
                        .zip(&widths)
                        .map(|(k, w)| expand(self.matches(k), *w))
                        .collect();
                    let mut product: Vec<Vec<Match>> = vec![Vec::new()];
                    for set in &sets {
                        if product.len().saturating_mul(set.len()) > MAX_CASES {
                            self.error(*case_span, "too many cases in select");
                            return;
                        }
                        product = product
                            .iter()
                            .flat_map(|p| {
                                set.iter().map(move |m| {
                                    let mut p = p.clone();
                                    p.push(m.clone());
                                    p
                                })
                            })
                            .collect();
                    }
                    out.extend(product.into_iter().map(|m| Case {
                        on: On::Match(m),
                        next,
                    }));
                }
                if !complete {
                    let next = self.no_match();
                    out.push(Case {
                        on: On::Default,
                        next,
                    });
                }
                let _ = span;
                if let Some(s) = self.program.states.get_mut(state) {
                    s.keys = keys;
                    s.cases = out;
                }
            }
        }
    }

    /// Joins a state with its only successor where that has no other predecessor; drops what is not reached.
    pub(super) fn join_states(&mut self) {
        let start = self.program.start;
        loop {
            let n = self.program.states.len();
            let mut incoming = vec![0usize; n];
            for s in &self.program.states {
                for c in &s.cases {
                    if let Some(count) = c.next.and_then(|k| incoming.get_mut(k)) {
                        *count += 1;
                    }
                }
            }
            let mut joined = None;
            for (i, s) in self.program.states.iter().enumerate() {
                if let [
                    Case {
                        on: On::Default,
                        next: Some(k),
                    },
                ] = s.cases.as_slice()
                    && *k != i
                    && *k != start
                    && incoming.get(*k) == Some(&1)
                {
                    joined = Some((i, *k));
                    break;
                }
            }
            let Some((i, k)) = joined else { break };
            let Some(next) = self.program.states.get_mut(k) else {
                break;
            };
            let (ops, keys, cases) = (
                std::mem::take(&mut next.ops),
                std::mem::take(&mut next.keys),
                std::mem::take(&mut next.cases),
            );
            if let Some(s) = self.program.states.get_mut(i) {
                s.ops.extend(ops);
                s.keys = keys;
                s.cases = cases;
            }
        }
        // States that do nothing but go on are passed by. A chain of them ends, or it would be a loop that does
        // nothing, and that is left as it is.
        let n = self.program.states.len();
        let skip: Vec<Option<Option<usize>>> = self
            .program
            .states
            .iter()
            .map(|s| match (s.ops.is_empty(), s.cases.as_slice()) {
                (
                    true,
                    [
                        Case {
                            on: On::Default,
                            next,
                        },
                    ],
                ) => Some(*next),
                _ => None,
            })
            .collect();
        for s in &mut self.program.states {
            for c in &mut s.cases {
                for _ in 0..n {
                    match c.next.and_then(|k| skip.get(k)).copied().flatten() {
                        Some(next) => c.next = next,
                        None => break,
                    }
                }
            }
        }
        // Keep what can be reached, in order.
        let n = self.program.states.len();
        let mut reached = vec![false; n];
        let mut work = vec![start];
        while let Some(i) = work.pop() {
            match reached.get_mut(i) {
                Some(r) if !*r => *r = true,
                _ => continue,
            }
            if let Some(s) = self.program.states.get(i) {
                work.extend(s.cases.iter().filter_map(|c| c.next));
            }
        }
        let mut new_index = vec![0usize; n];
        let mut kept = 0;
        for (r, ix) in reached.iter().zip(new_index.iter_mut()) {
            *ix = kept;
            kept += usize::from(*r);
        }
        let states = std::mem::take(&mut self.program.states);
        for (s, r) in states.into_iter().zip(&reached) {
            if *r {
                let mut s = s;
                for c in &mut s.cases {
                    c.next = c.next.and_then(|k| new_index.get(k)).copied();
                }
                self.program.states.push(s);
            }
        }
        self.program.start = new_index.get(start).copied().unwrap_or(0);
    }
}

fn targets(t: &Transition) -> Box<dyn Iterator<Item = Target> + '_> {
    match t {
        Transition::Direct(t, _) => Box::new(std::iter::once(*t)),
        Transition::Select { cases, .. } => {
            let all = |keys: &[Keyset]| keys.iter().all(|k| matches!(k, Keyset::Any));
            let last = cases.iter().position(|(k, ..)| all(k));
            let reached = last.map_or(cases.len(), |i| i + 1);
            Box::new(cases.iter().take(reached).map(|(_, t, _)| *t))
        }
    }
}

/// A range as values and masks, which is all that BMv2's parser has.
fn expand(m: Match, width: u32) -> Vec<Match> {
    let Match::Range(lo, hi) = m else {
        return vec![m];
    };
    let all = (BigInt::one() << width) - 1;
    let mut out = Vec::new();
    let mut from = lo;
    while from <= hi {
        // The greatest aligned block that starts here and fits.
        let mut size: u32 = 0;
        while size < width {
            let next = size + 1;
            let block = BigInt::one() << next;
            let aligned = (&from & (&block - BigInt::one())).is_zero();
            if !aligned || &from + &block - BigInt::one() > hi {
                break;
            }
            size = next;
        }
        let block = BigInt::one() << size;
        let mask = &all ^ (&block - BigInt::one());
        out.push(if size == 0 {
            Match::Value(from.clone())
        } else {
            Match::Mask(from.clone(), mask)
        });
        from += block;
    }
    out
}
