# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""The gRPC methods: who may do what, batches, streams (sections 5 and 11 to 16).

Threads are gRPC's own: a StreamChannel holds one for as long as it is open, and reads its requests in
another.
"""

import itertools
import threading
from collections.abc import Iterable, Iterator
from typing import NoReturn

import grpc
from finsy.proto import p4r, p4r_grpc, rpc_code

from .arbitration import election_id_of
from .budgets import ARBITRATION_S, ENTITIES_PER_PART, PART_BYTES, READS, STALLED_READ_S
from .deadlines import Deadlines
from .device import Device
from .holders import RoleHolders
from .roles import Role
from .status import StatusError, batch_status, invalid_argument
from .streams import Stream, digest_ack_error, other_error, packet_out_error

API_VERSION = "1.5.0"
"""Version of the P4Runtime specification that this server follows."""

LEAVE_S = 2.0
"""How long an election id that is in use may take to become free. A controller that comes back at once may be
heard before the end of its last stream is: gRPC hands out the events of two streams in any order."""

ATOMIC = (p4r.WriteRequest.ROLLBACK_ON_ERROR, p4r.WriteRequest.DATAPLANE_ATOMIC)

StreamRequest = p4r.StreamMessageRequest
StreamResponse = p4r.StreamMessageResponse


class P4RuntimeService(p4r_grpc.P4RuntimeServicer):
    """P4Runtime for one device. Somebody must look after the deadlines."""

    def __init__(self, device: Device, deadlines: Deadlines, holders: RoleHolders) -> None:
        self._device = device
        self._holders = holders
        self._deadlines = deadlines
        self._reads = threading.BoundedSemaphore(READS)

    def Capabilities(  # noqa: D102, N802
        self, request: p4r.CapabilitiesRequest, context: grpc.ServicerContext
    ) -> p4r.CapabilitiesResponse:
        del request, context
        return p4r.CapabilitiesResponse(p4runtime_api_version=API_VERSION)

    def SetForwardingPipelineConfig(  # noqa: D102, N802
        self, request: p4r.SetForwardingPipelineConfigRequest, context: grpc.ServicerContext
    ) -> p4r.SetForwardingPipelineConfigResponse:
        try:
            with self._device.lock:
                self._check_device(request.device_id)
                self._holders.check(context, request.role)
                role = self._primary_role(request)
                if role.config is not None and not role.config.pipeline:
                    raise StatusError(
                        rpc_code.PERMISSION_DENIED, f"role {role.name!r} may not set the pipeline config"
                    )
                config = request.config if request.HasField("config") else None
                self._device.set_config(request.action, config)
        except StatusError as error:
            _abort(context, error)
        return p4r.SetForwardingPipelineConfigResponse()

    def GetForwardingPipelineConfig(  # noqa: D102, N802
        self, request: p4r.GetForwardingPipelineConfigRequest, context: grpc.ServicerContext
    ) -> p4r.GetForwardingPipelineConfigResponse:
        try:
            self._check_device(request.device_id)
            if request.response_type not in request.ResponseType.values():
                raise invalid_argument(f"{request.response_type} is not a type of response")
        except StatusError as error:
            _abort(context, error)
        config = self._device.config
        if config is None:
            return p4r.GetForwardingPipelineConfigResponse()
        kind = request.response_type
        answer = p4r.ForwardingPipelineConfig()
        if config.HasField("cookie"):
            answer.cookie.CopyFrom(config.cookie)
        if kind in (request.ALL, request.P4INFO_AND_COOKIE):
            answer.p4info.CopyFrom(config.p4info)
        if kind in (request.ALL, request.DEVICE_CONFIG_AND_COOKIE):
            answer.p4_device_config = config.p4_device_config
        return p4r.GetForwardingPipelineConfigResponse(config=answer)

    def Write(self, request: p4r.WriteRequest, context: grpc.ServicerContext) -> p4r.WriteResponse:  # noqa: D102, N802
        errors: list[StatusError | None] = []
        try:
            with self._device.lock:
                self._check_device(request.device_id)
                self._holders.check(context, request.role)
                role = self._primary_role(request)
                self._device.require_config()
                if request.atomicity == p4r.WriteRequest.CONTINUE_ON_ERROR:
                    errors.extend(_error_of(self._device, update, role) for update in request.updates)
                elif request.atomicity in ATOMIC:
                    errors.extend(self._device.write_atomically(request.updates, role))
                else:
                    raise invalid_argument(f"{request.atomicity} is not an atomicity of batches")
        except StatusError as error:
            _abort(context, error)
        if any(errors):
            context.abort_with_status(batch_status(errors))
        return p4r.WriteResponse()

    def Read(self, request: p4r.ReadRequest, context: grpc.ServicerContext) -> Iterator[p4r.ReadResponse]:  # noqa: D102, N802
        try:
            self._check_device(request.device_id)
            self._holders.check(context, request.role)
            with self._device.lock:
                role = self._device.roles.role(request.role)
                self._device.require_config()
        except StatusError as error:
            _abort(context, error)
        if not self._reads.acquire(blocking=False):
            _abort(context, StatusError(rpc_code.RESOURCE_EXHAUSTED, f"{READS} reads are under way already"))
        errors: list[StatusError | None] = []
        key = object()
        try:
            for part in self._parts(request.entities, role, errors):
                self._deadlines.set(key, STALLED_READ_S, context.cancel)
                yield p4r.ReadResponse(entities=part)
                self._deadlines.clear(key)
        finally:
            self._deadlines.clear(key)
            self._reads.release()
        if any(errors):
            context.abort_with_status(batch_status(errors))

    def _parts(
        self, queries: Iterable[p4r.Entity], role: Role, errors: list[StatusError | None]
    ) -> Iterator[list[p4r.Entity]]:
        """What queries select, in parts of ENTITIES_PER_PART or PART_BYTES; appends how each query ended."""
        part: list[p4r.Entity] = []
        size = 0
        for query in queries:
            refused = None
            try:
                for entity in itertools.chain.from_iterable(self._device.read(query, role)):
                    part.append(entity)
                    size += entity.ByteSize()
                    if len(part) >= ENTITIES_PER_PART or size >= PART_BYTES:
                        yield part
                        part, size = [], 0
            except StatusError as error:
                refused = error
            errors.append(refused)
        if part:
            yield part

    def StreamChannel(  # noqa: D102, N802
        self, request_iterator: Iterator[StreamRequest], context: grpc.ServicerContext
    ) -> Iterator[StreamResponse]:
        stream = Stream(context.cancel, lambda role: self._holders.check(context, role))
        if not context.add_callback(stream.close):
            return
        try:
            with self._device.lock:
                self._device.streams.add(stream)
        except StatusError as error:
            _abort(context, error)
        self._deadlines.set(stream, ARBITRATION_S, lambda: self._never_arbitrated(stream))
        reader = threading.Thread(
            target=self._read_stream, args=(stream, request_iterator), name="p4runtime-stream", daemon=True
        )
        reader.start()
        try:
            yield from stream.responses()
        except StatusError as error:
            self._leave(stream)
            _abort(context, error)
        finally:
            self._leave(stream)

    def _never_arbitrated(self, stream: Stream) -> None:
        self._leave(stream)
        stream.fail(
            StatusError(rpc_code.DEADLINE_EXCEEDED, f"no arbitration update came in {ARBITRATION_S:g} s")
        )
        self._deadlines.set(stream, STALLED_READ_S, stream.cut)

    def _read_stream(self, stream: Stream, requests: Iterator[StreamRequest]) -> None:
        """Handles the requests of one stream until the client ends it, is refused, or is gone."""
        try:
            for request in requests:
                self._on_request(stream, request)
        except StatusError as error:
            stream.fail(error)
        except grpc.RpcError:
            pass  # the client is gone
        finally:
            self._leave(stream)
            stream.close()
            self._deadlines.set(stream, STALLED_READ_S, stream.cut)

    def _on_request(self, stream: Stream, request: StreamRequest) -> None:
        """One message. A bad arbitration update ends the stream, other bad messages are answered (16.6)."""
        kind = request.WhichOneof("update")
        if kind == "arbitration":
            self._arbitrate(stream, request.arbitration)
            return
        try:
            if kind == "packet":
                self._require_packet_io(stream)
                self._device.packet_out(request.packet)
            elif kind == "digest_ack":
                self._require_primary(stream, "acknowledge digests")
                self._device.acknowledge_digests(request.digest_ack)
            elif kind == "other":
                name = request.other.type_url
                raise StatusError(rpc_code.UNIMPLEMENTED, f"messages of type {name!r} are not supported")
            else:
                raise invalid_argument("the stream message is empty, or of a kind that is not known")
        except StatusError as error:
            if kind == "packet":
                stream.offer(packet_out_error(error, request.packet))
            elif kind == "digest_ack":
                stream.offer(digest_ack_error(error, request.digest_ack))
            else:
                stream.offer(other_error(error, request))

    def _arbitrate(self, stream: Stream, update: p4r.MasterArbitrationUpdate) -> None:
        if stream.arbitrated and update.device_id != self._device.device_id:
            raise StatusError(
                rpc_code.FAILED_PRECONDITION, "a stream cannot change its device id; open another stream"
            )
        self._check_device(update.device_id)
        if update.role.id:
            raise invalid_argument(
                f"role id {update.role.id}: ids of roles went with version 1.4; name the role instead"
            )
        stream.check_role(update.role.name)
        config = update.role.config if update.role.HasField("config") else None
        election_id = election_id_of(update.election_id) if update.HasField("election_id") else None
        with self._device.lock:
            roles, name = self._device.roles, update.role.name
            self._device.left.wait_for(lambda: not roles.is_taken(stream, name, election_id), LEAVE_S)
            if stream in self._device.streams:
                notices = self._device.roles.update(stream, update.role.name, config, election_id)
                self._device.streams.tell(self._device.roles.role(update.role.name), notices)
                stream.arbitrated = True
                self._deadlines.clear(stream)

    def _leave(self, stream: Stream) -> None:
        self._deadlines.clear(stream)
        with self._device.lock:
            self._device.streams.remove(stream)
            self._device.left.notify_all()

    def _require_primary(self, stream: Stream, what: str) -> Role:
        with self._device.lock:
            role = self._device.roles.role_of(stream)
            if role is None or not role.election.is_primary(stream):
                raise StatusError(rpc_code.PERMISSION_DENIED, f"only a primary controller may {what}")
            return role

    def _require_packet_io(self, stream: Stream) -> None:
        role = self._require_primary(stream, "send packets")
        if role.config is not None and not role.config.packet_io:
            raise StatusError(rpc_code.PERMISSION_DENIED, f"role {role.name!r} takes no part in packet I/O")

    def _check_device(self, device_id: int) -> None:
        if device_id != self._device.device_id:
            raise StatusError(
                rpc_code.NOT_FOUND,
                f"there is no device {device_id} here, only device {self._device.device_id}",
            )

    def _primary_role(self, request: p4r.WriteRequest | p4r.SetForwardingPipelineConfigRequest) -> Role:
        """The role that a request is made in; raises unless it comes from the role's primary."""
        if request.role_id:
            raise invalid_argument(
                f"role id {request.role_id}: ids of roles went with version 1.4; name the role instead"
            )
        role = self._device.roles.role(request.role)
        election_id = election_id_of(request.election_id) if request.HasField("election_id") else None
        role.election.check_primary(election_id)
        return role


def _error_of(device: Device, update: p4r.Update, role: Role) -> StatusError | None:
    try:
        device.write(update, role)
    except StatusError as error:
        return error
    return None


def _abort(context: grpc.ServicerContext, error: StatusError) -> NoReturn:
    context.abort(error.grpc_code, error.message)
    raise AssertionError("abort does not return")
