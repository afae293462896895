# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import math
from pathlib import Path

import jsonschema
import pytest
from mecn_controller import Ecn, Mecn, Threshold, parse_profile
from mecn_controller.errors import ProfileError
from mecn_controller.policy.profile import load_profile
from mecn_controller.runtime.deployment import json_schemas

LINK = {"link_rate": "10 Mbps", "link_packet_bytes": 1000}
ECN: dict[str, object] = {"name": "u", "scheme": "ecn", "min_th": 5, "max_th": 30, "max_p": 0.1}


def test_one_depth_three_ways() -> None:
    """A packet of 1000 bytes takes 0.8 ms at 10 Mbit/s."""
    for five, thirty in ((5, 30), ("5000 B", "30 kB"), ("4 ms", "24ms"), ("4000us", "0.024 s")):
        profile = parse_profile({**ECN, **LINK, "min_th": five, "max_th": thirty})
        assert isinstance(profile, Ecn)
        assert (profile.min_th, profile.max_th) == (5, 30)
    three = parse_profile(
        {
            "name": "m",
            "scheme": "mecn",
            **LINK,
            "min_th": "8 ms",
            "mid_th": "20000B",
            "max_th": 30,
            "max_p": 0.1,
        }
    )
    assert isinstance(three, Mecn)
    assert (three.min_th, three.mid_th) == (10, 20)
    threshold = parse_profile(
        {"name": "t", "scheme": "threshold", "link_packet_bytes": 1500, "threshold": "7500 B"}
    )
    assert isinstance(threshold, Threshold)
    assert threshold.threshold == 5


def test_depths_are_rounded_to_what_the_data_plane_tells_apart() -> None:
    profile = parse_profile({**ECN, **LINK, "min_th": "5.001 kB"})
    assert isinstance(profile, Ecn)
    assert profile.min_th == 5
    assert parse_profile({**ECN, **LINK, "min_th": "5.002 kB"}).model_dump()["min_th"] == 5 + 1 / 256


def test_a_time_constant_is_the_time_in_which_the_average_fades_to_one_part_in_e() -> None:
    profile = parse_profile({**ECN, **LINK, "time_constant_ms": 400})
    assert isinstance(profile, Ecn)
    packets = 0.4 / 0.0008
    assert (1 - profile.weight) ** packets == pytest.approx(math.exp(-1))
    again = profile.replace(max_p=0.2)
    assert (again.weight, again.max_p) == (profile.weight, 0.2)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"min_th": "5 kB"}, "min_th (5 kB): needs link_packet_bytes"),
        ({"min_th": "4 ms", "link_packet_bytes": 1000}, "min_th (4 ms): needs link_rate"),
        ({"time_constant_ms": 5, "link_rate": "1Gbps"}, "time_constant_ms: needs link_packet_bytes"),
        ({"time_constant_ms": 5, "weight": 0.1, **LINK}, "cannot be given beside weight"),
        ({"time_constant_ms": -5, **LINK}, "must be more than 0"),
        ({"min_th": "five", **LINK}, "min_th must be a number, not 'five'"),
        ({"min_th": "5 parsecs", **LINK}, "write packets as a number"),
        ({"link_rate": "10 furlongs"}, "is not a rate"),
        ({"link_rate": 10}, "link_rate must be text"),
        ({"link_packet_bytes": 0}, "link_packet_bytes (0) must be within 1 and 65535 bytes"),
        ({"min_th": "30 ms", **LINK}, "min_th (37.5) must be less than max_th (30)"),
        ({"min_th": "100 s", **LINK}, "must be within 0 and 65535 packets"),
    ],
)
def test_what_cannot_be_converted_is_refused(change: dict[str, object], why: str) -> None:
    with pytest.raises(ProfileError) as caught:
        parse_profile({**ECN, **change})
    assert why in str(caught.value)
    assert "\n" not in str(caught.value)


def test_the_rate_of_a_port_goes_before_the_profiles(tmp_path: Path) -> None:
    path = tmp_path / "p.yaml"
    path.write_text(
        "{name: p, scheme: ecn, min_th: 4 ms, max_th: 24 ms, max_p: 0.1, link_packet_bytes: 1000}"
    )
    with pytest.raises(ProfileError, match=r"p\.yaml:1:.*needs link_rate"):
        load_profile(path)
    for rate, depth in (("10Mbps", 5), ("100Mbps", 50)):
        assert load_profile(path, link_rate=rate).model_dump()["min_th"] == depth


def test_the_schema_knows_the_units() -> None:
    schema = json_schemas()["profile"]
    jsonschema.validate({**ECN, **LINK, "min_th": "4 ms", "max_th": "30 kB", "time_constant_ms": 5}, schema)
    for change in ({"min_th": "4 parsecs"}, {"time_constant_ms": "5"}, {"link_packet_bytes": "x"}):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate({**ECN, **change}, schema)
