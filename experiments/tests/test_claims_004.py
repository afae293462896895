# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Every rule of paper 004 on made-up results: it can hold, and it can fail."""

from collections.abc import Callable

import pytest
from mecn_experiments.dataset import Row
from mecn_experiments.declaration import Claim, Recipe
from mecn_experiments.paper004.paper import PAPER
from mecn_experiments.paper004.parameters import PACKETS_PER_S, RD, Parameters
from mecn_experiments.paper004.scenarios import SCENARIOS, bound, point_of
from mecn_experiments.verdicts import Outcome

Judge = Callable[..., Outcome]
DrawAll = Callable[..., list[str]]
Tried = Callable[[object], set[str]]
CLAIMS = {claim.id: claim for claim in PAPER.claims}


def ideal(recipe: Recipe, seed: int) -> Row:
    """A row as the paper has it; seeds differ by a little noise."""
    point = point_of(recipe)
    noise = (seed - 2) * 1e-4
    scenario, tail = SCENARIOS[point.scenario], point.strategy == "tail"
    count = len(scenario.rtts_ms)
    t = point.threshold
    queue = bound(point.strategy, t, scenario.rd_smallest) - (t < RD) * (RD - t)
    unfairness = (0.01 + 0.004 * t if tail else 0.01) + noise
    efficiency = 0.6 + 0.38 * min(t, RD) / RD
    if scenario.limited:
        over = t - (10 if tail else 20)
        efficiency = 0.98 - (0.03 + 0.01 * over if over > 0 else 0)
    share = 0.0649 if tail else 0.2135
    acked = [100.0] * count
    if point.scenario == 4:
        acked = [100 * (1 - share), 100 * share]
    if point.scenario == 3:
        acked = [60.0 if tail else 52.0, 40.0 if tail else 48.0]
    row: Row = {
        "seed": seed,
        "family": point.family,
        "scenario": point.scenario,
        "strategy": point.strategy,
        "threshold": t,
        "weight": point.weight,
        "duration_s": point.duration_s,
        "buffer": point.buffer,
        "queue_max": queue,
        "queue_min": 0,
        "peak": queue,
        "peak_s": 1.0 + (0 if tail else -t / PACKETS_PER_S) + noise,
        "efficiency": efficiency + noise,
        "utilisation": min(1.0, 0.9 + 0.1 * t / (RD - 1)),
        "delay_mean_s": 0.03 + max(0, t - (RD - 1)) / PACKETS_PER_S,
        "unfairness": unfairness,
        "acked_packets": acked,
        "tail_drops": 0,
        "fraction_idle": (0.1 if tail else 0.001) + noise,
        "arrivals": 1000,
        "arrivals_close": 990 + seed,
        "trace_time_s": [0.0, 1.0, 2.0],
        "trace_qdepth": [0, 200, 3],
        "trace_avg_qdepth": [0.0, 50.0, 60.0],
    }
    if point.family == "steady":
        row["queue_max"], row["queue_min"] = t + 1, max(0.0, (t - RD + 1) / 2)
    if point.weight is not None:
        row["queue_max"] = t * (1.5 if tail else 1.0) + 20 / point.weight**0.25
        row["efficiency"] = (0.9 if tail else 0.95) + noise
    if point.family == "trace":
        row["peak_s"] = (1.98 if tail else 1.64) + noise
    return row


@pytest.mark.parametrize("claim", PAPER.claims, ids=lambda claim: claim.id)
def test_what_the_paper_says_holds(claim: Claim, judge: Judge) -> None:
    outcome = judge(PAPER, claim, ideal)
    assert outcome.verdict == "holds", outcome
    assert outcome.measured


@pytest.mark.parametrize("claim", PAPER.claims, ids=lambda claim: claim.id)
def test_one_seed_decides_nothing_but_drops(claim: Claim, judge: Judge) -> None:
    outcome = judge(PAPER, claim, ideal, parameters=Parameters(seeds=1))
    assert outcome.verdict == ("holds" if claim.id == "004-22" else "undecided"), outcome


def swapped(row: Row) -> None:
    """Gives each strategy the other's results."""
    row["strategy"] = "front" if row["strategy"] == "tail" else "tail"


def setter(column: str, value: object) -> Callable[[Row], None]:
    return lambda row: row.__setitem__(column, value)


def shifted(column: str, by: float, when: Callable[[Row], bool] = lambda _: True) -> Callable[[Row], None]:
    def change(row: Row) -> None:
        if when(row):
            row[column] += by

    return change


def other_shares(row: Row) -> list[float]:
    """Of the long round trip: 14 % with mark-tail, 21 % with mark-front."""
    share = 0.14 if row["strategy"] == "tail" else 0.21
    return [100 * (1 - share), 100 * share]


@pytest.mark.parametrize(
    ("claim", "change"),
    [
        ("004-1", shifted("queue_max", 3)),
        ("004-1", shifted("queue_max", -3, lambda row: row["threshold"] >= RD)),
        ("004-2", shifted("queue_max", 3)),
        ("004-3", shifted("utilisation", -0.05, lambda row: row["threshold"] == RD - 1)),
        ("004-3", setter("utilisation", 1.0)),
        ("004-3", setter("delay_mean_s", 0.03)),
        ("004-4", shifted("queue_max", 3)),
        ("004-4", shifted("queue_min", 3)),
        ("004-5", swapped),
        ("004-6", shifted("queue_max", 60)),
        ("004-7", setter("efficiency", 0.97)),
        ("004-7", shifted("efficiency", -0.1)),
        ("004-8", shifted("efficiency", -0.1, lambda row: row["strategy"] == "tail")),
        ("004-9", swapped),
        ("004-9", setter("efficiency", 0.97)),
        ("004-10", swapped),
        # The right order at other shares than the paper's.
        ("004-10", lambda row: row["scenario"] == 4 and row.__setitem__("acked_packets", other_shares(row))),
        ("004-11", swapped),
        ("004-11", setter("acked_packets", [50.0, 50.0])),
        ("004-12", swapped),
        # Level for both: the slope of mark-tail is surely not above 0.
        ("004-12", setter("unfairness", 0.05)),
        ("004-13", swapped),
        ("004-14", swapped),
        ("004-15", setter("queue_max", 100)),
        ("004-16", swapped),
        ("004-17", swapped),
        # The right order, a second later.
        ("004-17", shifted("peak_s", 1.0)),
        ("004-18", swapped),
        ("004-18", shifted("fraction_idle", 0.05)),
        ("004-19", swapped),
        ("004-20", setter("arrivals_close", 800)),
        ("004-21", swapped),
        ("004-21", shifted("queue_max", 10)),
        ("004-22", setter("tail_drops", 1)),
        ("004-23", shifted("efficiency", 0.1, lambda row: row["duration_s"] > 50)),
        ("004-23", shifted("queue_max", 5, lambda row: row["duration_s"] > 50)),
    ],
)
def test_the_rule_can_fail(claim: str, change: Callable[[Row], None], judge: Judge) -> None:
    outcome = judge(PAPER, CLAIMS[claim], ideal, change)
    assert outcome.verdict == "does not hold", outcome


def test_every_rule_is_made_to_fail(tried: Tried) -> None:
    assert tried(test_the_rule_can_fail) == set(CLAIMS)


def test_claims_are_those_of_the_list() -> None:
    assert list(CLAIMS) == [f"004-{number}" for number in range(1, 24)]
    for claim in PAPER.claims:
        assert claim.rule
        for key in claim.needs:
            PAPER.figure(key)


def test_parameters_say_where_they_come_from() -> None:
    assert set(Parameters.origins()) == set(Parameters.model_fields)


def test_round_trips_come_out_as_the_paper_has_them() -> None:
    """Propagation both ways, and the transmission of a packet and its acknowledgement on three links."""
    transmission_s = 8 * (1000 + 40) * (2 / 10e6 + 1 / 1.5e6)
    for scenario in SCENARIOS.values():
        for rtt_ms, delay_s in zip(scenario.rtts_ms, scenario.source_delays_s, strict=True):
            assert 1000 * (2 * (delay_s + 0.020 + 0.004) + transmission_s) == pytest.approx(rtt_ms, abs=0.5)


def test_figures_draw_from_made_up_results(draw_all: DrawAll) -> None:
    assert draw_all(PAPER, ideal)
