# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""A profile in the tables of p4src/mecn_tna.p4: steps, cells, and a low-pass filter for each queue."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING

from mecn_controller import names
from mecn_controller.policy.curve import curve_of
from mecn_controller.policy.entries import (
    SEGMENT_PRIORITY,
    Entry,
    Exact,
    ProfileEntries,
    Range,
    behaviour_of,
    classes_of,
    policy_of,
    port_entries,
    scheme_entries,
)
from mecn_controller.policy.profile import Drawn
from mecn_controller.runtime.targets import tofino
from mecn_controller.units import Link

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mecn_controller.policy.profile import Profile

LPF_TABLES = ("MecnIngress.admission.arrival_average.avg_qdepth", "MecnEgress.marking.average.avg_qdepth")
"""The averages, indexed by port * 8 + queue."""
QUEUES_PER_PORT = 8
LPF_INDEX = "$LPF_INDEX"
LPF_TIME_CONSTANT = "time_constant_ns"
"""Of a filter's entry: gain and decay alike. 0: as the switch has it from the start."""
DEFAULT_TOLERANCE = 1 / 64


@dataclass(frozen=True)
class Tna:
    """Tofino 1 or 2."""

    generation: int = 1
    tolerance: float = DEFAULT_TOLERANCE
    """How far a step may be from the curve."""

    @property
    def profile_tables(self) -> tuple[str, ...]:
        """Curves; there are no classes."""
        return (names.ADMISSION_CURVE_TABLE, names.MARKING_CURVE_TABLE)

    @property
    def tables(self) -> tuple[str, ...]:
        """Tables that applying a profile writes."""
        return (*self.profile_tables, names.ADMISSION_TABLE, names.VERDICT_TABLE, names.PORT_TABLE)

    def curves(self, profile: Profile) -> int:
        """One."""
        del profile
        return 1

    def entries(
        self,
        profile: Profile,
        profile_id: int,
        port: int,
        dscp: tuple[int, ...] | None,
        class_ids: Sequence[int] | None = None,
    ) -> ProfileEntries:
        """The profile's entries. ValueError says what Tofino cannot do (docs/tofino.md), or what is not
        given."""
        assert not class_ids
        _refuse(profile)
        if profile.link_packet_bytes is None:
            raise ValueError("link_packet_bytes is needed: Tofino counts depths in cells")
        cells = tofino.cells_per_packet(profile.link_packet_bytes, self.generation)
        policy = policy_of(profile, profile_id)
        policy = replace(policy, min_depth=policy.min_depth * cells)
        constant = tofino.time_constant_ns(profile.ewma_weight, _service_time_us(profile))
        queues = [
            Entry(table, ((LPF_INDEX, Exact(port * QUEUES_PER_PORT + queue)),), "", _filter(constant))
            for table in LPF_TABLES
            for queue in range(QUEUES_PER_PORT)
            if constant is not None
        ]
        return ProfileEntries(
            _steps(self, profile, profile_id, cells),
            tuple(scheme_entries(behaviour_of(profile))),
            tuple(port_entries(policy, port, profile.dscp if dscp is None else dscp)),
            tuple(queues),
        )


def _refuse(profile: Profile) -> None:
    if profile.report_period_ms is not None:
        raise ValueError("report_period_ms: there are no reports on Tofino")
    if profile.idle_step_us is not None:
        raise ValueError("idle_step_us: Tofino's average falls in idle time as at other times")
    if isinstance(profile, Drawn) and profile.mean_packet_bytes is not None:
        raise ValueError("mean_packet_bytes: byte mode is not available on Tofino")
    if classes_of(profile):
        raise ValueError("rtt_class_max_p: there are no classes of round-trip times on Tofino")


def _service_time_us(profile: Profile) -> float | None:
    if profile.mean_service_time_us is not None or profile.link_rate is None:
        return profile.mean_service_time_us
    return Link.of(profile.link_rate, profile.link_packet_bytes).service_time_s * 1e6


def _filter(constant_ns: float | None) -> tuple[tuple[str, int], ...]:
    return ((LPF_TIME_CONSTANT, round(constant_ns or 0)),)


@lru_cache(1024)
def _steps(target: Tna, profile: Profile, profile_id: int, cells: int) -> tuple[Entry, ...]:
    limit = tofino.STEP_TABLE_SIZE[target.generation]
    entries = []
    for instance in names.CURVES:
        for step in tofino.staircase(curve_of(profile), cells, target.tolerance, limit):
            match = (("profile_id", Exact(profile_id)), ("avg_qdepth", Range(step.low, step.high)))
            params = (("p_incipient", step.p_incipient), ("p_moderate", step.p_moderate))
            action = "severe" if step.severe else "step"
            entries.append(
                Entry(
                    f"{instance}.aqm_curve",
                    match,
                    f"{instance}.{action}",
                    () if step.severe else params,
                    SEGMENT_PRIORITY,
                )
            )
    return tuple(entries)
