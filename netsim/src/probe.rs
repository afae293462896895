// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! A watched switch port.

use p4_engine::{Departure, Switch};

use crate::error::NetworkError;
use crate::frame::{self, Tag};
use crate::measure::{DepthRecorder, DepthTrace};
use crate::network::WatchSpec;
use crate::result::{PortCounts, PortResult};

/// Says whether a switch's program has what `watch` names.
pub(crate) fn check(name: &str, switch: &Switch, watch: &WatchSpec) -> Result<(), NetworkError> {
    register(name, switch, watch)?;
    counter(name, switch, watch)?;
    Ok(())
}

/// Where a register is, and what its value is to be multiplied with.
#[derive(Clone, Copy, Debug)]
struct Average {
    register: usize,
    index: usize,
    scale: f64,
}

fn register(
    name: &str,
    switch: &Switch,
    watch: &WatchSpec,
) -> Result<Option<Average>, NetworkError> {
    let Some(average) = &watch.average else {
        return Ok(None);
    };
    let refuse = |problem| NetworkError::Register {
        switch: name.to_owned(),
        problem,
    };
    if average.fraction_bits > 64 {
        return Err(NetworkError::value(
            "average_fraction_bits",
            "must be at most 64",
        ));
    }
    let register = switch
        .program()
        .register(&average.name)
        .ok_or_else(|| refuse(format!("its program has no register {}", average.name)))?;
    let index = average.index as usize;
    switch
        .register_read_u64(register, index)
        .map_err(|error| refuse(format!("register {}: {error}", average.name)))?;
    Ok(Some(Average {
        register,
        index,
        scale: f64::exp2(-f64::from(average.fraction_bits)),
    }))
}

fn counter(
    name: &str,
    switch: &Switch,
    watch: &WatchSpec,
) -> Result<Option<(usize, usize)>, NetworkError> {
    let Some(counter) = &watch.early_drop_counter else {
        return Ok(None);
    };
    let refuse = |problem| NetworkError::Counter {
        switch: name.to_owned(),
        problem,
    };
    let place = switch
        .program()
        .counter(counter)
        .ok_or_else(|| refuse(format!("its program has no counter {counter}")))?;
    let index = usize::from(watch.port);
    switch
        .counter_read(place, index)
        .map_err(|error| refuse(format!("counter {counter}: {error}")))?;
    Ok(Some((place, index)))
}

/// Measures one port. The network tells it of every packet that comes or goes there.
#[derive(Debug)]
pub(crate) struct Probe {
    pub(crate) switch: u32,
    /// Distance of the trace's points; `None` at every change.
    pub(crate) interval: Option<u64>,
    switch_name: String,
    port: u16,
    overhead_bytes: i32,
    until: u64,
    trace_wanted: bool,
    average: Option<Average>,
    early_drop_counter: Option<(usize, usize)>,
    depth: DepthRecorder,
    busy_until: u64,
    busy_ns: u64,
    counts: PortCounts,
    /// Since the beginning of the run; those in `counts` are the window's.
    sent_bytes: u64,
    early_drops_before: u64,
    trace: DepthTrace,
}

impl Probe {
    pub(crate) fn new(
        watch: &WatchSpec,
        index: u32,
        name: &str,
        switch: &Switch,
        until: u64,
    ) -> Result<Self, NetworkError> {
        let mut probe = Self {
            switch: index,
            interval: watch.sample_interval_ns.filter(|_| watch.trace),
            switch_name: name.to_owned(),
            port: watch.port,
            overhead_bytes: switch.port_config(watch.port).overhead_bytes,
            until,
            trace_wanted: watch.trace,
            average: register(name, switch, watch)?,
            early_drop_counter: counter(name, switch, watch)?,
            depth: DepthRecorder::default(),
            busy_until: 0,
            busy_ns: 0,
            counts: PortCounts::default(),
            sent_bytes: 0,
            early_drops_before: 0,
            trace: DepthTrace::default(),
        };
        if probe.interval.is_none() {
            probe.sample(0, switch);
        }
        Ok(probe)
    }

    /// Adds a point to the trace.
    pub(crate) fn sample(&mut self, now: u64, switch: &Switch) {
        if !self.trace_wanted {
            return;
        }
        let average = self.average.map(|average| {
            // `check` has read this cell, so it is there.
            let value = switch.register_read_u64(average.register, average.index);
            value.map_or(f64::NAN, |value| value as f64 * average.scale)
        });
        self.trace
            .push(now, self.depth.depth(), average, self.sent_bytes);
    }

    fn changed(&mut self, now: u64, depth: u32, switch: &Switch) {
        self.depth.set(now, depth);
        if self.interval.is_none() {
            self.sample(now, switch);
        }
    }

    /// A packet was put into the queue, which holds `depth` now.
    pub(crate) fn enqueued(&mut self, now: u64, depth: u32, switch: &Switch) {
        self.counts.enqueued += 1;
        self.changed(now, depth, switch);
    }

    pub(crate) fn tail_dropped(&mut self) {
        self.counts.tail_drops += 1;
    }

    /// A packet left the queue.
    pub(crate) fn departed(&mut self, departure: &Departure, switch: &Switch) {
        self.busy_until = departure.end_ns;
        self.busy_ns += departure.end_ns.min(self.until) - departure.start_ns.min(self.until);
        match &departure.packet {
            None => self.counts.egress_drops += 1,
            Some(packet) => {
                self.counts.sent_packets += 1;
                let bytes = i64::from(packet.len()) + i64::from(self.overhead_bytes);
                let bytes = bytes.max(0) as u64;
                self.counts.sent_bytes += bytes;
                self.sent_bytes += bytes;
                if let Some(after) = frame::ecn(&packet.bytes) {
                    let before = Tag::unpack(packet.tag).ecn;
                    self.counts.ecn[usize::from(after)] += 1;
                    match (before, after) {
                        (0b10, 0b01) => self.counts.marked_incipient += 1,
                        (0b10 | 0b01, 0b11) => self.counts.marked_ce += 1,
                        _ => {}
                    }
                }
            }
        }
        self.changed(departure.start_ns, departure.deq_qdepth, switch);
    }

    fn early_drops(&self, switch: &Switch) -> u64 {
        self.early_drop_counter.map_or(0, |(counter, index)| {
            let value = switch.counter_read(counter, index);
            value.map_or(0, |value| value.packets)
        })
    }

    /// The measurement window begins.
    pub(crate) fn restart(&mut self, now: u64, switch: &Switch) {
        self.depth.restart(now);
        self.busy_ns = self.busy_until.min(self.until).saturating_sub(now);
        self.counts = PortCounts::default();
        self.early_drops_before = self.early_drops(switch);
    }

    /// The run has ended.
    pub(crate) fn finish(mut self, window_ns: u64, switch: &Switch) -> PortResult {
        if self.interval.is_none() {
            self.sample(self.until, switch);
        }
        self.counts.early_drops = self.early_drops(switch) - self.early_drops_before;
        PortResult {
            switch: self.switch_name,
            port: self.port,
            depth: self.depth.stats(self.until),
            busy_ns: self.busy_ns,
            window_ns,
            counts: self.counts,
            trace: self.trace,
        }
    }
}
