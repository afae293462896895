# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""A plain P4Runtime client: the generated stubs, nothing between the tests and the wire."""

import queue
from collections.abc import Iterator, Sequence
from types import TracebackType
from typing import Self

import grpc
from finsy.proto import p4r, p4r_grpc, rpc_code, rpc_status

TIMEOUT_S = 10.0


def uint128(value: int) -> p4r.Uint128:
    return p4r.Uint128(high=value >> 64, low=value & (1 << 64) - 1)


class Stream:
    """One StreamChannel."""

    def __init__(self, stub: p4r_grpc.P4RuntimeStub) -> None:
        self._requests: queue.SimpleQueue[p4r.StreamMessageRequest | None] = queue.SimpleQueue()
        self._call = stub.StreamChannel(iter(self._requests.get, None))

    def send(self, request: p4r.StreamMessageRequest) -> None:
        self._requests.put(request)

    def arbitrate(self, election_id: int | None, *, device_id: int = 1, role: p4r.Role | None = None) -> None:
        update = p4r.MasterArbitrationUpdate(device_id=device_id, role=role)
        if election_id is not None:
            update.election_id.CopyFrom(uint128(election_id))
        self.send(p4r.StreamMessageRequest(arbitration=update))

    def receive(self) -> p4r.StreamMessageResponse:
        return next(self._call)

    def status(self) -> tuple[int, int]:
        """Code and election id of the next arbitration update."""
        update = self.receive().arbitration
        return update.status.code, update.election_id.high << 64 | update.election_id.low

    def end(self) -> grpc.StatusCode:
        """How the server ended the stream."""
        try:
            response = next(self._call)
        except StopIteration:
            return grpc.StatusCode.OK
        except grpc.RpcError:
            return self._call.code()
        raise AssertionError(f"the stream goes on: {response}")

    def details(self) -> str:
        return self._call.details() or ""

    def close_side(self) -> None:
        """Says that no more requests come; the server may still answer."""
        self._requests.put(None)

    def close(self) -> None:
        self.close_side()
        self._call.cancel()


class BatchError(Exception):
    """A batch failed in part: one p4.v1.Error for each part."""

    def __init__(self, summary: str, errors: Sequence[p4r.Error]) -> None:
        super().__init__("; ".join(error.message for error in errors))
        self.summary = summary
        """What gRPC shows of it."""
        self.errors = errors


class Client:
    """A controller: stub, stream, and shorthands for the requests that tests make."""

    def __init__(
        self,
        address: str,
        election_id: int | None = 1,
        *,
        role: p4r.Role | None = None,
        credentials: grpc.ChannelCredentials | None = None,
        device_id: int = 1,
    ) -> None:
        options = (("grpc.use_local_subchannel_pool", 1),)
        if credentials is None:
            self.channel = grpc.insecure_channel(address, options=options)
        else:
            self.channel = grpc.secure_channel(address, credentials, options=options)
        self.stub = p4r_grpc.P4RuntimeStub(self.channel)
        self.election_id = election_id
        self.device_id = device_id
        self.role = role
        self.stream: Stream | None = None

    def __enter__(self) -> Self:
        self.stream = Stream(self.stub)
        self.stream.arbitrate(self.election_id, device_id=self.device_id, role=self.role)
        self.stream.receive()
        return self

    @property
    def role_name(self) -> str:
        return "" if self.role is None else self.role.name

    @property
    def open_stream(self) -> Stream:
        assert self.stream is not None
        return self.stream

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self.stream is not None:
            self.stream.close()
        self.channel.close()

    def set_config(
        self,
        config: p4r.ForwardingPipelineConfig | None,
        action: p4r.SetForwardingPipelineConfigRequest.Action.ValueType = (
            p4r.SetForwardingPipelineConfigRequest.VERIFY_AND_COMMIT
        ),
    ) -> None:
        request = p4r.SetForwardingPipelineConfigRequest(
            device_id=self.device_id, action=action, config=config, role=self.role_name
        )
        if self.election_id is not None:
            request.election_id.CopyFrom(uint128(self.election_id))
        self.stub.SetForwardingPipelineConfig(request, timeout=TIMEOUT_S)

    def get_config(
        self,
        kind: p4r.GetForwardingPipelineConfigRequest.ResponseType.ValueType = (
            p4r.GetForwardingPipelineConfigRequest.ALL
        ),
    ) -> p4r.GetForwardingPipelineConfigResponse:
        request = p4r.GetForwardingPipelineConfigRequest(device_id=self.device_id, response_type=kind)
        return self.stub.GetForwardingPipelineConfig(request, timeout=TIMEOUT_S)

    def write(
        self,
        *updates: p4r.Update,
        atomicity: p4r.WriteRequest.Atomicity.ValueType = p4r.WriteRequest.CONTINUE_ON_ERROR,
    ) -> None:
        request = p4r.WriteRequest(
            device_id=self.device_id, updates=updates, role=self.role_name, atomicity=atomicity
        )
        if self.election_id is not None:
            request.election_id.CopyFrom(uint128(self.election_id))
        with unpacked_errors():
            self.stub.Write(request, timeout=TIMEOUT_S)

    def insert(self, *entries: p4r.TableEntry) -> None:
        self.write(*(update(p4r.Update.INSERT, entry) for entry in entries))

    def modify(self, *entries: p4r.TableEntry) -> None:
        self.write(*(update(p4r.Update.MODIFY, entry) for entry in entries))

    def delete(self, *entries: p4r.TableEntry) -> None:
        self.write(*(update(p4r.Update.DELETE, entry) for entry in entries))

    def read(self, *queries: p4r.Entity) -> list[p4r.Entity]:
        request = p4r.ReadRequest(device_id=self.device_id, entities=queries, role=self.role_name)
        with unpacked_errors():
            return [entity for part in self.stub.Read(request, timeout=TIMEOUT_S) for entity in part.entities]

    def entries(self, query: p4r.TableEntry) -> list[p4r.TableEntry]:
        return [entity.table_entry for entity in self.read(p4r.Entity(table_entry=query))]


class unpacked_errors:  # noqa: N801
    """Turns an RPC error that has p4.v1.Error details into a `BatchError`."""

    def __enter__(self) -> None:
        pass

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if not isinstance(error, grpc.RpcError) or not isinstance(error, grpc.Call):
            return
        for key, value in error.trailing_metadata() or ():
            if key == "grpc-status-details-bin":
                status = rpc_status.Status.FromString(value)
                assert status.code == rpc_code.UNKNOWN
                assert error.code() == grpc.StatusCode.UNKNOWN
                assert status.message == error.details()
                raise BatchError(status.message, list(_unpack(status))) from error


def _unpack(status: rpc_status.Status) -> Iterator[p4r.Error]:
    for detail in status.details:
        error = p4r.Error()
        assert detail.Unpack(error)
        yield error


def update(kind: p4r.Update.Type.ValueType, entry: p4r.TableEntry) -> p4r.Update:
    return p4r.Update(type=kind, entity=p4r.Entity(table_entry=entry))
