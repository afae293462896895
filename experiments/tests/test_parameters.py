# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""What a run accepts and refuses, and which runs it makes of it."""

from typing import Any

import pytest
from mecn_experiments.errors import ExperimentError
from mecn_experiments.measured import link_efficiency
from mecn_experiments.paper003.paper import PAPER
from mecn_experiments.paper003.parameters import Parameters, make_parameters
from mecn_experiments.paper003.scenarios import HIGH_PAIR, LOW_PAIR, TUNED, Scenario, point, profile_of
from mecn_experiments.settings import parse_setting


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"max_p": 1.5}, r"max_p \(1.5\): input should be less than or equal to 1"),
        ({"max_p": 0}, "max_p"),
        ({"seeds": 0}, "seeds"),
        ({"buffer": "big"}, r"buffer \(big\): input should be a valid integer"),
        ({"window_cap": 69}, "window_cap"),
        ({"sources": []}, "sources"),
        ({"sources": [2, 0]}, r"sources.1 \(0\)"),
        ({"sources": [2, 2]}, "given twice"),
        ({"duration_s": 10, "warmup_s": 10}, r"warmup_s \(10\) must be less than duration_s \(10\)"),
        ({"duration_s": 20}, r"warmup_s \(20\) must be less than duration_s \(20\)"),
        ({"gain_max_p": [0.5, 0.1]}, "gain_max_p: must rise"),
        ({"gain_sources": [4, 2]}, "gain_sources: must rise"),
        ({"trace_sources": 7}, r"trace_sources \(7\) is not among sources"),
        ({"duration_s": float("nan")}, "duration_s"),
        ({"maxp": 0.1}, "there is no parameter maxp; known are: seeds, .*sources"),
        ({"above_max_th": "explode"}, "above_max_th"),
    ],
)
def test_impossible_parameters_give_one_line(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ExperimentError, match=message) as caught:
        make_parameters(settings)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("thresholds", [(4, 2, 1), (1, 1, 4), (-1, 2, 4), (1, 2, 1e9)])
def test_impossible_thresholds_are_refused(thresholds: tuple[float, float, float]) -> None:
    with pytest.raises(ExperimentError, match="profile 003 MECN"):
        profile_of(point(Scenario("MECN", thresholds), 5, Parameters()).recipe(Parameters()))


def test_profiles_say_what_the_paper_says() -> None:
    parameters = Parameters(max_p=0.07, max_p_star=0.3)
    ecn, mecn, tuned = (
        profile_of(point(scenario, 5, parameters).recipe(parameters)).model_dump()
        for scenario in (LOW_PAIR[0], HIGH_PAIR[1], TUNED)
    )
    assert (ecn["scheme"], ecn["min_th"], ecn["max_th"], ecn["max_p"]) == ("ecn", 1, 4, 0.07)
    assert (ecn["weight"], ecn["above_max_th"], ecn["mark_point"]) == (0.002, "drop", "tail")
    assert (mecn["scheme"], mecn["min_th"], mecn["mid_th"], mecn["max_th"]) == ("mecn", 30, 60, 90)
    assert (mecn["max_p"], mecn["above_max_th"]) == (0.07, "mark")
    assert tuned["max_p"] == 0.3


def test_names() -> None:
    assert Scenario("ECN", (30, 60, 90)).name == "ECN 30/90"
    assert Scenario("MECN*", (1, 2.5, 4)).name == "MECN* 1/2.5/4"


def test_link_efficiency_by_hand() -> None:
    """1.5 Mbps for 100 s carries 18750 packets of 1000 bytes."""
    assert link_efficiency(18750, 1_500_000, 100, 1000) == 1
    assert link_efficiency(15000, 1_500_000, 100, 1000) == 0.8


def test_every_parameter_has_a_meaning_and_a_reason() -> None:
    assert set(Parameters.origins()) == set(Parameters.model_fields)
    assert all(field.description for field in Parameters.model_fields.values())


@pytest.mark.parametrize(
    ("text", "setting"),
    [
        ("max_p=0.2", ("max_p", 0.2)),
        ("sources=2,5", ("sources", [2, 5])),
        ("sources=[2]", ("sources", [2])),
        ("above_max_th=mark", ("above_max_th", "mark")),
        ("frontier=[1,2,4],[2,4,6]", ("frontier", [[1, 2, 4], [2, 4, 6]])),
        ("delayed_acks=true", ("delayed_acks", True)),
    ],
)
def test_settings(text: str, setting: tuple[str, Any]) -> None:
    assert parse_setting(text) == setting


@pytest.mark.parametrize("text", ["max_p", "=3", ""])
def test_settings_without_key_or_value_are_refused(text: str) -> None:
    with pytest.raises(ExperimentError, match="KEY=VALUE"):
        parse_setting(text)


def test_one_value_is_a_list_of_one() -> None:
    assert make_parameters({"sources": 5}).sources == (5,)
    assert make_parameters({"sources": [5, 10]}).sources == (5, 10)
    with pytest.raises(ExperimentError, match="sources"):
        make_parameters({"sources": "five"})


def test_a_short_run_shortens_its_warm_up() -> None:
    """`--set duration_s=1` would else be less than the warm-up's default."""
    assert PAPER.shrunk({"duration_s": 1}) == {"warmup_s": 0.2}
    assert PAPER.shrunk({"duration_s": 1, "warmup_s": 0}) == {}
    assert PAPER.shrunk({"duration_s": 100}) == {}
