// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! In the steady state no event costs an allocation: buffers go round between hosts, wires and switches.

mod common;

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use common::*;
use mecn_tcp::Config;
use netsim::{FlowSpec, Network, WatchSpec};

struct Counting;

thread_local! {
    // of this thread only: the test harness allocates in others
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

// SAFETY: every call is passed on unchanged to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        // SAFETY: the caller's promises are System's.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        // SAFETY: as above; `ptr` came from System.
        unsafe { System.dealloc(ptr, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Allocations and events of a run.
fn count(network: &Network, until_ns: u64) -> (u64, u64) {
    let before = ALLOCATIONS.get();
    let result = run(network, until_ns, 0);
    let after = ALLOCATIONS.get();
    assert_conserved(&result);
    (after - before, result.events)
}

/// With marks and with drops, which make buffers end in the switch.
#[test]
fn steady_state_allocates_nothing() {
    for (limit, threshold) in [(Some(12), None), (None, Some(8))] {
        let mut net = Dumbbell::new(3, 10 * MILLISECOND, limit, threshold);
        let watch = WatchSpec {
            trace: false,
            ..WatchSpec::new(net.r1, TRUNK)
        };
        net.network.watch_port(watch).unwrap();
        for (src, dst) in net.sources.iter().zip(&net.sinks) {
            net.network
                .add_flow(FlowSpec {
                    tcp: Config::classic_ecn().with_window_segments(40),
                    ..FlowSpec::new(*src, *dst)
                })
                .unwrap();
        }
        let (short, events) = count(&net.network, 100 * SECOND);
        let (long, more) = count(&net.network, 300 * SECOND);
        assert!(more > events + 50_000, "{events} {more}");
        // What rarely happens may still make a vector or a histogram grow.
        assert!(long <= short + 20, "{short} {long}");
    }
}
