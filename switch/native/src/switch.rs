// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! The switch engine: control plane by name, packets with explicit time.

use std::sync::Arc;

use p4_engine::{
    CounterValue, Execution, PortConfig, Program, Rate, ReceiveOutcome as EngineOutcome,
    Switch as Engine, SwitchConfig,
};
use p4_io::SharedSwitch;
use pyo3::exceptions::{PyBaseException, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use pyo3::types::PyBytes;

use crate::entry::{
    self, ActionCall, ActionInfo, CounterInfo, MatchField, RegisterInfo, TableEntry, TableInfo,
    key_to_engine,
};
use crate::error::{self, InternalError, NotFoundError};
use crate::packet::{Departure, PortStats, ReceiveOutcome};
use crate::update::{self, TableUpdate};
use crate::value::Int;

/// A P4 program at work. Safe to share between threads: each call takes the switch for itself.
#[pyclass(frozen, module = "mecn_native")]
pub struct Switch {
    engine: Arc<SharedSwitch>,
    program: Arc<Program>,
}

impl Switch {
    fn wrap(engine: Engine) -> Self {
        Self {
            program: Arc::clone(engine.program()),
            engine: Arc::new(SharedSwitch::new(engine)),
        }
    }

    /// Does `work` on the switch without holding Python's lock: packets must not wait for Python.
    pub(crate) fn with<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut Engine) -> PyResult<T> + Send,
    ) -> PyResult<T> {
        error::guarded(|| {
            py.detach(|| {
                let _turn = self.engine.announce();
                let mut engine = self.engine.mutex().lock().map_err(|_| unusable())?;
                work(&mut engine)
            })
        })
    }

    /// Does `work` that needs Python on the switch.
    fn with_attached<T>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut Engine) -> PyResult<T>,
    ) -> PyResult<T> {
        error::guarded(|| {
            let _turn = self.engine.announce();
            let mutex = self.engine.mutex();
            let mut engine = mutex.lock_py_attached(py).map_err(|_| unusable())?;
            work(&mut engine)
        })
    }

    /// The switch itself, for the thread of packets.
    pub fn shared(&self) -> Arc<SharedSwitch> {
        Arc::clone(&self.engine)
    }

    /// The same program, entries, defaults and port settings with fresh state, for the virtual network.
    pub fn fork_engine(&self, py: Python<'_>, seed: u64) -> PyResult<Engine> {
        self.with(py, |engine| Ok(engine.fork(seed)))
    }

    /// The compiled program.
    pub(crate) fn program(&self) -> &Program {
        &self.program
    }

    pub(crate) fn table(&self, name: &str) -> PyResult<usize> {
        self.program
            .table(name)
            .ok_or_else(|| NotFoundError::new_err(format!("there is no table `{name}`")))
    }

    fn counter(&self, name: &str) -> PyResult<usize> {
        self.program
            .counter(name)
            .ok_or_else(|| NotFoundError::new_err(format!("there is no counter `{name}`")))
    }

    fn register(&self, name: &str) -> PyResult<usize> {
        self.program
            .register(name)
            .ok_or_else(|| NotFoundError::new_err(format!("there is no register `{name}`")))
    }
}

#[pymethods]
impl Switch {
    /// Loads a BMv2 JSON.
    #[staticmethod]
    #[expect(clippy::too_many_arguments, reason = "keyword arguments in Python")]
    #[pyo3(signature = (json, *, seed=0, drop_port=511, log_capacity=0, priority_queues=1, max_passes=16,
                        execution="auto"))]
    fn from_json(
        py: Python<'_>,
        json: &[u8],
        seed: u64,
        drop_port: u16,
        log_capacity: usize,
        priority_queues: u8,
        max_passes: u32,
        execution: &str,
    ) -> PyResult<Self> {
        let execution = match execution {
            "auto" => Execution::Auto,
            "compiled" => Execution::Compiled,
            "interpreted" => Execution::Interpreted,
            _ => {
                return Err(PyValueError::new_err(format!(
                    "execution is `auto`, `compiled` or `interpreted`, not `{execution}`"
                )));
            }
        };
        let config = SwitchConfig {
            seed,
            drop_port,
            log_capacity,
            priority_queues,
            max_passes,
            execution,
            ..SwitchConfig::default()
        };
        error::guarded(|| {
            let program = py
                .detach(|| Program::from_bmv2_json(json))
                .map_err(|e| error::load(&e))?;
            Ok(Self::wrap(Engine::new(Arc::new(program), config)))
        })
    }

    #[getter]
    fn is_compiled(&self, py: Python<'_>) -> PyResult<bool> {
        self.with(py, |engine| Ok(engine.is_compiled()))
    }

    fn fork(&self, py: Python<'_>, seed: u64) -> PyResult<Self> {
        self.fork_engine(py, seed).map(Self::wrap)
    }

    // ---- What the program consists of --------------------------------------------------------

    fn tables(&self) -> Vec<TableInfo> {
        entry::tables(&self.program)
    }

    fn actions(&self) -> Vec<ActionInfo> {
        entry::actions(&self.program)
    }

    fn counters(&self) -> Vec<CounterInfo> {
        entry::counters(&self.program)
    }

    fn registers(&self) -> Vec<RegisterInfo> {
        entry::registers(&self.program)
    }

    // ---- Tables ------------------------------------------------------------------------------

    fn unlock_entries(&self, py: Python<'_>, table: &str) -> PyResult<()> {
        let index = self.table(table)?;
        self.with(py, |engine| {
            engine.table_unlock(index).map_err(error::control)
        })
    }

    fn clear_entries(&self, py: Python<'_>, table: &str) -> PyResult<()> {
        let index = self.table(table)?;
        self.with(py, |engine| {
            engine.table_clear(index).map_err(error::control)
        })
    }

    fn entry(
        &self,
        py: Python<'_>,
        table: &str,
        r#match: Vec<MatchField>,
        priority: i32,
    ) -> PyResult<TableEntry> {
        let index = self.table(table)?;
        let key = key_to_engine(r#match);
        self.with(py, |engine| {
            let (entry, counter) = engine
                .table_entry(index, &key, priority)
                .map_err(error::control)?;
            Ok(TableEntry::from_engine(
                &self.program,
                entry,
                counter,
                entry::is_const(&self.program, index),
            ))
        })
    }

    fn entries(&self, py: Python<'_>, table: &str) -> PyResult<Vec<TableEntry>> {
        let index = self.table(table)?;
        self.with(py, |engine| entry::entries(engine, index))
    }

    fn default_action(&self, py: Python<'_>, table: &str) -> PyResult<Option<ActionCall>> {
        let index = self.table(table)?;
        self.with(py, |engine| {
            let action = engine.default_action(index).map_err(error::control)?;
            Ok(action.map(|call| ActionCall::from_engine(&self.program, call)))
        })
    }

    fn update(&self, py: Python<'_>, change: TableUpdate) -> PyResult<()> {
        self.with(py, |engine| {
            update::all_or_none(engine, &[change]).map_err(|(_, refused)| error::control(refused))
        })
    }

    /// All or none; returns the index of the update that was refused, and why.
    fn update_tables(
        &self,
        py: Python<'_>,
        updates: Vec<TableUpdate>,
    ) -> PyResult<Option<(usize, Py<PyBaseException>)>> {
        let refused = self.with(py, |engine| Ok(update::all_or_none(engine, &updates).err()))?;
        Ok(refused.map(|(i, refused)| (i, error::control(refused).into_value(py))))
    }

    // ---- Counters and registers --------------------------------------------------------------

    fn counter_read(&self, py: Python<'_>, counter: &str, index: usize) -> PyResult<(u64, u64)> {
        let counter = self.counter(counter)?;
        self.with(py, |engine| {
            let value = engine
                .counter_read(counter, index)
                .map_err(error::control)?;
            Ok((value.packets, value.bytes))
        })
    }

    fn counter_write(
        &self,
        py: Python<'_>,
        counter: &str,
        index: usize,
        packets: u64,
        bytes: u64,
    ) -> PyResult<()> {
        let counter = self.counter(counter)?;
        let value = CounterValue { packets, bytes };
        self.with(py, |engine| {
            engine
                .counter_write(counter, index, value)
                .map_err(error::control)
        })
    }

    fn register_read(&self, py: Python<'_>, register: &str, index: usize) -> PyResult<Int> {
        let register = self.register(register)?;
        self.with(py, |engine| {
            engine
                .register_read(register, index)
                .map(Int)
                .map_err(error::control)
        })
    }

    fn register_write(
        &self,
        py: Python<'_>,
        register: &str,
        index: usize,
        value: Int,
    ) -> PyResult<()> {
        let register = self.register(register)?;
        self.with(py, |engine| {
            engine
                .register_write(register, index, &value.0)
                .map_err(error::control)
        })
    }

    // ---- Packets -----------------------------------------------------------------------------

    #[pyo3(signature = (
        port, *, rate_bps=None, rate_pps=None, limit_packets=Some(64), limit_bytes=None, overhead_bytes=0
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
        let config = PortConfig {
            rate,
            limit_packets,
            limit_bytes,
            overhead_bytes,
        };
        self.with(py, |engine| {
            engine
                .configure_port(port, config)
                .map_err(|e| PyValueError::new_err(format!("port {port}: {e}")))
        })
    }

    fn port_stats(&self, py: Python<'_>, port: u16) -> PyResult<PortStats> {
        self.with(py, |engine| Ok(engine.port_stats(port).into()))
    }

    #[pyo3(signature = (port, frame, now_ns, *, payload_len=0))]
    fn receive(
        &self,
        py: Python<'_>,
        port: u16,
        frame: &[u8],
        now_ns: u64,
        payload_len: u32,
    ) -> PyResult<ReceiveOutcome> {
        self.with(py, |engine| {
            Ok(receive(engine, port, frame, payload_len, now_ns).into())
        })
    }

    fn next_departure(&self, py: Python<'_>) -> PyResult<Option<u64>> {
        self.with(py, |engine| Ok(engine.next_departure()))
    }

    fn depart(&self, py: Python<'_>, now_ns: u64) -> PyResult<Option<Departure>> {
        self.with_attached(py, |engine| {
            Ok(engine
                .depart(now_ns)
                .map(|departure| collect(py, engine, departure)))
        })
    }

    #[pyo3(signature = (port, frame, now_ns=0, *, payload_len=0))]
    fn process(
        &self,
        py: Python<'_>,
        port: u16,
        frame: &[u8],
        now_ns: u64,
        payload_len: u32,
    ) -> PyResult<Vec<Departure>> {
        self.with_attached(py, |engine| {
            receive(engine, port, frame, payload_len, now_ns);
            let mut departures = Vec::new();
            while let Some(departure) = engine.depart(u64::MAX) {
                departures.push(collect(py, engine, departure));
            }
            Ok(departures)
        })
    }

    fn take_log(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        self.with(py, |engine| Ok(engine.take_log()))
    }
}

fn unusable() -> PyErr {
    InternalError::new_err("the switch is unusable after an internal error")
}

fn receive(
    engine: &mut Engine,
    port: u16,
    frame: &[u8],
    payload_len: u32,
    now_ns: u64,
) -> EngineOutcome {
    let mut bytes = engine.take_buffer();
    bytes.extend_from_slice(frame);
    engine.receive(port, p4_engine::Packet::new(bytes, payload_len), now_ns)
}

/// Copies a departed packet to Python and gives its buffer back.
fn collect(py: Python<'_>, engine: &mut Engine, mut departure: p4_engine::Departure) -> Departure {
    let packet = departure.packet.take();
    let payload_len = packet.as_ref().map_or(0, |packet| packet.payload_len);
    let frame = packet.map(|packet| {
        let frame = PyBytes::new(py, &packet.bytes).unbind();
        engine.recycle(packet);
        frame
    });
    Departure::new(&departure, frame, payload_len)
}
