// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Annotations and documentation (P4Runtime specification, sections "Preamble message", "Structured annotations"), as
//! p4c's `p4RuntimeArchHandler.h` (`addAnnotations`, `addDocumentation`) and `p4RuntimeArchHandler.cpp` put them in.

use std::collections::BTreeSet;

use num_bigint::BigInt;
use num_traits::ToPrimitive;

use super::text::Message;
use crate::ast::{
    Annotation, AnnotationBody, AnnotationToken, AnnotationTokenKind, BinaryOp, Expr, ExprKind,
    find_annotation,
};
use crate::diag::Diagnostics;
use crate::parse::parse_annotation_expressions;
use crate::sema::{annotation_int, fold};
use crate::source::Span;

/// Annotations of which P4Info keeps another record.
const ELSEWHERE: [&str; 4] = ["name", "id", "brief", "description"];

/// Whether an object or field is kept from the control plane.
pub fn is_hidden(annotations: &[Annotation]) -> bool {
    find_annotation(annotations, "hidden").is_some()
}

/// The string of an annotation with one, as it was written: p4c leaves escapes alone.
pub fn raw_string(a: &Annotation) -> Option<String> {
    match &a.body {
        AnnotationBody::Unstructured(tokens) | AnnotationBody::Pragma(tokens)
            if !tokens.is_empty()
                && tokens.iter().all(|t| t.kind == AnnotationTokenKind::String) =>
        {
            Some(tokens.iter().map(|t| unquoted(&t.text)).collect())
        }
        _ => a.string().map(|s| s.to_string()),
    }
}

fn unquoted(text: &str) -> &str {
    text.strip_prefix('"')
        .and_then(|t| t.strip_suffix('"'))
        .unwrap_or(text)
}

/// The number of `@id`.
pub fn id_annotation(
    annotations: &[Annotation],
    span: Span,
    diags: &mut Diagnostics,
) -> Option<BigInt> {
    let a = find_annotation(annotations, "id")?;
    let id = annotation_int(a).filter(|v| v.to_u32().is_some());
    if id.is_none() {
        diags.error(span, "@id should be an unsigned integer");
    }
    id
}

/// Ids of fields (`FieldIdAllocator`): as given by `@id`, otherwise 1, 2, ... where a field with an id of its own takes a
/// number, too.
pub fn field_ids(annotations: &[&[Annotation]], span: Span, diags: &mut Diagnostics) -> Vec<u64> {
    let mut given: Vec<Option<u64>> = Vec::new();
    let mut used = BTreeSet::new();
    for a in annotations {
        let id = id_annotation(a, span, diags).and_then(|n| n.to_u64());
        if let Some(id) = id {
            if id == 0 {
                diags.error(span, "0 is not a valid @id value");
            } else if !used.insert(id) {
                diags.error(span, format!("@id {id} is used multiple times"));
            }
        }
        given.push(id);
    }
    let mut next = 1;
    given
        .into_iter()
        .map(|g| match g {
            Some(id) => {
                next += 1;
                id
            }
            None => {
                while used.contains(&next) {
                    next += 1;
                }
                used.insert(next);
                next
            }
        })
        .collect()
}

/// The annotations without structure that `skip` does not name.
pub fn add_plain(m: &mut Message, annotations: &[Annotation], skip: &[&str]) {
    for text in plain(annotations, skip) {
        m.string("annotations", &text);
    }
}

/// The same as text.
pub fn plain(annotations: &[Annotation], skip: &[&str]) -> Vec<String> {
    let shown = |a: &&Annotation| {
        let name = a.name.as_str();
        !ELSEWHERE.contains(&name) && !skip.contains(&name)
    };
    annotations
        .iter()
        .filter(shown)
        .filter_map(|a| match &a.body {
            AnnotationBody::None => Some(format!("@{}", a.name.as_str())),
            AnnotationBody::Unstructured(tokens) | AnnotationBody::Pragma(tokens) => {
                let name = a.name.as_str();
                Some(format!("@{name}{}", body_text(name, tokens)))
            }
            AnnotationBody::Expressions(_) | AnnotationBody::KeyValues(_) => None,
        })
        .collect()
}

/// The body as `ToP4` prints it: one space between the tokens of what p4c does not know, lists of expressions as such.
fn body_text(name: &str, tokens: &[AnnotationToken]) -> String {
    if tokens.is_empty() {
        return String::new();
    }
    let expressions = ["field_list", "synchronous"].contains(&name);
    let mut out = String::from("(");
    for (i, t) in tokens.iter().enumerate() {
        if i > 0 && !(expressions && &*t.text == ",") {
            out.push(' ');
        }
        // `>>` is two tokens to p4c.
        if &*t.text == ">>" {
            out.push_str("> >");
        } else {
            out.push_str(&t.text);
        }
    }
    out.push(')');
    out
}

/// The structured annotations: all of them, whatever their names.
pub fn add_structured(m: &mut Message, annotations: &[Annotation], diags: &mut Diagnostics) {
    for a in annotations {
        let mut body = Message::default();
        body.string("name", a.name.as_str());
        match &a.body {
            AnnotationBody::Expressions(list) => {
                if !list.is_empty() {
                    let mut all = Message::default();
                    for e in list {
                        all.message("expressions", expression(e, diags));
                    }
                    body.message("expression_list", all);
                }
            }
            AnnotationBody::KeyValues(list) => {
                let mut all = Message::default();
                for kv in list {
                    let mut pair = Message::default();
                    pair.string("key", kv.name.as_str());
                    pair.message("value", expression(&kv.value, diags));
                    all.message("kv_pairs", pair);
                }
                body.message("kv_pair_list", all);
            }
            _ => continue,
        }
        m.message("structured_annotations", body);
    }
}

/// A literal, or what literals make.
enum Literal {
    Int(BigInt),
    Bool(bool),
    Str(String),
}

fn literal(e: &Expr) -> Option<Literal> {
    Some(match &e.kind {
        ExprKind::Int(i) => Literal::Int(i.value.clone()),
        ExprKind::Bool(b) => Literal::Bool(*b),
        ExprKind::String(s) => Literal::Str(s.to_string()),
        ExprKind::Unary { op, operand } => match literal(operand)? {
            Literal::Int(v) => Literal::Int(fold::unary(*op, &v, None)?),
            Literal::Bool(b) if op.as_str() == "!" => Literal::Bool(!b),
            _ => return None,
        },
        ExprKind::Binary {
            op, left, right, ..
        } => match (literal(left)?, literal(right)?) {
            (Literal::Int(a), Literal::Int(b)) => match fold::compare(*op, &a, &b) {
                Some(b) => Literal::Bool(b),
                None => Literal::Int(fold::arithmetic(*op, &a, &b, None)?.ok()?),
            },
            (Literal::Str(a), Literal::Str(b)) if *op == BinaryOp::Concat => Literal::Str(a + &b),
            (Literal::Bool(a), Literal::Bool(b)) => match op {
                BinaryOp::And => Literal::Bool(a && b),
                BinaryOp::Or => Literal::Bool(a || b),
                BinaryOp::Eq => Literal::Bool(a == b),
                BinaryOp::Ne => Literal::Bool(a != b),
                _ => return None,
            },
            _ => return None,
        },
        _ => return None,
    })
}

fn expression(e: &Expr, diags: &mut Diagnostics) -> Message {
    let mut m = Message::default();
    match literal(e) {
        Some(Literal::Str(s)) => m.string("string_value", &s),
        Some(Literal::Bool(b)) => m.word("bool_value", if b { "true" } else { "false" }),
        Some(Literal::Int(v)) => match v.to_i64() {
            Some(v) => m.word("int64_value", &v.to_string()),
            None => diags.error(
                e.span,
                "integer literal in structured annotation must fit in int64, consider using a string literal for larger values",
            ),
        },
        None => diags.error(
            e.span,
            "structured annotation expression must be a compile-time value",
        ),
    }
    m
}

/// `@brief` and `@description`.
pub fn add_documentation(m: &mut Message, annotations: &[Annotation]) {
    // The last of several counts.
    let last = |name: &str| {
        annotations
            .iter()
            .rev()
            .find(|a| a.name.as_str() == name)
            .and_then(raw_string)
    };
    let (brief, description) = (last("brief"), last("description"));
    if brief.is_none() && description.is_none() {
        return;
    }
    let mut doc = Message::default();
    doc.filled("brief", &brief.unwrap_or_default());
    doc.filled("description", &description.unwrap_or_default());
    m.message("doc", doc);
}

/// The keys and values of an annotation such as `@pkginfo(name = "x")`, with or without structure.
pub fn key_values(a: &Annotation, diags: &mut Diagnostics) -> Vec<(String, Expr)> {
    match &a.body {
        AnnotationBody::KeyValues(list) => list
            .iter()
            .map(|kv| (kv.name.name.to_string(), kv.value.clone()))
            .collect(),
        AnnotationBody::Unstructured(tokens) => {
            let mut out = Vec::new();
            // Commas in parentheses or braces belong to a value.
            let mut depth = 0usize;
            let parts = tokens.split(|t| {
                match &*t.text {
                    "(" | "{" | "[" => depth += 1,
                    ")" | "}" | "]" => depth = depth.saturating_sub(1),
                    _ => {}
                }
                depth == 0 && &*t.text == ","
            });
            for part in parts {
                let parsed = match part {
                    [] => continue,
                    [key, eq, value @ ..] if &*eq.text == "=" => {
                        parse_annotation_expressions(value)
                            .ok()
                            .and_then(|mut l| if l.len() == 1 { l.pop() } else { None })
                            .map(|e| (key.text.to_string(), e))
                    }
                    _ => None,
                };
                match parsed {
                    Some(kv) => out.push(kv),
                    None => diags.error(
                        a.span,
                        format!("@{}: expected a list of key = value", a.name),
                    ),
                }
            }
            out
        }
        _ => Vec::new(),
    }
}

/// The string or number that a value in [`key_values`] is.
pub fn string_value(e: &Expr) -> Option<String> {
    match literal(e)? {
        Literal::Str(s) => Some(s),
        _ => None,
    }
}

/// The number that a value in [`key_values`] is.
pub fn int_value(e: &Expr) -> Option<BigInt> {
    match literal(e)? {
        Literal::Int(v) => Some(v),
        _ => None,
    }
}

/// How the control plane sees a type with `@p4runtime_translation`.
pub enum Translation {
    /// As a number of so many bits.
    Bits(u32),
    /// As a string.
    String,
}

/// `@p4runtime_translation("uri", bit<W> or W or string)`.
pub fn translation(annotations: &[Annotation]) -> Option<(String, Translation)> {
    let a = find_annotation(annotations, "p4runtime_translation")?;
    let AnnotationBody::Unstructured(tokens) = &a.body else {
        return None;
    };
    let uri = tokens
        .iter()
        .find(|t| t.kind == AnnotationTokenKind::String)?;
    let width = tokens
        .iter()
        .find(|t| t.kind == AnnotationTokenKind::Integer)
        .and_then(|t| crate::sema::parse_int(&t.text))
        .and_then(|v| v.to_u32());
    Some((
        unquoted(&uri.text).to_string(),
        width.map_or(Translation::String, Translation::Bits),
    ))
}
