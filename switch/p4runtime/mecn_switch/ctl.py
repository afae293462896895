# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""The side interface: what P4Runtime has no messages for, queue settings above all.

A Unix socket of the user who runs the switch (mode 0600). Requests and answers are lines of JSON:

    {"op": "ports"}                                     {"ok": true, "ports": [{"port": 2, "rate": ...}]}
    {"op": "set", "port": 2, "rate": "1.5mbit"}         {"ok": true, "port": {...}}
    {"op": "stats"}                                     {"ok": true, "ports": [...], "unattached": 0}
    {"op": "trace", "on": true}                         {"ok": true}
    {"op": "register", "name": "R", "index": 8}         {"ok": true, "value": 42}
    {"op": "set", "port": 2, "rate": "fast"}            {"ok": false, "error": "rate 'fast' is not ..."}

`set` takes rate, limit, delay, overhead, in_rate and in_delay, written as on the command line; what is not
named stays.
"""

import argparse
import json
import os
import socket
import socketserver
import stat
import sys
import tempfile
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import cast

from .port_states import MAX_PORT
from .ports import PortSettings, parse_port

Answer = dict[str, object]
_MAX_LINE = 65_536


class ControlSocketError(OSError):
    """The socket cannot be used; one sentence that names it."""


def default_path(device_id: int) -> Path:
    """Where the switch of this user with this device id listens."""
    folder = os.environ.get("XDG_RUNTIME_DIR")
    if folder is None:
        folder = "/run" if os.geteuid() == 0 else f"{tempfile.gettempdir()}/mecn-switch-{os.geteuid()}"
    return Path(folder) / f"mecn-switch-{device_id}.sock"


class Operations:
    """What requests can do; the command fills it in."""

    def __init__(
        self,
        settings: Callable[[], dict[int, PortSettings]],
        configure: Callable[[int, PortSettings], None],
        stats: Callable[[], Answer],
        trace: Callable[[bool], None],
        register: Callable[[str, int], int],
    ) -> None:
        self._settings = settings
        self._configure = configure
        self._stats = stats
        self._trace = trace
        self._register = register

    def answer(self, line: bytes) -> Answer:
        """The answer to a request; errors are answers too."""
        try:
            request = json.loads(line)
            if not isinstance(request, dict):
                raise ValueError("a request is a JSON object")
            return {"ok": True, **self._do(request)}
        except (ValueError, RecursionError) as error:
            return {"ok": False, "error": str(error)}

    def _do(self, request: dict[str, object]) -> Answer:
        op = request.pop("op", None)
        match op:
            case "ports":
                _nothing_else(request)
                return {"ports": [_describe(port, of) for port, of in self._settings().items()]}
            case "stats":
                _nothing_else(request)
                return self._stats()
            case "trace":
                on = request.pop("on", None)
                _nothing_else(request)
                if not isinstance(on, bool):
                    raise ValueError("trace needs on: true or false")
                self._trace(on)
                return {}
            case "register":
                name, index = request.pop("name", None), request.pop("index", 0)
                _nothing_else(request)
                if not isinstance(name, str) or not isinstance(index, int) or index < 0:
                    raise ValueError("register needs a name, and an index from 0")
                return {"value": self._register(name, index)}
            case "set":
                return {"port": self._set(request)}
            case _:
                raise ValueError(f"unknown op {op!r}; there are ports, set, stats, register and trace")

    def _set(self, request: dict[str, object]) -> Answer:
        port = request.pop("port", None)
        if not isinstance(port, int) or isinstance(port, bool) or not 0 <= port <= MAX_PORT:
            raise ValueError(f"port {port!r} is not in 0..{MAX_PORT}")
        settings = self._settings().get(port, PortSettings())
        for name, change in (
            ("rate", PortSettings.with_rate),
            ("limit", PortSettings.with_limit),
            ("delay", PortSettings.with_delay),
            ("overhead", PortSettings.with_overhead),
            ("in_rate", PortSettings.with_in_rate),
            ("in_delay", PortSettings.with_in_delay),
        ):
            if name in request:
                settings = change(settings, str(request.pop(name)))
        _nothing_else(request)
        self._configure(port, settings)
        return _describe(port, settings)


def _describe(port: int, settings: PortSettings) -> Answer:
    return {
        "port": port,
        "rate": settings.rate,
        "limit": settings.limit,
        "delay": settings.delay,
        "overhead": settings.overhead_bytes,
        "in_rate": settings.in_rate,
        "in_delay": settings.in_delay,
    }


def _nothing_else(request: dict[str, object]) -> None:
    if request:
        raise ValueError(f"unknown member {next(iter(request))!r}")


class _Handler(socketserver.StreamRequestHandler):
    def handle(self) -> None:
        operations = cast("_Server", self.server).operations
        with suppress(OSError):
            while line := self.rfile.readline(_MAX_LINE):
                answer = operations.answer(line) if line.endswith(b"\n") else None
                if answer is None:
                    answer = {"ok": False, "error": "a request is one line of at most 65536 bytes"}
                self.wfile.write(json.dumps(answer).encode() + b"\n")
                if not line.endswith(b"\n"):
                    return


class _Server(socketserver.ThreadingUnixStreamServer):
    daemon_threads = True
    block_on_close = False

    def __init__(self, path: Path, operations: Operations) -> None:
        self.operations = operations
        super().__init__(str(path), _Handler)


class ControlServer:
    """Listens on a Unix socket until it is closed."""

    def __init__(self, path: Path, operations: Operations) -> None:
        """Raises `ControlSocketError` if the path is taken or cannot be made."""
        self.path = path
        if path.parent.name == f"mecn-switch-{os.geteuid()}":
            path.parent.mkdir(mode=0o700, exist_ok=True)
            state = path.parent.lstat()
            if not stat.S_ISDIR(state.st_mode) or state.st_uid != os.geteuid() or state.st_mode & 0o077:
                raise ControlSocketError(f"{path.parent} is not a folder of this user alone")
        _remove_dead(path)
        umask = os.umask(0o177)
        try:
            self._server = _Server(path, operations)
        except OSError as error:
            raise ControlSocketError(f"cannot listen on {path}: {error.strerror}") from error
        finally:
            os.umask(umask)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.1,), daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stops listening and removes the socket."""
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()
        self.path.unlink(missing_ok=True)


def _remove_dead(path: Path) -> None:
    """Removes a socket that a process has left behind; raises if one still listens."""
    try:
        if not stat.S_ISSOCK(path.lstat().st_mode):
            raise ControlSocketError(f"{path} exists and is not a socket")
    except FileNotFoundError:
        return
    with socket.socket(socket.AF_UNIX) as probe:
        try:
            probe.connect(str(path))
        except OSError:
            path.unlink(missing_ok=True)
            return
    raise ControlSocketError(f"another switch listens on {path}; choose --ctl-socket or --device-id")


def request(path: Path, message: Answer) -> Answer:
    """Sends a request and waits for the answer. Raises `ControlSocketError`."""
    try:
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(10)
            connection.connect(str(path))
            connection.sendall(json.dumps(message).encode() + b"\n")
            with connection.makefile("rb") as answers:
                answer: Answer = json.loads(answers.readline())
                return answer
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else "no answer"
        raise ControlSocketError(f"no switch answers on {path}: {reason}") from error


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="mecn-switch ctl", description="Looks at and changes a running switch.", allow_abbrev=False
    )
    parser.add_argument("--device-id", type=int, default=0, metavar="N", help="default: %(default)s")
    parser.add_argument("--ctl-socket", type=Path, metavar="PATH", help="instead of the one of the device id")
    operations = parser.add_subparsers(dest="op", required=True, metavar="OPERATION")
    operations.add_parser("ports", help="show rate, limit and delay of each port")
    operations.add_parser("stats", help="show counts of each port")
    register = operations.add_parser("register", help="show a value of the program's registers")
    register.add_argument("name", metavar="NAME", help="as in the P4Info")
    register.add_argument("index", type=int, nargs="?", default=0, metavar="INDEX", help="default: 0")
    change = operations.add_parser("set", help="change queue and link of a port", allow_abbrev=False)
    change.add_argument("port", metavar="PORT")
    change.add_argument("--rate", metavar="RATE", help="such as 1.5mbit, 1000pps, unlimited")
    change.add_argument("--limit", metavar="LIMIT", help="such as 100 (packets), 15000b (bytes), unlimited")
    change.add_argument("--delay", metavar="DELAY", help="such as 40ms")
    change.add_argument("--overhead", metavar="BYTES", help="such as --overhead=-14")
    change.add_argument("--in-rate", metavar="RATE", help="of the link towards the port, such as 10mbit")
    change.add_argument("--in-delay", metavar="DELAY", help="of the link towards the port, such as 2ms")
    trace = operations.add_parser("trace", help="log what becomes of each packet")
    trace.add_argument("on", choices=("on", "off"))
    return parser


def main(arguments: Sequence[str]) -> int:
    """`mecn-switch ctl`: prints the answer, one JSON object for each port."""
    parser = _parser()
    options = parser.parse_args(arguments)
    message: Answer = {"op": options.op}
    if options.op == "set":
        try:
            message["port"] = parse_port(options.port)
        except ValueError as error:
            parser.error(str(error))
        for name in ("rate", "limit", "delay", "overhead", "in_rate", "in_delay"):
            if getattr(options, name) is not None:
                message[name] = getattr(options, name)
    elif options.op == "register":
        message |= {"name": options.name, "index": options.index}
    elif options.op == "trace":
        message["on"] = options.on == "on"
    path = options.ctl_socket or default_path(options.device_id)
    try:
        answer = request(path, message)
    except ControlSocketError as error:
        print(f"mecn-switch: {error}", file=sys.stderr)
        return 1
    if not answer.pop("ok", False):
        print(f"mecn-switch: {answer.get('error')}", file=sys.stderr)
        return 1
    ports = answer.pop("ports", [answer.pop("port")] if "port" in answer else [])
    for port in cast("list[Answer]", ports):
        print(json.dumps(port))
    if "value" in answer or any(answer.values()):
        print(json.dumps(answer))
    return 0
