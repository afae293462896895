# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Our network against ns-2; docs/validation.md says what is compared."""

import pytest
from mecn_experiments.bottleneck import ns2_missing
from mecn_experiments.validation import (
    APART,
    GOODPUT_TOLERANCE,
    QUEUE_PACKETS,
    QUEUE_TOLERANCE,
    SCENARIOS,
    TESTED,
    Comparison,
    compare,
    table,
)


def test_a_comparison_can_fail() -> None:
    scenario = SCENARIOS[0]
    same = Comparison(scenario, (9e6, 9e6), (20.0, 20.0))
    assert same.agrees
    assert not Comparison(scenario, (9e6 * (1 + 1.1 * GOODPUT_TOLERANCE), 9e6), (20.0, 20.0)).agrees
    assert not Comparison(scenario, (9e6, 9e6), (20.0 * (1 + 1.1 * QUEUE_TOLERANCE), 20.0)).agrees
    assert Comparison(scenario, (9e6, 9e6), (1.9 * QUEUE_PACKETS, QUEUE_PACKETS)).agrees
    assert not Comparison(scenario, (9e6, 9e6), (2.1 * QUEUE_PACKETS, QUEUE_PACKETS)).agrees


def test_names_are_unique() -> None:
    scenarios = (*SCENARIOS, *APART)
    assert len({scenario.name for scenario in scenarios}) == len(scenarios)


@pytest.mark.skipif(ns2_missing() is not None, reason=str(ns2_missing()))
def test_agrees_with_ns2() -> None:
    comparisons = compare(TESTED)
    assert all(comparison.agrees for comparison in comparisons), "\n" + table(comparisons)
