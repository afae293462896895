# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""PTF's data plane in virtual time: what sending and polling mean."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from mecn_controller.runtime.session import apply_sync
from mecn_native import CompiledProgram
from mecn_switch import P4RuntimeServer
from ptf import ptfutils

from mecn_ptf.frames import IN_PORT, OTHER_PORT, PORTS, ROUTES, SLOW_PORT, frame, ident_of
from mecn_ptf.virtual_dataplane import VirtualDataPlane, VirtualPort
from mecn_ptf.virtual_time import NS, Queue, VirtualSwitch

QLEN = 20


class Plane:
    """A switch with routes, and PTF's data plane on it."""

    def __init__(self, program: CompiledProgram) -> None:
        self.program = program
        self.switch = VirtualSwitch()
        self.server = P4RuntimeServer(address="127.0.0.1:0", dataplane=self.switch).start()
        VirtualDataPlane.switch = self.switch
        VirtualDataPlane.on_kill = staticmethod(self.server.stop)
        ports = {"portclass": lambda _name, _device, number, _config: VirtualPort(self.switch, number)}
        self.dataplane = VirtualDataPlane({"platform": "mecn_embedded", "dataplane": ports, "qlen": QLEN})
        for port in PORTS:
            self.dataplane.port_add(f"virtual{port}", 0, port)
        self.load()

    def load(self) -> None:
        """The program, anew, and routes."""
        self.server.load(self.program.p4info, self.program.bmv2_json.encode())
        apply_sync([], address=self.server.address, routes=ROUTES)

    def send(self, *frames: bytes) -> None:
        for data in frames:
            assert self.dataplane.send(0, IN_PORT, data) == len(data)

    def poll(self, timeout: float = 1.0, port: int | None = None, expected: bytes | None = None) -> object:
        return self.dataplane.poll(0, port, timeout, expected)

    @property
    def now_s(self) -> float:
        return self.switch.now_ns() / NS


@pytest.fixture
def plane(program: CompiledProgram, monkeypatch: pytest.MonkeyPatch) -> Iterator[Plane]:
    monkeypatch.setattr(ptfutils, "default_timeout", 2.0)
    made = Plane(program)
    yield made
    made.dataplane.kill()


def test_poll_without_packets_takes_exactly_its_timeout(plane: Plane) -> None:
    assert isinstance(plane.poll(0.25), VirtualDataPlane.PollFailure)
    assert plane.now_s == 0.25
    assert isinstance(plane.dataplane.poll(), VirtualDataPlane.PollFailure)
    assert plane.now_s == 0.25 + 2.0


def test_sending_takes_no_time_and_service_does(plane: Plane) -> None:
    plane.switch.configure(SLOW_PORT, Queue(100))
    plane.send(*(frame(ident=number) for number in range(3)))
    assert plane.now_s == 0
    for number in range(3):
        result = plane.poll()
        assert isinstance(result, VirtualDataPlane.PollSuccess)
        assert (result.port, ident_of(result.packet)) == (SLOW_PORT, number)
        assert result.time == plane.now_s == pytest.approx(0.01 * (number + 1))


def test_poll_stops_at_its_timeout_while_packets_wait(plane: Plane) -> None:
    plane.switch.configure(SLOW_PORT, Queue(1))
    plane.send(frame())
    assert isinstance(plane.poll(0.999), VirtualDataPlane.PollFailure)
    assert isinstance(plane.poll(0.001), VirtualDataPlane.PollSuccess)


def test_packets_of_several_ports_come_in_order_of_time(plane: Plane) -> None:
    plane.switch.configure(SLOW_PORT, Queue(10))
    plane.switch.configure(OTHER_PORT, Queue(100))
    plane.send(frame(port=SLOW_PORT, ident=1), frame(port=OTHER_PORT, ident=2))
    results = [plane.poll(), plane.poll()]
    idents = [ident_of(r.packet) for r in results if isinstance(r, VirtualDataPlane.PollSuccess)]
    assert idents == [2, 1]


def test_settle_lets_only_leave_what_is_due(plane: Plane) -> None:
    plane.switch.configure(SLOW_PORT, Queue(10, limit=1))
    plane.send(frame(ident=1))
    plane.switch.settle()
    # The first is in service, the second fits into the queue, the third does not.
    plane.send(frame(ident=2), frame(ident=3))
    assert plane.now_s == 0
    left = []
    while isinstance(result := plane.poll(), VirtualDataPlane.PollSuccess):
        left.append(ident_of(result.packet))
    assert left == [1, 2]


def test_expected_packet_is_found_and_others_are_told(plane: Plane) -> None:
    plane.send(frame(ident=1), frame(ident=2), frame(ident=3))
    missing = plane.poll(port=SLOW_PORT, expected=frame(ident=9))
    assert isinstance(missing, VirtualDataPlane.PollFailure)
    assert missing.packet_count == 3
    assert [ident_of(data) for data in missing.recent_packets] == [1, 2, 3]
    plane.send(frame(ident=4))
    (left,) = (r for r in [plane.poll()] if isinstance(r, VirtualDataPlane.PollSuccess))
    plane.send(frame(ident=5), frame(ident=4))
    assert isinstance(plane.poll(port=SLOW_PORT, expected=left.packet), VirtualDataPlane.PollSuccess)


def test_too_many_frames_are_an_error_and_none_is_lost_silently(plane: Plane) -> None:
    plane.send(*[frame()] * (QLEN + 1))
    with pytest.raises(RuntimeError, match="raise ptf's --qlen"):
        plane.poll(port=OTHER_PORT)


def test_queued_packets_leave_after_another_pipeline_has_taken_over(plane: Plane) -> None:
    plane.switch.configure(SLOW_PORT, Queue(10))
    plane.send(*(frame(ident=number) for number in range(3)))
    plane.load()
    plane.send(frame(ident=3))
    left = []
    while isinstance(result := plane.poll(), VirtualDataPlane.PollSuccess):
        left.append(ident_of(result.packet))
    assert sorted(left) == [0, 1, 2, 3]


def test_without_a_pipeline_sending_is_an_error() -> None:
    with pytest.raises(RuntimeError, match="no forwarding pipeline"):
        VirtualSwitch().receive(1, frame())
