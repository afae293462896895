# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""How long it takes to put 256 ports with 8 DSCP classes each under profiles, on the embedded switch over
loopback.

Reports; judges nothing. The switch's P4Runtime server is a process of its own, as it would be.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import time
from pathlib import Path
from typing import TYPE_CHECKING

from mecn_controller import Ecn
from mecn_controller.applying import Assignment
from mecn_controller.push import SwitchSession
from mecn_native import compile_p4
from mecn_switch import P4RuntimeServer

if TYPE_CHECKING:
    from multiprocessing.connection import Connection as Pipe

PROGRAM = Path(__file__).resolve().parents[2] / "p4src" / "mecn_v1model.p4"
PORTS, CLASSES = 256, 8
REPEATS = 2


def serve(pipe: Pipe) -> None:
    """A switch until told to stop."""
    with P4RuntimeServer(address="127.0.0.1:0") as server:
        pipe.send(server.address)
        while pipe.recv():
            pipe.send(time.process_time())


def wanted(max_p: float, profiles: int) -> list[Assignment]:
    """Every port and class; class c has the profile c modulo `profiles`."""
    made = [
        Ecn(name=f"class {c}", min_th=5, max_th=30, max_p=round(max_p + c / 100, 4)) for c in range(profiles)
    ]
    return [
        Assignment(made[c % profiles], port, (8 * c,)) for port in range(1, PORTS + 1) for c in range(CLASSES)
    ]


def processor_s(pipe: Pipe) -> tuple[float, float]:
    """Processor time of controller and switch so far."""
    pipe.send(True)
    switch: float = pipe.recv()
    return time.process_time(), switch


async def measure(address: str, pipe: Pipe) -> None:
    """Print the times."""
    compiled = compile_p4(str(PROGRAM))
    async with SwitchSession(address) as session:
        await session.set_pipeline(compiled.p4info, compiled.bmv2_json)
        for profiles in (1, CLASSES):
            for repeat in range(REPEATS):
                for what, max_p in (
                    ("applied", 0.1 + repeat / 10),
                    ("found in force", 0.1 + repeat / 10),
                ):
                    assignments = wanted(max_p, profiles)
                    before = processor_s(pipe)
                    begin = time.perf_counter()
                    done = await session.apply_profiles(assignments, drain_s=0)
                    took = time.perf_counter() - begin
                    ours, theirs = (b - a for a, b in zip(before, processor_s(pipe), strict=True))
                    changed = sum(each.changed for each in done)
                    print(
                        f"{PORTS} ports, {CLASSES} DSCP classes, {profiles} profiles: {what} in {took:.2f} s"
                        f" (processor: controller {ours:.2f} s, switch {theirs:.2f} s),"
                        f" {changed} of {len(done)} changed"
                    )


def main() -> None:
    """Run it against a switch in another process."""
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe()
    process = context.Process(target=serve, args=(there,), daemon=True)
    process.start()
    try:
        asyncio.run(measure(here.recv(), here))
    finally:
        here.send(False)
        process.join(10)


if __name__ == "__main__":
    main()
