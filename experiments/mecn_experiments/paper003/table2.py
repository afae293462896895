# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Table 2: response of the sender to CWR and ECE."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..declaration import Figure
from .packets import RESPONSE
from .parameters import LOW
from .scenarios import Point

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..dataset import Dataset
    from ..declaration import Drawing, Recipe
    from .parameters import Parameters


def _recipes(parameters: Parameters) -> Sequence[Recipe]:
    return [
        Point("table", "MECN", LOW, 1, 1.0, case=f"response {line}").recipe(parameters) for line in RESPONSE
    ]


def _draw(_data: Dataset, _parameters: Parameters) -> list[Drawing]:
    return []


FIGURE = Figure(
    "table2",
    "Table 2: response of the sender to CWR and ECE",
    "cwnd grows linearly; is less by a fifth; by two fifths; by half when a packet was dropped.",
    _recipes,
    _draw,
)
