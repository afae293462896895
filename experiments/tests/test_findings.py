# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""The rule that turns numbers into verdicts."""

import math
from collections.abc import Callable
from typing import Literal

import pytest
from mecn_experiments.dataset import Dataset
from mecn_experiments.paper003.findings import Comparison, findings, frontier_gain, judge, weaker
from mecn_experiments.paper003.parameters import Parameters
from mecn_experiments.statistics import Estimate
from mecn_experiments.verdicts import Verdict


def change(low: float, high: float, first: float = 1.0) -> Comparison:
    middle = (low + high) / 2
    return Comparison(2, first, first + middle, Estimate(middle, (high - low) / 2, 3))


UP = change(0.03, 0.05)
DOWN = change(-0.05, -0.03)
SAME = change(-0.01, 0.015)
OPEN = change(-0.05, 0.05)
TOUCHING = change(0.01, 0.05)


def test_sign_of_a_difference() -> None:
    assert [c.sign for c in (UP, DOWN, SAME, OPEN, TOUCHING)] == [1, -1, 0, None, None]
    assert Comparison(2, 1, 2, Estimate(1, math.nan, 1)).sign is None


@pytest.mark.parametrize(
    ("comparisons", "wanted", "verdict"),
    [
        ([UP, UP], 1, "holds"),
        ([UP, OPEN], 1, "holds in part"),
        ([UP, DOWN], 1, "holds in part"),
        ([OPEN, DOWN], 1, "does not hold"),
        ([SAME, SAME], 1, "does not hold"),
        ([SAME, OPEN], 1, "undecided"),
        ([OPEN, OPEN], -1, "undecided"),
        ([SAME, SAME], 0, "holds"),
        ([UP, OPEN], 0, "does not hold"),
        ([OPEN], 0, "undecided"),
    ],
)
def test_verdict(comparisons: list[Comparison], wanted: Literal[-1, 0, 1], verdict: Verdict) -> None:
    assert judge(comparisons, wanted) == verdict


def test_verdict_of_several_parts() -> None:
    assert weaker(["holds", "holds"]) == "holds"
    assert weaker(["holds", "does not hold"]) == "holds in part"
    assert weaker(["does not hold", "does not hold"]) == "does not hold"
    assert weaker(["undecided", "does not hold"]) == "undecided"


def test_made_up_results_give_the_verdicts_that_were_built_in(
    made_up: Callable[[Parameters], Dataset],
) -> None:
    parameters = Parameters()
    found = {finding.claim: finding for finding in findings(made_up(parameters), parameters)}
    assert found["003-2"].verdict == "holds"
    assert found["003-1"].verdict == "holds"
    assert found["003-5"].verdict == "holds"
    assert found["003-6"].verdict == "does not hold"  # MECN* was made up equal to MECN
    assert found["003-2"].measured[1] == "As claimed at N = 2, 5, 10, 20, 30."


def test_frontier_gain_by_hand() -> None:
    """Parallel lines, 0.1 apart; the second reaches only part of the first's delays."""
    parameters = Parameters(seeds=2, frontier=((1, 2, 4), (2, 4, 6), (3, 6, 9)))
    rows = []
    for seed in (1, 2):
        for scheme, offset, start in (("ECN", 0.0, 0.0), ("MECN", 0.1, 0.5)):
            for i, text in enumerate(
                ("1/4", "2/6", "3/9") if scheme == "ECN" else ("1/2/4", "2/4/6", "3/6/9")
            ):
                delay = start + i
                rows.append(
                    {
                        "scenario": f"{scheme} {text}",
                        "n_sources": 5,
                        "seed": seed,
                        "delay_mean_s": delay,
                        "link_efficiency": 0.2 * delay + offset,
                    }
                )
    gain = frontier_gain(Dataset("003", {}, {}, rows), parameters, "ECN", "MECN")
    assert gain.mean == pytest.approx(0.1)
    assert gain.half_width == pytest.approx(0, abs=1e-12)
