# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""The loop of TCP, queue and average, linearised at its operating point, with all of its poles.

Linearising equations (4) and (5) of Quet et al. as Hollot, Misra, Towsley and Gong do for RED gives

    L(s) = G e^(-s R0) / ((1 + s/K) (1 + s/a) (1 + s/b)),   a = 2 N / (R0^2 C),   b = 1 / R0

with the gain G of equation (6) or (7). The paper's margins (`theory.margin`) keep only the pole K of the
average, which is right where K is far below a and b. With small queues or large weights it is not, and then
the paper's delay margin is too large; the one here is what to tune by.
"""

from __future__ import annotations

import cmath
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from scipy.optimize import brentq

from mecn_controller.theory.analysis import Margin

if TYPE_CHECKING:
    import control

    from mecn_controller.theory.analysis import Analysis


@dataclass(frozen=True)
class Loop:
    """An open loop: gain, the poles of average, window and queue (rad/s), and the delay R0 (s)."""

    gain: float
    filter_rad_s: float
    window_rad_s: float
    queue_rad_s: float
    rtt_s: float

    @property
    def poles(self) -> tuple[float, float, float]:
        """K, a and b."""
        return (self.filter_rad_s, self.window_rad_s, self.queue_rad_s)

    def response(self, omega_rad_s: float) -> complex:
        """L(j omega)."""
        value = self.gain * cmath.exp(-1j * omega_rad_s * self.rtt_s)
        for pole in self.poles:
            value /= 1 + 1j * omega_rad_s / pole
        return value

    def margin(self) -> Margin | None:
        """Crossover, phase margin without the delay, and how much delay beyond R0 the loop can bear.

        None for a gain of at most 1: the magnitude only falls, so no delay can upset the loop.
        """
        if self.gain <= 1:
            return None

        def excess(log_omega: float) -> float:
            omega = math.exp(log_omega)
            loss = sum(math.log1p((omega / pole) ** 2) for pole in self.poles) / 2
            return math.log(self.gain) - loss

        # Above any pole times the gain the magnitude is below 1.
        low = math.log(min(self.poles) * 1e-9)
        high = math.log(max(self.poles) * self.gain) + 1
        if excess(low) <= 0:
            return None  # a gain that is 1 but for rounding
        crossover = math.exp(brentq(excess, low, high, xtol=1e-12))
        phase = math.pi - sum(math.atan(crossover / pole) for pole in self.poles)
        return Margin(crossover, phase, phase / crossover - self.rtt_s)

    def without_delay(self) -> control.TransferFunction:
        """L(s) e^(s R0) as python-control has it, for its tools."""
        import control

        system = control.tf([self.gain], [1])
        for pole in self.poles:
            system *= control.tf([1], [1 / pole, 1])
        return system


def loop_of(analysis: Analysis, *, capacity_pps: float, flows: float) -> Loop:
    """The loop of a profile at its operating point."""
    rtt = analysis.rtt_s
    window_pole = 2 * flows / (rtt * rtt * capacity_pps)
    return Loop(analysis.gain, analysis.pole_rad_s, window_pole, 1 / rtt, rtt)
