// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Where values lie, and what is known of them at a point of the program: which may have no value yet, and which headers
//! are valid.

use std::collections::{HashMap, HashSet};

use crate::sema::hir::{Expr, ExprKind, VarId};
use crate::sema::types::{StructKind, Ty, Type};

/// Most leaves of a variable that is followed.
const MAX_LEAVES: u32 = 1 << 16;

/// Whether a header is valid.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Valid {
    /// On no path.
    No,
    /// On some paths, or not known.
    Maybe,
    /// On all paths.
    Yes,
}

/// How many values a type has, headers and unions counted apart: each has a bit that says whether it is valid.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Size {
    pub leaves: u32,
    pub headers: u32,
}

impl Size {
    fn plus(self, more: Size, times: u32) -> Size {
        let add = |a: u32, b: u32| a.saturating_add(b.saturating_mul(times));
        Size {
            leaves: add(self.leaves, more.leaves),
            headers: add(self.headers, more.headers),
        }
    }
}

/// What lies before the first field of a type.
fn before_fields(ty: &Type) -> Size {
    Size {
        leaves: 0,
        headers: u32::from(matches!(ty, Type::Struct(s) if s.kind != StructKind::Struct)),
    }
}

/// The types of the fields or components of a value.
fn parts(ty: &Type) -> Vec<Ty> {
    match ty {
        Type::Struct(s) => s.fields.iter().map(|f| f.ty.clone()).collect(),
        Type::Tuple(list) => list.clone(),
        _ => Vec::new(),
    }
}

/// The size of a type.
pub fn size(ty: &Type) -> Size {
    match ty {
        Type::Struct(_) | Type::Tuple(_) => parts(ty)
            .iter()
            .fold(before_fields(ty), |sum, t| sum.plus(size(t), 1)),
        Type::Stack(t, n) => Size::default().plus(size(t), *n),
        Type::Bits { .. }
        | Type::Bool
        | Type::Error
        | Type::Enum(_)
        | Type::New(_)
        | Type::Varbit(_) => Size {
            leaves: 1,
            headers: 0,
        },
        _ => Size::default(),
    }
}

/// A variable or a part of one; of a stack with an index that is not constant, the parts that it may be.
#[derive(Clone, Debug)]
pub struct Place {
    pub var: VarId,
    pub at: Vec<Size>,
    pub ty: Ty,
    /// Whether an index on the way is not constant.
    pub moving: bool,
}

impl Place {
    /// All of a variable, if it is of a size to be followed.
    pub fn of(var: VarId, ty: &Ty) -> Option<Place> {
        let n = size(ty);
        let followed = n != Size::default() && n.leaves.max(n.headers) <= MAX_LEAVES;
        followed.then(|| Place {
            var,
            at: vec![Size::default()],
            ty: ty.clone(),
            moving: false,
        })
    }

    /// A field or component.
    pub fn part(&self, index: usize) -> Option<Place> {
        let all = parts(&self.ty);
        let before = all
            .iter()
            .take(index)
            .fold(before_fields(&self.ty), |sum, t| sum.plus(size(t), 1));
        Some(Place {
            at: self.at.iter().map(|a| a.plus(before, 1)).collect(),
            ty: all.get(index)?.clone(),
            ..self.clone()
        })
    }

    /// An element of a stack; with `None`, any.
    fn element(&self, index: Option<u32>) -> Option<Place> {
        let Type::Stack(ty, n) = &*self.ty else {
            return None;
        };
        let step = size(ty);
        let indices = match index {
            Some(i) if i < *n => i..i + 1,
            Some(_) => return None,
            None => 0..*n,
        };
        let at = self.at.iter();
        Some(Place {
            at: at
                .flat_map(|a| indices.clone().map(|i| a.plus(step, i)))
                .collect(),
            ty: ty.clone(),
            moving: self.moving || index.is_none(),
            ..self.clone()
        })
    }

    /// The place that an expression names, if it is one that is followed.
    pub fn named(e: &Expr) -> Option<Place> {
        match &e.kind {
            ExprKind::Var(v) => Place::of(v.id, &v.ty),
            ExprKind::Field(b, i, _) | ExprKind::Component(b, i) => Place::named(b)?.part(*i),
            ExprKind::Element(b, i) => {
                let index = i.as_int().map(u32::try_from);
                Place::named(b)?.element(index.transpose().ok()?)
            }
            ExprKind::StackNext(b) | ExprKind::StackLast(b) => Place::named(b)?.element(None),
            ExprKind::Slice(b, ..) => Place::named(b),
            _ => None,
        }
    }

    /// Its fields, or its elements.
    pub fn parts(&self) -> Vec<Place> {
        match &*self.ty {
            Type::Stack(_, n) => (0..*n).filter_map(|i| self.element(Some(i))).collect(),
            ty => (0..parts(ty).len()).filter_map(|i| self.part(i)).collect(),
        }
    }

    /// Whether the two have something in common.
    pub fn overlaps(&self, other: &Place) -> bool {
        let apart = |a: u32, n: u32, b: u32, m: u32| a + n <= b || b + m <= a;
        let (n, m) = (size(&self.ty).leaves, size(&other.ty).leaves);
        self.var == other.var
            && self.at.iter().any(|a| {
                let mut at = other.at.iter();
                at.any(|b| !apart(a.leaves, n, b.leaves, m))
            })
    }

    fn leaves(&self) -> impl Iterator<Item = (VarId, u32)> + '_ {
        let n = size(&self.ty).leaves;
        let var = self.var;
        self.at
            .iter()
            .flat_map(move |a| (a.leaves..a.leaves + n).map(move |i| (var, i)))
    }

    fn headers(&self) -> impl Iterator<Item = (VarId, u32)> + '_ {
        let n = size(&self.ty).headers;
        let var = self.var;
        self.at
            .iter()
            .flat_map(move |a| (a.headers..a.headers + n).map(move |i| (var, i)))
    }

    /// The bits that say whether it is valid: one for each place that it may be.
    fn own(&self) -> impl Iterator<Item = (VarId, u32)> + '_ {
        self.at.iter().map(|a| (self.var, a.headers))
    }
}

/// What is known at a point of the program.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct State {
    /// Whether control cannot come here.
    pub dead: bool,
    /// Leaves that have no value on some path.
    unset: HashSet<(VarId, u32)>,
    /// Headers; what is not here may be valid.
    valid: HashMap<(VarId, u32), Valid>,
    /// Headers that the program asked about: nothing is said of these.
    asked: HashSet<(VarId, u32)>,
}

impl State {
    /// A variable that begins to live.
    pub fn declare(&mut self, var: VarId, ty: &Ty, has_value: bool) {
        let Some(place) = Place::of(var, ty) else {
            return;
        };
        if has_value {
            self.write(&place);
        } else {
            self.unset.extend(place.leaves());
        }
        self.set_all(&place, if has_value { Valid::Yes } else { Valid::No });
    }

    /// A place gets a value.
    pub fn write(&mut self, place: &Place) {
        for leaf in place.leaves() {
            self.unset.remove(&leaf);
        }
    }

    /// Whether some of it may have no value. Of a union, one member's value is enough.
    pub fn is_unset(&self, place: &Place) -> bool {
        if self.dead {
            return false;
        }
        match &*place.ty {
            Type::Struct(s) if s.kind == StructKind::Union => {
                place.parts().iter().all(|p| self.is_unset(p))
            }
            Type::Stack(t, _) if matches!(&**t, Type::Struct(s) if s.kind == StructKind::Union) => {
                place.parts().iter().any(|p| self.is_unset(p))
            }
            _ => place.leaves().any(|leaf| self.unset.contains(&leaf)),
        }
    }

    /// Whether some of it outside headers may have no value.
    pub fn is_unset_outside_headers(&self, place: &Place) -> bool {
        match &*place.ty {
            Type::Struct(s) if s.kind != StructKind::Struct => false,
            Type::Struct(_) | Type::Tuple(_) | Type::Stack(..) => place
                .parts()
                .iter()
                .any(|p| self.is_unset_outside_headers(p)),
            _ => self.is_unset(place),
        }
    }

    fn valid_bit(&self, bit: (VarId, u32)) -> Valid {
        if self.asked.contains(&bit) {
            return Valid::Yes;
        }
        self.valid.get(&bit).copied().unwrap_or(Valid::Maybe)
    }

    fn any_valid(&self, bits: impl Iterator<Item = (VarId, u32)>) -> Valid {
        let mut all = Valid::No;
        for bit in bits {
            match self.valid_bit(bit) {
                Valid::Yes => return Valid::Yes,
                Valid::Maybe => all = Valid::Maybe,
                Valid::No => {}
            }
        }
        all
    }

    /// Whether a header or union is valid.
    pub fn validity(&self, place: &Place) -> Valid {
        self.any_valid(place.own())
    }

    fn set_bit(&mut self, bit: (VarId, u32), to: Valid) {
        self.asked.remove(&bit);
        self.valid.insert(bit, to);
    }

    /// Sets a header or union; not what is in it.
    pub fn set(&mut self, place: &Place, to: Valid) {
        for bit in place.own() {
            self.set_bit(bit, to);
        }
    }

    /// Sets all headers in a place.
    pub fn set_all(&mut self, place: &Place, to: Valid) {
        for bit in place.headers() {
            self.set_bit(bit, to);
        }
    }

    /// A place has a value as far as another of the same type has one.
    pub fn copy_values(&mut self, to: &Place, from: &Place) {
        for (t, f) in to.leaves().zip(from.leaves()) {
            if self.unset.contains(&f) {
                self.unset.insert(t);
            }
        }
    }

    /// Gives the headers of one place the validity of those of another of the same type.
    pub fn copy_headers(&mut self, to: &Place, from: &Place) {
        let n = size(&to.ty).headers;
        for i in 0..n {
            let bits = |p: &Place| -> Vec<(VarId, u32)> {
                p.at.iter().map(|a| (p.var, a.headers + i)).collect()
            };
            let v = self.any_valid(bits(from).into_iter());
            if !to.moving || v == Valid::Yes {
                for bit in bits(to) {
                    self.set_bit(bit, v);
                }
            }
        }
    }

    /// The program asks whether a header or union is valid.
    pub fn ask(&mut self, place: &Place) {
        self.asked.extend(place.headers());
    }

    /// Forgets what was asked since another state.
    pub fn forget_questions(&mut self, before: &State) {
        self.asked.clone_from(&before.asked);
    }

    /// Paths come together: values, and whether control comes here. As with p4c, paths count that end before.
    pub fn join_values(&mut self, other: &State) {
        self.unset.extend(&other.unset);
        self.dead &= other.dead;
    }

    /// Paths come together.
    pub fn join(&mut self, other: &State) {
        self.join_values(other);
        for (bit, v) in &mut self.valid {
            let same = other.valid.get(bit) == Some(v);
            *v = if same { *v } else { Valid::Maybe };
        }
        self.asked.clear();
    }
}
