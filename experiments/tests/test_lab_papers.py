# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""The papers' runs in real time, without a lab: that they are those of the virtual experiment, what is
refused, and that made-up measures become rows and figures of the same form."""

import json
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from click.testing import CliRunner
from mecn_experiments import execute
from mecn_experiments.bench import Push
from mecn_experiments.dataset import read_parquet
from mecn_experiments.declaration import Recipe, jobs_of
from mecn_experiments.errors import ExperimentError, NotMeasuredError
from mecn_experiments.experiment import data_file, load
from mecn_experiments.lab.bridge import NotInLabError, RealRun, bridge_of
from mecn_experiments.lab.cli import lab
from mecn_experiments.lab.paper import Chosen, Kept, choose, lines, options_of, plan_of, refuse
from mecn_experiments.lab.results import Recorded, measure
from mecn_experiments.registry import find
from mecn_topo import Flow, Placement, Topology
from mecn_topo.lab import PAPER_TCP, Options, Plan, Recording

LOOKS = {"000": {"flows": [15]}, "001": {}, "002": {}, "003": {}, "004": {}, "beyond": {}}
VERSIONS = {"mecn": "test", "time": "real"}


class StopError(Exception):
    """The virtual network is about to run."""


class Network:
    """Writes down what a simulation puts into its network."""

    def __init__(self) -> None:
        self.bulk: list[tuple[str, str, object]] = []
        self.tcp: Any = None

    def add_bulk_flow(self, source: str, sink: str, **options: object) -> None:
        self.bulk.append((source, sink, options.get("start_s", 0.0)))
        self.tcp = options["tcp"]

    def watch_port(self, *_: object, **__: object) -> None:
        pass

    def run(self, **_: object) -> None:
        raise StopError

    start = run


class Built:
    """A network whose nodes are their names."""

    def __init__(self, topology: Topology) -> None:
        self.topology, self.network = topology, Network()
        names = [host.name for host in topology.hosts] + [switch.name for switch in topology.switches]
        self.nodes = {name: name for name in names}


def virtual(monkeypatch: pytest.MonkeyPatch, key: str, recipe: Recipe) -> tuple[Built, list[Push]]:
    """The network and profiles that `simulate` makes of a recipe."""
    built: list[Built] = []
    pushed: list[Push] = []

    def build(topology: Topology, _switches: object, *, seed: int) -> Built:
        assert seed == 1
        built.append(Built(topology))
        return built[-1]

    class Bench:
        def switches(self, _routes: object, pushes: list[Push]) -> dict[str, Any]:
            pushed.extend(pushes)
            return {push.switch: None for push in pushes}

    monkeypatch.setattr(execute, "build_network", build)
    monkeypatch.setattr(execute, "TcpConfig", SimpleNamespace)
    with pytest.raises(StopError):
        find(key).simulate(recipe, 1, cast("Any", Bench()))
    return built[-1], pushed


def recipes_of(chosen: Chosen) -> list[Recipe]:
    return [json.loads(job.recipe) for job in chosen.jobs]


@pytest.mark.parametrize(
    ("key", "figures", "settings"),
    [
        ("000", ("fig2", "fig11"), {"flows": [15], "max_p": [0.1, 1.0]}),
        ("001", ("figA", "figH"), {}),
        ("002", ("fig9", "fig13", "fig17", "fig12"), {"ecn_pairs": [1, 2, 3], "both_ways": [1, 2, 3]}),
        ("003", ("fig7", "fig9", "fig13"), {"sources": [5, 40]}),
        ("004", ("fig3", "fig5", "fig7", "fig9", "lossless"), {"thresholds": [2, 9], "red_min_th": [2, 4]}),
    ],
)
def test_both_worlds_have_one_network(
    monkeypatch: pytest.MonkeyPatch, key: str, figures: tuple[str, ...], settings: dict[str, Any]
) -> None:
    """Topology, profiles, flows, TCP and times of the lab are those that the simulation builds."""
    chosen = choose(key, figures, settings)
    assert chosen.jobs
    for recipe in recipes_of(chosen):
        run = chosen.bridge.real_run(recipe)
        built, pushed = virtual(monkeypatch, key, recipe)
        assert run.scenario.topology == built.topology
        assert [Placement(p.switch, p.port, p.profile) for p in pushed] == list(run.scenario.placements)
        flows = [(flow.source, flow.sink, flow.start_s) for flow in run.scenario.flows]
        assert flows == built.network.bulk
        tcp = built.network.tcp
        assert run.scenario.mtu == tcp.mss + 40
        window = tcp.window_cap * tcp.mss
        assert (run.tcp.window_bytes, run.tcp.window_scaling) == (window, window > 65_535)
        assert (run.tcp.initial_window, run.tcp.min_rto_s) == (tcp.initial_window, tcp.min_rto_s)
        assert run.tcp.delayed_acks == getattr(tcp, "delayed_acks", False)
        shared = recipe["shared"]
        assert run.duration_s == recipe.get("duration_s", shared.get("duration_s"))
        assert run.start_jitter_s == shared["start_jitter_s"]


@pytest.mark.parametrize(
    ("key", "figure", "congestion", "ecn"),
    [
        ("000", "RED", "reno", False),
        ("000", "ECN", "reno", True),
        ("001", "DropTail", "reno", False),
        ("003", "ECN", "reno", True),
        ("003", "MECN", "mecn", True),
        ("beyond", "MECN", "mecn", True),
        ("beyond", "gentle RED", "reno", False),
        ("beyond", "ECNM", "reno", True),
    ],
)
def test_what_the_hosts_speak(key: str, figure: str, congestion: str, ecn: bool) -> None:
    figures = ("schemes",) if key == "beyond" else ()
    only = [f"scheme={figure}", *(['paper="000"'] if key == "beyond" else [])]
    chosen = choose(key, figures, {}, only)
    for recipe in recipes_of(chosen):
        tcp = chosen.bridge.real_run(recipe).tcp
        assert (tcp.congestion, tcp.ecn) == (congestion, ecn)


def test_every_second_flow_without_ecn() -> None:
    chosen = choose("002", ["fig9"], {"ecn_pairs": [1, 2, 3]}, ["ftp=4", "scheme=r1e"])
    (recipe,) = recipes_of(chosen)
    run = chosen.bridge.real_run(recipe)
    assert run.tcp.ecn
    assert run.without_ecn == {"S2", "D2", "S4", "D4"}


def test_a_connection_that_stops() -> None:
    (recipe, *_) = recipes_of(choose("004", ["fig5"], {}, ["scenario=3"]))
    flows = bridge_of("004").real_run(recipe).scenario.flows
    assert flows == (Flow("S1", "D1", 0.0, 9.0), Flow("S2", "D2", 1.0))


@pytest.mark.parametrize(
    ("key", "figure", "words"),
    [
        ("000", "adaptive", "AECN: max_p that the controller steers during the run"),
        ("000", "fig2", "600 flows: a lab has at most 250 senders"),
        ("001", "burst", r"a bursty TCP source \(3 runs\); a bursty UDP source \(3 runs\)"),
        ("002", "fig3", "web sessions"),
        ("002", "fig7", "UDP sources"),
        ("003", "table1", "the packet tests of tables 1 and 2"),
        ("004", "theorem1", "the sender's window at each packet's arrival"),
        ("beyond", "schemes", "web sessions"),
    ],
)
def test_what_a_lab_cannot_do_is_named(key: str, figure: str, words: str) -> None:
    with pytest.raises(NotInLabError, match=words):
        refuse(lines(choose(key, [figure], {})))


def test_some_runs_of_a_figure() -> None:
    def chosen(*only: str) -> list[tuple[str, int]]:
        found = choose("004", ["fig5"], {"thresholds": [4, 11, 20]}, only)
        return [(recipe["strategy"], recipe["threshold"]) for recipe in recipes_of(found)]

    assert len(chosen()) == 12
    assert chosen("scenario=3", "strategy=front") == [("front", 4), ("front", 11), ("front", 20)]
    assert chosen("scenario=3", "strategy=front", "threshold=4,20") == [("front", 4), ("front", 20)]
    assert chosen("scenario=3", "strategy=front", "threshold=4", "threshold=20") == [
        ("front", 4),
        ("front", 20),
    ]
    with pytest.raises(ExperimentError, match="no run has threshold = 5; there are 11, 20, 4"):
        chosen("threshold=5")
    with pytest.raises(ExperimentError, match="these runs have no scheme; they have buffer, duration_s"):
        chosen("scheme=ECN")
    (high,) = recipes_of(choose("003", ["fig14"], {}, ["thresholds=30,60,90", "scheme=MECN*"]))
    assert high["thresholds"] == [30, 60, 90]


def test_a_shorter_run_has_a_shorter_warm_up() -> None:
    assert choose("000", ["fig7"], {"duration_s": 25}).parameters.model_dump()["warmup_s"] == 5
    given = choose("000", ["fig7"], {"duration_s": 25, "warmup_s": 10})
    assert (given.shrunk, given.parameters.model_dump()["warmup_s"]) == ({}, 10)
    assert choose("000", ["fig7"], {"duration_s": 200}).shrunk == {}
    assert choose("001", ["figA"], {"duration_s": 10}).shrunk == {"settle_s": 2, "burst_start_s": 2}
    # Of another duration it is another run.
    assert not set(choose("000", ["fig7"], {"duration_s": 25}).jobs) & set(choose("000", ["fig7"], {}).jobs)


class MadeUp:
    """Makes runs up instead of making them."""

    def __init__(self, recording: Callable[..., Recording]) -> None:
        self._recording = recording

    def measured(self, run: RealRun) -> Recorded:
        """Without captures."""
        made = self._recording(run.duration_s, run.warmup_s, run.scenario)
        return measure(run.scenario, made, None)

    def all(self, chosen: Chosen, folder: Path) -> Kept:
        """Those that are not there."""
        kept = Kept(chosen, folder, VERSIONS, again=False)
        for line in lines(chosen, kept.there):
            assert line.run is not None
            if not line.is_there:
                kept.add(line.job, self.measured(line.run))
        return kept


@pytest.fixture
def made_up(recording: Callable[..., Recording]) -> MadeUp:
    return MadeUp(recording)


@pytest.mark.parametrize("key", LOOKS)
def test_rows_are_those_of_the_paper(key: str, made_up: MadeUp, tmp_path: Path) -> None:
    """Recipes and seeds are the virtual experiment's, and so are all columns."""
    chosen = choose(key, [], LOOKS[key])
    made_up.all(chosen, tmp_path)
    paper = chosen.paper
    data = read_parquet(data_file(paper, tmp_path), key)
    assert {(row["recipe"], row["seed"]) for row in data.rows} == {
        (job.recipe, job.seed) for job in chosen.jobs
    }
    figures = [paper.figure(name) for name in chosen.figures]
    assert {job for figure in figures for job in jobs_of(figure, chosen.parameters)} >= set(chosen.jobs)
    line = lines(chosen)[0]
    assert line.run is not None
    row = chosen.bridge.row(line.recipe, 1, made_up.measured(line.run))
    assert set(row) | {"recipe"} >= set(paper.schema.names) - {"case", "expected", "observed"}
    assert data.rows[0]["seed"] == 1
    if key != "beyond":
        assert row["queue_mean"] == pytest.approx(4, abs=0.3)


@pytest.mark.parametrize(
    ("key", "figures", "settings", "drawn"),
    [
        ("001", ("figB",), {"duration_s": 10}, {"figA", "figB", "figC", "figD"}),
        ("003", (), {}, {"fig6", "fig7"}),
        ("004", (), {}, {"fig9"}),
        # Below rd some claims have nothing to decide upon.
        ("004", ("fig5",), {"thresholds": [4, 9]}, {"fig5"}),
    ],
)
def test_figures_are_those_of_the_paper(
    key: str,
    figures: tuple[str, ...],
    settings: dict[str, Any],
    drawn: set[str],
    made_up: MadeUp,
    tmp_path: Path,
) -> None:
    chosen = choose(key, figures, settings)
    assert made_up.all(chosen, tmp_path).draw() == []
    assert set(load(chosen.paper, tmp_path, {}).drawings()) == drawn
    assert len(list(tmp_path.glob("*.svg"))) >= len(drawn)
    assert (tmp_path / "index.html").exists()


def test_a_figure_whose_measure_is_missing_is_left_out_and_said(made_up: MadeUp, tmp_path: Path) -> None:
    """Without captures there are neither delays nor first arrivals: Figures 3 and 2 of paper 000 are drawn of
    them, Figure 6 is not."""
    chosen = choose("000", ["fig2", "fig3", "fig6"], {"flows": [15, 30]})
    assert made_up.all(chosen, tmp_path).draw() == [
        "fig2 is not drawn: goodput_bps was not measured",
        "fig3 is not drawn: group_delay_s was not measured",
    ]
    results = load(chosen.paper, tmp_path, {})
    assert "fig6" in results.drawings()
    assert not {"fig2", "fig3"} & set(results.drawings())
    with pytest.raises(NotMeasuredError):
        _ = results.data.rows[0]["delay_mean_s"]
    whys = [outcome.why for _, outcome in results.outcomes()]
    assert "Not to be decided: group_delay_s was not measured." in whys


def test_an_incomplete_figure_is_said(made_up: MadeUp, tmp_path: Path) -> None:
    chosen = choose("004", ["fig5"], {"thresholds": [4, 9]}, ["strategy=tail"])
    assert made_up.all(chosen, tmp_path).draw() == ["fig5 is not drawn: 4 of its 8 runs are missing"]
    rest = choose("004", ["fig5"], {"thresholds": [4, 9]})
    kept = Kept(rest, tmp_path, VERSIONS, again=False)
    assert set(kept.there) == set(chosen.jobs)
    assert [line.is_there for line in lines(rest, kept.there)].count(True) == 4
    assert Kept(rest, tmp_path, VERSIONS, again=True).there == []


def test_runs_that_were_made_otherwise_are_not_thrown_away(made_up: MadeUp, tmp_path: Path) -> None:
    chosen = choose("004", [], {})
    made_up.all(chosen, tmp_path)
    other = VERSIONS | {"mecn": "other"}
    with pytest.raises(ExperimentError, match=r"its 2 runs were made with another mecn \(test, not other\)"):
        Kept(chosen, tmp_path, other, again=False)
    Kept(chosen, tmp_path, other, again=True)
    assert read_parquet(data_file(chosen.paper, tmp_path), "004").versions == VERSIONS


def test_times_and_hosts_of_a_run() -> None:
    chosen = choose("004", ["fig9"], {})
    run = lines(chosen)[0].run
    assert run is not None
    plan = plan_of(run, Plan(1.0, traffic="plain"), 3, None)
    assert (plan.duration_s, plan.warmup_s, plan.start_jitter_s, plan.seed) == (20, 3, 0.1, 3)
    assert (plan.sample_s, plan.traffic) == (0.005, "plain")
    made: Callable[..., Options] = options_of
    options = made(run, Options(PAPER_TCP), 3, "auto", linux_tcp=False)
    assert (options.tcp, options.seed) == (run.tcp, 3)
    assert made(run, Options(PAPER_TCP), 3, "cubic", linux_tcp=False).tcp.congestion == "cubic"
    linux = made(run, Options(PAPER_TCP), 3, "auto", linux_tcp=True).tcp
    assert (linux.window_bytes, linux.congestion) == (PAPER_TCP.window_bytes, "reno")


def test_a_dry_run_needs_no_root(tmp_path: Path) -> None:
    done = CliRunner().invoke(lab, ["run", "000", "--dry-run", "--no-capture", "-o", str(tmp_path)])
    assert done.exit_code == 0, done.output
    assert "RED, 30 flows, max_p 0.8, max_th 30" in done.output
    assert "2 of 2 runs to do, about 2 min" in done.output
    done = CliRunner().invoke(lab, ["run", "beyond", "schemes", "--dry-run", "-o", str(tmp_path)])
    assert "needs mecn-host" in done.output
    assert "not in a lab: web sessions" in done.output
    assert list(tmp_path.iterdir()) == []
