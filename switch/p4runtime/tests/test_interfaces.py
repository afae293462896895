# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""`mecn-switch` on veth pairs between hosts in network namespaces; needs root. What was made is removed."""

import json
import signal
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from finsy.proto import p4r
from google.protobuf import text_format
from mecn_switch import P4RuntimeServer, ctl
from mecn_switch.interfaces import InterfaceDataplane
from mecn_switch.links import LinkMonitor
from scapy.layers.inet import IP, TCP
from scapy.layers.l2 import Ether
from scapy.utils import rdpcap

from .client import Client
from .compiled import compiled
from .mecn_program import ProgramFiles, compile_to, push, switch_process
from .namespaces import ECHO, Host, hosts, output, ready, why_not

REASON = why_not()
needs_root = pytest.mark.skipif(REASON is not None, reason=str(REASON))

RECEIVE = """
import socket
listener = socket.create_server(("", 5000))
print("ready", flush=True)
connection, _ = listener.accept()
count = 0
while data := connection.recv(65536):
    count += len(data)
print(count)
"""

SEND = """
import socket, sys
with socket.create_connection((sys.argv[1], 5000)) as connection:
    connection.sendall(bytes(int(sys.argv[2])))
"""

SEND_FRAME = """
import socket, sys
raw = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
raw.bind(("eth0", 0))
raw.send(bytes.fromhex(sys.argv[1]))
"""

# A raw capture: frames as they leave the switch, until none came for 0.5 s.
CAPTURE = """
import socket
raw = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
raw.bind(("eth0", 0))
raw.settimeout(10)
print("ready", flush=True)
frames = []  # printed at the end: nobody reads before, and a full pipe would cost frames
try:
    while True:
        frame, address = raw.recvfrom(65536)
        if address[2] != socket.PACKET_OUTGOING:
            frames.append(frame)
            raw.settimeout(0.5)
except TimeoutError:
    pass
for frame in frames:
    print(frame.hex())
"""

PING = """
import socket, sys, time
client = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
client.settimeout(5)
client.connect((sys.argv[1], 5001))
for number in range(int(sys.argv[2])):
    start = time.monotonic_ns()
    client.send(number.to_bytes(4, "big"))
    client.recv(2048)
    print(time.monotonic_ns() - start)
    time.sleep(0.005)
"""

COUNT = """
import socket
server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
server.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)
server.bind(("", 5002))
print("ready", flush=True)
server.settimeout(10)
seen = []
try:
    while True:
        seen.append(int.from_bytes(server.recv(2048), "big"))
        server.settimeout(1)
except TimeoutError:
    print(len(seen), len(set(seen)), seen == sorted(seen))
"""

STREAM = """
import socket, sys, time
client = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
start = time.monotonic()
for number in range(int(sys.argv[2])):
    client.sendto(number.to_bytes(4, "big"), (sys.argv[1], 5002))
    time.sleep(max(0, start + number * 0.002 - time.monotonic()))
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> ProgramFiles:
    return compile_to(tmp_path_factory.mktemp("program"))


@pytest.fixture
def pair() -> Iterator[tuple[Host, Host]]:
    with hosts(2) as (one, two):
        yield one, two


@pytest.fixture
def start(tmp_path: Path, program: ProgramFiles, pair: tuple[Host, Host]) -> Callable[..., tuple[str, ...]]:
    """Arguments of a switch between both hosts; its control socket is in `tmp_path`."""

    def arguments(*more: str) -> tuple[str, ...]:
        ports = [argument for host in pair for argument in ("-i", host.interface)]
        return *ports, "--ctl-socket", str(tmp_path / "ctl"), *more, *program.arguments

    return arguments


def stats(path: Path) -> dict[int, dict[str, Any]]:
    answer = ctl.request(path, {"op": "stats"})
    assert answer.pop("ok") is True
    rows = answer["ports"]
    assert isinstance(rows, list)
    return {row["port"]: row for row in rows}


@needs_root
def test_tcp_is_marked_on_its_way(
    tmp_path: Path, pair: tuple[Host, Host], start: Callable[..., tuple[str, ...]]
) -> None:
    """Checksums and segmentation are left to the network card by the hosts, as Linux does by default."""
    one, two = pair
    with switch_process(*start("--port-rate", "2=20mbit")) as (process, address):
        push(address, [one.route, two.route], {"scheme": "threshold", "threshold": 3})
        capture = ready(two.python(CAPTURE))
        receiver = ready(two.python(RECEIVE))
        sender = one.python(SEND, two.address, 1_000_000)
        assert output(receiver) == "1000000\n"
        output(sender)
        frames = [Ether(bytes.fromhex(line)) for line in output(capture).split()]
        data = [frame for frame in frames if TCP in frame and len(frame[TCP].payload) > 100]
        assert max(len(frame) for frame in data) <= 1514
        # Segments that are sent again are Not-ECT (RFC 3168, section 6.1.5).
        codepoints = {int(frame[IP].tos) & 3 for frame in data} - {0b00}
        assert codepoints == {0b10, 0b11}, "ECT(0), and CE when more than three packets waited"
        for frame in data[:50]:
            again = frame.copy()
            del again[IP].chksum, again[TCP].chksum
            again = Ether(bytes(again))
            assert (frame[IP].chksum, frame[TCP].chksum) == (again[IP].chksum, again[TCP].chksum)
        counts = stats(tmp_path / "ctl")
        assert counts[1]["super_packets"] > 0
        assert counts[2]["checksums_completed"] > 0
        assert counts[1]["rx_malformed"] == counts[2]["rx_malformed"] == 0
        assert counts[2]["tx_too_long"] == counts[2]["tx_errors"] == 0
        process.send_signal(signal.SIGUSR1)
        assert process.stdout is not None
        assert process.stdout.readline().startswith(f"port 1 ({one.switch_end}): link up, rx_packets ")
        process.send_signal(signal.SIGTERM)
        assert process.wait(10) == 0
        assert f"port 2 ({two.switch_end}): link up, rx_packets " in process.stdout.read()
    assert not (tmp_path / "ctl").exists()


@needs_root
def test_propagation_delay(
    tmp_path: Path,
    pair: tuple[Host, Host],
    start: Callable[..., tuple[str, ...]],
    record_property: Callable[[str, object], None],
) -> None:
    """A round trip takes both ports' delays; on a busy machine only the best of them not much more."""
    one, two = pair
    with switch_process(*start("--port-delay", "1=10ms", "--port-delay", "2=20ms")) as (_, address):
        push(address, [one.route, two.route], None)
        echo = ready(two.python(ECHO))
        try:
            trips = [int(line) / 1e6 for line in output(one.python(PING, two.address, 50)).split()]
        finally:
            echo.kill()
            echo.communicate()
        assert 30 <= min(trips) < 35
        for port, row in stats(tmp_path / "ctl").items():
            late = {name: value for name, value in row.items() if name.startswith("late_")}
            assert late["late_max_ns"] >= late["late_mean_ns"] > 0
            record_property(f"port {port}", late)
        record_property("round trips, ms", {"median": statistics.median(trips), "max": max(trips)})


@needs_root
def test_queue_settings_at_run_time(
    tmp_path: Path, pair: tuple[Host, Host], start: Callable[..., tuple[str, ...]]
) -> None:
    one, two = pair

    def run(*arguments: str) -> tuple[int, str, str]:
        command = (sys.executable, "-m", "mecn_switch.cli", "ctl", "--ctl-socket", str(tmp_path / "ctl"))
        done = subprocess.run([*command, *arguments], capture_output=True, text=True, check=False)
        return done.returncode, done.stdout, done.stderr

    assert run("ports")[0] == 1, "nobody listens yet"
    with switch_process(*start()) as (_, address):
        push(address, [one.route, two.route], None)
        link = {"in_rate": "unlimited", "in_delay": "0ns"}
        expected = {"port": 2, "rate": "5kpps", "limit": "10,15000b", "delay": "2ms", "overhead": -14, **link}
        status, out, _ = run(
            "set", "2", "--rate=5000pps", "--limit", "10,15000b", "--delay", "2ms", "--overhead=-14"
        )
        assert (status, json.loads(out)) == (0, expected)
        assert json.loads(run("ports")[1].splitlines()[1]) == expected
        assert run("set", "2", "--rate=fast") == (
            1,
            "",
            "mecn-switch: rate 'fast' is not of a form such as 1.5mbit, 1000pps or unlimited\n",
        )
        assert run("set", "2", "--limit=100", "--rate=1mbit", "--delay=0s", "--overhead=0")[0] == 0
        receiver = ready(two.python(RECEIVE))
        sender = one.python(SEND, two.address, 200_000)
        assert output(receiver) == "200000\n"
        output(sender)
        row = json.loads(run("stats")[1].splitlines()[1])
        assert row["rate"] == "1mbit"
        assert row["tx_packets"] > 100
        assert (tmp_path / "ctl").stat().st_mode & 0o777 == 0o600


@needs_root
def test_no_packet_is_lost_by_a_pipeline_swap(
    pair: tuple[Host, Host], program: ProgramFiles, start: Callable[..., tuple[str, ...]]
) -> None:
    """Packets wait in the queue and on the link while pipelines are swapped; all arrive, in order."""
    one, two = pair
    arguments = start("--port-rate", "2=600pps", "--port-limit", "2=unlimited", "--port-delay", "2=30ms")
    with switch_process(*arguments) as (_, address):
        push(address, [one.route, two.route], None)
        counter = ready(two.python(COUNT))
        stream = one.python(STREAM, two.address, 1000)
        config = p4r.ForwardingPipelineConfig(p4_device_config=program.pipeline.read_bytes())
        text_format.Parse(program.p4info.read_text(), config.p4info)
        swaps = 0
        with Client(address, 1 << 70) as client:
            while stream.poll() is None:
                client.set_config(config, p4r.SetForwardingPipelineConfigRequest.RECONCILE_AND_COMMIT)
                swaps += 1
        output(stream)
        assert swaps >= 3
        assert output(counter) == "1000 1000 True\n"


@needs_root
def test_capture_shows_vlan_tags(
    tmp_path: Path, pair: tuple[Host, Host], start: Callable[..., tuple[str, ...]]
) -> None:
    """The kernel puts the tag of a received frame beside it; the switch sees the frame as it was sent."""
    one, _ = pair
    tagged = bytes.fromhex("0200000001fe 020000000101 8100 2064 0800") + bytes(46)
    with switch_process(*start("--pcap", str(tmp_path))) as (process, _address):
        output(one.python(SEND_FRAME, tagged.hex()))
        for _ in range(100):
            counts = stats(tmp_path / "ctl")[1]
            if counts["rx_packets"]:
                break
        assert counts["vlan_tags_restored"] == 1
        process.send_signal(signal.SIGINT)
        assert process.wait(10) == 0
    captured = [bytes(frame) for frame in rdpcap(str(tmp_path / f"{one.switch_end}_in.pcap"))]
    assert tagged in captured


@needs_root
def test_an_interface_that_goes_down(pair: tuple[Host, Host], start: Callable[..., tuple[str, ...]]) -> None:
    """It is reported once, and taken up again when it is back."""
    one, two = pair
    with switch_process(*start()) as (process, address):
        push(address, [one.route, two.route], None)
        subprocess.run(["ip", "link", "set", two.switch_end, "down"], check=True)
        subprocess.run(["ip", "link", "set", two.switch_end, "up"], check=True)
        receiver = ready(two.python(RECEIVE))
        output(one.python(SEND, two.address, 10_000))
        assert output(receiver) == "10000\n"
        process.send_signal(signal.SIGTERM)
        assert process.wait(10) == 0
        assert process.stderr is not None
        errors = process.stderr.read()
    assert f"port 2, interface {two.switch_end}: receiving: Network is down" in errors


@needs_root
def test_the_link_towards_a_port(
    tmp_path: Path, pair: tuple[Host, Host], start: Callable[..., tuple[str, ...]]
) -> None:
    """Three packets of 1000 bytes of IP at 80 kbit/s, 0.1 s each, then 50 ms: in order, none sooner."""
    send = (
        "import socket, sys, time; s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); "
        "s.connect((sys.argv[1], 5003)); print(time.monotonic()); "
        "[s.send(bytes([i]) * 972) for i in range(3)]"
    )
    receive = (
        "import socket, time; s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.bind(('', 5003)); "
        "print('ready', flush=True); "
        "[print(s.recv(2000)[0], time.monotonic(), flush=True) for _ in range(3)]"
    )
    one, two = pair
    link = ("--port-in-rate", "1=80kbit", "--port-in-delay", "1=50ms", "--port-overhead", "1=-14")
    with switch_process(*start(*link)) as (_, address):
        push(address, [one.route, two.route], None)
        receiver = ready(two.python(receive))
        began = float(output(one.python(send, two.address)))
        arrived = [line.split() for line in output(receiver).splitlines()]
        after = [float(at) - began for _, at in arrived]
        (row,) = [row for row in stats(tmp_path / "ctl").values() if row["port"] == 1]
    assert [number for number, _ in arrived] == ["0", "1", "2"]
    assert all(found >= wanted for found, wanted in zip(after, (0.15, 0.25, 0.35), strict=True)), after
    assert (row["in_rate"], row["in_delay"], row["rx_link_drops"]) == ("80kbit", "50ms", 0)


@needs_root
def test_a_backup_replica_takes_over_when_an_interface_loses_its_carrier(tmp_path: Path) -> None:
    config = compiled("externs")
    frame = b"\x07\0\0\x05" + bytes(60)  # to multicast group 5
    entry = p4r.MulticastGroupEntry(multicast_group_id=5)
    entry.replicas.add(port=b"\x02", instance=1).backup_replicas.add(port=b"\x03", instance=2)
    replication = p4r.PacketReplicationEngineEntry(multicast_group_entry=entry)
    with hosts(3) as three:
        ports = [argument for host in three for argument in ("-i", host.interface)]
        with switch_process(*ports, "--ctl-socket", str(tmp_path / "ctl"), "--no-p4") as (process, address):
            with Client(address) as client:
                client.set_config(config)
                entity = p4r.Entity(packet_replication_engine_entry=replication)
                client.write(p4r.Update(type=p4r.Update.INSERT, entity=entity))

                def sent() -> tuple[int, int]:
                    """Copies that left at ports 2 and 3 for one packet."""
                    before = stats(tmp_path / "ctl")
                    output(three[0].python(SEND_FRAME, frame.hex()))
                    for _ in range(200):
                        after = stats(tmp_path / "ctl")
                        copies = [after[port]["enqueued"] - before[port]["enqueued"] for port in (2, 3)]
                        if any(copies):
                            return copies[0], copies[1]
                    raise AssertionError("no copy was made")

                def becomes(expected: tuple[int, int]) -> None:
                    found = [sent()]
                    while found[-1] != expected and len(found) < 50:
                        time.sleep(0.05)
                        found.append(sent())
                    assert found[-1] == expected, found

                assert sent() == (1, 0)
                inside = ["ip", "-n", three[1].namespace, "link", "set", "eth0"]
                subprocess.run([*inside, "down"], check=True)
                becomes((0, 1))
                assert stats(tmp_path / "ctl")[2]["link"] == "down"
                subprocess.run([*inside, "up"], check=True)
                becomes((1, 0))
            process.send_signal(signal.SIGTERM)
            assert process.wait(10) == 0
            assert process.stderr is not None
            log = process.stderr.read()
    assert log.index("port 2 is down") < log.index("port 2 is up")


@needs_root
def test_digests_leave_when_packets_make_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not when the switch is next asked for them, which here it never is."""
    monkeypatch.setattr("mecn_switch.listener.POLL_S", 1e6)
    config = compiled("externs")
    [digest] = config.p4info.digests
    enabled = p4r.Entity(digest_entry=p4r.DigestEntry(digest_id=digest.preamble.id))
    with (
        hosts(1) as [host],
        InterfaceDataplane([(host.number, host.switch_end)], {}) as dataplane,
        P4RuntimeServer(address="127.0.0.1:0", dataplane=dataplane) as server,
        Client(server.address) as client,
        ThreadPoolExecutor() as threads,
    ):
        client.set_config(config)
        client.write(p4r.Update(type=p4r.Update.INSERT, entity=enabled))
        for key in (7, 8):
            arrived = threads.submit(client.open_stream.receive)
            output(host.python(SEND_FRAME, (bytes([5, 0, 0, key]) + bytes(60)).hex()))
            try:
                [message] = arrived.result(timeout=20).digest.data
            finally:
                if not arrived.done():
                    client.open_stream.close()
            assert message.struct.members[0].bitstring == bytes([key])


@pytest.mark.parametrize("thread", ["_events", "_wait_for_digests", "_packet_ins", "links"])
def test_a_thread_that_fails_is_told(thread: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """`mecn-switch` ends then, with status 1; without the thread it would only seem to go on."""

    def broken(_self: object) -> None:
        raise RuntimeError("injected")

    failed = threading.Event()
    broken_class, name = (LinkMonitor, "_run") if thread == "links" else (InterfaceDataplane, thread)
    monkeypatch.setattr(broken_class, name, broken)
    with InterfaceDataplane([], {}, cpu_port=1, on_failure=failed.set) as dataplane:
        dataplane.watch_ports(lambda _port, _up: None)
        assert failed.wait(5)


def test_without_permission() -> None:
    """Root gives its rights up first."""
    code = (
        "import os, sys; from mecn_switch.cli import main; os.geteuid() or os.setuid(65534); "
        "sys.exit(main(sys.argv[1:]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, "-i", "1@lo", "--no-p4", "--grpc-server-addr", "127.0.0.1:0"],
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.splitlines()[-1] == (
        "mecn-switch: interface lo: no permission to open a packet socket; run as root or give the process "
        "CAP_NET_RAW (capture files need no privileges: --use-files)"
    )


@needs_root
def test_no_such_interface(program: ProgramFiles) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "mecn_switch.cli", "-i", "1@mecn-none", *program.arguments],
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.splitlines()[-1] == "mecn-switch: there is no interface mecn-none"
