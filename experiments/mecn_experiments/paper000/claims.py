# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""The claims, each with the rule that decides it."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from ..declaration import Claim
from ..paired import Sample, at, largest, mean, of, sample, spread
from ..verdicts import (
    Answer,
    Cases,
    Outcome,
    above,
    below,
    both,
    equivalent,
    judged,
    not_inferior,
    share_above,
    superior,
    text,
    verdict_of,
    within,
)
from .parameters import GROUPS, PACKETS_PER_S
from .scenarios import ADAPTIVE_START_P, BEST_FLOWS, PLOT_P, PLOT_TH

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..dataset import Dataset
    from ..paired import Measure, Rows
    from ..statistics import Estimate
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


def _at(data: Dataset, scheme: str, flows: int, max_p: float, max_th: float = PLOT_TH) -> Rows:
    return at(data, scheme=scheme, flows=flows, max_p=max_p, max_th=max_th)


def _goodput(data: Dataset, scheme: str, flows: int, max_p: float, max_th: float = PLOT_TH) -> Sample:
    return of(_at(data, scheme, flows, max_p, max_th), "goodput_bps")


def _jain(data: Dataset, scheme: str, flows: int, max_p: float) -> Sample:
    return of(_at(data, scheme, flows, max_p), "jain_index")


def _of_group(column: str, group: int) -> Measure:
    """A column's value of a group."""
    return lambda row: float(row[column][group])


def _mbps(value: Estimate) -> str:
    return text(value, 1 / MBPS, 2)


def _ecn_is_better(data: Dataset, parameters: Parameters) -> Outcome:
    cases = Cases()
    for flows in parameters.flows:
        for max_p in PLOT_P:
            gap = _goodput(data, "ECN", flows, max_p) - _goodput(data, "RED", flows, max_p)
            cases[f"{flows} flows, max_p {max_p:g}"] = superior(MARGIN, gap)
            cases.tell(f"{flows} flows, {max_p:g}: {_mbps(gap)}")
    return cases.outcome("ECN's goodput above RED's, Mbps: ", "; ")


def _best_of_four(data: Dataset, parameters: Parameters) -> Outcome:
    cases = Cases()
    for flows in parameters.flows:
        best = _goodput(data, "ECN", flows, 0.5)
        cases.tell(f"{flows}: {_mbps(best)}")
        if flows != 15:
            others = (_goodput(data, scheme, flows, max_p) for scheme, max_p in CURVES[:3])
            cases[f"{flows} flows"] = both(*(superior(MARGIN, best - other) for other in others))
    return cases.outcome("Goodput of ECN with max_p 0.5, Mbps, by flows: ")


def _drop(data: Dataset, parameters: Parameters) -> Outcome:
    cases = Cases()
    for scheme, max_p in CURVES[:3]:
        before = _goodput(data, scheme, 30, max_p)
        for flows in (n for n in parameters.flows if n >= 60):
            gap = before - _goodput(data, scheme, flows, max_p)
            cases[f"{scheme} {max_p:g}, {flows} flows"] = superior(0.5 * MBPS, gap)
            if flows in (60, 600):
                cases.tell(f"{scheme} {max_p:g}, {flows} flows: {_mbps(gap)}")
    return cases.outcome("Goodput lost since 30 flows, Mbps: ", "; ")


def _robust_delay(data: Dataset, parameters: Parameters) -> Outcome:
    cases = Cases()
    for flows in parameters.flows:
        for scheme in ("RED", "ECN"):
            rows = _at(data, scheme, flows, 0.5)
            robust = of(rows, _of_group("group_delay_s", ROBUST))
            for group, name in ((AVERAGE, "average"), (FRAGILE, "fragile")):
                gap = of(rows, _of_group("group_delay_s", group)) - robust
                cases[f"{scheme}, {flows} flows, {name}"] = superior(0.01, gap)
    return judged(cases, "One-way delays of robust flows against the others'")


def _delay_cost(data: Dataset, parameters: Parameters) -> Outcome:
    cases = Cases()
    for flows in parameters.flows:
        ecn, red = _at(data, "ECN", flows, 0.5), _at(data, "RED", flows, 0.5)
        for group, name in enumerate(GROUPS):
            delay = _of_group("group_delay_s", group)
            gap = of(ecn, delay) - of(red, delay)
            cases[f"{flows} flows, {name}"] = both(superior(SLOWER_S, gap), below(gap, 0.05))
            if group == ROBUST:
                cases.tell(f"{flows} flows {text(gap, 1000)}")
    return cases.outcome("ECN's delay above RED's for robust flows, ms: ")


def _over_max_th(data: Dataset, scheme: str, flows: int, max_p: float, parameters: Parameters) -> Sample:
    """Largest less smallest goodput over max_th."""
    return spread([_goodput(data, scheme, flows, max_p, max_th) for max_th in parameters.max_th])


def _little_effect(data: Dataset, parameters: Parameters) -> Outcome:
    cases = Cases()
    for scheme in ("RED", "ECN"):
        for max_p in (p for p in parameters.max_p if p > 0.2):
            varies = _over_max_th(data, scheme, 30, max_p, parameters)
            cases[f"{scheme}, max_p {max_p:g}"] = below(varies, LITTLE)
            cases.tell(f"{scheme} {max_p:g}: {_mbps(varies)}")
    return cases.outcome("Spread of goodput over max_th, Mbps: ")


def _grid(data: Dataset, scheme: str, parameters: Parameters) -> dict[tuple[float, float], Sample]:
    """Goodput with 120 flows by max_p and max_th (Figure 5)."""
    places = itertools.product(parameters.max_p, parameters.max_th)
    return {place: _goodput(data, scheme, 120, *place) for place in places}


def _highest(data: Dataset, parameters: Parameters) -> Outcome:
    top = _goodput(data, "ECN", 120, 0.5, 30.0)
    cases: dict[str, Answer] = {}
    for scheme in ("RED", "ECN"):
        for place, goodput in _grid(data, scheme, parameters).items():
            if (scheme, *place) != ("ECN", 0.5, 30.0):
                cases[f"{scheme} {place[0]:g}, {place[1]:g}"] = not_inferior(MARGIN, top - goodput)
    return judged(cases, f"Goodput at ECN 0.5, 30: {_mbps(top)} Mbps")


def _no_red(data: Dataset, parameters: Parameters) -> Outcome:
    red, ecn = (largest([*_grid(data, scheme, parameters).values()]) for scheme in ("RED", "ECN"))
    measured = f"Best goodput: RED {_mbps(red)}, ECN {_mbps(ecn)} Mbps"
    return Outcome(verdict_of(superior(0.05, ecn / red, over=1)), measured, "")


def _fairer(data: Dataset, parameters: Parameters) -> Outcome:
    gaps = [
        _jain(data, "ECN", flows, max_p) - _jain(data, "RED", flows, max_p)
        for flows in parameters.flows
        for max_p in PLOT_P
    ]
    by_seed = [[gap.by_seed[seed] > FAIR for gap in gaps] for seed in sorted(gaps[0].by_seed)]
    verdict, share = share_above(by_seed, 0.85)
    return Outcome(verdict, f"ECN is the fairer in {text(share, 100, 0)} % of the situations", "")


def _unfair(data: Dataset, parameters: Parameters) -> Outcome:
    cases = Cases()
    for flows in (n for n in parameters.flows if n > 120):
        for scheme, max_p in CURVES:
            index = _jain(data, scheme, flows, max_p)
            cases[f"{scheme} {max_p:g}, {flows} flows"] = below(index, 0.8)
            cases.tell(f"{scheme} {max_p:g}, {flows}: {text(index, digits=2)}")
    return cases.outcome("Jain's index: ")


def _fairest(data: Dataset, _parameters: Parameters) -> Outcome:
    cases = Cases()
    for flows, winner in ((30, 0.1), (60, 0.5), (120, 0.5)):
        best = _jain(data, "ECN", flows, winner)
        for scheme, max_p in CURVES:
            if (scheme, max_p) != ("ECN", winner):
                gap = best - _jain(data, scheme, flows, max_p)
                cases[f"{flows} flows, ECN {winner:g} above {scheme} {max_p:g}"] = superior(FAIR, gap)
        cases.tell(f"ECN {winner:g} at {flows} flows: {text(best, digits=3)}")
    return cases.outcome("Jain's index: ")


def _locked_out(data: Dataset, parameters: Parameters) -> Outcome:
    cases = Cases()
    for flows in parameters.flows:
        for scheme in ("RED", "ECN"):
            few, many = (of(_at(data, scheme, flows, max_p), "locked_out") for max_p in PLOT_P)
            count = (few + many) / 2
            cases[f"{scheme}, {flows} flows"] = above(count, 0.5) if flows > 120 else below(count, 0.5)
            cases.tell(f"{scheme} {flows}: {text(count)}")
    return cases.outcome("Flows without any goodput: ")


def _share(data: Dataset, scheme: str, flows: int, max_p: float, group: int) -> Sample:
    return of(_at(data, scheme, flows, max_p), _of_group("group_goodput_bps", group))


def _robust_gain(data: Dataset, _parameters: Parameters) -> Outcome:
    gain = _share(data, "ECN", 30, 0.8, ROBUST) - _share(data, "RED", 30, 0.8, ROBUST)
    before, after = (
        _share(data, "ECN", 30, max_p, ROBUST) - _share(data, "ECN", 30, max_p, FRAGILE)
        for max_p in (0.2, 0.8)
    )
    closing = before - after
    measured = (
        f"Robust flows: {_mbps(gain)} Mbps more with ECN than with RED; the gap falls by"
        f" {_mbps(closing)} Mbps from max_p 0.2 to 0.8"
    )
    return judged(
        {
            "robust flows gain": superior(MARGIN, gain),
            "the gap to fragile flows is not reduced": below(closing, MARGIN),
        },
        measured,
    )


def _redistribution(data: Dataset, _parameters: Parameters) -> Outcome:
    gaps = {
        name: _share(data, "ECN", 120, 0.8, group) - _share(data, "ECN", 30, 0.8, group)
        for name, group in (("robust", ROBUST), ("average", AVERAGE), ("fragile", FRAGILE))
    }
    measured = ", ".join(f"{name} {_mbps(gap)}" for name, gap in gaps.items())
    return judged(
        {
            "robust falls": below(gaps["robust"], -MARGIN),
            "average rises": superior(MARGIN, gaps["average"]),
            "fragile rises": superior(MARGIN, gaps["fragile"]),
        },
        f"ECN's goodput from 30 to 120 flows, Mbps: {measured}",
    )


def _reds_part(data: Dataset, column: str) -> Sample:
    """RED's over ECN's with 120 flows and max_p 0.8 (Figures 9 and 10)."""
    red, ecn = (of(_at(data, scheme, 120, 0.8), column) for scheme in ("RED", "ECN"))
    return red / ecn


def _fifteen(data: Dataset, _parameters: Parameters) -> Outcome:
    ratio, delivered = _reds_part(data, "goodput_bps"), _reds_part(data, "delivered_bps")
    return Outcome(
        verdict_of(within(ratio, 0.80, 0.90)),
        f"RED's goodput is {text(ratio, 100)} % of ECN's",
        f"With needed retransmissions counted: {text(delivered, 100)} %.",
    )


def _hidden(data: Dataset, _parameters: Parameters) -> Outcome:
    ratio = _reds_part(data, "throughput_bps")
    measured = f"RED's throughput is {text(ratio, 100)} % of ECN's"
    return Outcome(verdict_of(equivalent(0.05, ratio, over=1)), measured, "")


def _against_ecnm(data: Dataset, parameters: Parameters) -> Outcome:
    cases = Cases()
    for max_p in (p for p in parameters.max_p if p >= 0.5):
        gap = _goodput(data, "ECN", 120, max_p) - _goodput(data, "ECNM", 120, max_p)
        cases[f"max_p {max_p:g}"] = superior(MARGIN, gap)
        cases.tell(f"{max_p:g}: {_mbps(gap)}")
    least = min(parameters.max_p)
    gap = _goodput(data, "ECNM", 120, least) - _goodput(data, "ECN", 120, least)
    cases[f"max_p {least:g}: ECNM is no worse"] = not_inferior(MARGIN, gap)
    return cases.outcome("ECN's goodput above ECNM's at max_th 30, Mbps, by max_p: ")


def _sensitive(data: Dataset, parameters: Parameters) -> Outcome:
    def varies(scheme: str) -> Sample:
        return mean([_over_max_th(data, scheme, 120, max_p, parameters) for max_p in parameters.max_p])

    marked = varies("ECNM")
    more = marked - varies("ECN")
    measured = (
        f"Spread over max_th, averaged over max_p: ECNM {_mbps(marked)} Mbps, {_mbps(more)} above ECN's"
    )
    return judged(
        {"not little": above(marked, LITTLE), "more than plain ECN": superior(LITTLE, more)}, measured
    )


def _adaptive(data: Dataset, parameters: Parameters) -> Outcome:
    cases = Cases()
    for flows in parameters.flows:
        best = max(parameters.max_p, key=lambda p, flows=flows: _goodput(data, "ECN", flows, p).mean)  # type: ignore[misc]
        goodput, fairness = (
            measure(data, "AECN", flows, ADAPTIVE_START_P) - measure(data, "ECN", flows, best)
            for measure in (_goodput, _jain)
        )
        cases[f"{flows} flows"] = both(not_inferior(MARGIN, goodput), superior(FAIR, fairness))
        cases.tell(f"{flows} flows (best fixed {best:g}): {_mbps(goodput)} Mbps, {text(fairness, 1, 3)}")
    return cases.outcome("Adaptive ECN less the best fixed max_p, goodput and Jain: ", "; ")


def _best_by_flows(data: Dataset, parameters: Parameters) -> Outcome:
    best = {flows: _best_max_p(data, flows, parameters) for flows in BEST_FLOWS}
    few, many = best[min(BEST_FLOWS)], best[max(BEST_FLOWS)]
    crowd = {p: _goodput(data, "ECN", max(BEST_FLOWS), p).by_seed for p in parameters.max_p}
    lost = sample({s: crowd[p][s] - crowd[few.by_seed[s]][s] for s, p in many.by_seed.items()})
    shown = ", ".join(f"{flows} flows {text(value, digits=2)}" for flows, value in best.items())
    measured = (
        f"max_p of the best goodput: {shown}; {max(BEST_FLOWS)} flows lose {_mbps(lost)} Mbps"
        f" with that of {min(BEST_FLOWS)}"
    )
    return judged({"raised": superior(0.1, many - few), "it matters": superior(MARGIN, lost)}, measured)


def _best_max_p(data: Dataset, flows: int, parameters: Parameters) -> Sample:
    """The max_p of ECN's best goodput."""
    points = {p: _goodput(data, "ECN", flows, p).by_seed for p in parameters.max_p}
    seeds = points[parameters.max_p[0]]
    return sample({seed: max(points, key=lambda p, seed=seed: points[p][seed]) for seed in seeds})  # type: ignore[misc]


def _retransmissions(data: Dataset, parameters: Parameters) -> Outcome:
    cases = Cases()
    hundredth = 0.01 * PACKETS_PER_S * (parameters.duration_s - parameters.warmup_s)
    for flows in parameters.flows:
        for max_p in PLOT_P:
            red, ecn = (of(_at(data, scheme, flows, max_p), "retransmissions") for scheme in ("RED", "ECN"))
            cases[f"{flows} flows, max_p {max_p:g}"] = superior(hundredth, red - ecn)
            if max_p == 0.5:
                cases.tell(f"{flows}: {text(red - ecn, digits=0)}")
    return cases.outcome("RED's retransmissions above ECN's at max_p 0.5, by flows: ")


def _three_figures(data: Dataset, _parameters: Parameters) -> Outcome:
    places = {"Figure 7": (30, 0.2), "Figure 8": (30, 0.8), "Figure 9": (120, 0.8)}
    gaps = {
        name: _goodput(data, "ECN", *place) - _goodput(data, "RED", *place) for name, place in places.items()
    }
    cases: dict[str, Answer] = {name: superior(MARGIN, gap) for name, gap in gaps.items()}
    for name in ("Figure 7", "Figure 8"):
        cases[f"more than in {name}"] = superior(MARGIN, gaps["Figure 9"] - gaps[name])
    measured = ", ".join(f"{name} {_mbps(gap)}" for name, gap in gaps.items())
    return judged(cases, f"ECN's goodput above RED's, Mbps: {measured}")


def _unfair_to_groups(data: Dataset, parameters: Parameters) -> Outcome:
    cases = Cases()
    for flows in parameters.flows:
        for scheme in ("RED", "ECN"):
            rows = _at(data, scheme, flows, 0.5)
            robust = of(rows, _of_group("group_delivered_bps", ROBUST))
            for group, name in ((FRAGILE, "fragile"), (AVERAGE, "average")):
                ratio = of(rows, _of_group("group_delivered_bps", group)) / robust
                cases[f"{scheme}, {flows} flows, {name}"] = below(ratio, 0.8)
                if flows in (30, 120) and name == "fragile":
                    cases.tell(f"{scheme}, {flows} flows: {text(ratio, digits=2)}")
    return cases.outcome("Fragile flows' goodput over robust ones': ")


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
