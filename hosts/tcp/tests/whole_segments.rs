// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Windows in whole segments, as Linux keeps them: the figures are those of `mecn-host` on Linux 6.18.

mod common;
use common::*;
use mecn_tcp::{Config, CongestionAvoidance};

fn linux() -> Config {
    Config {
        congestion_avoidance: CongestionAvoidance::WholeSegments,
        ..Config::multi_level_ecn()
    }
}

fn incipient(seg: Seg) -> Seg {
    seg.ece()
}

fn moderate(seg: Seg) -> Seg {
    seg.ece().cwr()
}

#[test]
fn cuts_are_rounded_down_to_whole_segments() {
    for (mark, window, left) in [
        (incipient as fn(Seg) -> Seg, 161, 129),
        (moderate, 144, 87),
        (incipient, 9, 8),
        (moderate, 4, 3),
    ] {
        let mut s = Script::bulk_sender(avoiding(linux(), window));
        s.sent();
        s.recv(mark(ack(1)));
        assert_eq!(s.windows(), (left * MSS, left * MSS), "from {window}");
    }
}

#[test]
fn a_loss_takes_half_in_whole_segments() {
    let mut s = Script::bulk_sender(avoiding(linux(), 109));
    s.sent();
    s.recv_all([ack(0); 3]);
    assert_eq!(s.windows(), (58 * MSS, 55 * MSS)); // 3 segments have left the network
}

/// A fifth of four segments is none: one is taken. Two are always left.
#[test]
fn a_cut_takes_at_least_one_segment_and_leaves_two() {
    for (window, left) in [(4, 3), (3, 2), (2, 2)] {
        let mut s = Script::bulk_sender(avoiding(linux(), window));
        s.sent();
        s.recv(incipient(ack(1)));
        assert_eq!(s.windows(), (left * MSS, left * MSS), "from {window}");
        assert_eq!(s.ep.stats().reductions.incipient, 1);
    }
}

/// What was outstanding at the cut is acknowledged without growth; then a window of ACKs is worth a segment.
#[test]
fn the_window_does_not_grow_until_the_cut_is_acknowledged() {
    let mut s = Script::bulk_sender(avoiding(linux(), 10));
    s.sent();
    s.recv(incipient(ack(1)));
    for n in 2..=10 {
        s.recv(ack(n));
        s.sent();
        assert_eq!(s.ep.cwnd(), 8 * MSS);
    }
    for n in 11..18 {
        s.recv(ack(n));
        s.sent();
        assert_eq!(s.ep.cwnd(), 8 * MSS);
    }
    s.recv(ack(18));
    assert_eq!(s.ep.cwnd(), 9 * MSS);
}

/// After a timeout the window grows from one segment at once.
#[test]
fn a_timeout_ends_the_pause() {
    let mut s = Script::bulk_sender(avoiding(linux(), 10));
    s.sent();
    s.recv(incipient(ack(1)));
    s.wait_for_timer();
    s.sent();
    assert_eq!(s.ep.cwnd(), MSS);
    s.recv(ack(2));
    assert_eq!(s.ep.cwnd(), 2 * MSS);
}
