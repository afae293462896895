# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""The command `mecn-switch`: the embedded switch behind P4Runtime, with the flags of `simple_switch_grpc`.

It serves the control plane; `mecn-switch stf` runs a packet test instead. Interfaces and pcap files are not
there yet; their options are refused by name.
Exit status: 0 after SIGINT or SIGTERM, 1 if the switch cannot start, 2 for a wrong command line.
"""

import argparse
import signal
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from google.protobuf import text_format

from .dataplane import LocalDataplane
from .server import AddressError, P4RuntimeServer
from .status import StatusError
from .stf.cli import main as stf
from .transport import Tls

NOT_YET = (
    "--interface",
    "--pcap",
    "--use-files",
    "--thrift-port",
    "--nanolog",
    "--log-console",
    "--log-file",
    "--log-level",
    "--log-flush",
    "--notifications-addr",
    "--debugger",
    "--debugger-addr",
    "--packet-in",
    "--restore-state",
    "--dump-packet-data",
    "--drop-port",
    "--disable-swap",
    "--enable-swap",
    "--priority-queues",
)
"""Options of simple_switch_grpc that this switch does not have."""


class _NotYet(argparse.Action):
    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: object,
        option_string: str | None = None,
    ) -> NoReturn:
        del namespace, values
        parser.error(f"{option_string} is not supported yet")


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
    parser.add_argument("-i", *NOT_YET, action=_NotYet, nargs="?", help=argparse.SUPPRESS)
    return parser


def _port(text: str) -> int:
    port = int(text)
    if not 0 < port < 511:
        raise argparse.ArgumentTypeError(f"{port} is not in 1..510")
    return port


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


def main(argv: Sequence[str] | None = None) -> int:
    """Serves until SIGINT or SIGTERM."""
    arguments = sys.argv[1:] if argv is None else list(argv)
    if arguments[:1] == ["stf"]:
        return stf(arguments[1:])
    # simple_switch_grpc wants its target's options after `--`; here they may stand anywhere.
    parser = _parser()
    options = parser.parse_args([argument for argument in arguments if argument != "--"])
    if options.no_p4 and (options.program or options.p4info):
        parser.error("--no-p4 goes with neither PIPELINE.json nor --p4info")
    if not options.no_p4 and not (options.program and options.p4info):
        parser.error("give PIPELINE.json and --p4info FILE, or --no-p4")
    try:
        server = P4RuntimeServer(
            address=options.grpc_server_addr,
            device_id=options.device_id,
            tls=_tls(parser, options),
            dataplane=LocalDataplane(cpu_port=options.cpu_port),
        )
    except ValueError as error:
        parser.error(str(error))
    except OSError as error:
        print(f"mecn-switch: {error.filename}: {error.strerror}", file=sys.stderr)
        return 1
    stop = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda _number, _frame: stop.set())
    try:
        if options.program:
            _load(server, options.program, options.p4info)
        server.start()
    except (AddressError, _LoadingError) as error:
        print(f"mecn-switch: {error}", file=sys.stderr)
        return 1
    print(f"mecn-switch: device {server.device_id}, P4Runtime on {server.address}", flush=True)
    stop.wait()
    server.stop()
    return 0


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
