# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""The command `mecn-switch`: the embedded switch behind P4Runtime, with the flags of `simple_switch_grpc`.

    mecn-switch ... -i 1@veth0 -i 2@veth2 PIPELINE.json    on network interfaces, in real time
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
import re
import signal
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from importlib import metadata
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import NoReturn, TypeVar

import mecn_native
from google.protobuf import text_format

from . import ctl, files, logs, statistics
from .dataplane import Dataplane, LocalDataplane
from .interfaces import InterfaceDataplane
from .ports import PortSettings, parse_assignment, parse_interface
from .server import AddressError, P4RuntimeServer
from .status import StatusError
from .stf.cli import main as stf
from .transport import Tls
from .wires import main as wires

REFUSED = {
    "--thrift-port": "there is no Thrift server; see mecn-switch ctl",
    "--nanolog": "logs are lines; see --log-level trace and --log-format json",
    "--notifications-addr": "idle entries and digests go to P4Runtime controllers only",
    "--debugger": "there is no debugger; see --log-level trace",
    "--debugger-addr": "there is no debugger; see --log-level trace",
    "--packet-in": "packets come from interfaces or files; see -i and --use-files",
    "--dp-grpc-server-addr": "packets come from interfaces or files; see -i and --use-files",
    "--restore-state": "a controller writes the state",
    "--dump-packet-data": "packets are recorded with --pcap",
    "--disable-swap": "SetForwardingPipelineConfig always swaps the pipeline",
    "--enable-swap": "SetForwardingPipelineConfig always swaps the pipeline",
    "--egress-spec-init-to-drop": "egress_spec begins as 0, so programs must drop what they do not forward",
    "--load-modules": "externs beyond those of v1model are not supported",
    "--max-port-count": "ports 0 to 510 are always there",
}
"""Options of simple_switch_grpc that this switch does not have, and why."""

MAX_QUEUES = 8
"""standard_metadata.priority has 3 bits."""

LOG_MESSAGES = 1024
"""Messages of the program's log_msg that are kept until they are logged."""

_LOG = logging.getLogger("mecn_switch.cli")

_T = TypeVar("_T")


class _Refused(argparse.Action):
    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: object,
        option_string: str | None = None,
    ) -> NoReturn:
        del namespace, values
        parser.error(f"{option_string} is not supported: {REFUSED[option_string or '']}")


class _Version(argparse.Action):
    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: object,
        option_string: str | None = None,
    ) -> NoReturn:
        del namespace, values, option_string
        print(f"mecn-switch {metadata.version('mecn')}")
        parser.exit()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="mecn-switch",
        description="The embedded v1model switch behind P4Runtime.",
        allow_abbrev=False,
    )
    parser.add_argument(
        "program", nargs="?", type=Path, metavar="PIPELINE.json", help="BMv2 JSON to start with"
    )
    parser.add_argument("--p4info", type=Path, metavar="FILE", help="P4Info of PIPELINE.json, protobuf text")
    parser.add_argument("--no-p4", action="store_true", help="start without a pipeline; a controller sets it")
    parser.add_argument(
        "--grpc-server-addr",
        default="127.0.0.1:9559",
        metavar="HOST:PORT",
        help="default: %(default)s; addresses beyond loopback need TLS with client authentication",
    )
    parser.add_argument("--grpc-server-ssl", action="store_true", help="encrypt connections (TLS)")
    parser.add_argument(
        "--grpc-server-cert", type=Path, metavar="FILE", help="certificate of the server, PEM"
    )
    parser.add_argument("--grpc-server-key", type=Path, metavar="FILE", help="key of the server, PEM")
    parser.add_argument(
        "--grpc-server-cacert", type=Path, metavar="FILE", help="who signs clients' certificates, PEM"
    )
    parser.add_argument(
        "--grpc-server-with-client-auth",
        action="store_true",
        help="take only clients with a certificate signed by --grpc-server-cacert (mutual TLS)",
    )
    parser.add_argument(
        "--cpu-port", type=_port, metavar="PORT", help="port of packet-ins and packet-outs; default: none"
    )
    parser.add_argument("--device-id", type=int, default=1, metavar="N", help="default: %(default)s; not 0")
    _add_ports(parser)
    _add_logs(parser)
    parser.add_argument(*REFUSED, action=_Refused, nargs="?", help=argparse.SUPPRESS)
    parser.add_argument("-v", "--version", action=_Version, nargs=0, help="show the version and exit")
    return parser


def _add_ports(parser: argparse.ArgumentParser) -> None:
    ports = parser.add_argument_group("ports")
    ports.add_argument(
        "-i",
        "--interface",
        type=_checked(parse_interface),
        action="append",
        default=[],
        metavar="PORT@INTERFACE",
        help="attach a network interface; repeatable; needs root or CAP_NET_RAW",
    )
    ports.add_argument(
        "--use-files",
        type=_seconds,
        metavar="SECONDS",
        help="after SECONDS read packets from INTERFACE_in.pcap (or .pcapng), in virtual time, write them to "
        "INTERFACE_out.pcap, and exit",
    )
    ports.add_argument(
        "--pcap",
        type=Path,
        nargs="?",
        const=Path(),
        metavar="DIR",
        help="record what passes interfaces in DIR/INTERFACE_in.pcap and _out.pcap; default DIR: this folder",
    )
    for option, metavar, text in (
        ("--port-rate", "PORT=RATE", "rate of a port, such as 2=1.5mbit (by length) or 2=1000pps"),
        ("--port-limit", "PORT=LIMIT", "queue limit, such as 2=100 (packets), 2=15000b; default: 64 packets"),
        ("--port-delay", "PORT=DELAY", "propagation delay of the link behind a port, such as 2=40ms"),
        (
            "--port-overhead",
            "PORT=BYTES",
            "added to a frame's length for rates and byte limits, such as 2=-14",
        ),
        (
            "--port-in-rate",
            "PORT=RATE",
            "rate of the link towards a port, such as 1=10mbit: frames that come in faster wait",
        ),
        ("--port-in-delay", "PORT=DELAY", "propagation delay of the link towards a port, such as 1=2ms"),
    ):
        ports.add_argument(
            option, type=_checked(parse_assignment), action="append", default=[], metavar=metavar, help=text
        )
    ports.add_argument(
        "--priority-queues",
        type=_queues,
        default=1,
        metavar="N",
        help="queues of each port, the highest standard_metadata.priority first; default: %(default)s",
    )
    ports.add_argument(
        "--drop-port", type=_drop_port, default=511, metavar="PORT", help="default: %(default)s"
    )
    ports.add_argument("--seed", type=int, default=0, metavar="N", help="of the program's random numbers")
    ports.add_argument(
        "--busy-poll", action="store_true", help="never sleep: least lateness, at the price of a processor"
    )
    ports.add_argument(
        "--ctl-socket",
        type=Path,
        metavar="PATH",
        help="where mecn-switch ctl finds the switch; default: one of the user and the device id",
    )


def _add_logs(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("logs")
    group.add_argument(
        "-L",
        "--log-level",
        choices=tuple(logs.LEVELS),
        default="info",
        help="default: %(default)s; trace shows what becomes of each packet",
    )
    group.add_argument("--log-console", action="store_true", help="log to stderr (the default)")
    group.add_argument("--log-file", type=Path, metavar="FILE", help="log to FILE")
    group.add_argument("--log-flush", action="store_true", help="has no effect: each line is flushed")
    group.add_argument("--log-format", choices=("text", "json"), default="text", help="json: JSON lines")


def _checked(parse: Callable[[str], _T]) -> Callable[[str], _T]:
    """`parse` for argparse, which shows the text of its own errors only."""

    def checked(text: str) -> _T:
        try:
            return parse(text)
        except ValueError as error:
            raise argparse.ArgumentTypeError(str(error)) from error

    return checked


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1
    if not 0 <= seconds < 1e6:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds")
    return seconds


def _drop_port(text: str) -> int:
    if not text.isdigit() or int(text) > 511:
        raise argparse.ArgumentTypeError(f"{text!r} is not in 0..511")
    return int(text)


def _queues(text: str) -> int:
    if re.fullmatch(r"[0-9]{1,3}", text) is None or not 1 <= int(text) <= MAX_QUEUES:
        raise argparse.ArgumentTypeError(f"{text!r} is not in 1..{MAX_QUEUES}")
    return int(text)


def _port(text: str) -> int:
    if re.fullmatch(r"[0-9]{1,3}", text) is None or not 0 < int(text) < 511:
        raise argparse.ArgumentTypeError(f"{text!r} is not in 1..510")
    return int(text)


def _tls(parser: argparse.ArgumentParser, options: argparse.Namespace) -> Tls | None:
    """What the options say about TLS; raises OSError if a file cannot be read."""
    certificate, key = options.grpc_server_cert, options.grpc_server_key
    authority, client_auth = options.grpc_server_cacert, options.grpc_server_with_client_auth
    if not options.grpc_server_ssl:
        if certificate or key or authority or client_auth:
            parser.error("certificates, keys and client authentication go with --grpc-server-ssl")
        return None
    if not certificate or not key:
        parser.error("--grpc-server-ssl needs --grpc-server-cert and --grpc-server-key")
    if client_auth and not authority:
        parser.error("--grpc-server-with-client-auth needs --grpc-server-cacert")
    return Tls.from_files(certificate, key, authority, client_auth=client_auth)


def _settings(parser: argparse.ArgumentParser, options: argparse.Namespace) -> dict[int, PortSettings]:
    """Queue and link of the ports that options name."""
    settings: dict[int, PortSettings] = {}
    for given, change in (
        (options.port_rate, PortSettings.with_rate),
        (options.port_limit, PortSettings.with_limit),
        (options.port_delay, PortSettings.with_delay),
        (options.port_overhead, PortSettings.with_overhead),
        (options.port_in_rate, PortSettings.with_in_rate),
        (options.port_in_delay, PortSettings.with_in_delay),
    ):
        for port, value in given:
            try:
                settings[port] = change(settings.get(port, PortSettings()), value)
            except ValueError as error:
                parser.error(str(error))
    return settings


def _given(value: object) -> bool:
    """Whether an option was given; 0 is a value."""
    return value is not None and value is not False and value != []


def _check(parser: argparse.ArgumentParser, options: argparse.Namespace) -> None:
    """Options that contradict each other."""
    if options.no_p4 and (options.program or options.p4info):
        parser.error("--no-p4 goes with neither PIPELINE.json nor --p4info")
    if not options.no_p4 and not (options.program and options.p4info):
        parser.error("give PIPELINE.json and --p4info FILE, or --no-p4")
    if options.log_console and options.log_file:
        parser.error("--log-console does not go with --log-file")
    if not options.interface:
        for name in (
            "use_files",
            "pcap",
            "busy_poll",
            "port_rate",
            "port_limit",
            "port_delay",
            "port_overhead",
            "port_in_rate",
            "port_in_delay",
        ):
            if _given(getattr(options, name)):
                parser.error(f"--{name.replace('_', '-')} needs -i PORT@INTERFACE")
    for values, what in (
        ([port for port, _ in options.interface], "port"),
        ([name for _, name in options.interface], "interface"),
    ):
        for value in values:
            if values.count(value) > 1:
                parser.error(f"{what} {value} is given twice")
    if options.cpu_port is not None and options.cpu_port in [port for port, _ in options.interface]:
        parser.error(f"port {options.cpu_port} is the CPU port and cannot have an interface")
    if options.use_files is not None:
        for name in ("pcap", "busy_poll", "cpu_port", "ctl_socket", "port_in_rate", "port_in_delay"):
            if _given(getattr(options, name)):
                parser.error(f"--{name.replace('_', '-')} does not go with --use-files")


def main(argv: Sequence[str] | None = None) -> int:
    """Serves until SIGINT or SIGTERM."""
    arguments = sys.argv[1:] if argv is None else list(argv)
    if arguments[:1] == ["ctl"]:
        return ctl.main(arguments[1:])
    if arguments[:1] == ["stf"]:
        return stf(arguments[1:])
    if arguments[:1] == ["wires"]:
        return wires(arguments[1:])
    # simple_switch_grpc wants its target's options after `--`; here they may stand anywhere.
    parser = _parser()
    options = parser.parse_args([argument for argument in arguments if argument != "--"])
    _check(parser, options)
    settings = _settings(parser, options)
    with ExitStack() as stack:
        try:
            handler = logs.configure(
                options.log_level, options.log_file, json_lines=options.log_format == "json"
            )
            stack.callback(logs.release, handler)
            return _Process(parser, options, settings, stack).run()
        except (AddressError, _LoadingError, mecn_native.InterfaceError, ctl.ControlSocketError) as error:
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
        tls = _tls(parser, options)
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
            log_capacity=LOG_MESSAGES if self._interfaces else 0,
            # On interfaces no packet waits until the program is compiled.
            execution="compiled" if self._interfaces else "auto",
        )
        try:
            self._server = P4RuntimeServer(
                factory,
                address=options.grpc_server_addr,
                device_id=options.device_id,
                tls=tls,
                dataplane=dataplane,
            )
        except ValueError as error:
            parser.error(str(error))

    def run(self) -> int:
        """Serves until a signal, or the end of the files; returns the exit status."""
        options, server = self._options, self._server
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda _number, _frame: self._requests.put("stop"))
        signal.signal(signal.SIGUSR1, lambda _number, _frame: self._requests.put("statistics"))
        if options.program:
            _load(server, options.program, options.p4info)
        if self._interfaces is not None:
            path = options.ctl_socket or ctl.default_path(server.device_id)
            control = ctl.ControlServer(path, self._operations(self._interfaces))
            self._stack.callback(control.close)
        server.start()
        self._stack.callback(server.stop)
        print(f"mecn-switch: device {server.device_id}, P4Runtime on {server.address}", flush=True)
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


def _load(server: P4RuntimeServer, program: Path, p4info: Path) -> None:
    try:
        server.load(p4info.read_text(encoding="utf-8"), program.read_bytes())
    except OSError as error:
        raise _LoadingError(f"{error.filename}: {error.strerror}") from error
    except (text_format.ParseError, UnicodeDecodeError) as error:
        raise _LoadingError(f"{p4info}: not a P4Info in protobuf text: {error}") from error
    except StatusError as error:
        raise _LoadingError(f"{program}: {error.message}") from error


if __name__ == "__main__":
    sys.exit(main())
