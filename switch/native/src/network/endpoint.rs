// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! One end of a TCP connection by itself: packets and time in, packets out.

use std::net::SocketAddrV4;
use std::sync::{Mutex, MutexGuard, PoisonError};

use netsim::mecn_tcp::{Endpoint, FourTuple, MAX_HEADER_LEN};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use super::NetworkError;
use super::convert::{nanoseconds, parse_address};
use super::tcp::TcpConfig;

/// One end of a TCP connection.
#[pyclass(frozen, module = "mecn_native")]
pub struct TcpEndpoint {
    endpoint: Mutex<Endpoint>,
}

impl TcpEndpoint {
    fn lock(&self) -> MutexGuard<'_, Endpoint> {
        self.endpoint.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn of(endpoint: Result<Endpoint, netsim::mecn_tcp::ConfigError>) -> PyResult<Self> {
        match endpoint {
            Ok(endpoint) => Ok(Self {
                endpoint: Mutex::new(endpoint),
            }),
            Err(error) => Err(NetworkError::new_err(error.to_string())),
        }
    }
}

fn socket((address, port): (String, u16)) -> PyResult<SocketAddrV4> {
    Ok(SocketAddrV4::new(parse_address(&address)?, port))
}

/// Lengths of the IPv4 and TCP headers together, and of what follows them.
fn lengths(packet: &[u8]) -> Option<(usize, u32)> {
    let ip = 4 * usize::from(packet.first()? & 0x0f);
    let headers = ip + 4 * usize::from(packet.get(ip + 12)? >> 4);
    let payload = packet.len().checked_sub(headers)?;
    Some((headers, u32::try_from(payload).ok()?))
}

#[pymethods]
impl TcpEndpoint {
    #[staticmethod]
    #[pyo3(signature = (tcp, local, remote, *, isn = 0, now_s = 0.0))]
    fn connect(
        tcp: &TcpConfig,
        local: (String, u16),
        remote: (String, u16),
        isn: u32,
        now_s: f64,
    ) -> PyResult<Self> {
        let tuple = FourTuple {
            local: socket(local)?,
            remote: socket(remote)?,
        };
        let now = nanoseconds("now_s", now_s)?;
        Self::of(Endpoint::connect(tcp.config(), tuple, isn, now))
    }

    #[staticmethod]
    #[pyo3(signature = (tcp, local, *, isn = 0))]
    fn listen(tcp: &TcpConfig, local: (String, u16), isn: u32) -> PyResult<Self> {
        Self::of(Endpoint::listen(tcp.config(), socket(local)?, isn))
    }

    fn send(&self, bytes: u64) {
        self.lock().send(bytes);
    }

    fn receive(&self, packet: &[u8], now_s: f64) -> PyResult<()> {
        let now = nanoseconds("now_s", now_s)?;
        let (headers, payload) = lengths(packet)
            .ok_or_else(|| NetworkError::new_err("the packet is shorter than its headers"))?;
        let taken = self.lock().on_segment(&packet[..headers], payload, now);
        taken.map_err(|error| NetworkError::new_err(error.to_string()))
    }

    fn transmit<'py>(&self, py: Python<'py>, now_s: f64) -> PyResult<Option<Bound<'py, PyBytes>>> {
        let now = nanoseconds("now_s", now_s)?;
        let mut headers = [0; MAX_HEADER_LEN];
        let Some(sent) = self.lock().poll_transmit(now, &mut headers) else {
            return Ok(None);
        };
        let mut packet = headers[..sent.header_len].to_vec();
        packet.resize(sent.header_len + sent.payload_len as usize, 0);
        Ok(Some(PyBytes::new(py, &packet)))
    }

    fn timer(&self, now_s: f64) -> PyResult<()> {
        let now = nanoseconds("now_s", now_s)?;
        self.lock().on_timer(now);
        Ok(())
    }

    #[getter]
    fn next_timeout_s(&self) -> Option<f64> {
        self.lock().next_timeout().map(|at| at as f64 / 1e9)
    }

    #[getter]
    fn cwnd_bytes(&self) -> u32 {
        self.lock().cwnd()
    }

    #[getter]
    fn flight_bytes(&self) -> u32 {
        self.lock().flight()
    }

    #[getter]
    fn ecn_negotiated(&self) -> bool {
        self.lock().ecn_negotiated()
    }
}
