# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""The paper's figures and claims, declared."""

from __future__ import annotations

from ..declaration import Paper
from . import adaptive, best, fig2, fig3, fig4, fig5, fig6, fig7, fig8, fig9, fig10, fig11
from .claims import CLAIMS
from .parameters import Parameters
from .scenarios import check
from .schema import SCHEMA
from .simulate import simulate

PAPER = Paper(
    key="000",
    title="RED and ECN with heterogeneous TCP flows",
    citation=(
        "R. Kinicki, Z. Zheng: A Performance Study of Explicit Congestion Notification (ECN) with"
        " Heterogeneous"
        " TCP Flows"
    ),
    parameters=Parameters,
    schema=SCHEMA,
    figures=tuple(
        module.FIGURE
        for module in (fig2, fig3, fig4, fig5, fig6, fig7, fig8, fig9, fig10, fig11, best, adaptive)
    ),
    claims=CLAIMS,
    simulate=simulate,
    check=check,
)
