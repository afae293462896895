// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Which words of a packet's state are the variables of one pipeline.
//!
//! The front end keeps the variables of all controls in metadata. Most of them are used by one
//! pipeline alone; compiled code keeps these in machine registers, and not in the word array.

use std::collections::BTreeSet;

use super::Refusal;
use super::classes::{interpreted_table, touched};
use super::code::extent;
use crate::instructions::{Expr, Ins, W};
use crate::program::{
    CalcInput, FieldRef, HeaderOp, HeaderRef, Ir, MetaFields, NONE, Next, Node, ParserOp, SelectKey,
};
use crate::tna::Tna;
use crate::value::limbs;

/// For each word whether it is in a set.
struct Words(Vec<bool>);

impl Words {
    fn add(&mut self, w: W, n: u32) {
        // Words beyond the state are no variables.
        let end = (w as usize + n as usize).min(self.0.len());
        if let Some(words) = self.0.get_mut(w as usize..end) {
            words.fill(true);
        }
    }

    fn add_field(&mut self, f: FieldRef) {
        self.add(f.word, limbs(f.width));
    }

    fn add_header(&mut self, p: &Ir, header: u32) {
        let h = &p.headers[header as usize];
        self.add(h.first, h.words);
    }
}

/// The variables: for each word of the state whether it is one. It is 0 where a pipeline begins.
pub(super) fn locals(p: &Ir, shared: &[bool]) -> Result<Vec<bool>, Refusal> {
    let none = || Words(vec![false; p.state_words]);
    let mut found = none();
    for (h, header) in (0..).zip(&p.headers) {
        if header.metadata {
            found.add_header(p, h);
        }
    }
    let mut others = none();
    used_elsewhere(p, &mut others)?;
    let (mut written_before, mut read_after, mut unused) = (none(), none(), none());
    accesses(p, p.ingress, &mut unused, &mut written_before)?;
    accesses(p, p.egress, &mut read_after, &mut unused)?;
    let own = found.0.iter().enumerate().map(|(w, &metadata)| {
        let crosses = written_before.0[w] && read_after.0[w];
        metadata && !crosses && !others.0[w] && !shared[w]
    });
    Ok(own.collect())
}

/// The words that the code at `pc` reads and writes.
fn code(p: &Ir, pc: u32, read: &mut Words, written: &mut Words) -> Result<(), Refusal> {
    for &ins in &p.code[extent(p, pc)?] {
        touched(p, ins, &mut |w, n| read.add(w, n), &mut |w, n| {
            written.add(w, n)
        });
    }
    Ok(())
}

/// The words that the pipeline reads and writes which begins at a node.
fn accesses(p: &Ir, start: u32, read: &mut Words, written: &mut Words) -> Result<(), Refusal> {
    for n in nodes(p, start)? {
        match p.nodes[n as usize] {
            Node::Condition { pc, word, .. } => {
                code(p, pc, read, written)?;
                read.add(word, 1);
            }
            Node::Test { a, b, .. } => {
                read.add(a, 1);
                read.add(b, 1);
            }
            Node::Action { pc, .. } => code(p, pc, read, written)?,
            // The interpreter shares all words of the tables that it applies.
            Node::Table(t) if interpreted_table(&p.tables[t as usize]) => {}
            Node::Table(t) => {
                let info = &p.tables[t as usize];
                info.layout.iter().for_each(|k| read.add(k.word, 1));
                for &action in &info.actions {
                    code(p, p.actions[action].pc, read, written)?;
                }
            }
        }
    }
    Ok(())
}

/// The words that something else than the instructions of pipelines uses.
fn used_elsewhere(p: &Ir, all: &mut Words) -> Result<(), Refusal> {
    target_fields(&p.meta, |f| all.add_field(f));
    let tofino = p.tna.iter().flat_map(Tna::fields);
    tofino.for_each(|f| all.add_field(f));
    parser(p, all)?;
    for c in p.verify.iter().chain(&p.update) {
        all.add_field(c.target);
        if let Some((pc, word)) = c.condition {
            both(p, pc, all)?;
            all.add(word, 1);
        }
    }
    if let Some(pc) = p.deparser_code {
        both(p, pc, all)?;
    }
    for fields in p.field_lists.values() {
        fields.iter().for_each(|f| all.add_field(*f));
    }
    let sources = p.digests.iter().flat_map(|d| &d.sources);
    sources
        .chain(p.meters.iter().filter_map(|m| m.result.as_ref()))
        .for_each(|f| all.add_field(*f));
    whole_headers(p, all);
    Ok(())
}

/// What code reads or writes.
fn both(p: &Ir, pc: u32, all: &mut Words) -> Result<(), Refusal> {
    let mut written = Words(vec![false; p.state_words]);
    code(p, pc, all, &mut written)?;
    all.0.iter_mut().zip(written.0).for_each(|(x, w)| *x |= w);
    Ok(())
}

fn target_fields(m: &MetaFields, mut add: impl FnMut(FieldRef)) {
    let always = [
        m.ingress_port,
        m.packet_length,
        m.egress_spec,
        m.egress_port,
        m.instance_type,
    ];
    let some = [
        m.egress_rid,
        m.parser_error,
        m.checksum_error,
        m.ingress_timestamp,
        m.egress_timestamp,
        m.mcast_grp,
        m.priority,
    ];
    always
        .into_iter()
        .chain(some.into_iter().flatten())
        .for_each(&mut add);
    if let Some(q) = &m.queueing {
        [q.enq_timestamp, q.enq_qdepth, q.deq_timedelta, q.deq_qdepth]
            .into_iter()
            .chain(q.qid)
            .for_each(add);
    }
}

fn parser(p: &Ir, all: &mut Words) -> Result<(), Refusal> {
    for s in &p.parser {
        for op in &s.ops {
            match *op {
                ParserOp::Extract {
                    var: Some((pc, word)),
                    ..
                }
                | ParserOp::Advance { pc, bits: word } => {
                    both(p, pc, all)?;
                    all.add(word, 1);
                }
                ParserOp::Verify {
                    pc,
                    condition,
                    error,
                } => {
                    both(p, pc, all)?;
                    all.add(condition, 1);
                    all.add(error, 1);
                }
                ParserOp::Code { pc } => both(p, pc, all)?,
                ParserOp::Lookahead { dst, .. } => all.add_field(dst),
                ParserOp::Extract { var: None, .. } | ParserOp::NeedLast { .. } => {}
            }
        }
        for key in &s.key {
            if let SelectKey::Field { word, limbs } = *key {
                all.add(word, limbs);
            }
        }
    }
    Ok(())
}

/// The words of headers that are named as a whole.
fn whole_headers(p: &Ir, all: &mut Words) {
    for ins in &p.code {
        match *ins {
            Ins::AddHeader { header } | Ins::RemoveHeader { header } => all.add_header(p, header),
            Ins::AssignHeader { d, a } => {
                all.add_header(p, d);
                all.add_header(p, a);
            }
            _ => {}
        }
    }
    for op in &p.header_ops {
        let named = match op {
            HeaderOp::Add(h) | HeaderOp::Remove(h) => vec![h],
            HeaderOp::Assign(d, a) => vec![d, a],
            _ => vec![],
        };
        for h in named {
            if let HeaderRef::Fixed(h) = h {
                all.add_header(p, *h);
            }
        }
    }
    for input in p.calcs.iter().flat_map(|c| &c.inputs) {
        if let CalcInput::Header { header } = *input {
            all.add_header(p, header);
        }
    }
    p.arrays
        .iter()
        .flatten()
        .for_each(|h| all.add_header(p, *h));
    for e in p.exprs.iter().chain(p.logs.iter().flat_map(|l| &l.args)) {
        e.visit(&mut |e| {
            if let Expr::HeadersEqual(a, b) = e {
                all.add_header(p, *a);
                all.add_header(p, *b);
            }
        });
    }
}

/// All nodes that may follow a table.
pub(super) fn successors(next: &Next) -> BTreeSet<u32> {
    let by_action = next.by_action.values().copied();
    by_action
        .chain(next.hit)
        .chain(next.miss)
        .chain([next.base, NONE])
        .collect()
}

/// The nodes that can be reached from one, each after all that lead to it unless there are circles.
pub(super) fn nodes(p: &Ir, start: u32) -> Result<Vec<u32>, Refusal> {
    let mut seen = BTreeSet::from([NONE]);
    let mut order = Vec::new();
    // Depth first; a node is done when all that follow it are.
    let mut path = Vec::new();
    if seen.insert(start) {
        path.push((start, following(p, start)?));
    }
    while let Some((n, rest)) = path.last_mut() {
        match rest.pop() {
            Some(next) if seen.insert(next) => path.push((next, following(p, next)?)),
            Some(_) => {}
            None => {
                order.push(*n);
                path.pop();
            }
        }
    }
    order.reverse();
    Ok(order)
}

/// The nodes that may follow one.
fn following(p: &Ir, n: u32) -> Result<Vec<u32>, Refusal> {
    Ok(match p.nodes.get(n as usize).ok_or(Refusal::Malformed)? {
        Node::Condition { yes, no, .. } | Node::Test { yes, no, .. } => vec![*no, *yes],
        Node::Action { next, .. } => vec![*next],
        Node::Table(t) => successors(&p.tables[*t as usize].next)
            .into_iter()
            .collect(),
    })
}
