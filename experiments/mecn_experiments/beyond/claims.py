# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Our own questions, put as sentences that runs can decide, each with its rule."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..declaration import Claim
from ..statistics import estimate
from ..verdicts import Cases, Outcome, above, not_inferior, superior, text
from .comparing import EVERYWHERE, POINT, WHERE, cheaper, excess
from .figures import GROUPED, values
from .scenarios import FRONT, SCENARIOS, TUNED

if TYPE_CHECKING:
    from ..dataset import Dataset
    from .parameters import Parameters

FAIRER = 0.01
"""Jain's indices that differ by less count as equal, ..."""
SHARE = 0.01
"""... and so do shares of the goodput."""


def _as_efficient(data: Dataset, _parameters: Parameters) -> Outcome:
    cases = Cases()
    for scenario in SCENARIOS:
        gaps = []
        for other in ("ECN", "ECNM"):
            gap = excess(data, scenario, "MECN", other, "efficiency")
            cases[f"{scenario.name} ({other})"] = not_inferior(POINT, gap)
            gaps.append(text(gap, 100))
        cases.tell(f"{scenario.name}: {' and '.join(gaps)}")
    return cases.outcome("MECN's link efficiency above ECN's and ECNM's, points: ", "; ")


def _less_delay_than_ecnm(data: Dataset, _parameters: Parameters) -> Outcome:
    return cheaper("MECN", "ECNM", data, SCENARIOS)


def _less_delay_than_drop_tail(data: Dataset, _parameters: Parameters) -> Outcome:
    return cheaper("MECN", "drop-tail", data, SCENARIOS)


def _less_delay_in_front(data: Dataset, _parameters: Parameters) -> Outcome:
    return cheaper(FRONT, "MECN", data, SCENARIOS)


def _less_delay_tuned(data: Dataset, _parameters: Parameters) -> Outcome:
    return cheaper(TUNED, "MECN", data, SCENARIOS)


def _fewer_drops(data: Dataset, _parameters: Parameters) -> Outcome:
    cases = Cases()
    for scenario in SCENARIOS:
        mecn, ecn, red = (values(data, scenario, name, "drops") for name in ("MECN", "ECN", "gentle RED"))
        for name, other in (("ECN", ecn), ("gentle RED", red)):
            gap = estimate([0.9 * y - x for x, y in zip(mecn, other, strict=True)])
            cases[f"{scenario.name} ({name})"] = above(gap, 0)
        numbers = " / ".join(text(estimate(each), digits=0) for each in (mecn, ecn, red))
        cases.tell(f"{scenario.name}: {numbers}")
    return cases.outcome("Packets dropped with MECN / ECN / gentle RED: ", "; ")


def _fairer_in_front(data: Dataset, _parameters: Parameters) -> Outcome:
    cases = Cases()
    for scenario in SCENARIOS:
        if scenario.flows > 1:
            gap = excess(data, scenario, FRONT, "MECN", "jain_index")
            cases[scenario.name] = superior(FAIRER, gap)
            cases.tell(f"{scenario.name}: {text(gap, 1000)}")
    return cases.outcome("Jain's index above mark-tail's, thousandths: ", "; ")


def _fragile(data: Dataset, _parameters: Parameters) -> Outcome:
    cases = Cases()
    for scenario in GROUPED:
        share = {
            scheme: [
                row["group_bps"][0] / sum(row["group_bps"])
                for row in data.select(scenario=scenario.name, scheme=scheme)
            ]
            for scheme in ("ECN", "MECN")
        }
        gap = estimate([b - a for a, b in zip(share["ECN"], share["MECN"], strict=True)])
        cases[scenario.name] = superior(SHARE, gap)
        cases.tell(
            f"{scenario.name}: {text(estimate(share['ECN']), 100)} → {text(estimate(share['MECN']), 100)} %"
        )
    return cases.outcome("Fragile flows' share of the goodput, ECN → MECN (even: 33.3 %): ", "; ")


CLAIMS = (
    Claim(
        "beyond-1",
        WHERE,
        "With the same thresholds MECN is at least as efficient as ECN and ECNM.",
        f"Its link efficiency is not lower by a percentage point.{EVERYWHERE}",
        ("schemes",),
        _as_efficient,
    ),
    Claim(
        "beyond-2",
        WHERE,
        "MECN has less delay than ECNM, and is as efficient.",
        "Its mean delay is lower by more than 2 %, its link efficiency not by a percentage"
        f" point.{EVERYWHERE}",
        ("schemes",),
        _less_delay_than_ecnm,
    ),
    Claim(
        "beyond-3",
        WHERE,
        "MECN has less delay than drop-tail, and is as efficient.",
        f"As beyond-2.{EVERYWHERE}",
        ("schemes",),
        _less_delay_than_drop_tail,
    ),
    Claim(
        "beyond-4",
        WHERE,
        "MECN loses fewer packets than ECN and gentle RED.",
        f"Drops of all kinds are less than nine tenths of the other's.{EVERYWHERE}",
        ("schemes",),
        _fewer_drops,
    ),
    Claim(
        "beyond-5",
        WHERE,
        "Mark-front gives MECN less delay than mark-tail, and it is as efficient.",
        f"As beyond-2.{EVERYWHERE}",
        ("front",),
        _less_delay_in_front,
    ),
    Claim(
        "beyond-6",
        WHERE,
        "Mark-front makes MECN fairer than mark-tail.",
        f"Jain's index is higher by more than 0.01, wherever there are several flows.{EVERYWHERE}",
        ("front",),
        _fairer_in_front,
    ),
    Claim(
        "beyond-7",
        WHERE,
        "MECN as the controller tunes it (MECN*) has less delay than with the papers' thresholds, and is as"
        " efficient.",
        f"As beyond-2.{EVERYWHERE}",
        ("tuned",),
        _less_delay_tuned,
    ),
    Claim(
        "beyond-8",
        WHERE,
        "MECN leaves fragile flows a larger share than ECN.",
        "The share of paper 000's fragile flows is larger by more than a percentage point, with 30 and with"
        " 120 flows.",
        ("fragile",),
        _fragile,
    ),
)
