# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""The program under test."""

from __future__ import annotations

import ctypes
import json
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

PINS = Path("/sys/fs/bpf/mecn")
CLONE_NEWNET = 0x40000000


def binary() -> str:
    """The program to test, or skip with what is missing."""
    path = os.environ.get("MECN_HOST")
    if not path:
        pytest.skip(
            "mecn-host is not built: `make host-test` builds it (needs clang and bpftool) and runs these"
        )
    probe = subprocess.run([path, "probe"], capture_output=True, text=True, check=False)
    if probe.returncode:
        pytest.skip(
            "this kernel cannot: " + "; ".join(x for x in probe.stdout.splitlines() if "MISSING" in x)
        )
    if PINS.exists():
        pytest.skip(f"multi-level ECN is up on this machine ({PINS}); `mecn-host down` first")
    return path


def mecn(program: str, *arguments: str, code: int = 0) -> subprocess.CompletedProcess[str]:
    """Run mecn-host; the exit status must be as said."""
    done = subprocess.run([program, *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == code, done.stderr
    return done


def status(program: str, netns: str = "/proc/self/ns/net") -> dict[str, int]:
    """Counters by metric and label."""
    command = [program, "status", "--json", "--netns", netns]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    (instance,) = json.loads(text)["namespaces"]
    return {f"{c['metric']}.{c.get('label_value', '')}": c["value"] for c in instance["counters"]}


@contextmanager
def inside(name: str) -> Iterator[None]:
    """This thread in a network namespace; sockets made there stay there."""
    libc = ctypes.CDLL(None, use_errno=True)
    home, there = os.open("/proc/thread-self/ns/net", os.O_RDONLY), os.open(f"/run/netns/{name}", os.O_RDONLY)
    try:
        assert libc.setns(there, CLONE_NEWNET) == 0
        yield
    finally:
        libc.setns(home, CLONE_NEWNET)
        os.close(home)
        os.close(there)
