# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""A virtual machine with a kernel of one's choice and this machine's files, which it cannot change.

The root file system is this machine's, over 9p, below a tmpfs that takes the writes; so what runs inside is
what is installed here. Distribution kernels have 9p and overlayfs as modules: the initramfs brings them, and
nothing more. (virtme-ng does the like; under emulation it waits minutes for udev, which nothing here needs.)
"""

from __future__ import annotations

import lzma
import os
import shlex
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

QEMU = "qemu-system-x86_64"
NEEDED = ("virtio_pci", "9pnet_virtio", "9p", "overlay")
"""Modules that mount the root; those that are built in are in modules.builtin."""

PARAMETERS = ("console=ttyS0", "loglevel=4", "panic=-1", "nokaslr", "no_timer_check", "nowatchdog")
"""Of the kernel. An emulated machine on a busy one may stand still for seconds: that must not end it."""

INIT = """#!/bin/busybox sh
set -e
/bin/busybox --install -s /bin
mount -t proc proc /proc
while read -r module; do insmod "/modules/$module"; done < /modules/order
mount -t 9p -o trans=virtio,version=9p2000.L,msize=512000,cache=loose,ro root /lower
mount -t tmpfs tmpfs /writes
mkdir /writes/upper /writes/work
mount -t overlay -o lowerdir=/lower,upperdir=/writes/upper,workdir=/writes/work overlay /root
umount /proc
mount -t proc proc /root/proc
mount -t sysfs sysfs /root/sys
mount -t devtmpfs devtmpfs /root/dev
mkdir -p /root/dev/pts /root/dev/shm
mount -t devpts devpts /root/dev/pts
mount -t tmpfs tmpfs /root/dev/shm
mount -t tmpfs tmpfs /root/run
mkdir /root/run/exchange /root/run/netns
mount -t cgroup2 cgroup2 /root/sys/fs/cgroup
mount -t 9p -o trans=virtio,version=9p2000.L exchange /root/run/exchange
exec switch_root /root /bin/sh /run/exchange/start
"""

START = """#!/bin/sh
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root
release=$(uname -r)
# The directory may be a symbolic link of this machine's into one that is not there.
rm -rf "/usr/lib/modules/$release"
mkdir -p /usr/lib/modules
ln -s {modules} "/usr/lib/modules/$release"
ip link set lo up
# What udev would have done: without it there is no /dev/net/tun.
modprobe -q tun
cd {directory}
{command}
echo $? > /run/exchange/status
sync
echo o > /proc/sysrq-trigger
while :; do :; done
"""


class GuestError(Exception):
    """Something that a virtual machine needs is missing or did not work; the text says what."""


@dataclass(frozen=True)
class Kernel:
    """An unpacked kernel package."""

    image: Path
    modules: Path
    """lib/modules/RELEASE"""

    @property
    def release(self) -> str:
        """As `uname -r` gives it."""
        return self.modules.name


def find_kernel(folder: Path) -> Kernel:
    """The kernel in a folder that a package was unpacked into (dpkg -x). Raises GuestError."""
    images = sorted(folder.glob("boot/vmlinuz-*"))
    if len(images) != 1:
        raise GuestError(f"{folder}: one kernel boot/vmlinuz-* is wanted, {len(images)} found")
    release = images[0].name.removeprefix("vmlinuz-")
    for prefix in ("lib", "usr/lib"):
        modules = folder / prefix / "modules" / release
        if modules.is_dir():
            return Kernel(images[0], modules)
    raise GuestError(f"{folder}: no modules in lib/modules/{release}")


def module_name(path: str) -> str:
    """kernel/net/9p/9pnet-virtio.ko.xz -> 9pnet_virtio"""
    return Path(path).name.partition(".")[0].replace("-", "_")


def load_order(dependencies: str, builtin: str, wanted: tuple[str, ...]) -> list[str]:
    """Paths of modules in the order in which they can be loaded.

    `dependencies` is modules.dep (depmod): "path: path ...", of which the last must be loaded first;
    `builtin` is modules.builtin. Raises GuestError if a module is in neither.
    """
    needs: dict[str, list[str]] = {}
    for line in dependencies.splitlines():
        path, _, after = line.partition(":")
        needs[module_name(path)] = [path, *after.split()]
    there = {module_name(line) for line in builtin.splitlines()}
    order: list[str] = []
    for name in wanted:
        if name in there:
            continue
        if name not in needs:
            raise GuestError(f"this kernel has no module {name}")
        order += [path for path in reversed(needs[name]) if path not in order]
    return order


def cpio_entry(name: str, mode: int, data: bytes = b"", number: int = 1, device: int = 0) -> bytes:
    """One member of an initramfs, in the "newc" format (kernel: driver-api/early-userspace/buffer-format)."""
    encoded = name.encode() + b"\0"
    fields = (number, mode, 0, 0, 1, 0, len(data), 0, 0, device >> 8, device & 255, len(encoded), 0)
    head = b"070701" + b"".join(b"%08X" % field for field in fields) + encoded
    return head + b"\0" * (-len(head) % 4) + data + b"\0" * (-len(data) % 4)


def initramfs(kernel: Kernel, busybox: Path) -> bytes:
    """What mounts the root. Raises GuestError."""
    if not (kernel.modules / "modules.dep").exists():
        base = kernel.modules.parents[2] if kernel.modules.parts[-3] == "lib" else kernel.modules.parents[1]
        subprocess.run(["depmod", "-b", str(base), kernel.release], check=True)
    order = load_order(
        (kernel.modules / "modules.dep").read_text(),
        (kernel.modules / "modules.builtin").read_text(),
        NEEDED,
    )
    members = [(name, 0o40755, b"") for name in ("bin", "dev", "lower", "modules", "proc", "root", "writes")]
    members += [("init", 0o100755, INIT.encode()), ("bin/busybox", 0o100755, busybox.read_bytes())]
    for path in order:
        data = (kernel.modules / path).read_bytes()
        if path.endswith(".xz"):
            data = lzma.decompress(data)
        members.append((f"modules/{Path(path).name}", 0o100644, data))
    listing = "".join(f"{Path(path).name}\n" for path in order)
    members.append(("modules/order", 0o100644, listing.encode()))
    archive = [cpio_entry(*member, number=i) for i, member in enumerate(members, 1)]
    # What the kernel opens for process 1 before anything is mounted.
    archive.append(cpio_entry("dev/console", 0o20600, number=len(members) + 1, device=5 << 8 | 1))
    return b"".join([*archive, cpio_entry("TRAILER!!!", 0)])


def missing() -> list[str]:
    """Programs that are not on PATH."""
    return [tool for tool in (QEMU, "busybox", "depmod", "ip") if not shutil.which(tool)]


def accelerator() -> str:
    """KVM where the processor has it and we may use it.

    /dev/kvm alone says little: a machine that is virtual itself may have it and yet boot no ordinary kernel.
    """
    flags = set(Path("/proc/cpuinfo").read_text().split())
    return "kvm" if flags & {"vmx", "svm"} and os.access("/dev/kvm", os.R_OK | os.W_OK) else "tcg"


def run(kernel: Kernel, command: list[str], exchange: Path, memory_mib: int, limit_s: float) -> int:
    """Run a command as root in the machine, its output on standard output; its exit status.

    `exchange` is a directory that the guest may write to, at /run/exchange. Raises GuestError.
    """
    busybox = Path(shutil.which("busybox") or "busybox")
    image = exchange / "initramfs"
    image.write_bytes(initramfs(kernel, busybox))
    start = START.format(
        modules=shlex.quote(str(kernel.modules.resolve())),
        directory=shlex.quote(str(Path.cwd())),
        command=shlex.join(command),
    )
    (exchange / "start").write_text(start)
    status = exchange / "status"
    status.unlink(missing_ok=True)
    shared = "security_model=none,multidevs=remap"
    arguments = [
        QEMU, "-accel", accelerator(), "-cpu", "max", "-smp", "1", "-m", str(memory_mib),
        "-nodefaults", "-no-user-config", "-no-reboot", "-display", "none", "-serial", "stdio",
        "-kernel", str(kernel.image), "-initrd", str(image),
        "-append", " ".join(PARAMETERS),
        "-virtfs", f"local,path=/,mount_tag=root,readonly=on,{shared}",
        "-virtfs", f"local,path={exchange},mount_tag=exchange,{shared}",
    ]  # fmt: skip
    with subprocess.Popen(arguments, stdin=subprocess.DEVNULL) as process:
        try:
            process.wait(limit_s)
        except subprocess.TimeoutExpired:
            raise GuestError(f"not done after {limit_s:.0f} s") from None
        finally:
            process.kill()
    try:
        return int(status.read_text())
    except (FileNotFoundError, ValueError):
        raise GuestError("the machine ended without having run the command; see its messages") from None
