// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! The machine that runs instructions: the interpreter, which says what a program means.

mod bits;
mod calc;
mod headers;
mod packet_io;
mod slow;

use std::collections::VecDeque;

use rand_core::{Rng, SeedableRng};
use rand_pcg::Pcg64;

use crate::filter::FilterCell;
use crate::instructions::{Ins, W, at};
use crate::memory::{Cells, CounterValue, Words};
use crate::meter::MeterCell;
use crate::program::{Ir, KeyTest};
use crate::value::{limb_mask, limbs};

pub(crate) use packet_io::MAX_IDLE_STATES;

/// How often a block of code may jump back. One that goes on ends like a failed assertion.
pub(crate) const MAX_ROUNDS: u32 = 100_000;

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
    pub filters: Vec<Vec<FilterCell>>,
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
    pub fn new(p: &Ir, seed: u64, drop_port: u16, log_capacity: usize) -> Self {
        Self {
            w: Words::new(&p.template),
            registers: p
                .registers
                .iter()
                .map(|r| match r.initial.iter().all(|w| *w == 0) {
                    true => vec![0; r.size * limbs(r.width) as usize],
                    false => r.initial.repeat(r.size),
                })
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
            filters: p
                .filters
                .iter()
                .map(|f| vec![FilterCell::default(); f.size])
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
    pub fn run(&mut self, p: &Ir, pc: u32) {
        let code = &p.code[..];
        let mut pc = pc as usize;
        let mut rounds = 0;
        loop {
            // What only touches words is done in this loop; the rest below, out of its way.
            let w = &mut *self.w;
            let other = loop {
                let ins = &code[pc];
                pc += 1;
                match *ins {
                    Ins::End => return,
                    Ins::Calc { op, d, a, b, mask } => {
                        w[at(d)] = op.apply(w[at(a)], w[at(b)], mask);
                    }
                    Ins::Select { d, c, a, b } => {
                        w[at(d)] = if w[at(c)] != 0 { w[at(a)] } else { w[at(b)] };
                    }
                    Ins::Jump { pc: to } => pc = to as usize,
                    Ins::JumpIfZero { a, pc: to } => {
                        if w[at(a)] == 0 {
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
    fn other(&mut self, p: &Ir, ins: Ins) -> bool {
        match ins {
            Ins::Copy { d, a, n } => {
                let from = a as usize;
                self.w.copy_within(from..from + n as usize, d as usize);
            }
            Ins::Slow { d, expr, width } => self.evaluate(p, d, expr, width),
            Ins::RegRead {
                d,
                reg,
                index,
                width,
            } => self.register_read(p, d, reg, index, width),
            Ins::RegWrite { reg, index, a } => self.register_write(p, reg, index, a),
            Ins::Count { counter, index } => self.count(counter, index),
            Ins::Random { d, lo, hi, mask } => {
                let (lo, hi) = (self.w[at(lo)], self.w[at(hi)]);
                self.w[at(d)] = uniform(&mut self.rng, lo, hi) & mask;
            }
            Ins::Hash {
                calc,
                d,
                base,
                size,
            } => {
                let h = self.calculate(p, calc, &[], 0);
                let h = h.checked_rem(self.w[at(size)]).unwrap_or(0);
                self.w[at(d)] = self.w[at(base)].wrapping_add(h);
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
                let index = self.w[at(index)];
                if let Some(color) = self.meter(p, meter, index) {
                    self.w[at(d)] = color & mask;
                }
            }
            Ins::Filter {
                filter,
                index,
                a,
                d,
                mask,
            } => {
                let (index, sample) = (self.w[at(index)], self.w[at(a)]);
                self.w[at(d)] = self.filter(p, filter, index, sample) & mask;
            }
            Ins::DropPort { d, mask } => self.w[at(d)] = self.drop_port & mask,
            Ins::Log { format } => self.log_message(p, format),
            Ins::Truncate { a } => self.truncate = Some(self.w[at(a)]),
            Ins::Exit => {
                self.exit = true;
                return true;
            }
            Ins::Assert { a } if self.w[at(a)] == 0 => {
                self.assert_failed = true;
                self.exit = true;
                return true;
            }
            _ => self.request(ins),
        }
        false
    }

    /// Notes what is to be done at the end of the pipeline.
    fn request(&mut self, ins: Ins) {
        let requests = &mut self.requests;
        match ins {
            Ins::Digest { digest } => requests.digest = Some(digest),
            // simple_switch keeps 16 bits of which one says that there is a session.
            Ins::Clone { session, list } => requests.clone = Some((self.w[at(session)], list)),
            Ins::Resubmit { list } => requests.resubmit = Some(list),
            Ins::Recirculate { list } => requests.recirculate = Some(list),
            _ => return,
        }
        self.requested = true;
    }

    fn evaluate(&mut self, p: &Ir, d: W, expr: u32, width: u32) {
        let v = self.eval(p, &p.exprs[expr as usize]);
        for i in 0..limbs(width) {
            self.w[at(d + i)] = v.limb(i) & limb_mask(width, i);
        }
    }

    fn register_read(&mut self, p: &Ir, d: W, reg: u32, index: W, width: u32) {
        let index = self.w[at(index)] as usize;
        let info = &p.registers[reg as usize];
        let stride = limbs(info.width) as usize;
        if index >= info.size {
            return;
        }
        let cell = &self.registers[reg as usize][index * stride..][..stride];
        for i in 0..limbs(width) {
            let limb = cell.get(i as usize).copied().unwrap_or(0);
            self.w[at(d + i)] = limb & limb_mask(width, i);
        }
    }

    fn register_write(&mut self, p: &Ir, reg: u32, index: W, a: W) {
        let index = self.w[at(index)] as usize;
        let info = &p.registers[reg as usize];
        let stride = limbs(info.width) as usize;
        if index >= info.size {
            return;
        }
        let cell = &mut self.registers[reg as usize][index * stride..][..stride];
        for (i, c) in (0..).zip(cell) {
            *c = self.w[at(a + i)] & limb_mask(info.width, i);
        }
    }

    fn count(&mut self, counter: u32, index: W) {
        let index = self.w[at(index)] as usize;
        if let Some(c) = self.counters[counter as usize].get_mut(index) {
            c.packets = c.packets.wrapping_add(1);
            c.bytes = c.bytes.wrapping_add(self.ingress_length.into());
        }
    }

    /// Runs the instruction at `pc`, one of those that touch more than words.
    pub fn step(&mut self, p: &Ir, pc: u32) {
        self.other(p, p.code[pc as usize]);
    }

    /// Runs a meter cell; its colour, unless the index is out of bounds.
    pub fn meter(&mut self, p: &Ir, meter: u32, index: u64) -> Option<u64> {
        let units = if p.meters[meter as usize].bytes {
            self.ingress_length.into()
        } else {
            1
        };
        let cell = self.meters[meter as usize].get_mut(index as usize)?;
        Some(cell.execute(units, self.now_ns) as u64)
    }

    /// Gives a sample to a filter; of a `Wred` comes one of its verdicts. An index out of bounds filters nothing.
    fn filter(&mut self, p: &Ir, filter: u32, index: u64, sample: u64) -> u64 {
        let verdicts = p.filters[filter as usize].verdicts;
        let (now_ns, rng) = (self.now_ns, &mut self.rng);
        let draw = || (rng.next_u64() >> 11) as f64 / (1u64 << 53) as f64;
        let cell = self.filters[filter as usize].get_mut(index as usize);
        match (verdicts, cell) {
            (None, None) => sample,
            (None, Some(c)) => c.execute(sample, now_ns, draw),
            (Some((drop, pass)), Some(c)) if c.config.is_some() => {
                match c.execute(sample, now_ns, draw) {
                    1 => drop,
                    _ => pass,
                }
            }
            (Some((_, pass)), _) => pass,
        }
    }

    fn log_message(&mut self, p: &Ir, format: u32) {
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
