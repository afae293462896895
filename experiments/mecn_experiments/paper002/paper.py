# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""The paper's figures and claims, declared."""

from __future__ import annotations

from ..declaration import Paper
from . import (
    fig3,
    fig4,
    fig5,
    fig6,
    fig7,
    fig8,
    fig9,
    fig10,
    fig11,
    fig12,
    fig13,
    fig14,
    fig15,
    fig16,
    fig17,
    fig18,
    fig19,
    fig20,
    fig21,
    fig22,
    variants,
)
from .claims import CLAIMS
from .parameters import Parameters
from .scenarios import check
from .schema import SCHEMA
from .simulate import simulate

PAPER = Paper(
    key="002",
    title="RED in a heterogeneous environment",
    citation=(
        "Y. Zhang, L. Qiu: Understanding the End-to-End Performance Impact of RED in a Heterogeneous"
        " Environment"
    ),
    parameters=Parameters,
    schema=SCHEMA,
    figures=tuple(
        module.FIGURE
        for module in (
            fig3,
            fig4,
            fig5,
            fig6,
            fig7,
            fig8,
            fig9,
            fig10,
            fig11,
            fig12,
            fig13,
            fig14,
            fig15,
            fig16,
            fig17,
            fig18,
            fig19,
            fig20,
            fig21,
            fig22,
            variants,
        )
    ),
    claims=CLAIMS,
    simulate=simulate,
    check=check,
)
