# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""What `make install` writes beside the wheels; `make test-long ARGS=wheels` installs them."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from mecn_controller.commands.main import mecn

PACKAGING = Path(__file__).resolve().parents[2] / "packaging"
UNITS = sorted((PACKAGING / "systemd").glob("*.service"))


def test_every_command_has_a_manual_page_and_completions(tmp_path: Path) -> None:
    subprocess.run([sys.executable, PACKAGING / "manual.py", tmp_path], check=True)
    pages = {path.name: path.read_text() for path in (tmp_path / "man/man1").iterdir()}
    commands = mecn.list_commands(mecn.make_context("mecn", [], resilient_parsing=True))
    assert {f"mecn-{name}.1" for name in commands} | {"mecn.1", "mecn-switch.1", "mecn-p4c.1"} <= set(pages)
    assert all(".SH DESCRIPTION\n" in page for page in pages.values())
    assert "\\-\\-max\\-p P" in pages["mecn-experiment-run.1"]
    assert "\\-\\-runtime\\-json" in pages["mecn-switch.1"]
    for name in ("bash-completion/completions/mecn", "zsh/site-functions/_mecn"):
        assert "_MECN_COMPLETE" in (tmp_path / name).read_text()


@pytest.mark.parametrize("unit", UNITS, ids=lambda path: path.stem)
def test_units_are_valid_and_give_few_privileges(unit: Path, tmp_path: Path) -> None:
    text = unit.read_text()
    assert "CapabilityBoundingSet=" in text
    assert "NoNewPrivileges=yes" in text
    assert ("DynamicUser=yes" in text) == (unit.stem != "mecn-host")
    if shutil.which("systemd-analyze") is None:
        pytest.skip("systemd-analyze is not on PATH (Debian: systemd)")
    copy = tmp_path / unit.name
    copy.write_text(re.sub(r"@BIN@/[\w-]+", shutil.which("true") or "/bin/true", text))
    done = subprocess.run(["systemd-analyze", "verify", copy], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
