// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Externs: their declarations, and the methods that instances implement.

use std::rc::Rc;

use super::hir::{self, Instance, InstanceTarget, Prototype};
use super::infer::Bindings;
use super::types::Type;
use super::{Checker, Entity, TypeEntity};
use crate::ast::{self, Decl, Ident, MethodKind, Name};
use crate::diag::Diagnostic;

impl Checker<'_> {
    pub(super) fn prototype(&mut self, f: &ast::FunctionProto) -> Rc<Prototype> {
        self.push_scope();
        let type_params = self.type_params(&f.type_params);
        let result = self.resolve(&f.return_type);
        let params = self.params(&f.params, false);
        self.pop_scope();
        Rc::new(Prototype {
            name: f.name.name.clone(),
            type_params,
            params,
            result,
            annotations: f.annotations.clone(),
            span: f.name.span,
        })
    }

    pub(super) fn extern_decl(&mut self, e: &ast::ExternDecl) {
        let def = self.fresh_def();
        self.push_scope();
        let type_params = self.type_params(&e.type_params);
        let mut constructors = Vec::new();
        let mut methods = Vec::new();
        let mut abstracts = Vec::new();
        for m in &e.methods {
            let mut proto = m.proto.clone();
            if m.kind == MethodKind::Constructor {
                proto.return_type = ast::TypeRef {
                    kind: ast::TypeKind::Void,
                    span: proto.span,
                };
                self.no_directions(&proto.params);
                let p = self.quietly(true, |c| c.prototype(&proto));
                constructors.push(p);
            } else {
                let p = self.quietly(true, |c| c.prototype(&proto));
                if m.kind == MethodKind::Abstract {
                    abstracts.push(p.clone());
                }
                methods.push(p);
            }
        }
        self.pop_scope();
        self.distinct(&constructors);
        self.distinct(&methods);
        let ext = Rc::new(hir::Extern {
            def,
            name: e.name.name.clone(),
            type_params,
            constructors,
            methods,
            abstracts,
            span: e.name.span,
        });
        self.externs.insert(def, ext.clone());
        self.declare(&e.name, Entity::Type(TypeEntity::Extern(ext)));
    }

    /// Methods of one name differ in the names of their parameters.
    fn distinct(&mut self, methods: &[Rc<Prototype>]) {
        for (i, m) in methods.iter().enumerate() {
            let same = |o: &&Rc<Prototype>| {
                o.name == m.name
                    && o.params.len() == m.params.len()
                    && o.params
                        .iter()
                        .zip(&m.params)
                        .all(|(a, b)| a.var.name == b.var.name)
            };
            if let Some(previous) = methods[..i].iter().find(same) {
                self.duplicate(&Ident::new(m.name.clone(), m.span), previous.span);
            }
        }
    }

    /// The methods that an instance implements: `X(...) x = { void apply(...) { ... } }`.
    pub(super) fn implementations(&mut self, inst: &Rc<Instance>, i: &ast::Instantiation) {
        let empty = Vec::new();
        let given = i.initializer.as_ref().unwrap_or(&empty);
        let (abstracts, bindings) = match (&inst.target, &*inst.ty) {
            (InstanceTarget::Extern(e, _), Type::Extern(t)) => {
                let b = Bindings::pairs(
                    e.type_params
                        .iter()
                        .map(|(v, _)| *v)
                        .zip(t.args.iter().cloned()),
                );
                (e.abstracts.clone(), b)
            }
            _ => (Vec::new(), Bindings::default()),
        };
        let mut found: Vec<Name> = Vec::new();
        for d in given {
            match d {
                Decl::Function(f) => {
                    let name = &f.proto.name;
                    let Some(wanted) = abstracts.iter().find(|a| a.name == name.name) else {
                        self.error(
                            name.span,
                            format!("{name}: the extern has no abstract method of this name"),
                        );
                        continue;
                    };
                    found.push(name.name.clone());
                    let (proto, body) = self.function_parts(f);
                    let least = wanted
                        .params
                        .iter()
                        .position(|p| p.optional)
                        .unwrap_or(wanted.params.len());
                    let fits = (least..=wanted.params.len()).contains(&proto.params.len())
                        && Type::same(&proto.result, &bindings.apply(&wanted.result))
                        && proto.params.iter().zip(&wanted.params).all(|(p, w)| {
                            p.direction == w.direction
                                && Type::same(&p.var.ty, &bindings.apply(&w.var.ty))
                        });
                    let def = self.fresh_def();
                    let method = hir::Function { def, proto, body };
                    inst.methods.borrow_mut().push(Rc::new(method));
                    if !fits {
                        self.diags.push(
                            Diagnostic::error(
                                i.name.span,
                                format!(
                                    "{name}: signature differs from that of the abstract method"
                                ),
                            )
                            .note_at(name.span, "the method")
                            .note_at(wanted.span, "declared here"),
                        );
                    }
                }
                Decl::Instantiation(inner) => {
                    self.instantiation(inner);
                }
                other => self.error(other.span(), "declaration not allowed here"),
            }
        }
        for a in abstracts.iter().filter(|a| !found.contains(&a.name)) {
            self.error(
                i.span,
                format!("{}: abstract method {} is not implemented", i.name, a.name),
            );
        }
    }
}
