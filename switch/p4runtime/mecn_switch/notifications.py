# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""What the data plane has for controllers besides packets: digests (9.10) and idle entries (16.4)."""

import time

from finsy.proto import p4r

from .pipeline import Pipeline
from .streams import Streams
from .tables import found_entry


def notify(pipeline: Pipeline, streams: Streams) -> None:
    """Takes digests and idle entries from the switch and sends what is due."""
    if pipeline.schema.digests:
        _send_digests(pipeline, streams)
    if any(table.idle_timeout for table in pipeline.schema.tables.values()):
        _send_idle_entries(pipeline, streams)


def _send_digests(pipeline: Pipeline, streams: Streams) -> None:
    now_ns, wall_ns = pipeline.clock(), time.time_ns()
    by_name = {digest.name: digest for digest in pipeline.schema.digests.values()}
    lists = []
    for name, values in pipeline.switch.take_digests():
        if name in by_name:
            lists.append(pipeline.digests.offer(by_name[name], tuple(values), now_ns, wall_ns))
    lists.extend(pipeline.digests.poll(pipeline.schema, now_ns, wall_ns))
    for digest_list in lists:
        if digest_list is not None:
            streams.notify(digest_list.digest_id, p4r.StreamMessageResponse(digest=digest_list))


def _send_idle_entries(pipeline: Pipeline, streams: Streams) -> None:
    by_name = {table.name: table for table in pipeline.schema.tables.values()}
    notifications: dict[int, p4r.IdleTimeoutNotification] = {}
    for name, idle in pipeline.switch.take_idle_entries(pipeline.clock()):
        table = by_name.get(name)
        if table is None:
            continue
        notification = notifications.setdefault(table.id, p4r.IdleTimeoutNotification())
        notification.table_entry.append(found_entry(pipeline, table, idle).to_wire())
    for table_id, notification in notifications.items():
        notification.timestamp = time.time_ns()
        streams.notify(table_id, p4r.StreamMessageResponse(idle_timeout_notification=notification))
