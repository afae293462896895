# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""Digests (section 9.10): which are sent, in lists of what size, and what is not repeated before it is
acknowledged.

No clock here: times are arguments, in nanoseconds.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from finsy.proto import p4r, rpc_code

from .budgets import DIGEST_MESSAGES
from .schema import Digest, Schema
from .status import StatusError, invalid_argument

Message = tuple[int, ...]
"""The values of a digest's fields."""

MAX_UNACKNOWLEDGED = 1 << 16
"""Messages that are remembered as sent; the oldest are forgotten first, and may be sent again."""


@dataclass
class DigestQueue:
    """Messages of one digest: those that wait for their list, and those that wait for an acknowledgement."""

    config: p4r.DigestEntry.Config
    _waiting: dict[Message, None] = field(default_factory=dict)
    _first_ns: int = 0
    _sent: dict[int, tuple[int, tuple[Message, ...]]] = field(default_factory=dict)
    _unacknowledged: set[Message] = field(default_factory=set)
    _last_list_id: int = 0

    def offer(self, message: Message, now_ns: int) -> tuple[int, list[Message]] | None:
        """A message from the data plane; returns a list, with its id, if it is full now."""
        self._forget(now_ns)
        if message in self._waiting or message in self._unacknowledged:
            return None
        if not self._waiting:
            self._first_ns = now_ns
        self._waiting[message] = None
        if len(self._waiting) >= self._list_size():
            return self._send(now_ns)
        return None

    def poll(self, now_ns: int) -> tuple[int, list[Message]] | None:
        """The list that waits, if its time is over."""
        if self._waiting and now_ns - self._first_ns >= self.config.max_timeout_ns:
            return self._send(now_ns)
        return None

    def acknowledge(self, list_id: int) -> None:
        """The controller has a list: what was in it may be sent again. An unknown id is of no consequence."""
        _, messages = self._sent.pop(list_id, (0, ()))
        self._unacknowledged.difference_update(messages)

    def _list_size(self) -> int:
        if self.config.max_timeout_ns == 0:
            return 1
        return min(self.config.max_list_size or DIGEST_MESSAGES, DIGEST_MESSAGES)

    def _send(self, now_ns: int) -> tuple[int, list[Message]]:
        messages = list(self._waiting)
        self._waiting.clear()
        self._last_list_id += 1
        if self.config.ack_timeout_ns:
            self._sent[self._last_list_id] = (now_ns, tuple(messages))
            self._unacknowledged.update(messages)
            while len(self._unacknowledged) > MAX_UNACKNOWLEDGED:
                self.acknowledge(next(iter(self._sent)))
        return self._last_list_id, messages

    def _forget(self, now_ns: int) -> None:
        """Drops lists whose acknowledgement did not come in time; the oldest are first."""
        while self._sent:
            list_id = next(iter(self._sent))
            if now_ns - self._sent[list_id][0] < self.config.ack_timeout_ns:
                return
            self.acknowledge(list_id)


@dataclass
class Digests:
    """The digests of a pipeline that a controller has enabled."""

    _queues: dict[int, DigestQueue] = field(default_factory=dict)

    def write(self, schema: Schema, kind: p4r.Update.Type.ValueType, entry: p4r.DigestEntry) -> None:
        """Enables, configures or disables a digest."""
        digest = schema.digest(entry.digest_id)
        queue = self._queues.get(digest.id)
        if kind == p4r.Update.INSERT and queue is not None:
            raise StatusError(rpc_code.ALREADY_EXISTS, f"digest {digest.name} is enabled")
        if kind != p4r.Update.INSERT and queue is None:
            raise StatusError(rpc_code.NOT_FOUND, f"digest {digest.name} is not enabled")
        if kind == p4r.Update.DELETE:
            del self._queues[digest.id]
            return
        config = p4r.DigestEntry.Config()
        config.CopyFrom(entry.config)
        if min(config.max_timeout_ns, config.max_list_size, config.ack_timeout_ns) < 0:
            raise invalid_argument(f"digest {digest.name}: timeouts and sizes cannot be negative")
        digest.data_type()
        if queue is None:
            self._queues[digest.id] = DigestQueue(config)
        else:
            queue.config = config

    def read(self, schema: Schema, query: p4r.DigestEntry) -> Iterator[p4r.DigestEntry]:
        """The configuration of one digest or (id 0) of all that are enabled."""
        wanted = [schema.digest(query.digest_id).id] if query.digest_id else sorted(self._queues)
        for digest_id in wanted:
            if digest_id in self._queues:
                yield p4r.DigestEntry(digest_id=digest_id, config=self._queues[digest_id].config)

    def offer(self, digest: Digest, message: Message, now_ns: int, wall_ns: int) -> p4r.DigestList | None:
        """A message from the data plane; returns the list to send now, if there is one."""
        queue = self._queues.get(digest.id)
        return None if queue is None else _to_wire(digest, queue.offer(message, now_ns), wall_ns)

    def poll(self, schema: Schema, now_ns: int, wall_ns: int) -> Iterator[p4r.DigestList]:
        """The lists whose time is over."""
        for digest_id, queue in self._queues.items():
            wire = _to_wire(schema.digest(digest_id), queue.poll(now_ns), wall_ns)
            if wire is not None:
                yield wire

    def acknowledge(self, schema: Schema, ack: p4r.DigestListAck) -> None:
        """Raises INVALID_ARGUMENT if there is no such digest."""
        digest = schema.digest(ack.digest_id)
        if digest.id in self._queues:
            self._queues[digest.id].acknowledge(ack.list_id)


def _to_wire(digest: Digest, found: tuple[int, list[Message]] | None, wall_ns: int) -> p4r.DigestList | None:
    if found is None:
        return None
    list_id, messages = found
    data_type = digest.data_type()
    return p4r.DigestList(
        digest_id=digest.id,
        list_id=list_id,
        data=[data_type.encode(iter(message)) for message in messages],
        timestamp=wall_ns,
    )
