# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""`mecn lab`: topologies in real time on this machine, as root."""

from __future__ import annotations

import os
import signal
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import click
from mecn_controller.errors import ControllerError

if TYPE_CHECKING:
    from mecn_topo.lab import Options, Plan
    from mecn_topo.lab.registry import Record
    from mecn_topo.lab.run import Traffic

    from .results import Measured

RESULTS = Path("results") / "lab"
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
@click.option(
    "--sources", type=click.IntRange(1, 250), metavar="N", help="Of a paper's topology; default: 5."
)
@click.option("--duration", type=click.FloatRange(1, 86400), default=30.0, show_default=True, help="Seconds.")
@click.option("--warmup", type=click.FloatRange(0), default=0.0, help="Seconds that are not measured.")
@click.option(
    "--scheme",
    "schemes",
    multiple=True,
    type=click.Choice(["ECN", "MECN", "MECN*"]),
    help="Of paper 003; repeatable. Default: ECN and MECN, one after the other.",
)
@click.option("--thresholds", default="1/2/4", show_default=True, help="Of paper 003: min/mid/max.")
@click.option("--profile", type=click.Path(path_type=Path), help="Profile of the watched queue instead.")
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
@click.option("--capture/--no-capture", default=None, help="tcpdump at each host; default: if it is there.")
@click.option("--seed", type=click.IntRange(0), default=1, help="Of start times and the switches' draws.")
@click.option("-o", "--output", type=click.Path(path_type=Path), help=f"Default: {RESULTS}/NAME.")
def run(
    name: str,
    sources: int | None,
    duration: float,
    warmup: float,
    schemes: tuple[str, ...],
    thresholds: str,
    profile: Path | None,
    tcp: str,
    linux_tcp: bool,
    traffic: str,
    target: str,
    capture: bool | None,
    seed: int,
    output: Path | None,
) -> None:
    """Bring a network up, push a profile, run flows, show and record them, take it down."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _interrupted)
    # gRPC's own log would stand beside our lines; it is read when grpc is first imported.
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")
    from mecn_topo.lab import PAPER_TCP, CannotRunError, HostTcp, LabError, Options, Plan
    from mecn_topo.lab.kernel import obstacle
    from mecn_topo.topology import TopologyError

    from ..errors import ExperimentError

    if warmup >= duration:
        raise click.UsageError("--warmup must be less than --duration")
    try:
        if (reason := obstacle()) is not None:
            raise CannotRunError(reason)
        plan = Plan(duration, warmup, seed=seed, traffic=_traffic(traffic))
        options = Options(HostTcp() if linux_tcp else PAPER_TCP, target, seed=seed)
        folder = output or RESULTS / (name if "/" not in name and "." not in name else Path(name).stem)
        if name == "003" and profile is None:
            chosen = schemes or ("ECN", "MECN")
            _run_003(chosen, _three(thresholds), sources or 5, plan, options, tcp, capture, folder)
        else:
            _run_other(name, sources, profile, plan, options, tcp, capture, folder)
    except CannotRunError as error:
        _fail(f"cannot run: {error}", CANNOT_RUN)
    except (ControllerError, TopologyError) as error:
        _fail(str(error), CANNOT_RUN)
    except (LabError, ExperimentError) as error:
        _fail(str(error), FAILED)
    except KeyboardInterrupt:
        _fail("interrupted; the network was taken down, what was finished is kept", INTERRUPTED)


def _interrupted(_number: int, _frame: object) -> NoReturn:
    raise KeyboardInterrupt


def _fail(message: str, status: int) -> NoReturn:
    click.echo(f"mecn lab: {message}", err=True)
    sys.exit(status)


def _three(text: str) -> tuple[float, float, float]:
    try:
        low, middle, high = (float(part) for part in text.split("/"))
    except ValueError:
        raise click.BadParameter(f"{text!r} is not of the form 1/2/4", param_hint="--thresholds") from None
    return low, middle, high


def _traffic(wanted: str) -> Traffic:
    import shutil

    if wanted == "auto":
        if shutil.which("iperf3") is not None:
            return "iperf3"
        click.echo("iperf3 is not on PATH (Debian: apt install iperf3): plain sockets send instead", err=True)
        return "plain"
    return "plain" if wanted == "plain" else "iperf3"


def _captures(wanted: bool | None, folder: Path) -> Path | None:
    import shutil

    if wanted is None and shutil.which("tcpdump") is None:
        click.echo("tcpdump is not on PATH (Debian: apt install tcpdump): no captures, no delays", err=True)
        return None
    return None if wanted is False else folder


def _options_for(options: Options, wanted: str, multi_level: bool) -> tuple[Options, str]:
    """With a congestion control for the scheme; and why it is not multi-level ECN although it should be."""
    from mecn_topo.lab import RealCommands, best_available
    from mecn_topo.lab.hosts import checked

    commands = RealCommands()
    if wanted == "auto" and multi_level:
        tcp, why_not = best_available(options.tcp, commands)
        return replace(options, tcp=tcp), why_not
    tcp = replace(options.tcp, congestion="reno" if wanted == "auto" else wanted)
    return replace(options, tcp=checked(tcp, commands)), ""


def _run_003(
    schemes: tuple[str, ...],
    thresholds: tuple[float, float, float],
    sources: int,
    plan: Plan,
    options: Options,
    tcp: str,
    capture: bool | None,
    folder: Path,
) -> None:
    from .paper003 import keep, lab_scenario, parameters_for, run_of
    from .session import Session, about, program_for
    from .session import run as run_session

    parameters = parameters_for(sources, plan.duration_s, plan.warmup_s)
    program = program_for(options.target)
    plan = replace(plan, start_jitter_s=parameters.start_jitter_s)
    for scheme in schemes:
        of = run_of(scheme, thresholds, parameters)  # type: ignore[arg-type]
        mine, why_not = _options_for(options, tcp, scheme != "ECN")
        if why_not:
            # Hosts that take ECT(1) for "no mark" would not run the scheme.
            click.echo(f"{of.scenario.name} is left out: {why_not}", err=True)
            continue
        own = folder / f"{of.scenario.name.replace(' ', '-').replace('/', '-')}-N{sources}"
        session = Session(
            f"{of.scenario.name}, {sources} flows, {mine.tcp.congestion}",
            lab_scenario(of, parameters),
            mine,
            replace(plan, captures=_captures(capture, own)),
            own,
        )
        measured = run_session(session, program)
        versions = {**about(session, program)["versions"], "time": "real"}
        keep(of, parameters, measured.row, versions, folder)
        report(measured, session.title, own)
    click.echo(f"data     {folder}/003.parquet (mecn experiment show 003 --data {folder})")


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
    from mecn_controller.profile import Mecn, load_profile
    from mecn_topo import Placement
    from mecn_topo.cli import find_scenario

    from .session import Session, program_for
    from .session import run as run_session

    scenario = find_scenario(name, sources)
    if profile is not None:
        if not scenario.placements:
            raise click.UsageError("the topology names no queue for a profile: see profiles in its file")
        first, *rest = scenario.placements
        placements = (Placement(first.switch, first.port, load_profile(profile)), *rest)
        scenario = replace(scenario, placements=placements)
    multi_level = any(isinstance(placement.profile, Mecn) for placement in scenario.placements)
    options, why_not = _options_for(replace(options, mean_packet_bytes=scenario.mtu), tcp, multi_level)
    if why_not:
        click.echo(f"the hosts run {options.tcp.congestion} with classic ECN: {why_not}", err=True)
    title = f"{scenario.topology.name}, {len(scenario.flows)} flows, {options.tcp.congestion}"
    session = Session(title, scenario, options, replace(plan, captures=_captures(capture, folder)), folder)
    report(run_session(session, program_for(options.target)), title, folder)


def report(measured: Measured, title: str, folder: Path) -> None:
    """Prints what came out of a run."""
    from rich.console import Console
    from rich.table import Table

    from .results import proof

    row = measured.row
    table = Table(title=title, title_justify="left", show_header=False, box=None, padding=(0, 2))
    table.add_column()
    table.add_column(justify="right")

    def line(label: str, value: float | None, unit: str = "", scale: float = 1.0, digits: int = 2) -> None:
        table.add_row(label, "not measured" if value is None else f"{value * scale:.{digits}f}{unit}")

    line("link efficiency", row["link_efficiency"], " %", 100)
    line("queue: mean", row["queue_mean"], " packets")
    line("queue: standard deviation", row["queue_std"], " packets")
    line("queue: share of time empty", row["fraction_empty"], " %", 100)
    line("one-way delay: mean", row["delay_mean_s"], " ms", 1000)
    for name in ("sent_packets", "marked_incipient", "marked_ce", "early_drops", "tail_drops"):
        line(name.replace("_", " "), row[name], digits=0)
    for name in ("reductions_incipient", "reductions_moderate", "reductions_loss", "timeouts"):
        line(name.replace("_", " "), row[name], digits=0)
    line("Jain's index", row["jain_index"], digits=3)
    line("switch late by at most", measured.lateness_ms["max"], " ms")
    console = Console()
    if not console.is_terminal:
        console.width = 130
    console.print(table)
    wire = proof(measured)["wire"]
    if wire:
        codepoints = Table(title="on the wire, data segments at the sink", title_justify="left", box=None)
        for name in ("flow", "ECT(0)", "ECT(1)", "CE", "Not-ECT", "echoes 00", "01", "10", "11"):
            codepoints.add_column(name, justify="left" if name == "flow" else "right")
        for flow, found in wire.items():
            received, echoes = found["data received"], found["echoes (CWR,ECE)"]
            codepoints.add_row(
                flow,
                *(str(received.get(name, 0)) for name in ("ECT(0)", "ECT(1)", "CE", "Not-ECT")),
                *(str(echoes.get(bits, 0)) for bits in ("00", "01", "10", "11")),
            )
        console.print(codepoints)
    click.echo(f"run      {folder}: run, flows and marks.parquet, summary.json, figures, captures\n")


@lab.command()
@click.option("--sources", type=click.IntRange(1, 250), default=5, show_default=True)
@click.option("--duration", type=click.FloatRange(5, 3600), default=60.0, show_default=True, help="Seconds.")
@click.option("--runs", type=click.IntRange(1, 100), default=1, show_default=True, help="In the lab.")
@click.option("--write", is_flag=True, help="Put the table into docs/validation.md.")
@click.option("-o", "--output", type=click.Path(path_type=Path), default=RESULTS / "crosscheck")
def crosscheck(sources: int, duration: float, runs: int, write: bool, output: Path) -> None:
    """Compare paper 003's low thresholds, multi-level ECN, in the lab and in the virtual network.

    Exit status: 0 if all is within the limits, 1 if not, 2 if this machine cannot run it.
    """
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _interrupted)
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")
    from mecn_topo.lab import PAPER_TCP, CannotRunError, LabError, Options, Plan
    from mecn_topo.lab.hosts import checked
    from mecn_topo.lab.kernel import RealCommands, obstacle, own_namespace
    from rich.console import Console
    from rich.table import Table

    from ..errors import ExperimentError
    from ..paper003.parameters import LOW
    from . import crosscheck as both
    from .paper003 import lab_scenario, parameters_for, run_of
    from .session import Session, program_for
    from .session import run as run_session

    try:
        if (reason := obstacle("iperf3", "tcpdump")) is not None:
            raise CannotRunError(reason)
        tcp = checked(PAPER_TCP, RealCommands())
        parameters = parameters_for(sources, duration, 0)
        of = run_of("MECN", LOW, parameters)
        program = program_for("embedded")
        # Before the virtual network's controller uses gRPC.
        own_namespace()
        RealCommands().run(["ip", "link", "set", "lo", "up"])
        click.echo("virtual network", err=True)
        virtual = both.virtual_rows(of, parameters, program)
        rows, late = [], 0.0
        for seed in range(1, runs + 1):
            folder = output / f"run-{seed}"
            plan = Plan(duration, 0.0, parameters.start_jitter_s, seed=seed, captures=folder)
            title = f"lab, run {seed} of {runs}"
            session = Session(title, lab_scenario(of, parameters), Options(tcp, seed=seed), plan, folder)
            measured = run_session(session, program)
            report(measured, title, folder)
            rows.append(measured.row)
            late = max(late, measured.lateness_ms["max"])
        lines = both.compare(rows, virtual)
    except CannotRunError as error:
        _fail(f"cannot run: {error}", CANNOT_RUN)
    except (LabError, ExperimentError, ControllerError) as error:
        _fail(str(error), FAILED)
    except KeyboardInterrupt:
        _fail("interrupted; the network was taken down", INTERRUPTED)
    table = Table(title=f"{of.scenario.name}, {sources} flows, {duration:g} s", title_justify="left")
    for head in both.HEAD:
        table.add_column(head, justify="left" if head == "measure" else "right")
    for line in lines:
        table.add_row(*line.cells)
    Console(width=130).print(table)
    click.echo(f"lab: {runs} runs, the switch at most {late:.1f} ms late; virtual: seeds 1 to {len(virtual)}")
    if write:
        both.write(lines)
    sys.exit(0 if all(line.agrees is not False for line in lines) else FAILED)


# ---- Labs that are there -----------------------------------------------------------------------------------


@lab.command("list")
def list_labs() -> None:
    """List the labs of this machine, running or left behind."""
    from mecn_topo.lab import records

    found = records()
    for record in found:
        state = f"running, process {record.owner}" if record.is_running else "left behind"
        click.echo(f"{record.path.stem}  {record.title}: {state}; {len(record.namespaces)} namespaces")
    if not found:
        click.echo("no labs")


@lab.command()
@click.option("--running", is_flag=True, help="End running labs too.")
def down(running: bool) -> None:
    """Remove what labs have left behind whose processes were killed, watchdog included."""
    from mecn_topo.lab import records, remove_leftovers

    if os.geteuid() != 0:
        _fail("cannot run: it needs root", CANNOT_RUN)
    if running:
        for record in records():
            if record.is_running:
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
    from mecn_topo.lab import records
    from mecn_topo.lab.registry import NAMESPACES

    labs = [r for r in records() if r.is_running and wanted in (None, r.path.stem)]
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
