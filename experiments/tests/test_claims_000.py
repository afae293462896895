# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Every rule of paper 000 on made-up results: it can hold, and it can fail."""

from collections.abc import Callable

import pytest
from mecn_experiments.dataset import Row
from mecn_experiments.declaration import Claim, Recipe
from mecn_experiments.paper000.paper import PAPER
from mecn_experiments.paper000.parameters import Parameters
from mecn_experiments.paper000.scenarios import point_of
from mecn_experiments.verdicts import Outcome
from mecn_topo import address_plan, paper000_star

Judge = Callable[..., Outcome]
DrawAll = Callable[..., list[str]]
Tried = Callable[[object], set[str]]
CLAIMS = {claim.id: claim for claim in PAPER.claims}
MBPS = 1e6


def ideal(recipe: Recipe, seed: int) -> Row:
    """A row as the paper has it; seeds differ by a little noise."""
    point = point_of(recipe)
    noise = (seed - 2) * 1e-4
    ecn, many = point.scheme != "RED", point.flows >= 60
    best_p = 0.5 if many else 0.1
    goodput = (9.5 if ecn else 8.0) - abs(point.max_p - best_p) * (1.5 if many and ecn else 0.5)
    if many and not (ecn and point.max_p == 0.5):
        goodput -= 1.0
    if point.scheme == "ECN" and point.max_p == 0.5:
        goodput += 0.5
    if point.flows == 120 and point.max_p == 0.8:
        goodput = 9.3 if ecn else 7.9
    elif point.flows == 30 and point.max_p in (0.2, 0.8):
        goodput = 9.3 if ecn else 8.9
    elif point.flows == 30 and point.max_p == 0.35:
        goodput = 9.95
    goodput -= abs(point.max_th - 30) * (0.001 if point.flows == 30 else 0.02)
    if point.scheme == "ECNM":
        goodput = (9.8 if point.max_p < 0.2 else 7.0) - abs(point.max_th - 30) * 0.06
    if point.scheme == "AECN":
        goodput = 10.5
    goodput = (goodput + noise) * MBPS
    shares = [0.1, 0.3, 0.6] if not many else [0.12, 0.33, 0.55]
    jain = 0.95 - 0.05 * (not ecn) - 0.2 * abs(point.max_p - best_p) - (0.5 if point.flows > 120 else 0)
    if point.scheme == "AECN":
        jain = 0.99
    groups = [goodput * share for share in shares]
    return {
        "seed": seed,
        "scheme": point.scheme,
        "flows": point.flows,
        "max_p": point.max_p,
        "max_th": point.max_th,
        "goodput_bps": goodput,
        "delivered_bps": goodput * 1.02,
        "throughput_bps": (9.9 if ecn else 9.7) * MBPS,
        "group_goodput_bps": groups,
        "group_delivered_bps": groups,
        "group_throughput_bps": groups,
        "group_delay_s": [delay + 0.005 * ecn + noise for delay in (0.16, 0.06, 0.02)],
        "jain_index": jain + noise,
        "locked_out": 10 if point.flows > 120 else 0,
        "retransmissions": 100 if ecn else 5000,
    }


@pytest.mark.parametrize("claim", PAPER.claims, ids=lambda claim: claim.id)
def test_what_the_paper_says_holds(claim: Claim, judge: Judge) -> None:
    outcome = judge(PAPER, claim, ideal)
    assert outcome.verdict == "holds", outcome
    assert outcome.measured


def test_adaptive_ecn_must_do_better_at_all_numbers_of_flows(judge: Judge) -> None:
    def change(row: Row) -> None:
        if row["flows"] > 120:
            swapped_with_adaptive(row)

    assert judge(PAPER, CLAIMS["000-20"], ideal, change).verdict == "does not hold"


@pytest.mark.parametrize("claim", PAPER.claims, ids=lambda claim: claim.id)
def test_one_seed_decides_nothing(claim: Claim, judge: Judge) -> None:
    outcome = judge(PAPER, claim, ideal, parameters=Parameters(seeds=1))
    assert outcome.verdict == "undecided"


def swapped(row: Row) -> None:
    """Gives RED and ECN each other's results."""
    row["scheme"] = {"RED": "ECN", "ECN": "RED"}.get(row["scheme"], row["scheme"])


def swapped_with_adaptive(row: Row) -> None:
    """Gives adaptive and plain ECN each other's results."""
    row["jain_index"] = 1 - row["jain_index"]


def equal(column: str, value: object) -> Callable[[Row], None]:
    return lambda row: row.__setitem__(column, value)


def ecnm_for_ecn(row: Row) -> None:
    row["scheme"] = {"ECNM": "ECN", "ECN": "ECNM"}[row["scheme"]]


@pytest.mark.parametrize(
    ("claim", "change"),
    [
        ("000-1", swapped),
        ("000-2", swapped),
        ("000-3", equal("goodput_bps", 9 * MBPS)),
        ("000-4", equal("group_delay_s", [0.05, 0.05, 0.05])),
        ("000-5", swapped),
        ("000-6", lambda row: row.__setitem__("goodput_bps", row["max_th"] * 1e5)),
        ("000-7", lambda row: row.__setitem__("goodput_bps", row["max_th"] * 1e5)),
        ("000-8", equal("goodput_bps", 9 * MBPS)),
        ("000-9", swapped),
        ("000-10", equal("jain_index", 0.9)),
        ("000-11", swapped),
        ("000-12", equal("locked_out", 0)),
        ("000-12", equal("locked_out", 3)),
        ("000-13", swapped),
        ("000-14", equal("group_goodput_bps", [1e6, 1e6, 1e6])),
        ("000-15", equal("goodput_bps", 9 * MBPS)),
        ("000-16", lambda row: row.__setitem__("throughput_bps", (9 + (row["scheme"] == "ECN")) * MBPS)),
        ("000-17", ecnm_for_ecn),
        ("000-18", equal("goodput_bps", 9 * MBPS)),
        # ECNM varies, and so does ECN.
        ("000-18", lambda row: row.__setitem__("goodput_bps", row["max_th"] * 1e5)),
        ("000-19", lambda row: row.__setitem__("goodput_bps", -row["max_p"])),
        ("000-20", swapped_with_adaptive),
        ("000-21", swapped),
        ("000-22", swapped),
        ("000-23", equal("group_delivered_bps", [1e6, 1e6, 1e6])),
    ],
)
def test_the_rule_can_fail(claim: str, change: Callable[[Row], None], judge: Judge) -> None:
    outcome = judge(PAPER, CLAIMS[claim], ideal, change)
    assert outcome.verdict == "does not hold", outcome


def test_every_rule_is_made_to_fail(tried: Tried) -> None:
    assert tried(test_the_rule_can_fail) == set(CLAIMS)


def test_claims_are_those_of_the_list() -> None:
    assert list(CLAIMS) == [f"000-{number}" for number in range(1, 24)]


def test_parameters_say_where_they_come_from() -> None:
    assert set(Parameters.origins()) == set(Parameters.model_fields)


def test_figures_draw_from_made_up_results(draw_all: DrawAll) -> None:
    assert draw_all(PAPER, ideal)


def test_more_sources_than_a_switch_has_ports() -> None:
    topology = paper000_star([0.005] * 600, source_bps=1_000_000)
    assert [switch.name for switch in topology.switches] == ["R", "A1"]
    assert max(len(topology.links_of(switch.name)) for switch in topology.switches) <= 510
    plan = address_plan(topology)
    assert plan.port("R", topology.link_between("R", "D")) == 1
    assert all(len(routes) == 601 for routes in plan.routes.values())
