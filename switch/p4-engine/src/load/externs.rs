// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Meters, action profiles, digests, field lists and parser value sets.

use serde_json::Value;

use super::control::Control;
use super::expr::pair;
use super::{Builder, Result, json};
use crate::error::LoadError;
use crate::meter::MeterCell;
use crate::program::{
    ActionProfileInfo, CalcInput, Calculation, DigestInfo, FieldInfo, FieldRef, MeterInfo,
    ValueSetInfo,
};
use crate::value::limbs;

impl Builder {
    pub(super) fn meters(&mut self, root: &json::Root) -> Result<()> {
        for m in &root.meter_arrays {
            let at = format!("meter `{}`", m.name);
            if m.rate_count != 2 {
                return Err(LoadError::unsupported(
                    format!("a meter of {} rates", m.rate_count),
                    &at,
                ));
            }
            let bytes = match m.kind.as_str() {
                "bytes" => true,
                "packets" => false,
                other => {
                    return Err(LoadError::unsupported(format!("type `{other}`"), &at));
                }
            };
            let result = match &m.result_target {
                Some((h, f)) if m.is_direct => {
                    let f = self.field(h, f, &at)?;
                    if f.width > 64 {
                        return Err(LoadError::invalid("the result is wider than 64 bits", &at));
                    }
                    Some(f)
                }
                _ => None,
            };
            let size = if m.is_direct { 0 } else { m.size };
            self.spend_array(size, size_of::<MeterCell>(), &at)?;
            self.meters.push(MeterInfo {
                name: m.name.clone(),
                id: m.id,
                size,
                // Filled in by the table that names it.
                table: None,
                bytes,
                result,
            });
            self.direct_meters.push(m.is_direct);
        }
        Ok(())
    }

    fn elements(&self, list: &json::FieldList, at: &str) -> Result<Vec<(FieldInfo, FieldRef)>> {
        let mut out = Vec::new();
        for e in &list.elements {
            match e.kind.as_str() {
                "field" => {
                    let (h, f) = pair(&e.value, at)?;
                    let source = self.field(h, f, at)?;
                    let info = FieldInfo {
                        name: format!("{h}.{f}"),
                        width: source.width,
                        signed: source.signed,
                    };
                    out.push((info, source));
                }
                "header" => {
                    let name = e.value.as_str().unwrap_or("");
                    let h = self.header(name, at)?;
                    for f in self.fields_of(h) {
                        out.push(f);
                    }
                }
                other => {
                    return Err(LoadError::unsupported(
                        format!("element of type `{other}`"),
                        at,
                    ));
                }
            }
        }
        Ok(out)
    }

    fn fields_of(&self, header: u32) -> Vec<(FieldInfo, FieldRef)> {
        let h = &self.headers[header as usize];
        let info = |f: &FieldRef| {
            let name = self.names.get(&f.word).cloned().unwrap_or_default();
            FieldInfo {
                name,
                width: f.width,
                signed: f.signed,
            }
        };
        h.fields.iter().map(|f| (info(f), *f)).collect()
    }

    /// Digests (`learn_lists`) and lists of preserved metadata (`field_lists`).
    pub(super) fn lists(&mut self, root: &json::Root) -> Result<()> {
        for l in &root.learn_lists {
            let at = format!("digest `{}`", l.name);
            let (fields, sources) = self.elements(l, &at)?.into_iter().unzip();
            self.digests.push(DigestInfo {
                name: l.name.clone(),
                id: l.id,
                fields,
                sources,
            });
        }
        for l in &root.field_lists {
            let at = format!("field list `{}`", l.name);
            let list = self.elements(l, &at)?.into_iter().map(|(_, f)| f).collect();
            self.field_lists.insert(l.id.into(), list);
        }
        Ok(())
    }

    pub(super) fn value_sets(&mut self, root: &json::Root) -> Result<()> {
        for v in &root.parse_vsets {
            let at = format!("parser value set `{}`", v.name);
            if !(1..=crate::budget::FIELD_BITS).contains(&u64::from(v.compressed_bitwidth)) {
                return Err(LoadError::invalid("the width is out of range", &at));
            }
            self.value_sets.push(ValueSetInfo {
                name: v.name.clone(),
                id: v.id,
                size: v.max_size.unwrap_or(1024),
                widths: vec![v.compressed_bitwidth],
            });
        }
        Ok(())
    }

    /// The action profiles; tables name them, so these come later (`bind_profiles`).
    pub(super) fn action_profiles(&mut self, root: &json::Root) -> Result<()> {
        for a in root.pipelines.iter().flat_map(|p| &p.action_profiles) {
            let at = format!("action profile `{}`", a.name);
            let calc = match &a.selector {
                Some(s) => {
                    let algo = super::action::algorithm(&s.algo, &at)?;
                    let mut inputs = Vec::new();
                    for i in &s.input {
                        if i.kind != "field" {
                            return Err(LoadError::unsupported(
                                format!("selector input of type `{}`", i.kind),
                                &at,
                            ));
                        }
                        let (h, f) = pair(&i.value, &at)?;
                        let valid = self.headers[self.header(h, &at)? as usize].valid;
                        let field = self.field(h, f, &at)?;
                        inputs.push(CalcInput::Field {
                            valid,
                            field,
                            length: None,
                        });
                    }
                    self.calcs.push(Calculation {
                        algo,
                        inputs,
                        with_payload: false,
                        plan: None,
                    });
                    (self.calcs.len() - 1) as u32
                }
                None => 0,
            };
            self.profiles.push(ActionProfileInfo {
                name: a.name.clone(),
                id: a.id,
                size: a.max_size.unwrap_or(1024),
                with_selector: a.selector.is_some(),
                tables: Vec::new(),
                actions: Vec::new(),
                calc,
            });
        }
        Ok(())
    }

    /// Notes at profiles and meters which tables use them.
    pub(super) fn bind(&mut self, control: &Control) {
        for (i, t) in control.tables.iter().enumerate() {
            if let Some(m) = t.direct_meter {
                self.meters[m].table = Some(i);
            }
            if let Some(p) = t.profile {
                let p = &mut self.profiles[p];
                p.tables.push(i);
                for a in &t.actions {
                    if !p.actions.contains(a) {
                        p.actions.push(*a);
                    }
                }
            }
        }
    }

    /// The action profile of a table of this type.
    pub(super) fn table_profile(&self, t: &json::Table, at: &str) -> Result<Option<usize>> {
        let selector = match t.kind.as_str() {
            "simple" => return Ok(None),
            "indirect" => false,
            "indirect_ws" => true,
            other => return Err(LoadError::unsupported(format!("table type `{other}`"), at)),
        };
        let name = t.action_profile.as_deref().unwrap_or("");
        let found = self.profiles.iter().position(|p| p.name == name);
        let found = found.ok_or_else(|| LoadError::unknown("action profile", name, at))?;
        if selector && !self.profiles[found].with_selector {
            let what = format!("action profile `{name}` has no selector");
            return Err(LoadError::invalid(what, at));
        }
        Ok(Some(found))
    }

    pub(super) fn table_meter(&self, t: &json::Table, at: &str) -> Result<Option<usize>> {
        let Some(name) = &t.direct_meters else {
            return Ok(None);
        };
        let mut meters = self.meters.iter().zip(&self.direct_meters);
        let found = meters.position(|(m, direct)| m.name == *name && *direct);
        Ok(Some(found.ok_or_else(|| {
            LoadError::unknown("direct meter", name, at)
        })?))
    }

    /// The meter array of that name.
    pub(super) fn meter_array(&self, name: &str, at: &str) -> Result<u32> {
        let mut meters = self.meters.iter().zip(&self.direct_meters);
        let found = meters.position(|(m, direct)| m.name == name && !*direct);
        let found = found.ok_or_else(|| LoadError::unknown("meter array", name, at))?;
        Ok(found as u32)
    }

    /// The digest of that id.
    pub(super) fn digest(&self, id: u64, at: &str) -> Result<u32> {
        let found = self.digests.iter().position(|d| u64::from(d.id) == id);
        let found = found.ok_or_else(|| LoadError::unknown("learn list id", id, at))?;
        Ok(found as u32)
    }

    /// The value set of a transition, for a key of these widths.
    pub(super) fn value_set(
        &mut self,
        value: Option<&str>,
        widths: &[u32],
        at: &str,
    ) -> Result<u32> {
        let name = value.unwrap_or("");
        let found = self.value_sets.iter().position(|v| v.name == name);
        let found = found.ok_or_else(|| LoadError::unknown("parser value set", name, at))?;
        let set = &mut self.value_sets[found];
        let total = |w: &[u32]| w.iter().map(|&w| u64::from(w)).sum::<u64>();
        if total(&set.widths) != total(widths) {
            let what = format!("value set `{name}` does not fit the transition key");
            return Err(LoadError::invalid(what, at));
        }
        set.widths = widths.to_vec();
        Ok(found as u32)
    }
}

/// The number of words of a field.
pub(super) fn words(f: &FieldRef) -> u32 {
    limbs(f.width)
}

/// The id in an operand: a constant.
pub(super) fn id_of(v: &Value, at: &str) -> Result<u64> {
    let (kind, value) = super::expr::type_value(v, at)?;
    let n = match (kind, value) {
        ("hexstr", Value::String(s)) => super::expr::hex(s, at)?.as_u64(),
        _ => None,
    };
    n.ok_or_else(|| LoadError::invalid("an id is not a constant", at))
}
