# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""The commands that explain results: short runs of what they tabulate."""

from collections.abc import Iterator

import pytest
from mecn_experiments.bench import Bench
from mecn_experiments.beyond import reverse
from mecn_experiments.beyond.parameters import Parameters
from mecn_experiments.beyond.scenarios import MIXED, PASSING, recipes
from mecn_experiments.execute import execute
from mecn_experiments.paper000 import adaptive_shares
from mecn_experiments.paper000.parameters import Parameters as Parameters000
from mecn_experiments.paper000.scenarios import Point
from mecn_experiments.paper000.simulate import plan_of, scenario_of
from mecn_experiments.program import P4_PROGRAM, compile_program


@pytest.fixture(scope="module")
def bench() -> Iterator[Bench]:
    with Bench(compile_program(P4_PROGRAM)) as bench:
        yield bench


def test_dropped_acknowledgements_starve_the_reverse_direction(bench: Bench) -> None:
    """25 sessions forward and 10 back: the reverse ones lose no data and yet have next to nothing, unless
    what cannot be marked passes."""
    found = {}
    for scheme in ("ECN", "MECN", PASSING):
        (recipe,) = recipes(Parameters(), [scheme], MIXED[-1:])
        recipe["run"]["shared"] |= {"duration_s": 60.0, "warmup_s": 20.0}
        found[scheme] = reverse.measured(recipe["run"], 1, bench)
    above, goodput, loss, timeouts = found["MECN"]
    assert above > 0.05 > found["ECN"][0]
    assert goodput < found["ECN"][1] / 2
    assert goodput < found[PASSING][1] / 2
    assert loss < 0.02
    assert timeouts > found[PASSING][3]


def test_adaptive_ecn_shuts_robust_flows_out(bench: Bench) -> None:
    """60 flows: their class has the largest max_p, and hosts that wait have next to nothing of it."""
    shares = {}
    for waiting in (True, False):
        recipe = Point("AECN", 60, 0.1, 30).recipe(
            Parameters000(hold_at_one_segment=waiting, hold_below_one_segment=waiting, duration_s=40)
        )
        measured = execute(scenario_of(recipe), plan_of(recipe, 1), 1, bench)
        shares[waiting] = adaptive_shares.shares_of(measured)
    for one in shares.values():
        assert sum(one.shares) == pytest.approx(1)
        assert one.max_p[2] == max(one.max_p)
        assert one.jain <= one.between + 1e-9
    assert shares[True].shares[2] < 0.02 < shares[False].shares[2]
    assert max(shares[False].waits) == 0 < shares[True].waits[2]
    assert adaptive_shares.line(("60", "yes"), [shares[True]]).count("|") == 8
