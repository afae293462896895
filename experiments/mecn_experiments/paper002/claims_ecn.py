# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Claims about Figures 9 and 10 (ECN-capable flows beside others), each with the rule that decides it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..declaration import Claim
from ..paired import at, largest, over_seeds
from ..paired import mean as mean_sample
from ..verdicts import Answer, Outcome, above, below, both, either, judged, superior, text, within
from .measures import SLIGHT, ecn_gain, mean, outstanding
from .scenarios import ECN

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..dataset import Dataset, Row
    from .parameters import Parameters


def _gain(rows: Sequence[Row]) -> float:
    """Averaged over the settings of RED."""
    return mean(ecn_gain(row) for row in rows)


class _Curve:
    """The goodput ratio over n, averaged over the settings of RED."""

    def __init__(self, data: Dataset, pairs: Sequence[int], column: str) -> None:
        self.pairs = tuple(pairs)
        self.points = {
            n: [at(data, scheme=scheme, mixed=True, **{column: 2 * n}) for scheme in ECN] for n in pairs
        }
        self.values = {n: over_seeds(points, _gain) for n, points in self.points.items()}
        self.peak = max(self.pairs, key=lambda n: self.values[n].mean)

    def shape(self) -> dict[str, Answer]:
        """Whether it is higher somewhere in between than at both ends. Every n in between is asked, since the
        highest of them is known from the same runs."""
        (low, *between, high), values = self.pairs, self.values
        higher = [both(*(superior(SLIGHT, values[n] - values[end]) for end in (low, high))) for n in between]
        return {f"higher in between than at n = {low} and {high}": either(*higher)}

    def told(self) -> str:
        return ", ".join(f"n = {n} {text(value, digits=2)}" for n, value in self.values.items())


def _ftp(data: Dataset, parameters: Parameters) -> _Curve:
    return _Curve(data, parameters.ecn_pairs, "ftp")


def _better(data: Dataset, parameters: Parameters) -> Outcome:
    curve = _ftp(data, parameters)
    cases: dict[str, Answer] = {
        f"n = {n}": both(superior(SLIGHT, value, over=1), below(value, 1.35))
        for n, value in curve.values.items()
    }
    average = mean_sample([*curve.values.values()])
    cases["on average"] = within(average, 1.05, 1.30)
    measured = f"Goodput of ECN-capable flows over that of others: {curve.told()}"
    return judged(cases, f"{measured}; on average {text(average, digits=2)}")


def _peak(data: Dataset, parameters: Parameters) -> Outcome:
    curve = _ftp(data, parameters)
    window = over_seeds(curve.points[curve.peak], lambda rows: mean(outstanding(row) for row in rows))
    cases = curve.shape() | {"3 to 4 packets at the peak": within(window, 2.5, 4.5)}
    measured = f"The peak is at n = {curve.peak}, with {text(window)} packets outstanding. {curve.told()}"
    return judged(cases, measured)


def _web(data: Dataset, parameters: Parameters) -> Outcome:
    ftp, web = _ftp(data, parameters), _Curve(data, parameters.ecn_web_pairs, "web")
    smaller = (ftp.values[ftp.peak] - 1) / 2 - (web.values[web.peak] - 1)
    cases = web.shape() | {"the gain is less than half of FTP's": above(smaller, 0)}
    measured = (
        f"Web: {web.told()}; peak {text(web.values[web.peak], digits=2)}, FTP's"
        f" {text(ftp.values[ftp.peak], digits=2)}"
    )
    return judged(cases, measured)


def _most(data: Dataset, parameters: Parameters) -> Outcome:
    most = largest([*_ftp(data, parameters).values.values()])
    return judged(
        {"the largest gain": within(most, 1.25, 1.35)},
        f"Largest goodput ratio over n: {text(most, digits=2)}",
    )


CLAIMS = (
    Claim(
        "002-9",
        "section V-C, figure 9a",
        '"ECN-capable sources consistently out-performs non-ECN-capable sources by 5-30%"',
        "Averaged over r1e, r2e and r3e, the goodput ratio is 1.02 to 1.35 for each n, and 1.05 to"
        " 1.30 on average over n.",
        ("fig9",),
        _better,
    ),
    Claim(
        "002-10",
        "section V-C, figure 9",
        '"as the congestion level increases, the goodput ratio initially increases and later decreases. The'
        ' peak occurs when on average each flow has roughly 3-4 outstanding packets"',
        "At some n in between the ratio is higher by more than 0.02 than at the least and at the largest n,"
        " and at the largest ratio a flow has 2.5 to 4.5 packets outstanding.",
        ("fig9",),
        _peak,
    ),
    Claim(
        "002-11",
        "section V-C, figure 10",
        '"the shape of the curve is very similar to Fig. 9 (a), except that the peak goodput ratio is much'
        ' smaller"',
        "At some n in between the ratio is higher by more than 0.02 than at the least and at the largest n,"
        " and the largest ratio's distance from 1 is less than half of that of figure 9.",
        ("fig9", "fig10"),
        _web,
    ),
    Claim(
        "002-22",
        "section VI",
        '"ECN-enabled traffic can receive up to 30% higher goodput"',
        "The largest goodput ratio over n is 1.25 to 1.35.",
        ("fig9",),
        _most,
    ),
)
