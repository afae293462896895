// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! What constructor arguments make of the expressions of one instance.

use std::collections::HashMap;
use std::rc::Rc;

use num_bigint::BigInt;

use super::blocks::Node;
use crate::ast::{BinaryOp, Name, UnaryOp};
use crate::sema::fold;
use crate::sema::hir::{Expr, ExprKind, VarId};
use crate::sema::types::{Ty, Type, wrap};

/// A value known at compile time.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A number; of a serializable enum's member, the number that stands for it.
    Int(BigInt),
    /// A truth value.
    Bool(bool),
    /// A member of an enum without numbers.
    Member(Name),
}

/// What a constructor parameter stands for.
#[derive(Clone)]
pub enum Argument {
    /// A value.
    Value(Value),
    /// An instance of a parser or control.
    Node(Rc<Node>),
    /// An extern object, by its full name.
    Object(String),
}

/// Constructor parameters and what they stand for.
pub type Env = HashMap<VarId, Argument>;

fn shape(ty: &Ty) -> fold::Shape {
    match &*ty.representation() {
        Type::Bits { width, signed } => Some((*width, *signed)),
        _ => None,
    }
}

/// The value of an expression; `None` if it is not known at compile time.
pub fn eval(e: &Expr, env: &Env) -> Option<Value> {
    let int = |e: &Expr| match eval(e, env)? {
        Value::Int(v) => Some(v),
        _ => None,
    };
    let truth = |e: &Expr| match eval(e, env)? {
        Value::Bool(b) => Some(b),
        _ => None,
    };
    Some(match &e.kind {
        ExprKind::Int(v) => Value::Int(v.clone()),
        ExprKind::Bool(b) => Value::Bool(*b),
        ExprKind::EnumMember(en, i) => {
            let (name, value) = en.members.get(*i)?;
            match en.underlying {
                Some(_) => Value::Int(value.clone()),
                None => Value::Member(name.clone()),
            }
        }
        ExprKind::Var(v) => match env.get(&v.id)? {
            Argument::Value(v) => v.clone(),
            _ => return None,
        },
        ExprKind::Cast(inner) => match (eval(inner, env)?, &*e.ty.representation()) {
            (Value::Int(v), Type::Bits { width, signed }) => Value::Int(wrap(&v, *width, *signed)),
            (Value::Int(v), Type::Bool) => Value::Bool(v == BigInt::from(1)),
            (Value::Bool(b), Type::Bits { .. }) => Value::Int(BigInt::from(u8::from(b))),
            (v, _) => v,
        },
        ExprKind::Unary(UnaryOp::Not, a) => Value::Bool(!truth(a)?),
        ExprKind::Unary(op, a) => Value::Int(fold::unary(*op, &int(a)?, shape(&e.ty))?),
        ExprKind::Binary(op @ (BinaryOp::And | BinaryOp::Or), a, b) => {
            let decided = *op == BinaryOp::Or;
            match truth(a)? {
                x if x == decided => Value::Bool(x),
                _ => Value::Bool(truth(b)?),
            }
        }
        ExprKind::Binary(BinaryOp::Concat, a, b) => {
            let ((wa, signed), (wb, _)) = (shape(&a.ty)?, shape(&b.ty)?);
            Value::Int(fold::concat(&int(a)?, wa, &int(b)?, wb, signed))
        }
        ExprKind::Binary(op, a, b) => match (eval(a, env)?, eval(b, env)?) {
            (Value::Int(x), Value::Int(y)) => match fold::compare(*op, &x, &y) {
                Some(b) => Value::Bool(b),
                None => Value::Int(fold::arithmetic(*op, &x, &y, shape(&e.ty))?.ok()?),
            },
            (x, y) => match op {
                BinaryOp::Eq => Value::Bool(x == y),
                BinaryOp::Ne => Value::Bool(x != y),
                _ => return None,
            },
        },
        ExprKind::Mux(c, a, b) => eval(if truth(c)? { a } else { b }, env)?,
        ExprKind::Slice(a, hi, lo) => Value::Int(fold::slice(&int(a)?, *hi, *lo)),
        _ => return None,
    })
}
