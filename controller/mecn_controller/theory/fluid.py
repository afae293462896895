# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""Time response of the nonlinear fluid model: equations (4) and (5) of Quet et al., and the average.

    W' = 1/R - W(t) W(t-R) / R(t-R) * (Prob1(t-R) / beta1 + Prob2(t-R) / beta2)
    q' = (N/R) W - C, and not below an empty queue
    x' = K (q - x)
    R  = q / C + T_p

Prob1 and Prob2 follow from the average x by the profile's curve; W is a sender's window, packets. The delay R
changes with the queue. Heun's method with a fixed step; the past is interpolated linearly, which is of the
same (second) order. The buffer has no end, and senders neither start slowly nor time out, as in the paper.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from mecn_controller.theory.analysis import filter_pole, given_up, profile_betas

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mecn_controller.policy.profile import Profile

MAX_STEPS = 5_000_000


@dataclass(frozen=True)
class Response:
    """One value for each step."""

    time_s: NDArray[np.float64]
    window: NDArray[np.float64]
    """Of one sender, packets."""
    queue: NDArray[np.float64]
    """Packets."""
    average: NDArray[np.float64]
    """Packets."""

    def swing(self, from_s: float, until_s: float = math.inf) -> float:
        """Largest less smallest queue within a time, packets."""
        within = self.queue[(self.time_s >= from_s) & (self.time_s < until_s)]
        return float(np.ptp(within))


def simulate(
    profile: Profile,
    *,
    capacity_pps: float,
    propagation_s: float,
    flows: float,
    until_s: float,
    queue: float = 0.0,
    window: float = 1.0,
    average: float | None = None,
    step_s: float | None = None,
) -> Response:
    """Solve the model from a constant past: `queue`, `window` and `average` (by default the queue).

    `step_s`: by default a fortieth of the propagation time, or of what the average takes if that is shorter.
    ValueError for a model that would take more than `MAX_STEPS` steps.
    """
    if min(capacity_pps, propagation_s, flows, until_s) <= 0:
        raise ValueError("capacity, propagation time, flows and duration must be above 0")
    pole = filter_pole(capacity_pps, float(profile.ewma_weight))
    step = min(propagation_s, 1 / pole) / 40 if step_s is None else step_s
    if not 0 < step <= propagation_s:
        raise ValueError(f"step {step} s is not above 0 and within the propagation time")
    steps = math.ceil(until_s / step)
    if steps > MAX_STEPS:
        raise ValueError(f"{steps} steps of {step} s are more than {MAX_STEPS}")
    part = given_up(profile, profile_betas(profile))
    capacity = capacity_pps

    # The rate of reductions of a sender per unit of its window: W / R * (Prob1/beta1 + Prob2/beta2).
    w, q, x = window, queue, queue if average is None else average
    cuts = [w / (q / capacity + propagation_s) * part(x)]
    windows, queues, averages = [w], [q], [x]

    def past(time: float) -> float:
        position = time / step
        if position <= 0:
            return cuts[0]
        index = min(int(position), len(cuts) - 1)
        following = min(index + 1, len(cuts) - 1)
        return cuts[index] + (cuts[following] - cuts[index]) * min(position - index, 1.0)

    def slopes(time: float, w: float, q: float, x: float) -> tuple[float, float, float]:
        rtt = q / capacity + propagation_s
        rise = flows / rtt * w - capacity
        return 1 / rtt - w * past(time - rtt), rise if q > 0 or rise > 0 else 0.0, pole * (q - x)

    for number in range(steps):
        now = number * step
        w1, q1, x1 = slopes(now, w, q, x)
        w2, q2, x2 = slopes(
            now + step, max(w + step * w1, 0.0), max(q + step * q1, 0.0), max(x + step * x1, 0.0)
        )
        w = max(w + step * (w1 + w2) / 2, 0.0)
        q = max(q + step * (q1 + q2) / 2, 0.0)
        x = max(x + step * (x1 + x2) / 2, 0.0)
        cuts.append(w / (q / capacity + propagation_s) * part(x))
        windows.append(w)
        queues.append(q)
        averages.append(x)
    time = np.arange(steps + 1, dtype=np.float64) * step
    return Response(time, np.array(windows), np.array(queues), np.array(averages))
