# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Papers run in small: kept runs, a cluster, figures one by one, claims and report."""

from collections.abc import Callable, Iterator
from pathlib import Path

import mecn_experiments
import mecn_native
import pytest
from click.testing import CliRunner, Result
from mecn_experiments.beyond.paper import PAPER as BEYOND
from mecn_experiments.cli import claims, experiment, report
from mecn_experiments.dataset import Dataset, Store, read_parquet
from mecn_experiments.declaration import Job
from mecn_experiments.paper003.paper import PAPER as PAPER_003
from mecn_experiments.paper003.parameters import Parameters
from mecn_experiments.paper004.paper import PAPER as PAPER_004
from mecn_experiments.registry import EXPERIMENTS, find
from mecn_experiments.simulator import own_modules, simulator_digest

SMALL = (
    "--seeds=2",
    "--duration=3",
    "--set=thresholds=5,11",
    "--set=red_min_th=5,20",
    "--set=steady_s=22",
    "--set=long_s=10",
    "--set=trace_s=6",
)


def mecn(*arguments: str) -> Result:
    return CliRunner().invoke(experiment, arguments)


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Paper 004 in small; the folder of results."""
    folder = tmp_path_factory.mktemp("results")
    done = mecn("run", "004", *SMALL, "-j2", "-o", str(folder))
    assert done.exit_code == 0, done.output
    for figure in ("fig3", "fig10", "long"):
        assert f"004 {figure}: " in done.output
    return folder


def test_the_measures_fit_together(results: Path) -> None:
    rows = read_parquet(results / "004/004.parquet", "004").rows
    assert {row["family"] for row in rows} == {
        "threshold",
        "red",
        "trace",
        "window",
        "steady",
        "lossless",
        "long",
    }
    for row in rows:
        # What was sent before the counted time may be acknowledged in it.
        assert 0 < row["efficiency"] <= 1.05
        assert row["acked_packets"][0] > 0
        assert row["queue_min"] <= row["queue_mean"] <= row["queue_max"] <= row["buffer"]
        assert 0 <= row["unfairness"] < 1
        assert row["marked"] > 0 or row["family"] != "threshold"
        if row["family"] == "trace":
            assert (row["trace_time_s"] is None) == (row["seed"] != 1)


def test_an_overlapping_connection_stops(results: Path) -> None:
    """Scenario 3: the first one is done a second before the end, so it gets what it can in that time."""
    rows = [
        row
        for row in read_parquet(results / "004/004.parquet", "004").rows
        if row["scenario"] == 3 and row["family"] == "threshold"
    ]
    for row in rows:
        first, second = row["acked_packets"]
        assert 0 < first <= 187.5 * (row["duration_s"] - 1) + 60  # and what was under way
        assert second > 0


def test_pages(results: Path, check_page: Callable[[str], tuple[int, set[str]]]) -> None:
    figures, ids = check_page((results / "004/index.html").read_text())
    assert figures == len(list((results / "004").glob("*.svg")))
    assert {f"claim004-{number}" for number in range(1, 24)} <= ids
    done = CliRunner().invoke(report, ["--results", str(results)])
    assert done.exit_code == 0, done.output
    html = (results / "report.html").read_text()
    check_page(html)
    assert "Mark-front needs less buffer in all scenarios." in html
    assert "given by the paper: section 7" in html


def test_claims_are_printed(results: Path) -> None:
    done = CliRunner().invoke(claims, ["004", "--results", str(results)])
    assert done.exit_code == 0, done.output
    assert "004-23" in done.output
    assert "holds" in done.output


def test_nothing_is_run_twice(results: Path, tmp_path: Path) -> None:
    """One figure after the other gives the same file, and what is there is not run again."""
    for figure in ("fig9", "fig3"):
        done = mecn("run", "004", figure, *SMALL, "-o", str(tmp_path))
        assert done.exit_code == 0, done.output
    again = mecn("run", "004", "fig3", *SMALL, "-o", str(tmp_path))
    assert "004 fig3: 32 runs, all there" in again.output
    whole = {
        (row["recipe"], row["seed"]): row for row in read_parquet(results / "004/004.parquet", "004").rows
    }
    part = read_parquet(tmp_path / "004/004.parquet", "004").rows
    assert len(part) == 32 + 4
    for row in part:
        assert whole[row["recipe"], row["seed"]] == row
    more = mecn("run", "004", "fig3", *SMALL, "--seeds=3", "-o", str(tmp_path))
    assert "004 fig3: 16 runs in" in more.output
    assert "Not run" in mecn("show", "004", "--data", str(tmp_path / "004")).output


def test_a_folder_for_each_experiment(tmp_path: Path) -> None:
    """As the help promises, with one experiment too: two do not overwrite each other."""
    short = ("--seeds=1", "--duration=3", "-o", str(tmp_path))
    for key, figure, more in (
        ("004", "theorem1", ()),
        ("001", "figA", ("--set=settle_s=1", "--set=burst_start_s=1")),
    ):
        done = mecn("run", key, figure, *short, *more)
        assert done.exit_code == 0, done.output
    assert {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("index.html")} == {
        "001/index.html",
        "004/index.html",
    }


@pytest.fixture(scope="module")
def scheduler() -> Iterator[str]:
    """A Dask cluster of two processes on the loopback."""
    distributed = pytest.importorskip("distributed", reason="Dask is not installed")
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address=None
    ) as cluster:
        yield cluster.scheduler_address


def test_a_cluster_gives_the_same_bytes(scheduler: str, tmp_path: Path) -> None:
    files = []
    for name, how in (("here", "-j2"), ("there", f"--scheduler={scheduler}")):
        done = mecn("run", "004", "fig3", "fig9", *SMALL, how, "-o", str(tmp_path / name))
        assert done.exit_code == 0, done.output
        files.append((tmp_path / name / "004/004.parquet").read_bytes())
    assert files[0] == files[1]


def test_the_order_of_runs_leaves_no_trace(tmp_path: Path, made_up: Callable[[Parameters], Dataset]) -> None:
    parameters = Parameters(sources=(2, 5), seeds=2)
    rows = made_up(parameters).rows
    files = []
    for name, order in (("a", rows), ("b", rows[::-1])):
        store = Store(tmp_path / name / "003.parquet", PAPER_003, {"mecn": "1"})
        for row in order[: len(order) // 2]:
            store.add(Job(row["recipe"], row["seed"]), row)
        store.save(parameters)
        store = Store(store.path, PAPER_003, {"mecn": "1"})
        missing = store.missing([Job(row["recipe"], row["seed"]) for row in order])
        assert len(missing) == len(order) - len(order) // 2
        for row in order[len(order) // 2 :]:
            store.add(Job(row["recipe"], row["seed"]), row)
        store.save(parameters)
        files.append(store.path.read_bytes())
    assert files[0] == files[1]


def test_runs_of_other_versions_do_not_count(
    tmp_path: Path, made_up: Callable[[Parameters], Dataset]
) -> None:
    parameters = Parameters(sources=(2,), seeds=1)
    rows = made_up(parameters).rows
    store = Store(tmp_path / "003.parquet", PAPER_003, {"mecn": "1"})
    for row in rows:
        store.add(Job(row["recipe"], row["seed"]), row)
    store.save(parameters)
    newer = Store(store.path, PAPER_003, {"mecn": "2"})
    assert newer.stale == len(rows)
    jobs = [Job(row["recipe"], row["seed"]) for row in rows]
    assert newer.missing(jobs) == jobs


def test_another_simulator_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file of another build of the engine, or another paper, is not continued."""
    ours = simulator_digest(PAPER_004)
    assert simulator_digest(PAPER_004) == ours != simulator_digest(PAPER_003)
    window = ("run", "004", "fig9", *SMALL, "-o", str(tmp_path))
    assert "all there" not in mecn(*window).output
    assert "4 runs, all there" in mecn(*window).output
    monkeypatch.setattr(mecn_native, "SIMULATOR_DIGEST", "0123456789abcdef")
    assert simulator_digest(PAPER_004) != ours
    again = mecn(*window)
    assert "4 runs were made by other versions and are run again" in " ".join(again.output.split())
    assert "004 fig9: 4 runs in" in again.output


def test_the_digest_covers_what_a_run_executes() -> None:
    """Of each paper its simulation, profiles and constants, and nothing that only draws or judges; `beyond`
    has those of the papers whose simulations it calls."""
    for key in EXPERIMENTS:
        names = {module.__name__ for module in own_modules(find(key))}
        papers = ("000", "001", "002", "004") if key == "beyond" else (key,)
        for paper in papers:
            for part in ("simulate", "scenarios", "parameters"):
                assert f"mecn_experiments.paper{paper}.{part}" in names
        ends = {name.rpartition(".")[2] for name in names}
        assert {"bench", "simulate"} <= ends
        assert not {"drawing", "claims", "plots", "figures", "paper"} & ends


@pytest.mark.parametrize(
    "edited", ["paper001.simulate", "paper002.scenarios", "paper002.measures", "variant"]
)
def test_an_edit_in_another_paper_is_noticed(edited: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What `beyond` calls there decides its rows."""
    before, paper_004 = simulator_digest(BEYOND), simulator_digest(PAPER_004)
    read = Path.read_bytes
    changed = Path(mecn_experiments.__file__).parent / f"{edited.replace('.', '/')}.py"
    monkeypatch.setattr(
        Path, "read_bytes", lambda path: read(path) + (b"# edited" if path == changed else b"")
    )
    assert simulator_digest(BEYOND) != before
    assert (simulator_digest(PAPER_004) != paper_004) == (edited == "variant")
