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
    every,
    judged,
    share_above,
    text,
    verdict_of,
)
from .scenarios import ADAPTIVE_START_P, BEST_FLOWS, PLOT_TH

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..dataset import Dataset, Row
    from .parameters import Parameters

MBPS = 1e6
MARGIN = 0.1 * MBPS
"""Goodputs that differ by less than one hundredth of the link count as equal."""
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
            cases[f"{flows} flows, max_p {max_p:g}"] = above(gap, 0)
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
                above(paired.gap(best, _of(data, scheme, flows, max_p), _goodput), 0)
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
            cases[f"{scheme} {max_p:g}, {flows} flows"] = above(gap, 0.5 * MBPS)
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
                cases[f"{scheme}, {flows} flows, {name}"] = above(gap, 0.01)
    return judged(cases, "One-way delays of robust flows against the others'")


def _delay_cost(data: Dataset, parameters: Parameters) -> Outcome:
    cases = Cases()
    for flows in parameters.flows:
        ecn, red = _of(data, "ECN", flows, 0.5), _of(data, "RED", flows, 0.5)
        for group, name in ((FRAGILE, "fragile"), (AVERAGE, "average"), (ROBUST, "robust")):
            gap = paired.gap(ecn, red, lambda row, group=group: row["group_delay_s"][group])  # type: ignore[misc]
            cases[f"{flows} flows, {name}"] = both(above(gap, 0), below(gap, 0.05))
            if group == ROBUST:
                cases.tell(f"{flows} flows {text(gap, 1000)}")
    return cases.outcome("ECN's delay above RED's for robust flows, ms: ", ", ")


def _spread(data: Dataset, scheme: str, flows: int, max_p: float, parameters: Parameters) -> Estimate:
    """Largest less smallest goodput over max_th."""
    points = [_of(data, scheme, flows, max_p, max_th) for max_th in parameters.max_th]
    return estimate(
        [
            max(_goodput(point[seed]) for point in points) - min(_goodput(point[seed]) for point in points)
            for seed in sorted(points[0])
        ]
    )


def _little_effect(data: Dataset, parameters: Parameters) -> Outcome:
    cases = Cases()
    for scheme in ("RED", "ECN"):
        for max_p in parameters.max_p:
            if max_p > 0.2:
                spread = _spread(data, scheme, 30, max_p, parameters)
                cases[f"{scheme}, max_p {max_p:g}"] = below(spread, 0.3 * MBPS)
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
                    cases[f"{scheme} {max_p:g}, {max_th:g}"] = above(gap, -MARGIN)
    return judged(cases, f"Goodput at ECN 0.5, 30: {text(mean_of(top, _goodput), 1 / MBPS, 2)} Mbps")


def _best(data: Dataset, scheme: str, flows: int, parameters: Parameters) -> Estimate:
    rows: dict[int, list[float]] = {}
    for row in data.select(scheme=scheme, flows=flows):
        if row["max_p"] in parameters.max_p and row["max_th"] in parameters.max_th:
            rows.setdefault(row["seed"], []).append(_goodput(row))
    return estimate([max(rows[seed]) for seed in sorted(rows)])


def _no_red(data: Dataset, parameters: Parameters) -> Outcome:
    red, ecn = _best(data, "RED", 120, parameters), _best(data, "ECN", 120, parameters)
    gap = Estimate(ecn.mean - red.mean, ecn.half_width + red.half_width, red.n)
    measured = f"Best goodput: RED {text(red, 1 / MBPS, 2)}, ECN {text(ecn, 1 / MBPS, 2)} Mbps"
    return Outcome(verdict_of(above(gap, 0.05 * ecn.mean)), measured, "")


def _fairer(data: Dataset, parameters: Parameters) -> Outcome:
    by_seed: dict[int, list[bool]] = {}
    for flows in parameters.flows:
        for max_p in (0.1, 0.5):
            ecn, red = _of(data, "ECN", flows, max_p), _of(data, "RED", flows, max_p)
            for seed in ecn:
                by_seed.setdefault(seed, []).append(_jain(ecn[seed]) > _jain(red[seed]))
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
                cases[f"{flows} flows, ECN {winner:g} above {scheme} {max_p:g}"] = above(gap, 0)
        cases.tell(f"ECN {winner:g} at {flows} flows: {text(mean_of(best, _jain), digits=3)}")
    return cases.outcome("Jain's index: ", ", ")


def _locked_out(data: Dataset, parameters: Parameters) -> Outcome:
    cases = Cases()
    for flows in parameters.flows:
        for scheme in ("RED", "ECN"):
            counts = [
                mean_of(_of(data, scheme, flows, max_p), lambda row: float(row["locked_out"]))
                for max_p in (0.1, 0.5)
            ]
            most = max(counts, key=lambda count: count.mean)
            cases[f"{scheme}, {flows} flows"] = above(most, 0) if flows > 120 else below(most, 0.5)
            cases.tell(f"{scheme} {flows}: {text(most, digits=0)}")
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
            "robust flows gain": above(gain, 0),
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
            "robust falls": below(gaps["robust"], 0),
            "average rises": above(gaps["average"], 0),
            "fragile rises": above(gaps["fragile"], 0),
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
    low, high = above(ratio, 0.80), below(ratio, 0.90)
    measured = f"RED's goodput is {text(ratio, 100)} % of ECN's"
    return Outcome(
        verdict_of(both(low, high)), measured, f"With needed retransmissions counted: {text(new, 100)} %."
    )


def _hidden(data: Dataset, _parameters: Parameters) -> Outcome:
    ratio = _ratio(data, 120, 0.8, "throughput_bps")
    measured = f"RED's throughput is {text(ratio, 100)} % of ECN's"
    return Outcome(verdict_of(both(above(ratio, 0.95), below(ratio, 1.0))), measured, "")


def _against_ecnm(data: Dataset, parameters: Parameters) -> Outcome:
    cases = Cases()
    for max_p in parameters.max_p:
        if max_p >= 0.5:
            gap = paired.gap(_of(data, "ECN", 120, max_p), _of(data, "ECNM", 120, max_p), _goodput)
            cases[f"max_p {max_p:g}"] = above(gap, 0)
            cases.tell(f"{max_p:g}: {text(gap, 1 / MBPS, 2)}")
    least = min(parameters.max_p)
    gap = paired.gap(_of(data, "ECNM", 120, least), _of(data, "ECN", 120, least), _goodput)
    cases[f"max_p {least:g}: ECNM is better"] = above(gap, 0)
    return cases.outcome("ECN's goodput above ECNM's at max_th 30, Mbps, by max_p: ", ", ")


def _sensitive(data: Dataset, parameters: Parameters) -> Outcome:
    def mean_spread(scheme: str) -> Estimate:
        spreads = [_spread(data, scheme, 120, max_p, parameters) for max_p in parameters.max_p]
        return Estimate(
            math.fsum(s.mean for s in spreads) / len(spreads),
            math.fsum(s.half_width for s in spreads) / len(spreads),
            spreads[0].n,
        )

    spread = mean_spread("ECNM")
    measured = f"Spread over max_th, averaged over max_p: {text(spread, 1 / MBPS, 2)} Mbps"
    return Outcome(
        verdict_of(above(spread, 0.5 * MBPS)), measured, f"ECN: {text(mean_spread('ECN'), 1 / MBPS, 2)} Mbps."
    )


def _adaptive(data: Dataset, parameters: Parameters) -> Outcome:
    cases = Cases()
    for flows in parameters.flows:
        fixed = [_of(data, "ECN", flows, max_p) for max_p in parameters.max_p]
        best = max(fixed, key=lambda rows: mean_of(rows, _goodput).mean)
        steered = _of(data, "AECN", flows, ADAPTIVE_START_P)
        goodput, fairness = paired.gap(steered, best, _goodput), paired.gap(steered, best, _jain)
        cases[f"{flows} flows"] = both(above(goodput, -MARGIN), above(fairness, 0))
        max_p = next(iter(best.values()))["max_p"]
        cases.tell(
            f"{flows} flows (best fixed {max_p:g}): {text(goodput, 1 / MBPS, 2)} Mbps, {text(fairness, 1, 3)}"
        )
    return cases.outcome("Adaptive ECN less the best fixed max_p, goodput and Jain: ", "; ")


def _best_by_flows(data: Dataset, parameters: Parameters) -> Outcome:
    best: dict[int, Estimate] = {}
    for flows in BEST_FLOWS:
        seeds = sorted(_of(data, "ECN", flows, parameters.max_p[0]))
        winners = []
        for seed in seeds:
            points = {p: _goodput(_of(data, "ECN", flows, p)[seed]) for p in parameters.max_p}
            winners.append(max(points, key=lambda p: points[p]))
        best[flows] = estimate(winners)
    few, many = best[min(BEST_FLOWS)], best[max(BEST_FLOWS)]
    rise = Estimate(many.mean - few.mean, many.half_width + few.half_width, few.n)
    shown = ", ".join(f"{flows} flows {text(value, digits=2)}" for flows, value in best.items())
    return Outcome(verdict_of(above(rise, 0.1)), f"max_p of the best goodput: {shown}", "")


def _retransmissions(data: Dataset, parameters: Parameters) -> Outcome:
    cases = Cases()
    for flows in parameters.flows:
        for max_p in (0.1, 0.5):
            gap = paired.gap(
                _of(data, "RED", flows, max_p),
                _of(data, "ECN", flows, max_p),
                lambda row: float(row["retransmissions"]),
            )
            cases[f"{flows} flows, max_p {max_p:g}"] = above(gap, 0)
            if max_p == 0.5:
                cases.tell(f"{flows}: {text(gap, digits=0)}")
    return cases.outcome("RED's retransmissions above ECN's at max_p 0.5, by flows: ", ", ")


def _three_figures(data: Dataset, _parameters: Parameters) -> Outcome:
    places = {"Figure 7": (30, 0.2), "Figure 8": (30, 0.8), "Figure 9": (120, 0.8)}
    gaps = {
        name: paired.gap(_of(data, "ECN", flows, max_p), _of(data, "RED", flows, max_p), _goodput)
        for name, (flows, max_p) in places.items()
    }
    last = gaps["Figure 9"]
    cases: dict[str, Answer] = {name: above(gap, 0) for name, gap in gaps.items()}
    for name in ("Figure 7", "Figure 8"):
        more = Estimate(last.mean - gaps[name].mean, last.half_width + gaps[name].half_width, last.n)
        cases[f"more than in {name}"] = above(more, 0)
    verdict, why = every(cases)
    measured = ", ".join(f"{name} {text(gap, 1 / MBPS, 2)}" for name, gap in gaps.items())
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


_INTERVAL = "All bounds are met by the whole 95 % confidence interval over seeds."
_GOODPUT = "Goodput as the paper defines it, without any retransmitted packet."


def _claim(
    number: int,
    where: str,
    says: str,
    rule: str,
    needs: Sequence[str],
    decide: Callable[[Dataset, Parameters], Outcome],
) -> Claim:
    return Claim(f"000-{number}", where, says, f"{rule} {_INTERVAL}", tuple(needs), decide)


CLAIMS = (
    _claim(
        1,
        "abstract, Figures 2 to 9",
        "ECN gives better goodput than RED.",
        f"Higher at every number of flows and max_p of Figure 2. {_GOODPUT}",
        ["fig2"],
        _ecn_is_better,
    ),
    _claim(
        2,
        "Figure 2",
        "ECN with max_p = 0.5 gives the best goodput of the four for all flow counts but 15.",
        f"Higher than each of the other three at every number of flows but 15. {_GOODPUT}",
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
        "ECN's mean delay is above RED's, by less than 50 ms, for every group and number of flows.",
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
        "RED's best goodput in the grid is more than 5 % below ECN's best.",
        ["fig5"],
        _no_red,
    ),
    _claim(
        9,
        "Figure 6",
        "ECN is fairer than RED (Jain) in almost all situations.",
        "ECN's index is higher in more than 85 % of the flow counts and max_p of Figure 6.",
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
        "Its index is higher than each of the other three.",
        ["fig6"],
        _fairest,
    ),
    _claim(
        12,
        "section 4",
        "Locked-out flows appear above 120 flows with RED and ECN.",
        "At every number of flows above 120 each scheme has flows without goodput (at one max_p at least),"
        " and"
        " below on the mean less than half a flow.",
        ["fig6"],
        _locked_out,
    ),
    _claim(
        13,
        "Figures 7, 8",
        "At 30 flows, max_p 0.8 gives robust flows better goodput with ECN than with RED,"
        " but does not reduce the robust-fragile gap.",
        "Robust goodput is higher with ECN; from max_p 0.2 to 0.8 ECN's gap falls by less than 0.1 Mbps.",
        ["fig7", "fig8"],
        _robust_gain,
    ),
    _claim(
        14,
        "Figure 9",
        "At 120 flows, max_p 0.8: robust goodput falls, average and fragile rise slightly"
        " (against Figure 8).",
        "ECN's group goodputs at 120 flows against those at 30.",
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
        "RED's throughput is below ECN's by less than 5 %.",
        ["fig10"],
        _hidden,
    ),
    _claim(
        17,
        "Figure 11",
        "ECN gives better goodput than ECNM except at small max_p (120 flows).",
        "At max_th 30: better at each max_p from 0.5 on, worse at the least.",
        ["fig11"],
        _against_ecnm,
    ),
    _claim(
        18,
        "Figure 11",
        "ECNM is quite sensitive to max_th.",
        "Averaged over max_p, its goodput varies by more than 0.5 Mbps over max_th.",
        ["fig11"],
        _sensitive,
    ),
    _claim(
        19,
        "abstract",
        "The marking probability must be raised aggressively with many flows.",
        "The max_p of the best goodput is more than 0.1 higher at 240 flows than at 30.",
        ["best"],
        _best_by_flows,
    ),
    _claim(
        20,
        "conclusion",
        "An adaptive ECN, with max_p by round-trip time and number of flows, should do better.",
        "At every number of flows its goodput is at most 0.1 Mbps below, and Jain's index above, that of"
        " the fixed max_p with the best goodput, chosen in hindsight.",
        ["adaptive"],
        _adaptive,
    ),
    _claim(
        21,
        "section 4",
        "RED's drops cause more TCP retransmissions than ECN's marks.",
        "More at every number of flows and max_p of Figure 2.",
        ["fig2"],
        _retransmissions,
    ),
    _claim(
        22,
        "section 4",
        "ECN has the better aggregate goodput in Figures 7, 8, 9; the difference is largest in 9.",
        f"Higher in each; the gap in Figure 9 is larger than in 7 and 8. {_GOODPUT}",
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
