# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""Ports ($PORT) and their shaping in the traffic manager (tm.port)."""

from typing import Any

from mecn_native import MatchField

from ..status import invalid_argument
from .info import Table
from .model import Context, Entry, Kept, by_name
from .values import Key

FRAME_OVERHEAD = 20
"""Bytes that a frame takes on the wire beside itself: preamble, gap. Tofino's shapers count them."""


class Ports(Kept):
    """$PORT. Ports are the switch's own: an entry says how a controller wants one, and what it is."""

    def __init__(self, table: Table, context: Context) -> None:
        super().__init__(table, context)
        self._ids = by_name(table.data)

    def apply(self, key: Key) -> None:
        """See `Kept.apply`."""
        if not self.context.ports.exists(self.number(key)):
            raise invalid_argument(f"{self.what}: there is no port {self.number(key)}")

    def get(self, key: Key) -> Entry:
        """See `Model.get`."""
        entry = super().get(key)
        port = self.number(key)
        state: dict[str, Any] = {
            "$PORT_UP": bool(entry.data.get(self._ids["$PORT_ENABLE"])) and self.context.ports.is_up(port),
            "$IS_VALID": True,
            "$IS_INTERNAL": False,
            "$CONN_ID": port // 4 + 1,
            "$CHNL_ID": port % 4,
            "$PORT_NAME": f"{port // 4 + 1}/{port % 4}",
        }
        return Entry(key, 0, {**entry.data, **{self._ids[name]: value for name, value in state.items()}})


class PortSwitch(Kept):
    """tm.port.sched_cfg: whether a port is shaped; and tm.port.sched_shaping: to which rate.

    Both are one object of two tables: the engine has one rate for each port.
    """

    def __init__(self, table: Table, context: Context, other: "PortSwitch | None" = None) -> None:
        super().__init__(table, context)
        self._other = other
        if other is not None:
            other._other = self
        self._ids = by_name(table.data)
        for port in range(table.size):
            key = (MatchField.Exact(port),)
            self.kept[key] = self._fresh(key)

    def _fresh(self, key: Key) -> Entry:
        first = {"unit": "BPS", "provisioning": "MIN_ERROR", "scheduling_speed": "BF_SPEED_NONE"}
        start: dict[str, Any] = {name: first.get(name, 0) for name in self._ids}
        if "max_rate_enable" in start:
            start["max_rate_enable"] = False
        return Entry(key, 0, {self._ids[name]: value for name, value in start.items()})

    def values(self, key: Key) -> dict[str, Any]:
        """Data of a port by name."""
        return self.named(self.kept[key].data, self.table.data)

    def apply(self, key: Key) -> None:
        """See `Kept.apply`."""
        if key not in self.kept:
            raise self.unsupported("ports are always there")
        assert self._other is not None
        both = {**self.values(key), **self._other.values(key)}
        rate = both["max_rate"] if both["max_rate_enable"] else 0
        if not rate:
            self.context.configure_port(self.number(key))
        elif both["unit"] == "PPS":
            self.context.configure_port(self.number(key), rate_pps=rate)
        else:
            port = self.number(key)
            self.context.configure_port(port, rate_bps=rate * 1000, overhead_bytes=FRAME_OVERHEAD)

    def clear(self) -> None:
        """See `Model.clear`."""
        for key in list(self.kept):
            fresh = self._fresh(key)
            if self.kept[key] != fresh:
                self._store(key, fresh)

    def add(self, entry: Entry) -> None:
        """Refused: ports are always there."""
        del entry
        raise self.already_exists()
