// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! The parser and the checksums.

use std::collections::HashMap;

use super::expr::{Scope, hex, pair, string, type_value};
use super::{Builder, Result, json};
use crate::budget::FIELD_BITS;
use crate::error::LoadError;
use crate::num::Num;
use crate::program::{
    Checksum, ErrorCodes, ExtractTo, HeaderRef, NONE, ParserOp, ParserState, SelectCase, SelectKey,
};
use crate::value::{limb_mask, limbs};

/// The codes of the core library's errors; those that the JSON does not declare get codes of
/// their own.
pub(super) fn error_codes(declared: &[(String, u64)]) -> ErrorCodes {
    let mut next = declared
        .iter()
        .map(|(_, c)| c.saturating_add(1))
        .max()
        .unwrap_or(0);
    let mut code = |name: &str| {
        declared.iter().find(|(n, _)| n == name).map_or_else(
            || {
                next = next.saturating_add(1);
                next - 1
            },
            |(_, c)| *c,
        )
    };
    ErrorCodes {
        no_error: code("NoError"),
        packet_too_short: code("PacketTooShort"),
        parser_timeout: code("ParserTimeout"),
        invalid_argument: code("ParserInvalidArgument"),
        stack_out_of_bounds: code("StackOutOfBounds"),
        header_too_short: code("HeaderTooShort"),
        no_match: code("NoMatch"),
    }
}

/// States by name.
type StateNames<'a> = HashMap<&'a str, u32>;

fn state_of(names: &StateNames, name: &Option<String>, at: &str) -> Result<u32> {
    match name {
        None => Ok(NONE),
        Some(n) => {
            let found = names.get(n.as_str()).copied();
            found.ok_or_else(|| LoadError::unknown("parser state", n, at))
        }
    }
}

impl Builder {
    /// The states of the parser, and the first.
    pub(super) fn parser(&mut self, root: &json::Root) -> Result<(Vec<ParserState>, u32)> {
        let parser = root
            .parsers
            .iter()
            .find(|p| p.name == "parser")
            .ok_or_else(|| LoadError::NotBmv2("there is no parser named `parser`".to_owned()))?;
        let mut names = StateNames::new();
        for (i, s) in parser.parse_states.iter().enumerate() {
            if names.insert(s.name.as_str(), i as u32).is_some() {
                let at = format!("parser state `{}`", s.name);
                return Err(LoadError::invalid("declared twice", &at));
            }
        }
        let states = parser.parse_states.iter().map(|s| self.state(s, &names));
        let states = states.collect::<Result<_>>()?;
        let start = state_of(&names, &parser.init_state, "parser `parser`")?;
        Ok((states, start))
    }

    fn state(&mut self, s: &json::ParseState, names: &StateNames) -> Result<ParserState> {
        let at = format!("parser state `{}`", s.name);
        let mut ops = Vec::new();
        for op in &s.parser_ops {
            let at = format!("{at}, operation `{}`", op.op);
            self.parser_op(op, &mut ops, &at)?;
        }
        let mut out = ParserState {
            name: s.name.clone(),
            ops,
            key: Vec::new(),
            key_bytes: 0,
            cases: Vec::new(),
            default: NONE,
            no_match: false,
        };
        let mut widths = Vec::new();
        for k in &s.transition_key {
            widths.push(self.select_key(k, &mut out, &at)?);
        }
        let mut default = false;
        for t in &s.transitions {
            let next = state_of(names, &t.next_state, &at)?;
            match self.transition(t, next, &widths, &at)? {
                Some(case) => out.cases.push(case),
                None => (out.default, default) = (next, true),
            }
        }
        if out.key.is_empty() && !out.cases.is_empty() {
            return Err(LoadError::invalid(
                "transitions with values, but no key",
                &at,
            ));
        }
        out.no_match = !default && !out.cases.is_empty();
        Ok(out)
    }

    /// A case of a `select`; `None` for the default.
    fn transition(
        &mut self,
        t: &json::Transition,
        next: u32,
        widths: &[u32],
        at: &str,
    ) -> Result<Option<SelectCase>> {
        let (words, set) = match (t.kind.as_deref(), &t.value) {
            (Some("default"), _) | (None, None) => return Ok(None),
            // Before format 2.7 the type was implied by the value.
            (None, Some(v)) if v == "default" => return Ok(None),
            (Some("hexstr") | None, Some(value)) => {
                (select_case(value, t.mask.as_deref(), widths, at)?, None)
            }
            (Some("parse_vset"), value) => {
                let set = Some(self.value_set(value.as_deref(), widths, at)?);
                let total: u32 = widths.iter().map(|w| w.div_ceil(8)).sum();
                let ones = "ff".repeat(total as usize);
                let mask = t.mask.as_deref().unwrap_or(&ones);
                (select_case("0", Some(mask), widths, at)?, set)
            }
            (kind, _) => {
                let kind = kind.unwrap_or("");
                let what = format!("transition type `{kind}`");
                return Err(LoadError::unsupported(what, at));
            }
        };
        Ok(Some(SelectCase { words, set, next }))
    }

    /// What an extraction writes to.
    fn extract_to(&self, v: &serde_json::Value, at: &str) -> Result<ExtractTo> {
        match type_value(v, at)? {
            ("regular", name) => {
                let header = self.header(string(name, "a header name", at)?, at)?;
                if self.headers[header as usize].metadata {
                    let name = &self.headers[header as usize].name;
                    return Err(LoadError::invalid(format!("`{name}` is metadata"), at));
                }
                Ok(ExtractTo::Header(header))
            }
            ("stack" | "union_stack", name) => {
                let (stack, array) = self.extract_stack(name, at)?;
                Ok(ExtractTo::Next { stack, array })
            }
            (other, _) => Err(LoadError::unsupported(
                format!("extraction of type `{other}`"),
                at,
            )),
        }
    }

    /// Whether the header has a variable-length field.
    fn has_var(&self, to: ExtractTo) -> bool {
        let h = match to {
            ExtractTo::Header(h) => h,
            ExtractTo::Next { array, .. } => self.arrays[array as usize][0],
        };
        self.headers[h as usize].var.is_some()
    }

    fn select_key(&self, k: &json::TypeValue, out: &mut ParserState, at: &str) -> Result<u32> {
        match k.kind.as_str() {
            "field" => {
                let (h, f) = pair(&k.value, at)?;
                let f = self.field(h, f, at)?;
                out.key.push(SelectKey::Field {
                    word: f.word,
                    limbs: limbs(f.width),
                });
                Ok(f.width)
            }
            "stack_field" | "union_stack_field" => {
                let (stack, h, field) = self.last_field(&k.value, at)?;
                let HeaderRef::Indexed(array, _) = h else {
                    return Err(LoadError::invalid("not a stack", at));
                };
                let f = self.headers[self.arrays[array as usize][0] as usize].fields[field];
                out.key.push(SelectKey::Last {
                    stack,
                    array,
                    field: field as u32,
                    limbs: super::externs::words(&f),
                });
                Ok(f.width)
            }
            "lookahead" => {
                let (offset, width) = lookahead(&k.value, at)?;
                out.key_bytes = out.key_bytes.max((offset + width).div_ceil(8) as usize);
                out.key.push(SelectKey::Lookahead { offset, width });
                Ok(width)
            }
            other => Err(LoadError::unsupported(format!("key of type `{other}`"), at)),
        }
    }

    fn parser_op(&mut self, op: &json::Call, out: &mut Vec<ParserOp>, at: &str) -> Result<()> {
        let s = Scope { params: &[], at };
        let args = &op.parameters;
        let wrong = || LoadError::invalid(format!("has {} parameters", args.len()), at);
        let new = match op.op.as_str() {
            "extract" => {
                let to = self.extract_to(args.first().ok_or_else(wrong)?, at)?;
                if self.has_var(to) {
                    return Err(LoadError::invalid(
                        "the header has a variable-length field: `extract_VL` is needed",
                        at,
                    ));
                }
                Ok(ParserOp::Extract { to, var: None })
            }
            "extract_VL" => {
                let [to, length] = &args[..] else {
                    return Err(wrong());
                };
                let to = self.extract_to(to, at)?;
                if !self.has_var(to) {
                    return Err(LoadError::invalid(
                        "the header has no variable-length field",
                        at,
                    ));
                }
                let e = self.data(length, &s)?;
                let pc = self.block();
                let word = self.word(&e, 64);
                self.end();
                let var = Some((pc, word));
                Ok(ParserOp::Extract { to, var })
            }
            "set" => {
                let [dst, src] = &args[..] else {
                    return Err(wrong());
                };
                let dst = self.place(dst, &s)?;
                if let ("lookahead", value) = type_value(src, at)? {
                    let (offset, width) = lookahead(value, at)?;
                    out.push(ParserOp::Lookahead {
                        offset,
                        width,
                        dst: dst.field,
                    });
                    let pc = self.block();
                    self.finish_place(&dst);
                    self.end();
                    if self.code.len() as u32 > pc + 1 {
                        out.push(ParserOp::Code { pc });
                    }
                    return Ok(());
                }
                let mut plain = src;
                while let ("expression", inner) = type_value(plain, at)?
                    && inner.get("op").is_none()
                {
                    plain = inner;
                }
                if let ("stack_field" | "union_stack_field", value) = type_value(plain, at)? {
                    let (stack, ..) = self.last_field(value, at)?;
                    out.push(ParserOp::NeedLast { stack });
                }
                let e = self.data(src, &s)?;
                let pc = self.block();
                self.store(dst.field, &e);
                self.finish_place(&dst);
                self.end();
                Ok(ParserOp::Code { pc })
            }
            "verify" => {
                let [condition, error] = &args[..] else {
                    return Err(wrong());
                };
                let (c, e) = (self.boolean(condition, &s)?, self.data(error, &s)?);
                let pc = self.block();
                let (condition, error) = (self.condition(&c), self.word(&e, 64));
                self.end();
                Ok(ParserOp::Verify {
                    pc,
                    condition,
                    error,
                })
            }
            "advance" | "shift" => {
                let [amount] = &args[..] else {
                    return Err(wrong());
                };
                // `advance` counts bits in a type-value object, `shift` bytes in a plain number.
                let e = if op.op == "shift" {
                    let n = amount.as_u64().filter(|&n| n < 1 << 32).ok_or_else(wrong)?;
                    crate::instructions::Expr::Const(Num::Small(i128::from(n) * 8))
                } else {
                    self.data(amount, &s)?
                };
                let pc = self.block();
                let bits = self.word(&e, 64);
                self.end();
                Ok(ParserOp::Advance { pc, bits })
            }
            "primitive" => {
                let [call] = &args[..] else {
                    return Err(wrong());
                };
                let call: json::Call = serde_json::from_value(call.clone())
                    .map_err(|e| LoadError::invalid(format!("not a primitive call: {e}"), at))?;
                let pc = self.block();
                if self.primitive(&call, &s)?.is_some() {
                    return Err(LoadError::unsupported(
                        format!("primitive `{}`", call.op),
                        at,
                    ));
                }
                self.end();
                Ok(ParserOp::Code { pc })
            }
            other => Err(LoadError::unsupported(
                format!("parser operation `{other}`"),
                at,
            )),
        };
        out.push(new?);
        Ok(())
    }

    /// The checksums to verify, and those to update.
    pub(super) fn checksums(
        &mut self,
        root: &json::Root,
    ) -> Result<(Vec<Checksum>, Vec<Checksum>)> {
        let (mut verify, mut update) = (Vec::new(), Vec::new());
        for c in &root.checksums {
            let at = format!("checksum `{}`", c.name);
            if c.kind != "generic" {
                return Err(LoadError::unsupported(
                    format!("checksum type `{}`", c.kind),
                    &at,
                ));
            }
            let calc = self.calculation(&c.calculation, &at)?;
            let (h, f) = (&c.target.0, &c.target.1);
            let target = self.field(h, f, &at)?;
            if target.width > 64 {
                return Err(LoadError::invalid("the target is wider than 64 bits", &at));
            }
            let target_valid = self.headers[self.header(h, &at)? as usize].valid;
            let condition = if c.if_cond.is_null() {
                None
            } else {
                let e = self.boolean(
                    &c.if_cond,
                    &Scope {
                        params: &[],
                        at: &at,
                    },
                )?;
                let pc = self.block();
                let word = self.condition(&e);
                self.end();
                Some((pc, word))
            };
            let sum = Checksum {
                calc,
                target,
                target_valid,
                condition,
            };
            if c.verify {
                verify.push(sum.clone());
            }
            if c.update {
                update.push(sum);
            }
        }
        Ok((verify, update))
    }
}

/// Offset and width in bits.
fn lookahead(v: &serde_json::Value, at: &str) -> Result<(u32, u32)> {
    let n = |i: usize| {
        v.get(i)
            .and_then(serde_json::Value::as_u64)
            .filter(|&n| n <= FIELD_BITS)
    };
    match (n(0), n(1)) {
        (Some(offset), Some(width @ 1..)) => Ok((offset as u32, width as u32)),
        _ => Err(LoadError::invalid(
            "a lookahead is no pair of offset and width",
            at,
        )),
    }
}

/// Values and masks of a case, per word of the key. In the JSON each field is padded to bytes.
fn select_case(
    value: &str,
    mask: Option<&str>,
    widths: &[u32],
    at: &str,
) -> Result<Box<[(u64, u64)]>> {
    let value = hex(value, at)?;
    let mask = mask.map(|m| hex(m, at)).transpose()?;
    let total: u64 = widths.iter().map(|w| u64::from(w.div_ceil(8)) * 8).sum();
    for v in [Some(&value), mask.as_ref()].into_iter().flatten() {
        if v.is_negative() || v.bit_len() > total {
            return Err(LoadError::invalid(
                format!("{v} does not fit the transition key"),
                at,
            ));
        }
    }
    let mut words = Vec::new();
    let mut shift = total;
    for &width in widths {
        shift -= u64::from(width.div_ceil(8)) * 8;
        let part = |v: &Num| v.shr(&Num::Small(shift.into()));
        let v = part(&value);
        let m = mask.as_ref().map(part);
        for i in 0..limbs(width) {
            // Without a mask all bits of the field count, the padding included: it must be 0.
            let m = m
                .as_ref()
                .map_or(limb_mask(width, i), |m| m.limb(i) & limb_mask(width, i));
            words.push((v.limb(i) & m, m));
        }
    }
    Ok(words.into())
}
