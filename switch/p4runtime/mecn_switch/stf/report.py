# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""Compares what left the switch with what the test expects, and shows the difference."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from .decode import field_at, fields
from .errors import Position, TestFailure
from .syntax import Expect

ROW = 16
MAX_ROWS = 12


@dataclass(frozen=True)
class Output:
    """A packet that left the switch, and the packet of the test that led to it."""

    port: int
    frame: bytes
    cause: Position


def matches(expect: Expect, frame: bytes) -> bool:
    """Whether a frame is what is expected: it may be longer unless the pattern ends with `$`."""
    return expect.pattern is None or not _differing(expect, frame)


def compare(expects: Sequence[Expect], outputs: Sequence[Output]) -> Iterator[TestFailure]:
    """Compares the packets of one port, in order."""
    if any(expect.pattern is None for expect in expects):
        yield from (
            TestFailure(expect.at, f"port {expect.port} is expected to send anything elsewhere in the test")
            for expect in expects
            if expect.pattern is not None
        )
        return
    i = j = 0
    while i < len(expects) and j < len(outputs):
        more_expects = len(expects) - i - (len(outputs) - j)
        if not matches(expects[i], outputs[j].frame):
            if more_expects > 0 and matches(expects[i + 1], outputs[j].frame):
                yield _missing(expects[i])
                i += 1
                continue
            if more_expects < 0 and matches(expects[i], outputs[j + 1].frame):
                yield unexpected(outputs[j])
                j += 1
                continue
            yield _different(expects[i], outputs[j], j + 1)
        i += 1
        j += 1
    yield from (_missing(expect) for expect in expects[i:])
    yield from (unexpected(output) for output in outputs[j:])


def unexpected(output: Output) -> TestFailure:
    """A packet that no `expect` is for."""
    rows = "".join(
        f"\n  {offset:04x}  {_hex(digits)}" for offset, digits in _rows(output.frame.hex().upper())
    )
    length = len(output.frame)
    return TestFailure(
        output.cause,
        f"the packet sent here led to one at port {output.port} that is not expected ({length} bytes)"
        f"{rows}{_summary(output.frame)}",
    )


def _missing(expect: Expect) -> TestFailure:
    return TestFailure(expect.at, f"no such packet left by port {expect.port}")


def _different(expect: Expect, output: Output, index: int) -> TestFailure:
    digits = _differing(expect, output.frame)
    first = digits[0] // 2
    pattern = expect.pattern or ""
    field = field_at(output.frame, first)
    where = f" ({field})" if field else ""
    expected_bytes = (len(pattern) + 1) // 2
    length = len(output.frame)
    text = f"packet {index} of port {expect.port} differs from byte {first} on{where}"
    if length < expected_bytes:
        text += f"; it is too short: {length} bytes, expected {expected_bytes}"
    elif expect.exact_length and length > expected_bytes:
        text += f"; it is too long: {length} bytes, expected {expected_bytes}"
    text += f"\n  packet sent at {output.cause}"
    return TestFailure(
        expect.at, text + _diff(pattern, output.frame, digits) + _named(expect, output, digits)
    )


def _differing(expect: Expect, frame: bytes) -> list[int]:
    """Places of digits that differ, missing and surplus ones included."""
    pattern = expect.pattern or ""
    got = frame.hex().upper()
    differing = [i for i, (e, g) in enumerate(zip(pattern, got, strict=False)) if e not in ("*", g)]
    differing += range(len(got), len(pattern))
    if expect.exact_length:
        differing += range(len(pattern), len(got))
    return differing


def _rows(digits: str) -> Iterator[tuple[int, str]]:
    for offset in range(0, min(len(digits), 2 * ROW * MAX_ROWS), 2 * ROW):
        yield offset // 2, digits[offset : offset + 2 * ROW]


def _hex(digits: str) -> str:
    return " ".join(digits[i : i + 2] for i in range(0, len(digits), 2))


def _diff(pattern: str, frame: bytes, differing: Sequence[int]) -> str:
    """The rows that differ, with a mark below each digit that does."""
    got = frame.hex().upper()
    lines: list[str] = []
    rows = sorted({digit // (2 * ROW) for digit in differing})
    for row in rows[:MAX_ROWS]:
        start, end = row * 2 * ROW, (row + 1) * 2 * ROW
        marks = [" "] * (2 * ROW)
        for digit in differing:
            if start <= digit < end:
                marks[digit - start] = "^"
        lines.append(f"\n  {start // 2:04x}  expected  {_hex(pattern[start:end])}".rstrip())
        lines.append(f"\n        got       {_hex(got[start:end])}".rstrip())
        lines.append(f"\n                  {_hex(''.join(marks))}".rstrip())
    if len(rows) > MAX_ROWS:
        lines.append(f"\n  and {len(rows) - MAX_ROWS} more rows")
    return "".join(lines)


def _named(expect: Expect, output: Output, differing: Sequence[int]) -> str:
    """The fields that differ, if the frame is of a known protocol."""
    pattern = expect.pattern or ""
    got = output.frame.hex().upper()
    lines: list[str] = []
    for field in fields(output.frame):
        start, end = 2 * field.offset, 2 * (field.offset + field.length)
        if any(start <= digit < end for digit in differing):
            want = pattern[start:end] or "nothing"
            lines.append(f"\n  {field}: expected {want}, got {got[start:end] or 'nothing'}")
    return "".join(lines[:MAX_ROWS])


def _summary(frame: bytes) -> str:
    headers = list(dict.fromkeys(field.header for field in fields(frame)))
    return f"\n  {', '.join(headers)}" if headers else ""
