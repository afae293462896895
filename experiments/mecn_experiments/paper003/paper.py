# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""The paper's figures and claims, declared."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from ..declaration import Claim, Figure, Paper, Table
from . import figures
from .findings import CONFIDENCE_TEXT, outcome
from .measure import simulate
from .parameters import Parameters
from .report import PAPER as CITATION
from .report import page
from .results import PERFORMANCE, SIGNALS, lines
from .scenarios import HIGH_PAIR, LOW_PAIR, SCHEMES, Scenario, check, recipes
from .schema import SCHEMA

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..dataset import Dataset
    from ..declaration import Recipe


def _traced(pair: tuple[Scenario, Scenario], parameters: Parameters) -> Sequence[Recipe]:
    return recipes(parameters, lambda scenario, n: scenario in pair and n == parameters.traced)


def _over_sources(pair: tuple[Scenario, Scenario], parameters: Parameters) -> Sequence[Recipe]:
    return recipes(parameters, lambda scenario, n: scenario in pair and n in parameters.sources)


def _frontier(parameters: Parameters) -> Sequence[Recipe]:
    points = {Scenario(scheme, thresholds) for scheme in SCHEMES for thresholds in parameters.frontier}
    return recipes(parameters, lambda scenario, n: scenario in points and n == parameters.frontier_sources)


LOW, HIGH = partial(_over_sources, LOW_PAIR), partial(_over_sources, HIGH_PAIR)

FIGURES = (
    Figure(
        "fig6",
        "Figures 6 and 7: queue with ECN and with MECN, low thresholds",
        "With ECN the oscillations in the queue are very high and it goes to zero often; with MECN they are"
        " reduced, and the throughput is higher.",
        partial(_traced, LOW_PAIR),
        figures.low_traces,
    ),
    Figure(
        "fig8",
        "Figure 8: link efficiency, low thresholds",
        "MECN has the better link efficiency.",
        LOW,
        figures.efficiency,
    ),
    Figure(
        "empty", "Time with an empty queue, low thresholds (not in the paper)", "", LOW, figures.empty_queue
    ),
    Figure(
        "fig9",
        "Figures 9 and 10: queue with ECN and with MECN, high thresholds",
        "The throughput cannot rise further, but the error in the queue and the jitter are reduced.",
        partial(_traced, HIGH_PAIR),
        figures.high_traces,
    ),
    Figure("deviation", "Standard deviation of the queue (not in the paper)", "", HIGH, figures.deviation),
    Figure("jitter", "Jitter (not in the paper)", "", HIGH, figures.jitter),
    Figure(
        "fig14",
        "Figure 14: throughput against delay",
        "MECN gives the same throughput as ECN with less delay; MECN*, with a larger K_MECN, is better"
        " still.",
        _frontier,
        figures.frontier,
    ),
)
_ALL = tuple(figure.key for figure in FIGURES)


def _claim(number: int, where: str, says: str, rule: str) -> Claim:
    name = f"003-{number}"
    return Claim(name, where, says, f"{rule} {CONFIDENCE_TEXT}", _ALL, partial(outcome, name))


CLAIMS = (
    _claim(
        1,
        "Figures 6, 7",
        "At low thresholds ECN's queue oscillates strongly and is often empty; MECN's less.",
        "MECN's time with an empty queue and its standard deviation of the queue are smaller.",
    ),
    _claim(
        2,
        "Figure 8",
        "At low thresholds MECN has the higher link efficiency.",
        "MECN's link efficiency is higher.",
    ),
    _claim(
        3,
        "Figures 9, 10",
        "At high thresholds MECN's queue error and jitter are smaller at the same throughput.",
        "MECN's standard deviation of the queue and its jitter are smaller, and its link efficiency is the"
        " same.",
    ),
    _claim(
        4,
        "section 4.2",
        "Beyond some max_th the throughput cannot rise.",
        "The link efficiency is the same at the two highest thresholds of Figure 14.",
    ),
    _claim(
        5,
        "Figure 14",
        "MECN gives the same throughput as ECN at a lower mean delay.",
        "At equal delay the link efficiency of MECN is surely higher, averaged over the delays that both"
        " reach.",
    ),
    _claim(
        6,
        "Figures 11 to 14",
        "MECN*, with a larger K_MECN, does better still.",
        "As 003-5, with MECN* and MECN.",
    ),
)


def _tables(data: Dataset, parameters: Parameters) -> list[Table]:
    tables = []
    for title, measures in (
        ("Throughput, queue and delay", PERFORMANCE),
        ("Marks, drops and fairness", SIGNALS),
    ):
        columns = [("scheme", ""), ("N", ""), *((measure.title, measure.unit) for measure in measures)]
        rows = [
            (row.scenario.name, str(row.n_sources), *row.cells) for row in lines(data, parameters, measures)
        ]
        tables.append(Table(title, columns, rows))
    return tables


PAPER = Paper(
    key="003",
    title="ECN against multi-level ECN",
    citation=CITATION,
    parameters=Parameters,
    schema=SCHEMA,
    figures=FIGURES,
    claims=CLAIMS,
    simulate=simulate,
    check=check,
    tables=_tables,
    page=page,
)
