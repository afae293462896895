# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""What a run measured: the same type from the virtual network and from a lab.

None stands for what a lab cannot measure (docs/lab.md): delays and losses without captures, counts of the
switch's ports on BMv2, reductions by cause without `mecn-host`. Runs in virtual time have everything.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from .statistics import jain_index

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mecn_native import FlowResult, NetworkResult, PortResult

    from .dataset import Row

HEADER_BYTES = 40
"""IPv4 and TCP without options."""
REDUCTIONS = ("incipient", "moderate", "loss")


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowMeasures:
    """A flow within the window that is measured."""

    acked_packets: float
    """Full packets of new data that were acknowledged."""
    acked_bytes: float
    retransmissions: int
    timeouts: int
    ecn: bool = True
    """Whether its hosts agreed on ECN."""
    sent: int | None = None
    """Packets of any kind, or datagrams, that left the source."""
    received: int | None = None
    """Those that reached the sink."""
    sent_data: int | None = None
    """TCP segments with data that left the source."""
    arrived: int | None = None
    """Data packets that reached the sink."""
    first_arrived: int | None = None
    """Those of them that had not been sent before."""
    delay_mean_s: float | None = None
    """One way, of those; nan if there are none."""
    transfer_s: float | None = None
    """Time that a web session spent in transfers."""
    holds: int = 0
    """Times that a mark at a window of one packet made it wait."""
    window: tuple[np.ndarray, np.ndarray] | None = None
    """Instants, and the congestion window from each on, packets; where it was traced."""

    @property
    def loss(self) -> float | None:
        """Share of the packets that were lost on the way to the sink. What is in flight at an end of the
        window makes it inexact by a few packets, hence not below 0."""
        if self.sent is None or self.received is None:
            return None
        return max(0.0, 1 - self.received / self.sent) if self.sent else 0.0


@dataclass(frozen=True, slots=True)
class History:
    """A queue over time: at its changes, or at samples of it."""

    time_s: np.ndarray
    depth: np.ndarray
    """Packets, `<u4`."""
    average: np.ndarray
    sent_bytes: np.ndarray | None
    """Since the beginning, `<i8`."""

    def at(self, times_s: np.ndarray) -> np.ndarray:
        """Indices of what holds at these times."""
        return np.clip(np.searchsorted(self.time_s, times_s, side="right") - 1, 0, None)


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueMeasures:
    """The queue that is watched, and the link behind it, within the window. Depths in packets, the one in
    transmission not counted."""

    depth_mean: float
    depth_std: float
    depth_max: int
    depth_min: int
    fraction_empty: float
    fraction_idle: float | None
    utilisation: float | None
    sent_packets: int
    sent_bytes: int | None
    marked_incipient: int
    marked_ce: int
    early_drops: int
    tail_drops: int | None


@dataclass(frozen=True, slots=True)
class Delays:
    """One-way delays of all data packets, seconds."""

    mean_s: float
    p95_s: float
    std_s: float
    jitter_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """A run's results."""

    flows: Sequence[FlowMeasures]
    """In the scenario's order."""
    queue: QueueMeasures
    history: History | None
    """Of that queue, if it was traced."""
    delay: Delays | None
    begin_s: float
    """Where the window begins that is measured."""
    window_s: float
    """Its length."""
    timeouts: int
    fast_retransmits: int
    reductions: dict[str, int | None]
    """Of windows, by cause."""
    other_utilisations: Sequence[float | None] = ()
    """Of the links behind the other queues that have a profile."""
    steered: tuple[float, ...] = ()
    """max_p at the end, of the curve for all and of each class; empty where no controller steers it."""

    def total(self, measure: Callable[[FlowMeasures], float]) -> float:
        """A sum over the flows."""
        return math.fsum(measure(flow) for flow in self.flows)

    @property
    def retransmissions(self) -> int:
        """Of all flows."""
        return sum(flow.retransmissions for flow in self.flows)


def from_network(
    result: NetworkResult, *, mss: int, begin_s: float, window_s: float, steered: tuple[float, ...]
) -> Measured:
    """Of a run in virtual time; the first watched port is the queue in question."""
    port, *others = result.ports
    delay = result.delay
    return Measured(
        flows=[_flow(flow, mss) for flow in result.flows],
        queue=QueueMeasures(**{name: getattr(port, name) for name in QueueMeasures.__dataclass_fields__}),
        history=_history(port),
        delay=Delays(delay.mean_s, delay.percentile_s(95), delay.std_s, delay.jitter_s),
        begin_s=begin_s,
        window_s=window_s,
        timeouts=sum(flow.timeouts for flow in result.flows),
        fast_retransmits=sum(flow.fast_retransmits for flow in result.flows),
        reductions={
            cause: sum(getattr(flow, f"reductions_{cause}") for flow in result.flows) for cause in REDUCTIONS
        },
        other_utilisations=[other.utilisation for other in others],
        steered=steered,
    )


def _flow(flow: FlowResult, mss: int) -> FlowMeasures:
    udp = flow.datagrams_sent > 0
    window = None
    if flow.cwnd_time_s:
        packets = np.frombuffer(flow.cwnd_trace_bytes, "<u4") / mss
        window = (np.frombuffer(flow.cwnd_time_s, "<f8"), packets)
    return FlowMeasures(
        acked_packets=flow.acked_packets,
        acked_bytes=flow.acked_bytes,
        retransmissions=flow.retransmitted_packets,
        timeouts=flow.timeouts,
        ecn=flow.ecn_negotiated,
        sent=flow.datagrams_sent if udp else flow.sent_segments,
        received=flow.datagrams_received if udp else flow.received_segments,
        sent_data=flow.sent_packets,
        arrived=flow.delay.count,
        first_arrived=flow.first_arrivals,
        delay_mean_s=flow.delay.mean_s,
        transfer_s=flow.web_active_s,
        holds=flow.holds,
        window=window,
    )


def _history(port: PortResult) -> History | None:
    if not port.trace_time_s:
        return None
    return History(
        np.frombuffer(port.trace_time_s, "<f8"),
        np.frombuffer(port.trace_depth, "<u4"),
        np.frombuffer(port.trace_average, "<f8"),
        np.frombuffer(port.trace_sent_bytes, "<u8").astype("<i8"),
    )


def link_efficiency(acked_packets: float, rate_bps: int, window_s: float, mtu: int) -> float:
    """Acknowledged packets of `mtu` IP bytes, retransmissions not counted, over what the link could have
    carried in the time."""
    return acked_packets / (rate_bps * window_s / (8 * mtu))


def measures(measured: Measured, *, rate_bps: int, mtu: int) -> Row:
    """The columns that data files share: of all flows, and of the watched queue.

    rate_bps: of the link behind the queue. mtu: IP bytes of a full packet.
    """
    queue, delay = measured.queue, measured.delay
    acked = sum(flow.acked_packets for flow in measured.flows)
    goodputs = [flow.acked_bytes * 8 / measured.window_s for flow in measured.flows]
    return {
        "acked_packets": acked,
        "link_efficiency": link_efficiency(acked, rate_bps, measured.window_s, mtu),
        "utilisation": queue.utilisation,
        "queue_mean": queue.depth_mean,
        "queue_std": queue.depth_std,
        "queue_max": queue.depth_max,
        "fraction_empty": queue.fraction_empty,
        "fraction_idle": queue.fraction_idle,
        "delay_mean_s": delay and delay.mean_s,
        "delay_p95_s": delay and delay.p95_s,
        "delay_std_s": delay and delay.std_s,
        "jitter_s": delay and delay.jitter_s,
        "sent_packets": queue.sent_packets,
        "marked_incipient": queue.marked_incipient,
        "marked_ce": queue.marked_ce,
        "early_drops": queue.early_drops,
        "tail_drops": queue.tail_drops,
        "jain_index": jain_index(goodputs),
        "retransmissions": measured.retransmissions,
        "timeouts": measured.timeouts,
        "fast_retransmits": measured.fast_retransmits,
        **{f"reductions_{cause}": measured.reductions[cause] for cause in REDUCTIONS},
        "goodputs_bps": goodputs,
    }
