// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! `mecn-host`: multi-level ECN for the kernel of this machine.

mod events;
mod instance;
mod prefix;
mod probe;
mod settings;
mod skeleton;
mod statistics;
mod users;

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
}

#[derive(Subcommand)]
enum Command {
    /// Say what of the kernel's features is there and what is missing; exit status 2 if `up` cannot work
    Probe {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Load the programs, attach them and pin them
    Up(UpArguments),
    /// Remove everything and name the sockets that still use it
    Down {
        /// Go on although the namespace whose default was changed is another one
        #[arg(long)]
        force: bool,
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
    /// Make it the default of this network namespace, and ask for ECN on outgoing connections
    #[arg(long)]
    default: bool,
    /// cgroup2 whose processes' sockets may use it; by default the root of the hierarchy
    #[arg(long)]
    cgroup: Option<PathBuf>,
    /// Count marked segments on ingress even if the kernel does
    #[arg(long)]
    count_on_ingress: bool,
}

fn run(cli: Cli) -> anyhow::Result<ExitCode> {
    match cli.command {
        Command::Probe { json } => {
            let report = probe::probe();
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
        Command::Up(arguments) => instance::up(&cli.pins, &arguments)?,
        Command::Down { force } => instance::down(&cli.pins, force)?,
        Command::Status { json, prometheus } => {
            let status = statistics::Status::read(&cli.pins)?;
            if json {
                println!("{}", serde_json::to_string_pretty(&status)?);
            } else if prometheus {
                print!("{}", status.prometheus());
            } else {
                print!("{status}");
            }
        }
        Command::Events { json, count } => events::follow(&cli.pins, json, count)?,
    }
    Ok(ExitCode::SUCCESS)
}

fn main() -> ExitCode {
    run(Cli::parse()).unwrap_or_else(|error| {
        eprintln!("mecn-host: {error:#}");
        ExitCode::FAILURE
    })
}
