# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""What can be varied, with the paper's values and, where it is silent, ours."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from ..declaration import Chosen, Given
from ..declaration import Parameters as BaseParameters
from ..fields import (
    CongestionAvoidance,
    HoldAtOneSegment,
    IdleCorrection,
    InitialWindow,
    MinDepth,
    MinRto,
    Spacing,
    TimerGranularity,
)

PACKET_BYTES = 500
"""IP length of a TCP data packet (section IV-D)."""
HEADER_BYTES = 40
"""IP length of an acknowledgement (section IV-D)."""
UDP_BPS, UDP_BYTES = 24_000, 210
"""Rate and packet length of UDP sources (section IV-C)."""
PAGE_BYTES = 30_000
"""A web transfer (section IV-C)."""
MAX_P = 0.1
MAX_OVER_MIN = 3
"""max_th = 3 min_th (section II)."""
MAX_PAIRS = 250
"""Pairs of hosts, one for each flow; v1model has room for 510 ports."""

Sessions = Annotated[int, Field(ge=1, le=100)]
Milliseconds = Annotated[float, Field(ge=102, le=10_000, allow_inf_nan=False)]
Seconds = Annotated[float, Field(ge=0, le=10_000, allow_inf_nan=False)]
Share = Annotated[float, Field(gt=0, le=100, allow_inf_nan=False)]

_AXIS = "the paper's range with fewer points, for time"


class Parameters(BaseParameters):
    """Everything that decides the outcome of a run; immutable."""

    duration_s: Annotated[Seconds, Given("section V-A")] = Field(
        default=200.0, gt=0, description="simulated time, seconds"
    )
    warmup_s: Annotated[Seconds, Given("section V-A: the final 150 s count")] = Field(
        default=50.0, description="time at the beginning that is not measured, seconds"
    )
    start_jitter_s: Annotated[Seconds, Given("section V-A")] = Field(
        default=2.0, description="sources start at random within this time, seconds"
    )
    rate_bps: Annotated[int, Given("section IV-A")] = Field(
        default=1_544_000, ge=100_000, le=10_000_000, description="rate of the bottleneck, bits per second"
    )
    delay_ms: Annotated[float, Given("section IV-A")] = Field(
        default=50.0, ge=1, le=1000, description="delay of the bottleneck one way, milliseconds"
    )
    buffer_bdp: Annotated[
        Share, Given("section IV-A: B = 2 BW D, and 2 BW D is called the bandwidth-delay product")
    ] = Field(default=1.0, description="buffer, bandwidth-delay products")
    delayed_acks: Annotated[bool, Given("section IV-D")] = Field(
        default=False, description="receivers acknowledge every second packet"
    )
    window_cap: Annotated[int, Given("section IV-D: 100 KB")] = Field(
        default=200, ge=1, le=30_000, description="largest send window, packets"
    )
    timer_granularity_s: Annotated[TimerGranularity, Given("section IV-D")] = 0.1
    processing: Annotated[float, Given("section IV-D: one service time")] = Field(
        default=1.0,
        ge=0,
        le=100,
        description="random processing time at the sender, at most so many service times",
    )
    think_s: Annotated[tuple[Seconds, Seconds], Given("section IV-C")] = Field(
        default=(1.0, 3.0), description="think time between web transfers, from and to, seconds"
    )
    weight: Annotated[float, Given("section II")] = Field(
        default=0.002, gt=0, le=1, description="weight of the queue average"
    )
    red_min_th: Annotated[float, Given("table I: r3, r3e")] = Field(
        default=5.0, gt=0, le=1000, description="min_th of r3 and r3e, packets"
    )
    web_sessions: Annotated[tuple[Sessions, ...], Chosen(_AXIS)] = Field(
        default=(2, 10, 20, 30, 40), min_length=2, description="numbers of web sessions of Figures 3 and 6"
    )
    buffers_bdp: Annotated[tuple[Share, ...], Given("figure 5")] = Field(
        default=(0.2, 0.4, 0.6, 0.8, 1.0, 1.2, 1.4),
        min_length=2,
        description="buffers of Figure 5, bandwidth-delay products",
    )
    ecn_pairs: Annotated[tuple[Sessions, ...], Chosen(_AXIS)] = Field(
        default=(1, 2, 4, 7, 12, 20), min_length=3, description="n of Figure 9"
    )
    ecn_web_pairs: Annotated[tuple[Sessions, ...], Chosen(_AXIS)] = Field(
        default=(1, 5, 10, 20, 35, 50), min_length=3, description="n of Figure 10"
    )
    round_trips_ms: Annotated[
        tuple[Milliseconds, ...], Chosen("with the queue they give ratios of round trips from 1 to 5")
    ] = Field(
        default=(102.0, 200.0, 300.0, 450.0, 600.0),
        min_length=2,
        description="PD1 of Figures 11 and 13, milliseconds",
    )
    round_trip_draws: Annotated[int, Chosen("with three seeds the paper's 15 runs")] = Field(
        default=5, ge=1, le=1000, description="draws of eight round trips for Figures 14 and 15"
    )
    web_round_trips_ms: Annotated[tuple[Milliseconds, ...], Chosen(_AXIS)] = Field(
        default=(102.0, 200.0, 350.0, 500.0), min_length=2, description="PD1 of Figure 16, milliseconds"
    )
    both_ways: Annotated[tuple[Sessions, ...], Chosen(_AXIS)] = Field(
        default=(1, 4, 10, 16, 25),
        min_length=3,
        description="numbers of FTP sessions in each direction of Figure 17",
    )
    forward_ftp: Annotated[tuple[Sessions, ...], Chosen(_AXIS)] = Field(
        default=(1, 5, 10, 15, 25), min_length=3, description="numbers of forward FTP sessions of Figure 19"
    )
    forward_web: Annotated[tuple[Sessions, ...], Chosen(_AXIS)] = Field(
        default=(1, 15, 30, 45, 60),
        min_length=3,
        description="numbers of forward web sessions of Figures 20 to 22",
    )
    ecn_above_max_th: Annotated[
        Literal["drop", "mark"], Chosen("the simulator of the time marks below max_th only")
    ] = Field(
        default="drop",
        description="what r1e, r2e and r3e do with ECN-capable packets from max_th to 2 max_th",
    )
    not_ect: Annotated[
        Literal["drop", "pass"], Chosen("flows without ECN must be dropped beside those with (figure 9)")
    ] = Field(default="drop", description="what r1e, r2e and r3e do with packets that they cannot mark")
    spacing: Annotated[Spacing, Chosen("the simulator's default, wait_ true")] = "wait"
    min_depth: Annotated[MinDepth, Chosen("the simulator's RED acts on no shallower queue")] = 2
    idle_correction: Annotated[IdleCorrection, Chosen("RED's rule for an idle queue")] = True
    initial_window: Annotated[InitialWindow, Chosen("the simulator's default of the time")] = 1
    min_rto_s: Annotated[MinRto, Chosen("two ticks, the simulator's least")] = 0.2
    congestion_avoidance: Annotated[
        CongestionAvoidance, Chosen("the simulator's window grows by 1/cwnd with each ACK")
    ] = "per-ack"
    hold_at_one_segment: Annotated[
        HoldAtOneSegment, Chosen("a MUST of RFC 3168 that the simulator does not keep")
    ] = False

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        self.must_rise(*AXES)
        self.must_be_less("warmup_s", "duration_s")
        if self.think_s[0] > self.think_s[1]:
            raise ValueError(f"think_s: {self.think_s[0]:g} to {self.think_s[1]:g} is no range")
        return self


AXES = (
    "web_sessions",
    "buffers_bdp",
    "ecn_pairs",
    "ecn_web_pairs",
    "round_trips_ms",
    "web_round_trips_ms",
    "both_ways",
    "forward_ftp",
    "forward_web",
)
"""Parameters that say which runs there are, and not what happens in one."""
