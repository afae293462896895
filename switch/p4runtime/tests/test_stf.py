# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""Packet tests in the language of p4c's Simple Test Framework: the runner, its language, its messages."""

import re
from collections.abc import Callable
from pathlib import Path

import mecn_native
import pytest
from mecn_native import ActionCall, MatchField
from mecn_switch import cli
from mecn_switch.stf import Problem, Result, parse, run
from mecn_switch.stf.decode import field_at
from mecn_switch.stf.errors import Position
from mecn_switch.stf.names import resolve, resolve_key
from mecn_switch.stf.syntax import Expect, Word
from mecn_switch.stf.values import match_field

HERE = Path(__file__).parent / "stf"
PROGRAM = HERE / "bridge.p4"
RunText = Callable[..., Result]

DMAC = "add dmac dst_addr:0x020000000002 forward(port:2)\n"
FRAME = "020000000002 020000000001 0800"
IPV4 = "45000014 00010000 40060000 01020304 0A000001"


@pytest.fixture(scope="module")
def bridge() -> bytes:
    return mecn_native.compile_p4(PROGRAM).bmv2_json.encode()


@pytest.fixture
def switch(bridge: bytes) -> mecn_native.Switch:
    return mecn_native.Switch.from_json(bridge)


@pytest.fixture
def test(switch: mecn_native.Switch) -> RunText:
    """Runs a text on a bridge."""

    def run_text(text: str, *, strict_ports: bool = False) -> Result:
        statements, problems = parse(text, "test.stf")
        assert not problems
        return run(statements, switch, strict_ports=strict_ports)

    return run_text


def errors(text: str) -> list[str]:
    """Position and text of each syntax error."""
    return [f"{p.position.line}:{p.position.column}: {p.message}" for p in parse(text, "test.stf")[1]]


def word(text: str) -> Word:
    return Word(text, Position("test.stf", 1, 1, text))


# ---- Whole tests and the command ---------------------------------------------------------------------------


@pytest.mark.parametrize("path", sorted(HERE.glob("*.stf")), ids=lambda path: path.stem)
def test_file(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status = cli.main(["stf", str(path.with_suffix(".p4")), str(path)])
    output = capsys.readouterr()
    assert (status, output.err) == (0, "")
    assert f"{path}: passed" in output.out


def test_a_failed_test_has_status_1(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "test.stf"
    path.write_text(f"{DMAC}packet 0 {FRAME}\n")
    assert cli.main(["stf", str(PROGRAM), str(path)]) == 0
    assert f"{path}:2:1: note: the packet sent here led to one at port 2" in capsys.readouterr().err
    assert cli.main(["stf", "--strict-ports", str(PROGRAM), str(path)]) == 1
    output = capsys.readouterr()
    assert f"{path}:2:1: failed: the packet sent here led to one at port 2 that is not" in output.err
    assert f"{path}: FAILED, 1 failure (1 packet sent, 0 expected, 0 other checks)" in output.out


def test_what_cannot_be_run_has_status_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    good, broken, program = tmp_path / "good.stf", tmp_path / "broken.stf", tmp_path / "broken.p4"
    good.write_text("wait\n")
    broken.write_text("wait\nnonsense\n")
    program.write_text("control")
    assert cli.main(["stf", str(PROGRAM), str(broken)]) == 2
    assert f"{broken}:2:1: error: there is no command `nonsense`" in capsys.readouterr().err
    assert cli.main(["stf", str(program), str(good)]) == 2
    assert f"{program}:1:" in capsys.readouterr().err
    assert cli.main(["stf", str(PROGRAM), str(tmp_path / "missing.stf")]) == 2
    assert "missing.stf: No such file or directory" in capsys.readouterr().err
    assert cli.main(["stf", str(tmp_path / "missing.p4"), str(good)]) == 2
    assert "missing.p4: No such file or directory" in capsys.readouterr().err
    good.write_bytes(b"# \xff")
    assert cli.main(["stf", str(PROGRAM), str(good)]) == 2
    assert "not a text in UTF-8" in capsys.readouterr().err


def test_a_compiled_program_is_taken_too(
    tmp_path: Path, bridge: bytes, capsys: pytest.CaptureFixture[str]
) -> None:
    program, path = tmp_path / "bridge.json", tmp_path / "test.stf"
    program.write_bytes(bridge)
    path.write_text(f"{DMAC}expect 2 {FRAME}$\npacket 0 {FRAME}\n")
    assert cli.main(["stf", "-v", str(program), str(path)]) == 0
    assert f"{path}:3:1: port 0 receives 14 bytes\n  <sent at port 2" in capsys.readouterr().out
    program.write_text("{}")
    assert cli.main(["stf", str(program), str(path)]) == 2
    assert str(program) in capsys.readouterr().err


INITIAL = """
add open 29 key:0x04->0x04 mark(44) = FOUR
packet 0 10 04
expect 1 10 2c $
packet 0 10 01
expect 1 10 32 $
remove FOUR
packet 0 10 04
expect 1 10 32 $
remove all
packet 0 10 04
expect 1 10 04 $
add open 0 key:0x00->0x05 mark(7)
packet 0 10 04
expect 1 10 07 $
"""
"""The constant entries of the program `initial` stay, its others go."""


def test_initial_entries_can_be_changed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    program = HERE.parent / "programs" / "initial.p4"
    test = tmp_path / "test.stf"
    test.write_text(INITIAL)
    assert cli.main(["stf", str(program), str(test)]) == 0, capsys.readouterr()
    test.write_text("add fixed 9 key:0x11 forward(4)\n")
    assert cli.main(["stf", str(program), str(test)]) == 1
    assert "constant" in capsys.readouterr().err
    # p4c's JSON does not say which entries are constant; simple_switch takes all to be so.
    compiled = tmp_path / "initial.json"
    text = mecn_native.compile_p4(program).bmv2_json
    own = re.compile(r',\s*"immutable_entries"\s*:\s*false')
    assert own.search(text)
    compiled.write_text(own.sub("", text))
    test.write_text("add open 9 key:4 mark(44)\n")
    assert cli.main(["stf", str(compiled), str(test)]) == 1
    assert "constant" in capsys.readouterr().err


# ---- Packets -----------------------------------------------------------------------------------------------


def failures(result: Result) -> list[str]:
    assert not result.errors
    return [f"{f.position.line}: {f.message.splitlines()[0]}" for f in result.failures]


def test_packets_of_one_port_come_in_order(test: RunText) -> None:
    sent = f"packet 0 {FRAME} 01\npacket 0 {FRAME} 02\npacket 0 {FRAME} 03\n"
    assert not failures(test(f"{DMAC}{sent}expect 2 {FRAME} 01\nexpect 2 {FRAME} 02$\nexpect 2 {FRAME} 03\n"))


@pytest.mark.parametrize(
    ("expects", "expected"),
    [
        (["01", "03"], ["3: the packet sent here led to one at port 2 that is not expected (15 bytes)"]),
        (["01", "02", "02", "03"], ["7: no such packet left by port 2"]),
        (["01", "02"], ["4: the packet sent here led to one at port 2 that is not expected (15 bytes)"]),
        (["01", "02", "03", "04"], ["8: no such packet left by port 2"]),
        (["01", "0*", "04"], ["7: packet 3 of port 2 differs from byte 14 on (IPv4 version, ihl)"]),
        (
            ["01", "02", "03 04"],
            ["7: packet 3 of port 2 differs from byte 15 on; it is too short: 15 bytes, expected 16"],
        ),
        (
            ["", "$", ""],
            [
                "6: packet 2 of port 2 differs from byte 14 on (IPv4 version, ihl); "
                "it is too long: 15 bytes, expected 14"
            ],
        ),
    ],
)
def test_differences(test: RunText, expects: list[str], expected: list[str]) -> None:
    sent = f"packet 0 {FRAME} 01\npacket 0 {FRAME} 02\npacket 0 {FRAME} 03\n"
    text = DMAC + sent + "".join(f"expect 2 {FRAME} {tail}\n" for tail in expects)
    assert failures(test(text)) == expected


def test_a_difference_is_shown(test: RunText) -> None:
    result = test(f"{DMAC}expect 2 {FRAME} 45020014 0001*000 3f060000\npacket 0 {FRAME} {IPV4}\n")
    assert str(result.failures[0]) == (
        "test.stf:2:1: failed: packet 1 of port 2 differs from byte 15 on (IPv4 dscp, ecn)\n"
        "expect 2 020000000002 020000000001 0800 45020014 0001*000 3f060000\n"
        "^\n"
        "  packet sent at test.stf:3:1\n"
        "  0000  expected  02 00 00 00 00 02 02 00 00 00 00 01 08 00 45 02\n"
        "        got       02 00 00 00 00 02 02 00 00 00 00 01 08 00 45 00\n"
        "                                                                ^\n"
        "  0010  expected  00 14 00 01 *0 00 3F 06 00 00\n"
        "        got       00 14 00 01 00 00 40 06 00 00 01 02 03 04 0A 00\n"
        "                                    ^^\n"
        "  IPv4 dscp, ecn: expected 02, got 00\n"
        "  IPv4 ttl: expected 3F, got 40"
    )


def test_anything_may_leave_by_a_port_that_is_expected_so(test: RunText) -> None:
    assert not failures(test(f"expect 2\n{DMAC}packet 0 {FRAME}\npacket 0 {FRAME}\n"))
    assert failures(test(f"expect 2\nexpect 2 {FRAME}\npacket 0 {FRAME}\n")) == [
        "2: port 2 is expected to send anything elsewhere in the test"
    ]


def test_no_packet_is_about_the_packet_before(test: RunText) -> None:
    assert not failures(test(f"packet 0 {FRAME}\nno_packet\n{DMAC}expect 2\npacket 0 {FRAME}\n"))
    assert failures(test(f"expect 2\npacket 0 {FRAME}\nno_packet\n")) == [
        "3: the packet sent at test.stf:2:1 led to others, at port 2"
    ]


def test_a_refusal_fails_and_names_the_reason(test: RunText) -> None:
    assert failures(test(DMAC + DMAC)) == ["2: the switch refuses this: an entry with this match key exists"]


def test_checks_that_do_not_hold(test: RunText) -> None:
    assert failures(
        test("check_counter seen(0) packets > 0\ncheck_counter seen(0)\nregister_read last_mark 3 != 0\n")
    ) == [
        "1: counter `BridgeIngress.seen` has 0 packets, expected > 0",
        "3: register `BridgeIngress.last_mark` has 0 at 3, expected != 0",
    ]


def test_larger_priorities_win(test: RunText) -> None:
    tagged = "020000000002 020000000001 1234 00000000 1234 00 00"
    assert not failures(
        test(
            f"{DMAC}add classify 2 kind:0x1*** tag.valid:1 set_mark(mark:2)\n"
            "add classify 9 kind:0x12** tag.valid:1 set_mark(mark:9)\n"
            "add classify 0 kind:0x123* tag.valid:1 set_mark(mark:1)\n"
            f"packet 0 {tagged}\nexpect 2 020000000002 020000000001 1234 00000000 1234 09 00$\n"
        )
    )


# ---- Names and values --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("add dmca dst_addr:1 drop()", "1:5: there is no table `dmca`; there is `BridgeIngress.dmac`"),
        ("add a dst_addr:1 drop()", "1:5: there is no table `a`"),
        ("add dmac dst:1 drop_all()", "1:10: there is no key field `dst` in table `BridgeIngress.dmac`"),
        ("add dmac dst_addr:1 drop()", "1:21: there is no action `drop` in table `BridgeIngress.dmac`"),
        ("add dmac dst_addr:1 forward()", "1:21: action `BridgeIngress.forward` needs parameter `port`"),
        ("add dmac dst_addr:1 forward(1, 2)", "1:32: action `BridgeIngress.forward` has 1 parameters"),
        ("add dmac dst_addr:1 forward(p:1)", "1:29: action `BridgeIngress.forward` has no parameter `p`"),
        ("add dmac dst_addr:1 forward(1, port:1)", "1:37: parameter `port` is given twice"),
        ("add dmac dst_addr:1 forward(port:512)", "1:34: 512 does not fit 9 bits"),
        ("add dmac dst_addr:1 ethernet.dst_addr:1 forward(1)", "1:21: key field `hdr.ethernet.dst_addr` is"),
        ("add by_mark 2147483647 mark:1 NoAction()", "1:1: priority 2147483647 is more than 2147483646"),
        ("remove A", "1:8: there is no handle `A`; there is none"),
        (
            "check_counter forwarded(0)",
            "1:25: there is no entry 0 in table `BridgeIngress.dmac`; there were 0",
        ),
        ("check_counter forwarded(A)", "1:25: there is no handle `A`; there is none"),
        ("check_counter seen(x) == 0", "1:20: `x` is not a number"),
        ("check_counter see(1) == 0", "1:15: there is no counter `see`"),
        ("register_read marks 1", "1:15: there is no register `marks`"),
        ("register_write last_mark 1", "1:1: `register_write` needs NAME INDEX VALUE"),
        ("register_reset last_mark 1", "1:26: `register_reset` takes NAME"),
        ("register_write last_mark 1 256", "1:28: 256 does not fit 8 bits"),
        ("counter_read forward 1", "1:14: there is no counter `forward`"),
        ("mc_node_create", "1:1: `mc_node_create` needs RID {PORT}"),
        ("mc_node_create 1 1|2", "1:18: `1|2` is not a number"),
        ("mc_node_associate 1 0", "1:21: there is no multicast node 0; there are 0"),
        ("mc_mgrp_create 65536", "1:16: 65536 does not fit 16 bits"),
        ("mirroring_add 32768 1", "1:15: 32768 does not fit 15 bits"),
        ("meter_set_rates m 1 1:1 1:1", "1:17: there is no meter `m`"),
        ("no_packet", "1:1: no packet has been sent before"),
    ],
)
def test_statements_that_do_not_fit_the_program(test: RunText, statement: str, expected: str) -> None:
    result = test(statement)
    assert result.status == 2
    (problem,) = result.errors
    text = f"{problem.position.line}:{problem.position.column}: {problem.message}"
    assert text.startswith(expected)


def test_names_are_full_or_ends_of_names() -> None:
    names = ["a.t", "b.t", "a.xt", "y", "a.y", "ingress.table_x"]
    assert resolve(word("a.t"), names, "table") == "a.t"
    assert resolve(word("y"), names, "table") == "y"
    assert resolve(word("xt"), names, "table") == "a.xt"
    assert resolve(word("_x"), names, "table") == "ingress.table_x"
    with pytest.raises(Problem, match=r"`t` may be any of `a.t`, `b.t`"):
        resolve(word("t"), names, "table")
    with pytest.raises(Problem, match=r"there is no table `z`; there is `a.t`"):
        resolve(word("z"), names, "table")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("hdr.ip.src", "hdr.ip.src"),
        ("src", "hdr.ip.src"),
        ("vlan$1.vid", "hdr.vlan[1].vid"),
        ("vlan[0].vid", "hdr.vlan[0].vid"),
        ("hdr.ip.$valid$", "hdr.ip.$valid$"),
        ("hdr.ip.$valid", "hdr.ip.$valid$"),
        ("ip.valid", "hdr.ip.$valid$"),
        ("hdr.ip.isValid", "hdr.ip.$valid$"),
        ("hdr.ip", "hdr.ip.$valid$"),
        ("valid", "hdr.ip.$valid$"),
    ],
)
def test_key_fields(text: str, expected: str) -> None:
    names = ["hdr.ip.src", "hdr.vlan[0].vid", "hdr.vlan[1].vid", "hdr.ip.$valid$"]
    assert resolve_key(word(text), names, "") == expected


@pytest.mark.parametrize(
    ("text", "kind", "width", "expected"),
    [
        ("10", "exact", 8, MatchField.Exact(10)),
        ("0b101", "exact", 3, MatchField.Exact(5)),
        ("0o17", "exact", 8, MatchField.Exact(15)),
        ("0xFF", "exact", 8, MatchField.Exact(255)),
        ("010", "exact", 8, MatchField.Exact(10)),
        ("10.0.0.1", "exact", 32, MatchField.Exact(0x0A000001)),
        ("02:00:00:00:00:ff", "exact", 48, MatchField.Exact(0x0200000000FF)),
        ("2001:db8::1", "exact", 128, MatchField.Exact(0x20010DB8000000000000000000000001)),
        ("0x0a010203/8", "lpm", 32, MatchField.Lpm(0x0A000000, 8)),
        ("10.1.2.3/16", "lpm", 32, MatchField.Lpm(0x0A010000, 16)),
        ("0x0a01****", "lpm", 32, MatchField.Lpm(0x0A010000, 16)),
        ("0b0101*", "lpm", 5, MatchField.Lpm(0b01010, 4)),
        ("0x0a01", "lpm", 16, MatchField.Lpm(0x0A01, 16)),
        ("0x0a01", "lpm", 32, MatchField.Lpm(0, 16)),
        ("0x1ff", "lpm", 9, MatchField.Lpm(0x1FF, 9)),
        ("7", "lpm", 9, MatchField.Lpm(7, 9)),
        ("7/0", "lpm", 9, MatchField.Any()),
        ("0x12**", "ternary", 16, MatchField.Ternary(0x1200, 0xFF00)),
        ("0x1*", "ternary", 16, MatchField.Ternary(0x10, 0xF0)),
        ("0x01", "ternary", 16, MatchField.Ternary(0x01, 0xFF)),
        ("0x1ff", "ternary", 9, MatchField.Ternary(0x1FF, 0x1FF)),
        ("0b1*0", "ternary", 3, MatchField.Ternary(0b100, 0b101)),
        ("0x****", "ternary", 16, MatchField.Any()),
        ("*", "ternary", 16, MatchField.Any()),
        ("5", "ternary", 16, MatchField.Ternary(5, 0xFFFF)),
        ("0x12&&&0xf0", "ternary", 16, MatchField.Ternary(0x10, 0xF0)),
        ("1..5", "range", 8, MatchField.Range(1, 5)),
        ("0x1->0x5", "range", 8, MatchField.Range(1, 5)),
        ("3", "range", 8, MatchField.Range(3, 3)),
        ("0..255", "range", 8, MatchField.Any()),
        ("3", "optional", 8, MatchField.Optional(3)),
        ("*", "optional", 8, MatchField.Any()),
    ],
)
def test_values(text: str, kind: str, width: int, expected: MatchField) -> None:
    assert match_field(word(text), kind, width) == expected


@pytest.mark.parametrize(
    ("text", "kind", "width"),
    [
        ("256", "exact", 8),
        ("0x1*", "exact", 8),
        ("x", "exact", 8),
        ("1.2.3.256", "exact", 32),
        ("10.0.0.1", "exact", 16),
        ("-1", "exact", 8),
        ("0x1*1", "lpm", 16),
        ("1/9", "lpm", 8),
        ("1/x", "lpm", 8),
        ("0x100", "ternary", 8),
        ("0x1&&&0x100", "ternary", 8),
        ("0x1g", "ternary", 8),
        ("0x", "ternary", 8),
        ("5..4", "range", 8),
        ("5..", "range", 8),
        ("5&&&1", "range", 8),
        ("0x" + "1" * 5000, "ternary", 8),
        ("1" * 5000, "exact", 8),
        ("1", "selector", 8),
    ],
)
def test_values_that_do_not_fit(text: str, kind: str, width: int) -> None:
    with pytest.raises(Problem):
        match_field(word(text), kind, width)


def test_key_fields_that_are_left_out() -> None:
    assert match_field(None, "exact", 8) == MatchField.Exact(0)
    assert match_field(None, "lpm", 8) == MatchField.Any()


def test_entries_arrive_in_the_switch(test: RunText, switch: mecn_native.Switch) -> None:
    assert not failures(test('add by_mark 7 mark:1..2 "hdr.tag.kind":3 set_count(0x2a) = A\n'))
    (entry,) = switch.entries("BridgeIngress.by_mark")
    assert entry.match == [MatchField.Range(1, 2), MatchField.Ternary(3, 0xFFFF)]
    assert entry.priority == 8
    assert entry.action == ActionCall("BridgeIngress.set_count", [42])
    assert not failures(test("setdefault by_mark set_count(count:1)\n"))
    assert switch.default_action("BridgeIngress.by_mark") == ActionCall("BridgeIngress.set_count", [1])
    assert not failures(test("remove all\n"))
    assert not switch.entries("BridgeIngress.by_mark")


# ---- Language ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("ad x", "1:1: there is no command `ad`"),
        ("packet", "1:7: expected a port number, found the end of the line"),
        ("packet x 00", "1:8: expected a port number, found `x`"),
        ("packet 65536 00", "1:8: port 65536 is more than 65535"),
        ("packet 0", "1:9: the packet has no bytes"),
        ("packet 0 012", "1:10: the packet has an odd number of digits (3)"),
        ("packet 0 01 0*", "1:14: `*` is not a hexadecimal digit"),
        ("expect 0 01 0g", "1:14: `g` is not a hexadecimal digit or `*`"),
        ("expect 0 $", "1:10: expected bytes before `$`"),
        ("expect 0 01$ 02", "1:12: `$` is not a hexadecimal digit or `*`"),
        ("add", "1:4: expected a table, found the end of the line"),
        ("add t 1 k:1", "1:12: expected a key field or an action, found the end of the line"),
        ("add t k 1 x()", "1:9: expected `:` and a value or `(` and arguments, found `1`"),
        ("add t k:1 x(1", "1:14: expected `,`, found the end of the line"),
        ("add t k:1 x(a)", "1:14: expected `:`, found `)`"),
        ("add t k:1/ x()", "1:13: expected a key field or an action, found `()`"),
        ("add t k:1 x() = 1", "1:17: expected a handle, found `1`"),
        ("add t k:1 x() y", "1:15: expected the end of the line, found `y`"),
        ("setdefault t x", "1:15: expected `(`, found the end of the line"),
        ("remove", "1:7: expected `all` or a handle, found the end of the line"),
        ("wait x", "1:6: expected the end of the line, found `x`"),
        ("no_packet 1", "1:11: expected the end of the line, found `1`"),
        ("check_counter x", "1:16: expected `(`, found the end of the line"),
        ("check_counter x(1) frames == 1", "1:20: expected `packets` or `bytes`, found `frames`"),
        (
            "check_counter x(1) packets",
            "1:27: expected a comparison (== != <= >= < >), found the end of the line",
        ),
        ("check_counter x(1) == y", "1:23: `y` is not a number"),
        ("register_read x 1 = 1", "1:19: expected a comparison (== != <= >= < >), found `=`"),
    ],
)
def test_syntax_errors(line: str, expected: str) -> None:
    assert errors(line) == [expected]


def test_every_line_with_an_error_is_reported() -> None:
    assert errors("# fine\n\nx\nwait # also fine\r\n  y\n") == [
        "3:1: there is no command `x`",
        "5:3: there is no command `y`",
    ]


def test_a_problem_shows_the_line() -> None:
    (problem,) = parse("wait\n\tpacket\t0 0g\n", "dir/a.stf")[1]
    assert str(problem) == (
        "dir/a.stf:2:12: error: `g` is not a hexadecimal digit\n\tpacket\t0 0g\n\t      \t   ^"
    )


def test_commands_are_of_any_case_and_expectations_keep_their_digits() -> None:
    statements, problems = parse("EXPECT 1 aB *1$\nExpect 2\nexpect 3 a", "x")
    assert not problems
    assert [(s.port, s.pattern, s.exact_length) for s in statements if isinstance(s, Expect)] == [
        (1, "AB*1", True),
        (2, None, False),
        (3, "A", False),
    ]


# ---- Decoding ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("frame", "offset", "expected"),
    [
        (FRAME + IPV4, 0, "Ethernet dst"),
        (FRAME + IPV4, 22, "IPv4 ttl"),
        (FRAME + IPV4 + "0050 0051", 36, "TCP dst_port"),
        (FRAME + "46000018 00010000 40110000 01020304 0A000001 01010101 0035 0036 0008", 34, "IPv4 options"),
        (FRAME + "46000018 00010000 40110000 01020304 0A000001 01010101 0035 0036 0008", 42, "UDP length"),
        (FRAME[:-4] + "8100 0005 86DD 60000000 0000 3A 40", 25, "IPv6 hop_limit"),
        (FRAME[:-4] + "0806 0001 0800 06 04 0001", 20, "ARP oper"),
        (FRAME[:-4] + "1234 0001", 0, None),
        (FRAME + IPV4, 99, None),
        ("02", 0, None),
        ("", 0, None),
    ],
)
def test_fields(frame: str, offset: int, expected: str | None) -> None:
    field = field_at(bytes.fromhex(frame), offset)
    assert (str(field) if field else None) == expected
