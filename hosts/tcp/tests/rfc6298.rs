// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! RFC 6298: the retransmission timer, as segments show it. The estimator's arithmetic is tested beside it.

mod common;
use common::*;
use mecn_tcp::{Config, MILLISECOND, RtoConfig, State};

/// The RFC's rules with a minimum that lets the computed RTO show, and a 1 ms clock.
fn config() -> Config {
    Config {
        rto: RtoConfig {
            min: MILLISECOND,
            ..RtoConfig::default()
        },
        ..Config::default()
    }
}

/// (2.1), (5.5): 1 s before any measurement, doubled for each lost SYN; (5.7): 3 s for data after it.
#[test]
fn lost_syns() {
    let mut s = Script::client(config());
    s.ep.send_unlimited();
    assert_eq!(s.sent(), [syn()]);
    for expected in [1, 2, 4] {
        assert_eq!(s.wait_for_timer(), expected * S);
        assert_eq!(s.sent(), [syn()]);
    }
    s.wait(100 * MS);
    s.recv(syn_ack());
    assert_eq!(
        s.ep.rtt().srtt(),
        None,
        "Karn: which SYN was answered is unknown"
    );
    assert_eq!(s.sent(), [data(0)]);
    assert_eq!(s.wait_for_timer(), 3 * S);
    assert_eq!(s.ep.stats().timeouts, 4);
}

/// A lost SYN-ACK is repeated by the server's timer, and at once when the SYN comes again.
#[test]
fn lost_syn_ack() {
    let mut s = Script::server(config());
    s.recv(syn());
    assert_eq!(s.sent(), [syn_ack()]);
    s.wait(500 * MS);
    s.recv(syn());
    assert_eq!(s.sent(), [syn_ack()]);
    assert_eq!(s.wait_for_timer(), 500 * MS);
    assert_eq!(s.sent(), [syn_ack()]);
    s.recv(ack(0));
    assert_eq!(s.ep.state(), State::Established);
}

/// (2.2): the handshake of 100 ms gives SRTT = 100, RTTVAR = 50, RTO = 300 ms.
#[test]
fn first_measurement_is_the_handshake() {
    let mut s = Script::bulk_sender(config());
    assert_eq!(
        (s.ep.rtt().srtt(), s.ep.rtt().rttvar()),
        (Some(100 * MS), Some(50 * MS))
    );
    s.sent();
    assert_eq!(s.wait_for_timer(), 300 * MS);
}

/// (2.3): a second measurement of 180 ms: RTTVAR = 57.5, SRTT = 110, RTO = 340 ms.
#[test]
fn later_measurement() {
    let mut s = Script::bulk_sender(config());
    s.sent();
    s.wait(180 * MS);
    s.recv(ack(1));
    assert_eq!(
        (s.ep.rtt().srtt(), s.ep.rtt().rttvar()),
        (Some(110 * MS), Some(57_500_000))
    );
    assert_eq!(s.ep.rtt().rto(), 340 * MS);
    s.sent();
    assert_eq!(s.wait_for_timer(), 340 * MS); // (5.3): restarted by the ACK
}

/// Section 3: one measurement per round trip.
#[test]
fn one_measurement_per_round_trip() {
    let mut s = Script::bulk_sender(config());
    s.sent();
    s.wait(100 * MS);
    s.recv(ack(1)); // measures segment 0
    let after_first = *s.ep.rtt();
    assert_eq!(after_first.rttvar(), Some(37_500_000));
    s.sent(); // segment 4 is timed now
    s.wait(50 * MS);
    s.recv(ack(2));
    s.recv(ack(4));
    assert_eq!(*s.ep.rtt(), after_first);
    s.wait(50 * MS);
    s.recv(ack(5));
    assert_eq!(s.ep.rtt().rttvar(), Some(28_125_000));
}

/// (2.4): the minimum of 1 s is the default.
#[test]
fn minimum_of_one_second() {
    let mut s = Script::bulk_sender(Config::default());
    s.sent();
    assert_eq!(s.ep.rtt().srtt(), Some(100 * MS));
    assert_eq!(s.wait_for_timer(), S);
}

/// Coarse clock: 100 ms ticks make of 100 ms SRTT 100, RTTVAR 50, RTO 300; of 130 ms the same.
#[test]
fn granularity() {
    let rto = RtoConfig {
        min: MILLISECOND,
        granularity: 100 * MS,
        ..RtoConfig::default()
    };
    let mut s = Script::client(Config {
        rto,
        ..Config::default()
    });
    s.ep.send_unlimited();
    s.sent();
    s.wait(130 * MS);
    s.recv(syn_ack());
    s.sent();
    assert_eq!(s.ep.rtt().srtt(), Some(100 * MS));
    assert_eq!(s.wait_for_timer(), 300 * MS);
}

/// (5.1): sending does not restart a running timer; (5.2): the timer stops when all is acknowledged.
#[test]
fn timer_runs_from_the_oldest_segment() {
    let mut s = Script::connected(config());
    assert_eq!(s.ep.next_timeout(), None);
    s.ep.send(u64::from(MSS));
    s.sent();
    s.wait(200 * MS);
    s.ep.send(u64::from(MSS));
    s.sent();
    assert_eq!(s.ep.next_timeout(), Some(s.now + 100 * MS));
    s.recv(ack(2));
    assert_eq!(s.ep.next_timeout(), None);
}

/// (5.3): a duplicate ACK does not restart the timer.
#[test]
fn duplicate_acks_do_not_restart_the_timer() {
    let mut s = Script::bulk_sender(config());
    s.sent();
    s.wait(200 * MS);
    s.recv(ack(0));
    assert_eq!(s.ep.next_timeout(), Some(s.now + 100 * MS));
}

/// (5.4) to (5.6): the earliest unacknowledged segment is sent again, and the timer doubles each time.
#[test]
fn back_off() {
    let mut s = Script::bulk_sender(config());
    s.sent();
    for expected in [300, 600, 1200, 2400] {
        assert_eq!(s.wait_for_timer(), expected * MS);
        assert_eq!(s.sent(), [data(0)]);
    }
}

/// Section 3 (Karn) and 5: the ACK of a segment sent again is not measured and the back-off stays, until a
/// segment sent once is measured.
#[test]
fn karn() {
    let mut s = Script::bulk_sender(starting(config(), 1));
    assert_eq!(s.sent(), [data(0)]);
    assert_eq!(s.wait_for_timer(), 300 * MS);
    assert_eq!(s.sent(), [data(0)]);
    s.wait(20 * MS);
    s.recv(ack(1));
    assert_eq!(
        (s.ep.rtt().srtt(), s.ep.rtt().rto()),
        (Some(100 * MS), 600 * MS)
    );
    assert_eq!(s.sent(), plain_data(1..3));
    s.wait(100 * MS);
    s.recv(ack(2));
    // RTTVAR = 37.5: RTO = 100 + 150
    assert_eq!(
        (s.ep.rtt().srtt(), s.ep.rtt().rto()),
        (Some(100 * MS), 250 * MS)
    );
}

/// Karn, with fast retransmit.
#[test]
fn karn_after_fast_retransmit() {
    let mut s = Script::bulk_sender(avoiding(config(), 6));
    s.sent();
    s.wait(100 * MS);
    s.recv_all([ack(0); 3]);
    assert_eq!(s.sent(), [data(0)]);
    s.wait(100 * MS);
    s.recv(ack(6));
    assert_eq!(
        (s.ep.rtt().srtt(), s.ep.rtt().rttvar()),
        (Some(100 * MS), Some(50 * MS))
    );
}

/// RFC 9293, section 3.8.3: after many timeouts in a row the connection is given up.
#[test]
fn gives_up_in_the_end() {
    let mut s = Script::bulk_sender(Config {
        max_timeouts: 3,
        ..config()
    });
    s.sent();
    for _ in 0..3 {
        s.wait_for_timer();
        assert_eq!(s.sent(), [data(0)]);
    }
    s.wait_for_timer();
    assert_eq!(
        (s.ep.state(), s.sent(), s.ep.next_timeout()),
        (State::Closed, vec![], None)
    );
}
