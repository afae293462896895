# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""The figures, and the runs that test the theorems: mark-tail is orange, mark-front blue."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ..declaration import Figure
from ..plots import Legend, Look, by_place, finish, history, means
from ..style import BLACK, BLUE, ORANGE, new_figure, style
from .parameters import RD
from .scenarios import SCENARIOS, STRATEGIES, Point, bound, red_points, threshold_points

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ..dataset import Dataset, Row
    from ..declaration import Drawing, Recipe
    from ..statistics import Estimate
    from .parameters import Parameters
    from .scenarios import Strategy

    Measure = tuple[str, Callable[[Row], float], float | None, float | None]
    """Label, value, and where the axis begins and ends."""

LOOKS: dict[Strategy, Look] = {
    "tail": Look("mark-tail", ORANGE, "--", "s"),
    "front": Look("mark-front", BLUE, "-", "o"),
}
THRESHOLD = "threshold T (packets)"
BUFFER: Measure = ("largest queue (packets)", lambda row: float(row["queue_max"]), 0.0, None)
EFFICIENCY: Measure = ("link efficiency (%)", lambda row: 100 * row["efficiency"], None, 101)
FAIRNESS_PANELS = {"a": 2, "b": 3, "c": 4, "d": 6, "e": 8, "f": 7}
"""Scenario of each panel of Figure 6."""
UNFAIRNESS: Measure = ("unfairness (1 - Jain's index)", lambda row: float(row["unfairness"]), 0.0, None)


def over_thresholds(
    data: Dataset,
    key: str,
    title: str,
    of: Measure,
    *,
    axis: str = THRESHOLD,
    theory: Callable[[Strategy, int], float] | None = None,
    **where: object,
) -> Drawing:
    """Both strategies' measure over the threshold, with 95 % confidence intervals; theory as thin lines."""
    label, measure, bottom, top = of
    with style():
        figure, axes = new_figure()
        texts = []
        for strategy in STRATEGIES:
            look = LOOKS[strategy]
            points = by_place(data.select(strategy=strategy, **where), "threshold", measure)
            thresholds, results = means(axes, replace(look, dashes="none") if theory else look, points)
            if theory:
                axes.plot(
                    thresholds,
                    [theory(strategy, int(threshold)) for threshold in thresholds],
                    color=look.colour,
                    linestyle=look.dashes,
                    linewidth=1,
                    label=f"bound, {look.name}",
                )
            texts.append(_in_words(look.name, thresholds, results))
        axes.set_xlabel(axis)
        axes.set_ylabel(label)
        axes.set_ylim(bottom=bottom, top=top)
        said = f"{title}; {label} over {axis}. " + " ".join(texts)
        return finish(figure, axes, key, title, said, Legend(2, 1.24 if theory else 1.14))


def _in_words(name: str, thresholds: Sequence[float], results: Sequence[Estimate]) -> str:
    low = min(range(len(results)), key=lambda i: results[i].mean)
    high = max(range(len(results)), key=lambda i: results[i].mean)
    return (
        f"{name}: from {results[0].mean:.3g} at {thresholds[0]:g} to {results[-1].mean:.3g} at"
        f" {thresholds[-1]:g}, least {results[low].mean:.3g} at {thresholds[low]:g}, most"
        f" {results[high].mean:.3g} at {thresholds[high]:g}."
    )


def scenarios(
    number: int,
    title: str,
    says: str,
    panels: Mapping[str, int],
    of: Measure,
    *,
    titles: Mapping[str, str] | None = None,
    with_bound: bool = False,
) -> Figure:
    """A measure in several scenarios, a panel for each (Figures 3 to 6). titles: by panel, where they are not
    the scenarios'."""

    def panel(data: Dataset, letter: str, scenario: int) -> Drawing:
        rd = SCENARIOS[scenario].rd_smallest
        what = titles[letter] if titles else SCENARIOS[scenario].title
        return over_thresholds(
            data,
            f"fig{number}{letter}",
            f"Figure {number} ({letter}): {what}",
            of,
            theory=(lambda strategy, threshold: bound(strategy, threshold, rd)) if with_bound else None,
            scenario=scenario,
        )

    def draw(data: Dataset, _parameters: Parameters) -> list[Drawing]:
        return [panel(data, letter, scenario) for letter, scenario in panels.items()]

    return Figure(
        f"fig{number}",
        f"Figure {number}: {title}",
        says,
        lambda parameters: threshold_points(parameters, tuple(panels.values())),
        draw,
    )


def in_red(number: int, title: str, says: str, of: Measure) -> Figure:
    """A measure in RED, a panel for each weight (Figures 7, 8, 10)."""

    def draw(data: Dataset, parameters: Parameters) -> list[Drawing]:
        return [
            over_thresholds(
                data,
                f"fig{number}{letter}",
                f"Figure {number} ({letter}): RED, w = {weight:g}",
                of,
                axis="min_th (packets), max_th = 2 min_th",
                weight=weight,
            )
            for letter, weight in zip("abcdefghijklmnop", parameters.weights, strict=False)
        ]

    return Figure(f"fig{number}", f"Figure {number}: {title} with RED", says, red_points, draw)


def share_of_second(row: Row) -> float:
    """What the second connection got of all acknowledged packets."""
    return float(row["acked_packets"][1] / sum(row["acked_packets"]))


# ---- Figure 9: the queue over time -------------------------------------------------------------------------

AFTER_START_S = 3.0
"""The link's idle time is counted from here on, seconds: slow start's peak is over."""


def _trace_runs(parameters: Parameters) -> Sequence[Recipe]:
    return [
        Point(
            "trace",
            3,
            strategy,
            parameters.trace_min_th,
            parameters.trace_s,
            parameters.buffer,
            weight=parameters.trace_weight,
            warmup_s=AFTER_START_S,
            trace=True,
        ).recipe(parameters)
        for strategy in STRATEGIES
    ]


def _traces(data: Dataset, parameters: Parameters) -> list[Drawing]:
    low = parameters.trace_min_th
    rows = {row["strategy"]: row for row in data.select(seed=1)}
    top = 1.08 * max(2 * low, *(max(row["trace_qdepth"]) for row in rows.values()))

    def drawing(letter: str, strategy: Strategy) -> Drawing:
        row, look = rows[strategy], LOOKS[strategy]
        time = row["trace_time_s"]
        return history(
            [
                (Look("queue", look.colour), time, row["trace_qdepth"]),
                (Look("average", BLACK, "-."), time, row["trace_avg_qdepth"]),
            ],
            key=f"fig9{letter}",
            title=f"Figure 9 ({letter}): {look.name}, w = {parameters.trace_weight:g}",
            label="queue (packets)",
            levels=(("min", low), ("max", 2 * low)),
            top=top,
            steps=True,
            thin=("queue",),
            note=f" The queue peaks after {row['peak_s']:.2f} s, and the link idles"
            f" {row['fraction_idle'] * 100:.1f} % of the counted time.",
        )

    return [drawing(letter, strategy) for letter, strategy in zip("ab", STRATEGIES, strict=True)]


# ---- Theorems, and section 6.2 -----------------------------------------------------------------------------

WINDOW_THRESHOLD = 20
"""T of the run whose queue is compared with the window: the link then stays busy."""
STEADY_THRESHOLDS = (2, 4, 5, 6, 8, 9, 10, 11, 12, 15, 20, 25, 30)
LOSSLESS_SCENARIOS = (1, 6)
LOSSLESS_THRESHOLDS = (5, 8, 11, 16, 20, 25, 32)
LONG_SCENARIOS = (1, 3, 4, 6, 7)
LONG_THRESHOLDS = (4, 11, 20, 40)


def _window(of: Parameters) -> Sequence[Recipe]:
    return [Point("window", 1, "tail", WINDOW_THRESHOLD, of.duration_s, of.buffer, window=True).recipe(of)]


def _steady(of: Parameters) -> Sequence[Recipe]:
    return [
        Point("steady", 1, strategy, threshold, of.steady_s, of.buffer, warmup_s=of.steady_warmup_s).recipe(
            of
        )
        for strategy in STRATEGIES
        for threshold in STEADY_THRESHOLDS
    ]


def _lossless(of: Parameters) -> Sequence[Recipe]:
    return [
        Point("lossless", number, strategy, threshold, of.duration_s, int(bound(strategy, threshold))).recipe(
            of
        )
        for number in LOSSLESS_SCENARIOS
        for strategy in STRATEGIES
        for threshold in LOSSLESS_THRESHOLDS
    ]


def _long(of: Parameters) -> Sequence[Recipe]:
    return [
        Point("long", number, strategy, threshold, duration_s, of.buffer).recipe(of)
        for duration_s in (of.long_s, of.duration_s)
        for number in LONG_SCENARIOS
        for strategy in STRATEGIES
        for threshold in LONG_THRESHOLDS
    ]


def _draw_steady(data: Dataset, _parameters: Parameters) -> list[Drawing]:
    measures: tuple[tuple[str, Measure], ...] = (
        ("utilisation", ("utilisation (%)", lambda row: 100 * row["utilisation"], None, None)),
        ("delay", ("one-way delay (ms)", lambda row: 1000 * row["delay_mean_s"], 0.0, None)),
    )
    title = f"Congestion avoidance of one connection, rd = {RD}"
    return [
        over_thresholds(data, f"theorem4-{name}", f"{title}: {name}", of, family="steady")
        for name, of in measures
    ]


def _draw_long(data: Dataset, parameters: Parameters) -> list[Drawing]:
    label, measure, _, _ = EFFICIENCY
    return [
        over_thresholds(
            data,
            f"long-{name}",
            f"Five connections, RTT 59 to 257 ms: link efficiency in {duration_s:g} s",
            (label, measure, None, None),
            scenario=7,
            duration_s=duration_s,
        )
        for name, duration_s in (("10", parameters.duration_s), ("100", parameters.long_s))
    ]


FIGURES = (
    scenarios(
        3,
        "buffer size requirement",
        "For connections with the same RTT the theoretical estimate is accurate; mark-front needs less"
        " buffer.",
        {"a": 1, "b": 4, "c": 6, "d": 7},
        BUFFER,
        with_bound=True,
    ),
    scenarios(
        4,
        "link efficiency",
        "The efficiency increases with the threshold until it is about rd, where the link is almost fully"
        " used; with a limited buffer mark-front has much better efficiency.",
        {"a": 1, "b": 3, "c": 5, "d": 6, "e": 7, "f": 8},
        EFFICIENCY,
    ),
    # The paper's axes are not known; here both panels are drawn over the threshold.
    scenarios(
        5,
        "lock-out and its alleviation",
        "With mark-tail old connections lock out new ones, and those with a small RTT those with a large one;"
        " mark-front raises the share of the large RTT from 6.49 % to 21.35 %.",
        {"a": 3, "b": 4},
        ("share of the second (%)", lambda row: 100 * share_of_second(row), 0.0, None),
        titles={
            "a": "share of the newer of two connections",
            "b": "share of the connection with RTT 157 ms beside one with 59 ms",
        },
    ),
    scenarios(
        6,
        "unfairness",
        "In general mark-front has the smaller unfairness index; for overlapping connections mark-tail grows"
        " less fair with the threshold.",
        FAIRNESS_PANELS,
        UNFAIRNESS,
    ),
    in_red(
        7,
        "buffer size requirement",
        "In all cases mark-front requires the smaller buffer. A smaller queue weight requires a larger"
        " buffer; the actual queue (w = 1) the least.",
        BUFFER,
    ),
    in_red(
        8,
        "link efficiency",
        "For almost all values of the threshold mark-front is more efficient; the actual queue (w = 1) is no"
        " worse than the average.",
        EFFICIENCY,
    ),
    Figure(
        "fig9",
        "Figure 9: queue size at the congested router, RED",
        "With mark-tail the queue stops increasing at 1.98 s, with mark-front at 1.64 s. Out-dated marks make"
        " the link idle around the 6th and the 12th second with mark-tail; mark-front avoids it.",
        _trace_runs,
        _traces,
    ),
    in_red(
        10,
        "unfairness",
        "In spite of the randomness, in most cases mark-front is fairer than mark-tail.",
        UNFAIRNESS,
    ),
    Figure(
        "theorem1",
        "Theorem 1: the queue from the sender's window",
        "Once the link has been busy for a round trip, an arriving packet sees Q(t) = w(t - t_p) - rd.",
        _window,
    ),
    Figure(
        "theorem4",
        "Theorem 4: the best threshold",
        "T = rd - 1 gives full utilisation with the least delay.",
        _steady,
        _draw_steady,
    ),
    Figure(
        "lossless",
        "Theorems 2 and 3: buffers of the bounds' sizes",
        "A buffer of this size makes ECN lose nothing.",
        _lossless,
    ),
    Figure(
        "long",
        "Section 6.2: runs of 10 and of 100 seconds",
        "The results for 10 seconds show the essential features, without much difference from those for 100"
        " seconds.",
        _long,
        _draw_long,
    ),
)
