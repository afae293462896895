# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Made-up results, to test what is drawn from results without simulating, and a check of pages."""

import json
import random
import re
from collections.abc import Callable
from html.parser import HTMLParser
from typing import Protocol

import pytest
from mecn_experiments.dataset import Dataset, Row
from mecn_experiments.declaration import Claim, Paper, Recipe, canonical, jobs_of
from mecn_experiments.declaration import Parameters as AnyParameters
from mecn_experiments.paper003.parameters import Parameters
from mecn_experiments.paper003.scenarios import plan, recipe_of


@pytest.fixture(scope="session")
def made_up() -> Callable[[Parameters], Dataset]:
    """Results for all runs of a set of parameters; noise of a fixed seed around plausible values."""

    def make(parameters: Parameters) -> Dataset:
        noise = random.Random(3)
        rows = []
        for run in plan(parameters):
            low, _, high = run.scenario.thresholds
            better = 0 if run.scenario.scheme == "ECN" else 1
            queue = (low + high) / 2
            recipe = recipe_of(run, parameters, traced=run.trace)
            row: Row = {
                "recipe": canonical(recipe),
                "scenario": run.scenario.name,
                "scheme": run.scenario.scheme,
                "profile": "{}",
                "n_sources": run.n_sources,
                "seed": run.seed,
                "link_efficiency": min(1, 0.8 + 0.05 * better + queue / 400 + noise.gauss(0, 0.001)),
                "queue_mean": queue + noise.gauss(0, 0.1),
                "queue_std": queue / (2 + better) + noise.gauss(0, 0.1),
                "fraction_empty": 0.3 - 0.1 * better + noise.gauss(0, 0.005),
                "delay_mean_s": 0.05 + queue * 0.0053 * (1 - 0.1 * better) + noise.gauss(0, 0.0005),
                "delay_p95_s": 0.05 + high * 0.0053 + noise.gauss(0, 0.0005),
                "jitter_s": 0.004 - 0.001 * better + noise.gauss(0, 0.0001),
                "marked_incipient": 100 * better,
                "marked_ce": 100,
                "early_drops": 10 * (1 - better),
                "tail_drops": 0,
                "jain_index": 0.9,
                "retransmissions": 12,
                "timeouts": 3,
                "trace_time_s": None,
                "trace_qdepth": None,
                "trace_avg_qdepth": None,
            }
            if run.trace:
                steps = int(parameters.duration_s / parameters.trace_interval_s)
                row["trace_time_s"] = [i * parameters.trace_interval_s for i in range(steps)]
                row["trace_qdepth"] = [max(0, round(noise.gauss(queue, queue / 2))) for _ in range(steps)]
                row["trace_avg_qdepth"] = [queue] * steps
            rows.append(row)
        return Dataset("003", parameters.model_dump(mode="json"), {"mecn": "test"}, rows)

    return make


VOID = {"meta", "link", "br", "img", "hr", "input"}


class Page(HTMLParser):
    """Checks that elements are closed in order, and collects references and ids."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.references: list[str] = []
        self.ids: list[str] = []
        self.figures = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in VOID:
            self.open.append(tag)
        self.figures += tag == "figure"
        for name, value in attrs:
            if name in ("src", "href", "xlink:href", "data", "action", "srcset") and value is not None:
                self.references.append(value)
            if name == "id" and value is not None:
                self.ids.append(value)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.fixture(scope="session")
def check_page() -> Callable[[str], tuple[int, set[str]]]:
    """Checks that a page is well formed and refers to nothing outside itself; returns its figures and ids."""

    def check(html: str) -> tuple[int, set[str]]:
        page = Page()
        page.feed(html)
        page.close()
        assert page.open == []
        assert len(page.ids) == len(set(page.ids)), "an id is used twice"
        targets = page.references + re.findall(r"url\(([^)]*)\)", html)
        assert {target[:1] for target in targets} <= {"#"}
        assert {target[1:] for target in targets} <= set(page.ids)
        assert not re.search(r"@import|<script|<link", html)
        return page.figures, set(page.ids)

    return check


class MakeRows(Protocol):
    """Makes the rows that a claim needs: `ideal` gives those of a recipe and a seed, `change` alters each."""

    def __call__(
        self,
        paper: Paper,
        claim: Claim,
        ideal: Callable[[Recipe, int], Row],
        change: Callable[[Row], None] = ...,
        parameters: AnyParameters | None = None,
    ) -> Dataset: ...


@pytest.fixture(scope="session")
def rows_for() -> MakeRows:
    """Made-up results for the runs of a claim, of any paper."""

    def make(
        paper: Paper,
        claim: Claim,
        ideal: Callable[[Recipe, int], Row],
        change: Callable[[Row], None] = lambda _: None,
        parameters: AnyParameters | None = None,
    ) -> Dataset:
        parameters = parameters or paper.parameters()
        jobs = dict.fromkeys(job for key in claim.needs for job in jobs_of(paper.figure(key), parameters))
        rows = []
        for job in jobs:
            row = ideal(json.loads(job.recipe), job.seed) | {"recipe": job.recipe}
            change(row)
            rows.append(row)
        return Dataset(paper.key, {}, {}, rows)

    return make
