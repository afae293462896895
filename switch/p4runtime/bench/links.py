# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""Between two hosts in namespaces: round trips, TCP, and small datagrams through a switch."""

from __future__ import annotations

import json
import statistics
import subprocess
from typing import TYPE_CHECKING

from mecn_controller.runtime.session import apply_sync
from tests.namespaces import ECHO, Host, hosts, output, ready

if TYPE_CHECKING:
    from bench.contestants import Contestant

OFFLOADS = ("tx", "rx", "tso", "gso", "gro")

PING = """
import json, socket, sys, time
client = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
client.settimeout(1)
client.connect((sys.argv[1], 5001))
trips, end = [], time.monotonic() + float(sys.argv[2])
while time.monotonic() < end:
    start = time.monotonic_ns()
    client.send(bytes(64))
    try:
        client.recv(2048)
    except TimeoutError:
        continue
    trips.append((time.monotonic_ns() - start) / 1000)
print(json.dumps(trips))
"""

RECEIVE = """
import socket, time
listener = socket.create_server(("", 5000))
print("ready", flush=True)
connection, _ = listener.accept()
count, start = 0, time.monotonic()
while data := connection.recv(1 << 20):
    count += len(data)
print(count * 8 / (time.monotonic() - start) / 1e6)
"""

SEND = """
import socket, sys, time
with socket.create_connection((sys.argv[1], 5000)) as connection:
    end = time.monotonic() + float(sys.argv[2])
    while time.monotonic() < end:
        connection.sendall(bytes(1 << 16))
"""

COUNT = """
import socket, time
server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
server.setsockopt(socket.SOL_SOCKET, 33, 1 << 26)  # SO_RCVBUFFORCE
server.bind(("", 5002))
print("ready", flush=True)
buffer, count, start = bytearray(2048), 0, None
server.settimeout(10)
try:
    while True:
        server.recv_into(buffer)
        if start is None:
            start = time.monotonic()
            server.settimeout(1)
        last = time.monotonic()
        count += 1
except TimeoutError:
    print(count, count / (last - start) if count > 1 else 0)
"""

FLOOD = """
import socket, sys, time
client = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
client.connect((sys.argv[1], 5002))
count, end = 0, time.monotonic() + float(sys.argv[2])
while time.monotonic() < end:
    for _ in range(64):
        client.send(bytes(64))
    count += 64
print(count)
"""


def offloads_off(pair: list[Host]) -> None:
    """What a wire would carry: whole checksums, and no segments that a network card is yet to cut."""
    settings = [word for name in OFFLOADS for word in (name, "off")]
    for host in pair:
        command = ["ip", "netns", "exec", host.namespace, "ethtool", "-K", "eth0", *settings]
        subprocess.run(command, check=True, capture_output=True)  # noqa: S603


def round_trips(pair: list[Host], seconds: float) -> list[float]:
    """Microseconds of each echo of 64 bytes, one at a time, in ascending order."""
    one, two = pair
    echo = ready(two.python(ECHO))
    try:
        found: list[float] = json.loads(output(one.python(PING, two.address, seconds)))
        return sorted(found)
    finally:
        echo.kill()
        echo.communicate()


def tcp(pair: list[Host], seconds: float) -> float:
    """Mbit/s of one connection."""
    one, two = pair
    receiver = ready(two.python(RECEIVE))
    output(one.python(SEND, two.address, seconds))
    return float(output(receiver))


def udp(pair: list[Host], seconds: float) -> tuple[float, float]:
    """Datagrams of 64 bytes as fast as one sender can: those that arrive each second, percent lost."""
    one, two = pair
    counter = ready(two.python(COUNT))
    sent = int(output(one.python(FLOOD, two.address, seconds)))
    received, rate = output(counter).split()
    return float(rate), 100 * (1 - int(received) / sent)


def measure(contestant: Contestant, seconds: float, *, as_shipped: bool) -> dict[str, float]:
    """All of it once; empty if the hosts cannot talk through this switch."""
    with (
        hosts(2) as pair,
        contestant.start([(host.number, host.switch_end) for host in pair]) as switch,
    ):
        if not as_shipped:
            offloads_off(pair)
        apply_sync(
            [],
            address=switch.address,
            p4info_text=contestant.p4info,
            bmv2_json=contestant.bmv2_json,
            routes=[host.route for host in pair],
        )
        trips = round_trips(pair, seconds)
        if not trips:
            return {}
        rate, lost = udp(pair, seconds)
        return {
            "round trip median, us": statistics.median(trips),
            "round trip p99, us": trips[len(trips) * 99 // 100],
            "TCP, Mbit/s": tcp(pair, seconds),
            "UDP of 64 bytes, packets/s": rate,
            "UDP lost, %": lost,
        }
