# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import importlib.util
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

    from tests.fake_switch import FakeSwitch


def _beside(name: str) -> ModuleType:
    """Test modules are imported by path, so the modules beside them are, too."""
    unique = f"mecn_controller_{name}"
    if unique not in sys.modules:
        spec = importlib.util.spec_from_file_location(unique, Path(__file__).with_name(f"{name}.py"))
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[unique] = module
        spec.loader.exec_module(module)
    return sys.modules[unique]


def new_fake_switch() -> FakeSwitch:
    fake: FakeSwitch = _beside("fake_switch").FakeSwitch()
    return fake


# Test modules import these by their unique names.
_beside("serving")
_beside("traffic")


@pytest.fixture(autouse=True)
def _own_state(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """No test reads or writes the history of who runs it."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))


@pytest.fixture
def switch() -> Iterator[FakeSwitch]:
    """A switch without a program."""
    fake = new_fake_switch()
    fake.start()
    yield fake
    fake.stop()


@pytest.fixture
def loaded(switch: FakeSwitch) -> FakeSwitch:
    """A switch that runs the program."""
    switch.load(switch.p4info())
    return switch


@dataclass(frozen=True)
class Compiled:
    """What p4c made of the data plane for one generation of Tofino."""

    status: int
    said: str
    folder: Path


@pytest.fixture(scope="session")
def tofino() -> ModuleType:
    """The compiler for Tofino (.ci/tofino.py); tests that need it are skipped without it."""
    path = Path(__file__).resolve().parents[2] / ".ci" / "tofino.py"
    spec = importlib.util.spec_from_file_location("mecn_ci_tofino", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    if (reason := module.missing()) is not None:
        pytest.skip(reason)
    return module


@pytest.fixture(scope="session")
def compiled(tofino: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Compiled]:
    """Both generations, compiled once for all tests."""
    folder = tmp_path_factory.mktemp("tofino")
    found = {}
    for target in tofino.TARGETS:
        status, said = tofino.compile_for(target, folder / target)
        found[target] = Compiled(status, said, folder / target)
    return found
