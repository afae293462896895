// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Packets per second through the router of the tests: parser, LPM, checksums, EWMA, curve, marking.
//!
//! ```text
//! cargo run --release -p p4-engine --example throughput [packets]
//! ```

#[path = "../tests/common/mod.rs"]
mod common;

use std::time::Instant;

use common::{profile, route, router, slow_port, udp};
use p4_engine::Packet;

fn main() {
    let n: u64 = std::env::args()
        .nth(1)
        .and_then(|a| a.parse().ok())
        .unwrap_or(2_000_000);
    let mut s = router();
    for i in 0..1000u32 {
        route(&mut s, 0x0b00_0000 | i << 8, 24, 1);
    }
    profile(&mut s, 1, 0x1_0000_0000 / 500, 1 << 28);
    slow_port(&mut s, 1, 64);
    let templates: Vec<Vec<u8>> = (0..256u32)
        .map(|i| udp(0x0b00_0001 | i << 8, 9, 2, 958).bytes)
        .collect();
    let began = Instant::now();
    let (mut now, mut marked) = (0, 0u64);
    for i in 0..n {
        let mut bytes = s.take_buffer();
        bytes.extend_from_slice(&templates[i as usize % 256]);
        s.receive(2, Packet::new(bytes, 958), now);
        // A little above the rate in bursts, so that a queue stands.
        now += if i % 100 < 50 { 900_000 } else { 1_100_000 };
        while let Some(d) = s.depart(now) {
            if let Some(p) = d.packet {
                marked += u64::from(p.bytes[15] & 3 == 3);
                s.recycle(p);
            }
        }
    }
    let t = began.elapsed();
    println!(
        "{n} packets in {:.3} s: {:.2} million packets/s, {:.0} ns each; {marked} marked",
        t.as_secs_f64(),
        n as f64 / t.as_secs_f64() / 1e6,
        t.as_nanos() as f64 / n as f64
    );
}
