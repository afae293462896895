// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! What a program's parser and pipelines read and write: the machine, tables, action profiles. And
//! the interpreter of the control flow, which is between them.

use crate::exec::Machine;
use crate::instructions::at;
use crate::profile::Profile;
use crate::program::{FieldRef, Ir, NONE, Node, Test};
use crate::table::{INDIRECT, TableState};
use crate::trace::{Records, TableTrace, Trace};
use crate::value::{Value, limbs, mask};

/// Most nodes of a pipeline that goes in circles that a packet passes. One that goes on is dropped as if an assertion had failed.
const MAX_STEPS: u32 = 100_000;

/// See the module.
pub(crate) struct State {
    pub machine: Machine,
    pub tables: Vec<TableState>,
    pub profiles: Vec<Profile>,
    /// What the program does to packets, if that is wanted.
    pub trace: Option<Records>,
    /// The key of the table at hand; as long as the longest.
    key: Vec<u64>,
}

impl State {
    pub fn new(p: &Ir, tables: Vec<TableState>, machine: Machine) -> Self {
        let key_words = p.tables.iter().map(|t| t.key_words).max();
        Self {
            machine,
            tables,
            profiles: vec![Profile::default(); p.profiles.len()],
            trace: None,
            key: vec![0; key_words.unwrap_or(0) as usize],
        }
    }

    #[inline]
    pub fn set(&mut self, f: FieldRef, v: u64) {
        self.machine.w[at(f.word)] = v & mask(f.width);
    }

    #[inline]
    pub fn get(&self, f: FieldRef) -> u64 {
        self.machine.w[at(f.word)]
    }

    /// Interprets the pipeline that begins at a node.
    pub fn interpret(&mut self, p: &Ir, start: u32) {
        let mut node = start;
        let mut steps = 0;
        while node != NONE && !self.machine.exit {
            steps += 1;
            if p.cyclic && steps > MAX_STEPS {
                self.machine.assert_failed = true;
                return;
            }
            match p.nodes[node as usize] {
                Node::Condition { pc, word, yes, no } => {
                    self.machine.run(p, pc);
                    node = if self.machine.w[at(word)] != 0 {
                        yes
                    } else {
                        no
                    };
                }
                Node::Test {
                    test,
                    a,
                    b,
                    yes,
                    no,
                } => {
                    let (a, b) = (self.machine.w[at(a)], self.machine.w[at(b)]);
                    let holds = match test {
                        Test::Set => a != 0,
                        Test::Eq => a == b,
                        Test::Ne => a != b,
                        Test::Lt => a < b,
                        Test::Le => a <= b,
                    };
                    node = if holds { yes } else { no };
                }
                Node::Table(t) => node = self.apply(p, t as usize),
                Node::Action { pc, next } => {
                    self.machine.run(p, pc);
                    node = next;
                }
            }
        }
    }

    /// Applies a table; gives the next node.
    pub fn apply(&mut self, p: &Ir, t: usize) -> u32 {
        if self.trace.is_some() {
            self.record(p, t);
        }
        let info = &p.tables[t];
        let key = &mut self.key[..info.key_words as usize];
        for (to, from) in key.iter_mut().zip(&info.layout) {
            *to = self.machine.w[at(from.word)] & from.mask;
        }
        let length = self.machine.ingress_length;
        let (hit, run, next) = self.tables[t].apply(key, info.with_counters, length);
        let Some(run) = run else {
            return next;
        };
        if let Some(handle) = hit
            && (info.direct_meter.is_some()
                || info.idle_timeout
                || info.entry.is_some()
                || run.pc == INDIRECT)
        {
            return self.apply_entry(p, t, handle);
        }
        let locals = &mut self.machine.w[p.locals..];
        locals.iter_mut().zip(&run.data).for_each(|(l, d)| *l = *d);
        self.machine.run(p, run.pc);
        next
    }

    /// Runs a hit of an entry with a meter, an idle timeout, or a member or group of a profile.
    #[inline(never)]
    fn apply_entry(&mut self, p: &Ir, t: usize, handle: u32) -> u32 {
        let info = &p.tables[t];
        let now_ns = self.machine.now_ns;
        if info.idle_timeout {
            self.tables[t].touch(handle, now_ns);
        }
        if let Some(f) = info.entry {
            self.set(f, u64::from(handle) + 1);
        }
        if let Some(m) = info.direct_meter {
            let units = match p.meters[m].bytes {
                true => self.machine.ingress_length.into(),
                false => 1,
            };
            let color = self.tables[t].meter(handle, units, now_ns);
            if let Some(f) = p.meters[m].result {
                self.set(f, color as u64);
            }
        }
        let run = self.tables[t].run(handle);
        let (pc, data, next) = match (info.profile, run.pc) {
            (Some(i), INDIRECT) => {
                let (profile, machine) = (&self.profiles[i], &mut self.machine);
                let id = run.data[1] as u32;
                let member = if run.data[0] == 0 {
                    profile.member(id)
                } else {
                    let calc = p.profiles[i].calc;
                    profile.choose(id, || machine.calculate(p, calc, &[], 0))
                };
                let hit = info.next.hit;
                let Some(member) = member else {
                    return hit.unwrap_or(info.next.base);
                };
                let next = hit.or_else(|| info.next.by_action.get(&member.call.action).copied());
                (member.pc, &member.data, next.unwrap_or(NONE))
            }
            _ => (run.pc, &run.data, run.next),
        };
        let locals = &mut self.machine.w[p.locals..];
        locals.iter_mut().zip(data).for_each(|(l, d)| *l = *d);
        self.machine.run(p, pc);
        next
    }

    /// Records that table `t` is about to be applied.
    #[cold]
    fn record(&mut self, p: &Ir, t: usize) {
        let Some(trace) = self.trace.as_mut() else {
            return;
        };
        trace.push(|| {
            let info = &p.tables[t];
            let words = info.layout.iter();
            let mut words: Vec<u64> = words
                .map(|from| self.machine.w[from.word as usize] & from.mask)
                .collect();
            let fields = info.keys.iter().map(|k| {
                let first = k.first as usize;
                Value::from_limbs(&words[first..first + limbs(k.width) as usize])
            });
            let key = fields.collect();
            Trace::Table(TableTrace {
                table: t,
                key,
                entry: self.tables[t].matching(&mut words).cloned(),
                default: self.tables[t].default_action().cloned(),
            })
        });
    }
}
