// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! The traffic manager: FIFO queues for each egress port, served at the port's rate. A queue of
//! higher priority is served before any of lower priority; limits and depths are each queue's own.
//!
//! Service times are exact. A rate of `r` per second gives a packet of `n` units the time
//! `n * 10^9 / r` ns; the part of a nanosecond that is left over is carried to the next packet of
//! a busy period, so that times reported in whole nanoseconds never drift from the exact ones.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::fmt;

/// The rate at which a port sends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Rate {
    /// Packets leave as soon as they arrive.
    #[default]
    Unlimited,
    /// By length: bits per second.
    BitsPerSecond(u64),
    /// Whatever their length: packets per second, as `set_queue_rate` of `simple_switch`.
    PacketsPerSecond(u64),
}

/// The configuration of an egress port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PortConfig {
    /// The rate of service.
    pub rate: Rate,
    /// The most packets that the queue holds, the one in service not counted; `None`: no limit.
    pub limit_packets: Option<u32>,
    /// The most bytes that the queue holds; `None`: no limit.
    pub limit_bytes: Option<u64>,
    /// Added to the length of a frame for the rate and for byte counts, as `overhead` of Linux tc:
    /// -14 counts the IP packet only, 24 adds preamble, inter-frame gap and checksum of Ethernet.
    /// A length below 0 counts as 0.
    pub overhead_bytes: i32,
}

impl Default for PortConfig {
    /// As in `simple_switch`: no rate limit, a queue of 64 packets.
    fn default() -> Self {
        Self {
            rate: Rate::Unlimited,
            limit_packets: Some(64),
            limit_bytes: None,
            overhead_bytes: 0,
        }
    }
}

/// Why a port configuration was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PortConfigError {
    /// A rate of 0 would never send anything.
    ZeroRate,
}

impl fmt::Display for PortConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ZeroRate => f.write_str("a port's rate must be above 0"),
        }
    }
}

impl std::error::Error for PortConfigError {}

impl PortConfig {
    fn length(&self, frame: u32) -> u64 {
        (i64::from(frame) + i64::from(self.overhead_bytes)).max(0) as u64
    }
}

/// Counts of one port, in packets unless another unit is named.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PortStats {
    /// Packets that entered the queue.
    pub enqueued: u64,
    /// Packets that found the queue full.
    pub tail_drops: u64,
    /// Packets that were sent.
    pub sent: u64,
    /// Bytes that were sent (frame lengths, without overhead).
    pub sent_bytes: u64,
    /// Packets that the egress pipeline dropped after service had begun.
    pub egress_drops: u64,
    /// Packets that went back to ingress after service.
    pub recirculated: u64,
    /// Packets in the queue now, without the one in service.
    pub depth_packets: u32,
    /// Bytes in the queue now (with overhead), without the packet in service.
    pub depth_bytes: u64,
}

/// A packet in a queue.
#[derive(Debug)]
pub(crate) struct Queued<T> {
    pub item: T,
    pub enq_ns: u64,
    /// Bytes, with overhead.
    bytes: u64,
}

#[derive(Debug)]
struct Queue<T> {
    fifo: VecDeque<Queued<T>>,
    bytes: u64,
}

/// How the service of a packet ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Served {
    Sent,
    Dropped,
    Recirculated,
}

/// A packet that has left its queue.
#[derive(Debug)]
pub(crate) struct Popped<T> {
    pub queued: Queued<T>,
    pub priority: u8,
    /// Depths of its queue without it.
    pub depth_packets: u32,
    pub depth_bytes: u64,
}

#[derive(Debug)]
struct Port<T> {
    config: PortConfig,
    /// By priority, the lowest first.
    queues: Box<[Queue<T>]>,
    stats: PortStats,
    /// When the packet in service is finished: whole nanoseconds, and a remainder in units of
    /// 1 ns / rate.
    busy_ns: u64,
    busy_rem: u64,
}

impl<T> Port<T> {
    fn new(config: PortConfig, queues: u8) -> Self {
        let queue = |_| Queue {
            fifo: VecDeque::new(),
            bytes: 0,
        };
        Self {
            config,
            queues: (0..queues.max(1)).map(queue).collect(),
            stats: PortStats::default(),
            busy_ns: 0,
            busy_rem: 0,
        }
    }

    /// When service of the packet at the head may begin.
    fn next_start(&self) -> Option<u64> {
        let heads = self.queues.iter().filter_map(|q| q.fifo.front());
        let first = heads.map(|q| q.enq_ns).min();
        first.map(|t| t.max(self.busy_ns))
    }
}

/// Where a packet went on its push: the depths before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Push {
    pub accepted: bool,
    /// Packets that were in the queue.
    pub depth_packets: u32,
    /// Bytes that were in the queue.
    pub depth_bytes: u64,
}

/// All ports of a switch.
#[derive(Debug)]
pub(crate) struct TrafficManager<T> {
    ports: Vec<Port<T>>,
    default: PortConfig,
    /// Queues of each port.
    queues: u8,
    /// The next start of service of every port with a queue.
    starts: BinaryHeap<Reverse<(u64, u16)>>,
}

impl<T> TrafficManager<T> {
    pub fn new(default: PortConfig, queues: u8) -> Self {
        Self {
            ports: Vec::new(),
            default,
            queues,
            starts: BinaryHeap::new(),
        }
    }

    /// The same configuration with empty queues.
    pub fn fork(&self) -> Self {
        Self {
            ports: (self.ports.iter())
                .map(|p| Port::new(p.config, self.queues))
                .collect(),
            default: self.default,
            queues: self.queues,
            starts: BinaryHeap::new(),
        }
    }

    fn port(&mut self, port: u16) -> &mut Port<T> {
        let i = usize::from(port);
        while self.ports.len() <= i {
            self.ports.push(Port::new(self.default, self.queues));
        }
        &mut self.ports[i]
    }

    pub fn configure(&mut self, port: u16, config: PortConfig) -> Result<(), PortConfigError> {
        if let Rate::BitsPerSecond(0) | Rate::PacketsPerSecond(0) = config.rate {
            return Err(PortConfigError::ZeroRate);
        }
        let p = self.port(port);
        if p.config.rate != config.rate && p.busy_rem > 0 {
            // The remainder is in units of the old rate; end at the next whole nanosecond.
            p.busy_ns += 1;
            p.busy_rem = 0;
            if let Some(start) = p.next_start() {
                self.starts.retain(|Reverse((_, i))| *i != port);
                self.starts.push(Reverse((start, port)));
            }
        }
        self.port(port).config = config;
        Ok(())
    }

    pub fn config(&self, port: u16) -> PortConfig {
        self.ports
            .get(usize::from(port))
            .map_or(self.default, |p| p.config)
    }

    pub fn stats(&self, port: u16) -> PortStats {
        self.ports
            .get(usize::from(port))
            .map_or_else(PortStats::default, |p| p.stats)
    }

    /// Whether a frame of this length finds room; counts a tail drop if it does not. Together with
    /// [`TrafficManager::push`] this is one operation, split so that the packet's state is saved
    /// only if it is queued.
    pub fn admit(&mut self, port: u16, priority: u8, frame: u32) -> Push {
        let p = self.port(port);
        let bytes = p.config.length(frame);
        let q = &p.queues[usize::from(priority)];
        let (depth_packets, depth_bytes) = (q.fifo.len() as u32, q.bytes);
        let accepted = p.config.limit_packets.is_none_or(|l| depth_packets < l)
            && p.config
                .limit_bytes
                .is_none_or(|l| depth_bytes.saturating_add(bytes) <= l);
        if !accepted {
            p.stats.tail_drops += 1;
        }
        Push {
            accepted,
            depth_packets,
            depth_bytes,
        }
    }

    pub fn push(&mut self, port: u16, priority: u8, item: T, frame: u32, now_ns: u64) {
        let p = self.port(port);
        let bytes = p.config.length(frame);
        p.stats.enqueued += 1;
        p.stats.depth_packets += 1;
        p.stats.depth_bytes += bytes;
        let q = &mut p.queues[usize::from(priority)];
        q.bytes += bytes;
        q.fifo.push_back(Queued {
            item,
            enq_ns: now_ns,
            bytes,
        });
        if p.stats.depth_packets == 1 {
            let start = now_ns.max(p.busy_ns);
            self.starts.push(Reverse((start, port)));
        }
    }

    /// The packet that was queued last of those that wait there.
    pub fn last(&mut self, port: u16, priority: u8) -> Option<&mut T> {
        let port = self.ports.get_mut(usize::from(port))?;
        let queue = port.queues.get_mut(usize::from(priority))?;
        queue.fifo.back_mut().map(|queued| &mut queued.item)
    }

    /// The earliest time at which service of a packet may begin.
    pub fn next_start(&self) -> Option<u64> {
        self.starts.peek().map(|Reverse((t, _))| *t)
    }

    /// Takes the packet whose service may begin first, if that is not after `now_ns`: the port,
    /// the time at which service begins, and the packet. Call [`TrafficManager::serve`] next.
    pub fn pop(&mut self, now_ns: u64) -> Option<(u16, u64, Popped<T>)> {
        let Reverse((start, port)) = *self.starts.peek()?;
        if start > now_ns {
            return None;
        }
        self.starts.pop();
        let p = &mut self.ports[usize::from(port)];
        // The highest priority of those that have arrived by then.
        let arrived = |q: &Queue<T>| q.fifo.front().is_some_and(|h| h.enq_ns <= start);
        let priority = p.queues.iter().rposition(arrived)?;
        let queue = &mut p.queues[priority];
        let queued = queue.fifo.pop_front()?;
        queue.bytes -= queued.bytes;
        let (depth_packets, depth_bytes) = (queue.fifo.len() as u32, queue.bytes);
        p.stats.depth_packets -= 1;
        p.stats.depth_bytes -= queued.bytes;
        let popped = Popped {
            queued,
            priority: priority as u8,
            depth_packets,
            depth_bytes,
        };
        Some((port, start, popped))
    }

    /// Occupies a port from `start_ns` for the time that a frame takes, and gives the time at
    /// which the frame has been sent.
    pub fn serve(&mut self, port: u16, start_ns: u64, frame: u32, served: Served) -> u64 {
        let p = &mut self.ports[usize::from(port)];
        // A remainder continues a busy period; after an idle time there is none.
        let rem = if start_ns == p.busy_ns { p.busy_rem } else { 0 };
        let (units, rate) = match p.config.rate {
            Rate::Unlimited => (0, 1),
            Rate::BitsPerSecond(r) => (u128::from(p.config.length(frame)) * 8, r),
            Rate::PacketsPerSecond(r) => (1, r),
        };
        let rate = rate.max(1);
        let total = units * 1_000_000_000 + u128::from(rem);
        let (whole, rem) = match u64::try_from(total) {
            Ok(total) => (u128::from(total / rate), total % rate),
            // A division of 128 bits is several times slower; a frame of 2 GB needs it.
            Err(_) => {
                let rate = u128::from(rate);
                (total / rate, (total % rate) as u64)
            }
        };
        let end = u128::from(start_ns) + whole;
        p.busy_ns = u64::try_from(end).unwrap_or(u64::MAX);
        p.busy_rem = rem;
        match served {
            Served::Sent => {
                p.stats.sent += 1;
                p.stats.sent_bytes += u64::from(frame);
            }
            Served::Dropped => p.stats.egress_drops += 1,
            Served::Recirculated => p.stats.recirculated += 1,
        }
        let (end, next) = (p.busy_ns, p.next_start());
        if let Some(start) = next {
            self.starts.push(Reverse((start, port)));
        }
        end
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn manager(config: PortConfig) -> TrafficManager<u32> {
        let mut tm = TrafficManager::new(PortConfig::default(), 1);
        tm.configure(1, config).unwrap();
        tm
    }

    #[test]
    fn a_million_packets_do_not_drift() {
        // 1000-byte packets at 1.5 Mbit/s take 5333333 1/3 ns each.
        let mut tm = manager(PortConfig {
            rate: Rate::BitsPerSecond(1_500_000),
            ..PortConfig::default()
        });
        let mut end = 0;
        for _ in 0..1_000_000 {
            tm.push(1, 0, 0, 1000, 0);
            let (port, start, _) = tm.pop(u64::MAX).unwrap();
            assert_eq!(start, end);
            end = tm.serve(port, start, 1000, Served::Sent);
        }
        assert_eq!(end, 5_333_333_333_333);
    }

    #[test]
    fn limits_count_what_waits() {
        let mut tm = manager(PortConfig {
            rate: Rate::PacketsPerSecond(10),
            limit_packets: Some(2),
            limit_bytes: Some(250),
            overhead_bytes: -14,
        });
        assert!(tm.admit(1, 0, 114).accepted);
        tm.push(1, 0, 0, 114, 0);
        tm.push(1, 0, 1, 114, 0);
        assert_eq!(
            tm.admit(1, 0, 64),
            Push {
                accepted: false,
                depth_packets: 2,
                depth_bytes: 200
            }
        );
        let (port, start, q) = tm.pop(0).unwrap();
        assert_eq!((port, start, q.queued.item), (1, 0, 0));
        assert_eq!(tm.serve(1, 0, 114, Served::Sent), 100_000_000);
        assert!(
            !tm.admit(1, 0, 165).accepted,
            "151 bytes do not fit beside 100"
        );
        assert!(tm.admit(1, 0, 164).accepted);
        assert_eq!(tm.next_start(), Some(100_000_000));
        assert!(tm.pop(99_999_999).is_none());
        assert_eq!(tm.stats(1).tail_drops, 2);
    }

    #[test]
    fn a_rate_of_zero_is_refused() {
        let mut tm = TrafficManager::<()>::new(PortConfig::default(), 1);
        let zero = PortConfig {
            rate: Rate::BitsPerSecond(0),
            ..PortConfig::default()
        };
        assert_eq!(tm.configure(1, zero), Err(PortConfigError::ZeroRate));
    }

    proptest! {
        /// Against exact rational arithmetic: end = max(arrival, previous end) + units / rate,
        /// kept in units of 1 ns / rate.
        #[test]
        fn times_match_the_exact_model(
            rate in 1u64..5_000_000_000,
            by_packet in any::<bool>(),
            limit in 1u32..20,
            overhead in -20i32..30,
            arrivals in prop::collection::vec((0u64..3_000_000, 0u32..2000), 1..200),
        ) {
            let mut tm = manager(PortConfig {
                rate: if by_packet { Rate::PacketsPerSecond(rate) } else { Rate::BitsPerSecond(rate) },
                limit_packets: Some(limit),
                limit_bytes: None,
                overhead_bytes: overhead,
            });
            let r = u128::from(rate);
            let mut busy: u128 = 0;
            let mut model: VecDeque<(u64, u32, u32)> = VecDeque::new();
            let mut now = 0;
            let depart = |tm: &mut TrafficManager<u32>, model: &mut VecDeque<(u64, u32, u32)>, busy: &mut u128, until: u64| {
                while let Some(t) = tm.next_start().filter(|&t| t <= until) {
                    let (port, start, q) = tm.pop(t).unwrap();
                    let (enq, len, id) = model.pop_front().unwrap();
                    assert_eq!(q.queued.item, id, "FIFO");
                    let exact_start = (u128::from(enq) * r).max(*busy);
                    assert_eq!(u128::from(start), exact_start / r);
                    let units = if by_packet { 1 } else { (i64::from(len) + i64::from(overhead)).max(0) as u128 * 8 };
                    *busy = exact_start + units * 1_000_000_000;
                    let end = tm.serve(port, start, len, Served::Sent);
                    assert_eq!(u128::from(end), *busy / r);
                    assert_eq!(tm.stats(port).depth_packets as usize, model.len());
                }
            };
            for (id, (gap, len)) in arrivals.into_iter().enumerate() {
                now += gap;
                depart(&mut tm, &mut model, &mut busy, now);
                let push = tm.admit(1, 0, len);
                prop_assert_eq!(push.depth_packets as usize, model.len());
                prop_assert_eq!(push.accepted, model.len() < limit as usize);
                if push.accepted {
                    tm.push(1, 0, id as u32, len, now);
                    model.push_back((now, len, id as u32));
                }
            }
            depart(&mut tm, &mut model, &mut busy, u64::MAX);
            prop_assert!(model.is_empty());
        }
    }
}
