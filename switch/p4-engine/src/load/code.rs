// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Compiles expression trees to instructions over 64-bit words.
//!
//! BMv2 computes over unbounded integers. A word is exact when the value is known to be neither
//! negative nor above 64 bits; and where only the low bits of a value are used (below a mask, or
//! when stored into a field), arithmetic modulo 2^64 gives the same low bits, because +, -, *, <<,
//! &, |, ^ and ~ carry from low bits to high ones only. `Need` says which of the two a context
//! asks for. What fits neither is evaluated as a tree (`Ins::Slow`).

use crate::instructions::{BinOp, Expr, Ins, Op, UnOp, W};
use crate::num::Num;
use crate::program::FieldRef;
use crate::value::{limbs, mask};

use super::Builder;

/// What a context uses of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Need {
    /// All of it.
    Exact,
    /// The low bits, at most 64 of them; others may be anything.
    Low(u32),
}

/// An upper bound of a value that is known not to be negative and to fit into a word.
fn bound(b: &Builder, e: &Expr) -> Option<u64> {
    match e {
        Expr::Const(v) => v.as_u64(),
        Expr::Field(f) => (f.width <= 64 && !f.signed).then(|| mask(f.width)),
        Expr::Register(reg, _) => {
            let w = b.registers[*reg as usize].width;
            (w <= 64).then(|| mask(w))
        }
        Expr::Indexed { width, signed, .. } => (*width <= 64 && !signed).then(|| mask(*width)),
        Expr::Un(UnOp::Not, _) => None,
        Expr::Bin(op, x, y) => {
            let (x, y) = (|| bound(b, x), || bound(b, y));
            let ones = |v: u64| mask(64 - v.leading_zeros());
            match op {
                BinOp::Add => x()?.checked_add(y()?),
                BinOp::Mul => x()?.checked_mul(y()?),
                BinOp::Sub | BinOp::TwoCompMod | BinOp::SatCast => None,
                BinOp::Div => y().and(x()),
                BinOp::Mod => Some(x()?.min(y()?)),
                BinOp::Shl => {
                    let (v, n) = (x()?, y()?);
                    (n < u64::from(v.leading_zeros())).then(|| v << n)
                }
                BinOp::Shr => y().and(x()),
                BinOp::And => match (x(), y()) {
                    (Some(x), Some(y)) => Some(x.min(y)),
                    (x, y) => x.or(y),
                },
                BinOp::Or | BinOp::Xor => Some(ones(x()?) | ones(y()?)),
                BinOp::UsatCast => {
                    let w = constant(e_right(e)?)?.as_u64()?;
                    (w <= 64).then(|| mask(w as u32))
                }
                _ => Some(1),
            }
        }
        Expr::Cond(_, x, y) => Some(bound(b, x)?.max(bound(b, y)?)),
        _ => Some(1),
    }
}

fn e_right(e: &Expr) -> Option<&Expr> {
    if let Expr::Bin(_, _, r) = e {
        Some(r)
    } else {
        None
    }
}

fn constant(e: &Expr) -> Option<&Num> {
    if let Expr::Const(v) = e {
        Some(v)
    } else {
        None
    }
}

/// The mask of an instruction that cuts its result.
fn mask_of(ins: &mut Ins) -> Option<(&mut W, &mut u64)> {
    match ins {
        Ins::Calc { op, d, mask, .. } if op.cuts() && !op.compares() => Some((d, mask)),
        _ => None,
    }
}

const ALL: u64 = u64::MAX;

impl Builder {
    fn emit(&mut self, ins: impl FnOnce(W) -> Ins) -> W {
        let d = self.temp();
        self.code.push(ins(d));
        d
    }

    /// The result of an operation.
    fn calc(&mut self, op: Op, a: W, b: W, mask: u64) -> W {
        self.emit(|d| Ins::Calc { op, d, a, b, mask })
    }

    /// The value of `e` in word `w`, cut by `m`: folded into the instruction that made it if that
    /// was the last one.
    fn cut(&mut self, w: W, m: u64) -> W {
        if m == ALL {
            return w;
        }
        if self.temps.contains(&w)
            && let Some((d, mask)) = self.code.last_mut().and_then(mask_of)
            && *d == w
        {
            *mask &= m;
            return w;
        }
        self.calc(Op::Mov, w, w, m)
    }

    /// Compiles `e`; gives the word that holds what is needed, or `None` if only a tree can.
    fn fast(&mut self, e: &Expr, need: Need) -> Option<W> {
        // What an operand must supply to operations that carry upwards only.
        let same = match need {
            Need::Low(k) => Need::Low(k),
            Need::Exact => {
                // The result fits into a word, so that its low 64 bits are all of it.
                bound(self, e)?;
                Need::Low(64)
            }
        };
        match e {
            Expr::Const(v) => {
                let v = match need {
                    Need::Exact => v.as_u64()?,
                    Need::Low(k) => v.limb(0) & mask(k),
                };
                Some(self.constant(v))
            }
            Expr::Bool(v) => Some(self.constant(u64::from(*v))),
            Expr::Field(f) | Expr::Flag(f) => match need {
                Need::Exact => Some(f.word),
                Need::Low(k) => (!f.signed || k <= f.width).then_some(f.word),
            },
            Expr::Un(op, x) => match op {
                UnOp::Not => {
                    let a = self.operand(x, same)?;
                    Some(self.calc(Op::Not, a, a, ALL))
                }
                UnOp::LNot => {
                    let (a, b) = (self.operand(x, Need::Exact)?, self.constant(1));
                    Some(self.calc(Op::Xor, a, b, ALL))
                }
                UnOp::ToBool => {
                    let a = self.operand(x, Need::Exact)?;
                    if bound(self, x) == Some(1) {
                        return Some(a);
                    }
                    let b = self.constant(0);
                    Some(self.calc(Op::Ne, a, b, ALL))
                }
                UnOp::ToData => self.operand(x, Need::Exact),
            },
            Expr::Bin(op, x, y) => self.fast_binary(*op, x, y, same),
            Expr::Cond(c, x, y) => {
                let c = self.operand(c, Need::Exact)?;
                let branch = if need == Need::Exact { need } else { same };
                let (a, b) = (self.operand(x, branch)?, self.operand(y, branch)?);
                Some(self.emit(|d| Ins::Select { d, c, a, b }))
            }
            Expr::Register(reg, index) => {
                let width = self.registers[*reg as usize].width.min(64);
                let index = self.operand(index, Need::Exact)?;
                let d = self.emit(|d| Ins::mov(d, d, 0));
                self.code.push(Ins::RegRead {
                    d,
                    reg: *reg,
                    index,
                    width,
                });
                Some(d)
            }
            Expr::HeadersEqual(..) | Expr::Indexed { .. } | Expr::IndexedValid(..) => None,
        }
    }

    fn fast_binary(&mut self, op: BinOp, x: &Expr, y: &Expr, same: Need) -> Option<W> {
        let exact = Need::Exact;
        macro_rules! both {
            ($need:expr, $ins:ident) => {{
                let (a, b) = (self.operand(x, $need)?, self.operand(y, $need)?);
                Some(self.calc(Op::$ins, a, b, ALL))
            }};
        }
        macro_rules! compare {
            ($x:expr, $y:expr, $ins:ident) => {{
                let (a, b) = (self.operand($x, exact)?, self.operand($y, exact)?);
                Some(self.calc(Op::$ins, a, b, ALL))
            }};
        }
        match op {
            BinOp::Add => both!(same, Add),
            BinOp::Sub => both!(same, Sub),
            BinOp::Mul => both!(same, Mul),
            BinOp::Or => both!(same, Or),
            BinOp::Xor => both!(same, Xor),
            BinOp::Div => both!(exact, Div),
            BinOp::Mod => both!(exact, Mod),
            BinOp::And => {
                for (v, m) in [(x, y), (y, x)] {
                    if let Some(m) = constant(m).and_then(Num::as_u64) {
                        let bits = (64 - m.leading_zeros()).max(1);
                        let w = self.operand(v, Need::Low(bits))?;
                        return Some(self.cut(w, m));
                    }
                }
                both!(same, And)
            }
            BinOp::Shl => {
                let (a, b) = (self.operand(x, same)?, self.operand(y, exact)?);
                Some(self.calc(Op::Shl, a, b, ALL))
            }
            BinOp::Shr => {
                // The low k bits of x >> n are in the low k + n bits of x.
                let need = match (same, constant(y).and_then(Num::as_u64)) {
                    (Need::Low(k), Some(n))
                        if u64::from(k) + n <= 64 && bound(self, x).is_none() =>
                    {
                        Need::Low(k + n as u32)
                    }
                    _ => exact,
                };
                let (a, b) = (self.operand(x, need)?, self.operand(y, exact)?);
                Some(self.calc(Op::Shr, a, b, ALL))
            }
            BinOp::Eq => compare!(x, y, Eq),
            BinOp::Ne => compare!(x, y, Ne),
            BinOp::Lt => compare!(x, y, Lt),
            BinOp::Le => compare!(x, y, Le),
            BinOp::Gt => compare!(y, x, Lt),
            BinOp::Ge => compare!(y, x, Le),
            BinOp::LAnd => both!(exact, And),
            BinOp::LOr => both!(exact, Or),
            BinOp::TwoCompMod => {
                let width = constant(y)?.as_u64()?;
                match same {
                    // Only the low bits are used, and these the operation leaves alone.
                    Need::Low(k) if u64::from(k) <= width => self.operand(x, same),
                    _ => None,
                }
            }
            BinOp::UsatCast => {
                let max = mask(
                    u32::try_from(constant(y)?.as_u64()?)
                        .ok()
                        .filter(|&w| w <= 64)?,
                );
                match x {
                    Expr::Bin(BinOp::Add, a, b) => {
                        let (a, b) = (self.operand(a, exact)?, self.operand(b, exact)?);
                        Some(self.calc(Op::SatAdd, a, b, max))
                    }
                    Expr::Bin(BinOp::Sub, a, b) => {
                        let (a, b) = (self.operand(a, exact)?, self.operand(b, exact)?);
                        Some(self.calc(Op::SatSub, a, b, max))
                    }
                    _ => {
                        let a = self.operand(x, exact)?;
                        Some(self.calc(Op::Min, a, a, max))
                    }
                }
            }
            BinOp::SatCast => None,
        }
    }

    /// Compiles `e`, as instructions or else as a tree; `None` if its value does not fit a word.
    fn operand(&mut self, e: &Expr, need: Need) -> Option<W> {
        let (code, temps) = (self.code.len(), self.next_temp);
        if let Some(w) = self.fast(e, need) {
            return Some(w);
        }
        self.code.truncate(code);
        self.next_temp = temps;
        let width = match need {
            Need::Low(k) => k,
            Need::Exact => {
                bound(self, e)?;
                64
            }
        };
        Some(self.tree(e, width))
    }

    fn tree(&mut self, e: &Expr, width: u32) -> W {
        self.exprs.push(e.clone());
        let expr = (self.exprs.len() - 1) as u32;
        let d = self.temp();
        self.code.push(Ins::Slow { d, expr, width });
        d
    }

    /// A word with the low `width` (1 to 64) bits of `e`, and zeros above.
    pub(super) fn word(&mut self, e: &Expr, width: u32) -> W {
        if bound(self, e).is_some_and(|b| b <= mask(width))
            && let Some(w) = self.operand(e, Need::Exact)
        {
            return w;
        }
        match self.operand(e, Need::Low(width)) {
            Some(w) => self.cut(w, mask(width)),
            None => self.tree(e, width),
        }
    }

    /// A word that is 0 or 1.
    pub(super) fn condition(&mut self, e: &Expr) -> W {
        match self.operand(e, Need::Exact) {
            Some(w) => w,
            None => self.tree(e, 1),
        }
    }

    /// Stores `e` into a field, cut to its width.
    pub(super) fn store(&mut self, f: FieldRef, e: &Expr) {
        if f.width > 64 {
            match e {
                Expr::Field(s) if s.width == f.width => {
                    self.code.push(Ins::Copy {
                        d: f.word,
                        a: s.word,
                        n: limbs(f.width),
                    });
                }
                Expr::Const(v) => {
                    for i in 0..limbs(f.width) {
                        let a = self.constant(v.limb(i));
                        let mask = crate::value::limb_mask(f.width, i);
                        self.code.push(Ins::mov(f.word + i, a, mask));
                    }
                }
                _ => {
                    self.exprs.push(e.clone());
                    let expr = (self.exprs.len() - 1) as u32;
                    self.code.push(Ins::Slow {
                        d: f.word,
                        expr,
                        width: f.width,
                    });
                }
            }
            return;
        }
        let w = self.word(e, f.width);
        // Let the instruction that made the value write the field itself.
        if self.temps.contains(&w)
            && let Some(last) = self.code.last_mut()
            && let Some(d) = destination(last)
            && *d == w
        {
            *d = f.word;
            return;
        }
        self.code.push(Ins::mov(f.word, w, mask(f.width)));
    }
}

/// The destination of an instruction that does nothing but compute one word.
fn destination(ins: &mut Ins) -> Option<&mut W> {
    match ins {
        Ins::Slow { d, .. } => Some(d),
        other => other.pure(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::tests::{machine, program};
    use proptest::prelude::*;

    /// The fields of `load::tests::program`: width and whether signed, in order.
    const FIELDS: [(u32, bool); 8] = [
        (1, false),
        (7, false),
        (16, false),
        (32, false),
        (64, false),
        (33, false),
        (128, false),
        (8, true),
    ];

    fn field(i: usize) -> Expr {
        let mut word = 0;
        for (width, _) in &FIELDS[..i] {
            word += limbs(*width);
        }
        let (width, signed) = FIELDS[i];
        Expr::Field(FieldRef {
            word,
            width,
            signed,
        })
    }

    fn number(v: u64) -> Expr {
        Expr::Const(Num::Small(v.into()))
    }

    fn bin(op: BinOp, a: Expr, b: Expr) -> Expr {
        Expr::Bin(op, Box::new(a), Box::new(b))
    }

    /// Numbers of every shape that p4c emits, and many that it does not.
    fn data(depth: u32) -> BoxedStrategy<Expr> {
        let leaf = prop_oneof![
            (0..FIELDS.len()).prop_map(field),
            any::<u64>().prop_map(number),
            (0u64..70).prop_map(number),
            Just(Expr::Const(Num::Small(-3))),
        ];
        if depth == 0 {
            return leaf.boxed();
        }
        use BinOp::*;
        let op = prop::sample::select(vec![Add, Sub, Mul, And, Or, Xor, Div, Mod, Shl, Shr]);
        let sub = || data(depth - 1);
        prop_oneof![
            1 => leaf,
            5 => (op, sub(), sub()).prop_map(|(op, a, b)| match op {
                // An amount of up to 2^15 bits, as a shift by a field of that width.
                Shl => bin(Shl, a, bin(And, b, number(0x1ff))),
                op => bin(op, a, b),
            }),
            2 => (sub(), 1u32..70).prop_map(|(a, w)| bin(And, a, number(mask(w)))),
            1 => (prop::sample::select(vec![UsatCast, SatCast, TwoCompMod]), sub(), 1u64..70)
                .prop_map(|(op, a, w)| bin(op, a, number(w))),
            1 => sub().prop_map(|a| Expr::Un(UnOp::Not, Box::new(a))),
            1 => (boolean(depth - 1), sub(), sub())
                .prop_map(|(c, a, b)| Expr::Cond(Box::new(c), Box::new(a), Box::new(b))),
            1 => boolean(depth - 1).prop_map(|a| Expr::Un(UnOp::ToData, Box::new(a))),
        ]
        .boxed()
    }

    fn boolean(depth: u32) -> BoxedStrategy<Expr> {
        if depth == 0 {
            return any::<bool>().prop_map(Expr::Bool).boxed();
        }
        use BinOp::*;
        let compare = prop::sample::select(vec![Eq, Ne, Lt, Le, Gt, Ge]);
        prop_oneof![
            4 => (compare, data(depth - 1), data(depth - 1)).prop_map(|(op, a, b)| bin(op, a, b)),
            1 => (prop::sample::select(vec![LAnd, LOr, Eq, Ne]), boolean(depth - 1), boolean(depth - 1))
                .prop_map(|(op, a, b)| bin(op, a, b)),
            1 => boolean(depth - 1).prop_map(|a| Expr::Un(UnOp::LNot, Box::new(a))),
            1 => data(depth - 1).prop_map(|a| Expr::Un(UnOp::ToBool, Box::new(a))),
        ]
        .boxed()
    }

    /// Stores `e` into a field of `width` bits by instructions, which as machine code do the same,
    /// and by the exact evaluator.
    fn both(e: &Expr, width: u32, values: &[u64]) -> (Vec<u64>, Vec<u64>) {
        let (mut p, mut b) = program(&FIELDS);
        let n = limbs(width);
        let word = b.template.len() as u32;
        (0..n).for_each(|_| {
            b.new_word(0);
        });
        let pc = b.block();
        b.store(
            FieldRef {
                word,
                width,
                signed: false,
            },
            e,
        );
        b.end();
        p.template = b.template;
        p.code = b.code;
        p.exprs = b.exprs;
        let mut m = machine(&p);
        let mut at = 0;
        for (width, _) in FIELDS {
            for i in 0..limbs(width) {
                m.w[at] = values[at] & crate::value::limb_mask(width, i);
                at += 1;
            }
        }
        let exact = m.eval(&p, e);
        m.run(&p, pc);
        let fast = m.w[word as usize..(word + n) as usize].to_vec();
        let slow = (0..n)
            .map(|i| exact.limb(i) & crate::value::limb_mask(width, i))
            .collect();
        let before = [&m.w[..word as usize], &vec![0; n as usize]].concat();
        let after = crate::jit::tests::run_code(p, pc, &before);
        assert_eq!(after[word as usize..], fast, "machine code differs: {e:?}");
        (fast, slow)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn code_computes_what_exact_arithmetic_does(
            e in data(4),
            width in prop_oneof![1u32..=64, Just(128u32)],
            values in prop::collection::vec(prop_oneof![any::<u64>(), 0u64..4, Just(u64::MAX)], 9),
        ) {
            let (fast, slow) = both(&e, width, &values);
            prop_assert_eq!(fast, slow);
        }
    }

    #[test]
    fn a_masked_sum_is_one_instruction() {
        let (_, mut b) = program(&FIELDS);
        let e = bin(
            BinOp::And,
            bin(BinOp::Add, field(3), field(2)),
            number(0xffff_ffff),
        );
        let Expr::Field(f) = field(3) else {
            unreachable!()
        };
        b.block();
        b.store(f, &e);
        assert!(
            matches!(
                b.code[..],
                [Ins::Calc {
                    op: Op::Add,
                    mask: 0xffff_ffff,
                    ..
                }]
            ),
            "{:?}",
            b.code
        );
    }

    #[test]
    fn saturation_stays_in_words() {
        let (_, mut b) = program(&FIELDS);
        let sum = bin(
            BinOp::UsatCast,
            bin(BinOp::Sub, field(2), field(3)),
            number(16),
        );
        let Expr::Field(f) = field(2) else {
            unreachable!()
        };
        b.store(f, &sum);
        assert!(
            matches!(
                b.code[..],
                [Ins::Calc {
                    op: Op::SatSub,
                    mask: 0xffff,
                    ..
                }]
            ),
            "{:?}",
            b.code
        );
    }

    #[test]
    fn p4_64_bit_arithmetic() {
        // bit<64> product of two fields, shifted: the low 64 bits of the product count.
        let product = bin(
            BinOp::And,
            bin(BinOp::Mul, field(4), field(5)),
            number(u64::MAX),
        );
        let e = bin(BinOp::Shr, product, number(32));
        let mut values = [0; 9];
        (values[4], values[5]) = (0x1234_5678_9abc_def0, 0x1_0000_0003);
        let expected = 0x1234_5678_9abc_def0u64.wrapping_mul(0x1_0000_0003) >> 32;
        assert_eq!(both(&e, 64, &values), (vec![expected], vec![expected]));
    }

    #[test]
    fn signed_values() {
        let mut values = [0; 9];
        values[8] = 0xff; // int<8>: -1
        let s = || field(7);
        assert_eq!(both(&s(), 16, &values).0, [0xffff], "sign extension");
        let less = Expr::Un(UnOp::ToData, Box::new(bin(BinOp::Lt, s(), number(0))));
        assert_eq!(both(&less, 1, &values).0, [1]);
        let half = bin(BinOp::Shr, s(), number(1));
        assert_eq!(both(&half, 8, &values).0, [0xff], "arithmetic shift");
        let sat = bin(BinOp::SatCast, bin(BinOp::Sub, s(), number(200)), number(8));
        assert_eq!(both(&sat, 8, &values).0, [0x80]);
        let wrap = bin(BinOp::TwoCompMod, number(257), number(8));
        assert_eq!(both(&wrap, 16, &values).0, [1]);
        let wrap = bin(BinOp::TwoCompMod, Expr::Const(Num::Small(-129)), number(8));
        assert_eq!(both(&wrap, 16, &values).0, [127]);
    }

    #[test]
    fn division_by_zero_gives_zero() {
        let values = [0; 9];
        for op in [BinOp::Div, BinOp::Mod] {
            assert_eq!(
                both(&bin(op, number(7), field(3)), 32, &values),
                (vec![0], vec![0])
            );
        }
    }

    #[test]
    fn oversized_shifts_give_zero() {
        let mut values = [0; 9];
        (values[3], values[4]) = (u64::MAX, u64::MAX);
        for op in [BinOp::Shl, BinOp::Shr] {
            assert_eq!(
                both(&bin(op, field(4), field(3)), 64, &values),
                (vec![0], vec![0])
            );
        }
    }
}
