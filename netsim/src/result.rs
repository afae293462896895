// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! What a run found out.

use mecn_tcp::{Level, WindowCause};
use mecn_traffic::WebStats;

use crate::measure::{DelayStats, DepthStats, DepthTrace};

/// Result of a run. Lists are in the order in which their things were added to the network.
#[derive(Clone, Debug, PartialEq)]
pub struct RunResult {
    /// The seed used.
    pub seed: u64,
    /// Begin of the measurement window, nanoseconds.
    pub window_start_ns: u64,
    /// End of the run and of the window, nanoseconds.
    pub window_end_ns: u64,
    /// Number of events simulated.
    pub events: u64,
    /// Watched ports.
    pub ports: Vec<PortResult>,
    /// Flows.
    pub flows: Vec<FlowResult>,
    /// Hosts and sinks.
    pub hosts: Vec<HostResult>,
    /// Switches.
    pub switches: Vec<SwitchResult>,
    /// Delays of the data packets of all flows.
    pub delay: DelayStats,
    /// Where all frames of the whole run have gone.
    pub conservation: Conservation,
}

/// Frames of the whole run, window or not. As long as the programs neither copy nor make packets,
/// `sent` equals the sum of all others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Conservation {
    /// Given to a host's queue by its TCP.
    pub sent: u64,
    /// Arrived at a host or sink, whether or not it was for it.
    pub received: u64,
    /// Dropped: host queues, switches, ports without a link.
    pub dropped: u64,
    /// On wires and in queues at the end.
    pub in_flight: u64,
}

/// A watched port. Depth is in packets, the one in service not counted.
#[derive(Clone, Debug, PartialEq)]
pub struct PortResult {
    /// Name of the switch.
    pub switch: String,
    /// Its port.
    pub port: u16,
    /// The queue over the window.
    pub depth: DepthStats,
    /// Time within the window in which the port was transmitting, nanoseconds.
    pub busy_ns: u64,
    /// Length of the window, nanoseconds.
    pub window_ns: u64,
    /// What was counted within the window.
    pub counts: PortCounts,
    /// The queue over the whole run.
    pub trace: DepthTrace,
}

/// Packets of a watched port.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PortCounts {
    /// Put into the queue.
    pub enqueued: u64,
    /// Found the queue full.
    pub tail_drops: u64,
    /// Growth of the early drop counter.
    pub early_drops: u64,
    /// Dropped by the egress pipeline.
    pub egress_drops: u64,
    /// Transmission began.
    pub sent_packets: u64,
    /// Their bytes as the port's rate counts them.
    pub sent_bytes: u64,
    /// Sent IPv4 packets by the number in their ECN field: Not-ECT, ECT(1), ECT(0), CE.
    pub ecn: [u64; 4],
    /// Came into the switch with ECT(0) and left with ECT(1).
    pub marked_incipient: u64,
    /// Came into the switch with ECT(0) or ECT(1) and left with CE.
    pub marked_ce: u64,
}

/// UDP packets of a flow within the window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DatagramCounts {
    /// Made by the source. Those in flight at the window's ends make the difference to `received` inexact.
    pub sent: u64,
    /// Arrived at the receiver.
    pub received: u64,
    /// IP bytes of those received.
    pub received_bytes: u64,
}

/// A flow.
#[derive(Clone, Debug, PartialEq)]
pub struct FlowResult {
    /// Name of the sender.
    pub src: String,
    /// Name of the receiver.
    pub dst: String,
    /// When the connection was opened, nanoseconds.
    pub start_ns: u64,
    /// Whether the handshake has ended.
    pub established: bool,
    /// Whether ECN was negotiated.
    pub ecn_negotiated: bool,
    /// When the last of a limited number of bytes was acknowledged, nanoseconds.
    pub finished_ns: Option<u64>,
    /// Payload bytes of a full segment.
    pub mss: u16,
    /// From the begin of the window, or the flow's start if that is later, to the end; nanoseconds.
    pub span_ns: u64,
    /// The sender's counters, growth within the window.
    pub sender: mecn_tcp::Stats,
    /// The receiver's counters, growth within the window.
    pub receiver: mecn_tcp::Stats,
    /// UDP packets; nothing for a TCP flow.
    pub datagrams: DatagramCounts,
    /// Transfers of a web session, growth within the window; nothing for other flows.
    pub web: WebStats,
    /// Smoothed round-trip time at the end, nanoseconds.
    pub srtt_ns: Option<u64>,
    /// Congestion window at the end, bytes.
    pub cwnd: u32,
    /// Delays of its data packets within the window.
    pub delay: DelayStats,
    /// Of those, the ones that had not been sent before: first transmissions that were delivered.
    pub first_arrivals: u64,
    /// Congestion window over the whole run.
    pub cwnd_trace: CwndTrace,
}

impl FlowResult {
    /// Acknowledged new data in full segments.
    pub fn acked_packets(&self) -> f64 {
        self.sender.bytes_acked as f64 / f64::from(self.mss)
    }

    /// Acknowledged new data over time, bits per second.
    pub fn goodput_bps(&self) -> f64 {
        if self.span_ns == 0 {
            return 0.0;
        }
        self.sender.bytes_acked as f64 * 8e9 / self.span_ns as f64
    }
}

/// The sender's side of a flow at an instant; counts since the beginning of the run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SenderState {
    /// Congestion window, bytes; 0 before the flow starts, and for UDP.
    pub cwnd: u32,
    /// Smoothed round-trip time, nanoseconds.
    pub srtt_ns: Option<u64>,
    /// New data acknowledged.
    pub bytes_acked: u64,
    /// Segments sent again.
    pub segments_retransmitted: u64,
}

/// Why a congestion window changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum CwndCause {
    /// Set at the start of the connection.
    Initial,
    /// Grown in slow start.
    SlowStart,
    /// Grown in congestion avoidance.
    CongestionAvoidance,
    /// Cut for an incipient mark.
    Incipient,
    /// Cut for a moderate mark (CE).
    Moderate,
    /// Third duplicate ACK.
    FastRetransmit,
    /// Inflated by a duplicate ACK in fast recovery.
    Inflation,
    /// Deflated at the end of fast recovery.
    Deflation,
    /// Retransmission timeout.
    Timeout,
    /// Deflated by a partial ACK in NewReno's recovery.
    PartialAck,
    /// Back to the initial window after a time without sending.
    Idle,
}

impl CwndCause {
    /// Names, in the order of the numbers.
    pub const NAMES: [&'static str; 11] = [
        "initial",
        "slow start",
        "congestion avoidance",
        "incipient",
        "moderate",
        "fast retransmit",
        "inflation",
        "deflation",
        "timeout",
        "partial ack",
        "idle",
    ];
}

impl From<WindowCause> for CwndCause {
    fn from(cause: WindowCause) -> Self {
        match cause {
            WindowCause::Initial => Self::Initial,
            WindowCause::SlowStart => Self::SlowStart,
            WindowCause::CongestionAvoidance => Self::CongestionAvoidance,
            WindowCause::Ecn(Level::Incipient) => Self::Incipient,
            WindowCause::Ecn(Level::None | Level::Moderate | Level::Loss) => Self::Moderate,
            WindowCause::FastRetransmit { .. } => Self::FastRetransmit,
            WindowCause::Inflation => Self::Inflation,
            WindowCause::Deflation => Self::Deflation,
            WindowCause::Timeout => Self::Timeout,
            WindowCause::PartialAck => Self::PartialAck,
            WindowCause::Idle => Self::Idle,
        }
    }
}

/// Changes of a congestion window, one vector for each quantity. It has at most as many points as
/// [`FlowSpec::trace_limit`](crate::FlowSpec::trace_limit) says; what came after them is counted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CwndTrace {
    /// Nanoseconds.
    pub time_ns: Vec<u64>,
    /// Congestion window from then on, bytes.
    pub cwnd: Vec<u32>,
    /// Slow start threshold from then on, bytes.
    pub ssthresh: Vec<u32>,
    /// Bytes sent and not acknowledged.
    pub flight: Vec<u32>,
    /// Smoothed round-trip time, nanoseconds; 0 before the first measurement.
    pub srtt_ns: Vec<u64>,
    /// Why.
    pub cause: Vec<CwndCause>,
    /// Changes beyond the limit.
    pub lost: u64,
}

/// A host or sink, within the window.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HostResult {
    /// Its name.
    pub name: String,
    /// What was counted within the window.
    pub counts: HostCounts,
    /// Deepest that its own queue got, packets; whole run.
    pub queue_max: u32,
}

/// Frames of a host or sink.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HostCounts {
    /// Given to its own queue and not dropped there.
    pub sent: u64,
    /// Arrived.
    pub received: u64,
    /// Found its own queue full.
    pub queue_drops: u64,
    /// Arrived for another MAC or IP address, or for no connection.
    pub misdelivered: u64,
    /// Arrived for a connection, whose TCP refused them: bad checksum or length.
    pub damaged: u64,
}

/// A switch, within the window.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SwitchResult {
    /// Its name.
    pub name: String,
    /// What was counted within the window.
    pub counts: SwitchCounts,
}

/// Packets of a switch, all ports.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SwitchCounts {
    /// Arrived.
    pub received: u64,
    /// Dropped by the ingress pipeline.
    pub ingress_drops: u64,
    /// Found a queue full.
    pub tail_drops: u64,
    /// Dropped by the egress pipeline.
    pub egress_drops: u64,
    /// Sent out of a port with a link.
    pub sent: u64,
    /// Sent out of a port without a link.
    pub unlinked_drops: u64,
}
