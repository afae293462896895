# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""The command `mecn-switch`: the embedded switch behind P4Runtime, with the flags of `simple_switch_grpc`.

    mecn-switch ... -i 1@veth0 -i 2@veth2 PIPELINE.json    on network interfaces, in real time
    mecn-switch ... --bf-rt-schema bf-rt.json PROGRAM.json a program for Tofino, behind BF Runtime
    mecn-switch ... -i 1@a -i 2@b --use-files 0 ...        on a_in.pcap, b_in.pcap, in virtual time
    mecn-switch ctl ports|set|stats|trace                  looks at and changes a running switch
    mecn-switch stf PROGRAM.p4 TEST.stf                    runs a packet test
    mecn-switch wires --wire a b delay=2ms                 links between interfaces, without a switch

Without -i it serves the control plane only. Exit status: 0 after SIGINT or SIGTERM or at the end of the
files, 1 if the switch cannot start or go on, 2 for a wrong command line.
"""

import argparse
import functools
import json
import logging
import signal
import sys
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from queue import Empty, SimpleQueue

import mecn_native
from google.protobuf import text_format

from . import ctl, files, logs, statistics
from .bfrt import BfRuntimeServer
from .dataplane import Dataplane, LocalDataplane
from .ending import end_in_time
from .holders import RoleHolders
from .interfaces import InterfaceDataplane
from .listener import AddressError
from .options import address, parse, port_settings, tls_of, warn_of_ignored
from .ports import PortSettings
from .runtime_json import RuntimeFile, RuntimeFileError, read_runtime
from .server import P4RuntimeServer
from .status import StatusError
from .stf.cli import main as stf
from .wires import main as wires

LOG_MESSAGES = 1024
"""Messages of the program's log_msg that are kept until they are logged."""

_LOG = logging.getLogger("mecn_switch.cli")


def main(argv: Sequence[str] | None = None) -> int:
    """Serves until SIGINT or SIGTERM."""
    arguments = sys.argv[1:] if argv is None else list(argv)
    if arguments[:1] == ["ctl"]:
        return ctl.main(arguments[1:])
    if arguments[:1] == ["stf"]:
        return stf(arguments[1:])
    if arguments[:1] == ["wires"]:
        return wires(arguments[1:])
    parser, options = parse(arguments)
    settings = port_settings(parser, options)
    with ExitStack() as stack:
        try:
            handler = logs.configure(
                options.log_level, options.log_file, json_lines=options.log_format == "json"
            )
            stack.callback(logs.release, handler)
            warn_of_ignored(options)
            return _Process(parser, options, settings, stack).run()
        except (
            AddressError,
            RuntimeFileError,
            _LoadingError,
            mecn_native.InterfaceError,
            ctl.ControlSocketError,
        ) as error:
            print(f"mecn-switch: {error}", file=sys.stderr)
        except OSError as error:
            print(f"mecn-switch: {error.filename}: {error.strerror}", file=sys.stderr)
        return 1


class _Process:
    """The switch from its start to its end."""

    def __init__(
        self,
        parser: argparse.ArgumentParser,
        options: argparse.Namespace,
        settings: Mapping[int, PortSettings],
        stack: ExitStack,
    ) -> None:
        self._options = options
        self._settings = settings
        self._stack = stack
        self._requests: SimpleQueue[str] = SimpleQueue()
        """What signals ask for: stop, statistics."""
        self._interfaces: InterfaceDataplane | None = None
        # Before privileges are dropped: the files may be those of a user who called sudo.
        self._beginning = None if options.no_p4 else _read(options)
        tls = tls_of(parser, options)
        dataplane: Dataplane = LocalDataplane(cpu_port=options.cpu_port)
        if options.use_files is not None:
            dataplane = files.FilesDataplane()
        if options.interface and options.use_files is None:
            self._interfaces = stack.enter_context(
                InterfaceDataplane(
                    options.interface,
                    settings,
                    cpu_port=options.cpu_port,
                    busy_poll=options.busy_poll,
                    capture=options.pcap,
                    drop_privileges=True,
                    on_failure=lambda: self._requests.put("failed"),
                )
            )
            self._interfaces.trace(options.log_level == "trace")
            dataplane = self._interfaces
        factory = functools.partial(
            mecn_native.Switch.from_json,
            seed=options.seed,
            drop_port=options.drop_port,
            priority_queues=options.priority_queues,
            max_passes=options.max_passes,
            log_capacity=LOG_MESSAGES if self._interfaces else 0,
            # On interfaces no packet waits until the program is compiled.
            execution="compiled" if self._interfaces else "auto",
        )
        try:
            holders = RoleHolders.parse(options.role_certificate)
            kind = functools.partial(P4RuntimeServer, holders=holders)
            self._server: P4RuntimeServer | BfRuntimeServer = (
                kind if options.bf_rt_schema is None else BfRuntimeServer
            )(
                factory,
                address=address(options),
                allow_remote=options.allow_remote,
                device_id=options.device_id,
                tls=tls,
                dataplane=dataplane,
                max_message_bytes=options.max_message,
                on_failure=lambda: self._requests.put("failed"),
            )
        except ValueError as error:
            parser.error(str(error))

    def run(self) -> int:
        """Serves until a signal, or the end of the files; returns the exit status."""
        options, server = self._options, self._server
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda _number, _frame: self._requests.put("stop"))
        signal.signal(signal.SIGUSR1, lambda _number, _frame: self._requests.put("statistics"))
        end_in_time()
        if self._beginning is not None:
            _load(server, self._beginning)
        if self._interfaces is not None:
            path = options.ctl_socket or ctl.default_path(server.device_id)
            control = ctl.ControlServer(path, self._operations(self._interfaces))
            self._stack.callback(control.close)
        server.start()
        self._stack.callback(server.stop)
        protocol = "BF Runtime" if isinstance(server, BfRuntimeServer) else "P4Runtime"
        print(f"mecn-switch: device {server.device_id}, {protocol} on {server.address}", flush=True)
        for port, name in options.interface:
            _LOG.info("Adding interface %s as port %d", name, port)
        if options.use_files is not None:
            return self._run_files()
        while True:
            match self._requests.get():
                case "stop":
                    self._report()
                    return 0
                case "failed":
                    self._report()
                    return 1
                case _:
                    self._report()

    def _run_files(self) -> int:
        try:
            if self._requests.get(timeout=self._options.use_files) == "stop":
                return 0
        except Empty:
            pass
        try:
            switch = self._server.switch
        except RuntimeError as error:
            print(f"mecn-switch: {error}", file=sys.stderr)
            return 1
        totals = files.run(
            switch, self._options.interface, self._settings, trace=self._options.log_level == "trace"
        )
        self._print(statistics.collect(totals.ports, switch, self._settings), totals.unattached)
        return 0

    def _statistics(self, interfaces: InterfaceDataplane) -> list[statistics.Row]:
        try:
            switch = self._server.switch
        except RuntimeError:
            switch = None
        return statistics.collect(interfaces.totals(), switch, interfaces.settings, self._server.port_is_up)

    def _report(self) -> None:
        if self._interfaces is not None:
            self._interfaces.flush()
            self._print(self._statistics(self._interfaces), self._interfaces.unattached)

    def _print(self, rows: Sequence[statistics.Row], unattached: int) -> None:
        if self._options.log_format == "json":
            print(json.dumps({"ports": rows, "unattached": unattached}), flush=True)
        else:
            print(statistics.render(rows, unattached), flush=True)

    def _operations(self, interfaces: InterfaceDataplane) -> ctl.Operations:
        def stats() -> dict[str, object]:
            return {
                "ports": self._statistics(interfaces),
                "unattached": interfaces.unattached,
                "lost_events": interfaces.lost_events,
            }

        def trace(on: bool) -> None:
            interfaces.trace(on)
            logging.getLogger("mecn_switch").setLevel(
                logs.TRACE if on else max(logs.LEVELS[self._options.log_level], logging.DEBUG)
            )

        def register(name: str, index: int) -> int:
            try:
                return self._server.switch.register_read(name, index)
            except (RuntimeError, OverflowError, mecn_native.ControlError) as error:
                raise ValueError(str(error)) from error

        return ctl.Operations(lambda: interfaces.settings, interfaces.configure, stats, trace, register)


class _LoadingError(Exception):
    pass


@dataclass(frozen=True)
class _Beginning:
    """Program and entries that the switch begins with, read from their files."""

    program: Path
    json: bytes
    p4info: Path | None
    text: str | None
    """Of the P4Info."""
    runtime: RuntimeFile | None
    bf_rt: bytes | None
    """What BF Runtime is told of the program."""


def _read(options: argparse.Namespace) -> _Beginning:
    program, p4info = options.program, options.p4info
    try:
        runtime = None if options.runtime_json is None else read_runtime(options.runtime_json)
        if runtime is not None:
            program, p4info = program or runtime.program, p4info or runtime.p4info
            if program is None or p4info is None:
                missing = "bmv2_json" if program is None else "p4info"
                raise _LoadingError(f"{runtime.path}: names no {missing}; give PIPELINE.json and --p4info")
        text = None if p4info is None else p4info.read_text(encoding="utf-8")
        bf_rt = None if options.bf_rt_schema is None else options.bf_rt_schema.read_bytes()
        return _Beginning(program, program.read_bytes(), p4info, text, runtime, bf_rt)
    except OSError as error:
        raise _LoadingError(f"{error.filename}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise _LoadingError(f"{p4info}: not a P4Info in protobuf text: {error}") from error


def _load(server: P4RuntimeServer | BfRuntimeServer, beginning: _Beginning) -> None:
    try:
        if isinstance(server, BfRuntimeServer):
            assert beginning.bf_rt is not None
            server.load(beginning.program.stem, beginning.bf_rt, beginning.json)
            return
        server.load(beginning.text, beginning.json)
        if beginning.runtime is not None:
            server.write(beginning.runtime)
    except text_format.ParseError as error:
        raise _LoadingError(f"{beginning.p4info}: not a P4Info in protobuf text: {error}") from error
    except StatusError as error:
        raise _LoadingError(f"{beginning.program}: {error.message}") from error


if __name__ == "__main__":
    sys.exit(main())
