# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Our own questions, put as sentences that runs can decide, each with its rule.

Runs with the same seed start their connections at the same instants, so schemes are compared seed by seed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..declaration import Claim
from ..statistics import Estimate, estimate
from ..verdicts import Answer, Outcome, above, below, both, every, text
from .drawing import values
from .fragile import GROUPED
from .scenarios import FRONT, SCENARIOS, TUNED, Scenario

if TYPE_CHECKING:
    from ..dataset import Dataset
    from .parameters import Parameters

POINT = 0.01
"""Link efficiencies that differ by less count as equal."""
DELAY = 0.02
"""Delays that differ by less than this share count as equal."""


def _gap(data: Dataset, scenario: Scenario, scheme: str, other: str, column: str) -> Estimate:
    """How much more one scheme has than another."""
    a, b = (values(data, scenario, name, column) for name in (scheme, other))
    return estimate([x - y for x, y in zip(a, b, strict=True)])


def _ratio(data: Dataset, scenario: Scenario, scheme: str, other: str, column: str) -> Estimate:
    a, b = (values(data, scenario, name, column) for name in (scheme, other))
    return estimate([x / y for x, y in zip(a, b, strict=True)])


def _as_efficient(data: Dataset, _parameters: Parameters) -> Outcome:
    cases: dict[str, Answer] = {}
    shown = []
    for scenario in SCENARIOS:
        gaps = []
        for other in ("ECN", "ECNM"):
            gap = _gap(data, scenario, "MECN", other, "efficiency")
            cases[f"{scenario.name} ({other})"] = above(gap, -POINT)
            gaps.append(text(gap, 100))
        shown.append(f"{scenario.name}: {' and '.join(gaps)}")
    verdict, why = every(cases)
    return Outcome(verdict, f"MECN's link efficiency above ECN's and ECNM's, points: {'; '.join(shown)}", why)


def _cheaper(scheme: str, other: str, data: Dataset) -> Outcome:
    """Less delay, and no less efficiency."""
    cases: dict[str, Answer] = {}
    shown = []
    for scenario in SCENARIOS:
        delay = _ratio(data, scenario, scheme, other, "delay_mean_s")
        gap = _gap(data, scenario, scheme, other, "efficiency")
        cases[scenario.name] = both(below(delay, 1 - DELAY), above(gap, -POINT))
        shown.append(f"{scenario.name}: {text(delay, 100)} % and {text(gap, 100)} points")
    verdict, why = every(cases)
    measured = f"{scheme}'s delay in relation to {other}'s, and its efficiency above it: {'; '.join(shown)}"
    return Outcome(verdict, measured, why)


def _less_delay_than_ecnm(data: Dataset, _parameters: Parameters) -> Outcome:
    return _cheaper("MECN", "ECNM", data)


def _less_delay_than_drop_tail(data: Dataset, _parameters: Parameters) -> Outcome:
    return _cheaper("MECN", "drop-tail", data)


def _less_delay_in_front(data: Dataset, _parameters: Parameters) -> Outcome:
    return _cheaper(FRONT, "MECN", data)


def _less_delay_tuned(data: Dataset, _parameters: Parameters) -> Outcome:
    return _cheaper(TUNED, "MECN", data)


def _fewer_drops(data: Dataset, _parameters: Parameters) -> Outcome:
    cases: dict[str, Answer] = {}
    shown = []
    for scenario in SCENARIOS:
        mecn, ecn, red = (values(data, scenario, name, "drops") for name in ("MECN", "ECN", "gentle RED"))
        for name, other in (("ECN", ecn), ("gentle RED", red)):
            gap = estimate([0.9 * y - x for x, y in zip(mecn, other, strict=True)])
            cases[f"{scenario.name} ({name})"] = above(gap, 0)
        numbers = " / ".join(text(estimate(each), digits=0) for each in (mecn, ecn, red))
        shown.append(f"{scenario.name}: {numbers}")
    verdict, why = every(cases)
    return Outcome(verdict, f"Packets dropped with MECN / ECN / gentle RED: {'; '.join(shown)}", why)


def _fairer_in_front(data: Dataset, _parameters: Parameters) -> Outcome:
    cases: dict[str, Answer] = {}
    shown = []
    for scenario in SCENARIOS:
        if scenario.flows > 1:
            gap = _gap(data, scenario, FRONT, "MECN", "jain_index")
            cases[scenario.name] = above(gap, 0)
            shown.append(f"{scenario.name}: {text(gap, 1000)}")
    verdict, why = every(cases)
    return Outcome(verdict, f"Jain's index above mark-tail's, thousandths: {'; '.join(shown)}", why)


def _fragile(data: Dataset, _parameters: Parameters) -> Outcome:
    cases: dict[str, Answer] = {}
    shown = []
    for scenario in GROUPED:
        share = {
            scheme: [
                row["group_bps"][0] / sum(row["group_bps"])
                for row in data.select(scenario=scenario.name, scheme=scheme)
            ]
            for scheme in ("ECN", "MECN")
        }
        gap = estimate([b - a for a, b in zip(share["ECN"], share["MECN"], strict=True)])
        cases[scenario.name] = above(gap, 0)
        shown.append(
            f"{scenario.name}: {text(estimate(share['ECN']), 100)} → {text(estimate(share['MECN']), 100)} %"
        )
    verdict, why = every(cases)
    measured = f"Fragile flows' share of the goodput, ECN → MECN (even: 33.3 %): {'; '.join(shown)}"
    return Outcome(verdict, measured, why)


_WHERE = "our question"
_RULE = " In every scenario; all bounds are met by the whole 95 % confidence interval over seeds."

CLAIMS = (
    Claim(
        "beyond-1",
        _WHERE,
        "With the same thresholds MECN is at least as efficient as ECN and ECNM.",
        f"Its link efficiency is not lower by a percentage point.{_RULE}",
        ("schemes",),
        _as_efficient,
    ),
    Claim(
        "beyond-2",
        _WHERE,
        "MECN has less delay than ECNM, and is as efficient.",
        f"Its mean delay is lower by more than 2 %, its link efficiency not by a percentage point.{_RULE}",
        ("schemes",),
        _less_delay_than_ecnm,
    ),
    Claim(
        "beyond-3",
        _WHERE,
        "MECN has less delay than drop-tail, and is as efficient.",
        f"As beyond-2.{_RULE}",
        ("schemes",),
        _less_delay_than_drop_tail,
    ),
    Claim(
        "beyond-4",
        _WHERE,
        "MECN loses fewer packets than ECN and gentle RED.",
        f"Drops of all kinds are less than nine tenths of the other's.{_RULE}",
        ("schemes",),
        _fewer_drops,
    ),
    Claim(
        "beyond-5",
        _WHERE,
        "Mark-front gives MECN less delay than mark-tail, and it is as efficient.",
        f"As beyond-2.{_RULE}",
        ("front",),
        _less_delay_in_front,
    ),
    Claim(
        "beyond-6",
        _WHERE,
        "Mark-front makes MECN fairer than mark-tail.",
        f"Jain's index is higher, wherever there are several flows.{_RULE}",
        ("front",),
        _fairer_in_front,
    ),
    Claim(
        "beyond-7",
        _WHERE,
        "MECN as the controller tunes it (MECN*) has less delay than with the papers' thresholds, and is as"
        " efficient.",
        f"As beyond-2.{_RULE}",
        ("tuned",),
        _less_delay_tuned,
    ),
    Claim(
        "beyond-8",
        _WHERE,
        "MECN leaves fragile flows a larger share than ECN.",
        "The share of paper 000's fragile flows is larger, with 30 and with 120 flows; the whole 95 %"
        " confidence interval over seeds.",
        ("fragile",),
        _fragile,
    ),
)
