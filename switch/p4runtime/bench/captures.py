# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""Processor time for each packet, from capture file to capture file (`--use-files`)."""

from __future__ import annotations

import os
import resource
import struct
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from mecn_controller import Mecn, Route
from mecn_controller.runtime.session import apply_sync
from mecn_topo.lab import bmv2
from mecn_topo.lab.switch_process import Bmv2Process
from scapy.layers.inet import IP, TCP
from scapy.layers.l2 import Ether

if TYPE_CHECKING:
    from bench.contestants import Contestant

PROFILE = Mecn(name="m", min_th=10, mid_th=20, max_th=40, max_p=0.1)
ROUTE = Route("10.0.2.0/24", 2, "02:00:00:00:02:fe", "02:00:00:00:02:01")
GAP_US = 500
"""From one packet to the next. BMv2 goes by these times, and drops what it is not ready for."""
WAITS_S = (3, 10, 30)
"""From the start of the switch to the first packet: by then the entries must have been written."""
PATIENCE_S = 20
HEADER = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1)


class MissingPacketsError(Exception):
    """Some were dropped: they came before the entries, or faster than the switch could take them."""


def write_packets(path: Path, count: int) -> None:
    """TCP segments of 100 bytes with ECT(0), `GAP_US` apart."""
    segment = IP(src="10.0.1.1", dst="10.0.2.1", tos=2) / TCP(sport=1000, dport=80, flags="A")
    frame = bytes(Ether(dst="02:00:00:00:01:fe", src="02:00:00:00:01:01") / segment / bytes(46))
    with path.open("wb") as file:
        file.write(HEADER)
        for number in range(count):
            seconds, us = divmod(number * GAP_US, 1_000_000)
            file.write(struct.pack("<IIII", seconds, us, len(frame), len(frame)))
            file.write(frame)


def count_packets(path: Path) -> int:
    """How many whole packets a capture file has so far."""
    if not path.exists():
        return 0
    count, end = 0, path.stat().st_size
    with path.open("rb") as file:
        at = len(HEADER)
        while at + 16 <= end:
            file.seek(at)
            at += 16 + struct.unpack("<IIII", file.read(16))[2]
            count += at <= end
    return count


def _so_far(pid: int) -> float:
    """Processor seconds of a process and its threads."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _of_children() -> float:
    """Processor seconds of all processes that this one started and that have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def run_once(contestant: Contestant, folder: Path, packets: int, wait_s: int) -> float:
    """Processor seconds from when all entries are written to the end. Raises MissingPacketsError."""
    out = folder / "b_out.pcap"
    out.unlink(missing_ok=True)
    write_packets(folder / "a_in.pcap", packets)
    write_packets(folder / "b_in.pcap", 0)
    ended = _of_children()
    ports = [(1, str(folder / "a")), (2, str(folder / "b"))]
    with contestant.start(ports, ["--use-files", str(wait_s)]) as switch:
        apply_sync(
            [(PROFILE, 2)],
            address=switch.address,
            p4info_text=contestant.p4info,
            bmv2_json=contestant.bmv2_json,
            routes=[ROUTE],
            drain_s=0,
        )
        if isinstance(switch, Bmv2Process):
            # Its queue holds 64 packets: one pause of its threads, and the next burst does not fit.
            switch.cli(bmv2.queue_commands(2, packets, None))
        before = _so_far(switch.pid)
        deadline = time.monotonic() + 2 * wait_s + packets * GAP_US / 1e6 + PATIENCE_S
        while (found := count_packets(out)) < packets:
            switch.check()
            if time.monotonic() > deadline:
                raise MissingPacketsError(f"{contestant.name}: {found} of {packets} packets came out")
            time.sleep(0.1)
    return _of_children() - ended - before


def measure(contestant: Contestant, folder: Path, few: int, many: int) -> float:
    """Microseconds of processor time for each packet: by the difference of two runs."""

    def run(packets: int) -> float:
        for wait_s in WAITS_S[:-1]:
            try:
                return run_once(contestant, folder, packets, wait_s)
            except MissingPacketsError as error:
                print(f"{error}; once more, with more time before them", file=sys.stderr)
        return run_once(contestant, folder, packets, WAITS_S[-1])

    return (run(many) - run(few)) / (many - few) * 1e6
