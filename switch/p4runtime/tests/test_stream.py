# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""Arbitration over the wire: several controllers at one server."""

import grpc
import pytest
from finsy.proto import p4r, rpc_code
from mecn_switch import P4RuntimeServer

from . import program
from .client import Client, Stream
from .entries import NET_10, route


def test_second_controller_with_same_election_id_is_refused(server: P4RuntimeServer) -> None:
    with Client(server.address, election_id=1) as first:
        second = Client(server.address)
        stream = Stream(second.stub)
        stream.arbitrate(1)
        assert stream.end() == grpc.StatusCode.INVALID_ARGUMENT
        assert stream.details() == "election id 1 is already used by another controller"
        first.set_config(program.config())
        second.channel.close()


@pytest.mark.parametrize("ends", ["cancels", "closes its side", "closes the channel"])
def test_a_controller_may_come_back_at_once(server: P4RuntimeServer, ends: str) -> None:
    """With the election id of the stream that it has just ended."""
    for _ in range(100):
        client = Client(server.address)
        stream = Stream(client.stub)
        stream.arbitrate(1)
        assert stream.status() == (rpc_code.OK, 1)
        if ends == "cancels":
            stream.close()
        elif ends == "closes its side":
            stream.close_side()
        else:
            client.channel.close()


def test_an_id_that_becomes_free_is_waited_for(server: P4RuntimeServer) -> None:
    first = Stream(Client(server.address).stub)
    first.arbitrate(1)
    assert first.status() == (rpc_code.OK, 1)
    second = Stream(Client(server.address).stub)
    second.arbitrate(1)
    first.close_side()
    assert first.end() == grpc.StatusCode.OK
    assert second.status() == (rpc_code.OK, 1)
    second.close()


def test_take_over_and_loss_of_primary(server: P4RuntimeServer) -> None:
    low = Client(server.address, election_id=1)
    high = Client(server.address, election_id=2)
    with low:
        assert low.stream is not None
        with high:
            assert low.stream.status() == (rpc_code.ALREADY_EXISTS, 2)
            with pytest.raises(grpc.RpcError) as caught:
                low.set_config(program.config())
            assert caught.value.code() == grpc.StatusCode.PERMISSION_DENIED
            high.set_config(program.config())
        assert low.stream.status() == (rpc_code.NOT_FOUND, 2)
        low.stream.arbitrate(2)
        assert low.stream.status() == (rpc_code.OK, 2)
        low.election_id = 2
        low.insert(route(NET_10))


def test_election_ids_have_128_bits(server: P4RuntimeServer) -> None:
    stream = Stream(Client(server.address).stub)
    stream.arbitrate(1 << 64)
    assert stream.status() == (rpc_code.OK, 1 << 64)
    other = Stream(Client(server.address).stub)
    other.arbitrate((1 << 64) - 1)
    assert other.status() == (rpc_code.ALREADY_EXISTS, 1 << 64)
    stream.close()
    other.close()


@pytest.mark.parametrize("device_id", [0, 2])
def test_unknown_device(server: P4RuntimeServer, device_id: int) -> None:
    stream = Stream(Client(server.address).stub)
    stream.arbitrate(1, device_id=device_id)
    assert stream.end() == grpc.StatusCode.NOT_FOUND


def test_device_of_a_stream_is_fixed(server: P4RuntimeServer) -> None:
    stream = Stream(Client(server.address).stub)
    stream.arbitrate(1)
    assert stream.status() == (rpc_code.OK, 1)
    stream.arbitrate(1, device_id=2)
    assert stream.end() == grpc.StatusCode.FAILED_PRECONDITION


def test_a_client_that_hangs_up_leaves(server: P4RuntimeServer) -> None:
    watcher = Stream(Client(server.address).stub)
    watcher.arbitrate(None)
    assert watcher.status() == (rpc_code.NOT_FOUND, 0)
    with Client(server.address, election_id=9):
        assert watcher.status() == (rpc_code.ALREADY_EXISTS, 9)
    assert watcher.status() == (rpc_code.NOT_FOUND, 9)
    with Client(server.address, election_id=9):
        assert watcher.status() == (rpc_code.ALREADY_EXISTS, 9)
    watcher.close()


def test_reads_and_capabilities_need_no_stream(server: P4RuntimeServer, client: Client) -> None:
    del client
    stub = Client(server.address).stub
    assert stub.Capabilities(p4r.CapabilitiesRequest(device_id=1)).p4runtime_api_version == "1.5.0"
    assert list(stub.Read(p4r.ReadRequest(device_id=1))) == []


def test_many_streams(server: P4RuntimeServer) -> None:
    streams = []
    for number in range(32):
        stream = Stream(Client(server.address).stub)
        stream.arbitrate(number)
        assert stream.status() == (rpc_code.OK, number)
        streams.append(stream)
    extra = Stream(Client(server.address).stub)
    extra.arbitrate(99)
    assert extra.end() == grpc.StatusCode.RESOURCE_EXHAUSTED
    for stream in streams:
        stream.close()
