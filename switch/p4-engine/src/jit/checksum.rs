// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Checksums: to verify after the parser, to update before the deparser.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::I64;
use cranelift_codegen::ir::{InstBuilder, Value};

use super::emit::{Emit, Result};
use super::raw::Helper;
use crate::program::{HashAlgo, SumPlan};
use crate::value::mask;

impl Emit<'_, '_> {
    /// Whether a checksum is wrong, as a word. `at`: bytes before the payload.
    pub fn verify(&mut self, at: Value) -> Result<Value> {
        let p = self.p;
        let bad = self.b.declare_var(I64);
        let zero = self.number(0);
        self.b.def_var(bad, zero);
        for c in &p.verify {
            let (check, after) = (self.b.create_block(), self.b.create_block());
            let valid = self.word(c.target_valid)?;
            let valid = self.b.ins().icmp_imm(IntCC::Equal, valid, 1);
            self.branch(valid, check, after);
            self.enter(check);
            if let Some((pc, word)) = c.condition {
                self.block(pc, None)?;
                let holds = self.word(word)?;
                let sum = self.b.create_block();
                self.branch(holds, sum, after);
                self.enter(sum);
            }
            let sum = self.calculation(c.calc, at)?;
            let target = self.word(c.target.word)?;
            let wrong = self.compare(IntCC::NotEqual, sum, target);
            let before = self.b.use_var(bad);
            let wrong = self.b.ins().bor(before, wrong);
            self.b.def_var(bad, wrong);
            self.jump(after);
            self.enter(after);
        }
        Ok(self.b.use_var(bad))
    }

    /// Updates checksums. `at`: bytes before the payload.
    pub fn update(&mut self, at: Value) -> Result<()> {
        let p = self.p;
        for c in &p.update {
            let after = self.b.create_block();
            if let Some((pc, word)) = c.condition {
                self.block(pc, None)?;
                let holds = self.word(word)?;
                let sum = self.b.create_block();
                self.branch(holds, sum, after);
                self.enter(sum);
            }
            let sum = self.calculation(c.calc, at)?;
            let sum = self.cut(sum, mask(c.target.width));
            self.set_word(c.target.word, sum)?;
            self.jump(after);
            self.enter(after);
        }
        Ok(())
    }

    fn calculation(&mut self, calc: u32, at: Value) -> Result<Value> {
        let c = &self.p.calcs[calc as usize];
        let number = self.number(calc.into());
        let plan = c.plan.as_ref().filter(|_| !c.with_payload);
        let Some(plan) = plan.filter(|_| c.algo == HashAlgo::Csum16) else {
            return Ok(self.call(Helper::Calculate, &[number, at]));
        };
        let (short, long, done) = (self.b.create_block(), self.cold(), self.b.create_block());
        let result = self.b.append_block_param(done, I64);
        let valid = self.word(plan.valid)?;
        let valid = self.b.ins().icmp_imm(IntCC::Equal, valid, 1);
        self.branch(valid, short, long);
        self.enter(long);
        let sum = self.call(Helper::Calculate, &[number, at]);
        self.b.ins().jump(done, &[sum.into()]);
        self.enter(short);
        let sum = self.internet_checksum(plan)?;
        self.b.ins().jump(done, &[sum.into()]);
        self.enter(done);
        Ok(result)
    }

    /// RFC 1071, as `Machine::sum_words` computes it.
    fn internet_checksum(&mut self, plan: &SumPlan) -> Result<Value> {
        self.count(plan.words.len())?;
        let mut sum = self.number(0);
        for &(word, shift) in &plan.words {
            let v = self.word(word)?;
            let v = self.b.ins().ishl_imm(v, i64::from(shift));
            sum = self.b.ins().iadd(sum, v);
        }
        // 2^16 = 1 modulo 2^16 - 1: fold 64 bits to 33, these to 18, 17 and 16.
        for bits in [32, 16, 16, 16] {
            let high = self.b.ins().ushr_imm(sum, bits);
            let low = self.cut(sum, mask(bits as u32));
            sum = self.b.ins().iadd(low, high);
        }
        let sum = self.b.ins().bnot(sum);
        Ok(self.cut(sum, 0xffff))
    }
}
