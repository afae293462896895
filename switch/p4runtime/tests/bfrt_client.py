# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""A BF Runtime client by names, which sends the requests that p4lang's client sends."""

import queue
import threading
from collections.abc import Mapping, Sequence
from typing import Any, Self

import grpc
from finsy.proto import rpc_status
from mecn_switch.bfrt import messages
from mecn_switch.bfrt.info import Field, Table, read_info
from mecn_switch.bfrt.messages import Wire

Part = int | tuple[int, int] | str
"""A key field: exact; (value, mask), (value, prefix length), (low, high), (value, valid)."""


class Refused(Exception):  # noqa: N818
    """A batch was refused: (canonical code, text) by index."""

    def __init__(self, error: grpc.RpcError) -> None:
        assert isinstance(error, grpc.Call)
        self.code: grpc.StatusCode = error.code()
        self.errors: dict[int, tuple[int, str]] = {}
        for name, value in error.trailing_metadata() or ():
            if name == "grpc-status-details-bin":
                for index, detail in enumerate(rpc_status.Status.FromString(value).details):
                    found = messages.Error.FromString(detail.value)
                    if found.canonical_code:
                        self.errors[index] = found.canonical_code, found.message
        super().__init__(error.details(), self.errors)


class BfrtTestClient:
    """Subscribed to everything and bound, unless told otherwise."""

    def __init__(self, address: str, client_id: int = 0, *, bind: str | None = "program") -> None:
        self.client_id = client_id
        self.channel = grpc.insecure_channel(address)
        self._out: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self.received: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self.stream = self.channel.stream_stream(
            f"/{messages.SERVICE}/StreamChannel",
            messages.StreamMessageRequest.SerializeToString,
            messages.StreamMessageResponse.FromString,
        )(iter(self._out.get, None))
        threading.Thread(target=self._receive, daemon=True).start()
        self.subscribed = self.subscribe()
        if bind is not None:
            self.bind(bind)
            self.refresh()

    def _receive(self) -> None:
        try:
            for message in self.stream:
                self.received.put(message)
        except grpc.RpcError as error:
            self.received.put(error)

    def subscribe(self, device_id: int = 0) -> Wire:
        """Asks for everything; returns the answer."""
        request = messages.StreamMessageRequest(client_id=self.client_id)
        request.subscribe.device_id = device_id
        wanted = request.subscribe.notifications
        wanted.enable_learn_notifications = wanted.enable_idletimeout_notifications = True
        wanted.enable_port_status_change_notifications = True
        self._out.put(request)
        return self.received.get(timeout=10)

    def call(self, method: str, request: Wire, answer: Wire) -> Wire:
        """A unary method."""
        path = f"/{messages.SERVICE}/{method}"
        return self.channel.unary_unary(path, type(request).SerializeToString, answer.FromString)(
            request, timeout=20
        )

    def bind(self, name: str) -> None:
        """Binds to a program."""
        request = messages.SetForwardingPipelineConfigRequest(client_id=self.client_id)
        request.config.add(p4_name=name)
        self.call("SetForwardingPipelineConfig", request, messages.SetForwardingPipelineConfigResponse)

    def refresh(self) -> Wire:
        """Gets the config, and the tables from it."""
        request = messages.GetForwardingPipelineConfigRequest(client_id=self.client_id)
        config = self.call(
            "GetForwardingPipelineConfig", request, messages.GetForwardingPipelineConfigResponse
        )
        texts = (config.config[0].bfruntime_info, config.non_p4_config.bfruntime_info)
        self.tables = {t.name.removeprefix("pipe."): t for x in texts for t in read_info(x).tables.values()}
        return config

    # -- Requests

    def entry(
        self, table: str, key: Mapping[str, Part] | None, data: Mapping[str, Any], action: str | None
    ) -> Wire:
        """A TableEntry."""
        described = self.tables[table]
        wire = messages.TableEntry(table_id=described.id)
        if key is not None:
            for field in described.keys.values():
                if field.name in key:
                    _fill_key(field, key[field.name], wire.key.fields.add(field_id=field.id))
        number = next((a.id for a in described.actions.values() if a.name == action), 0)
        wire.data.action_id = number
        ids = {f.name: f for f in described.fields(number).values()}
        for name, value in data.items():
            _fill_data(ids[name], value, wire.data.fields.add(field_id=ids[name].id))
        return wire

    def update(
        self,
        kind: str,
        table: str,
        key: Mapping[str, Part] | None = None,
        data: Mapping[str, Any] | None = None,
        action: str | None = None,
        **more: Wire,
    ) -> Wire:
        """An Update of an entry."""
        update = messages.Update(type=messages.Update.Type.Value(kind))
        update.entity.table_entry.CopyFrom(self.entry(table, key, data or {}, action))
        for name, value in more.items():
            setattr(update.entity.table_entry, name, value)
        return update

    def write(self, *updates: Wire, atomicity: str = "CONTINUE_ON_ERROR", **more: Wire) -> None:
        """A Write; raises `Refused`."""
        request = messages.WriteRequest(client_id=self.client_id, updates=updates, **more)
        request.target.pipe_id = 0xFFFF
        request.atomicity = messages.WriteRequest.Atomicity.Value(atomicity)
        try:
            self.call("Write", request, messages.WriteResponse)
        except grpc.RpcError as error:
            raise Refused(error) from None

    def add(self, table: str, key: Mapping[str, Part], action: str | None = None, **data: Wire) -> None:
        """Adds an entry. Data with names that are no words are in `data`."""
        self.write(self.update("INSERT", table, key, data.pop("data", data), action))

    def read_entities(self, *entities: Wire, **more: Wire) -> list[Any]:
        """A Read; raises `Refused`."""
        request = messages.ReadRequest(client_id=self.client_id, entities=entities, **more)
        request.target.pipe_id = 0xFFFF
        call = self.channel.unary_stream(
            f"/{messages.SERVICE}/Read",
            messages.ReadRequest.SerializeToString,
            messages.ReadResponse.FromString,
        )
        try:
            return [entity for part in call(request, timeout=20) for entity in part.entities]
        except grpc.RpcError as error:
            raise Refused(error) from None

    def get(
        self, table: str, key: Mapping[str, Part] | None = None, *, default: bool = False
    ) -> list[tuple[dict[str, Any], dict[str, Any]]]:
        """(key, data) of entries; the data's "action" is the action's name."""
        wire = self.entry(table, key, {}, None)
        wire.is_default_entry = default
        found = self.read_entities(messages.Entity(table_entry=wire))
        return [_readable(self.tables[table], entity.table_entry) for entity in found]

    def close(self) -> None:
        """Ends stream and connection."""
        self._out.put(None)
        self.channel.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _fill_key(field: Field, part: Part, wire: Wire) -> None:
    def octets(number: int) -> bytes:
        return number.to_bytes(max(field.size, (number.bit_length() + 7) // 8), "big")

    match field.match, part:
        case "Exact", int():
            wire.exact.value = octets(part)
        case "Ternary", (int(value), int(mask)):
            wire.ternary.value, wire.ternary.mask = octets(value), octets(mask)
        case "LPM", (int(value), int(length)):
            wire.lpm.value, wire.lpm.prefix_len = octets(value), length
        case "Range", (int(low), int(high)):
            wire.range.low, wire.range.high = octets(low), octets(high)
        case _:
            raise AssertionError(f"{field.name} is {field.match}, not {part}")


def _fill_data(field: Field, value: Wire, wire: Wire) -> None:
    match value:
        case bool():
            wire.bool_val = value
        case int():
            wire.stream = value.to_bytes(max(field.size, (value.bit_length() + 7) // 8), "big")
        case str():
            wire.str_val = value
        case float():
            wire.float_val = value
        case list() if field.type == "bool":
            wire.bool_arr_val.val.extend(value)
            wire.bool_arr_val.SetInParent()
        case list():
            wire.int_arr_val.val.extend(value)
            wire.int_arr_val.SetInParent()


def _number(value: bytes | int) -> int:
    return int.from_bytes(value, "big") if isinstance(value, bytes) else value


def _readable(table: Table, wire: Wire) -> tuple[dict[str, Any], dict[str, Any]]:
    key: dict[str, Any] = {}
    for found in wire.key.fields:
        match = getattr(found, found.WhichOneof("match_type"))
        parts = tuple(_number(getattr(match, f.name)) for f in match.DESCRIPTOR.fields)
        key[table.keys[found.field_id].name] = parts[0] if len(parts) == 1 else parts
    fields = table.fields(wire.data.action_id)
    data: dict[str, Any] = {}
    for found in wire.data.fields:
        kind = found.WhichOneof("value")
        value = getattr(found, kind)
        if kind.endswith("arr_val"):
            value = list(value.val)
        data[fields[found.field_id].name] = _number(value) if kind == "stream" else value
    if wire.data.action_id:
        data["action"] = table.actions[wire.data.action_id].name
    return key, data


def codes(refused: Refused) -> Sequence[int]:
    """The canonical codes of a refusal, in order."""
    return [code for code, _ in refused.errors.values()]
