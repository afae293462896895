# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""How often `mecn_v1model.p4` marks, with the random numbers of the switch that runs it."""

import itertools
import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from mecn_controller import Route, names
from mecn_controller.fixed_point import probability_to_fixed
from mecn_controller.names import Ecn, MarkPoint, Spacing
from mecn_controller.policy.entries import Behaviour, Entry, Exact, Policy, port_entries, scheme_entries
from mecn_native import Switch

from .four_ways import Way
from .random_frames import udp
from .random_tables import Player

ALPHA = 1e-9
"""Chance that a count is taken for wrong although the switch is right."""
NONE, QUARTER, ALWAYS = Fraction(0), Fraction(1, 4), Fraction(1)


@dataclass(frozen=True)
class Case:
    """Packets that all have these probabilities, whatever the queue."""

    spacing: Spacing
    p_incipient: Fraction
    p_moderate: Fraction
    packets: int = 200

    def entries(self, number: int) -> Iterator[Entry]:
        """For port `number`."""
        behaviour, profile_id = Behaviour("mecn"), number + 1
        policy = Policy(profile_id, behaviour.scheme_id, MarkPoint.FRONT, ewma_weight=1, spacing=self.spacing)
        yield Route(f"10.0.{number}.0/24", number, "02:00:00:00:00:01", "02:00:00:00:00:02").entry()
        for curve in names.CURVES:
            ramp = (
                ("left", 0),
                ("p_incipient_left", probability_to_fixed(self.p_incipient)),
                ("slope_incipient", 0),
                ("p_moderate_left", probability_to_fixed(self.p_moderate)),
                ("slope_moderate", 0),
            )
            yield Entry(f"{curve}.aqm_curve", (("profile_id", Exact(profile_id)),), f"{curve}.ramp", ramp, 1)
        yield from port_entries(policy, number, None)

    def problems(self, marks: Sequence[Ecn]) -> Iterator[str]:
        """What is not as it should be in the codepoints that packets left with."""
        count = Counter(marks)
        if self.spacing is Spacing.INDEPENDENT:
            for ecn, p in (
                (Ecn.CE, self.p_moderate),
                (Ecn.ECT_1, self.p_incipient * (1 - self.p_moderate)),
            ):
                yield from self._unlikely(f"{ecn.name}", count[ecn], len(marks), p)
            return
        # Gaps of 1 to 1/p packets, or of 1/p to 2/p packets, each as often as the others (spaced_draw.p4).
        p = max(self.p_incipient, self.p_moderate)
        first = 1 if self.spacing is Spacing.UNIFORM else math.ceil(1 / p)
        lengths = range(first, first + math.ceil(1 / p))
        places = [-1, *(place for place, ecn in enumerate(marks) if ecn is not Ecn.ECT_0)]
        gaps = Counter(b - a for a, b in itertools.pairwise(places))
        if outside := gaps.keys() - set(lengths):
            yield f"{self}: gaps of {sorted(outside)} packets, not {lengths[0]} to {lengths[-1]}"
        for length in lengths:
            yield from self._unlikely(
                f"gaps of {length}", gaps[length], gaps.total(), Fraction(1, len(lengths))
            )

    def _unlikely(self, what: str, count: int, trials: int, p: Fraction) -> Iterator[str]:
        """By the exact binomial distribution: so far from its mean on that side."""
        counts = range(count, trials + 1) if count > trials * p else range(count + 1)
        chance = sum(math.comb(trials, k) * p**k * (1 - p) ** (trials - k) for k in counts)
        if chance < ALPHA:
            yield f"{self}: {what}: {count} of {trials}, expected {float(trials * p):.1f}"


CASES = (
    Case(Spacing.INDEPENDENT, NONE, NONE, 10),
    Case(Spacing.INDEPENDENT, ALWAYS, NONE, 10),
    Case(Spacing.INDEPENDENT, NONE, ALWAYS, 10),
    Case(Spacing.INDEPENDENT, Fraction(3, 10), Fraction(4, 10)),
    Case(Spacing.UNIFORM, QUARTER, NONE),
    Case(Spacing.WAIT, NONE, QUARTER),
)


def counted(switch: Switch) -> Way:
    """All cases on a switch; each on a port of its own."""
    player, problems = Player(switch), []
    for entry in scheme_entries(Behaviour("mecn")):
        player.insert(entry)
    for number, case in enumerate(CASES):
        for entry in case.entries(number):
            player.insert(entry)
        frame = udp(0x0A00_0001 | number << 8, ecn=Ecn.ECT_0)
        sent = [left for _ in range(case.packets) for left in player.send(number, frame)]
        if [port for port, _ in sent] != [number] * case.packets:
            problems.append(f"{case}: {len(sent)} packets left")
        problems += case.problems([Ecn(data[15] & 3) for _, data in sent])
    return Way("frequencies" if problems else "", "\n".join(problems))
