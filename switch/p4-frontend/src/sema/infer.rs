// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Type arguments: inference by matching parameter types with argument types, and substitution.

use std::collections::HashMap;
use std::rc::Rc;

use super::types::{ApplyType, ExternType, FieldType, StructType, Ty, Type, TypeVar};

/// What type variables stand for.
#[derive(Clone, Debug, Default)]
pub struct Bindings {
    map: HashMap<TypeVar, Option<Ty>>,
}

impl Bindings {
    /// Variables that are to be found.
    pub fn for_vars(vars: impl IntoIterator<Item = TypeVar>) -> Bindings {
        Bindings {
            map: vars.into_iter().map(|v| (v, None)).collect(),
        }
    }

    /// Variables with their values.
    pub fn pairs(pairs: impl IntoIterator<Item = (TypeVar, Ty)>) -> Bindings {
        Bindings {
            map: pairs.into_iter().map(|(v, t)| (v, Some(t))).collect(),
        }
    }

    /// Adds the variables of another set.
    pub fn merge(&mut self, other: Bindings) {
        self.map.extend(other.map);
    }

    /// Gives a variable its value.
    pub fn set(&mut self, var: TypeVar, ty: Ty) {
        self.map.insert(var, Some(ty));
    }

    /// What a variable stands for, if found.
    pub fn get(&self, var: TypeVar) -> Option<&Ty> {
        self.map.get(&var).and_then(Option::as_ref)
    }

    /// Matches a parameter's type with an argument's, finding variables. Returns false on a contradiction; types that
    /// an implicit conversion could make equal are no contradiction.
    pub fn unify(&mut self, param: &Type, arg: &Ty) -> bool {
        match (param, &**arg) {
            (_, Type::Poison | Type::DontCare) | (Type::Poison | Type::DontCare, _) => true,
            (Type::Var(v, _), _) => match self.map.get(v) {
                None => matches!(&**arg, Type::Var(w, _) if w == v),
                Some(None) => {
                    self.map.insert(*v, Some(arg.clone()));
                    true
                }
                Some(Some(known)) => {
                    if Type::same(known, arg) {
                        return true;
                    }
                    // A plain number yields to a sized one.
                    if matches!(**known, Type::Int)
                        && matches!(&*arg.representation(), Type::Bits { .. })
                    {
                        self.map.insert(*v, Some(arg.clone()));
                        return true;
                    }
                    matches!(
                        **arg,
                        Type::Int
                            | Type::ListExpr(_)
                            | Type::StructExpr(_)
                            | Type::Invalid
                            | Type::Dots
                    )
                }
            },
            (Type::Stack(p, n), Type::Stack(a, m)) => n == m && self.unify(p, a),
            (Type::List(p), Type::List(a)) | (Type::Set(p), Type::Set(a)) => self.unify(p, a),
            (Type::Tuple(p), Type::Tuple(a) | Type::ListExpr(a)) => {
                p.len() == a.len() && p.iter().zip(a).all(|(p, a)| self.unify(p, a))
            }
            (Type::Struct(p), Type::Struct(a)) => {
                p.def == a.def
                    && p.args.len() == a.args.len()
                    && p.args.iter().zip(&a.args).all(|(p, a)| self.unify(p, a))
            }
            (Type::Extern(p), Type::Extern(a)) => {
                p.def == a.def
                    && p.args.len() == a.args.len()
                    && p.args.iter().zip(&a.args).all(|(p, a)| self.unify(p, a))
            }
            (Type::Parser(p), Type::Parser(a)) | (Type::Control(p), Type::Control(a)) => {
                // Optional parameters may be left out, also between others.
                let mut given = a.params.iter().peekable();
                for (i, (pd, pt)) in p.params.iter().enumerate() {
                    let optional = i >= p.required;
                    let Some((ad, at)) = given.peek() else {
                        if optional {
                            continue;
                        }
                        return false;
                    };
                    // A parameter that cannot be written may be declared `in` or without a direction.
                    let readable = |d: &crate::ast::Direction| {
                        matches!(d, crate::ast::Direction::None | crate::ast::Direction::In)
                    };
                    let fits = (pd == ad || (readable(pd) && readable(ad)))
                        && (pt.mentions_var() || Type::same(pt, at))
                        && self.unify(pt, at);
                    if fits {
                        given.next();
                    } else if !optional {
                        return false;
                    }
                }
                given.next().is_none()
            }
            (Type::Package(p), Type::Package(a)) => {
                p.def == a.def
                    && p.args.len() == a.args.len()
                    && p.args.iter().zip(&a.args).all(|(p, a)| self.unify(p, a))
            }
            // Whether the rest fits is found when the argument is converted.
            (p, _) if !p.mentions_var() => true,
            _ => true,
        }
    }

    /// Puts values in for variables; those not found stay.
    pub fn apply(&self, ty: &Ty) -> Ty {
        if !ty.mentions_var() {
            return ty.clone();
        }
        let all = |list: &[Ty]| list.iter().map(|t| self.apply(t)).collect::<Vec<_>>();
        match &**ty {
            Type::Var(v, _) => match self.get(*v) {
                Some(t) => t.clone(),
                None => ty.clone(),
            },
            Type::Struct(s) => Rc::new(Type::Struct(self.apply_struct(s))),
            Type::Stack(t, n) => Rc::new(Type::Stack(self.apply(t), *n)),
            Type::List(t) => Rc::new(Type::List(self.apply(t))),
            Type::Set(t) => Rc::new(Type::Set(self.apply(t))),
            Type::Tuple(l) => Rc::new(Type::Tuple(all(l))),
            Type::ListExpr(l) => Rc::new(Type::ListExpr(all(l))),
            Type::Extern(e) => Rc::new(Type::Extern(Rc::new(ExternType {
                def: e.def,
                name: e.name.clone(),
                args: all(&e.args),
            }))),
            Type::Parser(a) => Rc::new(Type::Parser(self.apply_applicable(a))),
            Type::Control(a) => Rc::new(Type::Control(self.apply_applicable(a))),
            Type::Package(a) => Rc::new(Type::Package(self.apply_applicable(a))),
            _ => ty.clone(),
        }
    }

    /// An instance of a generic struct.
    pub fn apply_struct(&self, s: &Rc<StructType>) -> Rc<StructType> {
        Rc::new(StructType {
            def: s.def,
            kind: s.kind,
            name: s.name.clone(),
            args: s.args.iter().map(|t| self.apply(t)).collect(),
            fields: s
                .fields
                .iter()
                .map(|f| FieldType {
                    name: f.name.clone(),
                    ty: self.apply(&f.ty),
                    annotations: f.annotations.clone(),
                    field_lists: f.field_lists.clone(),
                })
                .collect(),
            annotations: s.annotations.clone(),
            span: s.span,
        })
    }

    /// An instance of a generic parser, control or package type.
    pub fn apply_applicable(&self, a: &Rc<ApplyType>) -> Rc<ApplyType> {
        Rc::new(ApplyType {
            def: a.def,
            name: a.name.clone(),
            args: a.args.iter().map(|t| self.apply(t)).collect(),
            params: a.params.iter().map(|(d, t)| (*d, self.apply(t))).collect(),
            required: a.required,
        })
    }
}
