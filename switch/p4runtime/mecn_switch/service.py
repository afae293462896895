# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""The gRPC methods: who may do what, batches, streams (sections 5 and 11 to 16).

Threads are gRPC's own: a StreamChannel holds one for as long as it is open, and reads its requests in
another.
"""

import queue
import threading
from collections.abc import Hashable, Iterator
from typing import NoReturn

import grpc
from finsy.proto import p4r, p4r_grpc, rpc_code, rpc_status

from .arbitration import Notice, election_id_of
from .device import Device, split
from .status import ERROR_SPACE, StatusError, batch_status, invalid_argument

API_VERSION = "1.5.0"
"""Version of the P4Runtime specification that this server follows."""

ENTITIES_PER_RESPONSE = 500

StreamRequest = p4r.StreamMessageRequest
StreamResponse = p4r.StreamMessageResponse


class P4RuntimeService(p4r_grpc.P4RuntimeServicer):
    """P4Runtime for one device."""

    def __init__(self, device: Device) -> None:
        self._device = device
        self._streams: dict[Hashable, _Stream] = {}

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
                self._check_primary(request)
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
                self._check_primary(request)
                if request.atomicity != p4r.WriteRequest.CONTINUE_ON_ERROR:
                    raise StatusError(
                        rpc_code.UNIMPLEMENTED, "the only supported atomicity is CONTINUE_ON_ERROR"
                    )
                self._device.require_config()
                errors.extend(_error_of(self._device, update) for update in request.updates)
        except StatusError as error:
            _abort(context, error)
        if any(errors):
            context.abort_with_status(batch_status(errors))
        return p4r.WriteResponse()

    def Read(self, request: p4r.ReadRequest, context: grpc.ServicerContext) -> Iterator[p4r.ReadResponse]:  # noqa: D102, N802
        entities: list[p4r.Entity] = []
        errors: list[StatusError | None] = []
        try:
            self._check_device(request.device_id)
            _check_role(request.role)
            with self._device.lock:
                self._device.require_config()
                for query in request.entities:
                    try:
                        entities += self._device.read(query)
                        errors.append(None)
                    except StatusError as error:
                        errors.append(error)
        except StatusError as error:
            _abort(context, error)
        for part in split(entities, ENTITIES_PER_RESPONSE):
            yield p4r.ReadResponse(entities=part)
        if any(errors):
            context.abort_with_status(batch_status(errors))

    def StreamChannel(  # noqa: D102, N802
        self, request_iterator: Iterator[StreamRequest], context: grpc.ServicerContext
    ) -> Iterator[StreamResponse]:
        stream = _Stream()
        if not context.add_callback(stream.close):
            return
        with self._device.lock:
            if len(self._streams) >= self._device.election.max_sessions:
                full = StatusError(rpc_code.RESOURCE_EXHAUSTED, "too many streams are open")
                stream.fail(full)
            else:
                self._streams[stream] = stream
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

    def _read_stream(self, stream: "_Stream", requests: Iterator[StreamRequest]) -> None:
        """Handles the requests of one stream until the client ends it, is refused, or is gone."""
        try:
            for request in requests:
                self._on_request(stream, request)
        except StatusError as error:
            stream.fail(error)
        except grpc.RpcError:
            pass  # the client is gone; the stream's callback sees to the rest
        finally:
            stream.close()

    def _on_request(self, stream: "_Stream", request: StreamRequest) -> None:
        kind = request.WhichOneof("update")
        if kind == "arbitration":
            self._arbitrate(stream, request.arbitration)
        elif kind == "packet":
            error = _stream_error("packet-out is not supported yet")
            error.packet_out.packet_out.CopyFrom(request.packet)
            stream.send(StreamResponse(error=error))
        elif kind == "digest_ack":
            error = _stream_error("digests are not supported yet")
            error.digest_list_ack.digest_list_ack.CopyFrom(request.digest_ack)
            stream.send(StreamResponse(error=error))
        else:
            stream.send(StreamResponse(error=_stream_error("this stream message is not supported")))

    def _arbitrate(self, stream: "_Stream", update: p4r.MasterArbitrationUpdate) -> None:
        if stream.arbitrated and update.device_id != self._device.device_id:
            raise StatusError(
                rpc_code.FAILED_PRECONDITION, "a stream cannot change its device id; open another stream"
            )
        self._check_device(update.device_id)
        _check_role(update.role.name, update.role.id)
        if update.role.HasField("config"):
            raise invalid_argument("the default role takes no role config")
        election_id = election_id_of(update.election_id) if update.HasField("election_id") else None
        with self._device.lock:
            if stream in self._streams:
                self._tell(self._device.election.update(stream, election_id))
                stream.arbitrated = True

    def _leave(self, stream: "_Stream") -> None:
        with self._device.lock:
            self._streams.pop(stream, None)
            self._tell(self._device.election.leave(stream))

    def _tell(self, notices: list[Notice]) -> None:
        for notice in notices:
            update = p4r.MasterArbitrationUpdate(
                device_id=self._device.device_id,
                status=rpc_status.Status(code=notice.code, message=notice.message),
            )
            if notice.election_id is not None:
                update.election_id.high = notice.election_id >> 64
                update.election_id.low = notice.election_id & (1 << 64) - 1
            self._streams[notice.session].send(StreamResponse(arbitration=update))

    def _check_device(self, device_id: int) -> None:
        if device_id != self._device.device_id:
            raise StatusError(
                rpc_code.NOT_FOUND,
                f"there is no device {device_id} here, only device {self._device.device_id}",
            )

    def _check_primary(self, request: p4r.WriteRequest | p4r.SetForwardingPipelineConfigRequest) -> None:
        _check_role(request.role, request.role_id)
        election_id = election_id_of(request.election_id) if request.HasField("election_id") else None
        self._device.election.check_primary(election_id)


class _Stream:
    """One StreamChannel: a queue of responses, which ends in silence or with an error."""

    def __init__(self) -> None:
        self.arbitrated = False
        self._queue: queue.SimpleQueue[StreamResponse | StatusError | None] = queue.SimpleQueue()

    def send(self, response: StreamResponse) -> None:
        self._queue.put(response)

    def fail(self, error: StatusError) -> None:
        self._queue.put(error)

    def close(self) -> None:
        self._queue.put(None)

    def responses(self) -> Iterator[StreamResponse]:
        while (item := self._queue.get()) is not None:
            if isinstance(item, StatusError):
                raise item
            yield item


def _error_of(device: Device, update: p4r.Update) -> StatusError | None:
    try:
        device.write(update)
    except StatusError as error:
        return error
    return None


def _check_role(name: str, id: int = 0) -> None:
    if name or id:
        raise StatusError(
            rpc_code.UNIMPLEMENTED,
            f"role {name or id!r} is not supported yet; leave the role unset for full access",
        )


def _stream_error(message: str) -> p4r.StreamError:
    return p4r.StreamError(canonical_code=rpc_code.UNIMPLEMENTED, message=message, space=ERROR_SPACE)


def _abort(context: grpc.ServicerContext, error: StatusError) -> NoReturn:
    context.abort(error.grpc_code, error.message)
    raise AssertionError("abort does not return")
