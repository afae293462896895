// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! The event queue: a total order by time, then by the order in which events were announced.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// What is due. The index says which of its kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    /// The measurement window begins.
    WindowStart,
    /// A flow opens its connection.
    FlowStart(u32),
    /// The oldest frame on a wire has arrived.
    Arrival(u32),
    /// A switch can start to serve a packet.
    SwitchDeparture(u32),
    /// An endpoint's timer may be due.
    Timer(u32),
    /// A watched port is sampled.
    Sample(u32),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Entry {
    time: u64,
    sequence: u64,
    event: Event,
}

impl Ord for Entry {
    /// Reversed, since [`BinaryHeap`] gives the greatest first.
    fn cmp(&self, other: &Self) -> Ordering {
        (other.time, other.sequence).cmp(&(self.time, self.sequence))
    }
}

impl PartialOrd for Entry {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Pending events. What lies on a wire is not here: a wire keeps its frames in order itself and has at most one
/// event here, so the queue stays as short as the network is small, however long the wires are.
#[derive(Debug, Default)]
pub(crate) struct EventQueue {
    heap: BinaryHeap<Entry>,
    next_sequence: u64,
}

impl EventQueue {
    /// Takes the next place in the order of events that are due at the same time.
    pub(crate) fn sequence(&mut self) -> u64 {
        let sequence = self.next_sequence;
        self.next_sequence += 1;
        sequence
    }

    /// Announces an event.
    pub(crate) fn push(&mut self, time: u64, event: Event) {
        let sequence = self.sequence();
        self.push_at(time, sequence, event);
    }

    /// Announces an event under a place that [`sequence`](Self::sequence) gave earlier.
    pub(crate) fn push_at(&mut self, time: u64, sequence: u64, event: Event) {
        self.heap.push(Entry {
            time,
            sequence,
            event,
        });
    }

    /// The next event, unless it is later than `until`.
    pub(crate) fn pop_until(&mut self, until: u64) -> Option<(u64, Event)> {
        if self.heap.peek()?.time > until {
            return None;
        }
        self.heap.pop().map(|entry| (entry.time, entry.event))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_by_time_then_by_announcement() {
        let mut queue = EventQueue::default();
        queue.push(5, Event::Timer(0));
        let early = queue.sequence();
        queue.push(5, Event::Timer(2));
        queue.push(3, Event::Timer(3));
        queue.push_at(5, early, Event::Timer(1));
        let order: Vec<_> = std::iter::from_fn(|| queue.pop_until(5)).collect();
        assert_eq!(
            order,
            [
                (3, Event::Timer(3)),
                (5, Event::Timer(0)),
                (5, Event::Timer(1)),
                (5, Event::Timer(2))
            ]
        );
    }

    #[test]
    fn leaves_what_is_later() {
        let mut queue = EventQueue::default();
        queue.push(6, Event::WindowStart);
        assert_eq!(queue.pop_until(5), None);
        assert_eq!(queue.pop_until(6), Some((6, Event::WindowStart)));
        assert_eq!(queue.pop_until(u64::MAX), None);
    }
}
