// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! The way of a packet through a program for Tofino.
//!
//! ```text
//! intrinsic and port metadata, packet -> ingress parser, control, deparser -> packet -> queue
//!     -> intrinsic metadata, packet -> egress parser, control, deparser -> packet
//! ```
//!
//! Only bytes go from ingress to egress. What leaves ingress, in this order: digest, mirrored copy of the packet as it
//! arrived, resubmitted packet, copies for both multicast groups, the packet itself; `drop_ctl` bit 0 takes all but the first
//! two away, bit 2 the second. Egress mirrors the packet as its deparser leaves it.
//!
//! Lengths that a program sees count the frame check sequence of 4 bytes, those of the queues do not. A queue's depth is in
//! cells, each packet in cells of its own; times are in nanoseconds, cut to the width of their fields.

use super::replica::Pass;
use super::{Departure, DropReason, EnqueueRecord, InFlight, ReceiveOutcome, Switch};
use crate::jit::Pipeline;
use crate::loaded::Program;
use crate::packet::Packet;
use crate::replicate::Replica;
use crate::tm::{Popped, Served};
use crate::tna::{FCS, Field, NO_PORT, Tna};

/// How a packet goes to a queue.
#[derive(Clone, Copy, Debug, Default)]
struct Route {
    port: u16,
    qid: u8,
    cos: u8,
    rid: u16,
    /// It is the first of its copies.
    first: bool,
    bypass: bool,
}

impl Switch {
    /// A packet comes from a port.
    pub(super) fn arrive(
        &mut self,
        p: &Program,
        t: &Tna,
        port: u16,
        packet: Packet,
        now_ns: u64,
    ) -> ReceiveOutcome {
        let pass = Pass {
            port,
            now_ns,
            passes: 0,
            parsed: 0,
        };
        self.enter(p, t, packet, pass)
    }

    fn put(&mut self, f: Field, v: u64) {
        if let Some(f) = f {
            self.set(f, v);
        }
    }

    fn value(&self, f: Field) -> u64 {
        f.map_or(0, |f| self.get(f))
    }

    /// The state of a packet before one of the parsers.
    fn begin(&mut self, p: &Program, t: &Tna, block: u64, now_ns: u64, length: u32) {
        self.state.machine.w[..p.state_words].copy_from_slice(&p.template[..p.state_words]);
        self.state.machine.now_ns = now_ns;
        self.state.machine.ingress_length = length.saturating_add(FCS);
        self.state.machine.length = length.into();
        self.state.machine.truncate = None;
        self.set(t.block, block);
    }

    /// Puts a header's words before a packet, or zeros if the program does not have the header.
    fn put_before(&mut self, p: &Program, header: Option<u32>, bytes: usize, packet: &mut Packet) {
        match header {
            Some(h) => {
                let bytes = self.state.machine.header_as_bytes(p, h);
                packet.bytes.splice(..0, bytes.iter().copied());
            }
            None => drop(packet.bytes.splice(..0, std::iter::repeat_n(0, bytes))),
        }
    }

    /// The parser's error as the hardware reports it (`PARSER_ERROR_...` in TNA's documentation).
    fn parser_error(&self, p: &Program) -> u64 {
        let code = p.meta.parser_error.map_or(0, |f| self.get(f));
        let e = &p.errors;
        match code {
            c if c == e.no_error => 0,
            c if c == e.no_match => 0x1,
            c if c == e.packet_too_short => 0x2,
            c if c == e.parser_timeout => 0x10,
            _ => 0x4,
        }
    }

    fn enter(
        &mut self,
        p: &Program,
        t: &Tna,
        mut packet: Packet,
        mut pass: Pass,
    ) -> ReceiveOutcome {
        let mut data: Option<Vec<u8>> = None;
        loop {
            let arrival = t.keeps_arrival.then(|| self.copy_of(&packet));
            let ran = self.ingress_pass(p, t, &mut packet, pass, data.as_deref());
            if self.state.machine.requested
                && let Some(digest) = self.state.machine.requests.digest
                && ran.is_ok()
            {
                self.send_digest(p, digest);
            }
            let drops = self.value(t.ingress.drop_ctl);
            if ran.is_ok() && self.get(t.mirror) == 1 && drops & 4 == 0 {
                let copy = self.mirrored(p, t, arrival.as_ref().unwrap_or(&packet));
                self.send_mirrored(t, copy, pass);
            }
            let again = ran.is_ok() && self.get(t.resubmit) == 1 && drops & 1 == 0;
            match (ran, arrival) {
                (Err(reason), arrival) => {
                    arrival.into_iter().for_each(|a| self.recycle(a));
                    return self.drop_packet(packet, reason);
                }
                (Ok(()), Some(arrival)) if again => {
                    pass.passes += 1;
                    self.recycle(std::mem::replace(&mut packet, arrival));
                    if pass.passes > self.config.max_passes {
                        return self.drop_packet(packet, DropReason::PassLimit);
                    }
                    data = Some(self.headers_as_bytes(p, &t.resubmits));
                }
                (Ok(()), arrival) => {
                    arrival.into_iter().for_each(|a| self.recycle(a));
                    return self.enqueue_for_egress(t, packet, pass, drops);
                }
            }
        }
    }

    /// Ingress parser, control and deparser.
    fn ingress_pass(
        &mut self,
        p: &Program,
        t: &Tna,
        packet: &mut Packet,
        pass: Pass,
        resubmitted: Option<&[u8]>,
    ) -> Result<(), DropReason> {
        let f = &t.ingress;
        self.begin(p, t, 0, pass.now_ns, packet.len());
        self.put(f.port, pass.port.into());
        self.put(f.resubmit_flag, resubmitted.is_some().into());
        self.put(f.mac_tstamp, pass.now_ns);
        self.put(f.global_tstamp, pass.now_ns);
        self.put(f.ucast_egress_port, NO_PORT);
        let mut metadata = [0; 24];
        let known = self.port_metadata.get(&pass.port).map(Vec::as_slice);
        let given = resubmitted.or(known).unwrap_or_default();
        metadata.iter_mut().zip(given).for_each(|(m, g)| *m = *g);
        let metadata = &metadata[..t.port_metadata_bytes()];
        packet.bytes.splice(..0, metadata.iter().copied());
        self.put_before(p, f.header, 8, packet);
        let parsed = self.parse(p, packet);
        let error = self.parser_error(p);
        self.put(f.parser_err, error);
        if error != 0 && !t.keeps_errors {
            return Err(DropReason::Ingress);
        }
        if !self.pipeline(p, Pipeline::Ingress) {
            return Err(DropReason::AssertFailed);
        }
        self.deparse(p, packet, parsed);
        Ok(())
    }

    /// Headers as bytes, those that are valid.
    fn headers_as_bytes(&mut self, p: &Program, headers: &[u32]) -> Vec<u8> {
        let mut out = Vec::new();
        for &h in headers {
            if self.state.machine.w[p.headers[h as usize].valid as usize] == 1 {
                out.extend_from_slice(self.state.machine.header_as_bytes(p, h));
            }
        }
        out
    }

    /// A copy of a packet with the header that the program gave it.
    fn mirrored(&mut self, p: &Program, t: &Tna, packet: &Packet) -> (u32, Packet) {
        let mut copy = self.copy_of(packet);
        let header = self.headers_as_bytes(p, &t.mirrors);
        copy.bytes.splice(..0, header);
        (self.get(t.mirror_session) as u32, copy)
    }

    fn send_mirrored(&mut self, t: &Tna, (session, mut packet): (u32, Packet), mut pass: Pass) {
        pass.passes += 1;
        let known = self.replication.sessions.get(&session).cloned();
        let (Some(session), true) = (known, pass.passes <= self.config.max_passes) else {
            return self.recycle(packet);
        };
        if let Some(length) = session.truncate {
            packet.truncate(length.into());
        }
        let route = Route::default();
        self.copies(t, &session.replicas, &packet, pass, route);
        if let Some(group) = session.group {
            self.group_copies(t, group.into(), &packet, pass, route);
        }
        match session.port {
            Some(port) => {
                self.queue(t, Route { port, ..route }, packet, pass);
            }
            None => self.recycle(packet),
        }
    }

    fn copies(
        &mut self,
        t: &Tna,
        list: &[Replica],
        packet: &Packet,
        pass: Pass,
        route: Route,
    ) -> (u32, u32) {
        let (mut queued, mut lost) = (0, 0);
        for (i, r) in list.iter().enumerate() {
            let route = Route {
                port: r.port,
                rid: r.rid,
                first: i == 0,
                ..route
            };
            let copy = self.copy_of(packet);
            match self.queue(t, route, copy, pass) {
                ReceiveOutcome::Enqueued(_) => queued += 1,
                _ => lost += 1,
            }
        }
        (queued, lost)
    }

    fn group_copies(
        &mut self,
        t: &Tna,
        group: u64,
        packet: &Packet,
        pass: Pass,
        route: Route,
    ) -> (u32, u32) {
        let id = u32::try_from(group).ok();
        let Some(list) = id.and_then(|id| self.replication.groups.get(&id)).cloned() else {
            return (0, 0);
        };
        self.copies(t, &list, packet, pass, route)
    }

    /// The end of ingress: multicast and unicast, which do not exclude each other.
    fn enqueue_for_egress(
        &mut self,
        t: &Tna,
        packet: Packet,
        pass: Pass,
        drops: u64,
    ) -> ReceiveOutcome {
        let f = &t.ingress;
        if drops & 1 == 1 {
            return self.drop_packet(packet, DropReason::Ingress);
        }
        let port = f.ucast_egress_port.map_or(NO_PORT, |f| self.get(f));
        let route = Route {
            port: port as u16,
            qid: self.value(f.qid) as u8,
            cos: self.value(f.cos) as u8,
            rid: self.value(f.rid) as u16,
            first: true,
            bypass: self.value(f.bypass_egress) == 1,
        };
        let (mut queued, mut lost, mut wanted) = (0, 0, false);
        for group in f.mcast_groups {
            let group = self.value(group);
            if group != 0 {
                let (q, l) = self.group_copies(t, group, &packet, pass, route);
                (queued, lost, wanted) = (queued + q, lost + l, true);
            }
        }
        if port != NO_PORT {
            let outcome = self.queue(t, route, packet, pass);
            if !wanted {
                return outcome;
            }
            match outcome {
                ReceiveOutcome::Enqueued(_) => queued += 1,
                _ => lost += 1,
            }
        } else if (queued, lost) == (0, 0) {
            let reason = match wanted {
                true => DropReason::EmptyMulticastGroup,
                false => DropReason::Ingress,
            };
            return self.drop_packet(packet, reason);
        } else {
            self.recycle(packet);
        }
        ReceiveOutcome::Multicast { queued, lost }
    }

    /// A depth in cells. The queue counts bytes of whole cells, with the port's overhead for each packet.
    fn cells(&self, t: &Tna, port: u16, packets: u32, bytes: u64) -> u64 {
        let overhead = i64::from(self.tm.config(port).overhead_bytes) * i64::from(packets);
        let bytes = i64::try_from(bytes)
            .unwrap_or(i64::MAX)
            .saturating_sub(overhead);
        bytes.max(0) as u64 / u64::from(t.cell_bytes())
    }

    fn queue(&mut self, t: &Tna, route: Route, packet: Packet, pass: Pass) -> ReceiveOutcome {
        let length = packet.len();
        let counted = length
            .div_ceil(t.cell_bytes())
            .saturating_mul(t.cell_bytes());
        let qid = route.qid.min(t.queues() - 1);
        let push = self.tm.admit(route.port, qid, counted);
        let record = EnqueueRecord {
            port: route.port,
            depth_packets: push.depth_packets,
            depth_bytes: push.depth_bytes,
            length,
        };
        if !push.accepted {
            self.recycle(packet);
            return ReceiveOutcome::TailDropped(record);
        }
        let cells = self.cells(t, route.port, push.depth_packets, push.depth_bytes);
        let mut state = self.spare.pop().unwrap_or_default();
        state.packet = packet;
        state.enq_qdepth = push.depth_packets;
        state.port = pass.port;
        state.passes = pass.passes;
        state.tna = OnTheWay {
            cells,
            cos: route.cos,
            rid: route.rid,
            first: route.first,
            bypass: route.bypass,
        };
        self.tm.push(route.port, qid, state, counted, pass.now_ns);
        ReceiveOutcome::Enqueued(record)
    }

    /// A packet leaves its queue.
    pub(super) fn leave(
        &mut self,
        p: &Program,
        t: &Tna,
        (port, start_ns): (u16, u64),
        popped: Popped<Box<InFlight>>,
    ) -> Departure {
        let (depth_packets, depth_bytes) = (popped.depth_packets, popped.depth_bytes);
        let (enq_ns, qid) = (popped.queued.enq_ns, popped.priority);
        let mut state = popped.queued.item;
        let mut packet = std::mem::take(&mut state.packet);
        let mut kept = true;
        let mut mirrored = None;
        if !state.tna.bypass {
            let waited = Waited {
                port,
                qid,
                enq_ns,
                start_ns,
                cells: self.cells(t, port, depth_packets, depth_bytes),
            };
            kept = self.egress_pass(p, t, &mut packet, state.tna, waited);
            let drops = self.value(t.egress.drop_ctl);
            kept &= drops & 1 == 0;
            if self.get(t.mirror) == 1 && drops & 4 == 0 {
                mirrored = Some(self.mirrored(p, t, &packet));
            }
        }
        let recirculated = kept && t.recirculates(port);
        let served = match (kept, recirculated) {
            (_, true) => Served::Recirculated,
            (true, false) => Served::Sent,
            (false, _) => Served::Dropped,
        };
        let end_ns = self.tm.serve(port, start_ns, packet.len(), served);
        let pass = Pass {
            port: state.port,
            now_ns: start_ns,
            passes: state.passes,
            parsed: 0,
        };
        let departure = Departure {
            port,
            packet: None,
            recirculated,
            enq_ns,
            start_ns,
            end_ns,
            enq_qdepth: state.enq_qdepth,
            deq_qdepth: depth_packets,
            deq_bytes: depth_bytes,
        };
        if self.spare.len() < super::MAX_SPARE {
            self.spare.push(state);
        }
        if let Some(copy) = mirrored {
            self.send_mirrored(t, copy, pass);
        }
        self.after_service(p, t, (served, packet), pass, departure)
    }

    /// A packet has been sent, dropped, or goes back to ingress.
    fn after_service(
        &mut self,
        p: &Program,
        t: &Tna,
        (served, packet): (Served, Packet),
        pass: Pass,
        departure: Departure,
    ) -> Departure {
        match served {
            Served::Sent => Departure {
                packet: Some(packet),
                ..departure
            },
            Served::Dropped => {
                self.recycle(packet);
                departure
            }
            Served::Recirculated => {
                let passes = pass.passes + 1;
                if passes > self.config.max_passes {
                    self.drop_packet(packet, DropReason::PassLimit);
                } else {
                    let pass = Pass {
                        port: departure.port,
                        passes,
                        ..pass
                    };
                    self.enter(p, t, packet, pass);
                }
                departure
            }
        }
    }

    /// Egress parser, control and deparser; whether the packet goes on. A parser error does not stop it.
    fn egress_pass(
        &mut self,
        p: &Program,
        t: &Tna,
        packet: &mut Packet,
        way: OnTheWay,
        waited: Waited,
    ) -> bool {
        let f = &t.egress;
        let length = packet.len();
        self.begin(p, t, 1, waited.start_ns, length);
        self.put(f.port, waited.port.into());
        self.put(f.enq_qdepth, way.cells);
        self.put(f.enq_tstamp, waited.enq_ns);
        self.put(f.deq_qdepth, waited.cells);
        self.put(
            f.deq_timedelta,
            waited.start_ns.saturating_sub(waited.enq_ns),
        );
        self.put(f.rid, way.rid.into());
        self.put(f.rid_first, way.first.into());
        self.put(f.qid, waited.qid.into());
        self.put(f.cos, way.cos.into());
        self.put(f.pkt_length, length.saturating_add(FCS).into());
        self.put(f.global_tstamp, waited.start_ns);
        self.put_before(p, f.header, t.egress_bytes(), packet);
        let parsed = self.parse(p, packet);
        let error = self.parser_error(p);
        self.put(f.parser_err, error);
        let ok = self.pipeline(p, Pipeline::Egress);
        self.deparse(p, packet, parsed);
        ok
    }
}

/// What egress learns of a packet's time in its queue.
#[derive(Clone, Copy, Debug)]
struct Waited {
    port: u16,
    qid: u8,
    enq_ns: u64,
    start_ns: u64,
    /// Depth of the queue behind it.
    cells: u64,
}

/// What goes along with a packet from ingress to egress beside its bytes.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct OnTheWay {
    cells: u64,
    cos: u8,
    rid: u16,
    first: bool,
    bypass: bool,
}
