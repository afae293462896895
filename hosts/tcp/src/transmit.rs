// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! The sending half: which segment goes out next.

use crate::endpoint::{AckDue, Endpoint, State};
use crate::wire::{
    Ecn, Flags, IPV4_HEADER_LEN, Ipv4Header, MAX_HEADER_LEN, PROTOCOL_TCP, TcpHeader, TcpOptions,
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
                .next_retransmission()
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
        };
        Some(Segment {
            position: 0,
            flags,
            len: 0,
            ecn: Ecn::NotEct,
            options,
        })
    }

    /// The segment that fast retransmit wants.
    fn next_retransmission(&mut self) -> Option<Segment> {
        if !self.retransmit_now {
            return None;
        }
        self.retransmit_now = false;
        let left = self
            .data_end()
            .min(self.snd_max)
            .saturating_sub(self.snd_una);
        let len = (left as u32).min(self.smss());
        if left > u64::from(self.smss()) || self.snd_max <= self.data_end() {
            Some(self.data_segment(self.snd_una, len, false))
        } else if self.snd_una <= self.data_end() {
            Some(self.data_segment(self.snd_una, len, true))
        } else {
            None
        }
    }

    /// The segment at `snd_nxt`, if the windows admit it.
    fn next_data(&mut self, now: u64) -> Option<Segment> {
        let probe = std::mem::take(&mut self.probe_now);
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
            let in_flight = self.flight();
            let usable = self.cwnd().min(self.snd_wnd).saturating_sub(in_flight);
            // never old and new data in one segment: only new data is ECN-capable
            let whole = if old {
                waiting.min(self.snd_max - self.snd_nxt)
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
        let start = self.snd_nxt;
        let segment = self.data_segment(start, len, fin);
        let end = start + u64::from(len) + u64::from(fin);
        self.snd_nxt = end;
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
        Some(segment)
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
        self.ack_due = AckDue::No;
        // a probe goes beyond the peer's window: RFC 3168, section 6.1.6
        let probe = self.snd_wnd == 0;
        let flags =
            Flags::ACK.with_if(fin, Flags::FIN) | self.ecn.flags_to_send(new_data && !probe);
        let ecn = self.ecn.field_to_send(new_data && !probe);
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
            options: TcpOptions::default(),
        })
    }

    /// The window of a SYN is never scaled (RFC 7323, section 2.2).
    fn window_field(&self, flags: Flags) -> u16 {
        let shift = if flags.contains(Flags::SYN) {
            0
        } else {
            self.rcv_wnd_shift
        };
        u16::try_from(self.rcv_wnd >> shift).unwrap_or(u16::MAX)
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
        let (mut ip_bytes, mut tcp_bytes) = ([0; IPV4_HEADER_LEN], [0; 60]);
        ip.emit(&mut ip_bytes);
        header.emit(&mut tcp_bytes, payload_len, src, dst);
        buf[..IPV4_HEADER_LEN].copy_from_slice(&ip_bytes);
        buf[IPV4_HEADER_LEN..].copy_from_slice(&tcp_bytes);
        Transmit {
            header_len,
            payload_len,
        }
    }
}
