// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! The match key of an entry, checked and laid out as words.

use super::{MatchField, TableEntry};
use crate::error::ControlError;
use crate::program::{KeyInfo, MatchKind, TableInfo};
use crate::value::{Value, limb_mask, limbs};

/// A checked match key. Word `i` of a packet's key matches if, for a range field,
/// `a[i] <= k && k <= b[i]`, and for any other field `k & b[i] == a[i]`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct StoredKey {
    pub a: Box<[u64]>,
    pub b: Box<[u64]>,
    pub priority: i32,
    /// The prefix length of the table's LPM field, if its kind is LPM.
    pub prefix_len: u32,
}

impl StoredKey {
    pub fn new(info: &TableInfo, entry: &TableEntry) -> Result<Self, ControlError> {
        Self::from_fields(info, &entry.key, entry.priority)
    }

    pub fn from_fields(
        info: &TableInfo,
        key: &[MatchField],
        priority: i32,
    ) -> Result<Self, ControlError> {
        if key.len() != info.keys.len() {
            return Err(ControlError::invalid(format!(
                "table `{}` has {} key fields, not {}",
                info.name,
                info.keys.len(),
                key.len()
            )));
        }
        if info.keys.is_empty() {
            return Err(ControlError::invalid(format!(
                "table `{}` has no key, so it cannot have entries",
                info.name
            )));
        }
        match (info.has_priority(), priority) {
            (true, ..=0) => {
                return Err(ControlError::invalid(format!(
                    "entries of table `{}` need a positive priority",
                    info.name
                )));
            }
            (false, p) if p != 0 => {
                return Err(ControlError::invalid(format!(
                    "entries of table `{}` have no priority",
                    info.name
                )));
            }
            _ => {}
        }
        let mut out = Self {
            a: vec![0; info.key_words as usize].into(),
            b: vec![0; info.key_words as usize].into(),
            priority,
            prefix_len: 0,
        };
        for (k, m) in info.keys.iter().zip(key) {
            out.set(info, k, m)?;
        }
        Ok(out)
    }

    fn set(&mut self, info: &TableInfo, k: &KeyInfo, m: &MatchField) -> Result<(), ControlError> {
        let fail = |reason: String| {
            Err(ControlError::invalid(format!(
                "key field `{}` of table `{}`: {reason}",
                k.name, info.name
            )))
        };
        let n = limbs(k.width);
        let all_ones =
            || Value::from_limbs(&(0..n).map(|i| limb_mask(k.width, i)).collect::<Vec<_>>());
        let zero = Value::default;
        let (a, b) = match (k.kind, m) {
            (MatchKind::Exact, MatchField::Exact(v))
            | (MatchKind::Optional, MatchField::Optional(v)) => (v.clone(), all_ones()),
            (MatchKind::Lpm, MatchField::Lpm { value, prefix_len }) => {
                if *prefix_len > k.width {
                    return fail(format!(
                        "prefix length {prefix_len} exceeds {} bits",
                        k.width
                    ));
                }
                if (0..k.width - prefix_len).any(|i| value.bit(i)) {
                    return fail(format!(
                        "{value} has bits beyond its prefix of {prefix_len}"
                    ));
                }
                self.prefix_len = *prefix_len;
                (value.clone(), prefix_mask(k.width, *prefix_len))
            }
            (MatchKind::Ternary, MatchField::Ternary { value, mask }) => {
                if (0..n as usize).any(|i| value.limb(i) & !mask.limb(i) != 0) {
                    return fail(format!("{value} has bits outside of its mask {mask}"));
                }
                (value.clone(), mask.clone())
            }
            (MatchKind::Range, MatchField::Range { low, high }) => {
                // Range fields have at most 64 bits; wider values fail below.
                if (low.bit_len(), low.as_u64()) > (high.bit_len(), high.as_u64()) {
                    return fail(format!("{low} .. {high} is empty"));
                }
                (low.clone(), high.clone())
            }
            (MatchKind::Range, MatchField::Any) => (zero(), all_ones()),
            (MatchKind::Lpm | MatchKind::Ternary | MatchKind::Optional, MatchField::Any) => {
                (zero(), zero())
            }
            (kind, _) => return fail(format!("needs a match of kind {kind:?}")),
        };
        for v in [&a, &b] {
            if !v.fits(k.width) {
                return fail(format!("{v} does not fit into {} bits", k.width));
            }
        }
        for i in 0..n as usize {
            // A static mask hides the same bits of entries as of packets.
            let hidden = k.static_mask.as_ref().map_or(u64::MAX, |m| m[i]);
            self.a[k.first as usize + i] = a.limb(i) & hidden;
            self.b[k.first as usize + i] = b.limb(i);
        }
        Ok(())
    }
}

/// A mask of the first `prefix_len` of `width` bits.
fn prefix_mask(width: u32, prefix_len: u32) -> Value {
    let words: Vec<u64> = (0..limbs(width))
        .map(|i| prefix_limb(width, prefix_len, i))
        .collect();
    Value::from_limbs(&words)
}

/// Limb `i` of a mask of the first `prefix_len` of `width` bits.
fn prefix_limb(width: u32, prefix_len: u32, i: u32) -> u64 {
    limb_mask(width, i) & !limb_mask(width - prefix_len, i)
}
