// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Instructions: each does exactly what `Machine::run` does.

use std::collections::BTreeMap;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::I64;
use cranelift_codegen::ir::{Block, InstBuilder, Value};

use super::Refusal;
use super::classes::{Class, evaluates, interpreted};
use super::emit::{Emit, Region, Result, env};
use super::raw::{self, Helper};
use crate::instructions::{Ins, Op, W};
use crate::program::{ActionInfo, Ir};
use crate::value::{limb_mask, limbs};

/// The instructions of the block of code at `pc`, its last `End` included.
pub(super) fn extent(p: &Ir, pc: u32) -> Result<std::ops::Range<usize>> {
    let first = pc as usize;
    let mut far = first;
    for (i, ins) in p.code.iter().enumerate().skip(first) {
        match *ins {
            Ins::Jump { pc: to } | Ins::JumpIfZero { pc: to, .. } => {
                if to as usize <= i {
                    return Err(Refusal::Malformed);
                }
                far = far.max(to as usize);
            }
            Ins::Back { .. } => return Err(Refusal::Loop),
            Ins::End if i >= far => return Ok(first..i + 1),
            _ => {}
        }
    }
    Err(Refusal::Malformed)
}

impl Emit<'_, '_> {
    /// Lays the action data out as its parameters.
    pub fn parameters(&mut self, action: &ActionInfo) -> Result<()> {
        let n: u32 = action.params.iter().map(|i| limbs(i.width)).sum();
        if n == 0 {
            return Ok(());
        }
        let code = &self.p.code[extent(self.p, action.pc)?];
        let in_memory = code.iter().any(|i| evaluates(self.p, *i));
        let data = self.env(env::DATA);
        for i in 0..n {
            let w = self.p.locals as u32 + i;
            if self.classes.of(w)? != Class::Param(i) {
                return Err(Refusal::Malformed);
            }
            let v = self.load(I64, Region::Other, data, (i * 8) as i32);
            self.define(w, v);
            if in_memory {
                self.spill(w, v);
            }
        }
        Ok(())
    }

    /// Translates the block of code at `pc`. `exit`: where the pipeline ends, if there is one.
    pub fn block(&mut self, pc: u32, exit: Option<Block>) -> Result<()> {
        let range = extent(self.p, pc)?;
        self.count(range.len())?;
        let code = &self.p.code[range.clone()];
        let mut targets = BTreeMap::new();
        for ins in code {
            if let Ins::Jump { pc } | Ins::JumpIfZero { pc, .. } = *ins {
                if !range.contains(&(pc as usize)) {
                    return Err(Refusal::Malformed);
                }
                targets
                    .entry(pc as usize)
                    .or_insert_with(|| self.b.create_block());
            }
        }
        let mut end = None;
        for (at, &ins) in range.clone().zip(code) {
            if let Some(&block) = targets.get(&at) {
                self.jump(block);
                self.enter(block);
            }
            let to = match ins {
                Ins::End if at + 1 == range.end => break,
                Ins::End => *end.get_or_insert_with(|| self.b.create_block()),
                Ins::Jump { pc } => targets[&(pc as usize)],
                Ins::JumpIfZero { a, pc } => {
                    let a = self.word(a)?;
                    let next = self.b.create_block();
                    self.branch(a, next, targets[&(pc as usize)]);
                    self.enter(next);
                    continue;
                }
                Ins::Exit => match exit {
                    Some(exit) => exit,
                    None => *end.get_or_insert_with(|| self.b.create_block()),
                },
                Ins::Assert { a } => {
                    let a = self.word(a)?;
                    let (next, failed) = (self.b.create_block(), self.cold());
                    self.branch(a, next, failed);
                    self.enter(failed);
                    let to = match exit {
                        Some(exit) => {
                            let yes = self.yes();
                            self.set_machine(raw::machine::ASSERT_FAILED, yes);
                            exit
                        }
                        None => *end.get_or_insert_with(|| self.b.create_block()),
                    };
                    self.jump(to);
                    self.enter(next);
                    continue;
                }
                _ => {
                    self.instruction(at as u32, ins)?;
                    continue;
                }
            };
            self.jump(to);
            // What follows is reached by jumps only.
            let next = self.b.create_block();
            self.enter(next);
        }
        if let Some(end) = end {
            self.jump(end);
            self.enter(end);
        }
        Ok(())
    }

    fn instruction(&mut self, pc: u32, ins: Ins) -> Result<()> {
        if interpreted(self.p, ins) {
            let pc = self.number(pc.into());
            self.call(Helper::Interpret, &[pc]);
            return Ok(());
        }
        let (d, v) = match ins {
            Ins::Calc { op, d, a, b, mask } => (d, self.calc(op, a, b, mask)?),
            Ins::Select { d, c, a, b } => {
                let (c, a, b) = (self.word(c)?, self.word(a)?, self.word(b)?);
                let c = self.condition(c);
                (d, self.b.ins().select(c, a, b))
            }
            Ins::Copy { d, a, n } => return self.copy(d, a, n),
            Ins::Slow { d, expr, width } => {
                let (expr, width) = (self.number(expr.into()), self.number(width.into()));
                (d, self.call(Helper::Evaluate, &[expr, width]))
            }
            Ins::RegRead {
                d,
                reg,
                index,
                width,
            } => return self.register_read(d, reg, index, width),
            Ins::RegWrite { reg, index, a } => return self.register_write(reg, index, a),
            Ins::Count { counter, index } => return self.count_packet(counter, index),
            Ins::Random { d, lo, hi, mask } => {
                let (lo, hi) = (self.word(lo)?, self.word(hi)?);
                let v = self.call(Helper::Random, &[lo, hi]);
                (d, self.cut(v, mask))
            }
            Ins::Hash {
                calc,
                d,
                base,
                size,
            } => {
                let calc = self.number(calc.into());
                let hash = self.call(Helper::Hash, &[calc]);
                let v = self.quotient(hash, size, |e, a, b| e.b.ins().urem(a, b))?;
                let base = self.word(base)?;
                (d, self.b.ins().iadd(base, v))
            }
            Ins::Meter {
                meter,
                index,
                d,
                mask,
            } => {
                let (meter, index, old) =
                    (self.number(meter.into()), self.word(index)?, self.word(d)?);
                // `old` is cut already: it is what an index out of bounds leaves.
                let v = self.call(Helper::Meter, &[meter, index, old]);
                (d, self.cut(v, mask))
            }
            Ins::AddHeader { header } => return self.add_header(header),
            Ins::RemoveHeader { header } => return self.remove_header(header),
            Ins::AssignHeader { d, a } => return self.assign_header(d, a),
            Ins::DropPort { d, mask } => {
                let port = self.machine(I64, raw::machine::DROP_PORT);
                (d, self.cut(port, mask))
            }
            // `block` does these, and `interpreted` says so of these.
            Ins::End
            | Ins::Exit
            | Ins::Assert { .. }
            | Ins::Jump { .. }
            | Ins::JumpIfZero { .. }
            | Ins::Back { .. }
            | Ins::Log { .. }
            | Ins::Truncate { .. }
            | Ins::Filter { .. }
            | Ins::HeaderOp { .. }
            | Ins::IndexedStore { .. }
            | Ins::Digest { .. }
            | Ins::Clone { .. }
            | Ins::Resubmit { .. }
            | Ins::Recirculate { .. } => return Err(Refusal::Malformed),
        };
        self.set_word(d, v)
    }

    /// The result of an operation, as `Op::apply` gives it.
    fn calc(&mut self, op: Op, a: W, b: W, mask: u64) -> Result<Value> {
        let v = match op {
            Op::Div => self.divide(a, b, |e, a, b| e.b.ins().udiv(a, b))?,
            Op::Mod => self.divide(a, b, |e, a, b| e.b.ins().urem(a, b))?,
            Op::Shl => self.shift(a, b, |e, a, n| e.b.ins().ishl(a, n))?,
            Op::Shr => self.shift(a, b, |e, a, n| e.b.ins().ushr(a, n))?,
            Op::Mov | Op::Not | Op::Min => {
                let a = self.word(a)?;
                match op {
                    Op::Not => self.b.ins().bnot(a),
                    _ => a,
                }
            }
            _ => {
                let (a, b) = (self.word(a)?, self.word(b)?);
                match op {
                    Op::Add => self.b.ins().iadd(a, b),
                    Op::Sub => self.b.ins().isub(a, b),
                    Op::Mul => self.b.ins().imul(a, b),
                    Op::And => self.b.ins().band(a, b),
                    Op::Or => self.b.ins().bor(a, b),
                    Op::Xor => self.b.ins().bxor(a, b),
                    Op::Eq => self.compare(IntCC::Equal, a, b),
                    Op::Ne => self.compare(IntCC::NotEqual, a, b),
                    Op::Lt => self.compare(IntCC::UnsignedLessThan, a, b),
                    Op::Le => self.compare(IntCC::UnsignedLessThanOrEqual, a, b),
                    Op::SatAdd => self.saturating_add(a, b),
                    _ => self.saturating_sub(a, b),
                }
            }
        };
        Ok(match op.cuts() {
            true if op.compares() && mask & 1 == 1 => v,
            true => self.cut(v, mask),
            false => self.min(v, mask),
        })
    }

    /// `a + b`, 2^64 - 1 at most.
    fn saturating_add(&mut self, a: Value, b: Value) -> Value {
        let sum = self.b.ins().iadd(a, b);
        let carry = self.b.ins().icmp(IntCC::UnsignedLessThan, sum, a);
        let most = self.number(u64::MAX);
        self.b.ins().select(carry, most, sum)
    }

    /// `a - b`, 0 at least.
    fn saturating_sub(&mut self, a: Value, b: Value) -> Value {
        let difference = self.b.ins().isub(a, b);
        let below = self.b.ins().icmp(IntCC::UnsignedLessThan, a, b);
        let zero = self.number(0);
        self.b.ins().select(below, zero, difference)
    }

    fn min(&mut self, v: Value, max: u64) -> Value {
        if max == u64::MAX {
            return v;
        }
        let max = self.number(max);
        let below = self.b.ins().icmp(IntCC::UnsignedLessThan, v, max);
        self.b.ins().select(below, v, max)
    }

    fn divide(
        &mut self,
        a: W,
        b: W,
        op: impl FnOnce(&mut Self, Value, Value) -> Value,
    ) -> Result<Value> {
        let a = self.word(a)?;
        self.quotient(a, b, op)
    }

    /// A division or remainder by a word; 0 if that is 0.
    fn quotient(
        &mut self,
        a: Value,
        b: W,
        op: impl FnOnce(&mut Self, Value, Value) -> Value,
    ) -> Result<Value> {
        let zero = self.number(0);
        match self.constant(b)? {
            Some(0) => Ok(zero),
            Some(b) => {
                let b = self.number(b);
                Ok(op(self, a, b))
            }
            None => {
                let (b, one) = (self.word(b)?, self.number(1));
                let none = self.b.ins().icmp(IntCC::Equal, b, zero);
                // The division itself must not trap.
                let divisor = self.b.ins().select(none, one, b);
                let v = op(self, a, divisor);
                Ok(self.b.ins().select(none, zero, v))
            }
        }
    }

    /// A shift by a word; 0 from 64 bits on.
    fn shift(
        &mut self,
        a: W,
        n: W,
        op: impl FnOnce(&mut Self, Value, Value) -> Value,
    ) -> Result<Value> {
        let a = self.word(a)?;
        match self.constant(n)? {
            Some(64..) => Ok(self.number(0)),
            Some(n) => {
                let n = self.number(n);
                Ok(op(self, a, n))
            }
            None => {
                let (n, limit, zero) = (self.word(n)?, self.number(64), self.number(0));
                let fits = self.b.ins().icmp(IntCC::UnsignedLessThan, n, limit);
                // Cranelift shifts by the amount modulo 64.
                let v = op(self, a, n);
                Ok(self.b.ins().select(fits, v, zero))
            }
        }
    }

    fn copy(&mut self, d: W, a: W, n: u32) -> Result<()> {
        let values = (a..a + n)
            .map(|w| self.word(w))
            .collect::<Result<Vec<_>>>()?;
        for (w, v) in (d..d + n).zip(values) {
            self.set_word(w, v)?;
        }
        Ok(())
    }

    /// The address of a cell, from the list of arrays at `list`.
    fn cell(&mut self, list: i32, array: u32, index: Value, size: i64) -> Result<Value> {
        let offset = i32::try_from(u64::from(array) * 8).map_err(|_| Refusal::TooLarge)?;
        let list = self.fixed(list);
        let first = self.fixed_at(list, offset);
        let index = self.b.ins().imul_imm(index, size);
        Ok(self.b.ins().iadd(first, index))
    }

    /// Of a register whose cells take one word.
    fn register_read(&mut self, d: W, reg: u32, index: W, width: u32) -> Result<()> {
        let info = &self.p.registers[reg as usize];
        let size = info.size as u64;
        if size == 0 {
            return Ok(());
        }
        // A cell has no bits beyond its width.
        let cut = match width < info.width {
            true => limb_mask(width, 0),
            false => u64::MAX,
        };
        if let Some(i) = self.constant(index)? {
            if i < size {
                let i = self.number(i);
                let cell = self.cell(env::REGISTERS, reg, i, 8)?;
                let v = self.load(I64, Region::Other, cell, 0);
                let v = self.cut(v, cut);
                self.set_word(d, v)?;
            }
            return Ok(());
        }
        // Out of bounds, read some cell and leave the destination as it is.
        let (i, size, zero, old) = (
            self.word(index)?,
            self.number(size),
            self.number(0),
            self.word(d)?,
        );
        let within = self.b.ins().icmp(IntCC::UnsignedLessThan, i, size);
        let i = self.b.ins().select(within, i, zero);
        let cell = self.cell(env::REGISTERS, reg, i, 8)?;
        let v = self.load(I64, Region::Other, cell, 0);
        let v = self.cut(v, cut);
        let v = self.b.ins().select(within, v, old);
        self.set_word(d, v)
    }

    /// Of a register whose cells take one word.
    fn register_write(&mut self, reg: u32, index: W, a: W) -> Result<()> {
        let info = &self.p.registers[reg as usize];
        let (size, cut) = (info.size as u64, limb_mask(info.width, 0));
        let (i, v) = (self.word(index)?, self.word(a)?);
        let v = self.cut(v, cut);
        self.within(i, size, |e| {
            let cell = e.cell(env::REGISTERS, reg, i, 8)?;
            e.store(Region::Other, v, cell, 0);
            Ok(())
        })
    }

    fn count_packet(&mut self, counter: u32, index: W) -> Result<()> {
        use raw::counter::{BYTES, PACKETS, SIZE};
        use raw::machine::INGRESS_LENGTH;
        let size = self.p.counters[counter as usize].size as u64;
        let i = self.word(index)?;
        self.within(i, size, |e| {
            let cell = e.cell(env::COUNTERS, counter, i, SIZE)?;
            let packets = e.load(I64, Region::Other, cell, PACKETS);
            let packets = e.b.ins().iadd_imm(packets, 1);
            e.store(Region::Other, packets, cell, PACKETS);
            let length = e.machine(cranelift_codegen::ir::types::I32, INGRESS_LENGTH);
            let length = e.b.ins().uextend(I64, length);
            let bytes = e.load(I64, Region::Other, cell, BYTES);
            let bytes = e.b.ins().iadd(bytes, length);
            e.store(Region::Other, bytes, cell, BYTES);
            Ok(())
        })
    }

    /// Does something only if an index is below `size`.
    fn within(
        &mut self,
        index: Value,
        size: u64,
        then: impl FnOnce(&mut Self) -> Result<()>,
    ) -> Result<()> {
        let (inside, after) = (self.b.create_block(), self.b.create_block());
        let size = self.number(size);
        let c = self.b.ins().icmp(IntCC::UnsignedLessThan, index, size);
        self.branch(c, inside, after);
        self.enter(inside);
        then(self)?;
        self.jump(after);
        self.enter(after);
        Ok(())
    }

    /// Adds to the length of the packet.
    fn lengthen(&mut self, bytes: i64) {
        let length = self.machine(I64, raw::machine::LENGTH);
        let length = self.b.ins().iadd_imm(length, bytes);
        self.set_machine(raw::machine::LENGTH, length);
    }

    /// Makes all other members of the header's union invalid.
    pub fn only_member(&mut self, header: u32) -> Result<()> {
        let Some(union) = self.p.headers[header as usize].union else {
            return Ok(());
        };
        for &other in &self.p.unions[union as usize] {
            if other != header {
                let zero = self.number(0);
                self.set_word(self.p.headers[other as usize].valid, zero)?;
            }
        }
        Ok(())
    }

    fn add_header(&mut self, header: u32) -> Result<()> {
        let h = &self.p.headers[header as usize];
        self.classes.state(h.first, h.words)?;
        let (add, after) = (self.b.create_block(), self.b.create_block());
        let valid = self.word(h.valid)?;
        self.branch(valid, after, add);
        self.enter(add);
        let (zero, one) = (self.number(0), self.number(1));
        for w in h.first..h.first + h.words {
            self.set_word(w, zero)?;
        }
        self.set_word(h.valid, one)?;
        self.lengthen(h.bytes.into());
        self.only_member(header)?;
        self.jump(after);
        self.enter(after);
        Ok(())
    }

    /// Of a header without a variable-length field.
    fn remove_header(&mut self, header: u32) -> Result<()> {
        let h = &self.p.headers[header as usize];
        let (remove, after) = (self.b.create_block(), self.b.create_block());
        let valid = self.word(h.valid)?;
        let c = self.b.ins().icmp_imm(IntCC::Equal, valid, 1);
        self.branch(c, remove, after);
        self.enter(remove);
        let zero = self.number(0);
        self.set_word(h.valid, zero)?;
        self.lengthen(-i64::from(h.bytes));
        self.jump(after);
        self.enter(after);
        Ok(())
    }

    fn assign_header(&mut self, d: u32, a: u32) -> Result<()> {
        let (dst, src) = (&self.p.headers[d as usize], &self.p.headers[a as usize]);
        self.classes.state(dst.first, dst.words)?;
        self.classes.state(src.first, src.words)?;
        let valid = self.word(src.valid)?;
        self.set_word(dst.valid, valid)?;
        let (assign, after) = (self.b.create_block(), self.b.create_block());
        let c = self.b.ins().icmp_imm(IntCC::Equal, valid, 1);
        self.branch(c, assign, after);
        self.enter(assign);
        self.copy(dst.first, src.first, src.words)?;
        self.only_member(d)?;
        self.jump(after);
        self.enter(after);
        Ok(())
    }
}
