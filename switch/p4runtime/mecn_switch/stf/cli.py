# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""The command `mecn-switch stf PROGRAM.p4 TEST.stf`.

Exit status: 0 the test passed, 1 it failed, 2 it could not be run (wrong command line, a program or test with
errors, a statement that this switch does not support).
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import mecn_native

from .runner import run
from .syntax import parse

LOG_CAPACITY = 1000
"""Messages of log_msg that are kept for each packet."""


def main(argv: Sequence[str]) -> int:
    """Runs one test; `argv` without the word `stf`."""
    options = _parser().parse_args(argv)
    try:
        switch = _load(options)
        text = options.test.read_text(encoding="utf-8")
    except OSError as error:
        print(f"mecn-switch stf: {error.filename}: {error.strerror}", file=sys.stderr)
        return 2
    except UnicodeDecodeError as error:
        print(f"mecn-switch stf: {options.test}: not a text in UTF-8: {error}", file=sys.stderr)
        return 2
    except mecn_native.P4Error as error:
        print(str(error).rstrip(), file=sys.stderr)
        return 2
    except mecn_native.LoadError as error:
        print(f"mecn-switch stf: {options.program}: {error}", file=sys.stderr)
        return 2
    statements, problems = parse(text, str(options.test))
    if problems:
        for problem in problems:
            print(problem, file=sys.stderr)
        return 2
    trace = print if options.verbose else None
    result = run(statements, switch, strict_ports=options.strict_ports, trace=trace)
    for problem in result.errors:
        print(problem, file=sys.stderr)
    for failure in result.failures:
        print(failure, file=sys.stderr)
    if not result.errors:
        for note in result.notes:
            print(note, file=sys.stderr)
    sent, checks = _count(result.sent, "packet"), _count(result.checks, "other check")
    counts = f"{sent} sent, {result.expected} expected, {checks}"
    verdict = {0: "passed", 1: f"FAILED, {_count(len(result.failures), 'failure')}", 2: "could not be run"}
    print(f"{options.test}: {verdict[result.status]} ({counts})")
    return result.status


def _count(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="mecn-switch stf",
        description="Runs a packet test in the language of p4c's Simple Test Framework, in virtual time.",
        epilog="Exit status: 0 passed, 1 failed, 2 could not be run. The language: docs/stf.md.",
        allow_abbrev=False,
    )
    parser.add_argument("program", type=Path, metavar="PROGRAM", help="P4 program, or BMv2 JSON (*.json)")
    parser.add_argument("test", type=Path, metavar="TEST.stf")
    parser.add_argument(
        "-I", dest="include", action="append", default=[], metavar="DIR", help="as of mecn-p4c"
    )
    parser.add_argument(
        "-D", dest="define", action="append", default=[], metavar="NAME[=VALUE]", help="as of mecn-p4c"
    )
    parser.add_argument(
        "--seed", type=int, default=0, metavar="N", help="of the program's random numbers; default 0"
    )
    parser.add_argument(
        "--strict-ports",
        action="store_true",
        help="a packet at a port that the test does not name is a failure, not a note",
    )
    parser.add_argument("-v", "--verbose", action="store_true", help="tell what happens to each packet")
    return parser


def _load(options: argparse.Namespace) -> mecn_native.Switch:
    if options.program.suffix == ".json":
        json = options.program.read_bytes()
    else:
        defines = dict(_define(text) for text in options.define)
        # `compile_p4` reports a file that cannot be read as an error of the program; this one is the user's.
        options.program.open("rb").close()
        json = mecn_native.compile_p4(options.program, options.include, defines).bmv2_json.encode()
    return mecn_native.Switch.from_json(json, seed=options.seed, log_capacity=LOG_CAPACITY)


def _define(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    return name, value if equals else "1"
