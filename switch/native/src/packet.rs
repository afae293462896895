// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! What became of packets, as Python sees it. Times are in nanoseconds, depths in packets.

use p4_engine::{DropReason, EnqueueRecord, ReceiveOutcome as Engine};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

/// What became of a packet in ingress.
#[pyclass(frozen, get_all, module = "mecn_native")]
pub struct ReceiveOutcome {
    /// enqueued, tail_dropped or dropped.
    kind: &'static str,
    /// Why a packet was dropped before any queue.
    reason: Option<&'static str>,
    /// The egress port; None if the packet was dropped before any queue.
    port: Option<u16>,
    /// Packets in that port's queue before the push, without the one in service.
    depth_packets: u32,
    /// Bytes in that queue before the push, with the port's overhead.
    depth_bytes: u64,
}

#[pymethods]
impl ReceiveOutcome {
    fn __repr__(&self) -> String {
        match (self.port, self.reason) {
            (Some(port), _) => format!(
                "<{} at port {port}, depth {}>",
                self.kind, self.depth_packets
            ),
            (None, reason) => format!("<{}: {}>", self.kind, reason.unwrap_or_default()),
        }
    }
}

impl From<Engine> for ReceiveOutcome {
    fn from(outcome: Engine) -> Self {
        match outcome {
            Engine::Enqueued(record) => Self::queued("enqueued", record),
            Engine::TailDropped(record) => Self::queued("tail_dropped", record),
            Engine::Dropped(reason) => Self::dropped(reason_name(reason)),
            Engine::Multicast { .. } => Self {
                kind: "multicast",
                reason: None,
                port: None,
                depth_packets: 0,
                depth_bytes: 0,
            },
            _ => Self::dropped("unknown"),
        }
    }
}

impl ReceiveOutcome {
    fn queued(kind: &'static str, record: EnqueueRecord) -> Self {
        Self {
            kind,
            reason: None,
            port: Some(record.port),
            depth_packets: record.depth_packets,
            depth_bytes: record.depth_bytes,
        }
    }

    fn dropped(reason: &'static str) -> Self {
        Self {
            kind: "dropped",
            reason: Some(reason),
            port: None,
            depth_packets: 0,
            depth_bytes: 0,
        }
    }
}

fn reason_name(reason: DropReason) -> &'static str {
    match reason {
        DropReason::Ingress => "ingress",
        DropReason::EmptyMulticastGroup => "empty_multicast_group",
        DropReason::PriorityOutOfRange => "priority_out_of_range",
        DropReason::PassLimit => "pass_limit",
        DropReason::AssertFailed => "assert_failed",
        _ => "unknown",
    }
}

/// A packet that began to be sent.
#[pyclass(frozen, get_all, module = "mecn_native")]
pub struct Departure {
    port: u16,
    /// Real bytes of the packet; None if egress dropped it.
    frame: Option<Py<PyBytes>>,
    /// Zero bytes after them that are not stored.
    payload_len: u32,
    enq_ns: u64,
    start_ns: u64,
    end_ns: u64,
    enq_qdepth: u32,
    deq_qdepth: u32,
    deq_bytes: u64,
}

impl Departure {
    /// With the packet's bytes taken out already.
    pub fn new(
        departure: &p4_engine::Departure,
        frame: Option<Py<PyBytes>>,
        payload_len: u32,
    ) -> Self {
        Self {
            port: departure.port,
            frame,
            payload_len,
            enq_ns: departure.enq_ns,
            start_ns: departure.start_ns,
            end_ns: departure.end_ns,
            enq_qdepth: departure.enq_qdepth,
            deq_qdepth: departure.deq_qdepth,
            deq_bytes: departure.deq_bytes,
        }
    }
}

#[pymethods]
impl Departure {
    fn __repr__(&self) -> String {
        let what = if self.frame.is_some() {
            "sent"
        } else {
            "dropped in egress"
        };
        format!(
            "<{what} at port {}, {}..{} ns>",
            self.port, self.start_ns, self.end_ns
        )
    }
}

/// Counts of one port.
#[pyclass(frozen, get_all, module = "mecn_native")]
pub struct PortStats {
    enqueued: u64,
    tail_drops: u64,
    sent: u64,
    sent_bytes: u64,
    egress_drops: u64,
    depth_packets: u32,
    depth_bytes: u64,
}

impl From<p4_engine::PortStats> for PortStats {
    fn from(stats: p4_engine::PortStats) -> Self {
        Self {
            enqueued: stats.enqueued,
            tail_drops: stats.tail_drops,
            sent: stats.sent,
            sent_bytes: stats.sent_bytes,
            egress_drops: stats.egress_drops,
            depth_packets: stats.depth_packets,
            depth_bytes: stats.depth_bytes,
        }
    }
}
