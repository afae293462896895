# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Figure 5: lock-out of a new connection and of one with a long round trip.

The paper's axes are not known; here both are drawn over the threshold.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..declaration import Figure
from .drawing import over_thresholds
from .scenarios import threshold_points

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..dataset import Dataset, Row
    from ..declaration import Drawing, Recipe
    from .parameters import Parameters


def _recipes(parameters: Parameters) -> Sequence[Recipe]:
    return threshold_points(parameters, (3, 4))


def share_of_second(row: Row) -> float:
    """What the second connection got of all acknowledged packets."""
    return float(row["acked_packets"][1] / sum(row["acked_packets"]))


def _draw(data: Dataset, _parameters: Parameters) -> list[Drawing]:
    return [
        over_thresholds(
            data,
            key=f"fig5{letter}",
            title=title,
            label="share of the second (%)",
            axis="threshold T (packets)",
            measure=lambda row: 100 * share_of_second(row),
            where={"scenario": number},
        )
        for letter, number, title in (
            ("a", 3, "Figure 5 (a): share of the newer of two connections"),
            ("b", 4, "Figure 5 (b): share of the connection with RTT 157 ms beside one with 59 ms"),
        )
    ]


FIGURE = Figure(
    "fig5",
    "Figure 5: lock-out and its alleviation",
    "With mark-tail old connections lock out new ones, and those with a small RTT those with a large one;"
    " mark-front raises the share of the large RTT from 6.49 % to 21.35 %.",
    _recipes,
    _draw,
)
