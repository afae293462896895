// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Results of a run as Python sees them. `mecn_native.pyi` says what each number means.

use netsim::CwndCause;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTuple};

use super::NetworkError;

/// Adds the classes of results to the module.
pub fn add_to(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<DelayStats>()?;
    module.add_class::<PortResult>()?;
    module.add_class::<FlowResult>()?;
    module.add_class::<HostResult>()?;
    module.add_class::<SwitchResult>()?;
    module.add_class::<NetworkResult>()?;
    module.add("CWND_CAUSES", PyTuple::new(module.py(), CwndCause::NAMES)?)
}

fn seconds(ns: u64) -> f64 {
    ns as f64 / 1e9
}

/// Little-endian bytes of numbers, for `numpy.frombuffer`.
fn buffer<const N: usize>(
    py: Python<'_>,
    values: impl ExactSizeIterator<Item = [u8; N]>,
) -> PyResult<Py<PyBytes>> {
    let bytes = PyBytes::new_with(py, values.len() * N, |to| {
        for (place, value) in to.chunks_exact_mut(N).zip(values) {
            place.copy_from_slice(&value);
        }
        Ok(())
    })?;
    Ok(bytes.unbind())
}

fn times(py: Python<'_>, times: &[u64]) -> PyResult<Py<PyBytes>> {
    buffer(py, times.iter().map(|ns| seconds(*ns).to_le_bytes()))
}

fn words(py: Python<'_>, words: &[u32]) -> PyResult<Py<PyBytes>> {
    buffer(py, words.iter().map(|word| word.to_le_bytes()))
}

/// One-way delays.
#[pyclass(frozen, module = "mecn_native")]
pub struct DelayStats {
    inner: netsim::measure::DelayStats,
}

impl DelayStats {
    fn new(py: Python<'_>, stats: &netsim::measure::DelayStats) -> PyResult<Py<Self>> {
        Py::new(
            py,
            Self {
                inner: stats.clone(),
            },
        )
    }
}

#[pymethods]
impl DelayStats {
    #[getter]
    fn count(&self) -> u64 {
        self.inner.count()
    }

    #[getter]
    fn mean_s(&self) -> f64 {
        self.inner.mean_ns().map_or(f64::NAN, |ns| ns / 1e9)
    }

    #[getter]
    fn std_s(&self) -> f64 {
        self.inner.std_ns().map_or(f64::NAN, |ns| ns / 1e9)
    }

    #[getter]
    fn min_s(&self) -> f64 {
        self.inner.min_ns().map_or(f64::NAN, seconds)
    }

    #[getter]
    fn max_s(&self) -> f64 {
        self.inner.max_ns().map_or(f64::NAN, seconds)
    }

    #[getter]
    fn jitter_s(&self) -> f64 {
        self.inner.jitter_ns().map_or(f64::NAN, |ns| ns / 1e9)
    }

    fn percentile_s(&self, percent: f64) -> PyResult<f64> {
        if !(0.0..=100.0).contains(&percent) {
            return Err(NetworkError::new_err(format!(
                "percent must be 0 to 100, not {percent}"
            )));
        }
        Ok(self.inner.percentile_ns(percent).map_or(f64::NAN, seconds))
    }
}

/// A watched switch port.
#[pyclass(frozen, get_all, module = "mecn_native")]
pub struct PortResult {
    switch: String,
    port: u16,
    depth_mean: f64,
    depth_std: f64,
    depth_min: u32,
    depth_max: u32,
    fraction_empty: f64,
    fraction_idle: f64,
    busy_s: f64,
    utilisation: f64,
    enqueued: u64,
    tail_drops: u64,
    early_drops: u64,
    egress_drops: u64,
    sent_packets: u64,
    sent_bytes: u64,
    ecn_counts: (u64, u64, u64, u64),
    marked_incipient: u64,
    marked_ce: u64,
    trace_time_s: Py<PyBytes>,
    trace_depth: Py<PyBytes>,
    trace_average: Py<PyBytes>,
    trace_sent_bytes: Py<PyBytes>,
}

impl PortResult {
    fn new(py: Python<'_>, port: &netsim::PortResult) -> PyResult<Py<Self>> {
        let (counts, trace) = (&port.counts, &port.trace);
        let [not_ect, ect_1, ect_0, ce] = counts.ecn;
        let utilisation = port.busy_ns as f64 / port.window_ns as f64;
        let idle_ns = port.window_ns.saturating_sub(port.busy_ns);
        let result = Self {
            switch: port.switch.clone(),
            port: port.port,
            depth_mean: port.depth.mean,
            depth_std: port.depth.std,
            depth_min: port.depth.min,
            depth_max: port.depth.max,
            fraction_empty: port.depth.fraction_empty,
            fraction_idle: idle_ns as f64 / port.window_ns as f64,
            busy_s: seconds(port.busy_ns),
            utilisation,
            enqueued: counts.enqueued,
            tail_drops: counts.tail_drops,
            early_drops: counts.early_drops,
            egress_drops: counts.egress_drops,
            sent_packets: counts.sent_packets,
            sent_bytes: counts.sent_bytes,
            ecn_counts: (not_ect, ect_1, ect_0, ce),
            marked_incipient: counts.marked_incipient,
            marked_ce: counts.marked_ce,
            trace_time_s: times(py, &trace.time_ns)?,
            trace_depth: words(py, &trace.depth)?,
            trace_average: buffer(
                py,
                trace.average.iter().map(|average| average.to_le_bytes()),
            )?,
            trace_sent_bytes: buffer(py, trace.sent_bytes.iter().map(|sent| sent.to_le_bytes()))?,
        };
        Py::new(py, result)
    }
}

/// A flow.
#[pyclass(frozen, get_all, module = "mecn_native")]
pub struct FlowResult {
    src: String,
    dst: String,
    start_s: f64,
    established: bool,
    ecn_negotiated: bool,
    finished_s: Option<f64>,
    acked_bytes: u64,
    acked_packets: f64,
    goodput_bps: f64,
    sent_packets: u64,
    first_arrivals: u64,
    delivered_bytes: u64,
    retransmitted_packets: u64,
    retransmitted_bytes: u64,
    timeouts: u64,
    fast_retransmits: u64,
    reductions_incipient: u64,
    reductions_moderate: u64,
    reductions_loss: u64,
    holds: u64,
    srtt_s: f64,
    cwnd_bytes: u32,
    delay: Py<DelayStats>,
    cwnd_time_s: Py<PyBytes>,
    cwnd_trace_bytes: Py<PyBytes>,
    ssthresh_trace_bytes: Py<PyBytes>,
    cwnd_causes: Py<PyBytes>,
    flight_trace_bytes: Py<PyBytes>,
    srtt_trace_s: Py<PyBytes>,
    cwnd_trace_lost: u64,
    sent_segments: u64,
    received_segments: u64,
    idle_restarts: u64,
    web_pages: u64,
    web_active_s: f64,
    datagrams_sent: u64,
    datagrams_received: u64,
}

impl FlowResult {
    fn new(py: Python<'_>, flow: &netsim::FlowResult) -> PyResult<Py<Self>> {
        let (sender, trace) = (&flow.sender, &flow.cwnd_trace);
        let result = Self {
            src: flow.src.clone(),
            dst: flow.dst.clone(),
            start_s: seconds(flow.start_ns),
            established: flow.established,
            ecn_negotiated: flow.ecn_negotiated,
            finished_s: flow.finished_ns.map(seconds),
            acked_bytes: sender.bytes_acked,
            acked_packets: flow.acked_packets(),
            goodput_bps: flow.goodput_bps(),
            sent_packets: sender.data_segments_sent,
            first_arrivals: flow.first_arrivals,
            delivered_bytes: flow.receiver.bytes_delivered,
            retransmitted_packets: sender.segments_retransmitted,
            retransmitted_bytes: sender.bytes_retransmitted,
            timeouts: sender.timeouts,
            fast_retransmits: sender.fast_retransmits,
            reductions_incipient: sender.reductions.incipient,
            reductions_moderate: sender.reductions.moderate,
            reductions_loss: sender.reductions.fast_retransmit + sender.reductions.timeout,
            holds: sender.holds,
            srtt_s: flow.srtt_ns.map_or(f64::NAN, seconds),
            cwnd_bytes: flow.cwnd,
            delay: DelayStats::new(py, &flow.delay)?,
            cwnd_time_s: times(py, &trace.time_ns)?,
            cwnd_trace_bytes: words(py, &trace.cwnd)?,
            ssthresh_trace_bytes: words(py, &trace.ssthresh)?,
            cwnd_causes: buffer(py, trace.cause.iter().map(|cause| [*cause as u8]))?,
            flight_trace_bytes: words(py, &trace.flight)?,
            srtt_trace_s: times(py, &trace.srtt_ns)?,
            cwnd_trace_lost: trace.lost,
            sent_segments: sender.segments_sent,
            received_segments: flow.receiver.segments_received,
            idle_restarts: sender.idle_restarts,
            web_pages: flow.web.pages,
            web_active_s: seconds(flow.web.active_ns),
            datagrams_sent: flow.datagrams.sent,
            datagrams_received: flow.datagrams.received,
        };
        Py::new(py, result)
    }
}

/// A host or sink.
#[pyclass(frozen, get_all, module = "mecn_native")]
pub struct HostResult {
    name: String,
    sent_frames: u64,
    received_frames: u64,
    queue_drops: u64,
    queue_max: u32,
    misdelivered_frames: u64,
    damaged_frames: u64,
}

impl HostResult {
    fn new(py: Python<'_>, host: &netsim::HostResult) -> PyResult<Py<Self>> {
        let counts = &host.counts;
        let result = Self {
            name: host.name.clone(),
            sent_frames: counts.sent,
            received_frames: counts.received,
            queue_drops: counts.queue_drops,
            queue_max: host.queue_max,
            misdelivered_frames: counts.misdelivered,
            damaged_frames: counts.damaged,
        };
        Py::new(py, result)
    }
}

/// A switch.
#[pyclass(frozen, get_all, module = "mecn_native")]
pub struct SwitchResult {
    name: String,
    received_packets: u64,
    ingress_drops: u64,
    tail_drops: u64,
    egress_drops: u64,
    sent_packets: u64,
    unlinked_drops: u64,
}

impl SwitchResult {
    fn new(py: Python<'_>, switch: &netsim::SwitchResult) -> PyResult<Py<Self>> {
        let counts = &switch.counts;
        let result = Self {
            name: switch.name.clone(),
            received_packets: counts.received,
            ingress_drops: counts.ingress_drops,
            tail_drops: counts.tail_drops,
            egress_drops: counts.egress_drops,
            sent_packets: counts.sent,
            unlinked_drops: counts.unlinked_drops,
        };
        Py::new(py, result)
    }
}

/// Result of one run.
#[pyclass(frozen, module = "mecn_native")]
pub struct NetworkResult {
    run: netsim::RunResult,
    ports: Vec<Py<PortResult>>,
    flows: Vec<Py<FlowResult>>,
    hosts: Vec<Py<HostResult>>,
    switches: Vec<Py<SwitchResult>>,
    delay: Py<DelayStats>,
}

impl NetworkResult {
    pub fn new(py: Python<'_>, run: netsim::RunResult) -> PyResult<Self> {
        Ok(Self {
            ports: run
                .ports
                .iter()
                .map(|port| PortResult::new(py, port))
                .collect::<PyResult<_>>()?,
            flows: run
                .flows
                .iter()
                .map(|flow| FlowResult::new(py, flow))
                .collect::<PyResult<_>>()?,
            hosts: run
                .hosts
                .iter()
                .map(|host| HostResult::new(py, host))
                .collect::<PyResult<_>>()?,
            switches: run
                .switches
                .iter()
                .map(|switch| SwitchResult::new(py, switch))
                .collect::<PyResult<_>>()?,
            delay: DelayStats::new(py, &run.delay)?,
            run,
        })
    }
}

fn shared<T>(py: Python<'_>, list: &[Py<T>]) -> Vec<Py<T>> {
    list.iter().map(|item| item.clone_ref(py)).collect()
}

#[pymethods]
impl NetworkResult {
    #[getter]
    fn seed(&self) -> u64 {
        self.run.seed
    }

    #[getter]
    fn window_s(&self) -> (f64, f64) {
        (
            seconds(self.run.window_start_ns),
            seconds(self.run.window_end_ns),
        )
    }

    #[getter]
    fn events(&self) -> u64 {
        self.run.events
    }

    #[getter]
    fn ports(&self, py: Python<'_>) -> Vec<Py<PortResult>> {
        shared(py, &self.ports)
    }

    #[getter]
    fn flows(&self, py: Python<'_>) -> Vec<Py<FlowResult>> {
        shared(py, &self.flows)
    }

    #[getter]
    fn hosts(&self, py: Python<'_>) -> Vec<Py<HostResult>> {
        shared(py, &self.hosts)
    }

    #[getter]
    fn switches(&self, py: Python<'_>) -> Vec<Py<SwitchResult>> {
        shared(py, &self.switches)
    }

    #[getter]
    fn delay(&self, py: Python<'_>) -> Py<DelayStats> {
        self.delay.clone_ref(py)
    }

    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, format!("{:?}", self.run).as_bytes())
    }
}
