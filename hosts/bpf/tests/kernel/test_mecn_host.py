# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""`mecn-host` on the running kernel, against a peer that decides about every bit.

The kernel's TCP talks through a TUN device in a network namespace of the test's own. The other end is
`peer.py`, which does exactly as told, so that every expectation is exact.
"""

from __future__ import annotations

import itertools
import json
import os
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from .host import PINS, mecn, status
from .peer import (
    ACK,
    CE,
    CWR,
    ECE,
    ECT_0,
    ECT_1,
    LEVEL,
    PSH,
    receiver,
    reduced,
    sender,
    up,
    windows,
)


@pytest.mark.parametrize("version", [4, 6])
@pytest.mark.parametrize(("cause", "bits"), [("incipient", ECE), ("moderate", CWR | ECE)])
def test_reduces_by_level_once_per_window(
    program: str, tun: int, version: int, cause: str, bits: int
) -> None:
    """One cut of the level's size, however many acknowledgements of that window repeat it."""
    up(program)
    connection, peer = sender(tun, version, 7001)
    with connection:
        _, cwnd = windows(connection)
        for _ in range(40):
            peer.send(ACK | bits)
        assert windows(connection)[0] == reduced(cwnd, cause)
        counters = status(program)
        assert counters[f"reductions.{cause}"] == 1
        assert sum(value for name, value in counters.items() if name.startswith("reductions.")) == 1
        events = subprocess.run(
            [program, "events", "--json", "--count", "1"],
            check=True,
            capture_output=True,
            text=True,
            timeout=30,
        )
        event = json.loads(events.stdout)
        assert (event["cause"], event["cwnd_before"], event["cwnd_after"]) == (
            cause,
            cwnd,
            reduced(cwnd, cause),
        )
        assert event["remote"].endswith(":7001")


def test_chosen_when_connected(program: str, tun: int) -> None:
    """A socket that changes to it later hears levels where the kernel can show them, and halves elsewhere."""
    features = json.loads(mecn(program, "probe", "--json").stdout)["features"]
    (shown,) = [f["present"] for f in features if f["name"].startswith("levels for sockets")]
    up(program)
    connection, peer = sender(tun, 4, 7009, control=None)
    with connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, b"mecn")
        _, cwnd = windows(connection)
        peer.send(ACK | ECE)
        assert windows(connection)[0] == reduced(cwnd, "incipient" if shown else "loss")


def test_loss_halves(program: str, tun: int) -> None:
    """Three duplicate acknowledgements."""
    up(program)
    connection, peer = sender(tun, 4, 7002)
    with connection:
        peer.send(ACK)
        peer.ack, lost = peer.ack, peer.ack
        peer.drain()
        peer.ack = lost
        _, cwnd = windows(connection)
        for _ in range(3):
            peer.send(ACK)
        assert windows(connection)[0] == reduced(cwnd, "loss")
        assert status(program)["reductions.loss"] == 1


def test_peer_outside_the_prefixes_gets_rfc_3168(program: str, tun: int) -> None:
    """For a peer that does not know levels ECE means halve."""
    up(program, peers=("10.99.0.0/16",))
    connection, peer = sender(tun, 4, 7003)
    with connection:
        _, cwnd = windows(connection)
        peer.send(ACK | ECE)
        assert windows(connection)[0] == reduced(cwnd, "classic")
        assert status(program)["reductions.classic"] == 1


@pytest.mark.parametrize("version", [4, 6])
@pytest.mark.parametrize("extra", [(), ("--count-on-ingress",)])
def test_each_ack_echoes_the_highest_level_since_the_last(
    program: str, tun: int, version: int, extra: tuple[str, ...]
) -> None:
    """All patterns of three marked segments, whichever of them the kernel chooses to acknowledge."""
    up(program, *extra)
    connection, peer = receiver(tun, version, 7004)
    acks = delayed = 0
    with connection:
        for pattern in itertools.product((ECT_0, ECT_1, CE), repeat=3):
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_QUICKACK, 0)
            pending: list[tuple[int, int]] = []
            for i, ecn in enumerate(pattern):
                peer.send(ACK | PSH, b"y" * 1000, ecn)
                pending.append((peer.seq, LEVEL[ecn]))
                # Whatever comes meanwhile; at the end, until all is acknowledged.
                while (ack := peer.receive(0.005 if i < 2 else 30)) is not None:
                    # An acknowledgement may be read late: its number says which segments it speaks of.
                    levels = [level for end, level in pending if end <= peer.acknowledged]
                    del pending[: len(levels)]
                    assert ack[1] & (CWR | ECE) == max(levels, default=0), pattern
                    acks, delayed = acks + 1, delayed + (len(levels) > 1)
                    if not pending:
                        break
            assert not pending
            connection.recv(100_000)
            while (ack := peer.receive(0.002)) is not None:
                assert ack[1] & (CWR | ECE) == 0
    assert delayed > 0, f"{acks} acknowledgements, none of them delayed"


@pytest.mark.usefixtures("tun")
def test_second_up_is_refused_and_harmless(program: str) -> None:
    """Double load."""
    up(program)
    again = subprocess.run(
        [program, "up", "-i", "mecn0", "-p", "::/0"], capture_output=True, text=True, check=False
    )
    assert again.returncode == 1
    assert "up already" in again.stderr
    assert status(program)["reductions.loss"] == 0


def test_down_under_traffic_names_the_socket_and_removes_all(program: str, tun: int) -> None:
    """The connection goes on; the default is what it was; nothing is pinned or registered."""
    setting = Path("/proc/sys/net/ipv4/tcp_congestion_control")
    before = setting.read_text()
    up(program, "--default")
    assert setting.read_text().strip() == "mecn"
    connection, peer = sender(tun, 4, 7005, control=None)
    with connection:
        down = subprocess.run([program, "down"], check=True, capture_output=True, text=True)
        assert f"pid {os.getpid()}" in down.stdout
        assert "10.9.0.2:7005" in down.stdout
        assert setting.read_text() == before
        assert not PINS.exists()
        assert "mecn" not in Path("/proc/sys/net/ipv4/tcp_available_congestion_control").read_text()
        acknowledged = peer.ack
        peer.send(ACK)
        peer.drain()
        assert peer.ack > acknowledged
        with socket.socket() as fresh, pytest.raises(FileNotFoundError):
            fresh.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, b"mecn")


def test_chosen_by_a_route(program: str, tun: int) -> None:
    """With ECN for this route only; `down` names the route."""
    up(program)
    Path("/proc/sys/net/ipv4/tcp_ecn").write_text("2")
    route = "route replace 10.9.0.0/24 dev mecn0 src 10.9.0.1 rto_min 60s congctl mecn features ecn"
    subprocess.run(["ip", *route.split()], check=True)
    connection, peer = sender(tun, 4, 7008, control=None)
    with connection:
        _, cwnd = windows(connection)
        peer.send(ACK | CWR | ECE)
        assert windows(connection)[0] == reduced(cwnd, "moderate")
        down = mecn(program, "down").stdout
        assert "route still names it" in down
        assert "10.9.0.0/24" in down
        assert f"pid {os.getpid()}" in down


@pytest.fixture
def cgroup(program: str) -> Iterator[Path]:
    """A cgroup2 of the test's own, below the root; this process comes back from it."""
    root = Path(json.loads(mecn(program, "probe", "--json").stdout)["cgroup"])
    own = root / f"mecn-test-{os.getpid()}"
    home = root / Path("/proc/self/cgroup").read_text().rpartition("0::/")[2].split("\n")[0]
    try:
        own.mkdir()
    except OSError as error:
        pytest.skip(f"no cgroup can be made in {root}: {error}")
    try:
        yield own
    finally:
        (home / "cgroup.procs").write_text(str(os.getpid()))
        own.rmdir()


def test_only_the_cgroup_given(program: str, cgroup: Path, tun: int) -> None:
    """Levels are read for sockets made in the cgroup; for others ECE halves, as there is no reader."""
    up(program, "--cgroup", str(cgroup))
    outside, peer = sender(tun, 4, 7006)
    with outside:
        _, cwnd = windows(outside)
        peer.send(ACK | ECE)
        assert windows(outside)[0] == reduced(cwnd, "loss")
        assert status(program)["reductions.local"] == 1
    (cgroup / "cgroup.procs").write_text(str(os.getpid()))
    member, peer = sender(tun, 4, 7007)
    with member:
        _, cwnd = windows(member)
        peer.send(ACK | ECE)
        assert windows(member)[0] == reduced(cwnd, "incipient")
        assert status(program)["reductions.incipient"] == 1
