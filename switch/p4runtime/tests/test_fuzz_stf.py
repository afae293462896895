# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""No text breaks the STF runner: it runs, or is refused with a position."""

from pathlib import Path

import mecn_native
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mecn_switch.stf import parse, run
from mecn_switch.stf.syntax import COMMANDS

from .fuzzing import arbitrary

PROGRAM = Path(__file__).parent / "stf" / "bridge.p4"
WORDS = (
    *COMMANDS,
    *("add", "setdefault", "packet", "expect", "no_packet", "remove", "check_counter", "wait", "all", "Add"),
    *("dmac", "classify", "by_addr", "by_mark", "BridgeIngress.dmac", "t", "seen", "forwarded", "last_mark"),
    *(
        "hdr.ethernet.dst_addr:0x1",
        "dst_addr:",
        "kind:0x1***",
        "tag.valid:1",
        "addr:0x0a/8",
        "mark:1..3",
        "mark:3->1",
    ),
    *(
        "kind:",
        "addr:10.0.0.1/33",
        "valid",
        "tag",
        "forward(port:1)",
        "set_mark(mark:1)",
        "set_count(count:0x100)",
    ),
    *(
        "forward(",
        "drop()",
        ")",
        "(",
        ",",
        "=",
        "==",
        "!=",
        "<=",
        "$A",
        "A",
        "(0)",
        "(A)",
        "packets",
        "bytes",
        "&&&",
    ),
    *(
        "0",
        "1",
        "2",
        "7",
        "-1",
        "0x",
        "0xff",
        "0b2",
        "1" * 30,
        "*",
        "$",
        "/",
        "..",
        "->",
        "#",
        '"',
        '"t"',
        "1.5",
    ),
    *("020000000001020000000002", "1234", "0800", "00", "f*", "\t", "\u0661", "\0", "\x1c", "\u2028"),
)
LINES = st.lists(st.one_of(st.sampled_from(WORDS), st.text(max_size=6)), max_size=9)
TEXTS = st.lists(st.tuples(LINES, st.sampled_from([" ", " ", " ", "", "\t"])), max_size=12).map(
    lambda lines: "\n".join(separator.join(words) for words, separator in lines)
)


@pytest.fixture(scope="module")
def bridge() -> mecn_native.Switch:
    return mecn_native.Switch.from_json(mecn_native.compile_p4(PROGRAM).bmv2_json.encode(), log_capacity=4)


@pytest.fixture(scope="module")
def statements() -> list[str]:
    """Lines of the tests that are here, to start from."""
    return [line for path in PROGRAM.parent.glob("*.stf") for line in path.read_text().splitlines() if line]


def check(text: str, switch: mecn_native.Switch) -> None:
    """Parses and runs; what is wrong has a position in the text, and is shown with its line."""
    parsed, problems = parse(text, "fuzz.stf")
    result = run(parsed, switch.fork(1))
    assert result.status in (0, 1, 2)
    for problem in (*problems, *result.errors, *result.failures):
        at = problem.position
        assert at.line >= 1
        assert 1 <= at.column <= len(at.source) + 1
        first, source, caret = str(problem).split("\n")[:3] if "\n" not in at.source else ("", "", "^")
        assert first.startswith(f"fuzz.stf:{at.line}:{at.column}: ") or not first
        assert source in ("", at.source)
        assert caret.endswith("^")


@arbitrary(300)
@given(text=TEXTS)
def test_any_words(bridge: mecn_native.Switch, text: str) -> None:
    check(text, bridge)


@arbitrary(200)
@given(text=st.text(max_size=200))
def test_any_text(bridge: mecn_native.Switch, text: str) -> None:
    check(text, bridge)


@arbitrary(300)
@given(data=st.data())
def test_statements_with_parts_exchanged(
    bridge: mecn_native.Switch, statements: list[str], data: st.DataObject
) -> None:
    lines = data.draw(st.lists(st.sampled_from(statements), min_size=1, max_size=20))
    edited = []
    for line in lines:
        words = line.split(" ")
        if data.draw(st.booleans()):
            at = data.draw(st.integers(0, len(words) - 1))
            words[at : at + data.draw(st.integers(0, 1))] = [data.draw(st.sampled_from(WORDS))]
        edited.append(" ".join(words))
    check("\n".join(edited), bridge)
