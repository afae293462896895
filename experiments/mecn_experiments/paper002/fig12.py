# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Figure 12: the congestion windows of two flows with different round trips at a drop-tail router."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..declaration import Figure
from ..figures import BLUE, ORANGE, new_figure, style
from .drawing import finished
from .scenarios import PD2_MS, PD_MAX_MS, Point

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..dataset import Dataset
    from ..declaration import Drawing, Recipe
    from .parameters import Parameters


def _recipes(parameters: Parameters) -> Sequence[Recipe]:
    return [Point(scheme="dt", ftp=2, round_trips_ms=(PD_MAX_MS, PD2_MS), trace=True).recipe(parameters)]


def _draw(data: Dataset, _parameters: Parameters) -> list[Drawing]:
    (row,) = data.select(seed=1)
    with style():
        figure, axes = new_figure()
        words = []
        looks = (("T1", PD_MAX_MS, ORANGE, "-"), ("T2", PD2_MS, BLUE, "--"))
        for (name, trip, colour, line), time, window in zip(
            looks, row["cwnd_time_s"], row["cwnd_packets"], strict=True
        ):
            label = f"{name}, {trip:g} ms"
            axes.plot(time, window, color=colour, linestyle=line, drawstyle="steps-post", label=label)
            words.append(f"{name}: between {min(window):.3g} and {max(window):.3g} packets.")
        axes.set_xlabel("time (s)")
        axes.set_ylabel("congestion window (packets)")
        axes.set_ylim(bottom=0)
        return [finished(figure, axes, "fig12", "Figure 12: windows of two flows, drop-tail", words)]


FIGURE = Figure(
    "fig12",
    "Figure 12: congestion windows of two flows with drop-tail, RTT1 > RTT2",
    "A loss of the flow with the short round trip costs the other one a packet with a probability of a half"
    " to one.",
    _recipes,
    _draw,
)
