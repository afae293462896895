// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Pipelines as BMv2 has them: a graph of tables, conditionals and actions. `return` and the ends of scopes are edges.

use std::collections::HashMap;

use crate::backend::ir::{After, Ex, Label, Op, Program, Scalar, St, TableId};
use crate::backend::lower::predicate;
use crate::source::Span;

/// Index of a node; `None` ends the pipeline.
pub type Next = Option<usize>;

/// What follows a table.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Successors {
    /// Always the same.
    One(Next),
    /// On hit and on miss.
    HitMiss(Next, Next),
    /// For each action, by position.
    Actions(Vec<Next>),
}

/// A node.
#[derive(Debug)]
pub enum Node {
    /// A table.
    Table {
        /// Which.
        table: TableId,
        /// What follows.
        next: Successors,
        /// Where it is applied.
        span: Span,
    },
    /// A choice.
    Cond {
        /// Condition.
        condition: Ex,
        /// If true.
        then: Next,
        /// If false.
        otherwise: Next,
        /// Where.
        span: Span,
    },
    /// Operations.
    Act {
        /// In order.
        ops: Vec<(Op, Span)>,
        /// What follows.
        next: Next,
    },
}

/// A pipeline as a graph; the nodes in an order in which each comes before what follows it, but for the ends of loops.
#[derive(Debug)]
pub struct Graph {
    /// Nodes.
    pub nodes: Vec<Node>,
    /// First one.
    pub entry: Next,
}

/// What cannot be expressed, and where.
pub type GraphError = (Span, String);

/// Makes the graph of a pipeline. `applied` notes where each table stands already, in this pipeline or another.
pub fn build(
    body: &[St],
    program: &mut Program,
    applied: &mut HashMap<TableId, Span>,
) -> Result<Graph, GraphError> {
    let mut b = Builder {
        nodes: Vec::new(),
        labels: HashMap::new(),
        tables: HashMap::new(),
        program,
    };
    let entry = b.stmts(body, None)?;
    let mut graph = tidy(b.nodes, entry);
    merge(&mut graph);
    let graph = tidy(graph.nodes, graph.entry);
    for n in &graph.nodes {
        if let Node::Table { table, span, .. } = n
            && applied.insert(*table, *span).is_some()
        {
            let name = program
                .tables
                .get(*table)
                .map(|t| t.name.clone())
                .unwrap_or_default();
            return Err((
                *span,
                format!(
                    "Program is not supported by this target, because table {name} is invoked multiple times with different successors"
                ),
            ));
        }
    }
    Ok(graph)
}

struct Builder<'a> {
    nodes: Vec<Node>,
    labels: HashMap<Label, Next>,
    tables: HashMap<(TableId, Successors), usize>,
    program: &'a mut Program,
}

impl Builder<'_> {
    fn add(&mut self, n: Node) -> Next {
        self.nodes.push(n);
        Some(self.nodes.len() - 1)
    }

    fn stmts(&mut self, list: &[St], next: Next) -> Result<Next, GraphError> {
        let mut next = next;
        for s in list.iter().rev() {
            next = self.stmt(s, next)?;
        }
        Ok(next)
    }

    fn stmt(&mut self, s: &St, next: Next) -> Result<Next, GraphError> {
        Ok(match s {
            St::Op(op, span) => self.add(Node::Act {
                ops: vec![(op.clone(), *span)],
                next,
            }),
            St::If(c, a, b, span) => {
                let then = self.stmts(a, next)?;
                let otherwise = self.stmts(b, next)?;
                if then == otherwise {
                    then
                } else {
                    self.add(Node::Cond {
                        condition: c.clone(),
                        then,
                        otherwise,
                        span: *span,
                    })
                }
            }
            St::Apply { table, then, span } => {
                let count = self
                    .program
                    .tables
                    .get(*table)
                    .map_or(0, |t| t.actions.len());
                let successors = match then {
                    After::Next => Successors::One(next),
                    After::HitMiss(a, b) => {
                        let (a, b) = (self.stmts(a, next)?, self.stmts(b, next)?);
                        if a == b {
                            Successors::One(a)
                        } else {
                            Successors::HitMiss(a, b)
                        }
                    }
                    After::Actions(arms, default) => {
                        let default = self.stmts(default, next)?;
                        let mut each = vec![default; count];
                        for (labels, body) in arms {
                            let target = self.stmts(body, next)?;
                            for l in labels {
                                if let Some(slot) = each.get_mut(*l) {
                                    *slot = target;
                                }
                            }
                        }
                        match each.first() {
                            Some(first) if each.iter().any(|n| n != first) => {
                                Successors::Actions(each)
                            }
                            Some(first) => Successors::One(*first),
                            None => Successors::One(next),
                        }
                    }
                };
                let key = (*table, successors.clone());
                match self.tables.get(&key) {
                    Some(n) => Some(*n),
                    None => {
                        let n = self.add(Node::Table {
                            table: *table,
                            next: successors,
                            span: *span,
                        });
                        if let Some(n) = n {
                            self.tables.insert(key, n);
                        }
                        n
                    }
                }
            }
            St::Scope(label, body) => {
                self.labels.insert(*label, next);
                self.stmts(body, next)?
            }
            St::Atomic(body) => {
                let mut fresh = |p: &mut Program, ty: Scalar| {
                    crate::backend::lower::new_scalar(p, "atomic.cond", ty)
                };
                let ops = predicate(body, self.program, &mut fresh)?;
                if ops.is_empty() {
                    next
                } else {
                    self.add(Node::Act { ops, next })
                }
            }
            St::Loop(body) => {
                let head = self.add(Node::Act {
                    ops: Vec::new(),
                    next: None,
                });
                let first = self.stmts(body, head)?;
                if let Some(Node::Act { next, .. }) = head.and_then(|h| self.nodes.get_mut(h)) {
                    *next = first;
                }
                head
            }
            St::Leave(label) => self.labels.get(label).copied().flatten(),
            St::Exit(_) => None,
        })
    }
}

fn successors(n: &Node) -> Vec<Next> {
    match n {
        Node::Table { next, .. } => match next {
            Successors::One(n) => vec![*n],
            Successors::HitMiss(a, b) => vec![*a, *b],
            Successors::Actions(l) => l.clone(),
        },
        Node::Cond {
            then, otherwise, ..
        } => vec![*then, *otherwise],
        Node::Act { next, .. } => vec![*next],
    }
}

fn redirect(n: &mut Node, f: &dyn Fn(usize) -> usize) {
    let go = |n: &mut Next| *n = n.map(f);
    match n {
        Node::Table { next, .. } => match next {
            Successors::One(n) => go(n),
            Successors::HitMiss(a, b) => {
                go(a);
                go(b);
            }
            Successors::Actions(l) => l.iter_mut().for_each(go),
        },
        Node::Cond {
            then, otherwise, ..
        } => {
            go(then);
            go(otherwise);
        }
        Node::Act { next, .. } => go(next),
    }
}

/// Keeps the nodes that can be reached, in the order of the program: each before what follows it.
fn tidy(nodes: Vec<Node>, entry: Next) -> Graph {
    // Depth first, finished last to first: a topological order but for the edges back to the heads of loops.
    let n = nodes.len();
    let mut state = vec![0u8; n];
    let mut order = Vec::new();
    let mut stack: Vec<(usize, Vec<Next>)> = Vec::new();
    let visit = |i: usize, state: &mut Vec<u8>, stack: &mut Vec<(usize, Vec<Next>)>| {
        if let (Some(s), Some(node)) = (state.get_mut(i), nodes.get(i))
            && *s == 0
        {
            *s = 1;
            stack.push((i, successors(node)));
        }
    };
    if let Some(e) = entry {
        visit(e, &mut state, &mut stack);
    }
    while let Some((i, rest)) = stack.last_mut() {
        match rest.pop() {
            Some(Some(k)) => visit(k, &mut state, &mut stack),
            Some(None) => {}
            None => {
                order.push(*i);
                stack.pop();
            }
        }
    }
    order.reverse();
    let mut index = vec![0usize; n];
    for (new, old) in order.iter().enumerate() {
        if let Some(slot) = index.get_mut(*old) {
            *slot = new;
        }
    }
    let mut slots: Vec<Option<Node>> = nodes.into_iter().map(Some).collect();
    let map = |k: usize| index.get(k).copied().unwrap_or(0);
    let mut out = Vec::new();
    for old in order {
        if let Some(mut node) = slots.get_mut(old).and_then(Option::take) {
            redirect(&mut node, &map);
            out.push(node);
        }
    }
    Graph {
        nodes: out,
        entry: entry.map(map),
    }
}

/// Joins operations that always follow one another.
fn merge(g: &mut Graph) {
    let mut incoming = vec![0usize; g.nodes.len()];
    if let Some(n) = g.entry.and_then(|e| incoming.get_mut(e)) {
        *n += 1;
    }
    for node in &g.nodes {
        for s in successors(node).into_iter().flatten() {
            if let Some(n) = incoming.get_mut(s) {
                *n += 1;
            }
        }
    }
    for i in (0..g.nodes.len()).rev() {
        loop {
            let follower = match g.nodes.get(i) {
                Some(Node::Act { next: Some(k), .. })
                    if *k != i && incoming.get(*k) == Some(&1) =>
                {
                    *k
                }
                _ => break,
            };
            let Some(Node::Act { ops, next }) = g.nodes.get_mut(follower) else {
                break;
            };
            let (more, after) = (std::mem::take(ops), *next);
            if let Some(Node::Act { ops, next }) = g.nodes.get_mut(i) {
                ops.extend(more);
                *next = after;
            }
        }
    }
}
