# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""PTF platform: a switch in a process of its own, between network interfaces that `--interface` names.

`--platform-args` is a JSON object: kind (veth or bmv2), address, device_id, folder of the compiled program,
and how queues are set: ctl_socket of mecn-switch.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from mecn_ptf.targets import Bmv2, EmbeddedProcess, Program, Target


def platform_config_update(config: dict[str, Any]) -> None:
    """Says where the switch is; PTF calls it once."""
    given = json.loads(config["platform_args"])
    folder = Path(given["folder"])
    program = Program.read(folder / "mecn.json", folder / "mecn.p4info.txtpb")
    where = (given["address"], given["device_id"], program)
    veth = given["kind"] == "veth"
    target: Target = EmbeddedProcess(*where, Path(given["ctl_socket"])) if veth else Bmv2(*where)
    config["port_map"] = {(device, port): interface for device, port, interface in config["interfaces"]}
    config["mecn_target"] = target
