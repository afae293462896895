// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Expressions (section 8): literals, names, lists. Operators, members and calls are beside.

use std::rc::Rc;

use num_traits::ToPrimitive;

use super::hir::{Expr, ExprKind, VarKind};
use super::types::{Ty, Type};
use super::{Checker, Entity, MAX_WIDTH};
use crate::ast::{self, BinaryOp, Direction, Name};
use crate::source::Span;

impl Checker<'_> {
    /// Checks an expression.
    pub(super) fn expr(&mut self, e: &ast::Expr) -> Expr {
        self.nested(e.span, Expr::poison(e.span), |c| c.expr_inner(e))
    }

    pub(super) fn bool_type(&self) -> Ty {
        Rc::new(Type::Bool)
    }

    fn expr_inner(&mut self, e: &ast::Expr) -> Expr {
        let span = e.span;
        match &e.kind {
            ast::ExprKind::Int(lit) => match lit.width {
                None => Expr::new(ExprKind::Int(lit.value.clone()), Rc::new(Type::Int), span),
                Some(w) => {
                    if w.bits > MAX_WIDTH {
                        self.error(
                            span,
                            format!(
                                "{}: Compiler only supports widths up to {MAX_WIDTH}",
                                w.bits
                            ),
                        );
                        return Expr::poison(span);
                    }
                    // Strings of no bits have the value 0 (section 7.1.6.2), signed numbers at least one bit (7.1.6.3).
                    if w.signed && w.bits == 0 {
                        self.error(span, format!("{}: Illegal bit size", w.bits));
                        return Expr::poison(span);
                    }
                    let value = self.fit(&lit.value, w.bits, w.signed, span);
                    Expr::new(
                        ExprKind::Int(value),
                        Rc::new(Type::Bits {
                            width: w.bits,
                            signed: w.signed,
                        }),
                        span,
                    )
                }
            },
            ast::ExprKind::Bool(b) => Expr::new(ExprKind::Bool(*b), self.bool_type(), span),
            ast::ExprKind::String(s) => {
                Expr::new(ExprKind::Str(s.clone()), Rc::new(Type::String), span)
            }
            ast::ExprKind::This => {
                self.unsupported(span, "'this'");
                Expr::poison(span)
            }
            ast::ExprKind::Dots => Expr::new(ExprKind::Dots, Rc::new(Type::Dots), span),
            ast::ExprKind::Invalid => Expr::new(ExprKind::Invalid, Rc::new(Type::Invalid), span),
            ast::ExprKind::Name(path) => self.name(path, span),
            ast::ExprKind::Type(t) => {
                self.error(t.span, "type used where an expression is expected");
                Expr::poison(span)
            }
            ast::ExprKind::Member { base, member } => self.member(base, member, span),
            ast::ExprKind::Index { base, index } => self.index(base, index, span),
            ast::ExprKind::Slice { base, hi, lo } => {
                let b = self.expr(base);
                let hi = self.constant_size(hi, "slice bound");
                let lo = self.constant_size(lo, "slice bound");
                match (hi, lo) {
                    (Some(hi), Some(lo)) => self.slice(b, hi, lo, span),
                    _ => Expr::poison(span),
                }
            }
            ast::ExprKind::PlusSlice { base, lo, width } => {
                let b = self.expr(base);
                let lo_expr = self.expr(lo);
                let width = self.constant_size(width, "slice width");
                let (Some(width), false) = (width, lo_expr.is_poison()) else {
                    return Expr::poison(span);
                };
                match lo_expr.as_int().map(ToPrimitive::to_u32) {
                    Some(Some(lo)) if width > 0 && lo.checked_add(width).is_some() => {
                        self.slice(b, lo + width - 1, lo, span)
                    }
                    Some(_) => {
                        self.error(span, "slice out of range");
                        Expr::poison(span)
                    }
                    None => match &*b.ty {
                        Type::Bits { width: whole, .. } if width > 0 && width <= *whole => {
                            let plain = Type::bits(*whole);
                            let b = self.cast(b, &plain, span);
                            let shifted = self.binary(BinaryOp::Shr, b, lo_expr, span);
                            self.slice(shifted, width - 1, 0, span)
                        }
                        Type::Poison => Expr::poison(span),
                        t => {
                            self.error(
                                span,
                                format!("slice of {width} bits out of range of type '{t}'"),
                            );
                            Expr::poison(span)
                        }
                    },
                }
            }
            ast::ExprKind::List(items) => {
                let items: Vec<Expr> = items.iter().map(|i| self.expr(i)).collect();
                let ty = Rc::new(Type::ListExpr(items.iter().map(|i| i.ty.clone()).collect()));
                Expr::new(ExprKind::List(items), ty, span)
            }
            ast::ExprKind::Struct { fields, dots } => {
                let mut items: Vec<(Name, Expr)> = fields
                    .iter()
                    .map(|f| (f.name.name.clone(), self.expr(&f.value)))
                    .collect();
                if let Some(d) = dots {
                    items.push((
                        "...".into(),
                        Expr::new(ExprKind::Dots, Rc::new(Type::Dots), *d),
                    ));
                }
                let ty = Rc::new(Type::StructExpr(
                    items
                        .iter()
                        .map(|(n, e)| (n.clone(), e.ty.clone()))
                        .collect(),
                ));
                Expr::new(ExprKind::NamedList(items), ty, span)
            }
            ast::ExprKind::Unary { op, operand } => {
                let a = self.expr(operand);
                self.unary(*op, a, span)
            }
            ast::ExprKind::Binary {
                op, left, right, ..
            } => {
                let l = self.expr(left);
                let r = self.expr(right);
                self.binary(*op, l, r, span)
            }
            ast::ExprKind::Ternary {
                condition,
                then,
                otherwise,
            } => {
                let c = self.expr(condition);
                let a = self.expr(then);
                let b = self.expr(otherwise);
                self.mux(c, a, b, span)
            }
            ast::ExprKind::Cast { ty, operand } => {
                let to = self.resolve(ty);
                let e = self.expr(operand);
                self.cast(e, &to, span)
            }
            ast::ExprKind::Call {
                callee,
                type_args,
                args,
            } => self.call(callee, type_args, args, span),
            ast::ExprKind::Construct { ty, args } => self.construct(ty, args, span),
        }
    }

    fn name(&mut self, path: &ast::Path, span: Span) -> Expr {
        match self.lookup(path) {
            Entity::Const(e) => Expr { span, ..e },
            Entity::Var(v) => {
                let ty = v.ty.clone();
                Expr::new(ExprKind::Var(v), ty, span)
            }
            Entity::Instance(i) => {
                let ty = i.ty.clone();
                Expr::new(ExprKind::Instance(i), ty, span)
            }
            Entity::ValueSet(v) => {
                let ty = Rc::new(Type::Set(v.element.clone()));
                Expr::new(ExprKind::ValueSet(v), ty, span)
            }
            Entity::Poison => Expr::poison(span),
            Entity::Table(t) => {
                self.error(
                    span,
                    format!(
                        "{}: table used as a value; did you mean {0}.apply()?",
                        t.name
                    ),
                );
                Expr::poison(span)
            }
            Entity::Action(a) => {
                self.error(span, format!("{}: action used as a value", a.name));
                Expr::poison(span)
            }
            Entity::Functions(_) => {
                self.error(span, format!("{path}: function used as a value"));
                Expr::poison(span)
            }
            Entity::Type(_) | Entity::Unfinished(_) => {
                self.error(
                    span,
                    format!("{path}: type used where an expression is expected"),
                );
                Expr::poison(span)
            }
        }
    }

    /// Whether the expression can stand left of `=`; if not, says why.
    pub(super) fn require_lvalue(&mut self, e: &Expr) -> bool {
        let mut inner = e;
        loop {
            match &inner.kind {
                ExprKind::Poison => return true,
                ExprKind::Field(b, ..)
                | ExprKind::Component(b, _)
                | ExprKind::Element(b, _)
                | ExprKind::Slice(b, ..)
                | ExprKind::StackNext(b)
                | ExprKind::StackLast(b) => inner = b,
                ExprKind::Var(v) => {
                    let why = match v.kind {
                        VarKind::Local | VarKind::Param(Direction::Out | Direction::InOut) => {
                            return true;
                        }
                        VarKind::Param(Direction::In) => "it is an 'in' parameter",
                        VarKind::Param(Direction::None) => "it is a parameter without direction",
                        VarKind::Constructor => "it is a constructor parameter",
                    };
                    self.error(
                        e.span,
                        format!(
                            "Expression cannot be the target of an assignment: {why} ({})",
                            v.name
                        ),
                    );
                    return false;
                }
                _ => {
                    self.error(e.span, "Expression cannot be the target of an assignment");
                    return false;
                }
            }
        }
    }
}
