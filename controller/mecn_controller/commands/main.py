# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""The `mecn` command. Other packages add sub-commands through the entry point group `mecn.commands`."""

from __future__ import annotations

import asyncio
import dataclasses
import difflib
import functools
import os
import sys
from dataclasses import dataclass
from fractions import Fraction
from importlib.metadata import entry_points
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from mecn_controller import names
from mecn_controller.defaults import (
    DEFAULT_ADDRESS,
    DEFAULT_DEVICE_ID,
    DEFAULT_DRAIN_S,
    DEFAULT_ELECTION_ID,
)
from mecn_controller.dscp import format_dscp, parse_dscp
from mecn_controller.errors import ControllerError
from mecn_controller.policy.curve import curve_of
from mecn_controller.policy.entries import behaviour_of, profile_entries
from mecn_controller.policy.profile import Drawn, Marking, Profile, load_profile
from mecn_controller.runtime.history import History, apply_and_remember, state_folder
from mecn_controller.runtime.readback import (
    PortCounters,
    PortPolicy,
    port_policies,
    read_counters,
    wanted_policies,
)
from mecn_controller.runtime.tls import TlsFiles, host_of, is_loopback
from mecn_controller.text_table import aligned

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from importlib.metadata import EntryPoint

    from mecn_controller.runtime.session import SwitchSession

PLUGIN_GROUP = "mecn.commands"
EXIT_DIFFERENT = 1
EXIT_ERROR = 2

T = TypeVar("T")


class Commands(click.Group):
    """A group whose commands may come from other packages, which are imported only when they are called."""

    def _plugins(self) -> dict[str, EntryPoint]:
        return {
            point.name: point for point in entry_points(group=PLUGIN_GROUP) if point.name not in self.commands
        }

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Own commands and plug-ins, by name."""
        return sorted([*super().list_commands(ctx), *self._plugins()])

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """A command by name; one that cannot be loaded says so when it is called."""
        own = super().get_command(ctx, cmd_name)
        if own is not None:
            return own
        point = self._plugins().get(cmd_name)
        if point is None:
            return None
        try:
            command = point.load()
        except (ImportError, AttributeError) as error:
            return _broken(cmd_name, f"{point.value} cannot be loaded: {error}")
        if not isinstance(command, click.Command):
            return _broken(cmd_name, f"{point.value} is not a command")
        return command


def _broken(name: str, why: str) -> click.Command:
    def fail() -> None:
        raise ControllerError(f"mecn {name}: {why}")

    settings = {"ignore_unknown_options": True, "allow_extra_args": True}
    return click.Command(name, callback=fail, help=f"(not available: {why})", context_settings=settings)


def main() -> None:
    """Run the command line; errors are one line each on stderr, exit status 2."""
    # gRPC's own log would stand beside our line; it is read when grpc is first imported.
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")
    try:
        # Without standalone mode click returns the status of ctx.exit(), or else what the command returned.
        status = mecn(standalone_mode=False)
        sys.exit(status if isinstance(status, int) else 0)
    except click.Abort:
        click.echo("interrupted", err=True)
        sys.exit(130)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except ControllerError as error:
        click.echo(str(error), err=True)
        sys.exit(EXIT_ERROR)
    except KeyboardInterrupt:
        click.echo("interrupted", err=True)
        sys.exit(130)


@dataclass(frozen=True)
class Target:
    """The switch that the options name. Without an election id it is only read from."""

    address: str
    device_id: int
    election_id: int | None = None
    p4info: Path | None = None
    program: Path | None = None
    tls_ca: Path | None = None
    tls_cert: Path | None = None
    tls_key: Path | None = None
    insecure: bool = False

    @property
    def tls(self) -> TlsFiles | None:
        """How the connection is protected; ControllerError where it leaves this machine unprotected."""
        if self.tls_ca is not None or self.tls_cert is not None or self.tls_key is not None:
            return TlsFiles(self.tls_ca, self.tls_cert, self.tls_key)
        if not self.insecure and not is_loopback(host_of(self.address)):
            message = "is not this machine: give --tls-ca (and --tls-cert, --tls-key), or --insecure"
            raise ControllerError(f"{self.address}: {message}")
        return None

    def program_text(self) -> tuple[str, str] | None:
        """P4Info and BMv2 JSON that the options name."""
        if self.p4info is not None and self.program is not None:
            return (_read(self.p4info), _read(self.program))
        if self.p4info is not None or self.program is not None:
            raise click.UsageError("--p4info and --program belong together: give both, or neither")
        return None

    def run(self, action: Callable[[SwitchSession], Coroutine[object, object, T]]) -> T:
        """Connect, make sure of the program, act, disconnect."""
        program, tls = self.program_text(), self.tls

        # Here, so that commands without a switch start fast, and so that main comes before gRPC.
        from mecn_controller.runtime.session import SwitchSession

        async def run() -> T:
            async with SwitchSession(self.address, self.device_id, self.election_id, tls=tls) as session:
                if program is not None:
                    await session.set_pipeline(*program)
                else:
                    await session.use_pipeline()
                return await action(session)

        return asyncio.run(run())


def _target(
    *options: Callable[[Callable[..., None]], Callable[..., None]],
) -> Callable[..., Callable[..., None]]:
    """A decorator that adds options and hands them to the command as one `target`."""
    fields = {field.name for field in dataclasses.fields(Target)}

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(command)
        def with_target(**given: Any) -> None:  # noqa: ANN401
            target = Target(**{name: value for name, value in given.items() if name in fields})
            command(target=target, **{name: value for name, value in given.items() if name not in fields})

        for option in reversed(options):
            with_target = option(with_target)
        return with_target

    return decorate


_FILE = click.Path(path_type=Path)
_WHERE = (
    click.option(
        "--address", default=DEFAULT_ADDRESS, show_default=True, help="The switch's P4Runtime server."
    ),
    click.option("--device-id", default=DEFAULT_DEVICE_ID, show_default=True, help="P4Runtime device."),
    click.option("--tls-ca", type=_FILE, help="PEM: who signed the switch's certificate. Encrypts."),
    click.option("--tls-cert", type=_FILE, help="PEM: our certificate, for mutual TLS."),
    click.option("--tls-key", type=_FILE, help="PEM: the key of that certificate."),
    click.option("--insecure", is_flag=True, help="Talk to other machines without TLS."),
)
reads = _target(*_WHERE)
writes = _target(
    *_WHERE,
    click.option(
        "--election-id", default=DEFAULT_ELECTION_ID, show_default=True, help="The highest is in charge."
    ),
    click.option("--p4info", type=click.Path(path_type=Path), help="P4Info (text) of the program to load."),
    click.option("--program", type=click.Path(path_type=Path), help="BMv2 JSON of the program to load."),
)


def state_option(command: Callable[..., None]) -> Callable[..., None]:
    """Adds `--state-dir` and `--no-history`, and hands the command a `history` (None: keep none)."""

    @click.option(
        "--state-dir",
        type=click.Path(path_type=Path),
        help="Where the history of applied profiles is kept. Default: $XDG_STATE_HOME/mecn.",
    )
    @click.option("--no-history", is_flag=True, help="Do not keep what is applied.")
    @functools.wraps(command)
    def with_history(state_dir: Path | None, no_history: bool, target: Target, **given: Any) -> None:  # noqa: ANN401
        folder = state_folder() if state_dir is None else state_dir
        history = None if no_history else History(folder, target.address, target.device_id)
        command(history=history, target=target, **given)

    return with_history


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise ControllerError(f"{path}: cannot be read: {error.strerror or error}") from None
    except UnicodeDecodeError:
        raise ControllerError(f"{path}: is not UTF-8 text") from None


def _dscp(_ctx: click.Context, _param: click.Parameter, value: str | None) -> str | None:
    if value is not None:
        try:
            parse_dscp(value)
        except ValueError as error:
            raise click.BadParameter(str(error)) from None
    return value


def _load(path: Path, dscp: str | None) -> Profile:
    profile = load_profile(path)
    return profile if dscp is None else profile.replace(dscp=dscp)


PORT = click.IntRange(0, names.MAX_PORTS - 2)
dscp_option = click.option(
    "--dscp",
    callback=_dscp,
    metavar="LIST",
    help="Code points, such as EF,10; in place of the profile's own list; or any.",
)
profile_argument = click.argument("profile_path", metavar="PROFILE.yaml", type=click.Path(path_type=Path))


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="mecn", prog_name="mecn")
def mecn() -> None:
    """Multi-level ECN on programmable switches: controller and experiments."""


# ---- check -------------------------------------------------------------------------------------------------


@mecn.command()
@profile_argument
def check(profile_path: Path) -> None:
    """Validate a profile and print its marking curve. Needs no switch."""
    profile = load_profile(profile_path)
    click.echo("\n".join([*_summary(profile), "", *_curve_table(profile)]))


def _summary(profile: Profile) -> list[str]:
    lines = [
        f"{profile.name}: valid",
        f"  scheme      {profile.scheme}",
        f"  weight      {float(profile.ewma_weight):g}",
        f"  mark point  {profile.mark_point}",
        f"  DSCP        {format_dscp(profile.dscp)}",
    ]
    if profile.idle_decay_step_us is not None:
        lines.append(f"  idle        falls by w for each {profile.idle_decay_step_us:g} us")
    if profile.queue_limit_packets is not None:
        lines.append(f"  queue       {profile.queue_limit_packets} packets")
    if profile.report_period_ms is not None:
        lines.append(f"  report      every {profile.report_period_ms:g} ms")
    if isinstance(profile, Drawn):
        if profile.mean_packet_bytes is not None:
            lines.append(f"  byte mode   probabilities scaled by length / {profile.mean_packet_bytes} bytes")
        bounds = [0.0, *profile.rtt_class_bounds_ms]
        for number, (low, p) in enumerate(zip(bounds, profile.rtt_class_max_p, strict=False), start=1):
            lines.append(f"  class {number}     max_p {p:g} for round-trip times from {low:g} ms")
    if isinstance(profile, Marking):
        behaviour = behaviour_of(profile)
        lines.append(f"  above max   {'drop' if behaviour.drop_severe else 'mark CE'}")
        if behaviour.drop_gentle:
            lines.append("  gentle      p incipient marks CE; p moderate, from max_th on, drops")
        lines.append(f"  Not-ECT     {'drop where others are marked' if behaviour.drop_not_ect else 'pass'}")
    return lines


def _curve_table(profile: Profile) -> list[str]:
    curve = curve_of(profile)
    if not curve.segments and curve.severe is None:
        return ["no signal at any depth"]
    points: set[Fraction] = {Fraction(0)}
    for segment in curve.segments:
        points |= {segment.left + (segment.right - segment.left) * n / 4 for n in range(4)}
    if curve.severe is not None:
        points.add(curve.severe)
    rows = [
        ["average (packets)", "p incipient", "p moderate", "signalled incipient", "signalled moderate", ""]
    ]
    for point in sorted(points):
        levels = curve.evaluate(point)
        values = (levels.p_incipient, levels.p_moderate, levels.fraction_incipient, levels.fraction_moderate)
        note = "severe from here" if levels.severe else ""
        rows.append([f"{float(point):g}", *(f"{float(value):.6f}" for value in values), note])
    return aligned(rows)


# ---- apply -------------------------------------------------------------------------------------------------


@mecn.command()
@profile_argument
@click.option("--port", type=PORT, required=True, help="Egress port whose queue it governs.")
@dscp_option
@click.option(
    "--drain",
    type=click.FloatRange(0, 60),
    default=DEFAULT_DRAIN_S,
    show_default=True,
    help="Seconds to keep the old curve for packets that are still queued.",
)
@writes
@state_option
def apply(
    profile_path: Path,
    port: int,
    dscp: str | None,
    drain: float,
    target: Target,
    history: History | None,
) -> None:
    """Put a port of a running switch under a profile, all or nothing.

    With --p4info and --program the program is loaded first, unless the switch runs it already; loading
    deletes all entries, routes included.
    """
    profile = _load(profile_path, dscp)
    done = target.run(lambda session: apply_and_remember(session, history, profile, port=port, drain_s=drain))
    retired = f", removed id {', '.join(map(str, done.retired))}" if done.retired else ""
    click.echo(
        f"{target.address}: port {port}, DSCP {format_dscp(done.dscp)}: {profile.name} is in force"
        f" as profile id {done.profile_id} ({len(done.entries)} entries written and read back{retired})"
    )


# ---- show --------------------------------------------------------------------------------------------------


@mecn.command()
@click.option("--port", type=PORT, help="Only this egress port.")
@reads
def show(
    port: int | None,
    target: Target,
) -> None:
    """Print each port's policy and counters, as read from the switch."""

    async def read(session: SwitchSession) -> tuple[list[PortPolicy], dict[int, PortCounters]]:
        policies = port_policies(await session.read(names.AQM_TABLES))
        policies = [policy for policy in policies if port is None or policy.port == port]
        return policies, await read_counters(session, {policy.port for policy in policies})

    policies, counters = target.run(read)
    if not policies:
        click.echo(
            f"{target.address}: no active queue management" + (f" on port {port}" if port is not None else "")
        )
    for policy in policies:
        number = f" (profile id {policy.policy.profile_id})" if policy.policy is not None else ""
        click.echo(f"port {policy.port}, DSCP {policy.traffic}{number}")
        for line in policy.lines():
            click.echo(f"  {line}")
    if counters:
        rows = [["port", "packets", "passed", "incipient", "CE", "early drop", "bytes left"]]
        for index, c in counters.items():
            left = (c.passed, c.incipient, c.ce)
            counts = (
                sum(n for n, _ in left),
                *(n for n, _ in left),
                c.early_drop[0],
                sum(size for _, size in left),
            )
            rows.append([str(n) for n in (index, *counts)])
        click.echo("\n" + "\n".join(aligned(rows)))


# ---- diff --------------------------------------------------------------------------------------------------


@mecn.command()
@profile_argument
@click.option("--port", type=PORT, required=True, help="Egress port to compare with.")
@dscp_option
@reads
def diff(
    profile_path: Path,
    port: int,
    dscp: str | None,
    target: Target,
) -> None:
    """Compare a port's policy with a profile. Exit status: 0 the same, 1 different, 2 error."""
    profile = _load(profile_path, dscp)
    wanted = wanted_policies(profile_entries(profile, 1, port))

    async def read(session: SwitchSession) -> list[PortPolicy]:
        return port_policies(await session.read(names.AQM_TABLES))

    traffic = {policy.traffic for policy in wanted}
    policies = target.run(read)
    present = [policy for policy in policies if policy.port == port and policy.traffic in traffic]

    def text(policies: list[PortPolicy]) -> list[str]:
        return [line for policy in policies for line in (f"DSCP {policy.traffic}", *policy.lines())]

    lines = list(
        difflib.unified_diff(
            text(present),
            text(wanted),
            f"{target.address} port {port}",
            str(profile_path),
            lineterm="",
            n=100,
        )
    )
    if lines:
        click.echo("\n".join(lines))
        raise click.exceptions.Exit(EXIT_DIFFERENT)
    click.echo(f"{target.address}: port {port} is as {profile_path} says")
