// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Calls: parameters are bound, bodies are put in.

use std::collections::HashMap;
use std::rc::Rc;

use super::build::{Loc, any_overlap};
use super::values::{Obj, Val, locations};
use super::{Lowerer, MAX_INLINE, Node};
use crate::ast::{BinaryOp, Direction};
use crate::backend::ir::{Ex, ExKind, HeaderRef, Op, Scalar, St};
use crate::sema::hir::{
    Action, Block, Builtin, Call, Callee, Collection, Expr, ExprKind, Param, Stmt, StmtKind, VarId,
    visit_expr,
};
use crate::sema::types::Type;
use crate::source::Span;

/// Calls `f` once for every expression in statements.
pub fn visit_stmts(list: &[Stmt], f: &mut dyn FnMut(&Expr)) {
    visit_rounds(list, 1, &mut |e, _| f(e));
}

/// Calls `f` once for every expression in statements that run `rounds` times, with the number of times that it is
/// evaluated: 2 stands for any more in a loop.
fn visit_rounds(list: &[Stmt], rounds: usize, f: &mut dyn FnMut(&Expr, usize)) {
    let one = |e: &Expr, rounds: usize, f: &mut dyn FnMut(&Expr, usize)| {
        visit_expr(e, &mut |e| f(e, rounds));
    };
    for s in list {
        match &s.kind {
            StmtKind::Assign(a, b) => {
                one(a, rounds, f);
                one(b, rounds, f);
            }
            StmtKind::Call(e) | StmtKind::Return(Some(e)) | StmtKind::Var(_, Some(e)) => {
                one(e, rounds, f);
            }
            StmtKind::If(c, a, b) => {
                one(c, rounds, f);
                visit_rounds(std::slice::from_ref(a), rounds, f);
                if let Some(b) = b {
                    visit_rounds(std::slice::from_ref(b), rounds, f);
                }
            }
            StmtKind::Block(b) => visit_rounds(&b.stmts, rounds, f),
            StmtKind::SwitchAction(_, cases) => {
                for c in cases {
                    visit_rounds(&c.body.stmts, rounds, f);
                }
            }
            StmtKind::SwitchValue(e, cases) => {
                one(e, rounds, f);
                for c in cases {
                    visit_rounds(&c.body.stmts, rounds, f);
                }
            }
            StmtKind::For {
                init,
                condition,
                update,
                body,
            } => {
                visit_rounds(init, rounds, f);
                one(condition, 2, f);
                visit_rounds(std::slice::from_ref(body), 2, f);
                visit_rounds(update, 2, f);
            }
            StmtKind::ForIn {
                collection, body, ..
            } => {
                match collection {
                    Collection::Range(a, b) => {
                        one(a, rounds, f);
                        one(b, rounds, f);
                    }
                    Collection::Elements(e) => one(e, rounds, f),
                }
                visit_rounds(std::slice::from_ref(body), 2, f);
            }
            StmtKind::Break
            | StmtKind::Continue
            | StmtKind::Return(None)
            | StmtKind::Exit
            | StmtKind::Var(_, None)
            | StmtKind::Instance(_) => {}
        }
    }
}

/// Parameters bound to arguments.
pub(super) struct Bound {
    /// What the parameters stand for.
    pub(super) env: HashMap<VarId, Val>,
    /// Copies out, after the call.
    pub(super) after: Vec<St>,
}

impl Lowerer<'_> {
    /// Binds parameters. With `alias`, a parameter may stand for its argument where that makes no difference, provided
    /// that the callee reaches no state but its parameters and its own variables. `uses` says how often a parameter is
    /// read; what is copied is kept in `owner`.
    #[allow(clippy::too_many_arguments)]
    pub(super) fn bind(
        &mut self,
        params: &[Param],
        args: &[Option<Expr>],
        owner: &Rc<Node>,
        alias: bool,
        uses: &dyn Fn(VarId) -> usize,
        span: Span,
        out: &mut Vec<St>,
    ) -> Bound {
        let mut values = vec![Val::Bad; params.len()];
        // Values of `inout` arguments that a later argument may change: copied in before that.
        let mut early: Vec<Option<Val>> = vec![None; params.len()];
        let given: Vec<(usize, &Param, &Expr)> = params
            .iter()
            .zip(args)
            .enumerate()
            .filter_map(|(i, (p, a))| Some((i, p, a.as_ref()?)))
            .collect();
        let order = super::exprs::source_order(given.iter().map(|(_, _, a)| *a));
        for (k, (i, p, a)) in order.iter().filter_map(|j| given.get(*j)).enumerate() {
            let mut later = order.iter().skip(k + 1).filter_map(|j| given.get(*j));
            let later = later.any(|(_, _, a)| crate::sema::hir::has_effects(a));
            let writes = matches!(p.direction, Direction::Out | Direction::InOut);
            let v = if writes {
                self.lvalue(a, out)
            } else {
                self.value(a, out)
            };
            let v = if later && !writes {
                self.snapshot(v, a.span, out)
            } else {
                v
            };
            if later && p.direction == Direction::InOut {
                let now = match &v {
                    Val::Slice(..) => self.value(a, out),
                    _ => v.clone(),
                };
                early[*i] = Some(self.snapshot(now, a.span, out));
            }
            values[*i] = v;
        }
        let written: Vec<Vec<Loc>> = params
            .iter()
            .zip(&values)
            .map(|(p, v)| {
                let mut l = Vec::new();
                if matches!(p.direction, Direction::Out | Direction::InOut) {
                    locations(v, &mut l);
                }
                l
            })
            .collect();
        let mut bound = Bound {
            env: HashMap::new(),
            after: Vec::new(),
        };
        for (i, (p, v)) in params.iter().zip(&values).enumerate() {
            if matches!(v, Val::Obj(_) | Val::Bad) {
                bound.env.insert(p.var.id, v.clone());
                continue;
            }
            let mut mine = Vec::new();
            locations(v, &mut mine);
            let disjoint = written
                .iter()
                .enumerate()
                .all(|(j, w)| i == j || !any_overlap(&self.program, w, &mine));
            match p.direction {
                Direction::None | Direction::In => {
                    let constant = matches!(v, Val::Ex(e) if e.is_constant());
                    let cheap = is_cheap(v) || uses(p.var.id) <= 1;
                    if (constant && alias) || (alias && disjoint && cheap) {
                        bound.env.insert(p.var.id, v.clone());
                        continue;
                    }
                    let home = self.home_in(owner, &p.var);
                    self.assign(&home, v.clone(), span, out);
                    bound.env.insert(p.var.id, home);
                }
                Direction::Out | Direction::InOut => {
                    let place = is_place(v);
                    let saved = early.get_mut(i).and_then(Option::take);
                    if alias && disjoint && place && saved.is_none() {
                        if p.direction == Direction::Out {
                            self.invalidate_out(v, span, out);
                        }
                        bound.env.insert(p.var.id, v.clone());
                        continue;
                    }
                    let home = self.home_in(owner, &p.var);
                    if p.direction == Direction::InOut {
                        let old = match (saved, v) {
                            (Some(old), _) => old,
                            (None, Val::Slice(..)) => match args.get(i) {
                                Some(Some(a)) => self.value(a, out),
                                _ => Val::Bad,
                            },
                            _ => v.clone(),
                        };
                        self.assign(&home, old, span, out);
                    } else {
                        self.invalidate(&home, span, out);
                    }
                    let mut after = Vec::new();
                    self.assign(v, home.clone(), span, &mut after);
                    bound.after.extend(after);
                    bound.env.insert(p.var.id, home);
                }
            }
        }
        bound
    }

    /// Headers that come out of a call start out invalid in it. Before the parser has run they are anyway.
    fn invalidate_out(&mut self, v: &Val, span: Span, out: &mut Vec<St>) {
        let fresh = self.block == super::Block::Parser && self.parser_untouched(out);
        if !fresh {
            self.invalidate(v, span, out);
        }
    }

    pub(super) fn call(&mut self, c: &Call, e: &Expr, out: &mut Vec<St>) -> Val {
        if !self.spend_call(e.span) {
            return Val::Bad;
        }
        if self.depth >= MAX_INLINE {
            self.error(e.span, "calls nested too deeply");
            return Val::Bad;
        }
        self.depth += 1;
        let v = self.call_inner(c, e, out);
        self.depth -= 1;
        v
    }

    fn call_inner(&mut self, c: &Call, e: &Expr, out: &mut Vec<St>) -> Val {
        match &c.callee {
            Callee::Builtin(which, target) => self.call_builtin(*which, target, c, e, out),
            Callee::Table(t) => {
                self.apply_table(t, crate::backend::ir::After::Next, e.span, out);
                Val::Nowhere
            }
            Callee::Control(inst) => {
                if let Val::Obj(Obj::Node(node)) = self.value(inst, out) {
                    self.call_control(&node, c, e.span, out);
                }
                Val::Nowhere
            }
            Callee::Parser(_) => {
                self.error(
                    e.span,
                    "a parser can only be applied as a statement of a state",
                );
                Val::Bad
            }
            Callee::Action(a) => {
                let a = a.clone();
                let bound = self.bind_action(&a, &a.params, &c.args, e.span, out);
                let shadowed: Vec<(VarId, Option<Val>)> = bound
                    .env
                    .keys()
                    .map(|k| (*k, self.env.get(k).cloned()))
                    .collect();
                self.env.extend(bound.env);
                let label = self.label();
                let outer = self.return_label.replace(label);
                let outer_value = self.return_value.take();
                let mut body = Vec::new();
                self.pending.push(bound.after.clone());
                self.block_stmts(&a.body, &mut body);
                self.pending.pop();
                self.return_label = outer;
                self.return_value = outer_value;
                for (k, v) in shadowed {
                    match v {
                        Some(v) => self.env.insert(k, v),
                        None => self.env.remove(&k),
                    };
                }
                out.push(St::Scope(label, body));
                out.extend(bound.after);
                Val::Nowhere
            }
            Callee::Function(f) => {
                let mut f = f.clone();
                if !f.proto.type_params.is_empty() {
                    f = Rc::new(super::subst::instance(&f, &c.type_args, &mut self.next_var));
                }
                let body = &f.body;
                let uses = |v: VarId| count_uses(body, v);
                let owner = self.node.clone();
                let bound = self.bind(&f.proto.params, &c.args, &owner, true, &uses, e.span, out);
                let result = match &*f.proto.result {
                    Type::Void => Val::Nowhere,
                    _ => {
                        let name = self.local_name(&format!("{}.return", f.proto.name));
                        self.storage(&name, &f.proto.result, e.span)
                    }
                };
                let outer_env = std::mem::replace(&mut self.env, bound.env);
                let label = self.label();
                let outer = self.return_label.replace(label);
                let outer_value = self.return_value.replace(result.clone());
                let mut stmts = Vec::new();
                self.block_stmts(&f.body, &mut stmts);
                self.env = outer_env;
                self.return_label = outer;
                self.return_value = outer_value;
                out.push(St::Scope(label, stmts));
                out.extend(bound.after);
                result
            }
            Callee::Method(obj, proto) => {
                let o = self.value(obj, out);
                match o {
                    Val::Obj(o) => self.call_method(&o, proto, c, e, out),
                    _ => Val::Bad,
                }
            }
            Callee::ExternFunction(proto) => self.call_extern(proto, c, e, out),
        }
    }

    /// Binds parameters of an action. One of a control sees the control's variables, so that its parameters are
    /// copies whatever the arguments are.
    pub(super) fn bind_action(
        &mut self,
        action: &Action,
        params: &[Param],
        args: &[Option<Expr>],
        span: Span,
        out: &mut Vec<St>,
    ) -> Bound {
        let owner = self.node.clone();
        let uses = |v: VarId| count_uses(&action.body, v);
        self.bind(params, args, &owner, action.global, &uses, span, out)
    }

    fn call_control(&mut self, node: &Rc<Node>, c: &Call, span: Span, out: &mut Vec<St>) {
        let Some(control) = Self::control_of(node) else {
            return;
        };
        let uses = |v: VarId| {
            let mut n = count_uses(&control.body, v);
            for l in &control.locals {
                match l {
                    crate::sema::hir::Local::Action(a) => n += count_uses(&a.body, v),
                    crate::sema::hir::Local::Var(_, Some(e), _) => n += count_in(e, v),
                    crate::sema::hir::Local::Table(t) => {
                        n += t
                            .keys
                            .iter()
                            .map(|k| 2 * count_in(&k.expr, v))
                            .sum::<usize>();
                        n += t
                            .actions
                            .iter()
                            .flat_map(|a| a.args.iter().flatten())
                            .map(|e| 2 * count_in(e, v))
                            .sum::<usize>();
                    }
                    _ => {}
                }
            }
            n
        };
        let bound = self.bind(
            &control.params,
            &c.args,
            node,
            !node.shared,
            &uses,
            span,
            out,
        );
        self.pending.push(bound.after.clone());
        let body = self.control_body(node, &control, bound.env);
        self.pending.pop();
        out.extend(body);
        out.extend(bound.after);
    }

    /// The home of a parameter of another instance.
    fn home_in(&mut self, node: &Rc<Node>, v: &Rc<crate::sema::hir::Var>) -> Val {
        let caller = std::mem::replace(&mut self.node, node.clone());
        let home = self.home(v);
        self.node = caller;
        home
    }

    fn call_builtin(
        &mut self,
        which: Builtin,
        target: &Expr,
        c: &Call,
        e: &Expr,
        out: &mut Vec<St>,
    ) -> Val {
        let v = self.lvalue(target, out);
        let count = c
            .args
            .first()
            .and_then(|a| a.as_ref())
            .and_then(|a| a.as_int().cloned());
        let count = count.and_then(|n| u32::try_from(n).ok()).unwrap_or(0);
        match (which, v) {
            (Builtin::IsValid, v) if !matches!(v, Val::Bad) => match self.valid(&v) {
                Some(x) => Val::Ex(x),
                None => {
                    self.unsupported(e.span, "this call of isValid");
                    Val::Bad
                }
            },
            (which, Val::Choice(l, index)) => {
                self.choose(&l, &index, e.span, out, &mut |s, v, out| match (which, v) {
                    (Builtin::SetValid, Val::Header(h, _)) => s.set_valid(h, e.span, out),
                    (Builtin::SetInvalid, v) => s.invalidate(v, e.span, out),
                    _ => {}
                });
                Val::Nowhere
            }
            (Builtin::SetValid, Val::Header(h, _)) => {
                self.set_valid(&h, e.span, out);
                Val::Nowhere
            }
            (Builtin::PushFront, Val::Unions(l, next)) => {
                let n = count as usize;
                for i in (0..l.len()).rev() {
                    let Some(d) = l.get(i) else { continue };
                    match i.checked_sub(n).and_then(|k| l.get(k)) {
                        Some(s) => self.assign(d, s.clone(), e.span, out),
                        None => self.invalidate(d, e.span, out),
                    }
                }
                let sum = Ex::binary(
                    BinaryOp::Add,
                    next.clone(),
                    Ex::int(count, next.ty),
                    next.ty,
                );
                let full = Ex::int(l.len(), next.ty);
                let over = Ex::binary(BinaryOp::Gt, sum.clone(), full.clone(), Scalar::Bool);
                self.assign(
                    &Val::Ex(next),
                    Val::Ex(Ex::mux(over, full, sum)),
                    e.span,
                    out,
                );
                Val::Nowhere
            }
            (Builtin::PopFront, Val::Unions(l, next)) => {
                let n = count as usize;
                for (i, d) in l.iter().enumerate() {
                    match i.checked_add(n).and_then(|k| l.get(k)) {
                        Some(s) => self.assign(d, s.clone(), e.span, out),
                        None => self.invalidate(d, e.span, out),
                    }
                }
                let less = Ex::binary(
                    BinaryOp::SubSat,
                    next.clone(),
                    Ex::int(count, next.ty),
                    next.ty,
                );
                self.assign(&Val::Ex(next), Val::Ex(less), e.span, out);
                Val::Nowhere
            }
            (Builtin::SetInvalid, Val::Header(h, _)) => {
                out.push(St::Op(Op::SetInvalid(h), e.span));
                Val::Nowhere
            }
            (Builtin::PushFront, Val::Stack(s, _)) => {
                out.push(St::Op(Op::Push(s, count), e.span));
                Val::Nowhere
            }
            (Builtin::PopFront, Val::Stack(s, _)) => {
                out.push(St::Op(Op::Pop(s, count), e.span));
                Val::Nowhere
            }
            (_, Val::Bad) => Val::Bad,
            _ => {
                self.unsupported(e.span, "this call");
                Val::Bad
            }
        }
    }
}

fn is_cheap(v: &Val) -> bool {
    match v {
        Val::Ex(e) => e.is_simple(),
        Val::Struct(l) | Val::HeaderValue(l) => l.iter().all(is_cheap),
        Val::Header(HeaderRef::Instance(_), _) | Val::Stack(..) => true,
        _ => false,
    }
}

fn is_place(v: &Val) -> bool {
    match v {
        Val::Ex(e) => matches!(e.kind, ExKind::Place(_)),
        Val::Header(HeaderRef::Instance(_), _) | Val::Stack(..) => true,
        Val::Struct(l) | Val::Union(l, _) | Val::Unions(l, _) => l.iter().all(is_place),
        _ => false,
    }
}

/// How often a variable occurs in an expression.
pub fn count_in(e: &Expr, v: VarId) -> usize {
    let mut n = 0;
    visit_expr(e, &mut |e| {
        if matches!(&e.kind, ExprKind::Var(w) if w.id == v) {
            n += 1;
        }
    });
    n
}

/// How often a variable occurs in a block.
pub fn count_uses(b: &Block, v: VarId) -> usize {
    let mut n = 0;
    visit_rounds(&b.stmts, 1, &mut |e, rounds| {
        if matches!(&e.kind, ExprKind::Var(w) if w.id == v) {
            n += rounds;
        }
    });
    n
}

/// How often an instance occurs in statements.
pub fn count_instance(list: &[Stmt], id: VarId) -> usize {
    let mut n = 0;
    visit_rounds(list, 1, &mut |e, rounds| {
        if matches!(&e.kind, ExprKind::Instance(i) if i.id == id) {
            n += rounds;
        }
    });
    n
}
