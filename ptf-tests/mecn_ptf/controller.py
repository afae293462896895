# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""The tests' P4Runtime connection: blocking calls, and everything that a test wrote is undone at its end."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from finsy import P4PacketIn, P4PacketOut
from mecn_controller import Curve, Entry, names, parse_profile
from mecn_controller.policy.entries import curve_entries, profile_entries
from mecn_controller.policy.routes import AnyRoute
from mecn_controller.runtime.session import SwitchSession

from mecn_ptf.targets import Target

_T = TypeVar("_T")

PATIENCE_S = 60.0
"""How long the switch may take for a packet-in; more than any machine needs."""
FIRST_PREPARED_ID = 1000
"""Profile ids of prepared policies; the controller itself takes the lowest that is free."""


@dataclass(frozen=True)
class Prepared:
    """A policy whose curve is on the switch; its ports' entries would make it take effect."""

    ports: tuple[Entry, ...]


@dataclass(frozen=True)
class PacketIn:
    """A packet that the switch sent to the controller."""

    ingress_port: int
    reason: int
    payload: bytes


class PacketSession(SwitchSession):
    """A connection that also sends and receives packets."""

    async def packet_out(self, port: int, payload: bytes) -> None:
        """A packet that is to leave a port as it is."""
        packet = P4PacketOut(payload, egress_port=port)
        await self._client.send(packet.encode_update(self.schema))

    async def packet_in(self) -> PacketIn:
        """The next packet from the switch."""
        async with asyncio.timeout(PATIENCE_S):
            while not (message := await self._client.receive()).HasField("packet"):
                pass
        packet = P4PacketIn.decode(message, self.schema)
        return PacketIn(int(packet["ingress_port"]), int(packet["reason"]), packet.payload)


class Controller:
    """Primary controller of the switch under test."""

    _packet_outs = 0
    """That all tests have sent."""

    def __init__(self, target: Target) -> None:
        self._runner = asyncio.Runner()
        self._session = PacketSession(target.address, target.device_id)
        self._target = target
        self._program = target.program
        self._before: list[Entry] = []
        self._prepared = FIRST_PREPARED_ID

    def _run(self, call: Coroutine[Any, Any, _T]) -> _T:
        return self._runner.run(call)

    # ---- Life ---------------------------------------------------------------------------------------------

    def open(self, *, fresh: bool) -> None:
        """Connects and makes the switch run the program. fresh: load it anew, so that all state is lost."""
        self._run(self._session.__aenter__())
        self._run(self._session.set_pipeline(self._program.p4info, self._program.bmv2_json, force=fresh))
        self._before = self.entries()

    def undo(self) -> None:
        """Sets all tables back to what they held after `open`, ports first: they refer to the others."""
        wanted = {entry.key: entry for entry in self._before}
        present = {entry.key: entry for entry in self.entries()}
        extra = [entry for key, entry in present.items() if key not in wanted]
        self.delete([entry for entry in extra if entry.table == names.PORT_TABLE])
        self.delete([entry for entry in extra if entry.table != names.PORT_TABLE])
        self.insert([entry for key, entry in wanted.items() if key not in present])
        self.modify([entry for key, entry in wanted.items() if present.get(key, entry) != entry])

    def close(self) -> None:
        """Ends the connection."""
        try:
            self._run(self._session.__aexit__(None, None, None))
        finally:
            self._runner.close()

    # ---- Entries ------------------------------------------------------------------------------------------

    def entries(self, *tables: str) -> list[Entry]:
        """What some tables hold, or all."""
        everything = [table.name for table in self._session.schema.tables]
        return self._run(self._session.read(tables or everything))

    def insert(self, entries: Sequence[Entry]) -> None:
        """Writes new entries."""
        self._run(self._session.insert(entries))

    def modify(self, entries: Sequence[Entry]) -> None:
        """Changes the actions of entries that exist."""
        self._run(self._session.modify(entries))

    def delete(self, entries: Sequence[Entry]) -> None:
        """Deletes entries that exist."""
        self._run(self._session.delete(entries))

    def lift_policies(self) -> None:
        """Takes all ports from under their profiles."""
        self.delete(self.entries(names.PORT_TABLE))

    def routes(self, routes: Iterable[AnyRoute]) -> None:
        """Adds routes, or changes those with the same prefix."""
        self._run(self._session.write_routes(routes))

    def counters(self, counter: str, indices: Iterable[int]) -> dict[int, tuple[int, int]]:
        """Packets and bytes in cells of a counter."""
        return self._run(self._session.counters(counter, indices))

    # ---- Packets ------------------------------------------------------------------------------------------

    def packet_out(self, port: int, payload: bytes) -> None:
        """Sends a packet out of a port."""
        Controller._packet_outs += 1
        self._run(self._session.packet_out(port, payload))
        self._target.settle(Controller._packet_outs)

    def packet_ins(self, count: int) -> list[PacketIn]:
        """The next packets that come to the controller; TimeoutError if fewer do."""
        self._target.settle()
        return [self._run(self._session.packet_in()) for _ in range(count)]

    # ---- Profiles -----------------------------------------------------------------------------------------

    def apply(self, profile: Mapping[str, object], port: int, dscp: tuple[int, ...] | None = None) -> None:
        """Puts a port, or some DSCP classes of it, under a profile; read back, all or nothing."""
        parsed = parse_profile({"name": "test", **profile})
        self._run(self._session.apply_profile(parsed, port=port, dscp=dscp, drain_s=0))

    def prepare(self, profile: Mapping[str, object], port: int, curve: Curve | None = None) -> Prepared:
        """Writes a policy but for the entry that makes it take effect. curve: in place of the profile's."""
        parsed = parse_profile({"name": "test", **profile})
        self._prepared += 1
        entries = profile_entries(parsed, self._prepared, port)
        segments = entries.curve
        if curve is not None:
            of = (curve_entries(curve, self._prepared, instance) for instance in names.CURVES)
            segments = tuple(entry for instance in of for entry in instance)
        present = {entry.key for entry in self.entries(*names.AQM_TABLES)}
        self.insert([entry for entry in (*segments, *entries.scheme) if entry.key not in present])
        return Prepared(entries.ports)

    def flip(self, policy: Prepared) -> None:
        """Makes a prepared policy take effect, by one write."""
        present = {entry.key for entry in self.entries(names.PORT_TABLE)}
        self.modify([entry for entry in policy.ports if entry.key in present])
        self.insert([entry for entry in policy.ports if entry.key not in present])
