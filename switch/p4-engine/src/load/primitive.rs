// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! The primitives of actions, one function for each kind.

use serde_json::Value;

use super::expr::{Place, Scope, string, type_value};
use super::externs::id_of;
use super::{Builder, Result, json};
use crate::error::LoadError;
use crate::instructions::{BinOp, Expr, Ins, UnOp};
use crate::num::Num;
use crate::program::{FieldRef, HeaderOp, HeaderRef, LogFormat, VarPlace};
use crate::value::{limbs, mask};

/// The parameters of a primitive that takes `N`.
fn take<'a, const N: usize>(args: &'a [Value], s: &Scope) -> Result<&'a [Value; N]> {
    args.try_into()
        .map_err(|_| LoadError::invalid(format!("takes {N} parameters, not {}", args.len()), s.at))
}

/// The operator of a primitive that computes a field.
fn operator(op: &str) -> BinOp {
    match op {
        "add" | "add_to_field" => BinOp::Add,
        "subtract" | "subtract_from_field" => BinOp::Sub,
        "bit_xor" => BinOp::Xor,
        "bit_or" => BinOp::Or,
        "bit_and" => BinOp::And,
        "shift_left" => BinOp::Shl,
        _ => BinOp::Shr,
    }
}

impl Builder {
    /// One primitive. For a jump, gives the position of its target, to be filled in.
    pub(super) fn primitive(&mut self, c: &json::Call, s: &Scope) -> Result<Option<usize>> {
        let (op, args) = (c.op.as_str(), &c.parameters[..]);
        match op {
            "assign" | "modify_field" => self.assign(args, s)?,
            "add_to_field" | "subtract_from_field" => self.update(op, args, s)?,
            "add" | "subtract" | "bit_xor" | "bit_or" | "bit_and" | "shift_left"
            | "shift_right" => self.compute(op, args, s)?,
            "assign_header" | "copy_header" => self.assign_header(args, s)?,
            "add_header" => self.add_header(args, s)?,
            "remove_header" => self.remove_header(args, s)?,
            "push" | "pop" => self.shift_stack(op, args, s)?,
            "assign_VL" => self.assign_var(args, s)?,
            "assign_union" | "assign_header_stack" | "assign_union_stack" => {
                self.assign_headers(op, args, s)?;
            }
            "execute_meter" => self.execute_meter(args, s)?,
            "execute_filter" => self.execute_filter(args, s)?,
            "generate_digest" => self.generate_digest(args, s)?,
            "clone_ingress_pkt_to_egress" | "clone_egress_pkt_to_egress" => {
                self.clone_packet(args, s)?;
            }
            "resubmit" | "recirculate" => self.send_back(op, args, s)?,
            "register_read" => self.register_read(args, s)?,
            "register_write" => self.register_write(args, s)?,
            "count" => self.count(args, s)?,
            "modify_field_rng_uniform" => self.random(args, s)?,
            "modify_field_with_hash_based_offset" => self.hash(args, s)?,
            "mark_to_drop" | "drop" => self.mark_to_drop(args, s)?,
            "exit" => self.code.push(Ins::Exit),
            "no_op" => {}
            "assert" | "assume" => self.assert(args, s)?,
            "log_msg" => self.log(args, s)?,
            "truncate" => self.truncate(args, s)?,
            "_jump" => return self.jump(args, s).map(Some),
            "_jump_if_zero" => return self.jump_if_zero(args, s).map(Some),
            other => return Err(LoadError::unsupported(format!("primitive `{other}`"), s.at)),
        }
        Ok(None)
    }

    fn assign(&mut self, args: &[Value], s: &Scope) -> Result<()> {
        let [dst, e] = take(args, s)?;
        let (dst, e) = (self.place(dst, s)?, self.data(e, s)?);
        self.store(dst.field, &e);
        self.finish_place(&dst);
        Ok(())
    }

    fn update(&mut self, op: &str, args: &[Value], s: &Scope) -> Result<()> {
        let [field, e] = take(args, s)?;
        let (dst, e) = (self.place(field, s)?, self.data(e, s)?);
        let old = self.data(field, s)?;
        let new = Expr::Bin(operator(op), Box::new(old), Box::new(e));
        self.store(dst.field, &new);
        self.finish_place(&dst);
        Ok(())
    }

    fn compute(&mut self, op: &str, args: &[Value], s: &Scope) -> Result<()> {
        let [dst, a, b] = take(args, s)?;
        let dst = self.place(dst, s)?;
        let (a, b) = (self.data(a, s)?, self.data(b, s)?);
        let new = Expr::Bin(operator(op), Box::new(a), Box::new(b));
        self.store(dst.field, &new);
        self.finish_place(&dst);
        Ok(())
    }

    fn assign_header(&mut self, args: &[Value], s: &Scope) -> Result<()> {
        let [d, a] = take(args, s)?;
        let (d, a) = (self.header_ref(d, s)?, self.header_ref(a, s)?);
        self.same_type(self.example(&d), self.example(&a), s.at)?;
        match (d, a) {
            (HeaderRef::Fixed(d), HeaderRef::Fixed(a))
                if self.headers[d as usize].union.is_none() =>
            {
                self.code.push(Ins::AssignHeader { d, a });
            }
            (d, a) => self.header_op(HeaderOp::Assign(d, a)),
        }
        Ok(())
    }

    fn add_header(&mut self, args: &[Value], s: &Scope) -> Result<()> {
        let [header] = take(args, s)?;
        match self.header_ref(header, s)? {
            HeaderRef::Fixed(header) if self.headers[header as usize].union.is_none() => {
                self.code.push(Ins::AddHeader { header });
            }
            h => self.header_op(HeaderOp::Add(h)),
        }
        Ok(())
    }

    fn remove_header(&mut self, args: &[Value], s: &Scope) -> Result<()> {
        let [header] = take(args, s)?;
        match self.header_ref(header, s)? {
            HeaderRef::Fixed(header) => self.code.push(Ins::RemoveHeader { header }),
            h => self.header_op(HeaderOp::Remove(h)),
        }
        Ok(())
    }

    fn shift_stack(&mut self, op: &str, args: &[Value], s: &Scope) -> Result<()> {
        let [stack, by] = take(args, s)?;
        let stack = self.stack_operand(stack, s.at)?;
        let by = self.data(by, s)?;
        let up = op == "push";
        self.header_op(HeaderOp::Shift { stack, up, by });
        Ok(())
    }

    fn assign_var(&mut self, args: &[Value], s: &Scope) -> Result<()> {
        let [d, a] = take(args, s)?;
        let (d, a) = (self.var_place(d, s.at)?, self.var_place(a, s.at)?);
        if d.words < a.words {
            return Err(LoadError::invalid("the destination is too short", s.at));
        }
        self.header_op(HeaderOp::CopyVar { d, a });
        Ok(())
    }

    fn assign_headers(&mut self, op: &str, args: &[Value], s: &Scope) -> Result<()> {
        let [dst, src] = take(args, s)?;
        for (d, a) in self.pairs(dst, src, s)? {
            self.code.push(Ins::AssignHeader { d, a });
        }
        if op != "assign_union" {
            let (d, a) = (
                self.stack_operand(dst, s.at)?,
                self.stack_operand(src, s.at)?,
            );
            self.header_op(HeaderOp::AssignStack { d, a });
        }
        Ok(())
    }

    fn execute_meter(&mut self, args: &[Value], s: &Scope) -> Result<()> {
        let [meter, index, dst] = take(args, s)?;
        let meter = self.meter_array(self.named(meter, "meter_array", s.at)?, s.at)?;
        let index = self.index(index, s)?;
        let dst = self.narrow_place(dst, s)?;
        self.code.push(Ins::Meter {
            meter,
            index,
            d: dst.field.word,
            mask: mask(dst.field.width),
        });
        self.finish_place(&dst);
        Ok(())
    }

    fn execute_filter(&mut self, args: &[Value], s: &Scope) -> Result<()> {
        let [dst, filter, index, sample] = take(args, s)?;
        let dst = self.narrow_place(dst, s)?;
        let filter = self.filter(self.named(filter, "filter", s.at)?, s.at)?;
        let index = self.index(index, s)?;
        let sample = self.data(sample, s)?;
        let a = self.word(&sample, self.filters[filter as usize].width);
        self.code.push(Ins::Filter {
            filter,
            index,
            a,
            d: dst.field.word,
            mask: mask(dst.field.width),
        });
        self.finish_place(&dst);
        Ok(())
    }

    fn generate_digest(&mut self, args: &[Value], s: &Scope) -> Result<()> {
        let [_, digest] = take(args, s)?;
        let digest = self.digest(id_of(digest, s.at)?, s.at)?;
        self.code.push(Ins::Digest { digest });
        Ok(())
    }

    fn clone_packet(&mut self, args: &[Value], s: &Scope) -> Result<()> {
        let [session, list] = take(args, s)?;
        let session = self.data(session, s)?;
        let session = self.word(&session, 64);
        let list = self.field_list(list, s.at)?;
        self.code.push(Ins::Clone { session, list });
        Ok(())
    }

    fn send_back(&mut self, op: &str, args: &[Value], s: &Scope) -> Result<()> {
        let list = match args {
            [] => 0,
            [list] => self.field_list(list, s.at)?,
            _ => return Err(LoadError::invalid("takes one parameter", s.at)),
        };
        self.code.push(match op {
            "resubmit" => Ins::Resubmit { list },
            _ => Ins::Recirculate { list },
        });
        Ok(())
    }

    fn register_read(&mut self, args: &[Value], s: &Scope) -> Result<()> {
        let [dst, reg, index] = take(args, s)?;
        let dst = self.place(dst, s)?;
        let reg = self.register(self.named(reg, "register_array", s.at)?, s.at)?;
        let index = self.index(index, s)?;
        self.code.push(Ins::RegRead {
            d: dst.field.word,
            reg,
            index,
            width: dst.field.width,
        });
        self.finish_place(&dst);
        Ok(())
    }

    fn register_write(&mut self, args: &[Value], s: &Scope) -> Result<()> {
        let [reg, index, e] = take(args, s)?;
        let reg = self.register(self.named(reg, "register_array", s.at)?, s.at)?;
        let index = self.index(index, s)?;
        let width = self.registers[reg as usize].width;
        let e = self.data(e, s)?;
        let a = self.cell(&e, width);
        self.code.push(Ins::RegWrite { reg, index, a });
        Ok(())
    }

    fn count(&mut self, args: &[Value], s: &Scope) -> Result<()> {
        let [counter, index] = take(args, s)?;
        let name = self.named(counter, "counter_array", s.at)?;
        let mut counters = self.counters.iter();
        let found = counters.position(|x| x.name == name && x.table.is_none());
        let counter = found.ok_or_else(|| LoadError::unknown("counter array", name, s.at))? as u32;
        let index = self.index(index, s)?;
        self.code.push(Ins::Count { counter, index });
        Ok(())
    }

    fn random(&mut self, args: &[Value], s: &Scope) -> Result<()> {
        let [dst, lo, hi] = take(args, s)?;
        let dst = self.narrow_place(dst, s)?;
        let (lo, hi) = (self.data(lo, s)?, self.data(hi, s)?);
        let (lo, hi) = (self.word(&lo, 64), self.word(&hi, 64));
        self.code.push(Ins::Random {
            d: dst.field.word,
            lo,
            hi,
            mask: mask(dst.field.width),
        });
        self.finish_place(&dst);
        Ok(())
    }

    fn hash(&mut self, args: &[Value], s: &Scope) -> Result<()> {
        let [dst, base, calc, size] = take(args, s)?;
        let dst = self.narrow_place(dst, s)?;
        let base = self.data(base, s)?;
        let calc = self.calculation(self.named(calc, "calculation", s.at)?, s.at)?;
        if self.calcs[calc as usize].with_payload {
            return Err(LoadError::unsupported("a hash over the payload", s.at));
        }
        let size = self.data(size, s)?;
        let (base, size) = (self.word(&base, 64), self.word(&size, 64));
        let d = dst.field.word;
        self.code.push(Ins::Hash {
            calc,
            d,
            base,
            size,
        });
        self.code.push(Ins::mov(d, d, mask(dst.field.width)));
        self.finish_place(&dst);
        Ok(())
    }

    /// v1model's takes standard_metadata, of which p4c makes copies; P4-14's takes nothing.
    fn mark_to_drop(&mut self, args: &[Value], s: &Scope) -> Result<()> {
        let header = match args.first() {
            Some(v) => self.named(v, "header", s.at)?,
            None => "standard_metadata",
        };
        let spec = self.field(header, "egress_spec", s.at)?;
        self.code.push(Ins::DropPort {
            d: spec.word,
            mask: mask(spec.width),
        });
        if let Ok(group) = self.field(header, "mcast_grp", s.at) {
            self.store(group, &Expr::Const(Num::Small(0)));
        }
        Ok(())
    }

    /// A word that is 0 or 1. BMv2 takes numbers, too; p4c converts with `b2d`.
    fn truth(&mut self, v: &Value, s: &Scope) -> Result<u32> {
        let e = self.expr(v, s)?;
        Ok(match e.is_bool() {
            true => self.condition(&e),
            false => self.condition(&Expr::Un(UnOp::ToBool, Box::new(e))),
        })
    }

    fn assert(&mut self, args: &[Value], s: &Scope) -> Result<()> {
        let [condition] = take(args, s)?;
        let a = self.truth(condition, s)?;
        self.code.push(Ins::Assert { a });
        Ok(())
    }

    fn truncate(&mut self, args: &[Value], s: &Scope) -> Result<()> {
        let [length] = take(args, s)?;
        let e = self.data(length, s)?;
        let a = self.word(&e, 64);
        self.code.push(Ins::Truncate { a });
        Ok(())
    }

    fn jump(&mut self, args: &[Value], s: &Scope) -> Result<usize> {
        let [target] = take(args, s)?;
        self.code.push(Ins::Jump { pc: 0 });
        self.jump_target(target, s)
    }

    fn jump_if_zero(&mut self, args: &[Value], s: &Scope) -> Result<usize> {
        let [condition, target] = take(args, s)?;
        let a = self.truth(condition, s)?;
        self.code.push(Ins::JumpIfZero { a, pc: 0 });
        self.jump_target(target, s)
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

    /// A destination that a number of a machine word fits.
    fn narrow_place(&mut self, v: &Value, s: &Scope) -> Result<Place> {
        let place = self.place(v, s)?;
        if place.field.width <= 64 {
            return Ok(place);
        }
        let wide = "the destination is wider than 64 bits";
        Err(LoadError::invalid(wide, s.at))
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

    fn log(&mut self, args: &[Value], s: &Scope) -> Result<()> {
        let at = s.at;
        let (format, args) = match args {
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
