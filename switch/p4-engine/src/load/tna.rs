// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! The part of the JSON that programs for Tofino have: see `backend/bmv2/tna.rs` of the front end.

use super::{Builder, Result, json};
use crate::budget::FIELD_BITS;
use crate::error::LoadError;
use crate::filter::FilterCell;
use crate::program::{FieldRef, FilterInfo};
use crate::tna::{EgressFields, Field, IngressFields, Tna};

const AT: &str = "`tna`";

impl Builder {
    pub(super) fn tna(&self, root: &json::Root) -> Result<Option<Tna>> {
        let generation = match root.target.as_deref() {
            None => return Ok(None),
            Some("tna") => 1,
            Some("t2na") => 2,
            Some(other) => {
                return Err(LoadError::unsupported(
                    format!("target `{other}`"),
                    "`target`",
                ));
            }
        };
        let Some(t) = &root.tna else {
            return Err(LoadError::invalid("a program for Tofino needs it", AT));
        };
        let must = |name: &str, width: u32| {
            let f = self.field("standard_metadata", name, AT)?;
            match f.width {
                w if w == width => Ok(f),
                _ => Err(LoadError::invalid(
                    format!("field `{name}` has not {width} bits"),
                    AT,
                )),
            }
        };
        let headers = |names: &[String]| -> Result<Vec<u32>> {
            names.iter().map(|n| self.header(n, AT)).collect()
        };
        Ok(Some(Tna {
            generation,
            block: must("instance_type", 32)?,
            mirror: must("mirror", 1)?,
            mirror_session: must("mirror_session", 10)?,
            resubmit: must("resubmit", 1)?,
            mirrors: headers(&t.mirrors)?,
            resubmits: headers(&t.resubmits)?,
            keeps_arrival: t.keeps_arrival,
            keeps_errors: t.keeps_errors,
            ingress: self.ingress_fields(),
            egress: self.egress_fields(),
        }))
    }

    /// A number of the program's intrinsic metadata: of a header, or of a struct, whose fields are variables.
    fn intrinsic(&self, of: &str, name: &str) -> Field {
        let find = |header: &str, field: String| {
            let key = (header.to_owned(), field);
            self.field_by_name.get(&key).copied()
        };
        let found = find(of, name.to_owned()).or_else(|| find("scalars", format!("{of}.{name}")));
        found.filter(|f: &FieldRef| f.width <= 64)
    }

    fn ingress_fields(&self) -> IngressFields {
        let header = "ingress_intrinsic_metadata";
        let of_header = |name: &str| self.intrinsic(header, name);
        let tm = |name: &str| self.intrinsic("ingress_intrinsic_metadata_for_tm", name);
        let parser = |name: &str| self.intrinsic("ingress_intrinsic_metadata_from_parser", name);
        IngressFields {
            header: self.header_by_name.get(header).copied(),
            resubmit_flag: of_header("resubmit_flag"),
            port: of_header("ingress_port"),
            mac_tstamp: of_header("ingress_mac_tstamp"),
            global_tstamp: parser("global_tstamp"),
            parser_err: parser("parser_err"),
            drop_ctl: self.intrinsic("ingress_intrinsic_metadata_for_deparser", "drop_ctl"),
            ucast_egress_port: tm("ucast_egress_port"),
            bypass_egress: tm("bypass_egress"),
            cos: tm("ingress_cos"),
            qid: tm("qid"),
            mcast_groups: [tm("mcast_grp_a"), tm("mcast_grp_b")],
            rid: tm("rid"),
        }
    }

    fn egress_fields(&self) -> EgressFields {
        let header = "egress_intrinsic_metadata";
        let of_header = |name: &str| self.intrinsic(header, name);
        let parser = |name: &str| self.intrinsic("egress_intrinsic_metadata_from_parser", name);
        EgressFields {
            header: self.header_by_name.get(header).copied(),
            port: of_header("egress_port"),
            enq_qdepth: of_header("enq_qdepth"),
            enq_tstamp: of_header("enq_tstamp"),
            deq_qdepth: of_header("deq_qdepth"),
            deq_timedelta: of_header("deq_timedelta"),
            rid: of_header("egress_rid"),
            rid_first: of_header("egress_rid_first"),
            qid: of_header("egress_qid"),
            cos: of_header("egress_cos"),
            pkt_length: of_header("pkt_length"),
            global_tstamp: parser("global_tstamp"),
            parser_err: parser("parser_err"),
            drop_ctl: self.intrinsic("egress_intrinsic_metadata_for_deparser", "drop_ctl"),
        }
    }

    pub(super) fn filters(&mut self, root: &json::Root) -> Result<()> {
        for f in &root.filters {
            let at = format!("filter `{}`", f.name);
            if f.bitwidth == 0 || u64::from(f.bitwidth) > FIELD_BITS.min(63) {
                return Err(LoadError::invalid("the width is out of range", &at));
            }
            self.spend_array(f.size, size_of::<FilterCell>(), &at)?;
            self.filters.push(FilterInfo {
                name: f.name.clone(),
                id: f.id,
                size: f.size,
                width: f.bitwidth,
                verdicts: f.drop.zip(f.no_drop),
            });
        }
        Ok(())
    }

    /// Registers with a cell for each of a table's entries, and the field that takes a packet's.
    pub(super) fn direct_registers(
        &self,
        t: &json::Table,
        at: &str,
    ) -> Result<(Vec<usize>, Field)> {
        let Some(d) = &t.direct_registers else {
            return Ok((Vec::new(), None));
        };
        let index = self.field(&d.index.0, &d.index.1, at)?;
        if index.width != 32 {
            return Err(LoadError::invalid(
                "the index of an entry has not 32 bits",
                at,
            ));
        }
        let found = d
            .registers
            .iter()
            .map(|r| Ok(self.register(r, at)? as usize));
        Ok((found.collect::<Result<_>>()?, Some(index)))
    }

    /// The filter of that name.
    pub(super) fn filter(&self, name: &str, at: &str) -> Result<u32> {
        let found = self.filters.iter().position(|f| f.name == name);
        let found = found.ok_or_else(|| LoadError::unknown("filter", name, at))?;
        Ok(found as u32)
    }
}
