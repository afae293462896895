// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! One congested router in a process of its own, to be timed: `bottleneck SCENARIO.json SECONDS [FLOWS]`.
//!
//! With FLOWS, that many flows go round the scenario's senders, and the congested line's rate grows or shrinks with them, so that each
//! has the same share of it; the senders' lines grow with the flows on them.
//!
//! The scenario holds the compiled P4 program's path, the router's table entries as the controller wrote them, the lines
//! and the hosts' settings; `make bench-sim` writes it. The process does what a user's would: it loads the program, fills
//! the tables, builds the network, runs it and prints results, with the time of each part.

use std::error::Error;
use std::net::Ipv4Addr;
use std::sync::Arc;
use std::time::Instant;

use netsim::mecn_tcp::{
    Config, CongestionAvoidance, EcnMode, InitialWindow, MILLISECOND, RtoConfig, SECOND,
};
use netsim::{
    FlowSpec, Interface, Line, LinkEnd, LinkSpec, MacAddr, Network, RunOptions, WatchSpec,
};
use p4_engine::{ActionCall, MatchField, Program, Switch, SwitchConfig, TableEntry, Value};
use serde_json::Value as Json;

type Failure = Box<dyn Error>;

fn main() -> Result<(), Failure> {
    let begin = Instant::now();
    let mut arguments = std::env::args().skip(1);
    let path = arguments
        .next()
        .ok_or("usage: bottleneck SCENARIO.json SECONDS")?;
    let seconds: u64 = arguments.next().ok_or("SECONDS is missing")?.parse()?;
    let scenario: Json = serde_json::from_slice(&std::fs::read(path)?)?;
    let senders = list(&scenario["hosts"])?.len().saturating_sub(1).max(1);
    let flows: usize = arguments
        .next()
        .map_or(Ok(senders), |flows| flows.parse())?;

    let json = std::fs::read(text(&scenario["program"])?)?;
    let program = Program::from_bmv2_json(&json)?;
    let mut switch = Switch::new(Arc::new(program), SwitchConfig::default());
    for entry in list(&scenario["entries"])? {
        insert(&mut switch, entry)?;
    }
    let loaded = Instant::now();

    let mut network = Network::new(number(&scenario["seed"])?);
    let router = network.add_switch("R", switch)?;
    let mut hosts = Vec::new();
    for (index, host) in list(&scenario["hosts"])?.iter().enumerate() {
        let interface = Interface {
            address: text(&host["address"])?.parse::<Ipv4Addr>()?,
            mac: mac(text(&host["mac"])?)?,
            gateway_mac: mac(text(&host["gateway_mac"])?)?,
        };
        let id = network.add_host(&format!("H{index}"), interface)?;
        let rate = number(&host["rate_bps"])?;
        // The first host is the receiver, behind the congested line.
        let carried = if index == 0 {
            flows
        } else {
            flows.max(senders)
        };
        let line = Line {
            rate_bps: rate * carried as u64 / senders as u64,
            delay_ns: number(&host["delay_ns"])?,
        };
        let port = u16::try_from(number(&host["port"])?)?;
        let limit = u32::try_from(number(&host["limit_packets"])?)?;
        network.link(LinkSpec {
            ends: [
                LinkEnd::host(id),
                LinkEnd::switch(router, port).with_limit(Some(limit)),
            ],
            forth: line,
            back: line,
            overhead_bytes: -14,
        })?;
        hosts.push((id, port));
    }
    let [(receiver, bottleneck), senders @ ..] = hosts.as_slice() else {
        return Err("the scenario has no hosts".into());
    };
    let mss = u16::try_from(number(&scenario["mss"])?)?;
    let window = u32::try_from(number(&scenario["window"])?)?;
    let config = Config {
        mss,
        ecn: EcnMode::Classic,
        initial_window: InitialWindow::Segments(2),
        initial_ssthresh: Some(window * u32::from(mss)),
        congestion_avoidance: CongestionAvoidance::PerAck,
        hold_below_one_segment: true,
        rto: RtoConfig {
            granularity: 100 * MILLISECOND,
            ..RtoConfig::default()
        },
        ..Config::default()
    }
    .with_window_segments(window);
    for (index, (sender, _)) in senders.iter().cycle().take(flows).enumerate() {
        let second = index >= flows / 2;
        network.add_flow(FlowSpec {
            start_ns: if second { 2 * SECOND } else { 0 },
            start_jitter_ns: SECOND / 2,
            tcp: config,
            ..FlowSpec::new(*sender, *receiver)
        })?;
    }
    network.watch_port(WatchSpec {
        trace: false,
        ..WatchSpec::new(router, *bottleneck)
    })?;
    let built = Instant::now();
    let result = network.run(RunOptions {
        until_ns: seconds * SECOND,
        warmup_ns: 0,
        seed: None,
    })?;
    let ran = built.elapsed();
    let port = &result.ports[0];
    println!("load_s {:.6}", (loaded - begin).as_secs_f64());
    println!("build_s {:.6}", (built - loaded).as_secs_f64());
    println!("run_s {:.6}", ran.as_secs_f64());
    println!("events {}", result.events);
    println!("bottleneck_packets {}", port.counts.sent_packets);
    println!("router_packets {}", result.switches[0].counts.received);
    println!("queue_mean {:.3}", port.depth.mean);
    println!("marks {}", port.counts.marked_ce);
    if let Some(peak) = peak_memory() {
        println!("peak_memory_bytes {peak}");
    }
    Ok(())
}

/// The most memory that the process had, bytes; Linux says it.
fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024)
}

fn insert(switch: &mut Switch, entry: &Json) -> Result<(), Failure> {
    let name = text(&entry["table"])?;
    let table = switch
        .program()
        .table(name)
        .ok_or_else(|| format!("no table {name}"))?;
    let action = text(&entry["action"])?;
    let action = switch
        .program()
        .table_action(table, action)
        .ok_or_else(|| format!("table {name} has no action {action}"))?;
    let params = list(&entry["params"])?.iter().map(value);
    let key = list(&entry["match"])?.iter().map(field);
    let entry = TableEntry {
        key: key.collect::<Result<_, _>>()?,
        priority: i32::try_from(number(&entry["priority"])?)?,
        action: ActionCall {
            action,
            params: params.collect::<Result<_, _>>()?,
        }
        .into(),
    };
    switch.table_insert(table, entry)?;
    Ok(())
}

/// `["exact", v]`, `["lpm", v, length]`, `["ternary", v, mask]`, `["range", low, high]`, `["any"]`.
fn field(json: &Json) -> Result<MatchField, Failure> {
    Ok(match text(&json[0])? {
        "exact" => MatchField::Exact(value(&json[1])?),
        "lpm" => MatchField::Lpm {
            value: value(&json[1])?,
            prefix_len: u32::try_from(number(&json[2])?)?,
        },
        "ternary" => MatchField::Ternary {
            value: value(&json[1])?,
            mask: value(&json[2])?,
        },
        "range" => MatchField::Range {
            low: value(&json[1])?,
            high: value(&json[2])?,
        },
        "any" => MatchField::Any,
        other => return Err(format!("unknown match kind {other}").into()),
    })
}

/// A value of up to 128 bits, in hexadecimal.
fn value(json: &Json) -> Result<Value, Failure> {
    let number = u128::from_str_radix(text(json)?, 16)?;
    Ok(Value::from_be_bytes(&number.to_be_bytes()))
}

fn mac(text: &str) -> Result<MacAddr, Failure> {
    let octets = text.split(':').map(|octet| u8::from_str_radix(octet, 16));
    let octets: Vec<u8> = octets.collect::<Result<_, _>>()?;
    Ok(MacAddr::try_from(octets.as_slice())?)
}

fn list(json: &Json) -> Result<&Vec<Json>, Failure> {
    json.as_array()
        .ok_or_else(|| format!("not a list: {json}").into())
}

fn text(json: &Json) -> Result<&str, Failure> {
    json.as_str()
        .ok_or_else(|| format!("not a text: {json}").into())
}

fn number(json: &Json) -> Result<u64, Failure> {
    json.as_u64()
        .ok_or_else(|| format!("not a whole number: {json}").into())
}
