// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Hashes, random numbers and the checksum of IP (RFC 1071).

use std::rc::Rc;

use num_bigint::BigInt;
use num_traits::One;

use super::super::Lowerer;
use super::super::values::{Obj, Val, scalar_type};
use super::{Object, bits, place_of};
use crate::ast::{BinaryOp, Name, UnaryOp};
use crate::backend::ir::{Ex, Op, Scalar, St};
use crate::sema::hir::{Expr, Instance};
use crate::source::Span;

/// A CRC as the engine's JSON names it: width, polynomial, whether bits are taken from the lowest on, first value, what the
/// result is combined with.
fn crc(width: u32, coeff: &BigInt, reversed: bool, init: &BigInt, xor: &BigInt) -> Name {
    let reversed = u8::from(reversed);
    format!("crc:{width}:{coeff:x}:{reversed}:{init:x}:{xor:x}")
        .as_str()
        .into()
}

/// The polynomials that the algorithms of `HashAlgorithm_t` have (public documentation of TNA).
fn algorithm(name: &str) -> Option<Name> {
    let known = |width, coeff: u64, reversed, init: u64, xor: u64| {
        let n = |v: u64| BigInt::from(v);
        Some(crc(width, &n(coeff), reversed, &n(init), &n(xor)))
    };
    match name {
        "CRC8" => known(8, 0x07, false, 0, 0),
        "CRC16" => Some("crc16".into()),
        "CRC32" => Some("crc32".into()),
        "CRC64" => known(64, 0x42f0_e1eb_a9ea_3693, false, 0, 0),
        // The hardware draws a function once and keeps it; here it is CRC-32C.
        "RANDOM" => known(32, 0x1edc_6f41, true, 0xffff_ffff, 0xffff_ffff),
        "XOR8" => Some("xor8".into()),
        "XOR16" => Some("xor16".into()),
        "XOR32" => Some("xor32".into()),
        "IDENTITY" => Some("identity".into()),
        _ => None,
    }
}

impl Lowerer<'_> {
    pub(super) fn hash_object(&mut self, i: &Rc<Instance>) -> Option<Object> {
        let width = self.type_width(i)?;
        let name = self.unit_arg(i, 0)?;
        if &*name == "CUSTOM" {
            let polynomial = i.args.get(1)?.clone()?;
            let Val::Obj(Obj::Tna(p)) = self.constant_value(&polynomial) else {
                return None;
            };
            let Object::Polynomial(algorithm) = &*p else {
                return None;
            };
            return Some(Object::Hash {
                algorithm: algorithm.clone(),
                width,
            });
        }
        // With another algorithm, a polynomial has no say.
        Some(Object::Hash {
            algorithm: algorithm(&name)?,
            width,
        })
    }

    /// `CRCPolynomial<T>(coeff, reversed, msb, extended, init, xor)`
    pub(super) fn polynomial(&mut self, i: &Rc<Instance>) -> Option<Object> {
        let coeff = i.args.first()?.clone()?;
        let width = scalar_type(&coeff.ty).map(Scalar::width)?;
        let mut number = |n: usize| {
            let e = i.args.get(n)?.clone()?;
            self.constant_int(&e, "parameter of a polynomial")
        };
        let (coeff, reversed, init, xor) = (number(0)?, number(1)?, number(4)?, number(5)?);
        if width > 64 {
            self.unsupported(i.span, "a polynomial of more than 64 bits");
            return None;
        }
        let name = crc(width, &coeff, reversed.is_one(), &init, &xor);
        Some(Object::Polynomial(name))
    }

    /// All scalars of the argument of a hash or checksum, in places.
    fn hashed(&mut self, data: &Expr, out: &mut Vec<St>) -> Vec<Ex> {
        let v = self.value(data, out);
        let mut fields = Vec::new();
        self.flatten(&v, data.span, &mut fields);
        fields
            .into_iter()
            .map(|f| self.simple(f, "hash.input", data.span, out))
            .collect()
    }

    /// The low `width` bits of a calculation, in a variable.
    fn calculated(&mut self, algorithm: Name, data: &Expr, width: u32, out: &mut Vec<St>) -> Ex {
        let input = self.hashed(data, out);
        let calculation = self.calculation(algorithm, input, false, data.span, false);
        let result = self.local_temp("hash", bits(width));
        if let Some(dst) = place_of(&result) {
            let wide = bits(64);
            let op = Op::Hash {
                dst,
                calculation,
                base: Ex::int(0, wide),
                max: Ex::int(BigInt::one() << width, wide),
            };
            out.push(St::Op(op, data.span));
        }
        result
    }

    /// `hash.get(data)`
    pub(super) fn hash_get(
        &mut self,
        algorithm: &Name,
        width: u32,
        data: &Expr,
        out: &mut Vec<St>,
    ) -> Val {
        if &**algorithm != "identity" {
            return Val::Ex(self.calculated(algorithm.clone(), data, width, out));
        }
        // The bits themselves, one field after the other.
        let mut all: Option<Ex> = None;
        for f in self.hashed(data, out) {
            let f = Ex::cast(f.clone(), bits(f.ty.width()));
            all = Some(match all {
                None => f,
                Some(a) => {
                    let ty = bits(a.ty.width() + f.ty.width());
                    Ex::binary(BinaryOp::Concat, a, f, ty)
                }
            });
        }
        Val::Ex(Ex::cast(
            all.unwrap_or(Ex::int(0, bits(width))),
            bits(width),
        ))
    }

    /// `random.get()`
    pub(super) fn random(&mut self, width: u32, span: Span, out: &mut Vec<St>) -> Val {
        let result = self.local_temp("random", bits(width));
        if let Some(p) = place_of(&result) {
            let high = Ex::int((BigInt::one() << width) - 1, bits(width));
            out.push(St::Op(Op::Random(p, Ex::int(0, bits(width)), high), span));
        }
        Val::Ex(result)
    }

    /// `checksum.update(data, zeros_as_ones)`
    pub(super) fn checksum_update(
        &mut self,
        data: &Expr,
        zeros_as_ones: Option<&Expr>,
        out: &mut Vec<St>,
    ) -> Val {
        let sum = self.calculated("csum16".into(), data, 16, out);
        let Some(flag) = zeros_as_ones else {
            return Val::Ex(sum);
        };
        // UDP (RFC 768) says 0 for "no checksum".
        let flag = self.ex(flag, out);
        let zero = Ex::binary(BinaryOp::Eq, sum.clone(), Ex::int(0, sum.ty), Scalar::Bool);
        let ones = Ex::int(0xffff, sum.ty);
        Val::Ex(Ex::mux(Ex::and(flag, zero), ones, sum))
    }

    /// `checksum.add(data)` or, by its complement, `checksum.subtract(data)`: ones' complement addition.
    pub(super) fn checksum_add(
        &mut self,
        sum: &Ex,
        data: &Expr,
        subtract: bool,
        out: &mut Vec<St>,
    ) {
        let part = self.calculated("csum16".into(), data, 16, out);
        let part = if subtract {
            part
        } else {
            Ex::unary(UnaryOp::Complement, part)
        };
        let wide = bits(17);
        let (a, b) = (Ex::cast(sum.clone(), wide), Ex::cast(part, wide));
        let total = Ex::binary(BinaryOp::Add, a, b, wide);
        let Val::Ex(total) = self.snapshot(Val::Ex(total), data.span, out) else {
            return;
        };
        let carry = Ex::cast(Ex::slice(total.clone(), 16, 16), sum.ty);
        let low = Ex::slice(total, 15, 0);
        if let Some(p) = place_of(sum) {
            let total = Ex::binary(BinaryOp::Add, low, carry, sum.ty);
            out.push(St::Op(Op::Assign(p, total), data.span));
        }
    }

    /// `checksum.verify()`: true if what was added, a checksum among it, does not add up to ones. So the hardware has it.
    pub(super) fn checksum_verify(sum: &Ex) -> Val {
        let ones = Ex::int(0xffff, sum.ty);
        Val::Ex(Ex::binary(BinaryOp::Ne, sum.clone(), ones, Scalar::Bool))
    }
}
