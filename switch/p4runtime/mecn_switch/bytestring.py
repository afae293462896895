# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""Integers as binary strings (section 8.4)."""

from finsy.proto import rpc_code

from .status import StatusError


def encode(value: int) -> bytes:
    """The shortest big-endian string; one zero byte for 0."""
    return value.to_bytes(max(1, (value.bit_length() + 7) // 8), "big")


def decode(string: bytes, bitwidth: int, what: str) -> int:
    """The unsigned integer in `string`, which may have leading zeros.

    Raises OUT_OF_RANGE, naming `what`, if the string is empty or its value is wider than `bitwidth`.
    """
    if not string:
        raise StatusError(rpc_code.OUT_OF_RANGE, f"{what}: the value is an empty string")
    value = int.from_bytes(string, "big")
    if value.bit_length() > bitwidth:
        raise StatusError(rpc_code.OUT_OF_RANGE, f"{what}: {value:#x} does not fit bit<{bitwidth}>")
    return value
