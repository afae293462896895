# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""The claims, each with the rule that decides it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..declaration import Claim
from ..paired import at, of, spread
from ..verdicts import Cases, Outcome, above, below, both, judged, superior, text, verdict_of, within
from .scenarios import BURSTS, SCHEMES, where

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..dataset import Dataset, Row
    from ..paired import Rows
    from .parameters import Parameters, Thresholds
    from .scenarios import Burst, Scheme

MARGIN = 0.01
"""Throughputs that differ by less than this share of the link count as equal."""
PACKET = 1.0
"""So do queues that differ by less, packets, ..."""
SWING = 0.5
"""... their standard deviations, packets, ..."""
SHARE = 0.005
"""... and shares of goodput or of packets."""
MARKING: tuple[Scheme, ...] = ("RED", "ECN")


def _of(data: Dataset, scheme: Scheme, thresholds: Thresholds, senders: int, burst: Burst = "none") -> Rows:
    return at(data, **where(scheme, thresholds, senders, burst))


def _drops(row: Row) -> float:
    return float(row["early_drops"] + row["tail_drops"])


def _goodputs(found: Mapping[Scheme, Rows]) -> str:
    shown = (f"{scheme} {text(of(rows, 'goodput_bps'), 1e-3, 0)}" for scheme, rows in found.items())
    return f"Goodput, kbps: {', '.join(shown)}"


def _three(data: Dataset, thresholds: Thresholds, senders: int, burst: Burst = "none") -> dict[Scheme, Rows]:
    return {scheme: _of(data, scheme, thresholds, senders, burst) for scheme in SCHEMES}


def _drop_tail_is_faster(data: Dataset, parameters: Parameters) -> Outcome:
    found = _three(data, parameters.low, parameters.few)
    gap = of(found["DropTail"], "goodput_bps") - of(found["RED"], "goodput_bps")
    bound = MARGIN * parameters.bottleneck_bps
    return Outcome(
        verdict_of(superior(bound, gap)),
        _goodputs(found),
        f"DropTail's above RED's by {text(gap, 1e-3)} kbps.",
    )


def _full_queue(data: Dataset, parameters: Parameters) -> Outcome:
    drop_tail, red = (_of(data, scheme, parameters.low, parameters.few) for scheme in ("DropTail", "RED"))
    peak = of(drop_tail, "queue_max")
    full, kept = of(drop_tail, "queue_mean"), of(red, "queue_mean")
    measured = (
        f"DropTail's largest queue {text(peak, digits=0)} of {parameters.buffer} packets;"
        f" means {text(full)} and {text(kept)}"
    )
    return judged(
        {
            "DropTail's queue is full": above(peak, parameters.buffer - 1),
            "RED's mean is half": below(kept - full / 2, 0),
        },
        measured,
    )


def _same_latency(data: Dataset, parameters: Parameters) -> Outcome:
    found = _three(data, parameters.low, parameters.few)
    delays = {scheme: of(rows, "delay_mean_s") for scheme, rows in found.items()}
    near = (delays["ECN"] - delays["RED"]) / (delays["DropTail"] - delays["RED"])
    gain = of(found["ECN"], "goodput_bps") - of(found["RED"], "goodput_bps")
    shown = ", ".join(f"{scheme} {text(delay, 1000, 0)}" for scheme, delay in delays.items())
    return judged(
        {
            "ECN's delay is near RED's": within(near, -0.25, 0.25),
            "ECN's goodput is higher": superior(MARGIN * parameters.bottleneck_bps, gain),
        },
        f"Delay, ms: {shown}. {_goodputs(found)}",
    )


def _fewer_drops(data: Dataset, parameters: Parameters) -> Outcome:
    red, ecn = (of(_of(data, scheme, parameters.low, parameters.few), _drops) for scheme in MARKING)
    measured = f"Packets dropped: RED {text(red)}, ECN {text(ecn)}"
    return Outcome(verdict_of(above(red * 0.9 - ecn, 0)), measured, "")


def _oscillation(data: Dataset, parameters: Parameters) -> Outcome:
    cases = Cases()
    for scheme in MARKING:
        queue = of(_of(data, scheme, parameters.low, parameters.few), "settled_mean")
        cases[scheme] = within(queue, 4, 8)
        cases.tell(f"{scheme} {text(queue)}")
    return cases.outcome("Mean of the settled queue, packets: ")


def _nearly_drop_tail(data: Dataset, parameters: Parameters) -> Outcome:
    cases = Cases()
    found = _three(data, parameters.high, parameters.few)
    for scheme in MARKING:
        ratio = of(found[scheme], "goodput_bps") / of(found["DropTail"], "goodput_bps")
        cases[scheme] = above(ratio, 0.98)
        cases.tell(f"{scheme} {text(ratio, 100)} %")
    return cases.outcome("Goodput in relation to DropTail's: ")


def _higher_usage(data: Dataset, parameters: Parameters) -> Outcome:
    cases = Cases()
    for scheme in MARKING:
        low, queue = (
            of(_of(data, scheme, thresholds, parameters.few), "queue_mean")
            for thresholds in (parameters.low, parameters.high)
        )
        cases[f"{scheme}: more than twice"] = above(queue / low, 2)
        cases[f"{scheme}: near min_th"] = within(queue, 0.75 * parameters.high[0], 1.25 * parameters.high[0])
        cases.tell(f"{scheme} {text(queue)}, {text(queue / low)} times that at the lower")
    return cases.outcome("Mean queue at the higher thresholds, packets: ", "; ")


def _gentler_fall(data: Dataset, parameters: Parameters) -> Outcome:
    red, ecn = (
        of(_of(data, scheme, parameters.high, parameters.few), "min_after_peak") for scheme in MARKING
    )
    measured = f"Least queue after the first peak, packets: RED {text(red)}, ECN {text(ecn)}"
    return judged({"RED's falls to 0": below(red, 1), "ECN's to about 9": within(ecn, 5, 13)}, measured)


def _smoother(data: Dataset, parameters: Parameters) -> Outcome:
    cases = Cases()
    for scheme in MARKING:
        one, more = (_of(data, scheme, parameters.high, n) for n in (parameters.few, parameters.many))
        low, high = of(one, "settled_mean"), of(more, "settled_mean")
        wild, calm = of(one, "settled_std"), of(more, "settled_std")
        cases[f"{scheme}: higher"] = superior(PACKET, high - low)
        cases[f"{scheme}: smoother"] = superior(SWING, wild - calm)
        cases.tell(
            f"{scheme} mean {text(low)} → {text(high)}, standard deviation {text(wild)} → {text(calm)}"
        )
    nodes = f"{parameters.few} → {parameters.many} nodes"
    return cases.outcome(f"Settled queue with {nodes}, packets: ", "; ")


def _differences_shrink(data: Dataset, parameters: Parameters) -> Outcome:
    cases = Cases()
    least = MARGIN * parameters.bottleneck_bps
    for name, unit, column, scale, margin in (
        ("goodput", "kbps", "goodput_bps", 1e-3, least),
        ("queue", "packets", "settled_mean", 1.0, PACKET),
    ):
        apart = {
            senders: spread([of(rows, column) for rows in _three(data, parameters.high, senders).values()])
            for senders in parameters.senders
        }
        for senders in parameters.senders[1:]:
            cases[f"{name}, {senders} nodes"] = superior(margin, apart[parameters.few] - apart[senders])
        numbers = ", ".join(f"{text(now, scale)} ({senders})" for senders, now in apart.items())
        cases.tell(f"{name}, {unit}: {numbers}")
    return cases.outcome("Spread over the schemes (nodes): ", "; ")


def _burst_suffers(data: Dataset, parameters: Parameters) -> Outcome:
    cases = Cases()
    for burst in BURSTS:
        found = _three(data, parameters.high, parameters.many, burst)
        share = {scheme: of(rows, "burst_share") for scheme, rows in found.items()}
        lost = {scheme: of(rows, "burst_lost") for scheme, rows in found.items()}
        for scheme in MARKING:
            more, fewer = share[scheme] - share["DropTail"], lost["DropTail"] - lost[scheme]
            cases[f"{burst} source, {scheme}"] = both(superior(SHARE, more), superior(SHARE, fewer))
        numbers = ", ".join(
            f"{scheme} {text(share[scheme], 100)} % ({text(lost[scheme], 100)} % lost)" for scheme in SCHEMES
        )
        cases.tell(f"{burst}: {numbers}")
    return cases.outcome("Share of the goodput: ", "; ")


_LOW, _HIGH = ("figA", "figB"), ("figI", "figJ")

CLAIMS = (
    Claim(
        "001-1",
        "Figures A, B",
        "At the lower thresholds DropTail has a higher throughput than RED.",
        "DropTail's goodput is higher by more than 1 % of the link.",
        _LOW,
        _drop_tail_is_faster,
    ),
    Claim(
        "001-2",
        "Figures C, D",
        "DropTail uses its queue completely; RED keeps it under-utilized.",
        "DropTail's largest queue is the whole buffer, and RED's mean queue less than half of DropTail's.",
        ("figC", "figD"),
        _full_queue,
    ),
    Claim(
        "001-3",
        "Figures A to D",
        "ECN gives the same benefits as RED in terms of latency, but throughput is higher.",
        "ECN's mean delay is nearer to RED's than a quarter of the way to DropTail's, and its goodput higher"
        " by more than 1 % of the link.",
        ("figA", "figC"),
        _same_latency,
    ),
    Claim(
        "001-4",
        "Figure C",
        "With ECN the congestion window is reduced faster, and fewer packets are dropped.",
        "Drops of all kinds with ECN are less than nine tenths of RED's.",
        ("figC",),
        _fewer_drops,
    ),
    Claim(
        "001-5",
        "Figure D",
        "After the first reduction the queue oscillates at 5 to 7 packets.",
        "The settled queue's mean is between 4 and 8 packets with RED and with ECN.",
        ("figD",),
        _oscillation,
    ),
    Claim(
        "001-6",
        "Figures I, J",
        "At the higher thresholds the throughput of RED and ECN is nearly identical to DropTail's.",
        "Each has more than 98 % of DropTail's goodput.",
        _HIGH,
        _nearly_drop_tail,
    ),
    Claim(
        "001-7",
        "Figures K, L",
        "At the higher thresholds buffer usage is much higher; the average is near the minimum threshold.",
        "The mean queue is more than twice that at the lower thresholds, and within a quarter of min_th.",
        ("figC", "figK"),
        _higher_usage,
    ),
    Claim(
        "001-8",
        "Figure L",
        "After the peak RED's queue falls to 0, ECN's only to about 9 packets.",
        "The least queue after the first peak is below 1 packet with RED, and 5 to 13 with ECN.",
        ("figL",),
        _gentler_fall,
    ),
    Claim(
        "001-9",
        "Figures G, H",
        "With several nodes the queue's curve is shifted up, and is more smooth.",
        "With RED and with ECN the settled queue's mean is higher by more than a packet, and its standard"
        " deviation smaller by more than half a packet, than with one node.",
        ("figH", "figL"),
        _smoother,
    ),
    Claim(
        "001-10",
        "Section 3",
        "The more nodes there are, the less the schemes differ in throughput and buffer usage.",
        "The spread over the three schemes is smaller with each larger number of nodes than with one: of"
        " goodput by more than 1 % of the link, of the settled queue by more than a packet.",
        ("senders",),
        _differences_shrink,
    ),
    Claim(
        "001-11",
        "Section 3",
        "DropTail has a bias against bursty traffic, ECN and RED are fair: an added bursty source shows it.",
        "A bursty source of either kind (TCP with a small window and a long round trip; on/off UDP) has a"
        " larger share of the goodput, and loses a smaller part of its packets, with RED and with ECN than"
        " with DropTail, each by more than half a percentage point.",
        ("burst",),
        _burst_suffers,
    ),
)
