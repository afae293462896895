# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""Latency and throughput of `mecn-switch` between two hosts in namespaces, beside simple_switch_grpc.

    sudo .venv/bin/python switch/p4runtime/bench/veth.py [--seconds 2] [--rounds 3]

Both run the MECN program, with routes and without a profile; ports have no rate. One after the other:

* round trip: UDP echo of 64 bytes, one at a time; the median and the 99th percentile, in microseconds;
* TCP: one connection, in Mbit/s of data, with the hosts' segmentation offload on (as Linux has it) and off;
* UDP: small datagrams as fast as one sender can, in packets per second that arrive, and the share lost.

Each measurement is made in several rounds, the switches taking turns, and the median of the rounds is shown:
what else the machine does then hits all of them. Hosts and switch share the processors of this machine, so
only the comparison means something. simple_switch_grpc runs what p4c compiles; it takes part when both are
on PATH.
"""

import argparse
import json
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from mecn_controller.push import apply_sync
from mecn_native import compile_p4
from tests.namespaces import Host, hosts, why_not

WHERE = "Both come with the packages and images of p4lang: https://github.com/p4lang/p4c#getting-started"

SOURCE = Path(__file__).resolve().parents[3] / "p4src" / "mecn_v1model.p4"

ECHO = """
import socket
server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
server.bind(("", 5001))
print("ready", flush=True)
while True:
    data, peer = server.recvfrom(2048)
    server.sendto(data, peer)
"""

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


@dataclass(frozen=True)
class Program:
    """A compiled program: P4Info as text, and BMv2 JSON."""

    p4info: str
    bmv2_json: str


@dataclass(frozen=True)
class Contestant:
    """A switch that is measured, and what it runs."""

    name: str
    command: list[str]
    program: Program


Row = dict[str, float]


def own_program() -> Program:
    """The MECN program as mecn-p4c compiles it."""
    compiled = compile_p4(SOURCE, [SOURCE.parent])
    return Program(compiled.p4info, compiled.bmv2_json)


def program_of_p4c(p4c: str) -> Program:
    """The MECN program as p4c compiles it."""
    with tempfile.TemporaryDirectory() as folder:
        info = Path(folder) / "mecn.p4info.txtpb"
        options = ["--target", "bmv2", "--arch", "v1model", "--std", "p4-16", "-I", str(SOURCE.parent)]
        files = ["--p4runtime-files", str(info), "-o", folder, str(SOURCE)]
        subprocess.run([p4c, *options, *files], check=True)  # noqa: S603
        return Program(info.read_text(), (Path(folder) / f"{SOURCE.stem}.json").read_text())


def ready(process: subprocess.Popen[str]) -> subprocess.Popen[str]:
    """Waits until the program in a namespace listens."""
    if process.stdout is None or process.stdout.readline() != "ready\n":
        raise RuntimeError(process.communicate()[1])
    return process


def output(process: subprocess.Popen[str]) -> str:
    """What it printed, at its end."""
    out, errors = process.communicate(timeout=120)
    if process.returncode != 0:
        raise RuntimeError(errors)
    return out


@contextmanager
def running(command: list[str], pair: list[Host], program: Program) -> Iterator[None]:
    """A switch between both hosts, configured."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{probe.getsockname()[1]}"
    ports = [argument for host in pair for argument in ("-i", host.interface)]
    switch = subprocess.Popen(  # noqa: S603
        [*command, *ports, "--no-p4", "--device-id", "1", "--", "--grpc-server-addr", address],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        host, _, port = address.rpartition(":")
        for _ in range(100):
            with socket.socket() as probe:
                if probe.connect_ex((host, int(port))) == 0:
                    break
            time.sleep(0.1)
        apply_sync(
            [],
            address=address,
            p4info_text=program.p4info,
            bmv2_json=program.bmv2_json,
            routes=[host.route for host in pair],
        )
        yield
    finally:
        switch.send_signal(signal.SIGTERM)
        try:
            switch.wait(10)
        except subprocess.TimeoutExpired:
            switch.kill()
            switch.wait()


def segmentation(pair: list[Host], on: bool) -> bool:
    """Turns TCP segmentation offload of the hosts on or off; False if ethtool is not there."""
    if shutil.which("ethtool") is None:
        return False
    state = "on" if on else "off"
    for host in pair:
        command = ["ip", "netns", "exec", host.namespace, "ethtool", "-K", "eth0", "tso", state, "gso", state]
        subprocess.run(command, check=True, capture_output=True)  # noqa: S603
    return True


def tcp(pair: list[Host], seconds: float) -> float:
    """Mbit/s of one connection."""
    one, two = pair
    receiver = ready(two.python(RECEIVE))
    output(one.python(SEND, two.address, seconds))
    return float(output(receiver))


def measure(contestant: Contestant, seconds: float) -> Row:
    """One switch, all measurements once."""
    row: Row = {}
    with hosts(2) as pair, running(contestant.command, pair, contestant.program):
        one, two = pair
        echo = ready(two.python(ECHO))
        try:
            trips = sorted(json.loads(output(one.python(PING, two.address, seconds))))
        finally:
            echo.kill()
            echo.communicate()
        if not trips:
            raise RuntimeError(f"{contestant.name}: no echo came back")
        row["round trip median, us"] = statistics.median(trips)
        row["round trip p99, us"] = trips[len(trips) * 99 // 100]
        row["TCP, Mbit/s"] = tcp(pair, seconds)
        if segmentation(pair, False):
            row["TCP without offload, Mbit/s"] = tcp(pair, seconds)
            segmentation(pair, True)
        counter = ready(two.python(COUNT))
        sent = int(output(one.python(FLOOD, two.address, seconds)))
        received, rate = output(counter).split()
        row["UDP, packets/s"] = float(rate)
        row["UDP lost, %"] = 100 * (1 - int(received) / sent)
    return row


def contestants() -> list[Contestant]:
    """The switches that are here; says which are not."""
    ours, program = [sys.executable, "-m", "mecn_switch.cli"], own_program()
    found = [
        Contestant("mecn-switch", ours, program),
        Contestant("mecn-switch --busy-poll", [*ours, "--busy-poll"], program),
    ]
    bmv2, p4c = shutil.which("simple_switch_grpc"), shutil.which("p4c")
    if bmv2 is not None and p4c is not None:
        found.append(Contestant("simple_switch_grpc", [bmv2], program_of_p4c(p4c)))
    else:
        tools = {"simple_switch_grpc": bmv2, "p4c": p4c}
        missing = " and ".join(name for name, path in tools.items() if path is None)
        print(f"Not compared with simple_switch_grpc: {missing} not on PATH. {WHERE}")
    return found


def main() -> int:
    """Prints one table, or why there is none."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--seconds", type=float, default=2.0, help="of each measurement; default: %(default)s"
    )
    parser.add_argument("--rounds", type=int, default=3, help="default: %(default)s")
    options = parser.parse_args()
    if options.rounds < 1 or not 0.1 <= options.seconds <= 600:
        parser.error("--rounds is at least 1, --seconds in 0.1..600")
    reason = why_not()
    if reason is not None:
        print(f"veth benchmark skipped: {reason}")
        return 0
    found = contestants()
    rounds: dict[str, list[Row]] = {contestant.name: [] for contestant in found}
    for _ in range(options.rounds):
        for contestant in found:
            rounds[contestant.name].append(measure(contestant, options.seconds))
    print(f"{'':28}", *(f"{name:>24}" for name in rounds))
    for key in rounds[found[0].name][0]:
        medians = (statistics.median(row[key] for row in rows) for rows in rounds.values())
        print(f"{key:28}", *(f"{value:>24.1f}" for value in medians))
    return 0


if __name__ == "__main__":
    sys.exit(main())
