# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""The data plane on capture files, in virtual time: `--use-files`."""

import logging
from collections.abc import Mapping, Sequence
from pathlib import Path

import mecn_native

from .dataplane import LocalDataplane
from .logs import TRACE
from .ports import PortSettings

_LOG = logging.getLogger(__name__)


class FilesDataplane(LocalDataplane):
    """Before the run, whose time begins at 0. A `Dataplane`."""

    def now_ns(self) -> int:
        """Virtual time has not begun; so meters are full at the first packet, and nothing grows old."""
        return 0


def find(interface: str) -> tuple[Path | None, Path]:
    """The input and output file of an interface: as simple_switch names them, or the same in pcapng.

    Without an input nothing arrives there.
    """
    for suffix in (".pcap", ".pcapng"):
        path = Path(f"{interface}_in{suffix}")
        if path.exists():
            return path, Path(f"{interface}_out{suffix}")
    return None, Path(f"{interface}_out.pcap")


def run(
    switch: mecn_native.Switch,
    interfaces: Sequence[tuple[int, str]],
    settings: Mapping[int, PortSettings],
    *,
    trace: bool,
) -> mecn_native.FileTotals:
    """Runs all packets of the input files. Raises `mecn_native.InterfaceError`."""
    for port, of in settings.items():
        switch.configure_port(
            port,
            rate_bps=of.rate_bps,
            rate_pps=of.rate_pps,
            limit_packets=of.limit_packets,
            limit_bytes=of.limit_bytes,
            overhead_bytes=of.overhead_bytes,
        )
    ports = []
    for port, interface in interfaces:
        source, sink = find(interface)
        if source is None:
            _LOG.warning("port %d: there is no %s_in.pcap or .pcapng, so nothing arrives", port, interface)
        ports.append((port, source, sink))
    if all(source is None for _, source, _ in ports):
        names = ", ".join(f"{interface}_in.pcap" for _, interface in interfaces)
        raise mecn_native.InterfaceError(f"none of the input files is there: {names}")
    delays = [(port, of.delay_ns) for port, of in settings.items()]
    totals = mecn_native.run_files(switch, ports, delays_ns=delays, trace=trace)
    for event in totals.trace:
        fields = {"packet": event.packet, "time_ns": event.time_ns}
        _LOG.log(TRACE, "%s", event.text, extra={"fields": fields})
    return totals
