# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""The claims, each with the rule that decides it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from .. import paired
from ..declaration import Claim
from ..paired import mean_of
from ..statistics import Estimate, estimate
from ..verdicts import (
    Answer,
    Cases,
    Outcome,
    above,
    below,
    both,
    equivalent,
    every,
    judged,
    not_inferior,
    share_above,
    superior,
    text,
    verdict_of,
    within,
)
from .parameters import PACKETS_PER_S
from .scenarios import ADAPTIVE_START_P, BEST_FLOWS, PLOT_TH

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..dataset import Dataset, Row
    from .parameters import Parameters

MBPS = 1e6
MARGIN = 0.1 * MBPS
"""Goodputs that differ by less than one hundredth of the link count as equal."""
FAIR = 0.01
"""Jain's indices that differ by less count as equal."""
SLOWER_S = 0.001
"""Mean delays that differ by less count as equal."""
LITTLE = 0.3 * MBPS
"""What max_th may change of the goodput where it has little effect."""
CURVES = (("RED", 0.1), ("RED", 0.5), ("ECN", 0.1), ("ECN", 0.5))
ROBUST, AVERAGE, FRAGILE = 2, 1, 0


def _goodput(row: Row) -> float:
    return float(row["goodput_bps"])


def _jain(row: Row) -> float:
    return float(row["jain_index"])


def _of(data: Dataset, scheme: str, flows: int, max_p: float, max_th: float = PLOT_TH) -> dict[int, Row]:
    """The rows of a point by seed."""
    rows = data.select(scheme=scheme, flows=flows, max_p=max_p, max_th=max_th)
    return {row["seed"]: row for row in rows}


def _ecn_is_better(data: Dataset, parameters: Parameters) -> Outcome:
    cases: dict[str, Answer] = {}
    gaps = []
    for flows in parameters.flows:
        for max_p in (0.1, 0.5):
            gap = paired.gap(_of(data, "ECN", flows, max_p), _of(data, "RED", flows, max_p), _goodput)
            cases[f"{flows} flows, max_p {max_p:g}"] = superior(MARGIN, gap)
            gaps.append(f"{flows} flows, {max_p:g}: {text(gap, 1 / MBPS, 2)}")
    return judged(cases, "ECN's goodput above RED's, Mbps: " + "; ".join(gaps))


def _best_of_four(data: Dataset, parameters: Parameters) -> Outcome:
    cases: dict[str, Answer] = {}
    for flows in parameters.flows:
        if flows == 15:
            continue
        best = _of(data, "ECN", flows, 0.5)
        cases[f"{flows} flows"] = both(
            *(
                superior(MARGIN, paired.gap(best, _of(data, scheme, flows, max_p), _goodput))
                for scheme, max_p in CURVES
                if (scheme, max_p) != ("ECN", 0.5)
            )
        )
    verdict, why = every(cases)
    shown = ", ".join(
        f"{flows}: {text(mean_of(_of(data, 'ECN', flows, 0.5), _goodput), 1 / MBPS, 2)}"
        for flows in parameters.flows
    )
    return Outcome(verdict, f"Goodput of ECN with max_p 0.5, Mbps, by flows: {shown}", why)


def _drop(data: Dataset, parameters: Parameters) -> Outcome:
    cases = Cases()
    for scheme, max_p in CURVES[:3]:
        before = _of(data, scheme, 30, max_p)
        for flows in parameters.flows:
            if flows < 60:
                continue
            gap = paired.gap(before, _of(data, scheme, flows, max_p), _goodput)
            cases[f"{scheme} {max_p:g}, {flows} flows"] = superior(0.5 * MBPS, gap)
            if flows in (60, 600):
                cases.tell(f"{scheme} {max_p:g}, {flows} flows: {text(gap, 1 / MBPS, 2)}")
    return cases.outcome("Goodput lost since 30 flows, Mbps: ", "; ")


def _robust_delay(data: Dataset, parameters: Parameters) -> Outcome:
    cases: dict[str, Answer] = {}
    for flows in parameters.flows:
        for scheme in ("RED", "ECN"):
            rows = _of(data, scheme, flows, 0.5)
            for other, name in ((AVERAGE, "average"), (FRAGILE, "fragile")):
                gap = estimate(
                    [
                        row["group_delay_s"][other] - row["group_delay_s"][ROBUST]
                        for _, row in sorted(rows.items())
                    ]
                )
                cases[f"{scheme}, {flows} flows, {name}"] = superior(0.01, gap)
    return judged(cases, "One-way delays of robust flows against the others'")


def _delay_cost(data: Dataset, parameters: Parameters) -> Outcome:
    cases = Cases()
    for flows in parameters.flows:
        ecn, red = _of(data, "ECN", flows, 0.5), _of(data, "RED", flows, 0.5)
        for group, name in ((FRAGILE, "fragile"), (AVERAGE, "average"), (ROBUST, "robust")):
            gap = paired.gap(ecn, red, lambda row, group=group: row["group_delay_s"][group])  # type: ignore[misc]
            cases[f"{flows} flows, {name}"] = both(superior(SLOWER_S, gap), below(gap, 0.05))
            if group == ROBUST:
                cases.tell(f"{flows} flows {text(gap, 1000)}")
    return cases.outcome("ECN's delay above RED's for robust flows, ms: ", ", ")


def _spreads(data: Dataset, scheme: str, flows: int, max_p: float, parameters: Parameters) -> list[float]:
    """Largest less smallest goodput over max_th, with each seed."""
    points = [_of(data, scheme, flows, max_p, max_th) for max_th in parameters.max_th]
    return [
        max(_goodput(point[seed]) for point in points) - min(_goodput(point[seed]) for point in points)
        for seed in sorted(points[0])
    ]


def _little_effect(data: Dataset, parameters: Parameters) -> Outcome:
    cases = Cases()
    for scheme in ("RED", "ECN"):
        for max_p in parameters.max_p:
            if max_p > 0.2:
                spread = estimate(_spreads(data, scheme, 30, max_p, parameters))
                cases[f"{scheme}, max_p {max_p:g}"] = below(spread, LITTLE)
                cases.tell(f"{scheme} {max_p:g}: {text(spread, 1 / MBPS, 2)}")
    return cases.outcome("Spread of goodput over max_th, Mbps: ", ", ")


def _highest(data: Dataset, parameters: Parameters) -> Outcome:
    top = _of(data, "ECN", 120, 0.5, 30.0)
    cases: dict[str, Answer] = {}
    for scheme in ("RED", "ECN"):
        for max_p in parameters.max_p:
            for max_th in parameters.max_th:
                if (scheme, max_p, max_th) != ("ECN", 0.5, 30.0):
                    gap = paired.gap(top, _of(data, scheme, 120, max_p, max_th), _goodput)
                    cases[f"{scheme} {max_p:g}, {max_th:g}"] = not_inferior(MARGIN, gap)
    return judged(cases, f"Goodput at ECN 0.5, 30: {text(mean_of(top, _goodput), 1 / MBPS, 2)} Mbps")


def _best(data: Dataset, scheme: str, flows: int, parameters: Parameters) -> list[float]:
    """The best goodput in the grid with each seed."""
    rows: dict[int, list[float]] = {}
    for row in data.select(scheme=scheme, flows=flows):
        if row["max_p"] in parameters.max_p and row["max_th"] in parameters.max_th:
            rows.setdefault(row["seed"], []).append(_goodput(row))
    return [max(rows[seed]) for seed in sorted(rows)]


def _no_red(data: Dataset, parameters: Parameters) -> Outcome:
    red, ecn = (_best(data, scheme, 120, parameters) for scheme in ("RED", "ECN"))
    ratio = estimate([marked / dropped for dropped, marked in zip(red, ecn, strict=True)])
    measured = (
        f"Best goodput: RED {text(estimate(red), 1 / MBPS, 2)}, ECN {text(estimate(ecn), 1 / MBPS, 2)} Mbps"
    )
    return Outcome(verdict_of(superior(0.05, ratio, over=1)), measured, "")


def _fairer(data: Dataset, parameters: Parameters) -> Outcome:
    by_seed: dict[int, list[bool]] = {}
    for flows in parameters.flows:
        for max_p in (0.1, 0.5):
            ecn, red = _of(data, "ECN", flows, max_p), _of(data, "RED", flows, max_p)
            for seed in ecn:
                by_seed.setdefault(seed, []).append(_jain(ecn[seed]) > _jain(red[seed]) + FAIR)
    verdict, share = share_above([by_seed[seed] for seed in sorted(by_seed)], 0.85)
    return Outcome(verdict, f"ECN is the fairer in {text(share, 100, 0)} % of the situations", "")


def _unfair(data: Dataset, parameters: Parameters) -> Outcome:
    cases = Cases()
    for flows in parameters.flows:
        if flows > 120:
            for scheme, max_p in CURVES:
                index = mean_of(_of(data, scheme, flows, max_p), _jain)
                cases[f"{scheme} {max_p:g}, {flows} flows"] = below(index, 0.8)
                cases.tell(f"{scheme} {max_p:g}, {flows}: {text(index, digits=2)}")
    return cases.outcome("Jain's index: ", ", ")


def _fairest(data: Dataset, _parameters: Parameters) -> Outcome:
    cases = Cases()
    for flows, winner in ((30, 0.1), (60, 0.5), (120, 0.5)):
        best = _of(data, "ECN", flows, winner)
        for scheme, max_p in CURVES:
            if (scheme, max_p) != ("ECN", winner):
                gap = paired.gap(best, _of(data, scheme, flows, max_p), _jain)
                cases[f"{flows} flows, ECN {winner:g} above {scheme} {max_p:g}"] = superior(FAIR, gap)
        cases.tell(f"ECN {winner:g} at {flows} flows: {text(mean_of(best, _jain), digits=3)}")
    return cases.outcome("Jain's index: ", ", ")


def _locked_out(data: Dataset, parameters: Parameters) -> Outcome:
    cases = Cases()
    for flows in parameters.flows:
        for scheme in ("RED", "ECN"):
            few, many = (_of(data, scheme, flows, max_p) for max_p in (0.1, 0.5))
            count = estimate(
                [(few[seed]["locked_out"] + many[seed]["locked_out"]) / 2 for seed in sorted(few)]
            )
            cases[f"{scheme}, {flows} flows"] = above(count, 0.5) if flows > 120 else below(count, 0.5)
            cases.tell(f"{scheme} {flows}: {text(count)}")
    return cases.outcome("Flows without any goodput: ", ", ")


def _share(row: Row, group: int) -> float:
    return float(row["group_goodput_bps"][group])


def _robust_gain(data: Dataset, _parameters: Parameters) -> Outcome:
    ecn, red, before = _of(data, "ECN", 30, 0.8), _of(data, "RED", 30, 0.8), _of(data, "ECN", 30, 0.2)
    gain = paired.gap(ecn, red, lambda row: _share(row, ROBUST))
    closing = paired.gap(before, ecn, lambda row: _share(row, ROBUST) - _share(row, FRAGILE))
    measured = (
        f"Robust flows: {text(gain, 1 / MBPS, 2)} Mbps more with ECN than with RED; the gap falls by"
        f" {text(closing, 1 / MBPS, 2)} Mbps from max_p 0.2 to 0.8"
    )
    return judged(
        {
            "robust flows gain": superior(MARGIN, gain),
            "the gap to fragile flows is not reduced": below(closing, MARGIN),
        },
        measured,
    )


def _redistribution(data: Dataset, _parameters: Parameters) -> Outcome:
    few, many = _of(data, "ECN", 30, 0.8), _of(data, "ECN", 120, 0.8)
    gaps = {
        name: paired.gap(many, few, lambda row, group=group: _share(row, group))  # type: ignore[misc]
        for name, group in (("robust", ROBUST), ("average", AVERAGE), ("fragile", FRAGILE))
    }
    verdict, why = every(
        {
            "robust falls": below(gaps["robust"], -MARGIN),
            "average rises": superior(MARGIN, gaps["average"]),
            "fragile rises": superior(MARGIN, gaps["fragile"]),
        }
    )
    measured = ", ".join(f"{name} {text(gap, 1 / MBPS, 2)}" for name, gap in gaps.items())
    return Outcome(verdict, f"ECN's goodput from 30 to 120 flows, Mbps: {measured}", why)


def _ratio(data: Dataset, flows: int, max_p: float, column: str) -> Estimate:
    """RED's over ECN's, paired by seed."""
    ecn, red = _of(data, "ECN", flows, max_p), _of(data, "RED", flows, max_p)
    return estimate([red[seed][column] / ecn[seed][column] for seed in sorted(ecn)])


def _fifteen(data: Dataset, _parameters: Parameters) -> Outcome:
    ratio = _ratio(data, 120, 0.8, "goodput_bps")
    new = _ratio(data, 120, 0.8, "delivered_bps")
    measured = f"RED's goodput is {text(ratio, 100)} % of ECN's"
    return Outcome(
        verdict_of(within(ratio, 0.80, 0.90)),
        measured,
        f"With needed retransmissions counted: {text(new, 100)} %.",
    )


def _hidden(data: Dataset, _parameters: Parameters) -> Outcome:
    ratio = _ratio(data, 120, 0.8, "throughput_bps")
    measured = f"RED's throughput is {text(ratio, 100)} % of ECN's"
    return Outcome(verdict_of(equivalent(0.05, ratio, over=1)), measured, "")


def _against_ecnm(data: Dataset, parameters: Parameters) -> Outcome:
    cases = Cases()
    for max_p in parameters.max_p:
        if max_p >= 0.5:
            gap = paired.gap(_of(data, "ECN", 120, max_p), _of(data, "ECNM", 120, max_p), _goodput)
            cases[f"max_p {max_p:g}"] = superior(MARGIN, gap)
            cases.tell(f"{max_p:g}: {text(gap, 1 / MBPS, 2)}")
    least = min(parameters.max_p)
    gap = paired.gap(_of(data, "ECNM", 120, least), _of(data, "ECN", 120, least), _goodput)
    cases[f"max_p {least:g}: ECNM is no worse"] = not_inferior(MARGIN, gap)
    return cases.outcome("ECN's goodput above ECNM's at max_th 30, Mbps, by max_p: ", ", ")


def _sensitive(data: Dataset, parameters: Parameters) -> Outcome:
    def spreads(scheme: str) -> list[float]:
        by_p = [_spreads(data, scheme, 120, max_p, parameters) for max_p in parameters.max_p]
        return [math.fsum(seed) / len(seed) for seed in zip(*by_p, strict=True)]

    marked, plain = spreads("ECNM"), spreads("ECN")
    more = estimate([a - b for a, b in zip(marked, plain, strict=True)])
    measured = (
        f"Spread over max_th, averaged over max_p: ECNM {text(estimate(marked), 1 / MBPS, 2)} Mbps,"
        f" {text(more, 1 / MBPS, 2)} above ECN's"
    )
    return judged(
        {
            "not little": above(estimate(marked), LITTLE),
            "more than plain ECN": superior(LITTLE, more),
        },
        measured,
    )


def _adaptive(data: Dataset, parameters: Parameters) -> Outcome:
    cases = Cases()
    for flows in parameters.flows:
        fixed = [_of(data, "ECN", flows, max_p) for max_p in parameters.max_p]
        best = max(fixed, key=lambda rows: mean_of(rows, _goodput).mean)
        steered = _of(data, "AECN", flows, ADAPTIVE_START_P)
        goodput, fairness = paired.gap(steered, best, _goodput), paired.gap(steered, best, _jain)
        cases[f"{flows} flows"] = both(not_inferior(MARGIN, goodput), superior(FAIR, fairness))
        max_p = next(iter(best.values()))["max_p"]
        cases.tell(
            f"{flows} flows (best fixed {max_p:g}): {text(goodput, 1 / MBPS, 2)} Mbps, {text(fairness, 1, 3)}"
        )
    return cases.outcome("Adaptive ECN less the best fixed max_p, goodput and Jain: ", "; ")


def _best_by_flows(data: Dataset, parameters: Parameters) -> Outcome:
    best = {flows: _best_max_p(data, flows, parameters) for flows in BEST_FLOWS}
    few, many = best[min(BEST_FLOWS)], best[max(BEST_FLOWS)]
    rise = estimate([after - before for before, after in zip(few, many, strict=True)])
    crowd = {p: _of(data, "ECN", max(BEST_FLOWS), p) for p in parameters.max_p}
    lost = estimate(
        [
            _goodput(crowd[after][seed]) - _goodput(crowd[before][seed])
            for seed, before, after in zip(sorted(crowd[parameters.max_p[0]]), few, many, strict=True)
        ]
    )
    shown = ", ".join(f"{flows} flows {text(estimate(values), digits=2)}" for flows, values in best.items())
    measured = (
        f"max_p of the best goodput: {shown}; {max(BEST_FLOWS)} flows lose {text(lost, 1 / MBPS, 2)} Mbps"
        f" with that of {min(BEST_FLOWS)}"
    )
    return judged({"raised": superior(0.1, rise), "it matters": superior(MARGIN, lost)}, measured)


def _best_max_p(data: Dataset, flows: int, parameters: Parameters) -> list[float]:
    """The max_p of ECN's best goodput with each seed."""
    points = {p: _of(data, "ECN", flows, p) for p in parameters.max_p}
    return [
        max(points, key=lambda p: _goodput(points[p][seed])) for seed in sorted(points[parameters.max_p[0]])
    ]


def _retransmissions(data: Dataset, parameters: Parameters) -> Outcome:
    cases = Cases()
    hundredth = 0.01 * PACKETS_PER_S * (parameters.duration_s - parameters.warmup_s)
    for flows in parameters.flows:
        for max_p in (0.1, 0.5):
            gap = paired.gap(
                _of(data, "RED", flows, max_p),
                _of(data, "ECN", flows, max_p),
                lambda row: float(row["retransmissions"]),
            )
            cases[f"{flows} flows, max_p {max_p:g}"] = superior(hundredth, gap)
            if max_p == 0.5:
                cases.tell(f"{flows}: {text(gap, digits=0)}")
    return cases.outcome("RED's retransmissions above ECN's at max_p 0.5, by flows: ", ", ")


def _three_figures(data: Dataset, _parameters: Parameters) -> Outcome:
    places = {"Figure 7": (30, 0.2), "Figure 8": (30, 0.8), "Figure 9": (120, 0.8)}
    gaps: dict[str, list[float]] = {}
    for name, (flows, max_p) in places.items():
        ecn, red = (_of(data, scheme, flows, max_p) for scheme in ("ECN", "RED"))
        gaps[name] = [_goodput(ecn[seed]) - _goodput(red[seed]) for seed in sorted(ecn)]
    cases: dict[str, Answer] = {name: superior(MARGIN, estimate(gap)) for name, gap in gaps.items()}
    for name in ("Figure 7", "Figure 8"):
        more = estimate([a - b for a, b in zip(gaps["Figure 9"], gaps[name], strict=True)])
        cases[f"more than in {name}"] = superior(MARGIN, more)
    verdict, why = every(cases)
    measured = ", ".join(f"{name} {text(estimate(gap), 1 / MBPS, 2)}" for name, gap in gaps.items())
    return Outcome(verdict, f"ECN's goodput above RED's, Mbps: {measured}", why)


def _unfair_to_groups(data: Dataset, parameters: Parameters) -> Outcome:
    cases = Cases()
    for flows in parameters.flows:
        for scheme in ("RED", "ECN"):
            rows = _of(data, scheme, flows, 0.5)
            for group, name in ((FRAGILE, "fragile"), (AVERAGE, "average")):
                ratio = mean_of(
                    rows,
                    lambda row, group=group: (
                        row["group_delivered_bps"][group] / row["group_delivered_bps"][ROBUST]
                    ),  # type: ignore[misc]
                )
                cases[f"{scheme}, {flows} flows, {name}"] = below(ratio, 0.8)
                if flows in (30, 120) and name == "fragile":
                    cases.tell(f"{scheme}, {flows} flows: {text(ratio, digits=2)}")
    return cases.outcome("Fragile flows' goodput over robust ones': ", ", ")


_TESTED = "Each bound is tested at 2.5 % over seeds, in both directions; schemes are compared seed by seed."
_GOODPUT = "Goodput as the paper defines it: first transmissions that were delivered."


def _claim(
    number: int,
    where: str,
    says: str,
    rule: str,
    needs: Sequence[str],
    decide: Callable[[Dataset, Parameters], Outcome],
) -> Claim:
    return Claim(f"000-{number}", where, says, f"{rule} {_TESTED}", tuple(needs), decide)


CLAIMS = (
    _claim(
        1,
        "abstract, Figures 2 to 9",
        "ECN gives better goodput than RED.",
        f"More than 0.1 Mbps higher at every number of flows and max_p of Figure 2. {_GOODPUT}",
        ["fig2"],
        _ecn_is_better,
    ),
    _claim(
        2,
        "Figure 2",
        "ECN with max_p = 0.5 gives the best goodput of the four for all flow counts but 15.",
        f"More than 0.1 Mbps above each of the other three at every number of flows but 15. {_GOODPUT}",
        ["fig2"],
        _best_of_four,
    ),
    _claim(
        3,
        "Figure 2",
        "The other three show a marked drop in goodput beginning at 64 (60) flows.",
        "Each of the three loses more than 0.5 Mbps from 30 to 60 and to every greater number of flows.",
        ["fig2"],
        _drop,
    ),
    _claim(
        4,
        "Figure 3",
        "Robust flows have a clear advantage in delay.",
        "Their mean one-way delay is more than 10 ms less than that of each other group, at every number of"
        " flows.",
        ["fig3"],
        _robust_delay,
    ),
    _claim(
        5,
        "Figure 3",
        "ECN's goodput gain costs a small increase in one-way delay.",
        "ECN's mean delay is above RED's, by 1 to 50 ms, for every group and number of flows.",
        ["fig3"],
        _delay_cost,
    ),
    _claim(
        6,
        "Figure 4",
        "At 30 flows max_th has little effect on goodput above max_p = 0.2.",
        "For RED and ECN and each max_p above 0.2 the goodput varies by less than 0.3 Mbps over max_th.",
        ["fig4"],
        _little_effect,
    ),
    _claim(
        7,
        "Figure 5",
        "At 120 flows ECN with max_p 0.5, max_th 30 yields the highest goodput.",
        "No other point of the grid is more than 0.1 Mbps better.",
        ["fig5"],
        _highest,
    ),
    _claim(
        8,
        "Figure 5",
        "At 120 flows no max_p works well for RED.",
        "ECN's best goodput in the grid is more than 5 % above RED's best.",
        ["fig5"],
        _no_red,
    ),
    _claim(
        9,
        "Figure 6",
        "ECN is fairer than RED (Jain) in almost all situations.",
        "ECN's index is more than 0.01 higher in more than 85 % of the flow counts and max_p of Figure 6.",
        ["fig6"],
        _fairer,
    ),
    _claim(
        10,
        "Figure 6",
        "Above 120 flows nothing prevents unfairness.",
        "Jain's index is below 0.8 for all four curves at every number of flows above 120.",
        ["fig6"],
        _unfair,
    ),
    _claim(
        11,
        "Figure 6",
        "ECN with max_p 0.1 is fairest at 30 flows, 0.5 is fairest at 60 and 120.",
        "Its index is more than 0.01 above each of the other three.",
        ["fig6"],
        _fairest,
    ),
    _claim(
        12,
        "section 4",
        "Locked-out flows appear above 120 flows with RED and ECN.",
        "Flows without goodput, averaged over both max_p: for each scheme more than half a flow at every"
        " number of flows above 120, and less up to 120.",
        ["fig6"],
        _locked_out,
    ),
    _claim(
        13,
        "Figures 7, 8",
        "At 30 flows, max_p 0.8 gives robust flows better goodput with ECN than with RED,"
        " but does not reduce the robust-fragile gap.",
        "Robust goodput is more than 0.1 Mbps higher with ECN; from max_p 0.2 to 0.8 ECN's gap falls by less"
        " than 0.1 Mbps.",
        ["fig7", "fig8"],
        _robust_gain,
    ),
    _claim(
        14,
        "Figure 9",
        "At 120 flows, max_p 0.8: robust goodput falls, average and fragile rise slightly"
        " (against Figure 8).",
        "From 30 to 120 flows ECN's goodput changes by more than 0.1 Mbps so, for each group.",
        ["fig8", "fig9"],
        _redistribution,
    ),
    _claim(
        15,
        "Figure 9",
        "RED has 15 % lower goodput than ECN.",
        "At 120 flows, max_p 0.8, max_th 30 RED's goodput is 80 % to 90 % of ECN's.",
        ["fig9"],
        _fifteen,
    ),
    _claim(
        16,
        "Figure 10",
        "The difference is hidden in throughput: RED is only slightly lower.",
        "RED's throughput is within 5 % of ECN's.",
        ["fig10"],
        _hidden,
    ),
    _claim(
        17,
        "Figure 11",
        "ECN gives better goodput than ECNM except at small max_p (120 flows).",
        "At max_th 30: more than 0.1 Mbps better at each max_p from 0.5 on; at the least ECNM is not 0.1 Mbps"
        " worse.",
        ["fig11"],
        _against_ecnm,
    ),
    _claim(
        18,
        "Figure 11",
        "ECNM is quite sensitive to max_th.",
        "Averaged over max_p, its goodput varies over max_th by more than 0.3 Mbps, and by more than 0.3 Mbps"
        " more than plain ECN's.",
        ["fig11"],
        _sensitive,
    ),
    _claim(
        19,
        "abstract",
        "The marking probability must be raised aggressively with many flows.",
        "The max_p of the best goodput is more than 0.1 higher at 240 flows than at 30, and 240 flows lose"
        " more than 0.1 Mbps with that of 30.",
        ["best"],
        _best_by_flows,
    ),
    _claim(
        20,
        "conclusion",
        "An adaptive ECN, with max_p by round-trip time and number of flows, should do better.",
        "At every number of flows its goodput is at most 0.1 Mbps below, and Jain's index more than 0.01"
        " above, that of the fixed max_p with the best goodput, chosen in hindsight.",
        ["adaptive"],
        _adaptive,
    ),
    _claim(
        21,
        "section 4",
        "RED's drops cause more TCP retransmissions than ECN's marks.",
        "By more than a hundredth of what the link carries, at every number of flows and max_p of Figure 2.",
        ["fig2"],
        _retransmissions,
    ),
    _claim(
        22,
        "section 4",
        "ECN has the better aggregate goodput in Figures 7, 8, 9; the difference is largest in 9.",
        "More than 0.1 Mbps higher in each; the gap in Figure 9 is more than 0.1 Mbps larger than in 7 and 8."
        f" {_GOODPUT}",
        ["fig7", "fig8", "fig9"],
        _three_figures,
    ),
    _claim(
        23,
        "conclusion",
        "Neither RED nor ECN is fair to fragile and average flows.",
        "At max_p 0.5 and every number of flows, both groups get less than 80 % of what robust flows get.",
        ["fig2"],
        _unfair_to_groups,
    ),
)
