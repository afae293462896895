# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""From estimates to answers, from answers to verdicts."""

import math
import random

import pytest
from mecn_experiments.statistics import Estimate, estimate
from mecn_experiments.verdicts import (
    LEVEL,
    LOOKS,
    Answer,
    Look,
    above,
    below,
    both,
    chances_of,
    either,
    equivalent,
    every,
    level_at,
    looking,
    not_inferior,
    share_above,
    superior,
    text,
    verdict_of,
    within,
)

ONE_SEED = Estimate(5, math.nan, 1)
VERDICTS = {True: "holds", False: "does not hold", None: "undecided"}


@pytest.mark.parametrize(
    ("value", "bound", "answer"),
    [
        (Estimate(5, 1, 3), 3.9, True),
        (Estimate(5, 1, 3), 4.01, None),
        (Estimate(5, 1, 3), 6.1, False),
        (Estimate(5, 1, 3), 5.5, None),
        (Estimate(5, 0, 3), 5.0, False),
        (Estimate(5, 0, 3), 4.0, True),
        (ONE_SEED, 0, None),
        (Estimate(math.nan, math.nan, 0), 0, None),
    ],
)
def test_above(value: Estimate, bound: float, answer: bool | None) -> None:
    """As the 95 % interval lies to the bound."""
    assert verdict_of(above(value, bound)) == VERDICTS[answer]
    assert verdict_of(below(Estimate(-value.mean, value.half_width, value.n), -bound)) == VERDICTS[answer]


@pytest.mark.parametrize(
    ("value", "low", "high", "answer"),
    [
        (Estimate(5, 1, 3), 3.9, 6.1, True),
        (Estimate(5, 1, 3), 4.5, 9, None),
        (Estimate(5, 1, 3), 7, 9, False),
        (Estimate(5, 1, 3), 0, 3, False),
        (Estimate(5, 0, 3), 5, 5, True),
        (Estimate(5, 0, 3), 6, 7, False),
        (ONE_SEED, 0, 9, None),
    ],
)
def test_within(value: Estimate, low: float, high: float, answer: bool | None) -> None:
    assert verdict_of(within(value, low, high)) == VERDICTS[answer]


def test_the_margin_comes_first() -> None:
    """A gain of 1 ± 0.1: surely there, and surely less than a margin of 2."""
    gap = Estimate(1, 0.1, 3)
    assert verdict_of(superior(0.5, gap)) == "holds"
    assert verdict_of(superior(2, gap)) == "does not hold"
    assert verdict_of(not_inferior(0.5, Estimate(-1, 0.1, 3))) == "does not hold"
    assert verdict_of(not_inferior(2, Estimate(-1, 0.1, 3))) == "holds"
    assert verdict_of(equivalent(2, gap)) == "holds"
    assert verdict_of(equivalent(0.5, gap)) == "does not hold"
    assert verdict_of(equivalent(1, gap)) == "undecided"
    assert verdict_of(superior(0.1, Estimate(1.2, 0.01, 3), over=1)) == "holds"
    assert verdict_of(equivalent(0.1, Estimate(1.2, 0.01, 3), over=1)) == "does not hold"
    with pytest.raises(ValueError, match="any difference at all"):
        superior(0, gap)


def test_every_case_must_go_as_claimed() -> None:
    assert both(True, True) == chances_of(True)
    assert both(True, None) == chances_of(None)
    assert both(True, None, False) == chances_of(False)
    assert every({"a": True, "b": True})[0] == "holds"
    verdict, why = every({"a": True, "b": None, "c": False})
    assert verdict == "does not hold"
    assert why == "As claimed in 1 of 3 cases; not: c; open: b."
    assert every({"a": True, "b": None})[0] == "undecided"
    assert every({})[0] == "undecided"


def test_one_bad_case_among_many_may_be_an_accident() -> None:
    """A case that fails at 2 % decides by itself, not as one of forty; that all hold needs no correction."""
    fails = above(Estimate(-1, 0.95, 10), 0)
    assert 0.01 < fails.no < LEVEL
    assert verdict_of(fails) == "does not hold"
    cases: dict[str, Answer] = {f"case {i}": None for i in range(40)}
    assert every(cases | {"case 0": fails})[0] == "undecided"
    assert verdict_of(both(fails, None, None)) == "undecided"
    holds = above(Estimate(1, 0.95, 10), 0)
    assert every({f"case {i}": holds for i in range(40)})[0] == "holds"


def test_one_of_several_is_enough_if_it_is_no_accident() -> None:
    """That one place has it is corrected for the number of places; that none has needs all to say no."""
    has = above(Estimate(1, 0.95, 10), 0)
    assert 0.01 < has.yes < LEVEL
    assert verdict_of(either(has)) == "holds"
    assert verdict_of(either(has, None, None)) == "undecided"
    assert verdict_of(either(True, has, False)) == "holds"
    assert verdict_of(either(False, False)) == "does not hold"
    assert verdict_of(either(False, None)) == "undecided"


def test_all_looks_together_spend_the_level() -> None:
    levels = [level_at(seeds) for seeds in LOOKS]
    assert sum(levels) == pytest.approx(LEVEL)
    assert all(0 < level < LEVEL for level in levels)
    value = above(Estimate(1, 0.95, 10), 0)
    assert verdict_of(value) == "holds"
    with looking(Look(level_at(5))):
        assert verdict_of(value) == "undecided"
    with looking(Look(LEVEL, 40)):
        assert verdict_of(above(Estimate(1, 1.5, 5), 0)) == "holds"
    assert verdict_of(above(Estimate(1, 1.5, 5), 0)) == "undecided"


def test_looking_often_errs_no_more_than_the_level() -> None:
    """Runs without any effect, looked at 5, 10, 20 and 40 seeds: 'above 0' comes out in at most 2.5 %."""
    chance = random.Random(1)
    wrong = 0
    trials = 2000
    for _ in range(trials):
        values = [chance.gauss(0, 1) for _ in range(LOOKS[-1])]
        wrong += any(above(estimate(values[:n]), 0).yes <= level_at(n) for n in LOOKS)
    # Three standard deviations of a binomial count above the bound.
    assert 0 < wrong < LEVEL * trials + 3 * math.sqrt(LEVEL * trials)


def test_share_of_cases() -> None:
    most, few = [True] * 9 + [False], [True] + [False] * 9
    assert share_above([most, most, most], 0.75)[0] == "holds"
    assert share_above([few, few, few], 0.75)[0] == "does not hold"
    assert share_above([most, few, most], 0.75)[0] == "undecided"
    assert share_above([most], 0.75)[0] == "undecided"
    assert share_above([most, few], 0.5)[1].mean == pytest.approx(0.5)


def test_text() -> None:
    assert text(Estimate(0.5, 0.01, 3), 100, 1, "%") == "50.0 ± 1.0 %"
    assert text(ONE_SEED) == "5.0 (one seed)"
