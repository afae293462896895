# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""What is meant for BMv2, run on stand-ins that take nothing which the real ones do not (bmv2_standin.py)."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import grpc
import pytest
from finsy.proto import p4r, p4r_grpc
from mecn_controller import Route
from mecn_controller.profile import parse_profile
from mecn_controller.push import SwitchSession
from mecn_experiments.lab.mininet import system_python
from mecn_topo.lab import LabError, bmv2
from mecn_topo.lab.switches import grpc_address

from mecn_ptf import runner, switches
from mecn_ptf.namespace import why_not

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
STANDIN = [sys.executable, str(HERE / "bmv2_standin.py")]
MAIN = "from mecn_controller.cli import main; main()"
NUMBER = 73
"""A switch whose ports nobody else takes."""


needs_namespaces = pytest.mark.skipif(why_not() is not None, reason=str(why_not()))
needs_mininet = pytest.mark.skipif(system_python() is None, reason="Mininet is not installed")


@pytest.fixture
def tools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The stand-ins first on PATH, and what is written about them."""
    install = "import sys, pathlib, bmv2_standin; bmv2_standin.install(pathlib.Path(sys.argv[1]))"
    subprocess.run([sys.executable, "-c", install, str(tmp_path / "bin")], check=True, cwd=HERE)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    return tmp_path / "bin"


def refused(name: str, *arguments: str) -> str:
    done = subprocess.run(
        [*STANDIN, name, *arguments], capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 1, done.stdout
    return done.stdout


def test_the_stand_in_takes_no_more_than_the_real_one() -> None:
    assert "--grpc-server-addr" in refused("simple_switch_grpc", "--no-p4", "--grpc-server-addr", "x:1")
    assert "--thrift-port" in refused("simple_switch_grpc", "--no-p4", "--", "--thrift-port", "9090")
    assert "--port-rate" in refused("simple_switch_grpc", "--no-p4", "--port-rate", "1=1mbit")
    assert "JSON" in refused("simple_switch_grpc", "--device-id", "1")
    assert "-c" in refused("simple_switch_CLI", "-c", "set_queue_rate 1 1")
    assert "Could not connect" in refused("simple_switch_CLI", "--thrift-port", "1")
    assert "--Werror" in refused("p4c", "--Werror", "--target", "bmv2", "--arch", "v1model", "x.p4")


@contextmanager
def running() -> Iterator[subprocess.Popen[str]]:
    """A switch without ports."""
    process = subprocess.Popen(bmv2.switch_command(NUMBER, []), stdout=subprocess.PIPE, text=True)
    try:
        yield process
    finally:
        process.terminate()
        assert process.wait(30) == 0


@pytest.mark.usefixtures("tools")
def test_a_switch_has_no_command_line_before_it_has_a_program() -> None:
    """simple_switch_CLI asks for the program: queues cannot be set before a pipeline is committed."""
    with running():
        bmv2.wait_for_thrift(NUMBER)
        with pytest.raises(LabError, match="JSONDecodeError"):
            bmv2.run_cli(NUMBER, bmv2.queue_commands(1, 64, 10))


def test_a_switch_without_thrift_is_told_from_a_slow_one() -> None:
    with pytest.raises(LabError, match="built without Thrift"):
        bmv2.wait_for_thrift(NUMBER, 0.1)


@pytest.mark.usefixtures("tools")
def test_the_controller_needs_nothing_that_bmv2_lacks(tmp_path: Path) -> None:
    """Program, routes, profile, queues and registers; what PI lacks is refused, so nothing of it is used."""
    assert switches.compile_program(switches.p4c_compiler(tmp_path), tmp_path) is None
    program = [(tmp_path / name).read_text() for name in (switches.P4INFO, switches.PIPELINE)]

    async def push() -> None:
        async with SwitchSession(grpc_address(NUMBER), device_id=NUMBER) as session:
            await session.set_pipeline(*program)
            await session.write_routes([Route("10.0.1.0/24", 1, "02:00:00:00:01:fe", "02:00:00:00:01:01")])
            profile = {"name": "t", "scheme": "threshold", "threshold": 7}
            await session.apply_profile(parse_profile(profile), port=1, drain_s=0)
            bmv2.wait_for_thrift(NUMBER)

    with running():
        channel = grpc.insecure_channel(grpc_address(NUMBER))
        grpc.channel_ready_future(channel).result(30)
        asyncio.run(push())
        assert bmv2.run_cli(NUMBER, "").splitlines()[-1] == "RuntimeCmd: "
        for wrong in ("register_read nothing 8\n", "set_queue_rate fast 1\n", "set_queue_limit 3 1\n"):
            with pytest.raises(LabError):
                bmv2.run_cli(NUMBER, wrong)
        stub = p4r_grpc.P4RuntimeStub(channel)
        assert stub.Capabilities(p4r.CapabilitiesRequest()).p4runtime_api_version == "1.3.0"
        register = p4r.Entity(register_entry=p4r.RegisterEntry())
        with pytest.raises(grpc.RpcError) as error:
            list(stub.Read(p4r.ReadRequest(device_id=NUMBER, entities=[register])))
        assert error.value.code() is grpc.StatusCode.UNIMPLEMENTED
        channel.close()


@needs_namespaces
@pytest.mark.usefixtures("tools")
def test_packet_tests(tmp_path: Path) -> None:
    """Those that need no burst, which a busy machine may send too late; `make bmv2` runs all."""
    tests = [
        "link_layer.DamagedOptionIsDropped",
        "link_layer.ThreeTagsAreTooMany",
        "marking.LevelsAreCounted",
    ]
    command = [sys.executable, str(runner.FOLDER / "run.py"), "--target", "bmv2"]
    command += ["--results", str(tmp_path / "results"), *tests]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.splitlines()[-1] == "ptf bmv2: 3 passed, 0 failed"
