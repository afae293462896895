# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""A snapshot as Prometheus metrics.

Counters are the switch's own, so a restart of the controller does not set them back; one of the switch does,
and `rate()` allows for that. Names follow Prometheus' conventions: base units, `_total` for counters.
"""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING

from prometheus_client import CollectorRegistry
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from mecn_controller.telemetry.sample import PortView, Snapshot

LEVELS = ("passed", "incipient", "ce")


class SnapshotCollector:
    """Makes metrics of the snapshot that is current when it is asked."""

    def __init__(self, snapshot: Callable[[], Snapshot]) -> None:
        self._snapshot = snapshot

    def collect(self) -> Iterator[Metric]:
        """All metrics; those without a value have no sample."""
        now = self._snapshot()
        up = GaugeMetricFamily("mecn_switch_up", "1 if the switch answers, 0 if it does not.")
        up.add_metric([], float(now.status in ("reading", "primary", "standby")))
        primary = GaugeMetricFamily("mecn_controller_primary", "1 if this controller is in charge.")
        primary.add_metric([], float(now.status == "primary"))
        yield up
        yield primary
        yield from _counters(now.ports)
        yield from _gauges(now)
        yield from _policies(now.ports)


def _counters(ports: tuple[PortView, ...]) -> Iterator[Metric]:
    packets = CounterMetricFamily(
        "mecn_port_packets",
        "Packets that left an egress port, by what was done to them.",
        labels=["port", "level"],
    )
    size = CounterMetricFamily(
        "mecn_port_bytes", "Bytes of packets that left an egress port.", labels=["port"]
    )
    dropped = CounterMetricFamily(
        "mecn_port_early_drop_packets", "Packets dropped before the queue.", labels=["port"]
    )
    dropped_size = CounterMetricFamily(
        "mecn_port_early_drop_bytes", "Bytes of packets dropped before the queue.", labels=["port"]
    )
    reports = CounterMetricFamily("mecn_port_reports", "Reports received from a port.", labels=["port"])
    gaps = CounterMetricFamily(
        "mecn_port_report_gaps", "Places where reports of a port are missing.", labels=["port"]
    )
    for port in ports:
        number = str(port.port)
        if port.totals:
            for level in LEVELS:
                packets.add_metric([number, level], port.totals[level])
            size.add_metric([number], port.totals["bytes"])
            dropped.add_metric([number], port.totals["early_drop"])
            dropped_size.add_metric([number], port.early_drop_bytes)
        reports.add_metric([number], port.reports)
        gaps.add_metric([number], port.gaps)
    yield from (packets, size, dropped, dropped_size, reports, gaps)


def _gauges(now: Snapshot) -> Iterator[Metric]:
    average = GaugeMetricFamily(
        "mecn_queue_average_packets", "Average queue over arrivals, at the last report.", labels=["port"]
    )
    depth = GaugeMetricFamily(
        "mecn_queue_depth_packets",
        "Shallowest and deepest queue that arrivals of the last report's period met.",
        labels=["port", "bound"],
    )
    flows = GaugeMetricFamily(
        "mecn_active_flows",
        "Estimated active flows by class of round-trip time; class 0: not TCP, or not timed. +Inf: too many.",
        labels=["port", "rtt_class"],
    )
    last = GaugeMetricFamily(
        "mecn_last_report_timestamp_seconds", "When a port's last report was received.", labels=["port"]
    )
    for port in now.ports:
        number = str(port.port)
        if port.average is not None and port.min_depth is not None and port.max_depth is not None:
            average.add_metric([number], port.average)
            depth.add_metric([number, "min"], port.min_depth)
            depth.add_metric([number, "max"], port.max_depth)
        if any(policy.classes for policy in port.policies):
            for rtt_class, count in enumerate(port.flows):
                flows.add_metric([number, str(rtt_class)], math.inf if count is None else count)
        if port.report_age_s is not None:
            last.add_metric([number], now.time - port.report_age_s)
    yield from (average, depth, flows, last)


def _policies(ports: tuple[PortView, ...]) -> Iterator[Metric]:
    labels = ["port", "dscp", "scheme", "level"]
    threshold = GaugeMetricFamily(
        "mecn_threshold_packets",
        "Average from which on packets are signalled: incipient, moderate (CE), severe (every packet).",
        labels=labels,
    )
    probability = GaugeMetricFamily(
        "mecn_max_probability_ratio",
        "Probability of a signal just below the severe threshold, 0 to 1.",
        labels=labels,
    )
    by_class = GaugeMetricFamily(
        "mecn_class_max_probability_ratio",
        "The same of CE, for TCP connections of a class of round-trip times with a curve of its own.",
        labels=["port", "dscp", "scheme", "rtt_class"],
    )
    for port in ports:
        for policy in port.policies:
            mine = [str(port.port), policy.traffic, policy.scheme]
            for level in ("incipient", "moderate", "severe"):
                depth = getattr(policy, f"{level}_from")
                if depth is not None:
                    threshold.add_metric([*mine, level], depth)
            probability.add_metric([*mine, "incipient"], policy.p_incipient)
            probability.add_metric([*mine, "moderate"], policy.p_moderate)
            for rtt_class, p in enumerate(policy.class_p, start=1):
                by_class.add_metric([*mine, str(rtt_class)], p)
    yield from (threshold, probability, by_class)


def registry_of(snapshot: Callable[[], Snapshot]) -> CollectorRegistry:
    """A registry of its own, with nothing of the process in it."""
    registry = CollectorRegistry(auto_describe=False)
    registry.register(SnapshotCollector(snapshot))
    return registry


def exported_names() -> set[str]:
    """The names of all series that can be exported."""
    from mecn_controller.telemetry.sample import Snapshot

    empty = Snapshot(time.time(), "", 0, "", "", False, 1.0, ())
    names = set()
    for family in SnapshotCollector(lambda: empty).collect():
        names.add(f"{family.name}_total" if family.type == "counter" else family.name)
    return names
