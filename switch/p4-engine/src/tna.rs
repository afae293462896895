// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! What a program for Tofino has beyond a v1model program: the fields by which it and the switch tell each other of a packet.

use crate::program::FieldRef;

/// A field that a program may not have.
pub(crate) type Field = Option<FieldRef>;

/// A program of `tna.p4` (generation 1) or `t2na.p4` (2).
#[derive(Clone, Debug)]
pub(crate) struct Tna {
    pub generation: u32,
    /// 0 in ingress, 1 in egress.
    pub block: FieldRef,
    /// Set by the deparsers.
    pub mirror: FieldRef,
    pub mirror_session: FieldRef,
    pub resubmit: FieldRef,
    /// Headers of mirrored and resubmitted packets.
    pub mirrors: Vec<u32>,
    pub resubmits: Vec<u32>,
    /// The packet is needed as it arrived.
    pub keeps_arrival: bool,
    /// Packets with a parser error go on.
    pub keeps_errors: bool,
    pub ingress: IngressFields,
    pub egress: EgressFields,
}

#[derive(Clone, Debug)]
pub(crate) struct IngressFields {
    /// The header that comes before a packet.
    pub header: Option<u32>,
    pub resubmit_flag: Field,
    pub port: Field,
    pub mac_tstamp: Field,
    pub global_tstamp: Field,
    pub parser_err: Field,
    pub drop_ctl: Field,
    pub ucast_egress_port: Field,
    pub bypass_egress: Field,
    pub cos: Field,
    pub qid: Field,
    pub mcast_groups: [Field; 2],
    pub rid: Field,
}

#[derive(Clone, Debug)]
pub(crate) struct EgressFields {
    pub header: Option<u32>,
    pub port: Field,
    pub enq_qdepth: Field,
    pub enq_tstamp: Field,
    pub deq_qdepth: Field,
    pub deq_timedelta: Field,
    pub rid: Field,
    pub rid_first: Field,
    pub qid: Field,
    pub cos: Field,
    pub pkt_length: Field,
    pub global_tstamp: Field,
    pub parser_err: Field,
    pub drop_ctl: Field,
}

/// The egress port that means that there is none: no pipe has a port 127.
pub(crate) const NO_PORT: u64 = 0x1ff;

/// Octets of the frame check sequence. Packets come without it; where Tofino counts it, so does the switch.
pub(crate) const FCS: u32 = 4;

impl Tna {
    /// Bytes of the traffic manager's cells.
    pub fn cell_bytes(&self) -> u32 {
        if self.generation == 1 { 80 } else { 176 }
    }

    /// Bytes of port metadata, which are also those of a resubmitted packet's header.
    pub fn port_metadata_bytes(&self) -> usize {
        if self.generation == 1 { 8 } else { 24 }
    }

    /// Bytes that the hardware puts before a packet in egress.
    pub fn egress_bytes(&self) -> usize {
        if self.generation == 1 { 27 } else { 28 }
    }

    /// Queues of a port.
    pub fn queues(&self) -> u8 {
        if self.generation == 1 { 32 } else { 128 }
    }

    /// All fields that the switch reads or writes.
    pub fn fields(&self) -> impl Iterator<Item = FieldRef> {
        let (i, e) = (&self.ingress, &self.egress);
        let ingress = [
            i.resubmit_flag,
            i.port,
            i.mac_tstamp,
            i.global_tstamp,
            i.parser_err,
            i.drop_ctl,
            i.ucast_egress_port,
            i.bypass_egress,
            i.cos,
            i.qid,
            i.rid,
        ];
        let egress = [
            e.port,
            e.enq_qdepth,
            e.enq_tstamp,
            e.deq_qdepth,
            e.deq_timedelta,
            e.rid,
            e.rid_first,
            e.qid,
            e.cos,
            e.pkt_length,
            e.global_tstamp,
            e.parser_err,
            e.drop_ctl,
        ];
        let own = [self.block, self.mirror, self.mirror_session, self.resubmit];
        let known = ingress.into_iter().chain(i.mcast_groups).chain(egress);
        known.flatten().chain(own)
    }

    /// Whether what leaves by a port comes back to ingress: port 68 of a pipe, or port 6.
    pub fn recirculates(&self, port: u16) -> bool {
        port & 0x7f == if self.generation == 1 { 68 } else { 6 }
    }
}
