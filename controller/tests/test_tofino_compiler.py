# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""p4src/mecn_tna.p4 through p4c's back end for Tofino and its assembler."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from mecn_controller.runtime.targets.bfrt import read_tables
from mecn_controller.runtime.targets.tofino import STEP_TABLE_SIZE

if TYPE_CHECKING:
    from types import ModuleType

STAGES = {"tofino": 12, "tofino2": 20}


@pytest.mark.parametrize("target", STAGES)
def test_it_compiles_without_a_warning(target: str, tofino: ModuleType, compiled: dict[str, Any]) -> None:
    found = compiled[target]
    assert found.status == 0, found.said
    assert tofino.warnings(found.said, found.folder) == []
    assert (found.folder / "pipe" / f"{target}.bin").stat().st_size > 0


@pytest.mark.parametrize(("target", "stages"), STAGES.items())
def test_it_fits_into_the_stages(
    target: str, stages: int, tofino: ModuleType, compiled: dict[str, Any]
) -> None:
    figures = tofino.figures(compiled[target].folder)
    for direction in ("ingress", "egress"):
        used, _, of = figures[f"stages in {direction}"].partition(" of ")
        assert int(of) == stages
        assert 0 < int(used) <= stages


def test_the_document_says_what_the_compiler_says(tofino: ModuleType, compiled: dict[str, Any]) -> None:
    table = tofino.table({target: found.folder for target, found in compiled.items()})
    written = tofino.DOCUMENT.read_text().partition("<!-- resources: begin -->")[2]
    assert written.partition("<!-- resources: end -->")[0].strip() == table, "run make tofino ARGS=--write"


def test_a_warning_about_a_source_file_counts(tofino: ModuleType, compiled: dict[str, Any]) -> None:
    folder = compiled["tofino"].folder
    ours = "p4src/tna/types.p4(7): [--Wwarn=unused] warning: 'x' is unused"
    assert tofino.warnings(f"{folder}/a.bfa:1: warning: duplicate\n{ours}", folder) == [ours]


@pytest.mark.parametrize(("generation", "target"), [(1, "tofino"), (2, "tofino2")])
def test_the_controller_knows_how_many_steps_there_are(
    generation: int, target: str, compiled: dict[str, Any]
) -> None:
    tables = read_tables((compiled[target].folder / "bfrt.json").read_text())
    for curve in ("MecnIngress.admission.curve", "MecnEgress.marking.curve"):
        assert tables[f"pipe.{curve}.aqm_curve"].size == STEP_TABLE_SIZE[generation]
