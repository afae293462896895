# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""Monitor, samples, terminal picture, recordings and metrics, without a switch."""

from __future__ import annotations

import asyncio
import csv
import io
import json
import re
import shutil
import subprocess
from pathlib import Path

import pyarrow.parquet as pq  # type: ignore[import-untyped]
import pytest
from mecn_controller import Ecn, Mecn, Profile, Threshold, load_profile, profile_entries
from mecn_controller.reports import PortReport
from mecn_controller.runtime.readback import PortCounters, port_policies
from mecn_controller.telemetry.metrics import exported_names, registry_of
from mecn_controller.telemetry.monitor import Monitor, preferred
from mecn_controller.telemetry.parts import means, sparkline
from mecn_controller.telemetry.recording import CsvRecorder, ParquetRecorder
from mecn_controller.telemetry.sample import Sample, Snapshot
from mecn_controller.telemetry.screen import render
from prometheus_client import generate_latest
from prometheus_client.parser import text_string_to_metric_families
from rich.console import Console

FOLDER = Path(__file__).resolve().parent.parent
DASHBOARD = FOLDER / "dashboards" / "mecn.json"
MECN = Mecn(name="m", min_th=5, mid_th=10, max_th=20, max_p=0.1, report_period_ms=100)


def monitor_of(profile: Profile, *, with_reports: bool = True) -> Monitor:
    monitor = Monitor("127.0.0.1:9559", 1, with_reports=with_reports, interval_s=1.0)
    monitor.set_status("reading")
    monitor.on_policies(port_policies(profile_entries(profile, 1, 3).all))
    return monitor


def counters(passed: int, incipient: int = 0, ce: int = 0, early_drop: int = 0) -> dict[int, PortCounters]:
    counts = (passed, incipient, ce, early_drop)
    return {3: PortCounters(*((packets, 100 * packets) for packets in counts))}


def report(begin_us: int, end_us: int, *, average: float = 7.5, bits: int = 12) -> PortReport:
    return PortReport(3, begin_us, end_us, average, 2, 11, 90, 7, 3, 1, (bits, 0, 0, 0))


@pytest.mark.parametrize(
    ("profile", "starts", "probabilities"),
    [
        (MECN, (5, 10, 20), (0.1, 0.1)),
        (Ecn(name="e", min_th=5, max_th=15, max_p=0.2), (None, 5, 15), (0, 0.2)),
        (Threshold(name="t", threshold=7), (None, None, 8), (0, 0)),
        (load_profile(FOLDER / "profiles" / "drop-tail.yaml"), (None, None, None), (0, 0)),
        (load_profile(FOLDER / "profiles" / "ecn-gentle.yaml"), None, (0, 1)),
    ],
)
def test_thresholds_are_read_back_from_entries(
    profile: Profile, starts: tuple[float | None, ...] | None, probabilities: tuple[float, float]
) -> None:
    (view,) = monitor_of(profile).snapshot(0).ports[0].policies
    assert view.scheme == profile.scheme
    if starts is not None:
        assert (view.incipient_from, view.moderate_from, view.severe_from) == starts
    else:
        assert view.severe_from == 2 * profile.max_th  # type: ignore[attr-defined]
    assert (view.p_incipient, view.p_moderate) == pytest.approx(probabilities, abs=1e-6)


def test_rates_are_differences_of_the_switchs_counters() -> None:
    monitor = monitor_of(MECN)
    monitor.on_counters(counters(100), 10.0)
    assert monitor.snapshot(10).ports[0].rates == {}
    monitor.on_counters(counters(140, 6, 4, 2), 12.0)
    port = monitor.snapshot(12).ports[0]
    assert port.rates == {"passed": 20, "incipient": 3, "ce": 2, "early_drop": 1, "bits_per_s": 8 * 5000 / 2}
    assert port.totals == {"passed": 140, "incipient": 6, "ce": 4, "early_drop": 2, "bytes": 15000}
    # A switch that began anew counts from 0: no rate is made of that.
    monitor.on_counters(counters(5), 13.0)
    assert monitor.snapshot(13).ports[0].rates == {}
    monitor.on_counters(counters(6), 14.0)
    assert monitor.snapshot(14).ports[0].rates["passed"] == 1


def test_a_report_that_is_missing_is_seen() -> None:
    monitor = monitor_of(MECN)
    for begin in (100, 200, 400, 500):
        monitor.on_report(report(begin * 1000, (begin + 100) * 1000), 1.0)
    port = monitor.snapshot(1).ports[0]
    assert (port.reports, port.gaps) == (4, 1)
    assert [sample.gap for sample in monitor.history] == [False, False, True, False]
    # A restart of the switch is no gap: its clock begins anew.
    monitor.on_report(report(1000, 101_000), 1.0)
    assert monitor.snapshot(1).ports[0].gaps == 1


def test_an_old_report_says_nothing_about_now() -> None:
    monitor = monitor_of(MECN)
    monitor.on_report(report(0, 100_000), 50.0)
    assert monitor.snapshot(52.9).ports[0].average == 7.5
    late = monitor.snapshot(53.1).ports[0]
    assert (late.average, late.max_depth, late.flows) == (None, None, ())
    assert late.report_age_s == pytest.approx(3.1)


def test_snapshots_and_samples_go_through_json() -> None:
    monitor = monitor_of(load_profile(FOLDER / "profiles" / "aecn.yaml"))
    monitor.on_counters(counters(1), 1.0)
    monitor.on_counters(counters(2), 2.0)
    monitor.on_report(report(0, 100_000, bits=1024), 2.0)
    snapshot = monitor.snapshot(2.0)
    # "too many flows" is infinite, which JSON does not know
    text = json.dumps(snapshot.to_json(), allow_nan=False)
    assert Snapshot.from_json(json.loads(text)) == snapshot
    assert snapshot.ports[0].flows[0] is None
    for sample in monitor.history:
        assert Sample.from_json(json.loads(json.dumps(sample.to_json()))) == sample


def test_a_slow_consumer_loses_the_oldest_and_knows() -> None:
    async def run() -> None:
        monitor = monitor_of(MECN)
        subscription = monitor.subscribe(limit=3)
        for n in range(5):
            monitor.on_report(report(n, n + 1), float(n))
        monitor.unsubscribe(subscription)
        batches = [[sample.time for sample in batch] async for batch in subscription.batches()]
        assert (batches, subscription.lost) == ([[2, 3, 4]], 2)

    asyncio.run(run())


def test_no_packet_is_recorded_twice() -> None:
    for with_reports, expected in ((True, ["report"]), (False, ["counters", "report"])):
        monitor = monitor_of(MECN, with_reports=with_reports)
        monitor.on_counters(counters(1), 1.0)
        monitor.on_counters(counters(2), 2.0)
        monitor.on_report(report(0, 1000), 2.0)
        assert [sample.source for sample in preferred(monitor, list(monitor.history))] == expected


def picture(snapshot: Snapshot) -> str:
    console = Console(width=110, file=io.StringIO(), record=True)
    console.print(render(snapshot))
    return console.export_text()


def test_the_picture_has_depth_thresholds_marks_and_flows() -> None:
    monitor = monitor_of(load_profile(FOLDER / "profiles" / "aecn.yaml"))
    monitor.on_report(report(0, 100_000), 11.0)
    monitor.on_counters(counters(0), 10.0)
    monitor.on_counters(counters(900, 60, 30, 10), 11.0)
    text = picture(monitor.snapshot(11))
    for words in (
        "port 3  DSCP any: ecn",
        "7.5 packets on average, 2 to 11 met by arrivals",
        "CE 5",
        "all 30",
        "12 other",
        "from 60 to 200 ms",
        "792 kbit/s",
    ):
        assert words in text
    rows = {line.strip("│ ").split("  ")[0]: line for line in text.splitlines()}
    assert re.search(r"incipient +60 +6\.0 %", rows["incipient"])
    # The average's bar ends where the average is on the scale of the thresholds' ticks.
    bar, ticks = (line[12:] for line in text.splitlines()[3:5])
    assert bar.index("▌") > ticks.index("┃")
    assert bar.index("▌") < ticks.rindex("┃")


def test_many_ports_are_a_line_each() -> None:
    monitor = Monitor("127.0.0.1:9559", 1, with_reports=True, interval_s=1.0)
    entries = [entry for port in range(1, 9) for entry in profile_entries(MECN, port, port).all]
    monitor.on_policies(port_policies(entries))
    monitor.on_report(report(0, 100_000), 1.0)
    console = Console(width=110, file=io.StringIO(), record=True)
    console.print(render(monitor.snapshot(1.0), 40))
    lines = console.export_text().splitlines()
    assert len(lines) == 11
    (third,) = [line.split() for line in lines if line.startswith("3 ")]
    assert third[:5] == ["3", "mecn", "7.5", "11", "20"]


@pytest.mark.parametrize(
    ("profile", "with_reports", "why"),
    [
        (MECN, False, "reports go to the primary controller (--from URL or --election-id)"),
        (MECN, True, "no report yet: a port reports when packets arrive"),
        (MECN.replace(report_period_ms=None), True, "the profile has no report_period_ms"),
    ],
)
def test_the_picture_says_why_there_are_no_depths(profile: Profile, with_reports: bool, why: str) -> None:
    monitor = monitor_of(profile, with_reports=with_reports)
    monitor.on_counters(counters(0), 1.0)
    assert why in picture(monitor.snapshot(1))


def samples_of(count: int) -> list[Sample]:
    monitor = monitor_of(MECN)
    for n in range(count):
        monitor.on_report(report(n * 1000, (n + 1) * 1000, average=n / 4), float(n))
    return list(monitor.history)


def test_recordings_hold_every_row(tmp_path: Path) -> None:
    samples = samples_of(25)
    text, parquet = CsvRecorder(tmp_path / "a.csv"), ParquetRecorder(tmp_path / "a.parquet", row_group=10)
    for start in range(0, 25, 7):
        text.write(samples[start : start + 7])
        parquet.write(samples[start : start + 7])
    text.close()
    parquet.close()
    file = pq.ParquetFile(tmp_path / "a.parquet")
    assert file.metadata.num_row_groups == 2
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.csv", "a.parquet"]
    rows = file.read().to_pylist()
    assert [row["average"] for row in rows] == [n / 4 for n in range(25)]
    assert rows[0]["flows_0"] == pytest.approx(12.07, abs=0.01)
    assert rows[0]["bytes_left"] is None
    with (tmp_path / "a.csv").open(newline="") as lines:
        read = list(csv.DictReader(lines))
    assert len(read) == 25
    for row, same in zip(read, rows, strict=True):
        assert float(row["average"]) == same["average"]
        assert (int(row["ce"]), row["bytes_left"], row["gap"]) == (same["ce"], "", "0")


def full_monitor() -> Monitor:
    monitor = monitor_of(load_profile(FOLDER / "profiles" / "aecn.yaml"))
    monitor.on_counters(counters(900, 60, 30, 10), 10.0)
    monitor.on_report(report(0, 100_000), 10.0)
    return monitor


def exposition(monitor: Monitor) -> str:
    return generate_latest(registry_of(lambda: monitor.snapshot(10.5))).decode()


def test_metrics_are_the_switchs_counters_and_the_last_report() -> None:
    values = {
        (sample.name, *sorted(sample.labels.items())): sample.value
        for family in text_string_to_metric_families(exposition(full_monitor()))
        for sample in family.samples
    }
    port = ("port", "3")
    assert values["mecn_port_packets_total", ("level", "incipient"), port] == 60
    assert values["mecn_port_early_drop_packets_total", port] == 10
    assert values["mecn_port_bytes_total", port] == 99_000
    assert values["mecn_queue_average_packets", port] == 7.5
    assert values["mecn_queue_depth_packets", ("bound", "max"), port] == 11
    assert values["mecn_active_flows", port, ("rtt_class", "0")] == pytest.approx(12.07, abs=0.01)
    labels = (("dscp", "any"), ("level", "severe"), port, ("scheme", "ecn"))
    assert values["mecn_threshold_packets", *labels] == 30
    by_class = (("dscp", "any"), port, ("rtt_class", "2"), ("scheme", "ecn"))
    assert values["mecn_class_max_probability_ratio", *by_class] == pytest.approx(0.3, abs=1e-6)
    assert values["mecn_switch_up",] == 1


def expressions() -> list[str]:
    dashboard = json.loads(DASHBOARD.read_text())
    return [target["expr"] for panel in dashboard["panels"] for target in panel["targets"]]


def test_every_query_of_the_dashboard_names_metrics_that_exist() -> None:
    named = [re.findall(r"\bmecn_\w+", expression) for expression in expressions()]
    assert len(named) > 10
    assert all(named)
    names = {name for found in named for name in found}
    variables = json.loads(DASHBOARD.read_text())["templating"]["list"]
    names |= set(re.findall(r"\bmecn_\w+", json.dumps(variables)))
    names.discard("mecn_queues")
    assert names <= exported_names()
    # And the other way: nothing is exported that the dashboard forgets.
    assert exported_names() <= names


@pytest.mark.skipif(shutil.which("promtool") is None, reason="promtool (Debian: prometheus) is not on PATH")
def test_prometheus_own_tool_has_no_complaint(tmp_path: Path) -> None:
    metrics = exposition(full_monitor())
    done = subprocess.run(
        ["promtool", "check", "metrics"], input=metrics, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout + done.stderr) == (0, "")
    rules = tmp_path / "rules.yaml"
    queries = [
        expression.replace("$__rate_interval", "1m").replace("$__range", "1m") for expression in expressions()
    ]
    each = [{"record": f"query:{n}", "expr": query} for n, query in enumerate(queries)]
    rules.write_text(json.dumps({"groups": [{"name": "dashboard", "rules": each}]}))
    checked = subprocess.run(
        ["promtool", "check", "rules", str(rules)], capture_output=True, text=True, check=False
    )
    assert checked.returncode == 0, checked.stdout + checked.stderr


@pytest.mark.parametrize(
    ("values", "columns", "shown"),
    [([], 5, ""), ([0, 8, 4], 5, "▁█▄"), ([0, 0, 4, 4], 2, "▁█"), ([0], 3, "▁"), ([1, 2, 4, 6, 8], 3, "▃▇")],
)
def test_a_history_in_so_many_columns(values: list[float], columns: int, shown: str) -> None:
    assert sparkline(means(values, columns), max([*values, 1.0]), columns).plain == shown
