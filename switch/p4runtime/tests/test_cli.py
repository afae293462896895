# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""The command `mecn-switch` as a process."""

import json
import signal
import subprocess
import sys
from pathlib import Path

import grpc
import pytest
from finsy.proto import p4r
from google.protobuf import text_format
from mecn_switch import P4RuntimeServer, cli, options

from . import program
from .client import Client
from .entries import NET_10, route
from .mecn_program import switch_process

COMMAND = (sys.executable, "-m", "mecn_switch.cli")


def fails(*arguments: str) -> tuple[int, str]:
    done = subprocess.run([*COMMAND, *arguments], capture_output=True, text=True, timeout=30, check=False)
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
    return done.returncode, done.stderr.splitlines()[-1]


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    pipeline, info = tmp_path / "probe.json", tmp_path / "probe.p4info.txtpb"
    pipeline.write_text(json.dumps(program.bmv2_json()))
    info.write_text(text_format.MessageToString(program.p4info()))
    return str(pipeline), str(info)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_serves_until_signal(number: signal.Signals) -> None:
    with switch_process("--no-p4", "--", "--device-id", "1") as (process, address):
        with Client(address) as client:
            client.set_config(program.config())
            client.insert(route(NET_10))
            process.send_signal(number)
            assert process.wait(timeout=10) == 0
        assert process.stderr is not None
        assert process.stderr.read() == ""


def test_starts_with_a_pipeline(files: tuple[str, str]) -> None:
    with switch_process(files[0], "--p4info", files[1]) as (_, address), Client(address) as client:
        config = client.get_config().config
        assert config.p4info == program.p4info()
        assert not config.HasField("cookie")
        client.insert(route(NET_10))
        assert client.entries(p4r.TableEntry(table_id=program.ROUTE)) == [route(NET_10)]


def test_address_in_use() -> None:
    with P4RuntimeServer(address="127.0.0.1:0") as server:
        status, message = fails("--no-p4", "--grpc-server-addr", server.address)
        assert status == 1
        assert message == f"mecn-switch: cannot listen on {server.address}: is the address in use?"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "give PIPELINE.json, or --no-p4"),
        (("--no-p4", "x.json"), "--no-p4 goes with neither"),
        (("--no-p4", "--priority-queues", "0"), "'0' is not in 1..8"),
        (("--no-p4", "--priority-queues", "many"), "'many' is not in 1..8"),
        (("--no-p4", "-i", "veth1"), "'veth1' is not of the form PORT@INTERFACE"),
        (("--no-p4", "-i", "511@veth1"), "port '511' is not in 0..510"),
        (("--no-p4", "-i", "1@a", "-i", "1@b"), "port 1 is given twice"),
        (("--no-p4", "-i", "1@a", "-i", "2@a"), "interface a is given twice"),
        (("--no-p4", "-i", "1@a", "--cpu-port", "1"), "port 1 is the CPU port"),
        (("--no-p4", "-i", "1@a", "--port-rate", "1=fast"), "rate 'fast' is not of a form such as"),
        (("--no-p4", "-i", "1@a", "--port-rate", "1mbit"), "'1mbit' is not of the form PORT=VALUE"),
        (("--no-p4", "--port-delay", "1=1ms"), "--port-delay needs -i"),
        (("--no-p4", "--use-files", "0"), "--use-files needs -i"),
        (("--no-p4", "-i", "1@a", "--use-files", "soon"), "'soon' is not a number of seconds"),
        (("--no-p4", "-i", "1@a", "--use-files", "0", "--pcap"), "--pcap does not go with --use-files"),
        (("--no-p4", "--log-level", "loud"), "invalid choice: 'loud'"),
        (("--no-p4", "--device-id", "-1"), "device id -1 is not in 0..2^64-1"),
        (("--no-p4", "--grpc-server-addr", "192.0.2.1:9559"), "not on the loopback interface"),
        (("--no-p4", "--grpc-server-addr", "9559"), "'9559' is not an address"),
        (("--no-p4", "--grpc-server-addr", "switch.example:9559"), "neither an IP address nor localhost"),
        (("--no-p4", "--grpc-server-ssl"), "needs --grpc-server-cert and --grpc-server-key"),
        (("--no-p4", "--grpc-server-key", "k.pem"), "go with --grpc-server-ssl"),
        (("--no-p4", "--grpc-server-with-client-auth"), "go with --grpc-server-ssl"),
        (
            (
                "--no-p4",
                "--grpc-server-ssl",
                *("--grpc-server-cert", "c.pem", "--grpc-server-key", "k.pem"),
                "--grpc-server-with-client-auth",
            ),
            "needs --grpc-server-cacert",
        ),
        (("--no-p4", "--cpu-port", "511"), "'511' is not in 1..510"),
        (("--no-p4", "--no-such-option"), "unrecognized arguments: --no-such-option"),
    ],
)
def test_wrong_command_line(arguments: tuple[str, ...], words: str) -> None:
    status, message = fails(*arguments)
    assert status == 2
    assert words in message


@pytest.mark.parametrize("option", options.REFUSED)
def test_options_of_simple_switch_grpc_that_are_refused_say_why(
    option: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as caught:
        cli.main(["--no-p4", option, "x"])
    assert caught.value.code == 2
    assert f"{option} is not supported: {options.REFUSED[option]}" in capsys.readouterr().err


@pytest.mark.parametrize(
    "arguments",
    [
        # p4runtime_switch.py of p4lang/tutorials, with its words for the shell
        "--nanolog ipc:///tmp/bm-0-log.ipc --device-id 1 PIPELINE --debugger --log-console "
        "--thrift-port 9090 -- --grpc-server-addr 0.0.0.0:0 --cpu-port 510 --priority-queues 8",
        # node.py of nsg-ethz/p4-utils
        "--thrift-port 9090 --nanolog ipc:///tmp/bm-1-log.ipc --device-id 1 PIPELINE --log-console "
        "-- --grpc-server-addr 0.0.0.0:0",
        # runptf.sh of jafingerhut/p4-guide, and what else simple_switch_grpc takes
        "--device-id 1 --log-level info --log-flush --dump-packet-data 10000 --notifications-addr ipc:///n "
        "--log-file-max-size 9 --log-file-max-files 3 --max-port-count 512 --no-p4 -- --disable-swap "
        "--max-mc-groups 9 --max-l1-entries 9 --max-l2-entries 9 --grpc-server-addr 0.0.0.0:0",
    ],
)
def test_command_lines_of_starters_for_simple_switch_grpc(arguments: str, files: tuple[str, str]) -> None:
    given = arguments.replace("PIPELINE", files[0]).split()
    with switch_process(*given) as (process, address):
        with Client(address) as client:
            client.set_config(program.config())
            client.insert(route(NET_10))
        process.send_signal(signal.SIGTERM)
        _, said = process.communicate(timeout=10)
    warned = {line.split()[2] for line in said.splitlines() if " has no effect: " in line}
    assert warned == {word for word in given if word in options.IGNORED | options.IGNORED_FLAGS}
    assert "] [W] listening on 127.0.0.1:0, for this machine only; --allow-remote opens 0.0.0.0:0" in said
    assert len(said.splitlines()) == len(warned) + 1


def test_everyone_is_served_on_request() -> None:
    with switch_process(
        "--device-id", "0", "--no-p4", "--allow-remote", "--grpc-server-addr", "0.0.0.0:0"
    ) as (
        process,
        address,
    ):
        assert address.startswith("0.0.0.0:")
        with Client(address, device_id=0) as client:
            client.set_config(program.config())
        process.send_signal(signal.SIGTERM)
        assert process.communicate(timeout=10)[1] == ""


def test_device_config_without_p4info(files: tuple[str, str]) -> None:
    """Packets go through it; a controller can set another."""
    with P4RuntimeServer(address="127.0.0.1:0") as server, Client(server.address) as client:
        server.load(None, Path(files[0]).read_bytes())
        assert server.inject(0, program.frame(kind=0xF0, addr=0x0A000001)) == []
        assert server.switch.counter_read("Ingress.seen", 6)[0] == 1
        with pytest.raises(grpc.RpcError) as caught:
            client.entries(p4r.TableEntry())
        assert caught.value.code() == grpc.StatusCode.FAILED_PRECONDITION
        client.set_config(program.config())
        client.insert(route(NET_10))


@pytest.mark.parametrize("arguments", [("--help",), ("--no-such-option",), ("--no-p4", "x.json")])
def test_commands_are_named_and_usage_is_short(arguments: tuple[str, ...]) -> None:
    done = subprocess.run([*COMMAND, *arguments], capture_output=True, text=True, timeout=30, check=False)
    usage = (done.stdout or done.stderr).splitlines()[:6]
    assert usage[0].startswith("usage: mecn-switch [OPTION...] PIPELINE.json")
    assert any("mecn-switch ctl ports" in line for line in usage)
    assert any("mecn-switch stf PROGRAM.p4 TEST.stf" in line for line in usage)
    assert any("mecn-switch wires --wire" in line for line in usage)
    if done.returncode:
        assert len(done.stderr.splitlines()) == 7
        assert done.stderr.splitlines()[-1].startswith("mecn-switch: error: ")


@pytest.mark.parametrize("option", ["--version", "--help"])
def test_a_reader_that_has_gone_is_no_error(option: str) -> None:
    command = f"{' '.join(COMMAND)} {option} | true; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=30, check=False)
    assert done.returncode in (0, 128 + signal.SIGPIPE)
    assert done.stderr == ""


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        cli.main(["--version"])
    assert caught.value.code == 0
    assert capsys.readouterr().out.startswith("mecn-switch ")


def test_bad_files(files: tuple[str, str], tmp_path: Path) -> None:
    pipeline, info = files
    missing = str(tmp_path / "missing")
    tls = ("--grpc-server-ssl", "--grpc-server-cert", info, "--grpc-server-key", missing)
    assert fails("--no-p4", *tls) == (1, f"mecn-switch: {missing}: No such file or directory")
    assert fails(missing, "--p4info", info) == (1, f"mecn-switch: {missing}: No such file or directory")
    assert fails(pipeline, "--p4info", missing) == (1, f"mecn-switch: {missing}: No such file or directory")
    status, message = fails(info, "--p4info", info)
    assert status == 1
    assert message.startswith(f"mecn-switch: {info}: device config: not a BMv2 JSON")
    status, message = fails(pipeline, "--p4info", pipeline)
    assert status == 1
    assert message.startswith(f"mecn-switch: {pipeline}: not a P4Info in protobuf text: ")
