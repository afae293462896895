# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""From estimates to verdicts: the one place that says how a claim is tested.

A rule asks questions of estimates over seeds, each with a bound. The margin comes first: what is smaller does
not matter, and is fixed before the runs, so that more seeds cannot make something of nothing.

- :func:`superior`: better by more than the margin; surely not, if surely better by less.
- :func:`not_inferior`: not worse by the margin.
- :func:`equivalent`: within the margin on both sides (two one-sided tests, Schuirmann 1987).
- :func:`above`, :func:`below`, :func:`within`: the same with bounds that a claim itself names.

Each question is tested in both directions by one-sided t tests at 2.5 %: significant means that the 95 %
confidence interval lies on one side of the bound. It is open when neither is. Schemes are compared by their
differences or ratios with the same seed (:mod:`mecn_experiments.paired`).

A claim about every case holds if each case is significant by itself: a wrong "holds" needs that a false case
is taken for true, so no correction is needed (the intersection-union test, Berger 1982). One case that fails
is enough for "does not hold", so these tests are corrected for the number of cases (Holm 1979).

With seeds that are added until a claim is decided (`--seeds auto`), each look at the claim spends a part of
the 2.5 %: :func:`level_at`.
"""

from __future__ import annotations

import math
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from .statistics import Estimate, estimate, holm

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

Verdict = Literal["holds", "does not hold", "undecided"]
LEVEL = 0.025
"""Of each one-sided test, over all looks."""
LOOKS = (5, 10, 20, 40)
"""Numbers of seeds at which claims are looked at, as long as they are undecided."""


@dataclass(frozen=True, slots=True)
class Tested:
    """The p-values of a question's two tests."""

    yes: float
    """Of the test for yes."""
    no: float
    """Of the test for no."""


Answer: TypeAlias = Tested | bool | None
"""Of a question to runs; or, of what needs no test: surely yes, surely no, open."""


@dataclass(frozen=True, slots=True)
class Look:
    """How answers become verdicts."""

    level: float = LEVEL
    seeds: int | None = None
    """As if so many seeds had the same means and spreads; None: as they are."""


_ONCE = Look()
_LOOK: ContextVar[Look] = ContextVar("look", default=_ONCE)


@contextmanager
def looking(look: Look) -> Iterator[None]:
    """Rules that are asked inside are judged so."""
    token = _LOOK.set(look)
    try:
        yield
    finally:
        _LOOK.reset(token)


def level_at(seeds: int) -> float:
    """What the look at so many seeds may spend of the level.

    The spending function is Lan and DeMets' (1983) of Pocock's type. Each look is tested at what it adds, so
    the sum of all is a bound whatever their correlation: simple, and a little strict.
    """
    before = max((look for look in LOOKS if look < seeds), default=0)
    return _spent(seeds) - _spent(before)


def _spent(seeds: int) -> float:
    return LEVEL * math.log1p((math.e - 1) * seeds / LOOKS[-1])


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the runs say about a claim."""

    verdict: Verdict
    measured: str
    """Our measure with its confidence interval."""
    why: str
    """What decided, or what keeps it open."""
    reached: str = ""
    """At how many seeds, and whether more would decide it."""


def above(value: Estimate, bound: float) -> Tested:
    """Whether the value exceeds the bound."""
    seeds = _LOOK.get().seeds
    opposite = Estimate(-value.mean, value.half_width, value.n)
    yes, no = value.chance_above(bound, seeds), opposite.chance_above(-bound, seeds)
    # Without spread the value is exact: on the bound it does not exceed it.
    return Tested(yes, 0.0 if value.half_width == 0 and value.mean == bound else no)


def below(value: Estimate, bound: float) -> Tested:
    """Whether the value is less than the bound."""
    return above(Estimate(-value.mean, value.half_width, value.n), -bound)


def within(value: Estimate, low: float, high: float) -> Tested:
    """Whether the value lies within the closed interval."""
    if value.half_width == 0:
        inside = low <= value.mean <= high
        return Tested(float(not inside), float(inside))
    over, under = above(value, low), below(value, high)
    return Tested(max(over.yes, under.yes), min(over.no, under.no))


def superior(margin: float, gap: Estimate, *, over: float = 0.0) -> Tested:
    """Whether a scheme is better by more than the margin. gap: its measure less the other's, or with `over=1`
    over the other's."""
    return above(gap, over + _positive(margin))


def not_inferior(margin: float, gap: Estimate, *, over: float = 0.0) -> Tested:
    """Whether a scheme is not worse by the margin; the gap as in :func:`superior`."""
    return above(gap, over - _positive(margin))


def equivalent(margin: float, gap: Estimate, *, over: float = 0.0) -> Tested:
    """Whether two schemes differ by the margin at most; the gap as in :func:`superior`."""
    return within(gap, over - _positive(margin), over + margin)


def _positive(margin: float) -> float:
    if not margin > 0:
        raise ValueError(f"a margin of {margin}: any difference at all is found with enough seeds")
    return margin


def chances_of(answer: Answer) -> Tested:
    """An answer as p-values."""
    if isinstance(answer, Tested):
        return answer
    return {True: Tested(0, 1), False: Tested(1, 0), None: Tested(1, 1)}[answer]


def both(*answers: Answer) -> Tested:
    """Yes if all are; no if one is no, corrected for their number."""
    parts = [chances_of(answer) for answer in answers]
    return Tested(max(part.yes for part in parts), min(1.0, len(parts) * min(part.no for part in parts)))


def either(*answers: Answer) -> Tested:
    """Yes if one is, corrected for their number; no if all are."""
    parts = [chances_of(answer) for answer in answers]
    return Tested(min(1.0, len(parts) * min(part.yes for part in parts)), max(part.no for part in parts))


def verdict_of(answer: Answer) -> Verdict:
    """The verdict on a claim that one answer decides."""
    return every({"": answer})[0]


def every(cases: Mapping[str, Answer]) -> tuple[Verdict, str]:
    """The verdict on a claim about every case, and for which cases it is so."""
    if not cases:
        return "undecided", "There are no cases."
    level = _LOOK.get().level
    parts = [chances_of(answer) for answer in cases.values()]
    yes = [part.yes <= level for part in parts]
    no = holm([part.no for part in parts], level)
    verdict: Verdict = "holds" if all(yes) else "does not hold" if any(no) else "undecided"
    return verdict, _tally(list(cases), yes, no)


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


def _tally(names: Sequence[str], yes: Sequence[bool], no: Sequence[bool]) -> str:
    """How many cases go as claimed, and the names of the others."""
    texts = [f"As claimed in {sum(yes)} of {len(names)} cases"]
    openly = [not (y or n) for y, n in zip(yes, no, strict=True)]
    for chosen, word in ((no, "not"), (openly, "open")):
        named = [name for name, is_so in zip(names, chosen, strict=True) if is_so]
        if named:
            shown = ", ".join(named[:6]) + (f" and {len(named) - 6} more" if len(named) > 6 else "")
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


def verdict_text(outcome: Outcome) -> str:
    """The verdict, and how it was reached."""
    return f"{outcome.verdict} ({outcome.reached})" if outcome.reached else outcome.verdict


def text(value: Estimate, scale: float = 1, digits: int = 1, unit: str = "") -> str:
    """Mean and half width of the interval."""
    tail = f" {unit}" if unit else ""
    if math.isnan(value.half_width):
        return f"{value.mean * scale:.{digits}f}{tail} (one seed)"
    return f"{value.mean * scale:.{digits}f} ± {value.half_width * scale:.{digits}f}{tail}"
