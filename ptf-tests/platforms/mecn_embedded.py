# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""PTF platform: the embedded switch in this process, in virtual time, behind P4Runtime on a loopback port.

`--platform-args` is the folder with the compiled program.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import ptf.dataplane
from mecn_switch import P4RuntimeServer

from mecn_ptf.frames import CPU_PORT, PORTS
from mecn_ptf.targets import InProcess, Program
from mecn_ptf.virtual_dataplane import VirtualDataPlane, VirtualPort
from mecn_ptf.virtual_time import VirtualSwitch

DEVICE_ID = 1


def platform_config_update(config: dict[str, Any]) -> None:
    """Starts the switch; PTF calls it once."""
    folder = Path(config["platform_args"])
    program = Program.read(folder / "mecn.json", folder / "mecn.p4info.txtpb")
    switch = VirtualSwitch(cpu_port=CPU_PORT)
    server = P4RuntimeServer(address="127.0.0.1:0", device_id=DEVICE_ID, dataplane=switch).start()

    def port(_name: str, _device: int, number: int, _config: object) -> VirtualPort:
        return VirtualPort(switch, number)

    VirtualDataPlane.switch = switch
    VirtualDataPlane.on_kill = staticmethod(server.stop)
    ptf.dataplane.DataPlane = VirtualDataPlane
    config["dataplane"] = {"portclass": port}
    config["port_map"] = {(0, number): f"virtual{number}" for number in PORTS}
    config["mecn_target"] = InProcess(server.address, DEVICE_ID, program, switch)
