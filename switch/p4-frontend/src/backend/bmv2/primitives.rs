// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Actions and their primitives.

use num_bigint::BigInt;

use super::Emitter;
use super::json::{Json, hexstr, object, typed};
use crate::backend::ir::{Op, Place, Scalar};
use crate::source::Span;

/// The id of a field list or learn list: counted from 1, since 0 means that there is none.
fn list_id(index: usize) -> Json {
    hexstr(&BigInt::from(index + 1), 32)
}

/// The actions so far.
pub struct Actions {
    /// JSON of each, by id.
    pub list: Vec<Json>,
}

impl Emitter<'_> {
    pub(super) fn actions(&self) -> Actions {
        let mut actions = Actions { list: Vec::new() };
        for a in &self.program.actions {
            let params = a
                .params
                .iter()
                .map(|p| object([("name", (&*p.name).into()), ("bitwidth", p.width.into())]))
                .collect();
            self.add_action(&mut actions, &a.name, params, &a.body);
        }
        actions
    }

    /// Adds an action; returns its id.
    pub(super) fn add_action(
        &self,
        actions: &mut Actions,
        name: &str,
        params: Vec<Json>,
        ops: &[(Op, Span)],
    ) -> usize {
        let id = actions.list.len();
        let primitives: Vec<Json> = ops
            .iter()
            .map(|(op, span)| self.primitive(op, *span))
            .collect();
        actions.list.push(object([
            ("name", name.into()),
            ("id", id.into()),
            ("runtime_data", params.into()),
            ("primitives", primitives.into()),
        ]));
        id
    }

    fn object_ref(&self, kind: &str, id: usize) -> Json {
        typed(
            kind,
            self.program
                .objects
                .get(id)
                .map(|o| o.name.clone())
                .unwrap_or_default(),
        )
    }

    /// A primitive with its parameters and its place in the source.
    pub(super) fn primitive(&self, op: &Op, span: Span) -> Json {
        let (name, params) = self.primitive_parts(op);
        let mut j = object([("op", name.into()), ("parameters", params.into())]);
        self.add_source_info(&mut j, span);
        j
    }

    pub(super) fn primitive_parts(&self, op: &Op) -> (&'static str, Vec<Json>) {
        let x = self.expressions();
        let stack = |s: usize| typed("header_stack", x.stack_name(s));
        let dst = |p: &Place| x.place(p);
        match op {
            Op::Assign(p, e) if matches!(e.ty, Scalar::Varbit(_)) => {
                ("assign_VL", vec![dst(p), x.param(e)])
            }
            Op::Assign(p, e) => ("assign", vec![dst(p), x.param(e)]),
            Op::AssignHeader(d, s) => ("assign_header", vec![x.header(d), x.header(s)]),
            Op::AssignStack(d, s) => ("assign_header_stack", vec![stack(*d), stack(*s)]),
            Op::SetValid(h) => ("add_header", vec![x.header(h)]),
            Op::SetInvalid(h) => ("remove_header", vec![x.header(h)]),
            Op::Push(s, n) => ("push", vec![stack(*s), hexstr(&BigInt::from(*n), 8)]),
            Op::Pop(s, n) => ("pop", vec![stack(*s), hexstr(&BigInt::from(*n), 8)]),
            Op::RegisterRead(p, r, i) => (
                "register_read",
                vec![dst(p), self.object_ref("register_array", *r), x.param(i)],
            ),
            Op::RegisterWrite(r, i, v) => (
                "register_write",
                vec![
                    self.object_ref("register_array", *r),
                    x.param(i),
                    x.param(v),
                ],
            ),
            Op::Count(c, i) => (
                "count",
                vec![self.object_ref("counter_array", *c), x.param(i)],
            ),
            Op::ExecuteMeter(m, i, p) => (
                "execute_meter",
                vec![self.object_ref("meter_array", *m), x.param(i), dst(p)],
            ),
            // The table does it by itself.
            Op::ReadDirectMeter(..) => ("no_op", Vec::new()),
            Op::Random(p, lo, hi) => (
                "modify_field_rng_uniform",
                vec![dst(p), x.param(lo), x.param(hi)],
            ),
            Op::Hash {
                dst: p,
                calculation,
                base,
                max,
            } => {
                let calc = self
                    .calculation_names
                    .get(*calculation)
                    .cloned()
                    .unwrap_or_default();
                (
                    "modify_field_with_hash_based_offset",
                    vec![
                        dst(p),
                        x.param(base),
                        typed("calculation", calc),
                        x.param(max),
                    ],
                )
            }
            Op::MarkToDrop => ("mark_to_drop", vec![typed("header", "standard_metadata")]),
            Op::Clone {
                egress,
                session,
                list,
            } => {
                let name = if *egress {
                    "clone_egress_pkt_to_egress"
                } else {
                    "clone_ingress_pkt_to_egress"
                };
                (name, vec![x.param(session), list_id(*list)])
            }
            Op::Resubmit(list) => ("resubmit", vec![list_id(*list)]),
            Op::Recirculate(list) => ("recirculate", vec![list_id(*list)]),
            Op::Digest(receiver, list) => {
                ("generate_digest", vec![x.param(receiver), list_id(*list)])
            }
            Op::Truncate(n) => ("truncate", vec![x.param(n)]),
            Op::Log(text, values) => {
                let value = match values {
                    None => object([]),
                    Some(list) => list.iter().map(|e| x.param(e)).collect::<Vec<_>>().into(),
                };
                (
                    "log_msg",
                    vec![typed("string", &**text), typed("parameters_vector", value)],
                )
            }
            Op::Assert(c, assume) => (if *assume { "assume" } else { "assert" }, vec![x.param(c)]),
            Op::Filter {
                dst: p,
                object,
                index,
                value,
            } => (
                "execute_filter",
                vec![
                    dst(p),
                    self.object_ref("filter", *object),
                    x.param(index),
                    x.param(value),
                ],
            ),
            Op::Jump(to) => ("_jump", vec![hexstr(&BigInt::from(*to), 32)]),
            Op::JumpIfZero(c, to) => (
                "_jump_if_zero",
                vec![x.param(c), hexstr(&BigInt::from(*to), 32)],
            ),
            Op::Exit => ("exit", Vec::new()),
            // Of parsers, which have their own forms for them.
            Op::Extract(h) => ("extract", vec![typed("regular", x.header_name(h))]),
            Op::ExtractVar(h, n) => (
                "extract_VL",
                vec![
                    typed("regular", x.header_name(h)),
                    typed("expression", x.number(n)),
                ],
            ),
            Op::Advance(n) => ("advance", vec![x.param(n)]),
            Op::Verify(c, e) => ("verify", vec![x.boolean(c), x.number(e)]),
        }
    }
}
