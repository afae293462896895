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
    IdleCorrection,
    InitialWindow,
    MinRto,
    Probability,
    Spacing,
    TimerGranularity,
    Weight,
)

HEADER_BYTES = 40
"""IPv4 and TCP without options."""

Seconds = Annotated[float, Field(ge=0, le=3600, allow_inf_nan=False)]
Packets = Annotated[int, Field(ge=1, le=100_000)]
Senders = Annotated[int, Field(ge=1, le=100)]
Rate = Annotated[int, Field(ge=10_000, le=100_000_000_000)]
Thresholds = tuple[float, float]
"""min_th and max_th, packets."""


class Parameters(BaseParameters):
    """Everything that decides the outcome of a run; immutable."""

    bottleneck_bps: Annotated[Rate, Given("section 3: 1 Mbps between the gateways")] = Field(
        default=1_000_000, description="rate of the link between the gateways, bits per second"
    )
    access_bps: Annotated[Rate, Given("section 3: 100 Mbps between nodes and gateways")] = Field(
        default=100_000_000, description="rate of all other links, bits per second"
    )
    buffer: Annotated[Packets, Given("section 3: 100 packets queue size")] = Field(
        default=100, description="queue limit between the gateways, packets"
    )
    low: Annotated[Thresholds, Given("section 3, Figures A to D")] = Field(
        default=(5.0, 15.0), description="the lower thresholds, packets"
    )
    high: Annotated[Thresholds, Given("section 3, Figures E to L")] = Field(
        default=(40.0, 70.0), description="the higher thresholds, packets"
    )
    few: Annotated[Senders, Given("section 3, Figures A to D and I to L")] = Field(
        default=1, description="nodes at each gateway"
    )
    many: Annotated[Senders, Given("section 3, Figures E to H")] = Field(
        default=4, description="nodes at each gateway in the final experiment"
    )
    more: Annotated[
        tuple[Senders, ...],
        Chosen("“the more nodes are in the network”: twice and four times the paper's most"),
    ] = Field(default=(8, 16), description="further numbers of nodes at each gateway")
    delay_s: Annotated[Seconds, Chosen("a wide-area link; with it the paper's shapes come out")] = Field(
        default=0.050, description="propagation delay between the gateways, seconds"
    )
    access_delay_s: Annotated[Seconds, Chosen("nodes near their gateway")] = Field(
        default=0.001, description="propagation delay of all other links, seconds"
    )
    packet_bytes: Annotated[
        int, Chosen("the paper's 3000-4000 bytes are 5-7 packets, 30000 are 55, 5000 are 9")
    ] = Field(default=576, ge=100, le=1500, description="IP length of a full packet, bytes")
    max_p: Annotated[Probability, Chosen("Floyd's recommendation for RED, and the simulators' default")] = (
        Field(default=0.1, description="probability just below max_th")
    )
    weight: Annotated[Weight, Chosen("of the first RED paper, which this one cites")] = 0.002
    spacing: Annotated[Spacing, Chosen("ns-2's default, the simulator of most such papers")] = "wait"
    idle_correction: Annotated[
        IdleCorrection, Given("section 2: the average is updated for the time without packets")
    ] = True
    above_max_th: Annotated[
        Literal["mark", "drop"], Given("section 2: above max every packet is marked, with ECN not dropped")
    ] = Field(default="mark", description="what ECN does at or above max_th")
    not_ect: Annotated[
        Literal["pass", "drop"],
        Chosen(
            "the simulators' retransmissions are ECN-capable, RFC 3168's are not; dropping would charge twice"
        ),
    ] = Field(
        default="pass", description="what ECN does with packets that it cannot mark, where it would mark"
    )
    duration_s: Annotated[Seconds, Chosen("four cycles of drop-tail's window, the slowest movement here")] = (
        Field(default=100.0, gt=1, description="simulated time, seconds")
    )
    settle_s: Annotated[
        Seconds, Chosen("slow start and its repair are over; the paper speaks of “after initial reduction”")
    ] = Field(default=20.0, description="from here on the queue counts as settled, seconds")
    start_jitter_s: Annotated[Seconds, Chosen("sources that start in the same instant stay in step")] = Field(
        default=0.5, description="sources start at random within this time, seconds"
    )
    window_cap: Annotated[Packets, Chosen("never reached: with drop-tail the buffer is to be the limit")] = (
        Field(default=1000, le=30_000, description="largest send window, packets")
    )
    initial_window: Annotated[InitialWindow, Chosen("the simulators' default of the time")] = 1
    min_rto_s: Annotated[MinRto, Chosen("RFC 6298, rule 2.4")] = 1.0
    timer_granularity_s: Annotated[TimerGranularity, Chosen("the simulators' tick")] = 0.1
    congestion_avoidance: Annotated[
        CongestionAvoidance, Chosen("Reno's window grows by 1/cwnd with each ACK")
    ] = "per-ack"
    burst_start_s: Annotated[Seconds, Chosen("“at some point of time”: the others have settled")] = Field(
        default=20.0, description="start of the bursty source; it is measured from here on, seconds"
    )
    burst_window: Annotated[
        Packets, Chosen("Floyd and Jacobson (1993), section 9: the bursty node's window")
    ] = Field(default=8, le=1000, description="window of the bursty TCP source, packets")
    burst_delay_s: Annotated[
        Seconds,
        Chosen("Floyd and Jacobson's bursty node has six times the others' round trip; 5 x 51 ms more"),
    ] = Field(default=0.255, description="delay of the bursty TCP source's link, seconds")
    burst_bps: Annotated[Rate, Chosen("twice the link's, so that a burst stands in the queue")] = Field(
        default=2_000_000, description="rate of the bursty UDP source in a burst, bits per second"
    )
    burst_on_s: Annotated[Seconds, Chosen("some 40 packets: less than the buffer")] = Field(
        default=0.1, gt=0, description="mean length of a burst, seconds"
    )
    burst_off_s: Annotated[Seconds, Chosen("a tenth of the link on average")] = Field(
        default=1.9, gt=0, description="mean time between bursts, seconds"
    )

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        for name in ("settle_s", "burst_start_s"):
            self.must_be_less(name, "duration_s")
        numbers = [self.few, self.many, *self.more]
        if numbers != sorted(set(numbers)):
            raise ValueError(f"few, many, more: must rise (they are {', '.join(map(str, numbers))})")
        return self

    @property
    def senders(self) -> tuple[int, ...]:
        """All numbers of nodes."""
        return (self.few, self.many, *self.more)
