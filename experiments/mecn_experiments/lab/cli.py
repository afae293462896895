# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""`mecn lab`: topologies in real time on this machine, as root."""

from __future__ import annotations

import os
import signal
import sys
import time
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import click
from mecn_controller.commands.types import Seconds
from mecn_controller.errors import ControllerError

from .web_option import web_option

if TYPE_CHECKING:
    from typing import Any

    from mecn_topo.lab import Options, Plan
    from mecn_topo.lab.registry import Record

RESULTS = Path("results") / "lab"
FILE_S = 30.0
"""How long a file's run is by default."""
CANNOT_RUN = 2
FAILED = 1
INTERRUPTED = 130


@click.group()
def lab() -> None:
    """Run topologies in real time: network namespaces, switches in processes, the kernel's TCP. Needs root.

    Exit status: 1 if a run fails, 2 if it cannot be begun (a wrong file, or something this machine lacks),
    130 after an interrupt. Whatever happens, everything is taken down.
    """


@lab.command()
@click.argument("name", metavar="[PAPER|FILE.yaml]", default="003")
@click.argument("figures", metavar="[FIGURE]...", nargs=-1)
@click.option("--duration", type=Seconds(1, 86400), help="Default: the paper's, or 30 s.")
@click.option("--warmup", type=Seconds(), help="Time that is not measured; default: the paper's, or 0.")
@click.option(
    "--seeds", type=click.IntRange(1), metavar="N", help="Of a paper: each run with seeds 1 to N; default: 1."
)
@click.option("--sources", metavar="N,N,...", help="Of a paper: numbers of flows.")
@click.option(
    "--set", "settings", multiple=True, metavar="KEY=VALUE", help="Any other parameter of the paper."
)
@click.option("--scheme", "schemes", multiple=True, metavar="NAME", help="Of a paper: as --only scheme=NAME.")
@click.option(
    "--only",
    multiple=True,
    metavar="KEY=VALUE",
    help="Of a paper: only runs whose recipe has this value (or one of VALUE,VALUE); repeatable.",
)
@click.option("--again", is_flag=True, help="Of a paper: also runs that are in the data file.")
@click.option(
    "--dry-run", is_flag=True, help="Of a paper: print the runs, and how long they take. Needs no root."
)
@click.option(
    "--profile",
    type=click.Path(path_type=Path),
    help="A paper's or file's topology with this profile instead.",
)
@click.option(
    "--tcp",
    type=click.Choice(["auto", "mecn", "reno", "cubic", "dctcp"]),
    default="auto",
    show_default=True,
    help="Of the hosts. auto: mecn for multi-level schemes if this machine can, else reno with classic ECN.",
)
@click.option(
    "--linux-tcp",
    is_flag=True,
    help="Leave SACK, windows, delayed ACKs as Linux has them, not as the papers.",
)
@click.option(
    "--traffic",
    type=click.Choice(["auto", "iperf3", "plain"]),
    default="auto",
    show_default=True,
    help="What sends: iperf3, or plain sockets (auto: where iperf3 is missing).",
)
@click.option("--target", type=click.Choice(["embedded", "bmv2"]), default="embedded", show_default=True)
@click.option(
    "--links",
    type=click.Choice(["wires", "netem"]),
    default="wires",
    show_default=True,
    help="With bmv2: what makes rates and delays of links, a process of ours or the kernel.",
)
@click.option("--capture/--no-capture", default=None, help="tcpdump at each host; default: if it is there.")
@click.option(
    "--seed", type=click.IntRange(0), help="Of a file: of start times and the switches' draws; default: 1."
)
@web_option
@click.option("-o", "--output", type=click.Path(path_type=Path), help=f"Default: {RESULTS}/NAME.")
def run(
    name: str,
    figures: tuple[str, ...],
    duration: float | None,
    warmup: float | None,
    seeds: int | None,
    sources: str | None,
    settings: tuple[str, ...],
    schemes: tuple[str, ...],
    only: tuple[str, ...],
    again: bool,
    dry_run: bool,
    profile: Path | None,
    tcp: str,
    linux_tcp: bool,
    traffic: str,
    target: str,
    links: str,
    capture: bool | None,
    seed: int | None,
    web: tuple[str, int] | None,
    output: Path | None,
) -> None:
    """Bring a network up, push a profile, run flows, show and record them, take it down.

    Of a paper (000, 001, 002, 003, 004, beyond) these are runs of its experiment: those of the figures that
    are named, or else a few for a first look. They give the same rows and figures as `mecn experiment run`.
    What is in the data file already is not run again. Of a file it is one run.
    """
    signal.signal(signal.SIGTERM, _interrupted)
    if signal.getsignal(signal.SIGHUP) != signal.SIG_IGN:  # nohup
        signal.signal(signal.SIGHUP, _interrupted)
    # gRPC's own log would stand beside our lines; it is read when grpc is first imported.
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")
    from mecn_topo.lab import PAPER_TCP, CannotRunError, HostTcp, LabError, Options, Plan
    from mecn_topo.lab.kernel import obstacle
    from mecn_topo.topology import TopologyError

    from ..errors import ExperimentError
    from ..registry import EXPERIMENTS
    from .bridge import CannotBeginError
    from .tools import page_at, traffic_of

    papers = name in EXPERIMENTS and profile is None
    if papers and seed is not None:
        raise click.UsageError("--seed is for files; of a paper --seeds N makes runs with seeds 1 to N")
    if not papers:
        _only_of_papers(
            figures, seeds=seeds, set=settings, scheme=schemes, only=only, again=again, dry_run=dry_run
        )
        if (warmup or 0) >= (duration or FILE_S):
            raise click.UsageError("--warmup must be less than --duration")
    try:
        if not dry_run and (reason := obstacle()) is not None:
            raise CannotRunError(reason)
        tcp_of = HostTcp() if linux_tcp else PAPER_TCP
        page = None if web is None or dry_run else page_at(web)
        options = Options(tcp_of, target, links, seed=1 if seed is None else seed, page=page)
        folder = output or RESULTS / (
            name if papers or ("/" not in name and "." not in name) else Path(name).stem
        )
        if papers:
            from ..files import only_writer
            from .paper_command import Wanted, run_paper

            given = _given(name, settings, duration, warmup, seeds, sources)
            filters = (*only, *(f"scheme={scheme}" for scheme in schemes))
            wanted = Wanted(name, figures, given, filters, again, tcp, linux_tcp, capture, folder)
            with nullcontext() if dry_run else only_writer(folder):
                run_paper(wanted, options, lambda: traffic_of(traffic), dry_run=dry_run)
        else:
            plan = Plan(duration or FILE_S, warmup or 0.0, seed=options.seed, traffic=traffic_of(traffic))
            _run_other(name, _number(sources), profile, plan, options, tcp, capture, folder)
    except CannotRunError as error:
        _fail(f"cannot run: {error}", CANNOT_RUN)
    except (CannotBeginError, ControllerError, TopologyError) as error:
        _fail(str(error), CANNOT_RUN)
    except (LabError, ExperimentError) as error:
        _fail(str(error), FAILED)
    except KeyboardInterrupt:
        _fail("interrupted; the network was taken down, what was finished is kept", INTERRUPTED)


def _only_of_papers(figures: tuple[str, ...], **options: object) -> None:
    """Refuses what makes no sense for a file, or a profile of one's own."""
    if figures:
        raise click.UsageError(f"{figures[0]}: figures are of a paper's runs, without --profile")
    for name, value in options.items():
        if value:
            raise click.UsageError(f"--{name.replace('_', '-')} is for a paper's runs, without --profile")


def _given(
    key: str,
    settings: tuple[str, ...],
    duration: float | None,
    warmup: float | None,
    seeds: int | None,
    sources: str | None,
) -> dict[str, Any]:
    """Parameters as the user gave them."""
    from ..settings import parse_setting
    from .bridge import bridge_of

    given = dict(parse_setting(setting) for setting in settings)
    named = {"duration_s": duration, "warmup_s": warmup, "seeds": seeds}
    given |= {name: value for name, value in named.items() if value is not None}
    if sources is not None:
        parameter = bridge_of(key).sources
        if parameter is None:
            raise click.UsageError(
                f"the numbers of flows of {key} are the runs' own: see --dry-run and --only"
            )
        _, given[parameter] = parse_setting(
            f"sources={sources}" if "," in sources else f"sources=[{sources}]"
        )
    return given


def _number(sources: str | None) -> int | None:
    """Of a paper's topology with a profile of one's own."""
    if sources is None:
        return None
    if not sources.isdecimal() or not 1 <= int(sources) <= 250:
        raise click.BadParameter("must be a number from 1 to 250", param_hint="--sources")
    return int(sources)


def _interrupted(_number: int, _frame: object) -> NoReturn:
    raise KeyboardInterrupt


def _fail(message: str, status: int) -> NoReturn:
    click.echo(f"mecn lab: {message}", err=True)
    sys.exit(status)


def _run_other(
    name: str,
    sources: int | None,
    profile: Path | None,
    plan: Plan,
    options: Options,
    tcp: str,
    capture: bool | None,
    folder: Path,
) -> None:
    from mecn_controller.policy.profile import Mecn
    from mecn_topo.cli import find_scenario, with_profile

    from .console import report
    from .session import Session, program_for
    from .session import run as run_session
    from .tools import captures_in, options_for

    scenario = with_profile(find_scenario(name, sources), profile)
    multi_level = any(isinstance(placement.profile, Mecn) for placement in scenario.placements)
    options, why_not = options_for(replace(options, mean_packet_bytes=scenario.mtu), tcp, multi_level)
    if why_not:
        click.echo(f"the hosts run {options.tcp.congestion} with classic ECN: {why_not}", err=True)
    title = f"{scenario.topology.name}, {len(scenario.flows)} flows, {options.tcp.congestion}"
    session = Session(title, scenario, options, replace(plan, captures=captures_in(capture, folder)), folder)
    report(run_session(session, program_for(options.target)), title, folder)


@lab.command()
@click.option("--sources", type=click.IntRange(1, 250), default=5, show_default=True)
@click.option("--duration", type=Seconds(5, 3600), default=60.0, show_default=True)
@click.option("--runs", type=click.IntRange(1, 100), default=3, show_default=True, help="Of each lab.")
@click.option("--write", is_flag=True, help="Put the table into docs/validation.md.")
@click.option("-o", "--output", type=click.Path(path_type=Path), default=RESULTS / "crosscheck")
def crosscheck(sources: int, duration: float, runs: int, write: bool, output: Path) -> None:
    """Compare paper 003's low thresholds, multi-level ECN, in the virtual network and in labs.

    The labs are those of the embedded switch and of BMv2, which is left out where p4lang's tools are missing.
    Exit status: 0 if all is within the limits, 1 if not, 2 if this machine cannot run it.
    """
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _interrupted)
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")
    from mecn_topo.lab import CannotRunError, LabError

    from ..errors import ExperimentError
    from . import crosscheck as sides
    from .crosscheck_command import measure_sides, show

    try:
        whole, later, late = measure_sides(sources, duration, runs, output)
        lines = sides.compare(whole, later)
    except CannotRunError as error:
        _fail(f"cannot run: {error}", CANNOT_RUN)
    except (LabError, ExperimentError, ControllerError) as error:
        _fail(str(error), FAILED)
    except KeyboardInterrupt:
        _fail("interrupted; the network was taken down", INTERRUPTED)
    show(lines, f"{sources} flows, {duration:g} s", late, runs)
    if write:
        sides.write(lines)
    sys.exit(FAILED if any(line.outside for line in lines) else 0)


# ---- Labs that are there -----------------------------------------------------------------------------------


def _records() -> list[Record]:
    from mecn_topo.lab import records

    try:
        return records()
    except PermissionError as error:
        _fail(f"cannot run: {error}", CANNOT_RUN)


@lab.command("list")
def list_labs() -> None:
    """List the labs of this machine, running or left behind."""
    found = _records()
    for record in found:
        state = f"running, process {record.owner}" if record.is_running else "left behind"
        click.echo(f"{record.path.stem}  {record.title}: {state}; {len(record.namespaces)} namespaces")
    if not found:
        click.echo("no labs")


@lab.command()
@click.option("--running", is_flag=True, help="End running labs too.")
def down(running: bool) -> None:
    """Remove what labs have left behind whose processes were killed, watchdog included."""
    from mecn_topo.lab import remove_leftovers

    if os.geteuid() != 0:
        _fail("cannot run: it needs root", CANNOT_RUN)
    for record in _records():
        if running and record.is_running:
            _end(record)
    failed = False
    for record, problems in remove_leftovers():
        click.echo(f"{record.path.stem}: {'; '.join(problems) if problems else 'removed'}")
        failed |= bool(problems)
    sys.exit(FAILED if failed else 0)


def _end(record: Record) -> None:
    os.kill(record.owner, signal.SIGTERM)
    deadline = time.monotonic() + 30
    while record.path.exists() and time.monotonic() < deadline:
        time.sleep(0.1)
    click.echo(f"{record.path.stem}: {'still there' if record.path.exists() else 'ended'}")


@lab.command("exec", context_settings={"ignore_unknown_options": True})
@click.option("--lab", "wanted", metavar="NAME", help="As in mecn lab list; default: the only one.")
@click.option("--host", metavar="HOST", help="Inside this host; default: where the switches are.")
@click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED)
def execute(wanted: str | None, host: str | None, command: tuple[str, ...]) -> None:
    """Run a command inside a running lab: `mecn lab exec -- mecn show`, `... --host S1 -- ss -ti`."""
    from mecn_topo.lab.registry import NAMESPACES

    labs = [r for r in _records() if r.is_running and wanted in (None, r.path.stem)]
    if len(labs) != 1:
        _fail(f"{len(labs)} running labs match: name one with --lab (mecn lab list)", CANNOT_RUN)
    record = labs[0]
    name = f"{record.path.stem}-{host}"
    if host is not None and name not in record.namespaces:
        known = ", ".join(space.partition(f"{record.path.stem}-")[2] for space in record.namespaces)
        _fail(f"there is no host {host}; there are {known}", CANNOT_RUN)
    place = f"/proc/{record.owner}/ns/net" if host is None else str(NAMESPACES / name)
    arguments = ["nsenter", f"--net={place}", "--", *command]
    os.execvp(arguments[0], arguments)  # noqa: S606
