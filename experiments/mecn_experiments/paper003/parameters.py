# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""What can be varied in a run, with the paper's values and, where it is silent, ours.

docs/experiments/003.md gives the reason for each choice of ours.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from ..declaration import Chosen, Given, parameters_of
from ..fields import (
    DelayedAcks,
    IdleCorrection,
    Probability,
    SpacingName,
    Weight,
)
from ..ns2_defaults import SimulatorParameters, default

if TYPE_CHECKING:
    from collections.abc import Mapping

Thresholds = tuple[float, float, float]
"""min_th, mid_th, max_th in packets; ECN leaves mid_th out."""

LOW: Thresholds = (1, 2, 4)
HIGH: Thresholds = (30, 60, 90)

BOTTLENECK_BPS = 1_500_000
"""Rate of the link between the routers (section 4.1)."""
PACKET_BYTES = 1000
"""IP length of a full data packet (section 4.1)."""
HEADER_BYTES = 40
"""IPv4 and TCP without options: the length of an acknowledgement (section 4.1)."""
PACKETS_PER_S = BOTTLENECK_BPS / (8 * PACKET_BYTES)
"""The paper's C: 187.5 packets per second."""
PROPAGATION_S = 2 * (0.002 + 0.040 + 0.004) + 8 * (PACKET_BYTES + HEADER_BYTES) * (
    2 / 10e6 + 1 / BOTTLENECK_BPS
)
"""The paper's T_p: propagation both ways, and the transmission of a packet and its acknowledgement."""

Seconds = Annotated[float, Field(ge=0, le=3600, allow_inf_nan=False)]
Sources = Annotated[int, Field(ge=1, le=250)]


REASONS = {
    "sources": "the paper varies the number without giving it",
    "duration_s": "long against the round trip of 92 ms and the slowest transient",
    "warmup_s": "slow start is not what the paper compares; runs from the start on are shown beside",
    "max_p": "Floyd's recommendation for RED (1997) and the default of the papers' simulator",
    "max_p_star": "doubles K_MECN, which is proportional to max_p (equation 7)",
    "buffer": "twice the highest max_th, so that the marking and not the buffer is measured",
    "window_cap": "the largest window that TCP can announce without scaling: 65535 bytes",
    "above_max_th": "RED's behaviour, which ECN inherits; for MECN the paper says: mark",
    "not_ect": "SYNs and retransmissions cannot be marked; dropping them would burden one scheme only",
    "mark_point": "RED and its successors average what arriving packets meet",
    "idle_correction": "RED's rule for an empty queue",
    "start_jitter_s": "sources that start in the same instant would stay in step",
    "trace_sources": "the paper does not say for how many sources its queue figures are",
    "trace_interval_s": "about half a round trip",
    "frontier_sources": "as for the queue figures",
    "gain_sources": "few sources have the highest gain (equation 7); twice as many are a change of load",
    "gain_thresholds": "with two sources and every max_p of the sweep the queue settles below mid_th",
    "gain_max_p": "the delay margin of section 3 falls from 1.9 s to below 0",
    "low_gain_thresholds": "there the queue can run empty, so that oscillation can cost throughput",
    "gain_spacing": "section 3 takes p as the probability of each packet by itself",
    "frontier": "1/2/4 and 30/60/90 are the paper's; those between keep the ratio 1:2:3",
    "ablation_frontier": "Figure 14's points below saturation and two above",
}
"""Why each parameter that the paper does not give has its default."""
GIVEN: dict[str, Given | Chosen] = {"weight": Given("section 4, alpha")}


class Parameters(SimulatorParameters):
    """Everything that decides the outcome of a run; immutable."""

    sources: tuple[Sources, ...] = Field(
        default=(2, 5, 10, 20, 30), min_length=1, description="numbers of sources"
    )
    duration_s: float = Field(default=100.0, gt=0, le=10_000, description="simulated time, seconds")
    warmup_s: Seconds = Field(default=20.0, description="time at the beginning that is not measured, seconds")
    weight: Weight = 0.002

    max_p: Probability = Field(
        default=0.1, description="marking probability just below max_th, ECN's and both of MECN's"
    )
    max_p_star: Probability = Field(
        default=0.2, description="the same for MECN*, the variant with the higher gain"
    )
    buffer: int = Field(default=200, ge=1, le=1_000_000, description="bottleneck queue limit, packets")
    window_cap: int = Field(default=68, ge=1, le=68, description="largest send window, packets")
    above_max_th: Literal["drop", "mark"] = Field(
        default="drop", description="what ECN does at or above max_th"
    )
    not_ect: Literal["pass", "drop"] = Field(
        default="pass", description="what becomes of packets that cannot be marked"
    )
    mark_point: Literal["tail", "front"] = Field(
        default="tail", description="queue length that counts: on arrival or on leaving"
    )
    min_depth: int = Field(
        default=default("min_depth"),
        ge=0,
        le=1000,
        description="no signal at a shallower queue, whatever its average, packets",
    )
    idle_correction: IdleCorrection = True
    start_jitter_s: Seconds = Field(
        default=1.0, description="sources start at random within this time, seconds"
    )
    delayed_acks: DelayedAcks = default("delayed_acks")

    trace_sources: Sources | None = Field(
        default=None, description="sources in Figures 6, 7, 9, 10; default: 5, or the first of sources"
    )
    trace_interval_s: float = Field(
        default=0.05, gt=0, le=10, description="distance of a trace's points, seconds"
    )
    frontier_sources: Sources = Field(default=5, description="sources in Figure 14")
    frontier: tuple[Thresholds, ...] = Field(
        default=(LOW, (2, 4, 6), (3, 6, 9), (5, 10, 15), (10, 20, 30), (20, 40, 60), HIGH),
        min_length=2,
        description="thresholds min_th, mid_th, max_th of Figure 14's points",
    )
    gain_sources: tuple[Sources, Sources] = Field(
        default=(2, 4), description="fewer and more sources of Figures 4 and 13"
    )
    gain_thresholds: Thresholds = Field(default=(10, 20, 30), description="thresholds of Figure 4, packets")
    low_gain_thresholds: Thresholds = Field(default=LOW, description="thresholds of Figure 13, packets")
    gain_max_p: tuple[Probability, ...] = Field(
        default=(0.05, 0.1, 0.2, 0.35, 0.5, 0.7, 1.0),
        min_length=2,
        description="max_p of Figures 4 and 13, from low to high gain",
    )
    gain_spacing: SpacingName = Field(
        default="independent", description="how marks follow each other where section 3 is tested"
    )
    ablation_frontier: tuple[Thresholds, ...] = Field(
        default=(LOW, (2, 4, 6), (3, 6, 9), (5, 10, 15), (10, 20, 30), (20, 40, 60)),
        min_length=2,
        description="thresholds of the ablation's frontiers",
    )

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        self.must_be_less("warmup_s", "duration_s")
        self.must_rise("gain_max_p", "gain_sources")
        if len(set(self.sources)) < len(self.sources):
            raise ValueError("sources: a number is given twice")
        if self.trace_sources is not None and self.trace_sources not in self.sources:
            raise ValueError(
                f"trace_sources ({self.trace_sources}) is not among sources {list(self.sources)}"
            )
        if self.trace_interval_s > self.duration_s:
            raise ValueError("trace_interval_s must be at most duration_s")
        for name in ("frontier", "ablation_frontier"):
            thresholds = getattr(self, name)
            if len(set(thresholds)) < len(thresholds):
                raise ValueError(f"{name}: thresholds are given twice")
        return self

    @property
    def traced(self) -> int:
        """Number of sources in the figures of queue traces."""
        if self.trace_sources is not None:
            return self.trace_sources
        return 5 if 5 in self.sources else self.sources[0]

    @classmethod
    def origins(cls) -> dict[str, Given | Chosen]:
        """Where each default comes from; docs/experiments/003.md says it at length."""
        chosen = {name: Chosen(reason) for name, reason in REASONS.items()}
        return super().origins() | chosen | GIVEN


def make_parameters(values: Mapping[str, Any]) -> Parameters:
    """Checks values that a user gave; raises :class:`ExperimentError` with one line that names the first
    bad one."""
    return parameters_of(Parameters, values)
