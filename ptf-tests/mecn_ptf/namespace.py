# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""A network namespace with veth pairs, in which the switch and PTF run; removed with all that is in it."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from mecn_topo.lab.kernel import LabError, disable_offloads


def why_not() -> str | None:
    """Why this process cannot make a namespace with veth pairs; None if it can."""
    if os.geteuid() != 0:
        return "it needs root: network namespaces and packet sockets"
    if shutil.which("ip") is None:
        return "it needs the command ip (Debian: iproute2)"
    try:
        with namespace([1], "probe"):
            return None
    except NamespaceError as error:
        return str(error)


class NamespaceError(Exception):
    """A namespace or an interface cannot be made; the command and what it said."""


@dataclass(frozen=True)
class Namespace:
    """Port p of the switch is at `switch_end(p)`, and the test at `test_end(p)`."""

    name: str
    ports: tuple[int, ...]

    def switch_end(self, port: int) -> str:
        """Interface of the switch."""
        return f"switch{port}"

    def test_end(self, port: int) -> str:
        """Interface of the test."""
        return f"test{port}"

    def inside(self, command: Sequence[str]) -> list[str]:
        """A command that runs another in the namespace."""
        return ["ip", "netns", "exec", self.name, *command]


@contextmanager
def namespace(ports: Sequence[int], label: str = "ptf") -> Iterator[Namespace]:
    """A namespace of this process; raises `NamespaceError`."""
    made = Namespace(f"mecn-{label}-{os.getpid()}", tuple(ports))
    _run("ip", "netns", "add", made.name)
    try:
        # No packets but the tests': neither router solicitations nor neighbour discovery.
        flags = "/proc/sys/net/ipv6/conf/*/disable_ipv6"
        disable = f"for flag in {flags}; do test ! -e $flag || echo 1 > $flag; done"
        _run(*made.inside(["sh", "-c", disable]))
        inside = ("ip", "-n", made.name, "link")
        _run(*inside, "set", "lo", "up")
        for port in ports:
            ends = (made.switch_end(port), made.test_end(port))
            _run(*inside, "add", ends[0], "type", "veth", "peer", "name", ends[1])
            for end in ends:
                _run(*inside, "set", end, "up")
                # With them BMv2's libpcap receives into 32 slots of 64 KiB, and what does not fit is lost.
                # Without them the same memory has 1310 slots.
                disable_offloads(made.name, end)
        yield made
    except LabError as error:
        raise NamespaceError(str(error)) from error
    finally:
        subprocess.run(["ip", "netns", "del", made.name], check=False)  # noqa: S607


def _run(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise NamespaceError(f"{' '.join(command)}: {done.stderr.strip()}")
