# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""A lab's run on the terminal while it goes on."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from rich.console import Console, Group
from rich.live import Live
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from .results import flow_name

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import TracebackType

    from mecn_topo import Scenario
    from mecn_topo.lab import Recording

BLOCKS = " ▁▂▃▄▅▆▇█"
WIDTH = 60
"""Columns of the queue's history."""
RATE_SPAN_S = 2.0
LINES_EVERY_S = 5.0
"""Without a terminal a line is printed this often."""


class LiveView:
    """Shows depth, marks by level, and cwnd and goodput of each flow; lines where there is no terminal."""

    def __init__(self, scenario: Scenario, title: str, console: Console | None = None) -> None:
        self._scenario, self._title = scenario, title
        self._console = console or Console(stderr=True)
        if not self._console.is_terminal:
            self._console.width = 130
        self._live = (
            Live(console=self._console, refresh_per_second=5, transient=True, auto_refresh=False)
            if self._console.is_terminal
            else None
        )
        self._next_line = 0.0

    def __enter__(self) -> LiveView:
        if self._live is not None:
            self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._live is not None:
            self._live.stop()

    def show(self, recording: Recording) -> None:
        """Draws the present state."""
        if self._live is not None:
            self._live.update(self.picture(recording), refresh=True)
        elif time.monotonic() >= self._next_line:
            self._next_line = time.monotonic() + LINES_EVERY_S
            state, marks = recording.states[-1], recording.marks
            goodput = sum(flow.goodput_bps() for flow in recording.flows)
            self._console.print(
                f"{recording.elapsed_s:6.1f} s  queue {state.depth:4d}, average {state.average:6.2f} packets;"
                f" marked {marks.incipient[-1]} incipient, {marks.ce[-1]} CE;"
                f" goodput {goodput / 1e6:.3f} Mbit/s",
                highlight=False,
            )

    def picture(self, recording: Recording) -> Panel:
        """The view as rich renders it."""
        elapsed, plan = recording.elapsed_s, recording.plan
        gap = Text("")
        parts = (self._queue(recording), gap, self._marks(recording), gap, self._flows(recording))
        title = f"{self._title}   {elapsed:.0f} of {plan.duration_s:g} s"
        return Panel(Group(*parts), title=title, title_align="left", width=min(self._console.width, 92))

    def _queue(self, recording: Recording) -> Table:
        state = recording.states[-1]
        watched = self._scenario.placements[0]
        names = ("min_th", "mid_th", "max_th", "threshold")
        shown = [f"{getattr(watched.profile, n):g}" for n in names if hasattr(watched.profile, n)]
        recent = [s.depth for s in recording.states[-8 * WIDTH :]]
        table = Table.grid(padding=(0, 2))
        table.add_row(
            Text(f"queue {watched.switch}:{watched.port}", style="bold"),
            f"{state.depth:4d} packets, average {state.average:.2f}; thresholds {'/'.join(shown) or 'none'}",
        )
        table.add_row(f"peak {max(recent)}", Text(history(recent, WIDTH), style="blue"))
        return table

    def _marks(self, recording: Recording) -> Table:
        marks = recording.marks
        first = next(i for i, at in enumerate(marks.time_s) if at >= marks.time_s[-1] - RATE_SPAN_S)
        elapsed = marks.time_s[-1] - marks.time_s[first]
        table = Table(box=None, pad_edge=False, padding=(0, 2))
        table.add_column("packets", style="bold")
        columns = (
            ("passed", marks.passed, ""),
            ("incipient", marks.incipient, "green"),
            ("CE", marks.ce, "dark_orange"),
            ("early drop", marks.early_drops, "red"),
        )
        for name, _, style in columns:
            table.add_column(name, justify="right", style=style, min_width=9)
        rates = [(c[-1] - c[first]) / elapsed if elapsed > 0 else 0.0 for _, c, _ in columns]
        table.add_row("per second", *(f"{rate:.0f}" for rate in rates))
        table.add_row("in all", *(f"{counts[-1]}" for _, counts, _ in columns))
        return table

    def _flows(self, recording: Recording) -> Table:
        table = Table(box=None, pad_edge=False, padding=(0, 2))
        table.add_column("flow", style="bold")
        for name in ("cwnd", "Mbit/s", "srtt ms", "retransmitted"):
            table.add_column(name, justify="right", min_width=7)
        table.add_column("cwnd's history")
        for flow in recording.flows[:16]:
            if not flow.time_s:
                table.add_row(flow_name(flow), "-", "-", "-", "-", "")
                continue
            table.add_row(
                flow_name(flow),
                str(flow.cwnd[-1]),
                f"{flow.goodput_bps() / 1e6:.3f}",
                f"{flow.srtt_s[-1] * 1e3:.0f}",
                str(flow.retransmissions[-1]),
                Text(history(flow.cwnd[-96:], 24), style="blue"),
            )
        if len(recording.flows) > 16:
            table.add_row(f"and {len(recording.flows) - 16} more")
        return table


def history(values: Sequence[float], width: int) -> str:
    """Values as a row of blocks, the latest at the right; each column is the mean of its share."""
    if not values:
        return ""
    per_column = max(1, -(-len(values) // width))
    columns = [values[i : i + per_column] for i in range(len(values) % per_column, len(values), per_column)]
    means = [sum(column) / len(column) for column in columns]
    top = max([*means, 1.0])
    return "".join(BLOCKS[min(8, round(8 * mean / top))] for mean in means)
