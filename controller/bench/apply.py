# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""How long the controller takes, on the embedded switch and on BMv2 where p4lang's tools are installed.

* apply: 256 ports with 8 DSCP classes each, under one profile and under eight; and to find them in force;
* swap: one port from one profile to another, read back;
* takeover: from the SIGKILL of a primary, at a random write, until its backup has brought the declared state
  about again (`controller/tests/test_reconcile.py`).

Prints one table, and progress on stderr. It reports and judges nothing. The switches are processes of their
own, over loopback.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import re
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from mecn_controller import Ecn
from mecn_controller.runtime.session import SwitchSession
from mecn_controller.runtime.writer import Assignment
from mecn_controller.text_table import aligned
from mecn_native import compile_p4
from mecn_topo.lab import bmv2
from mecn_topo.lab.switch_process import Bmv2Process, EmbeddedProcess

if TYPE_CHECKING:
    from mecn_topo.lab.switch_process import SwitchProcess

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "p4src" / "mecn_v1model.p4"
PORTS, CLASSES = 256, 8
SWAPS = 50
TAKEOVER = re.compile(r"^(\w+), \d+ kills: takeover median ([\d.]+) s, longest ([\d.]+) s", re.MULTILINE)
Figures = dict[str, float]


def say(what: str) -> None:
    """Progress; the table alone goes to stdout."""
    print(what, file=sys.stderr, flush=True)


def wanted(max_p: float, profiles: int) -> list[Assignment]:
    """Every port and class; class c has the profile c modulo `profiles`."""
    made = [
        Ecn(name=f"class {c}", min_th=5, max_th=30, max_p=round(max_p + c / 100, 4)) for c in range(profiles)
    ]
    return [
        Assignment(made[c % profiles], port, (8 * c,)) for port in range(1, PORTS + 1) for c in range(CLASSES)
    ]


async def applied(session: SwitchSession) -> Figures:
    """Seconds for all ports."""
    figures = {}
    for profiles in (1, CLASSES):
        for what in ("applied", "found in force"):
            begin = time.perf_counter()
            done = await session.apply_profiles(wanted(profiles / 20, profiles), drain_s=0)
            took = time.perf_counter() - begin
            assert all(each.changed for each in done) == (what == "applied")
            figures[f"{PORTS * CLASSES} entries, {profiles} profiles: {what}, s"] = took
            if what == "applied" and profiles == 1:
                figures["entries applied per second"] = PORTS * CLASSES / took
    return figures


async def swapped(session: SwitchSession) -> Figures:
    """Milliseconds for one port; to be measured on a switch without other ports."""
    times = []
    for number in range(SWAPS):
        profile = Ecn(name="swap", min_th=5, max_th=30, max_p=(number + 1) / 100)
        begin = time.perf_counter()
        await session.apply_profile(profile, port=1, drain_s=0)
        times.append((time.perf_counter() - begin) * 1000)
    return {"swap of a port: median, ms": statistics.median(times), "longest, ms": max(times)}


async def measured(switch: SwitchProcess, p4info: str, bmv2_json: str) -> Figures:
    """What one switch takes."""
    async with SwitchSession(switch.address) as session:
        await session.set_pipeline(p4info, bmv2_json)
        figures = await swapped(session)
        await session.set_pipeline(p4info, bmv2_json, force=True)
        return await applied(session) | figures


def takeovers(kills: int) -> dict[str, Figures]:
    """Seconds until the declared state stands again, by switch."""
    test = "controller/tests/test_reconcile.py"
    command = [sys.executable, "-m", "pytest", "-q", "-s", "-p", "no:cacheprovider", test, "-k", "killed_at"]
    environment = {**os.environ, "MECN_KILLS": str(kills)}
    done = subprocess.run(  # noqa: S603
        command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True, check=False
    )
    if done.returncode != 0:
        raise SystemExit(f"bench-controller: the takeover failed:\n{done.stdout}")
    return {
        name: {f"takeover, {kills} kills: median, s": float(median), "longest, s": float(longest)}
        for name, median, longest in TAKEOVER.findall(done.stdout)
    }


def table(columns: dict[str, Figures]) -> str:
    """A row for each figure."""
    rows = dict.fromkeys(name for figures in columns.values() for name in figures)
    lines = [["", *columns]]
    lines += [[name, *(f"{figures[name]:.3g}" for figures in columns.values())] for name in rows]
    return "\n".join(aligned(lines))


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--kills", type=int, default=30, help="of the takeover; default: %(default)s")
    kills = parser.parse_args().kills
    compiled = compile_p4(SOURCE, [SOURCE.parent])
    say("embedded switch: applying")
    with EmbeddedProcess() as switch:
        columns = {"embedded": asyncio.run(measured(switch, compiled.p4info, compiled.bmv2_json))}
    if (missing := bmv2.missing()) is None:
        say("BMv2: applying")
        program = bmv2.compile_program(SOURCE)
        with Bmv2Process() as switch:
            columns["bmv2"] = asyncio.run(measured(switch, *program))
    else:
        say(f"not compared with BMv2: {missing}")
    if kills:
        say(f"takeovers: {kills} kills for each switch")
        for name, figures in takeovers(kills).items():
            columns[name] |= figures
    print(table(columns))


if __name__ == "__main__":
    main()
