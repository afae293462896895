// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! The counters, as text, JSON and for Prometheus.

use crate::settings::{NAME, Settings};
use crate::users::{self, User};
use anyhow::{Context, Result};
use libbpf_rs::{MapCore, MapFlags, MapHandle};
use serde::Serialize;
use std::fmt::{self, Write};
use std::path::Path;

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

/// What is up and what it has done.
#[derive(Debug, Serialize)]
pub struct Status {
    settings: Settings,
    counters: Vec<Counter>,
    sockets: Vec<User>,
}

impl Status {
    /// Read it from the pins.
    ///
    /// # Errors
    /// Nothing is up, or the kernel refuses.
    pub fn read(pins: &Path) -> Result<Self> {
        let settings = Settings::load(pins)?;
        let map = MapHandle::from_pinned_path(pins.join("counters"))?;
        let mut counters = Vec::with_capacity(COUNTERS.len());
        for (i, (metric, label, label_value)) in (0u32..).zip(COUNTERS) {
            let per_cpu = map
                .lookup_percpu(&i.to_ne_bytes(), MapFlags::ANY)?
                .with_context(|| format!("counter {i} is missing"))?;
            let value = per_cpu
                .iter()
                .map(|bytes| bytes.as_slice().try_into().map_or(0, u64::from_ne_bytes))
                .sum();
            counters.push(Counter {
                metric,
                label,
                label_value,
                value,
            });
        }
        Ok(Self {
            settings,
            counters,
            sockets: users::find(NAME)?,
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
            for counter in self
                .counters
                .iter()
                .filter(|counter| counter.metric == metric)
            {
                let labels = match counter.label {
                    "" => String::new(),
                    label => format!("{{{label}=\"{}\"}}", counter.label_value),
                };
                let _ = writeln!(text, "mecn_host_{metric}_total{labels} {}", counter.value);
            }
        }
        let _ = writeln!(
            text,
            "# HELP mecn_host_sockets Sockets that use the congestion control."
        );
        let _ = writeln!(
            text,
            "# TYPE mecn_host_sockets gauge\nmecn_host_sockets {}",
            self.sockets.len()
        );
        text
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let settings = &self.settings;
        writeln!(f, "interfaces  {}", settings.interfaces.join(" "))?;
        writeln!(f, "peers       {}", settings.peers.join(" "))?;
        writeln!(
            f,
            "betas       {:?}",
            settings.betas.map(|beta| f64::from(beta) / 1000.0)
        )?;
        writeln!(f, "cgroup      {}", settings.cgroup.display())?;
        writeln!(
            f,
            "default     {}",
            if settings.default.is_some() {
                "of this namespace"
            } else {
                "no"
            }
        )?;
        for counter in &self.counters {
            writeln!(
                f,
                "{:<16} {:<10} {}",
                counter.metric, counter.label_value, counter.value
            )?;
        }
        for socket in &self.sockets {
            writeln!(f, "socket {socket} cwnd {}", socket.cwnd)?;
        }
        Ok(())
    }
}
