# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""State of each port, made of reports, counters and policies as they come. No clock and no I/O here."""

from __future__ import annotations

import asyncio
from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from mecn_controller.telemetry.policy_view import policy_view
from mecn_controller.telemetry.sample import (
    COUNTERS,
    REPORT,
    PolicyView,
    PortView,
    Sample,
    Snapshot,
    finite,
)

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable, Mapping

    from mecn_controller.reports import PortReport
    from mecn_controller.runtime.readback import PortCounters, PortPolicy

TREND = 60
"""Averages that a snapshot carries, one for each reading of the counters."""
HISTORY = 2000
"""Samples that are kept for a page that is opened later."""
STALE_PERIODS = 3

LEVELS = ("passed", "incipient", "ce", "early_drop")


class Subscription:
    """Samples for one consumer, in order. One that is too slow loses the oldest, and `lost` says how many."""

    def __init__(self, limit: int) -> None:
        self.lost = 0
        self._waiting: deque[Sample] = deque()
        self._limit = limit
        self._closed = False
        self._wake = asyncio.Event()

    def put(self, sample: Sample) -> None:
        """Never waits."""
        if self._closed:
            return
        if len(self._waiting) >= self._limit:
            self._waiting.popleft()
            self.lost += 1
        self._waiting.append(sample)
        self._wake.set()

    def close(self) -> None:
        """No more; what waits can still be taken."""
        self._closed = True
        self._wake.set()

    async def batches(self) -> AsyncIterator[list[Sample]]:
        """All that waits, again and again, until `close`."""
        while True:
            await self._wake.wait()
            self._wake.clear()
            batch = list(self._waiting)
            self._waiting.clear()
            if batch:
                yield batch
            if self._closed and not self._waiting:
                return


@dataclass
class _Port:
    policies: tuple[PolicyView, ...] = ()
    counters: PortCounters | None = None
    counted_at: float = 0.0
    rates: dict[str, float] = field(default_factory=dict)
    report: Sample | None = None
    reports: int = 0
    gaps: int = 0
    trend: deque[float | None] = field(default_factory=lambda: deque(maxlen=TREND))

    def fresh(self, now: float, interval_s: float) -> Sample | None:
        """The last report, if it is not too old to say anything about now."""
        if self.report is None:
            return None
        period = max(self.report.interval_s, interval_s)
        return self.report if now - self.report.time <= STALE_PERIODS * period else None


class Monitor:
    """What is known of one switch. Feed it; read `snapshot`, or `subscribe` to samples."""

    def __init__(self, address: str, device_id: int, *, with_reports: bool, interval_s: float) -> None:
        self.address = address
        self.device_id = device_id
        self.with_reports = with_reports
        self.interval_s = interval_s
        self.status = "connecting"
        self.detail = ""
        self.history: deque[Sample] = deque(maxlen=HISTORY)
        self._ports: dict[int, _Port] = {}
        self._subscriptions: set[Subscription] = set()

    # ---- Feeding -------------------------------------------------------------------------------------------

    def set_status(self, status: str, detail: str = "") -> None:
        """Reading, primary, standby, lost, refused."""
        self.status, self.detail = status, detail

    def on_policies(self, policies: Iterable[PortPolicy]) -> None:
        """All policies of the switch, as read from it. Ports without one are forgotten."""
        by_port: dict[int, list[PolicyView]] = {}
        for policy in policies:
            by_port.setdefault(policy.port, []).append(policy_view(policy))
        self._ports = {port: self._ports.get(port, _Port()) for port in sorted(by_port)}
        for port, views in by_port.items():
            self._ports[port].policies = tuple(views)

    @property
    def ports(self) -> list[int]:
        """Ports that have a policy."""
        return list(self._ports)

    def on_counters(self, counters: Mapping[int, PortCounters], now: float) -> None:
        """A reading of the counters, at `now` (Unix seconds)."""
        for number, reading in counters.items():
            port = self._ports.get(number)
            if port is None:
                continue
            sample = _difference(number, port, reading, now)
            port.counters, port.counted_at = reading, now
            report = port.fresh(now, self.interval_s)
            port.trend.append(None if report is None or report.average is None else round(report.average, 2))
            if sample is None:
                port.rates = {}
                continue
            assert sample.bytes_left is not None
            port.rates = {level: getattr(sample, level) / sample.interval_s for level in LEVELS}
            port.rates["bits_per_s"] = 8 * sample.bytes_left / sample.interval_s
            self._publish(sample)

    def on_report(self, report: PortReport, now: float) -> None:
        """A report of the switch, received at `now` (Unix seconds)."""
        port = self._ports.setdefault(report.port, _Port())
        last = port.report
        gap = last is not None and last.end_us is not None and report.begin_us > last.end_us
        sample = Sample(
            time=now,
            port=report.port,
            source=REPORT,
            interval_s=(report.end_us - report.begin_us) / 1e6,
            passed=report.passed,
            incipient=report.incipient,
            ce=report.ce,
            early_drop=report.early_drop,
            begin_us=report.begin_us,
            end_us=report.end_us,
            average=report.average,
            min_depth=report.min_depth,
            max_depth=report.max_depth,
            flows=tuple(map(finite, report.active)),
            gap=gap,
        )
        port.report = sample
        port.reports += 1
        port.gaps += int(gap)
        self._publish(sample)

    def _publish(self, sample: Sample) -> None:
        self.history.append(sample)
        for subscription in self._subscriptions:
            subscription.put(sample)

    # ---- Reading -------------------------------------------------------------------------------------------

    def subscribe(self, limit: int = 10_000) -> Subscription:
        """Samples from now on; hand it to `unsubscribe` in the end."""
        subscription = Subscription(limit)
        self._subscriptions.add(subscription)
        return subscription

    def unsubscribe(self, subscription: Subscription) -> None:
        """No more samples for it."""
        subscription.close()
        self._subscriptions.discard(subscription)

    def policies(self, port: int) -> tuple[PolicyView, ...]:
        """Of a port, as read last."""
        known = self._ports.get(port)
        return () if known is None else known.policies

    def reports_from(self, port: int) -> bool:
        """Whether a port's policy asks for reports that are received here."""
        known = self._ports.get(port)
        periods = known is not None and any(p.report_period_ms is not None for p in known.policies)
        return self.with_reports and periods

    def snapshot(self, now: float) -> Snapshot:
        """All that is known at `now` (Unix seconds)."""
        return Snapshot(
            time=now,
            address=self.address,
            device_id=self.device_id,
            status=self.status,
            detail=self.detail,
            with_reports=self.with_reports,
            interval_s=self.interval_s,
            ports=tuple(self._view(number, port, now) for number, port in sorted(self._ports.items())),
        )

    def _view(self, number: int, port: _Port, now: float) -> PortView:
        report = port.fresh(now, self.interval_s)
        totals: dict[str, int] = {}
        if port.counters is not None:
            totals = {level: getattr(port.counters, level)[0] for level in LEVELS}
            totals["bytes"] = sum(getattr(port.counters, level)[1] for level in LEVELS[:3])
        return PortView(
            port=number,
            policies=port.policies,
            average=None if report is None else report.average,
            min_depth=None if report is None else report.min_depth,
            max_depth=None if report is None else report.max_depth,
            report_age_s=None if port.report is None else max(0.0, now - port.report.time),
            rates=dict(port.rates),
            totals=totals,
            early_drop_bytes=0 if port.counters is None else port.counters.early_drop[1],
            flows=() if report is None else report.flows,
            reports=port.reports,
            gaps=port.gaps,
            trend=tuple(port.trend),
        )


def _difference(number: int, port: _Port, reading: PortCounters, now: float) -> Sample | None:
    """What was counted since the last reading; None if there was none, or the switch began anew."""
    last = port.counters
    if last is None or now <= port.counted_at:
        return None
    packets = {level: getattr(reading, level)[0] - getattr(last, level)[0] for level in LEVELS}
    size = sum(getattr(reading, level)[1] - getattr(last, level)[1] for level in LEVELS[:3])
    if min(size, *packets.values()) < 0:
        return None
    return Sample(
        time=now,
        port=number,
        source=COUNTERS,
        interval_s=now - port.counted_at,
        bytes_left=size,
        **packets,
    )


def preferred(monitor: Monitor, batch: list[Sample]) -> list[Sample]:
    """Reports where there are any, counters elsewhere: so that no packet is counted twice."""
    return [sample for sample in batch if sample.source == "report" or not monitor.reports_from(sample.port)]
