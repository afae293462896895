// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Programs for Tofino (`tna.p4`, `t2na.p4`).
//!
//! A packet crosses the program twice, and nothing but its bytes goes from ingress to egress. Both ways are put into the
//! one parser and the one deparser that a BMv2 JSON has: the parser's first state tells them apart by `instance_type`, and
//! the deparser writes the headers of both, of which one half is never valid. What the hardware tells a program of a packet
//! are headers before it (`ingress_intrinsic_metadata_t`), and metadata under the names of their types.

mod deparser;
mod externs;
mod filters;
mod hashes;
mod objects;
mod registers;

use std::collections::HashMap;
use std::rc::Rc;

use num_bigint::BigInt;

pub use objects::Object;

use super::values::{Obj, Val};
use super::{Block, Lowerer, Node};
use crate::backend::ir::{
    Case, Emit, Ex, ExKind, HeaderRef, HeaderType, Match, ObjectId, On, Op, Place, Scalar, St, Tna,
    WORD,
};
use crate::sema::hir::{Expr, ExprKind, Instance, InstanceTarget, Param};
use crate::sema::types::{StructKind, Ty, Type};
use crate::source::Span;

const BIT: Scalar = bits(1);

/// `bit<width>`
const fn bits(width: u32) -> Scalar {
    Scalar::Bits {
        width,
        signed: false,
    }
}

/// What every BMv2 JSON has, then what the deparser tells the switch.
const STANDARD: [(&str, u32); 9] = [
    ("ingress_port", 9),
    ("egress_spec", 9),
    ("egress_port", 9),
    // 0 in ingress, 1 in egress.
    ("instance_type", 32),
    ("packet_length", 32),
    ("parser_error", 32),
    ("mirror", 1),
    ("mirror_session", 10),
    ("resubmit", 1),
];

/// What is known while the blocks are lowered.
#[derive(Default)]
pub struct Blocks {
    /// What the hardware tells and is told, by the name of its type.
    intrinsic: HashMap<String, Val>,
    /// Headers that the deparsers emit, in order.
    emits: Vec<Emit>,
    /// The numbers that a meter's colours have.
    colors: HashMap<ObjectId, [u64; 3]>,
    /// The deparser at hand is that of egress.
    in_egress: bool,
}

impl Lowerer<'_> {
    pub(super) fn run_tna(&mut self, main: &Rc<Instance>) -> Option<()> {
        let pipes: Vec<&Expr> = main.args.iter().flatten().collect();
        if let Some(second) = pipes.get(1) {
            self.error(second.span, "more than one pipeline is not supported yet");
            return None;
        }
        let pipe = match &pipes.first()?.kind {
            ExprKind::Construct(i) | ExprKind::Instance(i) => i.clone(),
            _ => return None,
        };
        if let Some(Some(ghost)) = pipe.args.get(6) {
            self.error(ghost.span, "the ghost thread is not supported yet");
            return None;
        }
        let second =
            |h: &Rc<crate::sema::types::StructType>| &*h.name == "ghost_intrinsic_metadata_t";
        self.program.tna = Some(Tna {
            generation: if self.hir.headers.iter().any(second) {
                2
            } else {
                1
            },
            pipe: pipe.name.clone(),
            ..Tna::default()
        });
        self.tna = Some(Blocks::default());
        let parts = self.parts(&pipe)?;
        let [ip, ig, id, ep, eg, ed] = parts.as_slice() else {
            self.error(pipe.span, "Pipeline: six parts expected");
            return None;
        };
        self.standard_fields();
        for part in &parts {
            self.intrinsic_values(&params(part));
        }
        self.top_level();
        let ingress = self.way("ingress", ip)?;
        let egress = self.way("egress", ep)?;
        let first = self.tna_parser(ip, &ingress);
        let second = self.tna_parser(ep, &egress);
        self.parser_choice(first, second);
        self.block = Block::Ingress;
        self.block_name.clone_from(&ig.path);
        let args = self.arguments(ig, &ingress);
        self.program.ingress = self.pipeline(ig, &args);
        self.block = Block::Egress;
        self.block_name.clone_from(&eg.path);
        let args = self.arguments(eg, &egress);
        self.program.egress = self.pipeline(eg, &args);
        self.deparsers((id, &ingress), (ed, &egress));
        Some(())
    }

    /// Headers and metadata of one way through the switch, in places of their own.
    fn way(&mut self, name: &str, parser: &Rc<Node>) -> Option<[Val; 2]> {
        let params = params(parser);
        let mut data = params.iter().filter(|p| !is_packet(p));
        let (headers, metadata) = (data.next()?, data.next()?);
        Some([
            self.storage(name, &headers.var.ty, headers.var.span),
            self.storage(
                &format!("{name}_metadata"),
                &metadata.var.ty,
                metadata.var.span,
            ),
        ])
    }

    /// What the parameters of a block stand for.
    fn arguments(&mut self, node: &Rc<Node>, way: &[Val; 2]) -> Vec<Val> {
        let mut data = way.iter();
        let mut args = Vec::new();
        for p in params(node) {
            let known = intrinsic_name(&p.var.ty);
            let blocks = self.tna.as_ref();
            let known = known.and_then(|n| blocks.and_then(|b| b.intrinsic.get(&n)).cloned());
            args.push(match &*p.var.ty {
                Type::Extern(e) if &*e.name == "packet_in" => Val::Obj(Obj::PacketIn),
                Type::Extern(_) => Val::Obj(Obj::PacketOut),
                _ => match known.or_else(|| data.next().cloned()) {
                    Some(v) => v,
                    None => Val::Bad,
                },
            });
        }
        args
    }

    fn tna_parser(&mut self, node: &Rc<Node>, way: &[Val; 2]) -> Option<usize> {
        self.block = Block::Parser;
        self.block_name.clone_from(&node.path);
        let args = self.arguments(node, way);
        self.parser_entry(node, &args)
    }

    /// The state that leads to the one parser or the other.
    fn parser_choice(&mut self, ingress: Option<usize>, egress: Option<usize>) {
        let block = self.state("$block");
        let key = self.standard_field("instance_type");
        if let (Some(key), Some(s)) = (key, self.program.states.get_mut(block)) {
            s.keys = vec![Ex::place(key, WORD)];
            let first = On::Match(vec![Match::Value(BigInt::from(0))]);
            s.cases = vec![
                Case {
                    on: first,
                    next: ingress,
                },
                Case {
                    on: On::Default,
                    next: egress,
                },
            ];
        }
        self.program.start = block;
        self.join_states();
    }

    fn standard_fields(&mut self) {
        let ty = self.program.header_types.len();
        self.program.header_types.push(HeaderType {
            name: "standard_metadata".into(),
            fields: STANDARD
                .iter()
                .map(|(n, w)| ((*n).into(), bits(*w)))
                .collect(),
            aliases: Vec::new(),
        });
        self.program.standard_metadata =
            self.add_header("standard_metadata".to_string(), ty, true, None);
    }

    /// A field of the metadata between program and switch.
    fn standard_field(&self, name: &str) -> Option<Place> {
        let i = STANDARD.iter().position(|(n, _)| *n == name)?;
        let header = HeaderRef::Instance(self.program.standard_metadata);
        Some(Place::Field(header, i))
    }

    fn set_standard(&mut self, name: &str, value: Ex, span: Span, out: &mut Vec<St>) {
        if let Some(place) = self.standard_field(name) {
            out.push(St::Op(Op::Assign(place, value), span));
        }
    }

    /// Places for what the hardware tells and is told, under the names of their types.
    fn intrinsic_values(&mut self, params: &[Param]) {
        for p in params {
            let Some(name) = intrinsic_name(&p.var.ty) else {
                continue;
            };
            if self
                .tna
                .as_ref()
                .is_some_and(|b| b.intrinsic.contains_key(&name))
            {
                continue;
            }
            let value = self.storage(&name, &p.var.ty, p.var.span);
            if let Some(b) = &mut self.tna {
                b.intrinsic.insert(name, value);
            }
        }
    }

    /// Notes what a program asks of the hardware, and refuses what the switch does not do.
    pub(super) fn tna_field(&mut self, of: &Expr, field: &str, span: Span) {
        let Some(name) = intrinsic_name(&of.ty).filter(|_| self.tna.is_some()) else {
            return;
        };
        match field {
            "parser_err" if name == "ingress_intrinsic_metadata_from_parser" => {
                if let Some(t) = &mut self.program.tna {
                    t.keeps_errors = true;
                }
            }
            "copy_to_cpu"
            | "deflect_on_drop"
            | "level1_exclusion_id"
            | "level2_exclusion_id"
            | "mirror_io_select"
            | "mtu_trunc_len"
            | "pktgen"
            | "adv_flow_ctl"
            | "capture_tstamp_on_tx"
            | "update_delay_on_tx"
            | "force_tx_error" => {
                self.unsupported(span, &format!("{name}.{field}"));
            }
            _ => {}
        }
    }

    /// A table's property of TNA. Whether it is one.
    pub(super) fn tna_property(
        &mut self,
        t: &crate::sema::hir::Table,
        p: &crate::sema::hir::Property,
        table: crate::backend::ir::TableId,
    ) -> bool {
        if self.tna.is_none() {
            return false;
        }
        match &*p.name {
            "idle_timeout" => match p.value.kind {
                ExprKind::Bool(b) => {
                    if let Some(t) = self.program.tables.get_mut(table) {
                        t.support_timeout = b;
                    }
                }
                _ => self.unsupported(p.span, "idle_timeout that is not a boolean"),
            },
            "registers" => self.direct_register(t, p, table),
            "filters" | "proxy_hash" => {
                self.unsupported(p.span, &format!("table property {}", p.name));
            }
            // How entries are laid out changes no result.
            "alpm" | "atcam" | "pack_conflicting" | "requires_versioning" | "ways" => {}
            _ => return false,
        }
        true
    }
}

/// The name of a type of intrinsic metadata, without `_t`.
fn intrinsic_name(ty: &Ty) -> Option<String> {
    let s = ty.as_struct()?;
    let name = s.name.strip_suffix("_t")?;
    (name.starts_with("ingress_intrinsic_metadata")
        || name.starts_with("egress_intrinsic_metadata"))
    .then(|| name.to_string())
}

fn is_packet(p: &Param) -> bool {
    matches!(&*p.var.ty, Type::Extern(_))
}

/// The parameters of a block.
fn params(node: &Node) -> Vec<Param> {
    match &node.target {
        InstanceTarget::Parser(p) => p.params.clone(),
        InstanceTarget::Control(c) => c.params.clone(),
        _ => Vec::new(),
    }
}

/// Whether a type is a header's.
fn is_header(ty: &Ty) -> bool {
    ty.as_struct().is_some_and(|s| s.kind == StructKind::Header)
}

/// The place that an expression is.
fn place_of(e: &Ex) -> Option<Place> {
    match &e.kind {
        ExKind::Place(p) => Some(p.clone()),
        _ => None,
    }
}
