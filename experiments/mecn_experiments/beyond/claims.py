# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Our own questions, put as sentences that runs can decide, each with its rule."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..declaration import Claim
from ..paired import at, of
from ..verdicts import Cases, Outcome, above, below, both, not_inferior, superior, text
from .figures import GROUPED
from .scenarios import FRONT, SCENARIOS, TUNED

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..dataset import Dataset, Row
    from ..paired import Sample
    from .parameters import Parameters
    from .scenarios import Scenario

    Decide = Callable[[Dataset, Parameters], Outcome]

POINT = 0.01
"""Link efficiencies that differ by less count as equal, ..."""
DELAY = 0.02
"""... delays that differ by less than this share, ..."""
FAIRER = 0.01
"""... Jain's indices that differ by less, ..."""
SHARE = 0.01
"""... and so do shares of the goodput."""
WHERE = "our question"
EVERYWHERE = " In every scenario."


def of_scheme(data: Dataset, scenario: Scenario, scheme: str, column: str) -> Sample:
    """A column of a scheme's runs in a scenario."""
    return of(at(data, scenario=scenario.name, scheme=scheme), column)


def cheaper(scheme: str, other: str, scenarios: Sequence[Scenario]) -> Decide:
    """Less delay, and no less efficiency."""

    def decide(data: Dataset, _parameters: Parameters) -> Outcome:
        cases = Cases()
        for scenario in scenarios:
            delay, others = (of_scheme(data, scenario, name, "delay_mean_s") for name in (scheme, other))
            mine, theirs = (of_scheme(data, scenario, name, "efficiency") for name in (scheme, other))
            cases[scenario.name] = both(below(delay / others, 1 - DELAY), not_inferior(POINT, mine - theirs))
            cases.tell(
                f"{scenario.name}: {text(delay / others, 100)} % and {text(mine - theirs, 100)} points"
            )
        return cases.outcome(
            f"{scheme}'s delay in relation to {other}'s, and its efficiency above it: ", "; "
        )

    return decide


def _as_efficient(data: Dataset, _parameters: Parameters) -> Outcome:
    cases = Cases()
    for scenario in SCENARIOS:
        mecn = of_scheme(data, scenario, "MECN", "efficiency")
        gaps = {other: mecn - of_scheme(data, scenario, other, "efficiency") for other in ("ECN", "ECNM")}
        for other, gap in gaps.items():
            cases[f"{scenario.name} ({other})"] = not_inferior(POINT, gap)
        cases.tell(f"{scenario.name}: {' and '.join(text(gap, 100) for gap in gaps.values())}")
    return cases.outcome("MECN's link efficiency above ECN's and ECNM's, points: ", "; ")


def _fewer_drops(data: Dataset, _parameters: Parameters) -> Outcome:
    cases = Cases()
    for scenario in SCENARIOS:
        drops = {name: of_scheme(data, scenario, name, "drops") for name in ("MECN", "ECN", "gentle RED")}
        for name in ("ECN", "gentle RED"):
            cases[f"{scenario.name} ({name})"] = above(drops[name] * 0.9 - drops["MECN"], 0)
        cases.tell(f"{scenario.name}: {' / '.join(text(each, digits=0) for each in drops.values())}")
    return cases.outcome("Packets dropped with MECN / ECN / gentle RED: ", "; ")


def _fairer_in_front(data: Dataset, _parameters: Parameters) -> Outcome:
    cases = Cases()
    for scenario in SCENARIOS:
        if scenario.flows > 1:
            front, tail = (of_scheme(data, scenario, name, "jain_index") for name in (FRONT, "MECN"))
            cases[scenario.name] = superior(FAIRER, front - tail)
            cases.tell(f"{scenario.name}: {text(front - tail, 1000)}")
    return cases.outcome("Jain's index above mark-tail's, thousandths: ", "; ")


def _fragile(data: Dataset, _parameters: Parameters) -> Outcome:
    def share(row: Row) -> float:
        return float(row["group_bps"][0] / sum(row["group_bps"]))

    cases = Cases()
    for scenario in GROUPED:
        ecn, mecn = (of(at(data, scenario=scenario.name, scheme=scheme), share) for scheme in ("ECN", "MECN"))
        cases[scenario.name] = superior(SHARE, mecn - ecn)
        cases.tell(f"{scenario.name}: {text(ecn, 100)} → {text(mecn, 100)} %")
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
        cheaper("MECN", "ECNM", SCENARIOS),
    ),
    Claim(
        "beyond-3",
        WHERE,
        "MECN has less delay than drop-tail, and is as efficient.",
        f"As beyond-2.{EVERYWHERE}",
        ("schemes",),
        cheaper("MECN", "drop-tail", SCENARIOS),
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
        cheaper(FRONT, "MECN", SCENARIOS),
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
        cheaper(TUNED, "MECN", SCENARIOS),
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
