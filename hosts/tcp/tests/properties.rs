// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Properties that hold for every channel and every input.

mod common;
use common::*;
use mecn_tcp::wire::{Ecn, Flags, SackBlocks, TcpHeader, TcpOptions};
use mecn_tcp::{
    Config, CongestionAvoidance, EcnMode, Endpoint, FourTuple, LossRecovery, MAX_HEADER_LEN,
    ResponseTable, RtoConfig, State,
};
use proptest::prelude::*;
use std::collections::BTreeMap;

/// What the channel does to one packet.
#[derive(Clone, Copy, Debug)]
struct Fate {
    lost: bool,
    doubled: bool,
    /// Extra delay in milliseconds: packets overtake one another.
    late: u64,
    mark: u8,
}

fn fate() -> impl Strategy<Value = Fate> {
    (0u8..20, 0u8..30, 0u64..200, 0u8..10).prop_map(|(lost, doubled, late, mark)| Fate {
        lost: lost == 0,
        doubled: doubled == 0,
        late: late.saturating_sub(160),
        mark,
    })
}

fn config() -> impl Strategy<Value = Config> {
    let ecn = prop_oneof![
        Just(EcnMode::Off),
        Just(EcnMode::Classic),
        Just(EcnMode::MultiLevel)
    ];
    (
        ecn,
        any::<bool>(),
        any::<bool>(),
        any::<bool>(),
        0u8..3,
        1u32..80,
        100u16..1500,
        (1u16..10, 0u8..3, any::<bool>(), 0u64..3),
    )
        .prop_map(
            |(
                ecn,
                delayed,
                avoid,
                hold,
                avoidance,
                window,
                mss,
                (max_ranges, recovery, limited, processing),
            )| {
                Config {
                    mss,
                    ecn,
                    response: if ecn == EcnMode::MultiLevel {
                        ResponseTable::MULTI_LEVEL
                    } else {
                        ResponseTable::CLASSIC
                    },
                    delayed_ack: delayed.then_some(100 * MS),
                    avoid_multiple_fast_retransmits: avoid,
                    loss_cuts_window: hold,
                    top_up: avoid,
                    hold_at_one_segment: hold,
                    loss_recovery: [
                        LossRecovery::Reno,
                        LossRecovery::NewReno,
                        LossRecovery::Sack,
                    ][usize::from(recovery)],
                    limited_transmit: limited,
                    restart_after_idle: limited,
                    processing_time: processing * MS,
                    congestion_avoidance: [
                        CongestionAvoidance::ByteCounting,
                        CongestionAvoidance::PerAck,
                        CongestionAvoidance::WholeSegments,
                    ][usize::from(avoidance)],
                    rto: RtoConfig {
                        min: 200 * MS,
                        granularity: 10 * MS,
                        max: 4 * S,
                        ..RtoConfig::default()
                    },
                    max_timeouts: 1000,
                    max_ranges,
                    trace: true,
                    ..Config::default()
                }
                .with_window_segments(window)
            },
        )
}

/// Two endpoints and a channel that loses, delays, doubles and marks.
struct Network {
    ends: [Endpoint; 2],
    in_flight: BTreeMap<(u64, u64), (usize, Vec<u8>, u32)>,
    fates: Vec<Fate>,
    packets: u64,
    now: u64,
    /// Per sender: end of the payload ever sent, as offset from its SYN.
    sent_to: [u32; 2],
    isn: [u32; 2],
}

impl Network {
    fn pump(&mut self) -> Result<(), TestCaseError> {
        let mut buf = [0; MAX_HEADER_LEN];
        for from in 0..2 {
            while let Some(t) = self.ends[from].poll_transmit(self.now, &mut buf) {
                let mut bytes = buf[..t.header_len].to_vec();
                let (ip, tcp) = parse(&bytes, t.payload_len);
                let ecn_on = self.ends[from].ecn_negotiated();
                prop_assert!(t.payload_len <= self.ends[from].smss());
                let offset = tcp.seq.wrapping_sub(self.isn[from]);
                let new = t.payload_len > 0 && offset >= self.sent_to[from];
                prop_assert_eq!(
                    ip.ecn,
                    if new && ecn_on {
                        Ecn::Ect0
                    } else {
                        Ecn::NotEct
                    }
                );
                if t.payload_len > 0 {
                    self.sent_to[from] = self.sent_to[from].max(offset + t.payload_len);
                }
                let fate = self.fates[self.packets as usize % self.fates.len()];
                // the last packets of each thousand pass, so that no cycle of fates starves a retransmission
                let kind = self.packets % 1000 >= 900;
                self.packets += 1;
                if ip.ecn != Ecn::NotEct {
                    match fate.mark {
                        0 => mark(&mut bytes, Ecn::Ce),
                        1 => mark(&mut bytes, Ecn::Ect1),
                        _ => {}
                    }
                }
                if fate.lost && !kind {
                    continue;
                }
                let at = self.now + 20 * MS + if kind { 0 } else { fate.late * MS };
                for copy in 0..=u64::from(fate.doubled) {
                    let key = (at, 2 * self.packets + copy);
                    self.in_flight
                        .insert(key, (1 - from, bytes.clone(), t.payload_len));
                }
            }
        }
        Ok(())
    }

    fn check(&mut self) -> Result<(), TestCaseError> {
        for end in &mut self.ends {
            let smss = end.smss();
            prop_assert!(end.cwnd() >= smss);
            prop_assert!(end.ssthresh() >= 2 * smss);
            while let Some(event) = end.poll_event() {
                prop_assert!(event.at <= self.now);
            }
            prop_assert_eq!(end.stats().events_lost, 0);
            prop_assert_eq!(end.stats().malformed_packets, 0);
            prop_assert_eq!(end.stats().foreign_packets, 0);
        }
        Ok(())
    }

    fn over(&self) -> bool {
        self.ends
            .iter()
            .all(|end| matches!(end.state(), State::TimeWait | State::Closed))
    }

    fn run(&mut self) -> Result<(), TestCaseError> {
        for _ in 0..200_000 {
            self.pump()?;
            self.check()?;
            if self.over() {
                return Ok(());
            }
            let arrival = self.in_flight.keys().next().map(|key| key.0);
            let timer = self.ends.iter().filter_map(Endpoint::next_timeout).min();
            let Some(next) = arrival.into_iter().chain(timer).min() else {
                return Err(TestCaseError::fail(
                    "deadlock: nothing in flight and no timer",
                ));
            };
            prop_assert!(next >= self.now);
            self.now = next;
            if arrival == Some(next) {
                if let Some((_, (to, bytes, len))) = self.in_flight.pop_first() {
                    self.ends[to].on_segment(&bytes, len, self.now).unwrap();
                }
            } else {
                for end in &mut self.ends {
                    end.on_timer(self.now);
                }
            }
        }
        Err(TestCaseError::fail("no end in sight"))
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    /// Whatever the channel does, both streams arrive whole, once, and both ends close.
    #[test]
    fn everything_is_delivered(
        configs in (config(), config()),
        fates in prop::collection::vec(fate(), 30..400),
        amounts in (0u64..200_000, 0u64..60_000),
        isn in any::<[u32; 2]>(),
    ) {
        let tuple = FourTuple { local: LOCAL, remote: PEER };
        let mut client = Endpoint::connect(configs.0, tuple, isn[0], 0).unwrap();
        let mut server = Endpoint::listen(configs.1, PEER, isn[1]).unwrap();
        client.send(amounts.0);
        client.close();
        server.send(amounts.1);
        server.close();
        let mut net = Network {
            ends: [client, server],
            in_flight: BTreeMap::new(),
            fates,
            packets: 0,
            now: 0,
            sent_to: [0; 2],
            isn,
        };
        net.run()?;
        let [client, server] = &net.ends;
        prop_assert_eq!(server.delivered(), amounts.0);
        prop_assert_eq!(client.delivered(), amounts.1);
        prop_assert_eq!(client.acked(), amounts.0);
        prop_assert_eq!(server.acked(), amounts.1);
        prop_assert!(client.peer_closed() && server.peer_closed());
        for end in [client, server] {
            let s = end.stats();
            prop_assert_eq!(s.bytes_sent, s.bytes_retransmitted + s.bytes_acked);
        }
    }

    /// Arbitrary bytes never panic, and all but never pass for a packet.
    #[test]
    fn arbitrary_bytes(bytes in prop::collection::vec(any::<u8>(), 0..100), len in any::<u32>()) {
        let mut s = Script::bulk_sender(Config::classic_ecn());
        prop_assert!(s.ep.on_segment(&bytes, len, 0).is_err());
        prop_assert_eq!(s.ep.stats().malformed_packets, 1);
    }

    /// Well-formed segments with arbitrary contents, in any order and at any time, in any state, never panic.
    #[test]
    fn arbitrary_segments(
        config in config(),
        role in 0u8..4,
        segments in prop::collection::vec(
            (any::<u8>(), near(), 0u32..3000, near(), 0u8..4, any::<u16>(), any::<Option<u16>>(), any::<Option<u8>>(), 0u64..2000, (any::<bool>(), prop::collection::vec((near(), near()), 0..4))),
            1..60,
        ),
    ) {
        let mut s = match role {
            0 => Script::client(config),
            1 => Script::server(config),
            2 => Script::bulk_sender(Config { mss: 960, ..config }),
            _ => Script::accepted(config),
        };
        if role < 2 {
            s.ep.send(50_000);
            s.ep.close();
        }
        let mut buf = [0; MAX_HEADER_LEN];
        for (flags, seq, len, ack, ecn, window, mss, window_scale, wait, (permitted, reports)) in segments {
            let mut blocks = SackBlocks::default();
            for (left, right) in reports {
                blocks.push(ISS.wrapping_add(left), ISS.wrapping_add(right));
            }
            // ACK on most, RST on few: the interesting paths
            let flags = if flags & 0x30 != 0 { flags | 0x10 } else { flags };
            let flags = if flags & 0x40 != 0 { flags & !0x04 } else { flags };
            let header = TcpHeader {
                src_port: PEER.port(),
                dst_port: LOCAL.port(),
                seq: IRS.wrapping_add(seq),
                ack: ISS.wrapping_add(ack),
                flags: Flags::from_bits(flags),
                window,
                options: TcpOptions {
                    mss,
                    window_scale,
                    sack_permitted: permitted,
                    sack: blocks,
                },
            };
            s.wait(wait * MS);
            let bytes = packet(&header, Ecn::from_bits(ecn), len);
            let _ = s.ep.on_segment(&bytes, len, s.now);
            let mut count = 0;
            while let Some(t) = s.ep.poll_transmit(s.now, &mut buf) {
                parse(&buf[..t.header_len], t.payload_len);
                count += 1;
                prop_assert!(count < 100_000, "sends for ever");
            }
            prop_assert!(s.ep.cwnd() >= s.ep.smss());
            prop_assert!(s.ep.next_timeout().is_none_or(|at| at >= s.now), "a timer has been left behind");
        }
    }
}

/// Offsets mostly near the start of the stream.
fn near() -> impl Strategy<Value = u32> {
    prop_oneof![4 => 0u32..5, 4 => 0u32..20_000, 1 => any::<u32>(), 1 => (0u32..3000).prop_map(u32::wrapping_neg)]
}
