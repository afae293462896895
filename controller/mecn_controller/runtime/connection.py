# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""One P4Runtime connection: arbitration, pipeline, entries and counters, with errors that name the switch.

Uses only what BMv2's server has: no registers, CONTINUE_ON_ERROR batches, any API version. finsy supplies
the client and the schema; arbitration is done here, because finsy's own retries with lower election ids,
and a controller that was asked to be primary should say that it cannot be.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import re
from collections import Counter
from typing import TYPE_CHECKING, Self, cast

from finsy import GRPCStatusCode, P4ClientError, P4DigestEntry, P4DigestList
from finsy.p4client import P4Client
from finsy.p4schema import P4Schema
from finsy.proto import U128, p4i, p4r
from google.protobuf import text_format

from mecn_controller import names
from mecn_controller.defaults import DEFAULT_ADDRESS, DEFAULT_DEVICE_ID, DEFAULT_ELECTION_ID
from mecn_controller.errors import (
    ElectionError,
    PipelineError,
    SwitchError,
    UnreachableError,
    WriteError,
)
from mecn_controller.policy.entries import Entry, describe
from mecn_controller.reports import PortReport
from mecn_controller.runtime import wire
from mecn_controller.runtime.targets.base import Target

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterable, Sequence
    from types import TracebackType

    from google.protobuf.message import Message

    from mecn_controller.runtime.tls import TlsFiles

CONNECT_TIMEOUT_S = 5.0

ELECTION_ATTEMPTS = 5
ELECTION_PAUSE_S = 0.1
"""A switch may take a moment to notice that the last controller, with the same election id, has gone."""

STAND_BY_POLL_S = 0.25
"""How often a backup asks a switch that does not tell it of a change by itself."""

MAX_ENCODED = 16384
"""Entries whose messages are kept: each is checked first and written later."""

_LOG = logging.getLogger(__name__)

BATCH = 1000
"""Updates in one write; keeps messages well below gRPC's 4 MiB."""


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _reason(error: P4ClientError) -> str:
    """gRPC's reason, without the addresses that it repeats."""
    if re.search(r"errors resolving|DNS resolution failed", error.message):
        return "the host name is not known"
    found = re.search(r"Connection refused|No route to host|Network is unreachable", error.message)
    return found.group().lower() if found else _one_line(error.message)


class Connection(Target):
    """A connection to one switch as its primary controller. Use as `async with`.

    With election id None it takes no part in the election, and may only read, beside whoever is in charge.
    With `stand_by` it waits as long as another controller is in charge, and tells who that is; it then
    takes over.
    Without `tls` nothing is encrypted.
    """

    def __init__(
        self,
        address: str = DEFAULT_ADDRESS,
        device_id: int = DEFAULT_DEVICE_ID,
        election_id: int | None = DEFAULT_ELECTION_ID,
        *,
        tls: TlsFiles | None = None,
        connect_timeout_s: float = CONNECT_TIMEOUT_S,
        stand_by: Callable[[str], None] | None = None,
    ) -> None:
        self.address = address
        self.device_id = device_id
        self.election_id = election_id
        # gRPC fails a message on the stream beside one that is still on its way, and leaves the stream open:
        # to the switch its id is then in charge for as long as the connection lasts.
        self._sending = asyncio.Lock()
        self._connect_timeout_s = connect_timeout_s
        self._stand_by = stand_by
        self._client = P4Client(address, None if tls is None else tls.credentials(), wait_for_ready=False)
        self._schema: P4Schema | None = None
        self._encoded: dict[Entry, p4r.TableEntry] = {}

    async def __aenter__(self) -> Self:
        # P4Runtime asks for a number above 0; 0 is the default of simple_switch_grpc, which takes it.
        if not 0 <= self.device_id < 1 << 64:
            raise SwitchError(self.address, f"device id {self.device_id}: not a number from 0 to 2^64 - 1")
        if self.election_id is not None and not 0 < self.election_id < 1 << 128:
            raise SwitchError(
                self.address, f"election id {self.election_id}: only a number above 0 can be primary"
            )
        for attempt in range(ELECTION_ATTEMPTS):
            try:
                await self._connect()
                break
            except ElectionError:
                if attempt == ELECTION_ATTEMPTS - 1 or self._stand_by is not None:
                    raise
                await asyncio.sleep(ELECTION_PAUSE_S)
        return self

    async def _connect(self) -> None:
        if re.fullmatch(r"(\[[0-9a-fA-F:.]+\]|[^\s\[\]:/]+):\d{1,5}", self.address) is None:
            message = "not an address: give HOST:PORT, such as 127.0.0.1:9559"
            raise UnreachableError(repr(self.address), message)
        await self._client.open(complete_request=self._complete)
        try:
            async with asyncio.timeout(self._connect_timeout_s):
                if self.election_id is None:
                    await self._reach()
                elif self._stand_by is None:
                    await self._become_primary(self.election_id)
                else:
                    code, highest = await self._arbitrate(self.election_id)
            if self._stand_by is not None and self.election_id is not None:
                await self._wait_for_turn(code, highest, self._stand_by)
        except TimeoutError:
            await self._client.close()
            message = f"cannot reach the switch: no answer within {self._connect_timeout_s:g} s"
            raise UnreachableError(self.address, message) from None
        except BaseException:
            await self._client.close()
            raise

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._client.close()

    # ---- Arbitration (P4Runtime, section 5) ----------------------------------------------------------------

    async def _reach(self) -> None:
        """Ask for something harmless, to see whether anybody is there."""
        request = p4r.GetForwardingPipelineConfigRequest(
            device_id=self.device_id, response_type=p4r.GetForwardingPipelineConfigRequest.COOKIE_ONLY
        )
        try:
            await self._client.request(request)
        except P4ClientError as error:
            if error.code != GRPCStatusCode.FAILED_PRECONDITION:
                raise self._first_error(error) from None

    async def _arbitrate(self, election_id: int) -> tuple[GRPCStatusCode, int]:
        """State an election id; the switch's answer, and the highest id that it has seen."""
        await self._state_id(election_id)
        return await self._verdict(election_id)

    async def _state_id(self, election_id: int) -> None:
        update = p4r.MasterArbitrationUpdate(device_id=self.device_id, election_id=U128.encode(election_id))
        try:
            async with self._sending:
                await self._client.send(p4r.StreamMessageRequest(arbitration=update))
        except P4ClientError as error:
            raise self._first_error(error) from None

    async def _verdict(self, election_id: int) -> tuple[GRPCStatusCode, int]:
        """The next word about who is in charge."""
        try:
            while True:
                answer = await self._client.receive()
                if answer.HasField("arbitration"):
                    break
        except P4ClientError as error:
            if error.is_election_id_used:
                in_use = f"another controller holds election id {election_id} of device {self.device_id}"
                message = f"{in_use} (the switch says: {_one_line(error.message)})"
                raise ElectionError(self.address, message) from None
            raise self._first_error(error) from None
        except RuntimeError:
            # finsy's word for an end of the stream that carries no status.
            raise SwitchError(self.address, "the switch closed the connection") from None
        return GRPCStatusCode(answer.arbitration.status.code), U128.decode(answer.arbitration.election_id)

    async def _become_primary(self, election_id: int) -> None:
        code, highest = await self._arbitrate(election_id)
        if code == GRPCStatusCode.OK:
            return
        if code == GRPCStatusCode.ALREADY_EXISTS:
            who = f"a controller with election id {highest} is in charge"
        else:
            who = f"a controller with election id {highest} was in charge"
        raise ElectionError(self.address, f"{who} of device {self.device_id}; ours, {election_id}, is lower")

    async def _wait_for_turn(self, code: GRPCStatusCode, highest: int, tell: Callable[[str], None]) -> None:
        """Wait until this controller is in charge.

        When the primary goes, a switch after P4Runtime 1.5 tells the others that there is none, and takes
        only an id that is not below the highest it has seen; BMv2 makes the next one primary and says so.
        As not every switch tells, the id is stated again and again.
        """
        assert self.election_id is not None

        turn = asyncio.Event()

        async def ask_again() -> None:
            while True:
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(STAND_BY_POLL_S):
                        await turn.wait()
                    return
                assert self.election_id is not None
                await self._state_id(self.election_id)

        asking = asyncio.create_task(ask_again())
        try:
            while code != GRPCStatusCode.OK:
                if code == GRPCStatusCode.ALREADY_EXISTS:
                    tell(f"a controller with election id {highest} is in charge of device {self.device_id}")
                elif highest > self.election_id:
                    if highest + 1 >= 1 << 128:
                        raise ElectionError(self.address, "there is no higher election id to take over with")
                    self.election_id = highest + 1
                    await self._state_id(self.election_id)
                code, highest = await self._verdict(self.election_id)
            turn.set()
            # Not cancelled: gRPC ends the stream of a message that is cancelled on its way.
            await asking
        finally:
            asking.cancel()
            await asyncio.gather(asking, return_exceptions=True)

    def _first_error(self, error: P4ClientError) -> SwitchError:
        if error.code == GRPCStatusCode.UNAVAILABLE:
            return UnreachableError(self.address, f"cannot reach the switch: {_reason(error)}")
        if error.code == GRPCStatusCode.UNIMPLEMENTED:
            return UnreachableError(self.address, "what answers there does not speak P4Runtime")
        if error.code == GRPCStatusCode.NOT_FOUND:
            return SwitchError(
                self.address,
                f"there is no device {self.device_id} (the switch says: {_one_line(error.message)})",
            )
        return SwitchError(self.address, f"{error.code.name}: {_one_line(error.message)}")

    def _complete(self, message: Message) -> None:
        if isinstance(message, (p4r.WriteRequest, p4r.SetForwardingPipelineConfigRequest)):
            if self.election_id is None:
                raise RuntimeError("this connection has no election id: it may only read")
            message.election_id.CopyFrom(U128.encode(self.election_id))

    def _error(self, error: P4ClientError, kind: type[SwitchError], what: str) -> SwitchError:
        if error.code == GRPCStatusCode.UNAVAILABLE:
            return UnreachableError(self.address, f"the switch went away: {_reason(error)}")
        if error.code == GRPCStatusCode.DEADLINE_EXCEEDED:
            return UnreachableError(self.address, f"the switch did not answer in time: {what}")
        if error.code == GRPCStatusCode.PERMISSION_DENIED:
            return ElectionError(self.address, f"{what}: another controller has taken over")
        return kind(self.address, f"{what}: {error.code.name}: {_one_line(error.message)}")

    # ---- Pipeline ------------------------------------------------------------------------------------------

    @property
    def schema(self) -> P4Schema:
        """P4Info of the program that the switch runs."""
        if self._schema is None:
            raise RuntimeError("call set_pipeline or use_pipeline first")
        return self._schema

    async def set_pipeline(self, p4info_text: str, bmv2_json: str | bytes, *, force: bool = False) -> bool:
        """Make the switch run a program (P4Info as protobuf text, BMv2 JSON); true if it was loaded now.

        A switch that already runs it keeps its entries, unless `force` is set. Loading deletes all entries.
        """
        try:
            p4info = text_format.Parse(p4info_text, p4i.P4Info())
        except text_format.ParseError as error:
            raise PipelineError(
                self.address, f"the P4Info is not protobuf text: {_one_line(str(error))}"
            ) from None
        blob = bmv2_json.encode() if isinstance(bmv2_json, str) else bmv2_json
        schema = self._usable(p4info, blob, "the program to load")
        self._check_device_config(blob, schema)
        loaded = force or await self._cookie() != schema.p4cookie
        if loaded:
            try:
                await self._client.request(
                    p4r.SetForwardingPipelineConfigRequest(
                        device_id=self.device_id,
                        action=p4r.SetForwardingPipelineConfigRequest.VERIFY_AND_COMMIT,
                        config=schema.get_pipeline_config(),
                    )
                )
            except P4ClientError as error:
                raise self._error(error, PipelineError, "the switch refused the program") from None
        self._schema = schema
        self._encoded.clear()
        return loaded

    def _check_device_config(self, blob: bytes, schema: P4Schema) -> None:
        """PipelineError where BMv2 JSON lacks what P4Info promises.

        BMv2 itself takes no program any more after one that it could not read, until it is restarted, and
        runs one without the tables.
        """
        try:
            pipelines = json.loads(blob).get("pipelines", [])
            present = {table["name"] for pipeline in pipelines for table in pipeline["tables"]}
        except (ValueError, AttributeError, TypeError, KeyError) as error:
            message = f"the device config is not BMv2 JSON: {_one_line(str(error))}"
            raise PipelineError(self.address, message) from None
        for table in schema.tables:
            if table.name not in present:
                raise PipelineError(self.address, f"the device config has no table {table.name}")

    async def _cookie(self) -> int | None:
        config = await self._pipeline_config(p4r.GetForwardingPipelineConfigRequest.COOKIE_ONLY)
        return config.cookie.cookie if config is not None and config.HasField("cookie") else None

    async def _pipeline_config(
        self, response_type: p4r.GetForwardingPipelineConfigRequest.ResponseType.ValueType
    ) -> p4r.ForwardingPipelineConfig | None:
        request = p4r.GetForwardingPipelineConfigRequest(
            device_id=self.device_id, response_type=response_type
        )
        try:
            return (await self._client.request(request)).config
        except P4ClientError as error:
            if error.code == GRPCStatusCode.FAILED_PRECONDITION:
                return None
            raise self._error(error, PipelineError, "the switch does not say what it runs") from None

    async def use_pipeline(self) -> None:
        """Use the program that the switch runs; PipelineError if there is none, or not one of ours."""
        config = await self._pipeline_config(p4r.GetForwardingPipelineConfigRequest.P4INFO_AND_COOKIE)
        if config is None or not config.HasField("p4info"):
            raise PipelineError(
                self.address,
                "the switch runs no program yet: load one with mecn apply or serve, --p4info and --program",
            )
        if self._schema is None or self._schema.p4info != config.p4info:
            self._schema = self._usable(config.p4info, None, "the program on the switch")
            self._encoded.clear()

    def _usable(self, p4info: p4i.P4Info, blob: bytes | None, which: str) -> P4Schema:
        """The schema of a program that has all that this controller uses."""
        try:
            schema = P4Schema(p4info, blob)
        except ValueError as error:
            message = f"the P4Info of {which} is not consistent: {_one_line(str(error))}"
            raise PipelineError(self.address, message) from None
        for kind, present, wanted in (
            ("table", schema.tables, (*names.ROUTE_TABLES, *names.AQM_TABLES)),
            ("counter", schema.counters, (names.EARLY_DROP_STATS, names.MARKING_STATS)),
        ):
            for name in wanted:
                if present.get(name) is None:
                    called = f" ({schema.name})" if schema.name else ""
                    raise PipelineError(self.address, f"{which}{called} has no {kind} {name}")
        return schema

    # ---- Entries -------------------------------------------------------------------------------------------

    def encoded(self, entry: Entry) -> p4r.TableEntry:
        """An entry as message; PipelineError if the program has no such table, field, action or width."""
        found = self._encoded.get(entry)
        if found is not None:
            return found
        try:
            message = wire.encode(entry, self.schema)
        except ValueError as error:
            raise PipelineError(self.address, f"the program on the switch does not fit: {error}") from None
        if len(self._encoded) >= MAX_ENCODED:
            self._encoded.clear()
        self._encoded[entry] = message
        return message

    def check_entry(self, entry: Entry) -> None:
        """PipelineError if the program has no such table, field, action or width."""
        self.encoded(entry)

    async def read(self, tables: Iterable[str]) -> list[Entry]:
        """All entries of some tables, default entries not included."""
        request = p4r.ReadRequest(
            device_id=self.device_id,
            entities=[
                p4r.Entity(table_entry=p4r.TableEntry(table_id=self.schema.tables[table].id))
                for table in tables
            ],
        )
        try:
            return [
                wire.decode(entity.table_entry, self.schema)
                async for answer in self._client.request_iter(request)
                for entity in answer.entities
            ]
        except P4ClientError as error:
            raise self._error(error, SwitchError, "the switch refused a read") from None
        except ValueError as error:
            raise SwitchError(
                self.address, f"the switch sent an entry that its program does not have: {error}"
            ) from None

    async def insert(self, entries: Sequence[Entry]) -> None:
        """Write new entries."""
        await self._write(p4r.Update.INSERT, entries)

    async def modify(self, entries: Sequence[Entry]) -> None:
        """Change the actions of entries that exist."""
        await self._write(p4r.Update.MODIFY, entries)

    async def delete(self, entries: Sequence[Entry]) -> None:
        """Delete entries that exist."""
        await self._write(p4r.Update.DELETE, entries)

    async def _write(self, kind: p4r.Update.Type.ValueType, entries: Sequence[Entry]) -> None:
        messages = [self.encoded(entry) for entry in entries]
        verb = p4r.Update.Type.Name(kind).lower()
        for start in range(0, len(messages), BATCH):
            batch = messages[start : start + BATCH]
            request = p4r.WriteRequest(
                device_id=self.device_id,
                updates=[p4r.Update(type=kind, entity=p4r.Entity(table_entry=message)) for message in batch],
            )
            try:
                await self._client.request(request)
            except P4ClientError as error:
                refused = self._write_error(error, verb, entries[start : start + BATCH])
                if kind == p4r.Update.INSERT and isinstance(refused, WriteError):
                    raise await self._with_full_tables(refused, batch) from None
                raise refused from None

    async def _with_full_tables(self, error: WriteError, batch: Sequence[p4r.TableEntry]) -> WriteError:
        """The error, and which tables are full: BMv2 says UNKNOWN, and no more."""
        sizes = {
            self.schema.tables[number].name: self.schema.tables[number].size
            for number in {e.table_id for e in batch}
        }
        try:
            held = Counter(entry.table for entry in await self.read(sizes))
        except SwitchError:
            return error
        full = [
            f"{name} is full: {size} entries" for name, size in sorted(sizes.items()) if held[name] >= size
        ]
        return WriteError(self.address, "; ".join([str(error).removeprefix(f"{self.address}: "), *full]))

    def _write_error(self, error: P4ClientError, verb: str, batch: Sequence[Entry]) -> SwitchError:
        for index, detail in sorted(error.details.items()):
            where = describe(batch[index]) if index < len(batch) else "an entry"
            others = f" (and {len(error.details) - 1} more)" if len(error.details) > 1 else ""
            why = f"{detail.canonical_code.name}: {_one_line(detail.message)}"
            return WriteError(self.address, f"the switch refused to {verb} {where}: {why}{others}")
        return self._error(error, WriteError, f"the switch refused to {verb} entries")

    # ---- Counters ------------------------------------------------------------------------------------------

    async def counters(self, counter: str, indices: Iterable[int]) -> dict[int, tuple[int, int]]:
        """Packets and bytes that a counter's cells have counted."""
        number = self.schema.counters[counter].id
        wanted = list(indices)
        request = p4r.ReadRequest(
            device_id=self.device_id,
            entities=[
                p4r.Entity(counter_entry=p4r.CounterEntry(counter_id=number, index=p4r.Index(index=index)))
                for index in wanted
            ],
        )
        found: dict[int, tuple[int, int]] = {}
        if not wanted:
            return found
        try:
            async for answer in self._client.request_iter(request):
                for entity in answer.entities:
                    entry = entity.counter_entry
                    found[entry.index.index] = (entry.data.packet_count, entry.data.byte_count)
        except P4ClientError as error:
            raise self._error(error, SwitchError, f"the switch refused to read counter {counter}") from None
        missing = [index for index in wanted if index not in found]
        if missing:
            raise SwitchError(
                self.address, f"the switch did not answer for counter {counter}, index {missing[0]}"
            )
        return found

    # ---- Reports -------------------------------------------------------------------------------------------

    async def reports(self, *, wanted: bool = True) -> AsyncIterator[PortReport]:
        """Port reports as they come, without end; ElectionError when another controller takes over.

        Nothing else may receive on this connection meanwhile. Unless they are `wanted` the switch is not
        asked for any, and this only waits for what ends the connection.
        """
        if wanted:
            await self._ask_for_reports()
        while True:
            try:
                message = await self._client.receive()
                if message.HasField("arbitration") and message.arbitration.status.code != GRPCStatusCode.OK:
                    raise ElectionError(self.address, "another controller has taken over")
                if message.HasField("digest"):
                    digests = P4DigestList.decode(message, self.schema)
                    await self._client.send(digests.ack().encode_update(self.schema))
                    for fields in digests:
                        try:
                            report = PortReport.from_fields(cast("dict[str, int]", fields))
                        except (KeyError, ValueError) as error:
                            _LOG.warning("a digest that is no report: %s", error)
                        else:
                            yield report
            except P4ClientError as error:
                raise self._error(error, SwitchError, "the switch ended the stream") from None
            except RuntimeError:
                # finsy's word for an end of the stream that carries no status.
                raise SwitchError(self.address, "the switch closed the connection") from None

    async def _ask_for_reports(self) -> None:
        if self.schema.digests.get(names.PORT_REPORT) is None:
            raise PipelineError(self.address, "the program on the switch sends no reports")
        digest = P4DigestEntry(names.PORT_REPORT, max_list_size=1)
        update = p4r.Update(type=p4r.Update.INSERT, entity=digest.encode(self.schema))
        try:
            await self._client.request(p4r.WriteRequest(device_id=self.device_id, updates=[update]))
        except P4ClientError as error:
            if not any(d.canonical_code == GRPCStatusCode.ALREADY_EXISTS for d in error.details.values()):
                raise self._error(error, SwitchError, "the switch refused to send reports") from None
