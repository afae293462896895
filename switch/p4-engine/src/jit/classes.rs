// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Where compiled code keeps each word: as a constant, in a machine register, or in the word array.

use std::ops::Range;

use super::Refusal;
use super::code::extent;
use super::locals::locals;
use crate::instructions::{Expr, Ins, W};
use crate::program::{CalcInput, HeaderOp, HeaderRef, Ir, ParserOp, TableInfo};
use crate::value::limbs;

/// Where a word is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    /// Nothing ever writes it.
    Const(u64),
    /// An intermediate result that only compiled code uses.
    Temp,
    /// Word of the action data, by its place there.
    Param(u32),
    /// A variable of one pipeline: the same, 0 where the pipeline begins.
    Local,
    /// In the word array.
    Memory,
}

/// The classes of all words.
pub(super) struct Classes {
    classes: Vec<Class>,
    state_words: usize,
}

/// Whether the interpreter applies a table, because that is more than a lookup and an action.
pub(super) fn interpreted_table(info: &TableInfo) -> bool {
    info.profile.is_some()
        || info.idle_timeout
        || info.direct_meter.is_some()
        || info.entry.is_some()
}

/// Copying so many words costs less than beginning another range.
const MAX_GAP: usize = 8;

/// Words that are copied one by one at most.
const MAX_INLINE: u32 = 16;

/// Whether the interpreter does an instruction on behalf of compiled code. The words that it
/// reads and writes must then be in the word array.
pub(super) fn interpreted(p: &Ir, ins: Ins) -> bool {
    let words = |h: u32| p.headers[h as usize].words;
    let width = |reg: u32| p.registers[reg as usize].width;
    match ins {
        Ins::Copy { n, .. } => n > MAX_INLINE,
        Ins::Slow { width, .. } => width > 64,
        Ins::RegRead { reg, width: w, .. } => width(reg) > 64 || w > 64,
        Ins::RegWrite { reg, .. } => width(reg) > 64,
        Ins::AddHeader { header } => words(header) > MAX_INLINE * 4,
        Ins::RemoveHeader { header } => p.headers[header as usize].var.is_some(),
        Ins::AssignHeader { d, a } => words(a) > MAX_INLINE * 4 || words(a) != words(d),
        Ins::HeaderOp { .. }
        | Ins::IndexedStore { .. }
        | Ins::Filter { .. }
        | Ins::Log { .. }
        | Ins::Clone { .. }
        | Ins::Digest { .. }
        | Ins::Resubmit { .. }
        | Ins::Recirculate { .. }
        | Ins::Truncate { .. } => true,
        _ => false,
    }
}

/// Whether an instruction may evaluate expressions, which read parameters from the word array.
pub(super) fn evaluates(p: &Ir, ins: Ins) -> bool {
    interpreted(p, ins) || matches!(ins, Ins::Slow { .. })
}

/// What an instruction does with words: calls `read` and `write` with ranges of them. Headers are
/// not among them.
pub(super) fn touched(
    p: &Ir,
    ins: Ins,
    read: &mut dyn FnMut(W, u32),
    write: &mut dyn FnMut(W, u32),
) {
    for w in ins.operands() {
        read(w, 1);
    }
    match ins {
        Ins::Copy { a, n, .. } => read(a, n),
        // The old value stays if the index is out of bounds.
        Ins::RegRead { d, width, .. } => read(d, limbs(width)),
        Ins::Meter { d, .. } => read(d, 1),
        Ins::RegWrite { reg, a, .. } => read(a, limbs(p.registers[reg as usize].width)),
        _ => {}
    }
    if let Some((d, bits)) = ins.written() {
        write(d, limbs(bits));
    }
}

/// The words that an expression reads by itself.
fn fields(e: &Expr, read: &mut dyn FnMut(W, u32)) {
    e.visit(&mut |e| {
        if let Expr::Field(f) | Expr::Flag(f) = e {
            read(f.word, limbs(f.width));
        }
    });
}

impl Classes {
    pub fn new(p: &Ir) -> Result<Self, Refusal> {
        let n = p.template.len();
        let params = (p.actions.iter())
            .map(|a| a.params.iter().map(|i| limbs(i.width)).sum::<u32>())
            .max()
            .unwrap_or(0);
        let params = p.locals..p.locals + params as usize;
        let (mut written, mut shared) = (vec![false; n], vec![false; n]);
        let mut beyond = false;
        let mark = |list: &mut Vec<bool>, w: W, count: u32| {
            let range: Range<usize> = w as usize..w as usize + count as usize;
            match list.get_mut(range) {
                Some(part) => part.fill(true),
                None => return true,
            }
            false
        };
        for &ins in &p.code {
            let mut reads = Vec::new();
            let mut writes = Vec::new();
            touched(p, ins, &mut |w, n| reads.push((w, n)), &mut |w, n| {
                writes.push((w, n));
            });
            for &(w, n) in &writes {
                beyond |= mark(&mut written, w, n);
            }
            if interpreted(p, ins) {
                for &(w, n) in writes.iter().chain(&reads) {
                    beyond |= mark(&mut shared, w, n);
                }
            }
            // Out of range if it is: read nowhere else.
            let ranges = reads.iter().map(|&(w, n)| w as usize + n as usize);
            beyond |= ranges.max().unwrap_or(0) > n;
        }
        let mut share = |w: W, n: u32| beyond |= mark(&mut shared, w, n);
        p.exprs.iter().for_each(|e| fields(e, &mut share));
        let logged = p.logs.iter().flat_map(|l| &l.args);
        logged.for_each(|e| fields(e, &mut share));
        for op in &p.header_ops {
            let mut of = |h: &HeaderRef| {
                if let HeaderRef::Indexed(_, index) = h {
                    fields(index, &mut share);
                }
            };
            match op {
                HeaderOp::Add(h) | HeaderOp::Remove(h) => of(h),
                HeaderOp::Assign(d, a) => {
                    of(d);
                    of(a);
                }
                HeaderOp::Shift { by, .. } => fields(by, &mut share),
                HeaderOp::CopyVar { d, a } => {
                    for v in [d, a] {
                        share(v.word, v.words);
                        share(v.length, 1);
                    }
                }
                HeaderOp::AssignStack { .. } => {}
            }
        }
        for store in &p.indexed_stores {
            share(store.from.word, limbs(store.from.width));
            fields(&store.index, &mut share);
        }
        for input in p.calcs.iter().flat_map(|c| &c.inputs) {
            if let CalcInput::Field { field, .. } = input {
                share(field.word, limbs(field.width));
            }
        }
        for op in p.parser.iter().flat_map(|s| &s.ops) {
            if let ParserOp::Lookahead { dst, .. } = op {
                share(dst.word, limbs(dst.width));
            }
        }
        for info in p.tables.iter().filter(|t| interpreted_table(t)) {
            info.layout.iter().for_each(|k| share(k.word, 1));
            for &action in &info.actions {
                let Ok(range) = extent(p, p.actions[action].pc) else {
                    // It has a loop, so that it is not clear where it ends.
                    share(0, n as u32);
                    continue;
                };
                for &ins in &p.code[range] {
                    let mut written = Vec::new();
                    let mut write = |w, n| written.push((w, n));
                    touched(p, ins, &mut share, &mut write);
                    written.into_iter().for_each(|(w, n)| share(w, n));
                }
            }
        }
        if beyond || params.end > n {
            return Err(Refusal::Malformed);
        }
        let locals = locals(p, &shared)?;
        let classes = (0..n).map(|w| {
            if locals.get(w) == Some(&true) {
                Class::Local
            } else if w < p.state_words {
                Class::Memory
            } else if params.contains(&w) {
                Class::Param((w - params.start) as u32)
            } else if written[w] && !shared[w] {
                Class::Temp
            } else if written[w] {
                Class::Memory
            } else {
                Class::Const(p.template[w])
            }
        });
        Ok(Self {
            classes: classes.collect(),
            state_words: p.state_words,
        })
    }

    /// The class of a word; a word that there is not is refused.
    pub fn of(&self, w: W) -> Result<Class, Refusal> {
        let found = self.classes.get(w as usize).copied();
        found.ok_or(Refusal::Malformed)
    }

    /// The variables of pipelines.
    pub fn locals(&self) -> impl Iterator<Item = W> {
        let words = (0..).zip(&self.classes);
        words.filter(|(_, c)| **c == Class::Local).map(|(w, _)| w)
    }

    /// The words of the state that are in the word array, as ranges. Variables between two such
    /// words that are near each other are taken along.
    pub fn kept(&self) -> Vec<Range<usize>> {
        let mut ranges: Vec<Range<usize>> = Vec::new();
        let words = self.classes.iter().take(self.state_words).enumerate();
        for (w, _) in words.filter(|(_, c)| **c != Class::Local) {
            match ranges.last_mut() {
                Some(last) if w - last.end <= MAX_GAP => last.end = w + 1,
                _ => ranges.push(w..w + 1),
            }
        }
        ranges
    }

    /// Whether a range of words is part of a packet's state.
    pub fn state(&self, w: W, n: u32) -> Result<(), Refusal> {
        if w as usize + n as usize <= self.state_words {
            Ok(())
        } else {
            Err(Refusal::Malformed)
        }
    }
}
