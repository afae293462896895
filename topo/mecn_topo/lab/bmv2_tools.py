# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""p4lang's tools on PATH: which are missing, which do not run, which are too old."""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import dataclass

OLDEST_BMV2 = (1, 15, 1)
SOURCE = (
    "They come from p4lang, as packages p4lang-p4c and p4lang-bmv2 or built from source: see "
    "https://github.com/p4lang/p4c#readme and https://github.com/p4lang/behavioral-model#readme. "
    "BMv2 must be 1.15.1 or newer: before it, queue settings were wrong."
)
ANSWER_S = 60.0


@dataclass(frozen=True, slots=True)
class Tool:
    """A command, what it is for, and how it shows that it runs."""

    name: str
    purpose: str
    probe: str
    oldest: tuple[int, ...] = ()


TOOLS = (
    Tool("p4c", "the P4 compiler", "--version"),
    Tool("simple_switch_grpc", "the reference switch behind P4Runtime", "--version", OLDEST_BMV2),
    Tool("simple_switch_CLI", "its command line, for queue settings", "--help"),
)


def missing() -> str | None:
    """What is not on PATH, does not run, or is too old, and how to get it; None if nothing is."""
    absent = [f"{tool.name} ({tool.purpose})" for tool in TOOLS if shutil.which(tool.name) is None]
    if absent:
        return f"not on PATH: {', '.join(absent)}. {SOURCE}"
    wrong = [trouble for tool in TOOLS if (trouble := _trouble(tool)) is not None]
    return f"{'; '.join(wrong)}. {SOURCE}" if wrong else None


def versions() -> str:
    """What the tools say of themselves, in one line."""
    named = [tool for tool in TOOLS if tool.probe == "--version"]
    return ", ".join(f"{tool.name} {_version(_ask(tool).stdout) or 'of no version'}" for tool in named)


def _trouble(tool: Tool) -> str | None:
    where = f"{tool.name} at {shutil.which(tool.name)}"
    try:
        done = _ask(tool)
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"{where} does not run: {error}"
    if done.returncode != 0:
        said = (done.stderr or done.stdout).strip().splitlines() or ["it says nothing"]
        return f"{where} does not run, status {done.returncode}: {said[-1]}"
    if not tool.oldest:
        return None
    version = _version(done.stdout)
    numbers = tuple(int(number) for number in version.split(".")) if version else ()
    if numbers < tool.oldest:
        oldest = ".".join(map(str, tool.oldest))
        return f"{where} is version {version or 'unknown'}, and {oldest} is the oldest that will do"
    return None


def _ask(tool: Tool) -> subprocess.CompletedProcess[str]:
    return subprocess.run(  # noqa: S603
        [tool.name, tool.probe], capture_output=True, text=True, check=False, timeout=ANSWER_S
    )


def _version(text: str) -> str | None:
    found = re.search(r"\d+(\.\d+)+", text)
    return found[0] if found else None
