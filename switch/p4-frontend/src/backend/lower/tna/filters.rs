// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Low-pass filters and random early detection.

use std::rc::Rc;

use super::super::Lowerer;
use super::super::values::{Obj, Val};
use super::{bits, place_of};
use crate::backend::ir::{ObjectId, ObjectKind, Op, St};
use crate::sema::hir::{Call, Expr, Extern, Instance};

impl Lowerer<'_> {
    /// `Lpf<T, I>(size)` or `Wred<T, I>(size, drop_value, no_drop_value)`
    pub(super) fn filter(&mut self, i: &Rc<Instance>, e: &Extern, name: String) -> Option<Obj> {
        let kind = ObjectKind::Filter {
            width: self.type_width(i)?,
            size: self.size_arg(i, 0)?,
            verdicts: match &*e.name {
                "Wred" => Some((self.size_arg(i, 1)?, self.size_arg(i, 2)?)),
                _ => None,
            },
        };
        Some(self.add_object(i, name, kind))
    }

    /// `filter.execute(value, index)`
    pub(super) fn filter_execute(
        &mut self,
        id: ObjectId,
        width: u32,
        c: &Call,
        e: &Expr,
        out: &mut Vec<St>,
    ) -> Val {
        let (Some(value), Some(index)) = (self.arg(c, 0, e), self.arg(c, 1, e)) else {
            return Val::Bad;
        };
        let value = self.ex(value, out);
        let index = self.ex(index, out);
        let result = self.local_temp("filtered", bits(width));
        if let Some(dst) = place_of(&result) {
            let op = Op::Filter {
                dst,
                object: id,
                index,
                value,
            };
            out.push(St::Op(op, e.span));
        }
        Val::Ex(result)
    }
}
