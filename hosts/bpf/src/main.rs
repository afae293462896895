// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! `mecn-host`: multi-level ECN for the kernel of this machine.

mod events;
mod instance;
mod machine;
mod netns;
mod prefix;
mod probe;
mod settings;
mod skeleton;
mod statistics;
mod users;

use crate::machine::Pins;
use crate::netns::Namespace;
use clap::{Args, Parser, Subcommand};
use std::path::PathBuf;
use std::process::ExitCode;

#[derive(Parser)]
#[command(
    name = "mecn-host",
    version,
    about = "Multi-level ECN for the kernel of this machine"
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
    /// Directory in a BPF file system that holds the pins
    #[arg(long, global = true, default_value = "/sys/fs/bpf/mecn")]
    pins: PathBuf,
    /// Network namespace: a name of `ip netns`, or a path such as /proc/PID/ns/net. Without it `up`, `down` and
    /// `probe` work on the one they are called in; `status` and `events` show all
    #[arg(long, global = true, value_name = "NAME")]
    netns: Option<String>,
}

#[derive(Subcommand)]
enum Command {
    /// Say what of the kernel's features is there and what is missing; exit status 2 if `up` cannot work
    Probe {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Make multi-level ECN work in one network namespace: load what is not loaded yet, attach, pin
    Up(UpArguments),
    /// Undo `up` in one network namespace and name the sockets that still use it; the last one removes everything
    Down {
        /// In all network namespaces
        #[arg(long, conflicts_with = "netns")]
        all: bool,
    },
    /// Show what is attached, and the statistics
    Status {
        /// Print JSON
        #[arg(long, conflicts_with = "prometheus")]
        json: bool,
        /// Print Prometheus' text format
        #[arg(long)]
        prometheus: bool,
    },
    /// Print each reduction as it happens: time, flow, cause, cwnd before and after
    Events {
        /// Print one JSON object a line
        #[arg(long)]
        json: bool,
        /// End after so many events
        #[arg(long)]
        count: Option<u64>,
    },
}

/// Options of `mecn-host up`.
#[derive(Args, Clone)]
pub struct UpArguments {
    /// Interface on which levels are echoed (repeat for several)
    #[arg(long = "interface", short = 'i', required = true)]
    interfaces: Vec<String>,
    /// Prefix of the peers that know multi-level ECN (repeat for several)
    #[arg(long = "peer", short = 'p', required = true)]
    peers: Vec<prefix::Prefix>,
    /// Incipient congestion reduces cwnd by cwnd/beta1
    #[arg(long, default_value = "5", value_parser = settings::parse_beta)]
    beta1: u32,
    /// Moderate congestion reduces cwnd by cwnd/beta2
    #[arg(long, default_value = "2.5", value_parser = settings::parse_beta)]
    beta2: u32,
    /// Loss, and ECE of other peers, reduces cwnd by cwnd/beta3
    #[arg(long, default_value = "2", value_parser = settings::parse_beta)]
    beta3: u32,
    /// Make it the default of the network namespace, and ask for ECN on outgoing connections
    #[arg(long)]
    default: bool,
    /// cgroup2 whose processes' sockets may use it; by default the root of the hierarchy. One for the machine
    #[arg(long)]
    cgroup: Option<PathBuf>,
    /// Count marked segments on ingress even if the kernel does
    #[arg(long)]
    count_on_ingress: bool,
}

fn run(cli: Cli) -> anyhow::Result<ExitCode> {
    netns::leave_private_mounts()?;
    let (pins, netns) = (Pins(cli.pins), cli.netns.as_deref());
    match cli.command {
        Command::Probe { json } => {
            let report = Namespace::open(netns)?.inside(probe::probe)?;
            if json {
                println!("{}", serde_json::to_string_pretty(&report)?);
            } else {
                print!("{report}");
            }
            return Ok(if report.usable() {
                ExitCode::SUCCESS
            } else {
                ExitCode::from(2)
            });
        }
        Command::Up(arguments) => instance::up(&pins, netns, &arguments)?,
        Command::Down { all } => instance::down(&pins, netns, all)?,
        Command::Status { json, prometheus } => {
            let status = statistics::Status::read(&pins, netns)?;
            if json {
                println!("{}", serde_json::to_string_pretty(&status)?);
            } else if prometheus {
                print!("{}", status.prometheus());
            } else {
                print!("{status}");
            }
        }
        Command::Events { json, count } => events::follow(&pins, netns, json, count)?,
    }
    Ok(ExitCode::SUCCESS)
}

fn main() -> ExitCode {
    run(Cli::parse()).unwrap_or_else(|error| {
        eprintln!("mecn-host: {error:#}");
        ExitCode::FAILURE
    })
}
