# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Configures the switches of a Mininet network that have just started: queues, program, routes, profiles."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

from mecn_controller import Route
from mecn_controller.errors import ControllerError
from mecn_controller.policy.profile import parse_profile
from mecn_controller.runtime.session import SwitchSession

from ..lab import bmv2
from ..lab.kernel import LabError


async def configure(data: dict[str, Any]) -> None:
    """All switches, one after the other. Raises ControllerError, LabError."""
    for switch in data["switches"]:
        number = switch["number"]
        async with SwitchSession(switch["address"], device_id=number) as session:
            await session.set_pipeline(data["p4info"], data["bmv2_json"])
            if switch["queues"]:
                bmv2.configure(number, switch["queues"])
            await session.write_routes([Route(*row) for row in switch["routes"]])
            for port, profile in switch["profiles"]:
                await session.apply_profile(parse_profile(profile), port=port, drain_s=0)


def main() -> int:
    """The command: configure FILE."""
    try:
        asyncio.run(configure(json.loads(Path(sys.argv[1]).read_text())))
    except (ControllerError, LabError) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
