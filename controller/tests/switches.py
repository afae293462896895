# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""The switches that the controller is tested with, each with the program as its own compiler makes it."""

from __future__ import annotations

import functools
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from finsy.proto import p4i
from google.protobuf import text_format
from mecn_controller import Route
from mecn_controller.runtime.session import apply_sync
from mecn_native import compile_p4
from mecn_switch import P4RuntimeServer, Tls
from mecn_topo.lab import bmv2
from mecn_topo.lab.switch_process import Bmv2Process

if TYPE_CHECKING:
    from mecn_controller.policy.routes import AnyRoute

SOURCE = Path(__file__).resolve().parents[2] / "p4src" / "mecn_v1model.p4"
TARGETS = ("embedded", "bmv2")
ROUTES = [Route(f"10.0.{port}.0/24", port, "02:00:00:00:02:fe", "02:00:00:00:02:01") for port in (2, 3)]


@dataclass(frozen=True)
class Program:
    """What a compiler made of the P4 program."""

    p4info: str
    bmv2_json: str

    def without(self, table: str) -> Program:
        """The same, but P4Info does not know a table and what only that uses."""
        info = text_format.Parse(self.p4info, p4i.P4Info())
        (gone,) = (each for each in info.tables if each.preamble.name == table)
        info.tables.remove(gone)
        used = {action.id for each in info.tables for action in each.action_refs}
        for action in [each for each in info.actions if each.preamble.id not in used]:
            info.actions.remove(action)
        return Program(text_format.MessageToString(info), self.bmv2_json)


@dataclass(frozen=True)
class Keys:
    """Files for mutual TLS."""

    ca: Path
    certificate: Path
    key: Path


class Switch(ABC):
    """A switch in operation as device 1."""

    name: str
    address: str

    @property
    @abstractmethod
    def program(self) -> Program:
        """The P4 program for it."""

    @abstractmethod
    def stop(self) -> None:
        """End it."""

    def load(self, routes: Sequence[AnyRoute] = ()) -> None:
        """Give it the program, and routes."""
        apply_sync(
            [],
            address=self.address,
            p4info_text=self.program.p4info,
            bmv2_json=self.program.bmv2_json,
            routes=routes,
        )


class Embedded(Switch):
    """The embedded switch in this process."""

    name = "embedded"

    def __init__(self, tls: Keys | None = None) -> None:
        secured = None if tls is None else Tls.from_files(tls.certificate, tls.key, tls.ca, client_auth=True)
        self.server = P4RuntimeServer(address="127.0.0.1:0", tls=secured).start()
        self.address = self.server.address

    @property
    def program(self) -> Program:
        return _by_mecn_p4c()

    def stop(self) -> None:
        self.server.stop()


class Bmv2(Switch):
    """`simple_switch_grpc`."""

    name = "bmv2"

    def __init__(self, ports: Sequence[tuple[int, str]] = (), tls: Keys | None = None) -> None:
        options = [] if tls is None else [
            "--grpc-server-ssl", "--grpc-server-with-client-auth", "--grpc-server-cacert", str(tls.ca),
            "--grpc-server-cert", str(tls.certificate), "--grpc-server-key", str(tls.key),
        ]  # fmt: skip
        self.process = Bmv2Process(ports, target_options=options).start()
        self.address = self.process.address
        self._stopped = False

    @property
    def program(self) -> Program:
        return _by_p4c()

    def stop(self) -> None:
        """Raises SwitchDiedError with its last log lines if it has ended by itself."""
        if not self._stopped:
            self._stopped = True
            self.process.__exit__(None, None, None)


@functools.cache
def _by_mecn_p4c() -> Program:
    compiled = compile_p4(SOURCE, [SOURCE.parent])
    return Program(compiled.p4info, compiled.bmv2_json)


@functools.cache
def _by_p4c() -> Program:
    return Program(*bmv2.compile_program(SOURCE))


def missing(name: str) -> str | None:
    """Why a target cannot run here; None if it can."""
    return bmv2.missing() if name == "bmv2" else None


@contextmanager
def started(name: str, *, ports: Sequence[tuple[int, str]] = (), tls: Keys | None = None) -> Iterator[Switch]:
    """A switch without a program."""
    switch: Switch = Embedded(tls) if name == "embedded" else Bmv2(ports, tls)
    try:
        yield switch
    finally:
        switch.stop()
