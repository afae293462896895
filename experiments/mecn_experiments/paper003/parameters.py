# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""What can be varied in a run, with the paper's values and, where it is silent, ours.

docs/experiments/003.md gives the reason for each choice of ours.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from ..errors import ExperimentError

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

Probability = Annotated[float, Field(gt=0, le=1)]
Seconds = Annotated[float, Field(ge=0, le=3600, allow_inf_nan=False)]
Sources = Annotated[int, Field(ge=1, le=250)]


class Parameters(BaseModel):
    """Everything that decides the outcome of a run; immutable."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    sources: tuple[Sources, ...] = Field(
        default=(2, 5, 10, 20, 30), min_length=1, description="numbers of sources"
    )
    seeds: int = Field(default=3, ge=1, le=1000, description="runs of each scenario, with seeds 1, 2, ...")
    duration_s: float = Field(default=100.0, gt=0, le=10_000, description="simulated time, seconds")
    warmup_s: Seconds = Field(default=0.0, description="time at the beginning that is not measured, seconds")
    weight: Probability = Field(default=0.002, description="weight of the queue average")

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
    spacing: Literal["independent", "uniform"] = Field(
        default="uniform", description="how marks follow each other: each drawn by itself, or RED's count"
    )
    min_depth: int = Field(
        default=2, ge=0, le=1000, description="no signal at a shallower queue, whatever its average, packets"
    )
    idle_correction: bool = Field(default=True, description="the average falls while the queue is idle")
    start_jitter_s: Seconds = Field(
        default=1.0, description="sources start at random within this time, seconds"
    )
    initial_window: int = Field(default=1, ge=1, le=10, description="first congestion window, packets")
    min_rto_s: float = Field(default=1.0, gt=0, le=60, description="least retransmission timeout, seconds")
    timer_granularity_s: float = Field(
        default=0.1, gt=0, le=1, description="tick of the retransmission timer, seconds"
    )
    delayed_acks: bool = Field(default=False, description="acknowledge every second packet")
    hold_at_one_segment: bool = Field(
        default=False, description="a mark at a window of one packet stops the sender for a timeout"
    )

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

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        if self.warmup_s >= self.duration_s:
            raise ValueError(
                f"warmup_s ({self.warmup_s:g}) must be less than duration_s ({self.duration_s:g})"
            )
        if len(set(self.sources)) < len(self.sources):
            raise ValueError("sources: a number is given twice")
        if self.trace_sources is not None and self.trace_sources not in self.sources:
            raise ValueError(
                f"trace_sources ({self.trace_sources}) is not among sources {list(self.sources)}"
            )
        if self.trace_interval_s > self.duration_s:
            raise ValueError("trace_interval_s must be at most duration_s")
        if len(set(self.frontier)) < len(self.frontier):
            raise ValueError("frontier: thresholds are given twice")
        return self

    @property
    def traced(self) -> int:
        """Number of sources in the figures of queue traces."""
        if self.trace_sources is not None:
            return self.trace_sources
        return 5 if 5 in self.sources else self.sources[0]

    @property
    def window_s(self) -> float:
        """Length of the measured time, seconds."""
        return self.duration_s - self.warmup_s

    def to_json(self) -> str:
        """All values, in a fixed order."""
        return json.dumps(self.model_dump(mode="json"), sort_keys=True)


def make_parameters(values: Mapping[str, Any]) -> Parameters:
    """Checks values that a user gave; raises :class:`ExperimentError` with one line that names the first
    bad one."""
    try:
        return Parameters.model_validate(dict(values))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        name = ".".join(str(part) for part in first["loc"])
        if first["type"] == "extra_forbidden":
            known = ", ".join(Parameters.model_fields)
            raise ExperimentError(f"there is no parameter {name}; known are: {known}") from None
        text = first["msg"].removeprefix("Value error, ")
        what = f"{name} ({first['input']}): " if name else ""
        raise ExperimentError(f"{what}{text[:1].lower()}{text[1:]}") from None
