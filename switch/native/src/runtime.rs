// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! The switch on network interfaces, in real time, and on capture files, in virtual time.

use std::path::PathBuf;
use std::time::Duration;

use p4_engine::{PortConfig, Rate};
use p4_io::{
    Event, FilePort, Interface, IoError, PortSettings, PortTotals as Totals,
    Runtime as PacketRuntime, RuntimeConfig, TraceRecord,
};
use pyo3::create_exception;
use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::error::guarded;
use crate::switch::Switch;

create_exception!(
    mecn_native,
    InterfaceError,
    PyOSError,
    "An interface or a capture file cannot be used. One line that names it."
);

/// Adds everything of interfaces and files to the module.
pub fn add_to(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("InterfaceError", module.py().get_type::<InterfaceError>())?;
    module.add_class::<PortTotals>()?;
    module.add_class::<RuntimeEvent>()?;
    module.add_class::<FileTotals>()?;
    module.add_class::<Runtime>()?;
    module.add_function(wrap_pyfunction!(run_files, module)?)
}

fn refused(error: IoError) -> PyErr {
    match error {
        IoError::Config(reason) => PyValueError::new_err(reason),
        other => InterfaceError::new_err(other.to_string()),
    }
}

/// Counts of a port's interface.
#[pyclass(frozen, get_all, module = "mecn_native")]
#[derive(Clone)]
pub struct PortTotals {
    port: u16,
    interface: String,
    rx_packets: u64,
    rx_bytes: u64,
    rx_kernel_drops: u64,
    rx_errors: u64,
    rx_malformed: u64,
    rx_no_pipeline: u64,
    rx_link_drops: u64,
    checksums_completed: u64,
    super_packets: u64,
    vlan_tags_restored: u64,
    tx_packets: u64,
    tx_bytes: u64,
    tx_errors: u64,
    tx_too_long: u64,
    tx_link_drops: u64,
    late_mean_ns: u64,
    late_p99_ns: u64,
    late_max_ns: u64,
}

impl PortTotals {
    fn new(port: u16, interface: String, totals: &Totals) -> Self {
        Self {
            port,
            interface,
            rx_packets: totals.rx_packets,
            rx_bytes: totals.rx_bytes,
            rx_kernel_drops: totals.rx_kernel_drops,
            rx_errors: totals.rx_errors,
            rx_malformed: totals.rx_malformed,
            rx_no_pipeline: totals.rx_no_pipeline,
            rx_link_drops: totals.rx_link_drops,
            checksums_completed: totals.checksums_completed,
            super_packets: totals.super_packets,
            vlan_tags_restored: totals.vlan_tags_restored,
            tx_packets: totals.tx_packets,
            tx_bytes: totals.tx_bytes,
            tx_errors: totals.tx_errors,
            tx_too_long: totals.tx_too_long,
            tx_link_drops: totals.tx_link_drops,
            late_mean_ns: totals.lateness.mean_ns,
            late_p99_ns: totals.lateness.p99_ns,
            late_max_ns: totals.lateness.max_ns,
        }
    }
}

/// Something that the thread of packets reports.
#[pyclass(frozen, get_all, module = "mecn_native")]
pub struct RuntimeEvent {
    /// trace, warning or failed.
    kind: &'static str,
    text: String,
    /// For a trace: when, in nanoseconds since the start.
    time_ns: Option<u64>,
    /// For a trace: the packet's number; None if it concerns none in particular.
    packet: Option<u64>,
}

impl From<TraceRecord> for RuntimeEvent {
    fn from(record: TraceRecord) -> Self {
        Self {
            kind: "trace",
            text: record.text,
            time_ns: Some(record.time_ns),
            packet: (record.packet != 0).then_some(record.packet),
        }
    }
}

impl From<Event> for RuntimeEvent {
    fn from(event: Event) -> Self {
        let (kind, text) = match event {
            Event::Trace(record) => return record.into(),
            Event::Warning(text) => ("warning", text),
            Event::Failed(text) => ("failed", text),
            _ => ("warning", "unknown event".to_owned()),
        };
        Self {
            kind,
            text,
            time_ns: None,
            packet: None,
        }
    }
}

fn duration(seconds: f64) -> PyResult<Duration> {
    Duration::try_from_secs_f64(seconds)
        .map_err(|e| PyValueError::new_err(format!("{seconds} seconds: {e}")))
}

/// A thread that carries packets between interfaces and a switch.
#[pyclass(frozen, module = "mecn_native")]
pub struct Runtime {
    runtime: PacketRuntime,
}

#[pymethods]
impl Runtime {
    #[staticmethod]
    #[pyo3(signature = (interfaces, *, wires=vec![], cpu_port=None, busy_poll=false, capture=None,
                        drop_privileges=false))]
    fn start(
        py: Python<'_>,
        interfaces: Vec<(u16, String)>,
        wires: Vec<(u16, u16)>,
        cpu_port: Option<u16>,
        busy_poll: bool,
        capture: Option<PathBuf>,
        drop_privileges: bool,
    ) -> PyResult<Self> {
        let config = RuntimeConfig {
            interfaces: interfaces
                .into_iter()
                .map(|(port, name)| Interface { port, name })
                .collect(),
            wires,
            cpu_port,
            busy_poll,
            capture,
            drop_privileges,
        };
        guarded(|| {
            let runtime = py
                .detach(|| PacketRuntime::start(config))
                .map_err(refused)?;
            Ok(Self { runtime })
        })
    }

    fn set_switch(&self, py: Python<'_>, switch: &Switch) -> PyResult<u64> {
        let shared = switch.shared();
        guarded(|| Ok(py.detach(|| self.runtime.set_switch(shared))))
    }

    #[pyo3(signature = (
        port, *, rate_bps=None, rate_pps=None, limit_packets=Some(64), limit_bytes=None, overhead_bytes=0,
        delay_ns=0, in_rate_bps=None, in_delay_ns=0, in_limit_packets=None
    ))]
    #[expect(clippy::too_many_arguments, reason = "keyword arguments in Python")]
    fn configure_port(
        &self,
        py: Python<'_>,
        port: u16,
        rate_bps: Option<u64>,
        rate_pps: Option<u64>,
        limit_packets: Option<u32>,
        limit_bytes: Option<u64>,
        overhead_bytes: i32,
        delay_ns: u64,
        in_rate_bps: Option<u64>,
        in_delay_ns: u64,
        in_limit_packets: Option<u32>,
    ) -> PyResult<()> {
        let rate = match (rate_bps, rate_pps) {
            (None, None) => Rate::Unlimited,
            (Some(rate), None) => Rate::BitsPerSecond(rate),
            (None, Some(rate)) => Rate::PacketsPerSecond(rate),
            (Some(_), Some(_)) => {
                return Err(PyValueError::new_err(
                    "a port has rate_bps or rate_pps, not both",
                ));
            }
        };
        let settings = PortSettings {
            queue: PortConfig {
                rate,
                limit_packets,
                limit_bytes,
                overhead_bytes,
            },
            delay_ns,
            in_rate_bps: in_rate_bps.unwrap_or(0),
            in_delay_ns,
            in_limit_packets: in_limit_packets.unwrap_or(0),
        };
        guarded(|| {
            py.detach(|| self.runtime.configure_port(port, settings))
                .map_err(|e| PyValueError::new_err(format!("port {port}: {e}")))
        })
    }

    fn totals(&self) -> Vec<PortTotals> {
        let all = self.runtime.totals().into_iter();
        all.map(|(interface, totals)| PortTotals::new(interface.port, interface.name, &totals))
            .collect()
    }

    #[getter]
    fn unattached(&self) -> u64 {
        self.runtime.unattached()
    }

    #[getter]
    fn punt_drops(&self) -> u64 {
        self.runtime.punt_drops()
    }

    #[getter]
    fn lost_events(&self) -> u64 {
        self.runtime.lost_events()
    }

    fn now_ns(&self) -> u64 {
        self.runtime.now_ns()
    }

    fn set_trace(&self, on: bool) {
        self.runtime.set_trace(on);
    }

    fn flush_captures(&self) {
        self.runtime.flush_captures();
    }

    fn inject(&self, port: u16, frame: Vec<u8>) -> bool {
        self.runtime.inject(port, frame)
    }

    fn next_punted(&self, py: Python<'_>, timeout_s: f64) -> PyResult<Option<(u64, Py<PyBytes>)>> {
        let timeout = duration(timeout_s)?;
        let punted = py.detach(|| self.runtime.next_punted(timeout));
        Ok(punted.map(|(epoch, frame)| (epoch, PyBytes::new(py, &frame).unbind())))
    }

    fn wait_for_digests(&self, py: Python<'_>, timeout_s: f64) -> PyResult<bool> {
        let timeout = duration(timeout_s)?;
        Ok(py.detach(|| self.runtime.wait_for_digests(timeout)))
    }

    fn next_event(&self, py: Python<'_>, timeout_s: f64) -> PyResult<Option<RuntimeEvent>> {
        let timeout = duration(timeout_s)?;
        let event = py.detach(|| self.runtime.next_event(timeout));
        Ok(event.map(RuntimeEvent::from))
    }

    fn stop(&self, py: Python<'_>) {
        py.detach(|| self.runtime.stop());
    }
}

/// What a run on files did.
#[pyclass(frozen, get_all, module = "mecn_native")]
pub struct FileTotals {
    ports: Vec<PortTotals>,
    duration_ns: u64,
    unattached: u64,
    trace: Vec<Py<RuntimeEvent>>,
}

/// Runs a switch on capture files in virtual time.
#[pyfunction]
#[pyo3(signature = (switch, ports, *, delays_ns=vec![], trace=false))]
pub fn run_files(
    py: Python<'_>,
    switch: &Switch,
    ports: Vec<(u16, Option<PathBuf>, PathBuf)>,
    delays_ns: Vec<(u16, u64)>,
    trace: bool,
) -> PyResult<FileTotals> {
    let shared = switch.shared();
    let names: Vec<(u16, String)> = ports
        .iter()
        .map(|(port, _, output)| (*port, output.display().to_string()))
        .collect();
    let delay = |port| {
        let found = delays_ns.iter().find(|(of, _)| *of == port);
        found.map_or(0, |(_, delay)| *delay)
    };
    let ports: Vec<FilePort> = ports
        .into_iter()
        .map(|(port, input, output)| FilePort {
            port,
            input,
            output,
            delay_ns: delay(port),
        })
        .collect();
    guarded(|| {
        let mut records = Vec::new();
        let totals = py
            .detach(|| {
                let mut keep = |record| records.push(record);
                let sink: Option<&mut dyn FnMut(TraceRecord)> =
                    if trace { Some(&mut keep) } else { None };
                p4_io::run_files(&shared, &ports, sink)
            })
            .map_err(refused)?;
        let events: PyResult<Vec<_>> = records
            .into_iter()
            .map(|record| Py::new(py, RuntimeEvent::from(record)))
            .collect();
        Ok(FileTotals {
            ports: names
                .into_iter()
                .zip(&totals.ports)
                .map(|((port, name), totals)| PortTotals::new(port, name, totals))
                .collect(),
            duration_ns: totals.duration_ns,
            unattached: totals.unattached,
            trace: events?,
        })
    })
}
