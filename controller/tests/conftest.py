# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import importlib.util
import signal
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

    from tests import meddler, switches, traffic
    from tests.meddler import Meddler
    from tests.switches import Switch
    from tests.traffic import Testbed


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


# The reference model of averages and draws is shared with the packet tests that run in process.
sys.path.append(str(Path(__file__).resolve().parents[2] / "ptf-tests" / "virtual"))

# Test modules import these by their unique names.
_beside("command")
_beside("serving")
if not TYPE_CHECKING:
    switches = _beside("switches")
    meddler = _beside("meddler")
    traffic = _beside("traffic")


def pytest_configure() -> None:
    """Termination unwinds the stack, so that switches and interfaces are removed."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)


@pytest.fixture(autouse=True)
def _own_state(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """No test reads or writes the history of who runs it."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))


@pytest.fixture(params=("embedded", "bmv2"))
def target(request: pytest.FixtureRequest) -> str:
    """Which switch a test runs on."""
    if (reason := switches.missing(request.param)) is not None:
        pytest.skip(reason)
    return str(request.param)


@pytest.fixture
def bare(target: str) -> Iterator[Switch]:
    """A switch without a program."""
    with switches.started(target) as switch:
        yield switch


@pytest.fixture
def server(bare: Switch) -> Switch:
    """A switch with the program and routes."""
    bare.load(switches.ROUTES)
    return bare


@pytest.fixture
def switch(bare: Switch) -> Iterator[Meddler]:
    """What stands in front of a switch without a program."""
    between = meddler.Meddler(bare)
    yield between
    between.stop()


@pytest.fixture
def loaded(switch: Meddler) -> Meddler:
    """What stands in front of a switch that runs the program."""
    switch.load(switch.behind.program)
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


@pytest.fixture
def testbed(target: str) -> Iterator[Testbed]:
    """A switch with the program, routes, and a wire by which packets come."""
    if (reason := traffic.missing(target)) is not None:
        pytest.skip(reason)
    with traffic.testbed(target) as made:
        yield made
