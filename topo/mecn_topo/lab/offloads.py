# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Segmentation and receive offload of an interface. Standard library only: Mininet's nodes load it too."""

from __future__ import annotations

import ctypes
import fcntl
import socket
import struct

_SIOCETHTOOL = 0x8946
_OFFLOADS = {"tso": (0x1E, 0x1F), "gso": (0x23, 0x24), "gro": (0x2B, 0x2C)}
"""Get and set commands of ethtool (linux/ethtool.h)."""


def switch_off(interface: str) -> None:
    """In the namespace of this thread; checked by reading back. Raises OSError."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        for name, (read, write) in _OFFLOADS.items():
            _ethtool(control, interface, write, 0)
            if _ethtool(control, interface, read, 0) != 0:
                raise OSError(f"{interface}: {name} cannot be switched off")


def _ethtool(control: socket.socket, interface: str, command: int, value: int) -> int:
    data = bytearray(struct.pack("=II", command, value))
    buffer = (ctypes.c_char * len(data)).from_buffer(data)
    request = struct.pack("16sP", interface.encode(), ctypes.addressof(buffer))
    try:
        fcntl.ioctl(control.fileno(), _SIOCETHTOOL, request)
    except OSError as error:
        raise OSError(f"{interface}: ethtool: {error.strerror}") from None
    return int(struct.unpack("=II", data)[1])
