# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""The page: each figure beside what the paper says of it, the numbers, and how they came about."""

from __future__ import annotations

import json
import shlex
from typing import TYPE_CHECKING, Any

from ..page import render
from .figures import draw_all
from .findings import CONFIDENCE_TEXT, findings
from .parameters import Parameters
from .results import PERFORMANCE, SIGNALS, lines
from .scenarios import HIGH_PAIR, LOW_PAIR, Scenario

if TYPE_CHECKING:
    from ..dataset import Dataset
    from .figures import Drawing

PAPER = (
    "P.-F. Quet, M. Sridharan, S. Chellappan, H. Özbay, A. Durresi, R. Jain: "
    "Guidelines for optimizing Multi-Level ECN, using fluid flow based TCP model"
)

REASONS = {
    "sources": "the paper varies the number without giving it",
    "seeds": "three is the least that gives a useful interval; more narrow it",
    "duration_s": "long against the round trip of 92 ms and the slowest transient",
    "warmup_s": "the start counts: the paper's efficiency is that of the whole run",
    "weight": "given by the paper (alpha)",
    "max_p": "Floyd's recommendation for RED (1997) and the default of the papers' simulator",
    "max_p_star": "doubles K_MECN, which is proportional to max_p (equation 7)",
    "buffer": "twice the highest max_th, so that the marking and not the buffer is measured",
    "window_cap": "the largest window that TCP can announce without scaling: 65535 bytes",
    "above_max_th": "RED's behaviour, which ECN inherits; for MECN the paper says: mark",
    "not_ect": "SYNs and retransmissions cannot be marked; dropping them would burden one scheme only",
    "mark_point": "RED and its successors average what arriving packets meet",
    "spacing": "RED's count, the default of the paper's simulator",
    "min_depth": "RED of the paper's simulator acts on no shallower queue",
    "idle_correction": "RED's rule for an empty queue, with a full packet's time on the link as service time",
    "start_jitter_s": "sources that start in the same instant would stay in step",
    "initial_window": "the default of the papers' simulator",
    "min_rto_s": "RFC 6298, rule 2.4",
    "timer_granularity_s": "the tick of the papers' simulator",
    "delayed_acks": "the papers' receivers acknowledge every packet",
    "hold_at_one_segment": "a MUST of RFC 3168 that neither the papers' simulator nor Linux keeps",
    "trace_sources": "the paper does not say for how many sources its queue figures are",
    "trace_interval_s": "about half a round trip",
    "frontier_sources": "as for the queue figures",
    "frontier": "1/2/4 and 30/60/90 are the paper's; those between keep the ratio 1:2:3",
}
"""Why each parameter has its default; docs/experiments/003.md says it at length."""


def draw(data: Dataset, parameters: Parameters) -> dict[str, str]:
    """All files to be shown, by name: the figures and the page."""
    drawings = draw_all(data, parameters)
    files = {f"{key}.svg": drawing.svg for key, drawing in drawings.items()}
    files["index.html"] = render("paper003.html.j2", _context(data, parameters, drawings))
    return files


def _context(data: Dataset, parameters: Parameters, drawings: dict[str, Drawing]) -> dict[str, Any]:
    defaults = Parameters()
    rows = []
    for name, field in Parameters.model_fields.items():
        value, default = getattr(parameters, name), getattr(defaults, name)
        rows.append(
            {
                "name": name,
                "value": _value(parameters.traced if name == "trace_sources" else value),
                "changed": value != default,
                "default": _value(default),
                "meaning": field.description,
                "reason": REASONS[name],
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


def _value(value: Any) -> str:  # noqa: ANN401
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, tuple):
        return ", ".join("/".join(map(_value, x)) if isinstance(x, tuple) else _value(x) for x in value)
    return "" if value is None else str(value)
