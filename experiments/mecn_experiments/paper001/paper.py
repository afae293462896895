# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""The paper's figures and claims, declared."""

from __future__ import annotations

from ..declaration import Paper
from .claims import CLAIMS
from .figures import FIGURES
from .parameters import Parameters
from .scenarios import check
from .schema import SCHEMA
from .simulate import simulate

PAPER = Paper(
    key="001",
    title="RED, ECN and drop-tail on one slow link",
    citation="Y. Puzis, V. Tarasov: Effectiveness of ECN and RED Based Congestion Detection",
    parameters=Parameters,
    schema=SCHEMA,
    figures=FIGURES,
    claims=CLAIMS,
    simulate=simulate,
    check=check,
)
