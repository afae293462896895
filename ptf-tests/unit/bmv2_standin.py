# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Stand-ins for p4c, simple_switch_grpc and simple_switch_CLI, as strict as the real ones or stricter.

They are made of the project's own compiler and switch, so they say nothing about the program on BMv2. They
say whether our command lines, their order, and what is read from the answers are right before the real ones
are met. Facts from p4lang/behavioral-model (src/bm_sim/options_parse.cpp, src/bm_sim/switch.cpp,
targets/simple_switch_grpc/main.cpp and switch_runner.cpp, targets/simple_switch/sswitch_CLI.py,
tools/runtime_CLI.py, tools/bmpy_utils.py) and p4lang/PI:

- The options of BMv2 itself stand before `--`, those of the target behind it. Options that do not exist, or
  stand on the wrong side, are refused. (The real one goes on after a wrong option of the target, and then
  serves on 0.0.0.0:9559.)
- Thrift is served after gRPC is, and only where `--thrift-port` says so.
- simple_switch_CLI asks the switch for its JSON first. A switch started with `--no-p4` has none before a
  pipeline is committed, and then the command ends with a traceback. Later errors are printed, and the status
  is 0.
- P4Runtime: API version 1.3.0; batches are CONTINUE_ON_ERROR or UNIMPLEMENTED; so are registers.

Run as `python bmv2_standin.py COMMAND ARGUMENTS`; `install` writes commands of these names into a folder.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import socket
import socketserver
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NoReturn

import grpc
from finsy.proto import p4r, rpc_code
from mecn_switch import cli, ctl, server
from mecn_switch.service import P4RuntimeService
from mecn_switch.status import StatusError, batch_status

COMMANDS = ("p4c", "simple_switch_grpc", "simple_switch_CLI")
THRIFT_LATE_S = 0.3
"""How long after gRPC it is served; in the real one it is short, and not nothing."""
MAX_PACKETS, MAX_PPS = 2**31, 2**63


def install(folder: Path) -> None:
    """Writes the commands into a folder, which is to be the first on PATH."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in COMMANDS:
        command = folder / name
        command.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{Path(__file__).resolve()}" {name} "$@"\n')
        command.chmod(0o755)


class Strict(argparse.ArgumentParser):
    """No abbreviations, and status 1."""

    def __init__(self, name: str) -> None:
        super().__init__(prog=name, allow_abbrev=False, add_help=False)

    def error(self, message: str) -> NoReturn:
        """As boost::program_options has it, in so far as one can say."""
        print(f"Error while parsing command line arguments: {message}", flush=True)
        raise SystemExit(1)


# ---- p4c ---------------------------------------------------------------------------------------------------


def p4c(arguments: Sequence[str]) -> int:
    """The driver with the back end for BMv2: `-o` is a folder, and the output is named after the source."""
    parser = Strict("p4c")
    for option in ("--target", "-b"):
        parser.add_argument(option, dest="target", choices=["bmv2"], required=option == "--target")
    parser.add_argument("--arch", "-a", choices=["v1model"], required=True)
    parser.add_argument("--std", choices=["p4-14", "p4-16", "p4_14", "p4_16"], default="p4-16")
    parser.add_argument("-I", dest="include", action="append", default=[])
    parser.add_argument("-D", dest="define", action="append", default=[])
    parser.add_argument("--p4runtime-files", type=Path)
    parser.add_argument("-o", dest="folder", type=Path, default=Path())
    parser.add_argument("source", type=Path)
    options = parser.parse_args(arguments)
    options.folder.mkdir(parents=True, exist_ok=True)
    (options.folder / f"{options.source.stem}.p4i").write_text("the preprocessor's output is kept")
    command = [str(Path(sys.executable).parent / "mecn-p4c"), str(options.source)]
    command += ["-o", str(options.folder / f"{options.source.stem}.json")]
    command += [f"-I{path}" for path in options.include] + [f"-D{name}" for name in options.define]
    if options.p4runtime_files:
        command += ["--p4runtime-files", str(options.p4runtime_files)]
    return subprocess.run(command, check=False).returncode


# ---- simple_switch_grpc ------------------------------------------------------------------------------------


def simple_switch_grpc(arguments: Sequence[str]) -> int:
    """The embedded switch, started as BMv2 is."""
    given = list(arguments)
    split = given.index("--") if "--" in given else len(given)
    parser = Strict("simple_switch_grpc")
    parser.add_argument("-i", "--interface", action="append", default=[])
    parser.add_argument("--thrift-port", type=int)
    parser.add_argument("--device-id", type=int, default=0)
    parser.add_argument("-L", "--log-level", choices=["trace", "debug", "info", "warn", "error", "off"])
    for flag in ("--log-console", "--log-flush", "--no-p4", "--debugger"):
        parser.add_argument(flag, action="store_true")
    for option in ("--log-file", "--nanolog", "--notifications-addr", "--packet-in", "--restore-state"):
        parser.add_argument(option)
    for option in ("--use-files", "--dump-packet-data", "--max-port-count"):
        parser.add_argument(option, type=int)
    parser.add_argument("--pcap", nargs="?", const=".")
    parser.add_argument("config", nargs="?")
    options = parser.parse_args(given[:split])
    target = Strict("simple_switch_grpc --")
    target.add_argument("--grpc-server-addr", default="0.0.0.0:9559")
    for option in ("--cpu-port", "--drop-port", "--priority-queues"):
        target.add_argument(option, type=int)
    for flag in ("--disable-swap", "--egress-spec-init-to-drop"):
        target.add_argument(flag, action="store_true")
    behind = target.parse_args(given[split + 1 :])
    if not options.no_p4:
        parser.error("please specify an input JSON configuration file, which this stand-in does not take")
    if options.log_console and options.log_file:
        parser.error("--log-console and --log-file are exclusive")
    if options.device_id == 0:
        parser.error("P4Runtime needs a device id other than 0, which is the default")

    folder = Path(tempfile.mkdtemp(prefix="bmv2-standin-"))
    command = ["--no-p4", "--device-id", str(options.device_id), "--ctl-socket", str(folder / "ctl")]
    command += ["--grpc-server-addr", behind.grpc_server_addr, "--log-level", "warn"]
    for interface in options.interface:
        command += ["-i", interface]
    for name in ("cpu_port", "drop_port"):
        if getattr(behind, name) is not None:
            command += [f"--{name.replace('_', '-')}", str(getattr(behind, name))]
    vars(server)["P4RuntimeService"] = Bmv2Service
    print("Calling target program-options parser", flush=True)
    if options.thrift_port is not None:
        late = threading.Thread(
            target=serve_thrift,
            args=(behind.grpc_server_addr, options.thrift_port, folder / "ctl"),
            daemon=True,
        )
        late.start()
    try:
        return cli.main(command)
    finally:
        (folder / "ctl").unlink(missing_ok=True)
        folder.rmdir()


class Bmv2Service(P4RuntimeService):
    """What PI's server does not have is refused."""

    config: bytes = b""
    """Of the process: what a pipeline was made of."""

    def Capabilities(  # noqa: N802
        self, request: p4r.CapabilitiesRequest, context: grpc.ServicerContext
    ) -> p4r.CapabilitiesResponse:
        """The version that PI was written for."""
        del request, context
        return p4r.CapabilitiesResponse(p4runtime_api_version="1.3.0")

    def SetForwardingPipelineConfig(  # noqa: N802
        self, request: p4r.SetForwardingPipelineConfigRequest, context: grpc.ServicerContext
    ) -> p4r.SetForwardingPipelineConfigResponse:
        """Afterwards Thrift knows the JSON."""
        answer = super().SetForwardingPipelineConfig(request, context)
        if request.config.p4_device_config:
            Bmv2Service.config = request.config.p4_device_config
        return answer

    def Write(self, request: p4r.WriteRequest, context: grpc.ServicerContext) -> p4r.WriteResponse:  # noqa: N802
        """Batches of one kind, no registers, no roles."""
        if request.atomicity != p4r.WriteRequest.CONTINUE_ON_ERROR:
            context.abort(grpc.StatusCode.UNIMPLEMENTED, "rollback is not supported")
        if request.role:
            context.abort(grpc.StatusCode.UNIMPLEMENTED, "roles are not supported")
        if any(update.entity.HasField("register_entry") for update in request.updates):
            error = StatusError(rpc_code.UNIMPLEMENTED, "register writes are not supported")
            context.abort_with_status(batch_status([error] * len(request.updates)))
        return super().Write(request, context)

    def Read(self, request: p4r.ReadRequest, context: grpc.ServicerContext) -> Iterator[p4r.ReadResponse]:  # noqa: N802
        """No registers."""
        if any(entity.HasField("register_entry") for entity in request.entities):
            context.abort(grpc.StatusCode.UNIMPLEMENTED, "register reads are not supported")
        yield from super().Read(request, context)


class ThriftHandler(socketserver.StreamRequestHandler):
    """Lines of JSON in place of Thrift: `config`, or a request to the switch's control socket."""

    def handle(self) -> None:
        """One connection."""
        for line in self.rfile:
            request = json.loads(line)
            if request == "config":
                answer: object = Bmv2Service.config.decode()
            else:
                answer = ctl.request(self.server.ctl_socket, request)  # type: ignore[attr-defined]
            self.wfile.write(json.dumps(answer).encode() + b"\n")


def serve_thrift(grpc_address: str, port: int, ctl_socket: Path) -> None:
    """Serves after gRPC has been there for a while, as switch_runner.cpp does."""
    host, _, grpc_port = grpc_address.rpartition(":")
    while True:
        with contextlib.suppress(OSError), socket.create_connection((host, int(grpc_port)), 1):
            break
        time.sleep(0.02)
    time.sleep(THRIFT_LATE_S)
    socketserver.ThreadingTCPServer.allow_reuse_address = True
    listener = socketserver.ThreadingTCPServer(("127.0.0.1", port), ThriftHandler)
    listener.daemon_threads = True
    listener.ctl_socket = ctl_socket  # type: ignore[attr-defined]
    listener.serve_forever()


# ---- simple_switch_CLI -------------------------------------------------------------------------------------


class InputError(Exception):
    """What the user typed is wrong: it is printed, and the next command is read."""


class Thrift:
    """A connection to the switch."""

    def __init__(self, connection: socket.socket) -> None:
        self._file = connection.makefile("rwb")

    def call(self, request: object) -> Any:  # noqa: ANN401 - as it comes
        """One call."""
        self._file.write(json.dumps(request).encode() + b"\n")
        self._file.flush()
        return json.loads(self._file.readline())

    def control(self, request: dict[str, object]) -> dict[str, Any]:
        """One call of the control socket; errors are Thrift's, which end the command with a traceback."""
        answer: dict[str, Any] = self.call(request)
        if not answer["ok"]:
            raise RuntimeError(answer["error"])
        return answer


def simple_switch_cli(arguments: Sequence[str]) -> int:
    """Reads commands. Prompts are printed even where standard input is no terminal."""
    parser = Strict("simple_switch_CLI")
    parser.add_argument("--thrift-port", type=int, default=9090)
    parser.add_argument("--thrift-ip", default="localhost")
    parser.add_argument("--json")
    parser.add_argument("--pre", choices=["None", "SimplePre", "SimplePreLAG"])
    options = parser.parse_args(arguments)
    try:
        connection = socket.create_connection((options.thrift_ip, options.thrift_port), 5)
    except OSError:
        print(f"Could not connect to thrift client on port {options.thrift_port}")
        print("Make sure the switch is running and that you have the right port")
        return 1
    thrift = Thrift(connection)
    print("Obtaining JSON from switch...")
    config = thrift.call("config")
    print("Done")
    # Without a program this is json.loads(""), and raises.
    registers = {of["name"]: of["size"] for of in json.loads(config).get("register_arrays", [])}
    print("Control utility for runtime P4 table manipulation")
    for line in sys.stdin:
        print("RuntimeCmd: ", end="")
        try:
            run_command(thrift, registers, line.split())
        except InputError as error:
            print(f"Error: {error}")
    print("RuntimeCmd: ")
    return 0


def run_command(thrift: Thrift, registers: dict[str, int], words: list[str]) -> None:
    """One command."""
    match words:
        case ["set_queue_depth", depth, port]:
            limit = _number(depth, "nb_pkts", MAX_PACKETS)
            thrift.control({"op": "set", "port": _number(port, "egress_port", 511), "limit": str(limit)})
        case ["set_queue_rate", rate, port]:
            pps = _number(rate, "rate_pps", MAX_PPS)
            text = f"{pps}pps" if pps else "unlimited"
            thrift.control({"op": "set", "port": _number(port, "egress_port", 511), "rate": text})
        case ["register_read", name, index]:
            found = [full for full in registers if full == name or full.endswith(f".{name}")]
            if len(found) != 1:
                raise InputError(f"Invalid register name ({name})")
            at = _number(index, "index", MAX_PACKETS)
            if at >= registers[found[0]]:
                print("Invalid register operation (INVALID_INDEX)")
                return
            value = thrift.control({"op": "register", "name": found[0], "index": at})["value"]
            print(f"{name}[{at}]= {value}")
        case _:
            print(f"*** Unknown syntax: {' '.join(words)}")


def _number(text: str, what: str, limit: int) -> int:
    if not text.isdigit() or int(text) >= limit:
        raise InputError(f"Bad format for {what}")
    return int(text)


if __name__ == "__main__":
    MAINS = dict(zip(COMMANDS, (p4c, simple_switch_grpc, simple_switch_cli), strict=True))
    sys.exit(MAINS[sys.argv[1]](sys.argv[2:]))
