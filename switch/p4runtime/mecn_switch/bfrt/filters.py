# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""Low-pass filters (Lpf) and random early detection (Wred) of programs for Tofino."""

from typing import Any, ClassVar

from mecn_native import FilterConfig

from ..status import invalid_argument
from .arrays import Array
from .info import Table
from .model import Context, Entry
from .values import Data

NEVER = (1 << 32) - 1
"""A threshold that no average reaches."""


class Filter(Array):
    """An array of filters. A new entry says everything; a write begins the average at 0."""

    FIELDS: ClassVar[tuple[str, ...]]
    """Names of the data fields, in the order of `values` and `config`."""

    def __init__(self, table: Table, context: Context) -> None:
        super().__init__(table, context)
        found = [(f.name, f.size, f.wred) for f in context.switch.filters()]
        if (self.name, table.size, table.type == "Wred") not in found:
            raise invalid_argument(f"{self.what}: the program has no {table.type} of {table.size} cells")
        self._fields: list[int] = []
        for name in self.FIELDS:
            field_id = table.data_id(name)
            if field_id is None:
                raise invalid_argument(f"{self.what}: it has no data field {name}")
            self._fields.append(field_id)

    def values(self, config: FilterConfig | None) -> tuple[Any, ...]:
        """The data of a configuration. Without one: those of a filter that changes nothing."""
        raise NotImplementedError

    def config(self, *values: Any) -> FilterConfig:  # noqa: ANN401
        """The inverse of `values`."""
        raise NotImplementedError

    def add(self, entry: Entry) -> None:
        """See `Model.add`."""
        self.require(entry)
        self.modify(entry)

    def read(self, index: int) -> Data:
        """See `Array.read`."""
        values = self.values(self.switch.filter_read(self.name, index))
        return dict(zip(self._fields, values, strict=True))

    def write(self, index: int, data: Data) -> None:
        """See `Array.write`."""
        new = {**self.read(index), **data}
        self.switch.filter_write(self.name, index, self.config(*(new[f] for f in self._fields)))

    def reset(self, index: int) -> None:
        """See `Array.reset`."""
        self.switch.filter_write(self.name, index, None)


class Lpf(Filter):
    """Averages or rates of samples."""

    FIELDS = (
        "$LPF_SPEC_TYPE",
        "$LPF_SPEC_GAIN_TIME_CONSTANT_NS",
        "$LPF_SPEC_DECAY_TIME_CONSTANT_NS",
        "$LPF_SPEC_OUT_SCALE_DOWN_FACTOR",
    )

    def values(self, config: FilterConfig | None) -> tuple[Any, ...]:
        """See `Filter.values`."""
        match config:
            case FilterConfig.Sample(gain, decay, scale):
                return "SAMPLE", gain, decay, scale
            case FilterConfig.Rate(gain, decay, scale):
                return "RATE", gain, decay, scale
        return "SAMPLE", 0.0, 0.0, 0

    def config(self, *values: Any) -> FilterConfig:  # noqa: ANN401
        """See `Filter.config`."""
        kind, gain, decay, scale = values
        return (FilterConfig.Rate if kind == "RATE" else FilterConfig.Sample)(gain, decay, scale)


class Wred(Filter):
    """Drops by an average."""

    FIELDS = (
        "$WRED_SPEC_TIME_CONSTANT_NS",
        "$WRED_SPEC_MIN_THRESH_CELLS",
        "$WRED_SPEC_MAX_THRESH_CELLS",
        "$WRED_SPEC_MAX_PROBABILITY",
    )

    def values(self, config: FilterConfig | None) -> tuple[Any, ...]:
        """See `Filter.values`."""
        match config:
            case FilterConfig.Wred(time, low, high, probability):
                return time, int(low), int(high), probability
        return 0.0, NEVER, NEVER, 0.0

    def config(self, *values: Any) -> FilterConfig:  # noqa: ANN401
        """See `Filter.config`."""
        return FilterConfig.Wred(*values)
