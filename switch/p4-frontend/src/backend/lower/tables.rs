// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Tables and their actions. Each table has actions of its own, as p4c makes them, so that an action can be told by the
//! table that ran it.

use std::collections::HashMap;
use std::rc::Rc;

use num_bigint::BigInt;

use super::flow::with_jumps;
use super::values::{Obj, Val, scalar_type};
use super::{Lowerer, control_plane_name, predicate};
use crate::ast::{Annotation, Direction, find_annotation};
use crate::backend::ir::{
    Action, ActionId, ActionParam, After, DefaultEntry, Entries, Entry, Ex, ExKind, Key, Match,
    ObjectKind, Scalar, St, Table as FlatTable, TableAction, TableId,
};
use crate::diag::Warning;
use crate::sema::hir::{self, ActionRef, ExprKind, Keyset, Table, VarId};
use crate::source::Span;

impl Lowerer<'_> {
    pub(super) fn apply_table(
        &mut self,
        t: &Rc<Table>,
        then: After,
        span: Span,
        out: &mut Vec<St>,
    ) {
        if !matches!(self.block, super::Block::Ingress | super::Block::Egress) {
            self.error(
                span,
                format!("{}: tables cannot be applied here on this target", t.name),
            );
            return;
        }
        // Keys may need variables that are computed first.
        let mut keys = Vec::new();
        for (i, k) in t.keys.iter().enumerate() {
            let x = self.ex(&k.expr, out);
            let later = t
                .keys
                .iter()
                .skip(i + 1)
                .any(|k| crate::sema::hir::has_effects(&k.expr));
            keys.push(match later {
                true => match self.snapshot(Val::Ex(x), k.expr.span, out) {
                    Val::Ex(x) => x,
                    _ => return,
                },
                false => x,
            });
        }
        let known = self.node.tables.borrow().get(&t.def).copied();
        let id = match known {
            Some(id) => {
                // The places that the keys are read from are fixed.
                let targets: Vec<Ex> = self
                    .program
                    .tables
                    .get(id)
                    .map(|t| t.keys.iter().map(|k| k.target.clone()).collect())
                    .unwrap_or_default();
                for ((x, target), k) in keys.into_iter().zip(targets).zip(&t.keys) {
                    if x != target
                        && let ExKind::Place(p) = &target.kind
                    {
                        out.push(St::Op(
                            crate::backend::ir::Op::Assign(p.clone(), x),
                            k.expr.span,
                        ));
                    }
                }
                id
            }
            None => {
                let mut targets = Vec::new();
                for (x, k) in keys.into_iter().zip(&t.keys) {
                    let direct = match &x.kind {
                        ExKind::Place(_) => !self.node.shared,
                        ExKind::Valid(_) => true,
                        _ => false,
                    };
                    let target = if direct {
                        x
                    } else {
                        let v = self.local_temp(&format!("{}.key", t.name), x.ty);
                        if let ExKind::Place(p) = &v.kind {
                            out.push(St::Op(
                                crate::backend::ir::Op::Assign(p.clone(), x),
                                k.expr.span,
                            ));
                        }
                        v
                    };
                    targets.push(target);
                }
                // Where calls around owe copies, an `exit` in an action has to come back here.
                let owes = self.pending.iter().any(|copies| !copies.is_empty());
                let around = self.table_exit.take();
                self.table_exit = owes.then_some(super::TableExit { flag: None, end: 0 });
                let id = self.table(t, targets);
                if let Some(flag) = self.table_exit.take().and_then(|exit| exit.flag) {
                    self.exit_flags.insert(id, flag);
                }
                self.table_exit = around;
                self.node.tables.borrow_mut().insert(t.def, id);
                id
            }
        };
        let Some(flag) = self.exit_flags.get(&id).cloned() else {
            out.push(St::Apply {
                table: id,
                then,
                span,
            });
            return;
        };
        let mut copies = Vec::new();
        self.owed_copies(&mut copies);
        copies.push(St::Exit(span));
        let first = St::If(flag.clone(), copies, Vec::new(), span);
        if let ExKind::Place(p) = flag.kind {
            let op = crate::backend::ir::Op::Assign(p, Ex::bool(false));
            out.push(St::Op(op, span));
        }
        let checked = |rest: Vec<St>| [vec![first.clone()], rest].concat();
        let (then, after) = match then {
            After::Next => (After::Next, vec![first]),
            After::HitMiss(hit, miss) => (After::HitMiss(checked(hit), checked(miss)), Vec::new()),
            After::Actions(arms, default) => {
                let arms = arms.into_iter().map(|(a, body)| (a, checked(body)));
                (After::Actions(arms.collect(), checked(default)), Vec::new())
            }
        };
        out.push(St::Apply {
            table: id,
            then,
            span,
        });
        out.extend(after);
    }

    fn table(&mut self, t: &Rc<Table>, targets: Vec<Ex>) -> TableId {
        let name = control_plane_name(&self.node.path, &t.name, &t.annotations);
        let id = self.program.tables.len();
        let keys = t
            .keys
            .iter()
            .zip(targets)
            .map(|(k, target)| Key {
                width: scalar_type(&k.expr.ty).map_or(0, Scalar::width),
                target,
                match_kind: k.match_kind.clone(),
                name: k.name.clone(),
                ty: k.expr.ty.clone(),
                annotations: k.annotations.clone(),
            })
            .collect();
        if let Some(second) = t.keys.iter().filter(|k| &*k.match_kind == "lpm").nth(1) {
            self.error(
                second.expr.span,
                format!("multiple LPM keys in table {name} not supported"),
            );
        }
        self.program.tables.push(FlatTable {
            name,
            keys,
            actions: Vec::new(),
            default: None,
            size: None,
            entries: None,
            counter: None,
            meter: None,
            implementation: None,
            direct_registers: None,
            support_timeout: false,
            annotations: t.annotations.clone(),
            span: t.name_span,
        });
        self.properties(t, id);
        let mut actions = Vec::new();
        for r in &t.actions {
            let action = self.table_action(r);
            actions.push(TableAction {
                action,
                annotations: r.annotations.clone(),
            });
        }
        let default = t.default_action.as_ref().map(|d| DefaultEntry {
            index: d.index,
            args: self.numbers(&d.args),
            is_const: d.is_const,
        });
        let size = match &t.size {
            Some(e) => self.constant_u64(e, "table size"),
            None => None,
        };
        let entries = t.entries.as_ref().map(|e| {
            let list = e.list.iter().map(|e| self.entry(e)).collect();
            Entries {
                is_const: e.is_const,
                list,
            }
        });
        if let Some(table) = self.program.tables.get_mut(id) {
            table.actions = actions;
            table.default = default;
            table.size = size;
            table.entries = entries;
        }
        id
    }

    fn properties(&mut self, t: &Rc<Table>, id: TableId) {
        for p in &t.properties {
            match &*p.name {
                "support_timeout" => match p.value.kind {
                    ExprKind::Bool(b) => {
                        if let Some(table) = self.program.tables.get_mut(id) {
                            table.support_timeout = b;
                        }
                    }
                    _ => self.error(p.value.span, "support_timeout: expected a boolean"),
                },
                "counters" | "meters" => {
                    let Val::Obj(Obj::Extern(o)) = self.constant_value(&p.value) else {
                        self.error(p.value.span, format!("{}: expected an instance", p.name));
                        continue;
                    };
                    if let Some(other) = self.direct.insert(o, id) {
                        let other = self
                            .program
                            .tables
                            .get(other)
                            .map(|t| t.name.clone())
                            .unwrap_or_default();
                        self.error(
                            p.value.span,
                            format!("{}: direct counters and meters cannot be attached to multiple tables; {other} has it already", p.name),
                        );
                        continue;
                    }
                    let counters = &*p.name == "counters";
                    let fits = match self.program.objects.get_mut(o).map(|o| &mut o.kind) {
                        Some(ObjectKind::DirectCounter { table, .. }) if counters => {
                            *table = Some(id);
                            true
                        }
                        Some(ObjectKind::DirectMeter { table, .. }) if !counters => {
                            *table = Some(id);
                            true
                        }
                        _ => false,
                    };
                    if !fits {
                        let word = if counters {
                            "direct_counter"
                        } else {
                            "direct_meter"
                        };
                        self.error(p.value.span, format!("{}: must be a {word}", p.name));
                        continue;
                    }
                    if let Some(table) = self.program.tables.get_mut(id) {
                        if counters {
                            table.counter = Some(o);
                        } else {
                            table.meter = Some(o);
                        }
                    }
                }
                "implementation" => self.implementation(t, p, id),
                _ if self.tna_property(t, p, id) => {}
                "largest_priority_wins" | "priority_delta" => {}
                other => {
                    self.diags.warning(
                        Warning::IgnoreProperty,
                        p.span,
                        format!("Unknown table property: {other}"),
                    );
                }
            }
        }
    }

    /// `implementation = action_profile(...)` or an instance of one.
    fn implementation(&mut self, t: &Rc<Table>, p: &hir::Property, id: TableId) {
        if let ExprKind::Construct(i) = &p.value.kind {
            // An unnamed one is named after its table.
            let name = format!(
                "{}.{}",
                self.program
                    .tables
                    .get(id)
                    .map(|t| t.name.as_str())
                    .unwrap_or_default(),
                p.name
            );
            let name = match find_annotation(&p.annotations, "name").and_then(Annotation::string) {
                // No control's name comes before it.
                Some(n) => control_plane_name("", &n, &[]),
                None => name,
            };
            let hir::InstanceTarget::Extern(e, _) = &i.target else {
                return;
            };
            let (i, e) = (i.clone(), e.clone());
            if let Obj::Extern(o) = self.extern_object(&i, &e, name) {
                if let Some(ObjectKind::ActionProfile { inline, .. }) =
                    self.program.objects.get_mut(o).map(|o| &mut o.kind)
                {
                    *inline = true;
                }
                self.use_profile(t, p, id, o);
            }
            return;
        }
        match self.constant_value(&p.value) {
            Val::Obj(Obj::Extern(o)) => self.use_profile(t, p, id, o),
            Val::Obj(Obj::Bad) | Val::Bad => {}
            _ => self.error(
                p.value.span,
                "implementation: expected an action_profile or action_selector",
            ),
        }
    }

    fn use_profile(&mut self, t: &Rc<Table>, p: &hir::Property, id: TableId, o: usize) {
        let input: Vec<Ex> = self
            .program
            .tables
            .get(id)
            .map(|t| {
                t.keys
                    .iter()
                    .filter(|k| &*k.match_kind == "selector")
                    .map(|k| k.target.clone())
                    .collect()
            })
            .unwrap_or_default();
        let name = self
            .program
            .objects
            .get(o)
            .map(|o| o.name.clone())
            .unwrap_or_default();
        let Some(ObjectKind::ActionProfile {
            selector, tables, ..
        }) = self.program.objects.get_mut(o).map(|o| &mut o.kind)
        else {
            self.error(
                p.value.span,
                "implementation: expected an action_profile or action_selector",
            );
            return;
        };
        let first = tables.is_empty();
        tables.push(id);
        match selector {
            None if !input.is_empty() => {
                self.error(
                    p.span,
                    format!(
                        "table {}: keys of kind selector need an action_selector",
                        t.name
                    ),
                );
            }
            None => {}
            Some(s) if first => s.input = input,
            Some(s) if s.input != input => {
                self.error(
                    p.span,
                    format!("Action selector '{name}' is used by multiple tables with different selector inputs"),
                );
            }
            Some(_) => {}
        }
        if let Some(table) = self.program.tables.get_mut(id) {
            table.implementation = Some(o);
        }
        if t.entries.as_ref().is_some_and(|e| !e.list.is_empty()) {
            self.error(
                p.span,
                format!(
                    "table {}: entries cannot be given where an action profile is in use",
                    t.name
                ),
            );
        }
        if t.default_action.as_ref().is_some_and(|d| {
            d.explicit
                && &*t
                    .actions
                    .get(d.index)
                    .map_or("NoAction".into(), |a| a.action.name.clone())
                    != "NoAction"
        }) {
            self.diags.warning(
                Warning::Unsupported,
                p.span,
                format!(
                    "Target does not support default_action for {} (due to action profiles)",
                    t.name
                ),
            );
        }
    }

    fn numbers(&mut self, list: &[hir::Expr]) -> Vec<BigInt> {
        list.iter()
            .map(|e| self.constant_int(e, "action argument").unwrap_or_default())
            .collect()
    }

    fn entry(&mut self, e: &hir::Entry) -> Entry {
        let keys = e.keys.iter().map(|k| self.matches(k)).collect();
        Entry {
            keys,
            action: e.action,
            args: self.numbers(&e.args),
            priority: e.priority.clone(),
            annotated: e.annotated,
            is_const: e.is_const,
            span: e.span,
        }
    }

    /// A keyset as numbers.
    pub(super) fn matches(&mut self, k: &Keyset) -> Match {
        let mut number = |e: &hir::Expr| self.constant_int(e, "keyset").unwrap_or_default();
        match k {
            Keyset::Any | Keyset::Set(_) => Match::Any,
            Keyset::Value(e) => Match::Value(number(e)),
            Keyset::Mask(a, b) => Match::Mask(number(a), number(b)),
            Keyset::Range(a, b) => Match::Range(number(a), number(b)),
        }
    }

    fn table_action(&mut self, r: &ActionRef) -> ActionId {
        let a = r.action.clone();
        // A copy of a top-level action belongs to the block once `@name` names it (p4c's `localizeActions.cpp`).
        let prefix = match a.global {
            false => self.node.path.clone(),
            true if find_annotation(&a.annotations, "name").is_some() => self.block_name.clone(),
            true => String::new(),
        };
        let name = control_plane_name(&prefix, &a.name, &a.annotations);
        let mut params = Vec::new();
        let mut body = Vec::new();
        let bound_params: Vec<_> = a
            .params
            .iter()
            .filter(|p| p.direction != Direction::None)
            .cloned()
            .collect();
        let in_action = std::mem::replace(&mut self.in_action, true);
        let bound = self.bind_action(&a, &bound_params, &r.args, r.span, &mut body);
        let mut env: HashMap<VarId, Val> = bound.env;
        for p in a.params.iter().filter(|p| p.direction == Direction::None) {
            let Some(t) =
                scalar_type(&p.var.ty).filter(|t| matches!(t, Scalar::Bits { .. } | Scalar::Bool))
            else {
                if !p.var.ty.is_poison() {
                    self.error(
                        p.var.span,
                        format!("{}: action parameters must be bit<>, int<>, bool or enums on this target, not '{}'", p.var.name, p.var.ty),
                    );
                }
                env.insert(p.var.id, Val::Bad);
                continue;
            };
            let raw = Scalar::Bits {
                width: t.width(),
                signed: false,
            };
            let x = Ex::cast(
                Ex {
                    kind: ExKind::Param(params.len()),
                    ty: raw,
                },
                t,
            );
            env.insert(p.var.id, Val::Ex(x));
            params.push(ActionParam {
                name: super::param_name(p),
                width: t.width(),
                ty: p.var.ty.clone(),
                annotations: p.var.annotations.clone(),
            });
        }
        let outer_env = self.env.clone();
        self.env.extend(env);
        let label = self.label();
        let outer_label = self.return_label.replace(label);
        let outer_value = self.return_value.take();
        if let Some(exit) = &mut self.table_exit {
            exit.end = label;
        }
        // Where `exit` leaves the action by its end, the action's own copies are made there.
        let own = match self.table_exit {
            Some(_) => Vec::new(),
            None => vec![bound.after.clone()],
        };
        let outer_pending = std::mem::replace(&mut self.pending, own);
        let mut inner = Vec::new();
        self.block_stmts(&a.body, &mut inner);
        body.push(St::Scope(label, inner));
        body.extend(bound.after);
        self.env = outer_env;
        self.return_label = outer_label;
        self.return_value = outer_value;
        self.pending = outer_pending;
        self.in_action = in_action;
        let prefix = self.local_name(&a.name);
        let ops = predicate(&body, &mut self.program, &mut |p, ty| {
            super::flow::new_scalar(p, &format!("{prefix}.cond"), ty)
        });
        let ops = match ops.or_else(|_| with_jumps(&body)) {
            Ok(ops) => ops,
            Err((span, message)) => {
                self.error(span, message);
                Vec::new()
            }
        };
        let id = self.program.actions.len();
        self.program.actions.push(Action {
            name,
            params,
            body: ops,
            annotations: a.annotations.clone(),
            hidden: false,
            span: a.span,
        });
        id
    }
}
