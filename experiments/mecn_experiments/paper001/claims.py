# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""The claims, each with the rule that decides it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .. import paired
from ..declaration import Claim
from ..paired import mean_of
from ..statistics import Estimate, estimate
from ..verdicts import Cases, Outcome, above, below, both, every, judged, superior, text, verdict_of, within
from .scenarios import BURSTS, SCHEMES, where

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..dataset import Dataset, Row
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


def _of(
    data: Dataset, scheme: Scheme, thresholds: Thresholds, senders: int, burst: Burst = "none"
) -> dict[int, Row]:
    """A point's rows by seed."""
    return {row["seed"]: row for row in data.select(**where(scheme, thresholds, senders, burst))}


def _goodput(row: Row) -> float:
    return float(row["goodput_bps"])


def _delay(row: Row) -> float:
    return float(row["delay_mean_s"])


def _drops(row: Row) -> float:
    return float(row["early_drops"] + row["tail_drops"])


def _settled(row: Row) -> float:
    return float(row["settled_mean"])


def _spread(row: Row) -> float:
    return float(row["settled_std"])


def _goodputs(data: Dataset, thresholds: Thresholds, senders: int) -> str:
    shown = (
        f"{scheme} {text(mean_of(_of(data, scheme, thresholds, senders), _goodput), 1e-3, 0)}"
        for scheme in SCHEMES
    )
    return f"Goodput, kbps: {', '.join(shown)}"


def _drop_tail_is_faster(data: Dataset, parameters: Parameters) -> Outcome:
    at = (parameters.low, parameters.few)
    gap = paired.gap(_of(data, "DropTail", *at), _of(data, "RED", *at), _goodput)
    bound = MARGIN * parameters.bottleneck_bps
    return Outcome(
        verdict_of(superior(bound, gap)),
        _goodputs(data, *at),
        f"DropTail's above RED's by {text(gap, 1e-3)} kbps.",
    )


def _full_queue(data: Dataset, parameters: Parameters) -> Outcome:
    at = (parameters.low, parameters.few)
    drop_tail, red = _of(data, "DropTail", *at), _of(data, "RED", *at)
    peak = mean_of(drop_tail, lambda row: float(row["queue_max"]))
    gap = estimate([red[seed]["queue_mean"] - drop_tail[seed]["queue_mean"] / 2 for seed in sorted(red)])
    means = [mean_of(rows, lambda row: float(row["queue_mean"])) for rows in (drop_tail, red)]
    measured = (
        f"DropTail's largest queue {text(peak, digits=0)} of {parameters.buffer} packets;"
        f" means {text(means[0])} and {text(means[1])}"
    )
    return judged(
        {"DropTail's queue is full": above(peak, parameters.buffer - 1), "RED's mean is half": below(gap, 0)},
        measured,
    )


def _same_latency(data: Dataset, parameters: Parameters) -> Outcome:
    at = (parameters.low, parameters.few)
    drop_tail, red, ecn = (_of(data, scheme, *at) for scheme in SCHEMES)
    delay = estimate(
        [
            (_delay(ecn[seed]) - _delay(red[seed])) / (_delay(drop_tail[seed]) - _delay(red[seed]))
            for seed in sorted(ecn)
        ]
    )
    gain = paired.gap(ecn, red, _goodput)
    verdict, why = every(
        {
            "ECN's delay is near RED's": within(delay, -0.25, 0.25),
            "ECN's goodput is higher": superior(MARGIN * parameters.bottleneck_bps, gain),
        }
    )
    delays = ", ".join(
        f"{scheme} {text(mean_of(_of(data, scheme, *at), _delay), 1000, 0)}" for scheme in SCHEMES
    )
    return Outcome(verdict, f"Delay, ms: {delays}. {_goodputs(data, *at)}", why)


def _fewer_drops(data: Dataset, parameters: Parameters) -> Outcome:
    at = (parameters.low, parameters.few)
    red, ecn = _of(data, "RED", *at), _of(data, "ECN", *at)
    gap = estimate([0.9 * _drops(red[seed]) - _drops(ecn[seed]) for seed in sorted(red)])
    measured = f"Packets dropped: RED {text(mean_of(red, _drops))}, ECN {text(mean_of(ecn, _drops))}"
    return Outcome(verdict_of(above(gap, 0)), measured, "")


def _oscillation(data: Dataset, parameters: Parameters) -> Outcome:
    cases = Cases()
    for scheme in MARKING:
        queue = mean_of(_of(data, scheme, parameters.low, parameters.few), _settled)
        cases[scheme] = within(queue, 4, 8)
        cases.tell(f"{scheme} {text(queue)}")
    return cases.outcome("Mean of the settled queue, packets: ", ", ")


def _nearly_drop_tail(data: Dataset, parameters: Parameters) -> Outcome:
    at = (parameters.high, parameters.few)
    drop_tail = _of(data, "DropTail", *at)
    cases = Cases()
    for scheme in MARKING:
        rows = _of(data, scheme, *at)
        ratio = estimate([_goodput(rows[seed]) / _goodput(drop_tail[seed]) for seed in sorted(rows)])
        cases[scheme] = above(ratio, 0.98)
        cases.tell(f"{scheme} {text(ratio, 100)} %")
    return cases.outcome("Goodput in relation to DropTail's: ", ", ")


def _higher_usage(data: Dataset, parameters: Parameters) -> Outcome:
    cases = Cases()
    for scheme in MARKING:
        low = _of(data, scheme, parameters.low, parameters.few)
        high = _of(data, scheme, parameters.high, parameters.few)
        factor = estimate([high[seed]["queue_mean"] / low[seed]["queue_mean"] for seed in sorted(high)])
        queue = mean_of(high, lambda row: float(row["queue_mean"]))
        cases[f"{scheme}: more than twice"] = above(factor, 2)
        cases[f"{scheme}: near min_th"] = within(queue, 0.75 * parameters.high[0], 1.25 * parameters.high[0])
        cases.tell(f"{scheme} {text(queue)}, {text(factor)} times that at the lower")
    return cases.outcome("Mean queue at the higher thresholds, packets: ", "; ")


def _gentler_fall(data: Dataset, parameters: Parameters) -> Outcome:
    def lowest(scheme: Scheme) -> Estimate:
        rows = _of(data, scheme, parameters.high, parameters.few)
        return mean_of(rows, lambda row: float(row["min_after_peak"]))

    red, ecn = lowest("RED"), lowest("ECN")
    measured = f"Least queue after the first peak, packets: RED {text(red)}, ECN {text(ecn)}"
    return judged({"RED's falls to 0": below(red, 1), "ECN's to about 9": within(ecn, 5, 13)}, measured)


def _smoother(data: Dataset, parameters: Parameters) -> Outcome:
    cases = Cases()
    for scheme in MARKING:
        one = _of(data, scheme, parameters.high, parameters.few)
        more = _of(data, scheme, parameters.high, parameters.many)
        higher, calmer = paired.gap(more, one, _settled), paired.gap(one, more, _spread)
        cases[f"{scheme}: higher"] = superior(PACKET, higher)
        cases[f"{scheme}: smoother"] = superior(SWING, calmer)
        cases.tell(
            f"{scheme} mean {text(mean_of(one, _settled))} → {text(mean_of(more, _settled))}, standard"
            f" deviation {text(mean_of(one, _spread))} → {text(mean_of(more, _spread))}"
        )
    measured = (
        f"Settled queue with {parameters.few} → {parameters.many} nodes, packets: {'; '.join(cases.told)}"
    )
    return judged(cases, measured)


def _differences_shrink(data: Dataset, parameters: Parameters) -> Outcome:
    def spread(senders: int, measure: Callable[[Row], float]) -> dict[int, float]:
        rows = [_of(data, scheme, parameters.high, senders) for scheme in SCHEMES]
        return {
            seed: max(measure(r[seed]) for r in rows) - min(measure(r[seed]) for r in rows)
            for seed in rows[0]
        }

    cases = Cases()
    least = MARGIN * parameters.bottleneck_bps
    for name, measure, scale, margin in (
        ("goodput, kbps", _goodput, 1e-3, least),
        ("queue, packets", _settled, 1.0, PACKET),
    ):
        first = spread(parameters.few, measure)
        numbers = []
        for senders in parameters.senders:
            now = spread(senders, measure)
            numbers.append(f"{text(estimate(list(now.values())), scale)} ({senders})")
            if senders > parameters.few:
                gap = estimate([first[seed] - now[seed] for seed in sorted(now)])
                cases[f"{name.split(',')[0]}, {senders} nodes"] = superior(margin, gap)
        cases.tell(f"{name}: {', '.join(numbers)}")
    return cases.outcome("Spread over the schemes (nodes): ", "; ")


def _burst_suffers(data: Dataset, parameters: Parameters) -> Outcome:
    cases = Cases()
    for burst in BURSTS:
        at = (parameters.high, parameters.many, burst)
        rows = {scheme: _of(data, scheme, *at) for scheme in SCHEMES}
        for scheme in MARKING:
            more = paired.gap(rows[scheme], rows["DropTail"], lambda row: float(row["burst_share"]))
            fewer = paired.gap(rows["DropTail"], rows[scheme], lambda row: float(row["burst_lost"]))
            cases[f"{burst} source, {scheme}"] = both(superior(SHARE, more), superior(SHARE, fewer))
        numbers = ", ".join(
            f"{scheme} {text(mean_of(found, lambda row: 100 * float(row['burst_share'])))} %"
            f" ({text(mean_of(found, lambda row: 100 * float(row['burst_lost'])))} % lost)"
            for scheme, found in rows.items()
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
