// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! RFC 6582: NewReno's fast recovery. RFC 3042: limited transmit.

mod common;
use common::*;
use mecn_tcp::{Config, LossRecovery};

fn newreno() -> Config {
    Config {
        loss_recovery: LossRecovery::NewReno,
        ..Config::default()
    }
}

/// Section 3.2, steps 2 and 3: two losses in a window of twelve, repaired in two round trips.
#[test]
fn partial_and_full_acknowledgments() {
    let mut s = Script::bulk_sender(avoiding(newreno(), 12));
    assert_eq!(s.sent(), plain_data(0..12));
    s.recv_all([ack(0); 3]); // 0 and 3 are lost
    assert_eq!(s.windows(), (9 * MSS, 6 * MSS));
    assert_eq!(s.sent(), plain_data(0..1));
    s.recv_all([ack(0); 7]); // ten of twelve have arrived
    assert_eq!(s.ep.cwnd(), 16 * MSS);
    assert_eq!(s.sent(), plain_data(12..16));
    s.recv(ack(3)); // partial: 16 - 3 + 1
    assert_eq!(s.windows(), (14 * MSS, 6 * MSS));
    assert!(s.ep.in_recovery());
    assert_eq!(s.sent(), [data(3), data(16)]);
    s.recv_all([ack(3); 4]); // 12 to 15
    assert_eq!(s.sent(), plain_data(17..21));
    s.recv(ack(16)); // full
    assert_eq!(s.windows(), (6 * MSS, 6 * MSS));
    assert!(!s.ep.in_recovery());
    let stats = s.ep.stats();
    assert_eq!((stats.partial_acks, stats.segments_retransmitted), (1, 2));
    assert_eq!((stats.timeouts, stats.reductions.fast_retransmit), (0, 1));
}

/// Section 3.2, step 3: a partial ACK of less than a segment adds nothing back.
#[test]
fn small_partial_ack_deflates_only() {
    let mut s = Script::bulk_sender(avoiding(newreno(), 8));
    s.sent();
    s.recv_all([ack(0); 3]);
    s.sent();
    assert_eq!(s.ep.cwnd(), 7 * MSS);
    s.recv(ack(0).acking(1 + 100));
    assert_eq!(s.ep.cwnd(), 7 * MSS - 100);
}

/// Section 3.2, step 3, way (1): with little in flight the window ends low, so that there is no burst.
#[test]
fn full_ack_with_little_in_flight() {
    let mut s = Script::connected(avoiding(newreno(), 12));
    s.ep.send(u64::from(12 * MSS));
    s.sent();
    s.recv_all([ack(0); 11]);
    assert_eq!(s.sent(), plain_data(0..1));
    s.recv(ack(12));
    assert_eq!(s.windows(), (2 * MSS, 6 * MSS));
}

/// Section 3.2, step 3 ("Impatient"): the first partial ACK restarts the timer, further ones do not.
#[test]
fn only_the_first_partial_ack_restarts_the_timer() {
    let mut s = Script::bulk_sender(avoiding(newreno(), 12));
    s.sent();
    s.wait(10 * MS);
    s.recv_all([ack(0); 9]); // 0, 2 and 4 are lost
    s.sent();
    s.wait(10 * MS);
    s.recv(ack(2));
    s.sent();
    let armed = s.ep.next_timeout();
    assert_eq!(armed, Some(s.now + s.ep.rtt().rto()));
    s.wait(10 * MS);
    s.recv(ack(4));
    assert_eq!(s.sent()[0], data(4));
    assert_eq!(s.ep.next_timeout(), armed);
}

/// Section 3.2, step 2: no second fast retransmit for what was outstanding at the last one.
#[test]
fn duplicates_of_the_old_window_are_no_new_loss() {
    let mut s = Script::bulk_sender(avoiding(newreno(), 8));
    s.sent();
    assert_eq!(s.wait_for_timer(), S);
    assert_eq!(s.sent(), plain_data(0..1));
    s.recv(ack(1));
    assert_eq!(s.sent(), plain_data(1..3));
    s.recv_all([ack(1); 5]); // copies
    assert_eq!((s.ep.stats().fast_retransmits, s.sent()), (0, vec![]));
}

/// RFC 3042, section 2: a new segment for each of the first two duplicate ACKs; the window stays, and FlightSize
/// does not count them (RFC 5681, section 3.2, step 2).
#[test]
fn limited_transmit() {
    for loss_recovery in [LossRecovery::Reno, LossRecovery::NewReno] {
        let config = Config {
            loss_recovery,
            limited_transmit: true,
            ..avoiding(newreno(), 8)
        };
        let mut s = Script::bulk_sender(config);
        assert_eq!(s.sent(), plain_data(0..8));
        s.recv(ack(0));
        assert_eq!(s.sent(), plain_data(8..9));
        s.recv(ack(0));
        assert_eq!(s.sent(), plain_data(9..10));
        assert_eq!(s.ep.cwnd(), 8 * MSS);
        s.recv(ack(0));
        assert_eq!(s.windows(), (7 * MSS, 4 * MSS));
        assert_eq!(s.sent(), plain_data(0..1));
    }
}

/// RFC 3042, section 2: with a window of three segments a loss is found without the timer.
#[test]
fn limited_transmit_saves_a_small_window_from_the_timer() {
    for (limited_transmit, fast_retransmits) in [(false, 0), (true, 1)] {
        let config = Config {
            limited_transmit,
            ..avoiding(newreno(), 3)
        };
        let mut s = Script::bulk_sender(config);
        assert_eq!(s.sent(), plain_data(0..3));
        s.recv_all([ack(0); 2]);
        for _ in s.sent() {
            s.recv(ack(0));
        }
        assert_eq!(s.ep.stats().fast_retransmits, fast_retransmits);
    }
}

/// RFC 3042, section 2: not beyond the peer's window.
#[test]
fn limited_transmit_heeds_the_peers_window() {
    let config = Config {
        limited_transmit: true,
        ..avoiding(newreno(), 8)
    };
    let mut s = Script::client(config);
    s.options.window_scale = None;
    s.window = (8 * MSS) as u16;
    s.ep.send_unlimited();
    s.sent();
    s.recv(syn_ack());
    assert_eq!(s.sent(), plain_data(0..8));
    s.recv_all([ack(0); 2]);
    assert_eq!((s.ep.stats().dup_acks, s.sent()), (2, vec![]));
}
