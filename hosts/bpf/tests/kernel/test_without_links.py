# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""What stands in for BPF links before Linux 6.6: clsact, and a congestion control registered by its map."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from .host import PINS, mecn, status
from .peer import ACK, CE, CWR, ECE, ECT_0, PSH, receiver, reduced, sender, up, windows

NAME = "mecnw"
NOTHING = "1,6 0 0 0,"
"""A classifier in classic BPF that matches no packet: return 0."""
AVAILABLE = Path("/proc/sys/net/ipv4/tcp_available_congestion_control")


def tc(*arguments: str) -> str:
    """What tc prints in the namespace."""
    command = ["tc", "-n", NAME, *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


@pytest.fixture
def pair(program: str) -> Iterator[None]:
    """Two interfaces in a namespace."""
    subprocess.run(["ip", "netns", "add", NAME], check=True)
    try:
        link = ["link", "add", "w0", "type", "veth", "peer", "name", "w1"]
        subprocess.run(["ip", "-n", NAME, *link], check=True)
        made = subprocess.run(
            ["tc", "-n", NAME, "qdisc", "add", "dev", "w0", "clsact"],
            check=False, capture_output=True, text=True,
        )  # fmt: skip
        if made.returncode:
            pytest.skip(f"no clsact: {made.stderr.strip()}")
        yield
    finally:
        subprocess.run([program, "down", "--netns", NAME], capture_output=True, check=False)
        subprocess.run(["ip", "netns", "del", NAME], check=False)


def bring_up(program: str, code: int = 0) -> str:
    """On both interfaces; what it says on failure."""
    peers = ["-i", "w0", "-i", "w1", "-p", "10.0.0.0/8"]
    return mecn(program, "up", "--netns", NAME, *peers, "--without-links", code=code).stderr


@pytest.mark.usefixtures("pair")
def test_down_removes_what_up_made_and_nothing_else(program: str) -> None:
    """w0 has a clsact qdisc and a classifier of somebody else, w1 has none."""
    tc("filter", "add", "dev", "w0", "egress", "pref", "7", "bpf", "bytecode", NOTHING)
    before = tc("qdisc", "show"), tc("filter", "show", "dev", "w0", "egress")
    bring_up(program)
    assert "mecn_echo" in tc("filter", "show", "dev", "w0", "egress")
    assert "mecn_echo" in tc("filter", "show", "dev", "w1", "egress")
    shown = json.loads(mecn(program, "status", "--json", "--netns", NAME).stdout)
    assert shown["registration"] == "map"
    assert shown["namespaces"][0]["settings"]["attachment"] == "clsact"
    assert shown["namespaces"][0]["interfaces_gone"] == []
    assert "echo        clsact" in mecn(program, "status").stdout
    mecn(program, "down", "--netns", NAME)
    assert (tc("qdisc", "show"), tc("filter", "show", "dev", "w0", "egress")) == before
    assert not PINS.exists()
    assert "mecn" not in AVAILABLE.read_text().split()


@pytest.mark.usefixtures("pair")
def test_clsact_stays_where_others_have_come(program: str) -> None:
    """A classifier added while it was up keeps the qdisc that `up` had made."""
    bring_up(program)
    tc("filter", "add", "dev", "w1", "ingress", "pref", "7", "bpf", "bytecode", NOTHING)
    mecn(program, "down", "--netns", NAME)
    assert "pref 7 bpf" in tc("filter", "show", "dev", "w1", "ingress")
    assert tc("filter", "show", "dev", "w1", "egress") == ""


@pytest.mark.usefixtures("pair")
def test_an_ingress_qdisc_is_in_the_way(program: str) -> None:
    """It has clsact's place, and knows no egress; nothing stays behind."""
    tc("qdisc", "add", "dev", "w1", "ingress")
    before = tc("qdisc", "show")
    assert "w1 has an ingress qdisc" in bring_up(program, code=1)
    assert tc("qdisc", "show") == before
    assert tc("filter", "show", "dev", "w0", "egress") == ""
    assert not PINS.exists()
    assert "mecn" not in AVAILABLE.read_text().split()


@pytest.mark.usefixtures("pair")
def test_an_interface_that_has_gone_is_told(program: str) -> None:
    """And `down` does not mind."""
    bring_up(program)
    subprocess.run(["ip", "-n", NAME, "link", "del", "w0"], check=True)
    (shown,) = json.loads(mecn(program, "status", "--json", "--netns", NAME).stdout)["namespaces"]
    assert shown["interfaces_gone"] == ["w0", "w1"]
    mecn(program, "down", "--netns", NAME)
    assert not PINS.exists()


@pytest.mark.parametrize("version", [4, 6])
def test_levels_are_heard_and_echoed(program: str, tun: int, version: int) -> None:
    """Both halves, with the marked segments counted on ingress as on these kernels."""
    up(program, "--without-links", "--count-on-ingress")
    connection, peer = sender(tun, version, 7301)
    with connection:
        _, cwnd = windows(connection)
        peer.send(ACK | CWR | ECE)
        assert windows(connection)[0] == reduced(cwnd, "moderate")
    connection, peer = receiver(tun, version, 7302)
    with connection:
        for ecn, bits in ((CE, CWR | ECE), (ECT_0, 0)):
            # Two segments: the second is acknowledged at once.
            for _ in range(2):
                peer.send(ACK | PSH, b"y" * 1000, ecn)
            said = 0
            while (ack := peer.receive(0.3)) is not None:
                said |= ack[1] & (CWR | ECE)
            assert said == bits
    assert status(program)["segments_echoed.moderate"] >= 1
