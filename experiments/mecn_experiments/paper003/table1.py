# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Table 1: CWR and ECE of ACKs by CE and ECT."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..declaration import Figure
from .packets import ECHO
from .parameters import LOW
from .scenarios import Point

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..dataset import Dataset
    from ..declaration import Drawing, Recipe
    from .parameters import Parameters


def _recipes(parameters: Parameters) -> Sequence[Recipe]:
    return [Point("table", "MECN", LOW, 1, 1.0, case=f"echo {line}").recipe(parameters) for line in ECHO]


def _draw(_data: Dataset, _parameters: Parameters) -> list[Drawing]:
    return []


FIGURE = Figure(
    "table1",
    "Table 1: CWR and ECE of ACKs by CE and ECT",
    "The receiver reflects the bits of the IP header: 0,0 and 0,1 as 0,0; 1,0 as 0,1; 1,1 as 1,1.",
    _recipes,
    _draw,
)
