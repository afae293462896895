# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Claims about Figures 17 to 22 (two-way traffic) and other paths, each with the rule that decides it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..declaration import Claim
from ..paired import at, of
from ..verdicts import Answer, Outcome, above, below, both, every, judged, superior, text, within
from . import variants
from .figures import BACK_FTP, BACK_FTP_OF_WEB, BACK_WEB, BOTH_WAYS_SESSIONS
from .measures import SLIGHT, goodput, mean_ratio, of_class
from .scenarios import ECN, RED

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..dataset import Dataset, Row
    from ..paired import Rows
    from ..statistics import Estimate
    from .parameters import Parameters
    from .scenarios import Scheme

ALIKE = (0.9, 1.1)
"""Goodputs that differ by less than a tenth differ little."""
FALL = 0.9
"""A curve falls on if it loses more than a tenth, and has settled if it loses less."""
MUCH = 1.25
REDS: tuple[Scheme, ...] = (*RED, *ECN)


def _told(values: Mapping[str, Estimate], digits: int = 2) -> str:
    return ", ".join(f"{name} {text(one, digits=digits)}" for name, one in values.items())


def _ratio(points: Sequence[tuple[Rows, Rows]], kind: str) -> Estimate:
    """RED's goodput over drop-tail's, averaged over the points, seed by seed."""
    return mean_ratio(points, goodput(kind))


def _both_ways(data: Dataset, schemes: Sequence[Scheme], sessions: Sequence[int]) -> list[tuple[Rows, Rows]]:
    return [
        (at(data, scheme=scheme, ftp=n, back_ftp=n), at(data, scheme="dt", ftp=n, back_ftp=n))
        for scheme in schemes
        for n in sessions
    ]


def _few_and_many(parameters: Parameters) -> tuple[list[int], list[int]]:
    few = [n for n in parameters.both_ways if n <= 4]
    many = [n for n in parameters.both_ways if n >= 16]
    return few or [parameters.both_ways[0]], many or [parameters.both_ways[-1]]


def _symmetric(data: Dataset, parameters: Parameters) -> Outcome:
    few, many = _few_and_many(parameters)
    cases: dict[str, Answer] = {}
    shown: dict[str, Estimate] = {}
    for scheme in REDS:
        with_few = _ratio(_both_ways(data, [scheme], few), "ftp")
        with_many = _ratio(_both_ways(data, [scheme], many), "ftp")
        cases[f"{scheme}, few"] = both(below(with_few, 1 - SLIGHT), above(with_few, 0.8))
        cases[f"{scheme}, many"] = within(with_many, *ALIKE)
        shown |= {f"{scheme} few": with_few, f"{scheme} many": with_many}
    return judged(cases, f"Forward goodput over that with dt: {_told(shown)}")


def _distribution(data: Dataset, _parameters: Parameters) -> Outcome:
    few, many = BOTH_WAYS_SESSIONS
    cases: dict[str, Answer] = {}
    shown: dict[str, Estimate] = {}
    for scheme in REDS:
        with_few = _ratio(_both_ways(data, [scheme], [few]), "ftp")
        with_many = _ratio(_both_ways(data, [scheme], [many]), "ftp")
        low = within(with_few, *ALIKE) if scheme in RED else below(with_few, 1 - SLIGHT)
        cases[f"{scheme}, {few} sessions"] = low
        cases[f"{scheme}, {many} sessions"] = superior(SLIGHT, with_many, over=1)
        shown |= {f"{scheme} {few}": with_few, f"{scheme} {many}": with_many}
    verdict, why = every(cases)

    def tenth(row: Row) -> float:
        rates = sorted(of_class(row, "flow_goodput_bps", "ftp"))
        return rates[len(rates) // 10] / 1e3

    worst = {
        scheme: of(at(data, scheme=scheme, ftp=many, back_ftp=many), tenth) for scheme in ("dt", "r1", "r1e")
    }
    measured = f"Mean goodput over that with dt, by sessions in each direction: {_told(shown)}"
    return Outcome(verdict, measured, f"{why} Lower tenth with {many} sessions, kbps: {_told(worst, 1)}.")


def _settling(
    data: Dataset, axis: str, places: Sequence[int], kind: str, **where: object
) -> tuple[dict[str, Answer], str]:
    """Whether the reverse path's goodput keeps falling with drop-tail, and settles higher with each RED."""
    middle, end = places[len(places) // 2], places[-1]

    def rows(scheme: Scheme, n: int) -> Rows:
        return at(data, scheme=scheme, **{axis: n}, **where)

    fall = _ratio([(rows("dt", end), rows("dt", middle))], kind)
    cases: dict[str, Answer] = {"dt falls on": below(fall, FALL)}
    shown = {f"dt at {end} over {middle}": fall}
    for scheme in REDS:
        settled = _ratio([(rows(scheme, end), rows(scheme, middle))], kind)
        higher = _ratio([(rows(scheme, end), rows("dt", end))], kind)
        cases[f"{scheme} settles"] = above(settled, FALL)
        cases[f"{scheme} is much higher"] = above(higher, MUCH)
        shown |= {f"{scheme} at {end} over {middle}": settled, f"{scheme} over dt": higher}
    return cases, _told(shown)


def _reverse_ftp(data: Dataset, parameters: Parameters) -> Outcome:
    cases, told = _settling(data, "ftp", parameters.forward_ftp, "back-ftp", back_ftp=BACK_FTP)
    return judged(cases, f"Reverse goodput: {told}")


def _forward_web(data: Dataset, parameters: Parameters, scheme: Scheme, **where: object) -> Estimate:
    points = [
        (at(data, scheme=scheme, web=n, **where), at(data, scheme="dt", web=n, **where))
        for n in parameters.forward_web
    ]
    return _ratio(points, "web")


def _web_and_reverse(data: Dataset, parameters: Parameters) -> Outcome:
    beside_ftp = {
        f"{scheme} figure 20": _forward_web(data, parameters, scheme, back_ftp=BACK_FTP_OF_WEB)
        for scheme in REDS
    }
    beside_web = {
        f"{scheme} figure 22": _forward_web(data, parameters, scheme, back_web=BACK_WEB, back_ftp=0)
        for scheme in REDS
    }
    alike = {name: within(ratio, *ALIKE) for name, ratio in (beside_ftp | beside_web).items()}
    settling, told = _settling(data, "web", parameters.forward_web, "back-ftp", back_ftp=BACK_FTP_OF_WEB)
    return judged(
        alike | settling,
        f"Forward web goodput over that with dt: {_told(beside_ftp | beside_web)}; reverse FTP: {told}",
    )


def _web_both_ways(data: Dataset, parameters: Parameters) -> Outcome:
    ratios: dict[str, Estimate] = {}
    for scheme in REDS:
        points = [
            (at(data, scheme=scheme, web=n, back_web=n), at(data, scheme="dt", web=n, back_web=n))
            for n in parameters.forward_web
        ]
        ratios[scheme] = _ratio(points, "web")
    return judged(
        {scheme: within(ratio, *ALIKE) for scheme, ratio in ratios.items()},
        f"Web goodput over that with dt: {_told(ratios)}",
    )


def _other_paths(data: Dataset, parameters: Parameters) -> Outcome:
    cases: dict[str, Answer] = {}
    shown: dict[str, Estimate] = {}
    for name in variants.VARIANTS:
        for what, ratio in variants.measured(data, parameters, name).items():
            cases[f"{name}: {what}"] = superior(SLIGHT, ratio, over=1)
            shown[f"{name}: {what}"] = ratio
    return judged(cases, _told(shown))


def _ack_paths(data: Dataset, parameters: Parameters) -> Outcome:
    most_ftp, most_web = parameters.forward_ftp[-1], parameters.forward_web[-1]
    fewest = parameters.both_ways[0]
    ftp = {"ftp": most_ftp, "back_ftp": BACK_FTP}
    web = {"web": most_web, "back_web": BACK_WEB, "back_ftp": 0}
    congested = _ratio(
        [(at(data, scheme=scheme, **ftp), at(data, scheme="dt", **ftp)) for scheme in REDS],
        "back-ftp",
    )
    heavy = _ratio([(at(data, scheme=scheme, **web), at(data, scheme="dt", **web)) for scheme in REDS], "web")
    light = _ratio(_both_ways(data, REDS, [fewest]), "ftp")
    measured = (
        "RED's goodput over drop-tail's, averaged over the six:"
        f" reverse FTP beside {most_ftp} forward {text(congested, digits=2)};"
        f" {most_web} forward web sessions beside {BACK_WEB} {text(heavy, digits=2)};"
        f" {fewest} FTP each way {text(light, digits=2)}"
    )
    return judged(
        {
            "ACK path congested: RED higher": superior(SLIGHT, congested, over=1),
            "data path congested only: alike": within(heavy, *ALIKE),
            "both light: RED slightly lower": both(below(light, 1 - SLIGHT), above(light, 0.8)),
        },
        measured,
    )


CLAIMS = (
    Claim(
        "002-17",
        "section V-E.1, figure 17",
        '"the average goodput is slightly higher with DT than with RED when the number of competing FTP'
        ' sessions is small. ... As the number of FTP sessions increase ... there is little difference"',
        "With each of the six REDs goodput is 0.8 to 0.98 times that with drop-tail with 1 to 4 sessions each"
        " way, and 0.9 to 1.1 times with 16 and more.",
        ("fig17",),
        _symmetric,
    ),
    Claim(
        "002-18",
        "section V-E.1, figure 18",
        '"when the number of competing flows is small, the average goodput with DT is higher than RED plus'
        " ECN, but comparable to RED without ECN. When the congestion level is high, DT gives worse"
        ' performance than RED"',
        "With 4 sessions each way mean goodput over that with drop-tail is below 0.98 with r1e, r2e, r3e,"
        " and 0.9 to 1.1 with r1, r2, r3; with 16 it is above 1.02 with all six.",
        ("fig18",),
        _distribution,
    ),
    Claim(
        "002-19",
        "section V-E.1, figure 19b",
        '"with DT, the average goodput received by FTP sessions in the reverse path continuously decreases'
        " ... This is not the case with RED, where the goodput initially decreases but soon stabilizes at a"
        ' level much higher"',
        "From the middle to the largest number of forward sessions the reverse goodput falls by more than a"
        " tenth with drop-tail and by less with each RED; at the largest each RED has more than 1.25 times"
        " drop-tail's.",
        ("fig19",),
        _reverse_ftp,
    ),
    Claim(
        "002-20",
        "section V-E.2, V-E.3, figures 20, 22",
        '"different queue management scheme makes very little difference in terms of average goodput for the'
        " Web sessions on the forward. For the FTP sessions in the reverse path, with RED, the average"
        ' goodput decreases but soon stabilizes ... This is not the case with DT"; figure 22 "is'
        ' qualitatively similar"',
        "In figures 20 and 22 forward web goodput is 0.9 to 1.1 times that with drop-tail with each RED,"
        " averaged over the numbers of sessions; the reverse FTP of figure 20 does what the rule of 002-19"
        " says.",
        ("fig20", "fig22"),
        _web_and_reverse,
    ),
    Claim(
        "002-21",
        "section V-E.3, figure 21",
        '"there is very little difference in goodput with different queue management policies"',
        "With each of the six REDs web goodput is 0.9 to 1.1 times that with drop-tail, averaged over the"
        " numbers of sessions.",
        ("fig21",),
        _web_both_ways,
    ),
    Claim(
        "002-24",
        "section IV",
        '"The results for the other network scenarios are qualitatively similar"; with delayed'
        " acknowledgements likewise",
        "With delayed ACKs, and on each other path, r1 has more web goodput than drop-tail (10 web, 5 FTP"
        " sessions) and more reverse FTP goodput (25 forward, 10 reverse), and ECN-capable flows have more"
        " than others (7 of each, r1e), each by more than 2 %.",
        ("variants",),
        _other_paths,
    ),
    Claim(
        "002-26",
        "section V-E",
        '"When the congestion level in the ACK path is high, TCP tends to get higher goodput with RED"; low'
        ' there and high in the data path: "comparable"; low in both: "slightly lower but still comparable"',
        "Averaged over the six REDs, goodput over that with drop-tail is above 1.02 for reverse FTP beside"
        " the most forward FTP sessions, 0.9 to 1.1 for the most forward web sessions of figure 22, and 0.8"
        " to 0.98 for the fewest FTP sessions of figure 17.",
        ("fig17", "fig19", "fig22"),
        _ack_paths,
    ),
)
