// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! The deparser: writes the valid headers one after the other to a buffer.

use cranelift_codegen::ir::types::I64;
use cranelift_codegen::ir::{InstBuilder, Value};

use super::emit::{Emit, Region, Result, env};
use super::raw::Helper;
use crate::program::{Header, Ir};
use crate::value::limbs;

/// Bytes behind the last header: each header is written in whole words.
const SLACK: usize = 8;

/// The most bytes that a header takes.
pub(super) fn room(h: &Header) -> usize {
    let var = h.var.and_then(|v| h.fields.get(v.index));
    h.bytes as usize + var.map_or(0, |f| limbs(f.width) as usize * 8)
}

/// The length of the buffer that a program's deparser needs.
pub(super) fn scratch(p: &Ir) -> usize {
    let headers = p.deparser.iter().map(|&h| &p.headers[h as usize]);
    headers.map(room).sum::<usize>() + SLACK
}

impl Emit<'_, '_> {
    /// Checksums and headers. `at`: bytes before the payload. Gives the length of the headers.
    pub fn deparser(&mut self, at: Value) -> Result<Value> {
        let p = self.p;
        self.update(at)?;
        if let Some(pc) = p.deparser_code {
            self.block(pc, None)?;
        }
        let out = self.fixed(env::OUT);
        let written = self.b.declare_var(I64);
        let zero = self.number(0);
        self.b.def_var(written, zero);
        for &header in &p.deparser {
            let h = &p.headers[header as usize];
            self.count(h.words as usize)?;
            let (write, after) = (self.b.create_block(), self.b.create_block());
            let valid = self.word(h.valid)?;
            self.branch(valid, write, after);
            self.enter(write);
            let from = self.b.use_var(written);
            let end = if h.var.is_some() {
                let header = self.number(header.into());
                self.call(Helper::EmitHeader, &[header, from])
            } else {
                let to = self.b.ins().iadd(out, from);
                self.header(h, to)?;
                self.b.ins().iadd_imm(from, i64::from(h.bytes))
            };
            self.b.def_var(written, end);
            self.jump(after);
            self.enter(after);
        }
        Ok(self.b.use_var(written))
    }

    /// Writes a header, in words of 64 bits.
    fn header(&mut self, h: &Header, to: Value) -> Result<()> {
        let mut word: Option<Value> = None;
        // Bits of `word` that are taken, and bytes that are written.
        let (mut taken, mut bytes) = (0, 0);
        for f in &h.fields {
            for i in (0..limbs(f.width)).rev() {
                let width = (f.width - 64 * i).min(64);
                let v = self.word(f.word + i)?;
                let free = 64 - taken;
                if width < free {
                    let part = self.b.ins().ishl_imm(v, i64::from(free - width));
                    word = Some(self.join(word, part));
                    taken += width;
                    continue;
                }
                let rest = width - free;
                let part = self.b.ins().ushr_imm(v, i64::from(rest));
                let full = self.join(word, part);
                self.write(full, to, bytes);
                bytes += 8;
                taken = rest;
                word = (rest > 0).then(|| self.b.ins().ishl_imm(v, i64::from(64 - rest)));
            }
        }
        if let Some(word) = word {
            self.write(word, to, bytes);
        }
        Ok(())
    }

    fn join(&mut self, word: Option<Value>, part: Value) -> Value {
        match word {
            Some(word) => self.b.ins().bor(word, part),
            None => part,
        }
    }

    fn write(&mut self, word: Value, to: Value, offset: i32) {
        let word = self.b.ins().bswap(word);
        self.store(Region::Packet, word, to, offset);
    }
}
