// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! The stream of reductions.

use crate::machine::Pins;
use crate::netns::Namespace;
use crate::settings::Settings;
use crate::users::{address, field};
use anyhow::{Context, Result, anyhow, bail};
use libbpf_rs::{MapCore, RingBufferBuilder};
use nix::fcntl::{Flock, FlockArg};
use nix::time::{ClockId, clock_gettime};
use serde::Serialize;
use std::cell::Cell;
use std::collections::HashMap;
use std::fs::{self, File};
use std::io::Write;
use std::net::SocketAddr;
use std::os::unix::fs::MetadataExt;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Bytes of `struct event` in `mecn.bpf.c`.
const RECORD: usize = 72;
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
    /// Network namespace; `other` if it is not up there.
    netns: String,
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
    /// Read a record; `clock` is Unix time minus `CLOCK_MONOTONIC`, in seconds; `name` gives namespaces names.
    fn parse(record: &[u8], clock: f64, name: impl FnOnce(u64) -> String) -> Option<Self> {
        if record.len() != RECORD {
            return None;
        }
        let long = |at| u64::from_ne_bytes(field(record, at));
        let word = |at| u32::from_ne_bytes(field(record, at));
        let port = |at| u16::from_ne_bytes(field(record, at));
        let family = word(20);
        Some(Self {
            time: long(0) as f64 / 1e9 + clock,
            netns: name(long(8)),
            cause: CAUSES.get(word(16) as usize)?,
            local: SocketAddr::new(address(family, field(record, 24)), port(56)),
            remote: SocketAddr::new(address(family, field(record, 40)), port(58)),
            cwnd_before: word(60),
            cwnd_after: word(64),
            srtt_us: word(68),
        })
    }
}

/// Unix time minus `CLOCK_MONOTONIC`, in seconds.
fn clock() -> Result<f64> {
    let monotonic = Duration::from(clock_gettime(ClockId::CLOCK_MONOTONIC)?).as_secs_f64();
    Ok(SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs_f64() - monotonic)
}

/// Names of namespaces by cookie; one that comes up later is looked up when its first event comes.
struct Names<'a, M> {
    settings: &'a M,
    known: HashMap<u64, String>,
}

impl<M: MapCore> Names<'_, M> {
    fn of(&mut self, cookie: u64) -> String {
        if let Some(name) = self.known.get(&cookie) {
            return name.clone();
        }
        match Settings::load(self.settings, cookie) {
            Ok(Some(settings)) => {
                self.known.insert(cookie, settings.netns.clone());
                settings.netns
            }
            _ => "other".into(),
        }
    }
}

fn print(event: &Event, json: bool) -> Result<()> {
    let mut out = std::io::stdout().lock();
    if json {
        writeln!(out, "{}", serde_json::to_string(event)?)?;
    } else {
        let Event {
            time,
            netns,
            local,
            remote,
            cause,
            cwnd_before,
            cwnd_after,
            ..
        } = event;
        writeln!(
            out,
            "{time:.6} {netns} {local} -> {remote} {cause} cwnd {cwnd_before} -> {cwnd_after}"
        )?;
    }
    Ok(out.flush()?)
}

/// Print events as they come; first those nobody has read yet. With a namespace, those of others are thrown away.
///
/// # Errors
/// Nothing is up, or not any more; somebody reads already; or the output is closed.
pub fn follow(pins: &Pins, netns: Option<&str>, json: bool, count: Option<u64>) -> Result<()> {
    let (map, settings) = (pins.map("events")?, pins.map("settings")?);
    // An event is read once, so two readers would each get some of them.
    let directory = File::open(&pins.0)?;
    let identity = directory.metadata()?.ino();
    let _reader = Flock::lock(directory, FlockArg::LockExclusiveNonblock)
        .map_err(|(_, error)| anyhow!(error).context("another `mecn-host events` reads them"))?;
    let wanted = netns.map(|_| Namespace::open(netns)).transpose()?;
    let clock = clock()?;
    let left = Cell::new(count.unwrap_or(u64::MAX));
    let failure = Cell::new(None);
    let mut names = Names {
        settings: &settings,
        known: HashMap::new(),
    };
    let mut builder = RingBufferBuilder::new();
    builder.add(&map, |record| {
        let mut cookie = 0;
        let name = |namespace| {
            cookie = namespace;
            names.of(namespace)
        };
        let Some(event) = Event::parse(record, clock, name) else {
            eprintln!("mecn-host: a record of {} bytes is no event", record.len());
            return 0;
        };
        if wanted
            .as_ref()
            .is_some_and(|wanted| wanted.cookie != cookie)
        {
            return 0;
        }
        left.set(left.get() - 1);
        match print(&event, json) {
            // An error ends the reading there and then; what comes later stays for the next reader.
            Ok(()) if left.get() == 0 => -libc::ECANCELED,
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
        if left.get() == 0 {
            break;
        }
        result.context("reading events")?;
        if fs::metadata(&pins.0).map_or(true, |now| now.ino() != identity) {
            ring.consume()?;
            bail!("it has been taken down: there will be no more events");
        }
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
        record.extend(7u64.to_ne_bytes());
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
        let event = Event::parse(&record, 1.0, |cookie| cookie.to_string()).unwrap();
        assert_eq!(event.time, 3.5);
        assert_eq!(event.netns, "7");
        assert_eq!(event.local, "192.0.2.1:5001".parse().unwrap());
        assert_eq!(event.remote, "192.0.2.2:80".parse().unwrap());
        assert_eq!(
            (event.cause, event.cwnd_before, event.cwnd_after),
            ("moderate", 100, 60)
        );
        assert_eq!(Event::parse(&record[1..], 0.0, |_| String::new()), None);
        record[16] = 99;
        assert_eq!(Event::parse(&record, 0.0, |_| String::new()), None);
    }
}
