// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! The sending half: which segment goes out next.

use crate::config::LossRecovery;
use crate::endpoint::{AckDue, Endpoint, Processing, State};
use crate::scoreboard::NextSeg;
use crate::stats::WindowCause;
use crate::wire::{
    Ecn, Flags, IPV4_HEADER_LEN, Ipv4Header, MAX_HEADER_LEN, PROTOCOL_TCP, SackBlocks, TcpHeader,
    TcpOptions,
};
use std::net::SocketAddrV4;

/// A packet to send: its headers are in the buffer given to [`Endpoint::poll_transmit`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transmit {
    /// Bytes of the buffer in use: IPv4 and TCP header.
    pub header_len: usize,
    /// Zero bytes that follow the headers on the wire.
    pub payload_len: u32,
}

/// What differs between outgoing segments.
struct Segment {
    position: u64,
    flags: Flags,
    len: u32,
    ecn: Ecn,
    options: TcpOptions,
}

impl Segment {
    /// Positions that it occupies.
    fn occupied(&self) -> u64 {
        u64::from(self.len) + u64::from(self.flags.contains(Flags::FIN))
    }
}

impl Endpoint {
    /// Writes the headers of the next packet into `buf`, or returns `None` if nothing may be sent now.
    pub fn poll_transmit(&mut self, now: u64, buf: &mut [u8; MAX_HEADER_LEN]) -> Option<Transmit> {
        if let Some(reset) = self.pending_reset.take() {
            let header = TcpHeader {
                seq: reset.seq,
                ack: reset.ack.unwrap_or(0),
                flags: Flags::RST.with_if(reset.ack.is_some(), Flags::ACK),
                ..TcpHeader::default()
            };
            return Some(self.emit(reset.remote, header, 0, Ecn::NotEct, buf));
        }
        let remote = self.remote?;
        let segment = match self.state {
            State::Closed | State::Listen => None,
            State::SynSent | State::SynReceived => self.next_syn(now).or_else(|| self.next_ack()),
            _ => self
                .next_retransmission(now)
                .or_else(|| self.next_in_recovery(now))
                .or_else(|| self.next_data(now))
                .or_else(|| self.next_ack()),
        }?;
        let header = TcpHeader {
            seq: self.wire_seq(segment.position),
            ack: if segment.flags.contains(Flags::ACK) {
                self.wire_ack()
            } else {
                0
            },
            flags: segment.flags,
            window: self.window_field(segment.flags),
            options: segment.options,
            ..TcpHeader::default()
        };
        Some(self.emit(remote, header, segment.len, segment.ecn, buf))
    }

    fn next_syn(&mut self, now: u64) -> Option<Segment> {
        if !self.syn_pending {
            return None;
        }
        self.syn_pending = false;
        let syn_ack = self.state == State::SynReceived;
        // RFC 3168, section 6.1.1: ECE and CWR on the SYN, ECE alone on the SYN-ACK; both Not-ECT
        let flags = if syn_ack {
            self.ack_due = AckDue::No;
            (Flags::SYN | Flags::ACK).with_if(self.ecn_negotiated(), Flags::ECE)
        } else {
            let ecn = self.config.ecn != crate::EcnMode::Off;
            Flags::SYN.with_if(ecn, Flags::ECE | Flags::CWR)
        };
        self.snd_nxt = 1;
        if self.snd_max == 0 {
            self.snd_max = 1;
            self.timed = Some((1, now));
        } else {
            self.syn_lost = true;
            self.timed = None; // Karn
        }
        if self.rto_at.is_none() {
            self.arm_rto(now);
        }
        let offer_scale = !syn_ack || self.peer_scales;
        let options = TcpOptions {
            mss: Some(self.config.mss),
            window_scale: offer_scale.then_some(self.rcv_wnd_shift),
            sack_permitted: if syn_ack {
                self.sack_permitted
            } else {
                self.config.loss_recovery == LossRecovery::Sack
            },
            ..TcpOptions::default()
        };
        Some(Segment {
            position: 0,
            flags,
            len: 0,
            ecn: Ecn::NotEct,
            options,
        })
    }

    /// The segment that fast retransmit, or a partial ACK, wants.
    fn next_retransmission(&mut self, now: u64) -> Option<Segment> {
        if !self.retransmit_now {
            return None;
        }
        self.retransmit_now = false;
        let start = self.snd_una;
        let end = self.scoreboard.next_start(start).unwrap_or(self.snd_max);
        let segment = self.retransmission(start, end, now)?;
        if self.recovery.strategy() == LossRecovery::Sack {
            let end = start + segment.occupied();
            self.scoreboard.enter_recovery(end);
        }
        Some(segment)
    }

    /// What SACK's loss recovery sends next, as long as the pipe has room for a segment (RFC 6675, section 5, step C).
    fn next_in_recovery(&mut self, now: u64) -> Option<Segment> {
        if self.recovery.strategy() != LossRecovery::Sack || !self.recovery.in_recovery() {
            return None;
        }
        let (una, max, smss) = (self.snd_una, self.snd_max, self.smss());
        let pipe = self.scoreboard.pipe(una, max, smss);
        if u64::from(self.cwnd()) < pipe.saturating_add(smss.into()) {
            return None;
        }
        let waiting = self.data_end().saturating_sub(max).min(smss.into());
        let window = (una + u64::from(self.snd_wnd)).saturating_sub(max);
        let new_data = waiting > 0 && window >= waiting && self.hold_until.is_none();
        match self.scoreboard.next_seg(una, max, smss, new_data)? {
            NextSeg::Retransmit { start, end } => {
                let segment = self.retransmission(start, end, now)?;
                self.scoreboard.retransmitted(start + segment.occupied());
                Some(segment)
            }
            NextSeg::Rescue { start, end } => {
                // a FIN takes a position, but no room in the segment
                let fin = u64::from(end > self.data_end());
                let start = start.saturating_sub(fin).max(una);
                self.scoreboard.rescued(self.recovery.recovery_point());
                self.retransmission(start, end, now)
            }
            NextSeg::New => self.new_segment(waiting as u32, now),
        }
    }

    /// A segment with what was sent before of `start..end`, as far as it fits.
    fn retransmission(&mut self, start: u64, end: u64, now: u64) -> Option<Segment> {
        let end = end.min(self.snd_max);
        let data = self.data_end().min(end).saturating_sub(start);
        let len = data.min(u64::from(self.smss())) as u32;
        let fin = end > self.data_end() && u64::from(len) == data;
        if len == 0 && !fin {
            return None;
        }
        self.last_sent_at = Some(now);
        Some(self.data_segment(start, len, fin))
    }

    /// The segment at `snd_nxt`, if the windows admit it.
    fn next_data(&mut self, now: u64) -> Option<Segment> {
        let probe = std::mem::take(&mut self.probe_now);
        let processed = self.processing == Processing::Done;
        if processed {
            self.processing = Processing::Idle;
        }
        if self.recovery.strategy() == LossRecovery::Sack {
            if self.recovery.in_recovery() {
                return None;
            }
            // after a timeout: what is reported to have arrived is passed over (RFC 6675, section 5.1)
            if self.snd_nxt < self.snd_max
                && let Some(range) = self.scoreboard.containing(self.snd_nxt)
            {
                self.snd_nxt = range.1;
            }
        }
        let waiting = self.data_end().saturating_sub(self.snd_nxt);
        let mut len = 0;
        if waiting == 0 {
            self.cwnd_limited = false;
        } else {
            let old = self.snd_nxt < self.snd_max;
            if self.hold_until.is_some() && !old {
                self.cwnd_limited = true;
                return None;
            }
            if !old && self.snd_una == self.snd_max {
                self.restart_if_idle(now);
            }
            let in_flight = self.flight();
            let usable = self.usable_window(in_flight);
            // never old and new data in one segment: only new data is ECN-capable
            let whole = if old {
                let sacked = self.scoreboard.next_start(self.snd_nxt);
                waiting.min(sacked.unwrap_or(self.snd_max) - self.snd_nxt)
            } else {
                waiting
            };
            let want = whole.min(u64::from(self.smss())) as u32;
            len = if probe {
                1
            } else if usable >= want {
                want
            } else if in_flight == 0 && usable > 0 {
                usable // the peer's window is smaller than a segment
            } else {
                if self.snd_wnd == 0 && in_flight == 0 && self.rto_at.is_none() {
                    self.arm_rto(now); // to probe the window
                }
                self.cwnd_limited = self.cwnd() <= self.snd_wnd;
                return None;
            };
        }
        let fin = self.fin_queued && self.snd_nxt + u64::from(len) == self.data_end();
        if len == 0 && !fin {
            return None;
        }
        if self.config.processing_time > 0 && !probe && !processed {
            if self.processing == Processing::Idle {
                self.processing = Processing::Until(now.saturating_add(self.processing_time()));
            }
            return None;
        }
        if self.flight() + len > self.cwnd() && self.snd_nxt >= self.snd_max {
            self.limited_transmit_bytes += len;
        }
        Some(self.stream_segment(self.snd_nxt, len, fin, probe, now))
    }

    /// The next `len` bytes that were never sent, in SACK's loss recovery.
    fn new_segment(&mut self, len: u32, now: u64) -> Option<Segment> {
        let start = self.snd_max;
        let fin = self.fin_queued && start + u64::from(len) == self.data_end();
        Some(self.stream_segment(start, len, fin, false, now))
    }

    /// Bytes that the windows admit beyond the `in_flight` bytes outstanding.
    fn usable_window(&self, in_flight: u32) -> u32 {
        let window = self.cwnd().min(self.snd_wnd);
        let after_timeout = self.recovery.repairs_by_timeout(self.snd_una);
        if !self.scoreboard.is_empty() && (after_timeout || self.config.limited_transmit) {
            // what has been reported is not in the network, but still in the peer's window
            let pipe = if after_timeout {
                let sacked = self.scoreboard.sacked_below(self.snd_nxt);
                u64::from(in_flight).saturating_sub(sacked)
            } else {
                self.scoreboard
                    .pipe(self.snd_una, self.snd_max, self.smss())
            };
            let room = u64::from(self.cwnd()).saturating_sub(pipe);
            let offered = self.snd_wnd.saturating_sub(in_flight);
            return u32::try_from(room).unwrap_or(u32::MAX).min(offered);
        }
        let extra = if self.recovery.strategy() == LossRecovery::Sack {
            0
        } else {
            self.recovery.limited_transmit_segments() * self.smss()
        };
        window
            .saturating_add(extra)
            .min(self.snd_wnd)
            .saturating_sub(in_flight)
    }

    /// RFC 5681, section 4.1: with nothing outstanding and nothing sent for longer than the RTO.
    fn restart_if_idle(&mut self, now: u64) {
        let idle = |sent: u64| now.saturating_sub(sent) > self.rtt.rto();
        if self.config.restart_after_idle
            && self.last_sent_at.is_some_and(idle)
            && self
                .congestion
                .restart_after_idle(self.config.initial_window)
        {
            self.stats.idle_restarts += 1;
            self.trace_window(WindowCause::Idle, now);
        }
    }

    /// A time uniform in [0, `Config::processing_time`): SplitMix64 (Steele, Lea, Flood 2014).
    fn processing_time(&mut self) -> u64 {
        self.random = self.random.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.random ^ (self.random >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        let z = z ^ (z >> 31);
        ((u128::from(z) * u128::from(self.config.processing_time)) >> 64) as u64
    }

    /// The segment of `len` bytes of the stream at `start`, and FIN if `fin`.
    fn stream_segment(
        &mut self,
        start: u64,
        len: u32,
        fin: bool,
        probe: bool,
        now: u64,
    ) -> Segment {
        let segment = self.data_segment(start, len, fin);
        self.last_sent_at = Some(now);
        let end = start + u64::from(len) + u64::from(fin);
        self.snd_nxt = end;
        if start < self.snd_max {
            self.scoreboard.retransmitted(end);
        }
        if end > self.snd_max {
            if start == self.snd_max && self.timed.is_none() && !probe {
                self.timed = Some((end, now));
            }
            self.snd_max = end;
        }
        if self.rto_at.is_none() {
            self.arm_rto(now); // RFC 6298, (5.1)
        }
        if fin {
            match self.state {
                State::Established => self.set_state(State::FinWait1, now),
                State::CloseWait => self.set_state(State::LastAck, now),
                _ => {}
            }
        }
        segment
    }

    /// A segment of `len` bytes at `position`; new if it lies beyond everything sent before.
    fn data_segment(&mut self, position: u64, len: u32, fin: bool) -> Segment {
        let new_data = len > 0 && position >= self.snd_max;
        if position < self.snd_max {
            self.timed = None; // Karn
            if len > 0 {
                self.stats.segments_retransmitted += 1;
                self.stats.bytes_retransmitted += u64::from(len);
            }
        }
        if len > 0 {
            self.stats.data_segments_sent += 1;
            self.stats.bytes_sent += u64::from(len);
        }
        // only pure ACKs carry SACK blocks, lest a segment outgrow the path: one follows while there is a gap
        if !(self.sack_permitted && self.rcv.has_gap()) {
            self.ack_due = AckDue::No;
        }
        // a probe goes beyond the peer's window: RFC 3168, section 6.1.6
        let probe = self.snd_wnd == 0;
        let capable = (new_data || self.config.ecn_retransmissions) && len > 0 && !probe;
        let flags = Flags::ACK.with_if(fin, Flags::FIN) | self.ecn.flags_to_send(capable);
        let ecn = self.ecn.field_to_send(capable);
        Segment {
            position,
            flags,
            len,
            ecn,
            options: TcpOptions::default(),
        }
    }

    fn next_ack(&mut self) -> Option<Segment> {
        if self.ack_due != AckDue::Now {
            return None;
        }
        self.ack_due = AckDue::No;
        // snd_max and not snd_nxt: after a timeout snd_nxt may lie before what the peer accepts
        Some(Segment {
            position: self.snd_max,
            flags: Flags::ACK | self.ecn.flags_to_send(false),
            len: 0,
            ecn: Ecn::NotEct,
            options: TcpOptions {
                sack: self.sack_blocks(),
                ..TcpOptions::default()
            },
        })
    }

    /// What has arrived beyond a gap (RFC 2018, section 4).
    fn sack_blocks(&self) -> SackBlocks {
        let mut blocks = SackBlocks::default();
        if self.sack_permitted {
            let wire = |position: u64| self.irs.wrapping_add(position as u32);
            self.rcv
                .sack_ranges(|start, end| blocks.push(wire(start), wire(end)));
        }
        blocks
    }

    /// The window of a SYN is never scaled (RFC 7323, section 2.2).
    fn window_field(&self, flags: Flags) -> u16 {
        let shift = if flags.contains(Flags::SYN) {
            0
        } else {
            self.rcv_wnd_shift
        };
        u16::try_from(self.receive_window() >> shift).unwrap_or(u16::MAX)
    }

    fn emit(
        &mut self,
        remote: SocketAddrV4,
        header: TcpHeader,
        payload_len: u32,
        ecn: Ecn,
        buf: &mut [u8; MAX_HEADER_LEN],
    ) -> Transmit {
        self.stats.segments_sent += 1;
        let (src, dst) = (self.local.ip().octets(), remote.ip().octets());
        let header = TcpHeader {
            src_port: self.local.port(),
            dst_port: remote.port(),
            ..header
        };
        let header_len = IPV4_HEADER_LEN + header.encoded_len();
        let ip = Ipv4Header {
            dscp: self.config.dscp,
            ecn,
            // payload_len is at most the MSS, which Config::validate bounds
            total_len: (header_len as u32 + payload_len) as u16,
            ident: 0,
            dont_fragment: true,
            ttl: self.config.ttl,
            protocol: PROTOCOL_TCP,
            src,
            dst,
        };
        if let Some((ip_bytes, tcp_bytes)) = buf.split_first_chunk_mut()
            && let Some(tcp_bytes) = tcp_bytes.first_chunk_mut()
        {
            ip.emit(ip_bytes);
            header.emit(tcp_bytes, payload_len, src, dst);
        }
        Transmit {
            header_len,
            payload_len,
        }
    }
}
