// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! What happens at the end of a pipeline: digests, clones, multicast, resubmission, recirculation.
//!
//! As in `simple_switch`: a clone of ingress is parsed anew from the packet as it arrived; a clone
//! of egress has the headers as egress leaves them. Either has all metadata 0 but for the preserved
//! fields, `instance_type`, and what egress sets. So has a packet that is resubmitted or
//! recirculated, which also has `packet_length`.

use super::{Digest, DropReason, ReceiveOutcome, Switch};
use crate::loaded::Program;
use crate::packet::Packet;
use crate::replicate::{CloneSession, Replica, SESSION_MASK};
use crate::value::{Value, limbs};

/// Values of `instance_type` in `simple_switch`.
pub(super) mod instance {
    pub const NORMAL: u64 = 0;
    pub const INGRESS_CLONE: u64 = 1;
    pub const EGRESS_CLONE: u64 = 2;
    pub const RECIRCULATED: u64 = 4;
    pub const REPLICATED: u64 = 5;
    pub const RESUBMITTED: u64 = 6;
}

/// The present pass of a packet through a pipeline.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pass {
    /// The port that the packet came from.
    pub port: u16,
    pub now_ns: u64,
    /// How often the packet, or what it is a clone of, began ingress or was cloned.
    pub passes: u32,
    /// Bytes of the packet that were parsed into headers.
    pub parsed: usize,
}

/// A clone of egress that waits until the original has been served.
pub(super) struct EgressClone {
    pub words: Vec<u64>,
    pub packet: Packet,
    pub length: i64,
    pub session: u64,
    pub list: u32,
}

impl Switch {
    /// The words of the packet at hand, to be put back by [`Switch::restore`].
    pub(super) fn save(&mut self, p: &Program) -> Vec<u64> {
        let mut words = self.spare.pop().map(|s| s.words).unwrap_or_default();
        words.clear();
        words.extend_from_slice(&self.state.machine.w[..p.state_words]);
        words
    }

    pub(super) fn restore(&mut self, p: &Program, words: &[u64]) {
        self.put_down(p);
        self.state.machine.w[..p.state_words].copy_from_slice(words);
    }

    /// A copy of a packet, in a used buffer if there is one.
    pub(super) fn copy_of(&mut self, packet: &Packet) -> Packet {
        let mut bytes = self.take_buffer();
        bytes.extend_from_slice(&packet.bytes);
        Packet { bytes, ..*packet }
    }

    /// Sets all metadata to 0 but for the fields of a list, which come from `old`.
    pub(super) fn reset_metadata(&mut self, p: &Program, list: u32, old: &[u64], kind: u64) {
        for h in p.headers.iter().filter(|h| h.metadata) {
            let words = h.first as usize..(h.first + h.words) as usize;
            self.state.machine.w[words].fill(0);
        }
        for f in p.field_lists.get(&list.into()).into_iter().flatten() {
            let words = f.word as usize..(f.word + limbs(f.width)) as usize;
            self.state.machine.w[words.clone()].copy_from_slice(&old[words]);
        }
        self.set(p.meta.instance_type, kind);
    }

    /// Makes the state that of a packet at the beginning of ingress, with preserved fields.
    pub(super) fn reenter(&mut self, p: &Program, list: u32, kind: u64, length: u32) {
        let old = self.save(p);
        self.restore(p, &p.template[..p.state_words]);
        self.reset_metadata(p, list, &old, kind);
        self.set(p.meta.packet_length, length.into());
        self.state.machine.ingress_length = length;
        self.state.machine.length = length.into();
        self.state.machine.truncate = None;
        self.keep_words(old);
    }

    pub(super) fn keep_words(&mut self, words: Vec<u64>) {
        if self.spare.len() < super::MAX_SPARE {
            let state = super::InFlight {
                words,
                ..super::InFlight::default()
            };
            self.spare.push(Box::new(state));
        }
    }

    pub(super) fn send_digest(&mut self, p: &Program, digest: u32) {
        if self.digests.len() >= self.config.digest_capacity {
            self.lost_digests += 1;
            return;
        }
        let w = &self.state.machine.w;
        let sources = &p.digests[digest as usize].sources;
        let value = |f: &crate::program::FieldRef| {
            Value::from_limbs(&w[f.word as usize..(f.word + limbs(f.width)) as usize])
        };
        self.digests.push_back(Digest {
            digest: digest as usize,
            values: sources.iter().map(value).collect(),
        });
    }

    pub(super) fn clone_ingress(
        &mut self,
        p: &Program,
        packet: &Packet,
        (session, list): (u64, u32),
        pass: Pass,
    ) {
        let Some(session) = self.take_session(session) else {
            return;
        };
        let saved = self.save(p);
        let (length, truncate) = (self.state.machine.length, self.state.machine.truncate);
        self.restore(p, &p.template[..p.state_words]);
        self.set(p.meta.ingress_port, pass.port.into());
        self.state.machine.length = packet.len().into();
        let mut copy = self.copy_of(packet);
        let parsed = self.parse(p, &mut copy);
        self.reset_metadata(p, list, &saved, instance::INGRESS_CLONE);
        self.replicate_session(p, session, copy, Pass { parsed, ..pass });
        self.restore(p, &saved);
        (self.state.machine.length, self.state.machine.truncate) = (length, truncate);
        self.keep_words(saved);
    }

    pub(super) fn clone_egress(&mut self, p: &Program, clone: EgressClone, pass: Pass) {
        let Some(session) = self.take_session(clone.session) else {
            self.recycle(clone.packet);
            return;
        };
        self.restore(p, &clone.words);
        self.state.machine.length = clone.length;
        self.reset_metadata(p, clone.list, &clone.words, instance::EGRESS_CLONE);
        self.replicate_session(p, session, clone.packet, pass);
        self.keep_words(clone.words);
    }

    /// Takes a session out of its place, so that it can be used beside the rest.
    fn take_session(&mut self, id: u64) -> Option<(u32, CloneSession)> {
        let id = (id & SESSION_MASK) as u32;
        let session = self.replication.sessions.get_mut(&id)?;
        Some((id, std::mem::take(session)))
    }

    fn replicate_session(
        &mut self,
        p: &Program,
        (id, session): (u32, CloneSession),
        packet: Packet,
        pass: Pass,
    ) {
        let pass = Pass {
            passes: pass.passes + 1,
            ..pass
        };
        self.state.machine.truncate = session.truncate.map(u64::from);
        if pass.passes > self.config.max_passes {
            self.drop_packet(packet, DropReason::PassLimit);
        } else {
            self.replicate(p, &session.replicas, &packet, pass);
            if let Some(group) = session.group {
                self.replicate_group(p, group, &packet, pass);
            }
            match session.port {
                Some(port) => {
                    if let Some(f) = p.meta.egress_rid {
                        self.set(f, 0);
                    }
                    self.enqueue(p, port, packet, pass);
                }
                None => self.recycle(packet),
            }
        }
        if let Some(place) = self.replication.sessions.get_mut(&id) {
            *place = session;
        }
    }

    /// Sends copies to the members of a group; how many were queued, and how many not.
    fn replicate_group(
        &mut self,
        p: &Program,
        group: u32,
        packet: &Packet,
        pass: Pass,
    ) -> (u32, u32) {
        let Some(list) = self.replication.groups.get_mut(&group) else {
            return (0, 0);
        };
        let list = std::mem::take(list);
        let counts = self.replicate(p, &list, packet, pass);
        if let Some(place) = self.replication.groups.get_mut(&group) {
            *place = list;
        }
        counts
    }

    fn replicate(
        &mut self,
        p: &Program,
        list: &[Replica],
        packet: &Packet,
        pass: Pass,
    ) -> (u32, u32) {
        let (mut queued, mut lost) = (0, 0);
        for r in list {
            if let Some(f) = p.meta.egress_rid {
                self.set(f, r.rid.into());
            }
            let copy = self.copy_of(packet);
            match self.enqueue(p, r.port, copy, pass) {
                ReceiveOutcome::Enqueued(_) => queued += 1,
                _ => lost += 1,
            }
        }
        (queued, lost)
    }

    pub(super) fn multicast(
        &mut self,
        p: &Program,
        group: u64,
        packet: Packet,
        pass: Pass,
    ) -> ReceiveOutcome {
        self.set(p.meta.instance_type, instance::REPLICATED);
        let (queued, lost) = match u32::try_from(group) {
            Ok(group) => self.replicate_group(p, group, &packet, pass),
            Err(_) => (0, 0),
        };
        if (queued, lost) == (0, 0) {
            return self.drop_packet(packet, DropReason::EmptyMulticastGroup);
        }
        self.recycle(packet);
        ReceiveOutcome::Multicast { queued, lost }
    }
}
