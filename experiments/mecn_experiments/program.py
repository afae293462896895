# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""From P4 source to configured switches: compile, serve P4Runtime, let the controller push, verify, fork.

Each router is an embedded switch behind a P4Runtime server of its own on a loopback port. The controller
does to it what it would do to any switch; only then is the configured switch taken into virtual time.
"""

from __future__ import annotations

import asyncio
import hashlib
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import mecn_native
from mecn_controller import Route as ControllerRoute
from mecn_controller.errors import ControllerError
from mecn_controller.push import SwitchSession
from mecn_switch import P4RuntimeServer

from .errors import ExperimentError
from .files import staged, writable_directory

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from mecn_controller.profile import Profile
    from mecn_topo import Route

CHECKOUT = Path(__file__).resolve().parents[2]
P4_PROGRAM = CHECKOUT / "p4src" / "mecn_v1model.p4"
BUILD = CHECKOUT / "build"


@dataclass(frozen=True)
class Program:
    """A compiled data plane."""

    bmv2_json: str
    p4info: str

    @property
    def digests(self) -> dict[str, str]:
        """SHA-256 of both parts, which say exactly which program a result comes from."""
        return {
            "bmv2_json_sha256": hashlib.sha256(self.bmv2_json.encode()).hexdigest(),
            "p4info_sha256": hashlib.sha256(self.p4info.encode()).hexdigest(),
        }


def compile_program(source: Path) -> Program:
    """Compiles a P4 program; of the data plane's own, BMv2 JSON and P4Info are left in the build folder."""
    if not source.is_file():
        raise ExperimentError(f"{source}: the P4 program is missing")
    try:
        compiled = mecn_native.compile_p4(str(source))
    except mecn_native.P4Error as error:
        raise ExperimentError(f"{source}: does not compile:\n{error}") from None
    program = Program(compiled.bmv2_json, compiled.p4info)
    if source.resolve() != P4_PROGRAM:
        return program
    with staged(writable_directory(BUILD)) as staging:
        (staging / f"{source.stem}.json").write_text(program.bmv2_json, encoding="utf-8")
        (staging / f"{source.stem}.p4info.txtpb").write_text(program.p4info, encoding="utf-8")
    return program


@dataclass(frozen=True)
class Push:
    """A profile to push: to the port that watches over the bottleneck."""

    key: str
    profile: Profile
    port: int


def configure(
    program: Program,
    routes: Mapping[str, Sequence[Route]],
    pushes: Sequence[Push],
    *,
    at: str,
    pushed: Callable[[str], None],
) -> dict[str, dict[str, mecn_native.Switch]]:
    """Lets the controller set up every switch over P4Runtime.

    routes: by switch. The profiles go to the switch `at`, one after another; after each one all switches
    are forked. pushed: called with the key of each profile that is in place and verified. Returns the
    switches by key and name.
    """
    try:
        return asyncio.run(_configure(program, routes, pushes, at, pushed))
    except ControllerError as error:
        raise ExperimentError(f"the controller could not set up the switch: {error}") from None
    except OSError as error:
        raise ExperimentError(f"the P4Runtime server could not be started: {error}") from None


async def _configure(
    program: Program,
    routes: Mapping[str, Sequence[Route]],
    pushes: Sequence[Push],
    at: str,
    pushed: Callable[[str], None],
) -> dict[str, dict[str, mecn_native.Switch]]:
    configured: dict[str, dict[str, mecn_native.Switch]] = {}
    async with AsyncExitStack() as stack:
        servers: dict[str, P4RuntimeServer] = {}
        sessions: dict[str, SwitchSession] = {}
        for device_id, (name, table) in enumerate(routes.items(), start=1):
            server = stack.enter_context(P4RuntimeServer(address="127.0.0.1:0", device_id=device_id))
            session = await stack.enter_async_context(SwitchSession(server.address, device_id=device_id))
            await session.set_pipeline(program.p4info, program.bmv2_json)
            await session.write_routes(
                [ControllerRoute(row.prefix, row.port, row.src_mac, row.dst_mac) for row in table]
            )
            servers[name], sessions[name] = server, session
        for push in pushes:
            await sessions[at].apply_profile(push.profile, port=push.port, drain_s=0)
            configured[push.key] = {name: server.switch.fork(0) for name, server in servers.items()}
            pushed(push.key)
    return configured
