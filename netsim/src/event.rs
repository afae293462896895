// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! The event queue: a total order by time, then by the order in which events were announced.
//!
//! A calendar queue (Brown, Communications of the ACM 31(10), 1988). Time is cut into slots. What is due in the
//! present slot is sorted, a few entries; what comes soon is in a list for each slot, in no order; what comes late is in
//! a heap. An event costs a place in a list and a step or two in the sorted few, however many are pending. The width
//! of a slot follows the rate of events. It decides what the queue costs, never the order.

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

impl Entry {
    /// Both parts of the order in one number: compared without a branch between them.
    fn key(&self) -> u128 {
        u128::from(self.time) << 64 | u128::from(self.sequence)
    }
}

impl Ord for Entry {
    /// Reversed, since [`BinaryHeap`] gives the greatest first.
    fn cmp(&self, other: &Self) -> Ordering {
        other.key().cmp(&self.key())
    }
}

impl PartialOrd for Entry {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// No node.
const NIL: u32 = u32::MAX;
/// Slots at first, and the bounds of their number; powers of two, whole words of the bit map.
const FIRST_SLOTS: usize = 256;
const MAX_SLOTS: usize = 1 << 16;
/// Width of a slot at first, as a power of two of nanoseconds: 131 us.
const FIRST_SHIFT: u32 = 17;
/// Events between two looks at their rate.
const TUNE_INTERVAL: u64 = 4096;
/// Events that `near` takes one by one; it may have more when a slot begins.
const FEW: usize = 64;
/// Slots are made anew only if they are off by this factor, as a power of two, so that they are not made anew all the time.
const TUNE_MARGIN: u32 = 2;

/// A pending event in the list of its slot, or a free place.
#[derive(Clone, Copy, Debug)]
struct Node {
    entry: Entry,
    next: u32,
}

/// Pending events. What lies on a wire is not here: a wire keeps its frames in order itself and has at most one
/// event here, so the queue stays as short as the network is small, however long the wires are.
#[derive(Debug)]
pub(crate) struct EventQueue {
    /// Due in the present slot, or before; the next one last.
    near: Vec<Entry>,
    /// As `near`, in the rare case that more is announced for the present slot than is sorted in quickly.
    crowd: BinaryHeap<Entry>,
    /// Heads of the lists of the slots after it; a slot's number modulo their count is its place.
    slots: Vec<u32>,
    /// A bit for each list that is not empty.
    occupied: Vec<u64>,
    nodes: Vec<Node>,
    /// Head of the list of free nodes.
    free: u32,
    /// Later than all slots when it was announced.
    far: BinaryHeap<Entry>,
    /// A slot is 2^`shift` ns wide.
    shift: u32,
    /// Number of the present slot.
    slot: u64,
    /// Events in lists.
    listed: usize,
    next_sequence: u64,
    /// Events taken since the last look at the rate, and the time of that look.
    taken: u64,
    looked_at: u64,
}

impl Default for EventQueue {
    fn default() -> Self {
        Self {
            near: Vec::new(),
            crowd: BinaryHeap::new(),
            slots: vec![NIL; FIRST_SLOTS],
            occupied: vec![0; FIRST_SLOTS / 64],
            nodes: Vec::new(),
            free: NIL,
            far: BinaryHeap::new(),
            shift: FIRST_SHIFT,
            slot: 0,
            listed: 0,
            next_sequence: 0,
            taken: 0,
            looked_at: 0,
        }
    }
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
        self.file(Entry {
            time,
            sequence,
            event,
        });
    }

    fn file(&mut self, entry: Entry) {
        let slot = entry.time >> self.shift;
        if slot <= self.slot {
            self.sort_in(entry);
        } else if slot - self.slot < self.slots.len() as u64 {
            let place = slot as usize & (self.slots.len() - 1);
            let node = Node {
                entry,
                next: self.slots[place],
            };
            let at = self.free;
            self.slots[place] = if let Some(free) = self.nodes.get_mut(at as usize) {
                self.free = free.next;
                *free = node;
                at
            } else {
                self.nodes.push(node);
                self.nodes.len() as u32 - 1
            };
            self.occupied[place / 64] |= 1 << (place % 64);
            self.listed += 1;
        } else {
            self.far.push(entry);
        }
    }

    /// Puts an event of the present slot into its place.
    fn sort_in(&mut self, entry: Entry) {
        if self.near.len() >= FEW {
            self.crowd.push(entry);
            return;
        }
        let key = entry.key();
        let earlier = self.near.iter().rev().take_while(|e| e.key() < key).count();
        self.near.insert(self.near.len() - earlier, entry);
    }

    /// The next event, unless it is later than `until`.
    pub(crate) fn pop_until(&mut self, until: u64) -> Option<(u64, Event)> {
        if self.near.is_empty() && self.crowd.is_empty() {
            self.advance();
        }
        let next = self.near.last();
        let crowded = self.crowd.peek();
        let from_crowd = crowded.is_some_and(|c| next.is_none_or(|n| c.key() < n.key()));
        if (if from_crowd { crowded } else { next })?.time > until {
            return None;
        }
        let entry = if from_crowd {
            self.crowd.pop()
        } else {
            self.near.pop()
        }?;
        self.taken += 1;
        if self.taken == TUNE_INTERVAL {
            self.tune(entry.time);
        }
        Some((entry.time, entry.event))
    }

    /// Goes to the next slot in which something is due.
    fn advance(&mut self) {
        let listed = self.next_occupied();
        let far = self.far.peek().map(|entry| entry.time >> self.shift);
        let Some(slot) = [listed, far].into_iter().flatten().min() else {
            return;
        };
        self.slot = slot;
        if listed == Some(slot) {
            let place = slot as usize & (self.slots.len() - 1);
            let mut at = std::mem::replace(&mut self.slots[place], NIL);
            self.occupied[place / 64] &= !(1 << (place % 64));
            while let Some(node) = self.nodes.get_mut(at as usize) {
                self.near.push(node.entry);
                self.listed -= 1;
                let next = std::mem::replace(&mut node.next, self.free);
                self.free = at;
                at = next;
            }
        }
        while let Some(entry) = self.far.peek()
            && entry.time >> self.shift == slot
        {
            self.near.extend(self.far.pop());
        }
        if self.near.len() > 1 {
            // `Entry` is ordered for heaps: the earliest is the greatest.
            self.near.sort_unstable();
        }
    }

    /// The first slot after the present one with a list.
    fn next_occupied(&self) -> Option<u64> {
        if self.listed == 0 {
            return None;
        }
        let mask = self.slots.len() - 1;
        let words = self.occupied.len();
        let first = (self.slot as usize + 1) & mask;
        let mut at = first / 64;
        let mut word = self.occupied[at] & (u64::MAX << (first % 64));
        // Once more for the bits of the first word that come last.
        for _ in 0..=words {
            if word != 0 {
                let place = at * 64 + word.trailing_zeros() as usize;
                return Some(self.slot + 1 + (place.wrapping_sub(first) & mask) as u64);
            }
            at = (at + 1) % words;
            word = self.occupied[at];
        }
        None
    }

    /// Makes slots anew if they are much too wide or too narrow for the rate of events: about two shall be due in each, and the slots
    /// shall reach as far as most events that are pending.
    fn tune(&mut self, now: u64) {
        let spacing = now.saturating_sub(self.looked_at) / TUNE_INTERVAL;
        self.taken = 0;
        self.looked_at = now;
        let shift = (2 * spacing).max(1).ilog2();
        let pending = self.near.len() + self.crowd.len() + self.listed + self.far.len();
        let slots = pending.next_power_of_two().clamp(FIRST_SLOTS, MAX_SLOTS);
        let margin = slots.ilog2().abs_diff(self.slots.len().ilog2());
        if self.shift.abs_diff(shift) < TUNE_MARGIN && margin < TUNE_MARGIN {
            return;
        }
        let mut entries = std::mem::take(&mut self.near);
        entries.extend(self.crowd.drain());
        entries.extend(self.far.drain());
        for place in 0..self.slots.len() {
            let mut at = std::mem::replace(&mut self.slots[place], NIL);
            while let Some(node) = self.nodes.get(at as usize) {
                entries.push(node.entry);
                at = node.next;
            }
        }
        self.nodes.clear();
        self.free = NIL;
        self.listed = 0;
        self.slots.clear();
        self.slots.resize(slots, NIL);
        self.occupied.clear();
        self.occupied.resize(slots / 64, 0);
        self.shift = shift;
        self.slot = now >> shift;
        for entry in entries {
            self.file(entry);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Any pushes and pops give the order of a plain heap, at any rate of events and with changes of the rate.
        #[test]
        fn the_order_is_a_heaps(
            steps in prop::collection::vec((0_u32..46, any::<u64>(), 0_u32..4), 1..300),
            rounds in 1_usize..60,
        ) {
            let mut queue = EventQueue::default();
            let mut heap = BinaryHeap::new();
            let mut now = 0;
            for round in 0..rounds {
                for (bits, draw, pops) in &steps {
                    let time = now + (draw.rotate_left(round as u32) & ((1 << bits) - 1));
                    let sequence = queue.next_sequence;
                    let event = Event::Timer(sequence as u32);
                    queue.push(time, event);
                    heap.push(Entry { time, sequence, event });
                    for _ in 0..*pops {
                        let expected = heap.pop().map(|entry| (entry.time, entry.event));
                        prop_assert_eq!(queue.pop_until(u64::MAX), expected);
                        now = expected.map_or(now, |(time, _)| time);
                    }
                }
            }
            while let Some(entry) = heap.pop() {
                prop_assert_eq!(queue.pop_until(u64::MAX), Some((entry.time, entry.event)));
            }
            prop_assert_eq!(queue.pop_until(u64::MAX), None);
        }
    }

    /// The slots follow the rate of events, and memory follows what is pending.
    #[test]
    fn slots_follow_the_rate() {
        let mut queue = EventQueue::default();
        for (spacing, shift) in [(1_000_000, 20), (100, 7), (0, 0)] {
            let mut now = queue.looked_at;
            for source in 0..1000 {
                queue.push(now + source * spacing, Event::Timer(0));
            }
            for _ in 0..5 * TUNE_INTERVAL {
                let (time, event) = queue.pop_until(u64::MAX).unwrap();
                now = time;
                queue.push(now + 1000 * spacing, event);
            }
            assert!(
                queue.shift.abs_diff(shift) <= TUNE_MARGIN,
                "{} {shift}",
                queue.shift
            );
            assert!(queue.nodes.len() <= 1000);
            while queue.pop_until(now + 1000 * spacing).is_some() {}
        }
    }

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
