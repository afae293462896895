// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Counts of what passed an interface; written by the thread of packets, read by any.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Powers of two of nanoseconds that lateness is told apart by.
const BUCKETS: usize = 40;

/// Live counts of one port's interface.
#[derive(Debug)]
pub struct PortCounters {
    pub(crate) rx_packets: AtomicU64,
    pub(crate) rx_bytes: AtomicU64,
    pub(crate) rx_kernel_drops: AtomicU64,
    pub(crate) rx_errors: AtomicU64,
    pub(crate) rx_malformed: AtomicU64,
    pub(crate) rx_no_pipeline: AtomicU64,
    pub(crate) rx_link_drops: AtomicU64,
    pub(crate) checksums_completed: AtomicU64,
    pub(crate) super_packets: AtomicU64,
    pub(crate) vlan_tags_restored: AtomicU64,
    pub(crate) tx_packets: AtomicU64,
    pub(crate) tx_bytes: AtomicU64,
    pub(crate) tx_errors: AtomicU64,
    pub(crate) tx_too_long: AtomicU64,
    pub(crate) tx_link_drops: AtomicU64,
    late_sum: AtomicU64,
    late_max: AtomicU64,
    late: [AtomicU64; BUCKETS],
}

impl Default for PortCounters {
    fn default() -> Self {
        let zero = || AtomicU64::new(0);
        Self {
            rx_packets: zero(),
            rx_bytes: zero(),
            rx_kernel_drops: zero(),
            rx_errors: zero(),
            rx_malformed: zero(),
            rx_no_pipeline: zero(),
            rx_link_drops: zero(),
            checksums_completed: zero(),
            super_packets: zero(),
            vlan_tags_restored: zero(),
            tx_packets: zero(),
            tx_bytes: zero(),
            tx_errors: zero(),
            tx_too_long: zero(),
            tx_link_drops: zero(),
            late_sum: zero(),
            late_max: zero(),
            late: std::array::from_fn(|_| zero()),
        }
    }
}

/// A copy of the counts of one port's interface.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PortTotals {
    /// Frames that were handed to the program: segments, if a super packet had to be cut.
    pub rx_packets: u64,
    /// Their bytes.
    pub rx_bytes: u64,
    /// Frames that the kernel dropped because the program did not keep up.
    pub rx_kernel_drops: u64,
    /// Errors of the interface on receipt, such as that it is down.
    pub rx_errors: u64,
    /// Frames that contradicted their offload header or were longer than 64 KiB; not processed.
    pub rx_malformed: u64,
    /// Frames that came while there was no forwarding pipeline.
    pub rx_no_pipeline: u64,
    /// Frames that were lost because too many waited in the link towards the port.
    pub rx_link_drops: u64,
    /// Frames whose checksum the sender had left to the network card.
    pub checksums_completed: u64,
    /// Super packets that were cut into segments.
    pub super_packets: u64,
    /// Frames whose VLAN tag was beside them.
    pub vlan_tags_restored: u64,
    /// Frames that the system took for sending.
    pub tx_packets: u64,
    /// Their bytes.
    pub tx_bytes: u64,
    /// Frames that the system refused: interface down, buffers full.
    pub tx_errors: u64,
    /// Frames longer than the interface's MTU; not sent.
    pub tx_too_long: u64,
    /// Frames that were lost because those in the link behind the port took 64 MiB.
    pub tx_link_drops: u64,
    /// How much later than due frames were sent.
    pub lateness: Lateness,
}

/// How much later than due frames were handed to the system.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lateness {
    /// Mean in nanoseconds.
    pub mean_ns: u64,
    /// Upper bound of the 99th percentile in nanoseconds, a power of two less one.
    pub p99_ns: u64,
    /// Maximum in nanoseconds.
    pub max_ns: u64,
}

pub(crate) fn add(counter: &AtomicU64, n: u64) {
    counter.fetch_add(n, Relaxed);
}

impl PortCounters {
    pub(crate) fn sent(&self, bytes: usize, late_ns: u64) {
        add(&self.tx_packets, 1);
        add(&self.tx_bytes, bytes as u64);
        add(&self.late_sum, late_ns);
        self.late_max.fetch_max(late_ns, Relaxed);
        let bits = (u64::BITS - late_ns.leading_zeros()) as usize;
        add(&self.late[bits.min(BUCKETS - 1)], 1);
    }

    /// The counts now. Frames that pass meanwhile may be in some of them.
    pub fn totals(&self) -> PortTotals {
        let tx_packets = self.tx_packets.load(Relaxed);
        let mut seen = 0;
        let mut p99_ns = 0;
        for (bits, bucket) in self.late.iter().enumerate() {
            seen += bucket.load(Relaxed);
            if seen > 0 && seen * 100 >= tx_packets * 99 {
                p99_ns = (1u64 << bits) - 1;
                break;
            }
        }
        let max_ns = self.late_max.load(Relaxed);
        PortTotals {
            rx_packets: self.rx_packets.load(Relaxed),
            rx_bytes: self.rx_bytes.load(Relaxed),
            rx_kernel_drops: self.rx_kernel_drops.load(Relaxed),
            rx_errors: self.rx_errors.load(Relaxed),
            rx_malformed: self.rx_malformed.load(Relaxed),
            rx_no_pipeline: self.rx_no_pipeline.load(Relaxed),
            rx_link_drops: self.rx_link_drops.load(Relaxed),
            checksums_completed: self.checksums_completed.load(Relaxed),
            super_packets: self.super_packets.load(Relaxed),
            vlan_tags_restored: self.vlan_tags_restored.load(Relaxed),
            tx_packets,
            tx_bytes: self.tx_bytes.load(Relaxed),
            tx_errors: self.tx_errors.load(Relaxed),
            tx_too_long: self.tx_too_long.load(Relaxed),
            tx_link_drops: self.tx_link_drops.load(Relaxed),
            lateness: Lateness {
                mean_ns: self
                    .late_sum
                    .load(Relaxed)
                    .checked_div(tx_packets)
                    .unwrap_or(0),
                p99_ns: p99_ns.min(max_ns),
                max_ns,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lateness_of_a_hundred_frames() {
        let counters = PortCounters::default();
        assert_eq!(counters.totals().lateness, Lateness::default());
        for _ in 0..98 {
            counters.sent(60, 1000);
        }
        counters.sent(60, 3000);
        counters.sent(60, 900_000);
        let totals = counters.totals();
        assert_eq!((totals.tx_packets, totals.tx_bytes), (100, 6000));
        let expected = Lateness {
            mean_ns: (98 * 1000 + 3000 + 900_000) / 100,
            p99_ns: 4095,
            max_ns: 900_000,
        };
        assert_eq!(totals.lateness, expected);
    }
}
