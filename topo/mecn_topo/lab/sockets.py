# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""TCP connections of a namespace as the kernel sees them: cwnd, srtt, acknowledged bytes (sock_diag).

One netlink socket for each namespace, made inside it, is asked from outside: no process has to run there to
be looked at. Structures: linux/inet_diag.h, linux/tcp.h (`struct tcp_info`, which only ever grew at its end).
"""

from __future__ import annotations

import socket
import struct
from dataclasses import dataclass

from .kernel import LabError, inside

_NETLINK_SOCK_DIAG = 4
_SOCK_DIAG_BY_FAMILY = 20
_NLM_F_REQUEST, _NLM_F_DUMP = 1, 0x300
_NLMSG_ERROR, _NLMSG_DONE = 2, 3
_INET_DIAG_INFO = 2
_ALL_STATES = 0xFFFFFFFF
_ESTABLISHED = 1

_MESSAGE = struct.Struct("=IHHII")
_ADDRESSES = struct.Struct("!HH16s16s")
_HEAD = 72
"""Bytes of struct inet_diag_msg."""


@dataclass(frozen=True, slots=True)
class Connection:
    """A TCP connection, from the side of its namespace. Times in seconds, windows in segments."""

    local_port: int
    remote_port: int
    state: int
    cwnd: int
    ssthresh: int | None
    """None before the first reduction."""
    srtt_s: float
    mss: int
    retransmissions: int
    bytes_acked: int
    ca_state: int

    @property
    def is_established(self) -> bool:
        """Whether both sides may send."""
        return self.state == _ESTABLISHED


class Diagnosis:
    """Asks the kernel for the connections of one namespace; without a name, of this process's."""

    def __init__(self, namespace: str | None = None) -> None:
        def make() -> socket.socket:
            return socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, _NETLINK_SOCK_DIAG)

        self._socket = make() if namespace is None else inside(namespace, make)
        self._socket.settimeout(2)
        self._sequence = 0

    def connections(self) -> list[Connection]:
        """IPv4 connections now, listeners left out. Raises :class:`LabError`."""
        self._sequence += 1
        states = _ALL_STATES & ~(1 << 10)  # TCP_LISTEN
        request = struct.pack(
            "=BBBBI", socket.AF_INET, socket.IPPROTO_TCP, 1 << (_INET_DIAG_INFO - 1), 0, states
        )
        request += bytes(48)
        flags = _NLM_F_REQUEST | _NLM_F_DUMP
        head = _MESSAGE.pack(_MESSAGE.size + len(request), _SOCK_DIAG_BY_FAMILY, flags, self._sequence, 0)
        try:
            self._socket.send(head + request)
            found: list[Connection] = []
            while True:
                data = self._socket.recv(1 << 18)
                offset = 0
                while offset + _MESSAGE.size <= len(data):
                    length, kind, _, sequence, _ = _MESSAGE.unpack_from(data, offset)
                    if length < _MESSAGE.size:
                        raise LabError("sock_diag: a message without length")
                    body = data[offset + _MESSAGE.size : offset + length]
                    offset += (length + 3) & ~3
                    if sequence != self._sequence:
                        continue
                    if kind == _NLMSG_DONE:
                        return found
                    if kind == _NLMSG_ERROR:
                        code = -struct.unpack_from("=i", body)[0]
                        raise LabError(f"sock_diag: error {code}")
                    connection = parse(body)
                    if connection is not None:
                        found.append(connection)
        except OSError as error:
            raise LabError(f"sock_diag: {error}") from None

    def close(self) -> None:
        """Closes the socket."""
        self._socket.close()


def parse(body: bytes) -> Connection | None:
    """A `struct inet_diag_msg` with its attributes; None if it has no tcp_info."""
    if len(body) < _HEAD:
        return None
    state = body[1]
    local_port, remote_port = struct.unpack_from("!HH", body, 4)
    offset = _HEAD
    while offset + 4 <= len(body):
        length, kind = struct.unpack_from("=HH", body, offset)
        if length < 4:
            return None
        if kind == _INET_DIAG_INFO:
            info = body[offset + 4 : offset + length]
            return _from_info(info, local_port, remote_port, state)
        offset += (length + 3) & ~3
    return None


def _from_info(info: bytes, local_port: int, remote_port: int, state: int) -> Connection | None:
    """Offsets as in linux/tcp.h: 8 bytes of small fields, then 24 words of 32 bits, then 64-bit counts."""
    if len(info) < 128:
        return None
    words = struct.unpack_from("=24I", info, 8)
    ssthresh = words[17]
    return Connection(
        local_port=local_port,
        remote_port=remote_port,
        state=state,
        cwnd=words[18],
        ssthresh=None if ssthresh >= 0x7FFFFFFF else ssthresh,
        srtt_s=words[15] / 1e6,
        mss=words[2],
        retransmissions=words[23],
        bytes_acked=struct.unpack_from("=Q", info, 120)[0],
        ca_state=info[1],
    )
