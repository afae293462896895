# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Two switches in a row: the higher level of both arrives, whichever of them set it."""

from __future__ import annotations

import random

import pytest
from mecn_controller import parse_profile
from mecn_controller.policy.entries import profile_entries
from mecn_native import CompiledProgram, Network, Switch, TcpConfig

from engine import install, routed
from target import CE, ECT_0, ECT_1, IN_PORT, NOT_ECT, SLOW_PORT, ecn_of, frame

LEVEL = {ECT_0: 0, ECT_1: 1, CE: 2}
MECN = {"scheme": "mecn", "weight": 1, "mark_point": "tail"}
OFTEN = {**MECN, "name": "often", "min_th": 1, "mid_th": 4, "max_th": 20, "max_p": 0.6}
SELDOM = {**MECN, "name": "seldom", "min_th": 2, "mid_th": 12, "max_th": 30, "max_p": 0.3}


def switch_with(program: CompiledProgram, profile: dict[str, object], seed: int) -> Switch:
    """A switch whose slow port is under a profile."""
    switch = routed(program).fork(seed)
    install(switch, profile_entries(parse_profile(profile), 1, SLOW_PORT).all)
    switch.configure_port(SLOW_PORT, rate_pps=1000)
    return switch


def left(switch: Switch, frames: list[bytes]) -> list[int]:
    """ECN fields after a burst through a switch."""
    for data in frames:
        switch.receive(IN_PORT, data, 0)
    fields = []
    while (due := switch.next_departure()) is not None:
        departure = switch.depart(due)
        assert departure is not None
        fields.append(ecn_of(departure.frame))
    return fields


@pytest.mark.parametrize("order", [(OFTEN, SELDOM), (SELDOM, OFTEN)], ids=["often first", "seldom first"])
def test_the_higher_level_arrives(program: CompiledProgram, order: tuple[dict[str, object], ...]) -> None:
    """What the second switch does to an unmarked packet is known from a twin with the same random numbers.

    So for each packet of random codepoints: behind both it carries the maximum of what each alone would set.
    """
    choose = random.Random(6)
    seen = set()
    for seed in range(40):
        sent = [choose.choice([NOT_ECT, ECT_0, ECT_0, ECT_1, CE]) for _ in range(40)]
        behind_first = left(switch_with(program, order[0], seed), [frame(ecn=ecn) for ecn in sent])
        fresh = [frame(ecn=NOT_ECT if ecn == NOT_ECT else ECT_0) for ecn in sent]
        second_alone = left(switch_with(program, order[1], seed + 1000), fresh)
        behind_both = left(
            switch_with(program, order[1], seed + 1000), [frame(ecn=ecn) for ecn in behind_first]
        )
        for one, two, both in zip(behind_first, second_alone, behind_both, strict=True):
            if one == NOT_ECT:
                assert both == NOT_ECT
            else:
                assert LEVEL[both] == max(LEVEL[one], LEVEL[two])
                seen.add((LEVEL[one], LEVEL[two]))
    assert seen == {(one, two) for one in range(3) for two in range(3)}


def test_marks_of_the_first_switch_pass_the_second_in_a_network(program: CompiledProgram) -> None:
    """Both bottlenecks mark; no mark of the first is lost at the second, and no packet's level is lowered."""
    first, second = switch_with(program, OFTEN, 1), switch_with(program, SELDOM, 2)
    network = Network(seed=1)
    r1, r2 = network.add_switch("R1", first), network.add_switch("R2", second)
    sender = network.add_host(
        "S", address="10.0.1.1", mac="02:00:00:00:01:01", gateway_mac="02:00:00:00:01:fe"
    )
    receiver = network.add_host(
        "D", address="10.0.2.1", mac="02:00:00:00:02:01", gateway_mac="02:00:00:00:02:fe"
    )
    network.link(sender, r1, port=IN_PORT, rate_bps=100_000_000, delay_s=0.005)
    # R2 is a little slower than R1, so that both queue.
    network.link_switches(r1, SLOW_PORT, r2, IN_PORT, rate_bps=1_600_000, delay_s=0.01)
    network.link(receiver, r2, port=SLOW_PORT, rate_bps=1_500_000, delay_s=0.01)
    for start in range(6):
        network.add_bulk_flow(sender, receiver, start_s=start * 0.5, tcp=TcpConfig(mss=960, ecn="multilevel"))
    network.watch_port(r1, SLOW_PORT, trace=False)
    network.watch_port(r2, SLOW_PORT, trace=False)
    result = network.run(until_s=60)
    one, two = result.ports
    for port in (one, two):
        assert port.marked_incipient > 50
        assert port.marked_ce > 20
    # Packets still on the way between the two when the run ends.
    in_flight = one.sent_packets - two.sent_packets
    assert 0 <= in_flight <= 64
    raised = two.marked_ce  # of these some came as ECT(1)
    assert 0 <= one.ecn_counts[CE] - (two.ecn_counts[CE] - raised) <= in_flight
    marked = one.ecn_counts[CE] + one.ecn_counts[ECT_1]
    assert two.ecn_counts[CE] + two.ecn_counts[ECT_1] >= marked - in_flight
