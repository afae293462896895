// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Actions, and the calculations that some of them use.

use std::collections::HashSet;

use super::expr::{Scope, hex, string};
use super::{Builder, Result, json};
use crate::budget::FIELD_BITS;
use crate::error::LoadError;
use crate::instructions::Ins;
use crate::program::{ActionInfo, CalcInput, Calculation, Crc, FieldRef, HashAlgo, ParamInfo};
use crate::value::limbs;

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
        "xor8" => HashAlgo::Xor8,
        other => {
            if let Some(crc) = other.strip_prefix("crc:").and_then(Crc::parse) {
                return Ok(HashAlgo::Crc(crc));
            }
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
}
