# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""What can be varied, with the paper's values and, where it is silent, ours."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from ..declaration import Chosen, Given
from ..fields import (
    CutsWholeSegments,
    IdleCorrection,
    MinDepth,
    Probability,
    Weight,
)
from ..ns2_defaults import SimulatorParameters, default

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


class Parameters(SimulatorParameters):
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
    weight: Weight = default("weight")
    min_depth: MinDepth = default("min_depth")
    idle_correction: Annotated[IdleCorrection, Chosen("RED's rule for an idle queue")] = True
    not_ect: Annotated[
        Literal["pass", "drop"],
        Chosen(
            "the simulator's retransmissions are ECN-capable, RFC 3168's are not; dropping would charge twice"
        ),
    ] = Field(default="pass", description="what ECN does between the thresholds with packets it cannot mark")
    start_jitter_s: Annotated[Seconds, Chosen("sources that start in the same instant stay in step")] = Field(
        default=0.1, description="sources start at random within this time after the paper's, seconds"
    )
    cuts_whole_segments: CutsWholeSegments = default("cuts_whole_segments")

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        self.must_rise("flows", "max_p", "max_th")
        self.must_be_less("warmup_s", "duration_s")
        return self
