# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""Watches network interfaces: which of them are up and running.

The kernel says over netlink (rtnetlink(7), group RTMGRP_LINK) that some link has changed; the flags of each
interface are then asked for (netdevice(7), SIOCGIFFLAGS). An interface that is gone is down.
"""

import fcntl
import logging
import os
import select
import socket
import struct
import threading
from collections.abc import Callable, Sequence

RTMGRP_LINK = 1
SIOCGIFFLAGS = 0x8913
IFF_UP = 0x1
IFF_RUNNING = 0x40

_RECHECK_S = 1.0
"""How often to look although nothing was heard: messages can be lost."""

_LOG = logging.getLogger(__name__)


def is_running(probe: socket.socket, interface: str) -> bool:
    """Whether the interface is up and has a carrier. `probe` is any socket of its network namespace."""
    request = struct.pack("16sH14x", interface.encode(), 0)
    try:
        answer = fcntl.ioctl(probe, SIOCGIFFLAGS, request)
    except OSError:
        return False
    flags: int = struct.unpack("16sH14x", answer)[1]
    return flags & (IFF_UP | IFF_RUNNING) == IFF_UP | IFF_RUNNING


class LinkMonitor:
    """Tells of interfaces that go down or come up, from a thread of its own, until it is closed."""

    def __init__(
        self,
        interfaces: Sequence[tuple[int, str]],
        on_change: Callable[[int, bool], None],
        new_thread: Callable[[Callable[[], None], str], threading.Thread],
    ) -> None:
        """on_change: takes a port and whether its interface is up; also called once for each at first.

        new_thread: makes a thread of a function and a name.
        """
        self._interfaces = interfaces
        self._on_change = on_change
        self._events = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, socket.NETLINK_ROUTE)
        self._events.bind((0, RTMGRP_LINK))
        self._events.setblocking(False)
        self._probe = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._wake, self._waker = os.pipe()
        self._thread = new_thread(self._run, "links")
        self._thread.start()

    def close(self) -> None:
        """Ends the thread."""
        os.write(self._waker, b"x")
        self._thread.join()
        self._events.close()
        self._probe.close()
        os.close(self._wake)
        os.close(self._waker)

    def _run(self) -> None:
        known: dict[int, bool] = {}
        while True:
            for port, interface in self._interfaces:
                up = is_running(self._probe, interface)
                if known.get(port) != up:
                    known[port] = up
                    self._on_change(port, up)
            events = self._events.fileno()
            ready, _, _ = select.select([events, self._wake], [], [], _RECHECK_S)
            if self._wake in ready:
                return
            if events in ready:
                self._drain()

    def _drain(self) -> None:
        try:
            while self._events.recv(1 << 16):
                pass
        except BlockingIOError:
            pass
        except OSError as error:  # messages were lost (ENOBUFS): the flags tell
            _LOG.debug("rtnetlink: %s", error.strerror)
