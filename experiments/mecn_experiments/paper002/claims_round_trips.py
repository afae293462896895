# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Claims about Figures 11 to 16 (different round trips), each with the rule that decides it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from ..declaration import Claim
from ..paired import at, of, over_seeds
from ..verdicts import Answer, Outcome, above, judged, superior, text, within
from .measures import (
    group_goodput_ratio,
    groups,
    mean,
    normalised_fairness,
    pair_ratios,
    round_trip_ratio,
)
from .scenarios import ECN, PD2_MS, RED, SCHEMES, drawn_round_trips

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..dataset import Dataset, Row
    from ..paired import Rows
    from .parameters import Parameters
    from .scenarios import Scheme


CLOSER = 0.05
"""Distances from Y = X that differ by less, as part of X, count as equal, ..."""
FAIRER = 0.01
"""... and so do fairness indices."""


def _longer(trips_ms: Sequence[float]) -> list[float]:
    """Those that differ from PD2."""
    return [trip for trip in trips_ms if trip > PD2_MS]


def _two(data: Dataset, scheme: Scheme, trip_ms: float, **where: object) -> Rows:
    return at(data, scheme=scheme, round_trips_ms=[float(trip_ms), PD2_MS], **where)


def _bounds(data: Dataset, parameters: Parameters) -> Outcome:
    cases: dict[str, Answer] = {}
    told = []
    for trip in _longer(parameters.round_trips_ms):
        rows = _two(data, "dt", trip, ftp=6)
        part = of(rows, lambda row: group_goodput_ratio(row) / round_trip_ratio(row) ** 2)
        ratio = of(rows, round_trip_ratio)
        cases[f"PD1 {trip:g} ms"] = within(part, 0.5, 1.0)
        told.append(f"{text(part, digits=2)} at RTT1/RTT2 = {ratio.mean:.2f}")
    return judged(cases, f"Goodput ratio over the squared RTT ratio: {', '.join(told)}")


def exponent(rows: Sequence[Row]) -> float:
    """b of Goodput2/Goodput1 = (RTT1/RTT2)^b by least squares on logarithms."""
    points = [(math.log(round_trip_ratio(row)), math.log(group_goodput_ratio(row))) for row in rows]
    return math.fsum(x * y for x, y in points) / math.fsum(x * x for x, _ in points)


def _inverse(data: Dataset, parameters: Parameters) -> Outcome:
    trips = _longer(parameters.round_trips_ms)
    found = {s: over_seeds([_two(data, s, trip, ftp=6) for trip in trips], exponent) for s in RED}
    told = ", ".join(f"{scheme} {text(b, digits=2)}" for scheme, b in found.items())
    cases: dict[str, Answer] = {scheme: within(b, 0.8, 1.2) for scheme, b in found.items()}
    return judged(cases, f"Exponent of the RTT ratio: {told}")


def _equal_loss(data: Dataset, parameters: Parameters) -> Outcome:
    def ratio(row: Row) -> float:
        first, second = groups(row, "flow_loss")
        return first / second if second else math.inf

    found = {
        scheme: over_seeds(
            [_two(data, scheme, trip, ftp=6) for trip in _longer(parameters.round_trips_ms)],
            lambda rows: mean(ratio(row) for row in rows),
        )
        for scheme in RED
    }
    told = ", ".join(f"{scheme} {text(one, digits=2)}" for scheme, one in found.items())
    cases: dict[str, Answer] = {scheme: within(one, 0.8, 1.25) for scheme, one in found.items()}
    return judged(cases, f"Loss rate with the longer round trip over that with the shorter: {told}")


def _draws(data: Dataset, parameters: Parameters, scheme: Scheme) -> list[Rows]:
    return [
        at(data, scheme=scheme, round_trips_ms=list(drawn_round_trips(draw)))
        for draw in range(parameters.round_trip_draws)
    ]


def _distance(rows: Sequence[Row]) -> float:
    """Mean distance of the points from Y = X, as part of X."""
    return mean(abs(y / x - 1) for row in rows for x, y in pair_ratios(row))


def _cloud(data: Dataset, parameters: Parameters) -> Outcome:
    dt = _draws(data, parameters, "dt")
    inside = over_seeds(
        dt, lambda rows: mean(float(0.5 <= y / x <= 1.5) for row in rows for x, y in pair_ratios(row))
    )
    distances = {s: over_seeds(_draws(data, parameters, s), _distance) for s in ("dt", *RED)}
    cases: dict[str, Answer] = {"dt is bounded": above(inside, 0.95)}
    for scheme in RED:
        cases[f"{scheme} is closer"] = superior(CLOSER, distances["dt"] - distances[scheme])
    told = ", ".join(f"{scheme} {text(one, digits=2)}" for scheme, one in distances.items())
    measured = f"Points of dt within 0.5X and 1.5X: {text(inside, 100)} %; mean |Y/X - 1|: {told}"
    return judged(cases, measured)


def _fairer(data: Dataset, parameters: Parameters) -> Outcome:
    def fairness(rows: Sequence[Row]) -> float:
        return mean(normalised_fairness(row) for row in rows)

    values = {scheme: over_seeds(_draws(data, parameters, scheme), fairness) for scheme in SCHEMES}
    cases: dict[str, Answer] = {
        scheme: superior(FAIRER, values[scheme] - values["dt"]) for scheme in (*RED, *ECN)
    }
    told = ", ".join(f"{scheme} {text(one, digits=3)}" for scheme, one in values.items())
    return judged(cases, f"Normalised fairness: {told}")


def _web(data: Dataset, parameters: Parameters) -> Outcome:
    found = {
        scheme: over_seeds(
            [_two(data, scheme, trip, ftp=0) for trip in _longer(parameters.web_round_trips_ms)],
            lambda rows: mean(group_goodput_ratio(row) / round_trip_ratio(row) for row in rows),
        )
        for scheme in SCHEMES
    }
    told = ", ".join(f"{scheme} {text(one, digits=2)}" for scheme, one in found.items())
    cases: dict[str, Answer] = {scheme: within(one, 0.85, 1.15) for scheme, one in found.items()}
    return judged(cases, f"Goodput ratio over RTT ratio, on average: {told}")


CLAIMS = (
    Claim(
        "002-12",
        "section V-D.1, figure 11, equation 1",
        '"the goodput ratio always satisfies Equation (1)": 0.5 (RTT1/RTT2)^2 <= Goodput2/Goodput1 <='
        " (RTT1/RTT2)^2, with drop-tail",
        "At each PD1 above PD2 the goodput ratio is 0.5 to 1 times the squared ratio of round trips.",
        ("fig11",),
        _bounds,
    ),
    Claim(
        "002-13",
        "section V-D.1, figure 13, equation 5",
        "Goodput2/Goodput1 is about RTT1/RTT2 with RED",
        "With r1, r2 and r3 the exponent that fits the goodput ratio as a power of the RTT ratio is 0.8 to"
        " 1.2.",
        ("fig13",),
        _inverse,
    ),
    Claim(
        "002-14",
        "section V-D.2, figure 14",
        'with dt, "The throughput ratios are centered around line Y = X and are well-bounded by two lines Y'
        " = 1.5X and Y = 0.5X. In comparison, with RED, the throughput ratios are clustered much closer to"
        ' line Y = X"',
        "More than 95 % of drop-tail's points lie between the lines, and the mean of |Y/X - 1| is less by"
        " more than 0.05 with each RED without ECN than with drop-tail.",
        ("fig14",),
        _cloud,
    ),
    Claim(
        "002-15",
        "section V-D.2, figure 15",
        '"DT is significantly less fair compared to RED"',
        "The normalised fairness of each of the six REDs is more than 0.01 above that of drop-tail.",
        ("fig15",),
        _fairer,
    ),
    Claim(
        "002-16",
        "section V-D.3, figure 16",
        '"no matter what queue management scheme is used", Goodput2/Goodput1 of web sessions is about'
        " RTT1/RTT2",
        "With each scheme the goodput ratio is 0.85 to 1.15 times the RTT ratio, averaged over PD1 above"
        " PD2.",
        ("fig16",),
        _web,
    ),
    Claim(
        "002-25",
        "section V-D.1, figure 13",
        '"With RED, different flows roughly experience the same packet loss rate under steady state"',
        "With r1, r2 and r3 the loss rate of the flows with the longer round trip is 0.8 to 1.25 times that"
        " of the others, averaged over PD1 above PD2.",
        ("fig13",),
        _equal_loss,
    ),
)
