# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""Indexes into arrays: counters, meters, registers."""

from finsy.proto import p4r, rpc_code

from .status import StatusError, invalid_argument


def cells(what: str, size: int, entry: p4r.CounterEntry | p4r.MeterEntry | p4r.RegisterEntry) -> range:
    """The cells that an entry means: the one at its index or, without an index, all.

    Raises INVALID_ARGUMENT for a negative index, OUT_OF_RANGE for one beyond the end.
    """
    if not entry.HasField("index"):
        return range(size)
    index = entry.index.index
    if index < 0:
        raise invalid_argument(f"{what}: index {index} is negative")
    if index >= size:
        raise StatusError(rpc_code.OUT_OF_RANGE, f"{what}: index {index} is not less than its size {size}")
    return range(index, index + 1)
