# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""`mecn serve` with `adapt:` as a process, against the embedded switch with packets in real time."""

from __future__ import annotations

import asyncio
import json
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from mecn_controller import Ecn, names
from mecn_controller.adapt import PROBABILITY_STEP
from mecn_controller.push import SwitchSession
from mecn_controller.state import PortCounters, port_policies, read_counters
from mecn_switch import P4RuntimeServer

if TYPE_CHECKING:
    from tests import traffic
else:
    import mecn_controller_traffic as traffic

PORT = 2
BUSY, CALM = 22, 7
"""Packets that wait: above and below Adaptive RED's target, which is 14 to 18 packets here."""
START_P = 0.1
PATIENCE_S = 60
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


def looked_at(server: P4RuntimeServer) -> tuple[frozenset[str], float, PortCounters]:
    """The port's tables, the max_p in them, and its counters."""

    async def look() -> tuple[frozenset[str], float, PortCounters]:
        async with SwitchSession(server.address, election_id=None) as session:
            await session.use_pipeline()
            entries = await session.read(names.AQM_TABLES)
            (policy,) = port_policies(entries)
            (end,) = policy.ends(26)
            return frozenset(map(str, entries)), end, (await read_counters(session, [PORT]))[PORT]

    return asyncio.run(look())


def signal_share(server: P4RuntimeServer, packets: int) -> float:
    """Share of the next packets that got CE."""
    first = looked_at(server)[2]
    deadline = time.monotonic() + PATIENCE_S
    while True:
        last = looked_at(server)[2]
        marked = last.ce[0] - first.ce[0]
        count = marked + last.passed[0] - first.passed[0]
        if count >= packets:
            return marked / count
        assert time.monotonic() < deadline, "no packets leave"
        time.sleep(0.05)


@pytest.fixture
def server() -> Iterator[P4RuntimeServer]:
    server = traffic.new_server(traffic.program())
    yield server
    server.stop()


def test_max_p_and_marks_follow_the_queue_and_a_stop_leaves_them(
    server: P4RuntimeServer, tmp_path: Path
) -> None:
    (tmp_path / "profile.yaml").write_text(PROFILE)
    (tmp_path / "deployment.yaml").write_text(DEPLOYMENT)
    with traffic.Traffic(server, {PORT: BUSY}, rate_pps=2000, flows=3) as load:
        with serving(tmp_path, server.address) as serve:
            rising = serve.wait_for_steps(8)
            assert serve.stop() == 0
            rising = serve.steps()
        assert [event["event"] for event in serve.events][:2] == ["primary", "applied"]
        for before, after in zip([START_P, *rising], rising, strict=False):
            assert after == pytest.approx(risen(before), abs=PROBABILITY_STEP)
        tables, max_p, _ = looked_at(server)
        assert max_p == pytest.approx(rising[-1], abs=1e-6)

        # Nobody is in charge now, and the switch goes on with what it has: at a held queue the share of
        # marks is that of the curve. Packets leave BUSY - 1 behind them. By chance alone the share is
        # beyond these bounds less than once in 10^6 runs (six standard deviations).
        share = signal_share(server, 4000)
        curve = Ecn(name="there", min_th=6, max_th=26, max_p=max_p)
        expected = curve.max_p * (BUSY - 1 - curve.min_th) / (curve.max_th - curve.min_th)
        assert 0.75 * expected < share < 1.25 * expected
        assert looked_at(server)[:2] == (tables, max_p)

        # The next one goes on from there, not from its file, and the other way when the queue is short.
        load.depths[PORT] = CALM
        with serving(tmp_path, server.address) as serve:
            falling = serve.wait_for_steps(12)
            assert serve.stop() == 0
            falling = serve.steps()
        assert "applied" not in {event["event"] for event in serve.events}
        # The average takes a few reports to come down.
        first = next(n for n, (a, b) in enumerate(zip([max_p, *falling], falling, strict=False)) if b < a)
        assert first < 6
        for before, after in zip([max_p, *falling][first:], falling[first:], strict=False):
            assert after == pytest.approx(fallen(before), abs=PROBABILITY_STEP)
        assert looked_at(server)[1] == pytest.approx(falling[-1], abs=1e-6)
