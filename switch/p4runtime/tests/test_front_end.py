# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""The front end from Python: `compile_p4`, the command `mecn-p4c`, and their output behind P4Runtime."""

import json
import subprocess
import sys
from pathlib import Path

import mecn_native
import pytest
from finsy.proto import p4i, p4r
from google.protobuf import text_format
from mecn_switch import P4RuntimeServer

from .client import Client
from .entries import action, exact, lpm, range_, ternary

PROGRAM = Path(__file__).parents[3] / "p4src" / "mecn_v1model.p4"
COMMAND = (str(Path(sys.executable).with_name("mecn-p4c")),)

BROKEN = """\
#include <core.p4>
#include <v1model.p4>
struct headers_t { }
struct meta_t { bit<8> a; }
parser P(packet_in p, out headers_t h, inout meta_t m, inout standard_metadata_t s) {
    state start { m.nope = 1; transition accept; }
}
"""


@pytest.fixture(scope="module")
def compiled() -> mecn_native.CompiledProgram:
    return mecn_native.compile_p4(PROGRAM)


@pytest.fixture(scope="module")
def p4info(compiled: mecn_native.CompiledProgram) -> p4i.P4Info:
    return text_format.Parse(compiled.p4info, p4i.P4Info())


def p4c(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*COMMAND, *arguments], capture_output=True, text=True, cwd=cwd, timeout=60, check=False
    )


def table_id(info: p4i.P4Info, alias: str) -> int:
    return next(table.preamble.id for table in info.tables if table.preamble.name.endswith(alias))


def action_id(info: p4i.P4Info, name: str) -> int:
    return next(action.preamble.id for action in info.actions if action.preamble.name.endswith(name))


def test_same_source_gives_same_bytes(compiled: mecn_native.CompiledProgram) -> None:
    again = mecn_native.compile_p4(str(PROGRAM), include_dirs=[PROGRAM.parent], defines={"UNUSED": "1"})
    assert (again.bmv2_json, again.p4info) == (compiled.bmv2_json, compiled.p4info)
    assert compiled.warnings == []


def test_errors_have_position_line_and_caret(tmp_path: Path) -> None:
    source = tmp_path / "broken.p4"
    source.write_text(BROKEN)
    with pytest.raises(mecn_native.P4Error) as caught:
        mecn_native.compile_p4(source)
    first, *rest = str(caught.value).splitlines()
    assert first.startswith(f"{source}:6:")
    assert "nope" in first
    assert any(line.lstrip(" |").startswith("^") for line in rest)


def test_missing_file_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(mecn_native.P4Error) as caught:
        mecn_native.compile_p4(tmp_path / "missing.p4")
    assert str(tmp_path / "missing.p4") in str(caught.value)
    assert "\n" not in str(caught.value)


def test_defines_reach_the_program(tmp_path: Path) -> None:
    source = tmp_path / "macro.p4"
    source.write_text("#if LEVEL != 3\n#error the level is wrong\n#endif\n" + BROKEN.replace("m.nope", "m.a"))
    with pytest.raises(mecn_native.P4Error, match="the level is wrong"):
        mecn_native.compile_p4(source, defines={"LEVEL": "2"})
    with pytest.raises(mecn_native.P4Error) as caught:
        mecn_native.compile_p4(source, defines={"LEVEL": "3"})
    assert "the level is wrong" not in str(caught.value)


def test_command_writes_what_the_function_returns(
    compiled: mecn_native.CompiledProgram, tmp_path: Path
) -> None:
    done = p4c(
        "--target", "bmv2", "--arch", "v1model", "--std", "p4-16", "-o", "out.json",
        "--p4runtime-files", "out.p4info.txtpb", str(PROGRAM), cwd=tmp_path,
    )  # fmt: skip
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert (tmp_path / "out.json").read_text() == compiled.bmv2_json
    assert (tmp_path / "out.p4info.txtpb").read_text() == compiled.p4info


def test_command_leaves_nothing_behind_after_errors(tmp_path: Path) -> None:
    (tmp_path / "broken.p4").write_text(BROKEN)
    done = p4c("-o", "out.json", "--p4runtime-files", "out.txtpb", "broken.p4", cwd=tmp_path)
    assert done.returncode == 1
    assert done.stderr.startswith("broken.p4:6:")
    assert "Traceback" not in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["broken.p4"]


def test_program_behind_p4runtime(compiled: mecn_native.CompiledProgram, p4info: p4i.P4Info) -> None:
    """Compiled, pushed, written, read back, and a packet routed: every part of the way is real."""
    config = p4r.ForwardingPipelineConfig(p4info=p4info, p4_device_config=compiled.bmv2_json.encode())
    route = p4r.TableEntry(
        table_id=table_id(p4info, ".ipv4_lpm"),
        match=[lpm(1, b"\x0a\x00\x02\x00", 24)],
        action=action(action_id(p4info, ".forward"), b"\x07", b"\x01", b"\x02"),
    )
    port = p4r.TableEntry(
        table_id=table_id(p4info, ".aqm_port"),
        match=[exact(1, b"\x07"), ternary(2, b"\x08", b"\x38")],
        priority=1,
        action=action(
            action_id(p4info, ".set_profile"),
            b"\x01",  # profile_id
            b"\x02",  # scheme
            b"\x01",  # mark_point
            b"\x00",  # spacing
            b"\x02",  # min_depth
            b"\x01\x00\x00\x00\x00",  # ewma_weight
            b"\x14\xd5",  # service_time
            b"\x09",  # idle_decay
            b"\x40",  # queue_limit
            b"\x41\x89\x37",  # byte_scale
            b"\x00",  # report_period
            b"\x00",  # flow_classes
        ),
    )
    segment = p4r.TableEntry(
        table_id=table_id(p4info, "marking.curve.aqm_curve"),
        match=[exact(1, b"\x01"), range_(2, b"\x01\x00", b"\x04\x00")],
        priority=1,
        action=action(action_id(p4info, "marking.curve.ramp"), b"\x01", b"\x00", b"\x05", b"\x00", b"\x06"),
    )
    with P4RuntimeServer(address="127.0.0.1:0") as server, Client(server.address) as client:
        client.set_config(config)
        assert client.get_config().config == config
        client.insert(route, port, segment)
        for entry in (route, port, segment):
            assert client.entries(p4r.TableEntry(table_id=entry.table_id)) == [entry]
        switch = server.switch.fork(seed=1)
        [departure] = switch.process(1, udp_to(bytes((10, 0, 2, 9))))
        assert departure.port == 7
        assert departure.frame is not None
        assert departure.frame[:12] == bytes(5) + b"\x02" + bytes(5) + b"\x01"
        assert departure.frame[22] == 63
        assert checksum(departure.frame[14:34]) == 0
        assert switch.process(1, udp_to(bytes((10, 0, 3, 9)))) == []


def checksum(header: bytes | bytearray) -> int:
    """RFC 1071; 0 over a header whose checksum is right."""
    total = sum(int.from_bytes(header[i : i + 2], "big") for i in range(0, len(header), 2))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return total ^ 0xFFFF


def udp_to(address: bytes) -> bytes:
    header = bytearray(b"\x45\x00\x00\x1c\x00\x00\x00\x00\x40\x11\x00\x00\x0a\x00\x01\x01" + address)
    header[10:12] = checksum(header).to_bytes(2, "big")
    return bytes(12) + b"\x08\x00" + header + b"\x03\xe8\x07\xd0\x00\x08\x00\x00"


def test_json_names_only_what_p4info_has(compiled: mecn_native.CompiledProgram, p4info: p4i.P4Info) -> None:
    tables = {
        table["name"]
        for pipeline in json.loads(compiled.bmv2_json)["pipelines"]
        for table in pipeline["tables"]
    }
    assert {table.preamble.name for table in p4info.tables} <= tables
