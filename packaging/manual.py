# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Writes manual pages and shell completions of the commands: python packaging/manual.py SHARE_FOLDER.

Pages are made of the commands' own help: mecn(1), one page for each of its commands, mecn-switch(1) and
mecn-p4c(1). Completions are click's.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import click
from mecn_controller.commands.main import mecn

BIN = Path(sys.executable).parent
OTHERS = {
    "mecn-switch": "the embedded P4 switch behind P4Runtime",
    "mecn-p4c": "compile P4-16 to BMv2 JSON and P4Info",
}
COMPLETIONS = {
    "bash": "bash-completion/completions/mecn",
    "zsh": "zsh/site-functions/_mecn",
    "fish": "fish/vendor_completions.d/mecn.fish",
}


def roff(text: str) -> str:
    """Text as man sees it: no requests, no escapes."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return re.sub(r"^([.'])", r"\\&\1", text, flags=re.MULTILINE)


def page(name: str, says: str, sections: list[tuple[str, str]]) -> str:
    """A manual page; sections are in roff."""
    version = metadata.version("mecn")
    head = f'.TH "{roff(name.upper())}" "1" "" "mecn {version}" "mecn"\n'
    head += f".SH NAME\n{roff(name)} \\- {roff(says)}\n"
    return head + "".join(f".SH {title}\n{text}\n" for title, text in sections)


def _paragraphs(text: str) -> str:
    return "\n.PP\n".join(roff(" ".join(part.split())) for part in text.split("\n\n"))


def _options(command: click.Command, context: click.Context) -> str:
    records = [record for param in command.get_params(context) if (record := param.get_help_record(context))]
    return "\n".join(f".TP\n\\fB{roff(names)}\\fR\n{roff(help_)}" for names, help_ in records)


def pages_of(command: click.Command, path: tuple[str, ...]) -> dict[str, str]:
    """The page of a command; of a group also those of its commands."""
    context = click.Context(command, info_name=" ".join(path))
    usage = " ".join(command.collect_usage_pieces(context))
    sections = [
        ("SYNOPSIS", f"\\fB{roff(' '.join(path))}\\fR {roff(usage)}"),
        ("DESCRIPTION", _paragraphs(command.help or "")),
        ("OPTIONS", _options(command, context)),
    ]
    found: dict[str, str] = {}
    if isinstance(command, click.Group):
        rows = []
        for name in command.list_commands(context):
            inner = command.get_command(context, name)
            assert inner is not None
            rows.append(f".TP\n\\fB{roff(name)}\\fR\n{roff(inner.get_short_help_str(200))}")
            found |= pages_of(inner, (*path, name))
        sections.append(("COMMANDS", "\n".join(rows)))
    name = "-".join(path)
    says = command.get_short_help_str(200).rstrip(".")
    return {name: page(name, says, sections), **found}


def help_page(name: str, says: str) -> str:
    """The page of a command that is not click's: its help as it is."""
    done = subprocess.run([str(BIN / name), "--help"], capture_output=True, text=True, check=True)  # noqa: S603
    return page(name, says, [("DESCRIPTION", f".nf\n{roff(done.stdout.rstrip())}\n.fi")])


def write(share: Path) -> None:
    """All files below share."""
    pages = pages_of(mecn, ("mecn",)) | {name: help_page(name, says) for name, says in OTHERS.items()}
    files = {share / "man/man1" / f"{name}.1": text for name, text in pages.items()}
    for shell, name in COMPLETIONS.items():
        done = subprocess.run(  # noqa: S603
            [str(BIN / "mecn")],
            env={**os.environ, "_MECN_COMPLETE": f"{shell}_source"},
            capture_output=True,
            text=True,
            check=False,
        )
        files[share / name] = done.stdout
    for path, text in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    write(Path(sys.argv[1]))
