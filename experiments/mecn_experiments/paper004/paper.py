# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""The paper's figures and claims, declared."""

from __future__ import annotations

from ..declaration import Paper, in_order
from . import claims_fairness, claims_threshold
from .figures import FIGURES
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
    figures=FIGURES,
    claims=in_order(*claims_threshold.CLAIMS, *claims_fairness.CLAIMS),
    simulate=simulate,
    check=check,
)
