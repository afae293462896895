# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Topology descriptions in virtual time."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pyarrow.parquet as pq  # type: ignore[import-untyped]
import pytest
from click.testing import CliRunner
from mecn_experiments.bench import Bench
from mecn_experiments.errors import ExperimentError
from mecn_experiments.lab.console import warn_of_idle
from mecn_experiments.lab.results import measure
from mecn_experiments.program import P4_PROGRAM, compile_program
from mecn_experiments.scenario_run import ecn_for, plan_for, run
from mecn_experiments.simulate_command import simulate
from mecn_topo import builtin
from mecn_topo.description import load_scenario

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

FILE = """\
name: two senders
overhead_bytes: -14
mtu: 1000
hosts: [S1, S2, D1, D2]
switches: [R1, R2]
links:
  - {between: [R1, R2], rate: 1.5mbit, delay: 20ms, queue_limit: 50}
  - {between: [S1, R1], rate: 10mbit, delay: 2ms}
  - {between: [S2, R1], rate: 10mbit, delay: 10ms}
  - {between: [R2, D1], rate: 10mbit, delay: 4ms}
  - {between: [R2, D2], rate: 10mbit, delay: 4ms}
profiles:
  - {switch: R1, towards: R2, profile: p.yaml}
flows:
  - {from: S1, to: D1}
  - {from: S2, to: D2, start: 1s}
"""
PROFILE = "name: low\nscheme: mecn\nmin_th: 2\nmid_th: 4\nmax_th: 8\nmax_p: 0.1\nweight: 0.02\n"


@pytest.fixture(scope="module")
def bench() -> Iterator[Bench]:
    with Bench(compile_program(P4_PROGRAM)) as found:
        yield found


@pytest.fixture
def topology(tmp_path: Path) -> Path:
    (tmp_path / "p.yaml").write_text(PROFILE)
    path = tmp_path / "t.yaml"
    path.write_text(FILE)
    return path


def test_a_file_of_the_users(topology: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    command = [str(topology), "--duration", "5", "--seeds", "2", "-o", str(out)]
    done = CliRunner().invoke(simulate, command)
    assert done.exit_code == 0, done.output
    assert "two senders: 2 flows, multilevel ECN; queue of R1 port 1 under low" in done.output
    rows = pq.read_table(out / "runs.parquet").to_pylist()
    assert [row["seed"] for row in rows] == [1, 2]
    assert 0.5 < rows[0]["link_efficiency"] <= 1
    assert rows[0]["marked_incipient"] > 0
    first = {path.name for path in (out / "seed-1").iterdir()}
    assert first == {
        "run.parquet", "flows.parquet", "marks.parquet", "summary.json",
        "queue.svg", "cwnd.svg", "goodput.svg", "marks.svg",
    }  # fmt: skip
    about = json.loads((out / "seed-1" / "summary.json").read_text())["about"]
    assert (about["time"], about["seed"], about["ecn"]) == ("virtual", 1, "multilevel")
    again = tmp_path / "again"
    CliRunner().invoke(simulate, [*command[:-1], str(again)])
    for name in first | {"../runs.parquet"}:
        assert (again / "seed-1" / name).read_bytes() == (out / "seed-1" / name).read_bytes(), name


def test_json_says_what_the_table_says_and_no_more(topology: Path, tmp_path: Path) -> None:
    arguments = [str(topology), "--duration", "2s", "--seeds", "2", "-o", str(tmp_path / "out"), "--json"]
    result = CliRunner().invoke(simulate, arguments)
    assert result.exit_code == 0, result.output
    measures = json.loads(result.stdout)["measures"]
    assert len(measures["link_efficiency"]["values"]) == 2
    assert 0 < measures["link_efficiency"]["mean"] <= 1


def test_a_link_that_idles_under_a_high_average_is_warned_of(
    topology: Path, bench: Bench, capsys: pytest.CaptureFixture[str]
) -> None:
    """An average that falls a thousand times too slowly while the queue is empty."""
    profile = topology.parent / "p.yaml"
    text = PROFILE.replace("min_th: 2\nmid_th: 4\nmax_th: 8", "min_th: 1\nmid_th: 2\nmax_th: 4")
    text = text.replace("weight: 0.02", "weight: 0.002")
    for service_time_us, warned in ((5333, False), (5_333_000, True)):
        profile.write_text(f"{text}mean_service_time_us: {service_time_us}\n")
        scenario = load_scenario(topology)
        warn_of_idle(run(scenario, plan_for(scenario, 30, ecn=ecn_for(scenario)), 1, bench))
        assert ("is mean_service_time_us" in capsys.readouterr().err) == warned


def test_what_the_network_measures_is_what_a_lab_would_have(topology: Path, bench: Bench) -> None:
    """The lab's evaluation of the same recording, from samples."""
    scenario = load_scenario(topology)
    plan = plan_for(scenario, 20.0, warmup_s=4.0, start_jitter_s=0.1, ecn=ecn_for(scenario))
    found = run(scenario, plan, 1, bench)
    sampled = measure(scenario, found.recording, None).row
    for name in ("marked_incipient", "marked_ce", "early_drops", "tail_drops", "retransmissions"):
        assert sampled[name] == found.row[name], name
    assert sampled["link_efficiency"] == pytest.approx(found.row["link_efficiency"], rel=1e-9)
    assert sampled["utilisation"] == pytest.approx(found.row["utilisation"], abs=0.002)
    assert sampled["queue_mean"] == pytest.approx(found.row["queue_mean"], rel=0.05)
    assert sampled["goodputs_bps"] == pytest.approx(found.row["goodputs_bps"])
    assert max(found.recording.flows[0].cwnd) > 2
    assert found.recording.flows[1].time_s[0] >= 1.0


def test_the_hosts_tcp_can_be_chosen(topology: Path, bench: Bench) -> None:
    scenario = load_scenario(topology)
    linux = plan_for(scenario, 5.0, ecn="multilevel", tcp={"congestion_avoidance": "whole-segments"})
    assert all(cwnd == int(cwnd) for cwnd in run(scenario, linux, 1, bench).recording.flows[0].cwnd)
    plain = run(scenario, plan_for(scenario, 5.0, ecn="off"), 1, bench).row
    assert plain["marked_incipient"] + plain["marked_ce"] == 0


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        (["nothing.yaml"], 2, "nothing.yaml"),
        (["--warmup", "70"], 2, "--warmup must be less than --duration"),
        (["--tcp", "loss_recovery=best"], 2, 'loss_recovery must be "reno", "newreno" or "sack"'),
        (["--tcp", "colour=red"], 2, "colour"),
        (["--tcp", "sack"], 2, "must be KEY=VALUE"),
        (["--tcp", "initial_window=-1"], 2, "initial_window"),
    ],
)
def test_mistakes_are_refused(arguments: list[str], status: int, said: str, tmp_path: Path) -> None:
    done = CliRunner().invoke(simulate, [*arguments, "-o", str(tmp_path / "out")])
    assert done.exit_code == status
    assert said in done.output
    assert not (tmp_path / "out").exists()


def test_a_flow_may_stop(topology: Path, bench: Bench) -> None:
    topology.write_text(FILE.replace("start: 1s", "start: 1s, stop: 3s"))
    scenario = load_scenario(topology)
    found = run(scenario, plan_for(scenario, 6.0, ecn="multilevel"), 1, bench).recording
    first, second = found.flows
    assert second.at(second.bytes_acked, 6) == second.at(second.bytes_acked, 4) > 0
    assert second.at(second.bytes_acked, 3) > second.at(second.bytes_acked, 2.5)
    assert first.at(first.bytes_acked, 6) > first.at(first.bytes_acked, 4)


def test_scenarios_without_queue_or_flows_are_refused(topology: Path, bench: Bench) -> None:
    text = topology.read_text()
    head, _, rest = text.partition("profiles:")
    topology.write_text(head + "flows:" + rest.partition("flows:")[2])
    scenario = load_scenario(topology)
    with pytest.raises(ExperimentError, match="nothing to watch"):
        run(scenario, plan_for(scenario, 5.0, ecn="multilevel"), 1, bench)


def test_papers_topologies_run(bench: Bench) -> None:
    for key in ("000", "001", "002", "003", "004"):
        scenario = builtin(key)
        row = run(scenario, plan_for(scenario, 3.0, ecn=ecn_for(scenario)), 1, bench).row
        assert row["sent_packets"] > 100, key
