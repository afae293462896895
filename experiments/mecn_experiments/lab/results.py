# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""What a lab's run comes to: measures with the names of the experiments' data files, and Parquet files.

A run has a folder: `run.parquet` (one row: all measures, the queue's trace), `flows.parquet` and
`marks.parquet` (series over time), `summary.json`, a capture for each host, and figures. Measures that a run
cannot have are null: without captures there are no delays, without `mecn-host` no reductions by cause.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.parquet as pq  # type: ignore[import-untyped]
from mecn_topo.lab import capture

from ..files import staged, writable_directory
from ..statistics import jain_index

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from mecn_topo import Link, Scenario
    from mecn_topo.lab import Recording
    from mecn_topo.lab.capture import Codepoints, FlowCapture
    from mecn_topo.lab.measure import FlowSeries

    from ..dataset import Row

HEADER_BYTES = 40
"""IPv4 and TCP without options."""
TRACE_S = 0.05
"""Distance of a trace's points, as in the virtual experiments."""


@dataclass(frozen=True)
class FlowMeasures:
    """A flow within the window that is measured, in packets."""

    acked_packets: float
    """With new data."""
    retransmissions: int
    timeouts: int
    """Of its source."""
    sent: int | None = None
    """Data segments that left the source; this and the rest None without captures."""
    received: int | None = None
    """Data segments that reached the sink."""
    delays_s: Sequence[float] | None = None
    """One way, of those."""

    @property
    def first_time_packets(self) -> float:
        """Acknowledged without having been sent again: every retransmission counts against one packet."""
        return max(0.0, self.acked_packets - self.retransmissions)


@dataclass(frozen=True)
class Measured:
    """A run's results."""

    scenario: Scenario
    recording: Recording
    row: Row
    flows: list[FlowMeasures]
    """In the scenario's order."""
    wire: dict[str, Codepoints]
    """By flow, from the captures; empty without."""
    lateness_ms: dict[str, float]
    """How much later than due the watched switch sent frames."""

    @property
    def begin_s(self) -> float:
        """Where the window begins that is measured."""
        return self.recording.plan.warmup_s

    @property
    def window_s(self) -> float:
        """Its length: up to the end, or to where an interrupted run came."""
        return max(min(self.recording.plan.duration_s, self.recording.elapsed_s) - self.begin_s, 1e-9)

    @property
    def has_port_counts(self) -> bool:
        """Whether it is known what the queue has sent: with BMv2 and netem it is not."""
        return self.recording.states[-1].tx_packets > 0

    def sent_bytes(self, index: int) -> int:
        """What the watched queue had sent by a sample, in the bytes that its link's rate counts."""
        state = self.recording.states[index]
        return state.tx_bytes + self.scenario.topology.overhead_bytes * state.tx_packets

    def at(self, time_s: float) -> int:
        """The last sample until then."""
        return max(int(np.searchsorted(self.recording.time_s, time_s + 1e-9, side="right")) - 1, 0)

    def utilisation_of(self, switch: str, port: int) -> float | None:
        """Of the link behind another queue that has a profile."""
        first, last = self.recording.others[switch, port]
        if last.tx_packets == 0 and not self.has_port_counts:
            return None
        overhead = self.scenario.topology.overhead_bytes
        sent = last.tx_bytes - first.tx_bytes + overhead * (last.tx_packets - first.tx_packets)
        return 8 * sent / (link_of(self.scenario, switch, port).rate_bps * self.window_s)


def link_of(scenario: Scenario, switch: str, port: int) -> Link:
    """The link behind a port."""
    return scenario.topology.links[scenario.topology.links_of(switch)[port - 1]]


def measure(scenario: Scenario, recording: Recording, captures: Path | None) -> Measured:
    """Evaluates a recording that has reached its end, or was interrupted (then up to where it came)."""
    plan, states = recording.plan, recording.states
    begin, end = plan.warmup_s, min(plan.duration_s, recording.elapsed_s)
    span = max(end - begin, 1e-9)
    watched = scenario.placements[0]
    link = link_of(scenario, watched.switch, watched.port)
    payload = scenario.mtu - HEADER_BYTES
    captured = _captured(recording, captures, begin, end) if captures is not None else None
    flows = [
        _flow(series, recording, payload, (begin, end), None if captured is None else captured[number])
        for number, series in enumerate(recording.flows)
    ]
    marks = {
        name: _difference(recording, getattr(recording.marks, name), begin)
        for name in ("passed", "incipient", "ce", "early_drops")
    }
    first, last = _state_at(recording, begin), _state_at(recording, end)
    sent_bits = 8 * (
        last.tx_bytes
        - first.tx_bytes
        + scenario.topology.overhead_bytes * (last.tx_packets - first.tx_packets)
    )
    counts_ports = states[-1].tx_packets > 0
    utilisation = sent_bits / (link.rate_bps * span) if counts_ports else None
    acked_packets = sum(flow.acked_packets for flow in flows)
    goodputs = [8 * payload * flow.acked_packets / span for flow in flows]
    row: Row = {
        "acked_packets": acked_packets,
        "link_efficiency": acked_packets / (link.rate_bps * span / (8 * scenario.mtu)),
        "utilisation": utilisation,
        **_queue(recording, begin, end),
        "fraction_idle": None if utilisation is None else 1 - utilisation,
        "sent_packets": marks["passed"] + marks["incipient"] + marks["ce"],
        "marked_incipient": marks["incipient"],
        "marked_ce": marks["ce"],
        "early_drops": marks["early_drops"],
        "tail_drops": None if last.tail_drops is None else last.tail_drops - (first.tail_drops or 0),
        "jain_index": jain_index(goodputs),
        "retransmissions": sum(flow.retransmissions for flow in flows),
        "goodputs_bps": goodputs,
        **_hosts(recording),
        **trace(recording),
        **_delays(captured or []),
    }
    wire = {
        flow_name(series): found.codepoints
        for series, found in zip(recording.flows, captured or [], strict=captured is not None)
    }
    lateness = {"p99": states[-1].late_p99_ns / 1e6, "max": states[-1].late_max_ns / 1e6}
    return Measured(scenario, recording, row, flows, wire, lateness)


def _captured(recording: Recording, captures: Path, begin: float, end: float) -> list[FlowCapture]:
    files = [
        (captures / f"{of.flow.source}.pcap", captures / f"{of.flow.sink}.pcap", of.local_port)
        for of in recording.flows
    ]
    clock = recording.begin_ns
    return capture.evaluate(files, clock + round(begin * 1e9), clock + round(end * 1e9))


def _flow(
    series: FlowSeries,
    recording: Recording,
    payload: int,
    window: tuple[float, float],
    captured: FlowCapture | None,
) -> FlowMeasures:
    begin, end = window

    def growth(counts: list[int]) -> float:
        return series.at(counts, end) - series.at(counts, begin)

    source = series.flow.source
    return FlowMeasures(
        acked_packets=growth(series.bytes_acked) / payload,
        retransmissions=round(growth(series.retransmissions)),
        timeouts=_growth(recording, recording.netstat, source, "TCPTimeouts"),
        sent=None if captured is None else captured.sent,
        received=None if captured is None else captured.received,
        delays_s=None if captured is None else captured.delays.values,
    )


def _growth(recording: Recording, counts: dict[str, dict[str, int]], host: str, name: str) -> int:
    """A host's count since the warm-up."""
    return counts.get(host, {}).get(name, 0) - recording.before.get(host, {}).get(name, 0)


def flow_name(series: FlowSeries) -> str:
    """S1-D1, as figures and tables name a flow."""
    return f"{series.flow.source}-{series.flow.sink}"


def _state_at(recording: Recording, time_s: float) -> Any:  # noqa: ANN401 - QueueState
    index = int(np.searchsorted(recording.time_s, time_s + 1e-9, side="right")) - 1
    return recording.states[max(index, 0)]


def _difference(recording: Recording, counts: list[int], begin: float) -> int:
    """Growth of a count of marks from the beginning of the window to the last look, which ends it."""
    times = recording.marks.time_s
    if not times:
        return 0
    first = max(int(np.searchsorted(times, begin + 1e-9, side="right")) - 1, 0)
    # The edges of the window are read at the first look after them.
    if times[first] < begin and first + 1 < len(times):
        first += 1
    base = 0 if begin <= 0 else counts[first]
    return counts[-1] - base


def _queue(recording: Recording, begin: float, end: float) -> Row:
    """Statistics of the depth; each sample counts until the next."""
    times = np.asarray([*recording.time_s, end])
    depth = np.asarray([state.depth for state in recording.states], dtype=float)
    weight = np.clip(times[1:], begin, end) - np.clip(times[:-1], begin, end)
    total = weight.sum()
    if total <= 0:
        weight, total = np.ones_like(depth), float(len(depth))
    mean = float((depth * weight).sum() / total)
    return {
        "queue_mean": mean,
        "queue_std": float(np.sqrt(((depth - mean) ** 2 * weight).sum() / total)),
        "queue_max": int(depth[weight > 0].max(initial=0)),
        "fraction_empty": float(weight[depth == 0].sum() / total),
    }


def _hosts(recording: Recording) -> Row:
    def total(counts: dict[str, dict[str, int]], name: str) -> int:
        return sum(_growth(recording, counts, host, name) for host in counts)

    counted = recording.host_statistics
    return {
        "timeouts": total(recording.netstat, "TCPTimeouts"),
        "fast_retransmits": total(recording.netstat, "TCPFastRetrans"),
        **{
            f"reductions_{cause}": total(counted, f"reductions {cause}") if counted else None
            for cause in ("incipient", "moderate", "loss")
        },
    }


def trace(recording: Recording) -> Row:
    """Depth and average at regular times."""
    points = np.arange(0, recording.elapsed_s, TRACE_S)
    at = np.clip(np.searchsorted(recording.time_s, points, side="right") - 1, 0, None)
    return {
        "trace_time_s": points,
        "trace_qdepth": np.asarray([recording.states[i].depth for i in at], dtype="<u4"),
        "trace_avg_qdepth": np.asarray([recording.states[i].average for i in at], dtype="<f4"),
    }


def _delays(captured: Sequence[FlowCapture]) -> Row:
    values = [delay for found in captured for delay in found.delays.values]
    jitters = [(found.delays.jitter_s, len(found.delays.values)) for found in captured]
    if not values:
        return dict.fromkeys(("delay_mean_s", "delay_p95_s", "delay_std_s", "jitter_s"))
    packets = sum(count for _, count in jitters)
    return {
        "delay_mean_s": float(np.mean(values)),
        "delay_p95_s": float(np.percentile(values, 95)),
        "delay_std_s": float(np.std(values)),
        "jitter_s": sum(jitter * count for jitter, count in jitters) / packets,
    }


# ---- Files -------------------------------------------------------------------------------------------------


def write(measured: Measured, folder: Path, about: dict[str, Any]) -> None:
    """Writes the Parquet files and the summary of a run. about: what made it."""
    recording = measured.recording
    flows: dict[str, list[Any]] = {
        name: [] for name in ("flow", "time_s", "cwnd_packets", "srtt_s", "bytes_acked", "retransmissions")
    }
    for series in recording.flows:
        flows["flow"] += [flow_name(series)] * len(series.time_s)
        flows["time_s"] += series.time_s
        flows["cwnd_packets"] += series.cwnd
        flows["srtt_s"] += series.srtt_s
        flows["bytes_acked"] += series.bytes_acked
        flows["retransmissions"] += series.retransmissions
    metadata = {"mecn.lab": json.dumps(about, sort_keys=True)}
    tables = {
        "run.parquet": pa.Table.from_pylist([measured.row]),
        "flows.parquet": pa.table(flows),
        "marks.parquet": pa.table(vars(recording.marks)),
    }
    with staged(writable_directory(folder)) as staging:
        for name, table in tables.items():
            pq.write_table(table.replace_schema_metadata(metadata), staging / name, compression="zstd")
        summary = {"about": about, "measures": _plain(measured.row), **proof(measured)}
        text = json.dumps(summary, indent=1, allow_nan=False) + "\n"
        (staging / "summary.json").write_text(text, encoding="utf-8")


def _plain(row: Row) -> Row:
    return {name: value for name, value in row.items() if not name.startswith("trace_")}


def proof(measured: Measured) -> dict[str, Any]:
    """Codepoints on the wire by flow, and how late the switch was, as JSON."""

    def named(found: Codepoints) -> dict[str, Any]:
        return {
            "data sent": {capture.ECN_NAMES[ecn]: n for ecn, n in sorted(found.sent.items())},
            "data received": {capture.ECN_NAMES[ecn]: n for ecn, n in sorted(found.received.items())},
            "echoes (CWR,ECE)": {f"{cwr}{ece}": n for (cwr, ece), n in sorted(found.echoes.items())},
        }

    return {
        "wire": {flow: named(found) for flow, found in measured.wire.items()},
        "switch late by, ms": measured.lateness_ms,
    }
