// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! What BF Runtime is told of a program for Tofino: `bf-rt.json`, version 1.0.0, as p4c's back end for Tofino writes it.
//!
//! Made of the checked program, with the ids that P4Info gives to names. A table's name begins with its pipeline's, an
//! action's does not. Left out is what depends on how a compiler places a program: snapshots, debug counters.

mod externs;
mod fields;
mod tables;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::ast::Annotation;
use crate::backend::bmv2::{Json, object};
use crate::backend::p4info::annotations::{id_annotation, plain};
use crate::backend::p4info::blocks::{Block, ObjectUse, join, pipelines};
use crate::backend::p4info::eval::{Env, Value, eval};
use crate::backend::p4info::ids::{Kind, Symbols};
use crate::backend::p4info::objects::table_object;
use crate::diag::Diagnostics;
use crate::sema::hir::{Instance, InstanceTarget, Program};
use crate::source::Span;
use fields::named;

/// A generation of Tofino.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Generation {
    /// Tofino, architecture `tna`.
    One,
    /// Tofino 2, architecture `t2na`.
    Two,
}

impl Generation {
    /// Ports, and bits of metadata that packets carry from them.
    fn ports(self) -> (u32, u32) {
        match self {
            Generation::One => (288, 64),
            Generation::Two => (288, 128),
        }
    }
}

/// The description of a checked program; meaningful only without errors in `diags`.
pub fn emit(program: &Program, generation: Generation, diags: &mut Diagnostics) -> String {
    let mut e = Emitter {
        generation,
        diags,
        symbols: Symbols::default(),
        tables: Vec::new(),
        learn: Vec::new(),
    };
    let pipes = pipelines(program, e.diags);
    if pipes.is_empty() {
        let span = program.main.as_ref().map_or_else(Span::default, |m| m.span);
        e.diags.error(
            span,
            "BF Runtime knows programs for Tofino only: main has no pipeline",
        );
    }
    for (pipe, package, blocks) in &pipes {
        e.collect(pipe, package, blocks);
    }
    e.symbols.assign();
    for (pipe, package, blocks) in &pipes {
        e.pipeline(pipe, package, blocks);
    }
    object([
        ("schema_version", "1.0.0".into()),
        ("tables", e.tables.into()),
        ("learn_filters", e.learn.into()),
    ])
    .to_text()
}

struct Emitter<'a> {
    generation: Generation,
    diags: &'a mut Diagnostics,
    symbols: Symbols,
    tables: Vec<Json>,
    learn: Vec<Json>,
}

/// The objects of a pipeline by their names without the pipeline's, and the tables that use action profiles.
struct Objects<'a> {
    by_name: HashMap<&'a str, &'a ObjectUse>,
    users: BTreeMap<String, BTreeSet<String>>,
}

/// An extern object's type, by name.
fn extern_name(i: &Instance) -> &str {
    match &i.target {
        InstanceTarget::Extern(e, _) => &e.name,
        _ => "",
    }
}

/// The kind of an object that the control plane knows.
fn kind_of(i: &Instance) -> Option<Kind> {
    Some(match extern_name(i) {
        "ActionProfile" => Kind::TofinoProfile,
        "ActionSelector" => Kind::TofinoSelector,
        "Counter" => Kind::TofinoCounter,
        "DirectCounter" => Kind::TofinoDirectCounter,
        "Meter" => Kind::TofinoMeter,
        "DirectMeter" => Kind::TofinoDirectMeter,
        "Wred" => Kind::Wred,
        "DirectWred" => Kind::DirectWred,
        "Lpf" => Kind::Lpf,
        "DirectLpf" => Kind::DirectLpf,
        "Register" => Kind::TofinoRegister,
        "DirectRegister" => Kind::DirectRegister,
        "Digest" => Kind::TofinoDigest,
        _ => return None,
    })
}

/// Whether a selector makes its own action profile: the older form, with a size and no profile.
fn makes_profile(i: &Instance) -> bool {
    i.args.len() < 5
}

/// The number that the argument at `index` has.
fn number(i: &Instance, env: &Env, index: usize) -> Option<u64> {
    let e = i.args.get(index)?.as_ref()?;
    match eval(e, env)? {
        Value::Int(v) => u64::try_from(v).ok(),
        _ => None,
    }
}

impl Emitter<'_> {
    fn add(&mut self, kind: Kind, name: &str, annotations: &[Annotation], span: Span) {
        let id = id_annotation(annotations, span, self.diags);
        if let Err(message) = self.symbols.add(kind, name, id) {
            self.diags.error(span, message);
        }
    }

    /// All names, so that ids can be told.
    fn collect(&mut self, pipe: &str, package: &Instance, blocks: &[Block]) {
        for b in blocks {
            for a in &b.actions {
                self.add(Kind::Action, &a.name, &a.action.annotations, a.action.span);
            }
            for t in &b.tables {
                let (name, table) = (join(pipe, &t.name), &t.table);
                self.add(Kind::Table, &name, &table.annotations, table.name_span);
            }
            for o in &b.objects {
                let (name, i) = (join(pipe, &o.name), &o.instance);
                let Some(kind) = kind_of(i) else { continue };
                if kind == Kind::TofinoSelector && makes_profile(i) {
                    self.add(Kind::TofinoProfile, &name, &i.annotations, i.span);
                    self.add(kind, &format!("{name}_sel"), &[], i.span);
                } else {
                    self.add(kind, &name, &i.annotations, i.span);
                }
            }
            for s in &b.sets {
                let name = join(pipe, &s.name);
                self.add(Kind::TofinoValueSet, &name, &s.set.annotations, s.set.span);
            }
        }
        if let Some(p) = externs::ingress_parser(package) {
            let name = externs::port_metadata_name(pipe, &p);
            self.add(Kind::PortMetadata, &name, &[], p.span);
        }
    }

    fn pipeline(&mut self, pipe: &str, package: &Instance, blocks: &[Block]) {
        let mut objects = Objects {
            by_name: HashMap::new(),
            users: BTreeMap::new(),
        };
        for b in blocks {
            for o in &b.objects {
                objects.by_name.insert(&o.name, o);
            }
            for t in &b.tables {
                if let Some((name, _)) = table_object(t, "implementation") {
                    objects
                        .users
                        .entry(name)
                        .or_default()
                        .insert(t.name.clone());
                }
            }
        }
        for b in blocks {
            for t in &b.tables {
                self.table(pipe, t, &objects);
            }
        }
        for b in blocks {
            for o in &b.objects {
                self.object(pipe, o, &objects, blocks);
            }
            for s in &b.sets {
                self.value_set(pipe, s);
            }
        }
        if let Some(p) = externs::ingress_parser(package) {
            self.port_metadata(pipe, &p);
        }
    }

    /// A table of the description. `depends_on`: ids of tables that its entries refer to.
    #[expect(clippy::too_many_arguments, reason = "one for each key of the JSON")]
    fn describe(
        &mut self,
        name: &str,
        id: u32,
        kind: &str,
        size: u64,
        annotations: &[Annotation],
        depends_on: &[u32],
        rest: Vec<(&str, Json)>,
    ) {
        let mut table = object([
            ("name", name.into()),
            ("id", id.into()),
            ("table_type", kind.into()),
            ("size", size.into()),
        ]);
        // p4c has none for these two.
        if !["Meter", "Register"].contains(&kind) {
            table.push("annotations", named(&plain(annotations, &[])));
        }
        let rest = [(
            "depends_on",
            depends_on
                .iter()
                .map(|id| (*id).into())
                .collect::<Vec<_>>()
                .into(),
        )]
        .into_iter()
        .chain(rest);
        for (key, value) in rest {
            table.push(key, value);
        }
        self.tables.push(table);
    }
}

/// Strings as JSON.
fn words(list: &[&str]) -> Json {
    list.iter()
        .map(|w| Json::from(*w))
        .collect::<Vec<_>>()
        .into()
}
