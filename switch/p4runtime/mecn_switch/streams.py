# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""Open StreamChannels, and messages to the controllers at their other ends (section 16)."""

import queue
import threading
from collections.abc import Callable, Iterator
from typing import Any

from finsy.proto import p4r, rpc_code, rpc_status
from google.protobuf.message import Message

from .arbitration import Notice
from .budgets import ECHO_BYTES, STREAM_BYTES, STREAM_MESSAGES
from .roles import Role, Roles
from .status import ERROR_SPACE, StatusError

StreamResponse = p4r.StreamMessageResponse


class Stream:
    """One StreamChannel: a queue of responses, which ends in silence or with an error.

    `cancel` ends the call at once, whatever waits to be sent. `check_role` raises what ends the stream if its
    client may not name a role.
    """

    def __init__(
        self, cancel: Callable[[], object], check_role: Callable[[str], None] = lambda _role: None
    ) -> None:
        self.arbitrated = False
        self.check_role = check_role
        self._cancel = cancel
        self._queue: queue.SimpleQueue[Message | StatusError | None] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._bytes = 0

    def send(self, response: Message) -> None:
        """Sends a message that must arrive: a client that does not take it is cut off."""
        if not self.offer(response):
            self._cancel()

    def offer(self, response: Message) -> bool:
        """Sends a message that may be lost; False if it was, because too much waits."""
        size = response.ByteSize()
        with self._lock:
            if self._queue.qsize() >= STREAM_MESSAGES or self._bytes + size > STREAM_BYTES:
                return False
            self._bytes += size
        self._queue.put(response)
        return True

    def fail(self, error: StatusError) -> None:
        """Ends the stream with a status, after what waits to be sent."""
        self._queue.put(error)

    def cut(self) -> None:
        """Ends the call now, for a client that does not take what waits."""
        self._cancel()

    def close(self) -> None:
        """Ends the stream in good order."""
        self._queue.put(None)

    def responses(self) -> Iterator[Any]:
        """What to send, as it comes. Raises the status that `fail` was given."""
        while (item := self._queue.get()) is not None:
            if isinstance(item, StatusError):
                raise item
            with self._lock:
                self._bytes -= item.ByteSize()
            yield item


class Streams:
    """The open streams of a device. The device's lock protects them."""

    def __init__(self, device_id: int, roles: Roles, max_streams: int) -> None:
        self._device_id = device_id
        self._roles = roles
        self._max_streams = max_streams
        self._open: set[Stream] = set()

    def add(self, stream: Stream) -> None:
        """Raises RESOURCE_EXHAUSTED if too many are open."""
        if len(self._open) >= self._max_streams:
            raise StatusError(rpc_code.RESOURCE_EXHAUSTED, "too many streams are open")
        self._open.add(stream)

    def __contains__(self, stream: Stream) -> bool:
        return stream in self._open

    def remove(self, stream: Stream) -> None:
        """The stream is over: its controller has gone."""
        role = self._roles.role_of(stream)
        self._open.discard(stream)
        notices = self._roles.leave(stream)
        if role is not None:
            self.tell(role, notices)

    def tell(self, role: Role, notices: list[Notice]) -> None:
        """Sends arbitration updates."""
        for notice in notices:
            update = p4r.MasterArbitrationUpdate(
                device_id=self._device_id,
                status=rpc_status.Status(code=notice.code, message=notice.message),
            )
            if role.name:
                update.role.name = role.name
                if role.wire is not None:
                    update.role.config.CopyFrom(role.wire)
            if notice.election_id is not None:
                update.election_id.high = notice.election_id >> 64
                update.election_id.low = notice.election_id & (1 << 64) - 1
            if isinstance(notice.session, Stream):
                notice.session.send(StreamResponse(arbitration=update))

    def packet_in(self, packet: p4r.PacketIn) -> int:
        """Sends a packet to the primary of each role that takes it; returns to how many."""
        sent = 0
        for role, primary in self._roles.primaries():
            if (role.config is None or role.config.wants_packet_in(packet)) and isinstance(primary, Stream):
                sent += primary.offer(StreamResponse(packet=packet))
        return sent

    def notify(self, object_id: int, response: StreamResponse) -> int:
        """Sends a digest list or idle notification about an object to the primary of each role that may
        write it."""
        sent = 0
        for role, primary in self._roles.primaries():
            if role.may_read(object_id) and isinstance(primary, Stream):
                sent += primary.offer(response)
        return sent


def packet_out_error(error: StatusError, packet: p4r.PacketOut) -> StreamResponse:
    """What a controller is told about a packet-out that was dropped."""
    wire = _stream_error(error)
    if packet.ByteSize() <= ECHO_BYTES:
        wire.packet_out.packet_out.CopyFrom(packet)
    else:
        wire.packet_out.packet_out.payload = packet.payload[:ECHO_BYTES]
    return StreamResponse(error=wire)


def digest_ack_error(error: StatusError, ack: p4r.DigestListAck) -> StreamResponse:
    """What a controller is told about an acknowledgement that refers to nothing."""
    wire = _stream_error(error)
    wire.digest_list_ack.digest_list_ack.CopyFrom(ack)
    return StreamResponse(error=wire)


def other_error(error: StatusError, request: p4r.StreamMessageRequest) -> StreamResponse:
    """What a controller is told about a message of another kind, or of none."""
    wire = _stream_error(error)
    wire.other.SetInParent()
    if request.HasField("other") and request.other.ByteSize() <= ECHO_BYTES:
        wire.other.other.CopyFrom(request.other)
    return StreamResponse(error=wire)


def _stream_error(error: StatusError) -> p4r.StreamError:
    return p4r.StreamError(canonical_code=error.code, message=error.message, space=ERROR_SPACE)
