// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Fields of keys and data, and the numbers of those that are no program's own.

use crate::backend::bmv2::{Json, object};
use crate::backend::p4info::annotations::field_ids;
use crate::backend::p4info::blocks::{external_name, join};
use crate::backend::p4info::types::{bitwidth, flat_fields};
use crate::diag::Diagnostics;
use crate::sema::types::{StructKind, Ty, Type};
use crate::source::Span;

/// Numbers of fields that are not the program's begin here.
const FIXED: u32 = 1 << 16;
/// Those that only Tofino has.
const TOFINO: u32 = FIXED + 23;

pub const MATCH_PRIORITY: Fixed = Fixed(FIXED + 1, "$MATCH_PRIORITY", "uint32");
pub const ACTION_MEMBER_ID: Fixed = Fixed(FIXED + 3, "$ACTION_MEMBER_ID", "uint32");
pub const SELECTOR_GROUP_ID: Fixed = Fixed(FIXED + 4, "$SELECTOR_GROUP_ID", "uint32");
pub const ENTRY_TTL: Fixed = Fixed(FIXED + 7, "$ENTRY_TTL", "uint32");
pub const ENTRY_HIT_STATE: Fixed = Fixed(FIXED + 8, "$ENTRY_HIT_STATE", "string");
/// Rates and sizes of a meter that counts bytes.
pub const METER_BYTES: [Fixed; 4] = [
    Fixed(FIXED + 9, "$METER_SPEC_CIR_KBPS", "uint64"),
    Fixed(FIXED + 10, "$METER_SPEC_PIR_KBPS", "uint64"),
    Fixed(FIXED + 11, "$METER_SPEC_CBS_KBITS", "uint64"),
    Fixed(FIXED + 12, "$METER_SPEC_PBS_KBITS", "uint64"),
];
/// The same of a meter that counts packets.
pub const METER_PACKETS: [Fixed; 4] = [
    Fixed(FIXED + 13, "$METER_SPEC_CIR_PPS", "uint64"),
    Fixed(FIXED + 14, "$METER_SPEC_PIR_PPS", "uint64"),
    Fixed(FIXED + 15, "$METER_SPEC_CBS_PKTS", "uint64"),
    Fixed(FIXED + 16, "$METER_SPEC_PBS_PKTS", "uint64"),
];
pub const COUNTER_BYTES: Fixed = Fixed(FIXED + 17, "$COUNTER_SPEC_BYTES", "uint64");
pub const COUNTER_PACKETS: Fixed = Fixed(FIXED + 18, "$COUNTER_SPEC_PKTS", "uint64");
pub const METER_INDEX: Fixed = Fixed(FIXED + 19, "$METER_INDEX", "uint32");
pub const COUNTER_INDEX: Fixed = Fixed(FIXED + 20, "$COUNTER_INDEX", "uint32");
pub const REGISTER_INDEX: Fixed = Fixed(FIXED + 21, "$REGISTER_INDEX", "uint32");
pub const LPF_INDEX: Fixed = Fixed(TOFINO + 1, "$LPF_INDEX", "uint32");
pub const WRED_INDEX: Fixed = Fixed(TOFINO + 2, "$WRED_INDEX", "uint32");
pub const GET_MEMBER: Fixed = Fixed(TOFINO + 3, "$ACTION_MEMBER_ID", "uint64");
pub const GET_GROUP: Fixed = Fixed(TOFINO + 4, "$SELECTOR_GROUP_ID", "uint64");
pub const MEMBER_STATUS: Fixed = Fixed(TOFINO + 5, "$ACTION_MEMBER_STATUS", "bool");
pub const MAX_GROUP_SIZE: Fixed = Fixed(TOFINO + 6, "$MAX_GROUP_SIZE", "uint32");
pub const ADT_OFFSET: Fixed = Fixed(TOFINO + 7, "$ADT_OFFSET", "uint32");
pub const LPF: [Fixed; 4] = [
    Fixed(TOFINO + 8, "$LPF_SPEC_TYPE", "string"),
    Fixed(TOFINO + 9, "$LPF_SPEC_GAIN_TIME_CONSTANT_NS", "float"),
    Fixed(TOFINO + 10, "$LPF_SPEC_DECAY_TIME_CONSTANT_NS", "float"),
    Fixed(TOFINO + 11, "$LPF_SPEC_OUT_SCALE_DOWN_FACTOR", "uint32"),
];
pub const WRED: [Fixed; 4] = [
    Fixed(TOFINO + 12, "$WRED_SPEC_TIME_CONSTANT_NS", "float"),
    Fixed(TOFINO + 13, "$WRED_SPEC_MIN_THRESH_CELLS", "uint32"),
    Fixed(TOFINO + 14, "$WRED_SPEC_MAX_THRESH_CELLS", "uint32"),
    Fixed(TOFINO + 15, "$WRED_SPEC_MAX_PROBABILITY", "float"),
];
pub const PORT: u32 = TOFINO + 16;
pub const PORT_DEFAULT_FIELD: u32 = TOFINO + 17;
pub const HASH_VALUE: Fixed = Fixed(TOFINO + 24, "hash_value", "uint64");

/// A field that is not the program's: number, name, type.
pub struct Fixed(u32, &'static str, &'static str);

impl Fixed {
    /// As a field of the key.
    pub fn key(&self, mandatory: bool) -> Json {
        key(self.0, self.1, mandatory, "Exact", self.ty(), &[])
    }

    /// As a field of the data; `default` is what an entry has that does not say.
    pub fn data(&self, default: Option<Json>) -> Json {
        let mut ty = self.ty();
        if let Some(value) = default {
            ty.push("default_value", value);
        }
        data(self.0, self.1, false, ty)
    }

    /// As a field of the data with one of these words.
    pub fn choice(&self, words: &[&str]) -> Json {
        let mut ty = self.ty();
        ty.push(
            "choices",
            words.iter().map(|w| Json::from(*w)).collect::<Vec<_>>(),
        );
        data(self.0, self.1, false, ty)
    }

    /// As a list in the data.
    pub fn list(&self) -> Json {
        data(self.0, self.1, true, self.ty())
    }

    fn ty(&self) -> Json {
        object([("type", self.2.into())])
    }
}

/// A field of a key.
pub fn key(
    id: u32,
    name: &str,
    mandatory: bool,
    kind: &str,
    ty: Json,
    annotations: &[String],
) -> Json {
    object([
        ("id", id.into()),
        ("name", name.into()),
        ("repeated", false.into()),
        ("annotations", named(annotations)),
        ("mandatory", mandatory.into()),
        ("match_type", kind.into()),
        ("type", ty),
    ])
}

/// A field of data.
pub fn data(id: u32, name: &str, repeated: bool, ty: Json) -> Json {
    object([
        ("id", id.into()),
        ("name", name.into()),
        ("repeated", repeated.into()),
        ("annotations", named(&[])),
        ("type", ty),
    ])
}

/// A field of data, in the place of one.
pub fn singleton(mandatory: bool, field: Json) -> Json {
    object([
        ("mandatory", mandatory.into()),
        ("read_only", false.into()),
        ("singleton", field),
    ])
}

/// Annotations.
pub fn named(texts: &[String]) -> Json {
    texts
        .iter()
        .map(|t| object([("name", t.as_str().into())]))
        .collect::<Vec<_>>()
        .into()
}

/// A number of so many bits.
pub fn bytes(width: u32) -> Json {
    object([("type", "bytes".into()), ("width", width.into())])
}

/// A part of a value of the program's.
pub struct Part {
    /// Name.
    pub name: String,
    /// Number.
    pub id: u32,
    /// Type.
    pub ty: Json,
}

/// The numbers that a value consists of, the first of which has number `first` (`TypeSpecParser` of p4c).
pub fn parts(ty: &Ty, first: u32, span: Span, diags: &mut Diagnostics) -> Vec<Part> {
    let one = |name: String, id: u32, ty: &Ty| Part {
        name,
        id,
        ty: match **ty {
            Type::Bool => object([("type", "bool".into())]),
            _ => bytes(bitwidth(ty)),
        },
    };
    match &**ty {
        Type::Struct(s) if s.kind != StructKind::Union => (first..)
            .zip(flat_fields(s))
            .map(|(id, f)| one(f.name, id, &f.ty))
            .collect(),
        Type::Tuple(members) => (first..)
            .zip(members)
            .map(|(id, t)| one(format!("f{id}"), id, t))
            .collect(),
        Type::Bits { .. } | Type::Bool | Type::New(_) | Type::Enum(_) => {
            vec![one("f1".to_string(), first, ty)]
        }
        other => {
            diags.error(
                span,
                format!("the control plane has no fields for values of type '{other}'"),
            );
            Vec::new()
        }
    }
}

/// The parameters of an action that the control plane sets.
pub fn parameters(
    params: &[crate::sema::hir::Param],
    span: Span,
    diags: &mut Diagnostics,
) -> Vec<(u32, Json)> {
    let set: Vec<_> = params
        .iter()
        .filter(|p| p.direction == crate::ast::Direction::None)
        .collect();
    let annotations: Vec<_> = set.iter().map(|p| p.var.annotations.as_slice()).collect();
    let ids = field_ids(&annotations, span, diags);
    set.iter()
        .zip(ids)
        .map(|(p, id)| {
            let id = u32::try_from(id).unwrap_or(0);
            let name = join("", &external_name(&p.var.name, &p.var.annotations));
            let field = object([
                ("id", id.into()),
                ("name", name.into()),
                ("repeated", false.into()),
                ("mandatory", true.into()),
                ("read_only", false.into()),
                ("annotations", named(&[])),
                ("type", bytes(bitwidth(&p.var.ty))),
            ]);
            (id, field)
        })
        .collect()
}
