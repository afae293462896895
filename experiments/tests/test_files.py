# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Files that appear whole or not at all, the data file, and the order of results."""

import os
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from mecn_controller.durable import alone
from mecn_experiments.dataset import Dataset, read_parquet, write_parquet
from mecn_experiments.errors import ExperimentError
from mecn_experiments.files import only_writer, staged, writable_directory
from mecn_experiments.paper003.paper import PAPER
from mecn_experiments.paper003.parameters import Parameters
from mecn_experiments.runner import run_all


def test_staged_files_appear_together(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("old")
    with staged(tmp_path) as staging:
        (staging / "a").write_text("new")
        (staging / "b").write_text("more")
        assert (tmp_path / "a").read_text() == "old"
        assert not (tmp_path / "b").exists()
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"a": "new", "b": "more"}


def write_half(folder: Path, error: BaseException) -> None:
    with staged(folder) as staging:
        (staging / "a").write_text("half")
        raise error


def test_what_killed_processes_left_is_removed(tmp_path: Path) -> None:
    """And nothing of those that are still at work, or have just begun."""
    old = [tmp_path / f".unfinished-{name}" for name in ("left", "locked")]
    for folder in old:
        folder.mkdir()
        os.utime(folder, (0, 0))
    (tmp_path / ".unfinished-new").mkdir()
    with alone(old[1]), staged(tmp_path) as staging:
        (staging / "a").write_text("new")
    names = {path.name for path in tmp_path.iterdir()}
    assert names == {"a", ".unfinished-locked", ".unfinished-new"}


def test_a_second_run_is_refused(tmp_path: Path) -> None:
    refused = pytest.raises(ExperimentError, match="another run writes here")
    with only_writer(tmp_path), refused, only_writer(tmp_path):
        pass
    with only_writer(tmp_path):
        pass


@pytest.mark.parametrize("error", [KeyboardInterrupt(), ExperimentError("no"), RuntimeError()])
def test_nothing_stays_of_what_failed(tmp_path: Path, error: BaseException) -> None:
    (tmp_path / "a").write_text("old")
    with pytest.raises(type(error)):
        write_half(tmp_path, error)
    assert [path.name for path in tmp_path.iterdir()] == ["a"]
    assert (tmp_path / "a").read_text() == "old"


def test_a_file_in_the_way_is_named(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("a file")
    with pytest.raises(ExperimentError, match="deeper: cannot be written: Not a directory"):
        writable_directory(tmp_path / "out" / "deeper")
    with pytest.raises(ExperimentError, match="out: cannot be written"):
        writable_directory(tmp_path / "out")


def test_data_file_gives_back_what_went_in(tmp_path: Path, made_up: Callable[[Parameters], Dataset]) -> None:
    data = made_up(Parameters(sources=(2, 5), duration_s=30))
    write_parquet(data, PAPER.schema, tmp_path / "x.parquet")
    back = read_parquet(tmp_path / "x.parquet", "003")
    assert (back.parameters, back.versions) == (data.parameters, data.versions)
    ordered = sorted(data.rows, key=lambda row: (row["recipe"], row["seed"]))
    assert len(back.rows) == len(data.rows)
    for column in ("scenario", "n_sources", "link_efficiency", "trace_qdepth"):
        assert [row[column] for row in back.rows] == [row.get(column) for row in ordered]
    write_parquet(data, PAPER.schema, tmp_path / "y.parquet")
    assert (tmp_path / "x.parquet").read_bytes() == (tmp_path / "y.parquet").read_bytes()


def test_files_that_are_not_ours_are_refused_by_name(
    tmp_path: Path, made_up: Callable[[Parameters], Dataset]
) -> None:
    path = tmp_path / "x.parquet"
    with pytest.raises(ExperimentError, match=r"x\.parquet: there is no such file"):
        read_parquet(path, "003")
    path.write_bytes(b"not parquet at all")
    with pytest.raises(ExperimentError, match=r"x\.parquet: cannot be read as Parquet") as caught:
        read_parquet(path, "003")
    assert "\n" not in str(caught.value)
    write_parquet(made_up(Parameters(sources=(2,), seeds=1)), PAPER.schema, path)
    with pytest.raises(ExperimentError, match="holds 003, not experiment 004"):
        read_parquet(path, "004")
    with path.open("r+b") as file:
        file.truncate(path.stat().st_size // 2)
    with pytest.raises(ExperimentError, match="cannot be read as Parquet"):
        read_parquet(path, "003")


def test_results_come_in_the_order_of_the_jobs() -> None:
    def work(job: int) -> int:
        time.sleep(0.02 if job % 3 == 0 else 0)
        return job * job

    done: dict[int, int] = {}
    results = run_all(range(20), work, threads=4, done=done.__setitem__)
    assert results == [job * job for job in range(20)]
    assert done == {job: job * job for job in range(20)}


def test_an_error_stops_what_has_not_begun() -> None:
    begun = []
    gate = threading.Event()

    def work(job: int) -> None:
        begun.append(job)
        if job == 0:
            raise ExperimentError("job 0 failed")
        gate.wait(0.05)

    with pytest.raises(ExperimentError, match="job 0 failed"):
        run_all(range(1000), work, threads=2, done=lambda _job, _result: None)
    assert len(begun) < 1000
