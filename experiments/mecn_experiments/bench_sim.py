# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Times our network beside ns-2, whole processes on one scenario: ECN, 120 flows, max_p 0.5, 10 Mbps.

`python -m mecn_experiments.bench_sim BINARY` with the example `bottleneck` of the crate netsim. Prints times,
ratios, time and memory as the flows grow from 15 to 10,000, and, where `perf` is there, where our time goes.
It reports and judges nothing.
"""

from __future__ import annotations

import argparse
import json
import math
import re
import resource
import shutil
import subprocess
import sys
from collections import Counter
from typing import TYPE_CHECKING, TypeAlias

import mecn_native
from mecn_topo import address_plan

from .bench import Bench, Push
from .bottleneck import RECEIVER, ROUTER, Bottleneck, ns2_command, ns2_missing
from .program import BUILD, P4_PROGRAM, compile_program

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

Run: TypeAlias = tuple[str, int]
"""Whose run, and how many simulated seconds it has."""
SHORT, LONG, LONGER = 100, 1000, 2000
REPEATS = 3
SCALE_FLOWS = (15, 120, 1000, 10_000)
SCALE_FLOW_SECONDS = 100_000
"""Each run of the series has that many flow-seconds: at one rate per flow, about as many packets."""
PARTS = (
    ("P4 pipeline", r"p4_engine|jit|\[unknown\]|^((in|e)gress|(de)?parser)\s*$"),
    ("TCP", r"mecn_tcp|mecn_traffic"),
    ("events, links, measuring", r"netsim|alloc::collections|core::"),
    ("memory", r"malloc|free|memcpy|memmove|memset"),
)


def scenario(flows: int) -> Bottleneck:
    """The scenario with a number of flows; the rates of their lines add up to 600 Mbps."""
    return Bottleneck(
        name=f"ecn, {flows} flows",
        scheme="ecn",
        flows=flows,
        delays_ms=(145.0, 45.0, 5.0),
        access_total_bps=600_000_000,
        rate_bps=10_000_000,
        delay_ms=5.0,
        max_th=30,
        max_p=0.5,
        second_start_s=2.0,
        warmup_s=0,
    )


def _field(field: mecn_native.MatchField) -> list[str | int]:
    kinds = mecn_native.MatchField
    if isinstance(field, kinds.Exact):
        return ["exact", f"{field.value:x}"]
    if isinstance(field, kinds.Lpm):
        return ["lpm", f"{field.value:x}", field.prefix_len]
    if isinstance(field, kinds.Ternary):
        return ["ternary", f"{field.value:x}", f"{field.mask:x}"]
    if isinstance(field, kinds.Range):
        return ["range", f"{field.low:x}", f"{field.high:x}"]
    return ["any"]


def write_scenario(bench: Bottleneck, folder: Path) -> Path:
    """Lets the controller configure the router, and writes everything that the process needs."""
    folder.mkdir(parents=True, exist_ok=True)
    topology = bench.topology()
    plan = address_plan(topology)
    with Bench(compile_program(P4_PROGRAM)) as configured:
        push = Push(ROUTER, plan.port(ROUTER, 0), bench.profile())
        switch = configured.switches(plan.routes, [push])[ROUTER]
    entries = [
        {
            "table": table.name,
            "match": [_field(field) for field in entry.match],
            "priority": entry.priority,
            "action": entry.action.name,
            "params": [f"{value:x}" for value in entry.action.args],
        }
        for table in switch.tables()
        for entry in switch.entries(table.name)
        if not entry.is_const
    ]
    hosts = []
    for index, link in enumerate(topology.links):
        interface = plan.interfaces[link.other(ROUTER)]
        hosts.append(
            {
                "address": interface.address,
                "mac": interface.mac,
                "gateway_mac": interface.gateway_mac,
                "port": plan.port(ROUTER, index),
                "rate_bps": link.rate_bps,
                "delay_ns": round(link.delay_s * 1e9),
                "limit_packets": link.queue_limit,
            }
        )
    if topology.links[0].other(ROUTER) != RECEIVER:
        raise AssertionError("the receiver's line comes first")
    path = folder / f"bottleneck-{bench.flows}.json"
    document = {
        "program": str(BUILD / f"{P4_PROGRAM.stem}.json"),
        "entries": entries,
        "seed": 1,
        "hosts": hosts,
        "mss": bench.packet_bytes - 40,
        "window": bench.window,
    }
    path.write_text(json.dumps(document), encoding="utf-8")
    return path


def processor_time(command: list[str]) -> tuple[float, str]:
    """User and system time of a process, and its output: less noisy than a clock."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout  # noqa: S603
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, output


def in_turn(commands: Mapping[Run, list[str]], repeats: int = REPEATS) -> dict[Run, tuple[float, str]]:
    """The least processor time of each command, and its output.

    They take turns, so that what else the machine does meets all of them.
    """
    best: dict[Run, tuple[float, str]] = {}
    for _ in range(repeats):
        for run, command in commands.items():
            found = processor_time(command)
            best[run] = min(best.get(run, found), found, key=lambda one: one[0])
    return best


def values(output: str) -> dict[str, float]:
    """The lines `name value` of an output."""
    return {name: float(value) for name, value in (line.split() for line in output.splitlines())}


def scale(binary: str, path: str) -> list[str]:
    """Processor time and memory by the number of flows, each with the same share of the congested line."""
    lines, peaks = [], []
    for flows in SCALE_FLOWS:
        seconds = SCALE_FLOW_SECONDS // flows
        time, output = processor_time([binary, path, str(seconds), str(flows)])
        found = values(output)
        peaks.append(found.get("peak_memory_bytes", math.nan))
        lines.append(
            f"ours, {flows} flows, {seconds} s: {time:.3f} s of processor time,"
            f" {1e9 * time / found['events']:.0f} ns for each of {found['events']:.0f} events,"
            f" {1e9 * time / found['router_packets']:.0f} ns for each packet through the P4 program;"
            f" {peaks[-1] / 1e6:.1f} MB at most"
        )
    few, many = SCALE_FLOWS[-2:]
    lines.append(
        f"ours, memory from {few} to {many} flows: {(peaks[-1] - peaks[-2]) / (many - few):.0f} bytes"
        " per flow, both ends, packets and measurements included"
    )
    return lines


def ns2_run(bench: Bottleneck, seconds: int) -> list[str]:
    """The command that runs ns-2, without its queue monitor."""
    command = ns2_command(bench, 1, monitor=False)
    command[command.index("until") + 1] = str(seconds)
    return command


def where_time_goes(command: list[str], folder: Path) -> str:
    """Shares of our processor time by part, from `perf`."""
    if shutil.which("perf") is None:
        return "where the time goes: `perf` is not installed"
    data = folder / "perf.data"
    perf = shutil.which("perf") or "perf"
    sampled = [perf, "record", "-q", "-o", str(data), *command]
    record = subprocess.run(sampled, capture_output=True, text=True, check=False)  # noqa: S603
    report = subprocess.run(  # noqa: S603
        [perf, "report", "-q", "-i", str(data), "--no-children", "--stdio", "-F", "overhead,symbol"],
        capture_output=True,
        text=True,
        check=False,
    )
    if record.returncode or report.returncode:
        return f"where the time goes: perf cannot run here ({record.stderr.strip()[:80]})"
    shares: Counter[str] = Counter()
    for line in report.stdout.splitlines():
        if found := re.match(r"\s*([\d.]+)%\s+\[.\]\s+(.*)", line):
            part = next((name for name, pattern in PARTS if re.search(pattern, found[2])), "other")
            shares[part] += round(100 * float(found[1]))
    return "where the time goes: " + ", ".join(f"{part} {n / 100:.0f} %" for part, n in shares.most_common())


def main() -> int:
    """Times both sides and prints."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("binary", help="the built example `bottleneck` of netsim")
    arguments = parser.parse_args()
    folder = BUILD / "bench-sim"
    bench = scenario(120)
    path = str(write_scenario(bench, folder))
    missing = ns2_missing()
    commands: dict[Run, list[str]] = {}
    for seconds in (SHORT, LONG, LONGER):
        commands["ours", seconds] = [arguments.binary, path, str(seconds)]
        if missing is None:
            commands["ns-2", seconds] = ns2_run(bench, seconds)
    best = in_turn(commands)
    for seconds in (SHORT, LONG, LONGER):
        time, output = best["ours", seconds]
        found = values(output)
        print(
            f"ours, {seconds} s: {time:.3f} s of processor time; load {found['load_s']:.3f},"
            f" build {found['build_s']:.3f}, run {found['run_s']:.3f} s;"
            f" {found['bottleneck_packets']:.0f} packets at the bottleneck,"
            f" {found['router_packets']:.0f} through the P4 program"
        )
    per_second = bench.rate_bps / 8 / bench.packet_bytes * (LONGER - LONG)
    margin = best["ours", LONGER][0] - best["ours", LONG][0]
    print(f"ours, margin: {margin:.3f} s for {LONGER - LONG} s, {per_second / margin / 1e6:.2f} M packets/s")
    print("\n".join(scale(arguments.binary, path)))
    print(where_time_goes([arguments.binary, path, str(LONG)], folder))
    if missing is not None:
        print(f"no comparison: {missing}", file=sys.stderr)
    else:
        theirs = best["ns-2", SHORT][0]
        their_margin = best["ns-2", LONGER][0] - best["ns-2", LONG][0]
        whole = theirs / best["ours", SHORT][0]
        print(f"ns-2, {SHORT} s: {theirs:.3f} s of processor time")
        print(f"ns-2, margin: {their_margin:.3f} s, {per_second / their_margin / 1e6:.2f} M packets/s")
        print(f"ns-2 / ours: {SHORT} s {whole:.2f}, margin {their_margin / margin:.2f}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
