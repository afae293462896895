// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! `mecn-host`: multi-level ECN for the kernel of this machine.

mod clsact;
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
use clap::{Args, CommandFactory, Parser, Subcommand};
use clap_complete::Shell;
use std::path::PathBuf;
use std::process::ExitCode;

#[derive(Parser)]
#[command(
    name = "mecn-host",
    version,
    about = "Multi-level ECN for the kernel of this machine",
    after_help = "Examples: mecn-host help up, and docs/hosts.md",
    max_term_width = 100
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
    #[command(after_long_help = UP_EXAMPLES)]
    Up(UpArguments),
    /// Undo `up` in one network namespace and name the sockets that still use it; the last one removes everything
    #[command(after_long_help = DOWN_EXAMPLES)]
    Down {
        /// In all network namespaces
        #[arg(long, conflicts_with = "netns")]
        all: bool,
    },
    /// Show what is attached, and the statistics
    #[command(after_long_help = STATUS_EXAMPLES)]
    Status {
        /// Print JSON
        #[arg(long, conflicts_with = "prometheus")]
        json: bool,
        /// Print Prometheus' text format
        #[arg(long)]
        prometheus: bool,
    },
    /// Print each reduction as it happens: time, namespace, flow, cause, cwnd before and after
    #[command(after_long_help = EVENTS_EXAMPLES)]
    Events {
        /// Print one JSON object a line
        #[arg(long)]
        json: bool,
        /// End after so many events
        #[arg(long)]
        count: Option<u64>,
    },
    /// Print completions for a shell
    #[command(after_long_help = COMPLETIONS_EXAMPLES)]
    Completions {
        /// The shell
        shell: Shell,
    },
}

const UP_EXAMPLES: &str = "\
Examples:
  Hosts in 192.0.2.0/24 and 2001:db8::/32, reached through eth0, know multi-level ECN:
      mecn-host up -i eth0 -p 192.0.2.0/24 -p 2001:db8::/32
  Then choose it for a route, with ECN:
      ip route change 192.0.2.0/24 dev eth0 congctl mecn features ecn
  Or for every connection of a network namespace:
      mecn-host up --netns h1 -i h1-eth0 -p 10.0.0.0/8 --default
  Reduce by a quarter at incipient congestion, by half at moderate:
      mecn-host up -i eth0 -p 192.0.2.0/24 --beta1 4 --beta2 2
  Only for the processes of one service:
      mecn-host up -i eth0 -p 192.0.2.0/24 --cgroup /sys/fs/cgroup/system.slice/nginx.service

Files:
  /sys/fs/bpf/mecn    programs, maps and links; they stay when mecn-host ends, until `down`

Exit status: 0, or 1 with the reason; then nothing has changed. 2 if the command line is wrong.";

const DOWN_EXAMPLES: &str = "\
Examples:
  mecn-host down              this network namespace
  mecn-host down --netns h1   that one
  mecn-host down --all        all, and whatever runs that were killed have left

Connections go on: they keep the congestion control until they close, and reduce as for loss.";

const STATUS_EXAMPLES: &str = "\
Examples:
  mecn-host status --netns h1
  mecn-host status --json | jq '.namespaces[] | {netns, sockets}'
  mecn-host status --prometheus > /var/lib/node_exporter/mecn.prom.$$ &&
      mv /var/lib/node_exporter/mecn.prom.$$ /var/lib/node_exporter/mecn.prom";

const EVENTS_EXAMPLES: &str = "\
Examples:
  mecn-host events
  mecn-host events --json | jq 'select(.cause == \"moderate\")'
  mecn-host events --count 10

An event is read once, so there is one reader at a time. What nobody reads in time is counted in events_lost.
Causes: incipient, moderate, loss (fast recovery), timeout, classic (ECE from outside the prefixes), local.";

const COMPLETIONS_EXAMPLES: &str = "\
Examples:
  mecn-host completions bash > /etc/bash_completion.d/mecn-host
  mecn-host completions fish > ~/.config/fish/completions/mecn-host.fish";

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
    /// Do without BPF links, as before Linux 6.6: attach to clsact, not tcx, and register without a link
    #[arg(long)]
    without_links: bool,
}

fn run(cli: Cli) -> anyhow::Result<ExitCode> {
    if !matches!(cli.command, Command::Completions { .. }) {
        netns::leave_private_mounts()?;
    }
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
        Command::Completions { shell } => {
            let name = env!("CARGO_PKG_NAME");
            clap_complete::generate(shell, &mut Cli::command(), name, &mut std::io::stdout());
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// End quietly when whoever reads the output does, as `status | head -1` has it. Rust ignores SIGPIPE, and then
/// printing panics.
fn die_of_closed_pipes() {
    // SAFETY: the default action is no handler, and no other thread runs yet.
    unsafe { libc::signal(libc::SIGPIPE, libc::SIG_DFL) };
}

fn main() -> ExitCode {
    die_of_closed_pipes();
    run(Cli::parse()).unwrap_or_else(|error| {
        eprintln!("mecn-host: {error:#}");
        ExitCode::FAILURE
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }
}
