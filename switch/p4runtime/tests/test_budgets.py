# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""Programs that are small and ask for much: loaded, or refused by a limit, at once, each in a child."""

import json
import subprocess
import sys
from typing import Any

import pytest

from . import program

CHILD = """
import resource, sys, mecn_native
resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
try:
    mecn_native.Switch.from_json(sys.stdin.buffer.read())
    print("loaded")
except Exception as error:
    print(error)
used = resource.getrusage(resource.RUSAGE_SELF)
# Not ru_maxrss, which begins with the memory of the process that forked.
(peak,) = [line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM:")]
print(used.ru_utime + used.ru_stime, peak)
"""


def load(text: str) -> tuple[str, float, int]:
    """What came of it, processor seconds, peak KiB."""
    command = [sys.executable, "-c", CHILD]
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=True, timeout=120)
    *said, figures = done.stdout.splitlines()
    seconds, memory = figures.split()
    return "\n".join(said), float(seconds), int(memory)


def nested(levels: int) -> str:
    """A condition of so many comparisons in each other. By text: `json` has a limit of its own."""
    true = '{"type": "bool", "value": true}'
    expression = true
    for _ in range(levels):
        expression = (
            f'{{"type": "expression", "value": {{"op": "==", "left": {expression}, "right": {true}}}}}'
        )
    data: dict[str, Any] = program.bmv2_json()
    data["pipelines"][0]["conditionals"].append(
        {"name": "n", "id": 9000, "expression": "HERE", "true_next": None, "false_next": None}
    )
    return json.dumps(data).replace('"HERE"', expression)


def changed(**more: Any) -> str:  # noqa: ANN401
    data: dict[str, Any] = program.bmv2_json()
    for key, value in more.items():
        data[key] = [*data.get(key, []), *value]
    return json.dumps(data)


@pytest.mark.parametrize("levels", [20, 60, 400])
def test_nested_comparisons_cost_what_they_are_long(levels: int) -> None:
    said, seconds, memory = load(nested(levels))
    assert said == "loaded"
    assert seconds < 3
    assert memory < 100_000


def test_nesting_has_a_limit() -> None:
    said, seconds, _ = load(nested(5000))
    assert "nested deeper than 1000 levels" in said
    assert seconds < 3


def test_arrays_have_one_budget() -> None:
    cells = [{"name": f"c{i}", "id": 1000 + i, "is_direct": False, "size": 1 << 26} for i in range(20)]
    said, seconds, memory = load(changed(counter_arrays=cells))
    assert "more than 536870912 bytes" in said
    assert seconds < 3
    assert memory < 100_000


def test_widths_are_checked_before_they_are_used() -> None:
    wide = [{"name": f"p{i}", "bitwidth": (1 << 32) - 1} for i in range(200)]
    action = {"name": "wide", "id": 9000, "runtime_data": wide, "primitives": []}
    said, seconds, memory = load(changed(actions=[action]))
    assert "more than 65536 words" in said
    assert seconds < 3
    assert memory < 100_000
