# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Every rule of paper 003 on made-up results: it can hold, and it can fail."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from mecn_experiments.bench import Bench
from mecn_experiments.dataset import Dataset, rows_of
from mecn_experiments.declaration import Claim, jobs_of
from mecn_experiments.paper003 import ablation, packets
from mecn_experiments.paper003.claims import choices, frontier_gain
from mecn_experiments.paper003.claims_theory import rising_pairs, settled_on
from mecn_experiments.paper003.paper import PAPER
from mecn_experiments.paper003.parameters import Parameters
from mecn_experiments.paper003.scenarios import point_of, profile_of
from mecn_experiments.paper003.simulate import plan_of
from mecn_experiments.program import P4_PROGRAM, compile_program
from mecn_native import NetworkError, TcpConfig, TcpEndpoint

if TYPE_CHECKING:
    from collections.abc import Callable

    from mecn_experiments.dataset import Row
    from mecn_experiments.declaration import Recipe
    from mecn_experiments.verdicts import Outcome

    Ideal = Callable[[Recipe, int], Row]
    Judge = Callable[..., Outcome]
    RowsFor = Callable[..., Dataset]
    DrawAll = Callable[..., list[str]]
    Tried = Callable[[object], set[str]]

CLAIMS = {claim.id: claim for claim in PAPER.claims}


@pytest.mark.parametrize("claim", PAPER.claims, ids=lambda claim: claim.id)
def test_what_the_paper_says_holds(claim: Claim, judge: Judge, ideal: Ideal) -> None:
    outcome = judge(PAPER, claim, ideal)
    assert outcome.verdict == "holds", outcome
    assert outcome.measured


@pytest.mark.parametrize("claim", PAPER.claims, ids=lambda claim: claim.id)
def test_one_seed_decides_nothing_but_packets(claim: Claim, judge: Judge, ideal: Ideal) -> None:
    outcome = judge(PAPER, claim, ideal, parameters=Parameters(seeds=1))
    assert outcome.verdict == ("holds" if claim.id == "003-11" else "undecided"), outcome


def setter(column: str, value: object) -> Callable[[Row], None]:
    def change(row: Row) -> None:
        if column in row:
            row[column] = value

    return change


def of(scheme: str, column: str, factor: float) -> Callable[[Row], None]:
    def change(row: Row) -> None:
        if row.get("scheme") == scheme:
            row[column] *= factor

    return change


def unlike_the_last(row: Row) -> None:
    """Throughput goes on rising with max_th."""
    row["link_efficiency"] = row["max_th"] / 100


@pytest.mark.parametrize(
    ("claim", "change"),
    [
        ("003-1", setter("fraction_empty", 0.2)),
        ("003-1", of("MECN", "queue_std", 2)),
        ("003-2", setter("link_efficiency", 0.9)),
        ("003-3", of("MECN", "queue_std", 2)),
        ("003-3", of("MECN", "jitter_s", 2)),
        ("003-3", of("MECN", "link_efficiency", 0.9)),
        ("003-4", unlike_the_last),
        ("003-5", of("MECN", "link_efficiency", 0.9)),
        ("003-5", setter("link_efficiency", 0.9)),
        ("003-6", of("MECN*", "link_efficiency", 0.9)),
        ("003-7", lambda row: row.__setitem__("queue_mean", 10.0 + row["n_sources"])),
        ("003-7", lambda row: row.__setitem__("queue_std", row["queue_mean"] * (2 - row["max_p"]))),
        ("003-8", of("MECN", "queue_std", 3)),
        ("003-8", of("MECN", "queue_mean", 3)),
        ("003-9", lambda row: row.__setitem__("queue_mean", 10.0 + row["n_sources"])),
        ("003-9", lambda row: row.__setitem__("queue_mean", 70.0 + row["n_sources"])),
        ("003-10", setter("link_efficiency", 0.9)),
        ("003-10", lambda row: row.__setitem__("queue_std", row["queue_mean"] * (2 - row["max_p"]))),
        ("003-11", setter("observed", "1,0")),
    ],
)
def test_the_rule_can_fail(claim: str, change: Callable[[Row], None], judge: Judge, ideal: Ideal) -> None:
    outcome = judge(PAPER, CLAIMS[claim], ideal, change)
    assert outcome.verdict == "does not hold", outcome


def test_every_rule_is_made_to_fail(tried: Tried) -> None:
    assert tried(test_the_rule_can_fail) == set(CLAIMS)


def test_claims_are_those_of_the_list() -> None:
    assert list(CLAIMS) == [f"003-{number}" for number in range(1, 12)]


@pytest.mark.parametrize(("claim", "gain"), [("003-5", "MECN"), ("003-6", "MECN*")])
def test_less_than_the_margin_is_no_gain(claim: str, gain: str, judge: Judge, ideal: Ideal) -> None:
    """However small the interval is."""

    def slightly(row: Row) -> None:
        row["link_efficiency"] = 0.9 + (0.004 if row["scheme"] == gain else 0.0)

    assert judge(PAPER, CLAIMS[claim], ideal, slightly).verdict == "does not hold"


def test_a_fall_of_throughput_is_no_rise(judge: Judge, ideal: Ideal) -> None:
    def falls(row: Row) -> None:
        row["link_efficiency"] = 0.9 - row["max_th"] / 1000

    assert judge(PAPER, CLAIMS["003-4"], ideal, falls).verdict == "holds"


def test_rising_pairs_by_hand() -> None:
    share = rising_pairs([[1.0, 1.0], [2.0, 1.0], [1.5, 3.0]])
    assert share.mean == pytest.approx(2 / 3)
    assert share.half_width == pytest.approx(0, abs=1e-12)


def test_the_verdict_is_that_of_settled_runs_against_ecn_that_drops(
    rows_for: RowsFor, judge: Judge, ideal: Ideal
) -> None:
    """Of the four choices; whole runs and ECN that marks may say otherwise."""

    def otherwise(row: Row) -> None:
        if row["family"] == "whole" and row["scheme"] == "MECN":
            row["queue_std"] *= 9
        if row["scheme"] == "ECNM":
            row["fraction_empty"] = row["jitter_s"] = 0.0
            row["link_efficiency"] = 1.2

    every_run = Claim(
        "x", "", "", "", ("empty", "fig8", "deviation", "jitter", "whole"), CLAIMS["003-1"].decide
    )
    parameters = Parameters()
    found = choices(rows_for(PAPER, every_run, ideal, otherwise), parameters)
    no = "does not hold"
    assert found == {
        "003-1": ("holds", no, no, no),
        "003-2": ("holds", no, "holds", no),
        "003-3": ("holds", no, no, no),
    }
    outcome = judge(PAPER, CLAIMS["003-1"], ideal, otherwise)
    assert outcome.verdict == "holds"
    assert "Against ECN that marks at max_th: does not hold" in outcome.why


def test_each_part_of_the_ablation_changes_its_runs_only() -> None:
    recipes = [json.loads(job.recipe) for job in jobs_of(PAPER.figure("ablation"), Parameters(seeds=1))]
    first = {recipe["part"]: recipe for recipe in reversed(recipes)}
    assert len(first) == len(ablation.LADDER) + 3 * len(ablation.CONDITIONS)
    plain = first["MECN"]
    profiles = {name: profile_of(recipe) for name, recipe in first.items()}
    only_first = profiles["first level only, CE from max_th"]
    assert (only_first.p_incipient, only_first.p_moderate) == (0.1, 0.0)  # type: ignore[attr-defined]
    assert profiles["MECN, drops at max_th"].above_max_th == "drop"  # type: ignore[attr-defined]
    assert profiles["MECN, topped up"] == profiles["MECN"]
    assert plan_of(first["MECN, topped up"], 1).tcp == {**plan_of(plain, 1).tcp, "top_up": True}
    assert plan_of(first["ECN, marks, takes 1/5"], 1).tcp["classic_beta"] == 5.0
    assert plan_of(first["MECN, each level takes 1/2"], 1).tcp["beta"] == (2.0, 2.0, 2.0)
    for recipe in first.values():
        plan_of(recipe, 1).tcp_config()
    for name, recipe in first.items():
        differs = {key for key in recipe["shared"] if recipe["shared"][key] != plain["shared"].get(key)}
        assert len(differs) + (recipe["max_p"] != plain["max_p"]) <= 1, name


def test_heights_of_the_ablation_by_hand(made_up: Callable[[Parameters], Dataset]) -> None:
    parameters = Parameters()
    data = made_up(parameters)
    found = {line.name: line for line in ablation.lines(data, parameters)}
    assert found[ablation.DROPS.name].above_drops.mean == 0
    assert found["MECN"].above_drops.mean > 0.01
    assert found["MECN, N = 10"].above_marks.mean > 0.01
    assert ablation.full_at([([0.1], [0.9]), ([0.2], [0.96]), ([0.4], [1.0])]) == pytest.approx(0.3)
    assert ablation.full_at([([0.1], [0.9]), ([0.2], [0.96])]) is None
    assert ablation.full_at([([0.1], [0.99]), ([0.2], [0.96])]) == 0.1


def test_operating_points_are_on_both_sides_of_mid_th() -> None:
    below = [n for n, _, _ in settled_on(Parameters(), below_mid=True)]
    above = [n for n, _, _ in settled_on(Parameters(), below_mid=False)]
    assert (below, above) == ([2, 5], [10, 20])


def test_frontier_gain_by_hand(ideal: Ideal) -> None:
    """Parallel lines, 0.1 apart; the second reaches only part of the first's delays."""
    parameters = Parameters(seeds=2, frontier=((1, 2, 4), (2, 4, 6), (3, 6, 9)))
    rows = []
    for job in jobs_of(PAPER.figure("fig14"), parameters):
        recipe = json.loads(job.recipe)
        run = point_of(recipe)
        delay = run.thresholds[0] - 1 + (0.0 if run.scheme == "ECN" else 0.5)
        efficiency = 0.2 * delay + (0.0 if run.scheme == "ECN" else 0.1)
        measured = {"delay_mean_s": delay, "link_efficiency": efficiency, "recipe": job.recipe}
        rows.append({**ideal(recipe, job.seed), **measured})
    gain = frontier_gain(Dataset("003", {}, {}, rows), parameters, "ECN", "MECN")
    assert gain.mean == pytest.approx(0.1)
    assert gain.half_width == pytest.approx(0, abs=1e-12)


def test_figures_draw_from_made_up_results(made_up: Callable[[Parameters], Dataset]) -> None:
    parameters = Parameters()
    keys: list[str] = []
    for figure in PAPER.figures:
        data = rows_of(made_up(parameters), jobs_of(figure, parameters))
        assert data is not None
        drawings = figure.draw(data, parameters)
        assert bool(drawings) == (not figure.key.startswith("table"))
        assert all(drawing.svg.count("<path") > 10 for drawing in drawings)
        keys.extend(drawing.key for drawing in drawings)
    assert len(set(keys)) == len(keys)


def test_figures_share_runs() -> None:
    """Figures 11 and 12 are points of Figure 14; Figure 13 sweeps where the queue can run empty."""
    jobs = {figure.key: set(jobs_of(figure, Parameters())) for figure in PAPER.figures}
    assert jobs["fig11"] <= jobs["fig14"]
    assert not jobs["fig13"] & jobs["fig4"]
    assert jobs["fig10"] < jobs["deviation"]
    assert len(set().union(*jobs.values())) == 3 * (2 * 6 * 5 + 4 * 7 - 6 + 14 + 10 + 14 + 41 * 6 + 8)


def test_other_hosts_do_not_pass_the_packet_tests(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hosts of classic ECN echo and halve in another way."""

    def classic(**settings: object) -> TcpConfig:
        return TcpConfig(**{**settings, "ecn": "classic"})  # type: ignore[arg-type]

    cases = [*(f"echo {line}" for line in packets.ECHO), *(f"response {line}" for line in packets.RESPONSE)]
    with Bench(compile_program(P4_PROGRAM)) as bench:
        for case in cases:
            row = packets.test(case, 1, bench)
            assert row["observed"] == row["expected"], case
        monkeypatch.setattr(packets, "TcpConfig", classic)
        wrong = set()
        for case in cases:
            row = packets.test(case, 1, bench)
            if row["observed"] != row["expected"]:
                wrong.add(case)
    assert wrong == {"echo 1,0", "echo 1,1", "response 0,1", "response 1,1"}


def test_an_endpoint_refuses_what_is_not_for_it() -> None:
    tcp = TcpConfig(mss=960)
    client = TcpEndpoint.connect(tcp, ("10.0.0.1", 1), ("10.0.0.2", 2))
    server = TcpEndpoint.listen(tcp, ("10.0.0.2", 2))
    syn = client.transmit(0.0)
    assert syn is not None
    for packet in (b"", b"\x45", syn[:30], syn[:-1]):
        with pytest.raises(NetworkError):
            server.receive(packet, 0.0)
    stranger = TcpEndpoint.listen(tcp, ("10.0.0.3", 2))
    with pytest.raises(NetworkError):
        stranger.receive(syn, 0.0)
    with pytest.raises(NetworkError):
        client.transmit(-1.0)
    with pytest.raises(NetworkError):
        TcpEndpoint.listen(tcp, ("nowhere", 2))
    # Without an answer the SYN is sent again when the timer says so.
    due = client.next_timeout_s
    assert due is not None
    assert client.transmit(due - 0.01) is None
    client.timer(due)
    again = client.transmit(due)
    assert again is not None
    assert again[20:24] == syn[20:24]
    assert not client.ecn_negotiated
    assert client.flight_bytes >= 0
