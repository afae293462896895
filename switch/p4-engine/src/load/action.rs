// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Actions and their primitives, and the calculations that some of them use.

use std::collections::HashSet;

use serde_json::Value;

use super::expr::{Place, Scope, hex, string, type_value};
use super::externs::id_of;
use super::{Builder, Result, json};
use crate::budget::FIELD_BITS;
use crate::error::LoadError;
use crate::exec::{BinOp, Expr, Ins};
use crate::num::Num;
use crate::program::{
    ActionInfo, CalcInput, Calculation, FieldRef, HashAlgo, HeaderOp, HeaderRef, LogFormat,
    ParamInfo, VarPlace,
};
use crate::value::{limbs, mask};

pub(super) fn algorithm(name: &str, at: &str) -> Result<HashAlgo> {
    Ok(match name {
        "csum16" | "cksum16" => HashAlgo::Csum16,
        "crc16" | "crc16_custom" => HashAlgo::Crc16,
        "crc32" | "crc32_custom" => HashAlgo::Crc32,
        "crcCCITT" => HashAlgo::CrcCcitt,
        "xor16" => HashAlgo::Xor16,
        "xor32" => HashAlgo::Xor32,
        "identity" => HashAlgo::Identity,
        "random" => HashAlgo::Random,
        other => {
            return Err(LoadError::unsupported(
                format!("hash algorithm `{other}`"),
                at,
            ));
        }
    })
}

impl Builder {
    pub(super) fn calculations(&mut self, root: &json::Root) -> Result<()> {
        for c in &root.calculations {
            let at = format!("calculation `{}`", c.name);
            let algo = algorithm(&c.algo, &at)?;
            let mut calc = Calculation {
                algo,
                inputs: Vec::new(),
                with_payload: false,
                plan: None,
            };
            for i in &c.input {
                match i.kind.as_str() {
                    "field" => {
                        let (h, f) = super::expr::pair(&i.value, &at)?;
                        let header = &self.headers[self.header(h, &at)? as usize];
                        let field = self.field(h, f, &at)?;
                        let var = header.var.filter(|v| header.fields[v.index] == field);
                        calc.inputs.push(CalcInput::Field {
                            valid: header.valid,
                            field,
                            length: var.map(|v| v.length),
                        });
                    }
                    "hexstr" => {
                        let v = hex(string(&i.value, "a hexstr", &at)?, &at)?;
                        let width = i.bitwidth.filter(|&w| (1..=FIELD_BITS).contains(&w.into()));
                        let width = width.ok_or_else(|| {
                            LoadError::invalid("a constant has no proper `bitwidth`", &at)
                        })?;
                        let limbs = (0..limbs(width)).map(|l| v.limb(l)).collect();
                        calc.inputs.push(CalcInput::Const { limbs, width });
                    }
                    "header" => {
                        let header = self.header(string(&i.value, "a header name", &at)?, &at)?;
                        calc.inputs.push(CalcInput::Header { header });
                    }
                    "payload" => calc.with_payload = true,
                    other => {
                        return Err(LoadError::unsupported(
                            format!("input of type `{other}`"),
                            &at,
                        ));
                    }
                }
            }
            self.calc_by_name
                .insert(c.name.clone(), self.calcs.len() as u32);
            self.calcs.push(calc.with_plan());
        }
        Ok(())
    }

    pub(super) fn calculation(&self, name: &str, at: &str) -> Result<u32> {
        let found = self.calc_by_name.get(name).copied();
        found.ok_or_else(|| LoadError::unknown("calculation", name, at))
    }

    pub(super) fn actions(&mut self, root: &json::Root) -> Result<()> {
        for a in &root.actions {
            let at = format!("action `{}`", a.name);
            let mut word = self.locals as u32;
            let mut refs = Vec::new();
            for d in &a.runtime_data {
                if d.bitwidth == 0 || u64::from(d.bitwidth) > FIELD_BITS {
                    return Err(LoadError::invalid(
                        format!(
                            "parameter `{}`: width {} is out of range",
                            d.name, d.bitwidth
                        ),
                        &at,
                    ));
                }
                refs.push(FieldRef {
                    word,
                    width: d.bitwidth,
                    signed: false,
                });
                word += limbs(d.bitwidth);
            }
            let pc = self.block();
            self.body(&a.primitives, &refs, &at)?;
            self.end();
            let code = self.code.split_off(pc as usize);
            let temps: HashSet<_> = self.temps.iter().copied().collect();
            let code = super::optimise::optimise(code, pc, |w| temps.contains(&w));
            self.code.extend(code);
            let params = a
                .runtime_data
                .iter()
                .map(|d| ParamInfo {
                    name: d.name.clone(),
                    width: d.bitwidth,
                })
                .collect();
            if self.action_by_id.insert(a.id, self.actions.len()).is_some() {
                return Err(LoadError::invalid(
                    format!("id {} is used twice", a.id),
                    &at,
                ));
            }
            self.actions.push(ActionInfo {
                name: a.name.clone(),
                id: a.id,
                params,
                pc,
            });
        }
        Ok(())
    }

    /// A sequence of primitives; jumps name primitives by their position in it.
    pub(super) fn body(
        &mut self,
        calls: &[json::Call],
        params: &[FieldRef],
        action: &str,
    ) -> Result<()> {
        let mut starts = Vec::new();
        let mut jumps = Vec::new();
        for (i, c) in calls.iter().enumerate() {
            starts.push(self.code.len() as u32);
            let at = format!("{action}, primitive {i} (`{}`)", c.op);
            if let Some(to) = self.primitive(c, &Scope { params, at: &at })? {
                if to > calls.len() {
                    return Err(LoadError::invalid(
                        format!("cannot jump to primitive {to}"),
                        &at,
                    ));
                }
                if to <= i {
                    self.turn_back();
                }
                jumps.push((self.code.len() - 1, to));
            }
        }
        starts.push(self.code.len() as u32);
        for (from, target) in jumps {
            if let Ins::Jump { pc } | Ins::JumpIfZero { pc, .. } | Ins::Back { pc } =
                &mut self.code[from]
            {
                *pc = starts[target];
            }
        }
        Ok(())
    }

    /// Makes of the jump that was put last one that goes back.
    fn turn_back(&mut self) {
        let here = self.code.len() as u32;
        if let Some(Ins::JumpIfZero { pc, .. }) = self.code.last_mut() {
            *pc = here + 1;
            self.code.push(Ins::Jump { pc: here + 2 });
        } else {
            self.code.pop();
        }
        self.code.push(Ins::Back { pc: 0 });
    }

    /// One primitive. For a jump, gives the position of its target, to be filled in.
    pub(super) fn primitive(&mut self, c: &json::Call, s: &Scope) -> Result<Option<usize>> {
        let at = s.at;
        let expect = |n: usize| {
            if c.parameters.len() == n {
                Ok(())
            } else {
                Err(LoadError::invalid(
                    format!("takes {n} parameters, not {}", c.parameters.len()),
                    at,
                ))
            }
        };
        let arg = |i: usize| &c.parameters[i];
        match c.op.as_str() {
            "assign" | "modify_field" => {
                expect(2)?;
                let (dst, e) = (self.place(arg(0), s)?, self.data(arg(1), s)?);
                self.store(dst.field, &e);
                self.finish_place(&dst);
            }
            "add_to_field" | "subtract_from_field" => {
                expect(2)?;
                let (dst, e) = (self.place(arg(0), s)?, self.data(arg(1), s)?);
                let old = self.data(arg(0), s)?;
                let op = if c.op == "add_to_field" {
                    BinOp::Add
                } else {
                    BinOp::Sub
                };
                self.store(dst.field, &Expr::Bin(op, Box::new(old), Box::new(e)));
                self.finish_place(&dst);
            }
            "add" | "subtract" | "bit_xor" | "bit_or" | "bit_and" | "shift_left"
            | "shift_right" => {
                expect(3)?;
                let op = match c.op.as_str() {
                    "add" => BinOp::Add,
                    "subtract" => BinOp::Sub,
                    "bit_xor" => BinOp::Xor,
                    "bit_or" => BinOp::Or,
                    "bit_and" => BinOp::And,
                    "shift_left" => BinOp::Shl,
                    _ => BinOp::Shr,
                };
                let dst = self.place(arg(0), s)?;
                let (a, b) = (self.data(arg(1), s)?, self.data(arg(2), s)?);
                self.store(dst.field, &Expr::Bin(op, Box::new(a), Box::new(b)));
                self.finish_place(&dst);
            }
            "assign_header" | "copy_header" => {
                expect(2)?;
                let (d, a) = (self.header_ref(arg(0), s)?, self.header_ref(arg(1), s)?);
                self.same_type(self.example(&d), self.example(&a), at)?;
                match (d, a) {
                    (HeaderRef::Fixed(d), HeaderRef::Fixed(a))
                        if self.headers[d as usize].union.is_none() =>
                    {
                        self.code.push(Ins::AssignHeader { d, a });
                    }
                    (d, a) => self.header_op(HeaderOp::Assign(d, a)),
                }
            }
            "add_header" => {
                expect(1)?;
                match self.header_ref(arg(0), s)? {
                    HeaderRef::Fixed(header) if self.headers[header as usize].union.is_none() => {
                        self.code.push(Ins::AddHeader { header });
                    }
                    h => self.header_op(HeaderOp::Add(h)),
                }
            }
            "remove_header" => {
                expect(1)?;
                match self.header_ref(arg(0), s)? {
                    HeaderRef::Fixed(header) => self.code.push(Ins::RemoveHeader { header }),
                    h => self.header_op(HeaderOp::Remove(h)),
                }
            }
            "push" | "pop" => {
                expect(2)?;
                let stack = self.stack_operand(arg(0), at)?;
                let by = self.data(arg(1), s)?;
                let up = c.op == "push";
                self.header_op(HeaderOp::Shift { stack, up, by });
            }
            "assign_VL" => {
                expect(2)?;
                let (d, a) = (self.var_place(arg(0), at)?, self.var_place(arg(1), at)?);
                if d.words < a.words {
                    return Err(LoadError::invalid("the destination is too short", at));
                }
                self.header_op(HeaderOp::CopyVar { d, a });
            }
            "assign_union" | "assign_header_stack" | "assign_union_stack" => {
                expect(2)?;
                for (d, a) in self.pairs(arg(0), arg(1), s)? {
                    self.code.push(Ins::AssignHeader { d, a });
                }
                if c.op != "assign_union" {
                    let (d, a) = (
                        self.stack_operand(arg(0), at)?,
                        self.stack_operand(arg(1), at)?,
                    );
                    self.header_op(HeaderOp::AssignStack { d, a });
                }
            }
            "execute_meter" => {
                expect(3)?;
                let meter = self.meter_array(self.named(arg(0), "meter_array", at)?, at)?;
                let index = self.index(arg(1), s)?;
                let dst = self.place(arg(2), s)?;
                self.narrow(&dst, at)?;
                self.code.push(Ins::Meter {
                    meter,
                    index,
                    d: dst.field.word,
                    mask: mask(dst.field.width),
                });
                self.finish_place(&dst);
            }
            "generate_digest" => {
                expect(2)?;
                let digest = self.digest(id_of(arg(1), at)?, at)?;
                self.code.push(Ins::Digest { digest });
            }
            "clone_ingress_pkt_to_egress" | "clone_egress_pkt_to_egress" => {
                expect(2)?;
                let session = self.data(arg(0), s)?;
                let session = self.word(&session, 64);
                let list = self.field_list(arg(1), at)?;
                self.code.push(Ins::Clone { session, list });
            }
            "resubmit" | "recirculate" => {
                let list = match &c.parameters[..] {
                    [] => 0,
                    [list] => self.field_list(list, at)?,
                    _ => return Err(LoadError::invalid("takes one parameter", at)),
                };
                self.code.push(if c.op == "resubmit" {
                    Ins::Resubmit { list }
                } else {
                    Ins::Recirculate { list }
                });
            }
            "register_read" => {
                expect(3)?;
                let dst = self.place(arg(0), s)?;
                let reg = self.register(self.named(arg(1), "register_array", at)?, at)?;
                let index = self.index(arg(2), s)?;
                self.code.push(Ins::RegRead {
                    d: dst.field.word,
                    reg,
                    index,
                    width: dst.field.width,
                });
                self.finish_place(&dst);
            }
            "register_write" => {
                expect(3)?;
                let reg = self.register(self.named(arg(0), "register_array", at)?, at)?;
                let index = self.index(arg(1), s)?;
                let width = self.registers[reg as usize].width;
                let e = self.data(arg(2), s)?;
                let a = self.cell(&e, width);
                self.code.push(Ins::RegWrite { reg, index, a });
            }
            "count" => {
                expect(2)?;
                let name = self.named(arg(0), "counter_array", at)?;
                let found = self
                    .counters
                    .iter()
                    .position(|x| x.name == name && x.table.is_none());
                let counter = found.ok_or_else(|| LoadError::unknown("counter array", name, at))?;
                let index = self.index(arg(1), s)?;
                self.code.push(Ins::Count {
                    counter: counter as u32,
                    index,
                });
            }
            "modify_field_rng_uniform" => {
                expect(3)?;
                let dst = self.place(arg(0), s)?;
                self.narrow(&dst, at)?;
                let (lo, hi) = (self.data(arg(1), s)?, self.data(arg(2), s)?);
                let (lo, hi) = (self.word(&lo, 64), self.word(&hi, 64));
                self.code.push(Ins::Random {
                    d: dst.field.word,
                    lo,
                    hi,
                    mask: mask(dst.field.width),
                });
                self.finish_place(&dst);
            }
            "modify_field_with_hash_based_offset" => {
                expect(4)?;
                let dst = self.place(arg(0), s)?;
                self.narrow(&dst, at)?;
                let base = self.data(arg(1), s)?;
                let calc = self.calculation(self.named(arg(2), "calculation", at)?, at)?;
                if self.calcs[calc as usize].with_payload {
                    return Err(LoadError::unsupported("a hash over the payload", at));
                }
                let size = self.data(arg(3), s)?;
                let (base, size) = (self.word(&base, 64), self.word(&size, 64));
                self.code.push(Ins::Hash {
                    calc,
                    d: dst.field.word,
                    base,
                    size,
                });
                self.code.push(Ins::Mask {
                    d: dst.field.word,
                    mask: mask(dst.field.width),
                });
                self.finish_place(&dst);
            }
            // v1model's takes standard_metadata, of which p4c makes copies; P4-14's takes nothing.
            "mark_to_drop" | "drop" => {
                let header = match c.parameters.first() {
                    Some(v) => self.named(v, "header", at)?,
                    None => "standard_metadata",
                };
                let spec = self.field(header, "egress_spec", at)?;
                self.code.push(Ins::DropPort {
                    d: spec.word,
                    mask: mask(spec.width),
                });
                if let Ok(group) = self.field(header, "mcast_grp", at) {
                    self.store(group, &Expr::Const(Num::Small(0)));
                }
            }
            "exit" => self.code.push(Ins::Exit),
            "no_op" => {}
            "assert" | "assume" => {
                expect(1)?;
                // BMv2 takes a number here; p4c converts with `b2d`.
                let e = self.expr(arg(0), s)?;
                let e = if e.is_bool() {
                    e
                } else {
                    Expr::Un(crate::exec::UnOp::ToBool, Box::new(e))
                };
                let a = self.condition(&e);
                self.code.push(Ins::Assert { a });
            }
            "log_msg" => self.log(c, s)?,
            "truncate" => {
                expect(1)?;
                let e = self.data(arg(0), s)?;
                let a = self.word(&e, 64);
                self.code.push(Ins::Truncate { a });
            }
            "_jump" => {
                expect(1)?;
                self.code.push(Ins::Jump { pc: 0 });
                return self.jump_target(arg(0), s).map(Some);
            }
            "_jump_if_zero" => {
                expect(2)?;
                let e = self.expr(arg(0), s)?;
                let a = if e.is_bool() {
                    self.condition(&e)
                } else {
                    self.condition(&Expr::Un(crate::exec::UnOp::ToBool, Box::new(e)))
                };
                self.code.push(Ins::JumpIfZero { a, pc: 0 });
                return self.jump_target(arg(1), s).map(Some);
            }
            other => return Err(LoadError::unsupported(format!("primitive `{other}`"), at)),
        }
        Ok(None)
    }

    fn jump_target(&self, v: &Value, s: &Scope) -> Result<usize> {
        match self.data(v, s)? {
            Expr::Const(n) => n.as_u64().and_then(|n| usize::try_from(n).ok()),
            _ => None,
        }
        .ok_or_else(|| LoadError::invalid("the target of a jump is not a constant", s.at))
    }

    /// The index into an array: BMv2 takes the low 32 bits.
    fn index(&mut self, v: &Value, s: &Scope) -> Result<u32> {
        let e = self.data(v, s)?;
        Ok(self.word(&e, 32))
    }

    /// The first of the words that hold `e` cut to `width`.
    fn cell(&mut self, e: &Expr, width: u32) -> u32 {
        if width <= 64 {
            return self.word(e, width);
        }
        match e {
            Expr::Field(f) if f.width >= width => f.word,
            Expr::Const(v) => {
                let words: Vec<u64> = (0..limbs(width)).map(|i| v.limb(i)).collect();
                let first = self.new_word(words[0]);
                words[1..].iter().for_each(|&w| {
                    self.new_word(w);
                });
                first
            }
            _ => {
                let word = self.new_word(0);
                (1..limbs(width)).for_each(|_| {
                    self.new_word(0);
                });
                let signed = false;
                self.store(
                    FieldRef {
                        word,
                        width,
                        signed,
                    },
                    e,
                );
                word
            }
        }
    }

    /// Checks that a number of a machine word fits.
    fn narrow(&self, p: &Place, at: &str) -> Result<()> {
        if p.field.width <= 64 {
            return Ok(());
        }
        Err(LoadError::invalid(
            "the destination is wider than 64 bits",
            at,
        ))
    }

    fn header_op(&mut self, op: HeaderOp) {
        self.header_ops.push(op);
        let op = (self.header_ops.len() - 1) as u32;
        self.code.push(Ins::HeaderOp { op });
    }

    /// The id of a list of preserved fields; 0 preserves nothing.
    fn field_list(&self, v: &Value, at: &str) -> Result<u32> {
        let id = id_of(v, at)?;
        if id != 0 && !self.field_lists.contains_key(&id) {
            return Err(LoadError::unknown("field list id", id, at));
        }
        Ok(id as u32)
    }

    /// A variable-length field.
    fn var_place(&self, v: &Value, at: &str) -> Result<VarPlace> {
        let (kind, value) = type_value(v, at)?;
        if kind == "expression" && value.get("type").is_some() {
            return self.var_place(value, at);
        }
        if kind != "field" {
            return Err(LoadError::unsupported(
                format!("operand type `{kind}` as a variable-length field"),
                at,
            ));
        }
        let (h, f) = super::expr::pair(value, at)?;
        let field = self.field(h, f, at)?;
        let header = &self.headers[self.header(h, at)? as usize];
        match header.var {
            Some(v) if header.fields[v.index] == field => Ok(VarPlace {
                word: field.word,
                words: limbs(field.width),
                length: v.length,
            }),
            _ => Err(LoadError::invalid(
                format!("`{h}.{f}` is not of variable length"),
                at,
            )),
        }
    }

    /// The name in an operand of type `kind`.
    fn named<'v>(&self, v: &'v Value, kind: &str, at: &str) -> Result<&'v str> {
        match type_value(v, at)? {
            (k, name) if k == kind => string(name, "a name", at),
            (other, _) => Err(LoadError::invalid(
                format!("an operand is of type `{other}`, not `{kind}`"),
                at,
            )),
        }
    }

    fn log(&mut self, c: &json::Call, s: &Scope) -> Result<()> {
        let at = s.at;
        let (format, args) = match &c.parameters[..] {
            [f] => (f, None),
            [f, a] => (f, Some(a)),
            _ => return Err(LoadError::invalid("takes a format and its arguments", at)),
        };
        let text = string(type_value(format, at)?.1, "the format", at)?;
        let mut list = Vec::new();
        if let Some(args) = args {
            let values = match type_value(args, at)?.1 {
                Value::Array(values) => values.as_slice(),
                // So p4c writes no arguments.
                Value::Object(none) if none.is_empty() => &[],
                _ => return Err(LoadError::invalid("the arguments are no list", at)),
            };
            for v in values {
                list.push(self.expr(v, s)?);
            }
        }
        let mut text: Vec<String> = text.split("{}").map(str::to_owned).collect();
        // The language does not count places. One without an argument is text, an argument without
        // one is not shown.
        while text.len() > list.len() + 1
            && let Some(last) = text.pop()
            && let Some(before) = text.last_mut()
        {
            before.push_str("{}");
            before.push_str(&last);
        }
        list.truncate(text.len() - 1);
        self.logs.push(LogFormat { text, args: list });
        self.code.push(Ins::Log {
            format: (self.logs.len() - 1) as u32,
        });
        Ok(())
    }
}
