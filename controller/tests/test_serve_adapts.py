# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""`mecn serve` with `adapt:` as a process, against a switch with packets in real time."""

from __future__ import annotations

import asyncio
import itertools
import json
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from mecn_controller import Ecn, names
from mecn_controller.runtime.readback import PortCounters, port_policies, read_counters
from mecn_controller.runtime.session import SwitchSession
from mecn_controller.theory.adaptation import PROBABILITY_STEP

if TYPE_CHECKING:
    from tests.traffic import Testbed

PORT = 2
BUSY, CALM = 22, 7
"""Packets that wait: above and below Adaptive RED's target, which is 14 to 18 packets here."""
RATE_PPS = 1000
START_P = 0.1
PATIENCE_S = 120
PROFILE = f"""
name: steered
scheme: ecn
min_th: 6
max_th: 26
max_p: {START_P}
weight: 0.05
report_period_ms: 20
"""
DEPLOYMENT = """
assignments:
  - {ports: [2], profile: profile.yaml, adapt: {rule: adaptive-red, interval_ms: 20}}
"""


def risen(max_p: float) -> float:
    """Adaptive RED above its target, within its bounds."""
    return min(0.5, max_p + min(0.01, max_p / 4))


def fallen(max_p: float) -> float:
    """The same below its target."""
    return max(0.01, 0.9 * max_p)


def check_steps(start: float, steps: list[float], law: Callable[[float], float]) -> None:
    """Each step is the law's, but for the first few: the average takes some reports to follow the queue."""
    pairs = list(itertools.pairwise([start, *steps]))
    first = next(n for n, (before, after) in enumerate(pairs) if (after > before) == (law(before) > before))
    assert first < 6
    for before, after in pairs[first:]:
        assert after == pytest.approx(law(before), abs=PROBABILITY_STEP)


class Served:
    """A running `mecn serve`, and what it logs."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        self.events: list[dict[str, Any]] = []
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.events.append(json.loads(line))

    def steps(self) -> list[float]:
        """max_p after each adaptation."""
        told = [event["detail"] for event in list(self.events) if event["event"] == "adapted"]
        return [float(detail.removeprefix(f"port {PORT}: max_p ")) for detail in told]

    def wait_for_steps(self, wanted: int) -> list[float]:
        deadline = time.monotonic() + PATIENCE_S
        while len(self.steps()) < wanted:
            assert self.process.poll() is None, self.events
            assert time.monotonic() < deadline, self.events
            time.sleep(0.02)
        return self.steps()

    def stop(self) -> int:
        self.process.send_signal(signal.SIGTERM)
        status = self.process.wait(PATIENCE_S)
        self._reader.join()
        return status


@contextmanager
def serving(folder: Path, address: str) -> Iterator[Served]:
    where = ("--address", address, "--drain", "0", "--no-history")
    command = [sys.executable, "-m", "mecn_controller", "serve", str(folder / "deployment.yaml"), *where]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        yield Served(process)
    finally:
        process.kill()
        process.wait()


def looked_at(testbed: Testbed) -> tuple[frozenset[str], float, PortCounters]:
    """The port's tables, the max_p in them, and its counters."""

    async def look() -> tuple[frozenset[str], float, PortCounters]:
        async with SwitchSession(testbed.address, election_id=None) as session:
            await session.use_pipeline()
            entries = await session.read(names.AQM_TABLES)
            (policy,) = port_policies(entries)
            (end,) = policy.ends(26)
            return frozenset(map(str, entries)), end, (await read_counters(session, [PORT]))[PORT]

    return asyncio.run(look())


def marks(testbed: Testbed, curve: Ecn, packets: int) -> tuple[float, int]:
    """Of the next packets: how many the curve would mark at the averages that the switch reports, and how
    many it has marked."""

    def probability(average: float) -> float:
        return (
            curve.max_p
            * (min(max(average, curve.min_th), curve.max_th) - curve.min_th)
            / (curve.max_th - curve.min_th)
        )

    async def run() -> tuple[float, int]:
        expected, marked, count, before = 0.0, 0, 0, None
        async with SwitchSession(testbed.address) as session, asyncio.timeout(PATIENCE_S):
            await session.use_pipeline()
            async for report in session.reports():
                if before is not None:
                    left = report.passed + report.ce
                    expected += left * (probability(before) + probability(report.average)) / 2
                    marked, count = marked + report.ce, count + left
                before = report.average
                if count >= packets:
                    break
        return expected, marked

    return asyncio.run(run())


def test_max_p_and_marks_follow_the_queue_and_a_stop_leaves_them(testbed: Testbed, tmp_path: Path) -> None:
    (tmp_path / "profile.yaml").write_text(PROFILE)
    (tmp_path / "deployment.yaml").write_text(DEPLOYMENT)
    with testbed.traffic({PORT: BUSY}, rate_pps=RATE_PPS, flows=3) as load:
        with serving(tmp_path, testbed.address) as serve:
            rising = serve.wait_for_steps(12)
            assert serve.stop() == 0
            rising = serve.steps()
        assert [event["event"] for event in serve.events][:2] == ["primary", "applied"]
        check_steps(START_P, rising, risen)
        tables, max_p, _ = looked_at(testbed)
        assert max_p == pytest.approx(rising[-1], abs=1e-6)

        # Nobody steers now, and the switch goes on with what it has: the share of marks is that of the
        # curve. Of 4000 packets about 500 are marked; by chance alone the share is beyond these bounds less
        # than once in 10^6 runs (five standard deviations).
        curve = Ecn(name="there", min_th=6, max_th=26, max_p=max_p)
        expected, marked = marks(testbed, curve, 4000)
        assert 0.75 * expected < marked < 1.25 * expected
        assert looked_at(testbed)[:2] == (tables, max_p)

        # The next one goes on from there, not from its file, and the other way when the queue is short.
        load.depths[PORT] = CALM
        with serving(tmp_path, testbed.address) as serve:
            falling = serve.wait_for_steps(12)
            assert serve.stop() == 0
            falling = serve.steps()
        assert "applied" not in {event["event"] for event in serve.events}
        check_steps(max_p, falling, fallen)
        assert looked_at(testbed)[1] == pytest.approx(falling[-1], abs=1e-6)
