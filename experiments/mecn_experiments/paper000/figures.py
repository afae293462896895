# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""The figures, each with the runs that it needs and how it is drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .. import plots
from ..declaration import Figure
from ..plots import Legend, Look, by_place
from ..style import BLUE, GREEN, ORANGE
from .parameters import GROUPS
from .scenarios import (
    ADAPTIVE_START_P,
    BEST_FLOWS,
    PLOT_P,
    PLOT_TH,
    Point,
    adaptive,
    best_max_p,
    groups_at,
    over_flows,
    over_grid,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..dataset import Dataset, Row
    from ..declaration import Drawing, Recipe
    from .parameters import Parameters
    from .scenarios import Scheme

    Line = tuple[str, str, int, dict[str, object]]
    """Name, scheme, number of the style, and which rows."""

COLOURS = {"RED": ORANGE, "ECN": BLUE, "ECNM": GREEN, "AECN": GREEN, "ARED": ORANGE}
STYLES = ("-", "--", ":", "-.")
MARKERS = ("o", "s", "^", "D")
PAIR: tuple[Scheme, ...] = ("RED", "ECN")
FOUR: list[Line] = [
    (f"{scheme}, max_p {max_p:g}", scheme, kind, {"max_p": max_p})
    for scheme in PAIR
    for kind, max_p in enumerate(PLOT_P)
]


def goodput(row: Row) -> float:
    """Mbps."""
    return float(row["goodput_bps"] / 1e6)


def fairness(row: Row) -> float:
    """Jain's index over all flows."""
    return float(row["jain_index"])


def curves(
    data: Dataset,
    key: str,
    title: str,
    label: str,
    measure: Callable[[Row], float],
    lines: Sequence[Line],
    *,
    x: str = "flows",
) -> Drawing:
    """A measure over flows, on a logarithmic axis, or over max_p."""
    return plots.curves(
        [
            (
                Look(name, COLOURS[scheme], STYLES[kind % len(STYLES)], MARKERS[kind % len(MARKERS)]),
                by_place(data.select(scheme=scheme, **where), x, measure),
            )
            for name, scheme, kind, where in lines
        ],
        key=key,
        title=title,
        axis=x,
        label=label,
        logarithmic=x == "flows",
        ticks=x == "flows",
        legend=Legend(2 if len(lines) < 5 else 3, 1.25, 7.5),
    )


def four(key: str, title: str, says: str, label: str, measure: Callable[[Row], float]) -> Figure:
    """RED and ECN at both max_p, over flows (Figures 2 and 6)."""

    def draw(data: Dataset, _parameters: Parameters) -> list[Drawing]:
        return [curves(data, key, title, label, measure, FOUR)]

    return Figure(key, title, says, over_flows, draw)


def grid(key: str, title: str, says: str, schemes: tuple[Scheme, ...], flows: int) -> Figure:
    """Goodput over max_p, a curve for each scheme and max_th, at one number of flows (Figures 4, 5, 11)."""

    def draw(data: Dataset, parameters: Parameters) -> list[Drawing]:
        lines: list[Line] = [
            (f"{scheme}, max_th {max_th:g}", scheme, kind, {"max_th": max_th})
            for scheme in schemes
            for kind, max_th in enumerate(parameters.max_th)
        ]
        return [curves(data, key, title, "goodput (Mbps)", goodput, lines, x="max_p")]

    return Figure(key, title, says, lambda parameters: over_grid(parameters, schemes, flows), draw)


def by_group(number: int, flows: int, max_p: float, says: str, *, what: str = "goodput") -> Figure:
    """A rate by group, RED beside ECN, at one point (Figures 7 to 10)."""
    key = f"fig{number}"
    title = f"Figure {number}: {what} distribution, {flows} flows, max_p = {max_p:g}"

    def bars_of(data: Dataset, scheme: str) -> list[list[float]]:
        rows = data.select(scheme=scheme)
        return [[row[f"group_{what}_bps"][i] / 1e6 for row in rows] for i in range(len(GROUPS))]

    def draw(data: Dataset, _parameters: Parameters) -> list[Drawing]:
        series = [(Look(scheme, COLOURS[scheme]), bars_of(data, scheme)) for scheme in PAIR]
        return [plots.bars(GROUPS, series, key=key, title=title, label=f"{what} (Mbps)")]

    return Figure(key, title, says, lambda parameters: groups_at(parameters, flows, max_p), draw)


DELAY_P = 0.5
"""max_p of Figure 3."""


def _delay_runs(parameters: Parameters) -> Sequence[Recipe]:
    return [
        Point(scheme, flows, DELAY_P, PLOT_TH).recipe(parameters)
        for flows in parameters.flows
        for scheme in PAIR
    ]


def _delay(data: Dataset, _parameters: Parameters) -> list[Drawing]:
    lines: list[Line] = [(scheme, scheme, kind, {}) for kind, scheme in enumerate(PAIR)]

    def drawing(number: int, group: str) -> Drawing:
        return curves(
            data,
            f"fig3-{group}",
            f"Figure 3: one-way delay of {group} flows, max_p = 0.5, max_th = 30",
            "one-way delay (ms)",
            lambda row: float(1000 * row["group_delay_s"][number]),
            lines,
        )

    return [drawing(number, group) for number, group in enumerate(GROUPS)]


def _best(data: Dataset, _parameters: Parameters) -> list[Drawing]:
    lines: list[Line] = [
        (f"{flows} flows", "ECN", kind, {"flows": flows}) for kind, flows in enumerate(BEST_FLOWS)
    ]
    title = "Goodput of ECN over max_p, max_th = 30"
    return [curves(data, "best", title, "goodput (Mbps)", goodput, lines, x="max_p")]


def _adaptive(data: Dataset, parameters: Parameters) -> list[Drawing]:
    fixed = [p for p in (0.1, 0.5, 1.0) if p in parameters.max_p]
    lines: list[Line] = [
        ("adaptive ECN", "AECN", 0, {"max_p": ADAPTIVE_START_P}),
        ("Adaptive RED's rule", "ARED", 1, {"max_p": ADAPTIVE_START_P}),
    ]
    lines += [(f"ECN, max_p {p:g}", "ECN", kind, {"max_p": p}) for kind, p in enumerate(fixed)]
    title = "Adaptive ECN and fixed max_p: {}, max_th = 30"
    return [
        curves(
            data,
            "adaptive-goodput",
            title.format("goodput"),
            "goodput (Mbps)",
            lambda row: float(row["goodput_bps"] * 1e-6),
            lines,
        ),
        curves(data, "adaptive-fairness", title.format("fairness"), "Jain's index", fairness, lines),
    ]


FIGURES = (
    four(
        "fig2",
        "Figure 2: RED and ECN goodput, max_th = 30",
        "ECN with max_p = 0.5 gives the best goodput in all cases but 15 flows; in the other three there is a"
        " marked drop beginning at 64 flows.",
        "goodput (Mbps)",
        goodput,
    ),
    Figure(
        "fig3",
        "Figure 3: RED and ECN delay, max_p = 0.5, max_th = 30",
        "Robust flows have a clear advantage; ECN's gain in goodput costs a small increase in one-way delay.",
        _delay_runs,
        _delay,
    ),
    grid(
        "fig4",
        "Figure 4: goodput with 30 flows",
        "max_th has little effect on goodput above max_p = 0.2.",
        PAIR,
        30,
    ),
    grid(
        "fig5",
        "Figure 5: goodput with 120 flows",
        "ECN with max_p = 0.5 and max_th = 30 yields the highest goodput; no max_p works well for RED.",
        PAIR,
        120,
    ),
    four(
        "fig6",
        "Figure 6: RED and ECN fairness, max_th = 30",
        "ECN is fairer than RED in almost all situations; above 120 flows none of the choices prevents"
        " unfairness.",
        "Jain's index",
        fairness,
    ),
    by_group(7, 30, 0.2, "ECN provides better overall goodput than RED."),
    by_group(
        8,
        30,
        0.8,
        "The more aggressive marking gives robust flows better goodput with ECN than with RED, but does not"
        " reduce the gap between robust and fragile flows.",
    ),
    by_group(
        9,
        120,
        0.8,
        "Robust flows get less than in Figure 8, average and fragile flows slightly more; RED has 15 % lower"
        " goodput than ECN.",
    ),
    by_group(
        10,
        120,
        0.8,
        "The difference is completely hidden: RED's throughput is only slightly lower than ECN's.",
        what="throughput",
    ),
    grid(
        "fig11",
        "Figure 11: ECN and ECNM goodput with 120 flows",
        "ECN provides better goodput except at small values of max_p; ECNM is quite sensitive to max_th.",
        ("ECN", "ECNM"),
        120,
    ),
    Figure(
        "best",
        "ECN's max_p by number of flows (not in the paper)",
        "The marking probability must be increased aggressively to serve many flows.",
        best_max_p,
        _best,
    ),
    Figure(
        "adaptive",
        "Adaptive ECN and fixed max_p (not in the paper)",
        "An adaptive ECN, with max_p by round-trip time and number of flows, should do better.",
        adaptive,
        _adaptive,
    ),
)
