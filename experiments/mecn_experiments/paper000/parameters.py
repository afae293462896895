# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""What can be varied, with the paper's values and, where it is silent, ours."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from .. import ns2_defaults
from ..declaration import Chosen, Given
from ..declaration import Parameters as BaseParameters
from ..fields import (
    CongestionAvoidance,
    CutsWholeSegments,
    HoldAtOneSegment,
    HoldBelowOneSegment,
    IdleCorrection,
    IdlePacketBytes,
    InitialRto,
    InitialWindow,
    LossCutsWindow,
    MaxRto,
    MinDepth,
    MinRto,
    Probability,
    RetransmissionTimer,
    Spacing,
    TimerGranularity,
    Weight,
)

BOTTLENECK_BPS = 10_000_000
"""Rate of the link to the sink (section 3)."""
PACKET_BYTES = 1000
"""IP length of a data packet (section 3)."""
HEADER_BYTES = 40
PACKETS_PER_S = BOTTLENECK_BPS / (8 * PACKET_BYTES)
GROUPS = ("fragile", "average", "robust")
DELAYS_S = (0.145, 0.045, 0.005)
"""One-way delay of each group's links (section 3)."""
SINK_DELAY_S = 0.005
"""One-way delay from the router to the sink (section 3)."""

Flows = Annotated[int, Field(ge=3, le=1200, multiple_of=3)]
Seconds = Annotated[float, Field(ge=0, le=10_000, allow_inf_nan=False)]


_of, _default = partial(ns2_defaults.origin, "000"), partial(ns2_defaults.default, "000")


class Parameters(BaseParameters):
    """Everything that decides the outcome of a run; immutable."""

    duration_s: Annotated[Seconds, Given("section 3")] = Field(
        default=100.0, gt=0, description="simulated time, seconds"
    )
    warmup_s: Annotated[Seconds, Given("section 3")] = Field(
        default=20.0, description="time at the beginning that is not measured, seconds"
    )
    second_half_s: Annotated[Seconds, Given("section 3")] = Field(
        default=2.0, description="start of every second flow of a group, seconds"
    )
    flows: Annotated[tuple[Flows, ...], Given("section 4")] = Field(
        default=(15, 30, 60, 120, 240, 480, 600),
        min_length=1,
        description="numbers of flows of Figures 2, 3, 6",
    )
    offered_bps: Annotated[int, Given("section 4: 600 Mbps among all flows")] = Field(
        default=600_000_000, ge=1_000_000, description="rates of all sources' links together, bits per second"
    )
    window_cap: Annotated[int, Given("section 2")] = Field(
        default=30, ge=1, le=30_000, description="largest send window, packets"
    )
    min_th: Annotated[float, Given("section 3")] = Field(default=5.0, ge=0, description="min_th, packets")
    buffer: Annotated[int, Given("section 3")] = Field(
        default=50, ge=1, le=100_000, description="queue limit of the router, packets"
    )
    max_p: Annotated[
        tuple[Probability, ...],
        Chosen("0.1, 0.2, 0.5 and 0.8 are the paper's; the others fill its axis"),
    ] = Field(default=(0.1, 0.2, 0.35, 0.5, 0.8, 1.0), min_length=2, description="max_p of Figures 4, 5, 11")
    max_th: Annotated[
        tuple[float, ...], Chosen("30 is the paper's; the others halve it, and come near the buffer")
    ] = Field(default=(15.0, 30.0, 45.0), min_length=2, description="max_th of Figures 4, 5, 11, packets")
    weight: Annotated[Weight, _of("weight")] = _default("weight")
    spacing: Annotated[Spacing, _of("spacing")] = _default("spacing")
    min_depth: Annotated[MinDepth, _of("min_depth")] = _default("min_depth")
    idle_correction: Annotated[IdleCorrection, Chosen("RED's rule for an idle queue")] = True
    idle_packet_bytes: Annotated[IdlePacketBytes, _of("idle_packet_bytes")] = _default("idle_packet_bytes")
    not_ect: Annotated[
        Literal["pass", "drop"],
        Chosen(
            "the simulator's retransmissions are ECN-capable, RFC 3168's are not; dropping would charge twice"
        ),
    ] = Field(default="pass", description="what ECN does between the thresholds with packets it cannot mark")
    start_jitter_s: Annotated[Seconds, Chosen("sources that start in the same instant stay in step")] = Field(
        default=0.1, description="sources start at random within this time after the paper's, seconds"
    )
    initial_window: Annotated[InitialWindow, _of("initial_window")] = _default("initial_window")
    retransmission_timer: Annotated[RetransmissionTimer, _of("retransmission_timer")] = _default(
        "retransmission_timer"
    )
    initial_rto_s: Annotated[InitialRto, _of("initial_rto_s")] = _default("initial_rto_s")
    min_rto_s: Annotated[MinRto, _of("min_rto_s")] = _default("min_rto_s")
    max_rto_s: Annotated[MaxRto, _of("max_rto_s")] = _default("max_rto_s")
    timer_granularity_s: Annotated[TimerGranularity, _of("timer_granularity_s")] = _default(
        "timer_granularity_s"
    )
    congestion_avoidance: Annotated[CongestionAvoidance, _of("congestion_avoidance")] = _default(
        "congestion_avoidance"
    )
    hold_at_one_segment: Annotated[HoldAtOneSegment, _of("hold_at_one_segment")] = _default(
        "hold_at_one_segment"
    )
    hold_below_one_segment: Annotated[HoldBelowOneSegment, _of("hold_below_one_segment")] = _default(
        "hold_below_one_segment"
    )
    loss_cuts_window: Annotated[LossCutsWindow, _of("loss_cuts_window")] = _default("loss_cuts_window")
    cuts_whole_segments: Annotated[CutsWholeSegments, _of("cuts_whole_segments")] = _default(
        "cuts_whole_segments"
    )

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        for name in ("flows", "max_p", "max_th"):
            values = getattr(self, name)
            if list(values) != sorted(set(values)):
                raise ValueError(f"{name}: must rise")
        if self.warmup_s >= self.duration_s:
            raise ValueError(
                f"warmup_s ({self.warmup_s:g}) must be less than duration_s ({self.duration_s:g})"
            )
        return self
