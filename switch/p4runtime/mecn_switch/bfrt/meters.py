# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""The data fields of meters: rates in kbit/s and sizes in kbit, or both in packets."""

from collections.abc import Mapping

from mecn_native import MeterConfig

from ..status import invalid_argument
from .info import Field
from .values import Data

BYTES_PER_KBIT = 125
UNLIMITED = (1 << 64) - 1
"""A rate that colours nothing but green."""
_ENGINE_MAX = (1 << 63) - 1


class MeterFields:
    """Those of a table; none if it has no meter."""

    def __init__(self, fields: Mapping[int, Field]) -> None:
        found = {f.name.removeprefix("$METER_SPEC_"): f for f in fields.values() if "$METER_SPEC_" in f.name}
        self._ids = {name.partition("_")[0]: f.id for name, f in found.items()}
        self._factor = BYTES_PER_KBIT if "CIR_KBPS" in found else 1
        self.defaults: Data = {f.id: UNLIMITED for f in found.values()}

    def only(self, data: Data) -> Data:
        """The meter's part of an entry's data."""
        return {k: v for k, v in data.items() if k in self.defaults}

    def to_data(self, written: Data) -> Data:
        """All fields: as written, or the defaults."""
        return {**self.defaults, **written}

    def config(self, what: str, data: Data) -> MeterConfig | None:
        """For the engine; None: everything is green. INVALID_ARGUMENT if the peak is below the committed
        rate."""
        cir, pir, cbs, pbs = (data[self._ids[name]] for name in ("CIR", "PIR", "CBS", "PBS"))
        if pir < cir:
            raise invalid_argument(f"{what}: the peak rate {pir} is less than the committed rate {cir}")
        if cir == UNLIMITED:
            return None
        return MeterConfig(*(min(v * self._factor, _ENGINE_MAX) for v in (cir, cbs, pir, pbs)))
