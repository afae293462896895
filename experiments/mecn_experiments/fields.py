# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Parameters that several papers have: type, bounds and meaning.

A paper adds its default, and where that comes from; or both follow from the simulator's
(:class:`~mecn_experiments.ns2_defaults.SimulatorParameters`).
"""

from typing import Annotated, Literal

from pydantic import Field

SpacingName = Literal["independent", "uniform", "wait"]
"""How marks follow each other: each drawn by itself, RED's count as published, or ns-2's (`wait_ true`)."""
Probability = Annotated[float, Field(gt=0, le=1)]
CongestionAvoidance = Annotated[
    Literal["per-ack", "byte-counting", "whole-segments"],
    Field(description="how the window grows after slow start"),
]
"""How a window grows, and is cut: see `mecn_native.TcpConfig`."""
CutsWholeSegments = Annotated[
    bool, Field(description="a cut leaves whole packets of the whole packets in the window, rounded down")
]
DelayedAcks = Annotated[bool, Field(description="acknowledge every second packet")]
HoldAtOneSegment = Annotated[
    bool, Field(description="a mark at a window of one packet stops the sender for a timeout")
]
HoldBelowOneSegment = Annotated[
    bool, Field(description="so does a mark that would leave less than one packet")
]
IdleCorrection = Annotated[bool, Field(description="the average falls while the queue is idle")]
IdlePacketBytes = Annotated[
    int, Field(ge=1, le=65_535, description="packets that count as sent while the queue is idle, bytes")
]
InitialRto = Annotated[
    float, Field(gt=0, le=3600, description="retransmission timeout before a measurement, seconds")
]
InitialWindow = Annotated[int, Field(ge=1, le=10, description="first congestion window, packets")]
LossCutsWindow = Annotated[
    bool, Field(description="a loss halves the window (RFC 2001), not the data outstanding")
]
MaxRto = Annotated[
    float, Field(gt=0, le=3600, description="greatest retransmission timeout, back-off included, seconds")
]
MinDepth = Annotated[int, Field(ge=0, le=1000, description="no signal at a shallower queue, packets")]
MinRto = Annotated[float, Field(gt=0, le=60, description="least retransmission timeout, seconds")]
RetransmissionTimer = Annotated[
    Literal["rfc6298", "whole-ticks"], Field(description="how the retransmission timer is computed")
]
"""By RFC 6298, or as ns-2 did until May 2001: see `mecn_native.TcpConfig`."""
Spacing = Annotated[SpacingName, Field(description="how marks and drops follow each other")]
TimerGranularity = Annotated[
    float, Field(gt=0, le=1, description="tick of the retransmission timer, seconds")
]
Weight = Annotated[Probability, Field(description="weight of the queue average")]
