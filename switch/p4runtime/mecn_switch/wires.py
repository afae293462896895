# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""`mecn-switch wires`: rate and propagation delay of links, between network interfaces and without a switch.

For switches whose ports make neither (BMv2), on kernels without netem: the links' process is a node between
the virtual interfaces of two others. A wire is one direction of a link:

    mecn-switch wires --wire h1 s1p1 rate=10mbit delay=2ms --wire s1p1 h1 rate=10mbit delay=2ms limit=100

takes what comes in at h1, and sends it out of s1p1 as late as a link of this rate and delay would; and back.
"""

import argparse
import logging
import signal
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from queue import SimpleQueue

from . import ctl, logs, statistics
from .ending import end_in_time
from .interfaces import InterfaceDataplane
from .ports import PortSettings


@dataclass(frozen=True)
class Wire:
    """One direction of a link, between two interfaces of this machine."""

    source: str
    """The interface where frames come in."""
    sink: str
    """The interface where they go out."""
    settings: PortSettings
    """`in_rate_bps`, `in_delay_ns` and `in_limit_packets` of the port at `source`."""


def parse_wire(words: Sequence[str]) -> Wire:
    """FROM TO [rate=RATE] [delay=DELAY] [limit=PACKETS]. Raises ValueError."""
    if len(words) < 2:
        raise ValueError("a wire is FROM TO [rate=RATE] [delay=DELAY] [limit=PACKETS]")
    settings = PortSettings(limit_packets=None)
    for word in words[2:]:
        name, _, value = word.partition("=")
        match name:
            case "rate":
                settings = settings.with_in_rate(value)
            case "delay":
                settings = settings.with_in_delay(value)
            case "limit" if value.isdecimal() and 0 < int(value) < 1 << 32:
                settings = replace(settings, in_limit_packets=int(value))
            case _:
                raise ValueError(f"{word!r} is none of rate=10mbit, delay=2ms, limit=100")
    return Wire(words[0], words[1], settings)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="mecn-switch wires",
        description="Carries frames between interfaces, as late as links of some rate and delay would.",
        allow_abbrev=False,
    )
    parser.add_argument(
        "--wire",
        action="append",
        nargs="+",
        required=True,
        metavar="FROM TO [rate=RATE] [delay=DELAY] [limit=PACKETS]",
        help="one direction of a link; repeatable. limit: what its queue holds, without a rate there is none",
    )
    parser.add_argument(
        "--overhead", type=int, default=0, metavar="BYTES", help="added to a frame's length for rates"
    )
    parser.add_argument(
        "--ctl-socket", type=Path, metavar="PATH", help="where mecn-switch ctl finds it; default: nowhere"
    )
    return parser


def _numbered(wires: Sequence[Wire], overhead: int) -> tuple[dict[str, int], dict[int, PortSettings]]:
    """A port for each interface, from 1, and the settings of those where wires begin."""
    names = dict.fromkeys(name for wire in wires for name in (wire.source, wire.sink))
    ports = {name: port for port, name in enumerate(names, start=1)}
    idle = PortSettings(limit_packets=None)
    settings = dict.fromkeys(ports.values(), idle)
    for wire in wires:
        settings[ports[wire.source]] = replace(wire.settings, overhead_bytes=overhead)
    return ports, settings


def main(arguments: Sequence[str]) -> int:
    """Runs until SIGINT or SIGTERM; SIGUSR1 prints counts. The exit status is as that of mecn-switch."""
    parser = _parser()
    options = parser.parse_args(arguments)
    try:
        wires = [parse_wire(words) for words in options.wire]
    except ValueError as error:
        parser.error(str(error))
    requests: SimpleQueue[str] = SimpleQueue()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda _number, _frame: requests.put("stop"))
    signal.signal(signal.SIGUSR1, lambda _number, _frame: requests.put("statistics"))
    ports, settings = _numbered(wires, options.overhead)
    with ExitStack() as stack:
        handler = logs.configure("warn", None, json_lines=False)
        stack.callback(logs.release, handler)
        try:
            dataplane = stack.enter_context(
                InterfaceDataplane(
                    [(port, name) for name, port in ports.items()],
                    settings,
                    wires=[(ports[wire.source], ports[wire.sink]) for wire in wires],
                    drop_privileges=True,
                    on_failure=lambda: requests.put("failed"),
                )
            )
            end_in_time()
            if options.ctl_socket is not None:
                control = ctl.ControlServer(options.ctl_socket, _operations(dataplane))
                stack.callback(control.close)
        except ValueError as error:
            parser.error(str(error))
        except OSError as error:
            print(f"mecn-switch: {error}", file=sys.stderr)
            return 1
        print(f"mecn-switch: {len(wires)} wires", flush=True)
        while (asked := requests.get()) == "statistics":
            print(statistics.render(_rows(dataplane), dataplane.unattached), flush=True)
        return 0 if asked == "stop" else 1


def _rows(dataplane: InterfaceDataplane) -> list[statistics.Row]:
    return statistics.collect(dataplane.totals(), None, dataplane.settings)


def _operations(dataplane: InterfaceDataplane) -> ctl.Operations:
    def no_program(_name: str, _index: int) -> int:
        raise ValueError("there is no program between wires")

    return ctl.Operations(
        lambda: dataplane.settings,
        dataplane.configure,
        lambda: {"ports": _rows(dataplane), "unattached": dataplane.unattached},
        lambda _on: logging.getLogger("mecn_switch").warning("wires have no trace"),
        no_program,
    )
