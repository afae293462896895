# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""The program under test, and a namespace with a TUN device."""

from __future__ import annotations

import ctypes
import fcntl
import os
import struct
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from .host import CLONE_NEWNET, PINS, binary

TUNSETIFF, IFF_TUN, IFF_NO_PI = 0x400454CA, 1, 0x1000


@pytest.fixture(scope="module")
def program() -> str:
    """Path of mecn-host."""
    return binary()


@pytest.fixture
def tun(program: str) -> Iterator[int]:
    """A TUN device in a namespace that this process is in until the test ends."""
    libc = ctypes.CDLL(None, use_errno=True)
    home = os.open("/proc/self/ns/net", os.O_RDONLY)
    if libc.unshare(CLONE_NEWNET):
        pytest.skip(f"no network namespace: {os.strerror(ctypes.get_errno())}")
    device = -1
    try:
        try:
            device = os.open("/dev/net/tun", os.O_RDWR)
        except OSError as error:
            pytest.skip(f"no TUN device: {error}")
        fcntl.ioctl(device, TUNSETIFF, struct.pack("16sH22x", b"mecn0", IFF_TUN | IFF_NO_PI))
        for command in ("addr add 10.9.0.1/24 dev mecn0", "addr add fd00:9::1/64 dev mecn0 nodad",
                        "link set mecn0 up", "link set lo up"):  # fmt: skip
            subprocess.run(["ip", *command.split()], check=True)
        # No timeouts while the test is slow: the peer acknowledges when it wants to.
        for route in ("-4 route replace 10.9.0.0/24 dev mecn0 src 10.9.0.1 rto_min 60s",
                      "-6 route replace fd00:9::/64 dev mecn0 metric 256 rto_min 60s"):  # fmt: skip
            subprocess.run(["ip", *route.split()], check=True)
        Path("/proc/sys/net/ipv4/tcp_ecn").write_text("1")
        yield device
    finally:
        if PINS.exists():
            subprocess.run([program, "down"], check=False)
        if device >= 0:
            os.close(device)
        libc.setns(home, CLONE_NEWNET)
        os.close(home)
