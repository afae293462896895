# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""From estimates to verdicts.

A rule asks questions of estimates over seeds. A question has three answers: surely yes (the 95 % confidence
interval lies wholly on the one side of a bound), surely no (wholly on the other), or open. One seed gives no
interval, so everything is open. The verdict follows from the answers, never from a mean alone.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from .statistics import Estimate, estimate

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

Verdict = Literal["holds", "does not hold", "undecided"]
Answer = bool | None
"""Surely yes, surely no, open."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the runs say about a claim."""

    verdict: Verdict
    measured: str
    """Our measure with its confidence interval."""
    why: str
    """What decided, or what keeps it open."""


def above(value: Estimate, bound: float) -> Answer:
    """Whether the value exceeds the bound."""
    if math.isnan(value.mean) or math.isnan(value.half_width):
        return None
    if value.low > bound:
        return True
    return False if value.high <= bound else None


def below(value: Estimate, bound: float) -> Answer:
    """Whether the value is less than the bound."""
    return above(Estimate(-value.mean, value.half_width, value.n), -bound)


def within(value: Estimate, low: float, high: float) -> Answer:
    """Whether the value lies within the closed interval."""
    if math.isnan(value.mean) or math.isnan(value.half_width):
        return None
    if low <= value.low and value.high <= high:
        return True
    return False if value.high < low or value.low > high else None


def both(*answers: Answer) -> Answer:
    """Yes if all are; no if one is no."""
    if False in answers:
        return False
    return None if None in answers else True


def verdict_of(answer: Answer) -> Verdict:
    """The verdict on a claim that one answer decides."""
    return {True: "holds", False: "does not hold", None: "undecided"}[answer]  # type: ignore[return-value]


def every(cases: Mapping[str, Answer]) -> tuple[Verdict, str]:
    """The verdict on a claim about every case, and for which cases it is so."""
    answer = both(*cases.values()) if cases else None
    return verdict_of(answer), tally(cases)


def judged(cases: Mapping[str, Answer], measured: str) -> Outcome:
    """The outcome of a claim about every case."""
    verdict, why = every(cases)
    return Outcome(verdict, measured, why)


class Cases(dict[str, Answer]):
    """The answers for the cases of a claim about every case, and what is told of them."""

    def __init__(self) -> None:
        super().__init__()
        self.told: list[str] = []

    def tell(self, text: str) -> None:
        """More of what was measured."""
        self.told.append(text)

    def outcome(self, measured: str, separator: str = ", ", *, empty: str | None = None) -> Outcome:
        """With what is told after these words; `empty` instead of all if there is nothing to tell."""
        if not self.told and empty is not None:
            return judged(self, empty)
        return judged(self, measured + separator.join(self.told))


def tally(cases: Mapping[str, Answer]) -> str:
    """How many cases go as claimed, and the names of the others."""
    if not cases:
        return "There are no cases."
    texts = [f"As claimed in {sum(a is True for a in cases.values())} of {len(cases)} cases"]
    for answer, word in ((False, "not"), (None, "open")):
        names = [name for name, a in cases.items() if a is answer]
        if names:
            shown = ", ".join(names[:6]) + (f" and {len(names) - 6} more" if len(names) > 6 else "")
            texts.append(f"{word}: {shown}")
    return "; ".join(texts) + "."


def share_above(by_seed: Sequence[Iterable[bool]], share: float) -> tuple[Verdict, Estimate]:
    """The verdict on a claim about most cases: whether more than this share of them go as claimed.

    by_seed: for each seed whether each case does. The share is estimated over seeds.
    """
    shares = []
    for cases in by_seed:
        listed = list(cases)
        if listed:
            shares.append(sum(listed) / len(listed))
    value = estimate(shares)
    return verdict_of(above(value, share)), value


def text(value: Estimate, scale: float = 1, digits: int = 1, unit: str = "") -> str:
    """Mean and half width of the interval."""
    tail = f" {unit}" if unit else ""
    if math.isnan(value.half_width):
        return f"{value.mean * scale:.{digits}f}{tail} (one seed)"
    return f"{value.mean * scale:.{digits}f} ± {value.half_width * scale:.{digits}f}{tail}"
