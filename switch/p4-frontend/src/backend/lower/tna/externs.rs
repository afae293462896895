// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Calls of TNA's functions and of methods of its objects.

use std::rc::Rc;

use num_bigint::BigInt;

use super::super::values::{Val, scalar_type};
use super::super::{Block, Lowerer};
use super::{Object, bits, place_of};
use crate::ast::BinaryOp;
use crate::backend::ir::{Ex, ObjectId, ObjectKind, Op, Scalar, St, WORD};
use crate::sema::hir::{Call, Expr, Prototype};
use crate::source::Span;

impl Lowerer<'_> {
    /// A method of an object that is none in the JSON.
    pub(in super::super) fn tna_method(
        &mut self,
        o: &Rc<Object>,
        proto: &Rc<Prototype>,
        c: &Call,
        e: &Expr,
        out: &mut Vec<St>,
    ) -> Val {
        let first = c.args.first().and_then(Option::as_ref);
        let second = c.args.get(1).and_then(Option::as_ref);
        match (&**o, &*proto.name, first) {
            (Object::RegisterAction { register, apply }, "execute", index) => {
                let (register, apply) = (register.clone(), apply.clone());
                return self.execute(&register, &apply, index, e.span, out);
            }
            (Object::Register { .. }, "read", Some(index)) => {
                return self.register_read(o, index, e.span, out);
            }
            (Object::Register { .. }, "write", Some(index)) => {
                if let Some(value) = second {
                    self.register_write(o, index, value, e.span, out);
                }
            }
            (Object::Hash { algorithm, width }, "get", Some(data)) => {
                return self.hash_get(algorithm, *width, data, out);
            }
            (Object::Random(width), "get", _) => return self.random(*width, e.span, out),
            (Object::Checksum(_), "update", Some(data)) => {
                return self.checksum_update(data, second, out);
            }
            (Object::Checksum(sum), method @ ("add" | "subtract"), Some(data)) => {
                self.checksum_add(sum, data, method == "subtract", out);
            }
            (Object::Checksum(sum), "verify", _) => return Self::checksum_verify(sum),
            (Object::Checksum(sum), "get", _) => {
                return self.snapshot(Val::Ex(sum.clone()), e.span, out);
            }
            (Object::ParserCounter(value), method, _) => {
                return self.parser_counter(value, method, c, e, out);
            }
            (Object::Mirror(of), "emit", _) if self.block == Block::Deparser => {
                self.mirror(of.as_ref(), c, e.span, out);
            }
            (Object::Resubmit(of), "emit", _) if self.block == Block::Deparser => {
                self.resubmit(of.as_ref(), c, e.span, out);
            }
            (Object::Digest(name, of), "pack", Some(data)) if self.block == Block::Deparser => {
                self.pack(name, of.as_ref(), data, e.span, out);
            }
            (Object::Silent, ..) => {}
            _ => {
                self.unsupported(e.span, &format!("method {}", proto.name));
                return Val::Bad;
            }
        }
        Val::Nowhere
    }

    /// A method of an object that v1model has under another name.
    pub(in super::super) fn tna_object_method(
        &mut self,
        id: ObjectId,
        kind: &ObjectKind,
        proto: &Rc<Prototype>,
        c: &Call,
        e: &Expr,
        out: &mut Vec<St>,
    ) -> Val {
        match (kind, &*proto.name) {
            (
                ObjectKind::Filter {
                    width, verdicts, ..
                },
                "execute",
            ) => {
                let width = if verdicts.is_some() { 8 } else { *width };
                self.filter_execute(id, width, c, e, out)
            }
            (ObjectKind::Meter { .. }, "execute") => {
                let Some(index) = self.arg(c, 0, e) else {
                    return Val::Bad;
                };
                let index = self.ex(index, out);
                let color = self.local_temp("color", WORD);
                if let Some(p) = place_of(&color) {
                    out.push(St::Op(Op::Assign(p.clone(), Ex::int(0, WORD)), e.span));
                    out.push(St::Op(Op::ExecuteMeter(id, index, p), e.span));
                }
                Val::Ex(self.color(id, color))
            }
            (
                ObjectKind::DirectMeter {
                    result: Some(p), ..
                },
                "execute",
            ) => {
                let color = Ex::place(p.clone(), WORD);
                Val::Ex(self.color(id, color))
            }
            (_, other) => {
                self.unsupported(e.span, &format!("method {other}"));
                Val::Bad
            }
        }
    }

    /// Refuses colours that a packet has before, and corrections of its length.
    pub(in super::super) fn only_index(&mut self, proto: &Prototype, c: &Call, e: &Expr) {
        let given = proto.params.iter().zip(&c.args);
        let refused = given.filter(|(_, a)| a.is_some()).find_map(|(p, _)| {
            matches!(&*p.var.name, "color" | "adjust_byte_count").then(|| p.var.name.clone())
        });
        if let Some(name) = refused {
            self.unsupported(e.span, &format!("{}: argument {name}", proto.name));
        }
    }

    /// A colour as TNA numbers it: 0, 1 and 3, unless the meter was told otherwise.
    fn color(&self, id: ObjectId, color: Ex) -> Ex {
        let known = self.tna.as_ref().and_then(|b| b.colors.get(&id));
        let [green, yellow, red] = *known.unwrap_or(&[0, 1, 3]);
        let is = |n: u32| Ex::binary(BinaryOp::Eq, color.clone(), Ex::int(n, WORD), Scalar::Bool);
        let number = |n: u64| Ex::int(n, bits(8));
        Ex::mux(
            is(0),
            number(green),
            Ex::mux(is(1), number(yellow), number(red)),
        )
    }

    /// A parser's counter: 8 bits that the hardware keeps while it parses.
    fn parser_counter(
        &mut self,
        value: &Ex,
        method: &str,
        c: &Call,
        e: &Expr,
        out: &mut Vec<St>,
    ) -> Val {
        let Some(place) = place_of(value) else {
            return Val::Bad;
        };
        let zero = Ex::int(0, value.ty);
        if method == "is_zero" {
            return Val::Ex(Ex::binary(BinaryOp::Eq, value.clone(), zero, Scalar::Bool));
        }
        let mut arg = |s: &mut Self, n: usize| -> Option<Ex> {
            let e = s.arg(c, n, e)?;
            let x = s.ex(e, out);
            Some(Ex::cast(x, bits(8)))
        };
        let Some(first) = arg(self, 0) else {
            return Val::Bad;
        };
        let new = match (method, c.args.len()) {
            ("set", 1) => first,
            ("set", 5) => {
                let rest = (arg(self, 1), arg(self, 2), arg(self, 3), arg(self, 4));
                let (Some(max), Some(rotate), Some(mask), Some(add)) = rest else {
                    return Val::Bad;
                };
                match Self::counter_load(first, &max, &rotate, &mask, add) {
                    Some(x) => x,
                    None => {
                        self.error(e.span, "set: max, rotate and mask must be constants");
                        return Val::Bad;
                    }
                }
            }
            ("increment", 1) => Ex::binary(BinaryOp::Add, value.clone(), first, value.ty),
            ("decrement", 1) => Ex::binary(BinaryOp::SubSat, value.clone(), first, value.ty),
            _ => {
                self.unsupported(e.span, &format!("method {method}"));
                return Val::Bad;
            }
        };
        out.push(St::Op(Op::Assign(place, new), e.span));
        Val::Nowhere
    }

    /// The field rotated right, cut to `mask + 1` bits, plus a number, and at most `max`.
    fn counter_load(field: Ex, max: &Ex, rotate: &Ex, mask: &Ex, add: Ex) -> Option<Ex> {
        let small = |e: &Ex| u32::try_from(e.as_int()?).ok();
        let (max, rotate, mask) = (small(max)?, small(rotate)? % 8, small(mask)?);
        let ty = bits(8);
        let rotated = match rotate {
            0 => field,
            n => {
                let (low, high) = (Ex::slice(field.clone(), n - 1, 0), Ex::slice(field, 7, n));
                Ex::binary(BinaryOp::Concat, low, high, ty)
            }
        };
        let ones = Ex::int((BigInt::from(1) << (mask + 1)) - 1, ty);
        let cut = Ex::binary(BinaryOp::BitAnd, rotated, ones, ty);
        let sum = Ex::binary(BinaryOp::Add, cut, add, ty);
        let most = Ex::int(max, ty);
        let above = Ex::binary(BinaryOp::Gt, sum.clone(), most.clone(), Scalar::Bool);
        Some(Ex::mux(above, most, sum))
    }

    /// A function that v1model does not have.
    pub(in super::super) fn tna_function(
        &mut self,
        proto: &Rc<Prototype>,
        c: &Call,
        e: &Expr,
        out: &mut Vec<St>,
    ) -> Val {
        let known = self.tna.is_some();
        match &*proto.name {
            "max" | "min" if known => self.extreme(&proto.name, c, e, out),
            "sizeInBits" | "sizeInBytes" if known => {
                let Some(a) = self.arg(c, 0, e) else {
                    return Val::Bad;
                };
                let bits = a.ty.width().unwrap_or(0);
                let n = if proto.name.ends_with("Bits") {
                    bits
                } else {
                    bits / 8
                };
                Val::Ex(Ex::int(n, WORD))
            }
            "invalidate" if known => {
                let Some(a) = self.arg(c, 0, e) else {
                    return Val::Bad;
                };
                let v = self.lvalue(a, out);
                self.invalidate_field(&v, e.span, out);
                Val::Nowhere
            }
            "port_metadata_unpack" if known && self.block == Block::Parser => {
                self.port_metadata(c, e, out)
            }
            other => {
                self.unsupported(e.span, &format!("extern function {other}"));
                Val::Bad
            }
        }
    }

    fn extreme(&mut self, which: &str, c: &Call, e: &Expr, out: &mut Vec<St>) -> Val {
        let (Some(a), Some(b)) = (self.arg(c, 0, e), self.arg(c, 1, e)) else {
            return Val::Bad;
        };
        let ty = scalar_type(&e.ty);
        let (a, b) = (self.ex(a, out), self.ex(b, out));
        let (a, b) = match ty {
            Some(t) => (Ex::cast(a, t), Ex::cast(b, t)),
            None => (a, b),
        };
        let op = if which == "max" {
            BinaryOp::Ge
        } else {
            BinaryOp::Le
        };
        let first = Ex::binary(op, a.clone(), b.clone(), Scalar::Bool);
        Val::Ex(Ex::mux(first, a, b))
    }

    /// A field that is not written leaves: what the traffic manager reads is then 0, and of the egress port no port.
    fn invalidate_field(&mut self, v: &Val, span: Span, out: &mut Vec<St>) {
        let Val::Ex(x) = v else {
            return self.invalidate(v, span, out);
        };
        let Some(place) = place_of(x) else { return };
        let port = self
            .program
            .scalars
            .iter()
            .position(|s| s.name == "ingress_intrinsic_metadata_for_tm.ucast_egress_port")
            .map(crate::backend::ir::Place::Scalar);
        let value = if port.as_ref() == Some(&place) {
            0x1ff
        } else {
            0
        };
        let value = Ex::cast(Ex::int(value, bits(x.ty.width())), x.ty);
        out.push(St::Op(Op::Assign(place, value), span));
    }

    /// `port_metadata_unpack<T>(packet)`: the first bits of the port's metadata; all of it is passed over.
    fn port_metadata(&mut self, c: &Call, e: &Expr, out: &mut Vec<St>) -> Val {
        let Some(t) = c.type_args.first() else {
            return Val::Bad;
        };
        let mut offset = 0;
        let value = self.lookahead(t, &mut offset, e.span, out);
        let generation = self.program.tna.as_ref().map_or(1, |t| t.generation);
        let size = if generation == 1 { 64 } else { 192 };
        if offset > size {
            self.error(
                e.span,
                format!("port metadata has {size} bits, not {offset}"),
            );
            return Val::Bad;
        }
        out.push(St::Op(Op::Advance(Ex::int(size, WORD)), e.span));
        value
    }
}
