# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""The command line of `mecn-switch`: that of `simple_switch_grpc`, and this switch's own options."""

import argparse
import logging
import re
import signal
from collections.abc import Callable, Sequence
from importlib import metadata
from pathlib import Path
from typing import NoReturn, TypeVar

from . import budgets, logs
from .ports import PortSettings, parse_assignment, parse_interface
from .transport import Tls

IGNORED = {
    "--nanolog": "logs are lines; see --log-format json",
    "--notifications-addr": "digests and idle entries go to P4Runtime controllers",
    "--debugger-addr": "there is no debugger; see --log-level trace",
    "--dump-packet-data": "packets are recorded with --pcap",
    "--max-port-count": "ports 0 to 510 are always there",
    "--max-mc-groups": "memory is the only limit of multicast groups",
    "--max-l1-entries": "memory is the only limit of multicast groups",
    "--max-l2-entries": "memory is the only limit of multicast groups",
    "--log-file-max-size": "log files are not rotated",
    "--log-file-max-files": "log files are not rotated",
    "--thrift-port": "there is no Thrift server; docs/p4runtime-for-thrift-users.md says what to use instead",
}
"""Options of simple_switch_grpc with a value that this switch takes but that have no effect, and why."""

IGNORED_FLAGS = {
    "--debugger": "there is no debugger; see --log-level trace",
    "--disable-swap": "a controller can always set another pipeline",
    "--enable-swap": "a controller can always set another pipeline",
}
"""The same for options without a value."""

REFUSED = {
    "--packet-in": "packets come from interfaces or files; see -i and --use-files",
    "--dp-grpc-server-addr": "packets come from interfaces or files; see -i and --use-files",
    "--restore-state": "a controller writes the state",
    "--egress-spec-init-to-drop": "egress_spec begins as 0, so programs must drop what they do not forward",
    "--load-modules": "externs beyond those of v1model are not supported",
}
"""Options of simple_switch_grpc without which packets would go other ways, and why there are none."""

USAGE = """%(prog)s [OPTION...] PIPELINE.json [--p4info FILE] [--runtime-json FILE]
       %(prog)s [OPTION...] --no-p4
       %(prog)s ctl ports|set|stats|register|trace ...   look at and change a running switch
       %(prog)s stf PROGRAM.p4 TEST.stf                  run a packet test
       %(prog)s wires --wire FROM TO ...                 links between interfaces, without a switch
       (with --help each lists its options)"""

ADDRESS = "127.0.0.1:9559"
BFRT_ADDRESS = "127.0.0.1:50052"

MAX_QUEUES = 8
"""standard_metadata.priority has 3 bits."""

EVERYWHERE = {"0.0.0.0": "127.0.0.1", "[::]": "[::1]"}  # noqa: S104
"""Addresses of all of this machine's interfaces, and what stands for this machine alone."""

_LOG = logging.getLogger("mecn_switch.options")

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


class _Ignored(argparse.Action):
    """Remembers what has no effect, to be said once logging is set up."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: object,
        option_string: str | None = None,
    ) -> None:
        del parser, values
        setattr(namespace, self.dest, [*getattr(namespace, self.dest), option_string])


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="mecn-switch",
        usage=USAGE,
        description="The embedded v1model switch behind P4Runtime.",
        allow_abbrev=False,
    )
    parser.add_argument(
        "program", nargs="?", type=Path, metavar="PIPELINE.json", help="BMv2 JSON to start with"
    )
    parser.add_argument(
        "--bf-rt-schema",
        type=Path,
        metavar="FILE",
        help="bf-rt.json of PIPELINE.json, a program for Tofino: serve BF Runtime in place of P4Runtime, "
        f"on {BFRT_ADDRESS} if --grpc-server-addr is not given; the program's name is the file's",
    )
    parser.add_argument(
        "--p4info",
        type=Path,
        metavar="FILE",
        help="P4Info of PIPELINE.json, protobuf text; without it controllers can only set another pipeline",
    )
    parser.add_argument(
        "--runtime-json",
        type=Path,
        metavar="FILE",
        help="start with the entries of a runtime.json of p4lang/tutorials; without PIPELINE.json, with the "
        "program that it names",
    )
    parser.add_argument("--no-p4", action="store_true", help="start without a pipeline; a controller sets it")
    parser.add_argument(
        "--grpc-server-addr",
        default=ADDRESS,
        metavar="HOST:PORT",
        help="default: %(default)s; addresses beyond loopback need TLS with client authentication, or "
        "--allow-remote; unix:PATH is a socket that only the user who starts the switch reaches",
    )
    parser.add_argument(
        "--max-message",
        type=_mebibytes,
        default=budgets.MESSAGE_BYTES,
        metavar="MIB",
        help=f"the largest request, a pipeline config for instance; default: {budgets.MESSAGE_BYTES >> 20}",
    )
    parser.add_argument(
        "--allow-remote",
        action="store_true",
        help="let whoever reaches the address program the switch; without this, 0.0.0.0 means this machine",
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
        "--role-certificate",
        type=_checked(_role_and_name),
        action="append",
        default=[],
        metavar="ROLE=NAME",
        help="only clients whose certificate has this common or alternative name may use the role; "
        "repeatable; =NAME is the default role, and roles that are not named are refused",
    )
    parser.add_argument(
        "--cpu-port", type=_port, metavar="PORT", help="port of packet-ins and packet-outs; default: none"
    )
    parser.add_argument("--device-id", type=int, default=0, metavar="N", help="default: %(default)s")
    _add_ports(parser)
    _add_logs(parser)
    parser.add_argument(*REFUSED, action=_Refused, nargs="?", help=argparse.SUPPRESS)
    for names, nargs in ((IGNORED, None), (IGNORED_FLAGS, 0)):
        parser.add_argument(
            *names, dest="ignored", action=_Ignored, nargs=nargs, default=[], help=argparse.SUPPRESS
        )
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
        "--max-passes",
        type=_passes,
        default=budgets.PASSES,
        metavar="N",
        help="how often a packet may be resubmitted, recirculated or cloned before it is dropped; "
        "default: %(default)s",
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


def _role_and_name(text: str) -> tuple[str, str]:
    role, equals, name = text.rpartition("=")
    if not equals or not name:
        raise ValueError(f"{text!r} is not of the form ROLE=NAME")
    return role, name


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1
    if not 0 <= seconds < 1e6:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds")
    return seconds


def _mebibytes(text: str) -> int:
    if re.fullmatch(r"[0-9]{1,4}", text) is None or not 1 <= int(text) < 2048:
        raise argparse.ArgumentTypeError(f"{text!r} is not in 1..2047")
    return int(text) << 20


def _drop_port(text: str) -> int:
    if not text.isdigit() or int(text) > 511:
        raise argparse.ArgumentTypeError(f"{text!r} is not in 0..511")
    return int(text)


def _queues(text: str) -> int:
    if re.fullmatch(r"[0-9]{1,3}", text) is None or not 1 <= int(text) <= MAX_QUEUES:
        raise argparse.ArgumentTypeError(f"{text!r} is not in 1..{MAX_QUEUES}")
    return int(text)


def _passes(text: str) -> int:
    if re.fullmatch(r"[0-9]{1,5}", text) is None or not 1 <= int(text) <= budgets.MOST_PASSES:
        raise argparse.ArgumentTypeError(f"{text!r} is not in 1..{budgets.MOST_PASSES}")
    return int(text)


def _port(text: str) -> int:
    if re.fullmatch(r"[0-9]{1,3}", text) is None or not 0 < int(text) < 511:
        raise argparse.ArgumentTypeError(f"{text!r} is not in 1..510")
    return int(text)


def tls_of(parser: argparse.ArgumentParser, options: argparse.Namespace) -> Tls | None:
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


def port_settings(parser: argparse.ArgumentParser, options: argparse.Namespace) -> dict[int, PortSettings]:
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
    if options.bf_rt_schema and (options.p4info or options.runtime_json or not options.program):
        parser.error("--bf-rt-schema goes with PIPELINE.json, and with neither --p4info nor --runtime-json")
    if options.bf_rt_schema and options.grpc_server_addr == ADDRESS:
        options.grpc_server_addr = BFRT_ADDRESS
    if options.no_p4 and (options.program or options.p4info or options.runtime_json):
        parser.error("--no-p4 goes with neither PIPELINE.json nor --p4info nor --runtime-json")
    if not options.no_p4 and not options.program and not options.runtime_json:
        parser.error("give PIPELINE.json, or --no-p4")
    if options.role_certificate and not options.grpc_server_with_client_auth:
        parser.error("--role-certificate needs --grpc-server-with-client-auth")
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


def parse(arguments: Sequence[str]) -> tuple[argparse.ArgumentParser, argparse.Namespace]:
    """The options, checked, and the parser, which ends the process with status 2 on `error`."""
    parser = _parser()
    # Help and version end quietly when their reader has gone.
    before = signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    try:
        # simple_switch_grpc wants its target's options after `--`; here they may stand anywhere.
        options = parser.parse_args([argument for argument in arguments if argument != "--"])
    finally:
        signal.signal(signal.SIGPIPE, before)
    _check(parser, options)
    return parser, options


def warn_of_ignored(options: argparse.Namespace) -> None:
    """Logs a line for each option that has no effect."""
    for option in dict.fromkeys(options.ignored):
        _LOG.warning("%s has no effect: %s", option, (IGNORED | IGNORED_FLAGS)[option])


def address(options: argparse.Namespace) -> str:
    """Where to listen.

    What would be all interfaces of the machine is its loopback interface, with a warning, unless clients must
    show a certificate or the user allows others to come: starters that are made for simple_switch_grpc give
    0.0.0.0 although their controllers run beside it.
    """
    given: str = options.grpc_server_addr
    host, _, port = given.rpartition(":")
    if options.allow_remote or options.grpc_server_with_client_auth or host not in EVERYWHERE:
        return given
    narrowed = f"{EVERYWHERE[host]}:{port}"
    _LOG.warning("listening on %s, for this machine only; --allow-remote opens %s to all", narrowed, given)
    return narrowed
