// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! What the JSON of a program for Tofino has beyond that of v1model. The keys are our own.
//!
//! | key | meaning |
//! |---|---|
//! | `target` | `tna` or `t2na` |
//! | `tna` | `pipe`: name of the pipeline; `mirrors`, `resubmits`: headers that come before such packets; `keeps_arrival`: ingress mirrors or resubmits; `keeps_errors`: ingress reads the parser's error |
//! | `filters` | `Lpf` and `Wred`: `name`, `id`, `size`, `bitwidth`, and of a `Wred` `drop` and `no_drop` |
//! | a table's `direct_registers` | `index`: the field that takes the number of the entry that is hit, from 1 on; `registers`: arrays with a cell for each |
//! | `register_arrays`, `initial` | the first value of all elements, if not 0 |

use num_traits::Zero;

use super::Emitter;
use super::json::{Json, hex, object};
use crate::backend::ir::{HeaderRef, ObjectKind, Place, Tna};

impl Emitter<'_> {
    pub(super) fn tna(&self, root: &mut Json, tna: &Tna) {
        let x = self.expressions();
        let names = |list: &[usize]| -> Json {
            list.iter()
                .map(|h| x.header_name(&HeaderRef::Instance(*h)).into())
                .collect::<Vec<Json>>()
                .into()
        };
        root.push("target", if tna.generation == 1 { "tna" } else { "t2na" });
        root.push(
            "tna",
            object([
                ("pipe", (&*tna.pipe).into()),
                ("mirrors", names(&tna.mirrors)),
                ("resubmits", names(&tna.resubmits)),
                ("keeps_arrival", tna.keeps_arrival.into()),
                ("keeps_errors", tna.keeps_errors.into()),
            ]),
        );
        root.push("filters", self.filters());
    }

    fn filters(&self) -> Vec<Json> {
        let mut list = Vec::new();
        for o in &self.program.objects {
            let ObjectKind::Filter {
                width,
                size,
                verdicts,
            } = &o.kind
            else {
                continue;
            };
            let mut j = object([("name", o.name.clone().into()), ("id", list.len().into())]);
            self.add_source_info(&mut j, o.span);
            j.push("size", *size);
            j.push("bitwidth", *width);
            if let Some((drop, no_drop)) = verdicts {
                j.push("drop", *drop);
                j.push("no_drop", *no_drop);
            }
            list.push(j);
        }
        list
    }

    pub(super) fn direct_registers(&self, registers: &[usize], index: &Place) -> Json {
        let names = registers
            .iter()
            .filter_map(|r| self.program.objects.get(*r));
        let names: Vec<Json> = names.map(|o| o.name.clone().into()).collect();
        let index = self.expressions().target(index);
        object([("index", index), ("registers", names.into())])
    }

    /// The first value of a register's elements, where it is not 0.
    pub(super) fn initial(j: &mut Json, initial: &num_bigint::BigInt, width: u32) {
        if !initial.is_zero() {
            j.push("initial", hex(initial, width.div_ceil(8)));
        }
    }
}
