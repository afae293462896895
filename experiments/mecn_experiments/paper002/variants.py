# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Not a figure of the paper: its main comparisons on other paths, and with delayed acknowledgements."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..declaration import Figure
from ..paired import at, of
from ..plots import widths
from ..style import BLUE, GREEN, GREY, ORANGE, new_figure, style
from .drawing import finished
from .measures import ecn_gain, goodput, mean_ratio
from .scenarios import TELNETS, Point

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..dataset import Dataset
    from ..declaration import Drawing, Recipe
    from ..statistics import Estimate
    from .parameters import Parameters

VARIANTS: Mapping[str, Mapping[str, Any]] = {
    "as the figures": {},
    "delayed ACKs": {"delayed_acks": True},
    "D = 25 ms": {"delay_ms": 25.0},
    "D = 100 ms": {"delay_ms": 100.0},
    "B = 1.5 BDP": {"buffer_bdp": 1.5},
    "B = 2 BDP": {"buffer_bdp": 2.0},
    "10 Mbps": {"rate_bps": 10_000_000},
}
"""Name, and what differs from the parameters (section IV)."""
WEB, FTP = 10, 5
FORWARD, BACK = 25, 10
ECN_PAIRS = 7


def points(path: Mapping[str, Any]) -> dict[str, Point]:
    """The runs of a variant, by what they are for."""
    return {
        **{
            f"web {scheme}": Point(scheme=scheme, ftp=FTP, web=WEB, telnet=TELNETS, **path)
            for scheme in ("dt", "r1")
        },
        **{
            f"reverse {scheme}": Point(scheme=scheme, ftp=FORWARD, back_ftp=BACK, **path)
            for scheme in ("dt", "r1")
        },
        "ecn": Point(scheme="r1e", ftp=2 * ECN_PAIRS, mixed=True, **path),
    }


def _recipes(parameters: Parameters) -> Sequence[Recipe]:
    return [point.recipe(parameters) for path in VARIANTS.values() for point in points(path).values()]


def measured(data: Dataset, parameters: Parameters, name: str) -> dict[str, Estimate]:
    """A variant's three ratios; the paper has each above 1."""
    path = {
        key: VARIANTS[name].get(key, getattr(parameters, key))
        for key in ("buffer_bdp", "rate_bps", "delay_ms", "delayed_acks")
    }
    web = {scheme: at(data, scheme=scheme, web=WEB, back_ftp=0, **path) for scheme in ("dt", "r1")}
    back = {scheme: at(data, scheme=scheme, ftp=FORWARD, back_ftp=BACK, **path) for scheme in ("dt", "r1")}
    return {
        "web, r1 / dt": mean_ratio([(web["r1"], web["dt"])], goodput("web")),
        "reverse FTP, r1 / dt": mean_ratio([(back["r1"], back["dt"])], goodput("back-ftp")),
        "ECN / others, r1e": of(at(data, mixed=True, **path), ecn_gain),
    }


def _draw(data: Dataset, parameters: Parameters) -> list[Drawing]:
    with style():
        figure, axes = new_figure()
        found = {name: measured(data, parameters, name) for name in VARIANTS}
        words = []
        for number, (colour, marker) in enumerate(((ORANGE, "o"), (BLUE, "s"), (GREEN, "^"))):
            results = [list(ratios.values())[number] for ratios in found.values()]
            label = list(found[next(iter(found))])[number]
            axes.errorbar(
                [result.mean for result in results],
                [place + 0.2 * (number - 1) for place in range(len(results))],
                xerr=widths(results),
                color=colour,
                marker=marker,
                linestyle="none",
                capsize=2,
                elinewidth=1,
                label=label,
            )
            told = ", ".join(f"{name} {r.mean:.2f}" for name, r in zip(found, results, strict=True))
            words.append(f"{label}: {told}.")
        axes.axvline(1, color=GREY, linewidth=0.8, linestyle=":")
        axes.set_yticks(range(len(found)), list(found))
        axes.invert_yaxis()
        axes.set_xlabel("ratio")
        axes.set_ylabel("path")
        return [finished(figure, axes, "variants", "The main comparisons on other paths", words)]


FIGURE = Figure(
    "variants",
    "The main comparisons on other paths and with delayed acknowledgements (section IV)",
    'Results for the other network scenarios, and with delayed acknowledgements, are "qualitatively'
    ' similar".',
    _recipes,
    _draw,
)
