# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.fake_switch import FakeSwitch


def new_fake_switch() -> FakeSwitch:
    """Test modules are imported by path, so the module beside them is, too."""
    name = "mecn_controller_fake_switch"
    if name not in sys.modules:
        path = Path(__file__).with_name("fake_switch.py")
        spec = importlib.util.spec_from_file_location(name, path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        spec.loader.exec_module(module)
    fake: FakeSwitch = sys.modules[name].FakeSwitch()
    return fake


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
