// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! BMv2 JSON for `simple_switch`, in the form that p4c emits (behavioral-model, docs/JSON_format.md).

mod cfg;
mod expr;
mod json;
mod parser;
mod pipeline;
mod primitives;
mod tna;

use std::collections::{HashMap, HashSet};

use num_bigint::BigInt;

use expr::{Expressions, SCALARS};
use json::typed;
pub use json::{Json, object};
pub(super) use pipeline::DEFAULT_SIZE;

use super::ir::{Ex, ExKind, ObjectKind, Program, Scalar};
use crate::ast::Name;
use crate::budget;
use crate::diag::Diagnostics;
use crate::source::{SourceMap, Span};

/// Version of the format.
const FORMAT: (u32, u32) = (2, 23);

/// What the JSON is made from.
struct Emitter<'a> {
    program: &'a Program,
    sources: &'a SourceMap,
    /// Names of tables and conditionals, so that those made up do not clash.
    names: HashSet<String>,
    calculation_names: Vec<String>,
    /// Ids of tables and conditionals are unique over both pipelines.
    table_ids: usize,
    conditional_ids: usize,
}

/// Names that hash and checksum algorithms have in BMv2.
fn algorithm(name: &Name) -> &str {
    name
}

/// The JSON of a program. `file` is the name of the source file.
pub fn emit(
    program: &mut Program,
    file: &str,
    sources: &SourceMap,
    diags: &mut Diagnostics,
) -> Option<String> {
    let mut applied = HashMap::new();
    let mut graphs = Vec::new();
    for body in [
        std::mem::take(&mut program.ingress.body),
        std::mem::take(&mut program.egress.body),
    ] {
        match cfg::build(&body, program, &mut applied) {
            Ok(g) => graphs.push(g),
            Err((span, message)) => diags.error(span, message),
        }
    }
    let [ingress, egress] = graphs.as_slice() else {
        return None;
    };
    if diags.has_errors() {
        return None;
    }
    let program = &*program;
    let mut e = Emitter {
        program,
        sources,
        names: program.tables.iter().map(|t| t.name.clone()).collect(),
        calculation_names: Vec::new(),
        table_ids: 0,
        conditional_ids: 0,
    };
    let mut root = Json::Object(Vec::new());
    root.push("header_types", e.header_types());
    root.push("headers", e.headers());
    root.push("header_stacks", e.header_stacks());
    for empty in ["header_union_types", "header_unions", "header_union_stacks"] {
        root.push(empty, Vec::new());
    }
    root.push("field_lists", e.field_lists(&program.field_lists));
    let errors = program
        .errors
        .iter()
        .enumerate()
        .map(|(i, n)| Json::Array(vec![(&**n).into(), i.into()]));
    root.push("errors", errors.collect::<Vec<_>>());
    let enums = program.enums.iter().map(|(n, members)| {
        let entries = members
            .iter()
            .enumerate()
            .map(|(i, m)| Json::Array(vec![(&**m).into(), i.into()]));
        object([
            ("name", (&**n).into()),
            ("entries", entries.collect::<Vec<_>>().into()),
        ])
    });
    root.push("enums", enums.collect::<Vec<_>>());
    let calculations = e.calculations();
    root.push("parsers", e.parsers());
    root.push("parse_vsets", e.value_sets());
    root.push("deparsers", e.deparsers());
    root.push("meter_arrays", e.meters());
    root.push("counter_arrays", e.counters());
    root.push("register_arrays", e.registers());
    root.push("calculations", calculations);
    root.push("learn_lists", e.field_lists(&program.learn_lists));
    let mut actions = e.actions();
    let pipelines = vec![
        e.pipeline(
            "ingress",
            0,
            ingress,
            program.ingress.span,
            file,
            &mut actions,
        ),
        e.pipeline("egress", 1, egress, program.egress.span, file, &mut actions),
    ];
    root.push("actions", actions.list);
    root.push("pipelines", pipelines);
    root.push("checksums", e.checksums());
    root.push("force_arith", Vec::new());
    root.push("extern_instances", Vec::new());
    root.push("field_aliases", e.field_aliases());
    if let Some(tna) = &program.tna {
        e.tna(&mut root, tna);
    }
    root.push("program", file);
    let version = Json::Array(vec![FORMAT.0.into(), FORMAT.1.into()]);
    root.push(
        "__meta__",
        object([("version", version), ("compiler", "p4-frontend".into())]),
    );
    if root.nesting() > budget::JSON_NESTING {
        let limit = budget::JSON_NESTING;
        diags.error(
            program.ingress.span,
            format!(
                "expressions are nested too deep: the JSON of the program has more than {limit} levels"
            ),
        );
        return None;
    }
    Some(root.to_text())
}

impl Emitter<'_> {
    fn expressions(&self) -> Expressions<'_> {
        Expressions {
            program: self.program,
        }
    }

    /// A name that no table and no conditional has.
    fn unique(&mut self, name: &str) -> String {
        let mut unique = name.to_string();
        let mut i = 0;
        while !self.names.insert(unique.clone()) {
            unique = format!("{name}_{i}");
            i += 1;
        }
        unique
    }

    /// `source_info` of a place in the source, if there is one.
    fn source_info(&self, span: Span) -> Option<Json> {
        let location = self.sources.location(span)?;
        let text = self.sources.text(self.sources.expansion_site(span));
        let mut lines = text.lines();
        let first = lines.next().unwrap_or("").trim_end();
        let first = first.strip_suffix(';').unwrap_or(first);
        let fragment = if lines.next().is_some() {
            format!("{first} ...")
        } else {
            first.to_string()
        };
        Some(object([
            ("filename", (&*location.file).into()),
            ("line", location.line.into()),
            ("column", location.column.saturating_sub(1).into()),
            ("source_fragment", fragment.into()),
        ]))
    }

    fn add_source_info(&self, j: &mut Json, span: Span) {
        if let Some(info) = self.source_info(span) {
            j.push("source_info", info);
        }
    }

    fn header_types(&self) -> Vec<Json> {
        let field = |name: &str, ty: Scalar| {
            let width = match ty {
                Scalar::Varbit(_) => "*".into(),
                _ => ty.width().into(),
            };
            let signed =
                matches!(ty, Scalar::Bits { signed: true, .. }) && !expr::is_one_bit_signed(ty);
            Json::Array(vec![name.into(), width, signed.into()])
        };
        let mut list = Vec::new();
        let mut padding = 0;
        let mut pad = |fields: &mut Vec<Json>, bits: u32| {
            if !bits.is_multiple_of(8) {
                let width = Scalar::Bits {
                    width: 8 - bits % 8,
                    signed: false,
                };
                fields.push(field(&format!("_padding_{padding}"), width));
                padding += 1;
            }
        };
        let mut fields: Vec<Json> = self
            .program
            .scalars
            .iter()
            .map(|s| field(&s.name, s.ty))
            .collect();
        let bits = self
            .program
            .scalars
            .iter()
            .map(|s| s.ty.width())
            .fold(0u32, u32::wrapping_add);
        pad(&mut fields, bits);
        list.push(object([
            ("name", "scalars_0".into()),
            ("id", 0u32.into()),
            ("fields", fields.into()),
        ]));
        let metadata: HashSet<usize> = self
            .program
            .headers
            .iter()
            .filter(|h| h.metadata)
            .map(|h| h.ty)
            .collect();
        for (i, t) in self.program.header_types.iter().enumerate() {
            let mut fields: Vec<Json> = t.fields.iter().map(|(n, ty)| field(n, *ty)).collect();
            let bits = t
                .fields
                .iter()
                .map(|(_, ty)| ty.width())
                .fold(0u32, u32::wrapping_add);
            if metadata.contains(&i) {
                pad(&mut fields, bits);
            }
            let mut j = object([
                ("name", (&*t.name).into()),
                ("id", (i + 1).into()),
                ("fields", fields.into()),
            ]);
            if t.fields
                .iter()
                .any(|(_, ty)| matches!(ty, Scalar::Varbit(_)))
            {
                j.push("max_length", bits.div_ceil(8));
            }
            list.push(j);
        }
        list
    }

    fn headers(&self) -> Vec<Json> {
        let header = |name: &str, id: usize, ty: &str, metadata: bool| {
            object([
                ("name", name.into()),
                ("id", id.into()),
                ("header_type", ty.into()),
                ("metadata", metadata.into()),
                ("pi_omit", true.into()),
            ])
        };
        let mut list = vec![header(SCALARS, 0, "scalars_0", true)];
        for (i, h) in self.program.headers.iter().enumerate() {
            let ty = self
                .program
                .header_types
                .get(h.ty)
                .map(|t| t.name.clone())
                .unwrap_or_else(|| "".into());
            list.push(header(&h.name, i + 1, &ty, h.metadata));
        }
        list
    }

    fn header_stacks(&self) -> Vec<Json> {
        let stack = |(i, s): (usize, &super::ir::Stack)| {
            let ty = self
                .program
                .header_types
                .get(s.ty)
                .map(|t| t.name.clone())
                .unwrap_or_else(|| "".into());
            object([
                ("name", s.name.clone().into()),
                ("id", i.into()),
                ("header_type", (&*ty).into()),
                ("size", s.headers.len().into()),
                (
                    "header_ids",
                    s.headers
                        .iter()
                        .map(|h| Json::from(h + 1))
                        .collect::<Vec<_>>()
                        .into(),
                ),
            ])
        };
        self.program.stacks.iter().enumerate().map(stack).collect()
    }

    fn field_lists(&self, lists: &[super::ir::FieldList]) -> Vec<Json> {
        let list = |(i, l): (usize, &super::ir::FieldList)| {
            let mut j = object([("id", (i + 1).into()), ("name", l.name.clone().into())]);
            self.add_source_info(&mut j, l.span);
            let x = self.expressions();
            j.push(
                "elements",
                l.fields.iter().map(|f| x.number(f)).collect::<Vec<_>>(),
            );
            j
        };
        lists.iter().enumerate().map(list).collect()
    }

    fn field_aliases(&self) -> Vec<Json> {
        let mut list = Vec::new();
        for t in &self.program.header_types {
            for (alias, field) in &t.aliases {
                if let Some((name, _)) = t.fields.get(*field) {
                    let target = Json::Array(vec![(&*t.name).into(), (&**name).into()]);
                    list.push(Json::Array(vec![(&**alias).into(), target]));
                }
            }
        }
        list
    }

    fn deparsers(&self) -> Vec<Json> {
        let x = self.expressions();
        let mut order: Vec<Json> = Vec::new();
        for e in &self.program.deparser {
            match e {
                super::ir::Emit::Header(h) => {
                    order.push(x.header_name(&super::ir::HeaderRef::Instance(*h)).into())
                }
                super::ir::Emit::Stack(s) => {
                    for h in self
                        .program
                        .stacks
                        .get(*s)
                        .map(|s| s.headers.as_slice())
                        .unwrap_or(&[])
                    {
                        order.push(x.header_name(&super::ir::HeaderRef::Instance(*h)).into());
                    }
                }
            }
        }
        let mut j = object([("name", "deparser".into()), ("id", 0u32.into())]);
        self.add_source_info(&mut j, self.program.deparser_span);
        j.push("order", order);
        let ops = self.program.deparser_ops.iter();
        let primitives = ops.map(|(op, span)| self.primitive(op, *span));
        j.push("primitives", primitives.collect::<Vec<_>>());
        vec![j]
    }

    fn meters(&self) -> Vec<Json> {
        let mut list = Vec::new();
        for o in &self.program.objects {
            let mut j = object([("name", o.name.clone().into()), ("id", list.len().into())]);
            match &o.kind {
                ObjectKind::Meter { size, unit } => {
                    self.add_source_info(&mut j, o.span);
                    j.push("is_direct", false);
                    j.push("size", *size);
                    j.push("rate_count", 2u32);
                    j.push("type", &**unit);
                }
                ObjectKind::DirectMeter {
                    unit,
                    table: Some(table),
                    result: Some(result),
                } => {
                    self.add_source_info(&mut j, o.span);
                    let table = self.program.tables.get(*table);
                    j.push("is_direct", true);
                    j.push("rate_count", 2u32);
                    j.push("type", &**unit);
                    j.push("size", table.map_or(0, pipeline::table_size));
                    j.push("binding", table.map(|t| t.name.clone()).unwrap_or_default());
                    j.push("result_target", self.expressions().target(result));
                }
                _ => continue,
            }
            list.push(j);
        }
        list
    }

    fn counters(&self) -> Vec<Json> {
        let mut list = Vec::new();
        for o in &self.program.objects {
            let mut j = object([("name", o.name.clone().into()), ("id", list.len().into())]);
            match &o.kind {
                ObjectKind::Counter { size, .. } => {
                    self.add_source_info(&mut j, o.span);
                    j.push("size", *size);
                    j.push("is_direct", false);
                }
                ObjectKind::DirectCounter {
                    table: Some(table), ..
                } => {
                    j.push("is_direct", true);
                    j.push(
                        "binding",
                        self.program
                            .tables
                            .get(*table)
                            .map(|t| t.name.clone())
                            .unwrap_or_default(),
                    );
                    self.add_source_info(&mut j, o.span);
                }
                _ => continue,
            }
            list.push(j);
        }
        list
    }

    fn registers(&self) -> Vec<Json> {
        let mut list = Vec::new();
        for o in &self.program.objects {
            if let ObjectKind::Register {
                width,
                size,
                initial,
                ..
            } = &o.kind
            {
                let mut j = object([("name", o.name.clone().into()), ("id", list.len().into())]);
                self.add_source_info(&mut j, o.span);
                j.push("size", *size);
                j.push("bitwidth", *width);
                Self::initial(&mut j, initial, *width);
                list.push(j);
            }
        }
        list
    }

    fn calculations(&mut self) -> Vec<Json> {
        let mut list = Vec::new();
        for c in &self.program.calculations {
            let i = list.len();
            let name = if i == 0 {
                "calc".to_string()
            } else {
                format!("calc_{}", i - 1)
            };
            self.calculation_names.push(name.clone());
            let mut j = object([("name", name.into()), ("id", i.into())]);
            if c.of_checksum {
                self.add_source_info(&mut j, c.span);
            }
            j.push("algo", algorithm(&c.algorithm));
            let mut input: Vec<Json> = c.input.iter().map(|e| self.calculation_input(e)).collect();
            if c.payload {
                input.push(typed("payload", Json::Null));
            }
            j.push("input", input);
            list.push(j);
        }
        list
    }

    fn calculation_input(&self, e: &Ex) -> Json {
        let mut j = self.expressions().number(e);
        if matches!(e.kind, ExKind::Int(_) | ExKind::Bool(_)) {
            j.push("bitwidth", e.ty.width());
        }
        j
    }

    fn checksums(&self) -> Vec<Json> {
        let mut list = Vec::new();
        // As in p4c, updates come first.
        for verify in [false, true] {
            for c in self.program.checksums.iter().filter(|c| c.verify == verify) {
                let i = list.len();
                let name = if i == 0 {
                    "cksum".to_string()
                } else {
                    format!("cksum_{}", i - 1)
                };
                let mut j = object([("name", name.into()), ("id", i.into())]);
                self.add_source_info(&mut j, c.span);
                let x = self.expressions();
                j.push("target", x.target(&c.target));
                j.push("type", "generic");
                j.push(
                    "calculation",
                    self.calculation_names
                        .get(c.calculation)
                        .cloned()
                        .unwrap_or_default(),
                );
                j.push("verify", verify);
                j.push("update", !verify);
                j.push("if_cond", x.boolean(&c.condition));
                list.push(j);
            }
        }
        list
    }
}

/// A number of an action's argument or an entry's key.
fn hex_number(v: &BigInt, width: u32) -> Json {
    json::hex(v, width.div_ceil(8))
}
