# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""Indexed counters (section 9.3): write and read."""

from collections.abc import Iterator

from finsy.proto import p4r

from .cells import cells
from .pipeline import Pipeline
from .status import invalid_argument


def write_counter_entry(pipeline: Pipeline, kind: p4r.Update.Type.ValueType, entry: p4r.CounterEntry) -> None:
    """Sets one cell or, without an index, all cells of a counter."""
    if kind != p4r.Update.MODIFY:
        raise invalid_argument("a counter entry can only be modified")
    counter = pipeline.schema.counter(entry.counter_id)
    if entry.data.packet_count < 0 or entry.data.byte_count < 0:
        raise invalid_argument(f"counter {counter.name}: a counter cannot be negative")
    indexes = cells(f"counter {counter.name}", counter.size, entry)
    if entry.HasField("data"):
        for index in indexes:
            pipeline.switch.counter_write(counter.name, index, entry.data.packet_count, entry.data.byte_count)


def read_counter_entries(pipeline: Pipeline, query: p4r.CounterEntry) -> Iterator[p4r.CounterEntry]:
    """One cell, all cells of a counter, or (id 0) all cells of all counters."""
    if query.counter_id:
        counters = [pipeline.schema.counter(query.counter_id)]
    elif query.HasField("index"):
        raise invalid_argument("a query without a counter id cannot have an index")
    else:
        counters = list(pipeline.schema.counters.values())
    for counter in counters:
        for index in cells(f"counter {counter.name}", counter.size, query):
            packets, octets = pipeline.switch.counter_read(counter.name, index)
            yield p4r.CounterEntry(
                counter_id=counter.id,
                index=p4r.Index(index=index),
                data=p4r.CounterData(packet_count=packets, byte_count=octets),
            )
