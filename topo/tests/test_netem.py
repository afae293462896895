# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""The netem commands of a lab with BMv2, on a kernel that has netem: what tc reads, and what packets meet.

Without netem or root these are skipped; `make host-kernels` runs them in a virtual machine.
"""

from __future__ import annotations

import json
import os
import socket
import time
from collections.abc import Iterator

import pytest
from mecn_topo.lab import kernel, netem
from mecn_topo.lab.links import Direction

HERE, THERE = f"mecnn{os.getpid() % 100000}a", f"mecnn{os.getpid() % 100000}b"
COMMANDS = kernel.RealCommands()


def rule(rate_bps: int | None, delay_ns: int) -> list[str]:
    """The command for one direction of a link."""
    return netem.rule("eth0", Direction(0, "S", None, rate_bps, delay_ns, None))


def inside(name: str, *command: str) -> str:
    """Output of a command in one of the namespaces."""
    return COMMANDS.run(["ip", "netns", "exec", name, *command])


def shape(name: str, rule: list[str]) -> dict[str, object]:
    """Carry a rule out, and what tc then shows of it."""
    inside(name, *rule)
    (qdisc,) = json.loads(inside(name, "tc", "-j", "qdisc", "show", "dev", "eth0"))
    assert qdisc["kind"] == "netem"
    options: dict[str, object] = qdisc["options"]
    return options


@pytest.fixture(autouse=True)
def link() -> Iterator[None]:
    """Two namespaces and a cable between them."""
    missing = kernel.obstacle("tc") or netem.obstacle(COMMANDS)
    if missing is not None:
        pytest.skip(missing)
    try:
        for name in (HERE, THERE):
            COMMANDS.run(["ip", "netns", "add", name])
        pair = ["link", "add", "eth0", "type", "veth", "peer", "name", "eth0", "netns", THERE]
        COMMANDS.run(["ip", "-n", HERE, *pair])
        for name, address in ((HERE, "10.77.0.1/24"), (THERE, "10.77.0.2/24")):
            COMMANDS.run(["ip", "-n", name, "addr", "add", address, "dev", "eth0"])
            COMMANDS.run(["ip", "-n", name, "link", "set", "eth0", "up"])
        yield
    finally:
        for name in (HERE, THERE):
            COMMANDS.run(["ip", "netns", "del", name])


def seconds(options: dict[str, object]) -> float:
    """Delay of a qdisc."""
    delay = options["delay"]
    assert isinstance(delay, dict)
    return float(delay["delay"])


@pytest.mark.parametrize("delay_ns", [1_000, 2_000_000, 40_000_000, 1_234_567_891])
def test_tc_reads_the_delay(delay_ns: int) -> None:
    """As near as can be seen: tc shows six digits, and microseconds that it rounds down."""
    shown = seconds(shape(HERE, rule(None, delay_ns)))
    assert shown == pytest.approx(delay_ns / 1e9, rel=1e-5, abs=2e-6)


@pytest.mark.parametrize("rate_bps", [64_000, 1_500_000, 10_000_000_000])
def test_tc_reads_the_rate(rate_bps: int) -> None:
    """tc prints bytes a second; the queue holds what is asked."""
    options = shape(HERE, rule(rate_bps, 2_000_000))
    rate = options["rate"]
    assert isinstance(rate, dict)
    assert int(rate["rate"]) * 8 == rate_bps
    assert options["limit"] == netem.QUEUE


def test_without_a_rate_there_is_none() -> None:
    """Of a queue that makes the rate itself."""
    assert "rate" not in shape(HERE, rule(None, 2_000_000))


def bound(name: str, address: str) -> socket.socket:
    """A UDP socket in a namespace."""
    made = kernel.inside(name, lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
    made.settimeout(60)
    made.bind((address, 7700))
    return made


def test_a_packet_takes_both_delays() -> None:
    """A round trip is never shorter than both ways' delays together, and once in ten near them."""
    shape(HERE, rule(10_000_000, 60_000_000))
    shape(THERE, rule(None, 90_000_000))
    times = []
    with bound(HERE, "10.77.0.1") as source, bound(THERE, "10.77.0.2") as sink:
        for _ in range(10):
            began = time.monotonic()
            source.sendto(b"?", ("10.77.0.2", 7700))
            question, asker = sink.recvfrom(100)
            sink.sendto(question, asker)
            assert source.recv(100) == b"?"
            times.append(time.monotonic() - began)
    assert min(times) >= 0.150
    assert min(times) < 0.300


def test_packets_come_at_the_rate() -> None:
    """Of 200 packets handed over at once none is lost, and they take the time that the rate gives."""
    rate_bps, count, size = 1_000_000, 200, 1000
    shape(HERE, rule(rate_bps, 0))
    with bound(HERE, "10.77.0.1") as source, bound(THERE, "10.77.0.2") as sink:
        source.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 20)
        # The neighbour is asked for first.
        source.sendto(b"?", ("10.77.0.2", 7700))
        assert sink.recv(100) == b"?"
        began = time.monotonic()
        for _ in range(count):
            source.sendto(bytes(size), ("10.77.0.2", 7700))
        for _ in range(count):
            assert len(sink.recv(size)) == size
        took = time.monotonic() - began
    # netem counts the Ethernet header of 14 bytes too.
    asked = count * (size + 8 + 20 + 14) * 8 / rate_bps
    assert asked <= took < 3 * asked
