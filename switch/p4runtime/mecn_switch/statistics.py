# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""What passed the ports: counts of interfaces and queues, as data and as text."""

from collections.abc import Callable, Mapping, Sequence

import mecn_native

from .ports import PortSettings

Row = dict[str, int | str]

_INTERFACE = (
    "rx_packets",
    "rx_bytes",
    "rx_kernel_drops",
    "rx_errors",
    "rx_malformed",
    "rx_no_pipeline",
    "rx_link_drops",
    "checksums_completed",
    "super_packets",
    "vlan_tags_restored",
    "tx_packets",
    "tx_bytes",
    "tx_errors",
    "tx_too_long",
    "tx_link_drops",
    "late_mean_ns",
    "late_p99_ns",
    "late_max_ns",
)
_QUEUE = ("enqueued", "tail_drops", "egress_drops", "depth_packets", "depth_bytes")
_ALWAYS = ("rx_packets", "rx_bytes", "tx_packets", "tx_bytes", "enqueued", "tail_drops", "egress_drops")
_IN_FILES = ("late_mean_ns", "late_p99_ns", "late_max_ns")


def collect(
    totals: Sequence[mecn_native.PortTotals],
    switch: mecn_native.Switch | None,
    settings: Mapping[int, PortSettings],
    is_up: Callable[[int], bool] = lambda _port: True,
) -> list[Row]:
    """One row for each port; queue counts are those of the running pipeline."""
    by_port = {total.port: total for total in totals}
    rows = []
    for port in sorted(set(by_port) | set(settings)):
        total, row = by_port.get(port), Row(port=port)
        if total is not None:
            row["interface"] = total.interface
            row["link"] = "up" if is_up(port) else "down"
            row |= {name: getattr(total, name) for name in _INTERFACE}
        if switch is not None:
            queue = switch.port_stats(port)
            row |= {name: getattr(queue, name) for name in _QUEUE}
        if port in settings:
            of = settings[port]
            row |= {
                "rate": of.rate,
                "limit": of.limit,
                "delay": of.delay,
                "overhead_bytes": of.overhead_bytes,
            }
            if of.in_rate_bps is not None or of.in_delay_ns:
                row |= {"in_rate": of.in_rate, "in_delay": of.in_delay}
        rows.append(row)
    return rows


def render(rows: Sequence[Row], unattached: int) -> str:
    """Lines for people: the usual counts, and others that are not 0."""
    lines = []
    for row in rows:
        name = f" ({row['interface']})" if "interface" in row else ""
        shown = [
            f"{key} {value}"
            for key, value in row.items()
            if key not in ("port", "interface") and (key in _ALWAYS or value not in (0, "0ns"))
        ]
        lines.append(f"port {row['port']}{name}: {', '.join(shown)}")
    if unattached:
        lines.append(f"sent out of ports without an interface: {unattached}")
    return "\n".join(lines)
