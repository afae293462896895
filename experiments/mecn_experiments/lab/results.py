# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""What a lab's run comes to: measures with the names of the experiments' data files, and Parquet files.

A run has a folder: `run.parquet` (one row: all measures, the queue's trace), `flows.parquet` and
`marks.parquet` (series over time), `summary.json`, a capture for each host, and figures. Measures that a run
cannot have are null: without captures there are no delays, without `mecn-host` no reductions by cause.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.parquet as pq  # type: ignore[import-untyped]
from mecn_topo.lab import capture

from ..files import staged, writable_directory
from ..measured import (
    HEADER_BYTES,
    REDUCTIONS,
    Delays,
    FlowMeasures,
    History,
    Measured,
    QueueMeasures,
    measures,
)

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from mecn_topo import Link, Placement, Scenario
    from mecn_topo.lab import Recording
    from mecn_topo.lab.capture import Codepoints, FlowCapture
    from mecn_topo.lab.measure import FlowSeries, QueueState

    from ..dataset import Row

TRACE_S = 0.05
"""Distance of a trace's points, as in the virtual experiments."""


@dataclass(frozen=True)
class Recorded:
    """A run with what was recorded of it over time."""

    scenario: Scenario
    recording: Recording
    measured: Measured
    row: Row
    """The shared columns, and the queue's trace."""
    wire: dict[str, Codepoints]
    """By flow, from the captures; empty without."""
    lateness_ms: dict[str, float]
    """How much later than due the watched switch sent frames."""

    def measured_at(self, interval_s: float | None) -> Measured:
        """With the queue's history at equal distances; None: as it was sampled."""
        history = self.measured.history
        if interval_s is None or history is None:
            return self.measured
        points = np.arange(0, self.recording.elapsed_s, interval_s)
        at, sent = history.at(points), history.sent_bytes
        sampled = History(points, history.depth[at], history.average[at], None if sent is None else sent[at])
        return replace(self.measured, history=sampled)


def link_of(scenario: Scenario, switch: str, port: int) -> Link:
    """The link behind a port."""
    return scenario.topology.links[scenario.topology.links_of(switch)[port - 1]]


def measure(scenario: Scenario, recording: Recording, captures: Path | None) -> Recorded:
    """Evaluates a recording that has reached its end, or was interrupted (then up to where it came)."""
    plan, states = recording.plan, recording.states
    begin, end = plan.warmup_s, min(plan.duration_s, recording.elapsed_s)
    watched, *others = scenario.placements
    link = link_of(scenario, watched.switch, watched.port)
    captured = _captured(recording, captures, begin, end) if captures is not None else None
    measured = Measured(
        flows=[
            _flow(
                series, recording, scenario.mtu, (begin, end), None if captured is None else captured[number]
            )
            for number, series in enumerate(recording.flows)
        ],
        queue=_queue(scenario, recording, begin, end),
        history=_history(scenario, recording),
        delay=_delays(captured or []),
        begin_s=begin,
        window_s=max(end - begin, 1e-9),
        **_hosts(recording),
        other_utilisations=[
            _utilisation(scenario, of, recording.others[of.switch, of.port], end - begin, states)
            for of in others
            if (of.switch, of.port) in recording.others
        ],
    )
    row = {**measures(measured, rate_bps=link.rate_bps, mtu=scenario.mtu), **trace(recording)}
    wire = {
        flow_name(series): found.codepoints
        for series, found in zip(recording.flows, captured or [], strict=captured is not None)
    }
    lateness = {"p99": states[-1].late_p99_ns / 1e6, "max": states[-1].late_max_ns / 1e6}
    return Recorded(scenario, recording, measured, row, wire, lateness)


def _utilisation(
    scenario: Scenario,
    of: Placement,
    window: tuple[QueueState, QueueState],
    span: float,
    states: Sequence[QueueState],
) -> float | None:
    """Of the link behind a queue; None where it is not known what the queue has sent (BMv2 and netem)."""
    first, last = window
    if last.tx_packets == 0 and states[-1].tx_packets == 0:
        return None
    sent = _sent_bytes(scenario, last) - _sent_bytes(scenario, first)
    return 8 * sent / (link_of(scenario, of.switch, of.port).rate_bps * max(span, 1e-9))


def _sent_bytes(scenario: Scenario, state: QueueState) -> int:
    """What a queue has sent, in the bytes that its link's rate counts."""
    return state.tx_bytes + scenario.topology.overhead_bytes * state.tx_packets


def _history(scenario: Scenario, recording: Recording) -> History:
    states = recording.states
    sent = [_sent_bytes(scenario, state) for state in states]
    return History(
        np.asarray(recording.time_s),
        np.asarray([state.depth for state in states], dtype="<u4"),
        np.asarray([state.average for state in states]),
        np.asarray(sent, dtype="<i8") if states[-1].tx_packets > 0 else None,
    )


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
    mtu: int,
    window: tuple[float, float],
    captured: FlowCapture | None,
) -> FlowMeasures:
    begin, end = window

    def growth(counts: list[int]) -> float:
        return series.at(counts, end) - series.at(counts, begin)

    acked = growth(series.bytes_acked)
    delays = None if captured is None else captured.delays.values
    return FlowMeasures(
        acked_packets=acked / (mtu - HEADER_BYTES),
        acked_bytes=acked,
        retransmissions=round(growth(series.retransmissions)),
        timeouts=_growth(recording, recording.netstat, series.flow.source, "TCPTimeouts"),
        sent=None if captured is None else captured.sent,
        received=None if captured is None else captured.received,
        sent_data=None if captured is None else captured.sent,
        arrived=None if captured is None else captured.received,
        first_arrived=None if captured is None else captured.first_received,
        delay_mean_s=None if delays is None else float(np.mean(delays)) if len(delays) else math.nan,
        window=(np.asarray(series.time_s), np.asarray(series.cwnd, dtype=float)),
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


def _queue(scenario: Scenario, recording: Recording, begin: float, end: float) -> QueueMeasures:
    """Statistics of the depth, where each sample counts until the next; marks and drops."""
    watched, states = scenario.placements[0], recording.states
    times = np.asarray([*recording.time_s, end])
    depth = np.asarray([state.depth for state in states], dtype=float)
    weight = np.clip(times[1:], begin, end) - np.clip(times[:-1], begin, end)
    total = weight.sum()
    if total <= 0:
        weight, total = np.ones_like(depth), float(len(depth))
    mean = float((depth * weight).sum() / total)
    marks = {
        name: _difference(recording, getattr(recording.marks, name), begin)
        for name in ("passed", "incipient", "ce", "early_drops")
    }
    first, last = _state_at(recording, begin), _state_at(recording, end)
    counts_ports = states[-1].tx_packets > 0
    utilisation = _utilisation(scenario, watched, (first, last), end - begin, states)
    return QueueMeasures(
        depth_mean=mean,
        depth_std=float(np.sqrt(((depth - mean) ** 2 * weight).sum() / total)),
        depth_max=int(depth[weight > 0].max(initial=0)),
        depth_min=int(depth[weight > 0].min(initial=depth.max())),
        fraction_empty=float(weight[depth == 0].sum() / total),
        fraction_idle=None if utilisation is None else 1 - utilisation,
        utilisation=utilisation,
        sent_packets=marks["passed"] + marks["incipient"] + marks["ce"],
        sent_bytes=_sent_bytes(scenario, last) - _sent_bytes(scenario, first) if counts_ports else None,
        marked_incipient=marks["incipient"],
        marked_ce=marks["ce"],
        early_drops=marks["early_drops"],
        tail_drops=None if last.tail_drops is None else last.tail_drops - (first.tail_drops or 0),
    )


def _hosts(recording: Recording) -> dict[str, Any]:
    def total(counts: dict[str, dict[str, int]], name: str) -> int:
        return sum(_growth(recording, counts, host, name) for host in counts)

    counted = recording.host_statistics
    return {
        "timeouts": total(recording.netstat, "TCPTimeouts"),
        "fast_retransmits": total(recording.netstat, "TCPFastRetrans"),
        "reductions": {
            cause: total(counted, f"reductions {cause}") if counted else None for cause in REDUCTIONS
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


def _delays(captured: Sequence[FlowCapture]) -> Delays | None:
    values = [delay for found in captured for delay in found.delays.values]
    if not values:
        return None
    jitters = [(found.delays.jitter_s, len(found.delays.values)) for found in captured]
    return Delays(
        float(np.mean(values)),
        float(np.percentile(values, 95)),
        float(np.std(values)),
        sum(jitter * count for jitter, count in jitters) / sum(count for _, count in jitters),
    )


# ---- Files -------------------------------------------------------------------------------------------------


def write(measured: Recorded, folder: Path, about: dict[str, Any]) -> None:
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


def proof(measured: Recorded) -> dict[str, Any]:
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
