# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Several network namespaces of one kernel, each with its own interfaces, prefixes, betas and counters."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from .host import PINS, mecn

HOSTS = [f"mecnt{i}" for i in range(6)]


def ip(*arguments: str) -> None:
    """Run iproute2."""
    subprocess.run(["ip", *arguments], check=True)


def sysctl(host: str, name: str) -> str:
    """A setting of TCP in a namespace."""
    command = ["ip", "netns", "exec", host, "cat", f"/proc/sys/net/ipv4/{name}"]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


@pytest.fixture
def hosts(program: str) -> Iterator[list[str]]:
    """Namespaces, each with an interface of its own name."""
    made = []
    try:
        for host in HOSTS:
            ip("netns", "add", host)
            made.append(host)
            ip("-n", host, "link", "add", f"{host}-e", "type", "veth", "peer", "name", f"{host}-p")
        yield HOSTS
    finally:
        for host in made:
            subprocess.run([program, "down", "--netns", host], capture_output=True, check=False)
            subprocess.run(["ip", "netns", "del", host], check=False)


def namespaces(program: str) -> dict[str, Any]:
    """What `status` says of each namespace."""
    status = json.loads(mecn(program, "status", "--json").stdout)
    return {instance["netns"]: instance for instance in status["namespaces"]}


def up(program: str, host: str, *extra: str) -> subprocess.CompletedProcess[str]:
    """Bring it up in one namespace."""
    return mecn(program, "up", "--netns", host, "-i", f"{host}-e", "-p", "10.0.0.0/8", *extra)


def test_all_at_once(program: str, hosts: list[str]) -> None:
    """Started together they do not get into each other's way, and the last to go removes everything."""
    before = {host: (sysctl(host, "tcp_congestion_control"), sysctl(host, "tcp_ecn")) for host in hosts}
    with ThreadPoolExecutor(len(hosts)) as pool:
        list(pool.map(lambda host: up(program, host, "--default"), hosts))
    there = namespaces(program)
    assert set(there) == {*hosts, "other"}
    for host in hosts:
        assert there[host]["settings"]["complete"] is True
        assert there[host]["interfaces_gone"] == []
        assert (sysctl(host, "tcp_congestion_control"), sysctl(host, "tcp_ecn")) == ("mecn", "1")
    with ThreadPoolExecutor(len(hosts)) as pool:
        list(pool.map(lambda host: mecn(program, "down", "--netns", host), hosts))
    assert not PINS.exists()
    after = {host: (sysctl(host, "tcp_congestion_control"), sysctl(host, "tcp_ecn")) for host in hosts}
    assert after == before


def test_each_has_its_own_settings(program: str, hosts: list[str]) -> None:
    """Betas and prefixes do not leak; one `down` leaves the others; `--all` takes the rest."""
    one, two = hosts[:2]
    up(program, one, "--beta1", "4")
    up(program, two, "-p", "2001:db8::/32", "--default")
    there = namespaces(program)
    assert there[one]["settings"]["betas"] == [4000, 2500, 2000]
    assert there[two]["settings"]["betas"] == [5000, 2500, 2000]
    assert there[two]["settings"]["peers"] == ["10.0.0.0/8", "2001:db8::/32"]
    assert sysctl(one, "tcp_congestion_control") != "mecn"
    again = mecn(program, "up", "--netns", one, "-i", f"{one}-e", "-p", "::/0", code=1)
    assert "up already" in again.stderr
    mecn(program, "down", "--netns", one)
    assert set(namespaces(program)) == {two, "other"}
    elsewhere = mecn(program, "down", "--netns", one, code=1)
    assert two in elsewhere.stderr
    mecn(program, "down", "--all")
    assert not PINS.exists()
    assert sysctl(two, "tcp_congestion_control") != "mecn"


def test_ip_netns_exec(program: str, hosts: list[str]) -> None:
    """It hides /sys/fs/bpf, but pins must outlive the command."""
    host = hosts[0]
    up(program, hosts[1])
    inside = ["ip", "netns", "exec", host, program]
    subprocess.run([*inside, "up", "-i", f"{host}-e", "-p", "10.0.0.0/8"], check=True)
    assert set(namespaces(program)) == {host, hosts[1], "other"}
    subprocess.run([*inside, "down"], check=True)
    assert set(namespaces(program)) == {hosts[1], "other"}


def test_a_deleted_namespace_is_cleared_away(program: str, hosts: list[str]) -> None:
    """By the next `up`, and by `down`."""
    gone, stays = hosts[:2]
    up(program, gone)
    up(program, stays)
    ip("netns", "del", gone)
    up(program, hosts[2])
    assert set(namespaces(program)) == {stays, hosts[2], "other"}
    ip("netns", "add", gone)


def test_one_cgroup_serves_the_machine(program: str, hosts: list[str], tmp_path: Path) -> None:
    """Another one is refused, and what is up stays."""
    up(program, hosts[0])
    other = mecn(
        program, "up", "--netns", hosts[1], "-i", f"{hosts[1]}-e", "-p", "::/0", "--cgroup", str(tmp_path),
        code=1,
    )  # fmt: skip
    assert "one cgroup" in other.stderr
    assert set(namespaces(program)) == {hosts[0], "other"}
