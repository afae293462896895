// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Instances of TNA's externs, and what they become.

use std::rc::Rc;

use num_bigint::BigInt;

use super::super::Lowerer;
use super::super::values::{Obj, Val, scalar_type};
use crate::ast::Name;
use crate::backend::ir::{Ex, ObjectId, ObjectKind, Scalar, Selector, WORD};
use crate::sema::hir::{Expr, Extern, Function, Instance};
use crate::sema::types::{Ty, Type};

/// An extern object that is none in the JSON, or several.
pub enum Object {
    /// One array for each field of its element.
    Register {
        /// The arrays and the types of the fields.
        cells: Vec<(ObjectId, Scalar)>,
        /// Type of an element.
        element: Ty,
        /// Of a direct register: where the index of the entry that was hit is.
        entry: Option<Ex>,
    },
    /// `RegisterAction`
    RegisterAction {
        /// What it works on.
        register: Rc<Object>,
        /// Its method `apply`.
        apply: Rc<Function>,
    },
    /// `Hash<bit<width>>(algorithm)`
    Hash {
        /// As the JSON names it.
        algorithm: Name,
        /// Bits of the result.
        width: u32,
    },
    /// `CRCPolynomial`, as an algorithm.
    Polynomial(Name),
    /// `Random<bit<width>>()`
    Random(u32),
    /// The sum so far, in a parser.
    Checksum(Ex),
    /// The value of a parser's counter.
    ParserCounter(Ex),
    /// `Mirror(mirror_type)`
    Mirror(Option<BigInt>),
    /// `Resubmit(resubmit_type)`
    Resubmit(Option<BigInt>),
    /// `Digest(digest_type)`, by its name for the control plane.
    Digest(String, Option<BigInt>),
    /// What changes no result.
    Silent,
}

impl Lowerer<'_> {
    /// An instance of an extern that v1model does not have.
    pub(in super::super) fn tna_object(
        &mut self,
        i: &Rc<Instance>,
        e: &Rc<Extern>,
        name: String,
    ) -> Obj {
        let made = match self.tna {
            Some(_) => self.known_object(i, e, name),
            None => None,
        };
        made.unwrap_or_else(|| {
            if !self.diags.has_errors() {
                self.unsupported(i.span, &format!("extern {}", e.name));
            }
            Obj::Bad
        })
    }

    fn known_object(&mut self, i: &Rc<Instance>, e: &Rc<Extern>, name: String) -> Option<Obj> {
        let object = match &*e.name {
            "Register" | "DirectRegister" => self.register(i, name)?,
            "RegisterAction" | "DirectRegisterAction" => self.register_action(i)?,
            "Hash" => self.hash_object(i)?,
            "CRCPolynomial" => self.polynomial(i)?,
            "Random" => Object::Random(self.type_width(i)?),
            "Checksum" => Object::Checksum(self.local_temp(&i.name, super::bits(16))),
            "ParserCounter" => Object::ParserCounter(self.local_temp(&i.name, super::bits(8))),
            "Mirror" => Object::Mirror(self.type_arg(i)),
            "Resubmit" => Object::Resubmit(self.type_arg(i)),
            "Digest" => Object::Digest(name, self.type_arg(i)),
            "ParserPriority" | "Alpm" | "Atcam" => Object::Silent,
            "Lpf" | "Wred" => return self.filter(i, e, name),
            "ActionSelector" => return self.selector(i, name),
            _ => {
                let kind = self.v1model_kind(i, e)?;
                let object = self.add_object(i, name, kind);
                self.note_colors(i, &object);
                return Some(object);
            }
        };
        Some(Obj::Tna(Rc::new(object)))
    }

    /// Objects that are those of v1model under another name.
    fn v1model_kind(&mut self, i: &Rc<Instance>, e: &Extern) -> Option<ObjectKind> {
        let unit = |s: &mut Self, n: usize| -> Option<Name> {
            Some(s.unit_arg(i, n)?.to_lowercase().as_str().into())
        };
        Some(match &*e.name {
            "Counter" => ObjectKind::Counter {
                size: self.size_arg(i, 0)?,
                unit: unit(self, 1)?,
            },
            "DirectCounter" => ObjectKind::DirectCounter {
                unit: unit(self, 0)?,
                table: None,
            },
            "Meter" => ObjectKind::Meter {
                size: self.size_arg(i, 0)?,
                unit: unit(self, 1)?,
            },
            "DirectMeter" => {
                let color = self.local_temp(&format!("{}.color", i.name), WORD);
                ObjectKind::DirectMeter {
                    unit: unit(self, 0)?,
                    table: None,
                    result: super::place_of(&color),
                }
            }
            "ActionProfile" => ObjectKind::ActionProfile {
                size: self.size_arg(i, 0)?,
                selector: None,
                tables: Vec::new(),
                inline: false,
            },
            _ => return None,
        })
    }

    /// The numbers that a meter is told to give its colours: red, yellow, green.
    fn note_colors(&mut self, i: &Instance, object: &Obj) {
        let Obj::Extern(id) = object else { return };
        let n = i.args.len();
        let mut last = |k: usize| {
            let e = n.checked_sub(k).and_then(|k| i.args.get(k)?.clone())?;
            self.constant_u64(&e, "colour")
        };
        if n >= 4
            && let (Some(red), Some(yellow), Some(green)) = (last(3), last(2), last(1))
            && let Some(b) = &mut self.tna
        {
            b.colors.insert(*id, [green, yellow, red]);
        }
    }

    /// `ActionSelector(profile, hash, mode, max_group_size, num_groups)`, or with a size in place of the profile. Members
    /// are those of the selector: an action profile of its own is not seen by the engine.
    fn selector(&mut self, i: &Rc<Instance>, name: String) -> Option<Obj> {
        let first = i.args.first()?.clone()?;
        let hash = i.args.get(1)?.clone()?;
        let Val::Obj(Obj::Tna(hash)) = self.constant_value(&hash) else {
            return None;
        };
        let Object::Hash { algorithm, .. } = &*hash else {
            return None;
        };
        let selector = Some(Selector {
            algorithm: algorithm.clone(),
            input: Vec::new(),
        });
        if let Type::Extern(_) = &*first.ty {
            // Both names lead to the same object: its own is the profile's, as members are kept there.
            let Val::Obj(Obj::Extern(id)) = self.constant_value(&first) else {
                return None;
            };
            let object = self.program.objects.get_mut(id)?;
            if let ObjectKind::ActionProfile { selector: s, .. } = &mut object.kind {
                *s = selector;
            }
            return Some(Obj::Extern(id));
        }
        let size = self.constant_u64(&first, "size")?;
        let kind = ObjectKind::ActionProfile {
            size,
            selector,
            tables: Vec::new(),
            inline: false,
        };
        Some(self.add_object(i, name, kind))
    }

    /// Bits of an extern's first type argument.
    pub(super) fn type_width(&mut self, i: &Instance) -> Option<u32> {
        let Type::Extern(t) = &*i.ty else { return None };
        let width = t.args.first().and_then(scalar_type).map(Scalar::width);
        if width.is_none_or(|w| w > 63) {
            self.unsupported(i.span, &format!("{} of this type", t.name));
            return None;
        }
        width
    }

    /// The number that tells packets for this object from others, if it was made with one.
    fn type_arg(&mut self, i: &Instance) -> Option<BigInt> {
        let e: Expr = i.args.first()?.clone()?;
        self.constant_int(&e, "type")
    }
}
