// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Registers and their actions: the body of `apply` stands between a read and a write of all fields of an element.

use std::rc::Rc;

use super::super::Lowerer;
use super::super::values::{Obj, Val, scalar_type};
use super::{Object, bits, place_of};
use crate::backend::ir::{Ex, ObjectId, ObjectKind, Op, Scalar, St, TableId};
use crate::sema::hir::{Expr, Function, Instance, Property, Table};
use crate::sema::types::{Ty, Type};
use crate::source::Span;

impl Lowerer<'_> {
    /// `Register<T, I>(size, initial)`: an array for each field, `name.field`, or one of its own name.
    pub(super) fn register(&mut self, i: &Rc<Instance>, name: String) -> Option<Object> {
        let Type::Extern(t) = &*i.ty else { return None };
        let element = t.args.first()?.clone();
        // A direct register has the size of its table.
        let direct = &*t.name == "DirectRegister";
        let (size, first) = match direct {
            true => (0, 0),
            false => (self.size_arg(i, 0)?, 1),
        };
        let mut initial = Vec::new();
        if let Some(e) = i.args.get(first).cloned().flatten() {
            let v = self.constant_value(&e);
            self.flatten(&v, e.span, &mut initial);
        }
        let fields: Vec<(String, Ty)> = match element.as_struct() {
            Some(s) => {
                let named = |f: &crate::sema::types::FieldType| {
                    (format!("{name}.{}", f.name), f.ty.clone())
                };
                s.fields.iter().map(named).collect()
            }
            None => vec![(name, element.clone())],
        };
        let mut cells = Vec::new();
        for (k, (name, ty)) in fields.into_iter().enumerate() {
            let Some(ty @ (Scalar::Bits { .. } | Scalar::Bool)) = scalar_type(&ty) else {
                self.unsupported(i.span, &format!("a register of type '{element}'"));
                return None;
            };
            let first = initial.get(k).and_then(Ex::as_int).unwrap_or_default();
            let kind = ObjectKind::Register {
                width: ty.width(),
                signed: false,
                size,
                initial: crate::sema::types::wrap(&first, ty.width(), false),
            };
            let Obj::Extern(id) = self.add_object(i, name, kind) else {
                return None;
            };
            cells.push((id, ty));
        }
        let entry = direct.then(|| self.local_temp(&format!("{}.entry", i.name), bits(32)));
        Some(Object::Register {
            cells,
            element,
            entry,
        })
    }

    /// `RegisterAction<T, I, U>(register) = { void apply(inout T value, out U rv) { ... } }`
    pub(super) fn register_action(&mut self, i: &Rc<Instance>) -> Option<Object> {
        let of = i.args.first()?.clone()?;
        let Val::Obj(Obj::Tna(register)) = self.constant_value(&of) else {
            return None;
        };
        let apply = i.methods.borrow().first()?.clone();
        Some(Object::RegisterAction { register, apply })
    }

    /// `registers = direct_register` of a table: a cell for each entry, and one, with index 0, for a miss.
    pub(super) fn direct_register(&mut self, t: &Table, p: &Property, table: TableId) {
        let value = self.constant_value(&p.value);
        let found = match &value {
            Val::Obj(Obj::Tna(o)) => match &**o {
                Object::Register {
                    cells,
                    entry: Some(entry),
                    ..
                } => Some((cells, place_of(entry))),
                _ => None,
            },
            _ => None,
        };
        let Some((cells, Some(place))) = found else {
            self.error(p.value.span, "registers: expected a DirectRegister");
            return;
        };
        let declared = match &t.size {
            Some(e) => self.constant_u64(e, "table size").unwrap_or(0),
            None => 0,
        };
        let given = t.entries.as_ref().map_or(0, |e| e.list.len() as u64);
        let entries = match declared.max(given) {
            0 => crate::backend::bmv2::DEFAULT_SIZE,
            n => n,
        };
        for (id, _) in cells {
            if let Some(ObjectKind::Register { size, .. }) =
                self.program.objects.get_mut(*id).map(|o| &mut o.kind)
            {
                if *size != 0 {
                    self.error(p.span, "registers: a direct register belongs to one table");
                    return;
                }
                *size = entries + 1;
            }
        }
        if let Some(t) = self.program.tables.get_mut(table) {
            t.direct_registers = Some((cells.iter().map(|(id, _)| *id).collect(), place));
        }
    }

    /// Reads an element into places of its own. An index beyond the end reads 0.
    fn read_cells(
        &mut self,
        cells: &[(ObjectId, Scalar)],
        element: &Ty,
        index: &Ex,
        span: Span,
        out: &mut Vec<St>,
    ) -> Val {
        let mut fields = Vec::new();
        for (id, ty) in cells {
            let raw = self.local_temp("cell", bits(ty.width()));
            if let Some(p) = place_of(&raw) {
                out.push(St::Op(Op::Assign(p.clone(), Ex::int(0, raw.ty)), span));
                out.push(St::Op(Op::RegisterRead(p, *id, index.clone()), span));
            }
            fields.push(if raw.ty == *ty {
                Val::Ex(raw)
            } else {
                self.snapshot(Val::Ex(Ex::cast(raw, *ty)), span, out)
            });
        }
        match element.as_struct() {
            Some(_) => Val::Struct(fields),
            None => fields.pop().unwrap_or(Val::Bad),
        }
    }

    fn write_cells(
        &mut self,
        cells: &[(ObjectId, Scalar)],
        value: &Val,
        index: &Ex,
        span: Span,
        out: &mut Vec<St>,
    ) {
        let mut fields = Vec::new();
        self.flatten(value, span, &mut fields);
        for ((id, ty), field) in cells.iter().zip(fields) {
            let field = Ex::cast(field, bits(ty.width()));
            out.push(St::Op(Op::RegisterWrite(*id, index.clone(), field), span));
        }
    }

    /// The index of an access, with a value that the access does not change.
    fn register_index(&mut self, e: &Expr, out: &mut Vec<St>) -> Option<Ex> {
        let x = self.ex(e, out);
        match self.snapshot(Val::Ex(x), e.span, out) {
            Val::Ex(x) => Some(x),
            _ => None,
        }
    }

    /// `action.execute(index)`
    pub(super) fn execute(
        &mut self,
        register: &Object,
        apply: &Rc<Function>,
        index: Option<&Expr>,
        span: Span,
        out: &mut Vec<St>,
    ) -> Val {
        let Object::Register {
            cells,
            element,
            entry,
        } = register
        else {
            return Val::Bad;
        };
        let index = match (index, entry) {
            (Some(e), None) => self.register_index(e, out),
            (_, entry) => entry.clone(),
        };
        let Some(index) = index else {
            return Val::Bad;
        };
        let value = self.read_cells(cells, element, &index, span, out);
        let mut params = apply.proto.params.iter();
        if let Some(p) = params.next() {
            self.env.insert(p.var.id, value.clone());
        }
        let mut result = Val::Nowhere;
        if let Some(p) = params.next() {
            let name = self.local_name("returned");
            result = self.storage(&name, &p.var.ty, span);
            if let Val::Ex(x) = &result
                && let Some(p) = place_of(x)
            {
                let zero = Ex::cast(Ex::int(0, bits(x.ty.width())), x.ty);
                out.push(St::Op(Op::Assign(p, zero), span));
            }
            self.env.insert(p.var.id, result.clone());
        }
        let label = self.label();
        let outer = self.return_label.replace(label);
        let mut body = Vec::new();
        self.block_stmts(&apply.body, &mut body);
        self.return_label = outer;
        out.push(St::Scope(label, body));
        self.write_cells(cells, &value, &index, span, out);
        result
    }

    /// `register.read(index)`
    pub(super) fn register_read(
        &mut self,
        o: &Object,
        index: &Expr,
        span: Span,
        out: &mut Vec<St>,
    ) -> Val {
        let Object::Register { cells, element, .. } = o else {
            return Val::Bad;
        };
        match self.register_index(index, out) {
            Some(index) => self.read_cells(cells, element, &index, span, out),
            None => Val::Bad,
        }
    }

    /// `register.write(index, value)`
    pub(super) fn register_write(
        &mut self,
        o: &Object,
        index: &Expr,
        value: &Expr,
        span: Span,
        out: &mut Vec<St>,
    ) {
        let Object::Register { cells, .. } = o else {
            return;
        };
        if let Some(index) = self.register_index(index, out) {
            let value = self.value(value, out);
            self.write_cells(cells, &value, &index, span, out);
        }
    }
}
