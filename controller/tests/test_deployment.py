# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import json
import re
from pathlib import Path

import jsonschema
import pytest
import yaml
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st
from mecn_controller.commands.serve import schema
from mecn_controller.errors import ProfileError
from mecn_controller.policy.routes import LocalRoute, Route
from mecn_controller.runtime.deployment import json_schemas, load_deployment

FOLDER = Path(__file__).resolve().parent.parent
PROFILES = sorted((FOLDER / "profiles").rglob("*.yaml"))
SCHEMAS = json_schemas()


def write(folder: Path, text: str) -> Path:
    (folder / "p.yaml").write_text("{name: p, scheme: ecn, min_th: 1.0, max_th: 4.0, max_p: 0.1}")
    (folder / "q.yaml").write_text("{name: q, scheme: drop-tail, dscp: [EF]}")
    path = folder / "d.yaml"
    path.write_text(text)
    return path


OK = "assignments: [{ports: [1], profile: p.yaml}]\n"
ROUTE = '{prefix: 10.0.1.0/24, port: 1, src_mac: "02:00:00:00:01:fe", dst_mac: "02:00:00:00:01:01"}'


def test_a_deployment(tmp_path: Path) -> None:
    text = """
assignments:
- {ports: [1, 2], profile: p.yaml}
- {ports: [2], profile: p.yaml, dscp: [AF11, 3]}
- {ports: [2], profile: q.yaml}
"""
    found = load_deployment(write(tmp_path, text)).assignments
    assert [(a.profile.name, a.port, a.dscp) for a in found] == [
        ("p", 1, None),
        ("p", 2, None),
        ("p", 2, (3, 10)),
        ("q", 2, None),
    ]
    jsonschema.validate(yaml.safe_load(text), SCHEMAS["deployment"])


def test_routes(tmp_path: Path) -> None:
    text = f"{OK}routes: [{ROUTE}, {{prefix: 2001:db8::1/128, local: true}}]"
    macs = ("02:00:00:00:01:fe", "02:00:00:00:01:01")
    found = load_deployment(write(tmp_path, text)).routes
    assert found == (Route("10.0.1.0/24", 1, *macs), LocalRoute("2001:db8::1/128"))
    jsonschema.validate(yaml.safe_load(text), SCHEMAS["deployment"])


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("assignments: []", "assignments"),
        ("assignments: [{ports: [1], profile: p.yaml, color: red}]", "color"),
        ("assignments: [{ports: [1, 1], profile: p.yaml}]", "port 1, DSCP any, is given twice"),
        ("assignments: [{ports: [1], profile: q.yaml}, {ports: [1], profile: p.yaml, dscp: [46]}]", "twice"),
        ("assignments: [{ports: [-1], profile: p.yaml}]", "ports"),
        ("assignments: [{ports: [1], profile: missing.yaml}]", "missing.yaml"),
        ("assignments: [{ports: [1], profile: p.yaml, dscp: any}]", "give a list"),
        ("assignments: &a [*a]", r"d\.yaml:1:\d+: .*aliases are not used"),
        ("a: [", r"d\.yaml:1:5: not valid YAML"),
        ("", "a deployment is a mapping"),
        (f"{OK}asignments: []", r"d\.yaml:2:1: asignments: there is no such key.*did you mean assignments"),
        (f"{OK}routes: [{{prefix: 10.0.1.0/24, port: 1}}]", "give port, src_mac and dst_mac, or local"),
        (f"{OK}routes: [{{prefix: 10.0.1.1/24, local: true}}]", "has host bits set"),
        (f"{OK}routes: [{{prefix: 10.0.1.1, port: 1, local: true}}]", "or local: true"),
        (
            f"{OK}routes: [{{prefix: 10.0.1.0/24, port: 1, src_mac: a, dst_mac: b}}]",
            "'a' is not a MAC address",
        ),
        (f"{OK}routes: [{{prefix: 10.0.0.0/8, src_mac: 12:00:00:00:01:11}}]", "write it in quotes"),
        (f"{OK}routes: [{ROUTE}, {ROUTE}]", r"d\.yaml:2:\d+: the route to 10.0.1.0/24 is given twice"),
    ],
)
def test_what_is_wrong_is_said(tmp_path: Path, text: str, why: str) -> None:
    with pytest.raises(ProfileError, match=why):
        load_deployment(write(tmp_path, text))


@given(st.binary(max_size=200))
@settings(deadline=None)
def test_any_bytes_are_a_deployment_or_an_error(tmp_path_factory: pytest.TempPathFactory, raw: bytes) -> None:
    path = tmp_path_factory.getbasetemp() / "fuzz.yaml"
    path.write_bytes(raw)
    with pytest.raises(ProfileError):
        load_deployment(path)


@pytest.mark.parametrize("path", PROFILES, ids=lambda path: path.stem)
def test_every_profile_of_ours_fits_the_schema(path: Path) -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMAS["profile"])
    jsonschema.validate(yaml.safe_load(path.read_text(encoding="utf-8")), SCHEMAS["profile"])


@pytest.mark.parametrize(
    "change",
    [{"scheme": "blue"}, {"scheme": None}, {"max_p": 2}, {"colour": "red"}, {"weight": 0}, {"dscp": 5}],
)
def test_the_schema_refuses(change: dict[str, object]) -> None:
    document = {"name": "p", "scheme": "ecn", "min_th": 1, "max_th": 4, "max_p": 0.1}
    jsonschema.validate(document, SCHEMAS["profile"])
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**document, **change}, SCHEMAS["profile"])


def test_the_command_prints_it() -> None:
    done = CliRunner().invoke(schema, ["profile"])
    assert json.loads(done.output) == SCHEMAS["profile"]


def steered(profile: str, adapt: str, tmp_path: Path) -> tuple[str, ...]:
    (tmp_path / "s.yaml").write_text(profile)
    path = tmp_path / "steered.yaml"
    path.write_text(f"assignments: [{{ports: [4, 5], profile: s.yaml, adapt: {adapt}}}]")
    return load_deployment(path).warnings


RED = "{name: r, scheme: ecn, min_th: 5, max_th: 30, max_p: 0.1, report_period_ms: 100, weight: %s%s}"
LINK = ", link_rate: 10Mbps, link_packet_bytes: 1000"


def test_a_rule_that_cannot_hold_its_port_is_told(tmp_path: Path) -> None:
    long_path = "{rule: adaptive-red, rtt_ms: [300]}"
    (warning,) = steered(RED % (0.002, LINK), long_path, tmp_path)
    assert warning.startswith("ports 4, 5: ")
    assert "flows of 300 ms alone have a delay margin of -3" in warning
    assert "\n" not in warning
    # What it proposes is taken without a word; half of it is not.
    found = re.search(r"weight (\S+) with interval_ms (\d+) or thresholds (\d+)/(\d+) ", warning)
    assert found is not None
    weight, interval, low, high = found.groups()
    slow = f"{{rule: adaptive-red, rtt_ms: [300], interval_ms: {interval}}}"
    assert steered(RED % (weight, LINK), slow, tmp_path) == ()
    wide = (RED % (0.002, LINK)).replace("min_th: 5, max_th: 30", f"min_th: {low}, max_th: {high}")
    assert steered(wide, long_path, tmp_path) == ()
    (hasty,) = steered(RED % (weight, LINK), long_path, tmp_path)
    assert "interval_ms 500 is too short" in hasty


def test_what_cannot_be_judged_is_not(tmp_path: Path) -> None:
    assert steered(RED % (0.002, ""), "{rule: adaptive-red}", tmp_path) == ()
    assert steered(RED % (0.002, LINK), "{rule: adaptive-red, rtt_ms: [20]}", tmp_path) == ()
    with pytest.raises(ProfileError, match="needs link_packet_bytes"):
        steered(RED % (0.002, ""), "{rule: adaptive-red, rtt_ms: [20]}", tmp_path)


def test_the_example_is_valid_and_its_long_path_is_told() -> None:
    found = load_deployment(FOLDER / "examples" / "adaptation" / "deployment.yaml")
    assert [rule is not None for rule in found.rules] == [True]
    (warning,) = found.warnings
    assert "250 ms alone" in warning
