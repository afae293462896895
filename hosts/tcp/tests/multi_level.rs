// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Multi-level ECN: table 1 (what the receiver echoes) and table 2 (how the sender responds).

mod common;
use common::*;
use mecn_tcp::wire::Flags;
use mecn_tcp::{Beta, Config, EcnMode, ResponseTable};

fn mecn() -> Config {
    Config::multi_level_ecn()
}

/// (CWR,ECE) = (0,1).
fn incipient(seg: Seg) -> Seg {
    seg.ece()
}

/// (CWR,ECE) = (1,1).
fn moderate(seg: Seg) -> Seg {
    seg.ece().cwr()
}

/// Table 1: each field of the IP header and its echo on the next ACK only.
#[test]
fn table_1_echo_is_exact_and_per_ack() {
    let mut s = Script::accepted(mecn());
    let rows = [
        (data(0), ack(1)),
        (data(1).ect0(), ack(2)),
        (data(2).ect1(), incipient(ack(3))),
        (data(3).ect0(), ack(4)),
        (data(4).ce(), moderate(ack(5))),
        (data(5).ect1(), incipient(ack(6))),
        (data(6).ce(), moderate(ack(7))),
        (data(7).ect0(), ack(8)),
    ];
    for (arriving, answer) in rows {
        s.recv(arriving);
        assert_eq!(s.sent(), [answer]);
    }
    assert_eq!(
        (s.ep.stats().received_ect1, s.ep.stats().received_ce),
        (2, 2)
    );
}

/// Delayed ACKs echo the highest level since the last ACK.
#[test]
fn delayed_acks_echo_the_highest_level() {
    let mut s = Script::accepted(Config {
        delayed_ack: Some(200 * MS),
        ..mecn()
    });
    let pairs = [
        (data(0).ect0(), data(1).ect1(), incipient(ack(2))),
        (data(2).ce(), data(3).ect1(), moderate(ack(4))),
        (data(4).ect1(), data(5).ce(), moderate(ack(6))),
        (data(6).ect0(), data(7).ect0(), ack(8)),
    ];
    for (first, second, answer) in pairs {
        s.recv(first);
        assert_eq!(s.sent(), []);
        s.recv(second);
        assert_eq!(s.sent(), [answer]);
    }
}

/// Duplicate ACKs echo the level of the segment that caused them.
#[test]
fn duplicate_acks_echo_their_own_level() {
    let mut s = Script::accepted(mecn());
    s.recv(data(1).ce());
    assert_eq!(s.sent(), [moderate(ack(0))]);
    s.recv(data(2).ect0());
    assert_eq!(s.sent(), [ack(0)]);
    s.recv(data(3).ect1());
    assert_eq!(s.sent(), [incipient(ack(0))]);
}

/// CWR from the peer is a level, and never ends anything.
#[test]
fn no_cwr_handshake() {
    let mut s = Script::bulk_sender(avoiding(mecn(), 10));
    assert_eq!(s.sent(), ect_data(0..10));
    s.recv(incipient(ack(1)));
    s.recv(ack(3));
    assert_eq!(s.sent(), [data(10).ect0()]); // 8 segments: no CWR
    s.recv_all([ack(3); 3]); // answered before: 8 + 3 segments
    assert_eq!(s.sent(), [vec![data(3)], ect_data(11..14)].concat());
    s.wait_for_timer();
    s.recv(ack(11));
    assert!(
        s.sent()
            .iter()
            .all(|seg| !seg.flags.intersects(Flags::ECE | Flags::CWR))
    );
}

/// Table 2 at 100 segments: 80, 60, 50; ssthresh follows.
#[test]
fn table_2_response_is_exact() {
    let mut s = Script::bulk_sender(avoiding(mecn(), 100));
    s.sent();
    s.recv(incipient(ack(1)));
    assert_eq!(s.windows(), (80 * MSS, 80 * MSS));
    assert_eq!(s.ep.stats().reductions.incipient, 1);

    let mut s = Script::bulk_sender(avoiding(mecn(), 100));
    s.sent();
    s.recv(moderate(ack(1)));
    assert_eq!(s.windows(), (60 * MSS, 60 * MSS));
    assert_eq!(s.ep.stats().reductions.moderate, 1);

    let mut s = Script::bulk_sender(avoiding(mecn(), 100));
    s.sent();
    s.recv_all([ack(0); 3]);
    assert_eq!(s.windows(), (53 * MSS, 50 * MSS));
    s.sent();
    s.recv(ack(100));
    assert_eq!(s.windows(), (50 * MSS, 50 * MSS));

    let mut s = Script::bulk_sender(avoiding(mecn(), 100));
    s.sent();
    for n in 1..100 {
        s.recv(ack(n));
        assert_eq!(s.ep.cwnd(), 100 * MSS);
    }
    s.recv(ack(100));
    assert_eq!(s.ep.cwnd(), 101 * MSS);
}

/// (CWR,ECE) = (1,0) is no code point: the window grows.
#[test]
fn cwr_alone_is_no_congestion() {
    let mut s = Script::bulk_sender(starting(mecn(), 4));
    s.sent();
    s.recv(ack(1).cwr());
    assert_eq!(s.ep.cwnd(), 5 * MSS);
}

/// At most once per round trip, also when the level rises in between.
#[test]
fn one_reduction_per_round_trip() {
    let mut s = Script::bulk_sender(avoiding(mecn(), 10));
    s.sent();
    s.recv(incipient(ack(1)));
    assert_eq!(s.ep.cwnd(), 8 * MSS);
    for n in 2..=10 {
        s.recv(moderate(ack(n)));
        s.sent();
        assert_eq!(s.ep.cwnd(), 8 * MSS);
    }
    s.recv(moderate(ack(11)));
    assert_eq!(s.windows(), (4608, 4608)); // 7680 - 3072
    let r = s.ep.stats().reductions;
    assert_eq!(
        (r.incipient, r.moderate, r.fast_retransmit, r.timeout),
        (1, 1, 0, 0)
    );
    assert_eq!(
        (s.ep.stats().echoed_incipient, s.ep.stats().echoed_moderate),
        (1, 10)
    );
}

/// Topped up: both marks of a window leave what the moderate one alone would have left, once; a loss is not topped up.
#[test]
fn a_moderate_mark_tops_up_an_incipient_cut() {
    let config = Config {
        top_up: true,
        ..avoiding(mecn(), 10)
    };
    let mut s = Script::bulk_sender(config);
    s.sent();
    s.recv(incipient(ack(1)));
    assert_eq!(s.ep.cwnd(), 8 * MSS);
    s.recv_all([incipient(ack(2)), moderate(ack(3))]);
    assert_eq!(s.windows(), (6 * MSS, 6 * MSS));
    s.recv_all((4..=10).map(|n| moderate(ack(n))));
    assert_eq!(s.windows(), (6 * MSS, 6 * MSS));
    let r = s.ep.stats().reductions;
    assert_eq!((r.incipient, r.moderate), (1, 1));

    let mut s = Script::bulk_sender(config);
    s.sent();
    s.recv(moderate(ack(1)));
    s.recv(incipient(ack(2)));
    assert_eq!(s.windows(), (6 * MSS, 6 * MSS));

    let mut s = Script::bulk_sender(config);
    s.sent();
    s.recv_all([ack(0); 3]);
    s.recv(moderate(ack(1)));
    assert_eq!(s.ep.ssthresh(), 5 * MSS);
}

/// In slow start too: the cut, and congestion avoidance from there.
#[test]
fn slow_start_ends_with_the_first_mark() {
    let mut s = Script::bulk_sender(starting(mecn(), 20));
    s.sent();
    s.recv(incipient(ack(1)));
    assert_eq!(s.windows(), (16 * MSS, 16 * MSS));
    s.recv_all((2..=17).map(ack));
    assert_eq!(s.ep.cwnd(), 17 * MSS);
}

/// Whole bytes: a fifth of 1,001 bytes is 200; the floors are one and two segments.
#[test]
fn rounding_and_floors() {
    // four segments less a fifth: not lost to rounding as it would be in whole segments
    let mut s = Script::bulk_sender(avoiding(mecn(), 4));
    s.sent();
    s.recv(incipient(ack(1)));
    assert_eq!(s.windows(), (3072, 3072));
    let mut s = Script::bulk_sender(avoiding(mecn(), 2));
    s.sent();
    s.recv(incipient(ack(1)));
    assert_eq!(s.windows(), (1536, 2 * MSS));
    let mut s = Script::bulk_sender(avoiding(mecn(), 1));
    s.sent();
    s.recv(incipient(ack(1)));
    assert_eq!(s.windows(), (MSS, 2 * MSS));
    let config = Config {
        mss: 1001,
        initial_window: mecn_tcp::InitialWindow::Segments(3),
        ..mecn()
    };
    let mut s = Script::bulk_sender(Config {
        initial_ssthresh: Some(3003),
        ..config
    });
    s.sent();
    s.recv(incipient(ack(1)));
    assert_eq!(s.ep.cwnd(), 3003 - 600);
}

/// The response is data: other betas, and marks of classic ECN with a beta of their own.
#[test]
fn betas_are_data() {
    let response = ResponseTable {
        incipient: Beta::new(10, 1).unwrap(),
        moderate: Beta::new(4, 1).unwrap(),
        loss: Beta::new(5, 2).unwrap(),
    };
    let config = avoiding(Config { response, ..mecn() }, 100);
    let after = |config: Config, seg: &[Seg]| {
        let mut s = Script::bulk_sender(config);
        s.sent();
        s.recv_all(seg.iter().copied());
        s.ep.ssthresh() / MSS
    };
    assert_eq!(after(config, &[incipient(ack(1))]), 90);
    assert_eq!(after(config, &[moderate(ack(1))]), 75);
    assert_eq!(after(config, &[ack(0); 3]), 60);
    let classic = Config {
        ecn: EcnMode::Classic,
        ..config
    };
    assert_eq!(after(classic, &[ack(1).ece()]), 75);
}

/// A timeout resets to one segment and half the flight, whatever marks came before.
#[test]
fn timeout_after_a_mark() {
    let mut s = Script::bulk_sender(avoiding(mecn(), 20));
    s.sent();
    s.recv(incipient(ack(1)));
    assert_eq!(s.windows(), (16 * MSS, 16 * MSS));
    s.wait_for_timer();
    assert_eq!(s.windows(), (MSS, 19 * MSS / 2));
}
