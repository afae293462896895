# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""`make tofino`: compile for Tofino 1 and 2 with p4c's back end and its assembler, and print what that takes.

    make tofino [ARGS="--write --folder FOLDER"]

The results are in build/tofino and build/tofino2; `--write` puts the table into docs/tofino.md. Exit status:
0 if both compile within their stages, 1 if one does not, 2 if there is no p4c with that back end.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from mecn_experiments import documents

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "p4src" / "mecn_tna.p4"
DOCUMENT = ROOT / "docs" / "tofino.md"
CANNOT_RUN = 2
TARGETS = {"tofino": "tna", "tofino2": "t2na"}
# bfas crashes on CLOTs, parts of packets that Tofino 2 carries past its stages, if the parser has lost the
# branches that fill them (`branches_lost`).
OPTIONS = {"tofino": (), "tofino2": ("-Xp4c=--no-clot",)}
HOW = (
    "It is built from https://github.com/p4lang/p4c with cmake's option -DENABLE_TOFINO=ON; "
    "p4lang's packages are built without it."
)
# The back end's own: padding of short packets in egress.
NOT_OURS = "warning: Parser state min_parse_depth_accept_loop"


def missing() -> str | None:
    """Why nothing can be compiled here; None if it can."""
    if shutil.which("p4c") is None:
        return f"p4c is not on PATH. {HOW}"
    done = subprocess.run(["p4c", "--target-help"], capture_output=True, text=True, check=False)  # noqa: S607
    if "tofino" not in done.stdout + done.stderr:
        return f"the p4c on PATH has no back end for Tofino. {HOW}"
    return None


def command(target: str, folder: Path) -> list[str]:
    """The compiler on one generation. It writes its logs if it is verbose."""
    return [
        "p4c", "--target", target, "--arch", TARGETS[target], "--std", "p4-16", *OPTIONS[target],
        "-I", str(SOURCE.parent), "--verbose", "1", "-o", str(folder), str(SOURCE),
    ]  # fmt: skip


def compile_for(target: str, folder: Path) -> tuple[int, str]:
    """Compiler and assembler on one generation: exit status, and what they said."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    done = subprocess.run(command(target, folder), capture_output=True, text=True, check=False)  # noqa: S603
    return done.returncode, done.stdout + done.stderr


def warnings(said: str, folder: Path) -> list[str]:
    """All warnings but those about the assembly that p4c made, and about states that it added."""
    return [
        line
        for line in said.splitlines()
        if "warning:" in line and not line.startswith((str(folder), NOT_OURS))
    ]


def branches_lost(folder: Path) -> bool:
    """Whether the ingress parser that was made looks at no packet data: p4c before p4lang/p4c#5753."""
    assembly = (folder / "pipe" / "mecn_tna.bfa").read_text()
    parser = assembly.partition("parser ingress:")[2].partition("deparser ingress:")[0]
    return re.search(r"^ +match: ", parser, re.MULTILINE) is None


def figures(folder: Path) -> dict[str, str]:
    """What the program takes, as the compiler's logs have it; ratios are of all that the device has."""
    logs = folder / "pipe" / "logs"
    summary = (logs / "table_summary.log").read_text()
    allocation = sorted(logs.glob("phv_allocation_summary_*.log"))[-1].read_text()
    mau: dict[str, Any] = json.loads((logs / "resources.json").read_text())["resources"]["mau"]
    stages, first = mau["nStages"], mau["mau_stages"][0]

    def of_stages(direction: str) -> str:
        found = re.findall(rf"Number of stages for {direction} table allocation: (\d+)", summary)
        return f"{found[-1]} of {stages}"

    def sum_of(kind: str, used: str, each: int) -> str:
        return f"{sum(len(stage[kind][used]) for stage in mau['mau_stages'])} of {stages * each}"

    used = r"\s*\|\s*(\d+) \(\s*([\d.]+)\s*%\)"
    phv = re.findall(rf"Overall PHV Usage{used}{used}", allocation)[-1]
    return {
        "stages in ingress": of_stages("ingress"),
        "stages in egress": of_stages("egress"),
        "tables": sum_of("logical_tables", "ids", first["logical_tables"]["size"]),
        "TCAM blocks": sum_of("tcams", "tcams", first["tcams"]["nColumns"] * first["tcams"]["nRows"]),
        "SRAM blocks": sum_of("rams", "srams", first["rams"]["nColumns"] * first["rams"]["nRows"]),
        "meter ALUs (registers and `Lpf`)": sum_of("meter_alus", "meters", first["meter_alus"]["nAlus"]),
        "statistics ALUs (counters)": sum_of("statistic_alus", "stats", first["statistic_alus"]["nAlus"]),
        "PHV containers": f"{phv[0]} ({phv[1]} %)",
        "PHV bits": f"{phv[2]} ({phv[3]} %)",
    }


def table(folders: dict[str, Path]) -> str:
    """The figures of both generations side by side."""
    both = [figures(folders[target]) for target in TARGETS]
    rows = [f"| {name} | {both[0][name]} | {both[1][name]} |" for name in both[0]]
    return "\n".join(["| | Tofino 1 | Tofino 2 |", "|---|---|---|", *rows])


def main() -> int:
    """Compile for both generations."""
    parser = argparse.ArgumentParser(prog="make tofino", description="compile for Tofino 1 and 2")
    parser.add_argument("--write", action="store_true", help=f"put the table into {DOCUMENT.name}")
    parser.add_argument("--folder", type=Path, default=ROOT / "build", help="results (default: build)")
    arguments = parser.parse_args()
    if (reason := missing()) is not None:
        print(f"make tofino: cannot run: {reason}", file=sys.stderr)
        return CANNOT_RUN
    folders = {target: arguments.folder / target for target in TARGETS}
    failed = False
    for target, folder in folders.items():
        print(f"--- {' '.join(command(target, folder))}", flush=True)
        status, said = compile_for(target, folder)
        print(f"{said}--- {target}: {'compiled' if status == 0 else f'status {status}'}", flush=True)
        failed |= status != 0
        if status == 0 and branches_lost(folder):
            print(f"--- {target}: do not load this: p4c before p4lang/p4c#5753 loses branches of parsers")
    if failed:
        return 1
    print(table(folders))
    if arguments.write:
        documents.put(DOCUMENT, "resources", table(folders))
    return 0


if __name__ == "__main__":
    sys.exit(main())
