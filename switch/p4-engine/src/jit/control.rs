// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Pipelines: the nodes of the control flow as blocks of one function, with the actions of each
//! table put in.

use std::collections::BTreeMap;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::I64;
use cranelift_codegen::ir::{Block, InstBuilder, StackSlot, StackSlotData, StackSlotKind};
use cranelift_frontend::Switch;

use super::Refusal;
use super::classes::interpreted_table;
use super::emit::{Emit, Result, env};
use super::locals::{nodes, successors};
use super::raw::Helper;
use crate::program::{NONE, Node, Test};

/// Bytes of a table's key at most: it lies on the stack.
const MAX_KEY: usize = 1 << 14;

/// The blocks of a pipeline, and where the keys of its tables are put together.
struct Nodes {
    blocks: BTreeMap<u32, Block>,
    end: Block,
    key: StackSlot,
}

impl Nodes {
    fn block(&self, node: u32) -> Result<Block> {
        if node == NONE {
            return Ok(self.end);
        }
        self.blocks.get(&node).copied().ok_or(Refusal::Malformed)
    }
}

impl Emit<'_, '_> {
    /// The pipeline that begins at a node.
    pub fn pipeline(&mut self, start: u32) -> Result<()> {
        let order = nodes(self.p, start)?;
        let keys = self
            .p
            .tables
            .iter()
            .map(|t| t.layout.len() * size_of::<u64>());
        let bytes = keys.max().unwrap_or(0);
        if bytes > MAX_KEY {
            return Err(Refusal::TooLarge);
        }
        let key = StackSlotData::new(StackSlotKind::ExplicitSlot, bytes.max(8) as u32, 3);
        let places = Nodes {
            blocks: order.iter().map(|&n| (n, self.b.create_block())).collect(),
            end: self.b.create_block(),
            key: self.b.create_sized_stack_slot(key),
        };
        let zero = self.number(0);
        for w in self.classes.locals() {
            self.define(w, zero);
        }
        let first = places.block(start)?;
        self.jump(first);
        for n in order {
            let block = places.block(n)?;
            self.enter(block);
            self.count(1)?;
            self.node(&places, &self.p.nodes[n as usize])?;
        }
        self.enter(places.end);
        Ok(())
    }

    fn node(&mut self, nodes: &Nodes, node: &Node) -> Result<()> {
        match *node {
            Node::Condition { pc, word, yes, no } => {
                self.block(pc, Some(nodes.end))?;
                let c = self.word(word)?;
                let (yes, no) = (nodes.block(yes)?, nodes.block(no)?);
                self.branch(c, yes, no);
            }
            Node::Test {
                test,
                a,
                b,
                yes,
                no,
            } => {
                let a = self.word(a)?;
                let mut compare = |code| {
                    let b = self.word(b)?;
                    Ok(self.b.ins().icmp(code, a, b))
                };
                let c = match test {
                    Test::Set => a,
                    Test::Eq => compare(IntCC::Equal)?,
                    Test::Ne => compare(IntCC::NotEqual)?,
                    Test::Lt => compare(IntCC::UnsignedLessThan)?,
                    Test::Le => compare(IntCC::UnsignedLessThanOrEqual)?,
                };
                let (yes, no) = (nodes.block(yes)?, nodes.block(no)?);
                self.branch(c, yes, no);
            }
            Node::Action { pc, next } => {
                self.block(pc, Some(nodes.end))?;
                let next = nodes.block(next)?;
                self.jump(next);
            }
            Node::Table(t) => {
                if interpreted_table(&self.p.tables[t as usize]) {
                    self.interpreted_table(nodes, t)?;
                } else {
                    self.table(nodes, t)?;
                }
            }
        }
        Ok(())
    }

    fn interpreted_table(&mut self, nodes: &Nodes, t: u32) -> Result<()> {
        let table = self.number(t.into());
        let next = self.call(Helper::ApplyAll, &[table]);
        let mut choice = Switch::new();
        for n in successors(&self.p.tables[t as usize].next) {
            if n != NONE {
                choice.set_entry(n.into(), nodes.block(n)?);
            }
        }
        choice.emit(&mut self.b, next, nodes.end);
        Ok(())
    }

    fn table(&mut self, nodes: &Nodes, t: u32) -> Result<()> {
        let p = self.p;
        let info = &p.tables[t as usize];
        self.count(info.layout.len() + info.actions.len())?;
        for (i, from) in info.layout.iter().enumerate() {
            let v = self.word(from.word)?;
            let v = self.cut(v, from.mask);
            self.b.ins().stack_store(v, nodes.key, (i * 8) as i32);
        }
        let table = self.number(t.into());
        let key = self.b.ins().stack_addr(I64, nodes.key, 0);
        let run = self.call(Helper::Apply, &[table, key]);
        let nothing = self.b.create_block();
        let mut choice = Switch::new();
        let mut arms = BTreeMap::new();
        for &action in &info.actions {
            let pc = p.actions[action].pc;
            // An action that is named twice is one.
            if let Some(other) = arms.insert(pc, action) {
                if other != action {
                    return Err(Refusal::Malformed);
                }
                continue;
            }
        }
        let arms: Vec<_> = arms
            .into_iter()
            .map(|(pc, action)| (pc, action, self.b.create_block()))
            .collect();
        for &(pc, _, block) in &arms {
            choice.set_entry(pc.into(), block);
        }
        choice.emit(&mut self.b, run, nothing);
        for (pc, action, block) in arms {
            self.enter(block);
            self.parameters(&p.actions[action])?;
            let by_action = info.next.by_action.get(&action).copied().unwrap_or(NONE);
            let (hit, miss) = (
                info.next.hit.unwrap_or(by_action),
                info.next.miss.unwrap_or(by_action),
            );
            // The lookup gives the next node; of the two that there are, one is not to be read.
            let other = (hit != miss).then(|| self.env(env::NEXT));
            self.block(pc, Some(nodes.end))?;
            let (hit_block, miss_block) = (nodes.block(hit)?, nodes.block(miss)?);
            match other {
                None => self.jump(hit_block),
                Some(next) => {
                    let hit = self.number(hit.into());
                    let is_hit = self.b.ins().icmp(IntCC::Equal, next, hit);
                    self.branch(is_hit, hit_block, miss_block);
                }
            }
        }
        self.enter(nothing);
        let next = nodes.block(info.next.miss.unwrap_or(info.next.base))?;
        self.jump(next);
        Ok(())
    }
}
