# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Figure 4: drops and throughput of each flow."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..declaration import Figure
from ..figures import BLUE, GREY, ORANGE
from ..plots import Look
from .drawing import scatter
from .scenarios import TELNETS, each

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..dataset import Dataset, Row
    from ..declaration import Drawing, Recipe
    from .parameters import Parameters
    from .scenarios import Scheme


SCHEMES: tuple[Scheme, ...] = ("dt", "r1")
WEB = 10
CLASSES = (
    Look("ftp", ORANGE, marker="s"),
    Look("web", BLUE, marker="o"),
    Look("telnet", GREY, marker="x"),
)


def _recipes(parameters: Parameters) -> Sequence[Recipe]:
    return each(parameters, SCHEMES, [{"ftp": 5, "web": WEB, "telnet": TELNETS}])


def _points(row: Row, kind: str) -> list[tuple[float, float]]:
    """Throughput and loss of each flow of a class, in per cent of the sums over all flows."""
    sent = [rate / (1 - loss) for rate, loss in zip(row["flow_goodput_bps"], row["flow_loss"], strict=True)]
    dropped = [rate * loss for rate, loss in zip(sent, row["flow_loss"], strict=True)]
    return [
        (100 * rate / sum(sent), 100 * drops / (sum(dropped) or 1))
        for rate, drops, name in zip(sent, dropped, row["flow_class"], strict=True)
        if name == kind
    ]


def _draw(data: Dataset, _parameters: Parameters) -> list[Drawing]:
    drawings = []
    for letter, scheme in zip("ab", SCHEMES, strict=True):
        (row,) = data.select(scheme=scheme, seed=1)
        drawings.append(
            scatter(
                key=f"fig4{letter}",
                title=f"Figure 4: drops and throughput of each flow, {scheme}",
                axis="share of all throughput (%)",
                label="share of all drops (%)",
                points=[(kind, _points(row, kind.name)) for kind in CLASSES],
                guides=[("equal", lambda x: x, ":")],
            )
        )
    return drawings


FIGURE = Figure(
    "fig4",
    "Figure 4: packet drops against throughput",
    '"there is not much difference between dt and r1": web and FTP sessions have about the same loss rates.',
    _recipes,
    _draw,
)
