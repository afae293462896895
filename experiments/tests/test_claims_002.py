# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Every rule of paper 002 on made-up results: it can hold, and it can fail."""

import json
from collections.abc import Callable

import pytest
from mecn_experiments.bottleneck import ns2_missing
from mecn_experiments.dataset import Row
from mecn_experiments.declaration import Claim, Recipe, jobs_of
from mecn_experiments.errors import ExperimentError
from mecn_experiments.paper002.against_ns2 import CASES, compare, table
from mecn_experiments.paper002.measures import PACKET_BITS, normalised_fairness, outstanding, pair_ratios
from mecn_experiments.paper002.paper import PAPER
from mecn_experiments.paper002.parameters import Parameters
from mecn_experiments.paper002.scenarios import (
    ECN,
    RED,
    SCHEMES,
    Point,
    buffer_packets,
    check,
    point_of,
    profile_of,
)
from mecn_experiments.paper002.simulate import classes_of, round_trips_s, speaks_ecn
from mecn_experiments.verdicts import Outcome

Judge = Callable[..., Outcome]
DrawAll = Callable[..., list[str]]
Tried = Callable[[object], set[str]]
CLAIMS = {claim.id: claim for claim in PAPER.claims}
QUEUE_S = 0.05


def udp_losses(point: Point) -> list[float]:
    """Loss rates of the UDP flows as the paper has them."""
    if point.udp == "cbr-fixed":
        high = point.udp_flows // 5 if point.scheme == "dt" else 0
        return [0.2] * high + [0.03] * (point.udp_flows - high)
    if point.sack:
        mean = 0.07
    elif point.scheme in ECN:
        mean = 0.08
    elif point.scheme in RED:
        mean = 0.04 if point.udp == "on-off" else 0.06
    else:
        mean = 0.05
    return [mean] * point.udp_flows


def web_rate(point: Point) -> float:
    """Goodput of a web session as the paper has it."""
    if point.ftp != 5 or point.back_ftp:
        return 1e5
    if point.scheme != "dt":
        return 1.2e5
    if point.sack:
        return 0.9e5
    return 1e5 if point.buffer_bdp == 1 else 1.2e5 - 0.2e5 * ((point.buffer_bdp or 0) - 0.2) / 1.2


def ftp_rate(point: Point) -> float:
    """Goodput of a forward FTP session as the paper has it."""
    if not point.back_ftp:
        return 2e5 if point.scheme == "dt" else 1.85e5
    if point.scheme == "dt" or 4 < point.ftp < 16:
        return 1e5
    if point.ftp >= 16:
        return 1.04e5
    return 0.95e5 if point.scheme in RED else 0.92e5


def back_rate(point: Point) -> float:
    """Goodput of an FTP session of the reverse path as the paper has it."""
    if point.web:
        return 1e5 - 1200 * point.web if point.scheme == "dt" else 7e4
    return 1e5 - 2500 * point.ftp if point.scheme == "dt" else 8e4


def ideal(recipe: Recipe, seed: int) -> Row:
    """A row as the paper has it; seeds differ by a little noise."""
    point = point_of(recipe)
    kinds, trips = classes_of(point), round_trips_s(recipe)
    usual = {"ftp": ftp_rate(point), "web": web_rate(point), "telnet": 5e3, "udp": 2.3e4}
    usual |= {"back-ftp": back_rate(point), "back-web": 1e5}
    rates = [usual[kind] for kind in kinds]
    losses = [0.05] * (len(kinds) - point.udp_flows)
    losses[point.ftp + point.web + point.telnet :] = udp_losses(point)
    ecn = [speaks_ecn(point, number) for number in range(len(kinds))]
    if point.mixed:
        n = (point.ftp or point.web) // 2
        gain = (1.28 if n == 7 else 1.12) if point.ftp else (1.08 if n == 20 else 1.03)
        others = 3.5 * PACKET_BITS / (trips[0] + QUEUE_S) / ((1 + gain) / 2)
        rates = [others * gain if one else others for one in ecn]
    elif len(point.round_trips_ms) == 2:
        ratio = (trips[0] + QUEUE_S) / (trips[1] + QUEUE_S)
        if point.scheme == "dt" and point.ftp:
            ratio *= 0.75 * ratio
        rates = [1e5 if number % 2 == 0 else 1e5 * ratio for number in range(len(kinds))]
    elif len(point.round_trips_ms) == 8:
        distance = 0.2 if point.scheme == "dt" else 0.02
        rates = [
            1e5 * (trips[0] + QUEUE_S) / (trip + QUEUE_S) / (1 + distance * (1 if number % 2 else -1))
            for number, trip in enumerate(trips)
        ]
        rates[0] = 1e5
    noise = 1 + (seed - 2) * 1e-4 * (1 + SCHEMES.index(point.scheme))
    goodput = [rate * noise for rate in rates]
    if point.telnet:
        goodput = [1.5e6 * noise / len(kinds)] * len(kinds)
    return {
        **{key: value for key, value in recipe.items() if key != "shared"},
        "seed": seed,
        "flow_class": kinds,
        "flow_ecn": ecn,
        "flow_round_trip_s": trips,
        "flow_goodput_bps": goodput,
        "flow_transfer_bps": [rate * noise for rate in rates],
        "flow_loss": [min(1.0, loss * noise) for loss in losses],
        "queue_delay_s": QUEUE_S,
        "cwnd_time_s": [[50.0, 60.0], [50.0, 60.0]],
        "cwnd_packets": [[10.0, 20.0], [5.0, 30.0]],
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


def alike(row: Row) -> None:
    """Every flow gets and loses the same."""
    for column, value in (("flow_goodput_bps", 1e5), ("flow_transfer_bps", 1e5), ("flow_loss", 0.05)):
        row[column] = [value] * len(row["flow_class"])


def swapped(row: Row) -> None:
    """Gives drop-tail and r1 each other's results."""
    row["scheme"] = {"dt": "r1", "r1": "dt"}.get(row["scheme"], row["scheme"])


def scaled(column: str, kind: str, factor: float, scheme: str = "") -> Callable[[Row], None]:
    def change(row: Row) -> None:
        if scheme in ("", row["scheme"]):
            row[column] = [
                value * factor if name == kind else value
                for value, name in zip(row[column], row["flow_class"], strict=True)
            ]

    return change


def more_with_more_sessions(row: Row) -> None:
    row["flow_goodput_bps"] = [1e4] * len(row["flow_class"])


def only_with_sack(change: Callable[[Row], None]) -> Callable[[Row], None]:
    return lambda row: change(row) if row["sack"] else None


def more_gain(row: Row) -> None:
    row["flow_transfer_bps"] = [
        rate * 1.3 if ecn else rate
        for rate, ecn in zip(row["flow_transfer_bps"], row["flow_ecn"], strict=True)
    ]


def loses_with_the_long_round_trip(row: Row) -> None:
    row["flow_loss"] = [loss * (2 - number % 2) for number, loss in enumerate(row["flow_loss"])]


@pytest.mark.parametrize(
    ("claim", "change"),
    [
        *((f"002-{number}", alike) for number in (1, 2, 4, 5, 6, 7, 8, *range(9, 21), 22, 24, 26)),
        ("002-3", scaled("flow_loss", "web", 2)),
        ("002-21", scaled("flow_transfer_bps", "web", 0.5, "dt")),
        ("002-23", more_with_more_sessions),
        ("002-25", loses_with_the_long_round_trip),
        # Each part of a rule with several
        *((f"002-{number}", swapped) for number in (1, 2, 7, 8, 14, 15, 17, 18, 19, 20, 24)),
        ("002-5", only_with_sack(scaled("flow_transfer_bps", "web", 1.2, "r3e"))),
        ("002-6", only_with_sack(scaled("flow_loss", "udp", 0.5, "dt"))),
        ("002-9", more_gain),
        ("002-20", scaled("flow_transfer_bps", "web", 0.5, "r2")),
    ],
)
def test_the_rule_can_fail(claim: str, change: Callable[[Row], None], judge: Judge) -> None:
    outcome = judge(PAPER, CLAIMS[claim], ideal, change)
    assert outcome.verdict == "does not hold", outcome


def test_every_rule_is_made_to_fail(tried: Tried) -> None:
    assert tried(test_the_rule_can_fail) == set(CLAIMS)


def test_claims_are_those_of_the_list() -> None:
    assert list(CLAIMS) == [f"002-{number}" for number in range(1, 27)]


def test_parameters_say_where_they_come_from() -> None:
    assert set(Parameters.origins()) == set(Parameters.model_fields)


def test_figures_draw_from_made_up_results(draw_all: DrawAll) -> None:
    assert draw_all(PAPER, ideal)


def test_figures_share_runs() -> None:
    """Figure 4 is part of 3, 18 of 17, 14 of 15; the usual buffer of Figure 5 is the one of 3."""
    parameters = Parameters()
    jobs = {figure.key: set(jobs_of(figure, parameters)) for figure in PAPER.figures}
    assert jobs["fig4"] < jobs["fig3"]
    assert jobs["fig18"] < jobs["fig17"]
    assert jobs["fig14"] < jobs["fig15"]
    assert len(jobs["fig5"] & jobs["fig3"]) == parameters.seeds


def recipe(scheme: str, **changes: object) -> Recipe:
    parameters = Parameters.model_validate(changes)
    return Point(scheme=scheme, ftp=2).recipe(parameters)  # type: ignore[arg-type]


def test_schemes_are_those_of_table_one() -> None:
    assert buffer_packets(recipe("dt")) == 38
    assert buffer_packets(recipe("dt", buffer_bdp=2.0)) == 77
    assert buffer_packets(recipe("dt", buffer_bdp=0.001)) == 1
    for scheme, low in (("r1", 38 / 6), ("r2", 38 / 9), ("r3", 5)):
        for ecn in ("", "e"):
            profile = profile_of(recipe(scheme + ecn))
            assert profile.scheme == ("ecn-gentle" if ecn else "red-gentle")
            assert profile.min_th == pytest.approx(low, abs=1 / 256)  # type: ignore[attr-defined]
            assert profile.max_th == 3 * profile.min_th  # type: ignore[attr-defined]
            assert profile.max_p == 0.1  # type: ignore[attr-defined]
            assert float(profile.ewma_weight) == 0.002
    assert profile_of(recipe("dt")).scheme == "drop-tail"


def test_half_of_mixed_flows_speak_ecn() -> None:
    mixed = Point(scheme="r1e", ftp=4, mixed=True)
    assert [speaks_ecn(mixed, number) for number in range(4)] == [True, False, True, False]
    assert all(speaks_ecn(Point(scheme="r1e", ftp=4), number) for number in range(4))
    assert not any(speaks_ecn(Point(scheme="r1", ftp=4), number) for number in range(4))


def test_round_trips_are_dealt_in_turn() -> None:
    dealt = Point(scheme="dt", ftp=4, telnet=1, round_trips_ms=(300, 102)).recipe(Parameters())
    assert round_trips_s(dealt) == pytest.approx([0.3, 0.102, 0.3, 0.102, 0.104])


@pytest.mark.parametrize(
    ("point", "message"),
    [
        (Point(scheme="dt", web=200, back_web=51), "251 flows"),
        (Point(scheme="dt", ftp=2, round_trips_ms=(101.0,)), "a round trip of 101 ms"),
    ],
)
def test_impossible_runs_are_refused(point: Point, message: str) -> None:
    with pytest.raises(ExperimentError, match=message):
        check(point.recipe(Parameters()))


def test_measures_by_hand() -> None:
    """Rates in inverse proportion to the round trip are wholly fair and lie on Y = X."""
    row = {
        "flow_class": ["ftp", "ftp"],
        "flow_round_trip_s": [0.1, 0.3],
        "queue_delay_s": 0.1,
        "flow_goodput_bps": [8000.0, 4000.0],
    }
    assert pair_ratios(row)[0] == pytest.approx((2, 2))
    assert normalised_fairness(row) == pytest.approx(1)
    assert outstanding(row) == pytest.approx(0.4)
    row["flow_goodput_bps"] = [8000.0, 0.0]
    assert normalised_fairness(row) == pytest.approx(0.5)


def test_panels_of_figure_seven_are_the_papers() -> None:
    recipes = [json.loads(job.recipe) for job in jobs_of(PAPER.figure("fig7"), Parameters(seeds=1))]
    assert len(recipes) == 3 * len(SCHEMES)
    assert all((one["ftp"], one["udp_flows"]) == (10, 20) for one in recipes)


def test_ns2_cases_are_distinct() -> None:
    assert len({(case.figure, case.name) for case in CASES}) == len(CASES)


@pytest.mark.skipif(ns2_missing() is not None, reason=str(ns2_missing()))
def test_goodput_of_web_and_ftp_is_that_of_ns2() -> None:
    """Drop-tail, RED and RED with ECN: web and FTP goodput within a tenth."""
    compared = compare([case for case in CASES if case.figure == "3"], seeds=(1, 2))
    assert len(compared) == 6
    assert all(abs(one.difference) < 0.1 for one in compared), "\n" + table(compared)
