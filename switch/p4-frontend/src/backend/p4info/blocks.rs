// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! What a program instantiates and uses, block by block, in the order in which p4c comes upon it.
//!
//! p4c makes P4Info of what its front end leaves. The rules here are those of the front end's passes that P4Info
//! shows: statements behind a `return`, an `exit` or a constant condition are gone (`removeReturns.cpp`,
//! `constantFolding.cpp`); tables, actions, value sets and instances of parsers and controls that nothing uses are gone,
//! extern objects never (`unusedDeclarations.cpp`); a sub-control's declarations stand where its instance stood, under
//! the instance's name (`inlining.cpp`), a directly applied type's behind all others (`directCalls.cpp`); actions of the
//! top level are copied to the front of each control that uses them, in the order of their first use
//! (`localizeActions.cpp`); names begin with the control's (`hierarchicalNames.cpp`).

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use super::eval::{Argument, Env, eval};
use super::walk::Walker;
use crate::ast::{Annotation, find_annotation};
use crate::diag::Diagnostics;
use crate::sema::hir::{
    Action, Control, Expr, ExprKind, Instance, InstanceTarget, Local, Param, Parser, Program,
    Table, ValueSet, VarId,
};
use crate::sema::types::{DefId, Ty};
use crate::source::Span;

/// Most instances that a program may have: their number can grow exponentially with the text.
const MAX_NODES: usize = 10_000;

/// An instance of a parser or control.
pub struct Node {
    /// What its names begin with.
    pub path: String,
    /// What its constructor parameters stand for.
    pub env: Env,
    pub(super) kind: NodeKind,
    pub(super) used: RefCell<Used>,
    children: RefCell<HashMap<VarId, Rc<Node>>>,
    /// Instances that are constructor arguments.
    constructed: RefCell<Vec<VarId>>,
}

/// What a node is an instance of.
pub(super) enum NodeKind {
    Control(Rc<Control>),
    Parser(Rc<Parser>),
}

/// What the body of a node uses.
#[derive(Default)]
pub(super) struct Used {
    pub(super) walked: bool,
    pub(super) tables: HashSet<DefId>,
    pub(super) actions: HashSet<DefId>,
    pub(super) sets: HashSet<VarId>,
}

impl Node {
    /// Whether an instance is declared in it, rather than at the top level.
    pub fn declares(&self, id: VarId) -> bool {
        let locals = match &self.kind {
            NodeKind::Control(c) => &c.locals,
            NodeKind::Parser(p) => &p.locals,
        };
        locals
            .iter()
            .any(|l| matches!(l, Local::Instance(i) if i.id == id))
    }
}

/// An action that the control plane is told of.
pub struct ActionUse {
    /// Full name.
    pub name: String,
    /// The action.
    pub action: Rc<Action>,
    /// Whether a table lists it; if not, it is called directly and its arguments are given.
    pub in_table: bool,
}

/// A table.
pub struct TableUse {
    /// Full name.
    pub name: String,
    /// The table.
    pub table: Rc<Table>,
    /// Where it is declared.
    pub node: Rc<Node>,
    /// The outermost control's name.
    pub block: String,
}

/// An extern object.
pub struct ObjectUse {
    /// Full name.
    pub name: String,
    /// The object.
    pub instance: Rc<Instance>,
    /// What constructor parameters in its arguments stand for.
    pub env: Env,
}

/// A value set.
pub struct SetUse {
    /// Full name.
    pub name: String,
    /// The value set.
    pub set: Rc<ValueSet>,
    /// What constructor parameters in its size stand for.
    pub env: Env,
}

/// A call of `digest`.
pub struct DigestUse {
    /// Type of the data.
    pub ty: Ty,
    /// Where.
    pub span: Span,
}

/// One of the architecture's blocks, or the top level.
#[derive(Default)]
pub struct Block {
    /// Actions.
    pub actions: Vec<ActionUse>,
    /// Tables.
    pub tables: Vec<TableUse>,
    /// Extern objects.
    pub objects: Vec<ObjectUse>,
    /// Value sets.
    pub sets: Vec<SetUse>,
    /// Calls of `digest`, those in actions first.
    pub digests: Vec<DigestUse>,
    /// Whether extern functions are called.
    pub calls_externs: bool,
}

/// The name that `@name` gives, otherwise the declared one.
pub fn external_name(name: &str, annotations: &[Annotation]) -> String {
    find_annotation(annotations, "name")
        .and_then(Annotation::string)
        .map_or_else(|| name.to_string(), |n| n.to_string())
}

/// A name in a scope; a leading dot leaves the scope out.
pub fn join(path: &str, name: &str) -> String {
    match name.strip_prefix('.') {
        Some(absolute) => absolute.to_string(),
        None if path.is_empty() => name.to_string(),
        None => format!("{path}.{name}"),
    }
}

/// Full name of an action: a copy of a top-level action keeps its plain name, unless `@name` gives it one.
pub fn action_name(a: &Action, node: &Node, block: &str) -> String {
    if !a.global {
        return join(&node.path, &external_name(&a.name, &a.annotations));
    }
    match find_annotation(&a.annotations, "name").and_then(Annotation::string) {
        Some(given) => join(block, &given),
        None => a.name.to_string(),
    }
}

/// The blocks of a program, the top level first.
pub fn blocks(program: &Program, diags: &mut Diagnostics) -> Vec<Block> {
    let mut w = Walker::new(diags);
    let mut out = vec![top_level(program)];
    if let Some(main) = &program.main {
        out.extend(w.package(main));
    }
    out
}

/// The extern objects of the top level. Parsers and controls are not declared there, but are arguments of the package.
fn top_level(program: &Program) -> Block {
    let mut top = Block::default();
    for i in &program.instances {
        if matches!(i.target, InstanceTarget::Extern(..)) {
            top.objects.push(ObjectUse {
                name: join("", &external_name(&i.name, &i.annotations)),
                instance: i.clone(),
                env: Env::new(),
            });
        }
    }
    top
}

/// The pipelines of a program for Tofino, with the names that the control plane knows them by.
pub fn pipelines(
    program: &Program,
    diags: &mut Diagnostics,
) -> Vec<(String, Rc<Instance>, Vec<Block>)> {
    let mut w = Walker::new(diags);
    let mut out = Vec::new();
    let args = program.main.iter().flat_map(|m| m.args.iter().enumerate());
    for (index, arg) in args {
        if let Some(Expr { kind, .. }) = arg
            && let ExprKind::Instance(i) | ExprKind::Construct(i) = kind
            && matches!(i.target, InstanceTarget::Package(..))
        {
            let name = if i.name.is_empty() {
                format!("pipe{index}")
            } else {
                join("", &external_name(&i.name, &i.annotations))
            };
            // The first one has what is declared at the top level.
            let mut blocks = Vec::new();
            if out.is_empty() {
                blocks.push(top_level(program));
            }
            blocks.extend(w.package(i));
            out.push((name, i.clone(), blocks));
        }
    }
    out
}

impl<'a> Walker<'a> {
    fn new(diags: &'a mut Diagnostics) -> Walker<'a> {
        Walker {
            diags,
            nodes: 0,
            out: Block::default(),
            direct: Vec::new(),
            functions: HashSet::new(),
        }
    }

    /// The blocks that a package is made of.
    fn package(&mut self, package: &Instance) -> Vec<Block> {
        let mut out = Vec::new();
        for arg in package.args.iter().flatten() {
            if let ExprKind::Construct(i) = &arg.kind
                && let Some(node) = self.root(i)
            {
                out.push(self.block(&node));
            }
        }
        out
    }

    /// A block of the architecture. Its names begin with the declared name, whatever `@name` says.
    fn root(&mut self, i: &Rc<Instance>) -> Option<Rc<Node>> {
        let path = match &i.target {
            InstanceTarget::Control(c) => c.name.to_string(),
            InstanceTarget::Parser(p) => p.name.to_string(),
            _ => return None,
        };
        self.node(i, path, None)
    }

    fn node(
        &mut self,
        i: &Rc<Instance>,
        path: String,
        owner: Option<&Rc<Node>>,
    ) -> Option<Rc<Node>> {
        let (kind, params): (NodeKind, &[Param]) = match &i.target {
            InstanceTarget::Control(c) => (NodeKind::Control(c.clone()), &c.constructor_params),
            InstanceTarget::Parser(p) => (NodeKind::Parser(p.clone()), &p.constructor_params),
            _ => return None,
        };
        self.nodes += 1;
        if self.nodes > MAX_NODES {
            if self.nodes == MAX_NODES + 1 {
                self.diags.error(
                    i.span,
                    format!("more than {MAX_NODES} instances of parsers and controls"),
                );
            }
            return None;
        }
        let mut env = Env::new();
        for (p, a) in params.iter().zip(&i.args) {
            let given = a.as_ref().or(p.default.as_ref());
            if let Some(argument) = given.and_then(|a| self.argument(p, a, owner)) {
                env.insert(p.var.id, argument);
            }
        }
        Some(Rc::new(Node {
            path,
            env,
            kind,
            used: RefCell::default(),
            children: RefCell::default(),
            constructed: RefCell::default(),
        }))
    }

    fn argument(&mut self, p: &Param, a: &Expr, owner: Option<&Rc<Node>>) -> Option<Argument> {
        let empty = Env::new();
        let env = owner.map_or(&empty, |o| &o.env);
        match &a.kind {
            ExprKind::Instance(i) | ExprKind::Construct(i) => match &i.target {
                InstanceTarget::Extern(..) => {
                    let name = if i.name.is_empty() {
                        &p.var.name
                    } else {
                        &i.name
                    };
                    let path = owner.map_or("", |o| o.path.as_str());
                    Some(Argument::Object(join(
                        path,
                        &external_name(name, &i.annotations),
                    )))
                }
                _ => {
                    let owner = owner?;
                    let known = owner.children.borrow().get(&i.id).cloned();
                    let node = match known {
                        Some(n) => n,
                        None => {
                            let name = if i.name.is_empty() {
                                &p.var.name
                            } else {
                                &i.name
                            };
                            let n = self.child(owner, i, name)?;
                            if i.name.is_empty() {
                                owner.constructed.borrow_mut().push(i.id);
                            }
                            n
                        }
                    };
                    Some(Argument::Node(node))
                }
            },
            ExprKind::Var(v) => env.get(&v.id).cloned(),
            _ => eval(a, env).map(Argument::Value),
        }
    }

    /// The instance that a parser or control declares.
    pub(super) fn child(
        &mut self,
        owner: &Rc<Node>,
        i: &Rc<Instance>,
        name: &str,
    ) -> Option<Rc<Node>> {
        let known = owner.children.borrow().get(&i.id).cloned();
        if known.is_some() {
            return known;
        }
        let path = join(&owner.path, &external_name(name, &i.annotations));
        let n = self.node(i, path, Some(owner))?;
        owner.children.borrow_mut().insert(i.id, n.clone());
        Some(n)
    }

    fn block(&mut self, node: &Rc<Node>) -> Block {
        self.out = Block::default();
        self.direct.clear();
        self.functions.clear();
        self.walk(node);
        // What the body calls comes behind what the actions call.
        let in_body = std::mem::take(&mut self.out.digests);
        let mut locals: Vec<(Rc<Node>, Rc<Action>)> = Vec::new();
        self.flatten(node, &node.path, &mut locals);
        let mut listed: HashSet<(*const Node, DefId)> = HashSet::new();
        let mut listed_globals: HashSet<DefId> = HashSet::new();
        let mut order: Vec<Rc<Action>> = Vec::new();
        for t in &self.out.tables {
            for a in actions_in_order(&t.table) {
                if !a.global {
                    listed.insert((Rc::as_ptr(&t.node), a.def));
                } else if listed_globals.insert(a.def) {
                    order.push(a);
                }
            }
        }
        for a in std::mem::take(&mut self.direct) {
            if order.iter().all(|o| o.def != a.def) {
                order.push(a);
            }
        }
        let mut actions: Vec<ActionUse> = order
            .into_iter()
            .map(|action| ActionUse {
                name: action_name(&action, node, &node.path),
                in_table: listed_globals.contains(&action.def),
                action,
            })
            .collect();
        for (owner, action) in locals {
            let in_table = listed.contains(&(Rc::as_ptr(&owner), action.def));
            if in_table || owner.used.borrow().actions.contains(&action.def) {
                actions.push(ActionUse {
                    name: action_name(&action, &owner, &node.path),
                    action,
                    in_table,
                });
            }
        }
        for a in &actions {
            self.functions.clear();
            self.functions_called(&a.action.body);
        }
        self.out.digests.extend(in_body);
        self.out.actions = actions;
        std::mem::take(&mut self.out)
    }

    /// Declarations in the order in which they stand after sub-parsers and sub-controls are put in.
    fn flatten(&mut self, node: &Rc<Node>, block: &str, actions: &mut Vec<(Rc<Node>, Rc<Action>)>) {
        let locals = match &node.kind {
            NodeKind::Control(c) => &c.locals,
            NodeKind::Parser(p) => &p.locals,
        };
        for l in locals {
            match l {
                Local::Var(..) => {}
                Local::Instance(i) => match &i.target {
                    InstanceTarget::Extern(..) => self.out.objects.push(ObjectUse {
                        name: join(&node.path, &external_name(&i.name, &i.annotations)),
                        instance: i.clone(),
                        env: node.env.clone(),
                    }),
                    _ => self.flatten_child(node, i.id, block, actions),
                },
                Local::Action(a) => actions.push((node.clone(), a.clone())),
                Local::Table(t) => {
                    if node.used.borrow().tables.contains(&t.def) {
                        self.out.tables.push(TableUse {
                            name: join(&node.path, &external_name(&t.name, &t.annotations)),
                            table: t.clone(),
                            node: node.clone(),
                            block: block.to_string(),
                        });
                    }
                }
                Local::ValueSet(s) => {
                    if node.used.borrow().sets.contains(&s.id) {
                        self.out.sets.push(SetUse {
                            name: join(&node.path, &external_name(&s.name, &s.annotations)),
                            set: s.clone(),
                            env: node.env.clone(),
                        });
                    }
                }
            }
        }
        let constructed = node.constructed.borrow().clone();
        for id in constructed {
            self.flatten_child(node, id, block, actions);
        }
    }

    fn flatten_child(
        &mut self,
        node: &Rc<Node>,
        id: VarId,
        block: &str,
        actions: &mut Vec<(Rc<Node>, Rc<Action>)>,
    ) {
        let child = node.children.borrow().get(&id).cloned();
        if let Some(c) = child.filter(|c| c.used.borrow().walked) {
            self.flatten(&c, block, actions);
        }
    }
}

/// The actions that a table names, in the order of its properties; what the language adds comes last.
pub fn actions_in_order(t: &Table) -> Vec<Rc<Action>> {
    let mut uses: Vec<(bool, Span, &Rc<Action>)> = Vec::new();
    for r in &t.actions {
        uses.push((r.span == t.name_span, r.span, &r.action));
    }
    if let Some(d) = &t.default_action
        && let Some(r) = t.actions.get(d.index)
    {
        uses.push((!d.explicit, d.span, &r.action));
    }
    uses.sort_by_key(|(implied, span, _)| (*implied, *span));
    uses.into_iter().map(|(_, _, a)| a.clone()).collect()
}
