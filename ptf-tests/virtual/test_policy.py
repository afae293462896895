# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Policy: what needs registers or many packets to be seen."""

from __future__ import annotations

import pytest

from target import ECT_0, NOT_ECT, OTHER_PORT, SLOW_PORT, Target, check, frame


def test_no_state_of_one_port_shows_on_another(target: Target) -> None:
    """The averages of two loaded ports, each with its own weight, are what each would be alone."""
    weights = {SLOW_PORT: 0.1, OTHER_PORT: 0.01}
    for port, weight in weights.items():
        profile = {"scheme": "mecn", "min_th": 50, "mid_th": 60, "max_th": 70, "max_p": 0.1, "weight": weight}
        target.apply({**profile, "mark_point": "tail"}, port=port)
        target.slow(port)
    lengths = {SLOW_PORT: 30, OTHER_PORT: 7}
    target.burst([frame(port=port) for k in range(30) for port in lengths if k < lengths[port]])
    target.drain()
    for port, weight in weights.items():
        alone = 0.0
        for depth in range(lengths[port]):
            alone += weight * (depth - alone)
        assert target.average(port=port) == pytest.approx(alone, abs=1e-4)
    assert target.average(port=OTHER_PORT + 1) == 0


@pytest.mark.parametrize("not_ect", ["pass", "drop"])
def test_not_ect_is_dropped_as_often_as_others_are_marked(target: Target, not_ect: str) -> None:
    """Or passed, as the profile says."""
    profile = {"scheme": "ecn", "min_th": 2, "max_th": 52, "max_p": 0.5, "weight": 1, "mark_point": "tail"}
    target.apply({**profile, "not_ect": not_ect})
    target.slow()
    queue = [frame(ecn=ECT_0)] * 27
    probe = frame(ecn=NOT_ECT)
    trials, dropped = 5000, 0
    for _ in range(trials):
        target.burst(queue)
        dropped += target.send(probe).kind == "dropped"  # meets 27: p = 0.5 * 25 / 50
        target.drain()
    if not_ect == "pass":
        assert dropped == 0
    else:
        check(dropped, trials, 0.25, 1, "Not-ECT dropped")
