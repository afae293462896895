# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""The paper's runs in real time."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from ..lab.bridge import Bridge, NotInLabError, RealRun, host_tcp
from ..statistics import jain_index
from .paper import PAPER
from .parameters import GROUPS, PACKET_BYTES
from .scenarios import ADAPTIVE, point_of, profile_of
from .simulate import ecn_of, scenario_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..dataset import Row
    from ..declaration import Recipe
    from ..lab.results import FlowMeasures, Measured

MOST_FLOWS = 250
"""Each is a host: a namespace, and processes in it."""


def real_run(recipe: Recipe) -> RealRun:
    """Raises :class:`NotInLabError`."""
    point, shared = point_of(recipe), recipe["shared"]
    if point.scheme in ADAPTIVE:
        raise NotInLabError(f"{point.scheme}: max_p that the controller steers during the run")
    if point.flows > MOST_FLOWS:
        raise NotInLabError(f"{point.flows} flows: a lab has at most {MOST_FLOWS} senders")
    return RealRun(
        title=f"{point.scheme}, {point.flows} flows, max_p {point.max_p:g}, max_th {point.max_th:g}",
        scenario=scenario_of(recipe),
        duration_s=shared["duration_s"],
        warmup_s=shared["warmup_s"],
        start_jitter_s=shared["start_jitter_s"],
        tcp=host_tcp(shared, ecn_of(recipe), PACKET_BYTES),
    )


def row(recipe: Recipe, seed: int, measured: Measured) -> Row:
    """As `simulate` has it; throughput and delays are null without captures."""
    point, flows, found = point_of(recipe), measured.flows, measured.row
    groups = [flows[i :: len(GROUPS)] for i in range(len(GROUPS))]

    def by_group(measure: Callable[[FlowMeasures], float]) -> list[float]:
        return [math.fsum(map(measure, group)) * PACKET_BYTES * 8 / measured.window_s for group in groups]

    goodputs, delivered = (
        by_group(lambda flow: flow.first_time_packets),
        by_group(lambda flow: flow.acked_packets),
    )
    captured = all(flow.received is not None for flow in flows)
    arrived = by_group(lambda flow: float(flow.received or 0)) if captured else None
    delays = [[delay for flow in group for delay in flow.delays_s or ()] for group in groups]
    return {
        "seed": seed,
        "scheme": point.scheme,
        "flows": point.flows,
        "max_p": point.max_p,
        "max_th": point.max_th,
        "profile": profile_of(recipe).model_dump_json(),
        "goodput_bps": math.fsum(goodputs),
        "delivered_bps": math.fsum(delivered),
        "throughput_bps": None if arrived is None else math.fsum(arrived),
        "group_goodput_bps": goodputs,
        "group_delivered_bps": delivered,
        "group_throughput_bps": arrived,
        "group_delay_s": [math.fsum(of) / len(of) if of else math.nan for of in delays] if captured else None,
        "delay_mean_s": found["delay_mean_s"],
        "jain_index": jain_index([flow.acked_packets for flow in flows]),
        "locked_out": sum(flow.acked_packets == 0 for flow in flows),
        "utilisation": found["utilisation"],
        "queue_mean": found["queue_mean"],
        "marked": found["marked_ce"],
        "early_drops": found["early_drops"],
        "tail_drops": found["tail_drops"],
        "retransmissions": found["retransmissions"],
        "timeouts": found["timeouts"],
    }


BRIDGE = Bridge(
    paper=PAPER,
    real_run=real_run,
    row=row,
    look=("fig8",),
    look_settings={"duration_s": 30.0},
    in_proportion=("warmup_s",),
    sources="flows",
)
