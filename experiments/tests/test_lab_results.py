# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""What a lab's recording comes to, without a lab: measures, figures, the live view, the comparison."""

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq  # type: ignore[import-untyped]
import pytest
from mecn_experiments.errors import ExperimentError
from mecn_experiments.lab import crosscheck
from mecn_experiments.lab.figures import draw
from mecn_experiments.lab.live import LiveView
from mecn_experiments.lab.results import Recorded, measure, write
from mecn_topo import builtin
from mecn_topo.lab import Plan, Recording
from mecn_topo.lab.measure import QueueState
from rich.console import Console

Recorder = Callable[..., Recording]


@pytest.fixture
def measured(recording: Recorder) -> Recorded:
    return measure(builtin("003", 2), recording(), None)


def test_measures_by_hand(measured: Recorded) -> None:
    row = measured.row
    # Eight seconds are measured; two flows of 100 packets a second.
    assert row["acked_packets"] == pytest.approx(1600)
    assert row["link_efficiency"] == pytest.approx(1600 * 8000 / (1.5e6 * 8))
    assert row["utilisation"] == pytest.approx(150 * 8000 / 1.5e6)
    assert row["fraction_idle"] == pytest.approx(1 - 0.8)
    assert row["queue_mean"] == pytest.approx(4.0)
    assert row["queue_std"] == pytest.approx(2.0)
    assert (row["queue_max"], row["fraction_empty"]) == (6, 0.0)
    assert (row["marked_incipient"], row["marked_ce"], row["early_drops"]) == (240, 160, 80)
    assert row["sent_packets"] == 15 * 80
    assert row["tail_drops"] == 2
    assert row["goodputs_bps"] == pytest.approx([768_000, 768_000])
    assert row["jain_index"] == pytest.approx(1)
    assert row["retransmissions"] == 2 * (10 - 2)
    assert (row["timeouts"], row["fast_retransmits"]) == (1, 3)
    assert [flow.timeouts for flow in measured.measured.flows] == [1, 0]
    assert [flow.acked_packets for flow in measured.measured.flows] == pytest.approx([800, 800])
    assert len(row["trace_time_s"]) == len(row["trace_qdepth"]) == 200


def test_what_is_not_measured_is_null(measured: Recorded, recording: Recorder) -> None:
    for name in ("delay_mean_s", "jitter_s", "reductions_incipient", "reductions_loss"):
        assert measured.row[name] is None
    assert [flow.first_arrived for flow in measured.measured.flows] == [None, None], "without captures"
    bare = recording()
    bare.states = [QueueState(state.depth, state.average) for state in bare.states]
    row = measure(builtin("003", 2), bare, None).row
    assert (row["utilisation"], row["tail_drops"]) == (None, None), "as on BMv2"
    bare.host_statistics = {"S1": {f"reductions {cause}": 2 for cause in ("incipient", "moderate", "loss")}}
    assert measure(builtin("003", 2), bare, None).row["reductions_moderate"] == 2


def test_the_warm_up_does_not_count(recording: Recorder) -> None:
    made = recording()
    made.host_statistics = {"S1": {f"reductions {cause}": 5 for cause in ("incipient", "moderate", "loss")}}
    made.before = {"S1": {"TCPTimeouts": 1, "TCPFastRetrans": 1, "reductions moderate": 2}}
    row = measure(builtin("003", 2), made, None).row
    assert (row["timeouts"], row["fast_retransmits"]) == (0, 2)
    assert (row["reductions_incipient"], row["reductions_moderate"]) == (5, 3)


def test_an_interrupted_run_counts_as_far_as_it_came(recording: Recorder) -> None:
    short = recording(5.0)
    short.plan = Plan(10.0, 2.0)
    row = measure(builtin("003", 2), short, None).row
    assert row["acked_packets"] == pytest.approx(600)
    assert row["link_efficiency"] == pytest.approx(600 * 8000 / (1.5e6 * 3))


def test_files(measured: Recorded, tmp_path: Path) -> None:
    write(measured, tmp_path, {"title": "made up"})
    (row,) = pq.read_table(tmp_path / "run.parquet").to_pylist()
    assert row["marked_ce"] == 160
    flows = pq.read_table(tmp_path / "flows.parquet")
    assert flows.column_names == [
        "flow",
        "time_s",
        "cwnd_packets",
        "srtt_s",
        "bytes_acked",
        "retransmissions",
    ]
    assert flows.num_rows == 2 * 51
    assert json.loads(flows.schema.metadata[b"mecn.lab"]) == {"title": "made up"}
    assert json.loads((tmp_path / "summary.json").read_text())["measures"]["tail_drops"] == 2


def test_pictures(measured: Recorded) -> None:
    drawn = draw(measured)
    assert [drawing.key for drawing in drawn] == ["queue", "cwnd", "goodput", "marks"]
    assert all("<svg" in drawing.svg for drawing in drawn)
    assert "240 incipient, 160 CE, 80 early drops, of 1200 packets" in drawn[3].alt
    assert "1.536 Mbit/s in all" in drawn[2].alt


def test_the_live_view(recording: Recorder) -> None:
    made = recording()
    screen = io.StringIO()
    view = LiveView(builtin("003", 2), "003, 2 flows", Console(file=screen, force_terminal=True, width=100))
    Console(file=screen, width=100).print(view.picture(made))
    text = screen.getvalue()
    for words in ("003, 2 flows   10 of 10 s", "queue R1:1", "2 packets, 3.50 on average, at most",
                  "incipient 1", "CE 2", "all 4", "early drop", "S2-D2", "0.768"):  # fmt: skip
        assert words in text, words
    lines = io.StringIO()
    LiveView(builtin("003", 2), "x", Console(file=lines)).show(made)
    assert (
        "10.0 s  queue    2, average   3.50 packets; marked 300 incipient, 200 CE; goodput 1.536"
        in lines.getvalue()
    )


# ---- Comparison --------------------------------------------------------------------------------------------

ROW: dict[str, Any] = {
    "link_efficiency": 0.95, "queue_mean": 4.0, "marked_incipient": 700, "marked_ce": 1000, "queue_std": 6.0,
    "fraction_empty": 0.1, "delay_mean_s": 0.07, "reductions_incipient": 400, "reductions_moderate": 400,
    "jain_index": 0.99,
}  # fmt: skip
SAME = crosscheck.Sides({"embedded": [ROW], "bmv2": [ROW]}, [ROW], [ROW])


@pytest.mark.parametrize("target", ["embedded", "bmv2"])
@pytest.mark.parametrize(
    ("change", "fails"),
    [
        ({}, []),
        ({"link_efficiency": 0.903, "queue_mean": 4.9}, []),
        ({"link_efficiency": 0.90}, ["link efficiency, %"]),
        ({"queue_mean": 5.1}, ["mean queue, packets"]),
        ({"marked_ce": 1260}, ["CE marks"]),
        ({"marked_incipient": 550}, ["incipient marks"]),
        ({"reductions_moderate": 510}, ["reductions for CE"]),
    ],
)
def test_limits(target: str, change: dict[str, float], fails: list[str]) -> None:
    labs = {"embedded": [ROW], "bmv2": [ROW], target: [ROW | change]}
    lines = crosscheck.compare(crosscheck.Sides(labs, [ROW, ROW], [ROW]), SAME)
    assert [line.measure.title for line in lines if line.outside] == fails
    assert all(line.outside in ([], [target]) for line in lines)


def test_the_table_goes_into_the_document(tmp_path: Path) -> None:
    labs = {"embedded": [ROW, ROW | {"queue_mean": 5.0}], "bmv2": [ROW | {"queue_mean": 8.0}]}
    sides = crosscheck.Sides(labs, [ROW], [ROW | {"queue_mean": 3.0}])
    lines = crosscheck.compare(sides, SAME)
    path = tmp_path / "doc.md"
    path.write_text("a\n<!-- crosscheck: begin -->\nold\n<!-- crosscheck: end -->\nb\n")
    crosscheck.write(lines, path)
    text = path.read_text()
    assert "old" not in text
    assert "| measure | virtual network | lab, embedded switch | / virtual | lab, BMv2 | / virtual |" in text
    queue = "| mean queue, packets | 4 | 4.5 (4 to 5) | 1.125 | 8 | 2.000 | 15 % or 1 packet | not bmv2 | 3 |"
    assert queue in text
    assert "| after the start: mean queue, packets | 4 | 4 | 1.000 | 4 | 1.000 |  |  | 4 |" in text
    assert text.startswith("a\n")
    assert text.endswith("\nb\n")
    assert "<!-- crosscheck: begin -->" in crosscheck.DOCUMENT.read_text()
    path.write_text("nothing")
    with pytest.raises(ExperimentError, match="are not there"):
        crosscheck.write(lines, path)
    unmeasured = {"bmv2": [ROW | {"reductions_incipient": None}]}
    with pytest.raises(ExperimentError, match="lab, BMv2 has not measured reductions_incipient"):
        crosscheck.compare(crosscheck.Sides(unmeasured, [ROW], [ROW]), SAME)


def test_without_bmv2_its_column_is_left_out() -> None:
    alone = crosscheck.Sides({"embedded": [ROW]}, [ROW], [ROW])
    text = crosscheck.markdown(crosscheck.compare(alone, alone))
    assert "BMv2" not in text
    assert "| mean queue, packets | 4 | 4 | 1.000 | 15 % or 1 packet | yes | 4 |" in text
