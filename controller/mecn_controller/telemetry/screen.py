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

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mecn_controller.telemetry.sample import PolicyView, PortView, Snapshot

LEVELS = (
    ("passed", "passed", "green"),
    ("incipient", "incipient", "yellow"),
    ("ce", "CE", "dark_orange"),
    ("early_drop", "early drop", "red"),
)
THRESHOLDS = (
    ("incipient_from", "incipient from", "yellow"),
    ("moderate_from", "CE from", "dark_orange"),
    ("severe_from", "all from", "red"),
)
DROPPING = ("red", "red-gentle")
EIGHTHS = " ▁▂▃▄▅▆▇█"
GAUGE_WIDTH = 56
PANEL_LINES = 16
HEADROOM = 1.15
"""The gauge goes on so far beyond what it has to show."""


def thresholds(policy: PolicyView) -> list[tuple[float, str, str]]:
    """Depth, words and colour of each threshold, shallow ones first."""
    found = []
    for name, words, colour in THRESHOLDS:
        depth = getattr(policy, name)
        if depth is not None:
            text = words.replace("CE", "drops") if policy.scheme in DROPPING else words
            found.append((depth, text, colour))
    return sorted(found, key=lambda each: each[0])


def scale_of(port: PortView) -> float:
    """Depth at the right end of the gauge, packets."""
    depths = [depth for policy in port.policies for depth, _, _ in thresholds(policy)]
    seen = [port.max_depth or 0, port.average or 0, *(value or 0 for value in port.trend)]
    return max([*depths, *seen, 4.0]) * HEADROOM


def gauge(port: PortView, scale: float, width: int = GAUGE_WIDTH) -> list[Text]:
    """The queue as a bar: average (full), depths that arrivals met (shaded), thresholds (ticks)."""

    def column(depth: float) -> int:
        return min(width - 1, int(depth / scale * width))

    bar = Text("·" * width, style="bright_black")
    if port.max_depth is not None and port.min_depth is not None:
        begin, end = column(port.min_depth), column(port.max_depth)
        bar = Text("".join("▒" if begin <= n <= end and port.max_depth else "·" for n in range(width)))
        bar.stylize("bright_black")
        bar.stylize("blue", begin, end + 1)
    if port.average:
        filled = column(port.average)
        bar = Text.assemble(("█" * filled + "▌", "cyan"), bar[filled + 1 :])
    ticks = Text(" " * width)
    labels = Text(" " * width)
    free = 0
    for depth, words, colour in [each for policy in port.policies[:1] for each in thresholds(policy)]:
        at = column(depth)
        ticks = Text.assemble(ticks[:at], ("┃", colour), ticks[at + 1 :])
        label = f"{words.removesuffix(' from')} {depth:g}"
        start = max(free, min(at, width - len(label)))
        if start + len(label) <= width:
            labels = Text.assemble(labels[:start], (label, colour), labels[start + len(label) :])
            free = start + len(label) + 1
    return [bar, ticks, labels]


def sparkline(values: Sequence[float | None], scale: float, width: int = GAUGE_WIDTH) -> Text:
    """The last values, one column each; where there is none, a blank."""
    text = Text(style="cyan")
    for value in values[-width:]:
        step = 0 if value is None else min(8, max(1, round(value / scale * 8)))
        text.append(EIGHTHS[step])
    return text


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 or value == round(value) else f"{value:,.1f}"


def _bits(rate: float) -> str:
    for unit, size in (("Gbit/s", 1e9), ("Mbit/s", 1e6), ("kbit/s", 1e3)):
        if rate >= size:
            return f"{rate / size:.3g} {unit}"
    return f"{rate:.0f} bit/s"


def _marks(port: PortView) -> Table:
    table = Table.grid(padding=(0, 2))
    table.add_column(width=10)
    for heading in (11, 7):
        table.add_column(justify="right", width=heading)
    table.add_column(width=24)
    table.add_column(justify="right")
    table.add_row("", *(Text(word, style="bright_black") for word in ("packets/s", "share", "", "total")))
    whole = sum(port.rates.get(level, 0) for level, _, _ in LEVELS)
    for level, words, colour in LEVELS:
        rate = port.rates.get(level)
        share = rate / whole if rate is not None and whole else 0.0
        name = "dropped" if level == "early_drop" and _drops(port) else words
        table.add_row(
            Text(name, style=colour),
            "-" if rate is None else _number(rate),
            f"{100 * share:.1f} %" if whole else "-",
            Bar(1.0, 0.0, share, width=24, color=colour),
            _number(port.totals.get(level, 0)),
        )
    return table


def _drops(port: PortView) -> bool:
    return any(policy.scheme in DROPPING for policy in port.policies)


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
    grid.add_row("", bar)
    grid.add_row("", ticks)
    grid.add_row("", labels)
    if any(value is not None for value in port.trend):
        grid.add_row("trend", sparkline(port.trend, scale))
    grid.add_row("", "")
    grid.add_row("marks", _marks(port))
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
    return "-" if value is None else _number(value)


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
