# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Not a figure of the paper, but what its conclusion asks for: adaptive ECN beside fixed max_p."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..declaration import Figure
from .drawing import curves
from .scenarios import ADAPTIVE_START_P, adaptive

if TYPE_CHECKING:
    from ..dataset import Dataset
    from ..declaration import Drawing
    from .parameters import Parameters


def _draw(data: Dataset, parameters: Parameters) -> list[Drawing]:
    lines: list[tuple[str, str, int, dict[str, object]]] = [
        ("adaptive ECN", "AECN", 0, {"max_p": ADAPTIVE_START_P}),
        ("Adaptive RED's rule", "ARED", 1, {"max_p": ADAPTIVE_START_P}),
    ]
    fixed = [p for p in (0.1, 0.5, 1.0) if p in parameters.max_p]
    lines += [(f"ECN, max_p {p:g}", "ECN", kind, {"max_p": p}) for kind, p in enumerate(fixed)]
    return [
        curves(
            data,
            key=key,
            title=f"Adaptive ECN and fixed max_p: {what}, max_th = 30",
            axis="flows",
            label=label,
            x="flows",
            measure=lambda row, column=column, scale=scale: row[column] * scale,  # type: ignore[misc]
            lines=lines,
            logarithmic=True,
        )
        for key, what, label, column, scale in (
            ("adaptive-goodput", "goodput", "goodput (Mbps)", "goodput_bps", 1e-6),
            ("adaptive-fairness", "fairness", "Jain's index", "jain_index", 1.0),
        )
    ]


FIGURE = Figure(
    "adaptive",
    "Adaptive ECN and fixed max_p (not in the paper)",
    "An adaptive ECN, with max_p by round-trip time and number of flows, should do better.",
    adaptive,
    _draw,
)
