# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""Which numbers of a profile have sliders, in which unit, and what a switch says of them."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
import yaml
from mecn_controller import Profile, parse_profile
from mecn_controller.errors import ProfileError
from mecn_controller.policy.profile import load_profile, profile_yaml
from mecn_controller.runtime.keeper import Event
from mecn_controller.runtime.writer import AppliedProfile, Assignment
from mecn_controller.telemetry.policy_view import profile_view
from mecn_controller.telemetry.sample import PolicyView
from mecn_controller.web.declaration import Declaration
from mecn_controller.web.sliders import Adjustable, adjustables, as_on_switch, with_changes

EXAMPLES = sorted((Path(__file__).resolve().parent.parent / "profiles").rglob("*.yaml"))
UNITS = {
    "name": "units",
    "scheme": "mecn",
    "min_th": "4 ms",
    "mid_th": "12500 B",
    "max_th": 25,
    "max_p": 0.1,
    "time_constant_ms": 400,
    "rtt_class_bounds_ms": [60, 200],
    "rtt_class_max_p": [0.5, 0.3, 0.1],
    "link_rate": "10Mbps",
    "link_packet_bytes": 1000,
}


def by_name(profile: Profile) -> dict[str, Adjustable]:
    return {each.name: each for each in adjustables(profile)}


def view_of(profile: Profile) -> PolicyView:
    """The profile as a switch has it, read back."""
    return profile_view(profile, 3)


def test_each_number_in_the_unit_of_the_profile() -> None:
    found = by_name(parse_profile(UNITS))
    assert list(found) == [
        *("min_th", "mid_th", "max_th", "max_p"),
        *("rtt_class_max_p.1", "rtt_class_max_p.2", "rtt_class_max_p.3", "time_constant_ms"),
    ]
    # A packet is 1000 bytes and takes 0.8 ms; all three rails end at 50 packets.
    assert [
        (found[name].value, found[name].unit, found[name].high) for name in ("min_th", "mid_th", "max_th")
    ] == [
        (4, "ms", pytest.approx(40)),
        (12500, "B", pytest.approx(50_000)),
        (25, "packets", 50),
    ]
    assert found["min_th"].packets_per_unit == pytest.approx(1.25)
    assert (found["mid_th"].step, found["max_th"].packets_per_unit) == (200, None)
    assert (found["time_constant_ms"].value, found["time_constant_ms"].unit) == (400, "ms")
    labels = [found[f"rtt_class_max_p.{number}"].label for number in (1, 2, 3)]
    assert labels == ["max_p, RTT below 60 ms", "max_p, RTT 60 to 200 ms", "max_p, RTT from 200 ms"]


def test_what_is_not_changed_keeps_its_unit() -> None:
    profile = parse_profile(UNITS)
    after = with_changes(profile, {"min_th": "2 ms", "rtt_class_max_p.2": 0.25, "time_constant_ms": 200})
    written = yaml.safe_load(profile_yaml(after))
    assert {name: written[name] for name in ("min_th", "mid_th", "time_constant_ms", "rtt_class_max_p")} == {
        "min_th": "2 ms",
        "mid_th": "12500 B",
        "time_constant_ms": 200,
        "rtt_class_max_p": [0.5, 0.25, 0.1],
    }
    assert "weight" not in written
    again = parse_profile(profile_yaml(after))
    assert again == after
    assert again.model_dump()["min_th"] == 2.5
    assert again.model_dump()["weight"] == pytest.approx(2 * profile.model_dump()["weight"], rel=0.01)
    # In packets again, and a weight of its own: what was written before no longer counts.
    plain = with_changes(after, {"min_th": 3, "weight": 0.01})
    assert dict(plain.written) == {"mid_th": "12500 B"}
    assert (plain.model_dump()["min_th"], plain.model_dump()["weight"]) == (3, 0.01)
    for changes in ({"min_th": "20 ms"}, {"min_th": "4 parsecs"}, {"rtt_class_max_p.1": 2}):
        with pytest.raises(ProfileError):
            with_changes(profile, changes)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_a_profile_is_found_again_on_the_switch(path: Path) -> None:
    profile = load_profile(path)
    assert as_on_switch(profile, view_of(profile)) is profile
    for each in adjustables(profile):
        less = 0.9 * each.value
        new: object = (
            each.value + (1 if profile.scheme == "threshold" else 0.25)
            if each.unit == "packets"
            else float(f"{less:.4g}")
        )
        changed = with_changes(
            profile, {each.name: new if each.packets_per_unit is None else f"{less:.6g} {each.unit}"}
        )
        there = as_on_switch(profile, view_of(changed))
        assert there is not None
        assert view_of(there) == view_of(changed), each.name


def test_what_the_switch_has_is_told_in_the_profiles_unit() -> None:
    profile = parse_profile(UNITS)
    there = as_on_switch(profile, view_of(profile.replace(min_th=6, weight=0.01, max_p=0.2)))
    assert there is not None
    assert {name: by_name(there)[name].value for name in ("min_th", "mid_th", "max_p")} == {
        "min_th": pytest.approx(4.8),
        "mid_th": 12500,
        "max_p": 0.2,
    }
    assert by_name(there)["time_constant_ms"].value == pytest.approx(0.8 / 0.01, rel=0.01)


def test_another_scheme_is_not_this_profile() -> None:
    ecn = parse_profile({"name": "e", "scheme": "ecn", "min_th": 1, "max_th": 4, "max_p": 0.1})
    assert as_on_switch(parse_profile(UNITS), view_of(ecn)) is None


def test_a_steered_value_is_put_back_to_the_files() -> None:
    """What the file says is a change where a rule has moved it since."""
    profile = parse_profile({"name": "e", "scheme": "ecn", "min_th": 1, "max_th": 4, "max_p": 0.1})
    declared = Assignment(profile, 3)

    async def run() -> None:
        declaration = Declaration([declared], [True])
        declaration.on_event(Event("primary"))
        declaration.on_wanted([declared])
        assert await declaration.change(0, profile) is None
        declaration.on_wanted([Assignment(profile.replace(max_p=0.3), 3)])
        assert declaration.present(0).max_p == 0.3  # type: ignore[attr-defined]
        changing = asyncio.create_task(declaration.change(0, profile))
        while declaration.assignments[0] is declared:
            await asyncio.sleep(0)
        # The keeper takes another object for another beginning, and says what it has done.
        (wanted,) = declaration.assignments
        done = AppliedProfile(wanted.profile, 3, None, 7, (), True, ())
        declaration.on_wanted([wanted])
        declaration.on_round([done])
        assert await changing is done
        assert declaration.present(0) == profile

    asyncio.run(run())
