# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""The figures and claims, declared."""

from __future__ import annotations

from ..declaration import Paper
from .claims import CLAIMS
from .claims_mixed import CLAIMS as MIXED_CLAIMS
from .figures import FIGURES
from .parameters import Parameters
from .scenarios import check
from .schema import SCHEMA
from .simulate import simulate

PAPER = Paper(
    key="beyond",
    title="Beyond the papers: multi-level ECN in their scenarios",
    citation="Questions of our own, in the scenarios of papers 000, 001, 002 and 004",
    parameters=Parameters,
    schema=SCHEMA,
    figures=FIGURES,
    claims=(*CLAIMS, *MIXED_CLAIMS),
    simulate=simulate,
    check=check,
)
