# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""The wheel of `mecn` by itself, away from the checkout: with program and profiles inside."""

import os
import subprocess
import sys
import zipfile
from email.parser import Parser
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).resolve().parents[2]
MAIN = "from mecn_controller.commands.main import main; main()"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    options = ["--quiet", "--no-deps", "--no-build-isolation", "--disable-pip-version-check"]
    subprocess.run([sys.executable, "-m", "pip", "wheel", *options, "-w", folder, CHECKOUT], check=True)
    (found,) = folder.glob("mecn-*.whl")
    return found


def test_it_asks_for_the_extension_module(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        metadata = Parser().parsestr(archive.read(name).decode())
    assert any(line.startswith("mecn-native") for line in metadata.get_all("Requires-Dist", []))


def test_simulate_and_an_experiment_run_from_it(wheel: Path, tmp_path: Path) -> None:
    """The other requirements are this environment's."""
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path / "installed")
    environment = {**os.environ, "PYTHONPATH": str(tmp_path / "installed")}
    where = "import mecn_experiments.program as p; print(p.P4_PROGRAM)"
    profile = tmp_path / "installed" / "mecn_controller" / "profiles" / "mecn-high.yaml"
    commands = [
        [sys.executable, "-c", where],
        [sys.executable, "-c", MAIN, "check", str(profile)],
        [sys.executable, "-c", MAIN, "simulate", "003", "--duration", "1s", "--seeds", "1"],
        [sys.executable, "-c", MAIN, "experiment", "run", "003", "fig6", "--seeds", "1", "--duration", "25"],
    ]
    outputs = []
    for command in commands:
        done = subprocess.run(
            command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        outputs.append(done.stdout)
    assert outputs[0].strip() == str(tmp_path / "installed/mecn_experiments/p4src/mecn_v1model.p4")
    assert (tmp_path / "results" / "003" / "003.parquet").exists()
    assert not (tmp_path / "build").exists()
