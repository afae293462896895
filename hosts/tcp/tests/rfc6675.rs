// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! RFC 2018: selective acknowledgments. RFC 6675: loss recovery with them.

#![allow(
    clippy::single_range_in_vec_init,
    reason = "one block is a list of blocks, too"
)]

mod common;
use common::*;
use mecn_tcp::wire::TcpOptions;
use mecn_tcp::{Config, LossRecovery};

fn sack() -> Config {
    Config {
        loss_recovery: LossRecovery::Sack,
        ..Config::default()
    }
}

/// The SACK blocks of the ACK that is sent now, as segment numbers of the peer.
fn blocks(s: &mut Script) -> Vec<(u32, u32)> {
    let (seg, bytes) = s.sent_one().expect("an ACK is due");
    let (_, tcp) = parse(&bytes, seg.len);
    let number = |edge: u32| edge.wrapping_sub(IRS).wrapping_sub(1) / MSS;
    let blocks = tcp.options.sack.as_slice().iter();
    blocks.map(|b| (number(b.0), number(b.1))).collect()
}

/// RFC 2018, section 2: permitted on SYNs; the SYN-ACK permits only what the SYN did.
#[test]
fn sack_is_negotiated() {
    let permitted = |s: &mut Script| {
        let (seg, bytes) = s.sent_one().unwrap();
        parse(&bytes, seg.len).1.options.sack_permitted
    };
    assert!(permitted(&mut Script::client(sack())));
    assert!(!permitted(&mut Script::client(Config::default())));
    for (ours, theirs) in [(true, true), (true, false), (false, true)] {
        let config = if ours { sack() } else { Config::default() };
        let mut s = Script::server(config);
        s.options.sack_permitted = theirs;
        s.recv(syn());
        assert_eq!(permitted(&mut s), ours && theirs);
    }
}

/// RFC 2018, section 4: the block of the latest segment first, then the most recently reported; none without a gap.
#[test]
fn receiver_reports_what_it_holds() {
    let mut s = Script::accepted(sack());
    s.recv(data(0));
    assert_eq!(blocks(&mut s), []);
    s.recv(data(2));
    assert_eq!(blocks(&mut s), [(2, 3)]);
    s.recv(data(3));
    assert_eq!(blocks(&mut s), [(2, 4)]);
    s.recv(data(5));
    assert_eq!(blocks(&mut s), [(5, 6), (2, 4)]);
    s.recv(data(7));
    assert_eq!(blocks(&mut s), [(7, 8), (5, 6), (2, 4)]);
    s.recv(data(3)); // a duplicate
    assert_eq!(blocks(&mut s), [(2, 4), (7, 8), (5, 6)]);
    s.recv(data(1));
    assert_eq!(blocks(&mut s), [(7, 8), (5, 6)]);
    s.recv_all([data(4), data(6)]);
    assert_eq!(blocks(&mut s), []);
}

/// RFC 2018, section 3: without permission no blocks are sent, and those that come are not heeded.
#[test]
fn without_permission_there_is_no_sack() {
    let mut s = Script::server(sack());
    s.options.sack_permitted = false;
    s.recv(syn());
    s.sent();
    s.recv(ack(0));
    s.recv(data(1));
    assert_eq!(blocks(&mut s), []);
    let mut s = Script::client(avoiding(sack(), 12));
    s.options.sack_permitted = false;
    s.ep.send_unlimited();
    s.sent();
    s.recv(syn_ack());
    assert_eq!(s.sent(), plain_data(0..12));
    s.recv(ack(0));
    for _ in 0..3 {
        s.recv_sack(ack(0), &[1..12]);
    }
    // NewReno: inflated, and only the first segment is known to be lost
    assert_eq!(s.windows(), (9 * MSS, 6 * MSS));
    assert_eq!(s.sent(), plain_data(0..1));
}

/// Both ends send: blocks go on a pure ACK beside the data, never on the data.
#[test]
fn data_and_blocks_go_apart() {
    let mut s = Script::accepted(sack());
    s.ep.send(u64::from(MSS));
    s.recv(data(1));
    let (first, _) = s.sent_one().unwrap();
    assert_eq!(first.len, MSS);
    assert_eq!(blocks(&mut s), [(1, 2)]);
    assert_eq!(s.sent(), []);
}

/// RFC 6675, section 5, segment by segment: 0 and 3 of twelve are lost.
#[test]
fn two_losses_in_one_round_trip() {
    let mut s = Script::bulk_sender(avoiding(sack(), 12));
    assert_eq!(s.sent(), plain_data(0..12));
    s.recv_sack(ack(0), &[1..2]);
    s.recv_sack(ack(0), &[1..3]);
    assert_eq!(s.sent(), []);
    s.recv_sack(ack(0), &[4..5, 1..3]);
    // steps 4.2 and 4.3: no inflation
    assert_eq!(s.windows(), (6 * MSS, 6 * MSS));
    assert_eq!(s.sent(), plain_data(0..1)); // pipe: 0 again, 3, 5 to 11: 9
    s.recv_sack(ack(0), &[4..6, 1..3]);
    assert_eq!(s.sent(), []); // 8
    s.recv_sack(ack(0), &[4..7, 1..3]);
    assert_eq!(s.sent(), []); // 3 is lost: 6
    s.recv_sack(ack(0), &[4..8, 1..3]);
    assert_eq!(s.sent(), plain_data(3..4)); // rule 1
    for (end, new) in [(9, 12), (10, 13), (11, 14), (12, 15)] {
        s.recv_sack(ack(0), &[4..end, 1..3]);
        assert_eq!(s.sent(), plain_data(new..new + 1)); // rule 2
    }
    s.recv_sack(ack(3), &[4..12]);
    assert!(s.ep.in_recovery());
    assert_eq!(s.sent(), plain_data(16..17));
    s.recv(ack(12)); // step A
    assert!(!s.ep.in_recovery());
    assert_eq!(s.windows(), (6 * MSS, 6 * MSS));
    assert_eq!(s.sent(), plain_data(17..18));
    let stats = s.ep.stats();
    assert_eq!((stats.segments_retransmitted, stats.timeouts), (2, 0));
    assert_eq!(stats.reductions.fast_retransmit, 1);
}

/// Section 5, step 2: more than two segments' octets above make a loss, also with fewer than three duplicate ACKs.
#[test]
fn loss_is_told_by_what_is_reported() {
    let mut s = Script::bulk_sender(avoiding(sack(), 12));
    s.sent();
    s.recv_sack(ack(0), &[1..5]); // ACKs were lost
    assert_eq!(s.sent()[0], data(0));
    assert_eq!(s.ep.stats().dup_acks, 1);
}

/// Section 2: an ACK that reports nothing new is no duplicate.
#[test]
fn repeated_reports_are_no_duplicates() {
    let mut s = Script::bulk_sender(avoiding(sack(), 12));
    s.sent();
    for _ in 0..5 {
        s.recv_sack(ack(0), &[1..2]);
    }
    s.recv_all([ack(0); 3]);
    assert_eq!((s.ep.stats().dup_acks, s.sent()), (1, vec![]));
}

/// Section 5, step 3, with limited transmit: what is reported has left the network.
#[test]
fn limited_transmit_by_pipe() {
    let config = Config {
        limited_transmit: true,
        ..avoiding(sack(), 6)
    };
    let mut s = Script::bulk_sender(config);
    s.sent();
    s.recv_sack(ack(0), &[1..2]);
    assert_eq!(s.sent(), plain_data(6..7));
    s.recv_sack(ack(0), &[1..3]);
    assert_eq!(s.sent(), plain_data(7..8));
    s.recv_sack(ack(0), &[1..4]);
    assert_eq!(s.windows(), (3 * MSS, 3 * MSS)); // FlightSize without those two
    assert_eq!(s.sent(), plain_data(0..1));
}

/// Section 4, NextSeg, rule 3: without new data a gap that is not yet lost is filled.
#[test]
fn gap_is_filled_when_there_is_nothing_new() {
    let mut s = Script::connected(avoiding(sack(), 8));
    s.ep.send(u64::from(8 * MSS));
    assert_eq!(s.sent(), plain_data(0..8));
    s.recv_sack(ack(0), &[1..4]);
    assert_eq!(s.sent(), plain_data(0..1));
    s.recv_sack(ack(0), &[5..6, 1..4]); // pipe: 0, 4, 6, 7
    assert_eq!(s.sent(), []);
    s.recv_sack(ack(0), &[5..7, 1..4]); // pipe: 0, 4, 7: room for one of four
    assert_eq!(s.sent(), plain_data(4..5));
}

/// Section 4, NextSeg, rule 4: the last segment of all is lost, too; one rescue retransmission.
#[test]
fn rescue_retransmission() {
    let mut s = Script::connected(avoiding(sack(), 6));
    s.ep.send(u64::from(6 * MSS));
    s.sent();
    s.recv_sack(ack(0), &[1..4]);
    assert_eq!(s.sent(), plain_data(0..1));
    s.recv_sack(ack(0), &[1..5]);
    assert_eq!(s.sent(), []);
    s.recv(ack(5));
    assert_eq!(s.sent(), plain_data(5..6));
    assert!(s.ep.in_recovery());
    assert_eq!(s.sent(), []); // once
    s.recv(ack(6));
    assert!(!s.ep.in_recovery());
    assert_eq!(s.ep.stats().timeouts, 0);
}

/// RFC 2018, section 8, and RFC 6675, section 5.1: the timer forgets the reports; later ones are used to pass over
/// what has arrived, and no recovery begins for the old window.
#[test]
fn timeout_forgets_and_learns_again() {
    let mut s = Script::bulk_sender(avoiding(sack(), 8));
    s.sent();
    s.recv_sack(ack(0), &[1..3]);
    assert_eq!(s.sent(), []);
    s.wait_for_timer();
    assert_eq!(s.windows(), (MSS, 4 * MSS));
    assert_eq!(s.sent(), plain_data(0..1));
    s.recv_sack(ack(3), &[4..8]); // 3 is missing
    assert_eq!(s.ep.cwnd(), 2 * MSS);
    assert_eq!(s.sent(), [data(3), data(8)]);
    assert!(!s.ep.in_recovery());
    assert_eq!(s.ep.stats().fast_retransmits, 0);
}

/// A lost FIN is found by reports like any other segment.
#[test]
fn lost_fin_is_rescued() {
    let mut s = Script::connected(avoiding(sack(), 8));
    s.ep.send(u64::from(5 * MSS));
    s.ep.close();
    let sent = s.sent();
    assert_eq!(sent[4], data(4).fin());
    s.recv_sack(ack(0), &[1..4]);
    assert_eq!(s.sent(), plain_data(0..1));
    s.recv(ack(4));
    assert_eq!(s.sent(), [data(4).fin()]);
}

/// Blocks that cannot be are not believed: below the acknowledgment, beyond what was sent, or turned around.
#[test]
fn impossible_blocks_are_ignored() {
    let mut s = Script::bulk_sender(avoiding(sack(), 8));
    s.sent();
    s.recv(ack(2));
    s.sent();
    for range in [0..1, 0..4, 5..20, 30..40] {
        s.recv_sack(ack(2), &[range]);
    }
    #[allow(clippy::reversed_empty_ranges)]
    s.recv_sack(ack(2), &[6..4]);
    assert_eq!((s.ep.stats().dup_acks, s.sent()), (0, vec![]));
    assert_eq!(TcpOptions::default().encoded_len(), 0);
}
