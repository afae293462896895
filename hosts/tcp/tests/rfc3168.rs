// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! RFC 3168: ECN in TCP.

mod common;
use common::*;
use mecn_tcp::Config;
use mecn_tcp::wire::Ecn;

fn ecn() -> Config {
    Config::classic_ecn()
}

/// Section 6.1.1, active side: the SYN has ECE and CWR; which SYN-ACKs agree.
#[test]
fn negotiation_by_the_client() {
    let answers = [
        (syn_ack().ece(), true),
        (syn_ack(), false),
        (syn_ack().ece().cwr(), false),
        (syn_ack().cwr(), false),
    ];
    for (answer, agreed) in answers {
        let mut s = Script::client(starting(ecn(), 2));
        s.ep.send_unlimited();
        assert_eq!(s.sent(), [syn().ece().cwr()]);
        s.recv(answer);
        assert_eq!(s.ep.ecn_negotiated(), agreed);
        // the first data comes with the ACK of the SYN-ACK
        assert_eq!(
            s.sent(),
            if agreed {
                ect_data(0..2)
            } else {
                plain_data(0..2)
            }
        );
    }
}

/// Section 6.1.1, passive side: which SYNs ask for ECN.
#[test]
fn negotiation_by_the_server() {
    let requests = [
        (syn().ece().cwr(), true),
        (syn(), false),
        (syn().ece(), false),
        (syn().cwr(), false),
    ];
    for (request, agreed) in requests {
        let mut s = Script::server(ecn());
        s.ep.send(100);
        s.recv(request);
        assert_eq!(s.sent(), [if agreed { syn_ack().ece() } else { syn_ack() }]);
        s.recv(ack(0));
        assert_eq!(s.ep.ecn_negotiated(), agreed);
        assert_eq!(
            s.sent()[0].ecn,
            if agreed { Ecn::Ect0 } else { Ecn::NotEct }
        );
    }
}

/// Without ECN configured nothing is asked for, agreed to, echoed or answered.
#[test]
fn ecn_switched_off() {
    let mut s = Script::server(Config::default());
    s.recv(syn().ece().cwr());
    assert_eq!(s.sent(), [syn_ack()]);
    s.recv(ack(0));
    s.recv(data(0).ce());
    assert_eq!(s.sent(), [ack(1)]);

    let mut s = Script::client(avoiding(Config::default(), 10));
    s.ep.send_unlimited();
    assert_eq!(s.sent(), [syn()]);
    s.recv(syn_ack().ece());
    assert_eq!(s.sent(), plain_data(0..10));
    s.recv(ack(1).ece());
    assert_eq!(s.ep.cwnd(), 10 * MSS);
}

/// Section 6.1.1: a lost SYN is sent again as ECN-setup SYN.
#[test]
fn syn_is_repeated_with_ecn() {
    let mut s = Script::client(ecn());
    assert_eq!(s.sent(), [syn().ece().cwr()]);
    s.wait_for_timer();
    assert_eq!(s.sent(), [syn().ece().cwr()]);
}

/// Section 6.1.1: ECE on the SYN-ACK is negotiation, not congestion.
#[test]
fn no_reaction_to_ece_on_the_handshake() {
    let s = Script::bulk_sender(avoiding(ecn(), 10));
    assert!(s.ep.ecn_negotiated());
    assert_eq!(s.windows(), (10 * MSS, 10 * MSS));
    assert_eq!(s.ep.stats().echoed_moderate, 0);
}

/// Sections 6.1.1, 6.1.4: SYN, SYN-ACK, pure ACK and a bare FIN are Not-ECT; data is ECT(0).
#[test]
fn only_data_is_ecn_capable() {
    let mut s = Script::server(ecn());
    s.recv(syn().ece().cwr());
    assert_eq!(s.sent()[0].ecn, Ecn::NotEct);
    s.recv(ack(0));
    s.recv(data(0).ect0());
    let reply = s.sent();
    assert_eq!((reply[0].len, reply[0].ecn), (0, Ecn::NotEct));
    s.ep.send(u64::from(MSS));
    assert_eq!(s.sent(), [data(0).ect0().acking(1 + MSS)]);
    s.ep.close();
    assert_eq!(
        s.sent(),
        [data(1).fin().acking(1 + MSS)].map(|seg| Seg { len: 0, ..seg })
    );
}

/// Section 6.1.3: ECE on every ACK from CE until CWR.
#[test]
fn receiver_echoes_until_cwr() {
    let mut s = Script::accepted(ecn());
    s.recv(data(0).ect0());
    assert_eq!(s.sent(), [ack(1)]);
    s.recv(data(1).ce());
    assert_eq!(s.sent(), [ack(2).ece()]);
    s.recv(data(2).ect0());
    assert_eq!(s.sent(), [ack(3).ece()]);
    s.recv(data(4).ect0());
    assert_eq!(s.sent(), [ack(3).ece()]); // duplicate ACKs too
    s.recv(data(3));
    assert_eq!(s.sent(), [ack(5).ece()]);
    s.recv(data(5).ect0().cwr());
    assert_eq!(s.sent(), [ack(6)]);
    s.recv(data(6).ect0());
    assert_eq!(s.sent(), [ack(7)]);
    assert_eq!(s.ep.stats().received_ce, 1);
}

/// Section 6.1.3: a marked segment with CWR starts a new echo.
#[test]
fn receiver_keeps_echoing_when_the_cwr_segment_is_marked() {
    let mut s = Script::accepted(ecn());
    s.recv(data(0).ce());
    assert_eq!(s.sent(), [ack(1).ece()]);
    s.recv(data(1).ce().cwr());
    assert_eq!(s.sent(), [ack(2).ece()]);
    s.recv(data(2).ect0().cwr());
    assert_eq!(s.sent(), [ack(3)]);
}

/// ECT(1) is no mark in classic ECN (section 5).
#[test]
fn ect1_is_not_congestion_for_a_classic_receiver() {
    let mut s = Script::accepted(ecn());
    s.recv(data(0).ect1());
    assert_eq!(s.sent(), [ack(1)]);
}

/// Sections 6.1.4 and 6.1.5: CE on pure ACKs and on segments outside the window is ignored.
#[test]
fn receiver_ignores_ce_where_it_means_nothing() {
    let mut s = Script::accepted(ecn());
    s.recv(ack(0).ce());
    s.recv(data(0).ect0());
    assert_eq!(s.sent(), [ack(1)]);
    s.recv(data(0).ce()); // already received
    assert_eq!(s.sent(), [ack(1)]);
    s.recv(data(200).ce()); // beyond the window of 68 segments
    assert_eq!(s.sent(), [ack(1)]);
}

/// Section 6.1.2: the window is halved, ssthresh with it; CWR on the first new data segment and on no other.
#[test]
fn sender_halves_and_says_so_once() {
    let mut s = Script::bulk_sender(avoiding(ecn(), 10));
    assert_eq!(s.sent(), ect_data(0..10));
    s.recv(ack(1).ece());
    assert_eq!(s.windows(), (5 * MSS, 5 * MSS));
    assert_eq!(s.sent(), []); // 9 in flight
    s.recv_all((2..=5).map(|n| ack(n).ece()));
    assert_eq!(s.sent(), []);
    s.recv(ack(6).ece());
    assert_eq!(s.sent(), [data(10).ect0().cwr()]);
    s.recv(ack(7));
    assert_eq!(s.sent(), [data(11).ect0()]);
    assert_eq!(s.ep.stats().reductions.moderate, 1);
}

/// Section 6.1.2: at most once per window of data. The last segment sent before the cut is acknowledged by 10.
#[test]
fn sender_reduces_once_per_window() {
    let mut s = Script::bulk_sender(avoiding(ecn(), 10));
    s.sent();
    s.recv(ack(1).ece());
    assert_eq!(s.ep.cwnd(), 5 * MSS);
    for n in 2..=10 {
        s.recv(ack(n).ece());
        s.sent();
        assert_eq!(s.ep.cwnd(), 5 * MSS, "ACK {n}");
    }
    s.recv(ack(11).ece()); // about a segment sent after the cut
    assert_eq!(s.windows(), (2400, 2400));
    assert_eq!(s.ep.stats().reductions.moderate, 2);
    assert_eq!(s.ep.stats().echoed_moderate, 11);
}

/// Section 6.1.2: no growth on an ACK with ECE, in slow start and in congestion avoidance.
#[test]
fn window_does_not_grow_on_ece() {
    let mut s = Script::bulk_sender(starting(ecn(), 8));
    assert_eq!(s.sent(), ect_data(0..8));
    s.recv(ack(1).ece());
    assert_eq!(s.windows(), (4 * MSS, 4 * MSS));
    s.recv_all((2..=8).map(|n| ack(n).ece()));
    assert_eq!(s.ep.cwnd(), 4 * MSS);
    assert_eq!(s.ep.acked(), 8 * 960);
}

/// Section 6.1.2: the indication may come with a duplicate ACK.
#[test]
fn duplicate_acks_carry_ece_too() {
    let mut s = Script::bulk_sender(avoiding(ecn(), 10));
    s.sent();
    s.recv(ack(0).ece());
    assert_eq!(s.windows(), (5 * MSS, 5 * MSS));
}

/// Section 6.1.2: marks and losses of one window are answered once; the lost segment is repaired all the same.
#[test]
fn loss_in_a_window_already_answered() {
    let mut s = Script::bulk_sender(avoiding(ecn(), 10));
    s.sent();
    s.recv(ack(1).ece());
    assert_eq!(s.windows(), (5 * MSS, 5 * MSS));
    s.recv_all([ack(1).ece(); 3]);
    assert_eq!(s.windows(), (8 * MSS, 5 * MSS));
    assert_eq!(s.sent(), [data(1)]);
    s.recv(ack(10).ece());
    assert_eq!(s.windows(), (5 * MSS, 5 * MSS));
    let stats = s.ep.stats();
    assert_eq!(
        (
            stats.fast_retransmits,
            stats.reductions.fast_retransmit,
            stats.reductions.moderate
        ),
        (1, 0, 1)
    );
}

/// Section 6.1.2: and the other way round, no cut for marks on what was outstanding at the fast retransmit.
#[test]
fn marks_in_a_window_whose_loss_was_answered() {
    let mut s = Script::bulk_sender(avoiding(ecn(), 10));
    s.sent();
    s.recv_all([ack(0), ack(0), ack(0), ack(0).ece()]);
    assert_eq!(s.windows(), (9 * MSS, 5 * MSS));
    s.recv(ack(10).ece());
    assert_eq!(s.windows(), (5 * MSS, 5 * MSS));
    assert_eq!(s.ep.stats().reductions.moderate, 0);
}

/// Section 6.1.2: a segment sent after the cut and lost is new congestion.
#[test]
fn loss_in_the_next_window() {
    let mut s = Script::bulk_sender(avoiding(ecn(), 10));
    s.sent();
    s.recv(ack(1).ece());
    s.recv(ack(10).ece());
    assert_eq!(s.sent().len(), 5); // 10 to 14, of which the first is lost
    s.recv_all([ack(10); 3]);
    assert_eq!(s.windows(), (5 * MSS + MSS / 2, 5 * MSS / 2)); // half of five, and three
    assert_eq!(s.ep.stats().reductions.fast_retransmit, 1);
}

/// Section 6.1.2: a timeout answers for all that was outstanding.
#[test]
fn marks_in_a_window_that_timed_out() {
    let mut s = Script::bulk_sender(avoiding(ecn(), 10));
    s.sent();
    s.wait_for_timer();
    assert_eq!(s.sent(), [data(0)]);
    s.recv(ack(10).ece());
    assert_eq!(s.ep.stats().holds, 0);
    assert_eq!(s.sent(), [data(10).ect0().cwr()]);
    s.recv(ack(11).ece());
    assert_eq!(s.ep.stats().holds, 1);
}

/// RFC 5681, section 3.1: what was acknowledged before the cut does not count for growth after it.
#[test]
fn growth_starts_anew_after_a_cut() {
    let mut s = Script::bulk_sender(avoiding(ecn(), 10));
    s.sent();
    s.recv_all((1..=9).map(ack));
    s.sent();
    s.recv(ack(10).ece());
    for n in 11..=14 {
        s.recv(ack(n));
        assert_eq!(s.ep.cwnd(), 5 * MSS);
    }
    s.recv(ack(15));
    assert_eq!(s.ep.cwnd(), 6 * MSS);
}

/// Sections 6.1.2 and 6.1.5: CWR after a reduction by loss too, on new data; retransmissions are Not-ECT.
#[test]
fn retransmissions_are_not_ecn_capable_and_carry_no_cwr() {
    let mut s = Script::bulk_sender(avoiding(ecn(), 6));
    assert_eq!(s.sent(), ect_data(0..6));
    s.recv_all([ack(0); 3]);
    assert_eq!(s.sent(), [data(0)]);
    s.recv(ack(6));
    assert_eq!(
        s.sent(),
        [data(6).ect0().cwr(), data(7).ect0(), data(8).ect0()]
    );
    // timeout: everything outstanding again, then new data
    s.wait_for_timer();
    assert_eq!(s.sent(), [data(6)]);
    s.recv(ack(7));
    assert_eq!(s.sent(), [data(7), data(8)]);
    s.recv(ack(9)); // a window of two acknowledged: three
    assert_eq!(
        s.sent(),
        [data(9).ect0().cwr(), data(10).ect0(), data(11).ect0()]
    );
}

/// Section 6.1.2, last paragraph: with a window of one segment, ECE stops new data until the retransmission
/// timer runs out.
#[test]
fn one_segment_and_still_congested() {
    let mut s = Script::bulk_sender(avoiding(ecn(), 1));
    assert_eq!(s.sent(), [data(0).ect0()]);
    s.wait(100 * MS);
    s.recv(ack(1).ece());
    assert_eq!(s.ep.cwnd(), MSS);
    assert_eq!(s.sent(), []);
    assert_eq!(s.wait_for_timer(), S); // RTO
    assert_eq!(s.sent(), [data(1).ect0().cwr()]);
    assert_eq!((s.ep.stats().timeouts, s.ep.stats().holds), (0, 1));
    s.wait(100 * MS);
    s.recv(ack(2));
    assert_eq!(s.sent().len(), 2);

    // switched off, it goes on at one segment per round trip
    let mut s = Script::bulk_sender(Config {
        hold_at_one_segment: false,
        ..avoiding(ecn(), 1)
    });
    s.sent();
    s.recv(ack(1).ece());
    assert_eq!(s.sent(), [data(1).ect0().cwr()]);
}

/// cwnd's floor is one segment, ssthresh's two.
#[test]
fn floors_of_the_window() {
    let mut s = Script::bulk_sender(avoiding(ecn(), 3));
    s.sent();
    s.recv(ack(1).ece());
    assert_eq!(s.windows(), (1440, 2 * MSS));
    s.recv_all([ack(2).ece(), ack(3).ece()]);
    assert_eq!(s.sent().len(), 1);
    s.recv(ack(4).ece());
    assert_eq!(s.windows(), (MSS, 2 * MSS));
}

/// Section 6.1.2, read as ns-2 does: a cut to less than a segment holds sending, too.
#[test]
fn less_than_one_segment() {
    let mut s = Script::bulk_sender(Config {
        hold_below_one_segment: true,
        ..avoiding(ecn(), 3)
    });
    s.sent();
    s.recv_all([ack(1).ece(), ack(2).ece(), ack(3).ece()]);
    assert_eq!(s.windows(), (1440, 2 * MSS));
    assert_eq!(s.sent().len(), 1);
    s.recv(ack(4).ece()); // 720 bytes
    assert_eq!(s.windows(), (MSS, 2 * MSS));
    assert_eq!((s.sent(), s.ep.stats().holds), (vec![], 1));
    assert_eq!(s.wait_for_timer(), S);
    assert_eq!(s.sent(), [data(4).ect0().cwr()]);
    s.recv(ack(5).ece()); // once more: twice the time
    assert_eq!(s.wait_for_timer(), 2 * S);
    assert_eq!(s.sent(), [data(5).ect0().cwr()]);
    s.recv(ack(6)); // the end of it
    assert_eq!(s.sent().len(), 2);
    assert_eq!(s.ep.rtt().rto(), S);
}

/// ns-2 until 2006: of three packets a cut leaves one, of one packet and a part none.
#[test]
fn cuts_in_whole_segments() {
    let mut s = Script::bulk_sender(Config {
        hold_below_one_segment: true,
        cuts_whole_segments: true,
        ..avoiding(ecn(), 3)
    });
    s.sent();
    s.recv_all([ack(1).ece(), ack(2).ece(), ack(3).ece()]);
    assert_eq!(s.windows(), (MSS, 2 * MSS));
    assert_eq!(s.sent().len(), 1);
    s.recv(ack(4).ece());
    assert_eq!((s.sent(), s.ep.stats().holds), (vec![], 1));
}

/// Section 6.1.5: what is sent again is Not-ECT and carries no CWR; in ns-2 it is ECN-capable, and does.
#[test]
fn retransmissions() {
    for ecn_retransmissions in [false, true] {
        let mut s = Script::bulk_sender(Config {
            ecn_retransmissions,
            ..avoiding(ecn(), 3)
        });
        s.sent();
        s.wait_for_timer();
        let again = if ecn_retransmissions {
            data(0).ect0().cwr()
        } else {
            data(0)
        };
        assert_eq!(s.sent(), [again]);
    }
}

/// ECN works in both directions at once.
#[test]
fn data_both_ways() {
    let mut s = Script::accepted(starting(ecn(), 2));
    s.ep.send_unlimited();
    s.sent();
    s.recv(data(0).ce());
    assert_eq!(s.sent(), [ack(1).ece().at(1 + 2 * MSS)]);
    s.recv(data(1).ect0().ece().acking(1 + MSS));
    assert_eq!(s.ep.cwnd(), MSS);
    s.recv(data(2).ect0().acking(1 + 2 * MSS));
    let reply = |n| data(n).ect0().ece().acking(1 + 3 * MSS);
    assert_eq!(s.sent(), [reply(2).cwr(), reply(3)]); // slow start below two segments
}
