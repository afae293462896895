# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""What figures and rules read from rows: goodput and loss of the classes of flows, and ratios of rows.

Rows with the same seed start their connections at the same instants, so schemes are compared seed by seed.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from ..paired import over_seeds

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ..dataset import Row
    from ..paired import Measure, Rows, Sample
    from .parameters import Parameters

PACKET_BITS = 8 * 500
SLIGHT = 0.02
"""Ratios that differ from 1 by less count as 1."""


def mean(values: Iterable[float]) -> float:
    """Arithmetic mean; nan for none."""
    listed = list(values)
    return math.fsum(listed) / len(listed) if listed else math.nan


def usual(parameters: Parameters) -> dict[str, object]:
    """The path that all figures but Figure 5 have."""
    return {"buffer_bdp": float(parameters.buffer_bdp)}


def of_class(row: Row, column: str, kind: str) -> list[float]:
    """One column of the flows of a class, in order."""
    return [float(value) for value, name in zip(row[column], row["flow_class"], strict=True) if name == kind]


def goodput(kind: str) -> Measure:
    """Mean goodput of a class of flows, bits per second; of web sessions while they transfer."""
    return lambda row: mean(of_class(row, "flow_transfer_bps", kind))


def loss(kind: str) -> Measure:
    """Mean loss rate of a class of flows."""
    return lambda row: mean(of_class(row, "flow_loss", kind))


def total(row: Row) -> float:
    """Goodput of all flows together over the whole window, bits per second."""
    return math.fsum(row["flow_goodput_bps"])


def outstanding(row: Row) -> float:
    """Mean number of packets that a forward FTP flow has outstanding: its rate times its round trip."""
    trips = of_class(row, "flow_round_trip_s", "ftp")
    rates = of_class(row, "flow_goodput_bps", "ftp")
    return mean(
        rate / PACKET_BITS * (trip + row["queue_delay_s"]) for rate, trip in zip(rates, trips, strict=True)
    )


def halves(row: Row, column: str) -> tuple[float, float]:
    """Means over the flows that are ECN-capable and over the others."""
    capable = [v for v, ecn in zip(row[column], row["flow_ecn"], strict=True) if ecn]
    others = [v for v, ecn in zip(row[column], row["flow_ecn"], strict=True) if not ecn]
    return mean(capable), mean(others)


def ecn_gain(row: Row) -> float:
    """Goodput of ECN-capable flows over that of the others."""
    capable, others = halves(row, "flow_transfer_bps")
    return capable / others


def groups(row: Row, column: str) -> tuple[float, float]:
    """Means over the group with the round trip PD1 and over the one with PD2: every second flow."""
    values = row[column]
    return mean(values[0::2]), mean(values[1::2])


def round_trip_ratio(row: Row) -> float:
    """RTT1 / RTT2, propagation and queue."""
    first, second = groups(row, "flow_round_trip_s")
    queue = row["queue_delay_s"]
    return float((first + queue) / (second + queue))


def group_goodput_ratio(row: Row) -> float:
    """Goodput2 / Goodput1."""
    first, second = groups(row, "flow_transfer_bps")
    return second / first if first else math.inf


def pair_ratios(row: Row) -> list[tuple[float, float]]:
    """For each flow but the first (RTT_i / RTT_1, Goodput_1 / Goodput_i)."""
    queue = row["queue_delay_s"]
    trips = [trip + queue for trip in row["flow_round_trip_s"]]
    rates = row["flow_goodput_bps"]
    return [
        (trips[i] / trips[0], rates[0] / rates[i] if rates[i] else math.inf) for i in range(1, len(trips))
    ]


def normalised_fairness(row: Row) -> float:
    """(sum G_i RTT_i)^2 / (n sum (G_i RTT_i)^2), section V-D.2."""
    queue = row["queue_delay_s"]
    shares = [
        rate * (trip + queue)
        for rate, trip in zip(row["flow_goodput_bps"], row["flow_round_trip_s"], strict=True)
    ]
    squares = math.fsum(share * share for share in shares)
    return math.fsum(shares) ** 2 / (len(shares) * squares) if squares else math.nan


def mean_ratio(pairs: Sequence[tuple[Rows, Rows]], measure: Measure) -> Sample:
    """The measure of the first rows over that of the second, averaged over the pairs, seed by seed."""
    return over_seeds(
        [rows for pair in pairs for rows in pair],
        lambda rows: mean(_over(measure(rows[2 * i]), measure(rows[2 * i + 1])) for i in range(len(pairs))),
    )


def _over(a: float, b: float) -> float:
    return a / b if b else math.inf
