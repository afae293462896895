// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Tables (section 14.2).

use std::collections::HashMap;
use std::rc::Rc;

use num_traits::Signed;

use super::hir::{
    Action, ActionRef, Builtin, Callee, DefaultAction, Expr, ExprKind, Key, Property, Table,
};
use super::infer::Bindings;
use super::types::Type;
use super::{Checker, Entity};
use crate::ast::{
    self, BinaryOp, Direction, ExprKind as A, Name, TablePropertyValue, find_annotation, print,
};
use crate::diag::Warning;
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
                    keys.extend(list.iter().filter_map(|k| self.key(k)));
                }
                TablePropertyValue::Actions(list) => actions = Some(self.action_list(list)),
                TablePropertyValue::Entries(_) => {}
                TablePropertyValue::Expr(e) => match p.name.as_str() {
                    "default_action" => {}
                    "size" => size = self.table_size(t, e),
                    "key" | "actions" | "entries" => {
                        self.error(p.span, format!("{}: malformed property", p.name));
                    }
                    _ => properties.extend(self.property(p, e)),
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
        let entries = self.entries(t, &keys, &actions);
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

    fn action_list(&mut self, list: &[ast::ActionRef]) -> Vec<ActionRef> {
        let mut refs: Vec<ActionRef> = Vec::new();
        for a in list {
            let Some(r) = self.action_ref(a) else {
                continue;
            };
            if refs.iter().any(|o| o.action.def == r.action.def) {
                self.error(
                    a.span,
                    format!("{}: Duplicate action name in table", a.name),
                );
            } else {
                refs.push(r);
            }
        }
        refs
    }

    fn table_size(&mut self, t: &ast::TableDecl, e: &ast::Expr) -> Option<Expr> {
        let v = self.expr(e);
        let problem = if v.is_poison() {
            return None;
        } else if !v.is_compile_time() || !matches!(*v.ty, Type::Int | Type::Bits { .. }) {
            "expected a compile-time constant of type int"
        } else if v.as_int().is_some_and(Signed::is_negative) {
            "must not be negative"
        } else {
            return Some(v);
        };
        self.error(e.span, format!("size of table {}: {problem}", t.name));
        None
    }

    fn property(&mut self, p: &ast::TableProperty, e: &ast::Expr) -> Option<Property> {
        let value = self.expr(e);
        (!value.is_poison()).then(|| Property {
            name: p.name.name.clone(),
            is_const: p.is_const,
            value,
            annotations: p.annotations.clone(),
            span: p.span,
        })
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
        if e.is_constant() {
            let text = print::expression(&k.expr);
            let message = format!("{text}: Constant key field");
            self.diags.warning(Warning::Mismatch, e.span, message);
            let message = "constant key element";
            self.diags.warning(Warning::IgnoreProperty, k.span, message);
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

    pub(super) fn find_action(&mut self, path: &ast::Path) -> Option<Rc<Action>> {
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
    pub(super) fn data_args(
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
        if let Some(p) = left.chain(data.iter().skip(given.len())).next()
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
        let Some(Entity::Action(no_action)) = self.scopes[0]
            .names
            .get("NoAction")
            .map(|d| d.entity.clone())
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
}
