# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""All claims, in the order of their numbers."""

from __future__ import annotations

from . import claims_directions, claims_ecn, claims_mixes, claims_round_trips

CLAIMS = tuple(
    sorted(
        (
            *claims_mixes.CLAIMS,
            *claims_ecn.CLAIMS,
            *claims_round_trips.CLAIMS,
            *claims_directions.CLAIMS,
        ),
        key=lambda claim: int(claim.id.partition("-")[2]),
    )
)
