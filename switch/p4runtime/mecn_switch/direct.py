# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""Direct counters and direct meters (sections 9.3 and 9.4) as entities of their own: write and read."""

from collections.abc import Iterator

import mecn_native
from finsy.proto import p4r, rpc_code
from mecn_native import TableUpdate

from .meters import config_from_wire, no_counters
from .pipeline import Pipeline
from .schema import Meter, Table
from .status import StatusError, from_engine, invalid_argument
from .tables import Found, select
from .translate import key_from_wire


def write_direct_counter_entry(
    pipeline: Pipeline, kind: p4r.Update.Type.ValueType, entry: p4r.DirectCounterEntry
) -> None:
    """Sets the counter of one entry; without data only asks that there is such an entry."""
    if kind != p4r.Update.MODIFY:
        raise invalid_argument("a direct counter entry can only be modified")
    table = _counted(pipeline.schema.table(entry.table_entry.table_id))
    if entry.data.packet_count < 0 or entry.data.byte_count < 0:
        raise invalid_argument(f"table {table.name}: a counter cannot be negative")
    key, priority = _key(table, entry.table_entry, "counter")
    update: TableUpdate = TableUpdate.Modify(table.name, key, priority, None)
    if entry.HasField("data"):
        data = entry.data
        update = TableUpdate.SetCounter(table.name, key, priority, data.packet_count, data.byte_count)
    _make(pipeline, table, update)


def read_direct_counter_entries(
    pipeline: Pipeline, query: p4r.DirectCounterEntry
) -> Iterator[p4r.DirectCounterEntry]:
    """The counters of the entries that `query.table_entry` selects."""
    for found in _selected(pipeline, query.table_entry, meters=False):
        yield p4r.DirectCounterEntry(table_entry=found.to_wire(), data=found.counter_data())


def write_direct_meter_entry(
    pipeline: Pipeline, kind: p4r.Update.Type.ValueType, entry: p4r.DirectMeterEntry
) -> None:
    """Configures the meter of one entry; without a config everything is green."""
    if kind != p4r.Update.MODIFY:
        raise invalid_argument("a direct meter entry can only be modified")
    table = pipeline.schema.table(entry.table_entry.table_id)
    meter = _meter_of(table)
    if entry.HasField("counter_data"):
        raise no_counters(meter)
    config = config_from_wire(meter, entry.config) if entry.HasField("config") else None
    key, priority = _key(table, entry.table_entry, "meter")
    _make(pipeline, table, TableUpdate.SetMeter(table.name, key, priority, config))


def read_direct_meter_entries(
    pipeline: Pipeline, query: p4r.DirectMeterEntry
) -> Iterator[p4r.DirectMeterEntry]:
    """The meters of the entries that `query.table_entry` selects."""
    for found in _selected(pipeline, query.table_entry, meters=True):
        if query.HasField("counter_data"):
            raise no_counters(_meter_of(found.table))
        yield p4r.DirectMeterEntry(table_entry=found.to_wire(), config=found.meter_config())


def _key(table: Table, entry: p4r.TableEntry, what: str) -> tuple[tuple[mecn_native.MatchField, ...], int]:
    if entry.is_default_action:
        raise StatusError(rpc_code.UNIMPLEMENTED, f"table {table.name}: the default entry has no {what}")
    return key_from_wire(table, entry)


def _make(pipeline: Pipeline, table: Table, update: TableUpdate) -> None:
    refused = pipeline.switch.update_tables([update])
    if refused is not None:
        raise from_engine(f"table {table.name}", refused[1])


def _selected(pipeline: Pipeline, selector: p4r.TableEntry, *, meters: bool) -> Iterator[Found]:
    if selector.table_id:
        table = pipeline.schema.table(selector.table_id)
        if meters:
            _meter_of(table)
        else:
            _counted(table)
        tables = [table]
    else:
        tables = [
            table
            for table in pipeline.schema.tables.values()
            if (table.direct_meter if meters else table.direct_counter) is not None
        ]
    for table in tables:
        selected = [found for found in select(pipeline, table, selector) if found.entry is not None]
        if selector.match and not selected:
            raise StatusError(rpc_code.NOT_FOUND, f"table {table.name} has no such entry")
        yield from selected


def _counted(table: Table) -> Table:
    if table.direct_counter is None:
        raise invalid_argument(f"table {table.name} has no direct counter")
    return table


def _meter_of(table: Table) -> Meter:
    if table.direct_meter is None:
        raise invalid_argument(f"table {table.name} has no direct meter")
    return table.direct_meter
