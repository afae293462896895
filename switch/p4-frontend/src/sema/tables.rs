// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Tables (section 14.2) and sets of values (section 13.6).

use std::collections::HashMap;
use std::rc::Rc;

use num_traits::Signed;

use super::hir::{
    Action, ActionRef, Builtin, Callee, DefaultAction, Entries, Entry, Expr, ExprKind, Key, Keyset,
    Property, Table,
};
use super::infer::Bindings;
use super::types::{Ty, Type};
use super::{Checker, Entity};
use crate::ast::{
    self, BinaryOp, Direction, ExprKind as A, KeysetKind, Name, TablePropertyValue,
    find_annotation, print,
};
use crate::source::Span;

/// The name that the control plane uses for a key without `@name`, where the key is simple enough to have one, as p4c's
/// `tableKeyNames.cpp` makes it: what the source says, with the fields' `@name`s. `typed` is the same expression checked:
/// it has the numbers that names stand for.
fn key_name(e: &ast::Expr, typed: &Expr) -> Option<String> {
    // Conversions that the checker put in have no place in the text.
    if let ExprKind::Cast(inner) = &typed.kind
        && !matches!(e.kind, A::Cast { .. })
    {
        return key_name(e, inner);
    }
    let number = |e: &ast::Expr, folded: Option<String>| match &e.kind {
        A::Int(lit) => Some(literal_text(lit)),
        _ => folded,
    };
    Some(match &e.kind {
        A::Name(p) => match &typed.kind {
            ExprKind::Int(v) => v.to_string(),
            _ => p.to_string(),
        },
        A::Int(lit) => literal_text(lit),
        A::Member { base, member } => {
            if let A::Type(_) = base.kind {
                return None;
            }
            let ExprKind::Field(of, i, _) = &typed.kind else {
                // Fields of stacks: `next`, `last`, `lastIndex`.
                return match &typed.kind {
                    ExprKind::StackNext(of)
                    | ExprKind::StackLast(of)
                    | ExprKind::StackLastIndex(of) => {
                        Some(format!("{}.{member}", key_name(base, of)?))
                    }
                    _ => None,
                };
            };
            let given = of
                .ty
                .as_struct()
                .and_then(|s| find_annotation(&s.fields.get(*i)?.annotations, "name")?.string());
            let name = given.unwrap_or_else(|| member.name.clone());
            match name.strip_prefix('.') {
                Some(absolute) => absolute.to_string(),
                None => format!("{}.{name}", key_name(base, of)?),
            }
        }
        A::Index { base, index } => match &typed.kind {
            ExprKind::Element(of, i) => {
                let i = match number(index, i.as_int().map(ToString::to_string)) {
                    Some(i) => i,
                    None => key_name(index, i)?,
                };
                format!("{}[{i}]", key_name(base, of)?)
            }
            ExprKind::Component(of, i) => {
                let i = number(index, Some(i.to_string()))?;
                format!("{}[{i}]", key_name(base, of)?)
            }
            _ => return None,
        },
        A::Slice { base, hi, lo } => match &typed.kind {
            ExprKind::Slice(of, h, l) => {
                let h = number(hi, Some(h.to_string()))?;
                let l = number(lo, Some(l.to_string()))?;
                format!("{}[{h}:{l}]", key_name(base, of)?)
            }
            _ => return None,
        },
        A::PlusSlice { base, .. } => match &typed.kind {
            ExprKind::Slice(of, h, l) => format!("{}[{h}:{l}]", key_name(base, of)?),
            _ => return None,
        },
        A::Call { callee, args, .. } if args.is_empty() => match (&callee.kind, &typed.kind) {
            (A::Member { base, .. }, ExprKind::Call(c)) => match &c.callee {
                Callee::Builtin(Builtin::IsValid, of) => {
                    format!("{}.$valid$", key_name(base, of)?)
                }
                _ => return None,
            },
            _ => return None,
        },
        A::Binary {
            op: BinaryOp::BitAnd,
            left,
            right,
            ..
        } => match &typed.kind {
            ExprKind::Binary(BinaryOp::BitAnd, a, b) => {
                format!("{} & {}", key_name(left, a)?, key_name(right, b)?)
            }
            _ => return None,
        },
        _ => return None,
    })
}

/// A number in the base that it was written in, without a width.
fn literal_text(lit: &ast::IntLit) -> String {
    let (prefix, radix) = match lit.base {
        ast::IntBase::Binary => ("0b", 2),
        ast::IntBase::Octal => ("0o", 8),
        ast::IntBase::Decimal => ("", 10),
        ast::IntBase::Hexadecimal => ("0x", 16),
    };
    format!("{prefix}{}", lit.value.to_str_radix(radix))
}

/// The number that an annotation holds.
pub fn annotation_int(a: &ast::Annotation) -> Option<num_bigint::BigInt> {
    match &a.body {
        ast::AnnotationBody::Unstructured(tokens) | ast::AnnotationBody::Pragma(tokens) => {
            match tokens.as_slice() {
                [t] if t.kind == ast::AnnotationTokenKind::Integer => parse_int(&t.text),
                _ => None,
            }
        }
        ast::AnnotationBody::Expressions(list) => match list.as_slice() {
            [
                ast::Expr {
                    kind: A::Int(lit), ..
                },
            ] => Some(lit.value.clone()),
            _ => None,
        },
        _ => None,
    }
}

/// Whether a mask covers the most significant bits and no others.
fn is_prefix(mask: &num_bigint::BigInt, width: u32) -> bool {
    let all = (num_bigint::BigInt::from(1) << width) - 1;
    let rest = &all ^ mask;
    &rest & (&rest + 1u32) == num_bigint::BigInt::from(0)
}

/// An integer literal as written, whatever its base; a width in front is left out.
pub fn parse_int(text: &str) -> Option<num_bigint::BigInt> {
    let text = text.replace('_', "").to_ascii_lowercase();
    let digits = match text.split_once(['w', 's']) {
        Some((width, rest)) if width.chars().all(|c| c.is_ascii_digit()) => rest,
        _ => text.as_str(),
    };
    let (radix, digits) = match digits.get(..2) {
        Some("0x") => (16, &digits[2..]),
        Some("0b") => (2, &digits[2..]),
        Some("0o") => (8, &digits[2..]),
        Some("0d") => (10, &digits[2..]),
        _ => (10, digits),
    };
    num_bigint::BigInt::parse_bytes(digits.as_bytes(), radix)
}

impl Checker<'_> {
    pub(super) fn table(&mut self, t: &ast::TableDecl) -> Option<Rc<Table>> {
        let def = self.fresh_def();
        let mut seen: HashMap<Name, Span> = HashMap::new();
        for p in &t.properties {
            if let Some(previous) = seen.insert(p.name.name.clone(), p.name.span) {
                self.duplicate(&p.name, previous);
            }
        }
        t.properties
            .iter()
            .for_each(|p| self.annotations(&p.annotations));
        let mut keys = Vec::new();
        let mut actions: Option<Vec<ActionRef>> = None;
        let mut size = None;
        let mut properties = Vec::new();
        for p in &t.properties {
            match &p.value {
                TablePropertyValue::Key(list) => {
                    for k in list {
                        keys.extend(self.key(k));
                    }
                }
                TablePropertyValue::Actions(list) => {
                    let mut refs: Vec<ActionRef> = Vec::new();
                    for a in list {
                        if let Some(r) = self.action_ref(a) {
                            if refs.iter().any(|o| o.action.def == r.action.def) {
                                self.error(
                                    a.span,
                                    format!("{}: Duplicate action name in table", a.name),
                                );
                            } else {
                                refs.push(r);
                            }
                        }
                    }
                    actions = Some(refs);
                }
                TablePropertyValue::Entries(_) => {}
                TablePropertyValue::Expr(e) => match p.name.as_str() {
                    "default_action" => {}
                    "size" => {
                        let v = self.expr(e);
                        if v.is_poison() {
                            continue;
                        }
                        if !v.is_compile_time() || !matches!(*v.ty, Type::Int | Type::Bits { .. }) {
                            self.error(e.span, format!("size of table {}: expected a compile-time constant of type int", t.name));
                            continue;
                        }
                        if v.as_int().is_some_and(Signed::is_negative) {
                            self.error(
                                e.span,
                                format!("size of table {}: must not be negative", t.name),
                            );
                            continue;
                        }
                        size = Some(v);
                    }
                    "key" | "actions" | "entries" => {
                        self.error(p.span, format!("{}: malformed property", p.name));
                    }
                    _ => {
                        let v = self.expr(e);
                        if !v.is_poison() {
                            properties.push(Property {
                                name: p.name.name.clone(),
                                is_const: p.is_const,
                                value: v,
                                annotations: p.annotations.clone(),
                                span: p.span,
                            });
                        }
                    }
                },
            }
        }
        let Some(mut actions) = actions else {
            self.error(
                t.name.span,
                format!("Table {} does not have an action list", t.name),
            );
            return None;
        };
        let default_prop = t.properties.iter().find_map(|p| match &p.value {
            TablePropertyValue::Expr(e) if p.name.as_str() == "default_action" => Some((p, e)),
            _ => None,
        });
        let default_action = match default_prop {
            Some((p, e)) => self.default_action(&actions, e, p.is_const, p.span),
            None => self.implied_default(t, &mut actions),
        };
        let entries = t.properties.iter().find_map(|p| match &p.value {
            TablePropertyValue::Entries(list) => Some((p.is_const, list)),
            _ => None,
        });
        let entries = match entries {
            None => None,
            Some((is_const, list)) => {
                if keys.is_empty() && !list.is_empty() {
                    self.error(
                        t.name.span,
                        format!(
                            "Entries cannot be specified for table {} with no key",
                            t.name
                        ),
                    );
                }
                let types: Vec<Ty> = keys.iter().map(|k: &Key| k.expr.ty.clone()).collect();
                let mut out = Vec::new();
                for e in list {
                    if let Some(entry) = self.entry(e, &types, &actions, is_const) {
                        self.check_entry(&entry, &keys);
                        out.push(entry);
                    }
                }
                let ordered = |k: &Key| matches!(&*k.match_kind, "ternary" | "range" | "optional");
                if let Some(e) = out.iter().find(|e| e.priority.is_some())
                    && !keys.iter().any(ordered)
                {
                    self.error(
                        e.span,
                        "the match kinds of the keys need no priorities, but some are specified",
                    );
                }
                self.complete_priorities(t, is_const, &mut out);
                Some(Entries {
                    is_const,
                    list: out,
                })
            }
        };
        Some(Rc::new(Table {
            def,
            name: t.name.name.clone(),
            name_span: t.name.span,
            annotations: t.annotations.clone(),
            keys,
            actions,
            default_action,
            size,
            entries,
            properties,
            span: t.span,
        }))
    }

    fn key(&mut self, k: &ast::KeyElement) -> Option<Key> {
        self.annotations(&k.annotations);
        let e = self.expr(&k.expr);
        if !self.match_kinds.contains(&k.match_kind.name) {
            self.error(
                k.match_kind.span,
                format!("{}: declaration not found; not a match_kind", k.match_kind),
            );
        }
        let given = find_annotation(&k.annotations, "name").and_then(|a| a.string());
        let named = given.is_some();
        let name: Name = match given.or_else(|| key_name(&k.expr, &e).map(Name::from)) {
            Some(n) => n,
            None => {
                if !e.is_poison() {
                    self.error(
                        k.expr.span,
                        "Complex key expression requires a @name annotation",
                    );
                }
                return None;
            }
        };
        if e.is_poison() {
            return None;
        }
        match &*e.ty.representation() {
            Type::Bits { .. } | Type::Bool | Type::Error | Type::Enum(_) => {}
            Type::Int => {
                self.error(e.span, "table key must have a width");
                return None;
            }
            t => {
                self.error(
                    e.span,
                    format!("Key field type must be a scalar type; it cannot be '{t}'"),
                );
                return None;
            }
        }
        Some(Key {
            expr: e,
            match_kind: k.match_kind.name.clone(),
            name,
            named,
            annotations: k.annotations.clone(),
            span: k.span,
        })
    }

    fn find_action(&mut self, path: &ast::Path) -> Option<Rc<Action>> {
        match self.lookup(path) {
            Entity::Action(a) => Some(a),
            Entity::Poison => None,
            _ => {
                self.error(path.span, format!("{path}: not an action"));
                None
            }
        }
    }

    fn action_ref(&mut self, a: &ast::ActionRef) -> Option<ActionRef> {
        self.annotations(&a.annotations);
        let action = self.find_action(&a.name)?;
        let bound: Vec<_> = action
            .params
            .iter()
            .filter(|p| p.direction != Direction::None)
            .cloned()
            .collect();
        let empty = Vec::new();
        let given = a.args.as_ref().unwrap_or(&empty);
        if given.len() > bound.len() {
            self.error(
                a.span,
                format!("{}: parameters without direction are set by the control plane and cannot be given here", a.name),
            );
            return None;
        }
        let m = self.match_args(
            a.name.as_str(),
            &bound,
            given,
            Bindings::default(),
            &[],
            a.span,
            action.span,
        )?;
        Some(ActionRef {
            action,
            annotations: a.annotations.clone(),
            args: m.args,
            sources: given
                .iter()
                .filter_map(|a| a.value.as_ref().map(print::expression))
                .collect(),
            span: a.span,
        })
    }

    /// Arguments for the parameters that the control plane would set.
    fn data_args(
        &mut self,
        r: &ActionRef,
        args: Option<&[ast::Argument]>,
        span: Span,
    ) -> Option<Vec<Expr>> {
        let data: Vec<_> = r
            .action
            .params
            .iter()
            .filter(|p| p.direction == Direction::None)
            .cloned()
            .collect();
        let given = args.unwrap_or(&[]);
        // The bound ones are repeated in front; they were checked in the action list.
        let repeated = given.len().min(r.sources.len());
        if let Some(missing) = r.unbound(repeated) {
            let message = format!("{}: Parameter {missing} must be bound", r.action.name);
            self.error(span, message);
            return None;
        }
        let (again, given) = given.split_at(repeated);
        let bound = r.action.params.len() - data.len();
        let left = r.action.params.iter().take(bound).skip(repeated);
        if let Some(p) = left
            .chain(data.iter().skip(given.len()))
            .find(|p| p.default.is_some())
            && again.iter().chain(given).all(|a| a.name.is_none())
        {
            let message = format!("{}: parameter should be assigned in the call", p.var.name);
            self.error(p.var.span, message);
            return None;
        }
        for (a, declared) in again.iter().zip(&r.sources) {
            let text = a.value.as_ref().map(print::expression);
            if text.as_ref() != Some(declared) {
                self.error(
                    a.span,
                    format!("argument does not match declaration in actions list: {declared}"),
                );
                return None;
            }
        }
        let m = self.match_args(
            &r.action.name,
            &data,
            given,
            Bindings::default(),
            &[],
            span,
            r.action.span,
        )?;
        let mut out = Vec::new();
        for a in m.args.into_iter().flatten() {
            if !a.is_poison() && !a.is_compile_time() {
                self.error(a.span, "action argument must be a compile-time constant");
                return None;
            }
            out.push(a);
        }
        Some(out)
    }

    fn default_action(
        &mut self,
        actions: &[ActionRef],
        e: &ast::Expr,
        is_const: bool,
        span: Span,
    ) -> Option<DefaultAction> {
        let (path, args) = match &e.kind {
            A::Name(p) => (p, None),
            A::Call { callee, args, .. } => match &callee.kind {
                A::Name(p) => (p, Some(args.as_slice())),
                _ => {
                    self.error(e.span, "default_action must be an action");
                    return None;
                }
            },
            _ => {
                self.error(e.span, "default_action must be an action");
                return None;
            }
        };
        let action = self.find_action(path)?;
        let Some(index) = actions.iter().position(|r| r.action.def == action.def) else {
            self.error(path.span, format!("{path}: not present in action list"));
            return None;
        };
        if find_annotation(&actions[index].annotations, "tableonly").is_some() {
            self.error(
                path.span,
                format!("{path}: action marked @tableonly used as default action"),
            );
        }
        let args = self.data_args(&actions[index], args, e.span)?;
        Some(DefaultAction {
            index,
            args,
            is_const,
            explicit: true,
            span,
        })
    }

    /// Without `default_action` a table has `NoAction` (section 14.2.1.3).
    fn implied_default(
        &mut self,
        t: &ast::TableDecl,
        actions: &mut Vec<ActionRef>,
    ) -> Option<DefaultAction> {
        let Some(Entity::Action(no_action)) =
            self.scopes[0].names.get("NoAction").map(|(e, _)| e.clone())
        else {
            self.error(
                t.name.span,
                format!(
                    "table {} needs a default_action: NoAction of core.p4 is not declared",
                    t.name
                ),
            );
            return None;
        };
        if !no_action.params.is_empty() || !no_action.body.stmts.is_empty() {
            self.error(
                no_action.span,
                "NoAction: Expected an action with no parameters and no body; did you include core.p4?",
            );
        }
        let index = match actions.iter().position(|r| r.action.def == no_action.def) {
            Some(i) => i,
            None => {
                let span = t.name.span;
                let word = |s: &str| ast::Ident::new(s, span);
                actions.push(ActionRef {
                    action: no_action,
                    annotations: vec![ast::Annotation {
                        name: word("defaultonly"),
                        body: ast::AnnotationBody::None,
                        span,
                    }],
                    args: Vec::new(),
                    sources: Vec::new(),
                    span,
                });
                actions.len() - 1
            }
        };
        Some(DefaultAction {
            index,
            args: Vec::new(),
            is_const: false,
            explicit: false,
            span: t.name.span,
        })
    }

    fn entry(
        &mut self,
        e: &ast::Entry,
        types: &[Ty],
        actions: &[ActionRef],
        const_list: bool,
    ) -> Option<Entry> {
        let keys = self.keyset_tuple(&e.keyset, types, false)?;
        let priority = match &e.priority {
            Some(p) => Some(self.constant_int(p, "priority")?),
            None => None,
        };
        // It came before the syntax, and counts the other way round: the least number wins.
        let annotated = match find_annotation(&e.annotations, "priority") {
            Some(a) => match annotation_int(a).and_then(|n| i32::try_from(n).ok()) {
                Some(n) => Some(n),
                None => {
                    self.error(a.span, "Invalid priority value; must be constant");
                    return None;
                }
            },
            None => None,
        };
        let action = self.find_action(&e.action.name)?;
        let Some(index) = actions.iter().position(|r| r.action.def == action.def) else {
            self.error(
                e.action.span,
                format!("{}: not present in action list", e.action.name),
            );
            return None;
        };
        if find_annotation(&actions[index].annotations, "defaultonly").is_some() {
            self.error(
                e.action.span,
                format!(
                    "{}: action marked @defaultonly used in an entry",
                    e.action.name
                ),
            );
        }
        let args = self.data_args(&actions[index], e.action.args.as_deref(), e.action.span)?;
        Some(Entry {
            is_const: e.is_const || const_list,
            priority,
            annotated,
            keys,
            action: index,
            args,
            span: e.span,
        })
    }

    /// Gives entries without a priority theirs (section 14.2.1.4), so that the greatest wins.
    fn complete_priorities(&mut self, t: &ast::TableDecl, is_const: bool, list: &mut [Entry]) {
        if is_const {
            if let Some(e) = list.iter().find(|e| e.priority.is_some()) {
                self.error(
                    e.span,
                    "priorities cannot be given for entries of a 'const entries' list",
                );
            }
            return;
        }
        if let Some(e) = list.first().filter(|e| e.priority.is_none())
            && list.iter().any(|e| e.priority.is_some())
        {
            self.error(e.span, "Entry must have a priority");
        }
        let property = |name: &str| {
            t.properties.iter().find_map(|p| match &p.value {
                TablePropertyValue::Expr(e) if p.name.as_str() == name => Some(e),
                _ => None,
            })
        };
        let largest_wins = !matches!(
            property("largest_priority_wins").map(|e| &e.kind),
            Some(A::Bool(false))
        );
        let delta = match property("priority_delta") {
            Some(e) => {
                let delta = self.constant_int(e, "priority_delta").unwrap_or_default();
                if delta.is_negative() {
                    self.error(e.span, format!("{delta}: must be a positive value"));
                }
                delta
            }
            None => num_bigint::BigInt::from(1),
        };
        let first = if largest_wins {
            &delta * (list.len().saturating_sub(1)) + 1
        } else {
            num_bigint::BigInt::from(1)
        };
        let mut next = first;
        for e in list.iter_mut() {
            let p = e.priority.clone().unwrap_or(next);
            next = if largest_wins {
                &p - &delta
            } else {
                &p + &delta
            };
            if p < 1.into() || p > u32::MAX.into() {
                self.error(e.span, "Overflow in priority computation");
                return;
            }
            e.priority = Some(if largest_wins { p } else { -p });
        }
    }

    /// Whether each keyset is one that its key's match kind has.
    fn check_entry(&mut self, e: &Entry, keys: &[Key]) {
        for (set, key) in e.keys.iter().zip(keys) {
            let kind = &*key.match_kind;
            let ok = match (set, kind) {
                (Keyset::Value(_), _) => true,
                (Keyset::Set(_), _) => false,
                (Keyset::Any, _) => kind != "exact",
                (Keyset::Mask(..), "ternary") => true,
                (Keyset::Mask(_, m), "lpm") => match (m.as_int(), key.expr.ty.width()) {
                    (Some(m), Some(w)) => is_prefix(m, w),
                    _ => true,
                },
                (Keyset::Mask(..), _) => false,
                (Keyset::Range(..), _) => kind == "range",
            };
            if !ok {
                self.error(
                    e.span,
                    format!("invalid keyset for {kind} key {}", key.name),
                );
            }
        }
    }

    /// One keyset for each of several values.
    pub(super) fn keyset_tuple(
        &mut self,
        k: &ast::Keyset,
        types: &[Ty],
        sets: bool,
    ) -> Option<Vec<Keyset>> {
        match &k.kind {
            KeysetKind::Tuple(list) => {
                if list.len() != types.len() {
                    self.error(
                        k.span,
                        format!(
                            "keyset has {} components, but there are {} values to match",
                            list.len(),
                            types.len()
                        ),
                    );
                    return None;
                }
                let mut out = Vec::new();
                for (k, t) in list.iter().zip(types) {
                    out.push(self.keyset(k, t, false)?);
                }
                Some(out)
            }
            KeysetKind::Default | KeysetKind::DontCare => Some(vec![Keyset::Any; types.len()]),
            KeysetKind::Expr(e) if types.len() != 1 => {
                let v = self.expr(e);
                if v.is_poison() {
                    return None;
                }
                match v.kind {
                    ExprKind::ValueSet(s) if sets => Some(vec![Keyset::Set(s)]),
                    ExprKind::List(items) if items.len() == types.len() => {
                        let mut out = Vec::new();
                        for (i, t) in items.into_iter().zip(types) {
                            let i = self.key_value(i, t)?;
                            out.push(Keyset::Value(i));
                        }
                        Some(out)
                    }
                    _ => {
                        self.error(
                            k.span,
                            format!(
                                "keyset has 1 component, but there are {} values to match",
                                types.len()
                            ),
                        );
                        None
                    }
                }
            }
            _ if types.len() != 1 => {
                self.error(
                    k.span,
                    format!(
                        "keyset has 1 component, but there are {} values to match",
                        types.len()
                    ),
                );
                None
            }
            _ => Some(vec![self.keyset(k, &types[0], sets)?]),
        }
    }

    fn key_value(&mut self, e: Expr, ty: &Ty) -> Option<Expr> {
        let span = e.span;
        let e = self.convert(e, ty, |f, t| {
            format!("Cannot match a value of type '{t}' with a value of type '{f}'")
        });
        if e.is_poison() {
            return None;
        }
        let e = self.underlying_value(e);
        if !e.is_compile_time() {
            self.error(span, "must evaluate to a compile-time constant");
            return None;
        }
        Some(e)
    }

    fn keyset(&mut self, k: &ast::Keyset, ty: &Ty, sets: bool) -> Option<Keyset> {
        match &k.kind {
            KeysetKind::Default | KeysetKind::DontCare => Some(Keyset::Any),
            KeysetKind::Tuple(list) => match list.as_slice() {
                [only] => self.keyset(only, ty, sets),
                _ => {
                    self.error(k.span, "keysets cannot be nested");
                    None
                }
            },
            KeysetKind::Expr(e) => {
                let v = self.expr(e);
                if v.is_poison() {
                    return None;
                }
                let v = match v.kind {
                    ExprKind::List(mut one) if one.len() == 1 => one.remove(0),
                    kind => Expr { kind, ..v },
                };
                if let ExprKind::ValueSet(s) = &v.kind {
                    let fits = Type::same(&s.element, ty)
                        || matches!(&*s.element, Type::Struct(_) | Type::Tuple(_));
                    if !sets || !fits {
                        self.error(
                            k.span,
                            format!(
                                "value set {} cannot be matched with a value of type '{ty}'",
                                s.name
                            ),
                        );
                        return None;
                    }
                    return Some(Keyset::Set(s.clone()));
                }
                Some(Keyset::Value(self.key_value(v, ty)?))
            }
            KeysetKind::Mask(a, b) => {
                let a = self.expr(a);
                let b = self.expr(b);
                let base = self.mask_type(ty, k.span)?;
                Some(Keyset::Mask(
                    self.key_value(a, &base)?,
                    self.key_value(b, &base)?,
                ))
            }
            KeysetKind::Range(a, b) => {
                let a = self.expr(a);
                let b = self.expr(b);
                let base = self.mask_type(ty, k.span)?;
                let (a, b) = (self.key_value(a, &base)?, self.key_value(b, &base)?);
                if let (Some(x), Some(y)) = (a.as_int(), b.as_int())
                    && x > y
                {
                    self.error(k.span, format!("{x}..{y}: invalid range"));
                    return None;
                }
                Some(Keyset::Range(a, b))
            }
        }
    }

    fn mask_type(&mut self, ty: &Ty, span: Span) -> Option<Ty> {
        let base = ty.representation();
        if base.is_bits() {
            // Serializable enums are matched as numbers; a `type` stays what it is.
            return Some(if matches!(**ty, Type::Enum(_)) {
                base
            } else {
                ty.clone()
            });
        }
        self.error(
            span,
            format!("&&& and .. are not defined on values of type '{ty}'"),
        );
        None
    }
}
