# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""The mapping to BF Runtime, against a client that holds entries and records requests. No SDE, no device.

TABLES was written by hand from the definitions in p4src/mecn_tna.p4 and BF Runtime's data model.
"""

from __future__ import annotations

import asyncio
import math
from typing import TYPE_CHECKING

import pytest
from mecn_controller import Ecn, Mecn, Threshold, names
from mecn_controller.applying import Assignment
from mecn_controller.entries import Entry
from mecn_controller.errors import PipelineError, WriteError
from mecn_controller.targets.bfrt import BfrtEntry, BfrtError, KeyField, TofinoSwitch, from_bfrt, to_bfrt
from mecn_controller.targets.tna import LPF_TABLES, Tna

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mecn_controller.profile import Profile
    from mecn_controller.targets.bfrt import Data, Operation

CURVE = {"profile_id": "Exact", "avg_qdepth": "Range", "$MATCH_PRIORITY": "Exact"}
ROW = {"scheme": "Exact", "signal": "Exact", "ecn": "Exact"}
FILTER = {"$LPF_INDEX": "Exact"}
TABLES = {
    "pipe." + name: fields
    for name, fields in {
        names.PORT_TABLE: {"egress_port": "Exact", "dscp": "Ternary", "$MATCH_PRIORITY": "Exact"},
        names.ADMISSION_CURVE_TABLE: CURVE,
        names.MARKING_CURVE_TABLE: CURVE,
        names.ADMISSION_TABLE: ROW,
        names.VERDICT_TABLE: ROW,
        **dict.fromkeys(LPF_TABLES, FILTER),
    }.items()
}
WIDTHS = {"profile_id": 16, "avg_qdepth": 20, "egress_port": 9, "dscp": 6, "scheme": 8, "signal": 2, "ecn": 2}
LINK = {"link_rate": "10Gbps", "link_packet_bytes": 1000}
MECN = Mecn(name="m", min_th=10, mid_th=20, max_th=40, max_p=0.1, **LINK)  # type: ignore[arg-type]
ECN = Ecn(name="e", min_th=10, max_th=40, max_p=0.2, **LINK)  # type: ignore[arg-type]


class Recorder:
    """Holds entries as a device does, and refuses what does not fit the description."""

    name = "tofino"

    def __init__(self) -> None:
        self.entries: dict[tuple[object, ...], BfrtEntry] = {}
        self.requests: list[tuple[Operation, BfrtEntry]] = []
        self.refuse_at = -1

    def _place(self, table: str, key: dict[str, KeyField]) -> tuple[object, ...]:
        assert key.keys() == TABLES[table].keys(), f"{table} wants every key field"
        for name, field in key.items():
            kind = TABLES[table][name]
            wanted = {"Exact": {"value"}, "Ternary": {"value", "mask"}, "Range": {"low", "high"}}[kind]
            assert field.keys() == wanted
            assert all(0 <= value < 1 << WIDTHS.get(name, 32) for value in field.values())
        return table, *(tuple(sorted(field.items())) for _, field in sorted(key.items()))

    def write(self, operation: Operation, entries: Sequence[BfrtEntry]) -> None:
        for index, entry in enumerate(entries):
            place = self._place(entry.table, entry.key)
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


def switch(generation: int = 1) -> tuple[Recorder, TofinoSwitch]:
    recorder = Recorder()
    return recorder, TofinoSwitch(recorder, TABLES, Tna(generation))


def apply(target: TofinoSwitch, *assignments: Assignment) -> None:
    asyncio.run(target.apply_profiles(assignments, drain_s=0))


def test_the_recorded_requests_of_a_profile() -> None:
    recorder, target = switch()
    apply(target, Assignment(ECN.replace(min_depth=2), 3, (46,)))
    tables = [entry.table for _, entry in recorder.requests]
    assert {operation for operation, e in recorder.requests if "$LPF_INDEX" not in e.key} == {"add"}
    assert tables[-1] == "pipe.MecnIngress.policy.aqm_port"
    port = recorder.requests[-1][1]
    assert port.key == {
        "egress_port": {"value": 3},
        "dscp": {"value": 46, "mask": 63},
        "$MATCH_PRIORITY": {"value": (1 << 20) - 2},
    }
    assert port.action == "pipe.MecnIngress.policy.set_profile"
    # 1000 bytes are 13 cells of 80.
    assert (port.data["profile_id"], port.data["min_depth"]) == (1, 26)
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
def test_every_entry_comes_back_as_it_was(profile: Profile, generation: int) -> None:
    for entry in (lambda e: (*e.all, *e.queues))(Tna(generation).entries(profile, 7, 3, None)):
        assert isinstance(entry, Entry)
        again = from_bfrt(to_bfrt(entry, TABLES["pipe." + entry.table]))
        assert again.key == entry.key
        assert (again.action, sorted(again.params)) == (entry.action, sorted(entry.params))


def test_applying_is_the_same_as_on_other_targets() -> None:
    recorder, target = switch()
    apply(target, Assignment(MECN, 1), Assignment(MECN, 2), Assignment(ECN, 2, (46,)))
    first = dict(recorder.entries)
    recorder.requests.clear()
    apply(target, Assignment(MECN, 1), Assignment(MECN, 2), Assignment(ECN, 2, (46,)))
    assert {operation for operation, _ in recorder.requests} <= {"mod"}
    assert recorder.entries == first
    apply(target, Assignment(ECN, 1), Assignment(ECN, 2))
    profiles = {e.key["profile_id"]["value"] for e in recorder.entries.values() if "profile_id" in e.key}
    assert profiles == {2}


def test_a_refused_write_leaves_everything_as_it_was() -> None:
    recorder, target = switch()
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
        (ECN.replace(spacing="uniform"), "spacing"),
        (ECN.replace(mean_packet_bytes=500), "byte mode"),
        (ECN.replace(report_period_ms=5), "no reports"),
        (ECN.replace(rtt_class_max_p=[0.1]), "no classes"),
        (ECN.replace(link_rate=None), "mean_service_time_us is needed"),
    ],
)
def test_what_tofino_cannot_do_is_refused_before_anything_is_written(profile: Profile, why: str) -> None:
    recorder, target = switch()
    with pytest.raises(PipelineError, match=why):
        apply(target, Assignment(profile, 1))
    assert recorder.requests == []
