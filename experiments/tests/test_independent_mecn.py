# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""The second implementation of multi-level ECN: itself, and the virtual network judged by it."""

import random
from dataclasses import replace

import pytest

from independent_comparison import GRID, HIGH, LOW, Pair, compare, table
from independent_mecn import Level, Setting, simulate

SEEDS = 5


@pytest.mark.parametrize(
    ("spacing", "gaps"), [("uniform", range(1, 11)), ("wait", range(10, 20)), ("independent", None)]
)
def test_its_gaps_between_marks(spacing: str, gaps: range | None) -> None:
    level, since, found = Level(spacing, random.Random(1)), 0, []
    for _ in range(100_000):
        since += 1
        if level.fires(0.1):
            found.append(since)
            since = 0
    if gaps is None:
        # Six standard deviations of a binomial distribution: a right draw fails once in 10^9 times.
        assert len(found) == pytest.approx(10_000, abs=6 * 95)
        return
    # 0.1 is not a binary number, so that sums of it may miss the last gap by a rounding.
    assert set(gaps) - {19} <= set(found) <= {*gaps, 20}
    assert sum(found) / len(found) == pytest.approx(sum(gaps) / len(gaps), rel=0.02)


def test_its_runs_depend_on_the_seed_only() -> None:
    setting = Setting(sources=3, thresholds=LOW, duration_s=20, warmup_s=5)
    assert simulate(setting, 1) == simulate(setting, 1) != simulate(setting, 2)


def test_a_pair_can_disagree() -> None:
    same = Pair(GRID[0], (40.0, 40.0), (98.0, 98.0), (10, 10), (10, 10))
    assert same.agrees
    assert not replace(same, queue=(41.3, 40.0)).agrees
    assert not replace(same, efficiency=(98.6, 98.0)).agrees
    assert replace(same, queue=(3.09, 3.0)).agrees


@pytest.mark.parametrize(
    "setting",
    [
        Setting(sources=5, thresholds=LOW, spacing="uniform"),
        Setting(sources=5, thresholds=LOW, spacing="wait"),
        Setting(sources=20, thresholds=HIGH, spacing="wait"),
        next(of for of in GRID if of.waits_below_one and of.sources == 10),
    ],
    ids=lambda setting: (
        f"{setting.sources} sources, {setting.thresholds}, {setting.spacing}, {setting.waits_below_one}"
    ),
)
def test_the_virtual_network_agrees_with_it(setting: Setting) -> None:
    pair = compare(setting, SEEDS)
    assert pair.agrees, table([pair])
