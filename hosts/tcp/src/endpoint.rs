// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! The connection: its state, its construction and what an application sees of it.

use crate::config::{Config, ConfigError};
use crate::congestion::Congestion;
use crate::ecn::EcnState;
use crate::reader::Reader;
use crate::reassembly::Reassembly;
use crate::recovery::Recovery;
use crate::rtt::RttEstimator;
use crate::scoreboard::Scoreboard;
use crate::stats::{Event, EventKind, EventRing, Stats, WindowCause};
use std::net::SocketAddrV4;

/// What a TCP connection is told apart by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FourTuple {
    /// This end.
    pub local: SocketAddrV4,
    /// The other end.
    pub remote: SocketAddrV4,
}

/// Connection states of RFC 9293, section 3.3.2.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum State {
    /// No connection.
    Closed,
    /// Waiting for a SYN.
    Listen,
    /// SYN sent.
    SynSent,
    /// SYN received and sent.
    SynReceived,
    /// Open both ways.
    Established,
    /// FIN sent.
    FinWait1,
    /// FIN sent and acknowledged.
    FinWait2,
    /// FIN received.
    CloseWait,
    /// FIN sent, then received, not acknowledged.
    Closing,
    /// FIN received, then sent.
    LastAck,
    /// Closed both ways, waiting for old segments to die out.
    TimeWait,
}

/// When the next ACK is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AckDue {
    No,
    /// At this time at the latest: a delayed ACK.
    At(u64),
    Now,
}

/// Random processing time at the sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Processing {
    Idle,
    /// A segment is being worked on until this time.
    Until(u64),
    /// It can be sent.
    Done,
}

/// A reset to be sent.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PendingReset {
    pub(crate) remote: SocketAddrV4,
    pub(crate) seq: u32,
    pub(crate) ack: Option<u32>,
}

/// Stream length that is never reached: unlimited data.
pub(crate) const UNLIMITED: u64 = 1 << 62;

/// One end of a TCP connection.
///
/// Inside, sequence numbers are 64-bit *positions* that never wrap: 0 is the SYN, byte i of the stream is
/// position 1 + i, the FIN follows the last byte. Only headers hold the 32-bit numbers.
#[derive(Clone, Debug)]
pub struct Endpoint {
    pub(crate) config: Config,
    pub(crate) local: SocketAddrV4,
    pub(crate) remote: Option<SocketAddrV4>,
    pub(crate) state: State,
    /// Opened by `listen`: a reset in SYN-RECEIVED leads back to LISTEN.
    pub(crate) passive: bool,

    // Sending
    pub(crate) iss: u32,
    pub(crate) snd_una: u64,
    /// Next position to send; falls back to `snd_una` on a timeout.
    pub(crate) snd_nxt: u64,
    /// End of what has ever been sent.
    pub(crate) snd_max: u64,
    /// Peer's window in bytes, scaled.
    pub(crate) snd_wnd: u32,
    pub(crate) snd_wnd_shift: u8,
    /// Position and acknowledgment of the segment last used to update `snd_wnd` (SND.WL1, SND.WL2).
    pub(crate) snd_wl: (u64, u64),
    /// Largest `snd_wnd` that the peer has announced.
    pub(crate) max_snd_wnd: u32,
    /// Bytes the application has written.
    pub(crate) stream_end: u64,
    pub(crate) fin_queued: bool,
    pub(crate) syn_pending: bool,
    /// The SYN or SYN-ACK was sent more than once.
    pub(crate) syn_lost: bool,
    /// Retransmit the segment at `snd_una`.
    pub(crate) retransmit_now: bool,
    /// Send one byte into a closed window.
    pub(crate) probe_now: bool,
    pub(crate) pending_reset: Option<PendingReset>,
    /// Whether it was the congestion window that last kept data from being sent.
    pub(crate) cwnd_limited: bool,
    pub(crate) congestion: Congestion,
    pub(crate) recovery: Recovery,
    /// Whether both sides permit selective acknowledgments.
    pub(crate) sack_permitted: bool,
    pub(crate) scoreboard: Scoreboard,
    /// Bytes of new data that limited transmit sent since the last ACK of new data.
    pub(crate) limited_transmit_bytes: u32,
    /// When a segment of the stream was last sent.
    pub(crate) last_sent_at: Option<u64>,
    pub(crate) processing: Processing,
    /// State of the generator of processing times (SplitMix64).
    pub(crate) random: u64,
    pub(crate) rtt: RttEstimator,
    /// End position and time of the segment being timed.
    pub(crate) timed: Option<(u64, u64)>,
    /// Marks in a row that were answered at one segment.
    pub(crate) holds_in_a_row: u32,
    /// Timeouts since the last ACK of new data.
    pub(crate) timeouts_in_a_row: u32,

    // Receiving
    pub(crate) irs: u32,
    pub(crate) rcv: Reassembly,
    /// The most that is announced.
    pub(crate) rcv_wnd: u32,
    /// With an application that reads by itself: how far it has read, and the end of the announced window.
    pub(crate) reader: Option<Reader>,
    pub(crate) rcv_wnd_shift: u8,
    /// Whether the peer's SYN carried the window scale option.
    pub(crate) peer_scales: bool,
    /// Position of the peer's FIN, once seen.
    pub(crate) peer_fin: Option<u64>,
    pub(crate) ack_due: AckDue,
    /// When the present 5 seconds of challenge ACKs began, and how many there were.
    pub(crate) challenges: (u64, u32),

    pub(crate) ecn: EcnState,

    // Timers
    pub(crate) rto_at: Option<u64>,
    pub(crate) hold_until: Option<u64>,
    pub(crate) time_wait_until: Option<u64>,

    pub(crate) stats: Stats,
    events: EventRing,
}

impl Endpoint {
    /// Active open: the SYN is ready for [`Endpoint::poll_transmit`]. `isn` is the initial sequence number.
    ///
    /// # Errors
    /// A configuration value out of range.
    pub fn connect(
        config: Config,
        tuple: FourTuple,
        isn: u32,
        now: u64,
    ) -> Result<Self, ConfigError> {
        let mut this = Self::new(config, tuple.local, isn)?;
        this.remote = Some(tuple.remote);
        this.syn_pending = true;
        this.set_state(State::SynSent, now);
        Ok(this)
    }

    /// Passive open on `local`: takes the first connection that arrives. `isn` is the initial sequence
    /// number.
    ///
    /// # Errors
    /// A configuration value out of range.
    pub fn listen(config: Config, local: SocketAddrV4, isn: u32) -> Result<Self, ConfigError> {
        let mut this = Self::new(config, local, isn)?;
        this.passive = true;
        this.state = State::Listen;
        Ok(this)
    }

    fn new(config: Config, local: SocketAddrV4, iss: u32) -> Result<Self, ConfigError> {
        config.validate()?;
        let (rcv_wnd, rcv_wnd_shift) = scaled_window(config.receive_window);
        Ok(Self {
            config,
            local,
            remote: None,
            state: State::Closed,
            passive: false,
            iss,
            snd_una: 0,
            snd_nxt: 0,
            snd_max: 0,
            snd_wnd: 0,
            snd_wnd_shift: 0,
            snd_wl: (0, 0),
            max_snd_wnd: 0,
            stream_end: 0,
            fin_queued: false,
            syn_pending: false,
            syn_lost: false,
            retransmit_now: false,
            probe_now: false,
            pending_reset: None,
            cwnd_limited: true,
            congestion: Congestion::new(&config),
            recovery: Recovery::new(&config),
            sack_permitted: false,
            scoreboard: Scoreboard::new(usize::from(config.max_ranges)),
            limited_transmit_bytes: 0,
            last_sent_at: None,
            processing: Processing::Idle,
            random: u64::from(iss),
            rtt: RttEstimator::new(config.rto).with_phase(iss),
            timed: None,
            holds_in_a_row: 0,
            timeouts_in_a_row: 0,
            irs: 0,
            rcv: Reassembly::new(0, usize::from(config.max_ranges)),
            rcv_wnd,
            rcv_wnd_shift,
            reader: None,
            peer_scales: false,
            peer_fin: None,
            ack_due: AckDue::No,
            challenges: (0, 0),
            ecn: EcnState::Off,
            rto_at: None,
            hold_until: None,
            time_wait_until: None,
            stats: Stats::default(),
            events: EventRing::new(),
        })
    }

    /// Back to LISTEN after a reset in SYN-RECEIVED (RFC 9293, section 3.10.7.4). What the application
    /// wrote and the counters stay.
    pub(crate) fn relisten(&mut self, now: u64) {
        if let Ok(fresh) = Self::new(self.config, self.local, self.iss) {
            let old = std::mem::replace(self, fresh);
            self.passive = true;
            self.stream_end = old.stream_end;
            self.fin_queued = old.fin_queued;
            self.reader = old.reader.map(|_| Reader::new(self.rcv_wnd));
            self.stats = old.stats;
            self.events = old.events;
        }
        self.set_state(State::Listen, now);
    }

    // --- application ---

    /// Queues `bytes` more for sending. Ignored after [`Endpoint::close`].
    pub fn send(&mut self, bytes: u64) {
        if !self.fin_queued {
            self.stream_end = self.stream_end.saturating_add(bytes).min(UNLIMITED);
        }
    }

    /// Queues data without end (a bulk source).
    pub fn send_unlimited(&mut self) {
        self.send(UNLIMITED);
    }

    /// No more data will be sent: a FIN follows what is queued. Unlimited data ends with what has been sent.
    /// Receiving goes on (half-close). Before the handshake is complete this waits for it, as a queued
    /// CLOSE does in RFC 9293; [`Endpoint::abort`] gives up at once.
    pub fn close(&mut self) {
        if !self.fin_queued {
            self.fin_queued = true;
            if self.stream_end == UNLIMITED {
                self.stream_end = self.snd_max.saturating_sub(1);
            }
        }
    }

    /// Resets the connection.
    pub fn abort(&mut self, now: u64) {
        if let (Some(remote), false) = (
            self.remote,
            matches!(self.state, State::SynSent | State::Closed),
        ) {
            self.pending_reset = Some(PendingReset {
                remote,
                seq: self.wire_seq(self.snd_max),
                ack: Some(self.wire_ack()),
            });
        }
        self.finish(now);
    }

    /// Bytes of the peer's stream received in order.
    #[must_use]
    pub const fn delivered(&self) -> u64 {
        self.stats.bytes_delivered
    }

    /// Bytes of this end's stream that the peer has acknowledged.
    #[must_use]
    pub const fn acked(&self) -> u64 {
        self.stats.bytes_acked
    }

    /// Whether the peer has said that it sends no more, and all of it was received.
    #[must_use]
    pub fn peer_closed(&self) -> bool {
        self.peer_fin.is_some_and(|fin| self.rcv.next() > fin)
    }

    // --- queries ---

    /// Connection state.
    #[must_use]
    pub const fn state(&self) -> State {
        self.state
    }

    /// This end's address.
    #[must_use]
    pub const fn local(&self) -> SocketAddrV4 {
        self.local
    }

    /// The other end's address, once known.
    #[must_use]
    pub const fn remote(&self) -> Option<SocketAddrV4> {
        self.remote
    }

    /// The configuration.
    #[must_use]
    pub const fn config(&self) -> &Config {
        &self.config
    }

    /// Whether the handshake has negotiated ECN.
    #[must_use]
    pub fn ecn_negotiated(&self) -> bool {
        self.ecn != EcnState::Off
    }

    /// Congestion window in bytes.
    #[must_use]
    pub const fn cwnd(&self) -> u32 {
        self.congestion.cwnd()
    }

    /// Slow start threshold in bytes.
    #[must_use]
    pub const fn ssthresh(&self) -> u32 {
        self.congestion.ssthresh()
    }

    /// Segment size in use (SMSS) in bytes.
    #[must_use]
    pub const fn smss(&self) -> u32 {
        self.congestion.smss()
    }

    /// This end's receive window in bytes.
    #[must_use]
    pub fn receive_window(&self) -> u32 {
        self.reader.map_or(self.rcv_wnd, |reader| {
            let open = reader.window_end.saturating_sub(self.rcv.next());
            u32::try_from(open).map_or(self.rcv_wnd, |open| open.min(self.rcv_wnd))
        })
    }

    /// FlightSize in bytes: sent and not acknowledged. After a timeout, what was outstanding counts as
    /// lost and only what has been sent again since is in flight.
    #[must_use]
    pub fn flight(&self) -> u32 {
        u32::try_from(self.snd_nxt.saturating_sub(self.snd_una)).unwrap_or(u32::MAX)
    }

    /// Whether fast recovery is under way.
    #[must_use]
    pub const fn in_recovery(&self) -> bool {
        self.recovery.in_recovery()
    }

    /// Round-trip time and retransmission timeout.
    #[must_use]
    pub const fn rtt(&self) -> &RttEstimator {
        &self.rtt
    }

    /// Counters.
    #[must_use]
    pub const fn stats(&self) -> &Stats {
        &self.stats
    }

    /// The oldest event not yet taken. At most 8 are kept: poll after every call that takes a time.
    pub fn poll_event(&mut self) -> Option<Event> {
        self.events.pop()
    }

    // --- shared by the halves ---

    pub(crate) fn wire_seq(&self, position: u64) -> u32 {
        self.iss.wrapping_add(position as u32)
    }

    pub(crate) fn wire_ack(&self) -> u32 {
        self.irs.wrapping_add(self.rcv.next() as u32)
    }

    /// Position after the last byte that the application has written: that of the FIN, if there is one.
    pub(crate) const fn data_end(&self) -> u64 {
        self.stream_end + 1
    }

    pub(crate) const fn fin_acked(&self) -> bool {
        self.fin_queued && self.snd_una > self.data_end()
    }

    pub(crate) fn set_state(&mut self, state: State, now: u64) {
        if self.state != state {
            self.state = state;
            self.push_event(EventKind::State(state), now);
        }
    }

    /// The connection is over: no timer runs.
    pub(crate) fn finish(&mut self, now: u64) {
        self.rto_at = None;
        self.hold_until = None;
        self.time_wait_until = None;
        self.processing = Processing::Idle;
        self.ack_due = AckDue::No;
        self.syn_pending = false;
        self.retransmit_now = false;
        self.probe_now = false;
        self.set_state(State::Closed, now);
    }

    pub(crate) fn trace_window(&mut self, cause: WindowCause, now: u64) {
        if self.config.trace {
            let kind = EventKind::Window {
                cause,
                cwnd: self.cwnd(),
                ssthresh: self.ssthresh(),
                flight: self.flight(),
                srtt: self.rtt.srtt().unwrap_or(0),
            };
            self.push_event(kind, now);
        }
    }

    pub(crate) fn push_event(&mut self, kind: EventKind, at: u64) {
        if self.events.push(Event { at, kind }) {
            self.stats.events_lost += 1;
        }
    }
}

/// The least window scale that can announce `window`, and the window rounded up to its unit.
fn scaled_window(window: u32) -> (u32, u8) {
    let mut shift = 0;
    while window.div_ceil(1 << shift) > 0xffff {
        shift += 1;
    }
    (window.div_ceil(1 << shift) << shift, shift)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::MAX_WINDOW;

    #[test]
    fn window_scale_is_least_and_window_exact() {
        assert_eq!(scaled_window(1), (1, 0));
        assert_eq!(scaled_window(65_535), (65_535, 0));
        assert_eq!(scaled_window(65_536), (65_536, 1));
        assert_eq!(scaled_window(200 * 960), (192_000, 2));
        assert_eq!(scaled_window(200_001), (200_004, 2));
        assert_eq!(scaled_window(MAX_WINDOW), (MAX_WINDOW, 14));
        assert_eq!(scaled_window(MAX_WINDOW - 1), (MAX_WINDOW, 14));
    }
}
