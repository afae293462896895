# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""`mecn_v1model.p4` on both compilers and both switches. Thousands of rounds: `make test-long`."""

import shutil
from pathlib import Path

import mecn_native
import pytest
from mecn_controller.names import Ecn

from . import random_tables
from .bmv2 import missing
from .four_ways import Reference, compare
from .frequencies import CASES, counted
from .mecn_program import SOURCE
from .random_tables import played, rounds_of, with_given_draws

needs_reference = pytest.mark.skipif(bool(missing()), reason=f"not on PATH: {missing()}")


@needs_reference
def test_random_tables_and_packets() -> None:
    found = random_tables.differences(0, range(40))
    assert {name: f"{way.what}: {way.text}" for name, way in found.items()} == {}


@needs_reference
def test_frequencies() -> None:
    ways = compare(SOURCE, counted, [SOURCE.parent], reference=Reference("simple_switch_grpc"))
    assert {name: f"{way.what}: {way.text}" for name, way in ways.items() if way.what} == {}


# ---- That these tests can fail -----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def program() -> bytes:
    return mecn_native.compile_p4(SOURCE, [SOURCE.parent]).bmv2_json.encode()


def test_rounds_reach_all_there_is_to_compare(program: bytes) -> None:
    """Packets marked at either level, dropped early, sent to the controller; reports and classes of flows."""
    switch = mecn_native.Switch.from_json(with_given_draws(program))
    rounds = rounds_of(0, range(40))
    sent = [
        item for items in played(rounds, switch).state.values() if isinstance(items, list) for item in items
    ]
    assert sum(port == random_tables.CPU_PORT for port, _ in sent) > 20
    assert len(sent) > 200
    levels = [
        sum(
            switch.counter_read("MecnEgress.marking.marking_stats", port * 4 + level)[0]
            for port in range(512)
        )
        for level in range(3)
    ]
    drops = sum(switch.counter_read("MecnIngress.admission.early_drop_stats", port)[0] for port in range(512))
    assert min(*levels, drops) > 5, (levels, drops)
    assert switch.take_digests()
    assert any(
        switch.register_read("MecnIngress.flow_class.flow_slots", slot) >> 48 & 7 == 1
        for slot in range(1 << 16)
    )


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("v1model/aqm_curve.p4", "slope_moderate * offset) >> 16", "slope_moderate * offset) >> 15"),
        ("v1model/spaced_draw.p4", "limit = CERTAIN << 1;", "limit = CERTAIN;"),
        ("v1model/ewma.p4", "((avg - sample) >> 32)", "((avg - sample) >> 31)"),
        ("v1model/flow_class.p4", "rtt = elapsed[23:4];", "rtt = 0xF_FFFF;"),
        ("shared/aqm_verdict.p4", "ecn == ECN_ECT_0", "ecn != ECN_NOT_ECT"),
    ],
)
def test_a_changed_program_is_seen(program: bytes, tmp_path: Path, file: str, old: str, new: str) -> None:
    shutil.copytree(SOURCE.parent, tmp_path / "p4src")
    changed = tmp_path / "p4src" / file
    assert old in changed.read_text()
    changed.write_text(changed.read_text().replace(old, new))
    source = tmp_path / "p4src" / SOURCE.name
    other = mecn_native.compile_p4(source, [source.parent]).bmv2_json.encode()
    rounds = rounds_of(0, range(40))
    seen = [
        played(rounds, mecn_native.Switch.from_json(with_given_draws(each))).state
        for each in (program, other)
    ]
    assert seen[0] != seen[1]


def test_frequencies_that_are_wrong_are_seen() -> None:
    ecn = [Ecn.CE if number % 4 else Ecn.ECT_0 for number in range(200)]
    assert all(list(case.problems(ecn)) for case in CASES)
