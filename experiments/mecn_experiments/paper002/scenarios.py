# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""A run's recipe, and the profile that it needs."""

from __future__ import annotations

import random
from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal

from ..errors import ExperimentError
from ..variant import KEY, profile
from .parameters import AXES, MAX_OVER_MIN, MAX_P, MAX_PAIRS, PACKET_BYTES, Parameters

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mecn_controller.policy.profile import Profile

    from ..declaration import Recipe

Scheme = Literal["dt", "r1", "r2", "r3", "r1e", "r2e", "r3e"]
RED: tuple[Scheme, ...] = ("r1", "r2", "r3")
ECN: tuple[Scheme, ...] = ("r1e", "r2e", "r3e")
SCHEMES: tuple[Scheme, ...] = ("dt", *RED, *ECN)
Udp = Literal["none", "cbr-fixed", "cbr-random", "on-off"]
MIN_TH_SHARE = {"r1": 6, "r2": 9}
"""min_th as a part of the buffer (table I)."""
PD2_MS = 102.0
"""Two-way propagation delay of the flows with the shorter round trip (section V-D)."""
PD_MAX_MS = 300.0
"""Largest two-way propagation delay of Figure 14 (section V-D.2)."""
UDP_FLOWS = 20
"""UDP flows beside ten FTP sessions (section V-B)."""
TELNETS = 6
"""Telnet sessions beside the flows of Figures 3 to 6 (section V-A)."""

_RUN = ("buffer_bdp", "rate_bps", "delay_ms", "delayed_acks")
"""Parameters that a run can have another value of (Figure 5, claim 24)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """A run without its seed and without what all runs share."""

    scheme: Scheme
    ftp: int = 0
    """Bulk transfers in the forward path, as the others if nothing else is said."""
    web: int = 0
    telnet: int = 0
    udp: Udp = "none"
    udp_flows: int = 0
    back_ftp: int = 0
    back_web: int = 0
    sack: bool = False
    """TCP/Sack1 instead of TCP/Reno, for all."""
    mixed: bool = False
    """Every second TCP flow does without ECN."""
    round_trips_ms: tuple[float, ...] = ()
    """Two-way propagation delays, dealt to the forward TCP flows in turn; none: the paths as they are."""
    trace: bool = False
    """Keep the congestion windows of seed 1."""
    buffer_bdp: float | None = None
    rate_bps: int | None = None
    delay_ms: float | None = None
    delayed_acks: bool | None = None

    @property
    def pairs(self) -> int:
        """Flows, of which each has a pair of hosts."""
        return self.ftp + self.web + self.telnet + self.udp_flows + self.back_ftp + self.back_web

    def recipe(self, parameters: Parameters) -> Recipe:
        """With what all runs share."""
        own = asdict(self)
        for name in _RUN:
            if own[name] is None:
                own[name] = getattr(parameters, name)
        own["buffer_bdp"], own["delay_ms"] = float(own["buffer_bdp"]), float(own["delay_ms"])
        own["round_trips_ms"] = [float(value) for value in self.round_trips_ms]
        shared = parameters.model_dump(mode="json", exclude={"seeds", "round_trip_draws", *AXES, *_RUN})
        return {**own, "shared": shared}


def point_of(recipe: Recipe) -> Point:
    """The point that a recipe was made of, with all values."""
    values = {key: value for key, value in recipe.items() if key not in ("shared", KEY)}
    return Point(**values | {"round_trips_ms": tuple(recipe["round_trips_ms"])})


def buffer_packets(recipe: Recipe) -> int:
    """The queue limit: whole packets of the buffer in bandwidth-delay products, at least one."""
    product = 2 * Fraction(recipe["rate_bps"]) * Fraction(str(recipe["delay_ms"])) / 1000 / (8 * PACKET_BYTES)
    return max(1, int(Fraction(str(recipe["buffer_bdp"])) * product))


def min_th(recipe: Recipe) -> float:
    """RED's lower threshold, packets, in the data plane's steps of 1/256."""
    share = MIN_TH_SHARE.get(recipe["scheme"].removesuffix("e"))
    exact = buffer_packets(recipe) / share if share else recipe["shared"]["red_min_th"]
    return round(exact * 256) / 256


def profile_of(recipe: Recipe) -> Profile:
    """What the controller pushes; raises :class:`ExperimentError` on an impossible combination."""
    scheme, shared = recipe["scheme"], recipe["shared"]
    document: dict[str, object] = {
        "name": f"002 {scheme}",
        "weight": shared["weight"],
        "queue_limit_packets": buffer_packets(recipe),
    }
    if shared["idle_correction"]:
        document["mean_service_time_us"] = 8e6 * PACKET_BYTES / recipe["rate_bps"]
    if scheme == "dt":
        document["scheme"] = "drop-tail"
    else:
        low = min_th(recipe)
        document |= {
            "scheme": "ecn-gentle" if scheme in ECN else "red-gentle",
            "mark_point": "tail",
            "min_th": low,
            "max_th": MAX_OVER_MIN * low,
            "max_p": MAX_P,
            "spacing": shared["spacing"],
            "min_depth": shared["min_depth"],
        }
        if scheme in ECN:
            document |= {"gentle_signal": shared["ecn_above_max_th"], "not_ect": shared["not_ect"]}
    return profile(recipe, document)


def check(recipe: Recipe) -> None:
    """Refuses what cannot be run."""
    profile_of(recipe)
    point = point_of(recipe)
    if point.pairs > MAX_PAIRS:
        raise ExperimentError(f"{point.pairs} flows: the switches have room for {MAX_PAIRS} pairs of hosts")
    fixed_ms = 2 * (recipe["delay_ms"] + 1)
    if point.round_trips_ms and min(point.round_trips_ms) < fixed_ms:
        raise ExperimentError(
            f"a round trip of {min(point.round_trips_ms):g} ms: without the sources' links it is"
            f" {fixed_ms:g} ms"
        )


def each(
    parameters: Parameters, schemes: Sequence[Scheme], points: Sequence[Mapping[str, Any]]
) -> Sequence[Recipe]:
    """Every scheme at every point; a point has what :class:`Point` has beside its scheme."""
    return [Point(scheme=scheme, **point).recipe(parameters) for scheme in schemes for point in points]


def web_and_ftp(parameters: Parameters, *, sack: bool) -> Sequence[Recipe]:
    """Every scheme with web sessions beside five FTP sessions (Figures 3 and 6)."""
    points = [{"ftp": 5, "web": web, "telnet": TELNETS, "sack": sack} for web in parameters.web_sessions]
    return each(parameters, SCHEMES, points)


def with_udp(parameters: Parameters, udp: Udp, *, sack: bool) -> Sequence[Recipe]:
    """Every scheme with twenty UDP flows beside ten FTP sessions (Figures 7 and 8)."""
    return each(parameters, SCHEMES, [{"ftp": 10, "udp": udp, "udp_flows": UDP_FLOWS, "sack": sack}])


def two_round_trips(parameters: Parameters, schemes: Sequence[Scheme]) -> Sequence[Recipe]:
    """Six FTP sessions, every second with the longer round trip (Figures 11 and 13)."""
    points = [{"ftp": 6, "round_trips_ms": (pd1, PD2_MS)} for pd1 in parameters.round_trips_ms]
    return each(parameters, schemes, points)


def eight_round_trips(parameters: Parameters, schemes: Sequence[Scheme]) -> Sequence[Recipe]:
    """Eight FTP sessions: one with the shortest round trip, seven drawn (Figures 14 and 15)."""
    points = [
        {"ftp": 8, "round_trips_ms": drawn_round_trips(draw)} for draw in range(parameters.round_trip_draws)
    ]
    return each(parameters, schemes, points)


def drawn_round_trips(draw: int) -> tuple[float, ...]:
    """102 ms, and seven values uniform between it and 300 ms; whole milliseconds."""
    chance = random.Random(draw)  # noqa: S311 - an experiment, not a secret
    return (PD2_MS, *(float(round(chance.uniform(PD2_MS, PD_MAX_MS))) for _ in range(7)))
