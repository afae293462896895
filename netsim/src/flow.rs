// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! One flow end to end: its source, its two endpoints and what is measured on it.

use std::net::SocketAddrV4;

use mecn_tcp::{Endpoint, EventKind, FourTuple, State, Stats};
use mecn_traffic::{DatagramSource, StreamAction, StreamSource, WebStats};

use crate::error::NetworkError;
use crate::measure::DelayRecorder;
use crate::network::{FlowSpec, Source};
use crate::result::{CwndTrace, DatagramCounts, FlowResult, SenderState};

/// Connections count endpoints: flow `i` has its sender at `2 i` and its receiver at `2 i + 1`.
pub(crate) const ENDS: u32 = 2;

/// An end of a flow, on a host.
#[derive(Debug)]
pub(crate) struct Connection {
    pub(crate) host: u32,
    pub(crate) local: SocketAddrV4,
    /// `None` until the flow starts, and for UDP.
    pub(crate) endpoint: Option<Endpoint>,
    /// Time of the earliest timer event that is pending; an endpoint's timer moves with nearly every segment, its event only when it
    /// would come too late.
    pub(crate) timer_at: u64,
}

impl Connection {
    pub(crate) fn new(host: u32, local: SocketAddrV4) -> Self {
        Self {
            host,
            local,
            endpoint: None,
            timer_at: u64::MAX,
        }
    }
}

/// What makes a flow's data.
#[derive(Debug)]
pub(crate) enum Traffic {
    Stream(StreamSource),
    Datagrams(DatagramSource),
}

/// A flow's source, and what is measured on it.
#[derive(Debug)]
pub(crate) struct Flow {
    pub(crate) start: u64,
    pub(crate) traffic: Traffic,
    pub(crate) datagrams: DatagramCounts,
    pub(crate) delay: DelayRecorder,
    /// Data segments that arrived and had not been sent before.
    pub(crate) first_arrivals: u64,
    trace: CwndTrace,
    trace_limit: usize,
    established: bool,
    finished: Option<u64>,
    /// Counters when the window began.
    before: [Stats; ENDS as usize],
    web_before: WebStats,
}

impl Flow {
    pub(crate) fn new(start: u64, spec: &FlowSpec, seed: u64) -> Self {
        let traffic = match spec.source {
            Source::Stream(stream) => Traffic::Stream(StreamSource::new(stream, seed)),
            Source::Datagrams(packets) => {
                Traffic::Datagrams(DatagramSource::new(packets, seed, start))
            }
        };
        Self {
            start,
            traffic,
            datagrams: DatagramCounts::default(),
            delay: DelayRecorder::default(),
            first_arrivals: 0,
            trace: CwndTrace::default(),
            trace_limit: spec.trace_limit,
            established: false,
            finished: None,
            before: [Stats::default(); ENDS as usize],
            web_before: WebStats::default(),
        }
    }

    /// A TCP flow starts.
    pub(crate) fn open(
        &mut self,
        spec: &FlowSpec,
        tuple: FourTuple,
        isn: u32,
        now: u64,
    ) -> Result<Endpoint, NetworkError> {
        let config = mecn_tcp::Config {
            trace: spec.trace_cwnd,
            ..spec.tcp
        };
        if let Traffic::Stream(source) = &mut self.traffic {
            source.start(now);
        }
        Endpoint::connect(config, tuple, isn, now).map_err(config_error)
    }

    /// When the application wants to do something next.
    pub(crate) fn next_time(&self) -> Option<u64> {
        match &self.traffic {
            Traffic::Stream(source) => source.next_time(),
            Traffic::Datagrams(source) => Some(source.next_time()),
        }
    }

    /// Takes the sender's events, lets the application write, and notes when all is acknowledged.
    pub(crate) fn follow_sender(&mut self, endpoint: &mut Endpoint, now: u64) {
        while let Some(event) = endpoint.poll_event() {
            match event.kind {
                EventKind::State(State::Established) => self.established = true,
                EventKind::Window {
                    cause,
                    cwnd,
                    ssthresh,
                    flight,
                    srtt,
                } => {
                    if self.trace.time_ns.len() >= self.trace_limit {
                        self.trace.lost += 1;
                        continue;
                    }
                    self.trace.time_ns.push(event.at);
                    self.trace.cwnd.push(cwnd);
                    self.trace.ssthresh.push(ssthresh);
                    self.trace.flight.push(flight);
                    self.trace.srtt_ns.push(srtt);
                    self.trace.cause.push(cause.into());
                }
                EventKind::State(_) | EventKind::Rtt { .. } => {}
            }
        }
        let Traffic::Stream(source) = &mut self.traffic else {
            return;
        };
        source.on_acked(endpoint.acked(), now);
        while let Some(action) = source.poll(now) {
            match action {
                StreamAction::Write(bytes) => endpoint.send(bytes),
                StreamAction::WriteUnlimited => endpoint.send_unlimited(),
                StreamAction::Close => endpoint.close(),
            }
        }
        let all = source.written();
        if self.finished.is_none() && source.is_over() && all > 0 && endpoint.acked() >= all {
            self.finished = Some(now);
        }
    }

    fn web(&self, now: u64) -> WebStats {
        match &self.traffic {
            Traffic::Stream(source) => source.web_stats(now),
            Traffic::Datagrams(_) => WebStats::default(),
        }
    }

    /// The measurement window begins.
    pub(crate) fn restart(&mut self, ends: [&Connection; ENDS as usize], now: u64) {
        self.datagrams = DatagramCounts::default();
        self.web_before = self.web(now);
        self.delay.restart();
        self.first_arrivals = 0;
        self.before = ends.map(stats);
    }

    /// The run has ended.
    pub(crate) fn finish(
        self,
        spec: &FlowSpec,
        names: [String; 2],
        ends: [&Connection; ENDS as usize],
        window: (u64, u64),
    ) -> FlowResult {
        let [src, dst] = names;
        let [sender, receiver] = ends.map(stats);
        let endpoint = ends[0].endpoint.as_ref();
        let web = self.web(window.1);
        FlowResult {
            src,
            dst,
            start_ns: self.start,
            established: self.established,
            ecn_negotiated: endpoint.is_some_and(Endpoint::ecn_negotiated),
            finished_ns: self.finished,
            mss: spec.tcp.mss,
            span_ns: window.1.saturating_sub(window.0.max(self.start)),
            sender: growth(&self.before[0], &sender),
            receiver: growth(&self.before[1], &receiver),
            datagrams: self.datagrams,
            web: WebStats {
                pages: web.pages - self.web_before.pages,
                active_ns: web.active_ns - self.web_before.active_ns,
            },
            srtt_ns: endpoint.and_then(|endpoint| endpoint.rtt().srtt()),
            cwnd: endpoint.map_or(0, Endpoint::cwnd),
            delay: self.delay.stats(),
            first_arrivals: self.first_arrivals,
            cwnd_trace: self.trace,
        }
    }
}

/// The sender's side of a flow now.
pub(crate) fn sender_state(sender: &Connection) -> SenderState {
    sender
        .endpoint
        .as_ref()
        .map_or_else(SenderState::default, |endpoint| SenderState {
            cwnd: endpoint.cwnd(),
            srtt_ns: endpoint.rtt().srtt(),
            bytes_acked: endpoint.stats().bytes_acked,
            segments_retransmitted: endpoint.stats().segments_retransmitted,
        })
}

fn stats(connection: &Connection) -> Stats {
    let endpoint = connection.endpoint.as_ref();
    endpoint.map_or_else(Stats::default, |endpoint| *endpoint.stats())
}

pub(crate) fn config_error(error: mecn_tcp::ConfigError) -> NetworkError {
    NetworkError::value(error.name, format!("must be {}", error.allowed))
}

/// `after - before`, counter by counter.
fn growth(before: &Stats, after: &Stats) -> Stats {
    macro_rules! differences {
        ($type:ident { $($field:ident),* ; $($nested:ident: $value:expr),* }) => {
            $type { $($field: after.$field - before.$field,)* $($nested: $value,)* }
        };
    }
    let reductions = mecn_tcp::Reductions {
        incipient: after.reductions.incipient - before.reductions.incipient,
        moderate: after.reductions.moderate - before.reductions.moderate,
        fast_retransmit: after.reductions.fast_retransmit - before.reductions.fast_retransmit,
        timeout: after.reductions.timeout - before.reductions.timeout,
    };
    differences!(Stats {
        segments_sent, data_segments_sent, segments_retransmitted, bytes_sent, bytes_retransmitted,
        bytes_acked, segments_received, bytes_delivered, duplicate_segments, out_of_order_segments,
        ranges_exhausted, unacceptable_segments, malformed_packets, foreign_packets, received_ect1,
        received_ce, echoed_incipient, echoed_moderate, dup_acks, timeouts, fast_retransmits, partial_acks,
        idle_restarts, challenge_acks, holds, events_lost; reductions: reductions
    })
}
