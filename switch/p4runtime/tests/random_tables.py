# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""Random table state and packets of `mecn_v1model.p4`, compiled by both compilers and run by both switches.

In `switch/p4runtime`, with p4c and simple_switch_grpc on PATH: `python -m tests.random_tables ROUNDS [SEED]`.

A round is entries, registers and packets: profiles as the controller writes them, or entries that no
controller would write. After each packet what left is compared, after each round the registers and counters
of its ports. Entries go at the end of a round, registers stay.

Two things do not follow from tables and packets, and are taken out of what is compared:

* random numbers. The program is changed after it was compiled: a draw is what stands in `DRAW`, a cell that
  no packet reaches. `frequencies` takes the program as it is.
* time. A queue has either no idle time, or one that is long enough for any average to be forgotten.
  Handshakes take less than 16 s; a period is over with each packet, or never. Digests are not looked at.

Packets go one by one, so that egress meets empty queues. The depth that ingress reckons with is written.
"""

import argparse
import functools
import itertools
import json
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random

from mecn_controller import Profile, ProfileError, names, parse_profile
from mecn_controller.fixed_point import IDLE_DECAY_MAX, KEY_MAX, REPORT_PERIOD_MAX, SERVICE_TIME_MAX
from mecn_controller.policy.entries import Entry, Exact, Lpm, Match, Range, profile_entries
from mecn_controller.policy.profile import SCHEMES
from mecn_controller.runtime.targets.virtual import match_field
from mecn_native import ActionCall, MatchField, Switch, TableUpdate

from .bmv2 import LARGEST_READ
from .four_ways import Reference, Way, compare
from .mecn_program import SOURCE
from .random_frames import Flow, arrival, packet_out

CPU_PORT = 510
ADMIT = "MecnIngress.admission.admit"
PASS = "MecnEgress.marking.verdict.pass"
DRAW = ("MecnIngress.report.active_map", 65535)
"""Of port 511, which is no port."""
ROUNDS_OF_A_PROCESS = 400
PACKET_GAP_NS = 10_000_000
PAUSE_S = 0.004
"""Time in which any average is forgotten at the largest `idle_decay` (1.024 ms)."""
NEVER_IDLE = (1 << 48) - 1
QUEUE_REGISTERS = (
    "MecnIngress.admission.arrival_average.avg_qdepth",
    names.AVERAGE_REGISTER,
    *(f"{curve}.{level}.since_last" for curve in names.CURVES for level in ("moderate", "incipient")),
    "arrival_qdepth",
)
COUNTED_UNTIL = (
    "MecnIngress.admission.idle_time.counted_until",
    "MecnEgress.marking.idle_time.counted_until",
)


@dataclass(frozen=True)
class Write:
    """Sets a cell of a register."""

    register: str
    index: int
    value: int


@dataclass(frozen=True)
class Send:
    """A packet in."""

    port: int
    frame: bytes


@dataclass(frozen=True)
class Pause:
    """Lets time pass."""


@dataclass(frozen=True)
class Round:
    """What is done with a switch."""

    name: str
    entries: tuple[Entry, ...]
    steps: tuple[Write | Send | Pause, ...]
    ports: tuple[int, ...]
    """Those with a policy, whose state is read afterwards."""


def with_given_draws(program: bytes) -> bytes:
    """The BMv2 JSON of a program whose random numbers are what stands in `DRAW`."""
    data = json.loads(program)
    register, index = DRAW
    found = 0
    for primitive in itertools.chain.from_iterable(action["primitives"] for action in data["actions"]):
        if primitive["op"] == "modify_field_rng_uniform":
            primitive["op"] = "register_read"
            primitive["parameters"][1:] = [
                {"type": "register_array", "value": register},
                {"type": "hexstr", "value": hex(index)},
            ]
            found += 1
    assert found == 2, "ingress and egress draw once each"
    return json.dumps(data).encode()


# ---- Random rounds ---------------------------------------------------------------------------------------


class Rounds:
    """Random rounds; the same for a seed."""

    def __init__(self, seed: int, number: int) -> None:
        self.random = Random(f"{seed}/{number}")
        self.number = number

    def round(self) -> Round:
        """The next one."""
        draw = self.random
        entries: list[Entry] = []
        steps: list[Write | Send | Pause] = []
        # Packet-outs take odd ports: they do not know of idle times.
        ports = tuple(draw.sample(range(0, CPU_PORT, 2), 2))
        pauses = draw.random() < 0.15
        for order, port in enumerate(ports):
            entries += self._policy(port, 1 + 8 * order, forgets=pauses)
            steps += self._state(port, forgets=pauses)
        flow = Flow(draw, self.number)
        entries += self._routes(flow, ports)
        for _ in range(draw.randint(8, 16)):
            steps.append(Write(*DRAW, draw.choice((0, 0, (1 << 64) - 1, draw.getrandbits(64)))))
            # What one packet has done is soon written over, so that not all meet an empty queue.
            steps += [self._cell(draw.choice(QUEUE_REGISTERS), port * 8) for port in ports]
            if pauses:
                steps.append(Pause())
            if draw.random() < 0.05:
                steps.append(Send(CPU_PORT, packet_out(draw)))
            else:
                steps.append(Send(draw.randrange(CPU_PORT), arrival(draw, flow)))
        once = {entry.key: entry for entry in entries}
        return Round(f"round {self.number}", tuple(once.values()), tuple(steps), ports)

    def _state(self, port: int, *, forgets: bool) -> Iterator[Write]:
        queue = port * 8
        yield Write("busy_until", queue, 0 if forgets else NEVER_IDLE)
        yield from (Write(register, queue, 0) for register in COUNTED_UNTIL)
        yield from (self._cell(register, queue) for register in QUEUE_REGISTERS)

    def _cell(self, register: str, queue: int) -> Write:
        draw = self.random
        if register.endswith("avg_qdepth"):
            depths = (draw.randrange(40 << 48), draw.randrange(40) << 48, draw.randrange(40 << 48))
            return Write(register, queue, draw.choice((*depths, draw.getrandbits(64))))
        values = (0, draw.randrange(4), draw.randrange(40), draw.getrandbits(16))
        return Write(register, queue, draw.choice(values))

    def _routes(self, flow: Flow, ports: Sequence[int]) -> Iterator[Entry]:
        draw = self.random
        for table, width, address in (
            (names.ROUTE_TABLE, 32, flow.dst),
            (names.IPV6_ROUTE_TABLE, 128, flow.dst6),
        ):
            for action in draw.choices(
                (names.FORWARD, names.TO_CONTROLLER, names.UNROUTABLE), (10, 1, 1), k=3
            ):
                length = draw.randint(1, width)
                match: Match = Lpm(address >> width - length << width - length, length)
                params: tuple[tuple[str, int], ...] = ()
                if action == names.FORWARD:
                    port = draw.choice((*ports, *ports, *ports, *ports, draw.randrange(512)))
                    params = (
                        ("port", port),
                        ("src_mac", draw.getrandbits(48)),
                        ("dst_mac", draw.getrandbits(48)),
                    )
                yield Entry(table, (("dst_addr", match),), action, params)

    def _policy(self, port: int, first_id: int, *, forgets: bool) -> Iterator[Entry]:
        if not forgets and self.random.random() < 0.7:
            profile = self._profile()
            dscp = self.random.choice((None, profile.dscp)) if profile.mean_service_time_us is None else None
            yield from profile_entries(profile.replace(dscp=dscp), first_id, port).all
        else:
            yield from self._raw(port, first_id, forgets=forgets)

    def _profile(self) -> Profile:
        """Any scheme, with thresholds about the averages that are written."""
        while True:
            try:
                return parse_profile(self._settings())
            except ProfileError:
                pass  # too steep, or thresholds that are equal

    def _settings(self) -> dict[str, object]:
        draw = self.random
        scheme = draw.choice(sorted(SCHEMES))
        keys = SCHEMES[scheme].model_fields
        depth = functools.partial(lambda: draw.randrange(40 * 256) / 256)
        probability = functools.partial(lambda: draw.choice((0.0, 1.0, draw.random())))
        choices: dict[str, object] = {
            "weight": draw.choice((2.0**-12, 0.002, 1.0, 1 - draw.random())),
            "mean_service_time_us": draw.choice((None, float(SERVICE_TIME_MAX))),
            "queue_limit_packets": draw.choice((None, draw.randint(1, 40))),
            "report_period_ms": draw.choice(
                (None, 0.001, REPORT_PERIOD_MAX / 1000, REPORT_PERIOD_MAX / 1000)
            ),
            "spacing": draw.choice(("independent", "uniform", "wait")),
            "min_depth": draw.choice((0, 0, draw.randrange(40))),
            "mean_packet_bytes": draw.choice((None, draw.randint(1, 65535))),
            "above_max_th": draw.choice(("mark", "drop")),
            "not_ect": draw.choice(("pass", "drop")),
            "gentle_signal": draw.choice(("mark", "drop")),
            "threshold": depth(),
            "max_p": probability(),
        }
        if not scheme.startswith("red"):
            choices["mark_point"] = draw.choice(("front", "tail"))
        if draw.random() < 0.6:
            choices |= {"rtt_class_bounds_ms": [16_000.0], "rtt_class_max_p": [probability(), probability()]}
        ordered = sorted(depth() for _ in range(3))
        choices |= dict(zip(("min_th", "mid_th", "max_th"), ordered, strict=True))
        given = {key: value for key, value in choices.items() if key in keys and value is not None}
        return {"name": "random", "scheme": scheme, "dscp": draw.sample(range(64), 3), **given}

    def _raw(self, port: int, profile_id: int, *, forgets: bool) -> Iterator[Entry]:
        """What no controller writes: any bits."""
        draw = self.random
        bits = draw.getrandbits
        scheme = bits(8)
        timing = (
            (0, IDLE_DECAY_MAX) if forgets else draw.choice(((bits(32), 0), (SERVICE_TIME_MAX, bits(36))))
        )
        params = {
            "profile_id": profile_id,
            "scheme": scheme,
            "mark_point": bits(1),
            "spacing": bits(2),
            "min_depth": draw.choice((0, 0, bits(4), bits(16))),
            "ewma_weight": draw.choice((0, 1 << 32, bits(33), bits(32), bits(20))),
            "service_time": timing[0],
            "idle_decay": timing[1],
            "queue_limit": draw.choice((0, bits(4), bits(16))),
            "byte_scale": draw.choice((0, bits(33), bits(24))),
            "report_period": draw.choice((0, 1, REPORT_PERIOD_MAX)),
            "flow_classes": bits(1),
        }
        yield Entry(
            names.PORT_TABLE,
            (("egress_port", Exact(port)),),
            names.SET_PROFILE,
            tuple(params.items()),
            priority=draw.randint(1, 1 << 20),
        )
        for curve in names.CURVES:
            yield from self._raw_curve(curve, profile_id)
        for signal, ecn in itertools.product(range(4), range(4)):
            match = (("scheme", Exact(scheme)), ("signal", Exact(signal)), ("ecn", Exact(ecn)))
            verdict = draw.choice((names.MARK_CE, names.MARK_INCIPIENT, PASS))
            yield Entry(names.VERDICT_TABLE, match, verdict)
            yield Entry(names.ADMISSION_TABLE, match, draw.choice((names.EARLY_DROP, ADMIT, ADMIT)))
        rtts = (("profile_id", Exact(profile_id)), ("rtt", Range(0, 1_000_000)))
        of_flow = (("new_class", draw.randint(1, 3)),)
        yield Entry(names.RTT_CLASS_TABLE, rtts, names.SET_CLASS, of_flow, priority=1)
        for rtt_class in range(4):
            keys = (("profile_id", Exact(profile_id)), ("rtt_class", Exact(rtt_class)))
            curve_id = draw.choice((0, profile_id, profile_id + 1))
            yield Entry(names.CLASS_CURVE_TABLE, keys, names.SET_CURVE, (("curve", curve_id),))

    def _raw_curve(self, curve: str, profile_id: int) -> Iterator[Entry]:
        """Segments over all averages, some left out, some below others."""
        draw = self.random
        cuts = sorted({0, KEY_MAX + 1, *(draw.randrange(40 << 8) for _ in range(4))})
        for low, end in itertools.pairwise(cuts):
            if draw.random() < 0.2:
                continue
            is_ramp = draw.random() < 0.8
            action = f"{curve}.ramp" if is_ramp else f"{curve}.severe"
            match = (("profile_id", Exact(profile_id)), ("avg_qdepth", Range(low, end - 1)))
            params = self._ramp(low) if is_ramp else ()
            yield Entry(f"{curve}.aqm_curve", match, action, params, priority=draw.randint(1000, 2000))
        below = (("profile_id", Exact(profile_id + draw.randint(0, 1))),)
        yield Entry(
            f"{curve}.aqm_curve", below, f"{curve}.ramp", self._ramp(0), priority=draw.randint(1, 999)
        )

    def _ramp(self, low: int) -> tuple[tuple[str, int], ...]:
        draw = self.random
        probabilities = [
            draw.choice((0, 1 << 32, draw.getrandbits(32), draw.getrandbits(33))) for _ in range(2)
        ]
        slopes = [draw.choice((0, draw.getrandbits(28), draw.getrandbits(33))) for _ in range(2)]
        return (
            ("left", draw.choice((low << 8, draw.getrandbits(32)))),
            ("p_incipient_left", probabilities[0]),
            ("slope_incipient", slopes[0]),
            ("p_moderate_left", probabilities[1]),
            ("slope_moderate", slopes[1]),
        )


# ---- Rounds on a switch ----------------------------------------------------------------------------------


class Player:
    """Plays rounds on a switch, and keeps what it did."""

    def __init__(self, switch: Switch) -> None:
        self.switch = switch
        self.seen: dict[str, object] = {}
        self._now_ns = 10**9
        self._keys = {table.name: [key.name for key in table.keys] for table in switch.tables()}
        self._params = {action.name: [param.name for param in action.params] for action in switch.actions()}

    def insert(self, entry: Entry) -> None:
        """An entry of the controller's."""
        call = ActionCall(entry.action, [entry.param(name) for name in self._params[entry.action]])
        self.switch.update(TableUpdate.Insert(entry.table, self._match(entry), entry.priority, call))

    def delete(self, entry: Entry) -> None:
        """The same entry."""
        self.switch.update(TableUpdate.Delete(entry.table, self._match(entry), entry.priority))

    def _match(self, entry: Entry) -> list[MatchField]:
        return [match_field(entry.field(name)) for name in self._keys[entry.table]]

    def send(self, port: int, frame: bytes) -> list[tuple[int, bytes]]:
        """A packet in; what leaves, by port."""
        self._now_ns += PACKET_GAP_NS
        self.switch.receive(port, frame, self._now_ns)
        sent = []
        while (due := self.switch.next_departure()) is not None:
            self._now_ns = max(self._now_ns, due)
            departure = self.switch.depart(self._now_ns)
            assert departure is not None
            if departure.frame is not None:
                sent.append((departure.port, departure.frame))
        return sent

    def play(self, of: Round) -> None:
        """A round, and what is seen of it."""
        for entry in of.entries:
            self.insert(entry)
        for number, step in enumerate(of.steps):
            match step:
                case Write(register, index, value):
                    self.switch.register_write(register, index, value)
                case Send(port, frame):
                    left = [(at, data.hex()) for at, data in self.send(port, frame)]
                    self.seen[f"{of.name}, step {number}, port {port}, {frame.hex()}"] = left
                case Pause():
                    time.sleep(PAUSE_S)
        for register, index in _cells(of.ports):
            self.seen[f"{of.name}, {register}[{index}]"] = min(
                self.switch.register_read(register, index), LARGEST_READ
            )
        for counter, index in _counters(of.ports):
            self.seen[f"{of.name}, {counter}[{index}]"] = self.switch.counter_read(counter, index)
        for entry in of.entries:
            self.delete(entry)


def _cells(ports: Sequence[int]) -> Iterator[tuple[str, int]]:
    for port in ports:
        yield from ((register, port * 8) for register in QUEUE_REGISTERS)
        yield "MecnIngress.report.period_qdepth", port
        for index in range(port * 4, port * 4 + 4):
            yield "period_packets", index
            yield "MecnIngress.report.active_bits", index


def _counters(ports: Sequence[int]) -> Iterator[tuple[str, int]]:
    for port in ports:
        yield names.EARLY_DROP_STATS, port
        yield from ((names.MARKING_STATS, index) for index in range(port * 4, port * 4 + 4))


def played(rounds: Sequence[Round], switch: Switch) -> Way:
    """What is seen of rounds."""
    player = Player(switch)
    for each in rounds:
        player.play(each)
    return Way(state=player.seen)


def rounds_of(seed: int, numbers: range) -> list[Round]:
    """Those of a seed."""
    return [Rounds(seed, number).round() for number in numbers]


def differences(seed: int, numbers: range) -> dict[str, Way]:
    """What differs, by way."""
    reference = Reference("simple_switch_grpc", with_given_draws)
    test = functools.partial(played, rounds_of(seed, numbers))
    ways = compare(SOURCE, test, [SOURCE.parent], reference=reference)
    return {name: way for name, way in ways.items() if way.what}


def main() -> int:
    """Plays so many rounds."""
    parser = argparse.ArgumentParser(description="random tables and packets on both compilers and switches")
    parser.add_argument("rounds", type=int)
    parser.add_argument("seed", type=int, nargs="?", default=0)
    given = parser.parse_args()
    found = 0
    for first in range(0, given.rounds, ROUNDS_OF_A_PROCESS):
        numbers = range(first, min(first + ROUNDS_OF_A_PROCESS, given.rounds))
        for name, way in differences(given.seed, numbers).items():
            print(f"{name}: {way.what}: {way.text}", flush=True)
            found += 1
    print(f"{given.rounds} rounds of seed {given.seed}: {found or 'no'} differences")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
