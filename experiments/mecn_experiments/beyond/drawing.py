# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""How these figures look: for each scenario a point for each scheme, link efficiency over delay."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..plots import frontier, looks
from .scenarios import SCENARIOS, Scenario

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..dataset import Dataset
    from ..declaration import Drawing


def values(data: Dataset, scenario: Scenario, scheme: str, column: str) -> list[float]:
    """A measure of one scheme, one value for each seed."""
    return data.values(column, scenario=scenario.name, scheme=scheme)


def slug(scenario: Scenario) -> str:
    """The scenario's name for a file."""
    return scenario.name.replace(", ", "-").replace(" ", "-").replace("/", "-").lower()


def points(
    data: Dataset, schemes: Sequence[str], key: str, scenarios: Sequence[Scenario] = SCENARIOS
) -> list[Drawing]:
    """Efficiency over delay, a drawing for each scenario."""
    return [
        frontier(
            [
                (
                    look,
                    [
                        (
                            [1000 * delay for delay in values(data, scenario, look.name, "delay_mean_s")],
                            [100 * share for share in values(data, scenario, look.name, "efficiency")],
                        )
                    ],
                )
                for look in looks(schemes)
            ],
            key=f"{key}-{slug(scenario)}",
            title=f"Paper {scenario.name}",
            axis="mean one-way delay (ms)",
            label="link efficiency (%)",
        )
        for scenario in scenarios
    ]
