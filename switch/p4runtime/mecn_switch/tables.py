# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""Reads of table entries (section 9.1.6)."""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass

import mecn_native
from finsy.proto import p4r, rpc_code

from .meters import config_to_wire, no_counters
from .pipeline import NO_COOKIES, Cookies, EntryKey, Pipeline
from .schema import Table
from .status import StatusError, invalid_argument
from .translate import call_to_wire, canonical_key, key_from_wire, key_to_wire


def read_table_entries(pipeline: Pipeline, query: p4r.TableEntry) -> Iterator[p4r.TableEntry]:
    """The entries that a query selects: default values in it are wildcards."""
    if query.table_id == 0 and (
        query.match
        or query.HasField("action")
        or query.priority
        or query.metadata
        or query.controller_metadata
    ):
        raise invalid_argument("a query without a table id selects all entries and takes no other filter")
    tables = (
        [pipeline.schema.table(query.table_id)] if query.table_id else list(pipeline.schema.tables.values())
    )
    if query.HasField("time_since_last_hit") and (
        query.is_default_action or (query.table_id and not tables[0].idle_timeout)
    ):
        raise invalid_argument(f"table {tables[0].name}: such an entry has no idle timeout")
    now_ns = pipeline.clock()
    for table in tables:
        if query.HasField("meter_counter_data") and table.direct_meter is not None:
            raise no_counters(table.direct_meter)
        for found in select(pipeline, table, query):
            wire = found.to_wire()
            if found.entry is not None:
                if query.HasField("counter_data") and table.direct_counter is not None:
                    wire.counter_data.CopyFrom(found.counter_data())
                if query.HasField("meter_config") and table.direct_meter is not None:
                    config = found.meter_config()
                    if config is not None:
                        wire.meter_config.CopyFrom(config)
                if query.HasField("time_since_last_hit") and table.idle_timeout:
                    wire.time_since_last_hit.elapsed_ns = max(0, now_ns - found.idle_timeout()[1])
            yield wire


@dataclass(frozen=True)
class Found:
    """An entry that a query selected; `entry` is None for the default entry."""

    pipeline: Pipeline
    table: Table
    entry: mecn_native.TableEntry | None
    action: p4r.TableAction
    cookies: Cookies
    is_const: bool

    def to_wire(self) -> p4r.TableEntry:
        """Without counters, meters and times, which a query must ask for."""
        wire = p4r.TableEntry(
            table_id=self.table.id,
            action=self.action,
            controller_metadata=self.cookies.controller_metadata,
            metadata=self.cookies.metadata,
            is_default_action=self.entry is None,
            is_const=self.is_const,
        )
        if self.entry is not None:
            wire.match.extend(key_to_wire(self.table, self.entry.match))
            wire.priority = self.entry.priority
            if self.table.idle_timeout:
                wire.idle_timeout_ns = self.idle_timeout()[0]
        return wire

    def idle_timeout(self) -> tuple[int, int]:
        """The idle timeout and the time of the last hit, of an entry of a table that has them."""
        if self.entry is None:
            return (0, 0)
        return self.pipeline.switch.idle_timeout(self.table.name, self.entry.match, self.entry.priority)

    def meter_config(self) -> p4r.MeterConfig | None:
        """The configuration of the entry's meter, of an entry of a table that has them."""
        if self.entry is None:
            return None
        config = self.pipeline.switch.direct_meter(self.table.name, self.entry.match, self.entry.priority)
        return None if config is None else config_to_wire(config)

    def counter_data(self) -> p4r.CounterData:
        """The entry's counter, of an entry of a table that has them."""
        if self.entry is None:
            return p4r.CounterData()
        return p4r.CounterData(packet_count=self.entry.packets, byte_count=self.entry.bytes)


def select(pipeline: Pipeline, table: Table, query: p4r.TableEntry) -> Iterator[Found]:
    """The entries of a table that a query selects."""
    if query.HasField("action") and table.implementation_id:
        raise StatusError(
            rpc_code.UNIMPLEMENTED, f"table {table.name}: entries cannot be selected by member or group"
        )
    if query.is_default_action:
        if query.match or query.priority:
            raise invalid_argument(
                f"table {table.name}: a query for the default entry has neither match nor priority"
            )
        candidates = _default_entry(pipeline, table)
    else:
        candidates = _entries(pipeline, table, query)
    for found in candidates:
        if query.HasField("action") and query.action.action.action_id != found.action.action.action_id:
            continue
        if query.controller_metadata and query.controller_metadata != found.cookies.controller_metadata:
            continue
        if query.metadata and query.metadata != found.cookies.metadata:
            continue
        yield found


def _entries(pipeline: Pipeline, table: Table, query: p4r.TableEntry) -> Iterator[Found]:
    for entry in _candidates(pipeline, table, query):
        if not query.priority or query.priority == entry.priority:
            yield found_entry(pipeline, table, entry)


def found_entry(pipeline: Pipeline, table: Table, entry: mecn_native.TableEntry) -> Found:
    """An entry of the switch with what the server keeps for it."""
    key = entry_key(table, entry)
    cookies = pipeline.cookies.get(key, NO_COOKIES)
    action = _entry_action(pipeline, table, entry, key)
    return Found(pipeline, table, entry, action, cookies, table.is_const)


def _entry_action(
    pipeline: Pipeline, table: Table, entry: mecn_native.TableEntry, key: EntryKey
) -> p4r.TableAction:
    if key in pipeline.one_shots:
        return p4r.TableAction(action_profile_action_set=pipeline.one_shots[key].wire)
    if entry.member is not None:
        return p4r.TableAction(action_profile_member_id=entry.member)
    if entry.group is not None:
        return p4r.TableAction(action_profile_group_id=entry.group)
    return p4r.TableAction(action=call_to_wire(table, entry.action))


def _candidates(pipeline: Pipeline, table: Table, query: p4r.TableEntry) -> Iterator[mecn_native.TableEntry]:
    """The entries with the match of the query; all entries if it has none."""
    if not query.match:
        yield from pipeline.switch.entries(table.name)
    elif table.needs_priority and not query.priority:
        key, _ = key_from_wire(table, p4r.TableEntry(match=query.match, priority=1))
        for entry in pipeline.switch.entries(table.name):
            if canonical_key(table, entry.match) == key:
                yield entry
    else:
        key, priority = key_from_wire(table, query)
        with suppress(mecn_native.NotFoundError):
            yield pipeline.switch.entry(table.name, key, priority)


def _default_entry(pipeline: Pipeline, table: Table) -> Iterator[Found]:
    action = pipeline.switch.default_action(table.name)
    if action is not None:
        cookies = pipeline.default_cookies.get(table.id, NO_COOKIES)
        wire = p4r.TableAction(action=call_to_wire(table, action))
        yield Found(pipeline, table, None, wire, cookies, table.const_default)


def entry_key(table: Table, entry: mecn_native.TableEntry) -> EntryKey:
    """What identifies an entry."""
    return (table.id, canonical_key(table, entry.match), entry.priority)
