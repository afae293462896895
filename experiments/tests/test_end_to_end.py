# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""The real thing, small: compile, push over gRPC, simulate, draw; and what happens when it goes wrong."""

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from xml.etree import ElementTree

import pytest
from mecn_experiments.dataset import Dataset, read_parquet
from mecn_experiments.program import P4_PROGRAM

KILLS = int(os.environ.get("MECN_KILLS", "1"))
"""MECN_KILLS=200 for a longer series."""

WARMUP_S = 1
SMALL = (
    "--sources=2",
    "--seeds=2",
    "--duration=4",
    "--set=frontier=[1,2,4],[30,60,90]",
    "--set=ablation_frontier=[1,2,4],[5,10,15]",
    "--set=frontier_sources=2",
    "--set=gain_max_p=0.1,1",
    "--set=gain_sources=2,3",
    f"--set=warmup_s={WARMUP_S}",
)
FIGURES = 18
PAPERS_OWN = ("section 3", "section 4", "table")
MECN = "import sys; from mecn_experiments.cli import experiment; experiment(prog_name='mecn experiment')"


def mecn(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", MECN, *arguments], cwd=cwd, capture_output=True, text=True, timeout=120
    )


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder in which a small run was made with two threads; results/003 is below it."""
    folder = tmp_path_factory.mktemp("two")
    done = mecn("run", "003", *SMALL, "-j2", cwd=folder)
    assert done.returncode == 0, done.stderr
    for text in ("ECN 1/4", "MECN 30/60/90", "link efficiency", "003.parquet", "index.html"):
        assert text in done.stdout
    return folder


@pytest.fixture(scope="module")
def data(results: Path) -> Dataset:
    return read_parquet(results / "results/003/003.parquet", "003")


def test_same_seeds_give_the_same_bytes(results: Path, tmp_path: Path) -> None:
    done = mecn("run", "003", *SMALL, "-j1", "-o", "again", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    first = {path.name: path.read_bytes() for path in (results / "results/003").iterdir()}
    second = {path.name: path.read_bytes() for path in (tmp_path / "again/003").iterdir()}
    assert first == second
    assert len(first) == FIGURES + 2


def test_files(results: Path, check_page: Callable[[str], tuple[int, set[str]]]) -> None:
    folder = results / "results/003"
    figures = sorted(folder.glob("*.svg"))
    for path in figures:
        assert ElementTree.parse(path).getroot().tag == "{http://www.w3.org/2000/svg}svg"
    count, _ = check_page((folder / "index.html").read_text())
    assert count == len(figures) == FIGURES


def test_the_measures_fit_together(data: Dataset) -> None:
    """Bounds that hold whatever the schemes do."""
    assert [row["seed"] for row in data.rows if row["family"] in PAPERS_OWN] == [1, 2] * (12 + 2 * 2 + 2 + 8)
    assert {row["family"] for row in data.rows} == {*PAPERS_OWN, "whole", "ablation"}
    measured_s = 4 - WARMUP_S
    capacity = 1_500_000 * measured_s / 8000
    for row in data.select(family="section 4"):
        # What was under way when the measuring began is acknowledged in it: a round trip's packets at most.
        assert 0 < row["link_efficiency"] <= row["utilisation"] + 20 / capacity
        assert row["utilisation"] <= 1
        assert row["acked_packets"] == pytest.approx(row["link_efficiency"] * capacity)
        assert 0 <= row["fraction_idle"] <= row["fraction_empty"] <= 1
        # Propagation 46 ms, one transmission on each link.
        assert row["delay_mean_s"] >= 0.046 + 8000 / 1.5e6 + 2 * 8000 / 10e6 - 1e-3
        assert row["delay_mean_s"] <= row["delay_p95_s"]
        assert row["queue_mean"] <= row["queue_max"] <= 200
        assert 0.5 <= row["jain_index"] <= 1
        assert sum(row["goodputs_bps"]) == pytest.approx(row["acked_packets"] * 960 * 8 / measured_s)
        if row["scheme"] == "ECN":
            assert row["marked_incipient"] == 0
            assert row["reductions_incipient"] == 0
        else:
            assert row["early_drops"] == 0


def test_marks_of_both_levels_reach_the_senders(data: Dataset) -> None:
    row = data.select(family="section 4", scenario="MECN 1/2/4", n_sources=2, seed=1)[0]
    assert row["marked_incipient"] > 0
    assert row["marked_ce"] > 0
    assert row["reductions_incipient"] > 0
    assert row["reductions_moderate"] > 0


def test_the_trace_agrees_with_the_statistics(data: Dataset) -> None:
    """Sampled every 50 ms, the queue's mean must come close to the mean over time."""
    for row in data.rows:
        if row["trace_qdepth"] is None:
            continue
        depths = row["trace_qdepth"]
        assert len(depths) == len(row["trace_time_s"]) == len(row["trace_avg_qdepth"]) >= 80
        # The trace is of the whole run, the mean of what comes after the warm-up.
        settled = [depth for at, depth in zip(row["trace_time_s"], depths, strict=True) if at >= WARMUP_S]
        assert sum(settled) / len(settled) == pytest.approx(row["queue_mean"], rel=0.25, abs=1)
        assert 0 < max(row["trace_avg_qdepth"]) < row["queue_max"]


def test_show_draws_the_same_from_the_file(results: Path, tmp_path: Path) -> None:
    done = mecn("show", "003", "-o", str(tmp_path), cwd=results)
    assert done.returncode == 0, done.stderr
    for path in tmp_path.iterdir():
        assert path.read_bytes() == (results / "results/003" / path.name).read_bytes()
    assert len(list(tmp_path.iterdir())) == FIGURES + 1


def test_list(tmp_path: Path) -> None:
    done = mecn("list", cwd=tmp_path)
    assert done.returncode == 0
    assert "003  ECN against multi-level ECN" in done.stdout
    assert "     fig14 " in done.stdout
    assert "004  Mark-front against mark-tail" in done.stdout


NO_PROGRAM = "does/not/exist.p4"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["run", "999"], "there is no experiment 999; known: 000, 001, 002, 003, 004, beyond"),
        (["run", "003", "--max-p", "1.5"], "max_p (1.5): input should be less than or equal to 1"),
        (["run", "003", "--set", "min_th=5"], "there is no parameter min_th"),
        (
            ["run", "003", "--set", "frontier=[4,2,1],[1,2,4]"],
            "profile 003 ECN 4/1: min_th (4) must be less than max_th (1)",
        ),
        (["run", "003", "--program", NO_PROGRAM], f"{NO_PROGRAM}: the P4 program is missing"),
        (["run", "003", "-o", "/proc/results"], "/proc/results/003: cannot be written"),
        (["run", "004", "fig2"], "experiment 004 has no figure fig2; known: fig3, fig4"),
        (["run", "003", "fig8", "--scheduler", "tcp://127.0.0.1:1"], "--scheduler tcp://127.0.0.1:1: "),
        (["show", "003"], "003.parquet: there is no such file"),
    ],
)
def test_errors_are_one_line(arguments: list[str], message: str, tmp_path: Path) -> None:
    done = mecn(*arguments, cwd=tmp_path)
    assert done.returncode != 0
    lines = [line for line in done.stderr.splitlines() if line.startswith("mecn experiment: ")]
    assert len(lines) == 1
    assert message in lines[0]
    assert "Traceback" not in done.stderr
    assert list(tmp_path.rglob("*.parquet")) == []


def test_a_broken_program_is_shown_with_its_line(tmp_path: Path) -> None:
    program = tmp_path / "broken.p4"
    program.write_text("#include <core.p4>\ncontrol c( { }\n")
    done = mecn("run", "003", *SMALL, "--program", str(program), cwd=tmp_path)
    assert done.returncode != 0
    assert "broken.p4" in done.stderr
    assert "2" in done.stderr
    assert "Traceback" not in done.stderr
    assert list((tmp_path / "results/003").iterdir()) == []


def test_a_program_without_the_tables_is_refused_by_the_controller(tmp_path: Path) -> None:
    program = tmp_path / "plain.p4"
    program.write_text(PLAIN)
    done = mecn("run", "003", *SMALL, "--program", str(program), cwd=tmp_path)
    assert done.returncode != 0
    assert "the controller could not set up the switch" in done.stderr
    assert "Traceback" not in done.stderr
    assert list((tmp_path / "results/003").iterdir()) == []


def test_interrupted_runs_keep_what_is_finished(tmp_path: Path) -> None:
    output = tmp_path / "out"
    command = ["run", "003", "fig8", "--sources=2,3", "--duration=5", "--set=warmup_s=1", "-j1"]
    command += ["-o", str(output)]
    # Every run is written at once, so that the file says when the first ones are done.
    eager = "import mecn_experiments.experiment as e; e.SAVE_S = 0; " + MECN
    process = subprocess.Popen(
        [sys.executable, "-c", eager, *command, "--seeds=1000"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
        start_new_session=True,
    )
    deadline = time.monotonic() + 300
    while not (output / "003/003.parquet").exists() and time.monotonic() < deadline:
        time.sleep(0.1)
    assert process.poll() is None
    os.killpg(process.pid, signal.SIGINT)
    try:
        _, errors = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 130
    assert "what was finished is kept" in errors
    assert "Traceback" not in errors
    kept = read_parquet(output / "003/003.parquet", "003").rows
    assert 0 < len(kept) < 6000
    seeds = 3
    there = sum(row["seed"] <= seeds for row in kept)
    # The same scenarios with few seeds are there now, at least in part, and are not run again.
    done = mecn(*command, f"--seeds={seeds}", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    left = 6 * seeds - there
    expected = f"{left} runs in" if left else "runs, all there"
    assert expected in done.stderr, done.stderr
    if left:
        assert f"{there} were there" in done.stderr, done.stderr
    after = {
        (row["recipe"], row["seed"]): row for row in read_parquet(output / "003/003.parquet", "003").rows
    }
    for row in kept:
        assert after[row["recipe"], row["seed"]] == row


def test_the_program_is_the_one_in_the_repository() -> None:
    assert P4_PROGRAM.is_file()


PLAIN = """\
#include <core.p4>
#include <v1model.p4>
struct headers_t { }
struct metadata_t { }
parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    state start { transition accept; }
}
control V(inout headers_t hdr, inout metadata_t meta) { apply { } }
control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply { standard.egress_spec = 1; }
}
control E(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) { apply { } }
control C(inout headers_t hdr, inout metadata_t meta) { apply { } }
control D(packet_out packet, in headers_t hdr) { apply { } }
V1Switch(P(), V(), I(), E(), C(), D()) main;
"""


def test_killed_at_any_time_and_continued_gives_the_same_file(tmp_path: Path) -> None:
    """By SIGKILL, while it compiles, runs, saves and draws."""
    command = ["run", "003", "fig8", "--sources=2", "--duration=3", "--set=warmup_s=1", "--seeds=3", "-o"]
    begin = time.monotonic()
    assert mecn(*command, "whole", cwd=tmp_path).returncode == 0
    took = time.monotonic() - begin
    seed = random.randrange(1 << 32)
    print(f"seed {seed}")
    moments = random.Random(seed)
    # What is finished is saved at once.
    eager = "import mecn_experiments.experiment as e; e.SAVE_S = 0; " + MECN
    for turn in range(KILLS):
        eagerly = [sys.executable, "-c", eager, *command, str(turn)]
        with subprocess.Popen(
            eagerly, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        ) as process:
            with suppress(subprocess.TimeoutExpired):
                process.communicate(timeout=took * moments.random())
            process.kill()
        done = mecn(*command, str(turn), cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        whole, found = [(tmp_path / name / "003/003.parquet") for name in ("whole", str(turn))]
        assert found.read_bytes() == whole.read_bytes()
