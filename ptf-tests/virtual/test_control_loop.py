# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""The whole control loop, one TCP flow through the program in virtual time: the textbook sawtooth.

Liu and Jain, section 4.3: one ECN flow in congestion avoidance, mark-tail at an actual queue above T, fixed
round trip r, bottleneck d packets per second. The queue peaks at T + 1 (equation 17) and falls to
(T - rd + 1) / 2 (equation 19).
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from mecn_native import CWND_CAUSES, Network, NetworkResult, TcpConfig

from target import HOST_BEHIND, IN_PORT, SLOW_PORT, Target

BOTTLENECK_BPS = 1_500_000
ACCESS_BPS = 10_000_000
PACKET_BYTES, ACK_BYTES = 1000, 40
ROUND_TRIP_S = 0.059
PACKETS_PER_SECOND = BOTTLENECK_BPS / (8 * PACKET_BYTES)
RD = ROUND_TRIP_S * PACKETS_PER_SECOND  # 11 packets

# The fixed round trip is what a packet and its ACK need without queueing: propagation and transmission.
TRANSMISSION_S = (PACKET_BYTES + ACK_BYTES) * 8 * (1 / ACCESS_BPS + 1 / BOTTLENECK_BPS)
PROPAGATION_S = (ROUND_TRIP_S - TRANSMISSION_S) / 2

TOLERANCE = 2  # packets
SETTLED_S, END_S = 20.0, 120.0


def run(target: Target) -> NetworkResult:
    """One long-lived ECN flow over the slow port of the switch under test."""
    network = Network(seed=1)
    switch = network.add_switch("R", target.switch)
    sender = network.add_host(
        "S", address="10.0.1.1", mac="02:00:00:00:01:01", gateway_mac="02:00:00:00:01:fe"
    )
    receiver = network.add_host(
        "D", address=HOST_BEHIND[SLOW_PORT], mac="02:00:00:00:02:01", gateway_mac="02:00:00:00:02:fe"
    )
    network.link(sender, switch, port=IN_PORT, rate_bps=ACCESS_BPS, delay_s=PROPAGATION_S * 0.1)
    network.link(receiver, switch, port=SLOW_PORT, rate_bps=BOTTLENECK_BPS, delay_s=PROPAGATION_S * 0.9)
    network.add_bulk_flow(sender, receiver, tcp=TcpConfig(mss=960, ecn="classic"), trace_cwnd=True)
    network.watch_port(switch, SLOW_PORT)
    return network.run(until_s=END_S)


@pytest.mark.parametrize("threshold", [10, 20, 30, 45])
def test_sawtooth_of_one_ecn_flow(target: Target, threshold: int) -> None:
    target.apply({"scheme": "threshold", "threshold": threshold, "mark_point": "tail"})
    result = run(target)
    flow, port = result.flows[0], result.ports[0]
    assert flow.ecn_negotiated
    assert flow.reductions_loss == 0
    assert flow.retransmitted_packets == 0

    reductions = np.frombuffer(flow.cwnd_time_s, "<f8")[
        np.frombuffer(flow.cwnd_causes, "u1") == CWND_CAUSES.index("moderate")
    ]
    reductions = reductions[reductions > SETTLED_S]
    assert len(reductions) >= 10, "it does oscillate"
    time = np.frombuffer(port.trace_time_s, "<f8")
    depth = np.frombuffer(port.trace_depth, "<u4").astype(int)

    # One cycle of the sawtooth lies between two reductions.
    for begin, end in pairwise(reductions):
        cycle = depth[(time >= begin) & (time < end)]
        assert cycle.max() == pytest.approx(threshold + 1, abs=TOLERANCE)
        assert cycle.min() == pytest.approx(max(0.0, (threshold - RD + 1) / 2), abs=TOLERANCE)
