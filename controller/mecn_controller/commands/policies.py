# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""`mecn check`, `apply`, `show` and `diff`: a profile, and what rules a port."""

from __future__ import annotations

import dataclasses
import difflib
import json
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mecn_controller import names
from mecn_controller.commands.target import (
    EXIT_DIFFERENT,
    PORT,
    Target,
    dscp_option,
    json_option,
    load_with,
    profile_argument,
    reads,
    state_option,
    writes_profiles,
)
from mecn_controller.commands.types import Seconds
from mecn_controller.defaults import DEFAULT_DRAIN_S
from mecn_controller.dscp import format_dscp
from mecn_controller.policy.curve import curve_of
from mecn_controller.policy.entries import behaviour_of, profile_entries
from mecn_controller.policy.profile import Drawn, Marking, Profile, load_profile
from mecn_controller.runtime.readback import port_policies, read_counters, wanted_policies
from mecn_controller.text_table import aligned

if TYPE_CHECKING:
    from mecn_controller.runtime.history import History
    from mecn_controller.runtime.readback import PortCounters, PortPolicy
    from mecn_controller.runtime.session import SwitchSession

# ---- check -------------------------------------------------------------------------------------------------


@click.command()
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
    elif profile.ewma_weight != 1:
        lines.append("  idle        does not fall: give mean_service_time_us, a packet's time on the link")
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


@click.command()
@profile_argument
@click.option("--port", type=PORT, required=True, help="Egress port whose queue it governs.")
@dscp_option
@click.option(
    "--drain",
    type=Seconds(0, 60),
    default=DEFAULT_DRAIN_S,
    show_default=True,
    help="Seconds to keep the old curve for packets that are still queued.",
)
@writes_profiles
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
    from mecn_controller.runtime.history import apply_and_remember

    profile = load_with(profile_path, dscp)
    done = target.run_writer(
        lambda session: apply_and_remember(session, history, profile, port=port, drain_s=drain)
    )
    retired = f", removed id {', '.join(map(str, done.retired))}" if done.retired else ""
    click.echo(
        f"{target.address}: port {port}, DSCP {format_dscp(done.dscp)}: {profile.name} is in force"
        f" as profile id {done.profile_id} ({len(done.entries)} entries written and read back{retired})"
    )


# ---- show --------------------------------------------------------------------------------------------------


@click.command()
@click.option("--port", type=PORT, help="Only this egress port.")
@json_option
@reads
def show(
    port: int | None,
    as_json: bool,
    target: Target,
) -> None:
    """Print each port's policy and counters, as read from the switch."""

    async def read(session: SwitchSession) -> tuple[list[PortPolicy], dict[int, PortCounters]]:
        policies = port_policies(await session.read(names.AQM_TABLES))
        policies = [policy for policy in policies if port is None or policy.port == port]
        return policies, await read_counters(session, {policy.port for policy in policies})

    policies, counters = target.run(read)
    if as_json:
        click.echo(json.dumps(_shown(target.address, policies, counters), indent=2))
        return
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


def _shown(address: str, policies: list[PortPolicy], counters: dict[int, PortCounters]) -> dict[str, Any]:
    """What `show` prints, as an object of JSON."""
    from mecn_controller.telemetry.policy_view import policy_view

    return {
        "address": address,
        "policies": [
            {
                "port": each.port,
                "profile_id": None if each.policy is None else each.policy.profile_id,
                **dataclasses.asdict(policy_view(each)),
            }
            for each in policies
        ],
        "counters": [
            {
                "port": port,
                **{
                    level: {"packets": packets, "bytes": size}
                    for level, (packets, size) in dataclasses.asdict(found).items()
                },
            }
            for port, found in counters.items()
        ],
    }


# ---- diff --------------------------------------------------------------------------------------------------


@click.command()
@profile_argument
@click.option("--port", type=PORT, required=True, help="Egress port to compare with.")
@dscp_option
@json_option
@reads
def diff(
    profile_path: Path,
    port: int,
    dscp: str | None,
    as_json: bool,
    target: Target,
) -> None:
    """Compare a port's policy with a profile. Exit status: 0 the same, 1 different, 2 error."""
    profile = load_with(profile_path, dscp)
    wanted = wanted_policies(profile_entries(profile, 1, port))

    async def read(session: SwitchSession) -> list[PortPolicy]:
        return port_policies(await session.read(names.AQM_TABLES))

    traffic = {policy.traffic for policy in wanted}
    policies = target.run(read)
    present = [policy for policy in policies if policy.port == port and policy.traffic in traffic]

    there = f"{target.address} port {port}"
    # What differs in the last bits only is shown as the data plane has it.
    lines = _difference(present, wanted, (there, str(profile_path)), exact=False) or _difference(
        present, wanted, (there, str(profile_path)), exact=True
    )
    if as_json:
        click.echo(json.dumps({"port": port, "same": not lines, "diff": lines[2:]}, indent=2))
    elif lines:
        click.echo("\n".join(lines))
    if lines:
        raise click.exceptions.Exit(EXIT_DIFFERENT)
    if as_json:
        return
    click.echo(f"{target.address}: port {port} is as {profile_path} says")


def _difference(
    present: list[PortPolicy], wanted: list[PortPolicy], titles: tuple[str, str], *, exact: bool
) -> list[str]:
    def text(policies: list[PortPolicy]) -> list[str]:
        return [
            line for policy in policies for line in (f"DSCP {policy.traffic}", *policy.lines(exact=exact))
        ]

    return list(difflib.unified_diff(text(present), text(wanted), *titles, lineterm="", n=100))
