# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""`mecn mininet`: a topology in Mininet, with a command line."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from importlib.resources import files
from pathlib import Path

import click
from mecn_controller.errors import ControllerError

from .web_option import web_option

CANNOT_RUN = 2
FAILED = 1
TAKE_DOWN_S = 15.0
"""How long a watchdog may take."""
NODES = Path(str(files("mecn_topo"))) / "mn" / "nodes.py"


def system_python() -> str | None:
    """A Python that has Mininet; None if there is none."""
    return next((python for python in _candidates() if _import_error(python) is None), None)


def _candidates() -> list[str]:
    """MININET_PYTHON and no other, if it is set."""
    if named := os.environ.get("MININET_PYTHON"):
        return [named]
    return list(dict.fromkeys(filter(None, ["/usr/bin/python3", shutil.which("python3"), sys.executable])))


def _import_error(python: str) -> str | None:
    """Why a Python cannot import Mininet; None if it can."""
    try:
        done = subprocess.run(  # noqa: S603
            [python, "-c", "import mininet.net"], capture_output=True, text=True, check=False, timeout=60
        )
    except OSError as error:
        return str(error)
    return None if done.returncode == 0 else (done.stderr.strip().splitlines() or ["no reason given"])[-1]


def _missing() -> str:
    """What to tell if no Python has Mininet: how to get it, and what keeps one that has it from using it."""
    said = {python: _import_error(python) for python in _candidates()}
    reasons = [
        f"{python}: {error}"
        for python, error in said.items()
        if "MININET_PYTHON" in os.environ or "No module named 'mininet" not in str(error)
    ]
    hint = "Mininet is not installed (Debian, Ubuntu: apt install mininet)"
    if any("distutils" in reason for reason in reasons):
        hint = (
            "Mininet needs distutils, which Python 3.12 leaves to setuptools: apt install python3-setuptools"
        )
    return "; ".join([hint, *reasons])


def _run_nodes(command: list[str], name: str) -> int:
    """Runs nodes.py; returns the exit status. Raises LabError if it is killed.

    It takes the network down when this process ends, and its watchdog does when it is killed itself.
    """
    from mecn_topo.lab import LabError
    from mecn_topo.lab.registry import FOLDER

    process = subprocess.Popen(["setpriv", "--pdeathsig", "TERM", *command])  # noqa: S603, S607

    def forward(number: int, _frame: object) -> None:
        process.send_signal(number)

    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, forward)
    # A terminal's Ctrl-C reaches it, too.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    status = process.wait()
    if status >= 0:
        return status
    record, deadline = FOLDER / f"{name}.json", time.monotonic() + TAKE_DOWN_S
    while record.exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    left = "; mecn lab down removes what is left" if record.exists() else ", and the network removed"
    raise LabError(f"Mininet's process was killed by {signal.Signals(-status).name}{left}")


@click.command()
@click.argument("name", metavar="[PAPER|FILE.yaml]", default="003")
@click.option(
    "--sources", type=click.IntRange(1, 250), metavar="N", help="Of a paper's topology; default: 5."
)
@click.option("--target", type=click.Choice(["embedded", "bmv2"]), default="embedded", show_default=True)
@click.option(
    "--links",
    type=click.Choice(["wires", "netem"]),
    default="wires",
    show_default=True,
    help="With bmv2: what makes rates and delays of links, a process of ours or the kernel.",
)
@click.option("--profile", type=click.Path(path_type=Path), help="Profile of the first queue that has one.")
@click.option("--tcp", type=click.Choice(["auto", "mecn", "reno", "cubic", "dctcp"]), default="auto")
@click.option("--linux-tcp", is_flag=True, help="Leave SACK, windows, delayed ACKs as Linux has them.")
@web_option
@click.option("--script", type=click.Path(path_type=Path, exists=True), help="Commands to run; then end.")
def mininet(
    name: str,
    sources: int | None,
    target: str,
    links: str,
    profile: Path | None,
    tcp: str,
    linux_tcp: bool,
    web: tuple[str, int] | None,
    script: Path | None,
) -> None:
    """A topology in Mininet, with a command line. Needs root and the package mininet (Debian, Ubuntu).

    Beside Mininet's commands there are `profile SWITCH TOWARDS FILE.yaml`, `queue SWITCH TOWARDS` and
    `ports`. Rates and delays are made by the embedded switch's ports, or for BMv2 by a node between the ends
    of each link. Exit status: 1 if the network cannot be started, 2 if something is missing,
    128 and the signal's number after a signal.
    """
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")
    from mecn_topo.lab.kernel import obstacle

    if (reason := obstacle()) is not None:
        # Before matplotlib and the like are imported, which warn of other things.
        click.echo(f"mecn mininet: cannot run: {reason}", err=True)
        sys.exit(CANNOT_RUN)
    from mecn_controller.policy.profile import Mecn
    from mecn_topo.cli import find_scenario, with_profile
    from mecn_topo.lab import PAPER_TCP, CannotRunError, HostTcp, LabError, Options, check_machine
    from mecn_topo.lab.switches import free_grpc_port
    from mecn_topo.mn.plan import make_plan, write_configuration

    from ..errors import ExperimentError
    from .session import program_for
    from .tools import options_for

    try:
        scenario = with_profile(find_scenario(name, sources), profile)
        options = Options(HostTcp() if linux_tcp else PAPER_TCP, target, links)
        check_machine(scenario, options)
        python = system_python()
        if python is None:
            raise CannotRunError(_missing())
        multi_level = any(isinstance(of.profile, Mecn) for of in scenario.placements)
        options, why_not = options_for(options, tcp, multi_level)
        if why_not:
            click.echo(f"the hosts run {options.tcp.congestion} with classic ECN: {why_not}", err=True)
        program = program_for(target)
        with tempfile.TemporaryDirectory(prefix="mecn-mininet-") as work:
            folder = Path(work)
            first_grpc = free_grpc_port(len(scenario.topology.switches))
            plan = make_plan(
                scenario,
                options.tcp,
                folder,
                target=target,
                by=links,
                script=script,
                page=web,
                first_grpc=first_grpc,
            )
            made = (program.bmv2_json, program.p4info)
            write_configuration(scenario, made, folder, target, first_grpc)
            (folder / "plan.json").write_text(json.dumps(plan))
            status = _run_nodes([python, str(NODES), str(folder / "plan.json")], plan["name"])
    except CannotRunError as error:
        click.echo(f"mecn mininet: cannot run: {error}", err=True)
        sys.exit(CANNOT_RUN)
    except (LabError, ExperimentError, ControllerError) as error:
        click.echo(f"mecn mininet: {error}", err=True)
        sys.exit(FAILED)
    sys.exit(status)
