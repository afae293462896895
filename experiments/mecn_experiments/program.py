# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""The data plane: where its source is, and what it compiles to."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

import mecn_native

from .errors import ExperimentError
from .files import staged, writable_directory

CHECKOUT = Path(__file__).resolve().parents[2]
_INSTALLED = Path(__file__).resolve().parent / "p4src"
"""In a wheel the program lies beside the modules."""
P4_PROGRAM = (_INSTALLED if _INSTALLED.is_dir() else CHECKOUT / "p4src") / "mecn_v1model.p4"
BUILD = CHECKOUT / "build"


@dataclass(frozen=True)
class Program:
    """A compiled data plane."""

    bmv2_json: str
    p4info: str

    @property
    def digests(self) -> dict[str, str]:
        """SHA-256 of both parts, which say exactly which program a result comes from."""
        return {
            "bmv2_json_sha256": hashlib.sha256(self.bmv2_json.encode()).hexdigest(),
            "p4info_sha256": hashlib.sha256(self.p4info.encode()).hexdigest(),
        }


def compile_program(source: Path) -> Program:
    """Compiles a P4 program; of a checkout's own, BMv2 JSON and P4Info are left in the build folder."""
    if not source.is_file():
        raise ExperimentError(f"{source}: the P4 program is missing")
    try:
        compiled = mecn_native.compile_p4(str(source))
    except mecn_native.P4Error as error:
        raise ExperimentError(f"{source}: does not compile:\n{error}") from None
    program = Program(compiled.bmv2_json, compiled.p4info)
    if source.resolve() != P4_PROGRAM or _INSTALLED.is_dir():
        return program
    with staged(writable_directory(BUILD)) as staging:
        (staging / f"{source.stem}.json").write_text(program.bmv2_json, encoding="utf-8")
        (staging / f"{source.stem}.p4info.txtpb").write_text(program.p4info, encoding="utf-8")
    return program
