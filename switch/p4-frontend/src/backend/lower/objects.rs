// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Objects of externs and parser value sets: what they become, and calls of their methods.

use std::rc::Rc;

use super::values::{Obj, Val, scalar_type};
use super::{Lowerer, control_plane_name};
use crate::ast::Name;
use crate::backend::ir::{
    Ex, ExKind, Object, ObjectKind, Op, Scalar, Selector, St, ValueSet as FlatSet,
};
use crate::sema::hir::{Call, Expr, Extern, Instance, Prototype, ValueSet};
use crate::sema::types::{Ty, Type};

impl Lowerer<'_> {
    pub(super) fn extern_object(&mut self, i: &Rc<Instance>, e: &Rc<Extern>, name: String) -> Obj {
        let kind = match &*e.name {
            "register" => {
                let Type::Extern(et) = &*i.ty else {
                    return Obj::Bad;
                };
                let element = et.args.first().cloned();
                let Some(Scalar::Bits { width, signed }) =
                    element.as_ref().and_then(|t| match &*t.representation() {
                        Type::Bits { .. } => scalar_type(t),
                        _ => None,
                    })
                else {
                    self.error(
                        i.span,
                        format!(
                            "{name}: Only registers with bit or int types are currently supported"
                        ),
                    );
                    return Obj::Bad;
                };
                let Some(size) = self.size_arg(i, 0) else {
                    return Obj::Bad;
                };
                if size == 0 {
                    self.error(
                        i.span,
                        format!("{name}: direct registers are not supported in bmv2"),
                    );
                    return Obj::Bad;
                }
                ObjectKind::Register {
                    width,
                    signed,
                    size,
                    initial: Default::default(),
                }
            }
            "counter" => {
                let (Some(size), Some(unit)) = (self.size_arg(i, 0), self.unit_arg(i, 1)) else {
                    return Obj::Bad;
                };
                ObjectKind::Counter { size, unit }
            }
            "direct_counter" => {
                let Some(unit) = self.unit_arg(i, 0) else {
                    return Obj::Bad;
                };
                ObjectKind::DirectCounter { unit, table: None }
            }
            "meter" => {
                let (Some(size), Some(unit)) = (self.size_arg(i, 0), self.unit_arg(i, 1)) else {
                    return Obj::Bad;
                };
                ObjectKind::Meter { size, unit }
            }
            "direct_meter" => {
                let Some(unit) = self.unit_arg(i, 0) else {
                    return Obj::Bad;
                };
                ObjectKind::DirectMeter {
                    unit,
                    table: None,
                    result: None,
                }
            }
            "action_profile" => {
                let Some(size) = self.size_arg(i, 0) else {
                    return Obj::Bad;
                };
                ObjectKind::ActionProfile {
                    size,
                    selector: None,
                    tables: Vec::new(),
                    inline: false,
                }
            }
            "action_selector" => {
                let (Some(algorithm), Some(size)) = (self.unit_arg(i, 0), self.size_arg(i, 1))
                else {
                    return Obj::Bad;
                };
                let selector = Some(Selector {
                    algorithm,
                    input: Vec::new(),
                });
                ObjectKind::ActionProfile {
                    size,
                    selector,
                    tables: Vec::new(),
                    inline: false,
                }
            }
            _ => return self.tna_object(i, e, name),
        };
        self.add_object(i, name, kind)
    }

    /// An object that the control plane knows.
    pub(super) fn add_object(&mut self, i: &Instance, name: String, kind: ObjectKind) -> Obj {
        let id = self.program.objects.len();
        self.program.objects.push(Object {
            name,
            kind,
            annotations: i.annotations.clone(),
            span: i.span,
        });
        Obj::Extern(id)
    }

    pub(super) fn size_arg(&mut self, i: &Rc<Instance>, n: usize) -> Option<u64> {
        let e = i.args.get(n)?.clone()?;
        self.constant_u64(&e, "size")
    }

    pub(super) fn unit_arg(&mut self, i: &Rc<Instance>, n: usize) -> Option<Name> {
        let e = i.args.get(n)?.clone()?;
        self.member_name(&e)
    }

    pub(super) fn declare_value_set(&mut self, v: &Rc<ValueSet>) {
        self.value_set_object(v);
    }

    pub(super) fn value_set_object(&mut self, v: &Rc<ValueSet>) -> Obj {
        if let Some(o) = self.node.objects.borrow().get(&v.id) {
            return o.clone();
        }
        let name = control_plane_name(&self.node.path, &v.name, &v.annotations);
        let parts: Vec<Ty> = match &*v.element {
            Type::Struct(s) => s.fields.iter().map(|f| f.ty.clone()).collect(),
            Type::Tuple(l) => l.clone(),
            _ => vec![v.element.clone()],
        };
        let mut widths = Vec::new();
        for t in parts {
            match scalar_type(&t) {
                Some(s) => widths.push(s.width()),
                None => self.unsupported(v.span, "a value set of this type"),
            }
        }
        let size = self.constant_u64(&v.size, "size").unwrap_or(0);
        let id = self.program.sets.len();
        self.program.sets.push(FlatSet {
            name,
            widths,
            size,
            annotations: v.annotations.clone(),
        });
        self.node.objects.borrow_mut().insert(v.id, Obj::Set(id));
        Obj::Set(id)
    }

    pub(super) fn object_method(
        &mut self,
        id: usize,
        proto: &Rc<Prototype>,
        c: &Call,
        e: &Expr,
        out: &mut Vec<St>,
    ) -> Val {
        let Some(kind) = self.program.objects.get(id).map(|o| o.kind.clone()) else {
            return Val::Bad;
        };
        if !self.pipeline_only(&proto.name, e.span) {
            return Val::Bad;
        }
        self.only_index(proto, c, e);
        let mut after = Vec::new();
        match (&kind, &*proto.name) {
            (ObjectKind::Register { width, signed, .. }, "read") => {
                let (Some(dst), Some(index)) = (self.arg(c, 0, e), self.arg(c, 1, e)) else {
                    return Val::Bad;
                };
                let dst = self.lvalue(dst, out);
                let index = self.ex(index, out);
                let raw = Scalar::Bits {
                    width: *width,
                    signed: false,
                };
                // What simple_switch keeps has no sign: a read gives the bits.
                let dst = if *signed {
                    let bits = self.local_temp("tmp", raw);
                    let value = Ex::cast(
                        bits.clone(),
                        Scalar::Bits {
                            width: *width,
                            signed: true,
                        },
                    );
                    self.assign(&dst, Val::Ex(value), e.span, &mut after);
                    Val::Ex(bits)
                } else {
                    dst
                };
                if let Some(p) = self.result_place(&dst, raw, e.span, &mut after) {
                    out.push(St::Op(Op::RegisterRead(p, id, index), e.span));
                }
            }
            (ObjectKind::Register { .. }, "write") => {
                let (Some(index), Some(value)) = (self.arg(c, 0, e), self.arg(c, 1, e)) else {
                    return Val::Bad;
                };
                let index = self.ex(index, out);
                let value = self.ex(value, out);
                out.push(St::Op(Op::RegisterWrite(id, index, value), e.span));
            }
            (ObjectKind::Counter { .. }, "count") => {
                let Some(index) = self.arg(c, 0, e) else {
                    return Val::Bad;
                };
                let index = self.ex(index, out);
                out.push(St::Op(Op::Count(id, index), e.span));
            }
            // Direct counters count by themselves.
            (ObjectKind::DirectCounter { .. }, "count") => {}
            (ObjectKind::Meter { .. }, "execute_meter") => {
                let (Some(index), Some(dst)) = (self.arg(c, 0, e), self.arg(c, 1, e)) else {
                    return Val::Bad;
                };
                let index = self.ex(index, out);
                let ty = scalar_type(&dst.ty).unwrap_or(crate::backend::ir::WORD);
                let dst = self.lvalue(dst, out);
                if let Some(p) = self.result_place(&dst, ty, e.span, &mut after) {
                    out.push(St::Op(Op::ExecuteMeter(id, index, p), e.span));
                }
            }
            (ObjectKind::DirectMeter { .. }, "read") => {
                let Some(dst) = self.arg(c, 0, e) else {
                    return Val::Bad;
                };
                let dst = self.lvalue(dst, out);
                let Val::Ex(Ex {
                    kind: ExKind::Place(p),
                    ..
                }) = dst
                else {
                    self.error(
                        e.span,
                        "read: the result of a direct meter must be a whole variable or field",
                    );
                    return Val::Bad;
                };
                if let Some(ObjectKind::DirectMeter { result, .. }) =
                    self.program.objects.get_mut(id).map(|o| &mut o.kind)
                {
                    if result.as_ref().is_some_and(|old| *old != p) {
                        self.error(e.span, "read: all reads of a direct meter must have the same destination on this target");
                        return Val::Bad;
                    }
                    *result = Some(p);
                }
            }
            _ => return self.tna_object_method(id, &kind, proto, c, e, out),
        }
        out.extend(after);
        Val::Nowhere
    }
}
