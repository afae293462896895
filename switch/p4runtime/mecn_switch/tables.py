# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""Table entries and their direct counters (sections 9.1 and 9.3): write and read."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass

import mecn_native
from finsy.proto import p4r, rpc_code
from mecn_native import TableUpdate

from .pipeline import Cookies, EntryKey, Pipeline
from .schema import Table
from .status import StatusError, from_engine, invalid_argument
from .translate import action_from_wire, action_to_wire, canonical_key, key_from_wire, key_to_wire

NO_COOKIES = Cookies()


@dataclass(frozen=True)
class Plan:
    """A checked update of a table entry: what the engine is to do, and then this module."""

    table: Table
    updates: Sequence[TableUpdate]
    after: Callable[[], object]

    def refused(self, error: mecn_native.ControlError) -> StatusError:
        """The engine's refusal of one of the updates."""
        return from_engine(f"table {self.table.name}", error)


def plan_table_entry(pipeline: Pipeline, kind: p4r.Update.Type.ValueType, entry: p4r.TableEntry) -> Plan:
    """What inserting, modifying or deleting an entry, or modifying the default entry, takes."""
    table = pipeline.schema.table(entry.table_id)
    if kind != p4r.Update.DELETE:
        _check_extras(table, entry)
    if entry.is_default_action:
        return _plan_default_entry(pipeline, table, kind, entry)
    if kind == p4r.Update.INSERT:
        return _plan_insert(pipeline, table, entry)
    if kind == p4r.Update.MODIFY:
        return _plan_modify(pipeline, table, entry)
    return _plan_delete(pipeline, table, entry)


def write_table_entry(pipeline: Pipeline, kind: p4r.Update.Type.ValueType, entry: p4r.TableEntry) -> None:
    """Inserts, modifies or deletes an entry, or modifies the default entry."""
    plan = plan_table_entry(pipeline, kind, entry)
    for update in plan.updates:  # only the first can be refused, the others set up what it has made
        refused = pipeline.switch.update_tables([update])
        if refused is not None:
            raise plan.refused(refused[1])
    plan.after()


def write_direct_counter_entry(
    pipeline: Pipeline, kind: p4r.Update.Type.ValueType, entry: p4r.DirectCounterEntry
) -> None:
    """Sets the counter of one entry."""
    if kind != p4r.Update.MODIFY:
        raise invalid_argument("a direct counter entry can only be modified")
    table = _counted_table(pipeline, entry.table_entry.table_id)
    try:
        if entry.table_entry.is_default_action:
            raise StatusError(rpc_code.UNIMPLEMENTED, f"table {table.name}: the default entry has no counter")
        key, priority = key_from_wire(table, entry.table_entry)
        found = pipeline.switch.entry(table.name, key, priority)
        if entry.HasField("data"):
            _check_counter_data(table, entry.data)
            _set_counter(pipeline, table, found, entry.data)
    except mecn_native.ControlError as error:
        raise from_engine(f"table {table.name}", error) from error


def read_table_entries(pipeline: Pipeline, query: p4r.TableEntry) -> Iterator[p4r.TableEntry]:
    """The entries that a query selects (section 9.1.6): default values in it are wildcards."""
    if query.table_id == 0 and (query.match or query.HasField("action")):
        raise invalid_argument("a query without a table id cannot select by match or action")
    tables = (
        [pipeline.schema.table(query.table_id)] if query.table_id else list(pipeline.schema.tables.values())
    )
    for table in tables:
        if query.HasField("meter_config") or query.HasField("meter_counter_data"):
            raise StatusError(rpc_code.UNIMPLEMENTED, "direct meters are not supported yet")
        if query.HasField("time_since_last_hit"):
            raise _no_idle_timeout(table)
        for found in _select(pipeline, table, query):
            wire = found.to_wire()
            if (
                query.HasField("counter_data")
                and table.direct_counter is not None
                and found.entry is not None
            ):
                wire.counter_data.CopyFrom(_counter_data(found.entry))
            yield wire


def read_direct_counter_entries(
    pipeline: Pipeline, query: p4r.DirectCounterEntry
) -> Iterator[p4r.DirectCounterEntry]:
    """The counters of the entries that `query.table_entry` selects."""
    selector = query.table_entry
    if selector.table_id:
        tables = [_counted_table(pipeline, selector.table_id)]
    else:
        tables = [table for table in pipeline.schema.tables.values() if table.direct_counter is not None]
    for table in tables:
        selected = [found for found in _select(pipeline, table, selector) if found.entry is not None]
        if selector.match and not selected:
            raise StatusError(rpc_code.NOT_FOUND, f"table {table.name} has no such entry")
        for found in selected:
            if found.entry is not None:
                yield p4r.DirectCounterEntry(table_entry=found.to_wire(), data=_counter_data(found.entry))


@dataclass(frozen=True)
class _Found:
    """An entry that a query selected; `entry` is None for the default entry."""

    table: Table
    entry: mecn_native.TableEntry | None
    action: mecn_native.ActionCall
    cookies: Cookies
    is_const: bool

    def to_wire(self) -> p4r.TableEntry:
        wire = p4r.TableEntry(
            table_id=self.table.id,
            action=action_to_wire(self.table, self.action),
            controller_metadata=self.cookies.controller_metadata,
            metadata=self.cookies.metadata,
            is_default_action=self.entry is None,
            is_const=self.is_const,
        )
        if self.entry is not None:
            wire.match.extend(key_to_wire(self.table, self.entry.match))
            wire.priority = self.entry.priority
        return wire


def _select(pipeline: Pipeline, table: Table, query: p4r.TableEntry) -> Iterator[_Found]:
    if query.is_default_action:
        if query.match or query.priority:
            raise invalid_argument(
                f"table {table.name}: a query for the default entry has neither match nor priority"
            )
        candidates = _default_entry(pipeline, table)
    else:
        candidates = _entries(pipeline, table, query)
    for found in candidates:
        if (
            query.HasField("action")
            and query.action.action.action_id != table.action_named(found.action.name).id
        ):
            continue
        if query.controller_metadata and query.controller_metadata != found.cookies.controller_metadata:
            continue
        if query.metadata and query.metadata != found.cookies.metadata:
            continue
        yield found


def _entries(pipeline: Pipeline, table: Table, query: p4r.TableEntry) -> Iterator[_Found]:
    for entry in _candidates(pipeline, table, query):
        if query.priority and query.priority != entry.priority:
            continue
        cookies = pipeline.cookies.get(_entry_key(table, entry), NO_COOKIES)
        yield _Found(table, entry, entry.action, cookies, entry.is_const)


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


def _default_entry(pipeline: Pipeline, table: Table) -> Iterator[_Found]:
    action = pipeline.switch.default_action(table.name)
    if action is not None:
        cookies = pipeline.default_cookies.get(table.id, NO_COOKIES)
        yield _Found(table, None, action, cookies, table.const_default)


def _plan_insert(pipeline: Pipeline, table: Table, entry: p4r.TableEntry) -> Plan:
    _check_not_const(table)
    if not table.fields:
        raise invalid_argument(f"table {table.name} has no match fields, so it has a default entry only")
    key, priority = key_from_wire(table, entry)
    if not entry.HasField("action"):
        raise invalid_argument(f"table {table.name}: an entry to insert needs an action")
    action = action_from_wire(table, entry.action, default=False)
    insert = TableUpdate.Insert(table.name, key, priority, action)
    return Plan(
        table,
        [insert, *_resources(table, entry, key, priority)],
        lambda: _keep_cookies(pipeline, (table.id, key, priority), entry),
    )


def _plan_modify(pipeline: Pipeline, table: Table, entry: p4r.TableEntry) -> Plan:
    key, priority = key_from_wire(table, entry)
    action = None
    if entry.HasField("action"):
        _check_not_const(table)
        action = action_from_wire(table, entry.action, default=False)

    def after() -> None:
        if not table.is_const:
            _keep_cookies(pipeline, (table.id, key, priority), entry)

    modify = TableUpdate.Modify(table.name, key, priority, action)
    return Plan(table, [modify, *_resources(table, entry, key, priority)], after)


def _plan_delete(pipeline: Pipeline, table: Table, entry: p4r.TableEntry) -> Plan:
    _check_not_const(table)
    key, priority = key_from_wire(table, entry)
    return Plan(
        table,
        [TableUpdate.Delete(table.name, key, priority)],
        lambda: pipeline.cookies.pop((table.id, key, priority), None),
    )


def _resources(
    table: Table, entry: p4r.TableEntry, key: Sequence[mecn_native.MatchField], priority: int
) -> Iterator[TableUpdate]:
    """What the direct resources of an entry are set to, where the request says so."""
    if entry.HasField("counter_data"):
        data = entry.counter_data
        yield TableUpdate.SetCounter(table.name, key, priority, data.packet_count, data.byte_count)


def _plan_default_entry(
    pipeline: Pipeline, table: Table, kind: p4r.Update.Type.ValueType, entry: p4r.TableEntry
) -> Plan:
    if kind != p4r.Update.MODIFY:
        raise invalid_argument(f"table {table.name}: the default entry can only be modified")
    if entry.match or entry.priority:
        raise invalid_argument(f"table {table.name}: the default entry has neither match nor priority")
    if entry.HasField("counter_data"):
        raise StatusError(rpc_code.UNIMPLEMENTED, f"table {table.name}: the default entry has no counter")
    if table.const_default:
        raise StatusError(rpc_code.PERMISSION_DENIED, f"table {table.name}: the default action is constant")
    if not entry.HasField("action"):
        return Plan(
            table,
            [TableUpdate.SetDefault(table.name, None)],
            lambda: pipeline.default_cookies.pop(table.id, None),
        )
    action = action_from_wire(table, entry.action, default=True)
    cookies = Cookies(entry.controller_metadata, entry.metadata)
    return Plan(
        table,
        [TableUpdate.SetDefault(table.name, action)],
        lambda: pipeline.default_cookies.__setitem__(table.id, cookies),
    )


def _check_extras(table: Table, entry: p4r.TableEntry) -> None:
    if entry.is_const:
        raise invalid_argument(f"table {table.name}: a controller cannot write constant entries (is_const)")
    if entry.HasField("meter_config") or entry.HasField("meter_counter_data"):
        raise StatusError(rpc_code.UNIMPLEMENTED, f"table {table.name}: direct meters are not supported yet")
    if entry.HasField("time_since_last_hit"):
        raise invalid_argument(f"table {table.name}: time_since_last_hit cannot be written")
    if entry.idle_timeout_ns:
        raise _no_idle_timeout(table)
    if entry.HasField("counter_data"):
        if table.direct_counter is None:
            raise invalid_argument(f"table {table.name} has no direct counter")
        _check_counter_data(table, entry.counter_data)


def _no_idle_timeout(table: Table) -> StatusError:
    if table.idle_timeout:
        return StatusError(rpc_code.UNIMPLEMENTED, f"table {table.name}: idle timeouts are not supported yet")
    return invalid_argument(f"table {table.name} has no idle timeout")


def _check_not_const(table: Table) -> None:
    if table.is_const:
        raise StatusError(rpc_code.PERMISSION_DENIED, f"table {table.name}: the entries are constant")


def _counted_table(pipeline: Pipeline, table_id: int) -> Table:
    table = pipeline.schema.table(table_id)
    if table.direct_counter is None:
        raise invalid_argument(f"table {table.name} has no direct counter")
    return table


def _counter_data(entry: mecn_native.TableEntry) -> p4r.CounterData:
    return p4r.CounterData(packet_count=entry.packets, byte_count=entry.bytes)


def _check_counter_data(table: Table, data: p4r.CounterData) -> None:
    if data.packet_count < 0 or data.byte_count < 0:
        raise invalid_argument(f"table {table.name}: a counter cannot be negative")


def _set_counter(
    pipeline: Pipeline, table: Table, entry: mecn_native.TableEntry, data: p4r.CounterData
) -> None:
    pipeline.switch.set_direct_counter(
        table.name, entry.match, entry.priority, data.packet_count, data.byte_count
    )


def _entry_key(table: Table, entry: mecn_native.TableEntry) -> EntryKey:
    return (table.id, canonical_key(table, entry.match), entry.priority)


def _keep_cookies(pipeline: Pipeline, key: EntryKey, entry: p4r.TableEntry) -> None:
    cookies = Cookies(entry.controller_metadata, entry.metadata)
    if cookies == NO_COOKIES:
        pipeline.cookies.pop(key, None)
    else:
        pipeline.cookies[key] = cookies
