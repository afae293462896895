# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""What each part of multi-level ECN does by itself.

A ladder leads from the paper's ECN to MECN; then MECN stands beside both kinds of ECN where something else is
changed.

Every line has thresholds of its own from low to high, so what is compared are curves of throughput against
delay. No claim of the paper depends on it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ..declaration import Figure, Table
from ..plots import PURPLE, Look, finish, frontier, widths
from ..statistics import estimate
from ..style import BLACK, BLUE, GREEN, GREY, ORANGE, new_figure, style
from ..verdicts import text
from .claims import curve_gain
from .scenarios import Point, Scenario

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..dataset import Dataset
    from ..declaration import Drawing, Recipe
    from ..statistics import Estimate
    from .claims import Curve
    from .parameters import Parameters
    from .scenarios import Scheme

FULL = 0.98
"""Link efficiency whose price in delay the table tells."""


@dataclass(frozen=True, slots=True)
class Part:
    """One curve: a scheme, and what differs from the parameters."""

    name: str
    scheme: Scheme
    changes: Mapping[str, Any] = field(default_factory=dict)
    """Of what all runs share."""
    n_sources: int | None = None
    max_p: float | None = None

    def point(self, parameters: Parameters, thresholds: tuple[float, float, float]) -> Point:
        """A run of the curve."""
        return Point(
            "ablation",
            self.scheme,
            thresholds,
            self.n_sources or parameters.frontier_sources,
            self.max_p or parameters.max_p,
            part=self.name,
        )

    def recipes(self, parameters: Parameters) -> list[Recipe]:
        """All runs of the curve."""
        found = []
        for thresholds in parameters.ablation_frontier:
            recipe = self.point(parameters, thresholds).recipe(parameters)
            found.append({**recipe, "shared": {**recipe["shared"], **self.changes}})
        return found

    def curve(self, data: Dataset, parameters: Parameters) -> Curve:
        """Delay and efficiency of each point, one value for each seed."""
        points = []
        for thresholds in parameters.ablation_frontier:
            at = {
                "family": "ablation",
                "part": self.name,
                "scenario": Scenario(self.scheme, thresholds).name,
            }
            points.append((data.values("delay_mean_s", **at), data.values("link_efficiency", **at)))
        return points


DROPS = Part("ECN, drops at max_th", "ECN")
MARKS = Part("ECN, marks at max_th", "ECNM")
MECN = Part("MECN", "MECN")
LADDER = (
    DROPS,
    MARKS,
    Part("ECN, marks, takes 1/2.5", "ECNM", {"classic_beta": 2.5}),
    Part("ECN, marks, takes 1/5", "ECNM", {"classic_beta": 5.0}),
    Part("first level only, CE from max_th", "MECN", {"max_p_moderate": 0.0}),
    Part("MECN, each level takes 1/2", "MECN", {"beta": [2.0, 2.0, 2.0]}),
    Part("MECN, each level takes 1/2.5", "MECN", {"beta": [2.5, 2.5, 2.0]}),
    Part("MECN, each level takes 1/5", "MECN", {"beta": [5.0, 5.0, 2.0]}),
    Part("MECN, drops at max_th", "MECN", {"mecn_above_max_th": "drop"}),
    Part("MECN, topped up", "MECN", {"top_up": True}),
    MECN,
)
"""From the paper's ECN to the paper's MECN, under the parameters."""
CONDITIONS: Mapping[str, Mapping[str, Any]] = {
    "spacing uniform": {"changes": {"spacing": "uniform"}},
    "spacing independent": {"changes": {"spacing": "independent"}},
    "weight 0.0005": {"changes": {"weight": 0.0005}},
    "weight 0.008": {"changes": {"weight": 0.008}},
    "max_p 0.05": {"max_p": 0.05},
    "max_p 0.2": {"max_p": 0.2},
    "max_p 0.5": {"max_p": 0.5},
    "N = 2": {"n_sources": 2},
    "N = 10": {"n_sources": 10},
    "N = 20": {"n_sources": 20},
}
"""Under each, MECN is compared with both kinds of ECN under the same."""


def under(condition: str, scheme: Scheme) -> Part:
    """A scheme's curve under a condition."""
    return Part(f"{scheme}, {condition}", scheme, **CONDITIONS[condition])


def parts() -> list[Part]:
    """All curves."""
    schemes: tuple[Scheme, ...] = ("ECN", "ECNM", "MECN")
    return [*LADDER, *(under(condition, scheme) for condition in CONDITIONS for scheme in schemes)]


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the table: a curve, and its height above those of ECN at equal delay."""

    name: str
    full_at_s: float | None
    """Shortest delay with an efficiency of FULL; None: never."""
    above_drops: Estimate
    above_marks: Estimate


def full_at(curve: Curve) -> float | None:
    """The delay at which the curve of the seeds' means first reaches FULL, joined linearly."""
    points = sorted((estimate(delays).mean, estimate(efficiencies).mean) for delays, efficiencies in curve)
    before = None
    for delay, efficiency in points:
        if efficiency >= FULL:
            if before is None:
                return delay
            share = (FULL - before[1]) / (efficiency - before[1])
            return before[0] + share * (delay - before[0])
        before = (delay, efficiency)
    return None


def lines(data: Dataset, parameters: Parameters) -> list[Line]:
    """The ladder beside both kinds of ECN; then MECN beside them under each condition."""
    curves = {part.name: part.curve(data, parameters) for part in parts()}

    def line(name: str, of: Part, drops: Part, marks: Part) -> Line:
        curve = curves[of.name]
        above = (curve_gain(curves[other.name], curve) for other in (drops, marks))
        return Line(name, full_at(curve), *above)

    return [
        *(line(part.name, part, DROPS, MARKS) for part in LADDER),
        *(
            line(f"MECN, {condition}", *(under(condition, scheme) for scheme in ("MECN", "ECN", "ECNM")))
            for condition in CONDITIONS
        ),
    ]


def table(data: Dataset, parameters: Parameters) -> Table:
    """The ablation in numbers."""
    rows = []
    for line in lines(data, parameters):
        full = "never" if line.full_at_s is None else f"{1000 * line.full_at_s:.0f}"
        rows.append((line.name, full, *(text(gain, 100, 2) for gain in (line.above_drops, line.above_marks))))
    return Table(
        f"What each part does (N = {parameters.frontier_sources} but where another is named)",
        [
            ("hosts and switch", ""),
            (f"delay for {100 * FULL:g} %", "ms"),
            ("above ECN that drops", "points of link efficiency at equal delay"),
            ("above ECN that marks", "points"),
        ],
        rows,
        "ablation",
    )


SHOWN = (
    (DROPS, ORANGE, "--", "s"),
    (MARKS, BLACK, ":", "D"),
    (LADDER[3], PURPLE, "--", "v"),
    (LADDER[4], GREEN, "-.", "^"),
    (MECN, BLUE, "-", "o"),
)
"""Curves of the first drawing."""


def draw(data: Dataset, parameters: Parameters) -> list[Drawing]:
    """The frontiers of the main steps, and every line's height above both kinds of ECN."""
    curves = [
        (
            Look(part.name, colour, dashes, marker),
            [
                ([1000 * delay for delay in delays], [100 * share for share in shares])
                for delays, shares in part.curve(data, parameters)
            ],
        )
        for part, colour, dashes, marker in SHOWN
    ]
    return [
        frontier(
            curves,
            key="ablation-frontier",
            title=f"From ECN to MECN: throughput against delay, N = {parameters.frontier_sources}",
            axis="mean one-way delay (ms)",
            label="link efficiency (%)",
        ),
        _heights(lines(data, parameters)),
    ]


def _heights(found: Sequence[Line]) -> Drawing:
    with style():
        figure, axes = new_figure()
        figure.set_size_inches(6.0, 0.26 * len(found) + 1.2)
        words = []
        for name, colour, marker, shift, gains in (
            ("above ECN that drops at max_th", ORANGE, "s", -0.12, [line.above_drops for line in found]),
            ("above ECN that marks at max_th", BLACK, "D", 0.12, [line.above_marks for line in found]),
        ):
            bars = widths(gains)
            axes.errorbar(
                [100 * gain.mean for gain in gains],
                [place + shift for place in range(len(found))],
                xerr=None if bars is None else [[100 * width for width in side] for side in bars],
                color=colour,
                marker=marker,
                linestyle="none",
                capsize=2,
                elinewidth=1,
                label=name,
            )
            told = ", ".join(
                f"{line.name} {100 * gain.mean:+.2f}" for line, gain in zip(found, gains, strict=True)
            )
            words.append(f"{name}: {told}.")
        axes.axvline(0, color=GREY, linewidth=0.8, linestyle=":")
        axes.set_yticks(range(len(found)), [line.name for line in found])
        axes.invert_yaxis()
        axes.set_xlabel("link efficiency at equal delay (percentage points)")
        title = "What each part of multi-level ECN does"
        return finish(figure, axes, "ablation", title, f"{title}. {' '.join(words)}")


FIGURE = Figure(
    "ablation",
    "What each part of multi-level ECN does (not in the paper)",
    "The paper changes two things at once: a second level, and a milder response to marks.",
    lambda parameters: [recipe for part in parts() for recipe in part.recipes(parameters)],
    draw,
)
