// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Headers as a whole: validity, assignment, stacks and unions.

use super::Machine;
use crate::instructions::Expr;
use crate::program::{ExtractTo, HeaderOp, HeaderRef, IndexedStore, Ir};
use crate::value::limbs;

impl Machine {
    /// The header that an index chooses from an array.
    pub(super) fn choose(&self, p: &Ir, array: u32, index: &Expr) -> Option<u32> {
        let i = self.eval(p, index).as_u64()?;
        let list = &p.arrays[array as usize];
        list.get(usize::try_from(i).ok()?).copied()
    }

    fn resolve(&self, p: &Ir, h: &HeaderRef) -> Option<u32> {
        match h {
            HeaderRef::Fixed(h) => Some(*h),
            HeaderRef::Indexed(array, index) => self.choose(p, *array, index),
        }
    }

    /// The present length of a header in bytes.
    fn header_bytes(&self, p: &Ir, header: u32) -> i64 {
        let h = &p.headers[header as usize];
        let var = h.var.map_or(0, |v| self.w[v.length as usize] / 8);
        i64::from(h.bytes) + var as i64
    }

    /// A union has at most one valid member: makes all but this one invalid.
    #[inline]
    pub(super) fn only_member(&mut self, p: &Ir, header: u32) {
        if let Some(u) = p.headers[header as usize].union {
            for &other in &p.unions[u as usize] {
                if other != header {
                    self.w[p.headers[other as usize].valid as usize] = 0;
                }
            }
        }
    }

    pub(super) fn add_header(&mut self, p: &Ir, header: u32) {
        let h = &p.headers[header as usize];
        if self.w[h.valid as usize] == 0 {
            self.w[h.first as usize..(h.first + h.words) as usize].fill(0);
            self.w[h.valid as usize] = 1;
            self.length += i64::from(h.bytes);
            self.only_member(p, header);
        }
    }

    pub(super) fn remove_header(&mut self, p: &Ir, header: u32) {
        let valid = p.headers[header as usize].valid as usize;
        if self.w[valid] == 1 {
            self.w[valid] = 0;
            self.length -= self.header_bytes(p, header);
        }
    }

    pub(super) fn assign_header(&mut self, p: &Ir, d: u32, a: u32) {
        let (dst, src) = (&p.headers[d as usize], &p.headers[a as usize]);
        let valid = self.w[src.valid as usize];
        self.w[dst.valid as usize] = valid;
        if valid == 1 {
            let from = src.first as usize;
            self.w
                .copy_within(from..from + src.words as usize, dst.first as usize);
            self.only_member(p, d);
        }
    }

    pub(super) fn header_op(&mut self, p: &Ir, op: u32) {
        match &p.header_ops[op as usize] {
            HeaderOp::Add(h) => {
                if let Some(h) = self.resolve(p, h) {
                    self.add_header(p, h);
                }
            }
            HeaderOp::Remove(h) => {
                if let Some(h) = self.resolve(p, h) {
                    self.remove_header(p, h);
                }
            }
            HeaderOp::Assign(d, a) => {
                if let (Some(d), Some(a)) = (self.resolve(p, d), self.resolve(p, a)) {
                    self.assign_header(p, d, a);
                }
            }
            HeaderOp::Shift { stack, up, by } => {
                let by = self.eval(p, by).as_u64().unwrap_or(u64::MAX);
                self.shift(p, *stack, *up, by);
            }
            HeaderOp::CopyVar { d, a } => {
                self.w[d.word as usize..(d.word + d.words) as usize].fill(0);
                let from = a.word as usize;
                self.w
                    .copy_within(from..from + a.words as usize, d.word as usize);
                self.w[d.length as usize] = self.w[a.length as usize];
            }
            HeaderOp::AssignStack { d, a } => {
                let (d, a) = (&p.stacks[*d as usize], &p.stacks[*a as usize]);
                self.w[d.next as usize] = self.w[a.next as usize].min(d.size.into());
            }
        }
    }

    /// P4-16, section 8.18: `push_front` moves elements up, `pop_front` down; what comes in at the
    /// end is invalid.
    fn shift(&mut self, p: &Ir, stack: u32, up: bool, by: u64) {
        let s = &p.stacks[stack as usize];
        let size = s.size as usize;
        let n = by.min(size as u64) as usize;
        let next = &mut self.w[s.next as usize];
        *next = if up {
            (*next + n as u64).min(size as u64)
        } else {
            next.saturating_sub(n as u64)
        };
        for &array in &s.arrays {
            let list = &p.arrays[array as usize];
            for i in 0..size {
                // From the side that elements move to.
                let to = if up { size - 1 - i } else { i };
                let from = if up {
                    to.checked_sub(n)
                } else {
                    Some(to + n).filter(|&f| f < size)
                };
                let dst = &p.headers[list[to] as usize];
                match from.map(|f| &p.headers[list[f] as usize]) {
                    Some(src) => {
                        let first = src.first as usize;
                        self.w
                            .copy_within(first..first + src.words as usize, dst.first as usize);
                        self.w[dst.valid as usize] = self.w[src.valid as usize];
                    }
                    None => self.w[dst.valid as usize] = 0,
                }
            }
        }
    }

    /// Copies a field that was written aside to the header that an index chooses.
    pub(super) fn indexed_store(&mut self, p: &Ir, store: u32) {
        let IndexedStore {
            from,
            array,
            field,
            index,
        } = &p.indexed_stores[store as usize];
        if let Some(h) = self.choose(p, *array, index) {
            let to = p.headers[h as usize].fields[*field as usize];
            let first = from.word as usize;
            self.w
                .copy_within(first..first + limbs(from.width) as usize, to.word as usize);
        }
    }

    /// The header that an extraction writes: of a stack the next element, if there is one.
    pub(super) fn extract_target(&self, p: &Ir, to: ExtractTo) -> Result<u32, u64> {
        match to {
            ExtractTo::Header(h) => Ok(h),
            ExtractTo::Next { stack, array } => {
                let next = self.w[p.stacks[stack as usize].next as usize] as usize;
                let found = p.arrays[array as usize].get(next).copied();
                found.ok_or(p.errors.stack_out_of_bounds)
            }
        }
    }

    /// The last element of a stack that was extracted.
    pub(super) fn last_of(&self, p: &Ir, stack: u32, array: u32) -> Result<u32, u64> {
        let next = self.w[p.stacks[stack as usize].next as usize] as usize;
        let found = next
            .checked_sub(1)
            .and_then(|i| p.arrays[array as usize].get(i));
        found.copied().ok_or(p.errors.stack_out_of_bounds)
    }
}
