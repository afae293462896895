// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! RFC 9293: opening, closing, resets, windows; and what is not a segment of the connection.

mod common;
use common::*;
use mecn_tcp::wire::{Ecn, Flags, TcpHeader};
use mecn_tcp::{Config, ConfigError, Endpoint, EventKind, FourTuple, SegmentError, State};

fn bare(flags: Flags, seq: u32, ack: u32) -> Seg {
    Seg {
        flags,
        seq,
        len: 0,
        ack,
        ecn: Ecn::NotEct,
    }
}

fn fin_ack(seq: u32, ack: u32) -> Seg {
    bare(Flags::FIN | Flags::ACK, seq, ack)
}

#[test]
fn three_way_handshake() {
    let mut s = Script::client(Config::default());
    assert_eq!(s.ep.state(), State::SynSent);
    assert_eq!(s.sent(), [syn()]);
    s.recv(syn_ack());
    assert_eq!(s.ep.state(), State::Established);
    assert_eq!(s.sent(), [bare(Flags::ACK, 1, 1)]);

    let mut s = Script::server(Config::default());
    assert_eq!((s.ep.state(), s.sent()), (State::Listen, vec![]));
    s.recv(syn());
    assert_eq!(s.ep.state(), State::SynReceived);
    assert_eq!(s.sent(), [syn_ack()]);
    s.recv(ack(0));
    assert_eq!(s.ep.state(), State::Established);
    assert_eq!(s.ep.remote(), Some(PEER));
    let states: Vec<_> = std::iter::from_fn(|| s.ep.poll_event())
        .map(|e| e.kind)
        .collect();
    assert_eq!(
        states,
        [
            EventKind::State(State::SynReceived),
            EventKind::State(State::Established)
        ]
    );
}

/// Section 3.5, figure 7.
#[test]
fn simultaneous_open() {
    let mut s = Script::client(Config::default());
    assert_eq!(s.sent(), [syn()]);
    s.recv(syn());
    assert_eq!(s.ep.state(), State::SynReceived);
    assert_eq!(s.sent(), [syn_ack()]);
    s.recv(ack(0));
    assert_eq!(s.ep.state(), State::Established);
}

/// Section 3.6: the normal close, with a half-closed phase in which the peer goes on sending.
#[test]
fn close_by_this_end_first() {
    let mut s = Script::connected(Config {
        time_wait: 60 * S,
        ..Config::default()
    });
    s.ep.send(1000);
    s.ep.close();
    s.ep.send(5000); // too late
    let tail = Seg {
        len: 40,
        ..data(1).fin()
    };
    assert_eq!(s.sent(), [data(0), tail]);
    assert_eq!(s.ep.state(), State::FinWait1);
    s.recv(ack(0).acking(1002));
    assert_eq!(s.ep.state(), State::FinWait2);
    assert_eq!(s.ep.acked(), 1000);
    s.recv(data(0).acking(1002));
    assert_eq!(s.sent(), [bare(Flags::ACK, 1002, 1 + MSS)]);
    s.recv(fin_ack(1 + MSS, 1002));
    assert_eq!(s.ep.state(), State::TimeWait);
    assert!(s.ep.peer_closed());
    assert_eq!(s.sent(), [bare(Flags::ACK, 1002, 2 + MSS)]);
    s.wait(30 * S);
    s.recv(fin_ack(1 + MSS, 1002)); // our ACK was lost
    assert_eq!(s.sent(), [bare(Flags::ACK, 1002, 2 + MSS)]);
    assert_eq!(s.wait_for_timer(), 60 * S);
    assert_eq!((s.ep.state(), s.ep.delivered()), (State::Closed, 960));
}

#[test]
fn close_by_the_peer_first() {
    let mut s = Script::accepted(Config::default());
    s.recv(Seg {
        len: 100,
        ..data(0).fin()
    });
    assert_eq!(s.ep.state(), State::CloseWait);
    assert_eq!(s.sent(), [bare(Flags::ACK, 1, 102)]);
    assert_eq!(s.ep.delivered(), 100);
    s.ep.send(10);
    s.ep.close();
    assert_eq!(
        s.sent(),
        [Seg {
            len: 10,
            ..data(0).fin().acking(102)
        }]
    );
    assert_eq!(s.ep.state(), State::LastAck);
    s.recv(bare(Flags::ACK, 102, 12));
    assert_eq!((s.ep.state(), s.ep.next_timeout()), (State::Closed, None));
}

/// Section 3.6, figure 13.
#[test]
fn simultaneous_close() {
    let mut s = Script::connected(Config::default());
    s.ep.close();
    assert_eq!(s.sent(), [fin_ack(1, 1)]);
    s.recv(fin_ack(1, 1));
    assert_eq!(s.ep.state(), State::Closing);
    assert_eq!(s.sent(), [bare(Flags::ACK, 2, 2)]);
    s.recv(bare(Flags::ACK, 2, 2));
    assert_eq!(s.ep.state(), State::TimeWait);
}

/// A FIN ahead of missing data waits for it.
#[test]
fn fin_out_of_order() {
    let mut s = Script::accepted(Config::default());
    s.recv(fin_ack(1 + MSS, 1));
    assert_eq!((s.ep.state(), s.sent()), (State::Established, vec![ack(0)]));
    s.recv(data(0));
    assert_eq!(s.ep.state(), State::CloseWait);
    assert_eq!(s.sent(), [bare(Flags::ACK, 1, 2 + MSS)]);
}

/// A lost FIN is sent again.
#[test]
fn fin_is_retransmitted() {
    let mut s = Script::connected(Config::default());
    s.ep.send(960);
    s.ep.close();
    assert_eq!(s.sent(), [data(0).fin()]);
    s.wait_for_timer();
    assert_eq!(s.sent(), [data(0).fin()]);
    s.recv(ack(1)); // the data, not the FIN
    s.wait_for_timer();
    assert_eq!(s.sent(), [fin_ack(1 + MSS, 1)]);
    assert_eq!(s.ep.state(), State::FinWait1);
}

/// Unlimited data ends where it is when the application closes.
#[test]
fn close_of_an_endless_stream() {
    let mut s = Script::bulk_sender(Config::default());
    assert_eq!(s.sent(), plain_data(0..4));
    s.ep.close();
    assert_eq!(s.sent(), [fin_ack(1 + 4 * MSS, 1)]);
    s.recv(ack(0).acking(2 + 4 * MSS));
    assert_eq!((s.ep.state(), s.ep.acked()), (State::FinWait2, 4 * 960));
}

/// Section 3.5.2 and RFC 5961, section 3.2: only the exact sequence number resets.
#[test]
fn reset_must_match_exactly() {
    let mut s = Script::bulk_sender(Config::default());
    s.sent();
    s.recv(bare(Flags::RST, 100_000, 0)); // outside the window
    assert_eq!((s.ep.state(), s.sent()), (State::Established, vec![]));
    s.recv(bare(Flags::RST, 2, 0)); // inside it: a challenge ACK
    assert_eq!(
        (s.ep.state(), s.sent()),
        (State::Established, vec![bare(Flags::ACK, 1 + 4 * MSS, 1)])
    );
    s.recv(bare(Flags::RST, 1, 0));
    assert_eq!(
        (s.ep.state(), s.sent(), s.ep.next_timeout()),
        (State::Closed, vec![], None)
    );
}

/// RFC 5961, section 4.2: a SYN within a connection is challenged.
#[test]
fn syn_in_a_connection_is_challenged() {
    let mut s = Script::connected(Config::default());
    s.recv(bare(Flags::SYN, 500, 0));
    assert_eq!((s.ep.state(), s.sent()), (State::Established, vec![ack(0)]));
}

#[test]
fn connection_refused() {
    let mut s = Script::client(Config::default());
    s.sent();
    s.recv(bare(Flags::RST, 0, 0)); // without an ACK: not ours
    assert_eq!(s.ep.state(), State::SynSent);
    s.recv(bare(Flags::RST | Flags::ACK, 0, 1));
    assert_eq!(s.ep.state(), State::Closed);
}

/// Section 3.10.7: what a closed, a listening and an opening endpoint answer to segments of no connection.
#[test]
fn resets_sent() {
    let mut s = Script::server(Config::default());
    s.recv(bare(Flags::ACK, 7, 99));
    assert_eq!(s.sent(), [bare(Flags::RST, 99, 0)]);
    let mut s = Script::client(Config::default());
    s.sent();
    s.recv(Seg {
        ack: 77,
        ..syn_ack()
    });
    assert_eq!(
        (s.sent(), s.ep.state()),
        (vec![bare(Flags::RST, 77, 0)], State::SynSent)
    );
    s.ep.abort(0);
    assert_eq!((s.sent(), s.ep.state()), (vec![], State::Closed));
    s.recv(bare(Flags::SYN, 5, 0));
    assert_eq!(s.sent()[0].flags, Flags::RST | Flags::ACK);
    let mut s = Script::connected(Config::default());
    s.ep.abort(s.now);
    assert_eq!(s.sent(), [bare(Flags::RST | Flags::ACK, 1, 1)]);
}

/// Section 3.10.7.4: a reset in SYN-RECEIVED leads back to LISTEN, and another peer may connect.
#[test]
fn listener_survives_a_reset() {
    let mut s = Script::server(Config::default());
    s.ep.send(10);
    s.recv(syn());
    s.sent();
    s.recv(bare(Flags::RST, 1, 0));
    assert_eq!(
        (s.ep.state(), s.ep.remote(), s.ep.next_timeout()),
        (State::Listen, None, None)
    );
    s.recv(syn());
    assert_eq!(s.sent(), [syn_ack()]);
    s.recv(ack(0));
    assert_eq!(s.sent(), [Seg { len: 10, ..data(0) }]);
}

/// An ACK of what was never sent is answered and otherwise ignored.
#[test]
fn ack_of_the_future() {
    let mut s = Script::bulk_sender(Config::default());
    s.sent();
    s.recv(ack(5));
    assert_eq!(
        (s.ep.acked(), s.sent()),
        (0, vec![bare(Flags::ACK, 1 + 4 * MSS, 1)])
    );
}

/// RFC 5961, section 5.2: an ACK from before the largest window is a forgery; its data is not taken.
#[test]
fn very_old_acks_are_challenged() {
    let mut s = Script::client(avoiding(Config::default(), 4));
    s.options.window_scale = None;
    s.window = (4 * MSS) as u16;
    s.ep.send_unlimited();
    s.sent();
    s.recv(syn_ack());
    for n in (4..=40).step_by(4) {
        s.sent();
        s.recv(ack(n));
    }
    s.sent();
    s.recv(data(0).acking(1 + 36 * MSS)); // within the window: taken
    assert_eq!(s.ep.delivered(), u64::from(MSS));
    s.sent();
    s.recv(data(1).acking(36 * MSS));
    assert_eq!(s.ep.delivered(), u64::from(MSS));
    assert_eq!(s.ep.stats().challenge_acks, 1);
    assert_eq!(s.sent().len(), 1);
}

/// RFC 5961, section 7: at most ten challenge ACKs in five seconds.
#[test]
fn challenge_acks_are_limited() {
    let mut s = Script::connected(Config::default());
    let mut answered = 0;
    for _ in 0..25 {
        s.recv(bare(Flags::RST, 500, 0));
        answered += s.sent().len();
    }
    assert_eq!((answered, s.ep.stats().challenge_acks), (10, 10));
    s.wait(5 * S);
    s.recv(bare(Flags::RST, 500, 0));
    assert_eq!(s.sent().len(), 1);
}

/// Section 3.8.6: the window closes as data lies unread, and opens in large steps as it is read
/// (section 3.8.6.2.2), which the peer is told.
#[test]
fn unread_data_closes_the_window() {
    let mut s = Script::server(Config::default().with_window_segments(4));
    s.ep.read_by_hand();
    s.recv(syn());
    s.sent();
    s.recv(ack(0));
    for n in 0..4 {
        assert_eq!(s.ep.receive_window(), (4 - n) * MSS);
        s.recv(data(n));
        let (_, bytes) = s.sent_one().unwrap();
        assert_eq!(u32::from(parse(&bytes, 0).1.window), (3 - n) * MSS);
    }
    // a probe of the closed window is answered and not taken (section 3.8.6.1)
    s.recv(Seg { len: 1, ..data(4) });
    assert_eq!(s.sent(), [ack(4).at(1).acking(1 + 4 * MSS)]);
    assert_eq!(s.ep.unread(), u64::from(4 * MSS));
    // too little to tell
    assert_eq!(s.ep.read(u64::from(MSS) - 1), u64::from(MSS) - 1);
    assert_eq!((s.sent(), s.ep.receive_window()), (vec![], 0));
    s.ep.read(1);
    assert_eq!(s.ep.receive_window(), MSS);
    assert_eq!(s.sent().len(), 1);
    assert_eq!(s.ep.read(1_000_000), u64::from(3 * MSS));
    assert_eq!((s.ep.receive_window(), s.ep.unread()), (4 * MSS, 0));
}

/// Section 3.8.6.1: a closed window is probed for as long as it stays closed; then sending goes on.
#[test]
fn zero_window() {
    let mut s = Script::connected(Config {
        max_timeouts: 2,
        ..Config::default()
    });
    s.window = 0;
    s.recv(ack(0));
    s.ep.send(2000);
    assert_eq!(s.sent(), []);
    let probe = Seg { len: 1, ..data(0) };
    for expected in [1, 2, 4, 8, 16] {
        assert_eq!(s.wait_for_timer(), expected * S);
        assert_eq!(s.sent(), [probe]);
        s.recv(ack(0));
    }
    assert_eq!(s.windows().0, 4 * MSS, "no congestion");
    s.window = 0xffff;
    s.recv(ack(0));
    let lens: Vec<_> = s.sent().iter().map(|seg| (seg.seq, seg.len)).collect();
    assert_eq!(lens, [(1, 1), (2, 960), (962, 960), (1922, 79)]);
}

/// A window smaller than a segment is used.
#[test]
fn small_window() {
    let mut s = Script::client(Config::default());
    s.options.window_scale = None;
    s.window = 500;
    s.ep.send(1200);
    s.sent();
    s.recv(syn_ack());
    assert_eq!(
        s.sent(),
        [Seg {
            len: 500,
            ..data(0)
        }]
    );
    s.recv(ack(0).acking(501));
    assert_eq!(
        s.sent(),
        [Seg {
            len: 500,
            ..data(0).at(501)
        }]
    );
    s.recv(ack(0).acking(1001));
    assert_eq!(
        s.sent(),
        [Seg {
            len: 200,
            ..data(0).at(1001)
        }]
    );
}

/// A peer whose lost data fills our window acknowledges from the window's end: that must be heard.
#[test]
fn ack_from_the_end_of_the_window() {
    let mut s = Script::bulk_sender(Config::default().with_window_segments(4));
    assert_eq!(s.sent(), plain_data(0..4));
    s.recv(ack(1).at(1 + 4 * MSS));
    assert_eq!(s.ep.acked(), 960);
    s.recv(ack(2).at(2 + 4 * MSS));
    assert_eq!(s.ep.acked(), 960);
}

/// What is malformed or another's is counted and changes nothing else.
#[test]
fn foreign_and_malformed_packets() {
    let mut s = Script::accepted(Config::default());
    let good = s.encode(data(0));
    for at in 0..good.len() {
        let mut bad = good.clone();
        bad[at] ^= 0x04;
        assert!(s.ep.on_segment(&bad, 960, 0).is_err(), "byte {at}");
    }
    assert!(s.ep.on_segment(&good, 961, 0).is_err());
    assert!(s.ep.on_segment(&good[..39], 960, 0).is_err());
    assert!(s.ep.on_segment(&[], 0, 0).is_err());
    assert_eq!(s.ep.stats().malformed_packets, 43);
    let header = TcpHeader {
        src_port: 81,
        dst_port: LOCAL.port(),
        flags: Flags::ACK,
        ..TcpHeader::default()
    };
    let other = packet(&header, Ecn::NotEct, 0);
    assert!(matches!(
        s.ep.on_segment(&other, 0, 0),
        Err(SegmentError::Foreign { .. })
    ));
    assert_eq!(s.ep.stats().foreign_packets, 1);
    assert_eq!((s.sent(), s.ep.delivered()), (vec![], 0));
    s.recv(data(0));
    assert_eq!(s.ep.delivered(), 960);
}

/// The bound on out-of-order ranges holds.
#[test]
fn out_of_order_ranges_are_bounded() {
    let mut s = Script::accepted(Config {
        max_ranges: 2,
        ..Config::default()
    });
    s.recv_all([data(1), data(3), data(5)]);
    assert_eq!(s.ep.stats().ranges_exhausted, 1);
    s.recv_all([data(0), data(2), data(4)]);
    assert_eq!(s.ep.delivered(), 5 * 960);
    s.recv(data(5));
    assert_eq!(s.ep.delivered(), 6 * 960);
}

#[test]
fn configuration_is_checked() {
    let tuple = FourTuple {
        local: LOCAL,
        remote: PEER,
    };
    let name = |config| {
        Endpoint::connect(config, tuple, 0, 0)
            .err()
            .map(|e: ConfigError| e.name)
    };
    let good = Config::default();
    assert_eq!(name(good), None);
    assert_eq!(name(Config { mss: 0, ..good }), Some("mss"));
    assert_eq!(
        name(Config {
            receive_window: 0,
            ..good
        }),
        Some("receive_window")
    );
    assert_eq!(name(Config { dscp: 64, ..good }), Some("dscp"));
    let mut rto = good.rto;
    rto.granularity = 0;
    assert_eq!(name(Config { rto, ..good }), Some("rto.granularity"));
}
