# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""Pictures of a tuned loop: Bode plot, time response, and what stability costs in error (Figure 4)."""

from __future__ import annotations

import math
from textwrap import fill
from typing import TYPE_CHECKING

import control
import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure

from mecn_controller.errors import ControllerError
from mecn_controller.figure_style import BLACK, BLUE, GREY, ORANGE, SIZE, new_figure, style
from mecn_controller.policy.profile import Mecn, Ramp
from mecn_controller.theory.analysis import gain_ecn, gain_mecn, margin, sensitivity
from mecn_controller.theory.fluid import simulate
from mecn_controller.theory.tuning import PROBABILITIES

if TYPE_CHECKING:
    from pathlib import Path

    from mecn_controller.theory.linear import Loop
    from mecn_controller.theory.tuning import Assessment, Point

RESPONSE_S = 60.0
TITLE_CHARACTERS = 56
MARGIN_ROUND_TRIPS = 10
"""How large delay margins are shown."""


def write_figures(assessment: Assessment, folder: Path) -> list[Path]:
    """bode.svg and response.svg at the point with the least margin, and tradeoff.svg; their paths."""
    held = [point for point in assessment.points if point.loop is not None]
    if not held:
        raise ControllerError("no figures: the marks hold the flows at no point of the range")
    point = min(held, key=lambda each: each.delay_margin_s)
    assert point.loop is not None
    with style():
        figures = {
            "bode": bode(point.loop, f"least delay margin: {point}"),
            "response": response(assessment, point),
            "tradeoff": tradeoff(assessment, point),
        }
    paths = []
    for name, figure in figures.items():
        path = folder / f"{name}.svg"
        with mpl.rc_context({"svg.hashsalt": name}):
            figure.savefig(path, format="svg", metadata={"Date": None, "Creator": None})
        paths.append(path)
    return paths


def bode(loop: Loop, title: str) -> Figure:
    """Magnitude and phase of the open loop, with its delay, and where it crosses 1."""
    omega = np.geomspace(min(loop.poles) / 30, max(loop.poles) * max(loop.gain, 1) * 3, 500)
    values = control.frequency_response(loop.without_delay(), omega)
    phase = np.degrees(np.unwrap(np.angle(values.complex)) - omega * loop.rtt_s)
    figure = Figure(figsize=(SIZE[0], 1.5 * SIZE[1]), layout="constrained")
    upper, lower = figure.subplots(2, sharex=True)
    upper.loglog(omega, values.magnitude, color=BLUE)
    upper.axhline(1, color=GREY, linewidth=0.8)
    upper.set_ylabel("|L|")
    upper.set_title(fill(title, TITLE_CHARACTERS))
    lower.semilogx(omega, phase, color=BLUE)
    lower.axhline(-180, color=GREY, linewidth=0.8)
    lower.set(xlabel="rad/s", ylabel="phase (degrees)", ylim=(-360, 0))
    margin = loop.margin()
    if margin is not None:
        for axes in (upper, lower):
            axes.axvline(margin.crossover_rad_s, color=BLACK, linestyle=":")
        upper.annotate(
            f"delay margin {margin.delay_margin_s * 1e3:.0f} ms",
            (margin.crossover_rad_s, 1),
            xytext=(6, 6),
            textcoords="offset points",
        )
    return figure


def response(assessment: Assessment, point: Point) -> Figure:
    """Queue and average of the nonlinear model, from an empty queue."""
    profile = assessment.profile
    result = simulate(
        profile,
        capacity_pps=assessment.demand.capacity_pps,
        propagation_s=point.propagation_s,
        flows=point.flows,
        until_s=RESPONSE_S,
    )
    figure, axes = new_figure()
    axes.plot(result.time_s, result.queue, color=BLUE, linewidth=0.9, label="queue")
    axes.plot(result.time_s, result.average, color=BLACK, label="average")
    for key in ("min_th", "mid_th", "max_th"):
        if hasattr(profile, key):
            axes.axhline(getattr(profile, key), color=GREY, linewidth=0.8, linestyle=":")
    axes.set(xlabel="time (s)", ylabel="packets", xlim=(0, RESPONSE_S))
    axes.set_ylim(bottom=0)
    axes.set_title(fill(f"fluid model: {point}", TITLE_CHARACTERS))
    axes.legend()
    return figure


def tradeoff(assessment: Assessment, point: Point) -> Figure:
    """Delay margin and error of ECN and multi-level ECN as max_p grows (Figure 4 of the paper)."""
    assert point.analysis is not None
    figure = Figure(figsize=(SIZE[0], 1.5 * SIZE[1]), layout="constrained")
    upper, lower = figure.subplots(2, sharex=True)
    looks = {"ecn": (ORANGE, "--", "s"), "mecn": (BLUE, "-", "o")}
    for scheme, curve in tradeoff_curves(assessment, point).items():
        max_p, error, margin = zip(*curve, strict=True)
        colour, dashes, mark = looks[scheme]
        for axes, values in ((upper, margin), (lower, error)):
            axes.semilogx(
                max_p, values, color=colour, linestyle=dashes, marker=mark, markersize=3, label=scheme
            )
    upper.axhline(0, color=GREY, linewidth=0.8)
    # In multiples of the round-trip time: small gains have margins of minutes, which nobody asks for.
    most = MARGIN_ROUND_TRIPS * point.analysis.rtt_s
    upper.set(ylabel="delay margin (s)", ylim=(-point.analysis.rtt_s, most))
    upper.set_title(f"thresholds and R0 = {point.analysis.rtt_s:.3f} s kept")
    lower.set(xlabel="max_p", ylabel="error 1 / (1 + gain)")
    upper.legend()
    return figure


def tradeoff_curves(assessment: Assessment, point: Point) -> dict[str, list[tuple[float, float, float]]]:
    """(max_p, sensitivity, delay margin in s) by equations (6) to (9), by scheme.

    At the round-trip time of the point, so that only the gain changes; both of MECN's levels are at work. NaN
    for a gain of at most 1, where no delay upsets the loop.
    """
    profile, capacity = assessment.profile, assessment.demand.capacity_pps
    assert isinstance(profile, (Ramp, Mecn))
    assert point.analysis is not None
    low, high = profile.min_th, profile.max_th
    middle = profile.mid_th if isinstance(profile, Mecn) else (low + high) / 2
    rtt, pole = point.analysis.rtt_s, point.analysis.pole_rad_s
    curves: dict[str, list[tuple[float, float, float]]] = {"ecn": [], "mecn": []}
    for max_p in PROBABILITIES:
        slope, moderate = max_p / (high - low), max_p / (high - middle)
        gains = {
            "ecn": gain_ecn(slope, rtt, capacity, point.flows),
            "mecn": gain_mecn(slope, moderate, rtt, capacity, point.flows),
        }
        for scheme, gain in gains.items():
            found = margin(gain, pole, rtt)
            delay = math.nan if found is None else found.delay_margin_s
            curves[scheme].append((max_p, sensitivity(gain), delay))
    return curves
