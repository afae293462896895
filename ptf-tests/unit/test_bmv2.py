# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""What docs/targets.md says of p4c and BMv2, asked of p4c and BMv2. Their packets: `run.py --target bmv2`."""

from __future__ import annotations

import asyncio
import re
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import grpc
import pytest
from finsy.proto import p4r, p4r_grpc
from mecn_controller import Route
from mecn_controller.policy.profile import parse_profile
from mecn_controller.runtime.session import SwitchSession
from mecn_native import CompiledProgram
from mecn_topo.lab import LabError, bmv2, bmv2_tools
from mecn_topo.lab.bmv2_cli import CommandLine
from mecn_topo.lab.switches import grpc_address, thrift_port

from mecn_ptf import runner, switches
from mecn_ptf.namespace import namespace, why_not

CHECKED_IN = switches.SOURCE.with_suffix(".p4info.txtpb")
NUMBER = 73
"""A switch whose ports nobody else takes."""

needs_tools = pytest.mark.skipif(
    (missing := bmv2_tools.missing()) is not None, reason=f"no BMv2 here: {missing}"
)
needs_namespaces = pytest.mark.skipif((reason := why_not()) is not None, reason=str(reason))


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A folder with what p4c made of the program, and what it said."""
    folder = tmp_path_factory.mktemp("p4c")
    command = switches.p4c_compiler(folder)
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return folder, done.stderr + done.stdout


@needs_tools
def test_p4c_has_no_warning_about_the_program(compiled: tuple[Path, str]) -> None:
    assert compiled[1] == ""


@needs_tools
def test_p4info_of_both_compilers_is_the_one_that_is_checked_in(
    compiled: tuple[Path, str], program: CompiledProgram
) -> None:
    assert (compiled[0] / switches.P4INFO).read_bytes() == CHECKED_IN.read_bytes()
    assert program.p4info.encode() == CHECKED_IN.read_bytes()


@contextmanager
def running(*, thrift: bool = True) -> Iterator[None]:
    """A switch without ports and without a program, from when it serves P4Runtime."""
    command = bmv2.switch_command(NUMBER, [])
    if not thrift:
        at = command.index("--thrift-port")
        del command[at : at + 2]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.STDOUT)
    try:
        with grpc.insecure_channel(grpc_address(NUMBER)) as channel:
            grpc.channel_ready_future(channel).result(60)
        yield
    finally:
        runner.end(process)


async def load(folder: Path) -> None:
    """The program, a route, and a profile."""
    program = [(folder / name).read_text() for name in (switches.P4INFO, f"{switches.SOURCE.stem}.json")]
    async with SwitchSession(grpc_address(NUMBER), device_id=NUMBER) as session:
        await session.set_pipeline(*program)
        await session.write_routes([Route("10.0.1.0/24", 1, "02:00:00:00:01:fe", "02:00:00:00:01:01")])
        profile = {"name": "t", "scheme": "threshold", "threshold": 7}
        await session.apply_profile(parse_profile(profile), port=1, drain_s=0)


@needs_tools
def test_its_command_line_knows_the_program_that_was_loaded_when_it_started(
    compiled: tuple[Path, str],
) -> None:
    """Queues can be set at any time; registers are those of the program then."""
    with running():
        bmv2.wait_for_thrift(NUMBER)
        bmv2.run_cli(NUMBER, bmv2.queue_commands(1, 64, 10))
        with CommandLine(thrift_port(NUMBER)) as early:
            asyncio.run(load(compiled[0]))
            assert early.run("set_queue_rate 10 1") == ""
            with pytest.raises(LabError, match="Invalid register name"):
                early.run("register_read arrival_qdepth 8")
        with CommandLine(thrift_port(NUMBER)) as line:
            assert line.run("set_queue_rate 10 1") == ""
            assert line.run("register_read arrival_qdepth 8") == "arrival_qdepth[8]= 0\n"
            for wrong in (
                "set_queue_rate 1.5 1",  # whole packets per second only
                "set_queue_rate fast 1",
                "register_read nothing 8",
                "set_queue_limit 3 1",
            ):
                with pytest.raises(LabError, match=re.escape(wrong)):
                    line.run(wrong)
            assert int(line.run("get_time_elapsed")) > 0


@needs_tools
def test_a_switch_without_thrift_is_told_from_a_slow_one() -> None:
    with running(thrift=False), pytest.raises(LabError, match="built without Thrift"):
        bmv2.wait_for_thrift(NUMBER, 0.5)


@needs_tools
def test_what_its_p4runtime_server_does_not_have(compiled: tuple[Path, str]) -> None:
    """Registers, and batches that are undone as a whole. A program, routes and a profile need neither."""

    with running():
        asyncio.run(load(compiled[0]))
        with grpc.insecure_channel(grpc_address(NUMBER)) as channel:
            stub = p4r_grpc.P4RuntimeStub(channel)
            assert stub.Capabilities(p4r.CapabilitiesRequest()).p4runtime_api_version == "1.3.0"
            register = p4r.Entity(register_entry=p4r.RegisterEntry())
            read = p4r.ReadRequest(device_id=NUMBER, entities=[register])
            with pytest.raises(grpc.RpcError) as error:
                list(stub.Read(read))
            assert error.value.code() is grpc.StatusCode.UNIMPLEMENTED
            for kind in (p4r.WriteRequest.ROLLBACK_ON_ERROR, p4r.WriteRequest.DATAPLANE_ATOMIC):
                write = p4r.WriteRequest(device_id=NUMBER, atomicity=kind)
                with pytest.raises(grpc.RpcError) as error:
                    stub.Write(write)
                assert error.value.code() is grpc.StatusCode.UNIMPLEMENTED, kind


@needs_tools
@needs_namespaces
def test_offloads_leave_its_input_32_slots(tmp_path: Path) -> None:
    """libpcap gives each slot room for the largest packet that offloads can make: bursts of more are lost."""
    with namespace([1], "ring") as inside:
        for words in ("add raw0 type veth peer name raw1", "set raw0 up"):
            subprocess.run(["ip", "-n", inside.name, "link", *words.split()], check=True)
        ports = [(1, inside.switch_end(1)), (2, "raw0")]
        command = switches.simple_switch_grpc(ports)
        with runner.running(command, inside, tmp_path / "log", switches.addresses("bmv2")):
            sockets = subprocess.run(
                inside.inside(["ss", "-0", "-e"]), capture_output=True, text=True, check=True
            ).stdout
    slots = dict(re.findall(r"\*:(\w+)\s.*?frm_nr:(\d+)", sockets, re.DOTALL))
    assert int(slots["raw0"]) == 32
    assert int(slots["switch1"]) > 1000, "the packet tests have their offloads off"
