# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""Random programs on the switch, and what the language says of them.

More programs than the tests run: `python -m tests.test_random_programs FIRST LAST` in `switch/p4runtime`.
"""

import random
import sys
import tempfile
from pathlib import Path

import mecn_native
import pytest

from .random_programs import FIELDS, STACK, Program

LANGUAGE = Path(__file__).parent / "stf" / "language"
HEADER = 16
"""Bytes of the header; the program computes with the last four."""
PACKETS = 4


def differences(seed: int, folder: Path) -> list[str]:
    """Packets that the switch does not treat as the language says."""
    program = Program(seed)
    path = folder / f"{seed}.p4"
    path.write_text(program.text())
    switch = mecn_native.Switch.from_json(mecn_native.compile_p4(path, [LANGUAGE]).bmv2_json.encode())
    draw = random.Random(seed)
    found = []
    for now_ns in range(1_000_000, 1_000_000 * (PACKETS + 1), 1_000_000):
        data = draw.randbytes(len(FIELDS) + STACK)
        switch.receive(0, bytes(HEADER - len(FIELDS)) + data, now_ns)
        departure = switch.depart(now_ns)
        got = departure.frame[HEADER - len(FIELDS) :] if departure and departure.frame else b""
        if got != (wanted := program.outcome(data)):
            found.append(f"{path}: {data.hex()}: expected {wanted.hex()}, got {got.hex()}")
    return found


@pytest.mark.parametrize("first", range(0, 100, 20))
def test_random_programs_do_what_the_language_says(first: int, tmp_path: Path) -> None:
    assert [d for seed in range(first, first + 20) for d in differences(seed, tmp_path)] == []


def main() -> None:
    """Runs the programs of a range of seeds; keeps those that differ."""
    folder = Path(tempfile.mkdtemp())
    for seed in range(int(sys.argv[1]), int(sys.argv[2])):
        for difference in differences(seed, folder):
            print(difference)


if __name__ == "__main__":
    main()
