// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! The description of a network: nodes, links, flows, what to watch. It checks what it is told and simulates nothing.

use std::collections::{HashMap, HashSet};
use std::net::Ipv4Addr;
use std::sync::Arc;

use mecn_traffic::{DatagramSpec, StreamSpec, TrafficError};
use p4_engine::Switch;

use crate::error::NetworkError;
use crate::result::RunResult;
use crate::session::Session;
use crate::sim::Simulation;

/// A MAC address.
pub type MacAddr = [u8; 6];

/// Greatest switch port that can have a link; 511 is v1model's drop port.
pub const MAX_PORT: u16 = 510;

/// First TCP port given to a connection.
pub(crate) const FIRST_TCP_PORT: u32 = 1024;
const TCP_PORTS: u32 = 65536 - FIRST_TCP_PORT;

/// Longest time that can be asked for, nanoseconds: about 31 years.
pub const MAX_TIME_NS: u64 = 1_000_000_000_000_000_000;

/// Handle of a node: its place in the order in which nodes were added.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(pub u32);

/// Handle of a flow: its place in [`RunResult::flows`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FlowId(pub u32);

/// Handle of a watched port: its place in [`RunResult::ports`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct WatchId(pub u32);

/// Addresses of a host's interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interface {
    /// IPv4 address.
    pub address: Ipv4Addr,
    /// MAC address; frames to others are refused.
    pub mac: MacAddr,
    /// Destination MAC address of what it sends.
    pub gateway_mac: MacAddr,
}

/// One end of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinkEnd {
    /// The node.
    pub node: NodeId,
    /// The switch port; `None` for a host or sink, which have one interface.
    pub port: Option<u16>,
    /// Limit of the queue at this end, packets, the one in service not counted.
    pub limit_packets: Option<u32>,
}

impl LinkEnd {
    /// The interface of a host or sink, its queue without limit.
    pub fn host(node: NodeId) -> Self {
        Self {
            node,
            port: None,
            limit_packets: None,
        }
    }

    /// A switch port, its queue without limit.
    pub fn switch(node: NodeId, port: u16) -> Self {
        Self {
            node,
            port: Some(port),
            limit_packets: None,
        }
    }

    /// The same with a queue limit.
    #[must_use]
    pub fn with_limit(self, limit_packets: Option<u32>) -> Self {
        Self {
            limit_packets,
            ..self
        }
    }
}

/// What one direction of a link is like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line {
    /// Bits per second.
    pub rate_bps: u64,
    /// Propagation delay, nanoseconds.
    pub delay_ns: u64,
}

/// A full-duplex link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinkSpec {
    /// The ends.
    pub ends: [LinkEnd; 2],
    /// The direction from the first end to the second.
    pub forth: Line,
    /// The direction from the second end to the first.
    pub back: Line,
    /// Added to a frame's length wherever time on the wire is computed; -14 counts IP bytes only.
    pub overhead_bytes: i32,
}

/// What makes a flow's data, and by which protocol it goes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Source {
    /// An application over a TCP connection.
    Stream(StreamSpec),
    /// UDP packets.
    Datagrams(DatagramSpec),
}

/// A flow from one host to another: a TCP connection, or a stream of UDP packets.
#[derive(Clone, Debug)]
pub struct FlowSpec {
    /// Sender of the data; opens the connection.
    pub src: NodeId,
    /// Receiver.
    pub dst: NodeId,
    /// When the connection is opened, or the first packet sent, nanoseconds.
    pub start_ns: u64,
    /// Adds a uniform draw from `[0, start_jitter_ns)` to it.
    pub start_jitter_ns: u64,
    /// What is sent.
    pub source: Source,
    /// TCP settings of both ends. `trace` is overruled by `trace_cwnd`.
    pub tcp: mecn_tcp::Config,
    /// Whether changes of the congestion window are kept.
    pub trace_cwnd: bool,
    /// Most changes that are kept.
    pub trace_limit: usize,
}

impl FlowSpec {
    /// Endless bulk data over TCP from time 0 with default settings.
    pub fn new(src: NodeId, dst: NodeId) -> Self {
        Self {
            src,
            dst,
            start_ns: 0,
            start_jitter_ns: 0,
            source: Source::Stream(StreamSpec::UNLIMITED),
            tcp: mecn_tcp::Config::default(),
            trace_cwnd: false,
            trace_limit: 1_000_000,
        }
    }
}

/// The register in which the data plane keeps an average depth.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AverageRegister {
    /// Name of the register array.
    pub name: String,
    /// Index in it.
    pub index: u32,
    /// Fraction bits of its value, packets in fixed point.
    pub fraction_bits: u32,
}

/// What to measure at a switch port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WatchSpec {
    /// The switch.
    pub switch: NodeId,
    /// Its port.
    pub port: u16,
    /// Average depth to trace.
    pub average: Option<AverageRegister>,
    /// Counter array, indexed by port, of what ingress dropped before this queue.
    pub early_drop_counter: Option<String>,
    /// Distance of the trace's points, nanoseconds; `None`: a point at every change of the depth.
    pub sample_interval_ns: Option<u64>,
    /// Whether to keep a trace.
    pub trace: bool,
}

impl WatchSpec {
    /// Statistics and a trace of every change, without average.
    pub fn new(switch: NodeId, port: u16) -> Self {
        Self {
            switch,
            port,
            average: None,
            early_drop_counter: None,
            sample_interval_ns: None,
            trace: true,
        }
    }
}

/// How to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunOptions {
    /// End of the run, nanoseconds; events at this very time are still simulated.
    pub until_ns: u64,
    /// Begin of the measurement window, nanoseconds.
    pub warmup_ns: u64,
    /// Seed instead of the network's.
    pub seed: Option<u64>,
}

pub(crate) enum NodeKind {
    Switch(Box<Switch>),
    Host(Interface),
    Sink,
}

pub(crate) struct NodeSpec {
    pub(crate) name: String,
    pub(crate) kind: NodeKind,
}

/// The description of a network. Every [`run`](Self::run) builds a fresh simulation from it.
pub struct Network {
    pub(crate) seed: u64,
    pub(crate) nodes: Vec<NodeSpec>,
    pub(crate) links: Vec<LinkSpec>,
    /// Shared with sessions.
    pub(crate) flows: Arc<Vec<FlowSpec>>,
    pub(crate) watches: Vec<WatchSpec>,
    names: HashSet<String>,
    addresses: HashMap<Ipv4Addr, NodeId>,
    macs: HashMap<MacAddr, NodeId>,
    /// Ends of links.
    ends: HashSet<(NodeId, Option<u16>)>,
    /// Flows that begin or end at each node.
    flow_ends: HashMap<NodeId, u32>,
}

impl Network {
    /// A network without nodes.
    pub fn new(seed: u64) -> Self {
        Self {
            seed,
            nodes: Vec::new(),
            links: Vec::new(),
            flows: Arc::default(),
            watches: Vec::new(),
            names: HashSet::new(),
            addresses: HashMap::new(),
            macs: HashMap::new(),
            ends: HashSet::new(),
            flow_ends: HashMap::new(),
        }
    }

    /// Adds a switch. Every run has a fork of it, with its entries and without its state.
    pub fn add_switch(&mut self, name: &str, switch: Switch) -> Result<NodeId, NetworkError> {
        self.add_node(name, NodeKind::Switch(Box::new(switch)))
    }

    /// Adds a host.
    pub fn add_host(&mut self, name: &str, interface: Interface) -> Result<NodeId, NetworkError> {
        if interface.mac[0] & 1 != 0 {
            return Err(NetworkError::value("mac", "must not be a group address"));
        }
        if let Some(other) = self.addresses.get(&interface.address) {
            return Err(NetworkError::DuplicateAddress {
                host: name.to_owned(),
                other: self.node(*other)?.name.clone(),
                address: interface.address.to_string(),
            });
        }
        if let Some(other) = self.macs.get(&interface.mac) {
            return Err(NetworkError::DuplicateMac {
                host: name.to_owned(),
                other: self.node(*other)?.name.clone(),
            });
        }
        let id = self.add_node(name, NodeKind::Host(interface))?;
        self.addresses.insert(interface.address, id);
        self.macs.insert(interface.mac, id);
        Ok(id)
    }

    /// Adds a sink, which takes in every frame and answers none.
    pub fn add_sink(&mut self, name: &str) -> Result<NodeId, NetworkError> {
        self.add_node(name, NodeKind::Sink)
    }

    fn add_node(&mut self, name: &str, kind: NodeKind) -> Result<NodeId, NetworkError> {
        if self.names.contains(name) {
            return Err(NetworkError::DuplicateName(name.to_owned()));
        }
        let id = NodeId(count(self.nodes.len(), "nodes")?);
        self.names.insert(name.to_owned());
        self.nodes.push(NodeSpec {
            name: name.to_owned(),
            kind,
        });
        Ok(id)
    }

    /// Adds a link.
    pub fn link(&mut self, link: LinkSpec) -> Result<(), NetworkError> {
        let [a, b] = link.ends;
        if a.node == b.node && a.port == b.port {
            return Err(NetworkError::SameEnds(self.node(a.node)?.name.clone()));
        }
        self.check_end(a)?;
        self.check_end(b)?;
        for line in [link.forth, link.back] {
            if line.rate_bps == 0 || line.rate_bps > 1_000_000_000_000_000 {
                return Err(NetworkError::value("rate_bps", "must be 1 to 10^15"));
            }
            if line.delay_ns > MAX_TIME_NS {
                return Err(NetworkError::value("delay_s", "must be at most 10^9"));
            }
        }
        if !(-1500..=1500).contains(&link.overhead_bytes) {
            return Err(NetworkError::value(
                "overhead_bytes",
                "must be -1500 to 1500",
            ));
        }
        count(self.links.len(), "links")?;
        self.ends
            .extend(link.ends.iter().map(|end| (end.node, end.port)));
        self.links.push(link);
        Ok(())
    }

    fn check_end(&self, end: LinkEnd) -> Result<(), NetworkError> {
        let node = self.node(end.node)?;
        let used = self.linked(end.node, end.port);
        match (&node.kind, end.port) {
            (NodeKind::Switch(_), Some(port)) if port > MAX_PORT => Err(NetworkError::PortRange {
                switch: node.name.clone(),
                port: port.into(),
                max: MAX_PORT,
            }),
            (NodeKind::Switch(_), Some(port)) if used => Err(NetworkError::PortInUse {
                switch: node.name.clone(),
                port,
            }),
            (NodeKind::Switch(_), Some(_)) => Ok(()),
            (NodeKind::Switch(_), None) => Err(NetworkError::WrongKind {
                node: node.name.clone(),
                needed: "a host or sink",
            }),
            (_, Some(_)) => Err(NetworkError::WrongKind {
                node: node.name.clone(),
                needed: "a switch",
            }),
            (_, None) if used => Err(NetworkError::AlreadyLinked(node.name.clone())),
            (_, None) => Ok(()),
        }
    }

    /// Adds a flow.
    pub fn add_flow(&mut self, flow: FlowSpec) -> Result<FlowId, NetworkError> {
        for id in [flow.src, flow.dst] {
            let node = self.node(id)?;
            if !matches!(node.kind, NodeKind::Host(_)) {
                return Err(NetworkError::WrongKind {
                    node: node.name.clone(),
                    needed: "a host",
                });
            }
            if self
                .flow_ends
                .get(&id)
                .is_some_and(|ends| *ends >= TCP_PORTS)
            {
                return Err(NetworkError::TooManyFlows(node.name.clone()));
            }
        }
        if flow.src == flow.dst {
            return Err(NetworkError::SameEnds(self.node(flow.src)?.name.clone()));
        }
        if flow.start_ns > MAX_TIME_NS {
            return Err(NetworkError::value("start_s", "must be at most 10^9"));
        }
        if flow.start_jitter_ns > MAX_TIME_NS {
            return Err(NetworkError::value(
                "start_jitter_s",
                "must be at most 10^9",
            ));
        }
        match &flow.source {
            Source::Stream(spec) => {
                spec.validate().map_err(traffic_error)?;
                flow.tcp.validate().map_err(|error| {
                    NetworkError::value(error.name, format!("must be {}", error.allowed))
                })?;
            }
            Source::Datagrams(spec) => spec.validate().map_err(traffic_error)?,
        }
        let id = FlowId(count(self.flows.len(), "flows")?);
        for end in [flow.src, flow.dst] {
            *self.flow_ends.entry(end).or_default() += 1;
        }
        Arc::make_mut(&mut self.flows).push(flow);
        Ok(id)
    }

    /// Adds a port to measure.
    pub fn watch_port(&mut self, watch: WatchSpec) -> Result<WatchId, NetworkError> {
        let node = self.node(watch.switch)?;
        let NodeKind::Switch(switch) = &node.kind else {
            return Err(NetworkError::WrongKind {
                node: node.name.clone(),
                needed: "a switch",
            });
        };
        if !self.linked(watch.switch, Some(watch.port)) {
            return Err(NetworkError::PortNotLinked {
                switch: node.name.clone(),
                port: watch.port,
            });
        }
        let same = |other: &WatchSpec| (other.switch, other.port) == (watch.switch, watch.port);
        if self.watches.iter().any(same) {
            return Err(NetworkError::AlreadyWatched {
                switch: node.name.clone(),
                port: watch.port,
            });
        }
        if watch.sample_interval_ns == Some(0) {
            return Err(NetworkError::value("sample_interval_s", "must be above 0"));
        }
        crate::probe::check(&node.name, switch, &watch)?;
        let id = WatchId(count(self.watches.len(), "watched ports")?);
        self.watches.push(watch);
        Ok(id)
    }

    /// Simulates the time from 0 to `options.until_ns`.
    pub fn run(&self, options: RunOptions) -> Result<RunResult, NetworkError> {
        self.run_interruptible(options, || false)
    }

    /// Like [`run`](Self::run); asks `interrupted` every few ten thousand events whether to stop.
    pub fn run_interruptible(
        &self,
        options: RunOptions,
        interrupted: impl FnMut() -> bool,
    ) -> Result<RunResult, NetworkError> {
        self.start(options)?.finish(interrupted)
    }

    /// Begins a simulation that the caller leads in steps.
    pub fn start(&self, options: RunOptions) -> Result<Session, NetworkError> {
        if options.until_ns == 0 || options.until_ns > MAX_TIME_NS {
            return Err(NetworkError::value(
                "until_s",
                "must be above 0 and at most 10^9",
            ));
        }
        if options.warmup_ns >= options.until_ns {
            return Err(NetworkError::value("warmup_s", "must be less than until_s"));
        }
        self.check_paths()?;
        Ok(Session::new(Simulation::build(self, options)?))
    }

    /// Refuses flows between hosts that no links join. Whether the switches' entries lead there is not looked at.
    fn check_paths(&self) -> Result<(), NetworkError> {
        // each node's representative of what it is joined to, found by following to the root
        let mut parent: Vec<usize> = (0..self.nodes.len()).collect();
        fn root(parent: &mut [usize], mut node: usize) -> usize {
            while parent[node] != node {
                parent[node] = parent[parent[node]];
                node = parent[node];
            }
            node
        }
        for link in &self.links {
            let [a, b] = link.ends.map(|end| root(&mut parent, end.node.0 as usize));
            parent[a] = b;
        }
        for flow in self.flows.iter() {
            let ends = [flow.src, flow.dst];
            for id in ends {
                if !self.linked(id, None) {
                    return Err(NetworkError::NotLinked(self.node(id)?.name.clone()));
                }
            }
            let [src, dst] = ends.map(|id| root(&mut parent, id.0 as usize));
            if src != dst {
                return Err(NetworkError::NotConnected {
                    src: self.node(flow.src)?.name.clone(),
                    dst: self.node(flow.dst)?.name.clone(),
                });
            }
        }
        Ok(())
    }

    pub(crate) fn node(&self, id: NodeId) -> Result<&NodeSpec, NetworkError> {
        self.nodes
            .get(id.0 as usize)
            .ok_or(NetworkError::UnknownNode(id.0))
    }

    fn linked(&self, node: NodeId, port: Option<u16>) -> bool {
        self.ends.contains(&(node, port))
    }
}

fn traffic_error(error: TrafficError) -> NetworkError {
    NetworkError::value(error.name, format!("must be {}", error.allowed))
}

fn count(len: usize, what: &'static str) -> Result<u32, NetworkError> {
    u32::try_from(len)
        .ok()
        .filter(|len| *len < 1 << 24)
        .ok_or_else(|| NetworkError::value(what, "are too many"))
}
