# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Policy: by port and DSCP class, swapped by one entry; early drop before the queue."""

from __future__ import annotations

from collections import Counter

import pytest
from mecn_native import ActionCall

from target import (
    CE,
    EARLY_DROP_STATS,
    ECT_0,
    NOT_ECT,
    OTHER_PORT,
    SLOW_PORT,
    Target,
    ecn_of,
    frame,
    unlikely,
)

MARK_ALL_QUEUED = {"scheme": "threshold", "threshold": 0, "mark_point": "tail"}
ALPHA = 1e-9


def test_ports_have_policies_of_their_own(target: Target) -> None:
    target.apply(MARK_ALL_QUEUED, port=SLOW_PORT)
    for port in (SLOW_PORT, OTHER_PORT):
        target.slow(port)
    target.burst([frame(port=port) for port in (SLOW_PORT, OTHER_PORT) for _ in range(10)])
    left = Counter((departure.port, ecn_of(departure.frame)) for departure in target.drain())
    assert left == {(SLOW_PORT, ECT_0): 1, (SLOW_PORT, CE): 9, (OTHER_PORT, ECT_0): 10}


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


def test_dscp_classes_have_policies_of_their_own(target: Target) -> None:
    target.apply(MARK_ALL_QUEUED, dscp=(10, 46))
    target.slow()
    classes = [0, 10, 11, 46]
    target.burst([frame(dscp=dscp) for dscp in classes for _ in range(5)])
    left = Counter((d.frame[15] >> 2, ecn_of(d.frame)) for d in target.drain() if d.frame is not None)
    assert left[(0, ECT_0)] == 5
    assert left[(11, ECT_0)] == 5
    assert left[(10, CE)] == 5
    assert left[(46, CE)] == 5


def test_swap_leaves_no_packet_under_mixed_policy(target: Target) -> None:
    """Packets admitted under a policy are marked under it, also after another has taken its place."""
    target.apply(MARK_ALL_QUEUED)
    target.slow()
    target.burst([frame()] * 10)
    # Drop-tail takes over while ten packets wait; the old curve must live on until they have left.
    policy = target.switch.entries("MecnIngress.policy.aqm_port")
    (entry,) = policy
    target.switch.modify_entry(
        "MecnIngress.policy.aqm_port",
        entry.match,
        entry.priority,
        ActionCall("MecnIngress.policy.set_profile", [999, 4, 0, 0, 0, 1 << 32, 0, 0]),
    )
    target.burst([frame()] * 10)
    assert [ecn_of(departure.frame) for departure in target.drain()] == [ECT_0] + [CE] * 9 + [ECT_0] * 10


def test_controller_swaps_profiles(target: Target) -> None:
    target.slow()
    for profile, expected in (
        (MARK_ALL_QUEUED, [ECT_0] + [CE] * 4),
        ({"scheme": "drop-tail"}, [ECT_0] * 5),
        ({"scheme": "threshold", "threshold": 3, "mark_point": "tail"}, [ECT_0] * 4 + [CE]),
    ):
        target.apply(profile)
        target.burst([frame()] * 5)
        assert [ecn_of(departure.frame) for departure in target.drain()] == expected


# ---- Early drop ----------------------------------------------------------------------------------


def test_ecn_drops_before_the_queue_at_max_th(target: Target) -> None:
    """At or above max_th packets are dropped on arrival; they use no service slot (paper 003, figure 1)."""
    target.apply(
        {"scheme": "ecn", "min_th": 5, "max_th": 10, "max_p": 0.1, "weight": 1, "mark_point": "tail"}
    )
    target.slow()
    outcomes = target.burst([frame()] * 30)
    # Packet k meets k, until ten are queued; from then on each meets ten.
    assert [outcome.kind for outcome in outcomes] == ["enqueued"] * 10 + ["dropped"] * 20
    assert len(target.drain()) == 10
    assert target.switch.counter_read(EARLY_DROP_STATS, SLOW_PORT) == (20, 20 * len(frame()))


def test_admission_recovers_when_the_queue_has_drained(target: Target) -> None:
    """With a small weight the average stays above max_th for a while; arrivals alone must bring it down."""
    target.apply(
        {"scheme": "ecn", "min_th": 2, "max_th": 4, "max_p": 0.1, "weight": 0.1, "mark_point": "tail"}
    )
    target.slow()
    target.burst([frame()] * 100)
    target.drain()
    kinds = []
    for _ in range(100):
        kinds.append(target.send(frame()).kind)
        target.drain()
    assert kinds[0] == "dropped"
    first = kinds.index("enqueued")
    assert set(kinds[first:]) == {"enqueued"}


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
        assert unlikely(dropped, trials, 0.25) > ALPHA
