# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Kill a program right after the nth change it makes to the machine, by ptrace(2)."""

from __future__ import annotations

import ctypes
import os
import platform
import signal
import struct
import subprocess

import pytest

TRACEME, SYSCALL, SETOPTIONS, GET_SYSCALL_INFO = 0, 24, 0x4200, 0x420E
TRACESYSGOOD, EXITKILL = 1, 0x100000
ENTRY, EXIT = 1, 2
# What changes the machine. Of bpf() it is the commands that update and delete elements, pin, and attach.
BPF_COMMANDS = {2, 3, 6, 8, 28}
CHANGES = {
    "x86_64": (321, {1, 44, 83, 84, 87, 165, 258, 263}),
    "aarch64": (280, {34, 35, 40, 64, 206}),
}
"""Number of bpf(); those of write, sendto (netlink), mkdir, rmdir, unlink, mount, mkdirat, unlinkat, where
they exist."""

libc = ctypes.CDLL(None, use_errno=True)
libc.ptrace.argtypes = (ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p)
libc.ptrace.restype = ctypes.c_long


def ptrace(request: int, pid: int, address: int = 0, data: object = 0) -> None:
    """The system call, or an error."""
    if libc.ptrace(request, pid, address, data) < 0:
        error = ctypes.get_errno()
        raise OSError(error, os.strerror(error))


def changes(command: list[str], kill_after: int | None = None) -> int:
    """Run a program and count its changes that succeeded; kill it after so many of them."""
    bpf, others = CHANGES.get(platform.machine(), (0, set[int]()))
    if not bpf:
        pytest.skip(f"the numbers of system calls on {platform.machine()} are not known here")
    process = subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        preexec_fn=lambda: libc.ptrace(TRACEME, 0, 0, 0),
    )  # fmt: skip
    pid, count, pending = process.pid, 0, False
    info = ctypes.create_string_buffer(88)
    try:
        _, status = os.waitpid(pid, 0)
        if not os.WIFSTOPPED(status):
            pytest.skip("ptrace is not permitted here")
        ptrace(SETOPTIONS, pid, 0, TRACESYSGOOD | EXITKILL)
        deliver = 0
        while True:
            ptrace(SYSCALL, pid, 0, deliver)
            _, status = os.waitpid(pid, 0)
            if not os.WIFSTOPPED(status):
                process.returncode = os.waitstatus_to_exitcode(status)
                return count
            stop = os.WSTOPSIG(status)
            deliver = 0 if stop & 0x7F == signal.SIGTRAP else stop
            if stop != signal.SIGTRAP | 0x80:
                continue
            ptrace(GET_SYSCALL_INFO, pid, len(info), info)
            if info.raw[0] == ENTRY:
                number, first = struct.unpack_from("=QQ", info.raw, 24)
                pending = number in others or (number == bpf and first in BPF_COMMANDS)
            elif info.raw[0] == EXIT and pending and not info.raw[32]:
                count += 1
                if count == kill_after:
                    return count
    finally:
        if process.returncode is None:
            process.kill()
            process.wait()
