// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! A function under construction: words, calls, and what else its parts have in common.

use std::collections::HashMap;
use std::mem::offset_of;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::{I8, I64};
use cranelift_codegen::ir::{AliasRegion, Block, FuncRef, InstBuilder, MemFlags, Type, Value};
use cranelift_frontend::{FunctionBuilder, Variable};

use super::Refusal;
use super::classes::{Class, Classes};
use super::raw::{Env, Helper};
use crate::budget::{EMITTED_OPERATIONS, TRANSLATED_INSTRUCTIONS};
use crate::instructions::W;
use crate::program::Ir;

pub(super) type Result<T> = std::result::Result<T, Refusal>;

/// Fields of `Env`.
pub(super) mod env {
    use super::{Env, offset_of};
    pub const WORDS: i32 = offset_of!(Env, words) as i32;
    pub const REGISTERS: i32 = offset_of!(Env, registers) as i32;
    pub const COUNTERS: i32 = offset_of!(Env, counters) as i32;
    pub const MACHINE: i32 = offset_of!(Env, machine) as i32;
    pub const BYTES: i32 = offset_of!(Env, bytes) as i32;
    pub const LEN: i32 = offset_of!(Env, len) as i32;
    pub const OUT: i32 = offset_of!(Env, out) as i32;
    pub const DATA: i32 = offset_of!(Env, data) as i32;
    pub const NEXT: i32 = offset_of!(Env, next) as i32;
    pub const AT: i32 = offset_of!(Env, at) as i32;
    pub const ERROR: i32 = offset_of!(Env, error) as i32;
}

/// A function under construction.
pub(super) struct Emit<'a, 'f> {
    pub b: FunctionBuilder<'f>,
    pub p: &'a Ir,
    pub classes: &'a Classes,
    helpers: &'a [FuncRef],
    env: Value,
    words: Value,
    machine: Value,
    variables: HashMap<W, Variable>,
    /// Values that are an `I8` of 0 or 1, made longer.
    flags: HashMap<Value, Value>,
    /// What some words in the word array have now.
    known: Known,
    /// What is known wherever a block that has not begun yet is entered from.
    edges: HashMap<Block, Known>,
    /// Instructions, fields, nodes and the like that have been translated.
    pub translated: usize,
    /// Operations of the functions before this one.
    pub before: usize,
}

/// The values of words.
type Known = HashMap<W, Value>;

/// So many words are known at most: each takes a machine register, or a place on the stack.
const MAX_KNOWN: usize = 64;

/// The kinds of memory that do not overlap.
#[derive(Clone, Copy)]
pub(super) enum Region {
    /// The word array.
    Words,
    /// Packet bytes and the deparser's buffer.
    Packet,
    /// All others.
    Other,
}

fn flags(region: Region) -> MemFlags {
    let region = match region {
        Region::Words => AliasRegion::Heap,
        Region::Packet => AliasRegion::Table,
        Region::Other => AliasRegion::Vmctx,
    };
    // No access traps: see `raw` for why each is within its memory.
    MemFlags::new()
        .with_notrap()
        .with_alias_region(Some(region))
}

impl<'a, 'f> Emit<'a, 'f> {
    /// Begins a function in its first block.
    pub fn new(
        mut b: FunctionBuilder<'f>,
        p: &'a Ir,
        classes: &'a Classes,
        helpers: &'a [FuncRef],
    ) -> Self {
        let block = b.create_block();
        b.append_block_params_for_function_params(block);
        b.switch_to_block(block);
        let env = b.block_params(block)[0];
        let fixed = flags(Region::Other).with_readonly().with_aligned();
        let words = b.ins().load(I64, fixed, env, env::WORDS);
        let machine = b.ins().load(I64, fixed, env, env::MACHINE);
        Self {
            b,
            p,
            classes,
            helpers,
            env,
            words,
            machine,
            variables: HashMap::new(),
            flags: HashMap::new(),
            known: Known::new(),
            edges: HashMap::new(),
            translated: 0,
            before: 0,
        }
    }

    /// Ends the function, which returns `result`.
    pub fn finish(mut self, result: Value) {
        self.b.ins().return_(&[result]);
        self.b.seal_all_blocks();
        self.b.finalize();
    }

    /// Counts what is translated; refuses a program that is too large.
    pub fn count(&mut self, n: usize) -> Result<()> {
        self.translated += n;
        if self.translated > TRANSLATED_INSTRUCTIONS || self.operations() > EMITTED_OPERATIONS {
            return Err(Refusal::TooLarge);
        }
        Ok(())
    }

    /// Operations of the code generator, with those of the functions before.
    pub fn operations(&self) -> usize {
        self.before + self.b.func.dfg.num_insts()
    }

    pub fn number(&mut self, v: u64) -> Value {
        self.b.ins().iconst(I64, v as i64)
    }

    pub fn load(&mut self, ty: Type, region: Region, base: Value, offset: i32) -> Value {
        self.b.ins().load(ty, flags(region), base, offset)
    }

    pub fn store(&mut self, region: Region, v: Value, base: Value, offset: i32) {
        self.b.ins().store(flags(region), v, base, offset);
    }

    /// A pointer in `Env` that never changes.
    pub fn fixed(&mut self, offset: i32) -> Value {
        self.fixed_at(self.env, offset)
    }

    /// A pointer that never changes while the function runs.
    pub fn fixed_at(&mut self, base: Value, offset: i32) -> Value {
        let fixed = flags(Region::Other).with_readonly().with_aligned();
        self.b.ins().load(I64, fixed, base, offset)
    }

    /// A field of `Env`.
    pub fn env(&mut self, offset: i32) -> Value {
        self.load(I64, Region::Other, self.env, offset)
    }

    /// A scalar of the machine.
    pub fn machine(&mut self, ty: Type, offset: i32) -> Value {
        self.load(ty, Region::Other, self.machine, offset)
    }

    pub fn set_machine(&mut self, offset: i32, v: Value) {
        self.store(Region::Other, v, self.machine, offset);
    }

    /// Calls a function of `raw` with these arguments after `Env`. It may write words, and what is
    /// in registers would have to be saved: nothing is known after it.
    pub fn call(&mut self, helper: Helper, args: &[Value]) -> Value {
        let mut all = vec![self.env];
        all.extend_from_slice(args);
        self.known.clear();
        let call = self.b.ins().call(self.helpers[helper as usize], &all);
        self.b.inst_results(call)[0]
    }

    fn variable(&mut self, w: W) -> Variable {
        if let Some(&v) = self.variables.get(&w) {
            return v;
        }
        let v = self.b.declare_var(I64);
        self.variables.insert(w, v);
        v
    }

    /// What a word that is not in the word array now has.
    pub fn define(&mut self, w: W, v: Value) {
        let variable = self.variable(w);
        self.b.def_var(variable, v);
    }

    pub fn word(&mut self, w: W) -> Result<Value> {
        Ok(match self.classes.of(w)? {
            Class::Const(v) => self.number(v),
            Class::Temp | Class::Local | Class::Param(_) => {
                let variable = self.variable(w);
                self.b.use_var(variable)
            }
            Class::Memory => match self.known.get(&w) {
                Some(&v) => v,
                None => {
                    let v = self.load(I64, Region::Words, self.words, offset(w));
                    self.learn(w, v);
                    v
                }
            },
        })
    }

    pub fn set_word(&mut self, w: W, v: Value) -> Result<()> {
        match self.classes.of(w)? {
            Class::Const(_) => return Err(Refusal::Malformed),
            Class::Temp | Class::Local | Class::Param(_) => self.define(w, v),
            Class::Memory => {
                self.store(Region::Words, v, self.words, offset(w));
                self.learn(w, v);
            }
        }
        Ok(())
    }

    /// Notes the value of a word in the word array.
    fn learn(&mut self, w: W, v: Value) {
        if self.known.len() >= MAX_KNOWN {
            self.known.clear();
        }
        self.known.insert(w, v);
    }

    /// Notes that control may go to a block from here.
    fn edge(&mut self, to: Block) {
        let known = &self.known;
        self.edges
            .entry(to)
            .and_modify(|there| there.retain(|w, v| known.get(w) == Some(v)))
            .or_insert_with(|| known.clone());
    }

    /// Begins a block to which all jumps have been made.
    pub fn enter(&mut self, block: Block) {
        self.known = self.edges.remove(&block).unwrap_or_default();
        self.b.switch_to_block(block);
    }

    /// Begins a block to which there may be jumps from after it.
    pub fn enter_loop(&mut self, block: Block) {
        self.known.clear();
        self.b.switch_to_block(block);
    }

    /// Stores to the word array itself, where the interpreter looks for a parameter.
    pub fn spill(&mut self, w: W, v: Value) {
        self.store(Region::Words, v, self.words, offset(w));
    }

    /// The constant that a word is, if it is one.
    pub fn constant(&self, w: W) -> Result<Option<u64>> {
        Ok(match self.classes.of(w)? {
            Class::Const(v) => Some(v),
            _ => None,
        })
    }

    /// `v & mask`.
    pub fn cut(&mut self, v: Value, mask: u64) -> Value {
        match mask {
            u64::MAX => v,
            0 => self.number(0),
            _ => {
                let mask = self.number(mask);
                self.b.ins().band(v, mask)
            }
        }
    }

    /// A comparison as a word that is 0 or 1.
    pub fn compare(&mut self, code: IntCC, a: Value, b: Value) -> Value {
        let flag = self.b.ins().icmp(code, a, b);
        let v = self.b.ins().uextend(I64, flag);
        self.flags.insert(v, flag);
        v
    }

    /// A word as a condition: it holds if the word is not 0.
    pub fn condition(&self, v: Value) -> Value {
        self.flags.get(&v).copied().unwrap_or(v)
    }

    /// Goes to one of two blocks, depending on whether `v` is not 0.
    pub fn branch(&mut self, v: Value, yes: Block, no: Block) {
        let c = self.condition(v);
        self.edge(yes);
        self.edge(no);
        self.b.ins().brif(c, yes, &[], no, &[]);
    }

    pub fn jump(&mut self, to: Block) {
        self.edge(to);
        self.b.ins().jump(to, &[]);
    }

    /// A new block that is hardly ever run.
    pub fn cold(&mut self) -> Block {
        let block = self.b.create_block();
        self.b.set_cold_block(block);
        block
    }

    /// 1 as a byte.
    pub fn yes(&mut self) -> Value {
        self.b.ins().iconst(I8, 1)
    }
}

/// Where a word is in the word array. `Classes` has as many words as the array has at most.
fn offset(w: W) -> i32 {
    (crate::instructions::at(w) * size_of::<u64>()) as i32
}
