# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""What a run of the virtual network has measured, by the columns that data files share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .statistics import jain_index

if TYPE_CHECKING:
    from mecn_native import NetworkResult, PortResult

    from .dataset import Row


def link_efficiency(acked_packets: float, rate_bps: int, window_s: float, mtu: int) -> float:
    """Acknowledged packets of `mtu` IP bytes, retransmissions not counted, over what the link could have
    carried in the time."""
    return acked_packets / (rate_bps * window_s / (8 * mtu))


def measures(result: NetworkResult, port: PortResult, *, rate_bps: int, mtu: int, window_s: float) -> Row:
    """The measures of all flows and of one watched queue.

    rate_bps: of the link behind the queue. mtu: IP bytes of a full packet. window_s: length of the time that
    was measured.
    """
    acked = sum(flow.acked_packets for flow in result.flows)
    goodputs = [flow.acked_bytes * 8 / window_s for flow in result.flows]
    return {
        "acked_packets": acked,
        "link_efficiency": link_efficiency(acked, rate_bps, window_s, mtu),
        "utilisation": port.utilisation,
        "queue_mean": port.depth_mean,
        "queue_std": port.depth_std,
        "queue_max": port.depth_max,
        "fraction_empty": port.fraction_empty,
        "fraction_idle": port.fraction_idle,
        "delay_mean_s": result.delay.mean_s,
        "delay_p95_s": result.delay.percentile_s(95),
        "delay_std_s": result.delay.std_s,
        "jitter_s": result.delay.jitter_s,
        "sent_packets": port.sent_packets,
        "marked_incipient": port.marked_incipient,
        "marked_ce": port.marked_ce,
        "early_drops": port.early_drops,
        "tail_drops": port.tail_drops,
        "jain_index": jain_index(goodputs),
        "retransmissions": sum(flow.retransmitted_packets for flow in result.flows),
        "timeouts": sum(flow.timeouts for flow in result.flows),
        "fast_retransmits": sum(flow.fast_retransmits for flow in result.flows),
        "reductions_incipient": sum(flow.reductions_incipient for flow in result.flows),
        "reductions_moderate": sum(flow.reductions_moderate for flow in result.flows),
        "reductions_loss": sum(flow.reductions_loss for flow in result.flows),
        "goodputs_bps": goodputs,
    }
