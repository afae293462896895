# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Seeds that are added until each claim is decided, with a paper that needs no network."""

import random
from pathlib import Path

import pyarrow as pa  # type: ignore[import-untyped]
import pytest
from mecn_experiments.bench import Bench
from mecn_experiments.dataset import COUNT, NUMBER, TEXT, Dataset, Row, read_parquet
from mecn_experiments.declaration import Claim, Drawing, Figure, Paper, Parameters, Recipe, jobs_of
from mecn_experiments.errors import ExperimentError
from mecn_experiments.experiment import Results, load, run
from mecn_experiments.program import P4_PROGRAM
from mecn_experiments.statistics import estimate
from mecn_experiments.verdicts import Outcome, above, judged, text, verdict_text

MEANS = {"clear": 5.0, "near": 0.35, "nothing": 0.0}
"""Of each claim's run."""


def simulate(recipe: Recipe, seed: int, _bench: Bench) -> Row:
    """Normal with a standard deviation of 1 around the scenario's mean."""
    name = recipe["name"]
    return {
        "seed": seed,
        "name": name,
        "value": MEANS.get(name, 0.0) + random.Random(f"{name} {seed}").gauss(0, 1),
    }


def figure(name: str) -> Figure:
    """Each has a run that no claim reads."""
    return Figure(
        name,
        name,
        "",
        lambda _: [{"name": name}, {"name": "unread"}],
        draw=lambda _d, _p: [Drawing(name, name, "<svg></svg>", "")],
    )


def claim(number: int, name: str) -> Claim:
    def decide(data: Dataset, _parameters: Parameters) -> Outcome:
        value = estimate(data.values("value", name=name))
        return judged({name: above(value, 0)}, text(value))

    return Claim(f"x-{number}", "", name, "", (name,), decide)


PAPER = Paper(
    key="x",
    title="",
    citation="",
    parameters=Parameters,
    schema=pa.schema({"recipe": TEXT, "seed": COUNT, "name": TEXT, "value": NUMBER}),
    figures=tuple(figure(name) for name in MEANS),
    claims=tuple(claim(number, name) for number, name in enumerate(MEANS)),
    simulate=simulate,
)


class Quiet:
    """Keeps the notes of a run."""

    def __init__(self) -> None:
        self.notes: list[str] = []

    def stage(self, name: str, steps: int) -> None: ...

    def advance(self) -> None: ...

    def note(self, text: str) -> None:
        self.notes.append(text)


def run_x(folder: Path, seeds: int | str) -> tuple[Results, list[str]]:
    progress = Quiet()
    results = run(
        PAPER, (), {"seeds": seeds}, folder, source=P4_PROGRAM, threads=1, scheduler=None, progress=progress
    )
    return results, progress.notes


def test_seeds_are_added_until_a_claim_is_decided(tmp_path: Path) -> None:
    results, notes = run_x(tmp_path, "auto")
    seeds = {name: sum(row["name"] == name for row in results.data.rows) for name in (*MEANS, "unread")}
    assert seeds["clear"] == 5
    assert seeds["unread"] == 5
    assert seeds["near"] in (10, 20, 40)
    assert seeds["nothing"] == 40
    assert "x-0 is undecided yet" not in notes
    assert "x-2 is undecided yet" in notes
    verdicts = [verdict_text(outcome) for _, outcome in results.outcomes()]
    assert verdicts[0] == "holds (5 seeds)"
    assert verdicts[1] == f"holds ({seeds['near']} seeds)"
    assert verdicts[2].startswith("undecided (40 seeds; ")
    assert "would" in verdicts[2]
    # The same comes out of the file, and nothing is run again.
    assert [verdict_text(outcome) for _, outcome in load(PAPER, tmp_path, {}).outcomes()] == verdicts
    before = read_parquet(tmp_path / "x.parquet", "x").rows
    _, notes = run_x(tmp_path, "auto")
    assert not any(" runs in " in note for note in notes)
    assert read_parquet(tmp_path / "x.parquet", "x").rows == before


def test_what_is_there_counts_when_seeds_are_added(tmp_path: Path) -> None:
    run_x(tmp_path, 3)
    _, notes = run_x(tmp_path, "auto")
    assert any(note.startswith("x clear: 4 runs in") and "6 were there" in note for note in notes)


def test_a_verdict_says_how_many_seeds_would_decide_it(tmp_path: Path) -> None:
    results, _ = run_x(tmp_path, 3)
    verdicts = {c.says: verdict_text(outcome) for c, outcome in results.outcomes()}
    assert verdicts["clear"] == "holds (3 seeds)"
    assert "would" in verdicts["near"] or "3 seeds" in verdicts["near"]
    results, _ = run_x(tmp_path, 1)
    assert verdict_text(results.outcomes()[0][1]) == "undecided (1 seed)"


def test_only_a_command_adds_seeds() -> None:
    with pytest.raises(ExperimentError, match="seeds"):
        jobs_of(PAPER.figures[0], Parameters(seeds="auto"))
