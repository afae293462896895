# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""One table: `mecn-switch` beside simple_switch_grpc, on the same program, entries and packets.

    sudo .venv/bin/python switch/p4runtime/bench/compare.py [--rounds 3] [--seconds 1.5] [--all]

* processor time for each packet, from capture file to capture file;
* between two hosts in namespaces, once with the hosts' offloads off and once as Linux has them: UDP echo of
  64 bytes, one at a time; one TCP connection; small datagrams as fast as one sender can;
* P4Runtime writes per second.

Each figure is the median of several rounds, in which the switches take turns. Hosts and switch share the
processors of this machine, so only the comparison means something. What the machine lacks is said, and left
out. `--all` measures the engine alone as well: packets per second, instructions per packet, table lookups.
"""

from __future__ import annotations

import argparse
import json
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
from collections import defaultdict
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from mecn_controller.errors import ControllerError
from mecn_controller.text_table import aligned
from mecn_topo.lab import LabError, bmv2
from tests.namespaces import why_not

from bench import captures, links, writes
from bench.contestants import Contestant, contestants

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import NoReturn

ROOT = Path(__file__).resolve().parents[3]
SMALL, LARGE = 500, {"mecn-switch": 200_000, "simple_switch_grpc": 6_000}
"""Packets of the two runs whose difference counts; what is slower gets fewer."""
ROUTES = 500
Figures = dict[str, float]


@dataclass(frozen=True)
class Size:
    """How much is measured."""

    rounds: int
    seconds: float
    packets: dict[str, int]
    routes: int


def say(what: str) -> None:
    """Progress; the table alone goes to stdout."""
    print(what, file=sys.stderr, flush=True)


def _captures(contestant: Contestant, size: Size) -> Figures:
    many = size.packets.get(contestant.name.split()[0], SMALL)
    with tempfile.TemporaryDirectory(prefix="mecn-bench-") as folder:
        each = captures.measure(contestant, Path(folder), min(SMALL, many // 2), many)
    return {"processor time for each packet, us": each}


def _links(contestant: Contestant, size: Size) -> Figures:
    found: Figures = {}
    for how, as_shipped in (("offloads off", False), ("as shipped", True)):
        figures = links.measure(contestant, size.seconds, as_shipped=as_shipped)
        found |= {f"{name} ({how})": value for name, value in figures.items()}
    return found


def _writes(contestant: Contestant, size: Size) -> Figures:
    single, batch = writes.measure(contestant, size.routes)
    return {"P4Runtime writes/s, one in a request": single, "P4Runtime writes/s, all in one": batch}


def parts() -> Iterator[Callable[[Contestant, Size], Figures]]:
    """What can be measured here; says what cannot."""
    yield _captures
    if (reason := why_not() or (None if shutil.which("ethtool") else "needs the command ethtool")) is None:
        yield _links
    else:
        say(f"not measured between hosts: {reason}")
    yield _writes


def measured(found: Sequence[Contestant], size: Size) -> dict[str, dict[str, list[float]]]:
    """The figures of all rounds, by what they are and by switch."""
    rows: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for part in list(parts()):
        for number in range(size.rounds):
            for contestant in found:
                say(f"{part.__name__.strip('_')}, round {number + 1} of {size.rounds}: {contestant.name}")
                for name, value in part(contestant, size).items():
                    rows[name][contestant.name].append(value)
    return rows


def table(found: Sequence[Contestant], rows: dict[str, dict[str, list[float]]]) -> str:
    """Medians, and how many times ours is simple_switch_grpc's."""
    names = [contestant.name for contestant in found]
    ratio = "simple_switch_grpc" in names
    lines = [["", *names, *(["mecn-switch / simple_switch_grpc"] if ratio else [])]]
    for what, values in rows.items():
        medians = [statistics.median(values[name]) if values[name] else None for name in names]
        cells = ["none arrives" if each is None else f"{each:.1f}" for each in medians]
        reference = medians[names.index("simple_switch_grpc")] if ratio else None
        if ratio:
            cells.append(f"{medians[0] / reference:.3g}" if reference and medians[0] is not None else "")
        lines.append([what, *cells])
    return "\n".join(aligned(lines))


def engine_alone() -> None:
    """The rest of what is known of the engine, as its own programs print it."""
    build = ROOT / "build"
    build.mkdir(exist_ok=True)
    program = str(ROOT / "p4src" / "mecn_v1model.p4")
    compiler = str(Path(sys.executable).parent / "mecn-p4c")
    cargo = ["cargo", "bench", "--quiet", "--locked", "-p", "p4-engine", "--bench"]
    for command in (
        [compiler, "-I", str(ROOT / "p4src"), program, "-o", str(build / "mecn_v1model.json")],
        [*cargo, "pipeline", "--", "--noplot"],
        ["cargo", "build", "--quiet", "--release", "--locked", "-p", "p4-engine", "--example", "pipeline"],
        [sys.executable, ".ci/instructions.py"],
        [*cargo, "lookup", "--", "--noplot"],
    ):
        say(" ".join(command))
        subprocess.run(command, cwd=ROOT, check=True)  # noqa: S603


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=3, help="default: %(default)s")
    parser.add_argument(
        "--seconds", type=float, default=1.5, help="of each measurement between hosts; default: %(default)s"
    )
    parser.add_argument("--packets", type=int, help="from file to file; default: as many as the switch needs")
    parser.add_argument("--json", action="store_true", help="the figures of all rounds instead of a table")
    parser.add_argument(
        "--all", action="store_true", help="also mecn-switch --busy-poll, and the engine alone"
    )
    options = parser.parse_args()
    if options.rounds < 1 or not 0.1 <= options.seconds <= 600:
        parser.error("--rounds is at least 1, --seconds in 0.1..600")
    if options.packets is not None and options.packets < 2:
        parser.error("--packets is at least 2")
    return options


def main() -> int:
    """Prints the table."""
    options = _options()
    # Termination unwinds the stack, so that processes and namespaces are removed.
    signal.signal(signal.SIGTERM, _interrupted)
    packets = dict.fromkeys(LARGE, options.packets) if options.packets else LARGE
    size = Size(options.rounds, options.seconds, packets, ROUTES)
    try:
        found = contestants()
        if (missing := bmv2.missing()) is not None:
            say(f"not compared with simple_switch_grpc: {missing}")
        if options.all:
            polling = replace(found[0], name="mecn-switch --busy-poll", options=("--busy-poll",))
            found.insert(1, polling)
        rows = measured(found, size)
    except (LabError, ControllerError, captures.MissingPacketsError) as error:
        print(f"bench-switch: {error}", file=sys.stderr)
        return 1
    print(json.dumps(rows) if options.json else table(found, rows))
    if options.all:
        engine_alone()
    return 0


def _interrupted(_number: int, _frame: object) -> NoReturn:
    raise KeyboardInterrupt


if __name__ == "__main__":
    sys.exit(main())
