# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""The papers' scenarios, the schemes that are tried in them, and the recipe of a run."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Literal

from mecn_controller.policy.profile import Mecn
from mecn_controller.theory.tuning import Demand, tune

from ..errors import ExperimentError
from ..paper000.parameters import BOTTLENECK_BPS as BPS_000
from ..paper000.parameters import DELAYS_S
from ..paper000.parameters import PACKET_BYTES as BYTES_000
from ..paper000.parameters import Parameters as Parameters000
from ..paper000.scenarios import PLOT_TH
from ..paper000.scenarios import Point as Point000
from ..paper000.scenarios import check as check_000
from ..paper001.parameters import Parameters as Parameters001
from ..paper001.scenarios import check as check_001
from ..paper001.scenarios import point as point_001
from ..paper002.parameters import MAX_OVER_MIN
from ..paper002.parameters import PACKET_BYTES as BYTES_002
from ..paper002.parameters import Parameters as Parameters002
from ..paper002.scenarios import PD2_MS, TELNETS, UDP_FLOWS, Udp, buffer_packets, min_th
from ..paper002.scenarios import Point as Point002
from ..paper002.scenarios import check as check_002
from ..paper004.parameters import BOTTLENECK_BPS as BPS_004
from ..paper004.parameters import PACKET_BYTES as BYTES_004
from ..paper004.parameters import Parameters as Parameters004
from ..paper004.scenarios import Point as Point004
from ..paper004.scenarios import check as check_004
from ..variant import Variant

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..declaration import Recipe
    from .parameters import Parameters

Key = Literal["000", "001", "002", "004"]
Thresholds = tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class Scenario:
    """A paper's scenario, with its range of round-trip times."""

    name: str
    """As figures and rules name it."""
    paper: Key
    flows: int
    """Bulk transfers."""
    rtt_s: tuple[float, float]
    """Least and largest without queueing, seconds."""
    number: int = 0
    """Paper 004's."""
    web: int = 0
    """Web sessions beside the bulk transfers; with them paper 002's telnet sessions."""
    udp: Udp = "none"
    """Paper 002's twenty UDP flows beside the bulk transfers."""
    back: int = 0
    """Bulk transfers in the other direction, of paper 002."""


_RTT_001 = _RTT_002 = 2 * (0.050 + 2 * 0.001)
PD1_MS = 300.0
"""The longer one of paper 002's two round trips: the middle of those that we run for its Figure 11."""
SCENARIOS = (
    Scenario("000, 30 flows", "000", 30, (2 * (min(DELAYS_S) + 0.005), 2 * (max(DELAYS_S) + 0.005))),
    Scenario("000, 120 flows", "000", 120, (2 * (min(DELAYS_S) + 0.005), 2 * (max(DELAYS_S) + 0.005))),
    Scenario("001, 1 flow", "001", 1, (_RTT_001, _RTT_001)),
    Scenario("001, 4 flows", "001", 4, (_RTT_001, _RTT_001)),
    Scenario("002, 5 FTP and 10 web", "002", 5, (_RTT_002, _RTT_002), web=10),
    Scenario("002, 2 RTTs", "002", 6, (PD2_MS / 1e3, PD1_MS / 1e3)),
    Scenario("004, 2 flows", "004", 2, (0.059, 0.059), number=3),
    Scenario("004, 5 RTTs", "004", 5, (0.059, 0.257), number=7),
)
MIXED = (
    Scenario("002, CBR UDP", "002", 10, (_RTT_002, _RTT_002), udp="cbr-random"),
    Scenario("002, on/off UDP", "002", 10, (_RTT_002, _RTT_002), udp="on-off"),
    Scenario("002, 4 FTP each way", "002", 4, (_RTT_002, _RTT_002), back=4),
    Scenario("002, 16 FTP each way", "002", 16, (_RTT_002, _RTT_002), back=16),
    Scenario("002, 25 FTP and 10 back", "002", 25, (_RTT_002, _RTT_002), back=10),
)
"""Where packets that cannot be marked, UDP or acknowledgements, share the queue with those that can.

Paper 002's Figures 7 (random spacing), 8, 18 and 19 (with its largest number of forward sessions)."""
SCHEMES: dict[str, Variant] = {
    "drop-tail": Variant("DropTail"),
    "gentle RED": Variant("RED gentle"),
    "ECN": Variant("ECN"),
    "ECNM": Variant("ECNM"),
    "MECN": Variant("MECN"),
}
FRONT, TUNED, PASSING = "MECN, mark-front", "MECN*", "MECN, Not-ECT passes"
MIXED_SCHEMES = ("drop-tail", "gentle RED", "ECN", "MECN", FRONT, PASSING)


def _base(scenario: Scenario, parameters: Parameters) -> Recipe:
    """The paper's recipe in this scenario: its ECN; of paper 002, whose ECN has a gentle ramp, its gentle RED
    with the thresholds r1."""
    if scenario.paper == "000":
        return Point000("ECN", scenario.flows, parameters.max_p, PLOT_TH).recipe(Parameters000())
    if scenario.paper == "001":
        of_001 = Parameters001()
        return point_001("ECN", of_001.high, scenario.flows).recipe(of_001)
    if scenario.paper == "002":
        return _base_002(scenario)
    of_004 = Parameters004()
    point = Point004(
        "red",
        scenario.number,
        "tail",
        parameters.red_min_th,
        of_004.long_s,
        of_004.limited_buffer * 4,
        weight=of_004.trace_weight,
    )
    return point.recipe(of_004)


def _base_002(scenario: Scenario) -> Recipe:
    """Of Figure 3 where there are web sessions, of 7 or 8 where there is UDP, of 18 or 19 with data in both
    directions, else of 11."""
    if scenario.web:
        point = Point002(scheme="r1", ftp=scenario.flows, web=scenario.web, telnet=TELNETS)
    elif scenario.udp != "none":
        point = Point002(scheme="r1", ftp=scenario.flows, udp=scenario.udp, udp_flows=UDP_FLOWS)
    elif scenario.back:
        point = Point002(scheme="r1", ftp=scenario.flows, back_ftp=scenario.back)
    else:
        point = Point002(scheme="r1", ftp=scenario.flows, round_trips_ms=(PD1_MS, PD2_MS))
    return point.recipe(Parameters002())


def _given(scenario: Scenario, parameters: Parameters) -> tuple[Thresholds, float, int, int]:
    """Thresholds with mid_th half way, the link's rate, packet length and buffer."""
    if scenario.paper == "000":
        of_000 = Parameters000()
        low, high = of_000.min_th, PLOT_TH
        return (low, (low + high) / 2, high), BPS_000, BYTES_000, of_000.buffer
    if scenario.paper == "001":
        of_001 = Parameters001()
        low, high = of_001.high
        return (low, (low + high) / 2, high), of_001.bottleneck_bps, of_001.packet_bytes, of_001.buffer
    if scenario.paper == "002":
        recipe = _base_002(scenario)
        low, high = min_th(recipe), MAX_OVER_MIN * min_th(recipe)
        return (low, (low + high) / 2, high), recipe["rate_bps"], BYTES_002, buffer_packets(recipe)
    low = float(parameters.red_min_th)
    return (low, 1.5 * low, 2 * low), BPS_004, BYTES_004, Parameters004().limited_buffer * 4


@cache
def tuned(scenario: Scenario, parameters: Parameters) -> Variant:
    """What the controller's tuner makes of the scenario: the smallest thresholds that keep the delay margin;
    where these do not fit into the buffer, the paper's, with the max_p that comes nearest."""
    thresholds, rate_bps, packet_bytes, buffer = _given(scenario, parameters)
    demand = Demand(
        rate_bps=rate_bps,
        packet_bytes=packet_bytes,
        rtt_s=scenario.rtt_s,
        flows=(scenario.flows, scenario.flows + scenario.web),
        delay_margin_s=parameters.delay_margin_s,
    )
    found = tune(demand).best.profile
    assert isinstance(found, Mecn)
    if found.max_th > buffer:
        found = tune(demand, thresholds).best.profile
        assert isinstance(found, Mecn)
    return Variant("MECN", thresholds=(found.min_th, found.mid_th, found.max_th), max_p=found.p_moderate)


def variant(scenario: Scenario, scheme: str, parameters: Parameters) -> Variant:
    """The scheme of this name in the scenario."""
    if scheme == TUNED:
        return tuned(scenario, parameters)
    if scheme == PASSING:
        return Variant("MECN")
    found = Variant("MECN", mark_point="front") if scheme == FRONT else SCHEMES[scheme]
    # Of paper 002's ECN nothing else would be left beside traffic that cannot be marked.
    return replace(found, not_ect="drop") if scenario in MIXED else found


def recipes(
    parameters: Parameters, schemes: Sequence[str], scenarios: Sequence[Scenario] = SCENARIOS
) -> list[Recipe]:
    """Every scheme in every scenario."""
    return [
        {
            "scenario": scenario.name,
            "paper": scenario.paper,
            "scheme": scheme,
            "run": variant(scenario, scheme, parameters).of(_base(scenario, parameters)),
        }
        for scenario in scenarios
        for scheme in schemes
    ]


def check(recipe: Recipe) -> None:
    """Refuses what cannot be run."""
    papers = {"000": check_000, "001": check_001, "002": check_002, "004": check_004}
    if recipe["paper"] not in papers:
        raise ExperimentError(f"there are no scenarios of paper {recipe['paper']} here")
    papers[recipe["paper"]](recipe["run"])
