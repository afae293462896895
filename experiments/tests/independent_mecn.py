# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Multi-level ECN a second time: a small packet simulator that shares no code with the project.

It judges the virtual network in test_independent_mecn.py. It is written from Quet et al. (sections 2 and 4),
Floyd and Jacobson 1993 (RED), RFC 2581 (Reno), RFC 3168 (ECN) and RFC 6298 (timer), and imports the standard
library only. Windows are real numbers of packets, times are seconds. There is no handshake: a source starts
one round trip after its time.

Run it by itself: python independent_mecn.py --sources 5 --thresholds 1,2,4
"""

from __future__ import annotations

import argparse
import heapq
import math
import random
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from itertools import count

PACKET_BITS, ACK_BITS = 8000, 320
ACCESS_BPS, BOTTLENECK_BPS = 10e6, 1.5e6
SOURCE_DELAY_S, BOTTLENECK_DELAY_S, SINK_DELAY_S = 0.002, 0.040, 0.004
SERVICE_S = PACKET_BITS / BOTTLENECK_BPS
WEIGHT = 0.002
BETA = {1: 5.0, 2: 2.5}
"""Table 2: the window loses its fifth part for an incipient mark, two fifths for a moderate one."""


@dataclass(frozen=True)
class Setting:
    """One run. Thresholds and buffer in packets."""

    sources: int
    thresholds: tuple[float, float, float]
    max_p: float = 0.1
    spacing: str = "uniform"
    buffer: int = 200
    window_cap: float = 68
    duration_s: float = 100.0
    warmup_s: float = 20.0
    """Not measured."""
    start_within_s: float = 1.0
    timer_tick_s: float = 0.1
    least_timeout_s: float = 1.0
    waits_below_one: bool = False
    """A mark that leaves less than one packet stops the source until its timer runs out, as in ns-2."""
    idle_packet_bytes: int = 1000
    """As long as such a packet takes is one step of the average's decay while the link is idle."""
    fewest_waiting: int = 2
    """RED of the papers' simulator marks no packet that meets fewer waiting packets."""


@dataclass
class Outcome:
    """What was measured after the warm-up."""

    mean_queue: float = 0.0
    efficiency: float = 0.0
    incipient: int = 0
    moderate: int = 0
    lost: int = 0
    cuts: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Count from 0."""
        self.incipient = self.moderate = self.lost = 0
        self.cuts.update(incipient=0, moderate=0, loss=0)


class Clock:
    """Calls in the order of their times."""

    def __init__(self) -> None:
        self.now = 0.0
        self._order = count()
        self._calls: list[tuple[float, int, Callable[..., None], tuple[object, ...]]] = []

    def at(self, time_s: float, call: Callable[..., None], *values: object) -> None:
        """Call later."""
        heapq.heappush(self._calls, (time_s, next(self._order), call, values))

    def run(self, until_s: float) -> None:
        """Make all calls that are due before the end."""
        while self._calls and self._calls[0][0] <= until_s:
            self.now, _, call, values = heapq.heappop(self._calls)
            call(*values)
        self.now = until_s


class Pipe:
    """A link whose queue never overflows: rate, then propagation."""

    def __init__(self, clock: Clock, rate_bps: float, delay_s: float, out: Callable[..., None]) -> None:
        self._clock, self._rate_bps, self._delay_s, self._out = clock, rate_bps, delay_s, out
        self._free_at = 0.0

    def send(self, bits: int, *packet: object) -> None:
        """Put a packet on the link."""
        self._free_at = max(self._free_at, self._clock.now) + bits / self._rate_bps
        self._clock.at(self._free_at + self._delay_s, self._out, *packet)


class Level:
    """The draw of one level, by the spacing of marks."""

    def __init__(self, spacing: str, chance: random.Random) -> None:
        self._spacing, self._chance = spacing, chance
        self._since = 0
        """Packets since the last mark."""

    def fires(self, p: float) -> bool:
        """Whether a packet gets the mark, at the curve's probability p."""
        if p <= 0:
            self._since = 0
            return False
        if self._spacing == "independent":
            now = p
        elif self._spacing == "uniform":
            # Floyd and Jacobson 1993, section 7, method 2
            due = self._since * p
            now = p / (1 - due) if due + p < 1 else 1.0
        elif self._spacing == "wait":
            # ns-2's manual: gaps on 1/p to 2/p; this packet is counted
            due = (self._since + 1) * p
            now = 0.0 if due < 1 else p / (2 - due) if due + p < 2 else 1.0
        else:
            raise ValueError(self._spacing)
        fired = self._chance.random() < now
        self._since = 0 if fired else self._since + 1
        return fired


class Bottleneck:
    """R1's queue towards R2: multi-level RED on what an arriving packet meets, then first in, first out."""

    def __init__(
        self, clock: Clock, setting: Setting, chance: random.Random, out: Callable[..., None]
    ) -> None:
        self._clock, self._setting, self._out = clock, setting, out
        self._waiting: deque[tuple[int, int, bool, int]] = deque()
        self._busy = False
        self._idle_since = 0.0
        self._average = 0.0
        self._incipient = Level(setting.spacing, chance)
        self._moderate = Level(setting.spacing, chance)
        self._changed_at = 0.0
        self.area = 0.0
        """Integral of the waiting packets over time."""
        self.outcome = Outcome()

    def begin(self) -> None:
        """Measure from now on."""
        self.account()
        self.area = 0.0
        self.outcome.reset()

    def account(self) -> None:
        """Count the time since the last change of the queue."""
        self.area += len(self._waiting) * (self._clock.now - self._changed_at)
        self._changed_at = self._clock.now

    def _average_of_arrival(self) -> float:
        if not self._busy:
            step_s = 8 * self._setting.idle_packet_bytes / BOTTLENECK_BPS
            self._average *= (1 - WEIGHT) ** ((self._clock.now - self._idle_since) / step_s)
            self._idle_since = self._clock.now
        self._average += WEIGHT * (len(self._waiting) - self._average)
        return self._average

    def _mark(self) -> int:
        average = self._average_of_arrival()
        low, middle, high = self._setting.thresholds
        p1 = p2 = 0.0
        if len(self._waiting) >= self._setting.fewest_waiting:
            if average >= high:
                return 2
            if average >= low:
                p1 = self._setting.max_p * (average - low) / (high - low)
            if average >= middle:
                p2 = self._setting.max_p * (average - middle) / (high - middle)
        if self._moderate.fires(p2):
            return 2
        return 1 if self._incipient.fires(p1) else 0

    def arrive(self, source: int, number: int, capable: bool) -> None:
        """A data packet reaches R1."""
        mark = self._mark()
        if len(self._waiting) >= self._setting.buffer:
            self.outcome.lost += 1
            return
        if not capable:
            mark = 0
        self.outcome.incipient += mark == 1
        self.outcome.moderate += mark == 2
        self.account()
        self._waiting.append((source, number, capable, mark))
        if not self._busy:
            self._serve()

    def _serve(self) -> None:
        self.account()
        packet = self._waiting.popleft()
        self._busy = True
        self._clock.at(self._clock.now + SERVICE_S, self._served, packet)

    def _served(self, packet: tuple[int, int, bool, int]) -> None:
        self._clock.at(self._clock.now + BOTTLENECK_DELAY_S, self._out, *packet)
        self._busy = False
        self._idle_since = self._clock.now
        if self._waiting:
            self._serve()


class Receiver:
    """Acknowledges each packet at once and echoes its mark."""

    def __init__(self, acknowledge: Callable[[int, int], None]) -> None:
        self._acknowledge = acknowledge
        self.next = 0
        self._later: set[int] = set()

    def receive(self, number: int, mark: int) -> None:
        """A data packet arrives."""
        if number >= self.next:
            self._later.add(number)
        while self.next in self._later:
            self._later.remove(self.next)
            self.next += 1
        self._acknowledge(self.next, mark)


class Reno:
    """A greedy source: RFC 2581, with the response of table 2."""

    def __init__(
        self, clock: Clock, setting: Setting, outcome: Outcome, send: Callable[[int, bool], None]
    ) -> None:
        self._clock, self._setting, self._outcome, self._send = clock, setting, outcome, send
        self.window, self._threshold = 1.0, setting.window_cap
        self._una = self._next = self._highest = 0
        self._answered_until = -1
        """Marks on packets before it belong to congestion that has been answered."""
        self._duplicates = 0
        self._recovering = False
        self._srtt: float | None = None
        self._rttvar = 0.0
        self._timeout_s = 1.0
        self._timed: tuple[int, float] | None = None
        self._timer = 0
        self._waiting = False
        self._waits = 0
        """Marks in a row that made it wait."""

    def fill(self) -> None:
        """Send what the window admits."""
        if self._waiting:
            return
        while self._next < self._una + int(min(self.window, self._setting.window_cap)):
            self._transmit(self._next)
            self._next += 1

    def _transmit(self, number: int) -> None:
        again = number < self._highest
        if not again and self._timed is None:
            self._timed = (number, self._clock.now)
        if again and self._timed is not None and number <= self._timed[0]:
            self._timed = None
        self._highest = max(self._highest, number + 1)
        if self._una == number or self._next == self._una:
            self._restart_timer()
        # RFC 3168, section 6.1.5: what is sent again is not ECN-capable
        self._send(number, not again)

    def acknowledge(self, upto: int, mark: int) -> None:
        """An ACK arrives."""
        if not mark:
            self._waits = 0
        if upto > self._una:
            self._new_data(upto, mark)
        elif upto == self._una and self._highest > self._una:
            if mark:
                self._cut(mark, upto)
            self._duplicate()
        self.fill()

    def _new_data(self, upto: int, mark: int) -> None:
        if self._timed is not None and upto > self._timed[0]:
            self._sample(self._clock.now - self._timed[1])
            self._timed = None
        self._una = upto
        self._next = max(self._next, upto)
        if self._recovering:
            self.window = self._threshold
            self._recovering = False
        elif not mark:
            # RFC 3168, section 6.1.2: no growth for an ACK that carries a mark
            self.window += 1.0 if self.window < self._threshold else 1.0 / self.window
        self._duplicates = 0
        if mark:
            self._cut(mark, upto)
        self._restart_timer()

    def _cut(self, mark: int, upto: int) -> None:
        if upto <= self._answered_until:
            return
        self._answered_until = self._highest
        self._outcome.cuts["incipient" if mark == 1 else "moderate"] += 1
        left = self.window - self.window / BETA[mark]
        self.window = max(1.0, left)
        self._threshold = max(2.0, self.window)
        if left >= 1 or not self._setting.waits_below_one:
            self._waits = 0
            return
        self._waits += 1
        if self._una == self._next:
            self._waiting = True
            self._clock.at(self._clock.now + self._timeout_s * 2.0 ** (self._waits - 1), self._resume)

    def _resume(self) -> None:
        self._waiting = False
        self.fill()

    def _halve(self) -> None:
        self._outcome.cuts["loss"] += 1
        self._threshold = max(2.0, (self._next - self._una) / 2)
        self._answered_until = self._highest

    def _duplicate(self) -> None:
        self._duplicates += 1
        if self._recovering:
            self.window += 1
        elif self._duplicates == 3 and self._una > self._answered_until:
            self._halve()
            self.window = self._threshold + 3
            self._recovering = True
            self._transmit(self._una)

    def _sample(self, rtt_s: float) -> None:
        tick = self._setting.timer_tick_s
        rtt_s = max(tick, round(rtt_s / tick) * tick)
        if self._srtt is None:
            self._srtt, self._rttvar = rtt_s, rtt_s / 2
        else:
            self._rttvar += (abs(rtt_s - self._srtt) - self._rttvar) / 4
            self._srtt += (rtt_s - self._srtt) / 8
        # The timer runs out at whole ticks.
        ticks = math.ceil(round((self._srtt + max(tick, 4 * self._rttvar)) / tick, 9))
        self._timeout_s = max(self._setting.least_timeout_s, ticks * tick)

    def _restart_timer(self) -> None:
        self._timer += 1
        self._clock.at(self._clock.now + self._timeout_s, self._expire, self._timer)

    def _expire(self, timer: int) -> None:
        if timer != self._timer or self._highest == self._una:
            return
        self._halve()
        self.window, self._next = 1.0, self._una
        self._recovering, self._duplicates = False, 0
        self._timeout_s = min(64.0, 2 * self._timeout_s)
        self.fill()


def simulate(setting: Setting, seed: int) -> Outcome:
    """One run of section 4.1's network."""
    clock, chance = Clock(), random.Random(seed)
    receivers: list[Receiver] = []
    to_sink: list[Pipe] = []
    to_source: list[Pipe] = []

    def at_r2(source: int, number: int, _capable: bool, mark: int) -> None:
        to_sink[source].send(PACKET_BITS, number, mark)

    queue = Bottleneck(clock, setting, chance, at_r2)

    def at_r1(source: int, upto: int, mark: int) -> None:
        to_source[source].send(ACK_BITS, upto, mark)

    back_at_r1 = Pipe(clock, BOTTLENECK_BPS, BOTTLENECK_DELAY_S, at_r1)
    for index in range(setting.sources):
        access = Pipe(clock, ACCESS_BPS, SOURCE_DELAY_S, partial(queue.arrive, index))
        source = Reno(clock, setting, queue.outcome, partial(access.send, PACKET_BITS))
        back = Pipe(clock, ACCESS_BPS, SINK_DELAY_S, partial(back_at_r1.send, ACK_BITS, index))
        receiver = Receiver(partial(back.send, ACK_BITS))
        to_sink.append(Pipe(clock, ACCESS_BPS, SINK_DELAY_S, receiver.receive))
        to_source.append(Pipe(clock, ACCESS_BPS, SOURCE_DELAY_S, source.acknowledge))
        receivers.append(receiver)
        round_trip_s = 2 * (SOURCE_DELAY_S + BOTTLENECK_DELAY_S + SINK_DELAY_S)
        clock.at(chance.uniform(0, setting.start_within_s) + round_trip_s, source.fill)
    clock.run(setting.warmup_s)
    received = sum(receiver.next for receiver in receivers)
    queue.begin()
    clock.run(setting.duration_s)
    queue.account()
    outcome, measured_s = queue.outcome, setting.duration_s - setting.warmup_s
    outcome.mean_queue = queue.area / measured_s
    outcome.efficiency = (sum(receiver.next for receiver in receivers) - received) * SERVICE_S / measured_s
    return outcome


def main() -> None:
    """Print a few runs."""
    parser = argparse.ArgumentParser(description="Multi-level ECN, simulated by code of its own.")
    parser.add_argument("--sources", type=int, default=5)
    parser.add_argument("--thresholds", default="1,2,4", help="min_th,mid_th,max_th in packets")
    parser.add_argument("--spacing", default="uniform", choices=("independent", "uniform", "wait"))
    parser.add_argument("--seeds", type=int, default=5)
    options = parser.parse_args()
    low, middle, high = (float(word) for word in options.thresholds.split(","))
    for seed in range(1, options.seeds + 1):
        print(seed, simulate(Setting(options.sources, (low, middle, high), spacing=options.spacing), seed))


if __name__ == "__main__":
    main()
