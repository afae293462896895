# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""The figures: for each scenario a point for each scheme, link efficiency over delay; and bars."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..declaration import Figure
from ..paper000.parameters import GROUPS
from ..plots import bars, frontier, looks
from .scenarios import FRONT, MIXED, MIXED_SCHEMES, SCENARIOS, SCHEMES, TUNED, recipes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..dataset import Dataset
    from ..declaration import Drawing, Recipe
    from .parameters import Parameters
    from .scenarios import Scenario

GROUPED = tuple(scenario for scenario in SCENARIOS if scenario.paper == "000")
GROUPED_SCHEMES = ("gentle RED", "ECN", "ECNM", "MECN")
BESIDE_UDP = tuple(scenario for scenario in MIXED if scenario.udp != "none")
BOTH_WAYS = tuple(scenario for scenario in MIXED if scenario.back)
PANELS = (
    ("udp-loss", "Loss rate of a UDP flow", "loss (%)", "udp_loss", 100, BESIDE_UDP),
    (
        "udp-tcp",
        "Goodput of each of 10 FTP sessions beside UDP",
        "goodput (kbps)",
        "ftp_bps",
        1e-3,
        BESIDE_UDP,
    ),
    ("forward", "Goodput of each forward FTP session", "goodput (kbps)", "ftp_bps", 1e-3, BOTH_WAYS),
    ("reverse", "Goodput of each reverse FTP session", "goodput (kbps)", "back_ftp_bps", 1e-3, BOTH_WAYS),
)
"""Key, title, axis, column, scale, scenarios."""


def values(data: Dataset, scenario: Scenario, scheme: str, column: str) -> list[float]:
    """A measure of one scheme, one value for each seed."""
    return data.values(column, scenario=scenario.name, scheme=scheme)


def slug(scenario: Scenario) -> str:
    """The scenario's name for a file."""
    return scenario.name.replace(", ", "-").replace(" ", "-").replace("/", "-").lower()


def points(data: Dataset, schemes: Sequence[str], key: str, scenarios: Sequence[Scenario]) -> list[Drawing]:
    """Efficiency over delay, a drawing for each scenario."""

    def point(scenario: Scenario, scheme: str) -> tuple[list[float], list[float]]:
        delays = values(data, scenario, scheme, "delay_mean_s")
        efficiency = values(data, scenario, scheme, "efficiency")
        return [1000 * delay for delay in delays], [100 * share for share in efficiency]

    return [
        frontier(
            [(look, [point(scenario, look.name)]) for look in looks(schemes)],
            key=f"{key}-{slug(scenario)}",
            title=f"Paper {scenario.name}",
            axis="mean one-way delay (ms)",
            label="link efficiency (%)",
        )
        for scenario in scenarios
    ]


def compared(key: str, title: str, schemes: Sequence[str]) -> Figure:
    """Schemes in all scenarios."""

    def draw(data: Dataset, _parameters: Parameters) -> list[Drawing]:
        return points(data, schemes, key, SCENARIOS)

    return Figure(key, title, "", lambda parameters: recipes(parameters, schemes), draw)


def _fragile_runs(parameters: Parameters) -> Sequence[Recipe]:
    return recipes(parameters, GROUPED_SCHEMES, GROUPED)


def _fragile(data: Dataset, _parameters: Parameters) -> list[Drawing]:
    def by_group(scenario: Scenario, scheme: str) -> list[list[float]]:
        rows = data.select(scenario=scenario.name, scheme=scheme)
        return [[row["group_bps"][group] / 1e6 for row in rows] for group in range(len(GROUPS))]

    return [
        bars(
            GROUPS,
            [(look, by_group(scenario, look.name)) for look in looks(GROUPED_SCHEMES)],
            key=f"fragile-{slug(scenario)}",
            title=f"Goodput of each group, paper {scenario.name}",
            label="goodput (Mbps)",
        )
        for scenario in GROUPED
    ]


def _mixed_runs(parameters: Parameters) -> Sequence[Recipe]:
    return recipes(parameters, MIXED_SCHEMES, MIXED)


def _mixed(data: Dataset, _parameters: Parameters) -> list[Drawing]:
    def scaled(scenario: Scenario, scheme: str, column: str, scale: float) -> list[float]:
        return [scale * value for value in values(data, scenario, scheme, column)]

    charts = [
        bars(
            [scenario.name.removeprefix("002, ") for scenario in scenarios],
            [
                (look, [scaled(scenario, look.name, column, scale) for scenario in scenarios])
                for look in looks(MIXED_SCHEMES)
            ],
            key=f"mixed-{key}",
            title=title,
            label=label,
        )
        for key, title, label, column, scale, scenarios in PANELS
    ]
    return [*charts, *points(data, MIXED_SCHEMES, "mixed", MIXED)]


FIGURES = (
    compared(
        "schemes",
        "MECN against ECN, ECNM, gentle RED and drop-tail in the scenarios of papers 000, 001, 002 and 004",
        tuple(SCHEMES),
    ),
    compared("front", "MECN with mark-front against mark-tail", ("MECN", FRONT)),
    compared("tuned", "MECN as the controller tunes it, against the papers' thresholds", ("MECN", TUNED)),
    Figure("fragile", "Fragile, average and robust flows", "", _fragile_runs, _fragile),
    Figure(
        "mixed",
        "MECN beside UDP and with data in both directions (paper 002)",
        "",
        _mixed_runs,
        _mixed,
    ),
)
