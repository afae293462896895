// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Parser and deparser: from packet bytes to words and back; checksums are beside them.

use super::bits::Writer;
use super::{Machine, bits};
use crate::instructions;
use crate::packet::Packet;
use crate::program::{
    ExtractTo, Header, Ir, KeyTest, NONE, ParserOp, ParserState, SelectCase, SelectKey, VarField,
};
use crate::trace::{ParserStep, Watch};
use crate::value::{Value, limbs, mask};

/// A parser that has not consumed a byte for this many states in a row is in a loop.
pub(crate) const MAX_IDLE_STATES: u32 = 256;

/// Room for a header and what is read beyond it.
const PADDED: usize = 96;

impl Machine {
    /// Parses `packet` and verifies checksums. Returns the number of bytes that were consumed.
    pub fn parse(&mut self, p: &Ir, packet: &mut Packet, watch: &mut impl Watch) -> usize {
        let mut at = 0;
        let mut state = p.parser_start;
        let mut error = p.errors.no_error;
        let mut idle = 0;
        while state != NONE {
            let before = at;
            watch.step(|| ParserStep::State(state as usize));
            match self.parse_state(p, state, packet, &mut at, watch) {
                Ok(next) => state = next,
                Err(code) => {
                    error = code;
                    break;
                }
            }
            idle = if at == before { idle + 1 } else { 0 };
            if idle > MAX_IDLE_STATES {
                error = p.errors.parser_timeout;
                break;
            }
        }
        watch.step(|| ParserStep::End { error, bytes: at });
        let mut bad = false;
        for c in &p.verify {
            if self.w[c.target_valid as usize] == 1 && self.holds(p, c.condition) {
                let sum = self.calculate(p, c.calc, &packet.bytes[at..], packet.payload_len);
                bad |= sum != self.w[c.target.word as usize];
            }
        }
        if let Some(f) = p.meta.parser_error {
            self.w[f.word as usize] = error & mask(f.width);
        }
        if let Some(f) = p.meta.checksum_error {
            self.w[f.word as usize] = bad.into();
        }
        at
    }

    fn holds(&mut self, p: &Ir, condition: Option<(u32, u32)>) -> bool {
        condition.is_none_or(|(pc, word)| {
            self.run(p, pc);
            self.w[word as usize] != 0
        })
    }

    /// Runs one parser state; gives the next state, or the code of an error.
    pub fn parse_state(
        &mut self,
        p: &Ir,
        state: u32,
        packet: &mut Packet,
        at: &mut usize,
        watch: &mut impl Watch,
    ) -> Result<u32, u64> {
        let s = &p.parser[state as usize];
        let need = |packet: &mut Packet, at: usize, n: usize| {
            if packet.bytes.len() >= at + n {
                Ok(())
            } else if packet.len() as usize >= at + n {
                packet.materialise(at + n);
                Ok(())
            } else {
                Err(p.errors.packet_too_short)
            }
        };
        for op in &s.ops {
            match op {
                ParserOp::Extract {
                    to,
                    var: Some((pc, bits)),
                } => {
                    let header = self.extract_target(p, *to)?;
                    self.run(p, *pc);
                    let n = self.w[*bits as usize];
                    let h = &p.headers[header as usize];
                    let Some(var) = h.var else { continue };
                    if !n.is_multiple_of(8) {
                        return Err(p.errors.invalid_argument);
                    }
                    // As in `simple_switch`, the packet is looked at before the type.
                    let bytes = h.bytes as usize + n as usize / 8;
                    need(packet, *at, bytes)?;
                    if n > var.max.into() {
                        return Err(p.errors.header_too_short);
                    }
                    self.read_var(h, var, n as u32, &packet.bytes[*at..]);
                    self.w[h.valid as usize] = 1;
                    self.extracted(p, *to, header);
                    watch.step(|| ParserStep::extracted(header, bytes));
                    *at += bytes;
                }
                ParserOp::NeedLast { stack } => {
                    if self.w[p.stacks[*stack as usize].next as usize] == 0 {
                        return Err(p.errors.stack_out_of_bounds);
                    }
                }
                ParserOp::Extract { to, var: None } => {
                    let header = self.extract_target(p, *to)?;
                    let h = &p.headers[header as usize];
                    need(packet, *at, h.bytes as usize)?;
                    let mut data = &packet.bytes[*at..];
                    // Fields are read from windows of 8 bytes: let there be some after the header.
                    let mut padded = [0; PADDED];
                    let bytes = h.bytes as usize;
                    if data.len() < bytes + 8 && bytes + 8 <= PADDED {
                        padded[..bytes].copy_from_slice(&data[..bytes]);
                        data = &padded;
                    }
                    let mut offset = 0;
                    for f in &h.fields {
                        if f.width <= 64 {
                            self.w[instructions::at(f.word)] = bits::read(data, offset, f.width);
                        } else {
                            let to = &mut self.w[f.word as usize..][..limbs(f.width) as usize];
                            bits::read_limbs(data, offset, f.width, to);
                        }
                        offset += f.width as usize;
                    }
                    self.w[h.valid as usize] = 1;
                    self.extracted(p, *to, header);
                    watch.step(|| ParserStep::extracted(header, bytes));
                    *at += bytes;
                }
                ParserOp::Code { pc } => self.run(p, *pc),
                ParserOp::Lookahead { offset, width, dst } => {
                    need(packet, *at, (*offset + *width).div_ceil(8) as usize)?;
                    let data = &packet.bytes[*at..];
                    let n = limbs(dst.width) as usize;
                    // A wider source keeps its low bits, a narrower one is padded.
                    let take = (*width).min(dst.width);
                    let from = (*offset + *width - take) as usize;
                    bits::read_limbs(data, from, take, &mut self.w[dst.word as usize..][..n]);
                }
                ParserOp::Verify {
                    pc,
                    condition,
                    error,
                } => {
                    self.run(p, *pc);
                    let holds = self.w[*condition as usize] != 0;
                    watch.step(|| ParserStep::Verified(holds));
                    if !holds {
                        return Err(self.w[*error as usize]);
                    }
                }
                ParserOp::Advance { pc, bits } => {
                    self.run(p, *pc);
                    let n = self.w[*bits as usize];
                    if !n.is_multiple_of(8) {
                        return Err(p.errors.invalid_argument);
                    }
                    // Longer than any packet: too short without moving.
                    let n = usize::try_from(n / 8).unwrap_or(usize::MAX).min(1 << 32);
                    need(packet, *at, n)?;
                    *at += n;
                }
            }
        }
        if s.key.is_empty() {
            return Ok(s.default);
        }
        need(packet, *at, s.key_bytes)?;
        let mut key = std::mem::take(&mut self.select);
        key.clear();
        for k in &s.key {
            match *k {
                SelectKey::Field { word, limbs } => {
                    key.extend_from_slice(&self.w[word as usize..(word + limbs) as usize]);
                }
                SelectKey::Last {
                    stack,
                    array,
                    field,
                    limbs,
                } => {
                    let h = match self.last_of(p, stack, array) {
                        Ok(h) => h,
                        Err(code) => {
                            self.select = key;
                            return Err(code);
                        }
                    };
                    let word = p.headers[h as usize].fields[field as usize].word;
                    key.extend_from_slice(&self.w[word as usize..(word + limbs) as usize]);
                }
                SelectKey::Lookahead { offset, width } => {
                    let n = key.len();
                    key.resize(n + limbs(width) as usize, 0);
                    bits::read_limbs(&packet.bytes[*at..], offset as usize, width, &mut key[n..]);
                }
            }
        }
        watch.step(|| ParserStep::Selecting(Self::key_of(s, &key)));
        let matches = |c: &&SelectCase| match c.set {
            None => c.words.iter().zip(&key).all(|(&(v, m), &k)| k & m == v),
            Some(set) => self.value_sets[set as usize]
                .iter()
                .any(|member| in_set(member, &c.words, &key)),
        };
        let next = match s.cases.iter().find(matches) {
            Some(case) => Ok(case.next),
            None if s.no_match => Err(p.errors.no_match),
            None => Ok(s.default),
        };
        self.select = key;
        next
    }

    /// The key of a state's `select`, component by component.
    fn key_of(s: &ParserState, key: &[u64]) -> Vec<Value> {
        let mut rest = key;
        let mut take = |n: u32| {
            let (value, after) = rest.split_at(rest.len().min(n as usize));
            rest = after;
            Value::from_limbs(value)
        };
        let width = |k: &SelectKey| match *k {
            SelectKey::Field { limbs, .. } | SelectKey::Last { limbs, .. } => limbs,
            SelectKey::Lookahead { width, .. } => limbs(width),
        };
        s.key.iter().map(|k| take(width(k))).collect()
    }

    /// What follows an extraction: a stack grows, other members of a union become invalid.
    #[inline]
    fn extracted(&mut self, p: &Ir, to: ExtractTo, header: u32) {
        if let ExtractTo::Next { stack, .. } = to {
            self.w[p.stacks[stack as usize].next as usize] += 1;
        }
        self.only_member(p, header);
    }

    /// Reads a header whose variable-length field has `n` bits.
    fn read_var(&mut self, h: &Header, var: VarField, n: u32, data: &[u8]) {
        let mut offset = 0;
        for (i, f) in h.fields.iter().enumerate() {
            let width = if i == var.index { n } else { f.width };
            let to = &mut self.w[f.word as usize..][..limbs(f.width) as usize];
            bits::read_limbs(data, offset, width, to);
            offset += width as usize;
        }
        self.w[var.length as usize] = n.into();
    }

    /// Appends a header as bytes.
    #[inline]
    fn write_header(&self, h: &Header, out: &mut Vec<u8>) {
        let mut writer = Writer::new(out);
        for (i, f) in h.fields.iter().enumerate() {
            if let Some(v) = h.var.filter(|v| v.index == i) {
                let words = &self.w[f.word as usize..][..limbs(f.width) as usize];
                writer.push_limbs_of(self.w[v.length as usize] as u32, words);
            } else if f.width <= 64 {
                writer.push(f.width, self.w[instructions::at(f.word)]);
            } else {
                let words = &self.w[f.word as usize..][..limbs(f.width) as usize];
                writer.push_limbs(f.width, words);
            }
        }
        writer.finish();
    }

    /// A header as bytes.
    pub fn header_as_bytes(&mut self, p: &Ir, header: u32) -> &[u8] {
        let mut buf = std::mem::take(&mut self.buf);
        buf.clear();
        self.write_header(&p.headers[header as usize], &mut buf);
        self.buf = buf;
        &self.buf
    }

    /// Updates checksums and writes the valid headers before what follows the first `parsed`
    /// bytes of `packet`. `spare` is a buffer to work with; afterwards it is the old one.
    pub fn deparse(&mut self, p: &Ir, packet: &mut Packet, parsed: usize, spare: &mut Vec<u8>) {
        for c in &p.update {
            if self.holds(p, c.condition) {
                let sum = self.calculate(p, c.calc, &packet.bytes[parsed..], packet.payload_len);
                self.w[c.target.word as usize] = sum & mask(c.target.width);
            }
        }
        if let Some(pc) = p.deparser_code {
            self.run(p, pc);
        }
        let out = spare;
        out.clear();
        for &header in &p.deparser {
            let h = &p.headers[header as usize];
            if self.w[h.valid as usize] == 0 {
                continue;
            }
            self.write_header(h, out);
        }
        out.extend_from_slice(&packet.bytes[parsed..]);
        std::mem::swap(&mut packet.bytes, out);
        if let Some(len) = self.truncate {
            packet.truncate(len);
        }
    }
}

/// Whether a key is that of a member of a value set, where the masks of `words` count.
fn in_set(member: &[KeyTest], words: &[(u64, u64)], key: &[u64]) -> bool {
    member
        .iter()
        .zip(words)
        .zip(key)
        .all(|((test, &(_, m)), &k)| match *test {
            KeyTest::Masked(v, mask) => (k ^ v) & mask & m == 0,
            KeyTest::Between(low, high) => (low..=high).contains(&(k & m)),
        })
}
