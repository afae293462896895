# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""A running server, and a primary controller that has pushed the test program."""

from collections.abc import Iterator

import pytest
from mecn_switch import P4RuntimeServer

from . import program
from .client import Client


@pytest.fixture
def server() -> Iterator[P4RuntimeServer]:
    with P4RuntimeServer(address="127.0.0.1:0") as running:
        yield running


@pytest.fixture
def client(server: P4RuntimeServer) -> Iterator[Client]:
    with Client(server.address) as controller:
        controller.set_config(program.config(cookie=7))
        yield controller
