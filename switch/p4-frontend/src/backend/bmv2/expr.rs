// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Expressions. BMv2 computes with integers without bounds; a mask stands wherever a result might not fit its type.
//! The bounds of each expression are followed, so that no mask stands where none is needed.

use num_bigint::BigInt;
use num_traits::{One, Signed, ToPrimitive, Zero};

use super::json::{Json, hexstr, object, typed};
use crate::ast::{BinaryOp, UnaryOp};
use crate::backend::ir::{Ex, ExKind, HeaderRef, Place, Program, Scalar};
use crate::sema::fold::MAX_SHIFT;
use crate::sema::types::range_of;

/// Name of the header that holds the variables.
pub const SCALARS: &str = "scalars";

/// Expressions of a program.
#[derive(Clone, Copy)]
pub struct Expressions<'a> {
    /// The program.
    pub program: &'a Program,
}

/// A value and its bounds.
struct Data {
    json: Json,
    lo: BigInt,
    hi: BigInt,
}

fn operation(op: &str, left: Json, right: Json) -> Json {
    typed(
        "expression",
        object([("op", op.into()), ("left", left), ("right", right)]),
    )
}

fn bounds(ty: Scalar) -> (BigInt, BigInt) {
    match ty {
        Scalar::Bits { width, signed } => range_of(width, signed),
        Scalar::Bool => (BigInt::zero(), BigInt::one()),
        _ => (BigInt::zero(), BigInt::zero()),
    }
}

/// Brings a value into the range of its type.
fn fit(d: Data, ty: Scalar) -> Data {
    let Scalar::Bits { width, signed } = ty else {
        return d;
    };
    let (lo, hi) = range_of(width, signed);
    if d.lo >= lo && d.hi <= hi {
        return d;
    }
    let json = if signed {
        operation("two_comp_mod", d.json, hexstr(&BigInt::from(width), 0))
    } else {
        operation("&", d.json, hexstr(&hi, width))
    };
    Data { json, lo, hi }
}

impl Expressions<'_> {
    /// The name of a header.
    pub fn header_name(&self, h: &HeaderRef) -> String {
        match h {
            HeaderRef::Instance(h) => self
                .program
                .headers
                .get(*h)
                .map(|h| h.name.clone())
                .unwrap_or_default(),
            HeaderRef::Next(s) | HeaderRef::Last(s) | HeaderRef::Element(s, _) => {
                self.stack_name(*s)
            }
        }
    }

    /// The name of a stack.
    pub fn stack_name(&self, s: usize) -> String {
        self.program
            .stacks
            .get(s)
            .map(|s| s.name.clone())
            .unwrap_or_default()
    }

    fn field_name(&self, h: &HeaderRef, f: usize) -> String {
        let ty = match h {
            HeaderRef::Instance(h) => self.program.headers.get(*h).map(|h| h.ty),
            HeaderRef::Next(s) | HeaderRef::Last(s) | HeaderRef::Element(s, _) => {
                self.program.stacks.get(*s).map(|s| s.ty)
            }
        };
        ty.and_then(|t| self.program.header_types.get(t))
            .and_then(|t| t.fields.get(f))
            .map(|(n, _)| n.to_string())
            .unwrap_or_default()
    }

    /// `["header", "field"]`
    pub fn target(&self, p: &Place) -> Json {
        match p {
            Place::Scalar(s) => {
                let name = self
                    .program
                    .scalars
                    .get(*s)
                    .map(|s| s.name.clone())
                    .unwrap_or_default();
                Json::Array(vec![SCALARS.into(), name.into()])
            }
            Place::Field(h, f) => Json::Array(vec![
                self.header_name(h).into(),
                self.field_name(h, *f).into(),
            ]),
        }
    }

    /// A field to write to or read from.
    pub fn place(&self, p: &Place) -> Json {
        let kind = match p {
            Place::Field(HeaderRef::Next(_) | HeaderRef::Last(_), _) => "stack_field",
            _ => "field",
        };
        typed(kind, self.target(p))
    }

    /// A header as a parameter.
    pub fn header(&self, h: &HeaderRef) -> Json {
        typed("header", self.header_name(h))
    }

    fn valid(&self, h: &HeaderRef) -> Json {
        typed("field", vec![self.header_name(h).into(), "$valid$".into()])
    }

    fn d2b(json: Json) -> Json {
        operation("d2b", Json::Null, json)
    }

    /// A truth value, as conditions need it.
    pub fn boolean(&self, e: &Ex) -> Json {
        match &e.kind {
            ExKind::Bool(b) => typed("bool", *b),
            ExKind::Int(v) => typed("bool", !v.is_zero()),
            ExKind::Valid(h) => Self::d2b(self.valid(h)),
            ExKind::Unary(UnaryOp::Not, a) => operation("not", Json::Null, self.boolean(a)),
            ExKind::Binary(op @ (BinaryOp::And | BinaryOp::Or), a, b) => {
                let word = if *op == BinaryOp::And { "and" } else { "or" };
                operation(word, self.boolean(a), self.boolean(b))
            }
            ExKind::Binary(op, a, b) => {
                operation(op.as_str(), self.data(a).json, self.data(b).json)
            }
            ExKind::Cast(a) if a.ty != Scalar::Bool => {
                operation("==", self.data(a).json, hexstr(&BigInt::one(), 1))
            }
            ExKind::Cast(a) => self.boolean(a),
            ExKind::Place(_) | ExKind::Param(_) | ExKind::Mux(..) | ExKind::Lookahead(..) => {
                Self::d2b(self.data(e).json)
            }
            ExKind::Unary(..) | ExKind::Slice(..) | ExKind::LastIndex(_) | ExKind::Str(_) => {
                Self::d2b(self.data(e).json)
            }
        }
    }

    /// A number, with `local` for the parameters of an action.
    fn data(&self, e: &Ex) -> Data {
        let (lo, hi) = bounds(e.ty);
        let whole = |json: Json| Data {
            json,
            lo: lo.clone(),
            hi: hi.clone(),
        };
        let constant = |v: &BigInt| Data {
            json: hexstr(v, e.ty.width()),
            lo: v.clone(),
            hi: v.clone(),
        };
        match &e.kind {
            ExKind::Int(v) => constant(v),
            ExKind::Bool(b) => constant(&BigInt::from(u8::from(*b))),
            ExKind::Str(s) => whole(typed("string", &**s)),
            ExKind::Place(p) if is_one_bit_signed(e.ty) => whole(operation(
                "two_comp_mod",
                self.place(p),
                hexstr(&BigInt::one(), 0),
            )),
            ExKind::Place(p) => whole(self.place(p)),
            ExKind::Param(i) => whole(typed("local", *i)),
            ExKind::Valid(h) => whole(self.valid(h)),
            ExKind::LastIndex(s) => whole(operation(
                "last_stack_index",
                Json::Null,
                typed("header_stack", self.stack_name(*s)),
            )),
            ExKind::Lookahead(offset, width) => {
                whole(typed("lookahead", vec![(*offset).into(), (*width).into()]))
            }
            ExKind::Mux(c, a, b) => {
                let (a, b) = (self.data(a), self.data(b));
                let json = typed(
                    "expression",
                    object([
                        ("op", "?".into()),
                        ("left", a.json),
                        ("right", b.json),
                        ("cond", self.boolean(c)),
                    ]),
                );
                Data {
                    json,
                    lo: a.lo.min(b.lo),
                    hi: a.hi.max(b.hi),
                }
            }
            ExKind::Cast(a) => match e.ty {
                Scalar::Bool => whole(operation("b2d", Json::Null, self.boolean(e))),
                _ => fit(self.data(a), e.ty),
            },
            ExKind::Slice(a, hi, lo) => self.slice(a, *hi, *lo, e.ty),
            ExKind::Unary(op, a) => match op {
                UnaryOp::Not => whole(operation("b2d", Json::Null, self.boolean(e))),
                UnaryOp::Plus => self.data(a),
                // BMv2 has no negation.
                UnaryOp::Minus => {
                    let a = self.data(a);
                    fit(
                        Data {
                            json: operation("-", hexstr(&BigInt::zero(), e.ty.width()), a.json),
                            lo: -a.hi,
                            hi: -a.lo,
                        },
                        e.ty,
                    )
                }
                UnaryOp::Complement => {
                    let a = self.data(a);
                    fit(
                        Data {
                            json: operation("~", Json::Null, a.json),
                            lo: -a.hi - 1u32,
                            hi: -a.lo - 1u32,
                        },
                        e.ty,
                    )
                }
            },
            ExKind::Binary(op, a, b) => match op {
                BinaryOp::And
                | BinaryOp::Or
                | BinaryOp::Eq
                | BinaryOp::Ne
                | BinaryOp::Lt
                | BinaryOp::Le
                | BinaryOp::Gt
                | BinaryOp::Ge => whole(operation("b2d", Json::Null, self.boolean(e))),
                BinaryOp::Concat => self.concat(a, b, e.ty),
                _ => self.arithmetic(*op, a, b, e.ty),
            },
        }
    }

    fn slice(&self, a: &Ex, hi: u32, lo: u32, ty: Scalar) -> Data {
        let d = self.data(a);
        let shifted = if lo == 0 {
            d
        } else {
            Data {
                json: operation(">>", d.json, hexstr(&BigInt::from(lo), 8)),
                lo: d.lo >> lo,
                hi: d.hi >> lo,
            }
        };
        let _ = hi;
        fit(shifted, ty)
    }

    fn concat(&self, a: &Ex, b: &Ex, ty: Scalar) -> Data {
        let unsigned = |e: &Ex| {
            let plain = Scalar::Bits {
                width: e.ty.width(),
                signed: false,
            };
            fit(self.data(e), plain)
        };
        let (x, y) = (unsigned(a), unsigned(b));
        let shift = b.ty.width();
        let left = operation("<<", x.json, hexstr(&BigInt::from(shift), 8));
        let json = operation("|", left, y.json);
        fit(
            Data {
                json,
                lo: BigInt::zero(),
                hi: (x.hi << shift) + y.hi,
            },
            ty,
        )
    }

    fn arithmetic(&self, op: BinaryOp, a: &Ex, b: &Ex, ty: Scalar) -> Data {
        let (x, y) = (self.data(a), self.data(b));
        let (type_lo, type_hi) = bounds(ty);
        let unbounded = |json: Json| Data {
            json,
            lo: type_lo.clone() - 1u32,
            hi: type_hi.clone() + 1u32,
        };
        if matches!(op, BinaryOp::AddSat | BinaryOp::SubSat) {
            let plain = if op == BinaryOp::AddSat { "+" } else { "-" };
            let signed = matches!(ty, Scalar::Bits { signed: true, .. });
            let word = if signed { "sat_cast" } else { "usat_cast" };
            let json = operation(
                word,
                operation(plain, x.json, y.json),
                hexstr(&BigInt::from(ty.width()), 8),
            );
            return Data {
                json,
                lo: type_lo,
                hi: type_hi,
            };
        }
        let nonnegative = !x.lo.is_negative() && !y.lo.is_negative();
        let (lo, hi) = match op {
            BinaryOp::Add => (&x.lo + &y.lo, &x.hi + &y.hi),
            BinaryOp::Sub => (&x.lo - &y.hi, &x.hi - &y.lo),
            BinaryOp::Mul => {
                let all = [&x.lo * &y.lo, &x.lo * &y.hi, &x.hi * &y.lo, &x.hi * &y.hi];
                let lo = all.iter().min().cloned().unwrap_or_default();
                let hi = all.iter().max().cloned().unwrap_or_default();
                (lo, hi)
            }
            BinaryOp::Div => (BigInt::zero(), x.hi.clone()),
            BinaryOp::Mod => (BigInt::zero(), x.hi.clone().min(y.hi.clone())),
            BinaryOp::BitAnd if nonnegative => (BigInt::zero(), x.hi.clone().min(y.hi.clone())),
            BinaryOp::BitOr | BinaryOp::BitXor if nonnegative => {
                let bits = x.hi.bits().max(y.hi.bits());
                (BigInt::zero(), (BigInt::one() << bits) - 1u32)
            }
            BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor => {
                (type_lo.clone(), type_hi.clone())
            }
            BinaryOp::Shl => match y.hi.to_u32().filter(|n| *n <= MAX_SHIFT && y.lo == y.hi) {
                Some(n) => (&x.lo << n, &x.hi << n),
                None => return fit(unbounded(operation("<<", x.json, y.json)), ty),
            },
            BinaryOp::Shr => match y.hi.to_u32().filter(|n| *n <= MAX_SHIFT && y.lo == y.hi) {
                Some(n) => (&x.lo >> n, &x.hi >> n),
                None => (
                    x.lo.clone().min(BigInt::zero()),
                    x.hi.clone().max(BigInt::zero()),
                ),
            },
            _ => (type_lo.clone(), type_hi.clone()),
        };
        let right = match (&b.kind, op) {
            // Shift amounts of type int have no width to be padded to.
            (ExKind::Int(v), BinaryOp::Shl | BinaryOp::Shr) if b.ty == Scalar::Int => hexstr(v, 8),
            _ => y.json,
        };
        fit(
            Data {
                json: operation(op.as_str(), x.json, right),
                lo,
                hi,
            },
            ty,
        )
    }

    /// A parameter of a primitive.
    pub fn param(&self, e: &Ex) -> Json {
        let json = self.data(e).json;
        match type_value(&json) {
            Some(("expression", _)) => typed("expression", json),
            // Also what a cast leaves of an action's parameter.
            Some(("local", index)) => typed("runtime_data", index.clone()),
            _ => json,
        }
    }

    /// A parameter of an operation of the parser, which takes the last header of a stack only within an expression.
    pub fn parser_param(&self, e: &Ex) -> Json {
        let json = self.data(e).json;
        match type_value(&json) {
            Some(("expression" | "stack_field", _)) => typed("expression", json),
            _ => json,
        }
    }

    /// A number without the wrapping that primitives need.
    pub fn number(&self, e: &Ex) -> Json {
        self.data(e).json
    }
}

/// simple_switch has no signed fields of one bit: they are kept as `bit<1>`.
pub fn is_one_bit_signed(ty: Scalar) -> bool {
    matches!(
        ty,
        Scalar::Bits {
            width: 1,
            signed: true
        }
    )
}

/// What [`typed`] made.
fn type_value(j: &Json) -> Option<(&str, &Json)> {
    match j {
        Json::Object(fields) => match &fields[..] {
            [(key, Json::Str(kind)), (_, value)] if key == "type" => Some((kind, value)),
            _ => None,
        },
        _ => None,
    }
}
