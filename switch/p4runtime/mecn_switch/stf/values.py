# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""What a value means for a key field of a certain match kind and width, and for a parameter.

The rules are those of p4c's runner, which hands values to `simple_switch_CLI`:

exact     a number, 0 if the field is left out; also an IPv4, MAC or IPv6 address in a field of its width
lpm       NUMBER/LENGTH; without length, the digits that are written are the prefix: `0x0a0b****` is
          0x0a0b0000/16, and `0x0a0b` is /16 too, so leading zeroes count
ternary   NUMBER&&&MASK; without mask, the digits that are written count, each with all its bits: in 16 bits
          `0x1*` has the mask 0x00f0. A decimal number counts with all bits of the field.
range     LOW..HIGH or LOW->HIGH; one number is a range of one
optional  a number; `*` or left out: anything
"""

import ipaddress
import re

import mecn_native

from .errors import Problem
from .syntax import Word, number

_DIGITS = {"0x": ("0123456789abcdef", 4), "0b": ("01", 1), "0o": ("01234567", 3)}
_MAC = re.compile(r"[0-9a-fA-F]{1,2}(?::[0-9a-fA-F]{1,2}){5}", re.ASCII)

MatchField = mecn_native.MatchField


def match_field(word: Word | None, kind: str, width: int) -> mecn_native.MatchField:
    """How a key field matches; `word` is None if the test does not name the field."""
    if word is None:
        return MatchField.Exact(0) if kind == "exact" else MatchField.Any()
    match kind:
        case "exact":
            return MatchField.Exact(scalar(word, width))
        case "lpm":
            return _lpm(word, width)
        case "ternary":
            return _ternary(word, width)
        case "range":
            return _range(word, width)
        case "optional":
            return MatchField.Any() if word.text == "*" else MatchField.Optional(scalar(word, width))
    raise Problem(word.at, f"a key field of match kind {kind} cannot be given a value")


def scalar(word: Word, width: int) -> int:
    """A number that fits `width` bits."""
    value = _address(word.text, width)
    if value is None:
        value = number(word)
    if value.bit_length() > width:
        raise Problem(word.at, f"{word.text[:40]} does not fit {_bits(width)}")
    return value


def _bits(width: int) -> str:
    return "1 bit" if width == 1 else f"{width} bits"


def _address(text: str, width: int) -> int | None:
    try:
        if width == 32 and "." in text:
            return int(ipaddress.IPv4Address(text))
        if width == 128 and ":" in text:
            return int(ipaddress.IPv6Address(text))
    except ValueError:
        return None
    if width == 48 and _MAC.fullmatch(text):
        return int("".join(part.zfill(2) for part in text.split(":")), 16)
    return None


def _ones(width: int) -> int:
    return (1 << width) - 1


def _digits(word: Word, text: str) -> tuple[int, int, int] | None:
    """Value, mask and number of bits of a number with a prefix, `*` for digits that do not matter."""
    known = _DIGITS.get(text[:2].lower())
    if known is None or len(text) == 2:
        return None
    digits, bits = known
    value = mask = 0
    if len(text) > 4096:
        raise Problem(word.at, "the number has more than 4096 digits")
    for digit in text[2:].lower():
        if digit != "*" and digit not in digits:
            raise Problem(word.at, f"`{digit}` is no digit of `{text[:40]}`")
        value <<= bits
        mask <<= bits
        if digit != "*":
            value |= digits.index(digit)
            mask |= _ones(bits)
    return value, mask, bits * len(text[2:])


def _lpm(word: Word, width: int) -> mecn_native.MatchField:
    text, slash, length = word.text.partition("/")
    if slash:
        value = scalar(Word(text, word.at), width)
        prefix_len = number(Word(length, word.at))
    elif written := _digits(word, text):
        value, mask, _ = written
        if "*" in text.rstrip("*"):
            raise Problem(word.at, "in a longest-prefix match `*` may only stand at the end")
        prefix_len = min(mask.bit_count(), width)
        if value.bit_length() > width:
            raise Problem(word.at, f"{word.text[:40]} does not fit {_bits(width)}")
    else:
        value, prefix_len = scalar(word, width), width
    if prefix_len > width:
        raise Problem(word.at, f"prefix length {prefix_len} is more than the {_bits(width)} of the field")
    if prefix_len == 0:
        return MatchField.Any()
    return MatchField.Lpm(value & ~_ones(width - prefix_len), prefix_len)


def _ternary(word: Word, width: int) -> mecn_native.MatchField:
    text, operator, mask_text = word.text.partition("&&&")
    if operator:
        value = scalar(Word(text, word.at), width)
        mask = scalar(Word(mask_text, word.at), width)
    elif written := _digits(word, text):
        value, mask, _ = written
        if value.bit_length() > width:
            raise Problem(word.at, f"{word.text[:40]} does not fit {_bits(width)}")
        # `0x1ff` in 9 bits has three digits, 12 bits.
        mask &= _ones(width)
    elif text == "*":
        value = mask = 0
    else:
        value, mask = scalar(word, width), _ones(width)
    return MatchField.Ternary(value & mask, mask) if mask else MatchField.Any()


def _range(word: Word, width: int) -> mecn_native.MatchField:
    for operator in ("..", "->"):
        low_text, found, high_text = word.text.partition(operator)
        if found:
            low = scalar(Word(low_text, word.at), width)
            high = scalar(Word(high_text, word.at), width)
            break
    else:
        low = high = scalar(word, width)
    if low > high:
        raise Problem(word.at, f"the range {word.text[:40]} is empty")
    return MatchField.Any() if (low, high) == (0, _ones(width)) else MatchField.Range(low, high)
