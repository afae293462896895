# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""What can be varied, with the paper's values and, where it is silent, ours."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from ..declaration import Chosen, Given
from ..fields import (
    CutsWholeSegments,
    DelayedAcks,
    Probability,
)
from ..ns2_defaults import SimulatorParameters, default

BOTTLENECK_BPS = 1_500_000
"""Rate of the link between the routers (section 6)."""
PACKET_BYTES = 1000
"""IP length of a full data packet (section 6)."""
HEADER_BYTES = 40
"""Length of an acknowledgement (section 6)."""
PACKETS_PER_S = BOTTLENECK_BPS / (8 * PACKET_BYTES)
"""The paper's d: 187.5 packets per second."""
RD = 11
"""The paper's rd, packets: what the fixed round trip of 59 ms holds (section 6)."""
BASE_RTT_MS = 59
"""Fixed round trip of the basic configuration, milliseconds (section 6)."""

Threshold = Annotated[int, Field(ge=1, le=1000)]
Packets = Annotated[int, Field(ge=1, le=100_000)]
Seconds = Annotated[float, Field(ge=0, le=3600, allow_inf_nan=False)]


class Parameters(SimulatorParameters):
    """Everything that decides the outcome of a run; immutable."""

    duration_s: Annotated[float, Given("section 6.2")] = Field(
        default=10.0, ge=3, le=1000, description="simulated time, seconds"
    )
    thresholds: Annotated[
        tuple[Threshold, ...],
        Chosen("the paper says only “different values”; these reach well past rd = 11"),
    ] = Field(
        default=(1, 2, 3, 4, 5, 6, 8, 10, 11, 12, 14, 16, 18, 20, 22, 25, 28, 32, 36, 40),
        min_length=2,
        description="threshold T of Figures 3 to 6, packets",
    )
    limited_buffer: Annotated[Packets, Given("section 6.1, scenarios 5 and 8")] = Field(
        default=25, description="queue limit in the scenarios with a limited buffer, packets"
    )
    buffer: Annotated[
        Packets, Chosen("so large that nothing is dropped: the paper measures what is needed")
    ] = Field(default=1000, description="queue limit in all others, packets")
    window_cap: Annotated[
        Packets, Chosen("never reached: the paper assumes windows large enough (section 2, assumption 1)")
    ] = Field(default=500, le=30_000, description="largest send window, packets")
    own_packet: Annotated[
        bool,
        Chosen(
            "“the packet that increased the queue length over the threshold” (section 4.1) is itself part of"
            " that length"
        ),
    ] = Field(
        default=True, description="the queue that is compared with T contains the packet that is judged"
    )
    start_jitter_s: Annotated[
        Seconds, Chosen("sources that start in the same instant stay in step, and seeds would not differ")
    ] = Field(default=0.1, description="sources start at random within this time after the paper's, seconds")
    weights: Annotated[tuple[Probability, ...], Given("section 7")] = Field(
        default=(0.002, 0.02, 0.2, 1.0), min_length=1, description="weight w of RED's average"
    )
    red_min_th: Annotated[
        tuple[Threshold, ...], Chosen("the paper varies it from 1 to 70; the steps are ours")
    ] = Field(
        default=(1, 2, 4, 6, 8, 11, 15, 20, 25, 30, 40, 50, 60, 70),
        min_length=2,
        description="min_th of Figures 7, 8 and 10, packets; max_th is twice that",
    )
    max_p: Annotated[Probability, Given("section 7")] = Field(
        default=0.1, description="RED's marking probability just below max_th"
    )
    above_max_th: Annotated[
        Literal["mark", "drop"], Chosen("the paper's strategies mark, and it speaks of zero loss")
    ] = Field(default="mark", description="what RED does at or above max_th")
    idle_correction: Annotated[bool, Chosen("RED's rule for an idle queue")] = Field(
        default=True, description="RED's average falls while the queue is idle"
    )
    trace_s: Annotated[
        Seconds, Chosen("Figure 9's text speaks of the 12th second, so it ran longer than 10 s")
    ] = Field(default=20.0, gt=5, description="simulated time of Figure 9, seconds")
    trace_min_th: Annotated[Threshold, Given("Figure 9")] = Field(
        default=70, description="min_th of Figure 9, packets; max_th is twice that"
    )
    trace_weight: Annotated[Probability, Given("Figure 9")] = Field(
        default=0.002, description="weight of Figure 9"
    )
    steady_s: Annotated[Seconds, Chosen("some hundred cycles of the window")] = Field(
        default=120.0, gt=10, description="simulated time for Theorem 4, seconds"
    )
    steady_warmup_s: Annotated[
        Seconds, Chosen("slow start is over: Theorem 4 is about congestion avoidance")
    ] = Field(default=20.0, description="its beginning that is not counted, seconds")
    long_s: Annotated[float, Given("section 6.2 compares 10 with 100 seconds")] = Field(
        default=100.0, ge=10, le=1000, description="simulated time of the long runs, seconds"
    )
    delayed_acks: Annotated[DelayedAcks, Given("section 2, assumption 4")] = False
    cuts_whole_segments: CutsWholeSegments = default("cuts_whole_segments")

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        self.must_rise("thresholds", "weights", "red_min_th")
        self.must_be_less("steady_warmup_s", "steady_s")
        return self
