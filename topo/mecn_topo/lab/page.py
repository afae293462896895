# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""The live page of a network in real time: `mecn serve` beside its switches.

A lab's switches are in a network namespace without a name. The page's socket is made in the namespace that
the lab was started from, where browsers are, and handed to `mecn serve` inside.
"""

from __future__ import annotations

import socket
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import yaml
from mecn_controller.policy.profile import profile_yaml

from .kernel import LabError, at_home

if TYPE_CHECKING:
    from ..description import Scenario
    from .network import Network

REPORT_MS = 200.0
"""How often the watched switch reports, where its profiles do not say."""
ELECTION_ID = 2
"""Above that of the controller that sets the switches up."""
NAME = "-page"
"""The process, among those of a lab. No switch has such a name."""
START_S = 60.0


def open_socket(host: str, port: int, *, or_any: bool) -> socket.socket:
    """A socket in the namespace that this process came from. or_any: another port where this one is taken."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET

    def make(number: int) -> socket.socket:
        return at_home(lambda: socket.create_server((host, number), family=family))

    try:
        return make(port)
    except OSError as error:
        if or_any:
            return make(0)
        raise LabError(f"{host}:{port}: the page cannot be served there: {error.strerror}") from None


def url_of(page: socket.socket) -> str:
    """What to type into a browser."""
    host, port = page.getsockname()[:2]
    return f"http://{f'[{host}]' if ':' in host else host}:{port}/"


def page_command(scenario: Scenario, folder: Path, address: str, device_id: int) -> list[str]:
    """`mecn serve` for the switch of the first queue that has a profile, without where the page is.

    Its files go to the folder. Its profiles are the scenario's, with reports.
    """
    watched = scenario.placements[0].switch
    assignments = []
    for of in scenario.placements:
        if of.switch == watched:
            profile = of.profile
            if profile.report_period_ms is None:
                profile = profile.replace(report_period_ms=REPORT_MS)
            name = f"page-{of.port}.yaml"
            (folder / name).write_text(profile_yaml(profile))
            assignments.append({"ports": [of.port], "profile": name})
    deployment = folder / "page.yaml"
    deployment.write_text(yaml.safe_dump({"assignments": assignments}))
    command = [str(Path(sys.executable).parent / "mecn"), "serve", str(deployment), "--no-history"]
    return [
        *command, "--address", address, "--device-id", str(device_id), "--election-id", str(ELECTION_ID)
    ]  # fmt: skip


def start_page(network: Network, page: socket.socket, address: str) -> None:
    """Starts it in a lab; returns when it serves."""
    watched = network.scenario.placements[0].switch
    command = page_command(network.scenario, network.folder, address, network.number(watched))
    fd = page.fileno()
    process = network.start(NAME, None, [*command, "--web-fd", str(fd)], pass_fds=(fd,))
    deadline = time.monotonic() + START_S
    while '"primary"' not in network.log(NAME):
        if process.poll() is not None or time.monotonic() > deadline:
            raise LabError(f"the page does not start: {network.log(NAME).strip() or 'no answer'}")
        time.sleep(0.05)
