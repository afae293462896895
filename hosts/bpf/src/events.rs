// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! The stream of reductions.

use crate::users::{address, field};
use anyhow::{Context, Result};
use libbpf_rs::{MapHandle, RingBufferBuilder};
use serde::Serialize;
use std::cell::Cell;
use std::io::Write;
use std::net::SocketAddr;
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Bytes of `struct event` in `mecn.bpf.c`.
const RECORD: usize = 64;
/// Names in the order of `enum cause` there.
const CAUSES: [&str; 7] = [
    "none",
    "incipient",
    "classic",
    "moderate",
    "loss",
    "timeout",
    "local",
];

/// One reduction.
#[derive(Debug, PartialEq, Serialize)]
struct Event {
    /// Unix time in seconds.
    time: f64,
    local: SocketAddr,
    remote: SocketAddr,
    cause: &'static str,
    /// Segments.
    cwnd_before: u32,
    /// Segments; the window the kernel reduces to over the next round trip.
    cwnd_after: u32,
    srtt_us: u32,
}

impl Event {
    /// Read a record; `clock` is Unix time minus `CLOCK_MONOTONIC`, in seconds.
    fn parse(record: &[u8], clock: f64) -> Option<Self> {
        if record.len() != RECORD {
            return None;
        }
        let word = |at| u32::from_ne_bytes(field(record, at));
        let port = |at| u16::from_ne_bytes(field(record, at));
        let family = word(12);
        Some(Self {
            time: u64::from_ne_bytes(field(record, 0)) as f64 / 1e9 + clock,
            cause: CAUSES.get(word(8) as usize)?,
            local: SocketAddr::new(address(family, field(record, 16)), port(48)),
            remote: SocketAddr::new(address(family, field(record, 32)), port(50)),
            cwnd_before: word(52),
            cwnd_after: word(56),
            srtt_us: word(60),
        })
    }
}

/// Unix time minus `CLOCK_MONOTONIC`, in seconds.
fn clock() -> Result<f64> {
    let mut monotonic = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: the kernel writes one timespec into the one given.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut monotonic) };
    let monotonic = monotonic.tv_sec as f64 + monotonic.tv_nsec as f64 / 1e9;
    Ok(SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs_f64() - monotonic)
}

fn print(event: &Event, json: bool) -> Result<()> {
    let mut out = std::io::stdout().lock();
    if json {
        writeln!(out, "{}", serde_json::to_string(event)?)?;
    } else {
        let Event {
            time,
            local,
            remote,
            cause,
            cwnd_before,
            cwnd_after,
            ..
        } = event;
        writeln!(
            out,
            "{time:.6} {local} -> {remote} {cause} cwnd {cwnd_before} -> {cwnd_after}"
        )?;
    }
    Ok(out.flush()?)
}

/// Print events as they come; first those nobody has read yet.
///
/// # Errors
/// Nothing is up, or the output is closed.
pub fn follow(pins: &Path, json: bool, count: Option<u64>) -> Result<()> {
    let map = MapHandle::from_pinned_path(pins.join("events"))
        .with_context(|| format!("nothing is up: no pins in {}", pins.display()))?;
    let clock = clock()?;
    let left = Cell::new(count.unwrap_or(u64::MAX));
    let failure = Cell::new(None);
    let mut builder = RingBufferBuilder::new();
    builder.add(&map, |record| {
        if left.get() == 0 {
            return 0;
        }
        left.set(left.get() - 1);
        let Some(event) = Event::parse(record, clock) else {
            eprintln!("mecn-host: a record of {} bytes is no event", record.len());
            return 0;
        };
        match print(&event, json) {
            Ok(()) => 0,
            Err(error) => {
                failure.set(Some(error));
                -libc::EPIPE
            }
        }
    })?;
    let ring = builder.build()?;
    while left.get() > 0 {
        let result = ring.poll(Duration::from_secs(1));
        if let Some(error) = failure.take() {
            return Err(error);
        }
        result?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_a_record() {
        let mut record = Vec::new();
        record.extend(2_500_000_000u64.to_ne_bytes());
        record.extend(3u32.to_ne_bytes());
        record.extend((libc::AF_INET as u32).to_ne_bytes());
        record.extend(
            [
                [192, 0, 2, 1],
                [0; 4],
                [0; 4],
                [0; 4],
                [192, 0, 2, 2],
                [0; 4],
                [0; 4],
                [0; 4],
            ]
            .concat(),
        );
        record.extend(5001u16.to_ne_bytes());
        record.extend(80u16.to_ne_bytes());
        record.extend([100u32, 60, 2000].map(u32::to_ne_bytes).concat());
        let event = Event::parse(&record, 1.0).unwrap();
        assert_eq!(event.time, 3.5);
        assert_eq!(event.local, "192.0.2.1:5001".parse().unwrap());
        assert_eq!(event.remote, "192.0.2.2:80".parse().unwrap());
        assert_eq!(
            (event.cause, event.cwnd_before, event.cwnd_after),
            ("moderate", 100, 60)
        );
        assert_eq!(Event::parse(&record[1..], 0.0), None);
        record[8] = 99;
        assert_eq!(Event::parse(&record, 0.0), None);
    }
}
