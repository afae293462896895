# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""What can be varied."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from ..declaration import Chosen
from ..declaration import Parameters as BaseParameters
from ..fields import Probability


class Parameters(BaseParameters):
    """Everything that is not the papers' own; their defaults hold for the rest."""

    red_min_th: Annotated[int, Chosen("a little above paper 004's rd; max_th is twice that, as there")] = (
        Field(default=15, ge=1, le=1000, description="min_th in paper 004's scenarios, packets")
    )
    max_p: Annotated[Probability, Chosen("paper 000's higher value, with which its ECN does best")] = Field(
        default=0.5, description="max_p in paper 000's scenarios; 0.1 in the others"
    )
    delay_margin_s: Annotated[float, Chosen("a tenth of a second: about one round trip")] = Field(
        default=0.1, gt=0, le=10, description="delay margin that tuned MECN is to keep, seconds"
    )
