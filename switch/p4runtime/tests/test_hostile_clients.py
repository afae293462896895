# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""Clients that are silent, slow or greedy: nobody else waits for them, and what they cost is bounded."""

import resource
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import grpc
import pytest
from finsy.proto import p4r, rpc_code
from mecn_switch import P4RuntimeServer, budgets, service
from mecn_switch.digests import DigestQueue
from mecn_switch.status import StatusError, batch_status
from mecn_switch.streams import Stream as ServerStream
from mecn_switch.streams import StreamResponse, packet_out_error

from . import program
from .client import BatchError, Client, Stream, update
from .entries import NET_10, route

GREATEST = (1 << 128) - 1
EVERYTHING = p4r.Entity(table_entry=p4r.TableEntry())


def await_primary(server: P4RuntimeServer, election_id: int) -> None:
    """A controller gets in, within a few seconds."""
    end = time.monotonic() + 5
    while time.monotonic() < end:
        stream = Stream(Client(server.address).stub)
        stream.arbitrate(election_id)
        with suppress(grpc.RpcError):
            if stream.status() == (rpc_code.OK, election_id):
                stream.close()
                return
        stream.close()
        time.sleep(0.1)
    raise AssertionError("silent streams keep their places")


def test_silent_streams_give_their_places_back(
    server: P4RuntimeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service, "ARBITRATION_S", 0.5)
    silent = [Stream(Client(server.address).stub) for _ in range(budgets.STREAMS)]
    await_primary(server, 1)
    ends = [stream.end() for stream in silent]
    # The controller may have come in before the last of them.
    assert ends.count(grpc.StatusCode.DEADLINE_EXCEEDED) >= budgets.STREAMS - 1
    assert set(ends) <= {grpc.StatusCode.DEADLINE_EXCEEDED, grpc.StatusCode.RESOURCE_EXHAUSTED}


def test_a_stream_that_arbitrated_stays(server: P4RuntimeServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service, "ARBITRATION_S", 0.2)
    with Client(server.address) as client:
        time.sleep(0.6)
        client.set_config(program.config())


def test_the_greatest_election_id_locks_nobody_out(server: P4RuntimeServer) -> None:
    watcher = Stream(Client(server.address).stub)
    watcher.arbitrate(None)
    watcher.receive()
    with Client(server.address, GREATEST):
        assert watcher.status() == (rpc_code.ALREADY_EXISTS, GREATEST)
    assert watcher.status()[0] == rpc_code.NOT_FOUND
    with Client(server.address, 1) as client:
        client.set_config(program.config())
    watcher.close()


def test_waiting_messages_are_bounded_in_bytes() -> None:
    cut_off: list[bool] = []
    stream = ServerStream(lambda: cut_off.append(True))
    message = StreamResponse(packet=p4r.PacketIn(payload=bytes(1 << 20)))
    taken = sum(stream.offer(message) for _ in range(100))
    assert taken == budgets.STREAM_BYTES // message.ByteSize()
    assert not cut_off
    stream.send(message)
    assert cut_off == [True]
    # What was sent makes room.
    next(stream.responses())
    assert stream.offer(message)


def test_errors_repeat_little_of_a_packet() -> None:
    error = StatusError(rpc_code.PERMISSION_DENIED, "x" * 10_000)
    answer = packet_out_error(error, p4r.PacketOut(payload=bytes(1 << 20)))
    assert answer.ByteSize() < budgets.ECHO_BYTES + budgets.ERROR_TEXT + 100
    small = p4r.PacketOut(payload=b"whole")
    assert packet_out_error(error, small).error.packet_out.packet_out == small


@contextmanager
def process() -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A switch of its own, whose memory can be measured."""
    command = [sys.executable, "-m", "mecn_switch.cli", "--no-p4", "--grpc-server-addr", "127.0.0.1:0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
        try:
            assert child.stdout is not None
            yield child, child.stdout.readline().split()[-1]
        finally:
            child.terminate()
            assert child.wait(5) == 0


def peak_bytes(child: subprocess.Popen[str]) -> int:
    status = Path(f"/proc/{child.pid}/status").read_text(encoding="ascii")
    [line] = [line for line in status.splitlines() if line.startswith("VmHWM:")]
    return int(line.split()[1]) * 1024


def test_a_flood_of_bad_packets_takes_little_memory() -> None:
    with process() as (child, address):
        before = peak_bytes(child)
        stream = Stream(Client(address, device_id=0).stub)
        packet = p4r.StreamMessageRequest(packet=p4r.PacketOut(payload=bytes(1 << 20)))
        for _ in range(300):
            stream.send(packet)
        probe = Client(address, device_id=0)
        for _ in range(30):
            time.sleep(0.1)
            probe.stub.Capabilities(p4r.CapabilitiesRequest(), timeout=1)
        stream.close()
        assert peak_bytes(child) - before < 100 << 20


def stall(server: P4RuntimeServer, count: int) -> list[grpc.Call]:
    """Reads of far more than a connection buffers, of which the clients take nothing."""
    request = p4r.ReadRequest(device_id=1, entities=[EVERYTHING] * 50_000)
    return [Client(server.address).stub.Read(request) for _ in range(count)]


def test_stalled_reads_delay_no_write(client: Client, server: P4RuntimeServer) -> None:
    client.insert(route(NET_10))
    stalled = stall(server, budgets.READS + 4)
    slowest = 0.0
    end = time.monotonic() + 3
    while time.monotonic() < end:
        begin = time.monotonic()
        client.write(update(p4r.Update.MODIFY, route(NET_10)))
        slowest = max(slowest, time.monotonic() - begin)
    for call in stalled:
        call.cancel()
    assert slowest < 1


def test_stalled_reads_give_their_places_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(service, "READS", 2)
    monkeypatch.setattr(service, "STALLED_READ_S", 0.5)
    with P4RuntimeServer(address="127.0.0.1:0") as small, Client(small.address) as controller:
        controller.set_config(program.config())
        entry = route(NET_10)
        entry.metadata = bytes(4096)
        controller.insert(entry)
        stalled = stall(small, 2)
        time.sleep(0.2)
        with pytest.raises(grpc.RpcError) as caught:
            controller.entries(p4r.TableEntry())
        assert caught.value.code() == grpc.StatusCode.RESOURCE_EXHAUSTED
        end = time.monotonic() + 20
        found: list[p4r.TableEntry] = []
        while not found and time.monotonic() < end:
            time.sleep(0.2)
            with suppress(grpc.RpcError):
                found = controller.entries(p4r.TableEntry(table_id=program.ROUTE))
        assert found == [entry]
        for call in stalled:
            call.cancel()


@pytest.mark.parametrize("size", [2, 50, 70, 140, 200, 500, 1000])
def test_errors_of_any_batch_reach_a_plain_client(client: Client, size: int) -> None:
    client.insert(route(NET_10))
    batch = [update(p4r.Update.MODIFY, route(NET_10)) for _ in range(size - 1)]
    batch.insert(size // 2, update(p4r.Update.INSERT, route(NET_10)))
    request = p4r.WriteRequest(
        device_id=1,
        updates=batch,
        atomicity=p4r.WriteRequest.ROLLBACK_ON_ERROR,
        election_id=p4r.Uint128(low=1),
    )
    with pytest.raises(grpc.RpcError) as caught:
        client.stub.Write(request, timeout=10)
    assert caught.value.code() == grpc.StatusCode.UNKNOWN
    message = caught.value.details() or ""
    assert message.startswith("ALREADY_EXISTS: ")
    assert f"part {size // 2 + 1};" in message
    if size <= 70:
        with pytest.raises(BatchError) as details:
            client.write(*batch, atomicity=p4r.WriteRequest.ROLLBACK_ON_ERROR)
        codes = [error.canonical_code for error in details.value.errors]
        assert codes.count(rpc_code.ALREADY_EXISTS) == 1
        assert codes[size // 2] == rpc_code.ALREADY_EXISTS


def test_lists_of_digests_are_bounded() -> None:
    """Whatever size a controller asks for, and however long they may wait."""
    queue = DigestQueue(p4r.DigestEntry.Config(max_timeout_ns=(1 << 63) - 1, max_list_size=(1 << 31) - 1))
    lists = [found for number in range(5000) if (found := queue.offer((number,), 0)) is not None]
    assert [len(messages) for _, messages in lists] == [budgets.DIGEST_MESSAGES] * 4


def test_error_details_stay_below_their_budget() -> None:
    for count in (1, 10, 100, 1000):
        status = batch_status([StatusError(rpc_code.ABORTED, "x" * 400)] * count)
        [(_, details)] = status.trailing_metadata
        assert len(details) <= budgets.DETAIL_BYTES


def test_large_messages_are_refused(server: P4RuntimeServer) -> None:
    client = Client(server.address)
    config = p4r.ForwardingPipelineConfig(p4_device_config=bytes(budgets.MESSAGE_BYTES))
    with pytest.raises(grpc.RpcError) as caught:
        client.set_config(config)
    assert caught.value.code() == grpc.StatusCode.RESOURCE_EXHAUSTED


def nested_structs(count: int) -> p4r.ForwardingPipelineConfig:
    """Structs with two members of the next one each, and a register of the first."""
    config = program.config()
    structs = config.p4info.type_info.structs
    for number in range(count):
        for name in "ab":
            member = structs[f"S{number}"].members.add(name=name)
            if number + 1 < count:
                member.type_spec.struct.name = f"S{number + 1}"
            else:
                member.type_spec.bitstring.bit.bitwidth = 8
    register = config.p4info.registers.add(size=1)
    register.preamble.id, register.preamble.name = 369110000, "rx"
    register.type_spec.struct.name = "S0"
    return config


@pytest.mark.parametrize("count", [20, 40, 5000])
def test_nested_structs_of_a_p4info_cost_little(client: Client, count: int) -> None:
    begin = resource.getrusage(resource.RUSAGE_SELF).ru_utime
    with pytest.raises(grpc.RpcError) as caught:
        client.set_config(nested_structs(count))
    assert caught.value.code() == grpc.StatusCode.INVALID_ARGUMENT
    message = caught.value.details() or ""
    assert f"more than {budgets.P4INFO_FIELDS}" in message or "nested deeper" in message
    assert resource.getrusage(resource.RUSAGE_SELF).ru_utime - begin < 2


def test_a_unix_socket_is_its_users_own(tmp_path: Path) -> None:
    path = tmp_path / "p4runtime.sock"
    with P4RuntimeServer(address=f"unix:{path}") as server:
        assert server.address == f"unix:{path}"
        assert stat.S_IMODE(path.stat().st_mode) & 0o077 == 0
        with Client(server.address) as client:
            client.set_config(program.config())
            client.insert(route(NET_10))


def test_a_server_that_cannot_go_on_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    failed: list[bool] = []
    server = P4RuntimeServer(address="127.0.0.1:0", on_failure=lambda: failed.append(True))

    def broken() -> None:
        raise RuntimeError("injected")

    monkeypatch.setattr(server._device, "poll", broken)
    with server:
        end = time.monotonic() + 5
        while not failed and time.monotonic() < end:
            time.sleep(0.01)
    assert failed == [True]
