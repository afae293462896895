// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Expressions. Calls in them come first, as statements; what is evaluated before a call keeps its value.

use num_bigint::{BigInt, Sign};
use num_traits::ToPrimitive;

use super::Lowerer;
use super::values::{Obj, Val, scalar_type};
use crate::ast::{BinaryOp, UnaryOp};
use crate::backend::ir::{After, Ex, ExKind, HeaderRef, Op, Place, Scalar, St, WORD};
use crate::sema::fold;
use crate::sema::hir::{Expr, ExprKind, has_effects};
use crate::sema::types::{StructKind, Ty, Type};
use crate::source::Span;

/// Expressions in the order in which they are written, which is that of evaluation: named fields and arguments may
/// stand in another order than the fields and parameters.
pub fn source_order<'e>(list: impl Iterator<Item = &'e Expr>) -> Vec<usize> {
    let mut order: Vec<(u32, usize)> = list.enumerate().map(|(i, e)| (e.span.lo, i)).collect();
    order.sort_unstable();
    order.into_iter().map(|(_, i)| i).collect()
}

impl Lowerer<'_> {
    /// A scalar. Where the program is wrong the result is a constant, after an error.
    pub(super) fn ex(&mut self, e: &Expr, out: &mut Vec<St>) -> Ex {
        match self.value(e, out) {
            Val::Ex(x) => x,
            Val::Bad => self.dummy(&e.ty),
            _ => {
                self.unsupported(e.span, "this expression");
                self.dummy(&e.ty)
            }
        }
    }

    fn dummy(&self, ty: &Ty) -> Ex {
        match scalar_type(ty) {
            Some(Scalar::Bool) => Ex::bool(false),
            Some(t) => Ex::int(0, t),
            None => Ex::int(0, WORD),
        }
    }

    /// A value that is known when the program is instantiated.
    pub(super) fn constant_value(&mut self, e: &Expr) -> Val {
        let mut out = Vec::new();
        self.value(e, &mut out)
    }

    /// A number that is known when the program is instantiated.
    pub(super) fn constant_int(&mut self, e: &Expr, what: &str) -> Option<num_bigint::BigInt> {
        let mut out = Vec::new();
        match self.value(e, &mut out) {
            Val::Ex(x) => match x.as_int() {
                Some(v) => Some(v),
                None => {
                    self.error(e.span, format!("{what} must be a constant"));
                    None
                }
            },
            _ => None,
        }
    }

    /// A size that is known when the program is instantiated.
    pub(super) fn constant_u64(&mut self, e: &Expr, what: &str) -> Option<u64> {
        let v = self.constant_int(e, what)?;
        let n = v.to_u64().filter(|n| *n <= u64::from(u32::MAX));
        if n.is_none() {
            self.error(e.span, format!("{v}: not a valid {what}"));
        }
        n
    }

    /// A value.
    pub(super) fn value(&mut self, e: &Expr, out: &mut Vec<St>) -> Val {
        let v = self.place(e, out);
        self.read(v)
    }

    /// A value or place.
    fn place(&mut self, e: &Expr, out: &mut Vec<St>) -> Val {
        match &e.kind {
            ExprKind::Poison => Val::Bad,
            ExprKind::Int(v) => Val::Ex(Ex::int(
                v.clone(),
                scalar_type(&e.ty).unwrap_or(Scalar::Int),
            )),
            ExprKind::Bool(b) => Val::Ex(Ex::bool(*b)),
            ExprKind::Str(s) => Val::Ex(Ex {
                kind: ExKind::Str(s.clone()),
                ty: Scalar::Str,
            }),
            ExprKind::EnumMember(en, i) => {
                let value = en
                    .members
                    .get(*i)
                    .map(|(_, v)| v.clone())
                    .unwrap_or_default();
                Val::Ex(Ex::int(value, scalar_type(&e.ty).unwrap_or(WORD)))
            }
            ExprKind::ErrorCode(name) => {
                let code = self
                    .program
                    .errors
                    .iter()
                    .position(|n| n == name)
                    .unwrap_or(0);
                Val::Ex(Ex::int(code, WORD))
            }
            ExprKind::Var(v) => match self.env.get(&v.id) {
                Some(val) => val.clone(),
                None => {
                    // A variable of the parser or control around.
                    let known = self.node.storage.borrow().get(&v.id).cloned();
                    match known {
                        Some(val) => val,
                        None => self.home(v),
                    }
                }
            },
            ExprKind::Instance(i) => {
                let known = self
                    .node
                    .objects
                    .borrow()
                    .get(&i.id)
                    .cloned()
                    .or_else(|| self.globals.get(&i.id).cloned());
                Val::Obj(match known {
                    Some(o) => o,
                    None => {
                        self.declare_instance(i);
                        self.node
                            .objects
                            .borrow()
                            .get(&i.id)
                            .cloned()
                            .unwrap_or(Obj::Bad)
                    }
                })
            }
            ExprKind::Construct(i) => {
                let path = self.node.path.clone();
                Val::Obj(self.instantiate(i, &path))
            }
            ExprKind::ValueSet(v) => Val::Obj(self.value_set_object(v)),
            ExprKind::Field(b, i, name) => {
                self.tna_field(b, name, e.span);
                let v = self.place(b, out);
                self.field(&v, *i)
            }
            ExprKind::Component(b, i) => {
                let v = self.place(b, out);
                self.field(&v, *i)
            }
            ExprKind::Element(b, i) => {
                let base = self.value(b, out);
                let index = self.ex(i, out);
                let Some(elements) = self.elements(&base) else {
                    return Val::Bad;
                };
                match index.as_int().map(|v| v.to_usize()) {
                    Some(k) => match k.and_then(|k| elements.get(k)) {
                        Some(v) => v.clone(),
                        None => {
                            self.error(i.span, "Array index out of bounds");
                            Val::Bad
                        }
                    },
                    None => match self.snapshot(Val::Ex(index), i.span, out) {
                        Val::Ex(index) => Val::Choice(elements, index),
                        _ => Val::Bad,
                    },
                }
            }
            ExprKind::StackNext(b) => match self.value(b, out) {
                Val::Stack(id, s) => Val::Header(HeaderRef::Next(id), s),
                Val::Unions(l, next) => Val::Choice(l, next),
                _ => Val::Bad,
            },
            ExprKind::StackLast(b) => match self.value(b, out) {
                Val::Stack(id, s) => Val::Header(HeaderRef::Last(id), s),
                Val::Unions(l, next) => Val::Choice(l, Self::before(next)),
                _ => Val::Bad,
            },
            ExprKind::StackLastIndex(b) => match self.value(b, out) {
                Val::Stack(id, _) => Val::Ex(Ex {
                    kind: ExKind::LastIndex(id),
                    ty: WORD,
                }),
                Val::Unions(_, next) => Val::Ex(Self::before(next)),
                _ => Val::Bad,
            },
            ExprKind::Slice(b, hi, lo) => {
                let x = self.ex(b, out);
                Val::Ex(Ex::slice(x, *hi, *lo))
            }
            ExprKind::Unary(op, a) => {
                let x = self.ex(a, out);
                Val::Ex(if *op == UnaryOp::Not {
                    x.negated()
                } else {
                    Ex::unary(*op, x)
                })
            }
            ExprKind::Binary(op, a, b) => self.binary(*op, a, b, e, out),
            ExprKind::Mux(c, a, b) => self.mux(c, a, b, e, out),
            ExprKind::Cast(a) => {
                let v = self.value(a, out);
                match (v, scalar_type(&e.ty)) {
                    (Val::Ex(x), Some(t)) => Val::Ex(Ex::cast(x, t)),
                    (Val::Bad, _) => Val::Bad,
                    _ => {
                        self.unsupported(e.span, "this cast");
                        Val::Bad
                    }
                }
            }
            ExprKind::List(l) => Val::Struct(self.values(l, out)),
            ExprKind::Struct(l) => {
                let fields = self.values(l, out);
                match &*e.ty {
                    Type::Struct(s) if s.kind == StructKind::Header => {
                        // Structs inside are flat in the header already.
                        Val::HeaderValue(fields)
                    }
                    _ => Val::Struct(fields),
                }
            }
            ExprKind::NamedList(l) => {
                let list: Vec<Expr> = l.iter().map(|(_, e)| e.clone()).collect();
                Val::Struct(self.values(&list, out))
            }
            ExprKind::Invalid => Val::Invalid,
            ExprKind::DontCare => Val::Nowhere,
            ExprKind::Dots => {
                self.error(
                    e.span,
                    "'...': the type that it stands for is not known here",
                );
                Val::Bad
            }
            ExprKind::Call(c) => self.call(c, e, out),
            ExprKind::Hit(t) | ExprKind::Miss(t) => {
                let hit = matches!(e.kind, ExprKind::Hit(_));
                let result = self.local_temp("hit", Scalar::Bool);
                let ExKind::Place(p) = result.kind.clone() else {
                    return Val::Bad;
                };
                let set = |v: bool| vec![St::Op(Op::Assign(p.clone(), Ex::bool(v)), e.span)];
                let then = After::HitMiss(set(hit), set(!hit));
                self.apply_table(t, then, e.span, out);
                Val::Ex(result)
            }
            ExprKind::ActionRun(_) => {
                self.error(e.span, "action_run can only be used in a switch statement");
                Val::Bad
            }
        }
    }

    /// The elements of a stack.
    pub(super) fn elements(&self, v: &Val) -> Option<Vec<Val>> {
        match v {
            Val::Stack(id, s) => {
                let headers = &self.program.stacks.get(*id)?.headers;
                Some(
                    headers
                        .iter()
                        .map(|h| Val::Header(HeaderRef::Instance(*h), s.clone()))
                        .collect(),
                )
            }
            Val::Unions(l, _) | Val::Struct(l) => Some(l.clone()),
            _ => None,
        }
    }

    /// `e - 1`
    fn before(e: Ex) -> Ex {
        Ex::binary(BinaryOp::Sub, e, Ex::int(1, WORD), WORD)
    }

    fn values(&mut self, list: &[Expr], out: &mut Vec<St>) -> Vec<Val> {
        let mut values = vec![Val::Bad; list.len()];
        let order = source_order(list.iter());
        for (k, &i) in order.iter().enumerate() {
            let Some(e) = list.get(i) else { continue };
            let v = self.value(e, out);
            let later = order.get(k + 1..).unwrap_or(&[]).iter();
            let later = later.filter_map(|j| list.get(*j)).any(has_effects);
            if let Some(slot) = values.get_mut(i) {
                *slot = if later {
                    self.snapshot(v, e.span, out)
                } else {
                    v
                };
            }
        }
        values
    }

    fn binary(&mut self, op: BinaryOp, a: &Expr, b: &Expr, e: &Expr, out: &mut Vec<St>) -> Val {
        if matches!(op, BinaryOp::And | BinaryOp::Or) && has_effects(b) {
            let x = self.ex(a, out);
            let result = self.local_temp("tmp", Scalar::Bool);
            let ExKind::Place(p) = result.kind.clone() else {
                return Val::Bad;
            };
            let mut rest = Vec::new();
            let y = self.ex(b, &mut rest);
            rest.push(St::Op(Op::Assign(p.clone(), y), e.span));
            out.push(St::Op(Op::Assign(p, x), e.span));
            let (then, otherwise) = if op == BinaryOp::And {
                (rest, Vec::new())
            } else {
                (Vec::new(), rest)
            };
            out.push(St::If(result.clone(), then, otherwise, e.span));
            return Val::Ex(result);
        }
        let mut x = self.value(a, out);
        if has_effects(b) {
            x = self.snapshot(x, a.span, out);
        }
        let y = self.value(b, out);
        match (x, y) {
            (Val::Ex(x), Val::Ex(y)) => match scalar_type(&e.ty) {
                Some(t) if matches!(op, BinaryOp::Div | BinaryOp::Mod) => {
                    let (x, y) = (self.known(a, x), self.known(b, y));
                    let y = settled(&y, out).map_or(y, |n| Ex::int(n, t));
                    self.division(Ex::binary(op, x, y, t), e.span)
                }
                Some(t) => Val::Ex(Ex::binary(op, x, y, t)),
                None => Val::Bad,
            },
            (Val::Bad, _) | (_, Val::Bad) => Val::Bad,
            (x, y) => {
                let x = if matches!(x, Val::Choice(..)) {
                    self.snapshot(x, a.span, out)
                } else {
                    x
                };
                let y = if matches!(y, Val::Choice(..)) {
                    self.snapshot(y, b.span, out)
                } else {
                    y
                };
                let Some(same) = self.equal(&x, &y, e.span) else {
                    return Val::Bad;
                };
                Val::Ex(if op == BinaryOp::Ne {
                    same.negated()
                } else {
                    same
                })
            }
        }
    }

    /// The number that a variable keeps, in place of the variable.
    fn known(&self, e: &Expr, lowered: Ex) -> Ex {
        match &e.kind {
            ExprKind::Var(v) => match self.hir.constants.get(&v.id) {
                Some(n) => Ex::int(n.clone(), lowered.ty),
                None => lowered,
            },
            _ => lowered,
        }
    }

    /// Only numbers and, by a power of two, `bit`s are divided (section 8.6); what is left is for compile time, as in p4c.
    fn division(&mut self, e: Ex, span: Span) -> Val {
        let shifts =
            |n: &BigInt| n.sign() == Sign::Plus && n.trailing_zeros() == Some(n.bits() - 1);
        if let ExKind::Binary(_, _, by) = &e.kind
            && !by.as_int().is_some_and(|n| shifts(&n))
        {
            let message = "division: could not evaluate expression at compilation time";
            self.error(span, message);
            return Val::Bad;
        }
        Val::Ex(e)
    }

    /// Equality of structs and headers (section 8.16 ff): all fields; headers are equal if both are invalid, or both are
    /// valid with equal fields.
    fn equal(&mut self, x: &Val, y: &Val, span: Span) -> Option<Ex> {
        Some(match (x, y) {
            (Val::Ex(x), Val::Ex(y)) => {
                Ex::binary(BinaryOp::Eq, x.clone(), y.clone(), Scalar::Bool)
            }
            (Val::Struct(a), Val::Struct(b)) => {
                let mut all = Ex::bool(true);
                for (a, b) in a.iter().zip(b) {
                    let same = self.equal(a, b, span)?;
                    all = Ex::and(all, same);
                }
                all
            }
            (Val::Header(a, s), Val::Header(b, _)) => {
                let valid = |h: &HeaderRef| Ex {
                    kind: ExKind::Valid(h.clone()),
                    ty: Scalar::Bool,
                };
                let mut fields = Ex::bool(true);
                for i in 0..s.fields.len() {
                    let (p, q) = (self.field(x, i), self.field(y, i));
                    let same = self.equal(&p, &q, span)?;
                    fields = Ex::and(fields, same);
                }
                let both = Ex::and(valid(a), Ex::and(valid(b), fields));
                let neither = Ex::and(valid(a).negated(), valid(b).negated());
                Ex::or(neither, both)
            }
            (Val::Header(h, s), Val::HeaderValue(values))
            | (Val::HeaderValue(values), Val::Header(h, s)) => {
                let header = Val::Header(h.clone(), s.clone());
                let mut all = Ex {
                    kind: ExKind::Valid(h.clone()),
                    ty: Scalar::Bool,
                };
                for (i, v) in values.iter().enumerate() {
                    let f = self.field(&header, i);
                    let same = self.equal(&f, v, span)?;
                    all = Ex::and(all, same);
                }
                all
            }
            (Val::Union(a, _), Val::Union(b, _)) => {
                let mut all = Ex::bool(true);
                for (a, b) in a.iter().zip(b) {
                    let same = self.equal(a, b, span)?;
                    all = Ex::and(all, same);
                }
                all
            }
            (u @ Val::Union(..), Val::Invalid) | (Val::Invalid, u @ Val::Union(..)) => {
                self.valid(u)?.negated()
            }
            (Val::Invalid, Val::Invalid) => Ex::bool(true),
            (Val::HeaderValue(a), Val::HeaderValue(b)) => {
                let (a, b) = (Val::Struct(a.clone()), Val::Struct(b.clone()));
                self.equal(&a, &b, span)?
            }
            (Val::Header(h, _), Val::Invalid) | (Val::Invalid, Val::Header(h, _)) => Ex {
                kind: ExKind::Valid(h.clone()),
                ty: Scalar::Bool,
            }
            .negated(),
            (Val::Stack(a, s), Val::Stack(b, _)) => {
                let (a, b) = (
                    self.program.stacks.get(*a)?.headers.clone(),
                    self.program.stacks.get(*b)?.headers.clone(),
                );
                let mut all = Ex::bool(true);
                for (a, b) in a.into_iter().zip(b) {
                    let (a, b) = (
                        Val::Header(HeaderRef::Instance(a), s.clone()),
                        Val::Header(HeaderRef::Instance(b), s.clone()),
                    );
                    let same = self.equal(&a, &b, span)?;
                    all = Ex::and(all, same);
                }
                all
            }
            _ => {
                self.unsupported(span, "this comparison");
                return None;
            }
        })
    }

    /// Whether a header or union is valid.
    pub(super) fn valid(&mut self, v: &Val) -> Option<Ex> {
        Some(match v {
            Val::Header(h, _) => Ex {
                kind: ExKind::Valid(h.clone()),
                ty: Scalar::Bool,
            },
            Val::HeaderValue(_) => Ex::bool(true),
            Val::Invalid => Ex::bool(false),
            Val::Union(l, _) => {
                let mut any = Ex::bool(false);
                for v in l {
                    let one = self.valid(v)?;
                    any = Ex::or(any, one);
                }
                any
            }
            Val::Choice(l, index) => {
                let mut all = Ex::bool(false);
                for (test, v) in Self::alternatives(l, index).into_iter().rev() {
                    let one = self.valid(&v)?;
                    all = Ex::mux(test, one, all);
                }
                all
            }
            _ => return None,
        })
    }

    fn mux(&mut self, c: &Expr, a: &Expr, b: &Expr, e: &Expr, out: &mut Vec<St>) -> Val {
        let x = self.ex(c, out);
        if let ExKind::Bool(v) = x.kind {
            return self.value(if v { a } else { b }, out);
        }
        if !has_effects(a) && !has_effects(b) {
            let (p, q) = (self.value(a, out), self.value(b, out));
            if let (Val::Ex(p), Val::Ex(q)) = (&p, &q) {
                return Val::Ex(Ex::mux(x, p.clone(), q.clone()));
            }
        }
        // Structs, and branches that do something: a variable and a choice.
        let name = self.local_name("tmp");
        let result = self.storage(&name, &e.ty, e.span);
        let (mut then, mut otherwise) = (Vec::new(), Vec::new());
        let p = self.value(a, &mut then);
        self.assign(&result, p, e.span, &mut then);
        let q = self.value(b, &mut otherwise);
        self.assign(&result, q, e.span, &mut otherwise);
        out.push(St::If(x, then, otherwise, e.span));
        result
    }

    /// A place to assign to.
    pub(super) fn lvalue(&mut self, e: &Expr, out: &mut Vec<St>) -> Val {
        match &e.kind {
            ExprKind::Slice(b, hi, lo) => {
                let base = self.lvalue(b, out);
                Val::Slice(Box::new(base), *hi, *lo)
            }
            _ => self.place(e, out),
        }
    }
}

/// The number that an expression has after statements, where plain assignments decide it.
fn settled(e: &Ex, before: &[St]) -> Option<BigInt> {
    match &e.kind {
        ExKind::Int(n) => Some(n.clone()),
        ExKind::Place(Place::Scalar(id)) => {
            for (i, s) in before.iter().enumerate().rev() {
                match s {
                    St::Op(Op::Assign(Place::Scalar(to), v), _) if to == id => {
                        return settled(v, &before[..i]);
                    }
                    St::Op(Op::Assign(..), _) => {}
                    _ => return None,
                }
            }
            None
        }
        ExKind::Binary(op, a, b) => {
            let Scalar::Bits { width, signed } = e.ty else {
                return None;
            };
            let (a, b) = (settled(a, before)?, settled(b, before)?);
            fold::arithmetic(*op, &a, &b, Some((width, signed)))?.ok()
        }
        _ => None,
    }
}
