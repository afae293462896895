# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""Linear counting against simulation, and the fields of a report."""

from __future__ import annotations

import math
import random
import statistics

import pytest
from mecn_controller.reports import PortReport, active_flows, active_flows_error


@pytest.mark.parametrize("flows", [10, 200, 1000, 2000])
def test_estimate_and_its_error_are_those_of_random_maps(flows: int) -> None:
    draw = random.Random(8)
    runs = 400
    estimates = [active_flows(len({draw.randrange(1024) for _ in range(flows)})) for _ in range(runs)]
    error = active_flows_error(flows)
    # Six standard errors of the mean; the estimate's own bias is (exp(t) - t - 1) / 2 flows.
    bias = (math.exp(flows / 1024) - flows / 1024 - 1) / 2
    assert statistics.mean(estimates) == pytest.approx(flows + bias, abs=6 * error / math.sqrt(runs) + 0.05)
    assert statistics.stdev(estimates) == pytest.approx(error, rel=0.25)


def test_edges() -> None:
    assert active_flows(0) == 0
    assert active_flows(1) == pytest.approx(1, abs=1e-3)
    assert active_flows(1024) == math.inf
    for bits in (-1, 1025):
        with pytest.raises(ValueError, match="bits of 1024"):
            active_flows(bits)


def test_fields() -> None:
    fields = {"port": 3, "begin": 10, "end": 20, "avg_qdepth": 3 << 15, "min_qdepth": 1, "max_qdepth": 2}
    fields |= {"passed": 4, "incipient": 5, "ce": 6, "early_drop": 7}
    fields |= {f"active_{n}": n for n in range(4)}
    report = PortReport.from_fields(fields)
    assert (report.average, report.max_depth, report.early_drop) == (1.5, 2, 7)
    assert report.active_bits == (0, 1, 2, 3)
    assert report.active[2] == pytest.approx(2, abs=0.01)
