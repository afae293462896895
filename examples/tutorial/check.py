# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Checks an exercise of docs/tutorial.md: check.py EXERCISE OUTPUT.json [OTHER.json].

Exit status: 0 done, 1 not yet, 2 wrong files.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

Question = tuple[bool, str]
"""Whether it is so, and what was asked, with the numbers."""


def measure(data: dict[str, Any], name: str) -> float:
    """The mean of a measure that `mecn simulate --json` printed."""
    return float(data["measures"][name]["mean"])


def route(routes: dict[str, Any]) -> Iterator[Question]:
    """The switch forwards to 10.0.2.0/24, and keeps what is for itself."""
    found = {each["prefix"]: each for each in routes["routes"]}
    yield found.get("10.0.2.0/24", {}).get("port") == 2, "10.0.2.0/24 leaves through port 2"
    local = found.get("10.0.2.254/32", {}).get("kind")
    yield local == "LocalRoute", "10.0.2.254 is the switch's own address"


def mark(data: dict[str, Any]) -> Iterator[Question]:
    """One level: CE marks, and no packet is lost."""
    ce, incipient = measure(data, "marked_ce"), measure(data, "marked_incipient")
    lost = measure(data, "early_drops") + measure(data, "tail_drops")
    yield ce > 0, f"packets are marked CE: {ce:.0f}"
    yield incipient == 0, f"none is marked incipient: {incipient:.0f}"
    yield lost == 0, f"none is dropped: {lost:.0f}"


def level(data: dict[str, Any], one_level: dict[str, Any]) -> Iterator[Question]:
    """Two levels: more marks say little, fewer say much."""
    incipient, ce = measure(data, "marked_incipient"), measure(data, "marked_ce")
    yield incipient > ce > 0, f"more packets are marked incipient than CE: {incipient:.0f} and {ce:.0f}"
    before = measure(one_level, "marked_ce")
    yield ce < before, f"fewer are marked CE than with one level: {ce:.0f} and {before:.0f}"


def host(data: dict[str, Any], classic: dict[str, Any]) -> Iterator[Question]:
    """Hosts that know both levels answer both; classic ones see CE only."""
    mild, deaf = measure(data, "reductions_incipient"), measure(classic, "reductions_incipient")
    yield mild > 0, f"hosts with multi-level ECN answer incipient marks: {mild:.0f} cuts"
    yield deaf == 0, f"classic hosts do not: {deaf:.0f}"
    queues = measure(data, "queue_mean"), measure(classic, "queue_mean")
    yield queues[0] < queues[1], f"so their queue is shorter: {queues[0]:.1f} and {queues[1]:.1f} packets"


def tune(data: dict[str, Any]) -> Iterator[Question]:
    """The tuned queue is stable: it does not run empty, and the link is used."""
    used, empty = 100 * measure(data, "link_efficiency"), 100 * measure(data, "fraction_empty")
    yield used > 95, f"the link is used to more than 95 %: {used:.1f} %"
    yield empty < 1, f"the queue is empty for less than 1 % of the time: {empty:.2f} %"


EXERCISES: dict[str, Callable[..., Iterator[Question]]] = {
    "route": route,
    "mark": mark,
    "level": level,
    "host": host,
    "tune": tune,
}


def main(arguments: list[str]) -> int:
    """Prints a line for each question."""
    try:
        exercise = EXERCISES[arguments[0]]
        answers = list(exercise(*(json.loads(Path(name).read_text()) for name in arguments[1:])))
    except (IndexError, KeyError, TypeError, OSError, ValueError) as error:
        print(f"check.py: {type(error).__name__}: {error}\n{__doc__}", file=sys.stderr)
        return 2
    for is_so, question in answers:
        print(f"{'ok ' if is_so else 'NO '} {question}")
    return 0 if all(is_so for is_so, _ in answers) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
