// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Scripted segment exchanges: one real endpoint, its peer written out by the test.
//!
//! Sequence and acknowledgment numbers are relative: 0 is the SYN, 1 the first byte, on both sides.
#![allow(dead_code)] // every test file uses its part

use mecn_tcp::wire::{
    Checksum, Ecn, Flags, IPV4_HEADER_LEN, Ipv4Header, PROTOCOL_TCP, SackBlocks, TcpHeader,
    TcpOptions,
};
use mecn_tcp::{Config, Endpoint, FourTuple, InitialWindow, MAX_HEADER_LEN, State};
use std::net::{Ipv4Addr, SocketAddrV4};

pub const MSS: u32 = 960;
pub const MS: u64 = 1_000_000;
pub const S: u64 = 1_000 * MS;

pub const LOCAL: SocketAddrV4 = SocketAddrV4::new(Ipv4Addr::new(10, 0, 0, 1), 40_000);
pub const PEER: SocketAddrV4 = SocketAddrV4::new(Ipv4Addr::new(10, 0, 0, 2), 80);
/// Initial sequence numbers just below the wrap, so that every script crosses it.
pub const ISS: u32 = u32::MAX - 2_000;
pub const IRS: u32 = u32::MAX - 500;

/// A segment as a script names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seg {
    pub flags: Flags,
    pub seq: u32,
    pub len: u32,
    pub ack: u32,
    pub ecn: Ecn,
}

impl Seg {
    pub fn ect0(self) -> Self {
        Self {
            ecn: Ecn::Ect0,
            ..self
        }
    }
    pub fn ect1(self) -> Self {
        Self {
            ecn: Ecn::Ect1,
            ..self
        }
    }
    pub fn ce(self) -> Self {
        Self {
            ecn: Ecn::Ce,
            ..self
        }
    }
    pub fn ece(self) -> Self {
        Self {
            flags: self.flags | Flags::ECE,
            ..self
        }
    }
    pub fn cwr(self) -> Self {
        Self {
            flags: self.flags | Flags::CWR,
            ..self
        }
    }
    pub fn fin(self) -> Self {
        Self {
            flags: self.flags | Flags::FIN,
            ..self
        }
    }
    /// With this acknowledgment number.
    pub fn acking(self, ack: u32) -> Self {
        Self { ack, ..self }
    }
    /// With this sequence number.
    pub fn at(self, seq: u32) -> Self {
        Self { seq, ..self }
    }
}

/// Full-sized data segment number `n`, counted from 0, acknowledging nothing but the SYN.
pub fn data(n: u32) -> Seg {
    Seg {
        flags: Flags::ACK,
        seq: 1 + n * MSS,
        len: MSS,
        ack: 1,
        ecn: Ecn::NotEct,
    }
}

/// Data segments `range`, ECT(0).
pub fn ect_data(range: std::ops::Range<u32>) -> Vec<Seg> {
    range.map(|n| data(n).ect0()).collect()
}

/// Data segments `range`, Not-ECT.
pub fn plain_data(range: std::ops::Range<u32>) -> Vec<Seg> {
    range.map(data).collect()
}

/// A pure ACK of `n` full-sized segments, from an end that has sent only its SYN.
pub fn ack(n: u32) -> Seg {
    Seg {
        flags: Flags::ACK,
        seq: 1,
        len: 0,
        ack: 1 + n * MSS,
        ecn: Ecn::NotEct,
    }
}

pub fn syn() -> Seg {
    Seg {
        flags: Flags::SYN,
        seq: 0,
        len: 0,
        ack: 0,
        ecn: Ecn::NotEct,
    }
}

pub fn syn_ack() -> Seg {
    Seg {
        flags: Flags::SYN | Flags::ACK,
        seq: 0,
        len: 0,
        ack: 1,
        ecn: Ecn::NotEct,
    }
}

/// A config whose connection starts in congestion avoidance at `segments`.
pub fn avoiding(config: Config, segments: u32) -> Config {
    Config {
        initial_window: InitialWindow::Segments(segments),
        initial_ssthresh: Some(segments * MSS),
        ..config
    }
}

/// A config whose connection starts in slow start at `segments`.
pub fn starting(config: Config, segments: u32) -> Config {
    Config {
        initial_window: InitialWindow::Segments(segments),
        ..config
    }
}

/// The endpoint under test, its clock and its peer's window.
pub struct Script {
    pub ep: Endpoint,
    pub now: u64,
    pub window: u16,
    pub options: TcpOptions,
}

impl Script {
    pub fn client(config: Config) -> Self {
        let ep = Endpoint::connect(
            config,
            FourTuple {
                local: LOCAL,
                remote: PEER,
            },
            ISS,
            0,
        )
        .unwrap();
        Self::around(ep)
    }

    pub fn server(config: Config) -> Self {
        Self::around(Endpoint::listen(config, LOCAL, ISS).unwrap())
    }

    fn around(ep: Endpoint) -> Self {
        let options = TcpOptions {
            mss: Some(ep.config().mss),
            window_scale: Some(7),
            sack_permitted: true,
            ..TcpOptions::default()
        };
        Self {
            ep,
            now: 0,
            window: 0xffff,
            options,
        }
    }

    /// A client with an endless stream, its handshake (100 ms) done, ECN agreed if configured, and its
    /// initial window sent.
    pub fn bulk_sender(config: Config) -> Self {
        let mut s = Self::connected(config);
        s.ep.send_unlimited();
        s
    }

    /// A client with its handshake (100 ms) done.
    pub fn connected(config: Config) -> Self {
        let mut s = Self::client(config);
        let opening = s.sent();
        assert_eq!(opening.len(), 1);
        s.wait(100 * MS);
        let ecn = opening[0].flags.contains(Flags::ECE);
        s.recv(if ecn { syn_ack().ece() } else { syn_ack() });
        assert_eq!(s.sent(), [ack(0)]);
        assert_eq!(s.ep.state(), State::Established);
        // The window on the SYN-ACK was unscaled: let the first scaled one not come with a duplicate ACK.
        s.recv(ack(0));
        s
    }

    /// A server with its handshake done.
    pub fn accepted(config: Config) -> Self {
        let mut s = Self::server(config);
        s.recv(syn().ece().cwr());
        assert_eq!(s.sent().len(), 1);
        s.recv(ack(0));
        assert_eq!(s.sent(), []);
        assert_eq!(s.ep.state(), State::Established);
        s
    }

    pub fn wait(&mut self, time: u64) -> &mut Self {
        self.now += time;
        self.ep.on_timer(self.now);
        self
    }

    /// Goes to the next timeout and returns the time from now to it.
    pub fn wait_for_timer(&mut self) -> u64 {
        let at = self.ep.next_timeout().expect("no timer is armed");
        let waited = at - self.now;
        self.now = at;
        self.ep.on_timer(at);
        waited
    }

    /// The peer's segment arrives.
    pub fn recv(&mut self, seg: Seg) -> &mut Self {
        let bytes = self.encode(seg);
        self.ep.on_segment(&bytes, seg.len, self.now).unwrap();
        self
    }

    pub fn recv_all(&mut self, segs: impl IntoIterator<Item = Seg>) -> &mut Self {
        for seg in segs {
            self.recv(seg);
        }
        self
    }

    /// The bytes of the peer's segment.
    pub fn encode(&self, seg: Seg) -> Vec<u8> {
        self.encode_with(seg, SackBlocks::default())
    }

    /// The peer's ACK arrives, reporting these data segments; the latest range first.
    pub fn recv_sack(&mut self, seg: Seg, ranges: &[std::ops::Range<u32>]) -> &mut Self {
        let mut sack = SackBlocks::default();
        for range in ranges {
            let edge = |n: u32| ISS.wrapping_add(1 + n * MSS);
            sack.push(edge(range.start), edge(range.end));
        }
        let bytes = self.encode_with(seg, sack);
        self.ep.on_segment(&bytes, seg.len, self.now).unwrap();
        self
    }

    fn encode_with(&self, seg: Seg, sack: SackBlocks) -> Vec<u8> {
        let syn = seg.flags.contains(Flags::SYN);
        let header = TcpHeader {
            src_port: PEER.port(),
            dst_port: LOCAL.port(),
            seq: IRS.wrapping_add(seg.seq),
            ack: if seg.flags.contains(Flags::ACK) {
                ISS.wrapping_add(seg.ack)
            } else {
                0
            },
            flags: seg.flags,
            window: self.window,
            options: if syn {
                self.options
            } else {
                TcpOptions {
                    sack,
                    ..TcpOptions::default()
                }
            },
        };
        packet(&header, seg.ecn, seg.len)
    }

    /// Everything that the endpoint sends now.
    pub fn sent(&mut self) -> Vec<Seg> {
        let mut segs = Vec::new();
        while let Some((seg, _)) = self.sent_one() {
            segs.push(seg);
        }
        segs
    }

    /// The next segment that the endpoint sends now, and its headers.
    pub fn sent_one(&mut self) -> Option<(Seg, Vec<u8>)> {
        let mut buf = [0; MAX_HEADER_LEN];
        let transmit = self.ep.poll_transmit(self.now, &mut buf)?;
        let bytes = &buf[..transmit.header_len];
        let (ip, tcp) = parse(bytes, transmit.payload_len);
        assert_eq!(
            usize::from(ip.total_len),
            bytes.len() + transmit.payload_len as usize
        );
        assert_eq!((ip.src, ip.dst), (LOCAL.ip().octets(), PEER.ip().octets()));
        assert_eq!((tcp.src_port, tcp.dst_port), (LOCAL.port(), PEER.port()));
        let sack = tcp.options.sack.as_slice().len();
        if !tcp.flags.contains(Flags::SYN) {
            let options = if sack > 0 { 4 + 8 * sack } else { 0 };
            assert_eq!(bytes.len(), 40 + options, "SYNs apart, only SACK blocks");
            assert!(sack == 0 || transmit.payload_len == 0, "on pure ACKs only");
        }
        let seg = Seg {
            flags: tcp.flags,
            seq: tcp.seq.wrapping_sub(ISS),
            len: transmit.payload_len,
            ack: if tcp.flags.contains(Flags::ACK) {
                tcp.ack.wrapping_sub(IRS)
            } else {
                0
            },
            ecn: ip.ecn,
        };
        Some((seg, bytes.to_vec()))
    }

    /// (cwnd, ssthresh) in bytes.
    pub fn windows(&self) -> (u32, u32) {
        (self.ep.cwnd(), self.ep.ssthresh())
    }
}

/// A packet's headers from the peer, checksums right.
pub fn packet(header: &TcpHeader, ecn: Ecn, len: u32) -> Vec<u8> {
    let (src, dst) = (PEER.ip().octets(), LOCAL.ip().octets());
    let mut tcp = [0; 60];
    let tcp_len = header.emit(&mut tcp, len, src, dst);
    let ip = Ipv4Header {
        dscp: 0,
        ecn,
        total_len: (IPV4_HEADER_LEN + tcp_len) as u16 + len as u16,
        ident: 0,
        dont_fragment: true,
        ttl: 64,
        protocol: PROTOCOL_TCP,
        src,
        dst,
    };
    let mut bytes = [0; IPV4_HEADER_LEN];
    ip.emit(&mut bytes);
    [&bytes[..], &tcp[..tcp_len]].concat()
}

/// Parses headers, asserting that they are right.
pub fn parse(bytes: &[u8], payload_len: u32) -> (Ipv4Header, TcpHeader) {
    let (ip, ip_len) = Ipv4Header::parse(bytes).unwrap();
    let (tcp, tcp_len) = TcpHeader::parse(&bytes[ip_len..], payload_len, ip.src, ip.dst).unwrap();
    assert_eq!(ip_len + tcp_len, bytes.len());
    (ip, tcp)
}

/// Rewrites the ECN field and the IPv4 checksum, as a marking switch does.
pub fn mark(bytes: &mut [u8], ecn: Ecn) {
    bytes[1] = (bytes[1] & !0b11) | ecn.bits();
    bytes[10..12].fill(0);
    let checksum = Checksum::new().bytes(&bytes[..IPV4_HEADER_LEN]).finish();
    bytes[10..12].copy_from_slice(&checksum.to_be_bytes());
}
