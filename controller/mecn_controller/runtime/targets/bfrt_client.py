# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""BF Runtime's gRPC: what stands between entries and a Tofino, or the embedded switch in its place."""

from __future__ import annotations

import queue
from typing import TYPE_CHECKING, Any, Self

import grpc
from finsy.proto import rpc_status
from mecn_switch.bfrt import messages
from mecn_switch.bfrt.info import Field, Table, read_info

from mecn_controller.errors import ControllerError, SwitchError
from mecn_controller.runtime.targets.bfrt import BfrtEntry, BfrtError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import TracebackType

    from mecn_controller.runtime.targets.bfrt import Data, KeyField, Operation
    from mecn_controller.runtime.tls import TlsFiles

SUBSCRIBE_S = 5.0
"""How long a device may take to answer a subscription."""
CLIENT_ID = 1
ALL_PIPES = 0xFFFF


class GrpcClient:
    """A subscribed client, bound to the device's program. `BfrtClient`, over gRPC."""

    def __init__(
        self,
        address: str,
        device_id: int = 0,
        client_id: int = CLIENT_ID,
        *,
        tls: TlsFiles | None = None,
    ) -> None:
        """SwitchError if the device cannot be reached, or has no program."""
        self.name = address
        self._device_id, self._client_id = device_id, client_id
        size = [("grpc.max_receive_message_length", -1), ("grpc.max_send_message_length", -1)]
        if tls is None:
            self._channel = grpc.insecure_channel(address, options=size)
        else:
            self._channel = grpc.secure_channel(address, tls.channel_credentials(), options=size)
        self._requests: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._stream: Any = None
        try:
            self._subscribe()
            self.p4_name, self.bfrt_json = self._bind()
        except grpc.FutureTimeoutError:
            self.close()
            raise SwitchError(address, f"nobody answers within {SUBSCRIBE_S:g} s") from None
        except grpc.RpcError as error:
            self.close()
            raise SwitchError(address, _text(error)) from None
        except ControllerError:
            self.close()
            raise
        self._tables = {table.name: table for table in read_info(self.bfrt_json).tables.values()}

    def _call(self, method: str, request: Any, answer: Any) -> Any:  # noqa: ANN401
        path = f"/{messages.SERVICE}/{method}"
        call = self._channel.unary_unary(path, type(request).SerializeToString, answer.FromString)
        return call(request)

    def _subscribe(self) -> None:
        stream = self._channel.stream_stream(
            f"/{messages.SERVICE}/StreamChannel",
            messages.StreamMessageRequest.SerializeToString,
            messages.StreamMessageResponse.FromString,
        )(iter(self._requests.get, None))
        request = messages.StreamMessageRequest(client_id=self._client_id)
        request.subscribe.device_id = self._device_id
        self._requests.put(request)
        self._stream = stream
        grpc.channel_ready_future(self._channel).result(SUBSCRIBE_S)
        answer = next(iter(stream))
        if answer.subscribe.status.code:
            raise SwitchError(self.name, f"the subscription was refused: {answer.subscribe.status.message}")

    def _bind(self) -> tuple[str, bytes]:
        get = messages.GetForwardingPipelineConfigRequest(
            device_id=self._device_id, client_id=self._client_id
        )
        found = self._call("GetForwardingPipelineConfig", get, messages.GetForwardingPipelineConfigResponse)
        if len(found.config) != 1:
            raise SwitchError(self.name, f"the device runs {len(found.config)} programs, not one")
        config = found.config[0]
        bind = messages.SetForwardingPipelineConfigRequest(
            device_id=self._device_id, client_id=self._client_id
        )
        bind.config.add(p4_name=config.p4_name)
        self._call("SetForwardingPipelineConfig", bind, messages.SetForwardingPipelineConfigResponse)
        return config.p4_name, config.bfruntime_info

    def write(self, operation: Operation, entries: Sequence[BfrtEntry]) -> None:
        """See `BfrtClient.write`."""
        kind = {"add": "INSERT", "mod": "MODIFY", "del": "DELETE"}[operation]
        request = messages.WriteRequest(client_id=self._client_id)
        request.target.device_id, request.target.pipe_id = self._device_id, ALL_PIPES
        request.atomicity = messages.WriteRequest.ROLLBACK_ON_ERROR
        for entry in entries:
            table = self._table(entry.table)
            update = request.updates.add(type=messages.Update.Type.Value(kind))
            update.entity.table_entry.table_id = table.id
            _key_to_wire(table, entry, update.entity.table_entry.key)
            if operation != "del":
                _data_to_wire(table, entry, update.entity.table_entry.data)
        try:
            self._call("Write", request, messages.WriteResponse)
        except grpc.RpcError as error:
            raise BfrtError(*_first_error(error)) from None

    def read(self, table: str, keys: Sequence[dict[str, KeyField]] | None = None) -> list[BfrtEntry]:
        """See `BfrtClient.read`."""
        described = self._table(table)
        request = messages.ReadRequest(client_id=self._client_id)
        request.target.device_id, request.target.pipe_id = self._device_id, ALL_PIPES
        for key in [None] if keys is None else keys:
            wire = request.entities.add().table_entry
            wire.table_id, wire.table_flags.from_hw = described.id, True
            if key is not None:
                _key_to_wire(described, BfrtEntry(table, key), wire.key)
        call = self._channel.unary_stream(
            f"/{messages.SERVICE}/Read",
            messages.ReadRequest.SerializeToString,
            messages.ReadResponse.FromString,
        )
        try:
            found = [entity.table_entry for part in call(request) for entity in part.entities]
        except grpc.RpcError as error:
            raise BfrtError(*_first_error(error)) from None
        return [_from_wire(described, wire) for wire in found if not wire.is_default_entry]

    def _table(self, name: str) -> Table:
        table = self._tables.get(name)
        if table is None:
            raise SwitchError(self.name, f"the program {self.p4_name} has no table {name}")
        return table

    def close(self) -> None:
        """Ends the stream and the connection."""
        self._requests.put(None)
        if self._stream is not None:
            self._stream.cancel()
        self._channel.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()


def _key_to_wire(table: Table, entry: BfrtEntry, wire: Any) -> None:  # noqa: ANN401
    for field in table.keys.values():
        part = entry.key.get(field.name)
        if part is None:
            continue
        found = wire.fields.add(field_id=field.id)
        match = getattr(found, field.match.lower())
        for name, value in part.items():
            plain = name == "prefix_len"
            setattr(match, name, value if plain else value.to_bytes(field.size, "big"))


def _data_to_wire(table: Table, entry: BfrtEntry, wire: Any) -> None:  # noqa: ANN401
    action = next((a.id for a in table.actions.values() if a.name == entry.action), 0)
    wire.action_id = action
    ids = {field.name: field for field in table.fields(action).values()}
    for name, value in entry.data.items():
        field = ids[name]
        found = wire.fields.add(field_id=field.id)
        if isinstance(value, float):
            found.float_val = value
        elif isinstance(value, str):
            found.str_val = value
        else:
            found.stream = value.to_bytes(field.size, "big")


def _from_wire(table: Table, wire: Any) -> BfrtEntry:  # noqa: ANN401
    key: dict[str, KeyField] = {}
    for found in wire.key.fields:
        match = getattr(found, found.WhichOneof("match_type"))
        key[table.keys[found.field_id].name] = {
            field.name: _number(getattr(match, field.name)) for field in match.DESCRIPTOR.fields
        }
    fields = table.fields(wire.data.action_id)
    direct = {field.name for field in table.data.values()} if table.actions else set()
    data: Data = {
        fields[found.field_id].name: _value(fields[found.field_id], found)
        for found in wire.data.fields
        if fields[found.field_id].name not in direct
    }
    action = table.actions[wire.data.action_id].name if wire.data.action_id else ""
    return BfrtEntry(table.name, key, action, data)


def _number(value: bytes | int) -> int:
    return int.from_bytes(value, "big") if isinstance(value, bytes) else value


def _value(field: Field, found: Any) -> int | float | str:  # noqa: ANN401
    match field.type:
        case "float":
            return float(found.float_val)
        case "string":
            return str(found.str_val)
    return int.from_bytes(found.stream, "big")


def _text(error: grpc.RpcError) -> str:
    return error.details() if isinstance(error, grpc.Call) else str(error)


def _first_error(error: grpc.RpcError) -> tuple[int, str]:
    """Which part of a batch was refused first, and why."""
    if isinstance(error, grpc.Call):
        for name, value in error.trailing_metadata() or ():
            if name == "grpc-status-details-bin":
                for index, detail in enumerate(rpc_status.Status.FromString(value).details):
                    found = messages.Error.FromString(detail.value)
                    if found.canonical_code:
                        return index, found.message
    return 0, _text(error)
