# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""The paper's runs in real time."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from ..lab.bridge import HEADER_BYTES, Bridge, NotInLabError, RealRun, host_tcp
from ..statistics import jain_index
from .paper import PAPER
from .scenarios import point_of, profile_of
from .simulate import ecn_of, history, scenario_of

if TYPE_CHECKING:
    from ..dataset import Row
    from ..declaration import Recipe
    from ..lab.results import Measured


def real_run(recipe: Recipe) -> RealRun:
    """Raises :class:`NotInLabError`."""
    run, shared = point_of(recipe), recipe["shared"]
    if run.burst != "none":
        raise NotInLabError(f"a bursty {run.burst} source")
    thresholds = "" if run.scheme == "DropTail" else f" {run.min_th:g}/{run.max_th:g}"
    return RealRun(
        title=f"{run.scheme}{thresholds}, {run.senders} sender{'s' if run.senders > 1 else ''}",
        scenario=scenario_of(recipe),
        duration_s=shared["duration_s"],
        start_jitter_s=shared["start_jitter_s"],
        tcp=host_tcp(shared, ecn_of(recipe), shared["packet_bytes"]),
    )


def row(recipe: Recipe, seed: int, measured: Measured) -> Row:
    """As `simulate` has it."""
    run, shared, found = point_of(recipe), recipe["shared"], measured.row
    payload_bits = 8 * (shared["packet_bytes"] - HEADER_BYTES)
    goodputs = [flow.acked_packets * payload_bits / measured.window_s for flow in measured.flows]
    states = measured.recording.states
    time = np.asarray(measured.recording.time_s)
    depth = np.asarray([state.depth for state in states], dtype="<u4")
    sent = np.asarray([measured.sent_bytes(i) for i in range(len(states))], dtype="<i8")
    counted = measured.has_port_counts
    return {
        "seed": seed,
        "scheme": run.scheme,
        "min_th": run.min_th,
        "max_th": run.max_th,
        "senders": run.senders,
        "burst": run.burst,
        "profile": profile_of(recipe).model_dump_json(),
        "goodput_bps": math.fsum(goodputs),
        "throughput_bps": 8 * int(sent[-1] - sent[0]) / measured.window_s if counted else None,
        "utilisation": found["utilisation"],
        "delay_mean_s": found["delay_mean_s"],
        "queue_mean": found["queue_mean"],
        "queue_max": found["queue_max"],
        "marked": found["marked_ce"],
        "early_drops": found["early_drops"],
        "tail_drops": found["tail_drops"],
        "retransmissions": found["retransmissions"],
        "timeouts": found["timeouts"],
        "jain_index": jain_index(goodputs),
        "burst_goodput_bps": None,
        "burst_share": None,
        "burst_lost": None,
        **history(time, depth, sent if counted else None, shared, keep=seed == 1),
    }


BRIDGE = Bridge(
    paper=PAPER,
    real_run=real_run,
    row=row,
    look=("figA", "figB", "figC", "figD"),
    look_settings={"duration_s": 30.0},
    in_proportion=("settle_s", "burst_start_s"),
)
