# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""The page: each figure beside what the paper says of it, the numbers, and how they came about."""

from __future__ import annotations

import json
import shlex
from typing import TYPE_CHECKING, Any

from ..declaration import Chosen, Given
from ..page import render
from ..report import value_text
from .figures import draw_all
from .findings import CONFIDENCE_TEXT, findings
from .parameters import Parameters
from .results import PERFORMANCE, SIGNALS, lines
from .scenarios import HIGH_PAIR, LOW_PAIR, Scenario

if TYPE_CHECKING:
    from ..dataset import Dataset
    from ..declaration import Drawing

PAPER = (
    "P.-F. Quet, M. Sridharan, S. Chellappan, H. Özbay, A. Durresi, R. Jain: "
    "Guidelines for optimizing Multi-Level ECN, using fluid flow based TCP model"
)


def page(data: Dataset, parameters: Parameters) -> str:
    """The page: figures beside the paper's sentences, verdicts, tables, parameters."""
    return render("paper003.html.j2", _context(data, parameters, draw_all(data, parameters)))


def _context(data: Dataset, parameters: Parameters, drawings: dict[str, Drawing]) -> dict[str, Any]:
    defaults = Parameters()
    rows = []
    for name, field in Parameters.model_fields.items():
        value, default = getattr(parameters, name), getattr(defaults, name)
        rows.append(
            {
                "name": name,
                "value": value_text(parameters.traced if name == "trace_sources" else value),
                "changed": value != default,
                "default": value_text(default),
                "meaning": field.description,
                "reason": _origin(parameters.origins()[name]),
                "setting": shlex.quote(json.dumps(getattr(parameters, name))),
            }
        )
    profiles = {row["scenario"]: json.loads(row["profile"]) for row in data.rows}
    return {
        "paper": PAPER,
        "parameters": parameters,
        "parameter_rows": rows,
        "changed": [row for row in rows if row["changed"] and row["name"] != "trace_sources"],
        "drawings": drawings,
        "findings": findings(data, parameters),
        "rule": CONFIDENCE_TEXT,
        "tables": [
            ("Throughput, queue and delay", PERFORMANCE, lines(data, parameters, PERFORMANCE)),
            ("Marks, drops and fairness", SIGNALS, lines(data, parameters, SIGNALS)),
        ],
        "trace_text": _trace_texts(data, parameters),
        "first_thresholds": Scenario("MECN", parameters.frontier[0]).thresholds_text,
        "last_thresholds": Scenario("MECN", parameters.frontier[-1]).thresholds_text,
        "versions": dict(sorted(data.versions.items())),
        "profiles": {name: json.dumps(profile, sort_keys=True) for name, profile in profiles.items()},
        "runs": len(data.rows),
    }


def _trace_texts(data: Dataset, parameters: Parameters) -> dict[str, str]:
    """What each queue figure's run measured, in a sentence."""
    texts = {}
    for key, scenario in zip(
        ("figure-06", "figure-07", "figure-09", "figure-10"), (*LOW_PAIR, *HIGH_PAIR), strict=True
    ):
        (run,) = data.select(scenario=scenario.name, n_sources=parameters.traced, seed=1)
        texts[key] = (
            f"mean {run['queue_mean']:.1f} packets, standard deviation {run['queue_std']:.1f}, empty"
            f" {run['fraction_empty'] * 100:.0f} % of the time, link efficiency"
            f" {run['link_efficiency'] * 100:.1f} % (seed 1, {parameters.traced} sources)."
        )
    return texts


def _origin(origin: Given | Chosen) -> str:
    return f"given by the paper ({origin.where})" if isinstance(origin, Given) else origin.because
