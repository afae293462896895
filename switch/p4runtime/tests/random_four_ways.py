# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""Random programs, compiled by both compilers and run by both switches; the language says what must come out.

In `switch/p4runtime`, with p4c and simple_switch on PATH: `python -m tests.random_four_ways COUNT [SEED]`.
Programs that p4c compiles leave out what it is known to get wrong; it takes a second for each. With
`--compiler mecn-p4c` or `p4c` only that compiler's programs are run. Each program that differs is kept in a
folder, with its packets. The exit status is 1 if there is one. p4c does not come to an end with a few
programs: these are counted as unfinished, and are no difference.
"""

import argparse
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from .four_ways import COMPILERS, Way, compare, steps_of
from .random_programs import FIELDS, STACK, Program

LANGUAGE = Path(__file__).parent / "stf" / "language"
HEADER = 16
"""Bytes of the header; the program computes with the last four."""
PACKETS = 4


@dataclass
class Difference:
    """What differs for one program."""

    path: Path
    ways: dict[str, Way]

    def __str__(self) -> str:
        lines = [f"{way}: {found.what}: {found.text}" for way, found in self.ways.items() if found.what]
        return "\n".join([f"{self.path}:", *lines])


def write(seed: int, folder: Path, *, plain: bool) -> Path:
    """The program of a seed, and packets with what the language says of them."""
    program, draw = Program(seed, plain), random.Random(seed)
    lines = []
    for _ in range(PACKETS):
        data = draw.randbytes(len(FIELDS) + STACK)
        head = bytes(HEADER - len(FIELDS))
        lines.append(f"packet 0 {(head + data).hex()}\nexpect 0 {(head + program.outcome(data)).hex()} $")
    path = folder / f"{seed}.p4"
    path.write_text(program.text())
    path.with_suffix(".stf").write_text("\n".join(lines))
    return path


def check(seed: int, folder: Path, compilers: Sequence[str]) -> Difference | None:
    """Runs the program of a seed."""
    path = write(seed, folder, plain="p4c" in compilers)
    ways = compare(path, steps_of(path.with_suffix(".stf").read_text(), str(path)), [LANGUAGE], compilers)
    if any(way.what for way in ways.values()):
        return Difference(path, ways)
    path.unlink()
    path.with_suffix(".stf").unlink()
    return None


def differences(seeds: range, folder: Path, compilers: Sequence[str] = COMPILERS) -> Iterator[Difference]:
    """Programs that differ."""
    with ThreadPoolExecutor(2) as pool:
        found = pool.map(lambda seed: check(seed, folder, compilers), seeds)
        yield from (difference for difference in found if difference is not None)


def main() -> int:
    """Runs so many programs, from a seed on."""
    parser = argparse.ArgumentParser(description="random programs on both compilers and both switches")
    parser.add_argument("count", type=int)
    parser.add_argument("seed", type=int, nargs="?", default=0)
    parser.add_argument("--compiler", choices=COMPILERS, help="only the programs of this one")
    given = parser.parse_args()
    count, seed = given.count, given.seed
    compilers = (given.compiler,) if given.compiler else COMPILERS
    folder = Path(tempfile.mkdtemp(prefix="random-programs-"))
    kinds: Counter[str] = Counter()
    for difference in differences(range(seed, seed + count), folder, compilers):
        kinds.update(f"{way} {found.what}" for way, found in difference.ways.items() if found.what)
        print(difference, flush=True)
    print(f"{count} programs from seed {seed} on: {dict(kinds) or 'no difference'}")
    return 1 if any(not kind.endswith(" unfinished") for kind in kinds) else 0


if __name__ == "__main__":
    sys.exit(main())
