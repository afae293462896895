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


def encode_signed(value: int, bitwidth: int) -> bytes:
    """The shortest two's complement string of `value`, which holds the bits of an int<bitwidth>."""
    signed = value - (1 << bitwidth) if bitwidth and value >> (bitwidth - 1) else value
    length = (signed if signed >= 0 else ~signed).bit_length() // 8 + 1
    return signed.to_bytes(length, "big", signed=True)


def decode_signed(string: bytes, bitwidth: int, what: str) -> int:
    """The bits of the int<bitwidth> in `string`, which is in two's complement and may be longer than needed.

    Raises OUT_OF_RANGE, naming `what`, if the string is empty or its value does not fit.
    """
    if not string:
        raise StatusError(rpc_code.OUT_OF_RANGE, f"{what}: the value is an empty string")
    value = int.from_bytes(string, "big", signed=True)
    if not -(1 << (bitwidth - 1)) <= value < 1 << (bitwidth - 1):
        raise StatusError(rpc_code.OUT_OF_RANGE, f"{what}: {value} does not fit int<{bitwidth}>")
    return value & (1 << bitwidth) - 1
