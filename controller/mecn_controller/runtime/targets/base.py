# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""The interface between what the controller wants and a switch that has it: four operations on table entries.

A target moves entries and knows nothing of profiles. A dialect says which entries a profile is on a data
plane, and knows nothing of connections. `applying.ProfileWriter` is all that they have in common: fresh ids,
one flip for each port, reading back, undoing.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from typing import TYPE_CHECKING, Protocol

from mecn_controller import names
from mecn_controller.errors import VerifyError
from mecn_controller.policy.entries import Entry, classes_of, describe, profile_entries

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from mecn_controller.policy.entries import ProfileEntries
    from mecn_controller.policy.profile import Profile


class Dialect(Protocol):
    """A data plane's tables, and a profile in them."""

    @property
    def tables(self) -> tuple[str, ...]:
        """Tables that applying a profile writes."""

    @property
    def profile_tables(self) -> tuple[str, ...]:
        """Those whose entries belong to one profile id each."""

    def curves(self, profile: Profile) -> int:
        """How many profile ids a profile takes."""

    def entries(
        self,
        profile: Profile,
        profile_id: int,
        port: int,
        dscp: tuple[int, ...] | None,
        class_ids: Sequence[int] | None = None,
    ) -> ProfileEntries:
        """The profile's entries. ValueError if this data plane cannot do what it asks for."""


class V1Model:
    """p4src/mecn_v1model.p4, on the embedded switch and BMv2."""

    tables = names.AQM_TABLES
    profile_tables = names.PROFILE_TABLES

    def curves(self, profile: Profile) -> int:
        """The profile's own, and one for each class of round-trip times."""
        return 1 + len(classes_of(profile))

    entries = staticmethod(profile_entries)


V1MODEL = V1Model()


class Target(ABC):
    """A switch that holds entries. Errors are SwitchErrors that name it."""

    address: str
    """What it is called in messages."""
    dialect: Dialect = V1MODEL

    @abstractmethod
    def check_entry(self, entry: Entry) -> None:
        """Say before anything is written that an entry does not fit the program: PipelineError."""

    @abstractmethod
    async def read(self, tables: Iterable[str]) -> list[Entry]:
        """All entries of some tables, default entries not included."""

    @abstractmethod
    async def insert(self, entries: Sequence[Entry]) -> None:
        """Write new entries."""

    @abstractmethod
    async def modify(self, entries: Sequence[Entry]) -> None:
        """Change the actions of entries that exist. Packets see each entry as before or as after."""

    @abstractmethod
    async def delete(self, entries: Sequence[Entry]) -> None:
        """Delete entries that exist."""

    async def read_queues(self, entries: Sequence[Entry]) -> Sequence[Entry]:
        """How a target's queues are set (`ProfileEntries.queues`) where these entries would set them."""
        assert not entries, f"{type(self).__name__} has nothing to set for a queue"
        return ()

    async def set_queues(self, entries: Sequence[Entry]) -> None:
        """Set what a target keeps for each queue beside its tables."""
        assert not entries, f"{type(self).__name__} has nothing to set for a queue"

    async def verify(self, tables: Iterable[str], wanted: Iterable[Entry]) -> None:
        """Read tables back and compare them bit for bit with all that they should hold."""
        present = Counter(canonical(entry) for entry in await self.read(tables))
        expected = Counter(canonical(entry) for entry in wanted)
        for entry in expected - present:
            message = f"not found as it was written when read back: {describe(entry)}"
            raise VerifyError(self.address, message)
        for entry in present - expected:
            raise VerifyError(self.address, f"not expected when read back: {describe(entry)}")


def canonical(entry: Entry) -> Entry:
    """The entry with fields and parameters in alphabetical order, so that equal entries are equal."""
    return Entry(
        entry.table,
        tuple(sorted(entry.match, key=lambda item: item[0])),
        entry.action,
        tuple(sorted(entry.params)),
        entry.priority,
    )
