# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""`mecn tune`: thresholds and probabilities by control theory, with the reasons."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import TYPE_CHECKING

import click
import yaml

from mecn_controller.commands.types import Quantity
from mecn_controller.errors import ControllerError
from mecn_controller.policy.profile import Mecn, Profile, Ramp
from mecn_controller.quantities import parse_count, parse_range, parse_rate, parse_time
from mecn_controller.text_table import aligned
from mecn_controller.theory.tuning import MODEL_WINDOW, Demand, threshold_rule, tune

if TYPE_CHECKING:
    from mecn_controller.theory.tuning import Assessment, ThresholdRule, Tuning

EXIT_NONE = 1


RATE = Quantity("rate", parse_rate)
TIME = Quantity("time", parse_time)
TIMES = Quantity("times", lambda text: parse_range(text, parse_time))
COUNTS = Quantity("counts", lambda text: parse_range(text, parse_count))


def _thresholds(text: str) -> tuple[float, float, float]:
    parts = [parse_count(part) for part in text.split("/")]
    if len(parts) == 2:
        parts.insert(1, (parts[0] + parts[1]) / 2)
    if len(parts) != 3 or sorted(set(parts)) != parts:
        raise ValueError(f"{text!r}: write min/mid/max or min/max, rising")
    return parts[0], parts[1], parts[2]


@click.command("tune")
@click.option("--rate", type=RATE, required=True, metavar="RATE", help="Of the link, such as 1.5Mbps.")
@click.option(
    "--rtt", type=TIMES, required=True, metavar="TIME[..TIME]", help="Round-trip times without queueing."
)
@click.option("--flows", type=COUNTS, required=True, metavar="N[..N]", help="How many flows there may be.")
@click.option("--packet", default=1000, show_default=True, type=click.IntRange(1, 65535), help="Bytes.")
@click.option(
    "--scheme", default="mecn", show_default=True, type=click.Choice(["mecn", "ecn", "ecnm", "red"])
)
@click.option("--weight", default=0.002, show_default=True, help="Weight of the average, within 0 and 1.")
@click.option(
    "--delay-margin",
    type=TIME,
    default="20ms",
    show_default=True,
    metavar="TIME",
    help="How much more delay the loop must bear.",
)
@click.option(
    "--thresholds",
    type=Quantity("thresholds", _thresholds),
    metavar="MIN[/MID]/MAX",
    help="Look for max_p only; packets.",
)
@click.option("--json", "as_json", is_flag=True, help="One object of JSON in place of the table.")
@click.option("--output", type=click.Path(path_type=Path), help="Write the profile that was found here.")
@click.option(
    "--plots",
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder for bode.svg, response.svg and tradeoff.svg.",
)
def tune_command(
    rate: float,
    rtt: tuple[float, float],
    flows: tuple[float, float],
    packet: int,
    scheme: str,
    weight: float,
    delay_margin: float,
    thresholds: tuple[float, float, float] | None,
    output: Path | None,
    plots: Path | None,
    as_json: bool,
) -> None:
    """Find thresholds and max_p that keep a delay margin. Needs no switch.

    Exit status: 0 found, 1 there are none, 2 error.
    """
    try:
        demand = Demand(
            rate_bps=rate,
            packet_bytes=packet,
            rtt_s=rtt,
            flows=flows,
            delay_margin_s=delay_margin,
            scheme=scheme,
            weight=weight,
        )
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    found = tune(demand, thresholds)
    click.echo(json.dumps(as_object(found), indent=2) if as_json else "\n".join(explain(found)))
    try:
        if plots is not None:
            from mecn_controller.theory.figures import write_figures

            plots.mkdir(parents=True, exist_ok=True)
            for path in write_figures(found.best, plots):
                click.echo(f"wrote {path}", err=as_json)
        if output is not None and found.found:
            output.write_text(profile_yaml(found.best.profile), encoding="utf-8")
            click.echo(f"wrote {output}", err=as_json)
    except OSError as error:
        raise ControllerError(f"{error.filename}: cannot be written: {error.strerror or error}") from None
    if not found.found:
        raise click.exceptions.Exit(EXIT_NONE)


def profile_yaml(profile: Profile) -> str:
    """A profile as a file for `mecn apply`, without what has its default."""
    document = {"scheme": profile.scheme, **profile.model_dump(exclude_unset=True)}
    return yaml.safe_dump(document, sort_keys=False)


def as_object(found: Tuning) -> dict[str, object]:
    """The result as an object of JSON; margins in seconds, None: any delay."""
    points = [
        {
            "flows": point.flows,
            "rtt_s": point.propagation_s,
            "queue_packets": None if point.analysis is None else point.analysis.queue_packets,
            "gain": None if point.analysis is None else point.analysis.gain,
            "delay_margin_s": point.delay_margin_s if math.isfinite(point.delay_margin_s) else None,
            "held_below_max_th": point.analysis is not None,
        }
        for point in found.best.points
    ]
    return {
        "found": found.found,
        "max_p": found.max_p,
        "profile": found.best.profile.model_dump(mode="json", exclude_unset=True),
        "points": points,
    }


def explain(found: Tuning) -> list[str]:
    """The result in words and a table."""
    best, demand = found.best, found.demand
    wanted = f"a delay margin of {demand.delay_margin_s * 1e3:g} ms"
    lines = []
    if found.max_p is not None:
        low, high = found.max_p
        lines += [
            f"{_parameters(best.profile)} keeps {wanted} over the whole range.",
            f"With these thresholds max_p from {low:g} to {high:g} does; the largest has the least error.",
        ]
    else:
        lines += [
            f"Nothing that was tried keeps {wanted} over the whole range.",
            f"Nearest comes {_parameters(best.profile)}:",
            *_why_not(best),
        ]
    if best.small_windows:
        first = best.small_windows[0]
        lines.append(
            f"Mind: from {first} on a sender has fewer than {MODEL_WINDOW:g} packets on their way; timeouts,"
            " which the model leaves out, will play a part."
        )
    return [*lines, "", *_table(best), "", *_rules(demand)]


def _parameters(profile: Profile) -> str:
    if isinstance(profile, Mecn):
        values = f"{profile.min_th:g}/{profile.mid_th:g}/{profile.max_th:g}, max_p {profile.max_p:g}"
    elif isinstance(profile, Ramp):
        values = f"{profile.min_th:g}/{profile.max_th:g}, max_p {profile.max_p:g}"
    else:
        raise TypeError(f"{profile.scheme} has no ramp")
    return f"{profile.scheme} {values}"


def _why_not(best: Assessment) -> list[str]:
    lines = []
    if best.not_held:
        first = best.not_held[0]
        lines += [
            f"- At {first} the marks below max_th do not slow the senders enough, so that the average passes"
            " max_th. A larger max_p or thresholds farther apart and higher would hold them."
        ]
    held = [point for point in best.points if point.analysis is not None]
    worst = min(held, key=lambda point: point.delay_margin_s, default=None)
    if worst is not None and worst.analysis is not None and worst.delay_margin_s < best.demand.delay_margin_s:
        kind = "unstable there" if worst.delay_margin_s < 0 else "stable, but not by enough"
        lines += [
            f"- At {worst} the margin is {worst.delay_margin_s * 1e3:.1f} ms: the loop is {kind}. Its gain is"
            f" {worst.analysis.gain:.2f}; a smaller max_p, thresholds farther apart or a smaller weight (a"
            " slower average) lowers the gain or where it crosses 1.",
        ]
    if len(lines) == 2:
        lines.append(
            "- The two ask for opposite things: a narrower range of flows, or RTT classes, part them."
        )
    return lines


def _table(best: Assessment) -> list[str]:
    rows = [
        [
            "flows",
            "RTT ms",
            "queue",
            "gain",
            "K rad/s",
            "crossover",
            "phase margin",
            "delay margin ms",
            "(paper's)",
            "error",
        ]
    ]
    for point in best.points:
        start = [f"{point.flows:.4g}", f"{point.propagation_s * 1e3:.4g}"]
        analysis, margin = point.analysis, point.margin
        if analysis is None:
            rows.append([*start, "above max_th", *["-"] * 7])
            continue
        paper = "any" if analysis.margin is None else f"{analysis.margin.delay_margin_s * 1e3:.1f}"
        middle = [f"{analysis.queue_packets:.1f}", f"{analysis.gain:.3f}", f"{analysis.pole_rad_s:.3g}"]
        if margin is None:
            ends = ["-", "-", "any"]
        else:
            ends = [
                f"{margin.crossover_rad_s:.3g}",
                f"{math.degrees(margin.phase_margin_rad - margin.crossover_rad_s * analysis.rtt_s):.1f}",
                f"{margin.delay_margin_s * 1e3:.1f}",
            ]
        rows.append([*start, *middle, *ends, paper, f"{analysis.sensitivity:.3f}"])
    return [
        *aligned(rows),
        "queue in packets; crossover in rad/s; phase margin in degrees, with the delay; 'paper's' has the",
        "pole of the average only; error is 1 / (1 + gain), the sensitivity at rest.",
    ]


def _rules(demand: Demand) -> list[str]:
    rule: ThresholdRule = threshold_rule(demand.capacity_pps, demand.rtt_s[1])
    return [
        f"By the actual queue instead (scheme threshold, {demand.rtt_s[1] * 1e3:g} ms): rd = {rule.pipe:.1f}"
        f" packets, threshold {rule.threshold:.1f},",
        f"buffer {rule.buffer_tail:.1f} with marks at arrival (mark_point tail), {rule.buffer_front:.1f} at"
        " departure (front).",
    ]
