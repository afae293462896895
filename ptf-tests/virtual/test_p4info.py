# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""The P4Info that is checked in is the compiled one: its diff shows what control planes will notice."""

from __future__ import annotations

from finsy.proto import p4i
from google.protobuf import text_format
from mecn_native import CompiledProgram

from target import PROGRAM

CHECKED_IN = PROGRAM.with_suffix(".p4info.txtpb")


def test_checked_in_p4info_is_up_to_date(program: CompiledProgram) -> None:
    update = f".venv/bin/mecn-p4c p4src/{PROGRAM.name} -o /dev/null --p4runtime-files p4src/{CHECKED_IN.name}"
    assert CHECKED_IN.read_text() == program.p4info, f"write it anew with `{update}`"


def test_ids_and_names_are_unique(program: CompiledProgram) -> None:
    info = text_format.Parse(program.p4info, p4i.P4Info())
    for kind in (info.tables, info.actions, info.counters, info.registers):
        for attribute in ("id", "name", "alias"):
            values = [getattr(entity.preamble, attribute) for entity in kind]
            assert len(set(values)) == len(values) > 0, attribute
