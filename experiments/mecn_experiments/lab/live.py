# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""A lab's run on the terminal while it goes on."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from mecn_controller.telemetry.parts import GAUGE_WIDTH, gauge, level_table, means, scale_of, sparkline
from mecn_controller.telemetry.policy_view import profile_view
from mecn_controller.telemetry.sample import PortView
from rich.console import Console, Group
from rich.live import Live
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from .results import flow_name

if TYPE_CHECKING:
    from types import TracebackType

    from mecn_topo import Scenario
    from mecn_topo.lab import Recording

RATE_SPAN_S = 2.0
"""Of rates, and of the depths that the queue's bar shows."""
LINES_EVERY_S = 5.0
"""Without a terminal a line is printed this often."""


class LiveView:
    """Shows depth, marks by level, and cwnd and goodput of each flow; lines where there is no terminal."""

    def __init__(self, scenario: Scenario, title: str, console: Console | None = None) -> None:
        self._title, self._watched = title, scenario.placements[0]
        self._policy = profile_view(self._watched.profile, self._watched.port)
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
        port = self._port(recording)
        parts = (self._queue(recording, port), gap, level_table(port), gap, self._flows(recording))
        title = f"{self._title}   {elapsed:.0f} of {plan.duration_s:g} s"
        return Panel(Group(*parts), title=title, title_align="left", width=min(self._console.width, 92))

    def _queue(self, recording: Recording, port: PortView) -> Table:
        state, depths = recording.states[-1], [s.depth for s in recording.states[-8 * GAUGE_WIDTH :]]
        scale = scale_of(port)
        bar, ticks, labels = gauge(port, scale)
        table = Table.grid(padding=(0, 2))
        table.add_column(style="bold")
        words = f"{state.depth} packets, {state.average:.2f} on average, at most {max(depths)}"
        table.add_row(f"queue {self._watched.switch}:{port.port}", Text(words))
        for part in (bar, ticks, labels):
            table.add_row("", part)
        table.add_row("trend", sparkline(means(depths, GAUGE_WIDTH), scale))
        return table

    def _port(self, recording: Recording) -> PortView:
        """The watched port as `mecn watch` has it."""
        marks, states = recording.marks, recording.states
        first = next(i for i, at in enumerate(marks.time_s) if at >= marks.time_s[-1] - RATE_SPAN_S)
        elapsed = marks.time_s[-1] - marks.time_s[first]
        counts = {
            "passed": marks.passed,
            "incipient": marks.incipient,
            "ce": marks.ce,
            "early_drop": marks.early_drops,
        }
        begin = recording.time_s[-1] - RATE_SPAN_S
        recent = [s.depth for at, s in zip(recording.time_s, states, strict=True) if at >= begin]
        return PortView(
            self._watched.port,
            (self._policy,),
            average=states[-1].average,
            min_depth=min(recent),
            max_depth=max(recent),
            rates={k: (c[-1] - c[first]) / elapsed for k, c in counts.items()} if elapsed > 0 else {},
            totals={level: series[-1] for level, series in counts.items()},
        )

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
            windows = means(flow.cwnd[-96:], 24)
            table.add_row(
                flow_name(flow),
                str(flow.cwnd[-1]),
                f"{flow.goodput_bps() / 1e6:.3f}",
                f"{flow.srtt_s[-1] * 1e3:.0f}",
                str(flow.retransmissions[-1]),
                sparkline(windows, max(windows), 24),
            )
        if len(recording.flows) > 16:
            table.add_row(f"and {len(recording.flows) - 16} more")
        return table
