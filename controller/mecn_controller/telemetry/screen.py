# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""A snapshot as a picture for the terminal."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from rich.bar import Bar
from rich.box import ROUNDED
from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from mecn_controller.telemetry.parts import LEVELS, amount, gauge, level_table, scale_of, sparkline

if TYPE_CHECKING:
    from mecn_controller.telemetry.sample import PortView, Snapshot

PANEL_LINES = 16


def _bits(rate: float) -> str:
    for unit, size in (("Gbit/s", 1e9), ("Mbit/s", 1e6), ("kbit/s", 1e3)):
        if rate >= size:
            return f"{rate / size:.3g} {unit}"
    return f"{rate:.0f} bit/s"


def _flows(port: PortView) -> RenderableType:
    classes = next((policy.classes for policy in port.policies if policy.classes), ())
    if not classes:
        return Text("connections are not timed: the profile has no rtt_class_max_p", style="bright_black")
    if not port.flows:
        return Text("-", style="bright_black")
    text = Text()
    for number, flows in enumerate(port.flows[: len(classes) + 1]):
        name = "other" if number == 0 else classes[number - 1].removeprefix(f"class {number}: ")
        name = name.removeprefix("round-trip times ")
        count = "too many" if flows is None else f"{flows:.0f}"
        text.append(count, style="bold").append(f" {name}   ", style="bright_black")
    return text


def _why_no_depth(snapshot: Snapshot, port: PortView) -> str:
    if not snapshot.with_reports:
        return "no depths: reports go to the primary controller (--from URL or --election-id)"
    if all(policy.report_period_ms is None for policy in port.policies):
        return "no depths: the profile has no report_period_ms"
    if port.report_age_s is None:
        return "no report yet: a port reports when packets arrive"
    return f"no report for {port.report_age_s:.0f} s: no packets arrive"


def port_panel(snapshot: Snapshot, port: PortView) -> Panel:
    """One port."""
    scale = scale_of(port)
    bar, ticks, labels = gauge(port, scale)
    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="bold", width=8)
    grid.add_column()
    if port.average is None:
        depth = Text(_why_no_depth(snapshot, port), style="bright_black")
    else:
        depth = Text.assemble(
            (f"{port.average:.1f}", "bold cyan"),
            " packets on average, ",
            (f"{port.min_depth} to {port.max_depth}", "blue"),
            " met by arrivals",
        )
    grid.add_row("queue", depth)
    if port.stands_above:
        why = "the average stands above max_th over a short queue: is mean_service_time_us right?"
        grid.add_row("", Text(why, style="yellow"))
    grid.add_row("", bar)
    grid.add_row("", ticks)
    grid.add_row("", labels)
    if any(value is not None for value in port.trend):
        grid.add_row("trend", sparkline(port.trend, scale))
    grid.add_row("", "")
    grid.add_row("marks", level_table(port))
    grid.add_row("", "")
    grid.add_row("flows", _flows(port))
    if port.gaps:
        grid.add_row("reports", Text(f"{port.gaps} gaps: reports were lost", style="red"))
    schemes = ", ".join(f"DSCP {policy.traffic}: {policy.scheme}" for policy in port.policies)
    speed = _bits(port.rates["bits_per_s"]) if "bits_per_s" in port.rates else ""
    return Panel(
        grid,
        title=f"[bold]port {port.port}[/]  {schemes}",
        title_align="left",
        subtitle=speed,
        subtitle_align="right",
        box=ROUNDED,
        border_style="bright_black",
        padding=(0, 1),
    )


def _short(value: float | None) -> str:
    return "-" if value is None else amount(value)


def overview(snapshot: Snapshot) -> Table:
    """A line for each port."""
    table = Table(box=None, header_style="bright_black", pad_edge=False)
    table.add_column("port")
    table.add_column("scheme")
    for heading in ("average", "deepest", "all from"):
        table.add_column(heading, justify="right")
    table.add_column("")
    for _, words, colour in LEVELS:
        table.add_column(f"{words}/s", justify="right", style=colour)
    table.add_column("rate", justify="right")
    for port in snapshot.ports:
        severe = next(
            (policy.severe_from for policy in port.policies if policy.severe_from is not None), None
        )
        share = min(1.0, (port.average or 0) / severe) if severe else 0.0
        table.add_row(
            str(port.port),
            ", ".join(sorted({policy.scheme for policy in port.policies})),
            _short(port.average),
            _short(port.max_depth),
            _short(severe),
            Bar(1.0, 0.0, share, width=16, color="cyan"),
            *(_short(port.rates.get(level)) for level, _, _ in LEVELS),
            _bits(port.rates["bits_per_s"]) if "bits_per_s" in port.rates else "-",
        )
    return table


def render(snapshot: Snapshot, height: int | None = None) -> RenderableType:
    """All of it; where that is more than `height` lines, a line for each port."""
    lost = snapshot.status in ("lost", "refused")
    head = Text.assemble(
        ("mecn ", "bold"),
        f"{snapshot.address}, device {snapshot.device_id}   ",
        (snapshot.status, "red" if lost else "green"),
        f"   {snapshot.detail}" if snapshot.detail else "",
        (time.strftime("   %H:%M:%S", time.localtime(snapshot.time)), "bright_black"),
    )
    if not snapshot.ports:
        return Group(head, Text("no port is under active queue management", style="bright_black"))
    if height is not None and 1 + PANEL_LINES * len(snapshot.ports) > height and len(snapshot.ports) > 1:
        return Group(head, overview(snapshot), Text("--port N shows one of them", style="bright_black"))
    return Group(head, *(port_panel(snapshot, port) for port in snapshot.ports))
