# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""The paper's figures, tables and claims, declared."""

from __future__ import annotations

from ..declaration import Paper
from . import (
    claims,
    claims_theory,
    deviation,
    empty,
    fig4,
    fig6,
    fig7,
    fig8,
    fig9,
    fig10,
    fig11,
    fig12,
    fig13,
    fig14,
    jitter,
    table1,
    table2,
)
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
    figures=tuple(
        module.FIGURE
        for module in (
            fig4,
            fig6,
            fig7,
            fig8,
            empty,
            fig9,
            fig10,
            deviation,
            jitter,
            fig11,
            fig12,
            fig13,
            fig14,
            table1,
            table2,
        )
    ),
    claims=tuple(
        sorted((*claims.CLAIMS, *claims_theory.CLAIMS), key=lambda claim: int(claim.id.split("-")[1]))
    ),
    simulate=simulate,
    check=check,
    tables=tables,
)
