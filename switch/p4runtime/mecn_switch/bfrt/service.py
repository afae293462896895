# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""The gRPC methods: clients and what they are bound to, programs, batches, reads, streams."""

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, NoReturn

import grpc
from finsy.proto import rpc_code

from ..budgets import ARBITRATION_S, ENTITIES_PER_PART, PART_BYTES, READS, STALLED_READ_S, STREAMS
from ..deadlines import Deadlines
from ..status import StatusError, batch_status, invalid_argument
from ..streams import Stream
from . import messages
from .device import BfrtDevice
from .messages import Wire
from .program import Config

LEAVE_S = 2.0
"""How long a client id that is in use may take to become free, for a client that comes back at once."""


@dataclass
class Client:
    """A client that subscribed."""

    id: int
    stream: Stream
    wants: Wire = field(default_factory=lambda: messages.Subscribe.Notifications())
    program: str = ""
    """The program that it is bound to."""


class BfRuntimeService:
    """BF Runtime for one device. Somebody must look after the deadlines."""

    def __init__(self, device: BfrtDevice, deadlines: Deadlines) -> None:
        self._device = device
        self._deadlines = deadlines
        self._clients: dict[int, Client] = {}
        self._left = threading.Condition(device.lock)
        self._open = 0
        self._reads = threading.BoundedSemaphore(READS)
        device.notify = self._notify

    def handlers(self) -> grpc.GenericRpcHandler:
        """For `grpc.Server.add_generic_rpc_handlers`."""

        def unary(name: str, request: Wire, method: Callable[..., Any]) -> Wire:
            return name, grpc.unary_unary_rpc_method_handler(
                method, request.FromString, lambda m: m.SerializeToString()
            )

        m = messages
        methods = dict(
            [
                unary("Write", m.WriteRequest, self.write),
                unary("SetForwardingPipelineConfig", m.SetForwardingPipelineConfigRequest, self.set_config),
                unary("GetForwardingPipelineConfig", m.GetForwardingPipelineConfigRequest, self.get_config),
            ]
        )
        methods["Read"] = grpc.unary_stream_rpc_method_handler(
            self.read, m.ReadRequest.FromString, lambda m: m.SerializeToString()
        )
        methods["StreamChannel"] = grpc.stream_stream_rpc_method_handler(
            self.stream_channel, m.StreamMessageRequest.FromString, lambda m: m.SerializeToString()
        )
        return grpc.method_handlers_generic_handler(messages.SERVICE, methods)

    # -- Programs

    def get_config(self, request: Wire, context: grpc.ServicerContext) -> Wire:
        """GetForwardingPipelineConfig: the program and what is fixed."""
        try:
            self._check_device(request.device_id)
            with self._device.lock:
                program = self._device.program
        except StatusError as error:
            _abort(context, error)
        answer = messages.GetForwardingPipelineConfigResponse()
        config = answer.config.add(
            p4_name=program.config.p4_name, bfruntime_info=program.config.bfruntime_info
        )
        config.profiles.add(
            profile_name=program.config.profile,
            context=program.config.context,
            binary=program.config.device_config,
            pipe_scope=[0],
        )
        answer.non_p4_config.bfruntime_info = program.fixed
        return answer

    def set_config(self, request: Wire, context: grpc.ServicerContext) -> Wire:
        """SetForwardingPipelineConfig: binds a client to a program, or sets one."""
        try:
            self._check_device(request.device_id)
            with self._device.lock:
                if request.action == messages.SetForwardingPipelineConfigRequest.BIND:
                    self._bind(request)
                else:
                    self._set(request)
        except StatusError as error:
            _abort(context, error)
        return messages.SetForwardingPipelineConfigResponse()

    def _bind(self, request: Wire) -> None:
        if len(request.config) != 1:
            raise invalid_argument("BIND takes one config, with the name of a program")
        name = request.config[0].p4_name
        client = self._clients.get(request.client_id)
        if client is None:
            raise StatusError(
                rpc_code.FAILED_PRECONDITION, f"client {request.client_id} must subscribe before it binds"
            )
        known = self._device.program.config.p4_name
        if name != known:
            raise StatusError(rpc_code.NOT_FOUND, f"there is no program {name!r} here, only {known!r}")
        client.program = name

    def _set(self, request: Wire) -> None:
        kinds = messages.SetForwardingPipelineConfigRequest
        device, action = self._device, request.action
        if action == kinds.WARM_INIT_END:
            if request.config:
                raise invalid_argument("WARM_INIT_END takes no config; it runs the one saved before")
            device.run_saved()
            self._tell_all("WARM_INIT_FINISHED")
            return
        if action not in (
            kinds.VERIFY, kinds.VERIFY_AND_WARM_INIT_BEGIN, kinds.VERIFY_AND_WARM_INIT_BEGIN_AND_END
        ):  # fmt: skip
            raise StatusError(rpc_code.UNIMPLEMENTED, "this action is not supported")
        program = device.build(_config(request))
        if action == kinds.VERIFY_AND_WARM_INIT_BEGIN:
            device.save(program)
            self._tell_all("WARM_INIT_STARTED")
        elif action == kinds.VERIFY_AND_WARM_INIT_BEGIN_AND_END:
            device.run(program)
            self._tell_all("WARM_INIT_STARTED")
            self._tell_all("WARM_INIT_FINISHED")

    def _tell_all(self, what: str) -> None:
        answer = messages.StreamMessageResponse()
        wire = answer.set_forwarding_pipeline_config_response
        field_ = wire.DESCRIPTOR.fields[0]
        setattr(wire, field_.name, field_.enum_type.values_by_name[what].number)
        wire.SetInParent()
        for client in self._clients.values():
            client.stream.send(answer)

    # -- Entries

    def write(self, request: Wire, context: grpc.ServicerContext) -> Wire:
        """Write: a batch of updates."""
        try:
            self._check_target(request)
            errors = self._device.write(request.updates, request.atomicity)
        except StatusError as error:
            _abort(context, error)
        if any(errors):
            context.abort_with_status(batch_status(errors, messages.Error))
        return messages.WriteResponse()

    def read(self, request: Wire, context: grpc.ServicerContext) -> Iterator[Wire]:
        """Read: what queries select, in parts."""
        try:
            self._check_target(request)
        except StatusError as error:
            _abort(context, error)
        if not self._reads.acquire(blocking=False):
            _abort(context, StatusError(rpc_code.RESOURCE_EXHAUSTED, f"{READS} reads are under way already"))
        errors: list[StatusError | None] = []
        key = object()
        try:
            for part in self._parts(request.entities, errors):
                self._deadlines.set(key, STALLED_READ_S, context.cancel)
                yield part
                self._deadlines.clear(key)
        finally:
            self._deadlines.clear(key)
            self._reads.release()
        if any(errors):
            context.abort_with_status(batch_status(errors, messages.Error))

    def _parts(self, queries: Wire, errors: list[StatusError | None]) -> Iterator[Wire]:
        """Parts of ENTITIES_PER_PART or PART_BYTES; appends how each query ended. A query is answered from
        one moment's state."""
        for query in queries:
            try:
                with self._device.lock:
                    found = list(self._device.read(query))
            except StatusError as error:
                errors.append(error)
                continue
            errors.append(None)
            part, size = messages.ReadResponse(), 0
            for entity in found:
                part.entities.append(entity)
                size += entity.ByteSize()
                if len(part.entities) >= ENTITIES_PER_PART or size >= PART_BYTES:
                    yield part
                    part, size = messages.ReadResponse(), 0
            if part.entities:
                yield part

    def _check_target(self, request: Wire) -> None:
        """Raises unless the device is this one, and the client bound or naming the program itself."""
        self._check_device(request.target.device_id)
        with self._device.lock:
            known = self._device.program.config.p4_name
            client = self._clients.get(request.client_id)
            name = request.p4_name or (client.program if client is not None else "")
        if not name:
            raise invalid_argument(
                f"client {request.client_id} is bound to no program, and the request names none (p4_name)"
            )
        if name != known:
            raise StatusError(rpc_code.NOT_FOUND, f"there is no program {name!r} here, only {known!r}")

    def _check_device(self, device_id: int) -> None:
        if device_id != self._device.device_id:
            raise invalid_argument(
                f"there is no device {device_id} here, only device {self._device.device_id}"
            )

    # -- Streams

    def stream_channel(self, requests: Iterator[Wire], context: grpc.ServicerContext) -> Iterator[Wire]:
        """StreamChannel: a client's subscription, and what it is told."""
        stream: Stream = Stream(context.cancel)
        if not context.add_callback(stream.close):
            return
        with self._device.lock:
            if self._open >= STREAMS:
                _abort(context, StatusError(rpc_code.RESOURCE_EXHAUSTED, "too many streams are open"))
            self._open += 1
        self._deadlines.set(stream, ARBITRATION_S, lambda: self._never_subscribed(stream))
        reader = threading.Thread(
            target=self._read_stream, args=(stream, requests), name="bfruntime-stream", daemon=True
        )
        reader.start()
        try:
            yield from stream.responses()
        except StatusError as error:
            _abort(context, error)
        finally:
            self._leave(stream)
            with self._device.lock:
                self._open -= 1

    def _never_subscribed(self, stream: Stream) -> None:
        stream.fail(StatusError(rpc_code.DEADLINE_EXCEEDED, f"no subscription came in {ARBITRATION_S:g} s"))

    def _read_stream(self, stream: Stream, requests: Iterator[Wire]) -> None:
        try:
            for request in requests:
                kind = request.WhichOneof("update")
                if kind == "subscribe":
                    self._subscribe(stream, request)
                elif kind is None:
                    raise invalid_argument("the stream message is empty, or of a kind that is not known")
        except StatusError as error:
            stream.fail(error)
        except grpc.RpcError:
            pass  # the client is gone
        finally:
            self._leave(stream)
            stream.close()

    def _subscribe(self, stream: Stream, request: Wire) -> None:
        self._check_device(request.subscribe.device_id)
        with self._device.lock:
            ours = self._clients.get

            def free() -> bool:
                client = ours(request.client_id)
                return client is None or client.stream is stream

            self._left.wait_for(free, LEAVE_S)
            answer = messages.StreamMessageResponse(subscribe=request.subscribe)
            if free():
                client = self._clients.setdefault(request.client_id, Client(request.client_id, stream))
                client.wants.CopyFrom(request.subscribe.notifications)
                answer.subscribe.status.code = rpc_code.OK
                self._deadlines.clear(stream)
            else:
                answer.subscribe.status.code = rpc_code.ALREADY_EXISTS
                answer.subscribe.status.message = f"there is a client {request.client_id} already"
        stream.send(answer)

    def _leave(self, stream: Stream) -> None:
        self._deadlines.clear(stream)
        with self._device.lock:
            self._clients = {k: c for k, c in self._clients.items() if c.stream is not stream}
            self._left.notify_all()

    def _notify(self, response: Wire, kind: str) -> None:
        """Tells the clients that want to know; what does not fit into a slow client's queue is lost. Port
        states go to all, the rest to clients that are bound."""
        for client in self._clients.values():
            bound = client.program or kind == "enable_port_status_change_notifications"
            if bound and getattr(client.wants, kind):
                client.stream.offer(response)


def _config(request: Wire) -> Config:
    if len(request.config) != 1:
        raise invalid_argument(f"a switch runs one program, not {len(request.config)}")
    wire = request.config[0]
    if len(wire.profiles) != 1:
        raise invalid_argument(f"a program has one pipeline profile here, not {len(wire.profiles)}")
    profile = wire.profiles[0]
    return Config(wire.p4_name, wire.bfruntime_info, profile.binary, profile.profile_name, profile.context)


def _abort(context: grpc.ServicerContext, error: StatusError) -> NoReturn:
    context.abort(error.grpc_code, error.message)
    raise AssertionError("abort does not return")
