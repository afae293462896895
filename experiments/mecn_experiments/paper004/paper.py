# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""The paper's figures and claims, declared."""

from __future__ import annotations

from ..declaration import Paper
from . import claims_fairness, claims_threshold, fig3, fig4, fig5, fig6, fig7, fig8, fig9, fig10, theorems
from .parameters import Parameters
from .scenarios import check
from .schema import SCHEMA
from .simulate import simulate

PAPER = Paper(
    key="004",
    title="Mark-front against mark-tail",
    citation="C. Liu, R. Jain: Improving Explicit Congestion Notification with the Mark-Front Strategy",
    parameters=Parameters,
    schema=SCHEMA,
    figures=(
        *(module.FIGURE for module in (fig3, fig4, fig5, fig6, fig7, fig8, fig9, fig10)),
        theorems.WINDOW,
        theorems.STEADY,
        theorems.LOSSLESS,
        theorems.LONG,
    ),
    claims=tuple(
        sorted(
            (*claims_threshold.CLAIMS, *claims_fairness.CLAIMS), key=lambda claim: int(claim.id.split("-")[1])
        )
    ),
    simulate=simulate,
    check=check,
)
