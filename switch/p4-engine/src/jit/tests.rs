// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Compiled code against the interpreter, instruction by instruction.

use proptest::prelude::*;
use std::sync::Arc;

use super::*;
use crate::budget::TRANSLATED_INSTRUCTIONS;
use crate::instructions::{Ins, Op, W};
use crate::load::tests::program;
use crate::loaded::Program;
use crate::memory::CounterValue;
use crate::program::{CounterInfo, FieldRef, Header, NONE, Node, RegisterInfo};
use crate::switch::{Execution, Switch, SwitchConfig};

/// Words of the packet's state, constants, temporaries.
const STATE: u32 = 8;
const CONSTANTS: [u64; 6] = [0, 1, 7, 63, 1 << 40, u64::MAX];
const TEMPS: u32 = 6;
const CELLS: u64 = 5;

fn constant(i: u32) -> W {
    STATE + i
}

fn temp(i: u32) -> W {
    STATE + CONSTANTS.len() as u32 + i
}

/// A word to read.
fn source() -> impl Strategy<Value = W> {
    prop_oneof![
        3 => 0..STATE,
        1 => (0..CONSTANTS.len() as u32).prop_map(constant),
        3 => (0..TEMPS).prop_map(temp),
    ]
}

/// A word to write.
fn target() -> impl Strategy<Value = W> {
    prop_oneof![0..STATE, (0..TEMPS).prop_map(temp)]
}

fn cut() -> impl Strategy<Value = u64> {
    prop_oneof![
        Just(u64::MAX),
        (0u32..=64).prop_map(crate::value::mask),
        any::<u64>()
    ]
}

/// Any instruction that needs no headers or tables. Jumps go `skip` instructions further.
fn instruction() -> impl Strategy<Value = (Ins, Option<usize>)> {
    let three = || (target(), source(), source(), cut());
    let ops = vec![
        Op::Mov,
        Op::Add,
        Op::Sub,
        Op::Mul,
        Op::Div,
        Op::Mod,
        Op::And,
        Op::Or,
        Op::Xor,
        Op::Not,
        Op::Shl,
        Op::Shr,
        Op::Eq,
        Op::Ne,
        Op::Lt,
        Op::Le,
        Op::Min,
        Op::SatAdd,
        Op::SatSub,
    ];
    let calc = (prop::sample::select(ops), three()).prop_map(|(op, (d, a, b, mask))| Ins::Calc {
        op,
        d,
        a,
        b,
        mask,
    });
    let pure = (0u32..4, three(), source()).prop_map(|(kind, (d, a, b, mask), c)| match kind {
        0 => Ins::Select { d, c, a, b },
        1 => Ins::Random {
            d,
            lo: a,
            hi: b,
            mask,
        },
        2 => Ins::Count {
            counter: 0,
            index: a,
        },
        _ => Ins::Copy {
            d: d.min(STATE - 2),
            a: a.min(STATE - 2),
            n: 2,
        },
    });
    let cell =
        (target(), source(), source(), 0u32..2, 1u32..=64).prop_map(|(d, index, a, reg, width)| {
            match (reg, width % 2) {
                (0, 0) => Ins::RegWrite { reg, index, a },
                (0, _) => Ins::RegRead {
                    d,
                    reg,
                    index,
                    width,
                },
                // Two words a cell: the interpreter does these.
                (_, 0) => Ins::RegWrite {
                    reg,
                    index,
                    a: a.min(STATE - 2),
                },
                _ => Ins::RegRead {
                    d: d.min(STATE - 2),
                    reg,
                    index,
                    width: width + 64,
                },
            }
        });
    let rest = (0u32..20, source()).prop_map(|(kind, a)| match kind {
        0 => Ins::Exit,
        1 => Ins::Assert { a },
        2 => Ins::DropPort {
            d: 0,
            mask: u64::MAX,
        },
        3 => Ins::Truncate { a },
        _ => Ins::mov(0, a, u64::MAX),
    });
    let jump = (any::<bool>(), source(), 1usize..6).prop_map(|(always, a, skip)| {
        let ins = match always {
            true => Ins::Jump { pc: 0 },
            false => Ins::JumpIfZero { a, pc: 0 },
        };
        (ins, Some(skip))
    });
    prop_oneof![
        10 => calc.prop_map(|i| (i, None)),
        2 => pure.prop_map(|i| (i, None)),
        3 => cell.prop_map(|i| (i, None)),
        1 => rest.prop_map(|i| (i, None)),
        2 => jump,
    ]
}

/// A program whose ingress pipeline is this code.
fn with_code(code: &[(Ins, Option<usize>)]) -> Ir {
    let (mut p, mut b) = program(&[(64, false); STATE as usize]);
    CONSTANTS.iter().for_each(|v| {
        b.new_word(*v);
    });
    (0..TEMPS).for_each(|_| {
        b.new_word(0);
    });
    p.template = b.template;
    p.state_words = STATE as usize;
    p.locals = p.template.len();
    // No metadata, in which variables could be.
    p.headers.clear();
    let end = code.len();
    p.code = (code.iter().enumerate())
        .map(|(i, &(mut ins, skip))| {
            if let (Ins::Jump { pc } | Ins::JumpIfZero { pc, .. }, Some(skip)) = (&mut ins, skip) {
                *pc = (i + skip).min(end) as u32;
            }
            ins
        })
        .chain([Ins::End])
        .collect();
    p.nodes = vec![Node::Action { pc: 0, next: NONE }];
    p.ingress = 0;
    p.egress = NONE;
    let register = |name: &str, width| RegisterInfo {
        name: name.to_owned(),
        id: 0,
        size: CELLS as usize,
        width,
        initial: vec![0; crate::value::limbs(width) as usize],
    };
    p.registers = vec![register("narrow", 48), register("wide", 100)];
    p.counters = vec![CounterInfo {
        name: "counter".to_owned(),
        id: 0,
        size: CELLS as usize,
        table: None,
    }];
    // The fields that the target itself uses.
    for f in [&mut p.meta.egress_spec, &mut p.meta.instance_type] {
        f.word = 0;
    }
    p
}

fn loaded(ir: Ir) -> Arc<Program> {
    Arc::new(Program::new(ir, Vec::new()))
}

/// What code leaves behind.
#[derive(Debug, PartialEq)]
struct After {
    words: Vec<u64>,
    registers: Vec<Vec<u64>>,
    counters: Vec<CounterValue>,
    assert_failed: bool,
    truncate: Option<u64>,
    random: u64,
}

fn run(p: &Arc<Program>, execution: Execution, words: &[u64]) -> After {
    let config = SwitchConfig {
        seed: 3,
        execution,
        ..SwitchConfig::default()
    };
    let mut s = Switch::new(Arc::clone(p), config);
    assert_eq!(s.is_compiled(), execution == Execution::Compiled);
    s.state.machine.w[..words.len()].copy_from_slice(words);
    s.state.machine.ingress_length = 77;
    // Twice, so that the second run sees what the first has written.
    for _ in 0..2 {
        s.pipeline(p, Pipeline::Ingress);
    }
    let mut m = s.state.machine;
    After {
        words: m.w[..p.state_words].to_vec(),
        registers: m.registers.iter().map(|r| r.to_vec()).collect(),
        counters: m.counters.iter().flat_map(|c| c.to_vec()).collect(),
        assert_failed: m.assert_failed,
        truncate: m.truncate,
        random: crate::exec::uniform(&mut m.rng, 0, u64::MAX),
    }
}

/// The words of the packet's state after the code at `pc`, compiled; they begin as `words`.
pub fn run_code(mut p: Ir, pc: u32, words: &[u64]) -> Vec<u64> {
    p.state_words = words.len();
    p.locals = p.template.len();
    p.headers.clear();
    p.nodes = vec![Node::Action { pc, next: NONE }];
    p.ingress = 0;
    p.egress = NONE;
    run(&loaded(p), Execution::Compiled, words).words
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn any_code_does_the_same(
        code in prop::collection::vec(instruction(), 0..60),
        words in prop::collection::vec(prop_oneof![any::<u64>(), 0..=CELLS, Just(u64::MAX)], STATE as usize),
    ) {
        // Temporaries begin with an assignment, as the loader makes them.
        let first = (0..TEMPS).map(|i| (Ins::mov(temp(i), i % STATE, u64::MAX), None));
        let code: Vec<_> = first.chain(code).collect();
        let p = loaded(with_code(&code));
        prop_assert_eq!(run(&p, Execution::Compiled, &words), run(&p, Execution::Interpreted, &words));
    }
}

/// The first words of the state that are looked at from outside; the others are variables.
const VISIBLE: u32 = 3;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    /// The words that both pipelines leave behind, where all others may be variables of one of them.
    #[test]
    fn variables_are_never_missed(
        ingress in prop::collection::vec(instruction(), 0..40),
        egress in prop::collection::vec(instruction(), 0..40),
        seen in prop::collection::vec(any::<u64>(), VISIBLE as usize),
    ) {
        let [ingress, egress] = [ingress, egress].map(|code| {
            let first = (0..TEMPS).map(|i| (Ins::mov(temp(i), i % STATE, u64::MAX), None));
            first.chain(code).collect::<Vec<_>>()
        });
        let field = |word| FieldRef { word, width: 64, signed: false };
        let mut p = with_code(&ingress);
        let first = p.code.len();
        let mut second = with_code(&egress).code;
        for ins in &mut second {
            if let Ins::Jump { pc } | Ins::JumpIfZero { pc, .. } = ins {
                *pc += first as u32;
            }
        }
        p.code.extend(second);
        p.nodes.push(Node::Action { pc: first as u32, next: NONE });
        p.egress = 1;
        p.headers = vec![Header {
            name: "metadata".to_owned(),
            type_name: "metadata".to_owned(),
            metadata: true,
            valid: 0,
            fields: (0..STATE).map(field).collect(),
            first: 0,
            words: STATE,
            bytes: 0,
            var: None,
            union: None,
        }];
        p.field_lists.insert(1, (0..VISIBLE).map(field).collect());
        let p = loaded(p);
        let [compiled, interpreted] = [Execution::Compiled, Execution::Interpreted].map(|execution| {
            let mut s = Switch::new(Arc::clone(&p), SwitchConfig { execution, ..SwitchConfig::default() });
            s.state.machine.w[..seen.len()].copy_from_slice(&seen);
            s.pipeline(&p, Pipeline::Ingress);
            let between = s.state.machine.w[..seen.len()].to_vec();
            s.pipeline(&p, Pipeline::Egress);
            (between, s.state.machine.w[..seen.len()].to_vec())
        });
        prop_assert_eq!(compiled, interpreted);
    }
}

#[test]
fn what_is_too_large_is_interpreted() {
    let add = Ins::Calc {
        op: Op::Add,
        d: 0,
        a: 0,
        b: constant(1),
        mask: u64::MAX,
    };
    let p = loaded(with_code(&vec![(add, None); TRANSLATED_INSTRUCTIONS]));
    assert_eq!(p.compile(), Err(Refusal::TooLarge));
    let config = SwitchConfig {
        execution: Execution::Compiled,
        ..SwitchConfig::default()
    };
    let mut s = Switch::new(Arc::clone(&p), config);
    assert_eq!(s.refusal(), Some(&Refusal::TooLarge));
    assert!(!s.is_compiled());
    s.pipeline(&p, Pipeline::Ingress);
    assert_eq!(s.state.machine.w[0], TRANSLATED_INSTRUCTIONS as u64);
}

#[test]
fn words_that_there_are_not_are_refused() {
    for (ins, refused) in [
        (Ins::mov(0, 9999, 1), true),
        (Ins::mov(9999, 0, 1), true),
        (
            Ins::Copy {
                d: 0,
                a: temp(TEMPS) - 1,
                n: 2,
            },
            true,
        ),
        (Ins::mov(0, 1, 1), false),
    ] {
        let p = loaded(with_code(&[(ins, None)]));
        assert_eq!(p.compile() == Err(Refusal::Malformed), refused, "{ins:?}");
    }
}
