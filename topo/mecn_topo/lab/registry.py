# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""What a lab has made on this machine, noted before it is made, so that it can be removed whatever happens.

Each lab has a file in /run/mecn-lab. It names the process that runs the lab, namespaces, folders, and
commands that undo what is neither. Three remove what a file names: the lab at its end; a watchdog process,
when the lab's process has ended without doing so, even by SIGKILL; and `mecn lab down`, or the next lab, if
the watchdog was killed too.

Processes need no list: all that a lab starts live in its namespaces, and those are found by the namespace.
The namespace of the switches has no name and goes with the last process in it; its cookie is noted, which the
kernel gives to no other namespace (it does so with inodes).

This file uses nothing but the standard library, so that the watchdog is small: it is run as a script.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

FOLDER = Path(os.environ.get("MECN_LAB_REGISTRY", "/run/mecn-lab"))
NAMESPACES = Path("/run/netns")
GRACE_S = 3.0
"""How long processes have between SIGTERM and SIGKILL."""
SO_NETNS_COOKIE = 71
CLONE_NEWNET = 0x40000000


def start_time(pid: int) -> int | None:
    """When a process started, in ticks since boot; None if there is none, or it has ended."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return None
    state, *rest = text.rpartition(")")[2].split()
    return None if state in "ZX" else int(rest[18])


def namespace_cookie(path: str = "/proc/thread-self/ns/net") -> int:
    """The cookie of a network namespace (SO_NETNS_COOKIE, Linux 5.14). Raises OSError."""
    found: list[int | OSError] = []

    def ask() -> None:
        # In a thread of its own: it enters the namespace and ends there.
        try:
            libc = ctypes.CDLL(None, use_errno=True)
            with Path(path).open("rb") as namespace:
                if libc.setns(namespace.fileno(), CLONE_NEWNET) != 0:
                    raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()), path)
            with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as there:
                cookie = there.getsockopt(socket.SOL_SOCKET, SO_NETNS_COOKIE, 8)
            found.append(int.from_bytes(cookie, sys.byteorder))
        except OSError as error:
            found.append(error)

    thread = threading.Thread(target=ask)
    thread.start()
    thread.join()
    if isinstance(found[0], OSError):
        raise found[0]
    return found[0]


def check_folder(folder: Path) -> None:
    """PermissionError if others could have put files there: they name commands that are run."""
    try:
        state = folder.lstat()
    except FileNotFoundError:
        return
    if state.st_uid not in (0, os.geteuid()) or state.st_mode & 0o022:
        raise PermissionError(f"{folder}: others may write there; records of labs are not taken from it")


@dataclass
class Record:
    """One lab's file."""

    path: Path
    owner: int = 0
    owner_started: int = 0
    title: str = ""
    namespaces: list[str] = field(default_factory=list)
    switches_cookie: int = 0
    """Of the switches' namespace."""
    folders: list[str] = field(default_factory=list)
    undo: list[list[str]] = field(default_factory=list)
    """Commands, in the order in which they were noted; they are run in reverse."""

    @classmethod
    def create(cls, name: str, title: str, folder: Path = FOLDER) -> Record:
        """A new file for a lab of this process. Raises OSError."""
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        check_folder(folder)
        record = cls(folder / f"{name}.json", os.getpid(), start_time(os.getpid()) or 0, title)
        record.save()
        return record

    @classmethod
    def load(cls, path: Path) -> Record:
        """Reads a file. Raises OSError, and ValueError if it is none of ours."""
        data = json.loads(path.read_text())
        if not isinstance(data, dict):
            raise ValueError(f"{path}: not a lab's file")
        try:
            return cls(path, **data)
        except TypeError as error:
            raise ValueError(f"{path}: not a lab's file: {error}") from None

    def save(self) -> None:
        """Writes the file in one step."""
        data = {name: value for name, value in vars(self).items() if name != "path"}
        partial = self.path.with_suffix(".partial")
        partial.write_text(json.dumps(data, indent=1))
        partial.replace(self.path)

    # ---- Before something is made --------------------------------------------------------------------------

    def will_make_namespace(self, name: str) -> None:
        """Notes a network namespace by its name."""
        self.namespaces.append(name)
        self.save()

    def will_make_folder(self, path: Path) -> None:
        """Notes a folder; it goes with all that is in it."""
        self.folders.append(str(path))
        self.save()

    def will_need(self, command: list[str]) -> None:
        """Notes a command that undoes something. It must do no harm if that was not done."""
        self.undo.append(command)
        self.save()

    # ---- Afterwards ----------------------------------------------------------------------------------------

    @property
    def is_running(self) -> bool:
        """Whether the lab's process is alive."""
        return self.owner_started != 0 and start_time(self.owner) == self.owner_started

    def remove(self) -> list[str]:
        """Ends and removes everything that the file names, then the file. Returns what went wrong."""
        problems = []
        for command in reversed(self.undo):
            done = _quietly(command)
            if done is not None:
                problems.append(done)
        end_processes(self)
        for name in reversed(self.namespaces):
            if (NAMESPACES / name).exists():
                done = _quietly(["ip", "netns", "del", name])
                if done is not None:
                    problems.append(done)
        for folder in self.folders:
            shutil.rmtree(folder, ignore_errors=True)
        if not problems:
            self.path.unlink(missing_ok=True)
            with contextlib.suppress(OSError):
                self.path.parent.rmdir()
        return problems


def _quietly(command: list[str]) -> str | None:
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=30)  # noqa: S603
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"{' '.join(command)}: {error}"
    return None if done.returncode == 0 else f"{' '.join(command)}: {done.stderr.strip()}"


def records(folder: Path = FOLDER) -> list[Record]:
    """The files that are there; unreadable ones are left out. PermissionError: :func:`check_folder`."""
    check_folder(folder)
    found = []
    for path in sorted(folder.glob("*.json")):
        with contextlib.suppress(OSError, ValueError):
            found.append(Record.load(path))
    return found


def processes_of(record: Record) -> list[int]:
    """Processes in a lab's namespaces, this one and the lab's own left out."""
    inodes = set()
    for name in record.namespaces:
        with contextlib.suppress(OSError):
            inodes.add((NAMESPACES / name).stat().st_ino)
    by_inode: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) not in (os.getpid(), record.owner):
            with contextlib.suppress(OSError):
                by_inode.setdefault((entry / "ns" / "net").stat().st_ino, []).append(int(entry.name))
    found = []
    for inode, processes in by_inode.items():
        if inode in inodes or _has_cookie(processes, record.switches_cookie):
            found += processes
    return found


def _has_cookie(processes: list[int], cookie: int) -> bool:
    """Whether the namespace that these processes share is the one with the cookie; 0: there is none."""
    for pid in processes if cookie else ():
        with contextlib.suppress(OSError):
            return namespace_cookie(f"/proc/{pid}/ns/net") == cookie
    return False


def end_processes(record: Record) -> None:
    """Ends all processes in a lab's namespaces: SIGTERM, and SIGKILL for those that do not follow."""
    deadline = time.monotonic() + GRACE_S
    signalled: set[int] = set()
    while found := [pid for pid in processes_of(record) if start_time(pid) is not None]:
        late = time.monotonic() > deadline
        for pid in found:
            if late or pid not in signalled:
                with contextlib.suppress(OSError):
                    os.kill(pid, signal.SIGKILL if late else signal.SIGTERM)
                signalled.add(pid)
        if time.monotonic() > deadline + GRACE_S:
            return
        time.sleep(0.02)


def remove_leftovers(folder: Path = FOLDER) -> list[tuple[Record, list[str]]]:
    """Removes what labs have left whose processes are no more; with what went wrong."""
    return [(record, record.remove()) for record in records(folder) if not record.is_running]


# ---- The watchdog ------------------------------------------------------------------------------------------


class Watchdog:
    """A process that removes what a lab has made if the lab's process ends without doing so."""

    def __init__(self, record: Record) -> None:
        reading, self._writing = os.pipe()
        # A session of its own: Ctrl-C at the terminal is for the lab.
        self._process = subprocess.Popen(  # noqa: S603
            [sys.executable, "-I", "-S", __file__, str(record.path)],
            stdin=reading,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd="/",
            start_new_session=True,
        )
        os.close(reading)

    def release(self) -> None:
        """Tells it that the lab is over, and waits for its end."""
        os.close(self._writing)
        self._process.wait()


def watch(path: Path) -> None:
    """Waits for the end of the process at the other end of standard input."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    while os.read(0, 4096):
        pass
    if path.exists():
        Record.load(path).remove()


if __name__ == "__main__":
    watch(Path(sys.argv[1]))
