# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Judging counts of random events: how unlikely a count is if the switch is right."""

from __future__ import annotations

import math

ALPHA = 1e-9
"""Chance that a test of frequencies fails although the switch is right."""


def unlikely(successes: int, trials: int, p: float) -> float:
    """Upper bound of the probability that a binomial count is at least as far from p * trials as this one.

    Chernoff: P <= 2 exp(-n D(k/n || p)) with D the Kullback-Leibler divergence.
    """
    share = successes / trials

    def term(a: float, b: float) -> float:
        return 0.0 if a == 0 else math.inf if b == 0 else a * math.log(a / b)

    return min(1.0, 2 * math.exp(-trials * (term(share, p) + term(1 - share, 1 - p))))


def check(successes: int, trials: int, p: float, tests: int, what: str) -> None:
    """Fails if the count is less likely than ALPHA, which `tests` comparisons share (Bonferroni)."""
    assert unlikely(successes, trials, p) > ALPHA / tests, (
        f"{what}: {successes} of {trials}, expected {p:.4f}"
    )
