# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import math

import pytest
from mecn_controller import DropTail, Ecn, Mecn
from mecn_controller.theory.analysis import (
    Analysis,
    analyse,
    filter_pole,
    gain_ecn,
    gain_mecn,
    margin,
    sensitivity,
)

# Figure 5 of Quet et al.: 1.5 Mbps and 1000-byte packets, 92 ms there and back.
CAPACITY = 187.5
PROPAGATION = 0.092


def test_gains_by_hand() -> None:
    # L = 0.1 / 60, R0 C = 0.2 * 187.5 = 37.5 packets, N = 5: 37.5^3 / 100 / 600
    assert gain_ecn(0.1 / 60, 0.2, CAPACITY, 5) == pytest.approx(0.87890625)
    assert gain_mecn(0.1 / 60, 0.1 / 30, 0.2, CAPACITY, 5) == pytest.approx(
        37.5**3 / 50 * (0.1 / 60 / 5 + 0.1 / 30 / 2.5)
    )


def test_ecn_is_one_level_that_halves() -> None:
    assert gain_mecn(0, 0.01, 0.1, 1000, 7, beta_moderate=2) == pytest.approx(gain_ecn(0.01, 0.1, 1000, 7))


def test_pole_is_about_weight_times_capacity() -> None:
    assert filter_pole(1000, 0.002) == pytest.approx(2.002002670671)
    with pytest.raises(ValueError, match="has no pole"):
        filter_pole(1000, 1.0)


def test_margin_by_hand() -> None:
    found = margin(2.0, 0.5, 0.1)
    assert found is not None
    assert found.crossover_rad_s == pytest.approx(0.5 * math.sqrt(3))
    assert found.phase_margin_rad == pytest.approx(math.pi - math.pi / 3)
    assert found.delay_margin_s == pytest.approx(2 * math.pi / 3 / (0.5 * math.sqrt(3)) - 0.1)
    assert margin(1.0, 0.5, 0.1) is None


def test_higher_gain_trades_delay_margin_for_sensitivity() -> None:
    gains = [1.5, 2, 4, 8, 16]
    margins = [m.delay_margin_s for gain in gains if (m := margin(gain, 0.4, 0.3)) is not None]
    assert len(margins) == len(gains)
    assert margins == sorted(margins, reverse=True)
    assert [sensitivity(gain) for gain in gains] == sorted(map(sensitivity, gains), reverse=True)


def test_operating_point_balances_growth_and_marks() -> None:
    profile = Mecn(name="m", min_th=30, mid_th=60, max_th=90, max_p=0.1)
    found = analyse(profile, capacity_pps=CAPACITY, propagation_s=PROPAGATION, flows=5)
    assert found is not None
    q = found.queue_packets
    assert 30 < q < 60
    window = (q + CAPACITY * PROPAGATION) / 5
    assert window**2 * (0.1 * (q - 30) / 60) / 5 == pytest.approx(1, rel=1e-6)
    assert found.rtt_s == pytest.approx(q / CAPACITY + PROPAGATION)
    assert found.gain == pytest.approx(gain_mecn(0.1 / 60, 0, found.rtt_s, CAPACITY, 5))


def both(flows: float) -> tuple[Analysis, Analysis]:
    """Multi-level ECN 30/60/90 and ECN 30/90."""
    mecn = Mecn(name="m", min_th=30, mid_th=60, max_th=90, max_p=0.1)
    ecn = Ecn(name="e", min_th=30, max_th=90, max_p=0.1)
    one = analyse(mecn, capacity_pps=CAPACITY, propagation_s=PROPAGATION, flows=flows)
    other = analyse(ecn, capacity_pps=CAPACITY, propagation_s=PROPAGATION, flows=flows)
    assert one is not None
    assert other is not None
    return one, other


@pytest.mark.parametrize("flows", [2, 3, 5])
def test_below_mid_th_mecn_has_the_larger_delay_margin(flows: int) -> None:
    mecn, ecn = both(flows)
    assert mecn.queue_packets < 60
    assert mecn.margin is not None
    assert ecn.margin is not None
    assert mecn.margin.delay_margin_s > ecn.margin.delay_margin_s


def test_above_mid_th_mecn_has_the_smaller_error() -> None:
    mecn, ecn = both(10)
    assert 60 < mecn.queue_packets < 90
    assert mecn.sensitivity < ecn.sensitivity


def test_flows_that_marks_do_not_hold() -> None:
    profile = Ecn(name="e", min_th=1, max_th=4, max_p=0.1)
    assert analyse(profile, capacity_pps=CAPACITY, propagation_s=PROPAGATION, flows=30) is None
    with pytest.raises(ValueError, match="scheme drop-tail has no ramp"):
        analyse(DropTail(name="d"), capacity_pps=CAPACITY, propagation_s=PROPAGATION, flows=30)
