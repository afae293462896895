// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! The parser: the states as blocks of one function, with the checksums to verify after them.
//!
//! States that extract to stacks or variable-length headers, or look into value sets, are
//! interpreted one by one.

use std::collections::BTreeSet;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::{I8, I16, I32, I64};
use cranelift_codegen::ir::{Block, InstBuilder, Type, Value};
use cranelift_frontend::{Switch, Variable};

use super::Refusal;
use super::emit::{Emit, Region, Result, env};
use super::raw::{Helper, NOTHING};
use crate::exec::MAX_IDLE_STATES;
use crate::program::{ExtractTo, NONE, ParserOp, ParserState, SelectKey};
use crate::value::{limbs, mask};

/// Longest header or lookahead in bytes, so that offsets are small numbers.
const MAX_BYTES: u32 = 1 << 16;

/// What the states have in common.
struct Parsing {
    /// Bytes that have been consumed.
    at: Variable,
    error: Variable,
    /// States in a row that consumed nothing; only if that may become too many.
    idle: Option<Variable>,
    blocks: Vec<Option<Block>>,
    failed: Block,
    done: Block,
}

impl Parsing {
    fn block(&self, state: u32) -> Result<Block> {
        if state == NONE {
            return Ok(self.done);
        }
        let found = self.blocks.get(state as usize).copied().flatten();
        found.ok_or(Refusal::Malformed)
    }
}

/// Whether the interpreter does a state.
fn interpreted(s: &ParserState) -> bool {
    let op = |op: &ParserOp| match op {
        ParserOp::Extract { to, var } => var.is_some() || matches!(to, ExtractTo::Next { .. }),
        ParserOp::NeedLast { .. } => true,
        _ => false,
    };
    s.ops.iter().any(op)
        || s.key.iter().any(|k| matches!(k, SelectKey::Last { .. }))
        || s.cases.iter().any(|c| c.set.is_some())
}

impl Emit<'_, '_> {
    /// The whole parser; gives the number of bytes that were consumed.
    pub fn parser(&mut self) -> Result<Value> {
        let p = self.p;
        let (at, error) = (self.b.declare_var(I64), self.b.declare_var(I64));
        let (order, loops) = self.states()?;
        let mut parsing = Parsing {
            at,
            error,
            idle: None,
            blocks: vec![None; p.parser.len()],
            failed: self.b.create_block(),
            done: self.b.create_block(),
        };
        let zero = self.number(0);
        self.b.def_var(at, zero);
        let no_error = self.number(p.errors.no_error);
        self.b.def_var(error, no_error);
        if loops || order.len() > MAX_IDLE_STATES as usize {
            let idle = self.b.declare_var(I64);
            self.b.def_var(idle, zero);
            parsing.idle = Some(idle);
        }
        for &s in &order {
            parsing.blocks[s as usize] = Some(self.b.create_block());
        }
        let start = parsing.block(p.parser_start)?;
        self.jump(start);
        for &s in &order {
            let block = parsing.block(s)?;
            self.enter_loop(block);
            self.state(&parsing, s)?;
        }
        self.enter_loop(parsing.failed);
        self.jump(parsing.done);
        self.enter_loop(parsing.done);
        let at = self.b.use_var(parsing.at);
        let bad = self.verify(at)?;
        if let Some(f) = p.meta.parser_error {
            let error = self.b.use_var(parsing.error);
            let error = self.cut(error, mask(f.width));
            self.set_word(f.word, error)?;
        }
        if let Some(f) = p.meta.checksum_error {
            self.set_word(f.word, bad)?;
        }
        Ok(at)
    }

    /// The states that can be reached, and whether there is a loop among them.
    fn states(&self) -> Result<(Vec<u32>, bool)> {
        let next = |s: u32| -> Vec<u32> {
            let s = &self.p.parser[s as usize];
            let all = s.cases.iter().map(|c| c.next).chain([s.default]);
            all.filter(|&n| n != NONE).collect()
        };
        let mut order = Vec::new();
        let mut loops = false;
        // Depth first; 1: on the path, 2: done.
        let mut mark = vec![0u8; self.p.parser.len()];
        let mut path = vec![(NONE, vec![self.p.parser_start])];
        if self.p.parser_start == NONE {
            return Ok((order, loops));
        }
        while let Some((s, rest)) = path.last_mut() {
            match rest.pop() {
                Some(n) => match mark.get(n as usize) {
                    Some(0) => {
                        mark[n as usize] = 1;
                        order.push(n);
                        path.push((n, next(n)));
                    }
                    Some(1) => loops = true,
                    Some(_) => {}
                    None => return Err(Refusal::Malformed),
                },
                None => {
                    if let Some(m) = mark.get_mut(*s as usize) {
                        *m = 2;
                    }
                    path.pop();
                }
            }
        }
        Ok((order, loops))
    }

    /// Ends the parser with an error.
    fn fail(&mut self, parsing: &Parsing, code: u64) {
        let code = self.number(code);
        self.b.def_var(parsing.error, code);
        self.jump(parsing.failed);
    }

    /// Goes to a state that follows one that began at `before`.
    fn follow(&mut self, parsing: &Parsing, before: Value, state: u32) -> Result<()> {
        let to = parsing.block(state)?;
        if let Some(idle) = parsing.idle
            && state != NONE
        {
            let (at, n) = (self.b.use_var(parsing.at), self.b.use_var(idle));
            let stays = self.b.ins().icmp(IntCC::Equal, at, before);
            let (more, zero) = (self.b.ins().iadd_imm(n, 1), self.number(0));
            let n = self.b.ins().select(stays, more, zero);
            self.b.def_var(idle, n);
            let limit = self.number(MAX_IDLE_STATES.into());
            let late = self.b.ins().icmp(IntCC::UnsignedGreaterThan, n, limit);
            let timeout = self.cold();
            self.branch(late, timeout, to);
            self.enter(timeout);
            self.fail(parsing, self.p.errors.parser_timeout);
            return Ok(());
        }
        self.jump(to);
        Ok(())
    }

    fn state(&mut self, parsing: &Parsing, state: u32) -> Result<()> {
        let s = &self.p.parser[state as usize];
        self.count(1 + s.ops.len() + s.cases.iter().map(|c| c.words.len()).sum::<usize>())?;
        let before = self.b.use_var(parsing.at);
        if interpreted(s) {
            return self.interpreted_state(parsing, state, before);
        }
        for op in &s.ops {
            self.parser_op(parsing, op)?;
        }
        if s.key.is_empty() {
            return self.follow(parsing, before, s.default);
        }
        let mut key = Vec::new();
        let data = match u32::try_from(s.key_bytes).map_err(|_| Refusal::TooLarge)? {
            0 => None,
            n => {
                let n = self.number(n.into());
                Some(self.demand(parsing, n)?)
            }
        };
        for k in &s.key {
            match (k, data) {
                (&SelectKey::Field { word, limbs }, _) => {
                    for w in word..word + limbs {
                        key.push(self.word(w)?);
                    }
                }
                (&SelectKey::Lookahead { offset, width }, Some(data)) => {
                    let bytes = s.key_bytes as u32;
                    key.extend(self.read(data, offset, width, limbs(width), bytes)?);
                }
                _ => return Err(Refusal::Malformed),
            }
        }
        for case in &s.cases {
            let mut all = None;
            for (&(v, m), &k) in case.words.iter().zip(&key) {
                if m == 0 {
                    // `v` is within the mask: any key fits.
                    continue;
                }
                let (k, v) = (self.cut(k, m), self.number(v));
                let c = self.b.ins().icmp(IntCC::Equal, k, v);
                all = Some(match all {
                    None => c,
                    Some(before) => self.b.ins().band(before, c),
                });
            }
            let Some(all) = all else {
                return self.follow(parsing, before, case.next);
            };
            let (matched, other) = (self.b.create_block(), self.b.create_block());
            self.branch(all, matched, other);
            self.enter(matched);
            self.follow(parsing, before, case.next)?;
            self.enter(other);
        }
        if s.no_match {
            self.fail(parsing, self.p.errors.no_match);
            return Ok(());
        }
        self.follow(parsing, before, s.default)
    }

    fn interpreted_state(&mut self, parsing: &Parsing, state: u32, before: Value) -> Result<()> {
        let s = &self.p.parser[state as usize];
        let number = self.number(state.into());
        let next = self.call(Helper::ParseState, &[number, before]);
        let at = self.env(env::AT);
        self.b.def_var(parsing.at, at);
        let failed = self.b.create_block();
        let mut choice = Switch::new();
        let mut arms = Vec::new();
        let all: BTreeSet<u32> = s.cases.iter().map(|c| c.next).chain([s.default]).collect();
        for n in all {
            let arm = self.b.create_block();
            choice.set_entry(n.into(), arm);
            arms.push((n, arm));
        }
        choice.emit(&mut self.b, next, failed);
        for (n, arm) in arms {
            self.enter(arm);
            self.follow(parsing, before, n)?;
        }
        self.enter(failed);
        debug_assert_eq!(NOTHING, u64::MAX, "no state has this number");
        let error = self.env(env::ERROR);
        self.b.def_var(parsing.error, error);
        self.jump(parsing.failed);
        Ok(())
    }

    /// The address of what follows, `n` bytes of which are there; else an error.
    fn demand(&mut self, parsing: &Parsing, n: Value) -> Result<Value> {
        let at = self.b.use_var(parsing.at);
        let end = self.b.ins().iadd(at, n);
        let len = self.env(env::LEN);
        let (there, missing, short) = (self.b.create_block(), self.cold(), self.cold());
        let c = self.b.ins().icmp(IntCC::UnsignedLessThanOrEqual, end, len);
        self.branch(c, there, missing);
        self.enter(missing);
        let made = self.call(Helper::Need, &[end]);
        self.branch(made, there, short);
        self.enter(short);
        self.fail(parsing, self.p.errors.packet_too_short);
        self.enter(there);
        let bytes = self.env(env::BYTES);
        Ok(self.b.ins().iadd(bytes, at))
    }

    fn advance(&mut self, parsing: &Parsing, n: Value) {
        let at = self.b.use_var(parsing.at);
        let at = self.b.ins().iadd(at, n);
        self.b.def_var(parsing.at, at);
    }

    fn parser_op(&mut self, parsing: &Parsing, op: &ParserOp) -> Result<()> {
        match *op {
            ParserOp::Extract {
                to: ExtractTo::Header(header),
                var: None,
            } => {
                let h = &self.p.headers[header as usize];
                self.count(h.words as usize)?;
                let n = self.number(h.bytes.into());
                let data = self.demand(parsing, n)?;
                let mut offset = 0;
                for f in &h.fields {
                    let values = self.read(data, offset, f.width, limbs(f.width), h.bytes)?;
                    for (i, v) in values.into_iter().enumerate() {
                        self.set_word(f.word + i as u32, v)?;
                    }
                    offset += f.width;
                }
                let one = self.number(1);
                self.set_word(h.valid, one)?;
                self.only_member(header)?;
                self.advance(parsing, n);
            }
            ParserOp::Extract { .. } | ParserOp::NeedLast { .. } => return Err(Refusal::Malformed),
            ParserOp::Code { pc } => self.block(pc, None)?,
            ParserOp::Lookahead { offset, width, dst } => {
                let bytes = (offset + width).div_ceil(8);
                let n = self.number(bytes.into());
                let data = self.demand(parsing, n)?;
                // A wider source keeps its low bits, a narrower one is padded.
                let take = width.min(dst.width);
                let from = offset + width - take;
                let values = self.read(data, from, take, limbs(dst.width), bytes)?;
                for (i, v) in values.into_iter().enumerate() {
                    self.set_word(dst.word + i as u32, v)?;
                }
            }
            ParserOp::Verify {
                pc,
                condition,
                error,
            } => {
                self.block(pc, None)?;
                let (c, code) = (self.word(condition)?, self.word(error)?);
                let (failed, next) = (self.b.create_block(), self.b.create_block());
                self.branch(c, next, failed);
                self.enter(failed);
                self.b.def_var(parsing.error, code);
                self.jump(parsing.failed);
                self.enter(next);
            }
            ParserOp::Advance { pc, bits } => {
                self.block(pc, None)?;
                let bits = self.word(bits)?;
                let (odd, even) = (self.cold(), self.b.create_block());
                let part = self.cut(bits, 7);
                self.branch(part, odd, even);
                self.enter(odd);
                self.fail(parsing, self.p.errors.invalid_argument);
                self.enter(even);
                // At most 2^61: the sum with what was consumed does not overflow.
                let n = self.b.ins().ushr_imm(bits, 3);
                self.demand(parsing, n)?;
                self.advance(parsing, n);
            }
        }
        Ok(())
    }

    /// Reads `width` bits that begin `offset` bits into the `bytes` bytes at `data`, as `n` words,
    /// the least significant first.
    fn read(
        &mut self,
        data: Value,
        offset: u32,
        width: u32,
        n: u32,
        bytes: u32,
    ) -> Result<Vec<Value>> {
        if bytes > MAX_BYTES || offset + width > bytes * 8 {
            return Err(Refusal::TooLarge);
        }
        let mut left = width;
        let mut words = Vec::new();
        for _ in 0..n {
            let part = left.min(64);
            left -= part;
            words.push(match part {
                0 => self.number(0),
                _ => self.bits(data, offset + left, part, bytes),
            });
        }
        Ok(words)
    }

    /// Reads `width` (1 to 64) bits.
    fn bits(&mut self, data: Value, offset: u32, width: u32, bytes: u32) -> Value {
        // The shortest window of 1, 2, 4 or 8 bytes that has them and is within the bytes.
        for size in [1, 2, 4, 8u32] {
            if size > bytes {
                break;
            }
            let start = (offset / 8).min(bytes - size);
            if start * 8 <= offset && offset + width <= (start + size) * 8 {
                let v = self.big_endian(data, start, size);
                let after = (start + size) * 8 - offset - width;
                let v = match after {
                    0 => v,
                    n => self.b.ins().ushr_imm(v, i64::from(n)),
                };
                let before = offset - start * 8;
                return if before == 0 {
                    v
                } else {
                    self.cut(v, mask(width))
                };
            }
        }
        // Two parts, the first of which ends with a byte.
        let end = offset + width;
        let split = match end.div_ceil(8) * 8 - 8 {
            // All in windows of 8 bytes but for what is in the last byte.
            s if width > 56 => s,
            _ => (offset / 8 + 1) * 8,
        };
        let high = self.bits(data, offset, split - offset, bytes);
        let low = self.bits(data, split, end - split, bytes);
        let high = self.b.ins().ishl_imm(high, i64::from(end - split));
        self.b.ins().bor(high, low)
    }

    /// A number of 1, 2, 4 or 8 bytes in network order.
    fn big_endian(&mut self, data: Value, start: u32, size: u32) -> Value {
        let ty: Type = match size {
            1 => I8,
            2 => I16,
            4 => I32,
            _ => I64,
        };
        let v = self.load(ty, Region::Packet, data, start as i32);
        let v = if size > 1 { self.b.ins().bswap(v) } else { v };
        if size < 8 {
            self.b.ins().uextend(I64, v)
        } else {
            v
        }
    }
}
