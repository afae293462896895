// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! The virtual network.

mod convert;
mod endpoint;
mod result;
mod session;
mod tcp;

use std::net::Ipv4Addr;
use std::sync::atomic::{AtomicU64, Ordering};

use netsim::mecn_tcp::Config;
use netsim::mecn_traffic::{DatagramPattern, DatagramSpec, Spacing, StreamSpec};
use netsim::{
    AverageRegister, FlowSpec, Interface, Line, LinkEnd, LinkSpec, NodeId, RunOptions, Source,
    WatchSpec,
};
use pyo3::create_exception;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::error::guarded;
use crate::switch::Switch;
use convert::{format_mac, nanoseconds, parse_address, parse_mac, whole};
use result::NetworkResult;
use session::{NetworkSession, SenderState, interruptible};
use tcp::TcpConfig;

create_exception!(
    mecn_native,
    NetworkError,
    PyValueError,
    "The network cannot be built as described."
);

/// Adds everything of the network to the module.
pub fn add_to(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("NetworkError", module.py().get_type::<NetworkError>())?;
    module.add_class::<Node>()?;
    module.add_class::<Flow>()?;
    module.add_class::<TcpConfig>()?;
    module.add_class::<endpoint::TcpEndpoint>()?;
    module.add_class::<Network>()?;
    module.add_class::<NetworkSession>()?;
    module.add_class::<SenderState>()?;
    result::add_to(module)
}

fn refused(error: netsim::NetworkError) -> PyErr {
    NetworkError::new_err(error.to_string())
}

/// Numbers networks, so that a handle of one is not taken for one of another.
static NEXT_NETWORK: AtomicU64 = AtomicU64::new(1);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Kind {
    Switch,
    Host,
    Sink,
}

/// Handle of a node.
#[pyclass(frozen, eq, hash, from_py_object, module = "mecn_native")]
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Node {
    network: u64,
    id: NodeId,
    name: String,
    kind: Kind,
    interface: Option<(Ipv4Addr, [u8; 6])>,
}

#[pymethods]
impl Node {
    #[getter]
    fn name(&self) -> &str {
        &self.name
    }

    #[getter]
    fn kind(&self) -> &'static str {
        match self.kind {
            Kind::Switch => "switch",
            Kind::Host => "host",
            Kind::Sink => "sink",
        }
    }

    #[getter]
    fn address(&self) -> Option<String> {
        self.interface.map(|(address, _)| address.to_string())
    }

    #[getter]
    fn mac(&self) -> Option<String> {
        self.interface.map(|(_, mac)| format_mac(mac))
    }

    fn __repr__(&self) -> String {
        format!("<{} {}>", self.kind(), self.name)
    }
}

/// Handle of a flow.
#[pyclass(frozen, eq, hash, from_py_object, module = "mecn_native")]
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Flow {
    network: u64,
    index: u32,
}

#[pymethods]
impl Flow {
    #[getter]
    fn index(&self) -> u32 {
        self.index
    }

    fn __repr__(&self) -> String {
        format!("<flow {}>", self.index)
    }
}

/// Description of a virtual network.
#[pyclass(module = "mecn_native")]
pub struct Network {
    id: u64,
    hosts: u32,
    inner: netsim::Network,
}

impl Network {
    fn own(&self, node: &Node) -> PyResult<NodeId> {
        if node.network == self.id {
            Ok(node.id)
        } else {
            Err(NetworkError::new_err(format!(
                "node {} belongs to another network",
                node.name
            )))
        }
    }

    fn handle(
        &self,
        id: NodeId,
        name: &str,
        kind: Kind,
        interface: Option<(Ipv4Addr, [u8; 6])>,
    ) -> Node {
        Node {
            network: self.id,
            id,
            name: name.to_owned(),
            kind,
            interface,
        }
    }

    fn switch_end(&self, node: &Node, port: i64, limit: Option<i64>) -> PyResult<LinkEnd> {
        let port = self.port(node, port)?;
        Ok(LinkEnd::switch(self.own(node)?, port).with_limit(limit_packets(limit)?))
    }

    fn host_end(&self, node: &Node, limit: Option<i64>) -> PyResult<LinkEnd> {
        Ok(LinkEnd::host(self.own(node)?).with_limit(limit_packets(limit)?))
    }

    fn port(&self, node: &Node, port: i64) -> PyResult<u16> {
        u16::try_from(port)
            .ok()
            .filter(|port| *port <= netsim::MAX_PORT)
            .ok_or_else(|| {
                let max = netsim::MAX_PORT;
                NetworkError::new_err(format!(
                    "switch {} has no port {port}: ports are 0 to {max}",
                    node.name
                ))
            })
    }

    fn flow(
        &self,
        src: &Node,
        dst: &Node,
        start_s: f64,
        start_jitter_s: f64,
        source: Source,
    ) -> PyResult<FlowSpec> {
        Ok(FlowSpec {
            start_ns: nanoseconds("start_s", start_s)?,
            start_jitter_ns: nanoseconds("start_jitter_s", start_jitter_s)?,
            source,
            ..FlowSpec::new(self.own(src)?, self.own(dst)?)
        })
    }

    fn add(&mut self, flow: FlowSpec) -> PyResult<Flow> {
        let id = self.inner.add_flow(flow).map_err(refused)?;
        Ok(Flow {
            network: self.id,
            index: id.0,
        })
    }

    fn add_stream(
        &mut self,
        flow: FlowSpec,
        tcp: Option<&TcpConfig>,
        trace_cwnd: bool,
        trace_limit: i64,
    ) -> PyResult<Flow> {
        self.add(FlowSpec {
            tcp: tcp_config(tcp)?,
            trace_cwnd,
            trace_limit: whole("trace_limit", trace_limit, "at least 0")?,
            ..flow
        })
    }

    /// `forth` and `back` are the rates and delays from the first end and towards it; what is missing in `back` is as in
    /// `forth`.
    fn add_link(
        &mut self,
        ends: [LinkEnd; 2],
        forth: (i64, f64),
        back: (Option<i64>, Option<f64>),
        overhead_bytes: i64,
    ) -> PyResult<()> {
        let line = |(rate_bps, delay_s): (i64, f64)| -> PyResult<Line> {
            Ok(Line {
                rate_bps: whole("rate_bps", rate_bps, "1 to 10^15")?,
                delay_ns: nanoseconds("delay_s", delay_s)?,
            })
        };
        let link = LinkSpec {
            ends,
            forth: line(forth)?,
            back: line((back.0.unwrap_or(forth.0), back.1.unwrap_or(forth.1)))?,
            overhead_bytes: whole("overhead_bytes", overhead_bytes, "-1500 to 1500")?,
        };
        self.inner.link(link).map_err(refused)
    }
}

fn tcp_config(tcp: Option<&TcpConfig>) -> PyResult<Config> {
    match tcp {
        Some(tcp) => Ok(tcp.config()),
        None => TcpConfig::default_config(),
    }
}

fn datagrams(rate_bps: i64, packet_bytes: i64, pattern: DatagramPattern) -> PyResult<DatagramSpec> {
    Ok(DatagramSpec {
        rate_bps: whole("rate_bps", rate_bps, "1 to 10^15")?,
        packet_bytes: whole("packet_bytes", packet_bytes, "28 to 65535")?,
        pattern,
    })
}

fn limit_packets(limit: Option<i64>) -> PyResult<Option<u32>> {
    limit
        .map(|limit| whole("limit_packets", limit, "0 to 2^32 - 1, or None"))
        .transpose()
}

#[pymethods]
impl Network {
    #[new]
    #[pyo3(signature = (seed=1))]
    fn new(seed: u64) -> Self {
        Self {
            id: NEXT_NETWORK.fetch_add(1, Ordering::Relaxed),
            hosts: 0,
            inner: netsim::Network::new(seed),
        }
    }

    fn add_switch(&mut self, py: Python<'_>, name: &str, switch: &Switch) -> PyResult<Node> {
        let engine = switch.fork_engine(py, 0)?;
        guarded(|| {
            let id = self.inner.add_switch(name, engine).map_err(refused)?;
            Ok(self.handle(id, name, Kind::Switch, None))
        })
    }

    #[pyo3(signature = (name, *, address, mac=None, gateway_mac=None))]
    fn add_host(
        &mut self,
        name: &str,
        address: &str,
        mac: Option<&str>,
        gateway_mac: Option<&str>,
    ) -> PyResult<Node> {
        let number = self.hosts + 1;
        let mac = match mac {
            Some(mac) => parse_mac("mac", mac)?,
            None => [2, 0, 0, 0, (number >> 8) as u8, number as u8],
        };
        let gateway_mac = match gateway_mac {
            Some(mac) => parse_mac("gateway_mac", mac)?,
            None => [2, 0, 0, 0xFF, 0, 0],
        };
        let address = parse_address(address)?;
        let interface = Interface {
            address,
            mac,
            gateway_mac,
        };
        let id = self.inner.add_host(name, interface).map_err(refused)?;
        self.hosts = number;
        Ok(self.handle(id, name, Kind::Host, Some((address, mac))))
    }

    fn add_sink(&mut self, name: &str) -> PyResult<Node> {
        let id = self.inner.add_sink(name).map_err(refused)?;
        Ok(self.handle(id, name, Kind::Sink, None))
    }

    #[pyo3(signature = (
        end, switch, *, port, rate_bps, delay_s, limit_packets=None, host_limit_packets=None, overhead_bytes=-14,
        reverse_rate_bps=None, reverse_delay_s=None
    ))]
    #[expect(
        clippy::too_many_arguments,
        reason = "keyword arguments of the Python signature"
    )]
    fn link(
        &mut self,
        end: &Node,
        switch: &Node,
        port: i64,
        rate_bps: i64,
        delay_s: f64,
        limit_packets: Option<i64>,
        host_limit_packets: Option<i64>,
        overhead_bytes: i64,
        reverse_rate_bps: Option<i64>,
        reverse_delay_s: Option<f64>,
    ) -> PyResult<()> {
        let ends = [
            self.host_end(end, host_limit_packets)?,
            self.switch_end(switch, port, limit_packets)?,
        ];
        self.add_link(
            ends,
            (rate_bps, delay_s),
            (reverse_rate_bps, reverse_delay_s),
            overhead_bytes,
        )
    }

    #[pyo3(signature = (
        a, a_port, b, b_port, *, rate_bps, delay_s, limit_packets=None, overhead_bytes=-14,
        reverse_rate_bps=None, reverse_delay_s=None
    ))]
    #[expect(
        clippy::too_many_arguments,
        reason = "keyword arguments of the Python signature"
    )]
    fn link_switches(
        &mut self,
        a: &Node,
        a_port: i64,
        b: &Node,
        b_port: i64,
        rate_bps: i64,
        delay_s: f64,
        limit_packets: Option<i64>,
        overhead_bytes: i64,
        reverse_rate_bps: Option<i64>,
        reverse_delay_s: Option<f64>,
    ) -> PyResult<()> {
        let ends = [
            self.switch_end(a, a_port, limit_packets)?,
            self.switch_end(b, b_port, limit_packets)?,
        ];
        self.add_link(
            ends,
            (rate_bps, delay_s),
            (reverse_rate_bps, reverse_delay_s),
            overhead_bytes,
        )
    }

    #[pyo3(signature = (
        a, b, *, rate_bps, delay_s, limit_packets=None, overhead_bytes=-14, reverse_rate_bps=None,
        reverse_delay_s=None
    ))]
    #[expect(
        clippy::too_many_arguments,
        reason = "keyword arguments of the Python signature"
    )]
    fn link_hosts(
        &mut self,
        a: &Node,
        b: &Node,
        rate_bps: i64,
        delay_s: f64,
        limit_packets: Option<i64>,
        overhead_bytes: i64,
        reverse_rate_bps: Option<i64>,
        reverse_delay_s: Option<f64>,
    ) -> PyResult<()> {
        let ends = [
            self.host_end(a, limit_packets)?,
            self.host_end(b, limit_packets)?,
        ];
        self.add_link(
            ends,
            (rate_bps, delay_s),
            (reverse_rate_bps, reverse_delay_s),
            overhead_bytes,
        )
    }

    #[pyo3(signature = (
        src, dst, *, start_s=0.0, start_jitter_s=0.0, limit_bytes=None, stop_s=None, tcp=None,
        trace_cwnd=false, trace_limit=1_000_000
    ))]
    #[expect(
        clippy::too_many_arguments,
        reason = "keyword arguments of the Python signature"
    )]
    fn add_bulk_flow(
        &mut self,
        src: &Node,
        dst: &Node,
        start_s: f64,
        start_jitter_s: f64,
        limit_bytes: Option<i64>,
        stop_s: Option<f64>,
        tcp: Option<&TcpConfig>,
        trace_cwnd: bool,
        trace_limit: i64,
    ) -> PyResult<Flow> {
        let source = match (limit_bytes, stop_s) {
            (None, None) => StreamSpec::UNLIMITED,
            (Some(limit), None) => StreamSpec::Bulk {
                bytes: Some(whole("limit_bytes", limit, "at least 1, or None")?),
            },
            (None, Some(stop)) => StreamSpec::Until {
                stop: nanoseconds("stop_s", stop)?,
            },
            (Some(_), Some(_)) => {
                return Err(NetworkError::new_err(
                    "a flow has limit_bytes or stop_s, not both",
                ));
            }
        };
        let flow = self.flow(src, dst, start_s, start_jitter_s, Source::Stream(source))?;
        self.add_stream(flow, tcp, trace_cwnd, trace_limit)
    }

    #[pyo3(signature = (
        src, dst, *, start_s=0.0, start_jitter_s=0.0, tcp=None, trace_cwnd=false, trace_limit=1_000_000,
        page_bytes=30_000, think_s=(1.0, 3.0), pages=None
    ))]
    #[expect(
        clippy::too_many_arguments,
        reason = "keyword arguments of the Python signature"
    )]
    fn add_web_flow(
        &mut self,
        src: &Node,
        dst: &Node,
        start_s: f64,
        start_jitter_s: f64,
        tcp: Option<&TcpConfig>,
        trace_cwnd: bool,
        trace_limit: i64,
        page_bytes: i64,
        think_s: (f64, f64),
        pages: Option<i64>,
    ) -> PyResult<Flow> {
        let source = StreamSpec::Web {
            page_bytes: whole("page_bytes", page_bytes, "1 to 2^40 bytes")?,
            think: (
                nanoseconds("think_s", think_s.0)?,
                nanoseconds("think_s", think_s.1)?,
            ),
            pages: pages
                .map(|pages| whole("pages", pages, "at least 1, or None"))
                .transpose()?,
        };
        let flow = self.flow(src, dst, start_s, start_jitter_s, Source::Stream(source))?;
        self.add_stream(flow, tcp, trace_cwnd, trace_limit)
    }

    #[pyo3(signature = (
        src, dst, *, start_s=0.0, start_jitter_s=0.0, tcp=None, trace_cwnd=false, trace_limit=1_000_000,
        write_bytes=None
    ))]
    #[expect(
        clippy::too_many_arguments,
        reason = "keyword arguments of the Python signature"
    )]
    fn add_telnet_flow(
        &mut self,
        src: &Node,
        dst: &Node,
        start_s: f64,
        start_jitter_s: f64,
        tcp: Option<&TcpConfig>,
        trace_cwnd: bool,
        trace_limit: i64,
        write_bytes: Option<i64>,
    ) -> PyResult<Flow> {
        let source = StreamSpec::Telnet {
            write_bytes: match write_bytes {
                Some(bytes) => whole("write_bytes", bytes, "1 to 2^40 bytes")?,
                None => tcp_config(tcp)?.mss.into(),
            },
        };
        let flow = self.flow(src, dst, start_s, start_jitter_s, Source::Stream(source))?;
        self.add_stream(flow, tcp, trace_cwnd, trace_limit)
    }

    #[pyo3(signature = (
        src, dst, *, rate_bps=24_000, packet_bytes=210, spacing="fixed", start_s=0.0, start_jitter_s=0.0
    ))]
    #[expect(
        clippy::too_many_arguments,
        reason = "keyword arguments of the Python signature"
    )]
    fn add_cbr_flow(
        &mut self,
        src: &Node,
        dst: &Node,
        rate_bps: i64,
        packet_bytes: i64,
        spacing: &str,
        start_s: f64,
        start_jitter_s: f64,
    ) -> PyResult<Flow> {
        let spacing = match spacing {
            "fixed" => Spacing::Fixed,
            "random" => Spacing::Random,
            other => {
                return Err(NetworkError::new_err(format!(
                    "spacing must be \"fixed\" or \"random\", not {other:?}"
                )));
            }
        };
        let pattern = DatagramPattern::Constant { spacing };
        let source = Source::Datagrams(datagrams(rate_bps, packet_bytes, pattern)?);
        let flow = self.flow(src, dst, start_s, start_jitter_s, source)?;
        self.add(flow)
    }

    #[pyo3(signature = (
        src, dst, *, rate_bps=24_000, packet_bytes=210, shape=1.5, mean_on_s=1.0, mean_off_s=2.0, start_s=0.0,
        start_jitter_s=0.0
    ))]
    #[expect(
        clippy::too_many_arguments,
        reason = "keyword arguments of the Python signature"
    )]
    fn add_pareto_flow(
        &mut self,
        src: &Node,
        dst: &Node,
        rate_bps: i64,
        packet_bytes: i64,
        shape: f64,
        mean_on_s: f64,
        mean_off_s: f64,
        start_s: f64,
        start_jitter_s: f64,
    ) -> PyResult<Flow> {
        let pattern = DatagramPattern::ParetoOnOff {
            shape,
            mean_on: nanoseconds("mean_on_s", mean_on_s)?,
            mean_off: nanoseconds("mean_off_s", mean_off_s)?,
        };
        let source = Source::Datagrams(datagrams(rate_bps, packet_bytes, pattern)?);
        let flow = self.flow(src, dst, start_s, start_jitter_s, source)?;
        self.add(flow)
    }

    #[pyo3(signature = (
        switch, port, *, average_register=None, average_index=None, average_fraction_bits=48,
        early_drop_counter=None, sample_interval_s=None, trace=true
    ))]
    #[expect(
        clippy::too_many_arguments,
        reason = "keyword arguments of the Python signature"
    )]
    fn watch_port(
        &mut self,
        switch: &Node,
        port: i64,
        average_register: Option<String>,
        average_index: Option<i64>,
        average_fraction_bits: i64,
        early_drop_counter: Option<String>,
        sample_interval_s: Option<f64>,
        trace: bool,
    ) -> PyResult<u32> {
        let node = self.own(switch)?;
        let port = self.port(switch, port)?;
        let average = match average_register {
            None => None,
            Some(name) => Some(AverageRegister {
                name,
                index: match average_index {
                    Some(index) => whole("average_index", index, "0 to 2^32 - 1")?,
                    None => u32::from(port) * 8,
                },
                fraction_bits: whole("average_fraction_bits", average_fraction_bits, "0 to 64")?,
            }),
        };
        let watch = WatchSpec {
            switch: node,
            port,
            average,
            early_drop_counter,
            sample_interval_ns: sample_interval_s
                .map(|interval| nanoseconds("sample_interval_s", interval))
                .transpose()?,
            trace,
        };
        Ok(self.inner.watch_port(watch).map_err(refused)?.0)
    }

    #[pyo3(signature = (*, until_s, warmup_s=0.0, seed=None))]
    fn run(
        &self,
        py: Python<'_>,
        until_s: f64,
        warmup_s: f64,
        seed: Option<u64>,
    ) -> PyResult<NetworkResult> {
        let options = run_options(until_s, warmup_s, seed)?;
        guarded(|| {
            let result = py.detach(|| {
                interruptible(|interrupted| self.inner.run_interruptible(options, interrupted))
            })?;
            NetworkResult::new(py, result)
        })
    }

    #[pyo3(signature = (*, until_s, warmup_s=0.0, seed=None))]
    fn start(&self, until_s: f64, warmup_s: f64, seed: Option<u64>) -> PyResult<NetworkSession> {
        let options = run_options(until_s, warmup_s, seed)?;
        guarded(|| {
            let session = self.inner.start(options).map_err(refused)?;
            Ok(NetworkSession::new(self.id, session))
        })
    }
}

fn run_options(until_s: f64, warmup_s: f64, seed: Option<u64>) -> PyResult<RunOptions> {
    Ok(RunOptions {
        until_ns: nanoseconds("until_s", until_s)?,
        warmup_ns: nanoseconds("warmup_s", warmup_s)?,
        seed,
    })
}
