// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Header stacks and header unions, and references to headers that an index chooses.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use super::expr::{Scope, string, type_value};
use super::{Builder, Result, json};
use crate::budget::STACK_ELEMENTS;
use crate::error::LoadError;
use crate::instructions::{BinOp, Expr, UnOp};
use crate::num::Num;
use crate::program::{FieldRef, HeaderRef, Stack};

/// What names of stacks and unions refer to.
#[derive(Default)]
pub(super) struct Groups {
    stack_by_name: HashMap<String, u32>,
    union_stack_by_name: HashMap<String, u32>,
    union_by_name: HashMap<String, u32>,
    /// Names of the members of a union stack's elements, by stack.
    member_names: HashMap<u32, Vec<String>>,
    /// For each union stack, the unions that are its elements.
    elements: HashMap<u32, Vec<u32>>,
}

/// A union that is known, or one of the elements of a union stack.
pub(super) enum UnionRef {
    Fixed(u32),
    Indexed(u32, Box<Expr>),
}

fn minus_one(e: Expr) -> Expr {
    Expr::Bin(
        BinOp::Sub,
        Box::new(e),
        Box::new(Expr::Const(Num::Small(1))),
    )
}

/// Expressions joined by an operator: as a balanced tree, since what walks trees takes stack for each level.
fn joined(op: BinOp, mut list: Vec<Expr>) -> Option<Expr> {
    while list.len() > 1 {
        let mut pairs = list.into_iter();
        let mut next = Vec::new();
        while let Some(a) = pairs.next() {
            next.push(match pairs.next() {
                Some(b) => Expr::Bin(op, Box::new(a), Box::new(b)),
                None => a,
            });
        }
        list = next;
    }
    list.pop()
}

/// The nodes of an expression.
fn nodes(e: &Expr) -> usize {
    1 + match e {
        Expr::Un(_, x) | Expr::Register(_, x) | Expr::IndexedValid(_, x) => nodes(x),
        Expr::Indexed { index, .. } => nodes(index),
        Expr::Bin(_, x, y) => nodes(x) + nodes(y),
        Expr::Cond(c, x, y) => nodes(c) + nodes(x) + nodes(y),
        Expr::Const(_) | Expr::Bool(_) | Expr::Field(_) | Expr::Flag(_) => 0,
        Expr::HeadersEqual(..) => 0,
    }
}

/// Refuses a list of elements that is too long, or names one twice.
fn distinct(ids: &[u64], at: &str) -> Result<()> {
    if ids.len() > STACK_ELEMENTS {
        let what = format!("it has more than {STACK_ELEMENTS} elements");
        return Err(LoadError::invalid(what, at));
    }
    let mut seen = HashSet::new();
    match ids.iter().find(|id| !seen.insert(**id)) {
        Some(id) => Err(LoadError::invalid(format!("id {id} is there twice"), at)),
        None => Ok(()),
    }
}

impl Builder {
    pub(super) fn stacks(&mut self, root: &json::Root) -> Result<()> {
        let ids: HashMap<u64, u32> = (root.headers.iter().zip(0..))
            .map(|(h, i)| (h.id, i))
            .collect();
        let header = |id: u64, at: &str| {
            let found = ids.get(&id).copied();
            found.ok_or_else(|| LoadError::unknown("header id", id, at))
        };
        for s in &root.header_stacks {
            let at = format!("header stack `{}`", s.name);
            distinct(&s.header_ids, &at)?;
            let list = s.header_ids.iter().map(|id| header(*id, &at));
            let list = list.collect::<Result<Vec<_>>>()?;
            for h in &list {
                self.same_type(list[0], *h, &at)?;
            }
            let array = self.array(list.clone(), &at)?;
            let stack = self.stack(list.len(), vec![array]);
            self.groups.stack_by_name.insert(s.name.clone(), stack);
        }
        let mut union_ids = HashMap::new();
        let mut member_names: HashMap<&str, Vec<String>> = HashMap::new();
        for t in &root.header_union_types {
            let names = t.headers.iter().map(|(name, _)| name.clone()).collect();
            member_names.insert(&t.name, names);
        }
        for u in &root.header_unions {
            let at = format!("header union `{}`", u.name);
            distinct(&u.header_ids, &at)?;
            let list = u.header_ids.iter().map(|id| header(*id, &at));
            let list = list.collect::<Result<Vec<_>>>()?;
            let index = self.unions.len() as u32;
            for &h in &list {
                let header = &mut self.headers[h as usize];
                if header.metadata || header.union.replace(index).is_some() {
                    return Err(LoadError::invalid(
                        format!("`{}` cannot be a member", header.name),
                        &at,
                    ));
                }
            }
            union_ids.insert(u.id, (index, u.union_type.as_str()));
            self.groups.union_by_name.insert(u.name.clone(), index);
            self.unions.push(list);
        }
        for s in &root.header_union_stacks {
            let at = format!("header union stack `{}`", s.name);
            distinct(&s.header_union_ids, &at)?;
            let mut elements = Vec::new();
            for id in &s.header_union_ids {
                let found = union_ids.get(id);
                let (u, kind) = found.ok_or_else(|| LoadError::unknown("union id", id, &at))?;
                if *kind != s.union_type {
                    return Err(LoadError::invalid("unions of different types", &at));
                }
                elements.push(*u);
            }
            let members = elements
                .first()
                .map_or(0, |u| self.unions[*u as usize].len());
            let mut arrays = Vec::new();
            for m in 0..members {
                let column: Option<Vec<u32>> = elements
                    .iter()
                    .map(|u| self.unions[*u as usize].get(m).copied())
                    .collect();
                let column =
                    column.ok_or_else(|| LoadError::invalid("unions of different types", &at))?;
                for h in &column {
                    self.same_type(column[0], *h, &at)?;
                }
                arrays.push(self.array(column, &at)?);
            }
            let stack = self.stack(elements.len(), arrays);
            let names = member_names.get(s.union_type.as_str());
            let names = names.cloned().unwrap_or_default();
            self.groups.member_names.insert(stack, names);
            self.groups.elements.insert(stack, elements);
            self.groups
                .union_stack_by_name
                .insert(s.name.clone(), stack);
        }
        Ok(())
    }

    fn array(&mut self, headers: Vec<u32>, at: &str) -> Result<u32> {
        if headers.is_empty() {
            return Err(LoadError::invalid("it has no elements", at));
        }
        let metadata = |h: &u32| self.headers[*h as usize].metadata;
        if headers.iter().any(metadata) {
            return Err(LoadError::invalid("a member is metadata", at));
        }
        self.arrays.push(headers);
        Ok((self.arrays.len() - 1) as u32)
    }

    fn stack(&mut self, size: usize, arrays: Vec<u32>) -> u32 {
        let next = self.new_word(0);
        self.stacks.push(Stack {
            next,
            size: size as u32,
            arrays,
        });
        (self.stacks.len() - 1) as u32
    }

    fn named_stack(&self, name: &str, at: &str) -> Result<u32> {
        let found = self.groups.stack_by_name.get(name);
        let found = found.or_else(|| self.groups.union_stack_by_name.get(name));
        let found = found.copied();
        found.ok_or_else(|| LoadError::unknown("header stack", name, at))
    }

    /// A stack of headers or unions.
    pub(super) fn stack_operand(&self, v: &Value, at: &str) -> Result<u32> {
        match type_value(v, at)? {
            ("header_stack" | "header_union_stack", name) => {
                self.named_stack(string(name, "a stack's name", at)?, at)
            }
            ("expression", inner) if inner.get("type").is_some() => self.stack_operand(inner, at),
            (other, _) => Err(LoadError::unsupported(
                format!("operand type `{other}` as a stack"),
                at,
            )),
        }
    }

    fn next_of(&self, stack: u32) -> Expr {
        Expr::Field(FieldRef {
            word: self.stacks[stack as usize].next,
            width: 32,
            signed: false,
        })
    }

    /// The index of the last element that was extracted: -1 if there is none.
    pub(super) fn last_index(&self, stack: u32) -> Expr {
        minus_one(self.next_of(stack))
    }

    pub(super) fn stack_size(&self, stack: u32) -> Expr {
        Expr::Const(Num::Small(self.stacks[stack as usize].size.into()))
    }

    pub(super) fn union_operand(&self, v: &Value, s: &Scope) -> Result<UnionRef> {
        let at = s.at;
        match type_value(v, at)? {
            ("header_union", name) => {
                let name = string(name, "a union's name", at)?;
                let found = self.groups.union_by_name.get(name).copied();
                Ok(UnionRef::Fixed(found.ok_or_else(|| {
                    LoadError::unknown("header union", name, at)
                })?))
            }
            ("expression", inner) if inner.get("type").is_some() => self.union_operand(inner, s),
            ("expression", inner) if inner["op"] == "dereference_union_stack" => {
                let stack = self.stack_operand(&inner["left"], at)?;
                let index = self.data(&inner["right"], s)?;
                if let Expr::Const(n) = &index
                    && let Some(n) = n.as_u64().and_then(|n| usize::try_from(n).ok())
                    && let Some(u) = self.groups.elements.get(&stack).and_then(|e| e.get(n))
                {
                    return Ok(UnionRef::Fixed(*u));
                }
                Ok(UnionRef::Indexed(stack, Box::new(index)))
            }
            (other, _) => Err(LoadError::unsupported(
                format!("operand type `{other}` as a header union"),
                at,
            )),
        }
    }

    /// A header, known or chosen by an index.
    pub(super) fn header_ref(&self, v: &Value, s: &Scope) -> Result<HeaderRef> {
        let at = s.at;
        let (kind, inner) = type_value(v, at)?;
        if kind != "expression" || inner.get("type").is_some() {
            return match kind {
                "expression" => self.header_ref(inner, s),
                _ => self.header_operand(v, at).map(HeaderRef::Fixed),
            };
        }
        let offset = || {
            let n = inner["right"]
                .as_u64()
                .and_then(|n| usize::try_from(n).ok());
            n.ok_or_else(|| LoadError::invalid("a member's offset is not a number", at))
        };
        let unknown = |n: usize| LoadError::unknown("member of a header union", n, at);
        match inner["op"].as_str().unwrap_or("") {
            "dereference_header_stack" | "dereference_stack" => {
                let stack = self.stack_operand(&inner["left"], at)?;
                let index = self.data(&inner["right"], s)?;
                let array = self.stacks[stack as usize].arrays.first();
                let array = *array.ok_or_else(|| LoadError::invalid("an empty stack", at))?;
                Ok(self.indexed(array, index))
            }
            "access_union_header" => {
                let n = offset()?;
                match self.union_operand(&inner["left"], s)? {
                    UnionRef::Fixed(u) => {
                        let h = self.unions[u as usize].get(n).copied();
                        h.map(HeaderRef::Fixed).ok_or_else(|| unknown(n))
                    }
                    UnionRef::Indexed(stack, index) => {
                        let array = self.stacks[stack as usize].arrays.get(n).copied();
                        Ok(self.indexed(array.ok_or_else(|| unknown(n))?, *index))
                    }
                }
            }
            op => Err(LoadError::unsupported(
                format!("operator `{op}` as a header"),
                at,
            )),
        }
    }

    fn indexed(&self, array: u32, index: Expr) -> HeaderRef {
        let list = &self.arrays[array as usize];
        if let Expr::Const(n) = &index
            && let Some(h) = n.as_u64().and_then(|n| list.get(n as usize))
        {
            return HeaderRef::Fixed(*h);
        }
        HeaderRef::Indexed(array, Box::new(index))
    }

    /// A header of the type that all headers of a reference have.
    pub(super) fn example(&self, h: &HeaderRef) -> u32 {
        match h {
            HeaderRef::Fixed(h) => *h,
            HeaderRef::Indexed(array, _) => self.arrays[*array as usize][0],
        }
    }

    /// The field of a header at an offset.
    pub(super) fn field_at(&self, h: &HeaderRef, offset: usize, at: &str) -> Result<Expr> {
        let fields = &self.headers[self.example(h) as usize].fields;
        let f = fields.get(offset);
        let f = *f.ok_or_else(|| LoadError::unknown("field offset", offset, at))?;
        Ok(match h {
            HeaderRef::Fixed(_) => Expr::Field(f),
            HeaderRef::Indexed(array, index) => Expr::Indexed {
                array: *array,
                field: offset as u32,
                width: f.width,
                signed: f.signed,
                index: index.clone(),
            },
        })
    }

    /// A field of the last element of a stack: `[stack, field]`, or `[stack, member, field]` for a
    /// stack of unions. Gives the stack, too.
    pub(super) fn last_field(&self, v: &Value, at: &str) -> Result<(u32, HeaderRef, usize)> {
        let names = v.as_array().map(Vec::as_slice).unwrap_or(&[]);
        let names: Vec<&str> = names.iter().filter_map(Value::as_str).collect();
        let (stack, array, field) = match names[..] {
            [stack, field] => {
                let stack = self.named_stack(stack, at)?;
                (stack, self.stacks[stack as usize].arrays.first(), field)
            }
            [stack, member, field] => {
                let stack = self.named_stack(stack, at)?;
                let n = self.member(stack, member, at)?;
                (stack, self.stacks[stack as usize].arrays.get(n), field)
            }
            _ => {
                return Err(LoadError::invalid(
                    "a stack's field is no list of names",
                    at,
                ));
            }
        };
        let array = *array.ok_or_else(|| LoadError::invalid("an empty stack", at))?;
        let first = &self.headers[self.arrays[array as usize][0] as usize];
        let wanted = self.field(&first.name, field, at)?;
        let offset = first.fields.iter().position(|f| *f == wanted);
        let offset = offset.ok_or_else(|| LoadError::unknown("field", field, at))?;
        let h = HeaderRef::Indexed(array, Box::new(self.last_index(stack)));
        Ok((stack, h, offset))
    }

    /// The position of a union member by its name.
    fn member(&self, stack: u32, name: &str, at: &str) -> Result<usize> {
        let names = self.groups.member_names.get(&stack);
        let found = names.and_then(|n| n.iter().position(|n| n == name));
        found.ok_or_else(|| LoadError::unknown("member of a header union", name, at))
    }

    /// The stack that an extraction appends to, and the array that its headers are in.
    pub(super) fn extract_stack(&self, v: &Value, at: &str) -> Result<(u32, u32)> {
        let (stack, n) = match v {
            Value::Array(pair) => {
                let name = |i: usize| pair.get(i).and_then(Value::as_str).unwrap_or("");
                let stack = self.named_stack(name(0), at)?;
                (stack, self.member(stack, name(1), at)?)
            }
            name => (
                self.named_stack(string(name, "a stack's name", at)?, at)?,
                0,
            ),
        };
        let array = self.stacks[stack as usize].arrays.get(n).copied();
        Ok((
            stack,
            array.ok_or_else(|| LoadError::invalid("an empty stack", at))?,
        ))
    }

    /// Whether headers are the same: both invalid, or both valid with equal fields.
    fn same(&self, a: u32, b: u32) -> Expr {
        let valid = |h: u32| {
            Expr::Flag(FieldRef {
                word: self.headers[h as usize].valid,
                width: 1,
                signed: false,
            })
        };
        let bin = |op, a, b| Expr::Bin(op, Box::new(a), Box::new(b));
        let neither = Expr::Un(UnOp::LNot, Box::new(bin(BinOp::LOr, valid(a), valid(b))));
        bin(BinOp::LOr, neither, Expr::HeadersEqual(a, b))
    }

    /// The headers of two unions or stacks, in pairs.
    pub(super) fn pairs(&self, a: &Value, b: &Value, s: &Scope) -> Result<Vec<(u32, u32)>> {
        let at = s.at;
        let list = |v: &Value| -> Result<Vec<u32>> {
            match type_value(v, at)?.0 {
                "header_stack" | "header_union_stack" => {
                    let stack = self.stack_operand(v, at)?;
                    let arrays = self.stacks[stack as usize].arrays.iter();
                    Ok(arrays
                        .flat_map(|a| self.arrays[*a as usize].iter().copied())
                        .collect())
                }
                _ => match self.union_operand(v, s)? {
                    UnionRef::Fixed(u) => Ok(self.unions[u as usize].clone()),
                    UnionRef::Indexed(..) => Err(LoadError::unsupported(
                        "a whole union that an index chooses",
                        at,
                    )),
                },
            }
        };
        let (a, b) = (list(a)?, list(b)?);
        if a.len() != b.len() {
            return Err(LoadError::invalid("operands of different types", at));
        }
        for (a, b) in a.iter().zip(&b) {
            self.same_type(*a, *b, at)?;
        }
        Ok(a.into_iter().zip(b).collect())
    }

    /// Equality of unions or stacks.
    pub(super) fn all_equal(&self, pairs: &[(u32, u32)], at: &str) -> Result<Expr> {
        self.spend_nodes(pairs.len() * 7, at)?;
        let equal = pairs.iter().map(|(a, b)| self.same(*a, *b)).collect();
        Ok(joined(BinOp::LAnd, equal).unwrap_or(Expr::Bool(true)))
    }

    /// Whether some member of a union is valid.
    pub(super) fn union_valid(&self, u: &UnionRef, at: &str) -> Result<Expr> {
        let members: Vec<HeaderRef> = match u {
            UnionRef::Fixed(u) => {
                let members = &self.unions[*u as usize];
                self.spend_nodes(members.len() * 2, at)?;
                members.iter().map(|h| HeaderRef::Fixed(*h)).collect()
            }
            UnionRef::Indexed(stack, index) => {
                // Each member has a copy of the index, which may have members itself.
                let arrays = &self.stacks[*stack as usize].arrays;
                self.spend_nodes(arrays.len() * (2 + nodes(index)), at)?;
                let member = |a: &u32| HeaderRef::Indexed(*a, index.clone());
                arrays.iter().map(member).collect()
            }
        };
        let valid = members.iter().map(|h| self.valid_of(h)).collect();
        Ok(joined(BinOp::LOr, valid).unwrap_or(Expr::Bool(false)))
    }

    /// The validity of a header.
    pub(super) fn valid_of(&self, h: &HeaderRef) -> Expr {
        match h {
            HeaderRef::Fixed(h) => Expr::Flag(FieldRef {
                word: self.headers[*h as usize].valid,
                width: 1,
                signed: false,
            }),
            HeaderRef::Indexed(array, index) => Expr::IndexedValid(*array, index.clone()),
        }
    }
}
