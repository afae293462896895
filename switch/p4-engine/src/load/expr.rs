// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Expressions: from JSON to checked trees.

use serde_json::Value;

use super::{Builder, Result};
use crate::error::LoadError;
use crate::instructions::{BinOp, Expr, UnOp};
use crate::num::Num;
use crate::program::{FieldRef, HeaderRef};

/// A place that is written.
pub(super) struct Place {
    pub field: FieldRef,
    store: Option<u32>,
}

/// Where an expression stands: which action parameters it may name.
pub(super) struct Scope<'a> {
    pub params: &'a [FieldRef],
    pub at: &'a str,
}

/// The `type` and `value` of a type-value object.
pub(super) fn type_value<'a>(v: &'a Value, at: &str) -> Result<(&'a str, &'a Value)> {
    match (v.get("type").and_then(Value::as_str), v.get("value")) {
        (Some(t), Some(value)) => Ok((t, value)),
        _ => Err(LoadError::invalid(
            "an operand has no `type` and `value`",
            at,
        )),
    }
}

pub(super) fn string<'a>(v: &'a Value, what: &str, at: &str) -> Result<&'a str> {
    v.as_str()
        .ok_or_else(|| LoadError::invalid(format!("{what} is not a string"), at))
}

pub(super) fn hex(s: &str, at: &str) -> Result<Num> {
    Num::parse_hex(s)
        .ok_or_else(|| LoadError::invalid(format!("`{s}` is no hexadecimal number"), at))
}

/// A pair of strings: header and field.
pub(super) fn pair<'a>(v: &'a Value, at: &str) -> Result<(&'a str, &'a str)> {
    match v.as_array().map(Vec::as_slice) {
        Some([h, f]) => Ok((
            string(h, "a header name", at)?,
            string(f, "a field name", at)?,
        )),
        _ => Err(LoadError::invalid(
            "a field reference is no pair of names",
            at,
        )),
    }
}

/// Whether an operand is a header, or a stack or union of them.
enum Whole {
    No,
    Header,
    Group,
}

fn whole(v: &Value) -> Whole {
    match v.get("type").and_then(Value::as_str).unwrap_or("") {
        "header" => Whole::Header,
        "header_stack" | "header_union" | "header_union_stack" => Whole::Group,
        "expression" => {
            let inner = &v["value"];
            match inner["op"].as_str() {
                None => whole(inner),
                Some("dereference_header_stack" | "dereference_stack" | "access_union_header") => {
                    Whole::Header
                }
                Some("dereference_union_stack") => Whole::Group,
                Some(_) => Whole::No,
            }
        }
        _ => Whole::No,
    }
}

impl Builder {
    /// A value: a number or a boolean.
    pub(super) fn expr(&self, v: &Value, s: &Scope) -> Result<Expr> {
        let at = s.at;
        self.spend_nodes(1, at)?;
        let (kind, value) = type_value(v, at)?;
        match kind {
            "expression" if value.get("op").is_some() => self.operation(value, s),
            "stack_field" | "union_stack_field" => {
                let (_, h, offset) = self.last_field(value, at)?;
                self.field_at(&h, offset, at)
            }
            // p4c wraps expressions twice.
            "expression" => self.expr(value, s),
            "field" => {
                let (h, f) = pair(value, at)?;
                Ok(Expr::Field(self.field(h, f, at)?))
            }
            "hexstr" => Ok(Expr::Const(hex(string(value, "a hexstr", at)?, at)?)),
            "bool" => match value.as_bool() {
                Some(b) => Ok(Expr::Bool(b)),
                None => Err(LoadError::invalid("a bool is neither true nor false", at)),
            },
            "local" | "runtime_data" => {
                let i = value.as_u64().and_then(|i| s.params.get(i as usize));
                let f = i.ok_or_else(|| LoadError::unknown("action parameter", value, at))?;
                Ok(Expr::Field(*f))
            }
            "register" => match value.as_array().map(Vec::as_slice) {
                Some([name, index]) => {
                    let reg = self.register(string(name, "a register name", at)?, at)?;
                    Ok(Expr::Register(reg, Box::new(self.data(index, s)?)))
                }
                _ => Err(LoadError::invalid(
                    "a register reference is no name with an index",
                    at,
                )),
            },
            other => Err(LoadError::unsupported(
                format!("operand type `{other}`"),
                at,
            )),
        }
    }

    /// A number.
    pub(super) fn data(&self, v: &Value, s: &Scope) -> Result<Expr> {
        self.typed(v, s, false)
    }

    /// A boolean.
    pub(super) fn boolean(&self, v: &Value, s: &Scope) -> Result<Expr> {
        self.typed(v, s, true)
    }

    fn typed(&self, v: &Value, s: &Scope, boolean: bool) -> Result<Expr> {
        let e = self.expr(v, s)?;
        match (e.is_bool(), boolean) {
            (true, false) => Err(LoadError::invalid(
                "a boolean stands where a number must",
                s.at,
            )),
            (false, true) => Err(LoadError::invalid(
                "a number stands where a boolean must",
                s.at,
            )),
            _ => Ok(e),
        }
    }

    fn operation(&self, v: &Value, s: &Scope) -> Result<Expr> {
        let at = s.at;
        let op = string(&v["op"], "an operator", at)?;
        let (left, right) = (&v["left"], &v["right"]);
        let unary = |op, boolean| Ok(Expr::Un(op, Box::new(self.typed(right, s, boolean)?)));
        let binary = |op, boolean| {
            let (l, r) = (
                self.typed(left, s, boolean)?,
                self.typed(right, s, boolean)?,
            );
            Ok(Expr::Bin(op, Box::new(l), Box::new(r)))
        };
        match op {
            "~" => unary(UnOp::Not, false),
            "not" => unary(UnOp::LNot, true),
            "d2b" => unary(UnOp::ToBool, false),
            "b2d" => unary(UnOp::ToData, true),
            "valid" => Ok(self.valid_of(&self.header_ref(right, s)?)),
            "valid_union" => self.union_valid(&self.union_operand(right, s)?, at),
            "last_stack_index" => Ok(self.last_index(self.stack_operand(right, at)?)),
            "size_stack" => Ok(self.stack_size(self.stack_operand(right, at)?)),
            "access_field" => {
                let h = self.header_ref(left, s)?;
                let offset = right.as_u64().and_then(|n| usize::try_from(n).ok());
                let offset = offset
                    .ok_or_else(|| LoadError::invalid("a field's offset is not a number", at))?;
                self.field_at(&h, offset, at)
            }
            "+" | "-" if left.is_null() => {
                let zero = Box::new(Expr::Const(Num::Small(0)));
                let op = if op == "+" { BinOp::Add } else { BinOp::Sub };
                Ok(Expr::Bin(op, zero, Box::new(self.data(right, s)?)))
            }
            "?" => {
                let c = self.boolean(&v["cond"], s)?;
                let (l, r) = (self.expr(left, s)?, self.expr(right, s)?);
                if l.is_bool() != r.is_bool() {
                    return Err(LoadError::invalid("the branches of `?` differ in type", at));
                }
                Ok(Expr::Cond(Box::new(c), Box::new(l), Box::new(r)))
            }
            "==" | "!=" => {
                let eq = match whole(left) {
                    Whole::Header => {
                        let (a, b) = (self.header_ref(left, s)?, self.header_ref(right, s)?);
                        self.same_type(self.example(&a), self.example(&b), at)?;
                        let (HeaderRef::Fixed(a), HeaderRef::Fixed(b)) = (a, b) else {
                            return Err(LoadError::unsupported(
                                "the comparison of a header that an index chooses",
                                at,
                            ));
                        };
                        Some(Expr::HeadersEqual(a, b))
                    }
                    Whole::Group => Some(self.all_equal(&self.pairs(left, right, s)?, at)?),
                    Whole::No => None,
                };
                if let Some(eq) = eq {
                    return Ok(if op == "==" {
                        eq
                    } else {
                        Expr::Un(UnOp::LNot, Box::new(eq))
                    });
                }
                // Each operand is built once: twice at each level would double the work with each level.
                let l = self.expr(left, s)?;
                let r = self.typed(right, s, l.is_bool())?;
                let op = if op == "==" { BinOp::Eq } else { BinOp::Ne };
                Ok(Expr::Bin(op, Box::new(l), Box::new(r)))
            }
            "and" => binary(BinOp::LAnd, true),
            "or" => binary(BinOp::LOr, true),
            _ => binary(
                match op {
                    "+" => BinOp::Add,
                    "-" => BinOp::Sub,
                    "*" => BinOp::Mul,
                    "/" => BinOp::Div,
                    "%" => BinOp::Mod,
                    "<<" => BinOp::Shl,
                    ">>" => BinOp::Shr,
                    "&" => BinOp::And,
                    "|" => BinOp::Or,
                    "^" => BinOp::Xor,
                    "<" => BinOp::Lt,
                    "<=" => BinOp::Le,
                    ">" => BinOp::Gt,
                    ">=" => BinOp::Ge,
                    "two_comp_mod" => BinOp::TwoCompMod,
                    "usat_cast" => BinOp::UsatCast,
                    "sat_cast" => BinOp::SatCast,
                    _ => return Err(LoadError::unsupported(format!("operator `{op}`"), at)),
                },
                false,
            ),
        }
    }

    pub(super) fn header_operand(&self, v: &Value, at: &str) -> Result<u32> {
        match type_value(v, at)? {
            ("header", name) => self.header(string(name, "a header name", at)?, at),
            ("expression", inner) if inner.get("type").is_some() => self.header_operand(inner, at),
            ("expression", inner) => {
                let op = inner.get("op").and_then(Value::as_str).unwrap_or("");
                Err(LoadError::unsupported(
                    format!("operator `{op}` as a header"),
                    at,
                ))
            }
            (other, _) => Err(LoadError::unsupported(
                format!("operand type `{other}` as a header"),
                at,
            )),
        }
    }

    pub(super) fn same_type(&self, a: u32, b: u32, at: &str) -> Result<()> {
        let (a, b) = (&self.headers[a as usize], &self.headers[b as usize]);
        if a.type_name == b.type_name {
            return Ok(());
        }
        let what = format!(
            "headers `{}` and `{}` are of different types",
            a.name, b.name
        );
        Err(LoadError::invalid(what, at))
    }

    /// A place that is written, which an index may choose. In that case the field is a word of its
    /// own, and [`Builder::finish_place`] must copy it once it has been written.
    pub(super) fn place(&mut self, v: &Value, s: &Scope) -> Result<Place> {
        let at = s.at;
        let chosen = match type_value(v, at)? {
            ("expression", inner) if inner.get("type").is_some() => return self.place(inner, s),
            ("expression", inner) if inner["op"] == "access_field" => self.expr(v, s)?,
            ("stack_field" | "union_stack_field", _) => self.expr(v, s)?,
            _ => Expr::Field(self.target(v, at)?),
        };
        match chosen {
            Expr::Field(field) => Ok(Place { field, store: None }),
            Expr::Indexed {
                array,
                field,
                width,
                signed,
                index,
            } => {
                let word = self.new_word(0);
                (1..crate::value::limbs(width)).for_each(|_| {
                    self.new_word(0);
                });
                let from = FieldRef {
                    word,
                    width,
                    signed,
                };
                self.indexed_stores.push(crate::program::IndexedStore {
                    from,
                    array,
                    field,
                    index: *index,
                });
                Ok(Place {
                    field: from,
                    store: Some((self.indexed_stores.len() - 1) as u32),
                })
            }
            _ => Err(LoadError::invalid("the destination is no field", at)),
        }
    }

    /// Copies what was written for [`Builder::place`] to where it belongs.
    pub(super) fn finish_place(&mut self, p: &Place) {
        if let Some(store) = p.store {
            self.code
                .push(crate::instructions::Ins::IndexedStore { store });
        }
    }

    /// A field that is written.
    pub(super) fn target(&self, v: &Value, at: &str) -> Result<FieldRef> {
        match type_value(v, at)? {
            ("field", value) => match pair(value, at)? {
                (h, "$valid$") => Err(LoadError::invalid(
                    format!("`{h}.$valid$` cannot be written"),
                    at,
                )),
                (h, f) => self.field(h, f, at),
            },
            ("expression", inner) if inner.get("type").is_some() => self.target(inner, at),
            ("expression", inner) => {
                let op = inner.get("op").and_then(Value::as_str).unwrap_or("");
                Err(LoadError::unsupported(
                    format!("operator `{op}` as a destination"),
                    at,
                ))
            }
            (other, _) => Err(LoadError::unsupported(
                format!("operand type `{other}` as a destination"),
                at,
            )),
        }
    }
}
