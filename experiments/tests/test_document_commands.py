# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Runs the commands of README and documents, as in a fresh clone; parses those that cannot be run.

Commands are fenced as `sh`. What runs until it is stopped is started, and stopped at the end of its block.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
import time
from dataclasses import dataclass
from pathlib import Path

import click
import pytest
from document_commands import ANSWERS, EXCUSED, LASTING
from mecn_controller.commands.main import mecn

CHECKOUT = Path(__file__).resolve().parents[2]
DOCUMENTS = [CHECKOUT / "README.md", *sorted((CHECKOUT / "docs").rglob("*.md"))]
FENCE = re.compile(r"^```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)
INDENTED = re.compile(r"\n\n {4}(sudo|make|mecn[\w-]*|python|p4c|ns|valgrind|cd|apt) .*")
"""A block of commands that this test would not see."""
HERE_DOCUMENT = re.compile(r"<<(\w+)\n.*?^\1$", re.MULTILINE | re.DOTALL)
LOOP = re.compile(r"^for .*?^done$", re.MULTILINE | re.DOTALL)
SETTLE_S = 3.0
"""A command that fails at once has failed by then."""
PATIENCE_S = 300
SWITCH = 3
"""Lines of README's block that make a switch with the program run."""


@dataclass(frozen=True)
class Block:
    """Commands that stand together."""

    document: Path
    line: int
    commands: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.document.relative_to(CHECKOUT)}:{self.line}"


def blocks() -> list[Block]:
    found = []
    for document in DOCUMENTS:
        text = document.read_text(encoding="utf-8")
        for match in FENCE.finditer(text):
            body = LOOP.sub("for k in ...", HERE_DOCUMENT.sub("", match[1])).replace("\\\n", " ")
            commands = tuple(
                command for line in body.splitlines() if (command := line.partition("  #")[0].strip())
            )
            found.append(Block(document, text.count("\n", 0, match.start()) + 1, commands))
    return found


BLOCKS = blocks()


def excuse(command: str) -> str | None:
    return next((why for start, why in EXCUSED.items() if f"{command} ".startswith(start)), None)


def runnable(block: Block) -> list[str]:
    return [command for command in block.commands if excuse(command) is None]


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_commands_are_fenced(document: Path) -> None:
    assert not INDENTED.findall(document.read_text(encoding="utf-8"))


def test_every_document_is_looked_at_and_every_excuse_is_used() -> None:
    commands = [command for block in BLOCKS for command in block.commands]
    assert len(commands) > 50
    unused = [start for start in EXCUSED if not any(f"{command} ".startswith(start) for command in commands)]
    assert not unused


def _words(command: str) -> list[str]:
    """The words after `mecn`, without what the shell makes of the end."""
    words = shlex.split(command.removeprefix("sudo ").removeprefix(".venv/bin/"))
    ends = [index for index, word in enumerate(words) if word in (">", "&", "|")]
    return words[1 : ends[0] if ends else len(words)]


@pytest.mark.parametrize("block", BLOCKS, ids=str)
def test_commands_and_options_exist(block: Block) -> None:
    """Also of those that a test cannot run."""
    for command in block.commands:
        if re.match(r"(sudo )?(\.venv/bin/)?mecn ", command):
            context: click.Context | None = None
            known: click.Command = mecn
            words = _words(command)
            while True:
                context = known.make_context("mecn", words, parent=context)
                if not isinstance(known, click.Group):
                    break
                name, known_or_none, words = known.resolve_command(
                    context, [*context._protected_args, *context.args]
                )
                assert name is not None
                assert known_or_none is not None
                known = known_or_none


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """What git has of the checkout; nothing that was built."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=CHECKOUT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split("\0")
    for name in filter(None, listed):
        if (CHECKOUT / name).is_file():
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(CHECKOUT / name, tmp_path / name)
    return tmp_path


def _isolated() -> list[str]:
    """A network of their own for the commands, so that the documents' port numbers are free."""
    command = ["unshare", "--user", "--map-root-user", "--net"]
    if shutil.which("unshare") is None or subprocess.run([*command, "true"], capture_output=True).returncode:
        return []
    return [*command, "sh", "-c", 'ip link set lo up; exec "$@"', "sh"]


SCRIPT = """
import os, shlex, signal, subprocess, sys, time
settle, patience = float(sys.argv[1]), float(sys.argv[2])
answers = eval(sys.argv[3])
lasting = []
def failed(command, status, output):
    sys.exit(f"{command}: exit status {status}\\n{output}")
def check():
    for command, process, output in lasting:
        if process.poll() not in (None, 0):
            failed(command, process.returncode, open(output).read())
try:
    for number, line in enumerate(sys.argv[4:]):
        stays, command = line[0] == "+", line[1:]
        output = f"output-{number}.txt"
        with open(output, "w") as file:
            process = subprocess.Popen(
                ["sh", "-c", "exec " + command if stays else command], stdout=file, stderr=subprocess.STDOUT
            )
        if stays:
            lasting.append((command, process, output))
            time.sleep(settle)
        else:
            status = process.wait(patience)
            allowed = next((ok for start, ok in answers.items() if command.startswith(start)), (0,))
            if status not in allowed:
                failed(command, status, open(output).read())
        check()
finally:
    for command, process, output in reversed(lasting):
        process.send_signal(signal.SIGINT)
    for command, process, output in lasting:
        process.wait(patience)
for command, process, output in lasting:
    if process.returncode not in (0, 130):
        failed(command, process.returncode, open(output).read())
"""


@pytest.mark.parametrize("block", [block for block in BLOCKS if runnable(block)], ids=str)
def test_commands_run(block: Block, clone: Path) -> None:
    commands = runnable(block)
    talks = any(command.startswith(("mecn serve", "mecn watch", "mecn rollback")) for command in commands)
    if talks:
        readme = next(each for each in BLOCKS if any("mecn-switch --device-id" in c for c in each.commands))
        commands = [*readme.commands[:SWITCH], *commands]
    lines = []
    for command in commands:
        stays = f"{command}  ".startswith(LASTING)
        lines.append(("+" if stays else "-") + command.removesuffix("&").strip())
    environment = {
        **os.environ,
        "PATH": f"{sysconfig.get_path('scripts')}:{os.environ['PATH']}",
        "XDG_STATE_HOME": str(clone / "state"),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    environment.pop("DISPLAY", None)
    environment.pop("WAYLAND_DISPLAY", None)
    began = time.monotonic()
    done = subprocess.run(
        [*_isolated(), sys.executable, "-c", SCRIPT, str(SETTLE_S), str(PATIENCE_S), repr(ANSWERS), *lines],
        cwd=clone,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"{block}, after {time.monotonic() - began:.0f} s:\n{done.stderr}"
