# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""The lab's parts that need no root: registry, sock_diag, captures, queues of BMv2, links."""

import json
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from mecn_topo import Flow, Placement, address_plan, builtin
from mecn_topo.lab import HostTcp, LabError, bmv2, capture, hosts, netem
from mecn_topo.lab.hosts import PAPER_TCP
from mecn_topo.lab.links import Direction, directions, wires_command
from mecn_topo.lab.measure import FlowSeries, register_value
from mecn_topo.lab.registry import (
    Record,
    Watchdog,
    namespace_cookie,
    processes_of,
    records,
    remove_leftovers,
    start_time,
)
from mecn_topo.lab.run import netstat, propagation_s
from mecn_topo.lab.sockets import Diagnosis, parse
from mecn_topo.lab.switches import embedded_command, port_links
from scapy.layers.inet import IP, TCP
from scapy.layers.l2 import Ether
from scapy.packet import Packet, Raw
from scapy.utils import PcapWriter

# ---- Measures ----------------------------------------------------------------------------------------------


def test_goodput_is_that_of_the_last_seconds_or_the_last_two_points() -> None:
    """Points may be further apart than what is averaged over."""
    series = FlowSeries(Flow("S1", "D1"), 0, time_s=[0.0, 1.0, 2.0, 3.0], bytes_acked=[0, 9000, 9500, 10500])
    assert series.goodput_bps(2.0) == 6000
    series = FlowSeries(Flow("S1", "D1"), 0, time_s=[0.0, 4.0], bytes_acked=[0, 1000])
    assert series.goodput_bps(2.0) == 2000


# ---- Registry ----------------------------------------------------------------------------------------------


def test_a_record_survives_and_is_removed(tmp_path: Path) -> None:
    made, flag = tmp_path / "made", tmp_path / "flag"
    record = Record.create("lab", "title", tmp_path / "run")
    record.will_make_folder(made)
    record.will_need(["touch", str(flag)])
    (made / "inner").mkdir(parents=True)
    (found,) = records(tmp_path / "run")
    assert found == record
    assert found.is_running
    assert remove_leftovers(tmp_path / "run") == [], "its process lives"
    assert found.remove() == []
    assert (made.exists(), flag.exists(), (tmp_path / "run").exists()) == (False, True, False)


def test_what_cannot_be_undone_is_kept_and_said(tmp_path: Path) -> None:
    record = Record.create("lab", "title", tmp_path / "run")
    record.will_need(["sh", "-c", "echo no >&2; exit 3"])
    record.owner_started += 1  # another process, which had the same number
    record.save()
    ((found, problems),) = remove_leftovers(tmp_path / "run")
    assert problems == ["sh -c echo no >&2; exit 3: no"]
    assert found.path.exists()


def test_a_strange_file_is_left_alone(tmp_path: Path) -> None:
    for name, text in (("a.json", "nonsense"), ("b.json", "[]"), ("c.json", '{"x": 1}')):
        (tmp_path / name).write_text(text)
    assert records(tmp_path) == []
    with pytest.raises(ValueError, match="not a lab's file"):
        Record.load(tmp_path / "c.json")


def test_records_come_only_from_folders_that_nobody_else_writes(tmp_path: Path) -> None:
    """They name commands, and root runs them."""
    folder = tmp_path / "run"
    Record.create("lab", "title", folder)
    link = tmp_path / "link"
    link.symlink_to(folder)
    with pytest.raises(PermissionError, match="others may write there"):
        records(link)
    folder.chmod(0o777)
    for act in (lambda: records(folder), lambda: Record.create("other", "title", folder)):
        with pytest.raises(PermissionError, match="others may write there"):
            act()
    folder.chmod(0o700)
    assert len(records(folder)) == 1


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root: makes network namespaces")
def test_a_namespace_is_known_by_its_cookie() -> None:
    """Also one that has the inode of another that is gone: the kernel gives inodes again, cookies never."""
    cookies, inodes = [], set()
    for _ in range(5):
        command = ["unshare", "--net", "sleep", "60"]
        with subprocess.Popen(command) as process:
            try:
                space = Path(f"/proc/{process.pid}/ns/net")
                own = Path("/proc/self/ns/net").stat().st_ino
                while space.stat().st_ino == own:
                    pass
                cookies.append(namespace_cookie(str(space)))
                inodes.add(space.stat().st_ino)
                record = Record(Path("none"), switches_cookie=cookies[-1])
                assert processes_of(record) == [process.pid]
                stranger = Record(Path("none"), switches_cookie=1 << 60)
                assert processes_of(stranger) == []
            finally:
                process.kill()
    assert len(set(cookies)) == 5
    print(f"{len(inodes)} different inodes")
    assert namespace_cookie() not in cookies


def test_the_watchdog_removes_what_a_killed_process_leaves(tmp_path: Path) -> None:
    code = (
        "import os, signal, sys; from pathlib import Path; "
        "from mecn_topo.lab.registry import Record, Watchdog; "
        "record = Record.create('lab', 'title', Path(sys.argv[1]) / 'run'); "
        "record.will_make_folder(Path(sys.argv[1]) / 'made'); (Path(sys.argv[1]) / 'made').mkdir(); "
        "dog = Watchdog(record); print(dog._process.pid, flush=True); os.kill(os.getpid(), signal.SIGKILL)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, check=False
    )
    dog = int(done.stdout)
    assert done.returncode == -9
    while start_time(dog) is not None:
        pass
    assert not (tmp_path / "made").exists()
    assert not (tmp_path / "run").exists()


def test_the_watchdog_ends_with_the_lab(tmp_path: Path) -> None:
    record = Record.create("lab", "title", tmp_path / "run")
    dog = Watchdog(record)
    record.remove()
    dog.release()
    assert dog._process.returncode == 0


# ---- sock_diag ---------------------------------------------------------------------------------------------


def test_connections_as_the_kernel_sees_them() -> None:
    diagnosis = Diagnosis()
    with socket.create_server(("127.0.0.1", 0)) as server, socket.socket() as one:
        one.connect(server.getsockname())
        two, _ = server.accept()
        listening = server.getsockname()[1]
        with two:
            one.sendall(bytes(5000))
            received = 0
            while received < 5000:
                received += len(two.recv(5000))
            two.sendall(b"x")  # carries the acknowledgement
            assert one.recv(1) == b"x"
            port = one.getsockname()[1]
            (mine,) = [c for c in diagnosis.connections() if c.local_port == port]
            info = one.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 128)
            if shutil.which("ss"):
                said = subprocess.run(
                    ["ss", "-tin", f"sport = {port}"], capture_output=True, text=True, check=True
                ).stdout
                assert f" cwnd:{mine.cwnd} " in said
                assert f" bytes_acked:{mine.bytes_acked} " in said
    diagnosis.close()
    assert mine.remote_port == listening
    assert mine.is_established
    assert mine.bytes_acked in (5000, 5001), "the SYN counts in some kernels"
    assert mine.cwnd == int.from_bytes(info[8 + 18 * 4 : 12 + 18 * 4], sys.byteorder)
    assert (mine.ssthresh, mine.retransmissions) == (None, 0)
    assert 0 < mine.srtt_s < 1


@pytest.mark.parametrize("length", [0, 10, 72, 75, 80, 200])
def test_short_answers_are_no_connections(length: int) -> None:
    assert parse(bytes(length)) is None


# ---- Captures ----------------------------------------------------------------------------------------------


def data(number: int, ecn: int, flags: str = "A", port: int = 40_000) -> Packet:
    ip = IP(src="10.0.1.1", dst="10.0.2.1", id=number, tos=ecn)
    return Ether() / ip / TCP(sport=port, dport=5201, seq=960 * number, flags=flags) / Raw(bytes(960))


def ack(flags: str) -> Packet:
    return Ether() / IP(src="10.0.2.1", dst="10.0.1.1") / TCP(sport=5201, dport=40_000, flags=flags)


def write(path: Path, frames: list[tuple[float, Packet]], nano: bool = True) -> None:
    with PcapWriter(str(path), nano=nano, linktype=1) as writer:
        for at, frame in frames:
            frame = Ether(bytes(frame))
            frame.time = at
            writer.write(frame)


@pytest.mark.parametrize("nano", [True, False])
def test_codepoints_and_delays(tmp_path: Path, nano: bool) -> None:
    source, sink = tmp_path / "source", tmp_path / "sink"
    handshake = Ether() / IP(src="10.0.1.1", dst="10.0.2.1") / TCP(sport=40_000, dport=5201, flags="SEC")
    sent = [(1.0, handshake), (2.0, data(1, 2)), (2.1, data(2, 2)), (2.2, data(3, 2)), (2.3, data(4, 0))]
    back = [(2.5, ack("A")), (2.6, ack("EA")), (2.7, ack("ECA")), (2.8, ack("SAE"))]
    write(source, [*sent, *back], nano)
    # The second is lost; another flow passes.
    other = data(9, 3, port=40_001)
    write(sink, [(2.05, data(1, 2)), (2.26, data(3, 1)), (2.3, other), (2.4, data(4, 3))], nano)
    (whole,) = capture.evaluate([(source, sink, 40_000)], 2 * 10**9, 3 * 10**9)
    found, delays = whole.codepoints, whole.delays
    assert found.sent == {2: 3, 0: 1}
    assert found.received == {2: 1, 1: 1, 3: 1}
    assert found.echoes == {(0, 0): 1, (0, 1): 1, (1, 1): 1}
    assert delays.values == pytest.approx([0.05, 0.06, 0.1], abs=2e-6)
    assert delays.jitter_s == pytest.approx((0.01 + 0.04) / 2, abs=2e-6)
    assert (whole.sent, whole.received, whole.first_received) == (4, 3, 3)
    begun, beside = capture.evaluate([(source, sink, 40_000), (source, sink, 40_001)], 0, round(2.1e9))
    assert (begun.sent, begun.received, len(begun.delays.values)) == (1, 1, 1)
    assert begun.codepoints == found
    # Of the other flow only the arrival was captured.
    assert (beside.sent, beside.codepoints.received) == (0, {3: 1})


def test_what_was_sent_again_is_no_first_arrival(tmp_path: Path) -> None:
    source, sink = tmp_path / "source", tmp_path / "sink"
    again = data(2, 0)
    again[IP].id = 9
    write(source, [(2.0, data(1, 2)), (2.1, data(2, 2)), (2.2, data(3, 2)), (2.3, again), (2.4, data(4, 2))])
    write(sink, [(2.05, data(1, 2)), (2.26, data(3, 2)), (2.35, again), (2.45, data(4, 2))])
    (flow,) = capture.evaluate([(source, sink, 40_000)], 2 * 10**9, 3 * 10**9)
    assert (flow.sent, flow.received, flow.first_received) == (5, 4, 3)


def test_a_capture_that_was_cut_off(tmp_path: Path) -> None:
    whole = tmp_path / "whole"
    write(whole, [(1.0, data(1, 2)), (2.0, data(2, 2))])
    raw = whole.read_bytes()
    whole.write_bytes(raw[:-5])
    assert [segment.ip_id for segment in capture.read(whole)] == [1]
    whole.write_bytes(raw[:10])
    with pytest.raises(LabError, match="not a pcap file"):
        list(capture.read(whole))


@pytest.mark.parametrize("length", range(0, 60, 3))
def test_short_frames_are_no_segments(length: int) -> None:
    segment = capture.parse(bytes(data(1, 2))[:length], 0)
    assert (segment is None) == (length < 54)


# ---- Commands ----------------------------------------------------------------------------------------------


class Written:
    """Commands that are only written down."""

    def __init__(self, answer: str = "") -> None:
        self.commands: list[tuple[list[str], str]] = []
        self._answer = answer

    def run(self, command: Sequence[str], text: str = "") -> str:
        self.commands.append((list(command), text))
        return self._answer


def test_a_switch_makes_rate_and_delay_of_both_directions_of_a_hosts_link() -> None:
    topology = builtin("003", 1).topology
    bottleneck, source = port_links(topology, address_plan(topology), "R1")
    command = " ".join(embedded_command(1, [bottleneck, source], Path("/x/R1.ctl"), seed=7))
    assert bottleneck.neighbour == "R2"
    for wanted in (
        "-i 1@s1p1", "--port-rate=1=1500kbit", "--port-limit=1=200", "--port-delay=1=40ms",
        "--port-overhead=1=-14", "-i 2@s1p2", "--port-rate=2=10mbit", "--port-delay=2=2ms",
        "--port-in-rate=2=10mbit", "--port-in-delay=2=2ms", "--device-id 1", "--seed 7",
    ):  # fmt: skip
        assert wanted in command
    assert "--port-in-rate=1" not in command, "the other switch makes it"


def test_queues_of_bmv2() -> None:
    """1.5 Mbit/s are 187.5 packets of 1000 bytes; a queue without a profile leaves the rate to its link."""
    scenario = builtin("003", 1)
    assert bmv2.queues(scenario, "R1", 1000) == [(1, 200, 188), (2, 1000, None)]
    assert bmv2.queues(scenario, "R2", 1000) == [(1, 200, None), (2, 1000, None)]
    assert bmv2.queue_commands(1, 200, 188) == "set_queue_depth 200 1\nset_queue_rate 188 1\n"
    assert bmv2.queue_commands(2, 1000, None) == "set_queue_depth 1000 2\nset_queue_rate 0 2\n"


def test_a_queue_towards_a_host_can_be_bmv2s_too() -> None:
    """The link behind it then has the delay only."""
    scenario = builtin("003", 1)
    profile = scenario.placements[0].profile
    scenario = replace(scenario, placements=(Placement("R2", 2, profile),))
    assert bmv2.queues(scenario, "R2", 1000) == [(1, 200, None), (2, 1000, 1250)]
    (way,) = [
        of
        for of in directions(scenario, address_plan(scenario.topology))
        if (of.sender, of.port) == ("R2", 2)
    ]
    assert way.words == ["delay=4ms"]


def test_links_have_rate_and_delay_where_no_queue_makes_the_rate() -> None:
    scenario = builtin("003", 1)
    both = directions(scenario, address_plan(scenario.topology))
    command = wires_command(both, -14, Path("/x/wires.ctl"))
    assert command[1:5] == ["wires", "--overhead=-14", "--ctl-socket", "/x/wires.ctl"]
    wires = [of.split() for of in " ".join(command[5:]).split("--wire ")[1:]]
    assert wires == [
        ["l0a", "l0b", "delay=40ms"],
        ["l0b", "l0a", "rate=1500kbit", "delay=40ms", "limit=200"],
        ["l1a", "l1b", "rate=10mbit", "delay=2ms"],
        ["l1b", "l1a", "rate=10mbit", "delay=2ms", "limit=1000"],
        ["l2a", "l2b", "rate=10mbit", "delay=4ms", "limit=1000"],
        ["l2b", "l2a", "rate=10mbit", "delay=4ms"],
    ]


def test_registers_of_bmv2() -> None:
    assert register_value("avg[8]= 281474976710656") == 1 << 48
    with pytest.raises(LabError, match="no register's value"):
        register_value("something else")


def test_netem_makes_the_same_links() -> None:
    scenario = builtin("003", 1)
    bottleneck, back, source, *_ = directions(scenario, address_plan(scenario.topology))
    head = ["tc", "qdisc", "replace", "dev"]
    limit = ["root", "netem", "limit", "100000"]
    assert netem.rule("s1p1", bottleneck) == [*head, "s1p1", *limit, "delay", "40000us"]
    assert netem.rule("s2p1", back) == [*head, "s2p1", *limit, "rate", "1500000bit", "delay", "40000us"]
    assert netem.rule("eth0", source) == [*head, "eth0", *limit, "rate", "10000000bit", "delay", "2000us"]


@pytest.mark.parametrize(
    ("delay_ns", "said"),
    [(0, "0us"), (64, "0.064us"), (2_000_000, "2000us"), (1_234_567_891, "1234567.891us")],
)
def test_netem_is_told_the_delay_to_the_nanosecond(delay_ns: int, said: str) -> None:
    """Six digits would be 2 us off at 1.234567891 s."""
    assert netem.rule("eth0", Direction(0, "S", None, 1000, delay_ns, None))[-2:] == ["delay", said]


def test_a_kernel_without_netem_is_refused() -> None:
    class Refuses(Written):
        def run(self, command: Sequence[str], text: str = "") -> str:
            super().run(command, text)
            raise LabError("Error: Specified qdisc kind is unknown.")

    assert netem.obstacle(Written()) is None
    assert "this kernel has no netem" in str(netem.obstacle(Refuses()))


# ---- Hosts -------------------------------------------------------------------------------------------------


def test_settings_of_hosts() -> None:
    sysctls = PAPER_TCP.sysctls()
    assert (sysctls["net.ipv4.tcp_ecn"], sysctls["net.ipv4.tcp_sack"]) == ("1", "0")
    assert PAPER_TCP.route_options() == [
        "congctl", "mecn", "quickack", "1", "initcwnd", "1", "rto_min", "1000ms",
    ]  # fmt: skip
    assert HostTcp("cubic", ecn=False).sysctls()["net.ipv4.tcp_ecn"] == "0"
    assert HostTcp("cubic").route_options() == ["congctl", "cubic"]


def test_without_mecn_host_classic_ecn_runs_and_it_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hosts, "mecn_host", lambda: None)
    tcp, why_not = hosts.best_available(PAPER_TCP, Written())
    assert tcp.congestion == "reno"
    assert why_not.startswith("multi-level ECN on Linux hosts needs mecn-host")
    with pytest.raises(LabError, match="no congestion control bbr9"):
        hosts.checked(HostTcp("bbr9"), Written())


def test_counters_of_mecn_host(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hosts, "mecn_host", lambda: Path("/mecn-host"))
    counters = [{"metric": "reductions", "label": "cause", "label_value": "loss", "value": 3},
                {"metric": "events_lost", "value": 1}]  # fmt: skip
    commands = Written(json.dumps({"namespaces": [{"netns": "x", "counters": counters}]}))
    assert hosts.statistics("x", commands) == {"reductions loss": 3, "events_lost": 1}
    assert commands.commands[0][0] == ["/mecn-host", "status", "--netns", "x", "--json"]
    with pytest.raises(LabError, match="not as expected"):
        hosts.statistics("x", Written("{}"))


def test_counts_of_the_kernel() -> None:
    assert netstat("TcpExt: A B\nTcpExt: 1 2\nIpExt: C\nIpExt: 3\n") == {"A": 1, "B": 2}
    assert netstat(Path("/proc/net/netstat").read_text()).get("TCPTimeouts", 0) >= 0


def test_how_long_a_path_is() -> None:
    topology = builtin("003", 2).topology
    assert propagation_s(topology, "S2", "D1") == pytest.approx(0.002 + 0.040 + 0.004)
    assert propagation_s(topology, "D1", "D2") == pytest.approx(0.008)
    assert propagation_s(builtin("000", 3).topology, "S1", "D") == pytest.approx(0.150)


def test_a_window_of_the_receivers() -> None:
    tcp = HostTcp("reno", window_scaling=True, window_bytes=480_000)
    assert tcp.route_options() == ["congctl", "reno", "window", "480000"]
    assert tcp.sysctls()["net.ipv4.tcp_rmem"] == "4096 3840000 3840000"
    assert tcp.sysctls()["net.ipv4.tcp_moderate_rcvbuf"] == "0"
    assert "net.ipv4.tcp_rmem" not in HostTcp("reno").sysctls()


def test_a_count_between_two_looks() -> None:
    """The window's edges fall between looks at a flow, which may be a fifth of a second apart."""
    series = FlowSeries(Flow("S", "D"), 0, time_s=[0.2, 0.4, 0.6], bytes_acked=[100, 200, 400])
    found = [series.at(series.bytes_acked, at) for at in (0.1, 0.2, 0.3, 0.4, 0.55, 0.6, 0.9)]
    assert found == pytest.approx([0, 100, 150, 200, 350, 400, 400])
    assert FlowSeries(Flow("S", "D"), 0).at([], 1.0) == 0
