# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Short runs of paper 002: flows of every kind go where they should, and are counted as they should."""

from collections.abc import Callable, Iterator
from functools import partial

import pytest
from mecn_experiments.bench import Bench
from mecn_experiments.dataset import Row
from mecn_experiments.paper002.measures import goodput, halves, loss, of_class, total
from mecn_experiments.paper002.paper import PAPER
from mecn_experiments.paper002.parameters import Parameters
from mecn_experiments.paper002.scenarios import Point
from mecn_experiments.paper002.simulate import simulate
from mecn_experiments.program import P4_PROGRAM, compile_program
from mecn_experiments.variant import Variant

PARAMETERS = Parameters(duration_s=40.0, warmup_s=10.0)
Simulate = Callable[[Point], Row]


def run(bench: Bench, point: Point) -> Row:
    return simulate(point.recipe(PARAMETERS), 1, bench)


@pytest.fixture(scope="module")
def simulated() -> Iterator[Simulate]:
    with Bench(compile_program(P4_PROGRAM)) as bench:
        yield partial(run, bench)


def test_flows_of_every_kind(simulated: Simulate) -> None:
    row = simulated(
        Point(scheme="r1", ftp=2, web=2, telnet=1, udp="on-off", udp_flows=2, back_ftp=1, back_web=1)
    )
    assert set(row) | {"recipe"} == set(PAPER.schema.names)
    assert row["flow_class"] == ["ftp"] * 2 + ["web"] * 2 + ["telnet"] + ["udp"] * 2 + [
        "back-ftp",
        "back-web",
    ]
    assert all(rate > 0 for rate in row["flow_goodput_bps"])
    forward = [
        r for r, kind in zip(row["flow_goodput_bps"], row["flow_class"], strict=True) if "back" not in kind
    ]
    assert sum(forward) < 1_544_000
    assert total(row) > sum(forward)
    # A session that thinks most of the time transfers faster than it gets in the mean.
    assert goodput("web")(row) > 1.2 * sum(of_class(row, "flow_goodput_bps", "web")) / 2
    assert row["back_utilisation"] > 0.2


def test_drop_tail_fills_its_queue_and_red_does_not(simulated: Simulate) -> None:
    tail, red, ecn = (simulated(Point(scheme=s, ftp=4)) for s in ("dt", "r1", "r1e"))
    assert tail["tail_drops"] > 0
    assert (tail["early_drops"], tail["marked"]) == (0, 0)
    assert red["early_drops"] > 0
    assert red["marked"] == 0
    assert ecn["marked"] > 0
    assert red["queue_mean"] < tail["queue_mean"] < 38
    assert loss("ftp")(ecn) < loss("ftp")(red) / 4
    # Little's law: 38 packets take 98 ms at most.
    assert red["queue_delay_s"] < tail["queue_delay_s"] < 0.0985


def test_half_of_the_flows_without_ecn(simulated: Simulate) -> None:
    row = simulated(Point(scheme="r1e", ftp=8, mixed=True))
    assert row["flow_ecn"] == [True, False] * 4
    with_ecn, without = halves(row, "flow_loss")
    assert with_ecn < without / 10


def test_udp_without_congestion_loses_nothing(simulated: Simulate) -> None:
    fixed = simulated(Point(scheme="dt", udp="cbr-fixed", udp_flows=3))
    assert loss("udp")(fixed) < 0.003
    assert of_class(fixed, "flow_goodput_bps", "udp") == pytest.approx([24_000] * 3, rel=0.01)


def test_windows_are_kept_where_they_are_drawn(simulated: Simulate) -> None:
    row = simulated(Point(scheme="dt", ftp=2, round_trips_ms=(300.0, 102.0), trace=True))
    assert [len(windows) > 100 for windows in row["cwnd_packets"]] == [True, True]
    assert min(time[0] for time in row["cwnd_time_s"]) >= 10
    slow, fast = row["flow_goodput_bps"]
    assert slow < fast


def test_multilevel_ecn_in_place_of_the_paper_s_red(simulated: Simulate) -> None:
    point = Point(scheme="r1", ftp=4)
    red = simulated(point)
    with Bench(compile_program(P4_PROGRAM)) as bench:
        mecn, same = (
            simulate(Variant(scheme).of(point.recipe(PARAMETERS)), 1, bench)
            for scheme in ("MECN", "RED gentle")
        )
    assert mecn["flow_ecn"] == [True] * 4
    # Marks alone keep the queue within its buffer.
    assert (mecn["early_drops"], mecn["tail_drops"]) == (0, 0)
    assert red["early_drops"] > 0
    assert mecn["retransmissions"] < red["retransmissions"] / 4
    # 50 ms and 1 ms twice on the way, the queue, and the transmission of 500 bytes on three links.
    assert red["delay_mean_s"] == pytest.approx(0.052 + 0.0034 + red["queue_delay_s"], rel=0.05)
    # The paper's own scheme as a variant is the paper's own run.
    assert {**same, "profile": ""} == {**red, "profile": ""}
