# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Statistics and events as others read them."""

from __future__ import annotations

import fcntl
import json
import os
import socket
import subprocess
import time
from collections.abc import Iterator

import pytest

from .host import PINS, mecn, status
from .peer import ACK, CWR, ECE, Peer, reduced, sender, up

ODD = 'me"cn\\odd'
"""A namespace's name that a label's value must escape."""


@pytest.fixture
def odd_namespace(program: str) -> Iterator[str]:
    """Up on the loopback interface of such a namespace."""
    subprocess.run(["ip", "netns", "add", ODD], check=True)
    try:
        mecn(program, "up", "--netns", ODD, "-i", "lo", "-p", "127.0.0.0/8")
        yield ODD
    finally:
        subprocess.run([program, "down", "--netns", ODD], check=False)
        subprocess.run(["ip", "netns", "del", ODD], check=False)


def test_prometheus_reads_what_json_says(program: str, odd_namespace: str, tun: int) -> None:
    """The client library's own parser finds each counter of each namespace, and nothing else."""
    parser = pytest.importorskip("prometheus_client.parser", reason="prometheus_client is not installed")
    up(program)
    connection, peer = sender(tun, 4, 7101)
    with connection:
        peer.send(ACK | ECE)
        expected = {}
        there = json.loads(mecn(program, "status", "--json").stdout)["namespaces"]
        for instance in there:
            netns = instance["netns"]
            expected["mecn_host_sockets", netns, "", ""] = float(len(instance["sockets"]))
            for c in instance["counters"]:
                key = (f"mecn_host_{c['metric']}_total", netns, c.get("label", ""), c.get("label_value", ""))
                expected[key] = float(c["value"])
        found = {}
        for family in parser.text_string_to_metric_families(mecn(program, "status", "--prometheus").stdout):
            assert family.documentation
            assert family.type == ("gauge" if family.name == "mecn_host_sockets" else "counter")
            for sample in family.samples:
                labels = dict(sample.labels)
                netns = labels.pop("netns")
                ((label, value),) = labels.items() or [("", "")]
                found[sample.name, netns, label, value] = sample.value
    assert found == expected
    assert {instance["netns"] for instance in there} >= {odd_namespace, "other"}
    assert sum(found.values()) > 1


def reduce(connection: socket.socket, peer: Peer, count: int) -> None:
    """So many reductions: each acknowledgement covers a window, and echoes a level."""
    for i in range(count):
        try:
            while connection.send(bytes(50_000)):
                pass
        except BlockingIOError:
            pass
        peer.drain(0)
        peer.send(ACK | (ECE | CWR if i % 2 else ECE))


def test_events_under_load(program: str, tun: int) -> None:
    """More than the buffer holds: what was not lost is read, in order; what was lost is counted."""
    up(program)
    connection, peer = sender(tun, 4, 7102)
    with connection:
        reduce(connection, peer, 4000)
        unread = status(program)
        assert unread["events_lost."] > 0
        with subprocess.Popen(
            [program, "events", "--json", "--netns", "/proc/self/ns/net"], stdout=subprocess.PIPE, text=True
        ) as reader:
            try:
                second = mecn(program, "events", "--count", "1", code=1) if held(reader) else None
                assert second is not None
                assert "another `mecn-host events`" in second.stderr
                reduce(connection, peer, 2000)
                after = status(program)
                total = sum(value for name, value in after.items() if name.startswith("reductions."))
                assert total >= 6000 - 2
                assert reader.stdout is not None
                wanted = total - after["events_lost."] - 1
                events = [json.loads(reader.stdout.readline()) for _ in range(wanted)]
            finally:
                reader.kill()
    times = [event["time"] for event in events]
    assert times == sorted(times)
    causes = {event["cause"] for event in events}
    assert {"incipient", "moderate"} <= causes
    for event in events:
        if event["cause"] in {"incipient", "moderate"}:
            assert event["cwnd_after"] == reduced(event["cwnd_before"], event["cause"])


def held(reader: subprocess.Popen[str]) -> bool:
    """Wait until the reader has printed something: then it is the one that reads."""
    assert reader.stdout is not None
    return bool(reader.stdout.readline())


def no_reader() -> bool:
    """Whether nobody holds the lock of the reader."""
    directory = os.open(PINS, os.O_RDONLY)
    try:
        fcntl.flock(directory, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    finally:
        os.close(directory)
    return True


@pytest.mark.usefixtures("tun")
def test_events_end_with_down(program: str) -> None:
    """A reader does not wait for what cannot come."""
    up(program)
    with subprocess.Popen([program, "events"], stderr=subprocess.PIPE, text=True) as reader:
        assert reader.stderr is not None
        while no_reader():
            time.sleep(0.01)
        mecn(program, "down")
        assert "taken down" in reader.stderr.read()
    assert reader.returncode == 1


@pytest.mark.parametrize("shell", ["bash", "fish", "zsh"])
def test_completions(program: str, shell: str) -> None:
    """Every command is in them."""
    script = mecn(program, "completions", shell).stdout
    for command in ("probe", "up", "down", "status", "events", "completions"):
        assert command in script
    assert "count-on-ingress" in script


def test_version_and_help(program: str) -> None:
    """The version is that of the package; the long help has examples."""
    assert mecn(program, "--version").stdout.split() == ["mecn-host", "0.1.0"]
    for command in ("up", "down", "status", "events", "completions"):
        text = mecn(program, "help", command).stdout
        assert "Examples:" in text
        assert "mecn-host " + command in text
    assert "--interface" in mecn(program, "up", code=2).stderr
