// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! The switch: a program and its state, driven by packets and time.

mod control;
mod externs;
mod replica;
mod tna;
mod tna_control;
mod transaction;

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use crate::exec::{Machine, Requests};
use crate::jit::{Compiled, Pipeline, Refusal};
use crate::loaded::Program;
use crate::packet::Packet;
use crate::program::FieldRef;
use crate::replicate::Replication;
use crate::state::State;
use crate::table::{MatchField, TableState};
use crate::tm::{Served, TrafficManager};
use crate::tna::Tna;
use crate::trace::{Records, Trace};
use crate::value::Value;

use replica::{EgressClone, Pass, instance};

pub use crate::tm::{PortConfig, PortConfigError, PortStats};

/// Settings of a switch.
#[derive(Clone, Copy, Debug)]
pub struct SwitchConfig {
    /// Seed of the random numbers that the program draws. The same program, entries, seed and
    /// packets give the same results on every machine.
    pub seed: u64,
    /// The value of `egress_spec` that means "drop".
    pub drop_port: u16,
    /// The configuration of ports that [`Switch::configure_port`] was not called for.
    pub default_port: PortConfig,
    /// How many messages of `log_msg` to keep for [`Switch::take_log`]; 0: none.
    pub log_capacity: usize,
    /// How many digests to keep for [`Switch::take_digests`]; more are lost.
    pub digest_capacity: usize,
    /// Queues of each port, served in strict order: the highest `priority` of the program's
    /// intrinsic metadata goes first. As `--priority-queues` of `simple_switch`.
    pub priority_queues: u8,
    /// How often a packet may be resubmitted, recirculated or cloned, its clones' passes counted
    /// with its own. `simple_switch` has no such limit, but one packet may keep it busy for ever.
    pub max_passes: u32,
    /// Whether programs run as machine code.
    pub execution: Execution,
}

/// How a switch executes its program. The results are the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Execution {
    /// Instruction by instruction.
    Interpreted,
    /// As machine code from the first packet on. A program that cannot be compiled is interpreted:
    /// [`Switch::refusal`] says why.
    Compiled,
    /// Interpreted for the first [`COMPILE_AFTER`] packets; then compiled. Compiling costs as much
    /// as interpreting some thousand packets. A program that has been compiled for another switch
    /// is not interpreted at all.
    #[default]
    Auto,
}

/// Packets after which [`Execution::Auto`] compiles.
pub const COMPILE_AFTER: u32 = 2_000;

impl Default for SwitchConfig {
    /// Seed 0, drop port 511, ports as in [`PortConfig::default`], one queue for each port, no log.
    fn default() -> Self {
        Self {
            seed: 0,
            drop_port: 511,
            default_port: PortConfig::default(),
            log_capacity: 0,
            digest_capacity: 1024,
            priority_queues: 1,
            max_passes: 16,
            execution: Execution::Auto,
        }
    }
}

/// A push onto a port's queue, or the attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EnqueueRecord {
    /// The egress port.
    pub port: u16,
    /// Packets in the queue before the push (`enq_qdepth`), without the one in service.
    pub depth_packets: u32,
    /// Bytes in the queue before the push, with the port's overhead.
    pub depth_bytes: u64,
    /// The packet's length as it entered the queue, in bytes.
    pub length: u32,
}

/// Why a packet did not reach a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DropReason {
    /// The program dropped it in ingress.
    Ingress,
    /// It was sent to a multicast group that has no member.
    EmptyMulticastGroup,
    /// Its priority is beyond the number of queues of a port.
    PriorityOutOfRange,
    /// An `assert` or `assume` of the program failed, or a loop of it did not end.
    AssertFailed,
    /// It went through the switch more often than [`SwitchConfig::max_passes`].
    PassLimit,
}

/// What became of a packet in ingress.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ReceiveOutcome {
    /// It is in the queue of a port.
    Enqueued(EnqueueRecord),
    /// The queue of its port was full.
    TailDropped(EnqueueRecord),
    /// It was dropped before any queue.
    Dropped(DropReason),
    /// Copies were made for a multicast group.
    Multicast {
        /// Copies that are in queues.
        queued: u32,
        /// Copies that found their queue full.
        lost: u32,
    },
}

/// A packet that began to be sent.
#[derive(Clone, Debug)]
pub struct Departure {
    /// The egress port.
    pub port: u16,
    /// The packet; `None` if the egress pipeline dropped or recirculated it. Its service slot is
    /// used either way.
    pub packet: Option<Packet>,
    /// Whether it went back to ingress.
    pub recirculated: bool,
    /// When the packet entered the queue, in nanoseconds.
    pub enq_ns: u64,
    /// When service began, in nanoseconds.
    pub start_ns: u64,
    /// When the last bit has been sent, in nanoseconds.
    pub end_ns: u64,
    /// Packets in the queue before the push of this packet.
    pub enq_qdepth: u32,
    /// Packets in the queue after the pop of this packet.
    pub deq_qdepth: u32,
    /// Bytes in the queue after the pop of this packet, with the port's overhead.
    pub deq_bytes: u64,
}

/// What a packet takes along from ingress to egress.
#[derive(Debug, Default)]
struct InFlight {
    packet: Packet,
    /// Bytes of `packet` that were parsed into headers.
    parsed: usize,
    words: Vec<u64>,
    ingress_length: u32,
    length: i64,
    truncate: Option<u64>,
    enq_qdepth: u32,
    /// The port that the packet came from.
    port: u16,
    passes: u32,
    tna: tna::OnTheWay,
}

/// A message of the program to the control plane.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Digest {
    /// Index into `Program::digests`.
    pub digest: usize,
    /// The values of its fields.
    pub values: Vec<Value>,
}

/// A P4 program at work: tables, registers, counters, queues. See the crate's documentation.
pub struct Switch {
    program: Arc<Program>,
    config: SwitchConfig,
    pub(crate) state: State,
    tm: TrafficManager<Box<InFlight>>,
    /// The queue (port and priority) whose last packet has its words still in the machine, and
    /// nowhere else: a packet that is served before another comes is not copied at all.
    at_hand: Option<(u16, u8)>,
    /// States that packets have left behind, to be used again.
    #[allow(clippy::vec_box, reason = "the boxes go back to the queues")]
    spare: Vec<Box<InFlight>>,
    /// Buffers that packets have left behind.
    buffers: Vec<Vec<u8>>,
    scratch: Vec<u8>,
    /// Packets to interpret before the program is compiled.
    countdown: u32,
    ingress_drops: u64,
    replication: Replication,
    /// Members of the parser value sets, as the control plane wrote them.
    value_sets: Vec<Vec<Vec<MatchField>>>,
    digests: VecDeque<Digest>,
    lost_digests: u64,
    /// Of a program for Tofino.
    port_metadata: HashMap<u16, Vec<u8>>,
}

/// Buffers kept for reuse at most.
const MAX_SPARE: usize = 4096;

impl Switch {
    /// A switch with the program's constant entries and default actions, and empty queues.
    pub fn new(program: Arc<Program>, config: SwitchConfig) -> Self {
        if config.execution == Execution::Compiled {
            // If it cannot be compiled, `refusal` says why.
            let _ = program.compile();
        }
        let queues = program
            .tna
            .as_ref()
            .map_or(config.priority_queues, Tna::queues);
        let machine = Machine::new(&program, config.seed, config.drop_port, config.log_capacity);
        Self {
            state: State::new(&program, program.initial.clone(), machine),
            tm: TrafficManager::new(config.default_port, queues),
            at_hand: None,
            spare: Vec::new(),
            buffers: Vec::new(),
            scratch: Vec::new(),
            countdown: match config.execution {
                Execution::Auto => COMPILE_AFTER,
                Execution::Interpreted | Execution::Compiled => 0,
            },
            ingress_drops: 0,
            replication: Replication::default(),
            value_sets: vec![Vec::new(); program.value_sets.len()],
            digests: VecDeque::new(),
            lost_digests: 0,
            port_metadata: HashMap::new(),
            program,
            config,
        }
    }

    /// The same program and all that the control plane has configured (entries, default actions,
    /// action profiles, meters, groups, sessions, value sets, ports); registers, counters (direct
    /// ones too), queues, statistics, digests and random numbers start afresh.
    pub fn fork(&self, seed: u64) -> Self {
        let config = SwitchConfig {
            seed,
            ..self.config
        };
        let mut fork = Self::new(Arc::clone(&self.program), config);
        fork.state.tables.clone_from(&self.state.tables);
        fork.state
            .tables
            .iter_mut()
            .for_each(TableState::reset_counters);
        fork.tm = self.tm.fork();
        fork.state.profiles.clone_from(&self.state.profiles);
        fork.replication = self.replication.clone();
        fork.value_sets.clone_from(&self.value_sets);
        fork.port_metadata.clone_from(&self.port_metadata);
        let filters = fork.state.machine.filters.iter_mut().flatten();
        for (to, from) in filters.zip(self.state.machine.filters.iter().flatten()) {
            to.configure(from.config);
        }
        fork.state
            .machine
            .value_sets
            .clone_from(&self.state.machine.value_sets);
        fork.state
            .machine
            .meters
            .clone_from(&self.state.machine.meters);
        let meters = fork.state.machine.meters.iter_mut().flatten();
        meters.for_each(crate::meter::MeterCell::reset);
        fork
    }

    /// The program.
    pub fn program(&self) -> &Arc<Program> {
        &self.program
    }

    /// Sets rate, limits and overhead of an egress port. Packets in its queue stay, and are served
    /// at the new rate; the packet in service is not retimed.
    ///
    /// # Errors
    /// If the rate is 0.
    pub fn configure_port(&mut self, port: u16, config: PortConfig) -> Result<(), PortConfigError> {
        self.tm.configure(port, config)
    }

    /// The configuration of an egress port.
    pub fn port_config(&self, port: u16) -> PortConfig {
        self.tm.config(port)
    }

    /// Counts and depth of an egress port.
    pub fn port_stats(&self, port: u16) -> PortStats {
        self.tm.stats(port)
    }

    /// Packets that were dropped before any queue, for every [`DropReason`] together.
    pub fn ingress_drops(&self) -> u64 {
        self.ingress_drops
    }

    /// An empty buffer, if possible one that has been used before. To allocate nothing in steady
    /// state, build packets in these and give departed ones back by [`Switch::recycle`].
    pub fn take_buffer(&mut self) -> Vec<u8> {
        self.buffers.pop().unwrap_or_default()
    }

    /// Gives the buffer of a packet back.
    pub fn recycle(&mut self, packet: Packet) {
        if self.buffers.len() < MAX_SPARE {
            let mut bytes = packet.bytes;
            bytes.clear();
            self.buffers.push(bytes);
        }
    }

    /// The messages of `log_msg` since the last call, the oldest first.
    pub fn take_log(&mut self) -> Vec<String> {
        self.state.machine.log.drain(..).collect()
    }

    fn set(&mut self, f: FieldRef, v: u64) {
        self.state.set(f, v);
    }

    fn get(&self, f: FieldRef) -> u64 {
        self.state.get(f)
    }

    /// Takes a packet in from `port` at `now_ns`: parser, checksum verification, ingress pipeline,
    /// then the queue of the port that the program chose. Clones go to their queues, too.
    pub fn receive(&mut self, port: u16, packet: Packet, now_ns: u64) -> ReceiveOutcome {
        let p = Arc::clone(&self.program);
        self.put_down(&p);
        self.count_down(&p);
        if let Some(t) = &p.tna {
            return self.arrive(&p, t, port, packet, now_ns);
        }
        let length = packet.len();
        self.load_words(&p, &p.template);
        self.state.machine.ingress_length = length;
        self.state.machine.length = length.into();
        self.state.machine.truncate = None;
        self.set(p.meta.ingress_port, port.into());
        self.set(p.meta.packet_length, length.into());
        if let Some(f) = p.meta.ingress_timestamp {
            self.set(f, now_ns / 1000);
        }
        let pass = Pass {
            port,
            now_ns,
            passes: 0,
            parsed: 0,
        };
        self.ingress(&p, packet, pass)
    }

    /// Parser and ingress, from the state that the words have.
    fn ingress(&mut self, p: &Program, mut packet: Packet, mut pass: Pass) -> ReceiveOutcome {
        self.state.machine.now_ns = pass.now_ns;
        loop {
            pass.parsed = self.parse(p, &mut packet);
            if !self.pipeline(p, Pipeline::Ingress) {
                return self.drop_packet(packet, DropReason::AssertFailed);
            }
            if self.state.machine.requested {
                let requests = self.state.machine.requests;
                if let Some(clone) = requests.clone {
                    self.clone_ingress(p, &packet, clone, pass);
                }
                if let Some(digest) = requests.digest {
                    self.send_digest(p, digest);
                }
                if let Some(list) = requests.resubmit {
                    pass.passes += 1;
                    if pass.passes > self.config.max_passes {
                        return self.drop_packet(packet, DropReason::PassLimit);
                    }
                    self.reenter(p, list, instance::RESUBMITTED, packet.len());
                    continue;
                }
            }
            let group = p.meta.mcast_grp.map_or(0, |f| self.get(f));
            if group != 0 {
                return self.multicast(p, group, packet, pass);
            }
            let out = self.get(p.meta.egress_spec);
            if out == u64::from(self.config.drop_port) {
                return self.drop_packet(packet, DropReason::Ingress);
            }
            self.set(p.meta.instance_type, instance::NORMAL);
            return self.enqueue_at_hand(p, out as u16, packet, pass);
        }
    }

    /// Puts a packet with the state that the words have into the queue of a port.
    fn enqueue(&mut self, p: &Program, out: u16, packet: Packet, pass: Pass) -> ReceiveOutcome {
        let outcome = self.enqueue_at_hand(p, out, packet, pass);
        self.put_down(p);
        outcome
    }

    /// The same, but leaves the words in the machine until it is needed for something else.
    fn enqueue_at_hand(
        &mut self,
        p: &Program,
        out: u16,
        packet: Packet,
        pass: Pass,
    ) -> ReceiveOutcome {
        let m = &p.meta;
        let priority = m.priority.map_or(0, |f| self.get(f));
        if priority >= self.config.priority_queues.max(1).into() {
            return self.drop_packet(packet, DropReason::PriorityOutOfRange);
        }
        let priority = priority as u8;
        let length = self.state.machine.length.clamp(0, u32::MAX.into()) as u32;
        let push = self.tm.admit(out, priority, length);
        let record = EnqueueRecord {
            port: out,
            depth_packets: push.depth_packets,
            depth_bytes: push.depth_bytes,
            length,
        };
        if !push.accepted {
            self.recycle(packet);
            return ReceiveOutcome::TailDropped(record);
        }
        if let Some(q) = &m.queueing {
            self.set(q.enq_timestamp, pass.now_ns / 1000);
            self.set(q.enq_qdepth, push.depth_packets.into());
        }
        let mut state = self.spare.pop().unwrap_or_default();
        state.packet = packet;
        state.parsed = pass.parsed;
        state.ingress_length = self.state.machine.ingress_length;
        state.length = self.state.machine.length;
        state.truncate = self.state.machine.truncate;
        state.enq_qdepth = push.depth_packets;
        state.port = pass.port;
        state.passes = pass.passes;
        self.tm.push(out, priority, state, length, pass.now_ns);
        self.at_hand = Some((out, priority));
        ReceiveOutcome::Enqueued(record)
    }

    /// Makes the words of the machine those of a packet.
    #[inline]
    fn load_words(&mut self, p: &Program, words: &[u64]) {
        match (self.compiled(p), p.compiled()) {
            (Some(compiled), _) => compiled.copy_state(&mut self.state.machine.w[..], words),
            (None, code) => {
                let own = &mut self.state.machine.w[..p.state_words];
                own.copy_from_slice(&words[..p.state_words]);
                if let Some(Ok(compiled)) = code {
                    // Compiled code may have saved the packet, without the variables of pipelines.
                    compiled.reset_locals(own);
                }
            }
        }
    }

    /// Saves the words of the packet that was queued last, before something else needs the machine.
    #[inline]
    pub(super) fn put_down(&mut self, p: &Program) {
        let compiled = self.compiled(p);
        if let Some((port, priority)) = self.at_hand.take()
            && let Some(state) = self.tm.last(port, priority)
        {
            state.words.resize(p.state_words, 0);
            let words = &self.state.machine.w[..p.state_words];
            match compiled {
                Some(compiled) => compiled.copy_state(&mut state.words, words),
                None => state.words.copy_from_slice(words),
            }
        }
    }

    fn drop_packet(&mut self, packet: Packet, reason: DropReason) -> ReceiveOutcome {
        self.ingress_drops += 1;
        self.recycle(packet);
        ReceiveOutcome::Dropped(reason)
    }

    /// The earliest time at which some port may begin to send a packet, if any waits.
    pub fn next_departure(&self) -> Option<u64> {
        self.tm.next_start()
    }

    /// Begins to send the packet that is due first, if that is not after `now_ns`: egress
    /// pipeline, checksum update, deparser. Of ports due at the same time the lowest goes first.
    ///
    /// Service begins when it is due, not at `now_ns`; call this for all departures that are due
    /// before a later packet is received, or the depths that the program sees are not those of
    /// that time.
    pub fn depart(&mut self, now_ns: u64) -> Option<Departure> {
        let (port, start_ns, popped) = self.tm.pop(now_ns)?;
        let p = Arc::clone(&self.program);
        if let Some(t) = &p.tna {
            return Some(self.leave(&p, t, (port, start_ns), popped));
        }
        let queued = popped.queued;
        let mut state = queued.item;
        if self.at_hand == Some((port, popped.priority)) && popped.depth_packets == 0 {
            // It is the packet that was queued last.
            self.at_hand = None;
        } else {
            self.put_down(&p);
            self.load_words(&p, &state.words);
        }
        self.state.machine.ingress_length = state.ingress_length;
        self.state.machine.length = state.length;
        self.state.machine.truncate = state.truncate;
        self.state.machine.now_ns = start_ns;
        let m = &p.meta;
        if let Some(f) = m.egress_timestamp {
            self.set(f, start_ns / 1000);
        }
        if let Some(q) = &m.queueing {
            self.set(
                q.deq_timedelta,
                (start_ns / 1000).wrapping_sub(queued.enq_ns / 1000),
            );
            self.set(q.deq_qdepth, popped.depth_packets.into());
            if let Some(qid) = q.qid {
                self.set(qid, popped.priority.into());
            }
        }
        self.set(m.egress_port, port.into());
        self.set(m.egress_spec, u64::from(self.config.drop_port) + 1);
        let length = self.state.machine.length.clamp(0, u32::MAX.into()) as u32;
        self.set(m.packet_length, length.into());
        let ok = self.pipeline(&p, Pipeline::Egress);
        let kept = ok && self.get(m.egress_spec) != u64::from(self.config.drop_port);
        let mut packet = std::mem::take(&mut state.packet);
        let (mut clone, mut recirculate) = (None, None);
        if self.state.machine.requested && ok {
            recirculate = self.state.machine.requests.recirculate.filter(|_| kept);
            if let Some((session, list)) = self.state.machine.requests.clone {
                clone = Some(EgressClone {
                    words: self.save(&p),
                    packet: self.copy_of(&packet),
                    length: self.state.machine.length,
                    session,
                    list,
                });
            }
        }
        let (frame, packet) = if kept {
            self.deparse(&p, &mut packet, state.parsed);
            (packet.len(), Some(packet))
        } else {
            let length = self.state.machine.length.clamp(0, u32::MAX.into()) as u32;
            self.recycle(packet);
            (length, None)
        };
        let served = match (&packet, recirculate) {
            (_, Some(_)) => Served::Recirculated,
            (Some(_), None) => Served::Sent,
            (None, None) => Served::Dropped,
        };
        let end_ns = self.tm.serve(port, start_ns, frame, served);
        let mut departure = Departure {
            port,
            packet,
            recirculated: false,
            enq_ns: queued.enq_ns,
            start_ns,
            end_ns,
            enq_qdepth: state.enq_qdepth,
            deq_qdepth: popped.depth_packets,
            deq_bytes: popped.depth_bytes,
        };
        let pass = Pass {
            port: state.port,
            now_ns: start_ns,
            passes: state.passes,
            parsed: state.parsed,
        };
        if self.spare.len() < MAX_SPARE {
            self.spare.push(state);
        }
        if let Some(list) = recirculate {
            departure.recirculated = true;
            if let Some(packet) = departure.packet.take() {
                self.recirculate(&p, packet, list, pass);
            }
        }
        if let Some(clone) = clone {
            self.clone_egress(&p, clone, pass);
        }
        Some(departure)
    }

    fn recirculate(&mut self, p: &Program, packet: Packet, list: u32, mut pass: Pass) {
        pass.passes += 1;
        if pass.passes > self.config.max_passes {
            self.drop_packet(packet, DropReason::PassLimit);
            return;
        }
        self.reenter(p, list, instance::RECIRCULATED, packet.len());
        self.ingress(p, packet, pass);
    }

    /// The machine code of the program, if it is to be used.
    #[inline]
    fn compiled<'p>(&self, p: &'p Program) -> Option<&'p Compiled> {
        if self.config.execution == Execution::Interpreted || self.state.trace.is_some() {
            return None;
        }
        debug_assert!(std::ptr::eq(p, &raw const *self.program));
        p.compiled()?.ok()
    }

    /// Counts a packet, and compiles the program when it is time.
    #[inline]
    fn count_down(&mut self, p: &Program) {
        if self.countdown > 0 {
            self.countdown -= 1;
            if self.countdown == 0 {
                // If it cannot be compiled, it goes on as before.
                let _ = p.compile();
            }
        }
    }

    /// Whether packets are now processed by machine code.
    pub fn is_compiled(&self) -> bool {
        self.compiled(&self.program).is_some()
    }

    /// Why the program cannot be compiled, once that was tried.
    pub fn refusal(&self) -> Option<&Refusal> {
        self.program.compiled()?.err()
    }

    /// Parses a packet and verifies checksums; gives the number of bytes that were consumed.
    fn parse(&mut self, p: &Program, packet: &mut Packet) -> usize {
        match self.compiled(p) {
            Some(compiled) => compiled.parse(&mut self.state, p, packet),
            None => match &mut self.state.trace {
                Some(trace) => self.state.machine.parse(p, packet, trace),
                None => self.state.machine.parse(p, packet, &mut ()),
            },
        }
    }

    /// Updates checksums and puts the headers before what follows the first `parsed` bytes.
    fn deparse(&mut self, p: &Program, packet: &mut Packet, parsed: usize) {
        let Some(compiled) = self.compiled(p) else {
            return self
                .state
                .machine
                .deparse(p, packet, parsed, &mut self.scratch);
        };
        let mut scratch = std::mem::take(&mut self.scratch);
        if scratch.len() < compiled.scratch {
            scratch.resize(compiled.scratch, 0);
        }
        let n = compiled.deparse(&mut self.state, p, packet, parsed, &mut scratch);
        match packet.bytes.get_mut(..parsed) {
            Some(headers) if n == parsed => headers.copy_from_slice(&scratch[..n]),
            _ => drop(packet.bytes.splice(..parsed, scratch[..n].iter().copied())),
        }
        self.scratch = scratch;
        if let Some(len) = self.state.machine.truncate {
            packet.truncate(len);
        }
    }

    /// Runs a pipeline; false if an assertion failed.
    pub(crate) fn pipeline(&mut self, p: &Program, pipeline: Pipeline) -> bool {
        self.state.machine.exit = false;
        self.state.machine.assert_failed = false;
        if self.state.machine.requested {
            self.state.machine.requested = false;
            self.state.machine.requests = Requests::default();
        }
        match self.compiled(p) {
            Some(compiled) => compiled.run(pipeline, &mut self.state, p),
            None => match pipeline {
                Pipeline::Ingress => self.state.interpret(p, p.ingress),
                Pipeline::Egress => self.state.interpret(p, p.egress),
            },
        }
        !self.state.machine.assert_failed
    }

    /// Begins or ends recording what the program does to packets.
    pub fn set_trace(&mut self, on: bool) {
        if on != self.state.trace.is_some() {
            self.state.trace = on.then(Records::default);
        }
    }

    /// What was done since the last call, in order.
    pub fn take_trace(&mut self) -> Vec<Trace> {
        let trace = self.state.trace.as_mut();
        trace.map(Records::take).unwrap_or_default()
    }
}
