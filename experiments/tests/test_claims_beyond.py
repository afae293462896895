# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Our own rules on made-up results, and other schemes in the papers' scenarios."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from mecn_experiments.bench import Bench
from mecn_experiments.beyond.paper import PAPER
from mecn_experiments.beyond.parameters import Parameters
from mecn_experiments.beyond.scenarios import FRONT, MIXED, PASSING, SCENARIOS, TUNED, recipes
from mecn_experiments.beyond.simulate import simulate
from mecn_experiments.declaration import Claim
from mecn_experiments.errors import ExperimentError
from mecn_experiments.paper000.paper import PAPER as PAPER_000
from mecn_experiments.paper000.parameters import Parameters as Parameters000
from mecn_experiments.paper000.scenarios import profile_of as profile_000
from mecn_experiments.paper001.scenarios import profile_of as profile_001
from mecn_experiments.paper002.figures import BACK_FTP
from mecn_experiments.paper002.parameters import Parameters as Parameters002
from mecn_experiments.paper002.scenarios import Point as Point002
from mecn_experiments.paper002.scenarios import profile_of as profile_002
from mecn_experiments.paper002.scenarios import web_and_ftp, with_udp
from mecn_experiments.paper004.scenarios import profile_of as profile_004
from mecn_experiments.program import P4_PROGRAM, compile_program
from mecn_experiments.variant import KEY, variant_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from mecn_experiments.dataset import Row
    from mecn_experiments.declaration import Recipe
    from mecn_experiments.verdicts import Outcome

    Judge = Callable[..., Outcome]
    DrawAll = Callable[..., list[str]]
    Tried = Callable[[object], set[str]]

CLAIMS = {claim.id: claim for claim in PAPER.claims}
SCHEMES = ("drop-tail", "gentle RED", "ECN", "ECNM", "MECN", FRONT, TUNED, PASSING)
PROFILES = {"000": profile_000, "001": profile_001, "002": profile_002, "004": profile_004}
SMALL = (
    SCENARIOS[0],
    SCENARIOS[3],
    *[s for s in SCENARIOS if s.paper == "002"],
    SCENARIOS[-1],
    MIXED[0],
    MIXED[2],
)


def wished(recipe: Recipe, seed: int) -> Row:
    """A row as multi-level ECN's friends would have it; seeds differ by a little noise."""
    noise, rank = (seed - 2) * 1e-4, SCHEMES.index(recipe["scheme"])
    return {
        "seed": seed,
        "scenario": recipe["scenario"],
        "paper": recipe["paper"],
        "scheme": recipe["scheme"],
        "efficiency": 0.9 + 0.01 * rank + noise,
        "delay_mean_s": 0.2 - 0.02 * rank + noise,
        "jain_index": 0.8 + 0.02 * rank + noise,
        "drops": 100 - 10 * rank + seed,
        "group_bps": [1e6 * (1 + 0.1 * rank + noise), 2e6, 3e6] if recipe["paper"] == "000" else None,
        "ftp_bps": 1e5 * (1 + 0.1 * rank + noise),
        "back_ftp_bps": 1e5 * (1 + 0.1 * rank + noise),
        "udp_loss": 0.01 if recipe["scheme"] == PASSING else 0.1 - 0.01 * rank + noise,
    }


@pytest.mark.parametrize("claim", PAPER.claims, ids=lambda claim: claim.id)
def test_what_is_wished_holds(claim: Claim, judge: Judge) -> None:
    outcome = judge(PAPER, claim, wished)
    assert outcome.verdict == "holds", outcome
    assert outcome.measured


@pytest.mark.parametrize("claim", PAPER.claims, ids=lambda claim: claim.id)
def test_one_seed_decides_nothing(claim: Claim, judge: Judge) -> None:
    outcome = judge(PAPER, claim, wished, parameters=Parameters(seeds=1))
    assert outcome.verdict == "undecided"


def setter(column: str, value: object) -> Callable[[Row], None]:
    return lambda row: row.__setitem__(column, value)


def of(scheme: str, column: str, value: object) -> Callable[[Row], None]:
    def change(row: Row) -> None:
        if row["scheme"] == scheme:
            row[column] = value

    return change


@pytest.mark.parametrize(
    ("claim", "change"),
    [
        ("beyond-1", of("MECN", "efficiency", 0.9)),
        ("beyond-2", setter("delay_mean_s", 0.1)),
        ("beyond-2", of("MECN", "efficiency", 0.5)),
        ("beyond-3", setter("delay_mean_s", 0.1)),
        ("beyond-4", setter("drops", 5)),
        ("beyond-5", setter("delay_mean_s", 0.1)),
        ("beyond-6", setter("jain_index", 0.9)),
        ("beyond-7", setter("delay_mean_s", 0.1)),
        ("beyond-8", setter("group_bps", [1e6, 2e6, 3e6])),
        ("beyond-9", of("MECN", "ftp_bps", 1e5)),
        ("beyond-10", of("MECN", "udp_loss", 0.2)),
        ("beyond-11", of("MECN", "ftp_bps", 1e5)),
        ("beyond-11", of("MECN", "back_ftp_bps", 1e5)),
        ("beyond-12", setter("delay_mean_s", 0.1)),
        ("beyond-12", of("MECN", "efficiency", 0.5)),
        ("beyond-13", setter("delay_mean_s", 0.1)),
        ("beyond-14", setter("udp_loss", 0.05)),
        ("beyond-14", of(PASSING, "ftp_bps", 1e5)),
    ],
)
def test_the_rule_can_fail(claim: str, change: Callable[[Row], None], judge: Judge) -> None:
    outcome = judge(PAPER, CLAIMS[claim], wished, change)
    assert outcome.verdict == "does not hold", outcome


def test_every_rule_is_made_to_fail(tried: Tried) -> None:
    assert tried(test_the_rule_can_fail) == set(CLAIMS)


def test_figures_draw_from_made_up_results(draw_all: DrawAll) -> None:
    assert draw_all(PAPER, wished)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_schemes_have_the_paper_s_thresholds(scheme: str) -> None:
    names = {"gentle RED": "red-gentle", FRONT: "mecn", TUNED: "mecn", PASSING: "mecn"}
    for recipe in recipes(Parameters(), [scheme]):
        profile = PROFILES[recipe["paper"]](recipe["run"]).model_dump()
        assert profile["scheme"] == names.get(scheme, scheme.lower())
        assert profile["mark_point"] == ("tail" if scheme not in (FRONT, "drop-tail") else "front")
        if scheme not in ("drop-tail", TUNED):
            low = round(38 / 6 * 256) / 256
            expected = {"000": (5, 30), "001": (40, 70), "002": (low, 3 * low), "004": (15, 30)}[
                recipe["paper"]
            ]
            assert (profile["min_th"], profile["max_th"]) == expected
            assert profile["max_p"] == (0.5 if recipe["paper"] == "000" else 0.1)
        if scheme in ("MECN", FRONT):
            assert profile["mid_th"] == sum(expected) / 2


def test_hosts_speak_what_the_scheme_needs() -> None:
    spoken = {}
    for scheme in SCHEMES:
        (recipe,) = recipes(Parameters(), [scheme], SCENARIOS[:1])
        variant = variant_of(recipe["run"])
        assert variant is not None
        spoken[scheme] = variant.ecn
    assert set(spoken.values()) == {"off", "classic", "multilevel"}
    assert spoken["gentle RED"] == spoken["drop-tail"] == "off"
    assert spoken["ECN"] == spoken["ECNM"] == "classic"


def test_the_papers_own_recipes_have_no_variant() -> None:
    for figure in PAPER_000.figures:
        for recipe in figure.recipes(Parameters000()):
            assert KEY not in recipe
            assert variant_of(recipe) is None


def test_gentle_red_is_paper_002_s_own() -> None:
    """Its profile is that of r1, and the flows are those of Figures 3 and 11."""
    mix, trips = (
        recipe["run"] for recipe in recipes(Parameters(), ["gentle RED"]) if recipe["paper"] == "002"
    )
    own = Point002(scheme="r1", ftp=6, round_trips_ms=(300.0, 102.0)).recipe(Parameters002())
    figure_3 = web_and_ftp(Parameters002(), sack=False)
    assert {key: value for key, value in mix.items() if key != KEY} in figure_3
    assert {key: value for key, value in trips.items() if key != KEY} == own
    for run in (mix, trips):
        profile = profile_002(run).model_dump(exclude={"name"})
        assert profile == profile_002(own).model_dump(exclude={"name"})


def test_mixed_traffic_is_paper_002_s_own() -> None:
    """Flows and thresholds of Figures 7, 8, 18 and 19; what cannot be marked is dropped as there, but for the
    scheme that passes it."""
    runs = {
        scenario.name: recipe["run"]
        for scenario in MIXED
        for recipe in recipes(Parameters(), ["gentle RED"], [scenario])
    }
    of_002 = Parameters002()
    figures = (*with_udp(of_002, "cbr-random", sack=False), *with_udp(of_002, "on-off", sack=False))
    assert sum({k: v for k, v in run.items() if k != KEY} in figures for run in runs.values()) == 2
    both_ways = [(run["ftp"], run["back_ftp"]) for run in runs.values() if run["back_ftp"]]
    assert both_ways == [(4, 4), (16, 16), (max(of_002.forward_ftp), BACK_FTP)]
    for scheme, expected in (("ECN", "drop"), ("MECN", "drop"), (FRONT, "drop"), (PASSING, "pass")):
        for recipe in recipes(Parameters(), [scheme], MIXED):
            profile = profile_002(recipe["run"]).model_dump()
            assert profile["not_ect"] == expected
            assert profile["mark_point"] == ("front" if scheme == FRONT else "tail")
            assert profile["max_th"] == 3 * profile["min_th"]


def test_tuned_thresholds_fit_the_buffer() -> None:
    for recipe in recipes(Parameters(), [TUNED]):
        variant = variant_of(recipe["run"])
        assert variant is not None
        assert variant.thresholds is not None
        assert variant.thresholds[2] <= {"000": 50, "002": 38}.get(recipe["paper"], 100)


def test_a_scenario_that_is_not_here_is_refused() -> None:
    with pytest.raises(ExperimentError, match="no scenarios of paper 003 here"):
        PAPER.check({"paper": "003", "run": {}})


def test_marks_of_both_levels_are_answered_in_each_paper_s_network() -> None:
    """Small runs: MECN loses nothing that ECN's hosts would not, and every measure is there."""
    with Bench(compile_program(P4_PROGRAM)) as bench:
        for recipe in recipes(Parameters(), ["MECN"], SMALL):
            shared = recipe["run"]["shared"]
            if recipe["paper"] == "004":
                recipe["run"]["duration_s"] = 5.0
            else:
                shared |= {"duration_s": 5.0, "warmup_s": 1.0, "settle_s": 2.0}
            row = simulate(recipe, 1, bench)
            assert 0.3 < row["efficiency"] <= 1.05
            assert row["delay_mean_s"] > 0
            assert 0 < row["jain_index"] <= 1
            assert '"scheme":"mecn"' in row["profile"]
            assert (row["group_bps"] is None) == (recipe["paper"] != "000")
            assert (row["udp_loss"] is None) == (recipe["scenario"] != MIXED[0].name)
            assert (row["back_ftp_bps"] is None) == (recipe["scenario"] != MIXED[2].name)
            assert (row["ftp_bps"] is None) == (recipe["paper"] != "002")
