// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Simulations in steps.

mod common;

use common::*;
use netsim::{FlowId, FlowSpec, NetworkError, RunOptions, SenderState, Session};
use proptest::prelude::*;

const END: u64 = 4 * SECOND;

fn dumbbell(threshold: Option<u32>) -> Dumbbell {
    let mut dumbbell = Dumbbell::new(2, 5 * MILLISECOND, Some(50), threshold);
    for (&s, &d) in dumbbell.sources.iter().zip(&dumbbell.sinks) {
        let mut flow = FlowSpec::new(s, d);
        flow.tcp.ecn = mecn_tcp::EcnMode::Classic;
        dumbbell.network.add_flow(flow).unwrap();
    }
    dumbbell.watch();
    dumbbell
}

fn begin(dumbbell: &Dumbbell) -> Session {
    let options = RunOptions {
        until_ns: END,
        warmup_ns: SECOND,
        seed: None,
    };
    dumbbell.network.start(options).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]

    #[test]
    fn steps_change_nothing(mut times in prop::collection::vec(0..=END, 0..200)) {
        let dumbbell = dumbbell(Some(10));
        let whole = run(&dumbbell.network, END, SECOND);
        let mut session = begin(&dumbbell);
        times.sort_unstable();
        for time in times {
            session.run_until(time, || false).unwrap();
            prop_assert_eq!(session.now_ns(), time);
        }
        prop_assert_eq!(session.finish(|| false).unwrap(), whole);
    }
}

#[test]
fn an_entry_written_between_steps_holds_from_then_on() {
    let dumbbell = dumbbell(None);
    let mut session = begin(&dumbbell);
    session.run_until(2 * SECOND, || false).unwrap();
    set_threshold(session.switch(dumbbell.r1).unwrap(), TRUNK, 3);
    let steered = session.finish(|| false).unwrap();
    let plain = run(&dumbbell.network, END, SECOND);
    assert_eq!(plain.ports[0].counts.marked_ce, 0);
    assert!(steered.ports[0].counts.marked_ce > 0);
    let points = steered.ports[0].trace.time_ns.iter();
    let before = points.take_while(|&&time| time <= 2 * SECOND).count();
    assert!(before > 100);
    assert_eq!(
        steered.ports[0].trace.depth[..before],
        plain.ports[0].trace.depth[..before]
    );
    // The description is as it was.
    assert_eq!(run(&dumbbell.network, END, SECOND), plain);
}

#[test]
fn a_session_outlives_changes_of_the_description() {
    let mut dumbbell = dumbbell(Some(10));
    let whole = run(&dumbbell.network, END, SECOND);
    let session = begin(&dumbbell);
    let more = FlowSpec::new(dumbbell.sources[0], dumbbell.sinks[0]);
    dumbbell.network.add_flow(more).unwrap();
    assert_eq!(session.finish(|| false).unwrap(), whole);
}

#[test]
fn time_does_not_run_backwards() {
    let dumbbell = dumbbell(None);
    let mut session = begin(&dumbbell);
    session.run_until(SECOND, || false).unwrap();
    assert!(session.run_until(SECOND - 1, || false).is_err());
    assert!(session.run_until(END + 1, || false).is_err());
    assert!(session.switch(dumbbell.sources[0]).is_err());
    session.run_until(SECOND, || false).unwrap();
}

#[test]
fn an_interrupted_step_can_go_on() {
    let mut dumbbell = dumbbell(Some(10));
    let more = FlowSpec::new(dumbbell.sources[0], dumbbell.sinks[1]);
    dumbbell.network.add_flow(more).unwrap();
    let end = 200 * SECOND;
    let options = RunOptions {
        until_ns: end,
        warmup_ns: 0,
        seed: None,
    };
    let mut session = dumbbell.network.start(options).unwrap();
    let mut stops = 0;
    while let Err(error) = session.run_until(end, || true) {
        assert_eq!(error, NetworkError::Interrupted);
        stops += 1;
    }
    assert!(stops > 1);
    assert_eq!(
        session.finish(|| false).unwrap(),
        run(&dumbbell.network, end, 0)
    );
}

#[test]
fn a_sender_can_be_looked_at_between_steps() {
    let dumbbell = dumbbell(Some(10));
    let mut session = begin(&dumbbell);
    let at_first = session.sender(FlowId(0)).unwrap();
    assert_eq!(at_first, SenderState::default());
    let mut acked = 0;
    for second in 1..=4 {
        session.run_until(second * SECOND, || false).unwrap();
        let now = session.sender(FlowId(1)).unwrap();
        assert!(now.bytes_acked > acked);
        acked = now.bytes_acked;
    }
    let last = session.sender(FlowId(1)).unwrap();
    assert_eq!(session.sender(FlowId(2)), Err(NetworkError::UnknownFlow(2)));
    let flow = &session.finish(|| false).unwrap().flows[1];
    assert_eq!((last.cwnd, last.srtt_ns), (flow.cwnd, flow.srtt_ns));
}
