# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""Binary strings: the tables of section 8.4, and round trips."""

import pytest
from finsy.proto import rpc_code
from hypothesis import given
from hypothesis import strategies as st
from mecn_switch import bytestring
from mecn_switch.status import StatusError


@pytest.mark.parametrize(
    ("string", "bitwidth", "value"),
    [
        (b"\x63", 8, 99),
        (b"\x00\x63", 16, 99),
        (b"\x63", 16, 99),
        (b"\x30\x64", 16, 12388),
        (b"\x00\x30\x64", 16, 12388),
        (b"\x00\x63", 12, 99),
        (b"\x00\x00\x63", 12, 99),
        (b"\x00", 1, 0),
    ],
)
def test_valid_strings(string: bytes, bitwidth: int, value: int) -> None:
    assert bytestring.decode(string, bitwidth, "x") == value


@pytest.mark.parametrize(
    ("string", "bitwidth"),
    [
        (b"\x01\x63", 8),
        (b"", 8),
        (b"\x01\x00\x63", 16),
        (b"\x10\x63", 12),
        (b"\x01\x00\x63", 12),
        (b"\x00\x40\x63", 12),
    ],
)
def test_invalid_strings(string: bytes, bitwidth: int) -> None:
    with pytest.raises(StatusError, match="field f") as caught:
        bytestring.decode(string, bitwidth, "field f")
    assert caught.value.code == rpc_code.OUT_OF_RANGE


@given(st.integers(0, (1 << 160) - 1))
def test_encoding_is_shortest_and_round_trips(value: int) -> None:
    string = bytestring.encode(value)
    assert len(string) == max(1, -(-value.bit_length() // 8))
    assert bytestring.decode(string, 160, "x") == value
