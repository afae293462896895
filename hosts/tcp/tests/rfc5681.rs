// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! RFC 5681: slow start, congestion avoidance, fast retransmit, fast recovery, acknowledgments.

mod common;
use common::*;
use mecn_tcp::{Config, CongestionAvoidance, EventKind, InitialWindow, WindowCause};

fn reno() -> Config {
    Config::default()
}

/// Section 3.1: IW by SMSS.
#[test]
fn initial_window_depends_on_the_segment_size() {
    for (mss, segments) in [
        (960, 4),
        (1095, 4),
        (1096, 3),
        (1460, 3),
        (2190, 3),
        (2191, 2),
    ] {
        let mut s = Script::bulk_sender(Config { mss, ..reno() });
        assert_eq!(s.ep.cwnd(), segments * u32::from(mss));
        assert_eq!(s.sent().len() as u32, segments, "mss {mss}");
    }
}

/// Section 3.1: if the SYN or SYN-ACK is lost, IW is one segment.
#[test]
fn initial_window_is_one_segment_after_a_lost_syn() {
    let mut s = Script::client(reno());
    s.ep.send_unlimited();
    assert_eq!(s.sent(), [syn()]);
    s.wait_for_timer();
    assert_eq!(s.sent(), [syn()]);
    s.recv(syn_ack());
    assert_eq!(s.sent(), [data(0)]);
    assert_eq!(s.ep.cwnd(), MSS);
}

/// The segment size is the lesser of ours and the peer's MSS option.
#[test]
fn segment_size_is_the_lesser_mss() {
    let mut s = Script::client(reno());
    s.options.mss = Some(500);
    s.ep.send_unlimited();
    s.sent();
    s.recv(syn_ack());
    let sent = s.sent();
    assert_eq!(sent.iter().map(|seg| seg.len).collect::<Vec<_>>(), [500; 4]);
}

/// Section 3.1, equation (2): one SMSS per ACK of new data; the window doubles per round trip.
#[test]
fn slow_start_doubles_per_round_trip() {
    let mut s = Script::bulk_sender(starting(reno(), 1));
    assert_eq!(s.sent(), plain_data(0..1));
    s.recv(ack(1));
    assert_eq!(s.ep.cwnd(), 2 * MSS);
    assert_eq!(s.sent(), plain_data(1..3));
    s.recv(ack(2));
    assert_eq!(s.sent(), plain_data(3..5));
    s.recv(ack(3));
    assert_eq!(s.sent(), plain_data(5..7));
    assert_eq!(s.ep.cwnd(), 4 * MSS);
    s.recv_all((4..=7).map(ack));
    assert_eq!(s.ep.cwnd(), 8 * MSS);
    assert_eq!(s.sent(), plain_data(7..15));
}

/// Section 3.1, equation (2): min(N, SMSS), N the bytes newly acknowledged.
#[test]
fn slow_start_grows_by_at_most_what_is_acknowledged() {
    let mut s = Script::bulk_sender(starting(reno(), 4));
    assert_eq!(s.sent(), plain_data(0..4));
    s.recv(ack(2)); // two segments: still one SMSS
    assert_eq!(s.ep.cwnd(), 5 * MSS);
    s.recv(ack(2).acking(1 + 2 * MSS + 100)); // a part of a segment
    assert_eq!(s.ep.cwnd(), 5 * MSS + 100);
}

/// Section 3.1: byte counting, one SMSS per cwnd bytes acknowledged.
#[test]
fn congestion_avoidance_grows_one_segment_per_round_trip() {
    let mut s = Script::bulk_sender(avoiding(reno(), 10));
    assert_eq!(s.sent(), plain_data(0..10));
    let mut acked = 0;
    for cwnd in 10..20 {
        for _ in 0..cwnd - 1 {
            acked += 1;
            s.recv(ack(acked));
            s.sent();
            assert_eq!(s.ep.cwnd(), cwnd * MSS);
        }
        acked += 1;
        s.recv(ack(acked));
        s.sent();
        assert_eq!(s.ep.cwnd(), (cwnd + 1) * MSS);
    }
}

/// Section 3.1: with byte counting the rate of growth does not depend on the ACKs' number.
#[test]
fn congestion_avoidance_is_the_same_with_delayed_acks() {
    let mut s = Script::bulk_sender(avoiding(reno(), 10));
    s.sent();
    for n in [2, 4, 6, 8] {
        s.recv(ack(n));
        s.sent();
    }
    assert_eq!(s.ep.cwnd(), 10 * MSS);
    s.recv(ack(10));
    assert_eq!(s.ep.cwnd(), 11 * MSS);
}

/// Section 3.1, equation (3): SMSS*SMSS/cwnd per ACK.
#[test]
fn congestion_avoidance_by_equation_3() {
    let config = Config {
        congestion_avoidance: CongestionAvoidance::PerAck,
        ..avoiding(reno(), 10)
    };
    let mut s = Script::bulk_sender(config);
    s.sent();
    s.recv(ack(1));
    assert_eq!(s.ep.cwnd(), 9600 + 96);
    s.recv(ack(2));
    assert_eq!(s.ep.cwnd(), 9696 + 95); // 960*960/9696 = 95.05
}

/// Section 3.1: slow start ends when cwnd reaches ssthresh.
#[test]
fn slow_start_ends_at_ssthresh() {
    let config = Config {
        initial_ssthresh: Some(6 * MSS),
        ..starting(reno(), 4)
    };
    let mut s = Script::bulk_sender(config);
    s.sent();
    for (n, cwnd) in [(1, 5), (2, 6), (3, 6), (4, 6)] {
        s.recv(ack(n));
        s.sent();
        assert_eq!(s.ep.cwnd(), cwnd * MSS);
    }
}

/// Section 3.1, equation (4), and cwnd = LW = 1 SMSS after a timeout; then slow start up to ssthresh.
#[test]
fn timeout_halves_flight_size_and_restarts_slow_start() {
    let mut s = Script::bulk_sender(avoiding(reno(), 10));
    assert_eq!(s.sent(), plain_data(0..10));
    assert_eq!(s.wait_for_timer(), S);
    assert_eq!(s.windows(), (MSS, 5 * MSS));
    assert_eq!(s.sent(), plain_data(0..1));
    s.recv(ack(1));
    assert_eq!(s.windows(), (2 * MSS, 5 * MSS));
    assert_eq!(s.sent(), plain_data(1..3)); // go back and repeat
    // the rest had arrived
    s.recv(ack(10));
    assert_eq!(s.windows(), (3 * MSS, 5 * MSS));
    assert_eq!(s.sent(), plain_data(10..13));
    let stats = s.ep.stats();
    assert_eq!(
        (
            stats.timeouts,
            stats.segments_retransmitted,
            stats.bytes_retransmitted
        ),
        (1, 3, 3 * 960)
    );
    assert_eq!(stats.reductions.timeout, 1);
}

/// Equation (4): FlightSize counts, not cwnd; at least 2*SMSS.
#[test]
fn ssthresh_is_half_of_flight_size_but_at_least_two_segments() {
    for (segments, expected) in [(8, 4), (6, 3), (3, 2), (1, 2)] {
        let mut s = Script::connected(avoiding(reno(), 20));
        s.ep.send(u64::from(segments * MSS));
        assert_eq!(s.sent(), plain_data(0..segments));
        s.wait_for_timer();
        assert_eq!(s.windows(), (MSS, expected * MSS), "{segments} in flight");
    }
}

/// Section 3.1: ssthresh is held constant when the timer runs out for the same segment again.
#[test]
fn repeated_timeout_keeps_ssthresh() {
    let mut s = Script::bulk_sender(avoiding(reno(), 20));
    s.sent();
    s.wait_for_timer();
    assert_eq!(s.windows(), (MSS, 10 * MSS));
    assert_eq!(s.sent(), plain_data(0..1));
    s.wait_for_timer();
    assert_eq!(s.windows(), (MSS, 10 * MSS));
    assert_eq!(s.sent(), plain_data(0..1));
}

/// Section 3.2, steps 2 to 6, segment by segment.
#[test]
fn fast_retransmit_and_fast_recovery() {
    let mut s = Script::bulk_sender(avoiding(reno(), 10));
    assert_eq!(s.sent(), plain_data(0..10));
    // segment 0 is lost
    s.recv(ack(0));
    assert_eq!(s.sent(), []);
    s.recv(ack(0));
    assert_eq!(s.sent(), []);
    assert_eq!(s.windows(), (10 * MSS, 10 * MSS));
    s.recv(ack(0)); // third duplicate
    assert_eq!(s.windows(), (8 * MSS, 5 * MSS)); // ssthresh + 3
    assert_eq!(s.sent(), plain_data(0..1));
    assert!(s.ep.in_recovery());
    s.recv(ack(0)); // step 4: 9
    s.recv(ack(0)); // 10
    assert_eq!(s.windows(), (10 * MSS, 5 * MSS));
    assert_eq!(s.sent(), []);
    s.recv(ack(0)); // step 5: 11 admits one new segment
    assert_eq!(s.sent(), plain_data(10..11));
    s.recv_all([ack(0); 3]); // segments 7 to 9
    assert_eq!(s.ep.cwnd(), 14 * MSS);
    assert_eq!(s.sent(), plain_data(11..14));
    s.recv(ack(10)); // step 6
    assert_eq!(s.windows(), (5 * MSS, 5 * MSS));
    assert!(!s.ep.in_recovery());
    assert_eq!(s.sent(), plain_data(14..15)); // four of five are out
    let stats = s.ep.stats();
    assert_eq!(
        (stats.fast_retransmits, stats.dup_acks, stats.timeouts),
        (1, 9, 0)
    );
    assert_eq!(
        (
            stats.reductions.fast_retransmit,
            stats.segments_retransmitted
        ),
        (1, 1)
    );
}

/// A retransmission that was not fetched in time is withdrawn by what makes it needless.
#[test]
fn stale_retransmission_is_withdrawn() {
    let mut s = Script::bulk_sender(avoiding(reno(), 10));
    s.sent();
    s.recv_all([ack(0), ack(0), ack(0), ack(10)]);
    assert_eq!(s.sent(), plain_data(10..15));
    s.recv_all([ack(10); 3]);
    s.wait_for_timer();
    assert_eq!(s.sent(), plain_data(10..11));
}

/// Section 2: what a duplicate ACK is not.
#[test]
fn not_every_repeated_ack_is_a_duplicate() {
    // (e) another window
    let mut s = Script::bulk_sender(avoiding(reno(), 10));
    s.sent();
    for window in [60_000, 60_001, 60_002, 60_003] {
        s.window = window;
        s.recv(ack(0));
    }
    assert_eq!((s.ep.stats().dup_acks, s.sent()), (0, vec![]));
    // (b) data
    let mut s = Script::bulk_sender(avoiding(reno(), 10));
    s.sent();
    s.recv_all((0..4).map(data));
    assert_eq!(s.ep.stats().dup_acks, 0);
    assert_eq!(s.sent(), [ack(4).at(1 + 10 * MSS).acking(1 + 4 * MSS)]);
    // (a) nothing outstanding
    let mut s = Script::connected(reno());
    s.recv_all([ack(0); 4]);
    assert_eq!((s.ep.stats().dup_acks, s.sent()), (0, vec![]));
}

/// An old ACK below SND.UNA is no duplicate.
#[test]
fn old_acks_are_ignored() {
    let mut s = Script::bulk_sender(avoiding(reno(), 10));
    s.sent();
    s.recv(ack(5));
    s.sent();
    s.recv_all([ack(3), ack(3), ack(4), ack(2)]);
    assert_eq!(
        (s.ep.stats().dup_acks, s.ep.acked(), s.sent()),
        (0, 5 * 960, vec![])
    );
}

/// Reno's weakness (section 3.2, last paragraph): the second of two losses in a window waits for the timer.
/// Without `avoid_multiple_fast_retransmits` it is repaired, and not answered by a second cut.
#[test]
fn second_loss_in_a_window() {
    for avoid in [true, false] {
        let mut s = Script::bulk_sender(Config {
            avoid_multiple_fast_retransmits: avoid,
            ..avoiding(reno(), 12)
        });
        assert_eq!(s.sent(), plain_data(0..12));
        s.recv_all([ack(0); 10]); // 0 and 1 are lost
        assert_eq!([plain_data(0..1), plain_data(12..16)].concat(), s.sent());
        s.recv(ack(1)); // a partial ACK: Reno leaves recovery
        assert_eq!(s.windows(), (6 * MSS, 6 * MSS));
        s.recv_all([ack(1); 3]);
        if avoid {
            assert_eq!(s.sent(), []);
            assert_eq!(s.windows(), (6 * MSS, 6 * MSS));
        } else {
            assert_eq!(s.sent(), plain_data(1..2));
            assert_eq!(s.windows(), (9 * MSS, 6 * MSS));
        }
        assert_eq!(s.ep.stats().fast_retransmits, if avoid { 1 } else { 2 });
        assert_eq!(s.ep.stats().reductions.fast_retransmit, 1);
    }
}

/// A timeout after a fast retransmit: of the 15 segments outstanding then (RFC 5681, equation 4), or of the window of 6 that the fast
/// retransmit left (RFC 2001; ns-2). There the next timeout for the same segment lowers the threshold again, to its floor.
#[test]
fn what_a_timeout_after_a_fast_retransmit_halves() {
    for (loss_cuts_window, threshold, again) in [
        (false, 7 * MSS + MSS / 2, 7 * MSS + MSS / 2),
        (true, 3 * MSS, 2 * MSS),
    ] {
        let mut s = Script::bulk_sender(Config {
            loss_cuts_window,
            ..avoiding(reno(), 12)
        });
        s.sent();
        s.recv_all([ack(0); 10]); // 0 and 1 are lost
        s.sent();
        s.recv(ack(1)); // 15 segments are outstanding
        assert_eq!(s.windows(), (6 * MSS, 6 * MSS));
        s.wait_for_timer();
        assert_eq!(s.sent(), plain_data(1..2));
        assert_eq!(s.windows(), (MSS, threshold));
        s.wait_for_timer();
        assert_eq!(s.windows(), (MSS, again));
    }
}

/// Equation (4), and RFC 2001's half of the window, which is all outstanding here: neither depends on the threshold before.
#[test]
fn a_fast_retransmit_halves_the_window_whatever_the_threshold_was() {
    for loss_cuts_window in [false, true] {
        let mut s = Script::bulk_sender(Config {
            loss_cuts_window,
            initial_ssthresh: Some(4 * MSS),
            ..avoiding(reno(), 12)
        });
        assert_eq!(s.sent(), plain_data(0..12));
        s.recv_all([ack(0); 3]);
        assert_eq!(s.windows(), (9 * MSS, 6 * MSS));
    }
}

/// Duplicates of segments that go-back-N repeated in vain are no loss (RFC 6582, section 4.1).
#[test]
fn no_fast_retransmit_from_duplicates_after_a_timeout() {
    let mut s = Script::bulk_sender(avoiding(reno(), 8));
    assert_eq!(s.sent(), plain_data(0..8));
    s.wait_for_timer();
    assert_eq!(s.sent(), plain_data(0..1));
    s.recv(ack(8)); // all had arrived: the ACKs were late
    assert_eq!(s.sent(), plain_data(8..10));
    s.recv_all([ack(8); 5]);
    assert_eq!(s.ep.stats().fast_retransmits, 0);
    assert_eq!(s.sent(), []);
}

/// The window does not grow while the application, not the window, limits what is sent.
#[test]
fn unused_window_does_not_grow() {
    let mut s = Script::connected(starting(reno(), 4));
    s.ep.send(u64::from(2 * MSS));
    assert_eq!(s.sent(), plain_data(0..2));
    s.recv(ack(1));
    s.recv(ack(2));
    assert_eq!(s.ep.cwnd(), 4 * MSS);
    s.ep.send_unlimited();
    assert_eq!(s.sent(), plain_data(2..6));
    s.recv(ack(3));
    assert_eq!(s.ep.cwnd(), 5 * MSS);
}

/// RFC 9293, section 3.8.6: the peer's window caps what is in flight, and cwnd does not run away.
#[test]
fn receive_window_caps_flight() {
    let mut s = Script::client(starting(reno(), 4));
    s.options.window_scale = None;
    s.window = 5 * MSS as u16;
    s.ep.send_unlimited();
    s.sent();
    s.recv(syn_ack());
    assert_eq!(s.sent(), plain_data(0..4));
    for n in 1..20 {
        s.recv(ack(n));
        s.sent();
        assert!(s.ep.flight() <= 5 * MSS);
        assert!(s.ep.cwnd() <= 6 * MSS);
    }
    assert_eq!(s.ep.flight(), 5 * MSS);
}

/// Our own announced window: exact also where it needs scaling (RFC 7323).
#[test]
fn announced_window_is_what_is_configured() {
    for segments in [30, 68, 69, 200, 1000] {
        let config = Config::default().with_window_segments(segments);
        let mut s = Script::client(config);
        let (_, opening) = s.sent_one().unwrap();
        let (_, syn_header) = parse(&opening, 0);
        s.recv(syn_ack());
        let (_, bytes) = s.sent_one().unwrap();
        let (_, header) = parse(&bytes, 0);
        let shift = syn_header.options.window_scale.unwrap();
        let announced = u32::from(header.window) << shift;
        assert!((segments * MSS..segments * MSS + (1 << shift)).contains(&announced));
        assert_eq!(
            u32::from(syn_header.window),
            (segments * MSS).min(65_535),
            "unscaled on the SYN"
        );
    }
}

/// Section 4.2: an ACK for every segment without, for every second segment with delayed ACKs.
#[test]
fn acknowledgments_of_data_in_order() {
    let mut s = Script::accepted(reno());
    for n in 0..4 {
        s.recv(data(n));
        assert_eq!(s.sent(), [ack(n + 1)]);
    }
    let mut s = Script::accepted(Config {
        delayed_ack: Some(200 * MS),
        ..reno()
    });
    s.recv(data(0));
    assert_eq!(s.sent(), []);
    s.recv(data(1));
    assert_eq!(s.sent(), [ack(2)]);
    s.recv(data(2));
    assert_eq!(s.sent(), []);
    assert_eq!(s.wait_for_timer(), 200 * MS);
    assert_eq!(s.sent(), [ack(3)]);
    assert_eq!(s.ep.next_timeout(), None);
    assert_eq!(s.ep.delivered(), 3 * 960);
}

/// Section 4.2: out-of-order data, and what fills a gap, is acknowledged at once also with delayed ACKs.
#[test]
fn acknowledgments_of_data_out_of_order() {
    let mut s = Script::accepted(Config {
        delayed_ack: Some(200 * MS),
        ..reno()
    });
    s.recv(data(1));
    assert_eq!(s.sent(), [ack(0)]);
    s.recv(data(2));
    assert_eq!(s.sent(), [ack(0)]);
    s.recv(data(4));
    assert_eq!(s.sent(), [ack(0)]);
    s.recv(data(0));
    assert_eq!(s.sent(), [ack(3)]);
    s.recv(data(3));
    assert_eq!(s.sent(), [ack(5)]);
    s.recv(data(2)); // a duplicate
    assert_eq!(s.sent(), [ack(5)]);
    let stats = s.ep.stats();
    assert_eq!(
        (
            stats.bytes_delivered,
            stats.out_of_order_segments,
            stats.duplicate_segments
        ),
        (4800, 3, 1)
    );
}

/// Section 4.1: with nothing sent for longer than the RTO the window falls back to the initial window.
#[test]
fn window_restarts_after_idleness() {
    for (restart_after_idle, waited, expected) in [
        (true, S + MS, 4),
        (true, S - MS, 8), // not longer than the RTO
        (false, 10 * S, 8),
    ] {
        let config = Config {
            restart_after_idle,
            ..reno()
        };
        let mut s = Script::connected(config);
        s.ep.send(u64::from(4 * MSS));
        assert_eq!(s.sent(), plain_data(0..4));
        s.ep.send(u64::from(4 * MSS));
        assert_eq!(s.sent(), []);
        s.recv_all((1..=4).map(ack)); // slow start: 8
        assert_eq!(s.sent(), plain_data(4..8));
        s.recv(ack(8));
        let cwnd = s.ep.cwnd();
        assert_eq!(cwnd, 8 * MSS, "an unused window does not grow");
        s.wait(waited);
        s.ep.send(u64::from(20 * MSS));
        assert_eq!(s.sent().len(), expected);
        let restarts = u64::from(expected == 4);
        assert_eq!(s.ep.stats().idle_restarts, restarts);
        assert_eq!(s.ep.ssthresh(), mecn_tcp::MAX_WINDOW, "ssthresh stays");
    }
}

/// Random processing time at the sender: a draw before each segment, none before ACKs and fast retransmits.
#[test]
fn processing_takes_time() {
    let config = Config {
        processing_time: 10 * MS,
        ..avoiding(reno(), 8)
    };
    let mut s = Script::bulk_sender(config);
    let mut waits = Vec::new();
    for n in 0..8 {
        assert_eq!(s.sent(), []);
        waits.push(s.wait_for_timer());
        assert_eq!(s.sent(), plain_data(n..n + 1));
    }
    assert!(waits.iter().all(|w| *w < 10 * MS));
    waits.dedup();
    assert_eq!(waits.len(), 8, "all different");
    s.recv_all([ack(0); 3]);
    assert_eq!(s.sent(), plain_data(0..1));
    s.recv(data(0));
    assert_eq!(s.sent().len(), 1); // its ACK
}

/// The trace names each change of the window.
#[test]
fn trace_of_the_window() {
    let config = Config {
        trace: true,
        initial_window: InitialWindow::Segments(4),
        ..reno()
    };
    let mut s = Script::bulk_sender(config);
    s.sent();
    let causes = |s: &mut Script| {
        let mut out = Vec::new();
        while let Some(event) = s.ep.poll_event() {
            if let EventKind::Window { cause, cwnd, .. } = event.kind {
                assert_eq!(event.at, s.now);
                out.push((cause, cwnd / MSS));
            }
        }
        out
    };
    assert_eq!(causes(&mut s), [(WindowCause::Initial, 4)]);
    s.recv(ack(1));
    assert_eq!(causes(&mut s), [(WindowCause::SlowStart, 5)]);
    s.sent();
    s.recv_all([ack(1); 3]);
    assert_eq!(
        causes(&mut s),
        [(WindowCause::FastRetransmit { reduced: true }, 5)]
    );
    s.recv(ack(1));
    assert_eq!(causes(&mut s), [(WindowCause::Inflation, 6)]);
    s.recv(ack(5));
    assert_eq!(causes(&mut s), [(WindowCause::Deflation, 2)]);
    s.sent();
    s.wait_for_timer();
    assert_eq!(causes(&mut s), [(WindowCause::Timeout, 1)]);
    assert_eq!(s.ep.stats().events_lost, 0);
}
