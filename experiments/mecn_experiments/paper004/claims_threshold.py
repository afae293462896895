# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Claims about theorems and Figures 3 and 4, each with the rule that decides it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..declaration import Claim
from ..paired import at, of
from ..verdicts import (
    Answer,
    Cases,
    Outcome,
    above,
    below,
    both,
    equivalent,
    judged,
    superior,
    text,
    verdict_of,
    within,
)
from .parameters import BASE_RTT_MS, RD
from .rules import grid, mean, mean_over, over_seeds, tail_minus_front
from .scenarios import SCENARIOS, STRATEGIES, Strategy, bound

if TYPE_CHECKING:
    from ..dataset import Dataset, Row
    from ..paired import Sample
    from .parameters import Parameters

SLACK = 2.0
"""Packets by which a queue may miss a formula: the formulas treat windows as a fluid."""
UNLIMITED = (1, 3, 6, 7)
SMALL_T = 5
"""Below it the two bounds differ by fewer than four packets."""


def _queue(row: Row) -> float:
    return float(row["queue_max"])


def _efficiency(row: Row) -> float:
    return float(row["efficiency"])


def _max_queue(data: Dataset, number: int, strategy: Strategy) -> dict[int, Sample]:
    """Largest queue by threshold."""
    where = {"family": "threshold", "scenario": number, "strategy": strategy}
    thresholds = sorted({row["threshold"] for row in data.select(**where)})
    return {t: of(at(data, threshold=t, **where), _queue) for t in thresholds}


def _bound(data: Dataset, strategy: Strategy) -> Outcome:
    cases = Cases()
    for number in (1, 6):
        for t, queue in _max_queue(data, number, strategy).items():
            limit = bound(strategy, t)
            cases[f"scenario {number}, T = {t}"] = both(
                below(queue, limit + SLACK + 0.001), above(queue, limit - SLACK - 0.001) if t >= RD else True
            )
            if t in (RD, 20, 40):
                cases.tell(f"T = {t}: {text(queue, digits=0)} (bound {limit:.0f})")
    return cases.outcome("Largest queue, scenarios 1 and 6: ", ", ")


def _best_threshold(data: Dataset, _parameters: Parameters) -> Outcome:
    cases = Cases()
    for strategy in STRATEGIES:

        def steady(column: str, t: int, strategy: Strategy = strategy) -> Sample:
            return of(at(data, family="steady", strategy=strategy, threshold=t), column)

        full, half = steady("utilisation", RD - 1), steady("utilisation", 5)
        cases[f"mark-{strategy}: full at T = {RD - 1}"] = above(full, 0.99)
        cases[f"mark-{strategy}: less at T = 5"] = below(half, 0.99)
        cases[f"mark-{strategy}: no fuller at T = 20"] = within(steady("utilisation", 20), 0.99, 1.0)
        delays = {t: steady("delay_mean_s", t) for t in (RD - 1, 20)}
        more = delays[20] - delays[RD - 1]
        cases[f"mark-{strategy}: more delay at T = 20"] = superior(0.005, more)
        cases.tell(
            f"mark-{strategy}: utilisation {text(half, 100)} % at T = 5, {text(full, 100)} % at {RD - 1};"
            " delay"
            f" {text(delays[RD - 1], 1000)} ms, at T = 20 {text(delays[20], 1000)} ms"
        )
    return judged(cases, "; ".join(cases.told))


def _queue_range(data: Dataset, _parameters: Parameters) -> Outcome:
    cases = Cases()
    for t in (10, 15, 20, 30):
        rows = at(data, family="steady", strategy="tail", threshold=t)
        high, low = of(rows, "queue_max"), of(rows, "queue_min")
        least, most = max(0.0, (t - RD + 1) / 2), t + 1
        cases[f"T = {t}, largest"] = within(high, most - SLACK, most + SLACK)
        cases[f"T = {t}, least"] = within(low, least - SLACK, least + SLACK)
        cases.tell(f"T = {t}: {text(low)} to {text(high)} (by the equations {least:g} to {most})")
    return cases.outcome("Mark-tail's queue: ", "; ")


def _less_buffer(data: Dataset, _parameters: Parameters) -> Outcome:
    gaps = {
        number: tail_minus_front(
            data, _queue, wanted=lambda t: t >= SMALL_T, family="threshold", scenario=number
        )
        for number in (1, 4, 6, 7)
    }
    measured = ", ".join(f"scenario {number} {text(gap)}" for number, gap in gaps.items())
    cases = {f"scenario {number}": superior(1, gap) for number, gap in gaps.items()}
    return judged(cases, f"Mark-tail's largest queue above mark-front's, packets: {measured}")


def _different_rtts(data: Dataset, _parameters: Parameters) -> Outcome:
    cases = Cases()
    for number in (4, 7):
        scenario = SCENARIOS[number]
        for strategy in STRATEGIES:
            rows = grid(data, family="threshold", scenario=number)

            def closer(rows: object, strategy: Strategy = strategy, number: int = number) -> float:
                mine = {t: _queue(r) for (s, t), r in rows.items() if s == strategy and t >= RD}  # type: ignore[attr-defined]
                small, large = SCENARIOS[number].rd_smallest, SCENARIOS[number].rd_largest
                return mean(
                    [
                        abs(q - bound(strategy, t, large)) - abs(q - bound(strategy, t, small))
                        for t, q in mine.items()
                    ]
                )

            gain = over_seeds(rows, closer)
            cases[f"scenario {number}, mark-{strategy}: smallest RTT's is closer"] = superior(1, gain)
            for t, queue in _max_queue(data, number, strategy).items():
                cases[f"scenario {number}, mark-{strategy}, T = {t}: below the largest RTT's"] = below(
                    queue, bound(strategy, t, scenario.rd_largest) + SLACK + 0.001
                )
            cases.tell(f"scenario {number}, mark-{strategy}: {text(gain)}")
    return cases.outcome("The smallest RTT's estimate is closer by, packets: ", "; ")


def _efficiency_rises(data: Dataset, parameters: Parameters) -> Outcome:
    cases = Cases()
    first = min(parameters.thresholds)
    for number in UNLIMITED:
        for strategy in STRATEGIES:
            low, high = (
                mean_over(data, strategy, _efficiency, wanted=wanted, family="threshold", scenario=number)
                for wanted in (lambda t: t == first, lambda t: t >= RD)
            )
            name = f"scenario {number}, mark-{strategy}"
            cases[f"{name}: rises"] = superior(0.02, high - low)
            cases[f"{name}: almost full"] = above(high, 0.95)
            cases.tell(f"{name}: {text(low, 100)} to {text(high, 100)} %")
    return judged(cases, f"At T = {first} and from rd on: " + "; ".join(cases.told))


def _differ_little(data: Dataset, _parameters: Parameters) -> Outcome:
    gaps: dict[int, Sample] = {}
    for number in UNLIMITED:
        by_seed = grid(data, family="threshold", scenario=number)
        gaps[number] = over_seeds(
            by_seed,
            lambda rows: (
                sum(
                    abs(_efficiency(rows["tail", t]) - _efficiency(rows["front", t]))
                    for s, t in rows
                    if s == "tail"
                )
                / sum(s == "tail" for s, _ in rows)
            ),
        )
    measured = ", ".join(f"scenario {number} {text(gap, 100)}" for number, gap in gaps.items())
    cases = {f"scenario {number}": below(gap, 0.02) for number, gap in gaps.items()}
    return judged(cases, f"Mean difference of the efficiencies, percentage points: {measured}")


def knee(curve: dict[int, float]) -> float:
    """The last threshold whose efficiency is within two points of the best."""
    best = max(curve.values())
    return float(max(t for t, value in curve.items() if value >= best - 0.02))


def _limited_buffer(data: Dataset, _parameters: Parameters) -> Outcome:
    cases = Cases()
    for number in (5, 8):
        gain = tail_minus_front(
            data, lambda row: -_efficiency(row), wanted=lambda t: t > 10, family="threshold", scenario=number
        )
        cases[f"scenario {number}: mark-front is better"] = superior(0.02, gain)
        by_seed = grid(data, family="threshold", scenario=number)
        knees = []
        for strategy, said in (("tail", 10), ("front", 20)):
            found = over_seeds(
                by_seed,
                lambda rows, strategy=strategy: knee(
                    {t: _efficiency(r) for (s, t), r in rows.items() if s == strategy}
                ),  # type: ignore[misc]
            )
            cases[f"scenario {number}: mark-{strategy} drops past {said}"] = within(found, said - 4, said + 4)
            knees.append(f"mark-{strategy} past T = {text(found, digits=0)}")
        cases.tell(
            f"scenario {number}: mark-front better by {text(gain, 100)} points beyond T = 10; efficiency"
            " drops with " + ", ".join(knees)
        )
    return judged(cases, "; ".join(cases.told))


def _window(data: Dataset, _parameters: Parameters) -> Outcome:
    rows = at(data, family="window")
    count = of(rows, "arrivals")
    share = of(rows, "arrivals_close") / count
    measured = f"{text(share, 100)} % of {text(count, digits=0)} arrivals within {SLACK:g} packets"
    return Outcome(
        verdict_of(above(share, 0.95)), measured, "Arrivals within a round trip of a reduction do not count."
    )


def _feedback(data: Dataset, _parameters: Parameters) -> Outcome:
    rows = {
        strategy: at(data, family="threshold", scenario=1, strategy=strategy, threshold=RD)
        for strategy in STRATEGIES
    }
    earlier = of(rows["tail"], "peak_s") - of(rows["front"], "peak_s")
    tail, front = of(rows["tail"], _queue), of(rows["front"], _queue)
    rtt_s = BASE_RTT_MS / 1000
    measured = (
        f"T = rd: mark-front's peak comes {text(earlier, 1000, 0)} ms earlier; largest queue"
        f" {text(tail, 1 / RD, 2)} rd"
        f" and {text(front, 1 / RD, 2)} rd"
    )
    return judged(
        {
            "the peak comes earlier by half to one and a half round trips": within(
                earlier, 0.5 * rtt_s, 1.5 * rtt_s
            ),
            "mark-tail needs 3 rd": within(tail, 3 * RD * 0.85, 3 * RD * 1.15),
            "mark-front needs 2 rd": within(front, 2 * RD * 0.85, 2 * RD * 1.15),
        },
        measured,
    )


def _lossless(data: Dataset, _parameters: Parameters) -> Outcome:
    cases: dict[str, Answer] = {}
    drops = 0
    for row in data.select(family="lossless"):
        name = f"scenario {row['scenario']}, mark-{row['strategy']}, T = {row['threshold']}"
        drops += row["tail_drops"]
        cases[name] = cases.get(name, True) and row["tail_drops"] == 0
    return judged(cases, f"{drops} packets dropped in all runs")


def _long_runs(data: Dataset, parameters: Parameters) -> Outcome:
    cases: dict[str, Answer] = {}
    worst = 0.0
    for number in sorted({row["scenario"] for row in data.select(family="long")}):
        for strategy in STRATEGIES:
            where = {"family": "long", "scenario": number, "strategy": strategy}
            for t in sorted({row["threshold"] for row in data.select(**where)}):
                short, long = (
                    at(data, threshold=t, duration_s=duration_s, **where)
                    for duration_s in (parameters.duration_s, parameters.long_s)
                )
                gap, grown = (of(long, measure) - of(short, measure) for measure in (_efficiency, _queue))
                worst = max(worst, abs(gap.mean))
                name = f"scenario {number}, mark-{strategy}, T = {t}"
                cases[name] = both(equivalent(0.05, gap), equivalent(SLACK, grown))
    return judged(cases, f"Efficiencies differ by at most {worst * 100:.1f} points on the mean")


_TESTED = (
    "Each bound is tested at 2.5 % over seeds, in both directions; strategies are compared seed by seed."
)

CLAIMS = (
    Claim(
        "004-1",
        "Theorem 2",
        "Mark-tail: the largest queue is at most 2T + rd - 1, and as large when T >= rd (equal RTTs).",
        f"Scenarios 1 and 6, every T: largest queue at most {SLACK:g} packets above 2T + rd - 1, and for T"
        " >= rd at"
        f" most {SLACK:g} below. {_TESTED}",
        ("fig3",),
        lambda data, _: _bound(data, "tail"),
    ),
    Claim(
        "004-2",
        "Theorem 3",
        "Mark-front: the largest queue is at most T + rd, and as large when T >= rd (equal RTTs).",
        f"As 004-1, with T + rd. {_TESTED}",
        ("fig3",),
        lambda data, _: _bound(data, "front"),
    ),
    Claim(
        "004-3",
        "Theorem 4",
        "T = rd - 1 gives full utilisation with the least delay; less under-uses the link, more only adds"
        " delay.",
        "One connection after slow start, both strategies: utilisation above 99 % at T = 10 and 20, below"
        " 99 % at"
        f" T = 5; delay at T = 20 more than 5 ms above that at T = 10. {_TESTED}",
        ("theorem4",),
        _best_threshold,
    ),
    Claim(
        "004-4",
        "equations 17, 19",
        "In congestion avoidance the queue is between (T - rd + 1)/2 and T + 1.",
        "Mark-tail after slow start, T = 10, 15, 20, 30: least and largest queue within"
        f" {SLACK:g} packets of the equations. {_TESTED}",
        ("theorem4",),
        _queue_range,
    ),
    Claim(
        "004-5",
        "Figure 3",
        "Mark-front needs less buffer in all scenarios.",
        f"Scenarios 1, 4, 6, 7: largest queue, averaged over T >= {SMALL_T}, smaller by more than a packet."
        f" {_TESTED}",
        ("fig3",),
        _less_buffer,
    ),
    Claim(
        "004-6",
        "Figure 3 (b), (d)",
        "With different RTTs the smallest RTT's estimate is the closer one, the largest's an upper bound.",
        "Scenarios 4 and 7, both strategies: for T >= rd the largest queue is on the mean more than a packet"
        " closer to the estimate of"
        f" the smallest RTT; at every T it is at most {SLACK:g} packets above that of the largest."
        f" {_TESTED}",
        ("fig3",),
        _different_rtts,
    ),
    Claim(
        "004-7",
        "Figure 4",
        "Efficiency rises with T to about rd, then the link is almost fully used.",
        "Scenarios 1, 3, 6, 7, both strategies: efficiency averaged over T >= rd above 95 % and more than 2"
        " points"
        f" above that at the least T. {_TESTED}",
        ("fig4",),
        _efficiency_rises,
    ),
    Claim(
        "004-8",
        "Figure 4 (a), (b), (d), (e)",
        "With unlimited buffer the strategies differ little in efficiency.",
        f"Scenarios 1, 3, 6, 7: absolute difference, averaged over T, below 2 points. {_TESTED}",
        ("fig4",),
        _differ_little,
    ),
    Claim(
        "004-9",
        "Figure 4 (c), (f)",
        "With 25 packets of buffer mark-front is much better; efficiency drops past T = 10 (tail) and 20"
        " (front).",
        "Scenarios 5 and 8: mark-front's efficiency, averaged over T > 10, more than 2 points higher; the"
        " last T"
        f" within 2 points of the best is 10 ± 4 with mark-tail and 20 ± 4 with mark-front. {_TESTED}",
        ("fig4",),
        _limited_buffer,
    ),
    Claim(
        "004-20",
        "Theorem 1",
        "The queue on arrival is Q(t) = w(t - t_p) - rd once the link has been busy for a round trip.",
        f"Scenario 1, mark-tail, T = 20: more than 95 % of such arrivals within {SLACK:g} packets; the"
        " round trip"
        f" after a reduction, when the window is not all outstanding, is left out. {_TESTED}",
        ("theorem1",),
        _window,
    ),
    Claim(
        "004-21",
        "section 4.3",
        "Mark-front saves about one fixed round trip of feedback delay, and buffer from about 3 rd to 2 rd.",
        "Scenario 1, T = rd: the peak comes half to one and a half round trips earlier; largest queues"
        " within 15 %"
        f" of 3 rd and 2 rd. {_TESTED}",
        ("fig3",),
        _feedback,
    ),
    Claim(
        "004-22",
        "Theorems 2, 3",
        "A buffer of the bound's size loses nothing.",
        "Scenarios 1 and 6, both strategies, T from 5 to 32, buffers of 2T + rd - 1 and T + rd packets: no"
        " drop in"
        " any run.",
        ("lossless",),
        _lossless,
    ),
    Claim(
        "004-23",
        "section 6.2",
        "10-second runs show the essential features of 100-second runs.",
        "Scenarios 1, 3, 4, 6, 7, both strategies, four T: efficiency within 5 points and largest queue"
        " within"
        f" {SLACK:g} packets of each other. {_TESTED}",
        ("long",),
        _long_runs,
    ),
)
