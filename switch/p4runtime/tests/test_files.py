# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""`--use-files`: packets from capture files through the MECN program, in virtual time."""

import json
import signal
import subprocess
import sys
from pathlib import Path

import mecn_native
import pytest
from mecn_controller import Route
from mecn_switch import P4RuntimeServer, files
from mecn_switch.ports import PortSettings
from scapy.layers.inet import IP, TCP
from scapy.layers.l2 import Ether
from scapy.packet import Packet, Raw
from scapy.utils import PcapNgReader, PcapReader, PcapWriter, wrpcapng

from .mecn_program import ProgramFiles, compile_to, push, switch_process

ROUTES = (
    Route("10.0.1.0/24", 1, "02:00:00:00:01:fe", "02:00:00:00:01:01"),
    Route("10.0.2.0/24", 2, "02:00:00:00:02:fe", "02:00:00:00:02:01"),
)
START = 1_700_000_000
CE, ECT_0 = 0b11, 0b10
SLOW = PortSettings().with_rate("1000pps").with_delay("40ms").with_limit("unlimited")


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> ProgramFiles:
    return compile_to(tmp_path_factory.mktemp("program"))


def packet(number: int, size: int = 100) -> Packet:
    transport = TCP(sport=5001, dport=5002, flags="A", seq=number)
    ip = IP(src="10.0.1.1", dst="10.0.2.1", tos=ECT_0, id=number)
    frame = Ether(src="02:00:00:00:01:01", dst="02:00:00:00:01:fe") / ip / transport / Raw(bytes(size))
    return Ether(bytes(frame))


def write(path: Path, times: list[float]) -> None:
    with PcapWriter(str(path), linktype=1, nano=True, sync=True) as writer:
        writer.write_header(None)
        for number, time in enumerate(times):
            writer.write_packet(packet(number), sec=START, usec=round(time * 1e9))


def read(path: Path) -> list[tuple[float, Packet]]:
    """Seconds after the start, and the packet with a checked checksum."""
    found = []
    with PcapReader(str(path)) as reader:
        for frame in reader:
            again = frame.copy()
            del again[IP].chksum
            assert Ether(bytes(again))[IP].chksum == frame[IP].chksum
            found.append((round(float(frame.time - START), 9), frame))
    return found


def configured(program: ProgramFiles, profile: dict[str, object] | None) -> mecn_native.Switch:
    with P4RuntimeServer(address="127.0.0.1:0") as server:
        server.load(program.p4info.read_text(), program.pipeline.read_bytes())
        push(server.address, ROUTES, profile)
        return server.switch


def test_a_burst_is_marked_and_sent_at_the_rate(
    tmp_path: Path, program: ProgramFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ten packets at once: the first is served before the second is there, the others wait."""
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "a_in.pcap", [0.0] * 10)
    switch = configured(program, {"scheme": "threshold", "threshold": 3, "mark_point": "front"})
    totals = files.run(switch, [(1, "a"), (2, "b")], {2: SLOW}, trace=False)
    left = read(tmp_path / "b_out.pcap")
    assert [time for time, _ in left] == [round(0.040 + 0.001 * (k + 1), 9) for k in range(10)]
    assert [frame[IP].id for _, frame in left] == list(range(10))
    behind = [0, 8, 7, 6, 5, 4, 3, 2, 1, 0]
    assert [frame[IP].tos & 3 for _, frame in left] == [CE if depth > 3 else ECT_0 for depth in behind]
    assert (totals.ports[0].rx_packets, totals.ports[1].tx_packets) == (10, 10)
    assert totals.duration_ns == 50_000_000
    assert read(tmp_path / "a_out.pcap") == []


def test_the_same_files_give_the_same_files(
    tmp_path: Path, program: ProgramFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With random marks: they come from the seed."""
    profile = {"scheme": "mecn", "min_th": 1, "mid_th": 3, "max_th": 30, "max_p": 0.5, "weight": 0.5}
    outputs = []
    for run in ("one", "two"):
        folder = tmp_path / run
        folder.mkdir()
        monkeypatch.chdir(folder)
        write(folder / "a_in.pcap", [0.0005 * k for k in range(400)])
        files.run(configured(program, profile), [(1, "a"), (2, "b")], {2: SLOW}, trace=False)
        outputs.append((folder / "b_out.pcap").read_bytes())
    assert outputs[0] == outputs[1]
    codepoints = {frame[IP].tos & 3 for _, frame in read(tmp_path / "one" / "b_out.pcap")}
    assert codepoints == {0b01, 0b10, 0b11}


def test_pcapng_in_gives_pcapng_out(
    tmp_path: Path, program: ProgramFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    frame = packet(7)
    frame.time = START
    wrpcapng(str(tmp_path / "a_in.pcapng"), frame)
    wrpcapng(str(tmp_path / "b_in.pcapng"), [])
    files.run(configured(program, None), [(1, "a"), (2, "b")], {}, trace=False)
    with PcapNgReader(str(tmp_path / "b_out.pcapng")) as reader:
        [found] = list(reader)
    assert (found[IP].id, found[IP].ttl, found.time) == (7, 63, START)


def test_a_trace_shows_parser_and_tables(
    tmp_path: Path, program: ProgramFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "a_in.pcap", [0.0])
    switch = configured(program, {"scheme": "threshold", "threshold": 3, "mark_point": "front"})
    totals = files.run(switch, [(1, "a"), (2, "b")], {}, trace=True)
    texts = [event.text for event in totals.trace]
    assert texts[0] == "Processing packet received on port 1, 154 bytes"
    assert texts[1] == "Parser 'parser' entering state 'start'"
    assert texts[3:6] == [
        "Parser 'parser' entering state 'parse_ethernet'",
        "Extracting header 'ethernet', 14 bytes",
        "Parser state 'parse_ethernet': key is 0x0800",
    ]
    end = texts.index("Parser 'parser': end, 54 bytes parsed")
    assert texts.index("Extracting header 'ipv4', 20 bytes") < end
    assert (
        "Table 'MecnIngress.forwarding.ipv4_lpm': hit, key {dst_addr 0x0a000201}, action "
        "MecnIngress.forwarding.forward(0x02, 0x0200000002fe, 0x020000000201)"
    ) in texts
    assert any(text.startswith("Table 'MecnEgress.marking.verdict.aqm_verdict': miss, ") for text in texts)
    assert texts[-1].startswith("Transmitting packet of size 154 out of port 2; enq_qdepth 0, deq_qdepth 0, ")
    assert {event.packet for event in totals.trace} == {1}


def test_a_trace_shows_why_the_parser_stopped(
    tmp_path: Path, program: ProgramFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with PcapWriter("a_in.pcap", linktype=1, sync=True) as writer:
        writer.write(Raw(bytes(packet(0))[:24]))
    totals = files.run(configured(program, None), [(1, "a"), (2, "b")], {}, trace=True)
    texts = [event.text for event in totals.trace]
    assert "Exception while parsing: PacketTooShort, 14 bytes parsed" in texts


def test_damaged_and_missing_inputs(
    tmp_path: Path, program: ProgramFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    switch = configured(program, None)
    with pytest.raises(
        mecn_native.InterfaceError, match=r"none of the input files is there: a_in\.pcap, b_in\.pcap"
    ):
        files.run(switch, [(1, "a"), (2, "b")], {}, trace=False)
    write(tmp_path / "a_in.pcap", [0.0, 0.001])
    whole = (tmp_path / "a_in.pcap").read_bytes()
    (tmp_path / "a_in.pcap").write_bytes(whole[:-1])
    with pytest.raises(
        mecn_native.InterfaceError, match=r"a_in\.pcap: byte \d+: the file ends within a record"
    ):
        files.run(switch, [(1, "a"), (2, "b")], {}, trace=False)
    assert [path.name for path in tmp_path.iterdir()] == ["a_in.pcap"], "no output, whole or partial"
    (tmp_path / "a_in.pcap").write_bytes(b"GIF89a")
    with pytest.raises(mecn_native.InterfaceError, match="neither pcap nor pcapng"):
        files.run(switch, [(1, "a"), (2, "b")], {}, trace=False)


def test_the_command(tmp_path: Path, program: ProgramFiles) -> None:
    """A controller has a second to write entries; then the files are run, and the command ends."""
    write(tmp_path / "a_in.pcap", [0.0, 0.001, 0.002])
    ports = ("-i", f"1@{tmp_path}/a", "-i", f"2@{tmp_path}/b", "--port-delay", "2=40ms")
    log = tmp_path / "log"
    arguments = (
        *(*ports, "--use-files", "2", "--log-level", "trace", "--log-format", "json", "--log-file", str(log)),
        *program.arguments,
    )
    with switch_process(*arguments) as (process, address):
        push(address, ROUTES, None)
        out, errors = process.communicate(timeout=30)
    assert (process.returncode, errors) == (0, "")
    totals = json.loads(out)
    assert [(row["port"], row["rx_packets"], row["tx_packets"]) for row in totals["ports"]] == [
        (1, 3, 0),
        (2, 0, 3),
    ]
    assert [time for time, _ in read(tmp_path / "b_out.pcap")] == [0.04, 0.041, 0.042]
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    assert {line["level"] for line in lines} == {"info", "warn", "trace"}
    assert {line.get("packet") for line in lines} == {None, 1, 2, 3}


def test_the_command_is_interrupted_while_it_waits(tmp_path: Path, program: ProgramFiles) -> None:
    arguments = ("-i", f"1@{tmp_path}/a", "--use-files", "100", *program.arguments)
    with switch_process(*arguments) as (process, _):
        process.send_signal(signal.SIGTERM)
        assert process.wait(10) == 0


def test_the_command_without_inputs(tmp_path: Path, program: ProgramFiles) -> None:
    command = (sys.executable, "-m", "mecn_switch.cli", "--grpc-server-addr", "127.0.0.1:0")
    arguments = ("-i", f"1@{tmp_path}/a", "--use-files", "0", *program.arguments)
    done = subprocess.run([*command, *arguments], capture_output=True, text=True, timeout=30, check=False)
    assert done.returncode == 1
    assert (
        done.stderr.splitlines()[-1] == f"mecn-switch: none of the input files is there: {tmp_path}/a_in.pcap"
    )
