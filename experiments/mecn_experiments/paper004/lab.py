# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""The paper's runs in real time."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from ..lab.bridge import Bridge, NotInLabError, RealRun, host_tcp
from ..statistics import jain_index
from .paper import PAPER
from .parameters import PACKET_BYTES, PACKETS_PER_S
from .scenarios import SCENARIOS, point_of
from .simulate import TRACE_STEP_S, ecn_of, identity, scenario_of

if TYPE_CHECKING:
    from ..dataset import Row
    from ..declaration import Recipe
    from ..lab.results import Measured

SAMPLE_S = 0.005
"""About a packet's time on the link: the paper asks for the largest queue."""


def real_run(recipe: Recipe) -> RealRun:
    """Raises :class:`NotInLabError`."""
    point, shared = point_of(recipe), recipe["shared"]
    if point.window:
        raise NotInLabError("the sender's window at each packet's arrival (theorem 1)")
    red = "" if point.weight is None else f", w = {point.weight:g}"
    return RealRun(
        title=f"{SCENARIOS[point.scenario].title}, mark-{point.strategy}, T = {point.threshold}{red}",
        scenario=scenario_of(recipe),
        duration_s=point.duration_s,
        warmup_s=point.warmup_s,
        start_jitter_s=shared["start_jitter_s"],
        tcp=host_tcp(shared, ecn_of(recipe), PACKET_BYTES),
        sample_s=SAMPLE_S,
    )


def row(recipe: Recipe, seed: int, measured: Measured) -> Row:
    """As `simulate` has it. Largest and least queue are those of the samples."""
    point, found, recording = point_of(recipe), measured.row, measured.recording
    acked = [flow.acked_packets for flow in measured.flows]
    time = np.asarray(recording.time_s)
    depth = np.asarray([state.depth for state in recording.states], dtype="<u4")
    peak = int(depth.argmax())
    row: Row = {
        **identity(recipe, seed),
        "queue_max": found["queue_max"],
        "queue_min": int(depth[measured.at(measured.begin_s) :].min()),
        "queue_mean": found["queue_mean"],
        "peak": int(depth[peak]),
        "peak_s": float(time[peak]),
        "efficiency": math.fsum(acked) / (PACKETS_PER_S * measured.window_s),
        "utilisation": found["utilisation"],
        "fraction_idle": found["fraction_idle"],
        "delay_mean_s": found["delay_mean_s"],
        "unfairness": 1 - jain_index(acked),
        "acked_packets": acked,
        "marked": found["marked_ce"],
        "tail_drops": found["tail_drops"],
        "early_drops": found["early_drops"],
        "retransmissions": found["retransmissions"],
        "timeouts": found["timeouts"],
    }
    if point.trace and seed == 1:
        steps = np.arange(0, point.duration_s, TRACE_STEP_S)
        at = [measured.at(step) for step in steps]
        average = np.asarray([state.average for state in recording.states], dtype="<f4")
        row |= {"trace_time_s": steps, "trace_qdepth": depth[at], "trace_avg_qdepth": average[at]}
    return row


BRIDGE = Bridge(paper=PAPER, real_run=real_run, row=row, look=("fig9",))
