# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""What is known of ports: one interval (`Sample`), and all of it at one instant (`Snapshot`).

Both are plain data that go through JSON unchanged: that is how a running `mecn serve` hands them on.
"""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from typing import Any, Self

REPORT = "report"
COUNTERS = "counters"


def finite(value: float) -> float | None:
    """JSON knows no infinity: a full map of flows is None, "too many"."""
    return value + 0.0 if math.isfinite(value) else None  # not -0.0


@dataclass(frozen=True)
class Sample:
    """One interval of one egress port: a report of the switch, or the difference of two counter readings."""

    time: float
    """When it was received, Unix seconds."""
    port: int
    source: str
    """`report` or `counters`. They count the same packets: do not add them up."""
    interval_s: float
    """Length, seconds: of the switch's clock for a report, of ours for counters."""
    passed: int
    """Packets that left unmarked; `incipient` and `ce` with a mark; `early_drop` dropped before the queue."""
    incipient: int
    ce: int
    early_drop: int
    bytes_left: int | None = None
    """Of packets that left; counters only."""
    begin_us: int | None = None
    """Microseconds of the switch's clock; reports only, as all that follows."""
    end_us: int | None = None
    average: float | None = None
    """Average over arrivals at its end, packets."""
    min_depth: int | None = None
    """Shallowest and deepest queue that an arrival met, packets."""
    max_depth: int | None = None
    flows: tuple[float | None, ...] = ()
    """Estimated active flows by RTT class; None: too many to be estimated."""
    gap: bool = False
    """Whether reports are missing before this one: it does not begin where the last one ended."""

    def to_json(self) -> dict[str, Any]:
        """As an object of JSON."""
        return dataclasses.asdict(self)

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Self:
        """Inverse of `to_json`; fields that are not known are left out. TypeError if one is missing."""
        known = {field.name for field in dataclasses.fields(cls)}
        values = {name: value for name, value in data.items() if name in known}
        return cls(**{**values, "flows": tuple(values.get("flows", ()))})


@dataclass(frozen=True)
class PolicyView:
    """One aqm_port entry as people think of it. Depths in packets of the average."""

    traffic: str
    scheme: str
    incipient_from: float | None = None
    """Where incipient marks begin, and so on; None: never."""
    moderate_from: float | None = None
    """CE marks; of red and the like, drops."""
    severe_from: float | None = None
    """Every packet."""
    p_incipient: float = 0.0
    """Probability just below `severe_from`."""
    p_moderate: float = 0.0
    weight: float = 0.0
    report_period_ms: float | None = None
    classes: tuple[str, ...] = ()
    """Classes by round-trip time, in words; empty where connections are not timed."""
    class_p: tuple[float, ...] = ()
    """Of each class, the probability of CE (of red and the like, of drops) just below `severe_from`."""
    points: tuple[tuple[float, float, float], ...] = ()
    """The curve's corners: depth, probability of incipient, of moderate."""


@dataclass(frozen=True)
class PortView:
    """One egress port now."""

    port: int
    policies: tuple[PolicyView, ...]
    average: float | None = None
    """None where no report has come within three periods or three readings of the counters."""
    min_depth: int | None = None
    max_depth: int | None = None
    report_age_s: float | None = None
    """Seconds since the last report; None: there was none."""
    rates: dict[str, float] = dataclasses.field(default_factory=dict)
    """Packets per second: passed, incipient, ce, early_drop; and bits_per_s. Empty at the first reading."""
    totals: dict[str, int] = dataclasses.field(default_factory=dict)
    """The switch's counters, packets; and `bytes` that left."""
    early_drop_bytes: int = 0
    flows: tuple[float | None, ...] = ()
    reports: int = 0
    gaps: int = 0
    trend: tuple[float | None, ...] = ()
    """Averages at the last readings of the counters, the latest last."""

    @property
    def stands_above(self) -> bool:
        """Whether the average signals every packet although no arrival met such a queue.

        Where that lasts, the average does not fall while the queue is empty: mean_service_time_us is missing
        or too long.
        """
        if self.average is None or self.max_depth is None:
            return False
        severe = [policy.severe_from for policy in self.policies if policy.weight < 1]
        return any(each is not None and self.average >= each > self.max_depth for each in severe)


@dataclass(frozen=True)
class Snapshot:
    """All that is known at one instant."""

    time: float
    address: str
    device_id: int
    status: str
    """reading; primary or standby, of a controller; lost, refused: with `detail`."""
    detail: str
    with_reports: bool
    """Whether reports are received at all: they go to the primary controller."""
    interval_s: float
    """Between readings of the counters."""
    ports: tuple[PortView, ...]

    def to_json(self) -> dict[str, Any]:
        """As an object of JSON."""
        return dataclasses.asdict(self)

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Self:
        """Inverse of `to_json`; KeyError or TypeError if it is none."""
        ports = tuple(_port_from(port) for port in data["ports"])
        return cls(**{**data, "ports": ports})


def _port_from(data: dict[str, Any]) -> PortView:
    policies = tuple(
        PolicyView(
            **{
                **each,
                "classes": tuple(each["classes"]),
                "class_p": tuple(each["class_p"]),
                "points": tuple(map(tuple, each["points"])),
            }
        )
        for each in data["policies"]
    )
    lists = {"flows": tuple(data["flows"]), "trend": tuple(data["trend"])}
    return PortView(**{**data, "policies": policies, **lists})
