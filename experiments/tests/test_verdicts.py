# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""From estimates to answers, from answers to verdicts."""

import math

import pytest
from mecn_experiments.statistics import Estimate
from mecn_experiments.verdicts import Answer, above, below, both, every, share_above, text, within

ONE_SEED = Estimate(5, math.nan, 1)


@pytest.mark.parametrize(
    ("value", "bound", "answer"),
    [
        (Estimate(5, 1, 3), 3.9, True),
        (Estimate(5, 1, 3), 4.0, None),
        (Estimate(5, 1, 3), 6.0, False),
        (Estimate(5, 1, 3), 5.5, None),
        (Estimate(5, 0, 3), 5.0, False),
        (ONE_SEED, 0, None),
        (Estimate(math.nan, math.nan, 0), 0, None),
    ],
)
def test_above(value: Estimate, bound: float, answer: Answer) -> None:
    assert above(value, bound) is answer
    assert below(Estimate(-value.mean, value.half_width, value.n), -bound) is answer


def test_within() -> None:
    assert within(Estimate(5, 1, 3), 4, 6) is True
    assert within(Estimate(5, 1, 3), 4.5, 9) is None
    assert within(Estimate(5, 1, 3), 7, 9) is False
    assert within(Estimate(5, 1, 3), 0, 3) is False
    assert within(ONE_SEED, 0, 9) is None


def test_every_case_must_go_as_claimed() -> None:
    assert both(True, True) is True
    assert both(True, None) is None
    assert both(True, None, False) is False
    assert every({"a": True, "b": True})[0] == "holds"
    verdict, why = every({"a": True, "b": None, "c": False})
    assert verdict == "does not hold"
    assert why == "As claimed in 1 of 3 cases; not: c; open: b."
    assert every({"a": True, "b": None})[0] == "undecided"
    assert every({})[0] == "undecided"


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
