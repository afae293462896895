# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from mecn_controller import load_profile
from mecn_controller.commands.tune import tune_command
from mecn_controller.quantities import parse_count, parse_range, parse_rate, parse_seconds, parse_time

if TYPE_CHECKING:
    from pathlib import Path

CASE = ["--rate", "1.5Mbps", "--rtt", "100ms", "--flows", "5..10"]


def test_tunes_writes_and_draws(tmp_path: Path) -> None:
    path, plots = tmp_path / "tuned.yaml", tmp_path / "plots"
    args = [*CASE, "--weight", "0.02", "--output", str(path), "--plots", str(plots)]
    done = CliRunner().invoke(tune_command, args)
    assert done.exit_code == 0, done.output
    assert "keeps a delay margin of 20 ms over the whole range" in done.output
    profile = load_profile(path)
    assert profile.scheme == "mecn"
    assert float(profile.ewma_weight) == 0.02
    assert profile.mean_service_time_us == pytest.approx(1e6 / 187.5)
    assert {p.name for p in plots.iterdir()} == {"bode.svg", "response.svg", "tradeoff.svg"}


def test_the_result_as_json() -> None:
    done = CliRunner().invoke(tune_command, [*CASE, "--weight", "0.02", "--json"])
    result = json.loads(done.stdout)
    assert result["found"]
    assert result["profile"]["scheme"] == "mecn"
    assert min(point["delay_margin_s"] for point in result["points"]) >= 0.02


def test_says_why_there_is_none(tmp_path: Path) -> None:
    path = tmp_path / "tuned.yaml"
    args = [*CASE[:-1], "1..60", "--weight", "0.02", "--thresholds", "4/8/12", "--output", str(path)]
    done = CliRunner().invoke(tune_command, args)
    assert done.exit_code == 1
    assert "Nothing that was tried keeps" in done.output
    assert "the marks below max_th do not slow the senders enough" in done.output
    assert not path.exists()


def test_names_what_cannot_be_read() -> None:
    done = CliRunner().invoke(tune_command, ["--rate", "fast", *CASE[2:]])
    assert done.exit_code == 2
    assert "'fast' is not a rate" in done.output


def test_quantities() -> None:
    assert parse_rate("1.5Mbps") == 1.5e6
    assert parse_rate("10 Gbps") == 1e10
    assert parse_time("100ms") == pytest.approx(0.1)
    assert parse_range("50ms..200ms", parse_time) == pytest.approx((0.05, 0.2))
    assert parse_range("7", parse_count) == (7, 7)
    assert {parse_rate(text) for text in ("1.5mbit", "1500 kbit/s", "1.5MBIT/S", "1500000bps")} == {1.5e6}
    assert [parse_seconds(text) for text in ("10", "10s", "500ms", "2min", "0")] == [10, 10, 0.5, 120, 0]
    for text in ("1", "ms", "-1ms", "0ms", "1e3ms", "nan", "1msx", ""):
        with pytest.raises(ValueError, match="time"):
            parse_time(text)
    with pytest.raises(ValueError, match="must not be above"):
        parse_range("9..3", parse_count)


@given(st.text())
def test_any_text_is_a_quantity_or_a_valueerror(text: str) -> None:
    for parse in (parse_rate, parse_time, parse_count):
        try:
            low, high = parse_range(text, parse)
        except ValueError:
            continue
        assert 0 < low <= high
