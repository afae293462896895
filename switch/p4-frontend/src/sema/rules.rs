// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! What parameters and arguments may be beyond their types: directions, defaults, the arguments of `core.p4`'s methods,
//! numbers without a width. Where the specification is silent these are p4c's rules.

use super::arguments::Matched;
use super::hir::{Expr, ExprKind, Param};
use super::types::{StructKind, Ty, Type};
use super::{Checker, Place};
use crate::ast::{self, Direction, find_annotation};
use crate::source::Span;

/// Fields of type `varbit`, in structs inside too.
fn varbits(ty: &Ty) -> usize {
    match &*ty.representation() {
        Type::Varbit(_) => 1,
        Type::Struct(s) if s.kind != StructKind::Union => {
            s.fields.iter().map(|f| varbits(&f.ty)).sum()
        }
        _ => 0,
    }
}

/// Whether `emit` takes a value of the type.
fn can_emit(ty: &Ty) -> bool {
    match &**ty {
        Type::Struct(s) if s.kind == StructKind::Struct => s.fields.iter().all(|f| can_emit(&f.ty)),
        Type::Struct(_) | Type::Poison | Type::Var(..) => true,
        Type::Stack(t, _) => t.is_stackable(),
        Type::Tuple(l) | Type::ListExpr(l) => l.iter().all(can_emit),
        Type::StructExpr(l) => l.iter().all(|(_, t)| can_emit(t)),
        _ => false,
    }
}

impl Checker<'_> {
    /// Directions and default values that the type or the annotations rule out (sections 6.8 and 6.8.2).
    pub(super) fn check_param(&mut self, p: &ast::Param, ty: &Type) {
        let writes = matches!(p.direction, Direction::Out | Direction::InOut);
        if writes && p.default.is_some() {
            self.error(
                p.span,
                format!("{}: out parameters cannot have default values", p.name),
            );
        }
        if p.default.is_some() && find_annotation(&p.annotations, "optional").is_some() {
            self.error(
                p.span,
                format!("{}: optional parameters cannot have default values", p.name),
            );
        }
        if p.direction == Direction::None {
            return;
        }
        match ty {
            Type::Int => self.error(
                p.span,
                format!("{}: parameters with type int must be directionless", p.name),
            ),
            Type::Extern(_)
            | Type::Parser(_)
            | Type::Control(_)
            | Type::Package(_)
            | Type::String => self.error(
                p.span,
                format!(
                    "{}: a parameter with type {ty} cannot have a direction",
                    p.name
                ),
            ),
            _ => {}
        }
    }

    /// What constructors are given is known at compile time.
    pub(super) fn no_directions(&mut self, params: &[ast::Param]) {
        for p in params.iter().filter(|p| p.direction != Direction::None) {
            let message = format!("{}: constructor parameters cannot have a direction", p.name);
            self.error(p.span, message);
        }
    }

    /// As with p4c, what has no body and is called `main` is taken for the package.
    pub(super) fn not_main(&mut self, d: &ast::Decl) {
        let other = matches!(
            d,
            ast::Decl::Extern(_)
                | ast::Decl::ExternFunction(_)
                | ast::Decl::Header(_)
                | ast::Decl::HeaderUnion(_)
                | ast::Decl::Struct(_)
        );
        if let Some(name) = d.name().filter(|n| other && n.as_str() == "main") {
            self.error(name.span, "main: must be a package declaration");
        }
    }

    /// Functions with a body know what they are given.
    pub(super) fn no_optional_params(&mut self, params: &[ast::Param]) {
        for p in params {
            if find_annotation(&p.annotations, "optional").is_some() {
                let message = format!("{}: optional parameter not allowed here", p.name);
                self.error(p.span, message);
            }
        }
    }

    /// An argument for a type parameter has to be stored: a number needs a width.
    pub(super) fn check_widths(&mut self, params: &[Param], m: &Matched) {
        for (p, a) in params.iter().zip(&m.args) {
            if let Some(a) = a
                && p.var.ty.mentions_var()
            {
                if matches!(*a.ty, Type::String) && p.direction != Direction::None {
                    self.error(
                        p.var.span,
                        format!(
                            "{}: a parameter with type string cannot have a direction",
                            p.var.name
                        ),
                    );
                }
                self.check_width(a);
            }
        }
    }

    fn check_width(&mut self, a: &Expr) {
        match (&a.kind, &*a.ty) {
            (ExprKind::List(items), Type::ListExpr(_) | Type::Tuple(_)) => {
                items.iter().for_each(|i| self.check_width(i))
            }
            (_, Type::Int) => self.error(a.span, "could not infer a width"),
            _ => {}
        }
    }

    /// Arguments of the methods of `packet_in` and `packet_out` (sections 12.8 and 15.1).
    pub(super) fn check_packet_call(
        &mut self,
        object: &str,
        method: &str,
        args: &[Option<Expr>],
        types: &[Ty],
        span: Span,
    ) {
        let first = args.first().and_then(Option::as_ref);
        match (object, method) {
            ("packet_in", "extract") => {
                let Some(a) = first else { return };
                self.check_extract(&a.ty, args.len() > 1, a.span);
            }
            ("packet_in", "lookahead") => {
                let Some(t) = types.first() else { return };
                if varbits(t) > 0 || matches!(**t, Type::Int) {
                    self.error(
                        span,
                        format!("{t}: type argument must be a fixed-width type"),
                    );
                }
            }
            ("packet_out", "emit") => {
                if let Some(a) = first.filter(|a| !can_emit(&a.ty)) {
                    self.error(
                        a.span,
                        "argument must be a header, stack or union, or a struct or tuple of such types",
                    );
                }
            }
            _ => {}
        }
    }

    fn check_extract(&mut self, ty: &Ty, sized: bool, span: Span) {
        match &**ty {
            Type::Poison | Type::Var(..) => return,
            Type::Struct(s) if s.kind == StructKind::Header => {}
            _ => {
                self.error(span, "argument must be a header");
                return;
            }
        }
        match (varbits(ty), sized) {
            (1.., false) => self.error(span, "argument cannot contain varbit fields"),
            (0, true) => self.error(span, "argument should contain a varbit field"),
            _ => {}
        }
    }

    /// `verify` of `core.p4` belongs to parsers.
    pub(super) fn check_verify(&mut self, name: &str, span: Span) {
        if name == "verify" && self.place != Place::Parser {
            self.error(span, "verify: may only be invoked in parsers");
        }
    }

    /// Whether a field of a structure can have the type.
    pub(super) fn field_type_fits(ty: &Ty, kind: StructKind) -> bool {
        match (&*ty.representation(), kind) {
            (Type::Poison | Type::Var(..), _) => true,
            (Type::Struct(inner), StructKind::Union) => inner.kind == StructKind::Header,
            (_, StructKind::Union) => false,
            (Type::Bits { .. } | Type::Bool | Type::Varbit(_), _) => true,
            (Type::Enum(e), StructKind::Header) => e.underlying.is_some(),
            (Type::Struct(inner), StructKind::Header) => {
                inner.kind == StructKind::Struct && varbits(ty) == 0
            }
            (_, StructKind::Header) => false,
            (Type::Void | Type::Int | Type::String | Type::MatchKind | Type::DontCare, _) => false,
            (Type::Extern(_) | Type::Parser(_) | Type::Control(_) | Type::Package(_), _) => false,
            _ => true,
        }
    }
}
