# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""A P4Runtime server in front of a real switch: passes everything on, and can be told to misbehave.

Beside that, tests look at the switch here, and change it behind the back of the controller in charge.
"""

from __future__ import annotations

import queue
import threading
import time
from concurrent import futures
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias, TypeVar, cast

import grpc
from finsy.p4schema import P4Schema
from finsy.proto import U128, p4d, p4i, p4r, p4r_grpc, rpc_code, rpc_status
from google.protobuf import any_pb2, text_format
from mecn_controller import names
from mecn_controller.runtime import wire
from mecn_controller.runtime.targets.base import canonical

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from mecn_controller.policy.entries import Entry
    from tests.switches import Program, Switch

ALL_TABLES = (*names.ROUTE_TABLES, *names.AQM_TABLES)
DETAILS = "grpc-status-details-bin"
PATIENCE_S = 60
T = TypeVar("T")
Update = tuple[str, str, "Entry"]
"""INSERT, MODIFY or DELETE; the table's name; the entry."""
Answer: TypeAlias = "p4r.StreamMessageResponse | grpc.RpcError | grpc.StatusCode | None"


@dataclass(eq=False)
class _Stream:
    """One controller's stream: what it is to be sent, and whether the switch said that it is in charge."""

    out: queue.SimpleQueue[Answer] = field(default_factory=queue.SimpleQueue)
    election_id: int = 0
    primary: bool = False
    asked: int = 0
    """Arbitration requests that have not been answered."""


class Meddler(p4r_grpc.P4RuntimeServicer):
    """Stands in front of a switch; controllers connect to `address`."""

    def __init__(self, behind: Switch) -> None:
        self.behind = behind
        self.loads = 0
        self.writes: list[Update] = []
        """What the switch has done, by controllers' requests."""
        self.refuse: Callable[[Update], str | None] = lambda _update: None
        """Why an update is refused; the others of its batch are done."""
        self.lie: Callable[[Entry], Entry] = lambda entry: entry
        """What is read in place of an entry."""
        self.runs: Callable[[p4i.P4Info], None] = lambda _p4info: None
        """Changes what the switch says that it runs."""
        self.before_write: Callable[[], None] = lambda: None
        self.after_write: Callable[[], None] = lambda: None
        """The switch has done it, and the controller does not know yet."""
        self.writing = 0
        """Writes that are under way, also those of a controller that has died."""
        self.delay_s = 0.0
        """How long each write takes."""
        self.tells = True
        """Whether backups hear by themselves that the primary has gone."""
        self._streams: list[_Stream] = []
        self.highest = 1
        """Election id of all that controllers have stated."""
        self._lock = threading.Lock()
        self._channel = grpc.insecure_channel(behind.address)
        self._switch = p4r_grpc.P4RuntimeStub(self._channel)
        self._known: P4Schema | None = None
        self._server = grpc.server(futures.ThreadPoolExecutor(16))
        p4r_grpc.add_P4RuntimeServicer_to_server(self, self._server)
        self.address = f"127.0.0.1:{self._server.add_insecure_port('127.0.0.1:0')}"
        self._server.start()

    def stop(self) -> None:
        self._server.stop(None).wait()
        self._channel.close()

    # ---- Looking, and changing things behind the controllers' backs ---------------------------------------

    def _schema(self) -> P4Schema:
        if self._known is None:
            request = p4r.GetForwardingPipelineConfigRequest(device_id=1)
            self._known = P4Schema(self._switch.GetForwardingPipelineConfig(request).config.p4info)
        return self._known

    def entries(self, *tables: str) -> list[Entry]:
        """Those of some tables; of all if none is named."""
        schema = self._schema()
        wanted = [p4r.TableEntry(table_id=schema.tables[table].id) for table in tables or ALL_TABLES]
        request = p4r.ReadRequest(device_id=1, entities=[p4r.Entity(table_entry=each) for each in wanted])
        found = (entity.table_entry for answer in self._switch.Read(request) for entity in answer.entities)
        return [canonical(wire.decode(entry, schema)) for entry in found]

    def snapshot(self) -> frozenset[Entry]:
        return frozenset(self.entries())

    def delete(self, entries: Iterable[Entry]) -> None:
        self._change(p4r.Update.DELETE, entries)

    def insert(self, entries: Iterable[Entry]) -> None:
        self._change(p4r.Update.INSERT, entries)

    def modify(self, entries: Iterable[Entry]) -> None:
        self._change(p4r.Update.MODIFY, entries)

    def _change(self, kind: p4r.Update.Type.ValueType, entries: Iterable[Entry]) -> None:
        messages = [p4r.Entity(table_entry=wire.encode(entry, self._schema())) for entry in entries]
        self._write([p4r.Update(type=kind, entity=message) for message in messages])

    def count(self, counter: str, index: int, packets: int, size: int) -> None:
        """Set a cell of a counter."""
        number = self._schema().counters[counter].id
        data = p4r.CounterData(packet_count=packets, byte_count=size)
        cell = p4r.CounterEntry(counter_id=number, index=p4r.Index(index=index), data=data)
        self._write([p4r.Update(type=p4r.Update.MODIFY, entity=p4r.Entity(counter_entry=cell))])

    def _write(self, updates: Sequence[p4r.Update]) -> None:
        with self._able_to_write() as election_id:
            request = p4r.WriteRequest(device_id=1, updates=updates)
            request.election_id.CopyFrom(U128.encode(election_id))
            self._switch.Write(request)

    def load(self, program: Program) -> None:
        """Make the switch run a program; its entries are gone."""
        config = p4r.ForwardingPipelineConfig(p4_device_config=program.bmv2_json.encode())
        text_format.Parse(program.p4info, config.p4info)
        action = p4r.SetForwardingPipelineConfigRequest.VERIFY_AND_COMMIT
        request = p4r.SetForwardingPipelineConfigRequest(device_id=1, action=action, config=config)
        with self._able_to_write() as election_id:
            request.election_id.CopyFrom(U128.encode(election_id))
            self._switch.SetForwardingPipelineConfig(request)
        self._known = None

    @contextmanager
    def _able_to_write(self) -> Iterator[int]:
        """An election id that may write: of the controller in charge, or one of our own."""
        if (primary := self._primary()) is not None:
            yield primary.election_id
        else:
            with self.in_charge(self.highest):
                yield self.highest

    @contextmanager
    def in_charge(self, election_id: int) -> Iterator[None]:
        """Another controller is in charge meanwhile."""
        requests: queue.SimpleQueue[p4r.StreamMessageRequest | None] = queue.SimpleQueue()
        update = p4r.MasterArbitrationUpdate(device_id=1, election_id=U128.encode(election_id))
        requests.put(p4r.StreamMessageRequest(arbitration=update))
        stream = self._switch.StreamChannel(iter(requests.get, None))
        try:
            next(stream)
            yield
        finally:
            requests.put(None)
            # The switch ends the stream: then it knows that this controller has gone.
            for _ in stream:
                pass

    def _primary(self) -> _Stream | None:
        with self._lock:
            return next((stream for stream in self._streams if stream.primary), None)

    @property
    def primary_id(self) -> int | None:
        """The election id of the controller in charge."""
        return None if (primary := self._primary()) is None else primary.election_id

    def cut(self) -> None:
        """End every controller's stream."""
        with self._lock:
            for stream in self._streams:
                stream.out.put(grpc.StatusCode.UNAVAILABLE)

    def send_report(self, fields: dict[str, int]) -> None:
        """A port report to the primary."""
        members = [
            p4d.P4Data(bitstring=value.to_bytes(6, "big").lstrip(b"\0") or b"\0") for value in fields.values()
        ]
        digest = p4r.DigestList(digest_id=self._schema().digests[names.PORT_REPORT].id, list_id=1)
        digest.data.add().struct.members.extend(members)
        primary = self._primary()
        assert primary is not None
        primary.out.put(p4r.StreamMessageResponse(digest=digest))

    # ---- P4Runtime -----------------------------------------------------------------------------------------

    def StreamChannel(  # noqa: N802
        self, request_iterator: Iterator[p4r.StreamMessageRequest], context: grpc.ServicerContext
    ) -> Iterator[p4r.StreamMessageResponse]:
        stream = _Stream()
        with self._lock:
            self._streams.append(stream)
        upstream = self._switch.StreamChannel(self._asked(request_iterator, stream))

        def leave() -> None:
            with self._lock:
                self._streams.remove(stream)
            upstream.cancel()
            stream.out.put(None)

        def listen() -> None:
            try:
                for answer in upstream:
                    if self._passes(answer, stream):
                        stream.out.put(answer)
                stream.out.put(None)
            except grpc.RpcError as error:
                stream.out.put(error)

        if not context.add_callback(leave):
            leave()
        threading.Thread(target=listen, daemon=True).start()
        while (answer := stream.out.get()) is not None:
            if isinstance(answer, grpc.RpcError):
                context.abort(answer.code(), answer.details() or "")
            elif isinstance(answer, grpc.StatusCode):
                context.abort(answer, "cut")
            else:
                yield answer

    def _asked(
        self, requests: Iterator[p4r.StreamMessageRequest], stream: _Stream
    ) -> Iterator[p4r.StreamMessageRequest]:
        try:
            for request in requests:
                if request.HasField("arbitration"):
                    with self._lock:
                        stream.election_id = U128.decode(request.arbitration.election_id)
                        self.highest = max(self.highest, stream.election_id)
                        stream.asked += 1
                yield request
        except grpc.RpcError:
            pass  # the controller has gone

    def _passes(self, answer: p4r.StreamMessageResponse, stream: _Stream) -> bool:
        """Whether an answer is passed on; and what it says of who is in charge."""
        if not answer.HasField("arbitration"):
            return True
        with self._lock:
            stream.primary = answer.arbitration.status.code == rpc_code.OK
            asked, stream.asked = stream.asked > 0, max(0, stream.asked - 1)
        return asked or self.tells

    def SetForwardingPipelineConfig(  # noqa: N802
        self, request: p4r.SetForwardingPipelineConfigRequest, context: grpc.ServicerContext
    ) -> p4r.SetForwardingPipelineConfigResponse:
        answer = _passed_on(self._switch.SetForwardingPipelineConfig, request, context)
        self.loads += 1
        self._known = None
        return answer

    def GetForwardingPipelineConfig(  # noqa: N802
        self, request: p4r.GetForwardingPipelineConfigRequest, context: grpc.ServicerContext
    ) -> p4r.GetForwardingPipelineConfigResponse:
        answer: p4r.GetForwardingPipelineConfigResponse = _passed_on(
            self._switch.GetForwardingPipelineConfig, request, context
        )
        if answer.config.HasField("p4info"):
            self.runs(answer.config.p4info)
        return answer

    def Write(self, request: p4r.WriteRequest, context: grpc.ServicerContext) -> p4r.WriteResponse:  # noqa: N802
        with self._lock:
            self.writing += 1
        try:
            return self._pass_on_write(request, context)
        finally:
            with self._lock:
                self.writing -= 1

    def _pass_on_write(self, request: p4r.WriteRequest, context: grpc.ServicerContext) -> p4r.WriteResponse:
        self.before_write()
        time.sleep(self.delay_s)
        records = [self._record(update) for update in request.updates]
        reasons = [None if record is None else self.refuse(record) for record in records]
        if any(reasons):
            self._write_some(request, reasons, context)
        answer = _passed_on(self._switch.Write, request, context)
        self.writes += filter(None, records)
        self.after_write()
        return answer

    def _record(self, update: p4r.Update) -> Update | None:
        if not update.entity.HasField("table_entry"):
            return None
        entry = wire.decode(update.entity.table_entry, self._schema())
        return p4r.Update.Type.Name(update.type), entry.table, entry

    def _write_some(
        self, request: p4r.WriteRequest, reasons: Sequence[str | None], context: grpc.ServicerContext
    ) -> None:
        """Does what is not refused (CONTINUE_ON_ERROR), and ends the call with the reasons of what is."""
        rest = p4r.WriteRequest()
        rest.CopyFrom(request)
        del rest.updates[:]
        rest.updates.extend(u for u, why in zip(request.updates, reasons, strict=True) if why is None)
        if rest.updates:
            _passed_on(self._switch.Write, rest, context)
            self.writes += filter(None, map(self._record, rest.updates))
        status = rpc_status.Status(code=rpc_code.UNKNOWN, message="")
        for why in reasons:
            packed = any_pb2.Any()
            code = rpc_code.OK if why is None else rpc_code.RESOURCE_EXHAUSTED
            packed.Pack(p4r.Error(canonical_code=code, message=why or ""))
            status.details.append(packed)
        context.set_trailing_metadata(((DETAILS, status.SerializeToString()),))
        context.abort(grpc.StatusCode.UNKNOWN, "")

    def Read(self, request: p4r.ReadRequest, context: grpc.ServicerContext) -> Iterator[p4r.ReadResponse]:  # noqa: N802
        for answer in _passed_on(lambda r, timeout: list(self._switch.Read(r, timeout)), request, context):
            for entity in answer.entities:
                if entity.HasField("table_entry"):
                    told = self.lie(wire.decode(entity.table_entry, self._schema()))
                    entity.table_entry.CopyFrom(wire.encode(told, self._schema()))
            yield answer

    def Capabilities(  # noqa: N802
        self, request: p4r.CapabilitiesRequest, context: grpc.ServicerContext
    ) -> p4r.CapabilitiesResponse:
        return _passed_on(self._switch.Capabilities, request, context)


def _passed_on(call: Callable[..., T], request: object, context: grpc.ServicerContext) -> T:
    """The switch's own answer, or its own error."""
    try:
        return call(request, timeout=PATIENCE_S)
    except grpc.RpcError as error:
        trailing = cast("list[tuple[str, str | bytes]]", error.trailing_metadata())
        context.set_trailing_metadata(tuple((key, value) for key, value in trailing if key == DETAILS))
        context.abort(error.code(), error.details() or "")
        raise  # never reached: abort raises
