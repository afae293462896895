# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""The mapping to BF Runtime, against a client that holds entries and records requests. No SDE, no device.

What fits is said by the bfrt.json that p4c writes for p4src/mecn_tna.p4.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from mecn_controller import Ecn, Mecn, Threshold
from mecn_controller.errors import PipelineError, WriteError
from mecn_controller.policy.entries import Entry, Exact, Ternary
from mecn_controller.runtime.targets.bfrt import (
    BfrtEntry,
    BfrtError,
    BfrtTable,
    KeyField,
    TofinoSwitch,
    from_bfrt,
    read_tables,
    to_bfrt,
)
from mecn_controller.runtime.targets.tna import Tna
from mecn_controller.runtime.writer import Assignment

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mecn_controller.policy.profile import Profile
    from mecn_controller.runtime.targets.bfrt import Data, Operation

TARGETS = {1: "tofino", 2: "tofino2"}
LINK = {"link_rate": "10Gbps", "link_packet_bytes": 1000}
MECN = Mecn(name="m", min_th=10, mid_th=20, max_th=40, max_p=0.1, **LINK)  # type: ignore[arg-type]
ECN = Ecn(name="e", min_th=10, max_th=40, max_p=0.2, **LINK)  # type: ignore[arg-type]


class Recorder:
    """Holds entries as a device does, and refuses what does not fit the program."""

    name = "tofino"

    def __init__(self, tables: Mapping[str, BfrtTable]) -> None:
        self.tables = tables
        self.entries: dict[tuple[object, ...], BfrtEntry] = {}
        self.requests: list[tuple[Operation, BfrtEntry]] = []
        self.refuse_at = -1

    def _place(self, table: str, key: dict[str, KeyField]) -> tuple[object, ...]:
        assert key.keys() == self.tables[table].keys.keys(), f"{table} wants every key field"
        for name, field in key.items():
            wanted = self.tables[table].keys[name]
            parts = {"Exact": {"value"}, "Ternary": {"value", "mask"}, "Range": {"low", "high"}}[wanted.kind]
            assert field.keys() == parts
            assert all(0 <= value < 1 << wanted.width for value in field.values())
        return table, *(tuple(sorted(field.items())) for _, field in sorted(key.items()))

    def _check_data(self, entry: BfrtEntry) -> None:
        data = self.tables[entry.table].actions[entry.action]
        assert entry.data.keys() == data.keys(), f"{entry.action} wants every parameter"
        numbers = {name: value for name, value in entry.data.items() if isinstance(value, int)}
        assert all(0 <= value < 1 << data[name].width for name, value in numbers.items())

    def write(self, operation: Operation, entries: Sequence[BfrtEntry]) -> None:
        for index, entry in enumerate(entries):
            place = self._place(entry.table, entry.key)
            self._check_data(entry)
            if len(self.requests) == self.refuse_at:
                self.refuse_at = -1
                raise BfrtError(index, "no room")
            is_index = "$LPF_INDEX" in entry.key
            if (place in self.entries or is_index) == (operation == "add"):
                raise BfrtError(index, "Already exists" if operation == "add" else "Object not found")
            self.requests.append((operation, entry))
            if operation == "del":
                del self.entries[place]
            else:
                self.entries[place] = entry

    def read(self, table: str, keys: Sequence[dict[str, KeyField]] | None = None) -> list[BfrtEntry]:
        if keys is None:
            return [entry for entry in self.entries.values() if entry.table == table]
        start: Data = {
            "$LPF_SPEC_TYPE": "SAMPLE",
            "$LPF_SPEC_GAIN_TIME_CONSTANT_NS": 0.0,
            "$LPF_SPEC_DECAY_TIME_CONSTANT_NS": 0.0,
            "$LPF_SPEC_OUT_SCALE_DOWN_FACTOR": 0,
        }
        fresh = [BfrtEntry(table, key, "", {**start}) for key in keys]
        return [self.entries.get(self._place(table, e.key), e) for e in fresh]


Switches = Callable[[int], tuple[Recorder, TofinoSwitch]]


@pytest.fixture(scope="session")
def programs(compiled: dict[str, Any]) -> dict[int, dict[str, BfrtTable]]:
    """The program's tables on both generations, as the compiler describes them."""
    return {
        generation: read_tables((compiled[target].folder / "bfrt.json").read_text())
        for generation, target in TARGETS.items()
    }


@pytest.fixture
def switch(programs: dict[int, dict[str, BfrtTable]]) -> Switches:
    """A recorder that stands for a device, and the target on it."""

    def new(generation: int) -> tuple[Recorder, TofinoSwitch]:
        recorder = Recorder(programs[generation])
        return recorder, TofinoSwitch(recorder, programs[generation], Tna(generation))

    return new


def apply(target: TofinoSwitch, *assignments: Assignment) -> None:
    asyncio.run(target.apply_profiles(assignments, drain_s=0))


def test_the_recorded_requests_of_a_profile(switch: Switches) -> None:
    recorder, target = switch(1)
    apply(target, Assignment(ECN.replace(min_depth=2, spacing="wait"), 3, (46,)))
    tables = [entry.table for _, entry in recorder.requests]
    assert {operation for operation, e in recorder.requests if "$LPF_INDEX" not in e.key} == {"add"}
    assert tables[-1] == "pipe.MecnIngress.policy.aqm_port"
    port = recorder.requests[-1][1]
    assert port.key == {
        "egress_port": {"value": 3},
        "dscp": {"value": 46, "mask": 63},
        "$MATCH_PRIORITY": {"value": (1 << 20) - 2},
    }
    assert port.action == "MecnIngress.policy.set_profile"
    # 1000 bytes are 13 cells of 80.
    assert (port.data["profile_id"], port.data["min_depth"], port.data["spacing"]) == (1, 26, 2)
    steps = [e for _, e in recorder.requests if e.table == "pipe.MecnEgress.marking.curve.aqm_curve"]
    assert steps[0].key["avg_qdepth"]["low"] == 10 * 13 * 8
    assert steps[-1].key["avg_qdepth"] == {"low": 40 * 13 * 8, "high": (1 << 20) - 1}
    assert [e.action.rsplit(".", 1)[1] for e in steps] == ["step"] * (len(steps) - 1) + ["severe"]
    filters = [(operation, e) for operation, e in recorder.requests if "$LPF_INDEX" in e.key]
    assert {operation for operation, _ in filters} == {"mod"}
    assert sorted(e.key["$LPF_INDEX"]["value"] for _, e in filters) == sorted([*range(24, 32)] * 2)
    constant = filters[0][1].data["$LPF_SPEC_GAIN_TIME_CONSTANT_NS"]
    assert constant == filters[0][1].data["$LPF_SPEC_DECAY_TIME_CONSTANT_NS"]
    assert constant == pytest.approx(-800 / math.log1p(-0.002), abs=1)
    assert filters[0][1].data["$LPF_SPEC_TYPE"] == "SAMPLE"


@pytest.mark.parametrize("generation", [1, 2])
@pytest.mark.parametrize(
    "profile", [MECN, ECN, Threshold(name="t", threshold=20, link_packet_bytes=1000)], ids=lambda p: p.scheme
)
def test_every_entry_comes_back_as_it_was(
    profile: Profile, generation: int, programs: dict[int, dict[str, BfrtTable]], switch: Switches
) -> None:
    _, target = switch(generation)
    for entry in (lambda e: (*e.all, *e.queues))(Tna(generation).entries(profile, 7, 3, None)):
        assert isinstance(entry, Entry)
        target.check_entry(entry)
        again = from_bfrt(to_bfrt(entry, programs[generation]["pipe." + entry.table]))
        assert again.key == entry.key
        assert (again.action, sorted(again.params)) == (entry.action, sorted(entry.params))


def test_applying_is_the_same_as_on_other_targets(switch: Switches) -> None:
    recorder, target = switch(1)
    apply(target, Assignment(MECN, 1), Assignment(MECN, 2), Assignment(ECN, 2, (46,)))
    first = dict(recorder.entries)
    recorder.requests.clear()
    apply(target, Assignment(MECN, 1), Assignment(MECN, 2), Assignment(ECN, 2, (46,)))
    assert {operation for operation, _ in recorder.requests} <= {"mod"}
    assert recorder.entries == first
    apply(target, Assignment(ECN, 1), Assignment(ECN, 2))
    profiles = {e.key["profile_id"]["value"] for e in recorder.entries.values() if "profile_id" in e.key}
    assert profiles == {2}


def test_a_refused_write_leaves_everything_as_it_was(switch: Switches) -> None:
    recorder, target = switch(1)
    apply(target, Assignment(ECN, 1))
    before = {k: e for k, e in recorder.entries.items() if "$LPF_INDEX" not in e.key}
    filters = {k: e.data for k, e in recorder.entries.items() if "$LPF_INDEX" in e.key}
    refused = 0
    for n in range(60):
        recorder.requests.clear()
        recorder.refuse_at = n
        try:
            apply(target, Assignment(MECN.replace(weight=0.1), 1))
        except WriteError as error:
            refused += "no room" in str(error)
            assert {k: e for k, e in recorder.entries.items() if "$LPF_INDEX" not in e.key} == before
            assert {k: e.data for k, e in recorder.entries.items() if "$LPF_INDEX" in e.key} == filters
        else:
            break
    assert refused > 20


@pytest.mark.parametrize(
    ("profile", "why"),
    [
        (Ecn(name="e", min_th=1, max_th=4, max_p=0.1), "link_packet_bytes is needed"),
        (ECN.replace(mean_packet_bytes=500), "byte mode"),
        (ECN.replace(report_period_ms=5), "no reports"),
        (ECN.replace(mean_service_time_us=800, idle_step_us=400), "idle_step_us"),
        (ECN.replace(rtt_class_max_p=[0.1]), "no classes"),
        (ECN.replace(link_rate=None), "mean_service_time_us is needed"),
    ],
)
def test_what_tofino_cannot_do_is_refused_before_anything_is_written(
    profile: Profile, why: str, switch: Switches
) -> None:
    recorder, target = switch(1)
    with pytest.raises(PipelineError, match=why):
        apply(target, Assignment(profile, 1))
    assert recorder.requests == []


@pytest.mark.parametrize(
    "change",
    [
        {"table": "MecnIngress.policy.other"},
        {"action": "MecnIngress.policy.other"},
        {"params": ()},
        {"match": (("egress_port", Exact(1)), ("other", Exact(1)))},
        {"match": (("egress_port", Exact(512)),)},
        {"match": (("egress_port", Ternary(1, 1)),)},
    ],
    ids=["table", "action", "parameters", "key field", "width", "kind of match"],
)
def test_an_entry_that_the_program_does_not_have_is_refused(change: dict[str, Any], switch: Switches) -> None:
    _, target = switch(1)
    (entry,) = Tna(1).entries(ECN, 7, 1, (46,)).ports
    target.check_entry(entry)
    with pytest.raises(PipelineError, match="does not have"):
        target.check_entry(replace(entry, **change))
