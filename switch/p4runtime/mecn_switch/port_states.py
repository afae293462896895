# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""Which ports the device has, and which of them are down."""

from collections.abc import Mapping
from dataclasses import dataclass, field

MAX_PORT = 510
"""Ports have 9 bits in v1model, and 511 means drop."""


@dataclass
class PortStates:
    """The ports of a device. Not locked: the device's lock guards it."""

    names: Mapping[str, int] | None = None
    """Ports by the names of their interfaces; None: any number may be a port, and ports have no names."""
    cpu_port: int | None = None
    _down: set[int] = field(default_factory=set)

    def exists(self, port: int) -> bool:
        """Whether the device has this port."""
        if not 0 <= port <= MAX_PORT:
            return False
        return self.names is None or port == self.cpu_port or port in self.names.values()

    def is_up(self, port: int) -> bool:
        """Whether packets that leave here can arrive."""
        return port not in self._down

    def set(self, port: int, *, up: bool) -> bool:
        """Notes the state of a port; says whether that is news."""
        if up == self.is_up(port):
            return False
        (self._down.discard if up else self._down.add)(port)
        return True
