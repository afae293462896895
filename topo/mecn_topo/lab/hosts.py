# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""How the TCP of a lab's hosts is set up: by sysctls of their namespace, the route, and `mecn-host`."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from .kernel import CannotRunError, LabError, available_congestion_controls

if TYPE_CHECKING:
    from .kernel import Commands

PEERS = "10.0.0.0/8"
"""All hosts of a topology, see mecn_topo.addressing."""
CHECKOUT = Path(__file__).resolve().parents[3]


@dataclass(frozen=True, slots=True)
class HostTcp:
    """The TCP of all hosts. None: as the kernel has it."""

    congestion: str = "mecn"
    """mecn is multi-level ECN by mecn-host; the others answer RFC 3168's echo (dctcp: its own)."""
    ecn: bool = True
    sack: bool | None = None
    timestamps: bool | None = None
    window_scaling: bool | None = None
    delayed_acks: bool | None = None
    initial_window: int | None = None
    """Packets."""
    min_rto_s: float | None = None
    window_bytes: int | None = None
    """What a receiver offers at most, and so the most that a sender has outstanding."""

    def sysctls(self) -> dict[str, str]:
        """Of the hosts' namespaces."""
        found = {
            "net.ipv4.tcp_ecn": "1" if self.ecn else "0",
            # A lost SYN is repeated as it was: it was the queue, not a middlebox (RFC 3168, section 6.1.1.1).
            "net.ipv4.tcp_ecn_fallback": "0",
            # A connection shall not begin with what another one has learnt.
            "net.ipv4.tcp_no_metrics_save": "1",
        }
        named = {"sack": self.sack, "timestamps": self.timestamps, "window_scaling": self.window_scaling}
        found |= {
            f"net.ipv4.tcp_{name}": str(int(value)) for name, value in named.items() if value is not None
        }
        if self.window_bytes is not None:
            # The kernel counts its own overhead in, of small packets more than their length; and it would
            # lift the limit again when it tunes the buffer.
            room = max(131_072, 8 * self.window_bytes)
            found |= {"net.ipv4.tcp_rmem": f"4096 {room} {room}", "net.ipv4.tcp_moderate_rcvbuf": "0"}
        return found

    def route_options(self) -> list[str]:
        """Of `ip route`."""
        options = ["congctl", self.congestion]
        if self.delayed_acks is False:
            options += ["quickack", "1"]
        if self.initial_window is not None:
            options += ["initcwnd", str(self.initial_window)]
        if self.min_rto_s is not None:
            options += ["rto_min", f"{round(self.min_rto_s * 1000)}ms"]
        if self.window_bytes is not None:
            options += ["window", str(self.window_bytes)]
        return options


PAPER_TCP = HostTcp(
    sack=False,
    timestamps=False,
    window_scaling=False,
    delayed_acks=False,
    initial_window=1,
    min_rto_s=1.0,
)
"""As near to the papers' simulators as Linux comes.

No SACK, 40 bytes of headers, windows up to 65535 bytes, an acknowledgement for each packet. Linux keeps its
own loss recovery: NewReno with what it has learnt since.
"""


def mecn_host() -> Path | None:
    """Where `mecn-host` is: the environment variable MECN_HOST, PATH, beside `mecn`, or where it is built."""
    named = os.environ.get("MECN_HOST")
    if named:
        return Path(named)
    found = shutil.which("mecn-host")
    if found:
        return Path(found)
    if (beside := Path(sys.executable).parent / "mecn-host").is_file():
        return beside
    target = os.environ.get("CARGO_TARGET_DIR")
    folders = ([Path(target)] if target else []) + [CHECKOUT / "hosts" / "bpf" / "target"]
    for folder in folders:
        if (folder / "release" / "mecn-host").is_file():
            return folder / "release" / "mecn-host"
    return None


def checked(tcp: HostTcp, commands: Commands) -> HostTcp:
    """The same if this machine can do it. Raises :class:`CannotRunError` with what is missing."""
    instead = "; --tcp reno runs classic ECN instead"
    if tcp.congestion == "mecn":
        program = mecn_host()
        if program is None:
            raise CannotRunError(
                "multi-level ECN on Linux hosts needs mecn-host (make host, which needs clang and bpftool)"
                + instead
            )
        try:
            commands.run([str(program), "probe"])
        except LabError as error:
            raise CannotRunError(f"this kernel cannot run mecn-host: {error}{instead}") from None
    elif tcp.congestion not in available_congestion_controls():
        known = ", ".join(available_congestion_controls())
        raise CannotRunError(f"this kernel has no congestion control {tcp.congestion}; it has {known}")
    return tcp


def best_available(tcp: HostTcp, commands: Commands) -> tuple[HostTcp, str]:
    """Multi-level ECN, or Reno with classic ECN where that cannot be; and why not, else an empty text."""
    try:
        return checked(replace(tcp, congestion="mecn"), commands), ""
    except CannotRunError as error:
        return checked(replace(tcp, congestion="reno"), commands), str(error)


def up(namespace: str, betas: tuple[float, float, float]) -> list[str]:
    """Command that gives a host's namespace multi-level ECN."""
    options = [f"--beta{level}={beta:g}" for level, beta in enumerate(betas, start=1)]
    return [str(mecn_host()), "up", "--netns", namespace, "-i", "eth0", "-p", PEERS, *options]


def down(namespace: str) -> list[str]:
    """Command that takes it away; none if it is not there."""
    command, netns = shlex.quote(str(mecn_host())), f"--netns {shlex.quote(namespace)}"
    # Not an error if `up` was never reached.
    return ["sh", "-c", f"{command} status {netns} >/dev/null 2>&1 || exit 0; {command} down {netns}"]


def statistics(namespace: str, commands: Commands) -> dict[str, int]:
    """Counters of `mecn-host` in one namespace, such as "reductions incipient"."""
    text = commands.run([str(mecn_host()), "status", "--netns", namespace, "--json"])
    try:
        (instance,) = json.loads(text)["namespaces"]
        return {
            f"{of['metric']} {of.get('label_value', '')}".strip(): int(of["value"])
            for of in instance["counters"]
        }
    except (KeyError, TypeError, ValueError) as error:
        raise LabError(f"mecn-host status: not as expected: {error!r}") from None
