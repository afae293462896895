# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""Parts of pictures for the terminal: a queue on the scale of its thresholds, a history, packets by level.

`mecn watch` and `mecn lab run` are made of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.bar import Bar
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mecn_controller.telemetry.sample import PolicyView, PortView

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
HEADROOM = 1.15
"""The gauge goes on so far beyond what it has to show."""


def thresholds(policy: PolicyView) -> list[tuple[float, str, str]]:
    """Depth, words and colour of each threshold, shallow ones first."""
    found = []
    for name, words, colour in THRESHOLDS:
        depth = getattr(policy, name)
        if depth is not None:
            text = words.replace("CE", "drops") if policy.scheme in DROPPING else words
            if policy.scheme == "threshold":
                # Marks packets above the threshold: in whole packets, from one more on.
                depth, text = depth - 1, "above"
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


def means(values: Sequence[float], columns: int) -> list[float]:
    """Values in so many columns at most, the latest at the end; each column is the mean of its share.

    The oldest values are left out if they fill no column.
    """
    share = max(1, -(-len(values) // columns))
    groups = [values[i : i + share] for i in range(len(values) % share, len(values), share)]
    return [sum(group) / len(group) for group in groups]


def amount(value: float) -> str:
    """With thousands separated, and one decimal where that says something."""
    return f"{value:,.0f}" if value >= 100 or value == round(value) else f"{value:,.1f}"


def level_table(port: PortView) -> Table:
    """Packets per second, share and total of each level."""
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
        name = "dropped" if level == "early_drop" and drops(port) else words
        table.add_row(
            Text(name, style=colour),
            "-" if rate is None else amount(rate),
            f"{100 * share:.1f} %" if whole else "-",
            Bar(1.0, 0.0, share, width=24, color=colour),
            amount(port.totals.get(level, 0)),
        )
    return table


def drops(port: PortView) -> bool:
    """Whether a signal of the port is a drop."""
    return any(policy.scheme in DROPPING for policy in port.policies)
