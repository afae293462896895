// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! The packet replication engine: multicast groups and clone sessions.

use std::collections::BTreeMap;

use crate::error::ControlError;

/// One copy that a multicast group or a clone session makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Replica {
    /// The egress port.
    pub port: u16,
    /// The value of `egress_rid` in egress (P4Runtime: `instance`).
    pub rid: u16,
}

/// What `clone` with the id of this session does.
///
/// `simple_switch` has a port or a multicast group or both; P4Runtime has replicas. All of them
/// get a copy.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CloneSession {
    /// A copy goes to this port (`mirroring_add`); its `egress_rid` is 0.
    pub port: Option<u16>,
    /// Copies go to the members of this multicast group (`mirroring_add_mc`).
    pub group: Option<u32>,
    /// Copies go to these.
    pub replicas: Vec<Replica>,
    /// Copies are cut to this many bytes when they leave; `None`: not at all.
    pub truncate: Option<u32>,
}

/// The most replicas of one group or session.
pub(crate) const MAX_REPLICAS: usize = 1 << 12;

/// `simple_switch` keeps the low 15 bits of a session's id.
pub(crate) const SESSION_MASK: u64 = 0x7fff;

#[derive(Clone, Debug, Default)]
pub(crate) struct Replication {
    pub groups: BTreeMap<u32, Vec<Replica>>,
    pub sessions: BTreeMap<u32, CloneSession>,
}

impl Replication {
    pub fn check(replicas: &[Replica]) -> Result<(), ControlError> {
        if replicas.len() > MAX_REPLICAS {
            return Err(ControlError::invalid(format!(
                "{} replicas, above {MAX_REPLICAS}",
                replicas.len()
            )));
        }
        let mut sorted = replicas.to_vec();
        sorted.sort_unstable();
        match sorted.windows(2).find(|w| w[0] == w[1]) {
            Some(w) => Err(ControlError::invalid(format!(
                "port {} with rid {} is named twice",
                w[0].port, w[0].rid
            ))),
            None => Ok(()),
        }
    }
}
