// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! A host's or sink's interface: its queue, its transmitter, its connections by port.

use std::collections::VecDeque;

use crate::link::Transmitter;
use crate::network::{FIRST_TCP_PORT, Interface};
use crate::result::HostCounts;

#[derive(Debug)]
pub(crate) struct Host {
    /// `None` for a sink.
    pub(crate) interface: Option<Interface>,
    /// The wire that leads away, once linked.
    pub(crate) wire: Option<u32>,
    pub(crate) counts: HostCounts,
    pub(crate) queue_max: u32,
    transmitter: Transmitter,
    limit_packets: Option<u32>,
    /// Starts of the transmissions that have not started. The frames themselves are on the wire already, with the time at which
    /// they will arrive: a first-in first-out queue has no say in that any more.
    waiting: VecDeque<u64>,
    /// Connections by local port, counted from [`FIRST_TCP_PORT`].
    connections: Vec<u32>,
}

impl Host {
    pub(crate) fn new(interface: Option<Interface>) -> Self {
        Self {
            interface,
            wire: None,
            counts: HostCounts::default(),
            queue_max: 0,
            transmitter: Transmitter::new(1, 0),
            limit_packets: None,
            waiting: VecDeque::new(),
            connections: Vec::new(),
        }
    }

    pub(crate) fn set_link(&mut self, wire: u32, transmitter: Transmitter, limit: Option<u32>) {
        self.wire = Some(wire);
        self.transmitter = transmitter;
        self.limit_packets = limit;
    }

    /// Queues a frame of `len` bytes: the time at which its last bit leaves, or `None` if the queue is full.
    pub(crate) fn queue(&mut self, now: u64, len: u32) -> Option<u64> {
        while self.waiting.front().is_some_and(|start| *start <= now) {
            self.waiting.pop_front();
        }
        let depth = self.waiting.len() as u32;
        if self.transmitter.busy(now) && self.limit_packets.is_some_and(|limit| depth >= limit) {
            self.counts.queue_drops += 1;
            return None;
        }
        let (start, end) = self.transmitter.transmit(now, len);
        if start > now {
            self.waiting.push_back(start);
            self.queue_max = self.queue_max.max(depth + 1);
        }
        self.counts.sent += 1;
        Some(end)
    }

    /// Gives a connection a local port. The network has seen to it that there is one left.
    pub(crate) fn bind(&mut self, connection: u32) -> u16 {
        let port = FIRST_TCP_PORT + self.connections.len() as u32;
        self.connections.push(connection);
        port as u16
    }

    /// The connection at a local port.
    pub(crate) fn connection(&self, port: u16) -> Option<u32> {
        let index = u32::from(port).checked_sub(FIRST_TCP_PORT)?;
        self.connections.get(index as usize).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_frame_in_service_does_not_count() {
        let mut host = Host::new(None);
        // One byte each 8 ns.
        host.set_link(0, Transmitter::new(1_000_000_000, 0), Some(1));
        assert_eq!(host.queue(0, 10), Some(80));
        assert_eq!(host.queue(0, 10), Some(160));
        assert_eq!(host.queue(79, 10), None);
        // At 80 the second frame starts and its place is free.
        assert_eq!(host.queue(80, 10), Some(240));
        assert_eq!(host.counts.queue_drops, 1);
        assert_eq!(host.queue_max, 1);
    }

    #[test]
    fn no_queue_at_all_still_sends() {
        let mut host = Host::new(None);
        host.set_link(0, Transmitter::new(1_000_000_000, 0), Some(0));
        assert_eq!(host.queue(0, 10), Some(80));
        assert_eq!(host.queue(40, 10), None);
        assert_eq!(host.queue(80, 10), Some(160));
    }

    #[test]
    fn ports_count_up() {
        let mut host = Host::new(None);
        assert_eq!(host.bind(7), 1024);
        assert_eq!(host.bind(9), 1025);
        assert_eq!(host.connection(1025), Some(9));
        assert_eq!(host.connection(1026), None);
        assert_eq!(host.connection(80), None);
    }
}
