// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! In the steady state no segment costs an allocation.

use mecn_tcp::{Config, Endpoint, FourTuple, LossRecovery, MAX_HEADER_LEN};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::net::{Ipv4Addr, SocketAddrV4};

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

#[test]
fn steady_state_allocates_nothing() {
    for loss_recovery in [
        LossRecovery::Reno,
        LossRecovery::NewReno,
        LossRecovery::Sack,
    ] {
        steady_state(loss_recovery);
    }
}

fn steady_state(loss_recovery: LossRecovery) {
    let a = SocketAddrV4::new(Ipv4Addr::new(10, 0, 0, 1), 1);
    let b = SocketAddrV4::new(Ipv4Addr::new(10, 0, 0, 2), 2);
    let config = Config {
        trace: true,
        loss_recovery,
        limited_transmit: true,
        ..Config::multi_level_ecn()
    };
    let mut client = Endpoint::connect(
        config,
        FourTuple {
            local: a,
            remote: b,
        },
        0,
        0,
    )
    .unwrap();
    let mut server = Endpoint::listen(config, b, 0).unwrap();
    client.send_unlimited();
    let mut buf = [0; MAX_HEADER_LEN];
    let mut now = 0;
    let mut packets = 0u64;
    let mut run = |segments: u64| {
        let end = packets + segments;
        while packets < end {
            now += 1_000_000;
            client.on_timer(now);
            // one packet a millisecond: answers come at once, so that polling on would never end
            if let Some(t) = client.poll_transmit(now, &mut buf) {
                packets += 1;
                if !packets.is_multiple_of(97) {
                    server
                        .on_segment(&buf[..t.header_len], t.payload_len, now)
                        .unwrap();
                }
                while let Some(t) = server.poll_transmit(now, &mut buf) {
                    client
                        .on_segment(&buf[..t.header_len], t.payload_len, now)
                        .unwrap();
                }
                while client.poll_event().is_some() {}
            }
        }
    };
    run(1_000); // the list of out-of-order ranges finds its capacity
    let before = ALLOCATIONS.get();
    run(50_000);
    assert_eq!(ALLOCATIONS.get() - before, 0);
    assert!(server.stats().out_of_order_segments > 100);
    assert!(server.delivered() > 40_000 * 960);
}
