// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! What calls read and write.

use super::flow::Flow;
use super::places::{Place, State, Valid};
use crate::ast::{Annotation, Direction};
use crate::diag::Warning;
use crate::sema::hir::{
    Block, Builtin, Call, Callee, Expr, ExprKind, InstanceTarget, Local, Param, Table, visit_expr,
};

/// A body that a call leads to.
struct Called<'a> {
    annotations: &'a [Annotation],
    params: &'a [Param],
    locals: &'a [Local],
    body: &'a Block,
    name: &'a str,
}

impl Flow<'_> {
    pub(super) fn call(&mut self, c: &Call, st: &mut State) {
        self.order_of_arguments(c);
        match &c.callee {
            Callee::Builtin(which, target) => self.builtin(*which, target, c, st),
            Callee::Table(t) => self.table(t, st),
            Callee::Action(a) => {
                let called = Called {
                    annotations: &a.annotations,
                    params: &a.params,
                    locals: &[],
                    body: &a.body,
                    name: &a.name,
                };
                self.followed(&called, &c.args, st);
                if self.inline && self.annotations.len() == 1 {
                    self.copied_out(&a.params, st);
                }
            }
            Callee::Control(instance) if self.inline => {
                let target = match &instance.kind {
                    ExprKind::Instance(i) | ExprKind::Construct(i) => Some(&i.target),
                    _ => None,
                };
                match target {
                    Some(InstanceTarget::Control(control)) => {
                        let called = Called {
                            annotations: &control.annotations,
                            params: &control.params,
                            locals: &control.locals,
                            body: &control.body,
                            name: &control.name,
                        };
                        for (p, a) in control.params.iter().zip(&c.args) {
                            let span = a.as_ref().map(|a| a.span);
                            self.given.extend(span.map(|span| (p.var.id, span)));
                        }
                        self.followed(&called, &c.args, st);
                    }
                    _ => self.summarized(c, true, st),
                }
            }
            Callee::Function(f) if self.inline => {
                let called = Called {
                    annotations: &f.proto.annotations,
                    params: &f.proto.params,
                    locals: &[],
                    body: &f.body,
                    name: &f.proto.name,
                };
                self.followed(&called, &c.args, st);
            }
            Callee::Function(_) => self.summarized(c, false, st),
            Callee::Method(object, _) => {
                self.path(object, st);
                self.summarized(c, true, st);
            }
            Callee::ExternFunction(_) | Callee::Control(_) | Callee::Parser(_) => {
                self.summarized(c, true, st);
            }
        }
    }

    /// An action that is put in leaves assignments of its `out` parameters.
    fn copied_out(&mut self, params: &[Param], st: &State) {
        for p in params.iter().filter(|p| p.direction == Direction::Out) {
            let e = Expr::new(ExprKind::Var(p.var.clone()), p.var.ty.clone(), p.var.span);
            self.read(&e, st);
        }
    }

    /// What is written should not be written by a later argument, too.
    fn order_of_arguments(&mut self, c: &Call) {
        let given: Vec<(&Expr, Direction)> = c
            .args
            .iter()
            .zip(&c.directions)
            .filter_map(|(a, d)| Some((a.as_ref()?, *d)))
            .collect();
        for (i, (a, d)) in given.iter().enumerate() {
            let Some(place) = Place::named(a).filter(|_| writes(*d)) else {
                continue;
            };
            let mut later = given.iter().skip(i + 1);
            if later.any(|(o, d)| written(o, *d).iter().any(|p| p.overlaps(&place))) {
                self.warn(Warning::Ordering, a.span, |text| {
                    let word = d.as_str();
                    format!("{text}: '{word}' argument has fields in common with another")
                });
            }
        }
    }

    /// A call that reads what goes in and writes what comes out; `valid`: all headers that come out are valid then.
    fn summarized(&mut self, c: &Call, valid: bool, st: &mut State) {
        let given = || c.args.iter().zip(&c.directions);
        for (a, d) in given() {
            if let (Some(a), false) = (a, *d == Direction::Out) {
                self.expr(a, st);
            }
        }
        for (a, d) in given() {
            if let (Some(a), Direction::Out | Direction::InOut) = (a, d) {
                self.path(a, st);
                let Some(place) = Place::named(a) else {
                    continue;
                };
                st.write(&place);
                if valid && a.ty.as_header().is_some() {
                    self.set_header(a, Valid::Yes, st);
                } else if valid {
                    st.set_all(&place, Valid::Yes);
                }
            }
        }
    }

    fn builtin(&mut self, which: Builtin, target: &Expr, c: &Call, st: &mut State) {
        self.path(target, st);
        c.args.iter().flatten().for_each(|e| self.expr(e, st));
        let place = Place::named(target);
        match (which, place) {
            (Builtin::IsValid, Some(place)) => st.ask(&place),
            (Builtin::SetValid, _) => self.set_header(target, Valid::Yes, st),
            (Builtin::SetInvalid, _) => self.set_header(target, Valid::No, st),
            (Builtin::PushFront | Builtin::PopFront, Some(place)) => {
                st.write(&place);
                st.set_all(&place, Valid::Yes);
            }
            (_, None) => {}
        }
    }

    /// A table runs one of its actions.
    pub(super) fn table(&mut self, t: &Table, st: &mut State) {
        let before = st.clone();
        t.keys.iter().for_each(|k| self.expr(&k.expr, st));
        let mut end: Option<State> = None;
        for a in &t.actions {
            let mut one = st.clone();
            let called = Called {
                annotations: &a.action.annotations,
                params: &a.action.params,
                locals: &[],
                body: &a.action.body,
                name: &a.action.name,
            };
            self.followed(&called, &a.args, &mut one);
            match &mut end {
                Some(end) => end.join(&one),
                None => end = Some(one),
            }
        }
        if let Some(end) = end {
            *st = end;
        }
        st.forget_questions(&before);
    }

    /// A call whose body is walked through: arguments are copied in, and out. What has no argument, the control plane sets.
    fn followed(&mut self, to: &Called, args: &[Option<Expr>], st: &mut State) {
        let given = || {
            to.params
                .iter()
                .zip(args.iter().chain(std::iter::repeat(&None)))
        };
        for (p, a) in given() {
            if let (Some(a), false) = (a, p.direction == Direction::Out) {
                self.expr(a, st);
            }
        }
        for (p, a) in given() {
            st.declare(p.var.id, &p.var.ty, p.direction != Direction::Out);
            if let (Some(a), false) = (a, p.direction == Direction::Out)
                && let Some(place) = Place::of(p.var.id, &p.var.ty)
            {
                self.copy_headers(&place, a, st);
                // A sub-control that is put in works on the argument itself.
                if let Some(from) = Place::named(a).filter(|_| self.given.contains_key(&p.var.id)) {
                    st.copy_values(&place, &from);
                }
            }
        }
        self.annotations.push(to.annotations.to_vec());
        self.locals(to.locals, st);
        self.body(to.body, st);
        self.out_params(to.params, to.name, st);
        self.annotations.pop();
        for (p, a) in given() {
            let (Some(a), Direction::Out | Direction::InOut) = (a, p.direction) else {
                continue;
            };
            self.path(a, st);
            let (Some(place), Some(param)) = (Place::named(a), Place::of(p.var.id, &p.var.ty))
            else {
                continue;
            };
            st.write(&place);
            if a.ty.as_header().is_some() {
                let v = st.validity(&param);
                self.set_header(a, v, st);
            } else {
                st.copy_headers(&place, &param);
            }
        }
    }
}

fn writes(d: Direction) -> bool {
    matches!(d, Direction::Out | Direction::InOut)
}

/// The places that an argument writes: itself, and what calls in it do.
fn written(e: &Expr, d: Direction) -> Vec<Place> {
    // Slices of one field need not have bits in common.
    let whole = |e: &Expr| !matches!(e.kind, ExprKind::Slice(..));
    let own = Place::named(e).filter(|_| writes(d) && whole(e));
    let mut out: Vec<Place> = own.into_iter().collect();
    visit_expr(e, &mut |e| {
        let ExprKind::Call(c) = &e.kind else { return };
        for (a, d) in c.args.iter().zip(&c.directions) {
            out.extend(a.as_ref().filter(|_| writes(*d)).and_then(Place::named));
        }
    });
    out
}
