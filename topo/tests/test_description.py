# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Topologies as YAML: what is read, and how a mistake is pointed at."""

from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from mecn_controller.errors import ProfileError
from mecn_topo import PAPERS, Flow, Topology, TopologyError, TopologyFileError, builtin, load_scenario
from mecn_topo.cli import topology as command
from mecn_topo.description import json_schema, parse_scenario, to_yaml
from yaml import safe_load

TEXT = """\
name: two senders
overhead_bytes: -14
mtu: 1000
hosts: [S1, S2, D1, D2]
switches: [R1, R2]
links:
  - {between: [R1, R2], rate: 1.5mbit, delay: 40ms, queue_limit: 200}
  - {between: [S1, R1], rate: 10mbit, delay: 2ms}
  - {between: [S2, R1], rate: 10mbit, delay: 20ms}
  - {between: [R2, D1], rate: 10mbit, delay: 4ms}
  - {between: [R2, D2], rate: 10mbit, delay: 4ms}
profiles:
  - {switch: R1, towards: R2, profile: p.yaml}
flows:
  - {from: S1, to: D1}
  - {from: S2, to: D2, start: 2s}
"""
PROFILE = "name: low\nscheme: mecn\nmin_th: 1\nmid_th: 2\nmax_th: 4\nmax_p: 0.1\n"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    (tmp_path / "p.yaml").write_text(PROFILE)
    path = tmp_path / "t.yaml"
    path.write_text(TEXT)
    return path


def test_a_file_is_read(file: Path) -> None:
    scenario = load_scenario(file)
    bottleneck = scenario.topology.links[0]
    assert (bottleneck.rate_bps, bottleneck.delay_s, bottleneck.queue_limit) == (1_500_000, 0.04, 200)
    assert scenario.topology.links[1].queue_limit == 64
    assert (scenario.topology.overhead_bytes, scenario.mtu) == (-14, 1000)
    (placement,) = scenario.placements
    assert (placement.switch, placement.port, placement.profile.name) == ("R1", 1, "low")
    assert scenario.flows == (Flow("S1", "D1"), Flow("S2", "D2", 2.0))
    Draft202012Validator(json_schema()).validate(safe_load(TEXT))


def test_the_service_time_is_the_links_unless_the_profile_says(file: Path) -> None:
    """1000 bytes at 1.5 Mbit/s; without it the average of an idle queue never falls."""
    (placement,) = load_scenario(file).placements
    assert placement.profile.mean_service_time_us == pytest.approx(8e3 / 1.5)
    (file.parent / "p.yaml").write_text(PROFILE + "mean_service_time_us: 7\n")
    (placement,) = load_scenario(file).placements
    assert placement.profile.mean_service_time_us == 7


def test_without_flows_the_halves_are_paired(file: Path) -> None:
    file.write_text(TEXT.partition("flows:")[0])
    assert load_scenario(file).flows == (Flow("S1", "D1"), Flow("S2", "D2"))


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("rate: 1.5mbit", "rate: 1.5", "7:25: rate: must have a unit, such as 1.5mbit"),
        (
            "rate: 1.5mbit",
            "rate: fast",
            "7:25: rate: 'fast' is not a rate: write a number with its unit, such as",
        ),
        ("rate: 1.5mbit", "rate: 100pps", "7:25: rate: '100pps' is not a rate"),
        ("delay: 20ms", "delay: 2 weeks", "9:39: delay: '2 weeks' is not a time"),
        ("queue_limit: 200", "queue_limit: 0", "7:53: queue_limit: input should be greater than or equal"),
        ("queue_limit", "limit", "7:53: limit: there is no such key here"),
        ("[S1, R1]", "[S1, R9]", "8:5: link S1-R9: there is no node R9"),
        ("[S1, R1]", "[S1]", "8:6: between: "),
        ("[S1, S2, D1, D2]", "[S1, S2, D1, D2, S2]", "4:25: node S2 is declared twice"),
        ("[S1, S2, D1, D2]", "[S1, S2, D1, D2, D3]", "4:25: host D3 has 0 links"),
        ("[S1, S2, D1, D2]", "[S1, 2x, D1, D2]", "4:13: node name '2x'"),
        ("name: two", "names: two", "1:1: name: is missing"),
        ("mtu: 1000", "mtu: 10", "3:1: mtu: input should be greater than or equal to 128"),
        ("switch: R1", "switch: R7", "13:6: there is no switch R7"),
        ("towards: R2", "towards: D1", "13:18: there is no link between R1 and D1"),
        ("p.yaml", "q.yaml", "13:31: "),
        ("to: D1", "to: D9", "15:16: there is no host D9"),
        ("to: D1", "to: S1", "15:5: the flow begins and ends at S1"),
        ("start: 2s", "start: soon", "16:24: start: 'soon' is not a time"),
        ("mtu: 1000", "mtu: &a 1000\nx: *a", "4:4: not valid YAML: aliases are not used here"),
        ("mtu: 1000", "mtu: 1000\nmtu: 1000", "4:1: mtu is given twice (first in line 3)"),
        ("hosts: [", "hosts: [[", "not valid YAML"),
    ],
)
def test_a_mistake_is_pointed_at(file: Path, old: str, new: str, expected: str) -> None:
    assert old in TEXT
    file.write_text(TEXT.replace(old, new, 1))
    with pytest.raises(TopologyFileError) as caught:
        load_scenario(file)
    assert str(caught.value).startswith(f"{file}:")
    assert expected in str(caught.value)


def test_a_mistake_in_a_profile_is_pointed_at_there(file: Path) -> None:
    (file.parent / "p.yaml").write_text(PROFILE.replace("max_th: 4", "max_th: 1"))
    with pytest.raises(ProfileError, match=r"p\.yaml:4:1: mid_th"):
        load_scenario(file)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(TopologyFileError, match="cannot be read: No such file"):
        load_scenario(tmp_path / "none.yaml")
    (tmp_path / "b").write_bytes(b"\xff\xfe\xff")
    with pytest.raises(TopologyFileError, match="not UTF-8"):
        load_scenario(tmp_path / "b")
    (tmp_path / "l").write_text("- 1")
    with pytest.raises(TopologyFileError, match="a topology is a mapping"):
        load_scenario(tmp_path / "l")


@settings(deadline=None)
@given(st.text(max_size=200) | st.text(alphabet="{}[]:,-&*!?|> \nabc01hosts", max_size=200))
def test_any_text_is_refused_in_words(text: str) -> None:
    with pytest.raises(TopologyError):
        parse_scenario(text, "file", Path())


@pytest.mark.parametrize("key", list(PAPERS))
@pytest.mark.parametrize("sources", [1, 7])
def test_what_is_printed_can_be_read(key: str, sources: int) -> None:
    scenario = builtin(key, sources)
    again = parse_scenario(to_yaml(scenario.topology, scenario.flows, scenario.mtu), "file", Path())
    assert again.topology == scenario.topology
    assert (again.flows, again.mtu) == (scenario.flows, scenario.mtu)
    assert isinstance(again.topology, Topology)


def test_a_flow_that_stops(file: Path) -> None:
    text = TEXT.replace("{from: S1, to: D1}", "{from: S1, to: D1, start: 1s, stop: 9s}")
    file.write_text(text)
    scenario = load_scenario(file)
    assert scenario.flows == (Flow("S1", "D1", 1.0, 9.0), Flow("S2", "D2", 2.0))
    again = parse_scenario(to_yaml(scenario.topology, scenario.flows, scenario.mtu), "file", Path())
    assert again.flows == scenario.flows
    checked = CliRunner().invoke(command, ["check", str(file)])
    assert "flow     S1 -> D1 from 1 s to 9 s" in checked.output
    file.write_text(text.replace("stop: 9s", "stop: 1s"))
    with pytest.raises(TopologyFileError, match="the flow must stop after its start"):
        load_scenario(file)


def test_the_command(file: Path) -> None:
    run = CliRunner().invoke
    checked = run(command, ["check", str(file)])
    assert checked.exit_code == 0
    assert "S2    10.0.2.1  02:00:00:00:00:02" in checked.output
    assert "profile  R1 port 1: low" in checked.output
    assert run(command, ["list"]).output.count("\n") == len(PAPERS)
    assert safe_load(run(command, ["export", "003", "--sources", "2"]).output)["hosts"][1] == "D1"
    wrong = run(command, ["check", "005"])
    assert "neither a file nor one of 000, 001, 002, 003, 004" in str(wrong.exception)
    wrong = run(command, ["check", str(file), "--sources", "3"])
    assert "--sources is for the papers' topologies" in str(wrong.exception)
