# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""How `mecn-switch` ends: in time, whatever it does; by SIGKILL without harm to the next. Its privileges."""

import fcntl
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from finsy.proto import p4r

from . import program
from .client import Client
from .entries import NET_10, route
from .mecn_program import switch_process
from .namespaces import why_not

REASON = why_not()
needs_root = pytest.mark.skipif(REASON is not None, reason=str(REASON))
KILLS = int(os.environ.get("MECN_KILLS", "3"))
"""MECN_KILLS=200 for a longer run."""

IN_TIME_S = 5.0


def ends_in_time(process: subprocess.Popen[str]) -> int:
    """Its status after SIGTERM."""
    begin = time.monotonic()
    process.terminate()
    status = process.wait(timeout=30)
    assert time.monotonic() - begin < IN_TIME_S
    return status


def status_of(process: int) -> list[dict[str, str]]:
    """What the kernel says of each thread."""
    texts = [path.read_text() for path in Path(f"/proc/{process}/task").glob("*/status")]
    return [dict(line.split(":\t", 1) for line in text.splitlines() if ":\t" in line) for text in texts]


@needs_root
def test_no_thread_keeps_privileges(tmp_path: Path) -> None:
    """Beside what was opened before: the interface, and captures in a folder of another user."""
    folder = tmp_path / "captures"
    folder.mkdir(mode=0o755)
    os.chown(folder, 65534, 65534)
    with switch_process("--no-p4", "-i", "1@lo", "--pcap", str(folder)) as (process, address):
        with Client(address) as client:
            client.set_config(program.config())
            threads = status_of(process.pid)
        assert len(threads) > 5
        for thread in threads:
            held = {thread[name] for name in ("CapInh", "CapPrm", "CapEff", "CapAmb")}
            assert held == {"0" * 16}, thread["Name"]
            assert thread["NoNewPrivs"] == "1"
        assert ends_in_time(process) == 0
    assert len(list(folder.iterdir())) == 2


@needs_root
def test_root_does_not_follow_links_in_a_folder_of_captures(tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.write_text("text")
    (tmp_path / "lo_in.pcap").symlink_to(precious)
    command = [sys.executable, "-m", "mecn_switch.cli", "--no-p4", "-i", "1@lo", "--pcap", str(tmp_path)]
    done = subprocess.run(
        [*command, "--grpc-server-addr", "127.0.0.1:0"],
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    assert done.returncode == 1
    assert "lo_in.pcap" in done.stderr
    assert precious.read_text() == "text"


@needs_root
def test_an_output_that_nobody_reads_delays_no_end() -> None:
    with switch_process("--no-p4", "-i", "1@lo") as (process, _):
        assert process.stdout is not None
        pipe = process.stdout.fileno()
        fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, 4096)
        # One table of counts after the other, until no more fits.
        for _ in range(50):
            process.send_signal(signal.SIGUSR1)
            time.sleep(0.02)
        assert ends_in_time(process) == 1


def test_reads_that_stall_delay_no_end() -> None:
    with switch_process("--no-p4") as (process, address), Client(address) as client:
        client.set_config(program.config())
        client.insert(route(NET_10))
        request = p4r.ReadRequest(device_id=1, entities=[p4r.Entity(table_entry=p4r.TableEntry())] * 50_000)
        stalled = [Client(address).stub.Read(request) for _ in range(4)]
        assert ends_in_time(process) == 0
        for call in stalled:
            call.cancel()


def test_killed_at_any_time_and_the_next_one_starts(tmp_path: Path) -> None:
    """With the same sockets; what a controller pushes then is all that there is."""
    seed = random.randrange(1 << 32)
    print(f"seed {seed}")
    moments = random.Random(seed)
    socket = f"unix:{tmp_path / 'p4runtime'}"
    for _ in range(KILLS):
        with (
            switch_process("--no-p4", "--grpc-server-addr", socket) as (process, address),
            Client(address) as client,
        ):
            client.set_config(program.config())
            client.insert(route(NET_10))
            assert client.entries(p4r.TableEntry(table_id=program.ROUTE)) == [route(NET_10)]
            time.sleep(moments.random() / 20)
            process.kill()
            assert process.wait(10) == -signal.SIGKILL
