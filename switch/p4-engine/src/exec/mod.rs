// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! The instruction set and the machine that runs it.
//!
//! Instructions are three-address code over the word array of `program`: operands are indices of
//! words, results are cut by a mask. Expressions that 64-bit words cannot compute exactly are kept
//! as trees and evaluated by `slow`.

mod bits;
mod calc;
mod headers;
mod packet_io;
mod slow;

use std::collections::VecDeque;

use rand_core::{Rng, SeedableRng};
use rand_pcg::Pcg64;

use crate::jit::raw::{Cells, Words};
use crate::meter::MeterCell;
use crate::program::{KeyTest, Program};
use crate::value::{limb_mask, limbs};

pub(crate) use packet_io::{MAX_IDLE_STATES, Watch};
pub(crate) use slow::{BinOp, Expr, UnOp};

/// Index of a word.
pub(crate) type W = u32;

pub(crate) use crate::budget::WORDS;

/// The place of a word in the array.
#[inline(always)]
pub(crate) fn at(w: W) -> usize {
    w as usize & (WORDS - 1)
}

/// An instruction. `d` is the destination, the other single letters are operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Ins {
    /// The end of a block of code.
    End,
    Mov {
        d: W,
        a: W,
        mask: u64,
    },
    Add {
        d: W,
        a: W,
        b: W,
        mask: u64,
    },
    Sub {
        d: W,
        a: W,
        b: W,
        mask: u64,
    },
    Mul {
        d: W,
        a: W,
        b: W,
        mask: u64,
    },
    Div {
        d: W,
        a: W,
        b: W,
        mask: u64,
    },
    Mod {
        d: W,
        a: W,
        b: W,
        mask: u64,
    },
    And {
        d: W,
        a: W,
        b: W,
        mask: u64,
    },
    Or {
        d: W,
        a: W,
        b: W,
        mask: u64,
    },
    Xor {
        d: W,
        a: W,
        b: W,
        mask: u64,
    },
    Not {
        d: W,
        a: W,
        mask: u64,
    },
    Shl {
        d: W,
        a: W,
        b: W,
        mask: u64,
    },
    Shr {
        d: W,
        a: W,
        b: W,
        mask: u64,
    },
    Eq {
        d: W,
        a: W,
        b: W,
    },
    Ne {
        d: W,
        a: W,
        b: W,
    },
    Lt {
        d: W,
        a: W,
        b: W,
    },
    Le {
        d: W,
        a: W,
        b: W,
    },
    /// `d = if c != 0 { a } else { b }`
    Select {
        d: W,
        c: W,
        a: W,
        b: W,
    },
    /// `d = min(a, max)`
    Min {
        d: W,
        a: W,
        max: u64,
    },
    /// `d = min(a + b, max)`
    SatAdd {
        d: W,
        a: W,
        b: W,
        max: u64,
    },
    /// `d = min(max(a - b, 0), max)`
    SatSub {
        d: W,
        a: W,
        b: W,
        max: u64,
    },
    /// Copies `n` words.
    Copy {
        d: W,
        a: W,
        n: u32,
    },
    /// Evaluates tree `expr` and stores it as a field of `width` bits.
    Slow {
        d: W,
        expr: u32,
        width: u32,
    },
    /// Leaves `d` alone if the index is out of bounds.
    RegRead {
        d: W,
        reg: u32,
        index: W,
        width: u32,
    },
    RegWrite {
        reg: u32,
        index: W,
        a: W,
    },
    Count {
        counter: u32,
        index: W,
    },
    /// Uniform over [lo, hi].
    Random {
        d: W,
        lo: W,
        hi: W,
        mask: u64,
    },
    /// `d = base + hash % size`
    Hash {
        calc: u32,
        d: W,
        base: W,
        size: W,
    },
    Mask {
        d: W,
        mask: u64,
    },
    AddHeader {
        header: u32,
    },
    RemoveHeader {
        header: u32,
    },
    AssignHeader {
        d: u32,
        a: u32,
    },
    /// Stores the port that drops.
    DropPort {
        d: W,
        mask: u64,
    },
    Exit,
    Assert {
        a: W,
    },
    Log {
        format: u32,
    },
    Truncate {
        a: W,
    },
    HeaderOp {
        op: u32,
    },
    IndexedStore {
        store: u32,
    },
    /// Stores the colour; leaves `d` alone if the index is out of bounds.
    Meter {
        meter: u32,
        index: W,
        d: W,
        mask: u64,
    },
    /// Sends a digest at the end of the pipeline.
    Digest {
        digest: u32,
    },
    /// Clones the packet at the end of the pipeline, with a list of preserved fields.
    Clone {
        session: W,
        list: u32,
    },
    Resubmit {
        list: u32,
    },
    Recirculate {
        list: u32,
    },
    Jump {
        pc: u32,
    },
    JumpIfZero {
        a: W,
        pc: u32,
    },
    /// Jumps back, [`MAX_ROUNDS`] times in a block of code at most.
    Back {
        pc: u32,
    },
}

/// How often a block of code may jump back. One that goes on ends like a failed assertion.
pub(crate) const MAX_ROUNDS: u32 = 100_000;

/// A counter cell: BMv2 always counts both.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CounterValue {
    /// Packets counted.
    pub packets: u64,
    /// Bytes counted: the lengths of the packets as they arrived.
    pub bytes: u64,
}

/// What a pipeline asks for that is done at its end. The last call of each counts.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Requests {
    pub digest: Option<u32>,
    /// Session and field list.
    pub clone: Option<(u64, u32)>,
    /// Field list.
    pub resubmit: Option<u32>,
    pub recirculate: Option<u32>,
}

/// Everything that executing code changes.
pub(crate) struct Machine {
    /// The word array.
    pub w: Words,
    pub registers: Cells<u64>,
    pub counters: Cells<CounterValue>,
    pub meters: Vec<Box<[MeterCell]>>,
    /// For each value set, its members: a test for each word of the key.
    pub value_sets: Vec<Vec<Box<[KeyTest]>>>,
    pub requests: Requests,
    /// Whether there is any.
    pub requested: bool,
    pub now_ns: u64,
    pub rng: Pcg64,
    /// Length of the packet as it arrived, in bytes.
    pub ingress_length: u32,
    /// Length of the packet with the headers added and removed since.
    pub length: i64,
    pub truncate: Option<u64>,
    pub exit: bool,
    pub assert_failed: bool,
    pub drop_port: u64,
    pub log: VecDeque<String>,
    pub log_capacity: usize,
    /// Input of the calculation at hand.
    buf: Vec<u8>,
    /// Key of the parser's select at hand.
    select: Vec<u64>,
}

impl Machine {
    pub fn new(p: &Program, seed: u64, drop_port: u16, log_capacity: usize) -> Self {
        Self {
            w: Words::new(&p.template),
            registers: p
                .registers
                .iter()
                .map(|r| vec![0; r.size * limbs(r.width) as usize])
                .collect(),
            counters: p
                .counters
                .iter()
                .map(|c| vec![CounterValue::default(); c.size])
                .collect(),
            meters: p
                .meters
                .iter()
                .map(|m| vec![MeterCell::default(); m.size].into())
                .collect(),
            value_sets: vec![Vec::new(); p.value_sets.len()],
            requests: Requests::default(),
            requested: false,
            now_ns: 0,
            rng: Pcg64::seed_from_u64(seed),
            ingress_length: 0,
            length: 0,
            truncate: None,
            exit: false,
            assert_failed: false,
            drop_port: drop_port.into(),
            log: VecDeque::new(),
            log_capacity,
            buf: Vec::new(),
            select: Vec::new(),
        }
    }

    /// Runs the block of code at `pc` to its end. Jumps go forward, but for a limited number, so it ends.
    pub fn run(&mut self, p: &Program, pc: u32) {
        let code = &p.code[..];
        let mut pc = pc as usize;
        let mut rounds = 0;
        loop {
            // What only touches words is done in this loop; the rest below, out of its way.
            let w = &mut *self.w;
            macro_rules! r {
                ($i:expr) => {
                    w[at($i)]
                };
            }
            let other = loop {
                let ins = &code[pc];
                pc += 1;
                match *ins {
                    Ins::End => return,
                    Ins::Mov { d, a, mask } => r!(d) = r!(a) & mask,
                    Ins::Add { d, a, b, mask } => r!(d) = r!(a).wrapping_add(r!(b)) & mask,
                    Ins::Sub { d, a, b, mask } => r!(d) = r!(a).wrapping_sub(r!(b)) & mask,
                    Ins::Mul { d, a, b, mask } => r!(d) = r!(a).wrapping_mul(r!(b)) & mask,
                    Ins::Div { d, a, b, mask } => {
                        r!(d) = r!(a).checked_div(r!(b)).unwrap_or(0) & mask
                    }
                    Ins::Mod { d, a, b, mask } => {
                        r!(d) = r!(a).checked_rem(r!(b)).unwrap_or(0) & mask
                    }
                    Ins::And { d, a, b, mask } => r!(d) = r!(a) & r!(b) & mask,
                    Ins::Or { d, a, b, mask } => r!(d) = (r!(a) | r!(b)) & mask,
                    Ins::Xor { d, a, b, mask } => r!(d) = (r!(a) ^ r!(b)) & mask,
                    Ins::Not { d, a, mask } => r!(d) = !r!(a) & mask,
                    Ins::Shl { d, a, b, mask } => {
                        let n = r!(b);
                        r!(d) = if n < 64 { r!(a) << n & mask } else { 0 };
                    }
                    Ins::Shr { d, a, b, mask } => {
                        let n = r!(b);
                        r!(d) = if n < 64 { r!(a) >> n & mask } else { 0 };
                    }
                    Ins::Eq { d, a, b } => r!(d) = u64::from(r!(a) == r!(b)),
                    Ins::Ne { d, a, b } => r!(d) = u64::from(r!(a) != r!(b)),
                    Ins::Lt { d, a, b } => r!(d) = u64::from(r!(a) < r!(b)),
                    Ins::Le { d, a, b } => r!(d) = u64::from(r!(a) <= r!(b)),
                    Ins::Select { d, c, a, b } => r!(d) = if r!(c) != 0 { r!(a) } else { r!(b) },
                    Ins::Min { d, a, max } => r!(d) = r!(a).min(max),
                    Ins::SatAdd { d, a, b, max } => r!(d) = r!(a).saturating_add(r!(b)).min(max),
                    Ins::SatSub { d, a, b, max } => r!(d) = r!(a).saturating_sub(r!(b)).min(max),
                    Ins::Mask { d, mask } => r!(d) &= mask,
                    Ins::Jump { pc: to } => pc = to as usize,
                    Ins::JumpIfZero { a, pc: to } => {
                        if r!(a) == 0 {
                            pc = to as usize;
                        }
                    }
                    Ins::Back { pc: to } => {
                        rounds += 1;
                        if rounds > MAX_ROUNDS {
                            return self.endless_loop();
                        }
                        pc = to as usize;
                    }
                    other => break other,
                }
            };
            if self.other(p, other) {
                return;
            }
        }
    }

    #[cold]
    fn endless_loop(&mut self) {
        self.exit = true;
        self.assert_failed = true;
        self.log(format!("a loop went on for more than {MAX_ROUNDS} rounds"));
    }

    /// Runs an instruction that touches more than words; true if the block of code ends with it.
    #[inline(never)]
    fn other(&mut self, p: &Program, ins: Ins) -> bool {
        let w = &mut *self.w;
        macro_rules! r {
            ($i:expr) => {
                w[at($i)]
            };
        }
        match ins {
            Ins::Copy { d, a, n } => {
                w.copy_within(a as usize..(a + n) as usize, d as usize);
            }
            Ins::Slow { d, expr, width } => {
                let v = self.eval(p, &p.exprs[expr as usize]);
                for i in 0..limbs(width) {
                    self.w[(d + i) as usize] = v.limb(i) & limb_mask(width, i);
                }
            }
            Ins::RegRead {
                d,
                reg,
                index,
                width,
            } => {
                let at = r!(index) as usize;
                let array = &self.registers[reg as usize];
                let stride = limbs(p.registers[reg as usize].width) as usize;
                if stride == 1 && width <= 64 {
                    if let Some(&v) = array.get(at) {
                        r!(d) = v & limb_mask(width, 0);
                    }
                } else if at < p.registers[reg as usize].size {
                    let cell = &self.registers[reg as usize][at * stride..][..stride];
                    for i in 0..limbs(width) {
                        let limb = cell.get(i as usize).copied().unwrap_or(0);
                        r!(d + i) = limb & limb_mask(width, i);
                    }
                }
            }
            Ins::RegWrite { reg, index, a } => {
                let width = p.registers[reg as usize].width;
                let stride = limbs(width) as usize;
                let at = r!(index) as usize;
                if stride == 1 {
                    if let Some(c) = self.registers[reg as usize].get_mut(at) {
                        *c = r!(a) & limb_mask(width, 0);
                    }
                } else if at < p.registers[reg as usize].size {
                    let cell = &mut self.registers[reg as usize][at * stride..][..stride];
                    for (i, c) in cell.iter_mut().enumerate() {
                        *c = r!(a + i as u32) & limb_mask(width, i as u32);
                    }
                }
            }
            Ins::Count { counter, index } => {
                let at = r!(index) as usize;
                if let Some(c) = self.counters[counter as usize].get_mut(at) {
                    c.packets = c.packets.wrapping_add(1);
                    c.bytes = c.bytes.wrapping_add(self.ingress_length.into());
                }
            }
            Ins::Random { d, lo, hi, mask } => {
                let (lo, hi) = (r!(lo), r!(hi));
                let v = uniform(&mut self.rng, lo, hi) & mask;
                r!(d) = v;
            }
            Ins::Hash {
                calc,
                d,
                base,
                size,
            } => {
                let h = self.calculate(p, calc, &[], 0);
                let size = self.w[size as usize];
                let h = h.checked_rem(size).unwrap_or(0);
                self.w[d as usize] = self.w[base as usize].wrapping_add(h);
            }
            Ins::AddHeader { header } => self.add_header(p, header),
            Ins::RemoveHeader { header } => self.remove_header(p, header),
            Ins::AssignHeader { d, a } => self.assign_header(p, d, a),
            Ins::HeaderOp { op } => self.header_op(p, op),
            Ins::IndexedStore { store } => self.indexed_store(p, store),
            Ins::Meter {
                meter,
                index,
                d,
                mask,
            } => {
                let index = r!(index);
                if let Some(color) = self.meter(p, meter, index) {
                    self.w[at(d)] = color & mask;
                }
            }
            Ins::Digest { digest } => {
                self.requests.digest = Some(digest);
                self.requested = true;
            }
            Ins::Clone { session, list } => {
                // simple_switch keeps 16 bits of which one says that there is a session.
                self.requests.clone = Some((r!(session), list));
                self.requested = true;
            }
            Ins::Resubmit { list } => {
                self.requests.resubmit = Some(list);
                self.requested = true;
            }
            Ins::Recirculate { list } => {
                self.requests.recirculate = Some(list);
                self.requested = true;
            }
            Ins::DropPort { d, mask } => r!(d) = self.drop_port & mask,
            Ins::Exit => {
                self.exit = true;
                return true;
            }
            Ins::Assert { a } if r!(a) == 0 => {
                self.assert_failed = true;
                self.exit = true;
                return true;
            }
            Ins::Log { format } => self.log_message(p, format),
            Ins::Truncate { a } => self.truncate = Some(r!(a)),
            _ => {}
        }
        false
    }

    /// Runs the instruction at `pc`, one of those that touch more than words.
    pub fn step(&mut self, p: &Program, pc: u32) {
        self.other(p, p.code[pc as usize]);
    }

    /// Runs a meter cell; its colour, unless the index is out of bounds.
    pub fn meter(&mut self, p: &Program, meter: u32, index: u64) -> Option<u64> {
        let units = if p.meters[meter as usize].bytes {
            self.ingress_length.into()
        } else {
            1
        };
        let cell = self.meters[meter as usize].get_mut(index as usize)?;
        Some(cell.execute(units, self.now_ns) as u64)
    }

    fn log_message(&mut self, p: &Program, format: u32) {
        if self.log_capacity == 0 {
            return;
        }
        let f = &p.logs[format as usize];
        let mut text = f.text.first().cloned().unwrap_or_default();
        for (arg, after) in f.args.iter().zip(f.text.iter().skip(1)) {
            text += &self.eval(p, arg).to_string();
            text += after;
        }
        self.log(text);
    }

    fn log(&mut self, text: String) {
        if self.log_capacity == 0 {
            return;
        }
        if self.log.len() >= self.log_capacity {
            self.log.pop_front();
        }
        self.log.push_back(text);
    }
}

/// A number uniform over [lo, hi], without bias (Lemire's multiplication with rejection).
pub(crate) fn uniform(rng: &mut Pcg64, lo: u64, hi: u64) -> u64 {
    if lo >= hi {
        return lo;
    }
    let span = (hi - lo).wrapping_add(1);
    if span == 0 {
        return rng.next_u64();
    }
    let mut m = u128::from(rng.next_u64()) * u128::from(span);
    if (m as u64) < span {
        let reject_below = span.wrapping_neg() % span;
        while (m as u64) < reject_below {
            m = u128::from(rng.next_u64()) * u128::from(span);
        }
    }
    lo + (m >> 64) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uniform_stays_in_bounds_and_reaches_them() {
        let mut rng = Pcg64::seed_from_u64(1);
        let mut seen = [0u32; 7];
        for _ in 0..7000 {
            seen[(uniform(&mut rng, 3, 9) - 3) as usize] += 1;
        }
        // Each count is binomial(7000, 1/7), sigma 29; six sigma.
        assert!(seen.iter().all(|&n| (826..=1174).contains(&n)), "{seen:?}");
        assert_eq!(uniform(&mut rng, 5, 5), 5);
        assert_eq!(uniform(&mut rng, 6, 5), 6);
        assert!((0..100).any(|_| uniform(&mut rng, 0, u64::MAX) > u64::MAX / 2));
        assert!((0..100).all(|_| uniform(&mut rng, u64::MAX - 1, u64::MAX) >= u64::MAX - 1));
    }

    #[test]
    fn the_random_sequence_is_fixed() {
        // Experiments are repeatable across machines and versions only if this never changes.
        let mut rng = Pcg64::seed_from_u64(42);
        let first: Vec<u64> = (0..3).map(|_| uniform(&mut rng, 0, u64::MAX)).collect();
        assert_eq!(
            first,
            [
                4178418447715145737,
                4410739922618931473,
                14034899209665866285
            ]
        );
        assert_eq!(uniform(&mut rng, 1, 1_000_000), 527_840);
    }
}
