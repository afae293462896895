// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! A simulation in steps, with Python as the control plane between them.

use std::sync::Mutex;

use p4_engine::Switch as Engine;
use pyo3::exceptions::PyBaseException;
use pyo3::prelude::*;

use super::convert::nanoseconds;
use super::result::NetworkResult;
use super::{Flow, NetworkError, Node, refused};
use crate::entry::{self, TableEntry};
use crate::error::{self, InternalError, NotFoundError, guarded};
use crate::externs::{self, NamedDigest};
use crate::packet::PortStats;
use crate::update::{self, TableUpdate};
use crate::value::Int;

/// A simulation that has been begun.
#[pyclass(frozen, module = "mecn_native")]
pub struct NetworkSession {
    network: u64,
    /// None once it has been finished.
    inner: Mutex<Option<netsim::Session>>,
}

/// Runs `work` with a question whether a signal has come; the signal's exception goes before the error that it causes.
pub fn interruptible<T>(
    work: impl FnOnce(&mut dyn FnMut() -> bool) -> Result<T, netsim::NetworkError>,
) -> PyResult<T> {
    let mut signal = None;
    let result = work(&mut || {
        signal = Python::attach(|py| py.check_signals()).err();
        signal.is_some()
    });
    match signal {
        Some(error) => Err(error),
        None => result.map_err(refused),
    }
}

impl NetworkSession {
    pub fn new(network: u64, session: netsim::Session) -> Self {
        Self {
            network,
            inner: Mutex::new(Some(session)),
        }
    }

    /// Does `work` on the session without holding Python's lock.
    fn with<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut Option<netsim::Session>) -> PyResult<T> + Send,
    ) -> PyResult<T> {
        guarded(|| {
            py.detach(|| {
                let mut inner = self.inner.lock().map_err(|_| {
                    InternalError::new_err("the session is unusable after an internal error")
                })?;
                work(&mut inner)
            })
        })
    }

    fn with_switch<T: Send>(
        &self,
        py: Python<'_>,
        node: &Node,
        work: impl FnOnce(&mut Engine) -> PyResult<T> + Send,
    ) -> PyResult<T> {
        if node.network != self.network {
            return Err(NetworkError::new_err(format!(
                "node {} belongs to another network",
                node.name
            )));
        }
        self.with(py, |inner| {
            work(running(inner)?.switch(node.id).map_err(refused)?)
        })
    }
}

/// The sender's side of a flow at an instant.
#[pyclass(frozen, get_all, module = "mecn_native")]
pub struct SenderState {
    cwnd_bytes: u32,
    srtt_s: f64,
    acked_bytes: u64,
    retransmitted_packets: u64,
}

impl From<netsim::SenderState> for SenderState {
    fn from(state: netsim::SenderState) -> Self {
        Self {
            cwnd_bytes: state.cwnd,
            srtt_s: state.srtt_ns.map_or(f64::NAN, |srtt| srtt as f64 / 1e9),
            acked_bytes: state.bytes_acked,
            retransmitted_packets: state.segments_retransmitted,
        }
    }
}

fn running(inner: &mut Option<netsim::Session>) -> PyResult<&mut netsim::Session> {
    inner
        .as_mut()
        .ok_or_else(|| NetworkError::new_err("the session has been finished"))
}

#[pymethods]
impl NetworkSession {
    #[getter]
    fn now_s(&self, py: Python<'_>) -> PyResult<f64> {
        self.with(py, |inner| Ok(running(inner)?.now_ns() as f64 / 1e9))
    }

    fn run_until(&self, py: Python<'_>, time_s: f64) -> PyResult<()> {
        let time = nanoseconds("time_s", time_s)?;
        self.with(py, |inner| {
            let session = running(inner)?;
            interruptible(|interrupted| session.run_until(time, interrupted))
        })
    }

    fn finish(&self, py: Python<'_>) -> PyResult<NetworkResult> {
        let result = self.with(py, |inner| {
            running(inner)?;
            match inner.take() {
                Some(session) => interruptible(|interrupted| session.finish(interrupted)),
                None => Err(NetworkError::new_err("the session has been finished")),
            }
        })?;
        NetworkResult::new(py, result)
    }

    // ---- The control plane between two steps ---------------------------------------------------

    fn take_digests(&self, py: Python<'_>, switch: &Node) -> PyResult<Vec<NamedDigest>> {
        self.with_switch(py, switch, |engine| Ok(externs::take_digests(engine)))
    }

    fn entries(&self, py: Python<'_>, switch: &Node, table: &str) -> PyResult<Vec<TableEntry>> {
        self.with_switch(py, switch, |engine| {
            let index = engine.program().table(table);
            let index = index
                .ok_or_else(|| NotFoundError::new_err(format!("there is no table `{table}`")))?;
            entry::entries(engine, index)
        })
    }

    fn update_tables(
        &self,
        py: Python<'_>,
        switch: &Node,
        updates: Vec<TableUpdate>,
    ) -> PyResult<Option<(usize, Py<PyBaseException>)>> {
        let refused = self.with_switch(py, switch, |engine| {
            Ok(update::all_or_none(engine, &updates).err())
        })?;
        Ok(refused.map(|(i, refused)| (i, error::control(refused).into_value(py))))
    }

    fn counter_read(
        &self,
        py: Python<'_>,
        switch: &Node,
        counter: &str,
        index: usize,
    ) -> PyResult<(u64, u64)> {
        self.with_switch(py, switch, |engine| {
            let place = engine.program().counter(counter).ok_or_else(|| {
                NotFoundError::new_err(format!("there is no counter `{counter}`"))
            })?;
            let value = engine.counter_read(place, index).map_err(error::control)?;
            Ok((value.packets, value.bytes))
        })
    }

    // ---- What can be looked at -----------------------------------------------------------------

    fn register_read(
        &self,
        py: Python<'_>,
        switch: &Node,
        register: &str,
        index: usize,
    ) -> PyResult<Int> {
        self.with_switch(py, switch, |engine| {
            let place = engine.program().register(register).ok_or_else(|| {
                NotFoundError::new_err(format!("there is no register `{register}`"))
            })?;
            let value = engine.register_read(place, index);
            value.map(Int).map_err(error::control)
        })
    }

    fn port_stats(&self, py: Python<'_>, switch: &Node, port: u16) -> PyResult<PortStats> {
        self.with_switch(py, switch, |engine| Ok(engine.port_stats(port).into()))
    }

    fn sender(&self, py: Python<'_>, flow: &Flow) -> PyResult<SenderState> {
        if flow.network != self.network {
            return Err(NetworkError::new_err(format!(
                "flow {} belongs to another network",
                flow.index
            )));
        }
        self.with(py, |inner| {
            let session = running(inner)?;
            let state = session
                .sender(netsim::FlowId(flow.index))
                .map_err(refused)?;
            Ok(state.into())
        })
    }
}
