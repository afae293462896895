# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Section 3 of the paper for this network: gain, delay margin and sensitivity of a profile, computed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mecn_controller.theory import analysis as theory
from mecn_controller.theory import linear

from .parameters import PACKETS_PER_S, PROPAGATION_S
from .scenarios import Point, profile_of

if TYPE_CHECKING:
    from .parameters import Parameters
    from .scenarios import Scenario


@dataclass(frozen=True, slots=True)
class Computed:
    """What section 3 says of one profile with so many sources."""

    queue: float
    """Where it settles, packets."""
    rtt_s: float
    gain: float
    """K_MECN (equation 7) or K_0 (equation 6)."""
    delay_margin_s: float
    """Equation 8 or 9; infinite where no delay upsets the loop (a gain of at most 1)."""
    full_margin_s: float
    """The same with the poles of window and queue, which the paper leaves out."""
    sensitivity: float
    """1 / (1 + K)."""


def computed(parameters: Parameters, scenario: Scenario, n_sources: int, max_p: float) -> Computed | None:
    """At the profile's own operating point; None if marks below max_th do not hold the sources."""
    run = Point("section 3", scenario.scheme, scenario.thresholds, n_sources, max_p)
    profile = profile_of(run.recipe(parameters))
    found = theory.analyse(profile, capacity_pps=PACKETS_PER_S, propagation_s=PROPAGATION_S, flows=n_sources)
    if found is None:
        return None
    full = linear.loop_of(found, capacity_pps=PACKETS_PER_S, flows=n_sources).margin()
    return Computed(
        found.queue_packets,
        found.rtt_s,
        found.gain,
        margin_s(found.margin),
        margin_s(full),
        found.sensitivity,
    )


def margin_s(margin: theory.Margin | None) -> float:
    """The delay margin, infinite where no delay upsets the loop."""
    return float("inf") if margin is None else margin.delay_margin_s
