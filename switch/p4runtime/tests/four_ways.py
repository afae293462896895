# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""A program compiled by both compilers and run by both switches."""

import functools
import signal
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

import mecn_native
from mecn_switch.stf import Result, parse, run

from .bmv2 import Bmv2, CommandError, SwitchError

COMPILERS = ("mecn-p4c", "p4c")
SWITCHES = ("mecn-switch", "simple_switch")
WAYS = tuple(f"{compiler}/{switch}" for compiler in COMPILERS for switch in SWITCHES)
REFERENCE_LIMIT_S = 20
OUT_OF_TIME = (-signal.SIGXCPU, -signal.SIGKILL, 256 - signal.SIGXCPU, 256 - signal.SIGKILL)
"""Exit status of p4c's driver where a process was ended by the limit: its own, or that of the compiler."""

Packets = dict[int, list[bytes]]


class UnfinishedError(Exception):
    """A compiler goes on for too long."""


class RefusedError(Exception):
    """A compiler takes no such program, or a switch does not load what a compiler made."""


@dataclass(frozen=True)
class Way:
    """What came of a program one way.

    what: empty, or "refused" by the compiler, "unfinished" where it goes on for too long, "unloadable" or
    "died" in the switch, "command" where the switch refuses what the control plane asks for, "packets" where
    others left than the test expects or own compiler and switch send, "state" where something else that the
    test has looked at is not as with own compiler and switch.
    """

    what: str = ""
    text: str = ""
    packets: Packets = field(default_factory=dict)
    state: Mapping[str, object] = field(default_factory=dict)


Test = Callable[[mecn_native.Switch], Way]


@dataclass(frozen=True)
class Reference:
    """How the reference runs: which of its switches, and what is changed in a program before both load it."""

    switch: str = "simple_switch"
    change: Callable[[bytes], bytes] = bytes


def steps_of(text: str, name: str) -> Test:
    """What an STF test does with a switch."""
    statements, problems = parse(text, name)
    assert not problems
    return lambda switch: _outcome(run(statements, switch, strict_ports=True))


def compare(
    source: Path,
    test: Test,
    includes: Iterable[Path] = (),
    compilers: Sequence[str] = COMPILERS,
    reference: Reference = Reference(),
) -> dict[str, Way]:
    """Runs a test on each way."""
    with tempfile.TemporaryDirectory(prefix="four-ways-") as name:
        return _compare(source, test, tuple(includes), compilers, reference, Path(name))


def _compare(
    source: Path,
    test: Test,
    includes: tuple[Path, ...],
    compilers: Sequence[str],
    reference: Reference,
    folder: Path,
) -> dict[str, Way]:
    compile_by: dict[str, Callable[[], bytes]] = {
        "mecn-p4c": functools.partial(_mecn_p4c, source, includes),
        "p4c": functools.partial(_p4c, source, includes, folder),
    }
    found: dict[str, Way] = {}
    shape: mecn_native.Switch | None = None
    for compiler in compilers:
        try:
            program = reference.change(compile_by[compiler]())
        except (RefusedError, UnfinishedError) as error:
            what = "refused" if isinstance(error, RefusedError) else "unfinished"
            found |= {f"{compiler}/{switch}": Way(what, str(error)) for switch in SWITCHES}
            continue
        try:
            own = mecn_native.Switch.from_json(program)
            shape = shape or mecn_native.Switch.from_json(program)
            found[f"{compiler}/mecn-switch"] = test(own)
        except mecn_native.LoadError as error:
            found[f"{compiler}/mecn-switch"] = Way("unloadable", str(error))
        path = folder / "program.json"
        found[f"{compiler}/simple_switch"] = _reference(program, shape, test, path, reference.switch)
    return _against(found)


def _against(found: dict[str, Way]) -> dict[str, Way]:
    own = next(iter(found.values()))
    for way, outcome in found.items():
        if outcome.what:
            continue
        if outcome.packets != own.packets:
            text = f"sent {_shown(outcome.packets)}\n not {_shown(own.packets)}"
            found[way] = Way("packets", text, outcome.packets)
        elif different := [
            f"{name}: {outcome.state.get(name)}\n not {own.state.get(name)}"
            for name in {**own.state, **outcome.state}
            if outcome.state.get(name) != own.state.get(name)
        ]:
            found[way] = Way("state", "\n".join(different), outcome.packets, outcome.state)
    return found


def _mecn_p4c(source: Path, includes: tuple[Path, ...]) -> bytes:
    try:
        return mecn_native.compile_p4(source, includes).bmv2_json.encode()
    except mecn_native.P4Error as error:
        raise RefusedError(str(error)) from error


def _p4c(source: Path, includes: tuple[Path, ...], folder: Path) -> bytes:
    flags = [flag for include in includes for flag in ("-I", str(include))]
    command = ["p4c", "--target", "bmv2", "--arch", "v1model", "--std", "p4-16", *flags, "-o", str(folder)]
    # By the processor's time: on a busy machine a clock says nothing of a program.
    limited = ["prlimit", f"--cpu={REFERENCE_LIMIT_S}", *command, str(source)]
    done = subprocess.run(limited, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode in OUT_OF_TIME:
        raise UnfinishedError(f"p4c has not ended after {REFERENCE_LIMIT_S} s of the processor's time")
    if done.returncode:
        raise RefusedError(done.stderr)
    return (folder / source.with_suffix(".json").name).read_bytes()


def _reference(program: bytes, shape: mecn_native.Switch | None, test: Test, path: Path, name: str) -> Way:
    if shape is None:
        return Way("unloadable", "mecn-switch does not load it and so does not know its tables")
    path.write_bytes(program)
    try:
        switch = Bmv2(path, shape, name)
    except SwitchError as error:
        return Way("unloadable", str(error))
    with switch:
        try:
            # It has those methods that the runner calls.
            return test(cast(mecn_native.Switch, switch))
        except CommandError as error:
            return Way("command", str(error))
        except SwitchError as error:
            return Way("died", str(error))


def _outcome(result: Result) -> Way:
    packets: Packets = {}
    for output in result.outputs:
        packets.setdefault(output.port, []).append(output.frame)
    wrong = [*result.errors, *result.failures]
    return Way("packets" if wrong else "", "\n".join(map(str, wrong)), packets)


def _shown(packets: Packets) -> str:
    return "; ".join(f"{port}: {' '.join(p.hex() for p in sent)}" for port, sent in sorted(packets.items()))
