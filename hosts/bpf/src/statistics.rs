// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! The counters, as text, JSON and for Prometheus.

use crate::instance::interfaces_gone;
use crate::machine::{OTHERS, Pins};
use crate::netns::Namespace;
use crate::settings::{Attachment, Machine, NAME, Registration, Settings};
use crate::users::{self, User};
use anyhow::{Context, Result, bail};
use libbpf_rs::{MapCore, MapFlags};
use serde::Serialize;
use std::fmt::{self, Write};

/// Metric, its label and its value for each counter, in the order of `enum counter` in `mecn.bpf.c`.
const COUNTERS: [(&str, &str, &str); 14] = [
    ("reductions", "cause", "incipient"),
    ("reductions", "cause", "moderate"),
    ("reductions", "cause", "classic"),
    ("reductions", "cause", "loss"),
    ("reductions", "cause", "timeout"),
    ("reductions", "cause", "local"),
    ("acks_heard", "level", "incipient"),
    ("acks_heard", "level", "moderate"),
    ("acks_heard", "level", "classic"),
    ("segments_echoed", "level", "none"),
    ("segments_echoed", "level", "incipient"),
    ("segments_echoed", "level", "moderate"),
    ("echo_failures", "", ""),
    ("events_lost", "", ""),
];

/// Explanation of each metric.
const HELP: [(&str, &str); 5] = [
    ("reductions", "Reductions of a congestion window."),
    (
        "acks_heard",
        "Acknowledgements that carried a congestion level.",
    ),
    (
        "segments_echoed",
        "Segments sent to peers in the prefixes, by the level they echo.",
    ),
    (
        "echo_failures",
        "Segments whose header could not be rewritten.",
    ),
    ("events_lost", "Events nobody read in time."),
];

/// A counter's value.
#[derive(Debug, Serialize)]
pub struct Counter {
    metric: &'static str,
    #[serde(skip_serializing_if = "str::is_empty")]
    label: &'static str,
    #[serde(skip_serializing_if = "str::is_empty")]
    label_value: &'static str,
    value: u64,
}

/// What is up in one network namespace and what it has done.
#[derive(Debug, Serialize)]
pub struct Instance {
    /// Its name; `other` stands for all namespaces in which it is not up.
    netns: String,
    settings: Option<Settings>,
    /// Interfaces that have gone since `up`.
    interfaces_gone: Vec<String>,
    counters: Vec<Counter>,
    sockets: Vec<User>,
}

/// What is up on this machine and what it has done.
#[derive(Debug, Serialize)]
pub struct Status {
    #[serde(flatten)]
    machine: Machine,
    namespaces: Vec<Instance>,
}

fn counters(map: &impl MapCore, cookie: u64) -> Result<Vec<Counter>> {
    let per_cpu = map
        .lookup_percpu(&cookie.to_ne_bytes(), MapFlags::ANY)?
        .context("the counters are missing")?;
    let sum = |at: usize| -> u64 {
        let bytes = |values: &Vec<u8>| values.get(at * 8..at * 8 + 8)?.try_into().ok();
        let values = per_cpu.iter().filter_map(bytes);
        values.map(u64::from_ne_bytes).sum()
    };
    let counter = |(at, &(metric, label, label_value))| Counter {
        metric,
        label,
        label_value,
        value: sum(at),
    };
    Ok(COUNTERS.iter().enumerate().map(counter).collect())
}

impl Status {
    /// Read it from the pins, for one network namespace or all.
    ///
    /// # Errors
    /// Nothing is up, or the kernel refuses.
    pub fn read(pins: &Pins, netns: Option<&str>) -> Result<Self> {
        let map = pins.map("settings")?;
        let counted = pins.map("counters")?;
        let mut up: Vec<_> = Settings::all(&map)?
            .into_iter()
            .map(|(cookie, settings)| (cookie, Some(settings)))
            .collect();
        if let Some(name) = netns {
            let wanted = Namespace::open(netns)?.cookie;
            up.retain(|&(cookie, _)| cookie == wanted);
            if up.is_empty() {
                bail!("it is not up in network namespace {name}");
            }
        } else {
            up.push((OTHERS, None));
        }
        let (mut users, mut namespaces) = (users::find(NAME)?, Vec::with_capacity(up.len()));
        for (cookie, settings) in up {
            let mine = |user: &mut User| cookie == OTHERS || user.namespace == cookie;
            namespaces.push(Instance {
                netns: settings.as_ref().map_or("other", |s| &s.netns).to_owned(),
                interfaces_gone: settings
                    .as_ref()
                    .map(|settings| interfaces_gone(pins, cookie, settings))
                    .unwrap_or_default(),
                settings,
                counters: counters(&counted, cookie)?,
                sockets: users.extract_if(.., mine).collect(),
            });
        }
        Ok(Self {
            machine: Machine::load(&map)?,
            namespaces,
        })
    }

    /// Prometheus' text exposition format.
    pub fn prometheus(&self) -> String {
        let mut text = String::new();
        for (metric, help) in HELP {
            let _ = writeln!(
                text,
                "# HELP mecn_host_{metric}_total {help}\n# TYPE mecn_host_{metric}_total counter"
            );
            for instance in &self.namespaces {
                let netns = escaped(&instance.netns);
                let matching = instance.counters.iter().filter(|c| c.metric == metric);
                for counter in matching {
                    let more = match counter.label {
                        "" => String::new(),
                        label => format!(",{label}=\"{}\"", counter.label_value),
                    };
                    let value = counter.value;
                    let _ = writeln!(
                        text,
                        "mecn_host_{metric}_total{{netns=\"{netns}\"{more}}} {value}"
                    );
                }
            }
        }
        text += "# HELP mecn_host_sockets Sockets that use the congestion control.\n";
        text += "# TYPE mecn_host_sockets gauge\n";
        for instance in &self.namespaces {
            let (netns, sockets) = (escaped(&instance.netns), instance.sockets.len());
            let _ = writeln!(text, "mecn_host_sockets{{netns=\"{netns}\"}} {sockets}");
        }
        text
    }
}

/// By what the echo is attached, and whose counters it reads.
fn echo(settings: &Settings) -> String {
    let attached = match settings.attachment {
        Attachment::Tcx => "tcx",
        Attachment::Clsact => "clsact",
    };
    let counted = if settings.count_on_ingress {
        "marks counted on ingress"
    } else {
        "marks counted by the kernel"
    };
    format!("{attached}, {counted}")
}

/// A label's value as the exposition format wants it.
fn escaped(value: &str) -> String {
    value
        .replace('\\', "\\\\")
        .replace('"', "\\\"")
        .replace('\n', "\\n")
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "mecn-host   {}", self.machine.version)?;
        writeln!(f, "cgroup      {}", self.machine.cgroup.display())?;
        if self.machine.registration == Registration::Map {
            writeln!(f, "registered  without a link (needs Linux 6.4)")?;
        }
        for instance in &self.namespaces {
            writeln!(f, "\nnetns       {}", instance.netns)?;
            if let Some(settings) = &instance.settings {
                let peers: Vec<_> = settings.peers.iter().map(ToString::to_string).collect();
                let betas = settings.betas.map(|beta| f64::from(beta) / 1000.0);
                writeln!(f, "interfaces  {}", settings.interfaces.join(" "))?;
                writeln!(f, "peers       {}", peers.join(" "))?;
                writeln!(f, "betas       {} {} {}", betas[0], betas[1], betas[2])?;
                writeln!(f, "echo        {}", echo(settings))?;
                let default = if settings.wants_default { "yes" } else { "no" };
                writeln!(f, "default     {default}")?;
                if !settings.complete {
                    writeln!(f, "unfinished  `up` or `down` has not come to its end")?;
                }
            }
            for name in &instance.interfaces_gone {
                writeln!(f, "gone        interface {name}: `down`, then `up` again")?;
            }
            for counter in &instance.counters {
                writeln!(
                    f,
                    "{:<16} {:<10} {}",
                    counter.metric, counter.label_value, counter.value
                )?;
            }
            for socket in &instance.sockets {
                writeln!(f, "socket {socket} cwnd {}", socket.cwnd)?;
            }
        }
        Ok(())
    }
}
