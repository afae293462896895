// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! The switch between its ports' links: frames in, engine, delay lines, frames out. No clock, no I/O.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use p4_engine::{
    ActionCall, DropReason, EntryAction, Packet, ParserStep, Program, ReceiveOutcome, Switch,
    TableTrace, Trace, Value,
};

use crate::arrival::{ArrivalSettings, Arrivals};
use crate::counters::{PortCounters, add};

/// Buffers that are kept for new frames at most.
const MAX_SPARE: usize = 4096;

/// Memory of the frames on their way through the link behind a port at most, in bytes. What comes then is
/// lost and counted: a long delay and a flood would take all memory.
const HELD_BYTES: usize = 64 << 20;

/// A frame on its way through the link behind a port.
pub(crate) struct Held {
    /// When it arrives at the far end: that is when it is handed out.
    pub due_ns: u64,
    /// Zero bytes after `bytes` that are not stored.
    pub payload_len: u32,
    pub bytes: Vec<u8>,
    packet: u64,
}

/// One port's link.
pub(crate) struct Link {
    port: u16,
    pub counters: Arc<PortCounters>,
    /// Propagation delay in nanoseconds; other threads may set it.
    pub delay_ns: Arc<AtomicU64>,
    /// In order of `due_ns`: a link does not reorder, also when its delay is shortened.
    held: VecDeque<Held>,
    held_bytes: usize,
    /// The link towards the port; other threads may set it.
    pub arrival: Arc<ArrivalSettings>,
    arrivals: Arrivals,
    /// The link whose interface is at the far end of the wire that begins here, where no switch is between.
    far_end: Option<usize>,
}

/// Something that happened to a packet, for a trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceRecord {
    /// When, in nanoseconds since the start.
    pub time_ns: u64,
    /// The packet's number; its copies have the same.
    pub packet: u64,
    /// What, in words.
    pub text: String,
}

pub(crate) struct Driver {
    links: Vec<Link>,
    /// Link of each port, by number.
    by_port: Vec<Option<usize>>,
    spare: Vec<Vec<u8>>,
    cpu_port: Option<u16>,
    /// Frames sent to the CPU port.
    pub punted: Vec<Vec<u8>>,
    /// Frames sent out of ports that no link is at.
    pub unattached: u64,
    packets: u64,
    /// When the last frame was taken in.
    latest_ns: u64,
    /// What happened since it was last emptied, if a trace is wanted.
    pub trace: Option<Vec<TraceRecord>>,
}

impl Driver {
    pub fn new(ports: &[u16], cpu_port: Option<u16>) -> Self {
        let last = ports.iter().copied().max().map_or(0, usize::from);
        let mut by_port = vec![None; last + 1];
        let mut links = Vec::with_capacity(ports.len());
        for &port in ports {
            by_port[usize::from(port)] = Some(links.len());
            links.push(Link {
                port,
                counters: Arc::default(),
                delay_ns: Arc::default(),
                held: VecDeque::new(),
                held_bytes: 0,
                arrival: Arc::default(),
                arrivals: Arrivals::default(),
                far_end: None,
            });
        }
        Self {
            links,
            by_port,
            spare: Vec::new(),
            cpu_port,
            punted: Vec::new(),
            unattached: 0,
            packets: 0,
            latest_ns: 0,
            trace: None,
        }
    }

    /// Lets a wire begin at one port and end at another.
    pub fn connect(&mut self, from: u16, to: u16) {
        let index = |port| self.by_port.get(usize::from(port)).copied().flatten();
        if let (Some(from), Some(to)) = (index(from), index(to)) {
            self.links[from].far_end = Some(to);
        }
    }

    pub fn links(&self) -> &[Link] {
        &self.links
    }

    pub fn link(&self, port: u16) -> Option<&Link> {
        let index = *self.by_port.get(usize::from(port))?;
        self.links.get(index?)
    }

    /// A frame enters the link towards `port`: it reaches the switch now, or when [`Driver::arrive_due`] finds
    /// that it is due.
    pub fn arrive(&mut self, engine: &mut Switch, port: u16, parts: &[&[u8]], now_ns: u64) {
        let index = self.by_port.get(usize::from(port)).copied().flatten();
        let link = index.and_then(|i| self.links.get_mut(i));
        let Some(link) = link.filter(|link| !link.arrivals.is_plain(&link.arrival)) else {
            return self.receive(engine, port, parts, 0, now_ns);
        };
        hold(link, &mut self.spare, parts, now_ns);
    }

    /// A frame enters the wire that begins at `port`.
    pub fn enter(&mut self, port: u16, parts: &[&[u8]], now_ns: u64) {
        let index = self.by_port.get(usize::from(port)).copied().flatten();
        if let Some(link) = index.and_then(|i| self.links.get_mut(i)) {
            hold(link, &mut self.spare, parts, now_ns);
        }
    }

    /// Frames that have come to the far end of their wire by `now_ns` are due at the interface there.
    pub fn pass_on(&mut self, now_ns: u64) {
        while let Some((due_ns, i)) = self.next_arrival()
            && due_ns <= now_ns
        {
            let link = &mut self.links[i];
            let Some((_, bytes)) = link.arrivals.pop() else {
                return;
            };
            add(&link.counters.rx_packets, 1);
            add(&link.counters.rx_bytes, bytes.len() as u64);
            let Some(far_end) = link.far_end else {
                self.unattached += 1;
                self.give_back(bytes);
                continue;
            };
            self.links[far_end].hold(Held {
                due_ns,
                payload_len: 0,
                bytes,
                packet: 0,
            });
        }
    }

    /// Frames that have come to the end of the link towards their port by `now_ns` reach the switch, at the
    /// times at which they did.
    pub fn arrive_due(&mut self, engine: &mut Switch, now_ns: u64) {
        while let Some((due, i)) = self.next_arrival()
            && due <= now_ns
        {
            let Some((_, bytes)) = self.links[i].arrivals.pop() else {
                return;
            };
            // The clock does not go back: a frame of another port may have come in at once and later.
            let at = due.max(self.latest_ns);
            self.receive(engine, self.links[i].port, &[&bytes], 0, at);
            self.give_back(bytes);
        }
    }

    /// The frame that comes next to the end of the link towards its port: when, and which link.
    fn next_arrival(&self) -> Option<(u64, usize)> {
        let links = self.links.iter().enumerate();
        links
            .filter_map(|(i, link)| link.arrivals.next_due().map(|due| (due, i)))
            .min()
    }

    /// Takes a frame in from `port`; first lets everything depart that was due before it.
    pub fn receive(
        &mut self,
        engine: &mut Switch,
        port: u16,
        parts: &[&[u8]],
        payload_len: u32,
        now_ns: u64,
    ) {
        self.latest_ns = now_ns;
        self.depart(engine, now_ns);
        let mut bytes = self.spare.pop().unwrap_or_else(|| engine.take_buffer());
        parts.iter().for_each(|part| bytes.extend_from_slice(part));
        if let Some(link) = self.link(port) {
            add(&link.counters.rx_packets, 1);
            add(&link.counters.rx_bytes, bytes.len() as u64);
        }
        self.packets += 1;
        let mut packet = Packet::new(bytes, payload_len);
        packet.tag = self.packets;
        let id = self.packets;
        engine.set_trace(self.trace.is_some());
        if self.trace.is_some() {
            let length = packet.len();
            self.note(now_ns, id, || {
                format!("Processing packet received on port {port}, {length} bytes")
            });
        }
        let outcome = engine.receive(port, packet, now_ns);
        if self.trace.is_some() {
            self.note_steps(engine, now_ns, id);
            self.note(now_ns, id, || describe(outcome));
        }
    }

    /// Lets everything depart that is due by `now_ns`, into the links.
    pub fn depart(&mut self, engine: &mut Switch, now_ns: u64) {
        while let Some(departure) = engine.depart(now_ns) {
            let start = departure.start_ns;
            let Some(packet) = departure.packet else {
                if self.trace.is_some() {
                    let what = if departure.recirculated {
                        "Recirculating"
                    } else {
                        "Dropping"
                    };
                    self.note_steps(engine, start, 0);
                    self.note(start, 0, || {
                        format!(
                            "{what} packet at the end of egress, port {}",
                            departure.port
                        )
                    });
                }
                continue;
            };
            let (id, length) = (packet.tag, packet.len());
            if self.trace.is_some() {
                self.note_steps(engine, start, id);
                self.note(start, id, || {
                    format!(
                        "Transmitting packet of size {length} out of port {}; enq_qdepth {}, deq_qdepth {}, \
                         queued {} ns, last bit at {} ns",
                        departure.port,
                        departure.enq_qdepth,
                        departure.deq_qdepth,
                        departure.start_ns.saturating_sub(departure.enq_ns),
                        departure.end_ns
                    )
                });
            }
            let index = self
                .by_port
                .get(usize::from(departure.port))
                .copied()
                .flatten();
            let Some(link) = index.and_then(|i| self.links.get_mut(i)) else {
                if self.cpu_port == Some(departure.port) {
                    self.punted.push(packet.bytes);
                } else {
                    self.unattached += 1;
                    self.give_back(packet.bytes);
                }
                continue;
            };
            let due = departure.end_ns.saturating_add(link.delay_ns.load(Relaxed));
            let last = link.held.back().map_or(0, |held| held.due_ns);
            link.hold(Held {
                due_ns: due.max(last),
                payload_len: packet.payload_len,
                bytes: packet.bytes,
                packet: id,
            });
        }
    }

    /// When the next frame arrives at the end of its link, on either side of the switch.
    pub fn next_due(&self) -> Option<u64> {
        let fronts = self.links.iter().filter_map(|link| link.held.front());
        let leaving = fronts.map(|held| held.due_ns).min();
        let arriving = self.next_arrival().map(|(due, _)| due);
        leaving.into_iter().chain(arriving).min()
    }

    /// The first frames of link `index` that are due by `now_ns`.
    pub fn due(&self, index: usize, now_ns: u64) -> impl Iterator<Item = &Held> {
        let held = self.links.get(index).map(|link| link.held.iter());
        held.into_iter()
            .flatten()
            .take_while(move |held| held.due_ns <= now_ns)
    }

    /// Takes the first frame of link `index`. Give its buffer back.
    pub fn take(&mut self, index: usize) -> Option<Held> {
        let link = self.links.get_mut(index)?;
        let held = link.held.pop_front()?;
        link.held_bytes -= held.memory();
        Some(held)
    }

    /// Keeps a buffer for a later frame.
    pub fn give_back(&mut self, mut bytes: Vec<u8>) {
        if self.spare.len() < MAX_SPARE {
            bytes.clear();
            self.spare.push(bytes);
        }
    }

    /// Adds what the program has done since the last call.
    fn note_steps(&mut self, engine: &mut Switch, time_ns: u64, packet: u64) {
        let mut state = 0;
        for record in engine.take_trace() {
            let program = engine.program();
            let text = match &record {
                Trace::Parser(step) => {
                    if let ParserStep::State(entered) = *step {
                        state = entered;
                    }
                    describe_step(program, step, state)
                }
                Trace::Table(table) => describe_table(program, table),
            };
            self.note(time_ns, packet, || text);
        }
    }

    /// Adds to the trace, if there is one.
    pub fn note(&mut self, time_ns: u64, packet: u64, text: impl FnOnce() -> String) {
        if let Some(trace) = &mut self.trace {
            trace.push(TraceRecord {
                time_ns,
                packet,
                text: text(),
            });
        }
    }
}

/// Takes a frame into the link towards a port; `spare` has buffers for it.
fn hold(link: &mut Link, spare: &mut Vec<Vec<u8>>, parts: &[&[u8]], now_ns: u64) {
    let mut bytes = spare.pop().unwrap_or_default();
    parts.iter().for_each(|part| bytes.extend_from_slice(part));
    if let Err(mut bytes) = link.arrivals.push(&link.arrival, bytes, now_ns) {
        add(&link.counters.rx_link_drops, 1);
        bytes.clear();
        spare.push(bytes);
    }
}

impl Link {
    /// Takes a frame into the link behind the port, if there is room.
    fn hold(&mut self, held: Held) {
        if self.held_bytes + held.memory() > HELD_BYTES {
            add(&self.counters.tx_link_drops, 1);
            return;
        }
        self.held_bytes += held.memory();
        self.held.push_back(held);
    }
}

impl Held {
    /// Bytes that it takes here.
    fn memory(&self) -> usize {
        size_of::<Self>() + self.bytes.capacity()
    }

    /// The number that a trace names the packet by.
    pub fn packet(&self) -> u64 {
        self.packet
    }
}

fn describe(outcome: ReceiveOutcome) -> String {
    match outcome {
        ReceiveOutcome::Enqueued(r) => {
            format!("Egress port is {}; enq_qdepth {}", r.port, r.depth_packets)
        }
        ReceiveOutcome::TailDropped(r) => format!(
            "Egress port is {}; queue full at {} packets, {} bytes: dropping packet",
            r.port, r.depth_packets, r.depth_bytes
        ),
        ReceiveOutcome::Multicast { queued, lost } => {
            format!("Multicast: {queued} copies queued, {lost} lost to full queues")
        }
        ReceiveOutcome::Dropped(DropReason::Ingress) => {
            "Dropping packet at the end of ingress".to_owned()
        }
        ReceiveOutcome::Dropped(reason) => format!("Dropping packet: {reason:?}"),
        other => format!("{other:?}"),
    }
}

/// A step of the parser in `state`, in the words of `simple_switch`.
fn describe_step(program: &Program, step: &ParserStep, state: usize) -> String {
    let in_state = || {
        let name = program.parser_states().nth(state).unwrap_or_default();
        format!("Parser state '{name}'")
    };
    match step {
        ParserStep::State(_) => {
            let name = program.parser_states().nth(state).unwrap_or_default();
            format!("Parser 'parser' entering state '{name}'")
        }
        ParserStep::Extracted { header, bytes } => {
            let name = program.headers().nth(*header).unwrap_or_default();
            format!("Extracting header '{name}', {bytes} bytes")
        }
        ParserStep::Verified(holds) => {
            let what = if *holds { "holds" } else { "fails" };
            format!("{}: verify {what}", in_state())
        }
        ParserStep::Selecting(key) => {
            let key: Vec<String> = key.iter().map(hex).collect();
            format!("{}: key is {}", in_state(), key.join(", "))
        }
        ParserStep::End { error, bytes } => match program.error_name(*error) {
            Some("NoError") => format!("Parser 'parser': end, {bytes} bytes parsed"),
            Some(name) => format!("Exception while parsing: {name}, {bytes} bytes parsed"),
            None => format!("Exception while parsing: error {error}, {bytes} bytes parsed"),
        },
    }
}

/// Table, key, hit or miss, and the action that follows, as `simple_switch` logs them.
fn describe_table(program: &Program, record: &TableTrace) -> String {
    let Some(table) = program.tables().get(record.table) else {
        return String::new();
    };
    let fields = table.keys.iter().zip(&record.key);
    let key: Vec<String> = fields
        .map(|(field, value)| format!("{} {}", field.name, hex(value)))
        .collect();
    let call = |call: &ActionCall| {
        let name = program
            .actions()
            .get(call.action)
            .map_or("", |a| a.name.as_str());
        let params: Vec<String> = call.params.iter().map(hex).collect();
        format!("{name}({})", params.join(", "))
    };
    let (outcome, action) = match &record.entry {
        Some(entry) => match &entry.action {
            EntryAction::Call(of) => ("hit", call(of)),
            EntryAction::Member(id) => ("hit", format!("that of member {id}")),
            EntryAction::Group(id) => ("hit", format!("that of a member of group {id}")),
        },
        None => (
            "miss",
            record.default.as_ref().map_or("none".to_owned(), call),
        ),
    };
    format!(
        "Table '{}': {outcome}, key {{{}}}, action {action}",
        table.name,
        key.join(", ")
    )
}

fn hex(value: &Value) -> String {
    let bytes = value.to_be_bytes();
    let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("0x{digits}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_in_a_link_take_bounded_memory() {
        let mut driver = Driver::new(&[1], None);
        for _ in 0..100 {
            driver.links[0].hold(Held {
                due_ns: 0,
                payload_len: 0,
                bytes: vec![0; 1 << 20],
                packet: 0,
            });
        }
        // What a frame takes beside its bytes is counted, too.
        assert_eq!(driver.links[0].held.len(), 63);
        assert_eq!(driver.links[0].counters.totals().tx_link_drops, 37);
        while driver.take(0).is_some() {}
        assert_eq!(driver.links[0].held_bytes, 0);
    }
}
