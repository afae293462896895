// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! A simulation: the network at work.

use std::net::SocketAddrV4;
use std::sync::Arc;

use mecn_tcp::{Endpoint, FourTuple, MAX_HEADER_LEN, State};
use p4_engine::{Packet, PortConfig, Rate, ReceiveOutcome, Switch};

use crate::error::NetworkError;
use crate::event::{Event, EventQueue};
use crate::flow::{Connection, ENDS, Flow, Traffic, config_error, sender_state};
use crate::frame::{self, ETHERNET_LEN, Protocol, Tag};
use crate::host::Host;
use crate::link::{End, Transmitter, Wire};
use crate::measure::DelayStats;
use crate::network::{
    FlowId, FlowSpec, LinkEnd, MAX_PORT, Network, NodeId, NodeKind, RunOptions, Source,
};
use crate::probe::Probe;
use crate::result::{Conservation, HostResult, RunResult, SenderState, SwitchCounts, SwitchResult};
use crate::seed::{Stream, below, derive};

/// Events between two questions whether to stop.
const EVENTS_PER_CHECK: u64 = 1 << 15;

/// No wire, or no probe.
const NONE: u32 = u32::MAX;

/// What is at a switch port.
#[derive(Clone, Copy)]
struct Port {
    wire: u32,
    probe: u32,
}

struct SwitchNode {
    switch: Switch,
    /// By port number.
    ports: Vec<Port>,
    /// Time of the earliest departure event that is pending.
    departure_at: u64,
    counts: SwitchCounts,
}

/// Where a node of the description is in the simulation.
#[derive(Clone, Copy)]
enum Place {
    Switch(u32),
    Host(u32),
}

pub(crate) struct Simulation {
    /// Names of the nodes, and the flows, as they were described.
    names: Vec<String>,
    specs: Arc<Vec<FlowSpec>>,
    options: RunOptions,
    seed: u64,
    now: u64,
    /// Events simulated.
    count: u64,
    events: EventQueue,
    switches: Vec<SwitchNode>,
    hosts: Vec<Host>,
    wires: Vec<Wire<Packet>>,
    connections: Vec<Connection>,
    flows: Vec<Flow>,
    probes: Vec<Probe>,
    places: Vec<Place>,
    /// Buffers that packets have left behind.
    spare: Vec<Packet>,
    /// Where endpoints write the headers of their next segment.
    headers: [u8; MAX_HEADER_LEN],
    conservation: Conservation,
}

// Building

impl Simulation {
    pub(crate) fn build(network: &Network, options: RunOptions) -> Result<Self, NetworkError> {
        let mut simulation = Self {
            names: network.nodes.iter().map(|node| node.name.clone()).collect(),
            specs: Arc::clone(&network.flows),
            options,
            seed: options.seed.unwrap_or(network.seed),
            now: 0,
            count: 0,
            events: EventQueue::default(),
            switches: Vec::new(),
            hosts: Vec::new(),
            wires: Vec::new(),
            connections: Vec::new(),
            flows: Vec::new(),
            probes: Vec::new(),
            places: Vec::new(),
            spare: Vec::new(),
            headers: [0; MAX_HEADER_LEN],
            conservation: Conservation::default(),
        };
        // The first event of its time: what happens at the begin of the window is inside.
        simulation
            .events
            .push(options.warmup_ns, Event::WindowStart);
        simulation.place_nodes(network);
        simulation.lay_links(network)?;
        simulation.open_flows(network)?;
        simulation.set_probes(network)?;
        Ok(simulation)
    }

    fn place_nodes(&mut self, network: &Network) {
        for node in &network.nodes {
            let place = match &node.kind {
                NodeKind::Switch(switch) => {
                    let index = self.switches.len() as u32;
                    let seed = derive(self.seed, Stream::Switch, index.into());
                    self.switches.push(SwitchNode {
                        switch: switch.fork(seed),
                        ports: vec![
                            Port {
                                wire: NONE,
                                probe: NONE
                            };
                            usize::from(MAX_PORT) + 1
                        ],
                        departure_at: u64::MAX,
                        counts: SwitchCounts::default(),
                    });
                    Place::Switch(index)
                }
                NodeKind::Host(interface) => {
                    self.hosts.push(Host::new(Some(*interface)));
                    Place::Host(self.hosts.len() as u32 - 1)
                }
                NodeKind::Sink => {
                    self.hosts.push(Host::new(None));
                    Place::Host(self.hosts.len() as u32 - 1)
                }
            };
            self.places.push(place);
        }
    }

    fn place(&self, id: NodeId) -> Result<Place, NetworkError> {
        self.places
            .get(id.0 as usize)
            .copied()
            .ok_or(NetworkError::UnknownNode(id.0))
    }

    fn lay_links(&mut self, network: &Network) -> Result<(), NetworkError> {
        for link in &network.links {
            let [a, b] = link.ends;
            for (from, to, line) in [(a, b, link.forth), (b, a, link.back)] {
                let wire = self.wires.len() as u32;
                let end = self.end(to)?;
                self.wires.push(Wire::new(line.delay_ns, end));
                match self.end(from)? {
                    End::Host(host) => self.hosts[host as usize].set_link(
                        wire,
                        Transmitter::new(line.rate_bps, link.overhead_bytes),
                        from.limit_packets,
                    ),
                    End::Switch { index, port } => {
                        let node = &mut self.switches[index as usize];
                        let config = PortConfig {
                            rate: Rate::BitsPerSecond(line.rate_bps),
                            limit_packets: from.limit_packets,
                            limit_bytes: None,
                            overhead_bytes: link.overhead_bytes,
                        };
                        node.switch.configure_port(port, config).map_err(|error| {
                            NetworkError::PortConfig {
                                switch: network.nodes[from.node.0 as usize].name.clone(),
                                problem: error.to_string(),
                            }
                        })?;
                        node.ports[usize::from(port)].wire = wire;
                    }
                }
            }
        }
        Ok(())
    }

    fn end(&self, end: LinkEnd) -> Result<End, NetworkError> {
        Ok(match self.place(end.node)? {
            Place::Host(host) => End::Host(host),
            Place::Switch(index) => End::Switch {
                index,
                port: end.port.unwrap_or(0),
            },
        })
    }

    fn open_flows(&mut self, network: &Network) -> Result<(), NetworkError> {
        for (index, spec) in network.flows.iter().enumerate() {
            for id in [spec.src, spec.dst] {
                let connection = self.connections.len() as u32;
                let name = || network.node(id).map(|node| node.name.clone());
                let Place::Host(host) = self.place(id)? else {
                    return Err(NetworkError::WrongKind {
                        node: name()?,
                        needed: "a host",
                    });
                };
                let node = &mut self.hosts[host as usize];
                let Some(interface) = node.interface else {
                    return Err(NetworkError::WrongKind {
                        node: name()?,
                        needed: "a host",
                    });
                };
                if node.wire.is_none() {
                    return Err(NetworkError::NotLinked(name()?));
                }
                let local = SocketAddrV4::new(interface.address, node.bind(connection));
                self.connections.push(Connection::new(host, local));
            }
            if let Source::Stream(_) = spec.source {
                let receiver = index as u32 * ENDS + 1;
                let isn = self.isn(receiver);
                let receiver = &mut self.connections[receiver as usize];
                let endpoint = Endpoint::listen(
                    mecn_tcp::Config {
                        trace: false,
                        ..spec.tcp
                    },
                    receiver.local,
                    isn,
                );
                receiver.endpoint = Some(endpoint.map_err(config_error)?);
            }
            let draw = derive(self.seed, Stream::FlowStart, index as u64);
            let start = spec.start_ns + below(draw, spec.start_jitter_ns);
            let seed = derive(self.seed, Stream::Source, index as u64);
            self.flows.push(Flow::new(start, spec, seed));
            self.events.push(start, Event::FlowStart(index as u32));
        }
        Ok(())
    }

    fn isn(&self, connection: u32) -> u32 {
        derive(self.seed, Stream::InitialSequence, connection.into()) as u32
    }

    fn set_probes(&mut self, network: &Network) -> Result<(), NetworkError> {
        for (index, watch) in network.watches.iter().enumerate() {
            let name = &network.node(watch.switch)?.name;
            let Place::Switch(place) = self.place(watch.switch)? else {
                return Err(NetworkError::WrongKind {
                    node: name.clone(),
                    needed: "a switch",
                });
            };
            let node = &mut self.switches[place as usize];
            let probe = Probe::new(watch, place, name, &node.switch, self.options.until_ns)?;
            if probe.interval.is_some() {
                self.events.push(0, Event::Sample(index as u32));
            }
            node.ports[usize::from(watch.port)].probe = index as u32;
            self.probes.push(probe);
        }
        Ok(())
    }
}

// Running

impl Simulation {
    /// The time up to which everything has been simulated, nanoseconds.
    pub(crate) fn now(&self) -> u64 {
        self.now
    }

    pub(crate) fn until(&self) -> u64 {
        self.options.until_ns
    }

    /// The switch at a node.
    pub(crate) fn switch(&mut self, id: NodeId) -> Result<&mut Switch, NetworkError> {
        match self.place(id)? {
            Place::Switch(index) => Ok(&mut self.switches[index as usize].switch),
            Place::Host(_) => Err(NetworkError::WrongKind {
                node: self.names[id.0 as usize].clone(),
                needed: "a switch",
            }),
        }
    }

    /// The sender's side of a flow.
    pub(crate) fn sender(&self, flow: FlowId) -> Result<SenderState, NetworkError> {
        let mut ends = self.connections.chunks_exact(ENDS as usize);
        match ends.nth(flow.0 as usize) {
            Some(ends) => Ok(sender_state(&ends[0])),
            None => Err(NetworkError::UnknownFlow(flow.0)),
        }
    }

    /// Simulates what happens up to `until`, and at `until` itself.
    pub(crate) fn advance(
        &mut self,
        until: u64,
        mut interrupted: impl FnMut() -> bool,
    ) -> Result<(), NetworkError> {
        while let Some((time, event)) = self.events.pop_until(until) {
            self.now = time;
            self.count += 1;
            match event {
                Event::Arrival(wire) => self.arrival(wire),
                Event::SwitchDeparture(index) => {
                    if self.switches[index as usize].departure_at == time {
                        self.switches[index as usize].departure_at = u64::MAX;
                        self.serve(index);
                    }
                }
                Event::Timer(index) => self.timer(index),
                Event::FlowStart(flow) => self.start_flow(flow)?,
                Event::Sample(index) => self.sample(index),
                Event::WindowStart => self.start_window(),
            }
            if self.count.is_multiple_of(EVENTS_PER_CHECK) && interrupted() {
                return Err(NetworkError::Interrupted);
            }
        }
        self.now = until;
        Ok(())
    }

    fn arrival(&mut self, wire: u32) {
        let line = &mut self.wires[wire as usize];
        let to = line.to;
        let Some(packet) = line.receive() else {
            return;
        };
        if let Some((time, sequence)) = line.next() {
            self.events.push_at(time, sequence, Event::Arrival(wire));
        }
        match to {
            End::Switch { index, port } => self.switch_receives(index, port, packet),
            End::Host(host) => self.host_receives(host, packet),
        }
    }

    fn switch_receives(&mut self, index: u32, port: u16, mut packet: Packet) {
        let ecn = frame::ecn(&packet.bytes).unwrap_or(0);
        packet.tag = Tag {
            ecn,
            ..Tag::unpack(packet.tag)
        }
        .pack();
        let node = &mut self.switches[index as usize];
        node.counts.received += 1;
        let outcome = node.switch.receive(port, packet, self.now);
        match outcome {
            ReceiveOutcome::Enqueued(record) => {
                if let Some(probe) = probe(&mut self.probes, node, record.port) {
                    probe.enqueued(self.now, record.depth_packets + 1, &node.switch);
                }
                self.serve(index);
                return;
            }
            ReceiveOutcome::TailDropped(record) => {
                node.counts.tail_drops += 1;
                if let Some(probe) = probe(&mut self.probes, node, record.port) {
                    probe.tail_dropped();
                }
            }
            _ => node.counts.ingress_drops += 1,
        }
        self.conservation.dropped += 1;
        self.reclaim(index);
    }

    /// Takes the buffer of a packet back that a switch has dropped.
    fn reclaim(&mut self, index: u32) {
        let bytes = self.switches[index as usize].switch.take_buffer();
        self.spare.push(Packet::new(bytes, 0));
    }

    /// Lets a switch begin to send what is due, and announces what is due next.
    fn serve(&mut self, index: u32) {
        loop {
            let node = &mut self.switches[index as usize];
            let Some(departure) = node.switch.depart(self.now) else {
                break;
            };
            if let Some(probe) = probe(&mut self.probes, node, departure.port) {
                probe.departed(&departure, &node.switch);
            }
            let port = node.ports.get(usize::from(departure.port));
            match (departure.packet, port.map_or(NONE, |port| port.wire)) {
                (None, _) => {
                    node.counts.egress_drops += 1;
                    self.conservation.dropped += 1;
                    self.reclaim(index);
                }
                (Some(packet), NONE) => {
                    node.counts.unlinked_drops += 1;
                    self.conservation.dropped += 1;
                    self.spare.push(packet);
                }
                (Some(packet), wire) => {
                    node.counts.sent += 1;
                    self.send(wire, departure.end_ns, packet);
                }
            }
        }
        let node = &mut self.switches[index as usize];
        if let Some(next) = node.switch.next_departure()
            && next < node.departure_at
        {
            node.departure_at = next;
            self.events.push(next, Event::SwitchDeparture(index));
        }
    }

    fn send(&mut self, wire: u32, end: u64, packet: Packet) {
        let sequence = self.events.sequence();
        if let Some(arrival) = self.wires[wire as usize].send(end, sequence, packet) {
            self.events.push_at(arrival, sequence, Event::Arrival(wire));
        }
    }

    fn host_receives(&mut self, index: u32, packet: Packet) {
        let now = self.now;
        self.conservation.received += 1;
        let host = &mut self.hosts[index as usize];
        host.counts.received += 1;
        let found = host.interface.and_then(|interface| {
            let to = frame::addressed(&packet, &interface)?;
            Some((host.connection(to.dst_port)?, to))
        });
        let Some((connection, to)) = found else {
            if host.interface.is_some() {
                host.counts.misdelivered += 1;
            }
            self.spare.push(packet);
            return;
        };
        let headers = &packet.bytes[ETHERNET_LEN..ETHERNET_LEN + to.header_len];
        let flow = &mut self.flows[(connection / ENDS) as usize];
        let endpoint = &mut self.connections[connection as usize].endpoint;
        let Some(endpoint) = endpoint.as_mut().filter(|_| to.protocol == Protocol::Tcp) else {
            let wanted = to.protocol == Protocol::Udp
                && matches!(flow.traffic, Traffic::Datagrams(_))
                && connection % ENDS == 1;
            if !wanted {
                host.counts.misdelivered += 1;
            } else if frame::datagram_is_whole(headers, to.payload_len) {
                flow.datagrams.received += 1;
                flow.datagrams.received_bytes += to.header_len as u64 + u64::from(to.payload_len);
                flow.delay.record(now - Tag::unpack(packet.tag).sent);
            } else {
                host.counts.damaged += 1;
            }
            self.spare.push(packet);
            return;
        };
        let accepted = endpoint.on_segment(headers, to.payload_len, now);
        match accepted {
            Ok(()) => {
                if to.payload_len > 0 && connection % ENDS == 1 {
                    let tag = Tag::unpack(packet.tag);
                    flow.delay.record(now - tag.sent);
                    flow.first_arrivals += u64::from(tag.new_data);
                }
            }
            Err(mecn_tcp::SegmentError::Foreign { .. }) => host.counts.misdelivered += 1,
            Err(_) => host.counts.damaged += 1,
        }
        self.spare.push(packet);
        self.pump(connection);
    }

    /// After something has happened to an endpoint: sends what it has to send, takes its events, sets its timer.
    fn pump(&mut self, index: u32) {
        let now = self.now;
        let connection = &mut self.connections[index as usize];
        let Some(endpoint) = &mut connection.endpoint else {
            return;
        };
        let sender = index.is_multiple_of(ENDS);
        if sender {
            self.flows[(index / ENDS) as usize].follow_sender(endpoint, now);
        } else {
            while endpoint.poll_event().is_some() {}
            if endpoint.state() == State::CloseWait {
                endpoint.close();
            }
        }
        let host = &mut self.hosts[connection.host as usize];
        if let (Some(interface), Some(wire)) = (host.interface, host.wire) {
            loop {
                let resent = endpoint.stats().segments_retransmitted;
                let Some(sent) = endpoint.poll_transmit(now, &mut self.headers) else {
                    break;
                };
                let new_data =
                    sent.payload_len > 0 && endpoint.stats().segments_retransmitted == resent;
                let mut packet = self.spare.pop().unwrap_or_default();
                let headers = &self.headers[..sent.header_len];
                let tag = Tag::leaving(now, new_data);
                frame::fill(&mut packet, &interface, headers, sent.payload_len, tag);
                self.conservation.sent += 1;
                match host.queue(now, packet.len()) {
                    None => {
                        self.conservation.dropped += 1;
                        self.spare.push(packet);
                    }
                    Some(end) => {
                        let sequence = self.events.sequence();
                        if let Some(arrival) = self.wires[wire as usize].send(end, sequence, packet)
                        {
                            self.events.push_at(arrival, sequence, Event::Arrival(wire));
                        }
                    }
                }
            }
        }
        let mut timeout = endpoint.next_timeout().unwrap_or(u64::MAX);
        if sender && let Some(due) = self.flows[(index / ENDS) as usize].next_time() {
            timeout = timeout.min(due);
        }
        if timeout < u64::MAX {
            let timeout = timeout.max(now);
            if timeout < connection.timer_at {
                connection.timer_at = timeout;
                self.events.push(timeout, Event::Timer(index));
            }
        }
    }

    fn timer(&mut self, index: u32) {
        let now = self.now;
        let connection = &mut self.connections[index as usize];
        if connection.timer_at != now {
            return;
        }
        connection.timer_at = u64::MAX;
        let Some(endpoint) = &mut connection.endpoint else {
            self.send_datagrams(index / ENDS);
            return;
        };
        let mut timeout = endpoint.next_timeout();
        if index.is_multiple_of(ENDS)
            && let Some(due) = self.flows[(index / ENDS) as usize].next_time()
        {
            timeout = Some(timeout.map_or(due, |timeout| timeout.min(due)));
        }
        match timeout {
            Some(timeout) if timeout <= now => {
                endpoint.on_timer(now);
                self.pump(index);
            }
            // It was put off since.
            Some(timeout) => {
                connection.timer_at = timeout;
                self.events.push(timeout, Event::Timer(index));
            }
            None => {}
        }
    }

    /// Sends the UDP packets of a flow that are due.
    fn send_datagrams(&mut self, index: u32) {
        let now = self.now;
        let sender = (index * ENDS) as usize;
        let ends = [&self.connections[sender], &self.connections[sender + 1]].map(|end| end.local);
        let host = self.connections[sender].host;
        let flow = &mut self.flows[index as usize];
        let Traffic::Datagrams(source) = &mut flow.traffic else {
            return;
        };
        while let Some(len) = source.poll(now) {
            flow.datagrams.sent += 1;
            let node = &mut self.hosts[host as usize];
            let (Some(interface), Some(wire)) = (node.interface, node.wire) else {
                break;
            };
            let mut packet = self.spare.pop().unwrap_or_default();
            let len = u16::try_from(len).unwrap_or(u16::MAX);
            frame::datagram(&mut packet, &interface, ends, len, now);
            self.conservation.sent += 1;
            if let Some(end) = node.queue(now, packet.len()) {
                let sequence = self.events.sequence();
                let line = &mut self.wires[wire as usize];
                if let Some(arrival) = line.send(end, sequence, packet) {
                    self.events.push_at(arrival, sequence, Event::Arrival(wire));
                }
            } else {
                self.conservation.dropped += 1;
                self.spare.push(packet);
            }
        }
        let next = source.next_time();
        self.connections[sender].timer_at = next;
        self.events.push(next, Event::Timer(index * ENDS));
    }

    fn start_flow(&mut self, index: u32) -> Result<(), NetworkError> {
        let sender = index * ENDS;
        if let Traffic::Datagrams(_) = self.flows[index as usize].traffic {
            self.send_datagrams(index);
            return Ok(());
        }
        let tuple = FourTuple {
            local: self.connections[sender as usize].local,
            remote: self.connections[sender as usize + 1].local,
        };
        let isn = self.isn(sender);
        let spec = &self.specs[index as usize];
        let endpoint = self.flows[index as usize].open(spec, tuple, isn, self.now)?;
        self.connections[sender as usize].endpoint = Some(endpoint);
        self.pump(sender);
        Ok(())
    }

    fn sample(&mut self, index: u32) {
        let probe = &mut self.probes[index as usize];
        probe.sample(self.now, &self.switches[probe.switch as usize].switch);
        if let Some(interval) = probe.interval {
            self.events
                .push(self.now.saturating_add(interval), Event::Sample(index));
        }
    }

    fn start_window(&mut self) {
        for probe in &mut self.probes {
            probe.restart(self.now, &self.switches[probe.switch as usize].switch);
        }
        for (flow, ends) in self
            .flows
            .iter_mut()
            .zip(self.connections.chunks_exact(ENDS as usize))
        {
            flow.restart([&ends[0], &ends[1]], self.now);
        }
        for host in &mut self.hosts {
            host.counts = Default::default();
        }
        for node in &mut self.switches {
            node.counts = SwitchCounts::default();
        }
    }

    /// What came out. Everything up to the end of the run must have been simulated.
    pub(crate) fn finish(mut self) -> RunResult {
        let window = (self.options.warmup_ns, self.options.until_ns);
        let waiting: u64 = self
            .switches
            .iter()
            .flat_map(|node| {
                (0..node.ports.len() as u16)
                    .map(|port| u64::from(node.switch.port_stats(port).depth_packets))
            })
            .sum();
        let flying: u64 = self.wires.iter().map(|wire| wire.len() as u64).sum();
        self.conservation.in_flight = waiting + flying;
        let delay = DelayStats::merged(self.flows.iter().map(|flow| &flow.delay));
        let name = |id: NodeId| self.names.get(id.0 as usize).cloned().unwrap_or_default();
        let flows = self
            .flows
            .into_iter()
            .zip(self.specs.iter())
            .zip(self.connections.chunks_exact(ENDS as usize))
            .map(|((flow, spec), ends)| {
                let names = [name(spec.src), name(spec.dst)];
                flow.finish(spec, names, [&ends[0], &ends[1]], window)
            })
            .collect();
        let ports = self
            .probes
            .into_iter()
            .map(|probe| {
                let index = probe.switch as usize;
                probe.finish(window.1 - window.0, &self.switches[index].switch)
            })
            .collect();
        let mut hosts = Vec::new();
        let mut switches = Vec::new();
        for (name, place) in self.names.iter().zip(&self.places) {
            match *place {
                Place::Switch(index) => switches.push(SwitchResult {
                    name: name.clone(),
                    counts: self.switches[index as usize].counts,
                }),
                Place::Host(index) => {
                    let host = &self.hosts[index as usize];
                    hosts.push(HostResult {
                        name: name.clone(),
                        counts: host.counts,
                        queue_max: host.queue_max,
                    });
                }
            }
        }
        RunResult {
            seed: self.seed,
            window_start_ns: window.0,
            window_end_ns: window.1,
            events: self.count,
            ports,
            flows,
            hosts,
            switches,
            delay,
            conservation: self.conservation,
        }
    }
}

fn probe<'a>(probes: &'a mut [Probe], node: &SwitchNode, port: u16) -> Option<&'a mut Probe> {
    let index = node.ports.get(usize::from(port))?.probe;
    probes.get_mut(index as usize)
}
