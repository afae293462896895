// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! From BMv2 JSON to the intermediate representation.

mod action;
mod code;
mod control;
mod expr;
mod externs;
mod json;
mod optimise;
mod parser;
mod primitive;
mod stacks;
mod tna;

use std::cell::Cell;
use std::collections::HashMap;

use crate::budget::{ARRAY_BYTES, EXPRESSION_NODES, FIELD_BITS, JSON_NESTING, WORDS};
use crate::error::LoadError;
use crate::instructions::{Expr, Ins, W};
use crate::memory::CounterValue;
use crate::program::{
    ActionInfo, ActionProfileInfo, CounterInfo, DigestInfo, FieldInfo, FieldRef, FilterInfo,
    Header, HeaderOp, IndexedStore, Ir, LogFormat, MetaFields, MeterInfo, QueueingFields,
    RegisterInfo, Stack, ValueSetInfo, VarField,
};
use crate::table::TableState;
use crate::value::{limb_mask, limbs};

type Result<T> = std::result::Result<T, LoadError>;

/// The stack of the thread that loads; only what is used of it takes memory.
const LOADER_STACK: usize = 64 << 20;

/// What every BMv2 JSON has at its root.
const REQUIRED: [&str; 6] = [
    "header_types",
    "headers",
    "parsers",
    "deparsers",
    "actions",
    "pipelines",
];

/// The program, and how its tables begin.
pub(crate) fn load(text: &[u8]) -> Result<(Ir, Vec<TableState>)> {
    let text = &*json::escaped(text);
    if json::nesting(text) > JSON_NESTING {
        return Err(LoadError::Json(format!(
            "it is nested deeper than {JSON_NESTING} levels"
        )));
    }
    // Each level of the text takes some of the stack.
    std::thread::scope(|scope| {
        let loader = std::thread::Builder::new().stack_size(LOADER_STACK);
        let loader = loader
            .spawn_scoped(scope, || program(text))
            .map_err(|e| LoadError::Json(format!("no thread to load it: {e}")))?;
        loader
            .join()
            .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

fn parsed<'a, T: serde::Deserialize<'a>>(text: &'a [u8]) -> Result<T> {
    let mut reader = serde_json::Deserializer::from_slice(text);
    // Its own limit is 128 levels; `JSON_NESTING` was checked.
    reader.disable_recursion_limit();
    let value = T::deserialize(&mut reader).and_then(|v| reader.end().map(|()| v));
    value.map_err(|e| LoadError::Json(e.to_string()))
}

fn root(text: &[u8]) -> Result<json::Root> {
    let value: serde_json::Value = parsed(text)?;
    let Some(object) = value.as_object() else {
        return Err(LoadError::NotBmv2("the root is not an object".to_owned()));
    };
    if let Some(missing) = REQUIRED.iter().find(|k| !object.contains_key(**k)) {
        return Err(LoadError::NotBmv2(format!("`{missing}` is missing")));
    }
    parsed(text)
}

fn program(text: &[u8]) -> Result<(Ir, Vec<TableState>)> {
    let root = root(text)?;
    refuse_unsupported(&root)?;
    let mut b = Builder::default();
    b.headers(&root)?;
    b.stacks(&root)?;
    b.state_words = b.template.len();
    b.arrays(&root)?;
    b.meters(&root)?;
    b.filters(&root)?;
    b.lists(&root)?;
    b.value_sets(&root)?;
    let meta = b.meta_fields(&root)?;
    let tna = b.tna(&root)?;
    b.reserve_locals(&root)?;
    b.calculations(&root)?;
    b.action_profiles(&root)?;
    b.actions(&root)?;
    let (parser, parser_start) = b.parser(&root)?;
    let (verify, update) = b.checksums(&root)?;
    let (deparser, deparser_code) = b.deparser(&root)?;
    let control = b.control(&root)?;
    b.bind(&control);
    b.room(0)?;
    let ir = Ir {
        fields: b.fields,
        headers: b.headers,
        state_words: b.state_words,
        locals: b.locals,
        template: b.template,
        code: b.code,
        exprs: b.exprs,
        logs: b.logs,
        parser,
        parser_start,
        errors: parser::error_codes(&root.errors),
        error_names: root.errors,
        calcs: b.calcs,
        verify,
        update,
        deparser,
        nodes: control.nodes,
        ingress: control.ingress,
        egress: control.egress,
        cyclic: control.cyclic,
        tables: control.tables,
        actions: b.actions,
        counters: b.counters,
        registers: b.registers,
        meters: b.meters,
        filters: b.filters,
        profiles: b.profiles,
        digests: b.digests,
        value_sets: b.value_sets,
        stacks: b.stacks,
        arrays: b.arrays,
        unions: b.unions,
        header_ops: b.header_ops,
        indexed_stores: b.indexed_stores,
        field_lists: b.field_lists,
        deparser_code,
        meta,
        tna,
    };
    Ok((ir, control.initial))
}

/// Refuses, by name, kinds of objects that the engine does not have.
fn refuse_unsupported(root: &json::Root) -> Result<()> {
    if let Some((major, minor)) = root.meta.as_ref().and_then(|m| m.version)
        && major != 2
    {
        return Err(LoadError::unsupported(
            format!("format version {major}.{minor}"),
            "`__meta__`",
        ));
    }
    match root.extern_instances.first() {
        Some(x) => Err(LoadError::unsupported(
            format!("extern instance `{}`", x.name),
            "`extern_instances`",
        )),
        None => Ok(()),
    }
}

/// The program under construction, with what names refer to.
#[derive(Default)]
pub(crate) struct Builder {
    fields: Vec<FieldInfo>,
    headers: Vec<Header>,
    header_by_name: HashMap<String, u32>,
    field_by_name: HashMap<(String, String), FieldRef>,
    state_words: usize,
    locals: usize,
    pub(crate) template: Vec<u64>,
    constants: HashMap<u64, W>,
    temps: Vec<W>,
    next_temp: usize,
    code: Vec<Ins>,
    exprs: Vec<Expr>,
    logs: Vec<LogFormat>,
    calcs: Vec<crate::program::Calculation>,
    calc_by_name: HashMap<String, u32>,
    actions: Vec<ActionInfo>,
    action_by_id: HashMap<u32, usize>,
    counters: Vec<CounterInfo>,
    registers: Vec<RegisterInfo>,
    meters: Vec<MeterInfo>,
    filters: Vec<FilterInfo>,
    /// For each meter, whether it is direct.
    direct_meters: Vec<bool>,
    profiles: Vec<ActionProfileInfo>,
    digests: Vec<DigestInfo>,
    value_sets: Vec<ValueSetInfo>,
    stacks: Vec<Stack>,
    arrays: Vec<Vec<u32>>,
    unions: Vec<Vec<u32>>,
    groups: stacks::Groups,
    header_ops: Vec<HeaderOp>,
    indexed_stores: Vec<IndexedStore>,
    field_lists: HashMap<u64, Vec<FieldRef>>,
    /// Nodes of expressions that were built.
    nodes: Cell<usize>,
    /// Bytes of registers, counters and meters.
    array_bytes: usize,
    /// Names of fields by their first word.
    names: HashMap<W, String>,
}

impl Builder {
    pub(crate) fn new_word(&mut self, v: u64) -> W {
        self.template.push(v);
        (self.template.len() - 1) as W
    }

    /// Refuses a program that `more` words do not fit into.
    fn room(&self, more: usize) -> Result<()> {
        if self.template.len().saturating_add(more) <= WORDS {
            return Ok(());
        }
        Err(LoadError::unsupported(
            format!("a program whose values take more than {WORDS} words"),
            "`headers` and `actions`",
        ))
    }

    /// Counts nodes of expressions.
    fn spend_nodes(&self, n: usize, at: &str) -> Result<()> {
        let spent = self.nodes.get().saturating_add(n);
        self.nodes.set(spent);
        if spent <= EXPRESSION_NODES {
            return Ok(());
        }
        Err(LoadError::unsupported(
            format!("a program with more than {EXPRESSION_NODES} nodes in its expressions"),
            at,
        ))
    }

    /// Counts the memory of an array.
    fn spend_array(&mut self, cells: usize, bytes: usize, at: &str) -> Result<()> {
        self.array_bytes = self.array_bytes.saturating_add(cells.saturating_mul(bytes));
        if self.array_bytes <= ARRAY_BYTES {
            return Ok(());
        }
        Err(LoadError::invalid(
            format!(
                "size {cells} is too large: registers, counters and meters take more than {ARRAY_BYTES} bytes"
            ),
            at,
        ))
    }

    /// The word of a constant.
    fn constant(&mut self, v: u64) -> W {
        if let Some(&w) = self.constants.get(&v) {
            return w;
        }
        let w = self.new_word(v);
        self.constants.insert(v, w);
        w
    }

    /// A word for an intermediate result of the present block of code.
    fn temp(&mut self) -> W {
        if self.next_temp == self.temps.len() {
            let w = self.new_word(0);
            self.temps.push(w);
        }
        self.next_temp += 1;
        self.temps[self.next_temp - 1]
    }

    /// Begins a block of code; gives its address.
    fn block(&mut self) -> u32 {
        self.next_temp = 0;
        self.code.len() as u32
    }

    /// Ends a block of code.
    fn end(&mut self) {
        self.code.push(Ins::End);
    }

    fn headers(&mut self, root: &json::Root) -> Result<()> {
        let mut types = HashMap::new();
        for t in &root.header_types {
            let at = format!("header type `{}`", t.name);
            let fields = t
                .fields
                .iter()
                .map(|f| field_type(f, t.max_length, &at))
                .collect::<Result<Vec<_>>>()?;
            if fields.iter().filter(|f| f.var).count() > 1 {
                return Err(LoadError::invalid(
                    "more than one variable-length field",
                    &at,
                ));
            }
            if types.insert(&t.name, fields).is_some() {
                return Err(LoadError::invalid("declared twice", &at));
            }
        }
        for h in &root.headers {
            let at = format!("header `{}`", h.name);
            let fields = types
                .get(&h.header_type)
                .ok_or_else(|| LoadError::unknown("header type", &h.header_type, &at))?;
            self.add_instance(h, fields, &at)?;
        }
        Ok(())
    }

    /// Gives a header words for its fields and its validity.
    fn add_instance(&mut self, h: &json::Header, fields: &[FieldType], at: &str) -> Result<()> {
        let first = self.template.len() as u32;
        let fixed = fields.iter().filter(|f| !f.var);
        let bits: u64 = fixed.map(|f| u64::from(f.width)).sum();
        let mut refs = Vec::new();
        let mut var = None;
        for f in fields {
            let field = self.add_field(h, f, bits, at)?;
            if f.var {
                var = Some((refs.len(), field.width));
            }
            // A field without bits has a name, and is no part of a packet.
            if field.width > 0 {
                refs.push(field);
            }
        }
        if !bits.is_multiple_of(8) && !h.metadata {
            let what = format!("{bits} bits are no whole number of bytes");
            return Err(LoadError::invalid(what, at));
        }
        let var = var.map(|(index, max)| VarField {
            index,
            length: self.new_word(0),
            max,
        });
        let words = self.template.len() as u32 - first;
        let valid = self.new_word(h.metadata.into());
        let index = self.headers.len() as u32;
        if self.header_by_name.insert(h.name.clone(), index).is_some() {
            return Err(LoadError::invalid("declared twice", at));
        }
        self.headers.push(Header {
            name: h.name.clone(),
            type_name: h.header_type.clone(),
            metadata: h.metadata,
            valid,
            fields: refs,
            first,
            words,
            bytes: (bits / 8) as u32,
            var,
            union: None,
        });
        Ok(())
    }

    /// Gives a field words. `fixed`: the bits of its header without a variable-length field.
    fn add_field(
        &mut self,
        h: &json::Header,
        f: &FieldType,
        fixed: u64,
        at: &str,
    ) -> Result<FieldRef> {
        let name = &f.name;
        // A variable-length field has what the fixed ones leave of the greatest length.
        let width = match f.var {
            true => match u64::from(f.width).checked_sub(fixed) {
                Some(w @ 1..) => w as u32,
                _ => {
                    let what = format!("`max_length` leaves nothing for field `{name}`");
                    return Err(LoadError::invalid(what, at));
                }
            },
            false => f.width,
        };
        self.room(limbs(width) as usize)?;
        let word = self.new_word(0);
        (1..limbs(width)).for_each(|_| {
            self.new_word(0);
        });
        let field = FieldRef {
            word,
            width,
            signed: f.signed,
        };
        let full = format!("{}.{name}", h.name);
        let key = (h.name.clone(), name.clone());
        if self.field_by_name.insert(key, field).is_some() {
            return Err(LoadError::invalid(
                format!("field `{full}` is declared twice"),
                at,
            ));
        }
        self.names.insert(word, full.clone());
        self.fields.push(FieldInfo {
            name: full,
            width,
            signed: f.signed,
        });
        Ok(field)
    }

    fn arrays(&mut self, root: &json::Root) -> Result<()> {
        for r in &root.register_arrays {
            let at = format!("register `{}`", r.name);
            if r.bitwidth == 0 || u64::from(r.bitwidth) > FIELD_BITS {
                return Err(LoadError::invalid(
                    format!("width {} is out of range", r.bitwidth),
                    &at,
                ));
            }
            self.spend_array(r.size, limbs(r.bitwidth) as usize * 8, &at)?;
            let initial = match &r.initial {
                Some(v) => {
                    let v = expr::hex(v, &at)?;
                    let limbs = 0..limbs(r.bitwidth);
                    limbs
                        .map(|i| v.limb(i) & limb_mask(r.bitwidth, i))
                        .collect()
                }
                None => vec![0; limbs(r.bitwidth) as usize],
            };
            self.registers.push(RegisterInfo {
                name: r.name.clone(),
                id: r.id,
                size: r.size,
                width: r.bitwidth,
                initial,
            });
        }
        let tables: Vec<&String> = root
            .pipelines
            .iter()
            .flat_map(|p| p.tables.iter().map(|t| &t.name))
            .collect();
        for c in &root.counter_arrays {
            let at = format!("counter `{}`", c.name);
            let table = match (&c.binding, c.is_direct) {
                (Some(t), true) => Some(
                    tables
                        .iter()
                        .position(|n| *n == t)
                        .ok_or_else(|| LoadError::unknown("table", t, &at))?,
                ),
                (None, true) => {
                    return Err(LoadError::invalid("direct, but bound to no table", &at));
                }
                _ => None,
            };
            let size = if c.is_direct { 0 } else { c.size };
            self.spend_array(size, size_of::<CounterValue>(), &at)?;
            self.counters.push(CounterInfo {
                name: c.name.clone(),
                id: c.id,
                size,
                table,
            });
        }
        Ok(())
    }

    /// Makes room for the parameters of the action with the most of them.
    fn reserve_locals(&mut self, root: &json::Root) -> Result<()> {
        let words = |a: &json::Action| {
            a.runtime_data
                .iter()
                .map(|d| limbs(d.bitwidth) as usize)
                .sum::<usize>()
        };
        self.locals = self.template.len();
        let n = root.actions.iter().map(words).max().unwrap_or(0);
        self.room(n)?;
        self.template.resize(self.locals + n, 0);
        Ok(())
    }

    fn header(&self, name: &str, at: &str) -> Result<u32> {
        let found = self.header_by_name.get(name).copied();
        found.ok_or_else(|| LoadError::unknown("header", name, at))
    }

    /// A field; `$valid$` is the validity of its header.
    fn field(&self, header: &str, field: &str, at: &str) -> Result<FieldRef> {
        if field == "$valid$" {
            let h = self.header(header, at)?;
            let word = self.headers[h as usize].valid;
            return Ok(FieldRef {
                word,
                width: 1,
                signed: false,
            });
        }
        let found = self
            .field_by_name
            .get(&(header.to_owned(), field.to_owned()))
            .copied();
        found.ok_or_else(|| LoadError::unknown("field", format!("{header}.{field}"), at))
    }

    fn register(&self, name: &str, at: &str) -> Result<u32> {
        let found = self.registers.iter().position(|r| r.name == name);
        found
            .map(|i| i as u32)
            .ok_or_else(|| LoadError::unknown("register array", name, at))
    }

    /// The fields that `simple_switch` reads and writes, by the names that `field_aliases` gives.
    fn meta_fields(&self, root: &json::Root) -> Result<MetaFields> {
        let mut aliases = HashMap::new();
        for (name, (header, field)) in &root.field_aliases {
            let target = self.field(header, field, &format!("field alias `{name}`"))?;
            aliases.insert(name.as_str(), target);
        }
        let find = |name: &str| {
            aliases.get(name).copied().or_else(|| {
                let (h, f) = name.split_once('.')?;
                self.field_by_name
                    .get(&(h.to_owned(), f.to_owned()))
                    .copied()
            })
        };
        let at = "standard metadata";
        // All of these are numbers of a machine word in v1model.
        let narrow = |name: &str, max: u32| match find(name) {
            Some(f) if f.width > max || f.signed => Err(LoadError::invalid(
                format!("field `{name}` must be an unsigned number of at most {max} bits"),
                at,
            )),
            other => Ok(other),
        };
        let must = |name: &str, max: u32| {
            narrow(name, max)?.ok_or_else(|| LoadError::unknown("field", name, at))
        };
        let queueing = |name: &str| narrow(&format!("queueing_metadata.{name}"), 64);
        let intrinsic = |name: &str| narrow(&format!("intrinsic_metadata.{name}"), 64);
        Ok(MetaFields {
            instance_type: must("standard_metadata.instance_type", 64)?,
            ingress_port: must("standard_metadata.ingress_port", 64)?,
            packet_length: must("standard_metadata.packet_length", 64)?,
            egress_spec: must("standard_metadata.egress_spec", 16)?,
            egress_port: must("standard_metadata.egress_port", 64)?,
            parser_error: narrow("standard_metadata.parser_error", 64)?,
            checksum_error: narrow("standard_metadata.checksum_error", 64)?,
            ingress_timestamp: intrinsic("ingress_global_timestamp")?,
            egress_timestamp: intrinsic("egress_global_timestamp")?,
            mcast_grp: intrinsic("mcast_grp")?,
            egress_rid: intrinsic("egress_rid")?,
            priority: intrinsic("priority")?,
            // simple_switch fills these in only if the program has all four.
            queueing: match (
                queueing("enq_timestamp")?,
                queueing("enq_qdepth")?,
                queueing("deq_timedelta")?,
                queueing("deq_qdepth")?,
            ) {
                (Some(enq_timestamp), Some(enq_qdepth), Some(deq_timedelta), Some(deq_qdepth)) => {
                    Some(QueueingFields {
                        enq_timestamp,
                        enq_qdepth,
                        deq_timedelta,
                        deq_qdepth,
                        qid: queueing("qid")?,
                    })
                }
                _ => None,
            },
        })
    }

    /// The headers that are written, and code that runs before.
    fn deparser(&mut self, root: &json::Root) -> Result<(Vec<u32>, Option<u32>)> {
        let d = root
            .deparsers
            .iter()
            .find(|d| d.name == "deparser")
            .ok_or_else(|| {
                LoadError::NotBmv2("there is no deparser named `deparser`".to_owned())
            })?;
        let code = if d.primitives.is_empty() {
            None
        } else {
            let pc = self.block();
            self.body(&d.primitives, &[], "deparser")?;
            self.end();
            Some(pc)
        };
        let header = |name: &String| {
            let h = self.header(name, "deparser")?;
            if self.headers[h as usize].metadata {
                return Err(LoadError::invalid(
                    format!("`{name}` is metadata, not a header"),
                    "deparser",
                ));
            }
            Ok(h)
        };
        Ok((d.order.iter().map(header).collect::<Result<_>>()?, code))
    }
}

/// A field of a header type. If it is of variable length, its width is that of the whole header
/// at its longest.
struct FieldType {
    name: String,
    width: u32,
    signed: bool,
    var: bool,
}

fn field_type(f: &[serde_json::Value], max_length: Option<u64>, at: &str) -> Result<FieldType> {
    let name = f.first().and_then(|v| v.as_str());
    let name = name.ok_or_else(|| LoadError::invalid("a field has no name", at))?;
    match f.get(1) {
        Some(w) if w.as_str() == Some("*") => match max_length {
            Some(n) if n <= FIELD_BITS / 8 => Ok(FieldType {
                name: name.to_owned(),
                width: n as u32 * 8,
                signed: false,
                var: true,
            }),
            _ => Err(LoadError::invalid(
                format!("variable-length field `{name}`: no proper `max_length`"),
                at,
            )),
        },
        Some(w) => match w.as_u64() {
            Some(w @ 0..=FIELD_BITS) => {
                let signed = f.get(2).and_then(|v| v.as_bool()).unwrap_or(false);
                Ok(FieldType {
                    name: name.to_owned(),
                    width: w as u32,
                    signed,
                    var: false,
                })
            }
            _ => Err(LoadError::invalid(
                format!("field `{name}`: width {w} is out of range"),
                at,
            )),
        },
        None => Err(LoadError::invalid(
            format!("field `{name}` has no width"),
            at,
        )),
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::exec::Machine;
    use serde_json::{Value, json};

    /// The least that loads.
    pub fn minimal() -> Value {
        json!({
            "header_types": [{
                "name": "standard_metadata", "id": 0,
                "fields": [["ingress_port", 9, false], ["egress_spec", 9, false], ["egress_port", 9, false],
                           ["instance_type", 32, false], ["packet_length", 32, false], ["_padding", 5, false]],
            }],
            "headers": [{"name": "standard_metadata", "id": 0, "header_type": "standard_metadata", "metadata": true}],
            "parsers": [{"name": "parser", "id": 0, "init_state": null, "parse_states": []}],
            "deparsers": [{"name": "deparser", "id": 0, "order": []}],
            "actions": [],
            "pipelines": [
                {"name": "ingress", "id": 0, "init_table": null, "tables": [], "conditionals": []},
                {"name": "egress", "id": 1, "init_table": null, "tables": [], "conditionals": []},
            ],
            "__meta__": {"version": [2, 23]},
        })
    }

    pub fn load_value(v: &Value) -> Result<Ir> {
        load(v.to_string().as_bytes()).map(|(ir, _)| ir)
    }

    /// A program without code, and a builder with these fields from word 0 on.
    pub fn program(fields: &[(u32, bool)]) -> (Ir, Builder) {
        let Ok(p) = load_value(&minimal()) else {
            panic!("the minimal program loads")
        };
        let mut b = Builder::default();
        for (width, _) in fields {
            (0..limbs(*width)).for_each(|_| {
                b.new_word(0);
            });
        }
        (p, b)
    }

    pub fn machine(p: &Ir) -> Machine {
        Machine::new(p, 0, 511, 0)
    }

    fn error(change: impl FnOnce(&mut Value)) -> String {
        let mut v = minimal();
        change(&mut v);
        match load_value(&v) {
            Ok(_) => "loaded".to_owned(),
            Err(e) => e.to_string(),
        }
    }

    #[test]
    fn other_json_is_refused_in_one_line() {
        for (text, expected) in [
            ("", "not a BMv2 JSON: EOF while parsing"),
            ("[]", "not a BMv2 JSON: the root is not an object"),
            (
                "{\"name\": 1}",
                "not a BMv2 JSON: `header_types` is missing",
            ),
        ] {
            let Err(e) = load(text.as_bytes()) else {
                panic!("`{text}` loaded")
            };
            assert!(e.to_string().starts_with(expected), "{e}");
            assert_eq!(e.to_string().lines().count(), 1);
        }
    }

    #[test]
    fn what_is_not_supported_is_named() {
        let meter = json!([{"name": "m", "id": 0, "type": "packets", "rate_count": 1}]);
        assert_eq!(
            error(|v| v["meter_arrays"] = meter),
            "meter `m`: a meter of 1 rates is not supported"
        );
        let extern_instance = json!([{"name": "x", "id": 0, "type": "mine"}]);
        assert_eq!(
            error(|v| v["extern_instances"] = extern_instance),
            "`extern_instances`: extern instance `x` is not supported"
        );
        let action = json!([{"name": "a", "id": 0, "runtime_data": [], "primitives": [
            {"op": "_mine_do", "parameters": []}]}]);
        assert_eq!(
            error(|v| v["actions"] = action),
            "action `a`, primitive 0 (`_mine_do`): primitive `_mine_do` is not supported"
        );
        assert_eq!(
            error(|v| v["__meta__"]["version"] = json!([3, 0])),
            "`__meta__`: format version 3.0 is not supported"
        );
        assert_eq!(
            error(|v| v["header_types"][0]["fields"][5] = json!(["options", "*"])),
            "header type `standard_metadata`: variable-length field `options`: no proper `max_length`"
        );
    }

    #[test]
    fn unknown_names_are_named() {
        let action = |field: &str| {
            json!([{"name": "a", "id": 0, "runtime_data": [], "primitives": [
                {"op": "assign", "parameters": [
                    {"type": "field", "value": ["standard_metadata", field]},
                    {"type": "hexstr", "value": "0x01"}]}]}])
        };
        assert_eq!(error(|v| v["actions"] = action("egress_spec")), "loaded");
        assert_eq!(
            error(|v| v["actions"] = action("egress_spce")),
            "action `a`, primitive 0 (`assign`): unknown field `standard_metadata.egress_spce`"
        );
        assert_eq!(
            error(|v| v["pipelines"][0]["init_table"] = json!("t")),
            "pipeline `ingress`: unknown control-flow node `t`"
        );
        assert_eq!(
            error(|v| v["headers"][0]["header_type"] = json!("x")),
            "header `standard_metadata`: unknown header type `x`"
        );
    }
}
