// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Instantiation: parsers and controls are put into their callers, parameters become the places that they stand for,
//! structs become their fields.
//!
//! Parameters have copy-in, copy-out semantics (language specification, section 6.8). Copies are left out where
//! nothing could tell the difference: where the places that a call can write do not overlap what it reads otherwise.

pub mod build;

mod blocks;
mod calls;
mod exprs;
mod externs;
mod field_lists;
mod flow;
mod loops;
mod objects;
mod packets;
mod parser;
mod stmts;
mod subst;
mod tables;
mod tna;
mod values;

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

pub use calls::visit_stmts;
pub use flow::{can_predicate, new_scalar, predicate};
use values::{Obj, Val};

use super::ir::{self, Label, ObjectId, Program, St, TableId};
use crate::ast::{Annotation, find_annotation};
use crate::budget;
use crate::diag::{Diagnostics, Warning};
use crate::sema::hir::{self, Control, Instance, InstanceTarget, Parser, VarId};
use crate::sema::types::{DefId, StructType, Ty, Type};
use crate::source::Span;

/// Deepest nesting of instances.
const MAX_INLINE: usize = 64;

/// Which block of the architecture is being lowered.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Block {
    Parser,
    Verify,
    Ingress,
    Egress,
    Compute,
    Deparser,
}

/// An instance of a parser or control, with what belongs to it alone.
struct Node {
    /// The control plane's prefix of its names.
    path: String,
    /// What it is an instance of.
    target: InstanceTarget,
    /// Constructor arguments.
    args: HashMap<VarId, Val>,
    /// Variables, so that each has one home, however often the instance is applied.
    storage: RefCell<HashMap<VarId, Val>>,
    /// Objects declared in it.
    objects: RefCell<HashMap<VarId, Obj>>,
    /// Tables.
    tables: RefCell<HashMap<DefId, TableId>>,
    /// Applied at more than one place.
    shared: bool,
}

/// `exit` in an action that a table runs: it sets a variable and leaves the action.
struct TableExit {
    /// The variable, if there is an `exit`.
    flag: Option<ir::Ex>,
    /// The end of the action.
    end: Label,
}

struct Lowerer<'a> {
    hir: &'a hir::Program,
    diags: &'a mut Diagnostics,
    program: Program,
    header_types: HashMap<String, usize>,
    /// Names that are taken, with the number to try next behind each.
    names: HashMap<String, usize>,
    /// The same for states of the parser.
    state_names: HashMap<String, usize>,
    globals: HashMap<VarId, Obj>,
    /// What variables stand for, in the parser, control, action or function being lowered.
    env: HashMap<VarId, Val>,
    node: Rc<Node>,
    block: Block,
    /// The name that all names in the block begin with.
    block_name: String,
    /// Where `return` leads.
    return_label: Option<Label>,
    /// Where a returned value goes.
    return_value: Option<Val>,
    next_label: Label,
    /// Copies that calls under way still owe their callers, innermost last; `exit` pays them.
    pending: Vec<Vec<St>>,
    in_action: bool,
    /// How `exit` ends the actions of the table at hand, where calls around the table still owe copies.
    table_exit: Option<TableExit>,
    /// What is true after a table whose action has ended by `exit`.
    exit_flags: HashMap<TableId, ir::Ex>,
    depth: usize,
    headers_type: Option<Ty>,
    /// The parser's first state can be reached again.
    parser_restarts: bool,
    direct: HashMap<ObjectId, TableId>,
    /// The other headers of the union that a header is part of.
    siblings: HashMap<ir::HeaderId, Vec<ir::HeaderId>>,
    /// Where `break` and `continue` lead, innermost loop last.
    loops: Vec<(Label, Label)>,
    /// Rounds of loops that may still be unrolled.
    unroll_budget: usize,
    /// Identities of the variables of generic functions, counted down.
    next_var: u32,
    /// Calls that may still be put in.
    call_budget: usize,
    /// Statements that may still be lowered.
    statement_budget: usize,
    /// Digests whose type has no name.
    unnamed_digests: usize,
    /// The standard metadata of the packet itself, of which there may be copies.
    standard_metadata: values::Val,
    /// Of a program for Tofino.
    tna: Option<tna::Blocks>,
}

/// Instantiates a checked program for v1model. The result is meaningful only without errors in `diags`.
pub fn lower(hir: &hir::Program, diags: &mut Diagnostics) -> Option<Program> {
    let Some(main) = hir.main.clone() else {
        diags.error_without_place("Program does not contain a `main' module");
        return None;
    };
    let InstanceTarget::Package(package) = &main.target else {
        diags.error(main.span, "main: expected a package");
        return None;
    };
    let top = Rc::new(Node {
        path: String::new(),
        target: main.target.clone(),
        args: HashMap::new(),
        storage: RefCell::default(),
        objects: RefCell::default(),
        tables: RefCell::default(),
        shared: false,
    });
    let program = Program {
        package: package.name.clone(),
        ..Program::default()
    };
    let mut l = Lowerer {
        hir,
        diags,
        program,
        header_types: HashMap::new(),
        names: HashMap::new(),
        state_names: HashMap::new(),
        globals: HashMap::new(),
        env: HashMap::new(),
        node: top,
        block: Block::Parser,
        block_name: String::new(),
        return_label: None,
        return_value: None,
        next_label: 0,
        pending: Vec::new(),
        in_action: false,
        table_exit: None,
        exit_flags: HashMap::new(),
        depth: 0,
        headers_type: None,
        parser_restarts: false,
        direct: HashMap::new(),
        siblings: HashMap::new(),
        loops: Vec::new(),
        unroll_budget: budget::ROUNDS,
        next_var: u32::MAX,
        call_budget: budget::CALLS,
        statement_budget: budget::STATEMENTS,
        unnamed_digests: 0,
        standard_metadata: values::Val::Bad,
        tna: None,
    };
    l.run(&main, package)?;
    l.unused_objects();
    if l.diags.has_errors() {
        None
    } else {
        Some(l.program)
    }
}

/// A control plane name: `@name` replaces the last part, or all of it if it starts with a dot.
fn control_plane_name(prefix: &str, name: &str, annotations: &[Annotation]) -> String {
    let given = find_annotation(annotations, "name").and_then(Annotation::string);
    let name = given.as_deref().unwrap_or(name);
    if let Some(absolute) = name.strip_prefix('.') {
        return absolute.to_string();
    }
    if prefix.is_empty() {
        name.to_string()
    } else {
        format!("{prefix}.{name}")
    }
}

/// The control plane's name of an action's parameter.
fn param_name(p: &hir::Param) -> crate::ast::Name {
    find_annotation(&p.var.annotations, "name")
        .and_then(Annotation::string)
        .unwrap_or_else(|| p.var.name.clone())
}

/// `name`, or with a number behind it, so that it is not among `taken`; adds it.
fn unique_name(taken: &mut HashMap<String, usize>, name: &str) -> String {
    let mut candidate = name.to_string();
    while taken.contains_key(&candidate) {
        let next = taken.entry(name.to_string()).or_default();
        candidate = format!("{name}_{next}");
        *next += 1;
    }
    taken.insert(candidate.clone(), 0);
    candidate
}

impl Lowerer<'_> {
    /// Direct counters and meters that no table has.
    fn unused_objects(&mut self) {
        for o in &self.program.objects {
            let what = match &o.kind {
                ir::ObjectKind::DirectCounter { table: None, .. } => "counter",
                ir::ObjectKind::DirectMeter { table: None, .. } => "meter",
                _ => continue,
            };
            let message = format!("{}: Direct {what} not used; ignoring", o.name);
            self.diags.warning(Warning::Unused, o.span, message);
        }
    }

    fn error(&mut self, span: Span, message: impl Into<String>) {
        self.diags.error(span, message);
    }

    fn unsupported(&mut self, span: Span, what: &str) {
        self.diags
            .error(span, format!("{what} is not supported yet"));
    }

    /// Whether one more call may be put in; reports the first that may not.
    fn spend_call(&mut self, span: Span) -> bool {
        let limit = budget::CALLS;
        let what = format!("program too large: more than {limit} calls to put in");
        Self::spend(&mut self.call_budget, self.diags, span, &what)
    }

    /// Whether one more statement may be lowered; reports the first that may not.
    fn spend_statement(&mut self, span: Span) -> bool {
        let limit = budget::STATEMENTS;
        let what = format!("program too large: more than {limit} statements with calls put in");
        Self::spend(&mut self.statement_budget, self.diags, span, &what)
    }

    fn spend(left: &mut usize, diags: &mut Diagnostics, span: Span, what: &str) -> bool {
        if *left == 0 {
            return false;
        }
        *left -= 1;
        if *left == 0 {
            diags.error(span, what);
        }
        *left > 0
    }

    fn label(&mut self) -> Label {
        self.next_label += 1;
        self.next_label
    }

    /// A name that nothing else has.
    fn unique(&mut self, name: &str) -> String {
        unique_name(&mut self.names, name)
    }

    fn run(&mut self, main: &Rc<Instance>, package: &Rc<hir::Package>) -> Option<()> {
        self.program.errors.clone_from(&self.hir.errors);
        self.program.enums = self
            .hir
            .enums
            .iter()
            .filter(|e| e.underlying.is_none())
            .map(|e| {
                (
                    e.name.clone(),
                    e.members.iter().map(|(n, _)| n.clone()).collect(),
                )
            })
            .collect();
        match &*package.name {
            "V1Switch" => self.run_v1model(main),
            "Switch" => self.run_tna(main),
            other => {
                let what = format!(
                    "package {other}: code can be generated for V1Switch of v1model and Switch of tna only"
                );
                self.diags.error(main.span, what);
                None
            }
        }
    }

    /// The parsers and controls that a package is made of.
    fn parts(&mut self, package: &Instance) -> Option<Vec<Rc<Node>>> {
        let mut blocks: Vec<Rc<Node>> = Vec::new();
        for arg in package.args.iter().flatten() {
            let inst = match &arg.kind {
                hir::ExprKind::Construct(i) | hir::ExprKind::Instance(i) => i.clone(),
                _ => {
                    self.error(
                        arg.span,
                        "main: expected an instance of a parser or control",
                    );
                    return None;
                }
            };
            let path = match &inst.target {
                // `@name` on a block has no say (p4c's `hierarchicalNames.h`).
                InstanceTarget::Parser(p) => p.name.to_string(),
                InstanceTarget::Control(c) => c.name.to_string(),
                _ => return None,
            };
            blocks.push(self.node(&inst, path, false));
        }
        Some(blocks)
    }

    fn run_v1model(&mut self, main: &Rc<Instance>) -> Option<()> {
        let blocks = self.parts(main)?;
        let [parser, verify, ingress, egress, compute, deparser] = blocks.as_slice() else {
            self.error(main.span, "main: V1Switch has six parts");
            return None;
        };
        let (InstanceTarget::Parser(p), InstanceTarget::Control(ig)) =
            (&parser.target, &ingress.target)
        else {
            return None;
        };
        let Some(std) = self.hir.standard_metadata.clone() else {
            self.error(main.span, "standard_metadata_t is not declared");
            return None;
        };
        let [_, hdr, meta, _] = p.params.as_slice() else {
            return None;
        };
        let (hdr_ty, meta_ty) = (hdr.var.ty.clone(), meta.var.ty.clone());
        let _ = ig;
        self.declare_headers(&hdr_ty, hdr.var.span)?;
        self.headers_type = Some(hdr_ty.clone());
        let hdr_val = self.headers_value(&hdr_ty)?;
        let meta_val = match &*meta_ty {
            Type::Struct(s) => self.metadata_value(s),
            _ => {
                self.error(
                    meta.var.span,
                    format!("{meta_ty}: expected the user metadata type to be a struct"),
                );
                return None;
            }
        };
        if let Type::Struct(s) = &*meta_ty {
            self.metadata_field_lists(&meta_val, s);
        }
        let std_val = self.standard_metadata_value(&std);
        self.standard_metadata = std_val.clone();
        self.top_level();
        let packet = Val::Obj(Obj::PacketIn);
        let out = Val::Obj(Obj::PacketOut);

        self.block = Block::Parser;
        self.block_name.clone_from(&parser.path);
        self.parser_block(
            parser,
            &[packet, hdr_val.clone(), meta_val.clone(), std_val.clone()],
        );
        self.block = Block::Verify;
        self.block_name.clone_from(&verify.path);
        self.checksum_block(verify, &[hdr_val.clone(), meta_val.clone()], true);
        self.block = Block::Ingress;
        self.block_name.clone_from(&ingress.path);
        let pipeline = [hdr_val.clone(), meta_val.clone(), std_val];
        self.program.ingress = self.pipeline(ingress, &pipeline);
        self.block = Block::Egress;
        self.block_name.clone_from(&egress.path);
        self.program.egress = self.pipeline(egress, &pipeline);
        self.block = Block::Compute;
        self.block_name.clone_from(&compute.path);
        self.checksum_block(compute, &[hdr_val.clone(), meta_val], false);
        self.block = Block::Deparser;
        self.block_name.clone_from(&deparser.path);
        self.deparser_block(deparser, &[out, hdr_val]);
        Some(())
    }

    /// Objects that are declared outside of parsers and controls.
    fn top_level(&mut self) {
        for i in &self.hir.instances {
            let obj = self.instantiate(i, "");
            self.globals.insert(i.id, obj);
        }
    }

    fn pipeline(&mut self, node: &Rc<Node>, args: &[Val]) -> ir::Pipeline {
        let InstanceTarget::Control(c) = &node.target else {
            return ir::Pipeline::default();
        };
        let c = c.clone();
        let env = c
            .params
            .iter()
            .map(|p| p.var.id)
            .zip(args.iter().cloned())
            .collect();
        let body = self.control_body(node, &c, env);
        ir::Pipeline {
            body,
            span: c.name_span,
        }
    }

    /// The statements of a control whose parameters stand for `env`.
    fn control_body(
        &mut self,
        node: &Rc<Node>,
        c: &Rc<Control>,
        env: HashMap<VarId, Val>,
    ) -> Vec<St> {
        let outer_env = std::mem::replace(&mut self.env, env);
        let outer_node = std::mem::replace(&mut self.node, node.clone());
        let label = self.label();
        let outer_label = self.return_label.replace(label);
        let outer_value = self.return_value.take();
        self.env
            .extend(node.args.iter().map(|(k, v)| (*k, v.clone())));
        let mut out = Vec::new();
        self.locals(&c.locals, &mut out);
        self.block_stmts(&c.body, &mut out);
        self.env = outer_env;
        self.node = outer_node;
        self.return_label = outer_label;
        self.return_value = outer_value;
        vec![St::Scope(label, out)]
    }

    /// Variables and instances that a parser or control declares.
    fn locals(&mut self, locals: &[hir::Local], out: &mut Vec<St>) {
        for l in locals {
            match l {
                hir::Local::Var(v, init, span) => self.declare_var(v, init.as_ref(), *span, out),
                hir::Local::Instance(i) => self.declare_instance(i),
                hir::Local::ValueSet(v) => self.declare_value_set(v),
                hir::Local::Action(_) | hir::Local::Table(_) => {}
            }
        }
    }

    fn declare_instance(&mut self, i: &Rc<Instance>) {
        if self.node.objects.borrow().contains_key(&i.id) {
            return;
        }
        let path = self.node.path.clone();
        let obj = self.instantiate(i, &path);
        self.node.objects.borrow_mut().insert(i.id, obj);
    }

    /// The object that an instance stands for.
    fn instantiate(&mut self, i: &Rc<Instance>, prefix: &str) -> Obj {
        let name = control_plane_name(prefix, &i.name, &i.annotations);
        match &i.target {
            InstanceTarget::Extern(e, _) => self.extern_object(i, e, name),
            InstanceTarget::Control(_) | InstanceTarget::Parser(_) => {
                let shared = self.node.shared || self.uses(i) > 1;
                Obj::Node(self.node(i, name, shared))
            }
            InstanceTarget::Package(_) => Obj::Bad,
        }
    }

    fn node(&mut self, i: &Rc<Instance>, path: String, shared: bool) -> Rc<Node> {
        let params = match &i.target {
            InstanceTarget::Control(c) => c.constructor_params.clone(),
            InstanceTarget::Parser(p) => p.constructor_params.clone(),
            _ => Vec::new(),
        };
        let mut args = HashMap::new();
        for (p, a) in params.iter().zip(&i.args) {
            if let Some(a) = a {
                let v = self.constant_value(a);
                args.insert(p.var.id, v);
            }
        }
        Rc::new(Node {
            path,
            target: i.target.clone(),
            args,
            storage: RefCell::default(),
            objects: RefCell::default(),
            tables: RefCell::default(),
            shared,
        })
    }

    /// How often the parser or control at hand applies an instance.
    fn uses(&self, i: &Rc<Instance>) -> usize {
        match &self.node.target {
            InstanceTarget::Control(c) => calls::count_instance(&c.body.stmts, i.id),
            InstanceTarget::Parser(p) => p
                .states
                .iter()
                .map(|s| calls::count_instance(&s.stmts, i.id))
                .sum(),
            _ => 0,
        }
    }

    fn parser_of(node: &Node) -> Option<Rc<Parser>> {
        match &node.target {
            InstanceTarget::Parser(p) => Some(p.clone()),
            _ => None,
        }
    }

    fn control_of(node: &Node) -> Option<Rc<Control>> {
        match &node.target {
            InstanceTarget::Control(c) => Some(c.clone()),
            _ => None,
        }
    }

    fn struct_of(ty: &Ty) -> Option<Rc<StructType>> {
        ty.as_struct().cloned()
    }
}
