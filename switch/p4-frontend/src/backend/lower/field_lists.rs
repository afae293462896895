// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Field lists: of digests, of `@field_list`, and of what is hashed and summed up.

use std::collections::BTreeMap;

use super::values::Val;
use super::{Lowerer, control_plane_name};
use crate::backend::ir::{Ex, FieldList, Scalar, St};
use crate::diag::Warning;
use crate::sema::hir::Expr;
use crate::sema::types::{StructType, Ty, Type};
use crate::source::Span;

impl Lowerer<'_> {
    /// All scalars of a value, in order: what a hash, checksum or digest is computed over.
    pub(super) fn flatten(&mut self, v: &Val, span: Span, list: &mut Vec<Ex>) {
        match v {
            Val::Ex(e) => {
                if matches!(e.ty, Scalar::Int) {
                    self.error(
                        span,
                        "Please specify the width of constants in lists of fields",
                    );
                }
                list.push(e.clone());
            }
            Val::Struct(l) | Val::HeaderValue(l) => {
                for v in l {
                    self.flatten(v, span, list);
                }
            }
            Val::Header(_, s) => {
                for i in 0..s.fields.len() {
                    let f = self.field(v, i);
                    self.flatten(&f, span, list);
                }
            }
            Val::Bad => {}
            _ => self.unsupported(span, "this in a list of fields"),
        }
    }

    /// The name by which the control plane knows a digest of a type.
    pub(super) fn digest_name(&mut self, ty: &Ty) -> String {
        if let Type::Struct(s) = &**ty {
            return control_plane_name("", &s.name, &s.annotations);
        }
        let name = format!("digest_{}", self.unnamed_digests);
        self.unnamed_digests += 1;
        name
    }

    /// The field list that an argument means: if `indexed` the one made with `@field_list`, otherwise the data itself;
    /// an empty list without an argument.
    pub(super) fn preserved(
        &mut self,
        arg: Option<&Expr>,
        indexed: bool,
        span: Span,
        out: &mut Vec<St>,
    ) -> Option<usize> {
        let (name, fields) = match arg {
            None => ("fl".to_string(), Vec::new()),
            Some(a) => match indexed {
                true => {
                    let index = self.constant_u64(a, "field list")?;
                    let name = format!("field_list{index}");
                    if let Some(i) = self.program.field_lists.iter().position(|l| l.name == name) {
                        return Some(i);
                    }
                    self.diags.warning(
                        Warning::Invalid,
                        span,
                        format!("no user metadata fields tagged with @field_list({index})"),
                    );
                    (name, Vec::new())
                }
                false => {
                    let v = self.value(a, out);
                    let mut list = Vec::new();
                    self.flatten(&v, a.span, &mut list);
                    let mut fields = Vec::new();
                    for f in list {
                        fields.push(self.field_of(f, "fl", a.span, out));
                    }
                    ("fl".to_string(), fields)
                }
            },
        };
        let name = self.list_name(&name);
        self.program
            .field_lists
            .push(FieldList { name, fields, span });
        Some(self.program.field_lists.len() - 1)
    }

    fn list_name(&self, name: &str) -> String {
        let taken = |n: &str| self.program.field_lists.iter().any(|l| l.name == n);
        if !taken(name) {
            return name.to_string();
        }
        (0..)
            .map(|i| format!("{name}_{i}"))
            .find(|n| !taken(n))
            .unwrap_or_default()
    }

    /// The lists that `@field_list` makes of the fields of the user metadata.
    pub(super) fn metadata_field_lists(&mut self, meta: &Val, s: &StructType) {
        let mut found: BTreeMap<u32, Vec<Ex>> = BTreeMap::new();
        self.collect_lists(meta, s, &[], &mut found);
        for (index, fields) in found {
            let name = format!("field_list{index}");
            self.program.field_lists.push(FieldList {
                name,
                fields,
                span: s.span,
            });
        }
    }

    fn collect_lists(
        &mut self,
        v: &Val,
        s: &StructType,
        outer: &[u32],
        found: &mut BTreeMap<u32, Vec<Ex>>,
    ) {
        for (i, f) in s.fields.iter().enumerate() {
            let mut lists = outer.to_vec();
            lists.extend(f.field_lists.iter().filter(|l| !outer.contains(l)));
            let part = self.field(v, i);
            if let (Val::Struct(_), Some(inner)) = (&part, f.ty.as_struct()) {
                self.collect_lists(&part, inner, &lists, found);
                continue;
            }
            let mut fields = Vec::new();
            if !lists.is_empty() {
                self.flatten(&part, s.span, &mut fields);
            }
            for l in lists {
                found.entry(l).or_default().extend(fields.iter().cloned());
            }
        }
    }
}
