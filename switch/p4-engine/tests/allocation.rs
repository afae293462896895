// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! In steady state the engine allocates nothing.

mod common;

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use common::*;
use p4_engine::{CloneSession, MatchField, MatchKind, MatchTable, Packet, Replica, Switch};

thread_local! {
    static COUNT: Cell<u64> = const { Cell::new(0) };
}

struct Counting;

// SAFETY: every call goes to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let _ = COUNT.try_with(|c| c.set(c.get() + 1));
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        unsafe { System.dealloc(at, layout) }
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        let _ = COUNT.try_with(|c| c.set(c.get() + 1));
        unsafe { System.realloc(at, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn step(s: &mut Switch, template: &[u8], now: u64) {
    let mut bytes = s.take_buffer();
    bytes.extend_from_slice(template);
    s.receive(2, Packet::new(bytes, 958), now);
    while let Some(d) = s.depart(now) {
        if let Some(p) = d.packet {
            s.recycle(p);
        }
    }
}

#[test]
fn steady_state_allocates_nothing() {
    let mut s = router();
    profile(&mut s, 1, 0x1_0000_0000 / 500, 1 << 28);
    slow_port(&mut s, 1, 64);
    // Sessions and groups that are not used cost nothing either.
    let replicas = vec![Replica { port: 1, rid: 1 }];
    s.multicast_group_set(1, replicas.clone()).unwrap();
    let session = CloneSession {
        replicas,
        ..CloneSession::default()
    };
    s.clone_session_set(1, session).unwrap();
    let template = udp(0x0a00_0001, 9, 2, 958).bytes;
    let mut now = 0;
    let mut run = |s: &mut Switch, n: u64| {
        for _ in 0..n {
            step(s, &template, now);
            now += 900_000;
        }
    };
    run(&mut s, 5_000);
    let before = COUNT.get();
    run(&mut s, 10_000);
    assert_eq!(COUNT.get() - before, 0);
}

/// With few and many entries of few and many masks, and of ranges.
#[test]
fn lookups_allocate_nothing() {
    let fields = [(MatchKind::Ternary, 32), (MatchKind::Range, 16)];
    let mut t = MatchTable::new(&fields);
    let mut found = 0;
    for i in 0..600u64 {
        let mask = if i % 2 == 0 {
            0xffff_ff00
        } else {
            0xff00_0000 | i
        };
        let key = [
            MatchField::Ternary {
                value: (i << 8 & mask).into(),
                mask: mask.into(),
            },
            MatchField::Range {
                low: i.into(),
                high: (i + (1 << (i % 12))).into(),
            },
        ];
        t.insert(&key, 1 + i as i32, i as u32).unwrap();
        let before = COUNT.with(Cell::get);
        for k in 0..50 {
            found += usize::from(t.find(&mut [k << 8, k]).is_some());
        }
        assert_eq!(COUNT.with(Cell::get), before, "with {} entries", i + 1);
    }
    assert!(found > 1_000, "{found} keys hit an entry");
}
