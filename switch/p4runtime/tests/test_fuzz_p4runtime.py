# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""No message breaks the P4Runtime server: every answer is a response, or a status that the specification has.

An exception in the server shows as UNKNOWN, which the specification has for batches only, with a p4.v1.Error
for each part. Bytes that are no message are gRPC's to refuse.
"""

from collections.abc import Iterator

import grpc
import pytest
from finsy.proto import p4i, p4r, rpc_code, rpc_status
from google.protobuf.message import Message
from hypothesis import example, given
from hypothesis import strategies as st
from mecn_switch import P4RuntimeServer

from . import program
from .client import TIMEOUT_S, Client
from .compiled import compiled
from .fuzzing import arbitrary, messages

SERVICE = "/p4.v1.P4Runtime/"
CODES = frozenset(
    (
        rpc_code.UNKNOWN,
        rpc_code.INVALID_ARGUMENT,
        rpc_code.NOT_FOUND,
        rpc_code.ALREADY_EXISTS,
        rpc_code.PERMISSION_DENIED,
        rpc_code.RESOURCE_EXHAUSTED,
        rpc_code.FAILED_PRECONDITION,
        rpc_code.OUT_OF_RANGE,
        rpc_code.UNIMPLEMENTED,
    )
)
STREAM_CODES = CODES - {rpc_code.UNKNOWN} | {rpc_code.OK, rpc_code.ABORTED}
CONFIGS = {
    "tables": program.config(cookie=7),
    "externs": compiled("externs"),
    "translated": compiled("translated"),
}
"""Programs that are sent messages: with all kinds of tables, with everything else, with translated types."""


def _ids(p4info: p4i.P4Info) -> set[int]:
    """Ids of all objects, and of their fields and parameters."""
    parts = (part for field, part in p4info.ListFields() if field.is_repeated for part in part)
    return {part.preamble.id for part in parts} | {1, 2, 3}


NUMBERS = sorted(set().union(*(_ids(config.p4info) for config in CONFIGS.values())))


@pytest.fixture(scope="module", params=CONFIGS)
def connected(request: pytest.FixtureRequest) -> Iterator[Client]:
    with P4RuntimeServer(address="127.0.0.1:0") as server, Client(server.address) as client:
        client.set_config(CONFIGS[request.param])
        yield client


def call(client: Client, method: str, request: bytes) -> grpc.RpcError | None:
    """Calls a method with bytes; the error, if it is one."""
    try:
        if method == "Read":
            stream: grpc.UnaryStreamMultiCallable[bytes, bytes] = client.channel.unary_stream(
                SERVICE + method
            )
            list(stream(request, timeout=TIMEOUT_S))
        else:
            unary: grpc.UnaryUnaryMultiCallable[bytes, bytes] = client.channel.unary_unary(SERVICE + method)
            unary(request, timeout=TIMEOUT_S)
    except grpc.RpcError as error:
        return error
    return None


def check(client: Client, method: str, request: bytes, kind: type[Message]) -> None:
    """Calls a method and judges the answer."""
    error = call(client, method, request)
    if error is None:
        return
    assert isinstance(error, grpc.Call)
    code, details = error.code(), error.details() or ""
    if code is grpc.StatusCode.INTERNAL:
        assert details == "Exception deserializing request!"
        with pytest.raises(Exception, match=r"."):
            kind.FromString(request)
        return
    number: int = code.value[0]
    assert number in CODES, f"{code}: {details}"
    assert details, "a status without a message"
    if code is grpc.StatusCode.UNKNOWN:
        trailing = dict(error.trailing_metadata() or ())
        assert "grpc-status-details-bin" in trailing, f"an exception: {details}"
        status = rpc_status.Status.FromString(trailing["grpc-status-details-bin"])
        for detail in status.details:
            part = p4r.Error()
            assert detail.Unpack(part)
            assert part.canonical_code in CODES | {rpc_code.OK}
            assert part.message or part.canonical_code == rpc_code.OK


def addressed(request: p4r.WriteRequest | p4r.SetForwardingPipelineConfigRequest, sloppy: int) -> bytes:
    """Mostly to the device, from its primary."""
    if sloppy:
        request.device_id = 1
    if sloppy > 1:
        request.election_id.CopyFrom(p4r.Uint128(low=1))
        request.role = ""
        request.role_id = 0
    return request.SerializeToString()


SLOPPY = st.sampled_from([0, 1, 2, 2, 2, 2])


@arbitrary(200)
@given(request=messages(p4r.WriteRequest, NUMBERS), sloppy=SLOPPY)
def test_write(connected: Client, request: p4r.WriteRequest, sloppy: int) -> None:
    check(connected, "Write", addressed(request, sloppy), p4r.WriteRequest)


@arbitrary(200)
@given(entry=messages(p4r.TableEntry, NUMBERS), kind=st.sampled_from([1, 2, 3]))
def test_write_table_entries(connected: Client, entry: p4r.TableEntry, kind: int) -> None:
    request = p4r.WriteRequest(device_id=1, updates=[p4r.Update(entity=p4r.Entity(table_entry=entry))])
    request.updates[0].type = p4r.Update.Type.ValueType(kind)
    check(connected, "Write", addressed(request, 2), p4r.WriteRequest)


@arbitrary(200)
@given(request=messages(p4r.ReadRequest, NUMBERS), right=st.booleans())
def test_read(connected: Client, request: p4r.ReadRequest, right: bool) -> None:
    if right:
        request.device_id = 1
        request.role = ""
    check(connected, "Read", request.SerializeToString(), p4r.ReadRequest)


@arbitrary(60)
@given(request=messages(p4r.GetForwardingPipelineConfigRequest))
def test_get_config(connected: Client, request: p4r.GetForwardingPipelineConfigRequest) -> None:
    check(
        connected,
        "GetForwardingPipelineConfig",
        request.SerializeToString(),
        p4r.GetForwardingPipelineConfigRequest,
    )


@arbitrary(100)
@given(request=messages(p4r.SetForwardingPipelineConfigRequest), sloppy=SLOPPY)
def test_set_config(connected: Client, request: p4r.SetForwardingPipelineConfigRequest, sloppy: int) -> None:
    check(
        connected,
        "SetForwardingPipelineConfig",
        addressed(request, sloppy),
        p4r.SetForwardingPipelineConfigRequest,
    )


@arbitrary(100)
@given(p4info=messages(p4i.P4Info, NUMBERS), merged=st.booleans(), action=st.integers(0, 5))
def test_p4info(connected: Client, p4info: p4i.P4Info, merged: bool, action: int) -> None:
    config = program.config(cookie=8)
    if merged:
        config.p4info.MergeFrom(p4info)
    else:
        config.p4info.CopyFrom(p4info)
    request = p4r.SetForwardingPipelineConfigRequest(config=config)
    request.action = p4r.SetForwardingPipelineConfigRequest.Action.ValueType(action)
    check(
        connected,
        "SetForwardingPipelineConfig",
        addressed(request, 2),
        p4r.SetForwardingPipelineConfigRequest,
    )


@arbitrary(100)
@given(
    method=st.sampled_from(
        [
            ("Write", p4r.WriteRequest),
            ("Read", p4r.ReadRequest),
            ("SetForwardingPipelineConfig", p4r.SetForwardingPipelineConfigRequest),
            ("GetForwardingPipelineConfig", p4r.GetForwardingPipelineConfigRequest),
            ("Capabilities", p4r.CapabilitiesRequest),
        ]
    ),
    request=st.binary(max_size=40),
)
@example(method=("Write", p4r.WriteRequest), request=b"\xff")
def test_bytes(connected: Client, method: tuple[str, type[Message]], request: bytes) -> None:
    check(connected, method[0], request, method[1])


@arbitrary(60)
@given(requests=st.lists(messages(p4r.StreamMessageRequest, NUMBERS), min_size=1, max_size=4))
def test_stream(connected: Client, requests: list[p4r.StreamMessageRequest]) -> None:
    # Another controller: the primary stays.
    stream = connected.stub.StreamChannel(iter(requests), timeout=TIMEOUT_S)
    code, details = grpc.StatusCode.OK, ""
    try:
        for response in stream:
            assert response.WhichOneof("update")
    except grpc.RpcError:
        code, details = stream.code(), stream.details() or ""
    assert code.value[0] in STREAM_CODES, f"{code}: {details}"


def test_the_server_is_well_afterwards(connected: Client) -> None:
    # Some stream may have had a larger election id than the fixture.
    connected.election_id = (1 << 128) - 1
    with connected:
        connected.set_config(program.config(cookie=9))
        assert connected.get_config().config.cookie.cookie == 9
        assert not connected.entries(p4r.TableEntry(table_id=program.ROUTE))
