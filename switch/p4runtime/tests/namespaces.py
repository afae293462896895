# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""Hosts in network namespaces behind veth pairs, made and removed by the test that uses them."""

import itertools
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from mecn_controller import Route

_NEXT = itertools.count()

ECHO = """
import socket
server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
server.bind(("", 5001))
print("ready", flush=True)
while True:
    data, peer = server.recvfrom(2048)
    server.sendto(data, peer)
"""
"""A program for a host: datagrams go back to where they came from."""


def why_not() -> str | None:
    """Why this process cannot make namespaces and packet sockets; None if it can."""
    if os.geteuid() != 0:
        return "needs root: network namespaces and packet sockets"
    if shutil.which("ip") is None:
        return "needs the command ip (iproute2)"
    name = f"mecn-{os.getpid()}-probe"
    made = subprocess.run(["ip", "netns", "add", name], capture_output=True, text=True, check=False)
    if made.returncode != 0:
        return f"network namespaces cannot be made here: {made.stderr.strip()}"
    try:
        veth = [
            "ip",
            "link",
            "add",
            f"mecnp{os.getpid()}"[:15],
            "type",
            "veth",
            "peer",
            "name",
            "e",
            "netns",
            name,
        ]
        done = subprocess.run(veth, capture_output=True, text=True, check=False)
        return None if done.returncode == 0 else f"veth pairs cannot be made here: {done.stderr.strip()}"
    finally:
        subprocess.run(["ip", "netns", "del", name], check=False)


def run(*command: str) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, (command, done.stderr)
    return done.stdout


@dataclass(frozen=True)
class Host:
    """A namespace with one interface, eth0, whose other end is a port of the switch."""

    number: int
    namespace: str
    switch_end: str

    @property
    def address(self) -> str:
        return f"10.0.{self.number}.1"

    @property
    def route(self) -> Route:
        return Route(
            f"10.0.{self.number}.0/24",
            self.number,
            f"02:00:00:00:{self.number:02x}:fe",
            f"02:00:00:00:{self.number:02x}:01",
        )

    @property
    def interface(self) -> str:
        """As `mecn-switch -i` takes it."""
        return f"{self.number}@{self.switch_end}"

    def python(self, code: str, *arguments: object) -> subprocess.Popen[str]:
        """Runs code in the namespace."""
        return subprocess.Popen(
            ["ip", "netns", "exec", self.namespace, sys.executable, "-c", code, *map(str, arguments)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )


def ready(process: subprocess.Popen[str]) -> subprocess.Popen[str]:
    """Waits until the program of a host listens, which it says."""
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n", process.communicate()
    return process


def output(process: subprocess.Popen[str]) -> str:
    """What it printed, at its end."""
    out, errors = process.communicate(timeout=120)
    assert process.returncode == 0, errors
    return out


@contextmanager
def hosts(count: int) -> Iterator[list[Host]]:
    """Hosts 1..count with static neighbours and ECN on."""
    made = []
    # A namespace and its interfaces may be there for a while after their deletion: no name is used twice.
    unique = f"{os.getpid() % 10**6}-{next(_NEXT)}"
    try:
        for number in range(1, count + 1):
            host = Host(number, f"mecn-{unique}-{number}", f"me{unique}-{number}")
            run("ip", "netns", "add", host.namespace)
            made.append(host)
            inside = ("ip", "-n", host.namespace)
            veth = ("type", "veth", "peer", "name", "eth0", "netns", host.namespace)
            run("ip", "link", "add", host.switch_end, *veth)
            sysctls = ("net.ipv6.conf.all.disable_ipv6=1", "net.ipv4.tcp_ecn=1")
            for sysctl in sysctls:
                path = f"/proc/sys/{sysctl.partition('=')[0].replace('.', '/')}"
                value = sysctl.partition("=")[2]
                write = f"test ! -e {path} || echo {value} > {path}"
                run("ip", "netns", "exec", host.namespace, "sh", "-c", write)
            run(*inside, "link", "set", "eth0", "address", f"02:00:00:00:{number:02x}:01")
            run(*inside, "addr", "add", f"{host.address}/24", "dev", "eth0")
            run("ip", "link", "set", host.switch_end, "up")
            run(*inside, "link", "set", "eth0", "up")
            run(*inside, "link", "set", "lo", "up")
            gateway = f"10.0.{number}.254"
            run(*inside, "route", "add", "default", "via", gateway)
            mac = f"02:00:00:00:{number:02x}:fe"
            run(*inside, "neigh", "add", gateway, "lladdr", mac, "dev", "eth0", "nud", "permanent")
        yield made
    finally:
        for host in made:
            # The veth pair goes with the namespace.
            subprocess.run(["ip", "netns", "del", host.namespace], check=False)
