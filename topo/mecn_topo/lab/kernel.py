# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""What a lab asks of the kernel: namespaces, offloads, sysctls; and what this machine has."""

from __future__ import annotations

import contextlib
import ctypes
import os
import shutil
import subprocess
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol, TypeVar

from . import offloads
from .registry import CLONE_NEWNET, NAMESPACES, namespace_cookie

T = TypeVar("T")

PROVIDED_BY = {
    "ip": "iproute2",
    "nsenter": "util-linux",
    "tc": "iproute2",
    "iperf3": "iperf3",
    "tcpdump": "tcpdump",
}
"""Debian's packages of the commands that a lab runs."""


class LabError(Exception):
    """The lab cannot be built or run; one sentence that says why."""


class CannotRunError(LabError):
    """This machine lacks what the lab needs: what, and how to get it."""


class Commands(Protocol):
    """Runs commands. Tests have one that only writes them down."""

    def run(self, command: Sequence[str], text: str = "") -> str:
        """Runs a command with `text` as its input; returns its output. Raises :class:`LabError`."""


class RealCommands:
    """Runs commands on this machine."""

    def run(self, command: Sequence[str], text: str = "") -> str:
        """As :class:`Commands` says."""
        try:
            done = subprocess.run(  # noqa: S603
                list(command), input=text, capture_output=True, text=True, check=False, timeout=60
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise LabError(f"{' '.join(command)}: {error}") from None
        if done.returncode != 0:
            said = (done.stderr or done.stdout).strip()
            raise LabError(f"{' '.join(command)}{f' < {text!r}' if text else ''}: {said}")
        return done.stdout


def obstacle(*tools: str) -> str | None:
    """Why this process cannot build a lab that needs these commands; None if it can."""
    if os.geteuid() != 0:
        return "it needs root: network namespaces and packet sockets"
    missing = [tool for tool in ("ip", "nsenter", *tools) if shutil.which(tool) is None]
    if missing:
        packages = sorted({PROVIDED_BY[tool] for tool in missing if tool in PROVIDED_BY})
        return f"not on PATH: {', '.join(missing)} (Debian: apt install {' '.join(packages)})"
    libc = ctypes.CDLL(None, use_errno=True)
    result: list[str] = []

    def attempt() -> None:
        # In a thread of its own, whose namespace ends with it.
        if libc.unshare(CLONE_NEWNET) != 0:
            reason = os.strerror(ctypes.get_errno())
            result.append(f"network namespaces cannot be made here: {reason}")

    _in_thread(attempt)
    return result[0] if result else None


def _in_thread(call: Callable[[], T]) -> T:
    results: list[T] = []
    errors: list[BaseException] = []

    def body() -> None:
        try:
            results.append(call())
        except BaseException as error:  # noqa: BLE001 - raised again in the caller's thread
            errors.append(error)

    thread = threading.Thread(target=body)
    thread.start()
    thread.join()
    if errors:
        raise errors[0]
    return results[0]


def enter(namespace: str) -> None:
    """Moves this thread, and those that it starts, into a network namespace."""
    fd = os.open(NAMESPACES / namespace, os.O_RDONLY | os.O_CLOEXEC)
    try:
        enter_file(fd)
    finally:
        os.close(fd)


def enter_file(fd: int) -> None:
    """The same with the namespace's file, open."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.setns(fd, CLONE_NEWNET) != 0:
        raise LabError(f"cannot enter a network namespace: {os.strerror(ctypes.get_errno())}")


def own_namespace() -> int:
    """Moves the process into a network namespace of its own, once, and gives its cookie.

    It has no name and goes with the process and its children. gRPC makes its connections in threads of its
    own, so a process must not change its namespace after it has first used gRPC: this is called before.
    """
    global _own_namespace, _home
    if _own_namespace == 0:
        libc = ctypes.CDLL(None, use_errno=True)
        _home = os.open("/proc/thread-self/ns/net", os.O_RDONLY | os.O_CLOEXEC)
        if libc.unshare(CLONE_NEWNET) != 0:
            raise LabError(f"cannot make a network namespace: {os.strerror(ctypes.get_errno())}")
        _own_namespace = namespace_cookie()
    return _own_namespace


_own_namespace = 0
_home = -1


def at_home(call: Callable[[], T]) -> T:
    """Calls something in the namespace that the process came from; processes that it starts stay there."""

    def entered() -> T:
        if _home >= 0:
            enter_file(_home)
        return call()

    return _in_thread(entered)


def inside(namespace: str, call: Callable[[], T]) -> T:
    """Calls something in a network namespace. Sockets that it makes stay there."""

    def entered() -> T:
        enter(namespace)
        return call()

    return _in_thread(entered)


def in_namespace(namespace: str, command: Sequence[str]) -> list[str]:
    """A command that runs another in a network namespace; unlike `ip netns exec` it leaves mounts alone."""
    return ["nsenter", f"--net={NAMESPACES / namespace}", "--", *command]


def prefer(pid: int, nice: int) -> None:
    """Gives a process precedence over others, also where the kernel schedules sessions as groups."""
    with contextlib.suppress(OSError):
        os.setpriority(os.PRIO_PROCESS, pid, nice)
    with contextlib.suppress(OSError):
        Path(f"/proc/{pid}/autogroup").write_text(str(nice))


def set_sysctls(namespace: str, settings: dict[str, str]) -> None:
    """Writes sysctls of a namespace, such as net.ipv4.tcp_sack; those that the kernel lacks are an error."""

    def write() -> None:
        for name, value in settings.items():
            try:
                Path("/proc/sys", *name.split(".")).write_text(value)
            except OSError as error:
                raise LabError(f"sysctl {name}={value}: {error.strerror}") from None

    inside(namespace, write)


def disable_ipv6(namespace: str | None = None) -> None:
    """No packets but those of the lab: neither router solicitations nor neighbour discovery.

    Without a name in the namespace of this process.
    """

    def write() -> None:
        for path in Path("/proc/sys/net/ipv6/conf").glob("*/disable_ipv6"):
            path.write_text("1")

    if namespace is None:
        write()
    else:
        inside(namespace, write)


def available_congestion_controls() -> list[str]:
    """Congestion controls that this kernel has loaded, and that the machine may load."""
    return Path("/proc/sys/net/ipv4/tcp_available_congestion_control").read_text().split()


def disable_offloads(namespace: str | None, interface: str) -> None:
    """No segmentation offload, so that marks are for single packets.

    Without a name in the namespace of this process.
    """

    def call() -> None:
        try:
            offloads.switch_off(interface)
        except OSError as error:
            where = "" if namespace is None else f" in {namespace}"
            raise LabError(f"offloads{where}: {error}") from None

    if namespace is None:
        call()
    else:
        inside(namespace, call)
