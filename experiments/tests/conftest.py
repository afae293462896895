# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Made-up results, to test what is drawn from results without simulating, and a check of pages."""

import json
import re
import sys
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Protocol

import pytest
from mecn_experiments.dataset import Dataset, Row, rows_of
from mecn_experiments.declaration import Claim, Paper, Recipe, jobs_of
from mecn_experiments.declaration import Parameters as AnyParameters
from mecn_experiments.paper003.packets import ECHO, RESPONSE
from mecn_experiments.paper003.paper import PAPER as PAPER_003
from mecn_experiments.paper003.parameters import Parameters
from mecn_experiments.paper003.scenarios import point_of
from mecn_experiments.verdicts import Outcome
from mecn_topo import Scenario, builtin
from mecn_topo.lab import Plan, Recording
from mecn_topo.lab.measure import FlowSeries, QueueState
from mecn_topo.lab.sockets import Connection

# Test modules are imported by path: so that they can import modules beside them.
sys.path.insert(0, str(Path(__file__).resolve().parent))


def ideal_003(recipe: Recipe, seed: int) -> Row:
    """A row as paper 003 has it; seeds differ by a little noise."""
    run, noise = point_of(recipe), (seed - 2) * 1e-4
    if run.family == "table":
        table, line = run.case.split(" ")
        echoed, part = ECHO.get(line, (0, "", (0, 0)))[2], RESPONSE.get(line, ("", 0))[1]
        answer = "{},{}".format(*echoed) if table == "echo" else f"cwnd x {1 - part:.3f}"
        return {"family": "table", "case": run.case, "expected": answer, "observed": answer, "seed": seed}
    low, middle, high = run.thresholds
    rank = {"ECN": 0, "ECNM": 0, "MECN": 1, "MECN*": 2}[run.scheme]
    queue = (low + high) / 2
    efficiency = min(1.0, 0.8 + 0.02 * rank + high / 600)
    if high >= 60:
        efficiency = 0.99 + 0.001 * rank
    mean, std = queue, queue / (2 + rank)
    if run.family == "section 3":
        # A higher gain follows the load better, and too high a one oscillates.
        mean = low + 4 * run.n_sources * (1 - 0.5 * run.max_p) * (1.5 - rank / 2)
        std = mean * (0.3 + run.max_p) / (1 + rank)
        efficiency = 0.95 - 0.1 * run.max_p
    row: Row = {
        "family": run.family,
        "part": run.part,
        "scenario": run.scenario.name,
        "scheme": run.scheme,
        "profile": "{}",
        "min_th": low,
        "mid_th": middle,
        "max_th": high,
        "max_p": run.max_p,
        "n_sources": run.n_sources,
        "seed": seed,
        "link_efficiency": efficiency + noise,
        "queue_mean": mean + noise,
        "queue_std": std + noise,
        "fraction_empty": 0.3 - 0.1 * rank + noise,
        "delay_mean_s": 0.05 + queue * 0.0053 * (1 - 0.1 * rank) + noise,
        "delay_p95_s": 0.05 + high * 0.0053 + noise,
        "jitter_s": 0.004 - 0.001 * rank + noise,
        "marked_incipient": 100 * rank,
        "marked_ce": 100,
        "early_drops": 10,
        "tail_drops": 0,
        "jain_index": 0.9,
        "retransmissions": 12,
        "timeouts": 3,
        "trace_time_s": None,
        "trace_qdepth": None,
        "trace_avg_qdepth": None,
    }
    if run.trace and seed == 1:
        steps = int(recipe["shared"]["duration_s"] / recipe["shared"]["trace_interval_s"])
        row["trace_time_s"] = [i * recipe["shared"]["trace_interval_s"] for i in range(steps)]
        row["trace_qdepth"] = [round(queue * (i % 5) / 2) for i in range(steps)]
        row["trace_avg_qdepth"] = [queue] * steps
    return row


@pytest.fixture(scope="session")
def made_up() -> Callable[[Parameters], Dataset]:
    """Results of all runs of paper 003 for a set of parameters."""

    def make(parameters: Parameters) -> Dataset:
        jobs = dict.fromkeys(job for figure in PAPER_003.figures for job in jobs_of(figure, parameters))
        rows = [ideal_003(json.loads(job.recipe), job.seed) | {"recipe": job.recipe} for job in jobs]
        return Dataset("003", parameters.model_dump(mode="json"), {"mecn": "test"}, rows)

    return make


@pytest.fixture(scope="session")
def ideal() -> Callable[[Recipe, int], Row]:
    """Makes the rows of paper 003 as the paper has them."""
    return ideal_003


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


class Judge(Protocol):
    """What a claim's rule says of made-up results; the arguments are those of :class:`MakeRows`."""

    def __call__(
        self,
        paper: Paper,
        claim: Claim,
        ideal: Callable[[Recipe, int], Row],
        change: Callable[[Row], None] = ...,
        parameters: AnyParameters | None = None,
    ) -> Outcome: ...


@pytest.fixture(scope="session")
def judge(rows_for: MakeRows) -> Judge:
    """Decides a claim of any paper on made-up results."""

    def decide(
        paper: Paper,
        claim: Claim,
        ideal: Callable[[Recipe, int], Row],
        change: Callable[[Row], None] = lambda _: None,
        parameters: AnyParameters | None = None,
    ) -> Outcome:
        parameters = parameters or paper.parameters()
        return claim.decide(rows_for(paper, claim, ideal, change, parameters), parameters)

    return decide


@pytest.fixture(scope="session")
def draw_all(rows_for: MakeRows) -> Callable[[Paper, Callable[[Recipe, int], Row]], list[str]]:
    """Draws every figure of a paper from made-up results; returns the drawings' keys, of which none is used
    twice."""

    def draw(paper: Paper, ideal: Callable[[Recipe, int], Row]) -> list[str]:
        parameters = paper.parameters()
        keys: list[str] = []
        for figure in paper.figures:
            claim = Claim("x", "", "", "", (figure.key,), paper.claims[0].decide)
            data = rows_of(rows_for(paper, claim, ideal), jobs_of(figure, parameters))
            assert data is not None
            drawings = figure.draw(data, parameters)
            assert all(drawing.svg.count("<path") > 10 for drawing in drawings)
            keys.extend(drawing.key for drawing in drawings)
        assert len(set(keys)) == len(keys)
        return keys

    return draw


@pytest.fixture(scope="session")
def tried() -> Callable[[object], set[str]]:
    """The claims that a test is parametrized with."""

    def claims(test: object) -> set[str]:
        marks = test.pytestmark  # type: ignore[attr-defined]
        return {claim for mark in marks if mark.name == "parametrize" for claim, _ in mark.args[1]}

    return claims


def _recording(
    duration_s: float = 10.0, warmup_s: float = 2.0, scenario: Scenario | None = None
) -> Recording:
    """Flows of 100 packets of 960 bytes a second each; depth 2 in even, 6 in odd seconds; marks."""
    made = Recording(Plan(duration_s, warmup_s))
    scenario = scenario or builtin("003", 2)
    made.flows = [FlowSeries(flow, number) for number, flow in enumerate(scenario.flows)]
    for step in range(int(duration_s * 10) + 1):
        time_s = step / 10
        made.time_s.append(time_s)
        # 1014 bytes with Ethernet's header: 1000 bytes of IP.
        sent = 15 * step
        made.states.append(
            QueueState(2 if int(time_s) % 2 == 0 else 6, 3.5, sent, 1014 * sent, step // 50, 1, 2)
        )
        if step % 2 == 0:
            made.marks.time_s.append(time_s)
            made.marks.passed.append(10 * step)
            made.marks.incipient.append(3 * step)
            made.marks.ce.append(2 * step)
            made.marks.early_drops.append(step)
            for number, series in enumerate(made.flows):
                acked = 960 * 10 * step
                ports, cwnd = (series.local_port, 5201 + number), 4 + step % 3
                series.add(time_s, Connection(*ports, 1, cwnd, None, 0.1, 960, step // 10, acked, 0))
    made.netstat = {
        "S1": {"TCPTimeouts": 1, "TCPFastRetrans": 2},
        "S2": {"TCPTimeouts": 0, "TCPFastRetrans": 1},
    }
    for placement in scenario.placements[1:]:
        made.others[placement.switch, placement.port] = (made.states[0], made.states[-1])
    return made


@pytest.fixture
def recording() -> Callable[..., Recording]:
    """Made-up recordings of a lab, by duration, warm-up and scenario."""
    return _recording
