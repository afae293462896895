# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""One run: the paper's own simulation, and of its row what the papers have in common."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from ..measured import HEADER_BYTES
from ..paper000.parameters import BOTTLENECK_BPS as BPS_000
from ..paper000.simulate import simulate as simulate_000
from ..paper001.simulate import simulate as simulate_001
from ..paper002.measures import goodput, loss, of_class
from ..paper002.simulate import simulate as simulate_002
from ..paper004.simulate import simulate as simulate_004
from ..statistics import jain_index

if TYPE_CHECKING:
    from ..bench import Bench
    from ..dataset import Row
    from ..declaration import Recipe


def simulate(recipe: Recipe, seed: int, bench: Bench) -> Row:
    """Simulates one run and returns its row of the data file."""
    papers = {"000": simulate_000, "001": simulate_001, "002": simulate_002}
    row = papers.get(recipe["paper"], simulate_004)(recipe["run"], seed, bench)
    return common_row(recipe, seed, row)


def common_row(recipe: Recipe, seed: int, row: Row) -> Row:
    """What the papers have in common, of the paper's row."""
    run = recipe["run"]
    groups = None
    mixed: dict[str, float | None] = {"ftp_bps": None, "back_ftp_bps": None, "udp_loss": None}
    if recipe["paper"] == "000":
        efficiency, jain = row["delivered_bps"] / BPS_000, row["jain_index"]
        groups = row["group_delivered_bps"]
    elif recipe["paper"] == "001":
        shared = run["shared"]
        payload = 1 - HEADER_BYTES / shared["packet_bytes"]
        efficiency, jain = row["goodput_bps"] / payload / shared["bottleneck_bps"], row["jain_index"]
    elif recipe["paper"] == "002":
        directions = 2 if run["back_ftp"] else 1
        efficiency = math.fsum(row["flow_goodput_bps"]) / run["rate_bps"] / directions
        # Web and telnet sessions have less to send: only bulk transfers are rivals for equal shares.
        jain = jain_index(of_class(row, "flow_goodput_bps", "ftp"))
        row["timeouts"] = sum(row["flow_timeouts"])
        mixed["ftp_bps"] = goodput("ftp")(row)
        mixed["back_ftp_bps"] = goodput("back-ftp")(row) if run["back_ftp"] else None
        mixed["udp_loss"] = loss("udp")(row) if run["udp_flows"] else None
    else:
        efficiency, jain = row["efficiency"], 1 - row["unfairness"]
    return {
        "seed": seed,
        "scenario": recipe["scenario"],
        "paper": recipe["paper"],
        "scheme": recipe["scheme"],
        "profile": row["profile"],
        "efficiency": efficiency,
        "utilisation": row["utilisation"],
        "delay_mean_s": row["delay_mean_s"],
        "queue_mean": row["queue_mean"],
        "jain_index": jain,
        "drops": None if row["tail_drops"] is None else row["early_drops"] + row["tail_drops"],
        "retransmissions": row["retransmissions"],
        "timeouts": row["timeouts"],
        "group_bps": groups,
        **mixed,
    }
