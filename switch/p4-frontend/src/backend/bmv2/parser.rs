// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! The parser.

use num_bigint::BigInt;
use num_traits::{One, Zero};

use super::Emitter;
use super::json::{Json, hex, object, typed};
use crate::backend::ir::{Case, Ex, ExKind, HeaderRef, Match, On, Op, Place};

impl Emitter<'_> {
    pub(super) fn parsers(&self) -> Vec<Json> {
        let mut states = Vec::new();
        for (i, s) in self.program.states.iter().enumerate() {
            let ops: Vec<Json> = s
                .ops
                .iter()
                .map(|(op, span)| self.parser_op(op, *span))
                .collect();
            let widths: Vec<u32> = s.keys.iter().map(|k| k.ty.width()).collect();
            let cases: Vec<Json> = s.cases.iter().map(|c| self.case(c, &widths)).collect();
            let keys: Vec<Json> = s.keys.iter().map(|k| self.transition_key(k)).collect();
            states.push(object([
                ("name", s.name.clone().into()),
                ("id", i.into()),
                ("parser_ops", ops.into()),
                ("transitions", cases.into()),
                ("transition_key", keys.into()),
            ]));
        }
        let init = self
            .program
            .states
            .get(self.program.start)
            .map(|s| s.name.clone())
            .unwrap_or_default();
        vec![object([
            ("name", "parser".into()),
            ("id", 0u32.into()),
            ("init_state", init.into()),
            ("parse_states", states.into()),
        ])]
    }

    fn transition_key(&self, k: &Ex) -> Json {
        match &k.kind {
            ExKind::Place(p @ Place::Field(HeaderRef::Next(_) | HeaderRef::Last(_), _)) => {
                typed("stack_field", self.expressions().target(p))
            }
            ExKind::Place(p) => self.expressions().place(p),
            _ => self.expressions().number(k),
        }
    }

    fn parser_op(&self, op: &Op, span: crate::source::Span) -> Json {
        let x = self.expressions();
        let plain = |name: &str, params: Vec<Json>| {
            object([("parameters", params.into()), ("op", name.into())])
        };
        let extracted = |h: &HeaderRef| match h {
            HeaderRef::Next(s) => typed("stack", x.stack_name(*s)),
            _ => typed("regular", x.header_name(h)),
        };
        match op {
            Op::Extract(h) => plain("extract", vec![extracted(h)]),
            Op::ExtractVar(h, n) => plain(
                "extract_VL",
                vec![extracted(h), typed("expression", x.number(n))],
            ),
            Op::Advance(n) => plain("advance", vec![x.parser_param(n)]),
            Op::Verify(c, e) => plain("verify", vec![x.boolean(c), x.number(e)]),
            Op::Assign(p, e) => plain("set", vec![x.place(p), x.parser_param(e)]),
            _ => plain("primitive", vec![self.primitive(op, span)]),
        }
    }

    fn case(&self, c: &Case, widths: &[u32]) -> Json {
        let next = match c.next.and_then(|n| self.program.states.get(n)) {
            Some(s) => s.name.clone().into(),
            None => Json::Null,
        };
        match &c.on {
            On::Default => object([
                ("type", "default".into()),
                ("value", Json::Null),
                ("mask", Json::Null),
                ("next_state", next),
            ]),
            On::Set(id) => object([
                ("type", "parse_vset".into()),
                (
                    "value",
                    self.program
                        .sets
                        .get(*id)
                        .map(|s| s.name.clone())
                        .unwrap_or_default()
                        .into(),
                ),
                ("mask", Json::Null),
                ("next_state", next),
            ]),
            On::Match(list) => {
                // Each component padded to bytes, one after the other.
                let (mut value, mut mask, mut bytes, mut masked) =
                    (BigInt::zero(), BigInt::zero(), 0, false);
                for (m, w) in list.iter().zip(widths) {
                    let n = w.div_ceil(8);
                    let all = (BigInt::one() << *w) - 1;
                    let (v, k) = match m {
                        Match::Value(v) => (v.clone(), all),
                        Match::Mask(v, k) => {
                            masked = true;
                            (v & k, k.clone())
                        }
                        Match::Any | Match::Range(..) => {
                            masked = true;
                            (BigInt::zero(), BigInt::zero())
                        }
                    };
                    // Signed values are compared by their bits.
                    let v = crate::sema::types::wrap(&v, *w, false);
                    value = (value << (8 * n)) + v;
                    mask = (mask << (8 * n)) + k;
                    bytes += n;
                }
                let mask = if masked {
                    hex(&mask, bytes)
                } else {
                    Json::Null
                };
                object([
                    ("type", "hexstr".into()),
                    ("value", hex(&value, bytes)),
                    ("mask", mask),
                    ("next_state", next),
                ])
            }
        }
    }

    pub(super) fn value_sets(&self) -> Vec<Json> {
        let set = |(i, s): (usize, &crate::backend::ir::ValueSet)| {
            object([
                ("name", s.name.clone().into()),
                ("id", i.into()),
                ("compressed_bitwidth", s.widths.iter().sum::<u32>().into()),
                ("max_size", s.size.into()),
            ])
        };
        self.program.sets.iter().enumerate().map(set).collect()
    }
}
