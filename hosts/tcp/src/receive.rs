// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! The receiving half: RFC 9293, section 3.10.7, "SEGMENT ARRIVES".

use crate::config::LossRecovery;
use crate::config::{EcnMode, SECOND, TimerRules};
use crate::congestion::{EcnResponse, Growth};
use crate::ecn::EcnState;
use crate::endpoint::{AckDue, Endpoint, PendingReset, State};
use crate::reader::Reader;
use crate::reassembly::{Arrival, Reassembly};
use crate::recovery::{DupAckAction, NewAckAction};
use crate::response::Level;
use crate::stats::{EventKind, WindowCause};
use crate::wire::{Ecn, Flags, Ipv4Header, PROTOCOL_TCP, TcpHeader, WireError};
use core::fmt;
use std::net::SocketAddrV4;

/// MSS of a peer that does not say (RFC 9293, section 3.7.1).
const DEFAULT_PEER_MSS: u16 = 536;
/// Least MSS taken from a peer, lest it makes us send a packet per byte.
const MIN_PEER_MSS: u16 = 48;
/// The time over which challenge ACKs are counted (RFC 5961, section 7).
const CHALLENGE_PERIOD: u64 = 5 * SECOND;
/// Largest window shift count (RFC 7323, section 2.3).
const MAX_WINDOW_SHIFT: u8 = 14;

/// Why a packet was not for this connection. It has changed nothing but a counter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SegmentError {
    /// Headers, lengths or checksums are wrong.
    Malformed(WireError),
    /// The packet belongs to another connection.
    Foreign {
        /// Source of the packet.
        src: SocketAddrV4,
        /// Destination of the packet.
        dst: SocketAddrV4,
    },
}

impl fmt::Display for SegmentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Malformed(error) => write!(f, "malformed packet: {error}"),
            Self::Foreign { src, dst } => write!(f, "packet of another connection: {src} to {dst}"),
        }
    }
}

impl std::error::Error for SegmentError {}

impl From<WireError> for SegmentError {
    fn from(error: WireError) -> Self {
        Self::Malformed(error)
    }
}

/// A well-formed segment.
struct Arriving {
    src: SocketAddrV4,
    dst: SocketAddrV4,
    tcp: TcpHeader,
    ecn: Ecn,
    len: u32,
}

impl Arriving {
    fn parse(bytes: &[u8], payload_len: u32) -> Result<Self, WireError> {
        let (ip, ip_len) = Ipv4Header::parse(bytes)?;
        if ip.protocol != PROTOCOL_TCP {
            return Err(WireError::Protocol(ip.protocol));
        }
        let (tcp, tcp_len) = TcpHeader::parse(&bytes[ip_len..], payload_len, ip.src, ip.dst)?;
        let actual = (ip_len + tcp_len).saturating_add(payload_len as usize);
        if usize::from(ip.total_len) != actual {
            return Err(WireError::TotalLength {
                field: ip.total_len.into(),
                actual,
            });
        }
        Ok(Self {
            src: SocketAddrV4::new(ip.src.into(), tcp.src_port),
            dst: SocketAddrV4::new(ip.dst.into(), tcp.dst_port),
            tcp,
            ecn: ip.ecn,
            len: payload_len,
        })
    }

    fn has(&self, flags: Flags) -> bool {
        self.tcp.flags.contains(flags)
    }
}

impl Endpoint {
    /// Takes a packet: `bytes` are its IPv4 and TCP headers (what follows them is ignored),
    /// `payload_len` the length of the payload after them.
    ///
    /// # Errors
    /// The packet is malformed or belongs to another connection; it has only been counted.
    pub fn on_segment(
        &mut self,
        bytes: &[u8],
        payload_len: u32,
        now: u64,
    ) -> Result<(), SegmentError> {
        let seg = Arriving::parse(bytes, payload_len)
            .inspect_err(|_| self.stats.malformed_packets += 1)?;
        if seg.dst != self.local || self.remote.is_some_and(|remote| seg.src != remote) {
            self.stats.foreign_packets += 1;
            return Err(SegmentError::Foreign {
                src: seg.src,
                dst: seg.dst,
            });
        }
        self.stats.segments_received += 1;
        match self.state {
            State::Closed => self.refuse(&seg),
            State::Listen => self.on_segment_in_listen(&seg, now),
            State::SynSent => self.on_segment_in_syn_sent(&seg, now),
            _ => self.on_segment_synchronized(&seg, now),
        }
        Ok(())
    }

    /// Answers with a reset that the sender will accept (RFC 9293, section 3.10.7.1).
    fn refuse(&mut self, seg: &Arriving) {
        self.stats.unacceptable_segments += 1;
        if seg.has(Flags::RST) {
            return;
        }
        self.pending_reset = Some(if seg.has(Flags::ACK) {
            PendingReset {
                remote: seg.src,
                seq: seg.tcp.ack,
                ack: None,
            }
        } else {
            let occupied =
                seg.len + u32::from(seg.has(Flags::SYN)) + u32::from(seg.has(Flags::FIN));
            PendingReset {
                remote: seg.src,
                seq: 0,
                ack: Some(seg.tcp.seq.wrapping_add(occupied)),
            }
        });
    }

    fn on_segment_in_listen(&mut self, seg: &Arriving, now: u64) {
        if seg.has(Flags::RST) {
            return;
        }
        if seg.has(Flags::ACK) {
            self.refuse(seg);
        } else if seg.has(Flags::SYN) {
            self.remote = Some(seg.src);
            self.take_syn(seg);
            self.accept_ecn_setup_syn(seg);
            self.syn_pending = true;
            self.set_state(State::SynReceived, now);
        }
    }

    fn on_segment_in_syn_sent(&mut self, seg: &Arriving, now: u64) {
        let ack_ok = seg.has(Flags::ACK) && self.snd_max == 1 && seg.tcp.ack == self.wire_seq(1);
        if seg.has(Flags::ACK) && !ack_ok {
            self.refuse(seg);
            return;
        }
        if seg.has(Flags::RST) {
            if ack_ok {
                self.finish(now);
            }
            return;
        }
        if !seg.has(Flags::SYN) {
            return;
        }
        self.take_syn(seg);
        if ack_ok {
            // RFC 3168, section 6.1.1: an ECN-setup SYN-ACK has ECE and not CWR
            if seg.has(Flags::ECE) && !seg.has(Flags::CWR) {
                self.ecn = EcnState::negotiated(self.config.ecn);
            }
            self.ack_due = AckDue::Now;
            self.establish(1, now);
        } else {
            // simultaneous open
            self.accept_ecn_setup_syn(seg);
            self.syn_pending = true;
            self.set_state(State::SynReceived, now);
        }
    }

    /// Takes sequence number, window and options of the peer's SYN.
    fn take_syn(&mut self, seg: &Arriving) {
        self.irs = seg.tcp.seq;
        self.rcv = Reassembly::new(1, usize::from(self.config.max_ranges));
        self.snd_wnd = u32::from(seg.tcp.window);
        self.max_snd_wnd = self.snd_wnd;
        self.sack_permitted =
            seg.tcp.options.sack_permitted && self.config.loss_recovery == LossRecovery::Sack;
        if !self.sack_permitted {
            self.recovery.without_sack();
        }
        if let Some(shift) = seg.tcp.options.window_scale {
            self.peer_scales = true;
            self.snd_wnd_shift = shift.min(MAX_WINDOW_SHIFT);
        } else {
            self.rcv_wnd_shift = 0;
            self.rcv_wnd = self.rcv_wnd.min(0xffff);
        }
        self.reader = self.reader.map(|_| Reader::new(self.rcv_wnd));
        let peer_mss = seg
            .tcp
            .options
            .mss
            .unwrap_or(DEFAULT_PEER_MSS)
            .max(MIN_PEER_MSS);
        let smss = u32::from(self.config.mss.min(peer_mss));
        self.congestion
            .start(smss, self.config.initial_window, false);
    }

    /// RFC 3168, section 6.1.1: an ECN-setup SYN has both ECE and CWR.
    fn accept_ecn_setup_syn(&mut self, seg: &Arriving) {
        if self.config.ecn != EcnMode::Off && seg.has(Flags::ECE | Flags::CWR) {
            self.ecn = EcnState::negotiated(self.config.ecn);
        }
    }

    /// Our SYN is acknowledged by `ack`.
    fn establish(&mut self, ack: u64, now: u64) {
        self.take_rtt_sample(ack, now);
        if self.syn_lost {
            self.rtt.after_lost_syn(); // RFC 6298, (5.7)
        }
        self.snd_una = ack;
        self.rto_at = None;
        self.syn_pending = false;
        self.timeouts_in_a_row = 0;
        self.congestion
            .start(self.smss(), self.config.initial_window, self.syn_lost);
        self.set_state(State::Established, now);
        self.trace_window(WindowCause::Initial, now);
    }

    fn on_segment_synchronized(&mut self, seg: &Arriving, now: u64) {
        let offset = seg.tcp.seq.wrapping_sub(self.wire_ack()) as i32;
        let Some(start) = self.rcv.next().checked_add_signed(i64::from(offset)) else {
            self.reject(seg);
            return;
        };
        let control = u64::from(seg.has(Flags::SYN)) + u64::from(seg.has(Flags::FIN));
        let end = start + u64::from(seg.len) + control;
        let window_end = self.rcv.next() + u64::from(self.receive_window());
        let acceptable = if end == start {
            // <= at the right: the peer's ACKs bear its highest sequence number, which may fill our window
            self.rcv.next() <= start && start <= window_end
        } else {
            self.rcv.next() < end && start < window_end
        };
        if !acceptable {
            if self.state == State::SynReceived
                && start == 0
                && seg.has(Flags::SYN)
                && !seg.has(Flags::ACK)
            {
                self.syn_pending = true; // our SYN-ACK was lost
                return;
            }
            if self.state == State::TimeWait && seg.has(Flags::FIN) {
                self.enter_time_wait(now);
            }
            self.reject(seg);
            return;
        }
        if seg.has(Flags::RST) {
            // RFC 5961, section 3.2: exact match, else a challenge ACK
            if start != self.rcv.next() {
                self.challenge(now);
            } else if self.state == State::SynReceived && self.passive {
                self.relisten(now);
            } else {
                self.finish(now);
            }
            return;
        }
        if seg.has(Flags::SYN) {
            self.challenge(now); // RFC 5961, section 4.2
            return;
        }
        if !seg.has(Flags::ACK) {
            self.stats.unacceptable_segments += 1;
            return;
        }
        if self.process_ack(seg, start, now) {
            self.process_payload(seg, start, window_end, now);
        }
    }

    fn reject(&mut self, seg: &Arriving) {
        if seg.len > 0 {
            self.stats.duplicate_segments += 1;
        }
        if seg.has(Flags::RST) {
            self.stats.unacceptable_segments += 1;
        } else {
            self.reject_with_ack();
        }
    }

    fn reject_with_ack(&mut self) {
        self.stats.unacceptable_segments += 1;
        self.ack_due = AckDue::Now;
    }

    /// A challenge ACK, if there have not been too many of them (RFC 5961, section 7).
    fn challenge(&mut self, now: u64) {
        self.stats.unacceptable_segments += 1;
        if now.saturating_sub(self.challenges.0) >= CHALLENGE_PERIOD {
            self.challenges = (now, 0);
        }
        if self.challenges.1 < self.config.challenge_ack_limit {
            self.challenges.1 += 1;
            self.stats.challenge_acks += 1;
            self.ack_due = AckDue::Now;
        }
    }

    /// Returns whether the rest of the segment may be processed.
    fn process_ack(&mut self, seg: &Arriving, start: u64, now: u64) -> bool {
        let offset = seg.tcp.ack.wrapping_sub(self.wire_seq(self.snd_una)) as i32;
        let ack = self.snd_una.checked_add_signed(i64::from(offset));
        if self.state == State::SynReceived {
            match ack {
                Some(ack) if ack == 1 && ack <= self.snd_max => {
                    self.snd_wl = (start, 0);
                    self.establish(ack, now);
                }
                _ => {
                    self.refuse(seg);
                    return false;
                }
            }
        }
        // RFC 5961, section 5.2: SND.UNA - MAX.SND.WND <= SEG.ACK <= SND.NXT
        let oldest = self.snd_una.saturating_sub(self.max_snd_wnd.into());
        let Some(ack) = ack.filter(|ack| (oldest..=self.snd_max).contains(ack)) else {
            self.challenge(now);
            return false;
        };
        let old_window = self.snd_wnd;
        if ack >= self.snd_una
            && (self.snd_wl.0 < start || (self.snd_wl.0 == start && self.snd_wl.1 <= ack))
        {
            self.snd_wnd = u32::from(seg.tcp.window) << self.snd_wnd_shift;
            self.max_snd_wnd = self.max_snd_wnd.max(self.snd_wnd);
            self.snd_wl = (start, ack);
        }
        let news = self.take_sack(seg);
        let level = self.ecn.level_of_ack(seg.tcp.flags);
        match level {
            Level::Incipient => self.stats.echoed_incipient += 1,
            Level::Moderate => self.stats.echoed_moderate += 1,
            Level::None | Level::Loss => {}
        }
        if ack > self.snd_una {
            self.on_new_ack(ack, level, now);
        } else if ack == self.snd_una && self.snd_una < self.snd_max {
            // A duplicate is told by what it reports (RFC 6675, section 2) or by what it lacks (RFC 5681, section 2).
            let duplicate = if self.sack_permitted {
                news
            } else {
                seg.len == 0
                    && !seg.has(Flags::FIN)
                    && self.snd_wnd == old_window
                    && self.snd_wnd != 0
            };
            if duplicate {
                self.on_dup_ack(now);
            }
        }
        if ack >= self.snd_una {
            self.on_ecn_level(level, ack, now);
        }
        if old_window == 0 && self.snd_wnd > 0 && ack == self.snd_una {
            // the window has opened: what probed it is sent again at once
            self.snd_nxt = self.snd_una;
            self.rto_at = None;
        }
        if self.fin_acked() {
            match self.state {
                State::FinWait1 => self.set_state(State::FinWait2, now),
                State::Closing => self.enter_time_wait(now),
                State::LastAck => {
                    self.finish(now);
                    return false;
                }
                _ => {}
            }
        }
        true
    }

    /// Takes a segment's SACK blocks, those within what is outstanding. Returns whether they say anything new.
    fn take_sack(&mut self, seg: &Arriving) -> bool {
        if !self.sack_permitted {
            return false;
        }
        let mut news = false;
        for &(left, right) in seg.tcp.options.sack.as_slice() {
            let position = |wire: u32| {
                let offset = wire.wrapping_sub(self.wire_seq(self.snd_una)) as i32;
                self.snd_una.checked_add_signed(i64::from(offset))
            };
            if let (Some(start), Some(end)) = (position(left), position(right))
                && self.snd_una < start
                && start < end
                && end <= self.snd_max
            {
                news |= self.scoreboard.report(start, end);
            }
        }
        news
    }

    fn take_rtt_sample(&mut self, ack: u64, now: u64) {
        if let Some((_, sent_at)) = self.timed.take_if(|(end, _)| *end <= ack) {
            self.rtt.measure(sent_at, now);
            if self.config.trace {
                let sample = now.saturating_sub(sent_at);
                let srtt = self.rtt.srtt().unwrap_or(0);
                self.push_event(
                    EventKind::Rtt {
                        sample,
                        srtt,
                        rto: self.rtt.rto(),
                    },
                    now,
                );
            }
        }
    }

    fn on_new_ack(&mut self, ack: u64, level: Level, now: u64) {
        let acked = ack.min(self.data_end()).saturating_sub(self.snd_una);
        self.stats.bytes_acked += acked;
        let rto_before = self.rtt.rto();
        self.take_rtt_sample(ack, now);
        self.snd_una = ack;
        self.snd_nxt = self.snd_nxt.max(ack);
        self.timeouts_in_a_row = 0;
        self.retransmit_now = false;
        self.limited_transmit_bytes = 0;
        self.scoreboard.advance(ack);
        let action = self.recovery.on_new_ack(ack);
        // RFC 6298, (5.2) and (5.3); RFC 6582, section 3.2, step 3: not for further partial ACKs
        if self.snd_una == self.snd_max {
            self.rto_at = None;
        } else if action != (NewAckAction::Partial { first: false }) {
            self.arm_rto(now);
            if self.config.rto.rules == TimerRules::WholeTicks {
                self.rto_at = Some(now.saturating_add(rto_before));
            }
        }
        match action {
            NewAckAction::LeaveRecovery => {
                match self.recovery.strategy() {
                    LossRecovery::NewReno => self.congestion.deflate_to(self.flight()),
                    LossRecovery::Reno | LossRecovery::Sack => self.congestion.deflate(),
                }
                self.trace_window(WindowCause::Deflation, now);
            }
            NewAckAction::Partial { .. } => {
                self.stats.partial_acks += 1;
                self.retransmit_now = true;
                self.congestion
                    .on_partial_ack(u32::try_from(acked).unwrap_or(u32::MAX));
                self.trace_window(WindowCause::PartialAck, now);
            }
            NewAckAction::Continue => self.stats.partial_acks += 1,
            // RFC 3168, section 6.1.2: no growth on an ACK that reports congestion. Nor does a window grow
            // that is not used.
            NewAckAction::Grow if level == Level::None && self.cwnd_limited => {
                match self
                    .congestion
                    .grow(u32::try_from(acked).unwrap_or(u32::MAX), ack)
                {
                    Growth::None => {}
                    Growth::SlowStart => self.trace_window(WindowCause::SlowStart, now),
                    Growth::CongestionAvoidance => {
                        self.trace_window(WindowCause::CongestionAvoidance, now)
                    }
                }
            }
            NewAckAction::Grow => {}
        }
    }

    fn on_dup_ack(&mut self, now: u64) {
        self.stats.dup_acks += 1;
        let sack = self.recovery.strategy() == LossRecovery::Sack;
        let lost = sack && self.scoreboard.is_lost(self.snd_una, self.smss());
        // Before recovery begins: then cwnd is still the window, and not inflated.
        let flight = self.flight().saturating_sub(self.limited_transmit_bytes);
        let lost_from = self.loss_base(flight);
        match self.recovery.on_dup_ack(self.snd_una, self.snd_max, lost) {
            DupAckAction::Nothing => {}
            DupAckAction::Inflate => {
                self.congestion.inflate();
                self.trace_window(WindowCause::Inflation, now);
            }
            DupAckAction::FastRetransmit => {
                self.stats.fast_retransmits += 1;
                self.retransmit_now = true;
                // RFC 5681, section 3.2, step 3: the segments that have left the network; with SACK, pipe knows them
                let left = if sack { 0 } else { 3 };
                let reduced =
                    self.congestion
                        .on_fast_retransmit(self.snd_una, lost_from, self.snd_max, left);
                if reduced {
                    self.stats.reductions.fast_retransmit += 1;
                    self.ecn.on_reduction();
                }
                self.trace_window(WindowCause::FastRetransmit { reduced }, now);
            }
        }
    }

    /// The bytes that a loss takes its part of, with `flight` bytes outstanding.
    pub(crate) fn loss_base(&self, flight: u32) -> u32 {
        if !self.config.loss_cuts_window {
            return flight;
        }
        // In Reno's recovery the window is inflated by what has left the network.
        let window = if self.recovery.in_recovery() {
            self.congestion.ssthresh()
        } else {
            self.cwnd()
        };
        window.min(self.snd_wnd)
    }

    /// The response to an ACK's congestion level.
    fn on_ecn_level(&mut self, level: Level, ack: u64, now: u64) {
        if level == Level::None {
            self.holds_in_a_row = 0;
            return;
        }
        match self.congestion.on_ecn(level, ack, self.snd_max) {
            EcnResponse::AlreadyAnswered => {}
            EcnResponse::Reduced => {
                self.holds_in_a_row = 0;
                self.ecn.on_reduction();
                match level {
                    Level::Incipient => self.stats.reductions.incipient += 1,
                    _ => self.stats.reductions.moderate += 1,
                }
                self.trace_window(WindowCause::Ecn(level), now);
            }
            EcnResponse::AtOneSegment => {
                self.ecn.on_reduction();
                if self.config.hold_at_one_segment {
                    self.stats.holds += 1;
                    self.holds_in_a_row = self.holds_in_a_row.saturating_add(1);
                    if self.config.hold_below_one_segment {
                        // the measurement on this ACK has ended the back-off of the marks before
                        (1..self.holds_in_a_row.min(16)).for_each(|_| self.rtt.back_off());
                    }
                    if self.snd_una < self.snd_max {
                        self.arm_rto(now);
                    } else {
                        self.hold_until = Some(now.saturating_add(self.rtt.rto()));
                    }
                }
            }
        }
    }

    fn process_payload(&mut self, seg: &Arriving, start: u64, window_end: u64, now: u64) {
        if !matches!(
            self.state,
            State::Established | State::FinWait1 | State::FinWait2
        ) {
            return;
        }
        let mut end = start + u64::from(seg.len);
        if seg.has(Flags::FIN) && end < window_end && self.peer_fin.is_none_or(|fin| fin == end) {
            self.peer_fin = Some(end);
            end += 1;
        }
        let limit = self
            .peer_fin
            .map_or(window_end, |fin| window_end.min(fin + 1));
        let end = end.min(limit);
        if start >= end {
            return;
        }
        if seg.len > 0 {
            self.ecn.on_data(seg.ecn, seg.tcp.flags);
            match seg.ecn {
                Ecn::Ect1 => self.stats.received_ect1 += 1,
                Ecn::Ce => self.stats.received_ce += 1,
                Ecn::NotEct | Ecn::Ect0 => {}
            }
        }
        match self.rcv.insert(start, end) {
            Arrival::Advanced { filled_gap } => {
                self.stats.bytes_delivered = self.stream_received();
                self.schedule_ack(filled_gap, now);
            }
            Arrival::OutOfOrder => {
                self.stats.out_of_order_segments += 1;
                self.ack_due = AckDue::Now;
            }
            Arrival::Duplicate => {
                self.stats.duplicate_segments += 1;
                self.ack_due = AckDue::Now;
            }
            Arrival::NoRoom => {
                self.stats.ranges_exhausted += 1;
                self.ack_due = AckDue::Now;
            }
        }
        if self.peer_closed() {
            self.ack_due = AckDue::Now;
            match self.state {
                State::Established => self.set_state(State::CloseWait, now),
                State::FinWait1 => self.set_state(State::Closing, now),
                State::FinWait2 => self.enter_time_wait(now),
                _ => {}
            }
        }
    }

    /// RFC 5681, section 4.2: at least every second segment is acknowledged, out-of-order data and what
    /// fills a gap at once.
    fn schedule_ack(&mut self, filled_gap: bool, now: u64) {
        self.ack_due = match (self.config.delayed_ack, self.ack_due) {
            (Some(delay), AckDue::No) if !filled_gap => AckDue::At(now.saturating_add(delay)),
            _ => AckDue::Now,
        };
    }

    /// Bytes of the peer's stream before the first position not received.
    fn stream_received(&self) -> u64 {
        let next = self.rcv.next();
        self.peer_fin.map_or(next, |fin| next.min(fin)) - 1
    }

    fn enter_time_wait(&mut self, now: u64) {
        self.set_state(State::TimeWait, now);
        self.rto_at = None;
        self.time_wait_until = Some(now.saturating_add(self.config.time_wait));
    }
}
