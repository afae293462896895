# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""A loader that is killed at any step: traffic goes on; the next `up` or `down` clears away what it left."""

from __future__ import annotations

import socket
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from .host import PINS, inside, mecn
from .steps import changes

ONE, TWO = "mecnk1", "mecnk2"
BLOCK = 64 * 1024
UP = ["up", "--netns", ONE, "-i", "eth0", "-p", "10.8.0.0/24", "--default"]
DOWN = ["down", "--netns", ONE]
each_way = pytest.mark.parametrize("more", [[], ["--without-links"]], ids=["links", "without-links"])
"""As on new and on old kernels."""


def answer(listener: socket.socket) -> None:
    """One byte for each block, on each connection."""

    def serve(connection: socket.socket) -> None:
        with connection:
            while connection.recv(BLOCK, socket.MSG_WAITALL):
                connection.sendall(b"+")

    while True:
        try:
            connection, _ = listener.accept()
        except OSError:
            return
        threading.Thread(target=serve, args=(connection,), daemon=True).start()


class Traffic:
    """A connection that lives as long as the test, and a fresh one whenever asked."""

    def __init__(self) -> None:
        with inside(TWO):
            self.listener = socket.create_server(("10.8.0.2", 7100))
        threading.Thread(target=answer, args=(self.listener,), daemon=True).start()
        self.old = self.connect()

    def connect(self) -> socket.socket:
        """A new connection from one to two."""
        with inside(ONE):
            return socket.create_connection(("10.8.0.2", 7100), 30)

    def flows(self) -> None:
        """Old and new connections carry data."""
        with self.connect() as new:
            for connection in (self.old, new):
                connection.sendall(bytes(BLOCK))
                assert connection.recv(1) == b"+"

    def close(self) -> None:
        """End both ends."""
        self.old.close()
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()


@pytest.fixture
def traffic(program: str) -> Iterator[Traffic]:
    """Two hosts and a connection between them."""
    try:
        for name in (ONE, TWO):
            subprocess.run(["ip", "netns", "add", name], check=True)
        pair = ["link", "add", "eth0", "type", "veth", "peer", "name", "eth0", "netns", TWO]
        subprocess.run(["ip", "-n", ONE, *pair], check=True)
        for name, address in ((ONE, "10.8.0.1/24"), (TWO, "10.8.0.2/24")):
            subprocess.run(["ip", "-n", name, "addr", "add", address, "dev", "eth0"], check=True)
            subprocess.run(["ip", "-n", name, "link", "set", "eth0", "up"], check=True)
        flowing = Traffic()
        yield flowing
        flowing.close()
    finally:
        for name in (ONE, TWO):
            subprocess.run([program, "down", "--netns", name], capture_output=True, check=False)
            subprocess.run(["ip", "netns", "del", name], check=False)


def setting() -> tuple[str, str]:
    """The namespace's default congestion control and ECN."""
    with inside(ONE):
        folder = Path("/proc/sys/net/ipv4")
        return (folder / "tcp_congestion_control").read_text(), (folder / "tcp_ecn").read_text()


def down_leaves_nothing(program: str, before: tuple[str, str]) -> None:
    """`down` finds something or nothing; afterwards nothing is there."""
    down = subprocess.run([program, *DOWN], capture_output=True, text=True, check=False)
    assert down.returncode == 0 or "nothing is up" in down.stderr, down.stderr
    assert not PINS.exists()
    assert setting() == before
    queues = ["ip", "netns", "exec", ONE, "tc", "qdisc", "show", "dev", "eth0"]
    assert "clsact" not in subprocess.run(queues, capture_output=True, text=True, check=True).stdout
    assert "mecn" not in Path("/proc/sys/net/ipv4/tcp_available_congestion_control").read_text()


@each_way
def test_up_killed_at_each_step(program: str, traffic: Traffic, more: list[str]) -> None:
    """After every other step `down` follows, after the rest `up` and then `down`."""
    before, up = setting(), [*UP, *more]
    steps = changes([program, *up])
    assert setting() == ("mecn\n", "1\n")
    traffic.flows()
    down_leaves_nothing(program, before)
    assert steps > 20
    for step in range(1, steps + 1):
        assert changes([program, *up], step) == step
        traffic.flows()
        if step % 2:
            again = subprocess.run([program, *up], capture_output=True, text=True, check=False)
            # At the last step it had done its work.
            assert again.returncode == 0 or (step == steps and "up already" in again.stderr), again.stderr
            traffic.flows()
            assert setting() == ("mecn\n", "1\n")
        down_leaves_nothing(program, before)


@each_way
def test_down_killed_at_each_step(program: str, traffic: Traffic, more: list[str]) -> None:
    """After every other step `down` follows, after the rest `up` and then `down`."""
    before, up = setting(), [*UP, *more]
    mecn(program, *up)
    steps = changes([program, *DOWN])
    assert not PINS.exists()
    assert steps > 15
    renewed = 0
    for step in range(1, steps + 1):
        mecn(program, *up)
        assert changes([program, *DOWN], step) == step
        traffic.flows()
        if step % 2 == 0:
            again = subprocess.run([program, *up], capture_output=True, text=True, check=False)
            # At the first steps it had only looked which sockets there are.
            assert again.returncode == 0 or "up already" in again.stderr, again.stderr
            renewed += again.returncode == 0
            traffic.flows()
            assert setting() == ("mecn\n", "1\n")
        down_leaves_nothing(program, before)
    assert renewed > steps / 4
