# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""The paper's figures, tables and claims, declared."""

from __future__ import annotations

from ..declaration import Paper, in_order
from . import claims, claims_theory
from .figures import FIGURES
from .parameters import Parameters
from .scenarios import check
from .schema import SCHEMA
from .simulate import simulate
from .tables import tables

PAPER = Paper(
    key="003",
    title="ECN against multi-level ECN",
    citation=(
        "P.-F. Quet, M. Sridharan, S. Chellappan, H. Özbay, A. Durresi, R. Jain: Guidelines for optimizing"
        " Multi-Level ECN, using fluid flow based TCP model"
    ),
    parameters=Parameters,
    schema=SCHEMA,
    figures=FIGURES,
    claims=in_order(*claims.CLAIMS, *claims_theory.CLAIMS),
    simulate=simulate,
    check=check,
    tables=tables,
)
