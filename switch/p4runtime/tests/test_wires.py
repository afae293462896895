# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""`mecn-switch wires` between two hosts in network namespaces: as late as links, each way its own."""

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from mecn_switch.cli import main
from mecn_switch.ports import PortSettings
from mecn_switch.wires import parse_wire

from .namespaces import Host, hosts, run, why_not

REASON = why_not()
needs_root = pytest.mark.skipif(REASON is not None, reason=f"wires cannot run here: {REASON}")

# UDP_SEGMENT: one super packet, which the process cuts, so that all segments come in at one instant.
SEND = (
    "import socket, sys, time; s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); "
    "s.setsockopt(socket.IPPROTO_UDP, 103, 972); s.connect((sys.argv[1], 5003)); print(time.monotonic()); "
    "s.send(b''.join(bytes([i]) * 972 for i in range(int(sys.argv[2]))))"
)
RECEIVE = (
    "import socket, sys, time; s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.bind(('', 5003)); "
    "print('ready', flush=True); "
    "[print(s.recv(2000)[0], time.monotonic(), flush=True) for _ in range(int(sys.argv[1]))]"
)


def test_a_wire() -> None:
    wire = parse_wire(["a", "b", "rate=1.5mbit", "delay=40ms", "limit=200"])
    assert (wire.source, wire.sink) == ("a", "b")
    settings = PortSettings(limit_packets=None, in_rate_bps=1_500_000, in_delay_ns=40_000_000)
    assert parse_wire(["a", "b", "rate=1.5mbit", "delay=40ms"]).settings == settings
    assert wire.settings.in_limit_packets == 200


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["a"], "a wire is FROM TO"),
        (["a", "b", "rate=1000pps"], "'1000pps' is not of a form such as 10mbit"),
        (["a", "b", "limit=0"], "'limit=0' is none of rate=10mbit, delay=2ms, limit=100"),
        (["a", "b", "colour=red"], "'colour=red' is none of"),
    ],
)
def test_what_is_no_wire_is_refused(words: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["wires", "--wire", *words])
    assert ended.value.code == 2
    assert said in capsys.readouterr().err


@contextmanager
def wires(folder: Path, *arguments: str) -> Iterator[Path]:
    """The process; gives its control socket."""
    socket = folder / "wires.ctl"
    code = "from mecn_switch.cli import main; raise SystemExit(main())"
    command = [sys.executable, "-c", code, "wires", "--ctl-socket", str(socket), *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        # The control socket is there before this line is.
        assert process.stdout.readline() == "mecn-switch: 2 wires\n"
        yield socket
        process.send_signal(signal.SIGTERM)
        assert process.wait() == 0
    assert not socket.exists()


def stats(socket: Path, capsys: pytest.CaptureFixture[str]) -> list[dict[str, int]]:
    """Counts of both ends."""
    capsys.readouterr()
    assert main(["ctl", "--ctl-socket", str(socket), "stats"]) == 0
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


@pytest.fixture
def pair() -> Iterator[tuple[Host, Host]]:
    with hosts(2) as made:
        one, two = made
        for host, peer in ((one, two), (two, one)):
            # No router is between them: the gateway's address stands for the peer's.
            gateway = f"10.0.{host.number}.254"
            mac = f"02:00:00:00:{peer.number:02x}:01"
            run("ip", "-n", host.namespace, "neigh", "replace", gateway, "lladdr", mac, "dev", "eth0")
        yield one, two


@needs_root
def test_frames_are_as_late_as_a_link_makes_them_and_a_full_queue_drops(
    tmp_path: Path, pair: tuple[Host, Host], capsys: pytest.CaptureFixture[str]
) -> None:
    """Of six packets of 1000 bytes of IP one is sent and two wait; 0.1 s each at 80 kbit/s, then 50 ms."""
    one, two = pair
    there = ["--wire", one.switch_end, two.switch_end, "rate=80kbit", "delay=50ms", "limit=2"]
    back = ["--wire", two.switch_end, one.switch_end, "delay=30ms"]
    with wires(tmp_path, "--overhead=-14", *there, *back) as socket:
        receiver = two.python(RECEIVE, 3)
        assert receiver.stdout is not None
        assert receiver.stdout.readline() == "ready\n"
        sent, _ = one.python(SEND, two.address, 6).communicate()
        arrived = [line.split() for line in receiver.communicate()[0].splitlines()]
        after = [float(at) - float(sent) for _, at in arrived]
        ping = ["ip", "netns", "exec", two.namespace, "ping", "-c", "1", one.address]
        answered = run(*ping)
        first, second = stats(socket, capsys)
    assert [number for number, _ in arrived] == ["0", "1", "2"]
    assert all(found >= wanted for found, wanted in zip(after, (0.15, 0.25, 0.35), strict=True)), after
    # 30 ms there; 84 bytes at 80 kbit/s and 50 ms back.
    assert float(answered.split("time=")[1].split()[0]) >= 88.4
    assert (first["rx_packets"], first["rx_link_drops"], first["tx_packets"]) == (4, 3, 1)
    assert (second["rx_packets"], second["rx_link_drops"], second["tx_packets"]) == (1, 0, 4)
    assert first["super_packets"] == 1


@needs_root
def test_wires_that_cannot_be(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["wires", "--wire", "lo", "mecn-none"]) == 1
    assert "mecn-none" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main(["wires", "--wire", "lo", "a", "--wire", "lo", "b"])
    assert "two wires begin at port 1" in capsys.readouterr().err
