// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Ids and aliases of P4 objects. An id is a prefix for the kind of object and 24 bits of a hash of its name; where two
//! names have one hash, the later in alphabetical order takes the next free one, as in p4c.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use num_bigint::BigInt;
use num_traits::ToPrimitive;

/// Kinds of objects, by their prefix (P4Runtime specification, `P4Ids.Prefix`).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Kind {
    /// Actions.
    Action = 0x01,
    /// Tables.
    Table = 0x02,
    /// Value sets.
    ValueSet = 0x03,
    /// Headers of packets to and from the controller.
    ControllerHeader = 0x04,
    /// Action profiles and selectors.
    ActionProfile = 0x11,
    /// Counters.
    Counter = 0x12,
    /// Direct counters.
    DirectCounter = 0x13,
    /// Meters.
    Meter = 0x14,
    /// Direct meters.
    DirectMeter = 0x15,
    /// Registers.
    Register = 0x16,
    /// Digests.
    Digest = 0x17,
    /// Tofino's action profiles; this and what follows are the prefixes of p4c's `barefoot/p4info.proto`.
    TofinoProfile = 0x81,
    /// Tofino's action selectors.
    TofinoSelector = 0x82,
    /// Tofino's counters.
    TofinoCounter = 0x83,
    /// Tofino's direct counters.
    TofinoDirectCounter = 0x84,
    /// Tofino's meters.
    TofinoMeter = 0x85,
    /// Tofino's direct meters.
    TofinoDirectMeter = 0x86,
    /// Early detection.
    Wred = 0x87,
    /// Early detection of a table's entries.
    DirectWred = 0x88,
    /// Low-pass filters.
    Lpf = 0x89,
    /// Low-pass filters of a table's entries.
    DirectLpf = 0x8a,
    /// Tofino's registers.
    TofinoRegister = 0x8b,
    /// Registers of a table's entries.
    DirectRegister = 0x8c,
    /// Tofino's digests.
    TofinoDigest = 0x8e,
    /// What packets carry from the settings of their port.
    PortMetadata = 0x90,
    /// Tofino's value sets.
    TofinoValueSet = 0xfe,
}

/// The order in which p4c gives ids out; it matters only where hashes are equal.
const ORDER: [Kind; 26] = [
    Kind::Action,
    Kind::Table,
    Kind::ValueSet,
    Kind::ControllerHeader,
    Kind::ActionProfile,
    Kind::Counter,
    Kind::DirectCounter,
    Kind::Meter,
    Kind::DirectMeter,
    Kind::Register,
    Kind::Digest,
    Kind::TofinoProfile,
    Kind::TofinoSelector,
    Kind::TofinoCounter,
    Kind::TofinoDirectCounter,
    Kind::TofinoMeter,
    Kind::TofinoDirectMeter,
    Kind::Wred,
    Kind::DirectWred,
    Kind::Lpf,
    Kind::DirectLpf,
    Kind::TofinoRegister,
    Kind::DirectRegister,
    Kind::TofinoDigest,
    Kind::PortMetadata,
    Kind::TofinoValueSet,
];

/// All objects of a program.
#[derive(Default)]
pub struct Symbols {
    tables: BTreeMap<Kind, BTreeMap<String, Option<u32>>>,
    assigned: BTreeSet<u32>,
    /// How many names end in each sequence of components.
    suffixes: HashMap<String, usize>,
    names: BTreeSet<String>,
}

/// Bob Jenkins' one-at-a-time hash.
pub fn hash(name: &str) -> u32 {
    let mut h: u32 = 0;
    for b in name.bytes() {
        h = h.wrapping_add(u32::from(b));
        h = h.wrapping_add(h << 10);
        h ^= h >> 6;
    }
    h = h.wrapping_add(h << 3);
    h ^= h >> 11;
    h.wrapping_add(h << 15)
}

/// The ends of a dotted name, shortest first.
fn ends(name: &str) -> impl Iterator<Item = &str> {
    name.rmatch_indices('.')
        .map(|(i, _)| &name[i + 1..])
        .chain(std::iter::once(name))
}

impl Symbols {
    /// Adds an object; one that is there already counts once. `id` is what `@id` says.
    pub fn add(&mut self, kind: Kind, name: &str, id: Option<BigInt>) -> Result<(), String> {
        let table = self.tables.entry(kind).or_default();
        if table.contains_key(name) {
            return Ok(());
        }
        let mut result = Ok(());
        let id = match id {
            None => None,
            Some(id) => match id.to_u32() {
                None => {
                    result = Err(format!("{name}: @id should be an unsigned integer"));
                    None
                }
                Some(id) => {
                    let prefix = (kind as u32) << 24;
                    if id & 0xff00_0000 != 0 && id & 0xff00_0000 != prefix {
                        result = Err(format!("{name}: @id has the wrong 8-bit prefix"));
                        None
                    } else if !self.assigned.insert(id | prefix) {
                        result = Err(format!(
                            "@id {} is assigned to multiple declarations",
                            id | prefix
                        ));
                        None
                    } else {
                        Some(id | prefix)
                    }
                }
            },
        };
        table.insert(name.to_string(), id);
        if self.names.insert(name.to_string()) {
            for end in ends(name) {
                *self.suffixes.entry(end.to_string()).or_default() += 1;
            }
        }
        result
    }

    /// Gives ids to all that have none.
    pub fn assign(&mut self) {
        for kind in ORDER {
            let Some(table) = self.tables.get_mut(&kind) else {
                continue;
            };
            for (name, id) in table.iter_mut().filter(|(_, id)| id.is_none()) {
                let mut h = hash(name);
                let candidate = |h: u32| ((kind as u32) << 24) | (h & 0x00ff_ffff);
                while !self.assigned.insert(candidate(h)) {
                    h = h.wrapping_add(1);
                }
                *id = Some(candidate(h));
            }
        }
    }

    /// The id of an object; 0 if there is none.
    pub fn id(&self, kind: Kind, name: &str) -> u32 {
        self.tables
            .get(&kind)
            .and_then(|t| t.get(name))
            .copied()
            .flatten()
            .unwrap_or(0)
    }

    /// The shortest end of a name that no other name has.
    pub fn alias(&self, name: &str) -> String {
        ends(name)
            .find(|e| self.suffixes.get(*e).is_none_or(|n| *n < 2))
            .unwrap_or(name)
            .to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_those_that_p4c_gives() {
        // From P4Info files that p4c made.
        let mut s = Symbols::default();
        s.add(Kind::Action, "NoAction", None).expect("no @id");
        s.add(Kind::Action, "MyIngress.drop", None).expect("no @id");
        s.add(Kind::Action, "MyIngress.ipv4_forward", None)
            .expect("no @id");
        s.add(Kind::Table, "MyIngress.ipv4_lpm", None)
            .expect("no @id");
        s.assign();
        assert_eq!(s.id(Kind::Action, "NoAction"), 21_257_015);
        assert_eq!(s.id(Kind::Action, "MyIngress.drop"), 25_652_968);
        assert_eq!(s.id(Kind::Action, "MyIngress.ipv4_forward"), 28_792_405);
        assert_eq!(s.id(Kind::Table, "MyIngress.ipv4_lpm"), 37_375_156);
    }

    #[test]
    fn aliases_are_the_shortest_unique_ends() {
        let mut s = Symbols::default();
        for n in ["d.a.c", "e.b.c", "x"] {
            s.add(Kind::Table, n, None).expect("no @id");
        }
        assert_eq!(s.alias("d.a.c"), "a.c");
        assert_eq!(s.alias("e.b.c"), "b.c");
        assert_eq!(s.alias("x"), "x");
    }

    #[test]
    fn explicit_ids_get_the_prefix_and_are_checked() {
        let mut s = Symbols::default();
        assert!(s.add(Kind::Table, "t", Some(BigInt::from(7))).is_ok());
        assert!(
            s.add(Kind::Table, "u", Some(BigInt::from(0x0200_0007)))
                .is_err()
        );
        assert!(
            s.add(Kind::Table, "v", Some(BigInt::from(0x0100_0007)))
                .is_err()
        );
        s.assign();
        assert_eq!(s.id(Kind::Table, "t"), 0x0200_0007);
    }
}
