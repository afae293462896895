# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""A switch under everything at once, for some minutes: what is lost, and what grows.

    make soak ARGS="--minutes 60 --pages 50 --readers 15 --rate 2000"     (default: --minutes 1)

`mecn-switch` forwards datagrams between two hosts at 80 % of the rate of its port. Meanwhile a controller
writes a route ten times a second and applies a profile every second, another with a higher election id takes
over every 10 s, readers read all entries, five clients ask for far more than they take, browsers watch the
page of `mecn serve`, and the link of a third host goes down and up. A table says what was lost or reordered
other than by the queue's own verdicts, how long writes and reads took, and what memory, descriptors and
threads of the switch did. Exit status 1 if packets were lost or reordered, or if something grew after the
first minute of a run of two minutes or more.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import subprocess
import sys
import tempfile
import time
from contextlib import AsyncExitStack, ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import aiohttp
from finsy.proto import p4r
from mecn_controller import Route
from mecn_controller.policy.profile import parse_profile
from mecn_controller.runtime.session import SwitchSession, apply_sync
from mecn_controller.text_table import aligned
from mecn_switch import ctl
from mecn_topo.lab.switch_process import EmbeddedProcess
from tests.client import Client
from tests.namespaces import Host, hosts, output, ready, why_not

from bench.contestants import contestants

if TYPE_CHECKING:
    from collections.abc import Iterator

SWAP_S = 10.0
STALLED = 5
EVERYTHING = p4r.Entity(table_entry=p4r.TableEntry())
PROFILES = [
    parse_profile({"name": f"p{n}", "scheme": "threshold", "threshold": 1000 + n, "mark_point": "front"})
    for n in range(2)
]
"""Thresholds that no queue reaches: nothing is marked."""

SEND = """
import socket, sys, time
client = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
client.connect((sys.argv[1], 5003))
gap, start = 1 / float(sys.argv[2]), time.monotonic()
end, count = start + float(sys.argv[3]), 0
while time.monotonic() < end:
    client.send(count.to_bytes(8, "big") + bytes(56))
    count += 1
    # What was late is not made up for in a burst, which the queue would drop.
    start = max(start + gap, time.monotonic() - gap)
    time.sleep(max(0, start - time.monotonic()))
print(count)
"""

RECEIVE = """
import socket
server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
server.setsockopt(socket.SOL_SOCKET, 33, 1 << 26)  # SO_RCVBUFFORCE
server.bind(("", 5003))
print("ready", flush=True)
count = reordered = 0
last = -1
server.settimeout(30)
try:
    while True:
        number = int.from_bytes(server.recv(2048)[:8], "big")
        count += 1
        reordered += number < last
        last = max(last, number)
        server.settimeout(3)
except TimeoutError:
    print(count, reordered)
"""


@dataclass
class Seen:
    """What was measured."""

    writes_ms: list[float] = field(default_factory=list)
    reads_ms: list[float] = field(default_factory=list)
    applies_ms: list[float] = field(default_factory=list)
    takeovers: int = 0
    events: int = 0
    samples: list[tuple[int, int, int]] = field(default_factory=list)
    """Resident KiB, descriptors and threads of the switch, once a second."""


@contextmanager
def timed(into: list[float]) -> Iterator[None]:
    """Notes milliseconds."""
    begin = time.monotonic()
    yield
    into.append(1000 * (time.monotonic() - begin))


async def control(address: str, end: float, seen: Seen) -> None:
    """One primary after the other, each with a higher election id."""
    number = 0
    while time.monotonic() < end:
        seen.takeovers += 1
        # Between two of them `mecn serve` takes over, with the next id.
        async with SwitchSession(address, election_id=1000 * seen.takeovers) as session:
            await session.use_pipeline()
            until = min(end, time.monotonic() + SWAP_S)
            while time.monotonic() < until:
                number += 1
                if number % 10 == 0:
                    with timed(seen.applies_ms):
                        await session.apply_profile(PROFILES[number // 10 % 2], port=2, drain_s=0)
                route = Route(f"10.9.{number % 250}.0/24", 2, "02:00:00:00:02:fe", "02:00:00:00:02:01")
                with timed(seen.writes_ms):
                    await session.write_routes([route])
                await asyncio.sleep(0.1)


async def read(address: str, end: float, seen: Seen) -> None:
    """All entries, twice a second."""
    client = Client(address, None)
    while time.monotonic() < end:
        with timed(seen.reads_ms):
            await asyncio.to_thread(client.entries, p4r.TableEntry())
        await asyncio.sleep(0.5)
    client.channel.close()


async def stall(address: str, end: float) -> None:
    """Asks for far more than a connection holds, takes nothing, and begins again when it is thrown out."""
    while time.monotonic() < end:
        client = Client(address, None)
        call = client.stub.Read(p4r.ReadRequest(device_id=1, entities=[EVERYTHING] * 20_000))
        await asyncio.sleep(15)
        call.cancel()
        client.channel.close()


async def watch(http: aiohttp.ClientSession, url: str, end: float, seen: Seen) -> None:
    """The events of the page; it is opened again when it closes."""
    while time.monotonic() < end:
        with suppress(aiohttp.ClientError, TimeoutError):
            async with asyncio.timeout(end - time.monotonic()), http.get(f"{url}api/events") as events:
                async for _ in events.content:
                    seen.events += 1
        await asyncio.sleep(0.5)


async def flap(host: Host, end: float) -> None:
    """The link of a host goes down and up."""
    while time.monotonic() < end:
        for state in ("down", "up"):
            command = ["ip", "link", "set", host.switch_end, state]
            await (await asyncio.create_subprocess_exec(*command)).wait()
            await asyncio.sleep(1.5)


async def sample(pid: int, end: float, seen: Seen) -> None:
    """What the switch takes, once a second."""
    process = Path(f"/proc/{pid}")
    while time.monotonic() < end:
        values = dict(line.split(":", 1) for line in (process / "status").read_text().splitlines())
        kib, threads = int(values["VmRSS"].split()[0]), int(values["Threads"])
        seen.samples.append((kib, len(list((process / "fd").iterdir())), threads))
        await asyncio.sleep(1)


async def load(options: argparse.Namespace, switch: str, pid: int, url: str, third: Host, seen: Seen) -> None:
    """All of it, until the time is over; what fails ends it."""
    end = time.monotonic() + 60 * options.minutes
    async with AsyncExitStack() as stack:
        http = await stack.enter_async_context(aiohttp.ClientSession())
        group = await stack.enter_async_context(asyncio.TaskGroup())
        for task in (control(switch, end, seen), flap(third, end), sample(pid, end, seen)):
            group.create_task(task)
        for _ in range(options.readers):
            group.create_task(read(switch, end, seen))
        for _ in range(STALLED):
            group.create_task(stall(switch, end))
        for _ in range(options.pages):
            group.create_task(watch(http, url, end, seen))


def serve(stack: ExitStack, address: str, folder: Path) -> str:
    """A controller that is in charge whenever nobody else is; the address of its page."""
    (folder / "p.yaml").write_text("{name: p, scheme: drop-tail}")
    (folder / "d.yaml").write_text("assignments: [{ports: [2], profile: p.yaml}]")
    command = [
        sys.executable,
        "-m",
        "mecn_controller",
        "serve",
        str(folder / "d.yaml"),
        "--web",
        "127.0.0.1:0",
    ]
    command += ["--address", address, "--election-id", "1", "--no-history"]
    process = stack.enter_context(subprocess.Popen(command, stdout=subprocess.PIPE, text=True))  # noqa: S603
    stack.callback(process.terminate)
    assert process.stdout is not None
    while True:
        event = json.loads(process.stdout.readline())
        if event["event"] == "web":
            return str(event["url"])


def percentiles(values: list[float]) -> str:
    """How many, and the 50th, 99th and 100th percentile."""
    ordered = sorted(values) or [0.0]
    at = [ordered[min(len(ordered) - 1, int(len(ordered) * share))] for share in (0.5, 0.99, 1)]
    return f"{len(values)}: " + " / ".join(f"{value:.1f} ms" for value in at)


def grown(samples: list[tuple[int, int, int]]) -> list[str]:
    """What is more in the second half than in the first, without the minute in which all begins."""
    settled = samples[60:]
    if len(settled) < 60:
        return []
    first, second = settled[: len(settled) // 2], settled[len(settled) // 2 :]
    limits = ((0, "memory (KiB)", 1.02), (1, "descriptors", 1.2), (2, "threads", 1.2))
    found = []
    for column, name, allowed in limits:
        before, after = (max(sample[column] for sample in half) for half in (first, second))
        if after > allowed * before:
            found.append(f"{name} grew from {before} to {after}")
    return found


def soak(options: argparse.Namespace) -> int:
    """The exit status."""
    seen = Seen()
    with ExitStack() as stack:
        one, two, third = stack.enter_context(hosts(3))
        ours = contestants()[0]
        ports = [(host.number, host.switch_end) for host in (one, two, third)]
        rate = ["--port-rate", f"2={options.rate}pps", "--port-limit", "2=1000"]
        switch = stack.enter_context(EmbeddedProcess(ports, rate))
        routes = [host.route for host in (one, two, third)]
        apply_sync(
            [], address=switch.address, p4info_text=ours.p4info, bmv2_json=ours.bmv2_json, routes=routes
        )
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        url = serve(stack, switch.address, folder)
        receiver = ready(two.python(RECEIVE))
        sender = one.python(SEND, two.address, 0.8 * options.rate, 60 * options.minutes)
        asyncio.run(load(options, switch.address, switch.pid, url, third, seen))
        sent = int(output(sender))
        received, reordered = map(int, output(receiver).split())
        stats: Any = ctl.request(switch.control_socket, {"op": "stats"})
    row = next(row for row in stats["ports"] if row["port"] == 2)
    verdicts = row["tail_drops"] + row["egress_drops"]
    problems = grown(seen.samples)
    if lost := sent - received - verdicts:
        problems.append(f"{lost} packets are missing")
    if reordered:
        problems.append(f"{reordered} packets came late")
    kib, files, threads = (max(column) for column in zip(*seen.samples, strict=True))
    rows = [
        ["packets sent, received, dropped by the queue", f"{sent}, {received}, {verdicts}"],
        ["writes: 50 % / 99 % / longest", percentiles(seen.writes_ms)],
        ["reads of all entries", percentiles(seen.reads_ms)],
        ["applies", percentiles(seen.applies_ms)],
        ["takeovers; lines of events to pages", f"{seen.takeovers}; {seen.events}"],
        ["switch at most: memory, descriptors, threads", f"{kib >> 10} MiB, {files}, {threads}"],
    ]
    print("\n".join(aligned(rows)))
    print(*problems or ["nothing was lost, nothing grew"], sep="\n")
    return 1 if problems else 0


def main() -> int:
    """Reads the options."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--minutes", type=float, default=1.0, help="default: %(default)s")
    parser.add_argument("--pages", type=int, default=50, help="default: %(default)s")
    parser.add_argument("--readers", type=int, default=15, help="default: %(default)s")
    parser.add_argument("--rate", type=int, default=2000, help="of the port, packets/s; default: %(default)s")
    options = parser.parse_args()
    if (reason := why_not()) is not None:
        print(f"make soak: {reason}", file=sys.stderr)
        return 2
    return soak(options)


if __name__ == "__main__":
    sys.exit(main())
