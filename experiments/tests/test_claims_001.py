# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Every rule of paper 001 on made-up results: it can hold, and it can fail."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from mecn_experiments.declaration import Claim, jobs_of
from mecn_experiments.paper001.paper import PAPER
from mecn_experiments.paper001.parameters import Parameters
from mecn_experiments.paper001.scenarios import point_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from mecn_experiments.dataset import Row
    from mecn_experiments.declaration import Recipe
    from mecn_experiments.verdicts import Outcome

    Judge = Callable[..., Outcome]
    DrawAll = Callable[..., list[str]]
    Tried = Callable[[object], set[str]]

CLAIMS = {claim.id: claim for claim in PAPER.claims}


def ideal(recipe: Recipe, seed: int) -> Row:
    """A row as the paper has it; seeds differ by a little noise."""
    run = point_of(recipe)
    noise = (seed - 2) * 1e-4
    drop_tail, low, n = run.scheme == "DropTail", run.min_th == 5, run.senders
    goodput = {"DropTail": 925.0, "RED": 850.0, "ECN": 900.0}[run.scheme] if low else 925.0
    if not low:
        goodput -= {"DropTail": 0, "RED": 16, "ECN": 8}[run.scheme] / n
    queue = 70.0 if drop_tail else (6.0 if low else 40 + 20 * (1 - 1 / n))
    burst: Row = {}
    if run.burst != "none":
        burst = {
            "burst_share": (0.05 if drop_tail else 0.1) + noise,
            "burst_lost": (0.1 if drop_tail else 0.02) + noise,
        }
    return {
        "seed": seed,
        "scheme": run.scheme,
        "min_th": run.min_th,
        "max_th": run.max_th,
        "senders": n,
        "burst": run.burst,
        "goodput_bps": (goodput + noise) * 1e3,
        "delay_mean_s": 0.055 + queue * 0.0046 + noise,
        "queue_mean": (queue if low or drop_tail or n > 1 else 41.0) + noise,
        "queue_max": 100,
        "min_after_peak": 0 if run.scheme == "RED" else 9,
        "settled_mean": queue + noise,
        "settled_std": 10 / n + noise,
        "marked": 10,
        "early_drops": 30 if run.scheme == "RED" else 0,
        "tail_drops": 5,
        "trace_time_s": [i / 10 for i in range(101)],
        "trace_sent_bytes": [i * 12000 for i in range(101)],
        "trace_qdepth": [i % 50 for i in range(101)],
        "trace_mean_qdepth": [i / 10 for i in range(101)],
        **burst,
    }


@pytest.mark.parametrize("claim", PAPER.claims, ids=lambda claim: claim.id)
def test_what_the_paper_says_holds(claim: Claim, judge: Judge) -> None:
    outcome = judge(PAPER, claim, ideal)
    assert outcome.verdict == "holds", outcome
    assert outcome.measured


@pytest.mark.parametrize("claim", PAPER.claims, ids=lambda claim: claim.id)
def test_one_seed_decides_nothing(claim: Claim, judge: Judge) -> None:
    outcome = judge(PAPER, claim, ideal, parameters=Parameters(seeds=1))
    assert outcome.verdict == "undecided"


def setter(column: str, value: object) -> Callable[[Row], None]:
    return lambda row: row.__setitem__(column, value)


def where(scheme: str, column: str, value: object) -> Callable[[Row], None]:
    def change(row: Row) -> None:
        if row["scheme"] == scheme:
            row[column] = value

    return change


def by_nodes(column: str, scale: float) -> Callable[[Row], None]:
    """The schemes drift apart with more nodes."""
    order = {"DropTail": 0, "RED": 1, "ECN": 2}
    return lambda row: row.__setitem__(column, scale * (10 + order[row["scheme"]] * row["senders"]))


@pytest.mark.parametrize(
    ("claim", "change"),
    [
        ("001-1", setter("goodput_bps", 9e5)),
        ("001-2", where("DropTail", "queue_max", 80)),
        ("001-2", where("RED", "queue_mean", 60.0)),
        ("001-3", where("ECN", "delay_mean_s", 0.3)),
        ("001-3", where("ECN", "goodput_bps", 8.5e5)),
        ("001-4", where("ECN", "early_drops", 30)),
        ("001-5", where("ECN", "settled_mean", 10.0)),
        ("001-5", where("RED", "settled_mean", 2.0)),
        ("001-6", where("ECN", "goodput_bps", 8e5)),
        ("001-7", setter("queue_mean", 40.0)),
        ("001-7", lambda row: row.__setitem__("queue_mean", 6.0 if row["min_th"] == 5 else 60.0)),
        ("001-8", where("RED", "min_after_peak", 3)),
        ("001-8", where("ECN", "min_after_peak", 0)),
        ("001-9", setter("settled_mean", 40.0)),
        ("001-9", setter("settled_std", 5.0)),
        ("001-10", by_nodes("goodput_bps", 1e3)),
        ("001-10", by_nodes("settled_mean", 1.0)),
        ("001-11", setter("burst_share", 0.1)),
        ("001-11", setter("burst_lost", 0.1)),
    ],
)
def test_the_rule_can_fail(claim: str, change: Callable[[Row], None], judge: Judge) -> None:
    outcome = judge(PAPER, CLAIMS[claim], ideal, change)
    assert outcome.verdict == "does not hold", outcome


def test_every_rule_is_made_to_fail(tried: Tried) -> None:
    assert tried(test_the_rule_can_fail) == set(CLAIMS)


def test_claims_are_those_of_the_list() -> None:
    assert list(CLAIMS) == [f"001-{number}" for number in range(1, 12)]


def test_parameters_say_where_they_come_from() -> None:
    assert set(Parameters.origins()) == set(Parameters.model_fields)
    assert all(field.description for field in Parameters.model_fields.values())


def test_figures_draw_from_made_up_results(draw_all: DrawAll) -> None:
    keys = draw_all(PAPER, ideal)
    assert {f"fig{letter}" for letter in "ABCDEFGHIJKL"} <= set(keys)


def test_drop_tail_serves_both_sets_of_thresholds() -> None:
    """Its runs do not depend on thresholds, so Figures A to D and I to L share them."""
    parameters = Parameters()
    low, high = (set(jobs_of(PAPER.figure(key), parameters)) for key in ("figA", "figI"))
    assert len(low & high) == parameters.seeds
