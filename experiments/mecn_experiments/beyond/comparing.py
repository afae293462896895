# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""What the rules have in common: schemes compared seed by seed.

Runs with the same seed start their connections at the same instants.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..statistics import Estimate, estimate
from ..verdicts import Cases, Outcome, below, both, judged, not_inferior, text
from .figures import values

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..dataset import Dataset
    from .scenarios import Scenario

POINT = 0.01
"""Link efficiencies that differ by less count as equal."""
DELAY = 0.02
"""Delays that differ by less than this share count as equal."""
WHERE = "our question"
EVERYWHERE = " In every scenario."


def excess(data: Dataset, scenario: Scenario, scheme: str, other: str, column: str) -> Estimate:
    """How much more one scheme has than another."""
    a, b = (values(data, scenario, name, column) for name in (scheme, other))
    return estimate([x - y for x, y in zip(a, b, strict=True)])


def quotient(data: Dataset, scenario: Scenario, scheme: str, other: str, column: str) -> Estimate:
    """One scheme's measure over another's."""
    a, b = (values(data, scenario, name, column) for name in (scheme, other))
    return estimate([x / y for x, y in zip(a, b, strict=True)])


def cheaper(scheme: str, other: str, data: Dataset, scenarios: Sequence[Scenario]) -> Outcome:
    """Less delay, and no less efficiency."""
    cases = Cases()
    for scenario in scenarios:
        delay = quotient(data, scenario, scheme, other, "delay_mean_s")
        gap = excess(data, scenario, scheme, other, "efficiency")
        cases[scenario.name] = both(below(delay, 1 - DELAY), not_inferior(POINT, gap))
        cases.tell(f"{scenario.name}: {text(delay, 100)} % and {text(gap, 100)} points")
    measured = (
        f"{scheme}'s delay in relation to {other}'s, and its efficiency above it: {'; '.join(cases.told)}"
    )
    return judged(cases, measured)
