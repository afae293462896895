# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""The paper's figures and claims, declared."""

from __future__ import annotations

from ..declaration import Paper
from . import (
    burst,
    fig_a,
    fig_b,
    fig_c,
    fig_d,
    fig_e,
    fig_f,
    fig_g,
    fig_h,
    fig_i,
    fig_j,
    fig_k,
    fig_l,
    senders,
)
from .claims import CLAIMS
from .parameters import Parameters
from .scenarios import check
from .schema import SCHEMA
from .simulate import simulate

_LETTERS = (fig_a, fig_b, fig_c, fig_d, fig_e, fig_f, fig_g, fig_h, fig_i, fig_j, fig_k, fig_l)

PAPER = Paper(
    key="001",
    title="RED, ECN and drop-tail on one slow link",
    citation="Y. Puzis, V. Tarasov: Effectiveness of ECN and RED Based Congestion Detection",
    parameters=Parameters,
    schema=SCHEMA,
    figures=(*(module.FIGURE for module in _LETTERS), senders.FIGURE, burst.FIGURE),
    claims=CLAIMS,
    simulate=simulate,
    check=check,
)
